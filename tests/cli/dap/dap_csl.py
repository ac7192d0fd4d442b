# SPDX-License-Identifier: MIT
"""Sessions of a client with `tilewright csl debug --dap`: PROGRAM FOLDER. The left PE doubles four numbers and sends them,
the right one adds up what comes and, as `extent` says, waits for more."""

import os
import struct
import subprocess
import sys

from dap_client import Client

LAYOUT = """const line = @get_color(3);
layout {
  @set_rectangle(2, 1);
  @set_tile_code(0, 0, "left.csl", .{ .line = line });
  @set_tile_code(1, 0, "right.csl", .{ .line = line });
  @set_color_config(0, 0, line, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });
  @set_color_config(1, 0, line, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });
}
"""
LEFT = """param line: color;
const queue = @get_output_queue(2);
const to = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = line, .output_queue = queue });
const start_id = @get_local_task_id(8);
var data = [4]f32{ 1.5, 2.0, -3.0, 4.0 };
var table = [2, 3]i16{ 1, 2, 3, 4, 5, -6 };
const all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> data[i] });
const row = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> table[0, i] });
fn twice(v: f32) f32 {
  return v + v;
}
task start() void {
  for (@range(i16, 4)) |i| {
    data[i] = twice(data[i]);
  }
  @fmovs(to, all);
  @mov16(row, table[1, 2] + flat[0]);
}
comptime {
  if (@is_arch("wse3")) @initialize_queue(queue, .{ .color = line });
  @bind_local_task(start, start_id);
  @activate(start_id);
}
var flat = [14]i16{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6 };
"""
RIGHT = """param line: color;
const queue = @get_input_queue(2);
const from = @get_dsd(fabin_dsd, .{ .extent = EXTENT, .fabric_color = line, .input_queue = queue });
const start_id = @get_local_task_id(8);
const sum_id = @get_local_task_id(9);
var got = @zeros([4]f32);
var total: f32 = 0;
const all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> got[i] });
task start() void {
  @fmovs(all, from, .{ .async = true, .activate = sum });
}
task sum() void {
  for (got) |v| {
    total += v;
  }
}
comptime {
  @initialize_queue(queue, .{ .color = line });
  @bind_local_task(start, start_id);
  @bind_local_task(sum, sum_id);
  @activate(start_id);
}
"""
FOREVER = """var turns: u32 = 0;
const start_id = @get_local_task_id(8);
task start() void {
  turns += 1;
  @activate(start_id);
}
comptime {
  @bind_local_task(start, start_id);
  @activate(start_id);
}
"""

tilewright, folder = sys.argv[1:3]


