# SPDX-License-Identifier: MIT
"""Sessions of a client with `tilewright sim --dap`: PROGRAM FOLDER. C++ with debug information, then assembly."""

import os
import subprocess
import sys

from dap_client import Client

SOURCE = """struct Point { float y; short s[3]; Point *next; };
namespace deep { volatile int sink; }
static inline int square(int v)
{
    int w = v * v;
    deep::sink = w;
    return w + 1;
}
extern "C" __attribute__((noinline)) int sum(const Point *p, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        deep::sink = 2 * i;
        total += square(i) + p->s[i % 3];
        deep::sink = total;
    }
    return total;
}
extern "C" int entry(int n, float f)
{
    Point p = { f, { 1, -2, 3 }, nullptr };
    int result = sum(&p, n);
    deep::sink = result;
    return result;
}
"""
PLACES = """static volatile int sink;
static inline int twice(int v)
{
    sink = v;
    return v + v;
}
extern "C" __attribute__((noinline)) int first(int a) { return twice(a) + 1; }
extern "C" __attribute__((noinline)) int second(int a) { return twice(a) + 2; }
extern "C" int entry(int a) { return first(a) * second(a); }
"""
SPIN = """.globl spin
.type spin, @function
spin:
    setzi $m0, 0
again:
    add $m0, $m0, 1
    bri again
"""
FAULT = """.globl fault
fault:
    setzi $m0, 3
    ld32 $m1, $m0, $mzero, 0
    br $lr
"""

tilewright, folder = sys.argv[1:3]


