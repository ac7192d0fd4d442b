/* SPDX-License-Identifier: MIT */
/* Directives about sections and symbols. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

/* --- sections ------------------------------------------------------------------------------------------------- */

/* Flags of a section by its name, when it is made without: ".text.f" is code. */
static unsigned flags_by_name(const char *name)
{
    static const struct {
        const char *prefix;
        unsigned flags;
    } known[] = { { ".text", TW_SECTION_CODE },
                  { ".data", TW_SECTION_DATA },
                  { ".bss", TW_SECTION_DATA | TW_SECTION_EMPTY },
                  { ".rodata", TW_SECTION_ALLOC } };
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        size_t n = strlen(known[i].prefix);
        if (strncmp(name, known[i].prefix, n) == 0 && (name[n] == 0 || name[n] == '.')) return known[i].flags;
    }
    return 0;
}

static void section_enter(tw__asm *as, const char *name, unsigned flags, place where)
{
    int section = tw_object_section(as->object, name, flags);
    if (section < 0) {
        tw__asm_ok(as, (tw_status)section, where);
        return;
    }
    as->previous = as->section, as->section = section;
}

/* "ax", @progbits: the flags; false with an error. */
static bool read_flags(tw__asm *as, unsigned *flags)
{
    g_autoptr(GString) text = g_string_new(NULL);
    tw__asm_skip_blanks(as);
    place where = tw__asm_place_at(as, as->top->at, 1);
    if (!tw__asm_read_string(as, text)) return false;
    *flags = 0;
    for (const char *p = text->str; *p; p++) {
        if (*p == 'a')
            *flags |= TW_SECTION_ALLOC;
        else if (*p == 'w')
            *flags |= TW_SECTION_WRITE;
        else if (*p == 'x')
            *flags |= TW_SECTION_EXEC;
        else if (!strchr("MSGoTR?", *p)) {
            fail_at(as, where, "unknown flag '%c' of a section; known: a w x", *p);
            return false;
        }
    }
    return true;
}

static bool read_section(tw__asm *as, const char **name, unsigned *flags)
{
    tw__asm_skip_blanks(as);
    const char *at = as->top->at;
    size_t n = 0;
    if (*at == '"') {
        *name = tw__asm_read_name(as, "the name of a section");
    } else { /* names of sections may hold more than symbols */
        while (at[n] && !strchr(" \t\r\n,;#\"{}", at[n])) n++;
        if (!n) fail_at(as, tw__asm_place_at(as, at, 1), "expected the name of a section");
        *name = n ? tw__asm_copy_text(as, at, n) : NULL;
        as->top->at = at + n;
    }
    if (!*name) return false;
    *flags = flags_by_name(*name);
    if (!tw__asm_accept(as, ',')) return true;
    if (!read_flags(as, flags)) return false;
    if (!tw__asm_accept(as, ',')) return true;
    tw__asm_skip_blanks(as);
    if (*as->top->at == '@' || *as->top->at == '%') as->top->at++;
    place where = tw__asm_place_at(as, as->top->at, 1);
    const char *type = tw__asm_read_name(as, "the type of a section");
    if (!type) return false;
    if (strcmp(type, "nobits") == 0)
        *flags |= TW_SECTION_EMPTY;
    else if (strcmp(type, "progbits") != 0 && strcmp(type, "note") != 0)
        fail_at(as, where, "unknown type of a section: '%s'; known: @progbits, @nobits, @note", type);
    int64_t ignored; /* size of entries, of mergeable sections */
    if (tw__asm_accept(as, ',')) tw__asm_read_constant(as, &ignored, "the size of an entry");
    return true;
}

void tw__asm_do_section(tw__asm *as, const char *name, place where)
{
    unsigned flags;
    if (read_section(as, &name, &flags)) section_enter(as, name, flags, where);
}

void tw__asm_do_named_section(tw__asm *as, const char *name, place where)
{
    g_autofree char *full = g_strconcat(".", name, NULL);
    int64_t part;
    if (!tw__asm_at_end_of_statement(as)) tw__asm_read_constant(as, &part, "the number of the subsection");
    section_enter(as, full, flags_by_name(full), where);
}

void tw__asm_do_push_section(tw__asm *as, const char *name, place where)
{
    int saved[2] = { as->section, as->previous };
    g_array_append_vals(as->section_stack, saved, 2);
    tw__asm_do_section(as, name, where);
}

void tw__asm_do_pop_section(tw__asm *as, const char *name, place where)
{
    (void)name;
    guint n = as->section_stack->len;
    if (n < 2) {
        fail_at(as, where, "there is no .pushsection that belongs to it");
        return;
    }
    as->section = g_array_index(as->section_stack, int, n - 2);
    as->previous = g_array_index(as->section_stack, int, n - 1);
    g_array_set_size(as->section_stack, n - 2);
}

void tw__asm_do_previous(tw__asm *as, const char *name, place where)
{
    (void)name, (void)where;
    int section = as->section;
    as->section = as->previous, as->previous = section;
}

