/* SPDX-License-Identifier: MIT */
/* tile, private side: memory sums of a machine, before or without placement.
 *
 * A tw__memory counts bytes by tile, storage category, region and overlap. Adding is one indexed addition; rows are
 * made on first use. The graph and the engine add while they build and lower, the profile packs the rows. */
#ifndef TW_TILE_TILE_H
#define TW_TILE_TILE_H

#include <tilewright/tile.h>
#include "core/base/base.h"

/* One buffer of a machine whose buffers each count from 0 (an AI Engine tile's data memory, a buffer of an Ascend
 * core): the row with that region alone, as objects are placed in it. `region` is a name of the row's table. */
tw_tile_arch tw__tile_space(const tw_tile_arch *arch, const char *region);

/* Where bytes lie: keys of memory.byCategory in the profile (Poplar API, graph profile). */
typedef enum tw__memory_region {
    TW__NON_INTERLEAVED,
    TW__INTERLEAVED,
    TW__OVERFLOWED, /* beyond the end of the tile's memory */
    TW__MEMORY_REGIONS
} tw__memory_region;

/* Overlapped bytes share their addresses with other variables that are not live at the same time. */
typedef enum tw__memory_overlap { TW__NOT_OVERLAPPED, TW__OVERLAPPED, TW__MEMORY_OVERLAPS } tw__memory_overlap;

#define TW__MEMORY_ROWS ((unsigned)TW_STORAGE_COUNT * TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS)

typedef struct tw__memory {
    unsigned tiles;
    bool failed;                     /* an allocation failed: the sums are incomplete */
    uint64_t *rows[TW__MEMORY_ROWS]; /* [tile], NULL = all zero */
} tw__memory;

tw__memory *tw__memory_new(unsigned tiles);                     /* NULL when out of memory */
void tw__memory_free(tw__memory *memory);                       /* NULL is fine */
uint64_t *tw__memory_row_new(tw__memory *memory, unsigned row); /* NULL, and `failed`, when out of memory */

static inline unsigned tw__memory_row(tw_storage storage, tw__memory_region region, tw__memory_overlap overlap)
{
    return ((unsigned)storage * TW__MEMORY_REGIONS + (unsigned)region) * TW__MEMORY_OVERLAPS + (unsigned)overlap;
}

/* Adds `bytes` on `tile`, which must be below memory->tiles. */
static inline void tw__memory_add(tw__memory *memory, unsigned tile, tw_storage storage, tw__memory_region region,
                                  tw__memory_overlap overlap, uint64_t bytes)
{
    unsigned row = tw__memory_row(storage, region, overlap);
    uint64_t *by_tile = memory->rows[row];
    if (!by_tile && !(by_tile = tw__memory_row_new(memory, row))) return;
    by_tile[tile] += bytes;
}

/* Not overlapped and not interleaved: the plain case. */
static inline void tw__memory_count(tw__memory *memory, unsigned tile, tw_storage storage, uint64_t bytes)
{
    tw__memory_add(memory, tile, storage, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED, bytes);
}

uint64_t tw__memory_category(const tw__memory *memory, tw_storage storage); /* all tiles, regions, overlaps */
/* Tiles in descending order of by_tile (lower tile first on ties) into out[room]; returns how many were written. */
size_t tw__memory_fullest(const uint64_t *by_tile, unsigned tiles, unsigned *out, size_t room);

#endif
