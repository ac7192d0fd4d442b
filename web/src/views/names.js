// SPDX-License-Identifier: MIT
// Steps by the names that the program gave them: Layer1/Fwd/Conv is a step of Fwd, and that a part of Layer1.
import { h } from '../dom.js';
import { bytes, count, part } from '../format.js';
import { BUCKETS } from '../model.js';
import { table } from '../table.js';
import { absent, timeFidelity } from './parts.js';

const DEPTH = 2; // unfolded at first
const DEEPEST = 32; // names of files may have any number of parts: the rest is one

// Nodes, a parent before its children: title, depth, parent, and sums of what is below.
function namesTree(p) {
    const nodes = [];
    const at = new Map();
    const node = (path, title, up) => {
        if (!at.has(path)) {
            at.set(path, nodes.length);
            nodes.push({
                title,
                up,
                depth: up < 0 ? 0 : nodes[up].depth + 1,
                cycles: 0,
                data: 0,
                steps: 0,
                below: [],
            });
            if (up >= 0) nodes[up].below.push(nodes.length - 1);
        }
        return at.get(path);
    };
    // An exchange without a name brings what the next computing step reads.
    const owner = new Int32Array(p.stepCount).fill(-1);
    for (let s = p.stepCount - 1, next = -1; s >= 0; s--) {
        const kind = BUCKETS[p.c.stepBucket[s]].key;
        if (kind === 'compute') next = p.c.stepName[s] ? s : -1;
        if ((kind === 'exchange' || kind === 'global') && !p.name(p.c.stepName[s])) owner[s] = next;
    }
    for (let s = 0; s < p.stepCount; s++) {
        const executions = p.c.stepExecutions[s];
        if (!executions) continue;
        const own = p.plainStepName(s);
        // the engine names a print after its title, which is a text and no path
        const isPrint = p.name(p.c.stepType[s]) === 'StreamCopy' && own.startsWith('print ');
        const full = owner[s] >= 0 ? `${p.plainStepName(owner[s])}/${own}` : own;
        const parts = isPrint ? [own] : full.split('/').filter(Boolean);
        const titles =
            parts.length > DEEPEST ? [...parts.slice(0, DEEPEST - 1), parts.slice(DEEPEST - 1).join('/')] : parts;
        let up = -1;
        let path = '';
        for (const title of titles.length ? titles : ['(no name)']) {
            path += `/${title}`;
            up = node(path, title, up);
            nodes[up].cycles += p.stepAlone(s);
            nodes[up].data += p.c.stepTotalData[s] * executions;
            nodes[up].steps += executions;
        }
    }
    return nodes;
}

// As they are read: each followed by what is below it, the largest first.
function inOrder(nodes) {
    const largest = (list) => [...list].sort((a, b) => nodes[a].cycles - nodes[b].cycles || b - a);
    const stack = largest([...nodes.keys()].filter((i) => nodes[i].up < 0));
    const order = [];
    while (stack.length) {
        const i = stack.pop();
        order.push(i);
        for (const below of largest(nodes[i].below)) stack.push(below);
    }
    return order;
}

export function namesParts(p) {
    const nodes = namesTree(p);
    if (!nodes.length) return { elements: [absent('No step was executed, so there are no names to add up.')] };
    const order = inOrder(nodes);
    const all = p.totals?.cycles || 0;
    const folded = new Set(order.filter((i) => nodes[i].depth >= DEPTH && nodes[i].below.length));
    const visible = () => {
        const list = [];
        let under = Infinity;
        for (const i of order) {
            if (nodes[i].depth > under) continue;
            under = folded.has(i) ? nodes[i].depth : Infinity;
            list.push(i);
        }
        return Uint32Array.from(list);
    };
    const fold = (i, open) => {
        if (open) folded.delete(i);
        else if (nodes[i].below.length) folded.add(i);
        rows.setRows(visible());
    };
    const marker = (i) => (!nodes[i].below.length ? '·' : folded.has(i) ? '▸' : '▾');
    const rows = table({
        id: 'names',
        fidelity: timeFidelity(p) ?? 'absent',
        caption: 'Steps by the program’s own names',
        count: nodes.length,
        most: 24,
        rows: visible(),
        fold,
        select: (i) => fold(i, folded.has(i)),
        columns: [
            {
                title: 'Name',
                value: (i) => nodes[i].title,
                text: (i) => `${'\u2003'.repeat(nodes[i].depth)}${marker(i)} ${nodes[i].title}`,
                plain: (i) => `${' '.repeat(nodes[i].depth)}${nodes[i].title}`,
            },
            {
                title: 'Cycles',
                number: true,
                value: (i) => nodes[i].cycles,
                text: (i) => count(nodes[i].cycles),
                bar: (i) => (all ? nodes[i].cycles / all : 0),
                definition: 'total',
                width: '150px',
            },
            {
                title: 'Share',
                number: true,
                value: (i) => (all ? nodes[i].cycles / all : 0),
                text: (i) => part(all ? nodes[i].cycles / all : 0),
                definition: 'share',
                width: '80px',
            },
            {
                title: 'Steps',
                number: true,
                value: (i) => nodes[i].steps,
                text: (i) => count(nodes[i].steps),
                definition: 'steps',
                width: '90px',
            },
            {
                title: 'Data',
                number: true,
                value: (i) => nodes[i].data,
                text: (i) => (nodes[i].data ? bytes(nodes[i].data) : '–'),
                definition: 'data',
                width: '100px',
            },
        ],
    });
    return {
        elements: [
            rows.element,
            h(
                'p',
                { class: 'note' },
                'Cycles of a name are those of all steps below it; an exchange without a name of its own is below the step that reads what it brings.',
            ),
        ],
    };
}
