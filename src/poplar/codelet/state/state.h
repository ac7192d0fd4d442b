/* SPDX-License-Identifier: MIT */
/* codelet: the bytes of one vertex's state on a chip, from its metadata and the addresses of what it points to. */
#ifndef TW_CODELET_STATE_H
#define TW_CODELET_STATE_H

#include <tilewright/tile/layout.h>
#include "poplar/codelet/codelet.h"

/* What one field of one instance holds, by its form. All zero: nothing, encoded as zeros. */
typedef struct tw__state_value {
    const void *bytes;       /* TW__STATE_PLAIN, TW__STATE_OPAQUE: the field's bytes as on the chip; NULL = zeros */
    uint32_t address, count; /* TW__EDGE_SCALAR (address), TW__EDGE_VECTOR, TW__STATE_VECTOR; count in elements */
    const tw_row *rows;      /* TW__EDGE_VECTORS; TW__EDGE_SCALARS: address of each */
    uint32_t row_count;
    uint32_t table;       /* address of the table behind a two-dimensional field */
    uint8_t *table_bytes; /* where that table's bytes are written: tw__state_table_bytes() of them */
} tw__state_value;

/* Size and alignment of the table behind a field with `rows` rows; 0 bytes for fields without one. */
tw_status tw__state_table_bytes(const tw_tile_arch *arch, const tw__field *field, const tw__device_field *device,
                                uint32_t rows, size_t *bytes, unsigned *align);

/* Writes the state (device->size bytes, padding zero) and the tables. values[i] belongs to vt->fields[i]. A message
 * names the field, the layout and the limit. */
tw_status tw__state_image(const tw_tile_arch *arch, const tw__vertex_type *vt, const tw__device_vertex *device,
                          const tw__state_value *values, uint8_t *state);

/* Form of the innermost data of a vector field, with its layout resolved. */
tw_vector_form tw__state_form(const tw__field *field, const tw__device_field *device);

#endif
