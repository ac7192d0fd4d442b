/* SPDX-License-Identifier: MIT */
/* Builtins that read and write configuration registers of a PE by word address, and number its filters (CSL
 * reference, builtins). The map of the registers is in docs/wse.md. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/layout/layout.h"

#define ARG(i) (n->kid[i])

enum { FIRST = 0x7e00, LAST = 0x7fff };

/* What other builtins configure at compile time: filters, queues, routes and switches. */
static const struct {
    uint16_t first, last;
    const char *what;
} reserved[] = {
    { 0x7ec0, 0x7eff, "filters: use @set_color_config" },
    { 0x7f10, 0x7f1f, "queues: use @initialize_queue" },
    { 0x7f20, 0x7f3f, "routing: use @set_color_config" },
    { 0x7f40, 0x7f7f, "switches: use @set_color_config" },
};

static bool unchecked(const sema *s, const node *n)
{
    const char *name = tw__csl_name_text(s, n->name);
    return strlen(name) > 10 && !strcmp(name + strlen(name) - 10, "_unchecked");
}

static operand config_address(sema *s, const node *n, const node *at)
{
    operand o = tw__csl_expr_rvalue(s, at, &tw__csl_t_u16);
    if (!tw__csl_is_nothing(&o) && !tw__csl_is_int(o.type))
        return tw__csl_error(s, at, "csl.type", "the address of a register is an integer, got %s",
                             TYPE_TEXT(o.type));
    o = tw__csl_coerce(s, at, o, &tw__csl_t_u16, "the address of the register");
    if (tw__csl_is_nothing(&o) || !tw__csl_is_known(&o)) return o;
    int64_t a = (int64_t)o.value.i;
    if (a < FIRST || a > LAST)
        return tw__csl_error(s, at, "csl.config",
                             "configuration registers have word addresses 0x%x to 0x%x, not 0x%x", FIRST, LAST,
                             (unsigned)a);
    if (s->phase != TW__CSL_PHASE_COMPTIME || unchecked(s, n)) return o;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (a >= reserved[i].first && a <= reserved[i].last)
            return tw__csl_error(s, at, "csl.config", "register 0x%x belongs to %s", (unsigned)a, reserved[i].what);
    return o;
}

/* .{first, last}; `inside` becomes true when the address is known and lies in it. */
static bool one_range(sema *s, const node *at, const value *v, const operand *address, bool *inside)
{
    if (v->type->kind != TW__CSL_TY_STRUCT || !v->type->tuple || v->type->count != 2) {
        tw__csl_error(s, at, "csl.type", "a range of addresses is .{ first, last }, got %s", TYPE_TEXT(v->type));
        return false;
    }
    value first = tw__csl_part(v->parts, 0), last = tw__csl_part(v->parts, 1);
    if (!tw__csl_is_int(first.type) || !tw__csl_is_int(last.type)) {
        tw__csl_error(s, at, "csl.type", "a range of addresses is .{ first, last }, got %s", TYPE_TEXT(v->type));
        return false;
    }
    if (first.i > last.i) {
        tw__csl_error(s, at, "csl.range", "the range of addresses ends before it begins");
        return false;
    }
    if (tw__csl_is_known(address) && address->value.i >= first.i && address->value.i <= last.i) *inside = true;
    return true;
}

/* The ranges that the program promises for an address: one, or a tuple of them. */
static bool ranges_ok(sema *s, const node *n, uint32_t at, const operand *address)
{
    value v;
    bool inside = false;
    if (n->count <= at) return true;
    if (!tw__csl_comptime(s, ARG(at), NULL, "the range of addresses", &v)) return false;
    bool many =
        v.type->kind == TW__CSL_TY_STRUCT && v.type->count && v.type->fields[0].type->kind == TW__CSL_TY_STRUCT;
    if (!many && !one_range(s, ARG(at), &v, address, &inside)) return false;
    for (size_t i = 0; many && i < v.type->count; i++) {
        value part = tw__csl_part(v.parts, i);
        if (!one_range(s, ARG(at), &part, address, &inside)) return false;
    }
    if (inside || !tw__csl_is_known(address)) return true;
    tw__csl_error(s, ARG(0), "csl.range", "register 0x%x is outside of the range that is given for it",
                  (unsigned)address->value.i);
    return false;
}

