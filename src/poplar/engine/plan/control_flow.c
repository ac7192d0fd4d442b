/* SPDX-License-Identifier: MIT */
/* Programs to a flat instruction array. A program used in several places is emitted once, as a subroutine, when
 * it is not small; functions always are. Small leaves are repeated, so that loop bodies stay straight. */
#include "poplar/engine/plan/lower.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 2000 /* nesting of programs: bounds the recursion here */
#define OUTLINE   16   /* leaves from which a shared program becomes a subroutine */

tw_status tw__emit_no_memory(void)
{
    return tw__fail(TW_E_NO_MEMORY, "no memory for the program");
}

static uint32_t here(const tw__emitter *e)
{
    return (uint32_t)e->plan->code.count;
}

/* --- what programs use ---------------------------------------------------------------------------------------- */

static void add_weight(tw__emitter *e, uint32_t program, uint32_t more)
{
    uint32_t *w = &e->weight[program];
    *w = *w > UINT32_MAX - more ? UINT32_MAX : *w + more;
}

/* Counts references and leaves, and notes compute sets and streams; each program is entered once. */
static tw_status survey(tw__emitter *e, uint32_t program, unsigned depth, bool *sets);

static tw_status survey_children(tw__emitter *e, uint32_t program, unsigned depth, bool *sets)
{
    const tw__program *p = &e->core->programs[program];
    for (uint32_t i = 0; i < p->child_count; i++) {
        tw_status s = survey(e, p->children[i], depth + 1, sets);
        if (s) return s;
        if (p->children[i]) add_weight(e, program, e->weight[p->children[i]]);
    }
    for (uint32_t i = 0; i < p->case_count; i++) {
        tw_status s = survey(e, p->cases[i].body, depth + 1, sets);
        if (s) return s;
        if (p->cases[i].body) add_weight(e, program, e->weight[p->cases[i].body]);
    }
    return TW_OK;
}

static tw_status survey(tw__emitter *e, uint32_t program, unsigned depth, bool *sets)
{
    if (program == 0) return TW_OK;
    if (depth > MAX_DEPTH)
        return tw__fail(TW_E_CONTROL_PROGRAM, "programs are nested deeper than %d levels", MAX_DEPTH);
    if (e->refs[program] < UINT32_MAX) e->refs[program]++;
    if (e->refs[program] > 1) return TW_OK;
    const tw__program *p = &e->core->programs[program];
    e->weight[program] = 1;
    if (p->kind == TW__P_EXECUTE) sets[p->id] = true;
    if (p->kind == TW__P_STREAM_IN || p->kind == TW__P_STREAM_OUT) e->plan->stream_used[p->id] = true;
    if (p->kind == TW__P_REMOTE_IN || p->kind == TW__P_REMOTE_OUT) e->engine->remotes[p->id].used = true;
    if (p->kind == TW__P_CALL) return survey(e, e->core->functions[p->id].body, depth + 1, sets);
    return survey_children(e, program, depth, sets);
}

/* Streams of one engine program, functions included. */
static tw_status collect_streams(const tw__core *core, uint32_t program, uint8_t *seen, bool *used)
{
    const tw__program *p = &core->programs[program];
    if (program == 0 || seen[program]) return TW_OK;
    seen[program] = 1;
    if (p->kind == TW__P_STREAM_IN || p->kind == TW__P_STREAM_OUT) used[p->id] = true;
    if (p->kind == TW__P_CALL) return collect_streams(core, core->functions[p->id].body, seen, used);
    for (uint32_t i = 0; i < p->child_count; i++) collect_streams(core, p->children[i], seen, used);
    for (uint32_t i = 0; i < p->case_count; i++) collect_streams(core, p->cases[i].body, seen, used);
    return TW_OK;
}

