/* SPDX-License-Identifier: MIT */
/* What holds for every part of an object, wherever it comes from: calls, files, the linker. Nothing gets into an
 * object that these refuse, so that readers of objects need not ask again. */
#include "poplar/colossus/object/object.h"

#include <string.h>

#define WRONG(...) tw__fail(TW_E_INVALID_ARGUMENT, __VA_ARGS__)

/* --- sections ------------------------------------------------------------------------------------------------- */

tw_status tw__check_align(uint32_t align)
{
    if (align && !(align & (align - 1)) && align <= TW__MAX_SECTION) return TW_OK;
    return WRONG("an alignment has to be a power of two of at most 2 MB, not %u", align);
}

/* Tables of functions that other systems run before main() and after it. */
static bool is_start_table(const char *name)
{
    static const char *const names[] = { ".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && (!name[length] || name[length] == '.')) return true;
    }
    return false;
}

tw_status tw__check_section(const char *name, unsigned flags)
{
    enum { ALL = TW_SECTION_ALLOC | TW_SECTION_WRITE | TW_SECTION_EXEC | TW_SECTION_EMPTY };
    if (!name) return WRONG("a section needs a name");
    if (flags & ~(unsigned)ALL) return WRONG("section '%s' has unknown flags: 0x%x", name, flags & ~(unsigned)ALL);
    if (is_start_table(name))
        return WRONG("section '%s' lists functions that would run before or behind the program, and nothing on a "
                     "tile runs them; give variables constant values, or set them where a vertex begins",
                     name);
    if (strcmp(name, TW__STACK_SECTION) == 0 || strcmp(name, TW__LINES_SECTION) == 0)
        return WRONG("section '%s' is a table of the file format; stack notes and lines have calls and directives "
                     "of their own",
                     name);
    return TW_OK;
}

tw_status tw__check_room(const tw_section *s, size_t bytes)
{
    bool is_table = !(s->flags & (TW_SECTION_ALLOC | TW_SECTION_EMPTY)) && strncmp(s->name, ".debug_", 7) == 0;
    size_t most = is_table ? TW__MAX_TABLE : TW__MAX_SECTION;
    if (bytes <= most && s->size + bytes <= most) return TW_OK;
    if (is_table) return tw__fail(TW_E_OVERFLOW, "section '%s' would be larger than 256 MB", s->name);
    return tw__fail(TW_E_OVERFLOW, "section '%s' would be larger than the 2 MB that a tile can address", s->name);
}

tw_status tw__check_address(const tw_section *s, uint32_t address)
{
    if ((uint64_t)address + s->size <= UINT64_C(1) << 32) return TW_OK;
    return tw__fail(TW_E_OVERFLOW, "section '%s' of %u bytes at 0x%x ends behind the last address", s->name,
                    s->size, address);
}

tw_status tw__check_index(const tw_object *object, int section)
{
    if (!object) return tw__missing("object");
    if (section >= 0 && (size_t)section < object->section_count) return TW_OK;
    return tw__fail(TW_E_INDEX, "there is no section %d", section);
}

/* --- symbols -------------------------------------------------------------------------------------------------- */

/* In a linked object, the value is an address. */
static tw_status check_place(const tw_object *object, const tw_symbol *s)
{
    const tw_section *section = &object->sections[s->section].public;
    uint32_t start = object->linked ? section->address : 0;
    if (s->type == TW_SYMBOL_SECTION && s->value != 0 && s->value != start)
        return tw__fail(TW_E_INDEX, "the symbol of section '%s' does not stand for its start", section->name);
    if (s->type == TW_SYMBOL_SECTION || (s->value >= start && s->value - start <= section->size)) return TW_OK;
    return tw__fail(TW_E_INDEX, "symbol '%s' lies %s its section", s->name,
                    s->value < start ? "before the start of" : "behind the end of");
}

