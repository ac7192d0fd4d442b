/* SPDX-License-Identifier: MIT */
/* Random programs on random routes: whatever they do, the order in which PEs are looked at, the number of threads and
 * whether anyone watches show nowhere. Every PE has a program of its own: operations on memory, fabric and FIFOs of
 * every kind that share queues, microthreads and the datapath; senders that outrun their receivers, receivers that
 * take nothing, switches, filters, control wavelets, two directions into one color. Many end stuck, which is as good
 * an end as any: all runs have to end in the same cycle with the same memory, messages, counters and trace, and with
 * those of a run that takes no short way (options.reference). */
#include "csl/wse/kit.h"

enum { W = TW__CSL_WEST, E = TW__CSL_EAST, S = TW__CSL_SOUTH, N = TW__CSL_NORTH, R = TW__CSL_RAMP };
enum { COLORS = 6, COUNT = 32, HASH = 64, OUT = 2000, IN = 6000, RING = 12000, EACH = 512, COMMAND = 1900 };
enum { MAIN = 8, SENT = 9, GOT = 15, POPPED = 21 }; /* ids of local tasks; the last three + color */
enum { MOST_CYCLES = 20000, SEEDS = 12 };
static unsigned seeds = SEEDS;

typedef struct dice {
    uint64_t state;
} dice;
static unsigned roll(dice *d, unsigned sides) /* 0 .. sides - 1 */
{
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((d->state >> 33) % sides);
}
static bool one_in(dice *d, unsigned sides)
{
    return roll(d, sides) == 0;
}

typedef struct world {
    kit k;
    dice d;
    unsigned width, height, queue[COLORS];
    bool wse3, bound;               /* bound: queues by @initialize_queue, not by the first DSD */
    tw__csl_route (*route)[COLORS]; /* by PE; rx = 0: none */
} world;

/* --- routes --------------------------------------------------------------------------------------------------- */

static tw__csl_route link_in_chain(world *g, unsigned behind, unsigned ahead, bool last)
{
    dice *d = &g->d;
    tw__csl_route r = { .rx = (uint8_t)behind, .tx = (uint8_t)(last ? R : ahead | (one_in(d, 2) ? R : 0)) };
    if (one_in(d, 20)) r.rx |= R;
    if (!last && one_in(d, 6)) {
        r.has_switches = r.valid[0] = r.ring = 1;
        r.pos_tx[0] = (uint8_t)(one_in(d, 2) ? R : ahead | R);
        r.pop = (uint8_t)roll(d, 3);
    }
    if (r.tx & R && one_in(d, 8))
        r.filter = (tw__csl_filter){ .kind = TW__CSL_FILTER_COUNTER,
                                     .count_data = 1,
                                     .limit1 = (uint16_t)(1 + roll(d, 4)),
                                     .max_counter = (uint16_t)roll(d, 3) };
    return r;
}

/* Each color goes one way along all rows or all columns, in chains of a few PEs: the first one sends. */
static void lay_routes(world *g)
{
    static const unsigned back[] = { W, E, N, S }, front[] = { E, W, S, N };
    dice *d = &g->d;
    for (unsigned c = 0; c < COLORS; c++) {
        unsigned way = roll(d, 4), lines = way < 2 ? g->height : g->width, length = way < 2 ? g->width : g->height;
        for (unsigned line = 0; line < lines; line++) {
            unsigned left = 0, place = 0;
            for (unsigned at = 0; at < length; at++) {
                unsigned along = way & 1 ? length - 1 - at : at, x = way < 2 ? along : line,
                         y = way < 2 ? line : along;
                tw__csl_route *r = &g->route[y * g->width + x][c];
                if (left == 0) left = 1 + roll(d, 7), place = 0;
                if (left > length - at) left = length - at;
                left--;
                if (place == 0 && left == 0) continue; /* one PE alone has no route */
                *r = place++ ? link_in_chain(g, back[way], front[way], left == 0)
                             : (tw__csl_route){ .rx = R, .tx = (uint8_t)front[way] };
                r->color = (uint8_t)c;
            }
        }
    }
}

/* --- programs ------------------------------------------------------------------------------------------------- */

static tw__csl_dsd on_fabric(const world *g, unsigned kind, unsigned c, unsigned length)
{
    return fabric(kind, c, g->queue[c], length);
}

static void activate_when_done(tw__csl_dsd_use *use, unsigned id)
{
    use->flags |= TW__CSL_USE_ASYNC;
    use->done = (tw__csl_action){ .kind = TW__CSL_ACT_ACTIVATE, .at = (uint16_t)id };
}

