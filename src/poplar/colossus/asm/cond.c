/* SPDX-License-Identifier: MIT */
/* Conditions: .if and its kin, .else, .endif. Text that is skipped is only searched for these. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

bool tw__asm_is_active(const tw__asm *as)
{
    return !as->conditions->len || g_array_index(as->conditions, condition, as->conditions->len - 1).active;
}

/* --- tests ---------------------------------------------------------------------------------------------------- */

/* One side of .ifc: quoted, or up to the comma (the first) or the end (the second), without blanks around. */
static void read_side(tw__asm *as, GString *out, bool first)
{
    tw__asm_skip_blanks(as);
    const char *p = as->top->at;
    char quote = *p == '"' || *p == '\'' ? *p : 0;
    if (quote) {
        for (p++; *p && *p != '\n' && *p != quote; p++) g_string_append_c(out, *p);
        as->top->at = *p == quote ? p + 1 : p;
        return;
    }
    while (!tw__asm_at_end_of_statement(as) && !(first && *as->top->at == ',')) {
        if (out->len && as->top->at > as->top->text && as->top->at[-1] == ' ') g_string_append_c(out, ' ');
        g_string_append_c(out, *as->top->at++);
    }
    g_strchomp(out->str);
    g_string_set_size(out, (gssize)strlen(out->str));
}

static bool same_text(tw__asm *as)
{
    g_autoptr(GString) a = g_string_new(NULL);
    g_autoptr(GString) b = g_string_new(NULL);
    read_side(as, a, true);
    if (!tw__asm_expect(as, ',', "between the two texts")) return false;
    read_side(as, b, false);
    return strcmp(a->str, b->str) == 0;
}

static int64_t condition_value(tw__asm *as)
{
    int64_t v = 0;
    tw__asm_read_constant(as, &v, "the condition");
    return v;
}

static bool symbol_is_defined(tw__asm *as)
{
    const char *name = tw__asm_read_name(as, "a symbol");
    int symbol = name ? tw_object_find_symbol(as->object, name) : -1;
    return symbol >= 0 &&
           (tw__asm_note_of(as, symbol)->is_set || as->object->symbols[symbol].section != TW_SECTION_UNDEFINED);
}

enum { IF, IFEQ, IFNE, IFGT, IFGE, IFLT, IFLE, IFC, IFNC, IFB, IFNB, IFDEF, IFNDEF, ELSEIF, ELSE, ENDIF };
static const struct {
    const char *name;
    int kind;
} names[] = { { "if", IF },         { "ifeq", IFEQ },   { "ifne", IFNE },     { "ifgt", IFGT },
              { "ifge", IFGE },     { "iflt", IFLT },   { "ifle", IFLE },     { "ifc", IFC },
              { "ifeqs", IFC },     { "ifnc", IFNC },   { "ifnes", IFNC },    { "ifb", IFB },
              { "ifnb", IFNB },     { "ifdef", IFDEF }, { "ifndef", IFNDEF }, { "ifnotdef", IFNDEF },
              { "elseif", ELSEIF }, { "else", ELSE },   { "endif", ENDIF } };

static bool test(tw__asm *as, int kind)
{
    switch (kind) {
    case IFEQ: return condition_value(as) == 0;
    case IFGT: return condition_value(as) > 0;
    case IFGE: return condition_value(as) >= 0;
    case IFLT: return condition_value(as) < 0;
    case IFLE: return condition_value(as) <= 0;
    case IFC: return same_text(as);
    case IFNC: return !same_text(as);
    case IFB: return tw__asm_at_end_of_statement(as);
    case IFNB: return !tw__asm_at_end_of_statement(as);
    case IFDEF: return symbol_is_defined(as);
    case IFNDEF: return !symbol_is_defined(as);
    default: return condition_value(as) != 0;
    }
}

/* --- nesting -------------------------------------------------------------------------------------------------- */

static void change(tw__asm *as, int kind, place where)
{
    if (as->conditions->len <= as->top->conditions) {
        fail_at(as, where, "there is no .if that belongs to it");
        return;
    }
    condition *c = &g_array_index(as->conditions, condition, as->conditions->len - 1);
    if (kind == ENDIF) {
        g_array_set_size(as->conditions, as->conditions->len - 1);
        return;
    }
    if (c->has_else) fail_at(as, where, "behind an .else only .endif may come");
    c->has_else = kind == ELSE;
    if (!c->was_active || c->taken) {
        c->active = false;
    } else {
        c->active = kind == ELSE || test(as, IF);
        c->taken = c->active;
    }
}

bool tw__asm_condition_directive(tw__asm *as, const char *name, size_t length, place where)
{
    if (!strchr("iIeE", *name)) return false;
    size_t i = 0;
    while (i < G_N_ELEMENTS(names) &&
           (strlen(names[i].name) != length || g_ascii_strncasecmp(names[i].name, name, length)))
        i++;
    if (i == G_N_ELEMENTS(names)) return false;
    if (names[i].kind >= ELSEIF) {
        change(as, names[i].kind, where);
    } else {
        bool was_active = tw__asm_is_active(as), holds = was_active && test(as, names[i].kind);
        condition c = { .active = holds, .taken = holds, .was_active = was_active, .place = where };
        g_array_append_val(as->conditions, c);
    }
    if (!tw__asm_is_active(as) || names[i].kind == IFB || names[i].kind == IFNB) tw__asm_skip_statement(as);
    return true;
}

void tw__asm_close_conditions(tw__asm *as, unsigned down_to)
{
    while (as->conditions->len > down_to) {
        condition *c = &g_array_index(as->conditions, condition, as->conditions->len - 1);
        fail_at(as, c->place, "there is no .endif for it");
        g_array_set_size(as->conditions, as->conditions->len - 1);
    }
}
