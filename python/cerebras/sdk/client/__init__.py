# SPDX-License-Identifier: MIT
"""Scripts for the appliance, on this machine: SdkCompiler makes an artefact (an archive of what cslc writes), SdkRuntime
and SdkLauncher run it on the simulated wafer. Jobs are processes and folders here; resources asked for have no effect."""

import gzip
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import warnings

from cerebras.sdk import _native, sdk_utils
from cerebras.sdk.runtime import sdkruntimepybind

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime", "sdk_utils"]

_COMPILER_KEYWORDS = {"disable_version_check", "mgmt_namespace", "resource_cpu", "resource_mem"}
_JOB_KEYWORDS = _COMPILER_KEYWORDS | {"simulator"}


def _tool(name):
    """The program `name` of the same build as the library: where cs_python says, beside the library, or on the path."""
    library = os.path.dirname(os.path.realpath(_native.lib._name))
    places = [os.environ.get("TILEWRIGHT_BIN", ""), os.path.join(library, "bin")]
    places += [os.path.join(library, *up, "bin") for up in ([".."], ["..", ".."])]
    for place in places:
        path = os.path.join(os.path.abspath(place), name)
        if place and os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if not found:
        raise RuntimeError(f"there is no {name}: neither beside {_native.lib._name} nor on the path")
    return found


def _keywords(who, given, known):
    unknown = sorted(set(given) - known)
    if unknown:
        warnings.warn(f"{who} has no {', '.join(unknown)}: without effect", stacklevel=3)


def _no_machine(simulator):
    """simulator=False asks for a wafer, which nobody has here."""
    if simulator:
        return
    if os.environ.get("TILEWRIGHT_SDK_STRICT") == "1":
        raise RuntimeError("simulator=False: there is no machine here, only the simulator (TILEWRIGHT_SDK_STRICT is set)")
    warnings.warn("simulator=False: there is no machine here, this runs on the simulator", stacklevel=3)


# --- artefacts --------------------------------------------------------------------------------------------------------

