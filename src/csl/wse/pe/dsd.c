/* SPDX-License-Identifier: MIT */
/* dsd: how a DSD operation begins - its length, the microthread that runs it. */
#include "csl/wse/pe/pe.h"

#include <string.h>

/* --- length, speed -------------------------------------------------------------------------------------------- */

/* Fact sheet 3.3: the first source that has a length, else the second, else the destination, else 1 where no operand
 * is a DSD. A destination DSD of length 0 takes no element. */
static inline uint32_t governing(const tw__decoded_use *use, uint32_t dst, uint32_t src0, uint32_t src1)
{
    if (use->bounds && !dst) return 0;
    return src0 ? src0 : src1 ? src1 : dst ? dst : use->least;
}

/* Length 0 is what a FIFO begins with, which says nothing; when the program has set it, and no other operand has a
 * length, no element is wanted. */
static bool wants_none(const tw__pe *pe, const tw__op *op)
{
    if (op->arg[0].length || op->arg[1].length || op->arg[2].length) return false;
    for (unsigned k = 0; k < 3; k++) {
        const tw__fifo_state *fifo = op->arg[k].kind == TW__O_FIFO ? &pe->fifo[op->arg[k].fifo] : NULL;
        if (fifo && (k == 0 ? fifo->write_set : fifo->read_set)) return true;
    }
    return false;
}

/* Elements per cycle for a stride. On WSE-3 16-bit elements come by the span that they lie in (measured by others);
 * else by the stride in elements: vendor document "SIMD" as restated in fact sheet 6 (estimated). */
static unsigned stride_width(unsigned arch, unsigned width, int32_t stride_bytes, unsigned size)
{
    unsigned stride = (unsigned)(stride_bytes < 0 ? -stride_bytes : stride_bytes) / size;
    if (stride <= 1) return width;
    unsigned phase = stride & 7, most = phase == 0 ? 1 : phase == 1 || phase == 7 ? 2 : phase == 4 ? 4 : width;
    if (arch == 1 && size == 2) most = stride < 8 ? 8 / stride : 1;
    return most < width ? most : width;
}

static uint32_t beats(uint32_t n, unsigned width)
{
    return width <= 1 ? n : (n + width - 1) / width;
}

/* A stream of f32 elements in memory; scalars and the fabric are none. */
typedef struct bank {
    bool memory;
    uint32_t at;
    int32_t stride; /* bytes */
} bank;

/* Elements of an f32 product that take a cycle more: both sources are read from one of four banks of words, or the
 * result goes back to where the first source comes from with a stride that stays in one of eight. Found in published
 * cycles of programs whose arrays lie a known distance apart (estimated). */
static uint32_t bank_conflicts(uint32_t n, const bank *dst, const bank *src0, const bank *src1)
{
    bool in_place = dst->memory && src0->memory && dst->at == src0->at && dst->stride == src0->stride;
    if (in_place && dst->stride && dst->stride % 32 == 0) return n;
    if (!src0->memory || !src1->memory) return 0;
    uint32_t meet = 0; /* of four elements in a row, and of those that are left */
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t a = (src0->at + k * (uint32_t)src0->stride) / 4, b = (src1->at + k * (uint32_t)src1->stride) / 4;
        if ((a - b) % 4 == 0) meet += n / 4 + (k < n % 4);
    }
    return meet;
}

/* A sum, product or maximum of elements into one scalar: each waits for the one before. */
static bool reduces(unsigned code)
{
    switch (code) {
    case TW__CSL_OP_ADD16:
    case TW__CSL_OP_FADDH:
    case TW__CSL_OP_FADDS:
    case TW__CSL_OP_FADDHS:
    case TW__CSL_OP_FMACH:
    case TW__CSL_OP_FMACHS:
    case TW__CSL_OP_FMACS:
    case TW__CSL_OP_FMAXH:
    case TW__CSL_OP_FMAXS: return true;
    default: return false;
    }
}

static uint32_t op_cycles(const tw__part *part, const tw__csl_dsd_use *use, uint32_t n, unsigned width,
                          const bank streams[3])
{
    if (use->arg[0].kind == TW__CSL_ARG_POINTER && n > 1)
        return reduces(use->op) ? n * tw__wse_figure(part, TW__WSE_M_REDUCE) : n;
    uint32_t cycles = beats(n, width);
    if (use->op == TW__CSL_OP_FMACS || use->op == TW__CSL_OP_FMULS)
        cycles += bank_conflicts(n, &streams[0], &streams[1], &streams[2]);
    return cycles;
}

