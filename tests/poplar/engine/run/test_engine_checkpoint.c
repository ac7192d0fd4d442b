/* SPDX-License-Identifier: MIT */
/* Checkpoints: an engine that is resumed gives what the whole run gave, byte by byte, from wherever it was saved. */
#include "poplar/engine/engine_test.h"

#include "core/base/covered.h"
#include "poplar/engine/run/checkpoint.h"

#include <stdio.h>
#include <tilewright/interrupt.h>
#include <unistd.h>

enum { ROUNDS = 6, STEPS_OF_A_RUN = ROUNDS * 5, RING = 4, REMOTE_ROWS = 3 };

/* A vertex that keeps something in its state. */
static const char counting[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class Count : public Vertex {\n"
    "public:\n"
    "    InOut<Vector<int>> sum;\n"
    "    Input<Vector<int>> in;\n"
    "    int turn;\n"
    "    bool compute() {\n"
    "        turn = turn * 3 + 1;\n"
    "        for (unsigned i = 0; i < sum.size(); i++) sum[i] = sum[i] * 5 + in[i] + turn;\n"
    "        return true;\n"
    "    }\n"
    "};\n";

typedef struct seen { /* what the program around the engine gets */
    int in, taken, complete;
    uint64_t hash;
    int32_t ring[RING][4], sum[4], rows[REMOTE_ROWS][4];
} seen;

static void give(void *buffer, void *user)
{
    seen *s = user;
    for (int i = 0; i < 4; i++) ((int32_t *)buffer)[i] = s->in * 7 + i;
    s->in++;
}

static void completed(void *user)
{
    ((seen *)user)->complete++;
}

static void take(void *buffer, void *user)
{
    seen *s = user;
    s->hash = tw__fnv1a(s->hash, buffer, 16);
    s->taken++;
}

typedef struct machine {
    tw_device *device;
    tw_graph *g;
    tw_engine *e;
    seen seen;
} machine;

/* In each round: a transfer in, a compute set, a row of a remote buffer, transfers out to a callback and a ring. */
static machine *machine_new(test_device kind, int first)
{
    machine *m = calloc(1, sizeof *m);
    m->device = test_device_new(kind);
    tw_graph *g = m->g = tw_graph_new(tw_device_target(m->device));
    tw_graph_add_codelets_source(g, counting, "c++", "counting.cpp", "-O1");
    tw_tensor x = test_variable(g, TW_INT, SHAPE(4), "x"), sum = test_variable(g, TW_INT, SHAPE(4), "sum");
    tw_compute_set cs = tw_graph_add_compute_set(g, "count");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Count", 0);
    tw_graph_connect(g, v, "sum", sum);
    tw_graph_connect(g, v, "in", x);
    tw_graph_set_field(g, v, "turn", first);
    tw_remote_buffer rb = tw_graph_add_remote_buffer(g, "rb", TW_INT, 4, REMOTE_ROWS, false, false);
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_INT, 4, TW_STREAM_REPLICATE, NULL);
    tw_stream out = tw_graph_add_device_to_host_fifo(g, "out", TW_INT, 4, NULL);
    tw_stream ring = tw_graph_add_device_to_host_fifo(g, "ring", TW_INT, 4, NULL);
    tw_tensor row = tw_graph_add_constant(g, TW_UNSIGNED_INT, SHAPE(1), (uint32_t[]){ 1 }, false, "row");
    tw_graph_map(g, row, 0);
    tw_program round[] = { tw_program_copy_from_stream(g, in, x), tw_program_execute(g, cs),
                           tw_program_copy_to_remote(g, tw_tensor_reshape(g, sum, SHAPE(1, 4)), rb, row),
                           tw_program_copy_to_stream(g, sum, out), tw_program_copy_to_stream(g, x, ring) };
    tw_program all = tw_program_repeat(g, ROUNDS, tw_program_sequence_of(g, 5, round));
    m->e = test_engine_new(g, m->device, all, NULL);
    m->seen.hash = TW__FNV;
    const tw_stream_callback gives = { .fetch = give, .complete = completed, .user = &m->seen },
                             takes = { .fetch = take, .user = &m->seen };
    test_ok(tw_engine_connect_stream_to_callback(m->e, "in", &gives));
    test_ok(tw_engine_connect_stream_to_callback(m->e, "out", &takes));
    test_ok(tw_engine_connect_stream(m->e, "ring", m->seen.ring, sizeof m->seen.ring));
    return m;
}

static void machine_free(machine *m)
{
    tw_engine_free(m->e);
    tw_graph_free(m->g);
    tw_device_free(m->device);
    free(m);
}

static seen look(machine *m)
{
    test_ok(tw_engine_read(m->e, "sum", m->seen.sum, sizeof m->seen.sum));
    for (uint64_t r = 0; r < REMOTE_ROWS; r++)
        test_ok(tw_engine_copy_from_remote_buffer(m->e, "rb", r, m->seen.rows[r], sizeof m->seen.rows[r]));
    return m->seen;
}

static void assert_seen(const seen *got, const seen *want)
{
    assert_int_equal(got->in, want->in);
    assert_int_equal(got->taken, want->taken);
    assert_int_equal(got->complete, want->complete);
    assert_true(got->hash == want->hash);
    assert_memory_equal(got->ring, want->ring, sizeof got->ring);
    assert_memory_equal(got->sum, want->sum, sizeof got->sum);
    assert_memory_equal(got->rows, want->rows, sizeof got->rows);
}

static char path[] = "/tmp/tw_graph_checkpoint_XXXXXX";
static const test_device kinds[] = { CPU, MODEL, SIM };

static void within_a_run(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        machine *whole = machine_new(kinds[k], 2);
        test_ok(tw_engine_run(whole->e, 0));
        seen want = look(whole);
        assert_int_equal(want.taken, ROUNDS);
        for (unsigned step = 0; step < STEPS_OF_A_RUN; step += kinds[k] == SIM ? 7 : 1) {
            machine *saved = machine_new(kinds[k], 2), *resumed = machine_new(kinds[k], 2);
            test_ok(tw_engine_save_at(saved->e, step, 0, path));
            test_ok(tw_engine_run(saved->e, 0));
            seen got = look(saved);
            assert_seen(&got, &want);
            test_ok(tw_engine_resume(resumed->e, path));
            test_ok(tw_engine_run(resumed->e, 0));
            got = look(resumed);
            assert_seen(&got, &want);
            machine_free(saved), machine_free(resumed);
        }
        machine_free(whole);
    }
}

