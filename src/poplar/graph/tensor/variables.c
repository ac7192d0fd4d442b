/* SPDX-License-Identifier: MIT */
/* Variables, constants, load-time values. */
#include "poplar/graph/replicas.h"

#include <math.h>
#include <string.h>

bool tw__type_check(const tw__core *core, tw_type type)
{
    const tw_type_info *info = tw_type_get(type);
    if (info->type == TW_TYPE_NONE || !info->names[TW_SYSTEM_POPLAR][0])
        return tw__graph_fail(core, TW_E_TYPE,
                              "element type %s is not one of the graph's types (see tilewright info types)",
                              info->names[TW_SYSTEM_TILEWRIGHT]);
    /* Spec poplar.md 1.1: double exists on the host only. */
    if (type == TW_DOUBLE && core->target->kind != TW_TARGET_CPU)
        return tw__graph_fail(core, TW_E_TYPE, "element type double is not supported by IPU targets; use float");
    return true;
}

bool tw__variable_add(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape, const char *name,
                      bool constant, uint32_t *var)
{
    tw__core *core = graph->core;
    uint64_t count;
    if (!tw__type_check(core, type) || !tw__shape_count(core, rank, shape, &count)) return false;
    size_t *kept = TW__NEW_N(core->arena, size_t, rank);
    const char *copy = name && *name ? tw__arena_strdup(core->arena, name) : "";
    if (!kept || !copy || core->var_count >= UINT32_MAX - 1 ||
        !tw__grow(&core->vars, &core->var_room, core->var_count, sizeof *core->vars))
        return tw__graph_no_memory(core);
    if (rank) memcpy(kept, shape, rank * sizeof *kept);
    *var = (uint32_t)core->var_count;
    core->vars[core->var_count++] = (tw__variable){
        .name = copy, .type = type, .is_constant = constant, .count = count, .rank = rank, .shape = kept
    };
    return true;
}

tw_tensor tw__variable_tensor(tw__core *core, uint32_t var)
{
    const tw__variable *v = &core->vars[var];
    tw__node *node = tw__node_make(core, v->type, v->rank, true);
    if (!node) return TW__NIL_TENSOR;
    node->var = var;
    memcpy(node->dims, v->shape, v->rank * sizeof *v->shape);
    tw__row_major(v->rank, v->shape, tw__strides(node));
    return tw__node_publish(core, node);
}

/* The tensor of the variable added last; the variable goes again when there is no memory for it. */
static tw_tensor variables_finish(tw__core *core, uint32_t var)
{
    tw_tensor tensor = tw__variable_tensor(core, var);
    if (!tensor.id) {
        tw__regions_unref(core->vars[var].initial ? core->vars[var].initial->regions : NULL);
        core->var_count--;
    }
    return tensor;
}

tw_tensor tw_graph_add_variable(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    TW__REPLICA_VARIABLE(graph, i, one, tw_graph_add_variable(one, type, rank, shape, name));
    uint32_t var = 0;
    if (!tw__variable_add(graph, type, rank, shape, name, false, &var)) return TW__NIL_TENSOR;
    return variables_finish(graph->core, var);
}

/* --- values --------------------------------------------------------------------------------------------------- */

/* Values for the elements of `list` (reference taken over, also on failure), all in one variable. */
static bool add_initial(tw__core *core, uint32_t var, tw__regions *list, const void *values, uint64_t bytes,
                        bool broadcast, tw_type type)
{
    tw__initial *initial = list ? TW__NEW(core->arena, tw__initial) : NULL;
    void *copy = initial ? tw__arena_alloc(core->arena, bytes ? bytes : 1, 8) : NULL;
    if (!copy) {
        tw__regions_unref(list);
        return tw__graph_no_memory(core);
    }
    if (bytes) memcpy(copy, values, bytes);
    *initial = (tw__initial){ .regions = list, .values = copy, .broadcast = broadcast, .type = type };
    tw__initial **end = &core->vars[var].initial;
    while (*end) end = &(*end)->next;
    *end = initial;
    return true;
}

static tw__regions *variables_whole(uint32_t var, uint64_t count)
{
    tw__builder b = { 0 };
    tw__builder_box(&b, var, 0, &(tw__dim){ count, 1 }, 1);
    return tw__builder_finish(&b);
}

static bool add_constant(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape, const void *values,
                         bool broadcast, const char *name, uint32_t *var)
{
    tw__core *core = graph->core;
    if (!tw__variable_add(graph, type, rank, shape, name, true, var)) return false;
    uint64_t count = core->vars[*var].count, bytes = (broadcast ? 1 : count) * tw_type_size(type);
    if (bytes && count && !values)
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the values of constant %s are NULL", core->vars[*var].name);
    else if (add_initial(core, *var, variables_whole(*var, count), values, count ? bytes : 0, broadcast, type))
        return true;
    core->var_count--;
    return false;
}

