# SPDX-License-Identifier: MIT
"""Draws the figures of docs/poplar-memory.md: python3 docs/img/layout.py, run in docs/img. Standard library only.

Bit positions are those of src/core/tile/layout.c and layout_list.c, memory figures those of src/core/tile/arch.c."""

FILL = {"pointer": "#cfe3f7", "count": "#fde3b8", "reserved": "#e4e4e4", "data": "#d8efd3", "none": "#ffffff", "code": "#f3d3d8"}


class Figure:
    def __init__(self, name, width, height, title):
        self.name, self.width, self.height, self.parts = name, width, height, []
        self.text(12, 22, title, size=14, bold=True, anchor="start")

    def rect(self, x, y, w, h, kind, label="", sub=""):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{FILL[kind]}" stroke="#333"/>')
        if label:
            self.text(x + w / 2, y + h / 2 + (0 if sub else 4), label)
        if sub:
            self.text(x + w / 2, y + h / 2 + 14, sub, size=10)

    def text(self, x, y, text, size=12, bold=False, anchor="middle"):
        weight = ' font-weight="bold"' if bold else ""
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{weight}>{text}</text>')

    def arrow(self, *points):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="#333" marker-end="url(#head)"/>')

    def bits(self, y, fields, label="", width=32, left=110, scale=None):
        """One word; fields from the most significant: (high, low, name, kind)."""
        scale = scale or (self.width - left - 20) / 32
        x0 = left + (32 - width) * scale
        if label:
            self.text(12, y + 20, label, anchor="start")
        for high, low, name, kind in fields:
            x = x0 + (width - 1 - high) * scale
            w = (high - low + 1) * scale
            self.rect(x, y, w, 30, kind, name if w > 20 else name[:1])
            self.text(x + 9, y - 4, str(high), size=10)
            if high != low:
                self.text(x + w - 9, y - 4, str(low), size=10)

    def save(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">\n'
                '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
                'orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#333"/></marker></defs>\n'
                f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>\n')
        with open(f"layout-{self.name}.svg", "w", encoding="utf-8") as out:
            out.write(head + "\n".join(self.parts) + "\n</svg>\n")


def cells(f, x, y, n, kind="data", label="", w=22):
    for i in range(n):
        f.rect(x + i * w, y, w, 26, kind, label)


def figure_4_1():
    f = Figure("4-1", 760, 340, "Vector<T>: what the vertex state holds (figure 4.1)")
    f.bits(56, [(31, 0, "begin", "pointer")], "ONE_PTR")
    f.bits(106, [(31, 0, "begin", "pointer")], "SPAN")
    f.bits(152, [(31, 0, "size, elements", "count")])
    f.bits(204, [(31, 21, "size", "count"), (20, 20, "R", "reserved"), (19, 0, "begin", "pointer")], "SHORT_SPAN")
    for k, (name, bits) in enumerate((("32", "[17:2]"), ("64", "[18:3]"), ("128", "[19:4]"))):
        f.text(12 + 250 * k, 272, f"SCALED_PTR{name}", anchor="start")
        f.rect(12 + 250 * k, 282, 220, 30, "pointer", f"address bits {bits}")
        f.text(22 + 250 * k, 326, "15", size=10)
        f.text(222 + 250 * k, 326, "0", size=10)
    f.save()


def nested(name, title, span):
    step = 60 if span else 30
    f = Figure(name, 760, 70 + 3 * step, title)
    f.rect(20, 50, 110, 30, "pointer", "begin")
    if span:
        f.rect(20, 80, 110, 30, "count", "size = 3")
    f.text(75, 44, "vertex state", size=10)
    f.text(300, 44, "table", size=10)
    for i, n in enumerate((8, 3, 5)):
        y = 50 + i * step
        f.rect(240, y, 120, 30, "pointer", "begin")
        if span:
            f.rect(240, y + 30, 120, 30, "count", f"size = {n}")
        cells(f, 470, y + 2, n)
        f.arrow((360, y + 15), (468, y + 15))
    f.arrow((130, 65), (238, 65))
    f.save()


def list_structure(name, title, base, table, row, note):
    f = Figure(name, 760, 220, title)
    top = 66
    f.text(100, top - 6, "vertex state", size=10)
    for i, (label, kind) in enumerate(base):
        f.rect(20, top + 30 * i, 160, 30, kind, label)
    f.text(340, top - 6, table, size=10)
    for i, n in enumerate((8, 3, 5)):
        y = top + 34 * i
        f.rect(250, y, 90, 34, "pointer", row[0])
        f.rect(340, y, 90, 34, "count", row[1])
        cells(f, 520, y + 4, n)
        f.arrow((430, y + 17), (518, y + 17))
    f.arrow((180, top + 15), (200, top + 15), (200, top - 26), (531, top - 26), (531, top + 2))
    f.arrow((180, top + 75), (215, top + 75), (215, top + 17), (248, top + 17))
    f.text(20, 200, note, size=10, anchor="start")
    f.save()


def figure_4_5():
    f = Figure("4-5", 760, 170, "DELTANELEMENTS: base structure (figure 4.5)")
    f.bits(56, [(31, 24, "count.lo", "count"), (23, 21, "R", "reserved"), (20, 0, "base address", "pointer")], "word 0")
    f.bits(112, [(31, 24, "count.hi", "count"), (23, 21, "R", "reserved"), (20, 0, "address of the table", "pointer")],
           "word 1")
    f.text(12, 164, "count = count.hi << 8 | count.lo; R is not assumed to be zero", size=10, anchor="start")
    f.save()


def figure_4_6():
    f = Figure("4-6", 760, 330, "DELTANELEMENTS: sub-vector, by alignment (figure 4.6, table 4.4)")
    for k, align in enumerate((1, 2, 4, 8, 16)):
        bits = 21 - k
        f.bits(56 + 56 * k, [(31, bits, "count", "count"), (bits - 1, 0, f"offset, {align}-byte units", "pointer")],
               f"{align} byte{'s' if align > 1 else ''}")
    f.save()


def figure_4_8():
    f = Figure("4-8", 760, 170, "DELTAN: base structure (figure 4.8)")
    f.bits(56, [(31, 20, "count", "count"), (19, 0, "base address", "pointer")], "word 0")
    f.bits(112, [(31, 16, "padding", "reserved"), (15, 0, "table, address bits [17:2]", "pointer")], "word 1")
    f.save()


def figure_4_9():
    f = Figure("4-9", 760, 110, "DELTAN: sub-vector (figure 4.9)")
    f.bits(56, [(31, 18, "count", "count"), (17, 0, "offset, bytes", "pointer")], "row")
    f.save()


def figure_7_1():
    f = Figure("7-1", 760, 250, "Which bank holds which 64-bit word (figure 7.1)")
    for x, title, words in ((30, "region 0: one bank is one element", ("0", "8", "16", "24")),
                            (400, "region 1: two banks are one element", None)):
        f.text(x, 52, title, anchor="start")
        if words:
            for i, word in enumerate(words):
                f.rect(x, 90 + i * 30, 130, 30, "data", f"a + {word}")
            f.text(x + 65, 84, "bank n", size=10)
            f.text(x + 195, 84, "bank n + 1", size=10)
            for i in range(4):
                f.rect(x + 130, 90 + i * 30, 130, 30, "none", f"a + 16384 + {8 * i}")
        else:
            f.text(x + 65, 84, "even bank (bit 3 = 0)", size=10)
            f.text(x + 195, 84, "odd bank (bit 3 = 1)", size=10)
            for i in range(4):
                f.rect(x, 90 + i * 30, 130, 30, "data", f"a + {16 * i}")
                f.rect(x + 130, 90 + i * 30, 130, 30, "data", f"a + {16 * i + 8}")
    f.text(30, 236, "Two words in one cycle must come from two banks: a and a + 8 do so only in region 1.", size=11,
           anchor="start")
    f.save()


def memory(name, title, base, banks0, banks1, start1):
    f = Figure(name, 760, 240, title)
    scale = 700 / (banks0 + banks1)
    f.text(30, 60, f"0x{base:X}", size=11, anchor="start")
    f.text(30 + banks0 * scale, 60, f"0x{start1:X}", size=11, anchor="start")
    end = start1 + banks1 * 16384 - 1
    f.text(730, 60, f"0x{end:X}", size=11, anchor="end")
    for i in range(banks0):
        f.rect(30 + i * scale, 70, scale, 70, "code", str(i))
    for i in range(banks1 // 2):
        f.rect(30 + (banks0 + 2 * i) * scale, 70, 2 * scale, 70, "data", str(banks0 + i))
    f.text(30 + banks0 * scale / 2, 165, f"region 0: {banks0 * 16} KB, {banks0} elements of 16 KB")
    f.text(30 + banks0 * scale / 2, 182, "code and data", size=11)
    f.text(30 + (banks0 + banks1 / 2) * scale, 165, f"region 1: {banks1 * 16} KB, {banks1 // 2} elements of 32 KB")
    f.text(30 + (banks0 + banks1 / 2) * scale, 182, "data, interleaved, 128-bit loads; no code", size=11)
    f.text(30, 222, f"{(banks0 + banks1) * 16} KB in {banks0 + banks1} banks of 16 KB; the numbers are those of the elements",
           anchor="start")
    f.save()


def figure_7_4():
    f = Figure("7-4", 560, 260, "Stack and scratch space of one worker (figure 7.4)")
    f.rect(220, 50, 180, 50, "count", "scratch space", "48 bytes")
    f.rect(220, 100, 180, 100, "data", "stack", "a multiple of 8 bytes")
    f.text(210, 104, "$mworker_base ($m12)", anchor="end")
    f.text(210, 204, "$sp ($m11), set by the codelet", anchor="end")
    f.text(410, 56, "high addresses", size=10, anchor="start")
    f.text(410, 200, "low addresses", size=10, anchor="start")
    f.arrow((440, 110), (440, 185))
    f.text(450, 150, "grows", size=10, anchor="start")
    f.text(12, 244, "The stacks of the six workers lie one after the other; each base is a multiple of 8.", size=11,
           anchor="start")
    f.save()


figure_4_1()
nested("4-2", "Vector<Input<Vector<T>>>, both levels ONE_PTR (figure 4.2)", False)
nested("4-3", "Vector<Input<Vector<T>>>, both levels SPAN (figure 4.3)", True)
list_structure("4-4", "VectorList<T>, DELTANELEMENTS (figure 4.4)",
               (("base: 21 bits", "pointer"), ("count: 16 bits", "count"), ("table: 21 bits", "pointer")),
               "table: one word per sub-vector", ("offset", "count"), "rows start at base + (offset << log2(alignment))")
figure_4_5()
figure_4_6()
list_structure("4-7", "VectorList<T>, DELTAN (figure 4.7)",
               (("base: 20 bits", "pointer"), ("count: 12 bits", "count"), ("table: SCALED_PTR32", "pointer")),
               "table: one word per sub-vector", ("offset: 18", "count: 14"), "rows start at base + offset, in bytes")
figure_4_8()
figure_4_9()
figure_7_1()
memory("7-2", "Memory of a tile of Mk1 (figure 7.2)", 0x40000, 8, 8, 0x60000)
memory("7-3", "Memory of a tile of Mk2 (figure 7.3)", 0x4C000, 13, 26, 0x80000)
figure_7_4()
