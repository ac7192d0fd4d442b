/* SPDX-License-Identifier: MIT */
/* The program tree of the profile, in which each plan step stands where its program does, and the control flow that
 * liveness is found on. */
#include "poplar/engine/account/account.h"

#include <string.h>

/* Plan steps of each program as chains in plan order: a program shared by several places is lowered at each. */
static bool chain_steps(tw__accounting *a)
{
    const tw__plan *plan = &a->engine->plan;
    a->step_of = tw__realloc(NULL, (a->core->program_count + 1) * sizeof *a->step_of);
    a->next_of = tw__realloc(NULL, (plan->step_programs.count + 1) * sizeof *a->next_of);
    a->last_of = tw__realloc(NULL, (a->core->program_count + 1) * sizeof *a->last_of);
    if (!a->step_of || !a->next_of || !a->last_of) return false;
    memset(a->last_of, 0xff, (a->core->program_count + 1) * sizeof *a->last_of);
    memset(a->step_of, 0xff, (a->core->program_count + 1) * sizeof *a->step_of);
    for (size_t s = plan->steps.count; s-- > 0;) {
        const tw__plan_step *step = &plan->steps.items[s];
        for (uint32_t i = step->programs; i-- > 0;) {
            uint32_t slot = step->first_program + i, program = plan->step_programs.items[slot];
            a->next_of[slot] = a->step_of[program];
            a->step_of[program] = (uint32_t)s;
        }
    }
    return true;
}

/* The next plan step of a leaf. When all are taken the lowering has made a subroutine: the last one once more. */
static uint32_t take_step(tw__accounting *a, uint32_t program)
{
    const tw__plan *plan = &a->engine->plan;
    uint32_t s = a->step_of[program];
    if (s == TW__NONE) return a->last_of[program];
    a->last_of[program] = s;
    const tw__plan_step *step = &plan->steps.items[s];
    for (uint32_t i = 0; i < step->programs; i++)
        if (plan->step_programs.items[step->first_program + i] == program) {
            a->step_of[program] = a->next_of[step->first_program + i];
            break;
        }
    return s;
}

/* True when `step` holds the last piece of the stream copy `program` (or is no transfer). */
static bool ends_copy(const tw__accounting *a, uint32_t s, uint32_t program)
{
    const tw__plan_step *step = &a->engine->plan.steps.items[s];
    if (step->kind != TW__S_TRANSFER) return true;
    const tw__transfer *transfer = &a->engine->plan.transfers.items[step->payload];
    for (size_t i = 0; i < transfer->count; i++)
        if (transfer->parts[i].program == program && transfer->parts[i].ends) return true;
    return false;
}

static void visit_leaf(tw__accounting *a, uint32_t program, uint32_t parent)
{
    for (uint32_t s; (s = take_step(a, program)) != TW__NONE;) {
        unsigned kind = a->engine->plan.steps.items[s].kind;
        bool fresh = !a->account->step_count[s];
        if (fresh) tw__account_emit(a, s, parent);
        if (!fresh || (kind != TW__S_EXECUTE && kind != TW__S_COPY && kind != TW__S_SYNC)) a->versions.stretch++;
        TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_STEP, s });
        if (ends_copy(a, s, program)) return;
    }
}

/* Programs with children: type of their node, how often the children run. */
static const struct {
    bool inner;
    tw_program_type type;
    tw__shape_kind shape;
} nodes[] = {
    [TW__P_SEQUENCE] = { true, TW_PROGRAM_SEQUENCE, TW__SHAPE_STEP },
    [TW__P_REPEAT] = { true, TW_PROGRAM_REPEAT, TW__SHAPE_LOOP },
    [TW__P_WHILE_TRUE] = { true, TW_PROGRAM_REPEAT_WHILE, TW__SHAPE_WHILE },
    [TW__P_WHILE_FALSE] = { true, TW_PROGRAM_REPEAT_WHILE, TW__SHAPE_WHILE },
    [TW__P_IF] = { true, TW_PROGRAM_IF, TW__SHAPE_CHOICE },
    [TW__P_SWITCH] = { true, TW_PROGRAM_SWITCH, TW__SHAPE_CHOICE },
    [TW__P_CALL] = { true, TW_PROGRAM_CALL, TW__SHAPE_CALL },
    [TW__P_COUNTED_FOR] = { true, TW_PROGRAM_REPEAT_WHILE, TW__SHAPE_WHILE },
};

static void visit(tw__accounting *a, uint32_t program, uint32_t parent);

static void mark_test(tw__accounting *a, uint32_t open)
{
    a->shape.items[open].value = (uint32_t)a->shape.count;
    TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_TEST, open });
}

static void visit_arm(tw__accounting *a, uint32_t program, uint32_t node, uint32_t *last)
{
    a->versions.stretch++;
    visit(a, program, node);
    uint32_t here = (uint32_t)a->shape.count;
    TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_ARM, *last });
    *last = here;
}

