# SPDX-License-Identifier: MIT
"""A host script: copies, launches, errors and helpers of the package, on examples/csl/gemv; ports of a small layout."""

import json
import os
import sys
import warnings

import numpy as np

from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk import sdk_utils
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import (
    CodeRegion, Color, Edge, EdgeRouteInfo, FP16TYPE, MemcpyDataType, MemcpyOrder, PortHandle, Route, RoutingPosition,
    SdkCompileArtifacts, SdkExecutionPlatform, SdkLayout, SdkRuntime, SdkTarget, SimfabConfig, get_edge_routing,
    get_platform, get_simulator, get_system,
)


def refused(kind, phrase, call, *args, **kwargs):
    """The call must raise `kind` with the phrase in its message."""
    try:
        call(*args, **kwargs)
    except kind as error:
        assert phrase in str(error), error
        return
    raise AssertionError(f"{call} was not refused")


def copies(folder):
    params = json.load(open(f"{folder}/out.json", encoding="utf-8"))["params"]
    m, n = int(params["M"]), int(params["N"])
    rng = np.random.default_rng(1)
    a, x, b = (rng.random(k, dtype=np.float32) for k in (m * n, n, m))
    run = SdkRuntime(folder)
    refused(RuntimeError, "load() comes first", run.run)
    run.load()
    run.run()
    settings = {"data_type": MemcpyDataType.MEMCPY_32BIT, "order": MemcpyOrder.ROW_MAJOR, "streaming": False}
    for name, data in (("A", a), ("x", x), ("b", b)):
        run.memcpy_h2d(run.get_id(name), data, 0, 0, 1, 1, data.size, nonblock=True, **settings)
    y = np.zeros(m, np.float32)
    for style in ("columns", "rows", "mapped"):
        task = run.launch(style, nonblock=True)
        y[:] = 0
        run.memcpy_d2h(y, run.get_id("y"), 0, 0, 1, 1, m, nonblock=False, **settings)
        assert run.is_task_done(task)
        np.testing.assert_allclose(y, a.reshape(m, n) @ x + b, rtol=1e-5)
    # Halves of a word: 16-bit copies give zero above.
    halves = np.full(2 * m, 0xFFFFFFFF, np.uint32)
    run.memcpy_d2h(halves, run.get_id("y"), 0, 0, 1, 1, 2 * m, data_type=MemcpyDataType.MEMCPY_16BIT)
    assert np.array_equal(halves, y.view(np.uint16))
    refused(RuntimeError, "not mutable", run.memcpy_h2d, run.get_id("y"), y, 0, 0, 1, 1, m)
    refused(RuntimeError, "exports no 'z'; it exports ", run.get_id, "z")
    refused(TypeError, "takes 0 arguments", run.launch, "rows", 1)
    refused(TypeError, "4 bytes", run.memcpy_h2d, run.get_id("x"), np.zeros(n), 0, 0, 1, 1, n)
    refused(ValueError, "the copy needs", run.memcpy_h2d, run.get_id("x"), x[1:], 0, 0, 1, 1, n)
    with warnings.catch_warnings(record=True) as seen:  # of a longer source the first elements count
        warnings.simplefilter("always")
        run.memcpy_h2d(run.get_id("x"), np.append(x, np.float32(7)), 0, 0, 1, 1, n, **settings)
        assert [str(w.message) for w in seen] == [f"the source has {n + 1} elements; the copy takes the first {n}"]
        assert seen[0].filename == __file__
    # What C would take modulo 2^32, and what the array has no room for.
    for wrong in (-1, 2**32, 2**32 + 1, 2**64):
        refused(ValueError, f"px of a copy is {wrong}; it must be from 0 to 4294967295", run.memcpy_h2d,
                run.get_id("x"), x, wrong, 0, 1, 1, n)
        refused(ValueError, f"w of a copy is {wrong}", run.memcpy_d2h, y, run.get_id("y"), 0, 0, wrong, 1, m)
        refused(ValueError, f"elem_per_pe of a copy is {wrong}", run.memcpy_d2h, y, run.get_id("y"), 0, 0, 1, 1, wrong)
        refused(ValueError, f"x of a PE is {wrong}", run.read_symbol, wrong, 1, "y")
        refused(ValueError, f"y of a PE is {wrong}", run.write_symbol, 4, wrong, "y", y)
    refused(ValueError, f"symbol is {2**32}", run.memcpy_d2h, y, 2**32, 0, 0, 1, 1, m)
    run.stop()
    refused(RuntimeError, "stopped", run.launch, "rows")
    assert np.array_equal(debug_util(folder).get_symbol(4, 1, "y", np.float32), y)
    more = SdkRuntime(folder)
    more.load()
    refused(RuntimeError, f"do not fit where 'y' points: {4 * m} bytes", more.memcpy_d2h, np.zeros(m + 1, np.float32),
            more.get_id("y"), 0, 0, 1, 1, m + 1)
    refused(RuntimeError, "there is no machine", SdkRuntime, folder, cmaddr="10.0.0.1:9000")


