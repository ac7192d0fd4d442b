# SPDX-License-Identifier: MIT
"""Profiles as trees of Python's own values, read by libtilewright."""

import ctypes
import json
import os
from ctypes import c_bool, c_char_p, c_void_p

import tilewright_library

_lib = ctypes.CDLL(tilewright_library.find())
_libc = ctypes.CDLL(None)
_libc.free.argtypes = [c_void_p]
for _name, _result, _arguments in (
        ("tw_profile_load_file", c_void_p, [c_char_p]),
        ("tw_profile_load_files", c_void_p, [c_char_p, c_char_p]),
        ("tw_profile_has_graph", c_bool, [c_void_p]),
        ("tw_profile_has_execution", c_bool, [c_void_p]),
        ("tw_profile_graph_json", c_void_p, [c_void_p, c_bool]),
        ("tw_profile_execution_json", c_void_p, [c_void_p, c_bool]),
        ("tw_profile_free", None, [c_void_p]),
        ("tw_error_message", c_char_p, [])):
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _arguments


def _error():
    return RuntimeError("pva.openReport: " + _lib.tw_error_message().decode(errors="replace"))


def _parsed(text):
    """Of a text of the library's, which is freed."""
    if not text:
        raise _error()
    try:
        return json.loads(ctypes.string_at(text))
    finally:
        _libc.free(text)


def _loaded(path):
    folder = os.path.dirname(path)
    graph, execution = (os.path.join(folder, part + "_profile.json") for part in ("graph", "execution"))
    if os.path.exists(path) or not os.path.exists(graph):
        return _lib.tw_profile_load_file(os.fsencode(path))
    return _lib.tw_profile_load_files(os.fsencode(graph), os.fsencode(execution) if os.path.exists(execution) else None)


def read(path):
    """Graph part and execution part of a profile, {} for one that it does not have."""
    profile = _loaded(os.fspath(path))
    if not profile:
        raise _error()
    try:
        graph = _parsed(_lib.tw_profile_graph_json(profile, False)) if _lib.tw_profile_has_graph(profile) else {}
        execution = (_parsed(_lib.tw_profile_execution_json(profile, False))
                     if _lib.tw_profile_has_execution(profile) else {})
    finally:
        _lib.tw_profile_free(profile)
    return graph, execution


def at(tree, *keys):
    """What lies there, or None."""
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def row(values, index):
    """Rows of tiles may be shorter than there are tiles."""
    return values[index] if values and 0 <= index < len(values) else 0
