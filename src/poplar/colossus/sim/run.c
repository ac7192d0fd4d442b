/* Starting contexts and letting them run: in pieces when nobody looks, turn by turn in the order of the tile's clock
 * when a hook is set. */
#include "poplar/colossus/sim/fp.h"

enum { PIECE = 4096, RESULT_DELAY = 6 };

/* --- starting --------------------------------------------------------------------------------------------------- */

unsigned tw__sim_active_workers(const tw_sim *sim)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) count += sim->contexts[i].state == TW_SIM_ACTIVE;
    return count;
}

void tw__sim_begin(tw__sim_context *w, uint32_t entry, uint32_t vertex_base, uint64_t cycle)
{
    w->state = TW_SIM_ACTIVE, w->pc = entry, w->start = cycle;
    w->turn = w->extra = w->turns = 0;
    w->repeat_count = 0, w->blocked = w->held = false, w->sp_set = w->sp_warned = false,
    w->modelled = w->supervisor;
    if (w->supervisor) {
        w->m[0] = vertex_base, w->m[10] = TW_SIM_RETURN;
        memset(w->sim->ready, 0, sizeof w->sim->ready);
        return;
    }
    w->m[13] = vertex_base;
    w->fp_sts = 0;
    tw__sim_set_fp_ctl(w, w->sim->contexts[TW_SIM_SUPERVISOR].csr[0x20]);
}

tw_status tw_sim_start(tw_sim *sim, unsigned context, const tw_sim_launch *launch)
{
    if (context >= TW_SIM_CONTEXTS) return tw__fail(TW_E_INDEX, "there is no context %u", context);
    tw__sim_context *w = &sim->contexts[context];
    if (w->state == TW_SIM_ACTIVE) return tw__fail(TW_E_INVALID_ARGUMENT, "context %u is active", context);
    if (launch->worker_base) w->m[w->supervisor ? 11 : 12] = launch->worker_base;
    tw__sim_begin(w, launch->entry, launch->vertex_base, sim->clock);
    return TW_OK;
}

