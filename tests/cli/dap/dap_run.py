# SPDX-License-Identifier: MIT
"""Sessions of a client with `tilewright run --dap`: PROGRAM FOLDER. Two tiles scale a row of a tensor each, twice."""

import os
import subprocess
import sys

from dap_client import Client

CODELET = """#include <poplar/Vertex.hpp>
class Scale : public poplar::Vertex {
  public:
    poplar::InOut<poplar::Vector<int>> data;
    int factor;
    bool compute()
    {
        for (unsigned i = 0; i < data.size(); i++)
            data[i] *= factor;
        return true;
    }
};
"""
# It never ends, in a function that compute() calls.
SPIN = (CODELET.replace("Scale", "Spin").replace("data[i] *= factor", "deep(&data[i], factor)").replace(
    "    bool compute", """    __attribute__((noinline)) static void deep(volatile int *p, int times)
    {
        while (*p != times)
            ;
    }
    bool compute"""))
HOST = """#include <tilewright/tilewright.h>
int main(int argc, char **argv)
{
    puts("before the engine");
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "scale.cpp", NULL);
    tw_tensor x = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 2, 3 }, "x");
    tw_graph_set_initial_value(g, x, (int[]){ 1, 2, 3, 4, 5, 6 }, false);
    static int zeros[40][30];
    tw_tensor wide = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 40, 30 }, "wide");
    tw_graph_map(g, wide, 1);
    tw_graph_set_initial_value(g, wide, zeros, false);
    tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
    for (unsigned tile = 0; tile < 2; tile++) {
        tw_graph_map(g, tw_tensor_index(g, x, tile), tile);
        tw_vertex v = tw_graph_add_vertex(g, cs, "Scale", tile);
        tw_graph_connect(g, v, "data", tw_tensor_index(g, x, tile));
        tw_graph_set_field_int(g, v, "factor", 2 + (int)tile);
    }
    tw_program once = tw_program_execute(g, cs);
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2, (tw_program[]){ once, once }), NULL);
    if (tw_engine_load(e, dev) != TW_OK || tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    printf("%s, %d words\\n", argc > 1 ? argv[1] : "nothing", (int)fread(argv, 1, 1, stdin));
    tw_engine_free(e), tw_graph_free(g), tw_device_free(dev);
    return 7;
}
"""

tilewright, folder = sys.argv[1:3]


def client(*words):
    c = Client(tilewright, ["run"], folder, words)
    c.initialize()
    c.ask("launch", program="scale.c")
    c.event("initialized")
    return c


