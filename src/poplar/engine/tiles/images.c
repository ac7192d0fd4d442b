/* SPDX-License-Identifier: MIT */
/* Memories of tiles as the storage of an engine: each tile's memory from its first address on, one after the other,
 * then the elements that are on no tile, which only values written at load can have.
 *
 * Pages appear when they are touched: 1,472 memories of 624 KB are an address range, not 900 MB. */
#include "poplar/engine/tiles/tiles.h"

#include <unistd.h>

bool tw__tiles_wanted(const tw_engine *engine)
{
    if (engine->target->kind == TW_TARGET_IPU) return true;
    for (size_t t = 0; engine->chip && t < engine->core->type_count; t++)
        if (engine->chip->simulated[t]) return true;
    return false;
}

/* Every tile's memory is as large as the chip's, or as the fullest tile needs where memory may run over. */
tw_status tw__tile_map_new(tw_engine *engine, tw__tile_map **out)
{
    tw__placement *p = engine->placement;
    const tw_tile_arch *arch = &engine->target->arch;
    tw_status status = tw__placement_run(p);
    if (status) return status;
    tw__tile_map *map = TW__NEW(engine->arena, tw__tile_map);
    uint64_t *flat = TW__NEW_N(engine->arena, uint64_t, p->var_count + 1), bytes = arch->bytes_per_tile, at = 0;
    if (!map || !flat) return tw__fail(TW_E_NO_MEMORY, "out of memory for the memories of tiles");
    for (uint32_t r = 0; r < arch->region_count; r++)
        if (arch->regions[r].start + (uint64_t)arch->regions[r].bytes - arch->base_address > bytes)
            bytes = arch->regions[r].start + (uint64_t)arch->regions[r].bytes - arch->base_address;
    for (size_t i = 0; i < p->items.count; i++) {
        uint64_t end = p->items.items[i].address + p->items.items[i].bytes - arch->base_address;
        if (end > bytes) bytes = end;
    }
    for (size_t v = 0; v < p->var_count; v++)
        flat[v] = at, at += tw__align_up(p->core->vars[v].count * p->esize[v], 8);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *map = (tw__tile_map){ .placement = p,
                           .base = arch->base_address,
                           .stride = (bytes + arch->fetch_overread_bytes + page - 1) / page * page,
                           .flat = flat };
    map->unmapped = map->stride * tw_target_tiles(engine->target);
    map->bytes = map->unmapped + at;
    *out = map;
    return TW_OK;
}
