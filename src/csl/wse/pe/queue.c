/* SPDX-License-Identifier: MIT */
/* queue: input and output queues, direct queues of colors without one, and FIFOs in PE memory. */
#include "csl/wse/pe/pe.h"

#include <string.h>

static tw__queue *queue_make(tw__part *part, tw__pe *pe, unsigned depth, unsigned color)
{
    tw__queue *q = tw__wse_piece(part, sizeof *q);
    if (!q) {
        tw__wse_fault(part, pe, "wse.memory", "out of host memory");
        return NULL;
    }
    q->depth = (uint8_t)depth;
    q->color = (uint8_t)color;
    return q;
}

int tw__wse_queue_for(tw__part *part, tw__pe *pe, unsigned color, bool output)
{
    uint8_t *of_color = output ? pe->out_of_color : pe->in_of_color;
    if (of_color[color]) return of_color[color] - 1;
    unsigned number = TW__WSE_DIRECT + color;
    tw__queue **queues = output ? pe->out_queue : pe->in_queue;
    if (!queues[number])
        queues[number] = queue_make(
            part, pe, tw__wse_figure(part, output ? TW__WSE_M_DIRECT_OUT_DEPTH : TW__WSE_M_DIRECT_DEPTH), color);
    if (!queues[number]) return -1;
    of_color[color] = (uint8_t)(number + 1);
    return (int)number;
}

bool tw__wse_queue_bind(tw__part *part, tw__pe *pe, unsigned queue, unsigned color, bool output)
{
    tw__queue **queues = output ? pe->out_queue : pe->in_queue;
    uint8_t *of_color = output ? pe->out_of_color : pe->in_of_color;
    if (queues[queue] && queues[queue]->color == color && (output || of_color[color] == queue + 1)) return true;
    unsigned depth = tw__wse_queue_depth[part->w->arch][output][queue];
    if (depth == 0) {
        tw__wse_fault(part, pe, "wse.queue", "%s queue %u does not exist on this architecture",
                      output ? "output" : "input", queue);
        return false;
    }
    if (!queues[queue] && !(queues[queue] = queue_make(part, pe, depth, color))) return false;
    tw__queue *q = queues[queue];
    if (q->color != color) {
        if (q->count &&
            !tw__wse_misuse(part, pe, "wse.queue",
                            "%s queue %u is bound to color %u while %u wavelet(s) of color %u are still in it",
                            output ? "output" : "input", queue, color, q->count, q->color))
            return false;
        if (of_color[q->color] == queue + 1) of_color[q->color] = 0;
        tw__wse_queue_freed(part, tw__wse_pe_number(part, pe), q->color); /* its direct queue may have room */
        q->color = (uint8_t)color;
    }
    if (output) return true; /* several queues may feed one color; each wavelet knows its color */
    tw__queue *direct = of_color[color] ? queues[of_color[color] - 1] : NULL;
    of_color[color] = (uint8_t)(queue + 1);
    while (direct && direct != q && direct->count && q->count < q->depth) { /* what came before the binding */
        tw__wse_queue_add(q, tw__wse_queue_head(direct));
        tw__wse_queue_drop(direct, 1);
        pe->in_busy |= 1u << queue;
        tw__wse_queue_changed(pe, q);
    }
    if (direct && direct != q && direct->count == 0) {
        pe->in_busy &= ~(1u << (TW__WSE_DIRECT + color));
        tw__wse_queue_changed(pe, direct);
    }
    tw__wse_queue_freed(part, tw__wse_pe_number(part, pe), color); /* what found the direct queue full */
    return true;
}

tw__wave tw__wse_queue_pop(tw__part *part, tw__pe *pe, unsigned queue)
{
    tw__queue *q = pe->in_queue[queue];
    tw__wave wave = tw__wse_queue_head(q);
    tw__wse_queue_drop(q, 1);
    if (q->count == 0) {
        pe->in_busy &= ~(1u << queue);
        tw__wse_queue_changed(pe, q);
    }
    tw__wse_queue_freed(part, tw__wse_pe_number(part, pe), q->color);
    return wave;
}

void tw__wse_queue_push(tw__part *part, tw__pe *pe, unsigned queue, tw__wave wave)
{
    tw__wse_queue_add(pe->out_queue[queue], wave);
    part->totals.wavelets++;
    tw__wse_queue_filled(part, pe, queue);
}

