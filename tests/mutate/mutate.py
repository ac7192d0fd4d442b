#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small mutation run: changes one place of a source, rebuilds what tests it, and looks whether a test notices.

usage: mutate.py [--build DIR] [--seconds N] [--jobs N] [--only TEXT] [--list] [BOX...]

Boxes are the rows of tests/mutate/boxes.txt. Sources stay as they are: a changed copy is compiled in the build folder and
linked in front of the library. Mutants come in an order that is random and always the same, so that a run which its time
limit ended is a fair sample; the next run goes on where it stopped. Verdicts lie in DIR/mutants/BOX.tsv; survivors are
tried again when the test programs have changed.

A mutant that the optimising compiler turns into the same code is no mutant; tests/mutate/equivalent.tsv lists those that
somebody has judged to be none: file, original line, changed line, why."""
import argparse
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Operators on the text of clang-format: binary operators stand between blanks.
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " + "), (" / ", " * "),
         (" % ", " / "), (" & ", " | "), (" | ", " & "), (" << ", " >> "), (" >> ", " << "), (" += ", " -= "),
         (" -= ", " += "), (" |= ", " &= "), ("return true;", "return false;"), ("return false;", "return true;")]
NUMBER = re.compile(r"(?<![\w.])(0|[1-9]\d*)(?![\w.])") # decimal
CONDITION = re.compile(r"\b(?:if|while) \((?!0 && )")
STATEMENT = re.compile(r"^\s+(?!return|break|continue|goto|case|default|else|if|for|while|do|switch|static|const|unsigned"
                       r"|struct|enum|typedef|\(void\)|int |bool |char |size_t |double |float |long |u?int\d+_t )"
                       r"[A-Za-z_*(][^{}]*;$")
DECLARATION = re.compile(r"^\s+(const )?[A-Za-z_]\w*( \*+|\s+\*?)[A-Za-z_]\w*( =|;|,|\[)")


def masked(text):
    """The text with comments, strings, characters and preprocessor lines blanked, of the same length."""
    def blank(match):
        return re.sub(r"[^\n]", "~", match.group(0))
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^ *#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def closing(code, at):
    """Column behind the parenthesis that closes the one at `at`, or None on another line."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i
    return None


def mutants_of(path):
    text = open(os.path.join(ROOT, path)).read()
    lines, codes, seen = text.split("\n"), masked(text).split("\n"), {}
    out = []

    def add(number, operator, column, changed):
        line = lines[number]
        key = hashlib.sha1("\0".join([path, line, str(seen[line]), operator, str(column)]).encode()).hexdigest()[:16]
        out.append({"key": key, "path": path, "number": number, "operator": operator, "line": line, "changed": changed})

    for number, (line, code) in enumerate(zip(lines, codes)):
        seen[line] = seen.get(line, -1) + 1
        if not re.search(r"[^\s~]", code):
            continue
        for old, new in SWAPS:
            at = code.find(old)
            while at >= 0:
                add(number, old.strip() + " -> " + new.strip(), at, line[:at] + new + line[at + len(old):])
                at = code.find(old, at + 1)
        for match in NUMBER.finditer(code):
            value = int(match.group(1))
            add(number, "number", match.start(), line[:match.start()] + str(value + 1) + line[match.end():])
        for match in CONDITION.finditer(code):
            start = code.index("(", match.start())
            end = closing(code, start)
            if end is not None:
                for truth in ("0 &&", "1 ||"):
                    if truth == "1 ||" and code[match.start()] == "w":
                        continue # never ends
                    add(number, "condition " + truth, start, line[:start] + "(" + truth + " " + line[start:end] + "))" +
                        line[end + 1:])
        if STATEMENT.match(code) and not DECLARATION.match(code) and code.count("(") == code.count(")"):
            previous = codes[number - 1].rstrip()
            if previous.endswith((";", "{", "}")) or not previous.strip(" ~"):
                add(number, "statement", 0, re.match(r"\s*", line).group(0) + ";")
    return out


def read_boxes():
    boxes = {}
    for row in open(os.path.join(ROOT, "tests/mutate/boxes.txt")):
        if row.strip() and not row.startswith("#"):
            name, sources, tests = row.split(":")
            files = [os.path.relpath(f, ROOT) for pattern in sources.split()
                     for f in sorted(glob.glob(os.path.join(ROOT, pattern)))]
            boxes[name.strip()] = (files, tests.split())
    return boxes


