/* SPDX-License-Identifier: MIT */
/* learned: what the profile of a run has beside sums: what lies where in each PE, its variables, which neighbour got
 * how many wavelets, what operations waited for, and tasks and operations with begin and end. */
#include "csl/wse/host/host.h"
#include "core/profile/profile.h"
#include "core/wire/wire.h"
#include "csl/lang/code/room.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 10,           /* lanes of a PE: tasks, operations of the main thread, microthreads 0 to 7 */
    MAIN_THREAD = 8,      /* number of its slot in events */
    MOST_LINKS = 1 << 16, /* pairs of neighbours, those with the most wavelets */
    HOST_TASK = 64
};

static const tw__csl_program *learned_program_of(const tw_wse *w, uint32_t pe)
{
    uint32_t program = w->image->pes[pe].program;
    return program < w->image->program_count ? &w->image->programs[program] : NULL;
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static void add_block(tw_profile *p, const char *name, const char *category, uint32_t address, uint32_t bytes)
{
    if (bytes)
        tw__profile_map_add(p, &(tw__block_desc){ .address = address,
                                                  .bytes = bytes,
                                                  .name = name,
                                                  .category = category,
                                                  .from = TW__NONE,
                                                  .to = TW__NONE,
                                                  .used = TW__NONE });
}

/* PEs of one program have one map. */
static void learned_add_maps(const tw_wse *w, tw_profile *p)
{
    uint32_t *map_of = tw__realloc(NULL, (w->image->program_count + 1) * sizeof *map_of);
    if (!map_of) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the memory map");
    for (size_t i = 0; map_of && i < w->image->program_count; i++) map_of[i] = TW__NONE;
    for (uint32_t pe = 0; map_of && pe < w->image->pe_count; pe++) {
        const tw__csl_program *at = learned_program_of(w, pe);
        if (!at) continue;
        uint32_t *map = &map_of[w->image->pes[pe].program];
        if (*map != TW__NONE) {
            tw__profile_map_share(p, pe, *map);
            continue;
        }
        tw__profile_map_begin(p, pe);
        for (size_t k = 0; k < at->symbol_count; k++)
            add_block(p, at->symbols[k].name, at->symbols[k].name, at->symbols[k].address, at->symbols[k].bytes);
        add_block(p, "locals with addresses", "stack", at->stack_address, at->stack_bytes);
        *map = tw__profile_map_end(p);
    }
    free(map_of);
}

typedef struct variable {
    tw__variable_desc desc;
    uint32_t last; /* program + 1 that it was counted for last */
} variable;

/* One more of a name: on how many PEs, the first of them; `program` and 1. */
static void variables_add(GArray *list, GHashTable *seen, const variable *more, uint64_t pes)
{
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(seen, more->desc.name));
    if (!n) {
        variable fresh = { .desc = { .name = more->desc.name,
                                     .type = more->desc.type,
                                     .first_tile = more->desc.first_tile,
                                     .always_live = true } };
        g_array_append_val(list, fresh);
        n = list->len;
        g_hash_table_insert(seen, (char *)more->desc.name, GUINT_TO_POINTER(n));
    }
    variable *v = &g_array_index(list, variable, n - 1);
    v->desc.bytes += more->desc.bytes * pes;
    v->desc.elements += more->desc.elements * pes;
    if (v->last != more->last) v->desc.tiles += (uint32_t)pes; /* several of one name in a program */
    if (more->desc.first_tile < v->desc.first_tile) v->desc.first_tile = more->desc.first_tile;
    v->last = more->last;
}

/* Functions, by what their code takes. */
static void add_functions(const tw_wse *w, tw_profile *p, const uint64_t *pes, const uint32_t *first)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    GArray *list = g_array_new(FALSE, TRUE, sizeof(variable));
    for (uint32_t i = 0; i < w->image->program_count; i++) {
        const tw__csl_program *at = &w->image->programs[i];
        uint32_t *bytes = tw__calloc(at->function_count + 1, sizeof *bytes);
        tw__csl_pe_room room;
        if (!bytes || !tw__csl_pe_room_of(w->image, at, bytes, &room))
            tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
        for (size_t k = 0; bytes && k < at->function_count && pes[i]; k++)
            variables_add(list, seen,
                          &(variable){ .desc = { .name = at->functions[k].name,
                                                 .type = "code (estimated)",
                                                 .bytes = bytes[k],
                                                 .elements = at->functions[k].count,
                                                 .first_tile = first[i] },
                                       .last = i + 1 },
                          pes[i]);
        free(bytes);
    }
    for (guint i = 0; i < list->len; i++) tw__profile_add_variable(p, &g_array_index(list, variable, i).desc);
    g_array_free(list, TRUE);
    g_hash_table_destroy(seen);
}

