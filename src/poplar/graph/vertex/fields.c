/* SPDX-License-Identifier: MIT */
/* Sizes of vector fields and initial values of plain state. */
#include "poplar/graph/replicas.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sizes ---------------------------------------------------------------------------------------------------- */

static size_t size_at(const tw__core *core, uint32_t vertex, unsigned field)
{
    size_t low = 0, high = core->size_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct tw__field_size *s = &core->sizes[mid];
        if (s->vertex < vertex || (s->vertex == vertex && s->field < field))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool tw__field_size_find(const tw__core *core, uint32_t vertex, unsigned field, uint64_t *size)
{
    if (!core->size_count || core->sizes[core->size_count - 1].vertex < vertex) return false;
    size_t i = size_at(core, vertex, field);
    if (i == core->size_count || core->sizes[i].vertex != vertex || core->sizes[i].field != field) return false;
    *size = core->sizes[i].size;
    return true;
}

bool tw__field_size_set(tw__core *core, uint32_t vertex, unsigned field, uint64_t size)
{
    size_t i = size_at(core, vertex, field);
    if (i < core->size_count && core->sizes[i].vertex == vertex && core->sizes[i].field == field) {
        core->sizes[i].size = size;
        return true;
    }
    if (!tw__grow(&core->sizes, &core->size_room, core->size_count, sizeof *core->sizes))
        return tw__graph_no_memory(core);
    memmove(&core->sizes[i + 1], &core->sizes[i], (core->size_count - i) * sizeof *core->sizes);
    core->sizes[i] = (struct tw__field_size){ vertex, field, size, 0 };
    core->size_count++;
    return true;
}

bool tw__field_index_new(tw__core *core, uint32_t vertex, unsigned field, uint64_t index, bool connected)
{
    size_t i = size_at(core, vertex, field);
    if (i == core->size_count || core->sizes[i].vertex != vertex || core->sizes[i].field != field) return false;
    bool fresh = index >= core->sizes[i].next;
    if (fresh && connected) core->sizes[i].next = index + 1;
    return fresh;
}

/* --- values --------------------------------------------------------------------------------------------------- */

static uint32_t find_value(const tw__core *core, uint32_t vertex, unsigned field)
{
    uint32_t i = core->vertices[vertex].first_value;
    while (i && core->values[i].field != field) i = core->values[i].next;
    return i;
}

/* Bytes of one element of a field in the host state: half is a float in a set of TW__HALF_FLOAT (docs/decisions.md,
 * G3). */
static size_t element_bytes(const tw__core *core, tw_type type)
{
    if (type == TW_HALF && tw__codelets_variant(core->codelets) == TW__HALF_FLOAT) return sizeof(float);
    return tw_type_size(type);
}

/* New or changed value of `bytes` bytes; the data pointer to fill, or NULL with an error and nothing changed. */
static void *put_value(tw__core *core, uint32_t vertex, unsigned field, uint32_t count, size_t bytes)
{
    void *data = NULL;
    if (bytes > UINT32_MAX || (bytes > 8 && !(data = tw__arena_alloc(core->arena, bytes, 16)))) {
        tw__graph_no_memory(core);
        return NULL;
    }
    uint32_t i = find_value(core, vertex, field);
    if (!i) {
        if (core->value_count >= UINT32_MAX ||
            !tw__grow(&core->values, &core->value_room, core->value_count, sizeof *core->values)) {
            tw__graph_no_memory(core);
            return NULL;
        }
        i = (uint32_t)core->value_count++;
        core->values[i] = (tw__field_value){ .next = core->vertices[vertex].first_value, .field = (uint16_t)field };
        core->vertices[vertex].first_value = i;
    }
    tw__field_value *v = &core->values[i];
    v->count = count;
    v->bytes = (uint32_t)bytes;
    if (data)
        v->u.data = data;
    else
        memset(v->u.inline_bytes, 0, sizeof v->u.inline_bytes);
    return data ? data : v->u.inline_bytes;
}

/* Largest finite magnitude that rounds into the type: half rounds 65519.99 to 65504. */
static double float_limit(tw_type type)
{
    if (type == TW_HALF) return 65520.0;
    if (type == TW_FLOAT) return 0x1.ffffffp127;
    return INFINITY;
}

static bool misfit(const tw__core *core, tw_type type, double value, const char *field, const char *owner,
                   const char *why)
{
    return tw__graph_fail(core, TW_E_OVERFLOW, "value %.17g does not fit %s field '%s' of %s%s", value,
                          tw_type_name(type, TW_SYSTEM_POPLAR), field, owner, why);
}

/* NULL: the value fits; or what the message ends with. */
static const char *real_misfit(tw_type type, double value)
{
    const tw_type_info *info = tw_type_get(type);
    switch (info->kind) {
    case TW_KIND_BOOL: return value == 0 || value == 1 ? NULL : ": it must be 0 or 1";
    case TW_KIND_INT:
    case TW_KIND_UINT: {
        double top = ldexp(1, (int)info->bits - info->is_signed), low = info->is_signed ? -top : 0;
        if (value != floor(value)) return ": it must be a whole number";
        return value >= low && value < top ? NULL : "";
    }
    default: return !isfinite(value) || fabs(value) < float_limit(type) ? NULL : "";
    }
}

static const char *int_misfit(tw_type type, int64_t value)
{
    const tw_type_info *info = tw_type_get(type);
    if ((info->kind != TW_KIND_INT && info->kind != TW_KIND_UINT) || info->bits < 53)
        return real_misfit(type, (double)value);
    return info->is_signed || value >= 0 ? NULL : "";
}

bool tw__value_fits(const tw__core *core, tw_type type, double value, const char *field, const char *owner)
{
    const char *why = real_misfit(type, value);
    return !why || misfit(core, type, value, field, owner, why);
}

/* A negative int for an unsigned field of the same width keeps its bits, as it does in C++ (PopLibs' loop counters
 * count down by an unsigned increment of -1). */
static int64_t unsigned_bits(tw_type type, int64_t value)
{
    const tw_type_info *info = tw_type_get(type);
    bool wraps = info->kind == TW_KIND_UINT && info->bits == 32 && value < 0 && value >= INT32_MIN;
    return wraps ? (int64_t)(uint32_t)value : value;
}

/* One checked element into host state layout. */
static void fields_store(const tw__core *core, tw_type type, void *to, double value)
{
    tw__number_store(element_bytes(core, type) == tw_type_size(type) ? type : TW_FLOAT, to, value);
}

const tw__field *tw__state_field(tw__core *core, tw_vertex vertex, const char *name, bool many, unsigned *field)
{
    char text[TW__TEXT_BYTES];
    int64_t index;
    if (!tw__vertex_get(core, vertex)) return NULL;
    const tw__field *f = tw__field_get(core, vertex.id, name, field, &index);
    if (!f) return NULL;
    bool numbers = many || (f->form != TW__STATE_OPAQUE && f->form != TW__STATE_VECTOR && f->count == 1);
    if (f->direction == TW__STATE && index < 0 && numbers) return tw__late_value_drop(core, vertex.id, *field), f;
    tw__vertex_text(core, vertex.id, text, sizeof text); /* takes longer than all the rest */
    if (f->direction != TW__STATE)
        tw__graph_fail(core, TW_E_CONNECTION,
                       "field '%s' of %s is an edge: connect a tensor, or tw_graph_connect_constant() for a number",
                       name, text);
    else if (index >= 0)
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                       "field '%s' of %s: elements of state are set together, with tw_graph_set_field_values()",
                       name, text);
    else if (f->form == TW__STATE_OPAQUE)
        tw__graph_fail(core, TW_E_TYPE,
                       "field '%s' of %s is not a number: set its %zu bytes with tw_graph_set_field_values()", name,
                       text, f->host_size);
    else
        tw__graph_fail(core, TW_E_TYPE,
                       "field '%s' of %s has several elements: set them with tw_graph_set_field_values()", name,
                       text);
    return NULL;
}

