/* SPDX-License-Identifier: MIT */
/* Intrinsics on numbers with a fraction. */
#include "poplar/colossus/cc/sel/intrinsic.h"

#define REAL(op) { TW__OP_f32##op, TW__OP_f32v2##op, TW__OP_f16v2##op, TW__OP_f16v4##op }

/* Instructions, or a function of the library. A name that ends in f is that of float, the other that of double. */
static const struct math_row {
    const char *name;
    tw__sel_real_rows rows;
    const char *call, *double_call;
    unsigned operands;
} math_rows[] = {
    { "minnum", REAL(min), NULL, "fmin", 2 },
    { "maxnum", REAL(max), NULL, "fmax", 2 },
    { "sqrt", { TW__OP_f32sqrt, 0, 0, 0 }, NULL, "sqrt", 1 },
    { "exp", { TW__OP_f32exp, 0, TW__OP_f16v2exp, 0 }, NULL, "exp", 1 },
    { "exp2", { TW__OP_f32exp2, 0, TW__OP_f16v2exp2, 0 }, NULL, "exp2", 1 },
    { "log", { TW__OP_f32ln, 0, TW__OP_f16v2ln, 0 }, NULL, "log", 1 },
    { "log2", { TW__OP_f32log2, 0, TW__OP_f16v2log2, 0 }, NULL, "log2", 1 },
    { "tanh", { TW__OP_f32tanh, 0, TW__OP_f16v2tanh, 0 }, NULL, "tanh", 1 },
    { "log10", { 0 }, "log10f", "log10", 1 },
    { "exp10", { 0 }, "exp10f", "exp10", 1 },
    { "sin", { 0 }, "sinf", "sin", 1 },
    { "cos", { 0 }, "cosf", "cos", 1 },
    { "tan", { 0 }, "tanf", "tan", 1 },
    { "asin", { 0 }, "asinf", "asin", 1 },
    { "acos", { 0 }, "acosf", "acos", 1 },
    { "atan", { 0 }, "atanf", "atan", 1 },
    { "sinh", { 0 }, "sinhf", "sinh", 1 },
    { "cosh", { 0 }, "coshf", "cosh", 1 },
    { "pow", { 0 }, "powf", "pow", 2 },
    { "fma", { 0 }, "fmaf", "fma", 3 },
};

/* Rounding to integral numbers: the mode of f32int. */
static const struct {
    const char *name;
    unsigned mode;
    const char *double_call;
} math_roundings[] = {
    { "floor", 2, "floor" },         { "ceil", 1, "ceil" },           { "trunc", 3, "trunc" },
    { "rint", 0, "rint" },           { "nearbyint", 0, "nearbyint" }, { "round", 4, "round" },
    { "roundeven", 0, "roundeven" },
};

bool tw__sel_is_named(const char *name, const char *base)
{
    size_t length = strlen(base);
    name += strlen("llvm.");
    return strncmp(name, base, length) == 0 && (!name[length] || name[length] == '.');
}

static bool math_round(tw__sel *s, unsigned mode, const char *double_call, const tw__sel_shape *shape,
                       tw__sel_part *x, tw__sel_part *out)
{
    tw__sel_part wide[TW__SEL_PARTS], made[TW__SEL_PARTS];
    bool is_half = shape->lane == TW__SEL_F16;
    if (shape->lane == TW__SEL_F64) return tw__sel_real_call(s, NULL, double_call, shape, 1, &x, out);
    if (s->f->in_supervisor)
        return tw__sel_refuse(s, "cc.supervisor", "a supervisor has no floating point; let a worker compute");
    if (is_half) tw__sel_widen(s, shape, x, wide);
    const tw__sel_part *from = is_half ? wide : x;
    unsigned count = ((shape->lanes ? shape->lanes : 1) + 1) / 2;
    for (unsigned i = 0; i < count; i++) {
        tw__sel_part words[2];
        for (unsigned k = 0; k < from[i].words; k++)
            words[k] = MAKE(s, TW__OP_f32int, IN(tw__sel_word(from[i], k)), NUM(mode));
        made[i] = from[i].words == 1 ? words[0] : tw__sel_join(s, words, 2);
    }
    if (is_half)
        tw__sel_narrow(s, shape, made, out);
    else
        memcpy(out, made, shape->parts * sizeof *out);
    return true;
}

