/* SPDX-License-Identifier: MIT */
/* Compares of numbers with a fraction, which give masks in the aux file, and selects by them. */
#include "poplar/colossus/cc/sel/sel.h"

/* --- bits of the aux file --------------------------------------------------------------------------------------- */

static tw__sel_part mask_bits(tw__sel *s, unsigned op, unsigned op64, tw__sel_part x, tw__sel_part y)
{
    return tw__sel_make(s, x.words == 1 ? op : op64, TW__OPERANDS(IN(x), IN(y)));
}

tw__sel_part tw__sel_aux_and(tw__sel *s, tw__sel_part x, tw__sel_part y)
{
    return mask_bits(s, TW__OP_and_a, TW__OP_and64, x, y);
}

tw__sel_part tw__sel_aux_andc(tw__sel *s, tw__sel_part x, tw__sel_part y)
{
    return mask_bits(s, TW__OP_andc_a, TW__OP_andc64, x, y);
}

tw__sel_part tw__sel_aux_or(tw__sel *s, tw__sel_part x, tw__sel_part y)
{
    return mask_bits(s, TW__OP_or_a, TW__OP_or64, x, y);
}

static tw__sel_part mask_not(tw__sel *s, tw__sel_part x)
{
    return tw__sel_make(s, x.words == 1 ? TW__OP_not : TW__OP_not64, TW__OPERANDS(IN(x)));
}

static tw__sel_part mask_repeat(tw__sel *s, tw__sel_part word, unsigned words)
{
    const tw__sel_part all[] = { word, word };
    return words == 1 ? word : tw__sel_join(s, all, 2);
}

tw__sel_part tw__sel_all(tw__sel *s, uint32_t bits, unsigned words)
{
    return mask_repeat(s, tw__sel_constant(s, bits, TW__MIR_AUX), words);
}

uint32_t tw__sel_sign_bits(const tw__sel_shape *shape)
{
    return shape->lane == TW__SEL_F16 ? 0x80008000 : 0x80000000;
}

/* --- compares --------------------------------------------------------------------------------------------------- */

#define REAL(op) { TW__OP_f32##op, TW__OP_f32v2##op, TW__OP_f16v2##op, TW__OP_f16v4##op }

/* An ordered row; or two of them, or-ed; or the inverse of that. x or y may be compared with itself. */
static const struct mask_row {
    LLVMRealPredicate predicate;
    tw__sel_real_rows first, second;
    bool inverts, is_self;
} mask_rows[] = {
    { LLVMRealOEQ, REAL(cmpeq), { 0 }, false, false },      { LLVMRealOGT, REAL(cmpgt), { 0 }, false, false },
    { LLVMRealOGE, REAL(cmpge), { 0 }, false, false },      { LLVMRealOLT, REAL(cmplt), { 0 }, false, false },
    { LLVMRealOLE, REAL(cmple), { 0 }, false, false },      { LLVMRealONE, REAL(cmplt), REAL(cmpgt), false, false },
    { LLVMRealORD, REAL(cmpne), REAL(cmpne), true, true },  { LLVMRealUNO, REAL(cmpne), REAL(cmpne), false, true },
    { LLVMRealUEQ, REAL(cmplt), REAL(cmpgt), true, false }, { LLVMRealUGT, REAL(cmple), { 0 }, true, false },
    { LLVMRealUGE, REAL(cmplt), { 0 }, true, false },       { LLVMRealULT, REAL(cmpge), { 0 }, true, false },
    { LLVMRealULE, REAL(cmpgt), { 0 }, true, false },       { LLVMRealUNE, REAL(cmpne), { 0 }, false, false },
};

void tw__sel_real_mask(tw__sel *s, LLVMRealPredicate predicate, const tw__sel_shape *shape, const tw__sel_part *x,
                       const tw__sel_part *y, tw__sel_part *out, bool *is_inverse)
{
    *is_inverse = predicate == LLVMRealPredicateTrue;
    for (unsigned i = 0; i < shape->parts; i++) {
        if (predicate == LLVMRealPredicateFalse || predicate == LLVMRealPredicateTrue) {
            out[i] = tw__sel_zero(TW__MIR_AUX, x[i].words);
            continue;
        }
        unsigned k = 0;
        while (mask_rows[k].predicate != predicate) k++;
        const struct mask_row *row = &mask_rows[k];
        unsigned first = tw__sel_real_row(&row->first, shape->lane, x[i].words);
        unsigned second = tw__sel_real_row(&row->second, shape->lane, x[i].words);
        *is_inverse = row->inverts;
        out[i] = tw__sel_make(s, first, TW__OPERANDS(IN(x[i]), IN(row->is_self ? x[i] : y[i])));
        bool is_same = row->is_self && x[i].reg == y[i].reg && x[i].sub == y[i].sub;
        if (!second || is_same) continue;
        tw__sel_part other = tw__sel_make(s, second, TW__OPERANDS(IN(row->is_self ? y[i] : x[i]), IN(y[i])));
        out[i] = tw__sel_aux_or(s, out[i], other);
    }
}

