/* SPDX-License-Identifier: MIT */
/* The order in which PEs are looked at, and by how many threads, shows nowhere: a rectangle where every PE talks to
 * its four neighbours is run window by window, as a reference, then in tiles by 1, 2 and 7 threads. Trace, counters,
 * memory and messages have to agree. */
#include "csl/wse/kit.h"

enum { W = TW__CSL_WEST, E = TW__CSL_EAST, S = TW__CSL_SOUTH, N = TW__CSL_NORTH, R = TW__CSL_RAMP };
enum { WIDTH = 70, HEIGHT = 66, WORDS = 12, DELAY = 20, HASH = 24, DIVISOR = 28, DATA = 1000 };

/* What a PE of parity (px, py) does: waits as many turns of a loop as its memory says, then sends to all sides;
 * what arrives is folded into a number that depends on the order. */
static void talker(kit *k, unsigned px, unsigned py)
{
    const unsigned out[] = { px, 2 + px, 4 + py, 6 + py }, in[] = { 1 - px, 3 - px, 5 - py, 7 - py };
    uint32_t f = kit_function(k, "main", 0, 0);
    kit_task(k, TW__CSL_TASK_LOCAL, 8, f, 0, false);
    kit_init(k, TW__CSL_INIT_ACTIVE, 8);
    WIDE(k, LDA_U32, 6, DELAY);
    WIDE(k, LDI, 7, 0);
    EMIT(k, ADDI_U32, 7, 7, 1);
    EMIT(k, JLTU, 7, 6, (uint16_t)-2);
    for (unsigned c = 0; c < 4; c++) {
        kit_dsd(k, 0, fabric(TW__CSL_DSD_FABOUT, out[c], c, WORDS));
        kit_dsd(k, 2, mem1d(DATA, WORDS, 1));
        kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none())->flags = TW__CSL_USE_ASYNC;
        kit_op(k, 4);
    }
    kit_end(k);
    uint32_t g = kit_function(k, "got", 1, 0);
    WIDE(k, LDA_U32, 2, DIVISOR);
    EMIT(k, DIV_U32, 0, 0, 2); /* by 1, unless a test wants a fault here */
    WIDE(k, LDA_U32, 1, HASH);
    EMIT(k, MULI_U32, 1, 1, 31);
    EMIT(k, ADD_U32, 1, 1, 0);
    WIDE(k, STA_U32, 1, HASH);
    kit_end(k);
    for (unsigned c = 0; c < 4; c++) kit_task(k, TW__CSL_TASK_DATA, in[c], g, 1, true);
}

static void routes(kit *k, unsigned x, unsigned y)
{
    unsigned px = x % 2, py = y % 2;
    if (x + 1 < WIDTH) kit_route(k, x, y, px, R, E), kit_route(k, x, y, 3 - px, E, R);
    if (x > 0) kit_route(k, x, y, 1 - px, W, R), kit_route(k, x, y, 2 + px, R, W);
    if (y + 1 < HEIGHT) kit_route(k, x, y, 4 + py, R, S), kit_route(k, x, y, 7 - py, S, R);
    if (y > 0) kit_route(k, x, y, 5 - py, N, R), kit_route(k, x, y, 6 + py, R, N);
}

/* Every PE starts at a cycle of its own; those of some rows only when most others are done. */
static unsigned delay_of(unsigned x, unsigned y)
{
    return (x * 7919 + y * 104729) % 61 + (y % 16 == 5 ? 300 : 0) + (x == 40 && y == 40 ? 5000 : 0);
}

/* `alone`: in each of several ranks, which share it otherwise. */
static void begin(kit *k, unsigned threads, bool alone)
{
    kit_begin(k, WIDTH, HEIGHT, false);
    k->options.alone = alone;
    k->options.threads = threads;
    k->options.trace = k->options.profile = true;
    for (unsigned n = 0; n < 4; n++) {
        if (n) kit_program(k);
        talker(k, n % 2, n / 2);
    }
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++) {
            k->image->pes[y * WIDTH + x].program = x % 2 + y % 2 * 2;
            routes(k, x, y);
        }
    kit_start(k);
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++) {
            put32(k, x, y, DELAY, delay_of(x, y));
            put32(k, x, y, DIVISOR, 1);
            for (unsigned i = 0; i < WORDS; i++) put32(k, x, y, DATA + 4 * i, (x << 20 | y << 8 | i) * 2654435761u);
        }
}

