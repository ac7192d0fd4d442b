/* SPDX-License-Identifier: MIT */
/* The result of a layout block: distinct programs, routes per PE, the place on the fabric. */
#include "csl/lang/layout/layout.h"

void tw__csl_layout_free(tw__csl_layout *l)
{
    if (!l) return;
    for (size_t i = 0; i < l->binding_count; i++) {
        free(l->bindings[i].local);
        free(l->bindings[i].local_at);
    }
    free(l->tiles);
    free(l->bindings);
    free(l->next);
    free(l->routes);
    free(l->export_types);
    if (l->by_params) g_hash_table_destroy(l->by_params);
    free(l->configured);
    free(l->configs);
    if (l->config_rows) g_hash_table_destroy(l->config_rows);
    if (l->fixed_routes) g_hash_table_destroy(l->fixed_routes);
    *l = (tw__csl_layout){ 0 };
}

bool tw__csl_set_rectangle(sema *s, const node *at, uint32_t width, uint32_t height)
{
    tw__csl_layout *l = s->layout;
    if (l->has_rectangle) {
        tw__csl_error(s, at, "csl.layout", "the rectangle is already set");
        return false;
    }
    l->tiles = tw__calloc((size_t)width * height + 1, sizeof *l->tiles);
    l->configured = tw__calloc((size_t)width * height + 1, sizeof *l->configured);
    if (!l->tiles || !l->configured) {
        tw__csl_out_of_memory(s);
        return false;
    }
    l->has_rectangle = true;
    l->width = width;
    l->height = height;
    return true;
}

/* --- distinct programs --- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    return (h ^ x) * 0x9e3779b97f4a7c15u ^ (h >> 29);
}

static uint64_t hash_value(const value *v, int depth)
{
    uint64_t h = mix(v->type->kind, (uint64_t)(uintptr_t)v->type);
    switch (v->type->kind) {
    case TW__CSL_TY_FLOAT:
    case TW__CSL_TY_COMPTIME_FLOAT: {
        double f = v->f == 0 ? 0 : v->f; /* -0 equals 0 */
        uint64_t bits;
        memcpy(&bits, &f, sizeof bits);
        return mix(h, bits);
    }
    case TW__CSL_TY_ARRAY:
    case TW__CSL_TY_STRUCT:
    case TW__CSL_TY_UNION:
        for (size_t i = 0; v->parts && i < v->parts->count && i < 64 && depth < 8; i++) {
            value part = tw__csl_part(v->parts, i);
            h = mix(h, hash_value(&part, depth + 1));
        }
        return h;
    case TW__CSL_TY_COMPTIME_STRING: return mix(h, v->string.length);
    case TW__CSL_TY_TYPE: return mix(h, (uint64_t)(uintptr_t)v->t);
    default:
        if (tw__csl_is_int(v->type) || tw__csl_is_id(v->type) || v->type->kind == TW__CSL_TY_BOOL ||
            v->type->kind == TW__CSL_TY_ENUM || v->type->kind == TW__CSL_TY_DIRECTION)
            return mix(h, (uint64_t)v->i);
        return h;
    }
}

static bool same_binding(const tile_binding *b, const char *file, const value *params)
{
    if (g_strcmp0(b->file, file) || !b->params.type != !params->type) return false;
    return !params->type || tw__csl_equal(&b->params, params);
}

int64_t tw__csl_layout_binding(sema *s, const node *at, const char *file, const value *params)
{
    tw__csl_layout *l = s->layout;
    uint64_t h = file ? g_str_hash(file) : 1;
    if (params->type) h = mix(h, hash_value(params, 0));
    gpointer key = (gpointer)(uintptr_t)h;
    if (!l->by_params) l->by_params = g_hash_table_new(NULL, NULL);
    uint32_t first = GPOINTER_TO_UINT(g_hash_table_lookup(l->by_params, key));
    for (uint32_t row = first; row; row = l->next[row - 1])
        if (same_binding(&l->bindings[row - 1], file, params)) return row - 1;
    if (!tw__grow(&l->bindings, &l->binding_room, l->binding_count, sizeof *l->bindings) ||
        !tw__grow(&l->next, &l->next_room, l->binding_count, sizeof *l->next)) {
        tw__csl_out_of_memory(s);
        return -1;
    }
    value kept = *params; /* a pointer to a comptime variable is all that a copy cannot keep */
    if (params->type && !tw__csl_lasting_copy(s, params, &kept)) tw__csl_escape_all(s, 0);
    const char *name = file ? tw__arena_strdup(s->lasting, file) : NULL;
    if (tw__arena_failed(s->lasting)) {
        tw__csl_out_of_memory(s);
        return -1;
    }
    l->bindings[l->binding_count] = (tile_binding){ .file = name, .params = kept, .at = at };
    l->next[l->binding_count] = first;
    g_hash_table_insert(l->by_params, key, GUINT_TO_POINTER(l->binding_count + 1));
    return (int64_t)l->binding_count++;
}

