/* SPDX-License-Identifier: MIT */
/* What crosses from rank to rank. A copy whose sides have several owners becomes what is local to this rank and, for
 * each peer, a gather into a message and a scatter out of one. Both sides walk the same graph in the same order, so
 * that nothing is negotiated. What vertices need of other ranks comes to its home address: states and pointers are
 * those of one process. */
#include "poplar/engine/plan/lower.h"

#include <stdlib.h>

static tw_status links_no_memory(void)
{
    return tw__fail(TW_E_NO_MEMORY, "no memory for what ranks exchange");
}

static tw__link *link_with(tw__copy *copy, unsigned peer)
{
    tw__links *links = copy->links;
    if (!links && !(links = copy->links = tw__calloc(1, sizeof *links))) return NULL;
    for (size_t i = 0; i < links->count; i++)
        if (links->items[i].peer == peer) return &links->items[i];
    if (!tw__grow(&links->items, &links->room, links->count, sizeof *links->items)) return NULL;
    tw__link *made = &links->items[links->count++];
    *made = (tw__link){ .peer = peer };
    return made;
}

void tw__links_free(tw__links *links)
{
    for (size_t i = 0; links && i < links->count; i++) {
        tw__copy_free(&links->items[i].out);
        tw__copy_free(&links->items[i].in);
    }
    if (links) free(links->items), free(links->out), free(links->in);
    free(links);
}

static int by_peer(const void *a, const void *b)
{
    const tw__link *x = a, *y = b;
    return (x->peer > y->peer) - (x->peer < y->peer);
}

/* A copy is complete: messages in the order of peers. */
tw_status tw__links_finish(tw__links *links)
{
    if (!links) return TW_OK;
    if (links->count) qsort(links->items, links->count, sizeof *links->items, by_peer);
    links->out = tw__calloc(links->count + 1, sizeof *links->out);
    links->in = tw__calloc(links->count + 1, sizeof *links->in);
    if (!links->out || !links->in) return links_no_memory();
    for (size_t i = 0; i < links->count; i++) {
        tw__link *link = &links->items[i];
        tw_status s = tw__copy_finish(&link->out);
        if (!s) s = tw__copy_finish(&link->in);
        if (s) return s;
        tw__wire_part out = { link->peer, (uint32_t)i, link->out_bytes },
                      in = { link->peer, (uint32_t)i, link->in_bytes };
        if (link->out_bytes) links->out[links->outs++] = out;
        if (link->in_bytes) links->in[links->ins++] = in;
    }
    return TW_OK;
}

/* --- copies --------------------------------------------------------------------------------------------------- */

/* A run of elements as a side of a copy: of a variable, or of contiguous memory. */
typedef struct run_side {
    tw__edge_list room;
    tw__side side;
} run_side;

static void run_of(run_side *out, uint32_t var, uint64_t first, int64_t stride, uint64_t count)
{
    if (var == UINT32_MAX) {
        out->side = (tw__side){ .first = first };
        return;
    }
    tw__region *r = &out->room.region;
    *r = (tw__region){ .var = var, .rank = 1, .offset = first, .count = count };
    r->dim[0].count = count, r->dim[0].stride = stride;
    out->room.first[0] = 0, out->room.first[1] = count;
    out->room.list = (tw__regions){ .refs = 1, .n = 1, .count = count, .first = out->room.first, .region = r };
    out->side = (tw__side){ .regions = &out->room.list };
}

static tw_status add_to_message(tw__copy *gather, uint64_t *bytes, const tw__storage *storage, tw__side from,
                                uint64_t count, size_t size)
{
    *bytes = (*bytes + size - 1) / size * size; /* elements of several sizes may share a message */
    tw_status s = tw__copy_add(gather, storage, from, (tw__side){ .first = *bytes / size }, count, size);
    *bytes += count * size;
    return s;
}

static tw_status add_from_message(tw__copy *scatter, uint64_t *bytes, const tw__storage *storage, tw__side to,
                                  uint64_t count, size_t size)
{
    *bytes = (*bytes + size - 1) / size * size;
    tw_status s = tw__copy_add(scatter, storage, (tw__side){ .first = *bytes / size }, to, count, size);
    *bytes += count * size;
    return s;
}

