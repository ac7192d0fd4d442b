/* SPDX-License-Identifier: MIT */
/* ups, srs, bsrs, pack and relatives against the rounding rules in words, in 128 bits: every mode, shift,
 * saturation; the table of that section; ties at half a unit. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/move.h>
#include "aie/aie_cases.h"

typedef __int128 i128;

static i128 rule(i128 acc, int s, unsigned mode)
{
    if (s <= 0) return acc * ((i128)1 << -s);
    i128 unit = (i128)1 << s, rest = ((acc % unit) + unit) % unit, f = (acc - rest) / unit, half = unit / 2;
    bool odd = f & 1, up = false;
    switch (mode) {
    case 0: up = false; break;
    case 1: up = rest != 0; break;
    case 2: up = rest >= half; break;
    case 3: up = rest > half; break;
    case 4: up = acc >= 0 ? rest >= half : rest > half; break;
    case 5: up = acc >= 0 ? rest > half : rest >= half; break;
    case 6: up = rest > half || (rest == half && odd); break;
    case 7: up = rest > half || (rest == half && !odd); break;
    }
    return f + up;
}

static int64_t fit(i128 v, unsigned bits, bool is_unsigned)
{
    i128 high = is_unsigned ? ((i128)1 << bits) - 1 : ((i128)1 << (bits - 1)) - 1;
    i128 low = is_unsigned ? 0 : get_symsat() ? -high : -high - 1;
    if (get_sat()) return (int64_t)(v < low ? low : v > high ? high : v);
    unsigned __int128 kept = (unsigned __int128)v & (((unsigned __int128)1 << bits) - 1);
    i128 r = (i128)kept;
    if (!is_unsigned && (kept >> (bits - 1) & 1)) r -= (i128)1 << bits;
    return (int64_t)r;
}

static i128 wrap(i128 v, unsigned bits)
{
    return (i128)((unsigned __int128)v << (128 - bits)) >> (128 - bits);
}

static int64_t lane_of(const void *v, unsigned bytes, bool is_unsigned, unsigned i)
{
    int64_t r = 0;
    memcpy(&r, (const char *)v + i * bytes, bytes);
    return is_unsigned || bytes == 8 ? r : (int64_t)((uint64_t)r << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static void draw_mode(void)
{
    set_rnd((int)(rnd() % 8));
    if (rnd() % 2)
        set_sat();
    else
        clr_sat();
    if (rnd() % 2)
        set_symsat();
    else
        clr_symsat();
}

/* Accumulator words: random of all magnitudes, ties of the shift, limits; acc48 with garbage above bit 47. */
static i128 draw_word(unsigned width, int s)
{
    i128 v = (i128)(((unsigned __int128)rnd() << 96) | ((unsigned __int128)rnd() << 64) | ((uint64_t)rnd() << 32) |
                    rnd());
    unsigned keep = 1 + rnd() % width;
    switch (rnd() % 4) {
    case 0: return v;
    case 1: return wrap(v, keep);
    case 2:
        return s > 0 ? (i128)((unsigned __int128)wrap(v, keep) << (s - 1))
                     : wrap(v, keep); /* multiples of half a unit */
    default: return (i128)1 << (rnd() % width);
    }
}

/* Where rounding decides: f units and nothing, almost half, half, a little more than half, almost a unit; f around
 * zero, odd and even, and around the limits of the result. */
static i128 edge_word(unsigned width, int s, unsigned bits, unsigned number)
{
    const i128 top = (i128)1 << (bits - 1),
               units[] = { -2, -1, 0, 1, 2, -top - 1, -top, -top + 1, top - 2, top - 1, top };
    i128 unit = s > 0 ? (i128)1 << s : 1, half = unit / 2;
    const i128 fractions[] = { 0, half - 1, half, half + 1, unit - 1 };
    const i128 word =
        wrap((i128)((unsigned __int128)units[number % 11] * (unsigned __int128)unit) + fractions[number / 11 % 5],
             width);
    return (i128)((unsigned __int128)word ^ (unsigned __int128)(rnd() & 0x7fff)
                                                << width); /* bits above do not count */
}
static unsigned edge = ~0u; /* the first of edge_word() to take, ~0: random words */
#define DRAW(acc, width, s, bits)                                          \
    for (unsigned i_ = 0; i_ < sizeof acc.word / sizeof acc.word[0]; i_++) \
    acc.word[i_] =                                                         \
        (__typeof__(acc.word[0] + 0))(edge == ~0u ? draw_word(width, s) : edge_word(width, s, bits, edge + i_))
