// SPDX-License-Identifier: MIT
// What each view is asked, and its answer in a sentence, from the figures that the view shows below it. Where a view has
// no figures there is no answer: it says itself what is absent, and why.
import { h } from '../dom.js';
import { bytes, capital, count, cut, percent, several } from '../format.js';
import { NONE } from '../model.js';
import { memoriesOf } from './holds.js';
import { placeOf } from './spans.js';
import { extremes, inUse, timeShares, worked } from './sums.js';

const share = (x) => percent(x, x < 0.0995 ? 1 : 0);
const quote = (name) => `“${cut(name, 60)}”`;
const parts = (...sentences) => sentences.filter(Boolean).join(' ');
const largestOf = (list, value) =>
    list.reduce((best, x) => (best === null || value(x) > value(best) ? x : best), null);

const running = (p) => Boolean(p.totals?.cycles);

function unused(p) {
    const { used, all } = inUse(p);
    return used && used < all
        ? `${several(used, p.tileWord)} of ${count(all)} ${used === 1 ? 'is' : 'are'} in use, ${count(all - used)} ${all - used === 1 ? 'is' : 'are'} not.`
        : '';
}

function kernelOf(p) {
    const { typeCycles, typeName } = p.c;
    const all = typeCycles.reduce((sum, v) => sum + v, 0);
    const top = largestOf([...typeCycles.keys()], (i) => typeCycles[i]);
    return all > 0 ? { name: p.name(typeName[top]), share: typeCycles[top] / all, index: top } : null;
}

function whereTimeGoes(p) {
    if (!running(p)) return null;
    const { used, all } = inUse(p);
    const { parts: known, tiles } = timeShares(p);
    const compute = known.find((x) => x.key === 'compute')?.share ?? 0;
    const other = largestOf(
        known.filter((x) => x.key !== 'compute' && (x.key !== 'idle' || used === all)),
        (x) => x.share,
    );
    const kernel = kernelOf(p);
    const host = known.find((x) => x.key === 'host');
    const some = used && used < all;
    return parts(
        unused(p),
        `${share(some ? Math.min(1, (compute * tiles) / used) : compute)} of the time of ${some ? 'those in use' : `${all > 1 ? 'all ' : 'the '}${p.tileWord}${all > 1 ? 's' : ''}`} goes into computing${other && !some && other.share >= 0.05 ? `, ${share(other.share)} into “${other.label}”` : ''}.`,
        kernel && `${quote(kernel.name)} takes ${share(kernel.share)} of the ${p.kernelWord} cycles.`,
        host &&
            `${share(host.share)} are copies with the host, printing included: they are no work of the ${p.tileWord}s.`,
    );
}

function whoIsFull(p) {
    const { memory } = p.c;
    if (!memory) return null;
    const worst = largestOf([...memory.keys()], (t) => memory[t]);
    const limit = p.categories.some((c) => c.limit) ? 0 : p.target.bytesPerTile;
    const category = largestOf(
        p.categories.filter((c) => p.categoryRow(c)),
        (c) => p.categoryRow(c)[worst],
    );
    const most = category && p.categoryRow(category)[worst];
    return parts(
        `${p.tileName(worst)} holds most: ${bytes(memory[worst])}${limit ? `, ${share(memory[worst] / limit)} of its ${bytes(limit)}` : ''}.`,
        most && `The largest part of it is ${quote(category.label)} with ${bytes(most)}.`,
    );
}

function whatLiesWhere(p) {
    const { tileMapTile, mapCount } = p.c;
    if (!tileMapTile.length) return null;
    const most = largestOf([...tileMapTile], (t) => mapCount[p.mapOf(t)]);
    return `Addresses are known of ${several(tileMapTile.length, p.tileWord)}; ${p.tileName(most)} has most blocks, ${count(mapCount[p.mapOf(most)])}.`;
}

// Where variables are not listed, those of liveness are.
function keptVariables(p) {
    const { alwaysBytes, alwaysName } = p.c;
    const all = alwaysBytes.reduce((sum, v) => sum + v, 0);
    if (!all) return null;
    const top = largestOf([...alwaysBytes.keys()], (i) => alwaysBytes[i]);
    return `${quote(p.name(alwaysName[top]))} is the largest that is kept for the whole run: ${bytes(alwaysBytes[top])}, ${share(alwaysBytes[top] / all)} of ${bytes(all)}.`;
}

function largeVariables(p) {
    const { variableBytes, variableName } = p.c;
    const all = variableBytes.reduce((sum, v) => sum + v, 0);
    const top = largestOf([...variableBytes.keys()], (i) => variableBytes[i]);
    if (!all) return keptVariables(p);
    return `${quote(p.name(variableName[top]) || 'unnamed')} is the largest of ${count(variableBytes.length)}: ${bytes(variableBytes[top])}, ${share(variableBytes[top] / all)} of their ${bytes(all)}.`;
}

