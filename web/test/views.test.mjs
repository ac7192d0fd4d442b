// SPDX-License-Identifier: MIT
// Every view in a browser: the figures that charts and tables were given are those of the profile's JSON, links lead
// somewhere, keys work, and nothing is reported wrong on any page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { close, open, ready, settle, shoot, show } from './browser.mjs';

const source = process.env.SOURCE ?? path.join(path.dirname(new URL(import.meta.url).pathname), '../..');
const tilewright = process.env.TILEWRIGHT ?? path.join(source, 'build/release/bin/tilewright');
const work = process.env.WORK ?? mkdtempSync(path.join(tmpdir(), 'tilewright-report-'));
const at = (name) => path.join(work, name);
const run = (...args) => execFileSync(tilewright, args, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] });
const json = (name) => JSON.parse(readFileSync(at(name), 'utf8'));

// Kernels of an array, each of which feeds the next one.
function chain(length) {
    const all = (count, value) => Array.from({ length: count }, typeof value === 'function' ? value : () => value);
    const nodes = { nodeTile: (_, i) => 80 + i, nodeRuns: 4, nodeCycles: 200, nodeWaits: 0 };
    const wires = { wireBytes: 512, wireMessages: 4, wireHolds: 128, wireBlocks: 2, wireReaderWaits: 0 };
    const columns = {
        ...wires,
        wireKind: length + 1,
        wireWriterWaits: 0,
        wireFrom: (_, i) => i,
        wireTo: (_, i) => i + 1,
    };
    return {
        names: [...all(length, (_, i) => `link ${i}`), 'kernel', 'window'],
        nodeName: all(length, (_, i) => i),
        nodeKind: all(length, length),
        ...Object.fromEntries(Object.entries(nodes).map(([key, value]) => [key, all(length, value)])),
        ...Object.fromEntries(Object.entries(columns).map(([key, value]) => [key, all(length - 1, value)])),
    };
}

before(() => {
    const flash = path.join(source, 'examples/pto/flash_attention/flash_attention.pto');
    const arrays = ['q=f16[16x32]', 'kt=f16[32x128]', 'v=f16[128x32]', 'o=f32[16x32]', 'fill=true'];
    run('run', '--profile', 'heat.json', path.join(source, 'examples/poplar/heat/heat.c'), 'heat.ppm');
    run('pto', 'run', flash, ...arrays.flatMap((a) => ['--arg', a]), '--profile=flash.json');
    run('run', '--profile', 'aie.json', path.join(source, 'examples/aie/cascade.c'));
    run(
        'csl',
        'run',
        path.join(source, 'examples/csl/stencil/layout.csl'),
        '--launch',
        'run,4',
        '--profile',
        'csl.json',
    );
    run('run', '--profile', 'fifo.json', path.join(source, 'examples/pto/fifo/fifo.c'));
    for (const name of ['heat', 'flash', 'aie', 'csl', 'fifo']) run('report', `${name}.json`, '-o', `${name}.html`);
    const golden = path.join(source, 'tests/golden');
    run(
        'report',
        ...['--graph-profile', path.join(golden, 'profile_graph.json')],
        ...['--execution-profile', path.join(golden, 'profile_execution.json')],
        ...['-o', 'guide.html'],
    );
    run('report', path.join(golden, 'profile_graph.json'), '-o', 'graph.html');
    for (const length of [8, 60]) {
        const long = json('aie.json');
        long.execution.dataflow = chain(length);
        writeFileSync(at(`chain${length}.json`), JSON.stringify(long));
        run('report', `chain${length}.json`, '-o', `chain${length}.html`);
    }
    writeFileSync(at('execution.json'), JSON.stringify(json('heat.json').execution));
    run('report', 'execution.json', '-o', 'execution.html');
});
after(close);

// guide 8.2.3, over all tiles: compute with idle threads, exchange, host exchange, sync
const GUIDE_CYCLES = [1933324, 482221, 4194423, 58852900];
const VIEWS = ['summary', 'memory', 'program', 'time', 'kernels', 'motion', 'graph', 'compare'];
const TABS = {
    memory: ['tiles', 'map', 'variables', 'vertices', 'liveness'],
    time: ['line', 'tiles', 'grid', 'waits'],
    program: ['tree', 'names'],
    kernels: ['kinds', 'lines'],
};

// What does not say how sure it is, or what it means, on hover: figures, panels with a chart, tables, columns of
// numbers, rows of facts. What is absent says so in a sentence.
const unexplained = (page) =>
    page.evaluate(() => {
        const sure = (e) => [...e.querySelectorAll('.fidelity')].some((f) => f.title);
        const all = (selector) => [...document.querySelectorAll(`#view ${selector}`)];
        const heads = (table) => [...table.querySelectorAll('[role=columnheader]')];
        return [
            ...all('.figure').filter((f) => !f.title || !sure(f)),
            ...all('.panel').filter((p) => p.querySelector('.chart') && !sure(p)),
            ...all('.table').filter(
                (t) =>
                    !sure(t) &&
                    !sure(t.closest('.panel') ?? t) &&
                    !heads(t).some((c) => c.textContent.startsWith('Figures')),
            ),
            ...all('.table [role=columnheader].number').filter((c) => !c.title),
            ...all('.facts tr').filter((r) => !r.title),
            ...all('.absent').filter((a) => a.textContent.split(' ').length < 4),
        ].map((e) => e.textContent.slice(0, 80));
    });

