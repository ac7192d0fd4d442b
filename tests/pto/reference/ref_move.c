/* SPDX-License-Identifier: MIT */
/* ref_move: tiles to and from tensors, between memories and layouts, windows, padding, turning over, gathering and
 * scattering, as plain loops over matrices of codes. */
#include "pto/reference/ref_layout.h"
#include "pto/reference/ref_tables.h"

#include <stdlib.h>
#include <string.h>

#define FP8      (T(F8E4M3) | T(F8E5M2) | T(HIF8))
#define FP4      (T(F4E1M2) | T(F4E2M1))
#define ALL_A2A3 (B124 | I64U64)
#define ALL_A5   (ALL_A2A3 | FP8 | FP4 | T(F8E8M0))

static bool is_boxed(const ref_matrix *m)
{
    return m->layout >= REF_NZ;
}

static bool is_valid(const ref_matrix *m, uint32_t r, uint32_t c)
{
    return r < m->valid_rows && c < m->valid_cols;
}

/* --- tensors ---------------------------------------------------------------------------------------------------- */

/* Shapes of tensors for a region: contiguous ones of every layout, and two with outer dimensions and gaps. */
enum { PLAIN_LAYOUTS = TW_PTO_FRACTAL_Z_3D + 1, OUTER_ND = PLAIN_LAYOUTS, OUTER_DN, TENSORS };

static void strides(tw_pto_tensor *g, const size_t shape[5], size_t gap)
{
    size_t step = 1;
    for (int d = 4; d >= 0; d--) {
        g->shape[d] = shape[d];
        g->stride[d] = (ptrdiff_t)step;
        step = step * (shape[d] ? shape[d] : 1) + gap;
    }
}

/* The shape that a layout gives rows x cols; images: pixels along rows, channels along columns. */
static tw_pto_tensor tensor_of(tw_type type, size_t rows, size_t cols, unsigned kind)
{
    tw_pto_tensor g = { .type = type, .layout = (tw_pto_layout)kind };
    size_t c0 = 256 / ref_bits(type), two = rows % 2 ? 1 : 2, split = cols % 2 ? 1 : 2;
    switch (kind) {
    case OUTER_ND:
        g.layout = TW_PTO_ND;
        strides(&g, (size_t[]){ two, 1, rows % 4 ? 1 : 2, rows / two / (rows % 4 ? 1 : 2), cols }, 3 * c0);
        break;
    case OUTER_DN: /* columns of rows; the step of a row is 1 */
        g.layout = TW_PTO_DN;
        strides(&g, (size_t[]){ 1, 1, split, rows, cols / split }, 0);
        g.stride[3] = 1, g.stride[4] = (ptrdiff_t)(rows + c0),
        g.stride[2] = g.stride[4] * (ptrdiff_t)(cols / split) + 5 * (ptrdiff_t)c0;
        break;
    case TW_PTO_DN:
        strides(&g, (size_t[]){ 1, 1, 1, rows, cols }, 0);
        g.stride[3] = 1, g.stride[4] = (ptrdiff_t)rows;
        break;
    case TW_PTO_NZ: strides(&g, (size_t[]){ 1, cols / c0, rows / 16, 16, c0 }, 0); break;
    case TW_PTO_NC1HWC0:
    case TW_PTO_GNC1HWC0:
    case TW_PTO_NDC1HWC0: strides(&g, (size_t[]){ 1, cols / c0, two, rows / two, c0 }, 0); break;
    case TW_PTO_MX_A_ZZ: strides(&g, (size_t[]){ 1, rows / 16, cols / 2, 16, 2 }, 0); break;
    case TW_PTO_MX_B_NN: strides(&g, (size_t[]){ 1, cols / 16, rows / 2, 16, 2 }, 0); break;
    case TW_PTO_MX_A_ND: strides(&g, (size_t[]){ 1, 1, rows, cols / 2, 2 }, 0); break;
    case TW_PTO_MX_A_DN: strides(&g, (size_t[]){ 1, 1, cols / 2, rows, 2 }, 0); break;
    case TW_PTO_MX_B_ND: strides(&g, (size_t[]){ 1, 1, rows / 2, cols, 2 }, 0); break;
    case TW_PTO_MX_B_DN: strides(&g, (size_t[]){ 1, 1, cols, rows / 2, 2 }, 0); break;
    case TW_PTO_NCHW:
    case TW_PTO_GNCHW: strides(&g, (size_t[]){ 1, 1, cols, two, rows / two }, 0); break;
    case TW_PTO_NCDHW: strides(&g, (size_t[]){ 1, cols, two, rows / two, 1 }, 0); break;
    case TW_PTO_FRACTAL_Z:
    case TW_PTO_FRACTAL_Z_S16S8:
    case TW_PTO_FRACTAL_Z_3D: strides(&g, (size_t[]){ 1, rows / c0, cols / 16, 16, c0 }, 0); break;
    default: strides(&g, (size_t[]){ 1, 1, two, rows / two, cols }, 0); /* ND, NHWC */
    }
    return g;
}

