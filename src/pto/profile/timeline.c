/* SPDX-License-Identifier: MIT */
/* timeline: when each instruction began and ended on its pipe, as a trace in the JSON form of chrome://tracing and
 * ui.perfetto.dev: a process per core, a track per pipe, so that what overlaps is seen. Every cycle is an
 * estimate. */
#include "core/base/callers.h"
#include "core/profile/json.h"
#include "pto/grid/grid.h"
#include "pto/profile/profile.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Spans of a core by their begin. */
static int by_begin(const void *a, const void *b)
{
    const tw__span *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

uint64_t tw__timeline_busy(tw_pto *core)
{
    const struct tw__timeline *t = core->timeline;
    tw__span *sorted = tw__calloc(t->count + 1, sizeof *sorted);
    uint64_t busy = 0, until = 0;
    if (!sorted) return core->cost_lost = true, 0;
    for (size_t i = 0; i < t->count; i++) sorted[i] = t->spans[i];
    qsort(sorted, t->count, sizeof *sorted, by_begin);
    for (size_t i = 0; i < t->count; i++) {
        uint64_t begin = sorted[i].begin > until ? sorted[i].begin : until;
        if (sorted[i].end > begin) busy += sorted[i].end - begin, until = sorted[i].end;
    }
    free(sorted);
    /* What was not kept counts as work: it is not known when it ran. */
    uint64_t end = tw_pto_cycles(core);
    if (t->left_out && until < end) busy += end - until;
    return busy < end ? busy : end;
}

static void add_lanes(const tw_pto *core, tw_profile *p, uint32_t tile)
{
    struct tw__timeline *t = core->timeline;
    for (int pipe = 0; pipe < TW_PTO_PIPES; pipe++) {
        t->lanes[pipe] = TW__NONE;
        bool used = core->pipe_busy[pipe] != 0;
        for (size_t i = 0; i < t->count && !used; i++) used = t->spans[i].pipe == pipe;
        if (used) t->lanes[pipe] = tw__profile_add_lane(p, tile, tw_pto_pipe_name((tw_pto_pipe)pipe));
    }
}

/* A line of the program's text, where one ran; of a program in C or C++ the call's. */
static tw__caller_place span_place(const struct tw__timeline *t, uint32_t line)
{
    if (line & TW__OF_CALL) return tw__caller_find(line & ~TW__OF_CALL);
    return (tw__caller_place){ t->other || !line ? NULL : t->file, t->file && !t->other ? line : 0 };
}

/* Waits of an instruction count to its line. */
static void add_span_lines(const struct tw__timeline *t, tw_profile *p)
{
    for (size_t i = 0; i < t->count + t->wait_count; i++) {
        const tw__span *s = i < t->count ? &t->spans[i] : NULL;
        const tw__wait_span *w = s ? NULL : &t->waits[i - t->count];
        const tw__caller_place place = span_place(t, s ? s->line : w->line);
        tw__line_desc desc = { .file = place.file,
                               .line = place.line,
                               .what = tw__pto_row_at(s ? s->row : w->row)->name,
                               .runs = s != NULL,
                               .cycles = s ? s->end - s->begin : 0,
                               .waits = w ? w->end - w->begin : 0 };
        if (desc.file) tw__profile_add_line(p, &desc);
    }
}

static void add_spans(const struct tw__timeline *t, tw_profile *p)
{
    for (size_t i = 0; i < t->count; i++) {
        const tw__span *s = &t->spans[i];
        const tw__caller_place place = span_place(t, s->line);
        tw__profile_add_interval(p, &(tw__interval_desc){ .lane = t->lanes[s->pipe],
                                                          .from = s->begin,
                                                          .to = s->end,
                                                          .name = tw__pto_row_at(s->row)->name,
                                                          .partner = TW__NONE,
                                                          .file = place.file,
                                                          .line = place.line });
    }
    tw__profile_omit_intervals(p, t->left_out);
}

/* Lanes of all cores come first: waits name those of others. */
void tw__timeline_record(tw_pto *const *cores, unsigned count, tw_profile *p)
{
    for (unsigned i = 0; i < count; i++)
        if (cores[i]->timeline) add_lanes(cores[i], p, i);
    for (unsigned i = 0; i < count && !tw__profile_status(p); i++) {
        if (!cores[i]->timeline) continue;
        add_spans(cores[i]->timeline, p);
        tw__timeline_add_waits(cores, count, i, p);
        tw__timeline_add_map(cores[i], p, i);
        add_span_lines(cores[i]->timeline, p);
    }
    tw__profile_read_sources(p);
}

static void name_track(FILE *out, const char *what, unsigned process, int track, const char *name, bool *any)
{
    fprintf(out, "%s\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
            *any ? "," : "", what, process, track, name);
    *any = true;
}

/* Rounded to what is printed, so that what ends when the next begins does so in the file as well. */
static double rounded(double us)
{
    return round(us * 1e6) * 1e-6;
}

static void put_source(FILE *out, const tw__caller_place *place)
{
    if (!place->file || !place->line) return;
    g_autofree char *text = g_strdup_printf("%s:%u", place->file, place->line);
    tw__json j = { .out = out };
    tw__json_text(&j, "source", text);
}

/* Processes and tracks count from 1: 0 is the idle task to those who read such files. */
static void write_core(FILE *out, const tw_pto *core, unsigned process, double us_per_cycle, bool *any)
{
    const struct tw__timeline *t = core->timeline;
    char name[64];
    bool used[TW_PTO_PIPES] = { false };
    name_track(out, "process_name", process, 1, tw_pto_core_name(core, name), any);
    for (size_t i = 0; i < t->count; i++) {
        const tw__span *s = &t->spans[i];
        if (!used[s->pipe])
            name_track(out, "thread_name", process, 1 + s->pipe, tw_pto_pipe_name((tw_pto_pipe)s->pipe), any);
        used[s->pipe] = true;
        const tw__caller_place place = span_place(t, s->line);
        fprintf(out,
                ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%u,\"tid\":%d,\"ts\":%.6f,\"dur\":%.6f,\"args\":{"
                "\"begin\":%" PRIu64 ",\"end\":%" PRIu64 ",\"results\":%" PRIu64 ",\"line\":%" PRIu32
                ",\"fidelity\":\"estimated\"",
                tw__pto_row_at(s->row)->name, process, 1 + s->pipe, (double)s->begin * us_per_cycle,
                rounded((double)s->end * us_per_cycle) - rounded((double)s->begin * us_per_cycle), s->begin, s->end,
                s->there, place.line);
        put_source(out, &place);
        fputs("}}", out);
    }
}

static tw_status timeline_write_all(FILE *out, tw_pto *const *cores, unsigned count)
{
    uint64_t left_out = 0;
    bool any = false;
    for (unsigned i = 0; i < count; i++) {
        if (!cores[i]->timeline)
            return tw__fail(TW_E_MISSING_PROFILE, "the cores were made without TW_PTO_TIMELINE");
        if (cores[i]->cost_lost) return tw__fail(TW_E_NO_MEMORY, "there was no memory for the timeline");
        left_out += cores[i]->timeline->left_out;
    }
    fprintf(out,
            "{\"displayTimeUnit\":\"ns\",\"clockHz\":%.0f,\"instructionsLeftOut\":%" PRIu64 ",\"traceEvents\":[",
            tw__pto_clock(cores[0]->target), left_out);
    for (unsigned i = 0; i < count; i++)
        write_core(out, cores[i], i + 1, 1e6 / tw__pto_clock(cores[i]->target), &any);
    fputs("\n]}\n", out);
    return ferror(out) ? tw__fail(TW_E_IO, "cannot write the timeline") : TW_OK;
}

tw_status tw_pto_write_timeline(const tw_pto *core, FILE *out)
{
    if (tw__pto_given(core, "core") != TW_OK || tw__pto_given(out, "stream") != TW_OK) return tw_error_status();
    tw_pto *one = (tw_pto *)(uintptr_t)core; /* read only */
    return timeline_write_all(out, &one, 1);
}

tw_status tw_pto_grid_write_timeline(const tw_pto_grid *grid, FILE *out)
{
    if (tw__pto_given(grid, "grid") != TW_OK || tw__pto_given(out, "stream") != TW_OK) return tw_error_status();
    return timeline_write_all(out, grid->cores, grid->count);
}
