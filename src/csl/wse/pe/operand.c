/* SPDX-License-Identifier: MIT */
/* operand: what a DSD operation works on, as it is at the first element - memory, a walk of it, a queue, a FIFO. */
#include "csl/wse/pe/pe.h"

#include <string.h>

/* Under strict checks a memory DSD stays inside the array that held its base. */
static void set_bounds(const tw__part *part, const tw__pe *pe, tw__opnd *o, const tw__csl_dsd *dsd)
{
    const tw__csl_program *p = pe->program->program;
    o->low = 0;
    o->high = TW__CSL_PE_BYTES;
    if (part->w->options.check != TW__WSE_CHECK_STRICT || dsd->object == 0 || dsd->object > p->symbol_count) return;
    o->low = p->symbols[dsd->object - 1].address;
    o->high = o->low + p->symbols[dsd->object - 1].bytes;
}

static bool make_walk(tw__part *part, tw__pe *pe, tw__opnd *o, const tw__csl_dsd *dsd)
{
    static const tw_type by_size[] = { [2] = TW_U16, [4] = TW_U32 };
    if (!o->walk) o->walk = tw__calloc(1, sizeof *o->walk);
    if (!o->walk) {
        part->no_memory = true;
        tw__wse_fault(part, pe, "wse.memory", "out of host memory");
        return false;
    }
    tw_view *view = &o->walk->view;
    *view = (tw_view){ .base = pe->memory + o->at, .type = by_size[o->size], .rank = 1 };
    if (dsd->kind == TW__CSL_DSD_CIRCBUF) {
        view->extent[0] = (uint16_t)dsd->stride;
        view->stride[0] = o->size;
        tw_walk_begin(&o->walk->walk, view, 1, TW_WALK_RING);
        if (dsd->shape < view->extent[0]) tw_walk_seek(&o->walk->walk, dsd->shape);
        return true;
    }
    const tw__csl_program *p = pe->program->program;
    if (dsd->shape >= p->shape_count) {
        tw__wse_fault(part, pe, "wse.dsd", "a register pair used as mem4d_dsd holds none");
        return false;
    }
    const tw__csl_shape *shape = &p->shapes[dsd->shape];
    view->rank = shape->rank;
    ptrdiff_t inner = 0; /* what all faster dimensions have added at their last element */
    uint32_t length = 1;
    for (unsigned d = shape->rank; d-- > 0;) { /* shape->stride[0] belongs to the fastest dimension */
        ptrdiff_t coefficient = shape->stride[shape->rank - 1 - d] + inner;
        view->extent[d] = shape->extent[d];
        view->stride[d] = coefficient * (ptrdiff_t)o->size;
        inner += coefficient * ((ptrdiff_t)shape->extent[d] - 1);
        length *= shape->extent[d];
        if (length > UINT16_MAX) length = UINT16_MAX;
    }
    o->length = (uint16_t)length;
    tw_walk_begin(&o->walk->walk, view, 1, TW_WALK_OPEN);
    return true;
}

/* On WSE-3 @initialize_queue, or a configuration register, gives a queue its color; DSDs that do are a habit of
 * WSE-2 programs. Said once for each queue. */
static bool initialised(tw__part *part, tw__pe *pe, unsigned queue, bool out)
{
    tw__queue *q = (out ? pe->out_queue : pe->in_queue)[queue];
    if (q->initialised || part->w->arch == 0) return true;
    q->initialised = 1;
    return tw__wse_misuse(part, pe, "wse.queue",
                          "%s queue %u was never initialised: WSE-3 needs @initialize_queue with its color",
                          out ? "output" : "input", queue);
}

static bool fabric_operand(tw__part *part, tw__pe *pe, tw__opnd *o, const tw__csl_dsd *dsd, bool out)
{
    int queue = dsd->queue;
    if (dsd->queue != TW__CSL_NO_ID && dsd->queue >= TW__CSL_QUEUES) {
        tw__wse_fault(part, pe, "wse.dsd", "queue %u of a fabric DSD does not exist", dsd->queue);
        return false;
    }
    if (dsd->color != TW__CSL_NO_ID && dsd->color >= TW__CSL_COLORS) {
        tw__wse_fault(part, pe, "wse.color", "color %u of a fabric DSD is not one of the %u routable ones",
                      dsd->color, TW__CSL_COLORS);
        return false;
    }
    if (dsd->queue != TW__CSL_NO_ID && dsd->color != TW__CSL_NO_ID) {
        if (!tw__wse_queue_bind(part, pe, dsd->queue, dsd->color, out) || !initialised(part, pe, dsd->queue, out))
            return false;
    } else if (dsd->queue != TW__CSL_NO_ID) {
        if (!(out ? pe->out_queue : pe->in_queue)[dsd->queue]) {
            tw__wse_fault(part, pe, "wse.queue",
                          "%s queue %u has no color: the DSD names none and @initialize_queue did not run",
                          out ? "output" : "input", dsd->queue);
            return false;
        }
    } else if (dsd->color != TW__CSL_NO_ID) {
        queue = tw__wse_queue_for(part, pe, dsd->color, out);
        if (queue < 0) return false;
    } else {
        tw__wse_fault(part, pe, "wse.dsd", "a fabric DSD has neither color nor queue");
        return false;
    }
    o->queue = (uint8_t)queue;
    o->kind = out ? TW__O_OUT : TW__O_IN;
    return true;
}