static void compare(kit *one, kit *other, const tw__wse_event *expected, size_t count)
{
    size_t n;
    assert_int_equal(tw__wse_fetch(other->w, true), TW_OK);
    const tw__wse_event *events = tw__wse_events(other->w, &n);
    assert_int_equal(n, count);
    assert_memory_equal(events, expected, n * sizeof *events);
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++) {
            assert_memory_equal(tw__wse_memory(one->w, x, y), tw__wse_memory(other->w, x, y), TW__CSL_PE_BYTES);
            assert_memory_equal(tw__wse_profile(one->w, x, y), tw__wse_profile(other->w, x, y),
                                sizeof(tw__wse_counters));
        }
    for (size_t i = 0; tw_diags_get(one->diags, i) || tw_diags_get(other->diags, i); i++) {
        assert_non_null(tw_diags_get(one->diags, i));
        assert_non_null(tw_diags_get(other->diags, i));
        assert_string_equal(tw_diags_get(one->diags, i)->message, tw_diags_get(other->diags, i)->message);
    }
}

/* Two cycles a call: there is only one window to run, so every PE keeps step with all others. */
static void window_by_window(kit *k)
{
    tw_status status;
    while ((status = tw__wse_run(k->w, 2, NULL, NULL)) == TW_E_OVERFLOW) assert_true(tw__wse_cycle(k->w) < 100000);
    assert_int_equal(status, TW_OK);
}

static void tiles_and_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = { 1, 2, 7 };
    kit one, other;
    begin(&one, 1, true);
    window_by_window(&one);
    size_t count;
    const tw__wse_event *expected = tw__wse_events(one.w, &count);
    /* every word crosses one link; that of (40, 40), which starts last, too */
    assert_int_equal(tw__wse_total(one.w).hops, 2 * WORDS * ((WIDTH - 1) * HEIGHT + WIDTH * (HEIGHT - 1)));
    assert_true(tw__wse_cycle(one.w) > 5000);
    for (size_t i = 0; i < 3; i++) {
        begin(&other, threads[i], false);
        kit_run(&other);
        compare(&one, &other, expected, count);
        kit_free(&other);
    }
    kit_free(&one);
}

/* The host asks every 16 windows, whatever the number of threads: a question at the same cycles. */
typedef struct asked {
    tw__wse *w;
    uint64_t sum;
    unsigned times;
} asked;
static bool ask(void *user)
{
    asked *a = user;
    a->sum = a->sum * 31 + tw__wse_cycle(a->w);
    return ++a->times == 40;
}
static void questions_at_the_same_cycles(void **state)
{
    (void)state;
    static const unsigned threads[] = { 1, 2, 7 };
    asked first = { 0 };
    for (size_t i = 0; i < 3; i++) {
        kit k;
        begin(&k, threads[i], i == 0);
        asked a = { .w = k.w };
        assert_int_equal(tw__wse_run(k.w, 0, ask, &a), TW_OK);
        assert_int_equal(a.times, 40);
        if (i == 0) first = a;
        assert_int_equal(a.sum, first.sum);
        kit_free(&k);
    }
}

