/* SPDX-License-Identifier: MIT */
/* Switches, filters, color swap and teardown, rule by rule: fact sheet 5.2 to 5.5 and its micro-facts 14, 16, 17. */
#include "csl/wse/kit.h"
#include "csl/wse/fabric/fabric.h"

enum { W = TW__CSL_WEST, E = TW__CSL_EAST, S = TW__CSL_SOUTH, N = TW__CSL_NORTH, R = TW__CSL_RAMP };

/* Base rx W, tx RAMP and E; position 1 tx E; position 2 rx RAMP: after two advances rx = RAMP, tx = E. */
static void positions_are_sticky(void **state)
{
    (void)state;
    static const tw__csl_route route = {
        .rx = W, .tx = R | E, .has_switches = 1, .valid = { 1, 1, 0 }, .pos_tx = { E, 0, 0 }, .pos_rx = { 0, R, 0 }
    };
    tw__channel c = { 0 };
    tw__wse_channel_route(&c, &route);
    static const uint8_t want[][2] = { { W, R | E }, { W, E }, { R, E }, { R, E } }; /* without a ring it stays */
    for (unsigned k = 0; k < 4; k++) {
        assert_int_equal(c.rx, want[k][0]);
        assert_int_equal(c.tx, want[k][1]);
        tw__wse_switch_advance(&c);
    }
    c.ring = 1;
    tw__wse_switch_advance(&c);
    assert_int_equal(c.position, 0);
    assert_int_equal(c.tx, R | E);
}

