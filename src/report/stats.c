/* SPDX-License-Identifier: MIT */
/* stats: what rules and tables need of a profile. Rows are walked run by run, each distinct one once, so that the
 * cost follows what is stored, not steps x tiles. */
#include "report/report.h"

#include "core/profile/summary.h"

#include <stdlib.h>

#define PROGRAM_BUCKET(name, number, text, bucket) [number] = TW_CYCLES_##bucket,
static const unsigned char buckets[] = { TW_PROGRAM_LIST(PROGRAM_BUCKET) };

tw_cycles_bucket tw__step_bucket(const tw__step *step)
{
    return (tw_cycles_bucket)buckets[step->type];
}

const char *tw__fact_of(const tw_profile *p, const char *key)
{
    for (size_t i = 0; i < p->facts.count; i++)
        if (!strcmp(p->names.items[p->facts.items[i].key], key)) return p->names.items[p->facts.items[i].value];
    return "";
}

const char *tw__word_of(const tw_profile *p, tw__word word)
{
    return tw__profile_terms(p->names.items[p->target.type])->words[word];
}

static void row_stats(const tw_profile *p, tw__row row, uint32_t tiles, tw__row_stats *out)
{
    tw__row_cursor c = tw__profile_row_cursor(p, row);
    uint64_t value;
    uint32_t n, t = 0;
    *out = (tw__row_stats){ .min = UINT64_MAX };
    for (; t < tiles && tw__profile_row_next(&c, &n, &value); t += n < tiles - t ? n : tiles - t) {
        if (value < out->min) out->min = value;
        if (value > out->max) {
            out->second = n > 1 ? value : out->max;
            out->max = value;
            out->argmax = t;
        } else if (value > out->second) {
            out->second = value;
        }
    }
    if (t < tiles || out->min == UINT64_MAX) out->min = 0;
}

/* Sums of rows by differences: a run of equal tiles costs two additions, however long it is. */
static void add_row(const tw_profile *p, tw__row row, uint64_t times, uint64_t *differences, uint32_t tiles)
{
    tw__row_cursor c = tw__profile_row_cursor(p, row);
    uint64_t value;
    uint32_t n, t = 0;
    while (t < tiles && tw__profile_row_next(&c, &n, &value)) {
        uint32_t end = n < tiles - t ? t + n : tiles;
        differences[t] += value * times;
        differences[end] -= value * times;
        t = end;
    }
}

static tw_status count_busy(tw__stats *s)
{
    const tw_profile *p = s->p;
    uint64_t *times = tw__calloc(p->rows.count + 1, sizeof *times);
    tw_status status = times ? TW_OK : TW_E_NO_MEMORY;
    for (unsigned b = TW_CYCLES_COMPUTE; b < TW_CYCLES_SYNC && !status; b++) {
        uint64_t everywhere = 0;
        bool any = false;
        memset(times, 0, p->rows.count * sizeof *times);
        for (size_t i = 0; i < p->steps.count; i++) {
            const tw__step *step = &p->steps.items[i];
            if (tw__step_bucket(step) != b || !s->counts[i]) continue;
            any = true;
            if (step->active)
                times[step->active] += s->counts[i];
            else
                everywhere += s->counts[i] * step->cycles;
        }
        if (!any) continue;
        uint64_t *sum = s->busy[b] = tw__calloc((size_t)s->tiles + 2, sizeof *sum);
        if (!sum) {
            status = TW_E_NO_MEMORY;
            break;
        }
        for (size_t r = 1; r < p->rows.count; r++)
            if (times[r]) add_row(p, (tw__row)r, times[r], sum, s->tiles);
        for (uint32_t t = 0; t + 1 < s->tiles; t++) sum[t + 1] += sum[t];
        for (uint32_t t = 0; t < s->tiles; t++) sum[t] += everywhere, s->active[t] += sum[t];
    }
    free(times);
    return status;
}

static bool has_overlapped(const tw__stats *s)
{
    for (size_t i = 0; i < s->p->steps.count; i++)
        if (s->counts[i] && s->p->steps.items[i].overlapped) return true;
    return false;
}

/* A step may run beside others on the same tile, as the links of a wafer do: what does not fit into the run lay
 * beside, and is no more than that. Compute comes first among the buckets and keeps its cycles longest. */
