/* SPDX-License-Identifier: MIT */
/* Addresses of variables and vertices, and everything that the state of a placed vertex holds. */
#include "poplar/engine/place/place.h"

#include <stdlib.h>
#include <string.h>

tw_status tw__placed(tw_engine *engine, tw__placement **out)
{
    tw_status status = tw__engine_usable(engine);
    if (status) return status;
    tw__placement *p = engine->placement;
    if (!p) return tw__fail(TW_E_PROFILING_DISABLED, "the CPU device has no tile memory: use the IPU Model");
    *out = p;
    return tw__placement_run(p);
}

tw_status tw__placed_element(tw_engine *engine, uint32_t var, uint64_t element, uint32_t *tile, uint64_t *address)
{
    tw__placement *p = NULL;
    tw_status status = tw__placed(engine, &p);
    if (status) return status;
    if (var >= p->var_count || element >= p->core->vars[var].count)
        return tw__fail(TW_E_INDEX, "there is no element %llu of variable %u", (unsigned long long)element, var);
    uint32_t at = tw__placement_item_of(p, var, element);
    if (at == TW__NO_PLACE)
        return tw__fail(TW_E_TILE_MAPPING, "element %llu of '%s' is on no tile", (unsigned long long)element,
                        p->core->vars[var].name);
    const tw__place_item *item = &p->items.items[at];
    *tile = item->tile;
    *address = item->address + (element - p->begin[at]) * p->esize[var];
    return TW_OK;
}

/* --- vertices ------------------------------------------------------------------------------------------------- */

/* Where a vertex stands: its group, its number within it, and the offsets of its tables within those of the group. */
typedef struct standing {
    const tw__state_group *group;
    uint32_t index;
    uint64_t *tables; /* [fields] */
    uint32_t *rows;   /* [fields] of the vertex itself */
} standing;

static const tw__state_group *find_group(const tw_engine *engine, const tw__placement *p, const tw__vertex *v,
                                         uint32_t *exec)
{
    for (uint32_t x = 0; x < p->execs; x++) {
        const tw__exec *e = &engine->plan.execs.items[x];
        for (size_t g = 0; e->cs == v->cs && p->exec_group[x] != UINT32_MAX && g < e->group_count; g++) {
            const tw__state_group *group = &p->groups.items[p->exec_group[x] + g];
            if (group->tile == v->tile && group->type == v->type) return *exec = x, group;
        }
    }
    return NULL;
}

/* Counts the vertices of the group before this one, and lays out their tables as they were. */
static bool stand(tw_engine *engine, const tw__placement *p, uint32_t vertex, standing *s)
{
    const tw__core *core = p->core;
    const tw__vertex *v = &core->vertices[vertex];
    const tw__vertex_type *info = core->types[v->type].info;
    uint32_t exec;
    size_t count;
    if (!(s->group = find_group(engine, p, v, &exec))) return false;
    const uint32_t *list = tw__compute_set_vertices(engine->core, v->cs, &count);
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *other = &core->vertices[list[i]];
        if (other->tile != v->tile || other->type != v->type) continue;
        tw__placement_rows(core, other, s->rows);
        for (unsigned f = 0; f < info->num_fields; f++) {
            unsigned align;
            const tw__device_field *device = s->group->device ? &s->group->device->fields[f] : NULL;
            if (!tw__placement_has_table(&info->fields[f])) continue;
            size_t bytes = tw__placement_table(p, &info->fields[f], device, s->rows[f], &align);
            if (bytes) s->tables[f] = (s->tables[f] + align - 1) / align * align;
            if (list[i] != vertex) s->tables[f] += bytes;
        }
        if (list[i] == vertex) return true;
        s->index++;
    }
    return false;
}

static uint32_t edge_address(tw__placement *p, uint32_t e)
{
    const tw__edge *edge = &p->core->edges[e];
    if (!edge->count) return 0;
    if (p->edge_place && p->edge_place[e]) {
        const tw__buffer_place *place = &p->buffers.items[p->edge_place[e] - 1];
        return (uint32_t)(p->items.items[place->item].address + place->offset);
    }
    uint32_t at = tw__placement_item_of(p, edge->var, edge->offset);
    if (at == TW__NO_PLACE) return 0;
    uint64_t esize = p->esize[edge->var];
    return (uint32_t)(p->items.items[at].address + (edge->offset - p->begin[at]) * esize);
}

