/* SPDX-License-Identifier: MIT */
/* Conversions between all pairs of real types, in all modes and levels, against tw_convert() of the type box (which
 * has tests of its own against arithmetic); mixed operand types; packed 4-bit types; bits; flushing; fused halves. */
#include "check.h"
#include "core/vec/reference.h"
#include <math.h>

enum { N = 270 };

static unsigned char source[N * 16], got[N * 8 + 16];
static uint32_t noise[N];

static void compare_with_scalar(tw_type to, tw_type from, const tw_vec_mode *mode, int level)
{
    static const size_t lengths[] = { 1, 9, 37, 70, N };
    tw_vec_kernel k;
    tw_type types[] = { to, from };
    size_t to_size = tw_type_size(to), from_size = tw_type_size(from),
           n = lengths[random_bits() % (mode->rounding == TW_ROUND_NEAREST_EVEN ? 5 : 4)];
    ptrdiff_t stride = (ptrdiff_t)(from_size * (1 + random_bits() % 2));
    OK(tw__vec_resolve_at(level, TW_VEC_CONVERT, types, mode, &k));
    random_elements(from, 2 * n, source);
    if (from == TW_BOOL)
        for (size_t i = 0; i < sizeof source; i++) source[i] &= 1;
    for (size_t i = 0; i < n; i++) noise[i] = (uint32_t)random_bits();
    memset(got, 0xcc, sizeof got);
    tw_run runs[] = { tw_run_of(got, (ptrdiff_t)to_size), tw_run_of(source, stride), tw_run_of(noise, 4) };
    assert_int_equal(tw_vec_call(&k, n, runs), n);
    for (size_t i = 0; i < n; i++) {
        unsigned char want[8];
        const void *at = source + (ptrdiff_t)i * stride;
        tw_convert_mode how = { mode->rounding, mode->saturation };
        if (to == from && !(mode->saturation == TW_SAT_SYMMETRIC && tw_type_get(to)->kind == TW_KIND_INT))
            memcpy(want, at, to_size); /* a move */
        else
            assert_true(tw_convert(to, want, from, at, how, noise[i]));
        if (memcmp(want, got + i * to_size, to_size) == 0) continue;
        print_message("%s to %s rounding %d saturation %d level %d n %zu element %zu:",
                      tw_type_name(from, TW_SYSTEM_TILEWRIGHT), tw_type_name(to, TW_SYSTEM_TILEWRIGHT),
                      mode->rounding, mode->saturation, level, n, i);
        print_bits("source", at, from_size);
        print_bits("expected", want, to_size);
        print_bits("got", got + i * to_size, to_size);
        fail_msg(".");
    }
    assert_int_equal(got[n * to_size], 0xcc);
}

static void vec_convert_all_pairs(void **state)
{
    (void)state;
    static const tw_type others[] = { TW_BOOL, TW_F8E4M3, TW_F8E5M2, TW_HIF8, TW_QUARTER };
    tw_type all[REAL_TYPES + 5];
    memcpy(all, real_types, sizeof real_types);
    memcpy(all + REAL_TYPES, others, sizeof others);
    for (size_t to = 0; to < REAL_TYPES + 5; to++)
        for (size_t from = 0; from < REAL_TYPES + 5; from++)
            for (int rounding = 0; rounding < TW_ROUND_COUNT; rounding++)
                for (int saturation = 0; saturation < TW_SAT_COUNT; saturation++)
                    for (int level = 0; level < TW__LEVELS; level++) {
                        tw_vec_mode mode = { .rounding = (tw_rounding)rounding,
                                             .saturation = (tw_saturation)saturation };
                        if (!tw__level_of(level)) continue;
                        compare_with_scalar(all[to], all[from], &mode, level);
                    }
}

