// SPDX-License-Identifier: MIT
// Compare: two profiles side by side, and what differs, the largest change first.
import { chart } from '../chart.js';
import { h } from '../dom.js';
import { bytes, byteAxis, count, cut, percent, seconds, short } from '../format.js';
import { define } from '../glossary.js';
import { table } from '../table.js';
import { absent, facts, fidelity, memoryFidelity, panel, timeFidelity, weakest } from './parts.js';
import { differentMachines, withAnswer } from './answers.js';
import { extremes } from './sums.js';

const UNITS = {
    cycles: count,
    bytes,
    count,
    seconds,
    ratio: (v) => percent(v),
};

// Figures of the whole run by their names in a difference, and what defines them.
const FIGURES = {
    cycles: 'cycles',
    time: 'time',
    'memory of the fullest tile': 'fullest',
    'memory of all tiles': 'bytes',
    'bytes exchanged and copied': 'data',
    'tile balance': 'tileBalance',
    'thread balance': 'threadBalance',
    'steps executed': 'steps',
    vertices: 'vertices',
    variables: 'variableCount',
    tiles: 'machine',
};
const SIDES = ['#0072b2', '#d55e00'];
const GROUPS = { figure: 'Figure', step: 'Step', kernel: 'Kernel', category: 'Memory', variable: 'Variable' };
const MOST = 16;

const known = (v) => v !== undefined;

const both = (report) => weakest(...report.profiles.flatMap((p) => [timeFidelity(p), memoryFidelity(p)]));

export function deltaText(line) {
    if (!known(line.a)) return 'only in B';
    if (!known(line.b)) return 'only in A';
    const d = line.b - line.a;
    if (!d) return 'same';
    if (line.unit === 'ratio') return `${d > 0 ? '▲ +' : '▼ −'}${Math.abs(d * 100).toFixed(1)} points`;
    return `${d > 0 ? '▲ +' : '▼ −'}${UNITS[line.unit](Math.abs(d))}`;
}

const relative = (line) => (known(line.a) && known(line.b) && line.a ? (line.b - line.a) / line.a : NaN);
const relativeText = (line) => {
    const r = relative(line);
    if (!Number.isFinite(r)) return '';
    return r ? `${r > 0 ? '+' : '−'}${Math.abs(r * 100).toFixed(1)} %` : '0 %';
};
const change = (line) => (line.b ?? 0) - (line.a ?? 0);

function changes(lines) {
    const top = lines.filter((l) => l.group !== 'figure' && change(l)).slice(0, MOST);
    if (!top.length) return absent('No step, kernel, category or variable differs.');
    const value = (l) => l.weight * Math.sign(change(l));
    const one = chart({
        id: 'changes',
        title: 'Largest changes',
        height: 50 + 22 * top.length,
        describe: () => `Largest: ${top[0].name || top[0].kind}, ${deltaText(top[0])}.`,
        items: () => top.length,
        item: (i) => `${top[i].name || top[i].kind}: ${deltaText(top[i])}`,
        figures: () => top.map((l) => [l.name, l.a ?? null, l.b ?? null]),
        option: () => ({
            grid: { left: 300, right: 60, top: 6, bottom: 28 },
            tooltip: {
                trigger: 'item',
                formatter: (e) =>
                    `${cut(top[e.dataIndex].name || top[e.dataIndex].kind, 80)}\n${deltaText(top[e.dataIndex])} ${relativeText(top[e.dataIndex])}`,
            },
            xAxis: {
                type: 'value',
                axisLabel: {
                    formatter: (v) =>
                        `${v > 0 ? '+' : v < 0 ? '−' : ''}${Number((Math.abs(v) * 100).toPrecision(3))} %`,
                },
            },
            yAxis: {
                type: 'category',
                inverse: true,
                data: top.map((l) => `${GROUPS[l.group]}: ${cut(l.name || l.kind, 36)}`),
                axisTick: { show: false },
            },
            series: [
                {
                    type: 'bar',
                    barMaxWidth: 16,
                    data: top.map((l) => ({
                        value: value(l),
                        itemStyle: { color: change(l) > 0 ? '#d55e00' : '#0072b2' },
                    })),
                },
            ],
        }),
    });
    return [
        h(
            'p',
            { class: 'note' },
            'Share of all cycles or bytes that changed; more is orange and to the right, less is blue and to the left.',
        ),
        one.element,
    ];
}

