// SPDX-License-Identifier: MIT
// Motion: a grid of tiles over time. Each cell has the colour of what it does or waits for, links carry words of their
// color, routes can be drawn over it; a cell that is chosen says what it did in the stretch that is shown.
import { KIND_COLOURS } from '../chart.js';
import { drawing } from '../drawing.js';
import { announce, h } from '../dom.js';
import { bytes, capital, count, part } from '../format.js';
import { SIDES, colourOf, connectionsOf, motionOf, routesOf, statesOver } from '../motion.js';
import { go } from '../state.js';
import { table } from '../table.js';
import { withAnswer } from './answers.js';
import { intervalsOf } from './spans.js';
import { absent, fidelity, legend, panel, timeFidelity } from './parts.js';

const STEP = { west: [-1, 0], east: [1, 0], south: [0, 1], north: [0, -1] };
const RAMP = 16;
const LARGE = 30; // pixels of a cell from which on arrows have heads, and names are written
const SPEEDS = [1, 4, 15, 60]; // frames a second

// Places in a picture of the grid.
function layoutOf(cells, width, height) {
    const left = 26;
    const size = Math.max(1, Math.min((width - left - 6) / cells.columns, (height - 24) / cells.rows, 110));
    const box = size > 5 ? size * 0.54 : size;
    return {
        size,
        box,
        left,
        x: (cell) => left + ((cell % cells.columns) + 0.5) * size,
        y: (cell) => 4 + (Math.floor(cell / cells.columns) + 0.5) * size,
        at(px, py) {
            const column = Math.floor((px - left) / size);
            const row = Math.floor((py - 4) / size);
            const cell = row * cells.columns + column;
            return column >= 0 && column < cells.columns && row >= 0 && row < cells.rows && cells.tile[cell] >= 0
                ? cell
                : -1;
        },
    };
}

function drawAxes(pen, cells, place, colours) {
    pen.fillStyle = colours.muted;
    pen.font = '11px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    const every = Math.max(1, Math.ceil(24 / place.size));
    for (let x = 0; x < cells.columns; x += every)
        pen.fillText(String(cells.x + x * cells.block), place.x(x), 6 + cells.rows * place.size);
    pen.textAlign = 'right';
    pen.textBaseline = 'middle';
    for (let y = 0; y < cells.rows; y += every)
        pen.fillText(String(cells.y + y * cells.block), place.left - 4, place.y(y * cells.columns));
}

// Cells of one state and one of four strengths in one go: a fill for each cell would take most of a frame.
function drawCells(pen, motion, frame, place, colours) {
    const { cells } = motion;
    const groups = new Map();
    for (let cell = 0; cell < cells.count; cell++) {
        if (cells.tile[cell] < 0) continue;
        const key = frame.state[cell] ? frame.state[cell] * 4 + Math.min(3, Math.floor(frame.share[cell] * 4)) : 0;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(cell);
    }
    for (const [key, list] of groups) {
        pen.fillStyle = key ? motion.states[key >> 2].colour : colours.line;
        pen.globalAlpha = key ? [0.35, 0.55, 0.8, 1][key & 3] : 0.5;
        pen.beginPath();
        for (const cell of list)
            pen.rect(place.x(cell) - place.box / 2, place.y(cell) - place.box / 2, place.box, place.box);
        pen.fill();
    }
    pen.globalAlpha = 1;
}

function head(pen, x, y, dx, dy, size) {
    pen.moveTo(x, y);
    pen.lineTo(x - dx * size - dy * size * 0.6, y - dy * size - dx * size * 0.6);
    pen.lineTo(x - dx * size + dy * size * 0.6, y - dy * size + dx * size * 0.6);
    pen.closePath();
}

