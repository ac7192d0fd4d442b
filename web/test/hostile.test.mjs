// SPDX-License-Identifier: MIT
// Profiles that mean no good, and profiles with hardly anything in them: the page stays safe and says what is absent.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, it } from 'node:test';
import { close, open, ready, shoot, show } from './browser.mjs';

const source = process.env.SOURCE ?? path.join(path.dirname(new URL(import.meta.url).pathname), '../..');
const tilewright = process.env.TILEWRIGHT ?? path.join(source, 'build/release/bin/tilewright');
const work = process.env.WORK ?? mkdtempSync(path.join(tmpdir(), 'tilewright-report-'));
const VIEWS = [
    'summary',
    'memory',
    'memory&tab=map',
    'memory&tab=variables',
    'memory&tab=vertices',
    'memory&tab=liveness',
];
VIEWS.push(
    'program',
    'time',
    'time&tab=tiles',
    'time&tab=grid',
    'time&tab=waits',
    'kernels',
    'kernels&tab=lines',
    'program&tab=names',
    'motion',
    'compare',
    'all',
);

after(close);

function make(name, profile) {
    writeFileSync(path.join(work, `${name}.json`), JSON.stringify(profile));
    execFileSync(tilewright, ['report', `${name}.json`, '-o', `${name}.html`], { cwd: work, stdio: 'pipe' });
    return path.join(work, `${name}.html`);
}

async function look(file, each) {
    const page = await open(file);
    await ready(page);
    for (const view of VIEWS) {
        await show(page, `#view=${view}`);
        assert.equal(await page.$('p.error'), null, view);
        await each?.(page, view);
    }
    assert.deepEqual(await page.wrongs(), []);
    return page;
}

const NAMES = [
    '</script><script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '"\'`><svg onload=alert(1)>',
    '\u202Eesrever\u2066',
    'x'.repeat(10000),
    '\u0000\u0001\u001b[31m',
    'constructor',
    '__proto__',
    '<!--',
    ']]>',
    '&lt;b&gt;',
    '🧩'.repeat(200),
];

function hostile() {
    const target = {
        type: NAMES[0],
        architecture: NAMES[1],
        numIPUs: 1,
        tilesPerIPU: 4,
        bytesPerTile: 1000,
        clockFrequency: 1e9,
    };
    const clean = NAMES.map((n) => n.replaceAll('\u0000', ''));
    const rows = clean.map((_, i) => [10 + i, 20, 30 + i, 40]);
    const intervals = {
        names: clean,
        laneTile: [0, 1],
        laneName: [0, 1],
        lane: clean.map((_, i) => i % 2),
        from: clean.map((_, i) => i * 10),
        to: clean.map((_, i) => i * 10 + 9),
        name: clean.map((_, i) => i),
        cause: clean.map((_, i) => (i + 1) % clean.length),
        partner: clean.map(() => 1),
        waitTile: [0],
        waitCause: [0],
        waitPartner: [2],
        waitCycles: [90],
    };
    return {
        tilewright: { schema: 1, part: 'both' },
        graph: {
            tilewright: { schema: 1, part: 'graph' },
            target,
            facts: Object.fromEntries(clean.filter((n) => n !== '__proto__').map((n) => [n, n])),
            graph: { numVertices: 3, numEdges: 3, numVars: 3, numComputeSets: clean.length },
            optimizationInfo: { '<b>': 3 },
            vertexTypes: { names: clean, sizes: clean.map(() => 8) },
            computeSets: {
                names: clean,
                vertexCounts: clean.map((_, i) => [i + 1]),
                vertexTypes: clean.map((_, i) => [i]),
            },
            programs: [
                { type: 'Sequence', name: NAMES[1], children: clean.map((_, i) => i + 1) },
                ...clean.map((name, i) => ({
                    type: i ? 'OnTileExecute' : NAMES[0],
                    name,
                    children: [],
                    computeset: i,
                })),
            ],
            memory: {
                byTile: { total: [100, 200, 1200, 400], totalIncludingGaps: [100, 200, 1300, 400] },
                byCategory: Object.fromEntries(
                    clean
                        .filter((n) => n !== '__proto__')
                        .map((n, i) => [n, { label: n, nonInterleaved: { nonOverlapped: rows[i] } }]),
                ),
                liveness: {
                    alwaysLive: { variables: clean.map((name) => ({ name, bytes: 10 })) },
                    notAlwaysLive: { maxBytes: 10 },
                    programs: clean.map((name, i) => ({ program: i + 1, vars: [{ name, bytes: 5 + i }] })),
                },
            },
        },
        execution: {
            tilewright: { schema: 1, part: 'execution' },
            profilerMode: NAMES[1],
            target,
            vertexTypes: { names: clean, sizes: clean.map(() => 8) },
            simulation: {
                steps: clean.map((name, i) => ({
                    type: i ? 'OnTileExecute' : NAMES[0],
                    name,
                    program: i + 1,
                    computeset: i,
                    activeCyclesByTile: rows[i],
                    activeCyclesByVertexType: [{ vertexType: i, instances: 3, cycles: 50 }],
                })),
            },
            intervals,
            motionScale: { window: 2 ** 52, block: 3 },
            motion: {
                names: clean,
                routeTile: [3],
                routeColor: [255],
                routeFrom: [31],
                routeTo: [31],
                flowWindow: [0, 2 ** 52, 2 ** 53 - 1],
                flowTile: [3, 1, 0],
                flowKind: [0, 8, 4],
                flowColor: [255, 0, 77],
                flowAmount: [2 ** 32 - 2, 1, 0],
                stuckTile: clean.map((_, i) => i % 4),
                stuckText: clean.map((_, i) => i),
            },
            lines: {
                names: clean,
                lineFile: clean.map((_, i) => i),
                lineNumber: clean.map((_, i) => 2 ** 32 - 2 - i),
                lineWhat: clean.map((_, i) => i),
                lineRuns: clean.map(() => 2 ** 52),
                lineCycles: clean.map((_, i) => i),
                lineText: clean.map((_, i) => i),
            },
        },
    };
}