/* Variables of one name, with their bytes on all PEs. */
static void add_variables(const tw_wse *w, tw_profile *p)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal); /* name -> index + 1 */
    GArray *list = g_array_new(FALSE, TRUE, sizeof(variable));
    uint64_t *pes = tw__calloc(w->image->program_count + 1, sizeof *pes);
    uint32_t *first = tw__calloc(w->image->program_count + 1, sizeof *first);
    if (!pes || !first) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (uint32_t pe = (uint32_t)w->image->pe_count; pes && first && pe-- > 0;)
        if (learned_program_of(w, pe)) pes[w->image->pes[pe].program]++, first[w->image->pes[pe].program] = pe;
    for (size_t i = 0; pes && first && i < w->image->program_count; i++) {
        const tw__csl_program *at = &w->image->programs[i];
        for (size_t k = 0; k < at->symbol_count && pes[i]; k++) {
            const tw__csl_symbol *s = &at->symbols[k];
            if (!s->bytes) continue;
            variables_add(list, seen,
                          &(variable){ .desc = { .name = s->name,
                                                 .type = s->type_text,
                                                 .bytes = s->bytes,
                                                 .elements = s->count,
                                                 .first_tile = first[i] },
                                       .last = (uint32_t)i + 1 },
                          pes[i]);
        }
    }
    for (guint i = 0; i < list->len; i++) tw__profile_add_variable(p, &g_array_index(list, variable, i).desc);
    g_array_free(list, TRUE);
    g_hash_table_destroy(seen);
    if (pes && first) add_functions(w, p, pes, first);
    free(pes), free(first);
}

/* --- links ----------------------------------------------------------------------------------------------------- */

typedef struct link {
    uint32_t from, to;
    uint64_t wavelets;
} link;

