/* SPDX-License-Identifier: MIT */
/* Fields whose initial value depends on where the vertex's data lies: a callback gives it when an engine is made. */
#include "poplar/graph/replicas.h"

#include <glib.h>

static gpointer key_of(uint32_t vertex, unsigned field)
{
    return GSIZE_TO_POINTER((gsize)vertex << 16 | field);
}

static void unref(gpointer value)
{
    tw__late_value *v = value;
    if (--v->refs) return;
    if (v->destroy) v->destroy(v->user);
    g_free(v);
}

const tw__late_value *tw__late_value_get(const tw__core *core, uint32_t vertex, unsigned field)
{
    return core->late_values ? g_hash_table_lookup(core->late_values, key_of(vertex, field)) : NULL;
}

void tw__late_value_drop(tw__core *core, uint32_t vertex, unsigned field)
{
    if (core->late_values) g_hash_table_remove(core->late_values, key_of(vertex, field));
}

/* The field is 0 until an engine asks. */
static bool late_values_add(tw_graph *graph, tw_vertex vertex, const char *field, tw__late_value *value)
{
    tw__core *core = graph->core;
    unsigned index;
    if (!tw__state_field(core, vertex, field, false, &index)) return false;
    tw__field_put(core, vertex.id, index, &(tw_field_number){ .is_integer = true });
    if (!tw__graph_usable(graph)) return false;
    if (!core->late_values) core->late_values = g_hash_table_new_full(NULL, NULL, NULL, unref);
    value->refs++;
    g_hash_table_insert(core->late_values, key_of(vertex.id, index), value);
    return true;
}

bool tw_graph_set_field_late(tw_graph *graph, tw_vertex vertex, const char *field, tw_late_value callback,
                             void *user, void (*destroy)(void *user))
{
    TW__ENTER(graph, false);
    if (!callback)
        return tw__graph_fail(graph->core, TW_E_INVALID_ARGUMENT, "the callback of field '%s' is NULL",
                              field ? field : "");
    tw__late_value *value = g_new0(tw__late_value, 1);
    *value = (tw__late_value){ .refs = 1, .call = callback, .user = user };
    bool taken = true;
    if (!graph->replicas) taken = late_values_add(graph, vertex, field, value);
    for (unsigned i = 0; graph->replicas && taken && tw__replica_next(graph, i); i++)
        taken = late_values_add(graph->replica[i], tw__replica_vertex(graph, vertex, i), field, value);
    taken = taken && tw__graph_usable(graph);
    if (taken) value->destroy = destroy; /* else the user's data stay the caller's */
    unref(value);
    return taken;
}

tw_status tw__late_value_set(tw__core *core, uint32_t vertex, unsigned field, const tw_field_number *number)
{
    tw__field_put(core, vertex, field, number);
    tw_status status = core->error->error.status;
    core->error->error.status = TW_OK; /* it is the engine's, which keeps the text */
    return status;
}
