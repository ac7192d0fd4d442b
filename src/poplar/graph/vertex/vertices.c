/* SPDX-License-Identifier: MIT */
/* Codelets, compute sets, vertices. */
#include "poplar/graph/replicas.h"
#include "core/base/text_file.h"

#include <stdlib.h>
#include <string.h>

/* --- codelets ------------------------------------------------------------------------------------------------- */

/* With the diagnostics of the user's file, as a compiler prints them. */
static void add_failed(tw_graph *graph, tw_status status, const tw_diags *diags)
{
    tw__text_file file = { 0 };
    size_t bytes = 0;
    if (diags && tw_diags_count(diags, TW_ERROR) && tw__text_open(&file)) tw_diags_print(diags, file.out, false);
    char *text = tw__text_close(&file, &bytes);
    if (bytes && text[bytes - 1] == '\n') text[bytes - 1] = 0;
    if (text)
        tw__graph_fail(graph->core, status, "%s\n%s", tw_status_text(status), text);
    else
        tw__graph_fail(graph->core, status, "%s", tw_error_message());
    free(text);
}

/* A relative name is looked up in the working directory, then beside the source that makes the call: a program finds
 * its codelets wherever it is started. Newly allocated. */
static char *vertices_locate(const char *file)
{
    const char *site = tw__call_site_file();
    if (site && !g_path_is_absolute(file) && !g_file_test(file, G_FILE_TEST_EXISTS)) {
        char *folder = g_path_get_dirname(site), *beside = g_build_filename(folder, file, NULL);
        g_free(folder);
        if (g_file_test(beside, G_FILE_TEST_EXISTS)) return beside;
        g_free(beside);
    }
    return g_strdup(file);
}

void tw_graph_add_codelets(tw_graph *graph, const char *file, const char *flags)
{
    TW__ENTER(graph, );
    if (!file) {
        tw__graph_fail(graph->core, TW_E_FILE_LOAD, "the name of the codelet file is NULL");
        return;
    }
    tw_diags *diags = tw_diags_new();
    char *path = vertices_locate(file);
    tw_status status = tw__codelets_add_file(graph->core->codelets, path, TW__CODELET_AUTO, flags, diags);
    g_free(path);
    if (status != TW_OK) add_failed(graph, status, diags);
    tw_diags_free(diags);
}

void tw_graph_add_codelets_source(tw_graph *graph, const char *text, const char *language, const char *name,
                                  const char *flags)
{
    TW__ENTER(graph, );
    bool c = language && !g_ascii_strcasecmp(language, "c");
    if (!text || (!c && (!language || g_ascii_strcasecmp(language, "c++")))) {
        tw__graph_fail(graph->core, TW_E_INVALID_ARGUMENT, "codelets from text: %s",
                       text ? "the language must be \"c\" or \"c++\"" : "the text is NULL");
        return;
    }
    tw_diags *diags = tw_diags_new();
    tw_status status = tw__codelets_add_source(graph->core->codelets, text, c ? TW__CODELET_C : TW__CODELET_CPP,
                                               name ? name : "<string>", flags, diags);
    if (status != TW_OK) add_failed(graph, status, diags);
    tw_diags_free(diags);
}

bool tw_graph_has_codelet(const tw_graph *graph, const char *vertex_type)
{
    TW__ENTER_GETTER(graph, false);
    return graph->core->codelets && vertex_type && tw__codelets_has(graph->core->codelets, vertex_type);
}

