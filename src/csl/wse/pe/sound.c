/* SPDX-License-Identifier: MIT */
/* sound: can a processing element be as a checkpoint has it? Files come from anywhere, and what the machine takes for
 * granted while it runs must hold: numbers that index, queues that are there, code that is the program's. What the
 * machine looks at before each use - addresses, DSDs in registers, ids of tasks - may be anything. */
#include "csl/wse/pe/pe.h"

enum { QUEUES = TW__WSE_DIRECT + TW__CSL_COLORS };

static void need(tw__ck *k, bool holds, const char *what)
{
    if (!holds) tw__ck_wrong(k, "%s cannot be", what);
}

/* --- operands --------------------------------------------------------------------------------------------------- */

/* From byte to byte, so that no number of steps that a run may have leaves 64 bits. */
static bool stride_fits(ptrdiff_t bytes)
{
    return bytes >= -((ptrdiff_t)1 << 17) && bytes <= (ptrdiff_t)1 << 17;
}

static bool place_fits(const tw__pe *pe, const void *at)
{
    ptrdiff_t bytes = (ptrdiff_t)((uintptr_t)at - (uintptr_t)pe->memory);
    return bytes >= -((ptrdiff_t)1 << 40) && bytes <= (ptrdiff_t)1 << 40;
}

static bool walk_sound(const tw__pe *pe, const tw__walk_state *s)
{
    if (!s || (s->view.type != TW_U16 && s->view.type != TW_U32) || s->walk.view_count != 1) return false;
    if (!place_fits(pe, s->view.base) || !place_fits(pe, s->walk.at)) return false;
    bool open = s->walk.end == TW_WALK_OPEN;
    for (unsigned d = 0; d < TW_VIEW_RANK; d++) {
        bool endless = open && d == 0 && s->walk.extent[d] == SIZE_MAX;
        size_t extent = s->walk.extent[d];
        if (d < s->walk.rank && !stride_fits(s->walk.stride[d])) return false;
        if (d < s->view.rank && s->walk.end == TW_WALK_RING && !stride_fits(s->view.stride[d])) return false;
        if (s->view.extent[d] > TW__CSL_PE_BYTES * 2 || (extent > TW__CSL_PE_BYTES * 2 && !endless)) return false;
        if (d < s->walk.rank && (s->walk.index[d] >= extent || s->walk.index[d] > UINT32_MAX)) return false;
    }
    return true;
}

/* `size` bytes of an element; `takes`, `gives`: may it be a source on the fabric or a FIFO, a destination there? */
static bool opnd_sound(const tw__pe *pe, const tw__opnd *o, unsigned size, bool takes, bool gives)
{
    const tw__csl_program *p = pe->program->program;
    if (o->dsr < -1 || o->dsr >= (int)(TW__CSL_DSR_FILES * TW__CSL_DSRS) || (o->dsr >= 0 && !pe->dsr)) return false;
    if (o->size != size) return false;
    switch ((tw__opnd_kind)o->kind) {
    case TW__O_NONE: return o->dsr == -1;
    case TW__O_SCALAR: return true;
    case TW__O_MEM: return stride_fits(o->stride);
    case TW__O_WALK: return walk_sound(pe, o->walk);
    case TW__O_IN: return takes && pe->in_queue[o->queue] && (size == 2 || size == 4);
    case TW__O_OUT: return gives && pe->out_queue[o->queue] && (size == 2 || size == 4);
    case TW__O_FIFO: return (takes || gives) && o->fifo < p->fifo_count && size > 0;
    }
    return false;
}

