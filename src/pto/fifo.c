/* fifo: queues between the cube core and the vector cores of a block (spec pto.md 3.10). A slot is memory that tiles are
 * stored to and loaded from as a matrix, so TPUSH and TPOP are a TSTORE and a TLOAD with a handshake around them
 * (fifo_queue.c). */
#include "pto/blocks.h"

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

/* --- rules that need no core -------------------------------------------------------------------------------------------- */

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
    return TW_OK;
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

/* --- parts of a slot ---------------------------------------------------------------------------------------------------------- */

/* Rows and columns of the whole tile when this core's part has `rows` x `cols`, and where the part begins. */
typedef struct part {
    uint64_t rows, cols, row, col;
} part;

static part whole_of(const tw__pto_call *call, const tw__queue *q, bool is_cube_side, uint64_t rows, uint64_t cols)
{
    const tw__seat *seat = call->core->seat;
    unsigned vectors = q->as.direction == TW_PTO_CUBE_TO_VECTOR ? q->consumers : q->producers;
    unsigned parts = is_cube_side ? 1 : (unsigned)__builtin_popcount(vectors), mine = seat->identity.sub_block;
    part p = { rows, cols, 0, 0 };
    if (call->attrs->split == TW_PTO_SPLIT_UP_DOWN) p.rows *= parts, p.row = mine * rows;
    if (call->attrs->split == TW_PTO_SPLIT_LEFT_RIGHT) p.cols *= parts, p.col = mine * cols;
    return p;
}

/* A matrix of rows in slot n, seen from (row, col) on. */
static tw_pto_tensor slot_tensor(const tw__queue *q, uint64_t n, tw_type type, const part *p, uint64_t rows,
                                 uint64_t cols)
{
    size_t size = tw_type_size(type);
    unsigned char *base = q->memory + n % q->as.slots * q->as.slot_bytes;
    tw_pto_tensor g =
        tw_pto_tensor_of(base + (p->row * p->cols + p->col) * size, type, (size_t)rows, (size_t)cols, TW_PTO_ND);
    for (int d = 0; d < 4; d++) g.stride[d] = (ptrdiff_t)p->cols;
    g.window = (tw_window){ base, q->as.slot_bytes };
    return g;
}

/* What a push says about its slot: the first producer says it, the second must say the same. */
static tw_status describe(tw__pto_call *call, tw__queue *q, tw_type type, const part *p)
{
    uint64_t n = q->pushed[call->core->seat->number];
    tw__queue_slot *slot = tw__queue_at(q, n), now = { .type = type,
                                                       .rows = (uint32_t)p->rows,
                                                       .cols = (uint32_t)p->cols,
                                                       .split = (unsigned)call->attrs->split,
                                                       .number = n + 1,
                                                       .free_at = slot->free_at };
    if (p->rows * p->cols * tw_type_size(type) > q->as.slot_bytes)
        return tw__pto_refuse(call, 1, "fifo.slot-size", "%llu x %llu %s need %llu bytes, a slot has %u",
                              (unsigned long long)p->rows, (unsigned long long)p->cols,
                              tw_type_name(type, TW_SYSTEM_PTO),
                              (unsigned long long)(p->rows * p->cols * tw_type_size(type)), q->as.slot_bytes);
    if (slot->number != n + 1) {
        *slot = now;
        return TW_OK;
    }
    if (slot->type != type || slot->rows != now.rows || slot->cols != now.cols || slot->split != now.split)
        return tw__pto_refuse(call, 1, "fifo.parts",
                              "the other vector core pushed a part of %u x %u %s, this one of %u x %u %s",
                              slot->rows, slot->cols, tw_type_name(slot->type, TW_SYSTEM_PTO), now.rows, now.cols,
                              tw_type_name(type, TW_SYSTEM_PTO));
    return TW_OK;
}

static void commit(tw_pto *core, tw__queue *q, tw_pto_pipe pipe)
{
    tw__queue_slot *slot = tw__queue_at(q, q->pushed[core->seat->number]++);
    uint64_t now = tw__pto_done(core, pipe);
    if (now > slot->ready_at) slot->ready_at = now;
}

/* --- instructions ---------------------------------------------------------------------------------------------------------------- */

/* Without a split all vector cores push the same tile, and that of vector core 0 counts. */
static bool writes(const tw__pto_call *call)
{
    return call->attrs->split != TW_PTO_SPLIT_NONE || call->core->seat->identity.sub_block == 0;
}

/* The scale that was given, else what SET_QUANT_VECTOR, else what SET_QUANT_SCALAR left, for a change of type that needs
 * one. */
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

