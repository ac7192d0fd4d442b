/* SPDX-License-Identifier: MIT */
/* The most probable labels of sequences that are not aligned: a search that keeps the best beginnings of each step.
 * One vertex has a sample. */
#include "poplar/libs/popnn/codes.h"

#include <tilewright/poplibs/ctc.h>

#include <string.h>

/* Beginnings are nodes of a tree, each its parent's labels and one more: tree [2][nodes], node 0 without labels. Of
 * each kept one there are logarithms of what ends with a blank, of what does not, and of both: sums [2][3][beams], of
 * this step and of the next. kept [3][beams]: nodes; of the next step where it came from, and the label that is new
 * (the blank: none). */
const tw__libs_code tw__ctc_search_code = {
    "popnn::CtcSearch",
    "f",
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(%T%, ONE_PTR)) logs; /* [steps][classes] */\n    TW_INPUT(unsigned) steps;\n"
    "    TW_OUTPUT(TW_VECTOR(%T%)) loss;\n    TW_OUTPUT(TW_VECTOR(unsigned, ONE_PTR)) length;\n"
    "    TW_OUTPUT(TW_VECTOR(unsigned, ONE_PTR)) labels; /* [paths][most_steps] */\n"
    "    TW_OUTPUT(TW_VECTOR(%T%, ONE_PTR)) sums;\n    TW_OUTPUT(TW_VECTOR(unsigned, ONE_PTR)) kept;\n"
    "    TW_OUTPUT(TW_VECTOR(unsigned, ONE_PTR)) tree;\n    unsigned most_steps, classes, blank, beams;\n};\n"
    "#define UNLIKELY (-1e30f)\n"
    "typedef struct %ID%beam {\n    size_t count, next, beams, nodes, places;\n"
    "    float *now, *then; /* [3][beams] */\n    unsigned *node, *from, *added, *parent, *label;\n} %ID%beam;\n"
    "static float %ID%either(float a, float b)\n{\n"
    "    float high = a > b ? a : b, low = a > b ? b : a;\n"
    "    if (low <= UNLIKELY) return high;\n"
    "    low -= high;\n    tw_map_exp(1, &low, &low), tw_map_log1p(1, &low, &low);\n    return high + low;\n}\n"
    "static float %ID%both(float a, float b) { return a + b > UNLIKELY ? a + b : UNLIKELY; }\n"
    "/* Keeps a candidate of the next step if it is among the best; the earlier one of two that are alike. */\n"
    "static void %ID%offer(%ID%beam *b, unsigned from, unsigned added, float blank, float other)\n{\n"
    "    float all = %ID%either(blank, other), *sum = b->then + 2 * b->beams;\n"
    "    size_t at = b->next;\n"
    "    if (all <= UNLIKELY || (at == b->beams && all <= sum[at - 1])) return;\n"
    "    if (at < b->beams) b->next++;\n"
    "    else at--;\n"
    "    for (; at > 0 && sum[at - 1] < all; at--) {\n"
    "        for (size_t k = 0; k < 3; k++) b->then[k * b->beams + at] = b->then[k * b->beams + at - 1];\n"
    "        b->from[at] = b->from[at - 1], b->added[at] = b->added[at - 1];\n"
    "    }\n"
    "    b->then[at] = blank, b->then[b->beams + at] = other, sum[at] = all, b->from[at] = from, b->added[at] = "
    "added;\n"
    "}\n"
    "/* What ends without a blank when label `c` follows beginning i: only behind a blank if it is its last one. "
    "*/\n"
    "static float %ID%follows(const %ID%beam *b, size_t i, unsigned c, float log)\n{\n"
    "    bool again = b->node[i] && b->label[b->node[i]] == c;\n"
    "    return %ID%both(b->now[again ? i : 2 * b->beams + i], log);\n}\n"
    "static bool %ID%is_kept(const %ID%beam *b, unsigned parent, unsigned c)\n{\n"
    "    for (size_t j = 0; j < b->count; j++)\n"
    "        if (b->node[j] && b->parent[b->node[j]] == parent && b->label[b->node[j]] == c) return true;\n"
    "    return false;\n}\n"
    "static unsigned %ID%child(%ID%beam *b, unsigned parent, unsigned c)\n{\n"
    "    for (size_t n = 1; n < b->places; n++)\n"
    "        if (b->parent[n] == parent && b->label[n] == c) return (unsigned)n;\n"
    "    b->parent[b->places] = parent, b->label[b->places] = c;\n"
    "    return (unsigned)b->places++;\n}\n"
    "static void %ID%step(const %ID% *v, %ID%beam *b, const float *log)\n{\n"
    "    b->next = 0;\n"
    "    for (unsigned i = 0; i < b->count; i++) {\n"
    "        unsigned node = b->node[i], last = b->label[node];\n"
    "        float blank = %ID%both(b->now[2 * b->beams + i], log[v->blank]), other = UNLIKELY;\n"
    "        if (node) other = %ID%both(b->now[b->beams + i], log[last]);\n"
    "        for (size_t j = 0; node && j < b->count; j++)\n"
    "            if (b->node[j] == b->parent[node]) other = %ID%either(other, %ID%follows(b, j, last, "
    "log[last]));\n"
    "        %ID%offer(b, i, v->blank, blank, other);\n"
    "    }\n"
    "    for (unsigned i = 0; i < b->count; i++)\n"
    "        for (unsigned c = 0; c < v->classes; c++)\n"
    "            if (c != v->blank && !%ID%is_kept(b, b->node[i], c))\n"
    "                %ID%offer(b, i, c, UNLIKELY, %ID%follows(b, i, c, log[c]));\n"
    "    for (size_t k = 0; k < b->next; k++) {\n"
    "        unsigned node = b->node[b->from[k]];\n"
    "        b->from[k] = b->added[k] == v->blank ? node : %ID%child(b, node, b->added[k]);\n"
    "    }\n"
    "    unsigned *nodes = b->node;\n    float *sums = b->now;\n"
    "    b->node = b->from, b->from = nodes, b->now = b->then, b->then = sums, b->count = b->next;\n}\n"
    "static void %ID%write(const %ID% *v, const %ID%beam *b, size_t path)\n{\n"
    "    unsigned *labels = tw_begin(v->labels) + path * v->most_steps, length = 0;\n"
    "    unsigned node = path < b->count ? b->node[path] : 0;\n"
    "    *tw_at(v->loss, path) = path < b->count ? -b->now[2 * b->beams + path] : -UNLIKELY;\n"
    "    for (unsigned n = node; n; n = b->parent[n]) length++;\n"
    "    *tw_at(v->length, path) = length;\n"
    "    for (size_t i = length; i < v->most_steps; i++) labels[i] = 0;\n"
    "    for (; node; node = b->parent[node]) labels[--length] = b->label[node];\n}\n"
    "bool %ID%_compute(%ID% *v)\n{\n"
    "    size_t steps = *v->steps < v->most_steps ? *v->steps : v->most_steps, beams = v->beams;\n"
    "    unsigned *kept = tw_begin(v->kept), *tree = tw_begin(v->tree);\n"
    "    float *sums = tw_begin(v->sums);\n"
    "    %ID%beam b = { 1, 0, beams, 1 + beams * v->most_steps, 1, sums, sums + 3 * beams, kept, kept + beams,\n"
    "                   kept + 2 * beams, tree, tree + 1 + beams * v->most_steps };\n"
    "    b.node[0] = 0, b.parent[0] = 0, b.label[0] = v->blank;\n"
    "    b.now[0] = 0, b.now[beams] = UNLIKELY, b.now[2 * beams] = 0;\n"
    "    for (size_t t = 0; t < steps; t++) %ID%step(v, &b, tw_begin(v->logs) + t * v->classes);\n"
    "    for (size_t path = 0; path < tw_size(v->loss); path++) %ID%write(v, &b, path);\n"
    "    return true;\n}\n",
};

