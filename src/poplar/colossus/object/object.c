/* SPDX-License-Identifier: MIT */
/* Sections, symbols, relocations and notes of an object: plain growing tables. */
#include "poplar/colossus/object/object.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return tw__fail(TW_E_NO_MEMORY, "out of memory for an object");
}

static int no_object(void)
{
    return tw__missing("object");
}

tw_object *tw_object_new(tw_isa_arch arch)
{
    if (!*tw_isa_arch_name(arch)) {
        return tw__made(
            tw__fail(TW_E_INVALID_ARGUMENT, "an object is for one chip, and there is none of number %d", (int)arch),
            NULL);
    }
    tw_object *object = tw__calloc(1, sizeof *object);
    if (object) *object = (tw_object){ .arch = arch, .name = "", .arena = tw__arena_new(0), .lines_sorted = true };
    if (object && object->arena) return object;
    free(object);
    return tw__made(no_memory(), NULL);
}

void tw_object_free(tw_object *object)
{
    if (!object) return;
    for (size_t i = 0; i < object->section_count; i++) free(object->sections[i].data);
    free(object->sections);
    free(object->symbols);
    free(object->section_names.slots);
    free(object->symbol_names.slots);
    free(object->relocations);
    free(object->notes);
    free(object->lines);
    tw__arena_free(object->arena);
    free(object);
}

tw_isa_arch tw_object_arch(const tw_object *object)
{
    return object ? object->arch : (tw_isa_arch)0;
}

const char *tw_object_name(const tw_object *object)
{
    return object ? object->name : "";
}

tw_status tw_object_set_name(tw_object *object, const char *name)
{
    if (!object) return (tw_status)no_object();
    if (!name) return tw__fail(TW_E_INVALID_ARGUMENT, "the name of an object cannot be NULL; there is \"\"");
    const char *copy = tw__arena_strdup(object->arena, name);
    if (copy) object->name = copy;
    return copy ? TW_OK : (tw_status)no_memory();
}

/* --- sections ------------------------------------------------------------------------------------------------- */

int tw__object_find_section(const tw_object *object, const char *name)
{
    const tw__names *names = &object->section_names;
    if (!names->count) return -1;
    return (int)*tw__names_slot(names, object->sections, sizeof(tw__section), name, strlen(name)) - 1;
}

static int add_section(tw_object *object, const char *name, unsigned flags)
{
    size_t n = object->section_count;
    if (n == TW__MAX_SECTIONS)
        return tw__fail(TW_E_OVERFLOW, "an object has at most %d sections, and '%s' would be one more",
                        TW__MAX_SECTIONS, name);
    char *copy = tw__arena_strdup(object->arena, name);
    if (!copy || !tw__names_widen(&object->section_names, object->sections, sizeof(tw__section), n) ||
        !tw__grow(&object->sections, &object->section_room, n, sizeof(tw__section)))
        return no_memory();
    object->sections[n] =
        (tw__section){ .public = { .name = copy, .flags = flags, .align = 1 }, .symbol = -1, .twins = 1 };
    *tw__names_slot(&object->section_names, object->sections, sizeof(tw__section), copy, strlen(copy)) =
        (uint32_t)n + 1;
    object->section_count++;
    return (int)n;
}

int tw_object_section(tw_object *object, const char *name, unsigned flags)
{
    if (!object) return no_object();
    tw_status status = tw__check_section(name, flags);
    if (status != TW_OK) return status;
    int found = tw__object_find_section(object, name);
    return found >= 0 ? found : add_section(object, name, flags);
}

int tw__object_twin_section(tw_object *object, const char *name, unsigned flags)
{
    tw_status status = tw__check_section(name, flags);
    if (status != TW_OK) return status;
    int first = tw__object_find_section(object, name);
    if (first < 0) return add_section(object, name, flags);
    for (;;) {
        char *other = tw__arena_printf(object->arena, "%s#%u", name, ++object->sections[first].twins);
        if (!other) return no_memory();
        if (tw__object_find_section(object, other) < 0) return add_section(object, other, flags);
    }
}

size_t tw_object_section_count(const tw_object *object)
{
    return object ? object->section_count : 0;
}

const tw_section *tw_object_get_section(const tw_object *object, size_t index)
{
    return object && index < object->section_count ? &object->sections[index].public : NULL;
}

/* NULL with the message of `*status`. */
static tw__section *section_at(tw_object *object, int section, tw_status *status)
{
    *status = tw__check_index(object, section);
    return *status == TW_OK ? &object->sections[section] : NULL;
}

