/* Sections, symbols, relocations and notes of an object: plain growing tables. */
#include "poplar/colossus/object/object.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return tw__fail(TW_E_NO_MEMORY, "out of memory for an object");
}

tw_object *tw_object_new(tw_isa_arch arch)
{
    tw_object *object = tw__calloc(1, sizeof *object);
    if (object) *object = (tw_object){ .arch = arch, .name = "", .arena = tw__arena_new(0), .lines_sorted = true };
    if (object && object->arena) return object;
    free(object);
    no_memory();
    return NULL;
}

void tw_object_free(tw_object *object)
{
    if (!object) return;
    for (size_t i = 0; i < object->section_count; i++) free(object->sections[i].data);
    free(object->sections);
    free(object->symbols);
    free(object->slots);
    free(object->relocations);
    free(object->notes);
    free(object->lines);
    tw__arena_free(object->arena);
    free(object);
}

tw_isa_arch tw_object_arch(const tw_object *object)
{
    return object->arch;
}

const char *tw_object_name(const tw_object *object)
{
    return object->name;
}

tw_status tw_object_set_name(tw_object *object, const char *name)
{
    const char *copy = tw__arena_strdup(object->arena, name);
    if (copy) object->name = copy;
    return copy ? TW_OK : (tw_status)no_memory();
}

/* --- sections ------------------------------------------------------------------------------------------------- */

int tw_object_section(tw_object *object, const char *name, unsigned flags)
{
    for (size_t i = 0; i < object->section_count; i++)
        if (strcmp(object->sections[i].public.name, name) == 0) return (int)i;
    char *copy = tw__arena_strdup(object->arena, name);
    if (!copy || !tw__grow(&object->sections, &object->section_room, object->section_count, sizeof(tw__section)))
        return no_memory();
    object->sections[object->section_count] =
        (tw__section){ .public = { .name = copy, .flags = flags, .align = 1 }, .symbol = -1 };
    return (int)object->section_count++;
}

size_t tw_object_section_count(const tw_object *object)
{
    return object->section_count;
}

const tw_section *tw_object_get_section(const tw_object *object, size_t index)
{
    return index < object->section_count ? &object->sections[index].public : NULL;
}

