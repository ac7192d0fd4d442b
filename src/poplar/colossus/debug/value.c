/* SPDX-License-Identifier: MIT */
/* Values as a user writes them: variables in scope, then what is in, behind or at them. */
#include "poplar/colossus/debug/debug.h"

#include <string.h>

enum { MOST_NESTED = 64, MOST_STEPS = 10000 };

typedef struct looking {
    const tw__look *look;
    const char *at;
    unsigned depth, steps; /* records may be nested without an end */
    tw_status status;
} looking;

static bool wrong(looking *l, tw_status status, const char *format, ...) TW_PRINTF(3, 4);
static bool wrong(looking *l, tw_status status, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (l->status == TW_OK) l->status = tw__fail(status, "%s", text);
    return false;
}

/* --- names ------------------------------------------------------------------------------------------------------ */

static bool is_variable(const tw__die *die)
{
    return die->tag == TW__TAG_VARIABLE || die->tag == TW__TAG_PARAMETER;
}

/* One of several with a name that has a place here; else any of them. */
static const tw__die *variable_in(const tw__look *look, const tw__die *scope, const char *name, size_t length)
{
    const tw__die *found = NULL;
    tw__value value;
    for (uint32_t i = scope->first; i; i = look->d->dies[i].next) {
        const tw__die *die = &look->d->dies[i];
        const char *own = is_variable(die) ? tw__die_name(look->d, die) : NULL;
        if (!own || strlen(own) != length || strncmp(own, name, length) != 0) continue;
        bool has_place = tw__place_find(look, die, &value);
        if (!found || has_place) found = die;
    }
    return found;
}

static const tw__die *global_named(const tw__look *look, const char *name, size_t length)
{
    const tw_debug *d = look->d;
    for (uint32_t i = 1; i < d->count; i++) {
        const tw__die *die = &d->dies[i], *up = &d->dies[die->parent];
        bool is_global = die->tag == TW__TAG_VARIABLE && (up->tag == TW__TAG_UNIT || up->tag == TW__TAG_NAMESPACE);
        if (is_global && die->place.at && die->name && strlen(die->name) == length &&
            strncmp(die->name, name, length) == 0)
            return die;
    }
    return NULL;
}

static bool is_record(const tw__die *type)
{
    return type && (type->tag == TW__TAG_STRUCT || type->tag == TW__TAG_CLASS || type->tag == TW__TAG_UNION);
}

tw__value tw__value_part(const tw__value *whole, const tw__die *type, uint32_t at, uint32_t size)
{
    tw__value part = { .type = type, .size = size, .in_memory = whole->in_memory };
    if (whole->in_memory)
        part.address = whole->address + at;
    else if (whole->bytes && at <= whole->size && size <= whole->size - at)
        part.bytes = whole->bytes + at, part.known = whole->known + at;
    return part;
}

/* A member by name, also of what the record inherits and of members without a name. */
static bool member_of(looking *l, const tw__value *record, const char *name, size_t length, unsigned depth,
                      tw__value *out)
{
    const tw_debug *d = l->look->d;
    if (++l->steps > MOST_STEPS) return false;
    for (uint32_t i = is_record(record->type) ? record->type->first : 0; i; i = d->dies[i].next) {
        const tw__die *die = &d->dies[i];
        if (die->tag != TW__TAG_MEMBER && die->tag != TW__TAG_INHERITANCE) continue;
        const tw__die *type = tw__die_type(d, die);
        bool is_named = die->name && strlen(die->name) == length && strncmp(die->name, name, length) == 0;
        tw__value part = tw__value_part(record, type, die->has_bits ? 0 : die->at, tw__die_size(d, type));
        if (die->has_bits) {
            part =
                tw__value_part(record, type, die->bits_at / 32 * 4, MIN(4, record->size - die->bits_at / 32 * 4));
            part.bits = die->bits, part.bits_at = die->bits_at % 32;
        }
        if (is_named) {
            *out = part;
            return true;
        }
        bool is_open = die->tag == TW__TAG_INHERITANCE || !die->name;
        if (is_open && depth < MOST_NESTED && member_of(l, &part, name, length, depth + 1, out)) return true;
    }
    return false;
}

/* --- pointers --------------------------------------------------------------------------------------------------- */

static bool is_pointer(const tw__die *type)
{
    return type && (type->tag == TW__TAG_POINTER || type->tag == TW__TAG_REFERENCE || type->tag == TW__TAG_RVALUE);
}

static bool behind(looking *l, const tw__value *pointer, int64_t index, tw__value *out)
{
    const tw__die *type = tw__die_type(l->look->d, pointer->type);
    uint8_t b[4];
    uint32_t size = tw__die_size(l->look->d, type);
    if (pointer->is_number) return wrong(l, TW_E_PARSE, "a number is no pointer");
    if (!is_pointer(pointer->type)) return wrong(l, TW_E_TYPE, "it is no pointer");
    if (!type || !size) return wrong(l, TW_E_TYPE, "what the pointer points to has no size");
    if (!tw__value_get(l->look, pointer, 0, b, 4)) return wrong(l, TW_E_TYPE, "the pointer is optimised out here");
    uint32_t address = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    *out =
        (tw__value){ .type = type, .size = size, .in_memory = true, .address = address + (uint32_t)index * size };
    return true;
}

