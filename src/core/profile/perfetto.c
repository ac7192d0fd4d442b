/* The executed steps as a trace in the JSON form of chrome://tracing and ui.perfetto.dev: one track for each kind of
 * step, a counter of active tiles. Times are microseconds of the modelled clock. */
#include "core/profile/json.h"

enum { DEFAULT_MAX_EVENTS = 100000 };

typedef struct tracer {
    tw__json *j;
    double us_per_cycle;
    uint64_t left;
} tracer;

static void event(tracer *t, const char *phase, const char *name, int track, double ts)
{
    tw__json_open(t->j, NULL, '{');
    tw__json_text(t->j, "ph", phase);
    tw__json_text(t->j, "name", name);
    tw__json_count(t->j, "pid", 1);
    tw__json_count(t->j, "tid", (uint64_t)track);
    tw__json_number(t->j, "ts", ts);
}

static void counter(tracer *t, double ts, unsigned active)
{
    event(t, "C", "active tiles", 0, ts);
    tw__json_open(t->j, "args", '{');
    tw__json_count(t->j, "tiles", active);
    tw__json_close(t->j, '}');
    tw__json_close(t->j, '}');
}

static bool trace_step(void *user, const tw_profile_step *s)
{
    tracer *t = user;
    if (!t->left) return false;
    t->left--;
    uint64_t start =
        s->cycles_to > s->cycles ? s->cycles_to - s->cycles : 0; /* overlapped cycles come before `from` */
    double from = (double)start * t->us_per_cycle, to = (double)s->cycles_to * t->us_per_cycle;
    event(t, "X", s->name[0] ? s->name : s->type_name, (int)s->type, from);
    tw__json_number(t->j, "dur", to - from);
    tw__json_open(t->j, "args", '{');
    tw__json_count(t->j, "cycles", s->cycles);
    tw__json_count(t->j, "activeTiles", s->active_tiles);
    tw__json_number(t->j, "tileBalance", s->tile_balance);
    if (s->total_data) tw__json_count(t->j, "totalData", s->total_data);
    tw__json_text(t->j, "fidelity", tw_fidelity_name(s->fidelity));
    tw__json_close(t->j, '}');
    tw__json_close(t->j, '}');
    if (s->type == TW_PROGRAM_SYNC) return true;
    counter(t, from, s->active_tiles);
    counter(t, to, 0);
    return true;
}

static void name_tracks(tracer *t)
{
    for (int type = 0; type < TW_PROGRAM_OTHER; type++) {
        event(t, "M", "thread_name", type, 0);
        tw__json_open(t->j, "args", '{');
        tw__json_text(t->j, "name", tw_program_type_name((tw_program_type)type));
        tw__json_close(t->j, '}');
        tw__json_close(t->j, '}');
    }
}

tw_status tw_profile_write_trace(const tw_profile *p, FILE *out, const tw_profile_options *options)
{
    tw_status status = tw__profile_has(p, false, true, "trace");
    if (status) return status;
    tw__json j = { .out = out, .empty = true };
    double clock = p->target.clock_hz > 0 ? p->target.clock_hz : 1e6; /* without a clock a cycle is a microsecond */
    tracer t = { &j, 1e6 / clock, options && options->max_steps ? options->max_steps : DEFAULT_MAX_EVENTS };
    tw__json_open(&j, NULL, '{');
    tw__json_text(&j, "displayTimeUnit", "ns");
    tw__json_open(&j, "traceEvents", '[');
    name_tracks(&t);
    tw_profile_each_step(p, trace_step, &t);
    tw__json_close(&j, ']');
    tw__json_close(&j, '}');
    putc('\n', out);
    return ferror(out) ? tw__fail(TW_E_IO, "cannot write the trace") : TW_OK;
}
