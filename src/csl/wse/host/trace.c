/* SPDX-License-Identifier: MIT */
/* trace: the events of a run for ui.perfetto.dev. A process for each PE that did something; in it a track for tasks,
 * one for the operations of the main thread, one for each microthread, one for wavelets. Times are
 * microseconds of the clock, as in traces of profiles. */
#include "csl/wse/host/host.h"

#include "core/profile/profile.h"

#include <stdlib.h>

enum {
    TRACK_TASKS = 1,
    TRACK_OPS = 2 /* + 1 + microthread */,
    TRACK_WAVELETS = 20,
    MAIN_THREAD = 8,
    HOST_TASK = 64
};

void tw__host_collect(tw_wse *w)
{
    size_t count = 0;
    const tw__wse_event *events = w->options.trace || w->options.profile ? tw__wse_events(w->fabric, &count) : NULL;
    if (count) g_array_append_vals(w->events, events, (guint)count);
}

static const tw__csl_program *program_at(const tw_wse *w, uint32_t pe)
{
    uint32_t program = w->image->pes[pe].program;
    return program < w->image->program_count ? &w->image->programs[program] : NULL;
}

static void put_time(FILE *out, uint64_t cycle)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    fprintf(out, ",\"ts\":%s", g_ascii_formatd(text, sizeof text, "%.6f", (double)cycle * 1e6 / TW__WSE_CLOCK_HZ));
}

static void trace_put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        if ((unsigned char)*text >= ' ') fputc(*text, out);
    }
}

static void name_tracks(FILE *out, const tw_wse *w, uint32_t pe)
{
    fprintf(out, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"PE (%u, %u)\"}},\n",
            pe + 1, pe % w->image->width, pe / w->image->width);
    fprintf(out, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"tasks\"}},\n",
            pe + 1, TRACK_TASKS);
    fprintf(out,
            "{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"operations\"}},\n",
            pe + 1, TRACK_OPS);
    for (int ut = 0; ut < MAIN_THREAD; ut++)
        fprintf(out,
                "{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"microthread "
                "%d\"}},\n",
                pe + 1, TRACK_OPS + 1 + ut, ut);
    fprintf(out,
            "{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"wavelets\"}},\n",
            pe + 1, TRACK_WAVELETS);
}

/* What launched a task, and where the source has it. */
static void put_arguments(FILE *out, const tw_wse *w, const tw__wse_event *e, bool task)
{
    uint32_t line;
    const char *file = tw__host_place(w, e->pe, task, e->b, &line);
    fputs(",\"args\":{", out);
    if (task && e->a == HOST_TASK) fputs("\"launched by\":\"host\"", out);
    if (task && e->a != HOST_TASK) fprintf(out, "\"id\":%u", e->a);
    if (line) {
        fputs(task ? ",\"source\":\"" : "\"source\":\"", out);
        trace_put_text(out, file);
        fprintf(out, ":%u\"", line);
    }
    fputc('}', out);
}

static void put_span(FILE *out, const tw_wse *w, const tw__wse_event *e)
{
    bool task = e->kind == TW__WSE_TASK_BEGIN || e->kind == TW__WSE_TASK_END;
    bool begin = e->kind == TW__WSE_TASK_BEGIN || e->kind == TW__WSE_OP_BEGIN;
    int track = task ? TRACK_TASKS : e->a == MAIN_THREAD ? TRACK_OPS : TRACK_OPS + 1 + (int)e->a;
    const tw__csl_program *p = program_at(w, e->pe);
    fprintf(out, ",\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%d", begin ? 'B' : 'E', e->pe + 1, track);
    put_time(out, e->cycle);
    if (begin) {
        fputs(",\"name\":\"", out);
        if (!task)
            fprintf(out, "@%s", tw__host_operation(e->b));
        else
            trace_put_text(out, p && e->b < p->function_count ? p->functions[e->b].name : "?");
        fputc('"', out);
        put_arguments(out, w, e, task);
    }
    fputc('}', out);
}

