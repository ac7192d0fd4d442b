/* SPDX-License-Identifier: MIT */
/* Reading the execution file (Poplar API, execution profile). Two forms: `simulation.plan` with `simulation.trace`,
 * as written here, or only `simulation.steps`, the vendor's list of executed steps, of which each becomes a plan
 * step. */
#include "core/profile/json.h"

#include <stdlib.h>

/* More executed steps than a double counts exactly are taken for a damaged file. */
#define MAX_EXECUTED (UINT64_C(1) << 53)

static void read_totals(tw__reader *r, json_t *simulation)
{
    tw__read_members(r, simulation, TW__TABLE_totals, &r->p->given_totals, TW__WHEN_TOTAL);
    json_t *tiles = tw__object(r, simulation, "tileCycles");
    size_t mark = tw__reader_enter(r, "tileCycles");
    tw__read_members(r, tiles, TW__TABLE_totals, &r->p->given_totals, TW__WHEN_BUCKET);
    tw__reader_leave(r, mark);
    json_t *types = tw__array(r, simulation, "cyclesByVertexType");
    mark = tw__reader_enter(r, "cyclesByVertexType");
    if (json_array_size(types) > r->p->types.count)
        tw__bad(r, "%zu entries for %zu vertex types", json_array_size(types), r->p->types.count);
    for (size_t i = 0; types && !r->status && i < r->p->types.count; i++) {
        uint64_t *slot = TW__PROFILE_PUSH(r->p, r->p->given_type_cycles);
        if (slot && i < json_array_size(types)) *slot = tw__value_at(r, types, NULL, i);
    }
    tw__reader_leave(r, mark);
}

/* --- steps ---------------------------------------------------------------------------------------------------- */

/* Reading the graph part sorted them, and it has each pair once. */
static uint64_t vertices_in(const tw_profile *p, uint32_t compute_set, uint32_t type)
{
    tw__set_count key = { compute_set, type, 0 };
    const tw__set_count *found = p->set_counts.count ? bsearch(&key, p->set_counts.items, p->set_counts.count,
                                                               sizeof key, tw__by_set_and_type)
                                                     : NULL;
    return found ? found->count : 0;
}

/* Entries are {"vertexType", "instances", "cycles"}, or plain numbers in the order of the vertex types. */
static void read_step_types(tw__reader *r, tw__step *step, json_t *types)
{
    step->types_first = (uint32_t)r->p->type_cycles.count;
    for (size_t i = 0; !r->status && !r->p->status && i < json_array_size(types); i++) {
        json_t *entry = json_array_get(types, i);
        tw__type_cycles tc = { .vertex_type = (uint32_t)i };
        size_t mark = tw__reader_enter_index(r, i);
        if (json_is_object(entry)) {
            tc.vertex_type = tc.worst_tile = TW__NONE;
            tw__read_members(r, entry, TW__TABLE_part, &tc, TW__WHEN_WORST);
            if (tc.worst && tc.worst_tile >= r->p->target.tiles) tw__bad(r, "there is no such tile");
        } else if ((tc.cycles = tw__value(r, entry)) != 0) {
            tc.instances = vertices_in(r->p, step->index, tc.vertex_type);
        }
        if (tc.vertex_type >= r->p->types.count) tw__bad(r, "there is no such vertex type");
        tw__reader_leave(r, mark);
        tw__type_cycles *slot = r->status || !tc.cycles ? NULL : TW__PROFILE_PUSH(r->p, r->p->type_cycles);
        if (!slot) continue;
        *slot = tc;
        step->types_count++;
        step->thread_cycles += tc.cycles;
    }
}

