/* SPDX-License-Identifier: MIT */
/* fifo: queues between the cube core and the vector cores of a block. A slot is memory that tiles
 * are stored to and loaded from as a matrix, so TPUSH and TPOP are a TSTORE and a TLOAD with a handshake around them
 * (grid/fifo_queue.c). */
#include "pto/grid/grid.h"

#include <float.h>

enum {
    MOST_IDS = 16,
    MOST_SLOTS = 64,
    SLOT_ALIGN = 32,
    MOST_BYTES = 1 << 20 /* of a slot: more than any memory */
};

tw_pto_operand tw_pto_fifo_operand(const tw_pto_fifo *fifo)
{
    return (tw_pto_operand){ .kind = TW_PTO_FIFO, .object = fifo };
}

static const tw_pto_fifo *fifo_of(const tw__pto_call *call)
{
    return call->operand[0].object;
}

/* --- rules that need no core ------------------------------------------------------------------------------------ */

static tw_status check_fifo(tw__pto_call *call)
{
    const tw_pto_fifo *f = fifo_of(call);
    if (f->id >= MOST_IDS)
        return tw__pto_refuse(call, 0, "fifo.id", "FIFO %u; ids go from 0 to %d", f->id, MOST_IDS - 1);
    if (f->direction != TW_PTO_CUBE_TO_VECTOR && f->direction != TW_PTO_VECTOR_TO_CUBE)
        return tw__pto_refuse(call, 0, "fifo.direction", "a FIFO goes from cube to vector (1) or back (2)");
    if (f->slots < 1 || f->slots > MOST_SLOTS)
        return tw__pto_refuse(call, 0, "fifo.slots", "%u slots; a FIFO has 1 to %d", f->slots, MOST_SLOTS);
    if (f->slot_bytes == 0 || f->slot_bytes % SLOT_ALIGN || f->slot_bytes > MOST_BYTES)
        return tw__pto_refuse(call, 0, "fifo.slot-bytes",
                              "slots of %u bytes; a multiple of %d up to 1 MiB is needed", f->slot_bytes,
                              SLOT_ALIGN);
    if ((unsigned)call->attrs->split > TW_PTO_SPLIT_LEFT_RIGHT)
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.split",
                              "split is none (0), up_down (1) or left_right (2)");
    return TW_OK;
}

/* Settings of the fixed pipe, through which accumulators go. */
static tw_status check_fixpipe(tw__pto_call *call)
{
    const tw_pto_attrs *a = call->attrs;
    bool cube = fifo_of(call)->direction == TW_PTO_CUBE_TO_VECTOR;
    float limit;
    tw_type type = fifo_of(call)->type ? fifo_of(call)->type : tw__tile(call, 1)->type;
    memcpy(&limit, &a->clip, sizeof limit);
    if ((unsigned)a->slot_layout > 2 || (unsigned)a->sub_block > 2 || (unsigned)a->phase > 3 ||
        (unsigned)a->channel_split > 1)
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.fixpipe",
                              "a setting of the fixed pipe has no such value");
    if (!cube && (a->slot_layout || a->sub_block || a->phase || a->clip || a->channel_split))
        return tw__pto_refuse(call, 1, "fifo.fixpipe",
                              "only accumulators go through the fixed pipe with its settings");
    if (a->atomic > 1 || a->atomic < 0)
        return tw__pto_refuse(call, TW__NO_OPERAND, "store.atomic", "stores add or overwrite");
    if (a->channel_split && (a->slot_layout != 1 || type != TW_F32))
        return tw__pto_refuse(call, 1, "fifo.channel-split", "channels are split in layout nz2nz, of f32");
    if (a->clip && !(limit > 0 && limit <= FLT_MAX))
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.clip", "results are clipped at a number above 0");
    if (a->clip && a->atomic)
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.clip", "a push clips its results or adds them, not both");
    if (a->sub_block && a->split)
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.sub-block", "a tile for one vector core is not split");
    return TW_OK;
}

