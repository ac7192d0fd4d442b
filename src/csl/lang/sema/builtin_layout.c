/* Builtins of layouts and of the PE's configuration (CSL reference, layout builtins). */
#include "csl/lang/code/gen.h"
#include "csl/lang/dsd/dsd.h"
#include "csl/lang/sema/layout.h"

#define ARG(i) (n->kid[i])

static operand done(void)
{
    return tw__csl_known(tw__csl_of_void());
}

static bool in_layout(sema *s, const node *n)
{
    if (s->phase == TW__CSL_PHASE_LAYOUT) return true;
    tw__csl_error(s, n, "csl.layout", "@%s belongs in a layout block", tw__csl_name_text(s, n->name));
    return false;
}

static bool in_comptime(sema *s, const node *n)
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
    if (!in_layout(s, n) || !tw__csl_arguments(s, n, 2, 2) ||
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
    if (!in_layout(s, n) || !tw__csl_arguments(s, n, 2, 4) || !coordinates(s, n, &pe)) return tw__csl_nothing();
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
    int64_t row = tw__csl_layout_binding(s, n, name, &params);
    if (row < 0) return tw__csl_nothing();
    *t = (tile){ n, (uint32_t)row };
    return done();
}

static bool color_argument(sema *s, const node *at, uint8_t *color)
{
    value v;
    if (!tw__csl_comptime(s, at, &tw__csl_t_COLOR, "the color", &v)) return false;
    *color = (uint8_t)v.i;
    return true;
}

static operand b_set_color_config(sema *s, const node *n, const type *expected)
{
    (void)expected;
    uint32_t pe;
    tw__csl_layout *l = s->layout;
    placed_route r = { .at = n };
    if (!in_layout(s, n) || !tw__csl_arguments(s, n, 4, 4) || !coordinates(s, n, &pe) ||
        !color_argument(s, ARG(2), &r.route.color))
        return tw__csl_nothing();
    uint8_t color = r.route.color;
    if (!tw__csl_route_of(s, ARG(3), &r.route)) return tw__csl_nothing();
    r.route.color = color;
    r.pe = pe;
    if (!l->route_keys) l->route_keys = g_hash_table_new(NULL, NULL);
    if (!g_hash_table_add(l->route_keys, (gpointer)(uintptr_t)((uint64_t)pe * 32 + color + 1)))
        return tw__csl_error(s, n, "csl.color", "color %u of PE (%u, %u) is already configured", color,
                             pe % l->width, pe / l->width);
    if (!tw__grow(&l->routes, &l->route_room, l->route_count, sizeof *l->routes)) {
        tw__csl_out_of_memory(s);
        return tw__csl_nothing();
    }
    l->routes[l->route_count++] = r;
    return done();
}

static operand b_set_local_color_config(sema *s, const node *n, const type *expected)
{
    (void)expected;
    tile_binding *b = s->binding;
    tw__csl_route r = { 0 };
    if (!in_comptime(s, n) || !tw__csl_arguments(s, n, 2, 2) || !color_argument(s, ARG(0), &r.color))
        return tw__csl_nothing();
    uint8_t color = r.color;
    if (!tw__csl_route_of(s, ARG(1), &r)) return tw__csl_nothing();
    r.color = color;
    for (size_t i = 0; i < b->local_count; i++)
        if (b->local[i].color == color)
            return tw__csl_error(s, n, "csl.color", "color %u is already configured in this program", color);
    if (!tw__grow(&b->local, &b->local_room, b->local_count, sizeof *b->local) ||
        !tw__grow(&b->local_at, &b->at_room, b->local_count, sizeof *b->local_at)) {
        tw__csl_out_of_memory(s);
        return tw__csl_nothing();
    }
    b->local_at[b->local_count] = n;
    b->local[b->local_count++] = r;
    return done();
}