/* Ratios that a step states count only where the rows they follow from are missing. */
static void read_given(tw__reader *r, tw__step *step, json_t *from)
{
    unsigned missing = (step->active ? 0 : TW__WHEN_TILES) | (step->types_count ? 0 : TW__WHEN_THREADS) |
                       (step->data ? 0 : TW__WHEN_MOVED);
    tw__given given = { { -1, -1, -1, -1, -1 } }; /* TW__GIVEN_FIGURES */
    bool any = false;
    unsigned k = 0;
    for (TW__EACH_COLUMN(c, TW__TABLE_step)) {
        if (!(c->when & TW__GIVEN)) continue;
        if (c->when & missing) given.figure[k] = tw__number(r, from, c->key, -1);
        any |= given.figure[k++] >= 0;
    }
    double tiles = given.figure[TW__GIVEN_ACTIVE_TILES];
    if (tiles > r->p->target.tiles) tw__bad(r, "%.0f active tiles are too many", tiles);
    tw__given *slot = any && step->type != TW_PROGRAM_SYNC ? TW__PROFILE_PUSH(r->p, r->p->given) : NULL;
    if (!slot) return;
    *slot = given;
    step->given = (uint32_t)r->p->given.count;
}

static void read_work(tw__reader *r, tw__step_line *line, json_t *step_from)
{
    tw_profile *p = r->p;
    tw__step *step = &line->stored;
    tw__list_reader l = { .r = r, .from = tw__object(r, step_from, "work") };
    if (!l.from) return;
    size_t mark = tw__reader_enter(r, "work");
    tw__list_begin(&l, TW__TABLE_work, SIZE_MAX);
    tw__read_members(r, l.from, TW__TABLE_step, line, TW__WHEN_WORK);
    if (!r->status && l.count > TW__MOST_WORK - p->work.count) {
        p->work_omitted += l.count;
        l.count = 0;
    }
    step->work_first = (uint32_t)p->work.count;
    tw__work w;
    for (size_t i = 0; i < l.count && tw__list_at(&l, i, &w); i++) {
        tw__work *slot = TW__PROFILE_PUSH(p, p->work);
        if (slot) *slot = w, step->work_count++;
    }
    tw__reader_leave(r, mark);
}

/* Times of a listed step: `now` is where the step before ended. */
static void read_times(tw__reader *r, tw__step_line *line, json_t *from, uint64_t *now)
{
    tw__step *step = &line->stored;
    line->info.cycles_from = *now;
    line->info.cycles_to = UINT64_MAX;
    tw__read_members(r, from, TW__TABLE_step, line, TW__WHEN_LISTED);
    uint64_t start = line->info.cycles_from, end = line->info.cycles_to;
    if (end == UINT64_MAX) end = start + step->span;
    if (start > MAX_EXECUTED || end > MAX_EXECUTED || end < start)
        tw__bad(r, "cyclesFrom and cyclesTo are not in order");
    step->gap = (int64_t)(start - *now);
    step->span = end - start;
    if (!json_object_get(from, "cyclesOverlapped") && step->cycles > step->span)
        step->overlapped = step->cycles - step->span;
    *now = end;
}

static void read_step(tw__reader *r, json_t *from, bool listed, uint64_t *now)
{
    const unsigned parts =
        TW__WHEN_MAIN | TW__WHEN_EXCHANGE | TW__WHEN_COMPUTE | TW__WHEN_DATA | TW__WHEN_ROWS | TW__WHEN_DATA_ROWS;
    tw__step_line line = {
        .stored = { .program = TW__NONE, .index = TW__NONE, .cycles = UINT64_MAX, .total_data = UINT64_MAX }
    };
    tw__step *step = &line.stored;
    if (!json_is_object(from)) tw__bad(r, "an object expected");
    if (r->status) return;
    tw__read_members(r, from, TW__TABLE_step, &line, parts);
    step->type = tw__program_type(r->p->names.items[step->type_name]);
    if (step->cycles == UINT64_MAX) step->cycles = r->p->rows.items[step->active].max;
    if (step->total_data == UINT64_MAX) step->total_data = r->p->rows.items[step->data].sum;
    if (step->overlapped > step->cycles) tw__bad(r, "more cycles overlap than the step has");
    step->span = step->cycles - step->overlapped;
    if (listed)
        read_times(r, &line, from, now);
    else
        tw__read_members(r, from, TW__TABLE_step, &line, TW__WHEN_PLAN | TW__WHEN_SPAN);
    json_t *types = tw__array(r, from, "activeCyclesByVertexType");
    size_t mark = tw__reader_enter(r, "activeCyclesByVertexType");
    read_step_types(r, step, types);
    tw__reader_leave(r, mark);
    read_work(r, &line, from);
    read_given(r, step, from);
    tw__step *slot = r->status ? NULL : TW__PROFILE_PUSH(r->p, r->p->steps);
    if (slot) *slot = *step;
}

