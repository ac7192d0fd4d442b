// SPDX-License-Identifier: MIT
// Time from the folded trace: rules are ranges of steps or sequences of repeated rules, children before parents. Sums
// of every rule are known, so a window of any run is found without expanding loops.
import { BUCKETS, NONE } from './model.js';

const KINDS = BUCKETS.length;

export class Timeline {
    // counters: { values of each step, sum } — sums are shown as a rate, others by their largest value in a stretch.
    constructor(profile, counters = []) {
        const c = profile.c;
        this.counters = counters;
        this.p = profile;
        this.c = c;
        const steps = profile.stepCount;
        this.span = new Float64Array(steps);
        this.prefix = new Float64Array(steps + 1);
        for (let s = 0; s < steps; s++) {
            this.span[s] = c.stepSpan[s] + c.stepGap[s];
            this.prefix[s + 1] = this.prefix[s] + this.span[s];
        }
        const rules = c.ruleFirst.length;
        this.duration = new Float64Array(rules);
        this.sums = new Float64Array(rules * KINDS); // cycles of steps by kind
        this.counts = counters.map(() => new Float64Array(rules)); // of each rule: the largest value, or the sum
        this.itemAt = new Float64Array(c.itemRule.length + 1); // begin of an item within its rule
        for (let r = 0; r < rules; r++) this.measure(r);
        this.runAt = new Float64Array(c.runRule.length + 1);
        for (let i = 0; i < c.runRule.length; i++)
            this.runAt[i + 1] =
                this.runAt[i] + (c.runRule[i] === NONE ? 0 : this.duration[c.runRule[i]] * c.runTimes[i]);
        this.end = this.runAt[c.runRule.length];
    }

    measure(r) {
        const { c } = this;
        const first = c.ruleFirst[r];
        const last = first + c.ruleCount[r];
        let at = 0;
        if (c.ruleIsRange[r]) {
            this.duration[r] = this.prefix[last] - this.prefix[first];
            for (let s = first; s < last; s++) this.sums[r * KINDS + c.stepBucket[s]] += c.stepSpan[s];
            this.counters.forEach((counter, k) => {
                this.counts[k][r] = this.count(counter, first, last);
            });
            return;
        }
        for (let i = first; i < last; i++) {
            const child = c.itemRule[i];
            this.itemAt[i] = at;
            at += this.duration[child] * c.itemTimes[i];
            for (let k = 0; k < KINDS; k++) this.sums[r * KINDS + k] += this.sums[child * KINDS + k] * c.itemTimes[i];
        }
        this.duration[r] = at;
        this.counters.forEach((counter, k) => {
            const of = this.counts[k];
            for (let i = first; i < last; i++)
                of[r] = counter.sum
                    ? of[r] + of[c.itemRule[i]] * c.itemTimes[i]
                    : Math.max(of[r], c.itemTimes[i] ? of[c.itemRule[i]] : 0);
        });
    }

    // Of steps in a row: the largest value, or the sum.
    count(counter, first, last) {
        let value = 0;
        for (let s = first; s < last; s++)
            value = counter.sum ? value + counter.values[s] : Math.max(value, counter.values[s]);
        return value;
    }

