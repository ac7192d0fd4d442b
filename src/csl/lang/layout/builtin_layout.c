/* SPDX-License-Identifier: MIT */
/* Builtins of layouts and of the PE's configuration (CSL reference, layout builtins). */
#include "csl/lang/sema/gen.h"
#include "csl/lang/layout/layout.h"

#include <tilewright/progress.h>

#define ARG(i) (n->kid[i])

static operand done(void)
{
    return tw__csl_known(tw__csl_of_void());
}

bool tw__csl_in_layout(sema *s, const node *n)
{
    if (s->phase == TW__CSL_PHASE_LAYOUT) return true;
    tw__csl_error(s, n, "csl.layout", "@%s belongs in a layout block", tw__csl_name_text(s, n->name));
    return false;
}

bool tw__csl_in_comptime(sema *s, const node *n)
{
    if (s->phase == TW__CSL_PHASE_COMPTIME) return true;
    tw__csl_error(s, n, "csl.layout", "@%s belongs in a comptime block of a PE's program",
                  tw__csl_name_text(s, n->name));
    return false;
}

/* A fabric of one wafer is below 1,200 PEs each way; 4,096 leaves room. */
enum { MAX_SIDE = 4096 };

static operand b_set_rectangle(sema *s, const node *n, const type *expected)
{
    (void)expected;
    int64_t w, h;
    if (!tw__csl_in_layout(s, n) || !tw__csl_arguments(s, n, 2, 2) ||
        !tw__csl_comptime_int_in(s, ARG(0), "the width of the rectangle", 1, MAX_SIDE, &w) ||
        !tw__csl_comptime_int_in(s, ARG(1), "the height of the rectangle", 1, MAX_SIDE, &h))
        return tw__csl_nothing();
    tw__csl_set_rectangle(s, n, (uint32_t)w, (uint32_t)h);
    return done();
}

static bool coordinates(sema *s, const node *n, uint32_t *pe)
{
    const tw__csl_layout *l = s->layout;
    int64_t x, y;
    if (!l->has_rectangle) {
        tw__csl_error(s, n, "csl.layout", "@set_rectangle must come first");
        return false;
    }
    if (!tw__csl_comptime_int_in(s, ARG(0), "the x coordinate", 0, (int64_t)l->width - 1, &x) ||
        !tw__csl_comptime_int_in(s, ARG(1), "the y coordinate", 0, (int64_t)l->height - 1, &y))
        return false;
    *pe = (uint32_t)(y * l->width + x);
    return true;
}

static operand b_set_tile_code(sema *s, const node *n, const type *expected)
{
    (void)expected;
    uint32_t pe;
    if (!tw__csl_in_layout(s, n) || !tw__csl_arguments(s, n, 2, 4) || !coordinates(s, n, &pe))
        return tw__csl_nothing();
    value file = { 0 }, params = { 0 };
    if (n->count > 2 &&
        !tw__csl_comptime(s, ARG(2), &tw__csl_t_COMPTIME_STRING, "the file of the tile code", &file))
        return tw__csl_nothing();
    if (n->count > 3) {
        if (!tw__csl_comptime(s, ARG(3), NULL, "the parameters of the tile code", &params))
            return tw__csl_nothing();
        if (params.type->kind != TW__CSL_TY_STRUCT || (params.type->tuple && params.type->count))
            return tw__csl_error(s, ARG(3), "csl.type", "the parameters are a struct, got %s",
                                 TYPE_TEXT(params.type));
    }
    tile *t = &s->layout->tiles[pe];
    if (t->at) {
        tw__csl_error(s, n, "csl.layout", "PE (%u, %u) already has its tile code", pe % s->layout->width,
                      pe / s->layout->width);
        tw__csl_note(s, t->at, "it was set here");
        return tw__csl_nothing();
    }
    /* The file is named relative to the module that places it. */
    const char *name = file.type ? tw__csl_tile_path(s, file.string.bytes) : NULL;
    int64_t row = file.type && !name ? -1 : tw__csl_layout_binding(s, n, name, &params);
    if (row < 0) return tw__csl_nothing();
    *t = (tile){ n, (uint32_t)row };
    tw_progress_tell("layout", "PEs", s->layout->placed++, (uint64_t)s->layout->width * s->layout->height);
    return done();
}

