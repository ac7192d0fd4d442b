/* SPDX-License-Identifier: MIT */
/* task: whose turn it is on a compute engine - microthreads by priority, the main thread among them, and which task
 * the main thread takes up when it is free. */
#include "csl/wse/pe/pe.h"

#include <stdlib.h>
#include <string.h>

/* Cycles the main thread may run ahead while nothing else on its PE can happen. Nobody sees the difference: whatever
 * touches the fabric waits until the fabric's clock has caught up. */
enum { ALONE_SLICE = 4096 };

void tw__wse_activate(tw__part *part, tw__pe *pe, unsigned id)
{
    if (id >= TW__CSL_TASK_IDS || !pe->program->local[id]) {
        tw__wse_misuse(part, pe, "wse.task", "activation of id %u, to which no local task is bound", id);
        return;
    }
    pe->active |= 1ull << id;
    tw__wse_wake_engine(part, tw__wse_pe_number(part, pe), part->now + 1);
}

void tw__wse_block(tw__part *part, tw__pe *pe, unsigned kind, unsigned id, bool block)
{
    uint64_t *mask = &pe->blocked;
    if (kind == TW__CSL_ID_UT) {
        if (id >= TW__CSL_UTS) return;
        pe->ut_blocked = (uint8_t)(block ? pe->ut_blocked | 1u << id : pe->ut_blocked & ~(1u << id));
    } else if (id < TW__CSL_TASK_IDS) {
        *mask = block ? *mask | 1ull << id : *mask & ~(1ull << id);
    } else {
        tw__wse_misuse(part, pe, "wse.task", "%s of id %u, which does not exist", block ? "block" : "unblock", id);
    }
    if (!block) tw__wse_wake_engine(part, tw__wse_pe_number(part, pe), part->now + 1);
}

/* --- which task ----------------------------------------------------------------------------------------------- */

typedef struct choice {
    enum { NOTHING, LOCAL, DATA, CONTROL, COMMAND, TEARDOWN, FLUSH } what;
    unsigned id, queue, row; /* row of the program's tasks */
} choice;

static unsigned entry_point(uint32_t payload)
{
    return payload >> 16 & 63;
}

/* The task that the wavelet at the head of a queue starts. A control wavelet that starts none is taken off. */
static choice for_queue(tw__part *part, tw__pe *pe, unsigned queue)
{
    tw__queue *q = pe->in_queue[queue];
    const tw__decoded *d = pe->program;
    unsigned channel = part->w->arch == 0 ? q->color : queue; /* id that @block and @unblock name */
    while (q->count && !q->op && !(pe->blocked >> channel & 1)) {
        tw__wave wave = tw__wse_queue_head(q);
        if (!(wave.flags & TW__WSE_CONTROL))
            return d->data[channel] ? (choice){ DATA, channel, queue, d->data[channel] - 1u } : (choice){ 0 };
        unsigned entry = entry_point(wave.payload) + q->control_base;
        if (entry < TW__CSL_TASK_IDS && d->control[entry])
            return (choice){ CONTROL, entry, queue, d->control[entry] - 1u };
        if (entry_point(wave.payload) != 31) /* 31 = no task, by convention of the vendor's library */
            tw__wse_complain(part, tw__wse_pe_number(part, pe), q->color, TW__WSE_R, "wse.control",
                             "control wavelet 0x%08x on color %u names control task %u, which is not bound",
                             wave.payload, q->color, entry);
        tw__wse_queue_pop(part, pe, queue);
    }
    return (choice){ 0 };
}