static void count_op(tw__part *part, tw__pe *pe, unsigned code, uint32_t at, uint32_t n, uint32_t cycles)
{
    part->totals.beats += cycles;
    if (!part->w->counters) return;
    tw__wse_heat_add(part, pe, at, (tw__wse_heat){ 1, cycles, 0 });
    tw__wse_counters *c = &part->w->counters[tw__wse_pe_number(part, pe)];
    c->op_cycles[code] += cycles;
    c->op_elements[code] += n;
    c->op_runs[code]++;
    c->beats += cycles;
}

/* NULL: an operation on memory. */
static void did_data(tw__part *part, const tw__pe *pe, const tw__op *op, uint32_t cycles)
{
    unsigned kind, color = op ? tw__wse_op_color(pe, op, &kind) : TW__WSE_ANY_COLOR;
    tw__wse_did_so(part, tw__wse_pe_number(part, pe), part->now, part->now + cycles, TW__WSE_DID_DATA, color);
}

/* Was the scalar source read at the address that the destination points to? It is read again for each element
 * then. */
static inline bool folds(const tw__csl_dsd_use *use, const uint64_t *r)
{
    return (uint16_t)r[use->from] == (uint16_t)r[use->arg[0].at];
}

/* --- the short way: everything in registers, memory with one stride ------------------------------------------- */

static bool inside(int64_t first, int64_t stride, uint32_t n, unsigned size)
{
    int64_t last = first + stride * ((int64_t)n - 1), low = first < last ? first : last,
            high = first < last ? last : first;
    return low >= 0 && high + (int64_t)size <= TW__CSL_PE_BYTES;
}

/* Operands as their registers say. */
typedef struct operands {
    tw_run run[4]; /* of scalars: the register */
    uint32_t first[4], length[4];
    bool memory[4];
    unsigned width; /* elements per beat */
} operands;

/* False where one is more than a plain run. */
static bool read_operands(const tw__part *part, const tw__pe *pe, const tw__decoded_use *use, const uint64_t *r,
                          operands *o)
{
    *o = (operands){ .width = use->width };
    for (unsigned k = 0; k < 4; k++) {
        unsigned at = use->use->arg[k].at;
        switch (use->use->arg[k].kind) {
        case TW__CSL_ARG_DSD: {
            tw__csl_dsd dsd = tw__wse_dsd_at(r, at);
            if (dsd.kind != TW__CSL_DSD_MEM1D || dsd.flags & TW__CSL_DSD_INDEXED) return false;
            o->first[k] = dsd.base;
            o->length[k] = dsd.length;
            o->memory[k] = true;
            o->run[k] = (tw_run){ pe->memory + dsd.base, dsd.stride * (ptrdiff_t)use->size[k], 0 };
            if (dsd.stride != 1)
                o->width = stride_width(part->w->arch, o->width, dsd.stride * (int32_t)use->size[k], use->size[k]);
            break;
        }
        case TW__CSL_ARG_POINTER:
            o->first[k] = (uint32_t)r[at] & 0xffff;
            o->memory[k] = true;
            o->run[k] = (tw_run){ pe->memory + o->first[k], 0, 0 };
            break;
        case TW__CSL_ARG_SCALAR: o->run[k] = (tw_run){ (void *)(uintptr_t)&r[at], 0, 0 }; break;
        default: break;
        }
    }
    return true;
}

static bool use_folds(const tw__csl_dsd_use *u, const uint64_t *r)
{
    return u->flags & TW__CSL_USE_FOLD && folds(u, r);
}

/* Length of the operation, and what `o` comes to: a source that folds is the destination. 0 when the operation is not
 * a simple one, or a faulty one, which the long way reports. */
