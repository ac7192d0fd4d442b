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

    stepName(s) {
        return (
            this.name(this.c.stepName[s]) ||
            (this.c.stepSync[s]
                ? `Sync (${['', 'internal', 'external', 'global'][this.c.stepSync[s]]})`
                : this.name(this.c.stepType[s]))
        );
    }

    stepTotal(s) {
        return this.c.stepCycles[s] * this.c.stepExecutions[s];
    }

    // The part of it in which no step before it still ran: these add up to the run.
    stepAlone(s) {
        return Math.max(0, this.c.stepCycles[s] - this.c.stepOverlapped[s]) * this.c.stepExecutions[s];
    }

    // Tile cycles in which a step ran and tiles did not, over its executions.
    stepLost(s) {
        const active = this.c.stepBalance[s] * this.c.stepCycles[s] * this.tiles;
        return Math.max(0, (this.c.stepCycles[s] * this.tiles - active) * this.c.stepExecutions[s]);
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
