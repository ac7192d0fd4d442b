/* SPDX-License-Identifier: MIT */
/* A vertex state with COMPACT_PTR as the assembly of PopLibs reads it, whatever the alignment: as with one of 8,
 * SCALED_PTR64 on Mk1 and 32 bits on Mk2. Where the pointer grows, the fields behind it move as the ABI says. */
#include "poplar/codelet/compile/compile.h"
#include <tilewright/tile/layout.h>

#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static uint32_t as_poplibs(tw__device_field *f, tw__arch arch)
{
    for (unsigned k = 0; k < 2; k++)
        if (f->compact[k] && f->layout[k] == TW__LAYOUT_SCALED_PTR128)
            f->layout[k] = tw__layout_resolve(TW__LAYOUT_COMPACT_PTR, 8, arch);
    const tw_layout_info *info = tw_layout_get((tw_layout)f->layout[0]);
    if (f->compact[0] && f->size < info->bytes) f->size = info->bytes, f->align = info->align;
    return f->align;
}

tw__device_vertex *tw__device_as_poplibs(tw__arena *arena, const tw__device_vertex *device, unsigned count,
                                         tw__arch arch)
{
    tw__device_vertex *out = TW__NEW(arena, tw__device_vertex);
    tw__device_field *fields = TW__NEW_N(arena, tw__device_field, count ? count : 1);
    if (!out || !fields) {
        tw__fail(TW_E_NO_MEMORY, "out of memory");
        return NULL;
    }
    *out = *device, out->fields = fields;
    if (count) memcpy(fields, device->fields, count * sizeof *fields);
    uint64_t old_end = 0, end = 0; /* of the fields so far */
    for (unsigned i = 0; i < count; i++) {
        tw__device_field *f = &fields[i];
        if (!f->size) continue;
        uint64_t natural = tw__align_up(old_end, f->align), old = f->offset; /* what lies between stays */
        uint64_t between = old > natural ? old - natural : 0;
        old_end = old + f->size;
        uint32_t align = as_poplibs(f, arch);
        end = tw__align_up(end + between, align);
        f->offset = (uint32_t)end, end += f->size;
        if (align > out->align) out->align = align;
        if (end > MOST_BYTES) {
            tw__fail(TW_E_OBJECT_LOAD, "a vertex state of more than %d bytes", MOST_BYTES);
            return NULL;
        }
    }
    if (end != old_end) out->size = (uint32_t)tw__align_up(end, out->align);
    return out;
}
