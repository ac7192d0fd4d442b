/* SPDX-License-Identifier: MIT */
/* What edges point to: into their variable where the data lies there as the field wants it, else to a buffer. Buffers
 * of a compute set belong to it for all of its executions, since the addresses stand in the vertex states; equal and
 * overlapping ranges of one variable share a buffer. */
#include "poplar/engine/place/place.h"

#include <stdlib.h>
#include <string.h>

const tw_storage tw__buffer_storage[TW__BUFFER_KINDS] = { TW_STORAGE_MESSAGE, TW_STORAGE_OUTPUT_EDGE,
                                                          TW_STORAGE_REARRANGEMENT };

/* There may be millions: what the edge and its field say is read from them. */
typedef struct tw__buffer_request {
    uint64_t begin; /* element; of region lists: of the first region */
    uint32_t tile, var, edge;
    uint32_t type; /* in core->types */
    uint16_t field;
    bool list, remote;
    bool alone; /* a constraint may want it apart: it shares no buffer */
} tw__buffer_request;
static_assert(sizeof(tw__buffer_request) == 32, "one for each edge that needs a buffer");

unsigned tw__placement_align(const tw__field *field)
{
    unsigned size = (unsigned)tw_type_size(field->type);
    bool vector = field->form == TW__EDGE_VECTOR || field->form == TW__EDGE_VECTORS;
    return vector && field->min_align > size ? field->min_align : size;
}

/* What a field asks of the memory that its data is in. Vectors are read ahead (guide 7.5.2). */
static uint16_t flags_of(const tw__field *field)
{
    bool vector = field->form == TW__EDGE_VECTOR || field->form == TW__EDGE_VECTORS;
    unsigned interleaved = field->interleaved ? TW__PLACE_INTERLEAVED : 0;
    return (uint16_t)(interleaved | (vector && field->direction != TW__OUTPUT ? TW__PLACE_OVERREAD : 0));
}

bool tw__placement_direct(tw__placement *p, const tw__edge *edge, const tw__field *field, uint32_t tile)
{
    if (!edge->count) return true;
    if (edge->regions) return false;
    uint32_t at = tw__placement_item_of(p, edge->var, edge->offset);
    if (at == TW__NO_PLACE) return false;
    tw__place_item *item = &p->items.items[at];
    uint64_t esize = p->esize[edge->var], offset = (edge->offset - p->begin[at]) * esize;
    unsigned align = tw__placement_align(field);
    if (item->tile != tile || offset + edge->count * esize > item->bytes || offset % align) return false;
    if (item->align < align) item->align = align;
    item->flags |= flags_of(field);
    return true;
}

void tw__placement_want(tw__placement *p, uint32_t edge_index, uint32_t type, uint32_t tile, bool alone,
                        bool remote)
{
    const tw__edge *edge = &p->core->edges[edge_index];
    const tw__field *field = &p->core->types[type].info->fields[edge->field];
    const tw__region *first = edge->regions ? &edge->regions->region[0] : NULL;
    tw__requests *list = &p->requests[field->direction == TW__OUTPUT];
    if (!p->edge_place && !(p->edge_place = tw__calloc(p->edge_count + 1, sizeof *p->edge_place))) p->failed = true;
    if (p->failed || !tw__grow(&list->items, &list->room, list->count, sizeof *list->items)) {
        p->failed = true;
        return;
    }
    list->items[list->count++] = (tw__buffer_request){ .begin = first ? first->offset : edge->offset,
                                                       .tile = tile,
                                                       .var = first ? first->var : edge->var,
                                                       .edge = edge_index,
                                                       .type = type,
                                                       .field = edge->field,
                                                       .list = edge->regions != NULL,
                                                       .remote = remote,
                                                       .alone = alone };
}

#define ORDER(x, y) ((x) < (y) ? -1 : (x) > (y))

/* By place, then by data; nothing depends on where the host keeps anything. */
static int by_data(const void *x, const void *y)
{
    const tw__buffer_request *a = x, *b = y;
    int c = ORDER(a->tile, b->tile);
    if (!c) c = ORDER(a->var, b->var);
    if (!c) c = ORDER(a->list, b->list);
    if (!c) c = ORDER(a->begin, b->begin);
    return c ? c : ORDER(a->edge, b->edge);
}

static bool same_regions(const tw__regions *a, const tw__regions *b)
{
    if (a == b) return true;
    if (a->n != b->n || a->count != b->count) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const tw__region *x = &a->region[i], *y = &b->region[i];
        bool same = x->var == y->var && x->rank == y->rank && x->offset == y->offset && x->count == y->count;
        for (uint32_t d = 0; same && d < x->rank; d++)
            same = x->dim[d].count == y->dim[d].count && x->dim[d].stride == y->dim[d].stride;
        if (!same) return false;
    }
    return true;
}

