/* SPDX-License-Identifier: MIT */
/* opt: the passes in order, functions from the bottom of the call graph up. */
#include "csl/lang/opt/local.h"

enum { ROUNDS = 8, MOTIONS = 4, DEEPEST = 500 };

/* Passes in the order in which they help each other. The last two want loops and branches in their final form, which
 * the first round brings about. */
static bool round_of_passes(opt *o, opt_function *f, bool first)
{
    typedef bool pass(opt * o, opt_function * f);
    static pass *const passes[] = { tw__opt_flow, tw__opt_split, tw__opt_number,   tw__opt_stores,
                                    tw__opt_dead, tw__opt_loops, tw__opt_predicate };
    size_t count = sizeof passes / sizeof *passes - (first ? 2 : 0);
    bool changed = false;
    for (size_t k = 0; k < count && !o->failed; k++) changed |= passes[k](o, f);
    return changed;
}

static void opt_settle(opt *o, opt_function *f)
{
    bool changed = true;
    for (unsigned round = 0; round < ROUNDS && changed && !o->failed; round++)
        changed = round_of_passes(o, f, round == 0) || round == 0;
}

static void improve(opt *o, uint32_t number, unsigned depth)
{
    opt_function *f = &o->functions[number];
    if (f->state != 0) return;
    f->state = 1;
    for (size_t k = 0; depth < DEEPEST && k < f->insn_count; k++)
        if (f->insns[k].insn.op == TW__CSL_I_CALL) improve(o, tw__csl_wide(f->insns[k].insn), depth + 1);
    if (!f->large && !o->failed) {
        tw__opt_inline(o, f);
        f->pool = f->registers;
        opt_settle(o, f);
        if (!o->failed && tw__opt_recursion(o, number)) opt_settle(o, f);
        for (unsigned k = 0; k < MOTIONS && !o->failed && tw__opt_invariant(o, f); k++) opt_settle(o, f);
        if (!o->failed) round_of_passes(o, f, true);
    }
    f->state = 2;
}

/* --- functions ------------------------------------------------------------------------------------------------ */

/* The numbers of functions that tables other than the code name: reads them, or gives them new ones. */
static void each_root(opt *o, void (*visit)(opt *o, uint32_t *function, const uint32_t *number),
                      const uint32_t *number)
{
    tw__csl_program *p = o->p;
    for (size_t k = 0; k < p->task_count; k++) visit(o, &p->tasks[k].function, number);
    for (size_t k = 0; k < p->handler_count; k++) visit(o, &p->handlers[k].function, number);
    for (size_t k = 0; k < p->map_count; k++) visit(o, &p->maps[k].function, number);
    for (size_t k = 0; k < p->export_count; k++)
        if (p->exports[k].is_function) visit(o, &p->exports[k].target, number);
    for (size_t k = 0; k < p->rotation_count; k++) {
        visit(o, &p->rotations[k].main, number);
        visit(o, &p->rotations[k].alternative, number);
    }
}

static void opt_keep(opt *o, uint32_t *function, const uint32_t *number)
{
    (void)number;
    o->functions[*function].kept = 1;
}

static void renumber(opt *o, uint32_t *function, const uint32_t *number)
{
    (void)o;
    *function = number[*function];
}

static void count_calls(opt *o)
{
    for (size_t k = 0; k < o->p->function_count; k++)
        for (size_t at = 0; at < o->functions[k].insn_count; at++) {
            tw__csl_insn i = o->functions[k].insns[at].insn;
            if (i.op == TW__CSL_I_CALL) o->functions[tw__csl_wide(i)].calls++;
            o->indirect |= i.op == TW__CSL_I_CALLI;
        }
}

static void reach(opt *o, uint32_t *stack)
{
    size_t n = 0;
    for (uint32_t k = 0; k < o->p->function_count; k++)
        if (o->functions[k].kept || o->indirect) o->functions[k].reached = 1, stack[n++] = k;
    while (n) {
        const opt_function *f = &o->functions[stack[--n]];
        for (size_t at = 0; at < f->insn_count; at++) {
            uint32_t to = tw__csl_wide(f->insns[at].insn);
            if (f->insns[at].insn.op != TW__CSL_I_CALL || o->functions[to].reached) continue;
            o->functions[to].reached = 1;
            stack[n++] = to;
        }
    }
}

/* Functions that nothing calls any more go; the others get new numbers. */
static void drop_unreached(opt *o)
{
    tw__csl_program *p = o->p;
    uint32_t *number = tw__calloc(p->function_count + 1, sizeof *number), n = 0;
    if (!number) {
        o->failed = true;
        return;
    }
    reach(o, number);
    for (uint32_t k = 0; k < p->function_count; k++) {
        opt_function *f = &o->functions[k];
        if (!f->reached) {
            free(f->insns);
            continue;
        }
        number[k] = n;
        p->functions[n] = p->functions[k];
        o->functions[n++] = *f;
    }
    each_root(o, renumber, number);
    p->function_count = n;
    for (uint32_t k = 0; k < n; k++)
        for (size_t at = 0; at < o->functions[k].insn_count; at++) {
            tw__csl_insn *i = &o->functions[k].insns[at].insn;
            if (i->op != TW__CSL_I_CALL) continue;
            uint32_t to = number[tw__csl_wide(*i)];
            i->b = (uint16_t)(to & 0xffff);
            i->c = (uint16_t)(to >> 16);
        }
    free(number);
}

/* --- a program ------------------------------------------------------------------------------------------------ */

static bool optimize(tw__csl_image *image, tw__csl_program *p)
{
    opt o = { .image = image, .p = p };
    size_t functions = p->function_count;
    bool good = tw__opt_keep_code(&o) && tw__opt_find_own(&o) && tw__opt_lift(&o);
    if (good) {
        each_root(&o, opt_keep, NULL);
        count_calls(&o);
        for (uint32_t k = 0; k < functions && !o.failed; k++) improve(&o, k, 0);
        if (!o.failed) drop_unreached(&o);
        for (size_t k = 0; k < p->function_count && !o.failed; k++)
            if (!o.functions[k].large) tw__opt_hoist(&o, &o.functions[k]), tw__opt_tail(&o, &o.functions[k]);
        good = !o.failed && tw__opt_lower(&o);
        if (good) tw__opt_names(&o);
        good = good && !o.failed;
    }
    free(o.code);
    free(o.written);
    free(o.origin);
    for (size_t k = 0; o.functions && k < p->function_count; k++) free(o.functions[k].insns);
    free(o.functions);
    free(o.indices);
    free(o.own);
    return good && !p->no_memory;
}

bool tw__csl_optimize(tw__csl_image *image)
{
    for (size_t k = 0; k < image->program_count; k++)
        if (!optimize(image, &image->programs[k])) {
            image->no_memory = 1;
            return false;
        }
    return true;
}