static tw__section *section_at(tw_object *object, int section)
{
    if (section >= 0 && (size_t)section < object->section_count) return &object->sections[section];
    tw__fail(TW_E_INDEX, "there is no section %d", section);
    return NULL;
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

tw_status tw_object_append(tw_object *object, int section, const void *data, size_t bytes)
{
    tw__section *s = section_at(object, section);
    if (!s) return TW_E_INDEX;
    if (bytes > TW__MAX_SECTION || s->public.size + bytes > TW__MAX_SECTION)
        return tw__fail(TW_E_OVERFLOW, "section '%s' would be larger than the 2 MB that a tile can address",
                        s->public.name);
    if (bytes && !(s->public.flags & TW_SECTION_EMPTY)) {
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
    tw__section *s = section_at(object, section);
    if (!s) return TW_E_INDEX;
    if (align == 0 || (align & (align - 1)) || align > TW__MAX_SECTION)
        return tw__fail(TW_E_INVALID_ARGUMENT, "an alignment has to be a power of two of at most 2 MB, not %u",
                        align);
    if (s->public.align < align) s->public.align = align;
    return TW_OK;
}

tw_status tw_object_align(tw_object *object, int section, uint32_t align)
{
    static const uint8_t nop[] = { 0, 0, 0xE0, 0x19 };
    tw_status status = tw_object_raise_align(object, section, align);
    if (status != TW_OK) return status;
    const tw_section *s = &object->sections[section].public;
    uint32_t gap = (align - s->size % align) % align, odd = s->flags & TW_SECTION_EXEC ? gap % 4 : gap;
    status = tw_object_append(object, section, NULL, odd);
    for (gap -= odd; gap && status == TW_OK; gap -= 4) status = tw_object_append(object, section, nop, sizeof nop);
    return status;
}

tw_status tw_object_emit(tw_object *object, int section, const tw_insn *insn)
{
    uint64_t word;
    tw_status status = tw_insn_encode(object->arch, insn, &word);
    if (status != TW_OK) return status;
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(word >> 8 * i);
    return tw_object_append(object, section, bytes, tw_isa_get(insn->row)->flags & TW_ISA_TWO_WORDS ? 8 : 4);
}

tw_status tw_object_patch(tw_object *object, int section, uint32_t offset, const void *data, size_t bytes)
{
    tw__section *s = section_at(object, section);
    if (!s) return TW_E_INDEX;
    if (!s->data || offset > s->public.size || bytes > s->public.size - offset)
        return tw__fail(TW_E_INDEX, "section '%s' has no bytes %u to %zu", s->public.name, offset, offset + bytes);
    memcpy(s->data + offset, data, bytes);
    return TW_OK;
}

/* --- symbols -------------------------------------------------------------------------------------------------- */

static uint32_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h;
}

/* Slot of a name: its own or the free one where it belongs. There is always a free one. */
static uint32_t *find_slot(const tw_object *object, const char *name, size_t length)
{
    for (size_t at = hash(name, length) & (object->slot_count - 1);; at = (at + 1) & (object->slot_count - 1)) {
        uint32_t found = object->slots[at];
        if (!found) return &object->slots[at];
        const char *other = object->symbols[found - 1].name;
        if (strncmp(other, name, length) == 0 && !other[length]) return &object->slots[at];
    }
}

static bool widen_slots(tw_object *object)
{
    if (object->slot_count && object->symbol_count * 2 < object->slot_count) return true;
    size_t count = object->slot_count ? object->slot_count * 2 : 256;
    uint32_t *slots = tw__calloc(count, sizeof *slots);
    if (!slots) return false;
    free(object->slots);
    object->slots = slots, object->slot_count = count;
    for (size_t i = 0; i < object->symbol_count; i++) {
        const char *name = object->symbols[i].name;
        if (*name) *find_slot(object, name, strlen(name)) = (uint32_t)i + 1;
    }
    return true;
}

static int add_symbol(tw_object *object, const char *name)
{
    if (!tw__grow(&object->symbols, &object->symbol_room, object->symbol_count, sizeof(tw_symbol)))
        return no_memory();
    object->symbols[object->symbol_count] = (tw_symbol){ .name = name, .section = TW_SECTION_UNDEFINED };
    return (int)object->symbol_count++;
}

int tw__object_symbol(tw_object *object, const char *name, size_t length)
{
    if (!length) return add_symbol(object, "");
    if (!widen_slots(object)) return no_memory();
    uint32_t *slot = find_slot(object, name, length);
    if (*slot) return (int)*slot - 1;
    char *copy = tw__arena_alloc(object->arena, length + 1, 1);
    if (!copy) return no_memory();
    memcpy(copy, name, length), copy[length] = 0;
    int index = add_symbol(object, copy);
    if (index >= 0) *slot = (uint32_t)index + 1;
    return index;
}

int tw_object_symbol(tw_object *object, const char *name)
{
    return tw__object_symbol(object, name, strlen(name));
}

int tw_object_find_symbol(const tw_object *object, const char *name)
{
    if (!object->slot_count || !*name) return -1;
    return (int)*find_slot(object, name, strlen(name)) - 1;
}

int tw_object_section_symbol(tw_object *object, int section)
{
    tw__section *s = section_at(object, section);
    if (!s) return TW_E_INDEX;
    if (s->symbol >= 0) return s->symbol;
    int symbol = add_symbol(object, "");
    if (symbol < 0) return symbol;
    object->symbols[symbol].section = section;
    object->symbols[symbol].type = TW_SYMBOL_SECTION;
    return object->sections[section].symbol = symbol;
}

size_t tw_object_symbol_count(const tw_object *object)
{
    return object->symbol_count;
}

const tw_symbol *tw_object_get_symbol(const tw_object *object, size_t index)
{
    return index < object->symbol_count ? &object->symbols[index] : NULL;
}

static tw_symbol *symbol_at(tw_object *object, int symbol)
{
    if (symbol >= 0 && (size_t)symbol < object->symbol_count) return &object->symbols[symbol];
    tw__fail(TW_E_INDEX, "there is no symbol %d", symbol);
    return NULL;
}

tw_status tw_object_define(tw_object *object, int symbol, int section, uint32_t value, tw_symbol_type type)
{
    tw_symbol *s = symbol_at(object, symbol);
    if (!s || (section >= 0 && !section_at(object, section)) || section < TW_SECTION_COMMON) return TW_E_INDEX;
    s->section = section, s->value = value;
    if (type != TW_SYMBOL_NOTYPE) s->type = type;
    return TW_OK;
}

tw_status tw_object_bind(tw_object *object, int symbol, tw_symbol_binding binding)
{
    tw_symbol *s = symbol_at(object, symbol);
    if (s) s->binding = binding;
    return s ? TW_OK : TW_E_INDEX;
}

tw_status tw_object_set_visibility(tw_object *object, int symbol, unsigned visibility)
{
    tw_symbol *s = symbol_at(object, symbol);
    if (s) s->visibility = visibility & 3;
    return s ? TW_OK : TW_E_INDEX;
}

tw_status tw_object_set_size(tw_object *object, int symbol, uint32_t bytes)
{
    tw_symbol *s = symbol_at(object, symbol);
    if (s) s->size = bytes;
    return s ? TW_OK : TW_E_INDEX;
}

tw_status tw_object_set_type(tw_object *object, int symbol, tw_symbol_type type)
{
    tw_symbol *s = symbol_at(object, symbol);
    if (s) s->type = type;
    return s ? TW_OK : TW_E_INDEX;
}

/* --- relocations ---------------------------------------------------------------------------------------------- */

tw_status tw_object_relocate(tw_object *object, int section, uint32_t offset, tw_relocation_type type, int symbol,
                             int32_t addend)
{
    tw__section *s = section_at(object, section);
    if (!s || !symbol_at(object, symbol)) return TW_E_INDEX;
    if (!tw_relocation_name(type)) return tw__fail(TW_E_INVALID_ARGUMENT, "there is no relocation %d", (int)type);
    if (!tw__grow(&object->relocations, &object->relocation_room, object->relocation_count, sizeof(tw_relocation)))
        return (tw_status)no_memory();
    object->relocations[object->relocation_count++] = (tw_relocation){ section, offset, type, symbol, addend };
    return TW_OK;
}

size_t tw_object_relocation_count(const tw_object *object)
{
    return object->relocation_count;
}

const tw_relocation *tw_object_get_relocation(const tw_object *object, size_t index)
{
    return index < object->relocation_count ? &object->relocations[index] : NULL;
}

/* --- notes and lines ------------------------------------------------------------------------------------------ */

tw_status tw_object_add_stack_note(tw_object *object, const tw_stack_note *note)
{
    tw_stack_note copy = *note;
    copy.name = tw__arena_strdup(object->arena, note->name);
    copy.targets = tw__arena_strdup(object->arena, note->targets ? note->targets : "");
    if (!copy.name || !copy.targets ||
        !tw__grow(&object->notes, &object->note_room, object->note_count, sizeof(tw_stack_note)))
        return (tw_status)no_memory();
    object->notes[object->note_count++] = copy;
    return TW_OK;
}

size_t tw_object_stack_note_count(const tw_object *object)
{
    return object->note_count;
}

const tw_stack_note *tw_object_get_stack_note(const tw_object *object, size_t index)
{
    return index < object->note_count ? &object->notes[index] : NULL;
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
    const tw_object_line *last = object->line_count ? &object->lines[object->line_count - 1] : NULL;
    tw_object_line added = { section, offset, file, line };
    if (last && last->section == section && last->line == line && strcmp(last->file, file) == 0) return TW_OK;
    bool in_order = !last || by_place(last, &added) <= 0; /* before the table moves */
    added.file = last && strcmp(last->file, file) == 0 ? last->file : tw__arena_strdup(object->arena, file);
    if (!added.file || !tw__grow(&object->lines, &object->line_room, object->line_count, sizeof(tw_object_line)))
        return (tw_status)no_memory();
    object->lines_sorted = object->lines_sorted && in_order;
    object->lines[object->line_count++] = added;
    return TW_OK;
}

const tw_object_line *tw_object_line_at(const tw_object *object, int section, uint32_t offset)
{
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
