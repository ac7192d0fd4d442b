/* SPDX-License-Identifier: MIT */
/* generate: tiles from nothing but scalars. TCI, TEXPANDS, TTRI, TRANDOM. */
#include "pto/pto.h"

/* TCI: row 0 alone is written, its length is the number of valid columns, valid rows are not looked at. The
 * document's condition is on the physical width: Cols != 1. */
tw_status tw__pto_check_iota(tw__pto_call *call)
{
    if (tw__tile(call, 0)->cols == 1)
        return tw__pto_refuse(call, 0, "tci.cols", "Cols must not be 1: a sequence lies along a row");
    return TW_OK;
}

tw_status tw__pto_run_iota(tw__pto_call *call)
{
    static const uint64_t by[2] = { 1, UINT64_MAX }; /* of any size: the lowest bytes come first */
    const tw__plane *dst = &call->plane[0];
    tw__plane planes[] = { *dst, call->plane[1], call->plane[1] };
    planes[2].at = (unsigned char *)(uintptr_t)&by[call->attrs->descending != 0];
    const tw_type types[] = { dst->type, dst->type, dst->type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, TW_VEC_IOTA, types, NULL);
    if (!k) return tw__pto_refuse(call, TW__NO_OPERAND, "type.kernel", "%s", tw_error_message());
    if (call->seen && call->count == 2 && dst->rows == 1) { /* the third operand stays as it is set here */
        tw__pto_remember_kernel(call, k, true);
        call->seen->run[2] = (tw_run){ planes[2].at, 0, dst->cols };
    }
    return tw__planes(call, k, 1, dst->cols, planes, 3);
}

/* TEXPANDS: the valid region in vector memory, all of the tile in L1, the elements of a ConvTile.
 * */
tw_status tw__pto_check_fill(tw__pto_call *call)
{
    enum { MOST_BLOCKS = 32767 };
    const tw_pto_tile *dst = tw__tile(call, 0);
    if (dst->location == TW_PTO_VEC && !dst->conv) return tw__pto_check_row_major(call, 0);
    if (dst->location != TW_PTO_MAT && dst->location != TW_PTO_VEC)
        return tw__pto_refuse(call, 0, "location.fill", "dst lies in vector memory or L1");
    if (dst->conv && call->target == TW_PTO_A2A3)
        return tw__pto_refuse(call, 0, "conv.fill", "A2/A3 fill no ConvTiles; TLOAD can");
    size_t blocks = (dst->conv ? dst->valid_cols * tw_type_size(dst->type) : tw_pto_tile_bytes(dst)) / 32;
    if (blocks < 1 || blocks > MOST_BLOCKS)
        return tw__pto_refuse(call, 0, "fill.blocks", "%zu blocks of 32 bytes; 1 to %d are possible", blocks,
                              MOST_BLOCKS);
    return TW_OK;
}

tw_status tw__pto_run_fill(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 0);
    tw__plane dst = t->location == TW_PTO_MAT && !t->conv ? tw__plane_physical(call, 0) : call->plane[0];
    return tw__plane_fill(call, &dst, call->plane[1].at);
}

static int64_t generate_integer(const tw_pto_operand *o)
{
    const tw_type_info *info = tw_type_get(o->scalar.type);
    unsigned unused = info->size && info->size < 8 ? 64 - 8 * info->size : 0;
    return info->is_signed ? (int64_t)(o->scalar.bits << unused) >> unused : (int64_t)o->scalar.bits;
}

/* TTRI: lower, ones where j <= i + d; upper, zeros where j < i + d. */
tw_status tw__pto_check_triangle(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}

tw_status tw__pto_run_triangle(tw__pto_call *call)
{
    tw__plane dst = call->plane[0];
    tw_pto_scalar zero = tw_pto_scalar_of(dst.type, 0), one = tw_pto_scalar_of(dst.type, 1);
    int64_t diagonal = generate_integer(&call->operand[1]);
    bool upper = call->attrs->upper != 0;
    if (diagonal > INT32_MAX || diagonal < INT32_MIN) diagonal = diagonal > 0 ? INT32_MAX : INT32_MIN;
    for (uint32_t r = 0; r < dst.rows; r++) {
        int64_t split = (int64_t)r + diagonal + (upper ? 0 : 1); /* columns left of it are ones (lower) or zeros */
        uint32_t left = split < 0 ? 0 : split > dst.cols ? dst.cols : (uint32_t)split;
        tw__plane a = tw__plane_part(dst, r, 1, 0, left), b = tw__plane_part(dst, r, 1, left, dst.cols - left);
        tw_status status = tw__plane_fill(call, &a, upper ? &zero.bits : &one.bits);
        if (status == TW_OK) status = tw__plane_fill(call, &b, upper ? &one.bits : &zero.bits);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* --- TRANDOM: Philox 4x32 (the manual; Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3") ------- */

enum { GROUP = 256, LANES = 64 };

static void philox(uint32_t c[4], uint32_t k0, uint32_t k1, int rounds)
{
    for (int r = 0; r < rounds; r++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t low = UINT64_C(0xD2511F53) * c[0], high = UINT64_C(0xCD9E8D57) * c[2];
        uint32_t next[4] = { (uint32_t)(high >> 32) ^ c[1] ^ k0, (uint32_t)high, (uint32_t)(low >> 32) ^ c[3] ^ k1,
                             (uint32_t)low };
        memcpy(c, next, sizeof next);
    }
}

static void advance(uint32_t c[4], uint64_t by)
{
    for (int i = 0; i < 4 && by; i++) {
        by += c[i];
        c[i] = (uint32_t)by;
        by >>= 32;
    }
}

tw_status tw__pto_check_random(tw__pto_call *call)
{
    int32_t rounds = call->attrs->rounds;
    if (rounds != 0 && rounds != 7 && rounds != 10)
        return tw__pto_refuse(call, TW__NO_OPERAND, "random.rounds", "%d rounds: 7 or 10", rounds);
    return TW_OK;
}

/* A row is cut into groups of 256 columns; lane L runs counter + L, its words go to columns L, 64 + L, 128 + L, 192 +
 * L; after every group the counter advances by a quarter of the physical columns. */
tw_status tw__pto_run_random(tw__pto_call *call)
{
    tw__plane dst = call->plane[0];
    uint32_t counter[4], group[4][LANES];
    uint32_t k0 = (uint32_t)call->operand[1].scalar.bits, k1 = (uint32_t)call->operand[2].scalar.bits;
    for (int i = 0; i < 4; i++) counter[i] = (uint32_t)call->operand[3 + i].scalar.bits;
    for (uint32_t r = 0; r < dst.rows; r++)
        for (uint32_t at = 0; at < dst.cols; at += GROUP) {
            for (uint32_t lane = 0; lane < LANES; lane++) {
                uint32_t c[4];
                memcpy(c, counter, sizeof c);
                advance(c, lane);
                philox(c, k0, k1, call->attrs->rounds == 7 ? 7 : 10);
                for (int w = 0; w < 4; w++) group[w][lane] = c[w];
            }
            uint32_t n = dst.cols - at < GROUP ? dst.cols - at : GROUP;
            tw__plane from = {
                .at = (unsigned char *)group, .rows = 1, .cols = n, .type = dst.type, .col = 4, .row = 0
            };
            tw__plane to = tw__plane_part(dst, r, 1, at, n);
            tw_status status = tw__plane_copy(&to, &from);
            if (status != TW_OK) return status;
            advance(counter, tw__tile(call, 0)->cols / 4);
        }
    return TW_OK;
}
