/* SPDX-License-Identifier: MIT */
/* colossus, objects: private side of <tilewright/poplar/colossus/object.h>. */
#ifndef TW_COLOSSUS_OBJECT_H
#define TW_COLOSSUS_OBJECT_H

#include "core/base/base.h"

#include <tilewright/poplar/colossus/object.h>

#define TW__STACK_SECTION ".stack_sizes_ipu"
#define TW__LINES_SECTION ".tw_lines"
enum {
    TW__MAX_SECTION = 1 << 21, /* bytes: addresses of a tile have 21 bits */
    TW__MAX_TABLE = 1 << 28,   /* of sections that take no memory, such as .debug_info */
    TW__MAX_SECTIONS = 32000   /* ELF counts to 65,000, and each may have a table of relocations */
};

typedef struct tw__section {
    tw_section public; /* begins with its name, for tw__names */
    uint8_t *data;
    size_t room;
    int symbol;     /* that stands for it; -1 = none yet */
    unsigned twins; /* last number behind its name: tw__object_twin_section() */
} tw__section;

/* Where rows are found by name: 1 + index of a row, 0 = free; open addressing. */
typedef struct tw__names {
    uint32_t *slots;
    size_t count; /* a power of two; 0 before the first name */
} tw__names;

struct tw_object {
    tw_isa_arch arch;
    const char *name; /* of the file it comes from; "" */
    uint32_t entry;   /* of a linked one; else 0 */
    bool linked;
    tw__arena *arena; /* names */
    tw__section *sections;
    size_t section_count, section_room;
    tw_symbol *symbols;
    size_t symbol_count, symbol_room;
    tw__names section_names, symbol_names;
    tw_relocation *relocations;
    size_t relocation_count, relocation_room;
    tw_stack_note *notes;
    size_t note_count, note_room;
    tw_object_line *lines; /* by section and offset, once sorted */
    size_t line_count, line_room;
    bool lines_sorted;
};

/* --- names.c -------------------------------------------------------------------------------------------------- */

/* Slot of a name: its own or the free one where it belongs. There has to be a free one: widen first. */
uint32_t *tw__names_slot(const tw__names *names, const void *rows, size_t stride, const char *name, size_t length);
bool tw__names_widen(tw__names *names, const void *rows, size_t stride, size_t row_count); /* false: no memory */

/* --- check.c: TW_OK, or what is wrong with a part that is about to get into an object ------------------------- */

/* code.c: whether two instructions write one register, its name; whether two operands of one do. */
bool tw__bundle_clash(const tw_insn *first, const tw_insn *second, char name[8]);
bool tw__destinations_clash(const tw_insn *insn, size_t *first, size_t *second);
/* Relocation for an address in an operand of this kind; 0: there is none. */
unsigned tw__relocation_of_operand(const tw_isa_operand *kind);
bool tw__is_repeat(const tw_insn *insn);
/* The rpt at `offset`, whose body begins at `body`; *fault: the bundle that is wrong, or UINT32_MAX. */
tw_status tw__check_repeat(const tw_object *object, int section, uint32_t offset, uint32_t body, uint32_t *fault);
tw_status tw__check_align(uint32_t align);
tw_status tw__check_section(const char *name, unsigned flags);
tw_status tw__check_room(const tw_section *section, size_t more_bytes);
tw_status tw__check_address(const tw_section *section, uint32_t address);
tw_status tw__check_index(const tw_object *object, int section);
tw_status tw__check_symbol(const tw_object *object, const tw_symbol *symbol); /* as it would be */
tw_status tw__check_new_definition(const tw_symbol *old, const tw_symbol *added);
tw_status tw__check_relocation(const tw_object *object, const tw_relocation *relocation);
tw_status tw__check_note(const tw_stack_note *note);
tw_status tw__check_line(const tw_object *object, const tw_object_line *line);

/* --- object.c ------------------------------------------------------------------------------------------------- */

int tw__object_find_section(const tw_object *object, const char *name); /* -1 when there is none */
/* A new section, whatever names there are already: the second of a name gets a number behind it. */
int tw__object_twin_section(tw_object *object, const char *name, unsigned flags);
/* Symbol by name of `length` characters. */
int tw__object_symbol(tw_object *object, const char *name, size_t length);
/* The same, where one name may stand for several symbols, all but one of them local: a local one is always new, and
 * the other is who is found by name. */
int tw__object_twin_symbol(tw_object *object, const char *name, bool local);
/* Where a symbol with a section lies in it, linked or not. */
uint32_t tw__symbol_offset(const tw_object *object, const tw_symbol *symbol);

/* Rows of an object in the order of their sections: those of section s are order[first[s]] to order[first[s + 1]],
 * without the end, and keep their order among themselves. */
typedef struct tw__by_section {
    uint32_t *first, *order;
} tw__by_section;
typedef int tw__section_of_row(const tw_object *object, size_t row); /* < 0: in no section */
bool tw__by_section_new(const tw_object *object, size_t rows, tw__section_of_row *section_of, tw__by_section *out);
void tw__by_section_free(tw__by_section *rows);
tw__section_of_row tw__section_of_relocation, tw__section_of_symbol;

/* Bytes that a relocation of a known type reads and writes: 1, 2, 4, 8. */
unsigned tw__relocation_bytes(unsigned type);
/* Stack notes from the text of their section: strings, each ended by 0: "total NAME BYTES", "own NAME BYTES", "calls
 * NAME A,B,C". TW_E_OBJECT_LOAD for other text. */
tw_status tw__object_read_notes(tw_object *object, const uint8_t *text, size_t length);

#endif
