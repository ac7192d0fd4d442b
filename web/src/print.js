// SPDX-License-Identifier: MIT
// On paper: light colours, the width of a page, tables in full up to a number of rows, no controls. Browsers say when
// they print; then the page is laid out anew, and afterwards as it was.
import { setPaper } from './chart.js';
import { tables } from './table.js';

export const ROWS_OF_ONE = 200; // of each table, where one view is printed
export const ROWS_OF_ALL = 40;

let always = 0;

// What tables of this view show in full without being printed; 0 = they scroll.
export function layOutTables(rows) {
    always = rows;
    for (const one of Object.values(tables)) one.layOut(rows);
}

function layOut(on) {
    document.documentElement.classList.toggle('paper', on);
    for (const one of Object.values(tables)) one.layOut(always || (on ? ROWS_OF_ONE : 0));
    setPaper(on);
}

addEventListener('beforeprint', () => layOut(true));
addEventListener('afterprint', () => layOut(false));
