// SPDX-License-Identifier: MIT
// Memory: which tile is full, of what, and when.
import { h } from '../dom.js';
import { bytes, capital, count, cut, percent } from '../format.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { withAnswer } from './answers.js';
import { livenessTab } from './liveness.js';
import { mapTab } from './map.js';
import { absent, fidelity, inWordsOf, liveFidelity, memoryFidelity, panel, tabs } from './parts.js';
import { tileBars } from './tilebars.js';

export const MEMORY_TABS = [
    ['tiles', 'By tile'],
    ['map', 'Map of a tile'],
    ['variables', 'Variables'],
    ['vertices', 'Kernel data'],
    ['liveness', 'Liveness'],
];
const MOST_PARTS = 11;

// Categories with bytes, the largest first; what is beyond the colours is one.
function parts(p) {
    const list = p.categories
        .map((category) => ({
            category,
            label: cut(category.label, 60),
            row: p.categoryRow(category),
            total: p.categoryTotal(category),
        }))
        .filter((x) => x.row && x.total > 0)
        .sort((a, b) => b.total - a.total);
    if (list.length <= MOST_PARTS + 1) return list;
    const rest = new Float64Array(p.tiles);
    let total = 0;
    for (const x of list.slice(MOST_PARTS)) {
        total += x.total;
        for (let t = 0; t < rest.length; t++) rest[t] += x.row[t];
    }
    return [
        ...list.slice(0, MOST_PARTS),
        { label: `${list.length - MOST_PARTS} more`, row: rest, total, colour: '#bbbbbb' },
    ];
}

function tilesTab(p, state) {
    const memory = p.c.memory;
    if (!memory)
        return [absent('No memory by tile: this profile has no graph part, or the machine did not record it.')];
    const list = parts(p);
    const limit = p.target.bytesPerTile;
    const own = p.categories.some((c) => c.limit);
    const order =
        state.order === 'size'
            ? Uint32Array.from(memory.keys()).sort((a, b) => memory[b] - memory[a] || a - b)
            : null;
    const shared = p.head.memory.total && list.reduce((sum, x) => sum + x.total, 0) > p.c.rowSum[p.head.memory.total];
    let worst = 0;
    for (let t = 0; t < memory.length; t++) if (memory[t] > memory[worst]) worst = t;
    const selected = state.tile !== undefined && Number(state.tile) < p.tiles ? Number(state.tile) : worst;
    const bars = tileBars(p, {
        id: 'memory-tiles',
        title: `Memory of every ${p.tileWord}`,
        parts: list.length ? list : [{ label: 'All', row: memory, total: 0 }],
        line:
            p.head.memory.gaps && state.gaps !== 'no'
                ? { label: 'With gaps', row: p.row(p.head.memory.gaps) ?? memory }
                : null,
        limit: own ? 0 : limit,
        value: bytes,
        order,
        select: (t) => go({ tile: String(t) }),
        describe: () =>
            `${count(p.tiles)} ${p.tileWord}s. ${p.tileName(worst)} holds most: ${bytes(memory[worst])}${limit && !own ? ` of ${bytes(limit)}` : ''}.`,
    });
    const detail = h('div');
    const showTile = (t) => detail.replaceChildren(tileTable(p, t, list).element);
    showTile(selected);
    // Another tile changes the table of what it holds; whatever else changes is drawn anew.
    const change = (next) => {
        if (['order', 'gaps', 'tab'].some((key) => next[key] !== state[key])) return false;
        const tile = Number(next.tile ?? worst);
        if (!(tile >= 0 && tile < p.tiles)) return false;
        showTile(tile);
        rows.select(tile);
        document.getElementById('tile').value = String(tile);
        return true;
    };
    const largest = (t) => list.reduce((best, x) => (x.row[t] > (best?.row[t] ?? 0) ? x : best), null);
    const rows = table({
        id: 'tiles',
        owner: p,
        fidelity: memoryFidelity(p),
        caption: `Every ${p.tileWord}`,
        count: p.tiles,
        most: 10,
        sort: [1, true],
        selected,
        select: (t) => go({ tile: String(t) }),
        columns: [
            { title: capital(p.tileWord), value: (t) => p.tileName(t) },
            {
                title: p.head.memoryHasGaps ? 'With gaps' : 'Bytes',
                number: true,
                value: (t) => memory[t],
                text: (t) => bytes(memory[t]),
                bar: (t) => (memory[worst] ? memory[t] / memory[worst] : 0),
                width: '140px',
                definition: 'bytes',
            },
            ...(limit && !own
                ? [
                      {
                          title: 'Of the limit',
                          number: true,
                          value: (t) => memory[t] / limit,
                          text: (t) => `${percent(memory[t] / limit)}${memory[t] > limit ? ' over!' : ''}`,
                          width: '120px',
                          definition: 'limit',
                      },
                  ]
                : []),
            {
                title: 'Most of it',
                value: (t) => (largest(t) ? `${largest(t).label}, ${bytes(largest(t).row[t])}` : ''),
            },
        ],
    });
    const choose = (event, key, value) => go({ [key]: event.target.checked ? value : null });
    const elements = [
        h(
            'div',
            { class: 'tools' },
            h(
                'label',
                {},
                h('input', {
                    type: 'checkbox',
                    checked: state.order === 'size',
                    onchange: (e) => choose(e, 'order', 'size'),
                }),
                'fullest first',
            ),
            p.head.memory.gaps
                ? h(
                      'label',
                      {},
                      h('input', {
                          type: 'checkbox',
                          checked: state.gaps !== 'no',
                          onchange: (e) => go({ gaps: e.target.checked ? null : 'no' }),
                      }),
                      'line with gaps',
                  )
                : h(
                      'span',
                      { class: 'note' },
                      'Gaps are absent: the profile has none by tile.'.replace('tile', p.tileWord),
                  ),
            h(
                'label',
                {},
                `${p.tileWord} `,
                h('input', {
                    type: 'number',
                    min: '0',
                    max: String(p.tiles - 1),
                    value: String(selected),
                    id: 'tile',
                    onchange: (e) => go({ tile: e.target.value }),
                }),
            ),
            h('span', { class: 'note controls' }, 'Ctrl and the wheel zoom; drag the strip below for a part.'),
        ),
        panel(
            h('span', {}, `Memory of every ${p.tileWord} `, fidelity(memoryFidelity(p))),
            bars.element,
            shared
                ? h(
                      'p',
                      { class: 'note' },
                      'Bars are higher than what a tile holds where categories share addresses at different times: the line has each address once.',
                  )
                : null,
        ),
        own ? limits(p) : null,
        p.categories.some((x) => x.rows.some((id) => p.isSum(id))) ? sums(p) : null,
        h('div', { class: 'grid2' }, rows.element, detail),
    ];
    return { elements, change };
}