/* Where a tile may come from or go to: the accumulator for the cube's side, vector memory for the vector's. */
tw_status tw__pto_check_push(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 1);
    tw_status status = check_fifo(call);
    if (status != TW_OK) return status;
    bool cube = fifo_of(call)->direction == TW_PTO_CUBE_TO_VECTOR;
    if (t->location != (cube ? TW_PTO_ACC : TW_PTO_VEC))
        return tw__pto_refuse(call, 1, "fifo.location", "%s",
                              cube ? "the cube core pushes accumulators"
                                   : "a vector core pushes from vector memory");
    if (call->count > 2 && !fifo_of(call)->type)
        return tw__pto_refuse(call, 0, "fifo.type",
                              "a scaled accumulator changes its type: the FIFO has to say to which");
    if (call->attrs->relu && !cube)
        return tw__pto_refuse(call, 1, "store.relu", "only accumulators pass through relu");
    return check_fixpipe(call);
}

tw_status tw__pto_check_pop(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 1);
    tw_status status = check_fifo(call);
    if (status != TW_OK) return status;
    bool cube = fifo_of(call)->direction == TW_PTO_VECTOR_TO_CUBE;
    if (t->location != (cube ? TW_PTO_MAT : TW_PTO_VEC))
        return tw__pto_refuse(call, 1, "fifo.location", "%s",
                              cube ? "the cube core pops into L1" : "a vector core pops into vector memory");
    return TW_OK;
}

static tw_status check_slot(tw__pto_call *call)
{
    const tw_pto_tensor *g = call->operand[1].tensor;
    tw_status status = check_fifo(call);
    if (status != TW_OK) return status;
    if (call->attrs->split && g->layout != TW_PTO_ND)
        return tw__pto_refuse(call, 1, "fifo.layout", "a slot that is split is a tensor of layout nd");
    return TW_OK;
}

tw_status tw__pto_check_push_slot(tw__pto_call *call)
{
    return check_slot(call);
}
tw_status tw__pto_check_pop_slot(tw__pto_call *call)
{
    return check_slot(call);
}
tw_status tw__pto_check_talloc(tw__pto_call *call)
{
    return check_slot(call);
}
tw_status tw__pto_check_tfree(tw__pto_call *call)
{
    return check_fifo(call);
}