/* --- place on the fabric --- */

/* Room that the host's link takes around the rectangle (vendor document "cslc", fabric options). */
enum { LINK_WEST = 4, LINK_EAST = 3, LINK_NORTH = 1, LINK_SOUTH = 1 };

bool tw__csl_place_rectangle(sema *s)
{
    const tw__csl_compile_options *o = s->shared->options;
    tw__csl_image *image = s->image;
    const tw__csl_layout *l = s->layout;
    unsigned west = o->memcpy ? LINK_WEST : 0, north = o->memcpy ? LINK_NORTH : 0;
    unsigned east = o->memcpy ? LINK_EAST : 0, south = o->memcpy ? LINK_SOUTH : 0;
    image->width = l->width;
    image->height = l->height;
    bool given = o->fabric_width || o->fabric_height;
    image->offset_x = given || o->offset_x ? o->offset_x : west;
    image->offset_y = given || o->offset_y ? o->offset_y : north;
    image->fabric_width = o->fabric_width ? o->fabric_width : image->offset_x + l->width + east;
    image->fabric_height = o->fabric_height ? o->fabric_height : image->offset_y + l->height + south;
    if (image->offset_x < west || image->offset_y < north) {
        tw__csl_error(s, NULL, "csl.fabric", "the host's link needs fabric offsets of at least %u,%u, got %u,%u",
                      west, north, image->offset_x, image->offset_y);
        return false;
    }
    if ((uint64_t)image->offset_x + l->width + east > image->fabric_width ||
        (uint64_t)image->offset_y + l->height + south > image->fabric_height) {
        tw__csl_error(s, NULL, "csl.fabric",
                      "a fabric of %ux%u PEs is too small: %ux%u at offset %u,%u%s needs at least %ux%u",
                      image->fabric_width, image->fabric_height, l->width, l->height, image->offset_x,
                      image->offset_y, o->memcpy ? " with the host's link" : "", image->offset_x + l->width + east,
                      image->offset_y + l->height + south);
        return false;
    }
    return true;
}

/* --- routes --- */

static uint64_t hash_words(const void *bytes, size_t size)
{
    uint64_t h = size;
    for (size_t i = 0; i + sizeof(uint32_t) <= size; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)bytes + i, sizeof word);
        h = mix(h, word);
    }
    return h;
}

/* Row of an equal configuration, added when new; -1 = out of memory. */
static int64_t config_row(tw__csl_layout *l, const tw__csl_route *route)
{
    gpointer key = (gpointer)(uintptr_t)hash_words(route, sizeof *route);
    if (!l->config_rows) l->config_rows = g_hash_table_new(NULL, NULL);
    uint32_t known = GPOINTER_TO_UINT(g_hash_table_lookup(l->config_rows, key));
    if (known && !memcmp(&l->configs[known - 1], route, sizeof *route)) return known - 1;
    if (!tw__grow(&l->configs, &l->config_room, l->config_count, sizeof *l->configs)) return -1;
    l->configs[l->config_count] = *route;
    if (!known) g_hash_table_insert(l->config_rows, key, GUINT_TO_POINTER(l->config_count + 1));
    return (int64_t)l->config_count++;
}

/* Layouts of loops ask for the same place once for each PE. */
void tw__csl_route_place(sema *s, const node *at, tw__csl_route *route)
{
    tw__csl_layout *l = s->layout;
    if (l->placed_at != at) {
        tw__csl_place where = tw__csl_where(s->ctx, at->loc);
        l->placed_at = at;
        l->placed_file = tw__csl_image_file(s->image, where.file);
        l->placed_line = (uint32_t)where.line;
        l->placed_column = (uint32_t)where.column;
    }
    route->file = l->placed_file;
    route->line = l->placed_line;
    route->column = l->placed_column;
}

bool tw__csl_layout_route(sema *s, const node *at, uint32_t pe, const tw__csl_route *route)
{
    tw__csl_layout *l = s->layout;
    if (l->configured[pe] >> route->color & 1) {
        tw__csl_error(s, at, "csl.color", "color %u of PE (%u, %u) is already configured", route->color,
                      pe % l->width, pe / l->width);
        for (size_t i = 0; i < l->route_count; i++)
            if (l->routes[i].pe == pe && l->configs[l->routes[i].config].color == route->color)
                tw__csl_note(s, l->routes[i].at, "it was configured here");
        return false;
    }
    int64_t row = config_row(l, route);
    if (row < 0 || !tw__grow(&l->routes, &l->route_room, l->route_count, sizeof *l->routes)) {
        tw__csl_out_of_memory(s);
        return false;
    }
    l->configured[pe] |= 1u << route->color;
    l->routes[l->route_count++] = (placed_route){ pe, (uint32_t)row, at };
    return true;
}