static uint32_t settle_operands(const tw__part *part, const tw__pe *pe, const tw__decoded_use *use,
                                const uint64_t *r, operands *o)
{
    if (!read_operands(part, pe, use, r, o)) return 0;
    uint32_t n = governing(use, o->length[0], o->length[1], o->length[2]);
    if (n - 1 >= TW__CSL_UNBOUNDED - 1) return 0; /* the long way knows what 0 and without end mean */
    if (use_folds(use->use, r)) o->run[1] = o->run[0], o->first[1] = o->first[0], o->memory[1] = o->memory[0];
    for (unsigned k = 0; k < 4; k++)
        if (o->memory[k] && !inside(o->first[k], o->run[k].stride, n, use->size[k])) return 0;
    return n;
}

/* Which operand is run `k` of the kernel. */
static unsigned operand_of(const tw__wse_kernel *kernel, unsigned k)
{
    return kernel->special || k >= kernel->args ? k : kernel->order[k];
}

static uint32_t simple_cycles(const tw__part *part, const tw__decoded_use *use, const operands *o, uint32_t n)
{
    bank streams[3];
    for (unsigned k = 0; k < 3; k++)
        streams[k] = (bank){ o->memory[k] && use->use->arg[k].kind == TW__CSL_ARG_DSD,
                             o->memory[k] ? o->first[k] : 0, (int32_t)o->run[k].stride };
    return op_cycles(part, use->use, n, o->width, streams);
}

/* How run `k` of the operands is found again. */
static struct tw__known_run known_run(const operands *o, const tw__csl_dsd_use *u, unsigned k)
{
    return (struct tw__known_run){ (int32_t)o->run[k].stride, (uint16_t)(o->memory[k] ? o->first[k] : u->arg[k].at),
                                   o->memory[k] };
}

static void learn(const tw__part *part, const tw__decoded_use *use, const uint64_t *r, const operands *o,
                  uint32_t n, tw__known_use *known)
{
    const tw__csl_dsd_use *u = use->use;
    const tw__wse_kernel *kernel = use->kernel;
    tw_run ordered[4];
    for (unsigned k = 0; k < 4; k++) {
        ordered[k] = o->run[operand_of(kernel, k)];
        known->run[k] = known_run(o, u, operand_of(kernel, k));
    }
    known->fn = kernel->special ? NULL : tw__drive_settled(&kernel->vec, n, ordered);
    known->n = n;
    known->cycles = simple_cycles(part, use, o, n);
    known->folds = use_folds(u, r);
    known->use = use;
    for (unsigned k = 0; k < 4; k++) {
        if (u->arg[k].kind == TW__CSL_ARG_DSD) memcpy(&known->key[2 * k], r + u->arg[k].at, sizeof(tw__csl_dsd));
        if (u->arg[k].kind == TW__CSL_ARG_POINTER) known->key[2 * k] = (uint16_t)r[u->arg[k].at];
    }
}

static bool is_known(const tw__known_use *known, const tw__decoded_use *use, const uint64_t *r)
{
    const tw__csl_dsd_use *u = use->use;
    if (known->use != use || known->folds != use_folds(u, r)) return false;
    for (unsigned k = 0; k < 4; k++) {
        const uint64_t *key = &known->key[2 * k], *now = r + u->arg[k].at;
        if (u->arg[k].kind == TW__CSL_ARG_DSD && ((key[0] ^ now[0]) | (key[1] ^ now[1]))) return false;
        if (u->arg[k].kind == TW__CSL_ARG_POINTER && key[0] != (uint16_t)now[0]) return false;
    }
    return true;
}

static void count_simple(tw__part *part, tw__pe *pe, const tw__decoded_use *use, uint32_t n, uint32_t cycles)
{
    count_op(part, pe, use->use->op, pe->pc, n, cycles);
    if (part->motion) did_data(part, pe, NULL, cycles);
}

/* Registers that have changed: the operation runs, and what they came to is kept - seldom, where they change each
 * time, as descriptors do that move on in a loop. */
static bool run_unknown(tw__part *part, tw__pe *pe, const tw__decoded_use *use, const uint64_t *r, uint32_t *cost,
                        tw__known_use *known)
{
    enum { PATIENCE = 4, SELDOM = 16 };
    operands o;
    uint32_t n = settle_operands(part, pe, use, r, &o);
    if (!n) return false;
    known->misses++;
    if (known->misses <= PATIENCE || known->misses % SELDOM == 0) learn(part, use, r, &o, n, known);
    const tw__wse_kernel *kernel = use->kernel;
    if (kernel->special) {
        kernel->special(pe, n, o.run);
    } else {
        tw_run ordered[4];
        for (unsigned k = 0; k < kernel->args; k++) ordered[k] = o.run[kernel->order[k]];
        tw_vec_call(&kernel->vec, n, ordered);
    }
    *cost = simple_cycles(part, use, &o, n);
    count_simple(part, pe, use, n, *cost);
    return true;
}

