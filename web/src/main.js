// SPDX-License-Identifier: MIT
// The page: decodes the data, shows the view that the address names, listens to keys.
import { areaOf, dropCharts, labelsOf, redrawCharts, registry, startCharts, textsOfCharts } from './chart.js';
import { decode } from './data.js';
import { announce, debounce, h } from './dom.js';
import { cut } from './format.js';
import { Profile } from './model.js';
import { layOutTables } from './print.js';
import { address, go, onChange, read } from './state.js';
import { dropTables, tables } from './table.js';
import { allView } from './views/all.js';
import { compareView } from './views/compare.js';
import { graphView } from './views/graph.js';
import { kernelsView } from './views/kernels.js';
import { memoryView } from './views/memory.js';
import { motionView } from './views/motion.js';
import { programView } from './views/program.js';
import { summaryView } from './views/summary.js';
import { timeView } from './views/time.js';

const VIEWS = [
    ['summary', 'Summary', summaryView],
    ['memory', 'Memory', memoryView],
    ['program', 'Program', programView],
    ['time', 'Time', timeView],
    ['kernels', 'Kernels', kernelsView],
    ['motion', 'Motion', motionView],
    ['graph', 'Graph', graphView],
    ['compare', 'Compare', compareView],
    ['all', 'All', allView],
];

const KEYS = [
    [`1 – ${VIEWS.length}`, 'views'],
    ['/', 'search in the tables of the view'],
    ['← →', 'on a chart: move the cursor; in the program tree: fold'],
    ['+ − 0, W A S D', 'on a chart: zoom and move'],
    ['↑ ↓ Page Home End Enter', 'in a table: move and choose'],
    ['Tab', 'to the next chart, table or control'],
    ['T', 'light or dark'],
    ['P', 'print this view; “All” prints everything'],
    ['?', 'this help'],
    ['Escape', 'leave a chart, close the help'],
];

let report = null;
let shown = null;

function shell(head) {
    const nav = h(
        'nav',
        { 'aria-label': 'Views' },
        VIEWS.map(([id, title], i) =>
            h(
                'a',
                { href: `#view=${id}`, 'data-view': id, accesskey: String(i + 1) },
                h('kbd', {}, String(i + 1)),
                ` ${title}`,
            ),
        ),
    );
    const search = h('input', {
        type: 'search',
        id: 'search',
        placeholder: innerWidth < 640 ? 'Search' : 'Search tables ( / )',
        'aria-label': 'Search in the tables of this view',
    });
    search.addEventListener(
        'input',
        debounce(() => {
            for (const one of Object.values(tables)) one.search(search.value);
        }, 60),
    );
    const which =
        head.profiles.length > 1
            ? h(
                  'select',
                  {
                      id: 'which',
                      'aria-label': 'Profile shown',
                      onchange: (event) => go({ p: event.target.value === '1' ? 'b' : null }),
                  },
                  head.profiles.map((p, i) => h('option', { value: String(i) }, `${'AB'[i]}: ${cut(p.name, 50)}`)),
              )
            : null;
    const view = h('div', { id: 'view' });
    const header = h(
        'header',
        {},
        h('h1', {}, h('bdi', {}, cut(head.title, 80))),
        nav,
        which,
        search,
        h('button', { type: 'button', id: 'print', title: 'Print this view (P)', onclick: () => print() }, 'Print'),
        h('button', { type: 'button', id: 'theme', title: 'Light or dark (T)', onclick: turn }, '◐'),
        h(
            'button',
            {
                type: 'button',
                id: 'help',
                title: 'Keys (?)',
                onclick: () => document.getElementById('keys').showModal(),
            },
            '?',
        ),
    );
    const keys = h(
        'dialog',
        { id: 'keys' },
        h('h2', {}, 'Keys'),
        h(
            'table',
            {},
            KEYS.map(([key, what]) => h('tr', {}, h('th', {}, key), h('td', {}, what))),
        ),
        h('form', { method: 'dialog' }, h('button', {}, 'Close')),
    );
    const app = document.getElementById('app');
    app.replaceChildren(header, view, keys, h('div', { id: 'live', class: 'offscreen', 'aria-live': 'polite' }));
    return view;
}

function turn() {
    const root = document.documentElement;
    const dark = root.dataset.theme
        ? root.dataset.theme === 'dark'
        : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    try {
        localStorage.setItem('tilewright-theme', root.dataset.theme);
    } catch {
        // pages from files may have no storage: then the choice is for this visit
    }
    redrawCharts();
}

// What a view is made of: its name, its profile and whatever it says of itself. The same view only hears of changes.
function render(state, small) {
    const row = VIEWS.find(([id]) => id === state.view) ?? VIEWS[0];
    const profile = report.profiles[state.p === 'b' && report.profiles[1] ? 1 : 0];
    for (const link of document.querySelectorAll('nav a')) {
        const current = link.dataset.view === row[0];
        link.toggleAttribute('aria-current', current);
        if (current) link.setAttribute('aria-current', 'page');
        link.href = address({ view: link.dataset.view, p: state.p }, {});
    }
    const which = document.getElementById('which');
    if (which) which.value = state.p === 'b' ? '1' : '0';
    const key = `${row[0]} ${state.p ?? 'a'} ${state.tab ?? ''}`;
    if (shown?.key === key && shown.view.change && shown.view.change(state, small) !== false) {
        startCharts();
        return;
    }
    const fresh = !shown || !shown.key.startsWith(`${row[0]} `);
    dropCharts();
    dropTables();
    const place = document.getElementById('view');
    try {
        const view = row[2](profile, state, report);
        shown = { key, view };
        place.replaceChildren(...view.elements);
        layOutTables(view.rows ?? 0);
        startCharts();
    } catch (error) {
        shown = null;
        place.replaceChildren(h('p', { class: 'error' }, `This view could not be drawn: ${error.message}`));
        console.error(error);
    }
    if (fresh) {
        scrollTo(0, 0);
        announce(`${row[1]} view`);
    }
}

addEventListener('keydown', (event) => {
    const typing = event.target.matches?.('input, select, textarea');
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing) {
        if (event.key === 'Escape') event.target.blur();
        return;
    }
    if (event.key >= '1' && event.key <= String(VIEWS.length))
        go({ view: VIEWS[event.key - 1][0], p: read().p }, { keep: false });
    else if (event.key === '/') {
        event.preventDefault();
        document.getElementById('search').focus();
    } else if (event.key === '?') document.getElementById('keys').showModal();
    else if (event.key === 't' || event.key === 'T') turn();
    else if (event.key === 'p' || event.key === 'P') print();
});

async function start() {
    const begin = performance.now();
    try {
        document.documentElement.dataset.theme = localStorage.getItem('tilewright-theme') ?? '';
    } catch {
        // as above
    }
    try {
        const pieces = [...document.querySelectorAll('.tilewright-data')];
        const { head, columns } = await decode(pieces.map((piece) => piece.textContent));
        for (const piece of pieces) piece.remove();
        report = {
            head,
            profiles: head.profiles.map((p, i) => new Profile(p, columns, i)),
            rules: head.rules,
            diff: head.diff ?? null,
        };
        shell(head);
        window.tilewright = { report, charts: registry, tables, areaOf, labelsOf, textsOfCharts };
        render(read(), false);
        onChange(render);
        window.tilewright.ready = performance.now() - begin;
    } catch (error) {
        document
            .getElementById('app')
            .append(
                h(
                    'p',
                    { class: 'error', role: 'alert' },
                    `The data of this report cannot be shown: ${error.message}`,
                ),
            );
        console.error(error);
    }
}

start();
