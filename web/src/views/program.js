// SPDX-License-Identifier: MIT
// Program: the tree of control programs with what each part costs.
import { chart, KIND_COLOURS } from '../chart.js';
import { h } from '../dom.js';
import { bytes, count, cut, part, percent } from '../format.js';
import { BUCKETS, NONE } from '../model.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { namesParts } from './names.js';
import { absent, fidelity, panel, tabs, timeFidelity } from './parts.js';
import { withAnswer } from './answers.js';

const DEPTH = 3; // unfolded at first
const BOXES = 300;

// Programs before their children, with depth; iterative, as data may nest deeply.
function walk(p) {
    p.walked ??= findOrder(p);
    return p.walked;
}

function findOrder(p) {
    const c = p.c;
    const n = c.programType.length;
    const order = [];
    const depth = new Uint32Array(n);
    const stack = [];
    for (let i = n - 1; i >= 0; i--) if (c.programParent[i] === NONE) stack.push(i);
    while (stack.length) {
        const i = stack.pop();
        order.push(i);
        const first = stack.length;
        for (let k = c.programChild[i]; k !== NONE; k = c.programNext[k]) {
            depth[k] = depth[i] + 1;
            stack.push(k);
        }
        for (let a = first, b = stack.length - 1; a < b; a++, b--) [stack[a], stack[b]] = [stack[b], stack[a]];
    }
    return { order, depth };
}

function sums(p, order) {
    p.programSums ??= addUp(p, order);
    return p.programSums;
}

function addUp(p, order) {
    const c = p.c;
    const n = c.programType.length;
    const cycles = new Float64Array(n);
    const data = new Float64Array(n);
    const executions = new Float64Array(n);
    const kinds = new Uint8Array(n);
    for (let s = 0; s < p.stepCount; s++) {
        const i = c.stepProgram[s];
        if (i >= n) continue;
        cycles[i] += (c.stepCycles[s] - c.stepOverlapped[s]) * c.stepExecutions[s];
        data[i] += c.stepTotalData[s] * c.stepExecutions[s];
        executions[i] = Math.max(executions[i], c.stepExecutions[s]);
        kinds[i] = c.stepBucket[s];
    }
    for (let k = order.length - 1; k >= 0; k--) {
        const i = order[k];
        const up = c.programParent[i];
        if (up === NONE) continue;
        cycles[up] += cycles[i];
        data[up] += data[i];
        executions[up] = Math.max(executions[up], executions[i]);
    }
    return { cycles, data, executions, kinds };
}

function boxes(p, order, sum) {
    const c = p.c;
    const all = p.totals?.cycles || 0;
    if (!all) return null;
    // The largest programs, whole paths of them: a node without its parent cannot be drawn.
    const chosen = order.filter((i) => sum.cycles[i] > all / 500).slice(0, BOXES);
    const node = new Map(
        chosen.map((i) => [
            i,
            {
                name: cut(p.name(c.programName[i]) || p.name(c.programType[i]), 50),
                value: sum.cycles[i],
                id: String(i),
                itemStyle: { color: KIND_COLOURS[BUCKETS[sum.kinds[i]].key] },
                children: [],
            },
        ]),
    );
    const roots = [];
    for (const i of chosen) {
        const up = node.get(c.programParent[i]);
        if (up) up.children.push(node.get(i));
        else roots.push(node.get(i));
    }
    if (roots.length + chosen.length < 3) return null;
    return chart({
        id: 'program-tree',
        title: 'Programs by cycles',
        height: 300,
        describe: () => `${count(order.length)} programs; the area of each is its cycles.`,
        items: () => chosen.length,
        item: (k) =>
            `${cut(p.name(c.programName[chosen[k]]) || p.name(c.programType[chosen[k]]))}: ${count(sum.cycles[chosen[k]])} cycles, ${percent(sum.cycles[chosen[k]] / all)}`,
        select: (k) => go({ program: String(chosen[k]) }),
        click: (e) => e.data?.id && go({ program: e.data.id }),
        figures: () => chosen.map((i) => [i, sum.cycles[i]]),
        option: (colours) => ({
            tooltip: {
                trigger: 'item',
                formatter: (e) => `${e.name}\n${count(e.value)} cycles, ${percent(e.value / all)}`,
            },
            series: [
                {
                    type: 'treemap',
                    top: 4,
                    bottom: 4,
                    left: 4,
                    right: 4,
                    roam: false,
                    nodeClick: false,
                    breadcrumb: { show: false },
                    animation: false,
                    visibleMin: 20,
                    label: { show: true, color: '#000', fontSize: 11 },
                    upperLabel: { show: true, height: 18, color: colours.text, fontSize: 11 },
                    itemStyle: { borderColor: colours.panel, borderWidth: 1, gapWidth: 1 },
                    levels: [
                        {},
                        { itemStyle: { borderWidth: 2, borderColor: colours.line, gapWidth: 2 } },
                        { itemStyle: { borderWidth: 1, borderColor: colours.line, gapWidth: 1 } },
                    ],
                    data: roots,
                },
            ],
        }),
    });
}

