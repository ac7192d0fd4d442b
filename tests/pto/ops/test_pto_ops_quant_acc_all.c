/* SPDX-License-Identifier: MIT */
/* Accumulators on their way out against one element at a time: TSTORE, TMOV, TEXTRACT and TINSERT, plain, with a
 * scale and with a scale per column: all types by profile, relu, atomic addition, tensor layouts, windows, partial
 * valid regions, ties, NaN, infinities. Bytes that nothing is moved to keep their values. */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"
#include "pto/reference/ref_quant.h"

static uint64_t state = 25;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}

/* Accumulators whose quarters and halves are ties after scaling, and some of any kind. */
static uint64_t sums(tw_type type, uint64_t random)
{
    if (random % 6 == 0) return ref_any(type, random / 6);
    double value = ((double)(random / 6 % 4096) - 2048) / (type == TW_F32 ? 4 : 1);
    return ref_encode(type, value, REF_EVEN, true);
}

static double a_scale(void)
{
    static const double scales[] = { 1, 0.5, 0.25, 2, 0.125, 1.0 / 3, -0.5, 1024 };
    return ref_f32(scales[pick(8)]);
}
static uint64_t f32_code(double value)
{
    return ref_encode(TW_F32, value, REF_EVEN, false);
}

typedef enum way { STORE, MOVE, EXTRACT, INSERT, WAYS } way;
typedef enum scaling { PLAIN, ONE, PER_COLUMN, SCALINGS } scaling;
static const char *const names[WAYS][SCALINGS] = { { "TSTORE", "TSTORE_QUANT", "TSTORE_FP" },
                                                   { "TMOV", "TMOV_QUANT", "TMOV_FP" },
                                                   { "TEXTRACT", "TEXTRACT_QUANT", "TEXTRACT_FP" },
                                                   { "TINSERT", "TINSERT_QUANT", "TINSERT_FP" } };

#define B(t) (UINT64_C(1) << TW_##t)
/* the manual: what accumulators of a type become. cpu has what either chip has. */
static bool becomes(tw_pto_target target, way w, bool scaled, tw_type from, tw_type to)
{
    uint64_t a2a3 = 0, a5 = 0;
    if (!scaled) {
        a2a3 = a5 = from == TW_F32 ? B(F32) | B(F16) | B(BF16) : B(I32);
        if (w == INSERT) a2a3 = from == TW_F32 ? B(F16) | B(BF16) : 0;
    } else if (from == TW_F32) {
        a2a3 = w == INSERT ? B(I8) : B(I8) | B(U8);
        a5 = B(I8) | B(U8) | B(F16) | B(BF16) | B(HIF8) | B(F8E4M3) | B(F32);
    } else {
        a2a3 = B(I8) | B(U8) | B(F16) | (w == INSERT ? B(I16) : 0);
        a5 = a2a3 | B(BF16);
    }
    uint64_t set = target == TW_PTO_A2A3 ? a2a3 : target == TW_PTO_A5 ? a5 : a2a3 | a5;
    return set >> to & 1;
}

/* Where accumulators go: TMOV to L1 and vector memory, windows on A2/A3 to L1 alone. */
static bool reaches(tw_pto_target target, way w, tw_pto_location to)
{
    return to == TW_PTO_MAT || (to == TW_PTO_VEC && (w == MOVE || target != TW_PTO_A2A3));
}

typedef struct leaving {
    tw_pto *core;
    tw_pto_target target;
    way w;
    scaling s;
    tw_pto_tile acc, dst, scales;
    ref_image acc_image, scales_image;
    bool relu;
    double scale;
    uint32_t row, col; /* corner of the window */
} leaving;

static uint64_t result(const leaving *l, uint32_t r, uint32_t c, uint32_t scale_column, tw_type to)
{
    double scale = l->scale;
    if (l->s == PER_COLUMN) scale = ref_decode(TW_F32, ref_get(&l->scales_image, 0, scale_column) & 0xffffffff);
    return ref_leave(l->acc.type, ref_get(&l->acc_image, r, c), l->relu, l->s != PLAIN, scale, to);
}

