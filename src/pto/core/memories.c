/* SPDX-License-Identifier: MIT */
/* memories: the on-chip memories of one core, where tiles lie in them, and what is kept between instructions. */
#include "pto/pto.h"
#include "core/tile/space.h"

#include <glib.h>
#include <stdlib.h>

enum { LINE = 64 }; /* automatic places: a cache line of the host */

tw_pto_target tw_pto_get_target(const tw_pto *core)
{
    if (!core) return (tw_pto_target){ 0 };
    return core->target;
}

void tw_pto_trace(tw_pto *core, FILE *out)
{
    if (!core) return;
    core->trace = out;
}

void *tw__pto_scratch_raw(tw_pto *core, size_t bytes)
{
    if (!core->scratch && !(core->scratch = tw__arena_new(256 << 10))) {
        tw__fail(TW_E_NO_MEMORY, "no memory for the intermediate values of an instruction");
        return NULL;
    }
    if (!core->scratch_used) core->scratch_start = tw__arena_save(core->scratch);
    core->scratch_used = true;
    void *at = tw__arena_alloc(core->scratch, bytes ? bytes : 1, 64);
    if (!at) tw__fail(TW_E_NO_MEMORY, "no memory for the %zu bytes between two steps of an instruction", bytes);
    return at;
}

void *tw__pto_scratch(tw_pto *core, size_t bytes)
{
    void *at = tw__pto_scratch_raw(core, bytes);
    return at ? memset(at, 0, bytes) : NULL;
}

void tw__pto_drop_scratch(tw_pto *core)
{
    if (core->scratch_used) tw__arena_restore(core->scratch, core->scratch_start);
    core->scratch_used = false;
}

/* --- kernels ---------------------------------------------------------------------------------------------------- */

static uint64_t kernel_key(tw_vec_op op, const tw_type *types, const tw_vec_mode *m)
{
    uint64_t key = 1 | (uint64_t)op << 1;
    unsigned sources = tw_vec_op_sources(op);
    for (unsigned i = 0; i <= sources; i++) key |= (uint64_t)types[i] << (9 + 6 * i);
    if (!m) return key;
    uint64_t mode = (uint64_t)m->rounding | (uint64_t)m->saturation << 4 | (uint64_t)m->nan << 6 |
                    (uint64_t)m->fold << 8 | (uint64_t)m->bounds << 9 | (uint64_t)m->bits << 11 |
                    (uint64_t)m->accumulate << 12 | (uint64_t)m->no_div_fault << 13;
    return key | mode << 33;
}

const tw_vec_kernel *tw__pto_kernel(tw_pto *core, tw_vec_op op, const tw_type *types, const tw_vec_mode *mode)
{
    uint64_t key = kernel_key(op, types, mode);
    tw__kernel_slot *slot = &core->kernels[(key * UINT64_C(0x9E3779B97F4A7C15)) >> 55];
    if (slot->key == key) return &slot->kernel;
    slot->key = 0;
    if (tw_vec_resolve(op, types, mode, &slot->kernel) != TW_OK) return NULL;
    slot->key = key;
    return &slot->kernel;
}

/* --- places ----------------------------------------------------------------------------------------------------- */

static tw__place *place_of(const tw_pto *core, const tw_pto_tile *tile)
{
    return tile->place && tile->place <= core->place_count ? &core->places[tile->place - 1] : NULL;
}

/* Memories are made when a tile first lies in them; rows start where vector loads like them. */
static bool allocate_memory(tw_pto *core, tw_pto_location location)
{
    size_t size = tw__pto_memory_size(core->target, location);
    if (core->memory[location].bytes) return true;
    core->memory[location].bytes = tw__zero_pages(size);
    core->memory[location].room = size;
    return core->memory[location].bytes != NULL;
}

static tw__place *new_place(tw_pto *core, uint32_t *number)
{
    for (size_t i = 0; i < core->place_count; i++)
        if (!core->places[i].used) return *number = (uint32_t)i + 1, &core->places[i];
    if (!tw__grow(&core->places, &core->place_room, core->place_count, sizeof *core->places)) return NULL;
    *number = (uint32_t)++core->place_count;
    return &core->places[*number - 1];
}