/* Every half to f32 and back, and every pattern of the top 16 bits of an f32. */
static void vec_convert_all_halves(void **state)
{
    (void)state;
    static uint16_t halves[65536], back[65536];
    static float floats[65536];
    for (unsigned i = 0; i < 65536; i++) halves[i] = (uint16_t)i;
    for (int level = 0; level < TW__LEVELS; level++)
        for (int b = 0; b < 2; b++) {
            if (!tw__level_of(level)) continue;
            tw_vec_kernel up, down;
            tw_type h = b ? TW_BF16 : TW_F16;
            OK(tw__vec_resolve_at(level, TW_VEC_CONVERT, (const tw_type[]){ TW_F32, h }, NULL, &up));
            OK(tw__vec_resolve_at(level, TW_VEC_CONVERT, (const tw_type[]){ h, TW_F32 }, NULL, &down));
            tw_vec_call(&up, 65536, (const tw_run[]){ { floats, 4, 0 }, { halves, 2, 0 } });
            tw_vec_call(&down, 65536, (const tw_run[]){ { back, 2, 0 }, { floats, 4, 0 } });
            for (unsigned i = 0; i < 65536; i++) {
                unsigned quiet = b ? 0x40 : 0x200, infinite = b ? 0x7f80 : 0x7c00;
                assert_int_equal(back[i], (i & 0x7fff) > infinite ? i | quiet : i);
            }
        }
}

/* Mixed operand types: f32 + f16, f32 accumulators with half products (CSL reference, DSD operations), results
 * narrowed. */
static void vec_convert_mixed(void **state)
{
    (void)state;
    uint16_t h[] = { 0x3c00, 0x0001, 0x7bff }, b[3];
    float f[] = { 1e-3f, 2.5f, -65504.0f }, r[3];
    int8_t small[3];
    tw_vec_kernel k;
    OK(tw_vec_resolve(TW_VEC_ADD, (const tw_type[]){ TW_F32, TW_F32, TW_F16 }, NULL, &k));
    tw_vec_call(&k, 3, (const tw_run[]){ { r, 4, 0 }, { f, 4, 0 }, { h, 2, 0 } });
    for (int i = 0; i < 3; i++) assert_true(r[i] == f[i] + tw_f16_to_f32(h[i]));
    OK(tw_vec_resolve(TW_VEC_FMA, (const tw_type[]){ TW_F32, TW_F16, TW_F16, TW_F32 }, NULL, &k));
    tw_vec_call(&k, 3, (const tw_run[]){ { r, 4, 0 }, { h, 2, 0 }, { &h[2], 0, 0 }, { f, 4, 0 } });
    for (int i = 0; i < 3; i++) assert_true(r[i] == fmaf(tw_f16_to_f32(h[i]), 65504.0f, f[i]));
    tw_vec_mode clamp = { .saturation = TW_SAT_ON };
    OK(tw_vec_resolve(TW_VEC_ADD, (const tw_type[]){ TW_I8, TW_F16, TW_F16 }, &clamp, &k));
    tw_vec_call(&k, 3, (const tw_run[]){ { small, 1, 0 }, { h, 2, 0 }, { h, 2, 0 } });
    assert_int_equal(small[0], 2);
    assert_int_equal(small[1], 0);
    assert_int_equal(small[2], 127);
    OK(tw_vec_resolve(TW_VEC_SUB, (const tw_type[]){ TW_I64, TW_U8, TW_I32 }, NULL, &k));
    int64_t wide;
    tw_vec_call(&k, 1, (const tw_run[]){ { &wide, 8, 0 }, { (uint8_t[]){ 3 }, 1, 0 }, { (int32_t[]){ 5 }, 4, 0 } });
    assert_int_equal(wide, -2);
    /* Counts too large for the type they are converted to still shift everything out. */
    uint8_t byte;
    OK(tw_vec_resolve(TW_VEC_SHL, (const tw_type[]){ TW_U8, TW_U8, TW_U32 }, NULL, &k));
    tw_vec_call(&k, 1,
                (const tw_run[]){ { &byte, 1, 0 }, { (uint8_t[]){ 3 }, 1, 0 }, { (uint32_t[]){ 257 }, 4, 0 } });
    assert_int_equal(byte, 0);
    OK(tw_vec_resolve(TW_VEC_GT, (const tw_type[]){ TW_BF16, TW_F16, TW_F32 }, NULL, &k));
    tw_vec_call(&k, 3, (const tw_run[]){ { b, 2, 0 }, { h, 2, 0 }, { f, 4, 0 } });
    assert_int_equal(b[0], 0x3f80);
    assert_int_equal(b[1], 0);
    assert_int_equal(tw_vec_resolve(TW_VEC_ADD, (const tw_type[]){ TW_I64, TW_U64, TW_I64 }, NULL, &k), TW_E_TYPE);
}

