// SPDX-License-Identifier: MIT
// Stacked bars over tiles, thousands of them: a column is one tile, or the fullest of a range of tiles until one zooms
// in. Only what is visible is given to the chart.
import { chart, colours } from '../chart.js';
import { bytes, byteStep, cut, short } from '../format.js';
import { PALETTE } from '../marks.js';

const COLUMNS = 600;
const LEAST = 4; // columns that are always in sight
const FEW = 12; // columns that each have their name below them

// parts: [{ label, row (by tile), colour }]; line: { label, row }; limit; value(v) → text; order: Uint32Array or null
export function tileBars(
    p,
    { id, title, parts, line, limit, limitLabel = 'limit', value, order, select, height = 340, describe },
) {
    const n = p.tiles;
    const at = (place) => (order ? order[place] : place);
    const middles = Array.from({ length: Math.min(n, FEW) }, (_, place) => place + 0.5);
    const nameAt = (x) => String(at(Math.floor(x)));
    const total = new Float64Array(n);
    for (const part of parts) for (let t = 0; t < n; t++) total[t] += part.row[t];
    let columns = [];
    const gather = (from, to) => {
        const first = Math.max(0, Math.floor(from));
        const last = Math.min(n, Math.max(first + 1, Math.ceil(to)));
        const bins = Math.min(COLUMNS, last - first);
        columns = [];
        for (let b = 0; b < bins; b++) {
            const begin = first + Math.floor((b * (last - first)) / bins);
            const end = first + Math.floor(((b + 1) * (last - first)) / bins);
            let most = begin;
            for (let k = begin + 1; k < end; k++) if (total[at(k)] > total[at(most)]) most = k;
            columns.push({ x: (begin + end) / 2, tile: at(most), tiles: end - begin });
        }
    };
    // Numbers in a row, x and y in turn: an array for each column costs more than drawing it.
    const points = (row) => {
        const list = new Float64Array(2 * columns.length);
        columns.forEach((c, k) => {
            list[2 * k] = c.x;
            list[2 * k + 1] = row[c.tile];
        });
        return list;
    };
    const left = 74;
    const right = 18;
    const series = (self) => {
        const room = Math.max(50, (self?.element.clientWidth ?? 900) - left - right);
        const width = Math.max(1, Math.min(40, room / columns.length - (room / columns.length > 4 ? 1 : 0)));
        return [
            ...parts.map((part, k) => ({
                name: part.label,
                type: 'bar',
                stack: 'all',
                large: columns.length > 200,
                largeThreshold: 200,
                progressive: 0,
                barWidth: width,
                color: part.colour ?? PALETTE[k % PALETTE.length],
                dimensions: ['x', 'y'],
                data: points(part.row),
                markLine:
                    k === 0 && limit
                        ? {
                              silent: true,
                              symbol: 'none',
                              label: {
                                  formatter: `${limitLabel} ${value(limit)}`,
                                  position: 'insideEndTop',
                                  color: colours().bad,
                              },
                              lineStyle: { color: colours().bad, type: 'dashed' },
                              data: [{ yAxis: limit }],
                          }
                        : undefined,
            })),
            ...(line
                ? [
                      {
                          name: line.label,
                          type: 'line',
                          step: 'middle',
                          symbol: 'none',
                          color: '#444',
                          lineStyle: { width: 1, color: '#888' },
                          dimensions: ['x', 'y'],
                          data: points(line.row),
                      },
                  ]
                : []),
        ];
    };
    gather(0, n);
    let highest = limit && limit < 3 * Math.max(...total) ? limit : 0;
    for (const v of total) highest = Math.max(highest, v);
    if (line) for (const v of line.row) highest = Math.max(highest, v);
    const labelled = (c) =>
        order || c.tiles === 1 ? p.tileName(c.tile) : `${p.tileName(c.tile)}, the fullest of ${c.tiles}`;
    const self = chart({
        id,
        title,
        height,
        describe,
        figures: () => ({ total: Array.from(total), parts: parts.map((x) => x.label) }),
        items: () => n,
        item: (i) =>
            `${p.tileName(at(i))}: ${value(total[at(i)])}. ${parts
                .filter((x) => x.row[at(i)])
                .map((x) => `${x.label} ${value(x.row[at(i)])}`)
                .join(', ')}`,
        select: (i) => select?.(at(i)),
        clickAt: (instance, event) => {
            const [x] = instance.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]) ?? [];
            if (!Number.isFinite(x) || !instance.containPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]))
                return;
            const nearest = columns.reduce(
                (best, c) => (Math.abs(c.x - 0 - x) < Math.abs(best.x - x) ? c : best),
                columns[0],
            );
            select?.(nearest.tile);
        },
        leastZoom: (100 * Math.min(n, LEAST)) / n,
        onZoom(start, end, me) {
            gather((start / 100) * n, (end / 100) * n);
            return { series: series(me) };
        },
        option: () => ({
            legend: parts.length > 1 ? { top: 0, left: 0, right: 0 } : undefined,
            grid: { left, right, top: parts.length > 1 ? 34 : 14, bottom: 56 },
            tooltip: {
                trigger: 'axis',
                axisPointer: { type: 'line' },
                formatter: (list) => {
                    const c = columns[list[0].dataIndex];
                    if (!c) return '';
                    const used = parts.filter((x) => x.row[c.tile] > 0).sort((a, b) => b.row[c.tile] - a.row[c.tile]);
                    const shown = used.slice(0, 12).map((x) => `${cut(x.label, 40)}: ${value(x.row[c.tile])}`);
                    return [
                        labelled(c),
                        `all: ${value(total[c.tile])}`,
                        ...(line ? [`${line.label}: ${value(line.row[c.tile])}`] : []),
                        ...shown,
                    ].join('\n');
                },
            },
            xAxis: {
                type: 'value',
                min: 0,
                max: n,
                name: order ? `${p.tileWord}s, fullest first` : p.tileWord,
                nameLocation: 'middle',
                nameGap: 22,
                minInterval: 1,
                ...(n <= FEW
                    ? { axisTick: { customValues: middles }, axisLabel: { customValues: middles, formatter: nameAt } }
                    : {}),
                splitLine: { show: false },
            },
            yAxis: {
                type: 'value',
                max: (highest || 1) * 1.04,
                interval: value === bytes ? byteStep(highest) : undefined,
                axisLabel: {
                    formatter: (v) => (v > highest * 1.001 ? '' : value === bytes ? bytes(v) : short(Math.round(v))),
                },
            },
            dataZoom: [
                { type: 'slider', minValueSpan: Math.min(n, LEAST), labelFormatter: (v) => String(Math.round(v)) },
                { type: 'inside', zoomOnMouseWheel: 'ctrl', minValueSpan: Math.min(n, LEAST) },
            ],
            series: series(self),
        }),
    });
    return self;
}
