/* SPDX-License-Identifier: MIT */
/* Where things are, what ran when, who waited for whom: what a report shows beside sums. Lists have largest sizes;
 * what does not fit is counted and said. */
#include "core/profile/schema.h"

#include <stdlib.h>

void tw__profile_set_fact(tw_profile *p, const char *key, const char *value)
{
    if (p->status || !value || !*value) return;
    tw__name name = tw__profile_name(p, key);
    for (size_t i = 0; i < p->facts.count; i++)
        if (p->facts.items[i].key == name) {
            p->facts.items[i].value = tw__profile_name(p, value);
            return;
        }
    tw__profile_fact *slot = TW__PROFILE_PUSH(p, p->facts);
    if (slot) *slot = (tw__profile_fact){ name, tw__profile_name(p, value) };
}

void tw__profile_set_grid(tw_profile *p, uint32_t columns, uint32_t rows, bool column_major)
{
    p->grid.columns = columns;
    p->grid.rows = rows;
    p->grid.column_major = column_major;
}

void tw__profile_add_memory_limit(tw_profile *p, const char *category, uint64_t bytes)
{
    tw__profile_memory_limit *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->limits);
    if (slot) *slot = (tw__profile_memory_limit){ tw__profile_name(p, category), bytes };
}

/* --- what ran when --------------------------------------------------------------------------------------------- */

uint32_t tw__profile_add_lane(tw_profile *p, uint32_t tile, const char *name)
{
    if (p->status) return TW__NONE;
    if (tile >= p->target.tiles) {
        tw__profile_fail(p, TW_E_INDEX, "lane '%s' of unknown tile %u", name ? name : "", tile);
        return TW__NONE;
    }
    tw__profile_lane *slot = TW__PROFILE_PUSH(p, p->lanes);
    if (!slot) return TW__NONE;
    *slot = (tw__profile_lane){ tile, tw__profile_name(p, name) };
    return (uint32_t)(p->lanes.count - 1);
}

void tw__profile_add_interval(tw_profile *p, const tw__interval_desc *d)
{
    if (p->status) return;
    bool partner = d->partner == TW__NONE || d->partner < p->lanes.count;
    if (d->lane >= p->lanes.count || !partner || d->to < d->from) {
        tw__profile_fail(p, TW_E_INDEX, "interval '%s' of an unknown lane, or it ends before it begins",
                         d->name ? d->name : "");
        return;
    }
    tw__profile_interval *slot = tw__table_push(p, TW__TABLE_interval);
    if (slot)
        *slot = (tw__profile_interval){
            d->from,
            d->to,
            d->lane,
            d->partner,
            tw__profile_name(p, d->name),
            tw__profile_name(p, d->cause),
            tw__profile_name(p, d->file),
            d->line,
        };
}

void tw__profile_omit_intervals(tw_profile *p, uint64_t count)
{
    p->intervals_omitted += count;
}

void tw__profile_add_wait(tw_profile *p, uint32_t tile, const char *cause, uint32_t partner_tile, uint64_t cycles)
{
    if (p->status) return;
    if (tile >= p->target.tiles || (partner_tile != TW__NONE && partner_tile >= p->target.tiles)) {
        tw__profile_fail(p, TW_E_INDEX, "a wait of unknown tile %u for %u", tile, partner_tile);
        return;
    }
    tw__profile_wait *slot = cycles ? TW__PROFILE_PUSH(p, p->waits) : NULL;
    if (slot) *slot = (tw__profile_wait){ tile, partner_tile, tw__profile_name(p, cause), cycles };
}

/* --- what lies where ------------------------------------------------------------------------------------------- */

void tw__profile_map_in_cycles(tw_profile *p)
{
    p->map_in_cycles = true;
}

enum { MOST_REGIONS = 4096 }; /* a tile has some tens */

void tw__profile_add_region(tw_profile *p, const char *name, const char *category, uint64_t address, uint64_t bytes)
{
    if (p->status) return;
    if (p->regions.count >= MOST_REGIONS) {
        tw__profile_fail(p, TW_E_OVERFLOW, "more than %d regions of a tile", MOST_REGIONS);
        return;
    }
    tw__profile_area *slot = TW__PROFILE_PUSH(p, p->regions);
    if (slot)
        *slot = (tw__profile_area){ tw__profile_name(p, name), tw__profile_name(p, category), address, bytes };
}