/* References are what they refer to. */
static bool follow(looking *l, tw__value *value)
{
    for (unsigned n = 0; n < MOST_NESTED && value->type &&
                         (value->type->tag == TW__TAG_REFERENCE || value->type->tag == TW__TAG_RVALUE);
         n++) {
        tw__value pointer = *value;
        if (!behind(l, &pointer, 0, value)) return false;
    }
    return true;
}

/* The only pointer in a record such as Vector, also of what it inherits; how many there are. */
static unsigned pointers_of(looking *l, const tw__value *record, unsigned depth, tw__value *out)
{
    const tw_debug *d = l->look->d;
    unsigned count = 0;
    if (++l->steps > MOST_STEPS) return 2;
    for (uint32_t i = is_record(record->type) ? record->type->first : 0; i && count < 2; i = d->dies[i].next) {
        const tw__die *die = &d->dies[i], *type = tw__die_type(d, die);
        if (die->tag != TW__TAG_MEMBER && die->tag != TW__TAG_INHERITANCE) continue;
        tw__value part = tw__value_part(record, type, die->at, tw__die_size(d, type));
        if (type && type->tag == TW__TAG_POINTER)
            *out = part, count++;
        else if (depth < MOST_NESTED)
            count += pointers_of(l, &part, depth + 1, out);
    }
    return count;
}

bool tw__value_element(const tw__look *look, const tw__value *array, uint32_t index, uint32_t *count,
                       tw__value *out)
{
    const tw_debug *d = look->d;
    const tw__die *type = tw__die_type(d, array->type);
    uint64_t size = tw__die_size(d, type);
    uint32_t own = array->type->first;
    for (unsigned n = 0; own && n < array->row; n++) own = d->dies[own].next;
    for (uint32_t i = own ? d->dies[own].next : 0; i; i = d->dies[i].next)
        size = d->dies[i].has_count && size <= UINT32_MAX ? size * (uint64_t)d->dies[i].value : 0;
    bool is_last = !own || !d->dies[own].next;
    *count = size && array->size ? (uint32_t)MIN(array->size / size, UINT32_MAX) : 0;
    if (!size || size * ((uint64_t)index + 1) > UINT32_MAX) return false;
    *out = tw__value_part(array, is_last ? type : array->type, (uint32_t)(size * index), (uint32_t)size);
    if (!is_last) out->row = array->row + 1;
    return true;
}

static bool value_element(looking *l, const tw__value *of, int64_t index, tw__value *out)
{
    tw__value pointer;
    uint32_t count;
    if (is_record(of->type) && pointers_of(l, of, 0, &pointer) == 1) return behind(l, &pointer, index, out);
    if (!of->type || of->type->tag != TW__TAG_ARRAY) return behind(l, of, index, out);
    bool is_number = index >= 0 && index < UINT32_MAX;
    bool good = is_number && tw__value_element(l->look, of, (uint32_t)index, &count, out);
    if (!good || (of->size && (uint64_t)index >= count))
        return wrong(l, TW_E_TYPE, "element %lld is not in the array", (long long)index);
    return true;
}

/* --- text ------------------------------------------------------------------------------------------------------- */

static void value_blanks(looking *l)
{
    while (g_ascii_isspace(*l->at)) l->at++;
}

static bool accepts(looking *l, const char *word)
{
    value_blanks(l);
    if (strncmp(l->at, word, strlen(word)) != 0) return false;
    l->at += strlen(word);
    return true;
}

static size_t name_length(looking *l)
{
    size_t n = 0;
    value_blanks(l);
    while (g_ascii_isalnum(l->at[n]) || l->at[n] == '_') n++;
    return n && g_ascii_isdigit(*l->at) ? 0 : n;
}

static bool value_unary(looking *l, tw__value *out);
static bool index_sum(looking *l, int64_t *number);

static bool value_name(looking *l, tw__value *out)
{
    size_t length = name_length(l);
    const char *name = l->at;
    const tw__look *look = l->look;
    l->at += length;
    const tw__die *scope = tw__frame_at(look->d, look->state->pc, look->state->frame), *found = NULL, *self = NULL;
    if (scope) found = variable_in(look, scope, name, length), self = variable_in(look, scope, "this", 4);
    tw__value record, pointer;
    if (!found && self && tw__place_find(look, self, &pointer)) {
        looking quiet = *l;
        if (behind(&quiet, &pointer, 0, &record) && member_of(l, &record, name, length, 0, out))
            return follow(l, out);
    }
    if (!found) found = global_named(look, name, length);
    if (!found) return wrong(l, TW_E_SYMBOL, "there is no variable '%.*s' here", (int)MIN(length, 100), name);
    tw__place_find(look, found, out);
    return !out->type || !is_pointer(out->type) || follow(l, out);
}

