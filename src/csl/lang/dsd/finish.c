/* SPDX-License-Identifier: MIT */
/* What can be judged only when a tile program is complete. */
#include "csl/lang/dsd/local.h"

/* --- tasks by name ---------------------------------------------------------------------------------------------- */

/* The id that a task is bound to; -1 = none. A task bound twice is meant by its first binding. */
static const tw__csl_task *binding_of(const tw__csl_program *p, int function)
{
    for (size_t i = 0; i < p->task_count; i++)
        if (p->tasks[i].function == (uint32_t)function) return &p->tasks[i];
    return NULL;
}

static void store_id(tw__csl_program *p, const tw__dsd_fix *fix, uint8_t id)
{
    tw__csl_dsr_load *load = fix->kind == TW__DSD_FIX_LOAD   ? &p->dsr_loads[fix->row]
                             : fix->kind == TW__DSD_FIX_INIT ? &p->dsr_init[fix->row]
                                                             : NULL;
    if (fix->kind == TW__DSD_FIX_FIFO)
        *(fix->second ? &p->fifos[fix->row].pop_task : &p->fifos[fix->row].push_task) = id;
    else if (load)
        (fix->second ? &load->on_control : &load->done)->at = id;
    else
        (fix->second ? &p->uses[fix->row].on_control : &p->uses[fix->row].done)->at = id;
}

static bool has_task(const tw__csl_program *p, unsigned id, bool or_data)
{
    for (size_t i = 0; i < p->task_count; i++)
        if (p->tasks[i].id == id &&
            (p->tasks[i].kind == TW__CSL_TASK_LOCAL || (or_data && p->tasks[i].kind == TW__CSL_TASK_DATA)))
            return true;
    return false;
}

/* What completes by activating or unblocking an id that has no task could never be told from what hangs. */
static bool check_id(sema *s, const tw__dsd_fix *fix)
{
    if (has_task(tw__csl_sema_program(s), fix->id, fix->unblock)) return true;
    tw__csl_error(s, fix->at, "csl.task", "no %slocal task is bound to id %u; @bind_local_task binds one",
                  fix->unblock ? "data or " : "", fix->id);
    return false;
}

static bool finish_resolve(sema *s, const tw__dsd_fix *fix)
{
    tw__csl_program *p = tw__csl_sema_program(s);
    if (!fix->task) return check_id(s, fix);
    int function = tw__csl_function_index(s, fix->at, (tw__csl_function *)fix->task);
    if (function < 0) return false;
    const tw__csl_task *task = binding_of(p, function);
    const char *why = !task                                              ? "is not bound to an id"
                      : task->kind == TW__CSL_TASK_CONTROL               ? "is bound as a control task"
                      : task->kind == TW__CSL_TASK_DATA && !fix->unblock ? "is bound as a data task"
                                                                         : NULL;
    if (why) {
        tw__csl_error(s, fix->at, "csl.task", "task '%s' %s; it must be bound as a %slocal task", fix->task->name,
                      why, fix->unblock ? "data or " : "");
        return false;
    }
    store_id(p, fix, task->id);
    return true;
}

/* --- DSRs ----------------------------------------------------------------------------------------------------- */

static bool same_action(const tw__dsd_action *a, const tw__dsd_action *b)
{
    return a->action.kind == b->action.kind && a->task == b->task &&
           a->action.in_register == b->action.in_register &&
           (a->task || a->action.in_register || a->action.at == b->action.at);
}

/* The loads of an operation's DSRs: is one asynchronous, do all agree with what the operation says? */
static bool check_use(sema *s, const tw__dsd_state *state, const tw__dsd_dsr_use *use)
{
    bool async = use->fabric, loaded = false, good = true;
    for (unsigned i = 0; i < use->count; i++)
        for (const tw__dsd_load *load = state->loads; load; load = load->next) {
            if (load->file != use->file[i] || load->id != use->id[i]) continue;
            loaded = true;
            async = async || load->async;
            bool differs =
                load->async && ((use->done.at && !same_action(&use->done, &load->done)) ||
                                (use->on_control.at && !same_action(&use->on_control, &load->on_control)));
            if (!differs || !good) continue;
            good = false;
            tw__csl_error(s, use->done.at ? use->done.at : use->on_control.at, "csl.dsr",
                          "the operation says something else than the @load_to_dsr of its DSR, which decides");
            tw__csl_note(s, load->at, "loaded here");
        }
    const node *claim = use->async_given ? use->async_at : use->done.at ? use->done.at : use->on_control.at;
    if (!claim || async || !good) return good;
    tw__csl_error(s, claim, "csl.dsr",
                  loaded ? "no @load_to_dsr of these DSRs says .async = true, so the operation is not asynchronous"
                         : "these DSRs are never loaded");
    return false;
}

/* --- queues --------------------------------------------------------------------------------------------------- */

static const tw__csl_queue *queue_row(const tw__csl_program *p, bool output, uint8_t id)
{
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].is_output == output && p->queues[i].id == id) return &p->queues[i];
    return NULL;
}

