"""A host script: copies, launches, errors and helpers of the package, on examples/csl/gemv; ports of a small layout."""

import json
import sys

import numpy as np

from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk import sdk_utils
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import (
    Color, Edge, MemcpyDataType, MemcpyOrder, Route, RoutingPosition, SdkLayout, SdkRuntime, SdkTarget, get_platform,
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
    refused(RuntimeError, "exports no 'z'", run.get_id, "z")
    refused(TypeError, "takes 0 arguments", run.launch, "rows", 1)
    refused(TypeError, "4 bytes", run.memcpy_h2d, run.get_id("x"), np.zeros(n), 0, 0, 1, 1, n)
    refused(ValueError, "the copy needs", run.memcpy_h2d, run.get_id("x"), x[1:], 0, 0, 1, 1, n)
    run.stop()
    refused(RuntimeError, "stopped", run.launch, "rows")
    assert np.array_equal(debug_util(folder).get_symbol(4, 1, "y", np.float32), y)
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


copies(sys.argv[1])
helpers()
for target in (SdkTarget.WSE2, SdkTarget.WSE3):
    ports(target)
print("SUCCESS")