#define CHECK_SRS(f, acct, width, ret, bits, is_unsigned, order)                                                  \
    {                                                                                                             \
        acct a;                                                                                                   \
        DRAW(a, width, s, bits);                                                                                  \
        ret r = f(a, s);                                                                                          \
        unsigned words = sizeof a.word / sizeof a.word[0];                                                        \
        for (unsigned i = 0; i < words; i++) {                                                                    \
            int64_t expected = fit(rule(wrap(a.word[i], width), s, (unsigned)get_rnd()), bits, is_unsigned);      \
            int64_t got = lane_of(&r, bits / 8, is_unsigned, order);                                              \
            if (got != expected)                                                                                  \
                fail_msg(#f " of " #acct                                                                          \
                            ", word %u = %016llx, shift %d, mode %d, sat %d sym %d: %lld, expected %lld",         \
                         i, (unsigned long long)a.word[i], s, get_rnd(), get_sat(), get_symsat(), (long long)got, \
                         (long long)expected);                                                                    \
        }                                                                                                         \
    }
/* Where word i of n words with c components lands when halves interleave. */
static unsigned interleaved(unsigned i, unsigned words, unsigned c)
{
    unsigned lane = i / c, half = words / c / 2;
    return (lane < half ? 2 * lane : 2 * (lane - half) + 1) * c + i % c;
}

// clang-format off
/* Every accumulator, every name. */
static void check_all(int s)
{
    CHECK_SRS(srs, v8acc48, 48, v8int16, 16, false, i)
    CHECK_SRS(srs, v16acc48, 48, v16int16, 16, false, i)
    CHECK_SRS(srs, v4cacc48, 48, v4cint16, 16, false, i)
    CHECK_SRS(srs, v8cacc48, 48, v8cint16, 16, false, i)
    CHECK_SRS(srs, v4acc80, 80, v4int32, 32, false, i)
    CHECK_SRS(srs, v8acc80, 80, v8int32, 32, false, i)
    CHECK_SRS(srs, v2cacc80, 80, v2cint32, 32, false, i)
    CHECK_SRS(srs, v4cacc80, 80, v4cint32, 32, false, i)
    CHECK_SRS(lsrs, v8acc48, 48, v8int32, 32, false, i)
    CHECK_SRS(lsrs, v16acc48, 48, v16int32, 32, false, i)
    CHECK_SRS(lsrs, v4cacc48, 48, v4cint32, 32, false, i)
    CHECK_SRS(lsrs, v8cacc48, 48, v8cint32, 32, false, i)
    CHECK_SRS(lsrs, v4acc80, 80, v4int64, 64, false, i)
    CHECK_SRS(lsrs, v8acc80, 80, v8int64, 64, false, i)
    CHECK_SRS(lsrs, v2cacc80, 80, v2cint64, 64, false, i)
    CHECK_SRS(lsrs, v4cacc80, 80, v4cint64, 64, false, i)
    CHECK_SRS(bsrs, v16acc48, 48, v16int8, 8, false, i)
    CHECK_SRS(ubsrs, v16acc48, 48, v16uint8, 8, true, i)
    CHECK_SRS(srs_ilv, v16acc48, 48, v16int16, 16, false, interleaved(i, 16, 1))
    CHECK_SRS(srs_ilv, v8cacc48, 48, v8cint16, 16, false, interleaved(i, 16, 2))
    CHECK_SRS(srs_ilv, v8acc80, 80, v8int32, 32, false, interleaved(i, 8, 1))
    CHECK_SRS(srs_ilv, v4cacc80, 80, v4cint32, 32, false, interleaved(i, 8, 2))
    CHECK_SRS(lsrs_ilv, v16acc48, 48, v16int32, 32, false, interleaved(i, 16, 1))
    CHECK_SRS(lsrs_ilv, v8cacc48, 48, v8cint32, 32, false, interleaved(i, 16, 2))
    CHECK_SRS(lsrs_ilv, v8acc80, 80, v8int64, 64, false, interleaved(i, 8, 1))
    CHECK_SRS(lsrs_ilv, v4cacc80, 80, v4cint64, 64, false, interleaved(i, 8, 2))
}
// clang-format on

