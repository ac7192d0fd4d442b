// SPDX-License-Identifier: MIT
// Lanes with what ran when, for machines that record it: pipes of cores, kernels of tiles, workers.
import { KIND_COLOURS } from '../chart.js';
import { Counter, COUNTER_COLOURS, counterLabel } from '../counters.js';
import { h } from '../dom.js';
import { count, cut } from '../format.js';
import { marksOf } from '../marks.js';
import { NONE } from '../model.js';
import { table } from '../table.js';
import { heldOver, memoriesOf } from './holds.js';
import { laneChart } from './lanes.js';
import { legend } from './parts.js';

const MOST_LANES = 48;
const MOST_CHANGES = 4e6; // more take seconds to sort

// How many lanes work at once, and what memories hold where that is known by cycle; of one tile, or of all.
function countersOf(p, lanes, tile) {
    const c = p.c;
    const chosen = new Uint8Array(c.laneTile.length);
    for (const l of lanes) chosen[l] = 1;
    const changes = [];
    for (let i = 0; i < c.intervalFrom.length; i++)
        if (chosen[c.intervalLane[i]] && !c.intervalCause[i] && c.intervalTo[i] > c.intervalFrom[i])
            changes.push([c.intervalFrom[i], 1], [c.intervalTo[i], -1]);
    const own = tile >= 0 ? [tile] : [...c.tileMapTile];
    const held = p.head.memory.mapInCycles
        ? memoriesOf(p, own).map((memory, k) => heldOver(p, own, memory, COUNTER_COLOURS[k + 1] ?? '#999999'))
        : [];
    const working =
        changes.length < MOST_CHANGES ? new Counter('lanes at work', count, COUNTER_COLOURS[0], changes) : null;
    return [working, ...held].filter((x) => x && x.most > 0);
}

function lastTile(c) {
    let last = 0;
    for (let i = 1; i < c.intervalTo.length; i++) if (c.intervalTo[i] > c.intervalTo[last]) last = i;
    return c.laneTile[c.intervalLane[last]];
}

