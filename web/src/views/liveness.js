// SPDX-License-Identifier: MIT
// Liveness: bytes that are needed at each step of the program, and what is alive at the chosen one.
import { chart } from '../chart.js';
import { h } from '../dom.js';
import { bytes, byteAxis, count, cut, percent } from '../format.js';
import { address, go } from '../state.js';
import { table } from '../table.js';
import { holdsTab } from './holds.js';
import { absent, fidelity, liveFidelity, panel } from './parts.js';

// Leaf programs with a list of what is live, in the order of the tree.
function leaves(p) {
    const c = p.c;
    const list = [];
    for (let i = 0; i < c.programLiveBytes.length; i++) if (c.programLiveBytes[i]) list.push(i);
    return list;
}

function worstTile(p) {
    const always = p.row(p.head.memory.alwaysLiveRow);
    const most = p.row(p.head.memory.maxLiveRow);
    let worst = 0;
    for (let t = 1; t < p.tiles; t++)
        if ((always?.[t] ?? 0) + (most?.[t] ?? 0) > (always?.[worst] ?? 0) + (most?.[worst] ?? 0)) worst = t;
    return worst;
}

export function livenessTab(p, state) {
    const c = p.c;
    if (!p.head.memory.hasLiveness && p.head.memory.mapInCycles && c.tileMapTile.length) return holdsTab(p, state);
    if (!p.head.memory.hasLiveness)
        return [absent('Liveness is absent: this machine did not record what is live when.')];
    const list = leaves(p);
    // Of all tiles, or of one where bytes by tile are there.
    const tiled = list.length > 0 && list.some((i) => c.programLiveTiles[i] && c.rowHeld[c.programLiveTiles[i]]);
    const tile = tiled && state.tile !== undefined && Number(state.tile) < p.tiles ? Number(state.tile) : -1;
    const of = (row) => (row ? (p.row(row)?.[tile] ?? 0) : 0);
    const always = tile < 0 ? c.alwaysBytes.reduce((sum, v) => sum + v, 0) : of(p.head.memory.alwaysLiveRow);
    const live = list.map((i) => always + (tile < 0 ? c.rowSum[c.programLiveBytes[i]] : of(c.programLiveTiles[i])));
    let peak = 0;
    for (let k = 0; k < live.length; k++) if (live[k] > live[peak]) peak = k;
    const at = state.at !== undefined && Number(state.at) < list.length ? Number(state.at) : peak;
    const title = (k) => `${k}: ${cut(p.name(c.programName[list[k]]) || p.name(c.programType[list[k]]), 80)}`;
    const curve = list.length
        ? chart({
              id: 'liveness',
              title: 'Live bytes over the steps of the program',
              height: 300,
              describe: () =>
                  `${count(list.length)} steps. Always live: ${bytes(always)}. The peak is ${bytes(live[peak])} at step ${title(peak)}.`,
              items: () => list.length,
              item: (k) => `${title(k)}: ${bytes(live[k])}`,
              select: (k) => go({ at: String(k) }),
              clickAt: (instance, event) => {
                  const [x] = instance.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]) ?? [];
                  if (x >= 0 && x < list.length) go({ at: String(Math.round(x)) });
              },
              figures: () => ({ always, live, peak }),
              option: (colours) => ({
                  grid: { left: 80, right: 20, top: 34, bottom: 58 },
                  tooltip: {
                      trigger: 'axis',
                      formatter: (e) =>
                          `${title(e[0].dataIndex)}\n${bytes(live[e[0].dataIndex])}, ${percent(always / live[e[0].dataIndex])} of it always live`,
                  },
                  xAxis: {
                      type: 'category',
                      data: live.map((_, k) => String(k)),
                      boundaryGap: false,
                      name: 'step of the program',
                      nameLocation: 'middle',
                      nameGap: 22,
                  },
                  yAxis: { type: 'value', ...byteAxis(live[peak]), axisLabel: { formatter: bytes } },
                  dataZoom: [{ type: 'slider' }, { type: 'inside', zoomOnMouseWheel: 'ctrl' }],
                  series: [
                      {
                          name: 'live',
                          type: 'line',
                          step: 'end',
                          symbol: 'none',
                          sampling: 'minmax',
                          areaStyle: { opacity: 0.3 },
                          color: '#5b93cc',
                          data: live,
                          markPoint: {
                              symbolSize: 50,
                              label: { formatter: 'peak', fontSize: 11, color: '#fff' },
                              itemStyle: { color: '#b04a00' },
                              data: [{ coord: [peak, live[peak]] }],
                          },
                          markLine: {
                              silent: true,
                              symbol: 'none',
                              lineStyle: { color: colours.text, type: 'dashed' },
                              label: { formatter: 'always live', position: 'insideStartTop', color: colours.text },
                              data: [{ yAxis: always }],
                          },
                      },
                  ],
              }),
          })
        : null;
    const rows = table({
        id: 'live-steps',
        fidelity: liveFidelity(p),
        caption: 'Steps',
        count: list.length,
        most: 14,
        selected: at,
        select: (k) => go({ at: String(k) }),
        columns: [
            { title: 'Step', definition: 'place', number: true, value: (k) => k, width: '60px' },
            { title: 'Program', value: (k) => p.name(c.programName[list[k]]) || p.name(c.programType[list[k]]) },
            {
                title: 'Live',
                number: true,
                value: (k) => live[k],
                text: (k) => bytes(live[k]),
                bar: (k) => live[k] / live[peak],
                width: '110px',
                definition: 'live',
            },
        ],
    });
    return [
        tiled
            ? h(
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
                          value: tile < 0 ? '' : String(tile),
                          placeholder: 'all',
                          id: 'tile',
                          onchange: (e) => go({ tile: e.target.value || null }),
                      }),
                  ),
                  h('a', { href: address({ tile: String(worstTile(p)) }) }, `the ${p.tileWord} that needs most`),
              )
            : null,
        panel(
            h(
                'span',
                {},
                `Live bytes over the steps of the program, ${tile < 0 ? `all ${p.tileWord}s` : p.tileName(tile)} `,
                fidelity(liveFidelity(p)),
            ),
            curve ? curve.element : absent('No step has a list: everything is there all the time.'),
            h(
                'p',
                { class: 'note' },
                `${tile < 0 ? `Bytes of all ${p.tileWord}s together. ` : ''}Always live: ${bytes(always)}${live.length ? `, ${percent(always / live[peak])} of the peak` : ''}. Steps are in the order of the program; their lists leave out what a byte budget does not hold.`,
            ),
        ),
        h('div', { class: 'grid2' }, list.length ? rows.element : null, variables(p, list[at], at, peak).element),
    ];
}

function variables(p, program, at, peak) {
    const c = p.c;
    const id = program === undefined ? 0 : c.programLiveNames[program];
    const names = id ? p.row(id, c.rowTiles[id]) : [];
    const sizes = id ? p.row(c.programLiveBytes[program], c.rowTiles[id]) : [];
    const list = [
        ...Array.from(c.alwaysName, (name, i) => [name, c.alwaysBytes[i], true]),
        ...Array.from(names ?? [], (name, i) => [name, sizes[i], false]),
    ];
    return table({
        id: 'live',
        fidelity: liveFidelity(p),
        caption: program === undefined ? 'Always live' : `Alive at step ${at}${at === peak ? ', the peak' : ''}`,
        count: list.length,
        most: 14,
        sort: [1, true],
        columns: [
            { title: 'Variable', value: (i) => p.name(list[i][0]) },
            {
                title: 'Bytes',
                number: true,
                value: (i) => list[i][1],
                text: (i) => bytes(list[i][1]),
                width: '110px',
                definition: 'bytes',
            },
            {
                title: 'Kept',
                value: (i) => (list[i][2] ? 'always' : 'while needed'),
                width: '120px',
                definition: 'alwaysLive',
            },
        ],
    });
}
