// SPDX-License-Identifier: MIT
// Elements from code. Text gets in as text, whatever it is: there is no way to give markup, controls and marks of
// direction are shown instead of obeyed, and nothing is longer than a few lines.
import { cut, safe } from './format.js';

const SPOKEN = new Set(['title', 'aria-label', 'placeholder']);

export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key === 'class') element.className = value;
        else if (key === 'value') element.value = value;
        else element.setAttribute(key, value === true ? '' : SPOKEN.has(key) ? safe(String(value)) : value);
    }
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child instanceof Node ? child : document.createTextNode(cut(String(child), 600)));
    }
    return element;
}

// What charts and tables announce to those who do not see them.
export function announce(text) {
    const live = document.getElementById('live');
    if (live) live.textContent = text;
}

// Runs what takes long after the page has shown what was changed so far.
export function afterPaint(run) {
    requestAnimationFrame(() => setTimeout(run));
}

export function debounce(run, wait) {
    let timer = 0;
    return (...args) => {
        clearTimeout(timer);
        timer = setTimeout(() => run(...args), wait);
    };
}
