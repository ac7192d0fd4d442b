/* SPDX-License-Identifier: MIT */
/* Writing the graph file (Poplar API, graph profile, docs/profile.md): what the columns of schema.def stand in. What
 * was not recorded is left out. */
#include "core/profile/json.h"

#include <stdlib.h>

static void write_object(tw__json *j, const char *key, tw__table table, const void *item, unsigned parts)
{
    tw__json_open(j, key, '{');
    tw__json_members(j, table, item, parts);
    tw__json_close(j, '}');
}

/* set_counts are sorted by compute set. */
static void write_set_array(tw__json *j, const char *key, bool counts)
{
    const tw_profile *p = j->p;
    size_t at = 0;
    tw__json_open(j, key, '[');
    for (uint32_t cs = 0; cs < p->compute_sets.count; cs++) {
        tw__json_open(j, NULL, '[');
        for (; at < p->set_counts.count && p->set_counts.items[at].compute_set == cs; at++)
            tw__json_count(j, NULL, counts ? p->set_counts.items[at].count : p->set_counts.items[at].vertex_type);
        tw__json_close(j, ']');
    }
    tw__json_close(j, ']');
}

static void write_compute_sets(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_open(j, "computeSets", '{');
    tw__json_open(j, "names", '[');
    for (size_t i = 0; i < p->compute_sets.count; i++)
        tw__json_text(j, NULL, p->names.items[p->compute_sets.items[i]]);
    tw__json_close(j, ']');
    write_set_array(j, "vertexCounts", true);
    write_set_array(j, "vertexTypes", false);
    tw__json_close(j, '}');
}

static void write_programs(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_open(j, "programs", '[');
    for (size_t i = 0; i < p->programs.count; i++) {
        const tw__profile_program *program = &p->programs.items[i];
        tw__json_open(j, NULL, '{');
        bool compute = program->type == TW_PROGRAM_ON_TILE_EXECUTE;
        tw__json_members(j, TW__TABLE_program, program,
                         TW__WHEN_MAIN | (compute ? TW__WHEN_COMPUTE : TW__WHEN_EXCHANGE));
        tw__json_open(j, "children", '[');
        for (uint32_t c = program->first_child; c != TW__NONE; c = p->programs.items[c].next)
            tw__json_count(j, NULL, c);
        tw__json_close(j, ']');
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static void write_categories(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_open(j, "byCategory", '{');
    for (size_t i = 0; i < p->categories.count; i++) {
        const tw__category *c = &p->categories.items[i];
        tw__json_open(j, p->names.items[c->key], '{');
        tw__json_members(j, TW__TABLE_category, c, 0);
        unsigned r = 0;
        for (TW__EACH_COLUMN(region, TW__TABLE_place), r++)
            if (c->bytes[r][0] || c->bytes[r][1]) write_object(j, region->key, TW__TABLE_overlap, c->bytes[r], 0);
        tw__json_close(j, '}');
    }
    tw__json_close(j, '}');
}

static void write_liveness(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_open(j, "liveness", '{');
    tw__json_members(j, TW__TABLE_placement, p, TW__WHEN_LIVE);
    tw__json_open(j, "alwaysLive", '{');
    tw__json_members(j, TW__TABLE_placement, p, TW__WHEN_ALWAYS);
    tw__json_objects(j, "variables", TW__TABLE_live, tw__table_items(p, TW__TABLE_live));
    tw__json_close(j, '}');
    write_object(j, "notAlwaysLive", TW__TABLE_placement, p, TW__WHEN_MOST);
    tw__json_open(j, "programs", '[');
    for (size_t i = 0; i < p->programs.count; i++) {
        tw__live_var *vars;
        size_t count;
        if (tw__profile_live(p, (uint32_t)i, &vars, &count)) j->failed = true;
        if (!vars) continue;
        tw__json_open(j, NULL, '{');
        tw__json_count(j, "program", i);
        tw__json_members(j, TW__TABLE_program, &p->programs.items[i], TW__WHEN_LIVE);
        tw__json_objects(j, "vars", TW__TABLE_live, (tw__items){ vars, count });
        free(vars);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
    tw__json_close(j, '}');
}

static void write_memory(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_open(j, "memory", '{');
    write_object(j, "byTile", TW__TABLE_placement, p, TW__WHEN_TOTAL);
    write_object(j, "byRegion", TW__TABLE_place, p->by_region, 0);
    write_categories(j);
    tw__json_open(j, "byVertexType", '{');
    tw__json_columns(j, TW__TABLE_type, tw__table_items(p, TW__TABLE_type), TW__WHEN_ROWS);
    tw__json_close(j, '}');
    if (p->has_liveness) write_liveness(j);
    tw__json_lists(j, "map", p->map_in_cycles ? "cycles" : NULL, tw__map_tables, 3, p->maps_omitted);
    tw__json_lists(j, "variables", NULL, &(tw__table){ TW__TABLE_variable }, 1, p->variables_omitted);
    tw__json_close(j, '}');
}

void tw__write_graph(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_target(j);
    if (p->facts.count) tw__json_named(j, "facts", TW__TABLE_fact);
    write_object(j, "graph", TW__TABLE_graph, p, 0);
    tw__json_named(j, "optimizationInfo", TW__TABLE_optimization);
    tw__json_vertex_types(j);
    write_compute_sets(j);
    for (unsigned k = 0; k < TW__EXCHANGE_KINDS; k++) {
        tw__json_open(j, tw__exchange_keys[k], '{');
        tw__json_columns(j, TW__TABLE_exchange, (tw__items){ p->exchanges[k].items, p->exchanges[k].count },
                         k == TW__EXCHANGE_INTERNAL ? TW__WHEN_WITHIN : TW__WHEN_BEYOND);
        tw__json_close(j, '}');
    }
    write_programs(j);
    write_memory(j);
    tw__json_lists(j, "exchangePairs", NULL, &(tw__table){ TW__TABLE_pair }, 1, p->pairs_omitted);
}
