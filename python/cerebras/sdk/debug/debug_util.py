# SPDX-License-Identifier: MIT
"""What a stopped run left in the memory of its PEs. Coordinates are those of the whole fabric."""

import os

import numpy as np

from cerebras.sdk.runtime import sdkruntimepybind

_MARK = 0x7ACE

# tag of <debug>: words, how to read them
_VALUES = {
    1: (1, lambda w: bool(w[0])),
    2: (1, lambda w: int(w[0])),
    3: (1, lambda w: int(w.view(np.int16)[0])),
    4: (1, lambda w: int(w[0])),
    5: (1, lambda w: int(w.view(np.int16)[0])),
    6: (1, lambda w: float(w.view(np.float16)[0])),
    7: (2, lambda w: int(w[0]) | int(w[1]) << 16),
    8: (2, lambda w: int(np.array([int(w[0]) | int(w[1]) << 16], np.uint32).view(np.int32)[0])),
    9: (2, lambda w: float(np.array([int(w[0]) | int(w[1]) << 16], np.uint32).view(np.float32)[0])),
    10: (3, lambda w: int(w[0]) | int(w[1]) << 16 | int(w[2]) << 32),
}


class debug_util:  # pylint: disable=invalid-name
    """The run of the program in folder `bindir`, made by this script."""

    def __init__(self, bindir, cmaddr=None):
        if cmaddr:
            raise RuntimeError("there is no machine here, only the simulator")
        self.folder = os.path.abspath(os.fspath(bindir))

    def _run(self):
        run = sdkruntimepybind.last_runs.get(self.folder)
        if run is None:
            raise RuntimeError(f"no run of the program in '{self.folder}' in this script")
        return run

    def get_symbol(self, col, row, symbol, dtype):
        """A variable of one PE as an array."""
        return self._run().read_symbol(col, row, symbol, dtype)

    def get_symbol_rect(self, rectangle, symbol, dtype):
        """The same of ((col, row), (width, height)): an array [width][height][elements]."""
        (col, row), (width, height) = rectangle
        return np.array([[self.get_symbol(col + i, row + j, symbol, dtype) for j in range(height)]
                         for i in range(width)])

    def read_trace(self, px, py, name):
        """The records of the <debug> module with the key `name`."""
        run = self._run()
        for symbol in run.symbols(px, py):
            if symbol.split(".")[-1] != "tilewright_trace":
                continue
            words = run.read_symbol(px, py, symbol, np.uint16)
            key_at, size = 3, int(words[2])
            if words[0] in (_MARK, _MARK + 1) and _text(words[key_at:], size) == name:
                return _records(words, key_at + (size + 1) // 2)
        raise RuntimeError(f"PE ({px}, {py}) has no trace '{name}'")


def _text(words, size):
    return words.tobytes()[:size].decode("latin-1")


def _records(words, at):
    """The records from word `at` to the last one in use."""
    end, records = int(words[1]), []
    while at < end:
        tag = int(words[at])
        if tag >= 0x100:
            size = tag - 0x100
            records.append(_text(words[at + 1:], size))
            at += 1 + (size + 1) // 2
        else:
            count, read = _VALUES[tag]
            records.append(read(words[at + 1:at + 1 + count]))
            at += 1 + count
    return records
