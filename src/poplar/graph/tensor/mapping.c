/* SPDX-License-Identifier: MIT */
/* Tile mapping: sorted disjoint intervals per variable.
 *
 * Programs map in order, so an interval beyond the last one is appended at once. Anything else goes to a log
 * which is merged (mapping_merge.c) before the mapping is read, or when it has outgrown what it would be merged into:
 * a mapping of n intervals in any order costs O(n log n). */
#include "poplar/graph/replicas.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECT = 64 }; /* intervals that are cheaper to move than to log */

size_t tw__mapped_find(const tw__variable *variable, uint64_t element)
{
    size_t low = 0, high = variable->mapped_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (variable->mapped[mid].end <= element)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint64_t tw__mapping_gap(const tw__variable *variable, uint64_t begin, uint64_t end)
{
    for (size_t i = tw__mapped_find(variable, begin); begin < end; i++) {
        if (i == variable->mapped_count || variable->mapped[i].begin > begin) return begin;
        begin = variable->mapped[i].end;
    }
    return end;
}

/* --- adding --------------------------------------------------------------------------------------------------- */

/* Replaces [begin, end) in place; room for two more intervals is there. */
static void insert(tw__variable *v, uint64_t begin, uint64_t end, uint32_t tile)
{
    size_t i = tw__mapped_find(v, begin), j = i, n = 0;
    tw__mapped fresh[3], *m = v->mapped;
    /* A neighbour on the same tile joins. */
    if (i && m[i - 1].end == begin && m[i - 1].tile == tile) i--;
    if (i < v->mapped_count && m[i].begin < begin) {
        if (m[i].tile == tile)
            begin = m[i].begin;
        else
            fresh[n++] = (tw__mapped){ m[i].begin, begin, m[i].tile };
    }
    while (j < v->mapped_count && m[j].begin < end) j++;
    uint64_t stop = end;
    if (j > i && m[j - 1].end > end && m[j - 1].tile == tile) stop = m[j - 1].end;
    if (j < v->mapped_count && m[j].begin == end && m[j].tile == tile) stop = m[j++].end;
    fresh[n++] = (tw__mapped){ begin, stop, tile };
    if (j > i && m[j - 1].end > stop) fresh[n++] = (tw__mapped){ stop, m[j - 1].end, m[j - 1].tile };
    memmove(m + i + n, m + j, (v->mapped_count - j) * sizeof *m);
    memcpy(m + i, fresh, n * sizeof *m);
    v->mapped_count += n - (j - i);
}

static bool log_rows(tw__variable *v, tw__mapped_rows rows)
{
    if (!tw__grow(&v->pending, &v->pending_room, v->pending_count, sizeof *v->pending)) return false;
    v->pending[v->pending_count++] = rows;
    v->pending_intervals += rows.rows;
    return true;
}

/* The log is merged when it has outgrown the mapping: the cost of merging stays in proportion. */
static bool keep_short(tw__variable *v)
{
    return v->pending_intervals <= v->mapped_count + 4096 || tw__mapping_settle(v);
}

/* One interval; on failure nothing has changed. */
static bool mapping_add(tw__variable *v, uint64_t begin, uint64_t end, uint32_t tile)
{
    if (!v->pending_count) {
        tw__mapped *last = v->mapped_count ? &v->mapped[v->mapped_count - 1] : NULL;
        bool after = !last || last->end <= begin;
        if (after && last && last->tile == tile && last->end == begin) {
            last->end = end;
            return true;
        }
        if (after || v->mapped_count <= DIRECT) {
            if (!tw__grow(&v->mapped, &v->mapped_room, v->mapped_count + 1, sizeof *v->mapped)) return false;
            if (after)
                v->mapped[v->mapped_count++] = (tw__mapped){ begin, end, tile };
            else
                insert(v, begin, end, tile);
            return true;
        }
    }
    return keep_short(v) && log_rows(v, (tw__mapped_rows){ begin, end - begin, 0, 1, tile });
}

/* Elements of dims in ascending order of address; the two innermost dims are rows of a run each. */
static bool log_dims(tw__variable *v, uint64_t offset, const tw__dim *dims, unsigned n, uint32_t tile)
{
    bool run = n && dims[n - 1].stride == 1;
    if (n <= 1u + run) {
        tw__mapped_rows rows = { offset, run ? dims[n - 1].count : 1, 0, 1, tile };
        if (n > run) rows.stride = (uint64_t)dims[0].stride, rows.rows = dims[0].count;
        return log_rows(v, rows);
    }
    for (uint64_t i = 0; i < dims[0].count; i++)
        if (!log_dims(v, offset + i * (uint64_t)dims[0].stride, dims + 1, n - 1, tile)) return false;
    return true;
}

static bool log_region(tw__core *core, const tw__region *r, uint32_t tile)
{
    tw__dim dims[4];
    uint64_t offset = r->offset;
    bool repeats = false;
    memcpy(dims, r->dim, sizeof dims);
    unsigned n = tw__dims_sort(dims, r->count == 1 ? 0 : r->rank, &offset, &repeats);
    return log_dims(&core->vars[r->var], offset, dims, n, tile);
}

typedef struct range {
    uint64_t begin, end; /* elements of the tensor */
    uint32_t tile;       /* top-level */
} range;

static bool log_range(tw__core *core, const tw__regions *list, range r)
{
    tw__builder b = { 0 };
    if (r.begin == 0 && r.end == list->count) {
        for (uint32_t i = 0; i < list->n; i++)
            if (!log_region(core, &list->region[i], r.tile)) return false;
        return true;
    }
    tw__builder_range(&b, list, r.begin, r.end);
    bool done = !b.failed;
    for (size_t i = 0; i < b.n && done; i++) done = log_region(core, &b.region[i], r.tile);
    tw__builder_drop(&b);
    return done;
}

/* Maps all ranges, or none with an error. */
static bool map_ranges(tw__core *core, const tw__node *t, size_t n, const range *ranges)
{
    uint32_t var;
    uint64_t offset, count;
    if (n == 1 && tw__node_run(t, &var, &offset, &count)) {
        bool empty = ranges->begin == ranges->end;
        return empty || mapping_add(&core->vars[var], offset + ranges->begin, offset + ranges->end, ranges->tile) ||
               tw__graph_no_memory(core);
    }
    bool whole = n == 1 && ranges->begin == 0 && ranges->end == tw__node_count(t);
    tw__regions *list = whole ? tw__node_elements(core, t) : tw__node_regions(core, t);
    if (!list) return false;
    for (uint32_t i = 0; i < list->n; i++)
        if (!keep_short(&core->vars[list->region[i].var])) return tw__graph_no_memory(core);
    size_t(*before)[2] = tw__realloc(NULL, (list->n + 1) * sizeof *before);
    bool done = before != NULL;
    for (uint32_t i = 0; i < list->n && done; i++) {
        const tw__variable *v = &core->vars[list->region[i].var];
        before[i][0] = v->pending_count, before[i][1] = v->pending_intervals;
    }
    for (size_t i = 0; i < n && done; i++) done = log_range(core, list, ranges[i]);
    for (uint32_t i = 0; i < list->n && before && !done; i++) {
        tw__variable *v = &core->vars[list->region[i].var];
        v->pending_count = before[i][0], v->pending_intervals = before[i][1];
    }
    free(before);
    return done || tw__graph_no_memory(core);
}

/* The name of the tensor costs more than all else: it is made when the tile is wrong. */
static bool mapping_tile(const tw_graph *graph, const tw__node *t, unsigned tile, uint32_t *top)
{
    char text[TW__TEXT_BYTES] = "";
    if (tile >= graph->target->tiles) tw__node_text(graph->core, t, text, sizeof text);
    return tw__tile_to_top(graph, tile, text, top);
}

/* --- public calls --------------------------------------------------------------------------------------------- */

void tw_graph_map(tw_graph *graph, tw_tensor tensor, unsigned tile)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA_TENSOR(graph, i, one, tensor, part, tw_graph_map(one, part, tile));
    const tw__node *t = tw__node_get(graph->core, tensor, "the tensor to map");
    range r = { 0 };
    if (!t || !mapping_tile(graph, t, tile, &r.tile)) return;
    r.end = tw__node_count(t);
    map_ranges(graph->core, t, 1, &r);
}