def read_equivalent():
    known = {}
    for row in open(os.path.join(ROOT, "tests/mutate/equivalent.tsv")):
        part = row.rstrip("\n").split("\t")
        if len(part) == 4:
            known[part[0], part[1], part[2]] = part[3]
    return known


def stale(equivalent):
    """Rows whose line has changed or whose file is gone."""
    there = {(m["path"], m["line"].strip(), m["changed"].strip())
             for path in {key[0] for key in equivalent} if os.path.exists(os.path.join(ROOT, path)) for m in mutants_of(path)}
    return sorted(key for key in equivalent if key not in there)


def run(command, folder, limit, tool=False):
    """Exit status; None when it took too long. Mutants may do anything: they never run as root."""
    env = dict(os.environ, MALLOC_PERTURB_="165", LC_ALL="C",
               ASAN_OPTIONS="max_malloc_fill_size=268435456:malloc_fill_byte=165:detect_stack_use_after_return=1",
               UBSAN_OPTIONS="halt_on_error=1")
    who = {}
    if limit and os.geteuid() == 0 and not tool:
        env["HOME"] = env["XDG_CACHE_HOME"] = "/tmp/tilewright-mutants"
        who = {"user": 65534, "group": 65534, "extra_groups": []}
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, **who)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


class Box:
    def __init__(self, name, files, tests, build):
        self.name, self.files, self.build = name, files, build
        self.words = {t.split("=")[0]: t.split("=")[1:] for t in tests}
        self.tests = tests = list(self.words)
        self.work = os.path.join(build, "mutants", name)
        os.makedirs(self.work, exist_ok=True)
        self.compile = {}
        for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
            path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
            if path in files:
                words = shlex.split(entry["command"])
                words = [w for w in words if "ccache" not in w]
                self.compile[path] = [w for w in words if w not in ("-c",)]
        self.files = [f for f in files if f in self.compile]
        self.link, self.limit = {}, {}
        for test in tests:
            commands = subprocess.run(["ninja", "-C", build, "-t", "commands", test], capture_output=True, text=True,
                                      check=True).stdout.strip().split("\n")
            words = shlex.split(commands[-1].replace(": && ", "").replace(" && :", ""))
            self.link[test] = words
        self.base = {}

    def arguments(self, test):
        return self.words[test] or ([os.path.join(ROOT, "tests/fuzz/corpus", test)] if test.startswith("fuzz_") else [])

    def measure(self):
        """The tests pass, and how long they take."""
        for test in self.tests:
            start = time.time()
            if run([os.path.join(self.build, test)] + self.arguments(test), self.build, 600) != 0:
                sys.exit(f"mutate: {test} fails without any change")
            self.limit[test] = 4 * (time.time() - start) + 5
        digest = hashlib.sha1()
        for test in self.tests:
            digest.update(open(os.path.join(self.build, test), "rb").read())
        return digest.hexdigest()[:12]

    def compiled(self, path, source, out, more):
        words = list(self.compile[path])
        words[words.index("-o") + 1] = out
        original = [i for i, w in enumerate(words) if w.endswith(path)]
        words[original[-1]] = source
        for flag in ("-MT", "-MF"):
            if flag in words:
                at = words.index(flag)
                del words[at:at + 2]
        words = [w for w in words if w not in ("-MD", "-Werror", "-g")]
        return run(words + ["-w", "-g0"] + more, self.build, 120, tool=True) == 0

    def same_code(self, path, source, slot):
        """What the optimiser makes of both is the same text. Without sanitizers: their data has names and columns."""
        texts = []
        for which, name in enumerate((os.path.join(ROOT, path), source)):
            out = os.path.join(self.work, f"{slot}-{which}.s")
            if not self.compiled(path, name, out, ["-O2", "-S", "-fno-sanitize=all"]):
                return False
            texts.append(re.sub(r"\t\.file[^\n]*", "", open(out).read()))
        return texts[0] == texts[1]

    def judge(self, mutant, slot):
        path = mutant["path"]
        source = os.path.join(self.work, f"{slot}-{os.path.basename(path)}")
        lines = open(os.path.join(ROOT, path)).read().split("\n")
        lines[mutant["number"]] = mutant["changed"]
        open(source, "w").write("\n".join(lines))
        obj = os.path.join(self.work, f"{slot}.o")
        if not self.compiled(path, source, obj, ["-c"]):
            return "unbuilt", ""
        for test in self.tests:
            words, program = list(self.link[test]), os.path.join(self.work, f"{slot}-{test}")
            words[words.index("-o") + 1] = program
            first = next(i for i, w in enumerate(words) if w.endswith(".a"))
            words.insert(first, obj)
            if run(words, self.build, 120, tool=True) != 0:
                return "unbuilt", "link"
            status = run([program] + self.arguments(test), self.build, self.limit[test])
            os.unlink(program)
            if status != 0:
                return "killed", f"{test} {'hangs' if status is None else status}"
        return ("same", "") if self.same_code(path, source, slot) else ("survived", "")


