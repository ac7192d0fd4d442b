/* SPDX-License-Identifier: MIT */
/* Memory and string functions of the runtime library in the simulator against the host's: every place of both ends in
 * two words of 64 bits, every short length, overlaps both ways, long ones; all of the memory around is compared. */
#include "rt_test.h"

#define LIBRARY TW_SOURCE_DIR "/src/poplar/colossus/cc/rt"

enum { DATA = ANSWERS + 0x4000, BYTES = 0xc000, CALLS = 1024 };

typedef struct call {
    uint32_t m[3];
} call;
typedef struct bench {
    machine m;
    unsigned context, count, bytes; /* used of the data */
    uint32_t (*host)(uint8_t *data, const uint32_t *m);
    const char *name;
    uint8_t data[BYTES], got[BYTES];
    call calls[CALLS];
    uint32_t answers[CALLS];
} bench;

static uint8_t *at(uint8_t *data, uint32_t address)
{
    return data + (address - DATA);
}
static uint32_t host_memcpy(uint8_t *data, const uint32_t *m)
{
    memmove(at(data, m[0]), at(data, m[1]), m[2]); /* the calls of memcpy do not overlap */
    return m[0];
}
static uint32_t host_memset(uint8_t *data, const uint32_t *m)
{
    memset(at(data, m[0]), (int)m[1], m[2]);
    return m[0];
}
static uint32_t host_memcmp(uint8_t *data, const uint32_t *m)
{
    const uint8_t *a = at(data, m[0]), *b = at(data, m[1]);
    for (uint32_t i = 0; i < m[2]; i++)
        if (a[i] != b[i]) return (uint32_t)(a[i] - b[i]);
    return 0;
}
static uint32_t host_strlen(uint8_t *data, const uint32_t *m)
{
    return (uint32_t)strlen((const char *)at(data, m[0]));
}
static uint32_t host_st8(uint8_t *data, const uint32_t *m)
{
    *at(data, m[0]) = (uint8_t)m[1];
    return m[0];
}
static uint32_t host_st16(uint8_t *data, const uint32_t *m)
{
    at(data, m[0])[0] = (uint8_t)m[1], at(data, m[0])[1] = (uint8_t)(m[1] >> 8);
    return m[0];
}

/* Runs what has been collected on the tile and on the host's copy of the data. */
static void flush(bench *b)
{
    uint32_t got[CALLS];
    if (b->count == 0) return;
    assert_int_equal(tw_sim_write(b->m.sim, DATA, b->data, b->bytes), TW_OK);
    assert_int_equal(tw_sim_write(b->m.sim, ARGUMENTS, b->calls, b->count * 12), TW_OK);
    run_driver(&b->m, b->context, b->count);
    assert_int_equal(tw_sim_read(b->m.sim, ANSWERS, got, b->count * 4), TW_OK);
    assert_int_equal(tw_sim_read(b->m.sim, DATA, b->got, b->bytes), TW_OK);
    for (unsigned i = 0; i < b->count; i++) {
        const uint32_t *m = b->calls[i].m;
        uint32_t want = b->host(b->data, m);
        if (got[i] != want)
            fail_msg("%s(0x%x, 0x%x, %u) in context %u: %d, not %d", b->name, m[0], m[1], m[2], b->context,
                     (int)got[i], (int)want);
    }
    for (unsigned i = 0; i < b->bytes; i++)
        if (b->data[i] != b->got[i])
            fail_msg("%s in context %u, %u calls from (0x%x, 0x%x, %u): byte 0x%x is %u, not %u", b->name,
                     b->context, b->count, b->calls[0].m[0], b->calls[0].m[1], b->calls[0].m[2], DATA + i,
                     b->got[i], b->data[i]);
    b->count = 0;
}

static void try(bench *b, uint32_t m0, uint32_t m1, uint32_t m2)
{
    b->calls[b->count++] = (call){ { m0, m1, m2 } };
    if (b->count == CALLS) flush(b);
}

static void fill(bench *b, uint64_t state, unsigned values)
{
    for (unsigned i = 0; i < BYTES; i++) b->data[i] = (uint8_t)(1 + next_random(&state) % values);
}

