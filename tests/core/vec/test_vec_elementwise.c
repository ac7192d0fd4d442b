/* SPDX-License-Identifier: MIT */
/* Elementwise operations: every operation, type, mode and dispatch level against the plain reference, bit by bit, on
 * random operands of all lengths around the vector widths; strides, repeated operands and guards; all halves. */
#include "check.h"
#include "core/vec/reference.h"

enum { LONGEST = 600, GUARD = 64 };

static bool is_elementary(tw_vec_op op)
{
    return (op >= TW_VEC_EXP && op <= TW_VEC_SOFTPLUS) || (op >= TW_VEC_POW && op <= TW_VEC_HYPOT);
}

static char class_of(int op)
{
#define CLASS(name, number, sources, class_) [number] = #class_,
    static const char *const classes[TW_VEC_OP_COUNT] = { TW_VEC_OP_LIST(CLASS) };
#undef CLASS
    return *classes[op];
}

static bool gives_truth(tw_vec_op op)
{
    return class_of(op) == 'P' || class_of(op) == 'C';
}

/* One element after the other, by a rule that has a reference. */
static bool is_elementwise(int op)
{
    return (class_of(op) == 'A' || gives_truth((tw_vec_op)op)) && !is_elementary((tw_vec_op)op);
}

/* Operands of one trial: contiguous, or spread out with a stride that is no multiple of the size. */
typedef struct trial {
    tw_vec_kernel kernel;
    size_t n;
    unsigned char memory[4][GUARD + LONGEST * 19 + GUARD], expected[LONGEST * 8];
    tw_run runs[4];
} trial;

static void place(trial *t, unsigned arg, unsigned shape)
{
    ptrdiff_t size = (ptrdiff_t)t->kernel.size[arg], stride = size;
    unsigned char *at = t->memory[arg] + GUARD + random_bits() % 4; /* no alignment */
    if (shape == 1) stride = size + 1 + (ptrdiff_t)(random_bits() % 10);
    if (shape == 2) stride = -(size + (ptrdiff_t)(random_bits() % 3));
    if ((shape == 3 && arg > 0) || (shape == 5 && arg == 2)) stride = 0;
    if (shape == 6) stride = 2 * size;
    if (stride < 0) at -= stride * (ptrdiff_t)(t->n - 1);
    t->runs[arg] = (tw_run){ at, stride, t->n };
}

static unsigned char *element(const trial *t, unsigned arg, size_t i)
{
    return (unsigned char *)t->runs[arg].at + (ptrdiff_t)i * t->runs[arg].stride;
}

static void expect(trial *t)
{
    size_t size = t->kernel.size[0];
    for (size_t i = 0; i < t->n; i++) {
        const void *sources[3] = { NULL };
        for (unsigned a = 1; a < t->kernel.args; a++) sources[a - 1] = element(t, a, i);
        assert_true(
            tw__vec_reference(t->kernel.op, &t->kernel.mode, t->kernel.types[1], t->expected + i * size, sources));
    }
}

static void compare(trial *t, int level, unsigned shape)
{
    size_t size = t->kernel.size[0];
    for (size_t i = 0; i < t->n; i++) {
        if (memcmp(element(t, 0, i), t->expected + i * size, size) == 0) continue;
        print_message("%s %s level %d shape %u n %zu element %zu sat %d nan %d:", tw_vec_op_name(t->kernel.op),
                      tw_type_name(t->kernel.types[1], TW_SYSTEM_TILEWRIGHT), level, shape, t->n, i,
                      t->kernel.mode.saturation, t->kernel.mode.nan);
        for (unsigned a = 1; a < t->kernel.args; a++) print_bits("source", element(t, a, i), t->kernel.size[a]);
        print_bits("expected", t->expected + i * size, size);
        print_bits("got", element(t, 0, i), size);
        fail_msg(".");
    }
}

/* Bytes of the destination's memory that belong to no element keep their value. */
static void check_guards(const trial *t, const unsigned char *before)
{
    static unsigned char mine[sizeof t->memory[0]];
    memset(mine, 0, sizeof mine);
    for (size_t i = 0; i < t->n; i++) memset(mine + (element(t, 0, i) - t->memory[0]), 1, t->kernel.size[0]);
    for (size_t b = 0; b < sizeof mine; b++)
        if (!mine[b]) assert_int_equal(t->memory[0][b], before[b]);
}

static void run_trial(tw_vec_op op, tw_type type, const tw_vec_mode *mode, size_t n, unsigned shape)
{
    static trial t;
    static unsigned char before[sizeof t.memory[0]];
    tw_type types[4] = { gives_truth(op) ? TW_BOOL : type, type, type, type };
    for (int level = 0; level < TW__LEVELS; level++) {
        if (!tw__level_of(level)) continue;
        uint64_t start = seed;
        OK(tw__vec_resolve_at(level, op, types, mode, &t.kernel));
        t.n = n;
        memset(t.memory, 0xa5, sizeof t.memory);
        for (unsigned a = 0; a < t.kernel.args; a++)
            place(&t, a, shape == 4 ? (unsigned)(random_bits() % 4) : shape);
        for (unsigned a = 1; a < t.kernel.args; a++)
            for (size_t i = 0; i < (t.runs[a].stride ? n : 1); i++) random_element(type, element(&t, a, i));
        expect(&t);
        memcpy(before, t.memory[0], sizeof before);
        assert_int_equal(tw_vec_call(&t.kernel, n, t.runs), n);
        compare(&t, level, shape);
        check_guards(&t, before);
        if (level + 1 < TW__LEVELS && tw__level_of(level + 1)) seed = start; /* the same operands for the next */
    }
}

