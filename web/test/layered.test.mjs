// SPDX-License-Identifier: MIT
// Layered pictures: boxes behind what feeds them, none over another, groups around their own, the same each time.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { layered } from '../src/layered.js';

const overlap = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
const within = (a, b) => a[0] >= b[0] && a[1] >= b[1] && a[0] + a[2] <= b[0] + b[2] && a[1] + a[3] <= b[1] + b[3];

// A generator of our own, so that the same graphs are drawn on each machine.
function randomly(seed) {
    let state = seed;
    return (below) => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return Math.floor((state / 2147483648) * below);
    };
}

function graphOf(seed) {
    const below = randomly(seed);
    const groups = ['', '', 'a', 'b', 'a/c', 'b/d'];
    const nodes = Array.from({ length: 2 + below(40) }, () => ({
        size: [40 + below(120), 20 + below(40)],
        group: groups[below(groups.length)],
    }));
    const edges = Array.from({ length: below(80) }, () => [below(nodes.length), below(nodes.length)]);
    return { nodes, edges };
}

for (const down of [false, true])
    it(`200 graphs with groups, circles and long edges${down ? ', downwards' : ''}`, () => {
        for (let seed = 1; seed <= 200; seed++) {
            const { nodes, edges } = graphOf(seed);
            const made = layered(nodes, edges, down);
            assert.deepEqual(layered(nodes, edges, down), made, `graph ${seed}: not the same again`);
            const boxes = nodes.map((n, i) => [...made.places[i], ...n.size]);
            const groups = new Map(made.boxes.map((b) => [b.name, [...b.at, ...b.size]]));
            const whole = [-1e-6, -1e-6, made.size[0] + 2e-6, made.size[1] + 2e-6];
            assert.equal(made.ways.length, edges.length);
            boxes.forEach((box, i) => {
                assert.ok(box.every(Number.isFinite), `graph ${seed}: ${box}`);
                assert.ok(within(box, whole), `graph ${seed}: box ${i} beside the picture`);
                for (let k = 0; k < i; k++) assert.ok(!overlap(box, boxes[k]), `graph ${seed}: boxes ${k} and ${i}`);
                for (const [name, group] of groups) {
                    const inside = nodes[i].group === name || nodes[i].group.startsWith(`${name}/`);
                    assert.equal(inside, overlap(box, group), `graph ${seed}: box ${i} and group ${name}`);
                    if (inside) assert.ok(within(box, group), `graph ${seed}: box ${i} out of group ${name}`);
                }
            });
        }
    });

it('a chain goes from left to right, each box behind the one that feeds it', () => {
    const nodes = [3, 1, 0, 2].map(() => ({ size: [50, 30], group: '' }));
    const { places, size } = layered(nodes, [
        [2, 1],
        [1, 3],
        [3, 0],
        [2, 0],
    ]);
    const order = [2, 1, 3, 0];
    for (let i = 1; i < 4; i++) assert.ok(places[order[i]][0] >= places[order[i - 1]][0] + 50);
    assert.equal(size[0], places[0][0] + 50);
});

it('names of groups from anywhere: empty parts are none, and what lies very deep is one group', () => {
    const groups = ['/', '//a', '/a/', 'a//b', '/'.repeat(100000), Array(100000).fill('x').join('/'), '__proto__'];
    const made = layered(
        groups.map((group) => ({ size: [50, 30], group })),
        groups.map((_, i) => [i, (i + 1) % groups.length]),
    );
    const names = made.boxes.map((b) => b.name);
    for (const name of ['a', 'a/b', '__proto__', 'x', Array(16).fill('x').join('/')]) assert.ok(names.includes(name));
    assert.equal(names.length, 3 + 16);
    assert.ok(made.places.every((place) => place.every(Number.isFinite)));
});

it('16,384 nodes in a chain and as many long edges, groups of one node each: it ends', () => {
    const count = 16384;
    const nodes = Array.from({ length: count }, () => ({ size: [50, 30], group: '' }));
    const edges = nodes.map((_, i) => (i + 1 < count ? [i, i + 1] : [0, i]));
    nodes.forEach((_, i) => edges.push([0, i]));
    const { places, ways } = layered(nodes, edges);
    for (let i = 1; i < count; i++) assert.ok(places[i][0] >= places[i - 1][0] + 50);
    assert.ok(
        ways.every((way) => !way.length),
        'long edges go straight',
    );
    assert.equal(layered(nodes.slice(0, 100), edges.slice(0, 99).concat([[0, 99]])).ways[99].length, 98);
    const alone = nodes.slice(0, 2000).map((n, i) => ({ ...n, group: `g${i}` }));
    assert.equal(layered(alone, edges.slice(0, 1999)).boxes.length, 2000);
});
