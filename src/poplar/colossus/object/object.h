/* colossus, objects: private side of <tilewright/poplar/colossus/object.h>. */
#ifndef TW_COLOSSUS_OBJECT_H
#define TW_COLOSSUS_OBJECT_H

#include "core/base/base.h"

#include <tilewright/poplar/colossus/object.h>

#define TW__STACK_SECTION ".stack_sizes_ipu"
#define TW__LINES_SECTION ".tw_lines"
enum { TW__MAX_SECTION = 1 << 21 }; /* addresses of a tile have 21 bits */

typedef struct tw__section {
    tw_section public;
    uint8_t *data;
    size_t room;
    int symbol; /* that stands for it; -1 = none yet */
} tw__section;

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
    uint32_t *slots; /* names of symbols: 1 + index, open addressing */
    size_t slot_count;
    tw_relocation *relocations;
    size_t relocation_count, relocation_room;
    tw_stack_note *notes;
    size_t note_count, note_room;
    tw_object_line *lines; /* by section and offset, once sorted */
    size_t line_count, line_room;
    bool lines_sorted;
};

/* Symbol by name of `length` characters. */
int tw__object_symbol(tw_object *object, const char *name, size_t length);
/* Bytes that a relocation of a known type reads and writes: 1, 2, 4, 8. */
unsigned tw__relocation_bytes(unsigned type);
/* Stack notes from the text of their section: strings, each ended by 0: "total NAME BYTES", "own NAME BYTES", "calls
 * NAME A,B,C". TW_E_OBJECT_LOAD for other text. */
tw_status tw__object_read_notes(tw_object *object, const uint8_t *text, size_t length);

#endif
