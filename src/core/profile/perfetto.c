/* SPDX-License-Identifier: MIT */
/* The execution as a trace in the JSON form of chrome://tracing and ui.perfetto.dev. Times are microseconds of the
 * modelled clock. A process for the machine has a track for each kind of step and for each worker of the tile that
 * the others wait for, counters, and flows from an exchange to the compute step behind it; a process for each chip
 * has tracks of recorded lanes (pipes, kernels), with flows from what was waited for, or of its busiest and idlest
 * tile where none are recorded: of as many chips, those with the busiest tiles, as there is room for events.
 *
 * Slices of one track must nest: each begins where the one before it on its track ended, at the earliest. The
 * number of events is bounded: of a run with more steps than that, what repeats itself without a change has its first
 * executions and the last one, and a slice on a track of its own for those between. What is left out then stands in
 * "otherData", as the unit of time does, and in an event at the beginning. */
#include "core/profile/json.h"
#include "core/profile/summary.h"

#include <glib.h>

#include <math.h>
#include <stdlib.h>

enum {
    DEFAULT_MAX_EVENTS = 100000,
    MACHINE = 1,                                  /* process; chips follow */
    STEP_TRACK = 1,                               /* + type of step */
    WORKER_TRACK = STEP_TRACK + TW_PROGRAM_COUNT, /* + worker */
    MOST_WORKERS = 64,
    REPEAT_TRACK = WORKER_TRACK + MOST_WORKERS,
    MOST_CHIPS = 16, /* whose busiest and idlest tiles have tracks */
    SHOWN_TILES = 2 * MOST_CHIPS,
    TILE_EVENTS = 4 /* on those tracks, for each step that may be written */
};

typedef struct tracer {
    tw__json *j;
    const tw_profile *p;
    double us_per_cycle;
    uint64_t left, flow;
    uint64_t written, repeated;       /* steps that have slices, and that stand in those of repeats */
    uint64_t ended[TW_PROGRAM_COUNT]; /* cycle at which the last slice of a track ended */
    bool used[TW_PROGRAM_COUNT];
    double exchange_at; /* of the last exchange that no compute step has followed yet; negative = none */
    uint32_t exchange_track;
    uint32_t *shown; /* tiles with a track of their own */
    uint32_t shown_count;
    uint64_t *row, tile_ended[SHOWN_TILES];
    uint64_t worker_ended[MOST_WORKERS];
    bool worker_used[MOST_WORKERS];
    uint64_t always_live;
    GHashTable *hottest; /* name of a kernel -> tw__profile_line */
} tracer;

/* Times are written to a femtosecond: what follows without a gap still does, in fewer digits. */
static double femtoseconds(double us)
{
    return round(us * 1e9) / 1e9;
}

static void begin(tracer *t, const char *phase, const char *name, uint64_t process, uint64_t track, double ts)
{
    tw__json_open(t->j, NULL, '{');
    tw__json_text(t->j, "ph", phase);
    tw__json_text(t->j, "name", name);
    tw__json_count(t->j, "pid", process);
    tw__json_count(t->j, "tid", track);
    tw__json_number(t->j, "ts", femtoseconds(ts));
}

/* An event with arguments; `us`: how long a slice takes. */
static void event(tracer *t, const char *phase, const char *name, uint64_t process, uint64_t track, double ts,
                  double us)
{
    begin(t, phase, name, process, track, ts);
    if (*phase == 'X') tw__json_number(t->j, "dur", femtoseconds(femtoseconds(ts + us) - femtoseconds(ts)));
    tw__json_open(t->j, "args", '{');
}

static void perfetto_finish(tracer *t)
{
    tw__json_close(t->j, '}');
    tw__json_close(t->j, '}');
}

static void counter(tracer *t, const char *name, const char *unit, double ts, uint64_t value)
{
    event(t, "C", name, MACHINE, 0, ts, 0);
    tw__json_count(t->j, unit, value);
    perfetto_finish(t);
}

static void flow(tracer *t, const char *phase, const char *category, uint64_t process, uint64_t track, double ts)
{
    begin(t, phase, "data", process, track, ts);
    tw__json_text(t->j, "cat", category);
    tw__json_count(t->j, "id", t->flow);
    if (*phase == 'f') tw__json_text(t->j, "bp", "e");
    tw__json_close(t->j, '}');
}

