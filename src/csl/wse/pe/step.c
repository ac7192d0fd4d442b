/* SPDX-License-Identifier: MIT */
/* step: a DSD operation goes on - as many elements as its operands have or take right now, by one kernel call per
 * run. */
#include "csl/wse/pe/pe.h"

#include <string.h>

enum { CHUNK = 64 }; /* elements between queues or FIFOs and memory at a time */

/* Elements in a wavelet of this fabric operand. */
static unsigned per_wavelet(const tw__opnd *o)
{
    return o->simd != TW__CSL_SIMD_OFF ? 2 : 1;
}

static bool stops_at_control(const tw__op *op)
{
    return op->on_kind != TW__CSL_ACT_NONE;
}

bool tw__wse_op_control_waits(tw__pe *pe, const tw__op *op)
{
    if (!stops_at_control(op) && op->code != TW__CSL_OP_DFILT) return false;
    for (unsigned k = 1; k < 3; k++) {
        if (op->arg[k].kind != TW__O_IN) continue;
        const tw__queue *q = pe->in_queue[op->arg[k].queue];
        if (q->count && q->flags[q->head] & TW__WSE_CONTROL) return true;
    }
    return false;
}

static uint32_t in_ready(const tw__pe *pe, const tw__op *op, const tw__opnd *o, uint32_t want)
{
    const tw__queue *q = pe->in_queue[o->queue];
    unsigned each = per_wavelet(o), count = q->count;
    if (stops_at_control(op) || op->code == TW__CSL_OP_DFILT)
        for (unsigned k = 0; k < count; k++)
            if (q->flags[(q->head + k) & (TW__WSE_RING - 1)] & TW__WSE_CONTROL) count = k;
    uint32_t n = count * each - (count ? o->half : 0);
    /* simd_64: two wavelets at a time, unless one is all that is left */
    if (o->simd == TW__CSL_SIMD_64 && n < 4 && want > n) return 0;
    return n;
}

static uint32_t min32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t tw__wse_op_ready(tw__pe *pe, tw__op *op)
{
    uint32_t n = op->length == TW__CSL_UNBOUNDED ? UINT32_MAX : op->length - op->done;
    if (op->straight == TW__STRAIGHT_IN) return min32(n, pe->in_queue[op->queue]->count);
    if (op->straight == TW__STRAIGHT_OUT) return min32(n, tw__wse_queue_room(pe->out_queue[op->queue]));
    if (op->code == TW__CSL_OP_DFILT) n = UINT32_MAX; /* its length counts control wavelets */
    for (unsigned k = 0; k < 3 && n; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind == TW__O_IN) n = min32(n, in_ready(pe, op, o, n));
        if (o->kind == TW__O_OUT) {
            uint32_t room = tw__wse_queue_room(pe->out_queue[o->queue]) * per_wavelet(o);
            n = min32(n, room > o->half ? room - o->half : 0);
        }
        if (o->kind == TW__O_FIFO) {
            uint32_t there = tw__wse_fifo_ready(pe, op, k);
            if (there == 0) tw__wse_fifo_wants(pe, op, k);
            n = min32(n, there);
        }
    }
    return n;
}

/* --- elements in and out -------------------------------------------------------------------------------------- */

static uint32_t transformed_in(tw__part *part, tw__pe *pe, const tw__opnd *o, tw__wave wave)
{
    if (!(o->flags & TW__CSL_DSD_TRANSFORM)) return wave.payload;
    uint32_t marks = wave.payload & 0xc0000000u, rest = wave.payload & 0x3fffffffu;
    if (marks && !(wave.flags & TW__WSE_CONTROL))
        tw__wse_misuse(part, pe, "wse.transform",
                       "control_transform leaves 14 bits of the index: bits 15 or 14 were set");
    /* The mask of <tile_config/control_transform> turns bits of the control task's id (modelled: on arrival). */
    return wave.flags & TW__WSE_CONTROL ? (rest ^ (uint32_t)pe->transform_mask << 16) | 0x80000000u : rest;
}

static void take_in(tw__part *part, tw__pe *pe, tw__opnd *o, uint8_t *to, uint32_t n)
{
    unsigned each = per_wavelet(o);
    for (uint32_t k = 0; k < n; k++) {
        const tw__queue *q = pe->in_queue[o->queue];
        uint32_t payload = transformed_in(part, pe, o, tw__wse_queue_head(q));
        if (each == 2 && o->half) payload >>= 16;
        if (o->size == 2) {
            uint16_t low = (uint16_t)payload;
            memcpy(to + 2 * k, &low, 2);
        } else {
            memcpy(to + 4 * k, &payload, 4);
        }
        if (each == 2 && !o->half) {
            o->half = 1;
        } else {
            o->half = 0;
            tw__wse_queue_pop(part, pe, o->queue);
        }
    }
}

