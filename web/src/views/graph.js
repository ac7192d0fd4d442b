// SPDX-License-Identifier: MIT
// Graph: kernels, what comes in and goes out, parameters, and the windows and streams between them, with what went through
// and who waited. A layered picture (layered.js), to the right, on a narrow screen downwards.
import { KIND_COLOURS } from '../chart.js';
import { drawing } from '../drawing.js';
import { announce, h } from '../dom.js';
import { bytes, count, cut, part, short } from '../format.js';
import { layered } from '../layered.js';
import { NONE } from '../model.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { withAnswer } from './answers.js';
import { absent, fidelity, legend, panel, timeFidelity } from './parts.js';

const SIZES = { kernel: [158, 62], parameter: [132, 36] };
const PORT = [132, 36];
const NARROW = 600;
const LEAST = 0.9; // of the size that words are drawn in: smaller ones are hard to read
const SMALL = 0.75; // and those that are borne where all of a picture is seen then, on a large screen
const HIGH = 700; // pixels of a picture whose lower parts come into sight by moving it
const ALL = 3000; // of one that the page itself is moved along; a canvas of telephones has not many more
const WAITS = 0.01; // of the run: what is written beside a wire

function graphOf(p) {
    const c = p.c;
    const total = p.totals?.cycles || 0;
    const nodes = Array.from(c.nodeName.keys(), (i) => {
        const kind = p.name(c.nodeKind[i]);
        return {
            kind,
            name: p.name(c.nodeName[i]),
            group: c.nodeGroup[i] ? p.name(c.nodeGroup[i]) : '',
            tile: c.nodeTile[i] === NONE ? -1 : c.nodeTile[i],
            works: total ? c.nodeCycles[i] / total : 0,
            waits: total ? c.nodeWaits[i] / total : 0,
            size: SIZES[kind] ?? PORT,
        };
    });
    const most = c.wireBytes.reduce((top, v) => Math.max(top, v), 0) || 1;
    const wires = Array.from(c.wireFrom.keys(), (i) => {
        const kind = p.name(c.wireKind[i]);
        const waits = c.wireReaderWaits[i] + c.wireWriterWaits[i];
        return {
            kind,
            ends: [c.wireFrom[i], c.wireTo[i]],
            holds: kind === 'window' ? `${c.wireBlocks[i]} × ${bytes(c.wireHolds[i])}` : kind,
            rate: total ? c.wireBytes[i] / total : 0,
            moved: c.wireBytes[i],
            waits: total ? waits / total : 0,
            wide: 1.2 + 3 * Math.sqrt(c.wireBytes[i] / most),
        };
    });
    return { nodes, wires };
}

const rateText = (w) => (w.moved ? `${w.rate >= 0.1 ? w.rate.toFixed(2) : w.rate.toPrecision(2)} B/cycle` : '');

// Ends of wires spread over the side of a box, in the order of the other ends, so that they cross little.
function endsOf(graph, at, down) {
    const middle = (i) => at[i][1] + graph.nodes[i].size[down ? 0 : 1] / 2;
    const ends = graph.wires.map(() => [0, 0]);
    for (const side of [0, 1]) {
        const byNode = new Map();
        graph.wires.forEach((w, e) => {
            if (!byNode.has(w.ends[side])) byNode.set(w.ends[side], []);
            byNode.get(w.ends[side]).push(e);
        });
        for (const [node, list] of byNode) {
            const other = (e) => middle(graph.wires[e].ends[1 - side]);
            list.sort((a, b) => other(a) - other(b) || a - b);
            list.forEach((e, i) => {
                ends[e][side] = at[node][1] + (graph.nodes[node].size[down ? 0 : 1] * (i + 1)) / (list.length + 1);
            });
        }
    }
    return ends;
}

// Everything in pixels of the whole picture, x to the right and y downwards.
function layOut(graph, down) {
    const turn = ([along, across]) => (down ? [across, along] : [along, across]);
    const made = layered(
        graph.nodes.map((n) => ({ size: down ? [n.size[1], n.size[0]] : n.size, group: n.group })),
        graph.wires.map((w) => w.ends),
        down,
    );
    const ends = endsOf(graph, made.places, down);
    const lines = graph.wires.map((w, e) => {
        const [from, to] = w.ends;
        const long = graph.nodes[from].size[down ? 1 : 0];
        return [[made.places[from][0] + long, ends[e][0]], ...made.ways[e], [made.places[to][0], ends[e][1]]].map(
            turn,
        );
    });
    return {
        down,
        at: made.places.map(turn),
        boxes: made.boxes.map((b) => ({ name: b.name, at: turn(b.at), size: turn(b.size) })),
        lines,
        size: turn(made.size),
    };
}