static bool color_argument(sema *s, const node *at, uint8_t *color)
{
    value v;
    if (!tw__csl_comptime(s, at, &tw__csl_t_COLOR, "the color", &v)) return false;
    *color = (uint8_t)v.i;
    return true;
}

/* Only some colors of WSE-3 have switches (vendor document "Builtins", @set_color_config). Said once per color. */
static void check_switches(sema *s, const node *at, const tw__csl_route *r)
{
    enum { SWITCHED = 0x3ff | 1 << 12 | 1 << 13 | 1 << 16 | 1 << 17 | 1 << 20 | 1 << 21 };
    if (!s->shared->options->wse3 || !r->has_switches || (SWITCHED >> r->color & 1)) return;
    if (s->layout->warned_switches >> r->color & 1) return;
    s->layout->warned_switches |= 1u << r->color;
    tw__csl_warn(s, at, "csl.color",
                 "color %u has no switches on WSE-3: colors 0 to 9, 12, 13, 16, 17, 20 and 21 have", r->color);
}

/* Made of literals and directions alone: the same at each visit. Most configurations are, and layouts read them for
 * each PE. */
static bool config_is_fixed(sema *s, const node *n)
{
    if (n->kind == TW__CSL_INT || n->kind == TW__CSL_BOOL) return true;
    if (n->kind == TW__CSL_NAME)
        return tw__csl_direction_named(tw__csl_name_text(s, n->name)) >= 0 && !tw__csl_find_local(s, n->name) &&
               !tw__csl_member(s->module, n->name);
    if (n->kind != TW__CSL_FIELD_INIT && (n->kind != TW__CSL_INIT || n->kid[0])) return false;
    for (uint32_t k = n->kind == TW__CSL_INIT; k < n->count; k++)
        if (!config_is_fixed(s, n->kid[k])) return false;
    return true;
}

static bool color_config(sema *s, const node *n, tw__csl_route *route)
{
    tw__csl_layout *l = s->layout;
    if (!l->fixed_routes) l->fixed_routes = g_hash_table_new_full(NULL, NULL, NULL, free);
    const tw__csl_route *known = g_hash_table_lookup(l->fixed_routes, n);
    if (known) {
        *route = *known;
        return true;
    }
    if (!tw__csl_route_of(s, n, route)) return false;
    tw__csl_route *kept = config_is_fixed(s, n) ? tw__calloc(1, sizeof *kept) : NULL;
    if (!kept) return true;
    *kept = *route;
    g_hash_table_insert(l->fixed_routes, (gpointer)(uintptr_t)n, kept);
    return true;
}

static operand b_set_color_config(sema *s, const node *n, const type *expected)
{
    (void)expected;
    uint32_t pe;
    uint8_t color;
    tw__csl_route route;
    if (!tw__csl_in_layout(s, n) || !tw__csl_arguments(s, n, 4, 4) || !coordinates(s, n, &pe) ||
        !color_argument(s, ARG(2), &color) || !color_config(s, ARG(3), &route))
        return tw__csl_nothing();
    route.color = color;
    tw__csl_route_place(s, n, &route);
    check_switches(s, ARG(3), &route);
    return tw__csl_layout_route(s, n, pe, &route) ? done() : tw__csl_nothing();
}

