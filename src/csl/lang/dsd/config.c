/* SPDX-License-Identifier: MIT */
/* The struct at the end of DSD operations and of @load_to_dsr: what runs asynchronously, and what happens when it is
 * complete (vendor document "DSDs", asynchronous operations). */
#include "csl/lang/dsd/local.h"

/* The id behind .activate or .unblock. A task's name becomes its id when the program is complete. */
static bool read_target(const tw__dsd_fields *f, const char *name, bool unblock, bool fixed, tw__dsd_action *out)
{
    operand o;
    sema *s = f->s;
    bool wse3 = tw__csl_sema_wse3(s);
    const node *at = tw__dsd_field_node(f, name);
    if (!tw__dsd_field(f, name, &o)) return false;
    *out = (tw__dsd_action){ .at = at };
    out->action.kind = unblock ? TW__CSL_ACT_UNBLOCK : TW__CSL_ACT_ACTIVATE;
    if ((out->task = tw__csl_function_of(&o))) {
        if (out->task->is_task) return true;
        tw__csl_error(s, at, "csl.task", "'%s' is a function; .%s needs a task", out->task->name, name);
        return false;
    }
    bool local = o.type == &tw__csl_t_LOCAL_TASK_ID;
    bool other = o.type == &tw__csl_t_DATA_TASK_ID || o.type == (wse3 ? &tw__csl_t_INPUT_QUEUE : &tw__csl_t_COLOR);
    if (!local && !(unblock && other)) {
        if (unblock)
            tw__csl_error(s, at, "csl.task",
                          ".unblock on WSE-%d takes a task, local_task_id, data_task_id or %s, not %s",
                          wse3 ? 3 : 2, wse3 ? "input_queue" : "color", TYPE_TEXT(o.type));
        else
            tw__csl_error(s, at, "csl.task", ".%s takes a task or a local_task_id, not %s", name,
                          TYPE_TEXT(o.type));
        return false;
    }
    if (o.type == &tw__csl_t_INPUT_QUEUE) out->action.kind = TW__CSL_ACT_UNBLOCK_QUEUE;
    if (o.kind == TW__CSL_O_VALUE) {
        out->action.at = (uint16_t)o.value.i;
        out->task_id = local || o.type == &tw__csl_t_DATA_TASK_ID;
        return true;
    }
    if (fixed) {
        tw__csl_error(s, at, "csl.comptime", ".%s of .on_control must be known at compile time", name);
        return false;
    }
    out->action.in_register = 1;
    out->action.at = o.reg;
    return true;
}

static bool read_on_control(const tw__dsd_fields *f, tw__dsd_config *out)
{
    static const char *const names[] = { "terminate", "activate", "unblock", NULL };
    operand o;
    tw__dsd_fields inner;
    const node *at = tw__dsd_field_node(f, "on_control");
    if (!tw__dsd_has(f, "on_control")) return true;
    if (!tw__csl_get_field(&f->object, "on_control", &o) ||
        !tw__dsd_open_operand(&inner, f->s, at, o, "the actions of .on_control", names))
        return false;
    if (inner.object.type->count != 1) {
        tw__csl_error(f->s, at, "csl.field", ".on_control takes one of .terminate, .activate and .unblock");
        return false;
    }
    if (tw__dsd_has(&inner, "activate")) return read_target(&inner, "activate", false, true, &out->on_control);
    if (tw__dsd_has(&inner, "unblock")) return read_target(&inner, "unblock", true, true, &out->on_control);
    bool terminate = false;
    if (!tw__dsd_bool(&inner, "terminate", &terminate)) return false;
    out->has_terminate = true;
    out->on_control.at = at;
    if (terminate) out->on_control.action.kind = TW__CSL_ACT_TERMINATE;
    return true;
}

static bool read_done(const tw__dsd_fields *f, tw__dsd_config *out)
{
    bool activate = tw__dsd_has(f, "activate"), unblock = tw__dsd_has(f, "unblock");
    if (activate && unblock) {
        tw__csl_error(f->s, tw__dsd_field_node(f, "unblock"), "csl.task",
                      "at most one of .activate and .unblock may be given");
        return false;
    }
    if (activate) return read_target(f, "activate", false, false, &out->done);
    return !unblock || read_target(f, "unblock", true, false, &out->done);
}

static bool read_index(const tw__dsd_fields *f, tw__dsd_config *out)
{
    operand o;
    if (!tw__dsd_has(f, "index")) return true;
    out->index_at = tw__dsd_field_node(f, "index");
    if (!tw__dsd_field(f, "index", &o)) return false;
    o = tw__csl_coerce(f->s, out->index_at, o, &tw__csl_t_u16, ".index");
    if (tw__csl_is_nothing(&o)) return false;
    out->has_index = true;
    out->index = tw__csl_to_register(f->s, out->index_at, &o);
    return true;
}

static bool read_ut(const tw__dsd_fields *f, tw__dsd_config *out)
{
    operand o;
    if (!tw__dsd_has(f, "ut_id")) return true;
    out->ut_at = tw__dsd_field_node(f, "ut_id");
    if (!tw__csl_sema_wse3(f->s)) {
        tw__csl_error(f->s, out->ut_at, "csl.arch", ".ut_id exists on WSE-3 only; on WSE-2 the queue decides");
        return false;
    }
    if (!tw__dsd_field(f, "ut_id", &o)) return false;
    o = tw__csl_coerce(f->s, out->ut_at, o, &tw__csl_t_UT_ID, ".ut_id");
    if (tw__csl_is_nothing(&o)) return false;
    if (o.kind == TW__CSL_O_VALUE) {
        out->ut = (uint8_t)o.value.i;
        return true;
    }
    tw__csl_error(f->s, out->ut_at, "csl.comptime", ".ut_id must be known at compile time");
    return false;
}

bool tw__dsd_read_config(sema *s, const node *at, const operand *o, const char *what, bool for_dsr,
                         tw__dsd_config *out)
{
    static const char *const names[2][9] = {
        { "async", "activate", "unblock", "on_control", "priority", "index", "ut_id", NULL },
        { "async", "activate", "unblock", "on_control", "ut_id", "save_address", "single_step", NULL },
    };
    tw__dsd_fields f;
    *out = (tw__dsd_config){ .at = at, .ut = (uint8_t)TW__CSL_NO_ID };
    if (!tw__dsd_open_operand(&f, s, at, *o, what, names[for_dsr])) return false;
    out->async_given = tw__dsd_has(&f, "async");
    out->async_at = tw__dsd_field_node(&f, "async");
    out->priority_at = tw__dsd_field_node(&f, "priority");
    return tw__dsd_bool(&f, "async", &out->async) && read_done(&f, out) && read_on_control(&f, out) &&
           tw__dsd_priority(&f, &out->priority) && read_index(&f, out) && read_ut(&f, out) &&
           tw__dsd_bool(&f, "save_address", &out->save_address) &&
           tw__dsd_bool(&f, "single_step", &out->single_step);
}
