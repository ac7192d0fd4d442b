/* SPDX-License-Identifier: MIT */
/* Control programs: plain trees, owned by the graph.
 *
 * Adding a program somewhere takes it as it is now. Only sequences and switches can change later, so only they are
 * copied, and their copies share the arrays of children: arrays grow at the end, in the arena, and a copy knows how
 * much of them is its own. A second use of an unchanged program shares the first copy. */
#include "poplar/graph/replicas.h"

#include <string.h>

#define NIL ((tw_program){ 0 })

/* --- making programs ------------------------------------------------------------------------------------------ */

enum { MAX_DEPTH = 1000 };

/* One level more than the deepest child; false with an error when that is too much. */
static bool deepen(tw__core *core, tw__program *p, uint32_t child)
{
    uint32_t depth = child ? core->programs[child].depth + 1 : 0;
    if (depth > MAX_DEPTH)
        return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "programs are nested more than %d deep", MAX_DEPTH);
    if (depth > p->depth) p->depth = depth;
    return true;
}

/* Takes over the operands, also on failure. */
tw_program tw__program_add(tw__core *core, tw__program program)
{
    bool fits = program.kind != TW__P_CALL || deepen(core, &program, core->functions[program.id].body);
    for (uint32_t i = 0; i < program.child_count && fits; i++) fits = deepen(core, &program, program.children[i]);
    if (!program.name) program.name = "";
    if (!fits) {
        tw__operand_drop(&program.a);
        tw__operand_drop(&program.b);
        return NIL;
    }
    if (core->program_count >= UINT32_MAX ||
        !tw__grow(&core->programs, &core->program_room, core->program_count, sizeof *core->programs)) {
        tw__operand_drop(&program.a);
        tw__operand_drop(&program.b);
        tw__graph_no_memory(core);
        return NIL;
    }
    core->programs[core->program_count] = program;
    return (tw_program){ (uint32_t)core->program_count++ };
}

/* Adds a program with children c[0..n). */
static tw_program add_with(tw__core *core, tw__program program, uint32_t n, const uint32_t *children)
{
    program.children = TW__NEW_N(core->arena, uint32_t, n);
    if (!program.children) {
        tw__operand_drop(&program.a);
        tw__operand_drop(&program.b);
        tw__graph_no_memory(core);
        return NIL;
    }
    memcpy(program.children, children, n * sizeof *children);
    program.child_count = program.child_room = n;
    return tw__program_add(core, program);
}

static bool valid(tw__core *core, tw_program program, const char *what)
{
    if (program.id && program.id < core->program_count) return true;
    if (program.id) return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s is not a program of this graph", what);
    return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s is a nil program", what);
}

/* The program as it is now, for use inside another one; 0 with an error. */
static uint32_t frozen(tw__core *core, uint32_t id)
{
    tw__program *p = &core->programs[id];
    if (p->kind != TW__P_SEQUENCE && p->kind != TW__P_SWITCH) return id;
    if (p->snapshot) return p->snapshot;
    tw__program copy = *p;
    tw__regions_ref(copy.a.regions);
    tw__regions_ref(copy.b.regions);
    uint32_t made = tw__program_add(core, copy).id; /* may move the array */
    if (made) {
        core->programs[made].snapshot = made; /* nobody has its handle: it never changes */
        core->programs[id].snapshot = made;
    }
    return made;
}

/* Room for one more entry of `size` bytes; a new array leaves the old one to the copies that share it. */
static bool more(tw__core *core, void *items, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room) return true;
    uint32_t wanted = count ? count * 2 : 4;
    if (count > UINT32_MAX / 4) return tw__graph_no_memory(core);
    void *grown = tw__arena_zalloc_n(core->arena, wanted, size, 8), *old;
    if (!grown) return tw__graph_no_memory(core);
    memcpy(&old, items, sizeof old);
    if (count) memcpy(grown, old, count * size);
    memcpy(items, &grown, sizeof grown);
    *room = wanted;
    return true;
}