static void send(tw__part *part, tw__pe *pe, const tw__opnd *o, uint32_t payload, bool last)
{
    tw__wave wave = { .payload = payload | (uint32_t)o->index << 16,
                      .color = pe->out_queue[o->queue]->color,
                      .flags = TW__WSE_VALID };
    if (o->flags & TW__CSL_DSD_CONTROL) wave.flags |= TW__WSE_CONTROL;
    if (o->flags & TW__CSL_DSD_TRANSFORM) {
        if ((wave.payload >> 30) == 2) wave.flags |= TW__WSE_CONTROL;
        wave.payload &= 0x3fffffffu;
    }
    if (last && o->flags & TW__CSL_DSD_ADVANCE) wave.flags |= TW__WSE_ADVANCE;
    tw__wse_queue_push(part, pe, o->queue, wave);
}

static void put_out(tw__part *part, tw__pe *pe, const tw__op *op, tw__opnd *o, const uint8_t *from, uint32_t n)
{
    unsigned each = per_wavelet(o);
    for (uint32_t k = 0; k < n; k++) {
        bool last = op->length != TW__CSL_UNBOUNDED && op->done + k + 1 == op->length;
        uint32_t payload = 0;
        memcpy(&payload, from + k * o->size, o->size);
        if (each == 1) {
            send(part, pe, o, payload, last);
        } else if (o->half) {
            send(part, pe, o, payload << 16 | o->held, last);
            o->half = 0;
        } else if (last) {
            send(part, pe, o, payload, true);
        } else {
            o->held = (uint16_t)payload;
            o->half = 1;
        }
    }
}

static bool run_inside(tw__part *part, tw__pe *pe, const tw__opnd *o, int64_t first, int64_t stride, uint32_t n)
{
    int64_t last = first + stride * ((int64_t)n - 1), low = first < last ? first : last,
            high = first < last ? last : first;
    if (low >= (int64_t)o->low && high + o->size <= (int64_t)o->high) return true;
    if (low >= 0 && high + o->size <= TW__CSL_PE_BYTES)
        tw__wse_fault(part, pe, "wse.bounds",
                      "a DSD reaches bytes 0x%04llx to 0x%04llx, outside its array at 0x%04x to 0x%04x",
                      (long long)low, (long long)(high + o->size - 1), o->low, o->high - 1);
    else
        tw__wse_fault(part, pe, "wse.address", "a DSD reaches byte %lld, outside the %u bytes of PE memory",
                      (long long)(low < 0 ? low : high + o->size - 1), TW__CSL_PE_BYTES);
    return false;
}

/* --- one slice ------------------------------------------------------------------------------------------------ */

/* How many of n elements lie in one run of every operand. */
static uint32_t run_length(const tw__op *op, uint32_t n)
{
    for (unsigned k = 0; k < 4; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind == TW__O_WALK) {
            const tw_walk *walk = &o->walk->walk;
            if (walk->rank == 0) return 0;
            size_t left = walk->extent[walk->rank - 1] - walk->index[walk->rank - 1];
            if (left < n) n = (uint32_t)left;
        }
        if ((o->kind == TW__O_IN || o->kind == TW__O_OUT || o->kind == TW__O_FIFO) && n > CHUNK) n = CHUNK;
    }
    return n;
}

static bool lend(tw__part *part, tw__pe *pe, tw__opnd *o, unsigned k, uint32_t n, uint8_t *buffer, tw_run *run)
{
    switch ((tw__opnd_kind)o->kind) {
    case TW__O_NONE: *run = (tw_run){ 0 }; return true;
    case TW__O_SCALAR: *run = (tw_run){ &o->scalar, 0, n }; return true;
    case TW__O_MEM:
        if (!run_inside(part, pe, o, o->at, o->stride, n)) return false;
        *run = (tw_run){ pe->memory + o->at, o->stride, n };
        o->at = (uint32_t)((int64_t)o->at + (int64_t)o->stride * n);
        return true;
    case TW__O_WALK: {
        tw_walk_next(&o->walk->walk, n, run);
        int64_t first = (int64_t)((intptr_t)run->at - (intptr_t)pe->memory);
        return run_inside(part, pe, o, first, run->stride, n);
    }
    case TW__O_IN: take_in(part, pe, o, buffer, n); break;
    case TW__O_FIFO:
        if (k != 0) {
            tw__wse_fifo_peek(pe, o, buffer, n);
            tw__wse_fifo_pop(part, pe, o, n);
        }
        break;
    case TW__O_OUT: break;
    }
    *run = (tw_run){ buffer, o->size, n };
    return true;
}

