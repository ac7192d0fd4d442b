/* SPDX-License-Identifier: MIT */
/* tile: the state of placing one tile, shared by its four parts: place_fit.c (searching gaps, order, attempts),
 * place_crowd.c (what is in the way), place_settle.c (moving objects below a goal), place_measure.c (figures). */
#ifndef TW_TILE_PLACE_FIT_H
#define TW_TILE_PLACE_FIT_H

#include "core/base/list.h"
#include "core/tile/place.h"

#define TW__NO_ITEM       UINT32_MAX
#define TW__NOWHERE       UINT64_MAX /* address of what has no place */
#define TW__PLACE_CLASSES 33

typedef struct tw__span {
    uint64_t start, end;
} tw__span;

typedef struct tw__located {
    tw__span where;
    uint32_t index;
} tw__located;

typedef TW__LIST(tw__span) tw__spans;

typedef TW__LIST(tw__located) tw__list;

/* What the last search for an always-alive object found, for the next one of equal size: every gap that holds such an
 * object has at least `room` bytes, and those of exactly `room` begin at or after `from`. Holds while nothing else
 * is placed or taken away. */
typedef struct tw__gap_hint {
    uint64_t bytes, low, high, room, from;
    uint64_t changes;
    uint32_t align;
} tw__gap_hint;

typedef struct tw__placer {
    tw__fit *fit;
    tw__place_item **items;
    uint64_t end;           /* of the memory */
    uint64_t alive;         /* most bytes alive in one step */
    uint32_t *first, *last; /* of each item, from its first to its last life, as ranks of the steps that matter */
    uint32_t *life_start;   /* [count + 1] in `lives` */
    tw__place_life *lives;  /* of each item, as ranks */
    uint32_t ranks;
    uint32_t *boost; /* attempts in which the item found no room at all */
    uint32_t *push;  /* times it was turned out of its place */
    uint64_t *best;  /* addresses of the best attempt so far */
    uint32_t *order;
    uint32_t *next;  /* within a file */
    uint32_t *heads; /* of all files, class by class */
    size_t class_start[TW__PLACE_CLASSES + 1];
    bool class_used[TW__PLACE_CLASSES];
    tw__gap_hint hint;
    tw__spans busy;   /* always alive, sorted, apart from each other */
    uint64_t changes; /* of what is placed */
    tw__list lasting; /* alive for long: sorted by address, instead of in a file */
    tw__list crowd;   /* what is in the way of one object, sorted by address */
    tw__list scratch; /* of tw__placer_gather() */
    uint32_t *queue;  /* objects to be settled */
    size_t queue_count, queue_room;
    bool failed; /* out of host memory */
} tw__placer;

static inline bool tw__placer_always(const tw__placer *p, uint32_t i)
{
    return p->first[i] == 0 && p->last[i] == p->ranks - 1 && p->life_start[i + 1] - p->life_start[i] == 1;
}

/* In a file of its class there would be too many of these for every object placed. */
static inline bool tw__placer_lasts(const tw__placer *p, uint32_t i)
{
    return p->last[i] - p->first[i] >= (p->ranks + 15) / 16;
}

static inline unsigned tw__placer_class(const tw__placer *p, uint32_t i)
{
    uint32_t length = p->last[i] - p->first[i];
    return length ? 32 - (unsigned)__builtin_clz(length) : 0;
}

static inline tw__span tw__placer_span(const tw__placer *p, uint32_t i)
{
    return (tw__span){ p->items[i]->address, p->items[i]->address + p->items[i]->bytes };
}

/* --- place_crowd.c */
void tw__placer_file(tw__placer *p, uint32_t i);   /* makes the item's address taken */
void tw__placer_unfile(tw__placer *p, uint32_t i); /* undoes that, for an item that is not always alive */
/* Fills `crowd` with what is alive together with the item, and what its constraints forbid. `busy` too: also with
 * what is always alive. */
void tw__placer_gather(tw__placer *p, uint32_t i, bool busy);

/* --- place_fit.c */
/* Puts the item into the smallest gap that holds it; false when there is none. */
bool tw__placer_place(tw__placer *p, uint32_t i);

/* --- place_settle.c: places movable objects that end above `goal`, or nowhere, below it; false when some stay
 * above. */
bool tw__placer_settle(tw__placer *p, uint64_t goal);

/* --- place_measure.c */
int tw__by_place(const void *a, const void *b); /* tw__located by address */
uint64_t tw__placer_most_alive(const tw__placer *p, uint32_t *step);
void tw__placer_measure(tw__placer *p, tw__place_tile *result); /* and the flag of overlapped items */

#endif
