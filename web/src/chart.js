// SPDX-License-Identifier: MIT
// Charts: Apache ECharts, only the parts in use. This file knows the library; views give it options. Each chart has a
// description in words, a keyboard cursor, and is drawn again when size or colours change.
import { BarChart, CustomChart, HeatmapChart, LineChart, TreemapChart } from 'echarts/charts';
import {
    AriaComponent,
    BrushComponent,
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkAreaComponent,
    MarkLineComponent,
    MarkPointComponent,
    TooltipComponent,
    VisualMapComponent,
} from 'echarts/components';
import { graphic, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { announce, h } from './dom.js';
import { safe } from './format.js';
import { PALETTE } from './marks.js';

use([
    BarChart,
    CustomChart,
    HeatmapChart,
    LineChart,
    TreemapChart,
    AriaComponent,
    BrushComponent,
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkAreaComponent,
    MarkLineComponent,
    MarkPointComponent,
    TooltipComponent,
    VisualMapComponent,
    CanvasRenderer,
]);

export { graphic };

// Okabe and Ito's colours, which people with colour blindness tell apart.
export const KIND_COLOURS = {
    other: '#999999',
    compute: '#d55e00',
    exchange: '#56b4e9',
    global: '#0072b2',
    host: '#cc79a7',
    shared: '#009e73',
    sync: '#f0e442',
    idle: '#b8b8b8',
    wait: '#f0e442',
};

const alive = new Set();

// What tests look at: texts that charts drew with their colours, and the labels of an axis.
export function textsOfCharts() {
    const found = {};
    for (const one of alive) {
        const list = one.instance?.getZr?.().storage.getDisplayList(true) ?? [];
        found[one.spec.id] = list
            .filter((e) => e.type === 'tspan' && !e.invisible && typeof e.style.fill === 'string')
            .filter((e) => e.parent?.__hostTarget?.textConfig?.position !== 'inside') // these have inks of their own
            .map((e) => [e.style.text, e.style.fill]);
    }
    return found;
}
export function labelsOf(id, axis) {
    const one = [...alive].find((x) => x.spec.id === id);
    const model = one.instance.getModel().getComponent(axis, 0);
    return model.axis.getViewLabels().map((label) => label.formattedLabel);
}
export function areaOf(id) {
    const { x, width } = [...alive]
        .find((one) => one.spec.id === id)
        .instance.getModel()
        .getComponent('grid', 0)
        .coordinateSystem.getRect();
    return { left: x, width };
}
let paper = false;
export const registry = {}; // what tests look at: the figures each chart was given

export function colours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return {
        text: of('--text'),
        muted: of('--muted'),
        line: of('--line'),
        panel: of('--panel'),
        accent: of('--accent'),
        bad: of('--bad'),
        scale: of('--scale').split(' '), // from little to much
    };
}

const axisStyle = (c) => ({
    axisLine: { lineStyle: { color: c.line } },
    axisTick: { lineStyle: { color: c.line } },
    axisLabel: { color: c.muted },
    nameTextStyle: { color: c.muted },
    splitLine: { lineStyle: { color: c.line, opacity: 0.6 } },
});

// Lines that a legend takes in so many pixels, from the lengths of its names.
function legendLines(names, room) {
    let lines = 1;
    let x = 0;
    for (const name of names) {
        const width = 40 + 6.5 * String(name.name ?? name).length;
        if (x && x + width > room) [lines, x] = [lines + 1, 0];
        x += width;
    }
    return lines;
}

// On a narrow screen names left of a chart get less than half of it, and end in dots.
const NAMES = 0.45;
const NARROW = 600;
const LINE = 24; // of a legend
export const marginLeft = (left, width) => Math.min(left, Math.max(60, Math.round(width * NAMES)));