/* An exchange and the compute step behind it: the arrow begins and ends inside of their slices. */
static void join(tracer *t, const tw_profile_step *s, double from, double to)
{
    bool exchange = s->type == TW_PROGRAM_DO_EXCHANGE || s->type == TW_PROGRAM_GLOBAL_EXCHANGE;
    if (exchange && to > from) {
        t->exchange_at = from + (to - from) / 2;
        t->exchange_track = (uint32_t)s->type;
    } else if (s->type == TW_PROGRAM_ON_TILE_EXECUTE && t->exchange_at >= 0 && to > from) {
        t->flow++;
        flow(t, "s", "exchange", MACHINE, STEP_TRACK + t->exchange_track, t->exchange_at);
        flow(t, "f", "exchange", MACHINE, STEP_TRACK + (uint64_t)s->type, from + (to - from) / 2);
        t->exchange_at = -1;
    }
}

static const char *step_name(const tw_profile_step *s)
{
    return s->name[0] ? s->name : s->type_name;
}

static void put_source_place(tracer *t, const char *key, tw__name file, uint32_t line)
{
    if (!file || !line) return;
    g_autofree char *place = g_strdup_printf("%s:%u", t->p->names.items[file], line);
    tw__json_text(t->j, key, place);
}

/* The line of a kernel that took the most; of one that is known as a whole its own. */
static void put_hottest(tracer *t, const char *kernel)
{
    const tw__profile_line *line = g_hash_table_lookup(t->hottest, kernel);
    if (!line) return;
    bool is_whole = strcmp(t->p->names.items[line->what], kernel) != 0;
    put_source_place(t, is_whole ? "source" : "hottest line", line->file, line->line);
}

static void find_hottest(tracer *t)
{
    t->hottest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < t->p->lines.count; i++) {
        const tw__profile_line *line = &t->p->lines.items[i], *before;
        const char *what = t->p->names.items[line->what], *whole = strstr(what, ", whole vertex");
        char *kernel = g_strndup(what, whole ? (gsize)(whole - what) : strlen(what));
        before = g_hash_table_lookup(t->hottest, kernel);
        if (before && before->cycles >= line->cycles)
            g_free(kernel);
        else
            g_hash_table_replace(t->hottest, kernel, (gpointer)(uintptr_t)line);
    }
}

/* Of a step the kernel that took the most. */
static const char *main_kernel(const tracer *t, const tw__step *s)
{
    const tw__type_cycles *most = NULL;
    for (uint32_t i = 0; i < s->types_count; i++) {
        const tw__type_cycles *c = &t->p->type_cycles.items[s->types_first + i];
        if (!most || c->cycles > most->cycles) most = c;
    }
    return most ? t->p->names.items[t->p->types.items[most->vertex_type].name] : "";
}

static void slice(tracer *t, const tw_profile_step *s, uint64_t process, uint64_t track, double from, double to)
{
    event(t, "X", step_name(s), process, track, from, to - from);
    const tw__step_line line = { .stored = t->p->steps.items[s->plan_step], .info = *s };
    tw__json_members(t->j, TW__TABLE_step, &line, TW__WHEN_TRACE | (s->total_data ? TW__WHEN_DATA : 0));
    tw__json_text(t->j, "fidelity", tw_fidelity_name(s->fidelity));
    put_hottest(t, main_kernel(t, &line.stored));
    perfetto_finish(t);
}

/* What the chosen tiles did of a step. */
static void trace_tiles(tracer *t, const tw_profile_step *s, uint64_t start)
{
    tw__row id = t->p->steps.items[s->plan_step].active;
    if (!t->shown_count || !id) return;
    tw__profile_row_read(t->p, id, t->row, t->p->target.tiles);
    for (uint32_t k = 0; k < t->shown_count; k++) {
        uint32_t tile = t->shown[k];
        uint64_t from = start > t->tile_ended[k] ? start : t->tile_ended[k], to = start + t->row[tile];
        if (to <= from) continue;
        t->tile_ended[k] = to;
        event(t, "X", step_name(s), 2 + tile / t->p->target.tiles_per_ipu, 1 + (uint64_t)tile,
              (double)from * t->us_per_cycle, (double)(to - from) * t->us_per_cycle);
        tw__json_count(t->j, "cycles", to - from);
        perfetto_finish(t);
    }
}

