/* SPDX-License-Identifier: MIT */
/* Vertex tables: the JSON that the module writes and .gp files carry, as tw__vertex_type.
 *
 * A table from a .gp file is data of a stranger: every number is checked here, because graph and engine write vertex
 * state at the offsets it gives. */
#include "poplar/codelet/compile/compile.h"

#include <string.h>

enum { MAX_STATE = 1 << 20, MAX_FIELDS = 4096, MAX_NAME = 4096 };

static tw_status vertex_table_bad(const char *vertex, const char *what)
{
    return tw__fail(TW_E_OBJECT_LOAD, "bad vertex table: vertex '%s': %s", vertex, what);
}

static bool find_word(const char *word, const char *const *words, size_t count, unsigned *index)
{
    for (size_t i = 0; word && i < count; i++)
        if (strcmp(word, words[i]) == 0) return *index = (unsigned)i, true;
    return false;
}

static bool layout_by_name(const char *name, tw__vector_layout *layout)
{
    for (int i = TW__LAYOUT_NONE + 1; name && i < TW__LAYOUT_COUNT; i++)
        if (strcmp(name, tw__vector_layout_name((tw__vector_layout)i)) == 0)
            return *layout = (tw__vector_layout)i, true;
    return false;
}

/* An integer member within [low, high]. */
static bool vertex_table_number(const json_t *object, const char *key, json_int_t low, json_int_t high, size_t *out)
{
    const json_t *item = json_object_get(object, key);
    json_int_t value = json_integer_value(item);
    if (!json_is_integer(item) || value < low || value > high) return false;
    *out = (size_t)value;
    return true;
}

static const char *vertex_table_text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value && *value && strlen(value) <= MAX_NAME ? value : NULL;
}

/* Guide 4.1.3: the declared alignment or the layout's default, never less than the element. */
static unsigned min_align(size_t declared, tw__vector_layout layout, tw_type type)
{
    static const unsigned defaults[TW__LAYOUT_COUNT] = {
        [TW__LAYOUT_SCALED_PTR32] = 4, [TW__LAYOUT_SCALED_PTR64] = 8, [TW__LAYOUT_SCALED_PTR128] = 16
    };
    size_t align = declared ? declared : defaults[layout];
    size_t size = tw_type_size(type);
    return (unsigned)(align > size ? align : size);
}

bool tw__field_is_long(const tw__field *f)
{
    bool is_int = f->type == TW_INT || f->type == TW_UNSIGNED_INT;
    return f->form == TW__STATE_PLAIN && is_int && f->host_size == f->count * sizeof(int64_t);
}

/* Bytes of a field in the host's vertex state; 0 = any (opaque). */
static size_t host_bytes(const tw__field *f, tw__half_variant variant)
{
    size_t size = f->type == TW_HALF && variant == TW__HALF_FLOAT ? sizeof(float) : tw_type_size(f->type);
    switch (f->form) {
    case TW__STATE_PLAIN: return size * f->count;
    case TW__STATE_OPAQUE: return 0;
    case TW__STATE_VECTOR:
    case TW__EDGE_VECTOR: return sizeof(tw_host_span);
    case TW__EDGE_SCALAR: return sizeof(void *);
    case TW__EDGE_SCALARS: return sizeof(tw_host_edges);
    case TW__EDGE_VECTORS: return sizeof(tw_host_rows);
    }
    return 0;
}

static tw_status read_layouts(const json_t *item, const char *vertex, tw__field *f)
{
    static const unsigned levels[] = {
        [TW__STATE_PLAIN] = 0, [TW__STATE_OPAQUE] = 0, [TW__STATE_VECTOR] = 1, [TW__EDGE_SCALAR] = 0,
        [TW__EDGE_VECTOR] = 1, [TW__EDGE_SCALARS] = 1, [TW__EDGE_VECTORS] = 2
    };
    const json_t *layouts = json_object_get(item, "layout");
    unsigned wanted = f->form == TW__EDGE_VECTORS && f->is_list ? 1 : levels[f->form];
    if (json_array_size(layouts) != wanted)
        return vertex_table_bad(vertex, "a field with the wrong number of layouts");
    for (unsigned i = 0; i < wanted; i++) {
        const char *name = json_string_value(json_array_get(layouts, i));
        if (!layout_by_name(name, &f->layout[i]) || (f->is_list && f->layout[i] < TW__LAYOUT_ONE_PTR) ||
            (!f->is_list && f->layout[i] > TW__LAYOUT_COMPACT_PTR)) {
            g_autofree char *message = g_strdup_printf("field '%s': '%s' is not a layout of a %s", f->name,
                                                       name ? name : "?", f->is_list ? "VectorList" : "Vector");
            return vertex_table_bad(vertex, message);
        }
    }
    static const unsigned ranks[] = { 0, 0, 1, 0, 1, 1, 2 };
    f->rank = ranks[f->form];
    return TW_OK;
}

