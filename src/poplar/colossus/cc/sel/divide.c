/* SPDX-License-Identifier: MIT */
/* Division by constants, where it takes no call: signed powers of two, and operands of at most 16 bits, which a
 * product of 32 bits divides. */
#include "poplar/colossus/cc/sel/sel.h"

/* x / 2^k towards zero: negative numbers get 2^k - 1 more before they are shifted. */
static tw__sel_part divide_by_power(tw__sel *s, tw__sel_part x, unsigned k)
{
    tw__sel_part sign = k > 1 ? MAKE(s, TW__OP_shrs_z, IN(x), NUM(31)) : x;
    tw__sel_part more = MAKE(s, TW__OP_shr_z, IN(sign), NUM(32 - k));
    return MAKE(s, TW__OP_shrs_z, IN(MAKE(s, TW__OP_add_m, IN(x), IN(more))), NUM(k));
}

/* For x of `bits`, x / d = x * factor >> shift: the factor is 2^shift / d rounded up, too large by less than what the
 * greatest x could notice, and the product has to fit. False: there is none. */
static bool divide_factor(unsigned bits, uint32_t d, uint32_t *factor, unsigned *shift)
{
    uint64_t most = (UINT64_C(1) << bits) - 1;
    for (unsigned n = bits; n < 32; n++) {
        uint64_t power = UINT64_C(1) << n, f = (power + d - 1) / d, excess = f * d - power;
        if (f * most > UINT32_MAX) return false;
        if (excess * most < power) {
            *factor = (uint32_t)f;
            *shift = n;
            return true;
        }
    }
    return false;
}

bool tw__sel_divide(tw__sel *s, LLVMOpcode opcode, unsigned bits, tw__sel_part x, int64_t number, tw__sel_part *out)
{
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
    bool is_remainder = opcode == LLVMURem || opcode == LLVMSRem;
    uint32_t d = is_signed ? (uint32_t)number : (uint32_t)number & (uint32_t)(UINT64_MAX >> (64 - bits)), factor;
    unsigned shift;
    tw__sel_part quotient;
    if (is_signed && number > 1 && !(d & (d - 1))) {
        quotient = divide_by_power(s, x, (unsigned)g_bit_nth_lsf(d, -1));
    } else if (!is_signed && bits <= 16 && d > 1 && divide_factor(bits, d, &factor, &shift)) {
        quotient = tw__sel_with(s, tw__sel_mul, x, factor);
        quotient = MAKE(s, TW__OP_shr_z, IN(quotient), NUM(shift));
    } else {
        return false;
    }
    *out = quotient;
    if (is_remainder) *out = MAKE(s, TW__OP_sub_m, IN(x), IN(tw__sel_with(s, tw__sel_mul, quotient, d)));
    return true;
}