// From the edge of a cell to that of its neighbour; the two directions run beside each other.
function drawLinks(pen, motion, frame, place, color) {
    const { cells } = motion;
    const groups = new Map();
    for (let at = 0; at < frame.link.length; at++) {
        if (!frame.link[at] || (color >= 0 && frame.color[at] !== color)) continue;
        const level = Math.min(3, Math.floor(4 * Math.sqrt(frame.link[at] / motion.capacity)));
        const key = frame.color[at] * 4 + level;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(at);
    }
    const gap = place.size - place.box;
    for (const [key, list] of groups) {
        const colour = colourOf(key >> 2);
        const wide = Math.max(1, (place.size * (1 + (key & 3))) / 34);
        pen.strokeStyle = pen.fillStyle = colour;
        pen.lineWidth = wide;
        pen.beginPath();
        const heads = [];
        for (const at of list) {
            const cell = at >> 2;
            const [dx, dy] = STEP[SIDES[at & 3]];
            const off = place.box * 0.2;
            const x = place.x(cell) + (dx * place.box) / 2 - dy * off;
            const y = place.y(cell) + (dy * place.box) / 2 + dx * off;
            const long = cells.block > 1 || place.box === place.size ? gap / 2 || place.size / 2 : gap;
            pen.moveTo(x, y);
            pen.lineTo(x + dx * long, y + dy * long);
            if (place.size >= LARGE) heads.push([x + dx * long, y + dy * long, dx, dy]);
        }
        pen.stroke();
        pen.beginPath();
        for (const [x, y, dx, dy] of heads) head(pen, x, y, dx, dy, wide + 4);
        pen.fill();
    }
}

// A route comes to the middle of a cell from its sides and leaves it by others; a dot is the tile itself.
function drawRoutes(pen, motion, routes, place, chosen) {
    const list = [...routes].filter(([color]) => chosen === 'all' || String(color) === chosen);
    list.forEach(([color, { from, to }], k) => {
        const off = (k - (list.length - 1) / 2) * Math.min(3, (place.size * 0.5) / Math.max(1, list.length));
        pen.strokeStyle = pen.fillStyle = colourOf(color);
        pen.lineWidth = Math.max(1, Math.min(2.5, place.size / 16));
        pen.beginPath();
        const dots = [];
        const heads = [];
        for (let cell = 0; cell < from.length; cell++) {
            const x = place.x(cell) + off;
            const y = place.y(cell) + off;
            SIDES.forEach((side, bit) => {
                const [dx, dy] = STEP[side];
                for (const [mask, out] of [
                    [from, false],
                    [to, true],
                ]) {
                    if (!((mask[cell] >> bit) & 1)) continue;
                    pen.moveTo(x, y);
                    pen.lineTo(x + (dx * place.size) / 2, y + (dy * place.size) / 2);
                    if (out) heads.push([x + (dx * place.size) / 2, y + (dy * place.size) / 2, dx, dy]);
                }
            });
            if ((from[cell] | to[cell]) & RAMP) dots.push([x, y, Boolean(to[cell] & RAMP)]);
        }
        pen.stroke();
        pen.beginPath();
        if (place.size >= LARGE / 2)
            for (const [x, y, dx, dy] of heads) head(pen, x, y, dx, dy, Math.min(7, place.size / 6));
        pen.fill();
        for (const [x, y, into] of dots) {
            pen.beginPath();
            pen.arc(x, y, Math.max(1, Math.min(4, place.size / 9)), 0, 2 * Math.PI);
            if (into) pen.fill();
            else pen.stroke();
        }
    });
}

// A window, a stream or a lock of the tile holds something.
function drawHeld(pen, frame, place) {
    const side = place.box / 4;
    pen.fillStyle = KIND_COLOURS.exchange;
    for (const cell of frame.held)
        pen.fillRect(place.x(cell) - place.box / 2, place.y(cell) - place.box / 2, side, side);
}

function drawArrows(pen, motion, frame, place) {
    for (const [from, to, state] of frame.arrows) {
        const [x, y] = [place.x(from), place.y(from)];
        const [dx, dy] = [place.x(to) - x, place.y(to) - y];
        const long = Math.hypot(dx, dy) || 1;
        pen.strokeStyle = pen.fillStyle = motion.states[state].colour;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x + dx, y + dy);
        pen.stroke();
        pen.beginPath();
        const reach = 1 - Math.min(0.4, place.box / 2 / long);
        head(pen, x + dx * reach, y + dy * reach, dx / long, dy / long, 8);
        pen.fill();
    }
}