static tw_status list_streams(tw__emitter *e)
{
    tw__plan *plan = e->plan;
    size_t streams = e->core->stream_count, programs = e->engine->program_count, room = 0, count = 0;
    plan->program_streams_first = tw__calloc(programs + 1, sizeof(uint32_t));
    uint8_t *seen = tw__realloc(NULL, e->core->program_count + 1);
    bool *used = tw__realloc(NULL, streams + 1);
    bool ok = plan->program_streams_first && seen && used;
    for (size_t i = 0; i < programs && ok; i++) {
        memset(seen, 0, e->core->program_count + 1);
        memset(used, 0, streams + 1);
        collect_streams(e->core, e->engine->programs[i], seen, used);
        for (uint32_t s = 1; s < streams && ok; s++) {
            if (!used[s]) continue;
            ok = tw__grow(&plan->program_streams, &room, count, sizeof(uint32_t));
            if (ok) plan->program_streams[count++] = s;
        }
        if (ok) plan->program_streams_first[i + 1] = (uint32_t)count;
    }
    free(seen);
    free(used);
    return ok ? TW_OK : tw__emit_no_memory();
}

/* --- instructions --------------------------------------------------------------------------------------------- */

static tw__instr *append(tw__emitter *e, tw__opcode op, uint32_t a)
{
    tw__plan *plan = e->plan;
    if (plan->code.count >= UINT32_MAX / 2 ||
        !tw__grow(&plan->code.items, &plan->code.room, plan->code.count, sizeof(tw__instr)))
        return NULL;
    tw__instr *in = &plan->code.items[plan->code.count++];
    *in = (tw__instr){ .op = (uint8_t)op, .a = a, .step = TW__NO_STEP };
    return in;
}

tw__instr *tw__emit_step(tw__emitter *e, tw__opcode op, uint32_t a, tw__plan_kind kind, const uint32_t *programs,
                         size_t count)
{
    tw__plan *plan = e->plan;
    if (!tw__grow(&plan->steps.items, &plan->steps.room, plan->steps.count, sizeof(tw__plan_step))) return NULL;
    uint32_t step = (uint32_t)plan->steps.count++;
    plan->steps.items[step] = (tw__plan_step){ .kind = (uint8_t)kind,
                                               .payload = a,
                                               .first_program = (uint32_t)plan->step_programs.count,
                                               .programs = (uint32_t)count };
    for (size_t i = 0; i < count; i++) {
        if (!tw__grow(&plan->step_programs.items, &plan->step_programs.room, plan->step_programs.count,
                      sizeof(uint32_t)))
            return NULL;
        plan->step_programs.items[plan->step_programs.count++] = programs[i];
    }
    tw__instr *in = append(e, op, a);
    if (in) in->step = step;
    return in;
}

/* A step that reads a scalar: a predicate, a switch value, a loop limit. */
static tw__instr *emit_branch(tw__emitter *e, tw__opcode op, uint32_t a, uint32_t program,
                              const tw__operand *scalar)
{
    tw__instr *in = tw__emit_step(e, op, a, TW__S_BRANCH, &program, 1);
    if (!in) return NULL;
    e->plan->steps.items[in->step].payload = program;
    in->type = (uint8_t)scalar->type;
    in->u.at = tw__operand_at(&e->plan->storage, scalar);
    in->owner = tw__owner_of_scalar(e->engine, scalar);
    return in;
}

static tw_status emit_program(tw__emitter *e, uint32_t program);

static void set_target(tw__emitter *e, uint32_t instr)
{
    e->plan->code.items[instr].to = here(e);
}

/* --- one function for each kind of program -------------------------------------------------------------------- */

static tw_status emit_sequence(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    for (uint32_t i = 0; i < p->child_count; i++) {
        tw_status s = emit_program(e, p->children[i]);
        if (s) return s;
    }
    return TW_OK;
}