static void put_wavelet(FILE *out, const tw__wse_event *e)
{
    static const char *const directions[] = { "W", "E", "S", "N", "RAMP" };
    bool landing = e->kind == TW__WSE_LANDING;
    unsigned color = landing ? e->a & 0xff : e->a >> 8 & 0xff, side = landing ? 4 : e->a & 0xff;
    fprintf(out, ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%u,\"tid\":%d", e->pe + 1, TRACK_WAVELETS);
    put_time(out, e->cycle);
    fprintf(out, ",\"name\":\"%s C%u%s\",\"args\":{\"payload\":\"%08x\",\"to\":\"%s\"}}",
            landing ? "landing" : "wavelet", color, e->a >> 16 & 1 ? " control" : "", e->b,
            landing    ? "CE"
            : side < 5 ? directions[side]
                       : "?");
}

/* Of a track of a PE: within a cycle begins come before ends, so the next may begin before this one has ended. */
typedef struct track {
    bool open;
    guint waits; /* number of the begin that waits for that end, + 1 */
} track;
enum { TRACKS = 10 }; /* of a PE: tasks, microthreads, operations of the main thread */

static void put_events(FILE *out, const tw_wse *w, track *tracks)
{
    const tw__wse_event *events = (const tw__wse_event *)(void *)w->events->data;
    for (guint i = 0; i < w->events->len; i++) {
        const tw__wse_event *e = &events[i];
        if (e->kind == TW__WSE_WAVELET || e->kind == TW__WSE_LANDING) {
            put_wavelet(out, e);
            continue;
        }
        bool task = e->kind == TW__WSE_TASK_BEGIN || e->kind == TW__WSE_TASK_END;
        if (!task && e->a > MAIN_THREAD) continue;
        track *t = &tracks[(size_t)e->pe * TRACKS + (task ? 0 : 1 + e->a)];
        if (e->kind == TW__WSE_TASK_BEGIN || e->kind == TW__WSE_OP_BEGIN) {
            if (!t->open) put_span(out, w, e);
            if (t->open) t->waits = i + 1;
            t->open = true;
        } else if (t->open) {
            put_span(out, w, e);
            if (t->waits) put_span(out, w, &events[t->waits - 1]);
            *t = (track){ .open = t->waits != 0 };
        }
    }
}

tw_status tw_wse_write_trace(const tw_wse *w, FILE *out)
{
    if (!w) return tw__missing("wafer");
    if (!w->options.trace) return tw__fail(TW_E_MISSING_PROFILE, "the run was not traced: set options.trace");
    if (w->failed == TW_E_NO_MEMORY)
        return tw__fail(TW_E_NO_MEMORY, "the run ended for want of memory: a part of its trace is missing");
    const tw__wse_event *events = (const tw__wse_event *)(void *)w->events->data;
    bool *named = tw__calloc(w->image->pe_count + 1, sizeof *named);
    track *tracks = tw__calloc(w->image->pe_count * TRACKS + 1, sizeof *tracks);
    if (!named || !tracks) {
        free(named), free(tracks);
        return tw__fail(TW_E_NO_MEMORY, "no memory to write a trace");
    }
    char unit[TW__TRACE_UNIT], band[64];
    fprintf(out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"%s\",\"cycleBand\":\"%s\"},\"traceEvents\":[\n",
            tw__trace_unit(TW__WSE_CLOCK_HZ, unit),
            tw_band_text(tw_band_find(w->image->wse3 ? "wse3" : "wse2", NULL), band, sizeof band));
    for (guint i = 0; i < w->events->len; i++)
        if (!named[events[i].pe]) {
            named[events[i].pe] = true;
            name_tracks(out, w, events[i].pe);
        }
    fputs("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":0}}", out);
    put_events(out, w, tracks);
    fputs("\n]}\n", out);
    bool bad = ferror(out) != 0;
    free(named), free(tracks);
    return bad ? tw__fail(TW_E_IO, "cannot write the trace") : TW_OK;
}
