/* SPDX-License-Identifier: MIT */
/* A processing element at work: its code, its DSD operations, queues, tasks, and its mailbox. It uses the state of
 * the wafer and knows nothing of who moves wavelets or of when its turn comes. */
#ifndef TW_CSL_WSE_PE_PE_H
#define TW_CSL_WSE_PE_PE_H

#include "core/base/checkpoint.h"
#include "csl/wse/state/state.h"

/* --- ops.c, load.c -------------------------------------------------------------------------------------------- */
tw_status tw__wse_kernels(tw__wse *w);
tw_status tw__wse_decode(tw__wse *w);
void tw__wse_decode_free(tw__wse *w);
bool tw__wse_pe_start(tw__part *part, tw__pe *pe);     /* ids, queues, routes, DSRs as at the start */
void tw__wse_pe_load(tw__pe *pe);                      /* its memory as at the start, before anything looks at it */
unsigned tw__wse_op_width(unsigned op, unsigned arch); /* elements per cycle */

/* --- interp.c, slow.c ----------------------------------------------------------------------------------------- */
typedef enum tw__run {
    TW__RUN_END,   /* the task is over */
    TW__RUN_SLICE, /* budget used up */
    TW__RUN_SYNC,  /* the next instruction wants the clock of the fabric to be its own */
    TW__RUN_WAIT,  /* main_state says what for */
    TW__RUN_FAULT
} tw__run;
tw__run tw__wse_pe_run(tw__part *part, tw__pe *pe, uint64_t budget, uint64_t *used);
bool tw__wse_pe_enter(tw__part *part, tw__pe *pe, uint32_t function, const uint64_t *args, unsigned count);
bool tw__wse_need_registers(tw__part *part, tw__pe *pe, uint32_t end);
bool tw__wse_need_frame(tw__part *part, tw__pe *pe);
typedef enum tw__slow { TW__SLOW_NEXT, TW__SLOW_WAIT, TW__SLOW_FAULT, TW__SLOW_CALL } tw__slow;
/* Instructions that are not worth a place in the loop. `clock` = cycle of the instruction; *cost in cycles. */
tw__slow tw__wse_pe_slow(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint64_t clock,
                         uint32_t *cost);
tw__slow tw__wse_pe_map(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint32_t pc);
/* In state MAP: has no element to fetch, or no room for one to store. */
bool tw__wse_map_waits(const tw__pe *pe);

/* --- stop.c: a debugger --------------------------------------------------------------------------------------- */
/* Before an instruction at pe->pc, in this cycle of the PE: TW__RUN_SLICE = it may run; else why the code stops. */
tw__run tw__wse_stop_before(tw__part *part, tw__pe *pe, uint64_t clock);
void tw__wse_stopped(tw__part *part, const tw__pe *pe, tw__run why); /* after a slice of scalar code */
/* What an instruction is, behind what leads to the check of an index or to a debugger. */
unsigned tw__wse_op_behind(const tw__decoded *d, uint32_t at);
bool tw__wse_debug_asks(tw__wse *w, tw__wse_stop stop); /* the hook; false = the run ends */
void tw__wse_debug_free(tw__wse *w);

/* --- operand.c ------------------------------------------------------------------------------------------------ */
static inline tw__csl_dsd tw__wse_dsd_at(const uint64_t *r, unsigned at)
{
    tw__csl_dsd dsd;
    memcpy(&dsd, r + at, sizeof dsd);
    return dsd;
}
/* A memory or fabric operand as it is at its first element; false after a fault. */
bool tw__wse_opnd_dsd(tw__part *part, tw__pe *pe, tw__opnd *o, const tw__csl_dsd *dsd, unsigned size, bool is_dst,
                      bool has_index, uint16_t index);
/* All of them; false after a fault. */
bool tw__wse_operands(tw__part *part, tw__pe *pe, tw__op *op, const uint64_t *r);

