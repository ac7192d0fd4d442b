/* SPDX-License-Identifier: MIT */
/* pipes: pipes, flags and the clock. Figures are estimates after the models of the manual; a pipe runs its
 * instructions in order, an instruction waits for the tiles it uses and, in manual mode, for flags only. */
#include "pto/cost/bandwidth.def"
#include "pto/cost/cost.h"

enum { TW_PTO_GM = TW_PTO_LOCATIONS }; /* the memory of a tensor */

double tw__pto_bandwidth(unsigned from, unsigned to)
{
#define RATE(from, to, rate, source) [TW_PTO_##from][TW_PTO_##to] = rate,
    static const double rates[TW_PTO_LOCATIONS + 1][TW_PTO_LOCATIONS + 1] = { TW__BANDWIDTHS(RATE) };
#undef RATE
    enum { UNKNOWN = 1024 }; /* other pairs: as between places of vector memory */
    return rates[from][to] > 0 ? rates[from][to] : UNKNOWN;
}

static unsigned pipes_memory_of(const tw__pto_call *call, unsigned i)
{
    if (call->operand[i].kind == TW_PTO_TENSOR) return TW_PTO_GM;
    return call->operand[i].kind == TW_PTO_TILE ? tw__tile(call, i)->location : TW_PTO_VEC;
}

tw_pto_pipe tw__pto_pipe_of(const tw__pto_call *call)
{
    const tw__pto_row *row = call->row;
    bool fills_l1 = row->pipe == TW_PTO_PIPE_V && call->operand[0].kind == TW_PTO_TILE &&
                    tw__tile(call, 0)->location == TW_PTO_MAT; /* TEXPANDS, TFILLPAD */
    if (fills_l1) return TW_PTO_PIPE_MTE2;
    if (row->cost != TW__COST_TRANSFER) return (tw_pto_pipe)row->pipe;
    unsigned tile = call->operand[0].kind == TW_PTO_TENSOR ? 1 : 0;
    if (row->form[0] == 'G')
        return tw__tile(call, tile)->location == TW_PTO_ACC ? TW_PTO_PIPE_FIX : TW_PTO_PIPE_MTE3;
    if (call->operand[1].kind == TW_PTO_TENSOR) return TW_PTO_PIPE_MTE2;
    unsigned from = tw__tile(call, 1)->location, to = tw__tile(call, 0)->location;
    if (from == TW_PTO_ACC || to == TW_PTO_SCALING || (from == TW_PTO_VEC && to == TW_PTO_MAT))
        return TW_PTO_PIPE_FIX;
    return from == TW_PTO_MAT ? TW_PTO_PIPE_MTE1 : TW_PTO_PIPE_V;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Bytes the instruction works on: the largest of its tiles. */
static uint64_t work_bytes(const tw__pto_call *call)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < call->count; i++) {
        if (call->operand[i].kind != TW_PTO_TILE || call->row->form[i] == 't') continue;
        const tw_pto_tile *t = tw__tile(call, i);
        uint64_t bytes = (uint64_t)t->valid_rows * t->valid_cols * tw_type_size(t->type);
        if (bytes > most) most = bytes;
    }
    return most;
}

uint64_t tw__pto_transfer_cycles(tw_pto_target target, uint64_t bytes, double rate)
{
    return (uint64_t)((double)bytes / (1 << 30) / rate * tw__pto_clock(target)) + 1;
}

static tw__pto_cycles cycles_of(const tw__pto_call *call)
{
    const tw__pto_row *row = call->row;
    uint64_t head = tw__pto_cost_head(row);
    const tw_pto_tile *t = call->operand[0].kind == TW_PTO_TILE ? tw__tile(call, 0) : NULL;
    switch ((tw__pto_cost)row->cost) {
    case TW__COST_NONE: return (tw__pto_cycles){ .body = head };
    case TW__COST_TRANSFER:
        return (tw__pto_cycles){ .body = tw__pto_transfer_cycles(
                                     call->target, work_bytes(call),
                                     tw__pto_bandwidth(pipes_memory_of(call, 1), pipes_memory_of(call, 0))) };
    case TW__COST_CUBE: {
        const tw_pto_tile *a = tw__tile(call, (unsigned)tw__letter(row, 'a')),
                          *b = tw__tile(call, (unsigned)tw__letter(row, 'b'));
        uint64_t steps = divide_up(t->valid_rows, 16) * divide_up(b->valid_cols, 16) *
                         divide_up((uint64_t)a->valid_cols * tw_type_size(a->type), 32);
        return (tw__pto_cycles){ .body = head + (a->type == TW_F32 ? 2 : 1) * steps };
    }
    case TW__COST_SCALAR: return (tw__pto_cycles){ .body = t->valid_cols };
    case TW__COST_IOTA:
        return (tw__pto_cycles){ .body = head + divide_up(t->valid_cols, tw_type_size(t->type) == 4 ? 64 : 128) *
                                                    (1u + (call->attrs->descending != 0)) };
    default: return tw__pto_vector_cycles(call);
    }
}

