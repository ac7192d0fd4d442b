/* SPDX-License-Identifier: MIT */
/* tile: the placement allocator. Gives every object of every tile an address (guide 3.2.2, 4.1.4, 7.2, 7.3, 7.5.2).
 *
 *     tw__place_item items[] = { { .tile = 0, .bytes = 4096, .align = 8, .first = 2, .last = 5, .name = "x" }, ... };
 *     tw__place_pair pairs[] = { { 0, 1, TW__PLACE_ELEM, "elem(*a)!=elem(*b)" } };
 *     if (tw__place(arch, 1472, items, n, pairs, 1, by_tile) != TW_OK) ...   // addresses are there all the same
 *
 * Objects that are not alive together may share addresses; an object may be dead between two of its lives. Plain data
 * may lie anywhere, low addresses first, so the interleaved region is used where it is asked for or where nothing
 * else is left. Same input, same addresses. */
#ifndef TW_TILE_PLACE_H
#define TW_TILE_PLACE_H

#include "core/tile/tile.h"

#define TW__PLACE_ALWAYS UINT32_MAX /* as `last`, with first 0: alive in every step */

typedef enum tw__place_flags {
    TW__PLACE_INTERLEAVED = 1, /* wholly in interleaved memory */
    TW__PLACE_EXECUTABLE = 2,  /* wholly in executable memory */
    TW__PLACE_OVERREAD = 4, /* vertices read it: reading on for 8 words must not leave the memory (guide 7.5.2) */
    /* results */
    TW__PLACE_OVERLAPPED = 16, /* shares addresses with an object that is alive at other times */
    TW__PLACE_OVERFLOWED = 32  /* found no room: lies past the end of the memory, in part at least */
} tw__place_flags;

typedef struct tw__place_life { /* steps, both included */
    uint32_t first, last;
} tw__place_life;

typedef struct tw__place_item {
    const char *name; /* for messages; NULL = none */
    uint64_t bytes;   /* 0: gets an address, takes no room */
    uint32_t tile;
    uint32_t align;       /* a power of two */
    uint32_t first, last; /* steps from its first to its last life, both included */
    uint16_t storage;     /* tw_storage, for messages and sums */
    uint16_t flags;
    uint32_t life_count; /* 0: it is alive from `first` to `last` without a break */
    const tw__place_life
        *lives;       /* [life_count] ascending, apart from each other, from `first` to `last`; the caller's */
    uint64_t address; /* result */
} tw__place_item;

/* Table 3.1. ELEM: no memory element holds bytes of both; REGION: they are in different regions. */
typedef enum tw__place_rule { TW__PLACE_ELEM, TW__PLACE_REGION } tw__place_rule;

typedef struct tw__place_pair {
    uint32_t a, b; /* items of one tile; a == b is ignored */
    tw__place_rule rule;
    const char *text; /* for messages, e.g. "vertex Add: elem(*a)!=elem(*b)"; NULL = none */
} tw__place_pair;

typedef struct tw__place_tile {
    uint64_t bytes;    /* of all objects, shared addresses counted once for each */
    uint64_t max_live; /* most bytes alive in one step: no placement needs less */
    uint32_t fullest;  /* that step, the first of them */
    uint64_t peak;     /* from the first address to the last used one, without stretches at the end of a region */
    uint64_t gaps;     /* bytes below the last used one that nothing uses at any time */
    uint64_t reach;    /* from the first address of the memory to the last used one, every stretch included */
    uint64_t used[TW__MEMORY_REGIONS]; /* bytes that something uses at some time, by region */
    uint64_t overflow;                 /* bytes past the end of the memory */
    tw_status status;
} tw__place_tile;

/* The lives of an item; *one is room for that of an item without breaks. */
static inline const tw__place_life *tw__place_lives(const tw__place_item *item, tw__place_life *one,
                                                    uint32_t *count)
{
    *count = item->life_count ? item->life_count : 1;
    *one = (tw__place_life){ item->first, item->last };
    return item->life_count ? item->lives : one;
}

static inline bool tw__place_is_alive(const tw__place_item *item, uint32_t step)
{
    tw__place_life one;
    uint32_t count;
    const tw__place_life *life = tw__place_lives(item, &one, &count);
    for (uint32_t i = 0; i < count; i++)
        if (life[i].first <= step && step <= life[i].last) return true;
    return false;
}

/* Places all items; by_tile[tiles]. TW_E_TILE_MEMORY: the message names the tile that is fullest, what fills it, by
 * how much it is, and the limit of interleaved or executable memory or of reading on that is in the way when the
 * bytes would fit; TW_E_ELEM_CONSTRAINTS: there would be room, but not under the constraint that the message names.
 * Either way every item has an address, and items that found no room lie at or past the end, flagged.
 * TW_E_INVALID_ARGUMENT: bad tile, alignment, lives or pair, nothing is placed. TW_E_NO_MEMORY. */
tw_status tw__place(const tw_tile_arch *arch, unsigned tiles, tw__place_item *items, size_t count,
                    const tw__place_pair *pairs, size_t pair_count, tw__place_tile *by_tile);

/* place_explain.c: that status and message again, from what was placed. */
tw_status tw__place_explain(const tw_tile_arch *arch, unsigned tiles, const tw__place_item *items, size_t count,
                            const tw__place_pair *pairs, size_t pair_count, const tw__place_tile *by_tile);

/* Adds the placed items to `memory`, split by region, overlap and overflow. */
void tw__place_account(const tw_tile_arch *arch, const tw__place_item *items, size_t count, tw__memory *memory);

/* --- stacks (guide 7.3, figure 7.4) ----------------------------------------------------------------------------- */

#define TW__WORKER_SCRATCH_BYTES 48 /* poplar::WORKER_SCRATCH_SIZE, above the stack */

/* Bytes of one worker's stack with its scratch space, a multiple of 8. */
static inline uint32_t tw__stack_bytes(uint32_t stack)
{
    return ((stack + 7) & ~UINT32_C(7)) + TW__WORKER_SCRATCH_BYTES;
}
/* $mworker_base of `worker` when the stacks of all workers lie one after the other from `address` on. */
static inline uint64_t tw__worker_base(uint64_t address, uint32_t stack, unsigned worker)
{
    return address + (uint64_t)tw__stack_bytes(stack) * worker + ((stack + 7) & ~UINT32_C(7));
}

/* --- place_fit.c: one tile ------------------------------------------------------------------------------------ */

typedef struct tw__fit_pair {
    uint32_t other; /* index into the tile's items */
    tw__place_rule rule;
} tw__fit_pair;

/* The items of one tile with their constraints: pairs[pair_start[i] .. pair_start[i + 1]). */
typedef struct tw__fit {
    const tw_tile_arch *arch;
    tw__place_item **items;
    uint32_t count;
    const uint32_t *pair_start;
    const tw__fit_pair *pairs;
    uint32_t unplaced; /* result: an item that did not find room although memory was free; UINT32_MAX = none */
} tw__fit;

/* Fills in addresses, flags and *result but its status; false when out of host memory. */
bool tw__fit_tile(tw__fit *fit, tw__place_tile *result);

#endif