/* --- symbols -------------------------------------------------------------------------------------------------- */

static int read_symbol(tw__asm *as)
{
    const char *name = tw__asm_read_name(as, "a symbol");
    return name ? tw__asm_use_symbol(as, name, strlen(name)) : -1;
}

void tw__asm_do_binding(tw__asm *as, const char *name, place where)
{
    (void)where;
    tw_symbol_binding binding = strcmp(name, "weak") == 0    ? TW_SYMBOL_WEAK
                                : strcmp(name, "local") == 0 ? TW_SYMBOL_LOCAL
                                                             : TW_SYMBOL_GLOBAL;
    do {
        tw__asm_skip_blanks(as);
        if (*as->top->at == '@') { /* ".globl f, @function" is met in real code */
            tw__asm_report(as, tw__asm_place_at(as, as->top->at, 1), TW_WARNING,
                           "a type has no effect here; .type takes it");
            as->top->at += 1 + tw__asm_identifier_length(as->top->at + 1);
            continue;
        }
        int symbol = read_symbol(as);
        if (symbol < 0) return;
        tw_object_bind(as->object, symbol, binding);
    } while (tw__asm_accept(as, ','));
}

void tw__asm_do_visibility(tw__asm *as, const char *name, place where)
{
    (void)where;
    do {
        int symbol = read_symbol(as);
        if (symbol < 0) return;
        tw_object_set_visibility(as->object, symbol, *name == 'i' ? 1 : *name == 'h' ? 2 : 3);
    } while (tw__asm_accept(as, ','));
}

void tw__asm_do_type(tw__asm *as, const char *name, place where)
{
    static const struct {
        const char *name;
        tw_symbol_type type;
    } types[] = { { "function", TW_SYMBOL_FUNCTION }, { "STT_FUNC", TW_SYMBOL_FUNCTION },
                  { "object", TW_SYMBOL_OBJECT },     { "STT_OBJECT", TW_SYMBOL_OBJECT },
                  { "notype", TW_SYMBOL_NOTYPE },     { "STT_NOTYPE", TW_SYMBOL_NOTYPE } };
    int symbol = read_symbol(as);
    if (symbol < 0) return;
    tw__asm_accept(as, ',');
    tw__asm_skip_blanks(as);
    if (*as->top->at == '@' || *as->top->at == '%') as->top->at++;
    where = tw__asm_place_at(as, as->top->at, 1);
    name = tw__asm_read_name(as, "the type of a symbol");
    if (!name) return;
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (strcmp(types[i].name, name) == 0) {
            tw_object_set_type(as->object, symbol, types[i].type);
            return;
        }
    fail_at(as, where, "unknown type of a symbol: '%s'; known: @function, @object, @notype", name);
}

/* .size f, . - f: labels before it are known, so that the size nearly always is. */
void tw__asm_do_size(tw__asm *as, const char *name, place where)
{
    (void)name;
    int symbol = read_symbol(as);
    if (symbol < 0 || !tw__asm_expect(as, ',', "behind the symbol")) return;
    tw__asm_skip_blanks(as);
    const char *start = as->top->at;
    value v;
    if (!tw__asm_read_value(as, &v)) return;
    where = tw__asm_place_at(as, start, (size_t)(as->top->at - start));
    tw__asm_note_of(as, symbol)->size = v, tw__asm_note_of(as, symbol)->has_size = true,
                        tw__asm_note_of(as, symbol)->size_place = where;
}

static tw_status make_common(tw__asm *as, int symbol, uint32_t align)
{
    tw_status status = tw_object_define(as->object, symbol, TW_SECTION_COMMON, align, TW_SYMBOL_OBJECT);
    return status == TW_OK ? tw_object_bind(as->object, symbol, TW_SYMBOL_GLOBAL) : status;
}

/* .lcomm: room in .bss at once. */
static tw_status make_local(tw__asm *as, int symbol, uint32_t align, size_t bytes)
{
    int bss = tw_object_section(as->object, ".bss", TW_SECTION_DATA | TW_SECTION_EMPTY);
    tw_status status = bss < 0 ? (tw_status)bss : tw_object_align(as->object, bss, align);
    if (status != TW_OK) return status;
    status = tw_object_define(as->object, symbol, bss, as->object->sections[bss].public.size, TW_SYMBOL_OBJECT);
    return status == TW_OK ? tw_object_append(as->object, bss, NULL, bytes) : status;
}

