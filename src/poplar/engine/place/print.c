/* SPDX-License-Identifier: MIT */
/* What a user may ask about the placement: the objects of a tile in the order of addresses, where an element of a
 * tensor lies, the bytes of a vertex's state. */
#include "poplar/engine/place/place.h"

#include <stdlib.h>
#include <string.h>

static int print_by_address(const void *a, const void *b)
{
    const tw__place_item *x = *(const tw__place_item *const *)a, *y = *(const tw__place_item *const *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->first != y->first ? x->first < y->first ? -1 : 1 : (x > y) - (x < y);
}

tw_status tw_engine_each_object(tw_engine *engine, unsigned tile, tw_placed_visit visit, void *user)
{
    tw__placement *p = NULL;
    tw_status status = tw__placed(engine, &p);
    if (status) return status;
    if (tile >= p->tiles) return tw__fail(TW_E_INDEX, "there is no tile %u, the target has %u", tile, p->tiles);
    size_t count = 0;
    for (size_t i = 0; i < p->items.count; i++) count += p->items.items[i].tile == tile && p->items.items[i].bytes;
    const tw__place_item **list = tw__calloc(count + 1, sizeof *list);
    if (!list) return tw__fail(TW_E_NO_MEMORY, "out of memory for the objects of tile %u", tile);
    count = 0;
    for (size_t i = 0; i < p->items.count; i++)
        if (p->items.items[i].tile == tile && p->items.items[i].bytes) list[count++] = &p->items.items[i];
    qsort(list, count, sizeof *list, print_by_address);
    for (size_t i = 0; i < count; i++) {
        const tw__place_item *item = list[i];
        tw_placed_object object = { .name = item->name ? item->name : "",
                                    .storage = (tw_storage)item->storage,
                                    .address = item->address,
                                    .bytes = item->bytes,
                                    .align = item->align,
                                    .always_live = item->last == TW__PLACE_ALWAYS,
                                    .overlapped = item->flags & TW__PLACE_OVERLAPPED,
                                    .overflowed = item->flags & TW__PLACE_OVERFLOWED };
        if (!visit(user, &object)) break;
    }
    free(list);
    return TW_OK;
}

typedef struct page {
    FILE *out;
    const tw_tile_arch *arch;
} page;

static bool print_object(void *user, const tw_placed_object *object)
{
    const page *p = user;
    char bytes[32];
    const tw_tile_region *region =
        object->overflowed ? NULL : tw_tile_region_at(p->arch, (uint32_t)object->address);
    fprintf(p->out, "  0x%06llX %11s  %-15s %-9s %s%s%s\n", (unsigned long long)object->address,
            tw__commas(bytes, sizeof bytes, object->bytes),
            !region               ? "overflowed"
            : region->interleaved ? "interleaved"
                                  : "non-interleaved",
            object->always_live  ? "always"
            : object->overlapped ? "shared"
                                 : "",
            tw_storage_label(object->storage), *object->name ? ": " : "", object->name);
    return true;
}

tw_status tw_engine_print_tile(tw_engine *engine, unsigned tile, FILE *out)
{
    tw__placement *p = NULL;
    char live[32], used[32], have[32];
    tw_status status = tw__placed(engine, &p);
    if (status) return status;
    if (tile >= p->tiles) return tw__fail(TW_E_INDEX, "there is no tile %u, the target has %u", tile, p->tiles);
    const tw__place_tile *at = &p->by_tile[tile];
    uint64_t sum = 0;
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) sum += at->used[r];
    fprintf(out, "Tile %u: %s of %s bytes used, at most %s alive at once\n", tile,
            tw__commas(used, sizeof used, sum), tw__commas(have, sizeof have, p->target->arch.bytes_per_tile),
            tw__commas(live, sizeof live, at->max_live));
    return tw_engine_each_object(engine, tile, print_object, &(page){ out, &p->target->arch });
}

tw_status tw_engine_address(tw_engine *engine, tw_tensor tensor, uint64_t element, unsigned *tile,
                            uint64_t *address)
{
    tw__elems run;
    uint32_t at = 0;
    tw_status status = tw__engine_usable(engine);
    if (status) return status;
    const tw__tensor *t = tw__tensor_get(engine->core, tensor);
    if (!t) return tw__fail(TW_E_INVALID_ARGUMENT, "no tensor of the graph that the engine was made from");
    if (element >= t->regions->count)
        return tw__fail(TW_E_INDEX, "there is no element %llu, the tensor has %llu", (unsigned long long)element,
                        (unsigned long long)t->regions->count);
    tw__region_walk walk = tw__region_walk_begin(t->regions, element, element + 1);
    if (!tw__region_walk_next(&walk, &run)) return tw__fail(TW_E_INDEX, "an empty tensor");
    status = tw__placed_element(engine, run.var, run.offset, &at, address);
    if (!status) *tile = at;
    return status;
}

tw_status tw_engine_vertex_state(tw_engine *engine, tw_vertex vertex, unsigned *tile, uint64_t *address,
                                 void *bytes, size_t *size)
{
    tw__placed_vertex placed;
    tw_status status = tw__placed_vertex_get(engine, vertex.id, &placed);
    if (status) return status;
    size_t room = *size;
    *tile = placed.tile, *address = placed.address, *size = placed.device->size;
    if (bytes && room < *size)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "room for %zu bytes, the state has %zu", room, *size);
    else if (bytes)
        status = tw__state_image(&engine->target->arch, placed.type, placed.device, placed.values, bytes);
    tw__placed_vertex_clear(&placed);
    return status;
}