/* What ran on the workers of the step's slowest tile. */
static void trace_workers(tracer *t, const tw_profile_step *s, uint64_t start)
{
    const tw__step *step = &t->p->steps.items[s->plan_step];
    for (uint32_t i = 0; i < step->work_count; i++) {
        const tw__work *w = &t->p->work.items[step->work_first + i];
        uint32_t worker = w->worker == TW__NONE ? 0 : w->worker;
        if (worker >= MOST_WORKERS) continue;
        uint64_t from = start + w->from, to = start + w->to;
        if (from < t->worker_ended[worker]) from = t->worker_ended[worker];
        if (to <= from) continue;
        t->worker_ended[worker] = to;
        t->worker_used[worker] = true;
        event(t, "X", t->p->names.items[t->p->types.items[w->vertex_type].name], MACHINE,
              WORKER_TRACK + (uint64_t)worker, (double)from * t->us_per_cycle,
              (double)(to - from) * t->us_per_cycle);
        tw__json_count(t->j, "cycles", w->to - w->from);
        tw__json_count(t->j, "tile", step->work_tile);
        if (w->worker == TW__NONE) tw__json_text(t->j, "workers", "all");
        put_hottest(t, t->p->names.items[t->p->types.items[w->vertex_type].name]);
        perfetto_finish(t);
    }
}

static void count_live(tracer *t, uint32_t program, double ts)
{
    if (program >= t->p->programs.count || !t->p->programs.items[program].live_bytes) return;
    counter(t, "live", "bytes", ts,
            t->always_live + t->p->rows.items[t->p->programs.items[program].live_bytes].sum);
}

static bool trace_step(void *user, const tw_profile_step *s)
{
    tracer *t = user;
    if (!t->left) return false;
    t->left--, t->written++;
    uint64_t start =
        s->cycles_to > s->cycles ? s->cycles_to - s->cycles : 0; /* overlapped cycles come before `from` */
    trace_tiles(t, s, start);
    if (start < t->ended[s->type]) start = t->ended[s->type] < s->cycles_to ? t->ended[s->type] : s->cycles_to;
    double from = (double)start * t->us_per_cycle, to = (double)s->cycles_to * t->us_per_cycle;
    t->ended[s->type] = s->cycles_to;
    t->used[s->type] = true;
    slice(t, s, MACHINE, STEP_TRACK + (uint64_t)s->type, from, to);
    join(t, s, from, to);
    trace_workers(t, s, s->cycles_to > s->cycles ? s->cycles_to - s->cycles : 0);
    count_live(t, t->p->steps.items[s->plan_step].program, from);
    if (s->type == TW_PROGRAM_SYNC) return true;
    counter(t, "active tiles", "tiles", from, s->active_tiles);
    counter(t, "active tiles", "tiles", to, 0);
    if (s->total_data)
        counter(t, "bytes moved", "bytes", from, s->total_data), counter(t, "bytes moved", "bytes", to, 0);
    return true;
}

static void name(tracer *t, const char *what, uint64_t process, uint64_t track, const char *text, uint64_t order)
{
    char sort[32];
    g_snprintf(sort, sizeof sort, "%s_name", what);
    event(t, "M", sort, process, track, 0, 0);
    tw__json_text(t->j, "name", text);
    perfetto_finish(t);
    g_snprintf(sort, sizeof sort, "%s_sort_index", what);
    event(t, "M", sort, process, track, 0, 0);
    tw__json_count(t->j, "sort_index", order);
    perfetto_finish(t);
}

/* Executions that are like those before them. */
static bool trace_repeat(void *user, const tw__profile_fold *f)
{
    tracer *t = user;
    char text[64];
    if (!t->left) return false;
    t->left--;
    g_snprintf(text, sizeof text, "%llu times the same", (unsigned long long)f->times);
    if (!t->repeated) name(t, "thread", MACHINE, REPEAT_TRACK, "repeats, not shown one by one", 0);
    t->repeated += f->steps;
    event(t, "X", text, MACHINE, REPEAT_TRACK, (double)f->from * t->us_per_cycle,
          (double)(f->to - f->from) * t->us_per_cycle);
    tw__json_count(t->j, "times", f->times);
    tw__json_count(t->j, "steps", f->steps);
    tw__json_count(t->j, "cycles", f->to - f->from);
    perfetto_finish(t);
    return true;
}

/* --- names and order of tracks ---------------------------------------------------------------------------------- */

static void name_machine(tracer *t)
{
    name(t, "process", MACHINE, 0, t->p->target.clock_hz > 0 ? "steps" : "steps; a cycle is shown as 1 us", 1);
    for (int type = 0; type < TW_PROGRAM_OTHER; type++)
        name(t, "thread", MACHINE, STEP_TRACK + (uint64_t)type, tw_program_type_name((tw_program_type)type),
             (uint64_t)type + 1);
}

