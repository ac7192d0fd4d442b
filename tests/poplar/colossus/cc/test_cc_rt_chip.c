/* SPDX-License-Identifier: MIT */
/* The runtime library as this compiler made it, in the simulator, against the same sources as the host's compiler
 * made them: every bit of every function. The sources themselves are held against the host's mathematics
 * elsewhere. */
#define TW_RT_HOST
#include "poplar/colossus/cc/rt/workers.c"

#include "rt_test.h"

#include <math.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Operands and result by letters: i word, l 64 bits, d double, f float, h half. */
typedef union value {
    uint32_t words[2];
    uint64_t l;
    double d;
    uint32_t i;
    float f;
} value;

typedef void native(const value *in, value *out);
typedef struct row {
    const char *name, *operands;
    char result;
    native *call;
} row;

#define CAST_d .d
#define CAST_f .f
#define CAST_l .l
#define CAST_i .i
// clang-format off
#define ONE(name, x, r, call)    static void native_##name(const value *in, value *out) { out->r = call(in[0].x); }
#define TWO(name, x, y, r, call) static void native_##name(const value *in, value *out) { out->r = call(in[0].x, in[1].y); }
/* X(name, operand(s), result, function) */
#define UNARY(X)                                                                                                   \
    X(sqrt, d, d, rt_sqrt) X(__extendsfdf2, f, d, rt___extendsfdf2) X(__truncdfsf2, d, f, rt___truncdfsf2)         \
    X(__floatundidf, l, d, rt___floatundidf) X(__floatdidf, l, d, rt___floatdidf)                                  \
    X(__floatunsidf, i, d, rt___floatunsidf) X(__floatsidf, i, d, rt___floatsidf)                                  \
    X(__floatundisf, l, f, rt___floatundisf) X(__floatdisf, l, f, rt___floatdisf)                                  \
    X(__fixdfsi, d, i, (uint32_t)rt___fixdfsi) X(__fixunsdfsi, d, i, rt___fixunsdfsi)                              \
    X(__fixdfdi, d, l, (uint64_t)rt___fixdfdi) X(__fixunsdfdi, d, l, rt___fixunsdfdi)                              \
    X(__fixsfdi, f, l, (uint64_t)rt___fixsfdi) X(__fixunssfdi, f, l, rt___fixunssfdi)                              \
    X(floor, d, d, rt_floor) X(ceil, d, d, rt_ceil) X(trunc, d, d, rt_trunc) X(rint, d, d, rt_rint)                \
    X(round, d, d, rt_round)                                                                                       \
    X(sinf, f, f, rt_sinf) X(cosf, f, f, rt_cosf) X(tanf, f, f, rt_tanf) X(asinf, f, f, rt_asinf)                  \
    X(acosf, f, f, rt_acosf) X(atanf, f, f, rt_atanf) X(sinhf, f, f, rt_sinhf) X(coshf, f, f, rt_coshf)            \
    X(tanhf, f, f, rt_tanhf) X(expm1f, f, f, rt_expm1f) X(exp10f, f, f, rt_exp10f) X(log10f, f, f, rt_log10f)      \
    X(cbrtf, f, f, rt_cbrtf) X(erff, f, f, rt_erff) X(erfcf, f, f, rt_erfcf)                                       \
    X(sqrtf, f, f, rt_sqrtf) X(fabsf, f, f, rt_fabsf) X(floorf, f, f, rt_floorf) X(ceilf, f, f, rt_ceilf)          \
    X(truncf, f, f, rt_truncf) X(rintf, f, f, rt_rintf) X(roundf, f, f, rt_roundf) X(logbf, f, f, rt_logbf)        \
    X(ilogbf, f, i, (uint32_t)rt_ilogbf)
