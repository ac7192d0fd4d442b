# SPDX-License-Identifier: MIT
"""pva's Python module on a profile that its first argument, a program, writes with what C++ reads in it:
pva_report.py PROGRAM FOLDER-OF-PACKAGES LIBRARY"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
os.environ["TILEWRIGHT_LIBRARY"] = sys.argv[3]
import pva  # noqa: E402


def described(r):
    yield (f"{r.compilation.graph.numVertices} {r.compilation.target.numTiles} {r.poplarVersion.string} "
           f"{r.execution.totalCycles.total}")
    for t in r.compilation.tiles:
        yield f"{t.memory.total.includingGaps} {t.memory.category.variable.total} {len(t.memory.vertices)}"
    for s in r.compilation.computeSets:
        yield f"{s.name} {s.vertices[0].count}"
    for p in r.compilation.programs:
        variables = "".join(f" {v.name}={v.bytes}{'!' if v.alwaysLive else ''}" for v in p.vars)
        yield f"{p._id} {p.typeName} {p.name} {len(p.children())}{variables}"
    for s in r.execution.steps:
        cycles = "".join(f" {c.estimatedCyclesByTile[1]}" for c in s.computeSets)
        yield f"{s.name} {s.ipus[0].cycles} {s.program.name}{cycles}"
    for tile in range(3):
        for b in r.execution.blocks(tile):
            yield (f"{b.program.typeName} {b.program.name} {b.cyclesFrom} {b.cyclesTo} {b.tile} "
                   f"{int(b.isStreamCopy)}")


class Visitor(pva.ProgramVisitor):
    sets, exchanges = 0, 0

    def visitOnTileExecute(self, program):
        assert program.type == pva.Program.Type.OnTileExecute
        assert [v.type.name for v in program.computeset.vertices] == ["Sum"], program
        self.sets += 1

    def visitDoExchange(self, program):
        self.exchanges += 1


def visited(report):
    """As the tutorial does: every step's program takes the visitor, syncs among them."""
    visitor = Visitor()
    for step in report.execution.steps:
        step.program.accept(visitor)
    assert visitor.sets == 2 * 3 * 6, visitor.sets  # two runs of three rounds
    assert sum(s.ipus[0].cycles for s in report.execution.steps) >= report.execution.totalCycles.total > 0
    assert max(s.notAlwaysLiveMemory.bytes for s in report.compilation.livenessProgramSteps) >= 0
    assert all(v.size == v.bytes for v in report.compilation.alwaysLiveVariables)
    assert report.compilation.programs[0] == report.compilation.programs[0]
    assert report.compilation.programs[0] != report.compilation.programs[1]


def refused(path, phrase):
    try:
        pva.openReport(path)
    except RuntimeError as error:
        assert phrase in str(error), error
        return
    raise AssertionError(f"{path} was opened")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    report = pva.openReport(os.path.join(folder, "profile.pop"))  # stands for the two files beside it
    with open(os.path.join(folder, "expected"), encoding="utf-8") as file:
        expected = file.read().splitlines()
    got = list(described(report))
    for line, (a, b) in enumerate(zip(expected, got), 1):
        assert a == b, f"line {line}: C++ says '{a}', Python '{b}'"
    assert len(expected) == len(got) > 100, (len(expected), len(got))
    visited(report)
    alone = pva.openReport(os.path.join(folder, "graph_profile.json"))
    assert alone.execution.steps == [] and alone.execution.blocks(0) == []
    assert alone.compilation.graph.numVertices == 2
    bad = os.path.join(folder, "bad.json")
    with open(bad, "w", encoding="utf-8") as file:
        file.write("{}")
    refused(bad, "pva.openReport")
    refused(os.path.join(folder, "none", "profile.pop"), "profile.pop")
