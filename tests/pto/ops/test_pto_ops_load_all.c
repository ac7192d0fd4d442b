/* SPDX-License-Identifier: MIT */
/* TLOAD and TSTORE against loops over (row, column): all element types, tensor layouts with gaps, tile layouts of
 * each profile, partial valid regions, every pad value, atomic addition. The whole tile and all memory around the
 * tensor count. */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_layout.h"

static uint64_t state = 28;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}

static const tw_type types[] = { TW_I8,     TW_U8,     TW_I16,    TW_U16,    TW_I32,   TW_U32,
                                 TW_I64,    TW_U64,    TW_F16,    TW_BF16,   TW_F32,   TW_HIF8,
                                 TW_F8E4M3, TW_F8E5M2, TW_F8E8M0, TW_F4E2M1, TW_F4E1M2 };
enum { TYPES = sizeof types / sizeof *types, A2A3_TYPES = 11 }; /* the manual */

typedef enum boxes {
    PLAIN_ROWS,
    PLAIN_COLS,
    NZ,
    ZN,
    ZZ,
    NN
} boxes; /* tile layouts; the last two of fractal 32 for scales */
static const struct {
    unsigned char blayout, slayout;
} layouts[] = {
    { TW_PTO_ROW_MAJOR, TW_PTO_NONE_BOX }, { TW_PTO_COL_MAJOR, TW_PTO_NONE_BOX },
    { TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW },  { TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL },
    { TW_PTO_ROW_MAJOR, TW_PTO_BOX_ROW },  { TW_PTO_COL_MAJOR, TW_PTO_BOX_COL },
};

/* Which tile layouts fit a tensor layout on the chips: in vector memory, in L1. */
static const struct {
    tw_pto_layout layout;
    unsigned vec, mat; /* bits of boxes */
} fits[] = {
    { TW_PTO_ND, 1u << PLAIN_ROWS, 1u << PLAIN_ROWS | 1u << NZ },
    { TW_PTO_DN, 1u << PLAIN_COLS, 1u << PLAIN_COLS | 1u << ZN },
    { TW_PTO_NZ, 1u << NZ, 1u << NZ },
    { TW_PTO_NC1HWC0, 1u << NZ, 1u << NZ },
    { TW_PTO_NDC1HWC0, 1u << NZ, 1u << NZ },
    { TW_PTO_MX_A_ZZ, 0, 1u << ZZ },
    { TW_PTO_MX_A_ND, 0, 1u << ZZ },
    { TW_PTO_MX_A_DN, 0, 1u << ZZ },
    { TW_PTO_MX_B_NN, 0, 1u << NN },
    { TW_PTO_MX_B_ND, 0, 1u << NN },
    { TW_PTO_MX_B_DN, 0, 1u << NN },
    { TW_PTO_NHWC, 0, 0 }, /* profile cpu */
    { TW_PTO_NCHW, 0, 0 },
    { TW_PTO_NCDHW, 0, 0 },
};
enum { FITS = sizeof fits / sizeof *fits };

static bool is_scale(tw_pto_layout layout)
{
    return layout >= TW_PTO_MX_A_ZZ && layout <= TW_PTO_MX_B_DN;
}

