// SPDX-License-Identifier: MIT
// Memory over time of machines that say from which cycle to which bytes are held (PTO): the sum of a memory, its peak,
// and what is held at a chosen moment.
import { chart } from '../chart.js';
import { Counter, COUNTER_COLOURS } from '../counters.js';
import { h } from '../dom.js';
import { bytes, byteAxis, count, percent } from '../format.js';
import { NONE } from '../model.js';
import { address, go } from '../state.js';
import { table } from '../table.js';
import { fidelity, panel } from './parts.js';

function blocksOf(p, tile, memory) {
    const c = p.c;
    const map = p.mapOf(tile);
    if (map < 0) return [];
    return Array.from({ length: c.mapCount[map] }, (_, k) => c.mapFirst[map] + k).filter(
        (i) => p.name(c.blockCategory[i]) === memory,
    );
}

// Memories in which these tiles hold something, those with a limit first in the order of the machine.
export function memoriesOf(p, tiles) {
    const c = p.c;
    const seen = new Set();
    for (const map of new Set(tiles.map((t) => p.mapOf(t)).filter((m) => m >= 0)))
        for (let k = 0; k < c.mapCount[map]; k++) seen.add(p.name(c.blockCategory[c.mapFirst[map] + k]));
    const known = p.categories.map((x) => x.key).filter((key) => seen.has(key));
    return [...known, ...[...seen].filter((key) => !known.includes(key))];
}

const begin = (c, i) => (c.blockFrom[i] === NONE ? 0 : c.blockFrom[i]);
const stop = (c, i) => (c.blockTo[i] === NONE ? Infinity : c.blockTo[i]);

// What a tile holds in a memory, as changes: blocks at the same addresses count once while both are held.
function changesOf(p, tile, memory) {
    const c = p.c;
    const list = blocksOf(p, tile, memory);
    const cuts = [...new Set(list.flatMap((i) => [c.blockAddress[i], c.blockAddress[i] + c.blockBytes[i]]))].sort(
        (a, b) => a - b,
    );
    const place = new Map(cuts.map((at, k) => [at, k]));
    const holders = new Uint32Array(cuts.length);
    const events = list
        .flatMap((i) => [
            [begin(c, i), 1, i],
            [stop(c, i), -1, i],
        ])
        .sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    const changes = [];
    for (const [at, sign, i] of events) {
        let more = 0;
        const last = place.get(c.blockAddress[i] + c.blockBytes[i]);
        for (let k = place.get(c.blockAddress[i]); k < last; k++) {
            const was = holders[k];
            holders[k] += sign;
            if (!was !== !holders[k]) more += sign * (cuts[k + 1] - cuts[k]);
        }
        if (more && at !== Infinity) changes.push([at, more]);
    }
    return changes;
}

export function heldOver(p, tiles, memory, colour) {
    return new Counter(
        memory,
        bytes,
        colour,
        tiles.flatMap((t) => changesOf(p, t, memory)),
    );
}

