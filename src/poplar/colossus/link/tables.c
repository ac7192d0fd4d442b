/* SPDX-License-Identifier: MIT */
/* Objects as tables: sections, symbols, relocations, stack. */
#include "poplar/colossus/link/link.h"

#include <stdlib.h>
#include <string.h>

/* Names come from anywhere: nothing that a terminal would obey. */
static char *shown(const char *name)
{
    size_t length = strlen(name), room = 4 * length + 1; /* of a byte "\x1b" */
    char *text = g_malloc(room);
    tw__escape_text(text, room, name, length, "");
    return text;
}

static void put_sections(const tw_object *object, GString *out)
{
    g_string_append(out, "section                                         size    align  address  flags\n");
    for (size_t i = 0; i < object->section_count; i++) {
        const tw_section *s = &object->sections[i].public;
        g_autofree char *name = shown(s->name);
        g_string_append_printf(
            out, "%-44s %7u  %7u  %7x  %s%s%s%s\n", name, s->size, s->align, s->address,
            s->flags & TW_SECTION_ALLOC ? "alloc " : "", s->flags & TW_SECTION_WRITE ? "write " : "",
            s->flags & TW_SECTION_EXEC ? "code " : "", s->flags & TW_SECTION_EMPTY ? "empty" : "");
    }
}

static char *section_name(const tw_object *o, int section)
{
    return section >= 0                     ? shown(o->sections[section].public.name)
           : section == TW_SECTION_ABSOLUTE ? g_strdup("*absolute*")
           : section == TW_SECTION_COMMON   ? g_strdup("*common*")
                                            : g_strdup("*undefined*");
}

static void put_symbols(const tw_object *object, GString *out)
{
    static const char *const types[] = { "", "object", "function", "section", "file" };
    static const char *const bindings[] = { "local", "global", "weak" };
    g_string_append(out, "   value     size  binding  type      section              name\n");
    for (size_t i = 0; i < object->symbol_count; i++) {
        const tw_symbol *s = &object->symbols[i];
        if (!*s->name && s->type != TW_SYMBOL_SECTION) continue;
        g_autofree char *name = shown(s->name), *section = section_name(object, s->section);
        g_string_append_printf(out, "%8x %8u  %-7s  %-8s  %-20s %s\n", s->value, s->size, bindings[s->binding],
                               types[s->type], section, name);
    }
}

static void put_relocations(const tw_object *object, GString *out)
{
    g_string_append(out, "  offset  type                          section              symbol\n");
    for (size_t i = 0; i < object->relocation_count; i++) {
        const tw_relocation *r = &object->relocations[i];
        const tw_symbol *s = &object->symbols[r->symbol];
        g_autofree char *section = section_name(object, r->section),
                        *name = *s->name ? shown(s->name) : section_name(object, s->section);
        g_string_append_printf(out, "%8x  %-28s  %-20s %s", r->offset, tw_relocation_name(r->type), section, name);
        if (r->addend)
            g_string_append_printf(out, " %c 0x%llx", r->addend < 0 ? '-' : '+', llabs((long long)r->addend));
        g_string_append_c(out, '\n');
    }
}

static void put_needs(const tw_object *object, GString *out)
{
    tw__stack *stack = tw__stack_new(object);
    g_string_append(out, "\nneed in bytes, with all it calls\n");
    for (size_t i = 0; i < object->symbol_count; i++) {
        const tw_symbol *s = &object->symbols[i];
        uint32_t bytes;
        if (s->type != TW_SYMBOL_FUNCTION || !tw__dump_is_named(object, i)) continue;
        if (tw__stack_need(stack, s->name, &bytes) == TW_OK) {
            g_string_append_printf(out, "%8u  %s\n", bytes, s->name);
        } else {
            g_autofree char *why = shown(tw_error_message());
            g_string_append_printf(out, " unknown  %s: %s\n", s->name, why);
        }
    }
    tw__stack_free(stack);
}

static void put_stack(const tw_object *object, GString *out)
{
    static const char *const kinds[] = { "total", "own", "calls" };
    g_string_append(out, "stated    bytes  name\n");
    for (size_t i = 0; i < object->note_count; i++) {
        const tw_stack_note *n = &object->notes[i];
        g_autofree char *name = shown(n->name), *targets = shown(n->targets);
        if (n->kind == TW_STACK_CALLS)
            g_string_append_printf(out, "%-6s        -  %s: %s\n", kinds[n->kind], name, targets);
        else
            g_string_append_printf(out, "%-6s %8u  %s\n", kinds[n->kind], n->bytes, name);
    }
    if (object->linked) put_needs(object, out);
}

void tw__dump_tables(const tw_object *object, unsigned parts, GString *out)
{
    if (parts & TW_DUMP_SECTIONS) put_sections(object, out);
    if (parts & TW_DUMP_SYMBOLS) put_symbols(object, out);
    if (parts & TW_DUMP_RELOCATIONS) put_relocations(object, out);
    if (parts & TW_DUMP_STACK) put_stack(object, out);
}