/* The second run again and again, each from the file of the first; the program keeps what is its own. */
static void between_runs(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        machine *m = machine_new(kinds[k], 2);
        test_ok(tw_engine_run(m->e, 0));
        test_ok(tw_engine_save(m->e, path));
        const seen first = look(m);
        test_ok(tw_engine_run(m->e, 0));
        const seen want = look(m);
        machine *other = machine_new(kinds[k], 2);
        for (int again = 0; again < 2; again++) {
            other->seen = first;
            test_ok(tw_engine_resume(other->e, path));
            test_ok(tw_engine_run(other->e, 0));
            seen got = look(other);
            assert_seen(&got, &want);
        }
        machine_free(m), machine_free(other);
    }
}

/* A run that was resumed takes the same later checkpoints, byte by byte. */
static void later_ones(void **state)
{
    (void)state;
    gchar *want = NULL, *got = NULL;
    gsize bytes, again;
    machine *m = machine_new(MODEL, 2), *resumed = machine_new(MODEL, 2);
    test_ok(tw_engine_save_at(m->e, 7, 0, path));
    test_ok(tw_engine_run(m->e, 0));
    test_ok(tw_engine_resume(resumed->e, path));
    test_ok(tw_engine_save_at(resumed->e, 22, 0, path));
    test_ok(tw_engine_run(resumed->e, 0));
    assert_true(g_file_get_contents(path, &got, &again, NULL));
    machine *whole = machine_new(MODEL, 2);
    test_ok(tw_engine_save_at(whole->e, 2, 10, path)); /* 2, 12, 22 */
    test_ok(tw_engine_run(whole->e, 0));
    assert_true(g_file_get_contents(path, &want, &bytes, NULL));
    assert_int_equal(again, bytes);
    assert_memory_equal(got, want, bytes);
    g_free(got), g_free(want);
    machine_free(m), machine_free(resumed), machine_free(whole);
}

static void refused(void **state)
{
    (void)state;
    machine *m = machine_new(MODEL, 2), *other = machine_new(MODEL, 3);
    assert_int_equal(tw_engine_save(NULL, path), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_engine_save(m->e, NULL), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_engine_save(m->e, "/nowhere/at/all"), TW_E_IO);
    assert_int_equal(tw_engine_resume(m->e, "/nowhere/at/all"), TW_E_FILE_LOAD);
    test_ok(tw_engine_save(m->e, path));
    assert_int_equal(tw_engine_resume(other->e, path), TW_E_FILE_LOAD); /* another graph */
    test_ok(tw_engine_run(other->e, 0));                                /* nothing of it was touched */
    test_ok(tw_engine_save_at(m->e, 1, 1, "/nowhere/at/all"));
    assert_int_equal(tw_engine_run(m->e, 0), TW_E_IO);
    tw_engine *not_loaded = tw_engine_new(m->g, tw_program_sequence_of(m->g, 0, NULL), NULL);
    assert_int_equal(tw_engine_save(not_loaded, path), TW_E_NOT_LOADED);
    assert_int_equal(tw_engine_resume(not_loaded, path), TW_E_NOT_LOADED);
    tw_engine_free(not_loaded);
    machine_free(m), machine_free(other);
}