// Machines whose tiles have several memories: each against its own limit.
function limits(p) {
    const list = p.categories.filter((c) => c.limit && p.categoryTotal(c));
    return table({
        id: 'limits',
        caption: 'Memories and their limits',
        count: list.length,
        most: 9,
        columns: [
            { title: 'Memory', value: (i) => list[i].label },
            {
                title: 'Most used',
                number: true,
                value: (i) => Math.max(...p.categoryRow(list[i])),
                text: (i) => bytes(Math.max(...p.categoryRow(list[i]))),
                definition: 'bytes',
            },
            {
                title: 'Limit',
                number: true,
                value: (i) => list[i].limit,
                text: (i) => bytes(list[i].limit),
                definition: 'limit',
            },
            {
                title: 'Full',
                definition: 'full',
                number: true,
                value: (i) => Math.max(...p.categoryRow(list[i])) / list[i].limit,
                text: (i) => percent(Math.max(...p.categoryRow(list[i])) / list[i].limit),
                bar: (i) => Math.max(...p.categoryRow(list[i])) / list[i].limit,
                width: '150px',
            },
            { title: 'Figures', value: (i) => list[i].fidelity, width: '110px' },
        ],
    }).element;
}

// Files of the vendor may have categories as sums over all tiles only.
function sums(p) {
    const list = p.categories.filter((x) => p.categoryTotal(x));
    const of = (x, k) => x.rows.reduce((sum, id, i) => sum + (i % 2 === k && id ? p.c.rowSum[id] : 0), 0);
    return table({
        id: 'sums',
        caption: `Categories, as sums over all ${p.tileWord}s: this file has none of them by ${p.tileWord}`,
        count: list.length,
        most: 14,
        sort: [1, true],
        columns: [
            { title: 'Category', value: (i) => list[i].label },
            {
                title: 'Bytes',
                number: true,
                value: (i) => p.categoryTotal(list[i]),
                text: (i) => bytes(p.categoryTotal(list[i])),
                definition: 'bytes',
            },
            {
                title: 'Alone',
                number: true,
                value: (i) => of(list[i], 0),
                text: (i) => bytes(of(list[i], 0)),
                definition: 'alone',
            },
            {
                title: 'Shared',
                number: true,
                value: (i) => of(list[i], 1),
                text: (i) => bytes(of(list[i], 1)),
                definition: 'shared',
            },
            { title: 'Figures', value: (i) => list[i].fidelity, width: '110px' },
        ],
    }).element;
}

