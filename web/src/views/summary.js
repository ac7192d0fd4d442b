// SPDX-License-Identifier: MIT
// Summary: what it is, how long it took, what matters most.
import { chart, KIND_COLOURS } from '../chart.js';
import { h } from '../dom.js';
import { byteBins, bytes, capital, count, cut, percent, seconds, several, short } from '../format.js';
import { counted, define } from '../glossary.js';
import { absent, facts, fidelity, figure, memoryFidelity, panel, timeFidelity } from './parts.js';
import { withAnswer } from './answers.js';
import { inUse, timeShares } from './sums.js';

function fullest(p) {
    const memory = p.c.memory;
    if (!memory) return null;
    let worst = 0;
    let sum = 0;
    for (let t = 0; t < memory.length; t++) {
        if (memory[t] > memory[worst]) worst = t;
        sum += memory[t];
    }
    return { tile: worst, bytes: memory[worst], sum };
}

// Tiles that no program is on would only dilute it: it is of those in use, and says how many are not.
function tileBalance(p) {
    const { used, all, balance } = inUse(p);
    const some = used && used < all;
    return figure(
        `${capital(p.tileWord)} balance`,
        percent(some ? balance : p.totals.tileBalance),
        some ? 'usedBalance' : 'tileBalance',
        some
            ? `of the cycles of the ${count(used)} in use computing; ${count(all - used)} of ${count(all)} unused (${percent(p.totals.tileBalance)} with them)`
            : 'of all cycles computing',
        p.totals.fidelity,
    );
}

function figures(p) {
    const t = p.totals;
    const full = fullest(p);
    const limit = p.target.bytesPerTile;
    return h(
        'div',
        { class: 'figures' },
        t && figure('Cycles', count(t.cycles), 'cycles', seconds(t.seconds), t.fidelity),
        t && tileBalance(p),
        t &&
            p.isGraphProgram && // cores of other machines have no threads
            figure(
                'Thread balance',
                percent(t.threadBalance),
                'threadBalance',
                'of the cycles in which they compute, their threads are used',
                t.fidelity,
            ),
        full &&
            figure(
                `Fullest ${p.tileWord}`,
                bytes(full.bytes),
                'fullest',
                `${p.shortTile(full.tile)}${limit && !p.categories.some((c) => c.limit) ? `, ${percent(full.bytes / limit)} of ${bytes(limit)}` : ''}`,
                memoryFidelity(p),
            ),
        t && figure('Steps executed', count(t.steps), 'steps', t.runs > 1 ? `in ${count(t.runs)} runs` : '1 run'),
        p.head.hasGraph &&
            figure(
                `${capital(p.kernelWord)}${p.kernelWord === 'vertex' ? ' instances' : 's'}`,
                count(p.head.vertices),
                'vertices',
            ),
    );
}

function findings(p, report) {
    const list = p.findings;
    const titles = Object.fromEntries(report.rules.map((r) => [r.rule, r]));
    const line = (f) =>
        h(
            'li',
            { class: f.isError ? 'error' : null, 'data-rule': f.rule },
            h(
                'span',
                { class: 'share', title: 'What could be won, at most: share of the time, or of the memory' },
                f.isError ? '!' : percent(f.severity, f.severity < 0.095 ? 1 : 0),
                f.isError ? null : h('small', {}, 'at most'),
            ),
            h('div', {}, h('a', { href: f.link }, h('bdi', {}, cut(f.text, 400))), ' ', fidelity(f.fidelity)),
            h(
                'p',
                {
                    title: titles[f.rule]
                        ? `${f.rule}, ${titles[f.rule].title}: ${titles[f.rule].formula}, from ${titles[f.rule].threshold}`
                        : f.rule,
                },
                cut(f.advice, 300),
            ),
        );
    const first = list.slice(0, 3);
    const more = list.slice(3);
    return panel(
        'What matters most',
        list.length
            ? [
                  h(
                      'p',
                      { class: 'note' },
                      'In front: what could be won at most, as a share of the time, or of the memory.',
                  ),
                  h('ul', { class: 'findings' }, first.map(line)),
              ]
            : h('p', { class: 'note' }, 'No rule found anything to complain of.'),
        more.length
            ? h(
                  'details',
                  {},
                  h('summary', {}, `${more.length} more`),
                  h('ul', { class: 'findings' }, more.map(line)),
              )
            : null,
        h(
            'details',
            {},
            h('summary', {}, 'Rules and their thresholds'),
            h(
                'table',
                { class: 'facts' },
                report.rules.map((r) =>
                    h(
                        'tr',
                        { title: define('rule') },
                        h('th', {}, `${r.rule} ${r.title}`),
                        h('td', {}, `${r.formula}: from ${r.threshold}`),
                    ),
                ),
            ),
        ),
    );
}

