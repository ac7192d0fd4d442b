/* SPDX-License-Identifier: MIT */
/* Random graphs, the same for a seed: what they compute and what their profiles say, a line each, by rank 0.
 * compare.sh wants the lines of one process from any number of ranks. Arguments: first seed, number of graphs.
 *
 * Shapes, mappings that cut anywhere, views (slices, transposed, reversed, every other element), fields that are
 * read, written and both, by one vertex or several; copies between views; branches, loops and switches on what
 * vertices have computed; random numbers; streams and remote buffers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/engine.h>

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "#include <ipu_builtins.h>\n"
    "using namespace poplar;\n"
    "class Mix : public Vertex {\n" /* out may be longer: its rest stays as it was */
    "public:\n"
    "    Input<Vector<int>> in; Output<Vector<int>> out; int k;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i + 1 < out.size(); i++) out[i] = in[i % in.size()] * 31 + k;\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class Turn : public Vertex {\n"
    "public:\n"
    "    InOut<Vector<int>> data; int k;\n"
    "    bool compute() { for (unsigned i = 0; i < data.size(); i++) data[i] = data[i] * 5 + k; return data[0] & "
    "1; }\n"
    "};\n"
    "class Pick : public Vertex {\n"
    "public:\n"
    "    Vector<Input<int>> in; Output<Vector<int>> out;\n"
    "    bool compute() { for (unsigned i = 0; i < in.size(); i++) out[i] = in[i] - (int)i; return true; }\n"
    "};\n"
    "class Rows : public Vertex {\n"
    "public:\n"
    "    Vector<Input<Vector<int>>> rows; Output<Vector<int>> out;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < rows.size(); i++) {\n"
    "            int sum = 0;\n"
    "            for (unsigned j = 0; j < rows[i].size(); j++) sum = sum * 3 + rows[i][j];\n"
    "            out[i] = sum;\n"
    "        }\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class Halves : public MultiVertex {\n"
    "public:\n"
    "    Input<Vector<int>> in; Output<Vector<half>> out;\n"
    "    bool compute(unsigned w) {\n"
    "        for (unsigned i = w; i < out.size(); i += MultiVertex::numWorkers())\n"
    "            out[i] = half(float(in[i % in.size()] & 1023) / 8);\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class Draw : public Vertex {\n"
    "public:\n"
    "    Output<Vector<int>> out;\n"
    "    bool compute() { for (unsigned i = 0; i < out.size(); i++) out[i] = __builtin_ipu_urand32(); return true; "
    "}\n"
    "};\n"
    "class Fuel : public Vertex {\n"
    "public:\n"
    "    InOut<int> left; Output<int> go;\n"
    "    bool compute() { *go = *left > 0; *left = *left - 1; return true; }\n"
    "};\n"
    "class Bit : public Vertex {\n"
    "public:\n"
    "    Input<Vector<int>> in; Output<int> out; int most;\n"
    "    bool compute() {\n"
    "        unsigned x = 0;\n"
    "        for (unsigned i = 0; i < in.size(); i++) x = x * 7 + in[i];\n"
    "        *out = x % (unsigned)most;\n"
    "        return true;\n"
    "    }\n"
    "};\n";

enum { VARIABLES = 5, MOST = 400 };

static unsigned long long chance;

static unsigned any(unsigned below)
{
    chance = chance * 6364136223846793005ull + 1442695040888963407ull;
    return below ? (unsigned)(chance >> 33) % below : 0;
}

typedef struct net {
    tw_graph *g;
    unsigned tiles;
    tw_tensor var[VARIABLES], halves, scalar[3];
    size_t count[VARIABLES];
    unsigned sets;
    tw_stream in, out;
    tw_remote_buffer remote;
} net;

/* Intervals of any length on any tiles. */
static void scatter(net *n, tw_tensor t, size_t count)
{
    for (size_t at = 0, len; at < count; at += len) {
        len = 1 + any(any(3) ? 40 : 4);
        if (len > count - at) len = count - at;
        tw_graph_map_range(n->g, t, at, len, any(n->tiles));
    }
}

