/* SPDX-License-Identifier: MIT */
/* Compute sets to groups: the vertices of one type on one tile get their states side by side, with the pointers
 * that the host ABI of codelet.h asks for. An edge whose elements are contiguous and aligned is a pointer into
 * its variable. Any other edge gets a message buffer, filled before the compute set and, when the vertex writes
 * it, copied back afterwards; an Output is filled too, so that elements it leaves alone keep their values
 * whatever the mapping. */
#include "poplar/engine/engine.h"

#include <stdlib.h>
#include <string.h>

typedef struct lowering {
    tw_engine *engine;
    tw__core *core;
    tw__exec *exec;
    uint64_t buffer, limit; /* next free byte of the message buffers, and their end */
} lowering;

static tw_status vertex_groups_no_memory(void)
{
    return tw__fail(TW_E_NO_MEMORY, "no memory for vertex states");
}

/* --- edges ---------------------------------------------------------------------------------------------------- */

/* The elements lie side by side in one variable: their place. */
static bool contiguous(const tw__edge *edge, uint32_t *var, uint64_t *offset)
{
    *var = edge->var;
    *offset = edge->offset;
    if (!edge->regions) return true;
    if (edge->regions->n != 1) return false;
    const tw__region *r = &edge->regions->region[0];
    *var = r->var;
    *offset = r->offset;
    return r->count == 1 || (r->rank == 1 && r->dim[0].stride == 1);
}

static uint64_t alignment_of(const tw__field *field, size_t size)
{
    return field->min_align > size ? field->min_align : size;
}

/* Whether the edge needs no buffer; *at gets its place in the storage. */
static bool direct(const tw__storage *storage, const tw__field *field, const tw__edge *edge, uint64_t *at)
{
    uint32_t var;
    uint64_t offset;
    if (storage->map) return tw__tile_map_edge(storage->map, edge, at);
    if (edge->count == 0) {
        *at = 0;
        return true;
    }
    if (!contiguous(edge, &var, &offset)) return false;
    *at = tw__storage_at(storage, var, offset);
    return field->form == TW__EDGE_SCALARS || field->form == TW__EDGE_SCALAR || *at % alignment_of(field, 1) == 0;
}

uint64_t tw__compute_set_buffer_bytes(const tw_engine *engine, uint32_t cs)
{
    const tw__core *core = engine->core;
    size_t count;
    const uint32_t *list = tw__compute_set_vertices(engine->core, cs, &count);
    uint64_t bytes = 0, at;
    for (size_t i = 0; i < count && !engine->tiles; i++) {
        const tw__vertex *v = &core->vertices[list[i]];
        const tw__vertex_type *type = core->types[v->type].info;
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            const tw__field *field = &type->fields[edge->field];
            size_t size = tw__device_size(engine, field->type);
            if (field->form == TW__EDGE_SCALARS || direct(&engine->plan.storage, field, edge, &at)) continue;
            bytes += edge->count * size + 2 * alignment_of(field, size);
        }
    }
    return bytes;
}

/* A buffer in the memory of the vertex's tile. An Output is not filled: as on the chip, it holds what the vertex
 * writes. */
static tw_status buffered_on_tile(lowering *l, const tw__field *field, const tw__edge *edge, uint64_t at)
{
    tw__storage *storage = &l->engine->plan.storage;
    size_t size = tw__device_size(l->engine, field->type);
    tw__edge_list room;
    tw__side tensor = { .regions = tw__edge_regions(edge, &room) }, buffer = { .first = at / size };
    tw_status s = field->direction == TW__OUTPUT
                      ? TW_OK
                      : tw__copy_add(&l->exec->before, storage, tensor, buffer, edge->count, size);
    if (s || field->direction == TW__INPUT) return s;
    return tw__copy_add(&l->exec->after, storage, buffer, tensor, edge->count, size);
}