static void aie_shift_srs(void **state)
{
    (void)state;
    edge = ~0u;
    for (unsigned n = case_count(10000); n > 0; n--) {
        draw_mode();
        check_all((int)(rnd() % 64) - 1);
    }
}

/* Every shift in every mode, without saturation, with it and with the symmetric one: ties, their neighbours,
 * limits. */
static void aie_shift_edges(void **state)
{
    (void)state;
    for (int s = -1; s <= 62; s++)
        for (int mode = 0; mode < 8; mode++)
            for (unsigned limits = 0; limits < 3; limits++) {
                set_rnd(mode);
                limits > 0 ? set_sat() : clr_sat();
                limits > 1 ? set_symsat() : clr_symsat();
                for (edge = 0; edge < 55; edge += 4) check_all(s);
            }
    edge = ~0u;
}

/* order: the component of v that word i of the accumulator shifts. */
#define CHECK_UPS(f, from, part, acct, width, order)                                    \
    {                                                                                   \
        from v;                                                                         \
        part w[sizeof v / sizeof(part)];                                                \
        fill(w, sizeof w, 8 * sizeof(part));                                            \
        memcpy(&v, w, sizeof v);                                                        \
        acct a = f(v, s);                                                               \
        for (unsigned i = 0; i < sizeof v / sizeof(part); i++) {                        \
            const i128 part_ = w[order];                                                \
            i128 expected = s < 0 ? part_ >> 1 : (i128)((unsigned __int128)part_ << s); \
            if (wrap(a.word[i], width) != wrap(expected, width))                        \
                fail_msg(#f " of " #from ", lane %u, shift %d", i, s);                  \
        }                                                                               \
    }

static void aie_shift_ups(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        int s = (int)(rnd() % 64) - 1;
        CHECK_UPS(ups, v8int16, int16, v8acc48, 48, i)
        CHECK_UPS(ups, v16int16, int16, v16acc48, 48, i)
        CHECK_UPS(ups, v4cint16, int16, v4cacc48, 48, i)
        CHECK_UPS(ups, v8cint16, int16, v8cacc48, 48, i)
        CHECK_UPS(ups, v8int32, int32, v8acc48, 48, i)
        CHECK_UPS(ups, v4cint32, int32, v4cacc48, 48, i)
        CHECK_UPS(ups, v16int8, int8, v16acc48, 48, i)
        CHECK_UPS(ups, v16uint8, uint8, v16acc48, 48, i)
        CHECK_UPS(lups, v4int32, int32, v4acc80, 80, i)
        CHECK_UPS(lups, v8int32, int32, v8acc80, 80, i)
        CHECK_UPS(lups, v2cint32, int32, v2cacc80, 80, i)
        CHECK_UPS(lups, v4cint32, int32, v4cacc80, 80, i)
        CHECK_UPS(lups, v4int64, int64, v4acc80, 80, i)
        CHECK_UPS(lups, v2cint64, int64, v2cacc80, 80, i)
        CHECK_UPS(ups_ilv, v16int16, int16, v16acc48, 48, interleaved(i, 16, 1))
        CHECK_UPS(ups_ilv, v8cint16, int16, v8cacc48, 48, interleaved(i, 16, 2))
        CHECK_UPS(lups_ilv, v8int32, int32, v8acc80, 80, interleaved(i, 8, 1))
        CHECK_UPS(lups_ilv, v4cint32, int32, v4cacc80, 80, interleaved(i, 8, 2))
    }
}

