// SPDX-License-Identifier: MIT
// What a grid of tiles did over time, as frames: of each cell (a tile, or a block of many) what it did most, of each link
// how much left by it. From what the machine folded in stretches of time; without that from its intervals.
import { KIND_COLOURS } from './chart.js';
import { PALETTE } from './marks.js';
import { NONE } from './model.js';

const SIDE = 64; // cells along a side, at most
const FRAMES = 2000;
const CONNECTIONS = 2000; // drawn, of those that a profile lists
const DID = 5; // kinds of flow beyond the four links: code, data, and three waits
const WORKS_FROM = 0.25; // of a stretch: a tile that works so long counts as working, though something of it waits
const NO_COLOUR = 255;

export const SIDES = ['west', 'east', 'south', 'north'];
export const colourOf = (color) => (color === NO_COLOUR ? KIND_COLOURS.idle : PALETTE[color % PALETTE.length]);

const IDLE = { label: 'nothing', colour: null };
const FLOW_STATES = [
    IDLE,
    { label: 'runs code', colour: KIND_COLOURS.compute, works: true },
    { label: 'works on data', colour: KIND_COLOURS.shared, works: true },
    { label: 'waits for words', colour: KIND_COLOURS.wait },
    { label: 'waits for room', colour: KIND_COLOURS.host },
    { label: 'waits for a buffer', colour: KIND_COLOURS.global },
];
const WAITS = ['#f0e442', '#cc79a7', '#0072b2', '#56b4e9', '#999933', '#882255', '#bbbbbb'];

// Cells and where they are; both kinds of motion have them.
class Cells {
    // `used`: tiles to show, with what lies between them; null = all.
    constructor(p, block, used = null) {
        this.p = p;
        const shown = used ? [...used] : Array.from({ length: p.tiles }, (_, t) => t);
        const at = shown.map((t) => p.place(t));
        const least = (k) => at.reduce((n, place) => Math.min(n, place[k]), Infinity);
        const most = (k) => at.reduce((n, place) => Math.max(n, place[k]), 0);
        this.x = at.length ? least(0) : 0;
        this.y = at.length ? least(1) : 0;
        const columns = most(0) + 1 - this.x;
        const rows = most(1) + 1 - this.y;
        this.block = Math.max(block, Math.ceil(Math.max(columns, rows) / SIDE));
        this.columns = Math.ceil(columns / this.block);
        this.rows = Math.ceil(rows / this.block);
        this.count = this.columns * this.rows;
        this.ofTile = new Int32Array(p.tiles).fill(-1); // -1: not shown
        this.tile = new Int32Array(this.count).fill(-1); // the first of a cell; -1: none is there
        this.tiles = new Uint32Array(this.count);
        for (let t = 0; t < p.tiles; t++) {
            const [x, y] = p.place(t);
            const column = Math.floor((x - this.x) / this.block);
            const row = Math.floor((y - this.y) / this.block);
            if (column < 0 || row < 0 || column >= this.columns || row >= this.rows) continue;
            const cell = row * this.columns + column;
            this.ofTile[t] = cell;
            if (this.tile[cell] < 0) this.tile[cell] = t;
            this.tiles[cell]++;
        }
    }

    name(cell) {
        const name = this.p.tileName(this.tile[cell]);
        return this.tiles[cell] > 1 ? `${this.tiles[cell]} ${this.p.tileWord}s from ${name} on` : name;
    }
}

const chosenState = (states, amount, all) => {
    let work = 0;
    let wait = 0;
    let worked = 0;
    for (let s = 1; s < states.length; s++) {
        if (states[s].works) {
            worked += amount[s];
            if (amount[s] > amount[work] || !work) work = amount[s] > 0 ? s : work;
        } else if (amount[s] > 0 && (!wait || amount[s] > amount[wait])) wait = s;
    }
    const state = worked >= WORKS_FROM * all || !wait ? work : wait;
    return [state, Math.min(1, (state && states[state].works ? worked : amount[state]) / all)];
};

// Of stretches that the machine folded.
class FlowMotion {
    constructor(p) {
        const c = p.c;
        const { window, block } = p.head.motion;
        this.cells = new Cells(p, Math.max(1, block));
        let last = 0;
        for (const w of c.flowWindow) last = Math.max(last, w);
        this.group = Math.ceil((last + 1) / FRAMES);
        this.stretch = Math.max(1, window) * this.group;
        this.frames = Math.floor(last / this.group) + 1;
        this.states = FLOW_STATES;
        this.c = c;
        this.start = new Uint32Array(this.frames + 1);
        for (const w of c.flowWindow) this.start[Math.floor(w / this.group) + 1]++;
        for (let f = 0; f < this.frames; f++) this.start[f + 1] += this.start[f];
        const next = this.start.slice();
        this.order = new Uint32Array(c.flowWindow.length);
        for (let i = 0; i < this.order.length; i++) this.order[next[Math.floor(c.flowWindow[i] / this.group)]++] = i;
        this.capacity = this.stretch * this.cells.block;
        this.amounts = new Float64Array(this.cells.count * (DID + 1));
        this.one = new Float64Array(DID + 1);
    }

