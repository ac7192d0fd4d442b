/* SPDX-License-Identifier: MIT */
/* Integers of up to 32 bits, lane by lane in vectors; compares, selects, conversions between integers. */
#include "poplar/colossus/cc/sel/sel.h"

/* --- arithmetic ------------------------------------------------------------------------------------------------- */

enum { ANY = 0, UNSIGNED = 1, SIGNED = 2 };

static const uint16_t integer_sub[] = { TW__OP_sub_m, TW__OP_sub_z, TW__OP_sub_s, 0 };
static const uint16_t integer_xor[] = { TW__OP_xor, 0 };

static const struct integer_row {
    LLVMOpcode opcode;
    const uint16_t *rows; /* with a register, with a constant on the right */
    unsigned left, right; /* what the operands' upper bits have to be */
    const char *call;     /* a function instead */
} integer_rows[] = {
    { LLVMAdd, tw__sel_add, ANY, ANY, NULL },
    { LLVMSub, integer_sub, ANY, ANY, NULL },
    { LLVMMul, tw__sel_mul, ANY, ANY, NULL },
    { LLVMAnd, tw__sel_and, ANY, ANY, NULL },
    { LLVMOr, tw__sel_or, ANY, ANY, NULL },
    { LLVMXor, integer_xor, ANY, ANY, NULL },
    { LLVMShl, tw__sel_shl, ANY, UNSIGNED, NULL },
    { LLVMLShr, tw__sel_shr, UNSIGNED, UNSIGNED, NULL },
    { LLVMAShr, tw__sel_shrs, SIGNED, UNSIGNED, NULL },
    { LLVMUDiv, NULL, UNSIGNED, UNSIGNED, "__udivsi3" },
    { LLVMSDiv, NULL, SIGNED, SIGNED, "__divsi3" },
    { LLVMURem, NULL, UNSIGNED, UNSIGNED, "__umodsi3" },
    { LLVMSRem, NULL, SIGNED, SIGNED, "__modsi3" },
};

static const struct integer_row *integer_row(LLVMOpcode opcode)
{
    for (size_t i = 0; i < G_N_ELEMENTS(integer_rows); i++)
        if (integer_rows[i].opcode == opcode) return &integer_rows[i];
    return NULL;
}

/* Forms that a constant makes shorter than the table's. */
static bool integer_special(tw__sel *s, LLVMOpcode opcode, tw__sel_part x, int64_t number, unsigned bits,
                            tw__sel_part *out)
{
    uint32_t n = (uint32_t)number;
    tw__sel_part zero = tw__sel_zero(TW__MIR_MAIN, 1);
    switch ((int)opcode) {
    case LLVMSub: /* the table's constant stands on the left */
        *out = tw__sel_with(s, tw__sel_add, x, -number);
        return true;
    case LLVMAnd:
        if (n == 0xffff)
            *out = MAKE(s, TW__OP_sort4x16lo_m, IN(x), IN(zero));
        else if (~n <= 0xfff)
            *out = MAKE(s, TW__OP_andc_mz, IN(x), NUM(~n));
        else
            return false;
        return true;
    case LLVMXor:
        if (bits == 1 && n)
            *out = tw__sel_invert(s, x);
        else if (n == UINT32_MAX)
            *out = MAKE(s, TW__OP_xnor, IN(x), IN(zero));
        else
            return false;
        return true;
    case LLVMMul:
        if (!n || n & (n - 1)) return false;
        *out = tw__sel_with(s, tw__sel_shl, x, g_bit_nth_lsf(n, -1));
        return true;
    default: return false;
    }
}

static tw__sel_part integer_call(tw__sel *s, const char *name, tw__sel_part x, tw__sel_part y)
{
    static const tw__sel_shape word = { .lane = TW__SEL_INT, .bits = 32, .parts = 1 };
    const tw__sel_shape shapes[] = { word, word };
    tw__sel_part *arguments[] = { &x, &y }, out = x;
    tw__sel_runtime(s, name, 2, shapes, arguments, &word, &out);
    return out;
}

