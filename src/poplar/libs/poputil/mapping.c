/* SPDX-License-Identifier: MIT */
/* Linear mappings, and questions about mappings that are there. */
#include "poplar/libs/libs.h"

static uint64_t over(uint64_t a, uint64_t b) /* a / b, rounded up */
{
    return a / b + (a % b != 0);
}

uint64_t tw__libs_part_begin(uint64_t i, uint64_t parts, uint64_t elements, unsigned grain)
{
    unsigned __int128 at = (unsigned __int128)over(elements, grain) * i / parts * grain;
    return at < elements ? (uint64_t)at : elements;
}

size_t tw_poputil_linear_blocks(unsigned tiles, uint64_t elements, unsigned min_elements, unsigned grain,
                                tw_interval *blocks, size_t room)
{
    if (!elements || !tiles) return 0;
    if (!grain) grain = 1;
    uint64_t grains = over(elements, grain), per = over(grains, tiles);
    if (min_elements) {
        uint64_t most = grains / over(min_elements, grain);
        uint64_t least = over(grains, most ? most : 1);
        if (per < least) per = least;
    }
    uint64_t used = over(grains, per);
    for (uint64_t i = 0; blocks && i < used && i < room; i++)
        blocks[i] = (tw_interval){ tw__libs_part_begin(i, used, elements, grain),
                                   tw__libs_part_begin(i + 1, used, elements, grain) };
    return used;
}

void tw_poputil_linear_defaults(const tw_graph *graph, tw_type type, unsigned *min_elements, unsigned *grain)
{
    bool ready = tw__libs_ready(graph);
    size_t size = ready ? tw_target_type_size(tw_graph_target(graph), type) : 0;
    unsigned width = size ? tw_target_vector_width(tw_graph_target(graph), type) : 0;
    if (grain) *grain = width ? width : 1;
    if (min_elements) *min_elements = size ? (unsigned)over(128, size) : 0;
}

unsigned tw_poputil_map_linearly_with(tw_graph *graph, tw_tensor tensor, unsigned min_elements, unsigned grain,
                                      unsigned offset)
{
    if (!tw__libs_ready(graph)) return 0;
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    uint64_t elements = tw_tensor_elements(graph, tensor);
    if (!tw__libs_ready(graph)) return 0;
    g_autofree tw_interval *blocks = g_new(tw_interval, tiles);
    size_t used = tw_poputil_linear_blocks(tiles, elements, min_elements, grain, blocks, tiles);
    offset %= tiles;
    for (size_t i = 0; i < used; i++)
        tw_graph_map_range(graph, tensor, blocks[i].begin, blocks[i].end - blocks[i].begin,
                           (unsigned)((i + offset) % tiles));
    return (unsigned)((used + offset) % tiles);
}

void tw_poputil_map_linearly(tw_graph *graph, tw_tensor tensor)
{
    unsigned min_elements, grain;
    if (!tw__libs_ready(graph)) return;
    tw_type type = tw_tensor_type(graph, tensor);
    if (!tw__libs_ready(graph)) return;
    tw_poputil_linear_defaults(graph, type, &min_elements, &grain);
    tw_poputil_map_linearly_with(graph, tensor, min_elements, grain, 0);
}

uint64_t tw_poputil_tile_imbalance(const tw_graph *graph, tw_tensor tensor, unsigned min_elements, unsigned grain)
{
    if (!tw__libs_ready(graph)) return 0;
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    g_autofree uint64_t *load = g_new0(uint64_t, tiles);
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, tensor);
    uint64_t all = 0, most = 0;
    for (guint i = 0; i < mapping->len; i++) {
        const tw_mapped_interval *m = &g_array_index(mapping, tw_mapped_interval, i);
        uint64_t n = m->interval.end - m->interval.begin;
        all += n, load[m->tile] += n;
        most = MAX(most, load[m->tile]);
    }
    if (!grain) grain = 1;
    uint64_t even = MAX(over(over(all, grain), tiles) * grain, min_elements);
    return most > even ? most - even : 0;
}

bool tw_poputil_dim_is_split(tw_graph *graph, tw_tensor tensor, unsigned dim, bool ipus)
{
    if (!tw__libs_ready(graph)) return false;
    size_t line = tw_tensor_dim(graph, tensor, dim);
    if (!tw__libs_ready(graph) || !line) return false;
    tw_graph_push_scope(graph);
    tw_tensor lines = tw_tensor_dim_roll(graph, tensor, dim, tw_tensor_rank(graph, tensor) - 1);
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, lines);
    tw_graph_pop_scope(graph);
    unsigned per = ipus ? tw_target_tiles_per_ipu(tw_graph_target(graph)) : 1;
    for (guint i = 0; i + 1 < mapping->len; i++) {
        const tw_mapped_interval *m = &g_array_index(mapping, tw_mapped_interval, i);
        /* what follows in the same line, on another place */
        if (m->interval.end % line && m[1].interval.begin / line == (m->interval.end - 1) / line &&
            m->tile / per != m[1].tile / per)
            return true;
    }
    return false;
}

