# SPDX-License-Identifier: MIT
"""libtilewright through ctypes: the calls of <tilewright/csl.h> and <tilewright/csl/wse.h> that the package needs."""

import ctypes
import operator
import os
import sys
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p

import tilewright_library


lib = ctypes.CDLL(tilewright_library.find())
libc = ctypes.CDLL(None)


def whole(value, kind, what):
    """The number as it is; one that the C type cannot hold is refused, since ctypes would take its low bits."""
    number = operator.index(value)
    if kind(number).value != number:
        bits = 8 * ctypes.sizeof(kind)
        low = 0 if kind(-1).value > 0 else -(1 << (bits - 1))
        raise ValueError(f"{what} is {number}; it must be from {low} to {low + (1 << bits) - 1}")
    return number


_WHOLE = (c_int, c_uint, c_size_t, ctypes.c_int64, c_uint64)


class _Checked(Structure):
    """A structure whose numbers are checked when it is made."""

    def __init__(self, *row, **fields):
        fields.update(zip((field[0] for field in self._fields_), row))
        for name, kind in self._fields_:
            if kind in _WHOLE and name in fields:
                fields[name] = whole(fields[name], kind, name)
        super().__init__(**fields)


def _argument(kind):
    """The C type as that of an argument, checked in the same way."""
    def from_param(_, value):
        return value if isinstance(value, ctypes._SimpleCData) else kind(whole(value, kind, "an argument"))

    return type("argument", (), {"from_param": classmethod(from_param)})


class Binding(_Checked):
    _fields_ = [("name", c_char_p), ("value", ctypes.c_int64)]


class _Sized(_Checked):
    """Options, which begin with their own size."""

    def __init__(self, *row, **fields):
        super().__init__(*row, size=ctypes.sizeof(self), **fields)


class Options(_Sized):
    _fields_ = [
        ("size", c_size_t), ("arch", c_int), ("memcpy", c_bool), ("channels", c_uint),
        ("fabric_width", c_uint), ("fabric_height", c_uint), ("offset_x", c_uint), ("offset_y", c_uint),
        ("west_buffer", c_uint), ("east_buffer", c_uint),
        ("params", POINTER(Binding)), ("param_count", c_size_t),
        ("colors", POINTER(Binding)), ("color_count", c_size_t),
        ("import_paths", POINTER(c_char_p)), ("import_path_count", c_size_t),
        ("max_comptime_steps", c_uint64), ("max_memory", c_size_t), ("max_inlined", c_uint),
        ("fp16", c_int), ("warnings_are_errors", c_bool), ("max_seconds", c_double), ("level", c_int),
    ]


class Info(_Checked):
    _fields_ = [
        ("arch", c_int), ("fabric_width", c_uint), ("fabric_height", c_uint),
        ("x", c_uint), ("y", c_uint), ("width", c_uint), ("height", c_uint),
        ("programs", c_uint), ("memcpy", c_bool), ("channels", c_uint),
    ]


class Export(_Checked):
    _fields_ = [
        ("name", c_char_p), ("type", c_char_p), ("function", c_bool), ("mutable", c_bool),
        ("argument_count", c_uint), ("element_bytes", c_uint),
    ]


class WseOptions(_Sized):
    _fields_ = [
        ("size", c_size_t), ("max_cycles", c_uint64), ("max_idle_cycles", c_uint64), ("threads", c_uint), ("check", c_int),
        ("task_order_seed", c_uint64), ("out", c_void_p), ("reports", c_void_p),
        ("profile", c_bool), ("trace", c_bool), ("may_wait", c_bool), ("max_seconds", c_double),
        ("motion", c_bool),
    ]


class Copy(_Checked):
    _fields_ = [
        ("symbol", c_int), ("streaming", c_bool), ("half", c_bool), ("order", c_int), ("spread", c_int),
        ("x", c_uint), ("y", c_uint), ("width", c_uint), ("height", c_uint), ("elements", c_uint),
        ("row_stride", c_uint), ("column_stride", c_uint),
    ]


class Port(_Checked):
    _fields_ = [("x", c_uint), ("y", c_uint), ("color", c_uint), ("side", c_int)]


_words = POINTER(ctypes.c_uint32)
_task = POINTER(c_uint64)