static bool is_mx(tw_pto_layout l)
{
    return l >= TW_PTO_MX_A_ZZ && l <= TW_PTO_MX_B_DN;
}
static bool is_right(tw_pto_layout l)
{
    return l == TW_PTO_MX_B_NN || l == TW_PTO_MX_B_ND || l == TW_PTO_MX_B_DN;
}

/* Variants: shapes of tensors, in vector memory and in L1 (and, for stores, adding). */
static void plan_transfer(ref_call *call)
{
    ref_matrix *g = ref_of(call, 'g') ? ref_of(call, 'g') : ref_of(call, 'G'),
               *t = ref_of(call, g->letter == 'g' ? 'd' : 'a');
    unsigned kind = call->variant % TENSORS;
    t->location = call->variant / TENSORS % 2 ? TW_PTO_MAT : TW_PTO_VEC;
    call->attrs.atomic = call->variant / TENSORS / 2 % 2 && (A3 | T(I8) | T(BF16)) >> call->type & 1;
    g->view = tensor_of(call->type, t->valid_rows, t->valid_cols, kind);
    g->rows = g->valid_rows = t->valid_rows, g->cols = g->valid_cols = t->valid_cols;
    if (is_mx(g->view.layout) && call->target != TW_PTO_CPU) /* scales: boxes of 16 x 2 */
        t->fractal = 32, t->layouts = 1u << (is_right(g->view.layout) ? REF_NN : REF_ZZ);
    call->any_layout = true;
}

static bool is_whole(const ref_matrix *g)
{
    size_t product = 1;
    for (int d = 0; d < 5; d++) product *= g->view.shape[d];
    return product == (size_t)g->rows * g->cols;
}

/* Of the chips: which layout of a tile fits which tensor. */
static bool layouts_fit(const ref_matrix *t, const ref_matrix *g, bool load)
{
    bool l1 = t->location == TW_PTO_MAT && load, flat = g->view.shape[0] * g->view.shape[1] * g->view.shape[2] == 1;
    switch (g->view.layout) {
    case TW_PTO_ND: return t->layout == REF_ROW || (l1 && flat && t->layout == REF_NZ);
    case TW_PTO_DN: return t->layout == REF_COL || (l1 && flat && t->layout == REF_ZN);
    case TW_PTO_NZ:
    case TW_PTO_NC1HWC0:
    case TW_PTO_GNC1HWC0:
    case TW_PTO_NDC1HWC0: return t->layout == REF_NZ;
    default: return is_mx(g->view.layout);
    }
}

static void decide_transfer(ref_call *call)
{
    ref_matrix *g = ref_of(call, 'g') ? ref_of(call, 'g') : ref_of(call, 'G'),
               *t = ref_of(call, g->letter == 'g' ? 'd' : 'a');
    bool load = g->letter == 'g', wide = ref_bits(t->type) == 64, nibbles = ref_bits(t->type) == 4;
    call->illegal = !is_whole(g) || (!load && t->location == TW_PTO_MAT && call->target == TW_PTO_A5) ||
                    (nibbles && call->attrs.atomic);
    if (call->target == TW_PTO_CPU) return;
    if (!layouts_fit(t, g, load)) call->illegal = true;
    if (wide && g->view.layout != TW_PTO_ND && g->view.layout != TW_PTO_DN) call->illegal = true;
    if (is_mx(g->view.layout) && call->target == TW_PTO_A2A3) call->illegal = true;
    if (load && wide && call->target == TW_PTO_A5 && t->pad > TW_PTO_PAD_ZERO) call->illegal = true;
}

