// SPDX-License-Identifier: MIT
// node test/shoot.mjs REPORT.html NAME HASH...: pictures of a report, for docs and for looking at. HASH may end in
// "!dark". Without one: the top of any page, WIDTHxHEIGHT in SIZE.
import { chromium, close, open, ready, shoot } from './browser.mjs';

const [file, name, ...hashes] = process.argv.slice(2);
if (!chromium) throw new Error('no Chromium: ./dev setup web');
for (const full of hashes) {
    const [hash, dark] = full.split('!');
    const page = await open(file, { hash, dark: Boolean(dark) });
    await ready(page);
    const parts = new URLSearchParams(hash.slice(1));
    await shoot(
        page,
        [name, parts.get('view'), parts.get('tab'), dark].filter(Boolean).join('-'),
        process.env.FULL !== '0',
    );
    for (const wrong of await page.wrongs()) console.error(`${full}: ${wrong}`);
    await page.close();
}
if (!hashes.length) {
    const [width, height] = (process.env.SIZE ?? '1280x800').split('x').map(Number);
    await shoot(await open(file, { width, height }), name, false);
}
await close();