// Both profiles in one picture, two bars for each tile. Of many tiles each bar is the fullest of a stretch, and the
// part with the largest difference is shown first.
const MOST_BARS = 1200;
const SHOWN_BARS = 48;

function fold(rows, n) {
    const bins = Math.min(n, MOST_BARS);
    const first = (i) => Math.floor((i * n) / bins);
    const folded = rows.map((row) =>
        Array.from({ length: bins }, (_, i) => {
            let most = 0;
            for (let t = first(i); t < first(i + 1); t++) most = Math.max(most, row[t] ?? 0);
            return most;
        }),
    );
    return { bins, first, folded };
}

function tilePicture(report, { id, title, rows, value }) {
    const [a, b] = report.profiles;
    const n = Math.max(a.tiles, b.tiles);
    if (!rows[0] || !rows[1] || n < 2) return null;
    const { bins, first, folded } = fold(rows, n);
    let most = 0;
    let worst = 0;
    for (let i = 0; i < bins; i++) {
        most = Math.max(most, folded[0][i], folded[1][i]);
        if (Math.abs(folded[1][i] - folded[0][i]) > Math.abs(folded[1][worst] - folded[0][worst])) worst = i;
    }
    if (!(most > 0)) return null;
    const name = (i) =>
        first(i + 1) - first(i) > 1
            ? `fullest of ${a.tileWord}s ${first(i)} to ${first(i + 1) - 1}`
            : (b.tiles > a.tiles ? b : a).tileName(first(i));
    const words = (i) => {
        const line = { a: folded[0][i], b: folded[1][i], unit: id === 'compare-memory' ? 'bytes' : 'cycles' };
        return `A ${value(line.a)}, B ${value(line.b)}, ${deltaText(line)}${change(line) ? ` ${relativeText(line)}` : ''}`;
    };
    const from = Math.max(0, Math.min(bins - SHOWN_BARS, worst - SHOWN_BARS / 2));
    return chart({
        id,
        title,
        height: 250,
        describe: () => `${count(n)} ${a.tileWord}s. Largest difference: ${name(worst)}, ${words(worst)}.`,
        items: () => bins,
        item: (i) => `${name(i)}: ${words(i)}`,
        figures: () => folded,
        option: () => ({
            legend: { top: 0, data: ['A', 'B'] },
            grid: { left: 70, right: 16, top: 30, bottom: 58 },
            tooltip: {
                trigger: 'axis',
                axisPointer: { type: 'shadow' },
                formatter: (list) => `${name(list[0].dataIndex)}\n${words(list[0].dataIndex).replaceAll(', ', '\n')}`,
            },
            xAxis: { type: 'category', data: folded[0].map((_, i) => String(first(i))) },
            yAxis: {
                type: 'value',
                ...(id === 'compare-memory' ? byteAxis(most) : {}),
                axisLabel: { formatter: id === 'compare-memory' ? bytes : short },
            },
            dataZoom:
                bins > SHOWN_BARS
                    ? [
                          { type: 'slider', startValue: from, endValue: from + SHOWN_BARS - 1 },
                          { type: 'inside', zoomOnMouseWheel: 'ctrl' },
                      ]
                    : [],
            series: ['A', 'B'].map((label, k) => ({
                name: label,
                type: 'bar',
                barGap: '0%',
                barCategoryGap: '20%',
                data: folded[k],
                color: SIDES[k],
            })),
        }),
    });
}