/* --- sequences ------------------------------------------------------------------------------------------------ */

tw_program tw_program_sequence(tw_graph *graph, const char *name)
{
    TW__ENTER(graph, NIL);
    const char *copy = name ? tw__arena_strdup(graph->core->arena, name) : "";
    if (copy) return tw__program_add(graph->core, (tw__program){ .kind = TW__P_SEQUENCE, .name = copy });
    tw__graph_no_memory(graph->core);
    return NIL;
}

void tw_program_sequence_undo(tw_graph *graph, tw_program sequence)
{
    TW__ENTER(graph, );
    tw__core *core = graph->core;
    if (!sequence.id || sequence.id + 1 != core->program_count) return;
    const tw__program *p = &core->programs[sequence.id];
    if (p->kind == TW__P_SEQUENCE && !p->child_count && !p->snapshot) core->program_count--;
}

bool tw_program_is_sequence(const tw_graph *graph, tw_program program)
{
    TW__ENTER_GETTER(graph, false);
    const tw__core *core = graph->core;
    return program.id && program.id < core->program_count && core->programs[program.id].kind == TW__P_SEQUENCE;
}

static bool programs_append(tw__core *core, uint32_t sequence, uint32_t program)
{
    uint32_t child = frozen(core, program);
    tw__program *s = &core->programs[sequence];
    if (!child || !deepen(core, s, child) ||
        !more(core, &s->children, &s->child_room, s->child_count, sizeof *s->children))
        return false;
    s->children[s->child_count++] = child;
    s->snapshot = 0;
    return true;
}

void tw_program_sequence_add(tw_graph *graph, tw_program sequence, tw_program program)
{
    TW__ENTER(graph, );
    tw__core *core = graph->core;
    if (!valid(core, sequence, "the sequence") || !valid(core, program, "the program to add")) return;
    if (core->programs[sequence.id].kind != TW__P_SEQUENCE) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM,
                       "programs can be added to a sequence only; this is a program of kind %s",
                       tw__program_kind_name(core->programs[sequence.id].kind));
        return;
    }
    programs_append(core, sequence.id, program.id);
}

/* `name`: of a block; NULL: no block. */
static tw_program programs_in_order(tw__core *core, unsigned count, const tw_program *programs, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (!valid(core, programs[i], "a program of the sequence")) return NIL;
    uint32_t *children = TW__NEW_N(core->arena, uint32_t, count);
    const char *copy = tw__arena_strdup(core->arena, name ? name : "");
    if (!children || !copy) {
        tw__graph_no_memory(core);
        return NIL;
    }
    for (unsigned i = 0; i < count; i++)
        if (!(children[i] = frozen(core, programs[i].id))) return NIL;
    return tw__program_add(core, (tw__program){ .kind = TW__P_SEQUENCE,
                                                .name = copy,
                                                .children = children,
                                                .child_count = count,
                                                .child_room = count,
                                                .flag = name != NULL });
}

tw_program tw_program_sequence_of(tw_graph *graph, unsigned count, const tw_program *programs)
{
    TW__ENTER(graph, NIL);
    return programs_in_order(graph->core, count, programs, NULL);
}

tw_program tw_program_block(tw_graph *graph, tw_program program, const char *name)
{
    TW__ENTER(graph, NIL);
    return programs_in_order(graph->core, 1, &program, name ? name : "");
}

/* --- predicates ----------------------------------------------------------------------------------------------- */

enum { BOOLS = 1, INTS = 2 }; /* which types a scalar may have */