tw_tensor tw_graph_add_constant(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                const void *values, bool broadcast, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    TW__REPLICA_VARIABLE(graph, i, one, tw_graph_add_constant(one, type, rank, shape, values, broadcast, name));
    uint32_t var = 0;
    if (!add_constant(graph, type, rank, shape, values, broadcast, name, &var)) return TW__NIL_TENSOR;
    return variables_finish(graph->core, var);
}

void tw__number_store(tw_type type, void *to, double value)
{
    bool infinite = isinf(value) && tw_type_get(type)->kind == TW_KIND_FLOAT;
    if (!infinite || !tw_convert(type, to, TW_F64, &value, (tw_convert_mode){ 0 }, 0))
        tw_type_store(type, to, value);
}

tw_tensor tw_graph_add_constant_double(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                       double value, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    TW__REPLICA_VARIABLE(graph, i, one, tw_graph_add_constant_double(one, type, rank, shape, value, name));
    uint32_t var = 0;
    uint8_t bytes[16] = { 0 };
    if (!tw__type_check(graph->core, type)) return TW__NIL_TENSOR;
    tw__number_store(type, bytes, value);
    if (!add_constant(graph, type, rank, shape, bytes, true, name, &var)) return TW__NIL_TENSOR;
    return variables_finish(graph->core, var);
}

bool tw__constant_add(tw_graph *graph, tw_type type, const void *value, uint32_t *var)
{
    if (!add_constant(graph, type, 0, NULL, value, true, NULL, var)) return false;
    graph->core->vars[*var].is_anonymous_const = true;
    return true;
}

/* The elements of one variable: its regions, and their values gathered in that order. */
static bool set_values_of(tw__core *core, const tw__regions *list, uint32_t var, const uint8_t *values,
                          bool broadcast, tw_type type)
{
    tw__builder b = { 0 };
    size_t size = tw_type_size(type);
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->region[i].var == var) {
            tw__builder_range(&b, list, list->first[i], list->first[i + 1]);
            count += list->region[i].count;
        }
    tw__regions *own = tw__builder_finish(&b);
    if (broadcast || count == list->count)
        return add_initial(core, var, own, values, broadcast ? size : count * size, broadcast, type);
    uint8_t *gathered = own ? tw__realloc(NULL, count * size) : NULL, *at = gathered;
    if (!gathered) {
        tw__regions_unref(own);
        return tw__graph_no_memory(core);
    }
    for (uint32_t i = 0; i < list->n; i++)
        if (list->region[i].var == var) {
            memcpy(at, values + list->first[i] * size, list->region[i].count * size);
            at += list->region[i].count * size;
        }
    bool done = add_initial(core, var, own, gathered, count * size, false, type);
    free(gathered);
    return done;
}

/* Takes the last value of a variable off again. */
static void undo_initial(tw__variable *v)
{
    tw__initial **end = &v->initial;
    while (*end && (*end)->next) end = &(*end)->next;
    if (!*end) return;
    tw__regions_unref((*end)->regions);
    *end = NULL;
}

void tw_graph_set_initial_value(tw_graph *graph, tw_tensor tensor, const void *values, bool broadcast)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA_TENSOR(graph, i, one, tensor, part, tw_graph_set_initial_value(one, part, values, broadcast));
    tw__core *core = graph->core;
    char text[TW__TEXT_BYTES];
    const tw__node *t = tw__node_get(core, tensor, "the tensor to initialise");
    const tw__regions *list = t ? tw__node_regions(core, t) : NULL;
    if (!list || !list->count) return;
    if (!values) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the initial values of %s are NULL",
                       tw__node_text(core, t, text, sizeof text));
        return;
    }
    for (uint32_t i = 0; i < list->n; i++)
        if (core->vars[list->region[i].var].is_constant) {
            tw__graph_fail(core, TW_E_TENSOR_CREATION, "initial value of %s, which holds constants",
                           tw__node_text(core, t, text, sizeof text));
            return;
        }
    bool one = true;
    for (uint32_t i = 1; i < list->n && one; i++) one = list->region[i].var == list->region[0].var;
    if (one) {
        set_values_of(core, list, list->region[0].var, values, broadcast, t->t.type);
        return;
    }
    /* One entry for each variable; when memory runs out, those of the variables before go again. */
    bool *done = tw__realloc(NULL, core->var_count * sizeof *done);
    if (!done) {
        tw__graph_no_memory(core);
        return;
    }
    memset(done, 0, core->var_count * sizeof *done);
    bool failed = false;
    for (uint32_t i = 0; i < list->n && !failed; i++) {
        uint32_t var = list->region[i].var;
        if (!done[var]) failed = !set_values_of(core, list, var, values, broadcast, t->t.type);
        done[var] = !failed;
    }
    for (size_t var = 0; var < core->var_count && failed; var++)
        if (done[var]) undo_initial(&core->vars[var]);
    free(done);
}

void tw__variable_drop_last(tw__core *core)
{
    tw__variable *v = &core->vars[--core->var_count];
    free(v->mapped);
    free(v->pending);
}