static void make_acc(leaving *l, tw_type type)
{
    uint32_t rows = 16 * (1 + pick(3)), cols = 32 * (1 + pick(2));
    const uint32_t edges[] = { 1, 15, 16, 17, 31, cols };
    l->acc = ref_cube_tile(TW_PTO_ACC, type, rows, cols, l->target);
    l->acc.valid_rows = pick(2) ? rows : edges[pick(6)] > rows ? rows : 1 + pick(rows);
    l->acc.valid_cols = pick(2) ? cols : edges[pick(6)];
    if (l->acc.valid_cols > cols) l->acc.valid_cols = cols;
    l->acc_image = ref_fill(l->core, &l->acc, sums, &state);
    l->relu = pick(2);
    l->scale = a_scale();
    bool wide = l->target == TW_PTO_A2A3 || pick(2); /* 64 bits, of which the low half is the scale */
    l->scales = tw_pto_tile_of(TW_PTO_SCALING, wide ? TW_U64 : TW_F32, 1, cols);
    l->scales_image = ref_fill(l->core, &l->scales, any, &state);
    for (uint32_t c = 0; c < cols; c++)
        ref_set(&l->scales_image, 0, c, f32_code(a_scale()) | (wide ? ref_next(&state) << 32 : 0));
    memcpy(tw_pto_data(l->core, &l->scales), l->scales_image.bytes, l->scales_image.size);
}

/* Operands in the order of the forms: dst a [f] [i j] [scale]. */
static void execute(leaving *l, tw_pto_operand dst, const tw_pto_attrs *attrs)
{
    tw_pto_operand o[6] = { dst, TILE(&l->acc) };
    unsigned n = 2;
    if (l->s == PER_COLUMN) o[n++] = TILE(&l->scales);
    if (l->w >= EXTRACT) o[n++] = SCALAR(tw_pto_i32((int32_t)l->row)), o[n++] = SCALAR(tw_pto_i32((int32_t)l->col));
    if (l->s == ONE) o[n++] = SCALAR(tw_pto_bits(TW_I64, f32_code(l->scale) | UINT64_C(1) << (46 + pick(2))));
    OK(tw_pto_exec(l->core, tw_pto_op_by_name(names[l->w][l->s]), o, n, attrs));
}

static void finish(leaving *l)
{
    assert_true(ref_equal(l->core, &l->acc, &l->acc_image, "accumulator"));
    ref_drop(&l->acc_image);
    ref_drop(&l->scales_image);
    tw_pto_free(l->core);
}

static void describe(const leaving *l, tw_type to, const char *what)
{
    fail_msg("%s on %s: %s of %s %u x %u (valid %u x %u) to %s, relu %d, scale %g, corner (%u, %u)", what,
             tw_pto_target_name(l->target), names[l->w][l->s], tw_type_name(l->acc.type, TW_SYSTEM_PTO),
             l->acc.rows, l->acc.cols, l->acc.valid_rows, l->acc.valid_cols, tw_type_name(to, TW_SYSTEM_PTO),
             l->relu, l->scale, l->row, l->col);
}

/* --- to global memory ------------------------------------------------------------------------------------------- */

/* Layouts by profile; images have pixels for rows, four or eight of them to a line, and channels for
 * columns. */
static tw_pto_layout a_layout(tw_pto_target target)
{
    static const tw_pto_layout both[] = { TW_PTO_ND, TW_PTO_ND, TW_PTO_NZ },
                               a2a3[] = { TW_PTO_NC1HWC0, TW_PTO_NDC1HWC0 },
                               a5[] = { TW_PTO_NHWC, TW_PTO_NCHW, TW_PTO_NCDHW };
    bool first = target == TW_PTO_A2A3 || (target == TW_PTO_CPU && pick(2));
    if (pick(2)) return both[pick(3)];
    return first ? a2a3[pick(2)] : a5[pick(3)];
}

/* A tensor that takes rows x cols elements from `data` on, rows of nd `pitch` elements apart, else contiguous. */
static tw_pto_tensor a_tensor(void *data, tw_type type, tw_pto_layout layout, uint32_t rows, uint32_t cols,
                              uint32_t pitch)
{
    tw_pto_tensor g = tw_pto_tensor_of(data, type, rows, cols, layout == TW_PTO_NZ ? TW_PTO_NZ : TW_PTO_ND);
    uint32_t c0 = 256 / ref_bits(type);
    const struct {
        tw_pto_layout layout;
        size_t shape[5];
    } images[] = {
        { TW_PTO_NC1HWC0, { 1, cols / c0, rows / 4, 4, c0 } },
        { TW_PTO_NDC1HWC0, { 2, cols / c0, rows / 8, 4, c0 } },
        { TW_PTO_NHWC, { 1, 2, rows / 8, 4, cols } },
        { TW_PTO_NCHW, { 1, 2, cols, rows / 8, 4 } },
        { TW_PTO_NCDHW, { 1, cols, 2, rows / 8, 4 } },
    };
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        if (images[i].layout != layout) continue;
        size_t stride = 1;
        for (int d = 4; d >= 0; d--) {
            g.shape[d] = images[i].shape[d];
            g.stride[d] = (ptrdiff_t)stride;
            stride *= g.shape[d];
        }
    }
    g.layout = layout;
    if (layout == TW_PTO_ND) g.stride[3] = (ptrdiff_t)pitch;
    return g;
}