function themed(option, c, width) {
    const left = option.grid && marginLeft(option.grid.left, width);
    const names = (a) =>
        a.type === 'category' && left < option.grid?.left ? { width: left - 12, overflow: 'truncate' } : {};
    const axis = (a, vertical) =>
        Array.isArray(a)
            ? a.map((one) => axis(one, vertical))
            : a && {
                  ...axisStyle(c),
                  ...a,
                  ...(width < NARROW && !vertical ? { splitNumber: 3 } : {}),
                  axisLabel: {
                      color: c.muted,
                      hideOverlap: !vertical,
                      ...(vertical ? names(a) : {}),
                      ...a.axisLabel,
                  },
              };
    const zoom = (option.dataZoom ?? []).map((z) =>
        z.type === 'slider'
            ? {
                  height: 18,
                  bottom: 6,
                  borderColor: c.line,
                  textStyle: { color: c.muted },
                  brushSelect: true,
                  ...z,
                  show: !paper,
              }
            : z,
    );
    // Nobody turns the pages of a legend on paper, and on a telephone a page has two names: it gets as many lines as it takes.
    const plain = paper || width < NARROW;
    const legendNames = option.legend?.data ?? option.series.map((s) => s.name).filter(Boolean);
    const lines = plain && option.legend ? legendLines(legendNames, width - 10) : 1;
    const grid = option.grid && { ...option.grid, left, top: option.grid.top + LINE * (lines - 1) };
    return {
        animation: false,
        backgroundColor: 'transparent',
        color: PALETTE,
        textStyle: { color: c.text, fontFamily: 'system-ui, sans-serif' },
        aria: { enabled: false },
        ...option,
        ...(grid && { grid }),
        xAxis: axis(option.xAxis, false),
        yAxis: axis(option.yAxis, true),
        legend: option.legend && {
            textStyle: { color: c.text },
            inactiveColor: c.muted,
            type: plain ? 'plain' : 'scroll',
            pageTextStyle: { color: c.muted },
            pageIconColor: c.text,
            ...option.legend,
        },
        tooltip: option.tooltip && {
            renderMode: 'richText',
            confine: true,
            backgroundColor: c.panel,
            borderColor: c.line,
            textStyle: { color: c.text, fontSize: 12 },
            ...option.tooltip,
        },
        visualMap: option.visualMap && { textStyle: { color: c.muted }, ...option.visualMap },
        dataZoom: zoom,
        more: LINE * (lines - 1), // pixels that the legend takes
    };
}

