/* SPDX-License-Identifier: MIT */
/* inline: small functions and those called once go to where they are called; functions nobody reaches go. */
#include "csl/lang/opt/local.h"

enum { SMALL = 45, ONCE = 400, MOST = 9000 }; /* instructions */
/* While a list is rebuilt: added to targets of jumps that are places of the new list already; no list is so long. */
enum { PLACED = 0x40000000 };

/* Rows that instructions of the callee name, with registers moved up by `by`. */
static uint16_t inline_moved(uint32_t reg, uint32_t by)
{
    return (uint16_t)(reg + by);
}

static void move_action(tw__csl_action *a, uint32_t by)
{
    if (a->in_register) a->at = inline_moved(a->at, by);
}

static void move_arg(tw__csl_arg *arg, uint32_t by)
{
    if (arg->kind == TW__CSL_ARG_DSD || arg->kind == TW__CSL_ARG_SCALAR || arg->kind == TW__CSL_ARG_POINTER)
        arg->at = inline_moved(arg->at, by);
}

static uint32_t move_use(tw__csl_program *p, uint32_t row, uint32_t by)
{
    tw__csl_dsd_use copy = p->uses[row], *to = TW__CSL_PUSH(p, uses, use);
    if (!to) return 0;
    for (unsigned k = 0; k < 4; k++) move_arg(&copy.arg[k], by);
    move_action(&copy.done, by);
    move_action(&copy.on_control, by);
    if (copy.flags & TW__CSL_USE_INDEX) copy.index = inline_moved(copy.index, by);
    if (copy.flags & TW__CSL_USE_FOLD) copy.from = inline_moved(copy.from, by);
    *to = copy;
    return (uint32_t)p->use_count - 1;
}

static uint32_t move_load(tw__csl_program *p, uint32_t row, uint32_t by)
{
    tw__csl_dsr_load copy = p->dsr_loads[row], *to = TW__CSL_PUSH(p, dsr_loads, dsr_load);
    if (!to) return 0;
    copy.pair = inline_moved(copy.pair, by);
    move_action(&copy.done, by);
    move_action(&copy.on_control, by);
    *to = copy;
    return (uint32_t)p->dsr_load_count - 1;
}

static uint32_t move_map(tw__csl_program *p, uint32_t row, uint32_t by)
{
    tw__csl_map copy = p->maps[row], *to = TW__CSL_PUSH(p, maps, map);
    if (!to) return 0;
    for (unsigned k = 0; k < copy.input_count; k++) move_arg(&copy.input[k], by);
    if (copy.has_output) move_arg(&copy.output, by);
    *to = copy;
    return (uint32_t)p->map_count - 1;
}

static void move_registers(tw__csl_program *p, tw__csl_insn *i, uint32_t by, uint32_t stack)
{
    if (i->op == OPT_INDEX) {
        i->a = inline_moved(i->a, by);
        return;
    }
    const char *operands = tw__csl_op_rows[i->op].operands;
    uint16_t *const at[3] = { &i->a, &i->b, &i->c };
    for (unsigned k = 0; k < 3; k++)
        if (strchr("dDsSw", operands[k])) *at[k] = inline_moved(*at[k], by);
    uint32_t x = tw__csl_wide(*i);
    if (i->op == TW__CSL_I_DSDOP)
        x = move_use(p, x, by);
    else if (i->op == TW__CSL_I_LOAD_DSR)
        x = move_load(p, x, by);
    else if (i->op == TW__CSL_I_MAP)
        x = move_map(p, x, by);
    else if (i->op == TW__CSL_I_LEA)
        x += stack;
    else
        return;
    i->b = (uint16_t)(x & 0xffff);
    i->c = (uint16_t)(x >> 16);
}

/* --- splicing ------------------------------------------------------------------------------------------------- */

static bool worth_it(const opt *o, const opt_function *f, uint32_t callee)
{
    const opt_function *g = &o->functions[callee];
    bool once = g->calls == 1 && !g->kept && !o->indirect;
    if (g == f || g->state != 2 || g->large || g->insn_count == 0) return false;
    if (f->insn_count + g->insn_count > MOST) return false;
    if (g->stack_bytes && !once) return false; /* the stack has room for one area of each function */
    return g->insn_count <= (once ? ONCE : SMALL);
}

