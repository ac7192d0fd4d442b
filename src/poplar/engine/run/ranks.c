/* SPDX-License-Identifier: MIT */
/* Ranks while they run: copies that cross from one to another, scalars that decide where all go, cycles that were
 * measured. */
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

/* --- copies --------------------------------------------------------------------------------------------------- */

typedef struct moving {
    const tw__links *links;
    char *dst;
    const char *src;
} moving;

static void ranks_pack(void *user, uint32_t index, char *room)
{
    const moving *m = user;
    tw__copy_run(&m->links->items[index].out, room, m->src);
}

static void ranks_unpack(void *user, uint32_t index, const char *bytes)
{
    const moving *m = user;
    tw__copy_run(&m->links->items[index].in, m->dst, bytes);
}

tw_status tw__copy_move(const tw__copy *copy, char *dst, const char *src, const char *what, uint64_t value)
{
    tw_status s = TW_OK;
    if (copy->links) {
        moving m = { copy->links, dst, src };
        s = tw__wire_exchange((tw__wire_site){ .what = what }, value, m.links->out, m.links->outs, m.links->in,
                              m.links->ins, ranks_pack, ranks_unpack, &m);
    }
    if (copy->count) tw__copy_run(copy, dst, src);
    return s;
}

tw_status tw__ranks_share(const tw_engine *engine, const char *what, void *bytes, size_t size)
{
    if (engine->ranks.size < 2) return TW_OK;
    return tw__wire_broadcast((tw__wire_site){ .what = what }, 0, bytes, size);
}

/* --- control -------------------------------------------------------------------------------------------------- */

tw_status tw__ranks_scalar(const tw_engine *engine, unsigned owner, int64_t *value)
{
    int64_t mine = *value;
    if (engine->ranks.verifies) {
        tw_status s =
            tw__wire_broadcast((tw__wire_site){ .what = "a scalar that is compared" }, 0, value, sizeof *value);
        if (!s && mine != *value)
            s = tw__fail(TW_E_SYSTEM,
                         "mpi.verify: a scalar of the control program is %lld on rank %u, %lld on rank 0",
                         (long long)mine, tw__wire_rank(), (long long)*value);
        return s;
    }
    return tw__wire_broadcast((tw__wire_site){ .what = "a scalar of the control program" }, owner, value,
                              sizeof *value);
}

/* --- measured cycles -------------------------------------------------------------------------------------------- */

/* Those of a rank's tiles and vertices, from it to all. */
static tw_status share_of(tw_engine *engine, const tw__exec *exec, unsigned rank)
{
    struct tw__tile_exec *run = exec->on_tiles;
    const uint32_t *first = engine->ranks.first_tile;
    size_t begin = 0, end;
    while (begin < exec->tile_count && exec->groups[exec->tile_first[begin]].tile < first[rank]) begin++;
    for (end = begin;
         end < exec->tile_count && tw__owner(engine, exec->groups[exec->tile_first[end]].tile) == rank;)
        end++;
    size_t vertices = run->first[end] - run->first[begin], count = end - begin + vertices;
    if (!count) return TW_OK;
    uint64_t *figures = tw__calloc(count, sizeof *figures);
    if (!figures) return tw__fail(TW_E_NO_MEMORY, "no memory for measured cycles");
    tw__tile_vertex *v = run->vertices + run->first[begin];
    for (size_t t = begin; t < end; t++) figures[t - begin] = run->cycles[exec->groups[exec->tile_first[t]].tile];
    for (size_t i = 0; i < vertices; i++) figures[end - begin + i] = v[i].cycles;
    tw_status s =
        tw__wire_broadcast((tw__wire_site){ .what = "measured cycles" }, rank, figures, count * sizeof *figures);
    for (size_t t = begin; t < end; t++) run->cycles[exec->groups[exec->tile_first[t]].tile] = figures[t - begin];
    for (size_t i = 0; i < vertices; i++) v[i].cycles = figures[end - begin + i];
    free(figures);
    return s;
}

tw_status tw__ranks_measured(tw_engine *engine, const tw__exec *exec)
{
    if (engine->ranks.size < 2) return TW_OK;
    uint64_t firm = ~(uint64_t)exec->on_tiles->fidelity; /* the least firm one counts */
    tw_status s = tw__wire_all_min((tw__wire_site){ .what = "how firm cycles are" }, &firm);
    exec->on_tiles->fidelity = (tw_fidelity)~firm;
    for (unsigned rank = 0; rank < engine->ranks.size && !s; rank++) s = share_of(engine, exec, rank);
    return s;
}
