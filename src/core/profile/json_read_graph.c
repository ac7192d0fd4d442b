/* SPDX-License-Identifier: MIT */
/* Reading the graph file: counts, compute sets, exchanges, program tree, memory and liveness (Poplar API, graph
 * profile). */
#include "core/profile/json.h"

#include <stdlib.h>

static void read_counts(tw__reader *r, json_t *root)
{
    json_t *graph = tw__object(r, root, "graph");
    size_t mark = tw__reader_enter(r, "graph");
    tw__profile_set_counts(r->p, tw__count(r, graph, "numVertices", 0), tw__count(r, graph, "numEdges", 0),
                           tw__count(r, graph, "numVars", 0), tw__count(r, graph, "numComputeSets", 0));
    tw__reader_leave(r, mark);
}

static void read_optimizations(tw__reader *r, json_t *root)
{
    json_t *info = tw__object(r, root, "optimizationInfo"), *value;
    const char *key;
    size_t mark = tw__reader_enter(r, "optimizationInfo");
    json_object_foreach(info, key, value)
    {
        size_t at = tw__reader_enter(r, key);
        if (json_is_number(value))
            tw__profile_add_optimization(r->p, key, json_number_value(value));
        else
            tw__bad(r, "a number expected");
        tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

/* Element `id` of an array of arrays; NULL when it is not there, or after an error. */
static json_t *array_at(tw__reader *r, json_t *arrays, const char *key, uint32_t id)
{
    json_t *array = json_array_get(arrays, id);
    if (!array || json_is_array(array)) return array;
    size_t mark = tw__reader_enter(r, key);
    tw__reader_enter_index(r, id);
    tw__bad(r, "an array expected");
    tw__reader_leave(r, mark);
    return NULL;
}

static uint64_t number_of_set(tw__reader *r, json_t *numbers, const char *key, uint32_t id, size_t i)
{
    size_t mark = tw__reader_enter(r, key);
    tw__reader_enter_index(r, id);
    uint64_t number = tw__value_at(r, numbers, NULL, i);
    tw__reader_leave(r, mark);
    return number;
}

static void read_compute_set(tw__reader *r, uint32_t id, json_t *all_counts, json_t *all_types)
{
    json_t *counts = array_at(r, all_counts, "vertexCounts", id),
           *types = array_at(r, all_types, "vertexTypes", id);
    if (!counts || !types) return;
    if (json_array_size(counts) != json_array_size(types)) {
        tw__bad(r, "vertexCounts and vertexTypes of compute set %u differ in length", id);
        return;
    }
    for (size_t i = 0; !r->status && i < json_array_size(counts); i++) {
        uint64_t count = number_of_set(r, counts, "vertexCounts", id, i),
                 type = number_of_set(r, types, "vertexTypes", id, i);
        if (r->status) return;
        if (type >= r->p->types.count)
            tw__bad(r, "compute set %u names vertex type %llu of %zu", id, (unsigned long long)type,
                    r->p->types.count);
        else
            tw__profile_add_vertices(r->p, id, (uint32_t)type, count);
    }
}

int tw__by_set_and_type(const void *a, const void *b)
{
    const tw__set_count *x = a, *y = b;
    if (x->compute_set != y->compute_set) return x->compute_set < y->compute_set ? -1 : 1;
    return (x->vertex_type > y->vertex_type) - (x->vertex_type < y->vertex_type);
}

/* Each pair of compute set and vertex type once, so that steps find theirs by bisection. */
static void sort_vertices(tw_profile *p)
{
    tw__set_count *items = p->set_counts.items;
    size_t count = p->set_counts.count, kept = 0;
    if (count) qsort(items, count, sizeof *items, tw__by_set_and_type);
    for (size_t i = 0; i < count; i++) {
        if (kept && !tw__by_set_and_type(&items[kept - 1], &items[i]))
            items[kept - 1].count += items[i].count;
        else
            items[kept++] = items[i];
    }
    p->set_counts.count = kept;
}

static void read_compute_sets(tw__reader *r, json_t *root)
{
    json_t *sets = tw__object(r, root, "computeSets");
    size_t mark = tw__reader_enter(r, "computeSets");
    json_t *names = tw__array(r, sets, "names"), *counts = tw__array(r, sets, "vertexCounts");
    json_t *types = tw__array(r, sets, "vertexTypes");
    for (size_t i = 0; !r->status && i < json_array_size(names); i++) {
        uint32_t id = tw__profile_add_compute_set(r->p, tw__text_at(r, names, "names", i));
        if (id != TW__NONE) read_compute_set(r, id, counts, types);
    }
    sort_vertices(r->p);
    tw__reader_leave(r, mark);
}

/* One array per quantity, each [exchange][tile]; they may differ in length. */
static void read_exchanges(tw__reader *r, json_t *root, const char *key, tw__exchange_kind kind)
{
    json_t *object = tw__object(r, root, key);
    size_t mark = tw__reader_enter(r, key), count = 0;
    static const char *const keys[][2] = { { "bytesSentByTile", NULL },
                                           { "bytesReceivedByTile", NULL },
                                           { "cyclesByTile", "estimatedCyclesByTile" },
                                           { "codeBytesByTile", NULL } };
    json_t *arrays[4], *contents = tw__array(r, object, "content");
    const char *used[4]; /* of two spellings of a key */
    for (int k = 0; k < 4; k++) {
        arrays[k] = tw__array(r, object, used[k] = keys[k][0]);
        if (!arrays[k] && keys[k][1]) arrays[k] = tw__array(r, object, used[k] = keys[k][1]);
        count = json_array_size(arrays[k]) > count ? json_array_size(arrays[k]) : count;
    }
    for (size_t i = 0; !r->status && i < count; i++) {
        tw__row rows[4];
        for (int k = 0; k < 4; k++) {
            size_t at = tw__reader_enter(r, used[k]), element = tw__reader_enter_index(r, i);
            rows[k] = tw__tiles_value(r, json_array_get(arrays[k], i));
            tw__reader_leave(r, element), tw__reader_leave(r, at);
        }
        uint64_t content = i < json_array_size(contents) ? tw__value_at(r, contents, "content", i) : 0;
        tw__profile_add_exchange(r->p, kind, (tw__exchange){ rows[0], rows[1], rows[2], rows[3], content });
    }
    tw__reader_leave(r, mark);
}

/* --- programs ------------------------------------------------------------------------------------------------- */

static void read_program(tw__reader *r, json_t *from)
{
    const char *type = tw__text(r, from, "type", "");
    int known = 0;
    while (known < TW_PROGRAM_OTHER && strcmp(type, tw_program_type_name((tw_program_type)known))) known++;
    uint32_t index = tw__id(r, from, "computeset");
    if (index == TW__NONE) index = tw__id(r, from, "exchange");
    uint32_t id = tw__profile_add_program(r->p, (tw_program_type)known, tw__text(r, from, "name", ""), TW__NONE,
                                          index, tw__count(r, from, "count", 0));
    if (id != TW__NONE) r->p->programs.items[id].type_name = tw__profile_name(r->p, type);
}

/* A program with several parents (a function) stays with the first; one that would be its own ancestor is refused. */
static void read_children(tw__reader *r, uint32_t parent, json_t *children)
{
    for (size_t i = 0; !r->status && i < json_array_size(children); i++) {
        uint64_t child = tw__value_at(r, children, NULL, i);
        if (r->status) return;
        if (child >= r->p->programs.count)
            tw__bad(r, "program %llu does not exist", (unsigned long long)child);
        else
            tw__profile_adopt(r->p, parent, (uint32_t)child);
    }
}

static void read_programs(tw__reader *r, json_t *root)
{
    json_t *programs = tw__array(r, root, "programs");
    size_t mark = tw__reader_enter(r, "programs"), i;
    json_t *program;
    json_array_foreach(programs, i, program)
    {
        size_t at = tw__reader_enter_index(r, i);
        if (!json_is_object(program)) tw__bad(r, "an object expected");
        if (!r->status) read_program(r, program);
        tw__reader_leave(r, at);
    }
    json_array_foreach(programs, i, program)
    {
        size_t at = tw__reader_enter_index(r, i);
        json_t *children = tw__array(r, program, "children");
        size_t in = tw__reader_enter(r, "children");
        if (!r->status && !r->p->status) read_children(r, (uint32_t)i, children);
        tw__reader_leave(r, in), tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static const char *const region_keys[] = { "nonInterleaved", "interleaved", "overflowed" };
static const char *const overlap_keys[] = { "nonOverlapped", "overlapped" };

static void read_category(tw__reader *r, const char *key, json_t *from)
{
    tw_fidelity fidelity = tw__fidelity(r, from, "fidelity");
    const char *label = tw__text(r, from, "label", NULL);
    if (fidelity == TW_FIDELITY_ABSENT) tw__profile_set_category_fidelity(r->p, key, fidelity);
    for (unsigned region = 0; region < TW__MEMORY_REGIONS; region++) {
        json_t *object = tw__object(r, from, region_keys[region]);
        size_t mark = tw__reader_enter(r, region_keys[region]);
        for (unsigned o = 0; object && o < TW__MEMORY_OVERLAPS; o++) {
            tw__row row = tw__tiles(r, object, overlap_keys[o]);
            if (row)
                tw__profile_add_memory(r->p, key, label, (tw__memory_region)region, (tw__memory_overlap)o, row,
                                       fidelity);
        }
        tw__reader_leave(r, mark);
    }
}

static void read_categories(tw__reader *r, json_t *memory)
{
    json_t *categories = tw__object(r, memory, "byCategory"), *value;
    const char *key;
    size_t mark = tw__reader_enter(r, "byCategory");
    json_object_foreach(categories, key, value)
    {
        size_t at = tw__reader_enter(r, key);
        if (!json_is_object(value)) tw__bad(r, "an object expected");
        if (!r->status) read_category(r, key, value);
        tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

static void read_placement(tw__reader *r, json_t *memory)
{
    json_t *by_tile = tw__object(r, memory, "byTile"), *by_region = tw__object(r, memory, "byRegion");
    tw__row regions[TW__MEMORY_REGIONS];
    size_t mark = tw__reader_enter(r, "byTile");
    r->p->totals_fidelity = tw__fidelity(r, by_tile, "fidelity");
    tw__row total = tw__tiles(r, by_tile, "total"), gaps = tw__tiles(r, by_tile, "totalIncludingGaps");
    tw__reader_leave(r, mark);
    mark = tw__reader_enter(r, "byRegion");
    for (unsigned k = 0; k < TW__MEMORY_REGIONS; k++) regions[k] = tw__tiles(r, by_region, region_keys[k]);
    tw__reader_leave(r, mark);
    tw__profile_set_placement(r->p, total, gaps, regions);
}

static void read_vertex_bytes(tw__reader *r, json_t *memory)
{
#define KEY(name, key, label) key,
    static const char *const keys[] = { TW__VERTEX_BYTES_LIST(KEY) };
#undef KEY
    json_t *object = tw__object(r, memory, "byVertexType");
    size_t mark = tw__reader_enter(r, "byVertexType");
    for (unsigned k = 0; k < TW__VERTEX_BYTES_KINDS; k++) {
        json_t *types = tw__array(r, object, keys[k]);
        size_t at = tw__reader_enter(r, keys[k]);
        if (json_array_size(types) > r->p->types.count)
            tw__bad(r, "%zu entries for %zu vertex types", json_array_size(types), r->p->types.count);
        for (size_t i = 0; !r->status && i < json_array_size(types); i++) {
            size_t element = tw__reader_enter_index(r, i);
            tw__row row = tw__tiles_value(r, json_array_get(types, i));
            tw__profile_set_vertex_bytes(r->p, (uint32_t)i, (tw__vertex_bytes)k, row);
            tw__reader_leave(r, element);
        }
        tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

/* --- liveness ------------------------------------------------------------------------------------------------- */

static tw__live_var read_live_var(tw__reader *r, json_t *vars, const char *key, size_t i)
{
    json_t *var = tw__object_at(r, vars, key, i);
    size_t mark = tw__reader_enter(r, key);
    tw__reader_enter_index(r, i);
    tw__live_var made = { .name = tw__profile_name(r->p, tw__text(r, var, "name", "")),
                          .bytes = tw__count(r, var, "bytes", 0) };
    tw__reader_leave(r, mark);
    return made;
}

static void read_live_program(tw__reader *r, json_t *from)
{
    uint32_t program = tw__id(r, from, "program");
    json_t *vars = tw__array(r, from, "vars");
    size_t count = json_array_size(vars);
    if (program >= r->p->programs.count) tw__bad(r, "there is no such program");
    if (r->status) return;
    tw__live_var *list = tw__realloc(NULL, (count + 1) * sizeof *list);
    if (!list) {
        tw__profile_fail(r->p, TW_E_NO_MEMORY, "out of memory for liveness");
        return;
    }
    for (size_t i = 0; i < count; i++) list[i] = read_live_var(r, vars, "vars", i);
    tw__profile_set_live(r->p, program, list, count);
    tw__profile_set_live_tiles(r->p, program, tw__tiles(r, from, "bytesByTile"));
    free(list);
}

static void read_liveness(tw__reader *r, json_t *memory)
{
    json_t *liveness = tw__object(r, memory, "liveness");
    if (!liveness) return;
    size_t mark = tw__reader_enter(r, "liveness"), i;
    r->p->liveness_fidelity = tw__fidelity(r, liveness, "fidelity");
    json_t *always = tw__object(r, liveness, "alwaysLive"), *other = tw__object(r, liveness, "notAlwaysLive"),
           *value;
    size_t in = tw__reader_enter(r, "alwaysLive");
    json_t *variables = tw__array(r, always, "variables");
    for (i = 0; !r->status && i < json_array_size(variables); i++) {
        tw__live_var var = read_live_var(r, variables, "variables", i);
        tw__profile_add_always_live(r->p, r->p->names.items[var.name], var.bytes);
    }
    tw__row by_tile = tw__tiles(r, always, "bytesByTile");
    tw__reader_leave(r, in);
    in = tw__reader_enter(r, "notAlwaysLive");
    tw__row max = tw__tiles(r, other, "maxBytesByTile");
    tw__profile_set_liveness(r->p, by_tile, max, tw__count(r, other, "maxBytes", 0));
    tw__reader_leave(r, in);
    json_array_foreach(tw__array(r, liveness, "programs"), i, value)
    {
        size_t at = tw__reader_enter(r, "programs"), element = tw__reader_enter_index(r, i);
        read_live_program(r, value);
        tw__reader_leave(r, element), tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

void tw__read_graph(tw__reader *r, json_t *root)
{
    if (r->status) return;
    read_counts(r, root);
    read_optimizations(r, root);
    read_compute_sets(r, root);
    read_exchanges(r, root, "exchanges", TW__EXCHANGE_INTERNAL);
    read_exchanges(r, root, "externalExchanges", TW__EXCHANGE_GLOBAL);
    read_exchanges(r, root, "hostExchanges", TW__EXCHANGE_HOST);
    read_programs(r, root);
    json_t *memory = tw__object(r, root, "memory");
    size_t mark = tw__reader_enter(r, "memory");
    read_placement(r, memory);
    read_categories(r, memory);
    read_vertex_bytes(r, memory);
    read_liveness(r, memory);
    tw__read_maps(r, memory);
    tw__read_variables(r, memory);
    tw__reader_leave(r, mark);
    tw__read_pairs(r, root);
    tw__read_facts(r, root);
    r->p->has_graph = true;
}