function tilePictures(report) {
    const [a, b] = report.profiles;
    const word = a.tileWord;
    const busy = report.profiles.map((p) => (p.totals ? extremes(p).active : null));
    const pictures = [
        tilePicture(report, {
            id: 'compare-busy',
            title: `Busy cycles of every ${word}, A and B`,
            rows: busy,
            value: (v) => count(Math.round(v)),
        }),
        tilePicture(report, {
            id: 'compare-memory',
            title: `Memory of every ${word}, A and B`,
            rows: [a.c.memory, b.c.memory],
            value: bytes,
        }),
    ].filter(Boolean);
    const many = Math.max(a.tiles, b.tiles) > SHOWN_BARS;
    return pictures.length
        ? pictures.map((one) =>
              panel(
                  h('span', {}, `${one.spec.title} `, fidelity(both(report))),
                  one.element,
                  many
                      ? h(
                            'p',
                            { class: 'note' },
                            `First shown: the ${word}s around the largest difference. Drag the strip for others.`,
                        )
                      : null,
              ),
          )
        : [absent(`By ${word}: both profiles need cycles or memory by ${word}, and more than one of them.`)];
}

// What both have, beside each other: the largest of a group, changed or not.
function sideBySide(lines, group, title, of, most = 10) {
    const top = lines
        .filter((l) => l.group === group)
        .sort((x, y) => Math.max(y.a ?? 0, y.b ?? 0) - Math.max(x.a ?? 0, x.b ?? 0))
        .slice(0, most);
    if (!top.length) return null;
    const unit = UNITS[top[0].unit];
    const label = (l) => l.name || l.kind;
    return panel(
        h('span', {}, `${title} `, fidelity(of)),
        chart({
            id: `sides-${group}`,
            title,
            height: 66 + 30 * top.length,
            describe: () => `${label(top[0])}: ${unit(top[0].a ?? 0)} in A, ${unit(top[0].b ?? 0)} in B.`,
            items: () => top.length,
            item: (i) => `${label(top[i])}: ${deltaText(top[i])}`,
            figures: () => top.map((l) => [l.name, l.a ?? null, l.b ?? null]),
            option: () => ({
                legend: { top: 0, data: ['A', 'B'] },
                grid: { left: 230, right: 40, top: 28, bottom: 26 },
                tooltip: {
                    trigger: 'axis',
                    axisPointer: { type: 'shadow' },
                    formatter: (e) => {
                        const l = top[e[0].dataIndex];
                        return `${cut(label(l), 80)}\nA ${known(l.a) ? unit(l.a) : '–'}\nB ${known(l.b) ? unit(l.b) : '–'}\n${deltaText(l)} ${relativeText(l)}`;
                    },
                },
                xAxis: {
                    type: 'value',
                    splitNumber: 4,
                    ...(top[0].unit === 'bytes' ? byteAxis(Math.max(top[0].a ?? 0, top[0].b ?? 0)) : {}),
                    axisLabel: { formatter: (v) => (top[0].unit === 'bytes' ? bytes(v) : short(v)) },
                },
                yAxis: {
                    type: 'category',
                    inverse: true,
                    data: top.map((l) => cut(label(l), 30)),
                    axisTick: { show: false },
                },
                series: ['a', 'b'].map((side, k) => ({
                    name: 'AB'[k],
                    type: 'bar',
                    barMaxWidth: 11,
                    color: SIDES[k],
                    data: top.map((l) => l[side] ?? 0),
                })),
            }),
        }).element,
    );
}