static operand u16_struct(sema *s, size_t count, const char *const *names, operand *parts)
{
    const type *types[8];
    for (size_t i = 0; i < count; i++) types[i] = parts[i].type;
    operand *copy = TW__NEW_N(s->arena, operand, count);
    if (!copy) return tw__csl_nothing();
    memcpy(copy, parts, count * sizeof *parts);
    return tw__csl_compose(s, tw__csl_type_anonymous(s->types, count, names, types), copy, count);
}

static operand pair(sema *s, uint32_t width, uint32_t height)
{
    static const char *const names[] = { "width", "height" };
    operand parts[] = { tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, width)),
                        tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, height)) };
    return u16_struct(s, 2, names, parts);
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
    return u16_struct(s, 4, names, parts);
}

/* --- names for the host --- */

static operand b_export_name(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value name;
    bool is_mutable = false;
    if (!in_layout(s, n) || !tw__csl_arguments(s, n, 2, 3) ||
        !tw__csl_comptime(s, ARG(0), &tw__csl_t_COMPTIME_STRING, "the exported name", &name))
        return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(1));
    if (!t) return tw__csl_nothing();
    bool is_function = t->kind == TW__CSL_TY_FN;
    if (is_function ? n->count != 2 : n->count != 3)
        return tw__csl_error(s, n, "csl.arguments",
                             is_function ? "an exported function has no mutability"
                                         : "is the variable mutable? @export_name(name, type, true or false)");
    if (!is_function && !tw__csl_comptime_bool(s, ARG(2), "the mutability", &is_mutable)) return tw__csl_nothing();
    const type *element = t->kind == TW__CSL_TY_POINTER ? t->base : t;
    element = element->kind == TW__CSL_TY_ARRAY ? element->base : element;
    if (!is_function && (!tw__csl_is_runtime(t) || tw__csl_is_aggregate(t) || t->kind == TW__CSL_TY_ENUM))
        return tw__csl_error(s, ARG(1), "csl.export", "a value of type %s cannot be exported to the host",
                             TYPE_TEXT(t));
    if (is_function && t->count > 15)
        return tw__csl_error(s, ARG(1), "csl.export", "an exported function has at most 15 parameters, got %zu",
                             t->count);
    for (size_t i = 0; i < s->image->export_count; i++)
        if (!strcmp(s->image->exports[i].name, name.string.bytes))
            return tw__csl_error(s, n, "csl.export", "the name '%s' is already exported", name.string.bytes);
    tw__csl_layout *l = s->layout;
    tw__csl_export_name *row = TW__CSL_PUSH(s->image, exports, export);
    if (!row || !tw__grow(&l->export_types, &l->export_room, l->export_count, sizeof *l->export_types)) {
        tw__csl_out_of_memory(s);
        return tw__csl_nothing();
    }
    l->export_types[l->export_count++] = t;
    *row = (tw__csl_export_name){ .name = tw__csl_image_string(s->image, name.string.bytes),
                                  .type_text = tw__csl_image_string(s->image, TYPE_TEXT(t)),
                                  .is_function = is_function,
                                  .is_mutable = is_mutable,
                                  .type = is_function ? TW_TYPE_NONE : element->machine };
    for (size_t i = 0; is_function && i < t->count; i++) row->params[row->param_count++] = t->params[i]->machine;
    return done();
}

static int64_t export_row(const sema *s, const char *name)
{
    for (size_t i = 0; i < s->image->export_count; i++)
        if (!strcmp(s->image->exports[i].name, name)) return (int64_t)i;
    return -1;
}

