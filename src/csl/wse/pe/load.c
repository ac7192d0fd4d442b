/* SPDX-License-Identifier: MIT */
/* load: programs decoded once, PEs set up as the image says. */
#include "csl/wse/pe/pe.h"
#include "csl/lang/code/cost.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t elem_size[] = { 0, 2, 4, 2, 4 };

static bool decode_code(tw__decoded *d, bool wse3)
{
    const tw__csl_program *p = d->program;
    tw__csl_cost *cost = tw__calloc(p->code_count + 1, sizeof *cost);
    if (!cost || !tw__csl_costs(p, wse3, cost)) {
        free(cost);
        return false;
    }
    int32_t phi = 0;
    for (size_t k = 0; k < p->code_count; k++) {
        tw__csl_insn insn = p->code[k];
        const tw__csl_op_row *row = &tw__csl_op_rows[insn.op];
        int32_t x = (int32_t)tw__csl_wide(insn);
        if (row->operands[2] == 'j') x = (int16_t)insn.c;
        if (insn.op == TW__CSL_I_SYS && insn.b == TW__CSL_SERVICE_PRINT_BEGIN) insn.op = TW__WSE_I_PRINT_BEGIN;
        if (insn.op == TW__CSL_I_SYS && insn.b == TW__CSL_SERVICE_PRINT_END) insn.op = TW__WSE_I_PRINT_END;
        d->code[k] = (tw__dinsn){ insn.op, insn.a, insn.b, insn.c, x, phi };
        phi += cost[k].cycles;
    }
    d->code[p->code_count] = (tw__dinsn){ TW__CSL_I_TRAP, 0, 0, 0, TW__CSL_TRAP_UNREACHABLE, phi };
    free(cost);
    return true;
}

/* Where indices are checked, the instruction that follows them leads through the check. */
static bool decode_indices(tw__decoded *d)
{
    const tw__csl_program *p = d->program;
    if (p->index_count == 0) return true;
    d->checks = tw__calloc(p->index_count, sizeof *d->checks);
    d->check_of = tw__calloc(p->code_count, sizeof *d->check_of);
    if (!d->checks || !d->check_of) return false;
    for (size_t k = 0; k < p->index_count; k++) {
        const tw__csl_index_use *index = &p->indices[k];
        bool first = k == 0 || index->at != p->indices[k - 1].at;
        d->checks[k] = (tw__index_check){ index->limit, index->reg, 0, 0 };
        d->checks[k].op = first ? d->code[index->at].op : d->checks[k - 1].op;
        if (first)
            d->check_of[index->at] = (uint32_t)k;
        else
            d->checks[k - 1].more = 1;
        d->code[index->at].op = TW__WSE_I_INDICES;
    }
    return true;
}

static bool is_simple(const tw__csl_dsd_use *use)
{
    if (use->flags & (TW__CSL_USE_ASYNC | TW__CSL_USE_INDEX) || use->op == TW__CSL_OP_DFILT) return false;
    for (unsigned k = 0; k < 4; k++)
        if (use->arg[k].kind == TW__CSL_ARG_DSR || use->arg[k].kind == TW__CSL_ARG_FIFO) return false;
    return true;
}

static bool is_dsd(const tw__csl_arg *arg)
{
    return arg->kind == TW__CSL_ARG_DSD || arg->kind == TW__CSL_ARG_DSR;
}

static void decode_uses(tw__wse *w, tw__decoded *d)
{
    for (size_t k = 0; k < d->program->use_count; k++) {
        const tw__csl_dsd_use *use = &d->program->uses[k];
        tw__decoded_use *u = &d->uses[k];
        u->use = use;
        u->kernel = &w->kernel[use->op];
        u->width = (uint8_t)tw__wse_op_width(use->op, w->arch);
        u->simple = is_simple(use) && w->options.check != TW__WSE_CHECK_STRICT && !w->options.reference;
        u->bounds = is_dsd(&use->arg[0]);
        u->least = !(is_dsd(&use->arg[0]) || is_dsd(&use->arg[1]) || is_dsd(&use->arg[2]));
        for (unsigned a = 0; a < 4; a++) u->size[a] = elem_size[tw__csl_dsd_op_rows[use->op].type[a]];
    }
}