const IN_THE_DARK = ['heat', 'fifo', 'aie', 'csl']; // one of each machine

describe('every view of every machine', () => {
    for (const name of ['heat', 'flash', 'fifo', 'aie', 'csl', 'guide', 'graph', 'execution'])
        for (const dark of [false, true])
            it(`${name}${dark ? ', dark' : ''}`, { skip: dark && !IN_THE_DARK.includes(name) }, async () => {
                const page = await open(at(`${name}.html`), { dark });
                await ready(page);
                for (const view of VIEWS)
                    for (const tab of TABS[view] ?? [null]) {
                        await show(page, `#view=${view}${tab ? `&tab=${tab}` : ''}`);
                        assert.equal(await page.$('p.error'), null, `${view} ${tab}`);
                        assert.equal(await page.$eval('nav a[aria-current="page"]', (a) => a.dataset.view), view);
                        const empty = await page.evaluate(
                            () => document.querySelector('#view').textContent.trim().length < 20,
                        );
                        assert.ok(!empty, `${view} ${tab} says nothing`);
                        assert.deepEqual(await unexplained(page), [], `${view} ${tab}`);
                        const blank = await page.evaluate(() =>
                            [...document.querySelectorAll('.chart canvas')].some((c) => !c.width || !c.height),
                        );
                        assert.ok(!blank, `${view} ${tab}: a chart without a size`);
                        assert.ok(await page.$('#view :is(.answer, .absent)'), `${view} ${tab}: no answer`);
                        const short = await page.$$eval('#view :is(.cell.number, .head .cell)', (cells) =>
                            cells.filter((c) => c.scrollWidth > c.clientWidth).map((c) => c.textContent),
                        );
                        assert.deepEqual(short, [], `${view} ${tab}: cut off`);
                        if (dark) assert.deepEqual(await faint(page), [], `${view} ${tab}`);
                        if (process.env.TW_SHOTS)
                            await shoot(page, [name, view, tab, dark && 'dark'].filter(Boolean).join('-'));
                    }
                assert.deepEqual(await page.wrongs(), []);
                await page.close();
            });
});

it('the balance of threads is of machines that have some', async () => {
    for (const name of ['heat', 'flash', 'aie', 'csl']) {
        const page = await open(at(`${name}.html`));
        await ready(page);
        const text = await page.$eval('#view', (v) => v.textContent);
        assert.equal(text.includes('Thread balance'), name === 'heat', name);
        await page.close();
    }
});

it('one core has no grid to be drawn, and says so', async () => {
    const page = await open(at('flash.html'), { hash: '#view=time&tab=grid' });
    await ready(page);
    assert.match(await page.$eval('#view .absent', (e) => e.textContent), /^One core: /);
    assert.equal(await page.$('#view .chart'), null);
    await page.close();
});

