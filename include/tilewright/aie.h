/* SPDX-License-Identifier: MIT */
/* AI Engine kernels on this machine: the vendor's vector types and intrinsics, exact to the bit.
 *
 *     #include <tilewright/aie.h>
 *
 *     v16int16 fir4(v32int16 x, v16int16 taps)
 *     {
 *         v16acc48 acc = mul16(x, 0, 0x03020100, 0x07060504, 0x2110, taps, 0, 0, 0, 1);
 *         return srs(mac16(acc, x, 2, 0x03020100, 0x07060504, 0x2110, taps, 2, 0, 0, 1), 15);
 *     }
 *
 * Names and arguments are those of the vendor's compiler, in C (gnu11 and later; macros that choose by number and
 * types of the arguments) and in C++ (overloads). Several kernels at once: tilewright/aie/array.h. What is covered,
 * where the facts come from, what is assumed: docs/aie.md. -DTW_AIE_PROFILE counts cycles, -DTW_AIE_CHECK checks
 * operands; both need the library, as do srs, pack and the elementary functions.
 *
 * Threads: as aie/array.h says; intrinsics outside of an array use the control registers of their thread. */
#ifndef TILEWRIGHT_AIE_H
#define TILEWRIGHT_AIE_H

#include <tilewright/aie/address.h>
#include <tilewright/aie/array.h>
#include <tilewright/aie/detail/check_calls.h>
#include <tilewright/aie/sums.h>

#endif
