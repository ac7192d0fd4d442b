/* comm: what devices do to each other's global memory (spec pto.md 3.10): transfers through staging tiles, signals,
 * collectives that the root runs. All devices lie in one process; a transfer is TLOAD and TSTORE of pieces. */
#include "pto/blocks.h"
#include "pto/cost.h"

#include <stdlib.h>

enum { MOST_RANKS = 64 };

tw_pto_operand tw_pto_group_operand(const tw_pto_group *group)
{
    return (tw_pto_operand){ .kind = TW_PTO_GROUP, .object = group };
}

/* --- rules --------------------------------------------------------------------------------------------------------------- */

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
    if ((unsigned)call->attrs->reduce > TW_PTO_MIN)
        return tw__pto_refuse(call, TW__NO_OPERAND, "comm.reduce", "a reduction is sum, max or min");
    if (sum->rows != staging->rows || sum->cols != staging->cols)
        return tw__pto_refuse(call, 3, "comm.staging", "both tiles have the same extents");
    return check_group(call, false);
}

static tw_status check_signal(tw__pto_call *call)
{
    if ((unsigned)call->attrs->cmp > TW_PTO_GE)
        return tw__pto_refuse(call, TW__NO_OPERAND, "signal.compare", "signals compare eq, ne, lt, le, gt or ge");
    if (!call->operand[0].tensor->data && call->core)
        return tw__pto_refuse(call, 0, "global.null", "the tensor has no memory");
    return TW_OK;
}
tw_status tw__pto_check_notify(tw__pto_call *call)
{
    size_t rows, cols;
    tw_pto_tensor_extents(call->operand[0].tensor, &rows, &cols);
    if (rows * cols != 1) return tw__pto_refuse(call, 0, "signal.one", "one signal is set, not %zu", rows * cols);
    return check_signal(call);
}
tw_status tw__pto_check_wait_signal(tw__pto_call *call)
{
    return check_signal(call);
}
tw_status tw__pto_check_test_signal(tw__pto_call *call)
{
    return check_signal(call);
}

/* --- pieces ---------------------------------------------------------------------------------------------------------------- */

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

static tw_status store(tw__pto_call *call, const tw_pto_tensor *to, tw_pto_tile *tile, const piece *p)
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
        for (unsigned i = 0; status == TW_OK && i < count; i++) status = store(call, &dst[i], tile, &p);
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
        if (status == TW_OK) status = store(call, dst, &tiles[0], &p);
    }
    return status;
}

/* --- signals ------------------------------------------------------------------------------------------------------------------ */

typedef struct question {
    const tw_pto_tensor *signals;
    int32_t value, compare;
} question;

static bool compares(int32_t a, int32_t b, int32_t how)
{
    const bool answers[] = { a == b, a != b, a<b, a <= b, a> b, a >= b };
    return answers[how];
}

/* Calls for each signal until one does not compare; that one's value into *bad. */
static bool all_compare(const question *q, int32_t *bad)
{
    const tw_pto_tensor *g = q->signals;
    size_t at[5] = { 0 };
    for (int d = 0; d < 5; d++)
        if (g->shape[d] == 0) return true;
    for (;;) {
        ptrdiff_t offset = 0;
        int32_t value;
        int d = 4;
        for (int k = 0; k < 5; k++) offset += (ptrdiff_t)at[k] * g->stride[k];
        memcpy(&value, (const unsigned char *)g->data + offset * (ptrdiff_t)sizeof value, sizeof value);
        if (!compares(value, q->value, q->compare)) return *bad = value, false;
        for (; d >= 0 && ++at[d] == g->shape[d]; d--) at[d] = 0;
        if (d < 0) return true;
    }
}

static bool signals_there(const tw_pto *core, const void *what)
{
    int32_t bad;
    (void)core;
    return all_compare(what, &bad);
}

static void tell_signals(const tw_pto *core, const void *what, GString *text)
{
    static const char *const signs[] = { "==", "!=", "<", "<=", ">", ">=" };
    const question *q = what;
    int32_t bad = 0;
    (void)core;
    all_compare(q, &bad);
    g_string_append_printf(text, "for a signal %s %d, which is %d", signs[q->compare], q->value, bad);
}

/* The whole tensor lies in its window. */
static tw_status check_memory(tw__pto_call *call, const tw_pto_tensor *g)
{
    tw_view view = { .base = g->data, .type = g->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        view.extent[d] = g->shape[d];
        view.stride[d] = g->stride[d] * (ptrdiff_t)tw_type_size(g->type);
    }
    if (tw_view_check(&view, tw__tensor_window(g)) == TW_OK) return TW_OK;
    return tw__pto_refuse(call, 0, "global.bounds", "the tensor reaches outside the %zu bytes behind its pointer",
                          g->window.bytes);
}