static bool scalar(tw__core *core, tw_tensor tensor, const char *what, int types, tw__operand *operand)
{
    char text[TW__TEXT_BYTES];
    const tw__node *t = tw__node_get(core, tensor, what);
    if (!t) return false;
    tw__node_text(core, t, text, sizeof text);
    if (tw__node_count(t) != 1)
        return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s must have one element, %s has %llu", what, text,
                              (unsigned long long)tw__node_count(t));
    bool fits = t->t.type == TW_INT || t->t.type == TW_UNSIGNED_INT || (t->t.type == TW_BOOL && (types & BOOLS));
    if (!fits)
        return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s must be %sint or unsigned int, %s is %s", what,
                              types & BOOLS ? "bool, " : "", text, tw_type_name(t->t.type, TW_SYSTEM_POPLAR));
    return tw__operand_set(core, operand, t);
}

static bool compute_set(tw__core *core, tw_compute_set cs)
{
    if (cs.id && cs.id < core->compute_set_count) return true;
    return tw__graph_fail(core, TW_E_CONTROL_PROGRAM,
                          cs.id ? "compute set %u is not one of this graph" : "the compute set is nil", cs.id);
}

tw_program tw_program_execute(tw_graph *graph, tw_compute_set cs)
{
    TW__ENTER(graph, NIL);
    if (!compute_set(graph->core, cs)) return NIL;
    return tw__program_add(graph->core, (tw__program){ .kind = TW__P_EXECUTE, .id = cs.id });
}

tw_program tw_program_execute_all_true(tw_graph *graph, tw_compute_set cs, tw_tensor result)
{
    TW__ENTER(graph, NIL);
    tw__program p = { .kind = TW__P_EXECUTE, .id = cs.id };
    if (!compute_set(graph->core, cs) || !tw__writable(graph->core, result, "the result tensor") ||
        !scalar(graph->core, result, "the result tensor", BOOLS | INTS, &p.a))
        return NIL;
    tw_program execute = tw__program_add(graph->core, p);
    return graph->replicas ? tw__replica_after(graph, execute, result) : execute;
}

/* --- loops and branches --------------------------------------------------------------------------------------- */

/* Are all bodies programs? The last `optional` ones may be nil. */
static bool valid_all(tw__core *core, unsigned n, const tw_program *bodies, const char *const *names,
                      unsigned optional)
{
    for (unsigned i = 0; i < n; i++)
        if ((bodies[i].id || i < n - optional) && !valid(core, bodies[i], names[i])) return false;
    return true;
}

/* Adds a program whose children are bodies[0..n) as they are now. */
static tw_program add_bodies(tw__core *core, tw__program program, unsigned n, const tw_program *bodies)
{
    uint32_t children[2] = { 0 };
    for (unsigned i = 0; i < n; i++)
        if (bodies[i].id && !(children[i] = frozen(core, bodies[i].id))) {
            tw__operand_drop(&program.a);
            tw__operand_drop(&program.b);
            return NIL;
        }
    return add_with(core, program, n, children);
}

static const char *const body_name[] = { "the body" };

tw_program tw_program_repeat(tw_graph *graph, unsigned count, tw_program body)
{
    TW__ENTER(graph, NIL);
    if (!valid_all(graph->core, 1, &body, body_name, 0)) return NIL;
    return add_bodies(graph->core, (tw__program){ .kind = TW__P_REPEAT, .count = count }, 1, &body);
}

static tw_program repeat_while(tw_graph *graph, tw__program_kind kind, tw_program condition, tw_tensor predicate,
                               tw_program body)
{
    static const char *const names[] = { "the condition", "the body" };
    tw_program bodies[] = { condition, body };
    tw__program p = { .kind = kind };
    if (!valid_all(graph->core, 2, bodies, names, 0) ||
        !scalar(graph->core, predicate, "the predicate", BOOLS | INTS, &p.a))
        return NIL;
    return add_bodies(graph->core, p, 2, bodies);
}

tw_program tw_program_repeat_while_true(tw_graph *graph, tw_program condition, tw_tensor predicate, tw_program body)
{
    TW__ENTER(graph, NIL);
    return repeat_while(graph, TW__P_WHILE_TRUE, condition, predicate, body);
}

