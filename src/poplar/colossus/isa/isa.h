/* SPDX-License-Identifier: MIT */
/* colossus, the table of instructions: private side. Rows are in isa.def and its families, everything else is made
 * from them.
 * The public side, <tilewright/poplar/colossus/isa.h>, is what most code needs; this header adds the names of the
 * rows as constants. */
#ifndef TW_COLOSSUS_ISA_H
#define TW_COLOSSUS_ISA_H

#include "core/base/base.h"

#include <tilewright/poplar/colossus/isa.h>

/* TW__OP_add_s and so on: the index of a row. A table beside this one is tied to it with designated initialisers. */
typedef enum tw__op {
#define X(id, ...) TW__OP_##id,
#include "poplar/colossus/isa/isa.def"
#undef X
    TW__OP_COUNT
} tw__op;

extern const tw_isa_row tw__isa_rows[TW__OP_COUNT];

/* One piece of a field: `width` bits, bit `to` of the operand's field at bit `from` of the word. */
typedef struct tw__isa_piece {
    uint8_t to, from, width;
} tw__isa_piece;
enum { TW__ISA_PIECES = 3 };
typedef struct tw__isa_field {
    uint8_t pieces;
    tw__isa_piece piece[TW__ISA_PIECES];
} tw__isa_field;
/* Fields of a row's operands, by its form. */
const tw__isa_field *tw__isa_fields(const tw_isa_row *row);

static inline size_t tw__isa_index(const tw_isa_row *row)
{
    return (size_t)(row - tw__isa_rows);
}

/* Puts the field of one operand into a word and takes it out; numbers are those of the field, unshifted. */
uint64_t tw__isa_insert(const tw__isa_field *field, uint64_t word, uint32_t number);
uint32_t tw__isa_extract(const tw__isa_field *field, uint64_t word);

/* May register `number` start an operand of this kind? Pairs are even, quads divisible by 4; pairs of the MRF end at
 * $m11. */
bool tw__isa_register_fits(const tw_isa_operand *kind, unsigned number);
/* The field of a constant, or false when `value` has no encoding. `value` is a 64-bit number as written. */
bool tw__isa_constant_fits(const tw_isa_operand *kind, int64_t value, uint32_t *number);
/* "$a4:5", "$mzero" with the kind's suffix into buf[24]; returns buf. */
char *tw__isa_register_text(const tw_isa_operand *kind, unsigned number, char buf[24]);
/* "-8 .. 7" as text of the legal values, for messages. */
char *tw__isa_range_text(const tw_isa_operand *kind, char buf[64]);

/* tw_insn_format() with `text` in the place of operand `replaced` (negative: none). */
char *tw__isa_format(const tw_insn *insn, int replaced, const char *text, char buf[TW_INSN_TEXT]);

/* Rows and aliases by mnemonic, in table order. */
typedef struct tw__isa_name {
    const char *name;
    uint16_t row_count, alias_count;
    const uint16_t *rows, *aliases;
} tw__isa_name;
/* NULL when there is none; lower case, `length` characters. */
const tw__isa_name *tw__isa_lookup(const char *name, size_t length);
/* Nearest mnemonic, NULL when nothing is close. */
const char *tw__isa_nearest(const char *name);

#endif
