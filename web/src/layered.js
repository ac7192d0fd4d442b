// SPDX-License-Identifier: MIT
// A layered picture of a graph: each box stands behind those that feed it, groups are boxes around their own. The same
// graph gives the same picture: every choice falls to what comes first. Small graphs, so simple rules: layers by the
// longest way from the sources, order by the mean of the neighbours, a few sweeps. A library for this (dagre, elkjs) would
// add more to the page than all views together have.

const GAP = { along: 104, across: 26, group: 16, title: 20 };
const GAP_DOWN = { ...GAP, along: 58 };
const SWEEPS = 8;
// Files are not trusted: a graph that a machine's tools make has far less of both.
const MOST_DEEP = 16; // groups in groups; those within are drawn as one
const MOST_POINTS = 20000; // where long edges pass layers; with more of them all go straight

// Layers by the longest way; edges that close a circle are turned round for that.
function layersOf(count, edges) {
    const out = Array.from({ length: count }, () => []);
    for (const [from, to] of edges) if (from !== to) out[from].push(to);
    const state = new Uint8Array(count);
    const order = [];
    const ahead = Array.from({ length: count }, () => []);
    const visit = (first) => {
        const open = [[first, 0]];
        state[first] = 1;
        while (open.length) {
            const top = open[open.length - 1];
            const [v] = top;
            if (top[1] < out[v].length) {
                const to = out[v][top[1]++];
                if (state[to] === 1) ahead[to].push(v);
                else {
                    ahead[v].push(to);
                    if (!state[to]) {
                        state[to] = 1;
                        open.push([to, 0]);
                    }
                }
            } else {
                state[v] = 2;
                order.push(v);
                open.pop();
            }
        }
    };
    for (let v = 0; v < count; v++) if (!state[v]) visit(v);
    order.reverse();
    const layer = new Int32Array(count);
    for (const v of order) for (const to of ahead[v]) layer[to] = Math.max(layer[to], layer[v] + 1);
    // What nothing feeds stands right before what it feeds.
    const fed = new Uint8Array(count);
    for (const list of ahead) for (const to of list) fed[to] = 1;
    for (const v of order)
        if (!fed[v] && ahead[v].length) layer[v] = Math.min(...ahead[v].map((to) => layer[to])) - 1;
    return layer;
}

// Boxes and the points at which long edges pass a layer, layer by layer in their order.
function orderOf(count, edges, layer) {
    const depth = Math.max(0, ...layer) + 1;
    const rows = Array.from({ length: depth }, () => []);
    for (let v = 0; v < count; v++) rows[layer[v]].push(v);
    const links = [];
    const passed = edges.reduce((sum, [a, b]) => sum + Math.max(0, Math.abs(layer[b] - layer[a]) - 1), 0);
    let next = count;
    const ways = edges.map(([from, to]) => {
        const [a, b] = layer[from] <= layer[to] ? [from, to] : [to, from];
        const way = [];
        let before = a;
        for (let k = layer[a] + 1; k < layer[b] && passed <= MOST_POINTS; k++) {
            const point = next++;
            rows[k].push(point);
            links.push([before, point]);
            way.push(point);
            before = point;
        }
        if (a !== b) links.push([before, b]);
        return a === from ? way : way.reverse();
    });
    const near = new Map();
    const join = (a, b, side) => {
        if (!near.has(a)) near.set(a, [[], []]);
        near.get(a)[side].push(b);
    };
    for (const [a, b] of links) {
        join(a, b, 1);
        join(b, a, 0);
    }
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        const place = new Map();
        for (const row of rows) row.forEach((v, i) => place.set(v, (i + 0.5) / row.length));
        const side = sweep % 2;
        const which = side ? [...rows].reverse() : rows;
        for (const row of which) {
            const wish = new Map(
                row.map((v, i) => {
                    const list = near.get(v)?.[side] ?? [];
                    const sum = list.reduce((s, to) => s + place.get(to), 0);
                    return [v, [list.length ? sum / list.length : place.get(v), i]];
                }),
            );
            row.sort((a, b) => wish.get(a)[0] - wish.get(b)[0] || wish.get(a)[1] - wish.get(b)[1]);
            row.forEach((v, i) => place.set(v, (i + 0.5) / row.length));
        }
    }
    return { rows, ways, near };
}