typedef struct search_call {
    tw_graph *graph;
    const char *call;
    size_t steps, batch, classes;
    tw_type type;
    unsigned blank, beams, paths;
} search_call;

static bool search_options(const search_call *c, const char *const *options)
{
    typedef struct search_read {
        tw_type type;
        double memory;
    } search_read;
    static const tw__libs_option table[] = {
        { "partialsType", TW__LIBS_TYPE, offsetof(search_read, type), NULL },
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(search_read, memory), NULL },
        { "planConstraints", TW__LIBS_TEXT, 0, NULL },
    };
    search_read read = { TW_FLOAT, 0 };
    return tw__libs_options(c->graph, c->call, options, table, G_N_ELEMENTS(table), &read);
}

static bool search_check(search_call *c, tw_tensor logs, tw_tensor steps)
{
    tw_graph *g = c->graph;
    if (!tw__real_check(g, c->call, logs, 3)) return false;
    tw__extents own = tw__libs_shape(g, logs), of = tw__libs_shape(g, steps);
    tw_type count = tw_tensor_type(g, steps);
    if (!tw__libs_ready(g)) return false;
    c->steps = own.dim[0], c->batch = own.dim[1], c->classes = own.dim[2], c->type = tw_tensor_type(g, logs);
    const char *problem =
        own.rank != 3            ? "[steps][batch][classes] has three dimensions"
        : !tw__libs_count(&own)  ? "there is nothing to do"
        : c->blank >= c->classes ? "the blank is one of the classes"
        : c->steps > UINT32_MAX / 64 || c->beams > 1u << 20 || c->beams * c->steps > UINT32_MAX / 8
            ? "there are too many steps and beams"
        : !c->paths || c->paths > c->beams ? "there is a path at least, and a beam for each"
                                           : NULL;
    if (problem) tw_graph_fail(g, TW_E_POPLIBS, c->call, "%s: %s", tw__libs_describe(g, logs).text, problem);
    if (problem) return false;
    if (count == TW_UNSIGNED_INT && of.rank == 1 && of.dim[0] == c->batch && tw_graph_mapping_complete(g, steps))
        return true;
    tw_graph_fail(g, TW_E_POPLIBS, c->call, "the numbers of steps are unsigned int[%zu] on tiles, not %s", c->batch,
                  tw__libs_describe(g, steps).text);
    return false;
}

