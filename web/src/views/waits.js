// SPDX-License-Identifier: MIT
// Who waits for whom, and what is exchanged between whom.
import { h } from '../dom.js';
import { bytes, count } from '../format.js';
import { NONE } from '../model.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { absent, timeFidelity } from './parts.js';

const EXCHANGES = ['within a chip', 'between chips', 'with the host'];

// From steps: whom all others waited for.
function slowest(p) {
    const c = p.c;
    const won = new Map();
    for (let s = 0; s < p.stepCount; s++) {
        const row = c.stepActive[s];
        if (!row || !c.stepExecutions[s] || c.rowMax[row] === c.rowSecond[row]) continue;
        const tile = c.rowWorst[row];
        const entry = won.get(tile) ?? { tile, steps: 0, cycles: 0, lost: 0 };
        entry.steps++;
        entry.cycles += c.stepExecutions[s] * (c.rowMax[row] - c.rowSecond[row]);
        entry.lost += p.stepLost(s);
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
                    { title: p.tileWord, value: (i) => p.tileName(list[i].tile) },
                    {
                        title: 'Steps it ended last',
                        number: true,
                        value: (i) => list[i].steps,
                        text: (i) => count(list[i].steps),
                        width: '160px',
                    },
                    {
                        title: 'Cycles sooner without it',
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
    if (c.waitTile.length)
        out.push(
            table({
                id: 'waits',
                fidelity: timeFidelity(p),
                caption: 'Recorded waits, by cause',
                count: c.waitTile.length,
                most: 12,
                sort: [3, true],
                columns: [
                    { title: p.tileWord, value: (i) => p.tileName(c.waitTile[i]) },
                    { title: 'Cause', value: (i) => p.name(c.waitCause[i]) },
                    {
                        title: 'For',
                        value: (i) => (c.waitPartner[i] === NONE ? '' : p.tileName(c.waitPartner[i])),
                        width: '160px',
                    },
                    {
                        title: 'Cycles',
                        number: true,
                        value: (i) => c.waitCycles[i],
                        text: (i) => count(c.waitCycles[i]),
                    },
                ],
            }).element,
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
                    { title: 'From', value: (i) => p.tileName(c.pairFrom[i]) },
                    { title: 'To', value: (i) => p.tileName(c.pairTo[i]) },
                    {
                        title: 'By',
                        value: (i) =>
                            p.name(c.pairName[i]) ||
                            `${EXCHANGES[c.pairKind[i]] ?? ''}${c.pairExchange[i] === NONE ? '' : ` ${c.pairExchange[i]}`}`,
                        width: '160px',
                    },
                    {
                        title: 'Bytes',
                        number: true,
                        value: (i) => c.pairBytes[i],
                        text: (i) => bytes(c.pairBytes[i]),
                    },
                    {
                        title: 'Messages',
                        number: true,
                        value: (i) => c.pairMessages[i],
                        text: (i) => (c.pairMessages[i] ? count(c.pairMessages[i]) : '–'),
                    },
                    {
                        title: 'Bytes / message',
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
                    { title: 'Exchange', value: (i) => `${EXCHANGES[exchanges[i][0]]} ${exchanges[i][1]}` },
                    {
                        title: 'Sent',
                        number: true,
                        value: (i) => sumOf(p, exchanges[i], 'Sent'),
                        text: (i) => bytes(sumOf(p, exchanges[i], 'Sent')),
                    },
                    {
                        title: 'Received',
                        number: true,
                        value: (i) => sumOf(p, exchanges[i], 'Received'),
                        text: (i) =>
                            isKnown(p, exchanges[i], 'Received') ? bytes(sumOf(p, exchanges[i], 'Received')) : '–',
                    },
                    {
                        title: `Sending ${p.tileWord}s`,
                        number: true,
                        value: (i) => tilesOf(p, exchanges[i], 'Sent'),
                        text: (i) => count(tilesOf(p, exchanges[i], 'Sent')),
                        width: '130px',
                    },
                    {
                        title: 'Receiving',
                        number: true,
                        value: (i) => tilesOf(p, exchanges[i], 'Received'),
                        text: (i) =>
                            isKnown(p, exchanges[i], 'Received') ? count(tilesOf(p, exchanges[i], 'Received')) : '–',
                    },
                    {
                        title: 'Most from one',
                        number: true,
                        value: (i) => maxOf(p, exchanges[i], 'Sent'),
                        text: (i) => bytes(maxOf(p, exchanges[i], 'Sent')),
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
const isKnown = (p, exchange, what) => rowOf(p, exchange, what) !== 0;
const sumOf = (p, exchange, what) => p.c.rowSum[rowOf(p, exchange, what)];
const maxOf = (p, exchange, what) => p.c.rowMax[rowOf(p, exchange, what)];
const tilesOf = (p, exchange, what) => p.c.rowActive[rowOf(p, exchange, what)];