typedef struct sending { /* what a PE sends on a color, the same each time; four instructions */
    unsigned how, length;
    int stride;
    uint8_t flags;
    bool async;
} sending;

static sending choose_sending(world *g)
{
    dice *d = &g->d;
    sending s = { roll(d, 5), 1 + roll(d, 24), one_in(d, 4) ? 2 : 1, 0, !one_in(d, 5) };
    if (one_in(d, 6)) s.flags = TW__CSL_DSD_ZERO_FIRST;
    if (one_in(d, 6)) s.flags |= TW__CSL_DSD_ADVANCE;
    if (s.how == 4) s = (sending){ 4, 1, 1, TW__CSL_DSD_CONTROL, s.async };
    return s;
}

static void send(world *g, unsigned c, sending s)
{
    kit *k = &g->k;
    tw__csl_dsd out = on_fabric(g, TW__CSL_DSD_FABOUT, c, s.length);
    out.flags = s.flags;
    if (s.how == 3) out.simd = TW__CSL_SIMD_32;
    unsigned base = s.how == 4 ? COMMAND : OUT + c * EACH;
    kit_dsd(k, 0, out);
    kit_dsd(k, 2, mem1d(base, s.length, s.stride));
    kit_dsd(k, 4, mem1d(base + 8, s.length, 1));
    tw__csl_dsd_use *use;
    if (s.how == 2)
        use = kit_use(k, TW__CSL_OP_FADDS, arg_dsd(0), arg_dsd(2), arg_dsd(4), arg_none());
    else
        use = kit_use(k, s.how == 3 ? TW__CSL_OP_MOV16 : TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_dsd(2),
                      arg_none());
    if (s.async) activate_when_done(use, SENT + c);
    kit_op(k, 6);
}

typedef enum taking { BY_TASK, MOVE, ADD, THROUGH_FIFO, WAITING, NOTHING, TAKINGS } taking;

static void take(world *g, unsigned c, taking how, unsigned length, bool ends)
{
    kit *k = &g->k;
    tw__csl_dsd in = on_fabric(g, TW__CSL_DSD_FABIN, c, length);
    kit_dsd(k, 0, mem1d(IN + c * EACH, length, 1));
    kit_dsd(k, 2, in);
    tw__csl_dsd_use *use;
    if (how == ADD)
        use = kit_use(k, TW__CSL_OP_FADDS, arg_dsd(0), arg_dsd(0), arg_dsd(2), arg_none());
    else
        use = kit_use(k, TW__CSL_OP_MOV32,
                      how == THROUGH_FIFO ? arg_fifo((unsigned)k->p->fifo_count - 1) : arg_dsd(0), arg_none(),
                      arg_dsd(2), arg_none());
    if (how != WAITING) activate_when_done(use, GOT + c);
    if (ends) use->on_control.kind = TW__CSL_ACT_TERMINATE;
    kit_op(k, 6);
}

static void pop(world *g, unsigned c, unsigned length)
{
    kit *k = &g->k;
    kit_dsd(k, 0, mem1d(IN + c * EACH, length, 1));
    tw__csl_dsd_use *use =
        kit_use(k, TW__CSL_OP_MOV32, arg_dsd(0), arg_none(), arg_fifo((unsigned)k->p->fifo_count - 1), arg_none());
    use->ut = 7; /* WSE-3: of its own; WSE-2 takes what is free */
    activate_when_done(use, POPPED + c);
    kit_op(k, 6);
}

/* A task that does its thing again, up to `times` times. */
static void again(world *g, unsigned id, const char *name, unsigned counter, unsigned times, unsigned instructions)
{
    kit *k = &g->k;
    kit_task(k, TW__CSL_TASK_LOCAL, id, kit_function(k, name, 0, 0), 0, false);
    WIDE(k, LDA_U32, 8, counter);
    EMIT(k, ADDI_U32, 8, 8, 1);
    WIDE(k, STA_U32, 8, counter);
    WIDE(k, LDI, 9, times);
    EMIT(k, JLEU, 9, 8, (uint16_t)instructions);
}

static void fold_task(world *g, unsigned c)
{
    kit *k = &g->k;
    uint32_t f = kit_function(k, "fold", 1, 0);
    WIDE(k, LDA_U32, 1, HASH + 4 * c);
    EMIT(k, MULI_U32, 1, 1, 31);
    EMIT(k, ADD_U32, 1, 1, 0);
    WIDE(k, STA_U32, 1, HASH + 4 * c);
    kit_end(k);
    kit_task(k, TW__CSL_TASK_DATA, g->wse3 ? g->queue[c] : c, f, 1, true);
}

