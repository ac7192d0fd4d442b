// SPDX-License-Identifier: MIT
// Tables of any length: only visible rows are elements; sorting and filtering work on an array of row numbers, values
// come from columns. Rows of one height make that twenty lines, so no library is needed for it.
import { afterPaint, announce, h } from './dom.js';
import { cut, safe } from './format.js';
import { define } from './glossary.js';
import { numbers, placesOfNames, sortBy } from './order.js';
import { fidelity } from './views/parts.js';

const ROW = 26;
const AHEAD = 8;
const MANY = 100000; // rows whose sorting is announced before it begins

// spec: id, caption, count, columns: [{ title, value(i) (number or text), text(i), number, definition, width,
// whole: no text of it is cut off, however narrow the page }],
// sort: [column, descending], select(i), selected, most: height in rows, rows: Uint32Array (which and in what order),
// owner: the profile whose rows these are, always the same ones under this id
// How wide a text is in a cell, its padding included.
let pen = null;
function widthOf(text, bold) {
    pen ??= document.createElement('canvas').getContext('2d');
    pen.font = `${bold ? 600 : 400} 14px system-ui, sans-serif`;
    return Math.ceil(pen.measureText(text).width) + 18;
}

export function table(spec) {
    let base = spec.rows ?? numbers(spec.count);
    let rows = base;
    let sort = spec.sort ?? null;
    let filter = '';
    let cursor = spec.selected ?? -1; // number of a row, not its place
    const body = h('div', { class: 'rows', role: 'rowgroup' });
    const scroller = h('div', {
        class: 'scroller',
        tabindex: '0',
        role: 'grid',
        'aria-label': spec.caption,
        'aria-colcount': String(spec.columns.length),
        'data-table': spec.id,
    });
    const head = h('div', { class: 'row head', role: 'row' });
    // A column is as wide as its title, and as the longest figure of it that was in sight: none is cut off.
    const least = spec.columns.map((c) => Math.max(Number.parseFloat(c.width ?? 0), widthOf(`${c.title} ▾`, true)));
    const longest = spec.columns.map(() => 0);
    const fit = (k, text) => {
        if (text.length <= longest[k]) return;
        longest[k] = text.length;
        least[k] = Math.max(least[k], widthOf(text));
    };
    const widths = () =>
        spec.columns
            .map((c, k) =>
                c.number || c.width
                    ? `${Math.max(c.width ? 0 : 110, least[k])}px`
                    : `minmax(${Math.max(160, least[k])}px, 1fr)`,
            )
            .join(' ');
    const note = h('span', { class: 'count' });
    const search = h('input', {
        type: 'search',
        placeholder: 'Filter…',
        'aria-label': `Filter ${spec.caption}`,
        class: 'filter',
    });
    const rest = h('p', { class: 'note rest', hidden: true });
    let whole = 0; // rows that are laid out in full, for paper; 0 = those that are seen
    const copy = h('button', { type: 'button', onclick: () => copyText(csv()) }, 'Copy as CSV');

    const textOf = (column, i) => (column.text ? column.text(i) : String(column.value(i)));

    // Of all rows in a column of texts: which comes when. Sorted once, however often one asks.
    const places = [];
    const placesOf = (k) => (places[k] ??= placesOfNames(spec.count, (i) => textOf(spec.columns[k], i)));

    // The order of all rows is kept with the profile: views are left and come back.
    function sorted(column, sign) {
        const keep = spec.owner && rows.length === spec.count && !filter ? (spec.owner.orders ??= new Map()) : null;
        const name = `${spec.id} ${column.title} ${sign}`;
        const known = keep?.get(name);
        if (known) return known;
        const list = rows.slice();
        const place = column.number ? null : placesOf(sort[0]);
        const keys = new Float64Array(spec.count);
        for (const i of list) {
            const key = place ? place[i] : column.value(i);
            keys[i] = Number.isNaN(key) ? Infinity : sign * key; // what is absent comes last
        }
        sortBy(list, keys);
        keep?.set(name, list);
        return list;
    }

    function arrange() {
        const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
        const texts = spec.columns.filter((c) => !c.number);
        rows = base;
        if (words.length)
            rows = base.filter((i) => {
                const text = texts
                    .map((c) => textOf(c, i))
                    .join(' ')
                    .toLowerCase();
                return words.every((word) => text.includes(word));
            });
        if (sort) rows = sorted(spec.columns[sort[0]], sort[1] ? -1 : 1);
        note.textContent =
            rows.length === base.length
                ? `${rows.length.toLocaleString('en-US')} row${rows.length === 1 ? '' : 's'}`
                : `${rows.length.toLocaleString('en-US')} of ${base.length.toLocaleString('en-US')} rows`;
        scroller.setAttribute('aria-rowcount', String(rows.length + 1));
        body.style.height = `${rows.length * ROW}px`;
        drawHead();
        draw();
    }

    // Many rows take a moment, and the page says so first.
    function slowly(run) {
        if (base.length < MANY) {
            run();
            return;
        }
        note.textContent = `Sorting ${base.length.toLocaleString('en-US')} rows…`;
        scroller.setAttribute('aria-busy', 'true');
        afterPaint(() => {
            run();
            scroller.removeAttribute('aria-busy');
        });
    }

    function drawHead() {
        head.replaceChildren(
            ...spec.columns.map((column, k) => {
                const on = sort?.[0] === k;
                return h(
                    'button',
                    {
                        type: 'button',
                        role: 'columnheader',
                        class: column.number ? 'cell number' : 'cell',
                        'aria-sort': on ? (sort[1] ? 'descending' : 'ascending') : 'none',
                        title: column.definition ? define(column.definition) : undefined,
                        tabindex: '-1',
                        onclick: () => {
                            sort = [k, on ? !sort[1] : Boolean(column.number)];
                            slowly(() => {
                                arrange();
                                announce(`Sorted by ${column.title}, ${sort[1] ? 'descending' : 'ascending'}`);
                            });
                        },
                    },
                    `${column.title}${on ? (sort[1] ? ' ▾' : ' ▴') : ''}`,
                );
            }),
        );
    }

    function line(place) {
        const i = rows[place];
        return h(
            'div',
            {
                class: `row${i === cursor ? ' selected' : ''}`,
                role: 'row',
                'aria-rowindex': String(place + 2),
                'aria-selected': i === cursor ? 'true' : 'false',
                onclick: () => pick(place, true),
            },
            spec.columns.map((column, k) => {
                const text = textOf(column, i);
                if (column.number || column.whole) fit(k, text);
                const shown = cut(text);
                const cell = h('span', {
                    role: 'gridcell',
                    class: column.number ? 'cell number' : 'cell',
                    title: text.length > 20 ? safe(text).slice(0, 2000) : undefined,
                });
                if (column.bar) {
                    const bar = h('i', { class: 'bar' });
                    bar.style.width = `${Math.min(100, Math.max(0, column.bar(i) * 100))}%`;
                    cell.append(bar);
                }
                cell.append(column.number ? shown : h('bdi', {}, shown));
                if (column.kind) cell.dataset.kind = column.kind(i);
                return cell;
            }),
        );
    }

    // For paper: nothing scrolls there, so the first rows stand below one another, in columns that share the width.
    function drawWhole() {
        const most = Math.min(rows.length, whole);
        const shares = spec.columns.map(
            (c) => `minmax(0, ${Number.parseFloat(c.width) || (c.number ? 110 : 200)}fr)`,
        );
        head.style.gridTemplateColumns = shares.join(' ');
        const lines = Array.from({ length: most }, (_, place) => line(place));
        for (const element of lines) element.style.gridTemplateColumns = shares.join(' ');
        body.replaceChildren(...lines);
        rest.hidden = most === rows.length;
        rest.textContent = `The first ${most.toLocaleString('en-US')} of ${rows.length.toLocaleString('en-US')} rows${sort ? `, sorted by ${spec.columns[sort[0]].title}` : ''}.`;
    }

    function draw() {
        if (whole) {
            drawWhole();
            return;
        }
        const height = scroller.clientHeight || 400;
        // Browsers move up later where rows have become fewer.
        const top = Math.min(scroller.scrollTop, Math.max(0, rows.length * ROW - height));
        const first = Math.max(0, Math.floor(top / ROW) - AHEAD);
        const last = Math.min(rows.length, first + Math.ceil(height / ROW) + 2 * AHEAD);
        const lines = [];
        for (let place = first; place < last; place++) {
            const element = line(place);
            element.style.transform = `translateY(${place * ROW}px)`;
            lines.push(element);
        }
        const columns = widths();
        for (const element of [head, ...lines]) element.style.gridTemplateColumns = columns;
        body.replaceChildren(...lines);
    }

    function pick(place, act) {
        if (place < 0 || place >= rows.length) return;
        cursor = rows[place];
        const top = place * ROW;
        const room = scroller.clientHeight - ROW;
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        else if (top + ROW > scroller.scrollTop + room) scroller.scrollTop = top + ROW - room;
        draw();
        announce(spec.columns.map((c) => `${c.title} ${cut(textOf(c, cursor))}`).join(', '));
        if (act) spec.select?.(cursor);
    }

    scroller.addEventListener('scroll', draw, { passive: true });
    scroller.addEventListener('keydown', (event) => {
        const at = rows.indexOf(cursor);
        const page = Math.max(1, Math.floor(scroller.clientHeight / ROW) - 2);
        const steps = {
            ArrowDown: at + 1,
            ArrowUp: at - 1,
            PageDown: at + page,
            PageUp: at - page,
            Home: 0,
            End: rows.length - 1,
        };
        if (event.key in steps && !event.ctrlKey) {
            event.preventDefault();
            event.stopPropagation();
            pick(Math.min(rows.length - 1, Math.max(0, steps[event.key])), false);
        } else if (event.key === 'Enter' && at >= 0 && event.target === scroller) {
            event.stopPropagation();
            spec.select?.(cursor);
        } else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && spec.fold && at >= 0) {
            event.preventDefault();
            spec.fold(cursor, event.key === 'ArrowRight');
        }
    });
    search.addEventListener('input', () => {
        filter = search.value;
        arrange();
    });

    function csv() {
        const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
        const figure = (v) => (Number.isNaN(v) ? 'absent' : String(v));
        const plain = (column, i) => (column.number ? figure(column.value(i)) : (column.plain ?? column.value)(i));
        const lines = [spec.columns.map((c) => quote(c.title)).join(',')];
        for (const i of rows) lines.push(spec.columns.map((c) => quote(String(plain(c, i)))).join(','));
        return `${lines.join('\n')}\n`;
    }

    scroller.style.maxHeight = `${(spec.most ?? 14) * ROW + 2 * ROW}px`;
    scroller.append(head, body);
    const element = h(
        'div',
        { class: 'table' },
        h('div', { class: 'tools' }, h('h3', {}, spec.caption), fidelity(spec.fidelity), note, search, copy),
        scroller,
        rest,
    );
    const self = {
        element,
        csv,
        order: () => rows,
        select(i) {
            const place = rows.indexOf(i);
            if (place >= 0) pick(place, false);
        },
        refresh: arrange,
        // So many rows in full; 0 = scrolling again.
        layOut(most) {
            whole = most;
            element.classList.toggle('whole', most > 0);
            if (!most) rest.hidden = true;
            draw();
        },
        setRows(next) {
            base = next;
            arrange();
        },
        search(text) {
            search.value = text;
            filter = text;
            arrange();
        },
    };
    tables[spec.id] = self;
    arrange();
    requestAnimationFrame(draw);
    return self;
}

export const tables = {}; // of the view that is shown

export function dropTables() {
    for (const key of Object.keys(tables)) delete tables[key];
}

async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        announce('Copied');
    } catch {
        const area = h('textarea', { value: text, class: 'offscreen' });
        document.body.append(area);
        area.select();
        document.execCommand('copy');
        area.remove();
        announce('Copied');
    }
}