// Text that stands out too little from what is behind it (WCAG 2.2, 1.4.3: 4.5 to 1), in the page and in charts.
const faint = (page) =>
    page.evaluate(() => {
        const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const rgba = (colour) => {
            pen.clearRect(0, 0, 1, 1);
            pen.fillStyle = colour;
            pen.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
            return [r, g, b, a / 255];
        };
        const over = (top, below) => top.map((v, k) => (k < 3 ? v * top[3] + below[k] * (1 - top[3]) : 1));
        const light = (colour) => {
            const [r, g, b] = colour.map((v) =>
                v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
            );
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (text, back) => {
            const [low, high] = [light(over(text, back)), light(back)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
        };
        const chain = (e) => (e ? [...chain(e.parentElement), e] : []);
        const behind = (e) =>
            chain(e).reduce((back, x) => over(rgba(getComputedStyle(x).backgroundColor), back), [255, 255, 255, 1]);
        const wrong = [];
        for (const e of document.querySelectorAll('header *, #view *')) {
            const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
            if (!own || e.tagName === 'OPTION') continue;
            const text = rgba(getComputedStyle(e).color);
            text[3] *= chain(e).reduce((o, x) => o * Number(getComputedStyle(x).opacity), 1);
            const ratio = contrast(text, behind(e));
            if (ratio < 4.5) wrong.push(`${e.textContent.slice(0, 40)}: ${ratio.toFixed(2)}`);
        }
        for (const [id, texts] of Object.entries(window.tilewright.textsOfCharts?.() ?? {}))
            for (const [text, colour] of texts) {
                const ratio = contrast(rgba(colour), behind(document.querySelector(`[data-chart="${id}"]`)));
                if (ratio < 4.5) wrong.push(`${id}: ${text}: ${ratio.toFixed(2)}`);
            }
        return wrong;
    });

describe('on a telephone', () => {
    for (const name of ['heat', 'flash', 'fifo', 'aie', 'csl', 'guide'])
        it(`${name}: no view scrolls sideways`, async () => {
            const page = await open(at(`${name}.html`), { width: 390 });
            await ready(page);
            const rows = await page.$$eval('header > *, nav > a', (all) =>
                all.filter((e) => e.offsetParent).map((e) => e.getBoundingClientRect().top),
            );
            assert.ok(
                Math.max(...rows) < 110,
                `the head has ${Math.max(...rows)} lines of pixels before its last row`,
            );
            for (const view of [...VIEWS, 'all'])
                for (const tab of TABS[view] ?? [null]) {
                    await show(page, `#view=${view}${tab ? `&tab=${tab}` : ''}`);
                    const [wide, room] = await page.evaluate(() => [
                        document.documentElement.scrollWidth,
                        window.innerWidth,
                    ]);
                    assert.ok(wide <= room && room === 390, `${view} ${tab}: ${wide} of ${room}`);
                }
            assert.deepEqual(await page.wrongs(), []);
            await page.close();
        });
});

describe('on a telephone', () => {
    it('a legend has all its names, and the search says what it is', async () => {
        const page = await open(at('heat.html'), { hash: '#view=memory', width: 390 });
        await ready(page);
        const texts = await page.evaluate(() => window.tilewright.textsOfCharts()['memory-tiles'].map(([t]) => t));
        const { categories } = await page.evaluate(() => ({
            categories: window.tilewright.report.profiles[0].categories.map((c) => c.label),
        }));
        const used = categories.filter((c) => texts.includes(c));
        assert.ok(used.length > 5, `${used} of ${categories}`);
        assert.equal(await page.$eval('#search', (s) => s.placeholder), 'Search');
        await page.close();
    });

    it('a grid has the width of the screen, its scale below it', async () => {
        const page = await open(at('aie.html'), { hash: '#view=time&tab=grid', width: 390 });
        await ready(page);
        const { left, width } = await page.evaluate(() => window.tilewright.areaOf('grid'));
        const room = await page.$eval('[data-chart=grid]', (box) => box.clientWidth);
        assert.ok(left + width > room - 20, `${left} + ${width} of ${room}`);
        await page.close();
    });
});

it('tiles that did nothing have no colour; the least of the others stands out, also in the dark', async () => {
    const page = await open(at('aie.html'), { hash: '#view=time&tab=grid', dark: true });
    await ready(page);
    const { values, empty, scale } = await page.evaluate(() => window.tilewright.charts.grid);
    assert.equal(empty, values.filter((v) => v === 0).length);
    assert.ok(empty > 0);
    assert.match(await page.$eval('.panel .note', (n) => n.textContent), /tile\. Without a colour: 0\./);
    const light = (hex) => {
        const [r, g, b] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
        const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    };
    const behind = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--panel'));
    // WCAG 2.2, 1.4.11: 3 to 1
    for (const colour of scale) assert.ok((light(colour) + 0.05) / (light(behind.trim()) + 0.05) >= 3, colour);
    await page.close();
});

it('the strip of Motion is as high as the most tiles that do something', async () => {
    const page = await open(at('aie.html'), { hash: '#view=motion' });
    await ready(page);
    assert.equal(await page.evaluate(() => window.tilewright.charts['motion-strip'].most), 2);
    await page.close();
});

describe('a graph of kernels', () => {
    it('is seen as a whole where its words can still be read', async () => {
        const page = await open(at('chain8.html'), { hash: '#view=graph', width: 1000 });
        await ready(page);
        const drawn = () => page.evaluate(() => window.tilewright.charts.graph);
        const { size } = await drawn();
        const outside = await page.$eval('[data-chart=graph]', (box) => innerWidth - box.clientWidth);
        await page.$eval('main', (main) => (main.style.maxWidth = 'none'));
        await page.setViewport({ width: Math.round(0.8 * size[0]) + outside, height: 800 });
        await settle(page);
        const { scale, corner, down } = await drawn();
        assert.ok(!down && scale > 0.75 && scale < 0.85, `${scale}`);
        assert.equal(corner[0], 0);
        await page.close();
    });

    it('has the boxes and connections of the profile, and keys go along them', async () => {
        const { names, nodeName, wireFrom, wireTo, wireKind, wireBytes, wireBlocks, wireHolds } =
            json('aie.json').execution.dataflow;
        const page = await open(at('aie.html'), { hash: '#view=graph' });
        await ready(page);
        const drawn = () => page.evaluate(() => window.tilewright.charts.graph);
        const { nodes, wires, down } = await drawn();
        assert.deepEqual(
            nodes,
            nodeName.map((i) => names[i]),
        );
        assert.deepEqual(
            wires,
            wireFrom.map((from, i) => [from, wireTo[i], names[wireKind[i]], wireBytes[i]]),
        );
        const cascade = wireKind.findIndex((i) => names[i] === 'cascade');
        assert.equal(wireHolds[cascade] * wireBlocks[cascade], 4 * 48);
        assert.equal(down, false);
        await page.focus('[data-chart=graph]');
        await page.keyboard.press('ArrowRight');
        assert.equal((await drawn()).chosen, 0);
        await page.keyboard.press('ArrowRight');
        assert.equal((await drawn()).chosen, wireTo[cascade], 'the second half, by the cascade');
        assert.match(await page.evaluate(() => location.hash), /node=1/);
        assert.match(await page.$eval('.detail', (d) => d.textContent), /from first half ?cascade/);
        const { scale } = await drawn();
        await page.keyboard.press('+');
        assert.ok((await drawn()).scale > scale);
        assert.match(await page.$eval('.answer', (a) => a.textContent), /works \d+ % of the time.*2 kernels/);
        assert.deepEqual(await page.wrongs(), []);
        await page.close();
    });
});

describe('a graph of kernels on a telephone', () => {
    it('is drawn in words that can be read, and moved; all of it is one key away', async () => {
        const page = await open(at('aie.html'), { hash: '#view=graph', width: 390 });
        await ready(page);
        const drawn = () => page.evaluate(() => window.tilewright.charts.graph);
        const first = await drawn();
        const room = await page.$eval('[data-chart=graph]', (box) => box.clientWidth);
        assert.ok(first.down && first.scale * 10 >= 9, `${first.scale}`);
        await page.focus('[data-chart=graph]');
        await page.keyboard.press('d');
        assert.equal((await drawn()).corner[0], first.corner[0] - 60);
        await page.keyboard.press('ArrowRight');
        const { at: places, corner, scale, chosen } = await drawn();
        assert.ok(places[chosen][0] * scale + corner[0] < room, 'the chosen box is in sight');
        await page.keyboard.press('0');
        const all = await drawn();
        assert.ok(all.size[0] * all.scale <= room && all.corner[0] === 0);
        assert.deepEqual(await page.wrongs(), []);
        await page.close();
    });
});

describe('a long graph', () => {
    const drawn = (page) => page.evaluate(() => window.tilewright.charts.graph);
    const sizes = (page) =>
        page.$eval('[data-chart=graph] canvas', (c) => ({ high: c.clientHeight, touch: c.style.touchAction }));

    it('+ makes it larger where it begins far beyond what fits, and - smaller', async () => {
        const page = await open(at('chain60.html'), { hash: '#view=graph', width: 1000 });
        await ready(page);
        await page.focus('[data-chart=graph]');
        const { scale, size } = await drawn(page);
        const room = await page.$eval('[data-chart=graph]', (box) => box.clientWidth);
        assert.ok(scale > (6 * room) / size[0], 'the case in question');
        await page.keyboard.press('+');
        assert.ok(Math.abs((await drawn(page)).scale - 1.25 * scale) < 1e-6);
        await page.keyboard.press('-');
        assert.ok(Math.abs((await drawn(page)).scale - scale) < 1e-6);
        await page.close();
    });

    it('on a telephone the page goes along it; of a longer one, or a larger, a finger moves what is out of sight', async () => {
        let page = await open(at('chain8.html'), { hash: '#view=graph', width: 390 });
        await ready(page);
        const { scale, size, down } = await drawn(page);
        const { high, touch } = await sizes(page);
        assert.ok(down && high > 700 && high >= size[1] * scale, `${high} ${size[1] * scale}`);
        assert.equal(touch, 'pan-y');
        await page.focus('[data-chart=graph]');
        await page.keyboard.press('+');
        assert.ok((await sizes(page)).high >= size[1] * (await drawn(page)).scale);
        for (let i = 0; i < 8; i++) await page.keyboard.press('+');
        assert.ok((await sizes(page)).high <= high && (await sizes(page)).touch === 'none');
        await page.close();
        page = await open(at('chain60.html'), { hash: '#view=graph', width: 390 });
        await ready(page);
        assert.deepEqual(await sizes(page), { high: 700, touch: 'none' });
        await page.close();
    });
});

describe('words', () => {
    const head = (page, table, column) =>
        page.$eval(
            `[data-table=${table}]`,
            (t, k) => [...t.querySelectorAll('[role=columnheader]')].find((c) => c.textContent.startsWith(k)).title,
            column,
        );

    it('one title may mean two things: a sender, and the cycle of a begin', async () => {
        const page = await open(at('csl.html'), { hash: '#view=time&tab=waits' });
        await ready(page);
        assert.match(await head(page, 'pairs', 'From'), /sends/);
        await show(page, '#view=time');
        assert.match(await head(page, 'intervals', 'From'), /Cycle/);
        assert.match(await head(page, 'intervals', 'Cycles'), /begin to end/);
        await page.close();
    });

    it('exchanges have the names of their steps, and steps of one name have numbers', async () => {
        const { graph, execution } = json('heat.json');
        const page = await open(at('heat.html'), { hash: '#view=time&tab=waits' });
        await ready(page);
        const csv = (id) => page.evaluate((t) => window.tilewright.tables[t].csv().trim().split('\n').slice(1), id);
        const lines = await csv('exchanges');
        assert.equal(lines.length, graph.exchanges.bytesSentByTile.length);
        const names = graph.programs.filter((p) => p.exchange !== undefined && p.name).map((p) => p.name);
        for (const name of names)
            assert.ok(
                lines.some((line) => line.startsWith(`${name},`)),
                name,
            );
        assert.equal(new Set(lines.map((line) => line.split(',')[0])).size, lines.length, lines.join('\n'));
        await show(page, '#view=time');
        const steps = (await csv('steps')).map((line) => line.split(',')[0]);
        assert.equal(steps.length, execution.simulation.plan.length);
        assert.equal(new Set(steps).size, steps.length, steps.join('\n'));
        await page.close();
    });

    it('what a machine does not know is absent, not nothing and not zero', async () => {
        const page = await open(at('csl.html'), { hash: '#view=time&tab=waits' });
        await ready(page);
        const titles = await page.$$eval('[data-table=waits] [role=columnheader]', (all) =>
            all.map((c) => c.textContent),
        );
        assert.ok(!titles.some((title) => title.startsWith('For')), titles.join());
        assert.match(await page.$eval('#view', (v) => v.textContent), /Whom each waited for is absent/);
        await page.close();
        const changed = json('heat.json');
        delete changed.graph.exchanges.bytesReceivedByTile;
        writeFileSync(at('unreceived.json'), JSON.stringify(changed));
        run('report', 'unreceived.json', '-o', 'unreceived.html');
        const other = await open(at('unreceived.html'), { hash: '#view=time&tab=waits' });
        await ready(other);
        const received = await other.evaluate(() =>
            window.tilewright.tables.exchanges
                .csv()
                .trim()
                .split('\n')
                .slice(1)
                .map((line) => line.split(',')[2]),
        );
        assert.deepEqual([...new Set(received)], ['absent']);
        assert.match(await other.$eval('[data-table=exchanges] .rows', (t) => t.textContent), /absent/);
        await other.close();
    });

    it('the balance is of the tiles in use, and those unused are counted', async () => {
        const { graph, execution } = json('aie.json');
        const busy = new Array(graph.target.numTiles).fill(0);
        for (const step of execution.simulation.plan)
            step.activeCyclesByTile?.forEach((v, t) => (busy[t] += v * step.executions));
        const used = busy.filter((v) => v > 0);
        const share = used.reduce((sum, v) => sum + v, 0) / (execution.simulation.cycles * used.length);
        const page = await open(at('aie.html'));
        await ready(page);
        const shown = await page.$eval('[data-figure=usedBalance]', (b) => b.textContent);
        assert.equal(shown, `${(share * 100).toFixed(1)} %`);
        const text = await page.$eval('.answer', (a) => a.textContent);
        assert.match(text, new RegExp(`${used.length} tiles of 400 are in use, ${400 - used.length} are not`));
        const shares = await page.evaluate(() => window.tilewright.charts['time-shares']);
        const cycles = shares.reduce((sum, [, n]) => sum + n, 0);
        assert.equal(cycles, execution.simulation.cycles * used.length);
        await show(page, '#view=time');
        const row = await page.$eval('[data-table=steps] .rows .row', (r) => r.textContent);
        assert.ok(row.includes(`${(share * 100).toFixed(1)} %`), row);
        await page.close();
    });

    it('tiles that hold nothing do not hide those that do; where all hold the same a sentence says so', async () => {
        const { graph } = json('aie.json');
        const bytes = new Map();
        const categories = graph.memory.byCategory;
        for (const regions of Object.values(categories))
            for (const overlaps of Object.values(regions))
                for (const row of Object.values(overlaps))
                    row.forEach?.((v, t) => v && bytes.set(t, (bytes.get(t) ?? 0) + v));
        assert.equal(bytes.size, 2);
        let page = await open(at('aie.html'));
        await ready(page);
        const bars = await page.evaluate(() => window.tilewright.charts['memory-histogram']);
        assert.equal(
            bars.reduce((sum, n) => sum + n, 0),
            bytes.size,
        );
        assert.match(await page.$eval('[data-note=memory]', (n) => n.textContent), /^398 of 400 tiles are empty/);
        await page.close();
        const same = json('aie.json');
        for (const regions of Object.values(same.graph.memory.byCategory))
            for (const overlaps of Object.values(regions))
                for (const row of Object.values(overlaps))
                    if (Array.isArray(row)) for (const t of bytes.keys()) if (row[t]) row[t] = 640;
        writeFileSync(at('same.json'), JSON.stringify(same));
        run('report', 'same.json', '-o', 'same.html');
        page = await open(at('same.html'));
        await ready(page);
        const text = await page.$eval('[data-note=memory]', (n) => n.textContent);
        assert.match(text, /^2 tiles, 1\.3 KiB each\. 398 of 400 tiles are empty\.$/);
        assert.equal(await page.evaluate(() => window.tilewright.charts['memory-histogram']), undefined);
        await page.close();
    });

    it('answers are computed from the figures', async () => {
        const { execution } = json('csl.json');
        const { names } = execution.vertexTypes;
        const cycles = execution.simulation.cyclesByVertexType;
        const top = cycles.indexOf(Math.max(...cycles));
        const all = cycles.reduce((sum, v) => sum + v, 0);
        const page = await open(at('csl.html'));
        await ready(page);
        const text = await page.$eval('.answer', (a) => a.textContent);
        assert.ok(text.includes(`“${names[top]}” takes ${((cycles[top] / all) * 100).toFixed(0)} %`), text);
        const { compute } = execution.simulation.tileCycles;
        const share = compute / (execution.simulation.cycles * execution.target.numTiles);
        assert.ok(text.includes(`${(share * 100).toFixed(0)} % of the time of all PEs`), text);
        await page.close();
    });

    it('no words of the run-time, and edges of bins are whole', async () => {
        const page = await open(at('heat.html'));
        await ready(page);
        const text = await page.$eval('#view', (v) => v.textContent);
        assert.doesNotMatch(text, /planSteps|copyBlocks|controlInstructions/);
        const edges = await page.evaluate(() => window.tilewright.labelsOf('memory-histogram', 'xAxis'));
        assert.ok(edges.length > 2);
        for (const edge of edges) assert.match(edge, /^(\d+ B|\d+(\.[05])? [KMG]iB|\d+ [KMG]iB)$/);
        await page.close();
        const tasks = await open(at('csl.html'), { hash: '#view=time' });
        await ready(tasks);
        assert.doesNotMatch(await tasks.$eval('#view', (v) => v.textContent), /OnTileExecute|DoExchange/);
        await tasks.close();
    });
});

describe('figures', () => {
    it('the guide’s sample shows the guide’s figures', async () => {
        const page = await open(at('guide.html'));
        await ready(page);
        const text = await page.$eval('#view', (v) => v.textContent);
        for (const part of ['54,202', '2.9 %', '91.5 %', '1,216', '5,564', '47,973', '18,564'])
            assert.ok(text.includes(part), `${part} is not in the summary`);
        const shares = await page.evaluate(() => window.tilewright.charts['time-shares']);

        const of = (title) => shares.find(([label]) => label === title)[1];
        assert.deepEqual(['Compute', 'Exchange', 'Host copy', 'Sync and waiting'].map(of), GUIDE_CYCLES);
        await page.close();
    });

    it('what lies where in a PTO core, and what its pipes wait for', async () => {
        const { graph, execution } = json('flash.json');
        const { map } = graph.memory;
        const page = await open(at('flash.html'), { hash: '#view=memory&tab=map' });
        await ready(page);
        for (const memory of ['UB', 'L1']) {
            await page.select('#memory', memory);
            await page.waitForFunction((m) => location.hash.includes(`memory=${m}`), {}, memory);
            await settle(page);
            const blocks = await page.evaluate(() => window.tilewright.charts.map);
            const wanted = map.address
                .map((address, i) => [map.names[map.name[i]], address, map.bytes[i], map.names[map.category[i]]])
                .filter((row) => row[3] === memory);
            assert.deepEqual(blocks.map((b) => [b[1], b[2]]).sort(), wanted.map((b) => [b[1], b[2]]).sort());
            assert.ok(blocks.length > 1);
        }
        await show(page, '#view=time&tab=waits');
        const text = await page.$eval('[data-table=waits]', (t) => t.textContent);
        const { intervals } = execution;
        assert.ok(intervals.waitCycles.length > 3);
        assert.ok(text.includes(intervals.names[intervals.waitCause[0]]), text.slice(0, 200));
        assert.deepEqual(await page.wrongs(), []);
        await page.close();
    });

    it('workers of a step and live bytes of a tile', async () => {
        const { graph, execution } = json('heat.json');
        const { plan } = execution.simulation;
        const step = plan.findIndex((s) => s.work);
        const page = await open(at('heat.html'), { hash: `#view=time&step=${step}` });
        await ready(page);
        const workers = await page.evaluate(() => window.tilewright.charts.workers);
        assert.deepEqual(
            workers,
            plan[step].work.worker.map((w, i) => [w - 1, plan[step].work.from[i], plan[step].work.to[i]]),
        );
        await show(page, '#view=memory&tab=liveness&tile=0');
        const { live } = await page.evaluate(() => window.tilewright.charts.liveness);
        const always = graph.memory.liveness.alwaysLive.bytesByTile[0];
        assert.deepEqual(
            live,
            graph.memory.liveness.programs.map((p) => always + (p.bytesByTile[0] ?? 0)),
        );
        await show(page, '#view=time&tab=waits');
        const pairs = await page.$eval('[data-table=pairs]', (t) => t.textContent);
        assert.match(pairs, /B|KiB/);
        assert.deepEqual(await page.wrongs(), []);
        await page.close();
    });

    it('locks, windows and streams of arrays, tasks of PEs are lanes', async () => {
        for (const [name, part] of [
            ['aie', /cascade|stream|window/],
            ['csl', /tasks/],
        ]) {
            const page = await open(at(`${name}.html`), { hash: '#view=time' });
            await ready(page);
            const { intervals, lanes } = await page.evaluate(() => window.tilewright.charts.intervals);
            assert.equal(intervals, json(`${name}.json`).execution.intervals.from.length);
            assert.ok(
                lanes.some((lane) => part.test(lane)),
                lanes.join('; '),
            );
            await show(page, '#view=memory&tab=map');
            const blocks = await page.evaluate(() => window.tilewright.charts.map);
            assert.ok(blocks.length > 0);
            await page.close();
        }
    });

    it('memory by tile, kernels and cycles are those of the JSON', async () => {
        const { graph, execution } = json('heat.json');
        const page = await open(at('heat.html'), { hash: '#view=memory' });
        await ready(page);
        const shown = await page.evaluate(() => window.tilewright.charts['memory-tiles']);
        const sums = new Array(graph.target.numTiles).fill(0);
        for (const category of Object.values(graph.memory.byCategory))
            for (const region of Object.values(category))
                if (typeof region === 'object')
                    for (const row of Object.values(region)) row.forEach((v, t) => (sums[t] += v));
        assert.deepEqual(shown.total, sums);

        await show(page, '#view=kernels');
        const kernels = await page.evaluate(() => window.tilewright.charts.kernels);
        const cycles = execution.simulation.cyclesByVertexType;
        for (const [name, value] of kernels) {
            const same = execution.vertexTypes.names
                .map((n, i) => (n === name ? cycles[i] : null))
                .filter((v) => v !== null);
            assert.ok(same.includes(value), `${name} ${value}`);
        }
        assert.equal(kernels[0][1], Math.max(...cycles));

        await show(page, '#view=time&tab=tiles');
        const busy = await page.evaluate(() => window.tilewright.charts['busy-tiles'].total);
        const counted = new Array(busy.length).fill(0);
        for (const step of execution.simulation.plan)
            if (step.activeCyclesByTile && step.type !== 'Sync')
                step.activeCyclesByTile.forEach((v, t) => (counted[t] += v * step.executions));
        assert.deepEqual(busy, counted);

        await show(page, '#view=time');
        const end = await page.evaluate(() => window.tilewright.charts.timeline.end);
        assert.equal(end, execution.simulation.cycles);
        await page.close();
    });

    it('counters below the time lines are those of the JSON', async () => {
        const { graph, execution } = json('heat.json');
        const page = await open(at('heat.html'), { hash: '#view=time' });
        await ready(page);
        const { counters } = await page.evaluate(() => window.tilewright.charts.timeline);
        const { memory } = graph;
        const always = memory.liveness.alwaysLive.variables.reduce((sum, v) => sum + v.bytes, 0);
        const run = new Set(execution.simulation.plan.filter((s) => s.executions).map((s) => s.program));
        const live = memory.liveness.programs
            .filter((p) => run.has(p.program))
            .map((p) => always + p.vars.reduce((sum, v) => sum + v.bytes, 0));
        const { plan } = execution.simulation;
        const sum = (row) => (Array.isArray(row) ? row.reduce((a, b) => a + b, 0) : (row ?? 0));
        const rates = plan.map((s) => sum(s.dataByTile) / Math.max(1, s.cycles));
        assert.deepEqual(counters, [
            ['live bytes', Math.max(...live)],
            ['moved', Math.max(...rates)],
            ['active tiles', graph.target.numTiles],
        ]);
        await page.close();
    });

    it('a core is called so, also where there is one', async () => {
        const page = await open(at('flash.html'), { hash: '#view=memory' });
        await ready(page);
        const text = (selector) => page.$eval(selector, (e) => e.textContent);
        assert.match(await text('.tabs'), /By core.*Map of a core/);
        assert.match(await text('.answer'), /\? Core 0 holds most/);
        await show(page, '#view=motion');
        assert.match(await text('.answer'), /Most waiting is for /);
        assert.match(await text('#view'), /of 1 core (1 works|0 work), /);
        await page.close();
    });

    it('memory of a PTO core over time, and lanes at work', async () => {
        const { graph, execution } = json('flash.json');
        const { map } = graph.memory;
        const page = await open(at('flash.html'), { hash: '#view=memory&tab=liveness&memory=UB' });
        await ready(page);
        const { held, at: moments, peak } = await page.evaluate(() => window.tilewright.charts.holds);
        const blocks = map.address
            .map((address, i) => ({ address, bytes: map.bytes[i], from: map.from[i] - 1, to: map.to[i] - 1, i }))
            .filter((b) => map.names[map.category[b.i]] === 'UB');
        // Bytes of addresses that somebody holds, one by one.
        const heldAt = (cycle) => {
            const bytes = new Set();
            for (const b of blocks)
                if (b.from <= cycle && cycle < b.to) for (let k = 0; k < b.bytes; k++) bytes.add(b.address + k);
            return bytes.size;
        };
        moments.forEach((cycle, k) => assert.equal(held[k], heldAt(cycle), `cycle ${cycle}`));
        assert.equal(heldAt(peak), Math.max(...held));
        const rows = await page.evaluate(() => window.tilewright.tables.held.order().length);
        assert.equal(rows, blocks.filter((b) => b.from <= peak && peak < b.to).length);
        await show(page, '#view=memory&tab=liveness&memory=L1&at=100');
        assert.match(await page.$eval('[data-table=held]', (t) => t.getAttribute('aria-label')), /L1 at cycle 100/);

        await show(page, '#view=time');
        const { counters } = await page.evaluate(() => window.tilewright.charts.intervals);
        const { intervals } = execution;
        let most = 0;
        for (const cycle of intervals.from) {
            let working = 0;
            intervals.from.forEach((from, i) => {
                if (!intervals.names[intervals.cause[i]] && from <= cycle && cycle < intervals.to[i]) working++;
            });
            most = Math.max(most, working);
        }
        assert.equal(counters.find(([title]) => title === 'lanes at work')[1], most);
        assert.deepEqual(
            counters.find(([title]) => title === 'UB'),
            ['UB', Math.max(...held), peak],
        );
        assert.deepEqual(await page.wrongs(), []);
        await page.close();
    });

    it('who sends to whom through FIFOs of PTO cores', async () => {
        const { exchangePairs } = json('fifo.json').graph;
        const page = await open(at('fifo.html'), { hash: '#view=time&tab=waits' });
        await ready(page);
        const csv = await page.evaluate(() => window.tilewright.tables.pairs.csv());
        const [head, ...lines] = csv.trim().split('\n');
        assert.match(head, /From,To,By,Bytes,Messages/);
        assert.equal(lines.length, exchangePairs.bytes.length);
        exchangePairs.bytes.forEach((bytes, i) => {
            const name = exchangePairs.names[exchangePairs.name[i]];
            const wanted = `core ${exchangePairs.from[i]},core ${exchangePairs.to[i]},${name},${bytes},`;
            assert.ok(
                lines.some((line) => line.startsWith(wanted)),
                wanted,
            );
        });
        await page.close();
    });

    it('a run is as long as what ran, and nothing is busier than it', async () => {
        for (const name of ['flash', 'fifo', 'aie', 'csl']) {
            const { intervals, simulation } = json(`${name}.json`).execution;
            assert.equal(simulation.cycles, Math.max(...intervals.to), name);
            for (const step of simulation.plan)
                for (const active of step.activeCyclesByTile ?? []) assert.ok(active <= step.cycles, name);
        }
    });

    it('liveness has the peak of the JSON', async () => {
        const { memory } = json('heat.json').graph;
        const page = await open(at('heat.html'), { hash: '#view=memory&tab=liveness' });
        await ready(page);
        const shown = await page.evaluate(() => window.tilewright.charts.liveness);
        const always = memory.liveness.alwaysLive.variables.reduce((sum, v) => sum + v.bytes, 0);
        const live = memory.liveness.programs.map((p) => always + p.vars.reduce((sum, v) => sum + v.bytes, 0));
        assert.equal(shown.always, always);
        assert.deepEqual(shown.live, live);
        assert.equal(live[shown.peak], Math.max(...live));
        await page.close();
    });
});

describe('use', () => {
    it('keys change views, focus the search, open help, sort and choose in tables', async () => {
        const page = await open(at('heat.html'));
        await ready(page);
        for (let k = 1; k <= VIEWS.length; k++) {
            await page.keyboard.press(String(k));
            await settle(page);
            assert.equal(
                await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('view')),
                VIEWS[k - 1],
            );
        }
        await page.keyboard.press('5');
        await settle(page);
        await page.keyboard.press('/');
        await page.keyboard.type('Largest');
        await page.waitForFunction(() => document.querySelector('[data-table=kernels] .rows').children.length === 1);
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        assert.ok(await page.$eval('#keys', (d) => d.open));
        await page.keyboard.press('Escape');

        await show(page, '#view=time');
        await page.focus('[data-table=steps]');
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await settle(page);
        assert.match(await page.evaluate(() => location.hash), /step=\d+/);
        assert.ok(await page.$('[data-chart="step-tiles"], .panel p'));
        assert.deepEqual(await page.wrongs(), []);
        await page.close();
    });

    it('a chart has words, a cursor that is announced, and zooms', async () => {
        const page = await open(at('heat.html'), { hash: '#view=memory' });
        await ready(page);
        const label = await page.$eval('[data-chart=memory-tiles]', (c) => c.getAttribute('aria-label'));
        assert.match(label, /1,472 tiles.*holds most/);
        assert.ok(!/NaN|undefined/.test(label));
        await page.focus('[data-chart=memory-tiles]');
        await page.keyboard.press('ArrowRight');
        assert.match(await page.$eval('#live', (l) => l.textContent), /^tile 0: /);
        await page.keyboard.press('+');
        await page.keyboard.press('+');
        await settle(page);
        const zoomed = await page.evaluate(() => document.querySelector('[data-chart=memory-tiles]') && true);
        assert.ok(zoomed);
        await page.keyboard.press('Enter');
        await settle(page);
        assert.match(await page.evaluate(() => location.hash), /tile=0/);
        await page.close();
    });

    it('each finding links to a view that shows what it speaks of', async () => {
        for (const name of ['heat', 'guide', 'csl', 'flash', 'aie']) {
            const page = await open(at(`${name}.html`));
            await ready(page);
            const links = await page.$$eval('.findings a', (all) => all.map((a) => a.getAttribute('href')));
            for (const link of links) {
                await show(page, link);
                assert.equal(await page.$('p.error'), null, `${name} ${link}`);
                const wanted = new URLSearchParams(link.slice(1)).get('view');
                assert.equal(await page.$eval('nav a[aria-current="page"]', (a) => a.dataset.view), wanted);
            }
            assert.deepEqual(await page.wrongs(), []);
            await page.close();
        }
    });

    it('tables sort, filter and give CSV', async () => {
        const page = await open(at('heat.html'), { hash: '#view=memory' });
        await ready(page);
        const sorted = await page.evaluate(() => {
            const table = window.tilewright.tables.tiles;
            return Array.from(table.order());
        });
        const totals = await page.evaluate(() => Array.from(window.tilewright.report.profiles[0].c.memory));
        for (let i = 1; i < sorted.length; i++) assert.ok(totals[sorted[i - 1]] >= totals[sorted[i]]);
        const csv = await page.evaluate(() => window.tilewright.tables.tiles.csv());
        assert.equal(csv.split('\n').length, sorted.length + 2);
        assert.equal(csv.split('\n')[1].split(',')[1], String(totals[sorted[0]]));
        await page.click('[data-table=tiles] [role=columnheader]');
        const first = await page.$eval('[data-table=tiles] .rows .row', (r) => r.textContent);
        assert.match(first, /^tile 0/);
        await page.close();
    });

    it('prints, and works without a script', async () => {
        const page = await open(at('heat.html'));
        await ready(page);
        const pdf = await page.pdf({ format: 'A4' });
        assert.ok(pdf.length > 10000);
        await page.close();
        const still = await open(at('heat.html'));
        await still.setJavaScriptEnabled(false);
        await still.reload();
        const text = await still.$eval('body', (b) => b.textContent);
        assert.match(text, /Cycles\s*[\d,]+ \(estimated\)/);
        assert.match(readFileSync(at('csl.html'), 'utf8'), /bytes on PE \d+,\d+</); // as its readers name a place
        await still.close();
    });
});