// Curves that leave and arrive along the layers; the middle is where the label stands.
function curve(pen, points, down) {
    pen.beginPath();
    pen.moveTo(...points[0]);
    let middle = points[0];
    for (let i = 1; i < points.length; i++) {
        const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
        const reach = Math.max(24, Math.abs(down ? y1 - y0 : x1 - x0) / 2);
        if (down) pen.bezierCurveTo(x0, y0 + reach, x1, y1 - reach, x1, y1);
        else pen.bezierCurveTo(x0 + reach, y0, x1 - reach, y1, x1, y1);
        if (i === Math.ceil((points.length - 1) / 2)) middle = [(x0 + x1) / 2, (y0 + y1) / 2];
    }
    return middle;
}

function fitted(pen, text, width) {
    let shown = cut(text, 60);
    while (shown.length > 2 && pen.measureText(shown).width > width) shown = `${shown.slice(0, -2)}…`;
    return shown;
}

const FONT = 'system-ui, sans-serif';

function drawWire(pen, w, points, down, colours, chosen) {
    const stalls = w.waits >= WAITS;
    pen.strokeStyle = pen.fillStyle = stalls ? colours.bad : chosen ? colours.text : colours.accent;
    pen.lineWidth = w.kind === 'parameter' ? 1 : w.wide;
    pen.setLineDash(w.kind === 'parameter' ? [4, 3] : w.kind === 'cascade' ? [9, 3] : []);
    const middle = curve(pen, points, down);
    pen.stroke();
    pen.setLineDash([]);
    const [x, y] = points[points.length - 1];
    const size = 5 + w.wide;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - (down ? size * 0.6 : size), y - (down ? size : size * 0.6));
    pen.lineTo(x + (down ? size * 0.6 : -size), y + (down ? -size : size * 0.6));
    pen.fill();
    return middle;
}

function drawLabel(pen, w, [x, y], colours) {
    const words = [
        w.kind === 'parameter' ? '' : w.holds,
        rateText(w),
        w.waits >= WAITS ? `waits ${part(w.waits)}` : '',
    ];
    const lines = words.filter(Boolean);
    if (!lines.length) return;
    pen.font = `10px ${FONT}`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    const wide = Math.max(...lines.map((line) => pen.measureText(line).width)) + 8;
    const tall = 12 * lines.length + 4;
    pen.fillStyle = colours.panel;
    pen.fillRect(x - wide / 2, y - tall / 2, wide, tall);
    if (w.kind === 'window') {
        pen.strokeStyle = colours.line;
        pen.lineWidth = 1;
        pen.strokeRect(x - wide / 2, y - tall / 2, wide, tall);
    }
    lines.forEach((line, i) => {
        pen.fillStyle = line.startsWith('waits') ? colours.bad : colours.text;
        pen.fillText(line, x, y - tall / 2 + 8 + 12 * i);
    });
}

function drawNode(pen, p, n, [x, y], colours, chosen) {
    const [wide, tall] = n.size;
    const round = n.kind === 'kernel' ? 4 : tall / 2;
    pen.fillStyle = colours.panel;
    pen.strokeStyle = chosen ? colours.text : n.kind === 'kernel' ? colours.accent : colours.muted;
    pen.lineWidth = chosen ? 3 : 1.5;
    pen.setLineDash(n.kind === 'parameter' ? [4, 3] : []);
    pen.beginPath();
    pen.roundRect(x, y, wide, tall, round);
    pen.fill();
    pen.stroke();
    pen.setLineDash([]);
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillStyle = colours.text;
    pen.font = `600 12px ${FONT}`;
    const second = n.kind === 'kernel' ? (n.tile >= 0 ? p.shortTile(n.tile) : '') : n.kind;
    pen.fillText(
        fitted(pen, n.name, wide - 12),
        x + wide / 2,
        y + (n.kind === 'kernel' ? 15 : second ? tall / 2 - 6 : tall / 2),
    );
    pen.font = `10px ${FONT}`;
    pen.fillStyle = colours.muted;
    pen.fillText(fitted(pen, second, wide - 12), x + wide / 2, y + (n.kind === 'kernel' ? 31 : tall / 2 + 8));
    if (n.kind !== 'kernel') return;
    const room = wide - 60;
    pen.fillStyle = colours.line;
    pen.fillRect(x + 8, y + 44, room, 8);
    pen.fillStyle = KIND_COLOURS.compute;
    pen.fillRect(x + 8, y + 44, room * Math.min(1, n.works), 8);
    pen.fillStyle = KIND_COLOURS.wait;
    pen.fillRect(x + 8 + room * Math.min(1, n.works), y + 44, room * Math.min(1 - Math.min(1, n.works), n.waits), 8);
    pen.fillStyle = colours.text;
    pen.textAlign = 'right';
    pen.fillText(part(n.works), x + wide - 8, y + 48);
}

