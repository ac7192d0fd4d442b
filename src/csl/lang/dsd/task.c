/* SPDX-License-Identifier: MIT */
/* Ids, and tasks bound to them (vendor document "Builtins", tasks). */
#include "csl/lang/dsd/local.h"

/* --- ids ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name;
    const type *type;
    int8_t first[2], last[2]; /* by architecture: WSE-2, WSE-3; last < 0: does not exist */
    bool run_time;
} id_row;
static const id_row ids[] = {
    { "get_color", &tw__csl_t_COLOR, { 0, 0 }, { 23, 23 }, true },
    { "get_local_task_id", &tw__csl_t_LOCAL_TASK_ID, { 0, 8 }, { 30, 30 }, true },
    { "get_control_task_id", &tw__csl_t_CONTROL_TASK_ID, { 0, 0 }, { 63, 63 }, true },
    { "get_input_queue", &tw__csl_t_INPUT_QUEUE, { 0, 0 }, { 7, 7 }, false },
    { "get_output_queue", &tw__csl_t_OUTPUT_QUEUE, { 0, 0 }, { 5, 7 }, false },
    { "get_ut_id", &tw__csl_t_UT_ID, { 0, 0 }, { -1, 7 }, true },
};

static operand data_task_id(sema *s, const node *call)
{
    const type *from = tw__csl_sema_wse3(s) ? &tw__csl_t_INPUT_QUEUE : &tw__csl_t_COLOR;
    operand o = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    if (!tw__csl_is_nothing(&o) && o.type != from)
        return tw__csl_error(s, call->kid[0], "csl.type", "@get_data_task_id takes %s on WSE-%d, not %s",
                             tw__csl_sema_wse3(s) ? "an input_queue" : "a color", tw__csl_sema_wse3(s) ? 3 : 2,
                             TYPE_TEXT(o.type));
    o.type = o.kind == TW__CSL_O_NOTHING ? o.type : &tw__csl_t_DATA_TASK_ID;
    if (o.kind == TW__CSL_O_VALUE) o.value.type = o.type;
    o.variable = false;
    return o;
}

operand tw__dsd_get_id(sema *s, const node *call, const type *expected)
{
    (void)expected;
    const char *name = tw__csl_text(tw__csl_sema_ctx(s), call->name);
    if (!tw__csl_arguments(s, call, 1, 1)) return tw__csl_nothing();
    if (!strcmp(name, "get_data_task_id")) return data_task_id(s, call);
    const id_row *row = ids;
    while (strcmp(row->name, name) != 0) row++;
    bool wse3 = tw__csl_sema_wse3(s);
    if (row->last[wse3] < 0)
        return tw__csl_error(s, call, "csl.arch", "%s exists on WSE-3 only", tw__dsd_builtin_name(s, call));
    operand o = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    if (tw__csl_is_nothing(&o)) return o;
    bool known = o.kind == TW__CSL_O_VALUE && tw__csl_is_int(o.type);
    if (known && o.value.i >= row->first[wse3] && o.value.i <= row->last[wse3]) /* layouts ask for each PE */
        return tw__csl_known(tw__csl_of_int(row->type, (int64_t)o.value.i));
    const char *what = tw__dsd_builtin_name(s, call);
    if (o.kind != TW__CSL_O_VALUE && row->run_time &&
        tw__csl_is_int(o.type)) { /* not checked, as on the hardware */
        o = tw__csl_coerce(s, call->kid[0], o,
                           o.type->is_signed && o.type->size <= 2 ? &tw__csl_t_i16 : &tw__csl_t_u16, what);
        o.type = tw__csl_is_nothing(&o) ? o.type : row->type;
        o.variable = false;
        return o;
    }
    int64_t id;
    if (!tw__dsd_known_int(s, call->kid[0], &o, tw__dsd_argument(s, call, 0), row->first[wse3], row->last[wse3],
                           &id)) {
        if (row->type == &tw__csl_t_COLOR && o.kind == TW__CSL_O_VALUE && tw__csl_is_int(o.type) && o.value.i > 0)
            tw__csl_note(s, call->kid[0],
                         "colors above 23 stood for tasks before version 1.2 of the language: use "
                         "@get_local_task_id or @get_control_task_id");
        return tw__csl_nothing();
    }
    return tw__csl_known(tw__csl_of_int(row->type, id));
}

/* --- binding -------------------------------------------------------------------------------------------------- */

