/* SPDX-License-Identifier: MIT */
/* Bytes that an exchange moves and what it costs (docs/model.md), against sets of elements: who gets which, who sends
 * which to whom, over several IPUs. The guide's sample fixes the constants. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/engine_test.h"

enum { IPUS = 4, PER_IPU = 8, TILES = IPUS * PER_IPU, VARS = 6, ELEMENTS = 96 };

static uint64_t seed = 11;
static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* What was asked for, element by element. */
typedef struct sets {
    unsigned owner[VARS][ELEMENTS];
    bool moved[TILES][VARS][ELEMENTS]; /* to this tile */
} sets;

static int stride_of(unsigned var)
{
    return 1 + (int)var % 3;
}

static void new_variables(sets *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned v = 0; v < VARS; v++)
        for (unsigned e = 0, n; e < ELEMENTS; e += n) {
            unsigned tile = below(TILES);
            n = 1 + below(30);
            for (unsigned k = e; k < e + n && k < ELEMENTS; k++) s->owner[v][k] = tile;
        }
}

/* A run of elements of one tile, forwards or backwards, to another tile. */
static void add_random(tw__traffic *t, sets *s, unsigned esize)
{
    unsigned v = below(VARS), first = below(ELEMENTS), tile = s->owner[v][first], dst = below(TILES), count = 1;
    int stride = below(2) ? stride_of(v) : -stride_of(v);
    unsigned most = 1 + below(12);
    for (int at = (int)first + stride; at >= 0 && at < ELEMENTS && s->owner[v][at] == tile && count < most;
         at += stride)
        count++;
    if (dst == tile || (count == 1 && stride_of(v) != 1)) return;
    for (unsigned k = 0; k < count; k++) s->moved[dst][v][(int)first + (int)k * stride] = true;
    tw__traffic_add(t,
                    &(tw__piece){ .src_tile = tile,
                                  .dst_tile = dst,
                                  .src_var = v,
                                  .dst_var = UINT32_MAX,
                                  .src = first,
                                  .src_stride = stride,
                                  .count = count },
                    esize);
}

/* Elements that `tile` receives, or sends, within its IPU or over links: how many, in how many runs. */
static void side(const sets *s, unsigned tile, bool receive, bool cross, uint64_t *elements, uint32_t *runs)
{
    *elements = 0;
    for (unsigned v = 0; v < VARS; v++) {
        bool has[ELEMENTS] = { false };
        for (unsigned e = 0; e < ELEMENTS; e++)
            for (unsigned d = 0; d < TILES; d++) {
                bool crosses = s->owner[v][e] / PER_IPU != d / PER_IPU;
                if (s->moved[d][v][e] && crosses == cross && (receive ? d : s->owner[v][e]) == tile) has[e] = true;
            }
        for (int e = 0; e < ELEMENTS; e++) {
            *elements += has[e];
            *runs += has[e] && (e < stride_of(v) || !has[e - stride_of(v)]);
        }
    }
}

static void check(const tw__traffic *t, const tw_target *target, const sets *s, unsigned esize)
{
    uint64_t flow[IPUS * IPUS] = { 0 }, internal = 0, global = 0, arrived = 0, cycles[TILES], spread[TILES];
    unsigned reach[TILES] = { 0 };
    for (unsigned v = 0; v < VARS; v++)
        for (unsigned e = 0; e < ELEMENTS; e++) {
            unsigned src = s->owner[v][e], ipu = src / PER_IPU;
            bool to[IPUS] = { false };
            for (unsigned d = 0; d < TILES; d++) {
                if (!s->moved[d][v][e]) continue;
                unsigned distance = src < d ? d - src : src - d;
                to[d / PER_IPU] = true;
                if (ipu != d / PER_IPU) continue;
                if (distance > reach[src]) reach[src] = distance;
                if (distance > reach[d]) reach[d] = distance;
            }
            for (unsigned i = 0; i < IPUS; i++)
                if (i != ipu && to[i]) flow[ipu * IPUS + i] += esize, global += esize;
        }
    tw__traffic_cycles(t, target, cycles);
    tw__traffic_spread_cycles(t, target, spread);
    for (unsigned tile = 0; tile < TILES; tile++) {
        uint64_t in, out, inward, outward;
        uint32_t runs = 0;
        side(s, tile, true, false, &in, &runs), side(s, tile, false, false, &out, &runs);
        side(s, tile, true, true, &inward, &runs), side(s, tile, false, true, &outward, &runs);
        assert_int_equal(t->received[tile], in * esize);
        assert_int_equal(t->sent[tile], out * esize);
        assert_int_equal(t->inward[tile], inward * esize);
        assert_int_equal(t->outward[tile], outward * esize);
        assert_int_equal(t->runs[tile], runs);
        assert_int_equal(t->reach[tile], reach[tile]);
        internal += in * esize, arrived += inward * esize;
        uint64_t most = (in > out ? in : out) * esize;
        assert_int_equal(cycles[tile], most ? (most + 3) / 4 + 87 + 32 * reach[tile] / (PER_IPU - 1) : 0);
        assert_int_equal(spread[tile],
                         inward ? (inward * esize + 3) / 4 + 87 + 32 * (tile % PER_IPU) / (PER_IPU - 1) : 0);
    }
    assert_memory_equal(t->flow, flow, sizeof flow);
    assert_int_equal(t->internal, internal);
    assert_int_equal(t->global, global);
    assert_int_equal(t->spread, arrived > global ? arrived : 0);
    assert_false(t->failed);
}

