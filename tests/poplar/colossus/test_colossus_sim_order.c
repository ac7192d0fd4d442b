/* SPDX-License-Identifier: MIT */
/* One order of events: a run tells nobody whether it was traced, hooked, stopped at breakpoints, cut into pieces
 * of a few turns, saved and resumed in between, or left alone. Registers, memory, turns, cycles and exceptions of
 * programs in which supervisor and workers share memory are the same (Colossus ISA, chapter 4: six slots in
 * rotation; 3: runall while a worker is active). */
#include "sim_test.h"

#include "core/base/covered.h"
#include "poplar/colossus/sim/sim.h"

#include <unistd.h>

/* --- ways to run ------------------------------------------------------------------------------------------------ */

typedef enum way { PLAIN, TRACED, HOOKED, BREAKING, CUT, CUT_TRACED, SAVED, WAYS } way;
static const char *const way_names[] = { "plain", "traced",         "hooked", "with breakpoints",
                                         "cut",   "cut and traced", "saved" };

enum { MOST_TURNS = 30000, BREAK_EVERY = 7, CUT_TURNS = 13, SAVE_EVERY = 25 };

typedef struct watcher {
    unsigned seen, steps;
} watcher;

static bool hook(void *user, tw_sim *sim, const tw_sim_event *event)
{
    watcher *w = user;
    (void)sim;
    if (event->done || !w->steps) return false;
    return ++w->seen % w->steps == 0;
}

/* Exceptions stop their context only (keep_going), and others are at work. */
static bool goes_on(const tw_sim *sim, bool keep_going)
{
    for (unsigned c = 0; keep_going && c < TW_SIM_CONTEXTS; c++)
        if (tw_sim_get_state(sim, c) == TW_SIM_ACTIVE) return true;
    return false;
}

/* Written, and read into the same tile after everything has gone; tiles with an exception cannot be. */
static void save_and_resume(tw_sim *sim)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/tilewright-tile-%d", (int)getpid());
    if (tw_sim_save(sim, path) != TW_OK) {
        assert_int_equal(tw_error_status(), TW_E_NOT_SUPPORTED);
        return;
    }
    tw_sim_reset(sim);
    if (tw_sim_resume(sim, path) != TW_OK) fail_msg("%s", tw_error_message());
    unlink(path);
}

static tw_sim_stop run_in(tw_sim *sim, way how, bool keep_going)
{
    watcher w = { 0, how == BREAKING ? BREAK_EVERY : 0 };
    FILE *trace = how == TRACED || how == CUT_TRACED ? fopen("/dev/null", "w") : NULL;
    bool cut = how == CUT || how == CUT_TRACED || how == SAVED;
    tw_sim_stop stop;
    if (how == HOOKED || how == BREAKING) tw_sim_set_hook(sim, hook, &w);
    tw_sim_set_trace(sim, trace);
    if (how != BREAKING && !cut) {
        stop = tw_sim_run(sim, MOST_TURNS);
    } else {
        unsigned rounds = 0;
        do {
            if (how == SAVED && rounds % SAVE_EVERY == 1) save_and_resume(sim);
            stop = tw_sim_run(sim, cut ? CUT_TURNS : MOST_TURNS);
        } while (stop == TW_SIM_BREAK ||
                 (cut && (stop == TW_SIM_LIMIT || (stop == TW_SIM_FAULT && goes_on(sim, keep_going))) &&
                  ++rounds < MOST_TURNS));
    }
    tw_sim_set_hook(sim, NULL, NULL), tw_sim_set_trace(sim, NULL);
    if (trace) fclose(trace);
    return stop;
}

