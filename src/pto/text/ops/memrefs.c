/* SPDX-License-Identifier: MIT */
/* memrefs: memrefs. In global memory they are strided views that know the memory behind them; on chip
 * (#pto.address_space<vec> and so on) they are tiles. Allocations live until the program ends, so that no view of
 * them can outlive them; memref.dealloc gives back tiles only. */
#include "pto/text/ops/ops.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_ALLOCATED = 1 << 28 }; /* bytes of a run */

struct tw__as_memory {
    struct tw__as_memory *next;
    max_align_t bytes[];
};

void tw__as_run_end(tw__as_run *run)
{
    for (struct tw__as_memory *m = run->memory, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    free(run->regions);
    run->regions = NULL;
    run->region_count = run->region_room = 0;
    free(run->peers);
    run->peers = NULL;
    run->peer_count = run->peer_room = 0;
    run->memory = NULL;
    run->memory_bytes = 0;
}

/* Row-major strides of a shape, or those that the type writes. `extent` has 5 entries, leading ones are 1. */
tw_status tw__as_memref_view(tw__as_cell *cell, const tw__as_type *type, const int64_t *extents, void *base,
                             size_t bytes)
{
    int64_t stride = 1, size = (int64_t)tw_type_size(type->element), most = 0;
    tw__as_set_wide(cell, TW__AS_MEMREF, type->rank);
    cell->wide->tensor =
        (tw_pto_tensor){ .type = type->element, .data = base, .window = { base, bytes ? bytes : 1 } };
    for (int d = 4; d >= 0; d--) {
        int i = d - (5 - (int)type->rank);
        int64_t extent = i < 0 ? 1 : extents[i], written = i >= 0 && type->strided ? type->strides[i] : -1;
        if (extent < 0 || extent > INT32_MAX)
            return tw__fail(TW_E_INVALID_ARGUMENT, "an extent of %" PRId64, extent);
        cell->wide->tensor.shape[d] = (size_t)extent;
        cell->wide->tensor.stride[d] = i < 0 ? 0 : written >= 0 ? (ptrdiff_t)written : (ptrdiff_t)stride;
        if (!tw__as_add_steps(&most, extent > 0 ? extent - 1 : 0, cell->wide->tensor.stride[d]) ||
            __builtin_mul_overflow(stride, extent ? extent : 1, &stride) || stride > (int64_t)1 << 40)
            return tw__fail(TW_E_OVERFLOW, "a memref of more than 2^40 elements");
    }
    cell->wide->tensor.data = (unsigned char *)base + (type->offset > 0 ? type->offset * size : 0);
    return (uint64_t)most < bytes / (size_t)size || stride == 0 || bytes == 0
               ? TW_OK
               : tw__fail(TW_E_INDEX, "the memref reaches %" PRId64 " elements, %zu bytes are behind it", most + 1,
                          bytes);
}

static tw_status run_alloc(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_type *type = code->types[0];
    int64_t extents[5] = { 0 }, count = 1;
    for (unsigned i = 0, k = 0; i < type->rank; i++) {
        extents[i] = type->dims[i] >= 0 ? type->dims[i] : tw__as_integer(tw__as_operand(run, code, k++));
        if (extents[i] < 0 || __builtin_mul_overflow(count, extents[i], &count) || count > MAX_ALLOCATED)
            return tw__fail(TW_E_NO_MEMORY, "%s: more than %d bytes", code->op->name, MAX_ALLOCATED);
    }
    size_t bytes = (size_t)count * tw_type_size(type->element);
    if (bytes > MAX_ALLOCATED - run->memory_bytes)
        return tw__fail(TW_E_NO_MEMORY, "%s: the program holds more than %d bytes", code->op->name, MAX_ALLOCATED);
    struct tw__as_memory *m = tw__calloc(1, sizeof *m + bytes + 1);
    if (!m) return tw__fail(TW_E_NO_MEMORY, "%s: no memory for %zu bytes", code->op->name, bytes);
    m->next = run->memory;
    run->memory = m;
    run->memory_bytes += bytes;
    return tw__as_memref_view(&run->cell[code->result[0]], type, extents, m->bytes, bytes);
}

static tw_status run_dealloc(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *cell = tw__as_operand(run, code, 0);
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_tile_free(run->core, &cell->wide->tile);
    return TW_OK;
}

static unsigned char *element(const tw__as_code *code, const tw__as_cell *m, const int64_t *index)
{
    const tw_pto_tensor *g = &m->wide->tensor;
    int64_t size = (int64_t)tw_type_size(g->type);
    int64_t from = (int64_t)((uintptr_t)g->data - (uintptr_t)g->window.base);
    bool fits = true; /* a place that 64 bits hold */
    for (unsigned i = 0; i < m->rank; i++) {
        unsigned d = 5 - m->rank + i;
        if (index[i] < 0 || (uint64_t)index[i] >= m->wide->tensor.shape[d]) {
            tw__fail(TW_E_INDEX, "%s: index %" PRId64 " of dimension %u is outside its extent %zu", code->op->name,
                     index[i], i, m->wide->tensor.shape[d]);
            return NULL;
        }
        fits = fits && tw__as_add_steps(&from, index[i], g->stride[d] * size);
    }
    if (fits && from >= 0 && (size_t)from + (size_t)size <= g->window.bytes)
        return (unsigned char *)(uintptr_t)g->window.base + from;
    tw__fail(TW_E_INDEX, "%s: the element lies outside the memory of the memref", code->op->name);
    return NULL;
}

static tw_status indexes(tw__as_run *run, const tw__as_code *code, unsigned first, const tw__as_cell *m,
                         int64_t *index)
{
    if (m->kind != TW__AS_MEMREF)
        return tw__fail(TW_E_TYPE, "%s: elements of tiles are reached with pto.tgetval and pto.tsetval",
                        code->op->name);
    if (code->more->parts[1] != m->rank)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: %u indexes for rank %u", code->op->name, code->more->parts[1],
                        m->rank);
    for (unsigned i = 0; i < m->rank; i++) index[i] = tw__as_integer(tw__as_operand(run, code, first + i));
    return TW_OK;
}

