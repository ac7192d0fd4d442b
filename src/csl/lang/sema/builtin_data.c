/* SPDX-License-Identifier: MIT */
/* Builtins on arrays, ranges and strings (CSL reference, builtins), and @__sys, the libraries' door to the
 * machine. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"
#include <jansson.h>

#define ARG(i) (n->kid[i])

static operand known_int(const type *t, tw__csl_int i)
{
    return tw__csl_known(tw__csl_of_int(t, i));
}

/* --- arrays --- */

static const type *array_argument(sema *s, const node *n)
{
    const type *t = tw__csl_type_expr(s, ARG(0));
    if (t && t->kind == TW__CSL_TY_ARRAY) return t;
    if (t)
        tw__csl_error(s, ARG(0), "csl.type", "@%s needs an array type, got %s", tw__csl_name_text(s, n->name),
                      TYPE_TEXT(t));
    return NULL;
}

static operand filled(sema *s, const type *t, value v)
{
    value out = { .type = t, .parts = tw__csl_parts_fill(s->arena, tw__csl_element_count(t), v) };
    if (!out.parts) {
        tw__csl_out_of_memory(s);
        return tw__csl_nothing();
    }
    out.parts->shared = true;
    return tw__csl_known(out);
}

static operand b_zeros(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const type *t = tw__csl_arguments(s, n, 1, 1) ? array_argument(s, n) : NULL;
    value zero;
    if (!t) return tw__csl_nothing();
    if (!tw__csl_is_number(t->base) || !tw__csl_zero(s->arena, t->base, &zero))
        return tw__csl_error(s, ARG(0), "csl.type", "@zeros makes arrays of numbers, not %s%s", TYPE_TEXT(t),
                             t->base->kind == TW__CSL_TY_BOOL ? "; use @constants" : "");
    return filled(s, t, zero);
}

static operand b_constants(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const type *t = tw__csl_arguments(s, n, 2, 2) ? array_argument(s, n) : NULL;
    if (!t) return tw__csl_nothing();
    operand v = tw__csl_coerce_init(s, ARG(1), tw__csl_expr_rvalue(s, ARG(1), t->base), t->base, "the value");
    if (tw__csl_is_nothing(&v)) return v;
    if (tw__csl_is_known(&v)) return filled(s, t, v.value);
    size_t count = tw__csl_element_count(t);
    if (count > 4096)
        return tw__csl_error(s, n, "csl.limit", "@constants of a run-time value makes at most 4096 elements");
    operand *parts = TW__NEW_N(s->arena, operand, count + 1);
    for (size_t i = 0; parts && i < count; i++) parts[i] = tw__csl_stable(s, n, v);
    return parts ? tw__csl_compose(s, t, parts, count) : tw__csl_nothing();
}

static operand b_dimensions(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const type *t = tw__csl_arguments(s, n, 1, 1) ? array_argument(s, n) : NULL;
    if (!t) return tw__csl_nothing();
    uint32_t rank = (uint32_t)t->count;
    operand *parts = TW__NEW_N(s->arena, operand, t->count + 1);
    for (size_t i = 0; parts && i < t->count; i++) parts[i] = known_int(&tw__csl_t_u32, t->dims[i]);
    return parts ? tw__csl_compose(s, tw__csl_type_array(s->types, &tw__csl_t_u32, 1, &rank), parts, t->count)
                 : tw__csl_nothing();
}

static operand b_rank(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const type *t = tw__csl_arguments(s, n, 1, 1) ? array_argument(s, n) : NULL;
    return t ? known_int(&tw__csl_t_u16, (tw__csl_int)t->count) : tw__csl_nothing();
}

static operand b_element_count(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const type *t = tw__csl_arguments(s, n, 1, 1) ? array_argument(s, n) : NULL;
    return t ? known_int(&tw__csl_t_u32, (tw__csl_int)tw__csl_element_count(t)) : tw__csl_nothing();
}

static operand b_element_type(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const type *t = tw__csl_arguments(s, n, 1, 1) ? array_argument(s, n) : NULL;
    return t ? tw__csl_known(tw__csl_of_type(t->base)) : tw__csl_nothing();
}

/* --- ranges --- */

