/* SPDX-License-Identifier: MIT */
/* Errors and warnings, and how what they are about was reached: a mistake in a call of a library shows where the
 * program calls it, and an error in code that depends on its callers names these. */
#include "csl/lang/sema/local.h"

enum { TOLD_CALLS = 4 }; /* of a chain of calls, from the inside */

const site *tw__csl_lasting_trail(sema *s, const node *at, const tw__csl_function *f, bool told)
{
    site *first = NULL, **end = &first, *made;
    const site one = { .outer = s->trail, .at = at, .function = f, .told = told }, *from;
    for (from = &one; from && !from->lasting; from = from->outer) {
        if (!(made = TW__NEW(s->lasting, site))) return NULL;
        *made = *from;
        made->lasting = true;
        *end = made;
        end = (site **)&made->outer;
    }
    return first;
}

static bool in_library(const sema *s, const node *at)
{
    return at && tw__csl_where(s->ctx, at->loc).file[0] == '<';
}

/* The innermost site outside of the libraries when `at` lies in one, NULL when there is none. */
static const site *users_site(const sema *s, const node *at)
{
    const site *t = in_library(s, at) ? s->trail : NULL;
    while (t && in_library(s, t->at)) t = t->outer;
    return t;
}

static void trail_report(sema *s, const node *at, tw_severity severity, const char *code, const char *format,
                         va_list args)
{
    const site *user = users_site(s, at);
    const node *shown = user ? user->at : at;
    tw__csl_vreport(s->ctx, severity, shown ? shown->loc : 0, shown ? shown->length : 1, code, format, args);
    if (user) tw__csl_note(s, at, user->function ? "found here, by the library" : "found here, in the library");
    unsigned left = severity == TW_ERROR && !tw__csl_stop(s) ? TOLD_CALLS : 0;
    for (const site *t = user ? user->outer : s->trail; t && left; t = t->outer) {
        if (!t->told || in_library(s, t->at)) continue;
        tw__csl_note(s, t->at, "in this call of '%s'", t->function->name);
        left--;
    }
}

operand tw__csl_error(sema *s, const node *at, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    trail_report(s, at, TW_ERROR, code, format, args);
    va_end(args);
    return tw__csl_nothing();
}

void tw__csl_warn(sema *s, const node *at, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    trail_report(s, at, TW_WARNING, code, format, args);
    va_end(args);
}