static void name_chip(tracer *t, uint32_t chip)
{
    char text[64];
    const tw__terms *terms = tw__profile_terms(t->p->names.items[t->p->target.type]);
    g_snprintf(text, sizeof text, "%s %u", terms->words[0] ? terms->words[0] : "chip", chip);
    name(t, "process", 2 + (uint64_t)chip, 0, text, 2 + (uint64_t)chip);
}

static void name_workers(tracer *t)
{
    char text[64];
    const tw__terms *terms = tw__profile_terms(t->p->names.items[t->p->target.type]);
    for (uint32_t w = 0; w < MOST_WORKERS; w++) {
        if (!t->worker_used[w]) continue;
        g_snprintf(text, sizeof text, "slowest %s, worker %u", terms->words[1] ? terms->words[1] : "tile", w);
        name(t, "thread", MACHINE, WORKER_TRACK + (uint64_t)w, text, WORKER_TRACK + (uint64_t)w);
    }
}

/* --- recorded lanes --------------------------------------------------------------------------------------------- */

static int by_lane_and_time(const void *a, const void *b)
{
    const tw__profile_interval *x = a, *y = b;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to > y->to ? -1 : x->to < y->to; /* the longer first: it holds the other */
}

typedef struct lane_list {
    const tw__profile_interval *sorted;
    size_t count;
} lane_list;

/* The last of a lane's intervals of work that began before `time`; NULL = there is none. */
static const tw__profile_interval *work_before(const lane_list *l, uint32_t lane, uint64_t time)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const tw__profile_interval *v = &l->sorted[middle];
        if (v->lane < lane || (v->lane == lane && v->from < time))
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && l->sorted[low - 1].lane == lane && l->sorted[low - 1].cause) low--;
    bool found = low > 0 && l->sorted[low - 1].lane == lane;
    return found && l->sorted[low - 1].to > l->sorted[low - 1].from ? &l->sorted[low - 1] : NULL;
}

/* An arrow from what was waited for to the work that then began: `at` is the wait, what follows it in the lane the
 * work. Both ends lie in the middle of their slices. */
static void trace_cause(tracer *t, const lane_list *l, size_t at)
{
    const tw_profile *p = t->p;
    const tw__profile_interval *wait = &l->sorted[at], *next = at + 1 < l->count ? wait + 1 : NULL;
    bool goes_on =
        next && next->lane == wait->lane && !next->cause && next->from == wait->to && next->to > next->from;
    if (!goes_on || wait->partner == TW__NONE || wait->partner == wait->lane) return;
    const tw__profile_interval *from = work_before(l, wait->partner, wait->to);
    if (!from) return;
    double begin = ((double)from->from + (double)from->to) / 2, end = ((double)next->from + (double)next->to) / 2;
    if (begin > end) return;
    uint32_t each = p->target.tiles_per_ipu;
    t->flow++;
    flow(t, "s", "wait", 2 + (uint64_t)(p->lanes.items[from->lane].tile / each), 1 + (uint64_t)from->lane,
         begin * t->us_per_cycle);
    flow(t, "f", "wait", 2 + (uint64_t)(p->lanes.items[next->lane].tile / each), 1 + (uint64_t)next->lane,
         end * t->us_per_cycle);
}

static uint64_t trace_lanes(tracer *t, uint64_t most)
{
    const tw_profile *p = t->p;
    size_t count = p->intervals.count;
    tw__profile_interval *sorted = count ? tw__calloc(count, sizeof *sorted) : NULL;
    uint64_t written = 0, end = 0;
    uint32_t lane = TW__NONE;
    if (!sorted) return t->j->failed |= count != 0, 0;
    memcpy(sorted, p->intervals.items, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_lane_and_time);
    const lane_list all = { sorted, count < most ? count : most }; /* arrows lead to what is written */
    for (size_t i = 0; i < count && written < most; i++) {
        const tw__profile_interval *v = &sorted[i];
        const tw__profile_lane *l = &p->lanes.items[v->lane];
        uint64_t process = 2 + l->tile / p->target.tiles_per_ipu;
        if (v->lane != lane) {
            char text[128];
            g_snprintf(text, sizeof text, "%u %.100s", l->tile, p->names.items[l->name]);
            name(t, "thread", process, 1 + (uint64_t)v->lane, text, 1 + (uint64_t)v->lane);
            lane = v->lane, end = 0;
        }
        uint64_t from = v->from > end ? v->from : end;
        if (v->to < from) continue;
        end = v->to;
        event(t, "X", v->cause ? "waits" : p->names.items[v->name], process, 1 + (uint64_t)v->lane,
              (double)from * t->us_per_cycle, (double)(v->to - from) * t->us_per_cycle);
        tw__json_count(t->j, "cycles", v->to - v->from);
        if (v->cause) tw__json_text(t->j, "waits for", p->names.items[v->cause]);
        if (v->cause) tw__json_text(t->j, "before", p->names.items[v->name]);
        if (v->line)
            put_source_place(t, "source", v->file, v->line);
        else if (!v->cause)
            put_hottest(t, p->names.items[v->name]);
        perfetto_finish(t);
        if (v->cause && i < all.count) trace_cause(t, &all, i);
        written++;
    }
    free(sorted);
    return written;
}