/* Few pieces and many: the same traffic is used again and again, as it is for the steps of a program. */
static void against_sets(void **state)
{
    (void)state;
    static sets s;
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = IPUS, .tiles_per_ipu = PER_IPU };
    tw_device *device = tw_device_ipu_model_with(&model);
    const tw_target *target = tw_device_target(device);
    tw__traffic traffic;
    assert_true(tw__traffic_init(&traffic, target));
    for (int round = 0; round < 60; round++) {
        static const unsigned pieces[] = { 0, 1, 5, 40, 300, 4000 };
        unsigned esize = 1u << below(3);
        new_variables(&s);
        for (unsigned i = 0; i < pieces[round % 6]; i++) add_random(&traffic, &s, esize);
        tw__traffic_finish(&traffic);
        check(&traffic, target, &s, esize);
        tw__traffic_reset(&traffic);
    }
    tw__traffic_free(&traffic);
    tw_device_free(device);
}

/* Data of which only the destination is known (host copies) is told apart by where it goes. */
static void by_destination(void **state)
{
    (void)state;
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = IPUS, .tiles_per_ipu = PER_IPU };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw__traffic t;
    assert_true(tw__traffic_init(&t, tw_device_target(device)));
    for (unsigned i = 0; i < 6; i++) {
        tw__piece piece = { .src_tile = 0,
                            .dst_tile = i < 3 ? 3 : 20,
                            .src_var = UINT32_MAX,
                            .dst_var = 7,
                            .src = 100 * i,
                            .src_stride = 1,
                            .dst = i % 3 == 2 ? 4 : 0,
                            .dst_stride = 1,
                            .count = 8 };
        tw__traffic_add(&t, &piece, 4);
    }
    tw__traffic_finish(&t);
    assert_int_equal(t.received[3], 12 * 4);
    assert_int_equal(t.inward[20], 12 * 4);
    assert_int_equal(t.global, 12 * 4);
    tw__traffic_free(&t);
    tw_device_free(device);
}

/* Behind 262,144 runs each run counts, repeated data included; before, none twice. */
static void many_runs(void **state)
{
    (void)state;
    enum { LIMIT = 1 << 18 };
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = 2, .tiles_per_ipu = PER_IPU };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw__traffic t;
    assert_true(tw__traffic_init(&t, tw_device_target(device)));
    tw__piece piece = { .src_tile = 2, .dst_tile = 5, .dst_var = UINT32_MAX, .src_stride = 1, .count = 1 };
    for (unsigned i = 0; i < LIMIT; i++) {
        piece.src = i / 2; /* each twice */
        tw__traffic_add(&t, &piece, 4);
    }
    for (unsigned i = 0; i < 100; i++) {
        piece.dst_tile = i % 4 == 3 ? 9 : 7;
        piece.src = 0;
        tw__traffic_add(&t, &piece, 4);
    }
    tw__traffic_finish(&t);
    assert_int_equal(t.received[5], LIMIT / 2 * 4);
    assert_int_equal(t.received[7], 75 * 4);
    assert_int_equal(t.sent[2], LIMIT / 2 * 4 + 75 * 4);
    assert_int_equal(t.inward[9], 25 * 4);
    assert_int_equal(t.outward[2], 25 * 4);
    assert_int_equal(t.internal, LIMIT / 2 * 4 + 75 * 4);
    assert_int_equal(t.global, 4); /* links: the search for equal data goes on */
    assert_int_equal(t.flow[1], 4);
    assert_int_equal(t.runs[5], 1);
    assert_int_equal(t.runs[7], 75);
    assert_int_equal(t.runs[2], 1 + 100);
    assert_int_equal(t.reach[7], 5);
    tw__traffic_reset(&t);
    tw__traffic_add(&t, &piece, 4);
    tw__traffic_add(&t, &piece, 4); /* after a reset equal data counts once again */
    tw__traffic_finish(&t);
    assert_int_equal(t.inward[9] + t.received[7] + t.received[5], 4);
    tw__traffic_free(&t);
    tw_device_free(device);
}