tw_program tw_program_repeat_while_false(tw_graph *graph, tw_program condition, tw_tensor predicate,
                                         tw_program body)
{
    TW__ENTER(graph, NIL);
    return repeat_while(graph, TW__P_WHILE_FALSE, condition, predicate, body);
}

tw_program tw_program_if(tw_graph *graph, tw_tensor predicate, tw_program then_body, tw_program else_body)
{
    static const char *const names[] = { "the then body", "the else body" };
    TW__ENTER(graph, NIL);
    tw_program bodies[] = { then_body, else_body };
    tw__program p = { .kind = TW__P_IF };
    if (!valid_all(graph->core, 2, bodies, names, 1) ||
        !scalar(graph->core, predicate, "the predicate", BOOLS | INTS, &p.a))
        return NIL;
    return add_bodies(graph->core, p, 2, bodies);
}

static tw_program new_switch(tw_graph *graph, tw_tensor control, tw_program default_body, bool checked)
{
    static const char *const names[] = { "the default body" };
    tw__program p = { .kind = TW__P_SWITCH, .flag = checked };
    if (!valid_all(graph->core, 1, &default_body, names, 1) ||
        !scalar(graph->core, control, "the control tensor", INTS, &p.a))
        return NIL;
    return add_bodies(graph->core, p, 1, &default_body);
}

tw_program tw_program_switch(tw_graph *graph, tw_tensor control, tw_program default_body)
{
    TW__ENTER(graph, NIL);
    return new_switch(graph, control, default_body, false);
}

tw_program tw_program_switch_with_bounds_checking(tw_graph *graph, tw_tensor control)
{
    TW__ENTER(graph, NIL);
    return new_switch(graph, control, NIL, true);
}

void tw_program_switch_add(tw_graph *graph, tw_program switch_program, int32_t value, tw_program body)
{
    TW__ENTER(graph, );
    tw__core *core = graph->core;
    if (!valid(core, switch_program, "the switch") || !valid(core, body, "the body")) return;
    tw__program *s = &core->programs[switch_program.id];
    if (s->kind != TW__P_SWITCH) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM,
                       "cases can be added to a switch only; this is a program of kind %s",
                       tw__program_kind_name(s->kind));
        return;
    }
    for (uint32_t i = 0; i < s->case_count; i++)
        if (s->cases[i].value == value) {
            tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "the switch already has a case %d", value);
            return;
        }
    uint32_t child = frozen(core, body.id);
    s = &core->programs[switch_program.id]; /* may have moved */
    if (!child || !deepen(core, s, child) || !more(core, &s->cases, &s->case_room, s->case_count, sizeof *s->cases))
        return;
    s->cases[s->case_count++] = (tw__case){ value, child };
    s->snapshot = 0;
}

static tw_program counted_for(tw_graph *graph, tw_tensor counter, const tw_tensor *limit_tensor, tw__program p,
                              tw_program body)
{
    tw__core *core = graph->core;
    if (graph->replicas && valid_all(core, 1, &body, body_name, 0)) body = tw__replica_before(graph, counter, body);
    if (!valid_all(core, 1, &body, body_name, 0)) return NIL;
    if (p.step <= 0) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "a counted loop needs a step of at least 1, not %lld",
                       (long long)p.step);
        return NIL;
    }
    if (!tw__writable(core, counter, "the loop counter") || !scalar(core, counter, "the loop counter", INTS, &p.a))
        return NIL;
    int64_t low = p.a.type == TW_INT ? INT32_MIN : 0, high = p.a.type == TW_INT ? INT32_MAX : (int64_t)UINT32_MAX;
    bool fits = p.begin >= low && p.begin <= high && (limit_tensor || (p.limit >= low && p.limit <= high)) &&
                p.step <= high;
    if (!fits)
        tw__graph_fail(core, TW_E_OVERFLOW, "the loop from %lld to %lld by %lld does not fit the counter's type %s",
                       (long long)p.begin, (long long)p.limit, (long long)p.step,
                       tw_type_name(p.a.type, TW_SYSTEM_POPLAR));
    if (fits && (!limit_tensor || scalar(core, *limit_tensor, "the loop limit", INTS, &p.b))) {
        if (!limit_tensor || p.b.type == p.a.type) return add_bodies(core, p, 1, &body);
        tw__graph_fail(core, TW_E_TYPE, "the loop counter is %s, its limit is %s: they must be equal",
                       tw_type_name(p.a.type, TW_SYSTEM_POPLAR), tw_type_name(p.b.type, TW_SYSTEM_POPLAR));
        tw__operand_drop(&p.b);
    }
    tw__operand_drop(&p.a);
    return NIL;
}

