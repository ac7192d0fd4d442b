/* SPDX-License-Identifier: MIT */
/* Messages and calls of all ranks. Alone: every call returns at once and changes nothing. Under mpirun
 * (cmake/wire.cmake: 2 and 4 ranks) the same functions check what came from others. */
#include "core/wire/wire.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define OK(call) assert_int_equal(call, TW_OK)

static unsigned rank, size;

static int start(void **state)
{
    (void)state;
    if (tw__wire_start() != TW_OK) return fprintf(stderr, "%s\n", tw_error_message()), 1;
    rank = tw__wire_rank(), size = tw__wire_size();
    const char *wanted = getenv("TW_WIRE_RANKS"); /* a launcher that is not noticed would test nothing */
    return wanted && size != (unsigned)atoi(wanted);
}

/* --- messages -------------------------------------------------------------------------------------------------- */

enum { MOST = 5 << 20 };

/* Byte i of a message from one rank to another. */
static unsigned char pattern(unsigned from, unsigned to, size_t i)
{
    return (unsigned char)(from * 31 + to * 7 + i * 3 + (i >> 8));
}

typedef struct plan {
    tw__wire_part out[32], in[32];
    size_t outs, ins, seen;
} plan;

static void pack(void *user, uint32_t index, char *room)
{
    const plan *p = user;
    for (size_t i = 0; i < p->out[index].bytes; i++) room[i] = (char)pattern(rank, p->out[index].peer, i);
}

static void unpack(void *user, uint32_t index, const char *bytes)
{
    plan *p = user;
    const tw__wire_part *part = &p->in[index];
    assert_int_equal((uintptr_t)bytes % 64, 0);
    for (size_t i = 0; i < part->bytes; i++)
        if ((unsigned char)bytes[i] != pattern(part->peer, rank, i))
            fail_msg("byte %zu of message %u from rank %u is wrong", i, index, part->peer);
    p->seen++;
}

static void add(plan *p, unsigned peer, size_t bytes)
{
    p->out[p->outs] = (tw__wire_part){ .peer = peer, .index = (uint32_t)p->outs, .bytes = bytes };
    p->outs++;
    p->in[p->ins] = (tw__wire_part){ .peer = peer, .index = (uint32_t)p->ins, .bytes = bytes };
    p->ins++;
}

static void every_size(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 4096, 4097, 65536, 1 << 20, MOST };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        plan p = { 0 };
        for (unsigned peer = 0; peer < size; peer++)
            if (peer != rank) add(&p, peer, sizes[k]);
        OK(tw__wire_exchange(TW__WIRE_HERE("sizes"), sizes[k], p.out, p.outs, p.in, p.ins, pack, unpack, &p));
        assert_int_equal(p.seen, size - 1);
    }
}

/* A ring of unequal messages, several times: each rank sends to the next and receives from the one before. */
static void ring(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200 && size > 1; round++) {
        unsigned before = (rank + size - 1) % size;
        plan p = { .outs = 1, .ins = 1 };
        p.out[0] = (tw__wire_part){ .peer = (rank + 1) % size, .bytes = 100 * (rank + 1) + round };
        p.in[0] = (tw__wire_part){ .peer = before, .bytes = 100 * (before + 1) + round };
        OK(tw__wire_exchange(TW__WIRE_HERE("ring"), round, p.out, 1, p.in, 1, pack, unpack, &p));
        assert_int_equal(p.seen, 1);
    }
}

/* Two of the ranks talk, the others do not take part. */
static void bystanders(void **state)
{
    (void)state;
    plan p = { 0 };
    if (size > 1 && rank == 0) add(&p, size - 1, 1000);
    if (size > 1 && rank == size - 1) add(&p, 0, 1000);
    for (int round = 0; round < 50; round++) {
        p.seen = 0;
        OK(tw__wire_exchange(TW__WIRE_HERE("two"), 0, p.out, p.outs, p.in, p.ins, pack, unpack, &p));
        assert_int_equal(p.seen, p.ins);
    }
}

/* --- all ranks ------------------------------------------------------------------------------------------------- */