bool tw__wse_dsd_simple(tw__part *part, tw__pe *pe, const tw__decoded_use *use, const uint64_t *r, uint32_t *cost)
{
    tw__known_use *known = &part->known[(uintptr_t)use / sizeof *use % TW__WSE_KNOWN];
    if (!is_known(known, use, r)) return run_unknown(part, pe, use, r, cost, known);
    known->misses = 0;
    tw_run arg[4];
    for (unsigned k = 0; k < 4; k++) {
        struct tw__known_run run = known->run[k];
        arg[k] = (tw_run){ run.in_memory ? pe->memory + run.at : (void *)(uintptr_t)&r[run.at], run.stride, 0 };
    }
    if (known->fn)
        known->fn(&use->kernel->vec, known->n, arg);
    else
        use->kernel->special(pe, known->n, arg);
    count_simple(part, pe, use, known->n, known->cycles);
    *cost = known->cycles;
    return true;
}

/* --- the long way --------------------------------------------------------------------------------------------- */

static uint16_t action_id(const tw__csl_action *action, const uint64_t *r)
{
    return action->in_register ? (uint16_t)r[action->at] : action->at;
}

void tw__wse_dsr_load(tw__part *part, tw__pe *pe, const tw__csl_dsr_load *load, const tw__csl_dsd *dsd,
                      const uint64_t *r)
{
    if (!pe->dsr) pe->dsr = tw__calloc(TW__CSL_DSR_FILES * TW__CSL_DSRS, sizeof *pe->dsr);
    if (!pe->dsr) {
        part->no_memory = true;
        tw__wse_fault(part, pe, "wse.memory", "out of host memory");
        return;
    }
    tw__dsr *dsr = &pe->dsr[load->file * TW__CSL_DSRS + load->id];
    for (unsigned s = 0; s < 9; s++) {
        const tw__op *op = pe->op[s];
        for (unsigned k = 0; op && op->active && k < 4; k++)
            if (op->arg[k].dsr == load->file * TW__CSL_DSRS + load->id &&
                !tw__wse_misuse(part, pe, "wse.dsr", "a DSR is loaded while an operation still uses it"))
                return;
    }
    *dsr = (tw__dsr){ .dsd = *dsd, .loaded = 1, .async = load->flags & TW__CSL_USE_ASYNC ? 1 : 0, .ut = load->ut };
    dsr->flags = load->flags & (TW__CSL_DSD_SAVE_ADDRESS | TW__CSL_DSD_SINGLE_STEP);
    dsr->done = load->done;
    dsr->on_control = load->on_control;
    if (r) {
        dsr->done.at = action_id(&load->done, r);
        dsr->on_control.at = action_id(&load->on_control, r);
    }
}

/* What a DSR adds to the operation that uses it. */
static void inherit(const tw__pe *pe, tw__op *op, const tw__csl_dsd_use *use, uint8_t *ut)
{
    static const uint8_t order[] = { 0, 1, 2 }; /* destination before src0 before src1 */
    for (unsigned k = 0; k < 3; k++) {
        tw__csl_arg arg = use->arg[order[k]];
        if (arg.kind != TW__CSL_ARG_DSR) continue;
        const tw__dsr *dsr = &pe->dsr[arg.file * TW__CSL_DSRS + arg.at];
        if (dsr->async) op->async = 1;
        if (*ut == TW__CSL_NO_ID) *ut = dsr->ut;
        if (op->done_kind == TW__CSL_ACT_NONE) op->done_kind = dsr->done.kind, op->done_at = dsr->done.at;
        if (op->on_kind == TW__CSL_ACT_NONE) op->on_kind = dsr->on_control.kind, op->on_at = dsr->on_control.at;
    }
}

/* Fact sheet 4.6: on WSE-2 the output queue's number, else that of the first input queue; on WSE-3 the one asked for,
 * else the queue of the first fabric operand, destination first. */