// Who sends to whom, beside each other where both send.
function drawConnections(pen, connections, place, colours) {
    pen.strokeStyle = pen.fillStyle = colours.accent;
    pen.lineWidth = 1.5;
    for (const [from, to] of connections) {
        const [dx, dy] = [place.x(to) - place.x(from), place.y(to) - place.y(from)];
        const long = Math.hypot(dx, dy) || 1;
        const [ux, uy] = [dx / long, dy / long];
        const near = Math.min(long / 3, place.box / 2);
        const [x, y] = [place.x(from) + ux * near - uy * 4, place.y(from) + uy * near + ux * 4];
        const [endX, endY] = [place.x(to) - ux * near - uy * 4, place.y(to) - uy * near + ux * 4];
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(endX, endY);
        pen.stroke();
        pen.beginPath();
        head(pen, endX, endY, ux, uy, 6);
        pen.fill();
    }
}

function outline(pen, place, cell, colour, wide) {
    pen.strokeStyle = colour;
    pen.lineWidth = wide;
    const side = place.size > 5 ? place.box + 4 : place.size;
    pen.strokeRect(place.x(cell) - side / 2, place.y(cell) - side / 2, side, side);
}

// The most cells that do something or wait at once: the strip is as high, so that few tiles of many are seen too.
function mostBusy(motion) {
    const sums = statesOver(motion);
    const states = motion.states.length;
    let most = 1;
    for (let at = 0; at < sums.length; at += states)
        most = Math.max(
            most,
            sums.subarray(at + 1, at + states).reduce((sum, n) => sum + n, 0),
        );
    return most;
}

// How many cells are in which state, frame after frame, above the control that chooses one.
function drawStrip(pen, width, height, motion, k, all, colours) {
    const sums = statesOver(motion);
    const states = motion.states.length;
    const wide = width / motion.frames;
    for (let x = 0; x < width; x++) {
        const frame = Math.min(motion.frames - 1, Math.floor((x * motion.frames) / width));
        let y = height;
        for (let s = 1; s < states; s++) {
            const tall = (height * sums[frame * states + s]) / all;
            pen.fillStyle = motion.states[s].colour;
            pen.fillRect(x, y - tall, 1, tall);
            y -= tall;
        }
    }
    pen.fillStyle = colours.text;
    pen.fillRect(Math.min(width - 2, (k + 0.5) * wide - 1), 0, 2, height);
}

function stuckTable(p, choose) {
    const { stuckTile, stuckText } = p.c;
    return table({
        id: 'stuck',
        caption: 'What was left when the run ended early',
        count: stuckTile.length,
        most: 10,
        select: (i) => choose(stuckTile[i]),
        columns: [
            { title: capital(p.tileWord), value: (i) => p.tileName(stuckTile[i]), width: '130px' },
            { title: 'Waits', value: (i) => p.name(stuckText[i]), whole: true },
        ],
    });
}