static question question_of(const tw__pto_call *call)
{
    return (question){ call->operand[0].tensor, (int32_t)call->operand[1].scalar.bits, call->attrs->cmp };
}

tw_status tw__pto_run_notify(tw__pto_call *call)
{
    tw_pto_tensor *g = call->operand[0].tensor;
    uint32_t value = (uint32_t)call->operand[1].scalar.bits, old;
    tw_status status = check_memory(call, g);
    if (status != TW_OK) return status;
    memcpy(&old, g->data, sizeof old);
    if (call->attrs->signal) value += old;
    memcpy(g->data, &value, sizeof value);
    return TW_OK;
}

tw_status tw__pto_run_wait_signal(tw__pto_call *call)
{
    question q = question_of(call);
    tw_status status = check_memory(call, q.signals);
    return status == TW_OK ? tw__pto_wait(call->core, (tw__wait){ signals_there, tell_signals, &q }) : status;
}

tw_status tw__pto_run_test_signal(tw__pto_call *call)
{
    question q = question_of(call);
    int32_t bad;
    tw_status status = check_memory(call, q.signals);
    if (status != TW_OK) return status;
    tw__seat *seat = tw__pto_seat(call->core);
    if (!seat) return TW_E_NO_MEMORY;
    seat->tested = all_compare(&q, &bad);
    return seat->tested ? TW_OK : tw__pto_poll(call->core, (tw__wait){ signals_there, tell_signals, &q });
}

/* --- asynchronous transfers: they take place when somebody asks for them, so a program that does not wait sees it ------- */

void tw__pto_drop_transfers(tw__seat *seat)
{
    free(seat->transfers);
    seat->transfers = NULL;
    seat->transfer_count = seat->transfer_room = seat->transfers_done = 0;
}

static tw_status copy_tensor(const tw_pto_tensor *dst, const tw_pto_tensor *src)
{
    tw_view to = { .base = dst->data, .type = dst->type, .rank = 5 },
            from = { .base = src->data, .type = src->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        to.extent[d] = from.extent[d] = dst->shape[d];
        to.stride[d] = dst->stride[d] * (ptrdiff_t)tw_type_size(dst->type);
        from.stride[d] = src->stride[d] * (ptrdiff_t)tw_type_size(src->type);
    }
    tw_status status = tw_view_check(&to, tw__tensor_window(dst));
    if (status == TW_OK) status = tw_view_check(&from, tw__tensor_window(src));
    return status == TW_OK ? tw_vec_copy_view(&to, &from, (tw_window){ NULL, SIZE_MAX }) : status;
}

