/* SPDX-License-Identifier: MIT */
/* Tables behind the fields of vertices: pointers of nested vectors, rows of VectorLists, data of vectors that are
 * plain state. */
#include "poplar/engine/place/place.h"

#include <string.h>

bool tw__placement_has_table(const tw__field *field)
{
    return field->form == TW__STATE_VECTOR || field->form == TW__EDGE_SCALARS || field->form == TW__EDGE_VECTORS;
}

size_t tw__placement_table(const tw__placement *p, const tw__field *field, const tw__device_field *device,
                           uint32_t rows, unsigned *align)
{
    size_t bytes = 0;
    *align = field->min_align ? field->min_align : 1;
    if (field->form == TW__STATE_VECTOR) return (size_t)rows * tw_target_type_size(p->target, field->type);
    if (device && device->size &&
        tw__state_table_bytes(&p->target->arch, field, device, rows, &bytes, align) == TW_OK)
        return bytes;
    *align = 4; /* the chip's layout is unknown: pointers */
    return (size_t)rows * 4;
}

void tw__placement_rows(const tw__core *core, const tw__vertex *v, uint32_t *rows)
{
    const tw__vertex_type *info = core->types[v->type].info;
    memset(rows, 0, info->num_fields * sizeof *rows);
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
        const tw__edge *edge = &core->edges[e];
        tw__field_form form = info->fields[edge->field].form;
        uint64_t end = form == TW__EDGE_SCALARS   ? edge->index + edge->count
                       : form == TW__EDGE_VECTORS ? edge->index + UINT64_C(1)
                                                  : 0;
        if (end > rows[edge->field]) rows[edge->field] = (uint32_t)end;
    }
    for (uint32_t i = v->first_value; i; i = core->values[i].next)
        if (info->fields[core->values[i].field].form == TW__STATE_VECTOR)
            rows[core->values[i].field] = core->values[i].count;
}
