/* SPDX-License-Identifier: MIT */
/* Numbers with a fraction: arithmetic and conversions. double is two words of the main file, and calls. */
#include "poplar/colossus/cc/sel/sel.h"

static const tw__sel_shape real_f64 = { .lane = TW__SEL_F64, .bits = 64, .parts = 2 };
static const tw__sel_shape real_f32 = { .lane = TW__SEL_F32, .bits = 32, .parts = 1 };
static const tw__sel_shape real_word = { .lane = TW__SEL_INT, .bits = 32, .parts = 1 };

/* --- lanes ------------------------------------------------------------------------------------------------------ */

unsigned tw__sel_real_row(const tw__sel_real_rows *rows, tw__sel_lane lane, unsigned words)
{
    if (lane == TW__SEL_F32) return words == 1 ? rows->f32 : rows->f32v2;
    return words == 1 ? rows->f16v2 : rows->f16v4;
}

static bool real_is_possible(tw__sel *s, const tw__sel_shape *shape)
{
    if (!s->f->in_supervisor) return true;
    return tw__sel_refuse(s, "cc.supervisor",
                          shape->lane == TW__SEL_F64
                              ? "a supervisor cannot compute with 'double'; use integers, or a worker"
                              : "a supervisor has no floating point; use integers, or let a worker compute");
}

void tw__sel_widen(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *halves, tw__sel_part *floats)
{
    unsigned lanes = shape->lanes ? shape->lanes : 1;
    for (unsigned i = 0; i < (lanes + 1) / 2; i++) {
        tw__sel_part word = tw__sel_word(halves[i / 2], i % 2);
        floats[i] = 2 * i + 1 < lanes ? MAKE(s, TW__OP_f16v2tof32, IN(word)) : MAKE(s, TW__OP_f16tof32, IN(word));
    }
}

void tw__sel_narrow(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *floats, tw__sel_part *halves)
{
    unsigned lanes = shape->lanes ? shape->lanes : 1, count = (lanes + 1) / 2;
    tw__sel_part words[2];
    for (unsigned i = 0; i < count; i++) {
        words[i % 2] = floats[i].words == 2 ? MAKE(s, TW__OP_f32v2tof16, IN(floats[i]))
                                            : MAKE(s, TW__OP_f32tof16, IN(floats[i]));
        if (i % 2)
            halves[i / 2] = tw__sel_join(s, words, 2);
        else if (i + 1 == count)
            halves[i / 2] = words[0];
    }
}

/* Floats one by one: `each` gets a word of each argument and gives one. */
typedef bool real_each(tw__sel *s, const void *what, unsigned count, const tw__sel_part *words, tw__sel_part *out);

static bool real_each_float(tw__sel *s, const tw__sel_shape *shape, unsigned count, tw__sel_part *const *arguments,
                            real_each *each, const void *what, tw__sel_part *out)
{
    unsigned lanes = shape->lanes ? shape->lanes : 1;
    bool is_half = shape->lane == TW__SEL_F16;
    tw__sel_part wide[3][TW__SEL_PARTS], made[TW__SEL_PARTS];
    tw__sel_part *floats = is_half ? made : out;
    for (unsigned k = 0; k < count; k++) {
        if (is_half)
            tw__sel_widen(s, shape, arguments[k], wide[k]);
        else
            memcpy(wide[k], arguments[k], shape->parts * sizeof **wide);
    }
    for (unsigned i = 0; i < lanes; i++) {
        static tw__sel_part none;
        tw__sel_part words[3] = { none, none, none }, result[2];
        for (unsigned k = 0; k < count; k++) words[k] = tw__sel_word(wide[k][i / 2], i % 2);
        if (!each(s, what, count, words, &result[0])) return false;
        if (i + 1 == lanes) {
            floats[i / 2] = result[0];
            break;
        }
        for (unsigned k = 0; k < count; k++) words[k] = tw__sel_word(wide[k][i / 2], 1);
        i++;
        if (!each(s, what, count, words, &result[1])) return false;
        floats[i / 2] = tw__sel_join(s, result, 2);
    }
    if (is_half) tw__sel_narrow(s, shape, made, out);
    return true;
}

