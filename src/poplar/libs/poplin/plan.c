/* SPDX-License-Identifier: MIT */
/* Plans of matrix products: every way to split rows, columns and sums over the tiles, by estimated cycles. All
 * figures are estimates. */
#include "poplar/libs/poplin/plan.h"

#include <string.h>

bool tw__matmul_read_options(tw_graph *graph, const char *call, const char *const *options,
                             tw__matmul_options *into)
{
    static const char passes[] = "NONE INFERENCE_FWD TRAINING_FWD TRAINING_BWD TRAINING_WU";
    static const tw__libs_option table[] = {
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(tw__matmul_options, memory), NULL },
        { "fullyConnectedPass", TW__LIBS_WORD, 0, passes },
        { "inputRHSIsPreArranged", TW__LIBS_BOOL, offsetof(tw__matmul_options, ignored), NULL },
        { "use128BitConvUnitLoad", TW__LIBS_BOOL, offsetof(tw__matmul_options, ignored), NULL },
        { "enableMultiStageReduce", TW__LIBS_BOOL, offsetof(tw__matmul_options, ignored), NULL },
        { "enableFastReduce", TW__LIBS_BOOL, offsetof(tw__matmul_options, ignored), NULL },
        { "remapOutputTensor", TW__LIBS_BOOL, offsetof(tw__matmul_options, ignored), NULL },
        { "disableSRForAMPVertices", TW__LIBS_BOOL, offsetof(tw__matmul_options, ignored), NULL },
        { "gatherOutput", TW__LIBS_BOOL, offsetof(tw__matmul_options, ignored), NULL },
        { "partialsType", TW__LIBS_TYPE, offsetof(tw__matmul_options, ignored_type), NULL },
        { "planConstraints", TW__LIBS_TEXT, 0, NULL },
    };
    *into = (tw__matmul_options){ .memory = 0.6 };
    return tw__libs_options(graph, call, options, table, G_N_ELEMENTS(table), into);
}

static size_t plan_over(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* 16 float or 64 half multiply-adds a cycle, and a load of the weights for each sixteen columns. */
double tw__matmul_block_cycles(double m, double n, double k, size_t type_size)
{
    double macs = type_size == 2 ? 64 : 16, sixteens = (double)plan_over((size_t)n, 16);
    return m * 16 * sixteens * k / macs + 300 + sixteens * k * 16 / 4;
}

/* Blocks and estimates for the splits that are set. */
static void estimate(tw__matmul_plan *p, size_t type_size)
{
    p->m_block = plan_over(p->m, p->m_parts);
    p->n_block = plan_over(p->n, p->n_parts);
    p->k_block = plan_over(p->k, p->k_parts * p->k_steps);
    double mb = (double)p->m_block, nb = (double)p->n_block, kb = (double)p->k_block;
    p->product = (double)p->k_steps * tw__matmul_block_cycles(mb, nb, kb, type_size);
    p->exchange = (double)p->k_steps * ((mb * kb + kb * nb) * (double)type_size / 4 + 120);
    p->joining = p->k_parts > 1 ? mb * nb + mb * nb / 2 + 200 : 0;
    p->cycles = p->product + p->exchange + p->joining;
    p->bytes = (uint64_t)(2 * (mb * kb + kb * nb) * (double)type_size + (p->k_parts > 1 ? 2 : 1) * mb * nb * 4);
}

static bool plan_is_better(const tw__matmul_plan *a, const tw__matmul_plan *b)
{
    double slack = a->k_parts > b->k_parts   ? 0.97
                   : a->k_parts < b->k_parts ? 1.03
                                             : 1; /* a tie: fewer sums to join */
    return a->cycles < b->cycles * slack;
}

/* The best plan of this many serial steps that fits, into *best; false: none does. */
static bool search(tw__matmul_plan *best, size_t tiles, size_t steps, size_t type_size, double room)
{
    bool found = false;
    tw__matmul_plan p = *best;
    p.k_steps = steps;
    for (p.k_parts = 1; p.k_parts <= tiles && p.k_parts * steps <= p.k;
         p.k_parts += p.k_parts < 16 ? 1 : p.k_parts / 4)
        for (p.m_parts = 1; p.m_parts <= MIN(p.m, tiles / p.k_parts);
             p.m_parts += p.m_parts < 64 ? 1 : p.m_parts / 16) {
            size_t most = MIN(plan_over(p.n, 16), tiles / p.k_parts / p.m_parts);
            if (plan_over(p.m, plan_over(p.m, p.m_parts)) != p.m_parts) continue; /* fewer parts of that size do */
            p.n_parts = plan_over(p.n, plan_over(plan_over(p.n, most), 16) * 16); /* whole sixteens */
            estimate(&p, type_size);
            if ((double)p.bytes > room || (found && !plan_is_better(&p, best))) continue;
            *best = p, found = true;
        }
    return found;
}

void tw__matmul_make_plan(const tw_graph *graph, tw__matmul_plan *plan, const tw__matmul_options *options)
{
    const tw_target *target = tw_graph_target(graph);
    size_t tiles = MAX(1, tw_target_tiles(target) / MAX(plan->groups, 1));
    size_t type_size = plan->type == TW_HALF ? 2 : 4;
    bool chip = tw_target_get_kind(target) != TW_TARGET_CPU;
    double room = chip ? options->memory * (double)tw_target_bytes_per_tile(target) : 1e18;
    plan->m_parts = plan->n_parts = plan->k_parts = plan->k_steps = 1;
    estimate(plan, type_size);
    if (!plan->m || !plan->n || !plan->k) return;
    for (size_t steps = 1; steps <= plan->k; steps *= 2)
        if (search(plan, tiles, steps, type_size, room)) return;
    search(plan, tiles, plan->k, type_size, 1e18); /* it does not fit: the engine will say by how much */
}

unsigned tw__matmul_tile(const tw_graph *graph, const tw__matmul_plan *p, size_t group, size_t i, size_t j,
                         size_t l)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    size_t places = p->m_parts * p->n_parts * p->k_parts;
    size_t own = MAX(1, tiles / MAX(p->groups, 1)), place = (i * p->n_parts + j) * p->k_parts + l;
    return (unsigned)((group * MIN(own, places) + place) % tiles);
}
