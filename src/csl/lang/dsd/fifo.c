/* SPDX-License-Identifier: MIT */
/* @allocate_fifo (vendor document "DSDs", FIFOs). */
#include "csl/lang/dsd/local.h"

/* The call must be the whole initial value of a const of the module. */
static tw__csl_global *owner_of(sema *s, const node *call)
{
    tw__csl_global *g = tw__csl_sema_initialising(s);
    if (g && g->node && g->node->op == TW__CSL_T_CONST && g->node->kid[TW__CSL_VAR_INIT] == call) return g;
    tw__csl_error(s, call, "csl.fifo",
                  "@allocate_fifo must be the value of a global const: const fifo = @allocate_fifo(buffer);");
    return NULL;
}

/* The array behind the argument. */
static tw__csl_global *buffer_of(sema *s, const node *at, const type **array)
{
    operand o = tw__csl_expr(s, at, NULL);
    if (tw__csl_is_nothing(&o)) return NULL;
    tw__csl_pointer p = { 0 };
    *array = o.type;
    bool named = o.kind == TW__CSL_O_PLACE || at->kind == TW__CSL_NAME || at->kind == TW__CSL_FIELD;
    if (o.type->kind == TW__CSL_TY_ARRAY && named) {
        o = tw__csl_address_of(s, at);
        if (tw__csl_is_nothing(&o)) return NULL;
    } else if (o.type->kind == TW__CSL_TY_POINTER) {
        o = tw__csl_rvalue(s, at, o);
        *array = o.type->base;
    }
    if (o.kind == TW__CSL_O_VALUE && o.type->kind == TW__CSL_TY_POINTER) p = o.value.pointer;
    if ((*array)->kind != TW__CSL_TY_ARRAY || !p.global || p.offset) {
        tw__csl_error(s, at, "csl.fifo", "the buffer of a FIFO must be a global array or a pointer to one, not %s",
                      TYPE_TEXT(*array));
        return NULL;
    }
    if (p.global->node && p.global->node->op == TW__CSL_T_VAR) return p.global;
    tw__csl_error(s, at, "csl.fifo", "the buffer of a FIFO must be declared var; '%s' is not", p.global->name);
    return NULL;
}

static bool element_ok(sema *s, const node *at, const type *array)
{
    const type *t = array->base;
    const type *const allowed[] = { &tw__csl_t_i16, &tw__csl_t_u16, &tw__csl_t_f16,
                                    &tw__csl_t_i32, &tw__csl_t_u32, &tw__csl_t_f32 };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        if (t != allowed[i]) continue;
        if (array->size == 0)
            tw__csl_error(s, at, "csl.fifo", "the buffer of a FIFO needs room for an element; this one is %s",
                          TYPE_TEXT(array));
        return array->size > 0;
    }
    tw__csl_error(s, at, "csl.fifo",
                  "the elements of a FIFO's buffer must be i16, u16, f16, i32, u32 or f32, not %s", TYPE_TEXT(t));
    return false;
}

/* The extern declaration in the owner's file that the argument names; NULL = the buffer is defined there. */
static const node *extern_declaration(const tw__csl_global *owner, const node *at)
{
    const node *file = owner->module->file;
    if (at->kind == TW__CSL_UNARY) at = at->kid[0];
    for (uint32_t i = 0; at->kind == TW__CSL_NAME && i < file->count; i++) {
        const node *n = file->kid[i];
        if (n->kind == TW__CSL_VAR && n->name == at->name && n->flags & TW__CSL_F_EXTERN) return n;
    }
    return NULL;
}

static bool too_small(sema *s, const node *at, const node *declared, const char *name, int64_t align)
{
    if (align >= TW__CSL_FIFO_ALIGNMENT) return false;
    tw__csl_error(s, at, "csl.fifo", "'%s' has align(%d); the buffer of a FIFO needs %d bytes or more", name,
                  (int)align, (int)TW__CSL_FIFO_ALIGNMENT);
    if (declared) tw__csl_note(s, declared, "declared here");
    return true;
}

