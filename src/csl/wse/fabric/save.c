/* SPDX-License-Identifier: MIT */
/* save: the wafer as part of a checkpoint, between two windows: routers with what is on its way, processing elements
 * (pe/save.c), the schedule, figures. Partitions are an affair of threads: what they have apart is joined, and the
 * reader gives it to the first. */
#include "csl/wse/fabric/fabric.h"

#include <stdlib.h>

#define ONE(field, most) TW__CK_ONE(THIS, field, most)
#define ALL(field, most) TW__CK_ALL(THIS, field, most)
#define NOT(field)       TW__CK_NOT(THIS, field)
#define ANY              TW__CK_ANY
#define ROWS(rows)       (rows), sizeof(rows) / sizeof *(rows)

enum { MOST_SAID = 1 << 24, MOST_KEY = 1 << 16 };

#define THIS tw__router
static const tw__ck_field router_rows[] = {
    NOT(place),      NOT(edges),         NOT(has_ports),  ONE(swaps, 1),   NOT(channel_count), NOT(channel_room),
    ONE(turn, 31),   ONE(out_turn, 31),  NOT(spare),      NOT(channel_of), ONE(busy, ANY),     ONE(ready, ANY),
    ONE(retry, ANY), ONE(out_busy, ANY), ONE(stuck, ANY), NOT(channel),    NOT(slot),
};
#undef THIS
#define THIS tw__slot
static const tw__ck_field slot_rows[] = { ALL(word, ANY), ALL(payload, ANY) };
#undef THIS
#define THIS tw__lane
static const tw__ck_field lane_rows[] = {
    ONE(gone, ANY),           ALL(payload, ANY), ONE(flags, ANY), ONE(head, TW__WSE_LANE - 1),
    ONE(count, TW__WSE_LANE), ONE(wanted, 1),    ONE(held, ANY),
};
#undef THIS
#define THIS tw__channel
static const tw__ck_field channel_rows[] = {
    ONE(rx, 31),
    ONE(tx, 31),
    ONE(suspended, 1),
    ONE(filtered, 1),
    ONE(color, TW__CSL_COLORS - 1),
    ONE(tried, ANY),
    ONE(home, ANY),
    ONE(waiting, 31),
    ONE(credit, ANY),
    ALL(seen, ANY),
    NOT(lane),
    NOT(more),
    ONE(base_rx, 31),
    ONE(base_tx, 31),
    ALL(pos_rx, 31),
    ALL(pos_tx, 31),
    ONE(valid, 7),
    ONE(sides, 7),
    ONE(position, 3),
    ONE(ring, ANY),
    ONE(pop, TW__CSL_POP_ON_ADVANCE_NOP),
    ONE(has_switches, 1),
    ONE(swap_x, 1),
    ONE(swap_y, 1),
    ONE(filter_off, 1),
    ONE(swapped_limit, 1),
    ONE(came_port, TW__WSE_R),
    ONE(collided, 1),
    ONE(complained, 1),
    ONE(counter, ANY),
    ONE(limit, ANY),
    ONE(filter.kind, TW__CSL_FILTER_SPARSE),
    ONE(filter.count_data, ANY),
    ONE(filter.count_control, ANY),
    ONE(filter.filter_control, ANY),
    ONE(filter.min_index, ANY),
    ONE(filter.max_index, ANY),
    ONE(filter.init_counter, ANY),
    ONE(filter.limit1, ANY),
    ONE(filter.limit2, ANY),
    ONE(filter.max_counter, ANY),
    ONE(filter.has_limit1, ANY),
    ONE(filter.has_limit2, ANY),
    NOT(filter.spare),
};
#undef THIS
#define THIS tw__cell
static const tw__ck_field cell_rows[] = {
    ALL(near, ANY), ONE(far, ANY), ONE(far_at, ANY), ONE(next, ANY), NOT(first), NOT(row),
};
#undef THIS
#define THIS tw__wse_counters
static const tw__ck_field counter_rows[] = {
    ALL(task_cycles, ANY), ALL(task_runs, ANY),   ALL(op_cycles, ANY),     ALL(op_runs, ANY),
    ALL(op_elements, ANY), ALL(sent, ANY),        ONE(scalar_cycles, ANY), ONE(beats, ANY),
    ALL(task_worst, ANY),  ALL(op_worst, ANY),    ALL(wait_in, ANY),       ALL(wait_out, ANY),
    ONE(wait_fifo, ANY),   ONE(spans_begun, ANY), ONE(spans_ended, ANY),
};
#undef THIS
#define THIS tw__wse_heat
static const tw__ck_field heat_rows[] = { ONE(runs, ANY), ONE(cycles, ANY), ONE(waits, ANY) };
#undef THIS
#define THIS tw__wse_totals
static const tw__ck_field total_rows[] = {
    ONE(hops, ANY), ONE(wavelets, ANY), ONE(scalar_cycles, ANY), ONE(beats, ANY), ONE(tasks, ANY),
};
#undef THIS
#define THIS tw__wse_event
static const tw__ck_field event_rows[] = {
    ONE(cycle, ANY), ONE(pe, ANY), ONE(kind, TW__WSE_LANDING), ONE(a, ANY), ONE(b, ANY),
};
#undef THIS
#define THIS tw__resume
static const tw__ck_field resume_rows[] = { ONE(start, ANY), ONE(turn, ANY), NOT(pending) };
#undef THIS

