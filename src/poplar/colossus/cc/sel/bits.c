/* SPDX-License-Identifier: MIT */
/* Intrinsics on integers, lane by lane. */
#include "poplar/colossus/cc/sel/intrinsic.h"

static tw__sel_part bits_zero(void)
{
    return tw__sel_zero(TW__MIR_MAIN, 1);
}

/* --- one word --------------------------------------------------------------------------------------------------- */

static tw__sel_part bits_minmax(tw__sel *s, bool is_signed, bool wants_most, tw__sel_part x, tw__sel_part y)
{
    if (is_signed) return wants_most ? MAKE(s, TW__OP_max_m, IN(x), IN(y)) : MAKE(s, TW__OP_min_m, IN(x), IN(y));
    tw__sel_part below = MAKE(s, TW__OP_cmpult_m, IN(x), IN(y));
    return wants_most ? tw__sel_choose(s, below, y, x) : tw__sel_choose(s, below, x, y);
}

/* The instruction gives 0 for the least number, whose absolute value does not fit: enough where LLVM does not
 * care. */
static tw__sel_part bits_absolute(tw__sel *s, unsigned bits, tw__sel_part x, LLVMValueRef is_any)
{
    int64_t number = 0;
    if (bits < 32 || (tw__sel_number(is_any, &number, NULL) && number)) return MAKE(s, TW__OP_abs, IN(x));
    tw__sel_part negative = MAKE(s, TW__OP_sub_m, IN(bits_zero()), IN(x));
    return MAKE(s, TW__OP_max_m, IN(x), IN(negative));
}

static tw__sel_part bits_bytes(tw__sel *s, tw__sel_part x)
{
    tw__sel_part swapped = MAKE(s, TW__OP_swap8_m, IN(x));
    return MAKE(s, TW__OP_roll16_m, IN(swapped), IN(swapped));
}

static tw__sel_part bits_trailing(tw__sel *s, tw__sel_part x)
{
    tw__sel_part negative = MAKE(s, TW__OP_sub_m, IN(bits_zero()), IN(x));
    tw__sel_part lowest = MAKE(s, TW__OP_and_m, IN(x), IN(negative));
    return MAKE(s, TW__OP_popc, IN(MAKE(s, TW__OP_add_s, IN(lowest), NUM(-1))));
}

/* (x : y) << by, the upper word; `by` below 32, in a register. What comes from y is shifted twice: 32 is too far. */
static tw__sel_part bits_funnel(tw__sel *s, tw__sel_part x, tw__sel_part y, tw__sel_part by)
{
    tw__sel_part rest = MAKE(s, TW__OP_sub_z, NUM(31), IN(by));
    tw__sel_part high = MAKE(s, TW__OP_shl_m, IN(x), IN(by));
    tw__sel_part low = MAKE(s, TW__OP_shr_m, IN(MAKE(s, TW__OP_shr_z, IN(y), NUM(1))), IN(rest));
    return MAKE(s, TW__OP_or_m, IN(high), IN(low));
}

static tw__sel_part bits_funnel_constant(tw__sel *s, tw__sel_part x, tw__sel_part y, unsigned by)
{
    switch (by) {
    case 0: return x;
    case 8: return MAKE(s, TW__OP_roll8l_m, IN(y), IN(x));
    case 16: return MAKE(s, TW__OP_roll16_m, IN(y), IN(x));
    case 24: return MAKE(s, TW__OP_roll8r_m, IN(y), IN(x));
    default: break;
    }
    tw__sel_part high = MAKE(s, TW__OP_shl_z, IN(x), NUM(by)), low = MAKE(s, TW__OP_shr_z, IN(y), NUM(32 - by));
    return MAKE(s, TW__OP_or_m, IN(high), IN(low));
}

