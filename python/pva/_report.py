# SPDX-License-Identifier: MIT
"""The classes of a report; each is a view of the two trees that a profile is."""

from enum import Enum
from functools import cached_property
from types import SimpleNamespace

from ._profile import at, read, row


class _View:
    """A part of a report: `_p` is all of it, `_i` which one."""

    def __init__(self, profile, index=0):
        self._p, self._i = profile, index

    def __eq__(self, other):
        return type(self) is type(other) and self._p is other._p and self._i == other._i

    def __hash__(self):
        return hash((type(self), id(self._p), self._i))


class _Profile:
    def __init__(self, path):
        self.graph, self.execution = read(path)
        self.any = self.graph or self.execution
        self.programs = at(self.graph, "programs") or []
        liveness = at(self.graph, "memory", "liveness")
        self.live = at(liveness, "programs") or []
        self.live_of = {}
        for i, step in enumerate(self.live):
            self.live_of.setdefault(step["program"], i)
        self.always = [Var(v, True) for v in at(liveness, "alwaysLive", "variables") or []]
        self.steps = at(self.execution, "simulation", "steps") or []
        self.tiles = at(self.any, "target", "numTiles") or 0

    def program(self, index):
        if index is None or index >= len(self.programs):
            return None
        kind = {"OnTileExecute": OnTileExecuteProgram, "DoExchange": DoExchangeProgram}
        return kind.get(self.programs[index]["type"], Program)(self, index)

    def active(self, step):
        """Cycles by tile of an executed step; None where they are not recorded."""
        s = self.steps[step]
        own = s.get("activeCyclesByTile")
        if own is None:
            plan = at(self.execution, "simulation", "plan") or []
            own = plan[s["planStep"]].get("activeCyclesByTile") if s["planStep"] < len(plan) else None
        return own


# --- compilation


class Var:
    """A variable that lives while a program runs."""

    def __init__(self, stored, always):
        self.name, self.bytes, self.size, self.alwaysLive = stored["name"], stored["bytes"], stored["bytes"], always

    def __repr__(self):
        return f"<pva.Var {self.name!r}, {self.bytes} bytes>"


def _members(stored, names):
    return SimpleNamespace(**{name: at(stored, key or name) or 0 for name, key in names.items()})


_TARGET = {"numTiles": "", "numIPUs": "", "tilesPerIpu": "tilesPerIPU", "numReplicas": "", "bytesPerTile": "",
           "bytesPerIPU": "", "totalMemory": "", "clockFrequency": "", "architecture": ""}
_CATEGORIES = ("variable constant controlId message hostMessage globalMessage rearrangement outputEdge "
               "hostExchangePacketHeader globalExchangePacketHeader stack instrumentationResults vertexInstanceState "
               "copyDescriptor vectorListDescriptor vertexFieldData controlTable controlCode vertexCode "
               "internalExchangeCode hostExchangeCode globalExchangeCode sharedCodeStorage sharedDataStorage "
               "multiple").split()
_REGIONS = ("nonInterleaved", "interleaved", "overflowed")
_STATE_BYTES = ("vertexDataBytes", "edgePtrBytes", "copyPtrBytes", "paddingBytes", "descriptorBytes")


class VertexType(_View):
    @property
    def name(self):
        return at(self._p.any, "vertexTypes", "names")[self._i]

    @property
    def size(self):
        return row(at(self._p.any, "vertexTypes", "sizes"), self._i)


class VertexInstances:
    """Vertices of one type: a number of them in a compute set, bytes on a tile."""

    def __init__(self, kind, count, total_bytes):
        self.type, self.count, self.totalBytes = kind, count, total_bytes


class MemoryCategory:
    def __init__(self, stored, tile):
        self.total = 0
        for name in _REGIONS:
            region = SimpleNamespace(**{kind: row(at(stored, name, kind), tile)
                                        for kind in ("nonOverlapped", "overlapped")})
            setattr(self, name, region)
            self.total += region.nonOverlapped + region.overlapped


class TileMemory(_View):
    @property
    def total(self):
        by_tile = at(self._p.graph, "memory", "byTile")
        used = row(at(by_tile, "total"), self._i)
        spanned = at(by_tile, "totalIncludingGaps")
        return SimpleNamespace(excludingGaps=used, includingGaps=used if spanned is None else row(spanned, self._i))

    @property
    def vertices(self):
        by_type = at(self._p.graph, "memory", "byVertexType")
        rows = [at(by_type, kind) or [] for kind in _STATE_BYTES]
        found = []
        for kind in range(len(at(self._p.graph, "vertexTypes", "names") or [])):
            count = sum(row(of_type[kind], self._i) for of_type in rows if kind < len(of_type))
            if count:
                found.append(VertexInstances(VertexType(self._p, kind), 0, count))
        return found

    @property
    def category(self):
        stored = at(self._p.graph, "memory", "byCategory")
        return SimpleNamespace(**{name: MemoryCategory(at(stored, name), self._i) for name in _CATEGORIES})


