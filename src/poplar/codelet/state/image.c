/* SPDX-License-Identifier: MIT */
/* Byte image of a vertex's state (state.h): offsets from the metadata of the chip, encodings from tile's layouts. */
#include "poplar/codelet/state/state.h"

#include <string.h>

/* The two lists of layouts are one. */
#define SAME(name) _Static_assert((int)TW__LAYOUT_##name == (int)TW_LAYOUT_##name, "order of the layouts")
SAME(SPAN);
SAME(SHORT_SPAN);
SAME(ONE_PTR);
SAME(SCALED_PTR32);
SAME(SCALED_PTR64);
SAME(SCALED_PTR128);
SAME(COMPACT_PTR);
SAME(DELTAN);
SAME(DELTANELEMENTS);
SAME(COMPACT_DELTAN);

#define POINTER_BYTES 4

tw_vector_form tw__state_form(const tw__field *field, const tw__device_field *device)
{
    bool nested = field->form == TW__EDGE_VECTORS && !field->is_list;
    return (tw_vector_form){ (tw_layout)device->layout[nested ? 1 : 0],
                             field->form == TW__EDGE_SCALARS ? POINTER_BYTES : (unsigned)tw_type_size(field->type),
                             field->form == TW__EDGE_SCALARS ? 0 : field->min_align, field->interleaved };
}

static tw_layout outer_of(const tw__field *field, const tw__device_field *device)
{
    return field->is_list ? TW_LAYOUT_NOT_A_VECTOR : (tw_layout)device->layout[0];
}

tw_status tw__state_table_bytes(const tw_tile_arch *arch, const tw__field *field, const tw__device_field *device,
                                uint32_t rows, size_t *bytes, unsigned *align)
{
    tw_vector_form form = tw__state_form(field, device), resolved;
    *bytes = 0, *align = 1;
    if (field->form == TW__EDGE_VECTORS)
        return tw_rows_table_bytes(arch, outer_of(field, device), &form, rows, bytes, align);
    if (field->form != TW__EDGE_SCALARS) return TW_OK;
    tw_status status = tw_layout_resolve(arch, &form, &resolved);
    if (status != TW_OK) return status;
    *bytes = (size_t)rows * POINTER_BYTES, *align = resolved.min_align;
    return TW_OK;
}

static void put_pointer(uint8_t *at, uint32_t address)
{
    for (unsigned i = 0; i < POINTER_BYTES; i++) at[i] = (uint8_t)(address >> 8 * i);
}

/* An address outside of the tile is a mistake of the caller's placement; 0 is "not connected". */
static tw_status check_pointer(const tw_tile_arch *arch, const tw__field *field, uint32_t address)
{
    size_t size = tw_type_size(field->type);
    if (!address) return TW_OK;
    if (address % size) return tw__fail(TW_E_INDEX, "address 0x%X is not a multiple of %zu", address, size);
    if (!tw_tile_region_at(arch, address))
        return tw__fail(TW_E_INDEX, "address 0x%X is not in the memory of %s", address, arch->name);
    return TW_OK;
}

static tw_status encode_scalars(const tw_tile_arch *arch, const tw__field *field, const tw_vector_form *form,
                                const tw__state_value *value, uint32_t words[2])
{
    tw_status status = tw_vector_encode(arch, form, value->table, value->row_count, words);
    for (uint32_t i = 0; i < value->row_count && status == TW_OK; i++) {
        status = check_pointer(arch, field, value->rows[i].address);
        put_pointer(value->table_bytes + (size_t)i * POINTER_BYTES, value->rows[i].address);
    }
    return status;
}

static tw_status encode_field(const tw_tile_arch *arch, const tw__field *field, const tw__device_field *device,
                              const tw__state_value *value, uint8_t *at)
{
    tw_vector_form form = tw__state_form(field, device);
    uint32_t words[2] = { 0, 0 };
    tw_status status = TW_OK;
    switch (field->form) {
    case TW__STATE_PLAIN:
    case TW__STATE_OPAQUE:
        if (value->bytes) memcpy(at, value->bytes, device->size);
        return TW_OK;
    case TW__EDGE_SCALAR: put_pointer(at, value->address); return check_pointer(arch, field, value->address);
    case TW__STATE_VECTOR:
    case TW__EDGE_VECTOR: status = tw_vector_encode(arch, &form, value->address, value->count, words); break;
    case TW__EDGE_SCALARS: status = encode_scalars(arch, field, &form, value, words); break;
    case TW__EDGE_VECTORS:
        status = tw_rows_encode(arch, outer_of(field, device), &form, value->rows, value->row_count, value->table,
                                words, value->table_bytes);
        break;
    }
    tw_layout layout = (tw_layout)device->layout[0];
    if (status == TW_OK && tw_layout_get(layout)->bytes > device->size)
        return tw__fail(TW_E_OBJECT_LOAD, "%u bytes of state, %s needs %u", device->size,
                        tw_layout_get(layout)->name, tw_layout_get(layout)->bytes);
    if (status == TW_OK) tw_layout_store(layout, words, at);
    return status;
}

tw_status tw__state_image(const tw_tile_arch *arch, const tw__vertex_type *vt, const tw__device_vertex *device,
                          const tw__state_value *values, uint8_t *state)
{
    memset(state, 0, device->size);
    for (unsigned i = 0; i < vt->num_fields; i++) {
        const tw__device_field *at = &device->fields[i];
        if (!at->size) continue; /* not on this chip */
        tw_status status = encode_field(arch, &vt->fields[i], at, &values[i], state + at->offset);
        if (status != TW_OK) {
            char text[512];
            snprintf(text, sizeof text, "%s", tw_error_message());
            return tw__fail(status, "vertex %s, field '%s': %s", vt->name, vt->fields[i].name, text);
        }
    }
    return TW_OK;
}