static unsigned microthread(const tw__part *part, const tw__pe *pe, const tw__op *op, uint8_t ut)
{
    if (part->w->arch == 1 && ut < TW__CSL_UTS) return ut;
    for (unsigned k = 0; k < 3; k++)
        if ((op->arg[k].kind == TW__O_OUT || op->arg[k].kind == TW__O_IN) && op->arg[k].queue < TW__CSL_QUEUES)
            return op->arg[k].queue;
    if (ut < TW__CSL_UTS) return ut;
    for (unsigned s = 0; s < TW__CSL_UTS; s++) /* colors without queue: any free one */
        if (!(pe->op_active >> s & 1)) return s;
    return 0;
}

static uint8_t op_priority(const tw__pe *pe, const tw__op *op, const tw__csl_dsd_use *use, const uint64_t *r)
{
    if (use->priority) return use->priority;
    for (unsigned k = 0; k < 3; k++) {
        uint8_t given = 0;
        if (use->arg[k].kind == TW__CSL_ARG_DSD) given = tw__wse_dsd_at(r, use->arg[k].at).priority;
        if (use->arg[k].kind == TW__CSL_ARG_DSR)
            given = pe->dsr[use->arg[k].file * TW__CSL_DSRS + use->arg[k].at].dsd.priority;
        if (use->arg[k].kind == TW__CSL_ARG_FIFO) given = pe->program->program->fifos[use->arg[k].at].priority;
        if (op->arg[k].kind == TW__O_IN && !given) given = pe->in_queue[op->arg[k].queue]->priority;
        if (given) return given;
    }
    return TW__CSL_PRIORITY_LOW;
}

/* The source that .zero names, as it is now. */
static void remember_zero(tw__op *op)
{
    unsigned flags = op->arg[0].kind == TW__O_OUT ? op->arg[0].flags : 0;
    op->zero_which = flags & TW__CSL_DSD_ZERO_FIRST ? 1 : flags & TW__CSL_DSD_ZERO_SECOND ? 2 : 0;
    if (!op->zero_which) return;
    tw__walk_state *walk = op->zero.walk;
    op->zero = op->arg[op->zero_which];
    op->zero.walk = walk;
    if (op->zero.kind != TW__O_WALK) return;
    if (!walk) walk = op->zero.walk = tw__calloc(1, sizeof *walk);
    if (!walk) {
        op->zero_which = 0;
        return;
    }
    *walk = *op->arg[op->zero_which].walk;
    walk->walk.views = &walk->view;
}

static tw__op *new_op(tw__part *part, tw__pe *pe, unsigned slot)
{
    if (!pe->op[slot]) pe->op[slot] = tw__wse_piece(part, sizeof *pe->op[slot]);
    if (!pe->op[slot]) tw__wse_fault(part, pe, "wse.memory", "out of host memory");
    return pe->op[slot];
}

/* Is it a move between memory and fabric with nothing special about it? Fills in what that needs. */
static tw__straight straight(tw__op *op)
{
    const tw__opnd *to = &op->arg[0], *from = &op->arg[2];
    bool in = to->kind == TW__O_MEM && from->kind == TW__O_IN,
         out = to->kind == TW__O_OUT && from->kind == TW__O_MEM;
    bool move = op->code == TW__CSL_OP_MOV16 || op->code == TW__CSL_OP_MOV32 || op->code == TW__CSL_OP_FMOVH ||
                op->code == TW__CSL_OP_FMOVS;
    if (!move || !(in || out) || op->on_kind != TW__CSL_ACT_NONE || op->length == TW__CSL_UNBOUNDED)
        return TW__STRAIGHT_NO;
    if ((to->flags | from->flags) & TW__CSL_DSD_TRANSFORM || to->simd || from->simd) return TW__STRAIGHT_NO;
    const tw__opnd *memory = in ? to : from, *queue = in ? from : to;
    int64_t first = memory->at, last = first + (int64_t)memory->stride * ((int64_t)op->length - 1);
    int64_t low = first < last ? first : last, high = first < last ? last : first;
    if (low < (int64_t)memory->low || high + memory->size > (int64_t)memory->high)
        return TW__STRAIGHT_NO; /* the other way reports it, at the element where it happens */
    op->size = memory->size;
    op->at = memory->at;
    op->stride = memory->stride;
    op->queue = queue->queue;
    op->high = out ? (uint32_t)to->index << 16 : 0;
    op->flags = (uint8_t)(TW__WSE_VALID | (to->flags & TW__CSL_DSD_CONTROL ? TW__WSE_CONTROL : 0));
    op->last_flags = to->flags & TW__CSL_DSD_ADVANCE ? TW__WSE_ADVANCE : 0;
    return in ? TW__STRAIGHT_IN : TW__STRAIGHT_OUT;
}