static tw_status buffered(lowering *l, const tw__field *field, const tw__edge *edge, uint64_t *at)
{
    tw__storage *storage = &l->engine->plan.storage;
    size_t size = tw__device_size(l->engine, field->type);
    tw__edge_list room;
    tw__side tensor = { .regions = tw__edge_regions(edge, &room) };
    *at = tw__align_up(tw__align_up(l->buffer, alignment_of(field, size)), size);
    tw__side buffer = { .first = *at / size };
    l->buffer = *at + edge->count * size;
    assert(l->buffer <= l->limit);
    tw_status s = tw__copy_add(&l->exec->before, storage, tensor, buffer, edge->count, size);
    if (s || field->direction == TW__INPUT) return s;
    return tw__copy_add(&l->exec->after, storage, buffer, tensor, edge->count, size);
}

static tw_status vertex_groups_place(lowering *l, const tw__field *field, const tw__edge *edge, void **pointer)
{
    uint64_t at;
    if (!direct(&l->engine->plan.storage, field, edge, &at)) {
        tw_status s = l->engine->tiles ? buffered_on_tile(l, field, edge, at) : buffered(l, field, edge, &at);
        if (s) return s;
    }
    *pointer = l->engine->plan.storage.base + at;
    return TW_OK;
}

/* Pointers of a Vector<Input<T>>: one for each element, wherever it lies. */
static tw_status place_scalars(lowering *l, const tw__field *field, const tw__edge *edge, void **pointers)
{
    tw__storage *storage = &l->engine->plan.storage;
    tw__edge_list room;
    const tw__regions *list = tw__edge_regions(edge, &room);
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    tw__elems run;
    if (storage->map) { /* side by side on the vertex's tile, which may only reach its own memory */
        tw_status s = vertex_groups_place(l, field, edge, pointers);
        for (uint64_t i = 1; i < edge->count; i++)
            pointers[i] = (char *)pointers[0] + i * tw__device_size(l->engine, field->type);
        return s;
    }
    while (tw__region_walk_next(&walk, &run))
        for (uint64_t i = 0; i < run.count; i++)
            *pointers++ = storage->base + tw__storage_at(storage, run.var, run.offset + i * (uint64_t)run.stride);
    return TW_OK;
}

/* --- states --------------------------------------------------------------------------------------------------- */

static tw_status fill_value(lowering *l, const tw__field *field, const tw__field_value *value, char *state)
{
    const void *data = value->bytes > sizeof value->u.inline_bytes ? value->u.data : value->u.inline_bytes;
    if (tw__field_is_long(field)) {
        for (size_t i = 0; (i + 1) * sizeof(int32_t) <= value->bytes && i < field->count; i++) {
            int32_t narrow;
            memcpy(&narrow, (const char *)data + i * sizeof narrow, sizeof narrow);
            int64_t wide = field->type == TW_INT ? narrow : (int64_t)(uint32_t)narrow;
            memcpy(state + field->host_offset + i * sizeof wide, &wide, sizeof wide);
        }
        return TW_OK;
    }
    if (field->form != TW__STATE_VECTOR) {
        memcpy(state + field->host_offset, data, value->bytes < field->host_size ? value->bytes : field->host_size);
        return TW_OK;
    }
    void *copy =
        tw__arena_alloc(l->engine->arena, value->bytes ? value->bytes : 1, 16); /* the codelet may write it */
    if (!copy) return vertex_groups_no_memory();
    memcpy(copy, data, value->bytes);
    *(tw_host_span *)(state + field->host_offset) = (tw_host_span){ copy, value->count };
    return TW_OK;
}