void tw_graph_map_range(tw_graph *graph, tw_tensor tensor, uint64_t first, uint64_t count, unsigned tile)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA_TENSOR(graph, i, one, tensor, part, tw_graph_map_range(one, part, first, count, tile));
    const tw__node *t = tw__node_get(graph->core, tensor, "the tensor to map");
    range r = { .begin = first };
    if (!t || !mapping_tile(graph, t, tile, &r.tile)) return;
    if (__builtin_add_overflow(first, count, &r.end) || r.end > tw__node_count(t)) {
        char text[TW__TEXT_BYTES];
        tw__node_text(graph->core, t, text, sizeof text);
        tw__graph_fail(graph->core, TW_E_INDEX, "mapping of %llu elements from %llu is out of range: %s has %llu",
                       (unsigned long long)count, (unsigned long long)first, text,
                       (unsigned long long)tw__node_count(t));
        return;
    }
    map_ranges(graph->core, t, 1, &r);
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Equal ranges in tile order from first_tile on, going round past the last tile. */
static void map_linearly(tw_graph *graph, const tw__node *t, uint64_t minimum, uint64_t grain, unsigned first_tile)
{
    unsigned tiles = graph->target->tiles;
    uint64_t count = tw__node_count(t), grains = ceil_div(count, grain), per_tile = ceil_div(grains, tiles);
    if (per_tile < ceil_div(minimum, grain)) per_tile = ceil_div(minimum, grain);
    if (count == 0) return;
    uint64_t step = per_tile * grain;
    size_t n = ceil_div(count, step);
    range *ranges = tw__realloc(NULL, n * sizeof *ranges);
    if (!ranges) {
        tw__graph_no_memory(graph->core);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned tile = (unsigned)((first_tile + i) % tiles);
        uint64_t end = (i + 1) * step;
        ranges[i] = (range){ i * step, end < count ? end : count, graph->to_top ? graph->to_top[tile] : tile };
    }
    map_ranges(graph->core, t, n, ranges);
    free(ranges);
}

