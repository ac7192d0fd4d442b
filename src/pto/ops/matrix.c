/* SPDX-License-Identifier: MIT */
/* matrix: products of the cube. Accumulated in f32 with one rounding per step, or in i32, in the
 * order of k. The chips' order is not specified. */
#include "pto/pto.h"
#include "pto/ops/extra_kernels.h"

static const tw_window anywhere = { NULL, SIZE_MAX };

static unsigned at(const tw__pto_call *call, char letter)
{
    return (unsigned)tw__letter(call->row, letter);
}

static bool fp8(tw_type type)
{
    return type == TW_F8E4M3 || type == TW_F8E5M2;
}

static bool types_fit(const tw__pto_call *call, tw_type c, tw_type a, tw_type b)
{
    if (c == TW_I32) return a == TW_I8 && b == TW_I8;
    if (c != TW_F32) return false;
    if (a == b && (a == TW_F16 || a == TW_BF16 || a == TW_F32)) return true;
    return call->target != TW_PTO_A2A3 && ((fp8(a) && fp8(b)) || (a == TW_HIF8 && b == TW_HIF8));
}

static tw_status check_operands(tw__pto_call *call)
{
    unsigned ia = at(call, 'a'), ib = at(call, 'b');
    const tw_pto_tile *c = tw__tile(call, 0), *a = tw__tile(call, ia), *b = tw__tile(call, ib);
    if (c->location != TW_PTO_ACC) return tw__pto_refuse(call, 0, "location.acc", "dst must lie in L0C (acc)");
    if (a->location != TW_PTO_LEFT)
        return tw__pto_refuse(call, ia, "location.left", "the left operand must lie in L0A (left)");
    if (b->location != TW_PTO_RIGHT)
        return tw__pto_refuse(call, ib, "location.right", "the right operand must lie in L0B (right)");
    bool chip = call->target != TW_PTO_CPU;
    if (a->cols != b->rows || (chip ? a->rows != c->rows : a->rows > c->rows) ||
        (chip ? b->cols != c->cols : b->cols > c->cols))
        return tw__pto_refuse(call, ib, "matmul.extents", "%u x %u times %u x %u does not give %u x %u", a->rows,
                              a->cols, b->rows, b->cols, c->rows, c->cols);
    if (!tw__same(a->valid_cols, b->valid_rows))
        return tw__pto_refuse(call, ib, "matmul.k", "%u valid columns times %u valid rows", a->valid_cols,
                              b->valid_rows);
    if (!tw__at_most(a->valid_rows, c->rows) || !tw__at_most(b->valid_cols, c->cols))
        return tw__pto_refuse(call, 0, "matmul.extents", "the product does not fit dst");
    for (unsigned i = 0; i < 2; i++) {
        const tw_pto_tile *t = i ? b : a;
        if (call->target == TW_PTO_CPU || (t->valid_rows == TW_PTO_DYNAMIC || t->valid_cols == TW_PTO_DYNAMIC))
            continue;
        if (t->valid_rows < 1 || t->valid_rows > 4095 || t->valid_cols < 1 || t->valid_cols > 4095)
            return tw__pto_refuse(call, i ? ib : ia, "matmul.range", "extents go from 1 to 4095");
    }
    if (strncmp(call->row->mnemonic, "tgemv", 5) == 0 && a->valid_rows != TW_PTO_DYNAMIC && a->valid_rows != 1)
        return tw__pto_refuse(call, ia, "gemv.rows", "the left operand has one valid row");
    if (call->target == TW_PTO_CPU) return TW_OK;
    if (a->slayout != TW_PTO_BOX_ROW || (call->target == TW_PTO_A2A3 && a->blayout != TW_PTO_ROW_MAJOR))
        return tw__pto_refuse(call, ia, "layout.cube",
                              call->target == TW_PTO_A2A3
                                  ? "the left operand must be row-major with boxes in row-major order (Zz)"
                                  : "the left operand's boxes must be row-major inside");
    if (b->slayout != TW_PTO_BOX_COL || b->blayout != TW_PTO_ROW_MAJOR)
        return tw__pto_refuse(call, ib, "layout.cube",
                              "the right operand must be row-major with column-major boxes (Zn)");
    if (c->slayout != TW_PTO_BOX_ROW || c->blayout != TW_PTO_COL_MAJOR)
        return tw__pto_refuse(call, 0, "layout.cube",
                              "the accumulator must be column-major with row-major boxes (Nz, fractal 1024)");
    return TW_OK;
}

