/* SPDX-License-Identifier: MIT */
/* Writing the execution file (Poplar API, execution profile, docs/profile.md): plan steps once, the trace as it is
 * held, and the list of executed steps that readers of the vendor's format expect, as far as it stays of a sensible
 * size. */
#include "core/profile/json.h"

enum {
    LISTED_STEPS = 100000,  /* more are left out of `steps` and `programTrace`; `plan` and `trace` have them all */
    LISTED_VALUES = 2000000 /* listed steps x tiles up to which every listed step repeats its per-tile cycles */
};

static void write_kind(tw__json *j, const tw_profile *p, const tw__step *s)
{
    static const char *const syncs[] = { "", "Internal", "External", "Global" };
    tw__json_text(j, "type", p->names.items[s->type_name]);
    tw__json_text(j, "name", p->names.items[s->name]);
    if (s->program != TW__NONE) tw__json_count(j, "program", s->program);
    if (s->sync)
        tw__json_text(j, "syncType", syncs[s->sync]);
    else if (s->index != TW__NONE)
        tw__json_count(j, s->type == TW_PROGRAM_ON_TILE_EXECUTE ? "computeset" : "exchange", s->index);
    tw__json_count(j, "cycles", s->cycles);
    tw__json_count(j, "cyclesOverlapped", s->overlapped);
}

static void write_ratio(tw__json *j, const char *key, double value)
{
    if (value >= 0) tw__json_number(j, key, value);
}

static void write_step_figures(tw__json *j, const tw_profile_step *info)
{
    if (info->type == TW_PROGRAM_SYNC) return;
    tw__json_count(j, "activeTiles", info->active_tiles);
    write_ratio(j, "tileBalance", info->tile_balance);
    write_ratio(j, "activeTileBalance", info->active_tile_balance);
    write_ratio(j, "threadBalance", info->thread_balance);
    if (info->type == TW_PROGRAM_ON_TILE_EXECUTE) return;
    tw__json_count(j, "totalData", info->total_data);
    write_ratio(j, "dataBalance", info->data_balance);
}

static void write_plan_step(tw__json *j, const tw_profile *p, uint32_t id, uint64_t count, uint64_t *row)
{
    const tw__step *s = &p->steps.items[id];
    tw_profile_step info;
    tw__profile_step_info(p, id, &info);
    tw__json_open(j, NULL, '{');
    write_kind(j, p, s);
    tw__json_count(j, "executions", count);
    if (s->span != s->cycles - s->overlapped) tw__json_count(j, "cyclesSpan", s->span);
    if (s->gap) tw__json_number(j, "cyclesGap", (double)s->gap);
    write_step_figures(j, &info);
    tw__json_fidelity(j, info.fidelity);
    tw__json_row(j, p, "activeCyclesByTile", s->active, p->target.tiles, row);
    tw__json_row(j, p, "dataByTile", s->data, p->target.tiles, row);
    if (s->types_count) {
        tw__json_open(j, "activeCyclesByVertexType", '[');
        for (uint32_t i = 0; i < s->types_count; i++) {
            const tw__type_cycles *tc = &p->type_cycles.items[s->types_first + i];
            tw__json_open(j, NULL, '{');
            tw__json_count(j, "vertexType", tc->vertex_type);
            tw__json_count(j, "instances", tc->instances);
            tw__json_count(j, "cycles", tc->cycles);
            if (tc->worst) tw__json_count(j, "worst", tc->worst);
            if (tc->worst) tw__json_count(j, "worstTile", tc->worst_tile);
            tw__json_close(j, '}');
        }
        tw__json_close(j, ']');
    }
    tw__write_work(j, p, s);
    tw__json_close(j, '}');
}