/* How functions for double say it: a call, whose result is compared with 0. */
static const struct {
    LLVMRealPredicate predicate;
    const char *call;
    LLVMIntPredicate test;
} mask_calls[] = {
    { LLVMRealOEQ, "__eqdf2", LLVMIntEQ },    { LLVMRealUNE, "__nedf2", LLVMIntNE },
    { LLVMRealOLT, "__ltdf2", LLVMIntSLT },   { LLVMRealOLE, "__ledf2", LLVMIntSLE },
    { LLVMRealOGT, "__gtdf2", LLVMIntSGT },   { LLVMRealOGE, "__gedf2", LLVMIntSGE },
    { LLVMRealULT, "__gedf2", LLVMIntSLT },   { LLVMRealULE, "__gtdf2", LLVMIntSLE },
    { LLVMRealUGT, "__ledf2", LLVMIntSGT },   { LLVMRealUGE, "__ltdf2", LLVMIntSGE },
    { LLVMRealORD, "__unorddf2", LLVMIntEQ }, { LLVMRealUNO, "__unorddf2", LLVMIntNE },
};

static tw__sel_part mask_double1(tw__sel *s, LLVMRealPredicate predicate, tw__sel_part *x, tw__sel_part *y)
{
    static const tw__sel_shape f64 = { .lane = TW__SEL_F64, .bits = 64, .parts = 2 };
    static const tw__sel_shape word = { .lane = TW__SEL_INT, .bits = 32, .parts = 1 };
    const tw__sel_shape shapes[] = { f64, f64 };
    tw__sel_part *arguments[] = { x, y }, result = x[0];
    bool is_inverse = false;
    size_t i = 0;
    while (mask_calls[i].predicate != predicate) i++;
    tw__sel_runtime(s, mask_calls[i].call, 2, shapes, arguments, &word, &result);
    tw__sel_part bit =
        tw__sel_compare_words(s, mask_calls[i].test, result, tw__sel_zero(TW__MIR_MAIN, 1), &is_inverse);
    return is_inverse ? tw__sel_invert(s, bit) : bit;
}

static tw__sel_part mask_double(tw__sel *s, LLVMRealPredicate predicate, tw__sel_part *x, tw__sel_part *y)
{
    tw__sel_part zero = tw__sel_zero(TW__MIR_MAIN, 1);
    switch ((int)predicate) {
    case LLVMRealPredicateFalse: return zero;
    case LLVMRealPredicateTrue: return tw__sel_constant(s, 1, TW__MIR_MAIN);
    case LLVMRealONE:
    case LLVMRealUEQ: {
        tw__sel_part below = mask_double1(s, LLVMRealOLT, x, y), above = mask_double1(s, LLVMRealOGT, x, y);
        tw__sel_part either = MAKE(s, TW__OP_or_m, IN(below), IN(above));
        return predicate == LLVMRealONE ? either : tw__sel_invert(s, either);
    }
    default: return mask_double1(s, predicate, x, y);
    }
}

static bool mask_is_refused(tw__sel *s)
{
    if (!s->f->in_supervisor) return false;
    tw__sel_refuse(s, "cc.supervisor", "a supervisor has no floating point; use integers, or let a worker compute");
    return true;
}

tw__sel_part tw__sel_real_test(tw__sel *s, LLVMValueRef condition, bool *is_inverse)
{
    LLVMValueRef left = LLVMGetOperand(condition, 0);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(left));
    LLVMRealPredicate predicate = LLVMGetFCmpPredicate(condition);
    *is_inverse = false;
    if (mask_is_refused(s)) return tw__sel_zero(TW__MIR_MAIN, 1);
    tw__sel_part *x = tw__sel_parts(s, left), *y = tw__sel_parts(s, LLVMGetOperand(condition, 1)), mask;
    if (shape.lane == TW__SEL_F64) return mask_double(s, predicate, x, y);
    tw__sel_real_mask(s, predicate, &shape, x, y, &mask, is_inverse);
    tw__sel_part word = tw__sel_to(s, mask, TW__MIR_MAIN);
    if (shape.lane == TW__SEL_F32 || tw__sel_is_zero(word)) return word;
    return MAKE(s, TW__OP_and_mz, IN(word), NUM(1)); /* the other lane may have been rounded otherwise */
}

