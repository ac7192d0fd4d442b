// SPDX-License-Identifier: MIT
// What is shown is in the address: #view=memory&tile=3. Links, the back button and bookmarks follow.

const listeners = new Set();

export function read() {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function address(changes, base = read()) {
    const next = { ...base, ...changes };
    for (const key of Object.keys(next))
        if (next[key] === null || next[key] === undefined || next[key] === '') delete next[key];
    return `#${new URLSearchParams(next)}`;
}

// replace: no step of its own for the back button (zooming, typing).
export function go(changes, { replace = false, keep = true } = {}) {
    const hash = address(changes, keep ? undefined : {});
    if (hash === location.hash) return;
    if (replace) {
        history.replaceState(null, '', hash);
        for (const listener of listeners) listener(read(), true);
    } else {
        location.hash = hash;
    }
}

export function onChange(listener) {
    listeners.add(listener);
}

addEventListener('hashchange', () => {
    for (const listener of listeners) listener(read(), false);
});
