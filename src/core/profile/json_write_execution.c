/* SPDX-License-Identifier: MIT */
/* Writing the execution file (Poplar API, execution profile, docs/profile.md): plan steps once, the trace as it is
 * held, and the list of executed steps that readers of the vendor's format expect, as far as it stays of a sensible
 * size. */
#include "core/profile/json.h"

enum {
    LISTED_STEPS = 100000,  /* more are left out of `steps` and `programTrace`; `plan` and `trace` have them all */
    LISTED_VALUES = 2000000 /* listed steps x tiles up to which every listed step repeats its per-tile cycles */
};

static void write_plan_step(tw__json *j, uint32_t id, uint64_t executions)
{
    const tw_profile *p = j->p;
    tw__step_line line = { .stored = p->steps.items[id], .executions = executions };
    const tw__step *s = &line.stored;
    tw__profile_step_info(p, id, &line.info);
    tw__json_open(j, NULL, '{');
    tw__json_members(j, TW__TABLE_step, &line,
                     tw__step_parts(s) | TW__WHEN_PLAN | TW__WHEN_ROWS | TW__WHEN_DATA_ROWS |
                         (s->span != s->cycles - s->overlapped ? TW__WHEN_SPAN : 0));
    if (s->types_count) {
        tw__json_open(j, "activeCyclesByVertexType", '[');
        for (uint32_t i = s->types_first; i < s->types_first + s->types_count; i++) {
            const tw__type_cycles *tc = &p->type_cycles.items[i];
            tw__json_open(j, NULL, '{');
            tw__json_members(j, TW__TABLE_part, tc, tc->worst ? TW__WHEN_WORST : 0);
            tw__json_close(j, '}');
        }
        tw__json_close(j, ']');
    }
    if (s->work_count) {
        tw__json_open(j, "work", '{');
        tw__json_members(j, TW__TABLE_step, &line, TW__WHEN_WORK);
        tw__json_columns(j, TW__TABLE_work, (tw__items){ p->work.items + s->work_first, s->work_count }, 0);
        tw__json_close(j, '}');
    }
    tw__json_close(j, '}');
}

static void write_trace(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_open(j, "trace", '{');
    tw__json_open(j, "rules", '[');
    for (size_t i = 0; i < p->rules.count; i++) {
        const tw__rule *rule = &p->rules.items[i];
        tw__json_open(j, NULL, '{');
        if (rule->is_range) {
            tw__json_members(j, TW__TABLE_rule, rule, 0);
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
    tw__json_objects(j, "runs", TW__TABLE_run, tw__table_items(p, TW__TABLE_run));
    tw__json_close(j, '}');
}

/* --- the list of executed steps ------------------------------------------------------------------------------- */

typedef struct lister {
    tw__json *j;
    uint64_t left;
    unsigned rows; /* TW__WHEN_ROWS: with cycles by tile */
} lister;

static bool list_program(void *user, const tw_profile_step *info)
{
    lister *l = user;
    uint32_t program = l->j->p->steps.items[info->plan_step].program;
    if (!l->left--) return false;
    if (program != TW__NONE) tw__json_count(l->j, NULL, program);
    return true;
}

static bool list_step(void *user, const tw_profile_step *info)
{
    lister *l = user;
    tw__step_line line = { .stored = l->j->p->steps.items[info->plan_step], .info = *info };
    if (!l->left--) return false;
    tw__json_open(l->j, NULL, '{');
    tw__json_members(l->j, TW__TABLE_step, &line, tw__step_parts(&line.stored) | TW__WHEN_LISTED | l->rows);
    tw__json_close(l->j, '}');
    return true;
}

static void write_steps(tw__json *j, uint64_t executed)
{
    uint64_t listed = executed < LISTED_STEPS ? executed : LISTED_STEPS;
    lister l = { j, listed, listed * j->p->target.tiles <= LISTED_VALUES ? TW__WHEN_ROWS : 0 };
    tw__json_open(j, "steps", '[');
    tw_profile_each_step(j->p, list_step, &l);
    tw__json_close(j, ']');
    if (listed < executed) tw__json_count(j, "stepsOmitted", executed - listed);
    tw__write_blocks(j, listed);
}

static void write_simulation(tw__json *j, const uint64_t *counts)
{
    const tw_profile *p = j->p;
    tw_profile_totals totals;
    tw__type_cycles *types = tw__profile_type_totals(p);
    if (!types || tw_profile_get_totals(p, &totals)) {
        j->failed = true;
        free(types);
        return;
    }
    tw__json_open(j, "simulation", '{');
    tw__json_members(j, TW__TABLE_totals, &totals, TW__WHEN_TOTAL);
    tw__json_open(j, "tileCycles", '{');
    tw__json_members(j, TW__TABLE_totals, &totals, TW__WHEN_BUCKET);
    tw__json_close(j, '}');
    tw__json_open(j, "cyclesByVertexType", '[');
    for (size_t i = 0; i < p->types.count; i++) tw__json_count(j, NULL, types[i].cycles);
    free(types);
    tw__json_close(j, ']');
    tw__json_open(j, "plan", '[');
    for (uint32_t i = 0; i < p->steps.count; i++) write_plan_step(j, i, counts[i]);
    tw__json_close(j, ']');
    write_trace(j);
    write_steps(j, totals.steps);
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

static void write_compute_set_cycles(tw__json *j, const uint64_t *counts)
{
    const tw_profile *p = j->p;
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
            tw__json_row(j, NULL, step == TW__NONE ? 0 : p->steps.items[step].active, p->target.tiles);
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

void tw__write_execution(tw__json *j, const uint64_t *counts)
{
    const tw_profile *p = j->p;
    const char *mode = p->names.items[p->mode];
    tw__json_text(j, "profilerMode", mode);
    tw__json_target(j);
    tw__json_vertex_types(j);
    if (!strcmp(mode, "COMPUTE_SETS") || !strcmp(mode, "SINGLE_TILE_COMPUTE_SETS"))
        write_compute_set_cycles(j, counts);
    if (p->vertices_run.count) {
        write_numbers(j, "vertexCycles", p->vertices_run.cycles, p->vertices_run.count);
        write_numbers(j, "vertexComputeSet", p->vertices_run.compute_set, p->vertices_run.count);
        write_numbers(j, "vertexType", p->vertices_run.vertex_type, p->vertices_run.count);
    }
    lister l = { .j = j, .left = LISTED_STEPS };
    tw__json_open(j, "programTrace", '[');
    tw_profile_each_step(p, list_program, &l);
    tw__json_close(j, ']');
    write_simulation(j, counts);
    tw__json_lists(j, "intervals", NULL, tw__interval_tables, 3, p->intervals_omitted);
    if (p->flow.window) {
        tw__json_open(j, "motionScale", '{');
        tw__json_members(j, TW__TABLE_flowing, p, 0);
        tw__json_close(j, '}');
    }
    tw__json_lists(j, "motion", NULL, tw__motion_tables, 3,
                   p->routes_omitted + p->flows_omitted + p->stuck_omitted);
    tw__json_lists(j, "lines", NULL, tw__line_tables, 1, p->lines_omitted);
    tw__json_lists(j, "dataflow", NULL, tw__node_tables, 2, p->nodes_omitted);
}