static bool value_primary(looking *l, tw__value *out)
{
    value_blanks(l);
    if (accepts(l, "("))
        return value_unary(l, out) && (accepts(l, ")") || wrong(l, TW_E_PARSE, "a ')' is missing"));
    if (name_length(l)) return value_name(l, out);
    if (!g_ascii_isdigit(*l->at) && *l->at != '-')
        return wrong(l, TW_E_PARSE, "a variable is missing before '%.20s'", l->at);
    char *end;
    *out = (tw__value){ .is_number = true, .number = g_ascii_strtoll(l->at, &end, 0) };
    if (end == l->at) return wrong(l, TW_E_PARSE, "'%.20s' is no number", l->at);
    l->at = end;
    return true;
}

/* --- indices: sums and products of values -------------------------------------------------------------------- */

static int64_t index_calculate(char op, int64_t x, int64_t y)
{
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    return (int64_t)(op == '+' ? a + b : op == '-' ? a - b : a * b);
}

static bool index_factor(looking *l, int64_t *number)
{
    tw__value value;
    if (accepts(l, "-")) {
        if (++l->depth > MOST_NESTED) return wrong(l, TW_E_PARSE, "the text is nested too deep");
        bool good = index_factor(l, number);
        *number = index_calculate('-', 0, good ? *number : 0);
        l->depth--;
        return good;
    }
    if (accepts(l, "(")) {
        if (++l->depth > MOST_NESTED) return wrong(l, TW_E_PARSE, "the text is nested too deep");
        bool good = index_sum(l, number) && (accepts(l, ")") || wrong(l, TW_E_PARSE, "a ')' is missing"));
        l->depth--;
        return good;
    }
    if (!value_unary(l, &value)) return false;
    return tw__value_word(l->look, &value, number) ||
           wrong(l, TW_E_TYPE, "the index is no number that is known here");
}

static bool index_product(looking *l, int64_t *number)
{
    int64_t other;
    if (!index_factor(l, number)) return false;
    while (accepts(l, "*")) {
        if (!index_factor(l, &other)) return false;
        *number = index_calculate('*', *number, other);
    }
    return true;
}

static bool index_sum(looking *l, int64_t *number)
{
    int64_t other;
    if (!index_product(l, number)) return false;
    for (;;) {
        char op = accepts(l, "+") ? '+' : accepts(l, "-") ? '-' : 0;
        if (!op) return true;
        if (!index_product(l, &other)) return false;
        *number = index_calculate(op, *number, other);
    }
}

static bool value_index(looking *l, tw__value *out)
{
    tw__value of = *out;
    int64_t number;
    if (!index_sum(l, &number)) return false;
    if (!accepts(l, "]")) return wrong(l, TW_E_PARSE, "a ']' is missing");
    return value_element(l, &of, number, out) && follow(l, out);
}

static bool value_member(looking *l, tw__value *out)
{
    size_t length = name_length(l);
    tw__value of = *out;
    const char *name = l->at;
    if (!length) return wrong(l, TW_E_PARSE, "the name of a member is missing");
    l->at += length;
    if (member_of(l, &of, name, length, 0, out)) return follow(l, out);
    return wrong(l, TW_E_SYMBOL, "there is no member '%.*s'", (int)MIN(length, 100), name);
}

static bool value_unary(looking *l, tw__value *out)
{
    tw__value of;
    if (++l->depth > MOST_NESTED) return wrong(l, TW_E_PARSE, "the text is nested too deep");
    bool good;
    if (accepts(l, "*")) {
        good = value_unary(l, &of) && (is_record(of.type) ? value_element(l, &of, 0, out) : behind(l, &of, 0, out));
    } else if (accepts(l, "&")) {
        good = value_unary(l, &of);
        if (good && of.bits) good = wrong(l, TW_E_TYPE, "it has no address: it is a bit-field");
        if (good && !of.in_memory) good = wrong(l, TW_E_TYPE, "it has no address: it is not in memory here");
        *out = (tw__value){ .is_number = true, .is_address = true, .number = of.address };
    } else {
        good = value_primary(l, out);
        for (bool more = true; good && more;) {
            of = *out;
            if (accepts(l, "["))
                good = value_index(l, out);
            else if (accepts(l, "->"))
                good = (is_record(of.type) ? value_element(l, &of, 0, out) : behind(l, &of, 0, out)) &&
                       value_member(l, out);
            else if (accepts(l, "."))
                good = value_member(l, out);
            else
                more = false;
        }
    }
    l->depth--;
    return good;
}

tw_status tw__look_value(const tw__look *look, const char *text, tw__value *value)
{
    looking l = { .look = look, .at = text };
    *value = (tw__value){ 0 };
    bool good = value_unary(&l, value);
    value_blanks(&l);
    if (good && *l.at) wrong(&l, TW_E_PARSE, "'%.40s' cannot follow here", l.at);
    return l.status;
}