/* A load ends what was resumed; a run that was resumed goes on before the engine is saved; counting begins with
 * the first call where runs lie before it. */
static void in_order(void **state)
{
    (void)state;
    machine *m = machine_new(MODEL, 2), *whole = machine_new(MODEL, 2), *late = machine_new(MODEL, 2);
    test_ok(tw_engine_run(whole->e, 0));
    const seen want = look(whole);
    test_ok(tw_engine_save_at(m->e, 13, 0, path));
    test_ok(tw_engine_run(m->e, 0));
    machine *again = machine_new(MODEL, 2);
    test_ok(tw_engine_resume(again->e, path));
    assert_int_equal(tw_engine_save(again->e, path), TW_E_NOT_SUPPORTED);
    test_ok(tw_engine_load(again->e, again->device));
    test_ok(tw_engine_save(again->e, path));
    test_ok(tw_engine_run(again->e, 0)); /* the whole run, not the rest of it */
    seen got = look(again);
    assert_int_equal(got.in, want.in);
    assert_int_equal(got.taken, ROUNDS);
    int32_t ring[3][4];
    test_ok(tw_engine_connect_stream(again->e, "ring", ring, sizeof ring));
    assert_int_equal(tw_engine_resume(again->e, path), TW_E_FILE_LOAD); /* a buffer of another size */
    assert_int_equal(tw_engine_run(again->e, 0), TW_E_NOT_LOADED);
    test_ok(tw_engine_run(late->e, 0));
    const seen first = look(late);
    unlink(path);
    test_ok(tw_engine_save_at(late->e, 3, 0, path));
    test_ok(tw_engine_run(late->e, 0));
    got = look(late);
    machine *resumed = machine_new(MODEL, 2);
    resumed->seen = first;
    test_ok(tw_engine_resume(resumed->e, path));
    uint64_t runs = 0;
    test_ok(tw__checkpoint_runs(resumed->e, path, &runs));
    assert_int_equal(runs, 1);
    test_ok(tw_engine_run(resumed->e, 0));
    const seen rest = look(resumed);
    assert_seen(&rest, &got);
    machine_free(m), machine_free(whole), machine_free(late), machine_free(again), machine_free(resumed);
}

enum { OUTER = 3, INNER = 2, IN_LOOPS = OUTER * (2 * INNER + 1) };

/* What ran, a letter each: transfers and compute sets. */
static bool spell(void *user, const tw_profile_step *step)
{
    if (strcmp(step->type_name, "StreamCopy") == 0) g_string_append_c(user, 'i');
    if (step->type == TW_PROGRAM_ON_TILE_EXECUTE) g_string_append_c(user, *step->name);
    return true;
}

static void give_and_stop(void *bytes, void *user)
{
    int *left = user;
    memset(bytes, 0, sizeof(int32_t));
    if (--*left == 0) tw_interrupt(true);
}

/* Between two looks at the clock: repeat OUTER { repeat INNER { in -> x; a }; b }, saved before step `save_at` and
 * resumed where that is `path`'s; `stop_in`: the transfer that the run is ended in, 0 = none. */