static void commit(tw_pto *core, tw__queue *q, tw_pto_pipe pipe)
{
    tw__queue_slot *slot = tw__queue_at(q, q->pushed[core->seat->number]++);
    uint64_t now = tw__pto_done(core, pipe);
    if (now > slot->ready_at) slot->ready_at = now;
    tw__queue_pass(q);
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

/* Without a split all vector cores push the same tile, and that of vector core 0 counts. */
static bool writes(const tw__pto_call *call)
{
    return call->attrs->split != TW_PTO_SPLIT_NONE || call->core->identity.sub_block == 0;
}

/* The scale that was given, else what SET_QUANT_VECTOR, else what SET_QUANT_SCALAR left, for a change of type that
 * needs one. */
static tw_pto_operand scale_of(tw__pto_call *call, tw_type to)
{
    tw__registers *reg = &call->core->reg;
    const tw_pto_tile *t = tw__tile(call, 1);
    bool plain = to == t->type || (t->type == TW_F32 && (to == TW_F16 || to == TW_BF16));
    if (call->count > 2) return call->operand[2];
    if (!plain && reg->quant_vector.place) return tw_pto_tile_operand(&reg->quant_vector);
    if (!plain && reg->quant_scalar) return tw_pto_scalar_operand(tw_pto_bits(TW_I64, reg->quant_scalar));
    return (tw_pto_operand){ .kind = TW_PTO_NOTHING };
}

/* This core's part of its next slot. */
static tw_status fifo_store(tw__pto_call *call, const tw__queue *q, const tw__part *p)
{
    static const char *const stores[] = { "TSTORE", "TSTORE_QUANT", "TSTORE_FP" };
    const tw_pto_tile *t = tw__tile(call, 1);
    uint64_t n = q->pushed[call->core->seat->number];
    const tw__queue_slot *slot = tw__queue_at(q, n);
    tw_pto_tensor g = tw__slot_tensor(q, n, slot, p, t->valid_rows, t->valid_cols);
    if (g.layout == TW_PTO_DN) g.layout = TW_PTO_ND; /* TSTORE has no such layout; the strides say it all */
    tw_pto_operand operands[] = { tw_pto_tensor_operand(&g), call->operand[1], scale_of(call, slot->type) };
    const char *name = stores[operands[2].kind == TW_PTO_SCALAR ? 1 : operands[2].kind == TW_PTO_TILE ? 2 : 0];
    tw_pto_attrs attrs = { .relu = call->attrs->relu || call->attrs->clip,
                           .phase = call->attrs->phase,
                           .atomic = call->attrs->atomic };
    tw_status status = tw__pto_run_inner(call, name, operands, operands[2].kind ? 3 : 2, &attrs, 1, "fifo.tile");
    float limit;
    memcpy(&limit, &call->attrs->clip, sizeof limit);
    return status == TW_OK && call->attrs->clip ? tw__slot_clip(call, &g, limit) : status;
}

tw_status tw__pto_run_push(tw__pto_call *call)
{
    tw__queue *q;
    const tw_pto_tile *t = tw__tile(call, 1);
    bool cube = fifo_of(call)->direction == TW_PTO_CUBE_TO_VECTOR;
    tw_pto_pipe pipe = cube ? TW_PTO_PIPE_FIX : TW_PTO_PIPE_MTE3;
    tw_status status = tw__queue_of(call, true, &q);
    if (status != TW_OK) return status;
    if (q->allocated[call->core->seat->number])
        return tw__pto_refuse(call, 0, "fifo.talloc", "a slot is allocated (TALLOC): it is pushed as a tensor");
    tw_type type = fifo_of(call)->type ? fifo_of(call)->type : t->type;
    tw__part p = tw__pto_part_of(call, q, cube, t->valid_rows, t->valid_cols);
    if (call->attrs->sub_block && !(q->consumers >> call->attrs->sub_block & 1))
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.sub-block", "vector core %d has no part in this FIFO",
                              call->attrs->sub_block - 1);
    status = tw__queue_wait_room(call, q, pipe);
    if (status == TW_OK) status = tw__slot_describe(call, q, type, &p, t->valid_rows, t->valid_cols);
    if (status != TW_OK) return status;
    if (writes(call)) status = fifo_store(call, q, &p);
    if (status == TW_OK) commit(call->core, q, pipe);
    return status;
}

tw_status tw__pto_run_pop(tw__pto_call *call)
{
    tw__queue *q;
    const tw_pto_tile *t = tw__tile(call, 1);
    bool cube = fifo_of(call)->direction == TW_PTO_VECTOR_TO_CUBE;
    tw_status status = tw__queue_of(call, false, &q);
    if (status == TW_OK) status = tw__queue_wait_data(call, q, TW_PTO_PIPE_MTE2);
    if (status != TW_OK) return status;
    uint64_t n = q->popped[call->core->seat->number];
    const tw__queue_slot *slot = tw__queue_at(q, n);
    tw__part p = tw__pto_part_of(call, q, cube, t->valid_rows, t->valid_cols);
    status = tw__slot_agrees(call, slot, t, &p);
    if (status != TW_OK) return status;
    tw_pto_tensor g = tw__slot_tensor(q, n, slot, &p, t->valid_rows, t->valid_cols);
    status = tw__pto_run_inner(call, "TLOAD", (tw_pto_operand[]){ call->operand[1], tw_pto_tensor_operand(&g) }, 2,
                               NULL, 1, "fifo.tile");
    if (status == TW_OK) tw__flow_popped(call, q, slot, (uint64_t)t->valid_rows * t->valid_cols);
    if (status == TW_OK) q->popped[call->core->seat->number]++;
    tw__queue_pass(q);
    return status;
}

