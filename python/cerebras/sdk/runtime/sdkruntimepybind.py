# SPDX-License-Identifier: MIT
"""SdkRuntime: copies, streams and launches between a script and the wafer. SdkLayout: regions, ports and streams."""

import enum
import os
import sys
import warnings
from ctypes import byref, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

import numpy as np

from cerebras.sdk import _native
from cerebras.sdk._native import lib
from cerebras.sdk.runtime._layout import (  # names that scripts import from here
    CodeRegion, Color, Edge, EdgeRouteInfo, FP16TYPE, PortHandle, Route, RoutingPosition, SdkCompileArtifacts,
    SdkExecutionPlatform, SdkLayout, SdkTarget, SimfabConfig, get_edge_routing, get_platform, get_simulator,
    get_system,
)

__all__ = [
    "CodeRegion", "Color", "Edge", "EdgeRouteInfo", "FP16TYPE", "MemcpyDataType", "MemcpyOrder", "PortHandle", "Route",
    "RoutingPosition", "SdkCompileArtifacts", "SdkExecutionPlatform", "SdkLayout", "SdkRuntime", "SdkTarget",
    "SimfabConfig", "Task", "get_edge_routing", "get_platform", "get_simulator", "get_system",
]


class MemcpyDataType(enum.Enum):
    MEMCPY_16BIT = 0
    MEMCPY_32BIT = 1


class MemcpyOrder(enum.Enum):
    ROW_MAJOR = 0
    COL_MAJOR = 1


# CSL type of an argument: numpy type of the same bits, unsigned type to widen it from.
_ARGUMENT_TYPES = {
    "bool": (np.bool_, np.uint8), "i8": (np.int8, np.uint8), "u8": (np.uint8, np.uint8),
    "i16": (np.int16, np.uint16), "u16": (np.uint16, np.uint16), "f16": (np.float16, np.uint16),
    "i32": (np.int32, np.uint32), "u32": (np.uint32, np.uint32), "f32": (np.float32, np.uint32),
}


class Task:
    """A command that was queued; keeps the arrays alive that it will fill."""

    def __init__(self, handle, finish=None):
        self.handle = handle
        self.finish = finish


def _wafer(program, options):
    """A new wafer, or one from a checkpoint."""
    resume = os.environ.get("TILEWRIGHT_CSL_RESUME")
    return _native.made(lib.tw_wse_resume(program, byref(options), os.fsencode(resume)) if resume
                        else lib.tw_wse_new(program, byref(options)))


def _ask_for_checkpoints(wafer):
    """As the environment says: the options of tilewright csl run."""
    path = os.environ.get("TILEWRIGHT_CSL_SAVE", "checkpoint")
    cycles = [int(cycle) for cycle in os.environ.get("TILEWRIGHT_CSL_SAVE_AT", "").split(",") if cycle]
    for cycle in cycles:
        name = path if len(cycles) == 1 else f"{path}.{cycle}"
        _native.check(lib.tw_wse_save_at(wafer, cycle, os.fsencode(name)))
    every = os.environ.get("TILEWRIGHT_CSL_SAVE_EVERY")
    if every:
        cycle, _, keep = every.partition(",")
        _native.check(lib.tw_wse_save_every(wafer, int(cycle), int(keep or 2), os.fsencode(path)))


# The last run of each folder, for debug_util.
last_runs = {}


