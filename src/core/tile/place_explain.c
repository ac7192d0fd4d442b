/* SPDX-License-Identifier: MIT */
/* What to say when tiles are too full: which one, what fills it, by how much, and which limit of its memory is in the
 * way. */
#include "core/tile/place.h"

#include <string.h>

/* "Variables 700,000 B ('weights' 690,000 B), Stack 3,168 B, ...": the three largest categories of what is alive in
 * `step`, with their largest objects. */
static void place_explain_describe(const tw__place_item *items, size_t count, unsigned tile, uint32_t step,
                                   char *text, size_t size)
{
    uint64_t sums[TW_STORAGE_COUNT] = { 0 };
    const tw__place_item *largest[TW_STORAGE_COUNT] = { NULL };
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const tw__place_item *item = &items[i];
        if (item->tile != tile || item->storage >= TW_STORAGE_COUNT || !tw__place_is_alive(item, step)) continue;
        sums[item->storage] += item->bytes;
        if (!largest[item->storage] || item->bytes > largest[item->storage]->bytes) largest[item->storage] = item;
    }
    text[0] = 0;
    for (int n = 0; n < 3; n++) {
        unsigned most = 0;
        char number[32], part[32];
        for (unsigned s = 1; s < TW_STORAGE_COUNT; s++)
            if (sums[s] > sums[most]) most = s;
        if (!sums[most]) return;
        const char *name = largest[most]->name ? largest[most]->name : "";
        int out =
            snprintf(text + at, size - at, "%s%s %s B%s%.60s%s%s%s", n ? ", " : "", tw_storage_label(most),
                     tw__commas(number, sizeof number, sums[most]), *name ? " ('" : "", name, *name ? "' " : "",
                     *name ? tw__commas(part, sizeof part, largest[most]->bytes) : "", *name ? " B)" : "");
        if (out < 0 || (size_t)out >= size - at) return;
        at += (size_t)out, sums[most] = 0;
    }
}

/* Bytes of the objects with `flag` that are alive in the step in which most of them are. */
static uint64_t most_alive(const tw__place_item *items, size_t count, unsigned tile, unsigned flag)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 0;
        if (items[i].tile != tile || !(items[i].flags & flag)) continue;
        for (size_t k = 0; k < count; k++)
            if (items[k].tile == tile && items[k].flags & flag && tw__place_is_alive(&items[k], items[i].first))
                sum += items[k].bytes;
        if (sum > most) most = sum;
    }
    return most;
}

static uint64_t region_bytes(const tw_tile_arch *arch, bool interleaved)
{
    uint64_t sum = 0;
    for (unsigned r = 0; r < arch->region_count; r++)
        if (interleaved ? arch->regions[r].interleaved : arch->regions[r].executable) sum += arch->regions[r].bytes;
    return sum;
}

/* The limit that keeps a tile whose bytes would fit in all from holding them; "" when it is only how objects lie. */
static void name_limit(const tw_tile_arch *arch, const tw__place_item *items, size_t count, unsigned tile,
                       char *text, size_t size)
{
    static const struct {
        unsigned flag;
        const char *name;
    } kinds[] = { { TW__PLACE_INTERLEAVED, "interleaved" }, { TW__PLACE_EXECUTABLE, "executable" } };
    const tw__place_item *unplaced = NULL;
    char need[32], have[32];
    text[0] = 0;
    for (size_t i = 0; i < count && !unplaced; i++)
        if (items[i].tile == tile && items[i].flags & TW__PLACE_OVERFLOWED) unplaced = &items[i];
    if (!unplaced) return;
    const char *name = unplaced->name && *unplaced->name ? unplaced->name : tw_storage_label(unplaced->storage);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (unplaced->flags & kinds[k].flag) {
            snprintf(text, size,
                     "'%.60s' has to lie in %s memory, which has %s bytes; %s bytes that must lie there are "
                     "alive at once; ",
                     name, kinds[k].name,
                     tw__commas(have, sizeof have, region_bytes(arch, kinds[k].flag == TW__PLACE_INTERLEAVED)),
                     tw__commas(need, sizeof need, most_alive(items, count, tile, kinds[k].flag)));
            return;
        }
    if (unplaced->flags & TW__PLACE_OVERREAD)
        snprintf(
            text, size,
            "vertices may read on for %u bytes behind '%.60s' (%s bytes), so it has to end that far before the end "
            "of the memory; ",
            arch->fetch_overread_bytes, name, tw__commas(need, sizeof need, unplaced->bytes));
}

