/* SPDX-License-Identifier: MIT */
/* Integers of two words. */
#include "poplar/colossus/cc/sel/sel.h"

static tw__sel_part long_zero(void)
{
    return tw__sel_zero(TW__MIR_MAIN, 1);
}

static tw__sel_part long_low_half(tw__sel *s, tw__sel_part x)
{
    return MAKE(s, TW__OP_sort4x16lo_m, IN(x), IN(long_zero()));
}

/* The upper word of x * y: there is no such instruction, so by products of halves. None of the sums overflows. */
tw__sel_part tw__sel_high_product(tw__sel *s, tw__sel_part x, tw__sel_part y)
{
    tw__sel_part xl = long_low_half(s, x), xh = MAKE(s, TW__OP_shr_z, IN(x), NUM(16));
    tw__sel_part yl = long_low_half(s, y), yh = MAKE(s, TW__OP_shr_z, IN(y), NUM(16));
    tw__sel_part carry = MAKE(s, TW__OP_shr_z, IN(MAKE(s, TW__OP_mul_m, IN(xl), IN(yl))), NUM(16));
    tw__sel_part a = MAKE(s, TW__OP_add_m, IN(MAKE(s, TW__OP_mul_m, IN(xh), IN(yl))), IN(carry));
    tw__sel_part lower = MAKE(s, TW__OP_mul_m, IN(xl), IN(yh)), low = long_low_half(s, a);
    tw__sel_part b = MAKE(s, TW__OP_add_m, IN(lower), IN(low));
    tw__sel_part higher = MAKE(s, TW__OP_mul_m, IN(xh), IN(yh)), rest = MAKE(s, TW__OP_shr_z, IN(a), NUM(16));
    tw__sel_part high = MAKE(s, TW__OP_add_m, IN(higher), IN(rest));
    return MAKE(s, TW__OP_add_m, IN(high), IN(MAKE(s, TW__OP_shr_z, IN(b), NUM(16))));
}

static void long_mul(tw__sel *s, const tw__sel_part x[2], const tw__sel_part y[2], tw__sel_part out[2])
{
    out[0] = MAKE(s, TW__OP_mul_m, IN(x[0]), IN(y[0]));
    out[1] = tw__sel_high_product(s, x[0], y[0]);
    for (unsigned i = 0; i < 2; i++)
        if (!tw__sel_is_zero(x[i]) && !tw__sel_is_zero(y[1 - i]))
            out[1] = MAKE(s, TW__OP_add_m, IN(out[1]), IN(MAKE(s, TW__OP_mul_m, IN(x[i]), IN(y[1 - i]))));
}

static void long_add(tw__sel *s, const tw__sel_part x[2], const tw__sel_part y[2], tw__sel_part out[2])
{
    out[0] = MAKE(s, TW__OP_add_m, IN(x[0]), IN(y[0]));
    tw__sel_part carry = MAKE(s, TW__OP_cmpult_m, IN(out[0]), IN(x[0]));
    out[1] = MAKE(s, TW__OP_add_m, IN(MAKE(s, TW__OP_add_m, IN(x[1]), IN(y[1]))), IN(carry));
}

static void long_sub(tw__sel *s, const tw__sel_part x[2], const tw__sel_part y[2], tw__sel_part out[2])
{
    tw__sel_part borrow = MAKE(s, TW__OP_cmpult_m, IN(x[0]), IN(y[0]));
    out[0] = MAKE(s, TW__OP_sub_m, IN(x[0]), IN(y[0]));
    out[1] = MAKE(s, TW__OP_sub_m, IN(MAKE(s, TW__OP_sub_m, IN(x[1]), IN(y[1]))), IN(borrow));
}

void tw__sel_long_shift(tw__sel *s, LLVMOpcode opcode, const tw__sel_part x[2], unsigned by, tw__sel_part out[2])
{
    bool is_left = opcode == LLVMShl, is_signed = opcode == LLVMAShr;
    unsigned whole = is_left ? TW__OP_shl_z : is_signed ? TW__OP_shrs_z : TW__OP_shr_z; /* of the word at the end */
    const tw__sel_part *from = &x[is_left ? 0 : 1], *into = &x[is_left ? 1 : 0];
    tw__sel_part *first = &out[is_left ? 0 : 1], *second = &out[is_left ? 1 : 0];
    if (!by) {
        out[0] = x[0];
        out[1] = x[1];
    } else if (by >= 32) {
        *second = by == 32 ? *from : tw__sel_make(s, whole, TW__OPERANDS(IN(*from), NUM(by - 32)));
        *first = is_signed ? MAKE(s, TW__OP_shrs_z, IN(*from), NUM(31)) : long_zero();
    } else {
        tw__sel_part moved =
            tw__sel_make(s, is_left ? TW__OP_shl_z : TW__OP_shr_z, TW__OPERANDS(IN(*into), NUM(by)));
        tw__sel_part crossed =
            tw__sel_make(s, is_left ? TW__OP_shr_z : TW__OP_shl_z, TW__OPERANDS(IN(*from), NUM(32 - by)));
        *second = MAKE(s, TW__OP_or_m, IN(moved), IN(crossed));
        *first = tw__sel_make(s, whole, TW__OPERANDS(IN(*from), NUM(by)));
    }
}

/* By a number in a register: shifts by less than 32, and another choice where bit 5 is set. What crosses is shifted
 * twice, since a shift by 32 is undefined. */
