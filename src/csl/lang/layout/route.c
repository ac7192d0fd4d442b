/* SPDX-License-Identifier: MIT */
/* The configuration of a color in a router: routes, switches, filter, teardown (vendor document "Builtins",
 * @set_color_config). */
#include "csl/lang/dsd/fields.h"
#include "csl/lang/layout/layout.h"

/* tw__csl_value's directions as the bits of a router. */
static const uint8_t bits[TW__CSL_DIR_COUNT] = { [TW__CSL_DIR_NORTH] = TW__CSL_NORTH,
                                                 [TW__CSL_DIR_EAST] = TW__CSL_EAST,
                                                 [TW__CSL_DIR_SOUTH] = TW__CSL_SOUTH,
                                                 [TW__CSL_DIR_WEST] = TW__CSL_WEST,
                                                 [TW__CSL_DIR_RAMP] = TW__CSL_RAMP };
static const char *const direction_names[TW__CSL_DIR_COUNT] = {
    [TW__CSL_DIR_NORTH] = "NORTH", [TW__CSL_DIR_EAST] = "EAST", [TW__CSL_DIR_SOUTH] = "SOUTH",
    [TW__CSL_DIR_WEST] = "WEST",   [TW__CSL_DIR_RAMP] = "RAMP",
};

/* The place to blame for item i of a tuple literal. */
static const node *item_node(const node *at, size_t i)
{
    bool literal = at->kind == TW__CSL_INIT && !(at->flags & TW__CSL_F_NAMED) && i + 1 < at->count;
    return literal ? at->kid[i + 1] : at;
}

static bool add_direction(sema *s, const node *at, const value *v, const char *name, uint8_t *mask)
{
    if (v->type != &tw__csl_t_DIRECTION) {
        tw__csl_error(s, at, "csl.route", ".%s holds directions (NORTH, EAST, SOUTH, WEST, RAMP), not %s", name,
                      TYPE_TEXT(v->type));
        return false;
    }
    uint8_t bit = bits[v->i];
    if (*mask & bit) {
        tw__csl_error(s, at, "csl.route", "%s stands twice in .%s", direction_names[v->i], name);
        return false;
    }
    *mask |= bit;
    return true;
}

/* One direction, a tuple or an array of them, or their bits. `shift`: rx bits are 0 to 4, tx bits 5 to 9. */
static bool directions(const tw__dsd_fields *f, const char *name, unsigned shift, uint8_t *mask)
{
    operand o;
    const node *at = tw__dsd_field_node(f, name);
    if (!tw__dsd_has(f, name)) return true;
    if (!tw__dsd_field(f, name, &o)) return false;
    if (o.kind != TW__CSL_O_VALUE) {
        tw__csl_error(f->s, at, "csl.comptime", ".%s must be known at compile time", name);
        return false;
    }
    if (tw__csl_is_int(o.type)) {
        if (o.value.i >= 0 && (o.value.i >> shift) <= 31 && ((o.value.i >> shift) << shift) == o.value.i) {
            *mask = (uint8_t)(o.value.i >> shift);
            return true;
        }
        tw__csl_error(f->s, at, "csl.range", "the bits of .%s are 0x%x", name, 31u << shift);
        return false;
    }
    bool many = (o.type->kind == TW__CSL_TY_STRUCT && (o.type->tuple || !o.type->count)) ||
                o.type->kind == TW__CSL_TY_ARRAY;
    if (!many) return add_direction(f->s, at, &o.value, name, mask);
    size_t count = o.value.parts ? o.value.parts->count : 0;
    for (size_t i = 0; i < count; i++) {
        value part = tw__csl_part(o.value.parts, i);
        if (!add_direction(f->s, item_node(at, i), &part, name, mask)) return false;
    }
    return true;
}

static const char *const pops[] = { "no_pop", "always_pop", "pop_on_advance", "pop_on_advance_nop", NULL };

static bool pop_mode(const tw__dsd_fields *f, tw__csl_route *out)
{
    int mode;
    if (!tw__dsd_choice(f, "pop_mode", pops, &mode)) return false;
    if (mode >= 0) out->pop = (uint8_t)mode;
    return true;
}

static bool swap(const tw__dsd_fields *f, const char *name, uint8_t *out)
{
    bool on = false;
    if (!tw__dsd_bool(f, name, &on)) return false;
    *out = on;
    if (!on || !tw__csl_sema_wse3(f->s)) return true;
    tw__csl_error(f->s, tw__dsd_field_node(f, name), "csl.arch", ".%s exists on WSE-2 only", name);
    return false;
}