def helpers():
    words = np.zeros((2, 3), np.uint32)
    sdk_utils.memcpy_view(words, np.float16)[...] = np.arange(6).reshape(2, 3)
    assert words[1, 2] == np.float16(5).view(np.uint16)
    data = sdk_utils.input_array_to_u32(np.array([1, 2, 3, 4], np.int16), sentinel=1, fast_dim_sz=2)
    assert list(data) == [1, 0x10002, 3, 0x10004]
    clocks = np.array([0xFFFF, 0, 0, 4, 1, 0], np.uint16).view(np.float32)
    assert sdk_utils.calculate_cycles(clocks) == 0x10004 - 0xFFFF
    assert list(IntRectangle(IntVector(1, 0), IntVector(2, 2)).points()) == [(1, 0), (1, 1)]


def ports(arch):
    """Two regions with a gap between them: numbers go in on the left, come out negated on the right."""
    with open("negate.csl", "w", encoding="utf-8") as out:
        out.write("""
param size: u16;
param rx: color;
param tx: color;
const iq = @get_input_queue(2);
const oq = @get_output_queue(3);
const from = @get_dsd(fabin_dsd, .{ .extent = size, .fabric_color = rx, .input_queue = iq });
const to = @get_dsd(fabout_dsd, .{ .extent = size, .fabric_color = tx, .output_queue = oq });
task main() void { @fnegs(to, from, .{ .async = true }); }
comptime {
  @bind_local_task(main, @get_local_task_id(8));
  @activate(@get_local_task_id(8));
  @initialize_queue(iq, .{ .color = rx });
  if (@is_arch("wse3")) @initialize_queue(oq, .{ .color = tx });
}
""")
    layout = SdkLayout(get_platform(None, target=arch))
    into = [RoutingPosition().set_output([Route.RAMP])]
    out_of = [RoutingPosition().set_input([Route.RAMP])]
    made = []
    for name, x, y in (("first", 1, 0), ("second", 4, 2)):
        region = layout.create_code_region("negate.csl", name, 1, 1)
        rx, tx = region.color("rx"), Color(f"{name}_out")
        region.set_param_all("size", 20)
        region.set_param_all(rx)
        region.set_param_all("tx", tx)
        made.append((region.create_input_port(rx, Edge.LEFT, into, 20),
                     region.create_output_port(tx, Edge.RIGHT, out_of, 20)))
        region.place(x, y)
    layout.connect(made[0][1], made[1][0])
    source, sink = layout.create_input_stream(made[0][0]), layout.create_output_stream(made[1][1])
    run = SdkRuntime(layout.compile(out_prefix="ports"), memcpy_required=False)
    run.load()
    run.run()
    data, got = np.linspace(-1, 1, 20, dtype=np.float32), np.zeros(20, np.float32)
    run.send(source, data, nonblock=True)
    run.receive(sink, got, 20, nonblock=True)
    run.stop()
    assert np.array_equal(got, data)
    refused(RuntimeError, "no input stream", run.send, "nowhere", data)

    # The same from the folder, by number of elements, into a column of an array, into a file.
    run = SdkRuntime(SdkCompileArtifacts("ports"), get_simulator(SimfabConfig(num_threads=2), arch),
                     memcpy_required=False, simfab_numthreads=2, suppress_simfab_trace=True, msg_level="ERROR")
    run.load()
    run.run()
    port = run.get_port_id(source)
    run.report_port_infos()
    sent = run.send(port, data[:12], n=10, nonblock=True)
    columns = np.zeros((5, 2), np.float32)
    run.send(port, data[:10], nonblock=True)
    first = run.receive(sink, columns[:, 1], nonblock=True)
    low = np.full(6, -1, np.int16)
    second = run.receive(sink, low, 5, nonblock=True)
    run.receive_tofile(sink, "rest.bin", 10)
    assert all(run.is_task_done(task) for task in (sent, first, second))
    assert np.array_equal(columns, np.stack([np.zeros(5), data[:5]], axis=1).astype(np.float32))
    assert list(low) == [*data[5:10].view(np.int16)[::2], -1]
    assert np.array_equal(np.fromfile("rest.bin", np.float32), data[:10])
    refused(ValueError, "the source has 20", run.send, port, data, 21)
    refused(ValueError, "do not go into", run.receive, sink, columns, 11)
    refused(TypeError, "2 or 4 bytes", run.receive, sink, np.zeros(2))
    run.stop()


