/* SPDX-License-Identifier: MIT */
/* 32-bit division of the runtime library in the simulator: all pairs of the numbers around powers of two and of each
 * other, all dividends of 16 bits by divisors of 16 bits (all of them when TW_NIGHTLY is set), random ones of all
 * sizes; workers and supervisor, quotient and remainder, every chip. */
#include "rt_test.h"

#define LIBRARY TW_SOURCE_DIR "/src/poplar/colossus/cc/rt"

static const struct function {
    const char *name;
    bool is_signed, is_remainder;
} functions[] = {
    { "udivsi3", false, false }, { "umodsi3", false, true }, { "divsi3", true, false }, { "modsi3", true, true }
};

enum { BATCH = ROOM / 8 };
typedef struct pair {
    uint32_t n, d;
} pair;
typedef struct bench {
    machine m;
    const struct function *function;
    unsigned context, count;
    pair pairs[BATCH];
} bench;

static void judge(const bench *b, pair p, pair got)
{
    uint32_t quotient = p.n / p.d, rest = p.n % p.d;
    if (b->function->is_signed) { /* in 64 bits: INT_MIN / -1 wraps */
        quotient = (uint32_t)((int64_t)(int32_t)p.n / (int32_t)p.d);
        rest = (uint32_t)((int64_t)(int32_t)p.n % (int32_t)p.d);
    }
    uint32_t want = b->function->is_remainder ? rest : quotient;
    if (got.n != want || (!b->function->is_remainder && got.d != rest))
        fail_msg("%s(0x%x, 0x%x) in context %u: 0x%x, 0x%x", b->function->name, p.n, p.d, b->context, got.n, got.d);
}

static void flush(bench *b)
{
    static pair got[BATCH];
    if (b->count == 0) return;
    assert_int_equal(tw_sim_write(b->m.sim, ARGUMENTS, b->pairs, b->count * 8), TW_OK);
    run_driver(&b->m, b->context, b->count);
    assert_int_equal(tw_sim_read(b->m.sim, ANSWERS, got, b->count * 8), TW_OK);
    for (unsigned i = 0; i < b->count; i++) judge(b, b->pairs[i], got[i]);
    b->count = 0;
}

static void divide(bench *b, uint32_t n, uint32_t d)
{
    if (d == 0) return;
    b->pairs[b->count++] = (pair){ n, d };
    if (b->count == BATCH) flush(b);
}

/* Numbers around powers of two, around their neighbours' products, all small ones. */
static unsigned boundaries(uint32_t *list)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 20; i++) list[n++] = i;
    for (unsigned bit = 4; bit < 32; bit++)
        for (int near = -2; near <= 2; near++) list[n++] = (UINT32_C(1) << bit) + (uint32_t)near;
    for (uint32_t i = 1; i <= 4; i++) list[n++] = 0u - i;
    for (uint32_t i = 3; i < 30; i += 4) list[n++] = UINT32_MAX / i, list[n++] = UINT32_MAX / i + 1;
    return n;
}

static void with_boundaries(bench *b)
{
    uint32_t list[256];
    unsigned n = boundaries(list);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++) divide(b, list[i], list[k]);
}

static void with_random(bench *b, unsigned count)
{
    uint64_t state = 17;
    for (unsigned i = 0; i < count; i++) {
        uint64_t r = next_random(&state), s = next_random(&state);
        uint32_t d = (uint32_t)s >> (r & 31), n = (uint32_t)(s >> 32) >> (r >> 5 & 31);
        divide(b, n, d);
        if (r & 1024) divide(b, n / (d | 1) * d - (r >> 11 & 1), d); /* multiples, and one less */
    }
}

/* The chips differ in nothing here, and only the name is a function's own: one of each kind gets the long tests. */
static void each_function(void **unused)
{
    (void)unused;
    bench *b = g_new0(bench, 1);
    for (unsigned supervisor = 0; supervisor < 2; supervisor++)
        for (size_t i = 0; i < G_N_ELEMENTS(functions); i++)
            for (tw_isa_arch arch = TW_ISA_IPU1; arch <= TW_ISA_IPU21; arch <<= 1) {
                g_autofree char *name =
                    g_strdup_printf("__%s%s", supervisor ? "supervisor_" : "", functions[i].name);
                g_autofree char *driver = driver_of(name, supervisor, 2, 2);
                b->m = machine_with_library(arch, LIBRARY, "divide.S", driver);
                b->function = &functions[i];
                b->context = supervisor ? TW_SIM_SUPERVISOR : 0;
                with_boundaries(b);
                if (arch == TW_ISA_IPU2) with_random(b, i == 0 ? 400000 : 50000);
                flush(b);
                machine_free(&b->m);
            }
    g_free(b);
}

/* 16 by 16 bits: all divisors that are small, powers of two or near the top, or, at night, all there are. */
static void sixteen_bits(void **unused)
{
    (void)unused;
    bench *b = g_new0(bench, 1);
    g_autofree char *driver = driver_of("__udivsi3", false, 2, 2);
    b->m = machine_with_library(TW_ISA_IPU2, LIBRARY, "divide.S", driver);
    b->function = &functions[0];
    bool all = g_getenv("TW_NIGHTLY") != NULL;
    for (uint32_t d = 1; d < 65536; d += all || d < 8 || d > 65532 ? 1 : d < 256 ? 37 : 9973)
        for (uint32_t n = 0; n < 65536; n++) divide(b, n, d);
    flush(b);
    machine_free(&b->m);
    g_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_function), cmocka_unit_test(sixteen_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