void tw_graph_map_linearly(tw_graph *graph, tw_tensor tensor)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA_TENSOR(graph, i, one, tensor, part, tw_graph_map_linearly(one, part));
    const tw__node *t = tw__node_get(graph->core, tensor, "the tensor to map");
    if (!t) return;
    /* Spec poplar.md 7.2: grain = elements of one 8-byte access, at least 128 bytes on a tile. */
    size_t bytes = tw_target_type_size(graph->target, t->t.type);
    if (!bytes) bytes = 1;
    map_linearly(graph, t, ceil_div(128, bytes), bytes < 8 ? 8 / bytes : 1, 0);
}

void tw_graph_map_linearly_with(tw_graph *graph, tw_tensor tensor, unsigned min_elements_per_tile,
                                unsigned grain_size, unsigned first_tile)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA_TENSOR(graph, i, one, tensor, part,
                            tw_graph_map_linearly_with(one, part, min_elements_per_tile, grain_size, first_tile));
    uint32_t top;
    char text[TW__TEXT_BYTES];
    const tw__node *t = tw__node_get(graph->core, tensor, "the tensor to map");
    if (!t || !tw__tile_to_top(graph, first_tile, tw__node_text(graph->core, t, text, sizeof text), &top)) return;
    if (grain_size == 0) {
        tw__graph_fail(graph->core, TW_E_INVALID_ARGUMENT, "mapping of %s in grains of 0 elements: 1 is the least",
                       text);
        return;
    }
    map_linearly(graph, t, min_elements_per_tile, grain_size, first_tile);
}

/* --- reading -------------------------------------------------------------------------------------------------- */

typedef struct reading {
    const tw_graph *graph;
    tw_mapped_interval *out, last;
    size_t room, n;
    uint64_t mapped; /* elements that have a tile, inside this graph or not */
} reading;

static void flush(reading *r)
{
    if (r->last.interval.begin == r->last.interval.end) return;
    if (r->n < r->room) r->out[r->n] = r->last;
    r->n++;
    r->last.interval.begin = r->last.interval.end;
}