/* Which commands a router takes off the list, and what the list looks like afterwards. */
static void popped_lists(void **state)
{
    (void)state;
    enum { NOP, ADVANCE, RESET };
    static const struct {
        unsigned pop, command, can_advance, popped;
    } rows[] = {
        { TW__CSL_POP_NONE, ADVANCE, 1, 0 },           { TW__CSL_POP_ALWAYS, ADVANCE, 1, 1 },
        { TW__CSL_POP_ALWAYS, ADVANCE, 0, 1 },         { TW__CSL_POP_ALWAYS, NOP, 1, 1 },
        { TW__CSL_POP_ON_ADVANCE, ADVANCE, 1, 1 },     { TW__CSL_POP_ON_ADVANCE, ADVANCE, 0, 0 },
        { TW__CSL_POP_ON_ADVANCE, NOP, 1, 0 },         { TW__CSL_POP_ON_ADVANCE_NOP, NOP, 1, 1 },
        { TW__CSL_POP_ON_ADVANCE_NOP, ADVANCE, 0, 0 }, { TW__CSL_POP_ON_ADVANCE_NOP, ADVANCE, 1, 1 },
    };
    /* command k: opcode (k + 1) % 3 and ignored for odd k; entry point 42 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw__channel c = { .has_switches = 1, .pop = (uint8_t)rows[i].pop, .valid = (uint8_t)rows[i].can_advance };
        static const unsigned op_at[] = { 22, 25, 28, 1, 4, 7, 10, 13 },
                              ignore_at[] = { 24, 27, 0, 3, 6, 9, 12, 15 };
        uint32_t before = 42u << 16 | rows[i].command << 22, after = 42u << 16;
        for (unsigned k = 1; k < 8; k++) {
            before |= (k + 1) % 3 << op_at[k] | k % 2 << ignore_at[k];
            after |= (k + 1) % 3 << op_at[k - 1] | k % 2 << ignore_at[k - 1];
        }
        uint32_t got = tw__wse_switch_command(NULL, 0, &c, before);
        if (got != (rows[i].popped ? after : before)) fail_msg("row %zu: 0x%08x", i, got);
    }
}

/* The first B of every N: limit1 = N - 1, max_counter = B - 1; sparse counters end after their limits. */
static void counters(void **state)
{
    (void)state;
    tw__channel c = { .filter = { .kind = TW__CSL_FILTER_COUNTER,
                                  .count_data = 1,
                                  .has_limit1 = 1,
                                  .limit1 = 4,
                                  .max_counter = 1 } };
    for (unsigned k = 0; k < 23; k++) {
        assert_int_equal(tw__wse_filter_passes(&c, 0, false), k % 5 < 2);
        tw__wse_filter_count(&c, false);
        tw__wse_filter_count(&c, true); /* control wavelets do not count here */
    }
    tw__channel s = { .filter = { .kind = TW__CSL_FILTER_SPARSE,
                                  .count_data = 1,
                                  .has_limit1 = 1,
                                  .limit1 = 2,
                                  .has_limit2 = 1,
                                  .limit2 = 3,
                                  .max_counter = 0 },
                      .limit = 2 };
    static const bool want[] = { 1, 0, 0, 1, 0, 0, 0, 1, 1, 1 }; /* 3, then 4, then all pass */
    for (unsigned k = 0; k < sizeof want; k++) {
        if (tw__wse_filter_passes(&s, 0, false) != want[k]) fail_msg("wavelet %u", k);
        tw__wse_filter_count(&s, false);
    }
}

static void send_words(kit *k, unsigned color, unsigned queue, unsigned at, unsigned n, unsigned flags)
{
    tw__csl_dsd out = fabric(TW__CSL_DSD_FABOUT, color, queue, n);
    out.flags = (uint8_t)flags;
    kit_dsd(k, 0, out);
    kit_dsd(k, 2, mem1d(at, n, 1));
    kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
    kit_op(k, 4);
}

static void gatherer(kit *k, unsigned color, unsigned n)
{
    kit_main(k);
    kit_dsd(k, 0, mem1d(2000, n, 1));
    kit_dsd(k, 2, fabric(TW__CSL_DSD_FABIN, color, 3, n));
    kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
    kit_op(k, 4);
    kit_end(k);
}

/* Two ADVANCE commands in one wavelet under always_pop: the first router takes one, the second the other; data that
 * follows turns off where the switch stands. Without popping the first command moves both. */
static void command_lists_on_the_way(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 4, 2, false);
    kit_main(&k);
    send_words(&k, 3, 2, 1000, 1, TW__CSL_DSD_CONTROL);
    send_words(&k, 3, 2, 1004, 2, 0);
    kit_end(&k);
    kit_program(&k);
    gatherer(&k, 3, 2);
    for (unsigned n = 0; n < 8; n++) k.image->pes[n].program = n == 0 ? 0 : n == 6 ? 1 : UINT32_MAX;
    kit_route(&k, 0, 0, 3, R, E);
    for (unsigned x = 1; x < 3; x++) {
        kit_route(&k, x, 0, 3, W, E);
        tw__csl_route *r = &k.image->routes[k.image->route_count - 1];
        r->has_switches = r->valid[0] = 1;
        r->pop = TW__CSL_POP_ALWAYS;
        r->pos_tx[0] = TW__CSL_SOUTH;
    }
    kit_route(&k, 3, 0, 3, W, R);
    kit_route(&k, 1, 1, 3, TW__CSL_NORTH, R);
    kit_route(&k, 2, 1, 3, TW__CSL_NORTH, R);
    kit_start(&k);
    /* NOP for the router at x = 1, ADVANCE for the one at x = 2; all ignored by cores */
    put32(&k, 0, 0, 1000, 4u << 22 | 5u << 25 | 31u << 16);
    put32(&k, 0, 0, 1004, 0xaaaa);
    put32(&k, 0, 0, 1008, 0xbbbb);
    kit_run(&k);
    assert_int_equal(get32(&k, 2, 1, 2000), 0xaaaa);
    assert_int_equal(get32(&k, 2, 1, 2004), 0xbbbb);
    kit_free(&k);
}

/* PE 1 takes nothing for long: its queue of two places is full, a control wavelet waits and words behind it. When
 * the first has been taken, the control wavelet fills the queue again and turns the switch: the words go on at
 * once, as in the reference, though the queue that they would have gone to has no room. */