tw_status tw_sim_start_all(tw_sim *sim, const tw_sim_launch *launch, uint32_t stride, uint32_t scratch)
{
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) {
        tw_sim_launch one = *launch;
        one.vertex_base += i * stride;
        if (one.worker_base) one.worker_base += i * scratch;
        tw_status status = tw_sim_start(sim, i, &one);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* --- a piece of a worker ---------------------------------------------------------------------------------------- */

/* A context has ended by itself. */
static void ended(tw__sim_context *w)
{
    tw_sim *sim = w->sim;
    uint64_t end = tw__sim_cycle_now(w);
    if (end > sim->clock) sim->clock = end;
    if (!w->supervisor && !w->exit_status) sim->local_consensus = false;
}

static void run_piece(tw__sim_context *w, uint64_t left)
{
    w->turn = w->extra = 0, w->left = left;
    const tw__sim_op *op = tw__sim_at(w, w->pc), *next = op;
    if (op && w->repeat_count) op = next = tw__sim_repeat(w, op);
    uint64_t n = 0;
    while (op && n + w->extra < left) {
        w->turn = n;
        next = op->run(w, op);
        if (__builtin_expect(!next, 0)) break;
        op = next, n++;
    }
    if (next)
        w->pc = next->address;
    else if (op && w->state == TW_SIM_IDLE)
        n++; /* the exit */
    w->turns += n + w->extra, w->turn = w->extra = 0;
    if (w->state == TW_SIM_IDLE) ended(w);
}

/* --- one by one ------------------------------------------------------------------------------------------------- */

static void step_worker(tw__sim_context *w)
{
    w->turn = w->extra = 0, w->left = 1, w->stepping = true;
    const tw__sim_op *op = tw__sim_at(w, w->pc), *next = NULL;
    if (op && w->repeat_count && !tw__sim_body_fits(w, op))
        tw__sim_fault(w, op->address, TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT, 0, NULL);
    else if (op)
        next = op->run(w, op);
    w->stepping = false;
    if (next) {
        w->pc = next->address;
        if (w->repeat_count && w->pc == w->repeat_end && --w->repeat_count) w->pc = w->repeat_first;
    }
    if (next || (op && w->state == TW_SIM_IDLE)) w->turns++;
    w->turns += w->extra, w->extra = 0;
    if (w->state == TW_SIM_IDLE) ended(w);
}

/* The supervisor may issue in each cycle that no worker has, but waits for results that are not there yet: six cycles
 * behind their instruction. Colossus ISA, chapter 4: modelled. */
static uint64_t ready_at(const tw_sim *sim, const tw__sim_op *op)
{
    const tw_isa_row *row = &tw__isa_rows[op->row];
    uint64_t at = sim->contexts[TW_SIM_SUPERVISOR].turns;
    for (unsigned k = 0; k < row->count && k < TW__SIM_MAIN_OPERANDS; k++)
        if (row->operands[k]->reads && row->operands[k]->registers) at = MAX(at, sim->ready[op->r[k]]);
    return at;
}

/* Waits for the last worker (sync), or for a free slot while six run; then the clock is at that worker's end. */
static bool supervisor_waits(tw__sim_context *w)
{
    unsigned active = tw__sim_active_workers(w->sim);
    if (w->blocked ? active != 0 : active == TW_SIM_WORKERS) return w->held = true;
    if ((w->held || w->blocked) && w->start + w->turns < w->sim->clock) w->turns = w->sim->clock - w->start;
    return w->held = w->blocked = false;
}

static void step_supervisor(tw__sim_context *w)
{
    tw_sim *sim = w->sim;
    w->turn = w->extra = 0;
    const tw__sim_op *op = tw__sim_at(w, w->pc), *next;
    if (op && op->run == tw__sim_first) tw__sim_decode(sim, (tw__sim_op *)op);
    if (!op) {
        if (w->state == TW_SIM_IDLE) ended(w);
        return;
    }
    bool known = op->row < TW__OP_COUNT || op->aux_row < TW__OP_COUNT;
    if (!known) {
        op->run(w, op);
        return;
    }
    const tw_isa_row *row = op->row < TW__OP_COUNT ? &tw__isa_rows[op->row] : NULL;
    if (op->aux_row < TW__OP_COUNT || !row || !(row->context & TW_ISA_SUPERVISOR)) {
        tw__sim_fault(w, op->address, TW_SIM_CAUSE_ILLEGAL_CONTEXT, 0, NULL);
        return;
    }
    w->turns = ready_at(sim, op);
    next = tw__sim_main_rows[op->row].solo(w, op);
    if (next == op && w->blocked) return;
    bool slow = next != op->next || op->row == TW__OP_run || op->row == TW__OP_runall || op->row == TW__OP_sync;
    for (unsigned k = 0; k < row->count && k < TW__SIM_MAIN_OPERANDS; k++)
        if (row->operands[k]->writes && row->operands[k]->registers) sim->ready[op->d[k]] = w->turns + RESULT_DELAY;
    if (sim->waiting) tw__sim_insns_at(sim, op->address, sim->wait_insn);
    w->turns += slow ? RESULT_DELAY : 1;
    if (next) w->pc = next->address;
    if (w->state == TW_SIM_IDLE) ended(w);
}

/* --- all contexts ----------------------------------------------------------------------------------------------- */

typedef struct goals {
    uint64_t at[TW_SIM_CONTEXTS];
} goals;

/* One round of pieces. True: somebody moved. */
static bool run_round(tw_sim *sim, const goals *g, bool *fault)
{
    bool moved = false, first = !sim->options.keep_going;
    tw__sim_context *s = &sim->contexts[TW_SIM_SUPERVISOR];
    for (unsigned i = 0; i < PIECE && s->state == TW_SIM_ACTIVE && s->turns < g->at[TW_SIM_SUPERVISOR]; i++) {
        if (supervisor_waits(s)) break;
        step_supervisor(s);
        moved |= !s->blocked;
        if (s->blocked || sim->waiting) break;
    }
    if (s->state == TW_SIM_EXCEPTED && moved) *fault = true;
    if ((*fault && first) || sim->waiting) return true;
    for (unsigned i = 0; i < TW_SIM_WORKERS && !(*fault && first); i++) {
        tw__sim_context *w = &sim->contexts[i];
        if (w->state != TW_SIM_ACTIVE || w->turns >= g->at[i]) continue;
        run_piece(w, MIN(g->at[i] - w->turns, PIECE));
        moved = true;
        *fault |= w->state == TW_SIM_EXCEPTED;
    }
    return moved;
}

static bool any_active(const tw_sim *sim)
{
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (sim->contexts[i].state == TW_SIM_ACTIVE) return true;
    return false;
}

static tw_sim_stop run_pieces(tw_sim *sim, const goals *g)
{
    bool fault = false;
    unsigned saved = tw__sim_fp_enter(!sim->options.denormals);
    while (any_active(sim) && run_round(sim, g, &fault) && !(fault && !sim->options.keep_going) && !sim->waiting) {
    }
    tw__sim_fp_leave(saved);
    return fault ? TW_SIM_FAULT : sim->waiting ? TW_SIM_WAIT : any_active(sim) ? TW_SIM_LIMIT : TW_SIM_DONE;
}

/* --- with a hook ------------------------------------------------------------------------------------------------ */

static void step_context(tw__sim_context *w)
{
    unsigned saved = tw__sim_fp_enter(!w->sim->options.denormals);
    if (w->supervisor)
        step_supervisor(w);
    else
        step_worker(w);
    tw__sim_fp_leave(saved);
}

static void note_stack_pointer(tw__sim_context *w, const tw_sim_event *event)
{
    for (unsigned i = 0; i < event->count; i++) {
        const tw_isa_row *row = &tw__isa_rows[event->insns[i].row];
        for (unsigned k = 0; k < row->count; k++)
            if (row->operands[k]->file == TW_ISA_MRF && row->operands[k]->writes &&
                event->insns[i].operands[k] <= 11 && event->insns[i].operands[k] + row->operands[k]->registers > 11)
                w->sp_set = true;
    }
}

/* True: the hook wants to stop before this one. */
static bool step_hooked(tw__sim_context *w, bool may_stop)
{
    tw_sim *sim = w->sim;
    tw_sim_event event = { .context = w->number, .pc = w->pc, .cycle = tw__sim_cycle_now(w) };
    event.count = tw__sim_insns_at(sim, w->pc, event.insns);
    if (sim->hook && sim->hook(sim->hook_user, sim, &event) && may_stop) return true;
    if (sim->trace) tw__sim_trace_before(w, &event);
    step_context(w);
    if (w->state == TW_SIM_EXCEPTED && sim->trace) tw__sim_trace_fault(w, &event);
    if (w->state == TW_SIM_EXCEPTED || (w->blocked && w->pc == event.pc)) return false;
    note_stack_pointer(w, &event);
    if (sim->trace) tw__sim_trace_done(w, &event);
    event.done = true;
    if (sim->hook) sim->hook(sim->hook_user, sim, &event);
    return false;
}

/* Who issues next: the earliest cycle, the lowest number. */
static tw__sim_context *next_context(tw_sim *sim, const goals *g)
{
    tw__sim_context *best = NULL;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) {
        tw__sim_context *w = &sim->contexts[i];
        if (w->state != TW_SIM_ACTIVE || w->turns >= g->at[i] || (w->supervisor && supervisor_waits(w))) continue;
        if (!best || tw__sim_cycle_now(w) < tw__sim_cycle_now(best)) best = w;
    }
    return best;
}