static void put_real(tw__core *core, uint32_t vertex, unsigned index, const tw__field *f, const char *name,
                     double value)
{
    char text[TW__TEXT_BYTES];
    const char *why = real_misfit(f->type, value);
    if (why) misfit(core, f->type, value, name, tw__vertex_text(core, vertex, text, sizeof text), why);
    void *to = why ? NULL : put_value(core, vertex, index, 1, element_bytes(core, f->type));
    if (to) fields_store(core, f->type, to, value);
}

static void put_int(tw__core *core, uint32_t vertex, unsigned index, const tw__field *f, const char *name,
                    int64_t value)
{
    char text[TW__TEXT_BYTES];
    value = unsigned_bits(f->type, value);
    const char *why = int_misfit(f->type, value);
    if (why) misfit(core, f->type, (double)value, name, tw__vertex_text(core, vertex, text, sizeof text), why);
    size_t bytes = element_bytes(core, f->type);
    void *to = why ? NULL : put_value(core, vertex, index, 1, bytes);
    if (!to) return;
    tw_type_kind kind = tw_type_get(f->type)->kind;
    if (kind == TW_KIND_INT || kind == TW_KIND_UINT)
        memcpy(to, &value, bytes); /* little endian: the low bytes */
    else
        fields_store(core, f->type, to, (double)value);
}