static bool straight_sound(const tw__op *op)
{
    if (op->straight == TW__STRAIGHT_NO) return true;
    bool in = op->straight == TW__STRAIGHT_IN;
    const tw__opnd *memory = &op->arg[in ? 0 : 2], *queue = &op->arg[in ? 2 : 0];
    if (memory->kind != TW__O_MEM || queue->kind != (in ? TW__O_IN : TW__O_OUT)) return false;
    if (op->queue != queue->queue || op->size != memory->size || (op->size != 2 && op->size != 4)) return false;
    if (op->length == TW__CSL_UNBOUNDED || op->done >= op->length || !stride_fits(op->stride)) return false;
    int64_t first = op->at, end = first + (int64_t)op->stride * ((int64_t)op->length - op->done - 1);
    int64_t low = first < end ? first : end, high = first < end ? end : first;
    return low >= 0 && high + op->size <= TW__CSL_PE_BYTES;
}

static bool zero_sound(const tw__pe *pe, const tw__op *op)
{
    const tw__opnd *zero = &op->zero;
    if (!op->zero_which) return true;
    return (zero->size == 2 || zero->size == 4) && opnd_sound(pe, zero, zero->size, true, true);
}

static bool op_sound(const tw__pe *pe, unsigned slot)
{
    const tw__op *op = pe->op[slot];
    if (!op || !op->use || !op->active || op->slot != slot || op->code != op->use->use->op) return false;
    bool waits = false; /* for the fabric or a FIFO: what ends a move without end */
    for (unsigned a = 0; a < 4; a++) {
        const tw__opnd *o = &op->arg[a];
        if ((o->kind == TW__O_NONE) != (op->use->use->arg[a].kind == TW__CSL_ARG_NONE)) return false;
        if (!opnd_sound(pe, o, op->use->size[a], a == 1 || a == 2, a == 0)) return false;
        waits |= o->kind == TW__O_IN || o->kind == TW__O_OUT || o->kind == TW__O_FIFO;
    }
    if (op->length == TW__CSL_UNBOUNDED && !waits) return false;
    if (op->length != TW__CSL_UNBOUNDED && op->done > op->length) return false;
    if (op->code == TW__CSL_OP_DFILT && op->arg[2].kind != TW__O_IN) return false;
    if (slot == TW__WSE_MAIN && (uint64_t)pe->base + op->result_reg >= pe->reg_room) return false;
    return straight_sound(op) && zero_sound(pe, op);
}

/* --- code ------------------------------------------------------------------------------------------------------- */

/* May a frame go on there, with registers from `base` on? */
static bool place_sound(const tw__pe *pe, uint32_t pc, uint32_t base)
{
    const tw__csl_program *p = pe->program->program;
    int function = pc < p->code_count ? tw__csl_program_function_at(p, pc) : -1;
    return function >= 0 && (uint64_t)base + p->functions[function].registers <= pe->reg_room;
}

static bool map_sound(const tw__pe *pe, const tw__map_state *m)
{
    static const uint8_t elem_size[] = { 0, 2, 4, 2, 4 };
    const tw__csl_program *p = pe->program->program;
    if (m->depth > pe->depth || m->pc >= p->code_count) return false;
    if (p->code[m->pc].op != TW__CSL_I_MAP || &p->maps[tw__csl_wide(p->code[m->pc])] != m->map) return false;
    for (unsigned i = 0; i < m->map->input_count; i++) {
        const tw__opnd *o = &m->input[i];
        unsigned from = m->map->input[i].kind;
        bool has_opnd = from == TW__CSL_ARG_DSD || from == TW__CSL_ARG_DSR;
        if (has_opnd == (o->kind == TW__O_NONE) || o->kind == TW__O_OUT || o->kind == TW__O_FIFO ||
            (has_opnd && !opnd_sound(pe, o, elem_size[m->map->input[i].file], true, false)))
            return false;
    }
    if (!m->map->has_output) return true;
    return m->output.kind != TW__O_NONE && m->output.kind != TW__O_FIFO &&
           opnd_sound(pe, &m->output, elem_size[m->map->output.file], false, true);
}