#define BINARY(X)                                                                                                  \
    X(__ashldi3, l, i, l, rt___ashldi3) X(__lshrdi3, l, i, l, rt___lshrdi3)                                        \
    X(__ashrdi3, l, i, l, (uint64_t)rt___ashrdi3) X(__muldi3, l, l, l, rt___muldi3)                                \
    X(__udivdi3, l, l, l, rt___udivdi3) X(__umoddi3, l, l, l, rt___umoddi3)                                        \
    X(__divdi3, l, l, l, (uint64_t)rt___divdi3) X(__moddi3, l, l, l, (uint64_t)rt___moddi3)                        \
    X(__adddf3, d, d, d, rt___adddf3) X(__subdf3, d, d, d, rt___subdf3) X(__muldf3, d, d, d, rt___muldf3)          \
    X(__divdf3, d, d, d, rt___divdf3) X(__eqdf2, d, d, i, (uint32_t)rt___eqdf2)                                    \
    X(__ltdf2, d, d, i, (uint32_t)rt___ltdf2) X(__gedf2, d, d, i, (uint32_t)rt___gedf2)                            \
    X(__unorddf2, d, d, i, (uint32_t)rt___unorddf2) X(fmod, d, d, d, rt_fmod)                                      \
    X(atan2f, f, f, f, rt_atan2f) X(powf, f, f, f, rt_powf) X(fmodf, f, f, f, rt_fmodf)                            \
    X(remainderf, f, f, f, rt_remainderf) X(hypotf, f, f, f, rt_hypotf) X(fdimf, f, f, f, rt_fdimf)                \
    X(ldexpf, f, i, f, rt_ldexpf) X(copysignf, f, f, f, rt_copysignf)
UNARY(ONE)
BINARY(TWO)
#define UNARY_ROW(name, x, r, call)     { #name, #x, #r[0], native_##name },
#define BINARY_ROW(name, x, y, r, call) { #name, #x #y, #r[0], native_##name },
static const row rows[] = { UNARY(UNARY_ROW) BINARY(BINARY_ROW) };
// clang-format on

/* --- the driver
 * ---------------------------------------------------------------------------------------------------- */

static bool is_pair(char kind)
{
    return kind == 'l' || kind == 'd';
}

/* $m7 to $m9: arguments, calls less one, results; each operand and result is two words in memory. */
static char *driver_for(const row *r)
{
    GString *text =
        g_string_new(".worker\n.section .text.driver, \"ax\"\n.align 4\n.globl driver\ndriver:\n"
                     "  mov $m0, $mvertex_base\n  mov $sp, $mworker_base\n"
                     "  ld32 $m7, $m0, $mzero, 0\n  ld32 $m8, $m0, $mzero, 1\n  ld32 $m9, $m0, $mzero, 2\n7:\n");
    unsigned main = 0, aux = 0;
    for (const char *kind = r->operands; *kind; kind++) {
        unsigned words = is_pair(*kind) ? 2 : 1;
        if (*kind == 'f') {
            g_string_append_printf(text, "  ld32 $a%u, $m7, $mzero, 0\n", aux++);
        } else {
            if (words == 2) main = (main + 1) & ~1u;
            for (unsigned k = 0; k < words; k++)
                g_string_append_printf(text, "  ld32 $m%u, $m7, $mzero, %u\n", main++, k);
        }
        g_string_append(text, "  add $m7, $m7, 8\n");
    }
    g_string_append_printf(text, "  call $lr, %s\n", r->name);
    g_string_append(text, r->result == 'f' ? "  st32 $a0, $m9, $mzero, 0\n" : "  st32 $m0, $m9, $mzero, 0\n");
    if (is_pair(r->result)) g_string_append(text, "  st32 $m1, $m9, $mzero, 1\n");
    g_string_append(text, "  add $m9, $m9, 8\n  brnzdec $m8, 7b\n  exitz $mzero\n");
    return g_string_free(text, FALSE);
}

static machine machine_for(const row *r)
{
    machine m = { .sim = tw_sim_new(NULL) };
    g_autofree char *text = driver_for(r);
    tw_object *object = assemble(text);
    const tw_object *objects[] = { object };
    tw_link_options link = { .size = sizeof link, .entry = "driver" };
    if (!(m.image = tw_link(objects, 1, &link, NULL))) fail_msg("%s: %s", r->name, tw_error_message());
    tw_object_free(object);
    assert_int_equal(tw_sim_load(m.sim, m.image), TW_OK);
    m.entry = tw_object_entry(m.image);
    return m;
}

/* --- values
 * -------------------------------------------------------------------------------------------------------- */

