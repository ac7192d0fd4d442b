/* SPDX-License-Identifier: MIT */
// needs: engine
/* Checkpoints of a graph program with whatever was changed in them: refused with a message, or a run that ends. The
 * first byte says which one: the device, and before which step. Without a change the run is that of the whole. */
#define _GNU_SOURCE /* memfd_create */
#include "checkpoints.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tilewright/tilewright.h>

enum { CPU, MODEL, NATIVE, CHIP, WAYS, MOMENTS = 8, EVERY = 5, ROUNDS = 7, ROWS = 3, RING = 2 };

/* Every other round goes another way, for which the vertex asks. */
static const char codelet[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class Count : public Vertex {\n"
    "public:\n"
    "    InOut<Vector<int>> sum;\n"
    "    Input<Vector<int>> in;\n"
    "    Output<bool> odd;\n"
    "    int turn;\n"
    "    bool compute() {\n"
    "        turn = turn * 3 + 1;\n"
    "        for (unsigned i = 0; i < sum.size(); i++) sum[i] = sum[i] * 5 + in[i] + turn;\n"
    "        *odd = turn & 1;\n"
    "        return true;\n"
    "    }\n"
    "};\n";

typedef struct got { /* what the program around the engine gets */
    int given, taken;
    uint64_t hash;
    int32_t ring[RING][4], sum[4], rows[ROWS][4];
} got;

typedef struct machine {
    tw_device *device;
    tw_graph *graph;
    tw_engine *engine;
    got got, whole;
    GByteArray *files[MOMENTS];
} machine;

static machine machines[WAYS];
static char path[64];

static void check(bool ok)
{
    if (!ok) fprintf(stderr, "%s\n", tw_error_message()), abort();
}

static void give(void *buffer, void *user)
{
    got *g = user;
    for (int i = 0; i < 4; i++) ((int32_t *)buffer)[i] = g->given * 7 + i;
    g->given++;
}

static void take(void *buffer, void *user)
{
    got *g = user;
    g->hash = tw__fnv1a(g->hash, buffer, 16);
    g->taken++;
}

static tw_tensor variable(tw_graph *g, tw_type type, size_t count, const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, type, 1, &count, name);
    tw_graph_map(g, t, 0);
    return t;
}

/* In each round: a transfer in, a compute set, a row of a remote buffer or a call, a transfer out. */
static tw_program rounds(tw_graph *g)
{
    tw_tensor x = variable(g, TW_INT, 4, "x"), sum = variable(g, TW_INT, 4, "sum"),
              odd = variable(g, TW_BOOL, 1, "odd");
    tw_compute_set cs = tw_graph_add_compute_set(g, "count");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Count", 0);
    tw_graph_connect(g, v, "sum", sum), tw_graph_connect(g, v, "in", x);
    tw_graph_connect(g, v, "odd", tw_tensor_index(g, odd, 0)), tw_graph_set_field(g, v, "turn", 2);
    tw_graph_create_host_read(g, "sum", sum);
    tw_remote_buffer remote = tw_graph_add_remote_buffer(g, "remote", TW_INT, 4, ROWS, false, false);
    tw_tensor row = tw_graph_add_constant(g, TW_UNSIGNED_INT, 1, (size_t[]){ 1 }, (uint32_t[]){ 1 }, false, "row");
    tw_graph_map(g, row, 0);
    tw_tensor as_row = tw_tensor_reshape(g, sum, 2, (size_t[]){ 1, 4 });
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_INT, 4, TW_STREAM_REPLICATE, NULL);
    tw_stream out = tw_graph_add_device_to_host_fifo(g, "out", TW_INT, 4, NULL);
    tw_stream ring = tw_graph_add_device_to_host_fifo(g, "ring", TW_INT, 4, NULL);
    tw_function copies = tw_graph_add_function(g, tw_program_copy_to_stream(g, x, ring), "copies");
    tw_program round[] = { tw_program_copy_from_stream(g, in, x), tw_program_execute(g, cs),
                           tw_program_if(g, tw_tensor_index(g, odd, 0),
                                         tw_program_copy_to_remote(g, as_row, remote, row),
                                         tw_program_call(g, copies)),
                           tw_program_copy_to_stream(g, sum, out) };
    return tw_program_repeat(g, ROUNDS, tw_program_sequence_of(g, 4, round));
}

