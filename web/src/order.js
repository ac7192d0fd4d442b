// SPDX-License-Identifier: MIT
// The order of names with numbers in them: "layer 9" before "layer 10", capitals as small letters, "v07" beside "v7".
// Each name becomes bytes whose order is that of the names, and those are sorted by distribution: a million names take
// half a second, while a function that compares two strings is called twenty million times.

const ZERO = 0x30;
const MOST_DIGITS = 127; // longer numbers are ordered by their first digits
const FEW = 12; // names that are sorted by comparing them

export function numbers(n) {
    const list = new Uint32Array(n);
    for (let i = 0; i < n; i++) list[i] = i;
    return list;
}

const isDigit = (code) => code >= ZERO && code <= ZERO + 9;

// The keys of all names, one behind the other. A number is '0', how many digits it has, and the digits; what is not
// ASCII is as in UTF-8. No byte is 0, which stands for the end.
export class Keys {
    constructor(count) {
        this.bytes = new Uint8Array(64 + 24 * count);
        this.first = new Uint32Array(count + 1);
        this.used = 0;
    }

    reserve(size) {
        if (this.used + size <= this.bytes.length) return;
        const grown = new Uint8Array(2 * this.used + size);
        grown.set(this.bytes.subarray(0, this.used));
        this.bytes = grown;
    }

    add(i, name) {
        this.reserve(3 * name.length); // a digit alone takes three
        const { bytes } = this;
        let at = this.used;
        for (let k = 0; k < name.length;) {
            const code = name.charCodeAt(k);
            if (code > 0x7f) {
                this.addWide(name);
                at = this.used;
                break;
            }
            if (!isDigit(code)) {
                bytes[at++] = code >= 0x41 && code <= 0x5a ? code + 0x20 : code || 1;
                k++;
                continue;
            }
            while (name.charCodeAt(k) === ZERO && isDigit(name.charCodeAt(k + 1))) k++;
            let end = k + 1;
            while (isDigit(name.charCodeAt(end))) end++;
            bytes[at++] = ZERO;
            bytes[at++] = Math.min(MOST_DIGITS, end - k);
            while (k < end) bytes[at++] = name.charCodeAt(k++);
        }
        this.used = at;
        this.first[i + 1] = at;
    }

    // The same for names with characters beyond ASCII, which are few.
    addWide(name) {
        const numbered = name
            .toLowerCase()
            .replaceAll('\0', '\x01')
            .replace(
                /0*(\d+)/g,
                (_, digits) => `0${String.fromCharCode(Math.min(MOST_DIGITS, digits.length))}${digits}`,
            );
        const encoded = new TextEncoder().encode(numbered);
        this.reserve(encoded.length);
        this.bytes.set(encoded, this.used);
        this.used += encoded.length;
    }

    compare(a, b, depth = 0) {
        const { bytes, first } = this;
        const lengthA = first[a + 1] - first[a];
        const lengthB = first[b + 1] - first[b];
        const both = Math.min(lengthA, lengthB);
        for (let k = depth; k < both; k++) {
            const difference = bytes[first[a] + k] - bytes[first[b] + k];
            if (difference) return difference;
        }
        return lengthA - lengthB;
    }
}

// Numbers of names, sorted by the bytes from `depth` on; equal ones keep their order.
function sortFew(keys, order, same, from, to, depth) {
    for (let k = from + 1; k < to; k++) {
        const one = order[k];
        let at = k;
        for (; at > from && keys.compare(order[at - 1], one, depth) > 0; at--) order[at] = order[at - 1];
        order[at] = one;
    }
    for (let k = from + 1; k < to; k++) same[k] = keys.compare(order[k - 1], order[k], depth) ? 0 : 1;
}

// How many bytes from `depth` on all these names have in common.
function commonLength(keys, order, from, to, depth) {
    const { bytes, first } = keys;
    const model = first[order[from]] + depth;
    let common = first[order[from] + 1] - model;
    for (let k = from + 1; k < to && common; k++) {
        const at = first[order[k]] + depth;
        const most = Math.min(common, first[order[k] + 1] - at);
        common = 0;
        while (common < most && bytes[at + common] === bytes[model + common]) common++;
    }
    return common;
}

// Sorts by one byte after the other, from the first. Names of one part have the same bytes before `past`. What is the
// same as the one before it gets a 1 in `same`.
function distribute(keys, order, same) {
    const { bytes, first } = keys;
    const other = new Uint32Array(order.length);
    const byte = new Uint8Array(order.length);
    const ends = new Uint32Array(256);
    const parts = [[0, order.length, 0]];
    while (parts.length) {
        const [from, to, past] = parts.pop();
        if (to - from <= FEW) {
            sortFew(keys, order, same, from, to, past);
            continue;
        }
        const depth = past + commonLength(keys, order, from, to, past);
        ends.fill(0);
        for (let k = from; k < to; k++) {
            const at = first[order[k]] + depth;
            byte[k] = at < first[order[k] + 1] ? bytes[at] : 0;
            ends[byte[k]]++;
        }
        if (ends[0] > 1) same.fill(1, from + 1, from + ends[0]);
        let end = from;
        for (let b = 0; b < 256; b++) {
            const size = ends[b];
            if (b && size > 1) parts.push([end, end + size, depth + 1]);
            ends[b] = end;
            end += size;
        }
        other.set(order.subarray(from, to), from);
        for (let k = from; k < to; k++) order[ends[byte[k]]++] = other[k];
    }
}

// For each of `count` names its place among all; equal ones have the same.
export function placesOfNames(count, name) {
    const keys = new Keys(count);
    for (let i = 0; i < count; i++) keys.add(i, name(i));
    const order = numbers(count);
    const same = new Uint8Array(count);
    distribute(keys, order, same);
    const place = new Uint32Array(count);
    for (let k = 1; k < count; k++) place[order[k]] = place[order[k - 1]] + 1 - same[k];
    return place;
}

// Sorts numbers of rows by their keys, equal ones by number. Whole keys and the number fit into one double, and those
// are sorted ten times as fast as by a function that compares.
export function sortBy(rows, keys) {
    const base = keys.length;
    const whole = rows.every(
        (i) => Number.isInteger(keys[i]) && Math.abs(keys[i]) < Number.MAX_SAFE_INTEGER / base - 1,
    );
    if (!whole) return rows.sort((a, b) => keys[a] - keys[b] || a - b);
    const both = new Float64Array(rows.length);
    for (let k = 0; k < rows.length; k++) both[k] = keys[rows[k]] * base + rows[k];
    both.sort();
    for (let k = 0; k < rows.length; k++) rows[k] = both[k] - Math.floor(both[k] / base) * base;
    return rows;
}
