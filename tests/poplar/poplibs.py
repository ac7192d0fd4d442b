# SPDX-License-Identifier: MIT
"""Builds a checkout of PopLibs (branch sdk-release-2.2), unmodified, with its own CMake on this layer, and runs its own
tests with CTest:

    python3 tests/poplar/poplibs.py BUILD DIR [WORD...]      # BUILD: build/release; WORD: a regex on library/test
    python3 tests/poplar/poplibs.py BUILD enable             # installs this layer and writes the script `enable`

Library by library builds the programs of the tests, runs them and prints a line for each test (passed, FAILED or
skipped, and why); at the end counts by library, and the causes of failures by their number. `libraries` as the only
WORD stops when libraries and codelets are built, `results` builds and runs nothing. What is built stays in BUILD/poplibs
(or the folder WORK) and is used again; its folder `prefix` has this layer and, installed, PopLibs. The lines are also in
BUILD/poplibs/results.txt: written while tests run, and kept, so that runs add up; a test that runs again replaces its
line. The counts at the end are of all that the file has.

JOBS=n works on n files or tests at a time; EVERY=n takes each n-th of the chosen tests, PER=n at most n of those that
one program runs, spread over them; ONLY=new takes those without a line, ONLY=failed those that failed; LIMIT=n seconds
a test (120); CMAKE_ARGS are given to PopLibs' CMake. Needs Debian's packages below; ccache and Zoltan are optional
(popsparse needs the latter)."""
import collections
import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

PACKAGES = """libboost-dev libboost-regex-dev libboost-program-options-dev libboost-filesystem-dev libboost-test-dev
libboost-timer-dev libboost-system-dev libboost-random-dev libtbb-dev libspdlog-dev libfmt-dev
libtrilinos-zoltan-dev libopenmpi-dev"""
LIBRARIES = ("poplibs_support", "popsolver", "poputil", "popops", "poprand", "poplin", "popnn", "popfloat", "popsparse")
ORDER = ("popsolver", "poplibs_support", "poputil", "poprand", "popops", "poplin", "popnn", "popfloat", "popsparse")
# Newer compilers warn of more than those that PopLibs knew, and it makes warnings errors; fmt 9 formats through << only
# when it is asked to.
FLAGS = "-O1 -DNDEBUG -w -Wno-error -Wno-narrowing -DFMT_DEPRECATED_OSTREAM"
JOBS = os.environ.get("JOBS", "2")
BATCH = 40  # tests that CTest runs before their lines are written


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, log):
    """Whether `command` ends well; all it writes goes to the file `log`."""
    with open(log, "w") as out:
        return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode == 0


def first(pattern):
    return next(iter(sorted(glob.glob(pattern))), None)


def zoltan():
    """Debian's Zoltan is part of Trilinos and stands on MPI, PopLibs' looks for one of its own; the names differ."""
    header, library = first("/usr/include/trilinos/zoltan_cpp.h"), first("/usr/lib/*/libtrilinos_zoltan.so")
    mpi, mpi_header = first("/usr/lib/*/libmpi_cxx.so"), first("/usr/lib/*/openmpi/include/mpi.h")
    if not (header and library and mpi and mpi_header):
        return []
    return ["-DZOLTAN_INCLUDE_DIR=%s;%s" % (os.path.dirname(header), os.path.dirname(mpi_header)),
            "-DZOLTAN_LIBRARY=" + library, "-DZOLTAN_SIMPI_LIBRARY=" + mpi]


def launcher():
    """ccache where there is one; said also where not, as the folder may have been made with it."""
    return "-DCMAKE_CXX_COMPILER_LAUNCHER=" + ("ccache" if shutil.which("ccache") else "")


# What the SDK's enable.sh prepends to (the folder below the prefix), and sets.
PATHS = (("PATH", "bin"), ("CPATH", "include"), ("LIBRARY_PATH", "lib"), ("LD_LIBRARY_PATH", "lib"),
         ("PKG_CONFIG_PATH", "lib/pkgconfig"), ("CMAKE_PREFIX_PATH", ""))


