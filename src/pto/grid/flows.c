/* SPDX-License-Identifier: MIT */
/* flows: how many bytes cores have had from one another through FIFOs and by GMOV, which a profile shows as pairs.
 * Counted where the bytes arrive. */
#include "pto/grid/grid.h"

void tw__flow_add(tw_pto *core, const tw_pto *from, unsigned fifo, uint64_t bytes)
{
    tw__seat *seat = core->seat;
    if (!core->tally || !seat || !from || from == core || !bytes) return;
    size_t i = 0;
    while (i < seat->flow_count && !(seat->flows[i].from == from && seat->flows[i].fifo == fifo)) i++;
    if (i == seat->flow_count) {
        if (!tw__grow(&seat->flows, &seat->flow_room, i, sizeof *seat->flows)) {
            core->cost_lost = true;
            return;
        }
        seat->flows[seat->flow_count++] = (struct tw__flow){ .from = from, .fifo = (unsigned char)fifo };
    }
    seat->flows[i].bytes += bytes;
    seat->flows[i].messages++;
}

void tw__flow_popped(tw__pto_call *call, const tw__queue *q, const tw__queue_slot *slot, uint64_t elements)
{
    tw_pto *core = call->core;
    bool split = slot->split != TW_PTO_SPLIT_NONE, down = q->as.direction == TW_PTO_CUBE_TO_VECTOR;
    uint64_t bits = elements * tw_type_get(slot->type)->bits;
    unsigned parts = !down && split ? (unsigned)__builtin_popcount(q->producers) : 1;
    /* Without a split all vector cores push the same tile, and that of the first counts. */
    for (unsigned c = 0, left = parts; c < TW__BLOCK_CORES && left; c++) {
        if (!(q->producers >> c & 1)) continue;
        tw__flow_add(core, tw__pto_mate(core, c), q->as.id, (bits / parts + 7) / 8);
        left--;
    }
}

void tw__flow_record(tw_pto *const *cores, unsigned count, tw_profile *p)
{
    for (unsigned to = 0; to < count; to++) {
        const tw__seat *seat = cores[to]->seat;
        for (size_t i = 0; seat && i < seat->flow_count; i++) {
            const struct tw__flow *f = &seat->flows[i];
            char name[32] = "GMOV";
            unsigned from = 0;
            while (from < count && cores[from] != f->from) from++;
            if (from == count) continue;
            if (f->fifo != TW__NO_ID) snprintf(name, sizeof name, "FIFO %u", f->fifo);
            tw__profile_add_pair(p, TW__EXCHANGE_INTERNAL, TW__NONE, from, to, f->bytes, f->messages);
            tw__profile_name_pair(p, name);
        }
    }
}