/* A fault in one PE: the others stop at the same cycle for any number of threads. */
static void faults_stop_alike(void **state)
{
    (void)state;
    static const unsigned threads[] = { 1, 2, 7 };
    kit one, other;
    for (size_t i = 0; i < 3; i++) {
        kit *k = i ? &other : &one;
        begin(k, threads[i], i == 0);
        put32(k, 31, 20, DIVISOR, 0);
        assert_int_equal(tw__wse_run(k->w, 0, NULL, NULL), TW_E_APPLICATION);
        assert_non_null(kit_said(k, "PE 31,20"));
        if (i == 0) continue;
        assert_int_equal(tw__wse_fetch(other.w, true), TW_OK);
        assert_int_equal(tw__wse_cycle(one.w), tw__wse_cycle(other.w));
        for (unsigned y = 0; y < HEIGHT; y++)
            for (unsigned x = 0; x < WIDTH; x++)
                assert_memory_equal(tw__wse_memory(one.w, x, y), tw__wse_memory(other.w, x, y), TW__CSL_PE_BYTES);
        kit_free(&other);
    }
    kit_free(&one);
}

/* A train along a row goes two wavelets at a time where nothing else happens. Scalar code beside it, which adds up
 * some of its words again and again, from other cycles on in each PE, has to see them come one by one. */
enum { LONG = 400, WATCHED = 16, TURNS = 24, ROW = 64 };
static void train(kit *k, bool reference)
{
    kit_begin(k, ROW, 1, false);
    k->options.alone = true; /* nothing to share */
    k->options.threads = 1;
    k->options.reference = reference;
    for (unsigned n = 0; n < 2; n++) {
        if (n) kit_program(k);
        kit_task(k, TW__CSL_TASK_LOCAL, 8, kit_function(k, "move", 0, 0), 0, false);
        kit_init(k, TW__CSL_INIT_ACTIVE, 8);
        kit_dsd(k, 0, n ? mem1d(DATA, LONG, 1) : fabric(TW__CSL_DSD_FABOUT, 3, 0, LONG));
        kit_dsd(k, 2, n ? fabric(TW__CSL_DSD_FABIN, 3, 1, LONG) : mem1d(DATA, LONG, 1));
        kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none())->flags = TW__CSL_USE_ASYNC;
        kit_op(k, 4);
        kit_end(k);
        /* when the move is under way */
        kit_task(k, TW__CSL_TASK_LOCAL, 9, kit_function(k, "watch", 0, 0), 0, false);
        kit_init(k, TW__CSL_INIT_ACTIVE, 9);
        WIDE(k, LDA_U32, 6, DELAY);
        WIDE(k, LDI, 7, 0);
        EMIT(k, ADDI_U32, 7, 7, 1);
        EMIT(k, JLTU, 7, 6, (uint16_t)-2);
        WIDE(k, LDI, 6, TURNS);
        WIDE(k, LDI, 7, 0);
        WIDE(k, LDI, 5, 0);
        EMIT(k, MULI_U32, 5, 5, 31);
        for (unsigned i = 0; i < WATCHED; i++) {
            WIDE(k, LDA_U32, 4, DATA + 4 * (LONG / 2 + i));
            EMIT(k, ADD_U32, 5, 5, 4);
        }
        EMIT(k, ADDI_U32, 3, 3, 1); /* an odd number of cycles a turn */
        EMIT(k, ADDI_U32, 7, 7, 1);
        EMIT(k, JLTU, 7, 6, (uint16_t)-(2 * WATCHED + 4));
        WIDE(k, STA_U32, 5, HASH);
        kit_end(k);
    }
    for (unsigned x = 0; x < ROW; x++) {
        k->image->pes[x].program = x > 0;
        kit_route(k, x, 0, 3, x ? W : R, x == 0 ? E : x + 1 == ROW ? R : R | E);
    }
    kit_start(k);
    for (unsigned x = 0; x < ROW; x++) put32(k, x, 0, DELAY, x * 7 % 41);
    for (unsigned i = 0; i < LONG; i++) put32(k, 0, 0, DATA + 4 * i, (i + 1) * 2654435761u);
    kit_run(k);
}