static void connect(machine *m)
{
    const tw_stream_callback gives = { .fetch = give, .user = &m->got }, takes = { .fetch = take, .user = &m->got };
    check(tw_engine_connect_stream_to_callback(m->engine, "in", &gives) == TW_OK &&
          tw_engine_connect_stream_to_callback(m->engine, "out", &takes) == TW_OK &&
          tw_engine_connect_stream(m->engine, "ring", m->got.ring, sizeof m->got.ring) == TW_OK);
    m->got = (got){ .hash = TW__FNV };
}

static tw_status play(machine *m)
{
    tw_status status = tw_engine_run(m->engine, 0);
    if (status != TW_OK) return status;
    check(tw_engine_read(m->engine, "sum", m->got.sum, sizeof m->got.sum) == TW_OK);
    for (uint64_t r = 0; r < ROWS; r++)
        check(tw_engine_copy_from_remote_buffer(m->engine, "remote", r, m->got.rows[r], 16) == TW_OK);
    return status;
}

static void begin(machine *m)
{
    connect(m);
    check(tw_engine_load(m->engine, m->device) == TW_OK);
}

static GByteArray *file_of(const char *name)
{
    char *bytes;
    gsize size;
    check(g_file_get_contents(name, &bytes, &size, NULL));
    return g_byte_array_new_take((guint8 *)bytes, size);
}

static machine *machine_of(unsigned way)
{
    /* What a state has been turned into may run for long: it is stopped, as a person would. */
    const char *const options[] = { "simulator.turnLimit=100000",
                                    way == NATIVE ? "simulator.runNativeVertices=true" : NULL, NULL };
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = 1, .tiles_per_ipu = 2 };
    machine *m = &machines[way];
    if (m->engine) return m;
    m->device = way == CPU     ? tw_device_cpu()
                : way == MODEL ? tw_device_ipu_model_with(&model)
                               : tw_device_ipu_sim_with(&model);
    check(m->device != NULL);
    m->graph = tw_graph_new(tw_device_target(m->device));
    tw_graph_add_codelets_source(m->graph, codelet, "c++", "count.cpp", "-O1");
    m->engine = tw_engine_new(m->graph, rounds(m->graph), options);
    check(m->engine != NULL);
    begin(m);
    check(play(m) == TW_OK);
    m->whole = m->got;
    return m;
}

/* The checkpoint, made when it is asked for first. */
static const GByteArray *saved(machine *m, unsigned moment)
{
    if (m->files[moment]) return m->files[moment];
    begin(m);
    check(tw_engine_save_at(m->engine, moment * EVERY / 2, 0, path) == TW_OK && play(m) == TW_OK);
    return m->files[moment] = file_of(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    if (file < 0) file = memfd_create("checkpoint", MFD_CLOEXEC);
    if (size < 1) return 0;
    snprintf(path, sizeof path, "/tmp/tilewright-fuzz-%d", (int)getpid());
    machine *m = machine_of(data[0] % WAYS);
    GByteArray *bytes = ck_changed(saved(m, data[0] / WAYS % MOMENTS), data + 1, size - 1);
    unlink(path);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    check(ftruncate(file, 0) == 0 && pwrite(file, bytes->data, bytes->len, 0) == (ssize_t)bytes->len);
    begin(m);
    tw_status status = tw_engine_resume(m->engine, path);
    check(status == TW_OK || (size > 1 && (status == TW_E_FILE_LOAD || status == TW_E_NO_MEMORY)));
    if (status == TW_OK) status = play(m);
    if (size == 1) check(status == TW_OK && memcmp(&m->got, &m->whole, sizeof m->got) == 0);
    g_byte_array_unref(bytes);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return ck_mutate(data, size, most, seed);
}