def write(name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def line(needle):
    return SOURCE[:SOURCE.index(needle)].count("\n") + 1


def client():
    return Client(tilewright, ["sim"], folder)


def values(variables):
    return {name: v["value"] for name, v in variables.items()}


def source():
    """Functions, an inlined call, variables with parts, steps, a call that returns."""
    c = client()
    path = os.path.join(folder, "a.cpp")
    lines, functions = c.begin("a.o", ["--call", "entry(4, 1.5f)"],
                               [(path, [{"line": line("int w = v"), "condition": "v == 2"}, {"line": 400}])],
                               [{"name": "sum"}, {"name": "subtract"}], stopOnEntry=True)
    assert lines[0]["verified"] and lines[0]["line"] == line("int w = v"), lines
    assert lines[1]["verified"] is False and "no code at line 400" in lines[1]["message"], lines
    assert functions[0]["verified"], functions
    assert functions[1]["verified"] is False, functions
    c.stopped("entry")
    assert c.where() == [("entry", line("extern \"C\" int entry"))], c.where()
    assert c.ask("threads")["threads"] == [{"id": 1, "name": "worker 0"}]

    assert c.go("continue", reason="breakpoint")["hitBreakpointIds"] == [functions[0]["id"]]
    frames = c.frames()
    assert frames[0]["line"] == functions[0]["line"] >= line('extern "C" __attribute__'), frames
    assert [f["name"] for f in frames] == ["sum", "entry"] and frames[1]["line"] == line("int result"), frames
    assert frames[0]["source"] == {"name": "a.cpp", "path": path}, frames
    local = c.scope(frames[0]["id"], "Locals")
    assert local["n"]["value"] == "4", local
    assert "memoryReference" not in local["n"], "it is in a register"
    assert "memoryReference" not in c.ask("evaluate", expression="n", frameId=frames[0]["id"])
    point = c.ask("evaluate", expression="*p", frameId=frames[0]["id"], context="watch")
    assert c.memory(point["memoryReference"], 6) == b"\0\0\xc0\x3f\1\0", "1.5f, then 1"
    parts = c.parts(point)
    assert parts["y"]["value"] == "1.5" and parts["s"]["value"] == "{1, -2, 3}", parts
    assert values(c.parts(parts["s"])) == {"[0]": "1", "[1]": "-2", "[2]": "3"}
    registers = c.scope(frames[0]["id"], "Registers")
    assert registers["$m1"]["value"] == "4 (0x4)" and "$a7" in registers, registers

    assert c.go("continue", reason="breakpoint")["hitBreakpointIds"] == [lines[0]["id"]]
    frames = c.frames()
    assert [f["name"] for f in frames] == ["square (inlined)", "sum", "entry"], frames
    assert values(c.scope(frames[0]["id"], "Locals"))["v"] == "2"
    assert values(c.scope(frames[1]["id"], "Locals"))["i"] == "2"
    c.go("stepOut")
    assert [f["name"] for f in c.frames()] == ["sum", "entry"], c.frames()
    c.go("next")
    assert c.where()[1][0] == "entry"
    c.ask("setBreakpoints", source={"path": path}, breakpoints=[])
    c.go("stepOut")
    assert len(c.frames()) == 1 and "Returned with $m0 =" in c.output["console"], c.output
    before = c.frames()[0]["instructionPointerReference"]
    c.go("stepIn", granularity="instruction")
    code = c.ask("disassemble", memoryReference=before, instructionOffset=-1, instructionCount=2)["instructions"]
    assert code[1]["address"] == before and code[0]["instruction"].startswith("call"), code
    assert code[0]["line"] == line("int result"), code
    assert c.ask("evaluate", expression="$m0", context="repl")["result"].startswith("21 "), "1+2+5+10 and 1-2+3+1"
    assert "worker 0" in c.ask("evaluate", expression="info threads", context="repl")["result"]
    assert c.refused("evaluate", expression="continue", context="repl") == "The client has this."
    c.ask("continue", threadId=1)
    c.ended(0)
    assert "[worker 0 ended" in c.output["stdout"], c.output


def changes():
    """Values that are set, log points, a breakpoint of several places, and the whole once more."""
    c = client()
    can = c.initialize()
    assert can["supportsLogPoints"] and can["supportsSetVariable"] and can["supportsRestartRequest"], can
    c.ask("launch", program="a.o", args=["--call", "entry(4, 1.5f)"])
    path = os.path.join(folder, "a.cpp")
    log = {"line": line("int w = v"), "logMessage": "v is {v}, {nothing} {"}
    function, last = c.ask("setBreakpoints", source={"path": path}, breakpoints=[log, {"line": line("return total")}])["breakpoints"]
    assert function["verified"] and last["verified"], (function, last)
    c.ask("setFunctionBreakpoints", breakpoints=[{"name": "sum"}])
    assert c.refused("restart") == "'configurationDone' starts it"
    c.ask("configurationDone")
    c.stopped("breakpoint")
    (frame, caller) = c.frames()
    registers = {s["name"]: s for s in c.ask("scopes", frameId=frame["id"])["scopes"]}["Registers"]
    set_register = {"variablesReference": registers["variablesReference"], "name": "$m1", "value": "3"}
    assert c.ask("setVariable", **set_register) == {"value": "3 (0x3)", "variablesReference": 0}
    assert "is no" in c.refused("setVariable", variablesReference=registers["variablesReference"], name="$m1", value="x y")
    assert c.refused("setVariable", variablesReference=999, name="x", value="1") == "there are no such variables"
    assert c.refused("setVariable", variablesReference=registers["variablesReference"], name="x", value="1")
    point = c.scope(caller["id"], "Locals")["p"]
    for name, value, now in (("y", "-2.5", "-2.5"), ("next", "0x10", "0x10")):
        assert c.ask("setVariable", variablesReference=point["variablesReference"], name=name, value=value)["value"] == now
    shorts = c.parts(point)["s"]
    assert c.ask("setVariable", variablesReference=shorts["variablesReference"], name="[1]", value="7")["value"] == "7"
    assert "is no number" in c.refused("setVariable", variablesReference=point["variablesReference"], name="s", value="1")
    c.go("continue", reason="breakpoint")
    assert c.output["console"].count("v is ") == 3 and "v is 2, there is no" in c.output["console"], c.output
    c.go("stepOut")
    assert "Returned with $m0 = %d " % ((1 + 2 + 5) + (1 + 7 + 3)) in c.output["console"], c.output
    c.ask("restart")
    c.stopped("breakpoint")
    assert c.scope(c.frames()[1]["id"], "Locals")["p"]["value"].startswith("{y = 1.5, s = {1, -2, 3}")
    c.ask("setFunctionBreakpoints", breakpoints=[])
    c.ask("restart", arguments={"stopOnEntry": True})
    c.stopped("entry")
    assert len(c.frames()) == 1
    c.ask("setBreakpoints", source={"path": path}, breakpoints=[])
    c.ask("continue", threadId=1)
    c.ended(0)


def places():
    """A breakpoint in an inlined function has several places; each stop has the one id that the client knows."""
    c = client()
    ((wanted,),) = c.begin("b.o", ["--call", "entry(4)"], [(os.path.join(folder, "b.cpp"), [{"line": 4}])])
    ids = [c.stopped("breakpoint")["hitBreakpointIds"], c.go("continue", reason="breakpoint")["hitBreakpointIds"]]
    assert ids == [[wanted["id"]]] * 2, (ids, wanted)
    assert c.where()[-2][0] in ("first", "second") and "Breakpoint %d, " % (wanted["id"] + 1) in c.output["console"], c.output
    c.ask("continue", threadId=1)
    c.ended(0)


def assembly():
    """A pause of what never ends, a breakpoint set meanwhile; a fault is a stop that can be looked at."""
    c = client()
    c.begin("spin.s", ["--entry=spin"])
    assert c.refused("variables", variablesReference=1) == "notStopped"
    c.ask("pause", threadId=1)
    c.stopped("pause")
    c.ask("continue", threadId=1)
    (here,) = c.ask("setBreakpoints", source={"path": os.path.join(folder, "spin.s")}, breakpoints=[{"line": 6}])["breakpoints"]
    assert here["verified"] and here["line"] == 6, here
    assert c.stopped("breakpoint")["hitBreakpointIds"] == [here["id"]]
    assert c.where()[0][1] == 6
    first = int(c.ask("evaluate", expression="$m0")["result"].split()[0])
    c.go("continue", reason="breakpoint")
    assert int(c.ask("evaluate", expression="$m0")["result"].split()[0]) == first + 1
    c.ask("setBreakpoints", source={"path": os.path.join(folder, "spin.s")}, breakpoints=[{"line": 6, "hitCondition": "5"}])
    c.go("continue", reason="breakpoint")
    assert int(c.ask("evaluate", expression="$m0")["result"].split()[0]) == first + 6
    c.ask("setBreakpoints", source={"path": os.path.join(folder, "spin.s")}, breakpoints=[])
    (here,) = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "again"}])["breakpoints"]
    c.ask("continue", threadId=1)
    assert c.stopped("breakpoint")["hitBreakpointIds"] == [here["id"]]
    c.ask("setFunctionBreakpoints", breakpoints=[])
    c.ask("continue", threadId=1)
    c.ask("restart", arguments={"stopOnEntry": True})  # of what runs
    c.stopped("entry")
    assert c.ask("evaluate", expression="$m0")["result"].startswith("0 "), "from the start"
    c.ask("evaluate", expression="set $m0 = 7", context="repl")
    assert c.ask("evaluate", expression="$m0")["result"] == "7 (0x7)"
    c.ask("continue", threadId=1)
    c.leave()

    c = client()
    c.begin("fault.s", [])
    stop = c.stopped("exception")
    assert "fault.s:4" in stop["text"] and c.where()[0][1] == 4, (stop, c.where())
    info = c.ask("exceptionInfo", threadId=stop["threadId"])
    assert info["exceptionId"] == "INVALID_ADDRESS" and "0x3" in info["details"]["message"], info
    code = c.ask("evaluate", expression="fault")["memoryReference"]
    assert c.memory(code, 4) == c.memory("0x4c000", 4) and len(c.memory("0x4c000", 8)) == 8, code
    for value in ("fault + 4", "$m0", "3"):
        assert "memoryReference" not in c.ask("evaluate", expression=value), value
    assert c.ask("readMemory", memoryReference="0", count=2) == {"address": "0x0", "data": "", "unreadableBytes": 2}
    assert c.complete("x fa") == ["fault"] and c.complete("con") == [], "the client's"
    assert "$m13" in c.complete("$m", frameId=c.frames()[0]["id"])
    assert values(c.scope(c.frames()[0]["id"], "Registers"))["$m0"] == "3 (0x3)"
    c.ask("continue", threadId=1)
    c.event("terminated")
    assert c.refused("exceptionInfo", threadId=stop["threadId"]) == "this thread has not stopped for an exception"
    c.leave()

    c = client()
    c.initialize()
    assert "bad.s:1:5" in c.refused("launch", program="bad.s")
    assert "nowhere.s" in c.refused("launch", program="nowhere.s")
    assert c.refused("attach", processId=1).startswith("there is nothing to attach to")
    c.leave()


write("a.cpp", SOURCE)
write("b.cpp", PLACES)
write("spin.s", SPIN)
write("fault.s", FAULT)
write("bad.s", "    sing $m0\n")
assembly()
def is_compiled(name):
    words = [tilewright, "popc", "-g", "-c", "--target", "ipu2", name + ".cpp", "-o", name + ".o"]
    return subprocess.run(words, cwd=folder, check=False).returncode == 0


if is_compiled("a") and is_compiled("b"):
    source()
    changes()
    places()
else:
    print("no compiler for the chip: sessions with C++ are left out")