/* Ids: bound tasks start unblocked, unbound channels blocked; then what comptime blocks said, in order. */
static void decode_tasks(tw__decoded *d)
{
    const tw__csl_program *p = d->program;
    d->start_blocked = UINT64_MAX;
    for (size_t k = 0; k < p->task_count; k++) {
        const tw__csl_task *task = &p->tasks[k];
        uint8_t *tables[] = { d->local, d->data, d->control };
        tables[task->kind][task->id] = (uint8_t)(k + 1);
        if (task->kind != TW__CSL_TASK_CONTROL) d->start_blocked &= ~(1ull << task->id);
    }
    d->start_blocked &= ~(1ull << 29);
    for (size_t k = 0; k < p->init_count; k++) {
        const tw__csl_init *init = &p->inits[k];
        uint64_t bit = 1ull << init->id;
        if (init->what == TW__CSL_INIT_ACTIVE)
            d->start_active |= bit;
        else if (init->id_kind == TW__CSL_ID_UT)
            d->start_ut_blocked = (uint8_t)(init->what == TW__CSL_INIT_BLOCK ? d->start_ut_blocked | bit
                                                                             : d->start_ut_blocked & ~bit);
        else
            d->start_blocked = init->what == TW__CSL_INIT_BLOCK ? d->start_blocked | bit : d->start_blocked & ~bit;
    }
    for (unsigned id = 0; id < TW__CSL_TASK_IDS; id++) /* nothing to run there */
        if (!d->local[id]) d->start_active &= ~(1ull << id);
    for (size_t k = 0; k < p->handler_count; k++) {
        if (p->handlers[k].is_queue)
            d->empty_queue[p->handlers[k].is_queue == 2][p->handlers[k].id] = p->handlers[k].function + 1;
        else
            d->teardown[p->handlers[k].id] = p->handlers[k].function + 1;
    }
}

tw_status tw__wse_decode(tw__wse *w)
{
    const tw__csl_image *image = w->image;
    w->decoded = tw__calloc(image->program_count ? image->program_count : 1, sizeof *w->decoded);
    if (!w->decoded) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
    for (size_t k = 0; k < image->program_count; k++) {
        tw__decoded *d = &w->decoded[k];
        d->program = &image->programs[k];
        d->code = tw__calloc(d->program->code_count + 1, sizeof *d->code);
        d->uses = tw__calloc(d->program->use_count + 1, sizeof *d->uses);
        if (!d->code || !d->uses) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
        if (!decode_code(d, w->arch)) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
        if (w->options.check != TW__WSE_CHECK_OFF && !decode_indices(d))
            return tw__fail(TW_E_NO_MEMORY, "out of host memory");
        decode_uses(w, d);
        decode_tasks(d);
    }
    return TW_OK;
}

void tw__wse_decode_free(tw__wse *w)
{
    for (size_t k = 0; w->decoded && k < w->image->program_count; k++) {
        free(w->decoded[k].code);
        free(w->decoded[k].uses);
        free(w->decoded[k].checks);
        free(w->decoded[k].check_of);
        free(w->decoded[k].behind);
        free(w->decoded[k].marks);
    }
    free(w->decoded);
}

/* Memory is committed where something else than zero is written, and not before the first task starts or the host
 * looks: what never works takes no page. */
void tw__wse_pe_load(tw__pe *pe)
{
    const tw__csl_program *p = pe->program ? pe->program->program : NULL;
    if (pe->loaded) return;
    pe->loaded = 1;
    enum { PAGE = 4096 };
    static const uint8_t zeros[PAGE];
    for (size_t k = 0; p && k < p->segment_count; k++) {
        const tw__csl_segment *s = &p->segments[k];
        for (uint32_t at = 0; at < s->bytes;) {
            uint32_t end = (s->address + at + PAGE) & ~(uint32_t)(PAGE - 1), n = end - s->address - at;
            if (n > s->bytes - at) n = s->bytes - at;
            if (memcmp(s->data + at, zeros, n) != 0) memcpy(pe->memory + s->address + at, s->data + at, n);
            at += n;
        }
    }
}

