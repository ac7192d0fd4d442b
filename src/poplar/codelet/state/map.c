/* SPDX-License-Identifier: MIT */
/* State maps for people (tilewright/poplar/vertex_state.h): every vertex of a file with its fields, holes and
 * encodings on a chip. */
#include "poplar/codelet/state/state.h"

#include <glib.h>
#include <string.h>
#include <tilewright/poplar/vertex_state.h>

struct tw_state_map {
    tw__arena *arena;
    tw__codelets *set; /* names and constraints are its */
    tw_state_vertex *vertices;
    size_t count;
};

static const char *const directions[] = {
    [TW__STATE] = "", [TW__INPUT] = "Input", [TW__OUTPUT] = "Output", [TW__INOUT] = "InOut"
};
static const char *const kinds[] = {
    [TW__VERTEX] = "Vertex", [TW__MULTIVERTEX] = "MultiVertex", [TW__SUPERVISOR] = "SupervisorVertex"
};

static char *type_text(tw__arena *arena, const tw__field *f, uint32_t bytes)
{
    const char *type = tw_type_name(f->type, TW_SYSTEM_POPLAR);
    switch (f->form) {
    case TW__STATE_OPAQUE:
        return f->type_text ? tw__arena_strdup(arena, f->type_text) : tw__arena_printf(arena, "%u bytes", bytes);
    case TW__STATE_PLAIN:
        return f->count == 1 ? tw__arena_strdup(arena, type) : tw__arena_printf(arena, "%s[%u]", type, f->count);
    case TW__EDGE_SCALAR: return tw__arena_strdup(arena, type);
    case TW__STATE_VECTOR:
    case TW__EDGE_VECTOR: return tw__arena_printf(arena, "Vector<%s>", type);
    case TW__EDGE_SCALARS: return tw__arena_printf(arena, "Vector<%s *>", type);
    case TW__EDGE_VECTORS:
        return tw__arena_printf(arena, f->is_list ? "VectorList<%s>" : "Vector<Vector<%s>>", type);
    }
    return NULL;
}

static bool is_vector(const tw__field *f)
{
    return f->form != TW__STATE_PLAIN && f->form != TW__STATE_OPAQUE && f->form != TW__EDGE_SCALAR;
}

/* NULL members mean that memory ran out; the caller checks. */
static tw_state_field map_describe(tw__arena *arena, const tw__field *f, const tw__device_field *d)
{
    char text[256] = "", outer[128];
    tw_vector_form form = tw__state_form(f, d);
    tw_state_field out = { .name = f->name,
                           .offset = d->offset,
                           .size = d->size,
                           .direction = directions[f->direction],
                           .type = type_text(arena, f, d->size),
                           .layout = "",
                           .encoding = f->form == TW__EDGE_SCALAR ? "pointer [31:0]" : "" };
    if (!is_vector(f)) return out;
    const char *name = tw_layout_get((tw_layout)d->layout[0])->name;
    bool nested = f->form == TW__EDGE_VECTORS && !f->is_list;
    out.layout = nested ? tw__arena_printf(arena, "%s of %s", name, tw_layout_get(form.layout)->name) : name;
    tw_layout_describe(&form, text, sizeof text);
    if (nested) {
        form.layout = (tw_layout)d->layout[0];
        out.encoding = tw__arena_printf(arena, "%s; row: %s", tw_layout_describe(&form, outer, sizeof outer), text);
    } else {
        out.encoding = tw__arena_strdup(arena, text);
    }
    out.min_align = f->min_align;
    out.interleaved = f->interleaved;
    return out;
}

static tw_state_field hole(uint32_t offset, uint32_t end)
{
    return (tw_state_field){ .name = "(padding)",
                             .offset = offset,
                             .size = end - offset,
                             .direction = "",
                             .type = "",
                             .layout = "",
                             .encoding = "" };
}

static bool fill_vertex(tw_state_map *map, const tw__vertex_type *vt, const tw__device_vertex *device,
                        tw_state_vertex *out)
{
    tw_state_field *fields = TW__NEW_N(map->arena, tw_state_field, 2 * (size_t)vt->num_fields + 1);
    uint32_t at = 0;
    size_t count = 0;
    if (!fields) return false;
    for (unsigned i = 0; i < vt->num_fields; i++) {
        const tw__device_field *d = &device->fields[i];
        if (!d->size) continue;
        if (d->offset > at) fields[count++] = hole(at, d->offset);
        fields[count] = map_describe(map->arena, &vt->fields[i], d);
        if (!fields[count].type || !fields[count].layout || !fields[count].encoding) return false;
        count++;
        if (d->offset + d->size > at) at = d->offset + d->size;
    }
    if (device->size > at) fields[count++] = hole(at, device->size);
    *out = (tw_state_vertex){ .name = vt->name,
                              .symbol = vt->symbol,
                              .kind = kinds[vt->kind],
                              .size = device->size,
                              .align = device->align,
                              .fields = fields,
                              .field_count = count,
                              .constraints = vt->constraints,
                              .constraint_count = vt->num_constraints };
    return true;
}

tw_state_map *tw_state_map_read(const char *path, const char *chip, const char *flags, tw_diags *diags)
{
    tw__arch arch;
    if (!tw__arch_by_name(chip, &arch))
        return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is not an IPU: mk1, mk2 and ipu21 are", chip), NULL);
    tw_state_map *map = g_new0(tw_state_map, 1);
    map->arena = tw__arena_new(0);
    map->set = tw__codelets_new(TW__HALF_F16);
    tw_status status = map->arena && map->set ? TW_OK : tw__fail(TW_E_NO_MEMORY, "out of memory");
    if (status == TW_OK) status = tw__codelets_add_file(map->set, path, TW__CODELET_AUTO, flags, diags);
    size_t count = status == TW_OK ? tw__codelets_count(map->set) : 0;
    if (count && !(map->vertices = TW__NEW_N(map->arena, tw_state_vertex, count)))
        status = tw__fail(TW_E_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        const tw__vertex_type *vt = tw__codelets_get(map->set, i);
        const tw__device_vertex *device = vt ? tw__codelets_device(map->set, vt, arch) : NULL;
        if (!vt)
            status = TW_E_OBJECT_LOAD; /* the message is there */
        else if (!device)
            status = TW_E_COMPILATION; /* the message is there */
        else if (!fill_vertex(map, vt, device, &map->vertices[map->count++]))
            status = tw__fail(TW_E_NO_MEMORY, "out of memory");
    }
    if (status != TW_OK) tw_state_map_free(map);
    return tw__made(status, map);
}

void tw_state_map_free(tw_state_map *map)
{
    if (!map) return;
    tw__codelets_free(map->set);
    tw__arena_free(map->arena);
    g_free(map);
}

size_t tw_state_map_count(const tw_state_map *map)
{
    if (!map) return 0;
    return map->count;
}

const tw_state_vertex *tw_state_map_get(const tw_state_map *map, size_t index)
{
    if (!map) return NULL;
    return index < map->count ? &map->vertices[index] : NULL;
}