bool tw__sel_real_compare(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef left = LLVMGetOperand(instruction, 0);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(left));
    bool is_inverse;
    if (!shape.lanes) {
        tw__sel_part test = tw__sel_real_test(s, instruction, &is_inverse);
        if (shape.lane == TW__SEL_F64)
            out[0] = test;
        else if (is_inverse)
            out[0] = tw__sel_invert(s, test);
        else
            out[0] = shape.lane == TW__SEL_F16 ? test : MAKE(s, TW__OP_and_mz, IN(test), NUM(1));
        return !s->has_failed;
    }
    if (mask_is_refused(s)) return false;
    tw__sel_part *x = tw__sel_parts(s, left), *y = tw__sel_parts(s, LLVMGetOperand(instruction, 1));
    if (shape.lane == TW__SEL_F64) {
        for (unsigned lane = 0; lane < shape.lanes; lane++)
            out[lane] = mask_double(s, LLVMGetFCmpPredicate(instruction), x + 2 * lane, y + 2 * lane);
        return true;
    }
    tw__sel_part masks[TW__SEL_PARTS];
    tw__sel_real_mask(s, LLVMGetFCmpPredicate(instruction), &shape, x, y, masks, &is_inverse);
    unsigned per_word = shape.lane == TW__SEL_F16 ? 2 : 1;
    tw__sel_part word = masks[0];
    for (unsigned lane = 0; lane < shape.lanes; lane++) {
        unsigned at = lane / per_word;
        if (lane % per_word == 0) word = tw__sel_to(s, tw__sel_word(masks[at / 2], at % 2), TW__MIR_MAIN);
        tw__sel_part bit =
            lane % per_word ? MAKE(s, TW__OP_shr_z, IN(word), NUM(31)) : MAKE(s, TW__OP_and_mz, IN(word), NUM(1));
        out[lane] = is_inverse ? tw__sel_invert(s, bit) : bit;
    }
    return true;
}

/* --- selects ---------------------------------------------------------------------------------------------------- */

tw__sel_part tw__sel_mask_blend(tw__sel *s, tw__sel_part mask, tw__sel_part x, tw__sel_part y)
{
    if (tw__sel_is_zero(y)) return tw__sel_aux_and(s, x, mask);
    if (tw__sel_is_zero(x)) return tw__sel_aux_andc(s, y, mask);
    tw__sel_part others = tw__sel_aux_andc(s, y, mask), those = tw__sel_aux_and(s, x, mask);
    return tw__sel_aux_or(s, those, others);
}

/* All ones where a word is not 0 (or is). */
static tw__sel_part mask_of_word(tw__sel *s, tw__sel_part test, bool is_inverse)
{
    tw__sel_part is_zero = MAKE(s, TW__OP_cmpeq_z, IN(test), NUM(0));
    tw__sel_part mask = is_inverse ? MAKE(s, TW__OP_sub_m, IN(tw__sel_zero(TW__MIR_MAIN, 1)), IN(is_zero))
                                   : MAKE(s, TW__OP_add_s, IN(is_zero), NUM(-1));
    return tw__sel_to(s, mask, TW__MIR_AUX);
}

void tw__sel_mask_choose(tw__sel *s, tw__sel_part test, bool is_inverse, tw__sel_part x, tw__sel_part y,
                         tw__sel_part *out)
{
    tw__sel_part mask = mask_of_word(s, test, is_inverse);
    *out = tw__sel_mask_blend(s, mask_repeat(s, mask, x.words), x, y);
}

/* A compare whose masks nobody has as 0 and 1 in the main file yet. */
static bool mask_is_near(tw__sel *s, LLVMValueRef condition, tw__sel_shape *shape)
{
    if (!LLVMIsAFCmpInst(condition) || g_hash_table_contains(s->values, condition)) return false;
    *shape = tw__sel_shape_of(s, LLVMTypeOf(LLVMGetOperand(condition, 0)));
    return shape->lane != TW__SEL_F64;
}

