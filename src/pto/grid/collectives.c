/* SPDX-License-Identifier: MIT */
/* collectives: what devices do to each other's global memory: transfers through staging tiles
 * and collectives that the root runs. All devices lie in one process; a transfer is TLOAD and TSTORE of pieces. */
#include "pto/grid/grid.h"

enum { MOST_RANKS = 64 };

tw_pto_operand tw_pto_group_operand(const tw_pto_group *group)
{
    return (tw_pto_operand){ .kind = TW_PTO_GROUP, .object = group };
}

/* --- rules ------------------------------------------------------------------------------------------------------ */

static tw_status check_tensor(tw__pto_call *call, unsigned i, const tw_pto_tensor *g, const tw_pto_tensor *like)
{
    if (g->layout != TW_PTO_ND)
        return tw__pto_refuse(call, i, "comm.layout", "tensors between devices have layout nd");
    if (g->type != like->type)
        return tw__pto_refuse(call, i, "comm.type", "tensors of %s and %s", tw_type_name(g->type, TW_SYSTEM_PTO),
                              tw_type_name(like->type, TW_SYSTEM_PTO));
    return TW_OK;
}

static tw_status check_shape(tw__pto_call *call, unsigned i, const tw_pto_tensor *g, const tw_pto_tensor *like,
                             size_t times)
{
    for (int d = 0; d < 5; d++)
        if (g->shape[d] != like->shape[d] * (d == 3 ? times : 1))
            return tw__pto_refuse(call, i, "comm.shape", "extent %zu of dimension %d is not %zu", g->shape[d], d,
                                  like->shape[d] * (d == 3 ? times : 1));
    return TW_OK;
}

static tw_status check_staging(tw__pto_call *call, const tw_pto_tensor *g)
{
    const tw_pto_tile *first = tw__tile(call, (unsigned)tw__letter(call->row, 't'));
    for (unsigned i = 0; i < call->count; i++) {
        if (call->row->form[i] != 't') continue;
        const tw_pto_tile *t = tw__tile(call, i);
        if (t->location != TW_PTO_VEC || t->blayout != TW_PTO_ROW_MAJOR || tw__tile_boxed(t))
            return tw__pto_refuse(call, i, "comm.staging", "a staging tile is row-major in vector memory");
        if (t->type != g->type)
            return tw__pto_refuse(call, i, "comm.staging", "a staging tile of %s for tensors of %s",
                                  tw_type_name(t->type, TW_SYSTEM_PTO), tw_type_name(g->type, TW_SYSTEM_PTO));
        if (t->rows < first->rows || t->cols < first->cols)
            return tw__pto_refuse(call, i, "comm.staging", "the second tile is smaller than the first");
    }
    return TW_OK;
}

tw_status tw__pto_check_put(tw__pto_call *call)
{
    const tw_pto_tensor *to = call->operand[0].tensor, *from = call->operand[1].tensor;
    tw_status status = check_tensor(call, 0, to, from);
    if (status == TW_OK) status = check_tensor(call, 1, from, to);
    if (status == TW_OK) status = check_shape(call, 1, from, to, 1);
    if (status == TW_OK && call->attrs->atomic > 1)
        status = tw__pto_refuse(call, TW__NO_OPERAND, "store.atomic", "transfers add or overwrite");
    return status == TW_OK && strchr(call->row->form, 't') ? check_staging(call, to) : status;
}

static const tw_pto_group *group_of(const tw__pto_call *call)
{
    return call->operand[0].object;
}