tw_program tw_program_counted_for_loop(tw_graph *graph, tw_tensor counter, int64_t begin, int64_t limit,
                                       int64_t step, tw_program body)
{
    TW__ENTER(graph, NIL);
    tw__program p = { .kind = TW__P_COUNTED_FOR, .begin = begin, .limit = limit, .step = step };
    return counted_for(graph, counter, NULL, p, body);
}

tw_program tw_program_counted_for_loop_dynamic(tw_graph *graph, tw_tensor counter, int64_t begin, tw_tensor limit,
                                               int64_t step, tw_program body)
{
    TW__ENTER(graph, NIL);
    return counted_for(graph, counter, &limit,
                       (tw__program){ .kind = TW__P_COUNTED_FOR, .begin = begin, .step = step }, body);
}

/* --- functions ------------------------------------------------------------------------------------------------ */

tw_function tw_graph_add_function(tw_graph *graph, tw_program body, const char *name)
{
    tw_function nil = { 0 };
    TW__ENTER(graph, nil);
    tw__core *core = graph->core;
    if (!valid_all(core, 1, &body, body_name, 0)) return nil;
    const char *copy = name ? tw__arena_strdup(core->arena, name) : "";
    if (!copy || !tw__grow(&core->functions, &core->function_room, core->function_count, sizeof *core->functions)) {
        tw__graph_no_memory(core);
        return nil;
    }
    uint32_t child = frozen(core, body.id);
    if (!child) return nil;
    core->functions[core->function_count] = (tw__function){ copy, child };
    return (tw_function){ (uint32_t)core->function_count++ };
}

tw_program tw_program_call(tw_graph *graph, tw_function function)
{
    TW__ENTER(graph, NIL);
    if (function.id && function.id < graph->core->function_count)
        return tw__program_add(graph->core, (tw__program){ .kind = TW__P_CALL, .id = function.id });
    tw__graph_fail(graph->core, TW_E_CONTROL_PROGRAM, "%s",
                   function.id ? "the function is not one of this graph" : "the function is nil");
    return NIL;
}

/* --- the rest ------------------------------------------------------------------------------------------------- */

tw_program tw_program_sync(tw_graph *graph, tw_sync_type type)
{
    TW__ENTER(graph, NIL);
    return tw__program_add(graph->core, (tw__program){ .kind = TW__P_SYNC, .sync = type });
}

/* A program with a tensor (may be NULL) and a text (may be NULL). */
static tw_program with_tensor(tw_graph *graph, tw__program p, const tw_tensor *tensor, const char *text)
{
    tw__core *core = graph->core;
    const tw__node *t = tensor ? tw__node_get(core, *tensor, "the tensor") : NULL;
    if (tensor && !t) return NIL;
    p.text = tw__arena_strdup(core->arena, text ? text : "");
    if (!p.text) {
        tw__graph_no_memory(core);
        return NIL;
    }
    return t && !tw__operand_set(core, &p.a, t) ? NIL : tw__program_add(core, p);
}

