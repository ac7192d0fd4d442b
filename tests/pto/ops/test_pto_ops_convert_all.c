/* SPDX-License-Identifier: MIT */
/* TCVT against ref_convert.c: on every layout, region and pad value, and on the codes that matter to each pair: all
 * codes of narrow sources; for wide ones what lies at, between and next to the values of the destination. */
#include "pto/support/check.h"
#include "pto/reference/ref_convert.h"
#include "pto/reference/ref_layout.h"
#include "share.h"

static void pto_ref_convert_cross(void **state)
{
    ref_tally tally = { 0 };
    (void)state;
    ref_cross(ref_convert_rows, ref_convert_count, &tally);
    print_message("%lu combinations agree, %lu are refused\n", tally.runs, tally.refused);
    assert_int_equal(tally.failures, 0);
    assert_int_equal(tally.idle, 0);
}

enum { ROWS = 32, COLS = 128, CHUNK = ROWS * COLS };

typedef struct stream { /* codes of a pair, a tile at a time */
    tw_pto *core;
    tw_pto_target target;
    tw_pto_tile a, d, tmp;
    bool with_tmp;
    tw_pto_attrs attrs;
    bool saturate;
    uint64_t codes[CHUNK];
    unsigned count;
} stream;

static void flush(stream *s)
{
    unsigned char *in = tw_pto_data(s->core, &s->a), *out;
    for (unsigned i = 0; i < CHUNK; i++) ref_store(in, s->a.type, i, s->codes[i < s->count ? i : 0]);
    if (s->with_tmp)
        OK(CALL(s->core, "tcvt", &s->attrs, TILE(&s->d), TILE(&s->a), TILE(&s->tmp)));
    else
        OK(CALL(s->core, "tcvt", &s->attrs, TILE(&s->d), TILE(&s->a)));
    out = tw_pto_data(s->core, &s->d);
    for (unsigned i = 0; i < s->count; i++) {
        uint64_t want = ref_converted(s->a.type, s->d.type, s->codes[i], s->attrs.round, s->saturate),
                 got = ref_load(out, s->d.type, i);
        if (!ref_same(s->d.type, want, got))
            fail_msg("%s %s to %s, mode %d, saturation %d: %llx (%.9g) gives %llx (%.9g), not %llx (%.9g)",
                     tw_pto_target_name(s->target), tw_type_name(s->a.type, TW_SYSTEM_PTO),
                     tw_type_name(s->d.type, TW_SYSTEM_PTO), s->attrs.round, s->attrs.saturate,
                     (unsigned long long)s->codes[i], ref_decode(s->a.type, s->codes[i]), (unsigned long long)got,
                     ref_decode(s->d.type, got), (unsigned long long)want, ref_decode(s->d.type, want));
    }
    s->count = 0;
}

static void put(stream *s, uint64_t code)
{
    s->codes[s->count++] = code;
    if (s->count == CHUNK) flush(s);
}

/* f32: a value, and its neighbours on both sides. */
static void put_around(stream *s, double value)
{
    uint64_t code = ref_code(TW_F32, value);
    put(s, code);
    put(s, code + 1);
    put(s, code ? code - 1 : 0x80000000u);
}

/* For each destination code: its value, and half of the way to the next one. */
static void from_f32(stream *s, unsigned step)
{
    unsigned bits = ref_bits(s->d.type);
    uint64_t codes = bits <= 16 ? UINT64_C(1) << bits : 0;
    for (uint64_t code = 0; code < codes; code += bits <= 8 ? 1 : step) {
        double low = ref_decode(s->d.type, code), high = ref_decode(s->d.type, (code + 1) % codes);
        put_around(s, low);
        if (isfinite(low) && isfinite(high)) put_around(s, (low + high) / 2);
    }
    for (int e = -149; e < 128; e++)
        for (int k = 0; k < 8; k++) put_around(s, (k & 1 ? -1 : 1) * ldexp(1 + k / 4.0, e));
    for (int k = -300; k <= 300; k++) put_around(s, k / 4.0); /* ties of integers */
    for (int k = 0; k < 2000; k++) put(s, random_bits() & UINT32_MAX);
}

/* Around powers of two, and with few bits set: ties of the floats, ends of the integers. */
static void from_whole(stream *s)
{
    unsigned bits = ref_bits(s->a.type);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (unsigned i = 0; i < bits; i++)
        for (unsigned j = 0; j <= i; j++)
            for (int k = -2; k <= 2; k++) {
                uint64_t code = (UINT64_C(1) << i) + (i == j ? 0 : UINT64_C(1) << j) + (uint64_t)k;
                put(s, code & mask);
                put(s, (0 - code) & mask);
            }
    for (int k = 0; k < 2000; k++) put(s, (random_bits() >> random_bits() % bits) & mask);
}

static void check_pair(tw_pto_target target, tw_type from, tw_type to, bool with_tmp, unsigned step)
{
    tw_pto *core = tw_pto_new(target, 0);
    stream s = { .core = core, .target = target, .with_tmp = with_tmp };
    s.a = vec_tile(from, ROWS, COLS), s.d = vec_tile(to, ROWS, COLS), s.tmp = vec_tile(TW_U8, 32, 1024);
    for (int mode = 0; mode <= TW_PTO_ROUND_CAST_RINT; mode++)
        for (int saturate = 0; saturate < 3; saturate++) {
            if (mode == TW_PTO_ROUND_ODD && !(from == TW_F32 && to == TW_F16)) continue;
            s.attrs = (tw_pto_attrs){ .round = mode, .saturate = saturate };
            s.saturate = ref_saturates(target, with_tmp, from, to, saturate);
            if (from == TW_F32)
                from_f32(&s, 16 * step + 1);
            else if (ref_bits(from) > 16)
                from_whole(&s);
            else
                for (uint64_t code = 0; code < UINT64_C(1) << ref_bits(from);
                     code += ref_bits(from) == 16 ? step : 1)
                    put(&s, code);
            if (s.count) flush(&s);
        }
    tw_pto_free(core);
}

static void pto_ref_convert_codes(void **state)
{
    unsigned pairs = 0;
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int from = 1; from < TW_TYPE_COUNT; from++)
            for (int to = 1; to < TW_TYPE_COUNT; to++) {
                if (!ref_converts((tw_pto_target)target, (tw_type)from, (tw_type)to)) continue;
                check_pair((tw_pto_target)target, (tw_type)from, (tw_type)to, pairs++ % 2,
                           (target == TW_PTO_CPU ? 7 : 29) * share_of_cases());
            }
    assert_int_equal(pairs, 48 + 25 + 45); /* of cpu, a2a3 and a5 in the table of the documents */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_ref_convert_cross),
                                        cmocka_unit_test(pto_ref_convert_codes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
