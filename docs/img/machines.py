# SPDX-License-Identifier: MIT
"""Draws the figures of docs/four-machines.md: python3 docs/img/machines.py, run in docs/img. Standard library only.

Numbers of cores and bytes are those of `tilewright info targets` (src/core/tile/arch.c)."""

FILL = {"core": "#cfe3f7", "memory": "#d8efd3", "move": "#fde3b8", "none": "#ffffff"}


class Figure:
    def __init__(self, name, width, height, title):
        self.name, self.width, self.height, self.parts = name, width, height, []
        self.text(12, 22, title, size=14, bold=True, anchor="start")

    def rect(self, x, y, w, h, kind, label="", sub=""):
        box = f'x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"'
        self.parts.append(f'<rect {box} fill="{FILL[kind]}" stroke="#333"/>')
        if label:
            self.text(x + w / 2, y + h / 2 + (-2 if sub else 4), label)
        if sub:
            self.text(x + w / 2, y + h / 2 + 13, sub, size=10)

    def text(self, x, y, text, size=12, bold=False, anchor="middle"):
        weight = ' font-weight="bold"' if bold else ""
        place = f'x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"'
        self.parts.append(f'<text {place}{weight} fill="#111">{text}</text>')

    def arrow(self, *points, both=False):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        start = ' marker-start="url(#head)"' if both else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="#333" marker-end="url(#head)"{start}/>')

    def save(self):
        # A white ground of its own, so that the figure reads the same on a dark page.
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif" role="img">\n'
                '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
                'orient="auto-start-reverse"><path d="M0,0 L10,5 L0,10 z" fill="#333"/></marker></defs>\n'
                f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>\n')
        with open(f"machine-{self.name}.svg", "w", encoding="utf-8") as out:
            out.write(head + "\n".join(self.parts) + "\n</svg>\n")


def ipu():
    f = Figure("ipu", 640, 210, "IPU: tiles around an exchange")
    for i, x in enumerate((20, 170, 320, 490)):
        f.rect(x, 40, 130, 40, "core", f"tile {i if i < 3 else 1471}", "6 workers")
        f.rect(x, 80, 130, 34, "memory", "624 KB")
        f.arrow((x + 65, 114), (x + 65, 146), both=True)
    f.text(470, 82, "...")
    f.rect(20, 146, 600, 34, "move", "exchange: all tiles at once, between two computations; planned by the compiler")
    f.text(12, 200, "compute | sync | exchange | compute | sync | exchange ...", size=11, anchor="start")
    f.save()


def wse():
    f = Figure("wse", 640, 270, "WSE: a grid of small computers with routers")
    for row in range(2):
        for column in range(3):
            x, y = 30 + 205 * column, 40 + 106 * row
            f.rect(x, y, 60, 40, "move", "router")
            f.rect(x + 62, y + 50, 80, 22, "core", "PE")
            f.rect(x + 62, y + 72, 80, 22, "memory", "48 KB")
            f.arrow((x + 36, y + 40), (x + 36, y + 62), (x + 62, y + 62), both=True)
            if column < 2:
                f.arrow((x + 60, y + 20), (x + 205, y + 20), both=True)
            if row == 0:
                f.arrow((x + 14, y + 40), (x + 14, y + 106), both=True)
    f.text(12, 260, "a color is a route through routers; a task runs when a wavelet of its color arrives", size=11,
           anchor="start")
    f.save()


def aie():
    f = Figure("aie", 640, 230, "AI Engine: cores that reach their neighbours' memory")
    for i, x in enumerate((20, 230, 440)):
        f.rect(x, 58, 80, 56, "core", "core", "kernel")
        f.rect(x + 100, 58, 80, 56, "memory", "32 KB", "windows")
        f.arrow((x + 80, 86), (x + 100, 86), both=True)
        if i < 2:
            f.arrow((x + 180, 86), (x + 210, 86), both=True)
            f.arrow((x + 60, 58), (x + 60, 44), (x + 230, 44), (x + 230, 58))
            f.text(x + 145, 40, "cascade", size=10)
        f.arrow((x + 40, 114), (x + 40, 156), both=True)
    f.rect(20, 156, 600, 34, "move", "streams: from kernel to kernel, to and from the edge of the array")
    f.text(12, 214, "a kernel runs when its input window is full and its output window is free", size=11,
           anchor="start")
    f.save()


def ascend():
    f = Figure("ascend", 640, 230, "Ascend: a core with large memories, moved by instructions")
    f.rect(20, 40, 600, 34, "move", "global memory (and other cores' data)")
    f.rect(60, 110, 150, 40, "memory", "vector memory", "192 KiB (A5: 256)")
    f.rect(300, 110, 120, 40, "memory", "L1", "512 KiB")
    f.rect(470, 110, 120, 40, "memory", "L0A, L0B, L0C", "64, 64, 128 KiB")
    f.rect(60, 170, 150, 30, "core", "vector pipe")
    f.rect(470, 170, 120, 30, "core", "cube pipe")
    f.arrow((100, 74), (100, 110))
    f.text(76, 96, "TLOAD", size=10)
    f.arrow((170, 110), (170, 74))
    f.text(200, 96, "TSTORE", size=10)
    f.arrow((360, 74), (360, 110))
    f.text(388, 96, "TLOAD", size=10)
    f.arrow((420, 130), (470, 130))
    f.text(445, 124, "TMOV", size=10)
    f.arrow((530, 110), (530, 74))
    f.text(560, 96, "TSTORE", size=10)
    f.arrow((135, 150), (135, 170), both=True)
    f.arrow((530, 150), (530, 170), both=True)
    f.text(12, 220, "each arrow is a pipe of its own; flags say who waits for whom", size=11, anchor="start")
    f.save()


ipu()
wse()
aie()
ascend()
