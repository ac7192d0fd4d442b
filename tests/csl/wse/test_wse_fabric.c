/* SPDX-License-Identifier: MIT */
/* The fabric: routes, time per hop, switches, filters, tasks started by wavelets, microthreads, deadlocks,
 * threads. */
#include "csl/wse/kit.h"

enum { W = TW__CSL_WEST, E = TW__CSL_EAST, S = TW__CSL_SOUTH, N = TW__CSL_NORTH, R = TW__CSL_RAMP };

/* A program that sends `n` words from 1000 on (asynchronous, output queue 2) when it starts. */
static void sender(kit *k, unsigned color, unsigned n)
{
    kit_main(k);
    kit_dsd(k, 0, fabric(TW__CSL_DSD_FABOUT, color, 2, n));
    kit_dsd(k, 2, mem1d(1000, n, 1));
    kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none())->flags = TW__CSL_USE_ASYNC;
    kit_op(k, 4);
    kit_end(k);
}

/* A program that receives `n` words to 2000 (input queue 3) and activates local task 9, which notes that it ran. */
static void receiver(kit *k, unsigned color, unsigned n)
{
    uint32_t f = kit_function(k, "got", 0, 0);
    WIDE(k, LDI, 0, 1);
    WIDE(k, STA_U16, 0, 20);
    kit_end(k);
    kit_task(k, TW__CSL_TASK_LOCAL, 9, f, 0, false);
    kit_main(k);
    kit_dsd(k, 0, mem1d(2000, n, 1));
    kit_dsd(k, 2, fabric(TW__CSL_DSD_FABIN, color, 3, n));
    tw__csl_dsd_use *use = kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
    use->flags = TW__CSL_USE_ASYNC;
    use->done = (tw__csl_action){ TW__CSL_ACT_ACTIVATE, 0, 9 };
    kit_op(k, 4);
    kit_end(k);
}

static void fill(kit *k, unsigned x, unsigned y, unsigned at, unsigned n)
{
    for (unsigned i = 0; i < n; i++) put32(k, x, y, at + 4 * i, 0x10000u * i + 7 * i + 1);
}

static uint64_t event_time(kit *k, unsigned pe, unsigned kind, unsigned a, unsigned mask, unsigned which)
{
    size_t count;
    static const tw__wse_event *events;
    static size_t kept;
    if (k) events = tw__wse_events(k->w, &count), kept = count;
    for (size_t i = 0; i < kept; i++)
        if (events[i].pe == pe && events[i].kind == kind && (events[i].a & mask) == a && which-- == 0)
            return events[i].cycle;
    return 0;
}

/* Eight words over one hop: 6 cycles from dispatch to the first link, 2 a hop, one word a cycle, 19 to the task of
 * completion (fact sheet 6; there it is 7 to the link, but a published chain of tasks wants a start of 3 cycles);
 * micro-fact 27. */
static void one_hop(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 3, 1, false);
    k.options.trace = true;
    sender(&k, 5, 8);
    kit_program(&k);
    receiver(&k, 5, 8);
    kit_program(&k);
    receiver(&k, 5, 8);
    k.image->pes[1].program = 1;
    k.image->pes[2].program = 2;
    kit_route(&k, 0, 0, 5, R, E);
    kit_route(&k, 1, 0, 5, W, R | E);
    kit_route(&k, 2, 0, 5, W, R);
    kit_start(&k);
    fill(&k, 0, 0, 1000, 8);
    kit_run(&k);
    for (unsigned x = 1; x < 3; x++) {
        for (unsigned i = 0; i < 8; i++) assert_int_equal(get32(&k, x, 0, 2000 + 4 * i), 0x10000u * i + 7 * i + 1);
        assert_int_equal(get16(&k, x, 0, 20), 1);
    }
    uint64_t issue = event_time(&k, 0, TW__WSE_OP_BEGIN, 2, 0xff, 0);
    uint64_t first = event_time(NULL, 0, TW__WSE_WAVELET, 1, 0xff, 0),
             second = event_time(NULL, 1, TW__WSE_WAVELET, 1, 0xff, 0);
    assert_int_equal(first, issue + 6);
    assert_int_equal(second, first + 2);
    assert_int_equal(event_time(NULL, 1, TW__WSE_LANDING, 5, 0xff, 0), first + 2);
    assert_int_equal(event_time(NULL, 0, TW__WSE_WAVELET, 1, 0xff, 7), first + 7); /* one a cycle */
    uint64_t task = event_time(NULL, 1, TW__WSE_TASK_BEGIN, 9, 0xff, 0);
    assert_int_equal(task + 3, issue + 19); /* the last one lands at 15; 4 cycles later the first instruction */
    kit_free(&k);
}

