# SPDX-License-Identifier: MIT
"""What `csl debug --dap` and `sim --dap` answer to what no client should send: PROGRAM FOLDER. Messages come all at once,
from a pipe that ends; every request is answered, and the adapter ends by itself."""

import json
import os
import random
import subprocess
import sys

tilewright, folder = sys.argv[1:3]
COMMANDS = {"sim": ["sim", "--dap"], "csl": ["csl", "debug", "--dap"]}
failures = []
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):  # a report is no status that the adapter has itself
    os.environ[name] = os.environ.get(name, "") + ":exitcode=99"


def framed(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def request(seq, command, **arguments):
    return framed({"seq": seq, "type": "request", "command": command, "arguments": arguments})


def session(kind, data):
    done = subprocess.run([tilewright] + COMMANDS[kind], input=data, stdout=subprocess.PIPE, cwd=folder, check=False)
    messages, rest = [], done.stdout
    while rest:
        header, _, rest = rest.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1])
        messages.append(json.loads(rest[:length]))
        rest = rest[length:]
    return messages, done.returncode


def answers(messages):
    return [(m["request_seq"], m["success"], m.get("message")) for m in messages if m["type"] == "response"]


def check(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: {got}, not {wanted}")


START, STOP = request(1, "initialize", adapterID="x"), request(99, "disconnect")
OPEN = request(2, "launch", program="a.s", stopOnEntry=True)
ROWS = [  # what is sent between initialize and disconnect, what is answered
    ("no JSON", framed(b"{"), []),
    ("no text", framed(b"\xff\xfe"), []),
    ("a list", framed([]), []),
    ("no seq", framed({"type": "request", "command": "threads"}), []),
    ("a seq of no kind", framed({"seq": {}, "type": "request", "command": "threads"}), []),
    ("an event", framed({"seq": 5, "type": "event", "event": "stopped"}), []),
    ("a response", framed({"seq": 5, "type": "response", "request_seq": 1, "success": True, "command": "x"}), []),
    ("no command", framed({"seq": 5, "type": "request"}), [(5, False, "it has no command")]),
    ("an unknown request", request(5, "paint"), [(5, False, "unknown request")]),
    ("initialize twice", request(5, "initialize"), [(5, False, "it is initialized")]),
    ("arguments that are a list", framed({"seq": 5, "type": "request", "command": "cancel", "arguments": [1]}),
     [(5, False, "its arguments are no object")]),
    ("a program that is no text", request(5, "launch", program=7), [(5, False, "'program' names the file to run")]),
    ("before launch", request(5, "threads") + request(6, "continue", threadId=1),
     [(5, False, "no program is open: 'launch' opens one"), (6, False, "no program is open: 'launch' opens one")]),
    ("cancelled", request(5, "threads") + request(6, "cancel", requestId=5), [(5, False, "cancelled"), (6, True, None)]),
    ("nothing to cancel", request(6, "cancel", requestId=77) + request(7, "cancel", requestId="x") + request(8, "cancel"),
     [(6, True, None), (7, True, None), (8, True, None)]),
    ("before configurationDone", OPEN + request(5, "continue", threadId=1),
     [(2, True, None), (5, False, "'configurationDone' starts it")]),
    ("launch twice", OPEN + request(5, "launch", program="a.s"), [(2, True, None), (5, False, "a program is open")]),
    ("configurationDone twice", OPEN + request(3, "configurationDone") + request(5, "configurationDone"),
     [(2, True, None), (3, True, None), (5, False, "it has started")]),
    ("threads that are not there", OPEN + request(3, "configurationDone") + request(5, "stackTrace", threadId=900) +
     request(6, "next", threadId=-1) + request(7, "stackTrace", threadId=1 << 40) + request(8, "stackTrace"),
     [(2, True, None), (3, True, None)] + [(n, False, "there is no such thread") for n in (5, 6, 7, 8)]),
    ("references that are not there", OPEN + request(5, "variables", variablesReference=1 << 62) + request(6, "variables") +
     request(7, "scopes", frameId=0),
     [(2, True, None), (5, False, "there are no such variables"), (6, False, "there are no such variables"),
      (7, False, "there is no such frame")]),
    ("addresses that are none", OPEN + request(5, "disassemble", memoryReference="x", instructionCount=1) +
     request(6, "disassemble", memoryReference="0x10", instructionCount=1 << 40),
     [(2, True, None)] + [(n, False, "'memoryReference' is no address, or there are too many instructions") for n in (5, 6)]),
    ("breakpoints of no source", OPEN + request(5, "setBreakpoints", breakpoints=[{"line": 1}]),
     [(2, True, None), (5, False, "'source' has no path")]),
    ("breakpoints of no kind", OPEN + request(5, "setBreakpoints", source={"path": "a.s"}, breakpoints={"line": 1}) +
     request(6, "setBreakpoints", source={"path": ""}, breakpoints=[7, None, {"line": -3}, {"line": 1 << 62}, {"line": "x"}]) +
     request(7, "setFunctionBreakpoints", breakpoints=[{}, {"name": 7}, {"name": "f", "condition": "(("}]),
     [(2, True, None), (5, True, None), (6, True, None), (7, True, None)]),
    ("memory that is none", OPEN + request(5, "readMemory", memoryReference="x", count=1) +
     request(6, "readMemory", memoryReference="0x10", count=-1) + request(7, "readMemory", count=1 << 40) +
     request(8, "readMemory", memoryReference="0xffffffffffffffff", offset=-(1 << 63), count=9) +
     request(9, "readMemory", memoryReference="0x4c000", count=0),
     [(2, True, None)] + [(n, False, "'memoryReference' is no address, or 'count' is not 0 to 1048576") for n in (5, 6, 7)] +
     [(8, True, None), (9, True, None)]),
    ("completions of nothing", OPEN + request(5, "completions", column=1) + request(6, "completions", text="x", column=-(1 << 63)) +
     request(7, "completions", text="\U0001f600 \n$", line=1 << 62, column=1 << 62, frameId=-1),
     [(2, True, None), (5, False, "there is no text"), (6, True, None), (7, True, None)]),
    ("no exception", OPEN + request(5, "exceptionInfo") + request(6, "exceptionInfo", threadId=1),
     [(2, True, None)] + [(n, False, "this thread has not stopped for an exception") for n in (5, 6)]),
    ("ended before it began", request(4, "terminate") + OPEN + request(5, "terminate") + request(6, "terminate") + request(7, "configurationDone"),
     [(4, False, "no program is open: 'launch' opens one"), (2, True, None), (5, True, None), (6, False, "the program has ended"),
      (7, False, "the program has ended")]),
    ("no expression", OPEN + request(5, "evaluate", expression=["x"]), [(2, True, None), (5, False, "there is no expression")]),
]


def rows():
    for what, data, wanted in ROWS:
        messages, status = session("sim", START + data + STOP)
        check(what, answers(messages), [(1, True, None)] + wanted + [(99, True, None)])
        check(what + ": status", status, 0)
    messages, status = session("sim", request(5, "threads") + STOP)
    check("before initialize", answers(messages), [(5, False, "'initialize' comes first"), (99, True, None)])
    check("nobody said goodbye", session("sim", START)[1], 1)
    check("nothing at all", session("sim", b""), ([], 1))
    check("a length that is none", answers(session("sim", START + b"Content-Length: -7\r\n\r\n{}" + STOP)[0]),
          [(1, True, None), (99, True, None)])


def whole(program):
    where = {"path": os.path.join(folder, program)}
    parts = [request(1, "initialize", linesStartAt1=True), request(2, "launch", program=program, args=ARGS[program], stopOnEntry=True),
             request(3, "setBreakpoints", source=where, breakpoints=[{"line": 3, "condition": "1"}, {"line": 5}]),
             request(4, "setFunctionBreakpoints", breakpoints=[{"name": "f"}]), request(5, "configurationDone")]
    for seq, (command, arguments) in enumerate([
            ("threads", {}), ("stackTrace", {"threadId": 1}), ("scopes", {"frameId": 1}), ("variables", {"variablesReference": 1}),
            ("variables", {"variablesReference": 2}), ("evaluate", {"expression": "x", "frameId": 1, "context": "repl"}),
            ("evaluate", {"expression": "info line", "context": "repl"}), ("next", {"threadId": 1}), ("stepIn", {"threadId": 1}),
            ("completions", {"text": "info ", "column": 6}), ("readMemory", {"memoryReference": "0x4c000", "count": 8}),
            ("pause", {"threadId": 1}), ("disassemble", {"memoryReference": "0x4c000", "instructionCount": 9}),
            ("continue", {"threadId": 1}), ("cancel", {"requestId": 3})], start=6):
        parts.append(request(seq, command, **arguments))
    return parts + [STOP]


def mutated():
    """Bytes and messages of good sessions changed, left out, repeated: answers are messages, and the end is an exit."""
    source = random.Random(28)
    for kind, program in (("sim", "a.s"), ("csl", "layout.csl")):
        for turn in range(MUTATIONS):
            parts = whole(program)
            for _ in range(source.randrange(1, 4)):
                at = source.randrange(len(parts))
                part = bytearray(parts[at])
                what = source.randrange(5)
                if what == 0:
                    part[source.randrange(len(part))] = source.randrange(256)
                elif what == 1:
                    del part[source.randrange(len(part)):]
                elif what == 2:
                    part = part.replace(b"1", b"-9223372036854775808", 1)
                parts[at] = bytes(part)
                if what == 3:
                    parts[at:at + 1] = [parts[source.randrange(len(parts))]] * 2
                elif what == 4:
                    del parts[at]
                    parts = parts or [STOP]
            _, status = session(kind, b"".join(parts))
            if status not in (0, 1):
                failures.append(f"{kind}, mutation {turn}: status {status}")


MUTATIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 25
ARGS = {"a.s": ["--entry=f"], "layout.csl": ["--arch=wse3"]}
FILES = {
    "a.s": ".globl f\nf:\n    setzi $m0, 1\n    add $m0, $m0, 2\n    br $lr\n",
    "layout.csl": 'layout {\n  @set_rectangle(1, 1);\n  @set_tile_code(0, 0, "pe.csl", .{});\n}\n',
    "pe.csl": "var x: u16 = 0;\ntask f() void {\n  x += 1;\n  x *= 3;\n  if (x < 90) @activate(@get_local_task_id(8));\n}\n"
              "comptime {\n  @bind_local_task(f, @get_local_task_id(8));\n  @activate(@get_local_task_id(8));\n}\n",
}
for name, text in FILES.items():
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
rows()
mutated()
print("\n".join("FAILED: " + f for f in failures))
sys.exit(1 if failures else 0)