it('names that would be markup are text', async () => {
    const page = await look(make('hostile', hostile()), async (shown, view) => {
        const found = await shown.evaluate(() => ({
            bad:
                document.querySelectorAll('#app img, #app svg, #app script, #app b').length -
                document.querySelectorAll('.figure b').length,
            long: [...document.querySelectorAll('#app *')].some(
                (e) => !e.children.length && e.textContent.length > 1000,
            ),
            turned: /[\u202a-\u202e\u2066-\u2069]/.test(document.querySelector('#app').textContent),
        }));
        assert.deepEqual(found, { bad: 0, long: false, turned: false }, view);
        await shoot(shown, `hostile-${view.replace('&tab=', '-')}`);
    });
    await page.close();
});

it('empty and partial profiles say what is absent', async () => {
    const target = { numIPUs: 1, tilesPerIPU: 2 };
    const partial = {
        empty: { target },
        ['no-steps']: { target, simulation: { steps: [] } },
        ['only-cycles']: { target, simulation: { cycles: 5, steps: [{ type: 'Sync', cycles: 5 }] } },
        ['one-tile']: {
            target: { numIPUs: 1, tilesPerIPU: 1, bytesPerTile: 10 },
            memory: { byTile: { total: [5] } },
        },
    };
    for (const [name, profile] of Object.entries(partial)) {
        const page = await look(make(name, profile), async (shown, view) => {
            const text = await shown.$eval('#view', (v) => v.textContent);
            assert.ok(
                text.length > 20 && !/NaN|undefined|Infinity/.test(text),
                `${name} ${view}: ${text.slice(0, 200)}`,
            );
        });
        await page.close();
    }
});

it('damaged data is said, not shown', async () => {
    const file = make('damaged', { target: { numIPUs: 1, tilesPerIPU: 2 } });
    const html = readFileSync(file, 'utf8');
    const broken = [
        html.replace(/(class="tilewright-data">.{40})/, '$1AAAA'),
        html.replace(/class="tilewright-data">[^<]*/, 'class="tilewright-data">'),
        html.replace(/class="tilewright-data">[^<]*/, 'class="tilewright-data">!!!!'),
    ];
    for (const text of broken) {
        writeFileSync(path.join(work, 'broken.html'), text);
        const page = await open(path.join(work, 'broken.html'));
        await page.waitForSelector('.error[role=alert]');
        assert.match(await page.$eval('.error', (e) => e.textContent), /cannot be shown/);
        await page.close();
    }
});

it('a million variables: tables stay quick, and what is left out is said', async () => {
    const most = 1 << 20;
    const many = most + 1234;
    const ids = Array.from({ length: many }, (_, i) => i);
    const target = { numIPUs: 1, tilesPerIPU: 4, bytesPerTile: 1000 };
    const variables = {
        names: [...ids.map((i) => `layer ${i % 977}/v${i}`), 'float'],
        name: ids,
        type: ids.map(() => many),
        bytes: ids.map((i) => (i * 7919) % 65536),
        elements: ids,
        tiles: ids.map(() => 1),
        firstTile: ids.map((i) => i % 4),
        alwaysLive: ids.map((i) => i % 2),
    };
    const page = await open(make('many', { target, memory: { byTile: { total: [1, 2, 3, 4] }, variables } }), {
        hash: '#view=memory&tab=variables',
    });
    await ready(page);
    const text = await page.$eval('#view', (v) => v.textContent);
    assert.match(text, /1,048,576 rows/);
    assert.match(text, /1,234 more variables are left out of this file/);
    const rows = (pick) =>
        page.$$eval('[data-table=variables] .rows .row', (all) => all.map((r) => r.textContent)).then(pick);
    assert.ok((await rows((r) => r.length)) < 100, 'elements for rows that nobody sees');
    assert.match(await rows((r) => r[0]), /64\.0 KiB/); // 65,535 bytes: the largest first
    await page.focus('[data-table=variables]');
    await page.keyboard.press('End');
    assert.match(await rows((r) => r.at(-1)), /0 B/);
    // By name: said at once, done a moment later, numbers in names as numbers.
    const [note, busy] = await page.evaluate(() => {
        const element = document.querySelector('[data-table=variables]');
        element.querySelector('[role=columnheader]').click();
        return [element.parentElement.querySelector('.count').textContent, element.getAttribute('aria-busy')];
    });
    assert.deepEqual([note, busy], ['Sorting 1,048,576 rows…', 'true']);
    await page.waitForFunction(() => !document.querySelector('[data-table=variables]').hasAttribute('aria-busy'));
    const order = await page.evaluate(() => [...window.tilewright.tables.variables.order()]);
    const place = (i) => [i % 977, i];
    for (let k = 1; k < order.length; k++) {
        const [a, b] = [place(order[k - 1]), place(order[k])];
        assert.ok(a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]), `${a} before ${b}`);
    }
    await page.evaluate(() => window.tilewright.tables.variables.search('v1048575'));
    assert.equal(await rows((r) => r.length), 1);
    assert.match(await rows((r) => r[0]), new RegExp(`^layer ${1048575 % 977}/v1048575`));
    // On one page with everything, and printed, only the first rows are there.
    await show(page, '#view=all');
    assert.ok((await page.$$('.rows .row')).length < 400);
    assert.match(await page.$eval('#view', (v) => v.textContent), /The first 40 of 1,048,576 rows/);
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

