// SPDX-License-Identifier: MIT
// Time: when what ran, for how long, and who waited for whom.
import { KIND_COLOURS } from '../chart.js';
import { COUNTER_COLOURS, counterItem, counterLabel } from '../counters.js';
import { h } from '../dom.js';
import { bytes, capital, count, cut, part, percent, seconds } from '../format.js';
import { marksOf } from '../marks.js';
import { BUCKETS, FIDELITIES, NONE } from '../model.js';
import { address, go } from '../state.js';
import { table } from '../table.js';
import { Timeline } from '../timeline.js';
import { withAnswer } from './answers.js';
import { gridTab } from './grid.js';
import { intervalsChart } from './intervals.js';
import { laneChart } from './lanes.js';
import { absent, fidelity, inWordsOf, legend, panel, tabs, timeFidelity } from './parts.js';
import { extremes, inUse } from './sums.js';
import { tileBars } from './tilebars.js';
import { waitsTab } from './waits.js';

const kindColour = (k) => KIND_COLOURS[BUCKETS[k].key];

// Figures of steps that are drawn over time. What is live during a sync is what the step before it left.
function stepCounters(p) {
    const c = p.c;
    const n = p.stepCount;
    const always = c.alwaysBytes.reduce((sum, v) => sum + v, 0);
    const live = new Float64Array(n);
    const rate = new Float64Array(n);
    for (let s = 0, last = 0; s < n; s++) {
        const list = c.programLiveBytes[c.stepProgram[s]] ?? 0;
        if (list) last = always + c.rowSum[list];
        live[s] = last;
        rate[s] = c.stepTotalData[s] / Math.max(1, c.stepCycles[s]);
    }
    const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
    const perCycle = (v) =>
        `${v < 99.95 && v % 1 ? v.toFixed(1) : bytes(v)}${v < 99.95 && v % 1 ? ' B' : ''} a cycle`;
    return [
        { title: 'live bytes', format: bytes, values: live, most: most(live) },
        { title: 'moved', format: perCycle, values: c.stepTotalData, sum: true, rate, most: most(rate) },
        p.tiles > 1
            ? {
                  title: `active ${p.tileWord}s`,
                  format: count,
                  values: c.stepActiveTiles,
                  most: most(c.stepActiveTiles),
              }
            : null,
    ]
        .filter((x) => x && x.most > 0)
        .map((x, k) => ({ ...x, colour: COUNTER_COLOURS[k] }));
}

function timelineOf(p) {
    p.timeline ??= new Timeline(p, stepCounters(p));
    return p.timeline;
}

// The busiest tile of each chip, where there are several.
function busiestOfChips(p, active) {
    const { chips, tilesPerChip } = p.target;
    if (!(chips > 1) || !tilesPerChip) return [];
    return Array.from({ length: Math.min(chips, 16) }, (_, chip) => {
        let best = chip * tilesPerChip;
        for (let t = best; t < Math.min(active.length, (chip + 1) * tilesPerChip); t++)
            if (active[t] > active[best]) best = t;
        return best;
    });
}

function describeStep(p, s) {
    const c = p.c;
    return [
        p.stepName(s),
        p.stepType(s),
        `${count(c.stepCycles[s])} cycles`,
        `executed ${count(c.stepExecutions[s])} times`,
        `${count(c.stepActiveTiles[s])} active ${p.tileWord}s`,
        c.stepTotalData[s] ? bytes(c.stepTotalData[s]) : null,
        FIDELITIES[c.stepFidelity[s]],
    ]
        .filter(Boolean)
        .map((x) => x.replaceAll(', ', '; '))
        .join(', ');
}

