/* SPDX-License-Identifier: MIT */
/* cc/sel: functions that the compiler knows. */
#ifndef TW_CC_SEL_INTRINSIC_H
#define TW_CC_SEL_INTRINSIC_H

#include "poplar/colossus/cc/sel/abi.h"

/* Whether the intrinsic `name` is llvm.`base`, for whatever types. */
bool tw__sel_is_named(const char *name, const char *base);
/* bits.c, math.c, class.c: false, and nothing refused: the name is not theirs. */
bool tw__sel_bits(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out);
bool tw__sel_math(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out);
bool tw__sel_class(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out);

#endif