/* --- comparing -------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    tw_sim_stop stop;
    const char *text;
    way how;
} outcome;

static void same(const outcome *o, const char *what, unsigned context, uint64_t plain, uint64_t other)
{
    if (plain != other)
        fail_msg("%s of context %u is 0x%llx plain, 0x%llx %s\nin:\n%s", what, context, (unsigned long long)plain,
                 (unsigned long long)other, way_names[o->how], o->text);
}

static void same_exceptions(const outcome *o, tw_sim *a, tw_sim *b)
{
    const tw_sim_exception *x = tw_sim_get_exception(a), *y = tw_sim_get_exception(b);
    same(o, "exception or none", 9, x != NULL, y != NULL);
    if (!x) return;
    same(o, "cause", x->context, x->cause, y->cause);
    same(o, "who raised", x->context, x->context, y->context);
    same(o, "place", x->context, x->pc, y->pc);
    same(o, "flags", x->context, x->flags, y->flags);
    same(o, "address", x->context, x->addresses[0], y->addresses[0]);
}

static void same_states(const outcome *o, tw_sim *a, tw_sim *b)
{
    for (unsigned c = 0; c < TW_SIM_CONTEXTS; c++) {
        for (unsigned i = 0; i < 12; i++) same(o, "a register $m", c, tw_sim_get_m(a, c, i), tw_sim_get_m(b, c, i));
        for (unsigned i = 0; i < 8; i++) same(o, "a register $a", c, tw_sim_get_a(a, c, i), tw_sim_get_a(b, c, i));
        for (unsigned i = 0; i < 32; i++)
            same(o, "an accumulator", c, tw_sim_get_accumulator(a, c, i), tw_sim_get_accumulator(b, c, i));
        same(o, "state", c, tw_sim_get_state(a, c), tw_sim_get_state(b, c));
        same(o, "pc", c, tw_sim_get_pc(a, c), tw_sim_get_pc(b, c));
        same(o, "turns", c, tw_sim_turns(a, c), tw_sim_turns(b, c));
        same(o, "exit status", c, tw_sim_exit_status(a, c), tw_sim_exit_status(b, c));
    }
    same(o, "clock", 9, tw_sim_cycles(a), tw_sim_cycles(b));
    same_exceptions(o, a, b);
    if (memcmp(tw_sim_memory(a), tw_sim_memory(b), tw_sim_memory_bytes(TW_ISA_IPU2)) != 0)
        fail_msg("memory differs %s\nin:\n%s", way_names[o->how], o->text);
}

typedef struct set_up { /* how a program is begun */
    bool supervisor;    /* it starts; else all six workers */
    bool keep_going;
    uint32_t fp_ictl;
} set_up;

static void begin(machine *m, const set_up *how)
{
    tw_sim_launch launch = { .entry = m->entry, .vertex_base = VERTEX, .worker_base = SCRATCH };
    assert_int_equal(tw_sim_set_csr(m->sim, TW_SIM_SUPERVISOR, 0x20, how->fp_ictl), TW_OK);
    for (unsigned i = 0; i < 0x1000; i += 4) poke(m, 0x80000 + i, bits_of((float)(i % 40)));
    if (how->supervisor)
        assert_int_equal(tw_sim_start(m->sim, TW_SIM_SUPERVISOR, &launch), TW_OK);
    else
        assert_int_equal(tw_sim_start_all(m->sim, &launch, 64, 256), TW_OK);
}

/* Runs in all ways; the machine of the plain one is the result. */
static machine run_all_ways(const set_up *how, const char *text, tw_sim_stop *stop)
{
    tw_sim_options options = { .size = sizeof options, .keep_going = how->keep_going };
    machine plain = machine_with(&options, text);
    begin(&plain, how);
    *stop = run_in(plain.sim, PLAIN, how->keep_going);
    for (way w = TRACED; w < WAYS; w++) {
        machine m = machine_with(&options, text);
        outcome o = { .text = text, .how = w };
        begin(&m, how);
        o.stop = run_in(m.sim, w, how->keep_going);
        if (*stop == TW_SIM_LIMIT && (w == CUT || w == CUT_TRACED)) { /* these go on behind the limit */
            machine_free(&m);
            continue;
        }
        same(&o, "the end", 9, *stop, o.stop);
        same_states(&o, plain.sim, m.sim);
        machine_free(&m);
    }
    return plain;
}