static tw_status emit_execute(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    uint32_t *made = &e->exec_of[p->id];
    if (*made == TW__NOT_MADE) {
        tw__plan *plan = e->plan;
        if (!tw__grow(&plan->execs.items, &plan->execs.room, plan->execs.count, sizeof(tw__exec)))
            return tw__emit_no_memory();
        *made = (uint32_t)plan->execs.count++;
        tw_status s = tw__lower_compute_set(e->engine, p->id, &plan->execs.items[*made]);
        if (s) return s;
    }
    bool all = p->a.regions != NULL;
    tw__instr *in = tw__emit_step(e, all ? TW__I_EXECUTE_ALL : TW__I_EXECUTE, *made, TW__S_EXECUTE, &program, 1);
    if (!in) return tw__emit_no_memory();
    if (all) {
        in->type = (uint8_t)p->a.type;
        in->u.at = tw__operand_at(&e->plan->storage, &p->a);
    }
    return TW_OK;
}

static tw_status emit_stamp(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    tw__instr *in = tw__emit_step(e, TW__I_STAMP, p->kind == TW__P_CYCLES_SINCE, TW__S_NOTHING, &program, 1);
    if (!in) return tw__emit_no_memory();
    tw__region_walk words = tw__region_walk_begin(p->a.regions, 0, 2);
    uint64_t at[2] = { 0, 0 };
    size_t found = 0;
    for (tw__elems run; found < 2 && tw__region_walk_next(&words, &run);)
        for (uint64_t i = 0; i < run.count && found < 2; i++)
            at[found++] = tw__storage_at(&e->plan->storage, run.var, run.offset + (uint64_t)run.stride * i);
    in->u.at = at[0];
    in->imm = (int64_t)at[1];
    e->plan->stamped = true;
    return TW_OK;
}

/* No jump on data between the instructions: what a profile may record as one range. */
static bool is_straight(const tw__emitter *e, uint32_t first)
{
    static const bool branches[TW__I_COUNT] = {
        [TW__I_JUMP] = true,  [TW__I_JUMP_TRUE] = true, [TW__I_JUMP_FALSE] = true, [TW__I_SWITCH] = true,
        [TW__I_CALL] = true,  [TW__I_FOR_TEST] = true,  [TW__I_ABORT] = true,      [TW__I_ABORT_IF] = true,
        [TW__I_ERROR] = true, [TW__I_STAMP] = true, /* the clock has to be right inside of the loop */
    };
    for (uint32_t i = first; i < here(e); i++)
        if (branches[e->plan->code.items[i].op]) return false;
    return true;
}

/* `count` times the body; `counter` (may be NULL) is a scalar that grows by `step` after each. */
static tw_status emit_counted(tw__emitter *e, uint64_t count, uint32_t body, const tw__operand *counter,
                              int64_t step)
{
    tw__plan *plan = e->plan;
    uint32_t slot = plan->slots++, loop = here(e);
    tw__instr *in = append(e, TW__I_LOOP, slot);
    if (!in) return tw__emit_no_memory();
    in->imm = (int64_t)count;
    tw_status s = emit_program(e, body);
    if (!s) s = tw__leaf_flush(e);
    if (s) return s;
    if (counter) {
        if (!(in = append(e, TW__I_FOR_ADD, 0))) return tw__emit_no_memory();
        in->type = (uint8_t)counter->type;
        in->u.at = tw__operand_at(&plan->storage, counter);
        in->imm = step;
    }
    if (here(e) == loop + 1) { /* nothing to repeat */
        plan->code.count = loop;
        return TW_OK;
    }
    if (!(in = append(e, TW__I_NEXT, slot))) return tw__emit_no_memory();
    in->to = loop + 1;
    plan->code.items[loop].straight = is_straight(e, loop + 1);
    set_target(e, loop);
    return TW_OK;
}

static tw_status emit_while(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    uint32_t top = here(e);
    tw_status s = emit_program(e, p->children[0]);
    if (!s) s = tw__leaf_flush(e);
    if (s) return s;
    uint32_t test = here(e);
    tw__opcode leave = p->kind == TW__P_WHILE_TRUE ? TW__I_JUMP_FALSE : TW__I_JUMP_TRUE;
    if (!emit_branch(e, leave, 0, program, &p->a)) return tw__emit_no_memory();
    s = emit_program(e, p->children[1]);
    if (!s) s = tw__leaf_flush(e);
    if (s) return s;
    tw__instr *in = append(e, TW__I_JUMP, 0);
    if (!in) return tw__emit_no_memory();
    in->to = top;
    set_target(e, test);
    return TW_OK;
}

