// The map of one tile: addresses to the right, and downwards when they are in use.
import { chart, PALETTE } from '../chart.js';
import { h } from '../dom.js';
import { bytes, byteStep, count, cut } from '../format.js';
import { NONE } from '../model.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { absent, legend, panel } from './parts.js';

const MOST = 3000;
const hex = (n) => `0x${n.toString(16).padStart(5, '0')}`;

export function mapTab(p, state) {
    const c = p.c;
    const mapped = c.tileMapTile.length;
    if (!mapped)
        return [
            absent(
                'No addresses: this profile does not say what lies where on a tile. Poplar programs record it when they are placed (',
                h('code', {}, 'debug.allocateAddresses'),
                ' or a run on the model), PTO programs with manual addresses, CSL programs always.',
            ),
        ];
    let tile = state.tile !== undefined ? Number(state.tile) : -1;
    if (p.mapOf(tile) < 0) {
        tile = c.tileMapTile[0];
        const memory = p.c.memory;
        if (memory) for (const t of c.tileMapTile) if (memory[t] > memory[tile]) tile = t;
    }
    const map = p.mapOf(tile);
    const first = c.mapFirst[map];
    const n = c.mapCount[map];
    const at = (i) => first + i;
    const from = (i) => (c.blockFrom[at(i)] === NONE ? null : c.blockFrom[at(i)]);
    const to = (i) => (c.blockTo[at(i)] === NONE ? null : c.blockTo[at(i)]);
    let low = Infinity;
    let high = 0;
    let begin = Infinity;
    let end = 0;
    for (let i = 0; i < n; i++) {
        low = Math.min(low, c.blockAddress[at(i)]);
        high = Math.max(high, c.blockAddress[at(i)] + c.blockBytes[at(i)]);
        if (from(i) !== null) begin = Math.min(begin, from(i));
        if (to(i) !== null) end = Math.max(end, to(i));
    }
    const timed = begin <= end;
    if (!timed) [begin, end] = [0, 0];
    const categories = [...new Set(Array.from({ length: n }, (_, i) => c.blockCategory[at(i)]))];
    const labels = new Map(p.categories.map((x) => [x.key, x.label]));
    const label = (id) => cut(labels.get(p.name(id)) ?? p.name(id), 50);
    const colour = (id) => PALETTE[categories.indexOf(id) % PALETTE.length];
    // Largest first when there are more than can be drawn: small ones are in the table and appear on zooming.
    const visible = (a, b) => {
        const list = [];
        for (let i = 0; i < n; i++)
            if (c.blockAddress[at(i)] < b && c.blockAddress[at(i)] + c.blockBytes[at(i)] > a) list.push(i);
        return list.length <= MOST
            ? list
            : list.sort((x, y) => c.blockBytes[at(y)] - c.blockBytes[at(x)]).slice(0, MOST);
    };
    const data = (list) =>
        list.map((i) => [
            c.blockAddress[at(i)],
            c.blockAddress[at(i)] + c.blockBytes[at(i)],
            from(i) ?? begin,
            (to(i) ?? end) + 1,
            i,
        ]);
    const describeBlock = (i) =>
        `${cut(p.name(c.blockName[at(i)]) || 'unnamed', 90)}: ${hex(c.blockAddress[at(i)])} to ${hex(c.blockAddress[at(i)] + c.blockBytes[at(i)])}, ${bytes(c.blockBytes[at(i)])}, ${label(c.blockCategory[at(i)])}, ${from(i) === null ? 'always' : `steps ${from(i)} to ${to(i)}`}`;
    const render = (params, api) => {
        const [x0, y0] = api.coord([api.value(0), api.value(2)]);
        const [x1, y1] = api.coord([api.value(1), api.value(3)]);
        const i = api.value(4);
        const area = params.coordSys;
        const left = Math.max(x0, area.x);
        const right = Math.min(Math.max(x1, x0 + 1), area.x + area.width);
        if (right <= left) return null;
        const text = cut(p.name(c.blockName[at(i)]), 60);
        const width = right - left;
        return {
            type: 'rect',
            shape: { x: left, y: Math.min(y0, y1), width, height: Math.max(1, Math.abs(y1 - y0)) },
            style: {
                fill: colour(c.blockCategory[at(i)]),
                stroke: 'rgba(0,0,0,.35)',
                lineWidth: width > 4 ? 0.6 : 0,
            },
            textContent:
                width > 40
                    ? { style: { text, fill: '#000', overflow: 'truncate', width: width - 6, fontSize: 11 } }
                    : undefined,
            textConfig: { position: 'inside' },
        };
    };
    const one = chart({
        id: 'map',
        title: `Memory of ${p.tileName(tile)} by address`,
        height: 380,
        describe: () => `${count(n)} blocks from ${hex(low)} to ${hex(high)}.`,
        items: () => n,
        item: describeBlock,
        select: (i) => rows.select(i),
        click: (e) => e.value && rows.select(e.value[4]),
        figures: () =>
            Array.from({ length: n }, (_, i) => [
                p.name(c.blockName[at(i)]),
                c.blockAddress[at(i)],
                c.blockBytes[at(i)],
            ]),
        onZoom: (a, b, self) =>
            self.update({
                series: [{ data: data(visible(low + ((high - low) * a) / 100, low + ((high - low) * b) / 100)) }],
            }),
        option: () => ({
            grid: { left: 80, right: 20, top: 12, bottom: 58 },
            tooltip: { trigger: 'item', formatter: (e) => describeBlock(e.value[4]).replace(': ', '\n') },
            xAxis: {
                type: 'value',
                min: low,
                max: high,
                interval: byteStep(high - low),
                axisLabel: { formatter: hex },
            },
            yAxis: {
                type: 'value',
                inverse: true,
                min: begin,
                max: end + 1,
                name: timed ? 'step' : '',
                axisLabel: { show: timed },
                minInterval: 1,
            },
            dataZoom: [
                { type: 'slider', labelFormatter: (v) => hex(Math.round(v)) },
                { type: 'inside', zoomOnMouseWheel: 'ctrl' },
            ],
            series: [
                {
                    type: 'custom',
                    renderItem: render,
                    clip: true,
                    progressive: 0,
                    encode: { x: [0, 1], y: [2, 3] },
                    data: data(visible(low, high)),
                },
            ],
        }),
    });
    const rows = table({
        id: 'blocks',
        caption: `What lies where on ${p.tileName(tile)}`,
        count: n,
        most: 12,
        sort: [1, false],
        columns: [
            { title: 'Name', value: (i) => p.name(c.blockName[at(i)]) || 'unnamed' },
            {
                title: 'Address',
                number: true,
                value: (i) => c.blockAddress[at(i)],
                text: (i) => hex(c.blockAddress[at(i)]),
            },
            {
                title: 'End',
                number: true,
                value: (i) => c.blockAddress[at(i)] + c.blockBytes[at(i)],
                text: (i) => hex(c.blockAddress[at(i)] + c.blockBytes[at(i)]),
            },
            {
                title: 'Bytes',
                number: true,
                value: (i) => c.blockBytes[at(i)],
                text: (i) => count(c.blockBytes[at(i)]),
            },
            { title: 'Category', value: (i) => label(c.blockCategory[at(i)]), width: '220px' },
            {
                title: 'In use',
                value: (i) => (from(i) === null ? 'always' : `steps ${from(i)} – ${to(i)}`),
                width: '140px',
            },
        ],
    });
    return [
        h(
            'div',
            { class: 'tools' },
            h(
                'label',
                {},
                `${p.tileWord} `,
                h('input', {
                    type: 'number',
                    min: '0',
                    max: String(p.tiles - 1),
                    value: String(tile),
                    id: 'tile',
                    onchange: (e) => go({ tile: e.target.value }),
                }),
            ),
            h(
                'span',
                { class: 'note' },
                `${count(mapped)} ${p.tileWord}s have a map${timed ? '; blocks at the same address share it at different steps' : ''}.`,
            ),
        ),
        panel(`Memory of ${p.tileName(tile)}`, one.element, legend(categories.map((id) => [label(id), colour(id)]))),
        rows.element,
        p.head.memory.mapsOmitted
            ? h(
                  'p',
                  { class: 'note' },
                  `Maps of ${count(p.head.memory.mapsOmitted)} ${p.tileWord}s are left out of this file.`,
              )
            : null,
    ];
}