tw_status tw__pto_transfer(tw_pto *core, uint64_t count)
{
    tw__seat *seat = core->seat;
    for (; seat->transfers_done < count; seat->transfers_done++) {
        const struct tw__transfer *t = &seat->transfers[seat->transfers_done];
        tw_status status = copy_tensor(&t->dst, &t->src);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw_status tw_pto_copy_async(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, uint64_t *event)
{
    static const tw__pto_row row = { .mnemonic = "tput_async", .form = "Gg", .operands = 2 };
    static const tw_pto_attrs none;
    tw_pto_operand operands[] = { tw_pto_tensor_operand(dst), tw_pto_tensor_operand(src) };
    tw__pto_call call = {
        .core = core, .target = core->target, .row = &row, .operand = operands, .attrs = &none, .count = 2
    };
    tw__seat *seat = tw__pto_seat(core);
    if (!seat) return TW_E_NO_MEMORY;
    tw_status status = dst->data && src->data ? tw__pto_check_put(&call)
                                              : tw__pto_refuse(&call, 0, "global.null", "a tensor has no memory");
    if (status != TW_OK) return status;
    if (!tw__grow(&seat->transfers, &seat->transfer_room, seat->transfer_count, sizeof *seat->transfers))
        return tw__fail(TW_E_NO_MEMORY, "no memory for a transfer");
    uint64_t start = tw_pto_cycles(core);
    if (seat->transfer_count && seat->transfers[seat->transfer_count - 1].done_at > start)
        start = seat->transfers[seat->transfer_count - 1].done_at; /* one engine, in order */
    size_t rows, cols;
    tw_pto_tensor_extents(dst, &rows, &cols);
    seat->transfers[seat->transfer_count++] = (struct tw__transfer){
        *dst, *src, start + tw__pto_transfer_cycles(rows * cols * tw_type_size(dst->type), TW__UB_TO_GM)
    };
    *event = seat->transfer_count;
    return TW_OK;
}

static tw_status check_event(const tw_pto *core, uint64_t event)
{
    if (event >= 1 && core->seat && event <= core->seat->transfer_count) return TW_OK;
    return tw__fail(TW_E_INVALID_ARGUMENT, "there is no transfer %llu [rule async.event, profile %s]",
                    (unsigned long long)event, tw_pto_target_name(core->target));
}

tw_status tw_pto_async_wait(tw_pto *core, uint64_t event)
{
    tw_status status = check_event(core, event);
    if (status == TW_OK) status = tw__pto_transfer(core, event);
    if (status == TW_OK) tw__pto_delay(core, TW_PTO_PIPE_ALL, core->seat->transfers[event - 1].done_at);
    return status;
}

tw_status tw_pto_async_test(tw_pto *core, uint64_t event, bool *done)
{
    *done = false;
    tw_status status = tw_pto_async_wait(core, event);
    *done = status == TW_OK;
    return status;
}

/* --- the same as functions ----------------------------------------------------------------------------------------------------- */

static tw_status transfer(tw_pto *core, const char *name, tw_pto_operand first, tw_pto_tensor *tensor,
                          tw_pto_tile *staging, tw_pto_tile *second)
{
    tw_pto_operand operands[] = { first, tw_pto_tensor_operand(tensor), tw_pto_tile_operand(staging),
                                  tw_pto_tile_operand(second) };
    return tw_pto_call(core, name, operands, second ? 4 : 3, NULL);
}

tw_status tw_pto_put(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, tw_pto_tile *staging,
                     tw_pto_tile *second)
{
    return transfer(core, "tput", tw_pto_tensor_operand(dst), src, staging, second);
}
tw_status tw_pto_get(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, tw_pto_tile *staging,
                     tw_pto_tile *second)
{
    return transfer(core, "tget", tw_pto_tensor_operand(dst), src, staging, second);
}
tw_status tw_pto_broadcast(tw_pto *core, const tw_pto_group *to, tw_pto_tensor *src, tw_pto_tile *staging,
                           tw_pto_tile *second)
{
    return transfer(core, "tbroadcast", tw_pto_group_operand(to), src, staging, second);
}
tw_status tw_pto_gather(tw_pto *core, const tw_pto_group *from, tw_pto_tensor *dst, tw_pto_tile *staging,
                        tw_pto_tile *second)
{
    return transfer(core, "comm.tgather", tw_pto_group_operand(from), dst, staging, second);
}
tw_status tw_pto_scatter(tw_pto *core, const tw_pto_group *to, tw_pto_tensor *src, tw_pto_tile *staging,
                         tw_pto_tile *second)
{
    return transfer(core, "comm.tscatter", tw_pto_group_operand(to), src, staging, second);
}

tw_status tw_pto_reduce_to(tw_pto *core, const tw_pto_group *from, tw_pto_tensor *dst, tw_pto_tile *sum,
                           tw_pto_tile *staging, tw_pto_reduce op)
{
    tw_pto_attrs attrs = { .reduce = (int32_t)op };
    tw_pto_operand operands[] = { tw_pto_group_operand(from), tw_pto_tensor_operand(dst), tw_pto_tile_operand(sum),
                                  tw_pto_tile_operand(staging) };
    return tw_pto_call(core, "treduce", operands, 4, &attrs);
}

static tw_status signal_call(tw_pto *core, const char *name, tw_pto_tensor *signal, int32_t value,
                             const tw_pto_attrs *attrs)
{
    return tw_pto_call(
        core, name, (tw_pto_operand[]){ tw_pto_tensor_operand(signal), tw_pto_scalar_operand(tw_pto_i32(value)) },
        2, attrs);
}

tw_status tw_pto_notify(tw_pto *core, tw_pto_tensor *signal, int32_t value, bool add)
{
    return signal_call(core, "tnotify", signal, value, &(tw_pto_attrs){ .signal = add });
}
tw_status tw_pto_wait_signal(tw_pto *core, tw_pto_tensor *signals, int32_t value, int compare)
{
    return signal_call(core, "twait", signals, value, &(tw_pto_attrs){ .cmp = compare });
}
tw_status tw_pto_test_signal(tw_pto *core, tw_pto_tensor *signals, int32_t value, int compare, bool *all)
{
    tw_status status = signal_call(core, "ttest", signals, value, &(tw_pto_attrs){ .cmp = compare });
    *all = status == TW_OK && core->seat->tested;
    return status;
}