function kernelBytes(p) {
    const of = (i) =>
        [0, 1, 2, 3, 4, 5].reduce((sum, k) => {
            const id = p.c[`typeBytes${k}`][i];
            return sum + (id ? p.c.rowSum[id] : 0);
        }, 0);
    const list = [...p.c.typeName.keys()];
    const all = list.reduce((sum, i) => sum + of(i), 0);
    const top = largestOf(list, of);
    if (!all) return null;
    return `${quote(p.name(p.c.typeName[top]))} takes most, ${bytes(of(top))} of ${bytes(all)} on all ${p.tileWord}s.`;
}

function whenMostIsNeeded(p) {
    const c = p.c;
    if (!p.head.memory.hasLiveness) {
        const memories = p.head.memory.mapInCycles ? memoriesOf(p, [...c.tileMapTile]) : [];
        const full = (key) => {
            const category = p.categories.find((x) => x.key === key);
            const row = category?.limit && p.categoryRow(category);
            return row ? Math.max(...row) / category.limit : 0;
        };
        const top = largestOf(memories, full);
        return top && full(top)
            ? `${top} is the fullest memory: ${share(full(top))} of it is held at its peak.`
            : null;
    }
    const always = c.alwaysBytes.reduce((sum, v) => sum + v, 0);
    const lists = Array.from(c.programLiveBytes.keys()).filter((i) => c.programLiveBytes[i]);
    const top = largestOf(lists, (i) => c.rowSum[c.programLiveBytes[i]]);
    if (top === null) return `${bytes(always)} are needed all the time; nothing else is.`;
    const live = always + c.rowSum[c.programLiveBytes[top]];
    return live
        ? `Most is needed in ${quote(p.programTitle(top))}: ${bytes(live)} on all ${p.tileWord}s, of which ${share(always / live)} are kept for the whole run.`
        : null;
}

function costlyStep(p) {
    const list = Array.from({ length: p.stepCount }, (_, s) => s);
    const top = largestOf(list, (s) => p.stepAlone(s));
    return top === null || !p.stepAlone(top) ? null : top;
}

function whichPart(p) {
    if (!p.c.programType.length) return null;
    if (!running(p))
        return `The program has ${several(p.c.programType.length, 'part')}; what they take is absent, as nothing was executed.`;
    const s = costlyStep(p);
    if (s === null) return 'No part of the program takes cycles.';
    return `${quote(p.stepName(s))} takes most of the ${count(p.totals.cycles)} cycles: ${share(p.stepAlone(s) / p.totals.cycles)}.`;
}

function whichName(p) {
    const s = running(p) ? costlyStep(p) : null;
    return s === null
        ? null
        : `${quote(p.plainStepName(s))} has the step that takes most of the ${count(p.totals.cycles)} cycles.`;
}

function whatRan(p) {
    if (!running(p) || !p.stepCount) return null;
    if (p.hasIntervals()) {
        const { laneTile, intervalLane, intervalTo } = p.c;
        const last = intervalTo.reduce((best, to, i) => (to > intervalTo[best] ? i : best), 0);
        const kernel = kernelOf(p);
        return parts(
            `The run takes ${count(p.totals.cycles)} cycles${p.tiles > 1 ? `; ${p.tileName(laneTile[intervalLane[last]])} ends last` : ''}.`,
            kernel && `${quote(kernel.name)} takes ${share(kernel.share)} of the ${p.kernelWord} cycles.`,
        );
    }
    const s = costlyStep(p);
    if (s === null) return null;
    return `Of ${count(p.totals.cycles)} cycles ${quote(p.stepName(s))} takes ${share(p.stepAlone(s) / p.totals.cycles)}, in ${several(p.c.stepExecutions[s], 'execution')}.`;
}

function howEven(p) {
    if (!running(p)) return null;
    const { active, hot } = extremes(p);
    if (!active[hot]) return null;
    const used = [...active.keys()].filter((t) => worked(p)[t]);
    const idle = used.reduce((best, t) => (active[t] < active[best] ? t : best), used[0]);
    const of = (t) => share(active[t] / p.totals.cycles);
    return parts(
        `${p.tileName(hot)} is busiest, ${of(hot)} of the run${used.length > 1 ? `; of those in use ${p.tileName(idle)} is idlest, ${of(idle)}` : ''}.`,
        unused(p),
    );
}