typedef struct chip_tiles {
    uint32_t chip, hot, idle; /* tiles */
    uint64_t most;            /* active cycles of the busiest */
} chip_tiles;

static int by_busiest_tile(const void *a, const void *b)
{
    const chip_tiles *x = a, *y = b;
    if (x->most != y->most) return x->most > y->most ? -1 : 1;
    return x->chip < y->chip ? -1 : x->chip > y->chip;
}

/* Active cycles of each tile in all that ran: array of `tiles` + 1, the caller frees it. NULL: out of memory. */
static uint64_t *active_cycles(const tw_profile *p)
{
    uint64_t *counts = tw__calloc(p->steps.count + 1, sizeof *counts);
    uint64_t *sum = tw__calloc((size_t)p->target.tiles + 1, sizeof *sum);
    bool good = counts && sum && tw__profile_step_counts(p, counts);
    for (size_t i = 0; good && i < p->steps.count; i++) {
        tw__row_cursor c = tw__profile_row_cursor(p, p->steps.items[i].active);
        uint64_t value;
        for (uint32_t n, at = 0; counts[i] && at < p->target.tiles && tw__profile_row_next(&c, &n, &value);) {
            uint32_t stop = n < p->target.tiles - at ? at + n : p->target.tiles;
            sum[at] += value * counts[i]; /* differences, summed up below */
            sum[stop] -= value * counts[i];
            at = stop;
        }
    }
    for (uint32_t k = 0; good && k + 1 < p->target.tiles; k++) sum[k + 1] += sum[k];
    free(counts);
    if (!good) free(sum), sum = NULL;
    return sum;
}

static chip_tiles extremes(const tw_profile *p, const uint64_t *sum, uint32_t chip)
{
    uint32_t each = p->target.tiles_per_ipu, first = chip * each;
    chip_tiles c = { .chip = chip, .hot = first, .idle = first };
    for (uint32_t k = first; k < first + each; k++) {
        if (sum[k] > sum[c.hot]) c.hot = k;
        if (sum[k] < sum[c.idle]) c.idle = k;
    }
    c.most = sum[c.hot];
    return c;
}

static void show_tile(tracer *t, uint32_t chip, uint32_t tile, bool idle)
{
    char text[64];
    g_snprintf(text, sizeof text, "tile %u (%s)", tile, idle ? "idlest" : "busiest");
    name(t, "thread", 2 + (uint64_t)chip, 1 + (uint64_t)tile, text, idle ? 2 : 1);
    t->shown[t->shown_count++] = tile;
}