/* Two 4-bit values per byte, low one first; the last nibble's neighbour stays. */
static void vec_convert_nibbles(void **state)
{
    (void)state;
    unsigned char packed[200], again[200];
    int8_t wide[399];
    float floats[399];
    for (size_t i = 0; i < sizeof packed; i++) packed[i] = (unsigned char)random_bits();
    tw_vec_kernel k;
    OK(tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ TW_I8, TW_I4 }, NULL, &k));
    tw_vec_call(&k, 399, (const tw_run[]){ { wide, 1, 0 }, { packed, 0, 0 } });
    for (int i = 0; i < 399; i++) {
        int field = packed[i / 2] >> (i % 2 * 4) & 15;
        assert_int_equal(wide[i], field > 7 ? field - 16 : field);
    }
    memset(again, 0x5a, sizeof again);
    OK(tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ TW_I4, TW_I8 }, NULL, &k));
    tw_vec_call(&k, 399, (const tw_run[]){ { again, 0, 0 }, { wide, 1, 0 } });
    assert_memory_equal(again, packed, 199);
    assert_int_equal(again[199], (packed[199] & 15) | 0x50);
    OK(tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ TW_F32, TW_U4 }, NULL, &k));
    tw_vec_call(&k, 399, (const tw_run[]){ { floats, 4, 0 }, { packed, 0, 0 } });
    for (int i = 0; i < 399; i++) assert_true(floats[i] == (float)(packed[i / 2] >> (i % 2 * 4) & 15));
    tw_vec_mode clamp = { .saturation = TW_SAT_ON };
    OK(tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ TW_I4, TW_F32 }, &clamp, &k));
    tw_vec_call(&k, 2, (const tw_run[]){ { again, 0, 0 }, { (float[]){ 100, -100 }, 4, 0 } });
    assert_int_equal(again[0], 0x87);
    OK(tw_vec_resolve(TW_VEC_CONVERT, (const tw_type[]){ TW_BF16, TW_F4E2M1 }, NULL, &k));
    uint16_t b[2];
    tw_vec_call(&k, 2, (const tw_run[]){ { b, 2, 0 }, { (unsigned char[]){ 0xf7 }, 0, 0 } }); /* 6 and -6 */
    assert_int_equal(b[0], 0x40c0);
    assert_int_equal(b[1], 0xc0c0);
}

/* Comparisons to bits and selection by bits, LSB first: PTO ISA, predicates. */
static void vec_convert_bits(void **state)
{
    (void)state;
    enum { MOST = 600 };
    static int16_t a[MOST], b[MOST], picked[MOST];
    static unsigned char bits[MOST / 8 + 2], bytes[MOST];
    for (int trial = 0; trial < 200; trial++) {
        size_t n = random_bits() % MOST;
        tw_vec_mode mode = { .bits = true };
        tw_vec_kernel less, select, select_bytes, less_bytes;
        random_elements(TW_I16, MOST, a);
        random_elements(TW_I16, MOST, b);
        memset(bits, 0xff, sizeof bits);
        OK(tw_vec_resolve(TW_VEC_LT, (const tw_type[]){ TW_U8, TW_I16, TW_I16 }, &mode, &less));
        OK(tw_vec_resolve(TW_VEC_LT, (const tw_type[]){ TW_BOOL, TW_I16, TW_I16 }, NULL, &less_bytes));
        OK(tw_vec_resolve(TW_VEC_SELECT, (const tw_type[]){ TW_I16, TW_U8, TW_I16, TW_I16 }, &mode, &select));
        OK(tw_vec_resolve(TW_VEC_SELECT, (const tw_type[]){ TW_I16, TW_BOOL, TW_I16, TW_I16 }, NULL,
                          &select_bytes));
        tw_vec_call(&less, n, (const tw_run[]){ { bits, 0, 0 }, { a, 2, 0 }, { b, 2, 0 } });
        tw_vec_call(&less_bytes, n, (const tw_run[]){ { bytes, 1, 0 }, { a, 2, 0 }, { b, 2, 0 } });
        for (size_t i = 0; i < 8 * sizeof bits; i++)
            assert_int_equal(bits[i / 8] >> (i % 8) & 1, i < n ? a[i] < b[i] : 1);
        for (int form = 0; form < 2; form++) {
            memset(picked, 0, sizeof picked);
            if (form)
                tw_vec_call(&select, n,
                            (const tw_run[]){ { picked, 2, 0 }, { bits, 0, 0 }, { a, 2, 0 }, { b, 2, 0 } });
            else
                tw_vec_call(&select_bytes, n,
                            (const tw_run[]){ { picked, 2, 0 }, { bytes, 1, 0 }, { a, 2, 0 }, { b, 2, 0 } });
            for (size_t i = 0; i < n; i++) assert_int_equal(picked[i], a[i] < b[i] ? a[i] : b[i]);
        }
    }
}