const tw__ck_table tw__wse_fabric_tables[] = {
    { "tw__router", sizeof(tw__router), ROWS(router_rows) },
    { "tw__slot", sizeof(tw__slot), ROWS(slot_rows) },
    { "tw__lane", sizeof(tw__lane), ROWS(lane_rows) },
    { "tw__channel", sizeof(tw__channel), ROWS(channel_rows) },
    { "tw__cell", sizeof(tw__cell), ROWS(cell_rows) },
    { "tw__wse_counters", sizeof(tw__wse_counters), ROWS(counter_rows) },
    { "tw__wse_heat", sizeof(tw__wse_heat), ROWS(heat_rows) },
    { "tw__wse_totals", sizeof(tw__wse_totals), ROWS(total_rows) },
    { "tw__wse_event", sizeof(tw__wse_event), ROWS(event_rows) },
    { "tw__resume", sizeof(tw__resume), ROWS(resume_rows) },
    { NULL, 0, NULL, 0 },
};

uint64_t tw__wse_layout(void)
{
    uint64_t hash = tw__ck_layout(TW__FNV, tw__wse_fabric_tables);
    hash = tw__ck_layout(hash, tw__wse_pe_tables);
    return tw__ck_layout(hash, tw__wse_mail_tables);
}

/* --- routers ---------------------------------------------------------------------------------------------------- */

/* Does the machine find a lane wherever it looks for one? */
static bool channel_sound(const tw__channel *c)
{
    if (c->home > TW__WSE_R && c->home != TW__WSE_NO_PORT) return false;
    for (unsigned port = 0; port < TW__WSE_PORTS; port++) {
        const tw__lane *lane = c->home == port ? &c->lane : c->more ? &c->more[port] : NULL;
        if (lane && lane->held > TW__WSE_DIRECT + TW__CSL_COLORS && lane->held != TW__WSE_SEVERAL) return false;
        if (((c->waiting >> port & 1) != 0) != (lane && lane->count)) return false;
    }
    return true;
}

static void walk_channel(tw__ck *k, tw__part *part, tw__channel *c)
{
    tw__ck_fields(k, ROWS(channel_rows), c);
    tw__ck_fields(k, ROWS(lane_rows), &c->lane);
    if (tw__ck_flag(k, "more lanes", c->more != NULL)) {
        if (!c->more && !(c->more = tw__wse_piece(part, TW__WSE_PORTS * sizeof *c->more))) {
            tw__ck_no_memory(k);
            return;
        }
        for (unsigned port = 0; port < TW__WSE_PORTS; port++) tw__ck_fields(k, ROWS(lane_rows), &c->more[port]);
    }
    if (tw__ck_reads(k) && !channel_sound(c)) tw__ck_wrong(k, "what waits on a color cannot be");
}