static bool routes(const tw__dsd_fields *f, tw__csl_route *out)
{
    static const char *const names[] = { "rx", "tx", "color_swap_x", "color_swap_y", "pop_mode", NULL };
    operand o;
    tw__dsd_fields r;
    const node *at = tw__dsd_field_node(f, "routes");
    if (!tw__dsd_has(f, "routes")) {
        tw__csl_error(f->s, f->at, "csl.route", "a color needs .routes = .{ .rx = ..., .tx = ... }");
        return false;
    }
    if (!tw__dsd_field(f, "routes", &o)) return false;
    if (o.kind == TW__CSL_O_VALUE && tw__csl_is_int(o.type)) { /* both masks in one number */
        int64_t both;
        if (!tw__dsd_known_int(f->s, at, &o, "the bits of .routes", 0, 1023, &both)) return false;
        out->rx = both & 31;
        out->tx = (uint8_t)(both >> 5);
        return true;
    }
    if (!tw__dsd_open_operand(&r, f->s, at, o, "the parts of .routes", names)) return false;
    if (tw__dsd_has(&r, "pop_mode"))
        tw__csl_warn(f->s, tw__dsd_field_node(&r, "pop_mode"), "csl.route",
                     ".pop_mode stands in .switches; its place in .routes is deprecated");
    if (!directions(&r, "rx", 0, &out->rx) || !directions(&r, "tx", 5, &out->tx) || !pop_mode(&r, out) ||
        !swap(&r, "color_swap_x", &out->swap_x) || !swap(&r, "color_swap_y", &out->swap_y))
        return false;
    if (tw__csl_sema_wse3(f->s) && out->rx & (out->rx - 1))
        tw__csl_warn(f->s, tw__dsd_field_node(&r, "rx"), "csl.route",
                     "a color of WSE-3 receives from one direction only");
    return true;
}

/* .posK = .{ .rx = d }, .{ .tx = d } or .{ .invalid = true } */
static bool position(const tw__dsd_fields *f, unsigned k, tw__csl_route *out)
{
    static const char *const names[] = { "rx", "tx", "invalid", NULL };
    static const char *const positions[] = { "pos1", "pos2", "pos3" };
    operand o;
    tw__dsd_fields p;
    bool invalid = false;
    const node *at = tw__dsd_field_node(f, positions[k]);
    if (!tw__dsd_has(f, positions[k])) return true;
    if (!tw__csl_get_field(&f->object, positions[k], &o) ||
        !tw__dsd_open_operand(&p, f->s, at, o, "the parts of a switch position", names) ||
        !tw__dsd_bool(&p, "invalid", &invalid) || !directions(&p, "rx", 0, &out->pos_rx[k]) ||
        !directions(&p, "tx", 5, &out->pos_tx[k]))
        return false;
    bool rx = out->pos_rx[k] != 0, tx = out->pos_tx[k] != 0;
    const char *why = tw__dsd_has(&p, "invalid") && !invalid ? ".invalid is chosen by true; leave it out"
                      : invalid && (rx || tx)                ? "an invalid position has no route"
                      : !invalid && !rx && !tx ? "a switch position needs .rx or .tx, or .invalid = true"
                      : out->pos_rx[k] & (out->pos_rx[k] - 1) ? ".rx of a switch position is one direction"
                      : rx && tx && !tw__csl_sema_wse3(f->s)
                          ? "a switch position of WSE-2 changes .rx or .tx, not both"
                          : NULL;
    if (why) tw__csl_error(f->s, at, "csl.route", "%s", why);
    out->valid[k] = !invalid;
    return !why;
}

static bool switches(const tw__dsd_fields *f, tw__csl_route *out)
{
    static const char *const names[] = {
        "pos1", "pos2", "pos3", "current_switch_pos", "ring_mode", "pop_mode", NULL
    };
    operand o;
    tw__dsd_fields w;
    int64_t current = 0;
    bool ring = false;
    if (!tw__dsd_has(f, "switches")) return true;
    const node *at = tw__dsd_field_node(f, "switches");
    if (!tw__csl_get_field(&f->object, "switches", &o) ||
        !tw__dsd_open_operand(&w, f->s, at, o, "the parts of .switches", names))
        return false;
    for (unsigned k = 0; k < 3; k++)
        if (!position(&w, k, out)) return false;
    if (!tw__dsd_int(&w, "current_switch_pos", 0, 3, &current) || !tw__dsd_bool(&w, "ring_mode", &ring) ||
        !pop_mode(&w, out))
        return false;
    if (current && !out->valid[current - 1]) {
        tw__csl_error(f->s, tw__dsd_field_node(&w, "current_switch_pos"), "csl.route",
                      "position %d is not among the switch positions", (int)current);
        return false;
    }
    out->has_switches = 1;
    out->current = (uint8_t)current;
    out->ring = ring;
    return true;
}

