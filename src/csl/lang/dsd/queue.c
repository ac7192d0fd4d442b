/* SPDX-License-Identifier: MIT */
/* Queues: their colors, what happens when they run empty (vendor document "Builtins", queues). */
#include "csl/lang/dsd/local.h"

static operand queue_argument(sema *s, const node *call)
{
    operand q = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    bool queue = q.type == &tw__csl_t_INPUT_QUEUE || q.type == &tw__csl_t_OUTPUT_QUEUE;
    if (tw__csl_is_nothing(&q) || (queue && q.kind == TW__CSL_O_VALUE)) return q;
    return tw__csl_error(s, call->kid[0], "csl.queue",
                         "%s must be an input_queue or output_queue known at compile time, not %s",
                         tw__dsd_argument(s, call, 0), TYPE_TEXT(q.type));
}

static bool claim(sema *s, const node *call, const node **slot, const char *what)
{
    if (*slot) {
        tw__csl_error(s, call->kid[0], "csl.queue", "this queue has %s already", what);
        tw__csl_note(s, *slot, "here");
        return false;
    }
    *slot = call;
    return true;
}

/* .color, .priority, .ctrl_table_id, .dense_mode */
static bool read_settings(sema *s, const node *at, bool output, tw__csl_queue *row)
{
    static const char *const names[2][5] = { { "color", "priority", NULL },
                                             { "color", "ctrl_table_id", "dense_mode", NULL } };
    bool wse3 = tw__csl_sema_wse3(s), dense = false;
    tw__dsd_fields f;
    operand color;
    int64_t table = 0;
    if (!tw__dsd_open(&f, s, at, wse3 ? "the settings of a WSE-3 queue" : "the settings of a WSE-2 queue",
                      names[wse3]))
        return false;
    if (tw__dsd_has(&f, "color")) {
        if (!tw__dsd_field(&f, "color", &color)) return false;
        const node *color_at = tw__dsd_field_node(&f, "color");
        color = tw__csl_coerce(s, color_at, color, &tw__csl_t_COLOR, ".color");
        if (tw__csl_is_nothing(&color)) return false;
        if (color.kind != TW__CSL_O_VALUE) {
            tw__csl_error(s, color_at, "csl.comptime", ".color of a queue must be known at compile time");
            return false;
        }
        row->color = (uint8_t)color.value.i;
    }
    if (output && tw__dsd_has(&f, "ctrl_table_id")) {
        tw__csl_error(s, tw__dsd_field_node(&f, "ctrl_table_id"), "csl.queue",
                      ".ctrl_table_id belongs to input queues");
        return false;
    }
    return tw__dsd_priority(&f, &row->priority) && tw__dsd_int(&f, "ctrl_table_id", 0, 63, &table) &&
           tw__dsd_bool(&f, "dense_mode", &dense) && (row->control_base = (uint8_t)table, true);
}

operand tw__dsd_initialize_queue(sema *s, const node *call, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, call, 1, 2) || !tw__dsd_in_phase(s, call, TW__DSD_IN_COMPTIME))
        return tw__csl_nothing();
    operand q = queue_argument(s, call);
    if (tw__csl_is_nothing(&q)) return q;
    bool output = q.type == &tw__csl_t_OUTPUT_QUEUE, wse3 = tw__csl_sema_wse3(s);
    tw__csl_queue row = { .is_output = output, .id = (uint8_t)q.value.i, .color = (uint8_t)TW__CSL_NO_ID };
    if (output && !wse3 && call->count > 1) { /* .{} is as good as nothing */
        operand o = tw__csl_expr(s, call->kid[1], NULL);
        if (tw__csl_is_nothing(&o)) return o;
        if (o.type->kind != TW__CSL_TY_STRUCT || o.type->count)
            return tw__csl_error(s, call->kid[1], "csl.arch",
                                 "an output queue of WSE-2 takes no settings: its DSDs name the color");
    } else if (call->count > 1 && !read_settings(s, call->kid[1], output, &row)) {
        return tw__csl_nothing();
    }
    if (row.color == TW__CSL_NO_ID && !(output && !wse3))
        return tw__csl_error(s, call, "csl.queue", "@initialize_queue needs a color: .{ .color = ... }");
    tw__dsd_state *state = tw__dsd_state_of(s);
    if (!state || !claim(s, call, &state->queue_at[output][row.id], "been initialised")) return tw__csl_nothing();
    tw__csl_program *p = tw__csl_sema_program(s);
    tw__csl_queue *slot = TW__CSL_PUSH(p, queues, queue);
    if (slot) *slot = row;
    return tw__csl_known(tw__csl_of_void());
}

