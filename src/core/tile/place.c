/* SPDX-License-Identifier: MIT */
/* Placement of all tiles (place.h): checks, and one call per tile in parallel. */
#include "core/tile/place.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PARALLEL_ITEMS = 4096 }; /* fewer than these are placed before another thread has woken */

/* Items and pairs sorted by tile; all arrays are indexed from the tile's start. */
typedef struct grouped {
    uint32_t *start; /* [tiles + 1] into `items` */
    tw__place_item **items;
    uint32_t *local;      /* of each item of the caller: index within its tile */
    uint32_t *pair_start; /* [count + tiles]: of tile t from start[t] + t on, relative to pairs of that tile */
    tw__fit_pair *pairs;
    size_t *tile_pairs; /* [tiles]: first of the tile in `pairs` */
} grouped;

static void place_release(grouped *g)
{
    free(g->start), free(g->items), free(g->local), free(g->pair_start), free(g->pairs), free(g->tile_pairs);
}

static bool lives_are_sorted(const tw__place_item *item)
{
    const tw__place_life *life = item->lives;
    if (!item->life_count) return true;
    for (uint32_t k = 0; k < item->life_count; k++)
        if (life[k].first > life[k].last || (k && life[k - 1].last >= life[k].first)) return false;
    return life[0].first == item->first && life[item->life_count - 1].last == item->last;
}

static tw_status check(const tw_tile_arch *arch, unsigned tiles, const tw__place_item *items, size_t count,
                       const tw__place_pair *pairs, size_t pair_count)
{
    if (!arch->shared_address_space || !arch->bytes_per_tile || !arch->region_count)
        return tw__fail(TW_E_NOT_SUPPORTED, "objects cannot be placed on %s: its tiles have no single memory",
                        arch->name);
    if (count >= UINT32_MAX) return tw__fail(TW_E_OVERFLOW, "%zu objects are too many to place", count);
    for (size_t i = 0; i < count; i++) {
        const tw__place_item *item = &items[i];
        const char *name = item->name ? item->name : "";
        if (item->tile >= tiles)
            return tw__fail(TW_E_INVALID_ARGUMENT, "object %zu (%s) is on tile %u of %u", i, name, item->tile,
                            tiles);
        if (!item->align || (item->align & (item->align - 1)))
            return tw__fail(TW_E_INVALID_ARGUMENT, "object %zu (%s): alignment %u is not a power of two", i, name,
                            item->align);
        if (item->first > item->last)
            return tw__fail(TW_E_INVALID_ARGUMENT, "object %zu (%s) is alive from step %u to step %u", i, name,
                            item->first, item->last);
        if (!lives_are_sorted(item))
            return tw__fail(TW_E_INVALID_ARGUMENT,
                            "object %zu (%s): its %u lives are not in order from step %u to %u", i, name,
                            item->life_count, item->first, item->last);
    }
    for (size_t i = 0; i < pair_count; i++)
        if (pairs[i].a >= count || pairs[i].b >= count || items[pairs[i].a].tile != items[pairs[i].b].tile)
            return tw__fail(TW_E_INVALID_ARGUMENT, "constraint %zu (%s) is not about two objects of one tile", i,
                            pairs[i].text ? pairs[i].text : "");
    return TW_OK;
}

static bool place_allocate(grouped *g, unsigned tiles, size_t count, size_t pair_count)
{
    size_t slots = count + tiles + 1;
    g->start = tw__realloc(NULL, (tiles + (size_t)1) * sizeof *g->start);
    g->items = tw__realloc(NULL, (count + 1) * sizeof *g->items);
    g->local = tw__realloc(NULL, (count + 1) * sizeof *g->local);
    g->pair_start = tw__realloc(NULL, slots * sizeof *g->pair_start);
    g->pairs = tw__realloc(NULL, (2 * pair_count + 1) * sizeof *g->pairs);
    g->tile_pairs = tw__realloc(NULL, (tiles + (size_t)1) * sizeof *g->tile_pairs);
    if (!g->start || !g->items || !g->local || !g->pair_start || !g->pairs || !g->tile_pairs) return false;
    memset(g->start, 0, (tiles + (size_t)1) * sizeof *g->start);
    memset(g->pair_start, 0, slots * sizeof *g->pair_start);
    return true;
}

/* Counting sort: items by tile, then the constraints by tile and item, each seen from both of its items. */
static void group(grouped *g, unsigned tiles, tw__place_item *items, size_t count, const tw__place_pair *pairs,
                  size_t pair_count)
{
    for (size_t i = 0; i < count; i++) g->start[items[i].tile + 1]++;
    for (unsigned t = 0; t < tiles; t++) g->start[t + 1] += g->start[t];
    for (size_t i = count; i-- > 0;) { /* from the end: start[t + 1] goes down to where tile t begins */
        uint32_t at = --g->start[items[i].tile + 1];
        g->items[at] = &items[i];
    }
    for (unsigned t = 0; t < tiles; t++) g->start[t] = g->start[t + 1];
    g->start[tiles] = (uint32_t)count;
    for (unsigned t = 0; t < tiles; t++)
        for (uint32_t k = g->start[t]; k < g->start[t + 1]; k++) g->local[g->items[k] - items] = k - g->start[t];
    for (size_t i = 0; i < pair_count; i++) {
        unsigned t = items[pairs[i].a].tile;
        if (pairs[i].a == pairs[i].b) continue;
        uint32_t *of = g->pair_start + g->start[t] + t;
        of[g->local[pairs[i].a] + 1]++, of[g->local[pairs[i].b] + 1]++;
    }
    size_t total = 0;
    for (unsigned t = 0; t < tiles; t++) {
        uint32_t *of = g->pair_start + g->start[t] + t, n = g->start[t + 1] - g->start[t];
        for (uint32_t k = 0; k < n; k++) of[k + 1] += of[k];
        g->tile_pairs[t] = total, total += of[n];
    }
}