static bool align_buffer(sema *s, const node *at, const tw__csl_global *owner, tw__csl_global *g)
{
    int64_t align;
    const node *outside = extern_declaration(owner, at);
    const node *written = outside ? outside->kid[TW__CSL_VAR_ALIGN] : NULL;
    if (outside && !written)
        tw__csl_warn(s, at, "csl.fifo",
                     "'%s' is extern without align: its definition must be aligned to %d bytes for a FIFO; write "
                     "align(%d) here too",
                     g->name, (int)TW__CSL_FIFO_ALIGNMENT, (int)TW__CSL_FIFO_ALIGNMENT);
    if (written && (!tw__csl_comptime_int_in(s, written, "align", 1, UINT16_MAX, &align) ||
                    too_small(s, at, outside, g->name, align)))
        return false;
    if (g->own_align) return !too_small(s, at, g->node, g->name, g->align);
    if (g->align < TW__CSL_FIFO_ALIGNMENT) g->align = TW__CSL_FIFO_ALIGNMENT;
    return true;
}

/* .activate_push, .activate_pop: an id, or a task whose id is found when the program is complete. */
static bool task_of(const tw__dsd_fields *f, const char *name, uint8_t *id, tw__dsd_action *pending)
{
    operand o;
    const node *at = tw__dsd_field_node(f, name);
    if (!tw__dsd_has(f, name)) return true;
    if (!tw__dsd_field(f, name, &o)) return false;
    *pending = (tw__dsd_action){ .at = at, .task = tw__csl_function_of(&o) };
    pending->action.kind = TW__CSL_ACT_ACTIVATE;
    if (pending->task && pending->task->is_task) return true;
    if (o.kind == TW__CSL_O_VALUE && o.type == &tw__csl_t_LOCAL_TASK_ID) {
        *id = (uint8_t)o.value.i;
        pending->action.at = *id;
        pending->task_id = true;
        return true;
    }
    tw__csl_error(f->s, at, "csl.fifo", ".%s takes a task or a local_task_id known at compile time, not %s", name,
                  TYPE_TEXT(o.type));
    return false;
}

/* .dest, .src, .xdsr: all three or none; the registers are the FIFO's from then on. */
static bool registers_ok(const tw__dsd_fields *f)
{
    operand dest, src;
    unsigned given = tw__dsd_has(f, "dest") + tw__dsd_has(f, "src") + tw__dsd_has(f, "xdsr");
    if (!given) return true;
    if (given != 3) {
        tw__csl_error(f->s, f->at, "csl.fifo", ".dest, .src and .xdsr of a FIFO are given together");
        return false;
    }
    if (!tw__dsd_field(f, "dest", &dest) || !tw__dsd_field(f, "src", &src)) return false;
    if (tw__dsd_file_of(dest.type) != TW__CSL_DSR_DEST || tw__dsd_file_of(src.type) != TW__CSL_DSR_SRC1) {
        tw__csl_error(f->s, f->at, "csl.fifo",
                      ".dest and .src of a FIFO are dsr_fifo_dest and dsr_fifo_src1, not %s and %s",
                      TYPE_TEXT(dest.type), TYPE_TEXT(src.type));
        return false;
    }
    if (dest.value.i == src.value.i) {
        tw__dsd_state *state = tw__dsd_state_of(f->s);
        if (state) state->dsr_taken[TW__CSL_DSR_DEST] |= 1u << (unsigned)dest.value.i;
        if (state) state->dsr_taken[TW__CSL_DSR_SRC1] |= 1u << (unsigned)src.value.i;
        return true;
    }
    tw__csl_error(f->s, tw__dsd_field_node(f, "src"), "csl.fifo",
                  ".dest and .src of a FIFO have one number: %d and %d differ", (int)dest.value.i,
                  (int)src.value.i);
    return false;
}

/* .empty_action, .full_action (vendor release notes 2.10): WSE-2 can end an operation on an empty FIFO, no more. */
static bool action(const tw__dsd_fields *f, const char *name, uint8_t *out)
{
    static const char *const choices[] = { "test_or_suspend", "terminate", "suspend", "fault", NULL };
    int choice;
    if (!tw__dsd_choice(f, name, choices, &choice)) return false;
    if (choice < 0) return true;
    *out = (uint8_t)choice;
    if (tw__csl_sema_wse3(f->s) || (!strcmp(name, "empty_action") && choice <= TW__CSL_FIFO_TERMINATE)) return true;
    tw__csl_error(f->s, tw__dsd_field_node(f, name), "csl.arch", ".%s = .{ .%s = true } exists on WSE-3 only", name,
                  choices[choice]);
    return false;
}