int64_t tw__type_entry(tw__core *core, const char *name)
{
    if (!name) name = "";
    gpointer known = g_hash_table_lookup(core->type_index, name);
    if (known) return (int64_t)GPOINTER_TO_SIZE(known) - 1;
    const tw__vertex_type *info = tw__codelets_find(core->codelets, name);
    if (!info && tw__codelets_has(core->codelets, name)) {
        tw__graph_fail(core, TW_E_OBJECT_LOAD, "vertex type '%s': %s", name, tw_error_message());
        return -1;
    }
    if (!info) {
        char hint[TW__HINT_BYTES];
        const char *near = tw__codelets_suggest(core->codelets, name);
        tw__graph_fail(core, TW_E_UNKNOWN_VERTEX_TYPE, "unknown vertex type '%s'%s%s", name,
                       tw__did_you_mean(hint, near),
                       tw__codelets_count(core->codelets) ? "" : ": no codelets have been added to this graph");
        return -1;
    }
    size_t index = core->type_count;
    for (size_t i = 0; i < core->type_count; i++) /* another spelling of the same type */
        if (core->types[i].info == info) index = i;
    if (index == core->type_count) {
        if (!tw__grow(&core->types, &core->type_room, core->type_count, sizeof *core->types)) {
            tw__graph_no_memory(core);
            return -1;
        }
        core->types[core->type_count++] = (tw__vertex_type_entry){ .info = info };
    }
    char *key = tw__arena_strdup(core->arena, name);
    if (key) g_hash_table_insert(core->type_index, key, GSIZE_TO_POINTER(index + 1));
    return (int64_t)index;
}

/* --- compute sets and vertices -------------------------------------------------------------------------------- */

tw_compute_set tw_graph_add_compute_set(tw_graph *graph, const char *name)
{
    tw_compute_set nil = { 0 };
    TW__ENTER(graph, nil);
    tw__core *core = graph->core;
    const char *copy = tw__arena_strdup(core->arena, name ? name : "");
    if (!copy || core->compute_set_count >= UINT32_MAX ||
        !tw__grow(&core->compute_sets, &core->compute_set_room, core->compute_set_count,
                  sizeof *core->compute_sets)) {
        tw__graph_no_memory(core);
        return nil;
    }
    core->compute_sets[core->compute_set_count] = (tw__compute_set){ .name = copy };
    return (tw_compute_set){ (uint32_t)core->compute_set_count++ };
}

bool tw_compute_set_valid(const tw_graph *graph, tw_compute_set cs)
{
    TW__ENTER_GETTER(graph, false);
    return cs.id && cs.id < graph->core->compute_set_count;
}

tw__vertex *tw__vertex_get(tw__core *core, tw_vertex vertex)
{
    if (vertex.id && vertex.id < core->vertex_count) return &core->vertices[vertex.id];
    if (vertex.id)
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "vertex %u is not a vertex of this graph", vertex.id);
    else
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the vertex is nil");
    return NULL;
}

const tw__vertex_type *tw__vertex_info(const tw__core *core, const tw__vertex *vertex)
{
    return core->types[vertex->type].info;
}

char *tw__vertex_text(const tw__core *core, uint32_t vertex, char *buf, size_t size)
{
    const tw__vertex *v = &core->vertices[vertex];
    if (v->tile == TW_UNMAPPED)
        snprintf(buf, size, "vertex %u of type %.180s", vertex, tw__vertex_info(core, v)->name);
    else
        snprintf(buf, size, "vertex %u of type %.180s on tile %u", vertex, tw__vertex_info(core, v)->name, v->tile);
    return buf;
}

/* One vertex for each replica; the first stands for all. */
static tw_vertex add_replicas(tw_graph *graph, tw_compute_set cs, const char *vertex_type, unsigned tile)
{
    tw_vertex first = { 0 }, last = first;
    tw__core *core = graph->core;
    for (unsigned i = 0; tw__replica_next(graph, i); i++) {
        last = tw_graph_add_vertex(graph->replica[i], cs, vertex_type, tile);
        if (i == 0) first = last;
    }
    if (last.id &&
        tw__grow(&core->replicated, &core->replicated_room, core->replicated_count, sizeof *core->replicated))
        core->replicated[core->replicated_count++] = (struct tw__replicated){ first.id, graph->replicas };
    else
        tw__graph_no_memory(core); /* keeps an earlier error */
    return tw__graph_usable(graph) ? first : (tw_vertex){ 0 };
}