static operand b_set_local_color_config(sema *s, const node *n, const type *expected)
{
    (void)expected;
    tile_binding *b = s->binding;
    tw__csl_route r = { 0 };
    if (!tw__csl_in_comptime(s, n) || !tw__csl_arguments(s, n, 2, 2) || !color_argument(s, ARG(0), &r.color))
        return tw__csl_nothing();
    uint8_t color = r.color;
    if (!tw__csl_route_of(s, ARG(1), &r)) return tw__csl_nothing();
    r.color = color;
    tw__csl_route_place(s, n, &r);
    check_switches(s, ARG(1), &r);
    for (size_t i = 0; i < b->local_count; i++) {
        if (b->local[i].color != color) continue;
        tw__csl_error(s, n, "csl.color", "color %u is already configured in this program", color);
        tw__csl_note(s, b->local_at[i], "it was configured here");
        return tw__csl_nothing();
    }
    if (!tw__grow(&b->local, &b->local_room, b->local_count, sizeof *b->local) ||
        !tw__grow(&b->local_at, &b->at_room, b->local_count, sizeof *b->local_at)) {
        tw__csl_out_of_memory(s);
        return tw__csl_nothing();
    }
    b->local_at[b->local_count] = n;
    b->local[b->local_count++] = r;
    return done();
}

static operand pair(sema *s, uint32_t width, uint32_t height)
{
    static const char *const names[] = { "width", "height" };
    operand parts[] = { tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, width)),
                        tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, height)) };
    return tw__csl_compose_named(s, 2, names, parts);
}

static operand b_get_rectangle(sema *s, const node *n, const type *expected)
{
    (void)expected;
    static const char *const names[] = { "width", "height", "fabric", "offsets" };
    const tw__csl_layout *l = s->layout;
    if (!tw__csl_arguments(s, n, 0, 0)) return tw__csl_nothing();
    if (!l->has_rectangle) return tw__csl_error(s, n, "csl.layout", "the rectangle is not set yet");
    if (!s->image->fabric_width && !tw__csl_place_rectangle(s)) return tw__csl_nothing();
    operand parts[] = { tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, l->width)),
                        tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, l->height)),
                        pair(s, s->image->fabric_width, s->image->fabric_height),
                        pair(s, s->image->offset_x, s->image->offset_y) };
    return tw__csl_compose_named(s, 4, names, parts);
}

static operand b_set_teardown_handler(sema *s, const node *n, const type *expected)
{
    (void)expected;
    uint8_t color;
    if (!tw__csl_in_comptime(s, n) || !tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    operand o = tw__csl_expr_rvalue(s, ARG(0), NULL);
    if (tw__csl_is_nothing(&o) || !color_argument(s, ARG(1), &color)) return tw__csl_nothing();
    tw__csl_function *f = tw__csl_function_of(&o);
    if (!f || f->is_task || !f->type || f->type->count || f->type->base->kind != TW__CSL_TY_VOID)
        return tw__csl_error(s, ARG(0), "csl.type", "a teardown handler is a function fn() void, got %s",
                             TYPE_TEXT(o.type));
    tw__csl_program *p = tw__csl_sema_program(s);
    for (size_t i = 0; i < p->handler_count; i++)
        if (!p->handlers[i].is_queue && p->handlers[i].id == color)
            return tw__csl_error(s, n, "csl.handler", "color %u already has a teardown handler", color);
    int index = tw__csl_function_index(s, n, f);
    tw__csl_handler *row = index < 0 ? NULL : TW__CSL_PUSH(tw__csl_sema_program(s), handlers, handler);
    if (row) *row = (tw__csl_handler){ .id = color, .function = (uint32_t)index };
    return done();
}

static const tw__csl_builtin_row rows[] = {
    { "get_rectangle", b_get_rectangle },
    { "set_color_config", b_set_color_config },
    { "set_local_color_config", b_set_local_color_config },
    { "set_rectangle", b_set_rectangle },
    { "set_teardown_handler", b_set_teardown_handler },
    { "set_tile_code", b_set_tile_code },
};

const tw__csl_builtin_table tw__csl_layout_builtins = { rows, sizeof rows / sizeof *rows };
