/* SPDX-License-Identifier: MIT */
/* Casts, fills, counts, scaled sums. */
#include "poplar/libs/popops/popops.h"

#include <math.h>

/* --- casts ---------------------------------------------------------------------------------------------------- */

static bool cast_text(tw_graph *graph, const char *call, tw_tensor tensor, tw_type type, char *text, size_t bytes)
{
    if (!tw__libs_ready(graph)) return false;
    tw_type from = tw_tensor_type(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    if (!tw__expr_c_type(from) || !tw__expr_c_type(type)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s cannot be cast to %s", tw__libs_describe(graph, tensor).text,
                      tw__expr_type_name(type));
        return false;
    }
    snprintf(text, bytes, "cast(_1, %s)", tw__expr_type_name(type));
    return true;
}

tw_tensor tw_popops_cast(tw_graph *graph, tw_tensor tensor, tw_type type, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    char text[64];
    if (!cast_text(graph, __func__, tensor, type, text, sizeof text)) return TW__LIBS_NIL;
    if (tw_tensor_type(graph, tensor) == type)
        return tw_poputil_duplicate(graph, tensor, sequence, name, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    return tw__popops_map(graph, __func__, text, 1, &tensor, TW__LIBS_NIL, sequence, name, NULL);
}

void tw_popops_cast_to(tw_graph *graph, tw_tensor source, tw_tensor destination, tw_program sequence,
                       const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    char text[64];
    if (!tw__libs_ready(graph)) return;
    tw_type type = tw_tensor_type(graph, destination);
    if (!tw__libs_ready(graph) || !cast_text(graph, __func__, source, type, text, sizeof text)) return;
    if (!tw__libs_same_shape(graph, source, destination)) {
        TW__LIBS_REFUSE(graph, "%s cannot be cast to %s", tw__libs_describe(graph, source).text,
                        tw__libs_describe(graph, destination).text);
        return;
    }
    if (!tw__libs_writeable(graph, __func__, destination) || !tw__popops_each_once(graph, __func__, destination))
        return;
    if (tw_tensor_type(graph, source) == type)
        tw_program_sequence_add(graph, sequence, tw_program_copy(graph, source, destination));
    else
        tw__popops_map(graph, __func__, text, 1, &source, destination, sequence, name, NULL);
}

void tw_popops_cast_set(tw_graph *graph, tw_tensor source, tw_tensor destination, tw_compute_set set)
{
    if (!tw__libs_takes_set(graph, __func__, set)) return;
    char text[64];
    if (!tw__libs_ready(graph)) return;
    tw_type type = tw_tensor_type(graph, destination);
    if (!tw__libs_ready(graph) || !cast_text(graph, __func__, source, type, text, sizeof text)) return;
    if (tw_tensor_contains_aliases(graph, destination)) {
        TW__LIBS_REFUSE(graph, "%s cannot be cast to: it has an element more than once",
                        tw__libs_describe(graph, destination).text);
        return;
    }
    if (!tw__libs_same_shape(graph, source, destination) || tw_tensor_intersects(graph, source, destination)) {
        TW__LIBS_REFUSE(graph, "%s cannot be cast to %s in one compute set: the shape is the same, no element is",
                        tw__libs_describe(graph, source).text, tw__libs_describe(graph, destination).text);
        return;
    }
    tw__popops_map_set(graph, __func__, text, 1, &source, destination, set);
}

/* --- fills ---------------------------------------------------------------------------------------------------- */

typedef struct fill_call {
    tw_graph *graph;
    const char *vertex;
    tw_compute_set cs;
    tw_tensor out;
    double value;
    bool counts; /* element i of the result is value + i */
} fill_call;

static void fill_part(void *user, unsigned tile, size_t count, const tw_interval *intervals)
{
    fill_call *f = user;
    tw_graph *g = f->graph;
    tw_graph_push_scope(g);
    for (size_t i = 0; i < (f->counts ? count : 1); i++) {
        tw_vertex v = tw_graph_add_vertex(g, f->cs, f->vertex, tile);
        tw_graph_connect(g, v, "out", tw__libs_pick(g, f->out, f->counts ? 1 : count, intervals + i));
        if (f->counts) /* modulo 2^32, as the sums of the vertex */
            tw_graph_set_field_int(g, v, "value", (uint32_t)((int64_t)f->value + (int64_t)intervals[i].begin));
        else
            tw_graph_set_field(g, v, "value", f->value);
    }
    tw_graph_pop_scope(g);
}

char *tw__popops_fill_vertex(tw_type type, bool counts)
{
    bool whole = type == TW_INT || type == TW_UNSIGNED_INT;
    if (!tw__expr_c_type(type) || (counts && !whole)) return NULL;
    char *name = g_strdup_printf("popops::%s<%s>", counts ? "Iota" : "Fill", tw__expr_type_name(type));
    for (char *c = name; *c; c++)
        if (*c == ' ') *c = '_';
    return name;
}

char *tw__popops_fill_code(tw_type type, bool counts)
{
    g_autofree char *vertex = tw__popops_fill_vertex(type, counts);
    if (!vertex) return NULL;
    g_autofree char *id = g_strdup(vertex);
    for (char *c = id; *c; c++)
        if (!g_ascii_isalnum(*c)) *c = '_';
    const char *c = tw__expr_c_type(type);
    return g_strdup_printf("#include <tilewright/codelet.h>\n"
                           "TW_VERTEX_AS(%s, \"%s\")\n{\n    TW_OUTPUT(TW_VECTOR(%s)) out;\n    %s value;\n};\n"
                           "bool %s_compute(%s *v)\n{\n    %s *out = tw_begin(v->out);\n"
                           "    for (size_t i = 0, n = tw_size(v->out); i < n; i++) out[i] = (%s)(v->value%s);\n"
                           "    return true;\n}\n",
                           id, vertex, c, counts ? "unsigned" : c, id, id, c, c, counts ? " + (unsigned)i" : "");
}

static bool fill_code(tw_graph *graph, const char *vertex, tw_type type, bool counts)
{
    if (!tw__libs_has_vertex(graph, vertex, NULL)) {
        g_autofree char *code = tw__popops_fill_code(type, counts);
        tw_graph_add_codelets_source(graph, code, "c", vertex, NULL);
    }
    tw__libs_estimate(graph, vertex);
    return tw__libs_ready(graph);
}

/* Into *set, or where it is NULL into one that a step of the sequence executes. */
static void fill_with(tw_graph *graph, const char *call, tw_tensor tensor, double value, bool counts,
                      const tw_compute_set *set, tw_program sequence, const char *name)
{
    tw_type type = tw_tensor_type(graph, tensor);
    if (!tw__libs_ready(graph)) return;
    g_autofree char *vertex = tw__popops_fill_vertex(type, counts);
    if (!vertex) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s cannot be filled", tw__libs_describe(graph, tensor).text);
        return;
    }
    if (!tw__libs_writeable(graph, call, tensor) || !tw_tensor_elements(graph, tensor)) return;
    if (!fill_code(graph, vertex, type, counts)) return;
    tw_graph_push_scope(graph);
    fill_call f = { graph,
                    vertex,
                    set ? *set : tw_graph_add_compute_set(graph, name && *name ? name : "fill"),
                    tw_tensor_flatten(graph, tensor),
                    value,
                    counts };
    if (tw_tensor_contains_aliases(graph, f.out)) { /* each element once */
        tw_sorted_regions *once = tw_tensor_sorted_contiguous_regions(graph, f.out, 0, NULL, TW_REGIONS_ONCE);
        if (once) f.out = tw_tensor_pick(graph, f.out, once->interval_count, once->intervals);
        tw_sorted_regions_free(once);
    }
    tw__libs_deal(graph, f.out, 16, fill_part, &f);
    if (!set) tw_program_sequence_add(graph, sequence, tw_program_execute(graph, f.cs));
    tw_graph_pop_scope(graph);
}