/* --- dsd.c: operations begin ---------------------------------------------------------------------------------- */
/* Synchronous and on memory only: done at once; false = a fault was reported. */
bool tw__wse_dsd_simple(tw__part *part, tw__pe *pe, const tw__decoded_use *use, const uint64_t *r, uint32_t *cost);
tw__slow tw__wse_dsd_issue(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint64_t clock,
                           uint32_t *cost);
void tw__wse_dsr_load(tw__part *part, tw__pe *pe, const tw__csl_dsr_load *load, const tw__csl_dsd *dsd,
                      const uint64_t *r);

/* --- step.c: operations go on --------------------------------------------------------------------------------- */
uint32_t tw__wse_op_ready(tw__pe *pe, tw__op *op); /* elements that could be done now, at most one slice */
uint32_t tw__wse_op_advance(tw__part *part, tw__pe *pe, tw__op *op,
                            uint32_t n);                              /* cycles it takes; finishes the operation */
uint32_t tw__wse_op_straight(tw__part *part, tw__pe *pe, tw__op *op); /* the same for a straight move: all it can */
void tw__wse_op_release(tw__pe *pe, const tw__op *op);                /* its queues */
void tw__wse_count_op(tw__part *part, tw__pe *pe, const tw__op *op, uint32_t n, uint32_t cycles);
uint32_t tw__wse_op_beats(const tw__part *part, const tw__op *op, uint32_t n); /* cycles for n elements on memory */
bool tw__wse_op_control_waits(tw__pe *pe, const tw__op *op); /* on_control and a control wavelet is next */
void tw__wse_op_finish(tw__part *part, tw__pe *pe, tw__op *op, bool by_control);
void tw__wse_act(tw__part *part, tw__pe *pe, unsigned kind, unsigned id);      /* tw__csl_action_kind */
bool tw__wse_opnd_get(tw__part *part, tw__pe *pe, tw__opnd *o, void *element); /* one element; false = none there */
bool tw__wse_opnd_put(tw__part *part, tw__pe *pe, tw__opnd *o, const void *element);

/* --- queue.c ------------------------------------------------------------------------------------------------ */
/* The FIFO operand that holds the operation up (none: NULL), and what its declaration says of that. */
const tw__opnd *tw__wse_fifo_stop(const tw__pe *pe, const tw__op *op, unsigned *action);
/* Ends the operation as the action says; false: it goes on waiting. A fault counts as an end. */
bool tw__wse_fifo_ends(tw__part *part, tw__pe *pe, tw__op *op);
uint32_t tw__wse_fifo_ready(const tw__pe *pe, const tw__op *op, unsigned k); /* elements for operand k */
void tw__wse_fifo_peek(const tw__pe *pe, const tw__opnd *o, void *to, uint32_t n);
void tw__wse_fifo_pop(tw__part *part, tw__pe *pe, const tw__opnd *o, uint32_t n);
void tw__wse_fifo_push(tw__part *part, tw__pe *pe, const tw__opnd *o, const void *from, uint32_t n);
void tw__wse_fifo_wants(tw__pe *pe, const tw__op *op, unsigned k); /* hit full or empty */

/* Queue index for a color: the bound one, else its direct queue; -1 = out of memory. */
int tw__wse_queue_for(tw__part *part, tw__pe *pe, unsigned color, bool output);
bool tw__wse_queue_bind(tw__part *part, tw__pe *pe, unsigned queue, unsigned color, bool output);
tw__wave tw__wse_queue_pop(tw__part *part, tw__pe *pe, unsigned queue); /* an input queue; wakes the router */
void tw__wse_queue_push(tw__part *part, tw__pe *pe, unsigned queue, tw__wave wave); /* an output queue */
static inline unsigned tw__wse_queue_room(const tw__queue *q)
{
    return (unsigned)q->depth - q->count;
}
/* A queue has become empty, full, or neither: can the microthread that uses it do anything? */
static inline void tw__wse_thread_check(tw__pe *pe, unsigned slot)
{
    bool waits = pe->ut_in[slot] & ~pe->in_busy || pe->ut_out[slot] & pe->out_full;
    pe->ut_ready = (uint8_t)((pe->ut_ready & ~(1u << slot)) | (waits ? 0 : 1u << slot));
}
static inline void tw__wse_queue_changed(tw__pe *pe, const tw__queue *q)
{
    if (q->op && q->op <= TW__WSE_MAIN) tw__wse_thread_check(pe, q->op - 1u);
}
/* Something has happened to a queue that its operation, or with none a task or @map, may have waited for: the engine
 * looks at it in cycle `at`, or when the datapath is free. */