static value value_of(char kind, uint64_t near, uint64_t *state)
{
    uint64_t r = next_random(state), m = next_random(state);
    value v = { .l = m };
    unsigned shift = (unsigned)(r & 63);
    if (r & 64) m = m >> shift << shift;
    if (kind == 'd') {
        uint64_t e = r & 0x300 ? (near >> 52 & 0x7ff) + (r >> 10 & 127) - 64 : r >> 20 & 0x7ff;
        if ((r >> 32 & 31) == 0) e = r >> 40 & 1 ? 0 : 0x7ff;
        v.l = (m & 0x800fffffffffffff) | (e & 0x7ff) << 52;
    } else if (kind == 'f') {
        uint32_t e = r & 0x300 ? 110 + (uint32_t)(r >> 10) % 32 : (uint32_t)(r >> 20 & 255);
        if ((r >> 32 & 31) == 0) e = r >> 40 & 1 ? 0 : 255;
        v.l = ((uint32_t)(m >> 32) & 0x807fffff) | e << 23;
        if (e == 0) v.l &= 0x80000000;
    } else if (kind == 'i') {
        v.l = (uint32_t)(m >> (shift & 31));
    } else {
        v.l = r & 128 ? m << shift : m >> shift;
    }
    return v;
}

static bool same(char kind, value got, value want)
{
    if (kind == 'f' && isnan(want.f)) return isnan(got.f);
    if (kind == 'f' && fabsf(want.f) < 0x1p-126f) return fabsf(got.f) < 0x1p-126f;
    return is_pair(kind) ? got.l == want.l : got.i == want.i;
}

enum { CALLS = ROOM / 16 };

/* Subnormal floats are zeros, as on the chip; doubles are integers here. */
static void call_native(const row *r, const value *in, value *out)
{
#ifdef __SSE2__
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    r->call(in, out);
    _mm_setcsr(before);
#else
    r->call(in, out);
#endif
}

static void run_row(const row *r, uint64_t seed)
{
    static value in[CALLS][2], packed[2 * CALLS], got[CALLS], want[CALLS];
    machine m = machine_for(r);
    uint64_t state = seed;
    unsigned operands = (unsigned)strlen(r->operands), n = 0;
    for (unsigned i = 0; i < CALLS; i++) {
        in[i][0] = value_of(r->operands[0], UINT64_C(1023) << 52, &state);
        if (operands > 1) in[i][1] = value_of(r->operands[1], in[i][0].l, &state);
        if (strstr(r->name, "sh") && r->operands[1] == 'i') in[i][1].i &= 63;
        if (strstr(r->name, "ldexp")) in[i][1].i = in[i][1].i % 300 - 150;
        if ((strstr(r->name, "div") || strstr(r->name, "mod")) && r->operands[1] == 'l' && in[i][1].l == 0)
            in[i][1].l = 1;
        if (strcmp(r->name, "fmod") == 0) in[i][1].l = (in[i][1].l & ~INFINITY64) | (in[i][0].l & INFINITY64);
        call_native(r, in[i], &want[i]);
        for (unsigned k = 0; k < operands; k++) packed[n++] = in[i][k];
    }
    assert_int_equal(tw_sim_write(m.sim, ARGUMENTS, packed, 8 * n), TW_OK);
    run_driver(&m, 0, CALLS);
    assert_int_equal(tw_sim_read(m.sim, ANSWERS, got, sizeof got), TW_OK);
    for (unsigned i = 0; i < CALLS; i++)
        if (!same(r->result, got[i], want[i]))
            fail_msg("%s(0x%llx, 0x%llx): 0x%llx, not 0x%llx", r->name, (unsigned long long)in[i][0].l,
                     (unsigned long long)in[i][1].l, (unsigned long long)got[i].l, (unsigned long long)want[i].l);
    print_message("%-14s %6.0f turns\n", r->name, (double)tw_sim_turns(m.sim, 0) / CALLS);
    machine_free(&m);
}

static void every_function(void **unused)
{
    (void)unused;
    const char *only = g_getenv("TW_ROW");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (!only || strcmp(only, rows[i].name) == 0) run_row(&rows[i], i + 1);
}

int main(void)
{
    tw_object *library = tw_object_read(TW_BINARY_DIR "/tilewright/runtime/ipu2-workers.o");
    if (!library) {
        print_message("no compiler is built in: %s\n", tw_error_message());
        return 0;
    }
    tw_object_free(library);
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_function) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