function timeChart(p) {
    const { tiles, parts } = timeShares(p);
    const whose =
        tiles < p.tiles ? `the ${count(tiles)} ${p.tileWord}${tiles === 1 ? '' : 's'} in use` : `all ${p.tileWord}s`;
    const title = `Where the time of ${whose} goes`;
    const made = chart({
        id: 'time-shares',
        title,
        height: 60 + 34 * parts.length,
        describe: () => parts.map((x) => `${x.label} ${percent(x.share)}`).join(', '),
        items: () => parts.length,
        item: (i) => `${parts[i].label}: ${percent(parts[i].share)}, ${count(parts[i].value)} cycles`,
        figures: () => parts.map((x) => [x.label, x.value]),
        option: (colours) => ({
            grid: { left: 130, right: 70, top: 6, bottom: 30 },
            tooltip: {
                trigger: 'item',
                formatter: (e) =>
                    `${parts[e.dataIndex].label}\n${count(parts[e.dataIndex].value)} cycles on ${whose}\n${percent(parts[e.dataIndex].share)}`,
            },
            xAxis: {
                type: 'value',
                max: 1,
                interval: innerWidth < 500 ? 0.5 : 0.25, // labels that fit: of some left out the ends go first
                axisLabel: { formatter: (v) => percent(v, 0) },
            },
            yAxis: { type: 'category', inverse: true, data: parts.map((x) => x.label) },
            series: [
                {
                    type: 'bar',
                    barMaxWidth: 22,
                    data: parts.map((x) => ({
                        value: x.share,
                        itemStyle: {
                            color: KIND_COLOURS[x.key],
                            borderColor: '#888',
                            borderWidth: x.key === 'sync' ? 1 : 0,
                        },
                    })),
                    label: {
                        show: true,
                        position: 'right',
                        color: colours.text,
                        formatter: (e) => percent(parts[e.dataIndex].share),
                    },
                },
            ],
        }),
    });
    return { element: made.element, title };
}

// Of those that hold something: on an array of 400 tiles the 396 that hold nothing would be the only bar to be seen.
// Where all hold the same a bar would say less than a sentence.
function histogram(p) {
    const memory = p.c.memory.filter((v) => v > 0);
    const [some, none] = [memory.length, p.c.memory.length - memory.length];
    const rest = none ? `${count(none)} of ${several(p.c.memory.length, p.tileWord)} are empty.` : '';
    let high = 0;
    let low = Infinity;
    for (const v of memory) {
        high = Math.max(high, v);
        low = Math.min(low, v);
    }
    const note = (text) => h('p', { class: 'note', 'data-note': 'memory' }, text);
    if (!some) return { element: note(rest) };
    if (low === high)
        return { element: note(`${several(some, p.tileWord)}, ${bytes(high)}${some > 1 ? ' each' : ''}. ${rest}`) };
    const width = byteBins(high, 32);
    const bins = Math.floor(high / width) + 1;
    let labelled = 1; // each so many-th edge has a label: whole KiB, halves and quarters
    while (bins > (innerWidth < 500 ? 4 : 8) * labelled) labelled *= 2; // those that fit: some left out look uneven
    const counts = new Array(bins).fill(0);
    for (const v of memory) counts[Math.min(bins - 1, Math.floor(v / width))]++;
    const made = chart({
        id: 'memory-histogram',
        title: `How many ${p.tileWord}s hold how much`,
        height: 220,
        describe: () => `${several(memory.length, p.tileWord)}; the fullest holds ${bytes(high)}.`,
        items: () => bins,
        item: (i) => `${bytes(i * width)} to ${bytes((i + 1) * width)}: ${several(counts[i], p.tileWord)}`,
        figures: () => counts,
        option: () => ({
            grid: { left: 55, right: 12, top: 28, bottom: 44 },
            tooltip: {
                trigger: 'item',
                formatter: (e) =>
                    `${bytes(e.dataIndex * width)} – ${bytes((e.dataIndex + 1) * width)}\n${several(counts[e.dataIndex], p.tileWord)}`,
            },
            xAxis: {
                type: 'category',
                data: counts.map((_, i) => bytes(i * width)),
                axisLabel: { interval: (i) => i % labelled === 0 },
                axisTick: { interval: (i) => i % labelled === 0 },
                name: 'bytes',
                nameLocation: 'middle',
                nameGap: 26,
            },
            yAxis: { type: 'value', minInterval: 1, name: `${p.tileWord}s`, axisLabel: { formatter: short } },
            series: [
                {
                    type: 'bar',
                    data: counts.map((n) => n || null),
                    barCategoryGap: '8%',
                    barMinHeight: 2,
                    itemStyle: { color: '#4477aa' },
                },
            ],
        }),
    });
    return { element: h('div', {}, rest ? note(rest) : null, made.element) };
}