/* Parameters of the task that a kind of trigger can fill: in all 32 bits, two halves if there are two. */
static bool parameters_ok(sema *s, const node *at, const char *name, const type *fn, unsigned min, unsigned max)
{
    if (fn->count < min || fn->count > max) {
        tw__csl_error(s, at, "csl.task", "'%s' has %zu parameter%s; such a task has %s", name, fn->count,
                      fn->count == 1 ? "" : "s",
                      max == 0   ? "none"
                      : min == 0 ? "none, 1 or 2"
                                 : "1 or 2");
        return false;
    }
    for (size_t i = 0; i < fn->count; i++) {
        const type *t = fn->params[i];
        bool number = (t->kind == TW__CSL_TY_INT && t->bits >= 16) || t->kind == TW__CSL_TY_FLOAT;
        if (number && t->size <= (fn->count == 2 ? 2 : 4)) continue;
        tw__csl_error(s, at, "csl.task",
                      "parameter %zu of '%s' is %s; a wavelet carries one number of 16 or 32 bits, or two of 16",
                      i + 1, name, TYPE_TEXT(t));
        return false;
    }
    return true;
}

static bool claim_id(sema *s, const node *call, bool control, int64_t id)
{
    tw__dsd_state *state = tw__dsd_state_of(s);
    if (!state) return false;
    const node **slot = &state->bound_at[control][id]; /* control tasks against others: finish.c */
    if (*slot) {
        tw__csl_error(s, call->kid[1], "csl.task", "id %lld has a task already", (long long)id);
        tw__csl_note(s, *slot, "it was bound here");
        return false;
    }
    *slot = call;
    return true;
}

static void describe_arguments(tw__csl_task *row, const type *fn)
{
    row->wide = fn->count == 1 && fn->params[0]->size == 4;
    for (size_t i = 0; i < fn->count; i++)
        row->is_signed[i] = fn->params[i]->kind == TW__CSL_TY_INT && fn->params[i]->is_signed;
}

operand tw__dsd_bind_task(sema *s, const node *call, const type *expected)
{
    static const struct {
        const char *name;
        uint8_t kind, min, max;
        const type *id;
    } rows[] = { { "bind_local_task", TW__CSL_TASK_LOCAL, 0, 0, &tw__csl_t_LOCAL_TASK_ID },
                 { "bind_data_task", TW__CSL_TASK_DATA, 1, 2, &tw__csl_t_DATA_TASK_ID },
                 { "bind_control_task", TW__CSL_TASK_CONTROL, 0, 2, &tw__csl_t_CONTROL_TASK_ID } };
    (void)expected;
    size_t k = 0;
    while (strcmp(rows[k].name, tw__csl_text(tw__csl_sema_ctx(s), call->name)) != 0) k++;
    if (!tw__csl_arguments(s, call, 2, 2) || !tw__dsd_in_phase(s, call, TW__DSD_IN_COMPTIME))
        return tw__csl_nothing();
    operand task = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    operand id = tw__csl_coerce(s, call->kid[1], tw__csl_expr(s, call->kid[1], NULL), rows[k].id,
                                tw__dsd_argument(s, call, 1));
    if (tw__csl_is_nothing(&task) || tw__csl_is_nothing(&id)) return tw__csl_nothing();
    tw__csl_function *f = tw__csl_function_of(&task);
    if (!f || !f->is_task)
        return tw__csl_error(s, call->kid[0], "csl.task", "%s must be a task, not %s", tw__dsd_argument(s, call, 0),
                             f ? "a function" : TYPE_TEXT(task.type));
    const type *fn = task.type->kind == TW__CSL_TY_POINTER ? task.type->base : task.type;
    if (fn->kind != TW__CSL_TY_FN || !parameters_ok(s, call->kid[0], f->name, fn, rows[k].min, rows[k].max))
        return tw__csl_nothing();
    if (!claim_id(s, call, rows[k].kind == TW__CSL_TASK_CONTROL, (int64_t)id.value.i)) return tw__csl_nothing();
    int function = tw__csl_function_index(s, call->kid[0], f);
    tw__csl_program *p = tw__csl_sema_program(s);
    tw__csl_task *row = function >= 0 ? TW__CSL_PUSH(p, tasks, task) : NULL;
    if (!row) return tw__csl_nothing();
    *row = (tw__csl_task){
        .kind = rows[k].kind, .id = (uint8_t)id.value.i, .args = (uint8_t)fn->count, .function = (uint32_t)function
    };
    describe_arguments(row, fn);
    return tw__csl_known(tw__csl_of_void());
}