void tw__field_put(tw__core *core, uint32_t vertex, unsigned index, const tw_field_number *number)
{
    const tw__field *f = &tw__vertex_info(core, &core->vertices[vertex])->fields[index];
    if (number->is_integer)
        put_int(core, vertex, index, f, f->name, number->integer);
    else
        put_real(core, vertex, index, f, f->name, number->real);
}

void tw_graph_set_field(tw_graph *graph, tw_vertex vertex, const char *field, double value)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(graph, i, one, tw_graph_set_field(one, tw__replica_vertex(graph, vertex, i), field, value));
    unsigned index;
    const tw__field *f = tw__state_field(graph->core, vertex, field, false, &index);
    if (f) put_real(graph->core, vertex.id, index, f, field, value);
}

void tw_graph_set_field_int(tw_graph *graph, tw_vertex vertex, const char *field, int64_t value)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(graph, i, one,
                     tw_graph_set_field_int(one, tw__replica_vertex(graph, vertex, i), field, value));
    unsigned index;
    const tw__field *f = tw__state_field(graph->core, vertex, field, false, &index);
    if (f) put_int(graph->core, vertex.id, index, f, field, value);
}

/* count elements of `type` into the field's type; with `check` nothing is written, but all must fit. */
static bool convert(const tw__core *core, const tw__field *f, uint8_t *to, tw_type type, size_t count,
                    const uint8_t *from, const char *name, const char *owner, bool check)
{
    size_t size = tw_type_size(type), own = element_bytes(core, f->type);
    if (type == f->type && own == size) {
        if (!check && count) memcpy(to, from, count * size);
        return true;
    }
    bool whole = type == TW_LONGLONG || type == TW_UNSIGNED_LONGLONG;
    for (size_t i = 0; i < count; i++) {
        double value = tw_type_load(type, from + i * size);
        if (check && !tw__value_fits(core, f->type, value, name, owner)) return false;
        if (check) continue;
        if (whole && own == 8)
            memcpy(to + i * own, from + i * size, 8);
        else
            fields_store(core, f->type, to + i * own, value);
    }
    return true;
}

void tw_graph_set_field_values(tw_graph *graph, tw_vertex vertex, const char *field, tw_type type, size_t count,
                               const void *values)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(
        graph, i, one,
        tw_graph_set_field_values(one, tw__replica_vertex(graph, vertex, i), field, type, count, values));
    tw__core *core = graph->core;
    unsigned index;
    char text[TW__TEXT_BYTES];
    const tw__field *f = tw__state_field(core, vertex, field, true, &index);
    if (!f) return;
    tw__vertex_text(core, vertex.id, text, sizeof text);
    uint64_t want = f->form == TW__STATE_OPAQUE ? f->host_size : f->count, size = tw_type_size(type);
    bool sized = f->form != TW__STATE_VECTOR || tw__field_size_find(core, vertex.id, index, &want);
    if (!size || tw_type_get(type)->is_complex || (f->form == TW__STATE_OPAQUE && type != TW_UNSIGNED_CHAR)) {
        tw__graph_fail(core, TW_E_TYPE, "field '%s' of %s cannot be set from elements of type %s", field, text,
                       tw_type_name(type, TW_SYSTEM_POPLAR));
    } else if (sized && count != want) {
        tw__graph_fail(core, TW_E_NO_SIZE, "wrong size: field '%s' of %s has %llu %s, %zu are given", field, text,
                       (unsigned long long)want, f->form == TW__STATE_OPAQUE ? "bytes" : "elements", count);
    } else if (count && !values) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the values of field '%s' of %s are NULL", field, text);
    } else if (f->form == TW__STATE_OPAQUE) {
        void *to = put_value(core, vertex.id, index, 1, count);
        if (to && count) memcpy(to, values, count);
    } else if (convert(core, f, NULL, type, count, values, field, text, true)) {
        size_t bytes;
        if (count > UINT32_MAX || !tw__mul_size(count, element_bytes(core, f->type), &bytes)) {
            tw__graph_no_memory(core);
            return;
        }
        void *to = put_value(core, vertex.id, index, f->form == TW__STATE_VECTOR ? (uint32_t)count : 1, bytes);
        if (to) convert(core, f, to, type, count, values, field, text, false);
    }
}