// spec: id (for tests), title, describe() → words, option(colours, is it narrow?) → ECharts option, height, items → how many things
// the cursor can stand on, item(i) → words, select(i), figures → what tests compare, onZoom(from, to in percent).
export function chart(spec) {
    const box = h('div', {
        class: 'chart',
        role: 'img',
        tabindex: '0',
        'aria-label': `${spec.title}. ${spec.describe?.() ?? ''} Arrow keys move a cursor, plus and minus zoom, 0 shows all.`,
        'data-chart': spec.id,
    });
    box.style.height = `${spec.height ?? 320}px`;
    const picture = h('div', { class: 'canvas' });
    box.append(picture);
    let instance = null;
    let cursor = -1;
    let zooms = 0; // how many controls of the window there are
    let window = null; // [start, end] in percent, once somebody has zoomed
    const self = {
        element: box,
        spec,
        draw() {
            if (!instance) return;
            const width = box.clientWidth || 900;
            const option = themed(spec.option(colours(), width < NARROW), colours(), width);
            const high = Math.round(spec.height ?? 320) + option.more;
            if (box.clientHeight !== high) {
                box.style.height = `${high}px`;
                instance.resize();
            }
            zooms = option.dataZoom.length;
            if (window)
                for (const zoom of option.dataZoom) {
                    delete zoom.startValue;
                    delete zoom.endValue;
                    [zoom.start, zoom.end] = window;
                }
            instance.setOption(option, { notMerge: true, silent: true });
            registry[spec.id] = spec.figures?.() ?? null;
        },
        // A part of the option, when other data is shown on the same axes.
        update(option) {
            instance?.setOption(option, { silent: true, lazyUpdate: false });
        },
        start() {
            instance = init(picture, null, { renderer: 'canvas', useDirtyRect: false });
            self.instance = instance;
            self.draw();
            instance.on('click', (event) => spec.click?.(event));
            instance.getZr().on('click', (event) => spec.clickAt?.(instance, event));
            instance.on('datazoom', () => {
                window = instance.getModel().getComponent('dataZoom', 0).getPercentRange();
                const option = spec.onZoom?.(...window, self);
                if (option) self.update(option);
            });
            instance.on('legendselectchanged', (event) => spec.onLegend?.(event.selected));
        },
        resize() {
            instance?.resize();
            self.draw();
        },
        zoom() {
            return (
                window ?? (zooms && instance?.getModel().getComponent('dataZoom', 0).getPercentRange()) ?? [0, 100]
            );
        },
        // The window and what is seen in it are set at once: charts draw everything again whatever changes.
        setZoom(start, end) {
            if (!zooms || !instance) return;
            const width = Math.min(100, Math.max(spec.leastZoom ?? 1e-6, end - start));
            const from = Math.min(100 - width, Math.max(0, start));
            window = [from, from + width];
            const option = spec.onZoom?.(...window, self) ?? {};
            self.update({
                ...option,
                dataZoom: Array.from({ length: zooms }, () => ({ start: from, end: from + width })),
            });
        },
        dispose() {
            alive.delete(self);
            const canvas = instance?.getZr();
            if (canvas) {
                canvas.animation.stop(); // a frame that is still to come would find nothing
                canvas.painter._paintList = () => {}; // likewise where a slow machine paints one picture in several frames
            }
            instance?.dispose();
            instance = null;
        },
    };
    box.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const items = spec.items?.() ?? 0;
        const [a, b] = self.zoom();
        const width = b - a;
        const centre = (a + b) / 2;
        const move = (by) => {
            if (!items) return self.setZoom(a + (by * width) / 8, b + (by * width) / 8);
            cursor = Math.min(items - 1, Math.max(0, cursor + by));
            announce(safe(spec.item(cursor)));
            spec.point?.(cursor, self);
        };
        const actions = {
            ArrowRight: () => move(1),
            ArrowLeft: () => move(-1),
            d: () => self.setZoom(a + width / 8, b + width / 8),
            a: () => self.setZoom(a - width / 8, b - width / 8),
            '+': () => self.setZoom(centre - width / 4, centre + width / 4),
            '=': () => self.setZoom(centre - width / 4, centre + width / 4),
            w: () => self.setZoom(centre - width / 4, centre + width / 4),
            '-': () => self.setZoom(centre - width, centre + width),
            s: () => self.setZoom(centre - width, centre + width),
            0: () => self.setZoom(0, 100),
            Enter: () => cursor >= 0 && spec.select?.(cursor),
            Escape: () => box.blur(),
        };
        if (!actions[event.key]) return;
        event.preventDefault();
        event.stopPropagation();
        actions[event.key]();
    });
    alive.add(self);
    return self;
}

// Pictures that views draw themselves live and die with charts.
export function enlist(one) {
    alive.add(one);
}

export function startCharts() {
    for (const one of alive) if (!one.instance && one.element.isConnected) one.start();
}

export function dropCharts() {
    for (const one of [...alive]) one.dispose();
    alive.clear();
    for (const key of Object.keys(registry)) delete registry[key];
}

export function redrawCharts() {
    for (const one of alive) one.draw();
}

addEventListener('resize', () => {
    for (const one of alive) one.resize();
});
// On paper: other colours, another width, nothing to handle.
export function setPaper(on) {
    paper = on;
    for (const one of alive) {
        one.resize();
    }
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawCharts);
