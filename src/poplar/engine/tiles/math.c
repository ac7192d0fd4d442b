/* SPDX-License-Identifier: MIT */
/* Elementary functions for codelets: those of the vector kernels. */
#include "core/vec/math.h"
#include "poplar/engine/tiles/tiles.h"

#include <tilewright/codelet_math.h>

void tw__offer_math(void)
{
    static const tw_codelet_math table = {
#define ROW(name) .name = tw__math_##name##_f32,
        TW_CODELET_MATH_1(ROW) TW_CODELET_MATH_2(ROW)
#undef ROW
    };
    tw__math_offer(&table);
}