void tw__profile_map_begin(tw_profile *p, uint32_t tile)
{
    p->open_map_tile = tile;
    p->open_map_first = (uint32_t)p->blocks.count;
    if (!p->status && tile >= p->target.tiles)
        tw__profile_fail(p, TW_E_INDEX, "a memory map of unknown tile %u", tile);
}

void tw__profile_map_add(tw_profile *p, const tw__block_desc *d)
{
    if (p->status || p->blocks.count > TW__MOST_BLOCKS) return;
    tw__profile_block *slot = TW__PROFILE_PUSH(p, p->blocks);
    if (slot)
        *slot = (tw__profile_block){
            d->address, d->bytes, tw__profile_name(p, d->name), tw__profile_name(p, d->category), d->from, d->to,
            d->used,    0
        };
}

static int by_address(const void *a, const void *b)
{
    const tw__profile_block *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static bool same_map(const tw_profile *p, uint32_t id, const void *key)
{
    const tw__profile_map *a = &p->maps.items[id], *b = key;
    return a->count == b->count && (!a->count || !memcmp(p->blocks.items + a->first, p->blocks.items + b->first,
                                                         a->count * sizeof *p->blocks.items));
}

uint32_t tw__profile_map_end(tw_profile *p)
{
    tw__profile_map map = { p->open_map_first, (uint32_t)p->blocks.count - p->open_map_first };
    if (p->status || !map.count) return TW__NONE;
    if (p->blocks.count > TW__MOST_BLOCKS) { /* it did not fit whole */
        p->blocks.count = map.first;
        p->maps_omitted++;
        return TW__NONE;
    }
    tw__profile_block *blocks = p->blocks.items + map.first;
    qsort(blocks, map.count, sizeof *blocks, by_address);
    uint32_t hash = tw__hash_bytes(blocks, map.count * sizeof *blocks, map.count);
    uint32_t id = tw__index_find(p, &p->map_index, hash, same_map, &map);
    if (id != TW__NONE) {
        p->blocks.count = map.first;
    } else {
        tw__profile_map *slot = TW__PROFILE_PUSH(p, p->maps);
        if (!slot) return TW__NONE;
        *slot = map;
        id = (uint32_t)(p->maps.count - 1);
        if (!tw__index_add(&p->map_index, hash, id)) {
            tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
            return TW__NONE;
        }
    }
    tw__profile_map_share(p, p->open_map_tile, id);
    return id;
}

void tw__profile_map_share(tw_profile *p, uint32_t tile, uint32_t map)
{
    if (p->status) return;
    if (tile >= p->target.tiles || map >= p->maps.count) {
        tw__profile_fail(p, TW_E_INDEX, "tile %u cannot have memory map %u", tile, map);
        return;
    }
    tw__profile_tile_map *at = TW__PROFILE_PUSH(p, p->tile_maps);
    if (at) *at = (tw__profile_tile_map){ tile, map };
}

void tw__profile_add_variable(tw_profile *p, const tw__variable_desc *d)
{
    if (p->status) return;
    tw__profile_variable *slot = tw__table_push(p, TW__TABLE_variable);
    if (slot)
        *slot = (tw__profile_variable){ tw__profile_name(p, d->name),
                                        tw__profile_name(p, d->type),
                                        d->bytes,
                                        d->elements,
                                        d->tiles,
                                        d->first_tile,
                                        d->always_live };
}

void tw__profile_add_pair(tw_profile *p, tw__exchange_kind kind, uint32_t exchange, uint32_t from, uint32_t to,
                          uint64_t bytes, uint64_t messages)
{
    if (p->status) return;
    if (from >= p->target.tiles || to >= p->target.tiles) {
        tw__profile_fail(p, TW_E_INDEX, "an exchange between unknown tiles %u and %u", from, to);
        return;
    }
    tw__profile_pair *slot = tw__table_push(p, TW__TABLE_pair);
    if (slot) *slot = (tw__profile_pair){ (uint32_t)kind, exchange, from, to, 0, bytes, messages };
}

void tw__profile_name_pair(tw_profile *p, const char *name)
{
    if (!p->status && p->pairs.count) p->pairs.items[p->pairs.count - 1].name = tw__profile_name(p, name);
}

void tw__profile_omit_pairs(tw_profile *p, uint64_t count)
{
    p->pairs_omitted += count;
}