static void check_code(tw__ck *k, const tw__pe *pe)
{
    const tw__csl_program *p = pe->program->program;
    bool runs = pe->main_state != TW__MAIN_IDLE;
    need(k, !runs || place_sound(pe, pe->pc, pe->base), "where its code stands");
    for (uint32_t i = 0; runs && i < pe->depth; i++)
        need(k, place_sound(pe, pe->frames[i].pc, pe->frames[i].base), "a call of its code");
    need(k, pe->stack <= TW__CSL_PE_BYTES && pe->stack_end <= TW__CSL_PE_BYTES, "its stack");
    need(k, pe->task_function < p->function_count || (!runs && pe->task_function == 0), "the function of its task");
    need(k, pe->entered < p->function_count || (!runs && pe->entered == 0),
         "the function that its task began with");
    for (unsigned id = 0; id < TW__CSL_TASK_IDS; id++)
        need(k, !(pe->active >> id & 1) || pe->program->local[id], "an active id without a local task");
    for (const tw__map_state *m = pe->map; m && tw__ck_good(k); m = m->outer) need(k, map_sound(pe, m), "an @map");
    need(k, pe->main_state != TW__MAIN_MAP || (pe->map && pe->map->pc == pe->pc && pe->map->depth == pe->depth),
         "the @map under way");
    for (const tw__command *c = pe->commands; c; c = c->next)
        need(k, c->function < p->function_count && c->count == p->functions[c->function].params,
             "a command of the host");
}

static void check_ops(tw__ck *k, const tw__pe *pe)
{
    const tw__csl_program *p = pe->program->program;
    for (unsigned s = 0; s <= TW__WSE_MAIN && tw__ck_good(k); s++) {
        bool active = s < TW__WSE_MAIN ? pe->op_active >> s & 1 : pe->main_state == TW__MAIN_OP;
        if (active || (pe->op[s] && pe->op[s]->active)) need(k, op_sound(pe, s), "an operation");
    }
    for (size_t i = 0; i < p->fifo_count; i++)
        need(k, p->fifos[i].bytes && pe->fifo[i].head < p->fifos[i].bytes && pe->fifo[i].count <= p->fifos[i].bytes,
             "what is in a FIFO");
}

/* --- queues ----------------------------------------------------------------------------------------------------- */

static uint64_t queues_there(tw__queue *const *queues)
{
    uint64_t there = 0;
    for (unsigned i = 0; i < QUEUES; i++) there |= (uint64_t)(queues[i] != NULL) << i;
    return there;
}

static void check_queues(tw__ck *k, const tw__pe *pe, tw__queue *const *queues, const uint8_t *of_color,
                         uint64_t used)
{
    need(k, (used & ~queues_there(queues)) == 0, "queues that are missing");
    for (unsigned i = 0; i < QUEUES && tw__ck_good(k); i++) {
        const tw__queue *q = queues[i];
        if (!q) continue;
        need(k, q->depth > 0 && q->count <= q->depth, "what is in a queue");
        need(k, !q->op || (pe->op[q->op - 1] && pe->op[q->op - 1]->active), "the operation of a queue");
    }
    for (unsigned c = 0; c < TW__CSL_COLORS; c++)
        need(k, !of_color[c] || queues[of_color[c] - 1], "the queue of a color");
}

void tw__wse_pe_sound(tw__ck *k, tw__part *part, const tw__pe *pe)
{
    uint32_t in = pe->in_busy | pe->in_taken;
    check_queues(k, pe, pe->in_queue, pe->in_of_color, in);
    uint32_t out = part->w->router[tw__wse_pe_number(part, pe)].out_busy;
    check_queues(k, pe, pe->out_queue, pe->out_of_color, out | pe->out_full);
    for (unsigned i = 0; i < QUEUES; i++) {
        need(k, !(pe->in_busy >> i & 1) || !pe->in_queue[i] || pe->in_queue[i]->count, "an empty queue");
        need(k, !(out >> i & 1) || !pe->out_queue[i] || pe->out_queue[i]->count, "an empty queue");
    }
    if (!pe->program) {
        need(k, !pe->op_active && pe->main_state == TW__MAIN_IDLE, "what a PE without code does");
        return;
    }
    check_code(k, pe);
    if (tw__ck_good(k)) check_ops(k, pe);
}
