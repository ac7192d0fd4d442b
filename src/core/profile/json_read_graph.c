/* SPDX-License-Identifier: MIT */
/* Reading the graph file: counts, compute sets, exchanges, program tree, memory and liveness (Poplar API, graph
 * profile). */
#include "core/profile/json.h"

#include <glib.h>
#include <stddef.h>
#include <stdlib.h>

/* vertexCounts and vertexTypes, each [compute set][k]. */
static void read_compute_set(tw__reader *r, uint32_t id, json_t *const all[2])
{
    json_t *numbers[2];
    char keys[2][32];
    for (int k = 0; k < 2; k++) {
        numbers[k] = json_array_get(all[k], id);
        g_snprintf(keys[k], sizeof keys[k], "%s[%u]", k ? "vertexTypes" : "vertexCounts", id);
        if (!numbers[k] || json_is_array(numbers[k])) continue;
        size_t mark = tw__reader_enter(r, keys[k]);
        tw__bad(r, "an array expected");
        tw__reader_leave(r, mark);
    }
    if (!numbers[0] || !numbers[1] || r->status) return;
    if (json_array_size(numbers[0]) != json_array_size(numbers[1]))
        tw__bad(r, "vertexCounts and vertexTypes of compute set %u differ in length", id);
    for (size_t i = 0; !r->status && i < json_array_size(numbers[0]); i++) {
        uint64_t count = tw__value_at(r, numbers[0], keys[0], i), type = tw__value_at(r, numbers[1], keys[1], i);
        if (!r->status && type >= r->p->types.count)
            tw__bad(r, "compute set %u names vertex type %llu of %zu", id, (unsigned long long)type,
                    r->p->types.count);
        else if (!r->status)
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
    json_t *names = tw__array(r, sets, "names");
    json_t *numbers[] = { tw__array(r, sets, "vertexCounts"), tw__array(r, sets, "vertexTypes") };
    for (size_t i = 0; !r->status && i < json_array_size(names); i++) {
        uint32_t id = tw__profile_add_compute_set(r->p, tw__text_at(r, names, "names", i));
        if (id != TW__NONE) read_compute_set(r, id, numbers);
    }
    sort_vertices(r->p);
    tw__reader_leave(r, mark);
}

/* One array per quantity, each [exchange][tile]. Cycles have one of two keys. */
static void read_exchanges(tw__reader *r, json_t *root, tw__exchange_kind kind)
{
    tw__list_reader l = { .r = r, .from = tw__object(r, root, tw__exchange_keys[kind]), .loose = true };
    size_t mark = tw__reader_enter(r, tw__exchange_keys[kind]);
    l.parts = tw__array(r, l.from, "cyclesByTile") ? TW__WHEN_WITHIN : TW__WHEN_BEYOND;
    tw__exchange exchange;
    if (tw__list_begin(&l, TW__TABLE_exchange, SIZE_MAX))
        for (size_t i = 0; i < l.count && tw__list_at(&l, i, &exchange); i++)
            tw__profile_add_exchange(r->p, kind, exchange);
    tw__reader_leave(r, mark);
}

/* --- programs ------------------------------------------------------------------------------------------------- */

static void read_program(tw__reader *r, json_t *from)
{
    tw__profile_program read = { .index = TW__NONE };
    tw__read_members(r, from, TW__TABLE_program, &read, TW__WHEN_MAIN | TW__WHEN_EXCHANGE | TW__WHEN_COMPUTE);
    const char *type = r->p->names.items[read.type_name];
    uint32_t id = tw__profile_add_program(r->p, tw__program_type(type), r->p->names.items[read.name], TW__NONE,
                                          read.index, read.count);
    if (id == TW__NONE) return;
    r->p->programs.items[id].type_name = read.type_name;
    r->p->programs.items[id].profiled = read.profiled;
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

static void read_category(tw__reader *r, const char *key, json_t *from)
{
    tw__category read = { .key = tw__profile_name(r->p, key), .label = TW__NONE };
    unsigned region = 0;
    tw__read_members(r, from, TW__TABLE_category, &read, 0);
    const char *label = read.label == TW__NONE ? NULL : r->p->names.items[read.label];
    if (read.fidelity == TW_FIDELITY_ABSENT) tw__profile_set_category_fidelity(r->p, key, read.fidelity);
    for (TW__EACH_COLUMN(c, TW__TABLE_place), region++) {
        json_t *object = tw__object(r, from, c->key);
        size_t mark = tw__reader_enter(r, c->key);
        tw__read_members(r, object, TW__TABLE_overlap, read.bytes[region], 0);
        for (unsigned o = 0; o < TW__MEMORY_OVERLAPS; o++)
            if (read.bytes[region][o])
                tw__profile_add_memory(r->p, key, label, (tw__memory_region)region, (tw__memory_overlap)o,
                                       read.bytes[region][o], read.fidelity);
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

/* The columns of a table from a member that is an object. */
static void read_object(tw__reader *r, json_t *from, const char *key, tw__table table, void *item, unsigned parts)
{
    json_t *object = tw__object(r, from, key);
    size_t mark = tw__reader_enter(r, key);
    tw__read_members(r, object, table, item, parts);
    tw__reader_leave(r, mark);
}

static void read_vertex_bytes(tw__reader *r, json_t *memory)
{
    json_t *object = tw__object(r, memory, "byVertexType");
    size_t mark = tw__reader_enter(r, "byVertexType"), most = r->p->types.count;
    for (TW__EACH_COLUMN(c, TW__TABLE_type)) {
        json_t *rows = c->kind == TW__KIND_ROW ? tw__array(r, object, c->key) : NULL;
        size_t at = tw__reader_enter(r, c->key), count = json_array_size(rows);
        if (count > most) tw__bad(r, "%zu entries for %zu vertex types", count, most);
        for (size_t i = 0; !r->status && i < count; i++) {
            size_t element = tw__reader_enter_index(r, i);
            tw__column_set(c, &r->p->types.items[i], tw__tiles_value(r, json_array_get(rows, i)));
            tw__reader_leave(r, element);
        }
        tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

/* --- liveness ------------------------------------------------------------------------------------------------- */

static void read_live_program(tw__reader *r, json_t *from)
{
    uint64_t found = tw__count(r, from, "program", TW__NONE);
    uint32_t program = (uint32_t)found;
    json_t *vars = tw__array(r, from, "vars");
    size_t count = json_array_size(vars);
    if (found >= r->p->programs.count) tw__bad(r, "there is no such program");
    if (r->status) return;
    tw__live_var *list = tw__realloc(NULL, (count + 1) * sizeof *list);
    if (!list) {
        tw__profile_fail(r->p, TW_E_NO_MEMORY, "out of memory for liveness");
        return;
    }
    memset(list, 0, count * sizeof *list);
    for (size_t i = 0; i < count; i++) tw__read_object_at(r, vars, "vars", i, TW__TABLE_live, &list[i]);
    tw__profile_set_live(r->p, program, list, count);
    free(list);
    if (!r->p->status) tw__read_members(r, from, TW__TABLE_program, &r->p->programs.items[program], TW__WHEN_LIVE);
}

static void read_liveness(tw__reader *r, json_t *memory)
{
    json_t *liveness = tw__object(r, memory, "liveness"), *value;
    if (!liveness) return;
    size_t mark = tw__reader_enter(r, "liveness"), i;
    tw__read_members(r, liveness, TW__TABLE_placement, r->p, TW__WHEN_LIVE);
    json_t *always = tw__object(r, liveness, "alwaysLive");
    size_t in = tw__reader_enter(r, "alwaysLive");
    json_t *variables = tw__array(r, always, "variables");
    for (i = 0; !r->status && i < json_array_size(variables); i++) {
        tw__live_var var = { 0 };
        tw__read_object_at(r, variables, "variables", i, TW__TABLE_live, &var);
        tw__profile_add_always_live(r->p, r->p->names.items[var.name], var.bytes);
    }
    tw__read_members(r, always, TW__TABLE_placement, r->p, TW__WHEN_ALWAYS);
    tw__reader_leave(r, in);
    read_object(r, liveness, "notAlwaysLive", TW__TABLE_placement, r->p, TW__WHEN_MOST);
    r->p->has_liveness = true;
    json_array_foreach(tw__array(r, liveness, "programs"), i, value)
    {
        size_t at = tw__reader_enter(r, "programs"), element = tw__reader_enter_index(r, i);
        read_live_program(r, value);
        tw__reader_leave(r, element), tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

/* --- memory maps ------------------------------------------------------------------------------------------------ */

/* Tiles that share a map are read one after the other: the profile finds again that the maps are equal. `first`: of
 * each map, and where the last one ends. */
static void read_tile_maps(tw__list_reader *tiles, tw__list_reader *blocks, const size_t *first)
{
    tw_profile *p = tiles->r->p;
    tw__profile_tile_map at;
    size_t work = 0;
    for (size_t t = 0; t < tiles->count && tw__list_at(tiles, t, &at); t++) {
        size_t end = first[at.map + 1];
        if ((work += end - first[at.map]) > (UINT64_C(1) << 24)) {
            p->maps_omitted++;
            continue;
        }
        tw__profile_map_begin(p, at.tile);
        for (size_t i = first[at.map]; i < end; i++) {
            tw__profile_block block = { 0 };
            if (tw__list_at(blocks, i, &block) && p->blocks.count <= TW__MOST_BLOCKS)
                TW__APPEND(p->blocks, tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile"), block);
        }
        tw__profile_map_end(p);
    }
}

static bool read_map(tw__list_reader *l, tw__table table)
{
    tw__reader *r = l->r;
    tw__list_reader tiles = *l, blocks = *l;
    tw__profile_map map;
    r->p->map_in_cycles = !strcmp(tw__text(r, l->from, "unit", ""), "cycles");
    if (!tw__list_begin(&tiles, TW__TABLE_tile_map, SIZE_MAX) || !tw__list_begin(l, table, SIZE_MAX)) return false;
    for (size_t k = 0; k < tiles.used; k++) /* maps are those of this file */
        if (tiles.columns[k].column->at == offsetof(tw__profile_tile_map, map)) tiles.columns[k].below = l->count;
    size_t *first = tw__calloc(l->count + 1, sizeof *first);
    if (!first) tw__profile_fail(r->p, TW_E_NO_MEMORY, "out of memory for the memory map");
    for (size_t m = 0; first && m < l->count && tw__list_at(l, m, &map); m++) first[m + 1] = first[m] + map.count;
    if (first && !r->status && tw__list_begin(&blocks, TW__TABLE_block, first[l->count]))
        read_tile_maps(&tiles, &blocks, first);
    free(first);
    return !r->status;
}

void tw__read_graph(tw__reader *r, json_t *root)
{
    tw_profile *p = r->p;
    if (r->status) return;
    read_object(r, root, "graph", TW__TABLE_graph, p, 0);
    tw__read_named(r, root, "optimizationInfo", TW__TABLE_optimization);
    read_compute_sets(r, root);
    for (int k = 0; k < TW__EXCHANGE_KINDS; k++) read_exchanges(r, root, (tw__exchange_kind)k);
    read_programs(r, root);
    json_t *memory = tw__object(r, root, "memory");
    size_t mark = tw__reader_enter(r, "memory");
    read_object(r, memory, "byTile", TW__TABLE_placement, p, TW__WHEN_TOTAL);
    read_object(r, memory, "byRegion", TW__TABLE_place, p->by_region, 0);
    read_categories(r, memory);
    read_vertex_bytes(r, memory);
    read_liveness(r, memory);
    tw__read_lists(r, memory, "map", &(tw__table){ TW__TABLE_map }, 1, read_map, &p->maps_omitted);
    tw__read_lists(r, memory, "variables", &(tw__table){ TW__TABLE_variable }, 1, NULL, &p->variables_omitted);
    tw__reader_leave(r, mark);
    tw__read_lists(r, root, "exchangePairs", &(tw__table){ TW__TABLE_pair }, 1, NULL, &p->pairs_omitted);
    tw__read_named(r, root, "facts", TW__TABLE_fact);
    p->has_graph = true;
}