static bool value_fits(tw_type type, double value)
{
    if (type == TW_FLOAT || type == TW_HALF) return true;
    if (value != floor(value) || !isfinite(value)) return false;
    const tw_type_info *info = tw_type_get(type);
    if (type == TW_BOOL) return value == 0 || value == 1;
    double bits = 8 * (double)info->size;
    bool is_signed = type == TW_INT || type == TW_I16 || type == TW_I8;
    return value >= (is_signed ? -ldexp(1, (int)bits - 1) : 0) && value < ldexp(1, (int)bits - is_signed);
}

void tw_popops_fill(tw_graph *graph, tw_tensor tensor, double value, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw_type type = tw_tensor_type(graph, tensor);
    if (tw__libs_ready(graph) && !value_fits(type, value))
        TW__LIBS_REFUSE(graph, "%g is no value of %s", value, tw__libs_describe(graph, tensor).text);
    if (tw__libs_ready(graph)) fill_with(graph, __func__, tensor, value, false, NULL, sequence, name);
}

void tw_popops_fill_set(tw_graph *graph, tw_tensor tensor, double value, tw_compute_set set)
{
    if (!tw__libs_takes_set(graph, __func__, set)) return;
    if (!tw__libs_ready(graph)) return;
    tw_type type = tw_tensor_type(graph, tensor);
    if (tw__libs_ready(graph) && !value_fits(type, value))
        TW__LIBS_REFUSE(graph, "%g is no value of %s", value, tw__libs_describe(graph, tensor).text);
    if (tw__libs_ready(graph)) fill_with(graph, __func__, tensor, value, false, &set, (tw_program){ 0 }, NULL);
}