/* The frame of an instruction of the callee: its own, below that of the call. */
static uint32_t frame_below(opt *o, uint32_t callee, const opt_insn *call, uint32_t inner, uint32_t stack,
                            uint32_t *map, size_t rows)
{
    tw__csl_program *p = o->p;
    if (inner < rows && map[inner]) return map[inner];
    tw__csl_frame row = {
        p->functions[callee].name, call->frame, call->file, call->line, call->column, stack, call->origin
    };
    if (inner) {
        row = p->frames[inner - 1];
        row.outer = frame_below(o, callee, call, row.outer, stack, map, rows);
        row.stack += stack;
    }
    tw__csl_frame *to = TW__CSL_PUSH(p, frames, frame);
    if (!to) return 0;
    *to = row;
    if (inner < rows) map[inner] = (uint32_t)p->frame_count;
    return (uint32_t)p->frame_count;
}

static void paste(opt *o, opt_function *f, const opt_insn *call, uint32_t callee)
{
    const opt_function *g = &o->functions[callee];
    uint32_t by = call->insn.a, stack = (f->stack_bytes + 3u) & ~3u, begin = (uint32_t)f->insn_count;
    size_t rows = o->p->frame_count + 1;
    uint32_t *map = tw__calloc(rows, sizeof *map);
    if (!map) {
        o->failed = true;
        return;
    }
    for (size_t k = 0; k < g->insn_count; k++) {
        opt_insn x = g->insns[k];
        x.frame = frame_below(o, callee, call, x.frame, stack, map, rows);
        if (x.to >= 0) x.to = (int32_t)begin + x.to + PLACED;
        if (x.insn.op == TW__CSL_I_RET) {
            x.insn = (tw__csl_insn){ TW__CSL_I_JMP, 0, 0, 0 };
            x.to = (int32_t)(begin + g->insn_count) + PLACED;
        } else {
            move_registers(o->p, &x.insn, by, stack);
        }
        tw__opt_append(o, f, x);
    }
    free(map);
    if (by + g->registers > f->registers) f->registers = by + g->registers;
    if (g->stack_bytes) f->stack_bytes = stack + g->stack_bytes;
}

bool tw__opt_inline(opt *o, opt_function *f)
{
    bool any = false;
    size_t count = f->insn_count;
    for (size_t k = 0; k < count; k++)
        any |= f->insns[k].insn.op == TW__CSL_I_CALL && worth_it(o, f, tw__csl_wide(f->insns[k].insn));
    if (!any) return false;
    opt_insn *from = f->insns;
    uint32_t *place = tw__calloc(count + 1, sizeof *place);
    if (!place) {
        o->failed = true;
        return false;
    }
    f->insns = NULL;
    f->insn_count = f->insn_room = 0;
    size_t left = count; /* of the caller: for the limit */
    for (size_t k = 0; k < count && !o->failed; k++, left--) {
        place[k] = (uint32_t)f->insn_count;
        uint32_t callee = tw__csl_wide(from[k].insn);
        bool call = from[k].insn.op == TW__CSL_I_CALL && worth_it(o, f, callee) &&
                    from[k].insn.a + o->functions[callee].registers <= UINT16_MAX && f->insn_count + left <= MOST;
        if (!call) {
            tw__opt_append(o, f, from[k]);
            continue;
        }
        paste(o, f, &from[k], callee);
        const opt_function *g = &o->functions[callee];
        if (--o->functions[callee].calls == 0 && !g->kept && !o->indirect)
            continue; /* it goes, its calls stay as many */
        for (size_t c = 0; c < g->insn_count; c++)
            if (g->insns[c].insn.op == TW__CSL_I_CALL) o->functions[tw__csl_wide(g->insns[c].insn)].calls++;
    }
    for (size_t k = 0; k < f->insn_count; k++) {
        opt_insn *x = &f->insns[k];
        if (x->to >= PLACED)
            x->to -= PLACED;
        else if (x->to >= 0)
            x->to = (int32_t)place[x->to];
    }
    free(place);
    free(from);
    return true;
}