/* Two directions of one color deliver in one cycle: said once, with both names, and all wavelets come; a color that
 * takes one direction says nothing. */
static void collision(void **state)
{
    (void)state;
    for (unsigned both = 0; both < 2; both++) {
        kit k;
        kit_begin(&k, 2, 1, false);
        sender(&k, 5, 8);
        kit_program(&k);
        sender(&k, 5, 8);
        k.image->pes[1].program = 1;
        kit_route(&k, 0, 0, 5, R, E);
        kit_route(&k, 1, 0, 5, both ? R | W : R, R);
        kit_start(&k);
        fill(&k, 0, 0, 1000, 8);
        tw__wse_run(k.w, 100000, NULL, NULL);
        const tw_diag *said = kit_said(&k, "in one cycle");
        assert_int_equal(said != NULL, both);
        if (said) assert_true(strstr(said->message, "WEST") && strstr(said->message, "RAMP"));
        kit_free(&k);
    }
}

/* One word, `delay` instructions of one cycle each after the start; nothing when silent. */
static void late_word(kit *k, unsigned delay, bool silent)
{
    kit_main(k);
    for (unsigned i = 0; i < delay; i++) EMIT(k, ADDI_U16, 7, 7, 1);
    kit_dsd(k, 0, fabric(TW__CSL_DSD_FABOUT, 5, 2, 1));
    kit_dsd(k, 2, mem1d(1000, 1, 1));
    if (!silent) {
        kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none())->flags = TW__CSL_USE_ASYNC;
        kit_op(k, 4);
    }
    kit_end(k);
}

/* The PE at (1, 0) takes a word from its neighbour in the west and one of its own and sends both to `ahead`. Returns
 * the cycle in which the first one leaves. */
static uint64_t two_words(unsigned delay, bool west_silent, bool own_silent, unsigned ahead, bool *said)
{
    kit k;
    kit_begin(&k, 2, 2, false);
    k.options.trace = true;
    late_word(&k, 8, west_silent);
    kit_program(&k);
    late_word(&k, delay, own_silent);
    k.image->pes[1].program = 1;
    k.image->pes[2].program = k.image->pes[3].program = UINT32_MAX;
    kit_route(&k, 0, 0, 5, R, E);
    kit_route(&k, 1, 0, 5, R | W, ahead);
    kit_route(&k, 1, 1, 5, N, S);
    kit_start(&k);
    kit_run(&k);
    *said = kit_said(&k, "in one cycle");
    uint64_t leaves = event_time(&k, 1, TW__WSE_WAVELET, 2, 0xff, 0);
    kit_free(&k);
    return leaves;
}

/* Fact sheet 10.3: "same color from two rx directions in one cycle". A cycle earlier or later is none: when either
 * word would leave if it were alone tells when it comes. */
static void collision_in_one_cycle_only(void **state)
{
    (void)state;
    bool said;
    unsigned met = 0;
    uint64_t west = two_words(0, false, true, S, &said);
    assert_false(said);
    for (unsigned delay = 0; delay < 20; delay++) {
        uint64_t own = two_words(delay, true, false, S, &said);
        assert_false(said);
        two_words(delay, false, false, S, &said);
        assert_int_equal(said, own == west);
        two_words(delay, false, false, 0, &said); /* the first one cannot leave before the second one comes */
        assert_int_equal(said, own == west);
        met |= own == west ? 2u : own + 1 == west ? 1u : own == west + 1 ? 4u : 0u;
    }
    assert_int_equal(met, 7); /* one before, together, one after */
}

/* Two words in one color that has no way on, for good: a hang that ends, with the report of who waits. */
static void two_directions_stuck(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 2, 1, false);
    late_word(&k, 8, false);
    kit_program(&k);
    late_word(&k, 0, false);
    k.image->pes[1].program = 1;
    kit_route(&k, 0, 0, 5, R, E);
    kit_route(&k, 1, 0, 5, R | W, 0);
    kit_start(&k);
    kit_run(&k); /* TW_OK: nothing can happen any more */
    assert_true(tw__wse_cycle(k.w) < 200);
    char *waiting = tw__wse_waiting(k.w, 10);
    assert_non_null(waiting);
    assert_non_null(strstr(waiting, "PE 1,0"));
    free(waiting);
    kit_free(&k);
}