tw_status tw__pto_run_push(tw__pto_call *call)
{
    static const char *const stores[] = { "TSTORE", "TSTORE_QUANT", "TSTORE_FP" };
    tw__queue *q;
    const tw_pto_tile *t = tw__tile(call, 1);
    bool cube = fifo_of(call)->direction == TW_PTO_CUBE_TO_VECTOR;
    tw_pto_pipe pipe = cube ? TW_PTO_PIPE_FIX : TW_PTO_PIPE_MTE3;
    tw_status status = tw__queue_of(call, true, &q);
    if (status != TW_OK) return status;
    if (q->allocated[call->core->seat->number])
        return tw__pto_refuse(call, 0, "fifo.talloc", "a slot is allocated (TALLOC): it is pushed as a tensor");
    tw_type type = fifo_of(call)->type ? fifo_of(call)->type : t->type;
    part p = whole_of(call, q, cube, t->valid_rows, t->valid_cols);
    status = tw__queue_wait_room(call, q, pipe);
    if (status == TW_OK) status = describe(call, q, type, &p);
    if (status != TW_OK) return status;
    if (writes(call)) {
        tw_pto_tensor g =
            slot_tensor(q, q->pushed[call->core->seat->number], type, &p, t->valid_rows, t->valid_cols);
        tw_pto_operand operands[] = { tw_pto_tensor_operand(&g), call->operand[1], scale_of(call, type) };
        const char *store = stores[operands[2].kind == TW_PTO_SCALAR ? 1 : operands[2].kind == TW_PTO_TILE ? 2 : 0];
        tw_pto_attrs attrs = { .relu = call->attrs->relu };
        status = tw__pto_run_inner(call, store, operands, operands[2].kind ? 3 : 2, &attrs, 1, "fifo.tile");
    }
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
    part p = whole_of(call, q, cube, t->valid_rows, t->valid_cols);
    if (slot->split != (unsigned)call->attrs->split)
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.split", "pushed with split %u, popped with split %d",
                              slot->split, call->attrs->split);
    if (slot->type != t->type || slot->rows != p.rows || slot->cols != p.cols)
        return tw__pto_refuse(
            call, 1, "fifo.tile", "the slot holds %u x %u %s; a tile of %u x %u %s takes its part of %llu x %llu",
            slot->rows, slot->cols, tw_type_name(slot->type, TW_SYSTEM_PTO), t->valid_rows, t->valid_cols,
            tw_type_name(t->type, TW_SYSTEM_PTO), (unsigned long long)p.rows, (unsigned long long)p.cols);
    tw_pto_tensor g = slot_tensor(q, n, t->type, &p, t->valid_rows, t->valid_cols);
    status = tw__pto_run_inner(call, "TLOAD", (tw_pto_operand[]){ call->operand[1], tw_pto_tensor_operand(&g) }, 2,
                               NULL, 1, "fifo.tile");
    if (status == TW_OK) q->popped[call->core->seat->number]++;
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
    return TW_OK;
}

/* The tensor becomes a view of this core's part of slot n. */
static tw_status lend(tw__pto_call *call, tw__queue *q, uint64_t n, bool cube)
{
    tw_pto_tensor *g = call->operand[1].tensor;
    size_t rows, cols, size = tw_type_size(g->type);
    tw_pto_tensor_extents(g, &rows, &cols);
    part p = whole_of(call, q, cube, rows, cols);
    unsigned char *base = q->memory + n % q->as.slots * q->as.slot_bytes;
    ptrdiff_t at = (ptrdiff_t)p.row * g->stride[3] + (ptrdiff_t)p.col * g->stride[4];
    g->window = (tw_window){ base, q->as.slot_bytes };
    if (at < 0 || (uint64_t)at * size > q->as.slot_bytes)
        return tw__pto_refuse(call, 1, "fifo.slot-size", "the view begins past the %u bytes of a slot",
                              q->as.slot_bytes);
    g->data = base + (size_t)at * size;
    tw_view view = { .base = g->data, .type = g->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        view.extent[d] = g->shape[d];
        view.stride[d] = g->stride[d] * (ptrdiff_t)size;
    }
    if (tw_view_check(&view, g->window) != TW_OK)
        return tw__pto_refuse(call, 1, "fifo.slot-size", "the view reaches past the %u bytes of a slot",
                              q->as.slot_bytes);
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
    if (status == TW_OK) status = lend(call, q, q->pushed[me], cube);
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
    part p = whole_of(call, q, cube, rows, cols);
    status = describe(call, q, g->type, &p);
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
    status = lend(call, q, q->popped[me], cube);
    if (status == TW_OK) q->popped[me]++;
    return status;
}

/* --- the same as functions ---------------------------------------------------------------------------------------------------------- */

tw_status tw_pto_push(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile, tw_pto_split split)
{
    tw_pto_attrs attrs = { .split = (int32_t)split };
    return tw_pto_call(core, "tpush", (tw_pto_operand[]){ tw_pto_fifo_operand(fifo), tw_pto_tile_operand(tile) }, 2,
                       &attrs);
}

tw_status tw_pto_pop(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile, tw_pto_split split)
{
    tw_pto_attrs attrs = { .split = (int32_t)split };
    return tw_pto_call(core, "tpop", (tw_pto_operand[]){ tw_pto_fifo_operand(fifo), tw_pto_tile_operand(tile) }, 2,
                       &attrs);
}

tw_status tw_pto_free_slot(tw_pto *core, const tw_pto_fifo *fifo)
{
    tw_pto_operand operand = tw_pto_fifo_operand(fifo);
    return tw_pto_call(core, "tfree", &operand, 1, NULL);
}