static tw__place *place_at(tw_pto *core, const tw_pto_operand *o)
{
    return o->kind == TW_PTO_TILE && o->tile->place ? &core->places[o->tile->place - 1] : NULL;
}

void tw__pto_hold(tw_pto *core, tw_pto_pipe pipe, uint64_t until, tw__hold hold)
{
    if (core->pipe_free[pipe] >= until) return;
    core->pipe_free[pipe] = until;
    core->hold[pipe] = hold;
}

void tw__pto_charge(tw__pto_call *call)
{
    tw_pto *core = call->core;
    tw_pto_pipe pipe = tw__pto_pipe_of(call);
    tw__pto_cycles c = cycles_of(call);
    uint64_t start = core->pipe_free[pipe], before = core->pipe_end[pipe];
    tw__hold hold = core->hold[pipe];
    bool ordered = core->flags & TW_PTO_MANUAL; /* by flags alone */
    for (unsigned i = 0; !ordered && i < call->count; i++) {
        const tw__place *p = place_at(core, &call->operand[i]);
        bool written = tw__is_dst_letter(call->row->form[i]) || call->row->form[i] == 't';
        if (p && p->ready_write > start)
            start = p->ready_write, hold = (tw__hold){ "tile", NULL, p->writer, TW__NO_ID };
        if (p && written && p->ready_read > start)
            start = p->ready_read, hold = (tw__hold){ "tile in use", NULL, p->reader, TW__NO_ID };
    }
    bool idle = start > core->pipe_end[pipe] || core->pipe_busy[pipe] == 0; /* whatever it waited for */
    uint64_t cycles = (idle ? c.head : 0) + c.body, end = start + cycles, there = end + c.tail;
    for (unsigned i = 0; i < call->count; i++) {
        tw__place *p = place_at(core, &call->operand[i]);
        if (p && (tw__is_dst_letter(call->row->form[i]) || call->row->form[i] == 't'))
            p->ready_write = there, p->writer = (unsigned char)pipe;
        if (p && there > p->ready_read) p->ready_read = there, p->reader = (unsigned char)pipe;
        if (p && core->timeline) tw__timeline_use(core, call->operand[i].tile, start, there);
    }
    core->pipe_free[pipe] = core->pipe_end[pipe] = end;
    core->pipe_done[pipe] = there;
    core->pipe_busy[pipe] += cycles;
    const tw__pto_row *as = core->charge_as ? core->charge_as : call->row;
    struct tw__pto_tally *tally = &core->tally[tw__pto_row_index(as) * TW_PTO_PIPES + pipe];
    tally->calls += !core->charge_as; /* an instruction made of others counts itself */
    tally->cycles += cycles;
    if (!core->charge_as && cycles > tally->worst) tally->worst = cycles;
    bool global = call->row->cost == TW__COST_TRANSFER &&
                  (pipes_memory_of(call, 0) == TW_PTO_GM || pipes_memory_of(call, 1) == TW_PTO_GM);
    if (global) core->global_bytes += work_bytes(call);
    core->charged = pipe;
    if (!core->timeline) return;
    if (start > before) tw__timeline_wait(core, as, pipe, before, start, hold);
    tw__timeline_add(core, as, pipe, start, end, there);
}

/* Cycle at which all results of a pipe are there. */
uint64_t tw__pto_done(const tw_pto *core, tw_pto_pipe pipe)
{
    return core->pipe_free[pipe] > core->pipe_done[pipe] ? core->pipe_free[pipe] : core->pipe_done[pipe];
}