function tileTable(p, tile, list) {
    const used = list.filter((x) => x.row[tile] > 0);
    const all = used.reduce((sum, x) => sum + x.row[tile], 0);
    const split = (x, k) =>
        x.category
            ? x.category.rows.reduce((sum, id, i) => sum + (i % 2 === k && id ? (p.row(id)?.[tile] ?? 0) : 0), 0)
            : x.row[tile];
    return table({
        id: 'tile',
        caption: `What ${p.tileName(tile)} holds`,
        count: used.length,
        most: 10,
        sort: [1, true],
        columns: [
            { title: 'Category', value: (i) => used[i].label },
            {
                title: 'Bytes',
                number: true,
                value: (i) => used[i].row[tile],
                text: (i) => bytes(used[i].row[tile]),
                bar: (i) => (all ? used[i].row[tile] / all : 0),
                width: '120px',
                definition: 'bytes',
            },
            {
                title: 'Alone',
                number: true,
                value: (i) => split(used[i], 0),
                text: (i) => bytes(split(used[i], 0)),
                width: '90px',
                definition: 'alone',
            },
            {
                title: 'Shared',
                number: true,
                value: (i) => split(used[i], 1),
                text: (i) => bytes(split(used[i], 1)),
                width: '90px',
                definition: 'shared',
            },
            { title: 'Figures', value: (i) => used[i].category?.fidelity ?? '', width: '95px' },
        ],
    });
}

// Variables: the list of the machine, else the names that liveness has.
function variablesTab(p) {
    const c = p.c;
    const n = c.variableName.length;
    if (n)
        return [
            table({
                id: 'variables',
                owner: p,
                fidelity: 'exact',
                caption: 'Variables',
                count: n,
                most: 22,
                sort: [1, true],
                columns: [
                    { title: 'Name', value: (i) => p.name(c.variableName[i]) || '<unnamed>' },
                    {
                        title: 'Bytes',
                        number: true,
                        value: (i) => c.variableBytes[i],
                        text: (i) => bytes(c.variableBytes[i]),
                        definition: 'bytes',
                    },
                    {
                        title: 'Elements',
                        definition: 'elements',
                        number: true,
                        value: (i) => c.variableElements[i],
                        text: (i) => count(c.variableElements[i]),
                    },
                    { title: 'Type', value: (i) => p.name(c.variableType[i]), width: '110px' },
                    {
                        title: `${p.tileWord}s`,
                        definition: 'placed',
                        number: true,
                        value: (i) => c.variableTiles[i],
                        text: (i) => count(c.variableTiles[i]),
                        width: '80px',
                    },
                    {
                        title: `First ${p.tileWord}`,
                        definition: 'first',
                        number: true,
                        value: (i) => c.variableFirst[i],
                        text: (i) => (c.variableTiles[i] ? count(c.variableFirst[i]) : '–'),
                        width: '90px',
                    },
                    {
                        title: 'Kept',
                        value: (i) => (c.variableAlways[i] ? 'always' : 'while needed'),
                        width: '120px',
                        definition: 'alwaysLive',
                    },
                ],
            }).element,
            p.head.memory.variablesOmitted
                ? h(
                      'p',
                      { class: 'note' },
                      `${count(p.head.memory.variablesOmitted)} more variables are left out of this file.`,
                  )
                : null,
        ];
    const named = new Map();
    for (let i = 0; i < c.alwaysName.length; i++)
        named.set(c.alwaysName[i], {
            bytes: (named.get(c.alwaysName[i])?.bytes ?? 0) + c.alwaysBytes[i],
            always: true,
        });
    for (let i = 0; i < c.programLiveNames.length; i++) {
        const id = c.programLiveNames[i];
        if (!id) continue;
        const names = p.row(id, c.rowTiles[id]);
        const sizes = p.row(c.programLiveBytes[i], c.rowTiles[id]);
        if (!names || !sizes) continue;
        names.forEach((name, k) => {
            const known = named.get(name);
            if (!known?.always) named.set(name, { bytes: Math.max(known?.bytes ?? 0, sizes[k]), always: false });
        });
    }
    const list = [...named];
    if (!list.length) return [absent('No variables: this machine did not list them.')];
    return [
        table({
            id: 'variables',
            fidelity: liveFidelity(p),
            caption: 'Variables, by name',
            count: list.length,
            most: 22,
            sort: [1, true],
            columns: [
                { title: 'Name', value: (i) => p.name(list[i][0]) },
                {
                    title: 'Bytes on all tiles',
                    number: true,
                    value: (i) => list[i][1].bytes,
                    text: (i) => bytes(list[i][1].bytes),
                    width: '150px',
                    definition: 'bytes',
                },
                {
                    title: 'Kept',
                    value: (i) => (list[i][1].always ? 'always' : 'while needed'),
                    width: '130px',
                    definition: 'alwaysLive',
                },
            ],
        }).element,
        h('p', { class: 'note' }, 'From liveness: tiles and types of single variables are absent in this profile.'),
    ];
}