/* Tables of list fields, sized before they are filled: a list may be connected in any order. */
static tw_status add_tables(lowering *l, const tw__vertex_type *type, const tw__vertex *v, char *state)
{
    const tw__core *core = l->core;
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
        const tw__edge *edge = &core->edges[e];
        const tw__field *field = &type->fields[edge->field];
        if (field->form == TW__EDGE_VECTORS) {
            tw_host_rows *rows = (tw_host_rows *)(state + field->host_offset);
            if (rows->size <= edge->index) rows->size = edge->index + 1;
        } else if (field->form == TW__EDGE_SCALARS) {
            tw_host_edges *edges = (tw_host_edges *)(state + field->host_offset);
            if (edges->size < edge->index + edge->count) edges->size = (uint32_t)(edge->index + edge->count);
        }
    }
    for (unsigned f = 0; f < type->num_fields; f++) {
        const tw__field *field = &type->fields[f];
        if (field->form == TW__EDGE_VECTORS) {
            tw_host_rows *rows = (tw_host_rows *)(state + field->host_offset);
            rows->rows = TW__NEW_N(l->engine->arena, tw_host_span, rows->size ? rows->size : 1);
            if (!rows->rows) return vertex_groups_no_memory();
        } else if (field->form == TW__EDGE_SCALARS) {
            tw_host_edges *edges = (tw_host_edges *)(state + field->host_offset);
            edges->edges = TW__NEW_N(l->engine->arena, void *, edges->size ? edges->size : 1);
            if (!edges->edges) return vertex_groups_no_memory();
        }
    }
    return TW_OK;
}

static tw_status fill_edge(lowering *l, const tw__field *field, const tw__edge *edge, char *state)
{
    char *at = state + field->host_offset;
    tw_host_span *span = (tw_host_span *)at;
    switch (field->form) {
    case TW__EDGE_SCALAR: return vertex_groups_place(l, field, edge, (void **)at);
    case TW__EDGE_SCALARS: return place_scalars(l, field, edge, ((tw_host_edges *)at)->edges + edge->index);
    case TW__EDGE_VECTORS: span = ((tw_host_rows *)at)->rows + edge->index; /* fall through */
    case TW__EDGE_VECTOR:
        if (edge->count > UINT32_MAX)
            return tw__fail(TW_E_OVERFLOW, "field '%s' has %llu elements, more than 2^32 - 1", field->name,
                            (unsigned long long)edge->count);
        span->size = (uint32_t)edge->count;
        return vertex_groups_place(l, field, edge, &span->data);
    case TW__STATE_PLAIN:
    case TW__STATE_OPAQUE:
    case TW__STATE_VECTOR: break;
    }
    return tw__fail(TW_E_CONNECTION, "field '%s' is not an edge", field->name);
}

static bool has_tables(const tw__vertex_type *type)
{
    for (unsigned f = 0; f < type->num_fields; f++)
        if (type->fields[f].form == TW__EDGE_VECTORS || type->fields[f].form == TW__EDGE_SCALARS) return true;
    return false;
}

static tw_status fill_state(lowering *l, const tw__vertex_type *type, bool tables, const tw__vertex *v, char *state)
{
    const tw__core *core = l->core;
    tw_status s = tables ? add_tables(l, type, v, state) : TW_OK;
    for (uint32_t i = v->first_value; i && !s; i = core->values[i].next)
        s = fill_value(l, &type->fields[core->values[i].field], &core->values[i], state);
    for (uint32_t i = v->first_edge; i && !s; i = core->edges[i].next)
        s = fill_edge(l, &type->fields[core->edges[i].field], &core->edges[i], state);
    return s;
}

/* --- as they began ---------------------------------------------------------------------------------------------- */

static bool keeps_values(const tw__vertex_type *type)
{
    for (unsigned f = 0; f < type->num_fields; f++)
        if (type->fields[f].form == TW__STATE_PLAIN || type->fields[f].form == TW__STATE_OPAQUE ||
            type->fields[f].form == TW__STATE_VECTOR)
            return true;
    return false;
}

static void *copied(tw__arena *arena, const void *from, size_t bytes)
{
    void *to = tw__arena_alloc(arena, bytes ? bytes : 1, 16);
    if (to) memcpy(to, from, bytes);
    return to;
}