export function intervalsChart(p, state) {
    const c = p.c;
    const n = c.intervalFrom.length;
    let end = p.totals?.cycles ?? 0;
    for (let i = 0; i < n; i++) end = Math.max(end, c.intervalTo[i]);
    // Intervals are sorted by lane: where each begins.
    const first = new Uint32Array(c.laneTile.length + 1);
    for (let i = 0; i < n; i++) first[c.intervalLane[i] + 1]++;
    for (let l = 0; l < c.laneTile.length; l++) first[l + 1] += first[l];
    const tile = state.tile !== undefined ? Number(state.tile) : -1;
    const all = Array.from(c.laneTile.keys())
        .filter((l) => first[l + 1] > first[l])
        .sort((a, b) => c.laneTile[a] - c.laneTile[b] || a - b);
    const wanted =
        tile >= 0 && all.some((l) => c.laneTile[l] === tile) ? all.filter((l) => c.laneTile[l] === tile) : all;
    // Of many lanes those of the tile that ends last are shown in any case: it says how long the run is.
    const late = wanted.length > MOST_LANES ? lastTile(c) : -1;
    const lanes = wanted.filter((l) => c.laneTile[l] === late);
    lanes.push(...wanted.filter((l) => c.laneTile[l] !== late).slice(0, Math.max(0, MOST_LANES - lanes.length)));
    const many = new Set(lanes.map((l) => c.laneTile[l])).size > 1;
    const label = (l) =>
        many || p.tiles > 1 ? `${p.shortTile(c.laneTile[l])} ${p.name(c.laneName[l])}` : p.name(c.laneName[l]);
    const cycles = new Map();
    for (let i = 0; i < n; i++)
        if (!c.intervalCause[i]) {
            const name = c.intervalName[i];
            cycles.set(name, (cycles.get(name) ?? 0) + c.intervalTo[i] - c.intervalFrom[i]);
        }
    const marks = marksOf([...cycles.keys()], cycles, (name) => cut(p.name(name), 40));
    const fill = (i) => (c.intervalCause[i] ? KIND_COLOURS.wait : marks.of(c.intervalName[i]));
    const counters = countersOf(p, wanted, wanted === all ? -1 : tile);
    const items = (from, to, least) => {
        const list = [];
        counters.forEach((counter, k) => counter.items(list, lanes.length + k, from, to, least, end));
        lanes.forEach((l, row) => {
            let low = first[l];
            let high = first[l + 1];
            while (low < high) {
                const middle = (low + high) >> 1;
                if (c.intervalTo[middle] > from) high = middle;
                else low = middle + 1;
            }
            for (let i = low; i < first[l + 1] && c.intervalFrom[i] < to;) {
                const begin = c.intervalFrom[i];
                if (c.intervalTo[i] - begin >= least) {
                    const waits = c.intervalCause[i] !== 0;
                    list.push([
                        begin,
                        c.intervalTo[i],
                        row,
                        fill(i),
                        waits ? `waits: ${p.name(c.intervalCause[i])}` : p.name(c.intervalName[i]),
                        i,
                        waits ? 0.55 : 1,
                        undefined,
                        waits ? 0.35 : 0.72,
                    ]);
                    i++;
                    continue;
                }
                let k = i;
                while (
                    k < first[l + 1] &&
                    c.intervalTo[k] - begin < least &&
                    c.intervalTo[k] - c.intervalFrom[k] < least &&
                    !c.intervalCause[k] === !c.intervalCause[i]
                )
                    k++;
                if (k === i) k++;
                list.push([
                    begin,
                    Math.max(begin + least, c.intervalTo[k - 1]),
                    row,
                    fill(i),
                    k > i + 1 ? '…' : p.name(c.intervalName[i]),
                    k > i + 1 ? -(k - i) : i,
                    c.intervalCause[i] ? 0.55 : 1,
                    undefined,
                    c.intervalCause[i] ? 0.35 : 0.72,
                ]);
                i = k;
            }
        });
        return list;
    };
    const words = (i) =>
        [
            (c.intervalCause[i] ? 'before ' : '') + cut(p.name(c.intervalName[i]).replaceAll(', ', '; '), 90),
            label(c.intervalLane[i]),
            `cycles ${count(c.intervalFrom[i])} to ${count(c.intervalTo[i])}`,
            `${count(c.intervalTo[i] - c.intervalFrom[i])} cycles`,
            c.intervalCause[i]
                ? `waits for ${p.name(c.intervalCause[i]).replaceAll(', ', ' ')}${c.intervalPartner[i] === NONE ? '' : ` of ${label(c.intervalPartner[i])}`}`
                : null,
        ]
            .filter(Boolean)
            .join(', ');
    const line = laneChart({
        id: 'intervals',
        title: 'What ran when',
        lanes: [
            ...lanes.map((l) => ({ label: label(l) })),
            ...counters.map((counter) => ({ label: counterLabel(counter) })),
        ],
        end,
        items,
        describeItem: (item) => (item[5] < 0 ? `${count(-item[5])} short ones, zoom in to see them` : words(item[5])),
        describe: () => `${count(n)} intervals on ${count(all.length)} lanes in ${count(end)} cycles.`,
        figures: () => ({
            intervals: n,
            lanes: lanes.map((l) => label(l)),
            counters: counters.map((x) => [x.title, x.most, x.peak]),
            end,
        }),
        click: (item) => item && item[5] >= 0 && rows.select(item[5]),
    });
    const inLanes = new Set(lanes);
    const rows = table({
        id: 'intervals',
        caption: 'Intervals',
        count: n,
        most: 9,
        rows:
            wanted.length === all.length && all.length <= MOST_LANES
                ? undefined
                : Uint32Array.from(c.intervalLane.keys()).filter((i) => inLanes.has(c.intervalLane[i])),
        sort: [2, false],
        columns: [
            {
                title: 'What',
                value: (i) =>
                    c.intervalCause[i] ? `waits, before ${p.name(c.intervalName[i])}` : p.name(c.intervalName[i]),
            },
            { title: 'Where', value: (i) => label(c.intervalLane[i]), width: '260px' },
            {
                title: 'From',
                definition: 'begin',
                number: true,
                value: (i) => c.intervalFrom[i],
                text: (i) => count(c.intervalFrom[i]),
            },
            {
                title: 'To',
                definition: 'end',
                number: true,
                value: (i) => c.intervalTo[i],
                text: (i) => count(c.intervalTo[i]),
            },
            {
                title: 'Cycles',
                definition: 'length',
                number: true,
                value: (i) => c.intervalTo[i] - c.intervalFrom[i],
                text: (i) => count(c.intervalTo[i] - c.intervalFrom[i]),
                width: '90px',
            },
            {
                title: 'Waits for',
                value: (i) =>
                    c.intervalCause[i]
                        ? `${p.name(c.intervalCause[i])}${c.intervalPartner[i] === NONE ? '' : ` of ${label(c.intervalPartner[i])}`}`
                        : '',
                width: '200px',
            },
        ],
    });
    const waits = c.intervalCause.some((v) => v);
    return {
        element: h(
            'div',
            {},
            line.element,
            legend([...marks.entries, ...(waits ? [['waits (thin; hover says what for)', KIND_COLOURS.wait]] : [])]),
            wanted.length > lanes.length
                ? h(
                      'p',
                      { class: 'note' },
                      `${count(lanes.length)} of ${count(wanted.length)} lanes are shown, those of the ${p.tileWord} that ends last first: choose a ${p.tileWord} to see others.`,
                  )
                : null,
            p.head.intervalsOmitted
                ? h(
                      'p',
                      { class: 'note' },
                      `${count(p.head.intervalsOmitted)} later intervals are left out of the profile.`,
                  )
                : null,
            rows.element,
        ),
    };
}