class Tile(_View):
    @property
    def memory(self):
        return TileMemory(self._p, self._i)


class ComputeSet(_View):
    def _of(self, key):
        values = at(self._p.graph, "computeSets", key) or []
        return values[self._i] if self._i is not None and self._i < len(values) else None

    @property
    def name(self):
        return self._of("names") or ""

    @property
    def vertices(self):
        return [VertexInstances(VertexType(self._p, kind), count, 0)
                for kind, count in zip(self._of("vertexTypes") or [], self._of("vertexCounts") or [])]


_PROGRAM_TYPES = ("Unknown Sequence Repeat RepeatWhile If Switch OnEveryTileSwitch Call Function OnTileExecute "
                  "DoExchange GlobalExchange StreamCopy StreamCopyBegin StreamCopyMid StreamCopyEnd Sync "
                  "CopySharedStructure SetLocalConsensusFromVar WriteUndef PrintTensor AssumeEqualAcrossReplicas "
                  "Abort AbortOnCondition").split()


class Program(_View):
    """A node of the tree of control programs."""

    Type = Enum("Type", _PROGRAM_TYPES)

    def __init__(self, profile, index, phase=""):
        super().__init__(profile, index)
        self._phase = phase

    def __repr__(self):
        return f"<pva.{type(self).__name__} {self._id}: {self.typeName} {self.name!r}>"

    @property
    def _id(self):
        return self._i

    @property
    def name(self):
        return self._p.programs[self._i]["name"]

    @property
    def typeName(self):
        return self._phase or self._p.programs[self._i]["type"]

    @property
    def type(self):
        return Program.Type.__members__.get(self.typeName, Program.Type.Unknown)

    def children(self):
        return [self._p.program(child) for child in self._p.programs[self._i].get("children") or []]

    @property
    def vars(self):
        """What lives while it runs, what always lives behind the rest; of leaf programs."""
        step = self._p.live_of.get(self._i)
        return [] if step is None else LivenessProgramStep(self._p, step).vars + self._p.always

    def accept(self, visitor):
        visitor.visitOther(self)


class OnTileExecuteProgram(Program):
    @property
    def computeset(self):
        return ComputeSet(self._p, self._p.programs[self._i].get("computeset"))

    def accept(self, visitor):
        visitor.visitOnTileExecute(self)


class DoExchangeProgram(Program):
    def accept(self, visitor):
        visitor.visitDoExchange(self)


class ProgramVisitor:
    """To be derived from: does nothing. visitOther() is not among the vendor's names."""

    def visitOnTileExecute(self, program):
        pass

    def visitDoExchange(self, program):
        pass

    def visitOther(self, program):
        pass


class LivenessProgramStep(_View):
    @property
    def program(self):
        return self._p.program(self._p.live[self._i]["program"])

    @property
    def vars(self):
        return [Var(v, False) for v in self._p.live[self._i].get("vars") or []]

    @property
    def notAlwaysLiveMemory(self):
        return SimpleNamespace(bytes=sum(v.bytes for v in self.vars))


class Compilation(_View):
    @property
    def target(self):
        return _members(at(self._p.any, "target"), _TARGET)

    @property
    def graph(self):
        return _members(at(self._p.graph, "graph"),
                        {"numVertices": "", "numEdges": "", "numVars": "", "numComputeSets": ""})

    @cached_property
    def tiles(self):
        return [Tile(self._p, i) for i in range(self._p.tiles if self._p.graph else 0)]

    @cached_property
    def computeSets(self):
        return [ComputeSet(self._p, i) for i in range(len(at(self._p.graph, "computeSets", "names") or []))]

    @cached_property
    def programs(self):
        return [self._p.program(i) for i in range(len(self._p.programs))]

    @cached_property
    def livenessProgramSteps(self):
        return [LivenessProgramStep(self._p, i) for i in range(len(self._p.live))]

    @property
    def alwaysLiveVariables(self):
        return list(self._p.always)


# --- execution


class ComputeSetExecution(_View):
    @property
    def name(self):
        return self._p.steps[self._i]["name"]

    @property
    def cyclesByTile(self):
        """Measured cycles: empty unless the engine was instrumented."""
        return [] if at(self._p.execution, "profilerMode") == "IPU_MODEL" else self.estimatedCyclesByTile

    @property
    def estimatedCyclesByTile(self):
        return list(self._p.active(self._i) or [])