/* Of less than 32 bits: both next to each other in a word, or one after the other. */
static tw__sel_part bits_funnel_small(tw__sel *s, unsigned bits, bool is_left, tw__sel_part x, tw__sel_part y,
                                      tw__sel_part by)
{
    tw__sel_part high = MAKE(s, TW__OP_shl_z, IN(x), NUM(bits));
    tw__sel_part both = MAKE(s, TW__OP_or_m, IN(high), IN(tw__sel_extend(s, y, bits, false)));
    by = MAKE(s, TW__OP_and_mz, IN(by), NUM(bits - 1));
    if (!is_left) return MAKE(s, TW__OP_shr_m, IN(both), IN(by));
    tw__sel_part moved = MAKE(s, TW__OP_shl_m, IN(both), IN(by));
    return MAKE(s, TW__OP_shr_z, IN(moved), NUM(bits));
}

/* --- sums that may not fit -------------------------------------------------------------------------------------- */

/* x op y of `bits` bits; *flag: 1 where it does not fit. Operands are extended. */
static tw__sel_part bits_checked(tw__sel *s, char op, bool is_signed, unsigned bits, tw__sel_part x, tw__sel_part y,
                                 tw__sel_part *flag)
{
    unsigned row = op == '+' ? TW__OP_add_m : op == '-' ? TW__OP_sub_m : TW__OP_mul_m;
    tw__sel_part result = tw__sel_make(s, row, TW__OPERANDS(IN(x), IN(y)));
    if (bits <= 16 || (bits < 32 && op != '*')) { /* exact in a word */
        tw__sel_part again = tw__sel_extend(s, result, bits, is_signed);
        *flag = MAKE(s, TW__OP_cmpne, IN(again), IN(result));
    } else if (op == '*') {
        tw__sel_part high = tw__sel_high_product(s, x, y), ends = bits_zero();
        if (is_signed) { /* the product of negative numbers has their partners too much */
            tw__sel_part x_sign = MAKE(s, TW__OP_shrs_z, IN(x), NUM(31)),
                         y_sign = MAKE(s, TW__OP_shrs_z, IN(y), NUM(31));
            high = MAKE(s, TW__OP_sub_m, IN(high), IN(MAKE(s, TW__OP_and_m, IN(x_sign), IN(y))));
            high = MAKE(s, TW__OP_sub_m, IN(high), IN(MAKE(s, TW__OP_and_m, IN(y_sign), IN(x))));
            ends = MAKE(s, TW__OP_shrs_z, IN(result), NUM(31));
        }
        *flag = MAKE(s, TW__OP_cmpne, IN(high), IN(ends));
        if (bits < 32) {
            tw__sel_part again = tw__sel_extend(s, result, bits, is_signed);
            *flag = MAKE(s, TW__OP_or_m, IN(*flag), IN(MAKE(s, TW__OP_cmpne, IN(again), IN(result))));
        }
    } else if (!is_signed) {
        *flag = op == '+' ? MAKE(s, TW__OP_cmpult_m, IN(result), IN(x)) : MAKE(s, TW__OP_cmpult_m, IN(x), IN(y));
    } else { /* the sign is that of neither operand (sum), of y and not of x (difference) */
        tw__sel_part a = MAKE(s, TW__OP_xor, IN(x), IN(result));
        tw__sel_part b = op == '+' ? MAKE(s, TW__OP_xor, IN(y), IN(result)) : MAKE(s, TW__OP_xor, IN(x), IN(y));
        *flag = MAKE(s, TW__OP_shr_z, IN(MAKE(s, TW__OP_and_m, IN(a), IN(b))), NUM(31));
    }
    return result;
}

static void bits_magnitude(tw__sel *s, const tw__sel_part *x, const tw__sel_part *sign, tw__sel_part *out)
{
    const tw__sel_part signs[2] = { *sign, *sign };
    tw__sel_part turned[2];
    tw__sel_long(s, LLVMXor, x, signs, turned);
    tw__sel_long(s, LLVMSub, turned, signs, out);
}

/* Without signs: it does not fit when both have upper words, when the upper word of one, times the lower of the
 * other, takes more than a word, or when that and what is carried into it do. */