/* --- field sizes ---------------------------------------------------------------------------------------------- */

void tw_graph_set_field_size(tw_graph *graph, tw_vertex vertex, const char *field, size_t size)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(graph, i, one,
                     tw_graph_set_field_size(one, tw__replica_vertex(graph, vertex, i), field, size));
    tw__core *core = graph->core;
    unsigned index;
    int64_t element;
    char text[TW__TEXT_BYTES];
    if (!tw__vertex_get(core, vertex)) return;
    const tw__field *f = tw__field_get(core, vertex.id, field, &index, &element);
    if (!f) return;
    tw__vertex_text(core, vertex.id, text, sizeof text);
    bool vector = f->form == TW__STATE_VECTOR || f->form == TW__EDGE_VECTOR || f->form == TW__EDGE_SCALARS ||
                  f->form == TW__EDGE_VECTORS;
    if (element >= 0 || !vector) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "field '%s' of %s is not a vector: its size is fixed", field,
                       text);
        return;
    }
    bool list = f->form == TW__EDGE_SCALARS || f->form == TW__EDGE_VECTORS;
    for (uint32_t e = core->vertices[vertex.id].first_edge; e; e = core->edges[e].next) {
        const tw__edge *edge = &core->edges[e];
        if (edge->field != index) continue;
        uint64_t last = edge->index + (f->form == TW__EDGE_SCALARS ? edge->count : 1);
        if (!list)
            tw__graph_fail(core, TW_E_CONNECTION, "field '%s' of %s is already connected: its size is known", field,
                           text);
        else if (last > size)
            tw__graph_fail(core, TW_E_CONNECTION, "field '%s' of %s is already connected up to element %llu", field,
                           text, (unsigned long long)last - 1);
        if (!list || last > size) return;
    }
    if (f->form == TW__STATE_VECTOR) {
        /* State of that size, all zero until values are given. */
        size_t bytes;
        void *to = NULL;
        if (size > UINT32_MAX || !tw__mul_size(size, element_bytes(core, f->type), &bytes) || bytes > UINT32_MAX) {
            tw__graph_no_memory(core);
            return;
        }
        if (tw__field_size_set(core, vertex.id, index, size))
            to = put_value(core, vertex.id, index, (uint32_t)size, bytes);
        if (to && bytes) memset(to, 0, bytes);
        return;
    }
    tw__field_size_set(core, vertex.id, index, size);
}

/* Elements or sub-vectors that a field has by now; false when that is not known yet. */
bool tw__field_size_now(const tw__core *core, uint32_t vertex, unsigned field, uint64_t *size)
{
    const tw__field *f = &tw__vertex_info(core, &core->vertices[vertex])->fields[field];
    uint32_t value = find_value(core, vertex, field);
    *size = f->count;
    if (f->form == TW__STATE_PLAIN || f->form == TW__STATE_OPAQUE || f->form == TW__EDGE_SCALAR) return true;
    if (tw__field_size_find(core, vertex, field, size)) return true;
    *size = value ? core->values[value].count : 0;
    if (f->form == TW__STATE_VECTOR) return value != 0;
    bool any = false;
    for (uint32_t e = core->vertices[vertex].first_edge; e; e = core->edges[e].next) {
        if (core->edges[e].field != field) continue;
        any = true;
        /* Vector<Input<T>>: one edge of n elements, or an edge for each of them. */
        *size += f->form == TW__EDGE_VECTORS ? 1 : core->edges[e].count;
    }
    return any;
}

size_t tw_graph_get_field_size(tw_graph *graph, tw_vertex vertex, const char *field)
{
    TW__ENTER(graph, 0);
    tw__core *core = graph->core;
    unsigned index;
    int64_t element;
    uint64_t size;
    char text[TW__TEXT_BYTES];
    if (!tw__vertex_get(core, vertex)) return 0;
    const tw__field *f = tw__field_get(core, vertex.id, field, &index, &element);
    if (!f) return 0;
    if (tw__field_size_now(core, vertex.id, index, &size)) return size;
    tw__graph_fail(core, TW_E_NO_SIZE,
                   "field '%s' of %s has no size: neither connected nor set by tw_graph_set_field_size()", field,
                   tw__vertex_text(core, vertex.id, text, sizeof text));
    return 0;
}

bool tw_graph_has_field(const tw_graph *graph, tw_vertex vertex, const char *field)
{
    TW__ENTER_GETTER(graph, false);
    const tw__core *core = graph->core;
    if (!field || !vertex.id || vertex.id >= core->vertex_count) return false;
    const tw__vertex_type *info = tw__vertex_info(core, &core->vertices[vertex.id]);
    for (unsigned i = 0; i < info->num_fields; i++)
        if (strcmp(info->fields[i].name, field) == 0) return true;
    return false;
}

