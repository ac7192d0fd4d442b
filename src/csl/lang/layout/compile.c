/* SPDX-License-Identifier: MIT */
/* The driver: the layout runs, then each distinct tile program is compiled. */
#include "csl/lang/code/room.h"
#include "csl/lang/code/share.h"
#include "csl/lang/dsd/dsd.h"
#include "csl/lang/layout/layout.h"
#include "csl/lang/opt/opt.h"

#include <stdlib.h>
#include <tilewright/progress.h>

#define DEFAULT_STEPS   UINT64_C(200000000)
#define DEFAULT_SECONDS 600.0

const tw__csl_builtin_table *const tw__csl_builtins[] = {
    &tw__csl_lang_builtins,
    &tw__csl_data_builtins,
    &tw__csl_layout_builtins,
    &tw__csl_symbol_builtins,
    &tw__csl_config_builtins,
    &tw__csl_dsd_builtins,
    NULL,
};

static const node *layout_block(sema *s, const node *file)
{
    const node *block = NULL;
    for (uint32_t i = 0; i < file->count; i++) {
        if (file->kid[i]->kind != TW__CSL_LAYOUT) continue;
        if (block) {
            tw__csl_error(s, file->kid[i], "csl.redefinition", "a program has one layout block");
            tw__csl_note(s, block, "the other one is here");
        } else {
            block = file->kid[i];
        }
    }
    return block;
}

static bool run_layout(sema *s, tw__csl_module *top, const node *block)
{
    unsigned errors = tw__csl_errors(s->ctx);
    saved old = tw__csl_enter_module(s, top, TW__CSL_PHASE_LAYOUT);
    frame f = { .result_type = &tw__csl_t_VOID };
    s->frame = &f;
    tw__csl_block(s, block->kid[0]);
    tw__csl_leave_module(s, old);
    if (tw__csl_errors(s->ctx) != errors || tw__csl_stop(s)) return false;
    const tw__csl_layout *l = s->layout;
    if (!l->has_rectangle) {
        tw__csl_error(s, block, "csl.layout", "the layout sets no rectangle");
        return false;
    }
    for (uint32_t pe = 0; pe < l->width * l->height; pe++)
        if (!l->tiles[pe].at) {
            tw__csl_error(s, block, "csl.layout", "PE (%u, %u) of the rectangle has no tile code", pe % l->width,
                          pe / l->width);
            return false;
        }
    return true;
}

/* A file without a layout is the program of one PE. */
static bool single_pe(sema *s, const node *file)
{
    value none = { 0 };
    if (!tw__csl_set_rectangle(s, file, 1, 1) || tw__csl_layout_binding(s, file, NULL, &none) < 0) return false;
    s->layout->tiles[0].at = file;
    return true;
}

/* Code lies in the PE's memory, too. Ours does not; what the vendor's would take is estimated from ours. What does
 * not fit with the own code of the program is refused, as by a linker; where it takes our libraries, or code that is
 * not optimised, to fill the memory, that is a warning. */
static void check_room(sema *s, const tile_binding *b)
{
    const tw__csl_program *p = &s->image->programs[b->image_program];
    uint32_t *bytes = tw__calloc(p->function_count + 1, sizeof *bytes);
    tw__csl_pe_room room;
    if (!bytes || !tw__csl_pe_room_of(s->image, p, bytes, &room)) {
        tw__csl_out_of_memory(s);
        free(bytes);
        return;
    }
    room.data = b->data_bytes; /* with what lies between arrays */
    uint32_t all = tw__csl_pe_room_sum(&room);
    bool refused = s->shared->options->optimize && all - room.imported > TW__CSL_PE_BYTES;
    char *largest = all > TW__CSL_PE_BYTES ? tw__csl_pe_room_largest(p, bytes, &room, 6) : NULL;
    if (refused)
        tw__csl_error(
            s, b->at, "csl.memory",
            "out of PE memory: %s needs %u bytes of data, %u of local variables, about %u of code and %u of "
            "<memcpy> (code is estimated), of %u in all",
            p->name, room.data, room.stack, room.code, room.link, TW__CSL_PE_BYTES);
    else if (largest)
        tw__csl_warn(s, NULL, "csl.memory",
                     "%s may not fit on hardware: %u bytes of data, %u of local variables and about %u of code "
                     "(estimated; %u of libraries at most), of %u in all",
                     p->name, room.data, room.stack, room.code + room.link + room.imported, room.imported,
                     TW__CSL_PE_BYTES);
    if (largest) tw__csl_note(s, b->at, "the largest: %s", largest);
    g_free(largest);
    free(bytes);
}

/* Each program once, for the first of those that share it. */
static void check_all_rooms(sema *s)
{
    const tw__csl_layout *l = s->layout;
    uint8_t *seen = tw__calloc(s->image->program_count + 1, 1);
    if (!seen) tw__csl_out_of_memory(s);
    for (size_t i = 0; seen && i < l->binding_count && !tw__csl_stop(s); i++) {
        if (!seen[l->bindings[i].image_program]) check_room(s, &l->bindings[i]);
        seen[l->bindings[i].image_program] = 1;
    }
    free(seen);
}

