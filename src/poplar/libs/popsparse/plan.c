/* SPDX-License-Identifier: MIT */
/* Plans: into how many parts rows, columns and batch of a product go. */
#include "poplar/libs/popsparse/sparse.h"

#include <math.h>

typedef struct sparse_options {
    double memory, oversize;
    bool force_spills, ignored;
    tw_type ignored_type;
} sparse_options;

static bool sparse_read_options(tw_graph *graph, const char *call, const char *const *options, sparse_options *into)
{
    static const tw__libs_option table[] = {
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(sparse_options, memory), NULL },
        { "metaInfoBucketOversizeProportion", TW__LIBS_FRACTION, offsetof(sparse_options, oversize), NULL },
        { "partitioner.forceBucketSpills", TW__LIBS_BOOL, offsetof(sparse_options, force_spills), NULL },
        { "doGradAPass", TW__LIBS_BOOL, offsetof(sparse_options, ignored), NULL },
        { "doGradWPass", TW__LIBS_BOOL, offsetof(sparse_options, ignored), NULL },
        { "sharedBuckets", TW__LIBS_BOOL, offsetof(sparse_options, ignored), NULL },
        { "enableStructuredRearrangements", TW__LIBS_BOOL, offsetof(sparse_options, ignored), NULL },
        { "partitioner.optimiseForSpeed", TW__LIBS_BOOL, offsetof(sparse_options, ignored), NULL },
        { "partitioner.useActualWorkerSplitCosts", TW__LIBS_BOOL, offsetof(sparse_options, ignored), NULL },
        { "partialsType", TW__LIBS_TYPE, offsetof(sparse_options, ignored_type), NULL },
        { "planConstraints", TW__LIBS_TEXT, 0, NULL },
    };
    *into = (sparse_options){ .memory = 0.6, .oversize = 0.3 };
    return tw__libs_options(graph, call, options, table, G_N_ELEMENTS(table), into);
}

static const char *sparse_problem(const tw_sparse_params *p, tw_type type)
{
    if (type != TW_FLOAT && type != TW_HALF) return "elements are float or half";
    if (!p->rows || !p->columns || !p->batch) return "an extent is 0";
    if (p->rows % p->block_rows || p->columns % p->block_columns) return "it has no whole number of blocks";
    uint64_t most = UINT32_MAX / p->groups;
    if (p->rows > most / p->columns || p->rows > most / p->batch || p->columns > most / p->batch)
        return "it has too many elements";
    if (p->values > p->groups * p->rows * p->columns) return "it has not as many values";
    return NULL;
}

/* Blocks that a bucket has room for: an even spread, and what the option adds to it. */
static void sparse_capacity(tw__sparse_plan *p, double oversize)
{
    size_t blocks = (p->p.values + p->area - 1) / p->area, whole = p->x_block * p->y_block;
    p->regions = p->p.groups * p->x_parts * p->y_parts;
    size_t spread = (blocks + p->regions - 1) / p->regions;
    double even = (double)spread;
    p->capacity = (size_t)fmin((double)whole, fmax(1, ceil(even * (1 + oversize))));
    p->words = 1 + TW__SPARSE_WORDS * p->capacity;
}

static size_t sparse_parts(size_t extent, size_t wanted, size_t *block)
{
    *block = (extent + wanted - 1) / wanted;
    return (extent + *block - 1) / *block;
}

/* Cycles of the slowest tile: six multiply-adds a turn of all workers, four bytes of exchange a cycle. Rough, and
 * there to compare plans. */
static double sparse_cost(const tw__sparse_plan *p, double oversize, uint64_t *bytes)
{
    tw__sparse_plan one = *p;
    sparse_capacity(&one, oversize);
    double size = p->type == TW_HALF ? 2 : 4, z = (double)p->z_block;
    double in = (double)(p->y_block * p->p.block_columns) * z * size;
    double out = (double)(p->x_block * p->p.block_rows) * z * 4;
    double bucket = (double)one.capacity * ((double)p->area * size + 2 * TW__SPARSE_WORDS);
    *bytes = (uint64_t)(in + out + 3 * bucket);
    double sums = p->y_parts > 1 ? 2 * out : 0;
    return (double)(one.capacity * p->area) * z + (in + bucket + sums) / 4;
}

