/* SPDX-License-Identifier: MIT */
/* From the trace back to figures: how often each step ran, when, and what that adds up to. Formulas: docs/profile.md
 * and Poplar API, summary. */
#include "core/profile/schema.h"

#include <stdlib.h>

#define PROGRAM_TEXT(name, number, text, bucket)   [number] = text,
#define PROGRAM_BUCKET(name, number, text, bucket) [number] = TW_CYCLES_##bucket,
static const char *const program_names[] = { TW_PROGRAM_LIST(PROGRAM_TEXT) };
static const unsigned char program_buckets[] = { TW_PROGRAM_LIST(PROGRAM_BUCKET) };

const char *tw_program_type_name(tw_program_type type)
{
    return (unsigned)type < TW_PROGRAM_COUNT ? program_names[type] : "";
}

/* A rule's executions are known before its children's: children have lower ids. */
bool tw__profile_step_counts(const tw_profile *p, uint64_t *counts)
{
    memset(counts, 0, p->steps.count * sizeof *counts);
    size_t bytes;
    if (!p->rules.count) return true;
    if (!tw__mul_size(p->rules.count, sizeof(uint64_t), &bytes)) return false;
    uint64_t *rule_counts = tw__realloc(NULL, bytes);
    if (!rule_counts) return false;
    memset(rule_counts, 0, bytes);
    for (size_t i = 0; i < p->runs.count; i++)
        if (p->runs.items[i].rule != TW__NONE) rule_counts[p->runs.items[i].rule] += p->runs.items[i].times;
    for (size_t r = p->rules.count; r-- > 0;) {
        const tw__rule *rule = &p->rules.items[r];
        uint64_t times = rule_counts[r];
        if (!times) continue;
        for (uint32_t i = rule->first; i < rule->first + rule->count; i++) {
            if (rule->is_range)
                counts[i] += times;
            else
                rule_counts[p->items.items[i].rule] += times * p->items.items[i].times;
        }
    }
    free(rule_counts);
    return true;
}