static bool real_each_row(tw__sel *s, const void *what, unsigned count, const tw__sel_part *words,
                          tw__sel_part *out)
{
    tw__mir_operand operands[3];
    for (unsigned k = 0; k < count; k++) operands[k] = IN(words[k]);
    *out = tw__sel_make(s, *(const uint16_t *)what, count, operands);
    return true;
}

static bool real_each_call(tw__sel *s, const void *what, unsigned count, const tw__sel_part *words,
                           tw__sel_part *out)
{
    const tw__sel_shape shapes[] = { real_f32, real_f32, real_f32 };
    tw__sel_part copies[3] = { words[0], words[1], words[2] };
    tw__sel_part *arguments[] = { &copies[0], &copies[1], &copies[2] };
    return tw__sel_runtime(s, what, count, shapes, arguments, &real_f32, out);
}

bool tw__sel_real_lanes(tw__sel *s, const tw__sel_real_rows *rows, const tw__sel_shape *shape, unsigned count,
                        tw__sel_part *const *arguments, tw__sel_part *out)
{
    if (!real_is_possible(s, shape)) return false;
    if (!tw__sel_real_row(rows, shape->lane, 1))
        return real_each_float(s, shape, count, arguments, real_each_row, &rows->f32, out);
    for (unsigned i = 0; i < shape->parts; i++) {
        unsigned words = arguments[0][i].words, step = tw__sel_real_row(rows, shape->lane, words) ? words : 1;
        tw__sel_part made[2];
        for (unsigned word = 0; word < words; word += step) {
            tw__mir_operand operands[3];
            for (unsigned k = 0; k < count; k++)
                operands[k] = IN(step == words ? arguments[k][i] : tw__sel_word(arguments[k][i], word));
            made[word] = tw__sel_make(s, tw__sel_real_row(rows, shape->lane, step), count, operands);
        }
        out[i] = step == words ? made[0] : tw__sel_join(s, made, words);
    }
    return true;
}

bool tw__sel_real_call(tw__sel *s, const char *name, const char *double_name, const tw__sel_shape *shape,
                       unsigned count, tw__sel_part *const *arguments, tw__sel_part *out)
{
    if (!real_is_possible(s, shape)) return false;
    if (shape->lane != TW__SEL_F64) return real_each_float(s, shape, count, arguments, real_each_call, name, out);
    for (unsigned lane = 0; lane < (shape->lanes ? shape->lanes : 1); lane++) {
        const tw__sel_shape shapes[] = { real_f64, real_f64, real_f64 };
        tw__sel_part *one[3];
        for (unsigned k = 0; k < count; k++) one[k] = arguments[k] + 2 * lane;
        if (!tw__sel_runtime(s, double_name, count, shapes, one, &real_f64, out + 2 * lane)) return false;
    }
    return true;
}

/* --- arithmetic ------------------------------------------------------------------------------------------------- */

#define REAL(op) { TW__OP_f32##op, TW__OP_f32v2##op, TW__OP_f16v2##op, TW__OP_f16v4##op }

static const struct {
    LLVMOpcode opcode;
    tw__sel_real_rows rows;
    const char *call, *double_call;
} real_rows[] = {
    { LLVMFAdd, REAL(add), NULL, "__adddf3" },     { LLVMFSub, REAL(sub), NULL, "__subdf3" },
    { LLVMFMul, REAL(mul), NULL, "__muldf3" },     { LLVMFDiv, { TW__OP_f32div, 0, 0, 0 }, NULL, "__divdf3" },
    { LLVMFRem, { 0, 0, 0, 0 }, "fmodf", "fmod" },
};

bool tw__sel_real(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(instruction));
    if (s->has_failed || !real_is_possible(s, &shape)) return false;
    tw__sel_part *arguments[2];
    for (unsigned k = 0; k < 2; k++) arguments[k] = tw__sel_parts(s, LLVMGetOperand(instruction, k));
    unsigned i = 0;
    while (real_rows[i].opcode != LLVMGetInstructionOpcode(instruction)) i++;
    if (real_rows[i].call || shape.lane == TW__SEL_F64)
        return tw__sel_real_call(s, real_rows[i].call, real_rows[i].double_call, &shape, 2, arguments, out);
    return tw__sel_real_lanes(s, &real_rows[i].rows, &shape, 2, arguments, out);
}