static inline void tw__wse_queue_wakes(tw__part *part, uint32_t number, const tw__queue *q, uint64_t at)
{
    uint64_t busy = part->w->pe[number].busy;
    tw__wse_wake_engine(part, number, q->op && busy > at ? busy : at);
}
/* Places in an input queue have become free: the router may have a wavelet for it. */
static inline void tw__wse_queue_freed(tw__part *part, uint32_t pe, unsigned color)
{
    tw__router *router = &part->w->router[pe];
    uint32_t waiting = router->channel_of[color] ? 1u << (router->channel_of[color] - 1) : 0;
    router->ready |= waiting;
    if (router->busy & waiting || router->has_ports) tw__wse_wake_place(part->w, router->place, part->now + 1);
}
/* Wavelets have come to an output queue. */
static inline void tw__wse_queue_filled(tw__part *part, tw__pe *pe, unsigned queue)
{
    tw__queue *q = pe->out_queue[queue];
    if (q->count == q->depth) {
        pe->out_full |= 1u << queue;
        tw__wse_queue_changed(pe, q);
    }
    tw__router *router = &part->w->router[tw__wse_pe_number(part, pe)];
    router->out_busy |= 1u << queue;
    tw__wse_wake_place(part->w, router->place, part->now + 1);
}
/* The queue by which the router hands over a wavelet of this color, -1 = no room. Makes the direct queue. */
static inline int tw__wse_engine_accepts(tw__part *part, tw__pe *pe, unsigned color)
{
    int queue = pe->in_of_color[color] ? pe->in_of_color[color] - 1 : tw__wse_queue_for(part, pe, color, false);
    return queue >= 0 && pe->in_queue[queue]->count < pe->in_queue[queue]->depth ? queue : -1;
}
/* It takes a wavelet. The first is for when events or counters are kept; the second when a straight move that is the
 * only operation may take it as it lands: false = it does not, the wavelet goes into its queue. */
void tw__wse_engine_takes_watched(tw__part *part, uint32_t pe, unsigned queue, uint32_t payload, unsigned flags,
                                  uint64_t at);
bool tw__wse_engine_takes_straight(tw__part *part, tw__pe *pe, const tw__queue *q, uint32_t payload, uint64_t at);
static inline void tw__wse_engine_takes(tw__part *part, uint32_t number, unsigned queue, uint32_t payload,
                                        unsigned flags, uint64_t at)
{
    tw__pe *pe = &part->w->pe[number];
    tw__queue *q = pe->in_queue[queue];
    if (!part->w->plain) {
        tw__wse_engine_takes_watched(part, number, queue, payload, flags, at);
        return;
    }
    if (q->count == 0) {
        bool only = q->op && !(pe->op_active & ~(1u << (q->op - 1u)));
        if (only && tw__wse_engine_takes_straight(part, pe, q, payload, at)) return;
        pe->in_busy |= 1u << queue;
        tw__wse_queue_changed(pe, q);
    }
    unsigned place = (q->head + q->count++) & (TW__WSE_RING - 1u);
    q->payload[place] = payload;
    q->colors[place] = q->color;
    q->flags[place] = (uint8_t)flags;
    tw__wse_queue_wakes(part, number, q, at + tw__wse_figure(part, TW__WSE_M_DELIVER));
}
/* Wavelets that land in cycles `at` and the next, if an operation takes both as they come; not while events or
 * counters are kept. */
bool tw__wse_engine_takes_two(tw__part *part, uint32_t pe, unsigned color, const uint32_t payload[2], uint64_t at);

