# SPDX-License-Identifier: MIT
"""Scripts for the appliance, in two processes as they are written: compile, then run what the first one left."""

import glob
import io
import json
import logging
import os
import sys
import tarfile
import warnings

import numpy as np

from cerebras.appliance import logger
from cerebras.appliance.pb.sdk.sdk_common_pb2 import MemcpyDataType, MemcpyOrder
from cerebras.sdk.client import SdkCompiler, SdkLauncher, SdkRuntime, sdk_utils

M, N = 4, 6
OPTIONS = f"--arch wse2 --params=M:{M},N:{N} --memcpy --fabric-dims=8,3 --fabric-offsets=4,1 --channels=1 -o out"


def refused(phrase, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except RuntimeError as error:
        assert phrase in str(error), error
        return
    raise AssertionError(f"{call} was not refused")


def compile_job(source):
    gemv = os.path.join(source, "examples/csl/gemv")
    with SdkCompiler(resource_cpu=48000, resource_mem=64 << 30, disable_version_check=True) as compiler:
        path = compiler.compile(gemv, "layout.csl", OPTIONS, "made")
        refused("no such file", compiler.compile, gemv, "nowhere.csl", OPTIONS, "made")
        refused("cslc ends with 2:\ncslc: --arch", compiler.compile, gemv, "layout.csl", OPTIONS.replace("wse2", "wse9"), "made")
    again = SdkCompiler().compile(app_path=gemv, csl_main="layout.csl", options=OPTIONS, out_path="again.tar.gz")
    assert again == "again.tar.gz"
    with open(path, "rb") as a, open(again, "rb") as b:
        assert a.read() == b.read(), "equal programs, other bytes"
    assert not glob.glob("made/.artefact-*")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        SdkCompiler(colour=1)
        assert ["SdkCompiler has no colour: without effect"] == [str(w.message) for w in seen]
        assert seen[0].filename == __file__
    with open("artifact.json", "w", encoding="utf-8") as out:
        json.dump({"artifact_path": path}, out)
    print("compiled")


def gemv_job(artifact):
    rng = np.random.default_rng(1)
    a, x, b = (rng.random(k, dtype=np.float32) for k in (M * N, N, M))
    settings = {"streaming": False, "data_type": MemcpyDataType.MEMCPY_32BIT, "order": MemcpyOrder.ROW_MAJOR}
    with SdkRuntime(artifact, simulator=True) as runtime:
        for name, data in (("A", a), ("x", x), ("b", b)):
            runtime.memcpy_h2d(runtime.get_id(name), data, 0, 0, 1, 1, data.size, nonblock=True, **settings)
        runtime.launch("columns", nonblock=False)
        y = np.zeros(M, np.float32)
        runtime.memcpy_d2h(y, runtime.get_id("y"), 0, 0, 1, 1, M, nonblock=False, **settings)
        folder = runtime.job.name
    assert not os.path.exists(folder), "the job's folder stays"
    np.testing.assert_allclose(y, a.reshape(M, N) @ x + b, rtol=1e-5)
    try:
        with SdkRuntime(artifact) as runtime:
            folder = runtime.job.name
            raise KeyError("of the script")
    except KeyError:
        assert not os.path.exists(folder)


def no_machine(artifact):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with SdkLauncher(artifact, simulator=False, disable_version_check=True):
            pass
        assert len(seen) == 1 and "there is no machine here" in str(seen[0].message)
    os.environ["TILEWRIGHT_SDK_STRICT"] = "1"
    refused("there is no machine here", SdkRuntime, artifact, simulator=False)
    del os.environ["TILEWRIGHT_SDK_STRICT"]


def launcher_job(artifact):
    with open("job.py", "w", encoding="utf-8") as out:
        out.write("import argparse, numpy\np = argparse.ArgumentParser()\np.add_argument('--name')\n"
                  "p.add_argument('--cmaddr')\na = p.parse_args()\n"
                  "from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime\n"
                  "r = SdkRuntime(a.name, cmaddr=a.cmaddr)\nr.load()\nr.run()\nr.launch('columns')\nr.stop()\n"
                  "open('out.csv', 'a').write('1,2\\n')\nprint('ran', a.name, repr(a.cmaddr))\n")
    with SdkLauncher(artifact, simulator=True) as launcher:
        launcher.stage("job.py")
        refused("no such file", launcher.stage, "nowhere.py")
        assert launcher.run("echo one", "echo two >&2") == "one\ntwo\n"
        assert "ran out ''" in launcher.run("cs_python job.py --name out --cmaddr %CMADDR%")
        refused("ends with 3:\nlast words", launcher.run, "echo last words; exit 3")
        launcher.download_artifact("out.csv", ".")
        launcher.download_artifact("out.csv", "named.csv")
        refused("the job has no file 'never.csv'", launcher.download_artifact, "never.csv", ".")
        refused("the job has no file '../", launcher.download_artifact, "../../etc/hostname", ".")
    for name in ("out.csv", "named.csv"):
        with open(name, encoding="utf-8") as got:
            assert got.read() == "1,2\n"


def hostile_archives():
    for name, kind in (("../x", tarfile.REGTYPE), ("/tmp/x", tarfile.REGTYPE), ("link", tarfile.SYMTYPE),
                       ("fifo", tarfile.FIFOTYPE)):
        with tarfile.open("hostile.tar.gz", "w:gz") as archive:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info, io.BytesIO(b""))
        refused(f"'{name}' is no file inside", SdkLauncher, "hostile.tar.gz")
    with open("text.tar.gz", "w", encoding="utf-8") as out:
        out.write("no archive")
    refused("is no artefact", SdkRuntime, "text.tar.gz")
    refused("is no artefact", SdkRuntime, "nowhere.tar.gz")
    with tarfile.open("empty.tar.gz", "w:gz"):
        pass
    refused("no compiled program", SdkRuntime, "empty.tar.gz")


if __name__ == "__main__":
    assert isinstance(logger, logging.Logger) and sdk_utils.calculate_cycles
    if sys.argv[1] == "compile":
        compile_job(sys.argv[2])
    else:
        with open("artifact.json", encoding="utf-8") as made:
            artifact_path = json.load(made)["artifact_path"]
        gemv_job(artifact_path)
        no_machine(artifact_path)
        launcher_job(artifact_path)
        hostile_archives()
        print("SUCCESS")