def write(name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def read(name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def line(text, needle):
    return text[:text.index(needle)].count("\n") + 1


def values(variables):
    return {name: v["value"] for name, v in variables.items()}


def client():
    return Client(tilewright, ["csl", "debug"], folder)


def stops_and_looks():
    """Breakpoints of all kinds, an inlined frame, variables with parts, steps; the run ends well."""
    c = client()
    path = os.path.join(folder, "left.csl")
    lines, functions = c.begin(
        "layout.csl", ["--arch=wse3", "--stats", "--memory=stopped.bin", "--trace=stopped.json"],
        [(path, [{"line": line(LEFT, "return v"), "condition": "data[0] == 3"}, {"line": 999}])],
        [{"name": "sum"}, {"name": "nothing"}, {}])
    assert lines[0]["verified"] and lines[0]["line"] == 10, lines
    assert not lines[1]["verified"] and "left.csl:999" in lines[1]["message"], lines
    assert functions[0]["verified"] and functions[0]["line"] == line(RIGHT, "for (got)"), functions
    assert not functions[1]["verified"] and "nothing" in functions[1]["message"], functions
    assert functions[2] == {"verified": False, "message": "it has no name"}, functions

    stop = c.stopped("breakpoint")
    assert stop["threadId"] == 1 and stop["hitBreakpointIds"] == [lines[0]["id"]], stop
    assert c.ask("threads")["threads"] == [{"id": 1, "name": "PE 0,0"}, {"id": 2, "name": "PE 1,0"}]
    frames = c.frames()
    assert c.where() == [("twice (inlined)", 10), ("start", 14)], frames
    assert frames[0]["source"] == {"name": "left.csl", "path": path}, frames
    assert [f["name"] for f in c.ask("stackTrace", threadId=1, startFrame=1, levels=1)["stackFrames"]] == ["start"]
    memory = c.scope(frames[0]["id"], "Memory")
    assert values(memory) == {"data": "{3, 2, -3, 4}", "table": "{{1, 2, 3}, {4, 5, -6}}",
                              "flat": "{0 <repeats 12 times>, 5, 6}"}, memory
    flat = c.parts(memory["flat"])
    assert values(flat) == {"[0]": "0 <repeats 12 times>", "[12]": "5", "[13]": "6"}, flat
    assert flat["[12]"]["evaluateName"] == "flat[12]", flat
    assert values(c.parts(memory["data"])) == {"[0]": "3", "[1]": "2", "[2]": "-3", "[3]": "4"}
    assert struct.unpack("<4f", c.memory(memory["data"]["memoryReference"], 16)) == (3, 2, -3, 4)
    element = c.parts(memory["data"])["[1]"]["memoryReference"]
    assert struct.unpack("<2f", c.memory(element, 8, offset=4)) == (-3, 4)
    end = c.ask("readMemory", memoryReference="0x800000010000bfff", count=9)
    assert end["address"] == "0x800000010000bfff" and end["unreadableBytes"] == 8, end
    assert c.ask("readMemory", memoryReference="0xbfff", count=9) == {"address": "0xbfff", "data": "", "unreadableBytes": 9}
    row = c.parts(memory["table"])["[1]"]
    last = c.parts(row)["[2]"]
    assert last["value"] == "-6" and c.ask("evaluate", expression=last["evaluateName"], frameId=1)["result"] == "-6", last
    part = c.parts(c.ask("evaluate", expression="table[0:2, 1]", frameId=1))
    assert values(part) == {"[0]": "2", "[1]": "5"} and "evaluateName" not in part["[1]"], part
    some = c.ask("variables", variablesReference=memory["data"]["variablesReference"], start=1, count=2)["variables"]
    assert [v["value"] for v in some] == ["2", "-3"], some
    assert c.scope(frames[0]["id"], "PE")["tasks"]["value"].startswith("local    8  start, runs")
    assert "r10" in c.scope(frames[0]["id"], "Registers")
    code = frames[0]["instructionPointerReference"]
    assert c.ask("readMemory", memoryReference=code, count=1)["unreadableBytes"] == 1, "code is no data"
    (of_data,) = c.ask("disassemble", memoryReference=element, instructionCount=1)["instructions"]
    assert of_data["instruction"] == "??", "and data no code"
    assert c.ask("evaluate", expression="data[1] + 1", frameId=1, context="watch") == {"result": "3", "variablesReference": 0}
    assert c.ask("evaluate", expression="data[1]", frameId=1, context="watch")["memoryReference"] == element
    assert "start, runs" in c.ask("evaluate", expression="info tasks", frameId=1, context="repl")["result"]
    assert c.complete("info ro") == ["routes"] and c.complete("da", frameId=1) == ["data"] and c.complete("q") == []
    assert c.complete("break tw") == ["twice"] and "continue" in c.complete("co"), c.complete("co")
    assert c.ask("completions", text="print fla + 1", column=10, frameId=1)["targets"] == [
        {"label": "flat", "type": "variable", "start": 7, "length": 3}]
    assert c.refused("exceptionInfo", threadId=1) == "this thread has not stopped for an exception"
    assert "Undefined command" in c.refused("evaluate", expression="sing", frameId=1, context="repl")
    assert "outside the 4 elements" in c.refused("evaluate", expression="data[9]", frameId=1, context="repl")
    assert c.ask("evaluate", expression=" ", frameId=1, context="repl")["result"] == ""
    assert "no variable 'sing'" in c.refused("evaluate", expression="sing", frameId=1, context="hover")
    shown = c.ask("disassemble", memoryReference=frames[0]["instructionPointerReference"], instructionOffset=-1, instructionCount=3)
    assert len(shown["instructions"]) == 3 and all(i["instruction"] != "??" for i in shown["instructions"]), shown
    far = c.ask("disassemble", memoryReference="0x7fffffff00000000", instructionCount=2)["instructions"]
    assert [i["instruction"] for i in far] == ["??", "??"], far

    c.go("next")
    assert c.where() == [("start", 14)], c.where()
    assert "frame" in c.refused("scopes", frameId=99)
    c.ask("setBreakpoints", source={"path": path}, breakpoints=[])
    c.go("stepIn")
    assert c.where()[0] == ("twice (inlined)", 10), c.where()
    c.go("stepOut")
    assert c.where() == [("start", 14)], c.where()
    before = c.frames()[0]["instructionPointerReference"]
    c.go("next", granularity="instruction")
    assert int(c.frames()[0]["instructionPointerReference"], 16) == int(before, 16) + 1

    stop = c.go("continue", reason="breakpoint")
    assert stop["threadId"] == 2 and stop["hitBreakpointIds"] == [functions[0]["id"]], stop
    idle = c.frames(1)
    assert len(idle) == 1 and idle[0]["name"] == "left.csl, idle" and "source" not in idle[0], idle
    assert values(c.scope(idle[0]["id"], "Memory"))["data"] == "{3, 4, -6, 8}"
    assert c.ask("evaluate", expression="got", frameId=c.frames(2)[0]["id"])["result"] == "{3, 4, -6, 8}"
    c.ask("continue", threadId=2)
    c.ended(0)
    return c.output["stdout"]


def deadlock():
    """What waits for ever is a stop that can be looked into, then a failed run."""
    c = client()
    c.begin("waits.csl", ["--arch=wse3"])
    stop = c.stopped("exception")
    assert "something waits" in stop["text"] and stop["threadId"] == 2, stop
    info = c.ask("exceptionInfo", threadId=2)
    assert info["exceptionId"] == "deadlock" and "PE 1,0: @fmovs at wants.csl:10 waits" in info["description"], info
    assert c.refused("exceptionInfo", threadId=1)
    assert "4 of 6 elements done" in c.scope(c.frames(2)[0]["id"], "PE")["waits for"]["value"]
    c.ask("continue", threadId=1)
    c.ended(1)
    assert "operations wait for what never comes" in c.output["stderr"], c.output


def endless():
    """A pause, a breakpoint set while it runs, what is refused meanwhile; the client just goes at the end."""
    c = client()
    path = os.path.join(folder, "forever.csl")
    c.begin("endless.csl", ["--arch=wse3"], stopOnEntry=True)
    c.stopped("entry")
    assert c.frames()[0]["name"].startswith("forever.csl"), c.frames()
    c.ask("continue", threadId=1)
    assert c.refused("stackTrace", threadId=1) == "notStopped"
    assert c.refused("evaluate", expression="turns") == "notStopped"
    assert c.ask("threads")["threads"] == [{"id": 1, "name": "PE 0,0"}]
    c.ask("pause", threadId=1)
    c.stopped("pause")
    first = int(c.ask("evaluate", expression="turns")["result"])
    wanted = int(c.ask("evaluate", expression="$cycle")["result"]) + 50000
    c.ask("evaluate", expression=f"continue to {wanted}", context="repl")
    c.event("continued")
    c.stopped("pause")
    second = int(c.ask("evaluate", expression="turns")["result"])
    assert second > first, (first, second)
    there = int(c.ask("evaluate", expression="$cycle")["result"])
    assert wanted - 3 < there < wanted + 13, (wanted, there)  # within a window, or a turn
    c.ask("continue", threadId=1)
    (set_now,) = c.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": 5}])["breakpoints"]
    assert set_now["verified"] and set_now["line"] == 5, set_now
    assert c.stopped("breakpoint")["hitBreakpointIds"] == [set_now["id"]]
    assert c.where() == [("start", 5)]
    c.leave()

    c = client()
    c.begin("endless.csl", ["--arch=wse3"])
    c.leave()

    c = client()  # or its pipe breaks
    c.begin("endless.csl", ["--arch=wse3"])
    c.process.stdin.close()
    c.process.stdout.read()
    assert c.process.wait() == 1


def ends():
    """A client ends the program where it runs or stands; what it has done can be looked at, and it can begin again."""
    c = client()
    c.begin("endless.csl", ["--arch=wse3"], stopOnEntry=True)
    c.stopped("entry")
    c.ask("continue", threadId=1)
    c.ask("terminate")
    c.event("terminated")
    assert int(c.ask("evaluate", expression="turns")["result"]) >= 0
    assert c.refused("continue", threadId=1) == c.refused("terminate") == "the program has ended"
    c.ask("restart", arguments={"stopOnEntry": True})
    c.stopped("entry")
    c.ask("terminate")
    c.event("terminated")
    assert c.refused("next", threadId=1) == "the program has ended"
    cycle = c.ask("evaluate", expression="$cycle")["result"]
    for word in ("continue", "step", "run"):
        assert c.refused("evaluate", expression=word, context="repl") == "the program has ended"
    assert c.ask("evaluate", expression="$cycle")["result"] == cycle and not c.events, c.events
    at_entry = ("restart", {"arguments": {"stopOnEntry": True}})
    c.ask("restart", arguments={"stopOnEntry": False})  # of `terminate` and `restart` while it runs, the later one counts
    c.ask_at_once(("terminate", {}), at_entry)
    assert c.next_event() == "stopped"
    cycle = int(c.ask("evaluate", expression="$cycle")["result"])
    c.ask("continue", threadId=1)
    c.ask_at_once(at_entry, ("terminate", {}))
    assert c.next_event() == "terminated"
    assert int(c.ask("evaluate", expression="$cycle")["result"]) > cycle, "where it stood"
    assert c.refused("continue", threadId=1) == "the program has ended" and not c.events, c.events
    c.leave()
    c = client()
    c.begin("bad_store.csl", ["--arch=wse3"])
    c.stopped("exception")
    info = c.ask("exceptionInfo", threadId=1)
    assert info["exceptionId"] == "fault" and "far.csl:4: " in info["details"]["message"], info
    assert "outside the 49152 bytes of a PE" in info["description"] or "outside the 49152 bytes of PE memory" in info["description"], info
    c.ask("continue", threadId=1)
    c.event("terminated")
    assert c.refused("exceptionInfo", threadId=1) == "this thread has not stopped for an exception"
    c.leave()


def counts():
    """The third hit stops, and those behind it."""
    c = client()
    answers, = c.begin("endless.csl", ["--arch=wse3"], [(os.path.join(folder, "forever.csl"), [
        {"line": 4, "hitCondition": "3"}, {"line": 5, "hitCondition": "often"}])])
    assert answers[0]["verified"] and answers[1] == {"verified": False, "message": "the hit count is a number of hits"}, answers
    c.stopped("breakpoint")
    assert c.ask("evaluate", expression="turns")["result"] == "2"
    c.go("continue", reason="breakpoint")
    assert c.ask("evaluate", expression="turns")["result"] == "3"
    c.ask("evaluate", expression=f"ignore {answers[0]['id']} 4", context="repl")
    c.go("continue", reason="breakpoint")
    assert c.ask("evaluate", expression="turns")["result"] == "8"
    assert "no breakpoint number 9" in c.refused("evaluate", expression="ignore 9 1", context="repl")
    assert "ignore N COUNT" in c.refused("evaluate", expression="ignore 1", context="repl")
    c.leave()


def again():
    """Log points, and the whole once more: from a stop, and of what runs; values that are set."""
    c = client()
    path = os.path.join(folder, "forever.csl")
    answers, = c.begin("endless.csl", ["--arch=wse3"], [(path, [
        {"line": 4, "logMessage": "{turns} turns, {nothing}", "condition": "turns < 3"},
        {"line": 5, "hitCondition": "3"}])])
    c.stopped("breakpoint")
    logged = c.output["console"]
    assert [text in logged for text in ("0 turns, ", "1 turns, ", "2 turns, ", "3 turns")] == [True, True, True, False], logged
    assert "no variable 'nothing'" in logged, logged
    c.ask("restart")
    assert c.stopped("breakpoint")["hitBreakpointIds"] == [answers[1]["id"]]
    assert c.output["console"].count("0 turns, ") == 2, c.output
    assert c.ask("evaluate", expression="turns")["result"] == "1", "its count of hits has gone on"
    memory = {s["name"]: s for s in c.ask("scopes", frameId=c.frames()[0]["id"])["scopes"]}["Memory"]
    of_memory = {"variablesReference": memory["variablesReference"], "name": "turns"}
    assert c.ask("setVariable", value="2 + 3", **of_memory) == {"value": "5", "variablesReference": 0}
    assert c.refused("setVariable", value="data", **of_memory) and "is no" in c.refused("setVariable", value="1.5", **of_memory)
    assert c.ask("evaluate", expression="turns")["result"] == "5"
    c.ask("setBreakpoints", source={"path": path}, breakpoints=[])
    c.ask("continue", threadId=1)
    c.ask("restart", arguments={"stopOnEntry": True})
    c.stopped("entry")
    assert int(c.ask("evaluate", expression="$cycle")["result"]) < 100
    c.leave()


def many():
    """Of a large wafer the PEs around the one looked at are threads; others can be asked for by their numbers."""
    c = client()
    c.begin("many.csl", ["--arch=wse3"], stopOnEntry=True)
    c.stopped("entry")
    names = [t["name"] for t in c.ask("threads")["threads"]]
    assert len(names) == 256 and names[0] == "PE 0,0" and names[-1] == "PE 15,15", names
    c.ask("evaluate", expression="pe 39,20", context="repl")
    names = [t["name"] for t in c.ask("threads")["threads"]]
    assert len(names) == 256 and names[0] == "PE 24,12" and names[-1] == "PE 39,27", names
    assert c.frames(40 * 29 + 40)[0]["name"].startswith("forever.csl")
    assert c.refused("stackTrace", threadId=40 * 30 + 1) == "there is no such thread"
    c.leave()


def limit():
    """The options are those of the command line, and so is what goes wrong."""
    c = client()
    c.begin("endless.csl", ["--arch=wse3", "--max-cycles=1000"])
    c.ended(1)
    assert "1000" in c.output["stderr"], c.output


def starts_once():
    """The run is the client's to start, whatever the console says; a program is a file."""
    c = client()
    c.initialize()
    assert "names the file" in c.refused("launch", program="-")
    c.ask("launch", program="layout.csl", args=["--arch=wse3"])
    c.event("initialized")
    assert "The client starts it" in c.refused("evaluate", expression="run", context="repl")
    c.ask("configurationDone")
    c.ended(0)


def launches():
    """A program that is none is told; the next may be one. Without debugging nothing stops it."""
    c = client()
    c.initialize(linesStartAt1=False)
    assert "nowhere.csl" in c.refused("launch", program="nowhere.csl", args=["--arch=wse3"])
    assert "bad.csl:" in c.refused("launch", program="bad.csl", args=["--arch=wse3"])
    assert "--arch" in c.refused("launch", program="layout.csl", args=["--arch=wse9"])
    assert "stands alone" in c.refused("launch", program="layout.csl", args=["--dap"])
    assert "no folder" in c.refused("launch", program="layout.csl", cwd="/nowhere/at/all")
    launch = c.send("launch", program="layout.csl", args=["--arch=wse3"], cwd=folder, noDebug=True)
    assert c.answer(launch)["success"]
    c.event("initialized")
    (none,) = c.ask("setBreakpoints", source={"path": "left.csl"}, breakpoints=[{"line": 9}])["breakpoints"]
    assert none["verified"] is False, none
    c.ask("configurationDone")
    c.ended(0)

    c = client()  # lines from 0 on
    c.initialize(linesStartAt1=False)
    c.send("launch", program=os.path.join(folder, "layout.csl"), args=["--arch=wse3"])
    c.event("initialized")
    where = {"path": "file://" + folder + "/left.csl"}
    (one,) = c.ask("setBreakpoints", source=where, breakpoints=[{"line": 9}])["breakpoints"]
    assert one["verified"] and one["line"] == 9, one
    c.ask("configurationDone")
    c.stopped("breakpoint")
    assert c.where()[0][1] == 9
    c.leave()


def library():
    """What the language's libraries do is shown in a file with their lines."""
    c = client()
    c.begin("prints.csl", ["--arch=wse3", "-O0"], [], [{"name": "out.flush"}])
    c.stopped("breakpoint")
    source, at = c.frames()[0]["source"], c.where()[0][1]
    with open(source["path"], encoding="utf-8") as text:
        assert "put('\\n')" in "".join(text.readlines()[at - 1:at + 1]), (source, at)
    c.leave()


write("layout.csl", LAYOUT)
write("prints.csl", 'layout {\n  @set_rectangle(1, 1);\n  @set_tile_code(0, 0, "hello.csl", .{});\n}\n')
write("hello.csl", 'const out = @import_module("<simprint>");\ntask hello() void {\n  out.fmt("hello", .{});\n}\n'
      'const id = @get_local_task_id(8);\ncomptime {\n  @bind_local_task(hello, id);\n  @activate(id);\n}\n')
write("waits.csl", LAYOUT.replace("right.csl", "wants.csl"))
write("left.csl", LEFT)
write("right.csl", RIGHT.replace("EXTENT", "4"))
write("wants.csl", RIGHT.replace("EXTENT", "6"))
write("endless.csl", 'layout {\n  @set_rectangle(1, 1);\n  @set_tile_code(0, 0, "forever.csl", .{});\n}\n')
write("many.csl", 'layout {\n  @set_rectangle(40, 30);\n  for (@range(u16, 40)) |x| {\n    for (@range(u16, 30)) |y| {\n'
      '      @set_tile_code(x, y, "forever.csl", .{});\n    }\n  }\n}\n')
write("forever.csl", FOREVER)
write("bad.csl", "layout {\n")
write("bad_store.csl", 'layout {\n  @set_rectangle(1, 1);\n  @set_tile_code(0, 0, "far.csl", .{});\n}\n')
write("far.csl", FOREVER.replace("turns += 1", "const p: [*]u16 = @bitcast([*]u16, @as(u16, 0xbfff)); p[1] = 1"))
stats = stops_and_looks()
plain = subprocess.run([tilewright, "csl", "run", "layout.csl", "--arch=wse3", "--stats", "--memory=run.bin", "--trace=run.json"], cwd=folder, check=True,
                       stdout=subprocess.PIPE, encoding="utf-8").stdout
assert "cycles on 2 x 1 PEs" in plain and plain in stats, (plain, stats)
for kind in ("bin", "json"):
    assert read("stopped." + kind) == read("run." + kind), kind
deadlock()
endless()
ends()
counts()
again()
many()
limit()
launches()
starts_once()
library()