static int by_use(const void *a, const void *b)
{
    const tw_mapped_interval *x = a, *y = b;
    if (x->tile != y->tile) return x->tile < y->tile ? -1 : 1;
    if (x->interval.begin != y->interval.begin) return x->interval.begin < y->interval.begin ? -1 : 1;
    return x->interval.end < y->interval.end ? -1 : x->interval.end > y->interval.end;
}

/* Is a dimension the innermost one in storage? A corner tells: it decides how much there is to look at. */
static bool dim_is_innermost(tw_graph *graph, tw_tensor tensor, unsigned dim)
{
    tw__extents s = tw__libs_shape(graph, tensor);
    size_t begin[TW__LIBS_RANK] = { 0 };
    for (unsigned d = 0; d < s.rank; d++) s.dim[d] = MIN(s.dim[d], 8);
    tw_tensor corner = tw_tensor_slice_nd(graph, tensor, begin, s.dim);
    return tw_poputil_innermost_grouping(graph, tw_tensor_dim_roll(graph, corner, dim, s.rank - 1)) >
           tw_poputil_innermost_grouping(graph, tw_tensor_dim_roll(graph, corner, dim, 0));
}

static void add_use(GArray *uses, uint64_t begin, uint64_t end, unsigned tile)
{
    const tw_mapped_interval use = { { begin, end }, tile };
    bool known = uses->len && by_use(&g_array_index(uses, tw_mapped_interval, uses->len - 1), &use) == 0;
    if (!known) g_array_append_val(uses, use);
}

/* Which tile has elements of which indices of a dimension, each range once. */
static GArray *operand_uses(tw_graph *graph, tw_tensor full, unsigned dim, size_t extent)
{
    bool inside = dim_is_innermost(graph, full, dim);
    uint64_t inner = tw_tensor_elements(graph, full) / extent;
    unsigned place = inside ? tw_tensor_rank(graph, full) - 1 : 0;
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, tw_tensor_dim_roll(graph, full, dim, place));
    GArray *uses = g_array_new(FALSE, FALSE, sizeof(tw_mapped_interval));
    for (guint i = 0; i < mapping->len; i++) {
        const tw_mapped_interval *m = &g_array_index(mapping, tw_mapped_interval, i);
        uint64_t begin = m->interval.begin, end = m->interval.end, first = begin % extent;
        if (!inside) {
            add_use(uses, begin / inner, (end - 1) / inner + 1, m->tile);
        } else if (end - begin >= extent) {
            add_use(uses, 0, extent, m->tile);
        } else {
            add_use(uses, first, MIN(first + (end - begin), extent), m->tile);
            if (first + (end - begin) > extent) add_use(uses, 0, first + (end - begin) - extent, m->tile);
        }
    }
    tw_mapped_interval *u = (tw_mapped_interval *)(void *)uses->data;
    guint kept = 0;
    if (uses->len) qsort(u, uses->len, sizeof *u, by_use);
    for (guint i = 0; i < uses->len; i++)
        if (!kept || by_use(&u[kept - 1], &u[i]) != 0) u[kept++] = u[i];
    g_array_set_size(uses, kept);
    return uses;
}

tw_tensor tw_poputil_create_broadcast_operand(tw_graph *graph, tw_tensor full, tw_type type, unsigned dim,
                                              bool dither, const char *name)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    unsigned rank = tw_tensor_rank(graph, full);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (dim >= rank) {
        TW__LIBS_REFUSE(graph, "%s has no dimension %u", tw__libs_describe(graph, full).text, dim);
        return TW__LIBS_NIL;
    }
    size_t extent = tw_tensor_dim(graph, full, dim);
    tw_tensor made = tw_graph_add_variable(graph, type, 1, &extent, name);
    uint64_t inner = extent ? tw_tensor_elements(graph, full) / extent : 0;
    if (!inner) {
        tw_poputil_map_linearly(graph, made);
        return made;
    }
    tw_use_tracker *tracker = tw_poputil_tracker_new();
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    unsigned shift = dither ? (unsigned)(extent * 2654435761u % tiles) : 0;
    tw_graph_push_scope(graph);
    g_autoptr(GArray) uses = operand_uses(graph, full, dim, extent);
    for (guint i = 0; i < uses->len; i++) {
        const tw_mapped_interval *u = &g_array_index(uses, tw_mapped_interval, i);
        tw_poputil_tracker_add(graph, tracker, (u->tile + shift) % tiles,
                               tw_tensor_slice(graph, made, 0, u->interval.begin, u->interval.end));
    }
    tw_graph_pop_scope(graph);
    unsigned min_elements, grain;
    tw_poputil_linear_defaults(graph, type, &min_elements, &grain);
    tw_poputil_tracker_map(graph, tracker, grain, min_elements, true, TW_USE_ANY);
    if (!uses->len) tw_poputil_map_linearly(graph, made);
    tw_use_tracker_free(tracker);
    return made;
}
