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
    tw__given_totals *given = &r->p->given_totals;
    given->cycles = tw__number(r, simulation, "cycles", -1);
    json_t *tiles = tw__object(r, simulation, "tileCycles");
    size_t mark = tw__reader_enter(r, "tileCycles");
    for (size_t i = 0; tiles && i < TW__BUCKET_KEYS; i++) {
        tw__row row = tw__tiles(r, tiles, tw__bucket_keys[i].key);
        if (row) given->by_bucket[tw__bucket_keys[i].bucket] = (double)r->p->rows.items[row].sum;
    }
    tw__row active = tiles ? tw__tiles(r, tiles, "activeCompute") : 0;
    if (active) given->compute_active = (double)r->p->rows.items[active].sum;
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
            tc.vertex_type = tw__id(r, entry, "vertexType");
            tc.instances = tw__count(r, entry, "instances", 0);
            tc.cycles = tw__count(r, entry, "cycles", 0);
            tc.worst = tw__count(r, entry, "worst", 0);
            tc.worst_tile = tw__id(r, entry, "worstTile");
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
    tw__given given = { -1, -1, -1, -1, -1 };
    if (!step->active) {
        given.active_tiles = tw__number(r, from, "activeTiles", -1);
        given.tile_balance = tw__number(r, from, "tileBalance", -1);
        given.active_tile_balance = tw__number(r, from, "activeTileBalance", -1);
    }
    if (!step->types_count) given.thread_balance = tw__number(r, from, "threadBalance", -1);
    if (!step->data) given.data_balance = tw__number(r, from, "dataBalance", -1);
    if (given.active_tiles > r->p->target.tiles) tw__bad(r, "%.0f active tiles are too many", given.active_tiles);
    bool any = given.active_tiles >= 0 || given.thread_balance >= 0 || given.tile_balance >= 0 ||
               given.active_tile_balance >= 0 || given.data_balance >= 0;
    tw__given *slot = any && step->type != TW_PROGRAM_SYNC ? TW__PROFILE_PUSH(r->p, r->p->given) : NULL;
    if (!slot) return;
    *slot = given;
    step->given = (uint32_t)r->p->given.count;
}

static void read_kind(tw__reader *r, tw__step *step, json_t *from)
{
    static const char *const syncs[] = { "", "Internal", "External", "Global" };
    const char *type = tw__text(r, from, "type", ""), *sync = tw__text(r, from, "syncType", "");
    int known = 0;
    while (known < TW_PROGRAM_OTHER && strcmp(type, tw_program_type_name((tw_program_type)known))) known++;
    step->type = (tw_program_type)known;
    step->type_name = tw__profile_name(r->p, type);
    for (uint8_t s = 0; s < 4; s++)
        if (!strcmp(sync, syncs[s])) step->sync = s;
    step->name = tw__profile_name(r->p, tw__text(r, from, "name", ""));
    step->fidelity = (uint8_t)tw__fidelity(r, from, "fidelity");
    step->program = tw__id(r, from, "program");
    step->index = tw__id(r, from, "computeset");
    if (step->index == TW__NONE) step->index = tw__id(r, from, "exchange");
}

/* Times of a listed step: `now` is where the step before ended. */
static void read_times(tw__reader *r, tw__step *step, json_t *from, uint64_t *now)
{
    uint64_t start = tw__count(r, from, "cyclesFrom", *now);
    uint64_t end = tw__count(r, from, "cyclesTo", start + step->span);
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
    tw__step step = { 0 };
    if (!json_is_object(from)) tw__bad(r, "an object expected");
    if (r->status) return;
    read_kind(r, &step, from);
    step.active = tw__tiles(r, from, "activeCyclesByTile");
    step.data = tw__tiles(r, from, "dataByTile");
    step.cycles = tw__count(r, from, "cycles", r->p->rows.items[step.active].max);
    step.overlapped = tw__count(r, from, "cyclesOverlapped", 0);
    step.total_data = tw__count(r, from, "totalData", r->p->rows.items[step.data].sum);
    if (step.overlapped > step.cycles) tw__bad(r, "more cycles overlap than the step has");
    step.span = step.cycles - step.overlapped;
    if (listed) {
        read_times(r, &step, from, now);
    } else {
        step.span = tw__count(r, from, "cyclesSpan", step.span);
        step.gap = tw__signed(r, from, "cyclesGap");
    }
    json_t *types = tw__array(r, from, "activeCyclesByVertexType");
    size_t mark = tw__reader_enter(r, "activeCyclesByVertexType");
    read_step_types(r, &step, types);
    tw__reader_leave(r, mark);
    tw__read_work(r, from, &step);
    read_given(r, &step, from);
    tw__step *slot = r->status ? NULL : TW__PROFILE_PUSH(r->p, r->p->steps);
    if (slot) *slot = step;
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
    uint64_t first = tw__count(r, from, "first", 0), count = tw__count(r, from, "count", 0);
    if (!count || first >= r->p->steps.count || count > r->p->steps.count - first)
        tw__bad(r, "steps are not in a plan of %zu steps", r->p->steps.count);
    else
        made = (rule_map){ tw__profile_range_rule(r->p, (uint32_t)first, (uint32_t)count), count };
    return made;
}

static void read_runs(tw__reader *r, json_t *runs, const rule_map *rules, size_t known)
{
    uint64_t executed = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        json_t *run = tw__object_at(r, runs, NULL, i);
        size_t mark = tw__reader_enter_index(r, i);
        uint32_t rule = tw__id(r, run, "rule");
        uint64_t times = tw__count(r, run, "times", 1), steps;
        if (rule != TW__NONE && rule >= known)
            tw__bad(r, "there is no rule %u", rule);
        else if (__builtin_mul_overflow(rule == TW__NONE ? 1 : rules[rule].steps, times, &steps) ||
                 (executed += steps) > MAX_EXECUTED)
            tw__bad(r, "too many executed steps");
        if (r->status) return;
        tw__profile_add_run(r->p, tw__profile_name(r->p, tw__text(r, run, "name", "")),
                            rule == TW__NONE ? TW__NONE : rules[rule].id, times,
                            tw__number(r, run, "microseconds", 0));
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

void tw__read_execution(tw__reader *r, json_t *root)
{
    if (r->status) return;
    tw__profile_set_mode(r->p, tw__text(r, root, "profilerMode", "NONE"));
    read_vertices(r, root);
    read_simulation(r, root);
    if (!r->status) tw__read_intervals(r, root);
    if (!r->status) r->p->has_execution = true;
}
