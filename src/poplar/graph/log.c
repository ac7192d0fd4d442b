/* SPDX-License-Identifier: MIT */
/* What modules GRAPH, TENSOR and TARGET log of a graph that an engine is made for (guide 9.1): DEBUG by graph, TRACE
 * by tile. */
#include "poplar/graph/build.h"

#include <stdlib.h>

static void log_target(const tw_target *t)
{
    TW__LOG(TARGET, DEBUG, "%s: %u IPU%s of %u tiles, %llu bytes and %u workers each, %.0f MHz, half of %zu bytes",
            tw_target_arch(t), t->ipus, t->ipus == 1 ? "" : "s", t->tiles_per_ipu,
            (unsigned long long)t->arch.bytes_per_tile, t->arch.workers, t->arch.clock_hz / 1e6,
            tw_target_type_size(t, TW_HALF));
    for (unsigned r = 0; r < t->arch.region_count; r++) {
        const tw_tile_region *region = &t->arch.regions[r];
        TW__LOG(TARGET, TRACE, "each tile: %s at 0x%x, %u bytes%s%s", region->name, region->start, region->bytes,
                region->interleaved ? ", interleaved" : "", region->executable ? ", executable" : "");
    }
}

static void log_variable(const tw__variable *var, size_t index)
{
    char shape[TW__TEXT_BYTES];
    TW__LOG(TENSOR, DEBUG, "variable %zu '%s': %s%s of type %s, mapped in %zu intervals", index, var->name,
            var->is_constant ? "constant " : "", tw__shape_text(var->rank, var->shape, shape, sizeof shape),
            tw_type_name(var->type, TW_SYSTEM_POPLAR), var->mapped_count);
    for (size_t i = 0; i < var->mapped_count; i++)
        TW__LOG(TENSOR, TRACE, "variable %zu '%s': elements [%llu, %llu) on tile %u", index, var->name,
                (unsigned long long)var->mapped[i].begin, (unsigned long long)var->mapped[i].end,
                var->mapped[i].tile);
}

static void log_vertices(const tw__core *core)
{
    uint32_t *of_tile = tw__calloc((size_t)core->target->tiles + 1, sizeof *of_tile);
    for (size_t v = 1; of_tile && v < core->vertex_count; v++)
        if (core->vertices[v].tile < core->target->tiles) of_tile[core->vertices[v].tile]++;
    for (unsigned tile = 0; of_tile && tile < core->target->tiles; tile++)
        if (of_tile[tile]) TW__LOG(GRAPH, TRACE, "tile %u: %u vertices", tile, of_tile[tile]);
    free(of_tile);
}

static size_t used(size_t count) /* index 0 of these arrays stands for nothing */
{
    return count ? count - 1 : 0;
}

void tw__graph_log(const tw__core *core)
{
    if (tw__log_on(TW__LOG_TARGET, TW__DEBUG)) log_target(core->target);
    for (size_t i = 0; tw__log_on(TW__LOG_TENSOR, TW__DEBUG) && i < core->var_count; i++)
        log_variable(&core->vars[i], i);
    TW__LOG(GRAPH, DEBUG,
            "%zu variables, %zu vertices of %zu types, %zu edges, %zu compute sets, %zu programs, %zu functions, "
            "%zu streams, %zu remote buffers",
            core->var_count, used(core->vertex_count), core->type_count, used(core->edge_count),
            used(core->compute_set_count), used(core->program_count), used(core->function_count),
            used(core->stream_count), used(core->remote_count));
    if (tw__log_on(TW__LOG_GRAPH, TW__TRACE)) log_vertices(core);
}