/* Fills `op`, which lies in the slot of the main thread until its microthread is known. */
static bool prepare(tw__part *part, tw__pe *pe, tw__op *op, const tw__decoded_use *use, const uint64_t *r,
                    uint8_t *ut)
{
    const tw__csl_dsd_use *u = use->use;
    op->active = 0;
    op->use = use;
    op->code = u->op;
    op->async = u->flags & TW__CSL_USE_ASYNC ? 1 : 0;
    op->done = 0;
    op->result = 1;
    op->done_kind = u->done.kind;
    op->done_at = action_id(&u->done, r);
    op->on_kind = u->on_control.kind;
    op->on_at = action_id(&u->on_control, r);
    *ut = u->ut;
    if (!tw__wse_operands(part, pe, op, r)) return false;
    inherit(pe, op, u, ut);
    if (u->flags & TW__CSL_USE_FOLD && folds(u, r)) {
        tw__walk_state *walk = op->arg[1].walk;
        op->arg[1] = op->arg[0];
        op->arg[1].walk = walk;
    }
    op->length = governing(use, op->arg[0].length, op->arg[1].length, op->arg[2].length);
    if (wants_none(pe, op)) op->length = 0;
    if (op->length > TW__CSL_UNBOUNDED) {
        if (!tw__wse_misuse(part, pe, "wse.length",
                            "a DSD length of %u: only 15 bits exist, 32767 means without end", op->length))
            return false;
        op->length = TW__CSL_UNBOUNDED;
    }
    for (unsigned k = 0; k < 4 && op->length; k++)
        if (op->arg[k].kind == TW__O_WALK && op->arg[k].walk->walk.rank == 0) {
            tw__wse_fault(part, pe, "wse.length", "an operand has no elements: one of its extents is 0");
            return false;
        }
    op->width = use->width;
    for (unsigned k = 0; k < 4; k++)
        if (op->arg[k].kind == TW__O_MEM && op->arg[k].stride)
            op->width = (uint8_t)stride_width(part->w->arch, op->width, op->arg[k].stride, op->arg[k].size);
    op->priority = op_priority(pe, op, u, r);
    remember_zero(op);
    op->straight = part->w->options.reference ? TW__STRAIGHT_NO : straight(op);
    return true;
}

/* Fabric operands of microthreads have a queue (vendor document "DSDs", fabric queues); false after an error. */
static bool has_queues(tw__part *part, tw__pe *pe, const tw__op *op)
{
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if ((o->kind == TW__O_IN || o->kind == TW__O_OUT) && o->queue >= TW__CSL_QUEUES &&
            !tw__wse_misuse(part, pe, "wse.queue", "an asynchronous operation needs a queue: its %s has no .%s",
                            o->kind == TW__O_IN ? "fabin_dsd" : "fabout_dsd",
                            o->kind == TW__O_IN ? "input_queue" : "output_queue"))
            return false;
    }
    return true;
}

/* An operation that has to wait for a queue or a microthread: reported, then it waits (decision: serialise). */
static bool conflict(tw__part *part, tw__pe *pe, const tw__op *op, unsigned slot)
{
    if (op->async && pe->op[slot] && pe->op[slot] != op && pe->op[slot]->active) {
        tw__wse_misuse(part, pe, "wse.microthread",
                       "microthread %u is still busy with an earlier asynchronous operation", slot);
        return true;
    }
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind != TW__O_IN && o->kind != TW__O_OUT) continue;
        const tw__queue *q = (o->kind == TW__O_IN ? pe->in_queue : pe->out_queue)[o->queue];
        if (!q->op) continue;
        if (o->queue < TW__CSL_QUEUES)
            tw__wse_misuse(part, pe, "wse.queue", "%s queue %u is still in use by an earlier operation",
                           o->kind == TW__O_IN ? "input" : "output", o->queue);
        return true;
    }
    return false;
}