static void load(ref_call *call)
{
    ref_matrix *g = ref_of(call, 'g'), *d = ref_of(call, 'd');
    bool padded = d->pad != TW_PTO_PAD_NULL;
    for (uint32_t r = 0; r < d->rows; r++)
        for (uint32_t c = 0; c < d->cols; c++)
            if (is_valid(d, r, c))
                REF_AT(d, r, c) = REF_AT(g, r, c);
            else if (padded)
                REF_AT(d, r, c) = ref_pad(d->type, d->pad);
}
static void store(ref_call *call)
{
    ref_matrix *g = ref_of(call, 'G'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t c = 0; c < g->cols; c++) {
            uint64_t code = REF_AT(a, r, c), *to = &REF_AT(g, r, c);
            if (!call->attrs.atomic)
                *to = code;
            else if (ref_is_float(a->type))
                *to = ref_code(a->type, ref_real(a->type, *to) + ref_real(a->type, code));
            else
                ref_put_whole(a->type, to, *to + code);
        }
}
static void plan_prefetch(ref_call *call)
{
    plan_transfer(call);
    ref_of(call, 'd')->location = TW_PTO_VEC;
}
static void nothing(ref_call *call)
{
    (void)call;
}

/* --- moves ------------------------------------------------------------------------------------------------------ */

static const struct {
    unsigned char from, to;
    bool a2a3, a5;
} paths[] = {
    { TW_PTO_VEC, TW_PTO_VEC, true, true },    { TW_PTO_VEC, TW_PTO_MAT, false, true },
    { TW_PTO_MAT, TW_PTO_LEFT, true, true },   { TW_PTO_MAT, TW_PTO_RIGHT, true, true },
    { TW_PTO_MAT, TW_PTO_BIAS, true, true },   { TW_PTO_MAT, TW_PTO_SCALING, true, true },
    { TW_PTO_MAT, TW_PTO_VEC, false, false },  { TW_PTO_VEC, TW_PTO_LEFT, false, false },
    { TW_PTO_LEFT, TW_PTO_MAT, false, false },
};
enum { PATHS = sizeof paths / sizeof *paths };

static bool has_path(const ref_call *call, unsigned i)
{
    return call->target == TW_PTO_A2A3 ? paths[i].a2a3
           : call->target == TW_PTO_A5 ? paths[i].a5
                                       : paths[i].a2a3 || paths[i].a5;
}

static void place(ref_matrix *m, unsigned location)
{
    m->location = (unsigned char)location;
}

static bool is_table(const ref_matrix *m) /* bias table and fixpipe buffer: one row */
{
    return m->location == TW_PTO_BIAS || m->location == TW_PTO_SCALING;
}

static void plan_move(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    place(a, paths[call->variant].from);
    place(d, paths[call->variant].to);
    call->any_layout = true;
    if (!is_table(d)) return;
    uint32_t cols = d->location == TW_PTO_BIAS ? 64 : 48;
    if (d->location == TW_PTO_BIAS && (call->type == TW_F16 || call->type == TW_BF16)) d->type = TW_F32;
    for (int i = 0; i < 2; i++) {
        ref_matrix *m = i ? a : d;
        m->rows = 1, m->cols = cols, m->layouts = REF_ROWS_ONLY;
        if (m->valid_rows > 1) m->valid_rows = 1;
    }
}