/* Shape of a tensor of rows x cols, extents cut at random where the layout has several dimensions for one. */
static void shape(tw_pto_tensor *g, uint32_t *rows, uint32_t *cols, bool one_matrix)
{
    size_t c0 = 256 / ref_bits(g->type), a = one_matrix ? 1 : 1 + pick(3), b = one_matrix ? 1 : 1 + pick(2),
           r = 1 + pick(16), c = 1 + pick(40);
    size_t *s = g->shape;
    switch (g->layout) {
    case TW_PTO_DN: s[0] = 1, s[1] = b, s[2] = a, s[3] = r, s[4] = c / 2 + 1; break;
    case TW_PTO_NZ: s[0] = 1, s[1] = 1 + pick(3), s[2] = 1 + pick(3), s[3] = 16, s[4] = c0; break;
    case TW_PTO_NC1HWC0:
    case TW_PTO_NDC1HWC0: s[0] = a, s[1] = 1 + pick(3), s[2] = 1 + pick(4), s[3] = 1 + pick(5), s[4] = c0; break;
    case TW_PTO_MX_A_ZZ: s[0] = 1, s[1] = 1 + pick(3), s[2] = 1 + pick(8), s[3] = 16, s[4] = 2; break;
    case TW_PTO_MX_B_NN: s[0] = 1, s[1] = 1 + pick(3), s[2] = 1 + pick(8), s[3] = 16, s[4] = 2; break;
    case TW_PTO_MX_A_ND:
    case TW_PTO_MX_A_DN:
    case TW_PTO_MX_B_ND:
    case TW_PTO_MX_B_DN: s[0] = s[1] = 1, s[2] = 1 + pick(16), s[3] = 1 + pick(16), s[4] = 2; break;
    case TW_PTO_NCHW: s[0] = 1, s[1] = a, s[2] = 1 + pick(20), s[3] = 1 + pick(4), s[4] = 1 + pick(5); break;
    case TW_PTO_NCDHW: s[0] = a, s[1] = 1 + pick(20), s[2] = b, s[3] = 1 + pick(3), s[4] = 1 + pick(3); break;
    default: s[0] = 1, s[1] = b, s[2] = a, s[3] = r, s[4] = c; break;
    }
    if (ref_bits(g->type) == 4) s[4] += s[4] & 1;
    *rows = *cols = 1;
    static const struct {
        tw_pto_layout layout;
        const char *along; /* c: the dimension counts columns */
    } maps[] = {
        { TW_PTO_DN, "cccrc" },       { TW_PTO_NZ, "ccrrc" },      { TW_PTO_NC1HWC0, "rcrrc" },
        { TW_PTO_NDC1HWC0, "rcrrc" }, { TW_PTO_MX_A_ZZ, "rrcrc" }, { TW_PTO_MX_B_NN, "ccrcr" },
        { TW_PTO_MX_A_ND, "rrrcc" },  { TW_PTO_MX_A_DN, "rrcrc" }, { TW_PTO_MX_B_ND, "ccrcr" },
        { TW_PTO_MX_B_DN, "cccrr" },  { TW_PTO_NCHW, "rrcrr" },    { TW_PTO_NCDHW, "rcrrr" },
    };
    const char *along = "rrrrc";
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (maps[i].layout == g->layout) along = maps[i].along;
    for (int d = 0; d < 5; d++) *(along[d] == 'c' ? cols : rows) *= (uint32_t)s[d];
}

/* Strides with gaps; the innermost dimension of DN is that of rows. */
static size_t strides(tw_pto_tensor *g, uint32_t gap)
{
    static const int inner_last[] = { 4, 3, 2, 1, 0 }, columns[] = { 3, 4, 2, 1, 0 };
    const int *order = g->layout == TW_PTO_DN ? columns : inner_last;
    size_t step = 1;
    for (int i = 0; i < 5; i++) {
        g->stride[order[i]] = (ptrdiff_t)step;
        step = step * g->shape[order[i]] + gap;
    }
    return step;
}

static uint32_t up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