function stepsChart(p, state) {
    const line = timelineOf(p);
    const c = p.c;
    const end = Math.max(line.end, p.totals?.cycles ?? 0);
    if (!(end > 0)) return null;
    const seen = new Uint8Array(BUCKETS.length);
    for (let s = 0; s < p.stepCount; s++) if (c.stepExecutions[s] && c.stepCycles[s]) seen[c.stepBucket[s]] = 1;
    const kinds = BUCKETS.map((_, k) => k).filter((k) => seen[k]);
    const { active, hot, idle } = extremes(p);
    const chosen = state.tile !== undefined && Number(state.tile) < p.tiles ? Number(state.tile) : -1;
    const perChip = busiestOfChips(p, active);
    const tiles = p.tiles > 1 ? [...new Set([chosen, hot, idle, ...perChip].filter((t) => t >= 0))] : [];
    const why = (t) =>
        t === chosen
            ? ''
            : t === hot
              ? ' (busiest)'
              : t === idle
                ? ' (idlest)'
                : ` (busiest of ${p.chipWord} ${p.chipOf(t)})`;
    const lanes = [
        ...kinds.map((k) => ({ label: BUCKETS[k].label })),
        ...tiles.map((t) => ({ label: `${p.shortTile(t)}${why(t)}` })),
        ...line.counters.map((counter) => ({ label: counterLabel(counter) })),
    ];
    const below = kinds.length + tiles.length; // lane of the first counter
    const laneOf = new Map(kinds.map((k, i) => [k, i]));
    const ascending = Uint32Array.from(tiles).sort();
    const placeOf = tiles.map((t) => ascending.indexOf(t));
    const items = (from, to, least) => {
        const list = [];
        let stretch = [-1, -1, 0];
        for (const counter of line.counters) counter.last = null;
        line.window(from, to, least, (kind, a, b, s, share, counts) => {
            const lane = laneOf.get(kind);
            if (lane === undefined) return;
            list.push([
                a,
                b,
                lane,
                kindColour(kind),
                s >= 0 ? p.stepName(s) : '',
                s,
                s >= 0 ? 1 : 0.15 + 0.85 * share,
                share,
            ]);
            if (s < 0) {
                // One stretch of a tile has several kinds: above each other, each as high as its share.
                if (a !== stretch[0] || b !== stretch[1]) {
                    stretch = [a, b, 0];
                    line.counters.forEach((x, k) => counterItem(list, below + k, x, a, b, counts[k]));
                }
                tiles.forEach((t, i) =>
                    list.push([
                        a,
                        b,
                        kinds.length + i,
                        kindColour(kind),
                        '',
                        s,
                        0.8,
                        share,
                        0.72 * share,
                        undefined,
                        0.72 * (stretch[2] + share / 2 - 0.5),
                    ]),
                );
                stretch[2] += share;
                return;
            }
            line.counters.forEach((x, k) => counterItem(list, below + k, x, a, b, (x.rate ?? x.values)[s]));
            const values = c.stepActive[s] ? p.valuesAt(c.stepActive[s], ascending) : null;
            tiles.forEach((t, i) => {
                const active = values ? values[placeOf[i]] : c.stepActive[s] ? -1 : c.stepCycles[s];
                const begin = b - c.stepCycles[s];
                if (active > 0)
                    list.push([begin, begin + active, kinds.length + i, kindColour(kind), p.stepName(s), s]);
                if (active >= 0 && active < c.stepCycles[s] && b - begin - active >= least)
                    list.push([
                        begin + active,
                        b,
                        kinds.length + i,
                        KIND_COLOURS.idle,
                        'waits',
                        s,
                        0.35,
                        undefined,
                        0.72,
                        `waits ${count(c.stepCycles[s] - active)} cycles for ${p.tileName(c.rowWorst[c.stepActive[s]]).replaceAll(', ', '; ')}, the slowest of ${p.stepName(s)}`,
                    ]);
            });
        });
        return list;
    };
    const sums = h('div', { class: 'note', id: 'window' });
    const tell = (from, to) => {
        const all = from === 0 && to === end ? whole : line.sum(from, to);
        const parts = BUCKETS.map((b, k) =>
            all[k] > 0 ? `${b.label} ${percent(all[k] / (to - from))}` : null,
        ).filter(Boolean);
        sums.textContent = `Shown: cycles ${count(Math.floor(from))} to ${count(Math.ceil(to))}${p.target.clock ? `, ${seconds((to - from) / p.target.clock)}` : ''}. ${parts.join(', ')}.`;
    };
    const firstOf = (step) => (step >= 0 && step < p.stepCount ? line.firstOf(step) : -1);
    const whole = line.sum(0, end);
    tell(0, end);
    const self = laneChart({
        id: 'timeline',
        title: 'Steps over time',
        lanes,
        end,
        cursor: firstOf(Number(state.step ?? -1)),
        items,
        describeItem: (item) =>
            item[5] < 0
                ? `${item[7] === undefined ? '' : `${percent(item[7])} of `}several short steps, cycles ${count(Math.floor(item[0]))} to ${count(Math.ceil(item[1]))}, zoom in to see them`
                : describeStep(p, item[5]),
        click: (item) => item && item[5] >= 0 && go({ step: String(item[5]) }),
        describe: () => `${count(p.totals?.steps ?? 0)} steps in ${count(end)} cycles.`,
        figures: () => ({
            end,
            kinds: kinds.map((k) => [BUCKETS[k].label, whole[k]]),
            counters: line.counters.map((x) => [x.title, x.most]),
        }),
        onWindow: tell,
    });
    return {
        point: (step) => self.point(firstOf(step)),
        element: h(
            'div',
            {},
            self.element,
            sums,
            legend([
                ...kinds.map((k) => [BUCKETS[k].label, kindColour(k)]),
                ...(tiles.length ? [['waits for slower tiles', KIND_COLOURS.idle]] : []),
            ]),
        ),
    };
}

