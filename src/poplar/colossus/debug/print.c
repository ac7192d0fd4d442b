/* SPDX-License-Identifier: MIT */
/* Values as text, by their types. */
#include "poplar/colossus/debug/debug.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/type.h>

enum { ENCODING_BOOL = 2, ENCODING_FLOAT = 4, ENCODING_SIGNED = 5, ENCODING_SIGNED_CHAR = 6, ENCODING_CHAR = 8 };
enum { MOST_DEPTH = 16, MOST_ELEMENTS = 200, MOST_TEXT = 1 << 16 };

static const char nowhere[] = "<optimised out>";

/* --- numbers ---------------------------------------------------------------------------------------------------- */

static bool get_bits(const tw__look *look, const tw__value *value, uint64_t *bits)
{
    uint8_t bytes[8] = { 0 };
    if (!value->size || value->size > 8 || !tw__value_get(look, value, 0, bytes, value->size)) return false;
    *bits = 0;
    for (unsigned i = 0; i < 8; i++) *bits |= (uint64_t)bytes[i] << 8 * i;
    if (value->bits && value->bits < 64)
        *bits = *bits >> (value->bits_at & 63) & ((UINT64_C(1) << value->bits) - 1);
    return true;
}

static bool is_signed(const tw__look *look, const tw__die *type)
{
    if (type && type->tag == TW__TAG_ENUM) {
        const tw__die *base = tw__die_type(look->d, type);
        return !base || (base->tag == TW__TAG_BASE && is_signed(look, base));
    }
    return type && (type->encoding == ENCODING_SIGNED || type->encoding == ENCODING_SIGNED_CHAR);
}

static int64_t extended(uint64_t bits, unsigned width)
{
    if (!width || width >= 64) return (int64_t)bits;
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

bool tw__value_word(const tw__look *look, const tw__value *value, int64_t *number)
{
    uint64_t bits;
    *number = value->number;
    if (value->is_number) return true;
    if (!value->type || value->size > 4 || !get_bits(look, value, &bits)) return false;
    unsigned tag = value->type->tag;
    if (tag != TW__TAG_BASE && tag != TW__TAG_ENUM && tag != TW__TAG_POINTER) return false;
    unsigned width = value->bits ? value->bits : 8 * value->size;
    *number = is_signed(look, value->type) ? extended(bits, width) : (int64_t)bits;
    return true;
}

static void put_real(GString *out, uint64_t bits, uint32_t size)
{
    float f;
    double d;
    memcpy(&d, &bits, 8);
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, 4);
    if (size == 2) f = tw_f16_to_f32((uint16_t)bits);
    if (size == 8)
        g_string_append_printf(out, "%.17g", d);
    else
        g_string_append_printf(out, size == 2 ? "%g" : "%.9g", (double)f);
}

static void print_base(const tw__look *look, const tw__value *value, GString *out)
{
    uint64_t bits;
    if (!get_bits(look, value, &bits)) {
        g_string_append(out, nowhere);
        return;
    }
    unsigned encoding = value->type->encoding, width = value->bits ? value->bits : 8 * value->size;
    if (encoding == ENCODING_FLOAT)
        put_real(out, bits, value->size);
    else if (encoding == ENCODING_BOOL)
        g_string_append(out, bits == 0 ? "false" : bits == 1 ? "true" : "neither true nor false");
    else if (is_signed(look, value->type))
        g_string_append_printf(out, "%" G_GINT64_FORMAT, extended(bits, width));
    else
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, bits);
    bool is_text = encoding == ENCODING_SIGNED_CHAR || encoding == ENCODING_CHAR;
    if (is_text && g_ascii_isprint((char)bits)) g_string_append_printf(out, " '%c'", (char)bits);
}

