/* SPDX-License-Identifier: MIT */
/* Writing the graph file (Poplar API, graph profile, docs/profile.md). What was not recorded is left out. */
#include "core/profile/json.h"

#include <stdlib.h>

static void write_counts(tw__json *j, const tw_profile *p)
{
    tw__json_open(j, "graph", '{');
    tw__json_count(j, "numVertices", p->vertices);
    tw__json_count(j, "numEdges", p->edges);
    tw__json_count(j, "numVars", p->variables);
    tw__json_count(j, "numComputeSets", p->compute_set_count);
    tw__json_close(j, '}');
    tw__json_open(j, "optimizationInfo", '{');
    for (size_t i = 0; i < p->optimizations.count; i++)
        tw__json_number(j, p->names.items[p->optimizations.items[i].name], p->optimizations.items[i].value);
    tw__json_close(j, '}');
}

/* set_counts are sorted by compute set. */
static void write_set_array(tw__json *j, const tw_profile *p, const char *key, bool counts)
{
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

static void write_compute_sets(tw__json *j, const tw_profile *p)
{
    tw__json_open(j, "computeSets", '{');
    tw__json_open(j, "names", '[');
    for (size_t i = 0; i < p->compute_sets.count; i++)
        tw__json_text(j, NULL, p->names.items[p->compute_sets.items[i]]);
    tw__json_close(j, ']');
    write_set_array(j, p, "vertexCounts", true);
    write_set_array(j, p, "vertexTypes", false);
    tw__json_close(j, '}');
}

static void write_exchanges(tw__json *j, const tw_profile *p, uint64_t *row)
{
    static const char *const names[] = { "exchanges", "externalExchanges", "hostExchanges" };
    static const char *const keys[] = { "bytesSentByTile", "bytesReceivedByTile", "cyclesByTile",
                                        "codeBytesByTile" };
    for (unsigned k = 0; k < TW__EXCHANGE_KINDS; k++) {
        tw__json_open(j, names[k], '{');
        for (unsigned q = 0; q < 4; q++) {
            bool estimate = q == 2 && k != TW__EXCHANGE_INTERNAL;
            tw__json_open(j, estimate ? "estimatedCyclesByTile" : keys[q], '[');
            for (size_t i = 0; i < p->exchanges[k].count; i++) {
                const tw__exchange *x = &p->exchanges[k].items[i];
                tw__row rows[] = { x->sent, x->received, x->cycles, x->code };
                tw__json_row(j, p, NULL, rows[q], p->target.tiles, row);
            }
            tw__json_close(j, ']');
        }
        tw__write_contents(j, p, (tw__exchange_kind)k);
        tw__json_close(j, '}');
    }
}

static void write_programs(tw__json *j, const tw_profile *p)
{
    tw__json_open(j, "programs", '[');
    for (size_t i = 0; i < p->programs.count; i++) {
        const tw__profile_program *program = &p->programs.items[i];
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "type", p->names.items[program->type_name]);
        tw__json_text(j, "name", p->names.items[program->name]);
        if (program->index != TW__NONE)
            tw__json_count(j, program->type == TW_PROGRAM_ON_TILE_EXECUTE ? "computeset" : "exchange",
                           program->index);
        if (program->count) tw__json_count(j, "count", program->count);
        tw__json_open(j, "children", '[');
        for (uint32_t c = program->first_child; c != TW__NONE; c = p->programs.items[c].next)
            tw__json_count(j, NULL, c);
        tw__json_close(j, ']');
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static const char *const region_keys[] = { "nonInterleaved", "interleaved", "overflowed" };

static void write_categories(tw__json *j, const tw_profile *p, uint64_t *row)
{
    tw__json_open(j, "byCategory", '{');
    for (size_t i = 0; i < p->categories.count; i++) {
        const tw__category *c = &p->categories.items[i];
        tw__json_open(j, p->names.items[c->key], '{');
        tw__json_text(j, "label", p->names.items[c->label]);
        tw__json_fidelity(j, c->fidelity);
        for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) {
            if (!c->bytes[r][0] && !c->bytes[r][1]) continue;
            tw__json_open(j, region_keys[r], '{');
            tw__json_row(j, p, "nonOverlapped", c->bytes[r][TW__NOT_OVERLAPPED], p->target.tiles, row);
            tw__json_row(j, p, "overlapped", c->bytes[r][TW__OVERLAPPED], p->target.tiles, row);
            tw__json_close(j, '}');
        }
        tw__json_close(j, '}');
    }
    tw__json_close(j, '}');
}

static void write_placement(tw__json *j, const tw_profile *p, uint64_t *row)
{
    tw__json_open(j, "byTile", '{');
    tw__json_fidelity(j, p->totals_fidelity);
    tw__json_row(j, p, "total", p->total, p->target.tiles, row);
    tw__json_row(j, p, "totalIncludingGaps", p->total_with_gaps, p->target.tiles, row);
    tw__json_close(j, '}');
    tw__json_open(j, "byRegion", '{');
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++)
        tw__json_row(j, p, region_keys[r], p->by_region[r], p->target.tiles, row);
    tw__json_close(j, '}');
}