/* A place in [address, address + bytes), NULL when it is free. Places may overlap each other. */
static tw__place *in_the_way(const tw_pto *core, tw_pto_location location, uint32_t address, uint32_t bytes)
{
    for (size_t i = 0; i < core->place_count; i++) {
        tw__place *p = &core->places[i];
        if (p->used && p->location == location && p->address < address + bytes && address < p->address + p->bytes)
            return p;
    }
    return NULL;
}

typedef struct memory_of {
    const tw_pto *core;
    tw_pto_location location;
} memory_of;

static bool taken(const void *user, uint64_t address, uint64_t bytes, uint64_t *first)
{
    const memory_of *m = user;
    const tw__place *p = in_the_way(m->core, m->location, (uint32_t)address, (uint32_t)bytes);
    if (p) *first = p->address;
    return p != NULL;
}

/* From the top of the memory down: programs assign addresses from the bottom up. */
static bool find_room(const tw_pto *core, tw_pto_location location, uint32_t bytes, uint32_t *address)
{
    const memory_of m = { core, location };
    const tw_tile_region *region = core->memory[location].size ? tw__pto_region(core->target, location) : NULL;
    uint64_t at = 0;
    if (!region || !tw__space_find(region, bytes, LINE, taken, &m, &at)) return false;
    *address = (uint32_t)at;
    return true;
}

static tw_status no_room(const tw_pto *core, const tw_pto_tile *tile)
{
    size_t used = 0;
    for (size_t i = 0; i < core->place_count; i++)
        if (core->places[i].used && core->places[i].location == tile->location) used += core->places[i].bytes;
    return tw__fail(TW_E_TILE_MEMORY,
                    "a tile of %zu bytes does not fit %s: %zu of %u bytes are in use [profile %s]",
                    tw_pto_tile_bytes(tile), tw__pto_memory_name(tile->location), used,
                    core->memory[tile->location].size, tw_pto_target_name(core->target));
}

/* Bytes from the tile's first to its last element: of a window, less than up to its base's end. */
size_t tw__pto_span(const tw_pto_tile *tile)
{
    if (!tile->base_rows && !tw__tile_boxed(tile))
        return (size_t)tile->rows * tile->cols * tw_type_get(tile->type)->bits / 8;
    if (!tile->base_rows) return tw_pto_tile_bytes(tile);
    return tw_pto_element(tile, tile->rows - 1, tile->cols - 1) + tw_type_size(tile->type);
}

/* Bytes in use at once, for profiles. */
static void note_use(tw_pto *core, tw_pto_location location)
{
    uint64_t used = 0, size = core->memory[location].size;
    for (size_t i = 0; i < core->place_count; i++)
        if (core->places[i].used && core->places[i].location == location) used += core->places[i].bytes;
    if (used > size) used = size; /* tiles that share memory on purpose */
    if (used > core->peak[location]) core->peak[location] = (uint32_t)used;
}

tw_status tw__pto_place(tw_pto *core, tw_pto_tile *tile)
{
    if (tile->place) {
        const tw__place *p = place_of(core, tile);
        if (p && p->used && p->location == tile->location && tile->offset + tw__pto_span(tile) <= p->bytes)
            return TW_OK;
        return tw__fail(TW_E_INVALID_ARGUMENT, "the tile's memory was given back, or belongs to another core");
    }
    tw_status status = tw_pto_tile_check(tile);
    if (status != TW_OK) return status;
    uint32_t bytes = (uint32_t)tw_pto_tile_bytes(tile), number, address;
    if (core->flags & TW_PTO_MANUAL)
        return tw__fail(TW_E_TILE_MEMORY,
                        "a tile of %u x %u %s in %s has no address: TASSIGN comes first in manual mode", tile->rows,
                        tile->cols, tw_type_name(tile->type, TW_SYSTEM_PTO), tw__pto_memory_name(tile->location));
    if (core->memory[tile->location].size == 0)
        return tw__fail(TW_E_TILE_MEMORY, "%s has no memory %s", tw_pto_target_name(core->target),
                        tw__pto_memory_name(tile->location));
    if (!find_room(core, (tw_pto_location)tile->location, bytes, &address)) return no_room(core, tile);
    tw__place *p = allocate_memory(core, (tw_pto_location)tile->location) ? new_place(core, &number) : NULL;
    if (!p) return tw__fail(TW_E_NO_MEMORY, "no memory for a tile");
    *p = (tw__place){
        .location = tile->location, .used = true, .automatic = true, .address = address, .bytes = bytes
    };
    memset(core->memory[tile->location].bytes + address, 0, bytes);
    if (core->flags & TW_PTO_PROFILE) note_use(core, (tw_pto_location)tile->location);
    tile->place = number;
    tile->offset = 0;
    return TW_OK;
}

