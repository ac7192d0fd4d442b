// SPDX-License-Identifier: MIT
// Lanes of rectangles on a time axis: only what is visible, folded to a pixel, so that 10⁵ steps scroll.
import { chart, marginLeft } from '../chart.js';
import { h } from '../dom.js';
import { cut } from '../format.js';
import { inkStyle } from '../marks.js';

const MOST = 1200;
const ROWS = 1.5 * MOST;
const RIGHT = 18;
const SERIES = Array.from({ length: ROWS }, () => [0, 0]);

// lanes: [{ label }]; items(from, to, least) → [[from, to, lane, fill, text, id], ...]; describeItem(id, item) → words
export function laneChart({
    id,
    title,
    lanes,
    end,
    items,
    describeItem: describeOther,
    click,
    describe,
    figures,
    cursor,
    onWindow,
    unit,
    window: first,
}) {
    let shown = [];
    // Some bring their own words, or how to find them.
    const describeItem = (item) => (typeof item[9] === 'function' ? item[9]() : (item[9] ?? describeOther(item)));
    const load = (from, to, width) => {
        // Folded so that a first try mostly suffices: each further one looks at everything again.
        let least = ((to - from) / width) * Math.max(1, (lanes.length * width) / (4 * MOST));
        shown = items(from, to, least);
        // Many lanes may still hold more than draws quickly.
        while (shown.length > ROWS) {
            least *= 2;
            shown = items(from, to, least);
        }
    };
    // A row of the series is the place of an item among those shown. The first one of a pass asks which those are, so
    // that zooming draws once: axes are linear, and known then.
    let left = 0;
    let scale = 1;
    let lane = 1;
    const begin = (api, area) => {
        const [zero] = api.coord([0, 0]);
        scale = (api.coord([end, 0])[0] - zero) / end;
        left = zero;
        lane = area.height / Math.max(1, lanes.length);
        load(Math.max(0, (area.x - zero) / scale), Math.min(end, (area.x + area.width - zero) / scale), area.width);
    };
    const render = (params, api) => {
        const area = params.coordSys;
        if (params.dataIndexInside === 0) begin(api, area);
        const item = shown[params.dataIndexInside];
        if (!item) return null;
        const x0 = Math.max(left + item[0] * scale, area.x);
        const x1 = Math.min(Math.max(left + item[1] * scale, x0 + 1), area.x + area.width);
        if (x1 <= x0) return null;
        const y = area.y + (item[2] + 0.5 + (item[10] ?? 0)) * lane;
        const height = Math.max(item[10] === undefined ? 3 : 0.5, lane * (item[8] ?? 0.72));
        const width = x1 - x0;
        return {
            type: 'rect',
            shape: { x: x0, y: y - height / 2, width, height },
            style: {
                fill: item[3],
                stroke: width > 3 ? 'rgba(0,0,0,.35)' : undefined,
                lineWidth: 0.5,
                opacity: item[6] ?? 1,
            },
            textContent:
                width > 34 && height > 9
                    ? {
                          style: {
                              text: cut(item[4], 60),
                              ...(item[6] < 0.6 ? { fill: '#000' } : inkStyle(item[3])),
                              overflow: 'truncate',
                              width: width - 5,
                              fontSize: 11,
                          },
                      }
                    : undefined,
            textConfig: { position: 'inside' },
        };
    };
    const wide = lanes.some((lane) => lane.label.length > 22);
    const margin = wide ? 210 : 140;
    let [start, stop] = first ?? [0, end];
    const self = chart({
        id,
        title,
        height: Math.min(900, 74 + Math.max(1, lanes.length) * (lanes.length > 30 ? 18 : 28)),
        describe,
        figures,
        items: () => shown.length,
        item: (i) => describeItem(shown[i]),
        select: (i) => click?.(shown[i]),
        click: (event) => event.value && click?.(shown[event.dataIndex]),
        onZoom(a, b) {
            [start, stop] = [(a / 100) * end, (b / 100) * end];
            place();
            onWindow?.(start, stop);
        },
        option: (colours) => ({
            grid: { left: margin, right: RIGHT, top: 8, bottom: 58 },
            tooltip: {
                trigger: 'item',
                formatter: (event) =>
                    shown[event.dataIndex] ? describeItem(shown[event.dataIndex]).replaceAll(', ', '\n') : '',
            },
            xAxis: {
                type: 'value',
                min: 0,
                max: end,
                name: unit ?? 'cycles',
                nameLocation: 'middle',
                nameGap: 22,
                axisLabel: { formatter: (v) => v.toLocaleString('en-US') },
                splitNumber: 6,
            },
            yAxis: {
                type: 'category',
                inverse: true,
                data: lanes.map((lane) => cut(lane.label, wide ? 38 : 24)),
                axisTick: { show: false },
                splitLine: { show: true, lineStyle: { color: colours.line, opacity: 0.4 } },
            },
            dataZoom: [
                {
                    type: 'slider',
                    filterMode: 'none',
                    startValue: start,
                    endValue: stop,
                    labelFormatter: (v) => Math.round(v).toLocaleString('en-US'),
                },
                { type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', startValue: start, endValue: stop },
            ],
            series: [
                {
                    type: 'custom',
                    renderItem: render,
                    clip: true,
                    progressive: 0,
                    data: SERIES,
                },
            ],
        }),
    });
    // A line at one moment, over the chart: it moves without drawing anything again.
    const mark = h('div', { class: 'cursor', hidden: true });
    self.element.append(mark);
    let moment = -1;
    const place = () => {
        const share = (moment - start) / (stop - start);
        mark.hidden = !(moment >= 0 && share >= 0 && share <= 1);
        const left = marginLeft(margin, self.element.clientWidth || 900);
        mark.style.left = `calc(${left}px + ${share} * (100% - ${left + RIGHT}px))`;
    };
    self.point = (at) => {
        moment = at ?? -1;
        place();
    };
    self.point(cursor);
    return self;
}
