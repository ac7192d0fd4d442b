/* SPDX-License-Identifier: MIT */
/* THISTOGRAM and TRANDOM against loops over single elements: every byte of both types with its filters; Philox words
 * by lane, group and row, counters that carry. Partial valid regions, layouts of profile cpu; the rest of dst keeps
 * its bytes.  */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"

static uint64_t state = 29;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}

/* --- THISTOGRAM ------------------------------------------------------------------------------------------------- */

static uint64_t few_bytes(tw_type type, uint64_t random) /* equal higher bytes are common */
{
    uint64_t code = 0;
    for (unsigned b = 0; b < ref_bits(type) / 8; b++) code |= (random >> 16 * b & 3) << 8 * b;
    return random >> 60 ? code : random >> 20 & 0xffffffff;
}

static void one_histogram(tw_pto_target target, tw_type type, unsigned byte)
{
    enum { BINS = 256 };
    tw_pto *core = tw_pto_new(target, 0);
    unsigned size = ref_bits(type) / 8, higher = size - 1 - byte;
    uint32_t rows = 1 + pick(6), cols = 32 * (1 + pick(4));
    tw_pto_tile a = vec_tile(type, rows, cols), d = vec_tile(TW_U32, rows + pick(2), BINS + 8 * pick(2)), x;
    a.valid_rows = 1 + pick(rows);
    a.valid_cols = pick(2) ? cols : 1 + pick(cols);
    d.valid_rows = a.valid_rows;
    d.valid_cols = BINS;
    if (type == TW_U16) { /* a column, one byte for each row */
        x = tw_pto_tile_of(TW_PTO_VEC, TW_U8, 32, 1);
        x.blayout = TW_PTO_COL_MAJOR;
    } else { /* rows of bytes, the highest first */
        x = vec_tile(TW_U8, 4, 32);
    }
    if (target == TW_PTO_CPU) ref_any_layout(&a, ref_next(&state)), ref_any_layout(&d, ref_next(&state));
    ref_image va = ref_fill(core, &a, few_bytes, &state), vx = ref_fill(core, &x, few_bytes, &state),
              want = ref_fill(core, &d, any, &state);
    OK(CALL(core, "thistogram", &(tw_pto_attrs){ .byte = (int32_t)byte }, TILE(&d), TILE(&a), TILE(&x)));
    for (uint32_t r = 0; r < a.valid_rows; r++) {
        uint32_t counts[BINS] = { 0 };
        for (uint32_t c = 0; c < a.valid_cols; c++) {
            uint64_t value = ref_get(&va, r, c);
            bool counted = true;
            for (unsigned h = 0; h < higher; h++) {
                uint64_t filter = type == TW_U16 ? ref_get(&vx, r, 0) : ref_get(&vx, h, r);
                counted &= (value >> 8 * (size - 1 - h) & 255) == filter;
            }
            counts[value >> 8 * byte & 255] += counted;
        }
        for (uint32_t b = 0; b < BINS; b++) ref_set(&want, r, b, counts[b]);
    }
    if (!ref_equal(core, &d, &want, "thistogram"))
        fail_msg("%s byte %u of %u x %u", tw_type_name(type, TW_SYSTEM_PTO), byte, a.valid_rows, a.valid_cols);
    ref_drop(&va);
    ref_drop(&vx);
    ref_drop(&want);
    tw_pto_free(core);
}

static void pto_ref_generate_histogram(void **unused)
{
    static const tw_pto_target targets[] = { TW_PTO_CPU, TW_PTO_A5 };
    (void)unused;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 40; i++) {
            one_histogram(targets[t], TW_U16, (unsigned)i % 2);
            one_histogram(targets[t], TW_U32, (unsigned)i % 4);
        }
}

/* --- TRANDOM: Philox 4x32 with 64-bit products written out ----------------------------------------- */

static void philox(const uint32_t counter[4], uint32_t k0, uint32_t k1, int rounds, uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    while (rounds-- > 0) {
        uint64_t p0 = (uint64_t)0xD2511F53 * c0, p1 = (uint64_t)0xCD9E8D57 * c2;
        uint32_t hi0 = (uint32_t)(p0 >> 32), lo0 = (uint32_t)p0, hi1 = (uint32_t)(p1 >> 32), lo1 = (uint32_t)p1;
        c0 = hi1 ^ c1 ^ k0;
        c1 = lo1;
        c2 = hi0 ^ c3 ^ k1;
        c3 = lo0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

static void add(uint32_t counter[4], uint32_t n)
{
    uint64_t carry = n;
    for (int i = 0; i < 4; i++) {
        carry += counter[i];
        counter[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void pto_ref_generate_random(void **unused)
{
    static const tw_pto_target targets[] = { TW_PTO_CPU, TW_PTO_A5 };
    static const int rounds[] = { 0, 7, 10 }; /* 0: 10 */
    (void)unused;
    for (int i = 0; i < 60; i++) {
        tw_pto *core = tw_pto_new(targets[i % 2], 0);
        tw_pto_tile d = vec_tile(i % 3 ? TW_U32 : TW_I32, 1 + pick(3), 8 * (1 + pick(90)));
        uint32_t key[2], counter[4];
        d.valid_rows = 1 + pick(d.rows);
        d.valid_cols = pick(2) ? d.cols : 1 + pick(d.cols);
        if (i % 2 == 0) ref_any_layout(&d, ref_next(&state)); /* profile cpu */
        for (int w = 0; w < 2; w++) key[w] = (uint32_t)ref_next(&state);
        for (int w = 0; w < 4; w++) counter[w] = pick(2) ? UINT32_MAX - pick(100) : (uint32_t)ref_next(&state);
        ref_image want = ref_fill(core, &d, any, &state);
        tw_pto_operand o[7] = { TILE(&d) };
        for (int w = 0; w < 6; w++) o[1 + w] = SCALAR(tw_pto_bits(TW_U32, w < 2 ? key[w] : counter[w - 2]));
        tw_pto_attrs attrs = { .rounds = rounds[i % 3] };
        OK(tw_pto_call(core, "trandom", o, 7, &attrs));
        for (uint32_t r = 0; r < d.valid_rows; r++)
            for (uint32_t first = 0; first < d.valid_cols; first += 256) {
                for (uint32_t lane = 0; lane < 64; lane++) {
                    uint32_t own[4], words[4];
                    memcpy(own, counter, sizeof own);
                    add(own, lane);
                    philox(own, key[0], key[1], attrs.rounds == 7 ? 7 : 10, words);
                    for (uint32_t w = 0; w < 4; w++)
                        if (first + 64 * w + lane < d.valid_cols)
                            ref_set(&want, r, first + 64 * w + lane, words[w]);
                }
                add(counter, d.cols / 4);
            }
        if (!ref_equal(core, &d, &want, "trandom")) fail_msg("%u x %u of %u", d.valid_rows, d.valid_cols, d.cols);
        ref_drop(&want);
        tw_pto_free(core);
    }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_generate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_generate_histogram),
        cmocka_unit_test(pto_ref_generate_random),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_generate", tests, NULL, NULL);
}