static tw_status emit_if(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    uint32_t test = here(e);
    if (!emit_branch(e, TW__I_JUMP_FALSE, 0, program, &p->a)) return tw__emit_no_memory();
    tw_status s = emit_program(e, p->children[0]);
    if (!s) s = tw__leaf_flush(e);
    if (s) return s;
    uint32_t over = here(e);
    if (!append(e, TW__I_JUMP, 0)) return tw__emit_no_memory();
    set_target(e, test);
    s = emit_program(e, p->children[1]);
    if (!s) s = tw__leaf_flush(e);
    set_target(e, over);
    return s;
}

static int by_value(const void *a, const void *b)
{
    const struct tw__switch_case *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* A body of a switch, then a jump to the end, linked through `to` until the end is known. */
static tw_status emit_case(tw__emitter *e, uint32_t body, uint32_t *jumps)
{
    tw_status s = emit_program(e, body);
    if (!s) s = tw__leaf_flush(e);
    if (s) return s;
    uint32_t at = here(e);
    tw__instr *in = append(e, TW__I_JUMP, 0);
    if (!in) return tw__emit_no_memory();
    in->to = *jumps;
    *jumps = at;
    return TW_OK;
}

static tw_status emit_switch(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    tw__plan *plan = e->plan;
    if (!tw__grow(&plan->switches.items, &plan->switches.room, plan->switches.count, sizeof(tw__switch)))
        return tw__emit_no_memory();
    uint32_t index = (uint32_t)plan->switches.count++, jumps = UINT32_MAX;
    tw__switch table = { .count = p->case_count, .program = program, .otherwise = TW__NO_STEP };
    table.cases = TW__NEW_N(e->engine->arena, struct tw__switch_case, p->case_count ? p->case_count : 1);
    plan->switches.items[index] = table;
    if (!table.cases || !emit_branch(e, TW__I_SWITCH, index, program, &p->a)) return tw__emit_no_memory();
    tw_status s = TW_OK;
    for (uint32_t i = 0; i < p->case_count && !s; i++) {
        table.cases[i].value = p->cases[i].value;
        table.cases[i].to = here(e);
        s = emit_case(e, p->cases[i].body, &jumps);
    }
    if (!s && !p->flag) {
        table.otherwise = here(e);
        s = emit_case(e, p->child_count ? p->children[0] : 0, &jumps);
    }
    if (s) return s;
    qsort(table.cases, table.count, sizeof *table.cases, by_value);
    plan->switches.items[index] = table;
    while (jumps != UINT32_MAX) {
        uint32_t next = plan->code.items[jumps].to;
        set_target(e, jumps);
        jumps = next;
    }
    return TW_OK;
}

/* A call of a program that is emitted once, after the main code. */
static tw_status emit_call(tw__emitter *e, uint32_t body)
{
    if (body == 0) return TW_OK;
    tw_status s = tw__leaf_flush(e);
    if (s) return s;
    if (e->entry_of[body] == TW__NOT_MADE) {
        if (!tw__grow(&e->queue, &e->queue_room, e->queued, sizeof *e->queue)) return tw__emit_no_memory();
        e->queue[e->queued++] = body;
        e->entry_of[body] = TW__NOT_MADE - 1; /* asked for */
    }
    return append(e, TW__I_CALL, body) ? TW_OK : tw__emit_no_memory(); /* `a` becomes a target in link_calls() */
}

static tw_status emit_for(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    tw__plan *plan = e->plan;
    uint64_t at = tw__operand_at(&plan->storage, &p->a);
    tw__instr *in = append(e, TW__I_FOR_SET, 0);
    if (!in) return tw__emit_no_memory();
    in->type = (uint8_t)p->a.type;
    in->u.at = at;
    in->imm = p->begin;
    if (!p->b.regions) {
        uint64_t span = p->begin < p->limit ? (uint64_t)p->limit - (uint64_t)p->begin : 0, step = (uint64_t)p->step;
        return emit_counted(e, span / step + (span % step != 0), p->children[0], &p->a, p->step);
    }
    if (!tw__grow(&plan->fors.items, &plan->fors.room, plan->fors.count, sizeof(tw__for)))
        return tw__emit_no_memory();
    plan->fors.items[plan->fors.count++] = (tw__for){ .limit_at = tw__operand_at(&plan->storage, &p->b),
                                                      .limit_type = (uint8_t)p->b.type,
                                                      .limit_owner = tw__owner_of_scalar(e->engine, &p->b) };
    uint32_t test = here(e);
    if (!emit_branch(e, TW__I_FOR_TEST, (uint32_t)plan->fors.count - 1, program, &p->a))
        return tw__emit_no_memory();
    tw_status s = emit_program(e, p->children[0]);
    if (!s) s = tw__leaf_flush(e);
    if (s) return s;
    if (!(in = append(e, TW__I_FOR_ADD, 0))) return tw__emit_no_memory();
    in->type = (uint8_t)p->a.type;
    in->u.at = at;
    in->imm = p->step;
    if (!(in = append(e, TW__I_JUMP, 0))) return tw__emit_no_memory();
    in->to = test;
    set_target(e, test);
    return TW_OK;
}

static tw_status emit_stop(tw__emitter *e, uint32_t program, tw__opcode op)
{
    const tw__program *p = &e->core->programs[program];
    uint32_t text, print = 0;
    tw_status s = tw__leaf_text(e, p->text, &text);
    if (!s && op == TW__I_ERROR && p->a.regions) s = tw__leaf_print(e, program, &print);
    if (s) return s;
    tw__instr *in = tw__emit_step(e, op, text, TW__S_ABORT, &program, 1);
    if (!in) return tw__emit_no_memory();
    in->imm = op == TW__I_ERROR && p->a.regions ? (int64_t)print : -1;
    if (op == TW__I_ABORT_IF) {
        in->type = (uint8_t)p->a.type;
        in->u.at = tw__operand_at(&e->plan->storage, &p->a);
        in->owner = tw__owner_of_scalar(e->engine, &p->a);
    }
    return TW_OK;
}

static tw_status emit_print(tw__emitter *e, uint32_t program)
{
    uint32_t print;
    tw_status s = tw__leaf_print(e, program, &print);
    if (s) return s;
    return tw__emit_step(e, TW__I_PRINT, print, TW__S_PRINT, &program, 1) ? TW_OK : tw__emit_no_memory();
}

/* --- dispatch ------------------------------------------------------------------------------------------------- */

static bool is_outlined(const tw__emitter *e, uint32_t program)
{
    return e->refs[program] > 1 && e->weight[program] >= OUTLINE && e->core->programs[program].kind != TW__P_CALL;
}

static tw_status emit_body(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    switch (p->kind) {
    case TW__P_SEQUENCE: return emit_sequence(e, program);
    case TW__P_COPY:
        if (tw__is_cross_copy(p)) break;
        return tw__leaf_copy(e, program);
    case TW__P_STREAM_IN:
    case TW__P_STREAM_OUT: return tw__leaf_stream(e, program);
    default: break;
    }
    tw_status s = tw__leaf_flush(e);
    if (s) return s;
    switch (p->kind) {
    case TW__P_SEQUENCE:
    case TW__P_STREAM_IN:
    case TW__P_STREAM_OUT: return TW_OK;
    case TW__P_COPY: return tw__leaf_cross(e, program);
    case TW__P_EXECUTE: return emit_execute(e, program);
    case TW__P_REMOTE_IN:
    case TW__P_REMOTE_OUT: return tw__leaf_remote(e, program);
    case TW__P_REPEAT: return p->count ? emit_counted(e, p->count, p->children[0], NULL, 0) : TW_OK;
    case TW__P_WHILE_TRUE:
    case TW__P_WHILE_FALSE: return emit_while(e, program);
    case TW__P_IF: return emit_if(e, program);
    case TW__P_SWITCH: return emit_switch(e, program);
    case TW__P_CALL: return emit_call(e, e->core->functions[p->id].body);
    case TW__P_CYCLE_STAMP:
    case TW__P_CYCLES_SINCE: return emit_stamp(e, program);
    case TW__P_SYNC:
        return tw__emit_step(e, TW__I_SYNC, (uint32_t)p->sync, TW__S_SYNC, &program, 1) ? TW_OK
                                                                                        : tw__emit_no_memory();
    case TW__P_WRITE_UNDEF:
    case TW__P_ASSUME_EQUAL:
        return tw__emit_step(e, TW__I_NOTHING, 0, TW__S_NOTHING, &program, 1) ? TW_OK : tw__emit_no_memory();
    case TW__P_ABORT: return emit_stop(e, program, TW__I_ABORT);
    case TW__P_ABORT_IF: return emit_stop(e, program, TW__I_ABORT_IF);
    case TW__P_ERROR: return emit_stop(e, program, TW__I_ERROR);
    case TW__P_PRINT: return emit_print(e, program);
    case TW__P_COUNTED_FOR: return emit_for(e, program);
    }
    return tw__fail(TW_E_CONTROL_PROGRAM, "unknown kind of program");
}

static tw_status emit_program(tw__emitter *e, uint32_t program)
{
    if (program == 0) return TW_OK;
    if (is_outlined(e, program)) return emit_call(e, program);
    return emit_body(e, program);
}

/* Subroutines may ask for further ones; calls get their targets when all are there. A call chain visits each of
 * them at most once (functions are not recursive), which bounds the return stack. */
static tw_status emit_subroutines(tw__emitter *e)
{
    for (size_t i = 0; i < e->queued; i++) {
        e->entry_of[e->queue[i]] = here(e);
        tw_status s = emit_body(e, e->queue[i]);
        if (!s) s = tw__leaf_flush(e);
        if (s) return s;
        if (!append(e, TW__I_RETURN, 0)) return tw__emit_no_memory();
    }
    e->plan->call_depth = (uint32_t)e->queued + 1;
    for (size_t i = 0; i < e->plan->code.count; i++) {
        tw__instr *in = &e->plan->code.items[i];
        if (in->op == TW__I_CALL) in->to = e->entry_of[in->a];
    }
    return TW_OK;
}

static tw_status emit_all(tw__emitter *e)
{
    tw__plan *plan = e->plan;
    for (size_t i = 0; i < e->engine->program_count; i++) {
        if (!tw__grow(&plan->entries.items, &plan->entries.room, plan->entries.count, sizeof(uint32_t)))
            return tw__emit_no_memory();
        plan->entries.items[plan->entries.count++] = here(e);
        tw_status s = emit_program(e, e->engine->programs[i]);
        if (!s) s = tw__leaf_flush(e);
        if (s) return s;
        if (!append(e, TW__I_END, 0)) return tw__emit_no_memory();
    }
    tw_status s = emit_subroutines(e);
    if (s) return s;
    plan->counters = tw__calloc((size_t)plan->slots + 1, sizeof *plan->counters);
    plan->calls = tw__calloc((size_t)plan->call_depth + 1, sizeof *plan->calls);
    return plan->counters && plan->calls ? TW_OK : tw__emit_no_memory();
}

static uint32_t *none(size_t count)
{
    uint32_t *list = tw__realloc(NULL, (count + 1) * sizeof *list);
    if (list) memset(list, 0xff, (count + 1) * sizeof *list);
    return list;
}

/* Storage first: instructions and vertex states hold addresses in it. */
static tw_status survey_and_reserve(tw__emitter *e)
{
    tw__core *core = e->core;
    tw__plan *plan = e->plan;
    plan->stream_used = tw__calloc(core->stream_count + 1, sizeof(bool));
    plan->stream_rearranged = tw__calloc(core->stream_count + 1, sizeof(bool));
    bool *sets = tw__calloc(core->compute_set_count + 1, sizeof(bool));
    tw_status s = plan->stream_used && plan->stream_rearranged && sets ? TW_OK : tw__emit_no_memory();
    for (size_t i = 0; i < e->engine->program_count && !s; i++) s = survey(e, e->engine->programs[i], 0, sets);
    if (!s) s = tw__storage_plan(&plan->storage, core, e->engine->tiles);
    for (uint32_t cs = 1; cs < core->compute_set_count && !s; cs++) {
        if (!sets[cs]) continue;
        uint64_t bytes = tw__compute_set_buffer_bytes(e->engine, cs);
        if (bytes > plan->buffer_bytes) plan->buffer_bytes = bytes;
    }
    free(sets);
    return s ? s : tw__storage_reserve(&plan->storage, plan->buffer_bytes);
}

tw_status tw__lower(tw_engine *engine)
{
    tw__core *core = engine->core;
    unsigned ipus = core->target->ipus ? core->target->ipus : 1;
    tw__emitter e = { .engine = engine, .core = core, .plan = &engine->plan };
    e.refs = tw__calloc(core->program_count + 1, sizeof *e.refs);
    e.weight = tw__calloc(core->program_count + 1, sizeof *e.weight);
    e.payload_of = none(core->program_count);
    e.entry_of = none(core->program_count);
    e.exec_of = none(core->compute_set_count);
    e.ipu_bytes = tw__calloc(ipus, sizeof *e.ipu_bytes);
    bool ok = e.refs && e.weight && e.payload_of && e.entry_of && e.exec_of && e.ipu_bytes;
    tw_status s = ok ? TW_OK : tw__emit_no_memory();
    if (!s) s = survey_and_reserve(&e);
    if (!s) s = list_streams(&e);
    if (!s) s = emit_all(&e);
    for (size_t i = 0; i < e.transfer.count; i++) tw__copy_free(&e.transfer.parts[i].copy);
    free(e.transfer.parts);
    free(e.refs);
    free(e.weight);
    free(e.payload_of);
    free(e.entry_of);
    free(e.exec_of);
    free(e.ipu_bytes);
    free(e.queue);
    free(e.copies);
    free(e.reads.items);
    free(e.writes.items);
    return s;
}

void tw__plan_free(tw__plan *plan)
{
    for (size_t i = 0; i < plan->execs.count; i++) {
        tw__copy_free(&plan->execs.items[i].before);
        tw__copy_free(&plan->execs.items[i].after);
        tw__copy_free(&plan->execs.items[i].fetch);
        tw__copy_free(&plan->execs.items[i].bring);
    }
    for (size_t i = 0; i < plan->copies.count; i++) tw__copy_free(&plan->copies.items[i]);
    for (size_t i = 0; i < plan->crosses.count; i++)
        tw__copy_free(&plan->crosses.items[i].out), tw__copy_free(&plan->crosses.items[i].in);
    for (size_t i = 0; i < plan->transfers.count; i++) {
        tw__transfer *t = &plan->transfers.items[i];
        for (size_t k = 0; k < t->count; k++) tw__copy_free(&t->parts[k].copy);
        free(t->parts);
    }
    for (size_t i = 0; i < plan->remote_copies.count; i++) {
        tw__remote_copy *r = &plan->remote_copies.items[i];
        for (uint32_t k = 0; k < r->row_count && r->rows; k++) tw__copy_free(&r->rows[k]);
        free(r->rows);
        tw__copy_free(&r->offsets);
    }
    for (size_t i = 0; i < plan->prints.count; i++) tw__copy_free(&plan->prints.items[i].copy);
    void *lists[] = { plan->crosses.items,        plan->code.items,        plan->entries.items,
                      plan->execs.items,          plan->copies.items,      plan->transfers.items,
                      plan->remote_copies.items,  plan->switches.items,    plan->fors.items,
                      plan->prints.items,         plan->texts.items,       plan->steps.items,
                      plan->step_programs.items,  plan->counters,          plan->calls,
                      plan->stream_used,          plan->stream_rearranged, plan->program_streams,
                      plan->program_streams_first };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
    tw__storage_free(&plan->storage);
    *plan = (tw__plan){ 0 };
}