static void turned_before_a_full_queue(void **state)
{
    (void)state;
    uint64_t cycle[2];
    for (unsigned reference = 0; reference < 2; reference++) {
        kit k;
        kit_begin(&k, 3, 1, false);
        k.options.reference = reference;
        k.options.may_wait = true;
        k.options.check = TW__WSE_CHECK_OFF;
        kit_main(&k);
        send_words(&k, 3, 2, 1000, 2, 0);
        send_words(&k, 3, 2, 1008, 1, TW__CSL_DSD_CONTROL);
        send_words(&k, 3, 2, 1012, 2, 0);
        kit_end(&k);
        kit_program(&k);
        kit_main(&k);
        WIDE(&k, LDI, 6, 40);
        WIDE(&k, LDI, 7, 0);
        EMIT(&k, ADDI_U32, 7, 7, 1);
        EMIT(&k, JLTU, 7, 6, (uint16_t)-2);
        kit_dsd(&k, 0, mem1d(2000, 1, 1)); /* one of the two in the queue, then nothing for ever */
        kit_dsd(&k, 2, fabric(TW__CSL_DSD_FABIN, 3, 4, 1));
        kit_use(&k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
        kit_op(&k, 4);
        kit_end(&k);
        kit_program(&k);
        gatherer(&k, 3, 2);
        for (unsigned n = 0; n < 3; n++) k.image->pes[n].program = n;
        kit_route(&k, 0, 0, 3, R, E);
        kit_route(&k, 1, 0, 3, W, R);
        tw__csl_route *r = &k.image->routes[k.image->route_count - 1];
        r->has_switches = r->valid[0] = 1;
        r->pos_tx[0] = E;
        kit_route(&k, 2, 0, 3, W, R);
        kit_start(&k);
        put32(&k, 0, 0, 1008, 1u << 22 | 42u << 16); /* ADVANCE, and for the core */
        for (unsigned n = 0; n < 2; n++) put32(&k, 0, 0, 1012 + 4 * n, 7 + n);
        kit_run(&k);
        cycle[reference] = tw__wse_cycle(k.w);
        for (unsigned n = 0; n < 2; n++) assert_int_equal(get32(&k, 2, 0, 2000 + 4 * n), 7 + n);
        kit_free(&k);
    }
    assert_int_equal(cycle[0], cycle[1]);
}

/* advance_switch: after the last wavelet of the operation the sender's own switch moves. */
static void advance_after_the_last(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 3, 1, false);
    kit_main(&k);
    send_words(&k, 3, 2, 1000, 3, TW__CSL_DSD_ADVANCE);
    send_words(&k, 3, 2, 1012, 2, TW__CSL_DSD_ADVANCE);
    kit_end(&k);
    kit_program(&k);
    gatherer(&k, 3, 3);
    kit_program(&k);
    gatherer(&k, 3, 2);
    k.image->pes[0].program = 1;
    k.image->pes[1].program = 0;
    k.image->pes[2].program = 2;
    kit_route(&k, 0, 0, 3, E, R);
    kit_route(&k, 1, 0, 3, R, W);
    tw__csl_route *r = &k.image->routes[k.image->route_count - 1];
    r->has_switches = r->valid[0] = 1;
    r->pos_tx[0] = E;
    kit_route(&k, 2, 0, 3, W, R);
    kit_start(&k);
    for (unsigned n = 0; n < 5; n++) put32(&k, 1, 0, 1000 + 4 * n, n + 1);
    kit_run(&k);
    for (unsigned n = 0; n < 3; n++) assert_int_equal(get32(&k, 0, 0, 2000 + 4 * n), n + 1);
    for (unsigned n = 0; n < 2; n++) assert_int_equal(get32(&k, 2, 0, 2000 + 4 * n), n + 4);
    kit_free(&k);
}

/* A handler of color 3 that notes its call and writes the color's routes, out of teardown. */
static void handler(kit *k, unsigned routes)
{
    uint32_t f = kit_function(k, "handler", 0, 0);
    WIDE(k, LDI, 0, 1);
    WIDE(k, STA_U16, 0, 20);
    WIDE(k, LDI, 0, 0x7f20 + 3);
    WIDE(k, LDI, 1, routes);
    EMIT(k, SET_CONFIG, 0, 1, 0);
    kit_end(k);
    tw__csl_handler *row = TW__CSL_PUSH(k->p, handlers, handler);
    *row = (tw__csl_handler){ .id = 3, .function = f };
}

/* TEARDOWN suspends the color behind the wavelet and calls the handler, which turns the route round and ends it by
 * the configuration register; what waited then goes the new way. */
