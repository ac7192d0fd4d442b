/* SPDX-License-Identifier: MIT */
/* Which elements of which variables a tensor consists of, and what else a variable tells of a view. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

#define GETTER(name, tensor, result)                                          \
    TW__ENTER_GETTER(graph, result);                                          \
    const tw__node *name = tw__node_get(graph->core, tensor, "the argument"); \
    if (!name) return result

/* --- regions -------------------------------------------------------------------------------------------------- */

/* Pieces that are contiguous in one variable, merged as far as they touch. */
typedef struct pieces {
    tw_variable_region *out;
    size_t room, n;
    tw_variable_region now; /* in progress */
} pieces;

static void close_piece(pieces *p)
{
    if (p->now.elements.begin == p->now.elements.end) return;
    if (p->n < p->room) p->out[p->n] = p->now;
    p->n++;
    p->now.elements.begin = p->now.elements.end;
}

static void add_piece(pieces *p, uint32_t var, uint64_t offset, uint64_t count)
{
    uint64_t length = p->now.elements.end - p->now.elements.begin;
    if (length && (p->now.variable != var || p->now.offset + length != offset)) close_piece(p);
    if (p->now.elements.begin == p->now.elements.end) p->now.variable = var, p->now.offset = offset;
    p->now.elements.end += count;
}

size_t tw_tensor_variable_regions(const tw_graph *graph, tw_tensor tensor, tw_variable_region *regions, size_t room)
{
    GETTER(t, tensor, 0);
    const tw__regions *list = tw__node_regions(graph->core, t);
    if (!list) return 0;
    pieces p = { .out = regions, .room = room };
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; tw__region_walk_next(&walk, &e);) {
        if (e.stride == 1)
            add_piece(&p, e.var, e.offset, e.count);
        else
            for (uint64_t i = 0; i < e.count; i++) add_piece(&p, e.var, e.offset + i * (uint64_t)e.stride, 1);
    }
    close_piece(&p);
    return p.n;
}

size_t tw_tensor_contiguous_regions(const tw_graph *graph, tw_tensor tensor, tw_interval *regions, size_t room)
{
    size_t n = tw_tensor_variable_regions(graph, tensor, NULL, 0);
    if (!room || !n) return n;
    tw_variable_region *all = calloc(n, sizeof *all);
    if (!all) {
        tw__graph_no_memory(graph->core);
        return 0;
    }
    tw_tensor_variable_regions(graph, tensor, all, n);
    for (size_t i = 0; i < n && i < room; i++) regions[i] = all[i].elements;
    free(all);
    return n;
}

/* --- variables ------------------------------------------------------------------------------------------------ */

static const tw__variable *variable(const tw_graph *graph, uint32_t id)
{
    tw__core *core = graph->core;
    if (id < core->var_count) return &core->vars[id];
    tw__graph_fail(core, TW_E_INDEX, "the graph has no variable %u", id);
    return NULL;
}

tw_tensor tw_graph_get_variable(tw_graph *graph, uint32_t id)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    return variable(graph, id) ? tw__variable_tensor(graph->core, id) : TW__NIL_TENSOR;
}

bool tw_graph_variable_is_constant(const tw_graph *graph, uint32_t id)
{
    TW__ENTER_GETTER(graph, false);
    const tw__variable *v = variable(graph, id);
    return v && v->is_constant;
}

const char *tw_graph_variable_name(const tw_graph *graph, uint32_t id)
{
    TW__ENTER_GETTER(graph, "");
    const tw__variable *v = variable(graph, id);
    return v ? v->name : "";
}

/* --- values of constants -------------------------------------------------------------------------------------- */

/* Value of elements [first, first + count) of a constant when they are all the same bits. */
static bool one_value(const tw__variable *v, uint64_t first, uint64_t count, const void **value)
{
    const tw__initial *initial = v->initial;
    if (!initial || initial->next || initial->replica || initial->type != v->type)
        return false; /* constants have one list of values */
    size_t size = tw_type_get(v->type)->size;
    const char *values = initial->values;
    *value = initial->broadcast ? values : values + first * size;
    for (uint64_t i = 1; !initial->broadcast && i < count; i++)
        if (memcmp(*value, values + (first + i) * size, size) != 0) return false;
    return true;
}

static double variable_regions_number(tw_type type, const void *value)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v = { 0 };
    memcpy(&v, value, tw_type_get(type)->size);
    switch (type) {
    case TW_I8: return v.i8;
    case TW_I16: return v.i16;
    case TW_U16: return v.u16;
    case TW_I32: return v.i32;
    case TW_U32: return v.u32;
    case TW_I64: return (double)v.i64;
    case TW_U64: return (double)v.u64;
    case TW_F16: return tw_f16_to_f32(v.u16);
    case TW_F32: return v.f32;
    case TW_F64: return v.f64;
    default: return v.u8; /* bool, unsigned char */
    }
}

bool tw__constant_element(const tw__core *core, uint32_t var, uint64_t element, double *value)
{
    const tw__variable *v = &core->vars[var];
    const tw__initial *initial = v->initial;
    if (!v->is_constant || !initial || initial->next || initial->replica)
        return false; /* constants have one list of values */
    const char *values = initial->values;
    *value = variable_regions_number(initial->type, values + (initial->broadcast ? 0 : element) *
                                                                 tw_type_get(initial->type)->size);
    return true;
}

bool tw_tensor_constant_value(const tw_graph *graph, tw_tensor tensor, double *value)
{
    GETTER(t, tensor, false);
    tw__core *core = graph->core;
    const tw__regions *list = tw__node_regions(core, t);
    if (!list || !list->count) return false;
    const void *common = NULL;
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; tw__region_walk_next(&walk, &e);) {
        const tw__variable *v = &core->vars[e.var];
        if (!v->is_constant || v->type != t->t.type) return false;
        bool is_run = e.stride == 1;
        for (uint64_t i = 0; i < (is_run ? 1 : e.count); i++) {
            const void *here;
            if (!one_value(v, e.offset + i * (uint64_t)e.stride, is_run ? e.count : 1, &here)) return false;
            if (common && memcmp(common, here, tw_type_get(v->type)->size) != 0) return false;
            common = here;
        }
    }
    *value = variable_regions_number(t->t.type, common);
    return true;
}