/* Without lanes: the tile with the most active cycles of a chip, and the one with the least, of `chips` chips. */
static void choose_tiles(tracer *t, uint64_t chips)
{
    const tw_profile *p = t->p;
    uint64_t *sum = active_cycles(p);
    chip_tiles *all = tw__calloc((size_t)p->target.ipus + 1, sizeof *all);
    t->row = tw__calloc((size_t)p->target.tiles + 1, sizeof *t->row);
    t->shown = tw__calloc(SHOWN_TILES, sizeof *t->shown);
    bool good = sum && all && t->row && t->shown;
    if (!good) t->j->failed = true;
    if (good && p->target.tiles_per_ipu > 1) {
        for (uint32_t chip = 0; chip < p->target.ipus; chip++) all[chip] = extremes(p, sum, chip);
        qsort(all, p->target.ipus, sizeof *all, by_busiest_tile);
        for (uint32_t i = 0; i < p->target.ipus && i < chips; i++) {
            name_chip(t, all[i].chip);
            show_tile(t, all[i].chip, all[i].hot, false);
            if (all[i].hot != all[i].idle) show_tile(t, all[i].chip, all[i].idle, true);
        }
    }
    free(sum), free(all);
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

char *tw__trace_unit(double clock_hz, char buf[TW__TRACE_UNIT])
{
    char clock[G_ASCII_DTOSTR_BUF_SIZE];
    if (clock_hz > 0)
        g_snprintf(buf, TW__TRACE_UNIT, "microseconds of the machine's clock of %s MHz",
                   g_ascii_formatd(clock, sizeof clock, "%.6g", clock_hz / 1e6));
    else
        g_snprintf(buf, TW__TRACE_UNIT, "cycles, each shown as a microsecond: the machine's clock is not known");
    return buf;
}

/* What was left out, as an event at the beginning; the text stays empty where nothing was. */
static void say_folded(tracer *t, uint64_t steps, uint64_t intervals, char text[256])
{
    *text = 0;
    if (steps || intervals)
        g_snprintf(text, 256, "left out: %llu later steps, %llu later intervals", (unsigned long long)steps,
                   (unsigned long long)intervals);
    if (t->repeated)
        g_snprintf(text + strlen(text), 256 - strlen(text), "%s%llu steps of repeats are one slice for each repeat",
                   *text ? "; " : "", (unsigned long long)t->repeated);
    if (!*text) return;
    begin(t, "i", text, MACHINE, STEP_TRACK, 0);
    tw__json_text(t->j, "s", "p");
    tw__json_close(t->j, '}');
}

tw_status tw_profile_write_trace(const tw_profile *p, FILE *out, const tw_profile_options *options)
{
    tw_profile_totals totals;
    tw_profile_options o;
    tw_status status = tw__profile_has(p, false, true, "trace");
    if (!status) status = TW__TAKE_OPTIONS(&o, options, tw_profile_options);
    if (!status) status = tw_profile_get_totals(p, &totals);
    if (status) return status;
    tw__json j = { .out = out, .empty = true, .p = p };
    double clock = p->target.clock_hz > 0 ? p->target.clock_hz : 1e6; /* without a clock a cycle is a microsecond */
    uint64_t most = o.max_steps ? o.max_steps : DEFAULT_MAX_EVENTS;
    tracer t = { .j = &j, .p = p, .us_per_cycle = 1e6 / clock, .left = most, .exchange_at = -1 };
    t.always_live = tw__profile_always_live_bytes(p);
    tw__json_open(&j, NULL, '{');
    tw__json_text(&j, "displayTimeUnit", "ns");
    tw__json_open(&j, "traceEvents", '[');
    find_hottest(&t);
    name_machine(&t);
    uint64_t lanes = 0;
    if (p->intervals.count) {
        for (uint32_t chip = 0; chip < p->target.ipus; chip++) name_chip(&t, chip);
        lanes = trace_lanes(&t, 4 * most);
    } else {
        uint64_t times = totals.steps && totals.steps < most ? most / totals.steps : 1;
        choose_tiles(&t, times < MOST_CHIPS / (TILE_EVENTS / 2) ? TILE_EVENTS / 2 * times : MOST_CHIPS);
    }
    if (!j.failed && totals.steps > most)
        j.failed |= tw__profile_each_folded(p, trace_step, trace_repeat, &t) != TW_OK;
    else if (!j.failed)
        tw_profile_each_step(p, trace_step, &t);
    name_workers(&t);
    uint64_t shown = t.written + t.repeated, more = totals.steps > shown ? totals.steps - shown : 0,
             dropped = p->intervals_omitted + (p->intervals.count > 4 * most ? p->intervals.count - lanes : 0);
    char text[256], unit[TW__TRACE_UNIT];
    say_folded(&t, more, dropped, text);
    tw__json_close(&j, ']');
    tw__json_open(&j, "otherData", '{');
    tw__json_text(&j, "unit", tw__trace_unit(p->target.clock_hz, unit));
    if (totals.fidelity && *p->names.items[p->target.band])
        tw__json_text(&j, "cycleBand", p->names.items[p->target.band]);
    if (*text) tw__json_text(&j, "folded", text);
    tw__json_close(&j, '}');
    tw__json_close(&j, '}');
    putc('\n', out);
    free(t.shown), free(t.row);
    g_hash_table_destroy(t.hottest);
    if (j.failed) return tw__fail(TW_E_NO_MEMORY, "out of memory for the trace");
    return ferror(out) ? tw__fail(TW_E_IO, "cannot write the trace") : TW_OK;
}
