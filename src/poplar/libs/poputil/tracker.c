/* SPDX-License-Identifier: MIT */
/* Which tile uses which elements, and a mapping that follows. The uses of a variable cut it into segments with one
 * set of users each; segments of one set are dealt out to these tiles. */
#include "poplar/libs/libs.h"

#include <stdlib.h>
#include <string.h>

typedef struct use {
    uint32_t variable;
    uint64_t begin, end;
    unsigned tile;
} use;

struct tw_use_tracker {
    GArray *uses;
};

tw_use_tracker *tw_poputil_tracker_new(void)
{
    tw_use_tracker *tracker = g_new(tw_use_tracker, 1);
    tracker->uses = g_array_new(FALSE, FALSE, sizeof(use));
    return tracker;
}

void tw_use_tracker_free(tw_use_tracker *tracker)
{
    if (!tracker) return;
    g_array_unref(tracker->uses);
    g_free(tracker);
}

void tw_poputil_tracker_add(tw_graph *graph, tw_use_tracker *tracker, unsigned tile, tw_tensor tensor)
{
    if (!tw__libs_ready(graph)) return;
    if (!tracker) {
        tw_graph_fail(graph, TW_E_INVALID_ARGUMENT, __func__, "the tracker is NULL");
        return;
    }
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    if (tile >= tiles) {
        tw_graph_fail(graph, TW_E_TILE_MAPPING, __func__, "tile %u of a target with %u tiles", tile, tiles);
        return;
    }
    g_autoptr(GArray) regions = tw__libs_variable_regions(graph, tensor);
    for (guint i = 0; i < regions->len; i++) {
        const tw_variable_region *r = &g_array_index(regions, tw_variable_region, i);
        use u = { r->variable, r->offset, r->offset + r->elements.end - r->elements.begin, tile };
        if (!tw_graph_variable_is_constant(graph, r->variable)) g_array_append_val(tracker->uses, u);
    }
}

void tw_poputil_tracker_merge(tw_use_tracker *tracker, const tw_use_tracker *other)
{
    if (tracker && other && tracker != other && other->uses->len)
        g_array_append_vals(tracker->uses, other->uses->data, other->uses->len);
}

bool tw_poputil_tracker_empty(const tw_use_tracker *tracker)
{
    return !tracker || !tracker->uses->len;
}

/* --- segments ------------------------------------------------------------------------------------------------- */

typedef struct segment {
    uint64_t begin, end;
    GArray *tiles; /* of unsigned, rising; borrowed from the table of sets; NULL: nobody uses it */
} segment;