static operand export_symbol(sema *s, const node *n, const operand *o, tw__csl_global *g, tw__csl_function *f,
                             const char *name)
{
    int64_t row = export_row(s, name);
    const type *t = f ? f->type : o->type;
    if (row < 0 && s->layout->has_block)
        return tw__csl_error(s, n, "csl.export", "the layout has no @export_name(\"%s\", ...)", name);
    if (row >= 0 && t != s->layout->export_types[row])
        return tw__csl_error(s, n, "csl.export", "'%s' is %s, but is exported as %s", name, TYPE_TEXT(t),
                             TYPE_TEXT(s->layout->export_types[row]));
    /* The vendor document asks for equal mutability; programs run either way. */
    if (row >= 0 && g && g->is_var != (s->image->exports[row].is_mutable != 0))
        tw__csl_warn(s, n, "csl.export", "'%s' is a %s, but is exported as %s", name,
                     g->is_var ? "variable" : "constant", g->is_var ? "immutable" : "mutable");
    tw__csl_program *p = tw__csl_sema_program(s);
    for (size_t i = 0; i < p->export_count; i++)
        if (row >= 0 && p->exports[i].name == (uint32_t)row)
            return tw__csl_error(s, n, "csl.export", "'%s' is exported twice", name);
    tw__csl_export e = { .name = (uint32_t)row, .is_function = f != NULL, .target = UINT32_MAX };
    uint32_t address = 0;
    if (f) {
        int index = tw__csl_function_index(s, n, f);
        if (index < 0) return tw__csl_nothing();
        e.target = (uint32_t)index;
    } else if (!tw__csl_address(s, n, g, &address)) {
        return tw__csl_nothing();
    } else if (t->kind == TW__CSL_TY_POINTER) {
        e.pointer = address;
        /* Exported arrays lie in the order of their exports, before anything else: a published program (fft-1d-2d)
         * writes behind one of them, where its author found nothing that matters. */
        tw__csl_global *array = g->value.kind == TW__CSL_O_VALUE ? g->value.value.pointer.global : NULL;
        if (array && !tw__csl_address(s, n, array, &address)) return tw__csl_nothing();
    }
    if (row < 0) return done();
    tw__csl_export *out = TW__CSL_PUSH(tw__csl_sema_program(s), exports, export);
    if (!out) return tw__csl_nothing();
    *out = e;
    if (g && !e.pointer) { /* the row of the symbol is known at the end */
        struct pending_export *later = TW__NEW(s->arena, struct pending_export);
        if (later) {
            *later = (struct pending_export){ s->pending_exports, tw__csl_sema_program(s)->export_count - 1, g };
            s->pending_exports = later;
        }
    }
    return done();
}

static operand b_export_symbol(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!in_comptime(s, n) || !tw__csl_arguments(s, n, 1, 2)) return tw__csl_nothing();
    value name = { 0 };
    if (n->count > 1 && !tw__csl_comptime(s, ARG(1), &tw__csl_t_COMPTIME_STRING, "the exported name", &name))
        return tw__csl_nothing();
    const node *at = ARG(0);
    tw__csl_global *g = tw__csl_named_global(s, at);
    operand o = tw__csl_expr(s, at, NULL);
    if (tw__csl_is_nothing(&o)) return o;
    tw__csl_function *f = tw__csl_function_of(&o);
    if (!f && !g)
        return tw__csl_error(s, at, "csl.export", "only functions and variables of a file can be exported");
    const char *text = name.type ? name.string.bytes : tw__csl_name_text(s, at->name);
    if (f && f->is_task) return tw__csl_error(s, at, "csl.export", "task '%s' cannot be exported", f->name);
    return export_symbol(s, n, &o, f ? NULL : g, f, text);
}

/* --- configuration registers: word addresses --- */

static operand config_address(sema *s, const node *at)
{
    operand o = tw__csl_expr_rvalue(s, at, &tw__csl_t_u16);
    if (!tw__csl_is_nothing(&o) && !tw__csl_is_int(o.type))
        return tw__csl_error(s, at, "csl.type", "the address of a register is an integer, got %s",
                             TYPE_TEXT(o.type));
    return tw__csl_coerce(s, at, o, &tw__csl_t_u16, "the address of the register");
}