/* One operand: a lane of a vector, or the scalar. */
static tw__sel_part integer_operand(tw__sel *s, LLVMValueRef value, unsigned lane, bool is_vector, unsigned bits,
                                    unsigned extension)
{
    if (!is_vector)
        return extension == ANY ? tw__sel_part1(s, value) : tw__sel_extended(s, value, extension == SIGNED);
    tw__sel_part part = tw__sel_parts(s, value)[lane];
    return extension == ANY ? part : tw__sel_extend(s, part, bits, extension == SIGNED);
}

static bool integer_lane(tw__sel *s, LLVMValueRef instruction, const tw__sel_shape *shape, unsigned lane,
                         tw__sel_part *out)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    const struct integer_row *row = integer_row(opcode);
    LLVMValueRef left = LLVMGetOperand(instruction, 0), right = LLVMGetOperand(instruction, 1);
    LLVMValueRef constant = shape->lanes && LLVMIsConstant(right) ? LLVMGetAggregateElement(right, lane) : right;
    int64_t number;
    if (row->rows && opcode != LLVMSub && LLVMIsConstant(left) && !LLVMIsConstant(right) && !shape->lanes &&
        LLVMIsAConstantInt(left) && (opcode == LLVMAdd || opcode == LLVMAnd || opcode == LLVMMul)) {
        LLVMValueRef other = left;
        left = right;
        right = constant = other;
    }
    if (row->rows && constant && tw__sel_number(constant, &number, NULL)) {
        tw__sel_part x = integer_operand(s, left, lane, shape->lanes, shape->bits, row->left);
        if (integer_special(s, opcode, x, number, shape->bits, out)) return true;
        *out = tw__sel_with(s, row->rows, x, number);
        return true;
    }
    if (row->call && constant && tw__sel_number(constant, &number, NULL)) {
        tw__sel_part x = integer_operand(s, left, lane, shape->lanes, shape->bits, row->left);
        if (tw__sel_divide(s, opcode, shape->bits, x, number, out)) return true;
    }
    if (opcode == LLVMSub && !shape->lanes && tw__sel_number(left, &number, NULL)) {
        unsigned op = tw__sel_row_for(integer_sub + 1, 1, number);
        if (op) {
            *out = MAKE(s, op, NUM(number), IN(tw__sel_part1(s, right)));
            return true;
        }
    }
    tw__sel_part x = integer_operand(s, left, lane, shape->lanes, shape->bits, row->left);
    tw__sel_part y = integer_operand(s, right, lane, shape->lanes, shape->bits, row->right);
    *out = row->call ? integer_call(s, row->call, x, y) : MAKE(s, row->rows[0], IN(x), IN(y));
    return true;
}

static bool integer_long_lane(tw__sel *s, LLVMValueRef instruction, const tw__sel_shape *shape, unsigned lane,
                              tw__sel_part *out)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    const struct integer_row *row = integer_row(opcode);
    LLVMValueRef right = LLVMGetOperand(instruction, 1);
    bool is_shift = opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
    tw__sel_part words[2][2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef value = LLVMGetOperand(instruction, i);
        unsigned extension = i ? row->right : row->left;
        if (i && is_shift && LLVMIsConstant(right)) /* no registers for it */
            words[i][0] = words[i][1] = tw__sel_zero(TW__MIR_MAIN, 1);
        else if (!shape->lanes && extension != ANY)
            tw__sel_extended2(s, value, extension == SIGNED, words[i]);
        else
            memcpy(words[i], tw__sel_parts(s, value) + 2 * lane, sizeof words[i]);
    }
    LLVMValueRef constant = shape->lanes && LLVMIsConstant(right) ? LLVMGetAggregateElement(right, lane) : right;
    int64_t number;
    if (is_shift && constant && tw__sel_number(constant, &number, NULL)) {
        tw__sel_long_shift(s, opcode, words[0], (unsigned)number & 63, out);
        return true;
    }
    return tw__sel_long(s, opcode, words[0], words[1], out);
}