void tw_popops_zero(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (tw__libs_ready(graph)) fill_with(graph, __func__, tensor, 0, false, NULL, sequence, name);
}

void tw_popops_iota(tw_graph *graph, tw_tensor tensor, int64_t start, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw_type type = tw_tensor_type(graph, tensor);
    unsigned rank = tw_tensor_rank(graph, tensor);
    if (!tw__libs_ready(graph)) return;
    if (rank != 1 || (type != TW_INT && type != TW_UNSIGNED_INT) || tw_tensor_contains_aliases(graph, tensor)) {
        TW__LIBS_REFUSE(graph, "%s is not a tensor of rank 1 of int or unsigned int, each element once",
                        tw__libs_describe(graph, tensor).text);
        return;
    }
    fill_with(graph, __func__, tensor, (double)start, true, NULL, sequence, name);
}

/* --- scaled sums ---------------------------------------------------------------------------------------------- */

bool tw__popops_scale_fits(tw_graph *graph, const char *call, const tw_scale *scale)
{
    if (!scale->tensor.id) return true;
    uint64_t n = tw_tensor_elements(graph, scale->tensor);
    tw_type type = tw_tensor_type(graph, scale->tensor);
    if (tw__libs_ready(graph) &&
        (n != 1 || (type != TW_FLOAT && type != TW_HALF && type != TW_INT && type != TW_UNSIGNED_INT)))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "a scale is one number, not %s",
                      tw__libs_describe(graph, scale->tensor).text);
    return tw__libs_ready(graph);
}

/* Whether halves times this scale are computed as floats: as a half it is off by more than `tolerance` of itself, or
 * only a run knows. */
static bool scale_widens(tw_graph *graph, const tw_scale *scale, double tolerance)
{
    char half[2];
    if (scale->tensor.id) return tw_tensor_type(graph, scale->tensor) == TW_FLOAT;
    tw_type_store(TW_HALF, half, scale->number);
    return !(fabs(tw_type_load(TW_HALF, half) - scale->number) <= tolerance * fabs(scale->number));
}

/* " * _3": the factor's part of the expression, and its tensor among the operands. With a tensor of one float the sum
 * of halves is always of floats, with the scale as a half where that is off by `tolerance` at most (negative: never);
 * gen_libs.c has the text for the default. */
