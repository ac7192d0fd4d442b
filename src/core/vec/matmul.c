/* SPDX-License-Identifier: MIT */
/* matmul: c = a b on views of any strides and types. Operands are converted to the accumulator's type while they are
 * packed into contiguous panels; strips of 64 columns stay in the second-level cache over the whole depth. */
#include "core/vec/vec.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, DEPTH = 256 }; /* panels: a 256 x 256, b 256 x 64, sums 256 x 64 */

typedef struct plan {
    tw_vec_kernel load_a, load_b, load_c, store_c; /* conversions from and to memory */
    tw__strip *strip;
    size_t size; /* of the accumulator */
    bool direct; /* rows of c are of the accumulator's type and dense: whole strips need no room of their own */
    char *a, *b, *sums;
} plan;

static tw_status check_shapes(const tw_view *c, const tw_view *a, const tw_view *b, tw_window window)
{
    if (c->rank != 2 || a->rank != 2 || b->rank != 2 || c->extent[0] != a->extent[0] ||
        a->extent[1] != b->extent[0] || b->extent[1] != c->extent[1])
        return tw__fail(TW_E_INVALID_ARGUMENT, "matrices of %zu x %zu and %zu x %zu have no %zu x %zu product",
                        a->extent[0], a->extent[1], b->extent[0], b->extent[1], c->extent[0], c->extent[1]);
    tw_status status = tw_view_check(c, window);
    if (status == TW_OK) status = tw_view_check(a, window);
    return status == TW_OK ? tw_view_check(b, window) : status;
}

static tw_status choose_strip(plan *p, tw_type accumulator, bool fused)
{
    const tw__strips *strips = tw__level_of(tw__best_level())->strips;
    switch ((int)accumulator) {
    case TW_F32: p->strip = fused ? strips->f32_fused : strips->f32; break;
    case TW_F64: p->strip = fused ? strips->f64_fused : strips->f64; break;
    case TW_I32:
    case TW_U32: p->strip = strips->u32; break;
    case TW_I64:
    case TW_U64: p->strip = strips->u64; break;
    default:
        return tw__fail(TW_E_TYPE, "%s is not an accumulator of matrix products",
                        tw_type_name(accumulator, TW_SYSTEM_TILEWRIGHT));
    }
    p->size = tw_type_size(accumulator);
    return TW_OK;
}

static tw_type default_accumulator(tw_type c)
{
    const tw_type_info *info = tw_type_get(c);
    if (info->kind == TW_KIND_FLOAT) return c == TW_F64 ? TW_F64 : TW_F32;
    if (info->kind == TW_KIND_INT || info->kind == TW_KIND_UINT) return info->bits > 32 ? c : TW_I32;
    return TW_TYPE_NONE;
}

/* Halves to f32 and integers to wider ones are exact; a float where an integer accumulates (or the other way round
 * for 64 bits) would silently round and is refused. */
static tw_status make_plan(plan *p, tw_type c, tw_type a, tw_type b, const tw_matmul_mode *mode)
{
    tw_type acc = mode->accumulator ? mode->accumulator : default_accumulator(c);
    tw_status status = choose_strip(p, acc, mode->fused);
    if (status != TW_OK) return status;
    bool floats = tw_type_get(acc)->kind == TW_KIND_FLOAT;
    const tw_type operands[] = { a, b };
    for (int i = 0; i < 2; i++)
        if (tw_type_get(operands[i])->bits < 8 || (tw_type_get(operands[i])->kind == TW_KIND_FLOAT) != floats)
            return tw__fail(TW_E_TYPE, "%s does not accumulate in %s",
                            tw_type_name(operands[i], TW_SYSTEM_TILEWRIGHT),
                            tw_type_name(acc, TW_SYSTEM_TILEWRIGHT));
    tw_vec_mode out = { .rounding = mode->rounding, .saturation = mode->saturation };
    if (mode->rounding == TW_ROUND_STOCHASTIC)
        return tw__fail(TW_E_NOT_SUPPORTED, "matrix products have no stochastic rounding");
    bool same = c == acc && mode->saturation == TW_SAT_NONE && mode->rounding == TW_ROUND_NEAREST_EVEN;
    status = tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ acc, a }, NULL, &p->load_a);
    if (status == TW_OK) status = tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ acc, b }, NULL, &p->load_b);
    if (status == TW_OK) status = tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ acc, c }, NULL, &p->load_c);
    if (status == TW_OK)
        status = tw_vec_resolve(same ? TW_VEC_COPY : TW_VEC_CONVERT, (const tw_type[]){ c, acc },
                                same ? NULL : &out, &p->store_c);
    return status;
}

/* Part of a row of a matrix as a run. */
static tw_run row_run(const tw_view *m, size_t row, size_t column)
{
    uintptr_t at = (uintptr_t)m->base + row * (size_t)m->stride[0] + column * (size_t)m->stride[1];
    return (tw_run){ (void *)at, m->stride[1], 0 };
}