static void one_store(tw_pto_target target, scaling s, tw_type from, tw_type to)
{
    leaving l = { .core = tw_pto_new(target, 0), .target = target, .w = STORE, .s = s };
    bool atomic = pick(4) == 0 && to != TW_HIF8 && to != TW_F8E4M3;
    make_acc(&l, from);
    tw_pto_layout layout = a_layout(target);
    uint32_t c0 = 256 / ref_bits(to);
    if (layout != TW_PTO_ND) { /* whole boxes and lines */
        l.acc.valid_rows = l.acc.rows;
        if (layout == TW_PTO_NZ || layout == TW_PTO_NC1HWC0 || layout == TW_PTO_NDC1HWC0)
            l.acc.valid_cols = l.acc.cols / c0 * c0;
    }
    uint32_t rows = l.acc.valid_rows, cols = l.acc.valid_cols, pitch = cols + pick(5);
    size_t count = (size_t)rows * pitch + 64;
    unsigned char *memory = calloc(count, 8), *want = calloc(count, 8);
    assert_true(memory && want);
    for (size_t i = 0; i < count; i++) ref_store(memory, to, i, ref_small(to, ref_next(&state)));
    memcpy(want, memory, count * 8);
    tw_pto_tensor g = a_tensor(memory + 64, to, layout, rows, cols, pitch);
    tw_pto_attrs attrs = { .relu = l.relu, .atomic = atomic };
    execute(&l, TENSOR(&g), &attrs);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++) {
            ptrdiff_t at = ref_tensor_index(&g, r, c);
            uint64_t code = result(&l, r, c, c, to), old = ref_load(want + 64, to, (size_t)at);
            if (atomic && ref_is_float(to))
                code = ref_encode(to, ref_decode(to, old) + ref_decode(to, code), REF_EVEN, false);
            if (atomic && !ref_is_float(to)) code += old;
            ref_store(want + 64, to, (size_t)at, code);
        }
    for (size_t i = 0; i < count; i++)
        if (!ref_same(to, ref_load(memory, to, i), ref_load(want, to, i))) {
            print_error("element %zu: %g, not %g; layout %s, atomic %d\n", i,
                        ref_decode(to, ref_load(memory, to, i)), ref_decode(to, ref_load(want, to, i)),
                        tw_pto_layout_name(g.layout), atomic);
            describe(&l, to, "tensor");
        }
    free(memory);
    free(want);
    finish(&l);
}

/* --- to tiles --------------------------------------------------------------------------------------------------- */

static tw_pto_tile dst_tile(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols)
{
    tw_pto_tile t = tw_pto_tile_of(location, type, rows, cols);
    if (location == TW_PTO_MAT) ref_layout_of(&t, 2);
    return t;
}

static void one_tile(tw_pto_target target, way w, scaling s, tw_type from, tw_type to, tw_pto_location location)
{
    leaving l = { .core = tw_pto_new(target, 0), .target = target, .w = w, .s = s };
    make_acc(&l, from);
    uint32_t rows = l.acc.rows, cols = l.acc.cols;
    if (w == EXTRACT) {
        rows = 16 * (1 + pick(rows / 16));
        cols = 32 * (1 + pick(cols / 32));
    } else if (w == INSERT) {
        rows += 16 * pick(3), cols += 32 * pick(2);
    }
    l.dst = dst_tile(location, to, rows, cols);
    if (w == MOVE) l.dst.valid_rows = l.acc.valid_rows, l.dst.valid_cols = l.acc.valid_cols;
    if (w == EXTRACT) {
        l.dst.valid_rows = pick(2) ? rows : 1 + pick(rows);
        l.dst.valid_cols = pick(2) ? cols : 1 + pick(cols);
        l.row = pick(l.acc.rows - l.dst.valid_rows + 1);
        l.col = pick(l.acc.cols - l.dst.valid_cols + 1);
    }
    if (w == INSERT) {
        l.row = pick(rows - l.acc.valid_rows + 1);
        l.col = pick(cols - l.acc.valid_cols + 1);
    }
    ref_image want = ref_fill(l.core, &l.dst, any, &state);
    tw_pto_attrs attrs = { .relu = l.relu };
    execute(&l, TILE(&l.dst), &attrs);
    uint32_t down = w == EXTRACT ? l.dst.valid_rows : l.acc.valid_rows,
             across = w == EXTRACT ? l.dst.valid_cols : l.acc.valid_cols;
    for (uint32_t r = 0; r < down; r++)
        for (uint32_t c = 0; c < across; c++) {
            uint32_t sr = w == EXTRACT ? r + l.row : r, sc = w == EXTRACT ? c + l.col : c;
            ref_set(&want, w == INSERT ? r + l.row : r, w == INSERT ? c + l.col : c, result(&l, sr, sc, c, to));
        }
    if (!ref_equal(l.core, &l.dst, &want, names[w][s]))
        describe(&l, to, location == TW_PTO_MAT ? "L1" : "vector memory");
    ref_drop(&want);
    finish(&l);
}