/* `times`: how often the extent of a rank's tensor lies in the root's along dimension 3. */
static tw_status check_group(tw__pto_call *call, bool concatenated)
{
    const tw_pto_group *group = group_of(call);
    const tw_pto_tensor *own = call->operand[1].tensor;
    if (!group->tensor || group->count < 1 || group->count > MOST_RANKS)
        return tw__pto_refuse(call, 0, "comm.ranks", "%u ranks; a group has 1 to %d", group->count, MOST_RANKS);
    if (group->root >= group->count)
        return tw__pto_refuse(call, 0, "comm.root", "rank %u is the root of %u ranks", group->root, group->count);
    if (call->core) {
        tw_pto_identity me = tw_pto_identity_of(call->core);
        if (me.devices > 1 && me.device != group->root)
            return tw__pto_refuse(call, 0, "comm.root", "only the root calls: rank %u, this is device %u",
                                  group->root, me.device);
    }
    for (unsigned r = 0; r < group->count; r++) {
        if ((unsigned)group->tensor[r].layout >= TW_PTO_LAYOUTS)
            return tw__pto_refuse(call, 0, "comm.layout", "tensors between devices have layout nd");
        tw_status status = check_tensor(call, 0, &group->tensor[r], own);
        if (status == TW_OK) status = check_shape(call, 1, own, &group->tensor[r], concatenated ? group->count : 1);
        if (status != TW_OK) return status;
    }
    tw_status status = check_tensor(call, 1, own, own);
    return status == TW_OK ? check_staging(call, own) : status;
}

tw_status tw__pto_check_broadcast(tw__pto_call *call)
{
    return check_group(call, false);
}
tw_status tw__pto_check_comm_gather(tw__pto_call *call)
{
    return check_group(call, true);
}
tw_status tw__pto_check_comm_scatter(tw__pto_call *call)
{
    return check_group(call, true);
}
tw_status tw__pto_check_comm_reduce(tw__pto_call *call)
{
    const tw_pto_tile *sum = tw__tile(call, 2), *staging = tw__tile(call, 3);
    if ((unsigned)call->attrs->reduce > TW_PTO_REDUCE_MIN)
        return tw__pto_refuse(call, TW__NO_OPERAND, "comm.reduce", "a reduction is sum, max or min");
    if (sum->rows != staging->rows || sum->cols != staging->cols)
        return tw__pto_refuse(call, 3, "comm.staging", "both tiles have the same extents");
    return check_group(call, false);
}

/* --- pieces ----------------------------------------------------------------------------------------------------- */

/* A rectangle of a tensor that fits the staging tiles: position of its first element and extents. */
typedef struct piece {
    size_t at[5];
    uint32_t rows, cols;
} piece;

static tw_pto_tensor piece_of(const tw_pto_tensor *g, const piece *p)
{
    tw_pto_tensor part = *g;
    ptrdiff_t offset = 0;
    for (int d = 0; d < 5; d++) {
        offset += (ptrdiff_t)p->at[d] * g->stride[d];
        part.shape[d] = 1;
    }
    part.shape[3] = p->rows;
    part.shape[4] = p->cols;
    part.data = (void *)((uintptr_t)g->data + (uintptr_t)offset * tw_type_size(g->type));
    return part;
}

/* The next piece in row-major order; starts with rows 0. False behind the last. */
static bool next_piece(const tw_pto_tensor *g, const tw_pto_tile *t, piece *p)
{
    const size_t step[5] = { 1, 1, 1, t->rows, t->cols };
    bool first = p->rows == 0;
    for (int d = 0; first && d < 5; d++)
        if (g->shape[d] == 0) return false;
    for (int d = 4; !first; d--) {
        if (d < 0) return false;
        p->at[d] += step[d];
        if (p->at[d] < g->shape[d]) break;
        p->at[d] = 0;
    }
    size_t rows = g->shape[3] - p->at[3], cols = g->shape[4] - p->at[4];
    p->rows = rows < t->rows ? (uint32_t)rows : t->rows;
    p->cols = cols < t->cols ? (uint32_t)cols : t->cols;
    return true;
}

static tw_status load(tw__pto_call *call, tw_pto_tile *tile, const tw_pto_tensor *from, const piece *p)
{
    tw_pto_tensor g = piece_of(from, p);
    tile->valid_rows = p->rows;
    tile->valid_cols = p->cols;
    return tw__pto_run_inner(call, "TLOAD",
                             (tw_pto_operand[]){ tw_pto_tile_operand(tile), tw_pto_tensor_operand(&g) }, 2, NULL, 1,
                             "comm.piece");
}

static tw_status collectives_store(tw__pto_call *call, const tw_pto_tensor *to, tw_pto_tile *tile, const piece *p)
{
    tw_pto_tensor g = piece_of(to, p);
    tw_pto_attrs attrs = { .atomic = call->attrs->atomic };
    return tw__pto_run_inner(call, "TSTORE",
                             (tw_pto_operand[]){ tw_pto_tensor_operand(&g), tw_pto_tile_operand(tile) }, 2, &attrs,
                             0, "comm.piece");
}