def _pack(folder, out_path):
    """The path of an archive of `folder`: `out_path` if that is a name of one, else one in that folder that is named by
    its bytes. Equal files give equal bytes. It appears under its name when it is whole."""
    named = out_path.endswith(".tar.gz")
    entries = sorted(os.path.relpath(os.path.join(at, name), folder)
                     for at, _, names in os.walk(folder) for name in names)
    place = os.path.dirname(os.path.abspath(out_path)) if named else out_path
    handle, temporary = tempfile.mkstemp(dir=place, prefix=".artefact-")
    try:
        with os.fdopen(handle, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as zipped, \
                tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for entry in entries:
                whole = os.path.join(folder, entry)
                info = tarfile.TarInfo(entry)
                info.size, info.mode = os.path.getsize(whole), 0o644
                with open(whole, "rb") as source:
                    archive.addfile(info, source)
        with open(temporary, "rb") as whole:
            name = f"cs_{hashlib.sha256(whole.read()).hexdigest()[:16]}.tar.gz"
        path = out_path if named else os.path.join(out_path, name)
        os.replace(temporary, path)
        return path
    except BaseException:
        os.unlink(temporary)
        raise


def _unpack(path, folder):
    """Regular files and folders inside `folder`; an archive that has anything else is refused."""
    try:
        with tarfile.open(path, "r:*") as archive:
            for info in archive:
                parts = info.name.split("/")
                if os.path.isabs(info.name) or ".." in parts or not (info.isreg() or info.isdir()):
                    raise RuntimeError(f"{path}: '{info.name}' is no file inside the artefact")
                target = os.path.join(folder, info.name)
                if info.isdir():
                    os.makedirs(target, exist_ok=True)
                    continue
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as out:
                    shutil.copyfileobj(archive.extractfile(info), out)
    except (OSError, tarfile.TarError) as error:
        raise RuntimeError(f"{path} is no artefact of SdkCompiler: {error}") from None


def _program_folder(folder, artifact):
    for at, _, names in sorted(os.walk(folder)):
        if "out.json" in names:
            return at
    raise RuntimeError(f"{artifact} has no compiled program (no out.json)")


# --- compile jobs -----------------------------------------------------------------------------------------------------

class SdkCompiler:
    """Compiles programs, with or without `with`."""

    def __init__(self, **keywords):
        _keywords("SdkCompiler", keywords, _COMPILER_KEYWORDS)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        return False

    def compile(self, app_path, csl_main, options, out_path="."):
        """The path of an artefact: `csl_main` in the folder `app_path`, compiled with the flags in the text `options`.
        It lies in the folder `out_path`, or is that file if it ends in .tar.gz. RuntimeError has cslc's text."""
        source = os.path.abspath(os.path.join(app_path, csl_main))
        if not os.path.isfile(source):
            raise RuntimeError(f"{source}: no such file (csl_main is relative to app_path)")
        if not out_path.endswith(".tar.gz"):
            os.makedirs(out_path, exist_ok=True)
        flags = shlex.split(options)
        if not any(flag == "-o" or flag.startswith("-o=") for flag in flags):
            flags += ["-o", "out"]
        with tempfile.TemporaryDirectory(prefix="tilewright-") as job:
            done = subprocess.run([_tool("cslc"), source, *flags], cwd=job, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            sys.stderr.write(done.stdout if done.returncode == 0 else "")
            if done.returncode != 0:
                raise RuntimeError(f"cslc ends with {done.returncode}:\n{done.stdout}")
            _program_folder(job, "what cslc wrote")
            path = _pack(job, out_path)
        return path


# --- run jobs ---------------------------------------------------------------------------------------------------------

class SdkRuntime(sdkruntimepybind.SdkRuntime):
    """The runtime of sdkruntimepybind on an artefact: `with` loads and starts it, and stops it."""

    def __init__(self, artifact, simulator=True, **keywords):
        local = {key: keywords.pop(key) for key in list(keywords)
                 if key in ("suppress_simfab_trace", "simfab_numthreads", "msg_level", "memcpy_required")}
        _keywords("SdkRuntime", keywords, _JOB_KEYWORDS)
        _no_machine(simulator)
        self.job = tempfile.TemporaryDirectory(prefix="tilewright-")
        _unpack(artifact, self.job.name)
        super().__init__(_program_folder(self.job.name, artifact), **local)

    def __enter__(self):
        self.load()
        self.run()
        return self

    def __exit__(self, kind, value, traceback):
        try:
            if kind is None:
                self.stop()
        finally:
            self.job.cleanup()
        return False


class SdkLauncher:
    """A job of shell commands, in a folder that holds the artefact's files."""

    def __init__(self, artifact, simulator=True, **keywords):
        _keywords("SdkLauncher", keywords, _JOB_KEYWORDS)
        _no_machine(simulator)
        self.job = tempfile.TemporaryDirectory(prefix="tilewright-")
        _unpack(artifact, self.job.name)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.job.cleanup()
        return False

    def stage(self, path):
        """Copies a file of this machine into the job."""
        if not os.path.isfile(path):
            raise RuntimeError(f"stage: {path}: no such file")
        shutil.copy(path, self.job.name)

    def run(self, *commands):
        """Runs shell commands one after the other; what they print is passed on and returned. %CMADDR% is ''."""
        environment = dict(os.environ, TILEWRIGHT_PYTHON=sys.executable)
        environment["PATH"] = os.path.dirname(_tool("cs_python")) + os.pathsep + environment.get("PATH", os.defpath)
        printed = []
        for command in commands:
            with subprocess.Popen(["/bin/sh", "-c", command.replace("%CMADDR%", "''")], cwd=self.job.name, text=True,
                                  errors="replace", env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT) as child:
                for line in child.stdout:
                    sys.stdout.write(line)
                    sys.stdout.flush()
                    printed.append(line)
            if child.returncode != 0:
                raise RuntimeError(f"'{command}' ends with {child.returncode}:\n{''.join(printed)}")
        return "".join(printed)

    def download_artifact(self, name, out_path):
        """Copies a file of the job to a folder or file of this machine."""
        source = os.path.realpath(os.path.join(self.job.name, name))
        if not source.startswith(os.path.realpath(self.job.name) + os.sep) or not os.path.isfile(source):
            raise RuntimeError(f"download_artifact: the job has no file '{name}'")
        shutil.copy(source, out_path)
