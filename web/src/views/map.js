// SPDX-License-Identifier: MIT
// The map of one tile: addresses to the right, and downwards when they are in use.
import { chart } from '../chart.js';
import { h } from '../dom.js';
import { bytes, byteStep, count, cut } from '../format.js';
import { inkStyle, marksOf } from '../marks.js';
import { NONE } from '../model.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { absent, fidelity, legend, liveFidelity, panel } from './parts.js';

const MOST = 3000;
const hex = (n) => `0x${n.toString(16).padStart(5, '0')}`;

// Bytes of the blocks of one category in a map.
function held(p, map, key) {
    const c = p.c;
    let sum = 0;
    for (let i = c.mapFirst[map]; i < c.mapFirst[map] + c.mapCount[map]; i++)
        if (p.name(c.blockCategory[i]) === key) sum += c.blockBytes[i];
    return sum;
}

export function mapTab(p, state) {
    const c = p.c;
    const mapped = c.tileMapTile.length;
    if (!mapped)
        return [
            absent(
                `No addresses: this profile does not say what lies where on a ${p.tileWord}. Poplar programs record it when they are placed, CSL programs and AI Engine arrays always, PTO programs with a timeline (`,
                h('code', {}, '--report'),
                ').',
            ),
        ];
    let tile = state.tile !== undefined ? Number(state.tile) : -1;
    if (p.mapOf(tile) < 0) {
        tile = c.tileMapTile[0];
        const memory = p.c.memory;
        if (memory) for (const t of c.tileMapTile) if (memory[t] > memory[tile]) tile = t;
    }
    const map = p.mapOf(tile);
    // Memories that count addresses on their own are shown one at a time.
    const own = [...new Set(p.head.memory.areas.map((a) => a.category).filter(Boolean))].filter((key) => {
        for (let i = 0; i < c.mapCount[map]; i++)
            if (p.name(c.blockCategory[c.mapFirst[map] + i]) === key) return true;
        return false;
    });
    const fullest = own.reduce((best, key) => (held(p, map, key) > held(p, map, best) ? key : best), own[0]);
    const memory = own.includes(state.memory) ? state.memory : (fullest ?? '');
    const list = Array.from({ length: c.mapCount[map] }, (_, i) => c.mapFirst[map] + i).filter(
        (i) => !memory || p.name(c.blockCategory[i]) === memory,
    );
    const n = list.length;
    const at = (i) => list[i];
    const cycles = Boolean(p.head.memory.mapInCycles);
    const when = (id) => (id === NONE ? null : cycles ? id : p.leafOf(id));
    const from = (i) => when(c.blockFrom[at(i)]);
    const to = (i) => when(c.blockTo[at(i)]);
    const used = (i) => when(c.blockUsed[at(i)]);
    const areas = p.areasOf(memory).filter((a) => a.bytes > 0);
    const moment = (k) => (cycles ? `cycle ${count(k)}` : `step ${k} (${cut(p.programTitle(p.leaves[k]), 60)})`);
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
    if (!n) [low, high] = [0, 1];
    // All of the memory, so that what is free is seen as well.
    const lastArea = areas.reduce((most, a) => Math.max(most, a.address + a.bytes), 0);
    const [usedLow, usedHigh] = [low, high];
    const sparse = usedHigh - usedLow < 0.2 * lastArea;
    const whole = areas.length > 0 && (state.zoom ? state.zoom === 'all' : !sparse);
    if (whole) {
        low = areas.reduce((least, a) => Math.min(least, a.address), low);
        high = Math.max(high, lastArea);
    }
    const categories = [...new Set(Array.from({ length: n }, (_, i) => c.blockCategory[at(i)]))];
    const labels = new Map(p.categories.map((x) => [x.key, x.label]));
    const label = (id) => cut(labels.get(p.name(id)) ?? p.name(id), 50);
    // Blocks of one category are told apart by their names.
    const names = [...new Set(list.map((i) => c.blockName[i]))].sort((a, b) => a - b);
    const byName = categories.length === 1 && names.length > 1;
    const kindOf = (i) => (byName ? c.blockName : c.blockCategory)[at(i)];
    const weight = new Map();
    for (let i = 0; i < n; i++) weight.set(kindOf(i), (weight.get(kindOf(i)) ?? 0) + c.blockBytes[at(i)]);
    const marks = marksOf(byName ? names : categories, weight, (id) => (byName ? cut(p.name(id), 40) : label(id)));
    // Largest first when there are more than can be drawn: small ones are in the table and appear on zooming.
    const visible = (a, b) => {
        const seen = [];
        for (let i = 0; i < n; i++)
            if (c.blockAddress[at(i)] < b && c.blockAddress[at(i)] + c.blockBytes[at(i)] > a) seen.push(i);
        return seen.length <= MOST
            ? seen
            : seen.sort((x, y) => c.blockBytes[at(y)] - c.blockBytes[at(x)]).slice(0, MOST);
    };
    const data = (shown) =>
        shown.map((i) => [
            c.blockAddress[at(i)],
            c.blockAddress[at(i)] + c.blockBytes[at(i)],
            from(i) ?? begin,
            (to(i) ?? end) + 1,
            i,
        ]);
    const describeBlock = (i) =>
        `${cut(p.name(c.blockName[at(i)]) || 'unnamed', 90)}: ${hex(c.blockAddress[at(i)])} to ${hex(c.blockAddress[at(i)] + c.blockBytes[at(i)])}, ${bytes(c.blockBytes[at(i)])}, ${label(c.blockCategory[at(i)])}, ${from(i) === null ? 'kept for the whole run' : `from ${moment(from(i))} to ${moment(to(i))}`}${used(i) !== null && used(i) < to(i) ? `, last used at ${moment(used(i))}` : ''}`;
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
                fill: marks.of(kindOf(i)),
                stroke: 'rgba(0,0,0,.35)',
                lineWidth: width > 4 ? 0.6 : 0,
            },
            textContent:
                width > 40
                    ? {
                          style: {
                              text,
                              ...inkStyle(marks.of(kindOf(i))),
                              overflow: 'truncate',
                              width: width - 6,
                              fontSize: 11,
                          },
                      }
                    : undefined,
            textConfig: { position: 'inside' },
        };
    };
    const one = chart({
        id: 'map',
        title: `Memory of ${p.tileName(tile)} by address`,
        height: timed ? 380 : 190,
        describe: () =>
            `${count(n)} blocks from ${hex(usedLow)} to ${hex(usedHigh)}${areas.length ? ` in ${areas.map((a) => cut(a.name, 40)).join(', ')}` : ''}.`,
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
        onZoom: (a, b) => ({
            series: [{ data: data(visible(low + ((high - low) * a) / 100, low + ((high - low) * b) / 100)) }],
        }),
        option: (colours) => ({
            grid: { left: 80, right: 20, top: 24, bottom: 58 },
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
                name: timed ? (cycles ? 'cycle' : 'step') : '',
                nameLocation: 'start',
                axisLabel: { show: timed, formatter: (v) => (v > end ? '' : v.toLocaleString('en-US')) },
                minInterval: 1,
                splitLine: { show: false },
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
                    markArea: {
                        silent: true,
                        label: { position: 'insideBottomLeft', color: colours.muted, fontSize: 11 },
                        data: areas
                            .filter((a) => a.address < high && a.address + a.bytes > low)
                            .map((a, k) => [
                                {
                                    name: cut(a.name, 30),
                                    xAxis: Math.max(low, a.address),
                                    itemStyle: { color: colours.line, opacity: k % 2 ? 0.35 : 0.15 },
                                },
                                { xAxis: Math.min(high, a.address + a.bytes) },
                            ]),
                    },
                },
            ],
        }),
    });
    const rows = table({
        id: 'blocks',
        fidelity: liveFidelity(p),
        caption: `What lies where on ${p.tileName(tile)}`,
        count: n,
        most: 12,
        sort: [1, false],
        columns: [
            { title: 'Name', value: (i) => p.name(c.blockName[at(i)]) || 'unnamed' },
            {
                title: 'Address',
                definition: 'address',
                number: true,
                value: (i) => c.blockAddress[at(i)],
                text: (i) => hex(c.blockAddress[at(i)]),
            },
            {
                title: 'End',
                definition: 'behind',
                number: true,
                value: (i) => c.blockAddress[at(i)] + c.blockBytes[at(i)],
                text: (i) => hex(c.blockAddress[at(i)] + c.blockBytes[at(i)]),
            },
            {
                title: 'Bytes',
                definition: 'bytes',
                number: true,
                value: (i) => c.blockBytes[at(i)],
                text: (i) => count(c.blockBytes[at(i)]),
            },
            { title: 'Category', value: (i) => label(c.blockCategory[at(i)]), width: '220px' },
            {
                title: cycles ? 'Held, cycles' : 'In use, steps',
                value: (i) => (from(i) === null ? 'always' : `${count(from(i))} – ${count(to(i))}`),
                width: '150px',
            },
            ...(cycles
                ? [
                      {
                          title: 'Last used',
                          number: true,
                          value: (i) => used(i) ?? -1,
                          text: (i) => (used(i) === null ? '–' : count(used(i))),
                          definition: 'lastUsed',
                          width: '110px',
                      },
                  ]
                : []),
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
            own.length > 1
                ? h(
                      'label',
                      {},
                      'memory ',
                      h(
                          'select',
                          { id: 'memory', onchange: (e) => go({ memory: e.target.value }) },
                          own.map((key) => h('option', { value: key, selected: key === memory }, key)),
                      ),
                  )
                : null,
            areas.length
                ? h(
                      'label',
                      {},
                      h('input', {
                          type: 'checkbox',
                          id: 'whole',
                          checked: whole,
                          onchange: (e) => go({ zoom: e.target.checked ? 'all' : 'used' }),
                      }),
                      'all of the memory',
                  )
                : null,
            h(
                'span',
                { class: 'note' },
                `${mapped === 1 ? `One ${p.tileWord} has` : `${count(mapped)} ${p.tileWord}s have`} a map${timed ? '; time runs downwards: blocks at the same address share it at different times' : ''}.`,
            ),
        ),
        panel(
            h(
                'span',
                {},
                `${memory ? `${memory} of ` : 'Memory of '}${p.tileName(tile)} `,
                fidelity(liveFidelity(p)),
            ),
            one.element,
            legend(marks.entries),
        ),
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
