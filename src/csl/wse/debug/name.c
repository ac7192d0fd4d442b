/* SPDX-License-Identifier: MIT */
/* name: what a name means in a frame of a PE. */
#include "csl/wse/debug/value.h"

#include <string.h>

static bool find_symbol(const tw__csl_program *p, const char *name, tw__wse_name *out)
{
    for (size_t k = 0; k < p->symbol_count; k++) {
        const tw__csl_symbol *s = &p->symbols[k];
        if (strcmp(s->name, name) != 0) continue;
        *out = (tw__wse_name){ .place = TW__WSE_IN_MEMORY, .type = s->type_text, .address = s->address, .bytes = s->bytes };
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

tw__wse_name tw__wse_find_name(const tw__wse *w, uint32_t pe, unsigned frame, const char *name)
{
    tw__wse_name out = { 0 };
    tw__wse_frame f = { 0 };
    if (!w->pe[pe].program) return out;
    const tw__csl_program *p = w->pe[pe].program->program;
    bool in_task = tw__wse_frame_at(w, pe, frame, &f);
    find_global(p, in_task ? f.function : NULL, name, &out);
    return out;
}

char *tw__wse_locals(const tw__wse *w, uint32_t pe, unsigned frame)
{
    (void)w, (void)pe, (void)frame;
    return g_strdup("");
}