function programParts(p, state) {
    const c = p.c;
    const n = c.programType.length;
    if (!n) return { elements: [absent('No program: this profile has no graph part.')] };
    const { order, depth } = walk(p);
    const sum = sums(p, order);
    const all = p.totals?.cycles || 0;
    const folded = new Set(order.filter((i) => depth[i] >= DEPTH && c.programChild[i] !== NONE));
    const selected = state.program !== undefined && Number(state.program) < n ? Number(state.program) : -1;
    for (let i = selected >= 0 ? c.programParent[selected] : NONE; i !== NONE; i = c.programParent[i])
        folded.delete(i);
    const visible = () => {
        const list = [];
        let under = Infinity;
        for (const i of order) {
            if (depth[i] > under) continue;
            under = folded.has(i) ? depth[i] : Infinity;
            list.push(i);
        }
        return Uint32Array.from(list);
    };
    const name = (i) => p.name(c.programName[i]);
    const marker = (i) => (c.programChild[i] === NONE ? '·' : folded.has(i) ? '▸' : '▾');
    const setFold = (i, open) => {
        if (open) folded.delete(i);
        else if (c.programChild[i] !== NONE) folded.add(i);
        rows.setRows(visible());
    };
    const detail = h('div');
    const rows = table({
        id: 'programs',
        fidelity: timeFidelity(p) ?? 'absent',
        caption: 'Control programs',
        count: n,
        most: 20,
        rows: visible(),
        selected,
        fold: setFold,
        select: (i) => {
            if (c.programChild[i] !== NONE) setFold(i, folded.has(i));
            go({ program: String(i) }, { replace: true });
        },
        columns: [
            {
                title: 'Program',
                value: (i) => `${name(i)} ${p.name(c.programType[i])}`,
                text: (i) =>
                    `${'\u2003'.repeat(Math.min(depth[i], 20))}${marker(i)} ${p.name(c.programType[i])}${c.programCount[i] ? ` × ${count(c.programCount[i])}` : ''}${name(i) ? `: ${name(i)}` : ''}`,
                plain: (i) => `${' '.repeat(depth[i])}${p.name(c.programType[i])}${name(i) ? `: ${name(i)}` : ''}`,
            },
            {
                title: 'Cycles',
                number: true,
                value: (i) => sum.cycles[i],
                text: (i) => (sum.cycles[i] ? count(sum.cycles[i]) : '–'),
                bar: (i) => (all ? sum.cycles[i] / all : 0),
                width: '150px',
                definition: 'total',
            },
            {
                title: 'Share',
                number: true,
                value: (i) => (all ? sum.cycles[i] / all : 0),
                text: (i) => (sum.cycles[i] ? part(sum.cycles[i] / all) : '–'),
                width: '80px',
                definition: 'share',
            },
            {
                title: 'Executions',
                number: true,
                value: (i) => sum.executions[i],
                text: (i) => (sum.executions[i] ? count(sum.executions[i]) : '–'),
                definition: 'executions',
            },
            {
                title: 'Data',
                number: true,
                value: (i) => sum.data[i],
                text: (i) => (sum.data[i] ? bytes(sum.data[i]) : '–'),
                definition: 'data',
            },
        ],
    });
    const show = (i) => detail.replaceChildren(...(i >= 0 && i < n ? [steps(p, i, order)] : []));
    show(selected);
    const map = boxes(p, order, sum);
    return {
        elements: [
            map
                ? panel(
                      h('span', {}, 'Where the cycles are ', fidelity(timeFidelity(p))),
                      map.element,
                      h('p', { class: 'note' }, 'Areas are cycles. Syncs belong to no program and are not in it.'),
                  )
                : null,
            h(
                'div',
                { class: 'tools' },
                h(
                    'button',
                    { type: 'button', onclick: () => (folded.clear(), rows.setRows(visible())) },
                    'Unfold all',
                ),
                h(
                    'button',
                    {
                        type: 'button',
                        onclick: () => (
                            order.filter((i) => c.programChild[i] !== NONE).forEach((i) => folded.add(i)),
                            rows.setRows(visible())
                        ),
                    },
                    'Fold all',
                ),
                h(
                    'span',
                    { class: 'note' },
                    all ? `${count(all)} cycles in all.` : 'Cycles are absent: this profile has no execution part.',
                ),
            ),
            rows.element,
            detail,
        ].filter(Boolean),
        change(next) {
            const i = Number(next.program ?? -1);
            if (i >= 0 && i < n) {
                for (let up = c.programParent[i]; up !== NONE; up = c.programParent[up]) folded.delete(up);
                rows.setRows(visible());
            }
            rows.select(i);
            show(i);
        },
    };
}

