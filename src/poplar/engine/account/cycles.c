/* SPDX-License-Identifier: MIT */
/* From vertices and copies to cycles of a tile (docs/decisions.md, G7; Poplar API, cycles of compute sets).
 *
 * A Vertex estimate is worker cycles: vertices go in creation order to the least loaded worker, lowest number on
 * ties; the tile takes contexts x the busiest worker. A MultiVertex estimate is tile cycles and has the tile to
 * itself. */
#include "poplar/engine/account/account.h"

#include <stdlib.h>
#include <string.h>

/* --- workers -------------------------------------------------------------------------------------------------- */

bool tw__workers_init(tw__workers *w, const tw_target *target)
{
    w->tiles = tw_target_tiles(target);
    w->contexts = tw_target_worker_contexts(target);
    w->load = tw__calloc((size_t)w->tiles * w->contexts, sizeof *w->load);
    w->multi = tw__calloc(w->tiles, sizeof *w->multi);
    return w->load && w->multi;
}

void tw__workers_free(tw__workers *w)
{
    free(w->load), free(w->multi);
    memset(w, 0, sizeof *w);
}

void tw__workers_reset(tw__workers *w)
{
    memset(w->load, 0, (size_t)w->tiles * w->contexts * sizeof *w->load);
    memset(w->multi, 0, w->tiles * sizeof *w->multi);
}

void tw__workers_add(tw__workers *w, unsigned tile, bool multi, uint64_t cycles)
{
    if (multi) {
        w->multi[tile] += cycles;
        return;
    }
    w->load[(size_t)tile * w->contexts + tw__workers_next(w, tile)] += cycles;
}

unsigned tw__workers_next(const tw__workers *w, unsigned tile)
{
    const uint64_t *load = &w->load[(size_t)tile * w->contexts];
    unsigned least = 0;
    for (unsigned i = 1; i < w->contexts; i++)
        if (load[i] < load[least]) least = i;
    return least;
}

void tw__workers_cycles(const tw__workers *w, uint64_t *out)
{
    for (unsigned tile = 0; tile < w->tiles; tile++) {
        const uint64_t *load = &w->load[(size_t)tile * w->contexts];
        uint64_t busiest = 0;
        for (unsigned i = 0; i < w->contexts; i++) busiest = load[i] > busiest ? load[i] : busiest;
        out[tile] = busiest * w->contexts + w->multi[tile];
    }
}

/* --- copies inside a tile ------------------------------------------------------------------------------------- */

const char *const tw__copy_type_names[TW__COPY_TYPES] = {
    [TW__COPY_MEMCPY64] = "poplar_rt::Memcpy64BitSupervisor",
    [TW__COPY_SHORT] = "poplar_rt::ShortMemcpy",
    [TW__COPY_STRIDED] = "poplar_rt::StridedCopyDA32",
    [TW__COPY_FILL] = "poplar_rt::MemsetZero",
};

/* Tile cycles of one copy: fixed + units x per unit, one unit being 8 bytes or one element. ShortMemcpy takes 72
 * cycles in the guide's sample (73 instances, 5,256 cycles); the others are estimates of the same order. */
static const struct {
    uint32_t fixed, per_unit;
    bool by_element;
} copy_costs[TW__COPY_TYPES] = {
    [TW__COPY_MEMCPY64] = { 60, 1, false },
    [TW__COPY_SHORT] = { 72, 2, false },
    [TW__COPY_STRIDED] = { 60, 2, true },
    [TW__COPY_FILL] = { 40, 1, false },
};

bool tw__local_init(tw__local *local, const tw_target *target)
{
    unsigned tiles = tw_target_tiles(target), rate = tw_target_memcpy_bytes_per_cycle(target);
    memset(local, 0, sizeof *local);
    local->tiles = tiles;
    local->memcpy_bytes = rate ? rate : 8;
    for (unsigned type = 0; type < TW__COPY_TYPES; type++) {
        local->cycles[type] = tw__calloc(tiles, sizeof *local->cycles[type]);
        local->pieces[type] = tw__calloc(tiles, sizeof *local->pieces[type]);
        if (!local->cycles[type] || !local->pieces[type]) return false;
    }
    return true;
}

void tw__local_free(tw__local *local)
{
    for (unsigned type = 0; type < TW__COPY_TYPES; type++) free(local->cycles[type]), free(local->pieces[type]);
    memset(local, 0, sizeof *local);
}

void tw__local_reset(tw__local *local)
{
    for (unsigned type = 0; type < TW__COPY_TYPES; type++) {
        memset(local->cycles[type], 0, local->tiles * sizeof *local->cycles[type]);
        memset(local->pieces[type], 0, local->tiles * sizeof *local->pieces[type]);
    }
    local->total = 0;
}

void tw__local_add(tw__local *local, const tw__piece *piece, unsigned esize)
{
    uint64_t bytes = piece->count * esize;
    tw__copy_type type = TW__COPY_MEMCPY64;
    if (piece->src_stride == 0 && piece->count > 1)
        type = TW__COPY_FILL;
    else if (piece->count > 1 && (piece->src_stride != 1 || piece->dst_stride != 1))
        type = TW__COPY_STRIDED;
    else if (bytes % 8 || (piece->src * esize) % 8 || (piece->dst * esize) % 8)
        type = TW__COPY_SHORT;
    unsigned wide = type == TW__COPY_MEMCPY64 ? local->memcpy_bytes : 8;
    uint64_t units = copy_costs[type].by_element ? piece->count : (bytes + wide - 1) / wide;
    uint64_t *cycles = &local->cycles[type][piece->dst_tile];
    if (!*cycles) *cycles = copy_costs[type].fixed;
    *cycles += units * copy_costs[type].per_unit;
    local->pieces[type][piece->dst_tile]++;
    local->total += bytes;
}
