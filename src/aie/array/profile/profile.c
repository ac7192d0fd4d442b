/* SPDX-License-Identifier: MIT */
/* Cycles of the kernels into the common profile: one plan step for the whole run, tiles by column and row, kernels as
 * vertex types. Every figure is an estimate: a kernel's waiting for others is not part of it. */
#include "aie/array/profile/profile.h"
#include "core/profile/profile.h"

#include <stdlib.h>

static void profile_add_memory(tw_profile *p, const tw_aie_array *a)
{
    tw__memory *memory = tw__memory_new(a->arch->tiles);
    if (!memory) return;
    for (size_t i = 0; i < a->kernel_count; i++)
        tw__memory_count(memory, (uint32_t)tw__aie_tile_of(a, a->kernels[i]), TW_STORAGE_STACK,
                         TW__AIE_STACK_AND_HEAP);
    for (size_t i = 0; i < a->pair_count; i++) {
        const tw__pair *w = a->pairs[i];
        for (unsigned b = 0; b < w->blocks; b++) {
            int tile = w->block[b] ? tw__aie_tile_at(a, (uintptr_t)w->block[b])
                                   : tw__aie_tile_of(a, a->kernels[w->to >= 0 ? w->to : w->from]);
            if (tile >= 0)
                tw__memory_count(memory, (uint32_t)tile, TW_STORAGE_VARIABLE, (uint64_t)w->bytes + w->margin);
        }
    }
    tw__profile_set_memory(p, memory, TW_FIDELITY_ESTIMATED);
    tw__memory_free(memory);
}

/* The row of tw_band: the weakest that has counted. What fires whenever it can stands for the stream switch and the
 * DMA, beside kernels that are code. */
static const char *profile_model(const tw_aie_array *a)
{
    bool code = false, switches = false;
    for (size_t i = 0; i < a->kernel_count; i++) {
        const tw__kernel *k = a->kernels[i];
        if (!k->fired) continue;
        if (k->control.slots[TW_AIE_SLOT_BLOCKS])
            code = true;
        else if (k->repeat)
            return "slots";
        else
            switches = true;
    }
    return switches && !code ? "slots" : "code";
}

tw_profile *tw__aie_profile(const tw_aie_array *a)
{
    const tw_tile_arch *arch = a->arch;
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = "AI_ENGINE",
                                                           .arch = arch->name,
                                                           .model = profile_model(a),
                                                           .ipus = 1,
                                                           .tiles_per_ipu = arch->tiles,
                                                           .replicas = 1,
                                                           .bytes_per_tile = arch->bytes_per_tile,
                                                           .clock_hz = arch->clock_hz });
    tw__type_cycles *types = calloc(a->kernel_count + 1, sizeof *types);
    uint64_t *by_tile = calloc(arch->tiles, sizeof *by_tile);
    if (!p || !types || !by_tile) {
        tw_profile_free(p), free(types), free(by_tile);
        return NULL;
    }
    tw__profile_set_program(p);
    if (arch->columns) tw__profile_set_grid(p, arch->columns, arch->rows, true);
    profile_add_memory(p, a);
    uint32_t set = tw__profile_add_compute_set(p, "array");
    tw__profile_set_counts(p, a->kernel_count, a->fifo_count + a->pair_count, a->pair_count, 1);
    for (size_t i = 0; i < a->kernel_count; i++) {
        const tw__kernel *k = a->kernels[i];
        uint64_t cycles = tw__aie_cycles_of(k, k->control.slots);
        uint64_t firings = k->fired ? k->fired : 1;
        types[i] = (tw__type_cycles){ .vertex_type = tw__profile_add_vertex_type(p, k->name, 0),
                                      .instances = firings,
                                      .cycles = cycles,
                                      .worst = k->worst,
                                      .worst_tile = (uint32_t)tw__aie_tile_of(a, k) };
        tw__profile_add_vertices(p, set, types[i].vertex_type, firings);
        by_tile[tw__aie_tile_of(a, k)] += cycles;
    }
    uint64_t end = 0, most = 0; /* of the timeline; of the busiest tile */
    for (size_t i = 0; i < a->kernel_count; i++) end = a->kernels[i]->clock > end ? a->kernels[i]->clock : end;
    for (unsigned t = 0; t < arch->tiles; t++) most = by_tile[t] > most ? by_tile[t] : most;
    uint32_t program = tw__profile_add_program(p, TW_PROGRAM_ON_TILE_EXECUTE, "array", TW__NONE, set, 0);
    uint32_t step = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                              .name = "array",
                                                              .program = program,
                                                              .index = set,
                                                              .cycles = end > most ? end : most,
                                                              .active = tw__profile_row(p, by_tile, arch->tiles),
                                                              .types = types,
                                                              .type_count = a->kernel_count,
                                                              .fidelity = TW_FIDELITY_ESTIMATED });
    tw__aie_add_lines(a, p); /* what knows where kernels are */
    tw__aie_add_intervals(a, p);
    tw__aie_add_learned(a, p);
    tw__aie_add_graph(a, p);
    tw__profile_run_begin(p, "");
    tw__profile_step(p, step);
    tw__profile_run_end(p, 0);
    free(types), free(by_tile);
    if (tw__profile_status(p) == TW_OK) return p;
    tw_profile_free(p);
    return NULL;
}
