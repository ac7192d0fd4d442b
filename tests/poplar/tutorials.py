# SPDX-License-Identifier: MIT
"""Runs the C++ programs of a checkout of the vendor's public tutorials (branch sdk-release-3.1), unmodified:

    python3 tests/poplar/tutorials.py BUILD DIR [WORD...]     # BUILD: build/release; WORD: part of a test's path

Each program is built by its own Makefile and judged by its own test: the modules that those tests import (pytest,
filelock, their testing_util) are stood in for here, so that nothing else has to be installed. Works on a copy. Programs
for hardware run on the IPU Model. A program that needs a library of PopLibs is skipped unless POPLIBS names the folder
where PopLibs is installed. With SAN (address,undefined) in the environment the programs are compiled with those
sanitizers, as BUILD is: `SAN=address,undefined ./dev poplar-tutorials DIR`. Ends with 1 when a test fails."""
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("tutorials/poplar", "feature_examples/poplar", "simple_applications/poplar")
LIMIT = 300  # seconds for a command


class Skipped(Exception):
    pass


def sanitizing_compilers(folder, sanitizers):
    """Compilers under the names that the Makefiles call, which add the sanitizers."""
    folder.mkdir()
    for name in ("g++", "c++"):
        (folder / name).write_text('#!/bin/sh\nexec clang++-19 -g -fsanitize=%s -fno-sanitize-recover=all "$@"\n'
                                   % shlex.quote(sanitizers))
        (folder / name).chmod(0o755)
    return folder


def environment(build, work):
    """What a user of the SDK has: headers, libraries and popc where compilers and shells look."""
    env = dict(os.environ)
    prefix = os.environ.get("POPLIBS")
    if prefix:
        prefix = os.path.abspath(prefix)  # programs are built in another folder
        if not os.path.isdir(prefix + "/include/poputil"):
            sys.exit("POPLIBS: there is no PopLibs in %s (./dev poplibs DIR libraries installs it)" % prefix)

    def more(name, *folders):
        env[name] = ":".join([str(f) for f in folders] + ([env[name]] if env.get(name) else []))

    more("CPATH", ROOT / "include", *([prefix + "/include"] if prefix else []))
    for name in ("LIBRARY_PATH", "LD_LIBRARY_PATH"):
        more(name, build, *([prefix + "/lib"] if prefix else []))
    more("PATH", build / "bin")
    if os.environ.get("SAN"):
        more("PATH", sanitizing_compilers(work / "compilers", os.environ["SAN"]))
    env["TILEWRIGHT_DEVICES"] = "model"
    return env


def why_skipped(output):
    missing = re.search(r"fatal error: (pop\w+/\S+|boost/\S+): No such file", output)
    library = re.search(r"cannot find -l(pop(?:util|ops|lin|nn|rand|sparse)|boost_\w+)", output)
    if missing or library:
        what = (missing or library).group(1)
        return "needs %s of %s" % (what, "Boost" if what.startswith("boost") else "PopLibs")
    return None


def run_command(base, command, cwd, expected=(), env=None):
    """testing_util.run_command(): the command succeeds, and its output matches every expectation."""
    full = dict(base)
    if env:  # the test's own variables, on top of ours
        full.update({k: v for k, v in env.items() if os.environ.get(k) != v})
    done = subprocess.run(command if isinstance(command, list) else command.split(), cwd=cwd, env=full, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    if done.returncode:
        reason = why_skipped(done.stdout)
        if reason:
            raise Skipped(reason)
        raise AssertionError("%s: exit status %d\n%s" % (command, done.returncode, done.stdout[-2000:]))
    for pattern in expected or ():
        if not re.search(pattern, done.stdout):
            raise AssertionError("%s does not print '%s':\n%s" % (command, pattern, done.stdout[-2000:]))
    return done.stdout


def stand_ins(env):
    class Anything:
        """pytest.mark.category1, pytest.mark.ipus(1): decorators that change nothing."""

        def __getattr__(self, _):
            return self

        def __call__(self, *args, **_):
            return args[0] if len(args) == 1 and callable(args[0]) else self

    def fixture(*args, **_):
        def mark(function):
            function.is_fixture = True
            return function
        return mark(args[0]) if args and callable(args[0]) else mark

    class FileLock:
        def __init__(self, *_):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

    def no_data(*_, **__):
        raise Skipped("its data has to be downloaded")

    pytest = types.ModuleType("pytest")
    pytest.fixture, pytest.mark = fixture, Anything()
    filelock = types.ModuleType("filelock")
    filelock.FileLock = FileLock
    package, util = types.ModuleType("tutorials_tests"), types.ModuleType("tutorials_tests.testing_util")
    util.run_command = lambda *a, **k: run_command(env, *a, **k)
    util.check_data_exists = lambda folder, names: all(os.path.exists(os.path.join(folder, n)) for n in names)
    util.run_command_fail_explicitly = no_data
    package.testing_util = util
    sys.modules.update({"pytest": pytest, "filelock": filelock, "tutorials_tests": package,
                        "tutorials_tests.testing_util": util})


def tests_of(path):
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    functions = [f for f in vars(module).values() if isinstance(f, types.FunctionType)
                 and f.__module__ == path.stem]
    fixtures = [f for f in functions if getattr(f, "is_fixture", False)]
    return fixtures, [f for f in functions if f.__name__.startswith("test_")]


def run_one(fixtures, test):
    start = time.monotonic()
    try:
        for fixture in fixtures:
            fixture()
        test()
        return "passed", "%.1f s" % (time.monotonic() - start)
    except Skipped as e:
        return "skipped", str(e)
    except (AssertionError, OSError, subprocess.TimeoutExpired) as e:
        return "FAILED", str(e)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, checkout, words = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3:]
    counts = {"passed": 0, "skipped": 0, "FAILED": 0}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        for part in FOLDERS:
            if (checkout / part).is_dir():
                shutil.copytree(checkout / part, work / part)
        stand_ins(environment(build, work))
        for path in sorted(work.glob("*/poplar/**/test_*.py")):
            name = str(path.relative_to(work))
            if words and not any(w in name for w in words):
                continue
            fixtures, tests = tests_of(path)
            for test in tests:
                result, text = run_one(fixtures, test)
                counts[result] += 1
                print("%-8s %s:%s  %s" % (result, name, test.__name__, text), flush=True)
    print("%(passed)d passed, %(skipped)d skipped, %(FAILED)d failed" % counts)
    sys.exit(1 if counts["FAILED"] or not sum(counts.values()) else 0)


if __name__ == "__main__":
    main()
