/* SPDX-License-Identifier: MIT */
/* Vertex states as laid out on the chip, side by side for each compute set, tile and type, and the tables behind
 * their fields: pointers of nested vectors, rows of VectorLists, data of vectors that are plain state. */
#include "poplar/engine/account/account.h"

#include <stdlib.h>

static bool has_tables(const tw__vertex_type *info)
{
    for (unsigned f = 0; f < info->num_fields; f++)
        if (tw__placement_has_table(&info->fields[f])) return true;
    return false;
}

/* Objects of a group: its states, then one for each field with tables, still empty. */
static void add_group(tw__accounting *a, const tw__group *group)
{
    tw__placement *p = a->placement;
    const tw__vertex_type *info = a->core->types[group->type].info;
    if (tw__account_type(a, group->type) == TW__NONE) return;
    tw__type_cost *cost = &a->types[group->type];
    uint32_t align = cost->device ? cost->device->align : (uint32_t)info->host_align;
    if (!tw__grow(&p->groups.items, &p->groups.room, p->groups.count, sizeof *p->groups.items)) {
        p->failed = true;
        return;
    }
    uint32_t size = cost->state + cost->edges + cost->padding;
    tw__state_group made = { .tile = group->tile,
                             .type = group->type,
                             .count = group->count,
                             .device = cost->device,
                             .stride = (uint32_t)tw__align_up(size, align ? align : 1) };
    tw__place_item item = { .name = info->name,
                            .tile = group->tile,
                            .bytes = (uint64_t)made.stride * group->count,
                            .align = align ? align : 1,
                            .last = TW__PLACE_ALWAYS,
                            .storage = TW_STORAGE_VERTEX_STATE };
    made.item = tw__placement_add(p, &item);
    p->groups.items[p->groups.count++] = made;
    cost->bytes[TW__VERTEX_BYTES_STATE][group->tile] += (uint64_t)cost->state * group->count;
    cost->bytes[TW__VERTEX_BYTES_EDGE][group->tile] += (uint64_t)cost->edges * group->count;
    cost->bytes[TW__VERTEX_BYTES_PADDING][group->tile] +=
        (uint64_t)(made.stride - cost->state - cost->edges) * group->count;
    for (unsigned f = 0; f < info->num_fields; f++) {
        const tw__field *field = &info->fields[f];
        if (!tw__placement_has_table(field)) continue;
        bool data = field->form == TW__STATE_VECTOR;
        item.bytes = 0, item.align = 1;
        item.storage = field->is_list ? TW_STORAGE_VECTOR_LIST_DESCRIPTOR : TW_STORAGE_VERTEX_FIELD;
        item.flags = (uint16_t)(TW__PLACE_OVERREAD | (data && field->interleaved ? TW__PLACE_INTERLEAVED : 0));
        tw__placement_add(p, &item);
    }
}

/* The group of a vertex: groups of an exec are sorted by tile, then type. */
static const tw__state_group *group_of(const tw__placement *p, uint32_t exec, const tw__vertex *v)
{
    size_t low = p->exec_group[exec], high = p->groups.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const tw__state_group *g = &p->groups.items[middle];
        if (g->tile < v->tile || (g->tile == v->tile && g->type < v->type))
            low = middle + 1;
        else
            high = middle;
    }
    return &p->groups.items[low];
}

/* Appends the tables of one vertex to those of its group. */
static void add_tables(tw__accounting *a, const tw__state_group *group, const tw__vertex *v, uint32_t *rows)
{
    tw__placement *p = a->placement;
    const tw__vertex_type *info = a->core->types[v->type].info;
    tw__type_cost *cost = &a->types[v->type];
    uint32_t item = group->item;
    tw__placement_rows(a->core, v, rows);
    for (unsigned f = 0; f < info->num_fields; f++) {
        const tw__field *field = &info->fields[f];
        unsigned align;
        if (!tw__placement_has_table(field)) continue;
        tw__place_item *table = &p->items.items[++item];
        size_t bytes =
            tw__placement_table(p, field, cost->device ? &cost->device->fields[f] : NULL, rows[f], &align);
        if (!bytes) continue;
        uint64_t start = (table->bytes + align - 1) / align * align;
        tw__vertex_bytes kind = field->form == TW__STATE_VECTOR ? TW__VERTEX_BYTES_STATE
                                : field->is_list                ? TW__VERTEX_BYTES_DESCRIPTOR
                                                                : TW__VERTEX_BYTES_EDGE;
        cost->bytes[TW__VERTEX_BYTES_PADDING][v->tile] += start - table->bytes;
        cost->bytes[kind][v->tile] += bytes;
        table->bytes = start + bytes;
        if (align > table->align) table->align = align;
    }
}

void tw__account_states(tw__accounting *a, uint32_t exec)
{
    tw__placement *p = a->placement;
    const tw__exec *x = &a->engine->plan.execs.items[exec];
    p->exec_group[exec] = (uint32_t)p->groups.count;
    bool tables = false;
    unsigned most = 0;
    for (size_t g = 0; g < x->group_count && !p->failed; g++) {
        const tw__vertex_type *info = a->core->types[x->groups[g].type].info;
        add_group(a, &x->groups[g]);
        tables |= has_tables(info);
        if (info->num_fields > most) most = info->num_fields;
    }
    if (!tables || p->failed || a->failed) return;
    size_t count;
    const uint32_t *vertices = tw__compute_set_vertices(a->core, x->cs, &count);
    uint32_t *rows = tw__calloc(most + (size_t)1, sizeof *rows);
    if (!rows) p->failed = true;
    for (size_t i = 0; i < count && !p->failed; i++) {
        const tw__vertex *v = &a->core->vertices[vertices[i]];
        if (has_tables(a->core->types[v->type].info)) add_tables(a, group_of(p, exec, v), v, rows);
    }
    free(rows);
}