static void put_enum(const tw__look *look, const tw__value *value, GString *out)
{
    int64_t number;
    if (!tw__value_word(look, value, &number)) {
        g_string_append(out, nowhere);
        return;
    }
    for (uint32_t i = value->type->first; i; i = look->d->dies[i].next) {
        const tw__die *die = &look->d->dies[i];
        if (die->tag != TW__TAG_ENUMERATOR || die->value != number || !die->name) continue;
        g_string_append(out, die->name);
        return;
    }
    g_string_append_printf(out, "%" G_GINT64_FORMAT, number);
}

/* --- the rest --------------------------------------------------------------------------------------------------- */

static void put_value(const tw__look *look, const tw__value *value, unsigned depth, GString *out);

static void put_record(const tw__look *look, const tw__value *value, unsigned depth, GString *out)
{
    const tw_debug *d = look->d;
    const char *between = "";
    g_string_append_c(out, '{');
    for (uint32_t i = value->type->first; i; i = d->dies[i].next) {
        const tw__die *die = &d->dies[i], *type = tw__die_type(d, die);
        if (die->tag != TW__TAG_MEMBER && die->tag != TW__TAG_INHERITANCE) continue;
        uint32_t word = die->bits_at / 32 * 4;
        if (die->has_bits && word >= value->size) continue;
        tw__value part = die->has_bits ? tw__value_part(value, type, word, MIN(4, value->size - word))
                                       : tw__value_part(value, type, die->at, tw__die_size(d, type));
        if (die->has_bits) part.bits = die->bits, part.bits_at = die->bits_at % 32;
        g_string_append(out, between);
        between = ", ";
        const char *name = die->tag == TW__TAG_INHERITANCE && type ? type->name : die->name;
        bool is_base = die->tag == TW__TAG_INHERITANCE;
        if (name) g_string_append_printf(out, is_base ? "<%s> = " : "%s = ", name);
        put_value(look, &part, depth + 1, out);
    }
    g_string_append_c(out, '}');
}

static void put_elements(const tw__look *look, const tw__value *value, unsigned depth, GString *out)
{
    uint32_t count = 0;
    tw__value part;
    g_string_append_c(out, '{');
    for (uint32_t i = 0; i < MOST_ELEMENTS && out->len < MOST_TEXT; i++) {
        if (!tw__value_element(look, value, i, &count, &part) || i >= count) break;
        if (i) g_string_append(out, ", ");
        put_value(look, &part, depth + 1, out);
    }
    g_string_append(out, count > MOST_ELEMENTS ? ", ...}" : "}");
}

static void put_value(const tw__look *look, const tw__value *value, unsigned depth, GString *out)
{
    uint64_t bits;
    const tw__die *type = value->type;
    if (depth > MOST_DEPTH || out->len > MOST_TEXT) {
        g_string_append(out, "...");
        return;
    }
    if (!type || (!value->in_memory && !value->bytes)) {
        g_string_append(out, type ? nowhere : "<no value>");
        return;
    }
    switch (type->tag) {
    case TW__TAG_BASE: print_base(look, value, out); return;
    case TW__TAG_ENUM: put_enum(look, value, out); return;
    case TW__TAG_STRUCT:
    case TW__TAG_CLASS:
    case TW__TAG_UNION: put_record(look, value, depth, out); return;
    case TW__TAG_ARRAY: put_elements(look, value, depth, out); return;
    default: break;
    }
    if (get_bits(look, value, &bits))
        g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x", bits);
    else
        g_string_append(out, nowhere);
}

void tw__value_print(const tw__look *look, const tw__value *value, GString *out)
{
    if (value->is_number)
        g_string_append_printf(out, value->is_address ? "0x%" G_GINT64_MODIFIER "x" : "%" G_GINT64_FORMAT,
                               value->number);
    else
        put_value(look, value, 0, out);
}

/* --- what users call -------------------------------------------------------------------------------------------- */

static tw_status begin_look(const tw_debug *debug, const tw_debug_state *given, tw_debug_state *state,
                            tw__look *look)
{
    if (!debug) return tw__missing("debug information");
    tw_status status = TW__TAKE_OPTIONS(state, given, tw_debug_state);
    if (status != TW_OK) return status;
    *look = (tw__look){ .d = debug, .state = state, .arena = tw__arena_new(0) };
    return look->arena ? TW_OK : tw__fail(TW_E_NO_MEMORY, "out of memory for values");
}