static bool reserve(tw__section *s, size_t bytes)
{
    size_t need = s->public.size + bytes;
    if (need <= s->room) return true;
    size_t room = need < 256 ? 256 : need * 2;
    uint8_t *data = tw__realloc(s->data, room);
    if (!data) return false;
    s->data = data, s->room = room, s->public.data = data;
    return true;
}

static bool all_zeros(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i]) return false;
    return true;
}

tw_status tw_object_append(tw_object *object, int section, const void *data, size_t bytes)
{
    tw_status status;
    tw__section *s = section_at(object, section, &status);
    if (s) status = tw__check_room(&s->public, bytes);
    if (status != TW_OK) return status;
    bool empty = s->public.flags & TW_SECTION_EMPTY;
    if (empty && data && !all_zeros(data, bytes))
        return tw__fail(TW_E_INVALID_ARGUMENT, "section '%s' takes room only and cannot hold anything but zeros",
                        s->public.name);
    if (bytes && !empty) {
        if (!reserve(s, bytes)) return (tw_status)no_memory();
        if (data)
            memcpy(s->data + s->public.size, data, bytes);
        else
            memset(s->data + s->public.size, 0, bytes);
    }
    s->public.size += (uint32_t)bytes;
    return TW_OK;
}

tw_status tw_object_raise_align(tw_object *object, int section, uint32_t align)
{
    tw_status status;
    tw__section *s = section_at(object, section, &status);
    if (s) status = tw__check_align(align);
    if (status == TW_OK && s->public.align < align) s->public.align = align;
    return status;
}

tw_status tw_object_align(tw_object *object, int section, uint32_t align)
{
    static const uint8_t nop[] = { 0, 0, 0xE0, 0x19 };
    tw_status status = tw_object_raise_align(object, section, align);
    if (status != TW_OK) return status;
    const tw_section *s = &object->sections[section].public;
    bool code = (s->flags & TW_SECTION_EXEC) && !(s->flags & TW_SECTION_EMPTY);
    uint32_t gap = (align - s->size % align) % align, odd = code ? gap % 4 : gap;
    status = tw_object_append(object, section, NULL, odd);
    for (gap -= odd; gap && status == TW_OK; gap -= 4) status = tw_object_append(object, section, nop, sizeof nop);
    return status;
}

tw_status tw_object_emit(tw_object *object, int section, const tw_insn *insn)
{
    uint64_t word;
    tw_status status = tw__check_index(object, section);
    if (status == TW_OK && !insn) status = tw__fail(TW_E_INVALID_ARGUMENT, "there is no instruction to emit");
    if (status == TW_OK) status = tw_insn_encode(object->arch, insn, &word);
    if (status != TW_OK) return status;
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(word >> 8 * i);
    return tw_object_append(object, section, bytes, tw_isa_get(insn->row)->flags & TW_ISA_TWO_WORDS ? 8 : 4);
}

tw_status tw_object_patch(tw_object *object, int section, uint32_t offset, const void *data, size_t bytes)
{
    tw_status status;
    tw__section *s = section_at(object, section, &status);
    if (!s) return status;
    if (!data && bytes)
        return tw__fail(TW_E_INVALID_ARGUMENT, "there are no bytes to put into '%s'", s->public.name);
    if (!s->data || offset > s->public.size || bytes > s->public.size - offset)
        return tw__fail(TW_E_INDEX, "section '%s' has no %zu bytes from 0x%x on", s->public.name, bytes, offset);
    if (bytes) memcpy(s->data + offset, data, bytes);
    return TW_OK;
}

/* --- symbols -------------------------------------------------------------------------------------------------- */

static uint32_t *slot_of(const tw_object *object, const char *name, size_t length)
{
    return tw__names_slot(&object->symbol_names, object->symbols, sizeof(tw_symbol), name, length);
}

static int add_symbol(tw_object *object, const char *name)
{
    if (!tw__grow(&object->symbols, &object->symbol_room, object->symbol_count, sizeof(tw_symbol)))
        return no_memory();
    object->symbols[object->symbol_count] = (tw_symbol){ .name = name, .section = TW_SECTION_UNDEFINED };
    return (int)object->symbol_count++;
}

static int add_named(tw_object *object, const char *name, size_t length)
{
    char *copy = tw__arena_alloc(object->arena, length + 1, 1);
    if (!copy) return no_memory();
    memcpy(copy, name, length), copy[length] = 0;
    return add_symbol(object, copy);
}

