# SPDX-License-Identifier: MIT
"""Compiles test programs of a checkout of PopLibs (branch sdk-release-2.2 or 3.4) against the libraries of this tree
and their headers, not against PopLibs, runs them on the IPU Model and says why those fail that do:

    python3 tests/poplar/poplibs_ours.py BUILD DIR [WORD]     # BUILD: build/release; WORD: a regex on library/test

Only the harness of the tests (poplibs_support, poplibs_test) is the checkout's; that of 3.4 stands on a package that
is not public, which tests/poplar/harness stands in for. Programs of tools/ are what most tests of poplin, popnn,
poprand and popsparse run: each runs with PER (4) of their lines, spread over all. A line for each program: passed, or
the cause: `private` needs headers, vertices or functions that are not public, `missing` a public name that is not
here, `differs` compiles and fails, `packages` some of Debian's are not installed. Objects and lines are in
BUILD/poplibs-ours/NAME, for a checkout of that name. JOBS=n works on n programs at a time, LIMIT=n seconds a program
(300). Needs the Debian packages that `./dev poplibs` names."""
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys

LIBRARIES = ("poputil", "popops", "poprand", "poplin", "popnn", "popsparse")
FLAGS = ("-std=c++17 -w -O0 -DFMT_DEPRECATED_OSTREAM -DBOOST_TEST_DYN_LINK "
         "-DBOOST_ICL_USE_STATIC_BOUNDED_INTERVALS").split()
