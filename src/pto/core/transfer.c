/* SPDX-License-Identifier: MIT */
/* transfer: elements of tiles from and to memory of the host. */
#include "pto/pto.h"

/* The valid region, contiguous, in either direction: through the plane of a call that has one operand. */
static tw_status transfer(tw_pto *core, tw_pto_tile *tile, void *memory, size_t bytes, bool to_tile)
{
    if (!core || !memory) return tw__pto_given(NULL, core ? "memory" : "core");
    static const tw__pto_row whole = { .mnemonic = "tile", .form = "d", .operands = 1 };
    static const tw_pto_attrs none;
    tw_pto_operand operand = tw_pto_tile_operand(tile);
    tw__pto_call call = {
        .core = core, .target = core->target, .row = &whole, .operand = &operand, .attrs = &none, .count = 1
    };
    tw_status status = tw_pto_tile_check(tile);
    if (status == TW_OK && tw__tile_dynamic(tile))
        status = tw__fail(TW_E_INVALID_ARGUMENT, "the tile's valid extents have no values yet");
    if (status == TW_OK) status = tw__pto_bind(&call);
    if (status != TW_OK) return status;
    size_t size = tw_type_size(tile->type);
    uint32_t cols = tile->valid_cols, rows = tile->valid_rows;
    tw__plane inside = call.plane[0], boxed = inside;
    bool nibbles = tw__tile_nibbles(tile) && !inside.packed; /* in boxes: a plane of bytes */
    if (nibbles) inside = tw__nibble_pack(&call, &boxed, tile->type);
    if (nibbles && !inside.at) status = TW_E_NO_MEMORY;
    if (inside.packed) { /* whole bytes */
        inside.packed = false;
        inside.type = TW_U8;
        inside.cols = cols = (cols + 1) / 2;
        size = 1;
    }
    if (bytes != (size_t)rows * cols * size)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "a valid region of %u x %u has %zu bytes, not %zu", rows,
                          tile->valid_cols, (size_t)rows * cols * size, bytes);
    tw__plane outside = { .at = memory, .rows = rows, .cols = cols, .type = inside.type };
    outside.col = (ptrdiff_t)size;
    outside.row = (ptrdiff_t)(size * cols);
    if (status == TW_OK) status = to_tile ? tw__plane_copy(&inside, &outside) : tw__plane_copy(&outside, &inside);
    if (status == TW_OK && to_tile && nibbles) {
        inside.cols = tile->valid_cols;
        tw__nibble_unpack(&inside, &boxed);
    }
    if (status == TW_OK && to_tile) status = tw__pto_unbind(&call);
    tw__pto_drop_scratch(core);
    return status;
}

tw_status tw_pto_read(tw_pto *core, tw_pto_tile *tile, void *to, size_t bytes)
{
    return transfer(core, tile, to, bytes, false);
}

tw_status tw_pto_write(tw_pto *core, tw_pto_tile *tile, const void *from, size_t bytes)
{
    return transfer(core, tile, (void *)(uintptr_t)from, bytes, true);
}