static void teardown(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 3, 1, false);
    kit_main(&k);
    send_words(&k, 3, 2, 1000, 1, TW__CSL_DSD_CONTROL);
    send_words(&k, 3, 2, 1004, 2, 0);
    kit_end(&k);
    handler(&k, E | R << 5);
    kit_program(&k);
    handler(&k, E | W << 5); /* west to east from now on */
    kit_program(&k);
    gatherer(&k, 3, 2);
    for (unsigned n = 0; n < 3; n++) k.image->pes[n].program = n;
    kit_route(&k, 0, 0, 3, R, E);
    kit_route(&k, 1, 0, 3, W, R);
    kit_route(&k, 2, 0, 3, W, R);
    kit_start(&k);
    put32(&k, 0, 0, 1000, 3u << 22 | 1u << 24 | 31u << 16);
    put32(&k, 0, 0, 1004, 77);
    put32(&k, 0, 0, 1008, 78);
    kit_run(&k);
    assert_int_equal(get16(&k, 1, 0, 20), 1);
    assert_int_equal(get32(&k, 2, 0, 2000), 77);
    assert_int_equal(get32(&k, 2, 0, 2004), 78);
    assert_int_equal(get16(&k, 0, 0, 20), 1); /* the sender's own router was the first that the command passed */
    kit_free(&k);
}

/* Both colors swapped in x: a train on color 1 is color 1 at its own PE, 0 at the next, 1 at the one after. */
static void color_swap(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 4, 1, false);
    for (unsigned c = 0; c < 2; c++) {
        uint32_t f = kit_function(&k, c ? "blue" : "red", 1, 0);
        WIDE(&k, LDA_U32, 1, 40 + 4 * c);
        EMIT(&k, ADD_U32, 1, 1, 0);
        WIDE(&k, STA_U32, 1, 40 + 4 * c);
        kit_end(&k);
        kit_task(&k, TW__CSL_TASK_DATA, c, f, 1, true);
    }
    uint32_t go = kit_function(&k, "go", 0, 0);
    send_words(&k, 1, 2, 1000, 5, 0);
    kit_end(&k);
    for (unsigned x = 0; x < 4; x++)
        for (unsigned c = 0; c < 2; c++) {
            kit_route(&k, x, 0, c, x ? W : R, x < 3 ? R | E : R);
            k.image->routes[k.image->route_count - 1].swap_x = 1;
        }
    kit_start(&k);
    for (unsigned n = 0; n < 5; n++) put32(&k, 0, 0, 1000 + 4 * n, n);
    assert_true(tw__wse_launch(k.w, 0, 0, go, NULL, 0));
    kit_run(&k);
    for (unsigned x = 0; x < 4; x++) {
        assert_int_equal(get32(&k, x, 0, 40), x % 2 ? 10 : 0);
        assert_int_equal(get32(&k, x, 0, 44), x % 2 ? 0 : 10);
    }
    kit_free(&k);
}

/* A wavelet from the PE itself changes its color only where the color asks for swaps in both dimensions. */
static void color_swap_at_the_ramp(void **state)
{
    (void)state;
    for (unsigned dimensions = 0; dimensions < 4; dimensions++) {
        kit k;
        kit_begin(&k, 1, 2, false);
        for (unsigned c = 0; c < 2; c++) {
            uint32_t f = kit_function(&k, c ? "blue" : "red", 1, 0);
            WIDE(&k, STA_U32, 0, 40 + 4 * c);
            kit_end(&k);
            kit_task(&k, TW__CSL_TASK_DATA, c, f, 1, true);
        }
        uint32_t go = kit_function(&k, "go", 0, 0);
        send_words(&k, 1, 2, 1000, 1, 0);
        kit_end(&k);
        for (unsigned c = 0; c < 2; c++) {
            kit_route(&k, 0, 0, c, R, S);
            k.image->routes[k.image->route_count - 1].swap_x = dimensions & 1;
            k.image->routes[k.image->route_count - 1].swap_y = dimensions >> 1;
        }
        for (unsigned c = 0; c < 2; c++) kit_route(&k, 0, 1, c, N, R);
        kit_start(&k);
        put32(&k, 0, 0, 1000, 7);
        assert_true(tw__wse_launch(k.w, 0, 0, go, NULL, 0));
        kit_run(&k);
        assert_int_equal(get32(&k, 0, 1, 40), dimensions == 3 ? 7 : 0);
        assert_int_equal(get32(&k, 0, 1, 44), dimensions == 3 ? 0 : 7);
        kit_free(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_sticky),
        cmocka_unit_test(popped_lists),
        cmocka_unit_test(counters),
        cmocka_unit_test(command_lists_on_the_way),
        cmocka_unit_test(turned_before_a_full_queue),
        cmocka_unit_test(advance_after_the_last),
        cmocka_unit_test(teardown),
        cmocka_unit_test(color_swap),
        cmocka_unit_test(color_swap_at_the_ramp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