static void bits_product_long(tw__sel *s, const tw__sel_part *x, const tw__sel_part *y, tw__sel_part *out,
                              tw__sel_part *flag)
{
    tw__sel_part some_x = MAKE(s, TW__OP_cmpne, IN(x[1]), IN(bits_zero())),
                 some_y = MAKE(s, TW__OP_cmpne, IN(y[1]), IN(bits_zero()));
    tw__sel_part above_x = tw__sel_high_product(s, x[1], y[0]), above_y = tw__sel_high_product(s, x[0], y[1]);
    tw__sel_part above = MAKE(s, TW__OP_or_m, IN(above_x), IN(above_y));
    tw__sel_part crossed_x = MAKE(s, TW__OP_mul_m, IN(x[1]), IN(y[0])),
                 crossed_y = MAKE(s, TW__OP_mul_m, IN(x[0]), IN(y[1]));
    tw__sel_part crossed = MAKE(s, TW__OP_add_m, IN(crossed_x), IN(crossed_y));
    tw__sel_part both = MAKE(s, TW__OP_and_m, IN(some_x), IN(some_y));
    out[0] = MAKE(s, TW__OP_mul_m, IN(x[0]), IN(y[0]));
    out[1] = MAKE(s, TW__OP_add_m, IN(tw__sel_high_product(s, x[0], y[0])), IN(crossed));
    tw__sel_part carries = MAKE(s, TW__OP_cmpult_m, IN(out[1]), IN(crossed));
    above = MAKE(s, TW__OP_cmpne, IN(above), IN(bits_zero()));
    *flag = MAKE(s, TW__OP_or_m, IN(above), IN(MAKE(s, TW__OP_or_m, IN(both), IN(carries))));
}

/* With signs: that of the magnitudes, which must come out with the sign that both have together, or be 0. */
static void bits_signed_product_long(tw__sel *s, const tw__sel_part *x, const tw__sel_part *y, tw__sel_part *out,
                                     tw__sel_part *flag)
{
    tw__sel_part x_sign = MAKE(s, TW__OP_shrs_z, IN(x[1]), NUM(31)),
                 y_sign = MAKE(s, TW__OP_shrs_z, IN(y[1]), NUM(31)), a[2], b[2], product[2], wraps;
    bits_magnitude(s, x, &x_sign, a);
    bits_magnitude(s, y, &y_sign, b);
    bits_product_long(s, a, b, product, &wraps);
    tw__sel_part sign = MAKE(s, TW__OP_xor, IN(x_sign), IN(y_sign));
    bits_magnitude(s, product, &sign, out); /* its own inverse */
    tw__sel_part some = MAKE(s, TW__OP_cmpne, IN(MAKE(s, TW__OP_or_m, IN(out[0]), IN(out[1]))), IN(bits_zero()));
    tw__sel_part other = MAKE(s, TW__OP_shr_z, IN(MAKE(s, TW__OP_xor, IN(out[1]), IN(sign))), NUM(31));
    *flag = MAKE(s, TW__OP_or_m, IN(wraps), IN(MAKE(s, TW__OP_and_m, IN(some), IN(other))));
}

static void bits_checked_long(tw__sel *s, char op, bool is_signed, const tw__sel_part *x, const tw__sel_part *y,
                              tw__sel_part *out, tw__sel_part *flag)
{
    if (op == '*') {
        (is_signed ? bits_signed_product_long : bits_product_long)(s, x, y, out, flag);
        return;
    }
    tw__sel_long(s, op == '+' ? LLVMAdd : LLVMSub, x, y, out);
    if (!is_signed) {
        *flag = op == '+' ? tw__sel_long_compare(s, LLVMIntULT, out, x) : tw__sel_long_compare(s, LLVMIntULT, x, y);
        return;
    }
    tw__sel_part a = MAKE(s, TW__OP_xor, IN(x[1]), IN(out[1]));
    tw__sel_part b =
        op == '+' ? MAKE(s, TW__OP_xor, IN(y[1]), IN(out[1])) : MAKE(s, TW__OP_xor, IN(x[1]), IN(y[1]));
    *flag = MAKE(s, TW__OP_shr_z, IN(MAKE(s, TW__OP_and_m, IN(a), IN(b))), NUM(31));
}