static const tw__field *field_of(const tw__placement *p, const tw__buffer_request *r)
{
    return &p->core->types[r->type].info->fields[r->field];
}

static uint64_t esize_of(const tw__placement *p, const tw__buffer_request *r)
{
    return tw_target_type_size(p->target, field_of(p, r)->type);
}

/* May `r` lie in the buffer that was begun for `head` and reaches to element `end`? Messages arrive as one run, so
 * ranges side by side share one too. */
static bool shares(const tw__placement *p, const tw__buffer_request *head, uint64_t end,
                   const tw__buffer_request *r)
{
    if (head->tile != r->tile || head->var != r->var || head->list != r->list || head->alone || r->alone ||
        r->begin > end)
        return false;
    const tw__edge *edges = p->core->edges;
    if (head->list) return same_regions(edges[head->edge].regions, edges[r->edge].regions);
    uint64_t esize = esize_of(p, r);
    return esize == esize_of(p, head) &&
           (r->begin - head->begin) * esize % tw__placement_align(field_of(p, r)) == 0;
}

static void point_to(tw__placement *p, const tw__buffer_request *r, uint32_t item, uint64_t offset)
{
    if (!tw__grow(&p->buffers.items, &p->buffers.room, p->buffers.count, sizeof *p->buffers.items)) {
        p->failed = true;
        return;
    }
    p->buffers.items[p->buffers.count++] = (tw__buffer_place){ item, (uint32_t)offset };
    p->edge_place[r->edge] = (uint32_t)p->buffers.count;
}

/* What one more edge asks of its buffer. Buffers begin at a word, so that words written side by side belong to
 * one. */
static void edges_ask(const tw__placement *p, const tw__buffer_request *r, tw__place_item *item)
{
    const tw__field *field = field_of(p, r);
    uint32_t unit = tw_target_atomic_store_granularity(p->target), align = tw__placement_align(field);
    if (align < unit) align = unit;
    if (align > item->align) item->align = align;
    item->flags |= flags_of(field);
    if (field->direction != TW__INPUT) item->last = TW__PHASE_SEND;
    if (r->remote) item->storage = field->direction == TW__OUTPUT ? TW_STORAGE_OUTPUT_EDGE : TW_STORAGE_MESSAGE;
}

/* `first` and `last` of a buffer are phases until account/lives.c sets its lives. */
static void make_buffers(tw__placement *p, tw__requests *requests, bool output, uint32_t exec, const char *name)
{
    tw__buffer_request *list = requests->items;
    size_t count = requests->count;
    bool sorted = true; /* as it is where vertices were made in the order of their data */
    for (size_t i = 1; i < count && sorted; i++) sorted = by_data(&list[i - 1], &list[i]) <= 0;
    if (!sorted) qsort(list, count, sizeof *list, by_data);
    for (size_t i = 0, k; i < count && !p->failed; i = k) {
        tw__place_item item = { .name = *name ? name : "<anon>",
                                .tile = list[i].tile,
                                .align = 1,
                                .first = output ? TW__PHASE_COMPUTE : TW__PHASE_GATHER,
                                .last = output ? TW__PHASE_SEND : TW__PHASE_COMPUTE,
                                .storage = TW_STORAGE_REARRANGEMENT };
        uint64_t end = list[i].begin, esize = esize_of(p, &list[i]);
        uint32_t number = (uint32_t)p->items.count;
        for (k = i; k < count && !p->failed && (k == i || shares(p, &list[i], end, &list[k])); k++) {
            uint64_t last = list[k].begin + p->core->edges[list[k].edge].count;
            if (last > end) end = last;
            edges_ask(p, &list[k], &item);
            point_to(p, &list[k], number, list[k].list ? 0 : (list[k].begin - list[i].begin) * esize);
        }
        item.bytes = (end - list[i].begin) * esize;
        for (unsigned kind = 0; kind < TW__BUFFER_KINDS; kind++)
            if (item.storage == tw__buffer_storage[kind]) p->exec_bytes[exec][kind] += item.bytes;
        tw__placement_add(p, &item);
    }
    requests->count = 0;
}

void tw__placement_buffers(tw__placement *p, uint32_t exec, const char *name)
{
    p->exec_item[exec] = (uint32_t)p->items.count;
    for (int output = 0; output < 2; output++) make_buffers(p, &p->requests[output], output, exec, name);
    p->exec_item_end[exec] = (uint32_t)p->items.count;
}
