# SPDX-License-Identifier: MIT
"""Sessions of `tilewright lsp`, as VS Code, Neovim and Emacs hold them: PROGRAM FOLDER. Each check is named."""

import os
import sys

from lsp_client import CLIENTS, Client

LAYOUT = """param width: u16 = 2;
layout {
  @set_rectangle(width, 1);
  for (@range(u16, width)) |x| {
    @set_tile_code(x, 0, "pe.csl", .{ .count = x + 4 });
  }
}
"""
PE = """// ☃ 𝄞: two units of UTF-16, four bytes

param count: u16;
const helper = @import_module("helper.csl", .{ .factor = 3 });
const point = struct { x: u16, y: f32 };
var data = @zeros([count]f32);
export var first: point = point{ .x = 1, .y = 2.0 };
// Adds things.
fn add(a: u16, b: u16) u16 {
  const sum = a + b;
  return sum + first.x;
}
task run() void {
  var r: u16 = add(1, count); /* 𝄞 */ data[r] = 1.0;
  @activate(@get_local_task_id(9));
}
comptime { @bind_local_task(run, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }
""".replace("/* 𝄞 */ ", "")
HELPER = """param factor: u16;
fn scale(n: u16) u16 { return n * factor; }
"""
failures = []


def check(name, got, wanted):
    if got != wanted:
        failures.append(f"{name}: {got!r}, not {wanted!r}")


def names(result):
    return [one["label"] for one in result["result"]["items"]]


