// SPDX-License-Identifier: MIT
// Kernels: cycles by vertex type, kernel or instruction.
import { chart } from '../chart.js';
import { h } from '../dom.js';
import { bytes, count, cut, percent, short } from '../format.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { linesParts } from './lines.js';
import { absent, fidelity, panel, tabs } from './parts.js';
import { withAnswer } from './answers.js';

const MOST = 24;

function kernelsParts(p, state) {
    const c = p.c;
    const n = c.typeName.length;
    const all = c.typeCycles.reduce((sum, v) => sum + v, 0);
    const order = Array.from({ length: n }, (_, i) => i)
        .filter((i) => c.typeCycles[i] > 0)
        .sort((a, b) => c.typeCycles[b] - c.typeCycles[a]);
    const top = order.slice(0, MOST);
    const stateBytes = (i) =>
        [0, 1, 2, 3, 4, 5].reduce((sum, k) => sum + (c[`typeBytes${k}`][i] ? c.rowSum[c[`typeBytes${k}`][i]] : 0), 0);
    const hasBytes = Array.from({ length: n }, (_, i) => i).some((i) => stateBytes(i) > 0);
    const hasWorst = c.typeWorst.some((v) => v > 0);
    const weakest = p.totals?.fidelity ?? 'exact';
    const bars = top.length
        ? chart({
              id: 'kernels',
              title: `Cycles by ${p.kernelWord}`,
              height: 50 + 22 * top.length,
              describe: () =>
                  `${count(n)} kinds, ${count(all)} cycles. Most: ${p.name(c.typeName[top[0]])} with ${percent(c.typeCycles[top[0]] / all)}.`,
              items: () => top.length,
              item: (i) =>
                  `${p.name(c.typeName[top[i]])}: ${count(c.typeCycles[top[i]])} cycles, ${percent(c.typeCycles[top[i]] / all)}`,
              select: (i) => go({ type: String(top[i]) }),
              click: (e) => go({ type: String(top[e.dataIndex]) }),
              figures: () => top.map((i) => [p.name(c.typeName[i]), c.typeCycles[i]]),
              option: (colours) => ({
                  grid: { left: 250, right: 80, top: 6, bottom: 28 },
                  tooltip: {
                      trigger: 'item',
                      formatter: (e) =>
                          `${cut(p.name(c.typeName[top[e.dataIndex]]), 90)}\n${count(c.typeCycles[top[e.dataIndex]])} cycles, ${percent(c.typeCycles[top[e.dataIndex]] / all)}`,
                  },
                  xAxis: { type: 'value', axisLabel: { formatter: short } },
                  yAxis: { type: 'category', inverse: true, data: top.map((i) => cut(p.name(c.typeName[i]), 36)) },
                  series: [
                      {
                          type: 'bar',
                          barMaxWidth: 16,
                          data: top.map((i) => ({ value: c.typeCycles[i], itemStyle: { color: '#d55e00' } })),
                          label: {
                              show: true,
                              position: 'right',
                              color: colours.text,
                              formatter: (e) => percent(c.typeCycles[top[e.dataIndex]] / all),
                          },
                      },
                  ],
              }),
          })
        : null;
    const rows = table({
        id: 'kernels',
        caption: `Every ${p.kernelWord}${p.kernelWord === 'vertex' ? ' type' : ''}`,
        count: n,
        most: 16,
        sort: [1, true],
        selected: state.type !== undefined ? Number(state.type) : -1,
        select: (i) => go({ type: String(i) }),
        columns: [
            { title: 'Name', value: (i) => p.name(c.typeName[i]) },
            {
                title: 'Cycles',
                number: true,
                value: (i) => c.typeCycles[i],
                text: (i) => count(c.typeCycles[i]),
                bar: (i) => (all ? c.typeCycles[i] / all : 0),
                width: '150px',
                definition: 'total',
            },
            {
                title: 'Share',
                definition: 'ofKernels',
                number: true,
                value: (i) => (all ? c.typeCycles[i] / all : 0),
                text: (i) => percent(all ? c.typeCycles[i] / all : 0),
                width: '80px',
            },
            {
                title: 'Instances',
                number: true,
                value: (i) => c.typeInstances[i],
                text: (i) => count(c.typeInstances[i]),
                definition: 'instances',
            },
            {
                title: 'Cycles / instance',
                number: true,
                value: (i) => (c.typeInstances[i] ? c.typeCycles[i] / c.typeInstances[i] : 0),
                text: (i) => (c.typeInstances[i] ? count(Math.round(c.typeCycles[i] / c.typeInstances[i])) : '–'),
                width: '130px',
                definition: 'mean',
            },
            ...(hasWorst
                ? [
                      {
                          title: 'Worst',
                          number: true,
                          value: (i) => c.typeWorst[i],
                          text: (i) => (c.typeWorst[i] ? count(c.typeWorst[i]) : '–'),
                          definition: 'worst',
                      },
                      {
                          title: 'Worst on',
                          value: (i) => (c.typeWorst[i] ? p.tileName(c.typeWorstTile[i]) : ''),
                          width: '140px',
                          definition: 'worst',
                      },
                  ]
                : []),
            ...(hasBytes
                ? [
                      {
                          title: 'Bytes',
                          number: true,
                          value: stateBytes,
                          text: (i) => bytes(stateBytes(i)),
                          definition: 'bytes',
                      },
                  ]
                : []),
            { title: 'Figures', value: (i) => (c.typeCycles[i] ? weakest : 'not executed'), width: '120px' },
        ],
    });
    const detail = h('div', {});
    const show = (type) =>
        detail.replaceChildren(...(type === undefined || !(Number(type) < n) ? [] : [usage(p, Number(type))]));
    show(state.type);
    return {
        elements: [
            panel(
                h('span', {}, `Cycles by ${p.kernelWord}, and their share of all `, fidelity(weakest)),
                bars ? bars.element : absent('No cycles by kernel: nothing was executed, or the file does not say.'),
            ),
            hasWorst
                ? null
                : h('p', { class: 'note' }, 'The slowest instance of each is absent: this machine records sums.'),
            rows.element,
            detail,
        ].filter(Boolean),
        change(next) {
            rows.select(Number(next.type ?? -1));
            show(next.type);
        },
    };
}