function whereOnTheChip(p) {
    if (!running(p)) return p.c.memory ? `Nothing was executed, so these are bytes: ${whoIsFull(p)}` : null;
    const { active, hot } = extremes(p);
    if (!active[hot]) return null;
    const { used, all } = inUse(p);
    if (!used) return `No ${p.tileWord} works: the run is copies with the host.`;
    if (!p.gridSize().known)
        return `${several(used, p.tileWord)} of ${count(all)} ${used === 1 ? 'works' : 'work'}, ${p.tileName(hot)} most; where they lie on the chip is not known.`;
    const places = [...active.keys()].filter((t) => worked(p)[t]).map((t) => p.place(t));
    const span = (k, word) => {
        const values = places.map((at) => at[k]);
        const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
        return low === high ? `${word} ${low}` : `${word}s ${low} to ${high}`;
    };
    return `${several(used, p.tileWord)} of ${count(all)} ${used === 1 ? 'works' : 'work'}, in ${span(0, 'column')} and ${span(1, 'row')}; ${p.tileName(hot)} most.`;
}

function whoWaits(p) {
    if (!running(p)) return null;
    const c = p.c;
    const waits = new Map();
    let all = 0;
    for (let i = 0; i < c.waitCause.length; i++) {
        waits.set(c.waitCause[i], (waits.get(c.waitCause[i]) ?? 0) + c.waitCycles[i]);
        all += c.waitCycles[i];
    }
    if (all) {
        const top = largestOf([...waits], (x) => x[1]);
        return `Most waiting is for ${quote(p.name(top[0]))}: ${share(top[1] / all)} of ${count(all)} recorded cycles of waiting.`;
    }
    const sooner = new Map();
    for (let s = 0; s < p.stepCount; s++) {
        const row = c.stepActive[s];
        if (!row || c.rowWorst[row] === NONE || p.tiles < 2) continue;
        const gain = c.stepExecutions[s] * (c.rowMax[row] - c.rowSecond[row]);
        if (gain > 0) sooner.set(c.rowWorst[row], (sooner.get(c.rowWorst[row]) ?? 0) + gain);
    }
    const top = largestOf([...sooner], (x) => x[1]);
    return top
        ? `The others wait most for ${p.tileName(top[0])}: without it alone the run would end ${count(top[1])} cycles sooner, ${share(top[1] / p.totals.cycles)}.`
        : `Nobody waits for one ${p.tileWord} alone, and no waits are recorded.`;
}

function whichKernel(p) {
    const kernel = kernelOf(p);
    if (!kernel) return null;
    const calls = p.c.typeInstances[kernel.index];
    return `${quote(kernel.name)} takes ${share(kernel.share)} of the ${p.kernelWord} cycles${calls ? `, with ${several(calls, 'instance')}` : ''}.`;
}

// Of two machines cycles, steps and memories are different things.
export function differentMachines(report) {
    const [a, b] = report.profiles.map((p) => [p.target.type, p.target.architecture].filter(Boolean).join(', '));
    return b !== undefined && a !== b
        ? `A is of ${a.replaceAll('_', ' ')}, B of ${b.replaceAll('_', ' ')}: cycles, steps and memories of different machines do not compare.`
        : '';
}

function whatChanged(p, report) {
    if (!report.diff || differentMachines(report)) return null;
    const cycles = report.diff.find((l) => l.group === 'figure' && l.name === 'cycles');
    const d = cycles && cycles.a > 0 && cycles.b !== undefined ? (cycles.b - cycles.a) / cycles.a : NaN;
    const top = report.diff.find((l) => l.group !== 'figure' && (l.a ?? 0) !== (l.b ?? 0));
    return parts(
        !Number.isFinite(d)
            ? 'Cycles are absent in one of the two.'
            : d
              ? `B takes ${share(Math.abs(d))} ${d > 0 ? 'more' : 'fewer'} cycles than A.`
              : 'A and B take the same cycles.',
        top ? `The largest change is in ${quote(top.name || top.kind)}.` : 'No part differs.',
    );
}

// Tasks hold operations: of lines that are in others the deepest, an operation, says more.
function whichLine(p) {
    const { lineFile, lineNumber, lineWhat, lineCycles, lineWaits } = p.c;
    const cost = (i) => lineCycles[i];
    const all = [...lineCycles.keys()];
    const inner = all.filter((i) => !p.name(lineWhat[i]).startsWith('task '));
    const top = largestOf(inner.length ? inner : all, cost);
    if (top === null || !cost(top)) return null;
    return parts(
        `${quote(placeOf(p, lineFile[top], lineNumber[top]))} takes most of ${several(all.length, 'line')}: ${count(lineCycles[top])} cycles of ${p.name(lineWhat[top])}${lineWaits[top] ? `, and ${count(lineWaits[top])} of waiting` : ''}.`,
    );
}