/* The table of docs/aie.md: shift 2. */
static void aie_shift_table(void **state)
{
    (void)state;
    static const int in[8] = { -12, -10, -6, -2, 2, 6, 10, 12 };
    static const int16_t out[8][8] = {
        { -3, -3, -2, -1, 0, 1, 2, 3 }, { -3, -2, -1, 0, 1, 2, 3, 3 },  { -3, -2, -1, 0, 1, 2, 3, 3 },
        { -3, -3, -2, -1, 0, 1, 2, 3 }, { -3, -3, -2, -1, 1, 2, 3, 3 }, { -3, -2, -1, 0, 0, 1, 2, 3 },
        { -3, -2, -2, 0, 0, 2, 2, 3 },  { -3, -3, -1, -1, 1, 1, 3, 3 },
    };
    for (int mode = 0; mode < 8; mode++) {
        v8acc48 a;
        for (int i = 0; i < 8; i++) a.word[i] = in[i];
        set_rnd(mode);
        v8int16 r = srs(a, 2);
        for (int i = 0; i < 8; i++)
            if (r[i] != out[mode][i]) fail_msg("mode %d, %d: %d, expected %d", mode, in[i], r[i], out[mode][i]);
    }
    /* Saturation comes last: the limits, on, off, symmetric. */
    v8acc48 a = null_v8acc48();
    a.word[0] = 32768, a.word[1] = -32769, a.word[2] = -32768, a.word[3] = ((int64)1 << 47) - 1;
    set_rnd(rnd_floor), set_sat(), clr_symsat();
    v8int16 r = srs(a, 0);
    assert_int_equal(r[0], 32767), assert_int_equal(r[1], -32768), assert_int_equal(r[2], -32768);
    assert_int_equal(r[3], 32767);
    set_symsat();
    r = srs(a, 0);
    assert_int_equal(r[2], -32767);
    clr_sat();
    r = srs(a, 0);
    assert_int_equal(r[0], -32768), assert_int_equal(r[1], 32767), assert_int_equal(r[3], -1);
}

static void aie_shift_pack(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        int16_t w[32];
        uint8_t b[32];
        v32int16 v;
        v16int16 h;
        draw_mode();
        fill(w, sizeof w, 16), fill(b, sizeof b, 8);
        for (int i = 0; i < 32; i++)
            if (rnd() % 2) w[i] = (int16_t)((int)(rnd() % 600) - 300);
        memcpy(&v, w, sizeof v), memcpy(&h, w, sizeof h);
        v32int8 s = pack(v);
        v32uint8 u = upack(v);
        v16int8 s2 = pack(h);
        v16uint8 u2 = upack(h);
        for (int i = 0; i < 32; i++) {
            if (s[i] != fit(w[i], 8, false) || u[i] != fit(w[i], 8, true))
                fail_msg("pack %d: %d, %d", w[i], s[i], u[i]);
            if (i < 16 && (s2[i] != s[i] || u2[i] != u[i])) fail_msg("pack of 16 lanes, %d", w[i]);
        }
        v32uint8 ub;
        v32int8 sb;
        memcpy(&ub, b, 32), memcpy(&sb, b, 32);
        v32int16 wide = unpack(ub), narrow = unpack(sb);
        v16int16 wide2 = unpack(ext_v(ub, 1)), narrow2 = unpack(ext_v(sb, 1));
        for (int i = 0; i < 32; i++) {
            if (wide[i] != b[i] || narrow[i] != (int8_t)b[i]) fail_msg("unpack %d", b[i]);
            if (i >= 16 && (wide2[i - 16] != b[i] || narrow2[i - 16] != (int8_t)b[i]))
                fail_msg("unpack of 16, %d", b[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_shift_srs),   cmocka_unit_test(aie_shift_edges), cmocka_unit_test(aie_shift_ups),
        cmocka_unit_test(aie_shift_table), cmocka_unit_test(aie_shift_pack),
    };
    return cmocka_run_group_tests_name("aie.shift", tests, NULL, NULL);
}