static bool load_routes(tw__part *part, uint32_t number, const tw__csl_pe *from)
{
    tw__router *router = &part->w->router[number];
    if (from->route_count) {
        router->channel = tw__wse_piece(part, from->route_count * sizeof *router->channel);
        if (!router->channel) return false;
        router->channel_room = (uint8_t)from->route_count;
    }
    for (uint32_t k = 0; k < from->route_count; k++) {
        const tw__csl_route *route = &part->w->image->routes[from->route + k];
        tw__channel *c = tw__wse_channel_begin(router, route->color);
        tw__wse_channel_route(c, route);
        router->swaps |= c->swap_x | c->swap_y;
    }
    return true;
}

/* The compiler warns of a data task of WSE-3 whose input queue is never initialised; strict checks refuse it. */
static void check_data_tasks(tw__part *part, tw__pe *pe, const tw__csl_program *p)
{
    if (part->w->arch == 0 || part->w->options.check != TW__WSE_CHECK_STRICT) return;
    for (size_t k = 0; k < p->task_count; k++) {
        const tw__csl_task *task = &p->tasks[k];
        if (task->kind != TW__CSL_TASK_DATA || task->id >= TW__CSL_QUEUES) continue;
        const tw__queue *q = pe->in_queue[task->id];
        if (!q || !q->initialised)
            tw__wse_misuse(part, pe, "wse.queue", "input queue %u of data task '%s' was never initialised",
                           task->id, p->functions[task->function].name);
    }
}

bool tw__wse_pe_start(tw__part *part, tw__pe *pe)
{
    tw__wse *w = part->w;
    uint32_t number = tw__wse_pe_number(part, pe);
    const tw__csl_pe *from = &w->image->pes[number];
    pe->memory = w->memory + (size_t)number * TW__CSL_PE_BYTES;
    pe->stream_open = 1;
    if (!load_routes(part, number, from)) return false;
    if (from->program == UINT32_MAX) return true;
    const tw__decoded *d = &w->decoded[from->program];
    const tw__csl_program *p = d->program;
    pe->program = d;
    pe->pool = w->image->pool ? w->image->pool + from->pool : NULL;
    pe->lfsr = 0xdeadbeef;
    pe->random = w->options.seed + number * 0x9e3779b97f4a7c15ull;
    pe->active = d->start_active;
    pe->blocked = d->start_blocked;
    pe->ut_blocked = d->start_ut_blocked;
    if (p->fifo_count && !(pe->fifo = tw__calloc(p->fifo_count, sizeof *pe->fifo))) return false;
    for (size_t k = 0; k < p->queue_count; k++) {
        const tw__csl_queue *q = &p->queues[k];
        if (q->color == TW__CSL_NO_ID) continue;
        if (!tw__wse_queue_bind(part, pe, q->id, q->color, q->is_output)) return false;
        tw__queue *queue = (q->is_output ? pe->out_queue : pe->in_queue)[q->id];
        queue->initialised = !q->implied;
        queue->priority = q->priority;
        queue->control_base = q->control_base;
    }
    for (size_t k = 0; k < p->declaration_count; k++)
        if (p->declarations[k].service == TW__CSL_SERVICE_MESSAGES &&
            !tw__wse_mail_begin(part, pe, p->declarations[k].args[0], p->declarations[k].args[1]))
            return false;
    for (size_t k = 0; k < p->rotation_count && k < 2; k++) pe->rotation[k] = p->rotations[k].init;
    for (size_t k = 0; k < p->dsr_init_count; k++)
        tw__wse_dsr_load(part, pe, &p->dsr_init[k], &p->dsr_init[k].dsd, NULL);
    for (size_t k = 0; k < p->config_count; k++)
        tw__wse_config_set(part, pe, p->configs[k].address, p->configs[k].value);
    check_data_tasks(part, pe, p);
    if (pe->active & ~pe->blocked) tw__wse_wake_engine(part, number, 0);
    return !part->no_memory;
}