/* Fills in the pairs; `filled` (one counter per item) starts at zero. */
static void fill_pairs(grouped *g, const tw__place_item *items, const tw__place_pair *pairs, size_t pair_count,
                       uint32_t *filled)
{
    for (size_t i = 0; i < pair_count; i++) {
        uint32_t a = pairs[i].a, b = pairs[i].b, t = items[a].tile;
        if (a == b) continue;
        const uint32_t *of = g->pair_start + g->start[t] + t;
        tw__fit_pair *list = g->pairs + g->tile_pairs[t];
        list[of[g->local[a]] + filled[a]++] = (tw__fit_pair){ g->local[b], pairs[i].rule };
        list[of[g->local[b]] + filled[b]++] = (tw__fit_pair){ g->local[a], pairs[i].rule };
    }
}

/* --- all tiles ------------------------------------------------------------------------------------------------ */

/* An object that constraints keep apart from another found no room. */
static bool is_apart(const tw__fit *fit)
{
    for (uint32_t i = 0; i < fit->count; i++)
        if (fit->items[i]->flags & TW__PLACE_OVERFLOWED && fit->pair_start[i + 1] > fit->pair_start[i]) return true;
    return false;
}

typedef struct all_tiles {
    const tw_tile_arch *arch;
    const grouped *grouped;
    tw__place_tile *by_tile;
} all_tiles;

/* Tiles [begin, end), which know nothing of each other. */
static void place_tiles(void *arg, size_t begin, size_t end)
{
    const all_tiles *all = arg;
    const grouped *g = all->grouped;
    for (size_t t = begin; t < end; t++) {
        tw__place_tile *tile = &all->by_tile[t];
        tw__fit fit = { .arch = all->arch,
                        .items = g->items + g->start[t],
                        .count = g->start[t + 1] - g->start[t],
                        .pair_start = g->pair_start + g->start[t] + t,
                        .pairs = g->pairs + g->tile_pairs[t] };
        bool ok = tw__fit_tile(&fit, tile);
        bool fits = tile->max_live + all->arch->fetch_overread_bytes <= all->arch->bytes_per_tile;
        tile->status = !ok                          ? TW_E_NO_MEMORY
                       : fit.unplaced == UINT32_MAX ? TW_OK
                       : fits && is_apart(&fit)     ? TW_E_ELEM_CONSTRAINTS
                                                    : TW_E_TILE_MEMORY;
    }
}

tw_status tw__place(const tw_tile_arch *arch, unsigned tiles, tw__place_item *items, size_t count,
                    const tw__place_pair *pairs, size_t pair_count, tw__place_tile *by_tile)
{
    tw_status status = check(arch, tiles, items, count, pairs, pair_count);
    if (status != TW_OK) return status;
    grouped g = { 0 };
    uint32_t *scratch = tw__realloc(NULL, (count + 1) * sizeof *scratch); /* counters */
    if (!scratch || !place_allocate(&g, tiles, count, pair_count)) {
        place_release(&g), free(scratch);
        return tw__fail(TW_E_NO_MEMORY, "out of memory while placing %zu objects", count);
    }
    memset(scratch, 0, (count + 1) * sizeof *scratch);
    for (size_t i = 0; i < count; i++) items[i].flags &= (uint16_t)~(TW__PLACE_OVERLAPPED | TW__PLACE_OVERFLOWED);
    group(&g, tiles, items, count, pairs, pair_count);
    fill_pairs(&g, items, pairs, pair_count, scratch);
    all_tiles all = { .arch = arch, .grouped = &g, .by_tile = by_tile };
    tw__parallel(count > PARALLEL_ITEMS ? (unsigned)omp_get_max_threads() : 1, tiles, 8, place_tiles, &all);
    for (unsigned t = 0; t < tiles; t++)
        if (by_tile[t].status == TW_E_NO_MEMORY) status = TW_E_NO_MEMORY;
    if (status == TW_E_NO_MEMORY)
        status = tw__fail(status, "out of memory while placing %zu objects", count);
    else
        status = tw__place_explain(arch, tiles, items, count, pairs, pair_count, by_tile);
    place_release(&g), free(scratch);
    return status;
}

void tw__place_account(const tw_tile_arch *arch, const tw__place_item *items, size_t count, tw__memory *memory)
{
    uint64_t limit = arch->base_address + (uint64_t)arch->bytes_per_tile;
    for (size_t i = 0; i < count; i++) {
        const tw__place_item *item = &items[i];
        uint64_t start = item->address, end = start + item->bytes, inside = 0;
        tw__memory_overlap overlap = item->flags & TW__PLACE_OVERLAPPED ? TW__OVERLAPPED : TW__NOT_OVERLAPPED;
        if (item->storage >= TW_STORAGE_COUNT || item->tile >= memory->tiles) continue;
        for (unsigned r = 0; r < arch->region_count; r++) {
            uint64_t low = arch->regions[r].start, high = low + arch->regions[r].bytes;
            if (high > limit) high = limit;
            uint64_t from = start > low ? start : low, to = end < high ? end : high;
            if (from >= to) continue;
            tw__memory_add(memory, item->tile, (tw_storage)item->storage,
                           arch->regions[r].interleaved ? TW__INTERLEAVED : TW__NON_INTERLEAVED, overlap,
                           to - from);
            inside += to - from;
        }
        if (inside < item->bytes)
            tw__memory_add(memory, item->tile, (tw_storage)item->storage, TW__OVERFLOWED, overlap,
                           item->bytes - inside);
    }
}