static bool one_transfer(tw_pto_target target, tw_type type, size_t fit, bool load)
{
    tw_pto_tensor g = { .type = type, .layout = fits[fit].layout };
    bool cpu = target == TW_PTO_CPU, scale = is_scale(g.layout), nibbles = ref_bits(type) == 4;
    bool l1 = pick(2) && (load || target != TW_PTO_A5);
    unsigned allowed = l1 && load ? fits[fit].mat : fits[fit].vec; /* stores keep the layout */
    if (cpu) allowed = scale ? 1u << PLAIN_ROWS | 1u << ZZ | 1u << NN : 15;
    if (scale && (target == TW_PTO_A2A3 || (type != TW_F8E8M0 && type != TW_U8))) return false;
    if (!allowed || (!cpu && ref_bits(type) == 64 && fit > 1)) return false;
    unsigned box = pick(6);
    while (!(allowed >> box & 1)) box = (box + 1) % 6;
    uint32_t rows, cols;
    shape(&g, &rows, &cols, box == NZ || box == ZN);
    tw_pto_tile t = tw_pto_tile_of(l1 ? TW_PTO_MAT : TW_PTO_VEC, type, up(rows, 64), up(cols, 64));
    t.blayout = layouts[box].blayout, t.slayout = layouts[box].slayout;
    if (box == ZZ || box == NN) t.fractal = 32;
    if (pick(3) == 0 && box != PLAIN_COLS) t.cols += 64;
    t.valid_rows = rows, t.valid_cols = cols;
    t.pad = load ? pick(5) : 0;
    if (t.pad == 4) t.pad = TW_PTO_PAD_BITS + (ref_next(&state) >> 32);
    if (target == TW_PTO_A5 && ref_bits(type) == 64 && t.pad > TW_PTO_PAD_ZERO) t.pad = TW_PTO_PAD_ZERO;
    tw_pto *core = tw_pto_new(target, 0);
    if (ref_tile_bytes(&t) > 128 * 1024) {
        (tw_pto_free)(core);
        return false;
    }
    size_t count = strides(&g, nibbles ? 0 : pick(4)) + 64, bytes = count * 8;
    bool atomic =
        !load && pick(4) == 0 &&
        (type == TW_I8 || type == TW_I16 || type == TW_I32 || type == TW_F16 || type == TW_BF16 || type == TW_F32);
    unsigned char *memory = malloc(bytes), *kept = malloc(bytes);
    assert_true(memory && kept);
    for (size_t i = 0; i < bytes; i++) memory[i] = (unsigned char)ref_next(&state);
    memcpy(kept, memory, bytes);
    g.data = memory;
    ref_image image = ref_fill(core, &t, any, &state);
    tw_pto_attrs attrs = { .atomic = atomic };
    tw_status status = load ? tw_pto_load(core, &t, &g) : CALL(core, "tstore", &attrs, TENSOR(&g), TILE(&t));
    if (status != TW_OK) fail_msg("%s", tw_error_message());
    if (load && t.pad != TW_PTO_PAD_NULL && (t.valid_rows < t.rows || t.valid_cols < t.cols))
        for (uint32_t r = 0; r < t.rows; r++)
            for (uint32_t c = 0; c < t.cols; c++) ref_set(&image, r, c, ref_pad(type, t.pad));
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++) {
            size_t at = (size_t)ref_tensor_index(&g, r, c);
            uint64_t code = ref_get(&image, r, c), old = ref_load(kept, type, at);
            if (load) ref_set(&image, r, c, old);
            if (atomic)
                code = ref_is_float(type)
                           ? ref_encode(type, ref_decode(type, old) + ref_decode(type, code), REF_EVEN, false)
                           : old + code;
            if (!load) ref_store(kept, type, at, code);
        }
    bool good = ref_equal(core, &t, &image, load ? "tload" : "tstore");
    for (size_t i = 0; good && !load && i < bytes * 8 / ref_bits(type); i++)
        good = ref_same(type, ref_load(kept, type, i), ref_load(memory, type, i));
    if (!good || (load && memcmp(kept, memory, bytes) != 0))
        fail_msg("%s on %s: %s, tensor %s %zu x %zu x %zu x %zu x %zu, tile layout %u in %s, pad %#llx, atomic %d",
                 load ? "tload" : "tstore", tw_pto_target_name(target), tw_type_name(type, TW_SYSTEM_PTO),
                 tw_pto_layout_name(g.layout), g.shape[0], g.shape[1], g.shape[2], g.shape[3], g.shape[4], box,
                 l1 ? "L1" : "vector memory", (unsigned long long)t.pad, atomic);
    free(memory);
    free(kept);
    ref_drop(&image);
    tw_pto_free(core);
    return true;
}

static void transfers(bool load)
{
    enum { CASES = 3 };
    unsigned done = 0;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < (target == TW_PTO_A2A3 ? A2A3_TYPES : TYPES); t++)
            for (size_t fit = 0; fit < FITS; fit++)
                for (int i = 0; i < CASES; i++) done += one_transfer((tw_pto_target)target, types[t], fit, load);
    assert_true(done > 700);
}

static void pto_ref_load_values(void **unused)
{
    (void)unused;
    transfers(true);
}

static void pto_ref_store_values(void **unused)
{
    (void)unused;
    transfers(false);
}

/* Each element type by profile: those of A5 alone are not on A2/A3. */
static void pto_ref_load_types(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int i = 0; i < TYPES; i++) {
            tw_pto_tile t = vec_tile(types[i], 4, 64);
            tw_pto_tensor g = tw_pto_tensor_of(NULL, types[i], 4, 64, TW_PTO_ND);
            tw_pto_operand load[] = { TILE(&t), TENSOR(&g) }, store[] = { TENSOR(&g), TILE(&t) };
            bool want = target != TW_PTO_A2A3 || i < A2A3_TYPES;
            bool loads =
                     tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("TLOAD"), load, 2, NULL, NULL) == TW_OK,
                 stores = tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("TSTORE"), store, 2, NULL, NULL) ==
                          TW_OK;
            if (loads != want || stores != want)
                fail_msg("%s on %s: load %d, store %d", tw_type_name(types[i], TW_SYSTEM_PTO),
                         tw_pto_target_name((tw_pto_target)target), loads, stores);
        }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_load");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_load_values),
        cmocka_unit_test(pto_ref_store_values),
        cmocka_unit_test(pto_ref_load_types),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_load", tests, NULL, NULL);
}
