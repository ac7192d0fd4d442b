// SPDX-License-Identifier: MIT
// A profile as the views read it: columns with names, rows of tiles unpacked when somebody looks at them.

export const NONE = 0xffffffff;
export const BUCKETS = [
    { key: 'other', label: 'Control' },
    { key: 'compute', label: 'Compute' },
    { key: 'exchange', label: 'Exchange' },
    { key: 'global', label: 'Global exchange' },
    { key: 'host', label: 'Host copy' },
    { key: 'shared', label: 'Shared copy' },
    { key: 'sync', label: 'Sync' },
];
export const FIDELITIES = ['exact', 'modelled', 'estimated', 'absent'];

const article = (word) => `${/^[aeiouAEIOU]/.test(word) ? 'an' : 'a'} ${word}`;

export class Profile {
    constructor(head, columns, index) {
        this.head = head;
        this.index = index;
        this.title = head.name;
        this.target = head.target;
        this.totals = head.totals ?? null;
        this.findings = head.findings;
        this.categories = head.categories;
        this.c = {};
        for (const name of Object.keys(columns))
            if (name.startsWith(head.prefix)) this.c[name.slice(head.prefix.length)] = columns[name];
        this.texts = [];
        this.decoder = new TextDecoder();
        this.rowCache = new Map();
        [this.chipWord, this.tileWord, this.kernelWord] = head.target.words;
    }

    get tiles() {
        return this.target.tiles;
    }

    // All names in one text where each byte is a character, so that a name is cut out of it: a hundredth of the time that
    // decoding it takes. Else null.
    get plainNames() {
        if (this.plain === undefined) {
            const text = this.decoder.decode(this.c.names);
            this.plain = text.length === this.c.names.length ? text : null;
        }
        return this.plain;
    }

    name(id) {
        if (this.texts[id] === undefined) {
            const ends = this.c.namesEnds;
            const from = id ? ends[id - 1] : 0;
            const text = () =>
                this.plainNames?.slice(from, ends[id]) ?? this.decoder.decode(this.c.names.subarray(from, ends[id]));
            this.texts[id] = id < ends.length ? text() : '';
        }
        return this.texts[id];
    }

    // Values of a packed row (see rows.c): variable-length integers, a zigzag difference, or 0 and a repeat count.
    // null: not recorded, or left out of this file.
    row(id, length = this.tiles) {
        if (!id || !this.c.rowHeld[id]) return null;
        const cached = this.rowCache.get(id);
        if (cached && cached.length === length) return cached;
        const data = this.c.rowData;
        const out = new Float64Array(length);
        let at = this.c.rowAt[id];
        const end = at + this.c.rowBytes[id];
        const number = () => {
            let value = 0;
            let scale = 1;
            for (;;) {
                const byte = data[at++];
                value += (byte & 0x7f) * scale;
                if (!(byte & 0x80) || at >= end) return value;
                scale *= 128;
            }
        };
        let t = 0;
        let value = 0;
        while (at < end && t < length) {
            const code = number();
            let n = 1;
            if (code) value += code % 2 ? -(code + 1) / 2 : code / 2;
            else n = number();
            const stop = Math.min(length, t + n);
            out.fill(value, t, stop);
            t = stop;
        }
        if (this.rowCache.size > 64) this.rowCache.clear();
        this.rowCache.set(id, out);
        return out;
    }

    // Values of a packed row at a few tiles (ascending), without unpacking the rest. null: as row().
    valuesAt(id, tiles) {
        if (!id || !this.c.rowHeld[id]) return null;
        const data = this.c.rowData;
        const out = new Float64Array(tiles.length);
        let at = this.c.rowAt[id];
        const end = at + this.c.rowBytes[id];
        let t = 0;
        let value = 0;
        let k = 0;
        const number = () => {
            let n = 0;
            let scale = 1;
            for (;;) {
                const byte = data[at++];
                n += (byte & 0x7f) * scale;
                if (!(byte & 0x80) || at >= end) return n;
                scale *= 128;
            }
        };
        while (at < end && k < tiles.length) {
            const code = number();
            let n = 1;
            if (code) value += code % 2 ? -(code + 1) / 2 : code / 2;
            else n = number();
            t += n;
            while (k < tiles.length && tiles[k] < t) out[k++] = value;
        }
        return out;
    }

