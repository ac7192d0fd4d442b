/* SPDX-License-Identifier: MIT */
/* The loss of labels that are not aligned: one vertex for each sample goes forward and back over the places between
 * and on its labels, in logarithms. */
#include "poplar/libs/popnn/codes.h"

#include <tilewright/poplibs/ctc.h>

#include <string.h>

/* Place 2 i + 1 is label i, the others are blanks. ways [steps + 2][places]: of the ways that end at a place in a
 * step, the sum with that step's probability; behind them two rows for those that go on from a place, without it. */
const tw__libs_code tw__ctc_code = {
    "popnn::CtcLoss",
    "f",
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(%T%, ONE_PTR)) logs; /* [steps][classes] */\n"
    "    TW_INPUT(TW_VECTOR(unsigned)) labels;\n    TW_INPUT(unsigned) steps;\n    TW_INPUT(unsigned) length;\n"
    "    TW_OUTPUT(TW_VECTOR(%T%)) gradient;\n    TW_OUTPUT(TW_VECTOR(%T%, ONE_PTR)) ways;\n"
    "    TW_OUTPUT(%T%) loss;\n    unsigned most_steps, classes, blank;\n    bool to_logits, finite;\n};\n"
    "#define NEVER (-1e30f)\n"
    "static float %ID%either(float a, float b)\n{\n"
    "    float high = a > b ? a : b, low = a > b ? b : a;\n"
    "    if (low <= NEVER) return high;\n"
    "    low -= high;\n    tw_map_exp(1, &low, &low), tw_map_log1p(1, &low, &low);\n    return high + low;\n}\n"
    "static unsigned %ID%at(const %ID% *v, size_t place)\n{\n"
    "    return place & 1 ? *tw_at(v->labels, place / 2) : v->blank;\n}\n"
    "/* May a way leave out the blank between `place` and the one two before it? */\n"
    "static bool %ID%leaps(const %ID% *v, size_t place)\n{\n"
    "    return place & 1 && place > 1 && %ID%at(v, place) != %ID%at(v, place - 2);\n}\n"
    "static float %ID%log(const %ID% *v, size_t t, size_t place)\n{\n"
    "    unsigned c = %ID%at(v, place);\n"
    "    return c < v->classes ? *tw_at(v->logs, t * v->classes + c) : NEVER;\n}\n"
    "static float %ID%sum(float a, float b) { return a + b < NEVER ? NEVER : a + b; }\n"
    "static float %ID%forward(const %ID% *v, size_t steps, size_t places)\n{\n"
    "    float *ways = tw_begin(v->ways);\n"
    "    for (size_t t = 0; t < steps; t++)\n"
    "        for (size_t s = 0; s < places; s++) {\n"
    "            const float *last = ways + (t - 1) * places;\n"
    "            float sum = t ? last[s] : s < 2 ? 0 : NEVER;\n"
    "            if (t && s) sum = %ID%either(sum, last[s - 1]);\n"
    "            if (t && %ID%leaps(v, s)) sum = %ID%either(sum, last[s - 2]);\n"
    "            ways[t * places + s] = %ID%sum(sum, %ID%log(v, t, s));\n"
    "        }\n"
    "    const float *end = ways + (steps - 1) * places;\n"
    "    return places > 1 ? %ID%either(end[places - 1], end[places - 2]) : end[0];\n}\n"
    "/* What goes on from step t, from what goes on from the one behind it. */\n"
    "static void %ID%back(const %ID% *v, size_t t, size_t places, const float *next, float *own)\n{\n"
    "    for (size_t s = 0; s < places; s++) {\n"
    "        own[s] = %ID%sum(next[s], %ID%log(v, t + 1, s));\n"
    "        for (size_t k = s + 1; k < s + 3 && k < places; k++)\n"
    "            if (k == s + 1 || %ID%leaps(v, k)) own[s] = %ID%either(own[s], %ID%sum(next[k], %ID%log(v, t + 1, "
    "k)));\n"
    "    }\n}\n"
    "static void %ID%slope(const %ID% *v, size_t t, size_t places, float all, const float *on)\n{\n"
    "    const float *ways = tw_begin(v->ways) + t * places;\n"
    "    float *to = tw_begin(v->gradient) + t * v->classes;\n"
    "    if (v->to_logits) tw_map_exp(v->classes, to, tw_begin(v->logs) + t * v->classes);\n"
    "    for (size_t c = 0; c < v->classes && !v->to_logits; c++) to[c] = 0;\n"
    "    for (size_t s = 0; s < places; s++) {\n"
    "        float share = ways[s] + on[s] - all;\n"
    "        if (all <= NEVER || ways[s] <= NEVER || on[s] <= NEVER) continue;\n"
    "        tw_map_exp(1, &share, &share);\n"
    "        to[%ID%at(v, s)] -= share;\n"
    "    }\n}\n"
    "bool %ID%_compute(%ID% *v)\n{\n"
    "    size_t steps = *v->steps, length = *v->length, most = v->most_steps;\n"
    "    if (steps > most) steps = most;\n"
    "    if (length > tw_size(v->labels)) length = tw_size(v->labels);\n"
    "    size_t places = 2 * length + 1, row = 2 * tw_size(v->labels) + 1;\n"
    "    float *next = tw_begin(v->ways) + most * row, *own = next + row, *swap;\n"
    "    for (size_t i = steps * v->classes; i < tw_size(v->gradient); i++) *tw_at(v->gradient, i) = 0;\n"
    "    float all = steps ? %ID%forward(v, steps, places) : length ? NEVER : 0;\n"
    "    *v->loss = -all;\n"
    "    if (all <= NEVER && v->finite) {\n"
    "        for (size_t i = 0; i < tw_size(v->gradient); i++) *tw_at(v->gradient, i) = 0;\n"
    "        *v->loss = 0;\n        return true;\n    }\n"
    "    for (size_t s = 0; s < places; s++) next[s] = s + 2 < places ? NEVER : 0;\n"
    "    for (size_t t = steps; t-- > 0; swap = next, next = own, own = swap) {\n"
    "        %ID%slope(v, t, places, all, next);\n"
    "        if (t) %ID%back(v, t - 1, places, next, own);\n"
    "    }\n    return true;\n}\n",
};