function stepTable(p, state) {
    const c = p.c;
    const all = p.totals?.cycles || 0;
    const used = inUse(p).used || p.tiles;
    const ofUsed = (s) => Math.min(1, (c.stepBalance[s] * p.tiles) / used);
    const kind = BUCKETS.findIndex((b) => b.key === state.kind);
    const rows =
        kind >= 0
            ? Uint32Array.from({ length: p.stepCount }, (_, s) => s).filter((s) => c.stepBucket[s] === kind)
            : undefined;
    return table({
        id: 'steps',
        owner: p,
        caption: kind >= 0 ? `${BUCKETS[kind].label} steps` : 'Every distinct step',
        count: p.stepCount,
        most: 12,
        rows,
        sort: [4, true],
        selected: state.step !== undefined ? Number(state.step) : -1,
        select: (s) => go({ step: String(s) }),
        columns: [
            { title: 'Step', value: (s) => p.stepName(s) },
            { title: 'Type', value: (s) => p.stepType(s), width: '130px' },
            {
                title: 'Cycles',
                number: true,
                value: (s) => c.stepCycles[s],
                text: (s) => count(c.stepCycles[s]),
                definition: 'stepCycles',
                width: '90px',
            },
            {
                title: 'Executed',
                number: true,
                value: (s) => c.stepExecutions[s],
                text: (s) => count(c.stepExecutions[s]),
                definition: 'executions',
                width: '90px',
            },
            {
                title: 'In all',
                number: true,
                value: (s) => p.stepTotal(s),
                text: (s) => count(p.stepTotal(s)),
                bar: (s) => (all ? p.stepTotal(s) / all : 0),
                definition: 'total',
                width: '130px',
            },
            {
                title: 'Share',
                number: true,
                value: (s) => (all ? p.stepAlone(s) / all : 0),
                text: (s) => part(all ? p.stepAlone(s) / all : 0),
                definition: 'share',
                width: '75px',
            },
            {
                title: 'Active',
                number: true,
                value: (s) => c.stepActiveTiles[s],
                text: (s) => count(c.stepActiveTiles[s]),
                definition: 'activeTiles',
                width: '75px',
            },
            {
                title: 'Balance',
                number: true,
                value: ofUsed,
                text: (s) => percent(ofUsed(s)),
                definition: 'balance',
                width: '80px',
            },
            {
                title: 'Lost',
                number: true,
                value: (s) => p.stepLost(s, used),
                text: (s) => count(Math.round(p.stepLost(s, used))),
                definition: 'lost',
            },
            {
                title: 'Data',
                number: true,
                value: (s) => c.stepTotalData[s],
                text: (s) => (c.stepTotalData[s] ? bytes(c.stepTotalData[s]) : '–'),
                definition: 'data',
                width: '90px',
            },
            { title: 'Figures', value: (s) => FIDELITIES[c.stepFidelity[s]], width: '90px' },
        ],
    });
}