/* A figure of a loaded file as a count; what does not fit becomes the nearest count that does. */
static uint64_t to_count(double value)
{
    return value > 0 ? value < 1.8e19 ? (uint64_t)(value + 0.5) : UINT64_MAX : 0;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Sum of active tile cycles of one execution. A step without a row occupies every tile (syncs); a loaded one may
 * state its balance instead. */
static uint64_t active_sum(const tw_profile *p, const tw__step *s)
{
    if (s->active) return p->rows.items[s->active].sum;
    double balance = s->given ? p->given.items[s->given - 1].figure[TW__GIVEN_TILE_BALANCE] : -1;
    if (balance >= 0) return to_count(balance * (double)s->cycles * p->target.tiles);
    return s->cycles * p->target.tiles;
}

static double threads_of(const tw_profile *p)
{
    return p->target.threads ? p->target.threads : 1;
}

static void apply_given(const tw__given *given, tw_profile_step *info)
{
    tw__step_line line = { .info = *info };
    const double *figure = given->figure;
    for (TW__EACH_COLUMN(c, TW__TABLE_step)) {
        if (!(c->when & TW__GIVEN)) continue;
        if (*figure >= 0 && tw__column_is_real(c))
            tw__column_set_real(c, &line, *figure);
        else if (*figure >= 0)
            tw__column_set(c, &line, (uint64_t)*figure);
        figure++;
    }
    *info = line.info;
}

void tw__profile_step_info(const tw_profile *p, uint32_t step, tw_profile_step *info)
{
    const tw__step *s = &p->steps.items[step];
    double tiles = p->target.tiles, cycles = (double)s->cycles;
    *info = (tw_profile_step){ .plan_step = step,
                               .type = s->type,
                               .type_name = p->names.items[s->type_name],
                               .name = p->names.items[s->name],
                               .sync = (tw_profile_sync)s->sync,
                               .cycles = s->cycles,
                               .overlapped = s->overlapped,
                               .active_tiles = p->target.tiles,
                               .thread_balance = -1,
                               .data_balance = -1,
                               .total_data = s->total_data,
                               .fidelity = (tw_fidelity)s->fidelity };
    double sum = (double)active_sum(p, s);
    if (s->active) info->active_tiles = p->rows.items[s->active].active;
    info->tile_balance = ratio(sum, cycles * tiles);
    info->active_tile_balance = ratio(sum, cycles * info->active_tiles);
    if (s->types_count) info->thread_balance = ratio((double)s->thread_cycles, sum * threads_of(p));
    if (s->data) {
        const tw__row_info *data = &p->rows.items[s->data];
        info->data_balance = ratio((double)data->sum / tiles, (double)data->max);
    }
    if (s->given) apply_given(&p->given.items[s->given - 1], info);
}

/* --- walking the trace ---------------------------------------------------------------------------------------- */

enum { FOLD_FIRST = 4, FOLD_LAST = 1 }; /* executions of what repeats that are visited */

typedef struct rule_sum { /* of one execution */
    uint64_t steps, cycles;
} rule_sum;

typedef struct walk {
    const tw_profile *p;
    tw_profile_visit visit;
    void *user;
    uint64_t index, now;
    bool (*fold)(void *user, const tw__profile_fold *fold); /* NULL: everything is visited */
    const rule_sum *sums;                                   /* [rules], where there is a fold */
} walk;

static bool walk_step(walk *w, uint32_t step)
{
    const tw__step *s = &w->p->steps.items[step];
    tw_profile_step info;
    tw__profile_step_info(w->p, step, &info);
    info.index = w->index++;
    info.cycles_from = w->now + (uint64_t)s->gap;
    info.cycles_to = w->now = info.cycles_from + s->span;
    return w->visit(w->user, &info);
}

static bool walk_rule(walk *w, uint32_t id);

/* A rule so many times in a row. */
static bool walk_times(walk *w, uint32_t rule, uint64_t times)
{
    uint64_t folded = w->fold && times > FOLD_FIRST + FOLD_LAST + 1 ? times - FOLD_FIRST - FOLD_LAST : 0;
    for (uint64_t t = 0; t < times - folded; t++) {
        if (folded && t == FOLD_FIRST) {
            const rule_sum *one = &w->sums[rule];
            const tw__profile_fold f = { folded, folded * one->steps, w->now, w->now + folded * one->cycles };
            if (!w->fold(w->user, &f)) return false;
            w->index += f.steps, w->now = f.to;
        }
        if (!walk_rule(w, rule)) return false;
    }
    return true;
}

/* Recursion is bounded by the depth of the rules (trace.c). */
static bool walk_rule(walk *w, uint32_t id)
{
    const tw__rule *rule = &w->p->rules.items[id];
    for (uint32_t i = rule->first; i < rule->first + rule->count; i++) {
        if (rule->is_range) {
            if (!walk_step(w, i)) return false;
            continue;
        }
        const tw__item item = w->p->items.items[i];
        if (!walk_times(w, item.rule, item.times)) return false;
    }
    return true;
}

static void walk_runs(walk *w)
{
    for (size_t i = 0; i < w->p->runs.count; i++) {
        const tw__run *run = &w->p->runs.items[i];
        if (run->rule != TW__NONE && !walk_times(w, run->rule, run->times)) return;
    }
}

void tw_profile_each_step(const tw_profile *p, tw_profile_visit visit, void *user)
{
    if (!p) return;
    walk_runs(&(walk){ .p = p, .visit = visit, .user = user });
}

/* Children have lower ids than who repeats them. */
static void sum_rule(const tw_profile *p, uint32_t id, rule_sum *sums)
{
    const tw__rule *rule = &p->rules.items[id];
    rule_sum sum = { 0, 0 };
    for (uint32_t i = rule->first; i < rule->first + rule->count; i++) {
        if (rule->is_range) {
            sum.steps++, sum.cycles += p->steps.items[i].span + (uint64_t)p->steps.items[i].gap;
            continue;
        }
        const tw__item item = p->items.items[i];
        sum.steps += item.times * sums[item.rule].steps, sum.cycles += item.times * sums[item.rule].cycles;
    }
    sums[id] = sum;
}

tw_status tw__profile_each_folded(const tw_profile *p, tw_profile_visit visit,
                                  bool (*fold)(void *user, const tw__profile_fold *fold), void *user)
{
    rule_sum *sums = tw__calloc(p->rules.count + 1, sizeof *sums);
    if (!sums) return tw__fail(TW_E_NO_MEMORY, "out of memory for the steps of a profile");
    for (uint32_t r = 0; r < p->rules.count; r++) sum_rule(p, r, sums);
    walk_runs(&(walk){ .p = p, .visit = visit, .user = user, .fold = fold, .sums = sums });
    free(sums);
    return TW_OK;
}

bool tw_profile_step_cycles(const tw_profile *p, uint32_t plan_step, uint64_t *by_tile)
{
    if (!p) return false;
    tw__row row = plan_step < p->steps.count ? p->steps.items[plan_step].active : 0;
    return tw__profile_row_read(p, row, by_tile, p->target.tiles);
}

/* --- totals --------------------------------------------------------------------------------------------------- */

/* Time in no other bucket is time at a sync: tiles wait there for the slowest one. */
static void count_waiting(const tw_profile *p, tw_profile_totals *t, bool synced)
{
    uint64_t busy = 0, all = t->cycles * p->target.tiles;
    for (unsigned b = 0; b < TW_CYCLES_BUCKETS; b++)
        if (b != TW_CYCLES_SYNC && b != TW_CYCLES_NONE) busy += t->by_bucket[b];
    t->by_bucket[TW_CYCLES_SYNC] = synced && all > busy ? all - busy : 0;
}

static void apply_given_totals(const tw_profile *p, tw_profile_totals *t)
{
    for (TW__EACH_COLUMN(c, TW__TABLE_totals)) {
        bool stated = c->key && c->kind != TW__KIND_FIDELITY && tw__column_get(c, &p->given_totals) != UINT64_MAX;
        if (stated) tw__column_set(c, t, tw__column_get(c, &p->given_totals));
    }
}

tw_status tw_profile_get_totals(const tw_profile *p, tw_profile_totals *t)
{
    if (!p) return tw__missing("profile");
    memset(t, 0, sizeof *t);
    tw_status status = tw__profile_has(p, false, true, "add up");
    if (status) return status;
    uint64_t *counts = tw__realloc(NULL, (p->steps.count + 1) * sizeof *counts);
    if (!counts || !tw__profile_step_counts(p, counts)) {
        free(counts);
        return tw__fail(TW_E_NO_MEMORY, "out of memory for the totals of a profile");
    }
    bool synced = false;
    for (size_t i = 0; i < p->steps.count; i++) {
        const tw__step *s = &p->steps.items[i];
        if (!counts[i]) continue;
        t->steps += counts[i];
        t->cycles += counts[i] * (s->span + (uint64_t)s->gap);
        t->by_bucket[program_buckets[s->type]] += counts[i] * active_sum(p, s);
        if (s->type == TW_PROGRAM_ON_TILE_EXECUTE)
            t->compute_active += counts[i] * (s->types_count ? s->thread_cycles : active_sum(p, s));
        if (s->type == TW_PROGRAM_SYNC) synced = true;
        if (s->fidelity > t->fidelity) t->fidelity = (tw_fidelity)s->fidelity;
    }
    free(counts);
    for (size_t i = 0; i < p->runs.count; i++) t->runs += p->runs.items[i].times;
    count_waiting(p, t, synced);
    apply_given_totals(p, t);
    double compute = (double)t->by_bucket[TW_CYCLES_COMPUTE];
    t->seconds = ratio((double)t->cycles, p->target.clock_hz);
    t->tile_balance = ratio(compute, (double)t->cycles * p->target.tiles);
    t->thread_balance = ratio((double)t->compute_active, compute * threads_of(p));
    return TW_OK;
}

bool tw__profile_tiles_in_use(const tw_profile *p, uint32_t *sum)
{
    uint64_t *counts = tw__realloc(NULL, (p->steps.count + 1) * sizeof *counts);
    bool *used = tw__calloc((size_t)p->target.tiles + 1, sizeof *used);
    bool known = counts && used && tw__profile_step_counts(p, counts);
    *sum = 0; /* all of them, mostly after a few steps: then the rest says nothing new */
    for (size_t i = 0; known && i < p->steps.count && *sum < p->target.tiles; i++) {
        const tw__step *s = &p->steps.items[i];
        tw_cycles_bucket bucket = program_buckets[s->type];
        if (!counts[i] || bucket == TW_CYCLES_HOST_EXCHANGE || bucket == TW_CYCLES_SYNC || bucket == TW_CYCLES_NONE)
            continue;
        tw__row_cursor c = tw__profile_row_cursor(p, s->active);
        uint64_t value = s->cycles;
        uint32_t t = 0, n = p->target.tiles; /* without a row the step is on all tiles */
        while (t < p->target.tiles && (!s->active || tw__profile_row_next(&c, &n, &value)))
            for (uint32_t end = n < p->target.tiles - t ? t + n : p->target.tiles; t < end; t++) {
                *sum += value > 0 && !used[t];
                used[t] |= value > 0;
            }
    }
    free(counts);
    free(used);
    return known;
}

double tw__profile_used_balance(const tw_profile *p, const tw_profile_totals *totals, uint32_t used)
{
    double balance = used ? totals->tile_balance * p->target.tiles / used : 0;
    return balance < 1 ? balance : 1;
}

/* Earlier versions kept no pairs of an AI Engine's tiles: without any of several tiles that worked, the wires of its
 * graph have to say that nothing went from kernel to kernel. */
static bool pairs_are_lost(const tw_profile *p)
{
    bool has_pairs = p->pairs.count || strcmp(p->names.items[p->target.type], "AI_ENGINE") != 0;
    uint32_t used;
    if (has_pairs || !tw__profile_tiles_in_use(p, &used) || used < 2) return false;
    bool is_lost = !p->wires.count || p->nodes_omitted;
    for (size_t i = 0; i < p->wires.count && !is_lost; i++) {
        const tw__profile_wire *w = &p->wires.items[i];
        is_lost = w->bytes && p->nodes.items[w->from].tile != TW__NONE && p->nodes.items[w->to].tile != TW__NONE;
    }
    return is_lost;
}

/* In steps of an exchange, as of the IPU and the wafer, or by pair of tiles, as between kernels and cores. */
static uint64_t exchanged(const tw_profile *p, const uint64_t *counts, bool *known)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->steps.count; i++) {
        tw_cycles_bucket b = program_buckets[p->steps.items[i].type];
        if (b == TW_CYCLES_EXCHANGE || b == TW_CYCLES_GLOBAL_EXCHANGE)
            sum += counts[i] * (uint64_t)p->steps.items[i].total_data;
    }
    bool in_steps = sum > 0;
    for (size_t i = 0; !in_steps && i < p->pairs.count; i++)
        if (p->pairs.items[i].kind != TW__EXCHANGE_HOST) sum += p->pairs.items[i].bytes;
    *known = in_steps || !(p->pairs_omitted || pairs_are_lost(p));
    return sum;
}