/* Long trains keep one wavelet a cycle through many hops, and arrive in order. */
static void full_rate(void **state)
{
    (void)state;
    enum { PES = 6, WORDS = 500 };
    kit k;
    kit_begin(&k, PES, 1, false);
    k.options.trace = true;
    sender(&k, 5, WORDS);
    kit_program(&k);
    receiver(&k, 5, WORDS);
    for (unsigned x = 0; x < PES; x++) {
        if (x) k.image->pes[x].program = 1;
        kit_route(&k, x, 0, 5, x ? W : R, x == 0 ? E : x + 1 < PES ? R | E : R);
    }
    kit_start(&k);
    fill(&k, 0, 0, 1000, WORDS);
    kit_run(&k);
    for (unsigned x = 1; x < PES; x++)
        for (unsigned i = 0; i < WORDS; i++)
            assert_int_equal(get32(&k, x, 0, 2000 + 4 * i), 0x10000u * i + 7 * i + 1);
    uint64_t first = event_time(&k, PES - 2, TW__WSE_WAVELET, 1, 0xff, 0);
    assert_int_equal(event_time(NULL, PES - 2, TW__WSE_WAVELET, 1, 0xff, WORDS - 1), first + WORDS - 1);
    kit_free(&k);
}

/* The link between a router and its own compute engine is one of the router's five, and takes one wavelet a cycle
 * (fact sheet 5.1): two trains that arrive side by side land in turns, sixteen words in sixteen cycles. */
static void one_landing_a_cycle(void **state)
{
    (void)state;
    enum { WORDS = 8 };
    kit k;
    kit_begin(&k, 3, 1, true);
    k.options.trace = true;
    sender(&k, 4, WORDS);
    kit_program(&k);
    kit_main(&k);
    for (unsigned c = 0; c < 2; c++) {
        kit_dsd(&k, 0, mem1d(2000 + 100 * c, WORDS, 1));
        kit_dsd(&k, 2, fabric(TW__CSL_DSD_FABIN, 4 + c, c, WORDS));
        tw__csl_dsd_use *use = kit_use(&k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
        use->flags = TW__CSL_USE_ASYNC;
        use->ut = (uint8_t)c;
        kit_op(&k, 4);
    }
    kit_end(&k);
    kit_program(&k);
    sender(&k, 5, WORDS);
    for (unsigned x = 0; x < 3; x++) k.image->pes[x].program = x;
    kit_route(&k, 0, 0, 4, R, E);
    kit_route(&k, 1, 0, 4, W, R);
    kit_route(&k, 1, 0, 5, E, R);
    kit_route(&k, 2, 0, 5, R, W);
    kit_start(&k);
    fill(&k, 0, 0, 1000, WORDS);
    fill(&k, 2, 0, 1000, WORDS);
    kit_run(&k);
    size_t count, landed = 0;
    const tw__wse_event *events = tw__wse_events(k.w, &count);
    uint64_t last = 0;
    unsigned color = 0;
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind != TW__WSE_LANDING) continue;
        if (landed) assert_int_equal(events[i].cycle, last + 1);
        if (landed) assert_int_not_equal(events[i].a, color); /* in turns */
        last = events[i].cycle;
        color = events[i].a;
        landed++;
    }
    assert_int_equal(landed, 2 * WORDS);
    for (unsigned i = 0; i < WORDS; i++) {
        assert_int_equal(get32(&k, 1, 0, 2000 + 4 * i), 0x10000u * i + 7 * i + 1);
        assert_int_equal(get32(&k, 1, 0, 2100 + 4 * i), 0x10000u * i + 7 * i + 1);
    }
    kit_free(&k);
}

/* Data tasks: one 32-bit argument, or two halves, low first (micro-fact 12); blocked wavelets wait and
 * back-pressure. */