// Of what the machine folded in stretches of time.
function whatMoves(p) {
    const { flowKind, flowColor, flowAmount, stuckTile } = p.c;
    const stopped = stuckTile.length
        ? `The run ended early: ${several(new Set(stuckTile).size, p.tileWord)} still waited.`
        : '';
    const words = new Map();
    const waits = new Map();
    for (let i = 0; i < flowKind.length; i++) {
        const into = flowKind[i] < 4 ? words : flowKind[i] > 5 ? waits : null;
        if (into) into.set(flowColor[i], (into.get(flowColor[i]) ?? 0) + flowAmount[i]);
    }
    const most = largestOf([...words], ([, n]) => n);
    const worst = largestOf([...waits], ([, n]) => n);
    const all = [...words.values()].reduce((a, b) => a + b, 0);
    return parts(
        stopped,
        most &&
            `Color ${most[0]} moves most: ${share(most[1] / all)} of ${several(all, 'step')} of words from one ${p.tileWord} to the next.`,
        worst &&
            worst[0] < 255 &&
            `Most waiting is for color ${worst[0]}: ${count(worst[1])} cycles of all ${p.tileWord}s.`,
        !most &&
            !stopped &&
            p.hasIntervals() &&
            `${several(p.c.laneTile.length, 'lane')} of ${several(new Set(p.c.laneTile).size, p.tileWord)} were recorded from begin to end.`,
        !most && !worst && !stopped && p.hasIntervals() && whoWaits(p),
    );
}

// The kernel that works longest, and the wire at which there is most waiting.
function whoSetsThePace(p) {
    const { nodeName, nodeKind, nodeCycles, wireFrom, wireTo, wireKind, wireReaderWaits, wireWriterWaits } = p.c;
    const kernels = [...nodeName.keys()].filter((i) => p.name(nodeKind[i]) === 'kernel');
    const top = largestOf(kernels, (i) => nodeCycles[i]);
    const waits = (i) => wireReaderWaits[i] + wireWriterWaits[i];
    const worst = largestOf([...wireFrom.keys()], waits);
    if (top === null) return null;
    const room = worst !== null && wireWriterWaits[worst] > wireReaderWaits[worst];
    return parts(
        nodeCycles[top] && running(p)
            ? `${quote(p.name(nodeName[top]))} works ${share(nodeCycles[top] / p.totals.cycles)} of the time, the most of ${several(kernels.length, 'kernel')}.`
            : `${several(kernels.length, 'kernel')}, whose cycles were not counted.`,
        worst !== null &&
            (waits(worst)
                ? `Most waiting is at the ${p.name(wireKind[worst])} from ${quote(p.name(nodeName[wireFrom[worst]]))} to ${quote(p.name(nodeName[wireTo[worst]]))}: ${count(waits(worst))} cycles${room ? ', of the writer for room' : ', of the reader for data'} mostly.`
                : 'None waited for another.'),
    );
}

const ASKED = {
    graph: ['Who sets the pace, and who waits?', whoSetsThePace],
    summary: ['Where does the time go?', whereTimeGoes],
    'memory tiles': ['Which is full, and of what?', whoIsFull],
    'memory map': ['What lies where?', whatLiesWhere],
    'memory variables': ['Which variables are large?', largeVariables],
    'memory vertices': ['What do kernels take?', kernelBytes],
    'memory liveness': ['When is most needed?', whenMostIsNeeded],
    'program tree': ['Which part takes the time?', whichPart],
    'program names': ['Which name takes the time?', whichName],
    'time line': ['What ran when?', whatRan],
    'time tiles': ['Is the work even?', howEven],
    'time grid': ['Where is the work?', whereOnTheChip],
    'time waits': ['Who waits for whom?', whoWaits],
    'kernels kinds': ['Which takes the cycles?', whichKernel],
    'kernels lines': ['Which line takes the cycles?', whichLine],
    motion: ['What moves, and who waits?', whatMoves],
    compare: ['What changed?', whatChanged],
};

// Below the tabs of a view, above its charts.
export function withAnswer(elements, view, tab, p, report) {
    const [question, answer] = ASKED[tab ? `${view} ${tab}` : view] ?? [];
    const text = answer?.(p, report);
    if (!text) return elements;
    const element = h('p', { class: 'answer' }, h('strong', {}, question), ` ${capital(text)}`);
    const after = elements[0]?.classList?.contains('tabs') ? 1 : 0;
    return [...elements.slice(0, after), element, ...elements.slice(after)];
}