/* Will the operation in this slot, and nothing else, have the datapath in the `n` cycles after `at`, whatever else
 * lands until then? Scalar code that runs in these cycles comes before it and would see what it has not done yet. */
static inline bool comes_next(const tw__pe *pe, unsigned slot, uint64_t at, unsigned n)
{
    if (pe->busy > at + 1 || pe->ports || pe->flush_pending[0]) return false;
    if (slot == TW__WSE_MAIN) return pe->op_active == 0;
    if (pe->op_active != 1u << slot || pe->ut_blocked >> slot & 1) return false;
    return pe->main_state == TW__MAIN_IDLE || (pe->main_state == TW__MAIN_RUN && pe->main_busy > at + n);
}

/* n wavelets, one a cycle from `at` on, that a waiting straight move takes as they land, as it would in the cycles
 * after those; the last one ends the operation, and goes through the queue. */
static inline bool straight_in(tw__part *part, tw__pe *pe, const tw__queue *q, const uint32_t *payload, unsigned n,
                               uint64_t at)
{
    if (!q->op || q->count || part->w->options.reference) return false;
    unsigned slot = q->op - 1u;
    if (!comes_next(pe, slot, at, n)) return false;
    tw__op *op = pe->op[slot];
    if (op->straight != TW__STRAIGHT_IN || op->done + n >= op->length || op->ready_at > at + 1) return false;
    for (unsigned k = 0; k < n; k++, op->at += (uint32_t)op->stride)
        if (op->size == 4)
            memcpy(pe->memory + op->at, &payload[k], 4);
        else
            memcpy(pe->memory + op->at, &payload[k], 2);
    op->done += n;
    pe->busy = at + 1 + n;
    if (slot < TW__WSE_MAIN) pe->last_ut = (uint8_t)slot;
    if (part->last < pe->busy) part->last = pe->busy;
    return true;
}

void tw__wse_engine_takes_watched(tw__part *part, uint32_t number, unsigned queue, uint32_t payload, unsigned flags,
                                  uint64_t at)
{
    tw__pe *pe = &part->w->pe[number];
    tw__queue *q = pe->in_queue[queue];
    if (part->w->options.trace)
        tw__wse_note(part, number, at, TW__WSE_LANDING, q->color | (flags & TW__WSE_CONTROL) << 16, payload);
    if (straight_in(part, pe, q, &payload, 1, at)) {
        tw__wse_count_op(part, pe, pe->op[q->op - 1], 1, 1);
        return;
    }
    tw__wse_queue_add(q, (tw__wave){ payload, q->color, (uint8_t)flags, 0 });
    if (q->count == 1) {
        pe->in_busy |= 1u << queue;
        tw__wse_queue_changed(pe, q);
    }
    tw__wse_queue_wakes(part, number, q, at + tw__wse_figure(part, TW__WSE_M_DELIVER));
}

bool tw__wse_engine_takes_straight(tw__part *part, tw__pe *pe, const tw__queue *q, uint32_t payload, uint64_t at)
{
    if (!straight_in(part, pe, q, &payload, 1, at)) return false;
    part->totals.beats++;
    return true;
}

bool tw__wse_engine_takes_two(tw__part *part, uint32_t number, unsigned color, const uint32_t payload[2],
                              uint64_t at)
{
    tw__pe *pe = &part->w->pe[number];
    unsigned queue = pe->in_of_color[color];
    if (!queue || !straight_in(part, pe, pe->in_queue[queue - 1], payload, 2, at)) return false;
    part->totals.beats += 2;
    return true;
}

/* --- FIFOs: bytes in a ring; an access takes elements of the operation's size --------------------------------- */

static uint32_t capacity(const tw__pe *pe, const tw__opnd *o)
{
    return pe->program->program->fifos[o->fifo].bytes;
}

/* Elements that an operation moves together: the SIMD width of its operands, but no more than it has left. */
static uint32_t together(const tw__op *op)
{
    static const uint8_t width[] = {
        [TW__CSL_SIMD_OFF] = 1, [TW__CSL_SIMD_32] = 2, [TW__CSL_SIMD_64] = 4, [TW__CSL_SIMD_32_OR_64] = 2
    };
    uint32_t most = 1, left = op->length == TW__CSL_UNBOUNDED ? UINT32_MAX : op->length - op->done;
    for (unsigned k = 0; k < 3; k++)
        if (width[op->arg[k].simd] > most) most = width[op->arg[k].simd];
    return most < left ? most : left;
}