static void data_task(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 2, 1, false);
    sender(&k, 4, 6);
    kit_program(&k);
    uint32_t f = kit_function(&k, "take", 2, 0); /* count into 20, sum of low into 22, of high into 24 */
    static const unsigned at[] = { 22, 24 };
    for (unsigned a = 0; a < 2; a++) {
        WIDE(&k, LDA_U16, 3, at[a]);
        EMIT(&k, ADD_U16, 3, 3, a);
        WIDE(&k, STA_U16, 3, at[a]);
    }
    WIDE(&k, LDA_U16, 3, 20);
    EMIT(&k, ADDI_U16, 3, 3, 1);
    WIDE(&k, STA_U16, 3, 20);
    kit_end(&k);
    kit_task(&k, TW__CSL_TASK_DATA, 4, f, 2, false);
    uint32_t g = kit_function(&k, "open", 0, 0);
    WIDE(&k, LDI, 0, 4);
    EMIT(&k, UNBLOCK, 0, TW__CSL_ID_TASK, 0);
    kit_end(&k);
    kit_init(&k, TW__CSL_INIT_BLOCK, 4);
    k.image->pes[1].program = 1;
    kit_route(&k, 0, 0, 4, R, E);
    kit_route(&k, 1, 0, 4, W, R);
    kit_start(&k);
    fill(&k, 0, 0, 1000, 6);
    kit_run(&k);
    assert_int_equal(get16(&k, 1, 0, 20), 0);
    char *text = tw__wse_waiting(k.w, 10);
    assert_non_null(strstr(text, "PE 1,0: 2 wavelet(s) wait on color 4: its data task is blocked"));
    free(text);
    assert_true(tw__wse_launch(k.w, 1, 0, g, NULL, 0));
    kit_run(&k);
    assert_int_equal(get16(&k, 1, 0, 20), 6);
    assert_int_equal(get16(&k, 1, 0, 22), 7 * 15 + 6);
    assert_int_equal(get16(&k, 1, 0, 24), 15);
    kit_free(&k);
}

/* Switches, fact sheet 5.2: from position 1 = WEST, four ADVANCE control wavelets with data 0, 2, 4, 6 reach W, E, S,
 * N (the position in force before the command routes it); ring mode closes the circle. */
static void switch_ring(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 3, 3, false);
    uint32_t f = kit_function(&k, "main", 0, 0);
    kit_task(&k, TW__CSL_TASK_LOCAL, 8, f, 0, false);
    kit_init(&k, TW__CSL_INIT_ACTIVE, 8);
    tw__csl_dsd out = fabric(TW__CSL_DSD_FABOUT, 3, 2, 4);
    out.flags = TW__CSL_DSD_CONTROL;
    kit_dsd(&k, 0, out);
    kit_dsd(&k, 2, mem1d(1000, 4, 1));
    kit_use(&k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
    kit_op(&k, 4);
    kit_end(&k);
    kit_program(&k);
    uint32_t g = kit_function(&k, "got", 1, 0);
    WIDE(&k, STA_U16, 0, 30);
    kit_end(&k);
    kit_task(&k, TW__CSL_TASK_CONTROL, 40, g, 1, false);
    kit_init(&k, TW__CSL_INIT_UNBLOCK, 3);
    for (unsigned n = 0; n < 9; n++) k.image->pes[n].program = n == 4 ? 0 : n % 2 ? 1 : UINT32_MAX;
    static const unsigned from[] = { [1] = S, [3] = E, [5] = W, [7] = N };
    for (unsigned n = 1; n < 9; n += 2) kit_route(&k, n % 3, n / 3, 3, from[n], R);
    kit_route(&k, 1, 1, 3, R, N); /* position 0 */
    tw__csl_route *r = &k.image->routes[k.image->route_count - 1];
    r->has_switches = 1;
    r->valid[0] = r->valid[1] = r->valid[2] = 1;
    r->pos_tx[0] = W;
    r->pos_tx[1] = E;
    r->pos_tx[2] = S;
    r->current = 1;
    r->ring = 1;
    kit_start(&k);
    for (unsigned i = 0; i < 4; i++) put32(&k, 1, 1, 1000 + 4 * i, 1u << 22 | 40u << 16 | (2 * i + 10));
    kit_run(&k);
    assert_int_equal(get16(&k, 0, 1, 30), 10);
    assert_int_equal(get16(&k, 2, 1, 30), 12);
    assert_int_equal(get16(&k, 1, 2, 30), 14);
    assert_int_equal(get16(&k, 1, 0, 30), 16);
    kit_free(&k);
}

