/* SPDX-License-Identifier: MIT */
/* Builtins that make names known outside of a program, and read what the names stand for (CSL reference, builtins for
 * remote procedure calls). */
#include "csl/lang/sema/gen.h"
#include "csl/lang/layout/layout.h"

#define ARG(i) (n->kid[i])

static operand done(void)
{
    return tw__csl_known(tw__csl_of_void());
}

/* --- names for the host --- */

static operand b_export_name(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value name;
    bool is_mutable = false;
    if (!tw__csl_in_layout(s, n) || !tw__csl_arguments(s, n, 2, 3) ||
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
    if (!is_function && (!tw__csl_is_runtime(t) || tw__csl_is_aggregate(t) || t->kind == TW__CSL_TY_ENUM ||
                         element->kind == TW__CSL_TY_DIRECTION))
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
        struct pending_export *later = TW__NEW(s->lasting, struct pending_export);
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
    if (!tw__csl_in_comptime(s, n) || !tw__csl_arguments(s, n, 1, 2)) return tw__csl_nothing();
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

/* @export(pointer or function, .{ .name = "text" }): the symbol stays in the program, under this name. */
static operand b_export(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value config;
    if (!tw__csl_in_comptime(s, n) || !tw__csl_arguments(s, n, 1, 2)) return tw__csl_nothing();
    const char *name = NULL;
    if (n->count > 1) {
        if (!tw__csl_comptime(s, ARG(1), NULL, "the settings of @export", &config)) return tw__csl_nothing();
        int row = config.type->kind == TW__CSL_TY_STRUCT ? tw__csl_field_index(config.type, "name") : -1;
        if (row < 0 || config.type->count != 1 || config.type->fields[row].type != &tw__csl_t_COMPTIME_STRING)
            return tw__csl_error(s, ARG(1), "csl.field", "the settings of @export are .{ .name = \"...\" }, got %s",
                                 TYPE_TEXT(config.type));
        name = tw__csl_part(config.parts, (size_t)row).string.bytes;
    }
    tw__csl_global *g = tw__csl_named_global(s, ARG(0));
    operand o = tw__csl_expr(s, ARG(0), NULL);
    if (tw__csl_is_nothing(&o)) return o;
    tw__csl_function *f = tw__csl_function_of(&o);
    /* A pointer known at compile time stands for what it points at. */
    if (o.kind == TW__CSL_O_VALUE && o.type->kind == TW__CSL_TY_POINTER && !f && o.value.pointer.global)
        g = o.value.pointer.global;
    if (f) {
        int index = tw__csl_function_index(s, n, f);
        if (index < 0) return tw__csl_nothing();
        if (name) tw__csl_sema_program(s)->functions[index].name = tw__csl_image_string(s->image, name);
        return done();
    }
    if (!g)
        return tw__csl_error(s, ARG(0), "csl.export",
                             "@export takes the address of a variable of a file, or a function, not %s",
                             TYPE_TEXT(o.type));
    if (!tw__csl_place_global(s, n, g)) return tw__csl_nothing();
    if (name) g->name = tw__arena_strdup(s->lasting, name);
    return done();
}

/* --- what exported names stand for --- */

/* The row of image.exports under which this program exports the variable or function; -1 = it does not. */
static int64_t advertised(sema *s, const tw__csl_global *g, int function)
{
    const tw__csl_program *p = tw__csl_sema_program(s);
    if (!p) return -1;
    for (size_t i = 0; i < p->export_count; i++) {
        const tw__csl_export *e = &p->exports[i];
        if (e->is_function ? function >= 0 && e->target == (uint32_t)function
                           : g && e->pointer && g->placed && e->pointer == g->address)
            return e->name;
    }
    for (const struct pending_export *e = s->pending_exports; e; e = e->next)
        if (g && e->global == g) return p->exports[e->row].name;
    return -1;
}

static operand b_get_symbol_id(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 1)) return tw__csl_nothing();
    if (s->is_layout) return tw__csl_error(s, n, "csl.layout", "@get_symbol_id has no place in a layout");
    tw__csl_global *g = tw__csl_named_global(s, ARG(0));
    operand o = tw__csl_expr(s, ARG(0), NULL);
    if (tw__csl_is_nothing(&o)) return o;
    tw__csl_function *f = tw__csl_function_of(&o);
    int index = f ? tw__csl_function_index(s, ARG(0), f) : -1;
    if (f && index < 0) return tw__csl_nothing();
    int64_t row = advertised(s, f ? NULL : g, index);
    if (row >= 0) return tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, row));
    return tw__csl_error(s, ARG(0), "csl.export", "this is not exported: @export_symbol comes first");
}