static tw_status check_section_of(const tw_object *object, const tw_symbol *s)
{
    if (s->section < TW_SECTION_COMMON) return tw__fail(TW_E_INDEX, "there is no section %d", s->section);
    if (s->section >= 0) {
        tw_status status = tw__check_index(object, s->section);
        return status == TW_OK ? check_place(object, s) : status;
    }
    if (s->type == TW_SYMBOL_SECTION) return WRONG("symbol '%s' is that of a section, and in none", s->name);
    if (s->section == TW_SECTION_COMMON && (tw__check_align(s->value) != TW_OK || s->size > TW__MAX_SECTION))
        return WRONG("common symbol '%s' has alignment %u and size %u", s->name, s->value, s->size);
    return TW_OK;
}

tw_status tw__check_symbol(const tw_object *object, const tw_symbol *s)
{
    if ((unsigned)s->type > TW_SYMBOL_FILE || (unsigned)s->binding > TW_SYMBOL_WEAK)
        return WRONG("symbol '%s' has an unknown type or binding", s->name);
    if (s->visibility > 3) return WRONG("symbol '%s' has visibility %u; there are 0 to 3", s->name, s->visibility);
    if (s->type == TW_SYMBOL_SECTION && s->binding != TW_SYMBOL_LOCAL)
        return WRONG("symbol '%s' is that of a section, and not local", s->name);
    return check_section_of(object, s);
}

tw_status tw__check_new_definition(const tw_symbol *old, const tw_symbol *added)
{
    if (old->section == TW_SECTION_UNDEFINED) return TW_OK;
    if (old->section == added->section && old->value == added->value) return TW_OK;
    return WRONG("symbol '%s' is defined twice", old->name);
}

/* --- relocations, notes, lines -------------------------------------------------------------------------------- */

tw_status tw__check_relocation(const tw_object *object, const tw_relocation *r)
{
    tw_status status = tw__check_index(object, r->section);
    if (status != TW_OK) return status;
    const tw_section *s = &object->sections[r->section].public;
    if (r->symbol < 0 || (size_t)r->symbol >= object->symbol_count)
        return tw__fail(TW_E_INDEX, "there is no symbol %d", r->symbol);
    if (!tw_relocation_name(r->type)) return WRONG("there is no relocation %u", (unsigned)r->type);
    if (s->flags & TW_SECTION_EMPTY)
        return WRONG("a relocation of '%s' at 0x%x, and that section has no bytes", s->name, r->offset);
    unsigned bytes = tw__relocation_bytes(r->type);
    if (r->offset < s->size && bytes <= s->size - r->offset) return TW_OK;
    return tw__fail(TW_E_INDEX, "a relocation of %u byte%s of '%s' lies at 0x%x, and the section ends at 0x%x",
                    bytes, bytes == 1 ? "" : "s", s->name, r->offset, s->size);
}

/* Notes are kept as lines of text: a blank ends the name. */
tw_status tw__check_note(const tw_stack_note *note)
{
    if (!note || !note->name) return WRONG("a stack note needs a name");
    if ((unsigned)note->kind > TW_STACK_CALLS)
        return WRONG("the kind of a stack note cannot be %d", (int)note->kind);
    if (!*note->name || strchr(note->name, ' '))
        return WRONG("'%s' cannot be the name of a stack note: it is empty or has a blank", note->name);
    if (note->kind != TW_STACK_CALLS && note->bytes > TW__MAX_SECTION)
        return WRONG("the stack of '%s' cannot be %u bytes: a tile has 2 MB", note->name, note->bytes);
    return TW_OK;
}

tw_status tw__check_line(const tw_object *object, const tw_object_line *line)
{
    tw_status status = tw__check_index(object, line->section);
    if (status != TW_OK) return status;
    if (!line->file) return WRONG("a line needs the name of its file");
    const tw_section *s = &object->sections[line->section].public;
    if (line->offset <= s->size) return TW_OK;
    return tw__fail(TW_E_INDEX, "line %u of %s is that of offset 0x%x, behind the end of '%s'", line->line,
                    line->file, line->offset, s->name);
}