/* Half takes 2 bytes on the chip; 4 in host states whose codelets compute in float. */
void tw__placed_plain(const tw__field *field, const tw__field_value *value, uint32_t bytes, uint8_t *out)
{
    const void *data = value->bytes > sizeof value->u.inline_bytes ? value->u.data : value->u.inline_bytes;
    uint32_t count = field->form == TW__STATE_VECTOR ? value->count : field->count;
    if (field->type == TW_HALF && value->bytes == 4 * count)
        for (unsigned i = 0; i < count && 2 * i < bytes; i++)
            tw_convert(TW_HALF, out + 2 * (size_t)i, TW_FLOAT, (const char *)data + 4 * (size_t)i,
                       (tw_convert_mode){ 0 }, 0);
    else
        memcpy(out, data, value->bytes < bytes ? value->bytes : bytes);
}

static void fill_values(tw__placement *p, const tw__vertex *v, const standing *s, tw__placed_vertex *out,
                        tw_row *rows, uint8_t *bytes)
{
    const tw__vertex_type *info = out->type;
    uint32_t item = s->group->item;
    for (unsigned f = 0; f < info->num_fields; f++) {
        const tw__field *field = &info->fields[f];
        tw__state_value *value = &out->values[f];
        unsigned align;
        if (!tw__placement_has_table(field)) continue;
        uint64_t table = p->items.items[++item].address + s->tables[f];
        if (field->form == TW__STATE_VECTOR) {
            value->address = s->rows[f] ? (uint32_t)table : 0, value->count = s->rows[f];
            continue;
        }
        value->rows = rows, value->row_count = s->rows[f], value->table = (uint32_t)table;
        value->table_bytes = bytes;
        rows += s->rows[f];
        bytes += tw__placement_table(p, field, &out->device->fields[f], s->rows[f], &align);
    }
    for (uint32_t e = v->first_edge; e; e = p->core->edges[e].next) {
        const tw__edge *edge = &p->core->edges[e];
        const tw__field *field = &info->fields[edge->field];
        tw__state_value *value = &out->values[edge->field];
        tw_row *row = (tw_row *)(uintptr_t)value->rows;
        uint32_t address = edge_address(p, e), size = (uint32_t)tw_type_size(field->type);
        if (field->form == TW__EDGE_SCALARS)
            for (uint64_t i = 0; i < edge->count; i++)
                row[edge->index + i] = (tw_row){ address + (uint32_t)i * size, 1 };
        else if (field->form == TW__EDGE_VECTORS)
            row[edge->index] = (tw_row){ address, (uint32_t)edge->count };
        else
            value->address = address, value->count = (uint32_t)edge->count;
    }
}

/* Room for values, rows, tables and plain bytes in one piece. */
static bool allocate(tw__placement *p, const tw__vertex *v, const standing *s, tw__placed_vertex *out)
{
    const tw__vertex_type *info = out->type;
    size_t rows = 0, bytes = 0;
    for (unsigned f = 0; f < info->num_fields; f++) {
        unsigned align;
        const tw__field *field = &info->fields[f];
        bytes += out->device->fields[f].size;
        if (!tw__placement_has_table(field) || field->form == TW__STATE_VECTOR) continue;
        rows += s->rows[f];
        bytes += tw__placement_table(p, field, &out->device->fields[f], s->rows[f], &align);
    }
    size_t values = info->num_fields * sizeof *out->values;
    out->memory = tw__calloc(1, values + rows * sizeof(tw_row) + bytes + 1);
    if (!out->memory) return false;
    out->values = out->memory;
    tw_row *row = (tw_row *)(void *)((char *)out->memory + values);
    uint8_t *plain = (uint8_t *)(row + rows);
    for (uint32_t i = v->first_value; i; i = p->core->values[i].next) {
        const tw__field_value *value = &p->core->values[i];
        const tw__field *field = &info->fields[value->field];
        const tw__device_field *device = &out->device->fields[value->field];
        bool opaque = field->form == TW__STATE_OPAQUE && value->bytes == device->size;
        if (!device->size || (field->form != TW__STATE_PLAIN && !opaque)) continue;
        tw__placed_plain(field, value, device->size, plain);
        out->values[value->field].bytes = plain;
        plain += device->size;
    }
    fill_values(p, v, s, out, row, plain);
    return true;
}

/* --- all vertices of an exec ----------------------------------------------------------------------------------- */

/* Moves the tables of a group to those of this vertex, or behind them. */
static void move_tables(const tw__placement *p, const tw__vertex_type *info, const standing *s, bool behind)
{
    for (unsigned f = 0; f < info->num_fields; f++) {
        unsigned align;
        if (!tw__placement_has_table(&info->fields[f])) continue;
        const tw__device_field *device = s->group->device ? &s->group->device->fields[f] : NULL;
        size_t bytes = tw__placement_table(p, &info->fields[f], device, s->rows[f], &align);
        if (!bytes) continue;
        s->tables[f] = behind ? s->tables[f] + bytes : tw__align_up(s->tables[f], align);
    }
}