export function holdsTab(p, state) {
    const c = p.c;
    const tiles = [...c.tileMapTile];
    const asked = Number(state.tile ?? -1);
    const fullest = () =>
        p.c.memory ? tiles.reduce((best, t) => (p.c.memory[t] > p.c.memory[best] ? t : best), tiles[0]) : tiles[0];
    const tile = tiles.includes(asked) ? asked : fullest();
    const memories = memoriesOf(p, [tile]);
    const counters = memories.map((m, k) => heldOver(p, [tile], m, COUNTER_COLOURS[k % COUNTER_COLOURS.length]));
    const ranked = counters.map((x, k) => [
        x.most / (p.categories.find((y) => y.key === memories[k])?.limit || 1),
        k,
    ]);
    const memory = memories.includes(state.memory)
        ? state.memory
        : memories[ranked.reduce((best, x) => (x[0] > best[0] ? x : best), ranked[0])[1]];
    const counter = counters[memories.indexOf(memory)];
    const limit = p.categories.find((x) => x.key === memory)?.limit;
    const end = Math.max(p.totals?.cycles ?? 0, ...counter.at);
    const at = state.at !== undefined && Number(state.at) >= 0 ? Math.min(end, Number(state.at)) : counter.peak;
    const moments = counter.at.length;
    const words = (k) => `cycle ${count(counter.at[k])}: ${bytes(counter.values[k])}`;
    const curve = chart({
        id: 'holds',
        title: `Bytes held in ${memory} of ${p.tileName(tile)} over time`,
        height: 280,
        describe: () =>
            `The peak is ${bytes(counter.most)}${limit ? ` of ${bytes(limit)}` : ''}, from cycle ${count(counter.peak)} on.`,
        items: () => moments,
        item: words,
        select: (k) => go({ at: String(counter.at[k]) }),
        clickAt: (instance, event) => {
            const [x] = instance.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]) ?? [];
            if (x >= 0 && x <= end) go({ at: String(Math.round(x)) });
        },
        figures: () => ({ memory, at: [...counter.at], held: [...counter.values], peak: counter.peak }),
        option: (colours) => ({
            grid: { left: 80, right: 20, top: 34, bottom: 58 },
            tooltip: {
                trigger: 'axis',
                formatter: (e) => `cycle ${count(e[0].value[0])}\n${bytes(e[0].value[1])} held in ${memory}`,
            },
            xAxis: { type: 'value', min: 0, max: end, name: 'cycles', nameLocation: 'middle', nameGap: 22 },
            yAxis: { type: 'value', ...byteAxis(counter.most), axisLabel: { formatter: bytes } },
            dataZoom: [
                { type: 'slider', filterMode: 'none' },
                { type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl' },
            ],
            series: [
                {
                    type: 'line',
                    step: 'end',
                    symbol: 'none',
                    areaStyle: { opacity: 0.3 },
                    color: counter.colour,
                    data: [
                        ...Array.from(counter.at, (x, k) => [x, counter.values[k]]),
                        [end, counter.values[moments - 1] ?? 0],
                    ],
                    markPoint: {
                        symbolSize: 50,
                        label: { formatter: 'peak', fontSize: 11, color: '#fff' },
                        itemStyle: { color: '#b04a00' },
                        data: [{ coord: [counter.peak, counter.most] }],
                    },
                    markLine: {
                        silent: true,
                        symbol: 'none',
                        lineStyle: { color: colours.accent, type: 'dashed' },
                        label: { show: false },
                        data: [{ xAxis: at }],
                    },
                },
            ],
        }),
    });
    const list = blocksOf(p, tile, memory).filter((i) => begin(c, i) <= at && at < stop(c, i));
    const cycle = (id) => (id === NONE ? 'always' : count(id));
    const rows = table({
        id: 'held',
        fidelity: 'estimated',
        caption: `Held in ${memory} at cycle ${count(at)}${at === counter.peak ? ', the peak' : ''}`,
        count: list.length,
        most: 12,
        sort: [2, true],
        columns: [
            { title: 'Tile', value: (k) => p.name(c.blockName[list[k]]) },
            {
                title: 'Address',
                definition: 'address',
                number: true,
                value: (k) => c.blockAddress[list[k]],
                text: (k) => `0x${c.blockAddress[list[k]].toString(16)}`,
            },
            {
                title: 'Bytes',
                number: true,
                value: (k) => c.blockBytes[list[k]],
                text: (k) => bytes(c.blockBytes[list[k]]),
                definition: 'bytes',
            },
            {
                title: 'Held from',
                definition: 'heldFrom',
                number: true,
                value: (k) => begin(c, list[k]),
                text: (k) => cycle(c.blockFrom[list[k]]),
            },
            {
                title: 'To',
                definition: 'heldTo',
                number: true,
                value: (k) => stop(c, list[k]),
                text: (k) => cycle(c.blockTo[list[k]]),
            },
            {
                title: 'Last used',
                number: true,
                value: (k) => c.blockUsed[list[k]],
                text: (k) => (c.blockUsed[list[k]] === NONE ? '–' : count(c.blockUsed[list[k]])),
                definition: 'lastUsed',
            },
        ],
    });
    const choice = (id, value, options, change) =>
        h(
            'label',
            {},
            `${id} `,
            h(
                'select',
                { id: `holds-${id}`, onchange: (e) => change(e.target.value) },
                options.map((x) =>
                    h('option', { value: String(x), selected: String(x) === String(value) }, String(x)),
                ),
            ),
        );
    return [
        h(
            'div',
            { class: 'tools' },
            tiles.length > 1 && tiles.length <= 2000
                ? choice(p.tileWord, tile, tiles, (v) => go({ tile: v, at: null, memory: null }))
                : null,
            choice('memory', memory, memories, (v) => go({ memory: v, at: null })),
            h('a', { href: address({ tab: 'map', tile: String(tile), memory }) }, 'by address'),
        ),
        panel(
            h('span', {}, `Bytes held in ${memory} of ${p.tileName(tile)} over time `, fidelity('estimated')),
            curve.element,
            h(
                'p',
                { class: 'note' },
                `Peak: ${bytes(counter.most)}${limit ? `, ${percent(counter.most / limit)} of ${bytes(limit)}` : ''}, from cycle ${count(counter.peak)} on. Bytes are held from their first use until others take their addresses, or to the end; addresses that two tiles share count once. The dashed line is the moment of the table below; a click moves it.`,
            ),
        ),
        rows.element,
    ];
}