static tw__sel_part bits_saturated(tw__sel *s, char op, bool is_signed, unsigned bits, tw__sel_part x,
                                   tw__sel_part y)
{
    tw__sel_part flag, result = bits_checked(s, op, is_signed, bits, x, y, &flag);
    if (!is_signed) {
        tw__sel_part most = op == '-' ? bits_zero() : tw__sel_constant(s, UINT32_MAX >> (32 - bits), TW__MIR_MAIN);
        return tw__sel_choose(s, flag, most, result);
    }
    tw__sel_part sign = MAKE(s, TW__OP_shrs_z, IN(x), NUM(31)); /* the end on x's side */
    tw__sel_part most = tw__sel_constant(s, INT32_MAX >> (32 - bits), TW__MIR_MAIN);
    return tw__sel_choose(s, flag, MAKE(s, TW__OP_xor, IN(sign), IN(most)), result);
}

/* --- the table -------------------------------------------------------------------------------------------------- */

typedef enum bits_what {
    BITS_ABS,
    BITS_MIN,
    BITS_MAX,
    BITS_POP,
    BITS_LEADING,
    BITS_TRAILING,
    BITS_BYTES,
    BITS_REVERSE,
    BITS_LEFT,
    BITS_RIGHT,
    BITS_SATURATED,
    BITS_CHECKED
} bits_what;

static const struct bits_row {
    const char *name;
    bits_what what;
    bool is_signed;
    char op;
    unsigned operands;
} bits_rows[] = {
    { "abs", BITS_ABS, true, 0, 1 },
    { "smin", BITS_MIN, true, 0, 2 },
    { "smax", BITS_MAX, true, 0, 2 },
    { "umin", BITS_MIN, false, 0, 2 },
    { "umax", BITS_MAX, false, 0, 2 },
    { "ctpop", BITS_POP, false, 0, 1 },
    { "ctlz", BITS_LEADING, false, 0, 1 },
    { "cttz", BITS_TRAILING, false, 0, 1 },
    { "bswap", BITS_BYTES, false, 0, 1 },
    { "bitreverse", BITS_REVERSE, false, 0, 1 },
    { "fshl", BITS_LEFT, false, 0, 3 },
    { "fshr", BITS_RIGHT, false, 0, 3 },
    { "uadd.sat", BITS_SATURATED, false, '+', 2 },
    { "usub.sat", BITS_SATURATED, false, '-', 2 },
    { "sadd.sat", BITS_SATURATED, true, '+', 2 },
    { "ssub.sat", BITS_SATURATED, true, '-', 2 },
    { "uadd.with.overflow", BITS_CHECKED, false, '+', 2 },
    { "usub.with.overflow", BITS_CHECKED, false, '-', 2 },
    { "umul.with.overflow", BITS_CHECKED, false, '*', 2 },
    { "sadd.with.overflow", BITS_CHECKED, true, '+', 2 },
    { "ssub.with.overflow", BITS_CHECKED, true, '-', 2 },
    { "smul.with.overflow", BITS_CHECKED, true, '*', 2 },
};

