/* SPDX-License-Identifier: MIT */
/* Lanes of vectors: taken out, put in, shuffled. */
#include "poplar/colossus/cc/sel/address.h"

/* Where a lane comes from: for numbers with a fraction a word, of halves its lower or upper one. */
typedef struct vector_lane {
    tw__sel_part word;
    bool is_there, is_upper, is_both; /* both: the word has it in either half */
} vector_lane;

/* Looks through insertions that nobody has asked for as a whole. */
static vector_lane vector_source(tw__sel *s, LLVMValueRef vector, unsigned lane, bool is_half)
{
    int64_t number;
    while (LLVMIsAInsertElementInst(vector) && !g_hash_table_contains(s->values, vector) &&
           tw__sel_number(LLVMGetOperand(vector, 2), &number, NULL)) {
        if ((uint64_t)number == lane)
            return (vector_lane){ .word = tw__sel_part1(s, LLVMGetOperand(vector, 1)),
                                  .is_there = true,
                                  .is_both = true };
        vector = LLVMGetOperand(vector, 0);
    }
    if (LLVMIsUndef(vector)) return (vector_lane){ .is_there = false };
    unsigned per_word = is_half ? 2 : 1, at = lane / per_word;
    tw__sel_part part = tw__sel_parts(s, vector)[at / 2];
    return (vector_lane){ .word = tw__sel_word(part, at % 2), .is_there = true, .is_upper = lane % per_word };
}

static bool vector_same(tw__sel_part x, tw__sel_part y)
{
    return x.reg == y.reg && x.sub == y.sub;
}

/* A word with the halves a and b. */
static tw__sel_part vector_halves(tw__sel *s, vector_lane a, vector_lane b)
{
    if (!a.is_there && !b.is_there) return tw__sel_zero(TW__MIR_AUX, 1);
    if (!a.is_there) a = (vector_lane){ .word = b.word, .is_there = true, .is_both = b.is_both };
    if (!b.is_there) b = (vector_lane){ .word = a.word, .is_there = true, .is_upper = true, .is_both = a.is_both };
    bool is_same = vector_same(a.word, b.word);
    if (is_same && (a.is_both || (!a.is_upper && b.is_upper))) return a.word;
    if (!a.is_upper && (b.is_both || !b.is_upper)) return MAKE(s, TW__OP_sort4x16lo_a, IN(a.word), IN(b.word));
    if ((a.is_both || a.is_upper) && b.is_upper) return MAKE(s, TW__OP_sort4x16hi_a, IN(a.word), IN(b.word));
    if (a.is_upper) return MAKE(s, TW__OP_roll16_a, IN(a.word), IN(b.word));
    if (s->mir->arch != TW_ISA_IPU1) return MAKE(s, TW__OP_sort4x16hi_l, IN(a.word), IN(b.word));
    tw__sel_part turned = MAKE(s, TW__OP_roll16_a, IN(b.word), IN(b.word));
    return MAKE(s, TW__OP_sort4x16lo_a, IN(a.word), IN(turned));
}

static void vector_build(tw__sel *s, const tw__sel_shape *shape, const vector_lane *lanes, tw__sel_part *out)
{
    bool is_half = shape->lane == TW__SEL_F16;
    for (unsigned i = 0, lane = 0; i < shape->parts; i++) {
        tw__mir_file file;
        unsigned words;
        tw__sel_part made[2];
        tw__sel_part_of(shape, i, &file, &words);
        for (unsigned k = 0; k < words; k++) {
            const vector_lane none = { .is_there = false }, *one = &lanes[lane];
            if (is_half)
                made[k] = vector_halves(s, *one, lane + 1 < shape->lanes ? one[1] : none);
            else
                made[k] = one->is_there ? one->word : tw__sel_zero(TW__MIR_AUX, 1);
            lane += is_half ? 2 : 1;
        }
        out[i] = words == 1 ? made[0] : tw__sel_join(s, made, 2);
    }
}

/* --- a variable index: through the frame ------------------------------------------------------------------------ */

static tw__sel_address_of vector_spill(tw__sel *s, LLVMValueRef vector, LLVMValueRef index,
                                       tw__sel_address_of *whole)
{
    static const tw__mir_memory memory = { 0 };
    LLVMTypeRef type = LLVMTypeOf(vector);
    uint64_t size = LLVMABISizeOfType(s->layout, type),
             step = LLVMABISizeOfType(s->layout, LLVMGetElementType(type));
    *whole = (tw__sel_address_of){ .is_frame = true,
                                   .object = tw__mir_new_object(s->mir, s->f, (uint32_t)MAX(size, 8), 8) };
    tw__sel_write_value(s, type, whole, 0, 8, tw__sel_parts(s, vector), &memory);
    tw__sel_part at =
        LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 32 ? tw__sel_part1(s, index) : tw__sel_extended(s, index, false);
    if (step > 1) at = tw__sel_with(s, tw__sel_mul, at, (int64_t)step);
    tw__sel_part base = MAKE(s, TW__MIR_place, FRAME(whole->object, 0));
    return (tw__sel_address_of){ .base = MAKE(s, TW__OP_add_m, IN(base), IN(at)) };
}