/* Fields of each kind of filter; .fast_mode occurs in published programs and is undocumented. */
static const struct {
    const char *kind;
    const char *const fields[8];
} filters[] = {
    { "range", { "min_idx", "max_idx" } },
    { "counter",
      { "count_data", "count_control", "init_counter", "limit1", "max_counter", "filter_control", "fast_mode" } },
    { "sparse_counter",
      { "count_data", "count_control", "init_counter", "limit1", "limit2", "max_counter", "filter_control",
        "fast_mode" } },
};

static bool filter_fields_ok(const tw__dsd_fields *f, int kind)
{
    const type *t = f->object.type;
    for (size_t i = 0; i < t->count; i++) {
        bool known = !strcmp(t->fields[i].name, "kind");
        for (size_t k = 0; k < 8 && filters[kind].fields[k]; k++)
            known = known || !strcmp(filters[kind].fields[k], t->fields[i].name);
        if (known) continue;
        tw__csl_error(f->s, tw__dsd_field_node(f, t->fields[i].name), "csl.filter", "a %s filter has no .%s",
                      filters[kind].kind, t->fields[i].name);
        return false;
    }
    return true;
}

static bool filter_numbers(const tw__dsd_fields *f, tw__csl_filter *out)
{
    struct {
        const char *name;
        uint16_t *at;
    } rows[] = {
        { "min_idx", &out->min_index }, { "max_idx", &out->max_index }, { "init_counter", &out->init_counter },
        { "limit1", &out->limit1 },     { "limit2", &out->limit2 },     { "max_counter", &out->max_counter }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t n = *rows[i].at;
        if (!tw__dsd_int(f, rows[i].name, 0, UINT16_MAX, &n)) return false;
        *rows[i].at = (uint16_t)n;
    }
    out->has_limit1 = tw__dsd_has(f, "limit1");
    out->has_limit2 = tw__dsd_has(f, "limit2");
    return true;
}

static bool filter(const tw__dsd_fields *f, tw__csl_route *out)
{
    static const char *const names[] = { "kind",           "min_idx",      "max_idx",   "count_data",
                                         "count_control",  "init_counter", "limit1",    "max_counter",
                                         "filter_control", "limit2",       "fast_mode", NULL };
    static const char *const kinds[] = { "range", "counter", "sparse_counter", NULL };
    operand o;
    tw__dsd_fields w;
    int kind;
    bool data = false, control = false, only_control = false;
    if (!tw__dsd_has(f, "filter")) return true;
    const node *at = tw__dsd_field_node(f, "filter");
    if (!tw__csl_get_field(&f->object, "filter", &o) ||
        !tw__dsd_open_operand(&w, f->s, at, o, "the parts of .filter", names) ||
        !tw__dsd_choice(&w, "kind", kinds, &kind))
        return false;
    if (kind < 0) {
        tw__csl_error(f->s, at, "csl.filter",
                      "a filter needs .kind = .{ .range = true }, .counter or .sparse_counter");
        return false;
    }
    if (!filter_fields_ok(&w, kind) || !filter_numbers(&w, &out->filter) ||
        !tw__dsd_bool(&w, "count_data", &data) || !tw__dsd_bool(&w, "count_control", &control) ||
        !tw__dsd_bool(&w, "filter_control", &only_control))
        return false;
    if (kind == 0 && out->filter.min_index > out->filter.max_index) {
        tw__csl_error(f->s, at, "csl.filter", "the range %u to %u is empty", out->filter.min_index,
                      out->filter.max_index);
        return false;
    }
    out->filter.kind = (uint8_t)(TW__CSL_FILTER_RANGE + kind);
    out->filter.count_data = data;
    out->filter.count_control = control;
    out->filter.filter_control = only_control;
    return true;
}

bool tw__csl_route_of(sema *s, const node *config, tw__csl_route *out)
{
    static const char *const names[] = { "routes", "switches", "filter", "teardown", NULL };
    tw__dsd_fields f;
    bool teardown = false;
    *out = (tw__csl_route){ 0 };
    if (!tw__dsd_open(&f, s, config, "the parts of a color's configuration", names) || !routes(&f, out) ||
        !switches(&f, out) || !filter(&f, out) || !tw__dsd_bool(&f, "teardown", &teardown))
        return false;
    out->teardown = teardown;
    return true;
}