static tw_status run_load(tw__as_run *run, const tw__as_code *code)
{
    int64_t index[5];
    const tw__as_cell *m = tw__as_operand(run, code, 0);
    tw_status status = indexes(run, code, 1, m, index);
    const unsigned char *at = status == TW_OK ? element(code, m, index) : NULL;
    if (!at) return status == TW_OK ? TW_E_INDEX : status;
    tw_pto_scalar value = { .type = m->wide->tensor.type };
    memcpy(&value.bits, at, tw_type_size(value.type));
    tw__as_set_number(&run->cell[code->result[0]], TW__AS_SCALAR, value);
    return TW_OK;
}

static tw_status run_store(tw__as_run *run, const tw__as_code *code)
{
    int64_t index[5];
    const tw__as_cell *m = tw__as_operand(run, code, 1), *value = tw__as_operand(run, code, 0);
    tw_status status = indexes(run, code, 2, m, index);
    unsigned char *at = status == TW_OK ? element(code, m, index) : NULL;
    if (!at) return status == TW_OK ? TW_E_INDEX : status;
    if (value->scalar.type != m->wide->tensor.type)
        return tw__fail(TW_E_TYPE, "%s: value and memref differ in type", code->op->name);
    memcpy(at, &value->scalar.bits, tw_type_size(m->wide->tensor.type));
    return TW_OK;
}

/* memref.reinterpret_cast %m to offset: [o], sizes: [...], strides: [...] : T to T2 */
static tw_status run_reinterpret(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *from = tw__as_operand(run, code, 0);
    const tw__as_type *type = code->types[0];
    unsigned rank = code->more->parts[2];
    if (from->kind != TW__AS_MEMREF) return tw__fail(TW_E_TYPE, "%s: not in global memory", code->op->name);
    if (code->more->parts[1] != 1 || rank != type->rank || code->more->parts[3] != rank)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: one offset, %u sizes and as many strides are needed",
                        code->op->name, type->rank);
    tw_pto_tensor view = from->wide->tensor;
    int64_t offset = tw__as_integer(tw__as_operand(run, code, 1)), bytes;
    if (__builtin_mul_overflow(offset, (int64_t)tw_type_size(type->element), &bytes) || bytes < 0 ||
        (uint64_t)bytes > from->wide->tensor.window.bytes)
        return tw__fail(TW_E_INDEX, "%s: an offset of %" PRId64 " elements is outside the memory", code->op->name,
                        offset);
    for (unsigned d = 0; d < 5; d++) {
        int i = (int)d - (5 - (int)rank);
        int64_t extent = i < 0 ? 1 : tw__as_integer(tw__as_operand(run, code, 2 + (unsigned)i));
        int64_t stride = i < 0 ? 0 : tw__as_integer(tw__as_operand(run, code, 2 + rank + (unsigned)i));
        if (extent < 0 || extent > INT32_MAX || stride < -INT32_MAX || stride > INT32_MAX ||
            (i >= 0 && type->dims[i] >= 0 && type->dims[i] != extent) ||
            (i >= 0 && type->strided && type->strides[i] >= 0 && type->strides[i] != stride))
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: extent %" PRId64 " or stride %" PRId64 " of dimension %d",
                            code->op->name, extent, stride, i);
        view.shape[d] = (size_t)extent;
        view.stride[d] = (ptrdiff_t)stride;
    }
    view.type = type->element;
    view.data = (unsigned char *)from->wide->tensor.window.base + bytes; /* from the start of the memory */
    tw__as_set_wide(&run->cell[code->result[0]], TW__AS_MEMREF, rank)->tensor = view;
    return TW_OK;
}