def enable_script(prefix):
    """For `.` of any shell: programs and builds find this layer, and PopLibs where it is installed, in the prefix."""
    root = shlex.quote(str(prefix))
    lines = ["# . %s" % shlex.quote(str(prefix / "enable")), "export POPLAR_ROOT=%s" % root,
             "export POPLAR_SDK_ENABLED=%s" % root]
    for name, folder in PATHS:
        path = '"$POPLAR_ROOT%s"' % ("/" + folder if folder else "")
        lines.append('case ":${%s:-}:" in *:%s:*) ;; *) export %s=%s"${%s:+:$%s}" ;; esac'
                     % (name, path, name, path, name, name))
    return "\n".join(lines) + "\n"


def install(build, work):
    if not run(["cmake", "--install", str(build), "--prefix", str(work / "prefix")], work / "install.log"):
        sys.exit("this layer could not be installed: %s" % (work / "install.log"))
    (work / "prefix" / "enable").write_text(enable_script(work / "prefix"))


def configure(build, checkout, work):
    install(build, work)
    command = ["cmake", "-G", "Ninja", "-S", str(checkout), "-B", str(work / "build"), "-DCMAKE_BUILD_TYPE=Release",
               "-DCMAKE_PREFIX_PATH=%s" % (work / "prefix"), "-DCMAKE_INSTALL_PREFIX=%s" % (work / "prefix"),
               "-DCMAKE_CXX_FLAGS_RELEASE=" + FLAGS, "-DBUILD_SHARED_LIBS=ON",
               "-DPOPLIBS_ENABLED_IPU_ARCH_NAMES=cpu;ipu1;ipu2",
               "-DENABLED_TEST_VARIANTS=NoTarget;Cpu;IpuModel1;IpuModel2", launcher(), *zoltan(),
               *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
    if not run(command, work / "configure.log"):
        sys.exit("%s\nPopLibs' CMake failed (%s). Debian's packages that it needs:\n%s"
                 % ("".join(open(work / "configure.log").readlines()[-12:]), work / "configure.log", PACKAGES))


def ninja(work, targets, log):
    """Builds what can be built of `targets`; the first error of each file that cannot."""
    log = work / log
    ok = run(["ninja", "-C", str(work / "build"), "-k", "0", "-j", JOBS, *targets], log)
    if ok:
        return True
    failed, errors = None, {}
    for line in open(log, errors="replace"):
        if line.startswith("FAILED: "):
            failed = line.split()[1]
            errors[failed] = "(no message)"
        elif failed and errors[failed] == "(no message)" and re.search(r"error|undefined reference", line, re.I):
            errors[failed] = line.strip()[:300]
    for name, text in errors.items():
        print("does not build: %s: %s" % (name, text), flush=True)
    return False


def build_libraries(work):
    known = subprocess.run(["ninja", "-C", str(work / "build"), "-t", "targets", "all"], stdout=subprocess.PIPE,
                           text=True, check=True).stdout
    for library in LIBRARIES:
        targets = [t for t in (library, library + ".gp_codelets") if re.search("^%s: phony" % re.escape(t), known, re.M)
                   or re.search("/%s: " % re.escape(t), known)]
        if not targets:
            print("library %s: left out by its CMake (Zoltan is missing)" % library, flush=True)
            continue
        targets = [t if re.search("^%s: phony" % re.escape(t), known, re.M) else
                   re.search(r"^(\S*/%s): " % re.escape(t), known, re.M).group(1) for t in targets]
        done = ninja(work, targets, "build-%s.log" % library)
        print("library %s: %s" % (library, "built, with codelets" if done and len(targets) > 1 else
                                  "built" if done else "FAILED"), flush=True)
        if done and library not in ("poplibs_support", "popsolver"):
            run(["cmake", "--install", str(work / "build"), "--component", library], work / "install-poplibs.log")


def find_tests(work):
    """[(library, name, number, program)] of all tests, in CTest's order; a script's program is the one that it runs."""
    programs, inside = {}, str(work / "build") + os.sep
    for path in (work / "build").glob("**/CTestTestfile.cmake"):
        for name, rest in re.findall(r'^add_test\((?:\[=*\[)?(.*?)(?:\]=*\])? (".*)\)$', path.read_text(), re.M):
            words = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
            programs[name.strip('"')] = next((w[len(inside):] for w in words if w.startswith(inside)), "")
    listed = subprocess.run(["ctest", "--test-dir", str(work / "build"), "--show-only=json-v1"], text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    tests = []
    for number, test in enumerate(json.loads(listed)["tests"], 1):
        folder = next((p["value"] for p in test["properties"] if p["name"] == "WORKING_DIRECTORY"), "")
        part = os.path.relpath(folder, work / "build").split(os.sep)
        library = part[1] if len(part) > 1 else part[0]
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        library = next((name for name in LIBRARIES if name in labels), library)
        tests.append((library, test["name"], number, programs.get(test["name"], "")))
    return tests


REASONS = (r"error: in \"[^\"]*\": (.*)", r"what\(\): *(.*)", r"(?:error|ERROR): *(.*)", r"[Ee]xception: *(.*)",
           r"(.*(?:Assertion|mismatch|unrecognised option).*)", r"(.*(?:rror|ismatch).*)")


def reason(text):
    for pattern in REASONS:
        found = re.search(pattern, text)
        if found:
            return re.sub(r"\x1b\[[0-9;]*m", "", found.group(1)).strip()[:240]
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:240] if lines else "(it says nothing)"


def run_tests(work, tests):
    """{name: (state, why)}"""
    if not tests:
        return {}
    numbers, report = work / "tests.txt", work / "results.xml"
    numbers.write_text("0,0,0," + ",".join(str(t[2]) for t in tests) + "\n")
    report.unlink(missing_ok=True)
    run(["ctest", "--test-dir", str(work / "build"), "-j", JOBS, "-I", str(numbers), "--timeout",
         os.environ.get("LIMIT", "120"), "--output-junit", str(report), "--no-tests=error",
         "--test-output-size-failed", "200000"], work / "ctest.log")
    results = {}
    for case in xml.parse(report).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        failure, skipped = case.find("failure"), case.find("skipped")
        if failure is not None:
            kind = failure.get("message", "")
            why = kind if re.search("Timeout", kind) else reason(output)
            if kind and kind not in ("Failed", "") and why != kind:
                why = "%s: %s" % (kind, why)
            results[case.get("name")] = ("FAILED", why)
        elif skipped is not None:
            results[case.get("name")] = ("skipped", skipped.get("message", ""))
        else:
            results[case.get("name")] = ("passed", "%.1f s" % float(case.get("time", 0)))
    return results


class Results:
    """The lines of tests in a file, which later runs add to, and what they come to."""

    LINE = re.compile(r"(passed|FAILED|skipped) +([^/\s]+)/(\S+)  (.*)")

    def __init__(self, path):
        self.path, self.lines = path, {}
        for line in path.read_text().splitlines() if path.is_file() else []:
            known = self.LINE.fullmatch(line)
            if known:
                self.lines[known[2], known[3]] = (known[1], known[4])

    def add(self, tests, results):
        with open(self.path, "a") as file:
            for library, name, _, _ in tests:
                state, why = results.get(name, ("FAILED", "CTest did not run it"))
                self.lines[library, name] = (state, why)
                line = "%-8s %s/%s  %s" % (state, library, name, why)
                print(line, flush=True)
                file.write(line + "\n")

    def wanted(self, tests):
        """Those of `tests` that ONLY asks for."""
        only = os.environ.get("ONLY", "")
        states = {"": None, "new": {""}, "failed": {"FAILED"}}
        if only not in states:
            sys.exit("ONLY=%s: new or failed" % only)
        return [t for t in tests if not only or self.lines.get(t[:2], ("", ""))[0] in states[only]]

    def summary(self, tests, graph_only):
        """What the lines of `tests` come to; the number of failures."""
        counts, listed, causes = {}, collections.Counter(t[0] for t in tests), collections.Counter()
        for library, name, _, program in tests:
            state, why = self.lines.get((library, name), ("", ""))
            if not state:
                continue
            kind = "no engine" if graph_only(program) else "engine"
            for row in ((library, kind), ("all", kind)):
                counts.setdefault(row, collections.Counter())[state] += 1
            if state == "FAILED":
                causes[re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?", "#", why)] += 1
        listed["all"] = len(tests)
        print()
        for (library, kind), count in sorted(counts.items()):
            total = count["passed"] + count["FAILED"]
            print("%-16s %-10s %5d of %5d passed (%.1f %%), %d skipped, %d listed"
                  % (library, kind, count["passed"], total, 100 * count["passed"] / max(total, 1), count["skipped"],
                     listed[library]))
        for cause, number in causes.most_common(40):
            print("%5d x %s" % (number, cause))
        return sum(causes.values())


def engine_finder(work):
    """Whether a program makes no poplar::Engine, so that its tests end with plans or graphs."""
    known = {}

    def graph_only(program):
        path = work / "build" / program
        if program and program not in known and path.is_file():
            names = subprocess.run(["nm", "-D", "--undefined-only", str(path)], stdout=subprocess.PIPE, text=True).stdout
            known[program] = "_ZN6poplar6EngineC" not in names
        return known.get(program, False)
    return graph_only


def sample(tests):
    every, per = int(os.environ.get("EVERY", "1")), int(os.environ.get("PER", "0"))
    tests = tests[::every]
    if not per:
        return tests
    groups = collections.OrderedDict()
    for t in tests:
        groups.setdefault(t[3] or t[1], []).append(t)
    taken = {t[2] for g in groups.values() for t in {g[i * len(g) // min(per, len(g))] for i in range(min(per, len(g)))}}
    return [t for t in tests if t[2] in taken]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, checkout, words = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    if sys.argv[2:] == ["enable"]:
        work = pathlib.Path(os.environ.get("WORK", build / "poplibs")).resolve()
        work.mkdir(parents=True, exist_ok=True)
        install(build, work)
        print(". %s" % shlex.quote(str(work / "prefix" / "enable")))
        return 0
    if not (checkout / "lib/popops/CMakeLists.txt").is_file():
        sys.exit("%s: no checkout of PopLibs: it has no lib/popops/CMakeLists.txt" % checkout)
    work = pathlib.Path(os.environ.get("WORK", build / "poplibs")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    if words == ["results"]:
        return run_chosen(work, words)
    configure(build, checkout, work)
    build_libraries(work)
    if words == ["libraries"]:
        return 0
    return run_chosen(work, words)


def run_chosen(work, words):
    every_test, results = find_tests(work), Results(work / "results.txt")
    if words != ["results"]:
        tests = results.wanted([t for t in every_test
                                if not words or any(re.search(w, "%s/%s" % t[:2]) for w in words)])
        tests = sample(tests)
        if not tests:
            sys.exit("no test of PopLibs matches")
        say("%d tests in %d programs" % (len(tests), len({t[3] for t in tests if t[3]})))
        order = {name: i for i, name in enumerate(ORDER)}
        for library in sorted({t[0] for t in tests}, key=lambda name: order.get(name, len(order))):
            part = [t for t in tests if t[0] == library]
            programs = sorted({t[3] for t in part if t[3]})
            say("%s: %d tests in %d programs" % (library, len(part), len(programs)))
            if programs:
                ninja(work, programs, "build-tests-%s.log" % library)
            for i in range(0, len(part), BATCH):
                results.add(part[i:i + BATCH], run_tests(work, part[i:i + BATCH]))
    return 1 if results.summary(every_test, engine_finder(work)) else 0


if __name__ == "__main__":
    sys.exit(main())
