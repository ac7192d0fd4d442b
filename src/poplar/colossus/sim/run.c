/* SPDX-License-Identifier: MIT */
/* Starting contexts and letting them run, always in the order of the tile's clock: the earliest cycle first, in one
 * cycle the lowest number. A hook, a trace or a limit of turns sees the same events in the same order as nobody.
 *
 * What is fast are ways to come to the same: a worker that runs alone goes on for as long as it likes; workers beside
 * a supervisor that waits take turns in a fixed rotation, and repeat loops of theirs that cannot meet in memory run
 * one behind the other. While the supervisor works beside workers all go step by step. */
#include "poplar/colossus/sim/fp.h"
#include "poplar/colossus/sim/native.h"

enum { RESULT_DELAY = 6, PATIENCE = 16, MOST_PATIENCE = 4096, PIECE = 4096, SEEK = 256 };

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
    if (!sim) return tw__missing("simulator");
    if (context >= TW_SIM_CONTEXTS) return tw__fail(TW_E_INDEX, "there is no context %u", context);
    tw__sim_context *w = &sim->contexts[context];
    if (w->state == TW_SIM_ACTIVE) return tw__fail(TW_E_INVALID_ARGUMENT, "context %u is active", context);
    if (launch->worker_base) w->m[w->supervisor ? 11 : 12] = launch->worker_base;
    tw__sim_begin(w, launch->entry, launch->vertex_base, sim->clock);
    return TW_OK;
}