uint32_t tw__wse_fifo_ready(const tw__pe *pe, const tw__op *op, unsigned k)
{
    const tw__opnd *o = &op->arg[k];
    const tw__fifo_state *fifo = &pe->fifo[o->fifo];
    uint32_t there = (k == 0 ? capacity(pe, o) - fifo->count : fifo->count) / o->size, step = together(op);
    return step > 1 && there < op->length - op->done ? there - there % step : there;
}

const tw__opnd *tw__wse_fifo_stop(const tw__pe *pe, const tw__op *op, unsigned *action)
{
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind != TW__O_FIFO || tw__wse_fifo_ready(pe, op, k) != 0) continue;
        const tw__csl_fifo *fifo = &pe->program->program->fifos[o->fifo];
        *action = k == 0 ? fifo->full_action : fifo->empty_action;
        return o;
    }
    return NULL;
}

bool tw__wse_fifo_ends(tw__part *part, tw__pe *pe, tw__op *op)
{
    unsigned action;
    const tw__opnd *o = tw__wse_fifo_stop(pe, op, &action);
    if (!o || action == TW__CSL_FIFO_SUSPEND || (action == TW__CSL_FIFO_TEST_OR_SUSPEND && op->async)) return false;
    if (action == TW__CSL_FIFO_FAULT) {
        tw__wse_fault(part, pe, "wse.fifo", "FIFO '%s' is %s, and its declaration makes that a fault",
                      pe->program->program->fifos[o->fifo].name, o == &op->arg[0] ? "full" : "empty");
        return true;
    }
    op->result = action == TW__CSL_FIFO_TERMINATE;
    tw__wse_op_finish(part, pe, op, false);
    return true;
}

void tw__wse_fifo_wants(tw__pe *pe, const tw__op *op, unsigned k)
{
    const tw__opnd *o = &op->arg[k];
    uint32_t need = o->size * together(op);
    if (k == 0)
        pe->fifo[o->fifo].need_space = need;
    else
        pe->fifo[o->fifo].need_data = need;
}

void tw__wse_fifo_peek(const tw__pe *pe, const tw__opnd *o, void *to, uint32_t n)
{
    const uint8_t *ring = pe->memory + pe->program->program->fifos[o->fifo].address;
    uint32_t head = pe->fifo[o->fifo].head, bytes = n * o->size, end = capacity(pe, o) - head;
    uint32_t first = bytes < end ? bytes : end;
    memcpy(to, ring + head, first);
    memcpy((uint8_t *)to + first, ring, bytes - first);
}

void tw__wse_fifo_pop(tw__part *part, tw__pe *pe, const tw__opnd *o, uint32_t n)
{
    tw__fifo_state *fifo = &pe->fifo[o->fifo];
    uint32_t bytes = n * o->size, space = capacity(pe, o) - fifo->count;
    fifo->head = (fifo->head + bytes) % capacity(pe, o);
    fifo->count -= bytes;
    if (!fifo->need_space || space >= fifo->need_space || space + bytes < fifo->need_space) return;
    fifo->need_space = 0; /* a full event, and this pop makes room for the operation that met it */
    unsigned task = pe->program->program->fifos[o->fifo].pop_task;
    if (task != TW__CSL_NO_ID) tw__wse_activate(part, pe, task);
}

void tw__wse_fifo_push(tw__part *part, tw__pe *pe, const tw__opnd *o, const void *from, uint32_t n)
{
    tw__fifo_state *fifo = &pe->fifo[o->fifo];
    uint8_t *ring = pe->memory + pe->program->program->fifos[o->fifo].address;
    uint32_t size = capacity(pe, o), bytes = n * o->size, before = fifo->count;
    uint32_t tail = (fifo->head + fifo->count) % size, first = bytes < size - tail ? bytes : size - tail;
    memcpy(ring + tail, from, first);
    memcpy(ring, (const uint8_t *)from + first, bytes - first);
    fifo->count += bytes;
    if (!fifo->need_data || before >= fifo->need_data || fifo->count < fifo->need_data) return;
    fifo->need_data = 0;
    unsigned task = pe->program->program->fifos[o->fifo].push_task;
    if (task != TW__CSL_NO_ID) tw__wse_activate(part, pe, task);
}