/* --- programs of the issue -------------------------------------------------------------------------------------- */

static const set_up supervised = { .supervisor = true }, workers_only = { 0 };

static void second_runall(void **state)
{
    (void)state;
    tw_sim_stop stop;
    machine m =
        run_all_ways(&supervised,
                     ".supervisor\nf: setzi $m1, w\nrunall $m1, $m0, 0\nrunall $m1, $m0, 0\nsync 2\nbr $lr\n"
                     ".worker\nw: setzi $m0, 20\n1: brnzdec $m0, 1b\nexitz $mzero\n",
                     &stop);
    assert_int_equal(stop, TW_SIM_DONE); /* six workers leave the supervisor no slot before they have ended */
    machine_free(&m);
    m = run_all_ways(&supervised,
                     ".supervisor\nf: setzi $m1, w\nrunall $m1, $m0, 0\nrunall $m1, $m0, 0\nsync 2\nbr $lr\n"
                     ".worker\nw: get $m0, $WSR\nand $m0, $m0, 7\nmul $m0, $m0, 10\n1: brnzdec $m0, 1b\n"
                     "exitz $mzero\n",
                     &stop);
    assert_int_equal(stop, TW_SIM_FAULT); /* five are still active */
    assert_int_equal(tw_sim_get_exception(m.sim)->cause, TW_SIM_CAUSE_WORKER_ACTIVE);
    machine_free(&m);
}

static void stores_of_the_supervisor(void **state)
{
    (void)state;
    tw_sim_stop stop;
    machine m =
        run_all_ways(&supervised,
                     ".supervisor\nf: setzi $m1, w\nsetzi $m2, 0x34000\nrun $m1, $m2, 0\nsetzi $m3, 0x80000\n"
                     "setzi $m4, 77\nst32 $m4, $m3, $mzero, 0\nsync 2\nbr $lr\n"
                     ".worker\nw: setzi $m0, 100\n1: brnzdec $m0, 1b\nsetzi $m1, 0x80000\n"
                     "ld32 $m2, $m1, $mzero, 0\nst32 $m2, $m1, $mzero, 1\nexitz $mzero\n",
                     &stop);
    assert_int_equal(stop, TW_SIM_DONE);
    assert_int_equal(peek(&m, 0x80004), 77);
    machine_free(&m);
}

/* Worker 5 waits until worker 0 has stored, which first waits for a word of worker 5. */
static void workers_talk(void **state)
{
    (void)state;
    tw_sim_stop stop;
    machine m = run_all_ways(&workers_only,
                             ".worker\nf: get $m0, $WSR\nand $m0, $m0, 7\nsetzi $m1, 0x88000\nsetzi $m2, 1\n"
                             "brz $m0, first\nadd $m3, $m0, -5\nbrnz $m3, done\n"
                             "st32 $m2, $m1, $mzero, 0\n1: add $m9, $m9, 1\nld32 $m4, $m1, $mzero, 1\nbrz $m4, 1b\n"
                             "exitz $mzero\nfirst:\n1: add $m9, $m9, 1\nld32 $m4, $m1, $mzero, 0\nbrz $m4, 1b\n"
                             "setzi $m5, 500\n2: brnzdec $m5, 2b\nst32 $m2, $m1, $mzero, 1\ndone: exitz $mzero\n",
                             &stop);
    assert_int_equal(stop, TW_SIM_DONE);
    assert_in_range(tw_sim_get_m(m.sim, 5, 9), 150, 200); /* 500 turns of the first, three of the fifth each */
    machine_free(&m);
}