// Kernels on the workers of the tile that all others wait for.
function workersChart(p, s) {
    const c = p.c;
    const first = c.stepWorkFirst[s];
    const last = first + c.stepWorkCount[s];
    if (first === last)
        return p.head.workOmitted && c.stepKind.length
            ? h(
                  'p',
                  { class: 'note' },
                  'What ran on which worker is left out: the profile keeps a part of the steps.',
              )
            : null;
    let workers = 1;
    for (let i = first; i < last; i++) if (c.workWorker[i] !== NONE) workers = Math.max(workers, c.workWorker[i] + 1);
    const words = (i) =>
        `${cut(p.name(c.typeName[c.workType[i]]).replaceAll(', ', '; '), 80)}, ${c.workWorker[i] === NONE ? 'all workers' : `worker ${c.workWorker[i]}`}, cycles ${count(c.workFrom[i])} to ${count(c.workTo[i])} of the step, ${count(c.workTo[i] - c.workFrom[i])} cycles`;
    const cycles = new Map();
    for (let i = first; i < last; i++)
        cycles.set(c.workType[i], (cycles.get(c.workType[i]) ?? 0) + c.workTo[i] - c.workFrom[i]);
    const marks = marksOf([...cycles.keys()], cycles, (type) => cut(p.name(c.typeName[type]), 40));
    const chart = laneChart({
        id: 'workers',
        title: `Workers of ${p.tileName(c.stepWorkTile[s])}, the slowest`,
        lanes: Array.from({ length: workers }, (_, w) => ({ label: `worker ${w}` })),
        end: c.stepCycles[s],
        unit: 'cycles of the step',
        items(from, to, least) {
            const list = [];
            for (let i = first; i < last; i++) {
                if (c.workTo[i] <= from || c.workFrom[i] >= to || c.workTo[i] - c.workFrom[i] < least / 2) continue;
                const all = c.workWorker[i] === NONE;
                for (let w = all ? 0 : c.workWorker[i]; w < (all ? workers : c.workWorker[i] + 1); w++)
                    list.push([
                        c.workFrom[i],
                        c.workTo[i],
                        w,
                        marks.of(c.workType[i]),
                        p.name(c.typeName[c.workType[i]]),
                        i,
                    ]);
            }
            return list;
        },
        describeItem: (item) => words(item[5]),
        describe: () => `${count(last - first)} kernels.`,
        figures: () =>
            Array.from({ length: last - first }, (_, i) => [
                c.workWorker[first + i],
                c.workFrom[first + i],
                c.workTo[first + i],
            ]),
    });
    return h('div', {}, chart.element, legend(marks.entries));
}