/* A wavelet from a direction that the route does not take waits, and the report says so. */
static void wrong_direction(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 2, 1, false);
    sender(&k, 3, 2);
    kit_program(&k);
    receiver(&k, 3, 2);
    k.image->pes[1].program = 1;
    kit_route(&k, 0, 0, 3, R, E);
    kit_route(&k, 1, 0, 3, W, R);
    kit_start(&k);
    uint32_t word = 5;
    assert_true(tw__wse_send(k.w, 0, 0, TW__CSL_WEST, 3, &word, 1, false));
    kit_run(&k);
    char *text = tw__wse_waiting(k.w, 20);
    assert_non_null(
        strstr(text, "PE 0,0: 1 wavelet(s) of color 3 from west wait in the router: the route does not take"));
    free(text);
    kit_free(&k);
}

/* Filters at delivery: range 3 .. 5 of the index (micro-fact 13), counter B of N (micro-fact 14); all is
 * forwarded. */
static void filters(void **state)
{
    (void)state;
    for (unsigned kind = TW__CSL_FILTER_RANGE; kind <= TW__CSL_FILTER_COUNTER; kind++) {
        kit k;
        kit_begin(&k, 3, 1, false);
        sender(&k, 5, 12);
        kit_program(&k);
        receiver(&k, 5, kind == TW__CSL_FILTER_RANGE ? 3 : 6);
        kit_program(&k);
        receiver(&k, 5, 12);
        k.image->pes[1].program = 1;
        k.image->pes[2].program = 2;
        kit_route(&k, 0, 0, 5, R, E);
        kit_route(&k, 1, 0, 5, W, R | E);
        k.image->routes[1].filter = (tw__csl_filter){ .kind = (uint8_t)kind,
                                                      .count_data = 1,
                                                      .min_index = 3,
                                                      .max_index = 5,
                                                      .has_limit1 = 1,
                                                      .limit1 = 3,
                                                      .max_counter = 1 };
        kit_route(&k, 2, 0, 5, W, R);
        kit_start(&k);
        fill(&k, 0, 0, 1000, 12);
        kit_run(&k);
        for (unsigned i = 0; i < 12; i++) assert_int_equal(get32(&k, 2, 0, 2000 + 4 * i) >> 16, i);
        static const unsigned by_range[] = { 3, 4, 5 }, by_count[] = { 0, 1, 4, 5, 8, 9 };
        unsigned n = kind == TW__CSL_FILTER_RANGE ? 3 : 6;
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(get32(&k, 1, 0, 2000 + 4 * i) >> 16,
                             kind == TW__CSL_FILTER_RANGE ? by_range[i] : by_count[i]);
        kit_free(&k);
    }
}

/* A wavelet that nobody takes: the host waits, the report names PE, color, queue and line. */
static bool never(void *user)
{
    (void)user;
    return false;
}