// Fills of the marks in a legend, as the browser computes them.
const legendOf = (page) =>
    page.$eval('.legend', (one) =>
        [...one.children].map((entry) => {
            const style = getComputedStyle(entry.firstElementChild);
            return [entry.textContent, `${style.backgroundColor} ${style.backgroundImage}`];
        }),
    );
const differ = (list) => assert.equal(new Set(list).size, list.length, list.join('\n'));

it('no two kinds look the same, in legends and in pictures', async () => {
    const kinds = 30;
    const names = Array.from({ length: kinds }, (_, i) => `kind ${i}`);
    const target = { numIPUs: 1, tilesPerIPU: 1, bytesPerTile: 1000 };
    const profile = (n) => ({
        tilewright: { schema: 1, part: 'both' },
        graph: {
            tilewright: { schema: 1, part: 'graph' },
            target,
            memory: { byTile: { total: [1] } },
        },
        execution: {
            tilewright: { schema: 1, part: 'execution' },
            target,
            simulation: { cycles: 100 * n, steps: [{ type: 'OnTileExecute', cycles: 100 * n }] },
            intervals: {
                names: [...Array.from({ length: n }, (_, i) => `kind ${i}`), 'lane', ''],
                laneTile: [0],
                laneName: [n],
                lane: new Array(n).fill(0),
                from: Array.from({ length: n }, (_, i) => 100 * i),
                to: Array.from({ length: n }, (_, i) => 100 * i + 100 - (i % 7)),
                name: Array.from({ length: n }, (_, i) => i),
                cause: new Array(n).fill(n + 1),
                partner: new Array(n).fill(0),
            },
        },
    });
    const page = await open(make('kinds', profile(kinds)), { hash: '#view=time', width: 1800 });
    await ready(page);
    const entries = await legendOf(page);
    assert.deepEqual(
        entries.map(([name]) => name),
        names,
    );
    differ(entries.map(([, fill]) => fill));
    await shoot(page, 'kinds');
    assert.deepEqual(await page.wrongs(), []); // reading pixels back, below, makes the browser warn
    // The colours that stand in the bar of each: its upper part, free of the name.
    const bars = await page.evaluate((n) => {
        const canvas = document.querySelector('[data-chart=intervals] canvas');
        const context = canvas.getContext('2d');
        const [left, right, lane] = [140, canvas.clientWidth - 18, (canvas.clientHeight - 66) / 2];
        const scale = canvas.width / canvas.clientWidth;
        const from = 8 + lane / 2 - 0.34 * lane;
        return Array.from({ length: n }, (_, i) => {
            const x = left + ((right - left) * i) / n;
            const data = context.getImageData((x + 4) * scale, (from + 1) * scale, 24 * scale, 8 * scale).data;
            const seen = {};
            for (let k = 0; k < data.length; k += 4) {
                const colour = data.slice(k, k + 3).join();
                seen[colour] = (seen[colour] ?? 0) + 1;
            }
            return JSON.stringify(Object.entries(seen).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
        });
    }, kinds);
    differ(bars);
    await page.close();

    // More than there are marks: the rest, those that take least, is one.
    const many = await open(make('many-kinds', profile(100)), { hash: '#view=time', width: 1800 });
    await ready(many);
    const marks = await legendOf(many);
    assert.equal(marks.length, 36);
    assert.equal(marks.at(-1)[0], '65 others');
    // Those with i % 7 = 0 … 2 take 98 cycles or more, 15 + 15 + 14 of them; of equal ones the first.
    assert.ok(marks.slice(0, -1).every(([name]) => Number(name.split(' ')[1]) % 7 <= 2));
    differ(marks.map(([, fill]) => fill));
    await many.close();
});
