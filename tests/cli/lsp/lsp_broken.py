# SPDX-License-Identifier: MIT
"""What `tilewright lsp` answers to what no editor should send: PROGRAM. Codes are those of the protocol (JSON-RPC 2.0,
LSP 3.17): -32700 no JSON, -32600 no request, -32601 no such method, -32602 wrong params, -32002 not initialized, -32800
cancelled."""

import json
import subprocess
import sys

failures = []


def framed(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def session(program, *parts):
    """Answers (id, code or None) to these bytes, and the exit status."""
    done = subprocess.run([program, "lsp"], input=b"".join(parts), stdout=subprocess.PIPE, check=False)
    answers, rest = [], done.stdout
    while rest:
        header, _, rest = rest.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1])
        message, rest = json.loads(rest[:length]), rest[length:]
        if "method" not in message:
            answers.append((message["id"], message.get("error", {}).get("code")))
    return answers, done.returncode


def request(number, method, **params):
    return framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def notification(method, **params):
    return framed({"jsonrpc": "2.0", "method": method, "params": params})


def main(program):
    start, stop, leave = request(1, "initialize", capabilities={}), request(9, "shutdown"), notification("exit")
    opened = notification("textDocument/didOpen", textDocument={"uri": "file:///x/a.csl", "languageId": "csl", "version": 1,
                                                                "text": "const a = 1;\n"})
    where = {"textDocument": {"uri": "file:///x/a.csl"}, "position": {"line": 0, "character": 6}}
    far = {"textDocument": {"uri": "file:///x/a.csl"}, "position": {"line": -7, "character": 1 << 60}}
    rows = [
        # what is sent between initialize and shutdown, what is answered
        ("no JSON", framed(b"{"), [(None, -32700)]),
        ("no JSON, in the middle of text", framed(b"\xff\xfe"), [(None, -32700)]),
        ("a list", framed([]), [(None, -32600)]),
        ("a number", framed(b"7"), [(None, -32600)]),
        ("no method", framed({"jsonrpc": "2.0", "id": 3}), [(3, -32600)]),
        ("an id of no kind", framed({"jsonrpc": "2.0", "id": {}, "method": "shutdown"}), None),
        ("an unknown method", request(4, "textDocument/paint"), [(4, -32601)]),
        ("an unknown notification", notification("$/paint"), []),
        ("an answer to nothing", framed({"jsonrpc": "2.0", "id": 5, "result": None}), []),
        ("params that are a list", framed({"jsonrpc": "2.0", "id": 6, "method": "textDocument/hover", "params": [1]}),
         [(6, -32602)]),
        ("no params", framed({"jsonrpc": "2.0", "id": 6, "method": "textDocument/hover"}), [(6, -32602)]),
        ("a document that is not open", request(7, "textDocument/hover", **where), [(7, -32602)]),
        ("a header in small letters", opened + request("b", "textDocument/hover", **where).replace(b"Content-Length", b"content-length"),
         [("b", None)]),
        ("another header before", opened + b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" +
         request(8, "textDocument/hover", **where), [(8, None)]),
        ("positions outside", opened + request(8, "textDocument/hover", **far) + request(2, "textDocument/completion", **far),
         [(8, None), (2, None)]),
        ("a header without a length", b"Content-Type: x\r\n\r\n" + request(8, "workspace/symbol", query=""),
         [(None, -32700), (8, None)]),
        ("a length that is none", b"Content-Length: many\r\n\r\n" + request(8, "workspace/symbol", query=""),
         [(None, -32700), (8, None)]),
        ("a negative length", b"Content-Length: -5\r\n\r\n" + request(8, "workspace/symbol", query=""),
         [(None, -32700), (8, None)]),
        ("no headers at all", b"x" * 20000 + request(8, "workspace/symbol", query=""), [(None, -32700), (8, None)]),
        ("initialize again", request(8, "initialize", capabilities={}), [(8, -32600)]),
        ("a request that is cancelled", request(8, "workspace/symbol", query="") + notification("$/cancelRequest", id=8),
         [(8, -32800)]),
        ("cancelling nothing", notification("$/cancelRequest", id=77), []),
        ("a change of nothing", notification("textDocument/didChange", textDocument={"uri": "file:///y.csl", "version": 2},
                                             contentChanges=[{"text": "x"}]), []),
        ("changes of no form", opened + notification("textDocument/didChange",
                                                     textDocument={"uri": "file:///x/a.csl", "version": 2},
                                                     contentChanges=[7, {"range": 3, "text": "x"}, {"text": 4},
                                                                     {"range": {"start": {"line": 9, "character": 9},
                                                                                "end": {"line": 0, "character": 0}},
                                                                      "text": "!"}]) + request(8, "textDocument/hover", **where),
         [(8, None)]),
        ("words of no form", request(8, "textDocument/rename", textDocument=7, newName=[]), [(8, -32803)]),
    ]
    for name, sent, wanted in rows:
        answers, status = session(program, start, sent, stop, leave)
        middle = [one for one in answers if one not in ((1, None), (9, None))]
        if wanted is not None and middle != wanted:
            failures.append(f"{name}: {middle}, not {wanted}")
        if (1, None) not in answers or (9, None) not in answers or status != 0:
            failures.append(f"{name}: {answers}, exit status {status}")
    states = [
        ("a request before initialize", [request(2, "workspace/symbol", query=""), leave], [(2, -32002)], 1),
        ("a notification before initialize", [opened, start, stop, leave], [(1, None), (9, None)], 0),
        ("a request after shutdown", [start, stop, request(2, "workspace/symbol", query=""), leave],
         [(1, None), (9, None), (2, -32600)], 0),
        ("params where there are none", [start, stop.replace(b"{}", b"[]"), leave], [(1, None), (9, None)], 0),
        ("exit without shutdown", [start, leave], [(1, None)], 1),
        ("the stream ends", [start], [(1, None)], 1),
        ("the stream ends within a message", [start, stop[:-4]], [(1, None)], 1),
    ]
    for name, parts, wanted, code in states:
        answers, status = session(program, *parts)
        if (answers, status) != (wanted, code):
            failures.append(f"{name}: {answers}, exit status {status}")


if __name__ == "__main__":
    main(sys.argv[1])
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)
