/* SPDX-License-Identifier: MIT */
/* grids: the cores of a grid, made and given back. */
#include "pto/exec/exec.h"
#include "pto/grid/grid.h"
#include "pto/profile/profile.h"

#include <stdlib.h>

enum { MOST_BLOCKS = 4096, MOST_DEVICES = 64, MOST_CORES = 1 << 14 };

/* Memories that the other kind of core owns do not exist here. */
static void drop_memories(tw_pto *core, tw_pto_core_kind kind)
{
    for (int l = 0; l < TW_PTO_LOCATIONS; l++)
        if (kind != TW_PTO_WHOLE && (l == TW_PTO_VEC) != (kind == TW_PTO_VECTOR)) core->memory[l].size = 0;
}

static bool add_core(tw_pto_grid *grid, unsigned index)
{
    const tw_pto_launch *l = &grid->launch;
    unsigned number = index % grid->per_block, block = index / grid->per_block;
    tw_pto *core = tw_pto_new(l->target, l->flags);
    tw__seat *seat = core ? tw__calloc(1, sizeof *seat) : NULL;
    if (!seat) {
        tw__pto_free_core(core);
        tw__fail(TW_E_NO_MEMORY, "no memory for the cores of a grid");
        return false;
    }
    seat->grid = grid;
    seat->number = number;
    seat->block = &grid->blocks[block];
    core->identity = (tw_pto_identity){ .kind = l->vectors == 0 ? TW_PTO_WHOLE
                                                : number == 0   ? TW_PTO_CUBE
                                                                : TW_PTO_VECTOR,
                                        .block = block % l->blocks,
                                        .blocks = l->blocks,
                                        .sub_block = number ? number - 1 : 0,
                                        .sub_blocks = l->vectors ? l->vectors : 1,
                                        .device = block / l->blocks,
                                        .devices = l->devices };
    core->seat = seat;
    core->mates = &grid->cores[block * grid->per_block];
    core->mate_count = grid->per_block;
    drop_memories(core, core->identity.kind);
    tw_pto_trace(core, l->trace);
    tw__profile_forget(core); /* the grid speaks for its cores */
    grid->cores[index] = core;
    return true;
}

static void grids_leave_profile(void *grid)
{
    tw_pto_grid *g = grid;
    if (g->cores) tw__pto_leave_profile(g->cores, g->count, g->launch.devices);
}

tw_pto_grid *tw_pto_grid_new(const tw_pto_launch *launch)
{
    tw_pto_launch l;
    tw_status status = tw__pto_given(launch, "launch");
    if (status == TW_OK) status = TW__TAKE_OPTIONS(&l, launch, tw_pto_launch);
    if (status != TW_OK) return tw__made(status, NULL);
    if (!l.blocks) l.blocks = 1;
    if (!l.devices) l.devices = 1;
    if (l.blocks > MOST_BLOCKS || l.devices > MOST_DEVICES || l.vectors > TW__BLOCK_CORES - 1 ||
        (size_t)l.blocks * l.devices * (l.vectors + 1) > MOST_CORES) {
        return tw__made(
            tw__fail(
                TW_E_INVALID_ARGUMENT,
                "a grid of %u devices of %u blocks with %u vector cores each: there are at most %d devices, %d "
                "blocks, %d vector cores, %d cores in all",
                l.devices, l.blocks, l.vectors, MOST_DEVICES, MOST_BLOCKS, TW__BLOCK_CORES - 1, MOST_CORES),
            NULL);
    }
    tw_pto_grid *grid = tw__calloc(1, sizeof *grid);
    if (!grid) return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for a grid"), NULL);
    grid->launch = l;
    grid->per_block = l.vectors + 1;
    grid->count = l.blocks * l.devices * grid->per_block;
    grid->cores = tw__calloc(grid->count, sizeof *grid->cores);
    grid->blocks = tw__calloc((size_t)l.blocks * l.devices, sizeof *grid->blocks);
    grid->barriers = tw__calloc((size_t)l.devices * TW__CORE_SETS, sizeof *grid->barriers);
    bool good = grid->cores && grid->blocks && grid->barriers;
    if (!good) tw__fail(TW_E_NO_MEMORY, "no memory for a grid");
    for (unsigned i = 0; good && i < grid->count; i++) good = add_core(grid, i);
    if (good) return tw__profile_expect(grid, grids_leave_profile), grid;
    tw_pto_grid_free(grid);
    return tw__made(tw_error_status(), NULL);
}

void tw_pto_grid_free(tw_pto_grid *grid)
{
    if (!grid) return;
    tw__profile_forget(grid);
    grids_leave_profile(grid);
    for (unsigned i = 0; grid->cores && i < grid->count; i++) {
        if (!grid->cores[i]) continue;
        tw__pto_free_seat(grid->cores[i]);
        tw__pto_free_core(grid->cores[i]);
    }
    tw__pto_free_grid(grid);
}