static void bind(world *g, unsigned c, bool output)
{
    tw__csl_queue *q = TW__CSL_PUSH(g->k.p, queues, queue);
    *q = (tw__csl_queue){ .is_output = output, .id = (uint8_t)g->queue[c], .color = (uint8_t)c };
}

static void program(world *g, const tw__csl_route *route)
{
    kit *k = &g->k;
    dice *d = &g->d;
    sending sends[COLORS];
    taking takes[COLORS];
    unsigned lengths[COLORS];
    bool ends[COLORS];
    for (unsigned c = 0; c < COLORS; c++) {
        const tw__csl_route *r = &route[c];
        bool in = (r->tx | r->pos_tx[0]) & R;
        sends[c] = choose_sending(g);
        if (!(r->rx & R)) sends[c].length = 0;
        takes[c] = in ? (taking)roll(d, TAKINGS) : NOTHING;
        lengths[c] = 1 + roll(d, 24);
        ends[c] = one_in(d, 4);
        if (g->bound && r->rx) {
            bind(g, c, false);
            bind(g, c, true);
        }
        if (takes[c] == THROUGH_FIFO) {
            tw__csl_fifo *fifo = TW__CSL_PUSH(k->p, fifos, fifo);
            *fifo = (tw__csl_fifo){ .name = "ring",
                                    .address = RING + c * 64,
                                    .bytes = 4 * (3 + roll(d, 8)),
                                    .elem_bytes = 4,
                                    .push_task = TW__CSL_NO_ID,
                                    .pop_task = TW__CSL_NO_ID };
            again(g, POPPED + c, "popped", COUNT, 20, 2);
            pop(g, c, lengths[c]);
            kit_end(k);
        }
        if (sends[c].length) {
            again(g, SENT + c, "sent", COUNT + 4, 4 + roll(d, 16), 4);
            send(g, c, sends[c]);
            kit_end(k);
        }
        if (takes[c] == BY_TASK) fold_task(g, c);
        if (takes[c] == MOVE || takes[c] == ADD || takes[c] == THROUGH_FIFO) {
            again(g, GOT + c, "got", COUNT + 8, 30, 3);
            take(g, c, takes[c], lengths[c], ends[c]);
            kit_end(k);
        }
    }
    kit_main(k);
    WIDE(k, LDI, 6, 1 + roll(d, 60));
    WIDE(k, LDI, 7, 0);
    EMIT(k, ADDI_U32, 7, 7, 1);
    EMIT(k, JLTU, 7, 6, (uint16_t)-2);
    unsigned fifos = (unsigned)k->p->fifo_count, fifo = 0;
    for (unsigned c = 0; c < COLORS; c++) {
        if (takes[c] == BY_TASK || takes[c] == NOTHING) continue;
        if (takes[c] == THROUGH_FIFO) k->p->fifo_count = ++fifo; /* the one that belongs to this color */
        take(g, c, takes[c], lengths[c], ends[c]);
        if (takes[c] == THROUGH_FIFO) pop(g, c, lengths[c]);
        k->p->fifo_count = fifos;
    }
    for (unsigned c = 0; c < COLORS; c++)
        if (sends[c].length) send(g, c, sends[c]);
    kit_end(k);
}

/* --- runs ----------------------------------------------------------------------------------------------------- */

static void begin(world *g, unsigned seed, unsigned threads, bool watched, bool reference)
{
    *g = (world){ .d = { seed * 2654435761u + 1 } };
    dice *d = &g->d;
    g->wse3 = one_in(d, 2);
    g->bound = g->wse3 || one_in(d, 2);
    g->width = 3 + roll(d, 18);
    g->height = 16 + roll(d, 20);
    unsigned turn = roll(d, COLORS);
    for (unsigned c = 0; c < COLORS; c++) g->queue[c] = (c + turn) % COLORS;
    kit *k = &g->k;
    kit_begin(k, g->width, g->height, g->wse3);
    k->options.threads = threads;
    k->options.trace = k->options.profile = watched;
    k->options.reference = k->options.alone = reference; /* ranks: against one process */
    unsigned count = g->width * g->height;
    g->route = calloc(count, sizeof *g->route);
    assert_non_null(g->route);
    lay_routes(g);
    for (unsigned pe = 0; pe < count; pe++) {
        if (pe) k->image->pes[pe].program = kit_program(k);
        program(g, g->route[pe]);
        for (unsigned c = 0; c < COLORS; c++) {
            if (!g->route[pe][c].rx) continue;
            kit_route(k, pe % g->width, pe / g->width, c, 0, 0);
            k->image->routes[k->image->route_count - 1] = g->route[pe][c];
        }
    }
    kit_start(k);
    for (unsigned pe = 0; pe < count; pe++) {
        unsigned x = pe % g->width, y = pe / g->width;
        for (unsigned at = 0; at < COLORS * EACH; at += 4) put32(k, x, y, OUT + at, (pe << 12 | at) * 2654435761u);
        put32(k, x, y, COMMAND, 0x015f0000); /* advance the switch; no task */
    }
}