static tw_status explain_pair(const tw_tile_arch *arch, const tw__place_item *items, const tw__place_pair *pair,
                              const tw__place_tile *tile)
{
    const tw__place_item *a = &items[pair->a], *b = &items[pair->b];
    char first[32], second[32], alive[32], have[32];
    return tw__fail(
        TW_E_ELEM_CONSTRAINTS,
        "tile %u: no place for '%s' (%s bytes) and '%s' (%s bytes) that meets the constraint of %s; %s bytes are "
        "alive at once of %s. Map one of them to another tile, or take the constraint away",
        a->tile, a->name ? a->name : "", tw__commas(first, sizeof first, a->bytes), b->name ? b->name : "",
        tw__commas(second, sizeof second, b->bytes),
        pair->text                     ? pair->text
        : pair->rule == TW__PLACE_ELEM ? "elem(*a)!=elem(*b)"
                                       : "region(*a)!=region(*b)",
        tw__commas(alive, sizeof alive, tile->max_live), tw__commas(have, sizeof have, arch->bytes_per_tile));
}

/* Bytes alive at once decide; where they would fit, the layout is what does not. */
static uint64_t excess_of(const tw_tile_arch *arch, const tw__place_tile *tile)
{
    return tile->max_live > arch->bytes_per_tile ? tile->max_live - arch->bytes_per_tile : tile->overflow;
}

tw_status tw__place_explain(const tw_tile_arch *arch, unsigned tiles, const tw__place_item *items, size_t count,
                            const tw__place_pair *pairs, size_t pair_count, const tw__place_tile *by_tile)
{
    uint64_t sum = 0, most = 0;
    unsigned over = 0, fullest = 0;
    for (size_t i = 0; i < pair_count; i++) {
        const tw__place_tile *tile = &by_tile[items[pairs[i].a].tile];
        bool out = (items[pairs[i].a].flags | items[pairs[i].b].flags) & TW__PLACE_OVERFLOWED;
        if (out && tile->status == TW_E_ELEM_CONSTRAINTS) return explain_pair(arch, items, &pairs[i], tile);
    }
    for (unsigned t = 0; t < tiles; t++) {
        if (by_tile[t].status == TW_OK) continue;
        uint64_t excess = excess_of(arch, &by_tile[t]);
        bool alive = by_tile[t].max_live > arch->bytes_per_tile;
        uint64_t weight = excess + (alive ? (uint64_t)arch->bytes_per_tile : 1);
        over++, sum += excess;
        if (weight > most) most = weight, fullest = t;
    }
    if (!over) return TW_OK;
    const tw__place_tile *tile = &by_tile[fullest];
    bool fits = tile->max_live <= arch->bytes_per_tile;
    char need[32], have[32], beyond[32], total[32], parts[400], limit[300] = "";
    place_explain_describe(items, count, fullest, tile->fullest, parts, sizeof parts);
    if (fits) name_limit(arch, items, count, fullest, limit, sizeof limit);
    return tw__fail(TW_E_TILE_MEMORY,
                    "tile %u is out of memory: it needs %s bytes of %s, %s %s (%s%s); %u tile(s) are out of "
                    "memory by %s bytes in all",
                    fullest, tw__commas(need, sizeof need, tile->max_live),
                    tw__commas(have, sizeof have, arch->bytes_per_tile),
                    tw__commas(beyond, sizeof beyond, excess_of(arch, tile)), fits ? "without room" : "too many",
                    limit, parts, over, tw__commas(total, sizeof total, sum));
}