/* A fabric DSD without color takes that of its queue; one with both binds a queue that nobody initialised. */
static bool bind_queue(sema *s, const tw__dsd_fabric *f)
{
    tw__csl_program *p = tw__csl_sema_program(s);
    if (f->queue == TW__CSL_NO_ID) return true;
    const tw__csl_queue *queue = queue_row(p, f->is_output, f->queue);
    if (f->color == TW__CSL_NO_ID) {
        if (queue && queue->color != TW__CSL_NO_ID) return true;
        tw__csl_error(s, f->at, "csl.queue",
                      "this DSD has no .fabric_color, and no @initialize_queue gives its queue %u one", f->queue);
        return false;
    }
    if (queue || f->is_output) return true;
    tw__csl_queue *row = TW__CSL_PUSH(p, queues, queue);
    if (row) *row = (tw__csl_queue){ .id = f->queue, .color = f->color, .implied = 1 };
    return row != NULL;
}

/* A data task of WSE-3 belongs to an input queue, which delivers nothing before it has a color. */
static void warn_data_tasks(sema *s, const tw__dsd_state *state)
{
    const tw__csl_program *p = tw__csl_sema_program(s);
    for (size_t i = 0; i < p->task_count && tw__csl_sema_wse3(s); i++) {
        const node *bound = state->bound_at[0][p->tasks[i].id];
        if (p->tasks[i].kind != TW__CSL_TASK_DATA || !bound || p->tasks[i].id >= TW__CSL_QUEUES) continue;
        const tw__csl_queue *queue = queue_row(p, false, p->tasks[i].id);
        if (!queue || queue->implied)
            tw__csl_warn(s, bound, "csl.queue",
                         "input queue %u of this data task is never initialised: "
                         "@initialize_queue gives it a color",
                         p->tasks[i].id);
    }
}

/* Otherwise the program would do nothing at all, in silence. */
static void warn_activated(sema *s, const tw__dsd_state *state)
{
    for (unsigned id = 0; id < TW__CSL_TASK_IDS; id++)
        if (state->activated_at[id] && !has_task(tw__csl_sema_program(s), id, false))
            tw__csl_warn(s, state->activated_at[id], "csl.task",
                         "nothing is activated: no local task is bound to id %u; @bind_local_task binds one", id);
}

/* --- task 29 -------------------------------------------------------------------------------------------------- */

static bool check_teardown(sema *s, const tw__dsd_state *state)
{
    enum { TEARDOWN_TASK = 29 };
    const tw__csl_program *p = tw__csl_sema_program(s);
    const node *bound = state->bound_at[0][TEARDOWN_TASK];
    for (size_t i = 0; i < p->handler_count; i++)
        if (bound) {
            tw__csl_error(s, bound, "csl.task", "id 29 belongs to the %s handlers of this program",
                          p->handlers[i].is_queue ? "empty-queue" : "teardown");
            return false;
        }
    return true;
}

/* Control tasks share ids with the others unless they have a table; numbers of queues' tables become offsets. */
static bool check_control_tasks(sema *s, const tw__dsd_state *state)
{
    tw__csl_program *p = tw__csl_sema_program(s);
    bool good = true;
    for (unsigned id = 0; !state->control_table_at && id < TW__CSL_TASK_IDS; id++) {
        const node *control = state->bound_at[1][id], *other = state->bound_at[0][id];
        if (!control || !other) continue;
        tw__csl_error(s, control->kid[1], "csl.task", "id %u has a task already%s", id,
                      tw__csl_sema_wse3(s) ? "; @set_control_task_table gives control tasks ids of their own" : "");
        tw__csl_note(s, other, "it was bound here");
        good = false;
    }
    for (size_t i = 0; i < p->queue_count; i++) {
        unsigned base = p->queues[i].control_base * (state->control_stride ? state->control_stride : 1u);
        if (p->queues[i].control_base && base >= TW__CSL_TASK_IDS) {
            tw__csl_error(s, state->queue_at[p->queues[i].is_output][p->queues[i].id], "csl.range",
                          "the control tasks of this queue begin at id %u, above the last one, %u", base,
                          TW__CSL_TASK_IDS - 1);
            good = false;
        }
        p->queues[i].control_base = (uint8_t)(base & (TW__CSL_TASK_IDS - 1));
    }
    return good;
}

/* Lists hold the newest first; messages come in the order of the text. */
#define REVERSED(type, list)                                 \
    do {                                                     \
        type *turned_ = NULL;                                \
        for (type *it_ = (list), *next_; it_; it_ = next_) { \
            next_ = it_->next;                               \
            it_->next = turned_;                             \
            turned_ = it_;                                   \
        }                                                    \
        (list) = turned_;                                    \
    } while (0)

bool tw__csl_dsd_finish(sema *s)
{
    tw__dsd_state *state = tw__dsd_state_of(s);
    bool good = state != NULL;
    if (!good) return false;
    REVERSED(tw__dsd_fix, state->fixes);
    REVERSED(tw__dsd_dsr_use, state->uses);
    REVERSED(tw__dsd_fabric, state->fabrics);
    for (const tw__dsd_fix *fix = state->fixes; fix; fix = fix->next) good = finish_resolve(s, fix) && good;
    for (const tw__dsd_dsr_use *use = state->uses; use; use = use->next) good = check_use(s, state, use) && good;
    for (const tw__dsd_fabric *f = state->fabrics; f; f = f->next) good = bind_queue(s, f) && good;
    warn_data_tasks(s, state);
    warn_activated(s, state);
    good = check_control_tasks(s, state) && good;
    return check_teardown(s, state) && good;
}