static uint32_t slice(tw__part *part, tw__pe *pe, tw__op *op, uint32_t n)
{
    uint8_t buffer[4][CHUNK * 4];
    tw_run arg[4];
    n = run_length(op, n);
    if (n == 0) return 0;
    for (unsigned k = 4; k-- > 0;)
        if (!lend(part, pe, &op->arg[k], k, n, buffer[k], &arg[k])) return 0;
    const tw__wse_kernel *kernel = op->use->kernel;
    if (kernel->special) {
        kernel->special(pe, n, arg);
    } else {
        tw_run ordered[4];
        for (unsigned k = 0; k < kernel->args; k++) ordered[k] = arg[kernel->order[k]];
        tw_vec_call(&kernel->vec, n, ordered);
    }
    if (op->arg[0].kind == TW__O_OUT) put_out(part, pe, op, &op->arg[0], buffer[0], n);
    if (op->arg[0].kind == TW__O_FIFO) tw__wse_fifo_push(part, pe, &op->arg[0], buffer[0], n);
    return n;
}

/* --- straight moves: an element a wavelet, as many as there are or find room ----------------------------------- */

static inline uint32_t straight_out(tw__part *part, tw__pe *pe, tw__op *op, uint32_t left)
{
    tw__queue *q = pe->out_queue[op->queue];
    const uint8_t *from = pe->memory + op->at;
    uint32_t n = min32(left, tw__wse_queue_room(q));
    unsigned place = q->head + q->count;
    for (uint32_t k = 0; k < n; k++, from += op->stride, place++) {
        uint32_t payload = 0;
        if (op->size == 4)
            memcpy(&payload, from, 4);
        else
            memcpy(&payload, from, 2);
        q->payload[place & (TW__WSE_RING - 1)] = payload | op->high;
        q->colors[place & (TW__WSE_RING - 1)] = q->color;
        q->flags[place & (TW__WSE_RING - 1)] = op->flags;
    }
    q->count = (uint8_t)(q->count + n);
    if (n == left) q->flags[(place - 1u) & (TW__WSE_RING - 1)] |= op->last_flags;
    part->totals.wavelets += n;
    tw__wse_queue_filled(part, pe, op->queue);
    return n;
}

static inline uint32_t straight_in(tw__part *part, tw__pe *pe, const tw__op *op, uint32_t left)
{
    tw__queue *q = pe->in_queue[op->queue];
    uint8_t *to = pe->memory + op->at;
    uint32_t n = min32(left, q->count);
    unsigned place = q->head;
    for (uint32_t k = 0; k < n; k++, to += op->stride, place++) {
        const uint32_t *payload = &q->payload[place & (TW__WSE_RING - 1)];
        if (op->size == 4)
            memcpy(to, payload, 4);
        else
            memcpy(to, payload, 2);
    }
    tw__wse_queue_drop(q, n);
    if (q->count == 0) {
        pe->in_busy &= ~(1u << op->queue);
        tw__wse_queue_changed(pe, q);
    }
    tw__wse_queue_freed(part, tw__wse_pe_number(part, pe), q->color);
    return n;
}

uint32_t tw__wse_op_straight(tw__part *part, tw__pe *pe, tw__op *op)
{
    uint32_t left = op->length - op->done;
    uint32_t n =
        op->straight == TW__STRAIGHT_IN ? straight_in(part, pe, op, left) : straight_out(part, pe, op, left);
    op->at += n * (uint32_t)op->stride;
    op->done += n;
    if (part->w->counters)
        tw__wse_count_op(part, pe, op, n, n);
    else
        part->totals.beats += n;
    if (n == left) tw__wse_op_finish(part, pe, op, false);
    return n;
}

/* Cycles: a fabric operand moves one wavelet a cycle, memory `width` elements. */
static uint32_t cycles_of(const tw__part *part, const tw__op *op, uint32_t n)
{
    uint32_t cycles = tw__wse_op_beats(part, op, n);
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind != TW__O_IN && o->kind != TW__O_OUT) continue;
        uint32_t wavelets = (n + per_wavelet(o) - 1) / per_wavelet(o);
        if (wavelets > cycles) cycles = wavelets;
    }
    return cycles;
}