static tw_sim_stop run_hooked(tw_sim *sim, const goals *g)
{
    for (bool fault = false;;) {
        tw__sim_context *w = next_context(sim, g);
        if (!w) return fault ? TW_SIM_FAULT : any_active(sim) ? TW_SIM_LIMIT : TW_SIM_DONE;
        if (step_hooked(w, true)) return TW_SIM_BREAK;
        fault |= w->state == TW_SIM_EXCEPTED;
        if (fault && !sim->options.keep_going) return TW_SIM_FAULT;
        if (sim->waiting) return TW_SIM_WAIT;
    }
}

/* --- what users call -------------------------------------------------------------------------------------------- */

tw_sim_stop tw_sim_run(tw_sim *sim, uint64_t turns)
{
    goals g;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        g.at[i] =
            turns && sim->contexts[i].turns <= UINT64_MAX - turns ? sim->contexts[i].turns + turns : UINT64_MAX;
    sim->waiting = sim->has_exception = false;
    return sim->hook || sim->trace ? run_hooked(sim, &g) : run_pieces(sim, &g);
}

tw_sim_stop tw_sim_step(tw_sim *sim, unsigned context)
{
    tw__sim_context *w = context < TW_SIM_CONTEXTS ? &sim->contexts[context] : NULL;
    if (!w || w->state != TW_SIM_ACTIVE) return TW_SIM_DONE;
    if (w->supervisor && supervisor_waits(w)) return TW_SIM_LIMIT;
    sim->waiting = false;
    step_hooked(w, false);
    return w->state == TW_SIM_EXCEPTED ? TW_SIM_FAULT
           : sim->waiting              ? TW_SIM_WAIT
           : w->state == TW_SIM_IDLE   ? TW_SIM_DONE
                                       : TW_SIM_LIMIT;
}

void tw_sim_set_hook(tw_sim *sim, tw_sim_hook *hook, void *user)
{
    sim->hook = hook, sim->hook_user = user;
}

bool tw_sim_stack_pointer_set(const tw_sim *sim, unsigned context)
{
    return context < TW_SIM_CONTEXTS && sim->contexts[context].sp_set;
}

tw_sim_state tw_sim_get_state(const tw_sim *sim, unsigned context)
{
    return context < TW_SIM_CONTEXTS ? sim->contexts[context].state : TW_SIM_IDLE;
}

bool tw_sim_exit_status(const tw_sim *sim, unsigned worker)
{
    return worker < TW_SIM_CONTEXTS && sim->contexts[worker].exit_status;
}

uint64_t tw_sim_turns(const tw_sim *sim, unsigned context)
{
    return context < TW_SIM_CONTEXTS ? sim->contexts[context].turns : 0;
}

uint64_t tw_sim_cycles(const tw_sim *sim)
{
    uint64_t now = sim->clock;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (sim->contexts[i].state != TW_SIM_IDLE) now = MAX(now, tw__sim_cycle_now(&sim->contexts[i]));
    return now;
}

bool tw_sim_modelled(const tw_sim *sim, unsigned context)
{
    bool any = false;
    if (context < TW_SIM_CONTEXTS) return sim->contexts[context].modelled;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) any |= sim->contexts[i].modelled;
    return any;
}

void tw_sim_advance(tw_sim *sim, uint64_t cycles)
{
    sim->clock += cycles;
}

bool tw_sim_pending(const tw_sim *sim, tw_insn *insn)
{
    if (sim->waiting && insn) *insn = sim->wait_insn[0];
    return sim->waiting;
}
