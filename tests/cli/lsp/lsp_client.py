# SPDX-License-Identifier: MIT
"""A client of `tilewright lsp`: sends messages as editors do and reads what comes back."""

import json
import os
import subprocess

# What VS Code 1.96, Neovim 0.11 and Emacs 30 (eglot) say of themselves at initialize, as far as it matters to a server.
CLIENTS = {
    "vscode": {
        "clientInfo": {"name": "Visual Studio Code", "version": "1.96.2"},
        "locale": "en",
        "trace": "off",
        "initializationOptions": {},
        "capabilities": {
            "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "configuration": True,
                          "didChangeConfiguration": {"dynamicRegistration": True}, "workspaceFolders": True},
            "textDocument": {
                "publishDiagnostics": {"relatedInformation": True, "versionSupport": False},
                "synchronization": {"dynamicRegistration": True, "willSave": True, "didSave": True},
                "completion": {"dynamicRegistration": True, "contextSupport": True,
                               "completionItem": {"snippetSupport": True,
                                                  "documentationFormat": ["markdown", "plaintext"]}},
                "hover": {"dynamicRegistration": True, "contentFormat": ["markdown", "plaintext"]},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                "rename": {"dynamicRegistration": True, "prepareSupport": True}},
            "general": {"positionEncodings": ["utf-16"]}}},
    "neovim": {
        "clientInfo": {"name": "Neovim", "version": "0.11.0"},
        "trace": "off",
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
            "workspace": {"applyEdit": True, "workspaceFolders": True, "configuration": True},
            "textDocument": {
                "synchronization": {"didSave": True, "willSave": True, "dynamicRegistration": False},
                "completion": {"completionItem": {"snippetSupport": True}, "contextSupport": True},
                "hover": {"contentFormat": ["markdown", "plaintext"], "dynamicRegistration": True},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                "inlayHint": {"dynamicRegistration": True}}}},
    "emacs": {
        "clientInfo": {"name": "Eglot", "version": "1.17.30"},
        "initializationOptions": {},
        "capabilities": {
            "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "workspaceFolders": True},
            "textDocument": {
                "synchronization": {"dynamicRegistration": False, "willSave": True, "didSave": True},
                "completion": {"dynamicRegistration": False, "completionItem": {"snippetSupport": False}},
                "hover": {"dynamicRegistration": False, "contentFormat": ["plaintext"]},
                "documentSymbol": {"dynamicRegistration": False}},
            "general": {"positionEncodings": ["utf-32", "utf-16"]}}},
}


class Client:
    def __init__(self, program, folder, kind="vscode", options=None):
        self.folder = folder
        self.kind = kind
        self.diagnostics = {}
        self.looks = {}  # how often there were diagnostics of this version
        self.texts = {}
        self.versions = {}
        self.last = 0
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        params = dict(CLIENTS[kind], processId=os.getpid(), rootUri=self.uri(""), rootPath=folder,
                      workspaceFolders=[{"uri": self.uri(""), "name": "work"}])
        if options is not None:
            params["initializationOptions"] = options
        self.capabilities = self.ask("initialize", params)["result"]["capabilities"]
        self.utf8 = self.capabilities["positionEncoding"] == "utf-8"
        self.tell("initialized", {})

    def uri(self, name):
        return "file://" + os.path.join(self.folder, name).rstrip("/")

    # --- messages
    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the server has ended")
            if line == b"\r\n":
                break
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            # A file that is not open has diagnostics without a version: its first ones count from 0 too.
            if self.diagnostics.get(params["uri"], {"version": -1}).get("version") != params.get("version"):
                self.looks[params["uri"]] = 0
            self.diagnostics[params["uri"]] = params
            self.looks[params["uri"]] += 1
        return message

    def tell(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def answer(self, number):
        while True:
            message = self.read()
            if "method" not in message and message.get("id") == number:
                return message

    def ask(self, method, params):
        return self.answer(self.request(method, params))

    # --- documents
    def open(self, name, text=None, language="csl"):
        if text is None:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                text = file.read()
        self.texts[name] = text
        self.versions[name] = 1
        self.tell("textDocument/didOpen",
                  {"textDocument": {"uri": self.uri(name), "languageId": language, "version": 1, "text": text}})

    def position(self, name, offset):
        before = self.texts[name][:offset]
        line = before.count("\n")
        column = before[before.rfind("\n") + 1:]
        encoding = "utf-8" if self.utf8 else "utf-16-le"
        return {"line": line, "character": len(column.encode(encoding)) // (1 if self.utf8 else 2)}

    def edit(self, name, needle, replacement):
        """Replaces one place by another text, as a keystroke does."""
        at = self.texts[name].index(needle)
        span = {"start": self.position(name, at), "end": self.position(name, at + len(needle))}
        self.texts[name] = self.texts[name].replace(needle, replacement, 1)
        self.versions[name] += 1
        self.tell("textDocument/didChange",
                  {"textDocument": {"uri": self.uri(name), "version": self.versions[name]},
                   "contentChanges": [{"range": span, "rangeLength": len(needle), "text": replacement}]})

    def at(self, name, needle, inside=0, nth=0):
        """Parameters of a request at the n-th place where `needle` stands."""
        offset = -1
        for _ in range(nth + 1):
            offset = self.texts[name].index(needle, offset + 1)
        return {"textDocument": {"uri": self.uri(name)}, "position": self.position(name, offset + inside)}

    def told(self, name):
        """Diagnostics of the version of the text that is open now."""
        while self.diagnostics.get(self.uri(name), {}).get("version") != self.versions[name]:
            self.read()
        return self.diagnostics[self.uri(name)]["diagnostics"]

    def settled(self, name):
        """The same when all programs of the layout were looked at: the second time, unless something comes between."""
        while self.diagnostics.get(self.uri(name), {}).get("version") != self.versions[name] or self.looks[self.uri(name)] < 2:
            self.read()
        return self.diagnostics[self.uri(name)]["diagnostics"]

    def text_at(self, location):
        """What stands at a location, and in which file."""
        name = location["uri"][len(self.uri("")) + 1:]
        text = self.texts.get(name)
        if text is None:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                text = file.read()
        return name, self.slice(text, location["range"])

    def slice(self, text, span):
        lines = text.split("\n")
        encoding, width = ("utf-8", 1) if self.utf8 else ("utf-16-le", 2)
        first, last = span["start"], span["end"]
        assert first["line"] == last["line"], span
        line = lines[first["line"]].encode(encoding)
        return line[first["character"] * width:last["character"] * width].decode(encoding)

    def end(self):
        assert self.ask("shutdown", None)["result"] is None
        self.tell("exit", None)
        return self.process.wait()
