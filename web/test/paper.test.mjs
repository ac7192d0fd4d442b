// SPDX-License-Identifier: MIT
// Printing: light, without controls, tables and charts in full; the page is as it was afterwards. “All” has every view.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { close, open, ready, settle, shoot, show } from './browser.mjs';

const source = process.env.SOURCE ?? path.join(path.dirname(new URL(import.meta.url).pathname), '../..');
const tilewright = process.env.TILEWRIGHT ?? path.join(source, 'build/release/bin/tilewright');
const work = process.env.WORK ?? mkdtempSync(path.join(tmpdir(), 'tilewright-report-'));
const run = (...args) => execFileSync(tilewright, args, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] });
const file = path.join(work, 'paper.html');

before(() => {
    run('run', '--profile', 'paper.json', path.join(source, 'examples/poplar/heat/heat.c'), 'heat.ppm');
    run('report', 'paper.json', 'paper.json', '-o', 'paper.html');
});
after(close);

const print = (page, on) =>
    page.evaluate((name) => dispatchEvent(new Event(name)), on ? 'beforeprint' : 'afterprint');
// What is on paper: controls that are seen, rows of tables, the width, whether it is light.
const paper = (page) =>
    page.evaluate(() => ({
        controls: [...document.querySelectorAll('button, input, select, nav')].filter(
            (e) => e.checkVisibility() && !e.matches('[role=columnheader]'),
        ).length,
        rows: [...document.querySelectorAll('.table')].map((t) => t.querySelectorAll('.rows .row').length),
        scrolls: [...document.querySelectorAll('.scroller')].some((s) => s.scrollHeight > s.clientHeight + 1),
        widest:
            Math.max(...[...document.querySelectorAll('#view *')].map((e) => e.getBoundingClientRect().right)) -
            document.querySelector('#view').getBoundingClientRect().left,
        back: getComputedStyle(document.body).backgroundColor,
        charts: [...document.querySelectorAll('.chart')].map((c) => [
            c.getBoundingClientRect().width,
            c.querySelector('canvas').getBoundingClientRect().width,
        ]),
    }));

it('a view is laid out for paper and put back', async () => {
    const page = await open(file, { hash: '#view=memory' });
    await ready(page);
    await page.keyboard.press('t'); // dark
    const shown = await paper(page);
    assert.ok(shown.controls > 8 && shown.scrolls);
    await page.emulateMediaType('print');
    await print(page, true);
    await settle(page);
    await shoot(page, 'paper-memory');
    const printed = await paper(page);
    assert.equal(printed.controls, 0);
    assert.equal(printed.rows[0], 200);
    assert.equal(printed.scrolls, false);
    assert.equal(printed.back, 'rgb(255, 255, 255)');
    assert.ok(printed.widest <= 701, `${printed.widest}`);
    for (const [box, canvas] of printed.charts) assert.ok(Math.abs(box - canvas) < 2 && box > 300);
    assert.match(await page.$eval('.table .rest', (p) => p.textContent), /first 200 of 1,472 rows, sorted by/);
    await page.emulateMediaType('screen');
    await print(page, false);
    await settle(page);
    const again = await paper(page);
    assert.deepEqual({ ...again, rows: 0 }, { ...shown, rows: 0 });
    assert.ok(again.rows[0] < 60);
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

it('“All” has every view, and prints', async () => {
    const page = await open(file);
    await ready(page);
    await page.keyboard.press('9');
    await settle(page);
    assert.equal(await page.evaluate(() => location.hash), '#view=all');
    const titles = await page.$$eval('.part > .title', (all) => all.map((t) => t.textContent));
    const views = ['Summary', 'Memory: By tile', 'Memory: Map of a tile', 'Memory: Variables', 'Memory: Kernel data'];
    views.push(
        'Memory: Liveness',
        'Program: Control programs',
        'Program: Names',
        'Time: Time line',
        'Time: By tile',
        'Time: Grid',
    );
    views.push('Time: Waits and exchanges', 'Kernels: By kind', 'Kernels: By line', 'Motion', 'Graph', 'Compare');
    assert.deepEqual(titles, views);
    assert.equal(await page.$('.part > .error'), null);
    const names = [
        'time-shares',
        'memory-tiles',
        'map',
        'liveness',
        'timeline',
        'busy-tiles',
        'kernels',
        'sides-step',
    ];
    const charts = await page.evaluate(() => Object.keys(window.tilewright.charts));
    for (const name of names) assert.ok(charts.includes(name), name);
    assert.equal(
        await page.evaluate(() => document.querySelectorAll('#view [id]').length),
        0,
        'names that would be there twice',
    );
    await shoot(page, 'paper-all');
    await page.emulateMediaType('print');
    await print(page, true);
    const printed = await paper(page);
    assert.equal(printed.controls, 0);
    assert.equal(printed.scrolls, false);
    assert.ok(printed.rows.every((n) => n <= 40) && printed.rows.some((n) => n === 40));
    await page.emulateMediaType('screen');
    await print(page, false);
    const pdf = Buffer.from(await page.pdf({ format: 'A4' })).toString('latin1');
    const pages = (pdf.match(/\/Type\s*\/Page\b/g) ?? []).length;
    assert.ok(pages > 5 && pages < 40, `${pages} pages`);
    // back to a view that scrolls
    await show(page, '#view=memory');
    assert.ok((await paper(page)).scrolls);
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

it('P prints', async () => {
    const page = await open(file, {
        before: (fresh) =>
            fresh.evaluateOnNewDocument(() => {
                window.printed = 0;
                window.print = () => window.printed++;
            }),
    });
    await ready(page);
    await page.keyboard.press('p');
    await page.click('#print');
    assert.equal(await page.evaluate(() => window.printed), 2);
    await page.close();
});
