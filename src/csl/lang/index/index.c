/* SPDX-License-Identifier: MIT */
/* tw_csl_index(): a compilation that is watched, and the index of what was seen. */
#include "csl/lang/index/index.h"
#include "csl/lang/program/program.h"

#include <stdlib.h>
#include <string.h>

typedef struct request {
    tw_csl_index_options how;
    tw__csl_facts facts;
    tw_index *index;
} request;

static char *index_open(void *user, const char *path, size_t *size)
{
    const request *r = user;
    return r->how.open ? r->how.open(r->how.user, path, size) : NULL;
}

static bool index_cancelled(void *user)
{
    const request *r = user;
    return r->how.cancelled && r->how.cancelled(r->how.user);
}

static void index_met(void *user, const tw__csl_node *at, const tw__csl_operand *o, const tw__csl_node *definition)
{
    request *r = user;
    tw__csl_facts_met(&r->facts, at, o, definition);
}

static void index_bound(void *user, const tw__csl_node *call, const tw__csl_node *param)
{
    request *r = user;
    g_array_append_val(r->facts.bindings, call->loc);
    g_array_append_val(r->facts.bindings, param->loc);
}

static void index_end(void *user, const tw__csl_ctx *ctx)
{
    request *r = user;
    tw__csl_index_trees(r->index, ctx, &r->facts);
}

static void index_print(void *user, const char *line)
{
    (void)user;
    (void)line;
}

tw_index *tw_csl_index(const char *file, const tw_csl_options *options, const tw_csl_index_options *how,
                       tw_diags *diags)
{
    tw_csl_options o;
    request r = { .index = NULL };
    if (!file) return tw__made(tw__missing("file"), NULL);
    tw_status status = TW__TAKE_OPTIONS(&o, options, tw_csl_options);
    if (status == TW_OK) status = TW__TAKE_OPTIONS(&r.how, how, tw_csl_index_options);
    if (status != TW_OK) return tw__made(status, NULL);
    tw_diags *own = diags ? NULL : tw_diags_new();
    r.index = tw__index_new();
    r.facts = (tw__csl_facts){ .arena = tw__arena_new(0),
                               .at = g_hash_table_new(NULL, NULL),
                               .bindings = g_array_new(FALSE, FALSE, sizeof(tw__csl_loc)) };
    tw__csl_binding *params = tw__csl_bindings(o.params, o.param_count),
                    *colors = tw__csl_bindings(o.colors, o.color_count);
    const tw__csl_watch watch = { .user = &r,
                                  .open = index_open,
                                  .cancelled = index_cancelled,
                                  .met = index_met,
                                  .bound = index_bound,
                                  .end = index_end,
                                  .first_only = r.how.first_only,
                                  .syntax_only = r.how.syntax_only };
    tw__csl_compile_options inner = tw__csl_inner_options(file, &o, params, colors);
    inner.watch = &watch;
    inner.print = index_print;
    bool good = r.index && r.facts.arena && params && colors && (diags || own);
    if (good) tw__csl_compile(&inner, diags ? diags : own);
    good = good && !tw__arena_failed(r.facts.arena);
    free(params);
    free(colors);
    tw_diags_free(own);
    g_hash_table_destroy(r.facts.at);
    g_array_free(r.facts.bindings, TRUE);
    tw__arena_free(r.facts.arena);
    if (good) return tw__index_done(r.index);
    tw_index_free(r.index);
    return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for an index of '%s'", file), NULL);
}