static tw_status split_piece(tw_engine *engine, tw__copy *copy, const tw__piece *p, unsigned from, unsigned to,
                             size_t size)
{
    const tw__storage *storage = &engine->plan.storage;
    unsigned me = engine->ranks.rank;
    run_side src, dst;
    run_of(&src, p->src_var, p->src, p->src_stride, p->count);
    run_of(&dst, p->dst_var, p->dst, p->dst_stride, p->count);
    if (from == to) return from == me ? tw__copy_add(copy, storage, src.side, dst.side, p->count, size) : TW_OK;
    if (!copy->links && !(copy->links = tw__calloc(1, sizeof *copy->links))) return links_no_memory();
    if (from != me && to != me) return TW_OK; /* others talk: all know that the step has messages */
    tw__link *link = link_with(copy, from == me ? to : from);
    if (!link) return links_no_memory();
    return from == me ? add_to_message(&link->out, &link->out_bytes, storage, src.side, p->count, size)
                      : add_from_message(&link->in, &link->in_bytes, storage, dst.side, p->count, size);
}

tw_status tw__copy_between(tw_engine *engine, tw__copy *copy, tw__side src, tw__side dst, uint64_t count,
                           size_t size)
{
    const tw__storage *storage = &engine->plan.storage;
    if (engine->ranks.size < 2) return tw__copy_add(copy, storage, src, dst, count, size);
    unsigned me = engine->ranks.rank;
    uint64_t first = src.regions ? src.first : dst.first;
    bool mine = true, none = true;
    tw__piece p;
    for (int pass = 0; pass < 2; pass++) {
        tw__exchange_walk walk =
            tw__exchange_begin(engine->core, src.regions, TW_UNMAPPED, dst.regions, TW_UNMAPPED, first, count);
        while (tw__exchange_next(&walk, &p)) {
            unsigned from = tw__owner(engine, p.src_tile), to = tw__owner(engine, p.dst_tile);
            if (!src.regions) p.src = p.src - first + src.first;
            if (!dst.regions) p.dst = p.dst - first + dst.first;
            mine = mine && from == me && to == me;
            none = none && from == to && from != me;
            tw_status s = pass ? split_piece(engine, copy, &p, from, to, size) : TW_OK;
            if (s) return s;
        }
        if (pass == 0 && mine)
            return tw__copy_add(copy, storage, src, dst, count, size); /* as few blocks as ever */
        if (pass == 0 && none) return TW_OK;
    }
    return TW_OK;
}

/* --- what vertices need, and what they write ------------------------------------------------------------------- */

typedef TW__LIST(tw__span) span_list;

typedef struct ghosts {
    tw_engine *engine;
    span_list *out, *in; /* [ranks] */
    bool any;            /* of any two ranks */
} ghosts;

static bool ghosts_add(span_list *list, const tw__piece *p)
{
    bool dense = p->src_stride == 1 || p->count == 1;
    for (uint64_t i = 0; i < (dense ? 1 : p->count); i++) {
        if (!tw__grow(&list->items, &list->room, list->count, sizeof *list->items)) return false;
        uint64_t at = p->src + i * (uint64_t)p->src_stride;
        list->items[list->count++] = (tw__span){ p->src_var, at, at + (dense ? p->count : 1) };
    }
    return true;
}