static operand b_get_config(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 1)) return tw__csl_nothing();
    operand a = config_address(s, ARG(0));
    if (tw__csl_is_nothing(&a)) return a;
    if (!s->gen) return tw__csl_error(s, n, "csl.comptime", "configuration registers can be read only at run time");
    uint16_t address = tw__csl_to_register(s, n, &a);
    operand o = { .kind = TW__CSL_O_REGISTER,
                  .type = &tw__csl_t_u16,
                  .reg = tw__gen_register(s->gen, &tw__csl_t_u16) };
    tw__gen_emit(s->gen, TW__CSL_I_GET_CONFIG, o.reg, address, 0);
    return o;
}

static operand b_set_config(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    operand a = config_address(s, ARG(0));
    operand v = tw__csl_coerce(s, ARG(1), tw__csl_expr(s, ARG(1), &tw__csl_t_u16), &tw__csl_t_u16,
                               "the value of the register");
    if (tw__csl_is_nothing(&a) || tw__csl_is_nothing(&v)) return tw__csl_nothing();
    if (s->gen) {
        uint16_t address = tw__csl_to_register(s, n, &a), word = tw__csl_to_register(s, n, &v);
        tw__gen_emit(s->gen, TW__CSL_I_SET_CONFIG, address, word, 0);
        return done();
    }
    if (!in_comptime(s, n)) return tw__csl_nothing();
    if (!tw__csl_is_known(&a) || !tw__csl_is_known(&v))
        return tw__csl_error(s, n, "csl.comptime", "address and value must be known at compile time");
    /* Routing, switches, filters, queues and the task table have their own builtins at compile time (CSL reference,
     * layout builtins). */
    bool managed = a.value.i >= 0x7f20 && a.value.i < 0x7f60;
    if (managed && strcmp(tw__csl_name_text(s, n->name), "set_config_unchecked"))
        return tw__csl_error(s, ARG(0), "csl.config", "register 0x%x belongs to routing: use @set_color_config",
                             (unsigned)a.value.i);
    tw__csl_config *row = TW__CSL_PUSH(tw__csl_sema_program(s), configs, config);
    if (row) *row = (tw__csl_config){ (uint16_t)a.value.i, (uint16_t)v.value.i };
    return done();
}

static operand b_set_teardown_handler(sema *s, const node *n, const type *expected)
{
    (void)expected;
    uint8_t color;
    if (!in_comptime(s, n) || !tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
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

static operand b_has_exported_tensors(sema *s, const node *n, const type *expected)
{
    (void)expected;
    bool any = false;
    for (size_t i = 0; i < s->image->export_count; i++) any = any || !s->image->exports[i].is_function;
    return tw__csl_arguments(s, n, 0, 0) ? tw__csl_known(tw__csl_of_bool(any)) : tw__csl_nothing();
}

/* @rpc of older programs: the host reaches functions without a task of the program (accepted, without effect). */
static operand b_rpc(sema *s, const node *n, const type *expected)
{
    (void)expected;
    return tw__csl_arguments(s, n, 1, 1) ? done() : tw__csl_nothing();
}

static const struct {
    const char *name;
    tw__csl_builtin_fn fn;
} rows[] = {
    { "export_name", b_export_name },
    { "export_symbol", b_export_symbol },
    { "get_config", b_get_config },
    { "get_config_unchecked", b_get_config },
    { "get_rectangle", b_get_rectangle },
    { "has_exported_tensors", b_has_exported_tensors },
    { "rpc", b_rpc },
    { "set_color_config", b_set_color_config },
    { "set_config", b_set_config },
    { "set_config_unchecked", b_set_config },
    { "set_local_color_config", b_set_local_color_config },
    { "set_rectangle", b_set_rectangle },
    { "set_teardown_handler", b_set_teardown_handler },
    { "set_tile_code", b_set_tile_code },
};

tw__csl_builtin_fn tw__csl_layout_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) return rows[i].fn;
    return NULL;
}