/* The first and the last number of a range, if it has any, are numbers of its type. */
static bool range_fits(sema *s, const node *n, const type *t, const value *r)
{
    int64_t start = r->range.start, step = r->range.step, way = r->range.stop - start;
    if (!t->size || (step > 0 ? way <= 0 : way >= 0)) return true;
    int64_t last = start + (way + (step > 0 ? -1 : 1)) / step * step;
    bool first_fits = tw__csl_fits(t, start);
    if (first_fits && tw__csl_fits(t, last)) return true;
    tw__csl_error(s, n, "csl.range", "the range has the number %lld, which does not fit %s",
                  (long long)(first_fits ? last : start), TYPE_TEXT(t));
    return false;
}

static operand b_range(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 4) || n->count == 3)
        return n->count == 3
                   ? tw__csl_error(s, n, "csl.arguments", "@range takes (type, stop) or (type, start, stop, step)")
                   : tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(0));
    if (!t) return tw__csl_nothing();
    if (!tw__csl_is_int(t))
        return tw__csl_error(s, ARG(0), "csl.type", "a range is of integers, not %s", TYPE_TEXT(t));
    operand *p = TW__NEW_N(s->arena, operand, 3);
    if (!p) return tw__csl_nothing();
    static const char *const what[] = { "the start of the range", "the end of the range", "the step of the range" };
    const type *bound = t;
    for (int i = 0; i < 3; i++) {
        const node *at = n->count == 4 ? ARG(1 + i) : i == 1 ? ARG(1) : NULL;
        p[i] = at ? tw__csl_stable(s, at, tw__csl_expr(s, at, bound)) : known_int(t, i == 2);
        bool literal = p[i].kind == TW__CSL_O_VALUE && tw__csl_is_int(p[i].type);
        /* The end may lie one past the last value of the type; a step down of an unsigned type is negative. */
        if (!literal && at) p[i] = tw__csl_coerce(s, at, p[i], bound, what[i]);
        if (tw__csl_is_nothing(&p[i])) return p[i];
    }
    if (p[2].kind == TW__CSL_O_VALUE && p[2].value.i == 0)
        return tw__csl_error(s, n, "csl.range", "the step of a range must not be 0");
    const type *range = tw__csl_type_range(s->types, t);
    for (int i = 0; i < 3; i++)
        if (p[i].kind != TW__CSL_O_VALUE)
            return (operand){ .kind = TW__CSL_O_GROUP, .type = range, .parts = p };
        else if (p[i].value.i < INT64_MIN / 4 || p[i].value.i > INT64_MAX / 4)
            return tw__csl_error(s, n, "csl.range", "the bounds of a range need at most 61 bits");
    value v = { .type = range };
    v.range.start = (int64_t)p[0].value.i;
    v.range.stop = (int64_t)p[1].value.i;
    v.range.step = (int64_t)p[2].value.i;
    return range_fits(s, n, t, &v) ? tw__csl_known(v) : tw__csl_nothing();
}

static operand range_part(sema *s, const node *n, int part)
{
    if (!tw__csl_arguments(s, n, 1, 1)) return tw__csl_nothing();
    operand o = tw__csl_expr_rvalue(s, ARG(0), NULL);
    if (tw__csl_is_nothing(&o)) return o;
    if (o.type->kind != TW__CSL_TY_RANGE)
        return tw__csl_error(s, ARG(0), "csl.type", "@%s needs a range, got %s", tw__csl_name_text(s, n->name),
                             TYPE_TEXT(o.type));
    if (o.kind == TW__CSL_O_GROUP) return o.parts[part];
    int64_t v[] = { o.value.range.start, o.value.range.stop, o.value.range.step };
    return known_int(tw__csl_fits(o.type->base, v[part]) ? o.type->base : &tw__csl_t_COMPTIME_INT, v[part]);
}
static operand b_range_start(sema *s, const node *n, const type *expected)
{
    (void)expected;
    return range_part(s, n, 0);
}
static operand b_range_stop(sema *s, const node *n, const type *expected)
{
    (void)expected;
    return range_part(s, n, 1);
}
static operand b_range_step(sema *s, const node *n, const type *expected)
{
    (void)expected;
    return range_part(s, n, 2);
}

/* --- strings --- */

static operand string_value(sema *s, const char *bytes, size_t length)
{
    char *copy = tw__arena_alloc(s->arena, length + 1, 1);
    if (!copy) {
        tw__csl_out_of_memory(s);
        return tw__csl_nothing();
    }
    memcpy(copy, bytes, length);
    copy[length] = 0;
    value v = { .type = &tw__csl_t_COMPTIME_STRING };
    v.string.bytes = copy;
    v.string.length = length;
    return tw__csl_known(v);
}