/* Accumulator read and bias. */
static tw_status check_extras(tw__pto_call *call)
{
    const tw_pto_tile *c = tw__tile(call, 0);
    if (tw__letter(call->row, 'c') >= 0) {
        const tw_pto_tile *in = tw__tile(call, at(call, 'c'));
        if (in->location != TW_PTO_ACC || in->type != c->type || in->rows != c->rows || in->cols != c->cols)
            return tw__pto_refuse(call, at(call, 'c'), "matmul.acc", "the accumulator read is like dst");
    }
    if (tw__letter(call->row, 'f') >= 0) {
        const tw_pto_tile *bias = tw__tile(call, at(call, 'f'));
        if (bias->location != TW_PTO_BIAS || bias->type != c->type || bias->rows != 1 || bias->cols < c->valid_cols)
            return tw__pto_refuse(call, at(call, 'f'), "matmul.bias",
                                  "the bias is one row of dst's type and columns in the bias table");
    }
    return TW_OK;
}

tw_status tw__pto_check_matmul(tw__pto_call *call)
{
    const tw_pto_tile *c = tw__tile(call, 0), *a = tw__tile(call, at(call, 'a')),
                      *b = tw__tile(call, at(call, 'b'));
    tw_status status = check_operands(call);
    if (status == TW_OK && !types_fit(call, c->type, a->type, b->type))
        return tw__pto_refuse(call, 0, "matmul.types", "%s times %s does not accumulate in %s",
                              tw_type_name(a->type, TW_SYSTEM_PTO), tw_type_name(b->type, TW_SYSTEM_PTO),
                              tw_type_name(c->type, TW_SYSTEM_PTO));
    return status == TW_OK ? check_extras(call) : status;
}

/* f32 operands of a tile with a TF32 mode lose 13 bits first. */
static tw_status to_tf32(tw__pto_call *call, unsigned operand, tw__plane *p)
{
    const tw_pto_tile *t = tw__tile(call, operand);
    if (!t->tf32 || t->type != TW_F32) return TW_OK;
    tw__plane rounded = tw__plane_new(call->core, TW_F32, p->rows, p->cols);
    if (!rounded.at) return TW_E_NO_MEMORY;
    tw_status status = tw__plane_copy(&rounded, p);
    tw__extra_tf32((size_t)p->rows * p->cols, (float *)(void *)rounded.at, t->tf32 == TW_PTO_TF32_ROUND);
    *p = rounded;
    return status;
}

/* The sum is of the type of a and b where they are floats wider than c. */
static tw_status multiply(tw__pto_call *call, tw__plane a, tw__plane b)
{
    tw__plane c = call->plane[0];
    bool add = call->row->form[0] == 'D' || tw__letter(call->row, 'c') >= 0;
    c.rows = a.rows;
    c.cols = b.cols;
    if (tw__letter(call->row, 'c') >= 0) {
        tw__plane in = tw__plane_part(call->plane[at(call, 'c')], 0, c.rows, 0, c.cols);
        tw_status status = in.at == c.at ? TW_OK : tw__plane_copy(&c, &in);
        if (status != TW_OK) return status;
    }
    tw_view views[] = { tw__plane_view(&c), tw__plane_view(&a), tw__plane_view(&b) };
    tw_matmul_mode mode = { .accumulate = add, .fused = c.type == TW_F32 };
    if (a.type == TW_F64) mode.accumulator = TW_F64;
    tw_status status = tw_vec_matmul(&views[0], &views[1], &views[2], &mode, anywhere);
    if (status != TW_OK || tw__letter(call->row, 'f') < 0) return status;
    tw__plane bias = tw__plane_part(call->plane[at(call, 'f')], 0, 1, 0, c.cols);
    bias.row = 0;
    return tw__lanes(call, TW_VEC_ADD, NULL, c.rows, c.cols, (tw__plane[]){ c, c, bias }, 3);
}

tw_status tw__pto_run_matmul(tw__pto_call *call)
{
    tw__plane a = call->plane[at(call, 'a')], b = call->plane[at(call, 'b')];
    tw_status status = to_tf32(call, at(call, 'a'), &a);
    if (status == TW_OK) status = to_tf32(call, at(call, 'b'), &b);
    return status == TW_OK ? multiply(call, a, b) : status;
}

/* --- MX: a factor 2^(s - 127) per 32 elements along k ----------------------------------------------------------- */

enum { MX_GROUP = 32 };

static bool mx_types(tw_type a, tw_type b)
{
    bool fp4_a = a == TW_F4E1M2 || a == TW_F4E2M1, fp4_b = b == TW_F4E1M2 || b == TW_F4E2M1;
    return (fp8(a) && fp8(b)) || (fp4_a && fp4_b);
}