int tw__object_symbol(tw_object *object, const char *name, size_t length)
{
    if (!length) return add_symbol(object, "");
    if (!tw__names_widen(&object->symbol_names, object->symbols, sizeof(tw_symbol), object->symbol_count))
        return no_memory();
    uint32_t *slot = slot_of(object, name, length);
    if (*slot) return (int)*slot - 1;
    int index = add_named(object, name, length);
    if (index >= 0) *slot = (uint32_t)index + 1;
    return index;
}

int tw__object_twin_symbol(tw_object *object, const char *name, bool local)
{
    int found = tw_object_find_symbol(object, name);
    if (found < 0 || (!local && object->symbols[found].binding != TW_SYMBOL_LOCAL))
        return tw__object_symbol(object, name, strlen(name));
    int index = add_named(object, name, strlen(name));
    if (index >= 0 && !local) *slot_of(object, name, strlen(name)) = (uint32_t)index + 1;
    return index;
}

int tw_object_symbol(tw_object *object, const char *name)
{
    if (!object) return no_object();
    if (!name) return tw__fail(TW_E_INVALID_ARGUMENT, "the name of a symbol cannot be NULL; there is \"\"");
    return tw__object_symbol(object, name, strlen(name));
}

int tw_object_find_symbol(const tw_object *object, const char *name)
{
    if (!object || !name || !*name || !object->symbol_names.count) return -1;
    return (int)*slot_of(object, name, strlen(name)) - 1;
}

int tw_object_section_symbol(tw_object *object, int section)
{
    tw_status status;
    tw__section *s = section_at(object, section, &status);
    if (!s) return status;
    if (s->symbol >= 0) return s->symbol;
    int symbol = add_symbol(object, "");
    if (symbol < 0) return symbol;
    object->symbols[symbol].section = section;
    object->symbols[symbol].type = TW_SYMBOL_SECTION;
    return s->symbol = symbol;
}

size_t tw_object_symbol_count(const tw_object *object)
{
    return object ? object->symbol_count : 0;
}

const tw_symbol *tw_object_get_symbol(const tw_object *object, size_t index)
{
    return object && index < object->symbol_count ? &object->symbols[index] : NULL;
}

uint32_t tw__symbol_offset(const tw_object *object, const tw_symbol *s)
{
    const tw_section *section = &object->sections[s->section].public;
    uint32_t offset = object->linked ? s->value - section->address : s->value;
    return offset < section->size ? offset : section->size;
}

/* A copy of a symbol for a change; the symbol of a section is not for changes. */
static tw_status begin_change(const tw_object *object, int symbol, tw_symbol *copy)
{
    if (!object) return (tw_status)no_object();
    if (symbol < 0 || (size_t)symbol >= object->symbol_count)
        return tw__fail(TW_E_INDEX, "there is no symbol %d", symbol);
    *copy = object->symbols[symbol];
    if (copy->type != TW_SYMBOL_SECTION) return TW_OK;
    return tw__fail(TW_E_INVALID_ARGUMENT, "symbol %d is that of a section and cannot be changed", symbol);
}

static tw_status end_change(tw_object *object, int symbol, const tw_symbol *copy)
{
    tw_status status = copy->type == TW_SYMBOL_SECTION
                           ? tw__fail(TW_E_INVALID_ARGUMENT, "tw_object_section_symbol() makes symbols of sections")
                           : tw__check_symbol(object, copy);
    if (status == TW_OK) object->symbols[symbol] = *copy;
    return status;
}

tw_status tw_object_define(tw_object *object, int symbol, int section, uint32_t value, tw_symbol_type type)
{
    tw_symbol s;
    tw_status status = begin_change(object, symbol, &s);
    if (status != TW_OK) return status;
    s.section = section, s.value = value;
    if (type != TW_SYMBOL_NOTYPE) s.type = type;
    status = tw__check_new_definition(&object->symbols[symbol], &s);
    return status == TW_OK ? end_change(object, symbol, &s) : status;
}

tw_status tw_object_bind(tw_object *object, int symbol, tw_symbol_binding binding)
{
    tw_symbol s;
    tw_status status = begin_change(object, symbol, &s);
    if (status != TW_OK) return status;
    s.binding = binding;
    return end_change(object, symbol, &s);
}

tw_status tw_object_set_visibility(tw_object *object, int symbol, unsigned visibility)
{
    tw_symbol s;
    tw_status status = begin_change(object, symbol, &s);
    if (status != TW_OK) return status;
    s.visibility = visibility > UINT8_MAX ? UINT8_MAX : (uint8_t)visibility;
    return end_change(object, symbol, &s);
}