static operand b_strcat(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 1000)) return tw__csl_nothing();
    GString *all = g_string_new(NULL);
    bool good = true;
    for (uint32_t i = 0; i < n->count && good; i++) {
        value v;
        good = tw__csl_comptime(s, ARG(i), &tw__csl_t_COMPTIME_STRING, "the argument of @strcat", &v);
        if (good && all->len + v.string.length > (1u << 24)) {
            tw__csl_error(s, n, "csl.limit", "the string is longer than 16 MiB");
            s->shared->out_of_steps = true; /* a loop around it would only do the same again */
            good = false;
        }
        if (good) g_string_append_len(all, v.string.bytes, (gssize)v.string.length);
    }
    operand o = good ? string_value(s, all->str, all->len) : tw__csl_nothing();
    g_string_free(all, TRUE);
    return o;
}

static operand b_strlen(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value v;
    if (!tw__csl_arguments(s, n, 1, 1) ||
        !tw__csl_comptime(s, ARG(0), &tw__csl_t_COMPTIME_STRING, "the argument of @strlen", &v))
        return tw__csl_nothing();
    return known_int(&tw__csl_t_COMPTIME_INT, (tw__csl_int)v.string.length);
}

static operand b_get_array(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value v;
    if (!tw__csl_arguments(s, n, 1, 1) ||
        !tw__csl_comptime(s, ARG(0), &tw__csl_t_COMPTIME_STRING, "the argument of @get_array", &v))
        return tw__csl_nothing();
    uint32_t dim = (uint32_t)v.string.length;
    value out = { .type = tw__csl_type_array(s->types, &tw__csl_t_u8, 1, &dim),
                  .parts = tw__csl_parts_new(s->arena, dim) };
    if (!out.parts) return tw__csl_nothing();
    for (uint32_t i = 0; i < dim; i++)
        out.parts->items[i] = tw__csl_of_int(&tw__csl_t_u8, (unsigned char)v.string.bytes[i]);
    out.parts->shared = true;
    return tw__csl_known(out);
}

static operand b_get_string_from_byte(sema *s, const node *n, const type *expected)
{
    (void)expected;
    int64_t byte;
    if (!tw__csl_arguments(s, n, 1, 1) || !tw__csl_comptime_int_in(s, ARG(0), "the byte", 0, 255, &byte))
        return tw__csl_nothing();
    char c = (char)byte;
    return string_value(s, &c, 1);
}

/* --- @import_comptime_value(T, "file.json"): numbers, booleans, strings, arrays and structs of them --- */

static bool from_json(sema *s, const node *n, const type *t, const json_t *j, value *out);

static bool json_items(sema *s, const node *n, const type *t, const json_t *j, size_t depth, size_t *at,
                       value *items)
{
    if (depth == t->count) return from_json(s, n, t->base, j, &items[(*at)++]);
    if (!json_is_array(j) || json_array_size(j) != t->dims[depth]) return false;
    for (size_t i = 0; i < json_array_size(j); i++)
        if (!json_items(s, n, t, json_array_get(j, i), depth + 1, at, items)) return false;
    return true;
}

static bool from_json(sema *s, const node *n, const type *t, const json_t *j, value *out)
{
    *out = (value){ .type = t };
    if (tw__csl_is_int(t)) {
        out->i = json_integer_value(j);
        return json_is_integer(j) && tw__csl_fits(t, out->i);
    }
    if (tw__csl_is_float(t)) {
        out->f = tw__csl_round(t, json_number_value(j));
        return json_is_number(j);
    }
    switch (t->kind) {
    case TW__CSL_TY_BOOL: out->i = json_is_true(j); return json_is_boolean(j);
    case TW__CSL_TY_COMPTIME_STRING: {
        operand o =
            json_is_string(j) ? string_value(s, json_string_value(j), json_string_length(j)) : tw__csl_nothing();
        *out = o.value;
        return tw__csl_is_known(&o);
    }
    case TW__CSL_TY_ARRAY: {
        size_t at = 0;
        out->parts = tw__csl_parts_new(s->arena, tw__csl_element_count(t));
        if (out->parts) out->parts->shared = true;
        return out->parts && json_items(s, n, t, j, 0, &at, out->parts->items);
    }
    case TW__CSL_TY_STRUCT:
        out->parts = json_is_object(j) ? tw__csl_parts_new(s->arena, t->count) : NULL;
        for (size_t i = 0; out->parts && i < t->count; i++) {
            const json_t *part = json_object_get(j, t->fields[i].name);
            if (!part || !from_json(s, n, t->fields[i].type, part, &out->parts->items[i])) return false;
        }
        return out->parts != NULL;
    default: return false;
    }
}