/* The boxes that L0A and L0B need. */
static bool fits_cube(const ref_call *call, const ref_matrix *m)
{
    if (call->target == TW_PTO_CPU || !is_boxed(m)) return true;
    if (m->location == TW_PTO_LEFT) return m->layout == (call->target == TW_PTO_A2A3 ? REF_ZZ : REF_NZ);
    return m->location != TW_PTO_RIGHT || m->layout == REF_ZN;
}

static bool goes_to_bias(const ref_call *call)
{
    return call->type == TW_I32 || call->type == TW_F32 || call->type == TW_F16 ||
           (call->type == TW_BF16 && call->target != TW_PTO_A2A3);
}

static void decide_move(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    call->illegal = !has_path(call, call->variant) || !fits_cube(call, d) || !fits_cube(call, a);
    if (call->target == TW_PTO_A2A3 && a->location == TW_PTO_VEC && d->layout != a->layout) call->illegal = true;
    if (d->location == TW_PTO_BIAS && !goes_to_bias(call)) call->illegal = true;
    size_t bytes = (size_t)d->cols * ref_bits(d->type) / 8;
    if (d->location == TW_PTO_SCALING && call->target != TW_PTO_CPU &&
        (bytes % 128 || (call->target == TW_PTO_A2A3 && ref_bits(d->type) != 64)))
        call->illegal = true;
}
/* The valid region; all of it where neither side is vector memory: boxes move as they are. */
static void move(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    bool whole = d->location != TW_PTO_VEC && a->location != TW_PTO_VEC;
    for (uint32_t r = 0; r < (whole ? a->rows : a->valid_rows); r++)
        for (uint32_t c = 0; c < (whole ? a->cols : a->valid_cols); c++)
            REF_AT(d, r, c) =
                d->type == a->type ? REF_AT(a, r, c) : ref_code(d->type, ref_real(a->type, REF_AT(a, r, c)));
}

/* --- windows ---------------------------------------------------------------------------------------------------- */

/* Variants: paths, each with a corner that fits and one that does not. */
static void plan_window(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    place(a, paths[call->variant / 2].from);
    place(d, paths[call->variant / 2].to);
    call->any_layout = true;
}
static void corner(ref_call *call)
{
    bool extract = strcmp(call->row->name, "TEXTRACT") == 0;
    ref_matrix *small = ref_of(call, extract ? 'd' : 'a'), *large = ref_of(call, extract ? 'a' : 'd');
    *ref_of(call, 'i')->at = call->random % (large->rows - small->valid_rows + 1);
    *ref_of(call, 'j')->at = call->random / 64 % (large->cols - small->valid_cols + 1);
    if (call->variant % 2) *ref_of(call, 'i')->at = large->rows - small->valid_rows + 1;
}
static void decide_extract(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    bool cube = d->location == TW_PTO_LEFT || d->location == TW_PTO_RIGHT;
    call->illegal = !has_path(call, call->variant / 2) || !fits_cube(call, d);
    call->by_values = call->variant % 2;
    if (call->target == TW_PTO_CPU || !cube) return;
    if (a->layout != REF_NZ && a->layout != REF_ZN) call->illegal = true;
    if (call->target == TW_PTO_A2A3 && !((T(I8) | F | T(BF16)) >> call->type & 1)) call->illegal = true;
}
static void extract(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    uint32_t r0 = (uint32_t)*ref_of(call, 'i')->at, c0 = (uint32_t)*ref_of(call, 'j')->at;
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) REF_AT(d, r, c) = REF_AT(a, r0 + r, c0 + c);
}
/* Of vector memory alone here; accumulators have tests of their own. */
static void decide_insert(ref_call *call)
{
    call->illegal = call->target == TW_PTO_A2A3;
    call->by_values = call->variant % 2;
}
static void insert(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    uint32_t r0 = (uint32_t)*ref_of(call, 'i')->at, c0 = (uint32_t)*ref_of(call, 'j')->at;
    for (uint32_t r = 0; r < a->valid_rows; r++)
        for (uint32_t c = 0; c < a->valid_cols; c++) REF_AT(d, r0 + r, c0 + c) = REF_AT(a, r, c);
}

/* --- the same bytes --------------------------------------------------------------------------------------------- */