static tw_status read_field(tw__arena *arena, const json_t *item, const tw__vertex_type *vt,
                            tw__half_variant variant, tw__field *f)
{
    static const char *const directions[] = { "state", "input", "output", "inout" };
    static const char *const forms[] = { "state_plain", "state_opaque", "state_vector", "edge_scalar",
                                         "edge_vector", "edge_scalars", "edge_vectors" };
    const char *name = vertex_table_text(item, "name"), *type = json_string_value(json_object_get(item, "type"));
    unsigned direction, form;
    size_t align, count;
    if (!name || !find_word(json_string_value(json_object_get(item, "direction")), directions, 4, &direction) ||
        !find_word(json_string_value(json_object_get(item, "form")), forms, 7, &form) ||
        !vertex_table_number(item, "min_align", 0, 1 << 16, &align) ||
        !vertex_table_number(item, "count", 1, MAX_STATE, &count) ||
        !vertex_table_number(item, "offset", 0, MAX_STATE, &f->host_offset) ||
        !vertex_table_number(item, "size", 0, MAX_STATE, &f->host_size) || (align & (align - 1)) != 0)
        return vertex_table_bad(vt->name, "an incomplete field");
    f->direction = (tw__direction)direction;
    f->form = (tw__field_form)form;
    if ((f->form >= TW__EDGE_SCALAR) != (f->direction != TW__STATE))
        return vertex_table_bad(vt->name, "a field with a wrong direction");
    f->type = f->form == TW__STATE_OPAQUE || !type ? TW_TYPE_NONE : tw_type_by_name(type);
    if (f->form != TW__STATE_OPAQUE && f->type == TW_TYPE_NONE)
        return vertex_table_bad(vt->name, "a field of unknown type");
    f->interleaved = json_is_true(json_object_get(item, "interleaved"));
    f->is_list = json_is_true(json_object_get(item, "list"));
    f->count = f->form == TW__STATE_PLAIN ? (unsigned)count : 1;
    if (f->form == TW__STATE_OPAQUE && type && !(f->type_text = tw__arena_strdup(arena, type)))
        return tw__fail(TW_E_NO_MEMORY, "out of memory");
    if (!(f->name = tw__arena_strdup(arena, name))) return tw__fail(TW_E_NO_MEMORY, "out of memory");
    tw_status status = read_layouts(item, vt->name, f);
    if (status != TW_OK) return status;
    tw__vector_layout inner = f->layout[f->layout[1] != TW__LAYOUT_NONE];
    f->min_align = min_align(align, inner, f->type);
    size_t expected = host_bytes(f, variant);
    if (tw__field_is_long(f)) expected = f->host_size;
    if ((expected && expected != f->host_size) || f->host_offset + f->host_size > vt->host_size)
        return vertex_table_bad(vt->name, "a field of impossible size");
    return TW_OK;
}

static tw_status read_constraints(tw__arena *arena, const json_t *vertex, tw__vertex_type *vt)
{
    const json_t *list = json_object_get(vertex, "constraints");
    size_t count = json_array_size(list);
    if (count > MAX_FIELDS) return vertex_table_bad(vt->name, "too many constraints");
    const char **texts = TW__NEW_N(arena, const char *, count ? count : 1);
    tw__constraint *resolved = TW__NEW_N(arena, tw__constraint, count ? count : 1);
    if (!texts || !resolved) return tw__fail(TW_E_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const char *constraint = json_string_value(json_array_get(list, i));
        if (!constraint) return vertex_table_bad(vt->name, "a constraint that is no text");
        if (!(texts[i] = tw__arena_strdup(arena, constraint))) return tw__fail(TW_E_NO_MEMORY, "out of memory");
        tw__constraint_problem problem;
        if (tw__constraint_parse(vt, texts[i], &resolved[i], &problem)) continue;
        return tw__fail(TW_E_OBJECT_LOAD, "bad vertex table: vertex '%s': constraint \"%.200s\", character %zu: %s",
                        vt->name, texts[i], problem.offset + 1, problem.message);
    }
    vt->constraints = texts;
    vt->placed_apart = resolved;
    vt->num_constraints = (unsigned)count;
    return TW_OK;
}