/* A value that nothing made as a DSD may hold anything in the fields that choose. */
static bool is_dsd(const tw__csl_dsd *dsd)
{
    return dsd->simd <= TW__CSL_SIMD_32_OR_64 && dsd->priority <= TW__CSL_PRIORITY_HIGH;
}

bool tw__wse_opnd_dsd(tw__part *part, tw__pe *pe, tw__opnd *o, const tw__csl_dsd *dsd, unsigned size, bool is_dst,
                      bool has_index, uint16_t index)
{
    o->size = (uint8_t)size;
    o->flags = dsd->flags;
    o->simd = size == 2 ? dsd->simd : TW__CSL_SIMD_OFF;
    if (o->simd != dsd->simd && dsd->kind >= TW__CSL_DSD_FABIN &&
        !tw__wse_misuse(part, pe, "wse.simd", "a .simd_mode packs 16-bit values; these elements have 32 bits"))
        return false;
    o->length = dsd->length;
    o->index = 0;
    o->half = 0;
    o->at = dsd->base;
    if (dsd->flags & TW__CSL_DSD_INDEXED) {
        if (!has_index &&
            !tw__wse_misuse(part, pe, "wse.index",
                            "a DSD with wavelet_index_offset needs .index in the operation (taken as 0)"))
            return false;
        if (dsd->kind == TW__CSL_DSD_FABOUT)
            o->index = index;
        else
            o->at = (o->at + 2u * index) & 0xffff;
    }
    unsigned kind = is_dsd(dsd) ? dsd->kind : TW__CSL_DSD_NONE;
    switch (kind) {
    case TW__CSL_DSD_MEM1D:
        o->kind = TW__O_MEM;
        o->stride = dsd->stride * (int32_t)size;
        set_bounds(part, pe, o, dsd);
        return true;
    case TW__CSL_DSD_MEM4D:
    case TW__CSL_DSD_CIRCBUF:
        o->kind = TW__O_WALK;
        set_bounds(part, pe, o, dsd);
        return make_walk(part, pe, o, dsd);
    case TW__CSL_DSD_FABIN:
    case TW__CSL_DSD_FABOUT:
        if ((dsd->kind == TW__CSL_DSD_FABOUT) != is_dst) break;
        return fabric_operand(part, pe, o, dsd, is_dst);
    }
    if (kind == TW__CSL_DSD_FABIN || kind == TW__CSL_DSD_FABOUT)
        tw__wse_fault(part, pe, "wse.dsd", "a %s cannot be the %s of an operation",
                      is_dst ? "fabin_dsd" : "fabout_dsd", is_dst ? "destination" : "source");
    else
        tw__wse_fault(part, pe, "wse.dsd",
                      "the %s of the operation is no DSD: it was never set, or its memory has been overwritten",
                      is_dst ? "destination" : "source");
    return false;
}

/* One operand of an operation. `k`: 0 destination, 1 .. 3 sources. */
static bool pe_operand(tw__part *part, tw__pe *pe, tw__op *op, unsigned k, const uint64_t *r)
{
    const tw__decoded_use *use = op->use;
    tw__csl_arg arg = use->use->arg[k];
    tw__opnd *o = &op->arg[k];
    tw__walk_state *walk = o->walk;
    *o = (tw__opnd){ .kind = TW__O_NONE, .size = use->size[k], .dsr = -1, .walk = walk, .high = TW__CSL_PE_BYTES };
    bool has_index = use->use->flags & TW__CSL_USE_INDEX;
    uint16_t index = has_index ? (uint16_t)r[use->use->index] : 0;
    tw__csl_dsd dsd;
    switch ((tw__csl_operand_kind)arg.kind) {
    case TW__CSL_ARG_NONE:
    case TW__CSL_ARG_KINDS: return true;
    case TW__CSL_ARG_DSD:
        dsd = tw__wse_dsd_at(r, arg.at);
        return tw__wse_opnd_dsd(part, pe, o, &dsd, use->size[k], k == 0, has_index, index);
    case TW__CSL_ARG_DSR: {
        const tw__dsr *dsr = pe->dsr ? &pe->dsr[arg.file * TW__CSL_DSRS + arg.at] : NULL;
        if (!dsr || !dsr->loaded) {
            static const char *const files[] = { "dest", "src0", "src1" };
            tw__wse_fault(part, pe, "wse.dsr", "DSR %s %u is used before a DSD was loaded", files[arg.file],
                          arg.at);
            return false;
        }
        o->dsr = (int16_t)(arg.file * TW__CSL_DSRS + arg.at);
        return tw__wse_opnd_dsd(part, pe, o, &dsr->dsd, use->size[k], k == 0, has_index, index);
    }
    case TW__CSL_ARG_FIFO: {
        const tw__fifo_state *fifo = &pe->fifo[arg.at];
        o->kind = TW__O_FIFO;
        o->fifo = arg.at;
        o->length = k == 0 ? fifo->write_length : fifo->read_length;
        o->simd = pe->program->program->fifos[arg.at].simd;
        return true;
    }
    case TW__CSL_ARG_SCALAR:
        o->kind = TW__O_SCALAR;
        o->scalar = r[arg.at];
        return true;
    case TW__CSL_ARG_POINTER:
        o->kind = TW__O_MEM;
        o->at = (uint32_t)r[arg.at] & 0xffff;
        return true;
    }
    return true;
}

bool tw__wse_operands(tw__part *part, tw__pe *pe, tw__op *op, const uint64_t *r)
{
    for (unsigned k = 0; k < 4; k++)
        if (!pe_operand(part, pe, op, k, r)) return false;
    return true;
}
