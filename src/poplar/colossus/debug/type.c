/* SPDX-License-Identifier: MIT */
/* Types as text, spelled as C++ declares them. */
#include "poplar/colossus/debug/debug.h"

#include <string.h>

enum { MOST_LINKS = 32, MOST_TEXT = 1 << 16 };

static const char *keyword_of(const tw__die *type)
{
    switch (type->tag) {
    case TW__TAG_STRUCT: return "struct";
    case TW__TAG_CLASS: return "class";
    case TW__TAG_UNION: return "union";
    case TW__TAG_ENUM: return "enum";
    default: return NULL;
    }
}

/* Dimensions of an array behind what it declares, but for the first `row`. */
static void put_dimensions(const tw_debug *d, const tw__die *type, unsigned row, GString *name)
{
    for (uint32_t i = type->first; i; i = d->dies[i].next) {
        const tw__die *die = &d->dies[i];
        if (die->tag != TW__TAG_SUBRANGE) continue;
        if (row) {
            row--;
            continue;
        }
        g_string_append_c(name, '[');
        if (die->has_count) g_string_append_printf(name, "%" G_GINT64_FORMAT, die->value);
        g_string_append_c(name, ']');
    }
}

/* "*p" becomes "(*p)" before dimensions. */
static void put_pointer(const tw_debug *d, const tw__die *type, GString *name)
{
    bool binds = type->type && d->dies[type->type].tag == TW__TAG_ARRAY;
    g_string_prepend(name, type->tag == TW__TAG_POINTER ? "*" : type->tag == TW__TAG_REFERENCE ? "&" : "&&");
    if (binds) g_string_prepend_c(name, '('), g_string_append_c(name, ')');
}

static void put_qualifier(const tw_debug *d, const tw__die *type, GString *name, GString *front)
{
    const char *word = type->tag == TW__TAG_CONST      ? "const"
                       : type->tag == TW__TAG_VOLATILE ? "volatile"
                                                       : "restrict";
    if (type->type && d->dies[type->type].tag == TW__TAG_POINTER)
        g_string_prepend(name, name->len ? " " : ""), g_string_prepend(name, word);
    else
        g_string_append_printf(front, "%s ", word);
}

/* "const float *name[3]": from the name outwards. */
static void put_declaration(const tw_debug *d, uint32_t type, unsigned row, const char *what, GString *out)
{
    GString *name = g_string_new(what), *front = g_string_new(NULL);
    const char *base = "void";
    for (unsigned n = 0; type && n < MOST_LINKS; n++) {
        const tw__die *t = &d->dies[type];
        switch (t->tag) {
        case TW__TAG_POINTER:
        case TW__TAG_REFERENCE:
        case TW__TAG_RVALUE: put_pointer(d, t, name); break;
        case TW__TAG_ARRAY: put_dimensions(d, t, row, name); break;
        case TW__TAG_CONST:
        case TW__TAG_VOLATILE:
        case TW__TAG_RESTRICT: put_qualifier(d, t, name, front); break;
        default: base = t->name ? t->name : keyword_of(t) ? keyword_of(t) : "?"; goto done;
        }
        row = 0;
        type = t->type;
    }
done:
    g_string_append_printf(out, "%s%s", front->str, base);
    if (name->len) g_string_append_printf(out, " %s", name->str);
    g_string_free(name, TRUE);
    g_string_free(front, TRUE);
}

static void put_members(const tw_debug *d, const tw__die *type, GString *out)
{
    unsigned shown = 0;
    for (uint32_t i = type->first; i && out->len < MOST_TEXT; i = d->dies[i].next) {
        const tw__die *die = &d->dies[i];
        if (die->tag == TW__TAG_ENUMERATOR && die->name)
            g_string_append_printf(out, "%s%s = %" G_GINT64_FORMAT, shown++ ? ", " : "", die->name, die->value);
        if (die->tag != TW__TAG_MEMBER) continue;
        g_string_append(out, "    ");
        put_declaration(d, die->type, 0, die->name ? die->name : "", out);
        if (die->bits) g_string_append_printf(out, " : %u", die->bits);
        g_string_append(out, ";\n");
        shown++;
    }
    if (out->len >= MOST_TEXT) g_string_append(out, "...");
}

static void put_bases(const tw_debug *d, const tw__die *type, GString *out)
{
    const char *between = " : ";
    for (uint32_t i = type->first; i && out->len < MOST_TEXT; i = d->dies[i].next) {
        if (d->dies[i].tag != TW__TAG_INHERITANCE) continue;
        g_string_append(out, between);
        put_declaration(d, d->dies[i].type, 0, "", out);
        between = ", ";
    }
}

void tw__type_print(const tw_debug *d, const tw__die *type, unsigned row, GString *out)
{
    const char *keyword = type ? keyword_of(type) : NULL;
    if (!keyword) {
        put_declaration(d, type ? (uint32_t)(type - d->dies) : 0, row, "", out);
        return;
    }
    g_string_append_printf(out, "%s%s%s", keyword, type->name ? " " : "", type->name ? type->name : "");
    put_bases(d, type, out);
    g_string_append(out, type->tag == TW__TAG_ENUM ? " {" : " {\n");
    put_members(d, type, out);
    g_string_append_c(out, '}');
}

const tw__die *tw__type_named(const tw_debug *d, const char *name)
{
    for (uint32_t i = 1; i < d->count; i++) {
        const tw__die *die = &d->dies[i];
        if (!die->name || die->is_declaration || strcmp(die->name, name) != 0) continue;
        if (die->tag == TW__TAG_TYPEDEF) return tw__die_type(d, die);
        if (keyword_of(die) || die->tag == TW__TAG_BASE) return die;
    }
    return NULL;
}
