/* SPDX-License-Identifier: MIT */
/* lines: cycles of simulated vertices by the lines of their sources. The simulator tells each instruction before it
 * runs, and the turns until the next one of that context are its line's. What the compiler's runtime, or an inlined
 * function of our headers, does in between counts to the line before it, which called; a vertex's cycles are shared
 * among its lines so that they add up. Costs time, as everything goes step by step: only where somebody asks. */
#include "core/profile/profile.h"
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/sim.h>

enum { UNKNOWN = 1, FIRST = 2 }; /* place numbers by word of code; 0: nobody has looked */

struct tw__tile_lines {
    GMutex lock;
    uint32_t **place_of; /* [placed links][words of code] */
    guint links;
    GArray *places;      /* tw__tile_line: file and line, from FIRST on */
    GHashTable *numbers; /* "line file" -> place */
    GHashTable *sums;    /* type << 32 | place -> tw__tile_line */
};

struct tw__line_turn {
    tw__tile_lines *lines;
    tw_sim *sim;
    uint32_t *place_of, base, words;
    GArray *weights, *runs; /* uint64_t by place */
    struct {
        bool is_on;
        uint32_t place; /* of the last instruction */
        uint64_t turns; /* before it */
    } contexts[TW_SIM_CONTEXTS];
};

tw__tile_lines *tw__tile_lines_new(const tw_engine *engine)
{
    if (!engine->chip || !engine->chip->placed) return NULL;
    if (!tw__options_bool(engine->options, "profiler.lines") && !tw__profile_wanted()) return NULL;
    tw__tile_lines *l = g_new0(tw__tile_lines, 1);
    g_mutex_init(&l->lock);
    l->links = engine->chip->placed->len;
    l->place_of = g_new0(uint32_t *, l->links + 1);
    l->places = g_array_new(FALSE, TRUE, sizeof(tw__tile_line));
    g_array_set_size(l->places, FIRST);
    l->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    l->sums = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    return l;
}

void tw__tile_lines_free(tw__tile_lines *l)
{
    if (!l) return;
    for (guint i = 0; i < l->links; i++) g_free(l->place_of[i]);
    g_free(l->place_of);
    g_array_free(l->places, TRUE);
    g_hash_table_destroy(l->numbers), g_hash_table_destroy(l->sums);
    g_mutex_clear(&l->lock);
    g_free(l);
}

void tw__tile_lines_reset(tw__tile_lines *l)
{
    if (l) g_hash_table_remove_all(l->sums);
}

/* --- places ---------------------------------------------------------------------------------------------------- */

static bool is_of_headers(const char *file)
{
    static const char *const parts[] = { "include/poplar/", "include/tilewright/", "/usr/include/",
                                         "/usr/lib/",       "colossus/cc/rt/",     "<popc>" };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strstr(file, parts[i])) return true;
    return strcmp(file, "assembly") == 0; /* what the compiler brings has no name of its own */
}

/* With the lock. */
static uint32_t number_place(tw__tile_lines *l, const tw_sim *sim, uint32_t address)
{
    const char *file;
    uint32_t line;
    if (!tw_sim_line_at(sim, address, &file, &line) || !file || !line || is_of_headers(file)) return UNKNOWN;
    char *key = g_strdup_printf("%u %s", line, file);
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(l->numbers, key));
    if (number) return g_free(key), number;
    number = l->places->len;
    g_hash_table_insert(l->numbers, key, GUINT_TO_POINTER(number));
    const tw__tile_line place = { .file = strchr(key, ' ') + 1, .line = line };
    g_array_append_val(l->places, place);
    return number;
}

static uint32_t place_at(tw__line_turn *t, uint32_t address)
{
    const uint32_t word = (address - t->base) / 4;
    if (address < t->base || word >= t->words) return UNKNOWN;
    uint32_t place = __atomic_load_n(&t->place_of[word], __ATOMIC_RELAXED);
    if (place) return place;
    g_mutex_lock(&t->lines->lock);
    place = number_place(t->lines, t->sim, address);
    g_mutex_unlock(&t->lines->lock);
    __atomic_store_n(&t->place_of[word], place, __ATOMIC_RELAXED);
    return place;
}

/* --- counting --------------------------------------------------------------------------------------------------- */

static uint64_t *lines_slot(GArray *list, uint32_t place)
{
    if (place >= list->len) g_array_set_size(list, place + 1);
    return &g_array_index(list, uint64_t, place);
}

/* The turns up to now are those of the last instruction. A turn of a worker is one of six cycles in which others take
 * the rest; the supervisor, whose turns are cycles, may be waiting for workers: that is their time. */