tw_status tw_object_set_size(tw_object *object, int symbol, uint32_t bytes)
{
    tw_symbol s;
    tw_status status = begin_change(object, symbol, &s);
    if (status != TW_OK) return status;
    s.size = bytes;
    return end_change(object, symbol, &s);
}

tw_status tw_object_set_type(tw_object *object, int symbol, tw_symbol_type type)
{
    tw_symbol s;
    tw_status status = begin_change(object, symbol, &s);
    if (status != TW_OK) return status;
    s.type = type;
    return end_change(object, symbol, &s);
}

/* --- relocations ---------------------------------------------------------------------------------------------- */

tw_status tw_object_relocate(tw_object *object, int section, uint32_t offset, tw_relocation_type type, int symbol,
                             int32_t addend)
{
    tw_relocation added = { section, offset, type, symbol, addend };
    tw_status status = tw__check_relocation(object, &added);
    if (status != TW_OK) return status;
    if (!tw__grow(&object->relocations, &object->relocation_room, object->relocation_count, sizeof(tw_relocation)))
        return (tw_status)no_memory();
    object->relocations[object->relocation_count++] = added;
    return TW_OK;
}

size_t tw_object_relocation_count(const tw_object *object)
{
    return object ? object->relocation_count : 0;
}

const tw_relocation *tw_object_get_relocation(const tw_object *object, size_t index)
{
    return object && index < object->relocation_count ? &object->relocations[index] : NULL;
}

/* --- notes and lines ------------------------------------------------------------------------------------------ */

tw_status tw_object_add_stack_note(tw_object *object, const tw_stack_note *note)
{
    if (!object) return (tw_status)no_object();
    tw_status status = tw__check_note(note);
    if (status != TW_OK) return status;
    tw_stack_note copy = *note;
    copy.name = tw__arena_strdup(object->arena, note->name);
    copy.targets =
        tw__arena_strdup(object->arena, note->kind == TW_STACK_CALLS && note->targets ? note->targets : "");
    if (!copy.name || !copy.targets ||
        !tw__grow(&object->notes, &object->note_room, object->note_count, sizeof(tw_stack_note)))
        return (tw_status)no_memory();
    object->notes[object->note_count++] = copy;
    return TW_OK;
}

size_t tw_object_stack_note_count(const tw_object *object)
{
    return object ? object->note_count : 0;
}

const tw_stack_note *tw_object_get_stack_note(const tw_object *object, size_t index)
{
    return object && index < object->note_count ? &object->notes[index] : NULL;
}

static int by_place(const void *a, const void *b)
{
    const tw_object_line *x = a, *y = b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Lines arrive in order within a section but for switches between sections; names of files repeat. */
tw_status tw_object_add_line(tw_object *object, int section, uint32_t offset, const char *file, uint32_t line)
{
    tw_object_line added = { section, offset, file, line, 0 };
    return tw_object_add_place(object, &added);
}

tw_status tw_object_add_place(tw_object *object, const tw_object_line *place)
{
    if (!place) return tw__missing("line");
    tw_object_line added = *place;
    tw_status status = tw__check_line(object, &added);
    if (status != TW_OK) return status;
    const tw_object_line *last = object->line_count ? &object->lines[object->line_count - 1] : NULL;
    if (last && last->section == added.section && last->line == added.line && last->column == added.column &&
        strcmp(last->file, added.file) == 0)
        return TW_OK;
    bool in_order = !last || by_place(last, &added) <= 0; /* before the table moves */
    added.file =
        last && strcmp(last->file, added.file) == 0 ? last->file : tw__arena_strdup(object->arena, added.file);
    if (!added.file || !tw__grow(&object->lines, &object->line_room, object->line_count, sizeof(tw_object_line)))
        return (tw_status)no_memory();
    object->lines_sorted = object->lines_sorted && in_order;
    object->lines[object->line_count++] = added;
    return TW_OK;
}

const tw_object_line *tw_object_line_at(const tw_object *object, int section, uint32_t offset)
{
    if (!object) return NULL;
    if (!object->lines_sorted) { /* the order is no part of what the caller sees */
        tw_object *changed = (tw_object *)object;
        qsort(changed->lines, changed->line_count, sizeof(tw_object_line), by_place);
        changed->lines_sorted = true;
    }
    tw_object_line key = { .section = section, .offset = offset };
    size_t low = 0, high = object->line_count;
    while (low < high) { /* first line after the place */
        size_t middle = (low + high) / 2;
        if (by_place(&object->lines[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && object->lines[low - 1].section == section ? &object->lines[low - 1] : NULL;
}