static uint64_t spell_loops(int save_at, bool resumes, int stop_in, GString *ran)
{
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = test_variable(g, TW_INT, SHAPE(1), "x");
    tw_tensor cycles = test_variable(g, TW_UNSIGNED_INT, SHAPE(2), "cycles");
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_INT, 1, TW_STREAM_REPLICATE, NULL);
    tw_program set[2];
    for (int i = 0; i < 2; i++) {
        tw_compute_set cs = tw_graph_add_compute_set(g, i ? "b" : "a");
        tw_vertex v = tw_graph_add_vertex(g, cs, "AddTo", 0);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, x, 0));
        tw_graph_set_field(g, v, "amount", 1);
        set[i] = tw_program_execute(g, cs);
    }
    tw_program round[] = { tw_program_copy_from_stream(g, in, x), set[0] };
    tw_program rounds[] = { tw_program_repeat(g, INNER, tw_program_sequence_of(g, 2, round)), set[1] };
    tw_program all[] = { tw_program_cycle_stamp(g, cycles),
                         tw_program_repeat(g, OUTER, tw_program_sequence_of(g, 2, rounds)),
                         tw_program_cycles_since(g, cycles) };
    tw_engine *e = test_engine_new(g, device, tw_program_sequence_of(g, 3, all), NULL);
    test_ok(tw_engine_connect_stream_to_callback(
        e, "in", &(tw_stream_callback){ .fetch = give_and_stop, .user = &stop_in }));
    if (save_at >= 0) test_ok(tw_engine_save_at(e, (uint64_t)save_at, 0, path));
    if (resumes) test_ok(tw_engine_resume(e, path));
    const tw_status ends = stop_in ? TW_E_SYSTEM : TW_OK; /* the callback counts `stop_in` down */
    assert_int_equal(tw_engine_run(e, 0), ends);
    tw_interrupt(false);
    tw_profile_each_step(tw_engine_profile(e), spell, ran);
    uint32_t words[2];
    test_ok(tw_engine_read(e, "cycles", words, sizeof words));
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    return (uint64_t)words[1] << 32 | words[0];
}

/* A resumed run has in its profile what it has run, wherever in loops it begins and ends; the clock goes on. */
static void loops_are_cut(void **state)
{
    (void)state;
    static const char whole[] = "iaiabiaiabiaiab";
    for (int step = 0; step < IN_LOOPS; step++) {
        g_autoptr(GString) saved = g_string_new(NULL);
        const uint64_t cycles = spell_loops(step + 1, false, 0, saved); /* behind the clock */
        assert_string_equal(saved->str, whole);
        for (int stop_in = 0, at = IN_LOOPS; stop_in <= OUTER * INNER; stop_in++) {
            g_autoptr(GString) ran = g_string_new(NULL), want = g_string_new(NULL);
            if (stop_in) at = (stop_in - 1) / INNER * (2 * INNER + 1) + (stop_in - 1) % INNER * 2 + 1;
            if (at <= step) continue;
            g_string_append_len(want, whole + step, at - step);
            const uint64_t again = spell_loops(-1, true, stop_in, ran);
            assert_string_equal(ran->str, want->str);
            if (!stop_in) assert_int_equal(again, cycles);
        }
    }
}

/* The sums of a file made right again, so that what is inside is met. */
static void put_sum(guchar *bytes, gsize size)
{
    uint64_t sum = tw__fnv1a(TW__FNV, bytes, size - 24);
    for (unsigned b = 0; b < 8; b++) bytes[size - 16 + b] = (guchar)(sum >> 8 * b);
}

static void damaged(void **state)
{
    (void)state;
    gchar *good;
    gsize size;
    machine *m = machine_new(MODEL, 2);
    test_ok(tw_engine_save_at(m->e, 13, 0, path));
    test_ok(tw_engine_run(m->e, 0));
    assert_true(g_file_get_contents(path, &good, &size, NULL));
    guchar *bytes = g_malloc(size);
    unsigned refusals = 0, forged = 0;
    for (gsize at = 0; at < size; at += at < 700 ? 3 : size / 40 + 1)
        for (int sum = 0; sum < 2; sum++) {
            memcpy(bytes, good, size);
            bytes[at] ^= (guchar)(1 + at % 127);
            if (sum) put_sum(bytes, size);
            assert_true(g_file_set_contents(path, (gchar *)bytes, (gssize)size, NULL));
            tw_status s = tw_engine_resume(m->e, path);
            forged += sum;
            refusals += !sum && s == TW_E_FILE_LOAD;
            if (!sum && s != TW_E_FILE_LOAD) fail_msg("byte %zu is damaged: %d", (size_t)at, s);
            if (s == TW_OK) tw_engine_run(m->e, 0); /* ends, one way or another */
            test_ok(tw_engine_load(m->e, m->device));
        }
    assert_true(forged == refusals && forged > 50);
    assert_true(g_file_set_contents(path, good, (gssize)size / 2, NULL));
    assert_int_equal(tw_engine_resume(m->e, path), TW_E_FILE_LOAD);
    g_free(good), g_free(bytes);
    machine_free(m);
}