    // state, share: of each cell; link, color: of each side of each cell how much left, and the color most of it has.
    frame(k) {
        const { cells, c, amounts, one } = this;
        const state = new Uint8Array(cells.count);
        const share = new Float32Array(cells.count);
        const link = new Float32Array(cells.count * 4);
        const color = new Uint8Array(cells.count * 4);
        const most = new Float32Array(cells.count * 4);
        amounts.fill(0);
        for (let j = this.start[k]; j < this.start[k + 1]; j++) {
            const i = this.order[j];
            const kind = c.flowKind[i];
            const cell = cells.ofTile[c.flowTile[i]];
            const amount = c.flowAmount[i];
            if (kind >= 4) {
                amounts[cell * (DID + 1) + kind - 3] += amount;
                continue;
            }
            const at = cell * 4 + kind;
            link[at] += amount;
            if (amount > most[at]) {
                most[at] = amount;
                color[at] = c.flowColor[i];
            }
        }
        for (let cell = 0; cell < cells.count; cell++) {
            if (cells.tile[cell] < 0) continue;
            for (let s = 0; s <= DID; s++) one[s] = amounts[cell * (DID + 1) + s];
            [state[cell], share[cell]] = chosenState(this.states, one, this.stretch * cells.tiles[cell]);
        }
        return { state, share, link, color, arrows: [], held: [] };
    }

    // Everything known of a cell in a frame: [what, color or -1, amount, cycles or words].
    about(cell, k) {
        const { c } = this;
        const sums = new Map();
        for (let j = this.start[k]; j < this.start[k + 1]; j++) {
            const i = this.order[j];
            if (this.cells.ofTile[c.flowTile[i]] !== cell) continue;
            const key = c.flowKind[i] * 256 + c.flowColor[i];
            sums.set(key, (sums.get(key) ?? 0) + c.flowAmount[i]);
        }
        return [...sums]
            .sort((a, b) => a[0] - b[0])
            .map(([key, amount]) => {
                const kind = key >> 8;
                const color = key & 255;
                return [
                    kind < 4 ? `sends ${SIDES[kind]}` : FLOW_STATES[kind - 3].label,
                    color === NO_COLOUR ? -1 : color,
                    amount,
                    kind < 4 ? 'words' : 'cycles',
                ];
            });
    }
}