def vertices():
    """Breakpoints at lines, vertices and steps, what is shown there, steps; the program's own status and output."""
    c = client("--device", "ipu-sim", "scale.c", "word")
    path = os.path.join(folder, "scale.cpp")
    (line, none) = c.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": 9, "condition": "$mvertex_base == 0"}, {"line": 99}])["breakpoints"]
    assert line["verified"] and not none["verified"] and "No tile has code" in none["message"], (line, none)
    names = [{"name": "vertex Scale tile 1"}, {"name": "step scale", "logMessage": "x is {x[0, 0..2]}"}, {"name": "nothing"}]
    functions = c.ask("setFunctionBreakpoints", breakpoints=names)["breakpoints"]
    assert [f["verified"] for f in functions] == [True, True, False], functions
    c.ask("configurationDone")
    stop = c.stopped("breakpoint")
    assert stop["hitBreakpointIds"] == [functions[0]["id"]], stop
    assert "x is int[2] [1 2]" in c.output["console"] and c.output["stdout"] == "before the engine\n", c.output
    assert c.ask("threads")["threads"] == [{"id": 1, "name": "worker 0"}]
    c.go("stepIn", granularity="instruction")
    frames = c.frames()
    assert frames[0]["source"]["path"] == path and frames[-1]["name"].startswith("step 1: compute set 'scale'"), frames
    (compute,) = [f for f in frames if f["name"].startswith("Scale::compute")]
    assert c.ask("evaluate", expression="factor", frameId=compute["id"])["result"] == "3", frames
    tensors = c.scope(frames[0]["id"], "Tensors")
    assert tensors["x"]["value"].startswith("int[2, 3] [\n"), tensors
    rows = c.ask("variables", variablesReference=tensors["x"]["variablesReference"])["variables"]
    assert [(r["name"], r["value"], r["evaluateName"]) for r in rows] == [
        ("[0]", "[2 4 6]", "x[0]"), ("[1]", "[4 5 6]", "x[1]")], rows
    cells = c.ask("variables", variablesReference=rows[1]["variablesReference"], start=2, count=9)["variables"]
    assert [(r["name"], r["value"], r["evaluateName"]) for r in cells] == [("[2]", "6", "x[1, 2]")], cells
    part = c.ask("evaluate", expression="x[0..2]", frameId=compute["id"])
    rows = c.ask("variables", variablesReference=part["variablesReference"])["variables"]
    assert [(r["name"], r["value"], "evaluateName" in r) for r in rows] == [("[0]", "[2 4 6]", False), ("[1]", "[4 5 6]", False)], rows
    cells = c.ask("variables", variablesReference=rows[1]["variablesReference"])["variables"]
    assert [(r["name"], r["value"], "evaluateName" in r) for r in cells][2] == ("[2]", "6", False), cells
    many = c.ask("variables", variablesReference=tensors["wide"]["variablesReference"])["variables"]
    assert [(r["name"], r["variablesReference"] > 0) for r in many] == [("[0]", True), ("[1]", True), ("[2]", True), ("...", False)], many
    assert c.ask("evaluate", expression="x[1, 2]", frameId=compute["id"])["result"] == "int 6", cells
    assert c.complete("tensor wi") == ["wide"] and "this" in c.complete("print th", frameId=frames[0]["id"])
    assert len(c.memory(frames[0]["instructionPointerReference"], 4)) == 4
    assert "data" in c.scope(frames[0]["id"], "Vertex")["vertex"]["value"]
    registers = {s["name"]: s for s in c.ask("scopes", frameId=frames[0]["id"])["scopes"]}["Registers"]
    c.ask("setVariable", variablesReference=registers["variablesReference"], name="$m9", value="5")
    assert "tile 1" in c.ask("evaluate", expression="info vertex", context="repl")["result"]
    assert c.refused("evaluate", expression="finish", context="repl") == "The client has this."
    assert c.refused("restart") == "it cannot be started again"
    c.ask("setFunctionBreakpoints", breakpoints=[])
    c.go("stepOut")
    while len(c.frames()) > 1:
        c.go("stepOut")
    assert c.frames()[0]["name"].startswith("step 2: compute set 'scale'"), c.frames()
    assert c.ask("threads")["threads"] == [{"id": 1, "name": "the program"}]
    assert c.ask("evaluate", expression="x[1]", context="watch")["result"] == "int[3] [12 15 18]"
    assert "no tensor" in c.refused("evaluate", expression="y")
    assert "needs a vertex" in c.refused("evaluate", expression="x/4xw 0", context="repl")
    c.ask("continue", threadId=1)
    c.ended(7, 7)
    assert c.output["stdout"].endswith("word, 0 words\n"), c.output


