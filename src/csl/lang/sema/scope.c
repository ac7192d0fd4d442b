/* SPDX-License-Identifier: MIT */
/* Local names, and which of them have their address taken. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

binding *tw__csl_find_local(const sema *s, tw__csl_name name)
{
    for (binding *b = s->locals; b; b = b->next)
        if (b->name == name) return b;
    return NULL;
}

binding *tw__csl_bind(sema *s, const node *at, tw__csl_name name, operand o, bool is_const)
{
    static const char discard[] = "_";
    if (name && strcmp(tw__csl_name_text(s, name), discard)) {
        const binding *old = tw__csl_find_local(s, name);
        if (old && old->block == s->block) {
            tw__csl_error(s, at, "csl.redefinition", "'%s' is already declared in this block",
                          tw__csl_name_text(s, name));
            tw__csl_note(s, old->at, "the other declaration is here");
        }
    }
    binding *b = TW__NEW(s->arena, binding);
    if (!b) {
        tw__csl_out_of_memory(s);
        return NULL;
    }
    *b = (binding){ .next = s->locals, .name = name, .at = at, .is_const = is_const, .o = o, .block = s->block };
    s->locals = b;
    if (tw__csl_watched(s)) tw__csl_tell(s, at, &o, at);
    if (s->gen && name && o.kind != TW__CSL_O_NOTHING) tw__csl_note_name(s, name, &o);
    return b;
}

binding *tw__csl_bind_cell(sema *s, const node *at, tw__csl_name name, value v)
{
    gen *g = s->gen; /* a value that changes at compile time is none that a debugger could show */
    s->gen = NULL;
    binding *b = tw__csl_bind(s, at, name, tw__csl_known(v), false);
    s->gen = g;
    tw__csl_cell *cell = TW__NEW(s->arena, tw__csl_cell);
    if (!b || !cell) {
        tw__csl_out_of_memory(s);
        return NULL;
    }
    if (tw__csl_is_aggregate(v.type) && v.parts) v.parts->shared = true;
    *cell = (tw__csl_cell){ v, s->depth, s->level };
    b->cell = cell;
    return b;
}

/* The name at the root of a.b[i].c, 0 when it is something else; a dereference ends the walk: p.* does not take p's
 * own address. */
static tw__csl_name root_name(const node *n)
{
    while (n->kind == TW__CSL_INDEX || n->kind == TW__CSL_FIELD) n = n->kid[0];
    return n->kind == TW__CSL_NAME ? n->name : 0;
}

/* kid[] is shared with the literals' fields. */
static bool has_kids(const node *n)
{
    return n->kind != TW__CSL_INT && n->kind != TW__CSL_FLOAT && n->kind != TW__CSL_BOOL &&
           n->kind != TW__CSL_STRING;
}

static void scope_collect(GHashTable *names, const node *n)
{
    if (!n || !has_kids(n)) return;
    tw__csl_name root = 0;
    if (n->kind == TW__CSL_UNARY && n->op == TW__CSL_T_AMPERSAND)
        root = root_name(n->kid[0]);
    else if (n->kind == TW__CSL_TENSOR)
        root = root_name(n->kid[0]);
    if (root) g_hash_table_add(names, GUINT_TO_POINTER(root));
    for (uint32_t i = 0; i < n->count; i++) scope_collect(names, n->kid[i]);
}

GHashTable *tw__csl_addressed_names(const node *body)
{
    GHashTable *names = g_hash_table_new(NULL, NULL);
    scope_collect(names, body);
    return names;
}