BOOST = ("unit_test_framework", "program_options", "filesystem", "timer", "system")
LIMIT = int(os.environ.get("LIMIT", "300"))
PER = int(os.environ.get("PER", "4"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a message begins with, and whose fault that is. In headers of PopLibs' own folders a name is private.
PRIVATE = re.compile(r"fatal error: (?!pop\w+/|gcl/|in )|poplibs_test|poplibs_support|unknown vertex|lib/|ExprOpUtil")


def run(command, limit=LIMIT):
    """Exit status and all that it writes; a program that takes too long has status 124."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                              errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, f"longer than {limit} s"


class Build:
    def __init__(self, build, checkout):
        self.build, self.checkout = pathlib.Path(build).resolve(), pathlib.Path(checkout).resolve()
        mark = hashlib.sha1(str(self.checkout).encode()).hexdigest()[:8]  # checkouts often have the same name
        self.work = self.build / "poplibs-ours" / f"{self.checkout.name}-{mark}"
        headers = self.work / "include"
        headers.mkdir(parents=True, exist_ok=True)
        for name in ("poplibs_support", "poplibs_test"):  # without the folders beside them
            if not (headers / name).is_symlink():
                (headers / name).symlink_to(self.checkout / "include" / name)
        folders = (ROOT / "include", ROOT / "tests/poplar/harness", self.checkout / "include")
        self.newest = max(h.stat().st_mtime for folder in folders for h in folder.rglob("*.h*"))
        self.include = [f"-I{d}" for d in (ROOT / "include", self.build / "include", headers,
                                                ROOT / "tests/poplar/harness")]

    def compile(self, source, to, *more):
        if to.exists() and to.stat().st_mtime > max(source.stat().st_mtime, self.newest):
            return 0, ""
        private = [f"-I{self.checkout / d}" for d in ("tests", "lib")]
        return run(["g++", *FLAGS, *more, *self.include, *private, "-c", str(source), "-o", str(to)], 3600)

    def harness(self):
        """Objects of the harness; sources of it that stand on private parts of PopLibs are left out."""
        folders = [self.checkout / "lib" / d for d in ("poplibs_support", "poplibs_test")]
        sources = [s for d in folders for s in sorted(d.glob("*.cpp"))]
        objects = [self.work / f"{s.parent.name}_{s.stem}.o" for s in sources]
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
            made = list(pool.map(self.compile, sources, objects))
        for source, (status, _) in zip(sources, made):
            if status:
                print(f"harness without {source.parent.name}/{source.name}")
        archive = self.work / "libharness.a"
        archive.unlink(missing_ok=True)
        run(["ar", "rcs", str(archive), *(str(o) for o, (status, _) in zip(objects, made) if status == 0)])
        self.archive = archive

    def lines(self, program):
        """What CMakeLists.txt of the tests has behind COMMAND for a program, but for lines with variables that are
        not those of loops."""
        found = []
        for folder in (self.checkout / "tests" / d for d in LIBRARIES):
            text = (folder / "CMakeLists.txt").read_text().replace("${CMAKE_SOURCE_DIR}", str(self.checkout))
            for match in re.finditer(rf"COMMAND\s+(?:\$<TARGET_FILE:)?{program}>?\s([^)]*)\)", text):
                line, before = match[1], text[: match.start()]
                loops = {name: [re.sub(r"\s+", "", value)]
                         for name, value in re.findall(r'set\((\w+)\s+"?((?:[^"\\)$]|\\.)*)"?\)', before)}
                for macro, name, body in re.findall(r"macro\((\w+)\s+(\w+)[^)]*\)(.*?)endmacro", text, re.S):
                    if match[0] in body:
                        loops[name] = re.findall(rf"^{macro}\((\w+)", text, re.M)
                for name, values in re.findall(r"foreach\((\w+)\s+([^)$]*)\)", before):
                    loops[name] = shlex.split(values)
                times = PER if "$" in line else 1  # with loops around it: PER of all combinations
                found += [re.sub(r"\$\{(\w+)\}", lambda m: loops[m[1]][i % len(loops[m[1]])]
                                 if loops.get(m[1]) else m[0], line) for i in range(times)]
        found = [re.sub(r"\b(VARIANTS|LABELS|NAME|ALLOW_SKIP|RUN_SERIAL)\b.*", "", m, flags=re.S) for m in found]
        return [shlex.split(m) for m in found if "$" not in m]

    def arguments(self, source, text, own_main):
        """Lists of arguments, one a run: the harness's, or those of tests for a program that reads options itself."""
        if not own_main or "BOOST_TEST_MODULE" in text and "parse_command_line" not in text:
            return [["--", "--device-type", "IpuModel2"]]
        if source.parent.name == "tools":
            lines = self.lines(source.stem)
            lines = lines[::max(1, len(lines) // PER)][:PER]
        else:
            lists = (source.parent / "CMakeLists.txt").read_text()
            made = re.search(rf"add_\w+executable\((\w+)\s+{source.name}", lists)
            lines = self.lines(made[1])[:PER] if made else []
        device = ["--device-type=IpuModel2"] if "device-type" in text else []  # some never run a graph
        return [line + device for line in lines or [[]]]

    def test(self, source):
        """(cause, message) of a program."""
        name = f"{source.parent.name}_{source.stem}"
        text = source.read_text(errors="replace")
        own_main = re.search(r"^int main\(", text, re.M)
        status, said = self.compile(source, self.work / f"{name}.o", *([] if own_main else ["-DTEST_WITH_TARGET"]))
        if status:
            line = next((m for m in said.splitlines() if "error" in m), said)
            line = re.sub(r"^\S*?([^/\s]+:\d+):\d+: ", r"\1: ", line)
            return "private" if PRIVATE.search(line) else "missing", line
        libraries = [f"-L{self.build}", "-lpoplar", "-lpva", "-ltilewright_poplibs", "-ltilewright",
                     f"-Wl,-rpath,{self.build}", *(f"-lboost_{b}" for b in BOOST), "-lspdlog", "-lfmt", "-lpthread"]
        program = self.work / name
        status, said = run(["g++", str(self.work / f"{name}.o"), str(self.archive), "-o", str(program), *libraries])
        if "cannot find -l" in said:
            return "packages", next(m for m in said.splitlines() if "cannot find -l" in m)
        if status:
            return "private", next((m.split(": ", 1)[-1] for m in said.splitlines() if "undefined" in m), said[-200:])
        runs = self.arguments(source, text, own_main)
        done = [run([str(program), *arguments]) for arguments in runs]
        failed = [(arguments, said) for arguments, (status, said) in zip(runs, done) if status]
        if not failed:
            return "passed", ""
        arguments, said = failed[0]
        line = next((m for m in said.splitlines() if "error" in m or "terminate" in m), said.strip()[-200:])
        of = f"{len(failed)} of {len(runs)} runs: {' '.join(arguments)}: " if len(runs) > 1 else ""
        return "private" if PRIVATE.search(line) else "differs", of + re.sub(r"^\S*/", "", line)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    word = re.compile(sys.argv[3] if len(sys.argv) == 4 else "")
    build = Build(sys.argv[1], sys.argv[2])
    folders = [*(build.checkout / "tests" / d for d in LIBRARIES), build.checkout / "tools"]
    sources = [s for d in folders for s in sorted(d.glob("*.cpp")) if word.search(f"{d.name}/{s.stem}")]
    if not sources:
        sys.exit("poplibs_ours: there is no such test program")
    build.harness()
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool, \
            open(build.work / "results.txt", "a", encoding="utf-8") as results:
        for source, (cause, message) in zip(sources, pool.map(build.test, sources)):
            line = f"{source.parent.name}/{source.stem}: {cause}{': ' if message else ''}{message}"
            print(line, flush=True)
            print(line, file=results, flush=True)
            counts[cause] += 1
    print(f"{len(sources)} programs: " + ", ".join(f"{n} {cause}" for cause, n in sorted(counts.items())))


main()