static const tw_type all[] = { TW_I8,   TW_U8,  TW_I16,  TW_U16,    TW_I32,    TW_U32,    TW_F16,
                               TW_BF16, TW_F32, TW_HIF8, TW_F8E4M3, TW_F8E5M2, TW_F4E2M1, TW_I64 };
enum { TYPES = sizeof all / sizeof *all };

static void pto_ref_acc_values(void **unused)
{
    enum { CASES = 8 };
    static const tw_type from[] = { TW_F32, TW_I32 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int w = STORE; w < WAYS; w++)
            for (int s = PLAIN; s < SCALINGS; s++)
                for (int f = 0; f < 2; f++)
                    for (int t = 0; t < TYPES; t++)
                        for (int i = 0; i < CASES; i++) {
                            tw_pto_location to = i & 1 ? TW_PTO_VEC : TW_PTO_MAT;
                            if (!becomes((tw_pto_target)target, (way)w, s != PLAIN, from[f], all[t])) continue;
                            if (w == STORE)
                                one_store((tw_pto_target)target, (scaling)s, from[f], all[t]);
                            else if (reaches((tw_pto_target)target, (way)w, to))
                                one_tile((tw_pto_target)target, (way)w, (scaling)s, from[f], all[t], to);
                        }
}

/* Every pair of types by every way on every profile: taken or refused as the documents say. */
static void pto_ref_acc_types(void **unused)
{
    static const tw_type from[] = { TW_F32, TW_I32 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int i = 0; i < WAYS * SCALINGS * 2 * TYPES * 2; i++) {
            way w = (way)(i % WAYS);
            scaling s = (scaling)(i / WAYS % SCALINGS);
            tw_type a = from[i / WAYS / SCALINGS % 2], to = all[i / WAYS / SCALINGS / 2 % TYPES];
            tw_pto_location location = i / WAYS / SCALINGS / 2 / TYPES ? TW_PTO_VEC : TW_PTO_MAT;
            tw_pto_tile acc = ref_cube_tile(TW_PTO_ACC, a, 64, 64, (tw_pto_target)target),
                        dst = dst_tile(location, to, 64, 64), fp = tw_pto_tile_of(TW_PTO_SCALING, TW_U64, 1, 64);
            tw_pto_tensor g = tw_pto_tensor_of(NULL, to, 64, 64, TW_PTO_ND);
            tw_pto_operand o[5] = { w == STORE ? TENSOR(&g) : TILE(&dst), TILE(&acc) };
            unsigned n = 2;
            if (s == PER_COLUMN) o[n++] = TILE(&fp);
            if (w >= EXTRACT) o[n++] = SCALAR(tw_pto_i32(0)), o[n++] = SCALAR(tw_pto_i32(0));
            if (s == ONE) o[n++] = SCALAR(tw_pto_bits(TW_I64, f32_code(1)));
            bool got =
                tw_pto_check((tw_pto_target)target, tw_pto_op_by_name(names[w][s]), o, n, NULL, NULL) == TW_OK;
            bool want = becomes((tw_pto_target)target, w, s != PLAIN, a, to) &&
                        (w == STORE || reaches((tw_pto_target)target, w, location));
            if (got != want)
                fail_msg("%s on %s: %s to %s in %s is %s", names[w][s], tw_pto_target_name((tw_pto_target)target),
                         tw_type_name(a, TW_SYSTEM_PTO), tw_type_name(to, TW_SYSTEM_PTO),
                         location == TW_PTO_VEC ? "vec" : "mat", got ? "taken" : tw_error_message());
        }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_quant_acc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_acc_values),
        cmocka_unit_test(pto_ref_acc_types),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_quant_acc", tests, NULL, NULL);
}