/* Variants: types and shapes of dst; 0 and 1 of as many bytes, 2 twice as many, 3 in another memory. */
static void plan_reshape(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    a->rows = d->rows = 64, a->cols = d->cols = 64;
    call->any_layout = true;
    if (call->variant == 0 && ref_bits(call->type) >= 16) d->type = TW_U8, d->cols = 64 * ref_bits(call->type) / 8;
    if (call->variant == 1) d->rows = 32, d->cols = 128;
    if (call->variant == 2) d->cols = 128;
    if (call->variant == 3) place(d, TW_PTO_MAT);
    d->valid_rows = d->rows, d->valid_cols = d->cols;
}
static void decide_reshape(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    call->illegal = d->location != a->location || is_boxed(d) != is_boxed(a) ||
                    ref_tile_bytes(&d->tile) != ref_tile_bytes(&a->tile);
}
static void reshape(ref_call *call)
{
    static unsigned char bytes[1 << 16];
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < a->rows; r++)
        for (uint32_t c = 0; c < a->cols; c++)
            ref_store(bytes, a->type, ref_index(&a->tile, r, c), REF_AT(a, r, c));
    for (uint32_t r = 0; r < d->rows; r++)
        for (uint32_t c = 0; c < d->cols; c++)
            REF_AT(d, r, c) = ref_load(bytes, d->type, ref_index(&d->tile, r, c));
}

/* Variant 1: dst is too small. */
static void plan_transpose(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    d->rows = d->cols = 64;
    if (call->variant == 1) d->rows = 32;
    d->valid_rows = a->valid_cols < d->rows ? a->valid_cols : d->rows, d->valid_cols = a->valid_rows;
}
static void decide_transpose(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    call->illegal = a->valid_cols > d->rows || a->valid_rows > d->cols;
}
static void transpose(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < a->valid_rows; r++)
        for (uint32_t c = 0; c < a->valid_cols; c++) REF_AT(d, c, r) = REF_AT(a, r, c);
}

/* Variants: 0 and 1 in vector memory and L1 (boxes there), 2 other extents, 3 in two memories. */
static void plan_pad(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    bool expand = strcmp(call->row->name, "TFILLPAD_EXPAND") == 0, l1 = call->variant == 1;
    place(a, l1 ? TW_PTO_MAT : TW_PTO_VEC);
    place(d, l1 || call->variant == 3 ? TW_PTO_MAT : TW_PTO_VEC);
    if (expand) d->rows += 32, d->cols += 64;
    if (call->variant == 2) (expand ? a : d)->rows += 64;
    call->illegal = call->variant > 1 || (l1 ? d->pad > TW_PTO_PAD_ZERO : d->pad == TW_PTO_PAD_NULL);
    if (l1) call->any_layout = true;
}
static void decide_pad(ref_call *call)
{
    const ref_matrix *d = ref_of(call, 'd');
    if (d->location == TW_PTO_MAT && call->target != TW_PTO_CPU && d->layout != REF_NZ && d->layout != REF_NN)
        call->illegal = true;
}
static void fill_pad(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < d->rows; r++)
        for (uint32_t c = 0; c < d->cols; c++)
            REF_AT(d, r, c) = is_valid(a, r, c) ? REF_AT(a, r, c) : ref_pad(d->type, d->pad);
}

/* --- by pattern, index, comparison ------------------------------------------------------------------------------ */

/* first of every `step`: P0101 even, P1010 odd, P0001 0, P0010 1, P0100 2, P1000 3 of four, P1111 all. */
static bool keeps(int32_t mask, uint32_t i)
{
    switch (mask) {
    case 1: return i % 2 == 0;
    case 2: return i % 2 == 1;
    case 7: return true;
    default: return i % 4 == (uint32_t)mask - 3;
    }
}