static bool build_all(sema *s, tw__csl_sharing *sharing, const char *top_file, GHashTable *files_seen)
{
    tw__csl_layout *l = s->layout;
    tw__csl_image *image = s->image;
    const tw__csl_watch *watch = s->shared->options->watch;
    bool first_only = watch && watch->first_only, good = true;
    for (size_t i = 0; i < l->binding_count && !tw__csl_stop(s); i++) {
        tile_binding *b = &l->bindings[i];
        tw_progress_tell("compiles", "tile programs", i, l->binding_count);
        if (first_only && !g_hash_table_add(files_seen, (gpointer)(b->file ? b->file : top_file))) continue;
        tw__arena_mark mark = tw__arena_save(image->arena);
        size_t files = image->file_count;
        good = tw__csl_build_program(s->shared, s, top_file, b) && good;
        if (good && !tw__csl_share_last(sharing, mark, files, &b->image_program, &b->member)) {
            tw__csl_out_of_memory(s);
            return false;
        }
    }
    if (!good || tw__csl_stop(s) || first_only || !tw__csl_share_finish(sharing)) return false;
    for (uint32_t pe = 0; pe < l->width * l->height; pe++) {
        const tile_binding *b = &l->bindings[l->tiles[pe].program];
        tw__csl_pe *row = TW__CSL_PUSH(image, pes, pe);
        if (!row) return false;
        row->program = b->image_program;
        row->pool = tw__csl_share_pool(sharing, b->member);
    }
    if (s->shared->options->optimize && !tw__csl_optimize(image)) {
        tw__csl_out_of_memory(s);
        return false;
    }
    unsigned errors = tw__csl_errors(s->ctx);
    check_all_rooms(s);
    return tw__csl_errors(s->ctx) == errors && tw__csl_merge_routes(s) && !image->no_memory;
}

static bool layout_compile(sema *s, tw__csl_shared *shared)
{
    const tw__csl_compile_options *o = shared->options;
    tw__csl_image *image = s->image;
    image->wse3 = o->wse3;
    image->memcpy = o->memcpy;
    image->channels = o->channels ? o->channels : 1;
    if (image->channels > 16) {
        tw__csl_error(s, NULL, "csl.option", "the host's link has 1 to 16 channels, not %u", image->channels);
        return false;
    }
    s->is_layout = true;
    tw__csl_module *top = tw__csl_load_module(s, NULL, o->file, NULL, NULL, "");
    if (!top || (o->watch && o->watch->syntax_only)) return false;
    tw__csl_bind_top_params(s, top);
    const node *block = layout_block(s, top->file);
    s->layout->has_block = block != NULL;
    if (block ? !run_layout(s, top, block) : !single_pe(s, top->file)) return false;
    if (!tw__csl_place_rectangle(s)) return false;
    tw__csl_sharing *sharing = tw__csl_sharing_new(image);
    GHashTable *files = g_hash_table_new(g_str_hash, g_str_equal);
    bool good = sharing && build_all(s, sharing, o->file, files);
    g_hash_table_destroy(files);
    tw__csl_sharing_free(sharing);
    tw_progress_end();
    return good;
}

static void free_names(gpointer names)
{
    g_hash_table_destroy(names);
}

tw__csl_image *tw__csl_compile(const tw__csl_compile_options *options, tw_diags *diags)
{
    tw__csl_shared shared = { .options = options,
                              .builtins = tw__csl_builtins,
                              .ctx = tw__csl_ctx_new(diags),
                              .stack_base = __builtin_frame_address(0),
                              .steps_left =
                                  options->max_comptime_steps ? options->max_comptime_steps : DEFAULT_STEPS,
                              .seconds = options->max_seconds > 0 ? options->max_seconds : DEFAULT_SECONDS };
    shared.deadline = tw__seconds() + shared.seconds;
    tw__csl_image *image = tw__csl_image_new();
    tw__csl_layout layout = { 0 };
    bool good = false;
    if (shared.ctx && image) {
        shared.files = g_hash_table_new(g_str_hash, g_str_equal);
        shared.builtin_rows = g_hash_table_new(NULL, NULL);
        shared.addressed = g_hash_table_new_full(NULL, NULL, NULL, free_names);
        sema s;
        if (options->watch) tw__csl_keep_trees(shared.ctx);
        if (tw__csl_init_world(&s, &shared, image, NULL)) {
            s.layout = &layout;
            good = layout_compile(&s, &shared);
            if (options->watch && !options->watch->syntax_only) tw__csl_tell_rest(&s);
            tw__csl_free_world(&s);
            bool lost = image->no_memory || tw__arena_failed(image->arena);
            if (lost || tw__arena_failed(tw__csl_arena(shared.ctx))) tw__csl_no_memory(shared.ctx);
            good &= !tw__csl_errors(shared.ctx) && !tw__csl_stopped(shared.ctx);
        }
        g_hash_table_destroy(shared.files);
        g_hash_table_destroy(shared.addressed);
        g_hash_table_destroy(shared.builtin_rows);
    }
    tw__csl_layout_free(&layout);
    if (options->watch && shared.ctx) options->watch->end(options->watch->user, shared.ctx);
    tw__csl_ctx_free(shared.ctx);
    if (!good || options->watch) {
        tw__csl_image_free(image);
        return NULL;
    }
    return image;
}