tw_status tw_sim_start_all(tw_sim *sim, const tw_sim_launch *launch, uint32_t stride, uint32_t scratch)
{
    if (!sim) return tw__missing("simulator");
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) {
        tw_sim_launch one = *launch;
        one.vertex_base += i * stride;
        if (one.worker_base) one.worker_base += i * scratch;
        tw_status status = tw_sim_start(sim, i, &one);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* --- one by one ------------------------------------------------------------------------------------------------- */

/* A context has ended by itself. */
static void ended(tw__sim_context *w)
{
    tw_sim *sim = w->sim;
    uint64_t end = tw__sim_cycle_now(w);
    if (end > sim->clock) sim->clock = end;
    if (!w->supervisor && !w->exit_status) sim->local_consensus = false;
}

static void step_worker(tw__sim_context *w)
{
    w->turn = w->extra = 0, w->left = 1, w->stepping = true; /* sim->rounds is 0 */
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

/* --- a worker alone --------------------------------------------------------------------------------------------- */

/* Runs at most `left` turns; ends before them in a repeat loop of which no whole iteration is certain to fit. */
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

/* Steps to where translated code can begin, if that is near; false: it is not. */
static bool seek_native(tw__sim_context *w, uint64_t goal)
{
    for (unsigned i = 0; i < SEEK && w->state == TW_SIM_ACTIVE && w->turns < goal; i++) {
        if (tw__native_at(w)) return true;
        step_worker(w);
    }
    return false;
}

/* So many turns were interpreted, up to here. */
static void interpreted(tw_sim *sim, uint32_t pc, uint64_t turns)
{
    sim->native_wait -= MIN(sim->native_wait, turns);
    tw__native_hot(sim, pc, turns);
}

static void run_alone(tw__sim_context *w, uint64_t goal)
{
    tw_sim *sim = w->sim;
    bool wanted = tw__native_wanted(sim);
    if (wanted && tw__native_at_once(sim)) tw__native_hot(sim, w->pc, 0);
    while (w->state == TW_SIM_ACTIVE && w->turns < goal) {
        if (wanted && tw__native_ready(sim) && seek_native(w, goal) && tw__native_alone(w, goal - w->turns))
            continue;
        if (w->state != TW_SIM_ACTIVE || w->turns >= goal) break;
        uint64_t start = w->turns, piece = wanted ? MIN(goal - start, PIECE) : goal - start;
        if (sim->native_wait) piece = MIN(piece, sim->native_wait);
        run_piece(w, piece);
        while (w->state == TW_SIM_ACTIVE && w->turns < start + piece && w->repeat_count) step_worker(w);
        if (wanted) interpreted(sim, w->pc, w->turns - start);
    }
}

/* --- workers in rotation ---------------------------------------------------------------------------------------- */

typedef struct lane { /* a worker, in the order of the slots */
    const tw__sim_op *op;
    tw__sim_context *w;
    uint64_t ahead; /* rounds it has taken already, by instructions of several turns or by its start */
} lane;

typedef struct rotation {
    lane lanes[TW_SIM_WORKERS];
    unsigned count;
    bool level;      /* nobody is ahead */
    uint64_t rounds; /* until one of them has used up its turns */
} rotation;

/* A round is six cycles, in which each worker has one slot: the lanes' order is the same in all rounds. False: one of
 * them cannot go on so. */
static bool begin_rotation(rotation *r, tw__sim_context *const *who, unsigned count, const uint64_t *goals)
{
    uint64_t first = UINT64_MAX, slots[TW_SIM_WORKERS];
    r->count = 0, r->level = false, r->rounds = UINT64_MAX;
    for (unsigned i = 0; i < count; i++) first = MIN(first, tw__sim_cycle_now(who[i]));
    for (unsigned i = 0; i < count; i++) {
        tw__sim_context *w = who[i];
        uint64_t after = tw__sim_cycle_now(w) - first, slot = after % TW_SIM_WORKERS;
        uint64_t ahead = after / TW_SIM_WORKERS, left = goals[w->number] - w->turns;
        if (w->turns >= goals[w->number]) return false;
        if (w->pc & 3 || w->pc - w->base >= w->region1 - w->base) return false; /* an exception, at its time */
        const tw__sim_op *op = tw__sim_at(w, w->pc);
        if (!op || (w->repeat_count && !tw__sim_body_checked(w))) return false;
        unsigned at = r->count++;
        for (; at && slots[at - 1] > slot; at--) r->lanes[at] = r->lanes[at - 1], slots[at] = slots[at - 1];
        r->lanes[at] = (lane){ .w = w, .op = op, .ahead = ahead }, slots[at] = slot;
        if (left <= UINT64_MAX - ahead) r->rounds = MIN(r->rounds, ahead + left);
    }
    return true;
}

/* Where the lane goes on behind an instruction that took more than one turn, or in a repeat body. */
static __attribute__((noinline)) const tw__sim_op *behind(rotation *r, lane *l, const tw__sim_op *next)
{
    tw__sim_context *w = l->w;
    l->ahead += w->extra;
    if (w->extra) r->level = false;
    w->extra = 0;
    if (w->repeat_count && next->address == w->repeat_end && --w->repeat_count)
        next = tw__sim_at(w, w->repeat_first);
    w->odd = w->repeat_count != 0;
    return next;
}

/* The next instruction of a lane; false: its worker has stopped. */
static inline __attribute__((always_inline)) bool run_lane(rotation *r, lane *l)
{
    tw__sim_context *w = l->w;
    const tw__sim_op *next = l->op->run(w, l->op);
    if (__builtin_expect(!next, 0)) return false;
    if (__builtin_expect(w->odd, 0)) next = behind(r, l, next);
    l->op = next;
    return true;
}

/* One round of lanes that may be ahead; the one that stopped, NULL: none. */
static lane *run_round(rotation *r)
{
    r->level = true;
    for (lane *l = r->lanes, *end = l + r->count; l < end; l++) {
        if (l->ahead)
            l->ahead--;
        else if (!run_lane(r, l))
            return l;
        if (l->ahead) r->level = false;
    }
    return NULL;
}

/* Rounds until somebody stops (who is the result) or, behind the round, a repeat loop has begun. */
static lane *run_rounds(tw_sim *sim, rotation *r, uint64_t rounds)
{
    lane *stopped = NULL, *const end = r->lanes + r->count;
    for (uint32_t loops = sim->loops; sim->rounds < rounds && sim->loops == loops; sim->rounds++) {
        if (!r->level) {
            if ((stopped = run_round(r))) return stopped;
            continue;
        }
        for (lane *l = r->lanes; l < end; l++)
            if (__builtin_expect(!run_lane(r, l), 0)) return l;
    }
    return NULL;
}

/* All of them are in repeat loops: many iterations at once? */
static bool run_loops(tw_sim *sim, const rotation *r)
{
    tw__sim_context *workers[TW_SIM_WORKERS];
    uint64_t ahead[TW_SIM_WORKERS];
    for (unsigned i = 0; i < r->count; i++) workers[i] = r->lanes[i].w, ahead[i] = r->lanes[i].ahead;
    bool done = tw__sim_run_spans(workers, ahead, r->count, r->rounds);
    sim->patience = done ? PATIENCE : MIN(2 * sim->patience, MOST_PATIENCE);
    return done;
}

/* Translated code of all of them, many rounds at once? */
static bool run_native(tw_sim *sim, const rotation *r)
{
    tw__sim_context *workers[TW_SIM_WORKERS];
    uint64_t ahead[TW_SIM_WORKERS];
    for (unsigned i = 0; i < r->count; i++) {
        workers[i] = r->lanes[i].w, ahead[i] = r->lanes[i].ahead;
        if (tw__native_at_once(sim)) tw__native_hot(sim, workers[i]->pc, 0);
    }
    return tw__native_ready(sim) && tw__native_together(workers, ahead, r->count, r->rounds);
}

/* The workers until one of them stops, begins a loop or should be looked at again. */
static void run_rotation(tw_sim *sim, rotation *r)
{
    bool looping = true;
    for (unsigned i = 0; i < r->count; i++) looping &= r->lanes[i].w->repeat_count != 0;
    if (looping && run_loops(sim, r)) return;
    bool wanted = tw__native_wanted(sim);
    if (wanted && run_native(sim, r)) return;
    uint32_t loops = sim->loops;
    sim->rounds = 0;
    for (unsigned i = 0; i < r->count; i++) {
        tw__sim_context *w = r->lanes[i].w;
        w->turn = w->extra = 0, w->left = 1, w->stepping = true, w->odd = w->repeat_count != 0;
        w->turns -= r->lanes[i].ahead; /* they count from where the first one is */
    }
    uint64_t rounds = looping ? MIN(r->rounds, sim->patience) : r->rounds;
    if (wanted) rounds = MIN(rounds, sim->native_wait ? sim->native_wait : PIECE);
    lane *stopped = run_rounds(sim, r, rounds);
    for (lane *l = r->lanes; l < r->lanes + r->count; l++) {
        bool had_slot = stopped && (l < stopped || (l == stopped && l->w->state == TW_SIM_IDLE));
        l->w->stepping = false;
        l->w->turns += sim->rounds + l->ahead + had_slot;
        if (l != stopped) l->w->pc = l->op->address;
    }
    if (wanted) interpreted(sim, r->lanes[0].w->pc, sim->rounds * r->count);
    sim->rounds = 0;
    if (sim->loops != loops) sim->patience = PATIENCE;
    if (!stopped) return;
    stopped->w->turns += stopped->w->extra, stopped->w->extra = 0;
    if (stopped->w->state == TW_SIM_IDLE) ended(stopped->w);
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

/* --- all contexts ----------------------------------------------------------------------------------------------- */

static bool any_active(const tw_sim *sim)
{
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (sim->contexts[i].state == TW_SIM_ACTIVE) return true;
    return false;
}

/* Those that can issue; the supervisor last. */
static unsigned runnable(tw_sim *sim, tw__sim_context **who)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) {
        tw__sim_context *w = &sim->contexts[i];
        if (w->state == TW_SIM_ACTIVE && !(w->supervisor && supervisor_waits(w))) who[count++] = w;
    }
    return count;
}

static tw__sim_context *earliest(tw__sim_context *const *who, unsigned count)
{
    tw__sim_context *best = who[0];
    for (unsigned i = 1; i < count; i++)
        if (tw__sim_cycle_now(who[i]) < tw__sim_cycle_now(best)) best = who[i];
    return best;
}

/* The next event and those behind it that can go at once. */
static void run_some(tw_sim *sim, tw__sim_context *const *who, unsigned count, tw__sim_context *next,
                     const uint64_t *goals)
{
    rotation r;
    unsigned saved = tw__sim_fp_enter(!sim->options.denormals);
    if (next->supervisor)
        step_supervisor(next);
    else if (who[count - 1]->supervisor)
        step_worker(next);
    else if (count == 1)
        run_alone(next, goals[next->number]);
    else if (begin_rotation(&r, who, count, goals))
        run_rotation(sim, &r);
    else
        step_worker(next);
    tw__sim_fp_leave(saved);
}

/* `goals`: the turns of each context at which the run stops, when it is the next one. */
static tw_sim_stop run_contexts(tw_sim *sim, const uint64_t *goals)
{
    tw__sim_context *who[TW_SIM_CONTEXTS];
    for (;;) {
        unsigned count = runnable(sim, who);
        if (!count) return sim->has_exception ? TW_SIM_FAULT : TW_SIM_DONE;
        tw__sim_context *next = earliest(who, count);
        if (next->turns >= goals[next->number]) return sim->has_exception ? TW_SIM_FAULT : TW_SIM_LIMIT;
        if (!sim->hook && !sim->trace)
            run_some(sim, who, count, next, goals);
        else if (step_hooked(next, true))
            return TW_SIM_BREAK;
        if (sim->has_exception && !sim->options.keep_going) return TW_SIM_FAULT;
        if (sim->waiting) return TW_SIM_WAIT;
    }
}

/* --- what users call -------------------------------------------------------------------------------------------- */

tw_sim_stop tw_sim_run(tw_sim *sim, uint64_t turns)
{
    if (!sim) return TW_SIM_FAULT;
    uint64_t goals[TW_SIM_CONTEXTS];
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        goals[i] =
            turns && sim->contexts[i].turns <= UINT64_MAX - turns ? sim->contexts[i].turns + turns : UINT64_MAX;
    sim->waiting = false, sim->patience = PATIENCE;
    bool stays = sim->options.keep_going && sim->has_exception &&
                 sim->contexts[sim->exception.context].state == TW_SIM_EXCEPTED;
    if (!sim->unfinished && !stays) sim->has_exception = false;
    tw_sim_stop stop = run_contexts(sim, goals);
    sim->unfinished = sim->options.keep_going && any_active(sim);
    return stop;
}

tw_sim_stop tw_sim_step(tw_sim *sim, unsigned context)
{
    tw__sim_context *w = sim && context < TW_SIM_CONTEXTS ? &sim->contexts[context] : NULL;
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
    if (!sim) return;
    sim->hook = hook, sim->hook_user = user;
}

bool tw_sim_stack_pointer_set(const tw_sim *sim, unsigned context)
{
    if (!sim) return false;
    return context < TW_SIM_CONTEXTS && sim->contexts[context].sp_set;
}

tw_sim_state tw_sim_get_state(const tw_sim *sim, unsigned context)
{
    if (!sim) return (tw_sim_state){ 0 };
    return context < TW_SIM_CONTEXTS ? sim->contexts[context].state : TW_SIM_IDLE;
}

bool tw_sim_exit_status(const tw_sim *sim, unsigned worker)
{
    if (!sim) return false;
    return worker < TW_SIM_CONTEXTS && sim->contexts[worker].exit_status;
}

uint64_t tw_sim_turns(const tw_sim *sim, unsigned context)
{
    if (!sim) return 0;
    return context < TW_SIM_CONTEXTS ? sim->contexts[context].turns : 0;
}

uint64_t tw_sim_cycles(const tw_sim *sim)
{
    if (!sim) return 0;
    uint64_t now = sim->clock;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (sim->contexts[i].state != TW_SIM_IDLE) now = MAX(now, tw__sim_cycle_now(&sim->contexts[i]));
    return now;
}

bool tw_sim_modelled(const tw_sim *sim, unsigned context)
{
    if (!sim) return false;
    bool any = false;
    if (context < TW_SIM_CONTEXTS) return sim->contexts[context].modelled;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) any |= sim->contexts[i].modelled;
    return any;
}

void tw_sim_advance(tw_sim *sim, uint64_t cycles)
{
    if (!sim) return;
    sim->clock += cycles;
}

bool tw_sim_pending(const tw_sim *sim, tw_insn *insn)
{
    if (!sim) return false;
    if (sim->waiting && insn) *insn = sim->wait_insn[0];
    return sim->waiting;
}