uint32_t tw__wse_op_advance(tw__part *part, tw__pe *pe, tw__op *op, uint32_t n)
{
    if (op->straight) return tw__wse_op_straight(part, pe, op);
    uint32_t total = 0;
    while (total < n) {
        uint32_t done = slice(part, pe, op, n - total);
        if (done == 0) break; /* a fault */
        total += done;
        op->done += done;
    }
    uint32_t cycles = cycles_of(part, op, total);
    tw__wse_count_op(part, pe, op, total, cycles);
    if (pe->main_state == TW__MAIN_FAULT) {
        op->active = 0;
        return cycles;
    }
    if (op->code == TW__CSL_OP_DFILT)
        op->done -= total;
    else if (op->length != TW__CSL_UNBOUNDED && op->done >= op->length)
        tw__wse_op_finish(part, pe, op, false);
    return cycles ? cycles : 1;
}

/* --- the end -------------------------------------------------------------------------------------------------- */

void tw__wse_act(tw__part *part, tw__pe *pe, unsigned kind, unsigned id)
{
    if (kind == TW__CSL_ACT_ACTIVATE) tw__wse_activate(part, pe, id);
    if (kind == TW__CSL_ACT_UNBLOCK) tw__wse_block(part, pe, TW__CSL_ID_TASK, id, false);
    if (kind == TW__CSL_ACT_UNBLOCK_QUEUE) tw__wse_block(part, pe, TW__CSL_ID_QUEUE, id, false);
}

static void clear_source(tw__part *part, tw__pe *pe, tw__op *op)
{
    uint32_t left = op->done;
    while (left) {
        tw_run run = { pe->memory + op->zero.at, op->zero.stride, left };
        if (op->zero.kind == TW__O_WALK) {
            if (!tw_walk_next(&op->zero.walk->walk, left, &run)) return;
        } else if (op->zero.kind != TW__O_MEM) {
            return;
        }
        int64_t first = (int64_t)((intptr_t)run.at - (intptr_t)pe->memory);
        if (!run_inside(part, pe, &op->zero, first, run.stride, (uint32_t)run.count)) return;
        uint32_t zero = 0;
        tw_run args[] = { run, { &zero, 0, run.count } };
        tw_vec_call(&part->w->kernel[op->zero.size == 2 ? TW__CSL_OP_MOV16 : TW__CSL_OP_MOV32].vec, run.count,
                    args);
        left -= (uint32_t)run.count;
    }
}

static void save_addresses(tw__pe *pe, tw__op *op)
{
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->dsr < 0 || !(pe->dsr[o->dsr].flags & TW__CSL_DSD_SAVE_ADDRESS)) continue;
        if (o->kind == TW__O_MEM) pe->dsr[o->dsr].dsd.base = (uint16_t)o->at;
        tw__csl_dsd *dsd = &pe->dsr[o->dsr].dsd;
        if (o->kind == TW__O_WALK && dsd->kind == TW__CSL_DSD_CIRCBUF && dsd->stride)
            dsd->shape = (uint16_t)((dsd->shape + op->done) % (uint16_t)dsd->stride); /* the place in the ring */
        else if (o->kind == TW__O_WALK)
            pe->dsr[o->dsr].dsd.base = (uint16_t)((intptr_t)o->walk->walk.at - (intptr_t)pe->memory);
    }
}

/* A FIFO that stopped a synchronous operation keeps the rest as its length. */
static void keep_rest(tw__pe *pe, const tw__op *op)
{
    uint16_t rest = op->length == TW__CSL_UNBOUNDED ? TW__CSL_UNBOUNDED : (uint16_t)(op->length - op->done);
    for (unsigned k = 0; k < 3; k++) {
        if (op->arg[k].kind != TW__O_FIFO) continue;
        tw__fifo_state *fifo = &pe->fifo[op->arg[k].fifo];
        if (k == 0)
            fifo->write_length = rest;
        else
            fifo->read_length = rest;
    }
}

/* What an operation took beyond its own cycles is put down to its input, else to its output: where both ends are in
 * the fabric it is not known which of them it waited for. */