/* --- limits --------------------------------------------------------------------------------------------------- */

static unsigned log2_of(unsigned value)
{
    unsigned n = 0;
    while (value > 1) value >>= 1, n++;
    return n;
}

/* COMPACT_PTR by guide table 4.2, COMPACT_DELTAN by guide 4.3.2 and docs/decisions.md, M1; others stay. */
tw__vector_layout tw__layout_on(const tw_target *target, tw__vector_layout layout, unsigned align)
{
    bool mk1 = target->kind != TW_TARGET_CPU && target->chip == TW_MK1;
    if (layout == TW__LAYOUT_COMPACT_DELTAN) return mk1 ? TW__LAYOUT_DELTAN : TW__LAYOUT_DELTANELEMENTS;
    if (layout != TW__LAYOUT_COMPACT_PTR) return layout;
    if (align >= 16) return TW__LAYOUT_SCALED_PTR128;
    if (!mk1 || align < 4) return TW__LAYOUT_ONE_PTR;
    return align == 4 ? TW__LAYOUT_SCALED_PTR32 : TW__LAYOUT_SCALED_PTR64;
}

/* Guide 4.2 and 4.3: the bits of the count in each layout. A bare pointer has none, so anything goes. */
static uint64_t layout_limit(tw__vector_layout layout, unsigned align, bool sub_vector)
{
    switch (layout) {
    case TW__LAYOUT_SHORT_SPAN: return (1u << 11) - 1;
    case TW__LAYOUT_DELTAN: return sub_vector ? (1u << 14) - 1 : (1u << 12) - 1;
    case TW__LAYOUT_DELTANELEMENTS: return sub_vector ? (1u << (11 + log2_of(align))) - 1 : (1u << 16) - 1;
    default: return UINT32_MAX;
    }
}

uint64_t tw__field_limit(const tw__core *core, const tw__field *f, unsigned dim)
{
    return layout_limit(tw__layout_on(core->target, f->layout[f->is_list ? 0 : dim], f->min_align), f->min_align,
                        f->is_list && dim == 1);
}

/* A field by the names of its vertex type and its own; NULL with the graph's error. */
static const tw__field *fields_field_of(tw_graph *graph, const char *vertex_type, const char *field)
{
    tw__core *core = graph->core;
    int64_t type = tw__type_entry(core, vertex_type);
    if (type < 0) return NULL;
    const tw__vertex_type *info = core->types[type].info;
    const tw__field *f = field ? tw__vertex_field(info, field) : NULL;
    if (f) return f;
    char hint[TW__HINT_BYTES];
    const char *near = field ? tw__vertex_suggest_field(info, field) : NULL;
    tw__graph_fail(core, TW_E_UNKNOWN_FIELD, "unknown field '%s' of vertex type %s%s", field ? field : "",
                   info->name, tw__did_you_mean(hint, near));
    return NULL;
}

uint64_t tw_graph_max_field_dim(tw_graph *graph, const char *vertex_type, const char *field, unsigned dim)
{
    TW__ENTER(graph, 0);
    const tw__field *f = fields_field_of(graph, vertex_type, field);
    if (!f) return 0;
    if (dim >= f->rank) {
        tw__graph_fail(graph->core, TW_E_INDEX,
                       "dimension %u of field '%s' of vertex type %s is out of range: it has %u", dim, field,
                       vertex_type, f->rank);
        return 0;
    }
    return tw__field_limit(graph->core, f, dim);
}

double tw_graph_max_field_value(tw_graph *graph, const char *vertex_type, const char *field)
{
    TW__ENTER(graph, 0);
    const tw__field *f = fields_field_of(graph, vertex_type, field);
    if (!f) return 0;
    const tw_type_info *type = tw_type_get(f->type);
    switch (type->kind) {
    case TW_KIND_BOOL: return 1;
    case TW_KIND_INT: return ldexp(1, (int)type->bits - 1) - 1;
    case TW_KIND_UINT: return ldexp(1, (int)type->bits) - 1;
    case TW_KIND_FLOAT: return f->type == TW_F16 ? 65504 : f->type == TW_F32 ? FLT_MAX : DBL_MAX;
    default: break;
    }
    tw__graph_fail(graph->core, TW_E_TYPE, "field '%s' of vertex type %s has no greatest value", field,
                   vertex_type);
    return 0;
}