static bool uses(const tw__op *op, unsigned kind)
{
    return op->arg[0].kind == kind || op->arg[1].kind == kind || op->arg[2].kind == kind;
}

/* The queues of an operation: value = its slot + 1, or 0 when it has ended. */
static void occupy(tw__pe *pe, const tw__op *op, uint8_t value)
{
    uint32_t in = 0, out = 0;
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind == TW__O_IN) pe->in_queue[o->queue]->op = value, in |= 1u << o->queue;
        if (o->kind == TW__O_OUT) pe->out_queue[o->queue]->op = value, out |= 1u << o->queue;
    }
    pe->in_taken = value ? pe->in_taken | in : pe->in_taken & ~in;
    if (op->slot >= TW__WSE_MAIN) return;
    bool fifo = uses(op, TW__O_FIFO); /* that a FIFO is full or empty is an event, even while a queue is missing */
    pe->ut_in[op->slot] = fifo ? 0 : in;
    pe->ut_out[op->slot] = fifo ? 0 : out;
    tw__wse_thread_check(pe, op->slot);
}

void tw__wse_op_release(tw__pe *pe, const tw__op *op)
{
    occupy(pe, op, 0);
}

/* Synchronous without fabric: all of it now, or as far as the FIFO goes. */
static tw__slow at_once(tw__part *part, tw__pe *pe, tw__op *op, uint32_t dispatch, uint64_t *result, uint32_t *cost)
{
    op->slot = TW__WSE_MAIN;
    op->pc = pe->pc;
    op->active = 1;
    if (op->length == TW__CSL_UNBOUNDED && !uses(op, TW__O_FIFO)) {
        tw__wse_fault(part, pe, "wse.length", "a synchronous operation on memory without end");
        return TW__SLOW_FAULT;
    }
    uint32_t n, cycles = 0;
    bool lost = op->arg[2].kind == TW__O_FIFO && op->use->use->arg[0].kind == TW__CSL_ARG_POINTER &&
                tw__wse_fifo_ready(pe, op, 2) < op->length;
    if (lost) { /* runs dry: what is popped is lost and the target stays as it is */
        n = tw__wse_fifo_ready(pe, op, 2);
        tw__wse_fifo_pop(part, pe, &op->arg[2], n);
        op->done = n;
        tw__wse_fifo_wants(pe, op, 2);
        cycles = n;
    }
    while (!lost && op->active && (n = tw__wse_op_ready(pe, op)) > 0) {
        cycles += tw__wse_op_advance(part, pe, op, n);
        if (op->length == TW__CSL_UNBOUNDED && op->done > TW__CSL_PE_BYTES) { /* no FIFO holds so many */
            tw__wse_fault(part, pe, "wse.length",
                          "a synchronous operation without end: its source and destination "
                          "are one FIFO");
            return TW__SLOW_FAULT;
        }
    }
    if (op->active && !tw__wse_fifo_ends(part, pe, op)) {
        op->result = 0;
        tw__wse_op_finish(part, pe, op, false);
    }
    *result = op->result;
    pe->busy = part->now + dispatch + cycles;
    *cost = cycles;
    return pe->main_state == TW__MAIN_FAULT ? TW__SLOW_FAULT : TW__SLOW_NEXT;
}

/* No element: no queue and no microthread is taken, and what completion stands for happens at once. */
static tw__slow nothing_to_do(tw__part *part, tw__pe *pe, const tw__op *op, uint64_t *result, uint32_t *cost)
{
    count_op(part, pe, op->code, pe->pc, 0, 0);
    if (op->async) tw__wse_act(part, pe, op->done_kind, op->done_at);
    *result = 1;
    *cost = 0;
    return pe->main_state == TW__MAIN_FAULT ? TW__SLOW_FAULT : TW__SLOW_NEXT;
}

/* Does a FIFO of the operation let it wait, though it is synchronous? */
static bool fifo_suspends(const tw__pe *pe, const tw__op *op)
{
    for (unsigned k = 0; k < 3; k++) {
        if (op->arg[k].kind != TW__O_FIFO) continue;
        const tw__csl_fifo *fifo = &pe->program->program->fifos[op->arg[k].fifo];
        if ((k == 0 ? fifo->full_action : fifo->empty_action) == TW__CSL_FIFO_SUSPEND) return true;
    }
    return false;
}