static int by_load(const void *a, const void *b)
{
    const link *x = a, *y = b;
    if (x->wavelets != y->wavelets) return x->wavelets < y->wavelets ? 1 : -1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Counters are by direction: west, east, south (rows grow that way), north. */
static void add_links(const tw_wse *w, tw_profile *p, uint32_t exchange)
{
    uint32_t width = w->image->width, height = w->image->height;
    GArray *list = g_array_new(FALSE, FALSE, sizeof(link));
    for (uint32_t pe = 0; pe < w->image->pe_count; pe++) {
        uint32_t x = pe % width, y = pe / width;
        const bool there[] = { x > 0, x + 1 < width, y + 1 < height, y > 0 };
        const uint32_t to[] = { pe - 1, pe + 1, pe + width, pe - width };
        const tw__wse_counters *c = tw__wse_profile(w->fabric, x, y);
        for (unsigned d = 0; c && d < 4; d++) {
            link one = { pe, to[d], c->sent[d] };
            if (there[d] && c->sent[d]) g_array_append_val(list, one);
        }
    }
    if (list->len) qsort(list->data, list->len, sizeof(link), by_load);
    guint kept = list->len < MOST_LINKS ? list->len : MOST_LINKS;
    for (guint i = 0; i < kept; i++) {
        const link *at = &g_array_index(list, link, i);
        tw__profile_add_pair(p, TW__EXCHANGE_INTERNAL, exchange, at->from, at->to, 4 * at->wavelets, at->wavelets);
    }
    tw__profile_omit_pairs(p, list->len - kept);
    g_array_free(list, TRUE);
}

/* --- waits ----------------------------------------------------------------------------------------------------- */

static void add_waits(const tw_wse *w, tw_profile *p)
{
    char text[64];
    for (uint32_t pe = 0; pe < w->image->pe_count; pe++) {
        const tw__wse_counters *c = tw__wse_profile(w->fabric, pe % w->image->width, pe / w->image->width);
        for (unsigned color = 0; c && color < TW__WSE_WAIT_COLORS; color++) {
            g_snprintf(text, sizeof text, "wavelets of color %u", color);
            if (c->wait_in[color]) tw__profile_add_wait(p, pe, text, TW__NONE, c->wait_in[color]);
            g_snprintf(text, sizeof text, "room in the output queue of color %u", color);
            if (c->wait_out[color]) tw__profile_add_wait(p, pe, text, TW__NONE, c->wait_out[color]);
        }
        if (c && c->wait_fifo) tw__profile_add_wait(p, pe, "FIFO", TW__NONE, c->wait_fifo);
    }
}

/* --- tasks and operations -------------------------------------------------------------------------------------- */

typedef struct open_span {
    bool open, follows; /* follows: the next one has begun in the cycle in which this one ends */
    uint64_t from, next_from;
    uint32_t name, next_name; /* function, or operation */
} open_span;

static const char *lane_name(unsigned slot, char text[32])
{
    if (slot == 0) return "tasks";
    if (slot == 1 + MAIN_THREAD) return "operations";
    g_snprintf(text, 32, "microthread %u", slot - 1);
    return text;
}

static const char *span_name(const tw_wse *w, const tw__wse_event *e, const open_span *span, char text[160])
{
    const tw__csl_program *p = learned_program_of(w, e->pe);
    if (e->kind == TW__WSE_OP_END)
        g_snprintf(text, 160, "@%s", tw__host_operation(span->name));
    else
        g_snprintf(text, 160, "task %s", p && span->name < p->function_count ? p->functions[span->name].name : "?");
    return text;
}

/* PEs may be ahead of the clock while the host asks: a run is no shorter than what is known of it. */
uint64_t tw__host_end(const tw_wse *w)
{
    uint64_t end = tw__wse_cycle(w->fabric);
    for (guint i = 0; i < w->events->len; i++) {
        const tw__wse_event *e = &g_array_index(w->events, tw__wse_event, i);
        if (e->kind <= TW__WSE_OP_END && e->cycle > end) end = e->cycle;
    }
    return end;
}

/* Begins and ends are events of one slot of one PE, begins first within a cycle; an end whose begin was not kept says
 * nothing. */
static void add_spans(const tw_wse *w, tw_profile *p)
{
    size_t slots = w->image->pe_count * SLOTS;
    open_span *open = tw__calloc(slots + 1, sizeof *open);
    uint32_t *lane = tw__calloc(slots + 1, sizeof *lane); /* + 1; 0 = none yet */
    uint64_t kept = 0, all = 0;
    if (!open || !lane) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (guint i = 0; open && lane && i < w->events->len && !tw__profile_status(p); i++) {
        const tw__wse_event *e = &g_array_index(w->events, tw__wse_event, i);
        bool task = e->kind == TW__WSE_TASK_BEGIN || e->kind == TW__WSE_TASK_END;
        if (e->kind > TW__WSE_OP_END || (!task && e->a > MAIN_THREAD)) continue;
        size_t at = (size_t)e->pe * SLOTS + (task ? 0 : 1 + e->a);
        if (e->kind == TW__WSE_TASK_BEGIN || e->kind == TW__WSE_OP_BEGIN) {
            if (open[at].open)
                open[at].follows = true, open[at].next_from = e->cycle, open[at].next_name = e->b;
            else
                open[at] = (open_span){ .open = true, .from = e->cycle, .name = e->b };
            continue;
        }
        if (!open[at].open) continue;
        char text[160], name[32];
        if (!lane[at]) lane[at] = 1 + tw__profile_add_lane(p, e->pe, lane_name((unsigned)(at % SLOTS), name));
        uint32_t line;
        const char *file = tw__host_place(w, e->pe, task, open[at].name, &line);
        if (lane[at])
            tw__profile_add_interval(
                p, &(tw__interval_desc){ .lane = lane[at] - 1,
                                         .file = file,
                                         .line = line,
                                         .from = open[at].from,
                                         .to = e->cycle > open[at].from ? e->cycle : open[at].from,
                                         .name = span_name(w, e, &open[at], text),
                                         .partner = TW__NONE });
        open[at] = (open_span){ .open = open[at].follows, .from = open[at].next_from, .name = open[at].next_name };
        kept++;
    }
    for (uint32_t pe = 0; pe < w->image->pe_count; pe++) {
        const tw__wse_counters *c = tw__wse_profile(w->fabric, pe % w->image->width, pe / w->image->width);
        for (unsigned id = 0; c && id <= HOST_TASK; id++) all += c->task_runs[id];
    }
    tw__profile_omit_intervals(p, all > kept ? all - kept : 0); /* tasks at least; operations are not all events */
    free(open), free(lane);
}

/* --- motion ---------------------------------------------------------------------------------------------------- */

/* As set at the start, of the color that a route is of. */
static void add_routes(const tw_wse *w, tw_profile *p)
{
    for (uint32_t pe = 0; pe < w->image->pe_count; pe++)
        for (uint32_t k = 0; k < w->image->pes[pe].route_count; k++) {
            const tw__csl_route *route = &w->image->routes[w->image->pes[pe].route + k];
            if (route->rx || route->tx) tw__profile_add_route(p, pe, route->color, route->rx & 31, route->tx & 31);
        }
}

static void add_motion(const tw_wse *w, tw_profile *p)
{
    tw__wse_story story;
    if (!w->options.motion) return;
    if (!tw__wse_motion(w->fabric, &story)) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    tw__profile_set_flow(p, story.window, story.block);
    for (size_t i = 0; i < story.count; i++) {
        const tw__wse_did *did = &story.did[i];
        tw__profile_add_flow(
            p, &(tw__profile_flow){ .window = did->window,
                                    .tile = did->pe,
                                    .amount = did->amount < UINT32_MAX ? (uint32_t)did->amount : UINT32_MAX,
                                    .kind = did->kind,
                                    .color = did->color });
    }
    free(story.did);
}

static void add_waiting(tw_profile *p, uint32_t pe, char *text)
{
    for (char *at = text; at && *at;) {
        char *end = strchr(at, '\n'), *colon = strstr(at, ": "); /* behind the name of the PE */
        if (end) *end = 0;
        tw__profile_add_stuck(p, pe, colon ? colon + 2 : at);
        at = end ? end + 1 : NULL;
    }
}

/* Numbers of PEs, each with a text and its zero. */
static void take_waiting(void *user, unsigned rank, const char *bytes, size_t size)
{
    (void)rank;
    for (const char *at = bytes; at < bytes + size; at += strlen(at) + 1) {
        uint32_t pe;
        memcpy(&pe, at, sizeof pe);
        at += sizeof pe;
        g_autofree char *text = g_strdup(at);
        add_waiting(user, pe, text);
    }
}

/* Of a run that ended early: what each PE and its router wait for. */
static void add_stuck(const tw_wse *w, tw_profile *p)
{
    if (w->failed != TW_E_SYSTEM) return;
    g_autoptr(GByteArray) mine = g_byte_array_new();
    for (uint32_t pe = 0; pe < w->image->pe_count; pe++) {
        unsigned x = pe % w->image->width, y = pe / w->image->width;
        char *text = tw__wse_is_here(w->fabric, x, y) ? tw__wse_why(w->fabric, x, y) : NULL;
        if (text && *text) {
            g_byte_array_append(mine, (const guint8 *)&pe, sizeof pe);
            g_byte_array_append(mine, (const guint8 *)text, (guint)strlen(text) + 1);
        }
        free(text);
    }
    tw__wse_gather_all(w->fabric, mine->data, mine->len, take_waiting, p);
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

static void add_heat(const tw_wse *w, tw_profile *p, uint32_t program, const tw__wse_heat *heat)
{
    const tw__csl_program *at = &w->image->programs[program];
    char what[160];
    for (uint32_t i = 0; i < at->code_count + at->function_count; i++) {
        if (!heat[i].runs && !heat[i].waits) continue;
        bool task = i >= at->code_count;
        uint32_t number = task ? i - (uint32_t)at->code_count : i << 8, line;
        const char *file = tw__host_place_in(w, at, task, number, &line);
        if (!line) continue;
        if (task)
            g_snprintf(what, sizeof what, "task %s", at->functions[number].name);
        else
            g_snprintf(what, sizeof what, "@%s", tw__host_operation_at(at, i));
        tw__profile_add_line(p, &(tw__line_desc){ .file = file,
                                                  .line = line,
                                                  .what = what,
                                                  .runs = heat[i].runs,
                                                  .cycles = heat[i].cycles,
                                                  .waits = heat[i].waits });
    }
}

static void take_heat(void *user, unsigned rank, const char *bytes, size_t size)
{
    tw__wse_heat *sum = user;
    (void)rank;
    for (size_t i = 0; i < size / sizeof *sum; i++) {
        tw__wse_heat more;
        memcpy(&more, bytes + i * sizeof more, sizeof more);
        sum[i].runs += more.runs, sum[i].cycles += more.cycles, sum[i].waits += more.waits;
    }
}

static tw_status program_heat(const tw_wse *w, tw_profile *p, uint32_t program)
{
    const tw__csl_program *at = &w->image->programs[program];
    size_t count = at->code_count + at->function_count;
    tw__wse_heat *mine = tw__calloc(2 * count + 1, sizeof *mine), *sum = mine ? mine + count : NULL;
    tw_status s = tw__wire_agree(mine ? TW_OK : tw__fail(TW_E_NO_MEMORY, "out of memory for the profile"));
    if (!s) tw__wse_heat_of(w->fabric, program, mine);
    if (!s) s = tw__wse_gather_all(w->fabric, mine, count * sizeof *mine, take_heat, sum);
    if (!s) add_heat(w, p, program, sum);
    free(mine);
    return s;
}

static void learned_add_lines(const tw_wse *w, tw_profile *p)
{
    tw_status s = TW_OK;
    for (uint32_t i = 0; i < w->image->program_count && !s; i++) s = program_heat(w, p, i);
    if (s) tw__profile_fail(p, s, "%s", tw_error_message());
    tw__profile_read_sources(p);
}

void tw__host_add_learned(const tw_wse *w, tw_profile *p, uint32_t links)
{
    tw__profile_add_region(p, "memory", "", 0, TW__CSL_PE_BYTES);
    learned_add_maps(w, p);
    add_variables(w, p);
    add_links(w, p, links);
    add_waits(w, p);
    add_spans(w, p);
    add_routes(w, p);
    add_motion(w, p);
    add_stuck(w, p);
    learned_add_lines(w, p);
}
