// SPDX-License-Identifier: MIT
// The site in SITE (./dev site), from a server of its own: links and anchors, the reference, search, phones, light and dark.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { close, open, shoot } from './browser.mjs';

const site = process.env.SITE;
const TYPES = {
    '.html': 'text/html',
    '.css': 'text/css',
    '.js': 'text/javascript',
    '.json': 'application/json',
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
};
const files = readdirSync(site, { recursive: true }).map((name) => name.replaceAll('\\', '/'));
const pages = files.filter((name) => name.endsWith('.html') && name !== '404.html' && !isReport(name));
let address;
let server;

function isReport(name) {
    return name.startsWith('reports/') && name !== 'reports/index.html';
}

before(async () => {
    server = createServer((request, response) => {
        const file = path.join(site, decodeURIComponent(new URL(request.url, 'http://x').pathname));
        if (!existsSync(file)) return response.writeHead(404).end();
        response
            .writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' })
            .end(readFileSync(file));
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${server.address().port}/`;
});
after(async () => {
    await close();
    server.close();
});

// What each page links to and what in it can be linked to, as the browser reads them.
async function read() {
    const page = await open(`${address}index.html`);
    const found = await page.evaluate(async (names) => {
        const all = {};
        for (const name of names) {
            const text = await (await fetch(`/${name}`)).text();
            const dom = new DOMParser().parseFromString(text, 'text/html');
            const base = new URL(`/${name}`, location.href);
            const targets = [...dom.querySelectorAll('a[href], link[href], img[src], script[src]')].map(
                (e) => new URL(e.getAttribute('href') ?? e.getAttribute('src'), base).href,
            );
            all[name] = { ids: [...dom.querySelectorAll('[id]')].map((e) => e.id), targets: [...new Set(targets)] };
        }
        return all;
    }, pages);
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
    return found;
}

it('has no broken link or anchor, and every name of the library', async () => {
    assert.ok(pages.length > 100, `${pages.length} pages`);
    const found = await read();
    const broken = [];
    for (const [name, { targets }] of Object.entries(found))
        for (const target of targets.filter((t) => t.startsWith(address))) {
            const { pathname, hash } = new URL(target);
            const file = decodeURIComponent(pathname.slice(1)) || 'index.html';
            const id = decodeURIComponent(hash.slice(1));
            if (!files.includes(file)) broken.push(`${name}: ${file}`);
            else if (id && found[file] && !found[file].ids.includes(id)) broken.push(`${name}: ${file}#${id}`);
        }
    assert.deepEqual(broken, []);
    const known = new Set(pages.filter((p) => p.startsWith('api/')).flatMap((p) => found[p].ids));
    const exported = readFileSync(process.env.EXPORTED, 'utf8').trim().split('\n');
    assert.ok(exported.length > 700);
    assert.deepEqual(
        exported.filter((name) => !known.has(name)),
        [],
    );
});

it('says what a comment of a header says', async () => {
    const page = await open(`${address}api/poplar-graph.html`, { hash: '#tw_graph_new' });
    const text = await page.evaluate(() => {
        let text = '';
        for (
            let e = document.getElementById('tw_graph_new').nextElementSibling;
            e.tagName !== 'H3';
            e = e.nextElementSibling
        )
            text += `${e.innerText}\n`;
        return text;
    });
    assert.match(text, /NULL: no memory, no target, or one without tiles/);
    assert.match(text, /tw_graph \*tw_graph_new\(const tw_target \*target\);/);
    await page.close();
});

it('finds words', async () => {
    const page = await open(`${address}index.html`);
    for (const [word, wanted] of [
        ['microthreads', 'docs/'],
        ['tw_engine_load', 'api/poplar-engine.html'],
    ]) {
        await page.click('.md-search__input', { clickCount: 3 });
        await page.type('.md-search__input', word);
        await page.waitForFunction(
            (w) => [...document.querySelectorAll('.md-search-result__link')].some((a) => a.href.includes(w)),
            {},
            wanted,
        );
        await page.waitForFunction(
            (w) =>
                [...document.querySelectorAll('.md-search-result mark')].some((m) => m.innerText.toLowerCase() === w),
            {},
            word,
        );
    }
    await shoot(page, 'site-search', false);
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

// The index of words takes longer than all the rest, and only search needs it. A choice of light or dark is kept for the next
// visit: each of these is the first.
async function withoutSearch(page) {
    await page.evaluateOnNewDocument(() => localStorage.clear());
    await page.setRequestInterception(true);
    page.on('request', (request) =>
        /search_index/.test(request.url()) ? request.respond({ body: '{}' }) : request.continue(),
    );
}

it('does not scroll sideways on a phone', async () => {
    const page = await open(`${address}index.html`, { width: 390, before: withoutSearch });
    const wide = [];
    // Pages of sources are all alike: some of them are enough.
    for (const name of pages.filter((name, i) => !name.startsWith('source/') || i % 6 === 0)) {
        await page.goto(address + name, { waitUntil: 'load' });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        if (width > 390) wide.push(`${name}: ${width}`);
    }
    assert.deepEqual(wide, []);
    await page.close();
});

// Contrast of text with what is behind it, by WCAG: 4.5 and more can be read.
async function faint(page) {
    return page.evaluate(() => {
        const light = ([r, g, b]) => {
            const [x, y, z] = [r, g, b].map((v) =>
                v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
            );
            return 0.2126 * x + 0.7152 * y + 0.0722 * z;
        };
        const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
        const over = (top, under) => {
            const a = top[3] ?? 1;
            return [0, 1, 2].map((i) => top[i] * a + under[i] * (1 - a));
        };
        const behind = (e) => {
            if (!e) return [255, 255, 255];
            return over(parse(getComputedStyle(e).backgroundColor), behind(e.parentElement));
        };
        const bad = {};
        for (const e of document.querySelectorAll(
            '.md-content :is(p, li, td, th, h2, h3, a, code, code span, summary)',
        )) {
            if (!e.innerText?.trim() || e.matches('.headerlink') || !e.offsetParent) continue;
            const back = behind(e);
            const [a, b] = [light(over(parse(getComputedStyle(e).color), back)), light(back)];
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5)
                bad[`${e.tagName}.${e.className}`] = `${contrast.toFixed(1)} ${e.innerText.slice(0, 20)}`;
        }
        return bad;
    });
}

it('can be read in light and dark', async () => {
    const kinds = [
        'index',
        'docs/tutorial-csl',
        'docs/four-machines',
        'api/index',
        'api/poplar-graph',
        'source/examples/aie',
    ];
    for (const dark of [false, true])
        for (const name of kinds) {
            const page = await open(`${address}${name}.html`, { dark, before: withoutSearch });
            await page.evaluate(() => Promise.all(document.getAnimations().map((a) => a.finished)));
            const back = await page.evaluate(() =>
                getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number),
            );
            assert.equal(back[0] < 128, dark, `${name}: ${back}`);
            assert.deepEqual(await faint(page), {}, `${name}${dark ? ' dark' : ''}`);
            const picture = `site-${name.replaceAll('/', '-')}${dark ? '-dark' : ''}`;
            if (dark || name !== 'index') await shoot(page, picture, false);
            await page.setViewport({ width: 390, height: 800 });
            await shoot(page, `${picture}-390`, false);
            await page.close();
        }
});
