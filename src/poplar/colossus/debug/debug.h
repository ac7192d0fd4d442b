/* SPDX-License-Identifier: MIT */
/* colossus, debug information: what its files share. read.c: from bytes to entries; frames.c: functions
 * at addresses; unwind.c: frames of callers; place.c: where a variable is; value.c: what a user writes; print.c:
 * values as text; type.c: types as text. */
#ifndef TW_COLOSSUS_DEBUG_H
#define TW_COLOSSUS_DEBUG_H

#include "poplar/colossus/object/object.h"

#include <glib.h>
#include <tilewright/poplar/colossus/debug.h>

enum {
    TW__TAG_ARRAY = 0x01,
    TW__TAG_CLASS = 0x02,
    TW__TAG_ENUM = 0x04,
    TW__TAG_PARAMETER = 0x05,
    TW__TAG_MEMBER = 0x0d,
    TW__TAG_POINTER = 0x0f,
    TW__TAG_REFERENCE = 0x10,
    TW__TAG_UNIT = 0x11,
    TW__TAG_STRUCT = 0x13,
    TW__TAG_TYPEDEF = 0x16,
    TW__TAG_UNION = 0x17,
    TW__TAG_INHERITANCE = 0x1c,
    TW__TAG_INLINED = 0x1d,
    TW__TAG_SUBRANGE = 0x21,
    TW__TAG_BASE = 0x24,
    TW__TAG_CONST = 0x26,
    TW__TAG_ENUMERATOR = 0x28,
    TW__TAG_SUBPROGRAM = 0x2e,
    TW__TAG_VARIABLE = 0x34,
    TW__TAG_VOLATILE = 0x35,
    TW__TAG_RESTRICT = 0x37,
    TW__TAG_NAMESPACE = 0x39,
    TW__TAG_RVALUE = 0x42,
    TW__TAG_BLOCK = 0x0b
};

typedef struct tw__bytes { /* part of a section */
    const uint8_t *at, *end;
    bool is_bad; /* read behind its end */
} tw__bytes;
uint64_t tw__bytes_number(tw__bytes *b, unsigned count);
uint64_t tw__bytes_leb(tw__bytes *b);
int64_t tw__bytes_sleb(tw__bytes *b);
const char *tw__bytes_text(tw__bytes *b); /* up to its zero; "" and bad without */
const uint8_t *tw__bytes_skip(tw__bytes *b, uint64_t count);

/* An entry; those of all units in a row, in order of their offsets. Other entries are indices, 0 = none. */
typedef struct tw__die {
    uint32_t offset; /* in .debug_info */
    uint32_t parent, next, first;
    uint16_t tag;
    uint8_t encoding;
    bool has_low, is_declaration, has_list, has_ranges, has_bits, has_count,
        is_end; /* is_end: high is an address */
    const char *name;
    uint32_t type, origin, specification; /* offsets until all are read */
    uint32_t low, high;
    uint32_t list, ranges; /* offsets in .debug_loc, .debug_ranges */
    tw__bytes place;       /* an expression */
    uint32_t size, at, bits, bits_at;
    int64_t value; /* of an enumerator; number of elements */
    uint32_t call_file, call_line, call_column;
    uint32_t lines; /* of a unit: offset in .debug_line */
} tw__die;

struct tw_debug {
    tw__die *dies; /* [0] is none */
    uint32_t count, room;
    uint32_t *functions, function_count; /* entries with code, by their addresses */
    tw__bytes info, abbrev, loc, ranges, line, strings, frame;
};

/* What an entry is an instance of has the rest of what is known: name, type. */
const tw__die *tw__die_whole(const tw_debug *d, const tw__die *die);
const char *tw__die_name(const tw_debug *d, const tw__die *die);
const tw__die *tw__die_type(const tw_debug *d, const tw__die *die); /* without typedef and const; NULL = void */
uint32_t tw__die_size(const tw_debug *d, const tw__die *type);
bool tw__die_covers(const tw_debug *d, const tw__die *die, uint32_t address);
uint32_t tw__die_start(const tw_debug *d, const tw__die *die);             /* of its code; 0 = it has none */
const tw__die *tw__die_record(const tw_debug *d, const tw__die *function); /* that it is a member of; or NULL */

/* --- place.c ---------------------------------------------------------------------------------------------------- */

/* The bytes of a value: in memory, or copied from where they are, each of them known or not. */
typedef struct tw__value {
    const tw__die *type;                   /* NULL = void */
    bool in_memory, is_number, is_address; /* is_number: of the text */
    int64_t number;
    uint32_t address;
    uint32_t size, bits, bits_at; /* bits: of a bit-field */
    unsigned row;                 /* of an array: dimensions in front that are chosen already */
    uint8_t *bytes, *known;       /* size each, of the caller's arena */
} tw__value;

enum { TW__MOST_VALUE = 1 << 16 }; /* bytes of a value that is looked at as a whole */
typedef struct tw__look {
    const tw_debug *d;
    const tw_debug_state *state;
    tw__arena *arena;
} tw__look;
/* False: it is nowhere. */
bool tw__place_find(const tw__look *look, const tw__die *variable, tw__value *value);
/* Bytes of it; false: some are not known. */
bool tw__value_get(const tw__look *look, const tw__value *value, uint32_t at, void *bytes, uint32_t count);

/* unwind.c: where the frame of the caller ends; false with an error. */
bool tw__frame_cfa(const tw__look *look, uint32_t *cfa);

/* --- value.c, print.c ------------------------------------------------------------------------------------------- */

/* frames.c: the entry of a frame, the innermost first; NULL = none. */
const tw__die *tw__frame_at(const tw_debug *d, uint32_t address, size_t index);
/* TW_OK, or an error in words. */
tw_status tw__look_value(const tw__look *look, const char *text, tw__value *value);
tw__value tw__value_part(const tw__value *whole, const tw__die *type, uint32_t at, uint32_t size);
bool tw__value_word(const tw__look *look, const tw__value *value, int64_t *number);
/* Element `index` of what is left of an array; *count: how many there are, 0: that is not known. False: it has none
 * of a known size. */
bool tw__value_element(const tw__look *look, const tw__value *array, uint32_t index, uint32_t *count,
                       tw__value *out);
void tw__value_print(const tw__look *look, const tw__value *value, GString *out);
/* type.c: a record with its members, else as a declaration without a name; `row` as in tw__value. */
void tw__type_print(const tw_debug *d, const tw__die *type, unsigned row, GString *out);
const tw__die *tw__type_named(const tw_debug *d, const char *name); /* NULL: none */

#endif
