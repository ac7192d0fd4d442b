/* SPDX-License-Identifier: MIT */
/* op_rules: what operations other than tile instructions ask of their operands, as far as types and constants tell
 * before the program runs: ranks, extents, element types. */
#include "pto/text/code/op_rules.h"
#include "pto/text/types/types.h"

#include <inttypes.h>

static const tw__as_type *type_of(const tw__as_site *c, unsigned i)
{
    return c->b->f->slot_type[c->slots[i]];
}

static bool refuse(const tw__as_site *c, unsigned operand, const char *code, const char *format, ...)
    TW_PRINTF(4, 5);
static bool refuse(const tw__as_site *c, unsigned operand, const char *code, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const tw__as_item *where = operand < c->count ? c->where[operand] : NULL;
    tw__as_refuse(c->b, where, c->op, code, "%s: %s", c->op->name, text);
    return false;
}

enum { OPERATION = 1000 }; /* instead of an operand */

bool tw__as_same_element(tw_type a, tw_type b)
{
    return a == b || (!tw__is_float(a) && !tw__is_float(b) && tw_type_get(a)->bits == tw_type_get(b)->bits);
}

static bool same_elements(const tw__as_site *c, unsigned operand, tw_type have, tw_type want)
{
    if (!have || !want || tw__as_same_element(have, want)) return true;
    return refuse(c, operand, "pto.type", "the elements are %s, not %s", tw_type_name(want, TW_SYSTEM_PTO),
                  tw_type_name(have, TW_SYSTEM_PTO));
}

bool tw__as_rule_same(const tw__as_site *c)
{
    if (tw__as_same_type(type_of(c, 0), c->type)) return true;
    return refuse(c, OPERATION, "pto.type", "the result is %s, as the operand, not %s", type_of(c, 0)->text,
                  c->type->text);
}

bool tw__as_rule_load(const tw__as_site *c)
{
    if (c->type->kind != TW__AS_SCALAR && c->type->kind != TW__AS_INDEX)
        return refuse(c, OPERATION, "pto.type", "the result is a number, not %s", c->type->text);
    return same_elements(c, OPERATION, c->type->element, type_of(c, 0)->element);
}

bool tw__as_rule_store(const tw__as_site *c)
{
    return same_elements(c, 0, type_of(c, 0)->element, type_of(c, 1)->element);
}

bool tw__as_rule_set_element(const tw__as_site *c)
{
    return same_elements(c, 1, type_of(c, 1)->element, type_of(c, 2)->element);
}

bool tw__as_rule_view(const tw__as_site *c)
{
    if (c->type->kind != TW__AS_VIEW)
        return refuse(c, OPERATION, "pto.type", "the result is a tensor_view, not %s", c->type->text);
    for (int l = 1; l <= 2; l++)
        if (c->parts[l] != c->type->rank)
            return refuse(c, OPERATION, "pto.rank", "%u %s for a view of rank %u", c->parts[l],
                          l == 1 ? "extents" : "strides", c->type->rank);
    for (unsigned i = 0; i < c->type->rank; i++) {
        const int64_t *n = tw__as_known_number(c->b, c->slots[1 + i]);
        if (n && (*n < 0 || (c->type->dims[i] >= 0 && *n != c->type->dims[i])))
            return refuse(c, 1 + i, "pto.extent", "an extent of %" PRId64 " in %s", *n, c->type->text);
    }
    return same_elements(c, OPERATION, c->type->element, type_of(c, 0)->element);
}

bool tw__as_rule_part(const tw__as_site *c)
{
    const tw__as_type *from = type_of(c, 0);
    if (c->type->kind != TW__AS_PART)
        return refuse(c, OPERATION, "pto.type", "the result is a partition_tensor_view, not %s", c->type->text);
    if (!from->kind) return true;
    for (int l = 1; l <= 2; l++)
        if (c->parts[l] != from->rank)
            return refuse(c, OPERATION, "pto.rank", "%u %s for a view of rank %u", c->parts[l],
                          l == 1 ? "offsets" : "sizes", from->rank);
    for (unsigned i = 0; i < from->rank; i++) {
        const int64_t *at = tw__as_known_number(c->b, c->slots[1 + i]),
                      *n = tw__as_known_number(c->b, c->slots[1 + from->rank + i]);
        int64_t room = from->dims[i] >= 0 ? from->dims[i] : INT64_MAX,
                written = c->type->rank == from->rank ? c->type->dims[i] : -1;
        if (at && (*at < 0 || *at > room))
            return refuse(c, 1 + i, "pto.extent", "offset %" PRId64 " of dimension %u of %s", *at, i, from->text);
        if (n && (*n < 0 || *n > room - (at ? *at : 0)))
            return refuse(c, 1 + from->rank + i, "pto.extent",
                          "size %" PRId64 " from offset %" PRId64 " on leaves dimension %u of %s", *n, at ? *at : 0,
                          i, from->text);
        if (n && written >= 0 && *n != written)
            return refuse(c, 1 + from->rank + i, "pto.extent",
                          "size %" PRId64 " of dimension %u is %" PRId64 " in the result's type, %s", *n, i,
                          written, c->type->text);
    }
    return same_elements(c, OPERATION, c->type->element, from->element);
}

