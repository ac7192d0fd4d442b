/* SPDX-License-Identifier: MIT */
/* split_to_vectors: what one kind of core of a block moves to the memories of the other: an
 * accumulator of the cube
 * core to one vector core's, or halves of its rows or columns to both; a tile of a vector core to L1 (A5). dst is a
 * tile of the
 * other core, which knows it by its address. */
#include "pto/pto.h"

bool tw__pto_has_mates(const tw_pto *core)
{
    return core->identity.kind == TW_PTO_CUBE && tw__pto_mate(core, 1);
}

tw_status tw__pto_split(tw__pto_call *call, const tw__plane *values)
{
    const tw_pto_tile *dst = tw__tile(call, 0);
    int32_t mode = call->attrs->acc_mode;
    int64_t address = tw_pto_address(call->core, dst);
    for (unsigned v = 0; v < 2; v++) {
        if (mode < 2 && v != (unsigned)mode) continue;
        tw_pto *mate = tw__pto_mate(call->core, 1 + v);
        if (!mate)
            return tw__pto_refuse(call, TW__NO_OPERAND, "move.split-cores", "the block has no vector core %u", v);
        tw__plane part = *values, packed;
        if (mode == 2) part = tw__plane_part(*values, v * (values->rows / 2), values->rows / 2, 0, values->cols);
        if (mode == 3) part = tw__plane_part(*values, 0, values->rows, v * (values->cols / 2), values->cols / 2);
        packed = tw__plane_new(call->core, part.type, part.rows, part.cols);
        if (!packed.at) return TW_E_NO_MEMORY;
        tw_status status = tw__plane_copy(&packed, &part);
        tw_pto_tile there = *dst;
        there.place = there.offset = there.base_rows = there.base_cols = 0;
        if (status == TW_OK) status = tw_pto_assign(mate, &there, (uint64_t)address);
        if (status != TW_OK) return status;
        status = tw_pto_write(mate, &there, packed.at, (size_t)part.rows * part.cols * tw_type_size(part.type));
        tw_pto_tile_free(mate, &there);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* The tile as it stands over there, with the values put in: boxes, and other vector cores' parts, stay whole. */
tw_status tw__pto_to_cube(tw__pto_call *call, const tw__plane *values, uint32_t row, uint32_t col)
{
    tw_pto_tile there = *tw__tile(call, 0);
    tw_pto *cube = tw__pto_mate(call->core, 0);
    size_t size = tw_type_size(there.type), bytes = (size_t)there.rows * there.cols * size;
    int64_t address = tw_pto_address(call->core, tw__tile(call, 0));
    if (tw__tile_nibbles(&there))
        return tw__pto_refuse(call, 0, "move.nibbles", "tiles of 4-bit elements do not go to the cube core's L1");
    tw__plane all = tw__plane_new(call->core, there.type, there.rows, there.cols);
    if (!all.at) return TW_E_NO_MEMORY;
    there.place = there.offset = there.base_rows = there.base_cols = 0;
    there.valid_rows = there.rows;
    there.valid_cols = there.cols;
    tw_status status = tw_pto_assign(cube, &there, (uint64_t)address);
    if (status != TW_OK) return status;
    status = tw_pto_read(cube, &there, all.at, bytes);
    tw__plane part = tw__plane_part(all, row, values->rows, col, values->cols);
    if (status == TW_OK) status = tw__plane_copy(&part, values);
    if (status == TW_OK) status = tw_pto_write(cube, &there, all.at, bytes);
    tw_pto_tile_free(cube, &there);
    return status;
}
