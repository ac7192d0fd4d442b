/* SPDX-License-Identifier: MIT */
/* What a file with both parts says first, in the machine's own words: size, what the run took, what ran. All of it
 * follows from the parts below it; readers of ours skip it (docs/profile.md, "Summary"). */
#include "core/profile/json.h"
#include "core/profile/summary.h"

#include <glib.h>
#include <stdlib.h>

/* "bytesPerPE", "bytesPerTile". */
static void put_per_tile(tw__json *j, const char *word, uint64_t bytes)
{
    g_autofree char *key = g_strconcat("bytesPer", word, NULL);
    key[strlen("bytesPer")] = g_ascii_toupper(*word);
    tw__json_count(j, key, bytes);
}

/* 12, or [x, y] on a grid. */
static void summary_place(tw__json *j, const char *key, uint32_t tile)
{
    uint32_t place[2];
    if (!tw__profile_place(j->p, tile, place)) {
        tw__json_count(j, key, tile);
        return;
    }
    tw__json_open(j, key, '[');
    for (int i = 0; i < 2; i++) tw__json_count(j, NULL, place[i]);
    tw__json_close(j, ']');
}

static void put_fullest(tw__json *j, const tw__terms *terms)
{
    const tw_profile *p = j->p;
    if (!tw_profile_memory_by_tile(p, j->row)) return;
    uint32_t fullest = 0;
    for (uint32_t t = 0; t < p->target.tiles; t++)
        if (j->row[t] > j->row[fullest]) fullest = t;
    tw__json_open(j, "fullest", '{');
    summary_place(j, terms->words[1], fullest);
    tw__json_count(j, "bytes", j->row[fullest]);
    tw__json_close(j, '}');
}

typedef struct ran {
    const char *name;
    tw__type_cycles total;
} ran;

static int by_cycles_of_all(const void *a, const void *b)
{
    const ran *x = a, *y = b;
    if (x->total.cycles != y->total.cycles) return x->total.cycles < y->total.cycles ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* What ran, by its name: the most cycles first. */
static void put_kernels(tw__json *j, const tw__terms *terms)
{
    const tw_profile *p = j->p;
    tw__type_cycles *types = tw__profile_type_totals(p);
    ran *list = tw__realloc(NULL, (p->types.count + 1) * sizeof *list);
    j->failed |= !types || !list;
    size_t count = j->failed ? 0 : p->types.count;
    for (size_t i = 0; i < count; i++) list[i] = (ran){ p->names.items[p->types.items[i].name], types[i] };
    if (count) qsort(list, count, sizeof *list, by_cycles_of_all);
    tw__json_open(j, terms->plurals[2], '[');
    for (size_t i = 0; i < count && list[i].total.cycles; i++) {
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "name", list[i].name);
        tw__json_count(j, "instances", list[i].total.instances);
        tw__json_count(j, "cycles", list[i].total.cycles);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
    free(types);
    free(list);
}

void tw__write_summary(tw__json *j)
{
    const tw_profile *p = j->p;
    const char *type = p->names.items[p->target.type], *arch = p->names.items[p->target.arch];
    const tw__terms *terms = tw__profile_terms(type);
    tw_profile_totals totals;
    if (tw_profile_get_totals(p, &totals)) {
        j->failed = true;
        return;
    }
    tw__json_text(j, "machine", type);
    if (*arch) tw__json_text(j, "architecture", arch);
    if (terms->chips) tw__json_count(j, terms->plurals[0], p->target.ipus);
    tw__json_count(j, terms->plurals[1], p->target.tiles);
    if (p->grid.columns && !terms->is_graph) tw__json_members(j, TW__TABLE_grid, p, 0);
    put_per_tile(j, terms->words[1], p->target.bytes_per_tile);
    tw__json_number(j, "clockFrequency", p->target.clock_hz);
    tw__json_count(j, "cycles", totals.cycles);
    tw__json_number(j, "seconds", totals.seconds);
    tw__json_text(j, "fidelity", tw_fidelity_name(totals.fidelity));
    if (totals.fidelity && *p->names.items[p->target.band])
        tw__json_text(j, "cycleBand", p->names.items[p->target.band]);
    tw__json_number(j, "balance", totals.tile_balance);
    uint32_t used;
    j->failed |= !tw__profile_tiles_in_use(p, &used);
    tw__json_count(j, "inUse", used);
    if (used) tw__json_number(j, "balanceInUse", tw__profile_used_balance(p, &totals, used));
    put_fullest(j, terms);
    put_kernels(j, terms);
}
