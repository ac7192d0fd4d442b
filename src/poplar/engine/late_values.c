/* SPDX-License-Identifier: MIT */
/* Values of fields that depend on addresses: asked for once everything is placed, then the plan is made again, since
 * vertex states hold copies of them. */
#include "poplar/engine/place/place.h"
#include "poplar/engine/plan/lower.h"

#include <stdlib.h>

/* Vertex types some vertex of which has such a field; NULL when there are none, or no memory. */
static bool *late_types(const tw__core *core)
{
    bool *types = core->late_values ? tw__calloc(core->type_count + 1, sizeof *types) : NULL, any = false;
    for (uint32_t v = 1; types && v < core->vertex_count; v++)
        for (uint32_t i = core->vertices[v].first_value; i; i = core->values[i].next)
            if (tw__late_value_get(core, v, core->values[i].field)) any = types[core->vertices[v].type] = true;
    if (any) return types;
    free(types);
    return NULL;
}

typedef TW__LIST(tw_edge_place) places;

static bool add_place(places *list, const tw__field *field, size_t index, uint32_t address, uint32_t count,
                      uint32_t base)
{
    if (!tw__grow(&list->items, &list->room, list->count, sizeof *list->items)) return false;
    list->items[list->count++] = (tw_edge_place){ .field = field->name,
                                                  .index = index,
                                                  .offset = count ? address - base : 0,
                                                  .bytes = count * (uint64_t)tw_type_size(field->type) };
    return true;
}

/* Every edge, in the order of fields. */
static bool edges_of(const tw_engine *engine, const tw__placed_vertex *placed, places *list)
{
    uint32_t base = engine->target->arch.base_address;
    for (unsigned f = 0; f < placed->type->num_fields; f++) {
        const tw__field *field = &placed->type->fields[f];
        const tw__state_value *value = &placed->values[f];
        if (field->direction == TW__STATE) continue;
        if (field->form != TW__EDGE_SCALARS && field->form != TW__EDGE_VECTORS) {
            uint32_t count = field->form == TW__EDGE_SCALAR ? 1 : value->count;
            if (!add_place(list, field, 0, value->address, count, base)) return false;
        }
        for (uint32_t i = 0; i < value->row_count && value->rows; i++)
            if (!add_place(list, field, i, (uint32_t)value->rows[i].address, (uint32_t)value->rows[i].count, base))
                return false;
    }
    return true;
}

static tw_status ask(void *user, uint32_t vertex, const tw__placed_vertex *placed)
{
    tw_engine *engine = user;
    places list = { 0 };
    tw_status status = TW_OK;
    for (unsigned f = 0; f < placed->type->num_fields && !status; f++) {
        const tw__late_value *late = tw__late_value_get(engine->core, vertex, f);
        tw_field_number number = { 0 };
        if (!late) continue;
        if (!list.count && !edges_of(engine, placed, &list))
            status = tw__fail(TW_E_NO_MEMORY, "no memory for the edges of a vertex");
        else if (!late->call(list.items, list.count, &number, late->user))
            status = tw__fail(TW_E_ERROR, "the callback for field '%s' of a vertex of type '%s' on tile %u failed",
                              placed->type->fields[f].name, placed->type->name, placed->tile);
        else
            status = tw__late_value_set(engine->core, vertex, f, &number);
    }
    free(list.items);
    return status;
}

tw_status tw__late_values(tw_engine *engine)
{
    bool *types = late_types(engine->core);
    if (!types) return TW_OK;
    tw_status status = TW_OK;
    if (engine->target->kind == TW_TARGET_CPU)
        status = tw__fail(TW_E_NOT_SUPPORTED,
                          "a field's value depends on addresses in a tile's memory, which a CPU target has not");
    for (uint32_t x = 0; x < engine->plan.execs.count && !status; x++)
        status = tw__placed_each(engine, x, types, ask, engine);
    free(types);
    return status ? status : tw__engine_lower_again(engine);
}