/* What the states are now, for tw__states_begin(): the graph may change behind the engine. */
static tw_status remember_states(const tw_engine *engine, const tw__vertex_type *type, tw__group *group)
{
    if (!keeps_values(type)) return TW_OK;
    group->begin = copied(engine->arena, group->states, (size_t)group->count * group->stride);
    if (!group->begin) return vertex_groups_no_memory();
    for (unsigned f = 0; f < type->num_fields; f++) {
        const tw__field *field = &type->fields[f];
        char *at = group->begin + field->host_offset;
        for (uint32_t i = 0; field->form == TW__STATE_VECTOR && i < group->count; i++, at += group->stride) {
            tw_host_span *span = (tw_host_span *)at;
            if (!span->data) continue;
            span->data = copied(engine->arena, span->data, span->size * tw__device_size(engine, field->type));
            if (!span->data) return vertex_groups_no_memory();
        }
    }
    return TW_OK;
}

static void begin_field(const tw_engine *engine, const tw__group *group, const tw__field *field)
{
    for (uint32_t i = 0; i < group->count; i++) {
        size_t offset = (size_t)i * group->stride + field->host_offset;
        char *state = group->states + offset, *begin = group->begin + offset;
        const tw_host_span *now = (tw_host_span *)state, *then = (tw_host_span *)begin;
        switch (field->form) {
        case TW__STATE_PLAIN:
        case TW__STATE_OPAQUE: memcpy(state, begin, field->host_size); break;
        case TW__STATE_VECTOR:
            if (then->data) memcpy(now->data, then->data, then->size * tw__device_size(engine, field->type));
            break;
        case TW__EDGE_SCALAR:
        case TW__EDGE_VECTOR:
        case TW__EDGE_VECTORS:
        case TW__EDGE_SCALARS: return;
        }
    }
}

void tw__states_begin(const tw_engine *engine)
{
    for (size_t i = 0; i < engine->plan.execs.count; i++) {
        const tw__exec *x = &engine->plan.execs.items[i];
        for (const tw__group *g = x->groups; g < x->groups + x->group_count; g++) {
            const tw__vertex_type *type = engine->core->types[g->type].info;
            for (unsigned f = 0; g->begin && f < type->num_fields; f++) begin_field(engine, g, &type->fields[f]);
        }
    }
}

/* --- groups --------------------------------------------------------------------------------------------------- */

static uint32_t tile_of(const tw__vertex *v)
{
    return v->tile == TW_UNMAPPED ? 0 : v->tile;
}

/* Stable counting sort of list[count] by key(list[i]) < keys into out[count]. */
static tw_status sort_by(const tw__core *core, bool by_tile, size_t keys, const uint32_t *list, uint32_t *out,
                         size_t count)
{
    size_t *first = tw__calloc(keys + 1, sizeof *first);
    if (!first) return vertex_groups_no_memory();
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &core->vertices[list[i]];
        first[(by_tile ? tile_of(v) : v->type) + 1]++;
    }
    for (size_t k = 0; k < keys; k++) first[k + 1] += first[k];
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &core->vertices[list[i]];
        out[first[by_tile ? tile_of(v) : v->type]++] = list[i];
    }
    free(first);
    return TW_OK;
}

static tw_status vertex_groups_add(lowering *l, const uint32_t *list, size_t count, tw__group *group)
{
    const tw__vertex *v = &l->core->vertices[list[0]];
    const tw__vertex_type *type = l->core->types[v->type].info;
    size_t align = type->host_align ? type->host_align : 1;
    size_t stride = tw__align_up(type->host_size ? type->host_size : 1, align), bytes;
    bool tables = has_tables(type);
    if (count > UINT32_MAX || stride > UINT32_MAX || !tw__mul_size(count, stride, &bytes))
        return vertex_groups_no_memory();
    unsigned contexts = l->core->target->kind == TW_TARGET_CPU ? 1 : tw_target_worker_contexts(l->core->target);
    *group = (tw__group){ .stride = (uint32_t)stride,
                          .count = (uint32_t)count,
                          .tile = tile_of(v),
                          .type = v->type,
                          .workers = type->kind == TW__MULTIVERTEX ? contexts : 1 };
    if (tw__owner(l->engine, group->tile) != l->engine->ranks.rank) return TW_OK; /* states are for its owner */
    group->states = tw__arena_zalloc(l->engine->arena, bytes, align);
    if (!group->states) return vertex_groups_no_memory();
    for (size_t i = 0; i < count; i++) {
        tw_status s = fill_state(l, type, tables, &l->core->vertices[list[i]], group->states + i * stride);
        if (s) return s;
    }
    return remember_states(l->engine, type, group);
}