static operand b_import_comptime_value(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value name;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(0));
    if (!t || !tw__csl_comptime(s, ARG(1), &tw__csl_t_COMPTIME_STRING, "the name of a file", &name))
        return tw__csl_nothing();
    size_t size;
    char *text = tw__csl_read_near(s, s->module, name.string.bytes, &size);
    if (!text) return tw__csl_error(s, ARG(1), "csl.import", "cannot read '%s'", name.string.bytes);
    json_error_t error;
    json_t *j = json_loadb(text, size, JSON_DECODE_ANY, &error);
    free(text);
    if (!j)
        return tw__csl_error(s, ARG(1), "csl.import", "'%s' is not JSON: line %d: %s", name.string.bytes,
                             error.line, error.text);
    value v;
    bool good = from_json(s, n, t, j, &v);
    json_decref(j);
    if (!good)
        return tw__csl_error(s, n, "csl.type", "the value in '%s' is not a %s", name.string.bytes, TYPE_TEXT(t));
    return tw__csl_known(v);
}

/* --- @__sys(R, "name", arguments...): libraries only --- */

typedef enum when { WHEN_R, WHEN_D } when;
enum { RESULT_V, RESULT_U16, RESULT_U32, RESULT_F16, RESULT_F32 };
static const struct {
    const char *name, *args;
    uint8_t result, when;
} services[] = {
#define X(NAME, name, result, args, when, text) { name, args, RESULT_##result, WHEN_##when },
#include "csl/lang/code/service.def"
#undef X
};

static const type *service_argument(char letter)
{
    switch (letter) {
    case 'U': return &tw__csl_t_u32;
    case 'h': return &tw__csl_t_f16;
    case 'f': return &tw__csl_t_f32;
    default: return &tw__csl_t_u16;
    }
}

/* Colors and ids pass as their numbers, pointers as their addresses. */
static operand service_operand(sema *s, const node *at, char letter)
{
    operand o = tw__csl_expr_rvalue(s, at, NULL);
    if (tw__csl_is_nothing(&o)) return o;
    if (letter == 'p' && o.type->kind == TW__CSL_TY_POINTER) return o;
    if (tw__csl_is_id(o.type)) {
        o.type = &tw__csl_t_u16;
        o.value.type = o.type;
    }
    return tw__csl_coerce(s, at, o, service_argument(letter), "the argument of a service");
}

static operand declare_service(sema *s, const node *n, uint32_t service)
{
    if (s->phase != TW__CSL_PHASE_COMPTIME)
        return tw__csl_error(s, n, "csl.builtin", "this service is declared in a comptime block");
    tw__csl_declaration d = { .service = service };
    for (uint32_t i = 2; i < n->count && i < 6; i++) {
        operand o = service_operand(s, ARG(i), services[service].args[i - 2]);
        if (!tw__csl_is_known(&o))
            return tw__csl_is_nothing(&o)
                       ? o
                       : tw__csl_error(s, ARG(i), "csl.comptime", "the argument must be known at compile time");
        d.args[i - 2] = (uint32_t)o.value.i;
    }
    tw__csl_program *p = tw__csl_sema_program(s);
    tw__csl_declaration *row = p ? TW__CSL_PUSH(p, declarations, declaration) : NULL;
    if (row) *row = d;
    return tw__csl_known(tw__csl_of_void());
}

static operand call_service(sema *s, const node *n, uint32_t service, const type *result)
{
    if (!s->gen)
        return tw__csl_error(s, n, "csl.comptime", "@__sys(\"%s\") works only at run time", services[service].name);
    uint16_t from[8];
    uint32_t count = n->count - 2;
    for (uint32_t i = 0; i < count; i++) {
        operand o = service_operand(s, ARG(i + 2), services[service].args[i]);
        if (tw__csl_is_nothing(&o)) return o;
        from[i] = tw__csl_to_register(s, ARG(i + 2), &o);
    }
    gen *g = s->gen;
    uint32_t window = tw__gen_hold(g);
    for (uint32_t i = 0; i < count; i++)
        tw__gen_move(g, tw__gen_register(g, &tw__csl_t_u16), from[i], &tw__csl_t_u16);
    if (!count) /* results come at the window's start */
        tw__gen_register(g, &tw__csl_t_u16);
    tw__gen_emit(g, TW__CSL_I_SYS, window, service, count);
    tw__gen_release(g, window);
    if (result->kind == TW__CSL_TY_VOID) return tw__csl_known(tw__csl_of_void());
    return (operand){ .kind = TW__CSL_O_REGISTER, .type = result, .reg = tw__gen_register(g, result) };
}

