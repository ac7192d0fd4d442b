/* SPDX-License-Identifier: MIT */
/* names: what a debugger is told of names that have no memory of their own - local variables and constants. Nothing
 * here changes the code, or places anything. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

#include <string.h>

/* While code is made a DSD's memory may have no address yet: the row holds value and type until the end. */
enum { PENDING = TW__CSL_LOCAL_KINDS };

static bool is_plain(const type *t)
{
    switch ((int)t->kind) {
    case TW__CSL_TY_BOOL:
    case TW__CSL_TY_COMPTIME_INT:
    case TW__CSL_TY_COLOR:
    case TW__CSL_TY_DATA_TASK_ID:
    case TW__CSL_TY_LOCAL_TASK_ID:
    case TW__CSL_TY_CONTROL_TASK_ID:
    case TW__CSL_TY_INPUT_QUEUE:
    case TW__CSL_TY_OUTPUT_QUEUE:
    case TW__CSL_TY_UT_ID:
    case TW__CSL_TY_INT: return true;
    default: return false;
    }
}

/* The bits of a constant; false: it has none that a debugger could show. */
static bool constant_words(const value *v, uint64_t words[2])
{
    uint32_t bits = 0;
    if (is_plain(v->type)) {
        words[0] = (uint64_t)v->i;
    } else if (v->type->kind == TW__CSL_TY_FLOAT) {
        tw_convert(v->type->machine, &bits, TW_F64, &v->f, (tw_convert_mode){ 0 }, 0);
        words[0] = bits;
    } else if (tw__csl_is_dsd(v->type) && v->dsd) {
        words[0] = (uintptr_t)v->dsd, words[1] = (uintptr_t)v->type;
    } else {
        return false;
    }
    return true;
}

static uint32_t constant_kind(const type *t)
{
    return tw__csl_is_dsd(t) ? (uint32_t)PENDING : (uint32_t)TW__CSL_LOCAL_CONSTANT;
}

void tw__csl_note_name(sema *s, tw__csl_name name, const operand *o)
{
    tw__csl_emitter *e = &s->gen->e;
    tw__csl_local l = { .kind = TW__CSL_LOCAL_REGISTER, .place = o->reg, .since = s->gen->since };
    if (o->kind == TW__CSL_O_VALUE) {
        if (!constant_words(&o->value, l.words)) return;
        l.kind = constant_kind(o->type), l.place = 0;
    } else if (o->kind == TW__CSL_O_PLACE) {
        if (!o->has_reg || o->place.global || o->place.offset || o->unit) return;
        l.kind = TW__CSL_LOCAL_POINTED;
        for (size_t k = e->code_count; k-- > l.since;) { /* of its own area in the stack? */
            if (e->code[k].op != TW__CSL_I_LEA || e->code[k].a != o->reg) continue;
            l.kind = TW__CSL_LOCAL_STACK, l.place = tw__csl_wide(e->code[k]);
            break;
        }
    } else if (o->kind != TW__CSL_O_REGISTER) {
        return;
    }
    l.name = tw__csl_image_string(s->image, tw__csl_name_text(s, name));
    l.type_text = tw__csl_image_string(s->image, TYPE_TEXT(o->type));
    tw__csl_emit_local(e, l);
}

/* A DSD in its form at run time, as far as its memory has got an address. */
static bool names_settle(sema *s, tw__csl_local *l)
{
    const type *t = (const type *)(uintptr_t)l->words[1];
    value v = { .type = t, .dsd = (tw__csl_dsd_value *)(uintptr_t)l->words[0] };
    const tw__csl_pointer *base = &v.dsd->base;
    tw__csl_program *p = tw__csl_sema_program(s);
    size_t shapes = p->shape_count;
    tw__csl_dsd packed;
    bool memory =
        t->kind == TW__CSL_TY_MEM1D_DSD || t->kind == TW__CSL_TY_MEM4D_DSD || t->kind == TW__CSL_TY_CIRCBUF_DSD;
    l->words[0] = l->words[1] = 0, l->kind = TW__CSL_LOCAL_GONE;
    if (memory && (base->cell || (base->global && !base->global->placed))) return false;
    int64_t at = memory ? base->offset + (base->global ? (int64_t)base->global->address : 0) : 0;
    if (at < 0 || at > UINT16_MAX || !tw__csl_pack_dsd(s, NULL, &v, &packed)) return false;
    p = tw__csl_sema_program(s);
    if (p->shape_count != shapes) { /* no operation uses it: the program has no such row */
        p->shape_count = shapes;
        return false;
    }
    memcpy(l->words, &packed, sizeof packed);
    l->kind = TW__CSL_LOCAL_CONSTANT;
    return true;
}

static void note_constant(sema *s, const tw__csl_global *g)
{
    tw__csl_local l = { 0 };
    if (g->is_var || g->state != TW__CSL_DONE || g->value.kind != TW__CSL_O_VALUE || !g->type) return;
    if (!constant_words(&g->value.value, l.words)) return;
    l.kind = constant_kind(g->value.value.type);
    if (l.kind == PENDING && !names_settle(s, &l)) return;
    l.name = tw__csl_image_string(s->image, g->name);
    l.type_text = tw__csl_image_string(s->image, TYPE_TEXT(g->value.value.type));
    tw__csl_local *row = TW__CSL_PUSH(tw__csl_sema_program(s), locals, local);
    if (row) *row = l;
}

void tw__csl_note_constants(sema *s)
{
    tw__csl_program *p = tw__csl_sema_program(s);
    for (size_t k = 0; k < p->local_count; k++)
        if (p->locals[k].kind == PENDING) names_settle(s, &p->locals[k]);
    for (const tw__csl_module *m = s->modules; m; m = m->next)
        for (uint32_t k = 0; m->file && k < m->file->count; k++) {
            const node *n = m->file->kid[k];
            const entry *e = n && n->kind == TW__CSL_VAR ? tw__csl_member(m, n->name) : NULL;
            if (e && e->global) note_constant(s, e->global);
        }
}
