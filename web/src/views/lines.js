// SPDX-License-Identifier: MIT
// Lines of the sources by what they cost, each with its text beside it.
import { h } from '../dom.js';
import { count, percent } from '../format.js';
import { table } from '../table.js';
import { absent, timeFidelity } from './parts.js';
import { placeOf } from './spans.js';

export function linesParts(p) {
    const { lineFile, lineNumber, lineWhat, lineRuns, lineCycles, lineWaits, lineText } = p.c;
    const n = lineNumber.length;
    if (!n)
        return {
            elements: [
                absent(
                    `Lines of sources are absent: this profile’s machine, or the run that made it, did not record which line each ${p.kernelWord} comes from.`,
                ),
            ],
        };
    const most = lineCycles.reduce((top, v) => Math.max(top, v), 0);
    const all = lineCycles.reduce((sum, v) => sum + v, 0);
    const waits = lineWaits.some((v) => v > 0);
    const number = (title, values, definition, more = {}) => ({
        title,
        number: true,
        value: (i) => values[i],
        text: (i) => (values[i] ? count(values[i]) : '–'),
        definition,
        width: '105px',
        ...more,
    });
    const rows = table({
        id: 'lines',
        fidelity: timeFidelity(p) ?? 'estimated',
        caption: 'Lines of the sources',
        count: n,
        most: 24,
        sort: [3, true],
        columns: [
            { title: 'Place', value: (i) => placeOf(p, lineFile[i], lineNumber[i]), width: '190px' },
            { title: 'What', value: (i) => p.name(lineWhat[i]), width: '150px' },
            { title: 'Line', value: (i) => (lineText[i] ? p.name(lineText[i]) : '') },
            number('Cycles', lineCycles, 'lineCycles', {
                bar: (i) => (most ? lineCycles[i] / most : 0),
                width: '150px',
            }),
            ...(waits ? [number('Waits', lineWaits, 'lineWaits')] : []),
            number('Share', lineCycles, 'ofLines', {
                value: (i) => (all ? lineCycles[i] / all : 0),
                text: (i) => percent(all ? lineCycles[i] / all : 0),
                width: '80px',
            }),
            number('Runs', lineRuns, 'lineRuns', { width: '90px' }),
        ],
    });
    return {
        elements: [
            rows.element,
            p.head.linesOmitted
                ? h('p', { class: 'note' }, `${count(p.head.linesOmitted)} lines were left out of the profile.`)
                : null,
        ].filter(Boolean),
    };
}
