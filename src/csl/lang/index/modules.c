/* SPDX-License-Identifier: MIT */
/* From file to file: what @import_module and @set_tile_code name, and the params that they give. */
#include "csl/lang/index/walk.h"

#include <string.h>

uint32_t tw__csl_walk_find(const walk *w, tw__csl_loc loc)
{
    gpointer found = loc ? g_hash_table_lookup(w->definitions, GUINT_TO_POINTER(loc)) : NULL;
    return GPOINTER_TO_UINT(found) - 1; /* 0 - 1 is TW_INDEX_NONE */
}

static char *canonical_path(const char *path)
{
    return path[0] == '<' ? g_strdup(path) : g_canonicalize_filename(path, NULL);
}

void tw__csl_walk_add_path(walk *w, const char *path, uint32_t number)
{
    g_hash_table_insert(w->by_path, canonical_path(path), GUINT_TO_POINTER(number + 1));
}

const indexed_file *tw__csl_walk_file(const walk *w, const char *path)
{
    g_autofree char *name = canonical_path(path);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(w->by_path, name));
    return number ? &g_array_index(w->files, indexed_file, number - 1) : NULL;
}

/* "math", beside the file that names it, with or without .csl; "<math>"; libraries name one another without. */
const indexed_file *tw__csl_walk_named_file(const walk *w, const node *call)
{
    bool import = !strcmp(tw__csl_text(w->ctx, call->name), "import_module");
    const node *name = call->count > (import ? 0 : 2) ? call->kid[import ? 0 : 2] : NULL;
    if (!name || name->kind != TW__CSL_STRING) return NULL;
    if (name->text[0] == '<') return tw__csl_walk_file(w, name->text);
    const char *here = w->file->source.path;
    g_autofree char *folder = g_path_get_dirname(here + (here[0] == '<'));
    bool named = g_str_has_suffix(name->text, ".csl");
    g_autofree char *whole = named ? g_strdup(name->text) : g_strconcat(name->text, ".csl", NULL);
    if (here[0] != '<') {
        g_autofree char *path = g_path_is_absolute(whole) ? g_strdup(whole) : g_build_filename(folder, whole, NULL);
        return tw__csl_walk_file(w, path);
    }
    whole[strlen(whole) - 4] = 0;
    g_autofree char *path =
        strcmp(folder, ".") ? g_strdup_printf("<%s/%s>", folder, whole) : g_strdup_printf("<%s>", whole);
    return tw__csl_walk_file(w, path);
}

void tw__csl_walk_given(walk *w, const node *given, const indexed_file *target)
{
    if (given->kind == TW__CSL_BUILTIN && !strcmp(tw__csl_text(w->ctx, given->name), "concat_structs"))
        for (uint32_t i = 0; i < given->count; i++) tw__csl_walk_given(w, given->kid[i], target);
    if (given->kind != TW__CSL_INIT || !(given->flags & TW__CSL_F_NAMED)) return;
    for (uint32_t i = 1; i < given->count; i++) {
        const node *field = given->kid[i];
        guint symbol = GPOINTER_TO_UINT(g_hash_table_lookup(target->names, GUINT_TO_POINTER(field->name)));
        const tw_index_symbol *row = symbol ? tw_index_symbol_get(w->index, symbol - 1) : NULL;
        if (!row || row->kind != TW_INDEX_PARAM) continue;
        tw__index_add_use(w->index, &(tw_index_use){ .file = w->file->number,
                                                     .at = field->loc - w->file->source.base,
                                                     .length = field->length,
                                                     .symbol = symbol - 1 });
    }
}
