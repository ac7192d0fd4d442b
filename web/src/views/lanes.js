// Lanes of rectangles on a time axis: only what is visible, folded to a pixel, so that 10⁵ steps scroll.
import { chart } from '../chart.js';
import { cut } from '../format.js';

const MOST = 1600;

// lanes: [{ label }]; items(from, to, least) → [[from, to, lane, colour, text, id], ...]; describeItem(id, item) → words
export function laneChart({
    id,
    title,
    lanes,
    end,
    items,
    describeItem,
    click,
    describe,
    figures,
    cursor,
    onWindow,
    unit,
    window: first,
}) {
    let shown = [];
    const load = (from, to, self) => {
        const width = Math.max(200, (self?.element.clientWidth ?? 1200) - 170);
        let least = (to - from) / width;
        shown = items(from, to, least);
        // Many lanes may still hold more than draws quickly.
        while (shown.length > MOST * 1.5) {
            least *= 2;
            shown = items(from, to, least);
        }
        return shown.map((item, i) => [item[0], item[1], item[2], i]);
    };
    const render = (params, api) => {
        const item = shown[api.value(3)];
        if (!item) return null;
        const area = params.coordSys;
        const [x0, y] = api.coord([api.value(0), api.value(2)]);
        const [x1] = api.coord([api.value(1), api.value(2)]);
        const height = Math.max(3, api.size([0, 1])[1] * 0.72);
        const left = Math.max(x0, area.x);
        const right = Math.min(Math.max(x1, x0 + 1), area.x + area.width);
        if (right <= left) return null;
        const width = right - left;
        return {
            type: 'rect',
            shape: { x: left, y: y - height / 2, width, height },
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
                              fill: '#000',
                              overflow: 'truncate',
                              width: width - 5,
                              fontSize: 11,
                          },
                      }
                    : undefined,
            textConfig: { position: 'inside' },
        };
    };
    let [start, stop] = first ?? [0, end];
    const self = chart({
        id,
        title,
        height: Math.min(900, 74 + Math.max(1, lanes.length) * (lanes.length > 30 ? 18 : 28)),
        describe,
        redrawOnResize: true,
        figures,
        items: () => shown.length,
        item: (i) => describeItem(shown[i]),
        select: (i) => click?.(shown[i]),
        click: (event) => event.value && click?.(shown[event.value[3]]),
        onZoom(a, b, me) {
            [start, stop] = [(a / 100) * end, (b / 100) * end];
            me.update({ series: [{ data: load(start, stop, me) }] });
            onWindow?.(start, stop);
        },
        option: (colours) => ({
            grid: { left: 140, right: 18, top: 8, bottom: 58 },
            tooltip: {
                trigger: 'item',
                formatter: (event) => describeItem(shown[event.value[3]]).replaceAll(', ', '\n'),
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
                data: lanes.map((lane) => cut(lane.label, 24)),
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
                    encode: { x: [0, 1], y: 2 },
                    data: load(start, stop, self),
                    markLine:
                        cursor !== undefined && cursor >= 0
                            ? {
                                  silent: true,
                                  symbol: 'none',
                                  label: { show: false },
                                  lineStyle: { color: colours.accent, width: 2, type: 'solid' },
                                  data: [{ xAxis: cursor }],
                              }
                            : undefined,
                },
            ],
        }),
    });
    return self;
}