    // As in lanes and axes, where the word stands beside it: "PE 2,2" on a grid of PEs, "tile 3" else.
    shortTile(t) {
        if (!this.target.grid) return `${this.tileWord} ${t}`;
        const [x, y] = this.place(t);
        return `${this.tileWord} ${x},${y}`;
    }

    // "3", or "chip 1, tile 3" where there are several chips; grid coordinates where they are known.
    tileName(t) {
        const { chips, tilesPerChip, grid } = this.target;
        const on = chips > 1 && tilesPerChip ? `${this.chipWord} ${Math.floor(t / tilesPerChip)}, ` : '';
        if (!grid) return `${on}${this.tileWord} ${t}`;
        const [x, y] = this.place(t);
        return `${on}${this.tileWord} ${t} (${x}, ${y})`;
    }

    chipOf(t) {
        return Math.floor(t / (this.target.tilesPerChip || this.tiles || 1));
    }

    // Column and row of a tile, chips side by side. Without a floor plan tiles are in reading order in a near-square.
    place(t) {
        const { chips, tilesPerChip, grid } = this.target;
        const each = tilesPerChip || this.tiles;
        const { columns, rows } = this.gridSize();
        const chip = chips > 1 ? Math.floor(t / each) : 0;
        const n = t - chip * each;
        const [x, y] = grid?.columnMajor ? [Math.floor(n / rows), n % rows] : [n % columns, Math.floor(n / columns)];
        const across = Math.ceil(Math.sqrt(chips || 1));
        return [x + (chip % across) * (columns + 1), y + Math.floor(chip / across) * (rows + 1)];
    }

    gridSize() {
        const { tilesPerChip, grid } = this.target;
        if (grid) return { columns: grid.columns, rows: grid.rows, known: true };
        const each = tilesPerChip || this.tiles || 1;
        const columns = Math.ceil(Math.sqrt(each * 1.6));
        return { columns, rows: Math.ceil(each / columns), known: false };
    }

    get stepCount() {
        return this.c.stepKind.length;
    }

    // The name that the program gave it, or what it is; of several with one name and type each has a number.
    stepName(s) {
        const plain = this.plainStepName(s);
        this.stepNumbers ??= this.numberSteps();
        return this.stepNumbers[s] ? `${plain} [${this.stepNumbers[s]}]` : plain;
    }

    plainStepName(s) {
        return (
            this.name(this.c.stepName[s]) ||
            (this.c.stepSync[s]
                ? `Sync (${['', 'internal', 'external', 'global'][this.c.stepSync[s]]})`
                : this.stepType(s))
        );
    }

    numberSteps() {
        const c = this.c;
        const key = (s) => `${c.stepName[s]} ${c.stepType[s]} ${c.stepSync[s]}`;
        const many = new Map();
        for (let s = 0; s < this.stepCount; s++) many.set(key(s), (many.get(key(s)) ?? 0) + 1);
        const at = new Map();
        return Uint32Array.from({ length: this.stepCount }, (_, s) => {
            if (many.get(key(s)) < 2) return 0;
            at.set(key(s), (at.get(key(s)) ?? 0) + 1);
            return at.get(key(s));
        });
    }

    // Types of steps are words of graph programs; of other machines the page says what was done.
    get isGraphProgram() {
        return this.kernelWord === 'vertex';
    }

    stepType(s) {
        return this.isGraphProgram ? this.name(this.c.stepType[s]) : BUCKETS[this.c.stepBucket[s]].label;
    }

    // The step that executes an exchange (kind as in exchangePairs); without one the kind, and which of them it is.
    exchangeName(kind, exchange) {
        this.exchangeSteps ??= this.findExchangeSteps();
        const step = this.exchangeSteps.get(`${kind} ${exchange}`);
        if (step !== undefined) return this.stepName(step);
        const words = [`within ${article(this.chipWord)}`, `between ${this.chipWord}s`, 'with the host'][kind] ?? '';
        return this.c[`exchange${kind}Sent`].length > 1 && exchange !== NONE
            ? `${words}, number ${exchange + 1}`
            : words;
    }

