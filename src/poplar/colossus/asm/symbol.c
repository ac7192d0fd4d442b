/* SPDX-License-Identifier: MIT */
/* Symbols: labels, numeric labels that may come again, .set. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

symbol_note *tw__asm_note_of(tw__asm *as, int symbol)
{
    if ((size_t)symbol >= as->notes->len)
        g_array_set_size(as->notes, (guint)MAX(symbol + 1, 2 * (int)as->notes->len));
    return &g_array_index(as->notes, symbol_note, symbol);
}

static int out_of_memory(tw__asm *as, int symbol)
{
    if (symbol < 0) as->stopped = true, as->status = (tw_status)symbol;
    return symbol;
}

int tw__asm_use_symbol(tw__asm *as, const char *name, size_t length)
{
    return out_of_memory(as, tw__object_symbol(as->object, name, length));
}

static void define_here(tw__asm *as, int symbol)
{
    if (symbol < 0) return;
    const tw_section *section = tw_object_get_section(as->object, (size_t)as->section);
    tw_object_define(as->object, symbol, as->section, section->size, TW_SYMBOL_NOTYPE);
}

static void already_defined(tw__asm *as, place where, const symbol_note *note, const char *name)
{
    fail_at(as, where, "'%s' is defined already", name);
    if (note->place.frame) tw__asm_report(as, note->place, TW_NOTE, "here");
}

bool tw__asm_is_defined(tw__asm *as, int symbol)
{
    return as->object->symbols[symbol].section != TW_SECTION_UNDEFINED || tw__asm_note_of(as, symbol)->is_set;
}

void tw__asm_define_label(tw__asm *as, const char *at, size_t length)
{
    int symbol = tw__asm_use_symbol(as, at, length);
    if (symbol < 0) return;
    symbol_note *note = tw__asm_note_of(as, symbol);
    place where = tw__asm_place_at(as, at, length);
    if (tw__asm_is_defined(as, symbol)) {
        already_defined(as, where, note, as->object->symbols[symbol].name);
        return;
    }
    note->is_fixed = true, note->place = where;
    define_here(as, symbol);
}

value tw__asm_here(tw__asm *as)
{
    int symbol = out_of_memory(as, tw_object_symbol(as->object, ""));
    if (symbol < 0) return tw__asm_constant(0);
    define_here(as, symbol);
    return (value){ .kind = V_SYMBOL, .symbol = symbol, .symbolic = true };
}

/* --- numeric labels ------------------------------------------------------------------------------------------- */

typedef struct numeric_label {
    int last, next; /* symbols; -1 = none */
    place wanted;   /* first use of `next` */
} numeric_label_state;

static numeric_label_state *numeric_state(tw__asm *as, unsigned number)
{
    numeric_label_state *state = g_hash_table_lookup(as->numeric, GUINT_TO_POINTER(number));
    if (state) return state;
    state = g_new(numeric_label_state, 1);
    *state = (numeric_label_state){ -1, -1, { 0 } };
    g_hash_table_insert(as->numeric, GUINT_TO_POINTER(number), state);
    return state;
}

void tw__asm_define_numeric_label(tw__asm *as, unsigned number)
{
    numeric_label_state *state = numeric_state(as, number);
    if (state->next < 0) state->next = out_of_memory(as, tw_object_symbol(as->object, ""));
    define_here(as, state->next);
    state->last = state->next, state->next = -1;
}

int tw__asm_numeric_label(tw__asm *as, unsigned number, bool forward, place where)
{
    numeric_label_state *state = numeric_state(as, number);
    if (!forward) {
        if (state->last < 0) fail_at(as, where, "there is no label '%u:' before", number);
        return state->last;
    }
    if (state->next < 0) {
        state->next = out_of_memory(as, tw_object_symbol(as->object, ""));
        state->wanted = where;
    }
    return state->next;
}

/* --- .set ----------------------------------------------------------------------------------------------------- */

void tw__asm_set_symbol(tw__asm *as, const char *name, place where, value v, bool once)
{
    int symbol = tw__asm_use_symbol(as, name, strlen(name));
    if (symbol < 0) return;
    symbol_note *note = tw__asm_note_of(as, symbol);
    if (note->is_fixed || (once && note->is_set) || (!note->is_set && as->object->symbols[symbol].section != -1)) {
        already_defined(as, where, note, name);
        return;
    }
    note->is_set = true, note->is_fixed = once, note->value = v, note->place = where;
}

/* --- at the end ----------------------------------------------------------------------------------------------- */

/* A place that a file cannot hold, such as one before its section, is no matter where only this text uses it: the
 * symbol stays out of the file then. */
static void not_in_file(tw__asm *as, int symbol, const char *why)
{
    const tw_symbol *s = &as->object->symbols[symbol];
    if (s->binding != TW_SYMBOL_LOCAL)
        fail_at(as, tw__asm_note_of(as, symbol)->place, "'%s' cannot be seen by other files: %s", s->name, why);
}

static void place_constant(tw__asm *as, int symbol, int64_t number)
{
    if (number < INT32_MIN || number > UINT32_MAX)
        not_in_file(as, symbol, "its value does not fit 32 bits");
    else
        tw__asm_ok(as,
                   tw_object_define(as->object, symbol, TW_SECTION_ABSOLUTE, (uint32_t)number, TW_SYMBOL_NOTYPE),
                   tw__asm_note_of(as, symbol)->place);
}

static void place_beside(tw__asm *as, int symbol, value v)
{
    const tw_symbol *base = &as->object->symbols[v.symbol];
    place where = tw__asm_note_of(as, symbol)->place;
    if (base->section == TW_SECTION_UNDEFINED) {
        fail_at(as, where, "'%s' stands for '%s', which is not defined in this file",
                as->object->symbols[symbol].name, base->name);
        return;
    }
    int64_t offset = tw__asm_wrap_add(v.number, base->value);
    uint32_t end = base->section >= 0 ? as->object->sections[base->section].public.size : UINT32_MAX;
    if (offset < 0 || offset > end || (base->section == TW_SECTION_COMMON && v.number))
        not_in_file(as, symbol, "its place lies outside of its section");
    else
        tw__asm_ok(as, tw_object_define(as->object, symbol, base->section, (uint32_t)offset, base->type), where);
}

/* Gives symbols of .set their values in the object; tells of labels that never came. */
void tw__asm_check_symbols(tw__asm *as)
{
    GHashTableIter each;
    gpointer number, data;
    g_hash_table_iter_init(&each, as->numeric);
    while (g_hash_table_iter_next(&each, &number, &data)) {
        const numeric_label_state *state = data;
        if (state->next >= 0)
            fail_at(as, state->wanted, "there is no label '%u:' behind", GPOINTER_TO_UINT(number));
    }
    for (size_t i = 0; i < as->object->symbol_count && i < as->notes->len; i++) {
        symbol_note *note = tw__asm_note_of(as, (int)i);
        value v;
        if (!note->is_set) continue;
        if (!tw__asm_resolve(as, note->value, note->place, &v)) {
            note->value = tw__asm_constant(0); /* told once, not at each use */
            continue;
        }
        note->value = v;
        if (v.kind == V_CONST)
            place_constant(as, (int)i, v.number);
        else
            place_beside(as, (int)i, v);
    }
}
