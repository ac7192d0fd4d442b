# SPDX-License-Identifier: MIT
"""Helpers of host scripts: narrow views of 4-byte containers, wavelets from arrays, cycles from time stamps."""

import numpy as np


def memcpy_view(arr, datatype):
    """The low part of each 4-byte element of `arr` as elements of `datatype` (4, 2 or 1 bytes): a view."""
    kind = np.dtype(datatype)
    if arr.dtype.itemsize != 4 or kind.itemsize not in (1, 2, 4):
        raise ValueError(f"memcpy_view shows 4-byte elements as 4, 2 or 1 bytes, not {arr.dtype} as {kind}")
    return arr.view(kind)[..., :: 4 // kind.itemsize]


def input_array_to_u32(np_arr, sentinel=None, fast_dim_sz=1):
    """Wavelets from an array. 16-bit elements go to the low half; the high half is zero, or with a sentinel the
    element's index within the fastest dimension. 32-bit elements are taken as they are."""
    flat = np.ascontiguousarray(np_arr).reshape(-1)
    if flat.dtype.itemsize == 4:
        return flat.view(np.uint32)
    if flat.dtype.itemsize != 2:
        raise ValueError(f"wavelets are made of 2- or 4-byte elements, not {flat.dtype}")
    data = flat.view(np.uint16).astype(np.uint32)
    if sentinel is None:
        return data
    return data | ((np.arange(flat.size, dtype=np.uint32) % np.uint32(fast_dim_sz)) << np.uint32(16))


def calculate_cycles(timestamp_buf):
    """End minus start of two 48-bit clocks that a program packed into three 4-byte elements, lowest half first."""
    halves = np.ascontiguousarray(timestamp_buf).reshape(-1).view(np.uint16).astype(np.int64)
    start = halves[0] | (halves[1] << 16) | (halves[2] << 32)
    end = halves[3] | (halves[4] << 16) | (halves[5] << 32)
    return np.int64(end - start)