/* Loading writes the states of vertices, too: what one kept from the runs before is gone, on each replica. */
static const char keeping[] = "#include <poplar/Vertex.hpp>\n"
                              "using namespace poplar;\n"
                              "struct Keep : Vertex {\n"
                              "    Output<int> out;\n"
                              "    int given, plain, two[2];\n"
                              "    Vector<int> past;\n"
                              "    bool compute() {\n"
                              "        *out = given + 10 * plain + 100 * two[1] + 1000 * past[1];\n"
                              "        given++; plain++; two[1]++; past[1]++;\n"
                              "        return true;\n"
                              "    }\n"
                              "};\n";

static void states_begin_at_a_load(void **state)
{
    (void)state;
    enum { VERTICES = 3 };
    for (unsigned how = 0; how < 3; how++) { /* CPU, model, two replicas */
        tw_ipu_model two = {
            .size = sizeof two, .chip = TW_MK2, .num_ipus = 2, .tiles_per_ipu = 4, .replicas_only = true
        };
        unsigned replicas = how == 2 ? 2 : 1;
        tw_device *device = how == 2 ? tw_device_ipu_model_with(&two) : test_device_new(how ? MODEL : CPU);
        tw_graph *g = how == 2 ? tw_graph_new_replicated(tw_device_target(device), 2)
                               : tw_graph_new(tw_device_target(device));
        tw_graph_add_codelets_source(g, keeping, "c++", "keeping.cpp", "-O1");
        tw_tensor out = test_variable(g, TW_INT, SHAPE(VERTICES), "out");
        tw_compute_set cs = tw_graph_add_compute_set(g, "keep");
        tw_vertex last = { 0 };
        for (unsigned k = 0; k < VERTICES; k++) { /* two on one tile, in turn with the other's */
            tw_vertex v = tw_graph_add_vertex(g, cs, "Keep", how ? 2 - 2 * (k & 1) : 0);
            tw_graph_connect(g, v, "out", tw_tensor_index(g, out, k));
            tw_graph_set_field(g, v, "given", k);
            tw_graph_set_field_values(g, v, "past", TW_INT, 2, (int32_t[]){ 5, 6 });
            last = v;
        }
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        for (unsigned load = 0; load < 3; load++) {
            for (int run = 0; run < 3; run++) {
                int32_t v[2 * VERTICES];
                test_ok(tw_engine_run(e, 0));
                test_ok(tw_engine_read(e, "out", v, replicas * VERTICES * sizeof *v));
                for (unsigned k = 0; k < replicas * VERTICES; k++)
                    assert_int_equal(v[k], 6000 + (int)(k % VERTICES) + 1111 * run);
            }
            int32_t longer[3] = { 1, 2, 3 }; /* what the graph becomes is none of the engine's */
            tw_graph_set_field_values(g, last, "past", TW_INT, 3, longer);
            tw_graph_set_field(g, last, "given", 50);
            tw_graph_map_vertex(g, last, 0);
            test_ok(tw_engine_load(e, device));
        }
        int32_t v[VERTICES];
        if (how < 2) { /* nor does a load go on where a checkpoint was */
            test_ok(tw_engine_run(e, 0));
            test_ok(tw_engine_save(e, path));
            test_ok(tw_engine_resume(e, path));
            test_ok(tw_engine_load(e, device));
            test_ok(tw_engine_run(e, 0));
            test_ok(tw_engine_read(e, "out", v, sizeof v));
            assert_int_equal(v[1], 6001);
        }
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

static void not_over_ranks(void **state)
{
    (void)state;
    machine *m = machine_new(MODEL, 2);
    assert_int_equal(tw_engine_save(m->e, path), TW_E_NOT_SUPPORTED);
    assert_int_equal(tw_engine_save_at(m->e, 3, 0, path), TW_E_NOT_SUPPORTED);
    assert_int_equal(tw_engine_resume(m->e, path), TW_E_NOT_SUPPORTED);
    test_ok(tw_engine_run(m->e, 0));
    machine_free(m);
}

static void all_is_told(void **state)
{
    (void)state;
    for (const tw__ck_table *table = tw__engine_tables; table->name; table++) covered(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_told),   cmocka_unit_test(within_a_run),
        cmocka_unit_test(between_runs),  cmocka_unit_test(later_ones),
        cmocka_unit_test(refused),       cmocka_unit_test(damaged),
        cmocka_unit_test(in_order),      cmocka_unit_test(states_begin_at_a_load),
        cmocka_unit_test(loops_are_cut),
    };
    int file = mkstemp(path);
    if (file >= 0) close(file);
    const struct CMUnitTest over_ranks[] = { cmocka_unit_test(not_over_ranks) };
    int failed = tw_world_size() > 1 ? cmocka_run_group_tests(over_ranks, NULL, NULL)
                                     : cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