static char *finish_text(GString *text)
{
    char *copy = strdup(text->str);
    g_string_free(text, TRUE);
    if (!copy) tw__fail(TW_E_NO_MEMORY, "out of memory for values");
    return copy;
}

char *tw_debug_print(const tw_debug *debug, const tw_debug_state *given, const char *text)
{
    tw_debug_state state;
    tw__look look;
    if (debug && !text) return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "a value needs a text"), NULL);
    tw_status status = begin_look(debug, given, &state, &look);
    if (status != TW_OK) return tw__made(status, NULL);
    tw__value value;
    status = tw__look_value(&look, text, &value);
    GString *out = g_string_new(NULL);
    if (status == TW_OK) tw__value_print(&look, &value, out);
    tw__arena_free(look.arena);
    char *copy = finish_text(out);
    if (status != TW_OK) free(copy), copy = NULL;
    return tw__made(copy ? TW_OK : status, copy);
}

tw_status tw_debug_word(const tw_debug *debug, const tw_debug_state *given, const char *text, uint32_t *word)
{
    tw_debug_state state;
    tw__look look;
    if (debug && (!text || !word))
        return tw__fail(TW_E_INVALID_ARGUMENT, "a value needs a text and a place for its bits");
    tw_status status = begin_look(debug, given, &state, &look);
    if (status != TW_OK) return status;
    tw__value value;
    int64_t number = 0;
    status = tw__look_value(&look, text, &value);
    if (status == TW_OK && !tw__value_word(&look, &value, &number))
        status = tw__fail(TW_E_TYPE, "'%.100s' has no bits of a word that are known here", text);
    tw__arena_free(look.arena);
    if (status == TW_OK) *word = (uint32_t)number;
    return status;
}

char *tw_debug_type(const tw_debug *debug, const tw_debug_state *given, const char *text)
{
    tw_debug_state state;
    tw__look look;
    if (debug && !text) return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "a type needs a text"), NULL);
    tw_status status = begin_look(debug, given, &state, &look);
    if (status != TW_OK) return tw__made(status, NULL);
    tw__value value = { 0 };
    status = tw__look_value(&look, text, &value);
    const tw__die *named = status == TW_OK ? NULL : tw__type_named(debug, text);
    GString *out = g_string_new(NULL);
    if (status == TW_OK && value.is_number)
        g_string_append(out, value.is_address ? "void *" : "int");
    else if (status == TW_OK || named)
        tw__type_print(debug, named ? named : value.type, value.row, out);
    tw__arena_free(look.arena);
    if (named) status = TW_OK;
    char *copy = finish_text(out);
    if (status != TW_OK) free(copy), copy = NULL;
    return tw__made(copy ? TW_OK : status, copy);
}

char *tw_debug_locals(const tw_debug *debug, const tw_debug_state *given)
{
    tw_debug_state state;
    tw__look look;
    tw_status status = begin_look(debug, given, &state, &look);
    if (status != TW_OK) return tw__made(status, NULL);
    GString *out = g_string_new(NULL);
    const tw__die *scope = tw__frame_at(debug, state.pc, state.frame);
    for (uint32_t i = scope ? scope->first : 0; i; i = debug->dies[i].next) {
        const tw__die *die = &debug->dies[i];
        const char *name = tw__die_name(debug, die);
        if ((die->tag != TW__TAG_VARIABLE && die->tag != TW__TAG_PARAMETER) || !name) continue;
        tw__value value;
        tw__place_find(&look, die, &value);
        g_string_append_printf(out, "%s = ", name);
        tw__value_print(&look, &value, out);
        g_string_append_c(out, '\n');
    }
    tw__arena_free(look.arena);
    char *copy = finish_text(out);
    return tw__made(copy ? TW_OK : TW_E_NO_MEMORY, copy);
}