/* |x|, and x with the sign of y (NULL: without one). */
static bool math_signs(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *x, const tw__sel_part *y,
                       tw__sel_part *out)
{
    for (unsigned i = 0; i < shape->parts; i++) {
        out[i] = x[i];
        if (shape->lane == TW__SEL_F64 && !(i % 2)) continue; /* the sign is in the upper word */
        if (x[i].file == TW__MIR_MAIN) {
            tw__sel_part sign = tw__sel_constant(s, tw__sel_sign_bits(shape), TW__MIR_MAIN);
            out[i] = MAKE(s, TW__OP_andc_m, IN(x[i]), IN(sign));
            if (y) out[i] = MAKE(s, TW__OP_or_m, IN(out[i]), IN(MAKE(s, TW__OP_and_m, IN(y[i]), IN(sign))));
            continue;
        }
        if (!y && shape->lane == TW__SEL_F32 && x[i].words == 1) {
            out[i] = MAKE(s, TW__OP_andc_ai, IN(x[i]), NUM(0x80000000));
            continue;
        }
        tw__sel_part sign = tw__sel_all(s, tw__sel_sign_bits(shape), x[i].words);
        out[i] = tw__sel_aux_andc(s, x[i], sign);
        if (y) out[i] = tw__sel_aux_or(s, out[i], tw__sel_aux_and(s, y[i], sign));
    }
    return true;
}

static bool math_muladd(tw__sel *s, const tw__sel_shape *shape, tw__sel_part **x, tw__sel_part *out)
{
    static const tw__sel_real_rows mul = REAL(mul), add = REAL(add);
    tw__sel_part product[TW__SEL_PARTS];
    if (shape->lane == TW__SEL_F64)
        return tw__sel_real_call(s, NULL, "__muldf3", shape, 2, x, product) &&
               tw__sel_real_call(s, NULL, "__adddf3", shape, 2, (tw__sel_part *[]){ product, x[2] }, out);
    return tw__sel_real_lanes(s, &mul, shape, 2, x, product) &&
           tw__sel_real_lanes(s, &add, shape, 2, (tw__sel_part *[]){ product, x[2] }, out);
}

/* Minimum and maximum that a NaN wins. */
static bool math_propagate(tw__sel *s, bool wants_most, const tw__sel_shape *shape, tw__sel_part **x,
                           tw__sel_part *out)
{
    static const tw__sel_real_rows min = REAL(min), max = REAL(max), add = REAL(add);
    tw__sel_part sum[TW__SEL_PARTS], masks[TW__SEL_PARTS], chosen[TW__SEL_PARTS];
    bool is_inverse;
    if (shape->lane == TW__SEL_F64) return false;
    if (!tw__sel_real_lanes(s, wants_most ? &max : &min, shape, 2, x, chosen)) return false;
    tw__sel_real_lanes(s, &add, shape, 2, x, sum);
    tw__sel_real_mask(s, LLVMRealUNO, shape, x[0], x[1], masks, &is_inverse);
    for (unsigned i = 0; i < shape->parts; i++) out[i] = tw__sel_mask_blend(s, masks[i], sum[i], chosen[i]);
    return true;
}

/* To an integer, the nearest one where it does not fit, 0 for a NaN: as the instruction does. */
static bool math_saturated(tw__sel *s, LLVMValueRef call, bool is_signed, tw__sel_part *out)
{
    LLVMValueRef value = LLVMGetOperand(call, 0);
    tw__sel_shape from = tw__sel_shape_of(s, LLVMTypeOf(value)), to = tw__sel_shape_of(s, LLVMTypeOf(call));
    tw__sel_part *parts = tw__sel_parts(s, value), floats[TW__SEL_PARTS];
    if (from.lane == TW__SEL_F64 || to.bits > 32) return false;
    if (from.lane == TW__SEL_F16) {
        tw__sel_widen(s, &from, parts, floats);
        parts = floats;
    }
    for (unsigned lane = 0; lane < (to.lanes ? to.lanes : 1); lane++) {
        tw__sel_part cut = MAKE(s, TW__OP_f32int, IN(tw__sel_word(parts[lane / 2], lane % 2)), NUM(3));
        tw__sel_part word = is_signed ? MAKE(s, TW__OP_f32toi32, IN(cut)) : MAKE(s, TW__OP_f32toui32, IN(cut));
        out[lane] = MAKE(s, TW__OP_atom, IN(word));
        if (to.bits == 32) continue;
        int64_t most = is_signed ? INT32_MAX >> (32 - to.bits) : UINT32_MAX >> (32 - to.bits);
        tw__sel_part top = tw__sel_constant(s, (uint32_t)most, TW__MIR_MAIN);
        if (is_signed) {
            out[lane] = MAKE(s, TW__OP_min_m, IN(out[lane]), IN(top));
            out[lane] =
                MAKE(s, TW__OP_max_m, IN(out[lane]), IN(tw__sel_constant(s, (uint32_t)~most, TW__MIR_MAIN)));
        } else {
            tw__sel_part below = MAKE(s, TW__OP_cmpult_m, IN(out[lane]), IN(top));
            out[lane] = tw__sel_choose(s, below, out[lane], top);
        }
    }
    return true;
}