/* A run-time search by id among the exported variables that `fits`; each hit loads the variable into `to`. */
static size_t search(sema *s, const node *n, uint16_t id, uint16_t to, const type *t)
{
    gen *g = s->gen;
    size_t found = 0;
    uint16_t number = tw__gen_register(g, &tw__csl_t_u16), equal = tw__gen_register(g, &tw__csl_t_BOOL);
    label out = tw__gen_label_new(g);
    for (size_t i = 0; i < tw__csl_sema_program(s)->export_count; i++) {
        const tw__csl_export e = tw__csl_sema_program(s)->exports[i];
        if (e.is_function) continue;
        const type *is = s->layout->export_types[e.name];
        uint32_t address = e.pointer;
        for (const struct pending_export *p = s->pending_exports; p; p = p->next)
            if (p->row == i && !tw__csl_address(s, n, p->global, &address)) return 0;
        if (t ? is != t : is->kind != TW__CSL_TY_POINTER) continue;
        label next = tw__gen_label_new(g);
        tw__gen_load_int(g, number, e.name);
        tw__gen_binary(g, TW__CSL_T_EQ, &tw__csl_t_u16, equal, id, number);
        tw__gen_branch(g, equal, false, next);
        tw__gen_load(g, to, is, false, 0, address);
        tw__gen_jump(g, out);
        tw__gen_bind(g, next);
        found++;
    }
    /* An id that nothing has: the vendor's document leaves open what happens; here the run stops. */
    tw__gen_load_int(g, equal, 0);
    tw__gen_at(g, n);
    tw__gen_emit(g, TW__CSL_I_ASSERT, equal, 0, 0);
    tw__gen_bind(g, out);
    return found;
}

static operand builtin_symbol_read(sema *s, const node *n, const node *id_at, const type *wanted,
                                   const type *result)
{
    if (!s->gen)
        return tw__csl_error(s, n, "csl.comptime", "@%s works only at run time", tw__csl_name_text(s, n->name));
    operand id = tw__csl_coerce(s, id_at, tw__csl_expr_rvalue(s, id_at, &tw__csl_t_u16), &tw__csl_t_u16,
                                "the number of the symbol");
    if (tw__csl_is_nothing(&id)) return id;
    uint16_t reg = tw__csl_to_register(s, id_at, &id);
    operand o = { .kind = TW__CSL_O_REGISTER, .type = result, .reg = tw__gen_register(s->gen, result) };
    tw__gen_load_int(s->gen, o.reg, 0);
    if (!search(s, n, reg, o.reg, wanted) && wanted)
        return tw__csl_error(s, n, "csl.export", "no variable of type %s is exported", TYPE_TEXT(wanted));
    return o;
}

static operand b_get_symbol_value(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(0));
    return t ? builtin_symbol_read(s, n, ARG(1), t, t) : tw__csl_nothing();
}

static operand b_get_tensor_ptr(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 1)) return tw__csl_nothing();
    return builtin_symbol_read(s, n, ARG(0), NULL, tw__csl_type_pointer(s->types, &tw__csl_t_u16, false, true));
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

static const tw__csl_builtin_row rows[] = {
    { "export", b_export },
    { "export_name", b_export_name },
    { "export_symbol", b_export_symbol },
    { "get_symbol_id", b_get_symbol_id },
    { "get_symbol_value", b_get_symbol_value },
    { "get_tensor_ptr", b_get_tensor_ptr },
    { "has_exported_tensors", b_has_exported_tensors },
    { "rpc", b_rpc },
};

const tw__csl_builtin_table tw__csl_symbol_builtins = { rows, sizeof rows / sizeof *rows };
