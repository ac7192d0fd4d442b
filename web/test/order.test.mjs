// SPDX-License-Identifier: MIT
// The order of names in tables: docs/report.md says what it is.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Keys, placesOfNames, sortBy } from '../src/order.js';

const placesOf = (names) => [...placesOfNames(names.length, (i) => names[i])];
function sorted(names) {
    const places = placesOf(names);
    return [...names.keys()].sort((a, b) => places[a] - places[b] || a - b).map((i) => names[i]);
}

it('numbers in names count as numbers, capitals as small letters, leading zeros not at all', () => {
    const right = [
        '',
        '!',
        'a/9',
        'a/10',
        'a0',
        'A1',
        'a1/x',
        'a02',
        'a2b3',
        'a2b12',
        'a10',
        'a99',
        'a100',
        'a12345678901234567890',
        'a22345678901234567890',
        'a112345678901234567890',
        'aB',
        'abc',
        'b',
        'z',
        'é1',
        'É2',
        'é10',
        'éa',
        'Ωx',
        'ωy',
        '語',
        '🧩',
    ];
    assert.deepEqual(sorted([...right].reverse()), right);
    assert.deepEqual(
        sorted([...right, ...right].reverse()),
        right.flatMap((x) => [x, x]),
    );
    const [a, b, c, d, e, f] = placesOf(['v007', 'V7', 'v7', 'v70', 'É03', 'é3']);
    assert.ok(a === b && b === c && c < d && e === f, 'the same place');
});

it('many names are in the order that comparing two of them gives', () => {
    let seed = 1;
    const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
    const parts = ['layer', 'Layer', '/', '_', ' ', 'w', 'é', '0', '00', '7', '12', '120', '99', 'attention/block/'];
    const names = Array.from({ length: 20000 }, () =>
        Array.from({ length: random(7) }, () => parts[random(parts.length)]).join(''),
    );
    // Small letters, numbers as wide as the longest: a reference that needs no more than strings.
    const wide = (name) =>
        name.toLowerCase().replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, '').padStart(30, '0'));
    const places = placesOf(names);
    const order = [...names.keys()].sort((a, b) => places[a] - places[b]);
    for (let k = 1; k < order.length; k++) {
        const [a, b] = [order[k - 1], order[k]];
        const equal = wide(names[a]) === wide(names[b]);
        assert.ok(equal || wide(names[a]) < wide(names[b]), `${names[a]} before ${names[b]}`);
        assert.equal(places[b] - places[a], equal ? 0 : 1, `${names[a]}, ${names[b]}`);
    }
});

it('rows with equal keys keep their order, whatever the keys are', () => {
    const keys = Float64Array.from([3, -1, 3, 0.5, -1, Infinity, 0]);
    const rows = () => Uint32Array.from(keys.keys());
    assert.deepEqual([...sortBy(rows(), keys)], [1, 4, 6, 3, 0, 2, 5]);
    const whole = Float64Array.from([3, -1, 3, 2 ** 40, -1, -(2 ** 45), 0]);
    assert.deepEqual([...sortBy(rows(), whole)], [5, 1, 4, 6, 0, 2, 3]);
    const huge = Float64Array.from([2 ** 53 - 1, 2 ** 53 - 2, 2 ** 53 - 1, 5, -(2 ** 53) + 1, 0, 5]);
    assert.deepEqual([...sortBy(rows(), huge)], [4, 5, 3, 6, 1, 0, 2]);
});

it('a million names are sorted without comparing each two', () => {
    const most = 1 << 20;
    for (const path of ['', 'model/encoder/attention/block/']) {
        const names = Array.from(
            { length: most },
            (_, i) => `${path}layer ${(i * 7919) % 977}/v${(i * 104729) % most}`,
        );
        let compared = 0;
        const { compare } = Keys.prototype;
        Keys.prototype.compare = function counted(...which) {
            compared++;
            return compare.apply(this, which);
        };
        const places = placesOfNames(most, (i) => names[i]);
        Keys.prototype.compare = compare;
        const rows = Uint32Array.from(places.keys());
        rows.sort = () => assert.fail('whole keys are sorted by comparing them');
        sortBy(rows, Float64Array.from(places));
        assert.ok(names[rows[0]].endsWith('layer 0/v0') && names[rows[most - 1]].includes('layer 976/'));
        assert.ok(compared < 6 * most, `${compared / most} comparisons a name`); // sorting by them takes twenty
    }
});