static int tracker_by_place(const void *a, const void *b)
{
    const use *x = a, *y = b;
    if (x->variable != y->variable) return x->variable < y->variable ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int tracker_by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int tracker_by_tile(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

static guint hash_tiles(gconstpointer key)
{
    const GArray *tiles = key;
    guint h = 5381;
    for (guint i = 0; i < tiles->len; i++) h = h * 33 + g_array_index(tiles, unsigned, i);
    return h;
}

static gboolean same_tiles(gconstpointer a, gconstpointer b)
{
    const GArray *x = a, *y = b;
    return x->len == y->len && memcmp(x->data, y->data, x->len * sizeof(unsigned)) == 0;
}

static void free_tiles(gpointer tiles)
{
    g_array_unref(tiles);
}

/* The users of [begin, end): one shared list for each set. `first` to `last` are the uses that begin before its
 * end. */
static GArray *users_of(GHashTable *sets, GPtrArray *open, uint64_t begin)
{
    GArray *tiles = g_array_new(FALSE, FALSE, sizeof(unsigned));
    for (guint i = 0; i < open->len;) {
        const use *u = open->pdata[i];
        if (u->end <= begin) {
            g_ptr_array_remove_index_fast(open, i);
            continue;
        }
        g_array_append_val(tiles, u->tile);
        i++;
    }
    if (tiles->len > 1) qsort(tiles->data, tiles->len, sizeof(unsigned), tracker_by_tile);
    guint kept = 0;
    for (guint i = 0; i < tiles->len; i++)
        if (!kept || g_array_index(tiles, unsigned, kept - 1) != g_array_index(tiles, unsigned, i))
            g_array_index(tiles, unsigned, kept++) = g_array_index(tiles, unsigned, i);
    g_array_set_size(tiles, kept);
    GArray *known = kept ? g_hash_table_lookup(sets, tiles) : NULL;
    if (known || !kept) {
        g_array_unref(tiles);
        return known;
    }
    g_hash_table_add(sets, tiles);
    return tiles;
}

/* Segments of a variable of `total` elements from its uses, sorted by begin. */
static GArray *segments_of(const use *uses, size_t count, uint64_t total, GHashTable *sets)
{
    GArray *cuts = g_array_new(FALSE, FALSE, sizeof(uint64_t)), *out = g_array_new(FALSE, FALSE, sizeof(segment));
    uint64_t zero = 0;
    g_array_append_val(cuts, zero);
    g_array_append_val(cuts, total);
    for (size_t i = 0; i < count; i++) {
        g_array_append_val(cuts, uses[i].begin);
        g_array_append_val(cuts, uses[i].end);
    }
    qsort(cuts->data, cuts->len, sizeof(uint64_t), tracker_by_number);
    GPtrArray *open = g_ptr_array_new();
    size_t next = 0;
    for (guint i = 0; i + 1 < cuts->len; i++) {
        uint64_t begin = g_array_index(cuts, uint64_t, i), end = g_array_index(cuts, uint64_t, i + 1);
        if (begin == end) continue;
        for (; next < count && uses[next].begin <= begin; next++) g_ptr_array_add(open, (gpointer)&uses[next]);
        segment s = { begin, end, users_of(sets, open, begin) };
        segment *last = out->len ? &g_array_index(out, segment, out->len - 1) : NULL;
        if (last && last->tiles == s.tiles)
            last->end = end;
        else
            g_array_append_val(out, s);
    }
    g_ptr_array_unref(open);
    g_array_unref(cuts);
    return out;
}

/* Segments without users get those of the one before, the first those of the one behind. */
static void give_users(GArray *segments)
{
    for (guint i = 1; i < segments->len; i++) {
        segment *s = &g_array_index(segments, segment, i);
        if (!s->tiles) s->tiles = s[-1].tiles;
    }
    segment *first = segments->len > 1 ? &g_array_index(segments, segment, 0) : NULL;
    if (first && !first->tiles) first->tiles = first[1].tiles;
}

/* --- mapping -------------------------------------------------------------------------------------------------- */

static bool has_tile(const GArray *tiles, unsigned tile)
{
    for (guint i = 0; tiles && i < tiles->len; i++)
        if (g_array_index(tiles, unsigned, i) == tile) return true;
    return false;
}

/* Each segment stays whole, beside a neighbour that one of its users has for itself. */
static void place_whole(GArray *placed, uint32_t variable, const GArray *segments)
{
    for (guint i = 0; i < segments->len; i++) {
        const segment *s = &g_array_index(segments, segment, i);
        if (!s->tiles) continue;
        unsigned tile = g_array_index(s->tiles, unsigned, 0);
        for (int side = 1; side >= -1; side -= 2) { /* the one before it wins */
            if ((side < 0 && i == 0) || (side > 0 && i + 1 == segments->len)) continue;
            const GArray *beside = s[side].tiles;
            if (beside && beside->len == 1 && has_tile(s->tiles, g_array_index(beside, unsigned, 0)))
                tile = g_array_index(beside, unsigned, 0);
        }
        use u = { variable, s->begin, s->end, tile };
        g_array_append_val(placed, u);
    }
}

/* The segments of each set as one list of intervals, dealt out to its tiles. */
static void place_evenly(GArray *placed, uint32_t variable, const GArray *segments, GHashTable *sets,
                         const tw_split_limits *limits)
{
    GHashTableIter walk;
    gpointer key;
    g_hash_table_iter_init(&walk, sets);
    while (g_hash_table_iter_next(&walk, &key, NULL)) {
        const GArray *tiles = key;
        GArray *mine = g_array_new(FALSE, FALSE, sizeof(tw_interval));
        for (guint i = 0; i < segments->len; i++) {
            const segment *s = &g_array_index(segments, segment, i);
            tw_interval piece = { s->begin, s->end };
            if (s->tiles == tiles) g_array_append_val(mine, piece);
        }
        tw_split_limits mine_limits = *limits;
        mine_limits.parts = tiles->len;
        tw_sorted_regions *parts =
            tw_poputil_split_regions(mine->len, (const tw_interval *)(void *)mine->data, &mine_limits);
        for (size_t p = 0; parts && p < parts->run_count; p++)
            for (size_t k = parts->first[p]; k < parts->first[p + 1]; k++) {
                use u = { variable, parts->intervals[k].begin, parts->intervals[k].end,
                          g_array_index(tiles, unsigned, p) };
                g_array_append_val(placed, u);
            }
        tw_sorted_regions_free(parts);
        g_array_unref(mine);
    }
}

/* Where each element of the variables is to lie: uses of one tile each, variable after variable. */
static GArray *tracker_place(tw_graph *graph, const tw_use_tracker *tracker, unsigned grain, unsigned min_elements,
                             bool extend, tw_use_mapping method)
{
    guint count = tracker->uses->len;
    g_autofree use *uses = g_memdup2(tracker->uses->data, count * sizeof(use));
    qsort(uses, count, sizeof *uses, tracker_by_place);
    tw_split_limits limits = { .grain = grain, .min_elements = min_elements };
    if (method == TW_USE_USED_TILES) limits = (tw_split_limits){ .grain = 1 };
    GArray *placed = g_array_new(FALSE, FALSE, sizeof(use));
    for (guint first = 0, end; first < count; first = end) {
        uint32_t number = uses[first].variable;
        for (end = first; end < count && uses[end].variable == number;) end++;
        tw_graph_push_scope(graph);
        uint64_t total = tw_tensor_elements(graph, tw_graph_get_variable(graph, number));
        tw_graph_pop_scope(graph);
        GHashTable *sets = g_hash_table_new_full(hash_tiles, same_tiles, free_tiles, NULL);
        GArray *segments = segments_of(uses + first, end - first, total, sets);
        if (extend) give_users(segments);
        if (method == TW_USE_HALO)
            place_whole(placed, number, segments);
        else
            place_evenly(placed, number, segments, sets, &limits);
        g_array_unref(segments);
        g_hash_table_destroy(sets);
    }
    return placed;
}

void tw_poputil_tracker_map(tw_graph *graph, const tw_use_tracker *tracker, unsigned grain, unsigned min_elements,
                            bool extend, tw_use_mapping method)
{
    if (!tw__libs_ready(graph) || tw_poputil_tracker_empty(tracker)) return;
    g_autoptr(GArray) placed = tracker_place(graph, tracker, grain, min_elements, extend, method);
    for (guint i = 0, first = 0; i < placed->len; first = i) {
        uint32_t number = g_array_index(placed, use, first).variable;
        tw_graph_push_scope(graph);
        tw_tensor variable = tw_tensor_flatten(graph, tw_graph_get_variable(graph, number));
        for (; i < placed->len && g_array_index(placed, use, i).variable == number; i++) {
            const use *u = &g_array_index(placed, use, i);
            tw_graph_map_range(graph, variable, u->begin, u->end - u->begin, u->tile);
        }
        tw_graph_pop_scope(graph);
    }
}

void tw_poputil_tracker_resolve(tw_graph *graph, tw_use_tracker *tracker, unsigned grain, unsigned min_elements,
                                bool extend, tw_use_mapping method)
{
    if (!tw__libs_ready(graph) || tw_poputil_tracker_empty(tracker)) return;
    GArray *placed = tracker_place(graph, tracker, grain, min_elements, extend, method);
    g_array_unref(tracker->uses);
    tracker->uses = placed;
}