bool tw__as_rule_dimension(const tw__as_site *c)
{
    const int64_t *d = tw__as_known_number(c->b, c->slots[1]);
    if (!d || !type_of(c, 0)->rank || (*d >= 0 && *d < (int64_t)type_of(c, 0)->rank)) return true;
    return refuse(c, 1, "pto.rank", "no dimension %" PRId64 " of %u", *d, type_of(c, 0)->rank);
}

bool tw__as_rule_integer(const tw__as_site *c)
{
    if (tw__as_is_integer(c->type)) return true;
    return refuse(c, OPERATION, "pto.type", "the result is an integer or index, not %s", c->type->text);
}

bool tw__as_rule_indexes(const tw__as_site *c)
{
    unsigned memref = c->parts[0] - 1;
    const tw__as_type *m = type_of(c, memref);
    unsigned rank = m->kind == TW__AS_TILE ? c->parts[1] : m->rank;
    if (m->kind && c->parts[1] != rank)
        return refuse(c, memref, "pto.rank", "%u index%s for %s", c->parts[1], c->parts[1] == 1 ? "" : "es",
                      tw__as_type_text(m));
    return memref == 0 || tw__as_rule_store(c);
}

bool tw__as_rule_condition(const tw__as_site *c)
{
    const tw__as_type *t = type_of(c, 0);
    if (!t->kind || t->element == TW_BOOL) return true;
    return refuse(c, 0, "pto.type", "the condition is i1, such as arith.cmpi gives, not %s", tw__as_type_text(t));
}

bool tw__as_rule_valid(const tw__as_site *c)
{
    static const char *const names[] = { "rows", "columns" };
    const tw__as_type *t = type_of(c, 0);
    if (t->kind != TW__AS_TILE) return true;
    if (t->text && (t->tile.valid_rows != TW_PTO_DYNAMIC || t->tile.valid_cols != TW_PTO_DYNAMIC))
        return refuse(c, 0, "pto.dynamic", "the tile's type has to say valid=?x?, here it is %s", t->text);
    for (unsigned i = 0; i < 2; i++) {
        const int64_t *n = tw__as_known_number(c->b, c->slots[1 + i]);
        uint32_t most = i ? t->tile.cols : t->tile.rows;
        if (n && (*n < 0 || *n > most))
            return refuse(c, 1 + i, "pto.extent", "%" PRId64 " valid %s of %u", *n, names[i], most);
    }
    return true;
}

/* Operands: the address, if one is given, then the extents that the type leaves open. */
bool tw__as_rule_alloc(const tw__as_site *c)
{
    const tw_pto_tile *t = &c->type->tile;
    const struct {
        uint32_t valid, most;
        const char *name;
    } extents[] = { { t->valid_rows, t->rows, "row" }, { t->valid_cols, t->cols, "col" } };
    unsigned open = (t->valid_rows == TW_PTO_DYNAMIC) + (t->valid_cols == TW_PTO_DYNAMIC), at = c->count - open;
    const int64_t *address = at ? tw__as_known_number(c->b, c->slots[0]) : NULL;
    if (address && !tw__as_check_address(c->b, c->op, c->where[0], t, (uint64_t)*address)) return false;
    for (unsigned i = 0; i < 2; i++) {
        if (extents[i].valid != TW_PTO_DYNAMIC) continue;
        const int64_t *n = tw__as_known_number(c->b, c->slots[at]);
        if (n && (*n < 0 || *n > extents[i].most))
            return refuse(c, at, "pto.extent", "valid_%s of %" PRId64 " in a tile that has %u", extents[i].name, *n,
                          extents[i].most);
        at++;
    }
    return tw__as_check_size(c->b, c->op, t);
}

