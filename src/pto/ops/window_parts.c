/* SPDX-License-Identifier: MIT */
/* window_parts: two forms that the documents name without operands. What is here is estimated:
 * TEXTRACT of two
 * windows gives both at once, in the boxes that the cube reads; TINSERT cuts its transfer in two or four groups of
 * boxes, which is a matter of speed. */
#include "pto/pto.h"

static bool is_nz(const tw_pto_tile *t)
{
    return t->blayout == TW_PTO_COL_MAJOR && t->slayout == TW_PTO_BOX_ROW && t->fractal != 1024 && t->fractal != 32;
}

/* Operands: destinations, source, corner of the first window, of the second. */
tw_status tw__pto_check_extract2(tw__pto_call *call)
{
    enum { SOURCE = 2, CORNERS = 3 };
    const tw_pto_tile *src = tw__tile(call, SOURCE);
    if (src->location != TW_PTO_VEC || tw__tile_boxed(src) || src->blayout != TW_PTO_ROW_MAJOR)
        return tw__pto_refuse(call, SOURCE, "extract.nd",
                              "the source is row-major and not boxed, in vector memory");
    for (unsigned i = 0; i < SOURCE; i++) {
        const tw_pto_tile *dst = tw__tile(call, i);
        bool l1 = dst->location == TW_PTO_MAT && call->target != TW_PTO_A2A3;
        if (dst->type != src->type)
            return tw__pto_refuse(call, i, "type.same", "destination %u is %s and must be %s, as the source", i + 1,
                                  tw_type_name(dst->type, TW_SYSTEM_PTO), tw_type_name(src->type, TW_SYSTEM_PTO));
        if (!is_nz(dst) || (dst->location != TW_PTO_VEC && !l1) || dst->location != tw__tile(call, 0)->location)
            return tw__pto_refuse(call, i, "extract.nz", "both destinations have Nz boxes, in vector memory%s",
                                  call->target == TW_PTO_A2A3 ? "" : " or both in L1");
        tw_status status = tw__pto_check_window(call, CORNERS + 2 * i, dst, src);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw_status tw__pto_run_extract2(tw__pto_call *call)
{
    tw__plane all = tw__plane_physical(call, 2);
    tw_status status = TW_OK;
    for (unsigned i = 0; i < 2 && status == TW_OK; i++) {
        const tw__plane *dst = &call->plane[i];
        uint32_t row = (uint32_t)call->operand[3 + 2 * i].scalar.bits,
                 col = (uint32_t)call->operand[4 + 2 * i].scalar.bits;
        tw__plane part = tw__plane_part(all, row, dst->rows, col, dst->cols);
        status = tw__plane_copy(dst, &part);
    }
    return status;
}

tw_status tw__pto_check_insert_split(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    uint32_t parts = call->attrs->insert_split == 2 ? 4 : 2, rows, cols;
    if (!call->attrs->insert_split) return TW_OK;
    if (src->location != TW_PTO_VEC || dst->location != TW_PTO_MAT || !is_nz(src) || !is_nz(dst))
        return tw__pto_refuse(call, 1, "insert.split", "a transfer is split from Nz boxes in vector memory to L1");
    tw_pto_box(src, &rows, &cols);
    if (src->valid_cols != TW_PTO_DYNAMIC && src->valid_cols % (parts * cols))
        return tw__pto_refuse(call, 1, "insert.split", "%u columns are not %u groups of boxes of %u columns",
                              src->valid_cols, parts, cols);
    return TW_OK;
}