static void visit_children(tw__accounting *a, const tw__program *p, uint32_t program, uint32_t node)
{
    tw__shape_kind shape = nodes[p->kind].shape;
    bool loops = p->kind == TW__P_WHILE_TRUE || p->kind == TW__P_WHILE_FALSE;
    if (shape == TW__SHAPE_CALL) {
        TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_CALL, p->id });
        return;
    }
    uint32_t open = (uint32_t)a->shape.count, last = open;
    if (shape != TW__SHAPE_STEP) TW__APPEND(a->shape, a->failed = true, (tw__shape){ shape, 0 });
    if (a->failed) return;
    if (shape == TW__SHAPE_WHILE && !loops) mark_test(a, open);
    for (uint32_t i = 0; i < p->child_count && !a->failed; i++) {
        if (shape == TW__SHAPE_CHOICE)
            visit_arm(a, p->children[i], node, &last);
        else
            visit(a, p->children[i], node);
        if (!loops || i > 0 || a->failed) continue;
        visit_leaf(a, program, node); /* the predicate goes round after the condition */
        mark_test(a, open);
    }
    for (uint32_t i = 0; i < p->case_count && !a->failed; i++) visit_arm(a, p->cases[i].body, node, &last);
    if (shape == TW__SHAPE_STEP || a->failed) return;
    TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_END, shape == TW__SHAPE_CHOICE ? last : open });
}

static uint32_t find_first_leaf(tw__accounting *a, uint32_t program)
{
    const tw__program *p = &a->core->programs[program];
    if (p->kind >= sizeof nodes / sizeof *nodes || !nodes[p->kind].inner) return program;
    for (uint32_t i = 0; i < p->child_count; i++)
        if (p->children[i] && a->first_leaf[p->children[i]]) return a->first_leaf[p->children[i]];
    for (uint32_t i = 0; i < p->case_count; i++)
        if (p->cases[i].body && a->first_leaf[p->cases[i].body]) return a->first_leaf[p->cases[i].body];
    return 0;
}

static void visit(tw__accounting *a, uint32_t program, uint32_t parent)
{
    if (!program || a->failed) return;
    const tw__program *p = &a->core->programs[program];
    if (p->kind >= sizeof nodes / sizeof *nodes || !nodes[p->kind].inner) {
        a->first_leaf[program] = program;
        visit_leaf(a, program, parent);
        return;
    }
    a->versions.stretch += p->kind != TW__P_SEQUENCE;
    if (p->kind != TW__P_WHILE_TRUE && p->kind != TW__P_WHILE_FALSE) visit_leaf(a, program, parent);
    uint32_t node = tw__profile_add_program(a->profile, nodes[p->kind].type, p->name, parent, TW__NONE, p->count);
    if (p->kind == TW__P_SEQUENCE && p->flag) tw__blocks_found(a, node);
    uint32_t leaf = a->first_leaf[program];
    if (a->body_of[program] && (!leaf || a->step_of[leaf] == TW__NONE)) { /* lowered once, called from here too */
        TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_CALL, a->body_of[program] });
        return;
    }
    tw__body body = { .begin = (uint32_t)a->shape.count };
    visit_children(a, p, program, node);
    a->versions.stretch += p->kind != TW__P_SEQUENCE;
    body.end = (uint32_t)a->shape.count;
    a->first_leaf[program] = find_first_leaf(a, program);
    if (!a->body_of[program]) {
        a->body_of[program] = (uint32_t)a->bodies.count;
        TW__APPEND(a->bodies, a->failed = true, body);
    }
}

tw_status tw__account_tree(tw__accounting *a)
{
    if (!chain_steps(a)) return tw__fail(TW_E_NO_MEMORY, "out of memory for the profile");
    size_t functions = a->core->function_count ? a->core->function_count : 1;
    for (size_t f = 0; f < functions; f++) TW__APPEND(a->bodies, a->failed = true, (tw__body){ 0 });
    for (size_t i = 0; i < a->engine->program_count && !a->failed; i++) {
        uint32_t open = (uint32_t)a->shape.count; /* any program may run, any number of times */
        TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_WHILE, 0 });
        if (a->failed) break;
        mark_test(a, open);
        visit(a, a->engine->programs[i], TW__NONE);
        TW__APPEND(a->shape, a->failed = true, (tw__shape){ TW__SHAPE_END, open });
    }
    if (!a->failed) a->bodies.items[0].end = (uint32_t)a->shape.count;
    for (size_t f = 1; f < functions && !a->failed; f++) {
        const tw__function *function = &a->core->functions[f];
        uint32_t node =
            tw__profile_add_program(a->profile, TW_PROGRAM_FUNCTION, function->name, TW__NONE, TW__NONE, 0);
        tw__body body = { .begin = (uint32_t)a->shape.count };
        visit(a, function->body, node);
        body.end = (uint32_t)a->shape.count;
        a->bodies.items[f] = body;
    }
    if (!a->status && !a->failed) a->status = tw__blocks_choose(a);
    if (a->status) return a->status;
    return a->failed ? tw__fail(TW_E_NO_MEMORY, "out of memory for the profile") : TW_OK;
}