/* A task whose parameters are `min` to `max` numbers; *fn = its type. */
static int task_function(sema *s, const node *at, unsigned min, unsigned max, const type **fn)
{
    operand o = tw__csl_rvalue(s, at, tw__csl_expr(s, at, NULL));
    tw__csl_function *f = tw__csl_function_of(&o);
    if (tw__csl_is_nothing(&o)) return -1;
    *fn = o.type->kind == TW__CSL_TY_POINTER ? o.type->base : o.type;
    if (f && f->is_task && (*fn)->kind == TW__CSL_TY_FN)
        return parameters_ok(s, at, f->name, *fn, min, max) ? tw__csl_function_index(s, at, f) : -1;
    tw__csl_error(s, at, "csl.task", "expected a task, not %s", TYPE_TEXT(o.type));
    return -1;
}

/* @bind_rotating_tasks(main, alternative, id, .{ .limit, .init }) */
operand tw__dsd_rotating(sema *s, const node *call, const type *expected)
{
    static const char *const names[] = { "limit", "init", NULL };
    (void)expected;
    if (!tw__csl_arguments(s, call, 4, 4) || !tw__dsd_in_phase(s, call, TW__DSD_IN_COMPTIME))
        return tw__csl_nothing();
    if (!tw__csl_sema_wse3(s))
        return tw__csl_error(s, call, "csl.arch", "@bind_rotating_tasks exists on WSE-3 only");
    operand id = tw__csl_rvalue(s, call->kid[2], tw__csl_expr(s, call->kid[2], NULL));
    bool data = id.type == &tw__csl_t_DATA_TASK_ID;
    if (tw__csl_is_nothing(&id)) return id;
    if (id.kind != TW__CSL_O_VALUE || (!data && id.type != &tw__csl_t_LOCAL_TASK_ID))
        return tw__csl_error(s, call->kid[2], "csl.type",
                             "%s must be a local_task_id or data_task_id known at compile time, not %s",
                             tw__dsd_argument(s, call, 2), TYPE_TEXT(id.type));
    const type *fn = NULL, *other_fn = NULL;
    int main = task_function(s, call->kid[0], data, data ? 2 : 0, &fn);
    int other = task_function(s, call->kid[1], 0, 0, &other_fn);
    tw__dsd_fields f;
    int64_t limit = 1, init = 0;
    if (main < 0 || other < 0 || tw__csl_is_nothing(&id) ||
        !tw__dsd_open(&f, s, call->kid[3], "the settings of @bind_rotating_tasks", names) ||
        !tw__dsd_int(&f, "limit", 1, UINT16_MAX, &limit) || !tw__dsd_int(&f, "init", 0, UINT16_MAX, &init))
        return tw__csl_nothing();
    tw__csl_program *p = tw__csl_sema_program(s);
    if (p->rotation_count == 2) return tw__csl_error(s, call, "csl.task", "at most 2 pairs of rotating tasks");
    if (!claim_id(s, call, false, (int64_t)id.value.i)) return tw__csl_nothing();
    tw__csl_task *task = TW__CSL_PUSH(p, tasks, task);
    tw__csl_rotation *row = TW__CSL_PUSH(p, rotations, rotation);
    if (!task || !row) return tw__csl_nothing();
    *task = (tw__csl_task){ .kind = data ? TW__CSL_TASK_DATA : TW__CSL_TASK_LOCAL,
                            .id = (uint8_t)id.value.i,
                            .args = (uint8_t)fn->count,
                            .function = (uint32_t)main };
    describe_arguments(task, fn);
    *row = (tw__csl_rotation){ .id = (uint8_t)id.value.i,
                               .main = (uint32_t)main,
                               .alternative = (uint32_t)other,
                               .limit = (uint16_t)limit,
                               .init = (uint16_t)init };
    return tw__csl_known(tw__csl_of_void());
}

/* @set_control_task_table([.{ .instructions, .stride }]): control tasks get ids of their own. Settings say how the
 * table lies in memory; here it takes none, so they are checked only. */
