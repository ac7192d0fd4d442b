// SPDX-License-Identifier: MIT
// The chip as a grid of tiles, coloured by any figure.
import { chart, colours as coloursNow, graphic } from '../chart.js';
import { announce, h } from '../dom.js';
import { bytes, count, short } from '../format.js';
import { BUCKETS } from '../model.js';
import { go } from '../state.js';
import { absent, fidelity, memoryFidelity, panel, timeFidelity, weakest } from './parts.js';

const CELLS = 6000; // above, one image instead of a rectangle each

function figures(p) {
    const list = [];
    const active = new Float64Array(p.tiles);
    let any = false;
    BUCKETS.forEach((b, k) => {
        const row = p.c[`busy${k}`];
        if (!row) return;
        any = true;
        for (let t = 0; t < active.length; t++) active[t] += row[t];
        list.push([b.key, `${b.label} cycles`, row, count]);
    });
    if (any) {
        list.unshift(['busy', 'Busy cycles', active, count]);
        const end = p.totals?.cycles ?? 0;
        list.push(['idle', 'Idle or waiting cycles', active.map((v) => Math.max(0, end - v)), count]);
    }
    if (p.c.memory) list.push(['memory', 'Bytes', p.c.memory, bytes]);
    for (const category of p.categories) {
        const row = p.categoryRow(category);
        if (row && p.categoryTotal(category))
            list.push([`m:${category.key}`, `Bytes of ${category.label}`, row, bytes]);
    }
    if (p.c.waitTile.length) {
        const row = new Float64Array(p.tiles);
        for (let i = 0; i < p.c.waitTile.length; i++) row[p.c.waitTile[i]] += p.c.waitCycles[i];
        list.push(['waits', 'Cycles of recorded waits', row, count]);
    }
    const step = (s) => p.c.stepActive[s] && p.row(p.c.stepActive[s]);
    return { list, step };
}

const categoryOf = (p, key) => weakest(p.categories.find((c) => `m:${c.key}` === key)?.fidelity);