static void long_shift_by(tw__sel *s, LLVMOpcode opcode, const tw__sel_part x[2], tw__sel_part by,
                          tw__sel_part out[2])
{
    bool is_left = opcode == LLVMShl, is_signed = opcode == LLVMAShr;
    unsigned left = TW__OP_shl_m, right = TW__OP_shr_m, whole = is_left ? left : is_signed ? TW__OP_shrs_m : right;
    const tw__sel_part *from = &x[is_left ? 0 : 1], *into = &x[is_left ? 1 : 0];
    tw__sel_part small = MAKE(s, TW__OP_and_mz, IN(by), NUM(31)), big = MAKE(s, TW__OP_and_mz, IN(by), NUM(32));
    tw__sel_part rest = MAKE(s, TW__OP_sub_z, NUM(31), IN(small));
    tw__sel_part moved = tw__sel_make(s, is_left ? left : right, TW__OPERANDS(IN(*into), IN(small)));
    tw__sel_part once = tw__sel_make(s, is_left ? TW__OP_shr_z : TW__OP_shl_z, TW__OPERANDS(IN(*from), NUM(1)));
    tw__sel_part crossed = tw__sel_make(s, is_left ? right : left, TW__OPERANDS(IN(once), IN(rest)));
    tw__sel_part both = MAKE(s, TW__OP_or_m, IN(moved), IN(crossed));
    tw__sel_part end = tw__sel_make(s, whole, TW__OPERANDS(IN(*from), IN(small)));
    tw__sel_part beyond = is_signed ? MAKE(s, TW__OP_shrs_z, IN(*from), NUM(31)) : long_zero();
    out[is_left ? 1 : 0] = tw__sel_choose(s, big, end, both);
    out[is_left ? 0 : 1] = tw__sel_choose(s, big, beyond, end);
}

static bool long_call(tw__sel *s, const char *name, const tw__sel_part x[2], const tw__sel_part y[2],
                      tw__sel_part out[2])
{
    static const tw__sel_shape wide = { .lane = TW__SEL_INT, .bits = 64, .parts = 2 };
    const tw__sel_shape shapes[] = { wide, wide };
    tw__sel_part copies[2][2] = { { x[0], x[1] }, { y[0], y[1] } };
    tw__sel_part *arguments[] = { copies[0], copies[1] };
    return tw__sel_runtime(s, name, 2, shapes, arguments, &wide, out);
}

bool tw__sel_long(tw__sel *s, LLVMOpcode opcode, const tw__sel_part x[2], const tw__sel_part y[2],
                  tw__sel_part out[2])
{
    switch ((int)opcode) {
    case LLVMAdd: long_add(s, x, y, out); return true;
    case LLVMSub: long_sub(s, x, y, out); return true;
    case LLVMMul: long_mul(s, x, y, out); return true;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: long_shift_by(s, opcode, x, y[0], out); return true;
    case LLVMUDiv: return long_call(s, "__udivdi3", x, y, out);
    case LLVMSDiv: return long_call(s, "__divdi3", x, y, out);
    case LLVMURem: return long_call(s, "__umoddi3", x, y, out);
    case LLVMSRem: return long_call(s, "__moddi3", x, y, out);
    default: break;
    }
    unsigned op = opcode == LLVMAnd ? TW__OP_and_m : opcode == LLVMOr ? TW__OP_or_m : TW__OP_xor;
    for (unsigned i = 0; i < 2; i++) out[i] = tw__sel_make(s, op, TW__OPERANDS(IN(x[i]), IN(y[i])));
    return true;
}

tw__sel_part tw__sel_long_compare(tw__sel *s, LLVMIntPredicate predicate, const tw__sel_part *x,
                                  const tw__sel_part *y)
{
    bool is_inverse;
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
        tw__sel_part low = MAKE(s, TW__OP_xor, IN(x[0]), IN(y[0])), high = MAKE(s, TW__OP_xor, IN(x[1]), IN(y[1]));
        tw__sel_part both = MAKE(s, TW__OP_or_m, IN(low), IN(high));
        return predicate == LLVMIntEQ ? tw__sel_invert(s, both)
                                      : MAKE(s, TW__OP_cmpult_m, IN(long_zero()), IN(both));
    }
    static const struct {
        LLVMIntPredicate predicate, high, low;
    } rows[] = {
        { LLVMIntULT, LLVMIntULT, LLVMIntULT }, { LLVMIntULE, LLVMIntULT, LLVMIntULE },
        { LLVMIntUGT, LLVMIntUGT, LLVMIntUGT }, { LLVMIntUGE, LLVMIntUGT, LLVMIntUGE },
        { LLVMIntSLT, LLVMIntSLT, LLVMIntULT }, { LLVMIntSLE, LLVMIntSLT, LLVMIntULE },
        { LLVMIntSGT, LLVMIntSGT, LLVMIntUGT }, { LLVMIntSGE, LLVMIntSGT, LLVMIntUGE },
    };
    unsigned i = 0;
    while (rows[i].predicate != predicate) i++;
    tw__sel_part high = tw__sel_compare_words(s, rows[i].high, x[1], y[1], &is_inverse);
    tw__sel_part equal = MAKE(s, TW__OP_cmpeq_m, IN(x[1]), IN(y[1]));
    tw__sel_part low = tw__sel_compare_words(s, rows[i].low, x[0], y[0], &is_inverse);
    if (is_inverse) low = tw__sel_invert(s, low);
    tw__sel_part tie = MAKE(s, TW__OP_and_m, IN(equal), IN(low));
    return MAKE(s, TW__OP_or_m, IN(high), IN(tie));
}