static void swap_ops(tw__pe *pe, unsigned a, unsigned b)
{
    tw__op *op = pe->op[a];
    pe->op[a] = pe->op[b];
    pe->op[b] = op;
}

tw__slow tw__wse_dsd_issue(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint64_t clock,
                           uint32_t *cost)
{
    const tw__decoded_use *use = &pe->program->uses[i->x];
    tw__op *op = new_op(part, pe, TW__WSE_MAIN);
    uint8_t ut;
    *cost = 0;
    if (!op || !prepare(part, pe, op, use, r, &ut)) return TW__SLOW_FAULT;
    uint32_t dispatch =
        (uint32_t)(i[1].phi - i->phi); /* what its descriptors take to load is known from the code */
    bool fabric = uses(op, TW__O_IN) || uses(op, TW__O_OUT);
    if (op->length && !op->async && !fabric && !fifo_suspends(pe, op))
        return at_once(part, pe, op, dispatch, &r[i->a], cost);
    if (op->async && !has_queues(part, pe, op)) return TW__SLOW_FAULT;
    if (op->length == 0) return nothing_to_do(part, pe, op, &r[i->a], cost);
    unsigned slot = op->async ? microthread(part, pe, op, ut) : TW__WSE_MAIN;
    if (conflict(part, pe, op, slot)) {
        if (pe->main_state == TW__MAIN_FAULT) return TW__SLOW_FAULT;
        pe->main_state = TW__MAIN_STALL; /* issued again when an operation of this PE ends */
        return TW__SLOW_WAIT;
    }
    if (op->async) {
        if (!new_op(part, pe, slot)) return TW__SLOW_FAULT;
        swap_ops(pe, slot, TW__WSE_MAIN);
    }
    op->slot = (uint8_t)slot;
    op->active = 1;
    op->start = clock + dispatch;
    op->ready_at =
        op->start + tw__wse_figure(part, op->arg[0].kind == TW__O_OUT ? TW__WSE_M_SEND_SETUP : TW__WSE_M_OP_SETUP);
    op->pc = pe->pc;
    op->result_reg = i->a;
    occupy(pe, op, (uint8_t)(slot + 1));
    if (part->w->spans) tw__wse_note_span(part, pe, op->start, TW__WSE_OP_BEGIN, slot, op->code | op->pc << 8);
    if (op->async) {
        pe->op_active |= (uint8_t)(1u << slot);
        pe->ut_fresh |= (uint8_t)(1u << slot);
        pe->ut_medium =
            (uint8_t)((pe->ut_medium & ~(1u << slot)) | (op->priority == TW__CSL_PRIORITY_MEDIUM) << slot);
        pe->ut_high = (uint8_t)((pe->ut_high & ~(1u << slot)) | (op->priority == TW__CSL_PRIORITY_HIGH) << slot);
        r[i->a] = 1;
        return TW__SLOW_NEXT;
    }
    pe->main_state = TW__MAIN_OP;
    pe->pc++;
    return TW__SLOW_WAIT;
}

void tw__wse_count_op(tw__part *part, tw__pe *pe, const tw__op *op, uint32_t n, uint32_t cycles)
{
    count_op(part, pe, op->code, op->pc, n, cycles);
    if (part->motion) did_data(part, pe, op, cycles);
    if (!part->w->counters || op->done == n) return;
    part->w->counters[tw__wse_pe_number(part, pe)].op_runs[op->code]--;
    tw__wse_heat_add(part, pe, op->pc, (tw__wse_heat){ (uint64_t)-1, 0, 0 }); /* it was counted when it began */
}

uint32_t tw__wse_op_beats(const tw__part *part, const tw__op *op, uint32_t n)
{
    bank streams[3];
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        streams[k] = (bank){ o->kind == TW__O_MEM && o->stride, o->at, o->stride };
        if (o->kind != TW__O_WALK) continue; /* by its first element and its fastest dimension */
        const tw_view *view = &o->walk->view;
        streams[k] = (bank){ true, o->at, (int32_t)view->stride[view->rank ? view->rank - 1u : 0] };
    }
    return op_cycles(part, op->use->use, n, op->width, streams);
}