function stepDetail(p, s) {
    const c = p.c;
    if (!(s >= 0 && s < p.stepCount)) return [];
    const active = c.stepActive[s];
    const row = active ? p.row(active) : null;
    const data = c.stepData[s] ? p.row(c.stepData[s]) : null;
    const program = c.stepProgram[s];
    const facts = [
        `${count(c.stepCycles[s])} cycles`,
        `executed ${count(c.stepExecutions[s])} times`,
        active
            ? `${p.tileName(c.rowWorst[active])} takes longest, the next one ${count(c.rowSecond[active])}, the shortest ${count(c.rowMin[active])} cycles`
            : 'all tiles alike',
    ];
    return [
        panel(
            h('span', {}, cut(p.stepName(s), 100), ' ', fidelity(FIDELITIES[c.stepFidelity[s]])),
            h(
                'p',
                {},
                `${facts.join('; ')}. `,
                program < c.programType.length
                    ? h('a', { href: address({ view: 'program', program: String(program) }, {}) }, 'Its program')
                    : null,
            ),
            p.tiles > 1 && row
                ? tileBars(p, {
                      id: 'step-tiles',
                      title: `Cycles of every ${p.tileWord} in this step`,
                      height: 220,
                      parts: [{ label: 'Cycles', row, colour: kindColour(c.stepBucket[s]) }],
                      value: (v) => count(Math.round(v)),
                      select: (t) => go({ tile: String(t) }),
                      describe: () => facts.join(', '),
                  }).element
                : h(
                      'p',
                      { class: 'note' },
                      active && !row
                          ? `Cycles by ${p.tileWord} of this step are left out of this file: smallest ${count(c.rowMin[active])}, largest ${count(c.rowMax[active])} on ${p.tileName(c.rowWorst[active])}.`
                          : '',
                  ),
            c.stepWorkCount[s]
                ? h(
                      'h3',
                      {},
                      `Workers of ${p.tileName(c.stepWorkTile[s])}, which takes longest `,
                      fidelity('modelled'),
                  )
                : null,
            workersChart(p, s),
            data && p.tiles > 1
                ? tileBars(p, {
                      id: 'step-data',
                      title: `Bytes of every ${p.tileWord} in this step`,
                      height: 200,
                      parts: [{ label: 'Bytes', row: data, colour: '#56b4e9' }],
                      value: bytes,
                      select: (t) => go({ tile: String(t) }),
                      describe: () => bytes(c.stepTotalData[s]),
                  }).element
                : null,
        ),
    ];
}

function lineTab(p, state) {
    if (!p.totals || !p.stepCount) return [absent('No time: this profile has no execution part, or nothing ran.')];
    const intervals = p.hasIntervals() ? intervalsChart(p, state) : null;
    const steps = stepsChart(p, state);
    const detail = h('div', {}, stepDetail(p, Number(state.step ?? -1)));
    const rows = stepTable(p, state);
    const lone = intervals && p.stepCount <= 12;
    // Another step changes what is below; whatever else changes is drawn anew.
    const change = (next) => {
        if (['tile', 'kind', 'tab'].some((key) => next[key] !== state[key])) return false;
        const step = Number(next.step ?? -1);
        steps?.point(step);
        rows.select(step);
        detail.replaceChildren(...stepDetail(p, step));
        return true;
    };
    const elements = [
        h(
            'div',
            { class: 'tools' },
            p.tiles > 1
                ? h(
                      'label',
                      {},
                      `${p.tileWord} `,
                      h('input', {
                          type: 'number',
                          min: '0',
                          max: String(p.tiles - 1),
                          value: state.tile ?? '',
                          placeholder: 'all',
                          id: 'tile',
                          onchange: (e) => go({ tile: e.target.value || null }),
                      }),
                  )
                : null,
            h(
                'span',
                { class: 'note controls' },
                'Ctrl and the wheel zoom, dragging moves; W A S D and + − 0 do the same on the keyboard.',
            ),
        ),
        intervals ? panel(h('span', {}, 'What ran when ', fidelity(p.totals.fidelity)), intervals.element) : null,
        steps && !lone ? panel(h('span', {}, 'Steps over time ', fidelity(p.totals.fidelity)), steps.element) : null,
        !steps ? absent('The steps take no cycles.') : null,
        !intervals && p.stepCount === 1
            ? h(
                  'p',
                  { class: 'note' },
                  `One step holds the whole run: this machine recorded no times of single ${p.kernelWord}s.`,
              )
            : null,
        rows.element,
        detail,
    ];
    return { elements, change };
}