static void deadlock(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    kit_main(&k);
    LINE(&k, 31);
    kit_dsd(&k, 0, mem1d(2000, 4, 1));
    kit_dsd(&k, 2, fabric(TW__CSL_DSD_FABIN, 6, 1, 4));
    kit_use(&k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
    kit_op(&k, 4);
    kit_end(&k);
    kit_start(&k);
    assert_int_equal(tw__wse_run(k.w, 0, never, NULL), TW_E_SYSTEM);
    assert_non_null(kit_said(&k, "deadlock"));
    assert_non_null(
        kit_said(&k, "PE 0,0: @mov32 at kit.csl:31 waits for wavelets on color 6 (input queue 1); 0 of 4"));
    kit_free(&k);
}

/* Two operations on one output queue: reported, then one after the other; an error under --check=error. */
static void shared_queue(void **state)
{
    (void)state;
    for (unsigned check = 0; check < 2; check++) {
        kit k;
        kit_begin(&k, 2, 1, false);
        k.options.check = check ? TW__WSE_CHECK_ERROR : TW__WSE_CHECK_REPORT;
        kit_main(&k);
        kit_dsd(&k, 0, fabric(TW__CSL_DSD_FABOUT, 5, 2, 4));
        kit_dsd(&k, 2, mem1d(1000, 4, 1));
        kit_dsd(&k, 4, mem1d(1016, 4, 1));
        kit_use(&k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none())->flags = TW__CSL_USE_ASYNC;
        kit_op(&k, 6);
        LINE(&k, 9);
        kit_use(&k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(4), arg_none())->flags = TW__CSL_USE_ASYNC;
        kit_op(&k, 6);
        kit_end(&k);
        kit_program(&k);
        receiver(&k, 5, 8);
        k.image->pes[1].program = 1;
        kit_route(&k, 0, 0, 5, R, E);
        kit_route(&k, 1, 0, 5, W, R);
        kit_start(&k);
        fill(&k, 0, 0, 1000, 8);
        tw_status status = tw__wse_run(k.w, 100000, NULL, NULL);
        assert_int_equal(status, check ? TW_E_APPLICATION : TW_OK);
        const tw_diag *d = kit_said(&k, "microthread 2 is still busy");
        assert_non_null(d);
        assert_int_equal(d->line, 9);
        assert_int_equal(d->severity, check ? TW_ERROR : TW_WARNING);
        for (unsigned i = 0; i < 8 && !check; i++)
            assert_int_equal(get32(&k, 1, 0, 2000 + 4 * i), 0x10000u * i + 7 * i + 1);
        kit_free(&k);
    }
}

/* The same for 1, 2 and 7 threads: memory, trace and counters of rows that all send north and south at once. */
static void build_grid(kit *k, unsigned threads)
{
    enum { SIDE = 24, WORDS = 40 };
    kit_begin(k, SIDE, SIDE, false);
    k->options.threads = threads;
    k->options.trace = true;
    uint32_t f = kit_function(k, "got", 1, 0);
    WIDE(k, LDA_U32, 1, 24);
    EMIT(k, MULI_U32, 1, 1, 31);
    EMIT(k, ADD_U32, 1, 1, 0);
    WIDE(k, STA_U32, 1, 24);
    kit_end(k);
    kit_task(k, TW__CSL_TASK_DATA, 1, f, 1, true);
    kit_task(k, TW__CSL_TASK_DATA, 2, f, 1, true);
    kit_main(k);
    for (unsigned c = 0; c < 2; c++) {
        kit_dsd(k, 0, fabric(TW__CSL_DSD_FABOUT, c + 1, c + 2, WORDS));
        kit_dsd(k, 2, mem1d(1000, WORDS, 1));
        kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none())->flags = TW__CSL_USE_ASYNC;
        kit_op(k, 4);
    }
    kit_end(k);
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++) {
            bool odd = y % 2;
            if (y + 1 < SIDE || odd) kit_route(k, x, y, 1, odd ? N : R, odd ? R : S);
            if (y > 0 && y < SIDE - 1)
                kit_route(k, x, y, 2, odd ? R : N, odd ? S : R);
            else if (y == SIDE - 1)
                kit_route(k, x, y, 2, R, R);
            else
                kit_route(k, x, y, 2, R, R);
        }
    kit_start(k);
    for (unsigned n = 0; n < SIDE * SIDE; n++) fill(k, n % SIDE, n / SIDE, 1000, WORDS);
    kit_run(k);
}

static void same_for_all_threads(void **state)
{
    (void)state;
    kit one, many;
    build_grid(&one, 1);
    size_t n1, n2;
    const tw__wse_event *e1 = tw__wse_events(one.w, &n1);
    assert_true(n1 > 10000);
    static const unsigned threads[] = { 2, 7 };
    for (size_t i = 0; i < 2; i++) {
        build_grid(&many, threads[i]);
        const tw__wse_event *e2 = tw__wse_events(many.w, &n2);
        assert_int_equal(n1, n2);
        assert_memory_equal(e1, e2, n1 * sizeof *e1);
        assert_memory_equal(tw__wse_memory(one.w, 0, 0), tw__wse_memory(many.w, 0, 0), 24 * 24 * TW__CSL_PE_BYTES);
        assert_int_equal(tw__wse_cycle(one.w), tw__wse_cycle(many.w));
        kit_free(&many);
    }
    kit_free(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collision),
        cmocka_unit_test(collision_in_one_cycle_only),
        cmocka_unit_test(two_directions_stuck),
        cmocka_unit_test(one_hop),
        cmocka_unit_test(full_rate),
        cmocka_unit_test(one_landing_a_cycle),
        cmocka_unit_test(data_task),
        cmocka_unit_test(switch_ring),
        cmocka_unit_test(wrong_direction),
        cmocka_unit_test(filters),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(shared_queue),
        cmocka_unit_test(same_for_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