static tw_status add_groups(lowering *l, const uint32_t *sorted, size_t count)
{
    const tw__vertex *vertices = l->core->vertices;
    size_t groups = 0, tiles = 0;
    for (size_t i = 0; i < count; i++) {
        bool new_tile = i == 0 || tile_of(&vertices[sorted[i]]) != tile_of(&vertices[sorted[i - 1]]);
        tiles += new_tile;
        groups += new_tile || vertices[sorted[i]].type != vertices[sorted[i - 1]].type;
    }
    tw__exec *x = l->exec;
    x->vertices = count;
    x->groups = TW__NEW_N(l->engine->arena, tw__group, groups ? groups : 1);
    x->tile_first = TW__NEW_N(l->engine->arena, uint32_t, tiles + 1);
    if (!x->groups || !x->tile_first) return vertex_groups_no_memory();
    for (size_t i = 0, end; i < count; i = end) {
        const tw__vertex *v = &vertices[sorted[i]];
        for (end = i + 1; end < count; end++) {
            const tw__vertex *w = &vertices[sorted[end]];
            if (w->type != v->type || tile_of(w) != tile_of(v)) break;
        }
        if (i == 0 || tile_of(v) != tile_of(&vertices[sorted[i - 1]]))
            x->tile_first[x->tile_count++] = (uint32_t)x->group_count;
        tw_status s = vertex_groups_add(l, sorted + i, end - i, &x->groups[x->group_count++]);
        if (s) return s;
    }
    x->tile_first[x->tile_count] = (uint32_t)x->group_count;
    return TW_OK;
}

tw_status tw__lower_compute_set(tw_engine *engine, uint32_t cs, tw__exec *exec)
{
    tw__storage *storage = &engine->plan.storage;
    lowering l = {
        .engine = engine, .core = engine->core, .exec = exec, .buffer = storage->buffers, .limit = storage->bytes
    };
    *exec = (tw__exec){ .cs = cs };
    size_t count, keys = 1;
    const uint32_t *list = tw__compute_set_vertices(engine->core, cs, &count);
    if (!list && count) return vertex_groups_no_memory();
    for (size_t i = 0; i < count; i++)
        if (tile_of(&l.core->vertices[list[i]]) >= keys) keys = tile_of(&l.core->vertices[list[i]]) + (size_t)1;
    uint32_t *by_type = tw__realloc(NULL, (count + 1) * sizeof *by_type);
    uint32_t *by_tile = tw__realloc(NULL, (count + 1) * sizeof *by_tile);
    tw_status s = by_type && by_tile ? TW_OK : vertex_groups_no_memory();
    if (!s) s = sort_by(l.core, false, l.core->type_count, list, by_type, count);
    if (!s) s = sort_by(l.core, true, keys, by_type, by_tile, count);
    if (!s) s = add_groups(&l, by_tile, count);
    if (!s) s = tw__link_compute_set(engine, cs, exec);
    tw__own_tiles(engine, exec);
    if (!s) s = tw__copy_finish(&exec->before);
    if (!s) s = tw__copy_finish(&exec->after);
    free(by_type);
    free(by_tile);
    return s;
}

/* --- the same states over another storage ----------------------------------------------------------------------- */