// Steps that execute a kernel.
function usage(p, type) {
    const c = p.c;
    const steps = [];
    const parts = [];
    for (let s = 0; s < p.stepCount; s++)
        for (let k = 0; k < c.stepTypesCount[s]; k++) {
            const part = c.stepTypesFirst[s] + k;
            if (c.partType[part] !== type) continue;
            steps.push(s);
            parts.push(part);
        }
    if (!steps.length) return h('p', { class: 'note' }, `No executed step uses ${cut(p.name(c.typeName[type]))}.`);
    return table({
        id: 'kernel-steps',
        caption: `Steps with ${cut(p.name(c.typeName[type]), 60)}`,
        count: steps.length,
        most: 8,
        sort: [1, true],
        select: (i) => go({ view: 'time', step: String(steps[i]) }),
        columns: [
            { title: 'Step', value: (i) => p.stepName(steps[i]) },
            {
                title: 'Cycles',
                number: true,
                value: (i) => c.partCycles[parts[i]] * c.stepExecutions[steps[i]],
                text: (i) => count(c.partCycles[parts[i]] * c.stepExecutions[steps[i]]),
                definition: 'total',
            },
            {
                title: 'Instances',
                number: true,
                value: (i) => c.partInstances[parts[i]],
                text: (i) => count(c.partInstances[parts[i]]),
                definition: 'instances',
            },
            {
                title: 'Executions',
                number: true,
                value: (i) => c.stepExecutions[steps[i]],
                text: (i) => count(c.stepExecutions[steps[i]]),
                definition: 'executions',
            },
        ],
    }).element;
}

export const KERNEL_TABS = [
    ['kinds', 'By kind'],
    ['lines', 'By line'],
];

export function kernelsView(p, state, report) {
    const tab = state.tab === 'lines' ? 'lines' : 'kinds';
    const made = tab === 'lines' ? linesParts(p) : kernelsParts(p, state, report);
    const elements = [tabs('kernels', tab, KERNEL_TABS), ...made.elements];
    return { ...made, elements: withAnswer(elements, 'kernels', tab, p, report) };
}