static void write_vertex_bytes(tw__json *j, const tw_profile *p, uint64_t *row)
{
#define KEY(name, key, label) key,
    static const char *const keys[] = { TW__VERTEX_BYTES_LIST(KEY) };
#undef KEY
    tw__json_open(j, "byVertexType", '{');
    for (unsigned k = 0; k < TW__VERTEX_BYTES_KINDS; k++) {
        tw__json_open(j, keys[k], '[');
        for (size_t i = 0; i < p->types.count; i++)
            tw__json_row(j, p, NULL, p->types.items[i].bytes[k], p->target.tiles, row);
        tw__json_close(j, ']');
    }
    tw__json_close(j, '}');
}

static void write_variables(tw__json *j, const tw_profile *p, const char *key, const tw__live_var *vars,
                            size_t count)
{
    tw__json_open(j, key, '[');
    for (size_t i = 0; i < count; i++) {
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "name", p->names.items[vars[i].name]);
        tw__json_count(j, "bytes", vars[i].bytes);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
}

static void write_liveness(tw__json *j, const tw_profile *p, uint64_t *row)
{
    tw__json_open(j, "liveness", '{');
    tw__json_fidelity(j, p->liveness_fidelity);
    tw__json_open(j, "alwaysLive", '{');
    tw__json_row(j, p, "bytesByTile", p->always_live_by_tile, p->target.tiles, row);
    write_variables(j, p, "variables", p->always_live.items, p->always_live.count);
    tw__json_close(j, '}');
    tw__json_open(j, "notAlwaysLive", '{');
    tw__json_count(j, "maxBytes", p->max_live);
    tw__json_row(j, p, "maxBytesByTile", p->max_live_by_tile, p->target.tiles, row);
    tw__json_close(j, '}');
    tw__json_open(j, "programs", '[');
    for (size_t i = 0; i < p->programs.count; i++) {
        tw__live_var *vars;
        size_t count;
        if (tw__profile_live(p, (uint32_t)i, &vars, &count)) j->failed = true;
        if (!vars) continue;
        tw__json_open(j, NULL, '{');
        tw__json_count(j, "program", i);
        tw__json_row(j, p, "bytesByTile", p->programs.items[i].live_tiles, p->target.tiles, row);
        write_variables(j, p, "vars", vars, count);
        free(vars);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
    tw__json_close(j, '}');
}

void tw__write_graph(tw__json *j, const tw_profile *p, uint64_t *row)
{
    tw__json_target(j, p, row);
    tw__write_facts(j, p);
    write_counts(j, p);
    tw__json_vertex_types(j, p);
    write_compute_sets(j, p);
    write_exchanges(j, p, row);
    write_programs(j, p);
    tw__json_open(j, "memory", '{');
    write_placement(j, p, row);
    write_categories(j, p, row);
    write_vertex_bytes(j, p, row);
    if (p->has_liveness) write_liveness(j, p, row);
    tw__write_maps(j, p);
    tw__write_variables(j, p);
    tw__json_close(j, '}');
    tw__write_pairs(j, p);
}