static operand b_get_config(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, unchecked(s, n) ? 1 : 2)) return tw__csl_nothing();
    operand a = config_address(s, n, ARG(0));
    if (tw__csl_is_nothing(&a) || !ranges_ok(s, n, 1, &a)) return tw__csl_nothing();
    if (!s->gen && s->phase == TW__CSL_PHASE_COMPTIME && tw__csl_is_known(&a)) {
        const tw__csl_program *p = tw__csl_sema_program(s);
        for (size_t i = p->config_count; i > 0; i--)
            if (p->configs[i - 1].address == a.value.i)
                return tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, p->configs[i - 1].value));
        return tw__csl_error(s, n, "csl.config", "register 0x%x has no value yet: @set_config comes first",
                             (unsigned)a.value.i);
    }
    if (!s->gen)
        return tw__csl_error(s, n, "csl.comptime",
                             "configuration registers are read at run time or in a comptime block");
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
    if (!tw__csl_arguments(s, n, 2, unchecked(s, n) ? 2 : 3)) return tw__csl_nothing();
    operand a = config_address(s, n, ARG(0));
    operand v = tw__csl_coerce(s, ARG(1), tw__csl_expr(s, ARG(1), &tw__csl_t_u16), &tw__csl_t_u16,
                               "the value of the register");
    if (tw__csl_is_nothing(&a) || tw__csl_is_nothing(&v) || !ranges_ok(s, n, 2, &a)) return tw__csl_nothing();
    if (s->gen) {
        uint16_t address = tw__csl_to_register(s, n, &a), word = tw__csl_to_register(s, n, &v);
        tw__gen_emit(s->gen, TW__CSL_I_SET_CONFIG, address, word, 0);
        return tw__csl_known(tw__csl_of_void());
    }
    if (!tw__csl_in_comptime(s, n)) return tw__csl_nothing();
    if (!tw__csl_is_known(&a) || !tw__csl_is_known(&v))
        return tw__csl_error(s, n, "csl.comptime", "address and value must be known at compile time");
    tw__csl_config *row = TW__CSL_PUSH(tw__csl_sema_program(s), configs, config);
    if (row) *row = (tw__csl_config){ (uint16_t)a.value.i, (uint16_t)v.value.i };
    return tw__csl_known(tw__csl_of_void());
}

/* --- filters: those of a PE are numbered in the order of their colors --- */

static bool has_filter(const tw__csl_route *r)
{
    return r->filter.kind != TW__CSL_FILTER_NONE;
}

/* The number of the color's filter on all PEs of the program; -1: there is none, -2: it differs. */
static int filter_number(const sema *s, uint8_t color)
{
    const tw__csl_layout *l = s->layout;
    const tile_binding *b = s->binding;
    unsigned below = 0;
    bool local = false;
    for (size_t i = 0; b && i < b->local_count; i++) {
        below += has_filter(&b->local[i]) && b->local[i].color < color;
        local = local || (has_filter(&b->local[i]) && b->local[i].color == color);
    }
    uint32_t count = l->width * l->height, program = b ? (uint32_t)(b - l->bindings) : 0;
    uint8_t *seen = tw__calloc((size_t)count + 1, 2), *own = seen ? seen + count + 1 : NULL;
    int number = -1;
    for (size_t i = 0; seen && i < l->route_count; i++) {
        const placed_route *r = &l->routes[i];
        const tw__csl_route *config = &l->configs[r->config];
        if (!has_filter(config) || !l->tiles[r->pe].at || l->tiles[r->pe].program != program) continue;
        seen[r->pe] = (uint8_t)(seen[r->pe] + (config->color < color));
        own[r->pe] |= config->color == color;
    }
    for (uint32_t pe = 0, first = 1; seen && pe < count; pe++) {
        if (!l->tiles[pe].at || l->tiles[pe].program != program) continue;
        int here = own[pe] || local ? (int)(below + seen[pe]) : -1;
        number = first || here == number ? here : -2;
        first = 0;
        if (number == -2) break;
    }
    free(seen);
    return number;
}

static operand b_get_filter_id(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value color;
    if (!tw__csl_arguments(s, n, 1, 1) || !tw__csl_comptime(s, ARG(0), &tw__csl_t_COLOR, "the color", &color))
        return tw__csl_nothing();
    if (s->is_layout || !s->binding)
        return tw__csl_error(s, n, "csl.layout", "@get_filter_id belongs in the program of a PE");
    int number = filter_number(s, (uint8_t)color.i);
    if (number < 0)
        return tw__csl_error(s, n, "csl.config",
                             number == -1
                                 ? "color %d has no filter on the PEs of this program"
                                 : "the filter of color %d has different numbers on the PEs of this program",
                             (int)color.i);
    struct filter_id *row = TW__NEW(s->lasting, struct filter_id);
    if (row) {
        *row = (struct filter_id){ s->filter_ids, (uint8_t)color.i, (uint8_t)number, n };
        s->filter_ids = row;
    }
    return tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, number));
}

bool tw__csl_check_filter_ids(sema *s)
{
    bool good = true;
    for (const struct filter_id *f = s->filter_ids; f; f = f->next) {
        if (filter_number(s, f->color) == f->number) continue;
        tw__csl_error(s, f->at, "csl.config",
                      "a filter was configured after @get_filter_id: configure the colors of this program first");
        good = false;
    }
    return good;
}

static const tw__csl_builtin_row rows[] = {
    { "get_config", b_get_config }, { "get_config_unchecked", b_get_config }, { "get_filter_id", b_get_filter_id },
    { "set_config", b_set_config }, { "set_config_unchecked", b_set_config },
};

const tw__csl_builtin_table tw__csl_config_builtins = { rows, sizeof rows / sizeof *rows };