function motionParts(p, state) {
    const motion = motionOf(p);
    if (!motion)
        return [
            absent(
                `What every ${p.tileWord} did when is absent: wafers record it with --report, AI Engine arrays and PTO cores by themselves; Time shows what ran when.`,
            ),
        ];
    const { cells } = motion;
    const routes = routesOf(p, cells);
    const connections = routes.size ? [] : connectionsOf(p, cells);
    const stuck = new Set(Array.from(p.c.stuckTile, (t) => cells.ofTile[t]).filter((cell) => cell >= 0));
    let k = Math.min(
        motion.frames - 1,
        Math.max(
            0,
            Math.floor(Number(state.at ?? (stuck.size ? motion.frames * motion.stretch : 0)) / motion.stretch),
        ),
    );
    if (!(k >= 0)) k = 0;
    let tile = cells.ofTile[Number(state.tile ?? -1)] >= 0 ? Number(state.tile) : -1;
    let route = state.route ?? '';
    let frame = motion.frame(k);
    let place = null;
    let playing = 0;
    let speed = 15;

    const when = h('output', { class: 'note' });
    const shownCells = cells.tile.reduce((n, t) => n + (t >= 0), 0);
    const detail = h('div', { class: 'detail' });
    const slider = h('input', {
        type: 'range',
        min: '0',
        max: String(motion.frames - 1),
        step: '1',
        value: String(k),
        'aria-label': 'Time',
        class: 'scrub',
    });
    const button = h('button', { type: 'button', class: 'play' }, '▶ Play');

    const words = (cell) => {
        const what = motion.states[frame.state[cell]];
        return `${cells.name(cell)}: ${what.label}${frame.state[cell] ? `, ${part(frame.share[cell])} of the time shown` : ''}`;
    };
    // Routes are the same in every frame: drawn once for each size and choice.
    let layer = null;
    const layerOf = (width, height, colours) => {
        const key = `${width} ${height} ${route} ${colours.accent} ${window.devicePixelRatio}`;
        if (layer?.key === key) return layer.canvas;
        const canvas = h('canvas');
        const sharp = window.devicePixelRatio || 1;
        canvas.width = Math.round(width * sharp);
        canvas.height = Math.round(height * sharp);
        const pen = canvas.getContext('2d');
        pen.scale(sharp, sharp);
        if (routes.size) drawRoutes(pen, motion, routes, place, route);
        else drawConnections(pen, connections, place, colours);
        layer = { key, canvas };
        return canvas;
    };
    const picture = drawing({
        id: 'motion',
        title: `What every ${p.tileWord} does`,
        describe: () =>
            `${count(p.tiles)} ${p.tileWord}s in ${cells.columns} columns and ${cells.rows} rows${cells.block > 1 ? ` of ${cells.block} × ${cells.block}` : ''}. Arrow keys choose one.`,
        height: (width) => Math.min(680, cells.rows * Math.min(110, (width - 32) / cells.columns) + 26),
        draw(pen, width, height, colours) {
            place = layoutOf(cells, width, height);
            drawAxes(pen, cells, place, colours);
            drawCells(pen, motion, frame, place, colours);
            if (frame.link) drawLinks(pen, motion, frame, place, route && route !== 'all' ? Number(route) : -1);
            if (route) pen.drawImage(layerOf(width, height, colours), 0, 0, width, height);
            drawHeld(pen, frame, place);
            drawArrows(pen, motion, frame, place);
            for (const cell of stuck) outline(pen, place, cell, colours.bad, 2);
            if (tile >= 0) outline(pen, place, cells.ofTile[tile], colours.text, 2);
        },
        figures: () => ({
            frames: motion.frames,
            stretch: motion.stretch,
            frame: k,
            held: frame.held,
            states: Array.from(frame.state, (s) => motion.states[s].label),
            link: frame.link && Array.from(frame.link),
            color: frame.color && Array.from(frame.color),
            arrows: frame.arrows,
            playing: Boolean(playing),
            place: place && [place.left, place.size],
        }),
        point(x, y) {
            const cell = place.at(x, y);
            if (cell >= 0) choose(cells.tile[cell]);
        },
        keys: {
            ArrowLeft: () => step(-1, 0),
            ArrowRight: () => step(1, 0),
            ArrowUp: () => step(0, -1),
            ArrowDown: () => step(0, 1),
        },
        end: () => stop(),
    });
    const most = mostBusy(motion);
    const strip = drawing({
        id: 'motion-strip',
        title: `${p.tileWord}s at work and waiting over time`,
        describe: () =>
            `${motion.frames} stretches of ${count(Math.round(motion.stretch))} cycles; its height is ${count(most)} ${cells.block > 1 ? 'block' : p.tileWord}${most === 1 ? '' : 's'}, the most at once.`,
        height: () => 46,
        draw: (pen, width, height, colours) => drawStrip(pen, width, height, motion, k, most, colours),
        figures: () => ({ most }),
        point: (x) => show(Math.floor((x / strip.element.clientWidth) * motion.frames), true),
        keys: { ArrowLeft: () => show(k - 1, true), ArrowRight: () => show(k + 1, true) },
    });

    function tell() {
        const from = Math.floor(k * motion.stretch);
        const to = Math.ceil((k + 1) * motion.stretch);
        const waiting = frame.state.reduce((n, s) => n + (s > 0 && !motion.states[s].works), 0);
        const working = frame.state.reduce((n, s) => n + (s > 0 && Boolean(motion.states[s].works)), 0);
        when.textContent = `cycles ${count(from)} to ${count(to)}: of ${count(shownCells)} ${cells.block > 1 ? 'block' : p.tileWord}${shownCells === 1 ? '' : 's'} ${count(working)} work${working === 1 ? 's' : ''}, ${count(waiting)} wait${waiting === 1 ? 's' : ''}`;
        slider.value = String(k);
        slider.setAttribute('aria-valuetext', when.textContent);
    }
    function show(next, kept) {
        k = Math.min(motion.frames - 1, Math.max(0, next));
        frame = motion.frame(k);
        tell();
        picture.draw();
        strip.draw();
        if (tile >= 0) about();
        if (kept) go({ at: String(Math.floor(k * motion.stretch)) }, { replace: true });
    }
    function choose(next) {
        tile = next;
        announce(words(cells.ofTile[tile]));
        picture.draw();
        about();
        go({ tile: String(tile) }, { replace: true });
    }
    function step(dx, dy) {
        const cell = tile >= 0 ? cells.ofTile[tile] : 0;
        const x = Math.min(cells.columns - 1, Math.max(0, (cell % cells.columns) + (tile >= 0 ? dx : 0)));
        const y = Math.min(cells.rows - 1, Math.max(0, Math.floor(cell / cells.columns) + (tile >= 0 ? dy : 0)));
        const next = y * cells.columns + x;
        if (cells.tile[next] >= 0) choose(cells.tile[next]);
    }
    function about() {
        const cell = cells.ofTile[tile];
        const rows = motion.about(cell, k);
        const [from, to] = [k * motion.stretch, (k + 1) * motion.stretch];
        const line = (...cellsOf) =>
            h(
                'tr',
                {},
                cellsOf.map((x) => h('td', {}, x)),
            );
        const dot = (color) => {
            const mark = h('i', { class: 'dot' });
            mark.style.background = colourOf(color);
            return [mark, ` color ${color}`];
        };
        const ran = motion.p ? [] : intervalsOf(p, tile, from, to, 12);
        const own = Array.from(p.c.routeTile.keys()).filter((i) => cells.ofTile[p.c.routeTile[i]] === cell);
        const sides = (mask) => [...SIDES, p.tileWord].filter((_, bit) => (mask >> bit) & 1).join(', ') || 'nowhere';
        const linked = connections.filter(([from, to]) => from === cell || to === cell).slice(0, 12);
        const left = Array.from(p.c.stuckTile.keys()).filter((i) => cells.ofTile[p.c.stuckTile[i]] === cell);
        const parts = [
            h('h3', {}, words(cell)),
            rows.length
                ? h(
                      'table',
                      { class: 'motion-facts' },
                      rows.map(([what, color, amount, unit]) =>
                          line(
                              what,
                              color >= 0 ? dot(color) : '',
                              `${count(Math.round(amount))} ${Math.round(amount) === 1 ? unit.slice(0, -1) : unit}`,
                          ),
                      ),
                  )
                : h('p', { class: 'note' }, 'Nothing in this stretch of time.'),
            ran.length ? h('h4', {}, 'Tasks and operations at that time') : null,
            ran.length
                ? h(
                      'table',
                      { class: 'motion-facts' },
                      ran.map(([lane, what, begin, end, source]) =>
                          line(lane, what, `cycles ${count(begin)} to ${count(end)}`, source),
                      ),
                  )
                : null,
            own.length && cells.block === 1 ? h('h4', {}, 'Routes, as set at the start') : null,
            own.length && cells.block === 1
                ? h(
                      'table',
                      { class: 'motion-facts' },
                      own.map((i) =>
                          line(
                              dot(p.c.routeColor[i]),
                              `from ${sides(p.c.routeFrom[i])}`,
                              `to ${sides(p.c.routeTo[i])}`,
                          ),
                      ),
                  )
                : null,
            linked.length ? h('h4', {}, 'Sends and receives in all') : null,
            linked.length
                ? h(
                      'table',
                      { class: 'motion-facts' },
                      linked.map(([from, to, i]) =>
                          line(
                              from === cell ? `to ${cells.name(to)}` : `from ${cells.name(from)}`,
                              p.c.pairName[i] ? p.name(p.c.pairName[i]) : '',
                              bytes(p.c.pairBytes[i]),
                          ),
                      ),
                  )
                : null,
            left.length ? h('h4', {}, 'When the run ended') : null,
            left.length
                ? h(
                      'ul',
                      {},
                      left.map((i) => h('li', {}, p.name(p.c.stuckText[i]))),
                  )
                : null,
        ];
        detail.replaceChildren(...parts.filter(Boolean));
    }

    function stop() {
        cancelAnimationFrame(playing);
        playing = 0;
        button.textContent = '▶ Play';
    }
    function play() {
        let last = performance.now();
        let due = 0;
        button.textContent = '❚❚ Pause';
        if (k === motion.frames - 1) show(0, false);
        const tick = (now) => {
            due += ((now - last) * speed) / 1000;
            last = now;
            const frames = Math.min(Math.floor(due), motion.frames - 1 - k);
            due -= Math.floor(due);
            if (frames) show(k + frames, false);
            if (k >= motion.frames - 1) {
                stop();
                picture.draw();
                return;
            }
            playing = requestAnimationFrame(tick);
        };
        playing = requestAnimationFrame(tick);
    }
    button.addEventListener('click', () => {
        if (playing) {
            stop();
            show(k, true);
        } else play();
    });
    slider.addEventListener('input', () => show(Number(slider.value), false));
    slider.addEventListener('change', () => show(Number(slider.value), true));
    const pick = h(
        'select',
        {
            onchange: (event) => {
                route = event.target.value;
                picture.draw();
                go({ route: route || null }, { replace: true });
            },
        },
        h('option', { value: '' }, 'none'),
        h('option', { value: 'all', selected: route === 'all' }, routes.size ? 'all colors' : 'all'),
        [...routes].map(([color, { tiles }]) =>
            h(
                'option',
                { value: String(color), selected: route === String(color) },
                `color ${color} (${count(tiles)})`,
            ),
        ),
    );
    const speeds = h(
        'select',
        { onchange: (event) => (speed = Number(event.target.value)) },
        SPEEDS.map((s) => h('option', { value: String(s), selected: s === speed }, `${s} a second`)),
    );
    const moved = [...new Set(p.c.flowColor.filter((_, i) => p.c.flowKind[i] < 4))].sort((a, b) => a - b);
    tell();
    if (tile >= 0) about();
    else
        detail.append(
            h('p', { class: 'note' }, `Click a ${p.tileWord}, or choose it with the arrow keys, for what it does.`),
        );
    picture.element.style.maxWidth = `${32 + 110 * cells.columns}px`;
    const shownStates = motion.states.filter((s) => s.colour);
    return {
        show,
        elements: [
            panel(
                h('span', {}, `What every ${p.tileWord} does `, fidelity(timeFidelity(p))),
                h(
                    'div',
                    { class: 'tools' },
                    button,
                    h('label', {}, 'Speed ', speeds),
                    routes.size || connections.length
                        ? h('label', {}, routes.size ? 'Routes ' : 'Connections ', pick)
                        : null,
                    when,
                ),
                strip.element,
                slider,
                h('div', { class: 'motion' }, picture.element, detail),
                legend([
                    ...shownStates.map((s) => [s.label, s.colour]),
                    ...(motion.holds?.some(Boolean)
                        ? [['a window, stream or lock holds data', KIND_COLOURS.exchange]]
                        : []),
                    ...moved.slice(0, 24).map((color) => [`color ${color}`, colourOf(color)]),
                ]),
                cells.block > 1
                    ? h(
                          'p',
                          { class: 'note' },
                          `One cell is a block of ${cells.block} × ${cells.block} ${p.tileWord}s, coloured by what they do most.`,
                      )
                    : null,
                p.head.motion.omitted
                    ? h(
                          'p',
                          { class: 'note' },
                          `${count(p.head.motion.omitted)} entries were left out of the profile.`,
                      )
                    : null,
            ),
            stuck.size
                ? panel(h('span', {}, 'Where it stopped ', fidelity('exact')), stuckTable(p, choose).element)
                : null,
        ].filter(Boolean),
    };
}

export function motionView(p, state, report) {
    const made = motionParts(p, state);
    if (Array.isArray(made)) return { elements: made };
    return {
        elements: withAnswer(made.elements, 'motion', null, p, report),
        change: (next, small) => small, // small ones are of this view's own making
    };
}
