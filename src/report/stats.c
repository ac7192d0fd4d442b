/* stats: what rules and tables need of a profile. Rows are walked run by run, each distinct one once, so that the
 * cost follows what is stored, not steps x tiles. */
#include "report/report.h"

#include <stdlib.h>

#define PROGRAM_BUCKET(name, text, bucket) TW_CYCLES_##bucket,
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
    static const struct {
        const char *type, *words[3];
    } machines[] = {
        { "AI_ENGINE", { "array", "tile", "kernel" } },
        { "ASCEND_PTO", { "device", "core", "instruction" } },
        { "WSE", { "wafer", "PE", "kernel" } },
        { NULL, { "IPU", "tile", "vertex" } },
    };
    const char *type = p->names.items[p->target.type];
    size_t i = 0;
    while (machines[i].type && strcmp(machines[i].type, type) != 0) i++;
    return machines[i].words[word];
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

/* Active cycles of the steps of a bucket by tile: what no step ran beside, and what ran at the same time as others. */
typedef struct activity {
    uint64_t *alone, *beside; /* NULL = no such step */
} activity;

/* A tile is active in the part of a step that lies beside others at last. */
static uint64_t alone_of(const tw__step *step, uint64_t active)
{
    uint64_t alone = step->cycles > step->overlapped ? step->cycles - step->overlapped : 0;
    return active < alone ? active : alone;
}

static uint64_t *differences_of(uint64_t **sum, uint32_t tiles)
{
    if (!*sum) *sum = tw__calloc((size_t)tiles + 2, sizeof **sum);
    return *sum;
}

static bool add_overlapped(const tw__stats *s, const tw__step *step, uint64_t times, activity *to)
{
    tw__row_cursor c = tw__profile_row_cursor(s->p, step->active);
    uint64_t value = step->cycles;
    uint32_t n = s->tiles, t = 0;
    if (!differences_of(&to->alone, s->tiles) || !differences_of(&to->beside, s->tiles)) return false;
    while (t < s->tiles && (!step->active || tw__profile_row_next(&c, &n, &value))) {
        uint32_t end = n < s->tiles - t ? t + n : s->tiles;
        uint64_t alone = alone_of(step, value) * times, beside = value * times - alone;
        to->alone[t] += alone, to->alone[end] -= alone;
        to->beside[t] += beside, to->beside[end] -= beside;
        t = end;
    }
    return true;
}

static bool add_steps(const tw__stats *s, unsigned bucket, uint64_t *times, activity *to)
{
    const tw_profile *p = s->p;
    memset(times, 0, p->rows.count * sizeof *times);
    for (size_t i = 0; i < p->steps.count; i++) {
        const tw__step *step = &p->steps.items[i];
        if (tw__step_bucket(step) != bucket || !s->counts[i]) continue;
        if (step->overlapped) {
            if (!add_overlapped(s, step, s->counts[i], to)) return false;
            continue;
        }
        if (!differences_of(&to->alone, s->tiles)) return false;
        if (step->active)
            times[step->active] += s->counts[i];
        else
            to->alone[0] += s->counts[i] * step->cycles; /* and to the end */
    }
    for (size_t r = 1; to->alone && r < p->rows.count; r++)
        if (times[r]) add_row(p, (tw__row)r, times[r], to->alone, s->tiles);
    for (uint32_t t = 0; to->alone && t + 1 < s->tiles; t++) to->alone[t + 1] += to->alone[t];
    for (uint32_t t = 0; to->beside && t + 1 < s->tiles; t++) to->beside[t + 1] += to->beside[t];
    return true;
}

/* Cycles of a tile count once: those beside other steps only as far as the tile was not active in these. */
static void count_once(tw__stats *s, activity *all)
{
    for (unsigned b = TW_CYCLES_COMPUTE; b < TW_CYCLES_SYNC; b++)
        for (uint32_t t = 0; all[b].alone && t < s->tiles; t++) s->active[t] += all[b].alone[t];
    for (uint32_t t = 0; t < s->tiles; t++) {
        uint64_t hidden = s->active[t];
        for (unsigned b = TW_CYCLES_COMPUTE; b < TW_CYCLES_SYNC; b++) {
            uint64_t beside = all[b].beside ? all[b].beside[t] : 0, more = beside > hidden ? beside - hidden : 0;
            hidden -= beside < hidden ? beside : hidden;
            if (more) all[b].alone[t] += more, s->active[t] += more;
        }
    }
    for (unsigned b = TW_CYCLES_COMPUTE; b < TW_CYCLES_SYNC; b++) s->busy[b] = all[b].alone;
}

static tw_status count_busy(tw__stats *s)
{
    activity all[TW_CYCLES_BUCKETS] = { { 0 } };
    uint64_t *times = tw__calloc(s->p->rows.count + 1, sizeof *times);
    bool good = times != NULL;
    for (unsigned b = TW_CYCLES_COMPUTE; b < TW_CYCLES_SYNC && good; b++) good = add_steps(s, b, times, &all[b]);
    count_once(s, all);
    for (unsigned b = 0; b < TW_CYCLES_BUCKETS; b++) free(all[b].beside);
    free(times);
    return good ? TW_OK : TW_E_NO_MEMORY;
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