typedef struct ctc_call {
    tw_graph *graph;
    const char *call;
    size_t steps, batch, classes, labels;
    tw_type type; /* of the logarithms */
    unsigned blank;
    bool to_logits, finite;
} ctc_call;

static bool ctc_options(ctc_call *c, const char *const *options)
{
    typedef struct ctc_read {
        bool gradient, finite, ignored_bool;
        tw_type ignored_type;
        double ignored;
    } ctc_read;
    static const tw__libs_option table[] = {
        { "includeSoftmaxGradient", TW__LIBS_BOOL, offsetof(ctc_read, gradient), NULL },
        { "zeroInfinity", TW__LIBS_BOOL, offsetof(ctc_read, finite), NULL },
        { "zeroInfinityRelTolerance", TW__LIBS_FRACTION, offsetof(ctc_read, ignored), NULL },
        { "enableReducedClassesInLabel", TW__LIBS_BOOL, offsetof(ctc_read, ignored_bool), NULL },
        { "partialsType", TW__LIBS_TYPE, offsetof(ctc_read, ignored_type), NULL },
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(ctc_read, ignored), NULL },
        { "planConstraints", TW__LIBS_TEXT, 0, NULL },
    };
    ctc_read read = { .gradient = true };
    bool fine = tw__libs_options(c->graph, c->call, options, table, G_N_ELEMENTS(table), &read);
    c->to_logits = read.gradient, c->finite = read.finite;
    return fine;
}

static bool ctc_wants(const ctc_call *c, const char *what, tw_tensor t, unsigned rank, const size_t *shape)
{
    tw__extents own = tw__libs_shape(c->graph, t);
    tw_type type = tw_tensor_type(c->graph, t);
    if (!tw__libs_ready(c->graph)) return false;
    if (type == TW_UNSIGNED_INT && own.rank == rank && !memcmp(own.dim, shape, rank * sizeof *shape) &&
        tw_graph_mapping_complete(c->graph, t))
        return true;
    tw_graph_fail(c->graph, TW_E_POPLIBS, c->call, "the %s are unsigned int%s on tiles, not %s", what,
                  tw__libs_shape_text(rank, shape).text, tw__libs_describe(c->graph, t).text);
    return false;
}

static bool ctc_check(ctc_call *c, tw_tensor logs, tw_tensor labels, tw_tensor steps, tw_tensor lengths,
                      unsigned blank, tw_type type)
{
    tw_graph *g = c->graph;
    if (!tw__real_check(g, c->call, logs, 3)) return false;
    tw__extents own = tw__libs_shape(g, logs), of = tw__libs_shape(g, labels);
    if (!tw__libs_ready(g)) return false;
    c->steps = own.dim[0], c->batch = own.dim[1], c->classes = own.dim[2], c->labels = of.rank == 2 ? of.dim[1] : 0;
    c->type = tw_tensor_type(g, logs);
    const char *problem = own.rank != 3                         ? "[steps][batch][classes] has three dimensions"
                          : !tw__libs_count(&own)               ? "there is nothing to do"
                          : blank >= c->classes                 ? "the blank is one of the classes"
                          : c->steps > UINT32_MAX               ? "there are too many steps"
                          : type != TW_FLOAT && type != TW_HALF ? "the results are float or half"
                                                                : NULL;
    if (problem) tw_graph_fail(g, TW_E_POPLIBS, c->call, "%s: %s", tw__libs_describe(g, logs).text, problem);
    return !problem && ctc_wants(c, "labels", labels, 2, (size_t[]){ c->batch, c->labels }) &&
           ctc_wants(c, "numbers of steps", steps, 1, &c->batch) &&
           ctc_wants(c, "numbers of labels", lengths, 1, &c->batch);
}