/* Variants: eight patterns (0 is none) by columns, and by rows. */
static void plan_gather_mask(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    call->attrs.mask = (int32_t)(call->variant % 8);
    call->attrs.axis = (int32_t)(call->variant / 8);
    call->illegal = call->attrs.mask == 0;
    d->valid_rows = d->rows, d->valid_cols = d->cols;
}
static void gather_mask(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    uint32_t k = 0;
    for (uint32_t r = 0; r < a->valid_rows; r++)
        for (uint32_t c = 0; c < a->valid_cols; c++)
            if (keeps(call->attrs.mask, call->attrs.axis ? r : c))
                REF_AT(d, k / d->cols, k % d->cols) = REF_AT(a, r, c), k++;
}
static void plan_scatter_mask(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    plan_gather_mask(call);
    if (call->attrs.axis)
        d->rows = d->valid_rows = 4 * d->rows;
    else
        d->cols = d->valid_cols = 4 * d->cols;
}
static void scatter_mask(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (size_t i = 0; i < (size_t)d->rows * d->cols; i++) d->at[i] = 0;
    uint32_t from = 0, n = call->attrs.axis ? d->rows : d->cols,
             have = call->attrs.axis ? a->valid_rows : a->valid_cols;
    for (uint32_t i = 0; i < n && from < have; i++) {
        if (!keeps(call->attrs.mask, i)) continue;
        if (call->attrs.axis)
            for (uint32_t c = 0; c < a->valid_cols; c++) REF_AT(d, i, c) = REF_AT(a, from, c);
        else
            for (uint32_t r = 0; r < a->valid_rows; r++) REF_AT(d, r, i) = REF_AT(a, r, from);
        from++;
    }
}

static const tw_type index_types[] = { TW_I32, TW_U32, TW_I16, TW_U16, TW_F32 };
static void plan_gather(ref_call *call)
{
    ref_of(call, 'x')->type = index_types[call->variant];
    call->illegal = call->variant == 4 || (call->target == TW_PTO_A2A3 && call->variant > 1);
}
/* Seven of eight lie in the source. */
static void indexes(ref_call *call)
{
    ref_matrix *x = ref_of(call, 'x'), *a = ref_of(call, 'a');
    uint64_t state = call->random, n = (uint64_t)a->rows * a->cols;
    for (size_t i = 0; i < (size_t)x->rows * x->cols; i++) {
        uint64_t any = ref_next(&state);
        ref_put_whole(x->type, &x->at[i], any % 8 ? (any >> 8) % n : any % 16 ? any : n);
    }
}
static void gather(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *x = ref_of(call, 'x');
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            int64_t i = ref_integer(x->type, REF_AT(x, r, c));
            REF_AT(d, r, c) = i >= 0 && i < (int64_t)a->rows * a->cols ? a->at[i] : 0;
        }
}

static void plan_gather_bytes(ref_call *call)
{
    ref_of(call, 'x')->type = TW_U32;
    ref_of(call, 'a')->layouts = REF_ROWS_ONLY; /* one with bytes in the order of its elements */
}
static void offsets(ref_call *call)
{
    ref_matrix *x = ref_of(call, 'x'), *a = ref_of(call, 'a');
    uint64_t state = call->random, n = (uint64_t)a->rows * a->cols * ref_bits(a->type) / 8;
    for (size_t i = 0; i < (size_t)x->rows * x->cols; i++) {
        uint64_t any = ref_next(&state);
        x->at[i] = (any % 8 ? (any >> 8) % n : any) & UINT32_MAX;
    }
}
static void gather_bytes(ref_call *call)
{
    static unsigned char bytes[1 << 16];
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *x = ref_of(call, 'x');
    size_t size = ref_bits(a->type) / 8, n = (size_t)a->rows * a->cols * size;
    for (size_t i = 0; i < (size_t)a->rows * a->cols; i++) ref_store(bytes, a->type, i, a->at[i]);
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            uint64_t at = REF_AT(x, r, c), code = 0;
            for (size_t b = 0; at + size <= n && b < size; b++) code |= (uint64_t)bytes[at + b] << 8 * b;
            REF_AT(d, r, c) = code;
        }
}

