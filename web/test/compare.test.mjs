// SPDX-License-Identifier: MIT
// Two runs of one program with a change in it: the change is on top of Compare.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { close, open, ready, shoot } from './browser.mjs';

const source = process.env.SOURCE ?? path.join(path.dirname(new URL(import.meta.url).pathname), '../..');
const tilewright = process.env.TILEWRIGHT ?? path.join(source, 'build/release/bin/tilewright');
const work = process.env.WORK ?? mkdtempSync(path.join(tmpdir(), 'tilewright-report-'));
const run = (...args) => execFileSync(tilewright, args, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] });

before(() => {
    // The same loop, written twice as long in B: 'step' is what changes.
    const text = readFileSync(path.join(source, 'examples/poplar/heat/heat.c'), 'utf8');
    for (const name of ['picture.h', 'heat_codelets.cpp'])
        writeFileSync(path.join(work, name), readFileSync(path.join(source, 'examples/poplar/heat', name)));
    writeFileSync(path.join(work, 'old.c'), text);
    writeFileSync(path.join(work, 'new.c'), text.replace('ROWS = 12, COLS = 12', 'ROWS = 12, COLS = 16'));
    run('run', '--profile', 'old.json', 'old.c', 'old.ppm');
    run('run', '--profile', 'new.json', 'new.c', 'new.ppm');
    run('report', 'old.json', 'new.json', '-o', 'both.html');
});
after(close);

it('shows the change on top', async () => {
    const page = await open(path.join(work, 'both.html'), { hash: '#view=compare' });
    await ready(page);
    await shoot(page, 'heat-compare');
    const [old, fresh] = ['old', 'new'].map((n) => JSON.parse(readFileSync(path.join(work, `${n}.json`), 'utf8')));
    const total = (p) =>
        p.execution.simulation.plan
            .filter((s) => s.name === 'step')
            .reduce((sum, s) => sum + (s.cycles - s.cyclesOverlapped) * s.executions, 0);
    const changes = await page.evaluate(() => window.tilewright.charts.changes);
    const step = changes.find(([name]) => name === 'step');
    assert.deepEqual(step, ['step', total(old), total(fresh)]);
    assert.ok(
        changes.slice(0, 3).some(([name]) => name === 'step' || name === 'HeatStep'),
        JSON.stringify(changes.slice(0, 3)),
    );
    // Both in one picture: two bars for each tile and each step, beside the table, whose largest change is first.
    const pictures = await page.evaluate(() => window.tilewright.charts);
    const held = (p) => {
        const sums = new Array(p.graph.target.numTiles).fill(0);
        p.graph.memory.byTile.totalIncludingGaps.forEach((v, t) => (sums[t] += v));
        return sums;
    };
    const busy = (p) => {
        const sums = new Array(p.graph.target.numTiles).fill(0);
        for (const s of p.execution.simulation.plan)
            if (s.activeCyclesByTile && s.type !== 'Sync')
                s.activeCyclesByTile.forEach((v, t) => (sums[t] += v * s.executions));
        return sums;
    };
    // 1,472 tiles are 1,200 bars: each the fullest of its tiles
    const folded = (row) =>
        Array.from({ length: 1200 }, (_, i) =>
            Math.max(...row.slice(Math.floor((i * 1472) / 1200), Math.floor(((i + 1) * 1472) / 1200))),
        );
    assert.deepEqual(pictures['compare-memory'], [folded(held(old)), folded(held(fresh))]);
    assert.deepEqual(pictures['compare-busy'], [folded(busy(old)), folded(busy(fresh))]);
    assert.deepEqual(
        pictures['sides-step'].find(([name]) => name === 'step'),
        ['step', total(old), total(fresh)],
    );
    const weights = await page.evaluate(() => {
        const { diff } = window.tilewright.report;
        return Array.from(window.tilewright.tables.diff.order(), (i) => diff[i].weight);
    });
    assert.ok(weights.length > 5);
    for (let i = 1; i < weights.length; i++) assert.ok(weights[i - 1] >= weights[i]);
    const cycles = await page.$eval('[data-diff=cycles]', (e) => e.textContent);
    assert.ok(cycles.includes(old.execution.simulation.cycles.toLocaleString('en-US')));
    assert.ok(cycles.includes(fresh.execution.simulation.cycles.toLocaleString('en-US')));
    await page.select('#which', '1');
    await page.evaluate(() => {
        location.hash = '#view=summary&p=b';
    });
    await page.waitForFunction(
        (text) => document.querySelector('#view').textContent.includes(text),
        {},
        fresh.execution.simulation.cycles.toLocaleString('en-US'),
    );
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

it('of different machines it warns, of the same it does not', async () => {
    run('run', '--profile', 'add.json', path.join(source, 'examples/pto/fifo/fifo.c'));
    run('report', 'old.json', 'add.json', '-o', 'machines.html');
    for (const [file, warns] of [
        ['machines.html', 1],
        ['both.html', 0],
    ]) {
        const page = await open(path.join(work, file), { hash: '#view=compare' });
        await ready(page);
        const texts = await page.$$eval('.warning', (all) => all.map((w) => w.textContent));
        assert.equal(texts.length, warns);
        if (warns) assert.match(texts[0], /IPU MODEL.*ASCEND PTO.*do not compare/);
        assert.equal((await page.$$('.answer')).length, 1 - warns);
        await page.close();
    }
});
