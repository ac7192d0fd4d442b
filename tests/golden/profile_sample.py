#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes profile_graph.json and profile_execution.json, which hold the figures of the sample in guide section 8.2.3.

The sample prints sums. Rows of one value per tile that add up to them are made here: values lie where the sample says
something about tiles (histogram, maxima, active tiles, balances) and on the first tile where it does not.
Times of the steps are left to the reader: they must follow from cycles and overlap.
"""
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TILES = 1216
LINES = [line.rstrip("\n").replace("ConvPartial1x10Out", "ConvPartial1x1Out")
         for line in open(os.path.join(HERE, "profile_guide.txt"))]


def number(text):
    return int(text.replace(",", ""))


def between(first, last, pattern):
    """Matches of `pattern` in the lines from the one starting with `first` to the one starting with `last`."""
    start = next(i for i, line in enumerate(LINES) if line.startswith(first))
    end = next(i for i, line in enumerate(LINES) if i > start and line.startswith(last))
    return [m.groups() for m in (re.fullmatch(pattern, line.strip()) for line in LINES[start:end]) if m]


def spread(total, tiles, top=None):
    """`tiles` values that differ by at most one and add up to `total`; with `top`, the first one is `top`."""
    if top is None:
        return [total // tiles + (t < total % tiles) for t in range(tiles)]
    return [top] + spread(total - top, tiles - 1)


CATEGORIES = {
    "Variables": "variable", "Internal Exchange Message Buffers": "message",
    "Data Rearrangement Buffers": "rearrangement", "Host Exchange Packet Headers": "hostExchangePacketHeader",
    "Stack": "stack", "Vertex Instances": "vertexInstanceState", "Copy Descriptors": "copyDescriptor",
    "VectorList Descriptors": "vectorListDescriptor", "Vertex Field Data": "vertexFieldData",
    "Control Code": "controlCode", "Vertex Code": "vertexCode", "Internal Exchange Code": "internalExchangeCode",
    "Host Exchange Code": "hostExchangeCode"}
SIZE = r"(\S.*\S)\t([\d,]+) B"


def categories():
    result = {}
    for title, end, key in (("Not Overlapped", "Overlapped", "nonOverlapped"),
                            ("Overlapped", "Total After", "overlapped")):
        for label, size in between(title, end, r"(\S.*\S):\t([\d,]+) B"):
            if label != "Total":
                region = result.setdefault(CATEGORIES[label], {}).setdefault("nonInterleaved", {})
                region[key] = [number(size)]
    return result


def bytes_by_tile(total, maximum):
    """Tile 0 holds the maximum; the others lie in the rows of the histogram and add up to `total`."""
    values = [maximum]
    for low, _, count in between("By Tile", "Maximum", r"(\d+) - (\d+)\s[*]*\s*(\d+)"):
        values += [1024 * int(low)] * (int(count) - (int(low) == maximum // 1024))
    left = total - sum(values)
    for t in range(1, TILES):
        step = min(1023, left)
        values[t] += step
        left -= step
    assert left == 0 and len(values) == TILES
    return values


def vertex_types():
    """Bytes by type, dealt out to the categories of vertex data in turn; what is left of a type is its code."""
    types = [(name, number(size)) for name, size in between("By Type:", "By Tile", SIZE)]
    keys = {"Internal vertex state": "vertexDataBytes", "Edge pointers": "edgePtrBytes",
            "Copy pointers": "copyPtrBytes", "Padding": "paddingBytes", "Descriptors": "descriptorBytes"}
    wanted = {keys[label]: number(size) for label, size in between("By Category:", "By Type", r"(\S.*\S):\t([\d,]+) B")}
    rows = {key: [] for key in list(wanted) + ["codeBytes"]}
    for _, size in types:
        for key in wanted:
            part = min(wanted[key], size)
            wanted[key] -= part
            size -= part
            rows[key].append([part])
        rows["codeBytes"].append([size])
    assert not any(wanted.values())
    return [name for name, _ in types], rows


def live(lines):
    return [{"name": name, "bytes": number(size)} for name, size in lines]


def programs():
    """The tree of the liveness block; children are told by what they are, the indentation of the sample is lost."""
    tree = [{"type": "Sequence", "name": "", "children": []}]
    entries = []
    start = next(i for i, line in enumerate(LINES) if line.startswith("Maximum live bytes"))
    end = next(i for i, line in enumerate(LINES) if line.startswith("Execution:"))
    parent = 0
    for line in LINES[start + 2:end]:
        program = re.fullmatch(r"(StreamCopy|DoExchange|OnTileExecute|Switch|Sequence)(?:: (.*))?", line.strip())
        variable = re.fullmatch(r"(\S+) ([\d,]+)", line.strip())
        if program and program[1] == "Sequence" and not tree[0]["children"]:
            continue
        if program:
            tree[parent]["children"].append(len(tree))
            if program[1] == "Sequence":
                parent = len(tree)
            else:
                entries.append({"program": len(tree), "vars": []})
            tree.append({"type": program[1], "name": program[2] or "", "children": []})
        elif variable:
            entries[-1]["vars"] += live([variable.groups()])
    return tree, entries


def step(kind, cycles, overlapped=0, name="", active=None, data=None, **more):
    return {"type": kind, "name": name, "cycles": cycles, "cyclesOverlapped": overlapped,
            "activeCyclesByTile": active, "dataByTile": data, **more}


def sync(kind, overlapped=0):
    return {"type": "Sync", "syncType": kind, "cycles": 118, "cyclesOverlapped": overlapped}


def steps(types):
    internal, external = sync("Internal"), sync("External")
    balanced = round(0.866 * 120 * TILES), round(0.866 * 169 * 392)
    return [
        external, step("StreamCopy", 7, 7, active=[7], data=[2]), internal, internal, external,
        step("StreamCopy", 9, 9, active=[9], data=[4]), internal, internal, internal,
        step("DoExchange", 120, 0, "switchControlBroadcast13/ExchangePre", spread(balanced[0], TILES, 120), [2] * TILES),
        external, step("StreamCopy", 7, 7, active=[7], data=[2]), internal, internal, external,
        step("StreamCopy", 10700, 20, active=[10700] * 392, data=spread(25122, 392, 98)),
        internal, internal, sync("Internal", 20),
        step("DoExchange", 169, 20, "Layer1/Fwd/Conv_1/Convolve/ExchangePre", spread(balanced[1], 392, 169), [320] * 392),
        step("OnTileExecute", 999, 0, "Layer1/Fwd/Conv_1/Convolve", spread(384944, 392, 999), activeCyclesByVertexType=[
            {"vertexType": types.index("poplin::ConvPartial1x1Out<float,float,true,false>"), "instances": 392,
             "cycles": 384944}])]


def figure(label):
    return next(number(m[1]) for m in (re.match(re.escape(label) + r":\s+([\d,]+)", line) for line in LINES) if m)


def main():
    types, vertex_bytes = vertex_types()
    cycles = {name: (int(count), number(c)) for name, count, c in
              between("Cycles by vertex type", "Steps", r"(\S.*\S)\s+\((\d+) instances\):\s+([\d,]+)")}
    tree, entries = programs()
    always = live(between("Always-live variables", "Maximum live", r"(\S+)\t([\d,]+)"))
    gaps = spread(figure("Including Gaps") - 131608, TILES - 1)
    graph = {
        "target": {"type": "IPU_MODEL", "numIPUs": 1, "tilesPerIPU": TILES, "numTiles": TILES, "bytesPerTile": 262144,
                   "clockFrequency": 1.6e9, "numReplicas": 1},
        "graph": {"numVertices": figure("Number of vertices"), "numEdges": figure("Number of edges"),
                  "numVars": figure("Number of variables"), "numComputeSets": figure("Number of compute sets")},
        "vertexTypes": {"names": types, "sizes": [0] * len(types)},
        "computeSets": {"names": ["all"], "vertexCounts": [[cycles[t][0] for t in types]],
                        "vertexTypes": [list(range(len(types)))]},
        "programs": tree,
        "memory": {
            "byTile": {"total": bytes_by_tile(6720337, 20294), "totalIncludingGaps": [131608] + gaps},
            "byRegion": {"nonInterleaved": [figure("Non-interleaved")], "interleaved": [figure("Interleaved")],
                         "overflowed": [0]},
            "byCategory": categories(),
            "byVertexType": vertex_bytes,
            "liveness": {"alwaysLive": {"variables": always},
                         "notAlwaysLive": {"maxBytes": figure("Maximum live bytes (including always-live)")
                                           - figure("Always-live bytes")},
                         "programs": entries}}}
    execution = {
        "profilerMode": "IPU_MODEL",
        "simulation": {
            "cycles": figure("Total cycles"),
            "tileCycles": {"compute": figure("Total compute cycles (including idle threads)"),
                           "activeCompute": figure("Total compute cycles (excluding idle threads)"),
                           "doExchange": figure("Total IPU exchange cycles"),
                           "globalExchange": figure("Total global exchange cycles"),
                           "streamCopy": figure("Total host exchange cycles"),
                           "copySharedStructure": figure("Total shared structure copy cycles"),
                           "sync": figure("Total sync cycles")},
            "cyclesByVertexType": [cycles[t][1] for t in types],
            "steps": steps(types)}}
    for name, value in (("profile_graph.json", graph), ("profile_execution.json", execution)):
        with open(os.path.join(HERE, name), "w") as out:
            json.dump(value, out, separators=(",", ":"))
            out.write("\n")


main()