static void make_channels(tw__ck *k, tw__part *part, tw__router *router, unsigned count)
{
    memset(router->channel_of, 0, sizeof router->channel_of);
    router->channel = count ? tw__wse_piece(part, count * sizeof *router->channel) : NULL;
    if (count && !router->channel) tw__ck_no_memory(k);
    router->channel_count = router->channel_room = (uint8_t)(router->channel ? count : 0);
}

static void check_router(tw__ck *k, const tw__router *router)
{
    uint32_t colors = 0;
    bool good = router->busy >> router->channel_count == 0;
    for (unsigned i = 0; i < router->channel_count && good; i++) {
        good = !(router->busy >> i & 1) || router->channel[i].waiting;
        colors |= 1u << router->channel[i].color;
    }
    for (unsigned s = 0; s < 4; s++)
        for (unsigned port = 0; port < 4; port++) {
            uint32_t word = router->slot[s].word[port], hints = word & ((1u << TW__CSL_COLORS) - 1);
            bool here = word & TW__WSE_WAVE_HERE;
            if (hints & ~colors || (here && (word >> TW__WSE_WAVE_COLOR & 31) >= TW__CSL_COLORS)) good = false;
        }
    if (!good) tw__ck_wrong(k, "a router cannot be as it is");
}

static void walk_router(tw__ck *k, tw__part *part, tw__router *router)
{
    tw__ck_fields(k, ROWS(router_rows), router);
    for (unsigned s = 0; s < 4; s++) tw__ck_fields(k, ROWS(slot_rows), &router->slot[s]);
    unsigned count = (unsigned)tw__ck_count(k, "colors", router->channel_count, TW__CSL_COLORS, 1);
    if (tw__ck_reads(k)) make_channels(k, part, router, count);
    for (unsigned i = 0; i < count && tw__ck_good(k); i++) {
        tw__channel *c = &router->channel[i];
        walk_channel(k, part, c);
        if (!tw__ck_reads(k)) continue;
        if (router->channel_of[c->color]) tw__ck_wrong(k, "color %u is there twice", c->color);
        router->channel_of[c->color] = (uint8_t)(i + 1);
    }
    if (tw__ck_reads(k) && tw__ck_good(k)) check_router(k, router);
}

/* A router that wants to hear when a wavelet leaves a neighbour's lane has that color itself. */
static bool wants_sound(const tw__wse *w, uint32_t pe, unsigned port)
{
    const tw__router *router = &w->router[pe];
    bool edge = port == TW__WSE_R || router->edges >> port & 1;
    const tw__router *behind = edge ? NULL : router + w->pe_step[port];
    for (unsigned i = 0; i < router->channel_count; i++) {
        const tw__channel *c = &router->channel[i];
        const tw__lane *lane = c->home == port ? &c->lane : c->more ? &c->more[port] : NULL;
        if (lane && lane->wanted && (!behind || !behind->channel_of[c->color])) return false;
    }
    return true;
}

/* --- rows of PEs ------------------------------------------------------------------------------------------------ */

