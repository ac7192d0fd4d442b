// SPDX-License-Identifier: MIT
// Counters: a figure over time, drawn as lanes below others and on their axis. A lane is as high as the largest value,
// which its label names; what is shorter than a pixel is one bar as high as its largest value.
import { cut } from './format.js';

export const COUNTER_COLOURS = ['#4477aa', '#117733', '#aa4499', '#999933', '#882255', '#44aa99'];
const FULL = 0.86; // of a lane

// One bar of a counter, as an item of lanes.js; the one before is continued where the value is the same.
export function counterItem(list, lane, counter, from, to, value) {
    if (!(value > 0) || !(counter.most > 0)) return;
    const last = counter.last;
    if (last && last[1] === from && last[11] === value) {
        last[1] = to;
        return;
    }
    const height = FULL * Math.min(1, value / counter.most);
    const words = () => `${counter.title}: ${counter.format(value)}, cycles ${text(item[0])} to ${text(item[1])}`;
    const item = [from, to, lane, counter.colour, '', -1, 1, undefined, height, words, 0.47 - height / 2, value];
    list.push(item);
    counter.last = item;
}

const text = (cycle) => Math.round(cycle).toLocaleString('en-US');

export const counterLabel = (counter) => cut(`${counter.title} ≤ ${counter.format(counter.most)}`, 38);

// A counter of changes: [cycle, how much more or less] in any order.
export class Counter {
    constructor(title, format, colour, changes) {
        this.title = title;
        this.format = format;
        this.colour = colour;
        changes.sort((a, b) => a[0] - b[0]);
        const at = [];
        const values = [];
        let value = 0;
        for (let i = 0; i < changes.length;) {
            const time = changes[i][0];
            while (i < changes.length && changes[i][0] === time) value += changes[i++][1];
            at.push(time);
            values.push(value);
        }
        this.at = Float64Array.from(at);
        this.values = Float64Array.from(values);
        this.most = values.reduce((most, v) => Math.max(most, v), 0);
    }

    // Cycle at which it first has its largest value.
    get peak() {
        return this.at[this.values.indexOf(this.most)] ?? 0;
    }

    valueAt(cycle) {
        const i = this.after(cycle);
        return i ? this.values[i - 1] : 0;
    }

    // Changes up to and with this cycle.
    after(cycle) {
        let low = 0;
        let high = this.at.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.at[middle] <= cycle) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    items(list, lane, from, to, least, end) {
        this.last = null;
        for (let i = Math.max(0, this.after(from) - 1); i < this.at.length && this.at[i] < to;) {
            const begin = this.at[i];
            let most = this.values[i];
            let k = i + 1;
            while (k < this.at.length && this.at[k] - begin < least) most = Math.max(most, this.values[k++]);
            counterItem(list, lane, this, begin, this.at[k] ?? end, most);
            i = k;
        }
    }
}
