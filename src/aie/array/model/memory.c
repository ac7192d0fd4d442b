/* SPDX-License-Identifier: MIT */
/* Tile memory: which tile takes which block of a window, and where it lies there.
 *
 * The data memories of all tiles lie one behind the other, tile by tile, with 1 MB on either side, which is what
 * 20-bit pointers span. All of it can be read and written: a stray access is reported and goes on, as on the
 * hardware. A window lies on the tile that reads it (an output to a file: that writes it), or near it in an array
 * that spreads; stack and heap take their 1 KB each of a kernel, though the host's stack serves the kernels.
 * Addresses come from the core's placement. */
#include "aie/array/model/model.h"
#include "core/tile/place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { AROUND = 1 << 20, ALIGNMENT = 32 /* of a window: loads have 256 bits */ };

/* There when the program is built with the address sanitizer, which then sees accesses outside of windows. */
extern __attribute__((weak)) void __asan_poison_memory_region(const volatile void *p, size_t bytes);
extern __attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *p, size_t bytes);

/* --- the memories --------------------------------------------------------------------------------------------- */

int tw__aie_tile_of(const tw_aie_array *a, const tw__kernel *k)
{
    return k->column * (int)a->arch->rows + k->row;
}

size_t tw__aie_memory_bytes(const tw_aie_array *a)
{
    return AROUND + (size_t)a->arch->tiles * a->arch->bytes_per_tile + AROUND;
}

uint8_t *tw__aie_tile_memory(const tw_aie_array *a, int tile)
{
    return a->memory + AROUND + (size_t)tile * a->arch->bytes_per_tile;
}

int tw__aie_tile_at(const tw_aie_array *a, uintptr_t p)
{
    if (!a->memory) return -1;
    uintptr_t tile = (p - (uintptr_t)tw__aie_tile_memory(a, 0)) / a->arch->bytes_per_tile;
    return tile < a->arch->tiles ? (int)tile : -1;
}

bool tw__aie_reaches(const tw_aie_array *a, const tw__kernel *k, int tile)
{
    int rows = (int)a->arch->rows, column = tile / rows, row = tile % rows,
        side = k->column + (k->row % 2 ? 1 : -1);
    return (column == k->column && abs(row - k->row) <= 1) || (row == k->row && column == side);
}

static bool map(tw_aie_array *a)
{
    void *p = mmap(NULL, tw__aie_memory_bytes(a), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) a->memory = p;
    if (a->memory) return true;
    tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for the tiles of an array");
    return false;
}

void tw__aie_free_memory(tw_aie_array *a)
{
    if (a->memory && __asan_unpoison_memory_region)
        __asan_unpoison_memory_region(a->memory, tw__aie_memory_bytes(a));
    if (a->memory) munmap(a->memory, tw__aie_memory_bytes(a));
    for (size_t i = 0; i < a->outside_count; i++) free(a->outside[i]);
    free(a->outside);
}

void tw_aie_array_spread(tw_aie_array *a, tw_aie_spread where)
{
    if (!a) return;
    a->spread = where;
}

/* --- which tile ----------------------------------------------------------------------------------------------- */

/* What placement works on: an item for stack and heap of each kernel, then one for each block that lies on a tile. */
typedef struct layout {
    tw__place_item *items;
    struct block {
        tw__pair *pair;
        unsigned number;
    } *blocks; /* of items[first_block + i] */
    size_t count, first_block;
    uint64_t *taken; /* bytes by tile */
} layout;

static const tw__kernel *home(const tw_aie_array *a, const tw__pair *p)
{
    return a->kernels[p->to >= 0 ? p->to : p->from];
}