/* One row for each sample, on the tile that searches it. */
static tw_tensor search_rows(const search_call *c, tw_type type, size_t elements, const char *name)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(c->graph));
    tw_tensor t = tw_graph_add_variable(c->graph, type, 2, (size_t[]){ c->batch, elements }, name);
    for (size_t b = 0; b < c->batch; b++)
        tw_graph_map(c->graph, tw_tensor_index(c->graph, t, b), (unsigned)(b % tiles));
    return t;
}

static tw_ctc_paths search_build(const search_call *c, tw_tensor logs, tw_tensor steps, const char *vertex,
                                 tw_compute_set cs)
{
    tw_graph *g = c->graph;
    size_t beams = c->beams;
    const struct {
        const char *field;
        tw_tensor rows;
    } fields[] = { { "loss", search_rows(c, TW_FLOAT, c->paths, "loss") },
                   { "length", search_rows(c, TW_UNSIGNED_INT, c->paths, "length") },
                   { "labels", search_rows(c, TW_UNSIGNED_INT, c->paths * c->steps, "labels") },
                   { "sums", search_rows(c, TW_FLOAT, 6 * beams, "sums") },
                   { "kept", search_rows(c, TW_UNSIGNED_INT, 3 * beams, "kept") },
                   { "tree", search_rows(c, TW_UNSIGNED_INT, 2 * (1 + beams * c->steps), "tree") } };
    tw_tensor by_sample = tw_tensor_dim_shuffle(g, logs, (unsigned[]){ 1, 0, 2 });
    for (size_t b = 0; b < c->batch; b++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, vertex, (unsigned)(b % tw_target_tiles(tw_graph_target(g))));
        tw_graph_connect(g, v, "logs", tw_tensor_flatten(g, tw_tensor_index(g, by_sample, b)));
        tw_graph_connect(g, v, "steps", tw_tensor_index(g, steps, b));
        for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
            tw_graph_connect(g, v, fields[i].field, tw_tensor_index(g, fields[i].rows, b));
        tw_graph_set_field_int(g, v, "most_steps", (int64_t)c->steps);
        tw_graph_set_field_int(g, v, "classes", (int64_t)c->classes);
        tw_graph_set_field_int(g, v, "blank", (int64_t)c->blank);
        tw_graph_set_field_int(g, v, "beams", (int64_t)beams);
    }
    size_t shape[] = { c->batch, c->paths, c->steps };
    return (tw_ctc_paths){ fields[0].rows, fields[1].rows, tw_tensor_reshape(g, fields[2].rows, 3, shape) };
}

tw_ctc_paths tw_popnn_ctc_beam_search(tw_graph *graph, tw_tensor logs, tw_tensor steps, unsigned blank,
                                      unsigned beams, unsigned paths, tw_program sequence, const char *name,
                                      const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_ctc_paths){ 0 };
    tw_ctc_paths made = { TW__LIBS_NIL, TW__LIBS_NIL, TW__LIBS_NIL };
    search_call c = { .graph = graph, .call = __func__, .blank = blank, .beams = beams, .paths = paths };
    if (!tw__libs_ready(graph) || !search_check(&c, logs, steps) || !search_options(&c, options)) return made;
    const char *vertex = tw__libs_code_vertex(graph, &tw__ctc_search_code, TW_FLOAT);
    if (!vertex) return made;
    tw_graph_push_scope(graph);
    if (c.type == TW_HALF) logs = tw_popops_cast(graph, logs, TW_FLOAT, sequence, name);
    tw_compute_set cs = tw_graph_add_compute_set(graph, tw__libs_path(name, "CtcSearch").text);
    made = search_build(&c, logs, steps, vertex, cs);
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, cs));
    if (c.type == TW_HALF) made.loss = tw_popops_cast(graph, made.loss, TW_HALF, sequence, name);
    made.loss = tw_tensor_keep(graph, made.loss), made.lengths = tw_tensor_keep(graph, made.lengths);
    made.labels = tw_tensor_keep(graph, made.labels);
    tw_graph_pop_scope(graph);
    return made;
}