operand tw__dsd_control_table(sema *s, const node *call, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, call, 0, 1) || !tw__dsd_in_phase(s, call, TW__DSD_IN_COMPTIME))
        return tw__csl_nothing();
    if (!tw__csl_sema_wse3(s))
        return tw__csl_error(s, call, "csl.arch", "@set_control_task_table exists on WSE-3 only");
    static const char *const names[] = { "instructions", "stride", NULL };
    tw__dsd_fields f;
    int64_t instructions = 4, stride = 1;
    if (call->count &&
        (!tw__dsd_open(&f, s, call->kid[0], "the settings of @set_control_task_table", names) ||
         !tw__dsd_int(&f, "instructions", 2, 8, &instructions) || !tw__dsd_int(&f, "stride", 1, 7, &stride)))
        return tw__csl_nothing();
    if (instructions & (instructions - 1))
        return tw__csl_error(s, tw__dsd_field_node(&f, "instructions"), "csl.range",
                             ".instructions must be 2, 4 or 8, not %lld", (long long)instructions);
    tw__dsd_state *state = tw__dsd_state_of(s);
    if (!state) return tw__csl_nothing();
    if (state->control_table_at) {
        tw__csl_error(s, call, "csl.task", "the control tasks have their table already");
        tw__csl_note(s, state->control_table_at, "it was set here");
        return tw__csl_nothing();
    }
    state->control_table_at = call;
    state->control_stride = (uint8_t)stride;
    return tw__csl_known(tw__csl_of_void());
}

/* --- activate, block, unblock ---------------------------------------------------------------------------------- */

/* What @block and @unblock name; -1 after an error. */
static int id_kind(sema *s, const node *call, const type *t, bool activate)
{
    bool wse3 = tw__csl_sema_wse3(s), local = t == &tw__csl_t_LOCAL_TASK_ID;
    if (local || (!activate && t == &tw__csl_t_DATA_TASK_ID) || (!activate && !wse3 && t == &tw__csl_t_COLOR))
        return TW__CSL_ID_TASK;
    if (!activate && wse3 && t == &tw__csl_t_INPUT_QUEUE) return TW__CSL_ID_QUEUE;
    if (!activate && wse3 && t == &tw__csl_t_UT_ID) return TW__CSL_ID_UT;
    tw__csl_error(s, call->kid[0], "csl.type", "%s takes a %s on WSE-%d, not %s", tw__dsd_builtin_name(s, call),
                  activate ? "local_task_id"
                  : wse3   ? "local_task_id, data_task_id, input_queue or ut_id"
                           : "local_task_id, data_task_id or color",
                  wse3 ? 3 : 2, TYPE_TEXT(t));
    return -1;
}

operand tw__dsd_activate(sema *s, const node *call, const type *expected)
{
    (void)expected;
    const char *name = tw__csl_text(tw__csl_sema_ctx(s), call->name);
    if (!tw__csl_arguments(s, call, 1, 1) || !tw__dsd_in_phase(s, call, TW__DSD_IN_COMPTIME | TW__DSD_IN_RUNTIME))
        return tw__csl_nothing();
    operand id = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    bool activate = !strcmp(name, "activate"), block = !strcmp(name, "block");
    int kind = tw__csl_is_nothing(&id) ? -1 : id_kind(s, call, id.type, activate);
    if (kind < 0) return tw__csl_nothing();
    if (tw__csl_sema_phase(s) == TW__CSL_PHASE_COMPTIME) {
        tw__csl_program *p = tw__csl_sema_program(s);
        tw__csl_init *row = TW__CSL_PUSH(p, inits, init);
        if (!row) return tw__csl_nothing();
        uint8_t what = activate ? TW__CSL_INIT_ACTIVE : block ? TW__CSL_INIT_BLOCK : TW__CSL_INIT_UNBLOCK;
        *row = (tw__csl_init){ .what = what, .id_kind = (uint8_t)kind, .id = (uint8_t)id.value.i };
        tw__dsd_state *state = activate ? tw__dsd_state_of(s) : NULL;
        if (state && !state->activated_at[row->id]) state->activated_at[row->id] = call;
        return tw__csl_known(tw__csl_of_void());
    }
    tw__csl_gen *g = tw__csl_sema_gen(s);
    uint16_t reg = tw__csl_to_register(s, call->kid[0], &id);
    tw__gen_at(g, call);
    tw__gen_emit(g,
                 activate ? TW__CSL_I_ACTIVATE
                 : block  ? TW__CSL_I_BLOCK
                          : TW__CSL_I_UNBLOCK,
                 reg, activate ? 0 : (unsigned)kind, 0);
    return tw__csl_known(tw__csl_of_void());
}