static void trains_beside_code(void **state)
{
    (void)state;
    kit slow, fast;
    train(&slow, true);
    train(&fast, false);
    assert_int_equal(tw__wse_cycle(slow.w), tw__wse_cycle(fast.w));
    assert_int_equal(tw__wse_total(fast.w).hops, (ROW - 1) * LONG);
    assert_int_equal(tw__wse_total(fast.w).beats, tw__wse_total(slow.w).beats);
    for (unsigned x = 0; x < ROW; x++) {
        assert_memory_equal(tw__wse_memory(slow.w, x, 0) + DATA, tw__wse_memory(slow.w, 0, 0) + DATA, 4 * LONG);
        assert_memory_equal(tw__wse_memory(fast.w, x, 0), tw__wse_memory(slow.w, x, 0), TW__CSL_PE_BYTES);
    }
    kit_free(&slow);
    kit_free(&fast);
}

/* A train along a column to a data task that takes `delay` turns of a loop for each word: all lanes on the way are
 * full, and every router waits for a place behind it, mostly for longer than a window. */
enum { COLUMN = 12, SLOW = 60 };
static void column(kit *k, bool up, unsigned delay, bool alone)
{
    unsigned from = up ? COLUMN - 1 : 0, to = COLUMN - 1 - from;
    kit_begin(k, 1, COLUMN, false);
    k->options.alone = alone;
    k->options.trace = true;
    kit_task(k, TW__CSL_TASK_LOCAL, 8, kit_function(k, "send", 0, 0), 0, false);
    kit_init(k, TW__CSL_INIT_ACTIVE, 8);
    kit_dsd(k, 0, fabric(TW__CSL_DSD_FABOUT, 3, 0, SLOW));
    kit_dsd(k, 2, mem1d(DATA, SLOW, 1));
    kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2), arg_none())->flags = TW__CSL_USE_ASYNC;
    kit_op(k, 4);
    kit_end(k);
    uint32_t reader = kit_program(k), take = kit_function(k, "take", 1, 0);
    WIDE(k, LDI, 6, delay);
    WIDE(k, LDI, 7, 0);
    EMIT(k, ADDI_U32, 7, 7, 1);
    EMIT(k, JLTU, 7, 6, (uint16_t)-2);
    WIDE(k, LDA_U32, 1, HASH);
    EMIT(k, MULI_U32, 1, 1, 31);
    EMIT(k, ADD_U32, 1, 1, 0);
    WIDE(k, STA_U32, 1, HASH);
    kit_end(k);
    kit_task(k, TW__CSL_TASK_DATA, 3, take, 1, true);
    for (unsigned y = 0; y < COLUMN; y++) {
        k->image->pes[y].program = y == from ? 0 : y == to ? reader : UINT32_MAX;
        kit_route(k, 0, y, 3, y == from ? R : up ? S : N, y == to ? R : up ? N : S);
    }
    kit_start(k);
    for (unsigned i = 0; i < SLOW; i++) put32(k, 0, from, DATA + 4 * i, (i + 1) * 2654435761u);
    kit_run(k);
    assert_int_equal(tw__wse_fetch(k->w, true), TW_OK);
    uint32_t hash = 0;
    for (unsigned i = 0; i < SLOW; i++) hash = hash * 31 + (i + 1) * 2654435761u;
    assert_int_equal(get32(k, 0, to, HASH), hash); /* all came, in order */
}

static void slow_readers(void **state)
{
    (void)state;
    static const unsigned delays[] = { 0, 1, 2, 5, 40 };
    for (unsigned n = 0; n < 10; n++) {
        kit one, other;
        size_t count, here;
        column(&one, n % 2, delays[n / 2], true);
        column(&other, n % 2, delays[n / 2], false);
        assert_int_equal(tw__wse_cycle(one.w), tw__wse_cycle(other.w));
        const tw__wse_event *expected = tw__wse_events(one.w, &count), *got = tw__wse_events(other.w, &here);
        assert_int_equal(count, here);
        assert_memory_equal(expected, got, count * sizeof *got);
        kit_free(&one);
        kit_free(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_and_threads), cmocka_unit_test(questions_at_the_same_cycles),
        cmocka_unit_test(faults_stop_alike), cmocka_unit_test(trains_beside_code),
        cmocka_unit_test(slow_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