/* --- trace ---------------------------------------------------------------------------------------------------- */

typedef struct rule_map {
    uint32_t id;
    uint64_t steps;
} rule_map;

/* A sequence: items [rule, times] that name rules before this one. */
static rule_map read_sequence(tw__reader *r, json_t *items, const rule_map *rules, size_t known)
{
    size_t count = json_array_size(items);
    rule_map made = { TW__NONE, 0 };
    tw__item *list = tw__realloc(NULL, (count + 1) * sizeof *list);
    if (!list) return tw__profile_fail(r->p, TW_E_NO_MEMORY, "out of memory for the trace"), made;
    for (size_t i = 0; !r->status && i < count; i++) {
        json_t *pair = json_array_get(items, i);
        size_t in = tw__reader_enter(r, "items"), element = tw__reader_enter_index(r, i);
        if (!json_is_array(pair)) tw__bad(r, "an array expected");
        uint64_t rule = tw__value_at(r, pair, NULL, 0), times = tw__value_at(r, pair, NULL, 1), steps;
        tw__reader_leave(r, element), tw__reader_leave(r, in);
        if (r->status) break;
        if (rule >= known || !times || times > UINT32_MAX)
            tw__bad(r, "items name earlier rules and a count above 0");
        else if (__builtin_mul_overflow(rules[rule].steps, times, &steps) || (made.steps += steps) > MAX_EXECUTED)
            tw__bad(r, "too many executed steps");
        else
            list[i] = (tw__item){ rules[rule].id, (uint32_t)times };
    }
    if (!r->status && !count) tw__bad(r, "a rule without items");
    if (!r->status) made.id = tw__profile_sequence_rule(r->p, list, count);
    free(list);
    return made;
}

static rule_map read_rule(tw__reader *r, json_t *from, const rule_map *rules, size_t known)
{
    rule_map made = { TW__NONE, 0 };
    json_t *items = tw__array(r, from, "items");
    if (items) return read_sequence(r, items, rules, known);
    tw__rule range = { 0 };
    tw__read_members(r, from, TW__TABLE_rule, &range, 0);
    if (!range.count || range.first >= r->p->steps.count || range.count > r->p->steps.count - range.first)
        tw__bad(r, "steps are not in a plan of %zu steps", r->p->steps.count);
    else
        made = (rule_map){ tw__profile_range_rule(r->p, range.first, range.count), range.count };
    return made;
}

static void read_runs(tw__reader *r, json_t *runs, const rule_map *rules, size_t known)
{
    uint64_t executed = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        json_t *run = tw__object_at(r, runs, NULL, i);
        size_t mark = tw__reader_enter_index(r, i);
        tw__run made = { .rule = TW__NONE, .times = 1 };
        uint64_t steps;
        tw__read_members(r, run, TW__TABLE_run, &made, 0);
        if (made.rule != TW__NONE && made.rule >= known)
            tw__bad(r, "there is no rule %u", made.rule);
        else if (__builtin_mul_overflow(made.rule == TW__NONE ? 1 : rules[made.rule].steps, made.times, &steps) ||
                 (executed += steps) > MAX_EXECUTED)
            tw__bad(r, "too many executed steps");
        if (r->status) return;
        tw__profile_add_run(r->p, made.name, made.rule == TW__NONE ? TW__NONE : rules[made.rule].id, made.times,
                            made.microseconds);
        tw__reader_leave(r, mark);
    }
}