function about(p) {
    const { target } = p;
    return facts([
        ...p.head.facts.map(([key, value]) => [
            key[0].toUpperCase() + key.slice(1),
            h('bdi', {}, cut(value, 300)),
            define('fact'),
        ]),
        [
            'Machine',
            `${target.type.replaceAll('_', ' ')}${target.architecture ? `, ${target.architecture}` : ''}`,
            define('machine'),
        ],
        [
            `${capital(p.chipWord)}s × ${p.tileWord}s`,
            `${count(target.chips)} × ${count(target.tilesPerChip)}${target.replicas > 1 ? `, ${target.replicas} replicas` : ''}`,
            define('machine'),
        ],
        [`Memory of a ${p.tileWord}`, target.bytesPerTile ? bytes(target.bytesPerTile) : null, define('limit')],
        ['Clock', target.clock ? `${(target.clock / 1e6).toPrecision(4)} MHz` : null, define('clock')],
        [
            'Compute sets',
            p.isGraphProgram && p.head.computeSets ? count(p.head.computeSets) : null,
            define('computeSets'),
        ],
        ['Variables', p.head.variables ? count(p.head.variables) : null, define('variableCount')],
        ['Edges', p.isGraphProgram && p.head.edges ? count(p.head.edges) : null, define('edges')],
        [
            'Instrumentation',
            p.head.mode === target.type ? null : p.head.mode.replaceAll('_', ' '),
            define('instrumentation'),
        ],
        ['Cycles are', p.totals && p.totals.fidelity !== 'exact' ? target.band : null, target.compared],
        ['Figures are', p.totals ? p.totals.fidelity : null, p.totals ? define(p.totals.fidelity) : undefined],
        [
            'Parts',
            [
                p.head.hasGraph ? 'graph' : 'no graph profile',
                p.head.hasExecution ? 'execution' : 'no execution profile',
            ].join(', '),
            define('parts'),
        ],
        ...p.head.optimizations.map(([key, value]) => [
            capital(cut(counted(key))),
            count(value),
            define('optimization'),
        ]),
    ]);
}

function summaryParts(p, state, report) {
    const time = p.totals && p.totals.cycles ? timeChart(p) : null;
    const memory = p.c.memory && p.tiles > 1 ? histogram(p) : null;
    return {
        elements: [
            figures(p),
            findings(p, report),
            h(
                'div',
                { class: 'grid2' },
                panel(
                    h(
                        'span',
                        {},
                        `${time?.title ?? `Where the time of all ${p.tileWord}s goes`} `,
                        time && fidelity(timeFidelity(p)),
                    ),
                    time ? time.element : absent('No cycles: this profile has no execution part, or nothing ran.'),
                ),
                panel(
                    h('span', {}, 'Memory ', memory && fidelity(memoryFidelity(p))),
                    memory
                        ? memory.element
                        : p.c.memory
                          ? absent(`One ${p.tileWord}: see Memory for what it holds.`)
                          : absent('No memory by tile: this profile has no graph part.'),
                ),
                panel('About', about(p)),
            ),
        ],
    };
}

export function summaryView(p, state, report) {
    const made = summaryParts(p, state, report);
    return { ...made, elements: withAnswer(made.elements, 'summary', '', p, report) };
}