static void shift_pointer(void **pointer, ptrdiff_t shift)
{
    if (*pointer) *pointer = (char *)*pointer + shift;
}

/* Vectors among the state are copied by those who make them from values; all else can be moved. */
static bool states_move(const tw__vertex_type *type)
{
    for (unsigned f = 0; f < type->num_fields; f++)
        if (type->fields[f].form == TW__STATE_VECTOR) return false;
    return true;
}

static bool move_rows(tw_host_rows *rows, ptrdiff_t shift, tw__arena *arena)
{
    const tw_host_span *from = rows->rows;
    tw_host_span *to = rows->rows = TW__NEW_N(arena, tw_host_span, rows->size ? rows->size : 1);
    for (uint32_t i = 0; to && i < rows->size; i++) {
        to[i] = from[i];
        shift_pointer(&to[i].data, shift);
    }
    return to != NULL;
}

static bool move_edges(tw_host_edges *edges, ptrdiff_t shift, tw__arena *arena)
{
    void *const *from = edges->edges;
    void **to = edges->edges = TW__NEW_N(arena, void *, edges->size ? edges->size : 1);
    for (uint32_t i = 0; to && i < edges->size; i++) {
        to[i] = from[i];
        shift_pointer(&to[i], shift);
    }
    return to != NULL;
}

/* One field of all states of a group. */
static bool move_field(const tw__group *group, const tw__field *field, ptrdiff_t shift, tw__arena *arena)
{
    char *at = group->states + field->host_offset;
    bool good = true;
    for (uint32_t i = 0; i < group->count && good; i++, at += group->stride) switch (field->form) {
        case TW__EDGE_SCALAR: shift_pointer((void **)at, shift); break;
        case TW__EDGE_VECTOR: shift_pointer(&((tw_host_span *)at)->data, shift); break;
        case TW__EDGE_VECTORS: good = move_rows((tw_host_rows *)at, shift, arena); break;
        case TW__EDGE_SCALARS: good = move_edges((tw_host_edges *)at, shift, arena); break;
        case TW__STATE_PLAIN:
        case TW__STATE_OPAQUE:
        case TW__STATE_VECTOR: return true;
        }
    return good;
}

static tw_status move_group(const tw_engine *engine, ptrdiff_t shift, tw__group *group)
{
    const tw__vertex_type *type = engine->core->types[group->type].info;
    size_t bytes = (size_t)group->count * group->stride;
    const char *from = group->states;
    if (!from) return TW_OK;
    group->states = tw__arena_alloc(engine->arena, bytes, type->host_align ? type->host_align : 1);
    if (!group->states) return vertex_groups_no_memory();
    memcpy(group->states, from, bytes);
    for (unsigned f = 0; f < type->num_fields; f++)
        if (!move_field(group, &type->fields[f], shift, engine->arena)) return vertex_groups_no_memory();
    return TW_OK;
}

tw_status tw__exec_again(tw_engine *engine, const tw__exec *from, const char *base, tw__exec *exec)
{
    bool move = !engine->tiles;
    for (size_t i = 0; i < from->group_count && move; i++)
        move = states_move(engine->core->types[from->groups[i].type].info);
    if (!move) {
        tw_status s = tw__lower_compute_set(engine, from->cs, exec);
        tw__copy_free(&exec->before), tw__copy_free(&exec->after);
        exec->before = from->before, exec->after = from->after;
        return s;
    }
    *exec = *from;
    exec->on_tiles = NULL;
    exec->parallel = 0;
    exec->groups = TW__NEW_N(engine->arena, tw__group, from->group_count ? from->group_count : 1);
    if (!exec->groups) return vertex_groups_no_memory();
    tw_status s = TW_OK;
    for (size_t i = 0; i < from->group_count && !s; i++) {
        exec->groups[i] = from->groups[i];
        s = move_group(engine, engine->plan.storage.base - base, &exec->groups[i]);
    }
    return s;
}