/* The sample of guide 8.2.3: one word to 1,216 tiles takes 120 cycles on the last tile and 104 on average. */
static void sample_of_the_guide(void **state)
{
    (void)state;
    enum { MK1_TILES = 1216 };
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK1, .num_ipus = 1, .tiles_per_ipu = MK1_TILES };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw__traffic t;
    assert_true(tw__traffic_init(&t, tw_device_target(device)));
    for (unsigned tile = 1; tile < MK1_TILES; tile++)
        tw__traffic_add(
            &t, &(tw__piece){ .src_tile = 0, .dst_tile = tile, .dst_var = UINT32_MAX, .src_stride = 1, .count = 1 },
            4);
    tw__traffic_finish(&t);
    uint64_t cycles[MK1_TILES], sum = 0;
    tw__traffic_cycles(&t, tw_device_target(device), cycles);
    for (unsigned tile = 0; tile < MK1_TILES; tile++) sum += cycles[tile];
    assert_int_equal(cycles[MK1_TILES - 1], 120);
    assert_int_equal((sum + MK1_TILES / 2) / MK1_TILES, 104);
    assert_int_equal(t.sent[0], 4);
    tw__traffic_free(&t);
    tw_device_free(device);
}

/* IPUs of two tiles and of one: the farthest partner is at the end, and there is none. */
static void small_ipus(void **state)
{
    (void)state;
    for (unsigned per_ipu = 1; per_ipu <= 2; per_ipu++) {
        tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = 2, .tiles_per_ipu = (int)per_ipu };
        tw_device *device = tw_device_ipu_model_with(&model);
        tw__traffic t;
        uint64_t cycles[4];
        assert_true(tw__traffic_init(&t, tw_device_target(device)));
        tw__piece piece = { .dst_tile = 1, .dst_var = UINT32_MAX, .src_stride = 1, .count = 1 };
        tw__traffic_add(&t, &piece, 4);
        tw__traffic_finish(&t);
        tw__traffic_cycles(&t, tw_device_target(device), cycles);
        assert_int_equal(cycles[1], per_ipu == 2 ? 1 + 87 + 32 : 0);
        tw__traffic_spread_cycles(&t, tw_device_target(device), cycles);
        assert_int_equal(cycles[1], per_ipu == 2 ? 0 : 1 + 87);
        tw__traffic_free(&t);
        tw_device_free(device);
    }
}

/* Out of memory at any place is a failure that is told, never a wrong sum. */
static void no_memory(void **state)
{
    (void)state;
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = 2, .tiles_per_ipu = PER_IPU };
    tw_device *device = tw_device_ipu_model_with(&model);
    bool enough = false;
    for (unsigned long nth = 1; !enough; nth++) {
        tw__traffic t;
        assert_true(nth < 100);
        tw__fail_allocation(nth);
        bool good = tw__traffic_init(&t, tw_device_target(device));
        for (unsigned i = 0; good && i < 3000; i++)
            tw__traffic_add(&t,
                            &(tw__piece){ .src_tile = i % 4,
                                          .dst_tile = i % 3 ? 5 : 9,
                                          .dst_var = UINT32_MAX,
                                          .src = 2 * i,
                                          .src_stride = 1,
                                          .count = 1 },
                            4);
        if (good) tw__traffic_finish(&t);
        enough = tw__fail_allocation(0) != 0; /* fewer than that were asked for */
        assert_int_equal(good && !t.failed, enough);
        if (enough) assert_int_equal(t.received[5] + t.inward[9], 3000 * 4);
        tw__traffic_free(&t);
    }
    tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(against_sets), cmocka_unit_test(by_destination),
                                        cmocka_unit_test(many_runs),    cmocka_unit_test(sample_of_the_guide),
                                        cmocka_unit_test(small_ipus),   cmocka_unit_test(no_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
