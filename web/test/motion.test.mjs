// SPDX-License-Identifier: MIT
// The view of what moves: of a program whose traffic is known, and of one that never ends. Time passes by the slider; where it
// is played, the test waits for the last frame, however long that takes.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { close, open, ready, settle, show } from './browser.mjs';

const source = process.env.SOURCE ?? path.join(path.dirname(new URL(import.meta.url).pathname), '../..');
const tilewright = process.env.TILEWRIGHT ?? path.join(source, 'build/release/bin/tilewright');
const work = process.env.WORK ?? mkdtempSync(path.join(tmpdir(), 'tilewright-motion-'));
const at = (name) => path.join(work, name);

// Three PEs in a row: the first sends 30 words that the others have to be 40 of.
const LAYOUT = `
const c: color = @get_color(3);
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 3, .height = 1 });
layout {
  @set_rectangle(3, 1);
  for (@range(u16, 3)) |x| {
    @set_tile_code(x, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(x), .first = x == 0, .c = c });
    if (x == 0) { @set_color_config(x, 0, c, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } }); }
    else if (x == 2) { @set_color_config(x, 0, c, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } }); }
    else { @set_color_config(x, 0, c, .{ .routes = .{ .rx = .{WEST}, .tx = .{ RAMP, EAST } } }); }
  }
  @export_name("main", fn () void);
}`;
const PE = `
param memcpy_params;
param first: bool;
param c: color;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
var a = @zeros([40]f32);
const in_queue = @get_input_queue(2);
const out_queue = @get_output_queue(3);
const all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{40} -> a[i] });
const some = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{30} -> a[i] });
fn main() void {
  if (first) {
    @fmovs(@get_dsd(fabout_dsd, .{ .fabric_color = c, .extent = 30, .output_queue = out_queue }), some);
  } else {
    @fmovs(all, @get_dsd(fabin_dsd, .{ .fabric_color = c, .extent = 40, .input_queue = in_queue }));
  }
  sys.unblock_cmd_stream();
}
comptime {
  @initialize_queue(in_queue, .{ .color = c });
  @initialize_queue(out_queue, .{ .color = c });
  @export_symbol(main);
}`;

before(() => {
    mkdirSync(at('stuck'), { recursive: true });
    writeFileSync(at('stuck/layout.csl'), LAYOUT);
    writeFileSync(at('stuck/pe.csl'), PE);
    const args = ['csl', 'run', 'stuck/layout.csl', '--arch=wse3', '--launch', 'main', '--report', 'stuck.html'];
    const run = spawnSync(tilewright, args, { cwd: work, encoding: 'utf8' });
    assert.match(run.stderr, /deadlock/);
    const stencil = path.join(source, 'examples/csl/stencil/layout.csl');
    execFileSync(tilewright, ['csl', 'run', stencil, '--launch', 'run,2', '--report', 'moves.html'], { cwd: work });
    const array = path.join(source, 'examples/aie/cascade.c');
    execFileSync(tilewright, ['run', '--report', 'aie.html', array], { cwd: work, stdio: 'ignore' });
});
after(close);

const figures = (page) => page.evaluate(() => window.tilewright.charts.motion);
async function scrub(page, frame) {
    await page.$eval(
        '.scrub',
        (slider, to) => {
            slider.value = String(to);
            slider.dispatchEvent(new Event('input'));
            slider.dispatchEvent(new Event('change'));
        },
        frame,
    );
    return figures(page);
}