# name: result, arguments
_CALLS = {
    "tw_error_message": (c_char_p, []),
    "tw_diags_new": (c_void_p, []),
    "tw_diags_free": (None, [c_void_p]),
    "tw_diags_print": (None, [c_void_p, c_void_p, c_bool]),
    "tw_csl_compile": (c_void_p, [c_char_p, POINTER(Options), c_void_p]),
    "tw_csl_program_free": (None, [c_void_p]),
    "tw_csl_save": (c_int, [c_void_p, c_char_p]),
    "tw_csl_load": (c_void_p, [c_char_p]),
    "tw_csl_get_info": (None, [c_void_p, POINTER(Info)]),
    "tw_csl_get_export": (c_bool, [c_void_p, c_size_t, POINTER(Export)]),
    "tw_csl_find_export": (c_int, [c_void_p, c_char_p]),
    "tw_wse_new": (c_void_p, [c_void_p, POINTER(WseOptions)]),
    "tw_wse_resume": (c_void_p, [c_void_p, POINTER(WseOptions), c_char_p]),
    "tw_wse_save_at": (c_int, [c_void_p, c_uint64, c_char_p]),
    "tw_wse_save_every": (c_int, [c_void_p, c_uint64, c_uint, c_char_p]),
    "tw_wse_free": (None, [c_void_p]),
    "tw_wse_copy_words": (c_size_t, [POINTER(Copy)]),
    "tw_wse_h2d": (c_int, [c_void_p, POINTER(Copy), _words, c_size_t, _task]),
    "tw_wse_d2h": (c_int, [c_void_p, POINTER(Copy), _words, c_size_t, _task]),
    "tw_wse_launch": (c_int, [c_void_p, c_char_p, _words, c_size_t, _task]),
    "tw_wse_open_output": (c_int, [c_void_p, POINTER(Port)]),
    "tw_wse_send": (c_int, [c_void_p, POINTER(Port), _words, c_size_t, _task]),
    "tw_wse_receive": (c_int, [c_void_p, POINTER(Port), _words, c_size_t, _task]),
    "tw_wse_wait": (c_int, [c_void_p, c_uint64]),
    "tw_wse_is_done": (c_bool, [c_void_p, c_uint64]),
    "tw_wse_stop": (c_int, [c_void_p]),
    "tw_wse_cycle": (c_uint64, [c_void_p]),
    "tw_wse_read_symbol": (c_int, [c_void_p, c_uint, c_uint, c_char_p, c_void_p, POINTER(c_size_t)]),
    "tw_wse_write_symbol": (c_int, [c_void_p, c_uint, c_uint, c_char_p, c_void_p, c_size_t]),
    "tw_wse_symbol_name": (c_char_p, [c_void_p, c_uint, c_uint, c_size_t]),
    "tw_wse_read": (c_int, [c_void_p, c_uint, c_uint, c_uint, c_void_p, c_size_t]),
    "tw_wse_write_trace": (c_int, [c_void_p, c_void_p]),
    "tw_wse_write_profile": (c_int, [c_void_p, c_char_p]),
}
for _name, (_result, _arguments) in _CALLS.items():
    _function = getattr(lib, _name)
    _function.restype = _result
    _function.argtypes = [_argument(kind) if kind in _WHOLE else kind for kind in _arguments]


def check(status):
    """Raises what a failed call left as its message."""
    flush()
    if status != 0:
        raise RuntimeError(lib.tw_error_message().decode(errors="replace"))


def made(handle):
    """An object that a call returns, or raises why it could not be made."""
    check(0 if handle else -1)
    return c_void_p(handle)


def stream(name):
    """stdout or stderr as the C library has it."""
    return c_void_p.in_dll(libc, name)


def flush():
    """What the wafer printed comes before what the script prints next."""
    libc.fflush(None)


def words(array):
    """A contiguous array of 4-byte elements as uint32_t *."""
    return array.ctypes.data_as(_words)


class Program:
    """A compiled program, from a folder that cslc wrote."""

    def __init__(self, folder):
        self.folder = os.fspath(folder)
        self.handle = made(lib.tw_csl_load(os.fsencode(self.folder)))
        self.info = Info()
        lib.tw_csl_get_info(self.handle, byref(self.info))

    def __del__(self):
        if getattr(self, "handle", None) and lib is not None:
            lib.tw_csl_program_free(self.handle)

    def find(self, name):
        """Index and description of an exported name."""
        index = lib.tw_csl_find_export(self.handle, name.encode())
        if index < 0:
            raise RuntimeError(lib.tw_error_message().decode(errors="replace"))
        return index, self.export(index)

    def export(self, index):
        row = Export()
        if not lib.tw_csl_get_export(self.handle, index, byref(row)):
            raise RuntimeError(f"the program has no exported symbol {index}")
        return row


def compile_program(file, folder, arch, params, fabric, offsets=(0, 0), memcpy=False, fp16=0, import_paths=()):
    """Compiles `file` into `folder`; messages go to stderr."""
    paths = (c_char_p * max(1, len(import_paths)))(*[os.fsencode(p) for p in import_paths])
    rows = (Binding * max(1, len(params)))(*[Binding(k.encode(), v) for k, v in params.items()])
    options = Options(arch=arch, memcpy=memcpy, fabric_width=fabric[0], fabric_height=fabric[1],
                      offset_x=offsets[0], offset_y=offsets[1], params=rows, param_count=len(params), fp16=fp16,
                      import_paths=paths, import_path_count=len(import_paths))
    diags = lib.tw_diags_new()
    handle = lib.tw_csl_compile(os.fsencode(file), byref(options), diags)
    sys.stdout.flush()
    lib.tw_diags_print(diags, stream("stderr"), False)
    lib.tw_diags_free(diags)
    try:
        check(lib.tw_csl_save(made(handle), os.fsencode(folder)))
    finally:
        lib.tw_csl_program_free(handle)