static void copies(bench *b)
{
    b->bytes = 512;
    for (unsigned to = 0; to < 8; to++)
        for (unsigned from = 0; from < 8; from++)
            for (unsigned n = 0; n < 41; n++) try(b, DATA + 64 + to, DATA + 320 + from, n);
    flush(b);
    b->bytes = BYTES;
    static const unsigned sizes[] = { 255, 4096, 16383, 16384, 20000 };
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (unsigned k = 0; k < 16; k++) try(b, DATA + 16 + k % 5, DATA + 24000 + k, sizes[i]);
    flush(b);
}
static void overlaps(bench *b)
{
    copies(b);
    b->bytes = 256;
    for (unsigned place = 0; place < 8; place++)
        for (int distance = -13; distance <= 13; distance++)
            for (unsigned n = 0; n < 40; n++)
                try(b, (uint32_t)(DATA + 96 + place + distance), DATA + 96 + place, n);
    flush(b);
    b->bytes = BYTES;
    for (int distance = -9; distance <= 9; distance++) try(b, (uint32_t)(DATA + 64 + distance), DATA + 64, 20000);
    flush(b);
}
static void sets(bench *b)
{
    b->bytes = 256;
    for (unsigned to = 0; to < 8; to++)
        for (unsigned n = 0; n < 60; n++) try(b, DATA + 64 + to, 0xabcd00 + 7 * n + to, n);
    flush(b);
    b->bytes = BYTES;
    for (unsigned k = 0; k < 10; k++) try(b, DATA + 64 + k, 3 * k, 40000 + 3 * k);
    flush(b);
}
static void comparisons(bench *b)
{
    b->bytes = 512;
    for (unsigned i = 0; i < 512; i++) b->data[i] = (uint8_t)(i & 15);
    b->data[200] = 200, b->data[330] = 99;
    for (unsigned x = 0; x < 8; x++)
        for (unsigned y = 0; y < 8; y++)
            for (unsigned n = 0; n < 180; n += n < 20 ? 1 : 13) try(b, DATA + 64 + x, DATA + 256 + y, n);
    flush(b);
}
static void lengths(bench *b)
{
    b->bytes = 512;
    for (unsigned i = 0; i < 512; i++) b->data[i] = (uint8_t)(i % 3 == 0 ? 128 : i % 3 == 1 ? 1 : 255);
    for (unsigned end = 300; end < 309; end++) {
        b->data[end] = 0;
        for (unsigned start = 260; start <= end; start++) try(b, DATA + start, 0, 0);
        flush(b);
        b->data[end] = 1;
    }
}
static void stores(bench *b)
{
    b->bytes = 128;
    unsigned step = b->host == host_st16 ? 2 : 1;
    for (unsigned i = 0; i < 200; i++) try(b, DATA + i * 5 % 96 / step * step, 0x12345678u * (i + 1), 0);
    flush(b);
}

static const struct {
    const char *name;
    uint32_t (*host)(uint8_t *, const uint32_t *);
    void (*calls)(bench *);
} functions[] = { { "memcpy", host_memcpy, copies },  { "memmove", host_memcpy, overlaps },
                  { "memset", host_memset, sets },    { "memcmp", host_memcmp, comparisons },
                  { "strlen", host_strlen, lengths }, { "__st8", host_st8, stores },
                  { "__st16", host_st16, stores } };

static void each_function(void **unused)
{
    (void)unused;
    bench *b = g_new0(bench, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(functions); i++)
        for (tw_isa_arch arch = TW_ISA_IPU1; arch <= TW_ISA_IPU21; arch <<= 1)
            for (unsigned supervisor = 0; supervisor < 2; supervisor++) {
                g_autofree char *name = g_strconcat(
                    supervisor ? "__supervisor_" : "",
                    functions[i].name + (supervisor && g_str_has_prefix(functions[i].name, "__") ? 2 : 0), NULL);
                g_autofree char *driver = driver_of(name, supervisor, 3, 1);
                b->m = machine_with_library(arch, LIBRARY, "memory.S", driver);
                b->context = supervisor ? TW_SIM_SUPERVISOR : 0;
                b->host = functions[i].host;
                b->name = name;
                fill(b, i + 5, 255);
                functions[i].calls(b);
                machine_free(&b->m);
            }
    g_free(b);
}

/* The bytes that one worker's function writes beyond its range belong to no other worker only within a word: each
 * store of the trace lies in a word that holds a byte of the range. */
typedef struct watch {
    uint32_t low, high;
} watch;
static bool store_outside(void *user, tw_sim *sim, const tw_sim_event *event)
{
    const watch *w = user;
    for (unsigned i = 0; !event->done && i < event->count; i++) {
        const tw_isa_row *row = tw_isa_get(event->insns[i].row);
        if (!(row->accesses[0] & TW_ISA_STORE)) continue;
        const uint32_t *o = event->insns[i].operands;
        uint32_t address =
            tw_sim_get_m(sim, event->context, o[2]); /* the library's stores to data have base $mzero or
                                                                       an address as base */
        if (o[1] != 15) address += tw_sim_get_m(sim, event->context, o[1]);
        unsigned size = row->accesses[0] & 0x7f;
        if (address < DATA) continue; /* scratch */
        if (address + size <= w->low || address >= w->high || address % size) return true;
        if (size == 8 && (address < w->low || address + 8 > w->high)) return true;
    }
    return false;
}

static void stores_stay_inside(void **unused)
{
    (void)unused;
    static const char *const names[] = { "memcpy", "memmove", "memset" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *driver = driver_of(names[i], false, 3, 0);
        machine m = machine_with_library(TW_ISA_IPU2, LIBRARY, "memory.S", driver);
        for (unsigned to = 0; to < 8; to++)
            for (unsigned from = 0; from < 8; from++)
                for (unsigned n = 1; n < 40; n += 3) {
                    watch w = { DATA + 64 + to, DATA + 64 + to + n };
                    poke(&m, ARGUMENTS, w.low), poke(&m, ARGUMENTS + 4, DATA + 72 + from),
                        poke(&m, ARGUMENTS + 8, n);
                    tw_sim_set_hook(m.sim, store_outside, &w);
                    run_driver(&m, 0, 1); /* a stop by the hook is no end */
                }
        machine_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_function), cmocka_unit_test(stores_stay_inside) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