static void broadcasts(void **state)
{
    (void)state;
    static unsigned char bytes[70000];
    for (unsigned root = 0; root < size; root++)
        for (size_t n = 0; n < sizeof bytes; n = n * 3 + 1) {
            for (size_t i = 0; i < n; i++) bytes[i] = rank == root ? pattern(root, 0, i) : 0xee;
            OK(tw__wire_broadcast(TW__WIRE_HERE("broadcast"), root, bytes, n));
            for (size_t i = 0; i < n; i++) assert_int_equal(bytes[i], pattern(root, 0, i));
        }
}

static void reductions(void **state)
{
    (void)state;
    for (unsigned odd = 0; odd <= size; odd++) { /* one rank says false; at the end none */
        bool all = rank != odd;
        OK(tw__wire_all_and(TW__WIRE_HERE("and"), &all));
        assert_int_equal(all, odd == size);
        uint64_t least = rank == odd ? 5 : 1000 + rank;
        OK(tw__wire_all_min(TW__WIRE_HERE("min"), &least));
        assert_int_equal(least, odd == size ? 1000 : 5);
    }
}

/* Nobody leaves before all have come: a counter that goes round must not be overtaken. */
static void barriers(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) OK(tw__wire_barrier(TW__WIRE_HERE("barrier")));
}

/* --- failures that ranks get over ------------------------------------------------------------------------------- */

static void agreement(void **state)
{
    (void)state;
    OK(tw__wire_agree(TW_OK));
    for (unsigned bad = 0; bad < size; bad++) {
        tw__wire_at(100 + bad);
        tw_status mine = rank == bad ? tw__fail(TW_E_APPLICATION, "rank %u fails", rank) : TW_OK;
        char expected[32];
        snprintf(expected, sizeof expected, "rank %u fails", bad);
        if (mine) tw__wire_failed(mine);
        assert_int_equal(tw__wire_agree(mine), TW_E_APPLICATION);
        assert_string_equal(tw_error_message(), expected);
        OK(tw__wire_barrier(TW__WIRE_HERE("after a failure")));
    }
}

/* Of several failures that of the first position counts, of the lowest rank there. */
static void first_failure(void **state)
{
    (void)state;
    tw__wire_at(size - rank);
    tw_status mine = tw__fail(TW_E_INDEX, "rank %u fails", rank);
    char expected[32];
    snprintf(expected, sizeof expected, "rank %u fails", size - 1);
    assert_int_equal(tw__wire_agree(mine), TW_E_INDEX);
    assert_string_equal(tw_error_message(), expected);
    tw__wire_at(7);
    mine = tw__fail(TW_E_INDEX, "rank %u fails", rank);
    assert_int_equal(tw__wire_agree(mine), TW_E_INDEX);
    assert_string_equal(tw_error_message(), "rank 0 fails");
    OK(tw__wire_agree(TW_OK));
}

/* A rank that waits for one which has failed is told so instead of waiting; its own messages are not taken for those
 * of the next run. */
static void failure_reaches_who_waits(void **state)
{
    (void)state;
    if (size < 2) return;
    for (int round = 0; round < 3; round++) {
        char byte = 'x';
        tw__wire_at(3);
        tw_status s = TW_OK;
        if (rank == 0) {
            s = tw__fail(TW_E_APPLICATION, "vertex 7 divides by zero");
            tw__wire_failed(s);
        } else {
            s = tw__wire_broadcast(TW__WIRE_HERE("a result"), 0, &byte, 1);
            assert_int_equal(s, TW_E_APPLICATION);
        }
        assert_int_equal(tw__wire_agree(s), TW_E_APPLICATION);
        assert_string_equal(tw_error_message(), "vertex 7 divides by zero");
        byte = rank == 0 ? 'y' : 'n';
        OK(tw__wire_broadcast(TW__WIRE_HERE("a result"), 0, &byte, 1));
        assert_int_equal(byte, 'y');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size), cmocka_unit_test(ring),          cmocka_unit_test(bystanders),
        cmocka_unit_test(broadcasts), cmocka_unit_test(reductions),    cmocka_unit_test(barriers),
        cmocka_unit_test(agreement),  cmocka_unit_test(first_failure), cmocka_unit_test(failure_reaches_who_waits),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