static bool bits_word(tw__sel *s, const struct bits_row *row, unsigned bits, const tw__sel_part *x, LLVMValueRef by,
                      tw__sel_part *out, tw__sel_part *flag)
{
    int64_t number;
    switch (row->what) {
    case BITS_ABS: *out = bits_absolute(s, bits, x[0], by); break;
    case BITS_MIN: *out = bits_minmax(s, row->is_signed, false, x[0], x[1]); break;
    case BITS_MAX: *out = bits_minmax(s, row->is_signed, true, x[0], x[1]); break;
    case BITS_POP: *out = MAKE(s, TW__OP_popc, IN(x[0])); break;
    case BITS_LEADING:
        *out = MAKE(s, TW__OP_clz, IN(x[0]));
        if (bits < 32) *out = MAKE(s, TW__OP_add_s, IN(*out), NUM((int)bits - 32));
        break;
    case BITS_TRAILING: {
        tw__sel_part marked = x[0];
        if (bits < 32) marked = MAKE(s, TW__OP_or_m, IN(x[0]), IN(tw__sel_constant(s, 1u << bits, TW__MIR_MAIN)));
        *out = bits_trailing(s, marked);
        break;
    }
    case BITS_BYTES:
    case BITS_REVERSE: {
        tw__sel_part word = row->what == BITS_REVERSE ? MAKE(s, TW__OP_bitrev8, IN(x[0])) : x[0];
        *out = bits_bytes(s, word);
        if (bits < 32) *out = MAKE(s, TW__OP_shr_z, IN(*out), NUM(32 - bits));
        break;
    }
    case BITS_LEFT:
    case BITS_RIGHT: {
        bool is_left = row->what == BITS_LEFT;
        if (bits < 32) {
            *out = bits_funnel_small(s, bits, is_left, x[0], x[1], x[2]);
        } else if (by && tw__sel_number(by, &number, NULL)) {
            unsigned n = (unsigned)number & 31;
            *out = is_left ? bits_funnel_constant(s, x[0], x[1], n)
                   : n     ? bits_funnel_constant(s, x[0], x[1], 32 - n)
                           : x[1];
        } else if (is_left) {
            *out = bits_funnel(s, x[0], x[1], MAKE(s, TW__OP_and_mz, IN(x[2]), NUM(31)));
        } else { /* x << 1 << 31 - n | y >> n */
            tw__sel_part n = MAKE(s, TW__OP_and_mz, IN(x[2]), NUM(31)),
                         rest = MAKE(s, TW__OP_sub_z, NUM(31), IN(n));
            tw__sel_part high = MAKE(s, TW__OP_shl_m, IN(MAKE(s, TW__OP_shl_z, IN(x[0]), NUM(1))), IN(rest));
            *out = MAKE(s, TW__OP_or_m, IN(high), IN(MAKE(s, TW__OP_shr_m, IN(x[1]), IN(n))));
        }
        break;
    }
    case BITS_SATURATED: *out = bits_saturated(s, row->op, row->is_signed, bits, x[0], x[1]); break;
    case BITS_CHECKED: *out = bits_checked(s, row->op, row->is_signed, bits, x[0], x[1], flag); break;
    }
    return true;
}

static void bits_choose_long(tw__sel *s, tw__sel_part test, const tw__sel_part *x, const tw__sel_part *y,
                             tw__sel_part *out)
{
    for (unsigned i = 0; i < 2; i++) out[i] = tw__sel_choose(s, test, x[i], y[i]);
}