static void settle_line(tw__line_turn *t, unsigned context)
{
    enum { LATENCY = 7 };
    const uint64_t now = tw_sim_turns(t->sim, context);
    if (!t->contexts[context].is_on || now < t->contexts[context].turns) return;
    uint64_t turns = now - t->contexts[context].turns;
    if (context == TW_SIM_SUPERVISOR && turns > LATENCY) turns = LATENCY;
    *lines_slot(t->weights, t->contexts[context].place) += turns;
    t->contexts[context].turns = now;
}

static bool count_line(void *user, tw_sim *sim, const tw_sim_event *event)
{
    tw__line_turn *t = user;
    if (event->done) return false;
    const uint32_t place = place_at(t, event->pc);
    settle_line(t, event->context);
    __typeof__(t->contexts[0]) *c = &t->contexts[event->context];
    if (place != UNKNOWN && place != c->place) ++*lines_slot(t->runs, place);
    if (place != UNKNOWN || !c->is_on) c->place = place;
    c->is_on = true;
    c->turns = tw_sim_turns(sim, event->context);
    return false;
}

tw__line_turn *tw__line_turn_new(tw__tile_lines *l, const tw_engine *engine, uint32_t tile, tw_sim *sim)
{
    if (!l || !sim) return NULL;
    const uint32_t link = engine->chip->placed_of[tile] - 1;
    const tw__placed_link *placed = &g_array_index(engine->chip->placed, tw__placed_link, link);
    tw__line_turn *t = g_new0(tw__line_turn, 1);
    t->lines = l, t->sim = sim, t->base = placed->code_address;
    t->words = g_array_index(engine->chip->links, tw__tile_link, placed->link).code_bytes / 4;
    g_mutex_lock(&l->lock);
    if (!l->place_of[link]) l->place_of[link] = g_new0(uint32_t, t->words + 1);
    t->place_of = l->place_of[link];
    g_mutex_unlock(&l->lock);
    t->weights = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    t->runs = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    return t;
}

void tw__line_turn_free(tw__line_turn *t)
{
    if (!t) return;
    tw_sim_set_hook(t->sim, NULL, NULL);
    g_array_free(t->weights, TRUE), g_array_free(t->runs, TRUE);
    g_free(t);
}

void tw__line_turn_begin(tw__line_turn *t)
{
    if (!t) return;
    tw_sim_set_hook(t->sim, count_line, t); /* again: a debugger has had the hook during the vertex before */
    g_array_set_size(t->weights, 0), g_array_set_size(t->runs, 0);
    memset(t->contexts, 0, sizeof t->contexts);
}

/* With the lock. */
static tw__tile_line *line_sum_of(tw__tile_lines *l, uint32_t type, uint32_t place)
{
    const gint64 key = (gint64)((uint64_t)type << 32 | place);
    tw__tile_line *sum = g_hash_table_lookup(l->sums, &key);
    if (sum) return sum;
    sum = g_new(tw__tile_line, 1);
    *sum = g_array_index(l->places, tw__tile_line, place);
    sum->type = type;
    g_hash_table_insert(l->sums, g_memdup2(&key, sizeof key), sum);
    return sum;
}

void tw__line_turn_end(tw__line_turn *t, uint32_t type, uint64_t cycles)
{
    if (!t) return;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) settle_line(t, i);
    uint64_t all = 0, sum = 0, given = 0;
    for (uint32_t i = FIRST; i < t->weights->len; i++) all += g_array_index(t->weights, uint64_t, i);
    if (!all) return; /* without lines */
    g_mutex_lock(&t->lines->lock);
    for (uint32_t i = FIRST; i < t->weights->len; i++) {
        const uint64_t weight = g_array_index(t->weights, uint64_t, i);
        if (!weight) continue;
        sum += weight;
        const uint64_t until = (uint64_t)((double)sum / (double)all * (double)cycles + 0.5);
        tw__tile_line *line = line_sum_of(t->lines, type, i);
        line->cycles += until - given, line->runs += *lines_slot(t->runs, i);
        given = until;
    }
    g_mutex_unlock(&t->lines->lock);
}

static gint lines_by_place(gconstpointer a, gconstpointer b)
{
    const tw__tile_line *x = a, *y = b;
    const int files = x->type == y->type ? strcmp(x->file, y->file) : 0;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

GArray *tw__tile_lines_all(const tw__tile_lines *l)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(tw__tile_line));
    GHashTableIter at;
    gpointer sum;
    if (!l) return all;
    g_hash_table_iter_init(&at, l->sums);
    while (g_hash_table_iter_next(&at, NULL, &sum)) g_array_append_vals(all, sum, 1);
    g_array_sort(all, lines_by_place);
    return all;
}
