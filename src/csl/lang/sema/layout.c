/* The result of a layout block: distinct programs, routes per PE, the place on the fabric. */
#include "csl/lang/sema/layout.h"

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
    if (l->route_keys) g_hash_table_destroy(l->route_keys);
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
    if (!l->tiles) {
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
    l->bindings[l->binding_count] = (tile_binding){ .file = file, .params = *params, .at = at };
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

static int by_pe(const void *a, const void *b)
{
    const placed_route *x = a, *y = b;
    if (x->pe != y->pe) return x->pe < y->pe ? -1 : 1;
    return (int)x->route.color - (int)y->route.color;
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

bool tw__csl_merge_routes(sema *s)
{
    tw__csl_layout *l = s->layout;
    tw__csl_image *image = s->image;
    if (l->route_count) qsort(l->routes, l->route_count, sizeof *l->routes, by_pe);
    size_t at = 0;
    uint32_t *only_local = tw__calloc(l->binding_count + 1, sizeof *only_local); /* first route of a binding + 1 */
    bool good = only_local != NULL;
    for (uint32_t pe = 0; good && pe < l->width * l->height; pe++) {
        const tile_binding *b = l->tiles[pe].at ? &l->bindings[l->tiles[pe].program] : NULL;
        size_t own = at;
        while (at < l->route_count && l->routes[at].pe == pe) at++;
        size_t count = at - own, local = b ? b->local_count : 0;
        tw__csl_pe *row = &image->pes[pe];
        row->route_count = (uint32_t)(count + local);
        if (!count && local && only_local[l->tiles[pe].program]) { /* PEs with equal routes share the rows */
            row->route = only_local[l->tiles[pe].program] - 1;
            continue;
        }
        row->route = (uint32_t)image->route_count;
        for (size_t i = 0; i < count + local; i++) {
            tw__csl_route *r = TW__CSL_PUSH(image, routes, route);
            if (!r) break;
            *r = i < count ? l->routes[own + i].route : b->local[i - count];
        }
        if (image->no_memory) {
            good = false;
            break;
        }
        if (local && count + local > 1) {
            qsort(image->routes + row->route, count + local, sizeof *image->routes, by_color);
            good = check_twice(s, image->routes + row->route, count + local, pe, b->local_at[0]);
        }
        if (good && count + local > 6) {
            const node *where = local ? b->local_at[local - 1] : l->routes[at - 1].at;
            good = check_filters(s, image->routes + row->route, count + local, pe, where);
        }
        if (!count && local) only_local[l->tiles[pe].program] = row->route + 1;
    }
    free(only_local);
    return good;
}