tw_program tw_program_write_undef(tw_graph *graph, tw_tensor tensor)
{
    TW__ENTER(graph, NIL);
    if (graph->replicas) return tw__replica_write_undef(graph, tensor);
    if (!tw__writable(graph->core, tensor, "the tensor")) return NIL;
    return with_tensor(graph, (tw__program){ .kind = TW__P_WRITE_UNDEF }, &tensor, NULL);
}

static tw_program stamp(tw_graph *graph, tw_tensor tensor, tw__program_kind kind)
{
    if (graph->replicas) return tw__replica_stamp(graph, tensor, kind == TW__P_CYCLES_SINCE);
    tw__core *core = graph->core;
    const tw__node *t = tw__node_get(core, tensor, "the stamp");
    char text[TW__TEXT_BYTES];
    if (!t || !tw__writable(core, tensor, "the stamp")) return NIL;
    if (t->t.type == TW_U32 && tw__node_count(t) == 2)
        return with_tensor(graph, (tw__program){ .kind = kind }, &tensor, NULL);
    tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "a stamp of the clock is two elements of unsigned int, not %s",
                   tw__node_text(core, t, text, sizeof text));
    return NIL;
}

tw_program tw_program_cycle_stamp(tw_graph *graph, tw_tensor tensor)
{
    TW__ENTER(graph, NIL);
    return stamp(graph, tensor, TW__P_CYCLE_STAMP);
}

tw_program tw_program_cycles_since(tw_graph *graph, tw_tensor tensor)
{
    TW__ENTER(graph, NIL);
    return stamp(graph, tensor, TW__P_CYCLES_SINCE);
}

tw_program tw_program_abort(tw_graph *graph, const char *message)
{
    TW__ENTER(graph, NIL);
    return with_tensor(graph, (tw__program){ .kind = TW__P_ABORT }, NULL, message);
}

tw_program tw_program_abort_on_condition(tw_graph *graph, tw_tensor predicate, const char *message)
{
    TW__ENTER(graph, NIL);
    tw__operand checked = { 0 };
    if (!scalar(graph->core, predicate, "the predicate", BOOLS | INTS, &checked)) return NIL;
    tw__operand_drop(&checked);
    return with_tensor(graph, (tw__program){ .kind = TW__P_ABORT_IF }, &predicate, message);
}

tw_program tw_program_assume_equal_across_replicas(tw_graph *graph, tw_tensor tensor)
{
    TW__ENTER(graph, NIL);
    return with_tensor(graph, (tw__program){ .kind = TW__P_ASSUME_EQUAL }, &tensor, NULL);
}

tw_program tw_program_error(tw_graph *graph, const char *message, tw_tensor tensor)
{
    TW__ENTER(graph, NIL);
    return with_tensor(graph, (tw__program){ .kind = TW__P_ERROR }, &tensor, message);
}

tw_program tw_program_print_tensor(tw_graph *graph, const char *title, tw_tensor tensor,
                                   const tw_print_format *format)
{
    TW__ENTER(graph, NIL);
    if (graph->replicas) return tw__replica_print(graph, title, tensor, format);
    tw__program p = { .kind = TW__P_PRINT };
    if (format) p.format = *format;
    if (!tw__node_get(graph->core, tensor, "the tensor to print")) return NIL;
    return with_tensor(graph, p, &tensor, title ? title : ""); /* empty: the engine prints the variable's name */
}

void tw_program_name(tw_graph *graph, tw_program program, const char *name)
{
    TW__ENTER(graph, );
    tw__core *core = graph->core;
    if (!valid(core, program, "the program")) return;
    const char *copy = tw__arena_strdup(core->arena, name ? name : "");
    if (!copy) {
        tw__graph_no_memory(core);
        return;
    }
    tw__program *p = &core->programs[program.id];
    p->name = copy;
    if (p->kind == TW__P_SEQUENCE || p->kind == TW__P_SWITCH)
        p->snapshot = 0; /* what was added before keeps its name */
}