/* A trap of worker 3 stops the others in the same round. */
static void an_exception_stops_all(void **state)
{
    (void)state;
    tw_sim_stop stop;
    machine m = run_all_ways(&workers_only,
                             ".worker\nf: get $m0, $WSR\nand $m0, $m0, 7\nadd $m0, $m0, -3\nsetzi $m1, 100\n"
                             "1: add $m2, $m2, 1\nbrnzdec $m1, 1b\nbrz $m0, 2f\nbri 1b\n2: trap 0\n",
                             &stop);
    assert_int_equal(stop, TW_SIM_FAULT);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++)
        assert_int_equal(tw_sim_turns(m.sim, w), tw_sim_turns(m.sim, 3) + (w < 3));
    machine_free(&m);
}

/* --- random programs -------------------------------------------------------------------------------------------- */

static uint64_t seed = 20250212;
static uint32_t random_below(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % n;
}

/* $m0: the number of the worker or 7; $m1: shared words; $m2 to $m5 values, $m8 for loops, $m6:7 pointers. */
static void random_statement(GString *s, bool worker)
{
    unsigned a = 2 + random_below(4), b = 2 + random_below(4), c = 2 + random_below(4);
    switch (random_below(worker ? 12 : 8)) {
    case 0: g_string_append_printf(s, "add $m%u, $m%u, $m%u\n", a, b, c); break;
    case 1: g_string_append_printf(s, "xor $m%u, $m%u, $m%u\n", a, b, c); break;
    case 2: g_string_append_printf(s, "add $m%u, $m%u, %u\n", a, b, random_below(9)); break;
    case 3:
    case 4: g_string_append_printf(s, "st32 $m%u, $m1, $mzero, %u\n", a, random_below(8)); break;
    case 5:
    case 6: g_string_append_printf(s, "ld32 $m%u, $m1, $mzero, %u\n", a, random_below(8)); break;
    case 7:
        g_string_append_printf(s,
                               "setzi $m8, %u\n1: ld32 $m%u, $m1, $mzero, %u\nadd $m%u, $m%u, $m%u\n"
                               "brnzdec $m8, 1b\n",
                               random_below(30), a, random_below(8), b, a, c);
        break;
    case 8: g_string_append_printf(s, "st32 $m%u, $m1, $m0, %u\n", a, random_below(4)); break;
    case 9: g_string_append_printf(s, "get $m%u, $COUNT_L\n", a); break;
    case 10: g_string_append_printf(s, "f32exp $a%u, $a%u\n", random_below(8), random_below(8)); break;
    case 11: g_string_append(s, "f32div $a0, $a1, $a2\n"); break;
    default: break;
    }
}

/* A repeat loop on memory that the workers share more or less: apart, in strides of one array, or overlapping. */
static void random_loop(GString *s)
{
    static const struct {
        const char *first; /* byte of a worker */
        unsigned pace;     /* selectors: 0, the next access; 5, both by field 1 of $m10; 1, the first one alone */
    } kinds[] = { { "mul $m9, $m0, 4096\n", 0 }, { "mul $m9, $m0, 4096\n", 0 }, { "mul $m9, $m0, 8\n", 5 },
                  { "mul $m9, $m0, 8\n", 5 },    { "mul $m9, $m0, 264\n", 0 },  { "setzi $m9, 0\n", 1 } };
    static const char *const bodies[] = {
        "{ ldst64pace $a0:1, $a2:3, $m6:7+=, $m10, %u\n f32v2add $a2:3, $a0:1, $a2:3 }\n",
        "{ ldst64pace $a0:1, $a2:3, $m6:7+=, $m10, %u\n f32v2mul $a2:3, $a2:3, $a2:3 }\n",
        "{ ldst64pace $a0:1, $a2:3, $m6:7+=, $m10, %u\n f32v2axpy $a2:3, $a0:1, $a2:3 }\n"
        "{ ldst64pace $a2:3, $a0:1, $m6:7+=, $m10, %u\n f32v2axpy $a0:1, $a2:3, $a0:1 }\n",
        "{ ld32step $a0, $mzero, $m9+=, 1\n f32add $a1, $a0, $a1 }\n",
        "{ ld64step $a4:5, $mzero, $m9+=, 1\n f32v2add $a2:3, $a4:5, $a2:3 }\n"
        "{ nop\n f32v2mul $a4:5, $a2:3, $a4:5 }\n"
    };
    unsigned kind = random_below(G_N_ELEMENTS(kinds)), pace = kinds[kind].pace;
    g_string_append(s, kinds[kind].first);
    g_string_append_printf(s,
                           "setzi $m11, 0x80100\nadd $m9, $m9, $m11\nadd $m11, $m9, %u\n"
                           "tapack $m6:7, $m9, $mzero, $m11\nsetzi $m10, %u\n",
                           random_below(2) ? 0x8000 : 24, random_below(4) ? 6 : 12);
    g_string_append_printf(s, "setzi $m8, %u\n.align 8\nnop\nrpt $m8, (2f - 1f)/8 - 1\n1:\n",
                           20 + random_below(200));
    g_string_append_printf(s, bodies[random_below(G_N_ELEMENTS(bodies))], pace, pace);
    g_string_append(s, "2:\n");
}

