/* SPDX-License-Identifier: MIT */
/* Links between IPUs (guide 2.7.1; widths from PopLibs' test utility, docs/model.md).
 *
 * IPUs 2k and 2k + 1 form rung k of a ladder. Four links join them for their own traffic and two more take what
 * crosses over on its way to another rung; two go up and two go down on each side. A flow crosses its own rung first,
 * then climbs. In a torus the last rung is also below the first, and a flow takes the shorter way, or half of it each
 * when both are as long. Links of one kind at one IPU are a constraint: what passes there adds up, and the slowest
 * constraint counts. A target may state its own constraints instead. */
#include "poplar/engine/account/account.h"

#include <math.h>
#include <stdlib.h>

/* One way over a link, from PopLibs' test utility, which takes it for syncs: of a small exchange it is the most
 * (estimated). */
#define HOP_SECONDS 15e-9

typedef enum link_kind { LINK_PAIR, LINK_CROSS, LINK_UP, LINK_DOWN, LINK_KINDS } link_kind;
static const unsigned links[LINK_KINDS] = { [LINK_PAIR] = 4, [LINK_CROSS] = 2, [LINK_UP] = 2, [LINK_DOWN] = 2 };

/* Bytes on the links of one kind at each IPU, two for each rung. */
typedef double load[LINK_KINDS];

static void climb(load *busy, unsigned rungs, unsigned side, unsigned from, unsigned steps, bool up, double bytes)
{
    for (unsigned at = from; steps; steps--) {
        busy[2 * at + side][up ? LINK_UP : LINK_DOWN] += bytes;
        at = up ? (at + 1) % rungs : (at + rungs - 1) % rungs;
    }
}

static void route(load *busy, unsigned rungs, bool torus, unsigned src, unsigned dst, double bytes)
{
    unsigned from = src / 2, to = dst / 2, side = dst & 1;
    if (from == to) {
        busy[src][LINK_PAIR] += bytes;
        return;
    }
    if ((src & 1) != side) busy[src][LINK_CROSS] += bytes;
    unsigned up = (to + rungs - from) % rungs, down = rungs - up;
    if (!torus)
        climb(busy, rungs, side, from, to > from ? to - from : from - to, to > from, bytes);
    else if (up != down)
        climb(busy, rungs, side, from, up < down ? up : down, up < down, bytes);
    else
        climb(busy, rungs, side, from, up, true, bytes / 2), climb(busy, rungs, side, from, down, false, bytes / 2);
}

/* Links that a flow crosses, one behind the other. */
static unsigned hops_of(unsigned rungs, bool torus, unsigned src, unsigned dst)
{
    unsigned from = src / 2, to = dst / 2, straight = to > from ? to - from : from - to;
    unsigned climbs = torus && rungs - straight < straight ? rungs - straight : straight;
    return climbs + ((src & 1) != (dst & 1));
}

/* Seconds of the slowest of the constraints that the target states. */
static double stated(const tw_global_exchange_constraint *constraints, size_t count, unsigned ipus,
                     const uint64_t *flow)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        double bits = 0;
        for (size_t k = 0; k < constraints[i].flow_count; k++) {
            const tw_global_exchange_flow *f = &constraints[i].flows[k];
            if (f->src < ipus && f->dst < ipus) bits += 8 * (double)flow[(size_t)f->src * ipus + f->dst];
        }
        worst = fmax(worst, bits / constraints[i].bandwidth);
    }
    return worst;
}

uint64_t tw__link_cycles(const tw_target *target, const uint64_t *flow, bool *failed)
{
    const tw_tile_arch *arch = &target->arch;
    unsigned ipus = tw_target_ipus(target), rungs = (ipus + 1) / 2;
    size_t count;
    const tw_global_exchange_constraint *constraints = tw_target_global_exchange_constraints(target, &count);
    if (count) return (uint64_t)ceil(stated(constraints, count, ipus, flow) * arch->clock_hz);
    load *busy = tw__calloc((size_t)rungs * 2, sizeof *busy);
    if (!busy) {
        *failed = true;
        return 0;
    }
    bool torus = tw_target_ipu_link_topology(target) == TW_LINK_TORUS;
    unsigned farthest = 0;
    for (unsigned src = 0; src < ipus; src++)
        for (unsigned dst = 0; dst < ipus; dst++) {
            if (src == dst || !flow[(size_t)src * ipus + dst]) continue;
            unsigned hops = hops_of(rungs, torus, src, dst);
            farthest = hops > farthest ? hops : farthest;
            route(busy, rungs, torus, src, dst, (double)flow[(size_t)src * ipus + dst]);
        }
    double bytes_per_cycle = arch->link_bits_per_second * arch->link_efficiency / 8 / arch->clock_hz, worst = 0;
    for (unsigned ipu = 0; ipu < 2 * rungs; ipu++)
        for (int kind = 0; kind < LINK_KINDS; kind++)
            worst = fmax(worst, busy[ipu][kind] / (bytes_per_cycle * links[kind]));
    free(busy);
    return (uint64_t)ceil(worst + farthest * HOP_SECONDS * arch->clock_hz);
}