/* The cheapest of plans that fit into a tile's memory; the smallest where none does. */
static void sparse_search(tw__sparse_plan *plan, const sparse_options *options, uint64_t room)
{
    tw__sparse_plan best = *plan;
    uint64_t least = UINT64_MAX;
    bool found = false;
    size_t tiles = MAX(1, plan->tiles / plan->p.groups);
    for (size_t z = 1; z <= MIN(tiles, plan->p.batch); z *= 2)
        for (size_t y = 1; y <= MIN(tiles / z, plan->grid_columns); y++) {
            tw__sparse_plan one = *plan;
            uint64_t bytes;
            one.z_parts = sparse_parts(plan->p.batch, z, &one.z_block);
            one.y_parts = sparse_parts(plan->grid_columns, y, &one.y_block);
            one.x_parts = sparse_parts(plan->grid_rows, MIN(tiles / z / y, plan->grid_rows), &one.x_block);
            one.cycles = sparse_cost(&one, options->oversize, &bytes);
            bool fits = bytes <= room, better = fits ? !found || one.cycles < best.cycles : !found && bytes < least;
            if (!better) continue;
            best = one, found = fits, least = bytes;
        }
    *plan = best;
}

/* Places and counts are words of 16 bits: more regions where a bucket would not do with that. */
static bool sparse_narrow(tw__sparse_plan *p, double oversize)
{
    for (;;) {
        sparse_capacity(p, oversize);
        if (p->regions > UINT16_MAX) return false;
        if (p->capacity <= UINT16_MAX && p->x_block <= UINT16_MAX && p->y_block <= UINT16_MAX) return true;
        if (p->x_block >= p->y_block)
            p->x_parts = sparse_parts(p->grid_rows, 2 * p->x_parts, &p->x_block);
        else
            p->y_parts = sparse_parts(p->grid_columns, 2 * p->y_parts, &p->y_block);
    }
}

bool tw__sparse_make_plan(tw__sparse_plan *plan, tw_graph *graph, const char *call, tw_type type,
                          const tw_sparse_params *params, const char *const *options)
{
    sparse_options read;
    const tw_target *target = tw_graph_target(graph);
    *plan = (tw__sparse_plan){ .type = type, .tiles = tw_target_tiles(target) };
    if (params) plan->p = *params;
    if (!tw__libs_ready(graph) || !sparse_read_options(graph, call, options, &read)) return false;
    tw_sparse_params *p = &plan->p;
    p->groups = MAX(p->groups, 1), p->block_rows = MAX(p->block_rows, 1),
    p->block_columns = MAX(p->block_columns, 1);
    const char *problem = sparse_problem(p, type);
    if (!problem) {
        plan->area = p->block_rows * p->block_columns;
        plan->grid_rows = p->rows / p->block_rows, plan->grid_columns = p->columns / p->block_columns;
        sparse_search(plan, &read, (uint64_t)(fmin(read.memory, 1) * (double)tw_target_bytes_per_tile(target)));
        if (!sparse_narrow(plan, read.oversize)) problem = "it has too many values for buckets of 65,535 blocks";
    }
    plan->force_spills = read.force_spills;
    if (problem)
        tw_graph_fail(graph, TW_E_POPLIBS, call,
                      "a sparse matrix %zu x %zu of %s, blocks %zu x %zu, batch %zu, %zu values: %s", p->rows,
                      p->columns, tw_type_name(type, TW_SYSTEM_POPLAR), p->block_rows, p->block_columns, p->batch,
                      p->values, problem);
    return !problem;
}

tw_sparse_layout tw_popsparse_layout(tw_graph *graph, tw_type type, const tw_sparse_params *params,
                                     const char *const *options)
{
    tw__sparse_plan p;
    if (!tw__sparse_make_plan(&p, graph, __func__, type, params, options)) return (tw_sparse_layout){ 0 };
    return (tw_sparse_layout){ .row_parts = p.x_parts,
                               .column_parts = p.y_parts,
                               .batch_parts = p.z_parts,
                               .part_rows = p.x_block * p.p.block_rows,
                               .part_columns = p.y_block * p.p.block_columns,
                               .part_batch = p.z_block,
                               .buckets = p.regions,
                               .capacity = p.capacity,
                               .bucket_meta = p.words,
                               .meta = p.regions * p.words + 1,
                               .values = p.regions * p.capacity * p.area,
                               .cycles = p.cycles };
}