it('shows words on links, by stretch of time', async () => {
    const page = await open(at('stuck.html'), { hash: '#view=motion&at=0' });
    await ready(page);
    const first = await figures(page);
    assert.equal(first.frame, 0);
    const sums = new Array(first.link.length).fill(0);
    for (let k = 0; k < first.frames; k++) (await scrub(page, k)).link.forEach((n, i) => (sums[i] += n));
    // West, east, south, north of each of the three: the words go east, twice.
    assert.deepEqual(sums, [0, 30, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0]);
    const middle = await scrub(page, Math.floor(first.frames / 2));
    assert.ok(middle.color.some((c, i) => middle.link[i] && c === 3));
    assert.match(await page.evaluate(() => location.hash), /at=\d+/);
    const last = await scrub(page, first.frames - 1);
    assert.ok(last.states.slice(1).every((s) => s === 'waits for words' || s === 'works on data'));
    assert.match(
        await page.$eval('.answer', (a) => a.textContent),
        /ended early: 2 PEs still waited.*Color 3.*60 steps/s,
    );
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

it('says what a PE that is chosen did, its routes, and what it waits for', async () => {
    const page = await open(at('stuck.html'), { hash: '#view=motion' });
    await ready(page);
    const [left, size] = (await figures(page)).place;
    const box = await page.$('[data-chart=motion] canvas');
    await box.click({ offset: { x: left + 1.5 * size, y: 4 + 0.5 * size } });
    await settle(page);
    assert.match(await page.evaluate(() => location.hash), /tile=1/);
    const text = await page.$eval('.detail', (d) => d.innerText);
    assert.match(text, /PE 1 \(1, 0\)/);
    assert.match(text, /color 3\s+from west\s+to east, PE/);
    assert.match(text, /@fmovs at stuck\/pe\.csl:15 waits for wavelets on color 3.*30 of 40/);
    await page.focus('[data-chart=motion]');
    await page.keyboard.press('ArrowLeft');
    assert.match(await page.$eval('.detail h3', (d) => d.textContent), /PE 0 \(0, 0\)/);
    assert.match(await page.$eval('[data-table=stuck] .rows', (r) => r.textContent), /30 of 40 elements done/);
    await page.close();
});

it('says why it stopped in full on a telephone', async () => {
    const page = await open(at('stuck.html'), { width: 390, hash: '#view=motion' });
    await ready(page);
    const cells = await page.$$eval('[data-table=stuck] .rows .cell', (all) =>
        all.map((c) => [c.clientWidth, c.scrollWidth]),
    );
    assert.ok(cells.length >= 2);
    for (const [seen, needed] of cells) assert.ok(needed <= seen, `${needed} of ${seen}`);
    assert.ok(await page.$eval('[data-table=stuck]', (t) => t.scrollWidth > t.clientWidth && t.clientWidth <= 390));
    await page.close();
});

it('plays to the end, and draws a cell where its picture says', async () => {
    const page = await open(at('stuck.html'), { hash: '#view=motion&at=0' });
    await ready(page);
    const choices = await page.$$eval('.tools select option', (all) => all.map((o) => o.textContent));
    assert.deepEqual(choices.slice(-3), ['none', 'all colors', 'color 3 (3)']);
    await page.$eval('.tools select', (s) => {
        s.value = '60';
        s.dispatchEvent(new Event('change'));
    });
    await page.click('.play');
    await page.waitForFunction(() => {
        const { motion } = window.tilewright.charts;
        return motion.frame === motion.frames - 1 && !motion.playing;
    });
    assert.match(await page.$eval('.play', (b) => b.textContent), /Play/);
    // The first has done its part and is grey, the second waits, in the yellow of the legend.
    const { states, inks } = await page.evaluate(() => {
        const canvas = document.querySelector('[data-chart=motion] canvas');
        const { place, states } = window.tilewright.charts.motion;
        const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const sharp = window.devicePixelRatio;
        const ink = (cell) => {
            const [x, y] = [place[0] + (cell + 0.4) * place[1], 4 + 0.4 * place[1]];
            const i = 4 * (Math.round(y * sharp) * width + Math.round(x * sharp));
            return Array.from(data.slice(i, i + 4));
        };
        return { states, inks: [ink(0), ink(1)] };
    });
    assert.deepEqual(states.slice(0, 2), ['nothing', 'waits for words']);
    const spread = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b);
    assert.ok(spread(inks[0]) < 20 && inks[0][3] > 0, `${inks[0]}`);
    assert.ok(inks[1][0] > 200 && inks[1][1] > 200 && inks[1][2] < 130, `${inks[1]}`);
    await show(page, '#view=time');
    await show(page, '#view=motion');
    assert.ok(await page.$('[data-chart=motion] canvas'));
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

it('shows kernels of an array, who waits for whom, and which windows hold data', async () => {
    const page = await open(at('aie.html'), { hash: '#view=motion&at=0&route=all' });
    await ready(page);
    const { states, held, frames, place } = await figures(page);
    assert.equal(states.length, 2); // of 400 tiles those with kernels, and what lies between
    const seen = { works: 0, held: 0, arrows: 0 };
    for (let k = 0; k < frames; k += 8) {
        const one = await scrub(page, k);
        seen.works += one.states.includes('works');
        seen.held += one.held.length;
        seen.arrows += one.arrows.length;
        for (const [from, to] of one.arrows) assert.ok(from !== to && from < 2 && to < 2);
    }
    assert.ok(seen.works && seen.held, JSON.stringify({ seen, held, place }));
    await page.focus('[data-chart=motion]');
    await page.keyboard.press('ArrowRight');
    assert.match(
        await page.$eval('.detail', (d) => d.innerText),
        /tile 82 \(10, 2\)[^]*to tile 90 \(11, 2\)\s+cascade first half to second half\s+1\.5 KiB/,
    );
    assert.deepEqual(await page.wrongs(), []);
    await page.close();
});

it('fits a telephone', async () => {
    const page = await open(at('moves.html'), { hash: '#view=motion&tile=7', width: 390, height: 800 });
    await ready(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await page.close();
});