uint64_t tw_profile_bytes_moved(const tw_profile *p, tw_fidelity *fidelity)
{
    if (fidelity) *fidelity = TW_FIDELITY_ABSENT;
    uint64_t *counts = p && p->has_execution ? tw__realloc(NULL, (p->steps.count + 1) * sizeof *counts) : NULL;
    if (!counts || !tw__profile_step_counts(p, counts)) return free(counts), 0;
    bool all_pairs,
        shared = strcmp(p->names.items[p->target.type], "ASCEND_PTO") != 0; /* is known, or there is none */
    uint64_t sum = exchanged(p, counts, &all_pairs);
    free(counts);
    for (size_t i = 0; i < p->optimizations.count; i++) {
        if (strcmp(p->names.items[p->optimizations.items[i].name], TW__SHARED_MEMORY_BYTES) != 0) continue;
        uint64_t bytes = to_count(p->optimizations.items[i].value);
        sum = bytes < UINT64_MAX - sum ? sum + bytes : UINT64_MAX;
        shared = true;
    }
    if (all_pairs && shared && fidelity) *fidelity = TW_FIDELITY_EXACT;
    return sum;
}

/* --- graph figures -------------------------------------------------------------------------------------------- */

bool tw_profile_has_graph(const tw_profile *p)
{
    if (!p) return false;
    return p->has_graph;
}