/* rows x columns of m from (row, column) on, to contiguous rows of `pitch` elements, zero beyond. */
static void pack(const tw_vec_kernel *convert, size_t size, const tw_view *m, size_t row, size_t rows,
                 size_t column, size_t columns, char *to, size_t padded_rows, size_t pitch)
{
    bool one = columns == pitch && m->stride[0] == m->stride[1] * (ptrdiff_t)columns; /* rows follow one another */
    size_t calls = one && rows > 0 ? 1 : rows, n = one ? rows * columns : columns;
    for (size_t r = 0; r < calls; r++) {
        const tw_run args[] = { { to, (ptrdiff_t)size, 0 }, row_run(m, row + r, column) };
        tw_vec_call(convert, n, args);
        to += n * size;
        if (one) continue;
        memset(to, 0, (pitch - columns) * size);
        to += (pitch - columns) * size;
    }
    memset(to, 0, (padded_rows - rows) * pitch * size);
}

static size_t at_most(size_t n, size_t limit)
{
    return n < limit ? n : limit;
}

/* Where the sums of a strip are: in c itself, or beside it. */
static char *sums_of(const plan *p, const tw_view *c, size_t row, size_t rows, size_t column, size_t columns,
                     size_t *pitch)
{
    bool direct = p->direct && rows % 4 == 0 && columns == TW__STRIP;
    *pitch = direct ? (size_t)c->stride[0] / p->size : TW__STRIP;
    return direct ? row_run(c, row, column).at : p->sums;
}

/* Rows [row, row + rows) of one strip of columns, over the whole depth. */
static void multiply(const plan *p, const tw_view *c, const tw_view *a, const tw_view *b, size_t row, size_t rows,
                     size_t column, size_t columns, bool accumulate)
{
    size_t depth = a->extent[1], padded = (rows + 3) / 4 * 4, pitch, k = 0;
    char *sums = sums_of(p, c, row, rows, column, columns, &pitch);
    if (accumulate && sums == p->sums)
        pack(&p->load_c, p->size, c, row, rows, column, columns, sums, padded, TW__STRIP);
    do { /* once for a depth of 0 too, which makes a NaN of c the canonical one */
        size_t part = at_most(depth - k, DEPTH);
        if (column == 0 || depth > DEPTH) /* else it is there from the strip before */
            pack(&p->load_a, p->size, a, row, rows, k, part, p->a, padded, part);
        pack(&p->load_b, p->size, b, k, part, column, columns, p->b, part, TW__STRIP);
        p->strip(padded, part, sums, pitch, p->a, p->b, accumulate || k > 0);
        k += part;
    } while (k < depth);
    for (size_t r = 0; sums == p->sums && r < rows; r++) {
        const tw_run args[] = { row_run(c, row + r, column),
                                { sums + r * TW__STRIP * p->size, (ptrdiff_t)p->size, 0 } };
        tw_vec_call(&p->store_c, columns, args);
    }
}

tw_status tw_vec_matmul(const tw_view *c, const tw_view *a, const tw_view *b, const tw_matmul_mode *mode,
                        tw_window window)
{
    static const tw_matmul_mode plain = { TW_TYPE_NONE, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE, false, false };
    plan p;
    if (!mode) mode = &plain;
    tw_status status = check_shapes(c, a, b, window);
    if (status == TW_OK) status = make_plan(&p, c->type, a->type, b->type, mode);
    if (status != TW_OK) return status;
    size_t m = c->extent[0], n = c->extent[1];
    p.direct = p.store_c.op == TW_VEC_COPY && c->stride[1] == (ptrdiff_t)p.size && c->stride[0] > 0 &&
               c->stride[0] % (ptrdiff_t)p.size == 0 && (uintptr_t)c->base % p.size == 0;
    if (m == 0 || n == 0) return TW_OK;
    size_t rows = (at_most(m, ROWS) + 3) / 4 * 4, depth = at_most(a->extent[1], DEPTH);
    size_t panel = (rows * depth + 15) / 16 * 16; /* whole cache lines, as the strips of 64 columns are */
    p.a = aligned_alloc(64, (panel + (depth + rows) * TW__STRIP) * p.size);
    if (!p.a) return tw__fail(TW_E_NO_MEMORY, "no memory for the panels of a matrix product");
    p.b = p.a + panel * p.size;
    p.sums = p.b + depth * TW__STRIP * p.size;
    for (size_t row = 0; row < m; row += ROWS)
        for (size_t column = 0; column < n; column += TW__STRIP)
            multiply(&p, c, a, b, row, at_most(m - row, ROWS), column, at_most(n - column, TW__STRIP),
                     mode->accumulate);
    free(p.a);
    return TW_OK;
}
