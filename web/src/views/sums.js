// SPDX-License-Identifier: MIT
// Sums over a profile that several views say something about.
import { BUCKETS } from '../model.js';

// The tiles with most and least active cycles.
export function extremes(p) {
    p.extremes ??= findExtremes(p);
    return p.extremes;
}

function findExtremes(p) {
    const active = new Float64Array(p.tiles);
    for (let b = 0; b < BUCKETS.length; b++) {
        const row = p.c[`busy${b}`];
        if (row) for (let t = 0; t < active.length; t++) active[t] += row[t];
    }
    let hot = 0;
    let idle = 0;
    for (let t = 1; t < active.length; t++) {
        if (active[t] > active[hot]) hot = t;
        if (active[t] < active[idle]) idle = t;
    }
    return { active, hot, idle };
}

// Cycles of each tile in which it did something for the program: copies with the host and printing are not its work.
export function worked(p) {
    p.worked ??= BUCKETS.reduce((sum, b, k) => {
        const row = ['host', 'sync'].includes(b.key) ? null : p.c[`busy${k}`];
        if (row) for (let t = 0; t < sum.length; t++) sum[t] += row[t];
        return sum;
    }, new Float64Array(p.tiles));
    return p.worked;
}

// How many tiles work, and the balance of these alone: those that no program is on would only dilute it.
// used = 0: not known.
export function inUse(p) {
    let used = 0;
    for (const v of worked(p)) used += v > 0;
    const balance = p.totals && used ? Math.min(1, (p.totals.tileBalance * p.tiles) / used) : NaN;
    return { used, all: p.tiles, balance };
}

// Cycles of tiles by bucket. Where steps run beside others on the same tile there may be more than the run has: then
// those of which each counts once.
function tileCycles(p) {
    const { buckets, cycles } = p.totals;
    if (buckets.reduce((sum, n) => sum + n, 0) <= cycles * p.tiles) return buckets;
    return buckets.map((n, b) => p.c[`busy${b}`]?.reduce((sum, x) => sum + x, 0) ?? n);
}

// Cycles by what tiles did: what no bucket has is idle. Of the tiles in use, where the others did not wait with them:
// `tiles` says how many these are.
export function timeShares(p) {
    const t = p.totals;
    const cycles = tileCycles(p);
    const parts = BUCKETS.map((b, i) => ({
        key: b.key,
        label: b.key === 'sync' ? 'Sync and waiting' : b.label,
        value: cycles[i],
    })).filter((x) => x.value > 0);
    const known = parts.reduce((sum, x) => sum + x.value, 0);
    const { used } = inUse(p);
    const tiles = used && known <= t.cycles * used ? used : p.tiles;
    const all = t.cycles * tiles;
    if (all - known > all * 1e-4) parts.push({ key: 'idle', label: 'Idle', value: all - known });
    return { tiles, parts: parts.map((x) => ({ ...x, share: all ? x.value / all : 0 })) };
}
