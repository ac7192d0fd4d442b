/* SPDX-License-Identifier: MIT */
/* Element order: in sequential order element k sees every write j < k, whatever the operands share; the reference
 * does one element after the other. The test of ranges is checked against all pairs of elements. Faults. */
#include "check.h"
#include "core/vec/reference.h"

enum { BYTES = 4096 };

static void run_in_order(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char result[8];
        const void *sources[3] = { NULL };
        for (unsigned a = 1; a < k->args; a++) sources[a - 1] = (char *)args[a].at + (ptrdiff_t)i * args[a].stride;
        assert_true(tw__vec_reference(k->op, &k->mode, k->types[0], result, sources));
        memcpy((char *)args[0].at + (ptrdiff_t)i * args[0].stride, result, k->size[0]);
    }
}

static void vec_order_sequential(void **state)
{
    (void)state;
    static const tw_vec_op ops[] = { TW_VEC_COPY, TW_VEC_ADD, TW_VEC_MAX, TW_VEC_SUB, TW_VEC_MULADD, TW_VEC_NEG };
    static const tw_type types[] = { TW_I16, TW_U32, TW_F16, TW_F32, TW_F64, TW_U8 };
    static unsigned char want[BYTES], got[BYTES];
    for (int trial = 0; trial < 8000; trial++) {
        tw_type t = types[random_bits() % 6], all[] = { t, t, t, t };
        ptrdiff_t size = (ptrdiff_t)tw_type_size(t);
        tw_vec_mode mode = { .order = TW_ORDER_SEQUENTIAL };
        tw_vec_kernel k;
        OK(tw_vec_resolve(ops[random_bits() % 6], all, &mode, &k));
        random_elements(t, BYTES / (size_t)size, want);
        memcpy(got, want, BYTES);
        size_t n = random_bits() % 70;
        ptrdiff_t common = (ptrdiff_t)(random_bits() % 5) * size - 2 * size;
        tw_run reference[4], runs[4];
        for (unsigned a = 0; a < k.args; a++) {
            uint64_t kind = random_bits() % 8; /* mostly whole elements and one stride for all; at times anything */
            ptrdiff_t stride = kind < 5 ? common : kind == 5 ? 0 : (ptrdiff_t)(random_bits() % 21) - 10;
            ptrdiff_t at = BYTES / 2 + ((ptrdiff_t)(random_bits() % 9) - 4) * (kind == 7 ? 1 : size);
            reference[a] = (tw_run){ want + at, stride, n };
            runs[a] = (tw_run){ got + at, stride, n };
        }
        run_in_order(&k, n, reference);
        assert_int_equal(tw_vec_call(&k, n, runs), n);
        if (memcmp(want, got, BYTES) != 0)
            fail_msg("%s %s n %zu: dst %td/%td a %td/%td", tw_vec_op_name(k.op),
                     tw_type_name(t, TW_SYSTEM_TILEWRIGHT), n, (unsigned char *)runs[0].at - got, runs[0].stride,
                     (unsigned char *)runs[1].at - got, runs[1].stride);
    }
}

/* The range test says "order matters" exactly when a write is seen, for equal strides; else it may be too careful. */
static void vec_order_ranges(void **state)
{
    (void)state;
    tw_vec_kernel k = { .args = 2 };
    static char at[1];
    for (int trial = 0; trial < 200000; trial++) {
        k.size[0] = 1u << random_bits() % 4;
        k.size[1] = 1u << random_bits() % 4;
        size_t n = random_bits() % 7;
        ptrdiff_t stride = (ptrdiff_t)(random_bits() % 41) - 20, gap = (ptrdiff_t)(random_bits() % 101) - 50;
        ptrdiff_t other = random_bits() % 3 ? stride : (ptrdiff_t)(random_bits() % 41) - 20;
        bool seen = false;
        for (ptrdiff_t j = 1; j < (ptrdiff_t)n; j++)
            for (ptrdiff_t i = 0; i < j; i++) {
                ptrdiff_t write = i * stride, read = gap + j * other;
                seen |= write < read + (ptrdiff_t)k.size[1] && read < write + (ptrdiff_t)k.size[0];
            }
        tw_run args[] = { tw_run_of(at, stride), tw_run_of((void *)((uintptr_t)at + (uintptr_t)gap), other) };
        bool said = tw__order_matters(&k, n, args, 1);
        if (seen ? !said : said && stride == other)
            fail_msg("n %zu strides %td %td gap %td sizes %u %u", n, stride, other, gap, k.size[0], k.size[1]);
    }
}