static void read_trace(tw__reader *r, json_t *simulation)
{
    json_t *trace = tw__object(r, simulation, "trace");
    size_t mark = tw__reader_enter(r, "trace");
    json_t *rules = tw__array(r, trace, "rules");
    size_t count = json_array_size(rules);
    rule_map *map = tw__realloc(NULL, (count + 1) * sizeof *map);
    if (!map) tw__profile_fail(r->p, TW_E_NO_MEMORY, "out of memory for the trace");
    for (size_t i = 0; map && !r->status && !r->p->status && i < count; i++) {
        size_t at = tw__reader_enter(r, "rules"), element = tw__reader_enter_index(r, i);
        map[i] = read_rule(r, json_array_get(rules, i), map, i);
        tw__reader_leave(r, element), tw__reader_leave(r, at);
    }
    json_t *runs = tw__array(r, trace, "runs");
    size_t at = tw__reader_enter(r, "runs");
    if (map && !r->status && !r->p->status) read_runs(r, runs, map, count);
    tw__reader_leave(r, at), tw__reader_leave(r, mark);
    free(map);
}

static void read_simulation(tw__reader *r, json_t *root)
{
    json_t *simulation = tw__object(r, root, "simulation"), *step;
    if (!simulation) return;
    size_t mark = tw__reader_enter(r, "simulation"), i;
    uint64_t now = 0;
    read_totals(r, simulation);
    json_t *plan = tw__array(r, simulation, "plan"), *list = plan ? plan : tw__array(r, simulation, "steps");
    json_array_foreach(list, i, step)
    {
        size_t at = tw__reader_enter(r, plan ? "plan" : "steps"), element = tw__reader_enter_index(r, i);
        read_step(r, step, !plan, &now);
        tw__reader_leave(r, element), tw__reader_leave(r, at);
    }
    if (plan) {
        read_trace(r, simulation);
    } else if (!r->status && !r->p->status) {
        uint32_t count = (uint32_t)r->p->steps.count;
        tw__profile_add_run(r->p, 0, count ? tw__profile_range_rule(r->p, 0, count) : TW__NONE, 1, 0);
    }
    tw__reader_leave(r, mark);
}

static uint32_t *read_numbers(tw__reader *r, json_t *root, const char *key, size_t count)
{
    json_t *array = tw__array(r, root, key);
    size_t mark = tw__reader_enter(r, key);
    if (json_array_size(array) != count) tw__bad(r, "%zu values expected", count);
    uint32_t *numbers = r->status ? NULL : tw__realloc(NULL, (count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++) {
        uint64_t value = tw__value_at(r, array, NULL, i);
        numbers[i] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    }
    tw__reader_leave(r, mark);
    return numbers;
}

static void read_vertices(tw__reader *r, json_t *root)
{
    size_t count = json_array_size(tw__array(r, root, "vertexCycles"));
    if (!count) return;
    uint32_t *cycles = read_numbers(r, root, "vertexCycles", count);
    uint32_t *sets = read_numbers(r, root, "vertexComputeSet", count);
    uint32_t *types = read_numbers(r, root, "vertexType", count);
    if (!r->status && cycles && sets && types) tw__profile_set_vertex_cycles(r->p, cycles, sets, types, count);
    free(cycles), free(sets), free(types);
}

/* Without a scale, a stretch is a cycle of one tile. */
static void read_motion_scale(tw__reader *r, json_t *root)
{
    json_t *scale = tw__object(r, root, "motionScale");
    size_t mark = tw__reader_enter(r, "motionScale");
    tw__read_members(r, scale, TW__TABLE_flowing, r->p, 0);
    tw__reader_leave(r, mark);
    if (scale && !r->p->flow.window) r->p->flow.window = 1;
    if (scale && !r->p->flow.block) r->p->flow.block = 1;
}

void tw__read_execution(tw__reader *r, json_t *root)
{
    if (r->status) return;
    tw__profile_set_mode(r->p, tw__text(r, root, "profilerMode", "NONE"));
    read_vertices(r, root);
    read_simulation(r, root);
    tw__read_lists(r, root, "intervals", tw__interval_tables, 3, NULL, &r->p->intervals_omitted);
    read_motion_scale(r, root);
    tw__read_lists(r, root, "motion", tw__motion_tables, 3, NULL, &r->p->flows_omitted);
    tw__read_lists(r, root, "lines", tw__line_tables, 1, NULL, &r->p->lines_omitted);
    tw__read_lists(r, root, "dataflow", tw__node_tables, 2, NULL, &r->p->nodes_omitted);
    if (!r->status) r->p->has_execution = true;
}