static void count_once(tw__stats *s)
{
    if (!s->has_totals || !has_overlapped(s)) return;
    for (uint32_t t = 0; t < s->tiles; t++)
        for (unsigned b = TW_CYCLES_SYNC; b-- > TW_CYCLES_COMPUTE && s->active[t] > s->totals.cycles;) {
            uint64_t excess = s->active[t] - s->totals.cycles, held = s->busy[b] ? s->busy[b][t] : 0;
            uint64_t beside = excess < held ? excess : held;
            if (beside) s->busy[b][t] -= beside;
            s->active[t] -= beside;
        }
}

static tw_status read_memory(tw__stats *s)
{
    s->memory = tw__calloc((size_t)s->tiles + 1, sizeof *s->memory);
    if (!s->memory) return TW_E_NO_MEMORY;
    s->memory_has_gaps = s->p->total_with_gaps != 0;
    bool known = s->memory_has_gaps ? tw__profile_row_read(s->p, s->p->total_with_gaps, s->memory, s->tiles)
                                    : s->p->has_graph && tw_profile_memory_by_tile(s->p, s->memory);
    if (!known) {
        free(s->memory);
        s->memory = NULL;
    }
    return TW_OK;
}

static void count_types(tw__stats *s)
{
    const tw_profile *p = s->p;
    for (size_t i = 0; i < p->steps.count; i++)
        for (uint32_t k = 0; k < p->steps.items[i].types_count; k++) {
            const tw__type_cycles *tc = &p->type_cycles.items[p->steps.items[i].types_first + k];
            if (!s->counts[i]) continue;
            if (!p->set_counts.count) s->types[tc->vertex_type].instances += tc->instances * s->counts[i];
            if (tc->worst <= s->worst[tc->vertex_type]) continue;
            s->worst[tc->vertex_type] = tc->worst;
            s->worst_tile[tc->vertex_type] = tc->worst_tile;
            s->worst_step[tc->vertex_type] = (uint32_t)i;
        }
}

tw_status tw__stats_new(tw__stats *s, const tw_profile *p)
{
    *s = (tw__stats){ .p = p, .tiles = p->target.tiles, .limit = p->target.bytes_per_tile };
    tw_status status = tw__profile_status(p);
    if (status) return tw__fail(status, "%s", p->detail ? p->detail : "the profile is not whole");
    s->counts = tw__calloc(p->steps.count + 1, sizeof *s->counts);
    s->rows = tw__calloc(p->rows.count + 1, sizeof *s->rows);
    s->active = tw__calloc((size_t)s->tiles + 1, sizeof *s->active);
    s->worst = tw__calloc(p->types.count + 1, sizeof *s->worst);
    s->worst_tile = tw__calloc(p->types.count + 1, sizeof *s->worst_tile);
    s->worst_step = tw__calloc(p->types.count + 1, sizeof *s->worst_step);
    s->types = tw__profile_type_totals(p);
    bool good = s->counts && s->rows && s->active && s->worst && s->worst_tile && s->worst_step && s->types &&
                tw__profile_step_counts(p, s->counts);
    if (good) {
        for (size_t r = 1; r < p->rows.count; r++) row_stats(p, (tw__row)r, s->tiles, &s->rows[r]);
        count_types(s);
        status = count_busy(s);
        if (!status) status = read_memory(s);
        s->has_totals = !status && p->has_execution;
        if (s->has_totals) status = tw_profile_get_totals(p, &s->totals);
        if (!status) count_once(s);
    }
    if (good && !status) return TW_OK;
    tw__stats_free(s);
    return tw__fail(TW_E_NO_MEMORY, "out of memory for a report");
}

void tw__stats_free(tw__stats *s)
{
    for (unsigned b = 0; b < TW_CYCLES_BUCKETS; b++) free(s->busy[b]);
    free(s->counts), free(s->rows), free(s->active), free(s->memory), free(s->types);
    free(s->worst), free(s->worst_tile), free(s->worst_step);
    *s = (tw__stats){ 0 };
}

double tw__stats_step_cycles(const tw__stats *s, uint32_t step)
{
    return (double)s->counts[step] * (double)s->p->steps.items[step].cycles;
}

double tw__stats_step_active(const tw__stats *s, uint32_t step)
{
    const tw__step *at = &s->p->steps.items[step];
    tw_profile_step info;
    if (at->active) return (double)s->counts[step] * (double)s->p->rows.items[at->active].sum;
    tw__profile_step_info(s->p, step, &info);
    return (double)s->counts[step] * info.tile_balance * (double)at->cycles * s->tiles;
}

double tw__stats_thread_balance(const tw__stats *s)
{
    return tw__profile_terms(s->p->names.items[s->p->target.type])->is_graph ? s->totals.thread_balance : -1;
}