static tw_status visit_vertex(tw__placement *p, uint32_t vertex, standing *s, tw__placed_visit *visit, void *user)
{
    const tw__vertex *v = &p->core->vertices[vertex];
    tw__placed_vertex out = { .tile = v->tile,
                              .address =
                                  p->items.items[s->group->item].address + (uint64_t)s->index * s->group->stride,
                              .type = p->core->types[v->type].info,
                              .device = s->group->device };
    if (!out.device)
        return tw__fail(TW_E_NOT_SUPPORTED, "the layout of vertex type %s on %s is unknown", out.type->name,
                        tw_target_arch(p->target));
    tw__placement_rows(p->core, v, s->rows);
    move_tables(p, out.type, s, false);
    tw_status status = allocate(p, v, s, &out)
                           ? visit(user, vertex, &out)
                           : tw__fail(TW_E_NO_MEMORY, "out of memory for the state of a vertex");
    move_tables(p, out.type, s, true);
    s->index++;
    tw__placed_vertex_clear(&out);
    return status;
}

/* Groups of an exec are sorted by tile, then type. */
static standing *find_standing(standing *list, size_t count, const tw__vertex *v)
{
    size_t low = 0, high = count;
    while (high - low > 1) { /* the last one that is not behind the vertex */
        size_t middle = low + (high - low) / 2;
        const tw__state_group *g = list[middle].group;
        if (g->tile < v->tile || (g->tile == v->tile && g->type <= v->type))
            low = middle;
        else
            high = middle;
    }
    return &list[low];
}

tw_status tw__placed_each(tw_engine *engine, uint32_t exec, const bool *types, tw__placed_visit *visit, void *user)
{
    tw__placement *p = NULL;
    tw_status status = tw__placed(engine, &p);
    const tw__exec *x = &engine->plan.execs.items[exec];
    if (status || p->exec_group[exec] == UINT32_MAX || !x->group_count) return status;
    size_t fields = 0, count, at = 0;
    for (size_t g = 0; g < x->group_count; g++) fields += p->core->types[x->groups[g].type].info->num_fields;
    standing *list = tw__calloc(x->group_count, sizeof *list);
    uint64_t *tables = tw__calloc(fields + 1, sizeof *tables);
    uint32_t *rows = tw__calloc(fields + 1, sizeof *rows);
    if (!list || !tables || !rows) status = tw__fail(TW_E_NO_MEMORY, "out of memory for vertex states");
    for (size_t g = 0; g < x->group_count && !status; g++) {
        list[g] =
            (standing){ .group = &p->groups.items[p->exec_group[exec] + g], .tables = tables + at, .rows = rows };
        at += p->core->types[x->groups[g].type].info->num_fields;
    }
    const uint32_t *vertices = tw__compute_set_vertices(engine->core, x->cs, &count);
    for (size_t i = 0; i < count && !status; i++) {
        const tw__vertex *v = &p->core->vertices[vertices[i]];
        if (types[v->type])
            status = visit_vertex(p, vertices[i], find_standing(list, x->group_count, v), visit, user);
    }
    free(list), free(tables), free(rows);
    return status;
}

tw_status tw__placed_vertex_get(tw_engine *engine, uint32_t vertex, tw__placed_vertex *out)
{
    tw__placement *p = NULL;
    memset(out, 0, sizeof *out);
    tw_status status = tw__placed(engine, &p);
    if (status) return status;
    if (!vertex || vertex >= p->core->vertex_count) return tw__fail(TW_E_INDEX, "there is no vertex %u", vertex);
    const tw__vertex *v = &p->core->vertices[vertex];
    out->type = p->core->types[v->type].info;
    standing s = { .tables = tw__calloc(out->type->num_fields + (size_t)1, sizeof *s.tables),
                   .rows = tw__calloc(out->type->num_fields + (size_t)1, sizeof *s.rows) };
    if (!s.tables || !s.rows)
        status = tw__fail(TW_E_NO_MEMORY, "out of memory for the state of a vertex");
    else if (!stand(engine, p, vertex, &s))
        status = tw__fail(TW_E_INDEX, "vertex %u is in no compute set that the engine executes", vertex);
    else if (!(out->device = s.group->device))
        status = tw__fail(TW_E_NOT_SUPPORTED, "the layout of vertex type %s on %s is unknown", out->type->name,
                          tw_target_arch(p->target));
    if (!status) {
        out->tile = v->tile;
        out->address = p->items.items[s.group->item].address + (uint64_t)s.index * s.group->stride;
        if (!allocate(p, v, &s, out)) status = tw__fail(TW_E_NO_MEMORY, "out of memory for the state of a vertex");
    }
    free(s.tables), free(s.rows);
    return status;
}

void tw__placed_vertex_clear(tw__placed_vertex *vertex)
{
    free(vertex->memory);
    memset(vertex, 0, sizeof *vertex);
}