static char *random_program(bool supervisor)
{
    GString *s = g_string_new(NULL);
    if (supervisor) {
        g_string_append(s, ".supervisor\nf: setzi $m0, 7\nsetzi $m1, 0x80000\nsetzi $m6, w\nsetzi $m7, 0x34000\n");
        bool all = random_below(2);
        for (unsigned i = 1 + random_below(all ? 1 : 5); i; i--) {
            g_string_append(s, all ? "runall $m6, $m1, 0\n" : "run $m6, $m7, 0\n");
            for (unsigned n = random_below(6); n; n--) random_statement(s, false);
        }
        if (random_below(8)) g_string_append(s, "sync 2\n");
        for (unsigned n = random_below(6); n; n--) random_statement(s, false);
        if (random_below(4) == 0) g_string_append(s, "runall $m6, $m1, 0\nsync 2\n");
        g_string_append(s, "br $lr\n");
    }
    g_string_append(
        s,
        ".worker\n.align 8\nw: get $m0, $WSR\nand $m0, $m0, 7\nsetzi $m1, 0x80000\nld64 $a2:3, $m1, $mzero, 5\n");
    if (random_below(2)) g_string_append(s, "mul $m8, $m0, 5\n9: brnzdec $m8, 9b\n"); /* out of step */
    for (unsigned n = 1 + random_below(5); n; n--) {
        for (unsigned k = random_below(6); k; k--) random_statement(s, true);
        if (random_below(2)) random_loop(s);
    }
    if (random_below(10) == 0)
        g_string_append_printf(s, "add $m9, $m0, -%u\nbrnz $m9, 8f\ntrap 0\n8:\n", random_below(6));
    g_string_append(s, "exitz $m2\n");
    return g_string_free(s, FALSE);
}

static void random_programs(void **state)
{
    (void)state;
    unsigned ends[5] = { 0 };
    for (unsigned trial = 0; trial < 400; trial++) {
        set_up how = { .supervisor = random_below(2), .keep_going = random_below(4) == 0 };
        if (random_below(3) == 0) how.fp_ictl = 7;
        g_autofree char *text = random_program(how.supervisor);
        tw_sim_stop stop;
        machine m = run_all_ways(&how, text, &stop);
        ends[stop]++;
        machine_free(&m);
    }
    assert_true(ends[TW_SIM_DONE] > 40 && ends[TW_SIM_FAULT] > 40); /* both occur */
}

/* What a tile gets is in the file, or named as what is not. */
static void tables_cover(void **state)
{
    (void)state;
    for (const tw__ck_table *table = tw__sim_tables; table->name; table++) covered(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_cover),
        cmocka_unit_test(second_runall),
        cmocka_unit_test(stores_of_the_supervisor),
        cmocka_unit_test(workers_talk),
        cmocka_unit_test(an_exception_stops_all),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
