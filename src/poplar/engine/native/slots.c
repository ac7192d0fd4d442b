/* SPDX-License-Identifier: MIT */
/* The pointers in the state of a vertex, as codelet.h describes it for the host. */
#include "poplar/engine/native/native.h"

static void visit_edge(const tw_engine *engine, const tw__field *field, const tw__edge *edge, char *state,
                       tw__slot_visit *visit, void *user)
{
    char *at = state + field->host_offset;
    uint64_t size = tw__device_size(engine, field->type);
    tw__slot slot = { .pointer = (void **)(void *)at, .bytes = edge->count * size, .field = field };
    switch (field->form) {
    case TW__EDGE_SCALAR: break;
    case TW__EDGE_VECTOR: slot.pointer = &((tw_host_span *)(void *)at)->data; break;
    case TW__EDGE_VECTORS: slot.pointer = &((tw_host_rows *)(void *)at)->rows[edge->index].data; break;
    case TW__EDGE_SCALARS:
        slot.bytes = size;
        for (uint64_t i = 0; i < edge->count; i++) {
            slot.pointer = &((tw_host_edges *)(void *)at)->edges[edge->index + i];
            visit(user, &slot);
        }
        return;
    case TW__STATE_PLAIN:
    case TW__STATE_OPAQUE:
    case TW__STATE_VECTOR: return;
    }
    visit(user, &slot);
}

void tw__vertex_slots(const tw_engine *engine, uint32_t vertex, char *state, tw__slot_visit *visit, void *user)
{
    const tw__core *core = engine->core;
    const tw__vertex *v = &core->vertices[vertex];
    const tw__vertex_type *type = core->types[v->type].info;
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next)
        visit_edge(engine, &type->fields[core->edges[e].field], &core->edges[e], state, visit, user);
    for (uint32_t i = v->first_value; i; i = core->values[i].next) {
        const tw__field *field = &type->fields[core->values[i].field];
        if (field->form != TW__STATE_VECTOR) continue;
        tw_host_span *span = (tw_host_span *)(void *)(state + field->host_offset);
        visit(user, &(tw__slot){ .pointer = &span->data, .bytes = core->values[i].bytes, .field = field });
    }
}