/* Some view of a variable, one-dimensional, of at most `most` elements. */
static tw_tensor view(net *n, unsigned v, size_t most)
{
    tw_tensor t = n->var[v];
    size_t count = n->count[v];
    switch (any(4)) {
    case 0: t = tw_tensor_reverse(n->g, t, 0); break;
    case 1:
        t = tw_tensor_sub_sample(n->g, t, 2 + any(2), 0);
        count = tw_tensor_elements(n->g, t);
        break;
    case 2: { /* transposed */
        size_t rows = 2 + any(4), shape[2] = { rows, count / rows };
        t = tw_tensor_slice(n->g, t, 0, 0, shape[0] * shape[1]);
        t = tw_tensor_reshape(n->g, t, 2, shape);
        t = tw_tensor_flatten(n->g, tw_tensor_dim_shuffle(n->g, t, (unsigned[]){ 1, 0 }));
        count = shape[0] * shape[1];
        break;
    }
    default: break;
    }
    size_t len = 1 + any((unsigned)(count < most ? count : most)), begin = any((unsigned)(count - len + 1));
    return tw_tensor_slice(n->g, t, 0, begin, begin + len);
}

static unsigned other(unsigned v)
{
    return (v + 1 + any(VARIABLES - 1)) % VARIABLES;
}

/* A vertex that writes `part` of variable v and reads others. */
static void add_vertex(net *n, tw_compute_set cs, unsigned v, tw_tensor part, unsigned kind)
{
    unsigned tile = any(n->tiles);
    static const char *const names[] = { "Mix", "Turn", "Pick", "Rows", "Draw" };
    tw_vertex x = tw_graph_add_vertex(n->g, cs, names[kind], tile);
    size_t count = tw_tensor_elements(n->g, part);
    if (kind < 2) tw_graph_set_field_int(n->g, x, "k", any(1000));
    tw_graph_connect(n->g, x, kind == 1 ? "data" : "out", part);
    if (kind == 0) tw_graph_connect(n->g, x, "in", view(n, other(v), 30));
    if (kind == 2) {
        unsigned from = other(v);
        size_t begin = any((unsigned)(n->count[from] - (count < n->count[from] ? count : n->count[from]) + 1));
        tw_graph_connect(n->g, x, "in", tw_tensor_slice(n->g, n->var[from], 0, begin, begin + count));
    }
    if (kind == 3) {
        tw_tensor rows[40];
        for (size_t i = 0; i < count; i++) rows[i] = view(n, other(v), 8);
        tw_graph_connect_list(n->g, x, "rows", count, rows);
    }
}

/* Vertices that write disjoint parts of one variable; elements between them stay. */
static tw_program compute(net *n)
{
    char name[32];
    snprintf(name, sizeof name, "set%u", n->sets++);
    tw_compute_set cs = tw_graph_add_compute_set(n->g, name);
    unsigned v = any(VARIABLES), turns = any(5) == 0;
    for (size_t at = 0; at < n->count[v];) {
        size_t len = 1 + any(35), left = n->count[v] - at;
        if (len > left) len = left;
        unsigned kind = turns ? 1 : any(5);
        if (kind == 2 && len > 40) len = 40;
        if (any(6)) add_vertex(n, cs, v, tw_tensor_slice(n->g, n->var[v], 0, at, at + len), kind);
        at += len;
    }
    if (!turns) return tw_program_execute(n->g, cs);
    tw_tensor all = tw_graph_add_variable(n->g, TW_BOOL, 0, NULL, "all");
    tw_graph_map(n->g, all, any(n->tiles));
    tw_program parts[2] = { tw_program_execute_all_true(n->g, cs, all), tw_program_sequence(n->g, "") };
    tw_program_sequence_add(n->g, parts[1], tw_program_print_tensor(n->g, "all", all, NULL));
    return tw_program_sequence_of(n->g, 2, parts);
}

static tw_program halves(net *n)
{
    tw_compute_set cs = tw_graph_add_compute_set(n->g, "halves");
    for (size_t at = 0; at < 60; at += 20) {
        tw_vertex x = tw_graph_add_vertex(n->g, cs, "Halves", any(n->tiles));
        tw_graph_connect(n->g, x, "in", view(n, any(VARIABLES), 20));
        tw_graph_connect(n->g, x, "out", tw_tensor_slice(n->g, n->halves, 0, at, at + 20));
    }
    return tw_program_execute(n->g, cs);
}

static tw_program copy(net *n)
{
    unsigned v = any(VARIABLES);
    tw_tensor to = view(n, v, 120), from = view(n, other(v), 120);
    size_t a = tw_tensor_elements(n->g, to), b = tw_tensor_elements(n->g, from), m = a < b ? a : b;
    return tw_program_copy(n->g, tw_tensor_slice(n->g, from, 0, 0, m), tw_tensor_slice(n->g, to, 0, 0, m));
}

