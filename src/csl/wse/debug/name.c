/* SPDX-License-Identifier: MIT */
/* name: what a name means in a frame of a PE. */
#include "csl/wse/debug/value.h"

#include <string.h>

static bool find_symbol(const tw__csl_program *p, const char *name, tw__wse_name *out)
{
    for (size_t k = 0; k < p->symbol_count; k++) {
        const tw__csl_symbol *s = &p->symbols[k];
        if (strcmp(s->name, name) != 0) continue;
        *out = (tw__wse_name){
            .place = TW__WSE_IN_MEMORY, .type = s->type_text, .address = s->address, .bytes = s->bytes
        };
        return true;
    }
    return false;
}

/* Of a function "m.f" first m's: in its module a variable is called by its name alone. */
static bool find_global(const tw__csl_program *p, const char *function, const char *name, tw__wse_name *out)
{
    const char *dot = function ? strrchr(function, '.') : NULL;
    if (dot) {
        g_autofree char *full = g_strdup_printf("%.*s.%s", (int)(dot - function), function, name);
        if (find_symbol(p, full, out)) return true;
    }
    return find_symbol(p, name, out);
}

/* What a row says, in a frame: registers are looked up only where the PE has them. */
static tw__wse_name of_local(const tw__wse *w, uint32_t number, const tw__wse_frame *f, const tw__csl_local *l)
{
    const tw__pe *pe = &w->pe[number];
    tw__wse_name out = { .place = TW__WSE_GONE, .type = l->type_text };
    uint64_t reg = (uint64_t)f->base + l->place;
    bool in_file = reg + 1 < pe->reg_room;
    switch (l->kind) {
    case TW__CSL_LOCAL_REGISTER:
        if (!in_file) break;
        out.place = TW__WSE_IN_WORDS;
        out.reg = (uint32_t)reg + 1;
        out.words[0] = pe->regs[reg], out.words[1] = pe->regs[reg + 1];
        break;
    case TW__CSL_LOCAL_STACK:
        out.place = TW__WSE_IN_MEMORY;
        out.address = (f->stack + l->place) & 0xffff;
        break;
    case TW__CSL_LOCAL_POINTED:
        if (!in_file) break;
        out.place = TW__WSE_IN_MEMORY;
        out.address = (uint32_t)pe->regs[reg] & 0xffff;
        break;
    case TW__CSL_LOCAL_CONSTANT:
        out.place = TW__WSE_IN_WORDS;
        out.words[0] = l->words[0], out.words[1] = l->words[1];
        break;
    default: break;
    }
    return out;
}

static bool in_sight(const tw__csl_local *l, const tw__wse_frame *f)
{
    return l->end && f->at >= l->at && f->at < l->end && f->source.line && l->frame == f->source.frame;
}

/* The innermost of that name. */
static const tw__csl_local *find_local(const tw__csl_program *p, const tw__wse_frame *f, const char *name)
{
    for (size_t k = p->local_count; k-- > 0;)
        if (in_sight(&p->locals[k], f) && strcmp(p->locals[k].name, name) == 0) return &p->locals[k];
    return NULL;
}

static const tw__csl_local *find_constant(const tw__csl_program *p, const char *function, const char *name)
{
    const char *dot = function ? strrchr(function, '.') : NULL;
    const tw__csl_local *found = NULL;
    for (size_t k = 0; k < p->local_count; k++) {
        const tw__csl_local *l = &p->locals[k];
        if (l->end) continue;
        size_t prefix = dot ? (size_t)(dot - function) + 1 : 0;
        if (prefix && strncmp(l->name, function, prefix) == 0 && strcmp(l->name + prefix, name) == 0) return l;
        if (strcmp(l->name, name) == 0) found = l;
    }
    return found;
}

tw__wse_name tw__wse_find_name(const tw__wse *w, uint32_t pe, unsigned frame, const char *name)
{
    tw__wse_name out = { 0 };
    tw__wse_frame f = { 0 };
    if (!w->pe[pe].program) return out;
    const tw__csl_program *p = w->pe[pe].program->program;
    bool in_task = tw__wse_frame_at(w, pe, frame, &f);
    const tw__csl_local *l = in_task ? find_local(p, &f, name) : NULL;
    if (l) return of_local(w, pe, &f, l);
    if (find_global(p, in_task ? f.function : NULL, name, &out)) return out;
    l = find_constant(p, in_task ? f.function : NULL, name);
    return l ? of_local(w, pe, &f, l) : out;
}

char *tw__wse_locals(const tw__wse *w, uint32_t pe, unsigned frame)
{
    tw__wse_frame f;
    GString *out = g_string_new(NULL);
    if (!tw__wse_frame_at(w, pe, frame, &f)) return g_string_free(out, FALSE);
    const tw__csl_program *p = w->pe[pe].program->program;
    for (size_t k = 0; k < p->local_count; k++) {
        const tw__csl_local *l = &p->locals[k];
        if (!in_sight(l, &f) || find_local(p, &f, l->name) != l) continue;
        tw__wse_name n = of_local(w, pe, &f, l);
        g_string_append_printf(out, "%s = ", l->name);
        tw__wse_put_name(out, w, pe, &n, 0);
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}