/* Names of the staging tiles with extents of their own; the caller's tiles get a place, and keep their extents. */
static tw_status staging_of(tw__pto_call *call, tw_pto_tile tiles[2], unsigned *count)
{
    *count = 0;
    for (unsigned i = 0; i < call->count; i++) {
        if (call->row->form[i] != 't') continue;
        tw_pto_tile *t = call->operand[i].tile;
        tw_status status = tw__pto_place(call->core, t);
        if (status != TW_OK) return status;
        tiles[*count] = *t;
        tiles[(*count)++].pad = TW_PTO_PAD_NULL;
    }
    return TW_OK;
}

/* src to each of `count` tensors, piece by piece; two staging tiles take turns, so that loads and stores overlap. */
static tw_status copy_to(tw__pto_call *call, const tw_pto_tensor *dst, unsigned count, const tw_pto_tensor *src)
{
    tw_pto_tile tiles[2];
    unsigned have, turn = 0;
    tw_status status = staging_of(call, tiles, &have);
    for (piece p = { 0 }; status == TW_OK && next_piece(src, &tiles[0], &p); turn++) {
        tw_pto_tile *tile = &tiles[turn % have];
        status = load(call, tile, src, &p);
        for (unsigned i = 0; status == TW_OK && i < count; i++) status = collectives_store(call, &dst[i], tile, &p);
    }
    return status;
}

tw_status tw__pto_run_put(tw__pto_call *call)
{
    return copy_to(call, call->operand[0].tensor, 1, call->operand[1].tensor);
}

tw_status tw__pto_run_broadcast(tw__pto_call *call)
{
    return copy_to(call, group_of(call)->tensor, group_of(call)->count, call->operand[1].tensor);
}

/* The part of the root's tensor that belongs to a rank. */
static tw_pto_tensor part_of_rank(const tw__pto_call *call, unsigned rank)
{
    const tw_pto_tensor *own = call->operand[1].tensor;
    tw_pto_tensor part = *own;
    part.shape[3] = own->shape[3] / group_of(call)->count;
    uintptr_t rows = rank * part.shape[3];
    part.data = (void *)((uintptr_t)own->data + rows * (uintptr_t)own->stride[3] * tw_type_size(own->type));
    return part;
}

tw_status tw__pto_run_comm_gather(tw__pto_call *call)
{
    tw_status status = TW_OK;
    for (unsigned r = 0; status == TW_OK && r < group_of(call)->count; r++) {
        tw_pto_tensor part = part_of_rank(call, r);
        status = copy_to(call, &part, 1, &group_of(call)->tensor[r]);
    }
    return status;
}

tw_status tw__pto_run_comm_scatter(tw__pto_call *call)
{
    tw_status status = TW_OK;
    for (unsigned r = 0; status == TW_OK && r < group_of(call)->count; r++) {
        tw_pto_tensor part = part_of_rank(call, r);
        status = copy_to(call, &group_of(call)->tensor[r], 1, &part);
    }
    return status;
}

tw_status tw__pto_run_comm_reduce(tw__pto_call *call)
{
    static const char *const combine[] = { "TADD", "TMAX", "TMIN" };
    const tw_pto_group *group = group_of(call);
    const tw_pto_tensor *dst = call->operand[1].tensor;
    tw_pto_tile tiles[2];
    unsigned have;
    tw_status status = staging_of(call, tiles, &have);
    for (piece p = { 0 }; status == TW_OK && next_piece(dst, &tiles[0], &p);) {
        status = load(call, &tiles[0], &group->tensor[0], &p);
        for (unsigned r = 1; status == TW_OK && r < group->count; r++) {
            tw_pto_operand sum = tw_pto_tile_operand(&tiles[0]), other = tw_pto_tile_operand(&tiles[1]);
            status = load(call, &tiles[1], &group->tensor[r], &p);
            if (status == TW_OK)
                status = tw__pto_run_inner(call, combine[call->attrs->reduce],
                                           (tw_pto_operand[]){ sum, sum, other }, 3, NULL, 0, "comm.reduce");
        }
        if (status == TW_OK) status = collectives_store(call, dst, &tiles[0], &p);
    }
    return status;
}