bool tw__as_rule_window(const tw__as_site *c)
{
    static const char *const names[] = { "rows", "columns" };
    const tw__as_type *t = type_of(c, 0);
    for (unsigned i = 0; i < 2 && t->kind == TW__AS_TILE; i++) {
        const int64_t *known = tw__as_known_number(c->b, c->slots[1 + i]);
        int64_t at = known ? *known : 0, size = i ? c->type->tile.cols : c->type->tile.rows,
                room = i ? t->tile.cols : t->tile.rows;
        if (at < 0 || size > room || at > room - size)
            return refuse(c, 1 + i, "pto.subset", "%" PRId64 " %s from %" PRId64 " of a tile that has %" PRId64,
                          size, names[i], at, room);
    }
    return true;
}

/* --- casts: from operand 0 to the result ------------------------------------------------------------------------ */

typedef struct cast { /* what is known of both sides */
    bool numbers, is_float, to_float, index, to_index;
    unsigned width, to_width; /* bits */
} cast;

static unsigned width_of(tw_type type)
{
    return type == TW_BOOL ? 1 : tw_type_get(type)->bits;
}

/* False when a side is not known yet: nothing can be said. */
static bool cast_of(const tw__as_site *c, cast *k)
{
    const tw__as_type *from = type_of(c, 0), *to = c->type;
    if (!from->kind || !from->element || !to->element) return false;
    *k = (cast){ .numbers = to->kind == TW__AS_SCALAR && from->kind == TW__AS_SCALAR,
                 .is_float = tw__is_float(from->element),
                 .to_float = tw__is_float(to->element),
                 .index = from->kind == TW__AS_INDEX,
                 .to_index = to->kind == TW__AS_INDEX,
                 .width = width_of(from->element),
                 .to_width = width_of(to->element) };
    return true;
}

static bool op_rules_judge(const tw__as_site *c, bool good, const char *text)
{
    return good || refuse(c, 0, "pto.type", "gives %s, and this is %s to %s", text, tw__as_type_text(type_of(c, 0)),
                          tw__as_type_text(c->type));
}

bool tw__as_rule_widen(const tw__as_site *c)
{
    cast k;
    return !cast_of(c, &k) || op_rules_judge(c, k.numbers && k.is_float == k.to_float && k.to_width > k.width,
                                             k.is_float ? "a wider float" : "a wider integer");
}

bool tw__as_rule_narrow(const tw__as_site *c)
{
    cast k;
    return !cast_of(c, &k) || op_rules_judge(c, k.numbers && k.is_float == k.to_float && k.to_width < k.width,
                                             k.is_float ? "a narrower float" : "a narrower integer");
}

bool tw__as_rule_same_width(const tw__as_site *c)
{
    cast k;
    return !cast_of(c, &k) || op_rules_judge(c, k.numbers && k.to_width == k.width, "a type of the same width");
}

bool tw__as_rule_to_float(const tw__as_site *c)
{
    cast k;
    return !cast_of(c, &k) || op_rules_judge(c, k.numbers && k.to_float, "a float");
}

bool tw__as_rule_to_integer(const tw__as_site *c)
{
    cast k;
    return !cast_of(c, &k) || op_rules_judge(c, k.numbers && !k.to_float, "an integer");
}

bool tw__as_rule_index(const tw__as_site *c)
{
    cast k;
    return !cast_of(c, &k) || op_rules_judge(c, k.index != k.to_index && !k.to_float,
                                             "index from an integer or an integer from index");
}

/* --- tiles on the target ---------------------------------------------------------------------------------------- */

bool tw__as_check_address(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, const tw_pto_tile *tile,
                          uint64_t address)
{
    tw_pto_target target = b->program->target;
    uint32_t size = tw__pto_memory_size(target, (tw_pto_location)tile->location);
    if (tw__pto_check_address(target, tile, size, address) == TW_OK) return true;
    return tw__as_refuse(b, item, op, "pto.address", "%s", tw_error_message()), false;
}

bool tw__as_check_size(tw__as_binder *b, const tw__as_op *op, const tw_pto_tile *tile)
{
    uint32_t size = tw__pto_memory_size(b->program->target, (tw_pto_location)tile->location);
    size_t bytes = tw_pto_tile_bytes(tile);
    if (bytes <= size || tile->base_rows || tile->base_cols) return true;
    return tw__as_refuse(b, NULL, op, "pto.memory", "a tile of %zu bytes: %s holds %u on %s", bytes,
                         tw__type_location_text((tw_pto_location)tile->location), size,
                         tw_pto_target_name(b->program->target)),
           false;
}
