// SPDX-License-Identifier: MIT
import js from '@eslint/js';
import globals from 'globals';

export default [
    { ignores: ['dist/', 'node_modules/', 'shots/'] },
    js.configs.recommended,
    {
        rules: {
            eqeqeq: 'error',
            'no-var': 'error',
            'prefer-const': 'error',
            // Names in a profile come from anywhere: text only ever gets into the page as text.
            'no-restricted-properties': [
                'error',
                ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'writeln'].map((property) => ({
                    property,
                    message: 'use textContent: no markup from data',
                })),
            ],
        },
    },
    { files: ['src/**'], languageOptions: { globals: globals.browser } },
    { files: ['*.mjs', '*.js', 'test/**'], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