    findExchangeSteps() {
        const c = this.c;
        const kinds = { exchange: 0, global: 1, host: 2 };
        const found = new Map();
        for (let s = 0; s < this.stepCount; s++) {
            const kind = kinds[BUCKETS[c.stepBucket[s]].key];
            const exchange = c.programIndex[c.stepProgram[s]];
            if (kind !== undefined && exchange !== undefined && exchange !== NONE)
                found.set(`${kind} ${exchange}`, s);
        }
        // A machine that has one of a kind, and one step that is of it.
        for (const [key, kind] of Object.entries(kinds)) {
            const steps = Array.from(c.stepBucket.keys()).filter((s) => BUCKETS[c.stepBucket[s]].key === key);
            if (!found.has(`${kind} 0`) && steps.length === 1 && c[`exchange${kind}Sent`].length === 1)
                found.set(`${kind} 0`, steps[0]);
        }
        return found;
    }

    stepTotal(s) {
        return this.c.stepCycles[s] * this.c.stepExecutions[s];
    }

    // The part of it in which no step before it still ran: these add up to the run.
    stepAlone(s) {
        return Math.max(0, this.c.stepCycles[s] - this.c.stepOverlapped[s]) * this.c.stepExecutions[s];
    }

    // Tile cycles in which a step ran and tiles did not, over its executions.
    // `used`: tiles that work in this run at all; the others lose nothing.
    stepLost(s, used = this.tiles) {
        const active = this.c.stepBalance[s] * this.c.stepCycles[s] * this.tiles;
        return Math.max(0, (this.c.stepCycles[s] * used - active) * this.c.stepExecutions[s]);
    }

    // A file may state the sum over all tiles in the place of a row.
    isSum(id) {
        return Boolean(id) && this.tiles > 1 && this.c.rowTiles[id] === 1;
    }

    // Bytes of a category by tile; null when there are none, or only their sum.
    categoryRow(category) {
        category.row ??= { sum: this.addRows(category) };
        return category.row.sum;
    }

    addRows(category) {
        const sum = new Float64Array(this.tiles);
        let any = false;
        for (const id of category.rows) {
            const row = this.isSum(id) ? null : this.row(id);
            if (!row) continue;
            any = true;
            for (let t = 0; t < sum.length; t++) sum[t] += row[t];
        }
        return any ? sum : null;
    }

    categoryTotal(category) {
        return category.rows.reduce((sum, id) => sum + (id ? this.c.rowSum[id] : 0), 0);
    }

    mapOf(tile) {
        const tiles = this.c.tileMapTile;
        for (let i = 0; i < tiles.length; i++) if (tiles[i] === tile) return this.c.tileMapMap[i];
        return -1;
    }

    // Leaf programs with a list of what is live, in the order of the tree: the steps of liveness and of maps.
    get leaves() {
        if (!this.leafList) {
            const lists = this.c.programLiveBytes;
            this.leafList = Array.from(lists.keys()).filter((i) => lists[i]);
            if (!this.leafList.length)
                this.leafList = Array.from(lists.keys()).filter((i) => this.c.programChild[i] === NONE);
        }
        return this.leafList;
    }

    // Place of a program among the leaves; of one that is not among them, that of the next.
    leafOf(program) {
        let low = 0;
        let high = this.leaves.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.leaves[middle] >= program) high = middle;
            else low = middle + 1;
        }
        return Math.min(low, Math.max(0, this.leaves.length - 1));
    }

    programTitle(program) {
        return this.name(this.c.programName[program]) || this.name(this.c.programType[program]);
    }

    // Named stretches of a tile's memory; `category` only where a memory counts its addresses on its own.
    areasOf(category) {
        return this.head.memory.areas.filter((a) => a.category === category);
    }

    hasIntervals() {
        return this.c.intervalFrom.length > 0;
    }
}