def endless():
    """What a client asks is heard while a vertex runs that no breakpoint holds up."""
    os.environ["POPLAR_ENGINE_OPTIONS"] = '{"simulator.turnLimit":"0"}'
    c = client("--device", "ipu-sim", "spin.c")
    c.ask("setFunctionBreakpoints", breakpoints=[{"name": "vertex Spin tile 0", "logMessage": "it spins"}])
    c.ask("configurationDone")
    while "it spins" not in c.output.get("console", ""):
        c.read()
    c.ask("pause", threadId=1)
    c.stopped("pause")
    frames = c.frames()
    names = [f["name"] for f in frames]  # who called is known, though nobody followed the calls
    assert names[0].startswith("Spin::deep") and names[1].startswith("Spin::compute"), names
    place = c.ask("evaluate", expression="&data[0]", frameId=frames[1]["id"], context="watch")["result"].split()[-1]
    c.ask("evaluate", expression=f"set *{place} = 2", context="repl")
    c.ask("stepOut", threadId=1)
    assert c.stopped("step") and c.frames()[0]["name"].startswith("Spin::compute"), c.frames()
    c.ask("terminate")
    assert c.next_event() == "terminated"
    c.leave()

    c = client("--device", "ipu-sim", "spin.c")
    c.ask("setFunctionBreakpoints", breakpoints=[{"name": "vertex Spin tile 0", "logMessage": "it spins"}])
    c.ask("configurationDone")
    while "it spins" not in c.output.get("console", ""):
        c.read()
    lines = {"source": {"path": os.path.join(folder, "spin.cpp")}, "breakpoints": [{"line": 8}]}
    (line,) = c.ask("setBreakpoints", **lines)["breakpoints"]
    assert c.stopped("breakpoint")["hitBreakpointIds"] == [line["id"]], line
    c.leave()
    del os.environ["POPLAR_ENGINE_OPTIONS"]


def steps():
    """On a model it stops at steps; the client goes, and takes the program with it."""
    c = client("scale.c")
    (none,) = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "vertex Scale"}])["breakpoints"]
    assert "code of the host" in none["message"], none
    c.leave()

    c = client("scale.c")
    c.ask("configurationDone")
    assert c.event("exited")["exitCode"] == 7
    c.event("terminated")
    for request, words in (("evaluate", {"expression": "x"}), ("stackTrace", {"threadId": 1}), ("completions", {"text": "x", "column": 2}),
                           ("setBreakpoints", {"source": {"path": "scale.cpp"}, "breakpoints": [{"line": 9}]}), ("threads", {})):
        assert c.refused(request, **words) == "the program has ended", request  # the engine is freed
    c.leave(7)


def ends():
    """A client ends the program at a step, or while it runs: it goes no further, and can still be looked at."""
    c = client("scale.c", "word")
    (scale,) = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "step scale"}])["breakpoints"]
    c.ask("configurationDone")
    assert c.stopped("breakpoint")["hitBreakpointIds"] == [scale["id"]]
    c.ask("terminate")
    assert c.next_event() == "terminated"
    for command in ("continue", "next", "terminate"):
        assert c.refused(command, threadId=1) == "the program has ended", command
    assert c.refused("restart") == "it cannot be started again"
    assert c.ask("evaluate", expression="x[1]", context="watch")["result"] == "int[3] [4 5 6]"
    assert c.frames()[0]["name"].startswith("step 1: compute set 'scale'")
    c.leave()
    assert "word" not in c.output["stdout"] and not c.events, (c.output, c.events)

    c = client("scale.c", "word")
    c.ask_at_once(("configurationDone", {}), ("terminate", {}))  # the program runs when it takes the second
    assert c.next_event() == "terminated"
    assert c.ask("evaluate", expression="x[1]", context="watch")["result"] == "int[3] [4 5 6]"
    c.leave()
    assert "word" not in c.output["stdout"] and not c.events, (c.output, c.events)

    c = client("scale.c")  # before it has begun
    c.ask("terminate")
    assert c.next_event() == "terminated"
    assert c.refused("configurationDone") == "the program has ended"
    c.leave()


with open(os.path.join(folder, "scale.cpp"), "w", encoding="utf-8") as file:
    file.write(CODELET)
with open(os.path.join(folder, "scale.c"), "w", encoding="utf-8") as file:
    file.write(HOST)
with open(os.path.join(folder, "spin.cpp"), "w", encoding="utf-8") as file:
    file.write(SPIN)
with open(os.path.join(folder, "spin.c"), "w", encoding="utf-8") as file:
    file.write(HOST.replace("Scale", "Spin").replace("scale.cpp", "spin.cpp"))
if subprocess.run([tilewright, "popc", "-c", "--target", "ipu2", "scale.cpp", "-o", "scale.o"], cwd=folder, check=False).returncode == 0:
    vertices()
    endless()
else:
    print("no compiler for the chip: vertices are left out")
steps()
ends()