/* Same memory; what the new type says more has to be true. */
static tw_status run_cast(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *from = tw__as_operand(run, code, 0);
    const tw_pto_tensor *view = &from->wide->tensor;
    const tw__as_type *type = code->types[0];
    if (from->kind != TW__AS_MEMREF || type->kind != TW__AS_MEMREF || type->rank != from->rank ||
        type->element != view->type)
        return tw__fail(TW_E_TYPE, "%s: rank, element type and memory stay", code->op->name);
    for (unsigned i = 0; i < from->rank; i++) {
        unsigned d = 5 - from->rank + i;
        if ((type->dims[i] >= 0 && (size_t)type->dims[i] != view->shape[d]) ||
            (type->strided && type->strides[i] >= 0 && type->strides[i] != view->stride[d]))
            return tw__fail(TW_E_TYPE, "%s: dimension %u is %zu with stride %td", code->op->name, i, view->shape[d],
                            view->stride[d]);
    }
    tw__as_copy(&run->cell[code->result[0]], from);
    return TW_OK;
}

static tw_status run_dim(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *m = tw__as_operand(run, code, 0);
    int64_t d = tw__as_integer(tw__as_operand(run, code, 1));
    if (m->kind != TW__AS_MEMREF || d < 0 || d >= (int64_t)m->rank)
        return tw__fail(TW_E_INDEX, "%s: no dimension %" PRId64, code->op->name, d);
    return tw__as_set_integer(run, code, (int64_t)m->wide->tensor.shape[5 - m->rank + (unsigned)d]);
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

/* One operand for each '?' of the type; on chip the code is that of pto.alloc_tile. */
static bool bind_alloc(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    unsigned dynamic = 0;
    if (!type->memref)
        return tw__as_refuse(b, NULL, op, "pto.type", "a memref is allocated, not %s", type->text), false;
    if (type->kind == TW__AS_TILE) return code->fn = tw__as_alloc_tile, true;
    for (unsigned i = 0; i < type->rank; i++) dynamic += type->dims[i] < 0;
    if (p->ins == dynamic) return true;
    return tw__as_refuse(b, NULL, op, "pto.operands", "%s: %u extents for %u '?' of the type", op->name, p->ins,
                         dynamic),
           false;
}

static bool bind_element(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                         tw__as_type *type)
{
    const tw__as_type *memref = p->in_types ? p->in_type[p->in_types - 1] : NULL;
    (void)code;
    if (!memref || !memref->memref)
        return tw__as_refuse(b, NULL, op, "pto.type", "%s: expected %%m[indexes] : memref<...>", op->name), false;
    char *text = tw__arena_strdup(b->m->arena, tw_type_name(memref->element, TW_SYSTEM_PTO));
    *type = (tw__as_type){ .kind = TW__AS_SCALAR, .element = memref->element, .text = text };
    return true;
}

static bool bind_target(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                        tw__as_type *type)
{
    (void)p;
    (void)code;
    if (type->kind == TW__AS_MEMREF) return true;
    return tw__as_refuse(b, NULL, op, "pto.type", "%s gives a memref in global memory, not %s", op->name,
                         type->text),
           false;
}

const tw__as_host tw__as_memref_ops[] = {
    // clang-format off
    { "memref.alloc", run_alloc, 0, TW__GIVES_LAST, 0, 5, "i", NULL, "", ".", bind_alloc, NULL,
      "%m = memref.alloc(%extents) : memref" },
    { "memref.alloca", run_alloc, 0, TW__GIVES_LAST, 0, 5, "i", NULL, "", ".", bind_alloc, NULL,
      "%m = memref.alloca(%extents) : memref" },
    { "memref.dealloc", run_dealloc, 0, TW__GIVES_NOTHING, 1, 1, "m", NULL, "", "0", NULL, NULL,
      "memref.dealloc %m : memref" },
    { "memref.load", run_load, 0, TW__GIVES_LAST, 1, 1, "mi", "", "", "0", bind_element, tw__as_rule_indexes,
      "%x = memref.load %m[%i] : memref" },
    { "memref.store", run_store, 0, TW__GIVES_NOTHING, 2, 2, "nmi", "", "", "1", NULL, tw__as_rule_indexes,
      "memref.store %x, %m[%i] : memref" },
    { "memref.reinterpret_cast", run_reinterpret, 0, TW__GIVES_TO, 1, 1, "mi", "offset 1;sizes ;strides ", "", "0", bind_target, NULL,
      "%r = memref.reinterpret_cast %m to offset: [%o], sizes: [...], strides: [...] : memref to memref" },
    { "memref.cast", run_cast, 0, TW__GIVES_TO, 1, 1, "m", NULL, "", "0", bind_target, NULL,
      "%r = memref.cast %m : memref to memref" },
    { "memref.dim", run_dim, 0, TW__GIVES_INDEX, 2, 2, "mi", NULL, "", "0", NULL, tw__as_rule_dimension,
      "%n = memref.dim %m, %dimension : memref" },
    { 0 }
    // clang-format on
};