/* A number below `most` that depends on data, in scalar i. */
static tw_program decide(net *n, unsigned i, int most)
{
    char name[32];
    snprintf(name, sizeof name, "decide%u", n->sets++);
    tw_compute_set cs = tw_graph_add_compute_set(n->g, name);
    tw_vertex x = tw_graph_add_vertex(n->g, cs, "Bit", any(n->tiles));
    tw_graph_connect(n->g, x, "in", view(n, any(VARIABLES), 12));
    tw_graph_connect(n->g, x, "out", n->scalar[i]);
    tw_graph_set_field_int(n->g, x, "most", most);
    return tw_program_execute(n->g, cs);
}

/* True some times. */
static tw_program burn(net *n)
{
    static const int start[] = { 3 };
    char name[32];
    snprintf(name, sizeof name, "burn%u", n->sets++);
    tw_compute_set cs = tw_graph_add_compute_set(n->g, name);
    tw_tensor left = tw_graph_add_variable(n->g, TW_INT, 0, NULL, "left");
    tw_graph_map(n->g, left, any(n->tiles));
    tw_graph_set_initial_value(n->g, left, start, false);
    tw_vertex x = tw_graph_add_vertex(n->g, cs, "Fuel", any(n->tiles));
    tw_graph_connect(n->g, x, "left", left);
    tw_graph_connect(n->g, x, "go", n->scalar[0]);
    return tw_program_execute(n->g, cs);
}

static tw_program step(net *n, unsigned depth);

static tw_program body(net *n, unsigned depth)
{
    tw_program s = tw_program_sequence(n->g, "");
    for (unsigned i = 0, count = 1 + any(3); i < count; i++) tw_program_sequence_add(n->g, s, step(n, depth + 1));
    return s;
}

static tw_program after(net *n, tw_program first, tw_program then)
{
    tw_program s = tw_program_sequence(n->g, "");
    tw_program_sequence_add(n->g, s, first);
    tw_program_sequence_add(n->g, s, then);
    return s;
}

static tw_program step(net *n, unsigned depth)
{
    switch (any(depth > 2 ? 5 : 12)) {
    case 0:
    case 1: return compute(n);
    case 2:
    case 3: return copy(n);
    case 4: return halves(n);
    case 5: return tw_program_repeat(n->g, 1 + any(3), body(n, depth));
    case 6: return after(n, decide(n, 0, 2), tw_program_if(n->g, n->scalar[0], body(n, depth), body(n, depth)));
    case 7: {
        tw_program s = tw_program_switch(n->g, n->scalar[1], body(n, depth));
        for (int k = 0; k < 3; k++) tw_program_switch_add(n->g, s, k, body(n, depth));
        return after(n, decide(n, 1, 4), s);
    }
    case 8: return tw_program_repeat_while_true(n->g, burn(n), n->scalar[0], copy(n));
    case 9: return tw_program_counted_for_loop(n->g, n->scalar[2], 0, 1 + any(4), 1, body(n, depth + 1));
    case 10:
        return after(n, tw_program_copy_from_stream(n->g, n->in, tw_tensor_slice(n->g, n->var[0], 0, 0, 20)),
                     tw_program_copy_to_stream(n->g, tw_tensor_slice(n->g, n->var[1], 0, 0, 20), n->out));
    default:
        return after(n,
                     tw_program_copy_to_remote(n->g, tw_tensor_slice(n->g, n->var[2], 0, 0, 20), n->remote,
                                               (tw_tensor){ 0 }),
                     tw_program_copy_from_remote(n->g, n->remote, tw_tensor_slice(n->g, n->var[3], 0, 0, 20),
                                                 (tw_tensor){ 0 }));
    }
}

static unsigned long long hash = 0;

static void note(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3ull;
}

static void note_file(FILE *f)
{
    rewind(f);
    for (int c; (c = getc(f)) != EOF;) note(&(char){ (char)c }, 1);
}

/* Host time apart, which execution profiles have too. */
static void note_profile(const tw_profile *profile)
{
    char *graph = tw_profile_graph_json(profile, false), *execution = tw_profile_execution_json(profile, false);
    if (!graph || !execution) printf("no profile: %s\n", tw_error_message());
    if (graph) note(graph, strlen(graph));
    for (char *at = execution; at && *at;) {
        char *time = strstr(at, "icroseconds\":");
        note(at, time ? (size_t)(time - at) : strlen(at));
        at = time ? time + strcspn(time, ",}") : NULL;
    }
    free(graph), free(execution);
}