static bool vector_is_bits(tw__sel *s, const tw__sel_shape *shape)
{
    if (shape->lane != TW__SEL_INT || shape->bits % 8 == 0) return false;
    tw__sel_refuse(s, "cc.instruction", "lanes of %u bits with a variable index are not supported", shape->bits);
    return true;
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

bool tw__sel_extract(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    static const tw__mir_memory memory = { 0 };
    LLVMValueRef vector = LLVMGetOperand(instruction, 0), index = LLVMGetOperand(instruction, 1);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(vector));
    int64_t lane;
    if (s->has_failed) return false;
    if (!tw__sel_number(index, &lane, NULL)) {
        tw__sel_address_of whole;
        if (vector_is_bits(s, &shape)) return false;
        tw__sel_address_of one = vector_spill(s, vector, index, &whole);
        unsigned align = MIN(shape.bits / 8, 8);
        tw__sel_read_value(s, LLVMTypeOf(instruction), &one, 0, align, false, &memory, out);
        return !s->has_failed;
    }
    if (lane < 0 || lane >= shape.lanes) lane = 0; /* poison */
    if (shape.lane == TW__SEL_INT || shape.lane == TW__SEL_F64) {
        unsigned step = shape.bits > 32 ? 2 : 1;
        memcpy(out, tw__sel_parts(s, vector) + (unsigned)lane * step, step * sizeof *out);
        return true;
    }
    vector_lane from = vector_source(s, vector, (unsigned)lane, shape.lane == TW__SEL_F16);
    if (!from.is_there) from.word = tw__sel_zero(TW__MIR_AUX, 1), from.is_both = true;
    if (shape.lane == TW__SEL_F16 && !from.is_both) {
        unsigned op = from.is_upper ? TW__OP_sort4x16hi_a : TW__OP_sort4x16lo_a;
        from.word = tw__sel_make(s, op, TW__OPERANDS(IN(from.word), IN(from.word)));
    }
    out[0] = from.word;
    return true;
}

bool tw__sel_insert(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    static const tw__mir_memory memory = { 0 };
    LLVMValueRef vector = LLVMGetOperand(instruction, 0), element = LLVMGetOperand(instruction, 1);
    LLVMValueRef index = LLVMGetOperand(instruction, 2);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(vector));
    int64_t lane;
    if (s->has_failed) return false;
    if (!tw__sel_number(index, &lane, NULL)) {
        tw__sel_address_of whole;
        if (vector_is_bits(s, &shape)) return false;
        tw__sel_address_of one = vector_spill(s, vector, index, &whole);
        unsigned align = MIN(shape.bits / 8, 8);
        tw__sel_write_value(s, LLVMTypeOf(element), &one, 0, align, tw__sel_parts(s, element), &memory);
        tw__sel_read_value(s, LLVMTypeOf(vector), &whole, 0, 8, false, &memory, out);
        return !s->has_failed;
    }
    if (lane < 0 || lane >= shape.lanes) lane = 0;
    if (shape.lane == TW__SEL_INT || shape.lane == TW__SEL_F64) {
        unsigned step = shape.bits > 32 ? 2 : 1;
        memcpy(out, tw__sel_parts(s, vector), shape.parts * sizeof *out);
        memcpy(out + (unsigned)lane * step, tw__sel_parts(s, element), step * sizeof *out);
        return true;
    }
    vector_lane lanes[TW__SEL_PARTS * 4];
    for (unsigned i = 0; i < shape.lanes; i++) {
        if (i == (unsigned)lane)
            lanes[i] = (vector_lane){ .word = tw__sel_part1(s, element), .is_there = true, .is_both = true };
        else
            lanes[i] = vector_source(s, vector, i, shape.lane == TW__SEL_F16);
    }
    vector_build(s, &shape, lanes, out);
    return true;
}

bool tw__sel_shuffle(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef vectors[] = { LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 1) };
    tw__sel_shape from = tw__sel_shape_of(s, LLVMTypeOf(vectors[0])),
                  to = tw__sel_shape_of(s, LLVMTypeOf(instruction));
    if (s->has_failed) return false;
    bool is_words = from.lane == TW__SEL_INT || from.lane == TW__SEL_F64;
    unsigned step = from.bits > 32 ? 2 : 1;
    vector_lane lanes[TW__SEL_PARTS * 4];
    for (unsigned i = 0; i < to.lanes; i++) {
        int mask = LLVMGetMaskValue(instruction, i);
        lanes[i] = (vector_lane){ .is_there = false };
        if (mask < 0) {
            for (unsigned k = 0; is_words && k < step; k++) out[i * step + k] = tw__sel_zero(TW__MIR_MAIN, 1);
            continue;
        }
        unsigned lane = (unsigned)mask % from.lanes;
        LLVMValueRef vector = vectors[(unsigned)mask / from.lanes];
        if (is_words)
            memcpy(out + i * step, tw__sel_parts(s, vector) + lane * step, step * sizeof *out);
        else
            lanes[i] = vector_source(s, vector, lane, from.lane == TW__SEL_F16);
    }
    if (!is_words) vector_build(s, &to, lanes, out);
    return true;
}