def regions(arch):
    """Parameters, symbols, routes and edges of a region of 3 x 2 PEs, and what a layout refuses."""
    with open("cells.csl", "w", encoding="utf-8") as out:
        out.write("""
param n: u16 = 0;
param role: u16 = 0;
param bus: color;
param edge = false;
const lib = @import_module("<own/answer>");
export var data = @zeros([4]i16);
export var seen = @zeros([6]u16);
const iq = @get_input_queue(2);
const oq = @get_output_queue(3);
const into = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> seen[i] });
const from = @get_dsd(fabin_dsd, .{ .extent = 2, .fabric_color = bus, .input_queue = iq });
const to = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = bus, .output_queue = oq });
const mine = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> data[i] });
task main() void {
  seen[2] = n; seen[3] = role; seen[4] = @as(u16, lib.answer); seen[5] = @bitcast(u16, @as(@fp16(), 6.0));
  if (role == 1) { @mov16(to, mine, .{ .async = true }); } else { @mov16(into, from, .{ .async = true }); }
}
comptime {
  @bind_local_task(main, @get_local_task_id(8));
  @activate(@get_local_task_id(8));
  @initialize_queue(iq, .{ .color = bus });
  if (@is_arch("wse3")) @initialize_queue(oq, .{ .color = bus });
}
""")
    os.makedirs("own_libs/own", exist_ok=True)
    with open("own_libs/own/answer.csl", "w", encoding="utf-8") as out:
        out.write("const answer = 42;\n")
    platform = get_platform("", SimfabConfig(dump_core=True), arch)
    assert isinstance(platform, SdkExecutionPlatform) and platform.is_simulation() and not platform.is_system()
    layout = SdkLayout(platform)
    region = layout.create_code_region("cells.csl", "cells", 3, 2)
    assert isinstance(region, CodeRegion)
    bus = region.color("bus", 5)
    onward = RoutingPosition().add_input(Route.WEST).add_output(Route.EAST).add_output(Route.RAMP)
    assert onward.get_input() == [Route.WEST] and onward.get_output() == [Route.EAST, Route.RAMP]
    last = get_edge_routing(Edge.RIGHT, [RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])])
    assert isinstance(last, EdgeRouteInfo)
    region.paint_all(bus, [onward], [last])
    region.paint((0, 0), bus, [RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])])
    region.paint_range(IntRectangle(IntVector(0, 1), IntVector(1, 2)), bus,
                       [RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])])
    region.set_param_all(bus)
    region.set_param_all("n", 7)
    region.set_param_range(((1, 0), (3, 1)), "n", 8)
    for y in range(2):
        region.set_param((0, y), "role", 1)
    region.set_symbol_all("data", np.arange(24, dtype=np.int16), 6, 4)
    other = layout.create_code_region("cells.csl", "other", 1, 1)
    bus2 = Color("bus2")
    other.set_param_all("bus", bus2)
    other.set_param_all("role", 2)
    far = layout.create_code_region("cells.csl", "far", 1, 1)
    far.set_param_all("bus", bus2)
    out_port = other.create_output_port(bus2, Edge.BOTTOM, [RoutingPosition().set_input([Route.RAMP])], 2)
    in_port = far.create_input_port(bus2, Edge.TOP, [RoutingPosition().set_output([Route.RAMP])], 2)
    assert isinstance(out_port, PortHandle)
    other.place(4, 0)
    layout.vstack(other, far)
    assert far.position == (4, 1)
    layout.connect(out_port, in_port)

    refused(RuntimeError, "already connected", layout.connect, out_port, in_port)
    refused(RuntimeError, "already connected", layout.create_output_stream, out_port)
    refused(RuntimeError, "is an input port", layout.create_output_stream, in_port)
    refused(RuntimeError, "already a port", other.create_output_port, bus2, Edge.LEFT, [], 2)
    refused(RuntimeError, "already a region", layout.create_code_region, "cells.csl", "far", 1, 1)
    refused(ValueError, "no PEs", layout.create_code_region, "cells.csl", "none", 0, 1)
    refused(ValueError, "equal parts", region.set_symbol_all, "data", np.zeros(20), 5, 4)
    refused(ValueError, "has 23 elements", region.set_symbol_all, "data", np.zeros(23), 6, 4)
    refused(IndexError, "outside region", region.paint, (3, 0), bus, [onward])
    refused(ValueError, "colors 0 to 23", Color, "c", 24)
    refused(RuntimeError, "there is no machine", get_system, "10.0.0.1:9000")
    wide = far.create_input_port(bus2, Edge.LEFT, [RoutingPosition().set_output([Route.RAMP])], 3, "_wide")
    tail = other.create_output_port(bus2, Edge.RIGHT, [RoutingPosition().set_input([Route.RAMP])], 2, "_tail")
    refused(RuntimeError, "differ in size", layout.connect, tail, wide)

    artifacts = None
    for kind, six in ((FP16TYPE.CB16, 0x5900), (FP16TYPE.BF16, 0x40C0), (None, 0x4600)):
        clean = SdkLayout(platform)  # without the ports that were only made to be refused
        clean.regions = [region]
        artifacts = clean.compile(out_prefix="cells", libs=["own_libs"], f16_type=kind)
        run = SdkRuntime(artifacts, platform, memcpy_required=False)
        run.load()
        run.run()
        run.stop()
        tiles = np.arange(24).reshape(2, 2, 3, 2).transpose(0, 2, 1, 3).reshape(2, 3, 4)
        for y in range(2):
            for x in range(3):
                seen = run.read_symbol(x, y, "seen", dtype="uint16")
                got = [0, 0] if x == 0 else list(tiles[y, 0, :2])
                assert list(seen) == [*got, 8 if (x, y) in ((1, 0), (2, 0)) else 7, x == 0, 42, six], (x, y, seen)
                assert np.array_equal(run.read_symbol(x, y, "data", np.int16), tiles[y, x])
    rect = debug_util("cells").get_symbol_rect(((1, 0), (2, 2)), "data", np.int16)
    assert rect.shape == (2, 2, 4) and list(rect[1, 0]) == [4, 5, 10, 11]
    run.dump_core("core.npy")
    assert np.load("core.npy").shape == (2, 3, 49152)
    assert run.coord_logical_to_physical((2, 1)) == (2, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SdkRuntime(artifacts, platform, memcpy_required=False, simfab_thread=3)
    assert "simfab_thread" in str(caught[0].message)
    refused(ValueError, "1 to 64 threads", SdkRuntime, artifacts, platform, simfab_numthreads=65)
    refused(ValueError, "the levels are", SdkRuntime, artifacts, platform, msg_level="LOUD")


copies(sys.argv[1])
helpers()
for target in (SdkTarget.WSE2, SdkTarget.WSE3):
    ports(target)
    regions(target)
print("SUCCESS")