static void build(net *n)
{
    for (unsigned v = 0; v < VARIABLES; v++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", v);
        n->count[v] = 60 + any(MOST - 60);
        n->var[v] = tw_graph_add_variable(n->g, TW_INT, 1, &n->count[v], name);
        scatter(n, n->var[v], n->count[v]);
        tw_graph_create_host_access(n->g, name, n->var[v]);
    }
    n->halves = tw_graph_add_variable(n->g, TW_HALF, 1, (size_t[]){ 60 }, "halves");
    scatter(n, n->halves, 60);
    tw_graph_create_host_read(n->g, "halves", n->halves);
    for (unsigned i = 0; i < 3; i++) {
        n->scalar[i] = tw_graph_add_variable(n->g, TW_INT, 0, NULL, "scalar");
        tw_graph_map(n->g, n->scalar[i], any(n->tiles));
    }
    n->in = tw_graph_add_host_to_device_fifo(n->g, "in", TW_INT, 20, TW_STREAM_REPLICATE, NULL);
    n->out = tw_graph_add_device_to_host_fifo(n->g, "out", TW_INT, 20, NULL);
    n->remote = tw_graph_add_remote_buffer(n->g, "remote", TW_INT, 20, 1, false, false);
}

static int one(unsigned seed)
{
    chance = seed * 2654435761ull + 1, hash = 0xcbf29ce484222325ull;
    tw_ipu_model model = {
        .size = sizeof model, .chip = TW_MK2, .num_ipus = 1 + any(2), .tiles_per_ipu = 2 + any(9)
    };
    tw_device *device = any(4) ? tw_device_ipu_model_with(&model) : tw_device_ipu_sim_with(&model);
    net n = { .g = tw_graph_new(tw_device_target(device)), .tiles = model.num_ipus * model.tiles_per_ipu };
    tw_graph_add_codelets_source(n.g, codelets, "c++", "random.cpp", "-O1");
    build(&n);
    tw_program main = tw_program_sequence(n.g, "");
    for (unsigned i = 0, count = 3 + any(6); i < count; i++) tw_program_sequence_add(n.g, main, step(&n, 0));
    tw_engine *e =
        tw_engine_new(n.g, main, (const char *const[]){ "mpi.map=tiles", "debug.instrument=true", NULL });
    if (tw_engine_load(e, device) != TW_OK) return printf("seed %u: %s\n", seed, tw_error_message()), 1;
    FILE *prints = tmpfile();
    tw_engine_set_print_tensor_stream(e, prints);
    static int values[MOST], in[60], out[20];
    for (int i = 0; i < 60; i++) in[i] = (int)(seed * 77 + (unsigned)i * 13);
    tw_engine_connect_stream(e, "in", in, sizeof in);
    tw_engine_connect_stream(e, "out", out, sizeof out);
    for (int i = 0; i < MOST; i++) values[i] = i * 1001 + (int)seed;
    for (unsigned v = 0; v < VARIABLES; v++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", v);
        tw_engine_write(e, name, values, n.count[v] * sizeof *values);
    }
    tw_status s = TW_OK;
    for (int run = 0; run < 2 && !s; run++) {
        s = tw_engine_run(e, 0);
        for (unsigned v = 0; v < VARIABLES && !s; v++) {
            char name[16];
            snprintf(name, sizeof name, "v%u", v);
            s = tw_engine_read(e, name, values, n.count[v] * sizeof *values);
            note(values, n.count[v] * sizeof *values);
        }
        if (!s) s = tw_engine_read(e, "halves", values, 120);
        note(values, 120), note(out, sizeof out);
        if (!s) s = tw_engine_copy_from_remote_buffer(e, "remote", 0, values, 80);
        note(values, 80);
    }
    note_file(prints);
    unsigned long long bytes = hash;
    note_profile(tw_engine_profile(e));
    if (tw_world_rank() == 0) printf("%u %s %016llx %016llx\n", seed, s ? tw_error_message() : "ok", bytes, hash);
    fclose(prints);
    tw_engine_free(e), tw_graph_free(n.g), tw_device_free(device);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned first = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10;
    for (unsigned seed = first; seed < first + count; seed++)
        if (one(seed)) return 1;
    return 0;
}