static bool exists(tw_vec_op op, tw_type type, const tw_vec_mode *mode)
{
    tw_vec_kernel kernel;
    tw_type types[4] = { gives_truth(op) ? TW_BOOL : type, type, type, type };
    return tw_vec_resolve(op, types, mode, &kernel) == TW_OK;
}

static void all_types(const tw_vec_mode *mode)
{
    static const size_t lengths[] = { 0, 1, 7, 33, 256, 531 };
    for (int op = 0; op < TW_VEC_OP_COUNT; op++)
        for (size_t i = 0; i < REAL_TYPES; i++) {
            if (!is_elementwise(op) || !exists((tw_vec_op)op, real_types[i], mode)) continue;
            for (unsigned shape = 0; shape < 7; shape++)
                run_trial((tw_vec_op)op, real_types[i], mode, lengths[random_bits() % 6], shape);
            run_trial((tw_vec_op)op, real_types[i], mode, 531, 0);
        }
}

static void vec_elementwise_default(void **state)
{
    (void)state;
    all_types(&(tw_vec_mode){ .no_div_fault = true });
}

static void vec_elementwise_modes(void **state)
{
    (void)state;
    all_types(&(tw_vec_mode){ .no_div_fault = true, .saturation = TW_SAT_ON, .nan = TW_NAN_PROPAGATE });
    all_types(&(tw_vec_mode){ .no_div_fault = true, .nan = TW_NAN_FIRST });
    all_types(&(tw_vec_mode){ .no_div_fault = true, .order = TW_ORDER_SEQUENTIAL });
}

/* Which operations exist for which kinds of type: a hole in a table shows here. */
static void vec_elementwise_coverage(void **state)
{
    (void)state;
    static const struct {
        tw_vec_op first, last;
        bool ints, floats;
    } rows[] = {
        { TW_VEC_COPY, TW_VEC_ABS, true, true },      { TW_VEC_NOT, TW_VEC_LNOT, true, false },
        { TW_VEC_RELU, TW_VEC_SQUARE, true, true },   { TW_VEC_SQRT, TW_VEC_RINT, false, true },
        { TW_VEC_POPCOUNT, TW_VEC_CTZ, true, false }, { TW_VEC_ISNAN, TW_VEC_SOFTPLUS, false, true },
        { TW_VEC_ADD, TW_VEC_PRELU, true, true },     { TW_VEC_COPYSIGN, TW_VEC_SCALB, false, true },
        { TW_VEC_AND, TW_VEC_SAR, true, false },      { TW_VEC_POW, TW_VEC_POW, true, true },
        { TW_VEC_ATAN2, TW_VEC_HYPOT, false, true },  { TW_VEC_EQ, TW_VEC_CLAMP, true, true },
    };
    bool told[TW_VEC_OP_COUNT] = { false };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int op = rows[r].first; op <= (int)rows[r].last; op++)
            for (size_t i = 0; i < REAL_TYPES; i++) {
                told[op] = true;
                bool is_float = tw_type_get(real_types[i])->kind == TW_KIND_FLOAT;
                if (exists((tw_vec_op)op, real_types[i], NULL) != (is_float ? rows[r].floats : rows[r].ints))
                    fail_msg("%s on %s", tw_vec_op_name((tw_vec_op)op),
                             tw_type_name(real_types[i], TW_SYSTEM_TILEWRIGHT));
            }
    for (int op = 0; op < TW_VEC_OP_COUNT; op++)
        if (is_elementwise(op) && !told[op])
            fail_msg("no row tells the types of %s", tw_vec_op_name((tw_vec_op)op));
}

/* All 65,536 halves (and bfloat16s) through every unary operation, all rounding modes of the narrowing. */
static void vec_elementwise_all_halves(void **state)
{
    (void)state;
    static uint16_t all[65536], got[65536];
    for (unsigned i = 0; i < 65536; i++) all[i] = (uint16_t)i;
    for (int op = 0; op < TW_VEC_OP_COUNT; op++)
        for (int half = 0; half < 2 && is_elementwise(op) && tw_vec_op_sources((tw_vec_op)op) == 1; half++)
            for (int level = 0; level < TW__LEVELS; level++) {
                tw_type type = half ? TW_BF16 : TW_F16,
                        types[] = { gives_truth((tw_vec_op)op) ? TW_BOOL : type, type };
                tw_vec_kernel kernel;
                if (!tw__level_of(level) || !exists((tw_vec_op)op, type, NULL)) continue;
                OK(tw__vec_resolve_at(level, (tw_vec_op)op, types, NULL, &kernel));
                ptrdiff_t size = (ptrdiff_t)kernel.size[0];
                tw_run runs[] = { { got, size, 0 }, { all, 2, 0 } };
                assert_int_equal(tw_vec_call(&kernel, 65536, runs), 65536);
                for (unsigned i = 0; i < 65536; i++) {
                    uint16_t want = 0;
                    const void *source = &all[i];
                    assert_true(tw__vec_reference((tw_vec_op)op, NULL, type, &want, &source));
                    if (memcmp((char *)got + (ptrdiff_t)i * size, &want, (size_t)size) != 0)
                        fail_msg("%s of %s %04x at level %d: %04x", tw_vec_op_name((tw_vec_op)op),
                                 half ? "bf16" : "f16", i, level, got[i]);
                }
            }
}