bool tw__sel_integer(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(instruction));
    unsigned step = shape.bits > 32 ? 2 : 1;
    for (unsigned lane = 0; lane < (shape.lanes ? shape.lanes : 1); lane++) {
        bool is_fine = step == 2 ? integer_long_lane(s, instruction, &shape, lane, out + 2 * lane)
                                 : integer_lane(s, instruction, &shape, lane, out + lane);
        if (!is_fine) return false;
        if (shape.bits == 1 && !tw__sel_is_zero(out[lane])) {
            LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
            if (opcode == LLVMAdd || opcode == LLVMSub) out[lane] = MAKE(s, TW__OP_and_mz, IN(out[lane]), NUM(1));
        }
    }
    return true;
}

/* --- compares --------------------------------------------------------------------------------------------------- */

tw__sel_part tw__sel_invert(tw__sel *s, tw__sel_part bit)
{
    return MAKE(s, TW__OP_cmpeq_z, IN(bit), NUM(0));
}

static const struct {
    LLVMIntPredicate predicate;
    uint16_t op;
    bool swaps, inverts, is_signed;
} integer_compares[] = {
    { LLVMIntEQ, TW__OP_cmpeq_m, false, false, false },   { LLVMIntNE, TW__OP_cmpne, false, false, false },
    { LLVMIntULT, TW__OP_cmpult_m, false, false, false }, { LLVMIntUGT, TW__OP_cmpult_m, true, false, false },
    { LLVMIntUGE, TW__OP_cmpult_m, false, true, false },  { LLVMIntULE, TW__OP_cmpult_m, true, true, false },
    { LLVMIntSLT, TW__OP_cmpslt_m, false, false, true },  { LLVMIntSGT, TW__OP_cmpslt_m, true, false, true },
    { LLVMIntSGE, TW__OP_cmpslt_m, false, true, true },   { LLVMIntSLE, TW__OP_cmpslt_m, true, true, true },
};

static size_t integer_predicate(LLVMIntPredicate predicate)
{
    size_t i = 0;
    while (integer_compares[i].predicate != predicate) i++;
    return i;
}

tw__sel_part tw__sel_compare_words(tw__sel *s, LLVMIntPredicate predicate, tw__sel_part x, tw__sel_part y,
                                   bool *is_inverse)
{
    size_t i = integer_predicate(predicate);
    *is_inverse = integer_compares[i].inverts;
    if (integer_compares[i].swaps) {
        tw__sel_part other = x;
        x = y;
        y = other;
    }
    return tw__sel_make(s, integer_compares[i].op, TW__OPERANDS(IN(x), IN(y)));
}

/* x against a constant, without a register for it: x > n is !(x < n + 1), x <= n is x < n + 1. False: no such
 * form. */
static bool integer_compare_constant(tw__sel *s, LLVMIntPredicate predicate, tw__sel_part x, int64_t number,
                                     uint64_t bits, tw__sel_part *out, bool *is_inverse)
{
    static const uint16_t below_signed[] = { TW__OP_cmpslt_s, 0 }, below[] = { TW__OP_cmpult_z, 0 };
    size_t i = integer_predicate(predicate);
    bool is_signed = integer_compares[i].is_signed, swaps = integer_compares[i].swaps;
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
        *is_inverse = predicate == LLVMIntNE;
        if (!bits) {
            *is_inverse = !*is_inverse;
            *out = x;
            return true;
        }
        unsigned op = tw__sel_row_for(tw__sel_equal + 1, 2, (int64_t)bits);
        number = op ? (int64_t)bits : (int32_t)bits;
        if (!op) op = tw__sel_row_for(tw__sel_equal + 1, 2, number);
        if (!op) return false;
        *out = tw__sel_make(s, op, TW__OPERANDS(IN(x), NUM(number)));
        return true;
    }
    if (!is_signed) number = (int64_t)bits;
    if (swaps) number++; /* x > n: n < x: !(x < n + 1) */
    *is_inverse = integer_compares[i].inverts != swaps;
    unsigned op = tw__sel_row_for(is_signed ? below_signed : below, 2, number);
    if (!op) return false;
    *out = tw__sel_make(s, op, TW__OPERANDS(IN(x), NUM(number)));
    return true;
}