bool tw__sel_negate(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(value));
    const tw__sel_part *parts = tw__sel_parts(s, value);
    for (unsigned i = 0; i < shape.parts && !s->has_failed; i++) {
        out[i] = parts[i];
        if (shape.lane == TW__SEL_F64 && !(i % 2)) continue; /* the sign is in the upper word */
        if (parts[i].file == TW__MIR_MAIN) {
            tw__sel_part sign = tw__sel_constant(s, tw__sel_sign_bits(&shape), TW__MIR_MAIN);
            out[i] = MAKE(s, TW__OP_xor, IN(parts[i]), IN(sign));
            continue;
        }
        tw__sel_part sign = tw__sel_all(s, tw__sel_sign_bits(&shape), parts[i].words); /* there is no xor */
        tw__sel_part turned = tw__sel_aux_andc(s, sign, parts[i]), kept = tw__sel_aux_andc(s, parts[i], sign);
        out[i] = tw__sel_aux_or(s, kept, turned);
    }
    return true;
}

/* --- conversions ------------------------------------------------------------------------------------------------ */

/* Functions of the runtime library, by what is known of the two types: [is_signed][from or to 64 bits]. */
static const char *const real_from_double[2][2] = { { "__fixunsdfsi", "__fixunsdfdi" },
                                                    { "__fixdfsi", "__fixdfdi" } };
static const char *const real_from_float[2] = { "__fixunssfdi", "__fixsfdi" };
static const char *const real_to_double[2][2] = { { "__floatunsidf", "__floatundidf" },
                                                  { "__floatsidf", "__floatdidf" } };
static const char *const real_to_float[2] = { "__floatundisf", "__floatdisf" };

static bool real_call1(tw__sel *s, const char *name, const tw__sel_shape *from, tw__sel_part *x,
                       const tw__sel_shape *to, tw__sel_part *out)
{
    tw__sel_part *arguments[] = { x };
    return tw__sel_runtime(s, name, 1, from, arguments, to, out);
}

/* One lane of type `from`, a float if it was a half, to an integer. */
static bool real_to_integer(tw__sel *s, tw__sel_lane from, tw__sel_part *x, unsigned bits, bool is_signed,
                            tw__sel_part *out)
{
    static const tw__sel_shape wide = { .lane = TW__SEL_INT, .bits = 64, .parts = 2 };
    const tw__sel_shape *to = bits > 32 ? &wide : &real_word;
    if (from == TW__SEL_F64) return real_call1(s, real_from_double[is_signed][bits > 32], &real_f64, x, to, out);
    if (bits > 32) return real_call1(s, real_from_float[is_signed], &real_f32, x, to, out);
    tw__sel_part cut = MAKE(s, TW__OP_f32int, IN(*x), NUM(3)); /* towards zero */
    *out = MAKE(s, TW__OP_atom,
                IN(is_signed ? MAKE(s, TW__OP_f32toi32, IN(cut)) : MAKE(s, TW__OP_f32toui32, IN(cut))));
    return true;
}

static bool real_of_integer(tw__sel *s, tw__sel_part *x, unsigned bits, bool is_signed, tw__sel_lane to,
                            tw__sel_part *out)
{
    static const tw__sel_shape wide = { .lane = TW__SEL_INT, .bits = 64, .parts = 2 };
    const tw__sel_shape *from = bits > 32 ? &wide : &real_word;
    if (to == TW__SEL_F64) return real_call1(s, real_to_double[is_signed][bits > 32], from, x, &real_f64, out);
    if (bits > 32) return real_call1(s, real_to_float[is_signed], from, x, &real_f32, out);
    tw__sel_part word = tw__sel_to(s, *x, TW__MIR_AUX);
    *out = is_signed ? MAKE(s, TW__OP_f32fromi32, IN(word)) : MAKE(s, TW__OP_f32fromui32, IN(word));
    return true;
}

/* Floats, one a lane, as parts of a vector of floats or halves. */
static void real_pack(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *lanes, tw__sel_part *out)
{
    unsigned count = shape->lanes ? shape->lanes : 1;
    tw__sel_part floats[TW__SEL_PARTS];
    for (unsigned i = 0; i < count; i += 2)
        floats[i / 2] = i + 1 < count ? tw__sel_join(s, lanes + i, 2) : lanes[i];
    if (shape->lane == TW__SEL_F16)
        tw__sel_narrow(s, shape, floats, out);
    else
        memcpy(out, floats, shape->parts * sizeof *out);
}