    // Calls draw(kind, from, to, step, share) for what lies in [from, to); what is shorter than `least` comes folded, once
    // for each kind in it, with step -1, the kind's share and what counters say of it. An own stack: data never makes the page recurse.
    window(from, to, least, draw) {
        const { c } = this;
        const stack = [];
        const push = (rule, times, at) => {
            const each = this.duration[rule];
            if (!(each > 0) || !times) return;
            const total = each * times;
            if (at >= to || at + total <= from) return;
            if (total < least || (each < least && times > 1)) {
                const counts = this.counters.map((counter, k) =>
                    counter.sum ? this.counts[k][rule] / each : this.counts[k][rule],
                );
                this.mixture(this.sums, rule * KINDS, Math.max(at, from), Math.min(at + total, to), draw, counts);
                return;
            }
            const first = Math.max(0, Math.floor((from - at) / each));
            const last = Math.min(times, Math.ceil((to - at) / each));
            for (let k = last - 1; k >= first; k--) stack.push([rule, at + k * each]);
        };
        for (let i = c.runRule.length - 1; i >= 0; i--)
            if (c.runRule[i] !== NONE && this.runAt[i] < to && this.runAt[i + 1] > from)
                push(c.runRule[i], c.runTimes[i], this.runAt[i]);
        while (stack.length) {
            const [rule, at] = stack.pop();
            const first = c.ruleFirst[rule];
            const last = first + c.ruleCount[rule];
            if (c.ruleIsRange[rule]) {
                this.range(first, last, at, from, to, least, draw);
                continue;
            }
            for (let i = last - 1; i >= first; i--) push(c.itemRule[i], c.itemTimes[i], at + this.itemAt[i]);
        }
    }

    // Several steps as one: each kind with its share, the largest first.
    mixture(sums, at, from, to, draw, counts) {
        let all = 0;
        for (let k = 0; k < KINDS; k++) all += sums[at + k];
        for (let k = 0; k < KINDS; k++) if (sums[at + k] > 0) draw(k, from, to, -1, sums[at + k] / all, counts);
    }

    range(first, last, at, from, to, least, draw) {
        const { c } = this;
        const base = this.prefix[first] - at;
        // The first step that ends behind `from`.
        let low = first;
        let high = last;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.prefix[middle + 1] - base > from) high = middle;
            else low = middle + 1;
        }
        for (let s = low; s < last;) {
            const end = this.prefix[s + 1] - base;
            if (this.prefix[s] - base >= to) return;
            if (c.stepCycles[s] >= least) {
                draw(c.stepBucket[s], Math.max(0, end - Math.max(c.stepCycles[s], c.stepSpan[s])), end, s, 1);
                s++;
                continue;
            }
            // Steps too short to see: up to the next that is not, or one pixel of them.
            const start = this.prefix[s] - base;
            const sums = new Float64Array(KINDS);
            let k = s;
            while (k < last && c.stepCycles[k] < least && this.prefix[k] - base - start < least) {
                sums[c.stepBucket[k]] += c.stepCycles[k];
                k++;
            }
            if (k === s + 1) draw(c.stepBucket[s], start, this.prefix[k] - base, s, 1);
            else {
                const time = this.prefix[k] - base - start;
                const counts = this.counters.map((counter) =>
                    counter.sum ? (time ? this.count(counter, s, k) / time : 0) : this.count(counter, s, k),
                );
                this.mixture(sums, 0, start, this.prefix[k] - base, draw, counts);
            }
            s = k;
        }
    }

    // Cycles by kind in a window, for what is selected.
    sum(from, to) {
        const sums = new Float64Array(KINDS);
        this.window(from, to, (to - from) / 4000, (kind, a, b, step, share) => {
            sums[kind] += share * Math.max(0, Math.min(b, to) - Math.max(a, from));
        });
        return sums;
    }

    // When a step is executed for the first time; -1 = never.
    firstOf(step) {
        const { c } = this;
        const rules = c.ruleFirst.length;
        const at = new Float64Array(rules).fill(-1);
        for (let r = 0; r < rules; r++) {
            const first = c.ruleFirst[r];
            const last = first + c.ruleCount[r];
            if (c.ruleIsRange[r]) {
                if (step >= first && step < last) at[r] = this.prefix[step] - this.prefix[first];
                continue;
            }
            for (let i = first; i < last && at[r] < 0; i++)
                if (at[c.itemRule[i]] >= 0) at[r] = this.itemAt[i] + at[c.itemRule[i]];
        }
        for (let i = 0; i < c.runRule.length; i++)
            if (c.runRule[i] !== NONE && at[c.runRule[i]] >= 0) return this.runAt[i] + at[c.runRule[i]];
        return -1;
    }
}