def load(path):
    if not os.path.exists(path):
        return {}
    return {row.split("\t")[0]: row.rstrip("\n").split("\t") for row in open(path)}


def run_box(box, end, jobs, only, equivalent):
    store = os.path.join(box.build, "mutants", box.name + ".tsv")
    tests = box.measure()
    known = load(store)
    mutants = sorted((m for f in box.files for m in mutants_of(f) if not only or only in m["path"] + m["line"]),
                     key=lambda m: m["key"])
    verdict, open_list = {}, []
    for m in mutants:
        if (m["path"], m["line"].strip(), m["changed"].strip()) in equivalent:
            verdict[m["key"]] = "same"
            continue
        row = known.get(m["key"])
        if row and (row[1] != "survived" or row[3] == tests):
            verdict[m["key"]] = row[1]
        else:
            open_list.append((0 if row else 1, m)) # survivors of earlier tests first
    open_list.sort(key=lambda pair: pair[0])
    with open(store, "a") as out, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        slots, running = list(range(jobs)), {}
        todo = iter([m for _, m in open_list])
        def start():
            m = next(todo, None) if time.time() < end else None
            if m:
                slot = slots.pop()
                running[pool.submit(box.judge, m, slot)] = (m, slot)
        for _ in range(jobs):
            start()
        while running:
            for future in concurrent.futures.wait(running, return_when="FIRST_COMPLETED")[0]:
                m, slot = running.pop(future)
                slots.append(slot)
                result, detail = future.result()
                verdict[m["key"]] = result
                out.write("\t".join([m["key"], result, detail or "-", tests]) + "\n")
                out.flush()
                start()
    return mutants, verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/mutate"))
    parser.add_argument("--seconds", type=int, default=600, help="for each box")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="mutants whose file name or line has this text")
    parser.add_argument("--list", action="store_true", help="programs that have to be built")
    parser.add_argument("box", nargs="*")
    arguments = parser.parse_args()
    boxes, equivalent, survivors = read_boxes(), read_equivalent(), []
    for name in arguments.box:
        if name not in boxes:
            sys.exit(f"mutate: there is no box '{name}': {' '.join(boxes)}")
    chosen = arguments.box or list(boxes)
    if arguments.list:
        print("\n".join(sorted({t.split("=")[0] for name in chosen for t in boxes[name][1]})))
        return
    print(f"{'box':10} {'mutants':>8} {'tried':>6} {'killed':>7} {'survived':>9} {'same code':>10} {'unbuilt':>8} {'score':>7}")
    total = [0, 0]
    for name in chosen:
        box = Box(name, *boxes[name], os.path.abspath(arguments.build))
        mutants, verdict = run_box(box, time.time() + arguments.seconds, arguments.jobs, arguments.only, equivalent)
        count = {v: sum(1 for m in mutants if verdict.get(m["key"]) == v) for v in ("killed", "survived", "same", "unbuilt")}
        judged = count["killed"] + count["survived"]
        total[0] += count["killed"]
        total[1] += judged
        score = f"{100 * count['killed'] / judged:.1f} %" if judged else "-"
        print(f"{name:10} {len(mutants):8} {len([m for m in mutants if m['key'] in verdict]):6} {count['killed']:7} "
              f"{count['survived']:9} {count['same']:10} {count['unbuilt']:8} {score:>7}", flush=True)
        survivors += [m for m in mutants if verdict.get(m["key"]) == "survived"]
    if total[1]:
        print(f"all: {total[0]} of {total[1]} killed, {100 * total[0] / total[1]:.1f} %")
    for path, line, _ in stale(equivalent):
        print(f"equivalent.tsv: {path}: there is no such mutant any more, judge it again or drop it: {line}")
    for m in sorted(survivors, key=lambda m: (m["path"], m["number"])):
        print(f"\n{m['path']}:{m['number'] + 1}: survived ({m['operator']})\n-{m['line']}\n+{m['changed']}")


main()