static void vec_convert_flush(void **state)
{
    (void)state;
    float a[] = { 1e-40f, -1e-40f, 0x1p-100f, 0x1p-126f }, b[] = { 1, 1, 0x1p-100f, 1 }, r[4];
    uint16_t h[] = { 0x8001, 0x0400, 0x03ff }, two[] = { 0x3c00, 0x3800, 0x4000 }, g[3];
    tw_vec_mode mode = { .flush = true };
    tw_vec_kernel k;
    OK(tw_vec_resolve(TW_VEC_MUL, (const tw_type[]){ TW_F32, TW_F32, TW_F32 }, &mode, &k));
    tw_vec_call(&k, 4, (const tw_run[]){ { r, 4, 0 }, { a, 4, 0 }, { b, 4, 0 } });
    assert_true(r[0] == 0 && !signbit(r[0]) && r[1] == 0 && signbit(r[1]) && r[2] == 0 && r[3] == 0x1p-126f);
    assert_true(a[0] != 0); /* sources stay */
    OK(tw_vec_resolve(TW_VEC_MUL, (const tw_type[]){ TW_F16, TW_F16, TW_F16 }, &mode, &k));
    tw_vec_call(&k, 3, (const tw_run[]){ { g, 2, 0 }, { h, 2, 0 }, { two, 2, 0 } });
    assert_int_equal(g[0], 0x8000); /* operand */
    assert_int_equal(g[1], 0);      /* result 2^-15 is subnormal */
    assert_int_equal(g[2], 0);      /* operand, though the result would be normal */
}

/* f16 fma has one rounding in every rounding mode. 128 bits hold the sum in units of 2^-48. */
static void vec_convert_half_fma(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        uint16_t x[3], r, want;
        tw_vec_mode mode = { .rounding = (tw_rounding)(random_bits() % TW_ROUND_STOCHASTIC) };
        __int128 units[3];
        for (int i = 0; i < 3; i++) {
            x[i] = (uint16_t)random_bits();
            if ((x[i] & 0x7c00) == 0x7c00) x[i] ^= 0x4000;
            int exponent = x[i] >> 10 & 31, mantissa = x[i] & 0x3ff;
            __int128 value = exponent ? (__int128)(mantissa | 0x400) << (exponent - 1) : mantissa; /* of 2^-24 */
            units[i] = x[i] >> 15 ? -value : value;
        }
        __int128 sum = units[0] * units[1] + units[2] * (1 << 24), size = sum < 0 ? -sum : sum;
        if (size == 0) continue;
        /* To a double with a sticky bit: exactly what the conversion to half needs. */
        int shift = 0;
        while (size >> shift >= (__int128)1 << 53) shift++;
        uint64_t top = (uint64_t)(size >> shift) | ((size & (((__int128)1 << shift) - 1)) != 0);
        double exact = scalbn((double)top, shift - 48) * (sum < 0 ? -1 : 1);
        want = tw_f64_to_f16(exact, mode.rounding, 0);
        tw_vec_kernel k;
        OK(tw_vec_resolve(TW_VEC_FMA, (const tw_type[]){ TW_F16, TW_F16, TW_F16, TW_F16 }, &mode, &k));
        tw_vec_call(&k, 1, (const tw_run[]){ { &r, 2, 0 }, { &x[0], 2, 0 }, { &x[1], 2, 0 }, { &x[2], 2, 0 } });
        if (r != want)
            fail_msg("rounding %d: %04x * %04x + %04x = %04x, not %04x", mode.rounding, x[0], x[1], x[2], want, r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_convert_all_pairs), cmocka_unit_test(vec_convert_all_halves),
        cmocka_unit_test(vec_convert_mixed),     cmocka_unit_test(vec_convert_nibbles),
        cmocka_unit_test(vec_convert_bits),      cmocka_unit_test(vec_convert_flush),
        cmocka_unit_test(vec_convert_half_fma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