static bool read_settings(sema *s, const node *at, tw__csl_fifo *row, tw__dsd_action pending[2])
{
    static const char *const names[] = { "activate_push", "activate_pop", "priority",     "simd_mode",   "dest",
                                         "src",           "xdsr",         "empty_action", "full_action", NULL };
    tw__dsd_fields f;
    bool wse3 = tw__csl_sema_wse3(s);
    if (!tw__dsd_open(&f, s, at, "the settings of @allocate_fifo", names)) return false;
    const char *missing = wse3 ? "simd_mode" : "priority";
    if (tw__dsd_has(&f, missing)) {
        tw__csl_error(s, tw__dsd_field_node(&f, missing), "csl.arch", ".%s of a FIFO exists on WSE-%d only",
                      missing, wse3 ? 2 : 3);
        return false;
    }
    return task_of(&f, "activate_push", &row->push_task, &pending[0]) &&
           task_of(&f, "activate_pop", &row->pop_task, &pending[1]) && tw__dsd_priority(&f, &row->priority) &&
           tw__dsd_simd(&f, &row->simd) && action(&f, "empty_action", &row->empty_action) &&
           action(&f, "full_action", &row->full_action) && registers_ok(&f);
}

/* Running out is one error that names all FIFOs. */
static bool count_fifo(sema *s, const node *call, size_t number)
{
    tw__dsd_state *state = tw__dsd_state_of(s);
    if (!state) return false;
    if (number < TW__CSL_MAX_FIFOS) {
        state->fifo_at[number] = call;
        return true;
    }
    if (state->too_many_fifos) return false;
    state->too_many_fifos = true;
    tw__csl_program *p = tw__csl_sema_program(s);
    const char *list = "";
    for (size_t i = 0; i < p->fifo_count && list; i++)
        list = tw__arena_printf(tw__csl_sema_arena(s), "%s%s%s", list, i ? ", " : "", p->fifos[i].name);
    tw__csl_error(s, call, "csl.fifo", "a PE has resources for %d FIFOs; these take all: %s",
                  (int)TW__CSL_MAX_FIFOS, list ? list : "");
    for (size_t i = 0; i < TW__CSL_MAX_FIFOS; i++) tw__csl_note(s, state->fifo_at[i], "allocated here");
    return false;
}

operand tw__dsd_allocate_fifo(sema *s, const node *call, const type *expected)
{
    (void)expected;
    const type *array;
    tw__csl_program *p = tw__csl_sema_program(s);
    if (!tw__csl_arguments(s, call, 1, 2)) return tw__csl_nothing();
    tw__csl_global *owner = owner_of(s, call);
    if (!owner) return tw__csl_nothing();
    if (!p)
        return tw__csl_error(s, call, "csl.where", "@allocate_fifo stands in the code of a PE, not in the layout");
    const node *at = call->kid[0];
    tw__csl_global *buffer = buffer_of(s, at, &array);
    if (!buffer || !element_ok(s, at, array) || !align_buffer(s, at, owner, buffer)) return tw__csl_nothing();
    uint32_t address;
    tw__dsd_action pending[2] = { 0 };
    tw__csl_fifo row = { .name = tw__csl_image_string(tw__csl_sema_image(s), owner->name),
                         .elem_bytes = (uint8_t)array->base->size,
                         .bytes = array->size,
                         .push_task = (uint8_t)TW__CSL_NO_ID,
                         .pop_task = (uint8_t)TW__CSL_NO_ID };
    if (call->count > 1 && !read_settings(s, call->kid[1], &row, pending)) return tw__csl_nothing();
    if (!tw__csl_address(s, at, buffer, &address) || !count_fifo(s, call, p->fifo_count)) return tw__csl_nothing();
    row.address = address;
    tw__csl_fifo *slot = TW__CSL_PUSH(p, fifos, fifo);
    if (!slot) return tw__csl_nothing();
    *slot = row;
    uint32_t number = (uint32_t)p->fifo_count - 1;
    for (unsigned i = 0; i < 2; i++) tw__dsd_fix_task(s, TW__DSD_FIX_FIFO, number, i == 1, &pending[i]);
    tw__csl_dsd_value v = { .fifo = number };
    return tw__dsd_known(s, &tw__csl_t_FIFO, &v);
}