static uint64_t next_random(tw__pe *pe)
{
    uint64_t z = (pe->random += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Place in the round of ids that starts behind the last task that ran: no ready task waits for ever (assumed;
 * programs that forward wavelets rely on it). */
static unsigned place(const tw__pe *pe, unsigned id)
{
    unsigned last = pe->task_id < TW__CSL_TASK_IDS ? pe->task_id : TW__CSL_TASK_IDS - 1;
    return (id - last - 1) % TW__CSL_TASK_IDS;
}

/* Keeps the better of two: high priority first, then the next in the round, or the luck of the draw. */
static void offer(tw__part *part, tw__pe *pe, choice *best, unsigned *count, choice next)
{
    if (next.what == NOTHING) return;
    if (best->what == NOTHING) {
        *best = next;
        *count = 1;
        return;
    }
    unsigned high_new = pe->high_priority >> next.id & 1, high_old = pe->high_priority >> best->id & 1;
    if (high_new != high_old) {
        if (high_new) *best = next, *count = 1;
        return;
    }
    ++*count;
    if (part->w->options.random_order ? next_random(pe) % *count == 0 : place(pe, next.id) < place(pe, best->id))
        *best = next;
}

/* Queues that @queue_flush waits for, once they are empty. */
static void offer_flushed(tw__part *part, tw__pe *pe, choice *best, unsigned *count)
{
    for (unsigned out = 0; out < 2; out++)
        for (uint32_t rest = pe->flush_pending[out]; rest; rest &= rest - 1) {
            unsigned queue = (unsigned)__builtin_ctz(rest);
            const tw__queue *q = (out ? pe->out_queue : pe->in_queue)[queue];
            if (!q || q->count == 0) offer(part, pe, best, count, (choice){ FLUSH, 29, queue, out });
        }
}

static choice pick(tw__part *part, tw__pe *pe)
{
    choice best = { 0 };
    unsigned count = 0;
    if (pe->commands && pe->stream_open && !pe->host_running)
        return (choice){ .what = COMMAND, .id = TW__WSE_HOST_TASK };
    if (pe->teardown_pending && !(pe->blocked >> 29 & 1))
        for (unsigned color = 0; color < TW__CSL_COLORS; color++)
            if (pe->teardown_pending >> color & 1 && pe->program->teardown[color])
                offer(part, pe, &best, &count, (choice){ TEARDOWN, 29, color, 0 });
    offer_flushed(part, pe, &best, &count);
    uint64_t ready = pe->active & ~pe->blocked;
    for (uint64_t rest = ready; rest; rest &= rest - 1) {
        unsigned id = (unsigned)__builtin_ctzll(rest);
        offer(part, pe, &best, &count, (choice){ LOCAL, id, 0, pe->program->local[id] - 1u });
    }
    for (uint32_t rest = pe->in_busy & ~pe->in_taken; rest; rest &= rest - 1)
        offer(part, pe, &best, &count, for_queue(part, pe, (unsigned)__builtin_ctz(rest)));
    return best;
}

/* Registers 0 and 1 of a task that a wavelet starts. */
static unsigned arguments(const tw__csl_task *task, uint32_t payload, uint64_t args[2])
{
    if (task->args == 0) return 0;
    uint32_t first = task->args == 1 && task->wide ? payload : payload & 0xffff;
    args[0] = first;
    if (task->is_signed[0])
        args[0] =
            task->args == 1 && task->wide ? (uint64_t)(int64_t)(int32_t)first : (uint64_t)(int64_t)(int16_t)first;
    if (task->args == 1) return 1;
    args[1] = task->is_signed[1] ? (uint64_t)(int64_t)(int16_t)(payload >> 16) : payload >> 16;
    return 2;
}

/* @bind_rotating_tasks: at `limit` starts of the main task the alternative runs once. */
static uint32_t rotated(tw__pe *pe, unsigned id, uint32_t function)
{
    const tw__csl_program *p = pe->program->program;
    for (size_t k = 0; k < p->rotation_count && k < 2; k++) {
        if (p->rotations[k].id != id) continue;
        if (pe->rotation[k] >= p->rotations[k].limit) {
            pe->rotation[k] = 0;
            return p->rotations[k].alternative;
        }
        pe->rotation[k]++;
    }
    return function;
}

/* Task 29 calls the handler of every queue that is marked as flushed, until tile_config.queue_flush.exit(). Only a
 * task that runs does so: queues without a handler would mark each other for ever. */
static void again_flushed(tw__pe *pe)
{
    for (unsigned out = 0; out < 2; out++) pe->flush_pending[out] |= pe->flushed[out];
}

static void pe_task_start(tw__part *part, tw__pe *pe, choice c, uint64_t now)
{
    const tw__csl_program *p = pe->program->program;
    uint64_t args[16];
    unsigned count = 0;
    uint32_t function;
    switch (c.what) {
    case COMMAND: {
        tw__command *command = pe->commands;
        pe->commands = command->next;
        if (!pe->commands) pe->commands_end = NULL;
        function = command->function;
        count = command->count;
        memcpy(args, command->args, count * sizeof *args);
        free(command);
        pe->host_running = 1;
        pe->stream_open = 0;
        break;
    }
    case TEARDOWN:
        again_flushed(pe);
        pe->teardown_pending &= ~(1u << c.queue);
        function = pe->program->teardown[c.queue] - 1;
        args[count++] = c.queue;
        break;
    case FLUSH:
        if (pe->program->empty_queue[c.row][c.queue] || pe->program->local[29]) again_flushed(pe);
        pe->flush_pending[c.row] &= (uint8_t)~(1u << c.queue);
        pe->flushed[c.row] |= (uint8_t)(1u << c.queue);
        if (pe->program->empty_queue[c.row][c.queue]) {
            function = pe->program->empty_queue[c.row][c.queue] - 1;
        } else if (pe->program->local[29]) { /* a task of the program's own on the teardown id */
            function = p->tasks[pe->program->local[29] - 1].function;
        } else {
            return;
        }
        break;
    case LOCAL:
        pe->active &= ~(1ull << c.id);
        function = rotated(pe, c.id, p->tasks[c.row].function);
        break;
    default: { /* DATA, CONTROL */
        function = c.what == DATA ? rotated(pe, c.id, p->tasks[c.row].function) : p->tasks[c.row].function;
        if (function != p->tasks[c.row].function) break; /* an alternative takes no wavelet (modelled) */
        tw__wave wave = tw__wse_queue_pop(part, pe, c.queue);
        count = arguments(&p->tasks[c.row], wave.payload, args);
    }
    }
    if (count > p->functions[function].params) count = p->functions[function].params;
    if (!pe->loaded) tw__wse_pe_load(pe);
    pe->task_id = (uint8_t)c.id;
    pe->task_start = now;
    pe->task_function = function;
    part->totals.tasks++;
    if (part->w->spans) tw__wse_note_span(part, pe, now, TW__WSE_TASK_BEGIN, c.id, function);
    if (!tw__wse_pe_enter(part, pe, function, args, count)) return;
    pe->main_state = TW__MAIN_RUN;
    pe->main_busy = now + tw__wse_figure(part, TW__WSE_M_TASK_START);
}

static void end_task(tw__part *part, tw__pe *pe)
{
    pe->main_state = TW__MAIN_IDLE;
    pe->main_busy += tw__wse_figure(part, TW__WSE_M_TASK_END);
    uint32_t number = tw__wse_pe_number(part, pe);
    if (pe->task_id == TW__WSE_HOST_TASK) pe->host_running = 0;
    if (part->w->spans) tw__wse_note_span(part, pe, pe->main_busy, TW__WSE_TASK_END, pe->task_id, 0);
    if (!part->w->counters) return;
    tw__wse_counters *c = &part->w->counters[number];
    tw__wse_heat_add(part, pe, (uint32_t)pe->program->program->code_count + pe->task_function,
                     (tw__wse_heat){ 1, pe->main_busy - pe->task_start, 0 });
    c->task_runs[pe->task_id]++;
    c->task_cycles[pe->task_id] += pe->main_busy - pe->task_start;
    if (pe->main_busy - pe->task_start > c->task_worst[pe->task_id])
        c->task_worst[pe->task_id] = (uint32_t)(pe->main_busy - pe->task_start);
}

/* --- the main thread's turn ----------------------------------------------------------------------------------- */

static void run_main(tw__part *part, tw__pe *pe, uint64_t now)
{
    uint64_t used = 0;
    if (pe->main_state == TW__MAIN_MAP) pe->main_state = TW__MAIN_RUN;
    uint64_t budget = pe->op_active ? tw__wse_figure(part, TW__WSE_M_SHARED_SLICE) : ALONE_SLICE;
    if (pe->unmasked) tw__wse_exceptions_clear();
    tw__run why = tw__wse_pe_run(part, pe, pe->unmasked ? 1 : budget, &used);
    if (pe->unmasked && tw__wse_exceptions_raised(part, pe, pe->pc)) why = TW__RUN_FAULT;
    pe->main_busy = now + used;
    if (part->w->debug) tw__wse_stopped(part, pe, why);
    if (part->motion)
        tw__wse_did_so(part, tw__wse_pe_number(part, pe), now, now + used, TW__WSE_DID_CODE, TW__WSE_ANY_COLOR);
    if (part->w->counters) part->w->counters[tw__wse_pe_number(part, pe)].scalar_cycles += used;
    if (why == TW__RUN_END) end_task(part, pe);
}

/* Where the main thread stands among microthreads, which have 2 (low), 4 (medium), 6 (high). */
static unsigned main_rank(const tw__pe *pe)
{
    static const uint8_t rank[] = { 3, 4, 5, 7 }; /* MEDIUM_LOW, MEDIUM, MEDIUM_HIGH, HIGH */
    return rank[pe->main_priority & 3];
}

static unsigned thread_rank(const tw__pe *pe, unsigned s)
{
    return 2 + 2 * (pe->ut_medium >> s & 1u) + 4 * (pe->ut_high >> s & 1u);
}

/* Microthreads from number `turn` on come first. */
static inline unsigned in_turn(unsigned threads, unsigned turn)
{
    return (threads | threads << 8) >> turn & 0xff;
}

/* Microthreads whose queues have what they need. */
static inline unsigned able_threads(const tw__pe *pe)
{
    return pe->op_active & pe->ut_ready & ~(unsigned)pe->ut_blocked;
}

/* The best microthread that can do something; -1 = none. *n: elements, 0 = a control wavelet waits. *later = when one
 * could whose set-up is still under way. */
static inline int best_thread(tw__part *part, tw__pe *pe, uint64_t now, unsigned *rank, uint32_t *n,
                              uint64_t *later)
{
    int best = -1;
    unsigned turn = (pe->last_ut + 1u) & 7, above = pe->ut_medium | pe->ut_high;
    for (unsigned rest = in_turn(able_threads(pe), turn); rest;) {
        unsigned s = ((unsigned)__builtin_ctz(rest) + turn) & 7;
        rest &= rest - 1;
        if (pe->ut_fresh >> s & 1) {
            uint64_t ready_at = pe->op[s]->ready_at;
            if (ready_at > now) {
                if (ready_at < *later) *later = ready_at;
                continue;
            }
            pe->ut_fresh &= (uint8_t)~(1u << s);
        }
        tw__op *op = pe->op[s];
        uint32_t ready = 1;
        if (!op->straight) { /* its queue is all that a straight move can wait for */
            ready = tw__wse_op_control_waits(pe, op) ? 0 : tw__wse_op_ready(pe, op);
            if (ready == 0 && !tw__wse_op_control_waits(pe, op)) {
                tw__wse_fifo_ends(part, pe, op); /* a FIFO may be declared to end it */
                continue;
            }
        }
        best = (int)s;
        *rank = 2; /* low */
        *n = ready;
        if (!above) break;
        *rank = thread_rank(pe, s);
        rest &= in_turn(*rank == 2 ? pe->ut_medium | pe->ut_high : *rank == 4 ? pe->ut_high : 0u, turn);
    }
    return best;
}

/* A control wavelet at an operation that ends with it: it stays in the queue, for the operation or the task that
 * comes next (docs/decisions.md, C7); or at one that counts them (@dfilt). */
static void take_control(tw__part *part, tw__pe *pe, tw__op *op)
{
    if (op->code != TW__CSL_OP_DFILT) {
        tw__wse_op_finish(part, pe, op, true);
        return;
    }
    tw__wse_queue_pop(part, pe, op->arg[2].queue);
    if (++op->done == op->length) tw__wse_op_finish(part, pe, op, false);
}

/* n elements, or with 0 the control wavelet that waits. */
static inline uint32_t run_op(tw__part *part, tw__pe *pe, tw__op *op, uint32_t n)
{
    if (op->straight) return tw__wse_op_straight(part, pe, op);
    if (n) return tw__wse_op_advance(part, pe, op, n);
    take_control(part, pe, op);
    return 1;
}

/* Does the operation of the main thread want the datapath? A FIFO that has run dry or full ends it here. */
static bool main_op_ready(tw__part *part, tw__pe *pe, uint64_t now, uint32_t *n, uint64_t *later)
{
    tw__op *op = pe->op[TW__WSE_MAIN];
    if (op->ready_at > now) {
        if (op->ready_at < *later) *later = op->ready_at;
        return false;
    }
    *n = 0;
    if (tw__wse_op_control_waits(pe, op) || (*n = tw__wse_op_ready(pe, op)) > 0) return true;
    unsigned action;
    if (tw__wse_fifo_stop(pe, op, &action) && action != TW__CSL_FIFO_SUSPEND) {
        pe->main_busy = now;
        tw__wse_fifo_ends(part, pe, op);
    }
    return false;
}

static bool may_have_task(const tw__pe *pe)
{
    return ((pe->active & ~pe->blocked) | (pe->in_busy & ~pe->in_taken) | (uintptr_t)pe->commands |
            pe->teardown_pending | pe->flush_pending[0] | pe->flush_pending[1]) != 0;
}

/* Scalar code: goes on, or takes up a task. False when it has nothing to do now. */
static inline bool scalar_turn(tw__part *part, tw__pe *pe, uint64_t now, uint64_t *later)
{
    bool idle = pe->main_state == TW__MAIN_IDLE;
    if (idle ? !may_have_task(pe) : pe->main_state != TW__MAIN_RUN && pe->main_state != TW__MAIN_MAP) return false;
    if (pe->main_state == TW__MAIN_MAP && tw__wse_map_waits(pe)) return false; /* until a queue wakes it */
    if (pe->main_busy > now) {
        if (pe->main_busy < *later) *later = pe->main_busy;
        return false;
    }
    if (idle) {
        choice task = pick(part, pe);
        if (task.what != NOTHING) pe_task_start(part, pe, task, now);
        return task.what != NOTHING;
    }
    run_main(part, pe, now);
    return true;
}

/* What a turn of the datapath did: nothing; something; elements of an operation that goes on, so that nothing has
 * become possible for scalar code. */
typedef enum { VECTOR_NONE, VECTOR_DONE, VECTOR_STEP } vector_did;

/* One use of the datapath: the best of the microthreads and the main thread's operation. */
static inline vector_did vector_turn(tw__part *part, tw__pe *pe, uint64_t now, uint64_t *later)
{
    bool main_op = pe->main_state == TW__MAIN_OP;
    if (!main_op && !able_threads(pe)) return VECTOR_NONE; /* what makes one able wakes the engine */
    if (pe->busy > now) {
        if (pe->busy < *later) *later = pe->busy;
        return VECTOR_NONE;
    }
    unsigned rank = 0;
    uint32_t n = 0, main_n = 0;
    int thread = best_thread(part, pe, now, &rank, &n, later);
    tw__op *op = thread >= 0 ? pe->op[thread] : NULL;
    if (main_op && (!op || rank <= main_rank(pe)) && main_op_ready(part, pe, now, &main_n, later)) {
        pe->busy = now + run_op(part, pe, pe->op[TW__WSE_MAIN], main_n);
        pe->main_busy = pe->busy;
        return VECTOR_DONE;
    }
    if (main_op && pe->main_state != TW__MAIN_OP) return VECTOR_DONE; /* it ended without an element */
    if (!op) return VECTOR_NONE;
    pe->last_ut = (uint8_t)thread;
    pe->busy = now + run_op(part, pe, op, n);
    return op->active && op->straight && !(pe->flush_pending[0] | pe->flush_pending[1]) ? VECTOR_STEP : VECTOR_DONE;
}

/* Until when what was begun in this turn takes. */
static inline void note_end(tw__part *part, const tw__pe *pe)
{
    uint64_t end = pe->main_busy > pe->busy ? pe->main_busy : pe->busy;
    if (part->last < end) part->last = end;
}

void tw__wse_engine_turn(tw__part *part, tw__pe *pe, uint64_t now)
{
    uint32_t number = tw__wse_pe_number(part, pe);
    part->w->due[number] = TW__WSE_NEVER;
    if (!pe->program) return;
    uint64_t later;
    bool acts = false;
    for (;; acts = true) {
        if (pe->main_state == TW__MAIN_FAULT) return;
        later = TW__WSE_NEVER;
        if (scalar_turn(part, pe, now, &later)) continue;
        uint64_t scalar = later;
        vector_did did = vector_turn(part, pe, now, &later);
        if (did == VECTOR_DONE) continue;
        if (did == VECTOR_NONE) break;
        acts = true;
        later = (pe->main_state == TW__MAIN_OP || able_threads(pe)) && pe->busy < scalar ? pe->busy : scalar;
        break;
    }
    if (acts) note_end(part, pe);
    if (later != TW__WSE_NEVER) tw__wse_wake_engine(part, number, later);
}