static tw_status read_vertex(tw__arena *arena, const json_t *vertex, tw__half_variant variant, const char *origin,
                             tw__vertex_type *vt)
{
    static const char *const kinds[] = { "Vertex", "MultiVertex", "SupervisorVertex" };
    const char *name = vertex_table_text(vertex, "name");
    unsigned kind;
    if (!name) return tw__fail(TW_E_OBJECT_LOAD, "bad vertex table: a vertex without a name");
    const json_t *fields = json_object_get(vertex, "fields");
    size_t count = json_array_size(fields);
    if (!find_word(json_string_value(json_object_get(vertex, "kind")), kinds, 3, &kind) ||
        !vertex_table_number(vertex, "size", 0, MAX_STATE, &vt->host_size) ||
        !vertex_table_number(vertex, "align", 1, 4096, &vt->host_align) ||
        (vt->host_align & (vt->host_align - 1)) != 0 || !json_is_array(fields) || count > MAX_FIELDS)
        return vertex_table_bad(name, "its kind, size or fields are missing");
    g_autofree char *canonical = tw__vertex_canonical_name(name), *symbol = tw__mangle(name);
    tw__field *items = TW__NEW_N(arena, tw__field, count ? count : 1);
    vt->name = tw__arena_strdup(arena, canonical);
    vt->symbol = tw__arena_strdup(arena, symbol);
    vt->origin = tw__arena_strdup(arena, origin);
    if (!items || !vt->name || !vt->symbol || !vt->origin) return tw__fail(TW_E_NO_MEMORY, "out of memory");
    vt->kind = (tw__vertex_kind)kind;
    const json_int_t line = json_integer_value(json_object_get(vertex, "computeLine"));
    vt->line = line > 0 && line < INT32_MAX ? (unsigned)line : 0;
    vt->is_external = json_is_true(json_object_get(vertex, "external"));
    vt->has_entry = json_integer_value(json_object_get(vertex, "compute")) >= 0;
    vt->fields = items;
    vt->num_fields = (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        tw_status status = read_field(arena, json_array_get(fields, i), vt, variant, &items[i]);
        if (status != TW_OK) return status;
        for (size_t k = 0; k < i; k++)
            if (strcmp(items[k].name, items[i].name) == 0)
                return vertex_table_bad(vt->name, "two fields of one name");
    }
    return read_constraints(arena, vertex, vt);
}

tw_status tw__table_read(tw__arena *arena, const json_t *table, tw__half_variant variant, const char *origin,
                         GPtrArray *types)
{
    const json_t *vertices = json_object_get(table, "vertices");
    if (!json_is_array(vertices)) return tw__fail(TW_E_OBJECT_LOAD, "bad vertex table: no list of vertices");
    for (size_t i = 0; i < json_array_size(vertices); i++) {
        tw__vertex_type *vt = TW__NEW(arena, tw__vertex_type);
        if (!vt) return tw__fail(TW_E_NO_MEMORY, "out of memory");
        tw_status status = read_vertex(arena, json_array_get(vertices, i), variant, origin, vt);
        if (status != TW_OK) return status;
        g_ptr_array_add(types, vt);
    }
    return TW_OK;
}

/* --- chips ------------------------------------------------------------------------------------------------- */

tw__vector_layout tw__layout_resolve(tw__vector_layout layout, unsigned align, tw__arch arch)
{
    bool mk1 = arch == TW__ARCH_IPU1;
    if (layout == TW__LAYOUT_COMPACT_DELTAN) return mk1 ? TW__LAYOUT_DELTAN : TW__LAYOUT_DELTANELEMENTS;
    if (layout != TW__LAYOUT_COMPACT_PTR) return layout;
    if (align >= 16) return TW__LAYOUT_SCALED_PTR128;
    if (mk1 && align >= 8) return TW__LAYOUT_SCALED_PTR64;
    if (mk1 && align >= 4) return TW__LAYOUT_SCALED_PTR32;
    return TW__LAYOUT_ONE_PTR;
}

static const json_t *vertex_table_by_name(const json_t *list, const char *name, bool canonical)
{
    size_t index;
    json_t *item;
    json_array_foreach((json_t *)list, index, item)
    {
        const char *other = json_string_value(json_object_get(item, "name"));
        if (!other) continue;
        g_autofree char *plain = canonical ? tw__vertex_canonical_name(other) : NULL;
        if (strcmp(plain ? plain : other, name) == 0) return item;
    }
    return NULL;
}

