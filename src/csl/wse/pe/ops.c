/* SPDX-License-Identifier: MIT */
/* ops: what each DSD operation does to elements, as kernels of core/vec or as a loop here, and how fast. */
#include "csl/wse/pe/pe.h"

#include <math.h>
#include <string.h>

/* Elements per cycle of operations on memory, WSE-2 and WSE-3: vendor document "SIMD width" (exact), fact sheet 6; on
 * WSE-3 a sum or product of 16-bit elements moves three streams, 4 elements a cycle (measured by others). @fmuls,
 * @fmacs are not listed there: 1 (measured), and 1 more where their sources meet in a bank (dsd.c). */
static const uint8_t widths[TW__CSL_DSD_OPS][2] = {
#define BOTH(name, a, b) [TW__CSL_OP_##name] = { a, b },
    BOTH(ADD16, 4, 4) BOTH(SUB16, 4, 4) BOTH(AND16, 4, 4) BOTH(OR16, 4, 4) BOTH(XOR16, 4, 4) BOTH(MOV16, 4, 8)
        BOTH(FABSH, 4, 8) BOTH(FADDH, 4, 4) BOTH(FSUBH, 4, 4) BOTH(FMULH, 4, 4) BOTH(FMACH, 4, 4) BOTH(FMOVH, 4, 8)
            BOTH(FNEGH, 4, 8) BOTH(FNORMH, 4, 8) BOTH(FSCALEH, 4, 8) BOTH(FABSS, 2, 4) BOTH(FADDS, 2, 4)
                BOTH(FADDHS, 2, 4) BOTH(FSUBS, 2, 4) BOTH(FMACHS, 2, 4) BOTH(FMOVS, 2, 4) BOTH(FNEGS, 2, 4)
                    BOTH(FNORMS, 2, 4) BOTH(FSCALES, 2, 4) BOTH(MOV32, 2, 4) BOTH(ADDC16, 1, 8) BOTH(FMAXH, 1, 8)
                        BOTH(FH2XP16, 1, 8) BOTH(XP162FH, 1, 8) BOTH(FMAXS, 1, 4) BOTH(FH2S, 1, 4) BOTH(FS2H, 1, 4)
                            BOTH(FS2XP16, 1, 4) BOTH(XP162FS, 1, 4) BOTH(SAR16, 1, 4) BOTH(SLL16, 1, 4)
                                BOTH(SLR16, 1, 4) BOTH(FMULS, 1, 1) BOTH(FMACS, 1, 1) BOTH(CLZ, 1, 1)
                                    BOTH(CTZ, 1, 1) BOTH(POPCNT, 1, 1) BOTH(DFILT, 1, 1)
#undef BOTH
};

unsigned tw__wse_op_width(unsigned op, unsigned arch)
{
    return widths[op][arch];
}

/* --- operations that core/vec does not have ------------------------------------------------------------------- */

static void *element(const tw_run *run, size_t k)
{
    return (void *)((uintptr_t)run->at + k * (uintptr_t)run->stride);
}

/* The carry goes from element to element and stays in the PE for the next operation. */
static void add_with_carry(tw__pe *pe, size_t n, const tw_run *args)
{
    for (size_t k = 0; k < n; k++) {
        uint16_t a, b;
        memcpy(&a, element(&args[1], k), 2);
        memcpy(&b, element(&args[2], k), 2);
        uint32_t sum = (uint32_t)a + b + pe->carry;
        memcpy(element(&args[0], k), &(uint16_t){ (uint16_t)sum }, 2);
        pe->carry = (uint8_t)(sum >> 16);
    }
}

/* Mantissa in [1, 2) with the sign; zero, infinity and NaN stay (assumed: the builtin is not documented further). */
static double mantissa(double v)
{
    int exponent;
    return v == 0 || !isfinite(v) ? v : 2 * frexp(v, &exponent);
}

static void norm_h(tw__pe *pe, size_t n, const tw_run *args)
{
    (void)pe;
    for (size_t k = 0; k < n; k++) {
        uint16_t h;
        memcpy(&h, element(&args[2], k), 2);
        h = tw_f64_to_f16(mantissa((double)tw_f16_to_f32(h)), TW_ROUND_NEAREST_EVEN, 0);
        memcpy(element(&args[0], k), &h, 2);
    }
}

static void norm_s(tw__pe *pe, size_t n, const tw_run *args)
{
    (void)pe;
    for (size_t k = 0; k < n; k++) {
        float v;
        memcpy(&v, element(&args[2], k), 4);
        v = (float)mantissa((double)v);
        memcpy(element(&args[0], k), &v, 4);
    }
}

static double scaled(double v, int16_t by)
{
    return ldexp(v, by); /* exact in f64 for all f32 and 16-bit exponents that matter; one rounding follows */
}

static void scale_h(tw__pe *pe, size_t n, const tw_run *args)
{
    (void)pe;
    for (size_t k = 0; k < n; k++) {
        uint16_t h;
        int16_t by;
        memcpy(&h, element(&args[1], k), 2);
        memcpy(&by, element(&args[2], k), 2);
        h = tw_f64_to_f16(scaled((double)tw_f16_to_f32(h), by), TW_ROUND_NEAREST_EVEN, 0);
        memcpy(element(&args[0], k), &h, 2);
    }
}

