/* split: an accumulator of a cube core goes to the vector memories of its block: to one vector core's, or halves of its rows
 * or columns to both (spec pto.md 2.3, 3.7). dst is a tile of the vector cores; they know it by its address. */
#include "pto/blocks.h"

bool tw__pto_has_mates(const tw_pto *core)
{
    return core->seat && core->seat->identity.kind == TW_PTO_CUBE && tw__pto_mate(core, 1);
}

bool tw__pto_is_part(const tw_pto *core)
{
    return core->seat && core->seat->identity.kind != TW_PTO_WHOLE;
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
        tw_status status = tw__plane_copy(call, &packed, &part);
        tw_pto_tile there = *dst;
        there.place = there.offset = there.base_rows = there.base_cols = 0;
        if (status == TW_OK) status = tw_pto_assign(mate, &there, (uint64_t)address);
        if (status != TW_OK) return status;
        status = tw_pto_write(mate, &there, packed.at, (size_t)part.rows * part.cols * tw_type_size(part.type));
        tw_pto_release(mate, &there);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}
