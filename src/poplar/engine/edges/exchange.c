/* SPDX-License-Identifier: MIT */
/* Who sends what to whom: two region lists walked side by side, cut where a mapping changes tile. Nothing is
 * stored, so a copy that touches two million pairs of tiles costs time only. */
#include "poplar/engine/engine.h"

tw__exchange_walk tw__exchange_begin(const tw__core *core, const tw__regions *src, uint32_t src_tile,
                                     const tw__regions *dst, uint32_t dst_tile, uint64_t first, uint64_t count)
{
    tw__exchange_walk w = { .core = core,
                            .has_src = src,
                            .has_dst = dst,
                            .src_tile = src_tile,
                            .dst_tile = dst_tile,
                            .src_pos = first,
                            .dst_pos = first,
                            .left = count };
    if (src) w.src = tw__region_walk_begin(src, first, first + count);
    if (dst) w.dst = tw__region_walk_begin(dst, first, first + count);
    return w;
}

/* Elements of the run that stay in the mapped interval of its first one; *tile gets its tile. `hint` is the
 * interval found last: walks mostly stay or go to a neighbour. */
static uint64_t in_interval(const tw__core *core, const tw__elems *run, size_t *hint, uint32_t *tile)
{
    const tw__variable *var = &core->vars[run->var];
    uint64_t at = run->offset, begin = 0, end = var->count;
    size_t i = *hint;
    *tile = TW_UNMAPPED;
    bool inside = i < var->mapped_count && var->mapped[i].begin <= at && at < var->mapped[i].end;
    if (!inside && i + 1 < var->mapped_count && var->mapped[i + 1].begin <= at && at < var->mapped[i + 1].end)
        inside = true, i++;
    if (!inside) {
        i = tw__mapped_find(var, at);
        inside = i < var->mapped_count && var->mapped[i].begin <= at;
        if (!inside) { /* a gap */
            end = i < var->mapped_count ? var->mapped[i].begin : var->count;
            begin = i > 0 ? var->mapped[i - 1].end : 0;
        }
    }
    *hint = i;
    if (inside) {
        begin = var->mapped[i].begin;
        end = var->mapped[i].end;
        *tile = var->mapped[i].tile;
    }
    if (core->target->kind == TW_TARGET_CPU) *tile = 0;
    if (run->stride == 0 || run->count == 1) return run->count;
    uint64_t n =
        run->stride > 0 ? (end - at - 1) / (uint64_t)run->stride + 1 : (at - begin) / (uint64_t)-run->stride + 1;
    return n < run->count ? n : run->count;
}

static void exchange_drop(tw__elems *run, uint64_t n)
{
    run->offset += n * (uint64_t)run->stride;
    run->count -= n;
}

bool tw__exchange_next(tw__exchange_walk *w, tw__piece *piece)
{
    if (w->left == 0) return false;
    if (w->has_src && w->s.count == 0 && !tw__region_walk_next(&w->src, &w->s)) return false;
    if (w->has_dst && w->d.count == 0 && !tw__region_walk_next(&w->dst, &w->d)) return false;
    *piece = (tw__piece){ .src_tile = w->src_tile,
                          .dst_tile = w->dst_tile,
                          .src_var = UINT32_MAX,
                          .dst_var = UINT32_MAX,
                          .src = w->src_pos,
                          .dst = w->dst_pos,
                          .src_stride = 1,
                          .dst_stride = 1,
                          .count = w->left };
    if (w->has_src) {
        piece->src_var = w->s.var, piece->src = w->s.offset, piece->src_stride = w->s.stride;
        uint64_t n = in_interval(w->core, &w->s, &w->s_hint, &piece->src_tile);
        if (n < piece->count) piece->count = n;
    }
    if (w->has_dst) {
        piece->dst_var = w->d.var, piece->dst = w->d.offset, piece->dst_stride = w->d.stride;
        uint64_t n = in_interval(w->core, &w->d, &w->d_hint, &piece->dst_tile);
        if (n < piece->count) piece->count = n;
    }
    if (w->has_src) exchange_drop(&w->s, piece->count);
    if (w->has_dst) exchange_drop(&w->d, piece->count);
    w->src_pos += piece->count;
    w->dst_pos += piece->count;
    w->left -= piece->count;
    return true;
}

const tw__regions *tw__edge_regions(const tw__edge *edge, tw__edge_list *room)
{
    if (edge->regions) return edge->regions;
    room->region = (tw__region){
        .var = edge->var, .rank = 1, .offset = edge->offset, .count = edge->count, .dim = { { edge->count, 1 } }
    };
    room->first[0] = 0;
    room->first[1] = edge->count;
    room->list = (tw__regions){
        .refs = 1, .n = edge->count ? 1 : 0, .count = edge->count, .first = room->first, .region = &room->region
    };
    return &room->list;
}