/* @set_empty_queue_handler(fn, queue) */
operand tw__dsd_queue_handler(sema *s, const node *call, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, call, 2, 2) || !tw__dsd_in_phase(s, call, TW__DSD_IN_COMPTIME))
        return tw__csl_nothing();
    if (!tw__csl_sema_wse3(s))
        return tw__csl_error(s, call, "csl.arch", "@set_empty_queue_handler exists on WSE-3 only");
    operand f = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    operand q = tw__csl_rvalue(s, call->kid[1], tw__csl_expr(s, call->kid[1], NULL));
    tw__csl_function *function = tw__csl_function_of(&f);
    if (tw__csl_is_nothing(&f) || tw__csl_is_nothing(&q)) return tw__csl_nothing();
    if (!function || function->is_task)
        return tw__csl_error(s, call->kid[0], "csl.queue", "%s must be a function without parameters",
                             tw__dsd_argument(s, call, 0));
    if (!function->type || function->type->count || function->type->base->kind != TW__CSL_TY_VOID)
        return tw__csl_error(s, call->kid[0], "csl.type",
                             "a handler of an empty queue is a function fn() void, got %s", TYPE_TEXT(f.type));
    if (q.kind != TW__CSL_O_VALUE || (q.type != &tw__csl_t_INPUT_QUEUE && q.type != &tw__csl_t_OUTPUT_QUEUE))
        return tw__csl_error(s, call->kid[1], "csl.queue", "%s must be a queue known at compile time, not %s",
                             tw__dsd_argument(s, call, 1), TYPE_TEXT(q.type));
    tw__dsd_state *state = tw__dsd_state_of(s);
    bool output = q.type == &tw__csl_t_OUTPUT_QUEUE;
    if (!state || !claim(s, call, &state->handler_at[output][q.value.i], "a handler")) return tw__csl_nothing();
    int index = tw__csl_function_index(s, call->kid[0], function);
    tw__csl_program *p = tw__csl_sema_program(s);
    tw__csl_handler *row = index >= 0 ? TW__CSL_PUSH(p, handlers, handler) : NULL;
    if (row)
        *row =
            (tw__csl_handler){ .is_queue = output ? 2 : 1, .id = (uint8_t)q.value.i, .function = (uint32_t)index };
    return tw__csl_known(tw__csl_of_void());
}

/* @queue_flush(queue): task 29 is activated when the queue is empty, or becomes it. */
operand tw__dsd_queue_flush(sema *s, const node *call, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, call, 1, 1) || !tw__dsd_in_phase(s, call, TW__DSD_IN_RUNTIME))
        return tw__csl_nothing();
    if (!tw__csl_sema_wse3(s)) return tw__csl_error(s, call, "csl.arch", "@queue_flush exists on WSE-3 only");
    operand q = queue_argument(s, call);
    if (tw__csl_is_nothing(&q)) return q;
    tw__csl_gen *g = tw__csl_sema_gen(s);
    uint16_t reg = tw__csl_to_register(s, call->kid[0], &q);
    tw__gen_at(g, call);
    tw__gen_emit(g, TW__CSL_I_QUEUE_FLUSH, reg, q.type == &tw__csl_t_OUTPUT_QUEUE, 0);
    return tw__csl_known(tw__csl_of_void());
}