function tilesTab(p, state) {
    const parts = BUCKETS.map((b, k) => ({
        label: b.label,
        key: b.key === 'shared' ? 'sharedCopy' : b.key,
        row: p.c[`busy${k}`],
        colour: kindColour(k),
    })).filter((x) => x.row);
    if (!p.totals || !parts.length) return [absent(`No cycles by ${p.tileWord} in this profile.`)];
    const { active, hot, idle } = extremes(p);
    const end = p.totals.cycles;
    const order =
        state.order === 'size'
            ? Uint32Array.from(active.keys()).sort((a, b) => active[b] - active[a] || a - b)
            : null;
    const bars = tileBars(p, {
        id: 'busy-tiles',
        title: `Busy cycles of every ${p.tileWord}`,
        parts,
        limit: end,
        limitLabel: 'end of the run',
        value: (v) => count(Math.round(v)),
        order,
        select: (t) => go({ tile: String(t), tab: null }),
        describe: () =>
            `${p.tileName(hot)} is busiest with ${count(active[hot])} of ${count(end)} cycles, ${p.tileName(idle)} idlest with ${count(active[idle])}.`,
    });
    const rows = table({
        id: 'busy',
        owner: p,
        fidelity: timeFidelity(p),
        caption: `Every ${p.tileWord}`,
        count: p.tiles,
        most: 14,
        sort: [1, true],
        select: (t) => go({ tile: String(t), tab: null }),
        columns: [
            { title: capital(p.tileWord), value: (t) => p.tileName(t) },
            {
                title: 'Busy',
                number: true,
                value: (t) => active[t],
                text: (t) => count(active[t]),
                bar: (t) => (end ? active[t] / end : 0),
                width: '150px',
                definition: 'busy',
            },
            {
                title: 'Of the run',
                definition: 'ofRun',
                number: true,
                value: (t) => (end ? active[t] / end : 0),
                text: (t) => percent(end ? active[t] / end : 0),
                width: '100px',
            },
            ...parts.map((x) => ({
                title: x.label,
                definition: x.key,
                number: true,
                value: (t) => x.row[t],
                text: (t) => count(x.row[t]),
                width: '130px',
            })),
            {
                title: 'Idle or waiting',
                number: true,
                value: (t) => Math.max(0, end - active[t]),
                text: (t) => count(Math.max(0, end - active[t])),
                width: '140px',
                definition: 'idle',
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
                h('input', {
                    type: 'checkbox',
                    checked: state.order === 'size',
                    onchange: (e) => go({ order: e.target.checked ? 'size' : null }),
                }),
                'busiest first',
            ),
        ),
        panel(
            h('span', {}, `Busy cycles of every ${p.tileWord} `, fidelity(p.totals.fidelity)),
            bars.element,
            h(
                'p',
                { class: 'note' },
                'The dashed line is the length of the run: what is below it and not filled is waiting.',
            ),
        ),
        rows.element,
    ];
}

export const TIME_TABS = [
    ['line', 'Time line', lineTab],
    ['tiles', 'By tile', tilesTab],
    ['grid', 'Grid', gridTab],
    ['waits', 'Waits and exchanges', waitsTab],
];

export function timeView(p, state, report) {
    const [tab, , make] = TIME_TABS.find(([id]) => id === state.tab) ?? TIME_TABS[0];
    const made = make(p, state);
    const { elements, change } = Array.isArray(made) ? { elements: made } : made;
    const all = [tabs('time', tab, inWordsOf(p, TIME_TABS), { step: null }), ...elements].filter(Boolean);
    return { elements: withAnswer(all, 'time', tab, p, report), change };
}