export function gridTab(p, state) {
    const { list, step } = figures(p);
    const s = state.step !== undefined ? Number(state.step) : -1;
    if (s >= 0 && s < p.stepCount && step(s)) list.unshift(['step', `Cycles in ${p.stepName(s)}`, step(s), count]);
    if (!list.length) return [absent('No figure by tile in this profile.')];
    if (p.tiles === 1) return [absent(`One ${p.tileWord}: there are no others to compare it with.`)];
    const [key, title, row, text] = list.find(([k]) => k === state.figure) ?? list[0];
    const of = key === 'memory' ? memoryFidelity(p) : key.startsWith('m:') ? categoryOf(p, key) : timeFidelity(p);
    const places = Array.from({ length: p.tiles }, (_, t) => p.place(t));
    let columns = 0;
    let rows = 0;
    for (const [x, y] of places) {
        columns = Math.max(columns, x + 1);
        rows = Math.max(rows, y + 1);
    }
    let low = Infinity;
    let high = -Infinity;
    for (const v of row) {
        low = Math.min(low, v);
        high = Math.max(high, v);
    }
    const at = new Map();
    places.forEach(([x, y], t) => at.set(y * columns + x, t));
    const empty = row.reduce((n, v) => n + (v === 0), 0);
    const none = empty ? ` Without a colour: ${text(0)}.` : '';
    const hover = h('div', { class: 'note' }, `Point at a ${p.tileWord}.${none}`);
    const words = (t) => `${p.tileName(t)}: ${text(row[t])}`;
    const named = columns > 20 ? (x) => x % (columns > 40 ? 10 : 5) === 0 : 'auto'; // columns with a name below them
    const large = p.tiles > CELLS;
    let drawn = null; // of one scale: it takes a second for a whole wafer
    const image = (scale) => {
        const shade = (v) => graphicColour((v - low) / (high - low || 1), scale);
        if (drawn?.scale !== scale.join())
            drawn = { scale: scale.join(), canvas: picture(places, columns, rows, row, shade) };
        return drawn.canvas;
    };
    const one = chart({
        id: 'grid',
        title: `${title} of every ${p.tileWord}`,
        height: Math.max(160, Math.min(620, (900 * rows) / Math.max(1, columns) + 90)),
        describe: () =>
            `${count(p.tiles)} ${p.tileWord}s in ${count(columns)} columns and ${count(rows)} rows; from ${text(low)} to ${text(high)}.`,
        items: () => p.tiles,
        item: words,
        select: (t) => go({ tile: String(t), tab: null, view: key.startsWith('m') ? 'memory' : 'time' }),
        figures: () => ({ key, values: Array.from(row), scale: coloursNow().scale, empty }),
        clickAt: (instance, event) => {
            const point = instance.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]);
            const t = point && at.get(Math.round(point[1]) * columns + Math.round(point[0]));
            if (t === undefined) return;
            hover.textContent = words(t);
            announce(words(t));
        },
        option: ({ scale, panel: behind }, narrow) => ({
            grid: { left: 50, right: narrow ? 12 : 140, top: 10, bottom: narrow ? 84 : 44, containLabel: false },
            tooltip: large
                ? undefined
                : {
                      trigger: 'item',
                      formatter: (e) => words(at.get(e.value[1] * columns + e.value[0])).replace(': ', '\n'),
                  },
            xAxis: large
                ? { type: 'value', min: -0.5, max: columns - 0.5, minInterval: 1 }
                : {
                      type: 'category',
                      data: Array.from({ length: columns }, (_, x) => String(x)),
                      axisLabel: { interval: named },
                      axisTick: { interval: named },
                      splitArea: { show: false },
                      name: p.gridSize().known ? 'column' : '',
                      nameLocation: 'middle',
                      nameGap: 22,
                  },
            yAxis: large
                ? { type: 'value', inverse: true, min: -0.5, max: rows - 0.5, minInterval: 1 }
                : {
                      type: 'category',
                      inverse: true,
                      data: Array.from({ length: rows }, (_, y) => String(y)),
                      name: p.gridSize().known ? 'row' : '',
                      nameLocation: 'middle',
                      nameGap: 30,
                  },
            visualMap: {
                type: 'continuous',
                min: low,
                max: high > low ? high : low + 1,
                calculable: true,
                ...(narrow
                    ? { orient: 'horizontal', left: 'center', bottom: 0, itemHeight: 160 }
                    : { orient: 'vertical', right: 4, top: 'middle', itemHeight: 120 }),
                inRange: { color: scale },
                formatter: (v) => (text === bytes ? bytes(v) : short(Math.round(v))),
                ...(large ? { seriesIndex: [], dimension: 2 } : {}),
            },
            series: large
                ? [
                      {
                          type: 'custom',
                          progressive: 0,
                          data: [[0, 0]],
                          renderItem: (params, api) => {
                              const [x0, y0] = api.coord([-0.5, -0.5]);
                              const [x1, y1] = api.coord([columns - 0.5, rows - 0.5]);
                              return {
                                  type: 'image',
                                  style: {
                                      image: image(scale),
                                      x: Math.min(x0, x1),
                                      y: Math.min(y0, y1),
                                      width: Math.abs(x1 - x0),
                                      height: Math.abs(y1 - y0),
                                  },
                              };
                          },
                      },
                  ]
                : [
                      {
                          type: 'heatmap',
                          data: places.map(([x, y], t) =>
                              row[t] === 0
                                  ? { value: [x, y, 0], visualMap: false, itemStyle: { color: behind } }
                                  : [x, y, row[t]],
                          ),
                          progressive: 0,
                          itemStyle: { borderWidth: p.tiles < 3000 ? 0.5 : 0, borderColor: 'rgba(128,128,128,.4)' },
                      },
                  ],
        }),
    });
    return [
        h(
            'div',
            { class: 'tools' },
            h(
                'label',
                {},
                'Figure ',
                h(
                    'select',
                    { id: 'figure', onchange: (e) => go({ figure: e.target.value }) },
                    list.map(([k, label]) => h('option', { value: k, selected: k === key }, label)),
                ),
            ),
            h(
                'span',
                { class: 'note' },
                p.gridSize().known
                    ? ''
                    : `The floor plan of this machine is not known: ${p.tileWord}s are in the order of their numbers.`,
            ),
        ),
        panel(h('span', {}, `${title} `, fidelity(of)), one.element, hover),
    ];
}

// Colours between those of the scale.
function graphicColour(share, scale) {
    const place = Math.min(1, Math.max(0, share)) * (scale.length - 1);
    const k = Math.min(scale.length - 2, Math.floor(place));
    const of = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const [a, b] = [of(scale[k]), of(scale[k + 1])];
    return a.map((v, i) => Math.round(v + (b[i] - v) * (place - k)));
}

function picture(places, columns, rows, row, shade) {
    const canvas = h('canvas');
    canvas.width = columns;
    canvas.height = rows;
    const context = canvas.getContext('2d');
    const data = context.createImageData(columns, rows);
    places.forEach(([x, y], t) => {
        const [r, g, b] = shade(row[t]);
        data.data.set([r, g, b, row[t] === 0 ? 0 : 255], 4 * (y * columns + x));
    });
    context.putImageData(data, 0, 0);
    return canvas;
}

export { graphic };