// Steps that a program or what is below it executes.
function steps(p, program, order) {
    const c = p.c;
    const below = new Set([program]);
    for (const i of order.slice(order.indexOf(program) + 1)) {
        if (!below.has(c.programParent[i])) {
            if (c.programParent[i] === c.programParent[program] || c.programParent[i] === NONE) break;
            continue;
        }
        below.add(i);
    }
    const list = [];
    for (let s = 0; s < p.stepCount; s++) if (below.has(c.stepProgram[s])) list.push(s);
    if (!list.length) return h('p', { class: 'note' }, 'No executed step belongs to this program.');
    return table({
        id: 'program-steps',
        caption: `Steps of ${cut(p.name(c.programName[program]) || p.name(c.programType[program]), 60)}`,
        count: list.length,
        most: 10,
        sort: [2, true],
        select: (i) => go({ view: 'time', step: String(list[i]) }),
        columns: [
            { title: 'Step', value: (i) => p.stepName(list[i]) },
            { title: 'Type', value: (i) => p.stepType(list[i]), width: '150px' },
            {
                title: 'Cycles in all',
                number: true,
                value: (i) => p.stepTotal(list[i]),
                text: (i) => count(p.stepTotal(list[i])),
                width: '130px',
                definition: 'total',
            },
            {
                title: 'Executions',
                number: true,
                value: (i) => c.stepExecutions[list[i]],
                text: (i) => count(c.stepExecutions[list[i]]),
                definition: 'executions',
            },
        ],
    }).element;
}

export const PROGRAM_TABS = [
    ['tree', 'Control programs'],
    ['names', 'Names'],
];

export function programView(p, state, report) {
    const tab = state.tab === 'names' ? 'names' : 'tree';
    const made = tab === 'names' ? namesParts(p) : programParts(p, state, report);
    const elements = [tabs('program', tab, PROGRAM_TABS), ...made.elements];
    return { ...made, elements: withAnswer(elements, 'program', tab, p, report) };
}
