/* SPDX-License-Identifier: MIT */
/* Life of a placement, and its first objects: each mapped interval of a variable, cut where constraints want it. */
#include "poplar/engine/place/place.h"

#include <stdlib.h>
#include <string.h>

void tw__placement_free(tw__placement *p)
{
    if (!p) return;
    free(p->items.items), free(p->pairs.items), free(p->var_first), free(p->begin), free(p->edge_place);
    free(p->buffers.items), free(p->requests[0].items), free(p->requests[1].items), free(p->groups.items),
        free(p->esize), free(p->exec_group), free(p->exec_item);
    free(p->exec_item_end), free(p->exec_bytes), free(p->by_tile), free(p->worker_stack), free(p->stack_item);
    free(p->conflict), free(p);
}

uint32_t tw__placement_add(tw__placement *p, const tw__place_item *item)
{
    if (p->items.count >= UINT32_MAX - 1 ||
        !tw__grow(&p->items.items, &p->items.room, p->items.count, sizeof *p->items.items)) {
        p->failed = true;
        return 0;
    }
    p->items.items[p->items.count] = *item;
    return (uint32_t)p->items.count++;
}

static bool objects_holds(const tw__placement *p, uint32_t item, uint32_t var, uint64_t element)
{
    return p->begin[item] <= element && (element - p->begin[item]) * p->esize[var] < p->items.items[item].bytes;
}

uint32_t tw__placement_item_of(tw__placement *p, uint32_t var, uint64_t element)
{
    size_t slot = var % (sizeof p->hint / sizeof *p->hint);
    if (var >= p->var_count) return TW__NO_PLACE;
    uint32_t low = p->var_first[var], high = p->var_first[var + 1];
    if (low == high || p->begin[low] > element) return TW__NO_PLACE;
    if (p->hint[slot].var == var && p->hint[slot].item >= low && p->hint[slot].item < high &&
        objects_holds(p, p->hint[slot].item, var, element))
        return p->hint[slot].item;
    while (high - low > 1) { /* the last item that begins at or before the element */
        uint32_t middle = low + (high - low) / 2;
        if (p->begin[middle] <= element)
            low = middle;
        else
            high = middle;
    }
    p->hint[slot].var = var, p->hint[slot].item = low;
    return objects_holds(p, low, var, element) ? low : TW__NO_PLACE;
}

/* Variables begin at 8 bytes where they are that long, so that 64-bit accesses serve them; else at a unit of atomic
 * stores, so that vertices that write neighbours do not touch each other's words. */
static uint32_t variable_align(const tw_target *target, uint64_t bytes, uint64_t esize)
{
    uint32_t unit = tw_target_atomic_store_granularity(target);
    uint32_t least = esize > unit ? (uint32_t)esize : unit;
    return bytes >= 8 && least < 8 ? 8 : least;
}

static void add_variable(tw__placement *p, uint32_t var, const tw__cuts *cuts, size_t *cut)
{
    const tw__variable *v = &p->core->vars[var];
    uint64_t esize = tw_target_type_size(p->target, v->type);
    p->esize[var] = (uint8_t)esize;
    p->var_first[var] = (uint32_t)p->items.count;
    for (size_t m = 0; m < v->mapped_count && !p->failed; m++) {
        uint64_t begin = v->mapped[m].begin, end;
        for (; begin < v->mapped[m].end && !p->failed; begin = end) {
            while (*cut < cuts->count && (cuts->items[*cut].var < var ||
                                          (cuts->items[*cut].var == var && cuts->items[*cut].element <= begin)))
                ++*cut;
            end = v->mapped[m].end;
            if (*cut < cuts->count && cuts->items[*cut].var == var && cuts->items[*cut].element < end)
                end = cuts->items[*cut].element;
            uint64_t bytes = (end - begin) * esize;
            p->begin[p->items.count] = begin;
            tw__placement_add(
                p, &(tw__place_item){ .name = v->is_constant && !*v->name ? "<const>"
                                              : *v->name                  ? v->name
                                                                          : "<anon>",
                                      .tile = v->mapped[m].tile,
                                      .bytes = bytes,
                                      .align = variable_align(p->target, bytes, esize),
                                      .last = TW__PLACE_ALWAYS,
                                      .storage = v->is_constant ? TW_STORAGE_CONSTANT : TW_STORAGE_VARIABLE });
        }
    }
}

static void objects_add_variables(tw__placement *p, const tw__cuts *cuts)
{
    size_t intervals = cuts->count, cut = 0;
    for (size_t v = 0; v < p->var_count; v++) intervals += p->core->vars[v].mapped_count;
    size_t bytes;
    bool small =
        tw__mul_size(intervals + 1, sizeof *p->items.items, &bytes); /* there may be millions: no growing */
    p->begin = tw__calloc(intervals + 1, sizeof *p->begin);
    p->items.items = small ? tw__realloc(NULL, bytes) : NULL;
    p->items.room = p->items.items ? intervals + 1 : 0;
    if (!p->begin || !p->items.items) p->failed = true;
    for (uint32_t v = 0; v < p->var_count && !p->failed; v++) add_variable(p, v, cuts, &cut);
    p->var_first[p->var_count] = (uint32_t)p->items.count;
}

tw__placement *tw__placement_new(const tw_engine *engine)
{
    tw__placement *p = tw__calloc(1, sizeof *p);
    if (!p) return NULL;
    *p = (tw__placement){ .core = engine->core,
                          .target = engine->target,
                          .tiles = tw_target_tiles(engine->target),
                          .var_count = engine->core->var_count,
                          .edge_count = engine->core->edge_count,
                          .execs = engine->plan.execs.count };
    p->var_first = tw__calloc(p->var_count + 1, sizeof *p->var_first);
    p->esize = tw__calloc(p->var_count + 1, sizeof *p->esize);
    p->exec_group = tw__calloc(p->execs + 1, sizeof *p->exec_group);
    p->exec_item = tw__calloc(p->execs + 1, sizeof *p->exec_item);
    p->exec_item_end = tw__calloc(p->execs + 1, sizeof *p->exec_item_end);
    p->exec_bytes = tw__calloc(p->execs + 1, sizeof *p->exec_bytes);
    p->by_tile = tw__calloc(p->tiles + (size_t)1, sizeof *p->by_tile);
    p->worker_stack = tw__calloc(p->tiles + (size_t)1, sizeof *p->worker_stack);
    p->stack_item = tw__calloc(p->tiles + (size_t)1, sizeof *p->stack_item);
    bool ok = p->worker_stack && p->stack_item && p->var_first && p->esize && p->exec_group && p->exec_item &&
              p->exec_item_end && p->exec_bytes && p->by_tile;
    if (ok) memset(p->exec_group, 0xff, p->execs * sizeof *p->exec_group);
    tw__cuts cuts = ok ? tw__placement_cuts(engine) : (tw__cuts){ .failed = true };
    if (!cuts.failed) objects_add_variables(p, &cuts);
    if (cuts.failed || p->failed) {
        tw__placement_free(p);
        p = NULL;
    }
    free(cuts.items);
    return p;
}

/* --- placing -------------------------------------------------------------------------------------------------- */

tw_status tw__placement_run(tw__placement *p)
{
    if (p->placed) return TW_OK;
    tw_status status = tw__place(&p->target->arch, p->tiles, p->items.items, p->items.count, p->pairs.items,
                                 p->pairs.count, p->by_tile);
    bool done = status == TW_OK || status == TW_E_TILE_MEMORY || status == TW_E_ELEM_CONSTRAINTS;
    if (!done) return status;
    p->placed = true;
    p->status = status;
    return TW_OK;
}