class SdkRuntime:
    """A simulated wafer that runs the program of a folder. `cmaddr`, the address of a real machine, must be empty."""

    def __init__(self, bindir, platform=None, cmaddr=None, suppress_simfab_trace=False, simfab_numthreads=0,
                 msg_level=None, memcpy_required=True, **unknown):
        if unknown:
            warnings.warn(f"SdkRuntime has no {', '.join(unknown)}: without effect", stacklevel=2)
        if isinstance(platform, str):
            cmaddr, platform = platform, None
        if cmaddr:
            raise RuntimeError(f"cmaddr = '{cmaddr}': there is no machine here, only the simulator; leave it empty")
        self.artifacts = bindir if isinstance(bindir, SdkCompileArtifacts) else SdkCompileArtifacts(bindir)
        self.program = _native.Program(self.artifacts.path)
        self.info = self.program.info
        if not 0 <= simfab_numthreads <= 64:
            raise ValueError(f"simfab_numthreads is {simfab_numthreads}: the simulator runs on 1 to 64 threads")
        if msg_level not in (None, "DEBUG", "INFO", "WARNING", "ERROR"):
            raise ValueError(f"msg_level is {msg_level}: the levels are DEBUG, INFO, WARNING and ERROR")
        # More threads than the machine has would only wait; the result is the same with any number.
        asked = min(simfab_numthreads, os.cpu_count() or 1)
        self.threads = int(os.environ.get("TILEWRIGHT_THREADS", asked))
        self.wafer = c_void_p()
        self.pending = {}
        self.opened = []

    def __del__(self):
        if getattr(self, "wafer", None) and lib is not None:
            lib.tw_wse_free(self.wafer)
            self.wafer = None

    # --- life ---

    def load(self):
        options = _native.WseOptions(threads=self.threads, out=_native.stream("stdout"),
                                     reports=_native.stream("stderr"),
                                     check=_checks[os.environ.get("TILEWRIGHT_CSL_CHECK", "report")],
                                     max_cycles=int(os.environ.get("TILEWRIGHT_CSL_MAX_CYCLES", 0)),
                                     profile="TILEWRIGHT_CSL_PROFILE" in os.environ,
                                     trace="TILEWRIGHT_CSL_TRACE" in os.environ,
                                     may_wait=True)
        lib.tw_wse_free(self.wafer)
        self.wafer = c_void_p()
        self.wafer = _wafer(self.program.handle, options)
        _ask_for_checkpoints(self.wafer)
        for stream in self.artifacts.output_streams.values():
            _native.check(lib.tw_wse_open_output(self.wafer, byref(stream)))
        for x, y, name, data in self.artifacts.symbols:
            self.write_symbol(x, y, name, data)
        last_runs[os.path.abspath(self.artifacts.path)] = self

    def run(self):
        self._started()

    def stop(self):
        sys.stdout.flush()
        _native.check(lib.tw_wse_stop(self._started()))
        for task in list(self.pending.values()):
            self._finish(task)
        self._write(lib.tw_wse_write_profile, "TILEWRIGHT_CSL_PROFILE")
        if "TILEWRIGHT_CSL_TRACE" in os.environ:
            self.write_trace(os.environ["TILEWRIGHT_CSL_TRACE"])

    def write_trace(self, path):
        _native.libc.fopen.restype = c_void_p
        file = c_void_p(_native.libc.fopen(os.fsencode(path), b"w"))
        if not file:
            raise OSError(f"cannot write '{path}'")
        try:
            _native.check(lib.tw_wse_write_trace(self.wafer, file))
        finally:
            _native.libc.fclose(file)

    def _write(self, call, variable):
        if variable in os.environ:
            _native.check(call(self.wafer, os.fsencode(os.environ[variable])))

    def _started(self):
        if not self.wafer:
            raise RuntimeError("load() comes first")
        return self.wafer

    # --- names ---

    def get_id(self, name):
        return self.program.find(name)[0]

    get_symbol = get_id

    # --- commands ---

    def _command(self, call, arguments, nonblock, finish=None):
        """Runs or queues; `finish` copies results that did not go straight into the script's array."""
        sys.stdout.flush()
        handle = c_uint64()
        _native.check(call(*arguments, byref(handle)))
        task = Task(handle.value, finish)
        self.pending[task.handle] = task
        if not nonblock:
            self.task_wait(task)
        return task

    def _finish(self, task):
        if self.pending.pop(task.handle, None) is not None and task.finish:
            task.finish()

    def task_wait(self, task):
        _native.check(lib.tw_wse_wait(self._started(), task.handle))
        for earlier in [t for t in self.pending.values() if t.handle <= task.handle]:
            if lib.tw_wse_is_done(self.wafer, earlier.handle):
                self._finish(earlier)

    def is_task_done(self, task):
        done = bool(lib.tw_wse_is_done(self._started(), task.handle))
        if done:
            self._finish(task)
        return done

    def launch(self, name, *args, nonblock=False):
        export = self.program.find(name)[1]
        if not export.function:
            raise RuntimeError(f"'{name}' is no function")
        types = _argument_types(export.type.decode())
        if len(args) != len(types):
            raise TypeError(f"{name}() takes {len(types)} arguments ({', '.join(types)}), not {len(args)}")
        bits = [_argument_bits(name, k, t, v) for k, (t, v) in enumerate(zip(types, args))]
        array = (c_uint32 * max(1, len(bits)))(*bits)
        return self._command(lib.tw_wse_launch, (self._started(), name.encode(), array, len(bits)), nonblock)

    def call(self, name, args=(), nonblock=False):
        return self.launch(name, *args, nonblock=nonblock)

    # --- copies ---

    def _describe(self, symbol, px, py, w, h, l, streaming, data_type, order, spread=0, row=1, column=1):
        for name, number in (("px", px), ("py", py), ("w", w), ("h", h), ("elem_per_pe", l), ("row_stride", row),
                             ("col_stride", column)):
            _native.whole(number, c_uint, f"{name} of a copy")
        return _native.Copy(symbol=int(symbol), streaming=bool(streaming),
                            half=data_type == MemcpyDataType.MEMCPY_16BIT and not streaming,
                            order=order.value, spread=spread, x=px, y=py, width=w, height=h, elements=l,
                            row_stride=row, column_stride=column)

    def _to_device(self, copy, src, nonblock):
        array = np.ascontiguousarray(_four_bytes(src, "source")).reshape(-1).view(np.uint32)
        expected = lib.tw_wse_copy_words(byref(copy))
        if array.size < expected:
            raise ValueError(f"the source has {array.size} elements, the copy needs {expected}")
        if array.size > expected:  # published scripts pass the rest of a long array
            warnings.warn(f"the source has {array.size} elements; the copy takes the first {expected}", stacklevel=3)
        return self._command(lib.tw_wse_h2d, (self._started(), byref(copy), _native.words(array), expected),
                             nonblock)

    def memcpy_h2d(self, dest, src, px, py, w, h, elem_per_pe, streaming=False,
                   data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False):
        return self._to_device(self._describe(dest, px, py, w, h, elem_per_pe, streaming, data_type, order), src,
                               nonblock)

    def memcpy_h2d_rowbcast(self, dest, src, px, py, w, h, elem_per_pe, streaming=False,
                            data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False):
        return self._to_device(self._describe(dest, px, py, w, h, elem_per_pe, streaming, data_type, order, 1), src,
                               nonblock)

    def memcpy_h2d_colbcast(self, dest, src, px, py, w, h, elem_per_pe, streaming=False,
                            data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False):
        return self._to_device(self._describe(dest, px, py, w, h, elem_per_pe, streaming, data_type, order, 2), src,
                               nonblock)

    def memcpy_h2d_stride(self, dest, src, px, py, w, h, elem_per_pe, row_stride, col_stride, streaming=False,
                          data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False):
        copy = self._describe(dest, px, py, w, h, elem_per_pe, streaming, data_type, order, 0, row_stride, col_stride)
        return self._to_device(copy, src, nonblock)

    def memcpy_d2h(self, dst, src, px, py, w, h, elem_per_pe, streaming=False,
                   data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False):
        copy = self._describe(src, px, py, w, h, elem_per_pe, streaming, data_type, order)
        size = lib.tw_wse_copy_words(byref(copy))
        return self._from_device(lib.tw_wse_d2h, byref(copy), dst, size, nonblock, copy)

    def _from_device(self, call, what, dst, size, nonblock, *keep):
        target = _four_bytes(dst, "destination")
        if target.size != size:
            raise ValueError(f"the destination has {target.size} elements, the transfer brings {size}")
        buffer = np.empty(size, np.uint32)

        def finish():
            _ = keep  # what the call still points at lives as long as this
            target.flat = buffer.view(target.dtype)

        return self._command(call, (self._started(), what, _native.words(buffer), size), nonblock, finish)

    # --- ports of a layout ---

    def send(self, port, src, n=None, nonblock=False):
        array = _stream_words(np.asarray(src), n)
        return self._command(lib.tw_wse_send, (self._started(), byref(self.artifacts.input(port)),
                                               _native.words(array), array.size), nonblock)

    def receive(self, port, dst, n=None, nonblock=False):
        """`n` wavelets into the first elements of dst: whole words, or their low halves."""
        size = dst.size if n is None else n
        if not 0 <= size <= dst.size:
            raise ValueError(f"{size} wavelets do not go into {dst.size} elements")
        if dst.dtype.itemsize not in (2, 4):
            raise TypeError(f"a stream carries elements of 2 or 4 bytes, not {dst.dtype}")
        buffer = np.empty(size, np.uint32)

        def finish():
            dst.flat[:size] = buffer.view(dst.dtype)[::4 // dst.dtype.itemsize]

        return self._command(lib.tw_wse_receive, (self._started(), byref(self.artifacts.output(port)),
                                                  _native.words(buffer), size), nonblock, finish)

    def receive_tofile(self, port, path, n, nonblock=False):
        buffer = np.empty(n, np.uint32)

        def finish():
            buffer.tofile(path)

        return self._command(lib.tw_wse_receive, (self._started(), byref(self.artifacts.output(port)),
                                                  _native.words(buffer), n), nonblock, finish)

    def get_port_id(self, name):
        return name

    def report_port_infos(self):
        for kind, ports in (("input", self.artifacts.input_streams), ("output", self.artifacts.output_streams)):
            for name, port in ports.items():
                print(f"{name}: {kind} at PE ({port.x}, {port.y}), color {port.color}")

    # --- memory ---

    def read_symbol(self, x, y, name, dtype="uint8"):
        """Raw bytes of a variable of the PE at x, y of the fabric, as an array of dtype."""
        size = c_size_t(0)
        x, y = _place(x, y)
        _native.check(lib.tw_wse_read_symbol(self._started(), x, y, name.encode(), None, byref(size)))
        data = np.zeros(size.value, np.uint8)
        _native.check(lib.tw_wse_read_symbol(self.wafer, x, y, name.encode(), data.ctypes.data, byref(size)))
        return data.view(dtype)

    def write_symbol(self, x, y, name, data):
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        x, y = _place(x, y)
        _native.check(lib.tw_wse_write_symbol(self._started(), x, y, name.encode(), raw.ctypes.data, raw.size))

    def symbols(self, x, y):
        """Names of the variables of a PE."""
        names, index = [], 0
        x, y = _place(x, y)
        while (name := lib.tw_wse_symbol_name(self._started(), x, y, index)) is not None:
            names.append(name.decode())
            index += 1
        return names

    def coord_logical_to_physical(self, coord):
        return (coord[0] + self.info.x, coord[1] + self.info.y)

    def dump_core(self, path):
        """Memory of all PEs of the rectangle, as an array [height][width][bytes] in numpy's format."""
        memory = np.zeros((self.info.height, self.info.width, 49152), np.uint8)
        for y in range(self.info.height):
            for x in range(self.info.width):
                _native.check(lib.tw_wse_read(self._started(), x + self.info.x, y + self.info.y, 0,
                                              memory[y, x].ctypes.data, 49152))
        with open(path, "wb") as file:
            np.save(file, memory)

    dump_elf_core = dump_core


_checks = {"report": 0, "error": 1, "strict": 2, "off": 3}


def _place(x, y):
    """Coordinates of a PE, as C holds them."""
    return _native.whole(x, c_uint, "x of a PE"), _native.whole(y, c_uint, "y of a PE")


def _four_bytes(array, role):
    if not isinstance(array, np.ndarray):
        raise TypeError(f"the {role} of a copy is a numpy array, not {type(array).__name__}")
    if array.dtype.itemsize != 4:
        raise TypeError(f"the {role} of a copy has elements of 4 bytes (16-bit data in the low half), not {array.dtype}")
    return array


def _stream_words(array, n):
    """One wavelet per element: 4-byte elements as they are, shorter ones in the low half."""
    array = np.ascontiguousarray(array).reshape(-1)
    if array.dtype.itemsize == 4:
        array = array.view(np.uint32)
    elif array.dtype.itemsize == 2:
        array = array.view(np.uint16).astype(np.uint32)
    else:
        raise TypeError(f"a stream carries elements of 2 or 4 bytes, not {array.dtype}")
    if n is not None and not 0 <= n <= array.size:
        raise ValueError(f"{n} elements are to be sent, the source has {array.size}")
    return array if n is None else array[:n]


def _argument_types(text):
    """'fn(i16,[*]f32)void' -> ['i16', '[*]f32']"""
    inner = text[text.index("(") + 1:text.rindex(")")].replace(" ", "")
    return inner.split(",") if inner else []


def _argument_bits(function, index, kind, value):
    row = _ARGUMENT_TYPES.get(kind)
    where = f"argument {index + 1} of {function}()"
    if row is None:
        raise TypeError(f"{where} has the type {kind}, which the host cannot give")
    if isinstance(value, np.generic) and value.dtype != np.dtype(row[0]):
        raise TypeError(f"{where} is {kind}, not {value.dtype}")
    if not isinstance(value, np.generic) and row[0] in (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32):
        limits = np.iinfo(row[0])
        if not limits.min <= int(value) <= limits.max:
            raise OverflowError(f"{where} is {kind}: {value} does not fit")
    return int(np.array([value], row[0]).view(row[1])[0])
