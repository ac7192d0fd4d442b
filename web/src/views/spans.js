// SPDX-License-Identifier: MIT
// What lanes of a tile did in a stretch of time, with the place in the source where that is known.
import { cut } from '../format.js';

export function placeOf(p, file, line) {
    return line ? `${p.name(file).replace(/^.*\//, '')}:${line}` : '';
}

// The first `most` of them: [lane, what, from, to, place].
export function intervalsOf(p, tile, from, to, most) {
    const c = p.c;
    const list = [];
    for (let i = 0; i < c.intervalFrom.length && list.length < most; i++) {
        const lane = c.intervalLane[i];
        if (c.laneTile[lane] !== tile || c.intervalFrom[i] >= to || c.intervalTo[i] <= from) continue;
        list.push([
            p.name(c.laneName[lane]),
            cut(p.name(c.intervalName[i]), 60),
            c.intervalFrom[i],
            c.intervalTo[i],
            placeOf(p, c.intervalFile[i], c.intervalLine[i]),
        ]);
    }
    return list;
}