bool tw_profile_has_execution(const tw_profile *p)
{
    if (!p) return false;
    return p->has_execution;
}

unsigned tw_profile_tiles(const tw_profile *p)
{
    if (!p) return 0;
    return p->target.tiles;
}

const char *tw_profile_architecture(const tw_profile *p)
{
    return p ? p->names.items[p->target.arch] : "";
}

const char *tw_profile_band(const tw_profile *p)
{
    return p ? p->names.items[p->target.band] : "";
}

tw__type_cycles *tw__profile_type_totals(const tw_profile *p)
{
    tw__type_cycles *types = tw__calloc(p->types.count + 1, sizeof *types);
    uint64_t *counts = tw__realloc(NULL, (p->steps.count + 1) * sizeof *counts);
    if (!types || !counts || !tw__profile_step_counts(p, counts)) {
        free(types);
        free(counts);
        tw__fail(TW_E_NO_MEMORY, "out of memory for the vertex types of a profile");
        return NULL;
    }
    for (size_t i = 0; i < p->set_counts.count; i++)
        types[p->set_counts.items[i].vertex_type].instances += p->set_counts.items[i].count;
    for (uint32_t i = 0; i < p->types.count; i++) {
        types[i].vertex_type = i;
        if (p->given_type_cycles.count) types[i].cycles = p->given_type_cycles.items[i];
    }
    for (size_t i = 0; !p->given_type_cycles.count && i < p->steps.count; i++)
        for (uint32_t k = 0; k < p->steps.items[i].types_count; k++) {
            const tw__type_cycles *tc = &p->type_cycles.items[p->steps.items[i].types_first + k];
            types[tc->vertex_type].cycles += counts[i] * tc->cycles;
        }
    free(counts);
    return types;
}

