// SPDX-License-Identifier: MIT
// What the tests in a browser share: Debian's Chromium, pages from files or from a server of the test, and everything that
// must not happen on them.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const chromium = PLACES.find((place) => place && existsSync(place)) ?? null;
export const shots = process.env.SHOTS ?? path.join(path.dirname(new URL(import.meta.url).pathname), '../shots');

let browser = null;

export async function open(file, { hash = '', width = 1280, height = 800, dark = false, before } = {}) {
    browser ??= await puppeteer.launch({
        executablePath: chromium,
        headless: true,
        timeout: 0, // how long anything takes is not judged here: the whole test has a limit
        protocolTimeout: 0,
        args: [
            '--no-sandbox',
            '--disable-gpu',
            '--hide-scrollbars',
            '--font-render-hinting=none',
            '--force-prefers-reduced-motion',
            '--disable-dev-shm-usage',
        ],
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    const wrongs = [];
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
    page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warn') wrongs.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => wrongs.push(`script: ${error.message}`));
    page.on('dialog', (dialog) => {
        wrongs.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    const own = /^http:/.test(file) ? new URL(file).origin : 'file:';
    page.on('request', (request) => {
        if (!request.url().startsWith(own) && !/^(data|blob):/.test(request.url()))
            wrongs.push(`request: ${request.url()}`);
    });
    await page.evaluateOnNewDocument(() => {
        window.violations = [];
        addEventListener('securitypolicyviolation', (event) =>
            window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
        );
    });
    await before?.(page);
    await page.goto(`${own === 'file:' ? pathToFileURL(path.resolve(file)) : file}${hash}`);
    page.wrongs = async () => [...wrongs, ...(await page.evaluate(() => window.violations))];
    return page;
}

export async function ready(page) {
    await page.waitForFunction(() => window.tilewright?.ready !== undefined);
    await settle(page);
}

// Two frames, and nothing that the page itself puts off (afterPaint) is left: charts are drawn, tables have their rows.
export async function settle(page) {
    await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))),
    );
    await page.waitForFunction(() => !document.querySelector('[aria-busy]'));
}

export async function show(page, hash) {
    await page.evaluate((h) => {
        location.hash = h;
    }, hash);
    await settle(page);
}

export async function shoot(page, name, fullPage = true) {
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage });
}

export async function close() {
    await browser?.close();
    browser = null;
}