/* Variants: EQ and GT with signed and unsigned indexes; LT; counts in one row. */
static void plan_gather_cmp(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *e = ref_of(call, 'e'),
               *t = ref_of(call, 't');
    unsigned v = call->variant;
    call->attrs.cmp = v == 4 ? TW_PTO_CMP_LT : v % 2 ? TW_PTO_CMP_GT : TW_PTO_CMP_EQ;
    call->attrs.offset = (int32_t)(v * 100);
    d->type = v & 2 ? TW_U32 : TW_I32, e->type = v & 2 ? TW_U32 : TW_I32;
    d->rows = a->rows, d->cols = d->valid_cols = a->cols, d->valid_rows = d->rows;
    e->rows = v == 5 ? 1 : a->rows, e->cols = v == 5 ? 64 : 16, e->valid_rows = e->rows, e->valid_cols = e->cols;
    if (v == 5) e->layouts = REF_ROWS_ONLY;
    b->valid_rows = b->rows, b->valid_cols = 1;
    t->rows = t->valid_rows = 128, t->cols = t->valid_cols = 128;
    call->illegal = v == 4;
}
static void gather_cmp(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *e = ref_of(call, 'e');
    for (uint32_t r = 0; r < a->valid_rows; r++) {
        uint32_t count = 0;
        for (uint32_t c = 0; c < a->valid_cols; c++) {
            uint64_t x = REF_AT(a, r, c), k = REF_AT(b, r, 0);
            bool real = ref_is_float(a->type), is_signed = ref_is_signed(a->type);
            bool greater = real        ? ref_real(a->type, x) > ref_real(a->type, k)
                           : is_signed ? ref_integer(a->type, x) > ref_integer(a->type, k)
                                       : x > k;
            bool equal = real ? ref_real(a->type, x) == ref_real(a->type, k) : x == k;
            if (call->attrs.cmp == TW_PTO_CMP_GT ? greater : equal)
                REF_AT(d, r, count) = (uint32_t)call->attrs.offset + c, count++;
        }
        if (e->rows > 1)
            REF_AT(e, r, 0) = count;
        else
            REF_AT(e, 0, r) = count;
    }
}

/* Variants: signed and unsigned indexes, flat and by rows; a width that is not the data's. */
static void plan_scatter(ref_call *call)
{
    ref_matrix *x = ref_of(call, 'x');
    unsigned bits = ref_bits(call->type);
    bool is_signed = call->variant % 2;
    x->type = bits == 32 ? is_signed ? TW_I32 : TW_U32 : is_signed ? TW_I16 : TW_U16;
    if (call->variant == 4) x->type = bits == 32 ? TW_U16 : TW_U32;
    call->attrs.axis = call->variant / 2 == 1;
    call->illegal = call->variant == 4;
}
static void places(ref_call *call)
{
    ref_matrix *x = ref_of(call, 'x'), *d = ref_of(call, 'd');
    uint64_t state = call->random, n = call->attrs.axis ? d->rows : (uint64_t)d->rows * d->cols;
    for (size_t i = 0; i < (size_t)x->rows * x->cols; i++) x->at[i] = ref_next(&state) % n;
}
static void scatter(ref_call *call)
{
    ref_matrix *x = ref_of(call, 'x'), *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (size_t i = 0; i < (size_t)d->rows * d->cols; i++) d->at[i] = 0;
    for (uint32_t r = 0; r < a->valid_rows; r++)
        for (uint32_t c = 0; c < a->valid_cols; c++) {
            uint64_t i = REF_AT(x, r, c);
            d->at[call->attrs.axis ? i * d->cols + c : i] = REF_AT(a, r, c);
        }
}

static void plan_pack(ref_call *call)
{
    static const tw_type types[] = { TW_U8, TW_I8, TW_U16, TW_I16, TW_F16, TW_BF16, TW_U32 };
    ref_matrix *d = ref_of(call, 'd');
    d->type = types[call->variant];
    call->illegal = ref_bits(d->type) >= ref_bits(call->type);
}
static void pack(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) ref_put_whole(d->type, &REF_AT(d, r, c), REF_AT(a, r, c));
}