static bool mask_scalar(tw__sel *s, LLVMValueRef condition, const tw__sel_shape *shape, const tw__sel_part *x,
                        const tw__sel_part *y, tw__sel_part *out)
{
    tw__sel_shape compared;
    tw__sel_part mask;
    bool is_inverse;
    if (mask_is_near(s, condition, &compared)) {
        const tw__sel_part *a = tw__sel_parts(s, LLVMGetOperand(condition, 0));
        const tw__sel_part *b = tw__sel_parts(s, LLVMGetOperand(condition, 1));
        tw__sel_real_mask(s, LLVMGetFCmpPredicate(condition), &compared, a, b, &mask, &is_inverse);
        if (compared.lane == TW__SEL_F16) mask = MAKE(s, TW__OP_sort4x16lo_a, IN(mask), IN(mask));
    } else {
        tw__sel_part test = tw__sel_test(s, condition, &is_inverse);
        mask = mask_of_word(s, test, false);
    }
    for (unsigned i = 0; i < shape->parts; i++) {
        tw__sel_part wide = mask_repeat(s, mask, x[i].words);
        out[i] = is_inverse ? tw__sel_mask_blend(s, wide, y[i], x[i]) : tw__sel_mask_blend(s, wide, x[i], y[i]);
    }
    return !s->has_failed;
}

/* Masks from 0 and 1 a lane. */
static void mask_of_lanes(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *bits, tw__sel_part *masks)
{
    unsigned per_word = shape->lane == TW__SEL_F16 ? 2 : 1, count = 0;
    tw__sel_part zero = tw__sel_zero(TW__MIR_MAIN, 1), words[TW__SEL_PARTS * 2];
    for (unsigned lane = 0; lane < shape->lanes; lane += per_word) {
        tw__sel_part word = MAKE(s, TW__OP_sub_m, IN(zero), IN(bits[lane]));
        if (per_word == 2) {
            tw__sel_part high =
                lane + 1 < shape->lanes ? MAKE(s, TW__OP_sub_m, IN(zero), IN(bits[lane + 1])) : word;
            word = MAKE(s, TW__OP_sort4x16lo_m, IN(word), IN(high));
        }
        words[count++] = tw__sel_to(s, word, TW__MIR_AUX);
    }
    for (unsigned i = 0, at = 0; i < shape->parts; i++) {
        tw__mir_file file;
        unsigned size;
        tw__sel_part_of(shape, i, &file, &size);
        masks[i] = size == 1 ? words[at] : tw__sel_join(s, words + at, size);
        at += size;
    }
}

/* Masks of a vector's condition, for lanes of `shape`. */
static void mask_vector(tw__sel *s, LLVMValueRef condition, const tw__sel_shape *shape, tw__sel_part *masks)
{
    static const struct {
        LLVMOpcode opcode;
        tw__sel_part (*combine)(tw__sel *, tw__sel_part, tw__sel_part);
    } rows[] = { { LLVMAnd, tw__sel_aux_and }, { LLVMOr, tw__sel_aux_or } };
    tw__sel_shape compared;
    if (mask_is_near(s, condition, &compared) && compared.lane == shape->lane) {
        bool is_inverse;
        const tw__sel_part *a = tw__sel_parts(s, LLVMGetOperand(condition, 0));
        const tw__sel_part *b = tw__sel_parts(s, LLVMGetOperand(condition, 1));
        tw__sel_real_mask(s, LLVMGetFCmpPredicate(condition), shape, a, b, masks, &is_inverse);
        for (unsigned i = 0; is_inverse && i < shape->parts; i++) masks[i] = mask_not(s, masks[i]);
        return;
    }
    bool is_open = LLVMIsAInstruction(condition) && !g_hash_table_contains(s->values, condition);
    for (unsigned k = 0; is_open && k < G_N_ELEMENTS(rows); k++) {
        if (LLVMGetInstructionOpcode(condition) != rows[k].opcode) continue;
        tw__sel_part x[TW__SEL_PARTS], y[TW__SEL_PARTS];
        mask_vector(s, LLVMGetOperand(condition, 0), shape, x);
        mask_vector(s, LLVMGetOperand(condition, 1), shape, y);
        for (unsigned i = 0; i < shape->parts; i++) masks[i] = rows[k].combine(s, x[i], y[i]);
        return;
    }
    mask_of_lanes(s, shape, tw__sel_parts(s, condition), masks);
}

bool tw__sel_mask_select(tw__sel *s, LLVMValueRef instruction, const tw__sel_shape *shape, tw__sel_part *out)
{
    LLVMValueRef condition = LLVMGetOperand(instruction, 0);
    const tw__sel_part *x = tw__sel_parts(s, LLVMGetOperand(instruction, 1));
    const tw__sel_part *y = tw__sel_parts(s, LLVMGetOperand(instruction, 2));
    if (LLVMGetTypeKind(LLVMTypeOf(condition)) != LLVMVectorTypeKind)
        return mask_scalar(s, condition, shape, x, y, out);
    tw__sel_part masks[TW__SEL_PARTS];
    mask_vector(s, condition, shape, masks);
    for (unsigned i = 0; i < shape->parts; i++) out[i] = tw__sel_mask_blend(s, masks[i], x[i], y[i]);
    return !s->has_failed;
}