static tw_tensor ctc_variable(const ctc_call *c, const char *name, size_t elements, unsigned tile)
{
    tw_tensor t = tw_graph_add_variable(c->graph, TW_FLOAT, 1, &elements, name);
    tw_graph_map(c->graph, t, tile);
    return t;
}

/* The vertices; loss[b] and gradient[b] are those of a sample. */
static void ctc_vertices(const ctc_call *c, tw_tensor logs, tw_tensor labels, tw_tensor steps, tw_tensor lengths,
                         const char *vertex, tw_compute_set cs, tw_tensor *loss, tw_tensor *gradient)
{
    tw_graph *g = c->graph;
    unsigned tiles = tw_target_tiles(tw_graph_target(g));
    size_t places = 2 * c->labels + 1;
    tw_tensor by_sample = tw_tensor_dim_shuffle(g, logs, (unsigned[]){ 1, 0, 2 });
    for (size_t b = 0; b < c->batch; b++) {
        unsigned tile = (unsigned)(b % tiles);
        loss[b] = ctc_variable(c, "loss", 1, tile),
        gradient[b] = ctc_variable(c, "gradient", c->steps * c->classes, tile);
        tw_vertex v = tw_graph_add_vertex(g, cs, vertex, tile);
        tw_graph_connect(g, v, "logs", tw_tensor_flatten(g, tw_tensor_index(g, by_sample, b)));
        tw_graph_connect(g, v, "labels", tw_tensor_index(g, labels, b));
        tw_graph_connect(g, v, "steps", tw_tensor_index(g, steps, b));
        tw_graph_connect(g, v, "length", tw_tensor_index(g, lengths, b));
        tw_graph_connect(g, v, "gradient", gradient[b]);
        tw_graph_connect(g, v, "ways", ctc_variable(c, "ways", (c->steps + 2) * places, tile));
        tw_graph_connect(g, v, "loss", tw_tensor_index(g, loss[b], 0));
        tw_graph_set_field_int(g, v, "most_steps", (int64_t)c->steps);
        tw_graph_set_field_int(g, v, "classes", (int64_t)c->classes);
        tw_graph_set_field_int(g, v, "blank", (int64_t)c->blank);
        tw_graph_set_field_int(g, v, "to_logits", c->to_logits);
        tw_graph_set_field_int(g, v, "finite", c->finite);
    }
}

tw_pair tw_popnn_ctc_loss(tw_graph *graph, tw_tensor logs, tw_tensor labels, tw_tensor steps, tw_tensor lengths,
                          unsigned blank, tw_type type, tw_program sequence, const char *name,
                          const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_pair){ 0 };
    tw_pair made = { TW__LIBS_NIL, TW__LIBS_NIL };
    ctc_call c = { .graph = graph, .call = __func__, .blank = blank };
    if (!tw__libs_ready(graph)) return made;
    if (type == TW_TYPE_NONE) type = tw_tensor_type(graph, logs);
    if (!ctc_check(&c, logs, labels, steps, lengths, blank, type) || !ctc_options(&c, options)) return made;
    const char *vertex = tw__libs_code_vertex(graph, &tw__ctc_code, TW_FLOAT);
    if (!vertex) return made;
    tw_graph_push_scope(graph);
    if (c.type == TW_HALF) logs = tw_popops_cast(graph, logs, TW_FLOAT, sequence, name);
    g_autofree tw_tensor *loss = g_new(tw_tensor, c.batch), *gradient = g_new(tw_tensor, c.batch);
    tw_compute_set cs = tw_graph_add_compute_set(graph, name && *name ? name : "ctc");
    ctc_vertices(&c, logs, labels, steps, lengths, vertex, cs, loss, gradient);
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, cs));
    made.first = tw_tensor_concat(graph, (unsigned)c.batch, loss, 0);
    tw_tensor all = tw_tensor_concat(graph, (unsigned)c.batch, gradient, 0);
    all = tw_tensor_reshape(graph, all, 3, (size_t[]){ c.batch, c.steps, c.classes });
    made.second = tw_tensor_dim_shuffle(graph, all, (unsigned[]){ 1, 0, 2 });
    if (type == TW_HALF) {
        made.first = tw_popops_cast(graph, made.first, type, sequence, name);
        made.second = tw_popops_cast(graph, made.second, type, sequence, name);
    }
    made.first = tw_tensor_keep(graph, made.first), made.second = tw_tensor_keep(graph, made.second);
    tw_graph_pop_scope(graph);
    return made;
}
