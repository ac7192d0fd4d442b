/* SPDX-License-Identifier: MIT */
/* extra_kernels: loops over elements that the vec box has no operation for: merging sorted lists until one ends,
 * rounding to TF32. The only such loops of this box. */
#include "pto/ops/extra_kernels.h"

#include <math.h>
#include <string.h>

size_t tw__extra_merge(const tw_view *keys, unsigned lists, uint16_t *used)
{
    size_t taken = 0;
    memset(used, 0, lists * sizeof *used);
    for (;;) {
        unsigned best = lists;
        double value = 0;
        for (unsigned l = 0; l < lists; l++) {
            if (used[l] == keys[l].extent[0]) return taken;
            double head = tw_type_load(keys[l].type, (const char *)keys[l].base + used[l] * keys[l].stride[0]);
            bool before =
                head > value || (isnan(value) && !isnan(head)); /* NaN comes last, as tw_vec_sort has it */
            if (best == lists || before) best = l, value = head;
        }
        used[best]++;
        taken++;
    }
}

/* TF32 keeps 10 of the 23 bits of a significand; what a carry does to the exponent is right as it stands. */
void tw__extra_tf32(size_t n, float *values, bool away)
{
    enum { DROPPED = 13 };
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7f800000) == 0x7f800000) continue; /* infinities and NaN */
        uint32_t half = 1u << (DROPPED - 1), odd = bits >> DROPPED & 1;
        bits = (bits + (away ? half : half - 1 + odd)) & ~((1u << DROPPED) - 1);
        memcpy(&values[i], &bits, sizeof bits);
    }
}
