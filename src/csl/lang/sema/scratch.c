/* SPDX-License-Identifier: MIT */
/* Memory of comptime evaluation that nothing needs any more. A layout of 512x512 PEs runs its loop bodies millions of
 * times; all they leave behind is numbers in tables of the layout. So the body of a loop that runs at compile time
 * gets its memory from an arena of its own, and each iteration gives back what it took, unless a value escaped: into
 * a variable declared outside, by `return` or `break`.
 *
 * Iterations are counted by `level` (0 = in no loop). Variables know the level that declared them, so an escape into
 * a variable of level L keeps the memory of iterations deeper than L only: `keep_from` is the least L seen in this
 * iteration. What outlives the evaluation (module instances, their constants, functions, tile code) is made in
 * `lasting`. */
#include "csl/lang/sema/local.h"

turn tw__csl_turn_begin(sema *s)
{
    turn t = { .arena = s->arena, .keep_from = s->keep_from };
    s->arena = s->scratch;
    t.mark = tw__arena_save(s->scratch);
    s->level++;
    s->keep_from = UINT32_MAX;
    return t;
}

void tw__csl_turn_end(sema *s, turn t)
{
    if (s->keep_from >= s->level) tw__arena_restore(s->scratch, t.mark);
    s->level--;
    s->arena = t.arena;
    if (t.keep_from < s->keep_from) s->keep_from = t.keep_from;
}

turn tw__csl_last_begin(sema *s)
{
    turn t = { .arena = s->arena, .keep_from = s->level };
    s->arena = s->lasting;
    s->level = 0;
    return t;
}

void tw__csl_last_end(sema *s, turn t)
{
    s->arena = t.arena;
    s->level = t.keep_from;
}

void tw__csl_escape_all(sema *s, unsigned level)
{
    if (level < s->keep_from) s->keep_from = level;
}

/* Does the value lie in itself, with nothing behind it that could be given back? DSDs are lasting. */
static bool in_itself(const value *v)
{
    switch (v->type->kind) {
    case TW__CSL_TY_ARRAY:
    case TW__CSL_TY_STRUCT:
    case TW__CSL_TY_UNION: return !v->parts;
    case TW__CSL_TY_COMPTIME_STRING: return !v->string.length;
    case TW__CSL_TY_POINTER: return v->type->base->kind == TW__CSL_TY_FN || !v->pointer.cell;
    default: return true;
    }
}

void tw__csl_escape(sema *s, unsigned level, const value *v)
{
    if (!in_itself(v)) tw__csl_escape_all(s, level);
}

static bool copy_parts(sema *s, value *v)
{
    const tw__csl_aggregate *old = v->parts;
    tw__csl_aggregate *own = old->items ? tw__csl_parts_new(s->lasting, old->count)
                                        : tw__csl_parts_fill(s->lasting, old->count, old->fill);
    if (!own) return false;
    own->active = old->active;
    own->shared = true;
    v->parts = own;
    if (!own->items) return own->count == 0 || tw__csl_lasting_copy(s, &old->fill, &own->fill);
    for (size_t i = 0; i < own->count; i++)
        if (!tw__csl_lasting_copy(s, &old->items[i], &own->items[i])) return false;
    return true;
}

bool tw__csl_lasting_copy(sema *s, const value *v, value *out)
{
    *out = *v;
    if (in_itself(v)) return true;
    if (tw__csl_is_aggregate(v->type)) return copy_parts(s, out);
    if (v->type->kind != TW__CSL_TY_COMPTIME_STRING) return false;
    char *copy = tw__arena_alloc(s->lasting, v->string.length + 1, 1);
    if (!copy) return false;
    memcpy(copy, v->string.bytes, v->string.length);
    copy[v->string.length] = 0;
    out->string.bytes = copy;
    return true;
}
