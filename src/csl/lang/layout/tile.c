/* SPDX-License-Identifier: MIT */
/* One tile program: its modules' comptime blocks run, then everything reachable is generated and memory filled. */
#include "csl/lang/dsd/dsd.h"
#include "csl/lang/layout/layout.h"

/* Modules that nothing names run their comptime blocks too: they are made when their importer is. */
static void import_all(sema *s, tw__csl_module *m)
{
    for (uint32_t i = 0; i < m->file->count && !tw__csl_stop(s); i++) {
        const node *n = m->file->kid[i];
        const node *init = n->kind == TW__CSL_VAR ? n->kid[TW__CSL_VAR_INIT] : NULL;
        if (!init || init->kind != TW__CSL_BUILTIN || strcmp(tw__csl_name_text(s, init->name), "import_module"))
            continue;
        const entry *e = tw__csl_member(m, n->name);
        if (e && e->global) tw__csl_global_operand(s, n, e->global);
    }
}

static void run_blocks(sema *s, tw__csl_module *m)
{
    for (uint32_t i = 0; i < m->file->count && !tw__csl_stop(s); i++) {
        const node *n = m->file->kid[i];
        if (n->kind != TW__CSL_COMPTIME) continue;
        saved old = tw__csl_enter_module(s, m, TW__CSL_PHASE_COMPTIME);
        s->trail = m->trail;
        frame f = { .result_type = &tw__csl_t_VOID };
        s->frame = &f;
        tw__csl_block(s, n->kid[0]);
        tw__csl_leave_module(s, old);
    }
}

/* Exported variables and functions exist even if nothing in the program names them. */
static void keep_exports(sema *s, tw__csl_module *m)
{
    for (uint32_t i = 0; i < m->file->count && !tw__csl_stop(s); i++) {
        const node *n = m->file->kid[i];
        if ((n->kind != TW__CSL_VAR && n->kind != TW__CSL_FN) || !(n->flags & TW__CSL_F_EXPORT)) continue;
        const entry *e = tw__csl_member(m, n->name);
        if (e && e->global)
            tw__csl_place_global(s, n, e->global);
        else if (e && e->function) {
            tw__csl_entry_operand(s, n, e);
            tw__csl_function_index(s, n, e->function);
        }
    }
}

static bool close_program(sema *s, tile_binding *b)
{
    tw__csl_program *p = tw__csl_sema_program(s);
    for (struct pending_export *e = s->pending_exports; e; e = e->next)
        p->exports[e->row].target = e->global->symbol;
    for (const tw__csl_global *g = s->placed; g; g = g->next_placed)
        if (g->node) p->symbols[g->symbol].addressed = g->addressed || g->is_export;
    uint64_t stack = 0;
    for (size_t i = 0; i < p->function_count; i++) stack += (p->functions[i].stack_bytes + 3u) & ~3u;
    p->stack_address = (s->memory_top + 3u) & ~3u;
    uint32_t data = s->memory_top + TW__CSL_PE_BYTES - s->memory_end;
    if (stack && p->stack_address + stack > s->memory_end) {
        tw__csl_error(s, NULL, "csl.memory",
                      "out of PE memory: %s needs %u bytes of data and %llu of local variables, of %u", p->name,
                      data, (unsigned long long)stack, TW__CSL_PE_BYTES);
        return false;
    }
    p->stack_bytes = b->stack_bytes = (uint32_t)stack;
    b->data_bytes = data;
    return !p->no_memory;
}

bool tw__csl_build_program(tw__csl_shared *shared, sema *layout, const char *top_file, tile_binding *b)
{
    sema s;
    unsigned errors = tw__csl_errors(shared->ctx);
    const char *file = b->file ? b->file : top_file;
    if (!tw__csl_init_world(&s, shared, layout->image, layout->types)) return false;
    s.layout = layout->layout;
    s.binding = b;
    if (!tw__csl_image_add_program(layout->image, file)) {
        tw__csl_out_of_memory(&s);
        tw__csl_free_world(&s);
        return false;
    }
    s.program = (int)layout->image->program_count - 1;
    b->image_program = (uint32_t)s.program;
    tw__csl_module *top = tw__csl_load_module(&s, b->at, file, NULL, b->params.type ? &b->params : NULL, "");
    if (top && !b->file) tw__csl_bind_top_params(&s, top);
    for (tw__csl_module *m = s.modules; m; m = m->next) {
        import_all(&s, m);
        run_blocks(&s, m);
        keep_exports(&s, m);
    }
    tw__csl_generate_waiting(&s);
    bool good =
        top && tw__csl_errors(shared->ctx) == errors && tw__csl_check_filter_ids(&s) && tw__csl_dsd_finish(&s);
    /* Values in memory may name functions, and functions place more memory. */
    while (good && !tw__csl_stop(&s) && (s.waiting || s.emitted != s.last_placed))
        good = tw__csl_generate_waiting(&s) && tw__csl_emit_memory(&s);
    good = good && !tw__csl_stop(&s) && tw__csl_errors(shared->ctx) == errors;
    if (good) tw__csl_note_constants(&s);
    good = good && close_program(&s, b);
    if (tw__csl_errors(shared->ctx) != errors && b->file)
        tw__csl_note(&s, b->at, "in the tile code that is placed here");
    if (tw__csl_watched(&s)) tw__csl_tell_rest(&s);
    tw__csl_free_world(&s);
    return good && tw__csl_errors(shared->ctx) == errors;
}