/* Bytes of one block as it lies in memory. */
static uint64_t block_bytes(const tw__pair *p)
{
    return ((uint64_t)p->bytes + p->margin + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void memory_put(layout *plan, int tile, uint64_t bytes, tw_storage storage)
{
    plan->items[plan->count++] = (tw__place_item){ .tile = (uint32_t)tile,
                                                   .bytes = bytes,
                                                   .align = ALIGNMENT,
                                                   .last = TW__PLACE_ALWAYS,
                                                   .storage = (uint16_t)storage };
    plan->taken[tile] += bytes;
}

static bool put_block(const tw_aie_array *a, layout *plan, int tile, tw__pair *p, unsigned number)
{
    if (plan->taken[tile] + block_bytes(p) > a->arch->bytes_per_tile) return false;
    plan->blocks[plan->count - plan->first_block] = (struct block){ p, number };
    memory_put(plan, tile, block_bytes(p), TW_STORAGE_VARIABLE);
    return true;
}

/* On a tile that the core reaches; false: none has room. */
static bool put_nearby(const tw_aie_array *a, layout *plan, const tw__kernel *k, tw__pair *p, unsigned number)
{
    for (int tile = 0; tile < (int)a->arch->tiles; tile++)
        if (tw__aie_reaches(a, k, tile) && put_block(a, plan, tile, p, number)) return true;
    return false;
}

static bool put_outside(tw_aie_array *a, tw__pair *p, unsigned number)
{
    if (!tw__grow(&a->outside, &a->outside_room, a->outside_count, sizeof *a->outside)) return false;
    void *block = aligned_alloc(ALIGNMENT, (size_t)block_bytes(p));
    if (!block) return false;
    memset(block, 0, (size_t)block_bytes(p));
    p->block[number] = a->outside[a->outside_count++] = block;
    return true;
}

static void tell_too_full(tw_aie_array *a, const tw__kernel *k, const tw__pair *p)
{
    if (a->spread) {
        tw__aie_fail(a, TW_E_TILE_MEMORY,
                     "tile (%d,%d) has no %llu bytes left for a window, nor have the tiles that its core reaches",
                     k->column, k->row, (unsigned long long)block_bytes(p));
        return;
    }
    unsigned long long windows = 0, kernels = 0;
    for (size_t i = 0; i < a->kernel_count; i++)
        kernels += tw__aie_tile_of(a, a->kernels[i]) == tw__aie_tile_of(a, k);
    for (size_t i = 0; i < a->pair_count; i++)
        if (tw__aie_tile_of(a, home(a, a->pairs[i])) == tw__aie_tile_of(a, k))
            windows += a->pairs[i]->blocks * block_bytes(a->pairs[i]);
    kernels *= TW__AIE_STACK_AND_HEAP;
    tw__aie_fail(a, TW_E_TILE_MEMORY,
                 "tile (%d,%d) needs %llu bytes (%llu for windows, %llu for stack and heap), it has %llu",
                 k->column, k->row, windows + kernels, windows, kernels, a->arch->bytes_per_tile);
}

/* Blocks that fit the tile of their reader lie there; after them the others find a place further out. */
static bool choose_tiles(tw_aie_array *a, layout *plan, bool nearby)
{
    for (size_t i = 0; i < a->pair_count; i++) {
        tw__pair *p = a->pairs[i];
        const tw__kernel *k = home(a, p);
        for (unsigned b = 0; b < p->blocks; b++) {
            if (p->is_placed[b]) continue;
            p->is_placed[b] = !nearby ? put_block(a, plan, tw__aie_tile_of(a, k), p, b)
                                      : (a->spread && put_nearby(a, plan, k, p, b)) ||
                                            (a->spread == TW_AIE_SPREAD_ANYWHERE && put_outside(a, p, b));
            if (p->is_placed[b] || !nearby) continue;
            tell_too_full(a, k, p);
            return false;
        }
    }
    return true;
}

/* --- where on it ---------------------------------------------------------------------------------------------- */

static bool set_addresses(tw_aie_array *a, layout *plan)
{
    tw_tile_arch data = tw__tile_space(a->arch, "data");
    tw__place_tile *by_tile = calloc(a->arch->tiles, sizeof *by_tile);
    tw_status status = by_tile ? tw__place(&data, a->arch->tiles, plan->items, plan->count, NULL, 0, by_tile)
                               : tw__fail(TW_E_NO_MEMORY, "no memory to place the windows of an array");
    free(by_tile);
    if (status != TW_OK) {
        tw__aie_fail(a, status, "%s", tw_error_message());
        return false;
    }
    for (size_t i = 0; i < plan->count && __asan_poison_memory_region; i++)
        __asan_poison_memory_region(tw__aie_tile_memory(a, (int)plan->items[i].tile), a->arch->bytes_per_tile);
    for (size_t i = 0; i < plan->first_block; i++) a->kernels[i]->stack_at = (uint32_t)plan->items[i].address;
    for (size_t i = plan->first_block; i < plan->count; i++) {
        struct block *b = &plan->blocks[i - plan->first_block];
        b->pair->block[b->number] = tw__aie_tile_memory(a, (int)plan->items[i].tile) + plan->items[i].address;
        if (__asan_unpoison_memory_region)
            __asan_unpoison_memory_region(b->pair->block[b->number], (size_t)b->pair->bytes + b->pair->margin);
    }
    return true;
}

static bool make_tails(tw_aie_array *a)
{
    for (size_t i = 0; i < a->pair_count; i++) {
        tw__pair *p = a->pairs[i];
        if ((p->tail = calloc((size_t)p->margin + 1, 1))) continue;
        tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for a margin of %u bytes", p->margin);
        return false;
    }
    return true;
}

bool tw__aie_place_windows(tw_aie_array *a)
{
    if (a->memory) return true;
    layout plan = { .items = calloc(a->kernel_count + 2 * a->pair_count + 1, sizeof *plan.items),
                    .blocks = calloc(2 * a->pair_count + 1, sizeof *plan.blocks),
                    .taken = calloc(a->arch->tiles, sizeof *plan.taken) };
    bool placed = false;
    if (!plan.items || !plan.blocks || !plan.taken) {
        tw__aie_fail(a, TW_E_NO_MEMORY, "no memory to place the windows of an array");
    } else {
        for (size_t i = 0; i < a->kernel_count; i++)
            memory_put(&plan, tw__aie_tile_of(a, a->kernels[i]), TW__AIE_STACK_AND_HEAP, TW_STORAGE_STACK);
        plan.first_block = plan.count;
        placed = choose_tiles(a, &plan, false) && choose_tiles(a, &plan, true) && map(a) &&
                 set_addresses(a, &plan) && make_tails(a);
    }
    free(plan.items), free(plan.blocks), free(plan.taken);
    return placed;
}