/* Tiles placed automatically leave the owner's range with what they hold. */
static bool make_room(tw_pto *core, const tw__place *owner)
{
    for (size_t i = 0; i < core->place_count; i++) {
        tw__place *p = &core->places[i];
        uint32_t to;
        unsigned char *memory = core->memory[owner->location].bytes;
        bool overlaps = p->used && p->location == owner->location && p->address < owner->address + owner->bytes &&
                        owner->address < p->address + p->bytes;
        if (!overlaps || !p->automatic) continue;
        if (!find_room(core, (tw_pto_location)p->location, p->bytes, &to)) return false;
        memmove(memory + to, memory + p->address, p->bytes);
        p->address = to;
        core->moves++;
    }
    return true;
}

tw_status tw__pto_check_address(tw_pto_target target, const tw_pto_tile *tile, uint32_t size, uint64_t address)
{
    const char *memory = tw__pto_memory_name(tile->location), *profile = tw_pto_target_name(target);
    size_t bytes = tw_pto_tile_bytes(tile);
    if (size == 0)
        return tw__fail(TW_E_TILE_MEMORY, "TASSIGN: %s has no memory %s [rule SA-0351]", profile, memory);
    if (bytes > size)
        return tw__fail(TW_E_TILE_MEMORY, "TASSIGN: the tile needs %zu bytes, %s has %u [rule SA-0352, profile %s]",
                        bytes, memory, size, profile);
    if (address > size - bytes)
        return tw__fail(TW_E_TILE_MEMORY,
                        "TASSIGN: %zu bytes at 0x%llx reach past the %u bytes of %s [rule SA-0353, profile %s]",
                        bytes, (unsigned long long)address, size, memory, profile);
    const uint32_t align = tw__pto_region(target, (tw_pto_location)tile->location)->align;
    if (address % align)
        return tw__fail(TW_E_TILE_MEMORY,
                        "TASSIGN: address 0x%llx is not a multiple of %u [rule SA-0354, profile %s]",
                        (unsigned long long)address, align, profile);
    return TW_OK;
}

tw_status tw_pto_assign(tw_pto *core, tw_pto_tile *tile, uint64_t address)
{
    tw_status status = tw__pto_given(core, "core");
    if (status == TW_OK) status = tw_pto_tile_check(tile);
    if (status != TW_OK) return status;
    uint32_t size = core->memory[tile->location].size, number;
    size_t bytes = tw_pto_tile_bytes(tile);
    /* Kernels for both kinds of core place the tiles of both on each: core/check.c refuses to use them where they are
     * not.
     * A cube core names tiles of its vector cores as destinations of its accumulators (ops/split_to_vectors.c). */
    bool elsewhere = size == 0 && tw__pto_is_part(core);
    if (elsewhere) size = tw__pto_memory_size(core->target, (tw_pto_location)tile->location);
    status = tw__pto_check_address(core->target, tile, size, address);
    if (status != TW_OK) return status;
    tw_pto_tile_free(core, tile);
    bool bare = elsewhere && tile->location != TW_PTO_VEC;
    bool there = bare || allocate_memory(core, (tw_pto_location)tile->location);
    tw__place *p = there ? new_place(core, &number) : NULL;
    if (!p) return tw__fail(TW_E_NO_MEMORY, "no memory for a tile");
    *p = (tw__place){
        .location = tile->location, .used = true, .address = (uint32_t)address, .bytes = (uint32_t)bytes
    };
    if (!make_room(core, p)) {
        p->used = false;
        return tw__fail(TW_E_TILE_MEMORY, "TASSIGN: tiles placed automatically have no room left in %s",
                        tw__pto_memory_name(tile->location));
    }
    if (core->flags & TW_PTO_PROFILE) note_use(core, (tw_pto_location)tile->location);
    tile->place = number;
    tile->offset = 0;
    return TW_OK;
}