def csl_session(program, folder, kind):
    """All requests of one editor, on one program of three files."""
    for name, text in (("layout.csl", LAYOUT), ("pe.csl", PE), ("helper.csl", HELPER)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    c = Client(program, folder, kind)
    check("encoding", c.capabilities["positionEncoding"], "utf-8" if kind == "neovim" else "utf-16")
    c.open("pe.csl")
    check("a clean program", c.settled("pe.csl"), [])
    pe = {"textDocument": {"uri": c.uri("pe.csl")}}

    def hover(*args, **kind_of):
        result = c.ask("textDocument/hover", c.at("pe.csl", *args, **kind_of))["result"]
        return result and result["contents"]["value"]
    mark = "" if kind == "emacs" else "```csl\n"
    end = "" if kind == "emacs" else "\n```"
    check("hover of a param", hover("count"), f"{mark}param count: u16 = 4 | 5{end}")
    check("hover of a variable", hover("data[r]"), f"{mark}var data: [4]f32 | [5]f32{end}")
    check("hover of a call", hover("add(1"), f"{mark}fn add(a: u16, b: u16) u16{end}\n\nAdds things.")
    check("hover of a builtin", "@zeros(T: type) T" in hover("@zeros", 2), True)
    check("hover of its mark", hover("@zeros"), hover("@zeros", 2))
    check("hover of nothing", hover("= 1.0"), None)

    def places(method, params):
        result = c.ask(method, params)["result"]
        return [c.text_at(one) for one in result]
    check("definition in the file", places("textDocument/definition", c.at("pe.csl", "add(1", 1)), [("pe.csl", "add")])
    check("definition of a field", places("textDocument/definition", c.at("pe.csl", "first.x", 6)), [("pe.csl", "x")])
    c.open("layout.csl")
    c.settled("layout.csl")
    check("definition of a module's param", places("textDocument/definition", c.at("layout.csl", ".count", 1)),
          [("pe.csl", "count")])
    check("references", places("textDocument/references", dict(c.at("pe.csl", "count"), context={"includeDeclaration": True})),
          [("pe.csl", "count"), ("layout.csl", "count"), ("pe.csl", "count"), ("pe.csl", "count")])
    lights = c.ask("textDocument/documentHighlight", c.at("pe.csl", "data[r]"))["result"]
    check("highlights: written twice", [one["kind"] for one in lights], [3, 3])
    symbols = c.ask("textDocument/documentSymbol", pe)["result"]
    check("symbols", [one["name"] for one in symbols if "children" in one or "location" not in one or one["name"] not in "xy"],
          ["count", "helper", "point", "data", "first", "add", "run"])
    if kind != "emacs":
        check("fields", [one["name"] for one in symbols[2]["children"]], ["x", "y"])
    found = c.ask("workspace/symbol", {"query": "SCA"})["result"]
    check("symbols of the workspace", [one["name"] for one in found], ["scale"])
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = c.ask("textDocument/inlayHint", dict(pe, range=whole))["result"]
    check("inlay types", [one["label"] for one in hints], [": [4]f32 | [5]f32", ": u16"])

    # typing: a member, a call, a name, a builtin; the text has errors meanwhile
    c.edit("pe.csl", "  return sum", "  helper.\n  return sum")
    check("an error while typing", [one["code"] for one in c.told("pe.csl")], ["csl.syntax"])
    check("members of a module", names(c.ask("textDocument/completion", c.at("pe.csl", "  helper.", 9))), ["factor", "scale"])
    c.edit("pe.csl", "  helper.\n", "  const k = helper.scale(sum);\n  first.\n")
    check("members of a struct", names(c.ask("textDocument/completion", c.at("pe.csl", "  first.\n", 8))), ["x", "y"])
    c.edit("pe.csl", "  first.\n", "  first.x = k;\n  @acti\n")
    items = c.ask("textDocument/completion", c.at("pe.csl", "@acti\n", 5))["result"]["items"]
    check("builtins of libraries alone", [one["label"] for one in items if "__" in one["label"]], [])
    item = next(one for one in items if one["label"] == "@activate")
    check("a builtin with its arguments", item["textEdit"]["newText"],
          "@activate" if kind == "emacs" else "@activate(${1:id})$0")
    check("what it replaces", c.slice(c.texts["pe.csl"], item["textEdit"]["range"]), "@acti")
    c.edit("pe.csl", "  @acti\n", "  var z = add(sum, \n")
    shown = c.ask("textDocument/signatureHelp", c.at("pe.csl", "add(sum, ", 9))["result"]
    check("arguments of a call", (shown["signatures"][0]["label"], shown["activeParameter"]), ("add(a: u16, b: u16) u16", 1))
    c.edit("pe.csl", "add(sum, \n", "add(sum, k);\n  @bitcast(u16, \n")
    shown = c.ask("textDocument/signatureHelp", c.at("pe.csl", "@bitcast(u16, ", 14))["result"]
    check("arguments of a builtin", (shown["signatures"][0]["label"], shown["activeParameter"]),
          ("@bitcast(T: type, value) T", 1))
    c.edit("pe.csl", "  @bitcast(u16, \n", "")
    check("clean again", c.told("pe.csl"), [])
    here = names(c.ask("textDocument/completion", c.at("pe.csl", "return sum", 7)))
    check("names in scope", [one for one in ("sum", "a", "data", "count", "while", "r") if one in here],
          ["sum", "a", "data", "count", "while"])
    c.edit("pe.csl", '"helper.csl"', '"helper.csl')
    modules = names(c.ask("textDocument/completion", c.at("pe.csl", '"helper.csl', 1)))
    check("modules", ["<math>" in modules, "helper.csl" in modules, "pe.csl" in modules], [True, True, False])
    c.edit("pe.csl", '"helper.csl', '"helper.csl"')

    # errors of the program that the layout makes of the file, with its params
    c.edit("pe.csl", "var data = @zeros([count]f32);", "var data = @zeros([count]f32);\nconst four = [4]f32{ 1.0, 2.0, 3.0, 4.0 };\nconst part = four[count - 1];")
    c.edit("pe.csl", "data[r] = 1.0;", "data[r] = part;")
    wrong = c.settled("pe.csl")  # count = 5 is the second program's
    check("an error of one PE program", [(one["code"], c.slice(c.texts["pe.csl"], one["range"])) for one in wrong],
          [("csl.index", "-")])
    check("where it is placed", "layout.csl" in str(wrong[0].get("relatedInformation")), True)
    c.edit("layout.csl", ".count = x + 4", ".count = x + 3")
    check("another buffer mends it", c.settled("layout.csl"), [])
    check("and the file is clean", c.diagnostics[c.uri("pe.csl")]["diagnostics"], [])

    # other names
    def rename(params, name):
        answer = c.ask("textDocument/rename", dict(params, newName=name))
        if "error" in answer:
            return answer["error"]["code"]
        return {uri.rsplit("/", 1)[1]: sorted(c.slice(c.texts[uri.rsplit("/", 1)[1]], edit["range"]) for edit in edits)
                for uri, edits in answer["result"]["changes"].items()}
    check("a new name", rename(c.at("pe.csl", "count"), "total"), {"layout.csl": ["count"], "pe.csl": ["count"] * 4})
    check("a name that exists", rename(c.at("pe.csl", "count"), "data"), -32803)
    check("a reserved word", rename(c.at("pe.csl", "count"), "while"), -32803)
    check("a name of nothing", rename(c.at("pe.csl", "= part"), "x1"), -32803)
    prepared = c.ask("textDocument/prepareRename", c.at("pe.csl", "add(1", 1))["result"]
    check("before a new name", prepared["placeholder"], "add")
    edits = c.ask("textDocument/formatting", dict(pe, options={"tabSize": 2, "insertSpaces": True}))["result"]
    check("formatted", [edit["newText"].endswith("}\n") and "total" not in edit["newText"] for edit in edits], [True])

    # positions behind characters of several bytes
    c.edit("pe.csl", "// ☃ 𝄞: two", "// ☃ 𝄞: wrong ")
    c.edit("pe.csl", "wrong ", "two")
    check("positions", c.told("pe.csl"), [])
    c.tell("textDocument/didClose", pe)
    check("a closed document", c.ask("textDocument/hover", dict(pe, position={"line": 0, "character": 0}))["error"]["code"], -32602)
    check("the end", c.end(), 0)


def alone(program, folder):
    """A file of no layout, and of options."""
    os.makedirs(os.path.join(folder, "one"), exist_ok=True)
    with open(os.path.join(folder, "one", "commands_wse3.sh"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nset -e\ncslc --arch=wse3 ./top.csl --fabric-dims=9,4 \\\n  --fabric-offsets=4,1 --import-path lib --import-path=./two/../lib --params=size:7 -o out\n")
    c = Client(program, os.path.join(folder, "one"))
    c.open("top.csl", "param size: u16;\nlayout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\", .{ .n = size }); }\n")
    c.open("pe.csl", "param n: u16;\nexport var x: f32 = 1;\ncomptime { @comptime_assert(@is_arch(\"wse3\") and n == 7); }\n")
    check("a buffer that is no file yet, and the options of a script", [c.settled("pe.csl"), c.told("top.csl")], [[], []])
    asked = c.ask("tilewright/program", {"textDocument": {"uri": c.uri("pe.csl")}})["result"]
    lib = os.path.join(folder, "one", "lib")
    check("what runs it", asked, {"uri": c.uri("top.csl"), "options": [
        "--arch=wse3", "--fabric-dims=9,4", "--fabric-offsets=4,1", "--import-path", lib, "--import-path=" + lib, "--params=size:7"]})
    check("of no document", c.ask("tilewright/program", {"textDocument": {"uri": c.uri("no.csl")}})["error"]["code"], -32602)
    c.edit("pe.csl", " and n == 7", "")
    hint = {"textDocument": {"uri": c.uri("pe.csl")}, "position": {"line": 0, "character": 6}}
    for settings, wanted in (({"options": ["--arch=wse2", "--params=size:8"]}, "7"),
                             ({"options": ["--params=size:8"], "layout": ""}, "7"),
                             ({"options": ["--params=size:8"], "layout": None}, "7"),
                             ({"options": ["--params=size:8"], "layout": "free.csl"}, "7"),
                             ({"options": ["--params=size:8"], "layout": "./top.csl"}, "8")):
        c.tell("workspace/didChangeConfiguration", {"settings": {"tilewright": {"csl": settings}}})
        shown = c.ask("textDocument/hover", hint)["result"]["contents"]["value"]
        options = c.ask("tilewright/program", {"textDocument": {"uri": c.uri("pe.csl")}})["result"]["options"]
        check("what counts last", [o for o in options if "size" in o][-1], f"--params=size:{wanted}")
        check(f"the script and {settings}", shown.split("\n")[1], f"param n: u16 = {wanted}")
    c.open("free.csl", "export var x: u16 = 1.5;\n")
    check("a file alone", [one["message"][:30] for one in c.told("free.csl")] != [], True)
    unsaved = {"uri": "untitled:Untitled-1", "languageId": "csl", "version": 1, "text": "export var x: u16 = 1.5;\n"}  # of VS Code
    c.tell("textDocument/didOpen", {"textDocument": unsaved})
    while unsaved["uri"] not in c.diagnostics:
        c.read()
    check("a text that is no file yet", "csl.type" in [one["code"] for one in c.diagnostics[unsaved["uri"]]["diagnostics"]], True)
    check("the end of it", c.end(), 0)


def pto_session(program, folder):
    text = """func.func @scale(%x : !pto.ptr<f32>, %n : i32) {
  %one = arith.constant 1 : i32
  %k = pto.tci %one : i32 -> !pto.tile<vec, 1x8xi32>
  pto.tprint ins(%k : !pto.tile<vec, 1x8xi32>)
  return
}
func.func @other(%k : i32) {
  return
}
"""
    c = Client(program, folder)
    c.open("a.pto", text, "pto")
    check("pto: clean", c.told("a.pto"), [])
    names_of = {"textDocument": {"uri": c.uri("a.pto")}}
    check("pto: symbols", [one["name"] for one in c.ask("textDocument/documentSymbol", names_of)["result"]], ["@scale", "@other"])
    places = c.ask("textDocument/definition", c.at("a.pto", "ins(%k", 5))["result"]
    check("pto: definition", [(c.text_at(one), one["range"]["start"]["line"]) for one in places], [(("a.pto", "%k"), 2)])
    uses = c.ask("textDocument/references", dict(c.at("a.pto", "%k = ", 1), context={"includeDeclaration": False}))["result"]
    check("pto: uses, of this function alone", [one["range"]["start"]["line"] for one in uses], [3])
    shown = c.ask("textDocument/hover", c.at("a.pto", "ins(%k", 5))["result"]["contents"]["value"]
    check("pto: type", "!pto.tile<vec, 1x8xi32>" in shown, True)
    shown = c.ask("textDocument/hover", c.at("a.pto", "pto.tci", 5))["result"]["contents"]["value"]
    check("pto: an instruction", "tci" in shown.lower() and len(shown) > 100, True)
    offered = names(c.ask("textDocument/completion", c.at("a.pto", "ins(%k", 5)))
    check("pto: completion", [one in offered for one in ("%one", "%x", "pto.tadd")], [True, True, True])
    edits = c.ask("textDocument/rename", dict(c.at("a.pto", "ins(%k", 5), newName="%kept"))["result"]["changes"]
    check("pto: a new name", sorted(edit["range"]["start"]["line"] for edit in edits[c.uri("a.pto")]), [2, 3])
    c.edit("a.pto", "  %one = ", "      %one = ")
    format_of = dict(names_of, options={"tabSize": 2, "insertSpaces": True})
    check("pto: formatting", [edit["newText"] for edit in c.ask("textDocument/formatting", format_of)["result"]], [text])
    c.edit("a.pto", "pto.tprint ins(%k :", "pto.tprint ins(%q :")
    check("pto: an error", [c.slice(c.texts["a.pto"], one["range"]) for one in c.told("a.pto")], ["%q"])
    c.edit("a.pto", "pto.tprint ins(%q :", "pto.tprint ins((")
    check("pto: of syntax", c.told("a.pto") != [], True)
    check("pto: symbols all the same", [one["name"] for one in c.ask("textDocument/documentSymbol", names_of)["result"]],
          ["@scale", "@other"])
    check("pto: not formatted", c.ask("textDocument/formatting", format_of)["error"]["code"], -32803)
    check("pto: the end", c.end(), 0)


def asm_session(program, folder):
    text = """// Doubles a number.
.set factor, 2
.section .text
.globl double
double:
  mul $m0, $m0, factor
loop:
  brnzdec $m1, loop
  br $lr
"""
    c = Client(program, folder)
    c.open("a.s", text, "asm")
    check("asm: clean", c.told("a.s"), [])
    names_of = {"textDocument": {"uri": c.uri("a.s")}}
    check("asm: symbols", [one["name"] for one in c.ask("textDocument/documentSymbol", names_of)["result"]],
          ["factor", "double", "loop"])
    places = c.ask("textDocument/definition", c.at("a.s", "$m1, loop", 6))["result"]
    check("asm: definition", [one["range"]["start"]["line"] for one in places], [6])
    uses = c.ask("textDocument/references", dict(c.at("a.s", "double:", 1), context={"includeDeclaration": True}))["result"]
    check("asm: uses", [one["range"]["start"]["line"] for one in uses], [4, 3])
    shown = c.ask("textDocument/hover", c.at("a.s", "brnzdec", 2))["result"]["contents"]["value"]
    check("asm: an instruction", "brnzdec $mDS" in shown or "brnzdec $m" in shown, True)
    shown = c.ask("textDocument/hover", c.at("a.s", "$m0, factor", 6))["result"]["contents"]["value"]
    check("asm: a number", "factor = 2" in shown, True)
    offered = names(c.ask("textDocument/completion", c.at("a.s", "  br $lr", 4)))
    check("asm: completion", [one in offered for one in ("brnzdec", "loop", "f32v2add")], [True, True, True])
    c.edit("a.s", "mul $m0, $m0, factor", "mul $m0, $m0")
    check("asm: an error", [one["range"]["start"]["line"] for one in c.told("a.s")], [5])
    c.open("b.S", "#define two 2\n.section .text\n  add $m0, $m0, two\n  add $m0, $m0, $q\n", "asm")
    check("asm: an error behind the preprocessor", [one["range"]["start"]["line"] for one in c.settled("b.S")], [3])
    check("asm: the end", c.end(), 0)


def line_ends(program, folder):
    """Lines of the protocol end with CR LF, LF or CR; those of compilers with LF. What is formatted keeps its own."""
    c = Client(program, folder)
    text = "// one\rvar two: u16 = 1;\nexport var  three : u16 = 1.5;\r\nvar four: u16 = 4;\r\n"
    c.open("cr.csl", text)
    doc = {"textDocument": {"uri": c.uri("cr.csl")}}
    check("lines: an error behind a lone CR", [(one["range"]["start"]["line"], one["range"]["end"]["line"]) for one in c.told("cr.csl")],
          [(2, 2)])
    found = c.ask("textDocument/documentSymbol", doc)["result"]
    check("lines: symbols", [(one["name"], one["range"]["start"]["line"]) for one in found], [("three", 2), ("four", 3)])
    change = {"range": {"start": {"line": 2, "character": 26}, "end": {"line": 3, "character": 0}}, "text": "16;\n"}
    c.versions["cr.csl"] += 1
    c.tell("textDocument/didChange", {"textDocument": {"uri": c.uri("cr.csl"), "version": c.versions["cr.csl"]}, "contentChanges": [change]})
    check("lines: a change behind a lone CR", c.told("cr.csl"), [])
    plain = "// one\nvar two: u16 = 2; // b\nfn f() void {\n  two = 3;\n}\n"
    pto = "func.func @f(%k : i32) {\n  return\n}\n"
    for name, good, bad in (("f.csl", plain, plain.replace("  two", "two")), ("f.pto", pto, pto.replace("  ret", "ret"))):
        for end in "\n", "\r\n":
            for number, body in enumerate((good, bad)):
                file = f"{len(end)}{number}{name}"
                c.open(file, body.replace("\n", end), name[2:])
                asked = {"textDocument": {"uri": c.uri(file)}, "options": {"tabSize": 2, "insertSpaces": True}}
                edits = c.ask("textDocument/formatting", asked)["result"]
                check(f"lines: {file} formatted", [edit["newText"] for edit in edits], [good.replace("\n", end)] * number)
    check("lines: the end", c.end(), 0)


if __name__ == "__main__":
    for editor in CLIENTS:
        before = len(failures)
        csl_session(sys.argv[1], sys.argv[2], editor)
        failures[before:] = [f"{editor}: {text}" for text in failures[before:]]
    alone(sys.argv[1], sys.argv[2])
    pto_session(sys.argv[1], sys.argv[2])
    asm_session(sys.argv[1], sys.argv[2])
    line_ends(sys.argv[1], sys.argv[2])
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)