static void count_wait(tw__part *part, const tw__pe *pe, const tw__op *op)
{
    tw__wse_counters *c = &part->w->counters[tw__wse_pe_number(part, pe)];
    bool fabric = op->arg[0].kind == TW__O_OUT || op->arg[1].kind == TW__O_IN || op->arg[2].kind == TW__O_IN;
    uint32_t cycles = cycles_of(part, op, op->done);
    if (cycles > c->op_worst[op->code]) c->op_worst[op->code] = cycles;
    bool fifo = op->arg[0].kind == TW__O_FIFO || op->arg[1].kind == TW__O_FIFO || op->arg[2].kind == TW__O_FIFO;
    if (!fabric && !(fifo && op->slot < TW__WSE_MAIN)) return; /* others do not wait */
    uint64_t end = part->now > op->start ? part->now - op->start : 0,
             worked = cycles + 1 + op->ready_at - op->start;
    uint64_t waited = end > worked ? end - worked : 0;
    unsigned kind, color = tw__wse_op_color(pe, op, &kind);
    if (waited) tw__wse_heat_add(part, pe, op->pc, (tw__wse_heat){ 0, 0, waited });
    if (waited && part->motion)
        tw__wse_did_so(part, tw__wse_pe_number(part, pe), op->ready_at, part->now, kind, color);
    for (unsigned k = 1; k < 3 && waited; k++)
        if (op->arg[k].kind == TW__O_IN && pe->in_queue[op->arg[k].queue]) {
            c->wait_in[pe->in_queue[op->arg[k].queue]->color % TW__WSE_WAIT_COLORS] += waited;
            return;
        }
    if (op->arg[0].kind == TW__O_OUT && pe->out_queue[op->arg[0].queue])
        c->wait_out[pe->out_queue[op->arg[0].queue]->color % TW__WSE_WAIT_COLORS] += waited;
    else if (fifo)
        c->wait_fifo += waited;
}

void tw__wse_op_finish(tw__part *part, tw__pe *pe, tw__op *op, bool by_control)
{
    op->active = 0;
    if (op->straight) op->arg[op->straight == TW__STRAIGHT_IN ? 0 : 2].at = op->at;
    if (op->arg[0].kind == TW__O_OUT && op->arg[0].half) { /* an odd element alone in its wavelet */
        send(part, pe, &op->arg[0], op->arg[0].held, true);
        op->arg[0].half = 0;
    }
    for (unsigned k = 1; k < 3; k++)
        if (op->arg[k].kind == TW__O_IN && op->arg[k].half) tw__wse_queue_pop(part, pe, op->arg[k].queue);
    if (op->result == 0) keep_rest(pe, op);
    if (op->zero_which) clear_source(part, pe, op);
    save_addresses(pe, op);
    if (op->arg[0].kind == TW__O_OUT || op->arg[1].kind == TW__O_IN || op->arg[2].kind == TW__O_IN) {
        tw__wse_op_release(pe, op);
        if (part->w->spans)
            tw__wse_note_span(part, pe, part->now, TW__WSE_OP_END, op->slot, op->code | op->pc << 8);
    }
    if (part->w->counters) count_wait(part, pe, op);
    if (op->slot < TW__WSE_MAIN) pe->op_active &= (uint8_t)~(1u << op->slot);
    /* A control wavelet ends it: its own action instead of the usual one; terminate does the usual one (decision). */
    if (by_control && op->on_kind != TW__CSL_ACT_TERMINATE)
        tw__wse_act(part, pe, op->on_kind, op->on_at);
    else if (op->async)
        tw__wse_act(part, pe, op->done_kind, op->done_at);
    if (pe->main_state == TW__MAIN_STALL) pe->main_state = TW__MAIN_RUN;
    if (pe->main_state == TW__MAIN_OP && op->slot == TW__WSE_MAIN) {
        pe->regs[pe->base + op->result_reg] = op->result;
        pe->main_state = TW__MAIN_RUN;
    }
}

/* --- single elements, for @map -------------------------------------------------------------------------------- */

bool tw__wse_opnd_get(tw__part *part, tw__pe *pe, tw__opnd *o, void *element)
{
    uint8_t buffer[4];
    tw_run run;
    if (o->kind == TW__O_IN && pe->in_queue[o->queue]->count == 0) return false;
    if (!lend(part, pe, o, 1, 1, buffer, &run)) return false;
    memcpy(element, run.at, o->size);
    return true;
}

bool tw__wse_opnd_put(tw__part *part, tw__pe *pe, tw__opnd *o, const void *element)
{
    uint8_t buffer[4];
    tw_run run;
    if (o->kind == TW__O_OUT) {
        if (!tw__wse_queue_room(pe->out_queue[o->queue])) return false;
        uint32_t payload = 0;
        memcpy(&payload, element, o->size);
        send(part, pe, o, payload, false);
        return true;
    }
    if (!lend(part, pe, o, 0, 1, buffer, &run)) return false;
    memcpy(run.at, element, o->size);
    return true;
}