tw_status tw__pto_check_matmul_mx(tw__pto_call *call)
{
    const tw_pto_tile *c = tw__tile(call, 0), *a = tw__tile(call, at(call, 'a')),
                      *b = tw__tile(call, at(call, 'b'));
    const tw_pto_tile *sa = tw__tile(call, at(call, 'x')), *sb = tw__tile(call, at(call, 'y'));
    tw_status status = check_operands(call);
    if (status != TW_OK) return status;
    if (c->type != TW_F32 || !mx_types(a->type, b->type))
        return tw__pto_refuse(call, 0, "matmul.types", "f8 times f8 or f4 times f4 accumulates in f32");
    if (a->valid_cols != TW_PTO_DYNAMIC && a->valid_cols % 64)
        return tw__pto_refuse(call, at(call, 'a'), "mx.k", "%u columns are not a multiple of 64", a->valid_cols);
    if (sa->type != TW_F8E8M0 || sb->type != TW_F8E8M0)
        return tw__pto_refuse(call, at(call, 'x'), "mx.scale", "scales are f8e8m0");
    if (sa->location != TW_PTO_SCALE_LEFT || sb->location != TW_PTO_SCALE_RIGHT)
        return tw__pto_refuse(call, at(call, 'x'), "mx.scale", "scales lie in the scale memories");
    if (!tw__at_most(a->valid_rows, sa->rows) || sa->cols < a->cols / MX_GROUP ||
        !tw__at_most(b->valid_cols, sb->cols) || sb->rows < b->rows / MX_GROUP)
        return tw__pto_refuse(call, at(call, 'x'), "mx.scale",
                              "one scale per row (column) and 32 elements is needed");
    return check_extras(call);
}

/* Whether a scale takes values of 8-bit formats out of the range of f32, where their products may still be in it.
 * Only scales that are used count. */
static bool has_far_scale(const tw__pto_call *call, unsigned values, unsigned scales, bool turn)
{
    enum { FAR = 127 + 111, NAN_CODE = 255 }; /* 57344 is less than 2^16, and 2^(16 + 111) the last power of two */
    tw__plane v = call->plane[values], s = tw__plane_physical(call, scales);
    uint32_t rows = turn ? v.rows / MX_GROUP : v.rows, cols = turn ? v.cols : v.cols / MX_GROUP;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++) {
            unsigned char code = s.at[(ptrdiff_t)r * s.row + (ptrdiff_t)c * s.col];
            if (code > FAR && code != NAN_CODE) return true;
        }
    return false;
}

/* Values times scales in f32 or f64; `turn` has k along rows. */
static tw_status matrix_scaled(tw__pto_call *call, unsigned values, unsigned scales, bool turn, tw_type type,
                               tw__plane *out)
{
    tw__plane v = call->plane[values], s = tw__plane_physical(call, scales);
    tw__plane factor = tw__plane_new(call->core, type, s.rows, s.cols);
    *out = tw__plane_new(call->core, type, v.rows, v.cols);
    if (!out->at || !factor.at) return TW_E_NO_MEMORY;
    const tw_pto_tile *t = tw__tile(call, values);
    tw_status status = tw__tile_nibbles(t)
                           ? tw__nibble_widen(call, &v, t->type, out)
                           : tw__lanes(call, TW_VEC_CONVERT, NULL, v.rows, v.cols, (tw__plane[]){ *out, v }, 2);
    if (status == TW_OK)
        status = tw__lanes(call, TW_VEC_CONVERT, NULL, s.rows, s.cols, (tw__plane[]){ factor, s }, 2);
    uint32_t groups = (turn ? v.rows : v.cols) / MX_GROUP;
    for (uint32_t g = 0; status == TW_OK && g < groups; g++) {
        tw__plane part = turn ? tw__plane_part(*out, g * MX_GROUP, MX_GROUP, 0, v.cols)
                              : tw__plane_part(*out, 0, v.rows, g * MX_GROUP, MX_GROUP);
        tw__plane by = turn ? tw__plane_part(factor, g, 1, 0, v.cols) : tw__plane_part(factor, 0, v.rows, g, 1);
        if (turn)
            by.row = 0;
        else
            by.col = 0;
        status = tw__lanes(call, TW_VEC_MUL, NULL, part.rows, part.cols, (tw__plane[]){ part, part, by }, 3);
    }
    return status;
}

tw_status tw__pto_run_matmul_mx(tw__pto_call *call)
{
    tw__plane a, b;
    bool far = has_far_scale(call, at(call, 'a'), at(call, 'x'), false) ||
               has_far_scale(call, at(call, 'b'), at(call, 'y'), true);
    tw_type type = far ? TW_F64 : TW_F32;
    tw_status status = matrix_scaled(call, at(call, 'a'), at(call, 'x'), false, type, &a);
    if (status == TW_OK) status = matrix_scaled(call, at(call, 'b'), at(call, 'y'), true, type, &b);
    return status == TW_OK ? multiply(call, a, b) : status;
}