/* The layout's rows by PE, those of one PE in the order of the layout: a counting sort. NULL = out of memory. */
static placed_route *routes_by_pe(const tw__csl_layout *l)
{
    size_t pes = (size_t)l->width * l->height;
    size_t *end = tw__calloc(pes + 1, sizeof *end);
    placed_route *sorted = tw__calloc(l->route_count + 1, sizeof *sorted);
    for (size_t i = 0; end && i < l->route_count; i++) end[l->routes[i].pe + 1]++;
    for (size_t i = 0; end && i < pes; i++) end[i + 1] += end[i];
    for (size_t i = 0; end && sorted && i < l->route_count; i++) sorted[end[l->routes[i].pe]++] = l->routes[i];
    if (!end) free(sorted);
    bool good = end != NULL;
    free(end);
    return good ? sorted : NULL;
}

static int by_color(const void *a, const void *b)
{
    const tw__csl_route *x = a, *y = b;
    return (int)x->color - (int)y->color;
}

static bool check_twice(sema *s, const tw__csl_route *routes, size_t count, uint32_t pe, const node *at)
{
    for (size_t i = 1; i < count; i++)
        if (routes[i].color == routes[i - 1].color) {
            tw__csl_error(s, at, "csl.color",
                          "color %u of PE (%u, %u) is configured twice, by the layout and locally", routes[i].color,
                          pe % s->layout->width, pe / s->layout->width);
            return false;
        }
    return true;
}

/* A router of WSE-2 has six filters; those of WSE-3 are not published. */
static bool check_filters(sema *s, const tw__csl_route *routes, size_t count, uint32_t pe, const node *at)
{
    enum { FILTERS = 6 };
    unsigned filters = 0;
    for (size_t i = 0; i < count; i++) filters += routes[i].filter.kind != TW__CSL_FILTER_NONE;
    if (s->shared->options->wse3 || filters <= FILTERS) return true;
    tw__csl_error(s, at, "csl.color", "PE (%u, %u) has %u filters; a router of WSE-2 has %d", pe % s->layout->width,
                  pe / s->layout->width, filters, FILTERS);
    return false;
}

/* The last rows of the image are the list of `row`: PEs with equal lists share one. `lists`: hash -> a PE + 1. */
static void share_list(tw__csl_image *image, GHashTable *lists, tw__csl_pe *row)
{
    const tw__csl_route *own = image->routes + row->route;
    gpointer key = (gpointer)(uintptr_t)hash_words(own, row->route_count * sizeof *own);
    uint32_t known = GPOINTER_TO_UINT(g_hash_table_lookup(lists, key));
    const tw__csl_pe *other = known ? &image->pes[known - 1] : NULL;
    if (!other) {
        g_hash_table_insert(lists, key, GUINT_TO_POINTER((guint)(row - image->pes) + 1));
    } else if (other->route_count == row->route_count &&
               !memcmp(image->routes + other->route, own, row->route_count * sizeof *own)) {
        image->route_count = row->route;
        row->route = other->route;
    }
}

/* The routes of one PE at the end of the image; `placed`: those of the layout. */
static bool list_routes(sema *s, tw__csl_pe *row, uint32_t pe, const placed_route *placed, size_t count)
{
    const tw__csl_layout *l = s->layout;
    tw__csl_image *image = s->image;
    const tile_binding *b = l->tiles[pe].at ? &l->bindings[l->tiles[pe].program] : NULL;
    size_t local = b ? b->local_count : 0, all = count + local;
    row->route = (uint32_t)image->route_count;
    row->route_count = (uint32_t)all;
    for (size_t i = 0; i < all; i++) {
        tw__csl_route *r = TW__CSL_PUSH(image, routes, route);
        if (!r) return false;
        *r = i < count ? l->configs[placed[i].config] : b->local[i - count];
    }
    if (all > 1) qsort(image->routes + row->route, all, sizeof *image->routes, by_color);
    if (local && !check_twice(s, image->routes + row->route, all, pe, b->local_at[0])) return false;
    if (!all) return true;
    const node *where = local ? b->local_at[local - 1] : placed[count - 1].at;
    return check_filters(s, image->routes + row->route, all, pe, where);
}

bool tw__csl_merge_routes(sema *s)
{
    const tw__csl_layout *l = s->layout;
    tw__csl_image *image = s->image;
    placed_route *placed = routes_by_pe(l);
    GHashTable *lists = g_hash_table_new(NULL, NULL);
    bool good = placed != NULL;
    size_t at = 0;
    for (uint32_t pe = 0; good && pe < l->width * l->height; pe++) {
        size_t own = at;
        while (at < l->route_count && placed[at].pe == pe) at++;
        good = list_routes(s, &image->pes[pe], pe, placed + own, at - own);
        if (good && image->pes[pe].route_count) share_list(image, lists, &image->pes[pe]);
    }
    g_hash_table_destroy(lists);
    free(placed);
    return good;
}