static operand b_sys(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!s->module || !s->module->is_library)
        return tw__csl_error(s, n, "csl.builtin", "there is no builtin @%s", tw__csl_name_text(s, n->name));
    value name;
    if (!tw__csl_arguments(s, n, 2, 8)) return tw__csl_nothing();
    const type *result = tw__csl_type_expr(s, ARG(0));
    if (!result || !tw__csl_comptime(s, ARG(1), &tw__csl_t_COMPTIME_STRING, "the name of a service", &name))
        return tw__csl_nothing();
    for (uint32_t i = 0; i < sizeof services / sizeof *services; i++) {
        if (strcmp(services[i].name, name.string.bytes)) continue;
        if (strlen(services[i].args) != n->count - 2)
            return tw__csl_error(s, n, "csl.arguments", "service \"%s\" takes %zu arguments", services[i].name,
                                 strlen(services[i].args));
        return services[i].when == WHEN_D ? declare_service(s, n, i) : call_service(s, n, i, result);
    }
    return tw__csl_error(s, ARG(1), "csl.builtin", "there is no service \"%s\"", name.string.bytes);
}

/* --- @__type(T, "question"): the library <types> only --- */

static operand b_type(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value question;
    if (!s->module || !s->module->is_library)
        return tw__csl_error(s, n, "csl.builtin", "there is no builtin @%s", tw__csl_name_text(s, n->name));
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(0));
    if (!t || !tw__csl_comptime(s, ARG(1), &tw__csl_t_COMPTIME_STRING, "the question", &question))
        return tw__csl_nothing();
    bool sized = t->size || t->kind == TW__CSL_TY_VOID;
    const char *q = question.string.bytes;
    const struct {
        const char *name;
        bool is_number;
        tw__csl_int answer;
    } answers[] = {
        { "int", false, tw__csl_is_int(t) },
        { "float", false, tw__csl_is_float(t) },
        { "signed", false, t->kind == TW__CSL_TY_COMPTIME_INT || t->is_signed },
        { "dsd", false, tw__csl_is_dsd(t) || t->kind == TW__CSL_TY_FIFO },
        { "dsr", false, tw__csl_is_dsr(t) },
        { "bits", true, t->kind == TW__CSL_TY_INT ? (tw__csl_int)t->bits : (tw__csl_int)t->size * 8 },
        { "bytes", true, t->size },
        { "align", true, t->align },
        { "uint", true, 0 },
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (strcmp(answers[i].name, q)) continue;
        if (answers[i].is_number && !sized)
            return tw__csl_error(s, n, "csl.type", "%s exists at compile time only: it has no size", TYPE_TEXT(t));
        if (!strcmp(q, "uint") && (t->size < 1 || t->size > 8 || tw__csl_is_aggregate(t)))
            return tw__csl_error(s, n, "csl.type", "no integer is as wide as %s", TYPE_TEXT(t));
        if (!strcmp(q, "uint"))
            return tw__csl_known(tw__csl_of_type(
                tw__csl_type_int(s->types, t->kind == TW__CSL_TY_INT ? t->bits : t->size * 8, false)));
        return answers[i].is_number ? known_int(&tw__csl_t_u32, answers[i].answer)
                                    : tw__csl_known(tw__csl_of_bool(answers[i].answer != 0));
    }
    return tw__csl_error(s, ARG(1), "csl.builtin", "@__type has no answer to \"%s\"", q);
}

static const tw__csl_builtin_row rows[] = {
    { "__sys", b_sys },
    { "__type", b_type },
    { "constants", b_constants },
    { "dimensions", b_dimensions },
    { "element_count", b_element_count },
    { "element_type", b_element_type },
    { "get_array", b_get_array },
    { "get_string_from_byte", b_get_string_from_byte },
    { "import_comptime_value", b_import_comptime_value },
    { "range", b_range },
    { "range_start", b_range_start },
    { "range_step", b_range_step },
    { "range_stop", b_range_stop },
    { "rank", b_rank },
    { "strcat", b_strcat },
    { "strlen", b_strlen },
    { "zeros", b_zeros },
};

const tw__csl_builtin_table tw__csl_data_builtins = { rows, sizeof rows / sizeof *rows };