function compareParts(p, state, report) {
    if (!report.diff)
        return {
            elements: [
                absent(
                    'This report has one profile. ',
                    h('code', {}, 'tilewright report A.json B.json'),
                    ' shows two side by side; ',
                    h('code', {}, 'tilewright profile --diff A.json B.json'),
                    ' prints the differences.',
                ),
            ],
        };
    const lines = report.diff;
    const figures = lines.filter((l) => l.group === 'figure');
    const order = [
        'cycles',
        'time',
        'memory of the fullest tile',
        'memory of all tiles',
        'bytes exchanged and copied',
        'tile balance',
        'thread balance',
        'steps executed',
    ];
    figures.sort((x, y) => ((order.indexOf(x.name) + 99) % 99) - ((order.indexOf(y.name) + 99) % 99));
    const rows = table({
        id: 'diff',
        fidelity: both(report),
        caption: 'All differences',
        count: lines.length,
        most: 18,
        rows: Uint32Array.from(lines.keys()).filter(
            (i) => change(lines[i]) || !known(lines[i].a) || !known(lines[i].b),
        ),
        sort: [6, true],
        columns: [
            { title: 'What', value: (i) => GROUPS[lines[i].group], width: '90px' },
            {
                title: 'Name',
                value: (i) =>
                    lines[i].name ? `${lines[i].name}${lines[i].kind ? ` (${lines[i].kind})` : ''}` : lines[i].kind,
            },
            {
                title: 'A',
                definition: 'sideA',
                number: true,
                value: (i) => lines[i].a ?? -1,
                text: (i) => (known(lines[i].a) ? UNITS[lines[i].unit](lines[i].a) : '–'),
                width: '130px',
            },
            {
                title: 'B',
                definition: 'sideB',
                number: true,
                value: (i) => lines[i].b ?? -1,
                text: (i) => (known(lines[i].b) ? UNITS[lines[i].unit](lines[i].b) : '–'),
                width: '130px',
            },
            {
                title: 'B − A',
                number: true,
                value: (i) => change(lines[i]),
                text: (i) => deltaText(lines[i]),
                width: '150px',
                definition: 'delta',
                kind: (i) => (change(lines[i]) > 0 ? 'more' : 'less'),
            },
            {
                title: '% of A',
                number: true,
                value: (i) => relative(lines[i]) || 0,
                text: (i) => relativeText(lines[i]),
                width: '90px',
                definition: 'delta',
            },
            {
                title: 'Weight',
                number: true,
                value: (i) => lines[i].weight,
                text: (i) => percent(lines[i].weight),
                width: '90px',
                definition: 'weight',
            },
        ],
    });
    const warning = differentMachines(report);
    const same = lines.filter((l) => known(l.a) && known(l.b) && l.a === l.b).length;
    return {
        elements: [
            warning ? h('p', { class: 'warning', role: 'alert' }, warning) : null,
            panel(
                h('span', {}, 'A → B ', fidelity(both(report))),
                facts([
                    ['A', h('bdi', {}, cut(report.profiles[0].title, 200)), define('side')],
                    ['B', h('bdi', {}, cut(report.profiles[1].title, 200)), define('side')],
                    ...figures.map((l) => [
                        l.name[0].toUpperCase() + l.name.slice(1),
                        h(
                            'span',
                            { 'data-diff': l.name },
                            `${known(l.a) ? UNITS[l.unit](l.a) : '–'} → ${known(l.b) ? UNITS[l.unit](l.b) : '–'}   ${deltaText(l)}${relativeText(l) && change(l) && l.unit !== 'ratio' ? ` (${relativeText(l)})` : ''}`,
                        ),
                        define(FIGURES[l.name] ?? 'delta'),
                    ]),
                ]),
                figures.some((l) => l.name === 'cycles')
                    ? null
                    : h('p', { class: 'note' }, 'Cycles are absent in one of the two.'),
            ),
            panel(h('span', {}, 'Largest changes ', fidelity(both(report))), changes(lines)),
            sideBySide(lines, 'step', 'Steps of A and B, cycles', both(report), 24),
            ...tilePictures(report),
            h(
                'div',
                { class: 'grid2' },
                sideBySide(lines, 'kernel', 'Kernels, cycles', both(report)),
                sideBySide(lines, 'category', 'Memory by category', both(report)),
            ),
            rows.element,
            h(
                'p',
                { class: 'note' },
                `${count(same)} figures are the same in both. ${report.head.diffLinesLeftOut ? `${count(report.head.diffLinesLeftOut)} smaller ones are left out.` : ''} ${short(lines.length)} were compared: steps by type and name, renamed ones by their place among the others (“old → new”), the rest by name.`,
            ),
        ].filter(Boolean),
    };
}

export function compareView(p, state, report) {
    const made = compareParts(p, state, report);
    return { ...made, elements: withAnswer(made.elements, 'compare', '', p, report) };
}