static bool real_integers(tw__sel *s, LLVMValueRef value, const tw__sel_shape *from, const tw__sel_shape *to,
                          bool is_signed, tw__sel_part *out)
{
    unsigned lanes = to->lanes ? to->lanes : 1, step = to->bits > 32 ? 2 : 1;
    tw__sel_part *parts = tw__sel_parts(s, value), floats[TW__SEL_PARTS];
    if (from->lane == TW__SEL_F16) {
        tw__sel_widen(s, from, parts, floats);
        parts = floats;
    }
    for (unsigned lane = 0; lane < lanes; lane++) {
        tw__sel_part word[2];
        if (from->lane == TW__SEL_F64)
            memcpy(word, parts + 2 * lane, sizeof word);
        else
            word[0] = tw__sel_word(parts[lane / 2], lane % 2);
        if (!real_to_integer(s, from->lane, word, to->bits, is_signed, out + step * lane)) return false;
    }
    return true;
}

static bool real_reals(tw__sel *s, LLVMValueRef value, const tw__sel_shape *from, const tw__sel_shape *to,
                       bool is_signed, tw__sel_part *out)
{
    unsigned lanes = to->lanes ? to->lanes : 1, step = from->bits > 32 ? 2 : 1;
    tw__sel_part floats[TW__SEL_PARTS];
    for (unsigned lane = 0; lane < lanes; lane++) {
        tw__sel_part word[2];
        if (!from->lanes && step == 2)
            tw__sel_extended2(s, value, is_signed, word);
        else if (!from->lanes)
            word[0] = tw__sel_extended(s, value, is_signed);
        else
            memcpy(word, tw__sel_parts(s, value) + step * lane, step * sizeof *word);
        if (from->lanes)
            word[step - 1] = tw__sel_extend(s, word[step - 1], from->bits - 32 * (step - 1), is_signed);
        tw__sel_part *to_lane = to->lane == TW__SEL_F64 ? out + 2 * lane : floats + lane;
        if (!real_of_integer(s, word, from->bits, is_signed, to->lane, to_lane)) return false;
    }
    if (to->lane != TW__SEL_F64) real_pack(s, to, floats, out);
    return true;
}

static bool real_resize(tw__sel *s, LLVMValueRef value, const tw__sel_shape *from, const tw__sel_shape *to,
                        tw__sel_part *out)
{
    unsigned lanes = to->lanes ? to->lanes : 1;
    tw__sel_part *parts = tw__sel_parts(s, value), floats[TW__SEL_PARTS];
    if (from->lane == TW__SEL_F64) {
        for (unsigned lane = 0; lane < lanes; lane++)
            if (!real_call1(s, "__truncdfsf2", &real_f64, parts + 2 * lane, &real_f32, &floats[lane])) return false;
        real_pack(s, to, floats, out);
        return true;
    }
    if (to->lane == TW__SEL_F16) {
        tw__sel_narrow(s, to, parts, out);
        return true;
    }
    tw__sel_part *wide = to->lane == TW__SEL_F64 ? floats : out;
    if (from->lane == TW__SEL_F16)
        tw__sel_widen(s, from, parts, wide);
    else
        wide = parts;
    for (unsigned lane = 0; to->lane == TW__SEL_F64 && lane < lanes; lane++) {
        tw__sel_part word = tw__sel_word(wide[lane / 2], lane % 2);
        if (!real_call1(s, "__extendsfdf2", &real_f32, &word, &real_f64, out + 2 * lane)) return false;
    }
    return true;
}

bool tw__sel_real_convert(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    tw__sel_shape from = tw__sel_shape_of(s, LLVMTypeOf(value)), to = tw__sel_shape_of(s, LLVMTypeOf(instruction));
    if (s->has_failed || !real_is_possible(s, from.lane == TW__SEL_INT ? &to : &from)) return false;
    if (to.lane == TW__SEL_INT) return real_integers(s, value, &from, &to, opcode == LLVMFPToSI, out);
    if (from.lane == TW__SEL_INT) return real_reals(s, value, &from, &to, opcode == LLVMSIToFP, out);
    return real_resize(s, value, &from, &to, out);
}
