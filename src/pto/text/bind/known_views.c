/* SPDX-License-Identifier: MIT */
/* known views: extents and strides of views as far as constants and types tell them, for checks before a run. */
#include "pto/text/bind/bind.h"

enum { MAX_NESTING = 64 }; /* views of views that are looked through */

/* Where the operands of the operation that made a value of this kind have what the view is: the first extent, and the
 * first stride, or 0 when strides are those of operand 0. */
typedef struct parts {
    unsigned extents, strides;
} parts;

static parts parts_of(const tw__as_code *maker)
{
    unsigned rank = maker->more->parts[2];
    switch (maker->types[0]->kind) {
    case TW__AS_VIEW: return (parts){ 1, 1 + rank };   /* pto.make_tensor_view: pointer, shape, strides */
    case TW__AS_PART: return (parts){ 1 + rank, 0 };   /* pto.partition_view: view, offsets, sizes */
    case TW__AS_MEMREF: return (parts){ 2, 2 + rank }; /* memref.reinterpret_cast: memref, offset, sizes, strides */
    default: return (parts){ 0 };
    }
}

/* A stride that is not known is as good as any that is not 0. */
static ptrdiff_t stride_of(const tw__as_binder *b, uint32_t slot, unsigned d)
{
    for (unsigned depth = 0; depth < MAX_NESTING; depth++) {
        const tw__as_code *maker = tw__as_maker(b, slot);
        parts at = maker ? parts_of(maker) : (parts){ 0 };
        if (at.strides) {
            const int64_t *stride = tw__as_known_number(b, maker->operand[at.strides + d]);
            return stride ? (ptrdiff_t)*stride : 1;
        }
        if (!at.extents) break;
        slot = maker->operand[0];
    }
    return 1;
}

tw_pto_tensor tw__as_known_view(const tw__as_binder *b, uint32_t slot)
{
    tw_pto_tensor view = { 0 };
    const tw__as_type *type = b->f->slot_type[slot];
    const tw__as_code *maker = tw__as_maker(b, slot);
    parts at = maker ? parts_of(maker) : (parts){ 0 };
    unsigned rank = at.extents ? maker->more->parts[2] : 0;
    if (!rank || rank > 5) return view;
    for (unsigned d = 0; d < 5 - rank; d++) view.shape[d] = 1;
    for (unsigned d = 0; d < rank; d++) {
        const int64_t *known = tw__as_known_number(b, maker->operand[at.extents + d]);
        int64_t extent = known ? *known : type->rank == rank ? type->dims[d] : -1;
        if (extent < 0) return (tw_pto_tensor){ 0 };
        view.shape[5 - rank + d] = (size_t)extent;
        view.stride[5 - rank + d] = stride_of(b, slot, d);
    }
    return view;
}