tw_status tw__table_read_one(tw__arena *arena, const json_t *table, size_t k, tw__half_variant variant,
                             tw__vertex_type *vt)
{
    const json_t *list = json_object_get(table, "vertices"), *vertex = json_array_get(list, k);
    const char *name = json_string_value(json_object_get(vertex, "name"));
    g_autofree char *canonical = tw__vertex_canonical_name(name ? name : "");
    if (strcmp(canonical, vt->name) != 0) vertex = vertex_table_by_name(list, vt->name, true);
    if (!vertex) return vertex_table_bad(vt->name, "it is in the index and not in the table");
    tw__vertex_type read = { .index = vt->index };
    tw_status status = read_vertex(arena, vertex, variant, vt->origin, &read);
    if (status == TW_OK) *vt = read;
    return status;
}

/* Tables of archives made before this member was written do not have it: what offset and vertex allow. */
static uint32_t field_align(const json_t *item, uint32_t offset, uint32_t vertex)
{
    size_t align;
    if (vertex_table_number(item, "align", 1, vertex, &align) && !(align & (align - 1)) && offset % align == 0)
        return (uint32_t)align;
    for (align = 1; align < vertex && !(offset & align); align *= 2) {
    }
    return (uint32_t)align;
}

tw__device_vertex *tw__table_read_device(tw__arena *arena, const json_t *table, const tw__vertex_type *vt,
                                         tw__arch arch)
{
    const json_t *vertex = vertex_table_by_name(json_object_get(table, "vertices"), vt->name, true);
    size_t size, align;
    if (!vertex || !vertex_table_number(vertex, "size", 0, MAX_STATE, &size) ||
        !vertex_table_number(vertex, "align", 1, 4096, &align)) {
        tw__fail(TW_E_UNKNOWN_VERTEX_TYPE, "vertex '%s' of '%s' does not exist for %s", vt->name, vt->origin,
                 tw__arch_name(arch));
        return NULL;
    }
    tw__device_vertex *out = TW__NEW(arena, tw__device_vertex);
    tw__device_field *fields = TW__NEW_N(arena, tw__device_field, vt->num_fields ? vt->num_fields : 1);
    if (!out || !fields) {
        tw__fail(TW_E_NO_MEMORY, "out of memory");
        return NULL;
    }
    const json_t *items = json_object_get(vertex, "fields");
    for (unsigned i = 0; i < vt->num_fields; i++) {
        const tw__field *f = &vt->fields[i];
        const json_t *item = vertex_table_by_name(items, f->name, false);
        size_t offset, bytes;
        if (!item || !vertex_table_number(item, "offset", 0, MAX_STATE, &offset) ||
            !vertex_table_number(item, "size", 0, MAX_STATE, &bytes))
            continue;
        if (offset + bytes > size || (f->form == TW__EDGE_SCALAR && bytes && bytes < 4)) {
            vertex_table_bad(vt->name, "a field that does not lie in its state on the chip");
            return NULL;
        }
        tw__field here = *f; /* what the class says on the chip: it may choose by VECTOR_AVAIL_... */
        if (read_layouts(item, vt->name, &here) != TW_OK) return NULL;
        fields[i].offset = (uint32_t)offset;
        fields[i].size = (uint32_t)bytes;
        /* Rows of an outer level are pointers and counts of 4 bytes; the declared alignment is that of the data. */
        bool nested = f->layout[1] != TW__LAYOUT_NONE || f->form == TW__EDGE_SCALARS;
        fields[i].layout[0] = tw__layout_resolve(here.layout[0], nested ? 4 : f->min_align, arch);
        if (here.layout[1]) fields[i].layout[1] = tw__layout_resolve(here.layout[1], f->min_align, arch);
        for (unsigned k = 0; k < 2; k++) fields[i].compact[k] = here.layout[k] == TW__LAYOUT_COMPACT_PTR;
        fields[i].align = field_align(item, fields[i].offset, (uint32_t)align);
    }
    GArray *notes = tw__stack_notes_of(table);
    *out = (tw__device_vertex){ (uint32_t)size, (uint32_t)align, fields,
                                json_is_true(json_object_get(vertex, "external")),
                                tw__stack_bytes_of(notes, vt->symbol) };
    g_array_free(notes, TRUE);
    return out;
}