// Where the boxes of one level lie: sizes [along, across] in, the same of the whole out.
function level(sizes, edges, gap) {
    const count = sizes.length;
    const layer = layersOf(count, edges);
    const { rows, ways, near } = orderOf(count, edges, layer);
    const across = (v) => (v < count ? sizes[v][1] : 4);
    const at = new Map();
    let start = 0;
    for (const row of rows) {
        const thick = Math.max(0, ...row.map((v) => (v < count ? sizes[v][0] : 0)));
        let side = 0;
        for (const v of row) {
            at.set(v, [start + (thick - (v < count ? sizes[v][0] : 0)) / 2, side]);
            side += across(v) + gap.across;
        }
        start += thick + gap.along;
    }
    // Towards the middle of the neighbours, as far as those beside them let them.
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        for (const row of sweep % 2 ? [...rows].reverse() : rows) {
            const wish = row.map((v) => {
                const list = (near.get(v) ?? [[], []]).flat();
                const middle = list.reduce((s, to) => s + at.get(to)[1] + across(to) / 2, 0) / (list.length || 1);
                return list.length ? middle - across(v) / 2 : at.get(v)[1];
            });
            let least = -Infinity;
            row.forEach((v, i) => {
                at.get(v)[1] = Math.max(wish[i], least);
                least = at.get(v)[1] + across(v) + gap.across;
            });
            // A row that was pushed to one side comes back by what it was pushed on average.
            const push = row.reduce((s, v, i) => s + at.get(v)[1] - wish[i], 0) / (row.length || 1);
            for (const v of row) at.get(v)[1] -= push;
        }
    }
    const top = [...at.values()].reduce((least, p) => Math.min(least, p[1]), 0);
    for (const p of at.values()) p[1] -= top;
    const end = [...at].reduce((most, [v, p]) => Math.max(most, p[1] + across(v)), 0);
    const points = (way) => way.map((v) => [at.get(v)[0], at.get(v)[1] + across(v) / 2]);
    return {
        at: sizes.map((_, v) => at.get(v)),
        ways: ways.map(points),
        size: [Math.max(0, start - gap.along), end],
    };
}

// nodes: { size: [along, across], group: 'outer/inner' }; edges: [from, to]. Gives places of nodes, boxes of groups, points
// of edges, all [along, across], and the size of the whole. down: along is downwards, where the titles of groups stand above
// them.
export function layered(nodes, edges, down) {
    const gap = down ? GAP_DOWN : GAP;
    const [above, beside] = down ? [gap.title, 0] : [0, gap.title];
    const places = new Array(nodes.length);
    const boxes = [];
    const ways = edges.map(() => []);
    const known = new Map(nodes.map(({ group }) => [group, []]));
    for (const [group, path] of known) path.push(...group.split('/').filter(Boolean).slice(0, MOST_DEEP));

    const lay = (depth, members, inner) => {
        const items = new Map(); // of a node, or of a group below
        for (const v of members) {
            const path = known.get(nodes[v].group);
            const key = path.length > depth ? `g${path.slice(0, depth + 1).join('/')}` : `n${v}`;
            if (!items.has(key)) items.set(key, []);
            items.get(key).push(v);
        }
        const keys = [...items.keys()];
        const itemOf = new Map();
        keys.forEach((key, i) => items.get(key).forEach((v) => itemOf.set(v, i)));
        const here = [];
        const within = keys.map(() => []);
        for (const e of inner) {
            const [from, to] = edges[e].map((v) => itemOf.get(v));
            (from === to ? within[from] : here).push(e);
        }
        const parts = keys.map((key, i) => {
            if (key[0] === 'n') return { size: nodes[Number(key.slice(1))].size };
            const made = lay(depth + 1, items.get(key), within[i]);
            return {
                made,
                size: [made.size[0] + 2 * gap.group + above, made.size[1] + 2 * gap.group + beside],
            };
        });
        const laid = level(
            parts.map((part) => part.size),
            here.map((e) => edges[e].map((v) => itemOf.get(v))),
            gap,
        );
        // Places come from the outermost level inwards, when it is known where that lies.
        const put = (x, y) => {
            keys.forEach((key, i) => {
                const [px, py] = [x + laid.at[i][0], y + laid.at[i][1]];
                if (key[0] === 'n') places[Number(key.slice(1))] = [px, py];
                else {
                    boxes.push({ name: key.slice(1), at: [px, py], size: parts[i].size });
                    parts[i].made.put(px + gap.group + above, py + gap.group + beside);
                }
            });
            here.forEach((e, i) => {
                ways[e] = laid.ways[i].map(([a, b]) => [x + a, y + b]);
            });
        };
        return { size: laid.size, put };
    };

    const whole = lay(
        0,
        nodes.map((_, i) => i),
        edges.map((_, i) => i),
    );
    whole.put(0, 0);
    return { places, boxes, ways, size: whole.size };
}