static int span_order(const void *a, const void *b)
{
    const tw__span *x = a, *y = b;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Sorted, and each element once. */
static void ghosts_merge(span_list *list)
{
    size_t kept = 0;
    if (list->count) qsort(list->items, list->count, sizeof *list->items, span_order);
    for (size_t i = 0; i < list->count; i++) {
        tw__span s = list->items[i], *last = kept ? &list->items[kept - 1] : NULL;
        if (last && last->var == s.var && s.begin <= last->end)
            last->end = s.end > last->end ? s.end : last->end;
        else
            list->items[kept++] = s;
    }
    list->count = kept;
}

static tw_status ghosts_of_edge(ghosts *g, uint32_t tile, const tw__edge *edge)
{
    unsigned me = g->engine->ranks.rank, user = tw__owner(g->engine, tile);
    tw__edge_list room;
    const tw__regions *list = tw__edge_regions(edge, &room);
    tw__exchange_walk walk = tw__exchange_begin(g->engine->core, list, TW_UNMAPPED, NULL, tile, 0, list->count);
    tw__piece p;
    while (tw__exchange_next(&walk, &p)) {
        unsigned home = tw__owner(g->engine, p.src_tile);
        if (home == user) continue;
        g->any = true;
        if (user == me && !ghosts_add(&g->in[home], &p)) return links_no_memory();
        if (home == me && !ghosts_add(&g->out[user], &p)) return links_no_memory();
    }
    return TW_OK;
}

static tw_status link_spans(tw_engine *engine, tw__link *link, const span_list *list, bool out)
{
    tw_status s = TW_OK;
    for (size_t i = 0; i < list->count && !s; i++) {
        const tw__span *span = &list->items[i];
        size_t size = engine->plan.storage.size[span->var];
        run_side side;
        run_of(&side, span->var, span->begin, 1, span->end - span->begin);
        s = out ? add_to_message(&link->out, &link->out_bytes, &engine->plan.storage, side.side,
                                 span->end - span->begin, size)
                : add_from_message(&link->in, &link->in_bytes, &engine->plan.storage, side.side,
                                   span->end - span->begin, size);
    }
    return s;
}

/* Of the vertices of a compute set: all edges, or those that are written. */
static tw_status ghosts_collect(ghosts *g, uint32_t cs, bool written)
{
    const tw__core *core = g->engine->core;
    size_t count;
    const uint32_t *list = tw__compute_set_vertices(g->engine->core, cs, &count);
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &core->vertices[list[i]];
        const tw__vertex_type *type = core->types[v->type].info;
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            if (written && type->fields[edge->field].direction == TW__INPUT) continue;
            tw_status s = ghosts_of_edge(g, v->tile == TW_UNMAPPED ? 0 : v->tile, edge);
            if (s) return s;
        }
    }
    for (unsigned r = 0; r < g->engine->ranks.size; r++) ghosts_merge(&g->in[r]), ghosts_merge(&g->out[r]);
    return TW_OK;
}

/* `copy` moves what the lists say; of what is written the way back. */
static tw_status ghosts_link(ghosts *g, tw__copy *copy, bool back)
{
    tw_status s = TW_OK;
    if (g->any && !(copy->links = tw__calloc(1, sizeof *copy->links))) return links_no_memory();
    for (unsigned r = 0; r < g->engine->ranks.size && !s; r++) {
        const span_list *out = back ? &g->in[r] : &g->out[r], *in = back ? &g->out[r] : &g->in[r];
        if (!out->count && !in->count) continue;
        tw__link *link = link_with(copy, r);
        if (!link) return links_no_memory();
        s = link_spans(g->engine, link, out, true);
        if (!s) s = link_spans(g->engine, link, in, false);
    }
    return s ? s : tw__copy_finish(copy);
}

tw_status tw__link_compute_set(tw_engine *engine, uint32_t cs, tw__exec *exec)
{
    unsigned ranks = engine->ranks.size;
    if (ranks < 2) return TW_OK;
    tw_status s = TW_OK;
    for (int back = 0; back < 2 && !s; back++) {
        ghosts g = { .engine = engine,
                     .out = tw__calloc(ranks, sizeof *g.out),
                     .in = tw__calloc(ranks, sizeof *g.in) };
        s = g.out && g.in ? ghosts_collect(&g, cs, back) : links_no_memory();
        if (!s) s = ghosts_link(&g, back ? &exec->bring : &exec->fetch, back);
        for (unsigned r = 0; r < ranks && g.out && g.in; r++) free(g.out[r].items), free(g.in[r].items);
        free(g.out), free(g.in);
    }
    return s;
}