static void scale_s(tw__pe *pe, size_t n, const tw_run *args)
{
    (void)pe;
    for (size_t k = 0; k < n; k++) {
        float v;
        int16_t by;
        memcpy(&v, element(&args[1], k), 4);
        memcpy(&by, element(&args[2], k), 2);
        v = (float)scaled((double)v, by);
        memcpy(element(&args[0], k), &v, 4);
    }
}

static void drop(tw__pe *pe, size_t n, const tw_run *args)
{
    (void)pe, (void)n, (void)args;
}

/* --- the table ------------------------------------------------------------------------------------------------ */

/* Kernel of core/vec, its operand types, and which operand of the builtin (0 dst, 1 src0, 2 src1, 3 src2) each is. */
typedef struct op_kernel {
    tw_vec_op op;
    tw_type type[4];
    uint8_t order[4];
    tw__special *special;
    bool to_int; /* rounds towards zero and saturates */
} op_kernel;

static const op_kernel kernels[TW__CSL_DSD_OPS] = {
#define ONE(name, vec, to, from) \
    [TW__CSL_OP_##name] = { TW_VEC_##vec, { TW_##to, TW_##from }, { 0, 2 }, NULL, false },
#define TWO(name, vec, to, a, b) \
    [TW__CSL_OP_##name] = { TW_VEC_##vec, { TW_##to, TW_##a, TW_##b }, { 0, 1, 2 }, NULL, false },
/* src0 + src1 * src2: a and b of the kernel are the factors. f32 rounds the product and the sum: published programs
 * that compare with a host's f32 arithmetic bit by bit hold. */
#define FMA(name, vec, to, acc, a, b) \
    [TW__CSL_OP_##name] = { TW_VEC_##vec, { TW_##to, TW_##a, TW_##b, TW_##acc }, { 0, 2, 3, 1 }, NULL, false },
#define OWN(name, function) [TW__CSL_OP_##name] = { .special = function },
    ONE(MOV16, COPY, U16, U16) ONE(MOV32, COPY, U32, U32) ONE(FMOVH, COPY, U16, U16) ONE(FMOVS, COPY, U32, U32)
        TWO(ADD16, ADD, U16, U16, U16) TWO(SUB16, SUB, U16, U16, U16) TWO(AND16, AND, U16, U16, U16)
            TWO(OR16, OR, U16, U16, U16) TWO(XOR16, XOR, U16, U16, U16) TWO(SLL16, SHL, U16, U16, U16)
                TWO(SLR16, SHR, U16, U16, U16) TWO(SAR16, SAR, I16, I16, U16) ONE(CLZ, CLZ, U16, U16)
                    ONE(CTZ, CTZ, U16, U16) ONE(POPCNT, POPCOUNT, U16, U16) TWO(FADDH, ADD, F16, F16, F16)
                        TWO(FSUBH, SUB, F16, F16, F16) TWO(FMULH, MUL, F16, F16, F16) TWO(FMAXH, MAX, F16, F16, F16)
                            TWO(FADDS, ADD, F32, F32, F32) TWO(FSUBS, SUB, F32, F32, F32)
                                TWO(FMULS, MUL, F32, F32, F32) TWO(FMAXS, MAX, F32, F32, F32)
                                    TWO(FADDHS, ADD, F32, F32, F16) FMA(FMACH, FMA, F16, F16, F16, F16)
                                        FMA(FMACHS, FMA, F32, F32, F16, F16) FMA(FMACS, MULADD, F32, F32, F32, F32)
                                            ONE(FNEGH, NEG, F16, F16) ONE(FNEGS, NEG, F32, F32)
                                                ONE(FABSH, ABS, F16, F16) ONE(FABSS, ABS, F32, F32)
                                                    ONE(FH2S, CONVERT, F32, F16) ONE(FS2H, CONVERT, F16, F32)
                                                        ONE(XP162FH, CONVERT, F16, I16)
                                                            ONE(XP162FS, CONVERT, F32,
                                                                I16)[TW__CSL_OP_FH2XP16] = { TW_VEC_CONVERT,
                                                                                             { TW_I16, TW_F16 },
                                                                                             { 0, 2 },
                                                                                             NULL,
                                                                                             true },
    [TW__CSL_OP_FS2XP16] = { TW_VEC_CONVERT, { TW_I16, TW_F32 }, { 0, 2 }, NULL, true },
    OWN(ADDC16, add_with_carry) OWN(FNORMH, norm_h) OWN(FNORMS, norm_s) OWN(FSCALEH, scale_h) OWN(FSCALES, scale_s)
        OWN(DFILT, drop)
#undef ONE
#undef TWO
#undef FMA
#undef OWN
};

tw_status tw__wse_kernels(tw__wse *w)
{
    for (unsigned op = 0; op < TW__CSL_DSD_OPS; op++) {
        const op_kernel *row = &kernels[op];
        tw__wse_kernel *k = &w->kernel[op];
        k->special = row->special;
        if (row->special) continue;
        tw_vec_mode mode = { .order = TW_ORDER_SEQUENTIAL };
        if (row->to_int) mode.rounding = TW_ROUND_ZERO, mode.saturation = TW_SAT_ON;
        tw_status status = tw_vec_resolve(row->op, row->type, &mode, &k->vec);
        if (status != TW_OK) return status;
        memcpy(k->order, row->order, sizeof k->order);
        k->args = (uint8_t)(1 + tw_vec_op_sources(row->op));
    }
    return TW_OK;
}