static void mapping_found(reading *r, uint64_t begin, uint64_t end, uint32_t top)
{
    uint32_t tile = r->graph->from_top ? r->graph->from_top[top] : top;
    r->mapped += end - begin;
    if (tile == TW_UNMAPPED) return;
    if (r->last.interval.end != begin || r->last.tile != tile) {
        flush(r);
        r->last = (tw_mapped_interval){ { begin, begin }, tile };
    }
    r->last.interval.end = end;
}

/* Elements at, at + 1, ... of the tensor are run `e`: all that share an interval of the mapping go together. */
static void read_run(reading *r, const tw__variable *v, tw__elems e, uint64_t at)
{
    size_t i = tw__mapped_find(v, e.offset);
    while (e.count) {
        if (i >= v->mapped_count || v->mapped[i].end <= e.offset || (i && v->mapped[i - 1].end > e.offset)) {
            i = tw__mapped_find(v, e.offset);
        }
        const tw__mapped *m = i < v->mapped_count ? &v->mapped[i] : NULL;
        uint64_t n = 1, step = (uint64_t)(e.stride < 0 ? -e.stride : e.stride);
        if (m && m->begin <= e.offset) {
            if (e.stride == 0)
                n = e.count;
            else if (e.stride == 1)
                n = m->end - e.offset;
            else
                n = e.stride > 0 ? ceil_div(m->end - e.offset, step) : (e.offset - m->begin) / step + 1;
            if (n > e.count) n = e.count;
            mapping_found(r, at, at + n, m->tile);
        }
        at += n;
        e.offset += n * (uint64_t)e.stride;
        e.count -= n;
        if (m && e.stride > 0 && m->end <= e.offset) i++;
    }
}

static bool read_mapping(reading *r, const tw__regions *list)
{
    tw__core *core = r->graph->core;
    if (!list) return false;
    for (uint32_t i = 0; i < list->n; i++)
        if (!tw__mapping_settle(&core->vars[list->region[i].var])) return tw__graph_no_memory(core);
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; tw__region_walk_next(&walk, &e);) read_run(r, &core->vars[e.var], e, walk.pos - e.count);
    flush(r);
    return true;
}

size_t tw_graph_get_mapping(const tw_graph *graph, tw_tensor tensor, tw_mapped_interval *out, size_t room)
{
    TW__ENTER_GETTER(graph, 0);
    const tw__node *t = tw__node_get(graph->core, tensor, "the argument");
    reading r = { .graph = graph, .out = out, .room = room };
    return t && read_mapping(&r, tw__node_regions(graph->core, t)) ? r.n : 0;
}

bool tw_graph_mapping_complete(const tw_graph *graph, tw_tensor tensor)
{
    TW__ENTER_GETTER(graph, false);
    const tw__node *t = tw__node_get(graph->core, tensor, "the argument");
    reading r = { .graph = graph };
    return t && read_mapping(&r, tw__node_elements(graph->core, t)) && r.mapped == tw__node_count(t);
}

bool tw__mapping_fill(tw__variable *variable, uint32_t tile)
{
    if (tw__mapping_gap(variable, 0, variable->count) == variable->count) return true;
    /* What is mapped now goes on top of one interval that covers everything. */
    size_t n = variable->mapped_count;
    tw__mapped_rows *log = tw__realloc(NULL, (n + 1) * sizeof *log);
    if (!log) return false;
    log[0] = (tw__mapped_rows){ 0, variable->count, 0, 1, tile };
    for (size_t i = 0; i < n; i++) {
        const tw__mapped *m = &variable->mapped[i];
        log[i + 1] = (tw__mapped_rows){ m->begin, m->end - m->begin, 0, 1, m->tile };
    }
    free(variable->pending);
    variable->pending = log;
    variable->pending_count = variable->pending_room = variable->pending_intervals = n + 1;
    return tw__mapping_settle(variable);
}

bool tw__mapping_copy(tw__variable *to, uint64_t at, const tw__variable *from, uint64_t begin, uint64_t end)
{
    for (size_t i = tw__mapped_find(from, begin); i < from->mapped_count && from->mapped[i].begin < end; i++) {
        const tw__mapped *m = &from->mapped[i];
        uint64_t a = m->begin > begin ? m->begin : begin, b = m->end < end ? m->end : end;
        if (!mapping_add(to, at + (a - begin), at + (b - begin), m->tile)) return false;
    }
    return true;
}