// Causes without their numbers: "flag 3" and "flag 4" are one.
const plainCause = (text) =>
    text
        .replace(/[\d#]+/g, '')
        .replace(/\s+/g, ' ')
        .trim() || 'something';

// Lanes of what holds data between kernels (AI Engine); those of kernels have intervals of the same name.
const HOLDING = /^(window|stream|lock)\b/;

// Of intervals: what lanes of tiles did, from when to when.
class IntervalMotion {
    constructor(p) {
        const c = p.c;
        this.c = c;
        this.p = p;
        // Of an array of which few tiles have a kernel, what lies around these.
        this.cells = new Cells(p, 1, new Set(c.laneTile));
        this.end = p.totals?.cycles ?? 0;
        for (const to of c.intervalTo) this.end = Math.max(this.end, to);
        this.frames = Math.max(1, Math.min(400, this.end, Math.ceil(4e6 / (c.laneTile.length + 1))));
        this.stretch = this.end / this.frames;
        this.capacity = this.stretch;
        this.first = new Uint32Array(c.laneTile.length + 1);
        for (const l of c.intervalLane) this.first[l + 1]++;
        for (let l = 0; l < c.laneTile.length; l++) this.first[l + 1] += this.first[l];
        this.holds = new Uint8Array(c.laneTile.length);
        for (let l = 0; l < this.holds.length; l++)
            this.holds[l] = HOLDING.test(p.name(c.laneName[l])) && c.intervalName[this.first[l]] !== c.laneName[l];
        this.causeState = new Map();
        const groups = new Map();
        this.states = [IDLE, { label: 'works', colour: KIND_COLOURS.compute, works: true }];
        for (const cause of new Set(c.intervalCause)) {
            if (!cause) continue;
            const label = `waits: ${plainCause(p.name(cause))}`;
            if (!groups.has(label)) {
                groups.set(label, Math.min(this.states.length, 1 + WAITS.length));
                if (this.states.length < 2 + WAITS.length)
                    this.states.push({ label, colour: WAITS[this.states.length - 2] });
            }
            this.causeState.set(cause, groups.get(label));
        }
    }

    *during(lane, from, to) {
        const { c, first } = this;
        let low = first[lane];
        let high = first[lane + 1];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (c.intervalTo[middle] > from) high = middle;
            else low = middle + 1;
        }
        for (let i = low; i < first[lane + 1] && c.intervalFrom[i] < to; i++)
            yield [i, Math.min(to, c.intervalTo[i]) - Math.max(from, c.intervalFrom[i])];
    }

    // Lanes of a tile work side by side: the tile did what the busiest of them did.
    frame(k) {
        const { cells, c } = this;
        const [from, to] = [k * this.stretch, (k + 1) * this.stretch];
        const width = this.states.length;
        const amounts = new Float64Array(cells.count * width);
        const arrows = [];
        const held = new Set();
        for (let lane = 0; lane < c.laneTile.length; lane++) {
            const cell = cells.ofTile[c.laneTile[lane]];
            const own = new Float64Array(width);
            if (this.holds[lane]) {
                if (!this.during(lane, from, to).next().done) held.add(cell);
                continue;
            }
            for (const [i, cycles] of this.during(lane, from, to)) {
                const state = c.intervalCause[i] ? this.causeState.get(c.intervalCause[i]) : 1;
                own[state] += cycles;
                const partner = c.intervalPartner[i];
                if (state > 1 && partner !== NONE && cells.ofTile[c.laneTile[partner]] !== cell)
                    arrows.push([cells.ofTile[c.laneTile[partner]], cell, state]);
            }
            for (let s = 0; s < width; s++) amounts[cell * width + s] = Math.max(amounts[cell * width + s], own[s]);
        }
        const state = new Uint8Array(cells.count);
        const share = new Float32Array(cells.count);
        for (let cell = 0; cell < cells.count; cell++)
            [state[cell], share[cell]] = chosenState(
                this.states,
                amounts.subarray(cell * width, (cell + 1) * width),
                this.stretch,
            );
        return { state, share, link: null, color: null, arrows, held: [...held] };
    }

    about(cell, k) {
        const { c, p } = this;
        const sums = new Map();
        for (let lane = 0; lane < c.laneTile.length; lane++) {
            if (this.cells.ofTile[c.laneTile[lane]] !== cell) continue;
            for (const [i, cycles] of this.during(lane, k * this.stretch, (k + 1) * this.stretch)) {
                const cause = c.intervalCause[i];
                const what = cause ? `waits: ${p.name(cause)}` : p.name(c.intervalName[i]);
                const key = `${p.name(c.laneName[lane])}: ${what}`;
                sums.set(key, (sums.get(key) ?? 0) + cycles);
            }
        }
        return [...sums].map(([what, cycles]) => [what, -1, cycles, 'cycles']);
    }
}

export function motionOf(p) {
    if (p.motion === undefined)
        p.motion = p.c.flowWindow.length ? new FlowMotion(p) : p.hasIntervals() ? new IntervalMotion(p) : null;
    return p.motion;
}

// Sides from which and to which a color goes at each cell, and how many routes there are of each color.
export function routesOf(p, cells) {
    const { routeTile, routeColor, routeFrom, routeTo } = p.c;
    const colors = new Map();
    for (let i = 0; i < routeTile.length; i++) {
        let one = colors.get(routeColor[i]);
        if (!one) {
            one = { from: new Uint8Array(cells.count), to: new Uint8Array(cells.count), tiles: 0 };
            colors.set(routeColor[i], one);
        }
        const cell = cells.ofTile[routeTile[i]];
        if (cell < 0) continue;
        one.from[cell] |= routeFrom[i];
        one.to[cell] |= routeTo[i];
        one.tiles++;
    }
    return new Map([...colors].sort((a, b) => a[0] - b[0]));
}

// Who sends to whom in all, of machines without routes: [from, to, pair], cells.
export function connectionsOf(p, cells) {
    const { pairFrom, pairTo } = p.c;
    const list = [];
    for (let i = 0; i < pairFrom.length && list.length < CONNECTIONS; i++) {
        const [from, to] = [cells.ofTile[pairFrom[i]], cells.ofTile[pairTo[i]]];
        if (from >= 0 && to >= 0 && from !== to) list.push([from, to, i]);
    }
    return list;
}

// Of each frame how many cells are in which state.
export function statesOver(motion) {
    motion.over ??= (() => {
        const width = motion.states.length;
        const sums = new Uint32Array(motion.frames * width);
        for (let k = 0; k < motion.frames; k++) {
            const { state } = motion.frame(k);
            for (let cell = 0; cell < state.length; cell++)
                if (motion.cells.tile[cell] >= 0) sums[k * width + state[cell]]++;
        }
        return sums;
    })();
    return motion.over;
}
