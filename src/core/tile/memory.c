/* SPDX-License-Identifier: MIT */
/* Sums of bytes by tile and category (tile.h). Placement replaces the region and overlap of each byte later; the
 * sums by category stay. */
#include "core/tile/tile.h"

#include <stdlib.h>
#include <string.h>

#define STORAGE_KEY(name, number, key, label)   [number] = key,
#define STORAGE_LABEL(name, number, key, label) [number] = label,
static const char *const storage_keys[] = { TW_STORAGE_LIST(STORAGE_KEY) };
static const char *const storage_labels[] = { TW_STORAGE_LIST(STORAGE_LABEL) };

const char *tw_storage_key(tw_storage storage)
{
    return (unsigned)storage < TW_STORAGE_COUNT ? storage_keys[storage] : "unknown";
}

const char *tw_storage_label(tw_storage storage)
{
    return (unsigned)storage < TW_STORAGE_COUNT ? storage_labels[storage] : "Unknown";
}

tw__memory *tw__memory_new(unsigned tiles)
{
    tw__memory *memory = tw__realloc(NULL, sizeof *memory);
    if (!memory) return NULL;
    memset(memory, 0, sizeof *memory);
    memory->tiles = tiles;
    return memory;
}

void tw__memory_free(tw__memory *memory)
{
    if (!memory) return;
    for (unsigned row = 0; row < TW__MEMORY_ROWS; row++) free(memory->rows[row]);
    free(memory);
}

uint64_t *tw__memory_row_new(tw__memory *memory, unsigned row)
{
    size_t bytes;
    if (!tw__mul_size(memory->tiles, sizeof(uint64_t), &bytes)) return memory->failed = true, NULL;
    uint64_t *by_tile = tw__realloc(NULL, bytes ? bytes : sizeof(uint64_t));
    if (!by_tile) return memory->failed = true, NULL;
    memset(by_tile, 0, bytes);
    return memory->rows[row] = by_tile;
}

uint64_t tw__memory_category(const tw__memory *memory, tw_storage storage)
{
    uint64_t sum = 0;
    unsigned first = tw__memory_row(storage, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED);
    for (unsigned row = first; row < first + TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS; row++)
        for (unsigned t = 0; memory->rows[row] && t < memory->tiles; t++) sum += memory->rows[row][t];
    return sum;
}

/* Insertion into a short sorted list: `room` is a handful. */
size_t tw__memory_fullest(const uint64_t *by_tile, unsigned tiles, unsigned *out, size_t room)
{
    size_t count = 0;
    for (unsigned t = 0; t < tiles; t++) {
        size_t at = count;
        while (at > 0 && by_tile[out[at - 1]] < by_tile[t]) at--;
        if (at >= room) continue;
        if (count < room) count++;
        memmove(out + at + 1, out + at, (count - at - 1) * sizeof *out);
        out[at] = t;
    }
    return count;
}