const KINDS = [
    ['State', 'state'],
    ['Edge pointers', 'edgePointers'],
    ['Copy pointers', 'copyPointers'],
    ['Padding', 'padding'],
    ['Descriptors', 'descriptors'],
    ['Code', 'code'],
];

function verticesTab(p) {
    const c = p.c;
    const n = c.typeName.length;
    const of = (i, k) => {
        const id = c[`typeBytes${k}`][i];
        return id ? c.rowSum[id] : 0;
    };
    const sum = (i) => KINDS.reduce((all, _, k) => all + of(i, k), 0);
    const list = Array.from({ length: n }, (_, i) => i).filter((i) => sum(i) > 0);
    if (!list.length)
        return [
            absent(
                `No bytes by ${p.kernelWord}: this machine keeps no state of its kernels in tile memory, or did not record it.`,
            ),
        ];
    return [
        table({
            id: 'vertex-bytes',
            fidelity: memoryFidelity(p),
            caption: `Bytes of ${p.kernelWord === 'vertex' ? 'vertex types' : `${p.kernelWord}s`} on all ${p.tileWord}s`,
            count: list.length,
            most: 22,
            sort: [1, true],
            select: (i) => go({ view: 'kernels', tab: null, type: String(list[i]) }),
            columns: [
                { title: 'Type', value: (i) => p.name(c.typeName[list[i]]) },
                {
                    title: 'All',
                    number: true,
                    value: (i) => sum(list[i]),
                    text: (i) => bytes(sum(list[i])),
                    bar: (i) => sum(list[i]) / sum(list.reduce((a, b) => (sum(b) > sum(a) ? b : a))),
                    width: '120px',
                    definition: 'bytes',
                },
                ...KINDS.map(([title, definition], k) => ({
                    title,
                    definition,
                    number: true,
                    value: (i) => of(list[i], k),
                    text: (i) => (of(list[i], k) ? bytes(of(list[i], k)) : '–'),
                })),
            ],
        }).element,
    ];
}

const MAKE = { tiles: tilesTab, map: mapTab, variables: variablesTab, vertices: verticesTab, liveness: livenessTab };

export function memoryView(p, state, report) {
    const tab = MAKE[state.tab] ? state.tab : 'tiles';
    const made = MAKE[tab](p, state);
    const { elements, change } = Array.isArray(made) ? { elements: made } : made;
    const all = [tabs('memory', tab, inWordsOf(p, MEMORY_TABS)), ...elements].filter(Boolean);
    return { elements: withAnswer(all, 'memory', tab, p, report), change };
}