static void add_factor(tw_graph *graph, GString *text, const tw_scale *scale, tw_type type, double tolerance,
                       tw_tensor *operand, unsigned *count)
{
    if (!scale->tensor.id && scale->number == 1) return;
    operand[*count] = scale->tensor.id ? scale->tensor : tw__popops_number(graph, type, scale->number);
    unsigned n = *count + 1;
    tw_type own = tw_tensor_type(graph, operand[*count]);
    if (own != type)
        g_string_append_printf(text, " * cast(_%u, %s)", n, tw__expr_type_name(type));
    else if (scale->tensor.id && own == TW_FLOAT && tolerance >= 0)
        g_string_append_printf(text,
                               " * select(cast(cast(_%u, half), float), _%u, "
                               "abs(cast(cast(_%u, half), float) - _%u) <= abs(_%u) * %.9g)",
                               n, n, n, n, n, tolerance);
    else
        g_string_append_printf(text, " * _%u", n);
    ++*count;
}

static void values_scaled(tw_graph *graph, const char *call, tw_tensor a, const tw_scale *scale_a, tw_tensor b,
                          const tw_scale *scale_b, char sign, tw_program sequence, const char *name,
                          const char *const *options)
{
    static const tw__libs_option table[] = { { "optimizeForSpeed", TW__LIBS_BOOL, 0, NULL },
                                             { "scaleFloatToHalfTolerance", TW__LIBS_FRACTION, 8, NULL } };
    double given[2] = { 0, 1e-6 };
    if (!tw__libs_ready(graph) || !tw__libs_options(graph, call, options, table, G_N_ELEMENTS(table), given) ||
        !tw__popops_scale_fits(graph, call, scale_a) || !tw__popops_scale_fits(graph, call, scale_b))
        return;
    tw_type type = tw_tensor_type(graph, a), own = tw_tensor_type(graph, b);
    bool same_shape = tw__libs_same_shape(graph, a, b);
    if (!tw__libs_ready(graph)) return;
    bool number = type == TW_FLOAT || type == TW_HALF || type == TW_INT || type == TW_UNSIGNED_INT;
    if (!same_shape || !number || !tw__expr_c_type(own)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s and %s are not numbers in one shape",
                      tw__libs_describe(graph, a).text, tw__libs_describe(graph, b).text);
        return;
    }
    if (!tw__libs_writeable(graph, call, a) || !tw__popops_each_once(graph, call, a)) return;
    tw_tensor operand[4] = { a, b };
    unsigned count = 2;
    bool wide =
        type == TW_HALF && (scale_widens(graph, scale_a, given[1]) || scale_widens(graph, scale_b, given[1]));
    if (wide) type = TW_FLOAT; /* of the sum, which is rounded once */
    double tolerance = wide ? given[1] : -1;
    tw_graph_push_scope(graph);
    g_autoptr(GString) text = g_string_new(wide ? "cast(cast(_1, float)" : "_1");
    add_factor(graph, text, scale_a, type, tolerance, operand, &count);
    g_string_append_printf(text, own == type ? " %c _2" : " %c cast(_2, %s)", sign, tw__expr_type_name(type));
    add_factor(graph, text, scale_b, type, tolerance, operand, &count);
    if (wide) g_string_append(text, ", half)");
    tw__popops_map_in_place(graph, call, text->str, count, operand, sequence, name, NULL);
    tw_graph_pop_scope(graph);
}

void tw_popops_scaled_add(tw_graph *graph, tw_tensor a, tw_scale scale_a, tw_tensor b, tw_scale scale_b,
                          tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    values_scaled(graph, __func__, a, &scale_a, b, &scale_b, '+', sequence, name, options);
}

void tw_popops_scaled_subtract(tw_graph *graph, tw_tensor a, tw_scale scale_a, tw_tensor b, tw_scale scale_b,
                               tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    values_scaled(graph, __func__, a, &scale_a, b, &scale_b, '-', sequence, name, options);
}