/* CSL reference: @fmaxs(&m, m, dsd), a fold into a scalar, and @fmovh(&s, dsd), which keeps the last element. */
static void vec_order_folds(void **state)
{
    (void)state;
    float x[] = { 3, -1, 9, 4 }, m = 5;
    tw_type types[] = { TW_F32, TW_F32, TW_F32 };
    tw_vec_mode mode = { .order = TW_ORDER_SEQUENTIAL };
    tw_vec_kernel k;
    OK(tw_vec_resolve(TW_VEC_MAX, types, &mode, &k));
    tw_run fold[] = { tw_run_of(&m, 0), tw_run_of(&m, 0), tw_run_of(x, 4) };
    tw_vec_call(&k, 4, fold);
    assert_true(m == 9);
    OK(tw_vec_resolve(TW_VEC_COPY, types, &mode, &k));
    tw_run last[] = { tw_run_of(&m, 0), tw_run_of(x, 4) };
    tw_vec_call(&k, 4, last);
    assert_true(m == 4);
    /* Halves round at every step: 2048 + 1 + 1 stays 2048. */
    uint16_t h = 0x6800, ones[] = { 0x3c00, 0x3c00 };
    tw_type halves[] = { TW_F16, TW_F16, TW_F16 };
    OK(tw_vec_resolve(TW_VEC_ADD, halves, &mode, &k));
    tw_run sum[] = { tw_run_of(&h, 0), tw_run_of(&h, 0), tw_run_of(ones, 2) };
    tw_vec_call(&k, 2, sum);
    assert_int_equal(h, 0x6800);
}

/* Division by zero: elements before the fault are done, nothing from it on is touched. */
static void vec_order_faults(void **state)
{
    (void)state;
    static const tw_vec_op ops[] = { TW_VEC_DIV, TW_VEC_REM, TW_VEC_MOD };
    for (int trial = 0; trial < 600; trial++) {
        tw_type t = real_types[trial % 8], types[] = { t, t, t };
        size_t size = tw_type_size(t), n = 1 + random_bits() % 700, zero = random_bits() % (n + 1);
        tw_vec_mode mode = { .order = trial % 2 ? TW_ORDER_SEQUENTIAL : TW_ORDER_FREE };
        static unsigned char a[8 * 700], b[2][8 * 700], d[8 * 701], want[8];
        tw_vec_kernel k;
        OK(tw_vec_resolve(ops[trial % 3], types, &mode, &k));
        assert_true(k.can_fault);
        random_elements(t, n, a);
        memset(b, 7, sizeof b);
        memset(d, 0xee, sizeof d);
        ptrdiff_t stride = (ptrdiff_t)size * (1 + trial % 2);
        if (zero < n) memset(&b[0][0] + zero * (size_t)stride, 0, size);
        tw_run runs[] = { tw_run_of(d, (ptrdiff_t)size), tw_run_of(a, (ptrdiff_t)size), tw_run_of(b, stride) };
        assert_int_equal(tw_vec_call(&k, n, runs), zero);
        for (size_t i = 0; i <= n; i++) {
            const void *sources[] = { a + i * size, &b[0][0] + i * (size_t)stride };
            memset(want, 0xee, sizeof want);
            if (i < zero && i < n) tw__vec_reference(k.op, NULL, t, want, sources);
            assert_memory_equal(d + i * size, want, size);
        }
    }
    tw_vec_kernel k;
    int32_t seven = 7, none = 0, result = 1;
    tw_run runs[] = { tw_run_of(&result, 4), tw_run_of(&seven, 4), tw_run_of(&none, 0) };
    OK(tw_vec_resolve(TW_VEC_MOD, (const tw_type[]){ TW_I32, TW_I32, TW_I32 }, NULL, &k));
    assert_int_equal(tw_vec_call(&k, 1, runs), 0);
    assert_int_equal(tw_vec_call(&k, 0, runs), 0);
    assert_int_equal(result, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_order_sequential),
        cmocka_unit_test(vec_order_ranges),
        cmocka_unit_test(vec_order_folds),
        cmocka_unit_test(vec_order_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