class Step(_View):
    name = property(lambda self: self._p.steps[self._i]["name"])
    type = property(lambda self: self._p.steps[self._i]["type"])
    cycles = property(lambda self: self._p.steps[self._i]["cycles"])
    cyclesFrom = property(lambda self: self._p.steps[self._i]["cyclesFrom"])
    cyclesTo = property(lambda self: self._p.steps[self._i]["cyclesTo"])

    @property
    def computeSets(self):
        return [ComputeSetExecution(self._p, self._i)] if self.type == "OnTileExecute" else []

    @property
    def program(self):
        """Syncs, which the tree has not, get one without a name: scripts visit the program of every step."""
        found = self._p.program(self._p.steps[self._i].get("program"))
        return found or _NoProgram(self._p, self._i, self.type)

    @property
    def ipus(self):
        """Of each IPU; where steps have only the cycles of all, of the graph as a whole."""
        target = Compilation(self._p).target
        active = self._p.active(self._i)
        if target.numIPUs < 2 or not target.tilesPerIpu or not active:
            return [SimpleNamespace(cycles=self.cycles) for _ in range(max(target.numIPUs, 1))]
        each = target.tilesPerIpu
        return [SimpleNamespace(cycles=max(active[i * each:(i + 1) * each], default=0))
                for i in range(target.numIPUs)]


class _NoProgram(Program):
    name = ""
    vars = ()

    def children(self):
        return []


class Block:
    """An execution of a chosen program as one tile saw it."""

    isCommon = isOverflow = isBlockFlush = False

    def __init__(self, program, first, last, tile, stream):
        self.program, self.cyclesFrom, self.cyclesTo = program, first, last
        self.tile, self.isStreamCopy = tile, stream


class Execution(_View):
    @property
    def totalCycles(self):
        return SimpleNamespace(total=at(self._p.execution, "simulation", "cycles") or 0)

    @cached_property
    def steps(self):
        return [Step(self._p, i) for i in range(len(self._p.steps))]

    def blocks(self, tile):
        stored = at(self._p.execution, "simulation", "blocks") or {}
        found = []
        for program, first, last in zip(*(stored.get(key, ()) for key in ("program", "firstStep", "lastStep"))):
            found += self._block(program, first, last, tile)
        return found

    def _block(self, program, first, last, tile):
        spans = []
        for i in range(first, min(last + 1, len(self._p.steps))):
            step, active = self._p.steps[i], self._p.active(i)
            cycles = step["cycles"] if active is None else row(active, tile)
            if cycles and step["type"] != "Sync":
                spans.append((step["cyclesFrom"], step["cyclesTo"] - max(step["cycles"] - cycles, 0)))
        node = self._p.program(program)
        if not spans or node is None:
            return []
        if node.typeName == "StreamCopy":
            return self._stream(program, first, tile)
        return [Block(node, spans[0][0], max(spans[0][0], spans[-1][1]), tile, False)]

    def _stream(self, program, step, tile):
        """The phases of a stream copy: the step itself, and syncs on both sides of it."""
        steps = self._p.steps
        last = step
        while last < min(step + 2, len(steps) - 1) and steps[last + 1]["type"] == "Sync":
            last += 1
        phases = [("StreamCopyMid", step, step)]
        if step and steps[step - 1]["type"] == "Sync":
            phases.insert(0, ("StreamCopyBegin", step - 1, step - 1))
        if last > step:
            phases.append(("StreamCopyEnd", step + 1, last))
        return [Block(Program(self._p, program, name), steps[a]["cyclesFrom"], steps[b]["cyclesTo"], tile, True)
                for name, a, b in phases]


# --- reports


class Version:
    def __init__(self, text):
        self.string = text
        numbers = [int(part) if part.isdigit() else 0 for part in text.split(".")] + [0, 0, 0]
        self.major, self.minor, self.point = numbers[:3]

    def __repr__(self):
        return f"<pva.Version {self.string}>"


class Report(_View):
    @cached_property
    def compilation(self):
        return Compilation(self._p)

    @cached_property
    def execution(self):
        return Execution(self._p)

    @property
    def poplarVersion(self):
        return Version(at(self._p.any, "tilewright", "version") or "")


def openReport(path):
    """Reads a profile: a file with both parts or one of them. Where there is no file of that name, its folder's
    graph_profile.json and execution_profile.json, as an engine with the option autoReport.all writes them, are taken.
    RuntimeError names what is wrong with a file."""
    return Report(_Profile(path))