function drawGroups(pen, boxes, colours) {
    for (const box of boxes) {
        pen.fillStyle = colours.line;
        pen.globalAlpha = 0.25;
        pen.beginPath();
        pen.roundRect(...box.at, ...box.size, 8);
        pen.fill();
        pen.globalAlpha = 1;
        pen.strokeStyle = colours.line;
        pen.lineWidth = 1;
        pen.stroke();
        pen.font = `11px ${FONT}`;
        pen.textAlign = 'left';
        pen.textBaseline = 'top';
        pen.fillStyle = colours.muted;
        pen.fillText(
            fitted(pen, box.name.slice(box.name.lastIndexOf('/') + 1), box.size[0] - 16),
            box.at[0] + 10,
            box.at[1] + 8,
        );
    }
}

function wiresTable(p, graph) {
    const c = p.c;
    const number = (title, values, definition, text = (v) => (v ? count(v) : '–'), width = '120px') => ({
        title,
        number: true,
        value: (i) => values[i],
        text: (i) => text(values[i], i),
        definition,
        width,
    });
    return table({
        id: 'wires',
        caption: 'Windows, streams and parameters',
        fidelity: timeFidelity(p) ?? 'estimated',
        count: graph.wires.length,
        most: 16,
        sort: [3, true],
        columns: [
            { title: 'From', value: (i) => graph.nodes[c.wireFrom[i]].name, width: '150px' },
            { title: 'To', value: (i) => graph.nodes[c.wireTo[i]].name },
            { title: 'Kind', value: (i) => graph.wires[i].kind, width: '100px' },
            number('Bytes', c.wireBytes, 'wireBytes'),
            {
                ...number('Bytes/cycle', c.wireBytes, 'wireRate'),
                value: (i) => graph.wires[i].rate,
                text: (i) => rateText(graph.wires[i]).split(' ')[0] || '–',
            },
            number('Holds', c.wireHolds, 'wireHolds', (v, i) => bytes(v * c.wireBlocks[i])),
            number('Reader waits', c.wireReaderWaits, 'readerWaits', undefined, '130px'),
            number('Writer waits', c.wireWriterWaits, 'writerWaits', undefined, '130px'),
        ],
    });
}

function nodesTable(p, graph, choose) {
    const c = p.c;
    const kernels = Array.from(graph.nodes.keys()).filter((i) => graph.nodes[i].kind === 'kernel');
    const number = (title, value, definition, text) => ({
        title,
        number: true,
        value: (k) => value(kernels[k]),
        text: (k) => text(value(kernels[k])),
        definition,
        width: '120px',
    });
    return table({
        id: 'nodes',
        caption: 'Kernels',
        fidelity: timeFidelity(p) ?? 'estimated',
        count: kernels.length,
        most: 12,
        sort: [3, true],
        select: (k) => choose(kernels[k]),
        columns: [
            { title: 'Kernel', value: (k) => graph.nodes[kernels[k]].name },
            { title: 'Sub-graph', value: (k) => graph.nodes[kernels[k]].group || '–', width: '140px' },
            {
                title: 'On',
                value: (k) => (graph.nodes[kernels[k]].tile >= 0 ? p.shortTile(graph.nodes[kernels[k]].tile) : '–'),
                width: '110px',
            },
            number('Cycles', (i) => c.nodeCycles[i], 'nodeCycles', count),
            number('Works', (i) => graph.nodes[i].works, 'nodeShare', part),
            number('Waits', (i) => c.nodeWaits[i], 'nodeWaits', count),
            number('Firings', (i) => c.nodeRuns[i], 'nodeRuns', count),
        ],
    });
}

