// node bench.mjs REPORT.html: first paint of a large report, and how long its interactions take in headless Chromium.
import { chromium, close, open, ready, shoot, show } from './test/browser.mjs';

if (!chromium) {
    console.log('Chromium is not installed: nothing measured in a browser (./dev setup web)');
    process.exit(0);
}
const page = await open(process.argv[2]);
await ready(page);
const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1);
const shown = await page.evaluate(() => window.tilewright.ready);
let missed = paint > 2000;
const line = (title, value, limit) =>
    console.log(`${title.padEnd(34)} ${value.toFixed(0).padStart(6)} ms${limit ? `  (limit ${limit})` : ''}`);
line('first paint', paint, 2000);
line('data decoded, first view drawn', shown);

// The time until the page has reacted and could draw: script and layout of the action itself.
async function measure(title, action, limit = 100) {
    const times = [];
    for (let i = 0; i < 3; i++) times.push(await page.evaluate(action));
    const best = Math.min(...times);
    line(title, best, limit);
    missed ||= limit && best > limit;
}
for (const [view, hash] of [
    ['Memory', '#view=memory'],
    ['Time', '#view=time'],
    ['Time by tile', '#view=time&tab=tiles'],
    ['Grid', '#view=time&tab=grid'],
    ['Program', '#view=program'],
    ['Kernels', '#view=kernels'],
    ['Variables', '#view=memory&tab=variables'],
]) {
    await show(page, '#view=summary');
    const begin = Date.now();
    await show(page, hash);
    line(`open ${view}`, Date.now() - begin - 30);
}
await show(page, '#view=memory');
const zoom = (id) =>
    `(() => { const t = performance.now(); const c = document.querySelector('[data-chart=${id}]'); c.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true })); void c.offsetHeight; return performance.now() - t; })()`;
await measure('zoom bars of 23,552 tiles', zoom('memory-tiles'));
await show(page, '#view=time');
await measure('zoom 100,000 steps', zoom('timeline'));
const table = (name, code) =>
    `(() => { const t = performance.now(); const x = document.querySelector('[data-table=${name}]'); ${code}; void x.offsetHeight; return performance.now() - t; })()`;
await measure('sort 100,000 steps', table('steps', "x.querySelectorAll('[role=columnheader]')[2].click()"));
await measure(
    'scroll 100,000 steps',
    table('steps', "x.scrollTop = x.scrollTop > 1e6 ? 0 : 1.3e6; x.dispatchEvent(new Event('scroll'))"),
);
await measure(
    'filter 100,000 steps',
    '(() => { const t = performance.now(); window.tilewright.tables.steps.search(String(Math.floor(Math.random() * 99))); return performance.now() - t; })()',
);
await measure(
    'hide search',
    "(() => { const t = performance.now(); window.tilewright.tables.steps.search(''); return performance.now() - t; })()",
);
await show(page, '#view=memory&tab=variables');
await measure(
    'sort 100,000 variables by bytes',
    table('variables', "x.querySelectorAll('[role=columnheader]')[1].click()"),
);
await shoot(page, 'bench-variables', false);
for (const wrong of await page.wrongs()) console.log(wrong);
await close();
process.exit(missed ? 1 : 0);
