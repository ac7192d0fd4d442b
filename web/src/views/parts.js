// SPDX-License-Identifier: MIT
// What several views show.
import { h } from '../dom.js';
import { define } from '../glossary.js';
import { address } from '../state.js';

export function fidelity(name) {
    return name ? h('span', { class: 'fidelity', title: define(name) }, name) : null;
}

// What a sum of figures is: the weakest of them.
const ORDER = ['exact', 'modelled', 'estimated', 'absent'];
export const weakest = (...names) =>
    ORDER[names.reduce((most, name) => Math.max(most, ORDER.indexOf(name ?? 'exact')), 0)];
const stated = (names) => names.filter((name) => name !== 'absent');
export const memoryFidelity = (p) =>
    weakest(...stated([p.head.memory.fidelity, ...p.categories.map((c) => c.fidelity)]));
// Of addresses and lives: what liveness says of itself, else what sizes are.
export function liveFidelity(p) {
    if (p.head.memory.mapInCycles) return 'estimated';
    return (p.head.memory.hasLiveness && stated([p.head.memory.liveFidelity])[0]) || memoryFidelity(p);
}
export const timeFidelity = (p) => p.totals?.fidelity;

export function figure(title, value, definition, note, weakest = 'exact') {
    return h(
        'div',
        { class: 'figure', title: define(definition) },
        h('span', {}, title),
        h('b', { 'data-figure': definition }, value),
        note ? h('small', {}, note) : null,
        fidelity(weakest),
    );
}

export function absent(...words) {
    return h('p', { class: 'absent', role: 'note' }, ...words);
}

// Titles of tabs say "tile"; what the machine calls it is another thing.
export const inWordsOf = (p, list) =>
    list.map(([id, title, ...more]) => [id, title.replace(/\btile\b/, p.tileWord), ...more]);

export function tabs(view, current, list, extra = {}) {
    return h(
        'div',
        { class: 'tabs', role: 'navigation', 'aria-label': 'Parts of this view' },
        list.map(([id, title]) =>
            h(
                'a',
                {
                    href: address({ view, tab: id, ...extra }),
                    'data-tab': id,
                    'aria-current': id === current ? 'page' : null,
                },
                title,
            ),
        ),
    );
}

export function panel(title, ...children) {
    return h('section', { class: 'panel' }, title ? h('h2', { style: null }, title) : null, ...children);
}

export function legend(entries) {
    return h(
        'div',
        { class: 'legend' },
        entries.map(([title, fill]) => {
            const dot = h('i');
            dot.style.background = fill.css ?? fill;
            return h('span', {}, dot, title);
        }),
    );
}

export function facts(rows) {
    return h(
        'table',
        { class: 'facts' },
        rows
            .filter((row) => row && row[1] !== null && row[1] !== undefined && row[1] !== '')
            .map(([key, value, definition]) =>
                h('tr', { title: definition }, h('th', { scope: 'row' }, key), h('td', {}, value)),
            ),
    );
}
