/* SPDX-License-Identifier: MIT */
/* What the analysis meets, for whoever looks on. */
#include "csl/lang/sema/local.h"

void tw__csl_tell(sema *s, const node *at, const operand *o, const node *definition)
{
    const tw__csl_watch *w = s->shared->options->watch;
    if (w && w->met && at && o->type) w->met(w->user, at, o, definition);
}

static const node *member_node(const node *of, tw__csl_name name)
{
    for (uint32_t i = 0; of && i < of->count; i++) {
        const node *n = of->kid[i];
        if (n && (n->kind == TW__CSL_MEMBER || n->kind == TW__CSL_ENUMERATOR) && n->name == name) return n;
    }
    return NULL;
}

/* The field that a FIELD or FIELD_INIT names, of a value, a module or a type. */
void tw__csl_tell_field(sema *s, const node *at, operand object, const operand *o)
{
    const type *t = object.type;
    const node *definition = NULL;
    if (tw__csl_is_nothing(&object)) return;
    if (t->kind == TW__CSL_TY_POINTER) t = t->base;
    if (t->kind == TW__CSL_TY_TYPE && tw__csl_is_known(&object)) t = object.value.t;
    if (t->kind == TW__CSL_TY_MODULE && tw__csl_is_known(&object)) {
        const entry *e = tw__csl_member(object.value.module, at->name);
        if (e) definition = e->global ? e->global->node : e->function->node;
    } else {
        definition = member_node(t->site, at->name);
    }
    tw__csl_tell(s, at, o, definition);
}

static void tell_unused(sema *s, const entry *e)
{
    if (e->global && e->global->state == TW__CSL_FRESH &&
        !(e->global->node->op == TW__CSL_T_PARAM && !e->global->bound))
        tw__csl_global_operand(s, e->global->node, e->global);
    tw__csl_function *f = e->function;
    if (!f || s->program < 0 || g_hash_table_contains(s->by_function, f) || !f->node->kid[TW__CSL_FN_BODY]) return;
    if (tw__csl_function_type(s, f)) tw__csl_special_plain(s, f->node, f);
}

void tw__csl_tell_rest(sema *s)
{
    tw__csl_mute(s->ctx, true);
    for (tw__csl_module *m = s->modules; m && !tw__csl_stop(s); m = m->next) {
        if (m->is_library) continue;
        saved old = tw__csl_enter_module(s, m, TW__CSL_PHASE_VALUE);
        for (uint32_t i = 0; i < m->file->count && !tw__csl_stop(s); i++) {
            const node *n = m->file->kid[i];
            bool declares = n->kind == TW__CSL_VAR || n->kind == TW__CSL_FN;
            const entry *e = declares ? tw__csl_member(m, n->name) : NULL;
            if (e) tell_unused(s, e);
        }
        tw__csl_leave_module(s, old);
    }
    tw__csl_generate_waiting(s);
    tw__csl_mute(s->ctx, false);
}
