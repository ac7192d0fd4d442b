/* What edges point to: into their variable where the data lies there as the field wants it, else to a buffer. Buffers of a
 * compute set belong to it for all of its executions, since the addresses stand in the vertex states; equal and
 * overlapping ranges of one variable share a buffer. */
#include "engine/place.h"

#include <stdlib.h>
#include <string.h>

typedef struct tw__buffer_request {
    const tw__regions *regions; /* NULL: one run */
    uint64_t begin, end;        /* elements; of region lists: of the first region, and begin + count */
    uint32_t tile, var, edge, align;
    uint16_t storage, flags;
    uint8_t esize;
    bool output, alone; /* alone: a constraint may want it apart, it shares no buffer */
} tw__buffer_request;

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
    uint64_t esize = tw_target_type_size(p->target, p->core->vars[edge->var].type);
    uint64_t offset = (edge->offset - p->begin[at]) * esize;
    unsigned align = tw__placement_align(field);
    if (item->tile != tile || offset + edge->count * esize > item->bytes || offset % align) return false;
    if (item->align < align) item->align = align;
    item->flags |= flags_of(field);
    return true;
}

void tw__placement_want(tw__placement *p, uint32_t edge_index, const tw__field *field, uint32_t tile, bool alone,
                        bool remote)
{
    const tw__edge *edge = &p->core->edges[edge_index];
    const tw__region *first = edge->regions ? &edge->regions->region[0] : NULL;
    if (!p->edge_place && !(p->edge_place = tw__calloc(p->edge_count + 1, sizeof *p->edge_place))) p->failed = true;
    if (p->failed ||
        !tw__grow(&p->requests.items, &p->requests.room, p->requests.count, sizeof *p->requests.items)) {
        p->failed = true;
        return;
    }
    bool output = field->direction == TW__OUTPUT;
    uint64_t begin = first ? first->offset : edge->offset;
    p->requests.items[p->requests.count++] = (tw__buffer_request){
        .regions = edge->regions,
        .begin = begin,
        .end = begin + edge->count,
        .tile = tile,
        .var = first ? first->var : edge->var,
        .edge = edge_index,
        .align = tw__placement_align(field),
        .storage = (uint16_t)(!remote  ? TW_STORAGE_REARRANGEMENT
                              : output ? TW_STORAGE_OUTPUT_EDGE
                                       : TW_STORAGE_MESSAGE),
        .flags = flags_of(field),
        .esize = (uint8_t)tw_target_type_size(p->target, field->type),
        .output = output,
        .alone = alone,
    };
}

#define ORDER(x, y) ((x) < (y) ? -1 : (x) > (y))

/* By place, then by data; nothing depends on where the host keeps anything. */
static int by_data(const void *x, const void *y)
{
    const tw__buffer_request *a = x, *b = y;
    int c = ORDER(a->tile, b->tile);
    if (!c) c = ORDER(a->output, b->output);
    if (!c) c = ORDER(a->var, b->var);
    if (!c) c = ORDER(a->regions != NULL, b->regions != NULL);
    if (!c) c = ORDER(a->begin, b->begin);
    if (!c) c = ORDER(a->end, b->end);
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

/* May `r` lie in the buffer that was begun for `head` and reaches to `end`? */
static bool shares(const tw__buffer_request *head, uint64_t end, const tw__buffer_request *r)
{
    if (head->tile != r->tile || head->output != r->output || head->var != r->var || head->esize != r->esize ||
        head->alone || r->alone || !head->regions != !r->regions)
        return false;
    if (head->regions) return same_regions(head->regions, r->regions);
    return r->begin < end && (r->begin - head->begin) * r->esize % r->align == 0;
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

/* Buffers begin at a word, so that words written side by side belong to one buffer. */
static uint32_t buffer_align(const tw__placement *p, const tw__buffer_request *r)
{
    uint32_t unit = tw_target_atomic_store_granularity(p->target);
    return r->align > unit ? r->align : unit;
}

void tw__placement_buffers(tw__placement *p, uint32_t exec, const char *name)
{
    tw__buffer_request *list = p->requests.items;
    size_t count = p->requests.count;
    p->exec_item[exec] = (uint32_t)p->items.count;
    if (count > 1) qsort(list, count, sizeof *list, by_data);
    for (size_t i = 0, k; i < count && !p->failed; i = k) {
        tw__place_item item = { .name = *name ? name : "<anon>",
                                .tile = list[i].tile,
                                .align = buffer_align(p, &list[i]),
                                .last = TW__PLACE_ALWAYS,
                                .storage = list[i].storage,
                                .flags = list[i].flags };
        uint64_t end = list[i].end;
        uint32_t number = (uint32_t)p->items.count;
        point_to(p, &list[i], number, 0);
        for (k = i + 1; k < count && shares(&list[i], end, &list[k]) && !p->failed; k++) {
            if (list[k].end > end) end = list[k].end;
            if (buffer_align(p, &list[k]) > item.align) item.align = buffer_align(p, &list[k]);
            if (list[k].storage == TW_STORAGE_MESSAGE || list[k].storage == TW_STORAGE_OUTPUT_EDGE)
                item.storage = list[k].storage;
            item.flags |= list[k].flags;
            point_to(p, &list[k], number, (list[k].begin - list[i].begin) * list[k].esize);
        }
        item.bytes = (end - list[i].begin) * list[i].esize;
        if (item.storage == TW_STORAGE_MESSAGE) p->exec_messages[exec] += item.bytes;
        tw__placement_add(p, &item);
    }
    p->exec_item_end[exec] = (uint32_t)p->items.count;
    p->requests.count = 0;
}

void tw__placement_executed(tw__placement *p, uint32_t exec, uint32_t step, bool first)
{
    if (first) p->exec_first[exec] = p->exec_last[exec] = step;
    if (step < p->exec_first[exec]) p->exec_first[exec] = step;
    if (step > p->exec_last[exec]) p->exec_last[exec] = step;
}