uint64_t tw_pto_cycles(const tw_pto *core)
{
    if (!core) return 0;
    uint64_t last = 0;
    for (int p = 0; p < TW_PTO_PIPES; p++)
        if (tw__pto_done(core, (tw_pto_pipe)p) > last) last = tw__pto_done(core, (tw_pto_pipe)p);
    return last;
}

uint64_t tw_pto_pipe_cycles(const tw_pto *core, tw_pto_pipe pipe)
{
    if (!core) return 0;
    return (unsigned)pipe < TW_PTO_PIPES ? core->pipe_busy[pipe] : 0;
}

tw_pto_pipe tw_pto_last_pipe(const tw_pto *core)
{
    if (!core) return (tw_pto_pipe){ 0 };
    return core->last_pipe;
}

/* --- flags: the manual ------------------------------------------------------------------------------------- */

static tw_status check_flag(const tw_pto *core, const char *what, tw_pto_pipe from, tw_pto_pipe to, unsigned id)
{
    tw_status status = tw__pto_given(core, "core");
    if (status != TW_OK) return status;
    if ((unsigned)from >= TW_PTO_PIPE_ALL || (unsigned)to >= TW_PTO_PIPE_ALL || from == to)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: two different pipes are needed [rule flag.pipes, profile %s]",
                        what, tw_pto_target_name(core->target));
    if (id >= TW__FLAG_IDS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: event id %u; there are %d [rule flag.id, profile %s]", what, id,
                        TW__FLAG_IDS, tw_pto_target_name(core->target));
    return TW_OK;
}

tw_status tw_pto_set_flag(tw_pto *core, tw_pto_pipe from, tw_pto_pipe to, unsigned id)
{
    tw_status status = check_flag(core, "set_flag", from, to, id);
    if (status != TW_OK) return status;
    if (core->flag_set[from][to] >> id & 1)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "set_flag: EVENT_ID%u from %s to %s is set already and nobody has waited for it "
                        "[rule flag.double-set, profile %s]",
                        id, tw_pto_pipe_name(from), tw_pto_pipe_name(to), tw_pto_target_name(core->target));
    core->flag_set[from][to] |= (unsigned char)(1u << id);
    core->flag_at[from][to][id] = tw__pto_done(core, from);
    return TW_OK;
}

tw_status tw_pto_wait_flag(tw_pto *core, tw_pto_pipe from, tw_pto_pipe to, unsigned id)
{
    tw_status status = check_flag(core, "wait_flag", from, to, id);
    if (status != TW_OK) return status;
    if (!(core->flag_set[from][to] >> id & 1))
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "wait_flag: deadlock: EVENT_ID%u from %s to %s has not been set "
                        "[rule flag.deadlock, profile %s]",
                        id, tw_pto_pipe_name(from), tw_pto_pipe_name(to), tw_pto_target_name(core->target));
    core->flag_set[from][to] &= (unsigned char)~(1u << id);
    tw__pto_hold(core, to, core->flag_at[from][to][id],
                 (tw__hold){ "flag", NULL, (unsigned char)from, (unsigned char)id });
    return TW_OK;
}

tw_status tw_pto_barrier(tw_pto *core, tw_pto_pipe pipe)
{
    if (!core) return tw__pto_given(core, "core");
    if ((unsigned)pipe >= TW_PTO_PIPES)
        return tw__fail(TW_E_INVALID_ARGUMENT, "barrier: unknown pipe %d", (int)pipe);
    uint64_t last = pipe == TW_PTO_PIPE_ALL ? tw_pto_cycles(core) : tw__pto_done(core, pipe);
    unsigned slowest = 0;
    for (unsigned p = 1; p < TW_PTO_PIPES; p++)
        if (tw__pto_done(core, (tw_pto_pipe)p) > tw__pto_done(core, (tw_pto_pipe)slowest)) slowest = p;
    tw__hold hold = { "barrier", NULL, (unsigned char)(pipe == TW_PTO_PIPE_ALL ? slowest : (unsigned)pipe),
                      TW__NO_ID };
    for (int p = 0; p < TW_PTO_PIPES; p++)
        if (p == (int)pipe || pipe == TW_PTO_PIPE_ALL) tw__pto_hold(core, (tw_pto_pipe)p, last, hold);
    return TW_OK;
}