tw_vertex tw_graph_add_vertex(tw_graph *graph, tw_compute_set cs, const char *vertex_type, unsigned tile)
{
    tw_vertex nil = { 0 };
    TW__ENTER(graph, nil);
    tw__core *core = graph->core;
    if (graph->replicas) return add_replicas(graph, cs, vertex_type, tile);
    uint32_t top = TW_UNMAPPED;
    if (!cs.id || cs.id >= core->compute_set_count) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                       cs.id ? "compute set %u is not one of this graph" : "the compute set is nil", cs.id);
        return nil;
    }
    if (tile >= graph->target->tiles && tile != TW_UNMAPPED) {
        char text[TW__TEXT_BYTES];
        snprintf(text, sizeof text, "a vertex of type %.180s", vertex_type ? vertex_type : "");
        tw__tile_to_top(graph, tile, text, &top);
        return nil;
    }
    if (tile != TW_UNMAPPED) top = graph->to_top ? graph->to_top[tile] : tile;
    int64_t type = tw__type_entry(core, vertex_type);
    if (type < 0) return nil;
    if (core->vertex_count >= UINT32_MAX ||
        !tw__grow(&core->vertices, &core->vertex_room, core->vertex_count, sizeof *core->vertices)) {
        tw__graph_no_memory(core);
        return nil;
    }
    core->vertices[core->vertex_count] = (tw__vertex){ .type = (uint32_t)type, .cs = cs.id, .tile = top };
    core->types[type].vertices++;
    core->compute_sets[cs.id].vertices++;
    return (tw_vertex){ (uint32_t)core->vertex_count++ };
}

void tw_graph_map_vertex(tw_graph *graph, tw_vertex vertex, unsigned tile)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(graph, i, one, tw_graph_map_vertex(one, tw__replica_vertex(graph, vertex, i), tile));
    tw__vertex *v = tw__vertex_get(graph->core, vertex);
    char text[TW__TEXT_BYTES];
    if (!v) return;
    if (tile >= graph->target->tiles) tw__vertex_text(graph->core, vertex.id, text, sizeof text);
    tw__tile_to_top(graph, tile, text, &v->tile);
}

/* --- vertices by compute set ---------------------------------------------------------------------------------- */

struct tw__vertex_lists {
    size_t vertex_count; /* when this was built */
    uint32_t *start;     /* [compute sets + 1] */
    uint32_t *order;     /* vertices */
};

void tw__vertex_lists_drop(tw__core *core)
{
    if (!core->vertex_lists) return;
    free(core->vertex_lists->start);
    free(core->vertex_lists->order);
    free(core->vertex_lists);
    core->vertex_lists = NULL;
}

const uint32_t *tw__compute_set_vertices(tw__core *core, uint32_t cs, size_t *count)
{
    struct tw__vertex_lists *l = core->vertex_lists;
    *count = 0;
    if (!cs || cs >= core->compute_set_count || !core->compute_sets[cs].vertices) return NULL;
    if (!l || l->vertex_count != core->vertex_count) {
        tw__vertex_lists_drop(core);
        l = tw__realloc(NULL, sizeof *l);
        if (!l) return NULL;
        *l = (struct tw__vertex_lists){ .vertex_count = core->vertex_count };
        l->start = tw__realloc(NULL, (core->compute_set_count + 1) * sizeof *l->start);
        l->order = tw__realloc(NULL, core->vertex_count * sizeof *l->order);
        core->vertex_lists = l;
        if (!l->start || !l->order) {
            tw__vertex_lists_drop(core);
            return NULL;
        }
        /* Counting sort: start[c] first counts on to the end of set c, then is set back. */
        uint32_t at = 0;
        for (size_t c = 0; c < core->compute_set_count; c++) {
            l->start[c] = at;
            at += (uint32_t)core->compute_sets[c].vertices;
        }
        for (size_t v = 1; v < core->vertex_count; v++) l->order[l->start[core->vertices[v].cs]++] = (uint32_t)v;
        for (size_t c = 0; c < core->compute_set_count; c++)
            l->start[c] -= (uint32_t)core->compute_sets[c].vertices;
    }
    *count = core->compute_sets[cs].vertices;
    return l->order + l->start[cs];
}
