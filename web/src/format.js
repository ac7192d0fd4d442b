// SPDX-License-Identifier: MIT
// Figures and names as text. Sizes as everywhere in the toolkit: KiB = 1,024 bytes.

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const count = (n) => grouped.format(n);

export function bytes(n) {
    if (n < 0) return `−${bytes(-n)}`;
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let u = 0;
    while (n >= 1023.5 && u < units.length - 1) {
        n /= 1024;
        u++;
    }
    return `${u && n < 99.95 ? n.toFixed(1) : grouped.format(n)} ${units[u]}`;
}

// 12,345 → "12.3 k": for axes and tiles; tables have all digits.
export function short(n) {
    if (n < 0) return `−${short(-n)}`;
    if (n < 10000) return Number.isInteger(n) ? grouped.format(n) : n.toPrecision(3);
    const units = ['', 'k', 'M', 'G', 'T', 'P'];
    let u = 0;
    while (n >= 999.5 && u < units.length - 1) {
        n /= 1000;
        u++;
    }
    return `${n.toPrecision(3)} ${units[u]}`;
}

export function percent(share, digits = 1) {
    return Number.isFinite(share) && share >= 0 ? `${(share * 100).toFixed(digits)} %` : '–';
}

// Of a whole that others have parts of too: downwards, so that they never add up to more than it.
export function part(share) {
    return percent(Math.floor(share * 1000 + 1e-9) / 1000);
}

export function seconds(s) {
    if (!(s > 0)) return '–';
    if (s < 1e-6) return `${(s * 1e9).toPrecision(3)} ns`;
    if (s < 1e-3) return `${(s * 1e6).toPrecision(4)} µs`;
    if (s < 1) return `${(s * 1e3).toPrecision(4)} ms`;
    return `${s.toPrecision(4)} s`;
}

// Controls, and marks that turn the direction of what follows, are shown instead of obeyed.
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
export function safe(text) {
    return text.replace(HIDDEN, (c) => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

export function cut(text, most = 120) {
    const shown = safe(text);
    return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}

// The width of bins for so many bytes, a power of two: edges are then whole in bytes or KiB.
export function byteBins(most, bins) {
    let width = 1;
    while (width * bins <= most) width *= 2;
    return width;
}

// The distance of grid lines on an axis of bytes: halves and doubles, so that labels are whole.
export function byteStep(most) {
    let step = 1;
    while (step * 6 < most) step *= 2;
    return step;
}

// Of an axis of bytes up to so many: its grid lines, the last one included.
export function byteAxis(most) {
    const interval = byteStep(most);
    return { interval, max: Math.max(1, Math.ceil(most / interval)) * interval };
}

export const several = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
