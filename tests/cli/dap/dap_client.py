# SPDX-License-Identifier: MIT
"""A client of `tilewright csl debug --dap` and `tilewright sim --dap`: sends requests as editors do and reads what comes
back. It waits for messages, never for time."""

import base64
import json
import subprocess


class Client:
    def __init__(self, program, command, folder, words=()):
        self.process = subprocess.Popen([program] + command + ["--dap"] + list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.last = 0
        self.heard = 0  # seq of the adapter's last message
        self.events = []
        self.output = {}  # category: text

    # --- messages
    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_raw(self, body):
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the adapter has ended")
            if line == b"\r\n":
                break
            name, value = line.split(b":")
            assert name == b"Content-Length", line
            length = int(value)
        message = json.loads(self.process.stdout.read(length))
        assert message["seq"] == self.heard + 1, message
        self.heard = message["seq"]
        if message["type"] == "event":
            body = message.get("body", {})
            if message["event"] == "output":
                self.output[body["category"]] = self.output.get(body["category"], "") + body["output"]
            else:
                self.events.append(message)
        return message

    def request(self, command, **arguments):
        self.last += 1
        message = {"seq": self.last, "type": "request", "command": command}
        if arguments:
            message["arguments"] = arguments
        return json.dumps(message).encode()

    def send(self, command, **arguments):
        self.send_raw(self.request(command, **arguments))
        return self.last

    def ask_at_once(self, *requests):
        """Requests, (command, arguments) each, that the adapter gets with one look."""
        bodies = [self.request(command, **arguments) for command, arguments in requests]
        self.write(b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies))
        for seq in range(self.last - len(bodies) + 1, self.last + 1):
            assert self.answer(seq)["success"] is True, seq

    def answer(self, seq):
        while True:
            message = self.read()
            if message["type"] == "response" and message["request_seq"] == seq:
                return message

    def refused(self, command, **arguments):
        """The message of a request that fails."""
        message = self.answer(self.send(command, **arguments))
        assert message["success"] is False and message["command"] == command, message
        assert message["body"]["error"]["format"] == message["message"], message
        return message["message"]

    def ask(self, command, **arguments):
        message = self.answer(self.send(command, **arguments))
        assert message["success"] is True and message["command"] == command, message
        return message.get("body", {})

    def event(self, name):
        """The next event of that name, which may have come already; those before it are dropped."""
        while True:
            while self.events:
                message = self.events.pop(0)
                if message["event"] == name:
                    return message.get("body", {})
            self.read()

    def next_event(self):
        while not self.events:
            self.read()
        return self.events.pop(0)["event"]

    # --- what sessions begin and end with
    def initialize(self, **more):
        return self.ask("initialize", clientID="test", adapterID="tilewright", pathFormat="path", **more)

    def begin(self, program, args=(), breakpoints=(), functions=(), **more):
        """Up to the start; the answers to the breakpoints: a list per source, and that of functions."""
        self.initialize()
        self.ask("launch", program=program, args=list(args), **more)
        self.event("initialized")
        answers = [self.ask("setBreakpoints", source={"path": path}, breakpoints=lines)["breakpoints"] for path, lines in breakpoints]
        if functions:
            answers.append(self.ask("setFunctionBreakpoints", breakpoints=list(functions))["breakpoints"])
        self.ask("setExceptionBreakpoints", filters=[])
        self.ask("configurationDone")
        return answers

    def stopped(self, reason):
        body = self.event("stopped")
        assert body["reason"] == reason and body["allThreadsStopped"] is True, body
        return body

    def go(self, command, thread=1, reason="step", **more):
        self.ask(command, threadId=thread, **more)
        return self.stopped(reason)

    def frames(self, thread=1):
        return self.ask("stackTrace", threadId=thread)["stackFrames"]

    def where(self, thread=1):
        return [(f["name"], f["line"]) for f in self.frames(thread)]

    def scope(self, frame, name):
        """The variables of a scope by their names."""
        for s in self.ask("scopes", frameId=frame)["scopes"]:
            if s["name"] == name:
                return self.parts(s)
        raise AssertionError(name)

    def parts(self, of):
        return {v["name"]: v for v in self.ask("variables", variablesReference=of["variablesReference"])["variables"]}

    def complete(self, text, **more):
        return [t["label"] for t in self.ask("completions", text=text, column=len(text) + 1, **more)["targets"]]

    def memory(self, reference, count, **more):
        return base64.b64decode(self.ask("readMemory", memoryReference=reference, count=count, **more)["data"])

    def ended(self, status, own=0):
        """`own`: of the process, when that is not the adapter's."""
        assert self.event("exited")["exitCode"] == status
        self.event("terminated")
        return self.leave(own)

    def leave(self, own=0):
        self.ask("disconnect")
        rest = self.process.stdout.read()
        assert rest == b"", rest
        assert self.process.wait() == own
        return self