void tw__asm_do_comm(tw__asm *as, const char *name, place where)
{
    int symbol = read_symbol(as);
    int64_t bytes = 0, align = 4;
    if (symbol < 0 || !tw__asm_expect(as, ',', "behind the symbol") ||
        !tw__asm_read_constant(as, &bytes, "the size"))
        return;
    if (tw__asm_accept(as, ',') && !tw__asm_read_constant(as, &align, "the alignment")) return;
    if (bytes < 0 || bytes > TW__MAX_SECTION || align < 1 || align > TW__MAX_SECTION || (align & (align - 1))) {
        fail_at(as, where, "size and alignment have to be at most 2 MB, the alignment a power of two");
        return;
    }
    tw_symbol *s = &as->object->symbols[symbol];
    bool common = strcmp(name, "comm") == 0, again = common && s->section == TW_SECTION_COMMON;
    if (tw__asm_is_defined(as, symbol) && !again) {
        fail_at(as, where, "'%s' is defined already", s->name);
        return;
    }
    if (again) /* the largest counts, as among files */
        s->value = MAX(s->value, (uint32_t)align), bytes = MAX((int64_t)s->size, bytes);
    else if (!tw__asm_ok(as,
                         common ? make_common(as, symbol, (uint32_t)align)
                                : make_local(as, symbol, (uint32_t)align, (size_t)bytes),
                         where))
        return;
    tw_object_set_size(as->object, symbol, (uint32_t)bytes);
}

void tw__asm_do_set(tw__asm *as, const char *name, place where)
{
    const char *symbol = tw__asm_read_name(as, "a symbol");
    value v;
    if (!symbol || !tw__asm_expect(as, ',', "behind the symbol") || !tw__asm_read_value(as, &v)) return;
    tw__asm_set_symbol(as, symbol, where, v, strcmp(name, "equiv") == 0);
}

/* --- stack sizes (guide 2.8.1, 7.3.1) ------------------------------------------------------------------------- */

static bool is_stated(tw__asm *as, const char *name, place where)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(as->stated, name));
    if (!found) return false;
    fail_at(as, where, "the stack of '%s' is stated already", name);
    tw__asm_report(as, g_array_index(as->stack_sizes, stack_size, found - 1).place, TW_NOTE, "here");
    return true;
}

/* .stack_total NAME, SIZE and .stack_own: what DEF_STACK_USAGE and DEF_STACK_SIZE_OWN expand to. */
void tw__asm_do_stack_size(tw__asm *as, const char *name, place where)
{
    stack_size added = { .kind = strcmp(name, "stack_own") == 0 ? TW_STACK_OWN : TW_STACK_TOTAL, .place = where };
    tw__asm_skip_blanks(as);
    place function = tw__asm_place_at(as, as->top->at, 1);
    added.name = tw__asm_read_name(as, "a function or a section");
    if (!added.name || !tw__asm_expect(as, ',', "behind the name") || !tw__asm_read_value(as, &added.size)) return;
    function.length = (int)strlen(added.name);
    if (is_stated(as, added.name, function)) return;
    g_array_append_val(as->stack_sizes, added);
    g_hash_table_insert(as->stated, (gpointer)added.name, GUINT_TO_POINTER(as->stack_sizes->len));
}

/* .stack_calls NAME, A, B: functions that NAME calls through pointers. */
void tw__asm_do_stack_calls(tw__asm *as, const char *name, place where)
{
    name = tw__asm_read_name(as, "a function");
    if (!name) return;
    g_autoptr(GString) targets = g_string_new(NULL);
    while (tw__asm_accept(as, ',')) {
        const char *target = tw__asm_read_name(as, "a function");
        if (!target) return;
        g_string_append_printf(targets, "%s%s", targets->len ? "," : "", target);
    }
    tw_stack_note note = { .kind = TW_STACK_CALLS, .name = name, .targets = targets->str };
    tw__asm_ok(as, tw_object_add_stack_note(as->object, &note), where);
}

void tw__asm_finish_stack(tw__asm *as)
{
    for (guint i = 0; i < as->stack_sizes->len; i++) {
        const stack_size *s = &g_array_index(as->stack_sizes, stack_size, i);
        value v;
        if (!tw__asm_resolve(as, s->size, s->place, &v)) continue;
        if (v.kind != V_CONST || v.real || v.number < 0 || v.number > TW__MAX_SECTION) {
            fail_at(as, s->place, "the stack of '%s' has to be a number of bytes from 0 to 2 MB", s->name);
            continue;
        }
        tw_stack_note note = { .kind = s->kind, .name = s->name, .bytes = (uint32_t)v.number };
        tw__asm_ok(as, tw_object_add_stack_note(as->object, &note), s->place);
    }
    for (guint i = 0; i < as->notes->len && i < as->object->symbol_count; i++) {
        const symbol_note *note = &g_array_index(as->notes, symbol_note, i);
        value v;
        if (!note->has_size) continue;
        if (as->object->symbols[i].section == TW_SECTION_UNDEFINED) {
            tw__asm_report(as, note->size_place, TW_WARNING, "'%s' is not defined here: its size has no effect",
                           as->object->symbols[i].name);
            continue;
        }
        if (!tw__asm_resolve(as, note->size, note->size_place, &v)) continue;
        if (v.kind == V_CONST && v.number >= 0 && v.number <= UINT32_MAX)
            tw_object_set_size(as->object, (int)i, (uint32_t)v.number);
        else
            fail_at(as, note->size_place, "the size of '%s' has to be a number of bytes",
                    as->object->symbols[i].name);
    }
}