/* Narrowing with each rounding and saturation mode; stochastic rounding takes its bits from the last operand. */
static void vec_elementwise_rounding(void **state)
{
    (void)state;
    enum { N = 300 };
    static const tw_type halves[] = { TW_F16, TW_BF16 };
    static uint16_t a[N], b[N], got[N];
    static uint32_t bits[N];
    for (int level = 0; level < TW__LEVELS; level++)
        for (int h = 0; h < 2; h++)
            for (int rounding = 0; rounding < TW_ROUND_COUNT; rounding++)
                for (int saturation = 0; saturation < 2; saturation++) {
                    if (!tw__level_of(level)) continue;
                    tw_type t = halves[h], types[] = { t, t, t };
                    tw_vec_mode mode = { .rounding = (tw_rounding)rounding,
                                         .saturation = (tw_saturation)saturation };
                    tw_vec_kernel kernel;
                    OK(tw__vec_resolve_at(level, TW_VEC_ADD, types, &mode, &kernel));
                    assert_int_equal(kernel.args, rounding == TW_ROUND_STOCHASTIC ? 4 : 3);
                    random_elements(t, N, a);
                    random_elements(t, N, b);
                    for (int i = 0; i < N; i++) bits[i] = (uint32_t)random_bits();
                    tw_run runs[] = { { got, 2, 0 }, { a, 2, 0 }, { b, 2, 0 }, { bits, 4, 0 } };
                    assert_int_equal(tw_vec_call(&kernel, N, runs), N);
                    for (int i = 0; i < N; i++) {
                        float x, y;
                        uint16_t want;
                        tw_convert_mode even = { 0 }, how = { mode.rounding, mode.saturation };
                        tw_convert(TW_F32, &x, t, &a[i], even, 0);
                        tw_convert(TW_F32, &y, t, &b[i], even, 0);
                        x = (float)((double)x + (double)y);
                        if (x != x) x = __builtin_nanf("");
                        tw_convert(t, &want, TW_F32, &x, how, bits[i]);
                        if (want != got[i])
                            fail_msg("level %d type %d rounding %d: %04x + %04x = %04x, not %04x", level, h,
                                     rounding, a[i], b[i], want, got[i]);
                    }
                }
}

/* Modes that an operation does not have are refused, as are types. */
static void vec_elementwise_refusals(void **state)
{
    (void)state;
    static const struct {
        tw_vec_op op;
        tw_type type;
        tw_vec_mode mode;
        tw_status status;
    } rows[] = {
        { TW_VEC_ADD, TW_F32, { .rounding = TW_ROUND_UP }, TW_E_NOT_SUPPORTED },
        { TW_VEC_MULADD, TW_F16, { .rounding = TW_ROUND_UP }, TW_E_NOT_SUPPORTED },
        { TW_VEC_MULADD, TW_I16, { .saturation = TW_SAT_ON }, TW_E_NOT_SUPPORTED },
        { TW_VEC_ADD, TW_I16, { .saturation = TW_SAT_SYMMETRIC }, TW_E_NOT_SUPPORTED },
        { TW_VEC_ADD, TW_CF32, { 0 }, TW_E_TYPE },
        { TW_VEC_ADD, TW_BOOL, { 0 }, TW_E_TYPE },
        { TW_VEC_SQRT, TW_I32, { 0 }, TW_E_TYPE },
        { TW_VEC_ADD, TW_F32, { .order = (tw_vec_order)7 }, TW_E_INVALID_ARGUMENT },
        { (tw_vec_op)TW_VEC_OP_COUNT, TW_F32, { 0 }, TW_E_INVALID_ARGUMENT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_vec_kernel kernel;
        tw_type types[] = { rows[i].type, rows[i].type, rows[i].type, rows[i].type };
        assert_int_equal(tw_vec_resolve(rows[i].op, types, &rows[i].mode, &kernel), rows[i].status);
    }
    assert_string_equal(tw_vec_op_name(TW_VEC_SQUARE_ADD), "square_add");
    assert_string_equal(tw_vec_op_name((tw_vec_op)9999), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_elementwise_default),  cmocka_unit_test(vec_elementwise_modes),
        cmocka_unit_test(vec_elementwise_coverage), cmocka_unit_test(vec_elementwise_all_halves),
        cmocka_unit_test(vec_elementwise_rounding), cmocka_unit_test(vec_elementwise_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
