// SPDX-License-Identifier: MIT
// What kinds of things are filled with: twelve colours that differ for everybody, and over them stripes and dots for
// the kinds beyond, so that no two of a legend look the same. Kinds beyond those share one fill and one entry.

// Paul Tol's muted scheme and two of his light one: twelve that differ for everybody.
export const PALETTE = [
    '#4477aa',
    '#ee8866',
    '#44aa99',
    '#ddcc77',
    '#aa4499',
    '#88ccee',
    '#117733',
    '#cc6677',
    '#999933',
    '#882255',
    '#77aadd',
    '#bbbbbb',
];
const REST = '#5c5c5c';
const PATTERNS = ['plain', 'stripes', 'dots'];
const SIZE = 8; // of a pattern, in pixels
export const MOST_MARKS = PALETTE.length * PATTERNS.length;

// Black or white, whichever is read on a colour.
function inkOn(colour) {
    const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
    return 0.299 * r + 0.587 * g + 0.114 * b < 130 ? '#fff' : '#000';
}

// The style of a name on a fill; over a pattern it gets the plain colour behind it.
export function inkStyle(fill) {
    return fill.colour
        ? { fill: inkOn(fill.colour), backgroundColor: fill.colour, padding: [1, 2], borderRadius: 2 }
        : { fill: inkOn(fill) };
}

const faint = (colour) => (inkOn(colour) === '#fff' ? 'rgba(255,255,255,.55)' : 'rgba(0,0,0,.45)');

function drawn(colour, pattern) {
    const image = document.createElement('canvas');
    image.width = image.height = SIZE;
    const context = image.getContext('2d');
    context.fillStyle = colour;
    context.fillRect(0, 0, SIZE, SIZE);
    context.fillStyle = context.strokeStyle = faint(colour);
    context.beginPath();
    if (pattern === 'dots') {
        context.arc(SIZE / 2, SIZE / 2, 2, 0, 2 * Math.PI);
        context.fill();
    } else {
        for (const x of [-SIZE, 0, SIZE]) {
            context.moveTo(x - 1, SIZE + 1);
            context.lineTo(x + SIZE + 1, -1);
        }
        context.lineWidth = 2;
        context.stroke();
    }
    return image;
}

const CSS = {
    stripes: (colour) => `repeating-linear-gradient(-45deg, ${faint(colour)} 0 2px, transparent 2px 5px), ${colour}`,
    dots: (colour) => `radial-gradient(${faint(colour)} 35%, transparent 40%) 0 0 / 5px 5px, ${colour}`,
};

// A colour, or a pattern as ECharts takes it, which knows its colour and its look in a legend.
const marks = [];
function mark(k) {
    const colour = PALETTE[k % PALETTE.length];
    const pattern = PATTERNS[Math.floor(k / PALETTE.length)];
    if (pattern === 'plain') return colour;
    return (marks[k] ??= { image: drawn(colour, pattern), repeat: 'repeat', colour, css: CSS[pattern](colour) });
}

// Fills of kinds, and their legend; title(kind) → words, weight: Map from a kind to how much of it there is. Where
// there are more than can be told apart, those with the least weight are one.
export function marksOf(kinds, weight, title) {
    const most = kinds.length > MOST_MARKS ? MOST_MARKS - 1 : kinds.length;
    const chosen =
        most < kinds.length
            ? new Set([...kinds].sort((a, b) => weight.get(b) - weight.get(a) || a - b).slice(0, most))
            : new Set(kinds);
    const fills = new Map(kinds.filter((kind) => chosen.has(kind)).map((kind, k) => [kind, mark(k)]));
    const rest = kinds.length - fills.size;
    return {
        of: (kind) => fills.get(kind) ?? REST,
        entries: [
            ...[...fills].map(([kind, fill]) => [title(kind), fill]),
            ...(rest ? [[`${rest.toLocaleString('en-US')} others`, REST]] : []),
        ],
    };
}