void tw_pto_tile_free(tw_pto *core, tw_pto_tile *tile)
{
    if (!core || !tile) return;
    tw__place *p = place_of(core, tile);
    if (p && tile->base_rows == 0 && p->names)
        p->names--;
    else if (p && tile->base_rows == 0)
        p->used = false;
    tile->place = tile->offset = 0;
    core->moves++;
}

tw_status tw__pto_share_place(tw_pto *core, tw_pto_tile *tile, tw_pto_tile *of)
{
    tw_status status = tw__pto_place(core, of);
    if (status != TW_OK || (tile->place == of->place && tile->offset == of->offset)) return status;
    place_of(core, of)->names++; /* first: the tile may be all that keeps this memory */
    tw_pto_tile_free(core, tile);
    tile->place = of->place, tile->offset = of->offset;
    return TW_OK;
}

unsigned char *tw__pto_storage(const tw_pto *core, const tw_pto_tile *tile)
{
    const tw__place *p = &core->places[tile->place - 1];
    return core->memory[p->location].bytes + p->address + tile->offset;
}

void *tw_pto_data(tw_pto *core, tw_pto_tile *tile)
{
    if (tw__pto_given(core, "core") != TW_OK || tw__pto_given(tile, "tile") != TW_OK) return NULL;
    if (tw__pto_place(core, tile) != TW_OK) return NULL;
    if (core->memory[tile->location].size) return tw__pto_storage(core, tile);
    tw__fail(TW_E_TILE_MEMORY, "this core has no memory %s [profile %s]", tw__pto_memory_name(tile->location),
             tw_pto_target_name(core->target));
    return NULL;
}

int64_t tw_pto_address(const tw_pto *core, const tw_pto_tile *tile)
{
    const tw__place *p = core && tile ? place_of(core, tile) : NULL;
    return p ? (int64_t)p->address + tile->offset : -1;
}

tw_status tw_pto_window(tw_pto *core, tw_pto_tile *window, tw_pto_tile *tile, uint32_t row, uint32_t col)
{
    uint32_t box_rows, box_cols;
    tw_status status = tw__pto_given(core, "core");
    if (status == TW_OK) status = tw__pto_given(window, "window");
    if (status == TW_OK) status = tw__pto_given(tile, "tile");
    if (status == TW_OK) status = tw__pto_place(core, tile);
    if (status != TW_OK) return status;
    if (window->location != tile->location || window->blayout != tile->blayout ||
        window->slayout != tile->slayout || window->type != tile->type)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "TSUBVIEW: location, layout or type differ from those of the source "
                        "[rule tsubview.same, profile %s]",
                        tw_pto_target_name(core->target));
    if (row > tile->rows || window->rows > tile->rows - row || col > tile->cols || window->cols > tile->cols - col)
        return tw__fail(TW_E_INDEX,
                        "TSUBVIEW: %u x %u elements at (%u, %u) reach outside the %u x %u of the source",
                        window->rows, window->cols, row, col, tile->rows, tile->cols);
    tw_pto_box(tile, &box_rows, &box_cols);
    if (row % box_rows || col % box_cols ||
        (tw__tile_boxed(tile) && (window->rows % box_rows || window->cols % box_cols)))
        return tw__fail(TW_E_INVALID_ARGUMENT, "TSUBVIEW: windows of a boxed tile are whole boxes of %u x %u",
                        box_rows, box_cols);
    size_t offset = tile->offset + tw_pto_element(tile, row, col);
    window->fractal = tile->fractal;
    window->base_rows = tile->base_rows ? tile->base_rows : tile->rows;
    window->base_cols = tile->base_cols ? tile->base_cols : tile->cols;
    window->place = tile->place;
    window->offset = (uint32_t)offset;
    return TW_OK;
}
