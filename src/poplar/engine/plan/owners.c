/* SPDX-License-Identifier: MIT */
/* Which rank owns which tiles: whole IPUs where it can be, in blocks, so that an owner's tiles are a range. Everybody
 * makes the same plan of the same graph and keeps what its own tiles need. */
#include "poplar/engine/engine.h"

#include <string.h>

static tw_status by_ipus(const tw_target *target, unsigned size, uint32_t *first)
{
    unsigned ipus = target->ipus ? target->ipus : 1, per_ipu = target->tiles_per_ipu;
    if (size <= ipus && ipus % size != 0)
        return tw__fail(
            TW_E_INVALID_OPTION,
            "%u ranks do not divide the %u IPUs of the target: start a number of ranks that does, or set "
            "mpi.map=tiles",
            size, ipus);
    if (size > ipus && (size % ipus != 0 || size / ipus > per_ipu))
        return tw__fail(TW_E_INVALID_OPTION,
                        "%u ranks cannot share %u IPUs of %u tiles: start as many as there are IPUs, or a multiple "
                        "with at most a rank a tile, or set mpi.map=tiles",
                        size, ipus, per_ipu);
    for (unsigned rank = 0; rank <= size; rank++) {
        unsigned parts = size > ipus ? size / ipus : 1; /* ranks of an IPU */
        first[rank] = size <= ipus
                          ? rank * (ipus / size) * per_ipu
                          : rank / parts * per_ipu + (uint32_t)((uint64_t)(rank % parts) * per_ipu / parts);
    }
    return TW_OK;
}

tw_status tw__owners_new(tw_engine *engine)
{
    tw__ranks *ranks = &engine->ranks;
    const tw_target *target = engine->target;
    *ranks = (tw__ranks){ .size = 1 };
    tw_status s = tw__wire_start();
    if (s || tw__wire_size() < 2) return s;
    if (tw__options_is_set(engine->options, "mpi.timeout"))
        tw__wire_timeout(tw__options_double(engine->options, "mpi.timeout"));
    ranks->verifies = tw__options_bool(engine->options, "mpi.verify");
    if (ranks->verifies) return TW_OK;
    unsigned size = tw__wire_size(), created = engine->core->created;
    if (created && size > created)
        return tw__fail(TW_E_INVALID_OPTION, "%u ranks for %u replicas: start as many ranks as replicas at most",
                        size, created);
    if (created) return TW_OK; /* a replica lives on one rank: run/replicas.c */
    ranks->first_tile = TW__NEW_N(engine->arena, uint32_t, size + 1);
    if (!ranks->first_tile) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
    if (target->kind == TW_TARGET_CPU || strcmp(tw__options_get(engine->options, "mpi.map"), "tiles") == 0)
        for (unsigned rank = 0; rank <= size; rank++)
            ranks->first_tile[rank] = (uint32_t)(((uint64_t)rank * target->tiles + size - 1) / size);
    else
        s = by_ipus(target, size, ranks->first_tile);
    ranks->size = size, ranks->rank = tw__wire_rank();
    TW__LOG(ENGINE, INFO, "rank %u owns tiles %u to %u", ranks->rank, ranks->first_tile[ranks->rank],
            ranks->first_tile[ranks->rank + 1]);
    return s;
}

unsigned tw__owner(const tw_engine *engine, uint32_t tile)
{
    const tw__ranks *ranks = &engine->ranks;
    if (ranks->size < 2 || tile == TW_UNMAPPED) return 0;
    unsigned low = 0, high = ranks->size;
    while (high - low > 1) { /* the last rank that begins there or before */
        unsigned middle = low + (high - low) / 2;
        if (ranks->first_tile[middle] <= tile)
            low = middle;
        else
            high = middle;
    }
    return low;
}

unsigned tw__owner_of_element(const tw_engine *engine, uint32_t var, uint64_t element)
{
    const tw__variable *v = &engine->core->vars[var];
    if (engine->ranks.size < 2 || engine->target->kind == TW_TARGET_CPU) return 0;
    size_t i = tw__mapped_find(v, element);
    bool inside = i < v->mapped_count && v->mapped[i].begin <= element;
    return inside ? tw__owner(engine, v->mapped[i].tile) : 0;
}

unsigned tw__owner_of_scalar(const tw_engine *engine, const tw__operand *scalar)
{
    const tw__region *region = &scalar->regions->region[0];
    return tw__owner_of_element(engine, region->var, region->offset);
}

void tw__own_tiles(const tw_engine *engine, tw__exec *x)
{
    const tw__ranks *ranks = &engine->ranks;
    x->own_first = 0, x->own_end = x->tile_count;
    if (ranks->size < 2) return;
    while (x->own_first < x->tile_count &&
           x->groups[x->tile_first[x->own_first]].tile < ranks->first_tile[ranks->rank])
        x->own_first++;
    x->own_end = x->own_first;
    while (x->own_end < x->tile_count &&
           tw__owner(engine, x->groups[x->tile_first[x->own_end]].tile) == ranks->rank)
        x->own_end++;
}
