/* SPDX-License-Identifier: MIT */
/* Cycles of AI Engine kernels from the code that runs, for programs that build kernels (`tilewright aie run`).
 * Threads: any. */
#ifndef TILEWRIGHT_AIE_COST_H
#define TILEWRIGHT_AIE_COST_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this library can read the compiler's code: its module is built, and LLVM is there. */
TW_API bool tw_aie_can_cost(void);
/* `bitcode`: a unit compiled by clang 19 with -emit-llvm -O2 -Xclang -disable-llvm-passes -DTW_AIE_COST: it is
 * optimised here, as the core's compiler might. Returns the same unit (*counted_size bytes, free()), in which each
 * block of each function tells what it takes on the core when it runs; the cycles of a kernel are the sum
 * (tw_aie_array_cycles). An estimate, as every figure of this kind. NULL: TW_E_NO_ENVIRONMENT, TW_E_FILE_LOAD,
 * TW_E_NOT_SUPPORTED for a computed goto, TW_E_NO_MEMORY. */
TW_API void *tw_aie_cost(const void *bitcode, size_t size, size_t *counted_size);
/* The same as a text (free()): functions, their blocks with cycles, and the instructions of each. */
TW_API char *tw_aie_cost_listing(const void *bitcode, size_t size);

#ifdef __cplusplus
}
#endif

#endif
