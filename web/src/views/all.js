// SPDX-License-Identifier: MIT
// Everything below one another: what somebody prints, or searches with the browser's own search.
import { h } from '../dom.js';
import { ROWS_OF_ALL } from '../print.js';
import { compareView } from './compare.js';
import { graphView } from './graph.js';
import { KERNEL_TABS, kernelsView } from './kernels.js';
import { MEMORY_TABS, memoryView } from './memory.js';
import { motionView } from './motion.js';
import { inWordsOf } from './parts.js';
import { PROGRAM_TABS, programView } from './program.js';
import { summaryView } from './summary.js';
import { TIME_TABS, timeView } from './time.js';

function parts(p, report) {
    return [
        ['Summary', summaryView, {}],
        ...inWordsOf(p, MEMORY_TABS).map(([tab, title]) => [`Memory: ${title}`, memoryView, { tab }]),
        ...PROGRAM_TABS.map(([tab, title]) => [`Program: ${title}`, programView, { tab }]),
        ...inWordsOf(p, TIME_TABS).map(([tab, title]) => [`Time: ${title}`, timeView, { tab }]),
        ...KERNEL_TABS.map(([tab, title]) => [`Kernels: ${title}`, kernelsView, { tab }]),
        ['Motion', motionView, {}],
        ['Graph', graphView, {}],
        report.diff ? ['Compare', compareView, {}] : null,
    ].filter(Boolean);
}

export function allView(p, state, report) {
    const made = parts(p, report).map(([title, view, own]) => {
        let elements;
        try {
            ({ elements } = view(p, own, report));
        } catch (error) {
            console.error(error);
            elements = [h('p', { class: 'error' }, `${title} could not be drawn: ${error.message}`)];
        }
        // What several views have under one name would not be unique.
        for (const element of elements.filter((e) => e instanceof Element))
            for (const named of [element, ...element.querySelectorAll('[id]')]) named.removeAttribute('id');
        return h('section', { class: 'part' }, h('h2', { class: 'title' }, title), elements);
    });
    return {
        elements: [
            h(
                'div',
                { class: 'everything' },
                h(
                    'p',
                    { class: 'note controls' },
                    `Every view on one page, for printing and for the browser’s search: the first ${ROWS_OF_ALL} rows of each table. `,
                    h('button', { type: 'button', onclick: () => print() }, 'Print'),
                ),
                made,
            ),
        ],
        rows: ROWS_OF_ALL,
        change: () => true, // nothing here is chosen
    };
}
