/* SPDX-License-Identifier: MIT */
/* What the workers of one tile do in a compute set, vertex by vertex, as the model of cycles.c has it: a worker takes
 * its turn every contexts-th cycle, vertices that need the whole tile come behind the others. */
#include "poplar/engine/account/account.h"

#include <string.h>

enum { MOST_VERTICES = 240 }; /* of a tile in one step; of more the sums are enough */

static bool add_work(tw__accounting *a, uint32_t worker, uint32_t type, uint64_t from, uint64_t to)
{
    if (!tw__grow(&a->work.items, &a->work.room, a->work.count, sizeof *a->work.items)) {
        a->failed = true;
        return false;
    }
    a->work.items[a->work.count++] = (tw__work){ worker, tw__account_type(a, type), from, to };
    return true;
}

void tw__account_work(tw__accounting *a, const uint32_t *vertices, size_t count, unsigned tile)
{
    size_t here = 0;
    bool modelled;
    uint64_t *loads = &a->workers.load[(size_t)tile * a->workers.contexts], behind = a->row[tile];
    a->work.count = 0;
    memset(loads, 0, a->workers.contexts * sizeof *loads);
    for (size_t i = 0; i < count; i++) here += a->core->vertices[vertices[i]].tile == tile;
    if (here > MOST_VERTICES) return;
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &a->core->vertices[vertices[i]];
        if (v->tile == tile && a->core->types[v->type].info->kind != TW__VERTEX)
            behind -= tw__vertex_cycles(a->core, vertices[i], &modelled).cycles;
    }
    for (size_t i = 0; i < count && !a->failed; i++) {
        const tw__vertex *v = &a->core->vertices[vertices[i]];
        if (v->tile != tile) continue;
        uint64_t cycles = tw__vertex_cycles(a->core, vertices[i], &modelled).cycles;
        if (a->core->types[v->type].info->kind != TW__VERTEX) {
            if (add_work(a, TW__NONE, v->type, behind, behind + cycles)) behind += cycles;
            continue;
        }
        unsigned worker = tw__workers_next(&a->workers, tile), turns = a->workers.contexts;
        add_work(a, worker, v->type, loads[worker] * turns, (loads[worker] + cycles) * turns);
        loads[worker] += cycles;
    }
}