static void end(world *g)
{
    free(g->route);
    kit_free(&g->k);
}

/* One window a call keeps all PEs in step. */
static tw_status run(world *g, bool in_step)
{
    if (!in_step) return tw__wse_run(g->k.w, MOST_CYCLES, NULL, NULL);
    tw_status status = TW_E_OVERFLOW;
    while (status == TW_E_OVERFLOW && tw__wse_cycle(g->k.w) < MOST_CYCLES)
        status = tw__wse_run(g->k.w, 2, NULL, NULL);
    return status;
}

/* `expected`: the trace of `one`; NULL = the other one was not watched. */
static void compare(world *one, world *other, const tw__wse_event *expected, size_t count)
{
    kit *a = &one->k, *b = &other->k;
    assert_int_equal(tw__wse_fetch(b->w, true), TW_OK);
    assert_int_equal(tw__wse_cycle(a->w), tw__wse_cycle(b->w));
    tw__wse_totals here = tw__wse_total(a->w), there = tw__wse_total(b->w);
    assert_memory_equal(&here, &there, sizeof here);
    for (unsigned y = 0; y < one->height; y++)
        for (unsigned x = 0; x < one->width; x++) {
            assert_memory_equal(tw__wse_memory(a->w, x, y), tw__wse_memory(b->w, x, y), TW__CSL_PE_BYTES);
            if (expected)
                assert_memory_equal(tw__wse_profile(a->w, x, y), tw__wse_profile(b->w, x, y),
                                    sizeof(tw__wse_counters));
        }
    for (size_t i = 0; tw_diags_get(a->diags, i) || tw_diags_get(b->diags, i); i++) {
        assert_non_null(tw_diags_get(a->diags, i));
        assert_non_null(tw_diags_get(b->diags, i));
        assert_string_equal(tw_diags_get(a->diags, i)->message, tw_diags_get(b->diags, i)->message);
    }
    char *waits = tw__wse_waiting(a->w, 1000), *waits_too = tw__wse_waiting(b->w, 1000);
    assert_string_equal(waits, waits_too);
    free(waits);
    free(waits_too);
    if (!expected) return;
    size_t n;
    const tw__wse_event *events = tw__wse_events(b->w, &n);
    assert_int_equal(n, count);
    assert_memory_equal(expected, events, n * sizeof *events);
}

/* The reference looks at every PE in every cycle, one wavelet and one element after another through every queue, and
 * looks up every credit: what all other runs leave out must change nothing. */
static void threads_and_order(void **state)
{
    (void)state;
    static const struct {
        unsigned threads;
        bool watched, in_step;
    } runs[] = {
        { 1, true, true }, { 1, true, false }, { 2, true, false }, { 7, true, false }, { 1, false, false }
    };
    uint64_t hops = 0, beats = 0;
    for (unsigned seed = 0; seed < seeds; seed++) {
        world one, other;
        begin(&one, seed, 1, true, true);
        assert_int_equal(run(&one, false), TW_OK);
        size_t count;
        const tw__wse_event *expected = tw__wse_events(one.k.w, &count);
        hops += tw__wse_total(one.k.w).hops;
        beats += tw__wse_total(one.k.w).beats;
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            begin(&other, seed, runs[i].threads, runs[i].watched, false);
            assert_int_equal(run(&other, runs[i].in_step), TW_OK);
            compare(&one, &other, runs[i].watched ? expected : NULL, count);
            end(&other);
        }
        end(&one);
    }
    assert_true(seeds < SEEDS || (hops > 100000 && beats > 100000)); /* they do something */
}

/* test_wse_random [programs]: fewer for the mutation run. */
int main(int argc, char **argv)
{
    const char *few = argc > 1 ? argv[1] : getenv("TW_WSE_SEEDS");
    if (few) seeds = (unsigned)strtoul(few, NULL, 10);
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_and_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