static bool bits_long(tw__sel *s, const struct bits_row *row, tw__sel_part x[3][2], tw__sel_part *out,
                      tw__sel_part *flag)
{
    tw__sel_part zero[2] = { bits_zero(), bits_zero() }, other[2];
    switch (row->what) {
    case BITS_ABS:
        tw__sel_long(s, LLVMSub, zero, x[0], other);
        bits_choose_long(s, MAKE(s, TW__OP_shr_z, IN(x[0][1]), NUM(31)), other, x[0], out);
        break;
    case BITS_MIN:
    case BITS_MAX: {
        LLVMIntPredicate below = row->is_signed ? LLVMIntSLT : LLVMIntULT;
        tw__sel_part test = tw__sel_long_compare(s, below, x[0], x[1]);
        bits_choose_long(s, test, x[row->what == BITS_MAX], x[row->what == BITS_MIN], out);
        break;
    }
    case BITS_POP: {
        tw__sel_part low = MAKE(s, TW__OP_popc, IN(x[0][0])), high = MAKE(s, TW__OP_popc, IN(x[0][1]));
        out[0] = MAKE(s, TW__OP_add_m, IN(low), IN(high));
        out[1] = zero[0];
        break;
    }
    case BITS_LEADING:
    case BITS_TRAILING: {
        bool leads = row->what == BITS_LEADING;
        tw__sel_part first = x[0][leads], second = x[0][!leads];
        tw__sel_part a = leads ? MAKE(s, TW__OP_clz, IN(first)) : bits_trailing(s, first);
        tw__sel_part b = leads ? MAKE(s, TW__OP_clz, IN(second)) : bits_trailing(s, second);
        out[0] = tw__sel_choose(s, first, a, MAKE(s, TW__OP_add_z, IN(b), NUM(32)));
        out[1] = zero[0];
        break;
    }
    case BITS_BYTES:
    case BITS_REVERSE:
        for (unsigned i = 0; i < 2; i++) {
            tw__sel_part word = x[0][1 - i];
            out[i] = bits_bytes(s, row->what == BITS_REVERSE ? MAKE(s, TW__OP_bitrev8, IN(word)) : word);
        }
        break;
    case BITS_LEFT:
    case BITS_RIGHT: { /* x << n | y >> 1 >> 63 - n; x << 1 << 63 - n | y >> n */
        bool is_left = row->what == BITS_LEFT;
        tw__sel_part by[2] = { MAKE(s, TW__OP_and_mz, IN(x[2][0]), NUM(63)), zero[0] };
        tw__sel_part rest[2] = { MAKE(s, TW__OP_sub_z, NUM(63), IN(by[0])), zero[0] }, once[2], a[2];
        tw__sel_long_shift(s, is_left ? LLVMLShr : LLVMShl, x[is_left], 1, once);
        tw__sel_long(s, is_left ? LLVMLShr : LLVMShl, once, rest, a);
        tw__sel_long(s, is_left ? LLVMShl : LLVMLShr, x[!is_left], by, other);
        tw__sel_long(s, LLVMOr, a, other, out);
        break;
    }
    case BITS_SATURATED: {
        bits_checked_long(s, row->op, row->is_signed, x[0], x[1], other, flag);
        tw__sel_part sign = MAKE(s, TW__OP_shrs_z, IN(x[0][1]), NUM(31)), most[2] = { zero[0], zero[0] };
        for (unsigned i = 0; i < 2; i++) {
            uint32_t limit = row->is_signed && i ? INT32_MAX : UINT32_MAX;
            tw__sel_part end = tw__sel_constant(s, limit, TW__MIR_MAIN);
            if (row->is_signed)
                most[i] = MAKE(s, TW__OP_xor, IN(sign), IN(end));
            else if (row->op == '+')
                most[i] = end;
        }
        bits_choose_long(s, *flag, most, other, out);
        break;
    }
    case BITS_CHECKED: bits_checked_long(s, row->op, row->is_signed, x[0], x[1], out, flag); break;
    }
    return !s->has_failed;
}

static bool bits_lane(tw__sel *s, LLVMValueRef call, const struct bits_row *row, const tw__sel_shape *shape,
                      unsigned lane, tw__sel_part *out)
{
    unsigned step = shape->bits > 32 ? 2 : 1;
    tw__sel_part x[3][2], words[3];
    for (unsigned k = 0; k < MIN(row->operands, 3); k++) {
        LLVMValueRef value = LLVMGetOperand(call, k);
        if (!shape->lanes && step == 2)
            tw__sel_extended2(s, value, row->is_signed, x[k]);
        else if (!shape->lanes)
            words[k] = tw__sel_extended(s, value, row->is_signed);
        else
            memcpy(x[k], tw__sel_parts(s, value) + lane * step, step * sizeof **x);
        if (shape->lanes && step == 1) words[k] = tw__sel_extend(s, x[k][0], shape->bits, row->is_signed);
    }
    LLVMValueRef by = row->operands == 3      ? LLVMGetOperand(call, 2)
                      : row->what == BITS_ABS ? LLVMGetOperand(call, 1)
                                              : NULL;
    if (by && row->operands == 3 && shape->lanes && LLVMIsConstant(by)) by = LLVMGetAggregateElement(by, lane);
    unsigned lanes = shape->lanes ? shape->lanes : 1;
    tw__sel_part unused, *flag = row->what == BITS_CHECKED ? out + lanes * step + lane : &unused;
    return step == 2 ? bits_long(s, row, x, out + 2 * lane, flag)
                     : bits_word(s, row, shape->bits, words, by, out + lane, flag);
}

bool tw__sel_bits(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bits_rows); i++) {
        if (!tw__sel_is_named(name, bits_rows[i].name)) continue;
        tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(LLVMGetOperand(call, 0)));
        for (unsigned lane = 0; lane < (shape.lanes ? shape.lanes : 1); lane++)
            if (!bits_lane(s, call, &bits_rows[i], &shape, lane, out)) break;
        return !s->has_failed;
    }
    return false;
}