/* The scalar compare `condition`; *is_bit: 0 or 1, else it is a word that may be anything but 0. */
static tw__sel_part integer_compare_scalar(tw__sel *s, LLVMValueRef condition, bool *is_inverse, bool *is_bit)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(left));
    bool is_signed = integer_compares[integer_predicate(predicate)].is_signed;
    *is_inverse = false;
    *is_bit = true;
    if (shape.bits > 32) {
        tw__sel_part words[2][2];
        tw__sel_extended2(s, left, is_signed, words[0]);
        tw__sel_extended2(s, right, is_signed, words[1]);
        return tw__sel_long_compare(s, predicate, words[0], words[1]);
    }
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE) /* either extension, the same on both sides */
        is_signed = tw__sel_known(s, left) == TW__SEL_SIGNS;
    int64_t number;
    uint64_t bits;
    tw__sel_part out, x = tw__sel_extended(s, left, is_signed);
    if (tw__sel_number(right, &number, &bits)) {
        if (is_signed) bits = (uint32_t)number;
        if (integer_compare_constant(s, predicate, x, number, bits, &out, is_inverse)) {
            *is_bit = out.reg != x.reg || shape.bits == 1;
            return out;
        }
    }
    return tw__sel_compare_words(s, predicate, x, tw__sel_extended(s, right, is_signed), is_inverse);
}

tw__sel_part tw__sel_test(tw__sel *s, LLVMValueRef condition, bool *is_inverse)
{
    bool is_bit;
    *is_inverse = false;
    if (g_hash_table_contains(s->values, condition) || !LLVMIsAInstruction(condition))
        return tw__sel_part1(s, condition);
    int64_t number;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
    if (opcode == LLVMICmp) return integer_compare_scalar(s, condition, is_inverse, &is_bit);
    if (opcode == LLVMFCmp) return tw__sel_real_test(s, condition, is_inverse);
    if (opcode == LLVMXor && tw__sel_number(LLVMGetOperand(condition, 1), &number, NULL) && number) {
        tw__sel_part test = tw__sel_test(s, LLVMGetOperand(condition, 0), is_inverse);
        *is_inverse = !*is_inverse;
        return test;
    }
    return tw__sel_part1(s, condition);
}

bool tw__sel_compare(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef left = LLVMGetOperand(instruction, 0), right = LLVMGetOperand(instruction, 1);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(left));
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(instruction);
    bool is_inverse, is_bit, is_signed = integer_compares[integer_predicate(predicate)].is_signed;
    if (!shape.lanes) {
        out[0] = integer_compare_scalar(s, instruction, &is_inverse, &is_bit);
        if (is_inverse)
            out[0] = tw__sel_invert(s, out[0]);
        else if (!is_bit) /* x != 0 is no 0 or 1 yet */
            out[0] = MAKE(s, TW__OP_cmpult_m, IN(tw__sel_zero(TW__MIR_MAIN, 1)), IN(out[0]));
        return true;
    }
    unsigned step = shape.bits > 32 ? 2 : 1;
    const tw__sel_part *x = tw__sel_parts(s, left), *y = tw__sel_parts(s, right);
    for (unsigned lane = 0; lane < shape.lanes; lane++) {
        if (step == 2) {
            out[lane] = tw__sel_long_compare(s, predicate, x + 2 * lane, y + 2 * lane);
            continue;
        }
        tw__sel_part a = tw__sel_extend(s, x[lane], shape.bits, is_signed);
        tw__sel_part b = tw__sel_extend(s, y[lane], shape.bits, is_signed);
        out[lane] = tw__sel_compare_words(s, predicate, a, b, &is_inverse);
        if (is_inverse) out[lane] = tw__sel_invert(s, out[lane]);
    }
    return true;
}

/* --- selects ---------------------------------------------------------------------------------------------------- */

