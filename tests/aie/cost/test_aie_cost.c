/* SPDX-License-Identifier: MIT */
/* Schedules and intervals of blocks, worked out by hand, and what rows of aie/cost say. */
#include "aie/cost/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tilewright/aie/cost.h>

#define LOAD  TW__AIE_COST(TW__AIE_LOAD, 1, 8, 0)
#define MAC   TW__AIE_COST(TW__AIE_VECTOR, 1, 6, TW__AIE_ADDS)
#define FPMAC TW__AIE_COST(TW__AIE_VECTOR, 1, 6, TW__AIE_ADDS | TW__AIE_FLOAT)
#define SRS   TW__AIE_COST(TW__AIE_SRS, 1, 3, 0)
#define STORE TW__AIE_COST(TW__AIE_STORE, 1, 1, 0)
#define ADD   TW__AIE_COST(TW__AIE_ALU, 1, 1, TW__AIE_SCALAR)

typedef struct block {
    const tw__aie_cost *costs;
    uint32_t count;
    const tw__aie_edge *edges;
    uint32_t edge_count;
} block;
#define BLOCK(costs_, edges_) ((block){ costs_, G_N_ELEMENTS(costs_), edges_, G_N_ELEMENTS(edges_) })

static GArray *edges_of(const block *b)
{
    GArray *edges = g_array_new(FALSE, FALSE, sizeof(tw__aie_edge));
    g_array_append_vals(edges, b->edges, b->edge_count);
    return edges;
}

static unsigned length_of(block b, unsigned *at)
{
    GArray *edges = edges_of(&b);
    unsigned length = tw__aie_schedule(b.costs, b.count, edges, at);
    g_array_free(edges, TRUE);
    return length;
}

static unsigned interval_of(block b, unsigned length)
{
    GArray *edges = edges_of(&b);
    unsigned interval = tw__aie_interval(b.costs, b.count, edges, length);
    g_array_free(edges, TRUE);
    return interval;
}

static const tw__aie_cost fir[] = { LOAD, LOAD, MAC, MAC, SRS, STORE };
static const tw__aie_edge fir_edges[] = {
    { 0, 2, 8, 0 }, { 1, 3, 8, 0 }, { 2, 3, 1, 0 }, { 3, 4, 6, 0 }, { 4, 5, 3, 0 }
};

/* Two loads at once, the products eight cycles later one behind the other, six to the srs, three to the store. */
static void chain(void **state)
{
    (void)state;
    unsigned at[6];
    assert_int_equal(length_of(BLOCK(fir, fir_edges), at), 19);
    const unsigned wanted[] = { 0, 0, 8, 9, 15, 18 };
    for (int i = 0; i < 6; i++) assert_int_equal(at[i], wanted[i]);
    assert_int_equal(interval_of(BLOCK(fir, fir_edges), 19), 2); /* two products */
}

/* Three loads have two ports. */
static void ports(void **state)
{
    (void)state;
    static const tw__aie_cost costs[] = { LOAD, LOAD, LOAD, STORE };
    static const tw__aie_edge edges[] = { { 0, 3, 8, 0 }, { 1, 3, 8, 0 }, { 2, 3, 8, 0 } };
    unsigned at[4];
    assert_int_equal(length_of(BLOCK(costs, edges), at), 10);
    assert_int_equal(interval_of(BLOCK(costs, edges), 10), 2);
}

/* The accumulator goes round: a cycle for fixed point, two for float, the latency where something lies between. */
static void recurrences(void **state)
{
    (void)state;
    static const tw__aie_cost fixed[] = { LOAD, MAC }, two[] = { LOAD, FPMAC }, three[] = { LOAD, MAC, SRS };
    static const tw__aie_edge by_one[] = { { 0, 1, 8, 0 }, { 1, 1, 1, 1 } },
                              by_two[] = { { 0, 1, 8, 0 }, { 1, 1, 2, 1 } },
                              by_all[] = { { 0, 1, 8, 0 }, { 1, 2, 6, 0 }, { 2, 0, 3, 1 } };
    assert_int_equal(interval_of(BLOCK(fixed, by_one), 9), 1);
    assert_int_equal(interval_of(BLOCK(two, by_two), 9), 2);
    assert_int_equal(interval_of(BLOCK(three, by_all), 30), 17);
}

/* One scalar result a cycle: a load's and an addition's of the same cycle meet. */
static void one_result(void **state)
{
    (void)state;
    static const tw__aie_cost costs[] = { TW__AIE_COST(TW__AIE_LOAD, 1, 2, TW__AIE_SCALAR), ADD, ADD };
    static const tw__aie_edge edges[] = { { 1, 2, 1, 0 } };
    unsigned at[3];
    length_of(BLOCK(costs, edges), at);
    bool meet = at[0] + 2 == at[1] + 1 || at[0] + 2 == at[2] + 1;
    assert_false(meet);
    assert_int_equal(interval_of(BLOCK(costs, edges), 9), 3);
}