function graphParts(p, state) {
    if (!p.c.nodeName.length)
        return [
            absent(
                `A graph of kernels is absent: AI Engine arrays record theirs; ${p.target.type === 'AI_ENGINE' ? 'this file is of a version that did not' : `what a ${p.tileWord} runs here is shown by Program and Time`}.`,
            ),
        ];
    const graph = graphOf(p);
    let chosen = graph.nodes[Number(state.node ?? -1)] ? Number(state.node) : -1;
    let laid = null;
    let zoom = 0; // of what fits; 0: that, or what can be read
    let shift = null; // null: as laid out, its middle in sight
    let scale = 1;
    let corner = [0, 0];
    const detail = h('div', { class: 'detail' });
    const layFor = (width) => {
        const down = width < NARROW;
        if (laid?.down !== down) laid = layOut(graph, down);
        return laid;
    };
    const fit = (width) => Math.min(1.15, (width - 8) / Math.max(1, layFor(width).size[0]));
    const natural = (width) => (!layFor(width).down && fit(width) >= SMALL ? 1 : Math.max(1, LEAST / fit(width)));
    const kernels = graph.nodes.filter((n) => n.kind === 'kernel').length;
    const content = (width) => layFor(width).size[1] * fit(width) * (zoom || natural(width)) + 16;
    const high = (width) => {
        if (layFor(width).down && content(width) <= ALL) return content(width);
        return Math.min(HIGH, layFor(width).size[1] * fit(width) * natural(width) + 16);
    };

    const picture = drawing({
        id: 'graph',
        title: 'Kernels and what joins them',
        describe: () =>
            `${kernels} kernels, ${graph.nodes.length - kernels} ports and parameters, ${graph.wires.length} connections. Arrow keys go from one to the next.`,
        height: (width) => Math.max(90, high(width)),
        draw(pen, width, height, colours) {
            const { at, boxes, lines, down } = layFor(width);
            scale = fit(width) * (zoom || natural(width));
            // Fingers move it to the sides, and the page up and down, unless parts of it would stay out of sight.
            pen.canvas.style.touchAction = content(width) > height + 1 ? 'none' : 'pan-y';
            corner = shift ?? [Math.min(0, (width - 8 - laid.size[0] * scale) / 2), 0];
            pen.save();
            pen.translate(4 + corner[0], 8 + corner[1]);
            pen.scale(scale, scale);
            drawGroups(pen, boxes, colours);
            const near = (w) => chosen >= 0 && w.ends.includes(chosen);
            const middles = graph.wires.map((w, e) => drawWire(pen, w, lines[e], down, colours, near(w)));
            graph.nodes.forEach((n, i) => drawNode(pen, p, n, at[i], colours, i === chosen));
            graph.wires.forEach((w, e) => drawLabel(pen, w, middles[e], colours));
            pen.restore();
        },
        figures: () => ({
            nodes: graph.nodes.map((n) => n.name),
            wires: graph.wires.map((w) => [...w.ends, w.kind, w.moved]),
            at: laid?.at,
            boxes: laid?.boxes,
            size: laid?.size,
            down: laid?.down,
            chosen,
            scale,
            corner,
        }),
        point(x, y) {
            const [px, py] = [(x - 4 - corner[0]) / scale, (y - 8 - corner[1]) / scale];
            const hit = graph.nodes.findIndex(
                (n, i) =>
                    px >= laid.at[i][0] &&
                    px <= laid.at[i][0] + n.size[0] &&
                    py >= laid.at[i][1] &&
                    py <= laid.at[i][1] + n.size[1],
            );
            if (hit >= 0) choose(hit);
        },
        keys: {
            ArrowRight: () => along(laid.down ? 'beside' : 'to', 1),
            ArrowLeft: () => along(laid.down ? 'beside' : 'from', -1),
            ArrowDown: () => along(laid.down ? 'to' : 'beside', 1),
            ArrowUp: () => along(laid.down ? 'from' : 'beside', -1),
            '+': () => enlarge(1.25),
            '=': () => enlarge(1.25),
            '-': () => enlarge(0.8),
            0: () => enlarge(0),
            w: () => move(0, 60),
            s: () => move(0, -60),
            a: () => move(60, 0),
            d: () => move(-60, 0),
        },
    });

    function enlarge(by) {
        const first = natural(picture.element.clientWidth);
        zoom = by ? Math.min(Math.max(6, 4 * first), Math.max(0.5, (zoom || first) * by)) : 1;
        if (!by) shift = null;
        picture.draw();
    }
    function move(x, y) {
        shift = [corner[0] + x, corner[1] + y];
        picture.draw();
    }
    // A box that is out of sight comes to the middle.
    function reach(i) {
        const { clientWidth, clientHeight } = picture.element;
        const middle = [0, 1].map((k) => (laid.at[i][k] + graph.nodes[i].size[k] / 2) * scale + corner[k]);
        const by = [clientWidth, clientHeight].map((room, k) =>
            middle[k] < 0 || middle[k] > room ? room / 2 - middle[k] : 0,
        );
        if (by[0] || by[1]) move(...by);
    }
    // To what a box feeds, to what feeds it, to the next one beside it.
    function along(way, step) {
        if (chosen < 0) return choose(0);
        const fits = (i) => {
            if (way === 'to') return graph.wires.some((w) => w.ends[0] === chosen && w.ends[1] === i);
            if (way === 'from') return graph.wires.some((w) => w.ends[1] === chosen && w.ends[0] === i);
            const k = laid.down ? 0 : 1;
            return (laid.at[i][k] - laid.at[chosen][k]) * step > 0;
        };
        const far = (i) => Math.hypot(laid.at[i][0] - laid.at[chosen][0], laid.at[i][1] - laid.at[chosen][1]);
        const next = Array.from(graph.nodes.keys())
            .filter((i) => i !== chosen && fits(i))
            .sort((a, b) => far(a) - far(b) || a - b)[0];
        if (next !== undefined) choose(next);
        return undefined;
    }
    const sentence = (i) => {
        const n = graph.nodes[i];
        return n.kind === 'kernel'
            ? `${n.name}${n.group ? ` of ${n.group}` : ''}: works ${part(n.works)} of the time, waits ${part(n.waits)}`
            : `${n.name}, ${n.kind}`;
    };
    function about() {
        const rows = graph.wires
            .filter((w) => w.ends.includes(chosen))
            .slice(0, 24)
            .map((w) => [
                w.ends[0] === chosen ? `to ${graph.nodes[w.ends[1]].name}` : `from ${graph.nodes[w.ends[0]].name}`,
                w.holds,
                w.moved ? `${bytes(w.moved)}, ${rateText(w)}` : '',
                w.waits ? `waits ${part(w.waits)}` : '',
            ]);
        detail.replaceChildren(
            h('h3', {}, sentence(chosen)),
            h(
                'table',
                { class: 'motion-facts' },
                rows.map((row) =>
                    h(
                        'tr',
                        {},
                        row.map((text) => h('td', {}, text)),
                    ),
                ),
            ),
        );
    }
    function choose(next) {
        chosen = next;
        announce(sentence(chosen));
        about();
        picture.draw();
        reach(next);
        go({ node: String(chosen) }, { replace: true });
    }
    let held = null;
    const canvas = picture.element.querySelector('canvas');
    canvas.addEventListener('pointerdown', (event) => (held = [event.clientX, event.clientY]));
    canvas.addEventListener('pointermove', (event) => {
        if (!held || !event.buttons) return;
        if (scale > fit(picture.element.clientWidth)) move(event.clientX - held[0], event.clientY - held[1]);
        held = [event.clientX, event.clientY];
    });
    if (chosen >= 0) about();
    else
        detail.append(
            h('p', { class: 'note' }, 'Click a box, or go to it with the arrow keys, for what it is joined to.'),
        );
    const button = (text, title, by) => h('button', { type: 'button', title, onclick: () => enlarge(by) }, text);
    return [
        panel(
            h('span', {}, 'Kernels and what joins them ', fidelity(timeFidelity(p) ?? 'estimated')),
            h(
                'div',
                { class: 'tools' },
                button('+', 'Larger (+)', 1.25),
                button('−', 'Smaller (−)', 0.8),
                button('0', 'All of it (0)', 0),
                h('span', { class: 'note' }, `${count(p.totals?.cycles ?? 0)} cycles in all`),
            ),
            picture.element,
            legend([
                ['works', KIND_COLOURS.compute],
                ['waits', KIND_COLOURS.wait],
                ['a red connection: one end waits for it', 'var(--bad)'],
            ]),
            detail,
            p.head.nodesOmitted
                ? h('p', { class: 'note' }, `${short(p.head.nodesOmitted)} parts were left out of the profile.`)
                : null,
        ),
        nodesTable(p, graph, choose).element,
        wiresTable(p, graph).element,
    ];
}

export function graphView(p, state, report) {
    return {
        elements: withAnswer(graphParts(p, state), 'graph', null, p, report),
        change: (next, small) => small, // small ones are of this view's own making
    };
}
