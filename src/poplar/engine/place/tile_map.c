/* SPDX-License-Identifier: MIT */
/* From elements of variables to bytes of the storage that holds memories of tiles. */
#include "poplar/engine/place/place.h"

/* From an address of a tile to a byte of the storage. */
static uint64_t image_at(const tw__tile_map *map, uint32_t tile, uint64_t address)
{
    return map->stride * tile + (address - map->base);
}

uint64_t tw__tile_map_address(const tw__tile_map *map, uint32_t tile, uint64_t address)
{
    return image_at(map, tile, address);
}

static uint64_t item_at(const tw__tile_map *map, uint32_t item, uint64_t offset)
{
    const tw__place_item *at = &map->placement->items.items[item];
    return image_at(map, at->tile, at->address + offset);
}

uint64_t tw__tile_map_at(const tw__tile_map *map, uint32_t var, uint64_t element)
{
    tw__placement *p = map->placement;
    uint32_t item = tw__placement_item_of(p, var, element);
    if (item == TW__NO_PLACE) return map->unmapped + map->flat[var] + element * p->esize[var];
    return item_at(map, item, (element - p->begin[item]) * p->esize[var]);
}

void tw__tile_map_span(const tw__tile_map *map, uint32_t var, uint64_t element, uint64_t *begin, uint64_t *end)
{
    tw__placement *p = map->placement;
    uint32_t item = tw__placement_item_of(p, var, element);
    if (item != TW__NO_PLACE) {
        *begin = p->begin[item];
        *end = p->begin[item] + p->items.items[item].bytes / p->esize[var];
        return;
    }
    *begin = 0, *end = UINT64_MAX; /* between its neighbours */
    for (uint32_t i = p->var_first[var]; i < p->var_first[var + 1]; i++) {
        uint64_t last = p->begin[i] + p->items.items[i].bytes / p->esize[var];
        if (last <= element) *begin = last;
        if (p->begin[i] > element) {
            *end = p->begin[i];
            break;
        }
    }
}

bool tw__tile_map_edge(const tw__tile_map *map, const tw__edge *edge, uint64_t *at)
{
    const tw__placement *p = map->placement;
    size_t e = (size_t)(edge - p->core->edges);
    *at = 0;
    if (!edge->count) return true;
    if (!p->edge_place || !p->edge_place[e]) {
        *at = tw__tile_map_at(map, edge->var, edge->offset);
        return true;
    }
    const tw__buffer_place *place = &p->buffers.items[p->edge_place[e] - 1];
    *at = item_at(map, place->item, place->offset);
    return false;
}

uint64_t tw__tile_map_bytes(const tw__tile_map *map)
{
    return tw__align_up(map->bytes, 64);
}
