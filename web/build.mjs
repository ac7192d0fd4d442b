// SPDX-License-Identifier: MIT
// node build.mjs OUT: bundles src/ into one page with places for the data. The content security policy in it names the
// checksums of its one script and its one style sheet: nothing else can run, whatever the data says.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const here = path.dirname(new URL(import.meta.url).pathname);
const out = process.argv[2] ?? path.join(here, 'dist/report.html');

async function bundle(entry, options) {
    const made = await build({
        entryPoints: [path.join(here, entry)],
        bundle: true,
        minify: true,
        write: false,
        charset: 'utf8',
        legalComments: 'none',
        target: ['es2022'],
        logLevel: 'warning',
        ...options,
    });
    return made.outputFiles[0].text.trim();
}

const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// A script ends at "</script" and changes its rules at "<!--", even inside a text.
const script = (await bundle('src/main.js', { format: 'iife' }))
    .replaceAll(/<\/script/gi, '<\\/script')
    .replaceAll('<!--', '<\\!--');
const style = (await bundle('src/style.css', {})).replaceAll('</', '<\\/');
const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(style)}`,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
].join('; ');

const notice = (await readFile(path.join(here, 'src/notice.txt'), 'utf8')).trim();
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="tilewright report">
<title><!--tilewright:title--></title>
<!-- ${notice} -->
<style>${style}</style>
</head>
<body>
<main id="app"><h1><!--tilewright:title--></h1>
<noscript><p>Without JavaScript this page shows totals and findings; charts and tables need it.</p></noscript>
<div id="static"><!--tilewright:summary--></div>
</main>
<script type="text/plain" class="tilewright-data"><!--tilewright:data--></script>
<script>${script}</script>
</body>
</html>
`;
await mkdir(path.dirname(out), { recursive: true });
await writeFile(out, page);