const char *tw_profile_vertex_type(const tw_profile *p, size_t index, uint64_t *cycles, uint64_t *instances)
{
    if (!p) return NULL;
    *cycles = *instances = 0;
    if (index >= p->types.count) return NULL;
    tw__type_cycles *types = tw__profile_type_totals(p);
    if (!types) return NULL;
    *cycles = types[index].cycles;
    *instances = types[index].instances;
    free(types);
    return p->names.items[p->types.items[index].name];
}

static bool has_rows(const tw__category *c)
{
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++)
        for (unsigned o = 0; o < TW__MEMORY_OVERLAPS; o++)
            if (c->bytes[r][o]) return true;
    return false;
}

uint64_t tw_profile_memory(const tw_profile *p, const char *key, tw_fidelity *fidelity)
{
    if (!p) return 0;
    uint64_t sum = 0;
    if (fidelity) *fidelity = TW_FIDELITY_ABSENT;
    for (size_t i = 0; i < p->categories.count; i++) {
        const tw__category *c = &p->categories.items[i];
        if (strcmp(p->names.items[c->key], key)) continue;
        for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++)
            for (unsigned o = 0; o < TW__MEMORY_OVERLAPS; o++) sum += p->rows.items[c->bytes[r][o]].sum;
        if (fidelity) *fidelity = has_rows(c) ? c->fidelity : TW_FIDELITY_ABSENT;
    }
    return sum;
}

/* Adds the rows of all categories in the chosen regions (bit mask) and overlaps to by_tile; false when there are
 * none. */
static bool add_categories(const tw_profile *p, unsigned regions, uint64_t *by_tile, uint64_t *row)
{
    bool any = false;
    for (size_t i = 0; i < p->categories.count; i++)
        for (unsigned k = 0; k < TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS; k++) {
            unsigned region = k / TW__MEMORY_OVERLAPS;
            tw__row id = p->categories.items[i].bytes[region][k % TW__MEMORY_OVERLAPS];
            if (!(regions >> region & 1) || !tw__profile_row_read(p, id, row, p->target.tiles)) continue;
            for (uint32_t t = 0; t < p->target.tiles; t++) by_tile[t] += row[t];
            any = true;
        }
    return any;
}

/* After placement the measured row; before it, the sum over all categories, sharing of addresses not counted. */
bool tw_profile_memory_by_tile(const tw_profile *p, uint64_t *by_tile)
{
    if (!p) return false;
    if (p->total) return tw__profile_row_read(p, p->total, by_tile, p->target.tiles);
    memset(by_tile, 0, p->target.tiles * sizeof *by_tile);
    uint64_t *row = tw__realloc(NULL, ((size_t)p->target.tiles + 1) * sizeof *row);
    bool any = row && add_categories(p, ~0u, by_tile, row);
    free(row);
    return any;
}

/* Before placement everything that a tile cannot hold overflows, and what overflows is taken to be plain data. */
void tw__profile_region(const tw_profile *p, tw__memory_region region, uint64_t *by_tile, uint64_t *row)
{
    uint32_t tiles = p->target.tiles;
    uint64_t capacity = p->target.bytes_per_tile;
    bool measured = false;
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) measured |= p->by_region[r] != 0;
    if (measured) {
        tw__profile_row_read(p, p->by_region[region], by_tile, tiles);
        return;
    }
    memset(by_tile, 0, tiles * sizeof *by_tile);
    if (region == TW__INTERLEAVED) {
        add_categories(p, 1u << TW__INTERLEAVED, by_tile, row);
        return;
    }
    add_categories(p, ~0u, by_tile, row);
    for (uint32_t t = 0; t < tiles; t++) {
        uint64_t excess = capacity && by_tile[t] > capacity ? by_tile[t] - capacity : 0;
        by_tile[t] = region == TW__OVERFLOWED ? excess : by_tile[t] - excess;
    }
    if (region == TW__OVERFLOWED) return;
    uint64_t *apart = tw__realloc(NULL, ((size_t)tiles + 1) * sizeof *apart);
    if (!apart) return;
    memset(apart, 0, tiles * sizeof *apart);
    add_categories(p, 1u << TW__INTERLEAVED, apart, row);
    for (uint32_t t = 0; t < tiles; t++) by_tile[t] -= apart[t] < by_tile[t] ? apart[t] : by_tile[t];
    free(apart);
}

uint64_t tw__profile_always_live_bytes(const tw_profile *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->always_live.count; i++) sum += p->always_live.items[i].bytes;
    return sum;
}