/* Functions of a number and an integer: powi, ldexp. */
static bool math_scaled(tw__sel *s, LLVMValueRef call, const char *name, const char *double_name, tw__sel_part *out)
{
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(call)),
                  single = { .lane = TW__SEL_F32, .bits = 32, .parts = 1 };
    static const tw__sel_shape word = { .lane = TW__SEL_INT, .bits = 32, .parts = 1 };
    if (shape.lanes) return false;
    tw__sel_part *x = tw__sel_parts(s, LLVMGetOperand(call, 0)), wide[1];
    tw__sel_part n = tw__sel_extended(s, LLVMGetOperand(call, 1), true);
    bool is_half = shape.lane == TW__SEL_F16, is_double = shape.lane == TW__SEL_F64;
    if (is_half) {
        tw__sel_widen(s, &shape, x, wide);
        x = wide;
    }
    const tw__sel_shape shapes[] = { is_double ? shape : single, word };
    tw__sel_part *arguments[] = { x, &n }, made[2];
    if (!tw__sel_runtime(s, is_double ? double_name : name, 2, shapes, arguments, &shapes[0], made)) return false;
    if (is_half)
        tw__sel_narrow(s, &shape, made, out);
    else
        memcpy(out, made, shape.parts * sizeof *out);
    return true;
}

bool tw__sel_math(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out)
{
    if (!LLVMGetNumArgOperands(call)) return false;
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(LLVMGetOperand(call, 0)));
    if (shape.lane != TW__SEL_F16 && shape.lane != TW__SEL_F32 && shape.lane != TW__SEL_F64) return false;
    if (tw__sel_is_named(name, "powi")) return math_scaled(s, call, "__powisf2", "__powidf2", out);
    if (tw__sel_is_named(name, "ldexp")) return math_scaled(s, call, "ldexpf", "ldexp", out);
    tw__sel_part *x[3];
    for (unsigned i = 0; i < MIN(LLVMGetNumArgOperands(call), 3); i++)
        x[i] = tw__sel_parts(s, LLVMGetOperand(call, i));
    for (size_t i = 0; i < G_N_ELEMENTS(math_rows); i++) {
        const struct math_row *row = &math_rows[i];
        if (!tw__sel_is_named(name, row->name)) continue;
        if (row->call || shape.lane == TW__SEL_F64)
            return tw__sel_real_call(s, row->call, row->double_call, &shape, row->operands, x, out);
        return tw__sel_real_lanes(s, &row->rows, &shape, row->operands, x, out);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(math_roundings); i++)
        if (tw__sel_is_named(name, math_roundings[i].name))
            return math_round(s, math_roundings[i].mode, math_roundings[i].double_call, &shape, x[0], out);
    if (tw__sel_is_named(name, "fabs")) return math_signs(s, &shape, x[0], NULL, out);
    if (tw__sel_is_named(name, "copysign")) return math_signs(s, &shape, x[0], x[1], out);
    if (tw__sel_is_named(name, "fmuladd")) return math_muladd(s, &shape, x, out);
    if (tw__sel_is_named(name, "minimum")) return math_propagate(s, false, &shape, x, out);
    if (tw__sel_is_named(name, "maximum")) return math_propagate(s, true, &shape, x, out);
    if (tw__sel_is_named(name, "fptosi.sat")) return math_saturated(s, call, true, out);
    if (tw__sel_is_named(name, "fptoui.sat")) return math_saturated(s, call, false, out);
    if (tw__sel_is_named(name, "canonicalize")) {
        memcpy(out, x[0], shape.parts * sizeof *out);
        return true;
    }
    return false;
}
