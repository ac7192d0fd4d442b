/* SPDX-License-Identifier: MIT */
/* What a load writes into the memories of tiles, beside the values of variables: code, vertex states, tables. */
#include "poplar/engine/tiles/tiles.h"

#include <string.h>

/* Bytes for an address of a tile; `bytes` stay where they are. */
static tw_status states_add(tw_engine *engine, uint32_t tile, uint64_t address, const void *bytes, size_t size)
{
    if (!size) return TW_OK;
    if (!tw__grow(&engine->loads.items, &engine->loads.room, engine->loads.count, sizeof *engine->loads.items))
        return tw__fail(TW_E_NO_MEMORY, "out of memory for vertex states");
    engine->loads.items[engine->loads.count++] =
        (tw__load){ tw__tile_map_address(engine->tiles, tile, address), bytes, size };
    return TW_OK;
}

/* --- code ----------------------------------------------------------------------------------------------------- */

static tw_status add_code(tw_engine *engine)
{
    const tw__chip_code *code = engine->chip;
    tw_status status = TW_OK;
    for (uint32_t tile = 0; code && tile < code->tiles && !status; tile++) {
        if (!code->placed_of[tile]) continue;
        const tw_object *image = g_array_index(code->placed, tw__placed_link, code->placed_of[tile] - 1).image;
        const tw_section *s;
        for (size_t i = 0; (s = tw_object_get_section(image, i)) && !status; i++)
            if ((s->flags & TW_SECTION_ALLOC) && s->data)
                status = states_add(engine, tile, s->address, s->data, s->size);
    }
    return status;
}

/* --- states --------------------------------------------------------------------------------------------------- */

/* --- as PopLibs reads two of the layouts ----------------------------------------------------------------------- */

/* Where the guide's text leaves the place of bits to lost figures, hand-written vertices of PopLibs show another
 * order than the project reads (docs/colossus.md): the count of a SHORT_SPAN is what lies above the 20 bits of its
 * pointer, and word 0 of DELTANELEMENTS has the high byte of the number of rows. */
static uint32_t get_word(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_word(uint8_t *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) at[i] = (uint8_t)(word >> 8 * i);
}

static void move_counts(tw__vector_layout layout, uint8_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count && layout == TW__LAYOUT_SHORT_SPAN; i++, at += 4) {
        uint32_t word = get_word(at);
        put_word(at, (word & 0xfffff) | word >> 21 << 20);
    }
    if (layout != TW__LAYOUT_DELTANELEMENTS) return;
    uint8_t low = at[3];
    at[3] = at[7], at[7] = low;
}

static void as_poplibs(const tw__placed_vertex *placed, uint8_t *state)
{
    for (unsigned f = 0; f < placed->type->num_fields; f++) {
        const tw__device_field *d = &placed->device->fields[f];
        if (!d->size || !placed->type->fields[f].rank) continue;
        move_counts(d->layout[0], state + d->offset, 1);
        if (d->layout[1] == TW__LAYOUT_SHORT_SPAN)
            move_counts(d->layout[1], placed->values[f].table_bytes, placed->values[f].row_count);
    }
}

/* Rows of a two-dimensional field, or the elements of a vector that is plain state. */
static tw_status add_table(tw_engine *engine, const tw__vertex *v, const tw__placed_vertex *placed, unsigned f)
{
    const tw__field *field = &placed->type->fields[f];
    const tw__state_value *value = &placed->values[f];
    const tw__placement *p = engine->tiles->placement;
    unsigned align;
    uint32_t rows = field->form == TW__STATE_VECTOR ? value->count : value->row_count;
    size_t bytes = tw__placement_table(p, field, &placed->device->fields[f], rows, &align);
    if (!bytes) return TW_OK;
    uint8_t *copy = tw__arena_zalloc(engine->arena, bytes, 8);
    if (!copy) return tw__fail(TW_E_NO_MEMORY, "out of memory for vertex states");
    if (field->form != TW__STATE_VECTOR) {
        memcpy(copy, value->table_bytes, bytes);
        return states_add(engine, placed->tile, value->table, copy, bytes);
    }
    for (uint32_t i = v->first_value; i; i = engine->core->values[i].next)
        if (engine->core->values[i].field == f)
            tw__placed_plain(field, &engine->core->values[i], (uint32_t)bytes, copy);
    return states_add(engine, placed->tile, value->address, copy, bytes);
}

static tw_status add_state(void *user, uint32_t vertex, const tw__placed_vertex *placed)
{
    tw_engine *engine = user;
    const tw__vertex *v = &engine->core->vertices[vertex];
    uint32_t size = placed->device->size;
    uint8_t *bytes = tw__arena_zalloc(engine->arena, size ? size : 1, 8);
    if (!bytes) return tw__fail(TW_E_NO_MEMORY, "out of memory for vertex states");
    tw_status status = tw__state_image(&engine->target->arch, placed->type, placed->device, placed->values, bytes);
    if (!status && tw__chip_reads_as_poplibs(engine, v->type)) as_poplibs(placed, bytes);
    if (!status) status = states_add(engine, placed->tile, placed->address, bytes, size);
    for (unsigned f = 0; f < placed->type->num_fields && !status; f++)
        if (tw__placement_has_table(&placed->type->fields[f]) && placed->device->fields[f].size)
            status = add_table(engine, v, placed, f);
    engine->state_at[vertex] = (uint32_t)placed->address;
    return status;
}

tw_status tw__tile_states_new(tw_engine *engine)
{
    engine->state_at = TW__NEW_N(engine->arena, uint32_t, engine->core->vertex_count + 1);
    if (!engine->state_at) return tw__fail(TW_E_NO_MEMORY, "out of memory for vertex states");
    tw_status status = add_code(engine);
    for (uint32_t x = 0; engine->chip && x < engine->plan.execs.count && !status; x++)
        status = tw__placed_each(engine, x, engine->chip->simulated, add_state, engine);
    return status;
}