/* Operands in memory are loaded eight cycles before, two at once. */
static void operands_in_memory(void **state)
{
    (void)state;
    tw__aie_cost costs[] = { MAC, MAC };
    costs[0].is_fed = costs[1].is_fed = true, costs[0].loads = 4, costs[1].loads = 0;
    static const tw__aie_edge edges[] = { { 0, 1, 1, 0 } };
    unsigned at[2];
    assert_int_equal(length_of(BLOCK(costs, edges), at), 11);
    assert_int_equal(at[0], 9); /* four loads: cycles 0 and 1 */
    assert_int_equal(interval_of(BLOCK(costs, edges), 11), 2);
}

/* No turn is shorter than what its units need, none longer than the whole. */
static void bounds(void **state)
{
    (void)state;
    enum { MOST = 12 };
    srand(7);
    for (int round = 0; round < 300; round++) {
        tw__aie_cost costs[MOST];
        unsigned count = 2 + (unsigned)rand() % (MOST - 2), vectors = 0, at[MOST];
        GArray *edges = g_array_new(FALSE, FALSE, sizeof(tw__aie_edge));
        for (unsigned i = 0; i < count; i++) {
            costs[i] = rand() % 2 ? MAC : LOAD, vectors += costs[i].unit == TW__AIE_VECTOR;
            tw__aie_edge e = { i ? (uint32_t)rand() % i : 0, i, (int)costs[i].latency, 0 };
            if (i) g_array_append_val(edges, e);
        }
        unsigned length = tw__aie_schedule(costs, count, edges, at);
        unsigned interval = tw__aie_interval(costs, count, edges, length);
        assert_true(interval >= vectors && interval <= length && length >= vectors);
        for (guint i = 0; i < edges->len; i++) {
            const tw__aie_edge *e = &g_array_index(edges, tw__aie_edge, i);
            assert_true(at[e->from] + (unsigned)e->latency <= at[e->to]);
        }
        g_array_free(edges, TRUE);
    }
}

static void names(void **state)
{
    (void)state;
    static const char *const rows[][2] = { { "_ZL5mul16IJDv32_siiEEv", "mul16" },
                                           { "_ZN3adf5fnameEv", "fname" },
                                           { "_ZL3srs7v8acc48i", "srs" },
                                           { "_Z11readincr_v4IiEv", "readincr_v4" },
                                           { "expf", "expf" },
                                           { "_ZplDv4_i", "operator" },
                                           { "_ZL99short", "operator" } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *name = tw__aie_plain_name(rows[i][0]);
        assert_string_equal(name, rows[i][1]);
        g_free(name);
    }
}

static tw__aie_cost cost_of(const char *linkage, uint32_t bytes)
{
    const tw__ir_function f = { 0 };
    const tw__ir_value v = { .kind = TW__IR_INSTRUCTION,
                             .op = TW__IR_call,
                             .callee = linkage,
                             .section = TW__AIE_SECTION,
                             .bytes = bytes,
                             .lanes = 1 };
    return tw__aie_cost_of(&f, &v);
}

static void intrinsics(void **state)
{
    (void)state;
    assert_int_equal(cost_of("_ZL5mac16v", 0).flags, TW__AIE_ADDS);
    assert_int_equal(cost_of("_ZL5fpmacv", 32).flags, TW__AIE_ADDS | TW__AIE_FLOAT);
    assert_int_equal(cost_of("_ZL3maxv", 32).latency, 3); /* not mac, not mul */
    assert_int_equal(cost_of("_ZL6concatv", 64).unit, TW__AIE_NONE);
    assert_int_equal(cost_of("_ZL8ext_elemv", 4).unit, TW__AIE_MOVE_VECTOR);
    assert_int_equal(cost_of("_ZL18window_readincr_v8v", 16).issues, 1);
    assert_int_equal(cost_of("_ZL19window_readincr_v16v", 64).issues, 2); /* 512 bits through ports of 256 */
    assert_int_equal(cost_of("_ZL11readincr_v4v", 16).issues, 4);         /* a word a cycle */
    assert_int_equal(cost_of("_ZL9fix2floatv", 4).issues, 1);
    assert_int_equal(cost_of("_ZL9fix2floatv", 32).issues, 8); /* eight lanes */
    assert_true(cost_of("_ZL10get_cyclesv", 8).flags & TW__AIE_ENDS);
    assert_int_equal(cost_of("_ZL10some_laterv", 32).unit, TW__AIE_VECTOR);
}

/* What is no bitcode is refused; where the module is missing, that is said. */
static void no_bitcode(void **state)
{
    (void)state;
    size_t size;
    assert_null(tw_aie_cost("BC\xc0\xde rubbish", 12, &size));
    assert_int_equal(tw_error_status(), tw_aie_can_cost() ? TW_E_FILE_LOAD : TW_E_NO_ENVIRONMENT);
    assert_null(tw_aie_cost_listing("BC\xc0\xde rubbish", 12));
    if (!tw_aie_can_cost()) return;
    assert_null(tw_aie_cost("", 0, &size));
    assert_int_equal(tw_error_status(), TW_E_FILE_LOAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain),      cmocka_unit_test(ports),      cmocka_unit_test(recurrences),
        cmocka_unit_test(one_result), cmocka_unit_test(bounds),     cmocka_unit_test(intrinsics),
        cmocka_unit_test(names),      cmocka_unit_test(no_bitcode), cmocka_unit_test(operands_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