static void walk_row(tw__ck *k, tw__wse *w, uint32_t row)
{
    tw__ck_section(k, "row", row);
    for (uint32_t pe = row * w->width; pe < (row + 1) * w->width && tw__ck_good(k); pe++) {
        tw__part *part = tw__wse_part_of(w, pe);
        walk_router(k, part, &w->router[pe]);
        tw__wse_pe_walk(k, part, &w->pe[pe]);
        tw__ck_wholes(k, "due", &w->due[pe], sizeof *w->due, 1, ANY);
    }
    for (uint32_t i = 0; i < w->cells; i++) {
        tw__cell *cell = &w->cell[row * w->cells + i];
        uint32_t columns = w->width - i * 64;
        uint64_t none = columns < 64 ? UINT64_MAX << columns : 0;
        tw__ck_fields(k, ROWS(cell_rows), cell);
        if ((cell->near[0] | cell->near[1] | cell->near[2] | cell->near[3] | cell->far) & none)
            tw__ck_wrong(k, "PEs outside the rectangle are due");
    }
    tw__ck_wholes(k, "row_next", &w->row_next[row], sizeof *w->row_next, 1, ANY);
    bool awake = atomic_load(&w->awake[row / 64]) >> (row % 64) & 1;
    if (tw__ck_flag(k, "awake", awake) && tw__ck_reads(k)) atomic_fetch_or(&w->awake[row / 64], 1ull << (row % 64));
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Warnings that were shown are not shown again. */
static void walk_said(tw__ck *k, tw__wse *w)
{
    guint count = 0;
    const char **keys = (const char **)g_hash_table_get_keys_as_array(w->said, &count);
    qsort(keys, count, sizeof *keys, by_text);
    size_t there = tw__ck_count(k, "warnings", count, MOST_SAID, 1);
    for (size_t i = 0; i < there && tw__ck_good(k); i++) {
        char *text = tw__ck_text(k, "warning", tw__ck_reads(k) ? NULL : keys[i], MOST_KEY);
        if (!tw__ck_reads(k) || !text) continue;
        g_hash_table_add(w->said, g_strdup(text));
        free(text);
    }
    g_free(keys);
}

/* What decides how the run goes on. */
static void walk_options(tw__ck *k, const tw__wse *w)
{
    static const char *const checks[] = { "report", "error", "off", "strict" };
    const tw__wse_options *o = &w->options;
    uint64_t check = tw__ck_whole(k, "check", o->check, TW__WSE_CHECK_STRICT);
    uint64_t seed = tw__ck_whole(k, "order seed", o->random_order ? o->seed : 0, ANY);
    if (check != o->check) tw__ck_refuse(k, "was saved with --check=%s: resume it with the same", checks[check]);
    if (seed != (o->random_order ? o->seed : 0))
        tw__ck_refuse(k, "was saved with --order-seed=%llu: resume it with the same", (unsigned long long)seed);
    if (tw__ck_flag(k, "reference", o->reference) != o->reference)
        tw__ck_refuse(k, "is of a run by the reference, or of one without");
}

static void walk_clock(tw__ck *k, tw__wse *w, tw__resume *resume)
{
    tw__wse_totals totals = { 0 };
    uint64_t last = 0;
    for (unsigned i = 0; i < w->part_count; i++) {
        tw__wse_add_totals(&totals, &w->part[i].totals);
        if (w->part[i].last > last) last = w->part[i].last;
    }
    tw__ck_section(k, "clock", 0);
    walk_options(k, w);
    w->now = tw__ck_whole(k, "cycle", w->now, UINT64_MAX >> 2);
    tw__ck_fields(k, ROWS(resume_rows), resume);
    tw__ck_wholes(k, "last", &last, sizeof last, 1, UINT64_MAX >> 2);
    tw__ck_fields(k, ROWS(total_rows), &totals);
    walk_said(k, w);
    if (!tw__ck_reads(k)) return;
    if (resume->start > w->now) tw__ck_wrong(k, "the run begins after its own cycle");
    resume->pending = true;
    w->resume = *resume;
    w->part[0].totals = totals;
    w->part[0].last = last;
    for (unsigned i = 0; i < w->part_count; i++) w->part[i].now = w->now;
}

/* Counters of PEs and of instructions. A profile of the resumed run is one of the whole: it needs them. */
static void walk_figures(tw__ck *k, tw__wse *w)
{
    bool there = tw__ck_flag(k, "profile", w->counters != NULL);
    if (w->counters && !there)
        tw__ck_refuse(k, "was saved by a run without a profile: resume it without, or save it with one");
    if (!w->counters) tw__ck_skip(k);
    if (!there || !w->counters) return;
    for (uint32_t pe = 0; pe < w->count; pe++) tw__ck_fields(k, ROWS(counter_rows), &w->counters[pe]);
    for (uint32_t i = 0; i < w->image->program_count && tw__ck_good(k); i++) {
        const tw__csl_program *p = &w->image->programs[i];
        size_t count = p->code_count + p->function_count;
        tw__wse_heat *rows = tw__calloc(count + 1, sizeof *rows);
        if (!rows) {
            tw__ck_no_memory(k);
            return;
        }
        tw__wse_heat_of(w, i, rows);
        for (size_t at = 0; at < count; at++) tw__ck_fields(k, ROWS(heat_rows), &rows[at]);
        if (tw__ck_reads(k)) {
            free(w->part[0].heat[i]);
            w->part[0].heat[i] = rows;
        } else {
            free(rows);
        }
    }
}

bool tw__wse_events_walk(tw__ck *k, const tw__wse *w, tw__wse_event **events, size_t *count)
{
    *count = tw__ck_count(k, "events", *count, SIZE_MAX / sizeof **events, 5);
    if (tw__ck_reads(k) && !(*events = tw__calloc(*count + 1, sizeof **events))) {
        tw__ck_no_memory(k);
        return false;
    }
    for (size_t i = 0; i < *count && tw__ck_good(k); i++) {
        tw__ck_fields(k, ROWS(event_rows), &(*events)[i]);
        if ((*events)[i].pe >= w->count) tw__ck_wrong(k, "an event is of PE %u", (*events)[i].pe);
    }
    return tw__ck_good(k);
}

/* Those that the host has not asked for. */
static void walk_events(tw__ck *k, tw__wse *w)
{
    size_t count = 0;
    tw__part *first = &w->part[0];
    if (!tw__ck_reads(
            k)) { /* sorted in place, as the host will ask for them: nothing else depends on their order */
        const tw__wse_event *sorted = tw__wse_events(w, &count);
        tw__wse_event *events = (tw__wse_event *)sorted;
        tw__wse_events_walk(k, w, &events, &count);
        for (size_t i = 0; i < count; i++) tw__wse_keep_event(first, &sorted[i]);
        return;
    }
    tw__wse_event *events = NULL;
    if (tw__wse_events_walk(k, w, &events, &count))
        for (size_t i = 0; i < count; i++) tw__wse_keep_event(first, &events[i]);
    free(events);
}

tw__wse_kept tw__wse_keeps(const tw__wse *w)
{
    return (tw__wse_kept)((w->options.profile ? TW__WSE_KEEPS_PROFILE : 0) |
                          (w->options.trace ? TW__WSE_KEEPS_TRACE : 0));
}

/* A trace alone has the events of a trace with a profile; else it is all or nothing. */
bool tw__wse_takes(const tw__wse *w, tw__wse_kept kept)
{
    tw__wse_kept mine = tw__wse_keeps(w);
    return kept == mine || (mine == TW__WSE_KEEPS_TRACE && kept & TW__WSE_KEEPS_TRACE);
}

static void check_neighbours(tw__ck *k, const tw__wse *w)
{
    for (uint32_t pe = 0; pe < w->count; pe++)
        for (unsigned port = 0; port < TW__WSE_PORTS; port++)
            if (!wants_sound(w, pe, port)) tw__ck_wrong(k, "a router waits for what its neighbour does not have");
    if (!tw__wse_mail_stands(w)) tw__ck_wrong(k, "messages cannot be where they are");
}

bool tw__wse_walk(tw__wse *w, tw__ck *k, tw__wse_kept kept)
{
    tw__resume resume = w->resume;
    walk_clock(k, w, &resume);
    for (uint32_t row = 0; row < w->height && tw__ck_good(k); row++) walk_row(k, w, row);
    if (tw__ck_reads(k) && tw__ck_good(k)) check_neighbours(k, w);
    tw__ck_section(k, "figures", 0);
    walk_figures(k, w);
    tw__ck_section(k, "motion", 0);
    tw__wse_motion_walk(k, w);
    tw__ck_section(k, "events", 0);
    if (tw__wse_takes(w, kept))
        walk_events(k, w);
    else
        tw__ck_skip(k);
    if (!tw__ck_reads(k)) return tw__ck_good(k);
    w->no_memory = w->fault = false;
    for (unsigned i = 0; i < w->part_count; i++)
        if (w->part[i].no_memory) tw__ck_no_memory(k);
    return tw__ck_good(k);
}