/* TEXPANDS in L1 fills all of the tile. Variant 1: another memory. */
static void plan_fill(ref_call *call)
{
    place(ref_of(call, 'd'), call->variant ? TW_PTO_LEFT : TW_PTO_MAT);
    call->any_layout = true;
    call->illegal = call->variant == 1;
}
static void fill_all(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    for (size_t i = 0; i < (size_t)d->rows * d->cols; i++) d->at[i] = *ref_of(call, 's')->at;
}

#define EVERY .a2a3 = ALL_A2A3, .a5 = ALL_A5, .cpu = T(HIF4)
#define BOTH  .a2a3 = B124, .a5 = B124

// clang-format off
const ref_row ref_move_rows[] = {
    { .name = "TLOAD", EVERY, .variants = 2 * TENSORS, .thin = 3, .pads = true, .plan = plan_transfer, .decide = decide_transfer, .reference = load },
    { .name = "TSTORE", EVERY, .variants = 4 * TENSORS, .thin = 3, .plan = plan_transfer, .decide = decide_transfer, .reference = store },
    { .name = "TPREFETCH", EVERY, .plan = plan_prefetch, .reference = nothing },
    { .name = "TMOV", .in_place = true, EVERY, .variants = PATHS, .thin = 3, .plan = plan_move, .decide = decide_move, .reference = move },
    { .name = "TEXTRACT", .in_place = true, EVERY, .variants = 8, .thin = 2, .plan = plan_window, .decide = decide_extract, .prepare = corner, .reference = extract },
    { .name = "TINSERT", .in_place = true, EVERY, .variants = 4, .thin = 2, .plan = plan_window, .decide = decide_insert, .prepare = corner, .reference = insert },
    { .name = "TRESHAPE", .in_place = true, .names = true, EVERY, .variants = 4, .thin = 2, .plan = plan_reshape, .decide = decide_reshape, .reference = reshape },
    { .name = "TTRANS", .in_place = true, BOTH, .variants = 2, .plan = plan_transpose, .decide = decide_transpose, .reference = transpose },
    { .name = "TFILLPAD", .in_place = true, BOTH, .variants = 4, .thin = 2, .pads = true, .plan = plan_pad, .decide = decide_pad, .reference = fill_pad },
    { .name = "TFILLPAD_INPLACE", .in_place = true, BOTH, .variants = 4, .thin = 2, .pads = true, .plan = plan_pad, .decide = decide_pad, .reference = fill_pad },
    { .name = "TFILLPAD_EXPAND", .in_place = true, BOTH, .variants = 4, .thin = 2, .pads = true, .plan = plan_pad, .decide = decide_pad, .reference = fill_pad },
    { .name = "TGATHER_MASK", .in_place = true, .a2a3 = B124, .a5 = A5, .variants = 16, .thin = 2, .plan = plan_gather_mask, .reference = gather_mask },
    { .name = "TGATHER_CMP", .in_place = true, .a2a3 = A3, .a5 = A5, .variants = 6, .thin = 2, .plan = plan_gather_cmp, .reference = gather_cmp },
    { .name = "TGATHER", .in_place = true, .a2a3 = W24, .a5 = A5, .variants = 5, .thin = 3, .plan = plan_gather, .prepare = indexes, .reference = gather },
    { .name = "TGATHERB", .in_place = true, BOTH, .plan = plan_gather_bytes, .prepare = offsets, .reference = gather_bytes },
    { .name = "TSCATTER_MASK", .in_place = true, BOTH, .variants = 16, .thin = 2, .plan = plan_scatter_mask, .reference = scatter_mask },
    { .name = "TSCATTER", .in_place = true, BOTH, .variants = 5, .thin = 2, .plan = plan_scatter, .prepare = places, .reference = scatter },
    { .name = "TPACK", .a5 = W24, .variants = 7, .thin = 4, .plan = plan_pack, .reference = pack },
    { .name = "TEXPANDS", .a2a3 = B124, .a5 = A5, .variants = 2, .plan = plan_fill, .reference = fill_all },
};
// clang-format on
const size_t ref_move_count = sizeof ref_move_rows / sizeof *ref_move_rows;