bool tw__sel_select(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef condition = LLVMGetOperand(instruction, 0);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(instruction));
    bool is_real = shape.lane == TW__SEL_F16 || shape.lane == TW__SEL_F32, is_inverse = false;
    if (is_real && !s->f->in_supervisor) return tw__sel_mask_select(s, instruction, &shape, out);
    const tw__sel_part *x = tw__sel_parts(s, LLVMGetOperand(instruction, 1));
    const tw__sel_part *y = tw__sel_parts(s, LLVMGetOperand(instruction, 2));
    bool is_vector = LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMVectorTypeKind;
    tw__sel_part test = x[0];
    const tw__sel_part *tests = &test;
    if (is_vector)
        tests = tw__sel_parts(s, condition);
    else
        test = tw__sel_test(s, condition, &is_inverse);
    unsigned per_lane = is_vector && shape.lanes ? shape.parts / shape.lanes : shape.parts;
    for (unsigned i = 0; i < shape.parts; i++) {
        const tw__sel_part *one = &tests[is_vector ? i / per_lane : 0];
        if (x[i].file == TW__MIR_AUX) { /* members of structures */
            tw__sel_mask_choose(s, *one, is_inverse, x[i], y[i], &out[i]);
            continue;
        }
        out[i] = is_inverse ? tw__sel_choose(s, *one, y[i], x[i]) : tw__sel_choose(s, *one, x[i], y[i]);
    }
    return !s->has_failed;
}

/* --- conversions ------------------------------------------------------------------------------------------------ */

static bool integer_resize(tw__sel *s, LLVMValueRef value, const tw__sel_shape *from, const tw__sel_shape *to,
                           bool is_signed, tw__sel_part *out)
{
    unsigned from_step = from->bits > 32 ? 2 : 1, to_step = to->bits > 32 ? 2 : 1;
    unsigned lanes = to->lanes ? to->lanes : 1;
    for (unsigned lane = 0; lane < lanes; lane++) {
        tw__sel_part words[2];
        if (!to->lanes && to->bits > from->bits) {
            tw__sel_extended2(s, value, is_signed, words);
        } else {
            const tw__sel_part *parts = tw__sel_parts(s, value) + lane * from_step;
            words[0] = parts[0];
            if (from_step == 2) words[1] = parts[1];
            if (to->bits > from->bits) {
                unsigned high = from_step - 1;
                words[high] = tw__sel_extend(s, words[high], from->bits - 32 * high, is_signed);
                if (!high)
                    words[1] =
                        is_signed ? MAKE(s, TW__OP_shrs_z, IN(words[0]), NUM(31)) : tw__sel_zero(TW__MIR_MAIN, 1);
            }
        }
        out[lane * to_step] = words[0];
        if (to_step == 2) out[lane * 2 + 1] = words[1];
        if (to->bits == 1 && from->bits > 1) out[lane] = MAKE(s, TW__OP_and_mz, IN(words[0]), NUM(1));
    }
    return true;
}

/* Signs of one bit: 0 or -1. */
static bool integer_spread(tw__sel *s, LLVMValueRef value, const tw__sel_shape *to, tw__sel_part *out)
{
    const tw__sel_part *bits = tw__sel_parts(s, value);
    unsigned step = to->bits > 32 ? 2 : 1;
    for (unsigned lane = 0; lane < (to->lanes ? to->lanes : 1); lane++) {
        out[lane * step] = MAKE(s, TW__OP_sub_m, IN(tw__sel_zero(TW__MIR_MAIN, 1)), IN(bits[lane]));
        if (step == 2) out[lane * 2 + 1] = out[lane * 2];
    }
    return true;
}

bool tw__sel_convert(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    tw__sel_shape to = tw__sel_shape_of(s, LLVMTypeOf(instruction)), from = tw__sel_shape_of(s, LLVMTypeOf(value));
    if (s->has_failed) return false;
    if (opcode == LLVMBitCast) {
        tw__sel_part words[TW__SEL_PARTS * 2];
        tw__sel_to_words(s, &from, tw__sel_parts(s, value), words);
        return tw__sel_from_words(s, &to, words, out);
    }
    if (opcode == LLVMSExt && from.bits == 1) return integer_spread(s, value, &to, out);
    return integer_resize(s, value, &from, &to, opcode == LLVMSExt, out);
}
