// SPDX-License-Identifier: MIT
// A picture that a view draws itself, where charts would be too slow: a canvas that is drawn again when its size or the
// colours change, as charts are. spec: id, title, describe() → words, height(width), draw(pen, width, height, colours),
// keys: what they do, point(x, y): a click, figures → what tests compare.
import { colours, enlist, registry } from './chart.js';
import { h } from './dom.js';

export function drawing(spec) {
    const canvas = h('canvas');
    const box = h(
        'div',
        {
            class: 'chart drawing',
            role: 'img',
            tabindex: '0',
            'data-chart': spec.id,
            'aria-label': `${spec.title}. ${spec.describe?.() ?? ''}`,
        },
        canvas,
    );
    const self = {
        element: box,
        spec,
        instance: null,
        draw() {
            const width = box.clientWidth;
            if (!self.instance || !width) return;
            const height = Math.round(spec.height(width));
            const sharp = window.devicePixelRatio || 1;
            box.style.height = `${height}px`;
            if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
                canvas.width = Math.round(width * sharp);
                canvas.height = Math.round(height * sharp);
                canvas.style.width = `${width}px`;
                canvas.style.height = `${height}px`;
            }
            const pen = canvas.getContext('2d');
            pen.setTransform(sharp, 0, 0, sharp, 0, 0);
            pen.clearRect(0, 0, width, height);
            spec.draw(pen, width, height, colours());
            registry[spec.id] = spec.figures?.() ?? null;
        },
        start() {
            self.instance = {};
            self.draw();
        },
        resize: () => self.draw(),
        dispose() {
            self.instance = null;
            spec.end?.();
        },
    };
    canvas.addEventListener('click', (event) => spec.point?.(event.offsetX, event.offsetY));
    box.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !spec.keys?.[event.key]) return;
        event.preventDefault();
        event.stopPropagation();
        spec.keys[event.key]();
    });
    enlist(self);
    return self;
}