tw_status tw__pto_run_tfree(tw__pto_call *call)
{
    tw__queue *q;
    tw_pto *core = call->core;
    tw_status status = tw__queue_of(call, false, &q);
    if (status != TW_OK) return status;
    unsigned me = core->seat->number;
    if (q->freed[me] == q->popped[me])
        return tw__pto_refuse(call, 0, "fifo.free", "every slot that was popped has been freed already");
    tw__queue_slot *slot = tw__queue_at(q, q->freed[me]++);
    uint64_t now = core->pipe_free[TW_PTO_PIPE_MTE2];
    if (now > slot->free_at) slot->free_at = now;
    tw__queue_pass(q);
    return TW_OK;
}

tw_status tw__pto_run_talloc(tw__pto_call *call)
{
    tw__queue *q;
    bool cube = fifo_of(call)->direction == TW_PTO_CUBE_TO_VECTOR;
    tw_status status = tw__queue_of(call, true, &q);
    if (status != TW_OK) return status;
    unsigned me = call->core->seat->number;
    if (q->allocated[me])
        return tw__pto_refuse(call, 0, "fifo.talloc", "a slot is allocated already; TPUSH comes first");
    status = tw__queue_wait_room(call, q, cube ? TW_PTO_PIPE_FIX : TW_PTO_PIPE_MTE3);
    if (status == TW_OK) status = tw__slot_lend(call, q, q->pushed[me], cube);
    if (status == TW_OK) q->allocated[me] = true;
    return status;
}

tw_status tw__pto_run_push_slot(tw__pto_call *call)
{
    tw__queue *q;
    const tw_pto_tensor *g = call->operand[1].tensor;
    bool cube = fifo_of(call)->direction == TW_PTO_CUBE_TO_VECTOR;
    size_t rows, cols;
    tw_status status = tw__queue_of(call, true, &q);
    if (status != TW_OK) return status;
    unsigned me = call->core->seat->number;
    if (!q->allocated[me])
        return tw__pto_refuse(call, 0, "fifo.talloc", "no slot is allocated; TALLOC comes first");
    tw_pto_tensor_extents(g, &rows, &cols);
    tw__part p = tw__pto_part_of(call, q, cube, rows, cols);
    status = tw__slot_describe(call, q, g->type, &p, rows, cols);
    if (status != TW_OK) return status;
    q->allocated[me] = false;
    commit(call->core, q, cube ? TW_PTO_PIPE_FIX : TW_PTO_PIPE_MTE3);
    return TW_OK;
}

tw_status tw__pto_run_pop_slot(tw__pto_call *call)
{
    tw__queue *q;
    bool cube = fifo_of(call)->direction == TW_PTO_VECTOR_TO_CUBE;
    tw_status status = tw__queue_of(call, false, &q);
    if (status == TW_OK) status = tw__queue_wait_data(call, q, TW_PTO_PIPE_MTE2);
    if (status != TW_OK) return status;
    unsigned me = call->core->seat->number;
    if (tw__queue_at(q, q->popped[me])->split != (unsigned)call->attrs->split)
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.split", "pushed with split %u, popped with split %d",
                              tw__queue_at(q, q->popped[me])->split, call->attrs->split);
    const tw__queue_slot *slot = tw__queue_at(q, q->popped[me]);
    unsigned parts = cube || !slot->split ? 1 : (unsigned)__builtin_popcount(q->consumers);
    status = tw__slot_lend(call, q, q->popped[me], cube);
    if (status == TW_OK) tw__flow_popped(call, q, slot, (uint64_t)slot->rows * slot->cols / parts);
    if (status == TW_OK) q->popped[me]++;
    tw__queue_pass(q);
    return status;
}
