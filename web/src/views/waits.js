// SPDX-License-Identifier: MIT
// Who waits for whom, and what is exchanged between whom.
import { h } from '../dom.js';
import { bytes, capital, count } from '../format.js';
import { NONE } from '../model.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { absent, timeFidelity } from './parts.js';
import { inUse } from './sums.js';

// From steps: whom all others waited for.
function slowest(p) {
    const c = p.c;
    const won = new Map();
    const used = inUse(p).used || p.tiles;
    for (let s = 0; s < p.stepCount; s++) {
        const row = c.stepActive[s];
        if (!row || !c.stepExecutions[s] || c.rowMax[row] === c.rowSecond[row]) continue;
        const tile = c.rowWorst[row];
        const entry = won.get(tile) ?? { tile, steps: 0, cycles: 0, lost: 0 };
        entry.steps++;
        entry.cycles += c.stepExecutions[s] * (c.rowMax[row] - c.rowSecond[row]);
        entry.lost += p.stepLost(s, used);
        won.set(tile, entry);
    }
    return [...won.values()];
}

export function waitsTab(p) {
    const c = p.c;
    const out = [];
    const list = p.tiles > 1 ? slowest(p) : [];
    if (list.length)
        out.push(
            table({
                id: 'slowest',
                fidelity: timeFidelity(p),
                caption: `Which ${p.tileWord} the others waited for`,
                count: list.length,
                most: 10,
                sort: [2, true],
                select: (i) => go({ tab: null, tile: String(list[i].tile) }),
                columns: [
                    { title: capital(p.tileWord), value: (i) => p.tileName(list[i].tile) },
                    {
                        title: 'Steps it ended last',
                        definition: 'endedLast',
                        number: true,
                        value: (i) => list[i].steps,
                        text: (i) => count(list[i].steps),
                        width: '160px',
                    },
                    {
                        title: 'Cycles sooner without it',
                        definition: 'sooner',
                        number: true,
                        value: (i) => list[i].cycles,
                        text: (i) => count(list[i].cycles),
                        width: '190px',
                    },
                    {
                        title: 'Tile cycles lost in these steps',
                        number: true,
                        value: (i) => list[i].lost,
                        text: (i) => count(Math.round(list[i].lost)),
                        width: '230px',
                        definition: 'lost',
                    },
                ],
            }).element,
        );
    else
        out.push(
            absent(
                p.tiles > 1
                    ? `No step in which one ${p.tileWord} alone was the slowest.`
                    : `One ${p.tileWord}: nobody waits within steps.`,
            ),
        );
    const named = c.waitPartner.some((partner) => partner !== NONE);
    if (c.waitTile.length)
        out.push(
            table({
                id: 'waits',
                fidelity: timeFidelity(p),
                caption: 'Recorded waits, by cause',
                count: c.waitTile.length,
                most: 12,
                sort: [named ? 3 : 2, true],
                columns: [
                    { title: capital(p.tileWord), value: (i) => p.tileName(c.waitTile[i]) },
                    { title: 'Cause', definition: 'cause', value: (i) => p.name(c.waitCause[i]) },
                    named && {
                        title: 'For',
                        definition: 'waitedFor',
                        value: (i) => (c.waitPartner[i] === NONE ? 'absent' : p.tileName(c.waitPartner[i])),
                        width: '160px',
                    },
                    {
                        title: 'Cycles',
                        definition: 'waited',
                        number: true,
                        value: (i) => c.waitCycles[i],
                        text: (i) => count(c.waitCycles[i]),
                    },
                ].filter(Boolean),
            }).element,
            named
                ? null
                : h(
                      'p',
                      { class: 'note' },
                      `Whom each waited for is absent: these causes may come from several ${p.tileWord}s, and the machine counts them by cause. Who sends to whom stands below where it is known.`,
                  ),
        );
    else
        out.push(
            h(
                'p',
                { class: 'note' },
                'Causes of single waits (locks, streams, flags) are absent: this machine did not record them.',
            ),
        );
    if (c.pairFrom.length)
        out.push(
            table({
                id: 'pairs',
                fidelity: 'modelled',
                caption: 'Who sends to whom',
                count: c.pairFrom.length,
                most: 12,
                sort: [3, true],
                columns: [
                    { title: 'From', definition: 'sender', value: (i) => p.tileName(c.pairFrom[i]) },
                    { title: 'To', definition: 'receiver', value: (i) => p.tileName(c.pairTo[i]) },
                    {
                        title: 'By',
                        definition: 'carrier',
                        value: (i) => p.name(c.pairName[i]) || p.exchangeName(c.pairKind[i], c.pairExchange[i]),
                        width: '260px',
                    },
                    {
                        title: 'Bytes',
                        definition: 'carried',
                        number: true,
                        value: (i) => c.pairBytes[i],
                        text: (i) => bytes(c.pairBytes[i]),
                    },
                    {
                        title: 'Messages',
                        definition: 'messages',
                        number: true,
                        value: (i) => c.pairMessages[i],
                        text: (i) => (c.pairMessages[i] ? count(c.pairMessages[i]) : '–'),
                    },
                    {
                        title: 'Bytes / message',
                        definition: 'perMessage',
                        number: true,
                        value: (i) => (c.pairMessages[i] ? c.pairBytes[i] / c.pairMessages[i] : 0),
                        text: (i) => (c.pairMessages[i] ? bytes(c.pairBytes[i] / c.pairMessages[i]) : '–'),
                        width: '130px',
                    },
                ],
            }).element,
        );
    const exchanges = [0, 1, 2].flatMap((k) =>
        Array.from({ length: c[`exchange${k}Sent`].length }, (_, i) => [k, i]),
    );
    if (exchanges.length)
        out.push(
            table({
                id: 'exchanges',
                fidelity: 'modelled',
                caption: 'Exchanges',
                count: exchanges.length,
                most: 12,
                sort: [1, true],
                columns: [
                    { title: 'Exchange', value: (i) => p.exchangeName(...exchanges[i]) },
                    {
                        title: 'Sent',
                        definition: 'sent',
                        number: true,
                        value: (i) => sumOf(p, exchanges[i], 'Sent'),
                        text: (i) => shown(bytes, sumOf(p, exchanges[i], 'Sent')),
                    },
                    {
                        title: 'Received',
                        definition: 'received',
                        number: true,
                        value: (i) => sumOf(p, exchanges[i], 'Received'),
                        text: (i) => shown(bytes, sumOf(p, exchanges[i], 'Received')),
                    },
                    {
                        title: `Sending ${p.tileWord}s`,
                        definition: 'sending',
                        number: true,
                        value: (i) => tilesOf(p, exchanges[i], 'Sent'),
                        text: (i) => shown(count, tilesOf(p, exchanges[i], 'Sent')),
                        width: '130px',
                    },
                    {
                        title: 'Receiving',
                        definition: 'receiving',
                        number: true,
                        value: (i) => tilesOf(p, exchanges[i], 'Received'),
                        text: (i) => shown(count, tilesOf(p, exchanges[i], 'Received')),
                    },
                    {
                        title: 'Most from one',
                        definition: 'mostSent',
                        number: true,
                        value: (i) => maxOf(p, exchanges[i], 'Sent'),
                        text: (i) => shown(bytes, maxOf(p, exchanges[i], 'Sent')),
                        width: '130px',
                    },
                ],
            }).element,
            c.pairFrom.length
                ? null
                : h('p', { class: 'note' }, 'Who sends to whom is absent: only sums by tile are recorded.'),
        );
    return out.filter(Boolean);
}

const rowOf = (p, [kind, i], what) => p.c[`exchange${kind}${what}`][i];
// What is not recorded is no zero: NaN, which tables sort last and name.
const of = (column, p, exchange, what) => {
    const row = rowOf(p, exchange, what);
    return row ? p.c[column][row] : NaN;
};
const sumOf = (...args) => of('rowSum', ...args);
const maxOf = (...args) => of('rowMax', ...args);
const tilesOf = (...args) => of('rowActive', ...args);
const shown = (format, v) => (Number.isNaN(v) ? 'absent' : format(v));