/* --- task.c: the compute engine's turn ------------------------------------------------------------------------ */
void tw__wse_engine_turn(tw__part *part, tw__pe *pe, uint64_t now);
void tw__wse_activate(tw__part *part, tw__pe *pe, unsigned id);
void tw__wse_block(tw__part *part, tw__pe *pe, unsigned kind, unsigned id, bool block);

/* --- exception.c: floating-point exceptions since the last clear; a raised one that the program unmasked is a fault
 * at instruction `at`, which comes soon behind what raised it */
void tw__wse_exceptions_clear(void);
bool tw__wse_exceptions_raised(tw__part *part, tw__pe *pe, uint32_t at);

/* --- config.c, service.c -------------------------------------------------------------------------------------- */
uint16_t tw__wse_config_get(tw__part *part, tw__pe *pe, uint16_t word);
void tw__wse_config_set(tw__part *part, tw__pe *pe, uint16_t word, uint16_t value);
/* The PE's clock at a cycle of the fabric: its 48 bits, a new value, on or off. */
uint64_t tw__wse_tsc(const tw__pe *pe, uint64_t clock);
void tw__wse_tsc_set(tw__pe *pe, uint64_t clock, uint64_t value);
void tw__wse_tsc_switch(tw__pe *pe, uint64_t clock, bool on);

/* False = unknown service or a fault. r = window; clock = cycle. */
bool tw__wse_service(tw__part *part, tw__pe *pe, unsigned number, uint64_t *r, uint64_t clock);

/* --- mail.c: messages of <message_passing> --------------------------------------------------------------------- */
enum { TW__WSE_MESSAGE = 32, TW__WSE_MAIL_LINE = 160 }; /* elements of a message (release notes of 1.3); a line */
/* The PE takes part, by these queues, where the program has bound them to colors. False = out of memory. */
bool tw__wse_mail_begin(tw__part *part, tw__pe *pe, unsigned in_queue, unsigned out_queue);
void tw__wse_mail_free(tw__pe *pe);
void tw__wse_mail_end(tw__wse *w); /* what it has of other ranks */
/* What another rank's mailbox says; false = out of memory. */
bool tw__wse_mail_take(tw__part *part, const tw__letter *letter);
/* Services of the library; false after a fault. */
bool tw__wse_mail_init(tw__part *part, tw__pe *pe);
bool tw__wse_mail_ready(tw__part *part, tw__pe *pe);
bool tw__wse_mail_header(tw__part *part, tw__pe *pe, unsigned x, unsigned y, unsigned count, uint32_t *header);
/* An output queue has a wavelet: it can go with a message now; it goes. */
bool tw__wse_mail_sends(const tw__part *part, const tw__pe *pe, unsigned queue);
void tw__wse_mail_send(tw__part *part, tw__pe *pe, uint32_t payload);
void tw__wse_mail_turn(tw__part *part, tw__pe *pe); /* what has arrived goes on to the compute engine */
/* For the report: the k-th message that this PE has not taken; false = there are not so many. */
bool tw__wse_mail_waiting(const tw__wse *w, uint32_t pe, unsigned k, char out[TW__WSE_MAIL_LINE]);
bool tw__wse_mail_owns(const tw__pe *pe, unsigned queue); /* an output queue */
void tw__wse_mail_walk(tw__ck *k, tw__part *part, tw__pe *pe);
/* Of a checkpoint: each message is under way in one place, at its receiver, and can be. */
bool tw__wse_mail_stands(const tw__wse *w);
extern const tw__ck_table tw__wse_mail_tables[];

/* --- save.c, sound.c: checkpoints ----------------------------------------------------------------------------- */
extern const tw__ck_table tw__wse_pe_tables[];
void tw__wse_pe_walk(tw__ck *k, tw__part *part, tw__pe *pe); /* behind its router */
void tw__wse_pe_sound(tw__ck *k, tw__part *part, const tw__pe *pe);

#endif