static void write_trace(tw__json *j, const tw_profile *p)
{
    tw__json_open(j, "trace", '{');
    tw__json_open(j, "rules", '[');
    for (size_t i = 0; i < p->rules.count; i++) {
        const tw__rule *rule = &p->rules.items[i];
        tw__json_open(j, NULL, '{');
        if (rule->is_range) {
            tw__json_count(j, "first", rule->first);
            tw__json_count(j, "count", rule->count);
        } else {
            tw__json_open(j, "items", '[');
            for (uint32_t k = rule->first; k < rule->first + rule->count; k++) {
                tw__json_open(j, NULL, '[');
                tw__json_count(j, NULL, p->items.items[k].rule);
                tw__json_count(j, NULL, p->items.items[k].times);
                tw__json_close(j, ']');
            }
            tw__json_close(j, ']');
        }
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
    tw__json_open(j, "runs", '[');
    for (size_t i = 0; i < p->runs.count; i++) {
        const tw__run *run = &p->runs.items[i];
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "name", p->names.items[run->name]);
        if (run->rule != TW__NONE) tw__json_count(j, "rule", run->rule);
        tw__json_count(j, "times", run->times);
        tw__json_number(j, "microseconds", run->microseconds);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
    tw__json_close(j, '}');
}

/* --- the list of executed steps ------------------------------------------------------------------------------- */

typedef struct lister {
    tw__json *j;
    const tw_profile *p;
    uint64_t *row;
    uint64_t left;
    bool rows;
} lister;

static bool list_program(void *user, const tw_profile_step *info)
{
    lister *l = user;
    const tw__step *s = &l->p->steps.items[info->plan_step];
    if (!l->left--) return false;
    if (s->program != TW__NONE) tw__json_count(l->j, NULL, s->program);
    return true;
}

static bool list_step(void *user, const tw_profile_step *info)
{
    lister *l = user;
    const tw__step *s = &l->p->steps.items[info->plan_step];
    if (!l->left--) return false;
    tw__json_open(l->j, NULL, '{');
    write_kind(l->j, l->p, s);
    tw__json_count(l->j, "cyclesFrom", info->cycles_from);
    tw__json_count(l->j, "cyclesTo", info->cycles_to);
    tw__json_count(l->j, "planStep", info->plan_step);
    write_step_figures(l->j, info);
    tw__json_fidelity(l->j, info->fidelity);
    if (l->rows) tw__json_row(l->j, l->p, "activeCyclesByTile", s->active, l->p->target.tiles, l->row);
    tw__json_close(l->j, '}');
    return true;
}

static void write_steps(tw__json *j, const tw_profile *p, uint64_t *row, uint64_t executed)
{
    uint64_t listed = executed < LISTED_STEPS ? executed : LISTED_STEPS;
    lister l = { j, p, row, listed, listed * p->target.tiles <= LISTED_VALUES };
    tw__json_open(j, "steps", '[');
    tw_profile_each_step(p, list_step, &l);
    tw__json_close(j, ']');
    if (listed < executed) tw__json_count(j, "stepsOmitted", executed - listed);
}

static void write_simulation(tw__json *j, const tw_profile *p, uint64_t *row, const uint64_t *counts)
{
    tw_profile_totals totals;
    tw__type_cycles *types = tw__profile_type_totals(p);
    if (!types || tw_profile_get_totals(p, &totals)) {
        j->failed = true;
        free(types);
        return;
    }
    tw__json_open(j, "simulation", '{');
    tw__json_count(j, "cycles", totals.cycles);
    tw__json_fidelity(j, totals.fidelity);
    tw__json_open(j, "tileCycles", '{');
    for (size_t i = 0; i < TW__BUCKET_KEYS; i++)
        tw__json_count(j, tw__bucket_keys[i].key, totals.by_bucket[tw__bucket_keys[i].bucket]);
    tw__json_count(j, "activeCompute", totals.compute_active);
    tw__json_close(j, '}');
    tw__json_open(j, "cyclesByVertexType", '[');
    for (size_t i = 0; i < p->types.count; i++) tw__json_count(j, NULL, types[i].cycles);
    free(types);
    tw__json_close(j, ']');
    tw__json_open(j, "plan", '[');
    for (uint32_t i = 0; i < p->steps.count; i++) write_plan_step(j, p, i, counts[i], row);
    tw__json_close(j, ']');
    write_trace(j, p);
    write_steps(j, p, row, totals.steps);
    tw__json_close(j, '}');
}

/* --- instrumentation ------------------------------------------------------------------------------------------ */

/* The plan step that executed each compute set last; TW__NONE = none did. Equal for all of them on a model. */
static uint32_t *last_executions(const tw_profile *p, const uint64_t *counts)
{
    uint32_t *last = tw__realloc(NULL, (p->compute_sets.count + 1) * sizeof *last);
    if (!last) return NULL;
    for (size_t cs = 0; cs < p->compute_sets.count; cs++) last[cs] = TW__NONE;
    for (uint32_t i = 0; i < p->steps.count; i++) {
        const tw__step *s = &p->steps.items[i];
        if (counts[i] && s->type == TW_PROGRAM_ON_TILE_EXECUTE && s->index < p->compute_sets.count)
            last[s->index] = i;
    }
    return last;
}

static void write_compute_set_cycles(tw__json *j, const tw_profile *p, uint64_t *row, const uint64_t *counts)
{
    bool by_tile = !strcmp(p->names.items[p->mode], "COMPUTE_SETS");
    uint32_t *last = last_executions(p, counts);
    if (!last) {
        j->failed = true;
        return;
    }
    tw__json_open(j, by_tile ? "computeSetCyclesByTile" : "computeSetCycles", '[');
    for (uint32_t cs = 0; cs < p->compute_sets.count; cs++) {
        uint32_t step = last[cs];
        if (by_tile)
            tw__json_row(j, p, NULL, step == TW__NONE ? 0 : p->steps.items[step].active, p->target.tiles, row);
        else
            tw__json_count(j, NULL, step == TW__NONE ? 0 : p->steps.items[step].cycles);
    }
    tw__json_close(j, ']');
    free(last);
}

static void write_numbers(tw__json *j, const char *key, const uint32_t *values, size_t count)
{
    tw__json_open(j, key, '[');
    for (size_t i = 0; i < count; i++) tw__json_count(j, NULL, values[i]);
    tw__json_close(j, ']');
}

void tw__write_execution(tw__json *j, const tw_profile *p, uint64_t *row, const uint64_t *counts)
{
    const char *mode = p->names.items[p->mode];
    tw__json_text(j, "profilerMode", mode);
    tw__json_target(j, p, row);
    tw__json_vertex_types(j, p);
    if (!strcmp(mode, "COMPUTE_SETS") || !strcmp(mode, "SINGLE_TILE_COMPUTE_SETS"))
        write_compute_set_cycles(j, p, row, counts);
    if (p->vertices_run.count) {
        write_numbers(j, "vertexCycles", p->vertices_run.cycles, p->vertices_run.count);
        write_numbers(j, "vertexComputeSet", p->vertices_run.compute_set, p->vertices_run.count);
        write_numbers(j, "vertexType", p->vertices_run.vertex_type, p->vertices_run.count);
    }
    lister l = { j, p, row, LISTED_STEPS, false };
    tw__json_open(j, "programTrace", '[');
    tw_profile_each_step(p, list_program, &l);
    tw__json_close(j, ']');
    write_simulation(j, p, row, counts);
    tw__write_intervals(j, p);
}
