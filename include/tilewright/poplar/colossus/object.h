/* SPDX-License-Identifier: MIT */
/* Code and data of Colossus tiles while they are made: sections, symbols, relocations, stack notes, and their ELF
 * files. The assembler emits through this interface, and so may any other code generator; the linker reads it.
 *
 *     tw_object *o = tw_object_new(TW_ISA_IPU2);
 *     int text = tw_object_section(o, ".text.f", TW_SECTION_CODE), f = tw_object_symbol(o, "f");
 *     tw_object_define(o, f, text, 0, TW_SYMBOL_FUNCTION);
 *     tw_insn insn = { .row = ..., .operands = { 10 } };               // br $lr
 *     tw_object_emit(o, text, &insn);
 *     tw_object_write(o, "f.o");
 *
 * Sections only grow: every instruction has one size, so that an offset is final when it is handed out. All functions
 * return TW_OK, an index or a pointer, or else a negative status or NULL with tw_error_message(). Strings are
 * copied.
 *
 * Every argument is checked as the reader of files checks what it finds, and a call that is refused changes nothing:
 *   TW_E_INDEX             no such section or symbol; an offset behind the end of its section
 *   TW_E_OVERFLOW          more than 2 MB in a section, more than 32,000 sections
 *   TW_E_INVALID_ARGUMENT  NULL where a thing is needed (the object included), an alignment that is no power of two,
 *                          a value that its enumeration does not have, a second definition of a symbol, and what the
 *                          functions say below
 *
 * Threads: an object is used by one at a time: tw_object_line_at() may put its lines in order. */
#ifndef TILEWRIGHT_POPLAR_COLOSSUS_OBJECT_H
#define TILEWRIGHT_POPLAR_COLOSSUS_OBJECT_H

#include <tilewright/poplar/colossus/isa.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_object tw_object;

TW_API tw_object *tw_object_new(tw_isa_arch arch); /* NULL: out of memory, or `arch` is not one chip */
TW_API void tw_object_free(tw_object *object);
TW_API tw_isa_arch tw_object_arch(const tw_object *object);
/* Where it comes from, for messages: the file that was assembled or read; "" when it is neither. */
TW_API const char *tw_object_name(const tw_object *object);
TW_API tw_status tw_object_set_name(tw_object *object, const char *name);

/* --- sections ------------------------------------------------------------------------------------------------- */

typedef enum tw_section_flag {
    TW_SECTION_ALLOC = 1,
    TW_SECTION_WRITE = 2,
    TW_SECTION_EXEC = 4,
    TW_SECTION_EMPTY = 8, /* takes room in memory, has no bytes in the file (.bss) */
    TW_SECTION_CODE = TW_SECTION_ALLOC | TW_SECTION_EXEC,
    TW_SECTION_DATA = TW_SECTION_ALLOC | TW_SECTION_WRITE
} tw_section_flag;

typedef struct tw_section {
    const char *name;
    unsigned flags;      /* set of tw_section_flag */
    uint32_t align;      /* bytes, a power of two */
    uint32_t size;       /* bytes */
    const uint8_t *data; /* NULL for EMPTY ones; valid until the section grows */
    uint32_t address;    /* of a linked object */
} tw_section;

/* Index of the section of this name, made with `flags` when there is none. The names of the file format's own tables,
 * .stack_sizes_ipu and .tw_lines, are refused. */
TW_API int tw_object_section(tw_object *object, const char *name, unsigned flags);
TW_API size_t tw_object_section_count(const tw_object *object);
TW_API const tw_section *tw_object_get_section(const tw_object *object, size_t index); /* NULL past the end */
/* Appends bytes (zeros when data is NULL); a section is at most 2 MB, the memory of a tile. An EMPTY one takes only
 * zeros. */
TW_API tw_status tw_object_append(tw_object *object, int section, const void *data, size_t bytes);
/* Next offset becomes a multiple of `align` (a power of two): padded with nop in code, with zeros elsewhere. */
TW_API tw_status tw_object_align(tw_object *object, int section, uint32_t align);
/* Raises the alignment of the section itself. */
TW_API tw_status tw_object_raise_align(tw_object *object, int section, uint32_t align);
/* Encodes an instruction at the end of a section. */
TW_API tw_status tw_object_emit(tw_object *object, int section, const tw_insn *insn);
/* The same for a bundle, checked as the assembler checks it: one instruction for each pipeline, that may be
 * paired and do not both write a register; the section holds code, and the place is a multiple of 4. */
TW_API tw_status tw_object_emit_bundle(tw_object *object, int section, const tw_insn *main, const tw_insn *aux);
/* Bodies of all rpt in a section of code, once it is complete: on 8 bytes, bundles only, no control or system
 * instruction in them. A section with data between its code may hold words that look like rpt. */
TW_API tw_status tw_object_check_repeats(const tw_object *object, int section);
/* Replaces bytes that are there. */
TW_API tw_status tw_object_patch(tw_object *object, int section, uint32_t offset, const void *data, size_t bytes);

/* --- symbols -------------------------------------------------------------------------------------------------- */

typedef enum tw_symbol_type {
    TW_SYMBOL_NOTYPE = 0,
    TW_SYMBOL_OBJECT = 1,
    TW_SYMBOL_FUNCTION = 2,
    TW_SYMBOL_SECTION = 3, /* stands for the start of its section */
    TW_SYMBOL_FILE = 4
} tw_symbol_type;
typedef enum tw_symbol_binding { TW_SYMBOL_LOCAL = 0, TW_SYMBOL_GLOBAL = 1, TW_SYMBOL_WEAK = 2 } tw_symbol_binding;
enum { TW_SECTION_UNDEFINED = -1, TW_SECTION_ABSOLUTE = -2, TW_SECTION_COMMON = -3 };

typedef struct tw_symbol {
    const char *name;
    int section;    /* or TW_SECTION_... */
    uint32_t value; /* offset in its section; address in a linked object; alignment of a common one */
    uint32_t size;  /* bytes; 0 = not stated */
    tw_symbol_type type;
    tw_symbol_binding binding;
    uint8_t visibility; /* as in ELF: 0 default, 1 internal, 2 hidden, 3 protected */
} tw_symbol;

/* Index of the symbol of this name, made when there is none: undefined, local until bound or used undefined. "" makes
 * a new one each time. */
TW_API int tw_object_symbol(tw_object *object, const char *name);
TW_API int tw_object_find_symbol(const tw_object *object, const char *name); /* -1 when there is none */
/* The symbol that stands for the start of a section: nameless, local, not to be changed. */
TW_API int tw_object_section_symbol(tw_object *object, int section);
TW_API size_t tw_object_symbol_count(const tw_object *object);
TW_API const tw_symbol *tw_object_get_symbol(const tw_object *object, size_t index);
/* Says where a symbol is, once: at an offset of a section that is there already (its end at most), at an absolute
 * value, or as a common symbol with an alignment. */
TW_API tw_status tw_object_define(tw_object *object, int symbol, int section, uint32_t value, tw_symbol_type type);
TW_API tw_status tw_object_bind(tw_object *object, int symbol, tw_symbol_binding binding);
TW_API tw_status tw_object_set_visibility(tw_object *object, int symbol, unsigned visibility);
TW_API tw_status tw_object_set_size(tw_object *object, int symbol, uint32_t bytes);
TW_API tw_status tw_object_set_type(tw_object *object, int symbol, tw_symbol_type type);

/* --- relocations ---------------------------------------------------------------------------------------------- */

/* X(name, number, bits, shift, subtract region 0, where)
 *   field = (S + A - base of region 0 if asked) >> shift, which has to fit `bits` without sign; where: D data in
 *   bytes, L low bits of the word, R as in `run` (bits 15:12 at 19:16, bits 11:0 at 11:0) */
#define TW_RELOCATION_LIST(X)         \
    X(NONE, 0, 0, 0, 0, D)            \
    X(8, 1, 8, 0, 0, D)               \
    X(16, 2, 16, 0, 0, D)             \
    X(20, 3, 20, 0, 0, L)             \
    X(32, 4, 32, 0, 0, D)             \
    X(64, 5, 64, 0, 0, D)             \
    X(RELATIVE_16_S2, 6, 16, 2, 1, D) \
    X(18_S2, 7, 18, 2, 0, L)          \
    X(19_S2, 8, 19, 2, 0, L)          \
    X(RUN, 9, 16, 2, 1, R)            \
    X(16_S3, 14, 16, 3, 0, D)         \
    X(16_S4, 15, 16, 4, 0, D)         \
    X(16_S5, 16, 16, 5, 0, D)         \
    X(21, 17, 21, 0, 0, L)

typedef enum tw_relocation_type {
#define TW_RELOCATION_ENUM(name, number, bits, shift, base, where) TW_R_COLOSSUS_##name = number,
    TW_RELOCATION_LIST(TW_RELOCATION_ENUM)
#undef TW_RELOCATION_ENUM
        TW_R_COLOSSUS_END = 18
} tw_relocation_type;
TW_API const char *tw_relocation_name(unsigned type); /* "R_COLOSSUS_19_S2"; NULL for an unknown number */

typedef struct tw_relocation {
    int section; /* that is changed */
    uint32_t offset;
    tw_relocation_type type;
    int symbol;
    int32_t addend;
} tw_relocation;
/* The bytes of the field have to be there already; an EMPTY section has none. */
TW_API tw_status tw_object_relocate(tw_object *object, int section, uint32_t offset, tw_relocation_type type,
                                    int symbol, int32_t addend);
/* An address in an operand (its index) of the instruction at `offset`: the operand's kind decides the relocation, and
 * operands that have to be constants are refused. */
TW_API tw_status tw_object_relocate_operand(tw_object *object, int section, uint32_t offset, unsigned operand,
                                            int symbol, int32_t addend);
TW_API size_t tw_object_relocation_count(const tw_object *object);
TW_API const tw_relocation *tw_object_get_relocation(const tw_object *object, size_t index);
/* Puts `address` into the field at `at` (4 bytes, 8 of type 64). TW_E_OVERFLOW names value and field. */
TW_API tw_status tw_relocation_apply(tw_isa_arch arch, unsigned type, uint64_t address, uint8_t *at);

/* --- stack notes (guide 2.8.1, 7.3.1) and lines --------------------------------------------------------------- */

typedef enum tw_stack_kind { TW_STACK_TOTAL = 0, TW_STACK_OWN = 1, TW_STACK_CALLS = 2 } tw_stack_kind;
typedef struct tw_stack_note {
    tw_stack_kind kind;
    const char *name;    /* a function, or a section: then of the largest function in it; not empty, no blanks */
    uint32_t bytes;      /* TOTAL, OWN; at most 2 MB */
    const char *targets; /* CALLS: names, separated by commas; else "" */
} tw_stack_note;
TW_API tw_status tw_object_add_stack_note(tw_object *object, const tw_stack_note *note);
TW_API size_t tw_object_stack_note_count(const tw_object *object);
TW_API const tw_stack_note *tw_object_get_stack_note(const tw_object *object, size_t index);

/* Source of the code from an offset on, up to the next line of the same section. */
typedef struct tw_object_line {
    int section;
    uint32_t offset;
    const char *file;
    uint32_t line, column; /* column: from 1; 0 = not known */
} tw_object_line;
/* `offset` is at most the size that the section has by now. */
TW_API tw_status tw_object_add_line(tw_object *object, int section, uint32_t offset, const char *file,
                                    uint32_t line);
/* The same with a column. */
TW_API tw_status tw_object_add_place(tw_object *object, const tw_object_line *line);
/* The line that holds `offset`; NULL when it is not known. */
TW_API const tw_object_line *tw_object_line_at(const tw_object *object, int section, uint32_t offset);

/* --- ELF ------------------------------------------------------------------------------------------------------ */

/* ELF32, little-endian, EM_GRAPHCORE_IPU (248), RELA relocations. Stack notes are in .stack_sizes_ipu, lines in
 * .tw_lines. */
TW_API tw_status tw_object_write(const tw_object *object, const char *path);
/* The file's bytes; the caller frees them with free(). */
TW_API uint8_t *tw_object_to_elf(const tw_object *object, size_t *size);
/* TW_E_FILE_LOAD: the file cannot be read; TW_E_OBJECT_LOAD: it is no object for these chips, or a damaged one: the
 * message says what is wrong with which part. */
TW_API tw_object *tw_object_read(const char *path);
TW_API tw_object *tw_object_from_elf(const uint8_t *bytes, size_t size, const char *name);

/* --- text ----------------------------------------------------------------------------------------------------- */

typedef enum tw_dump_part {
    TW_DUMP_CODE =
        1, /* assembly text of all sections with bytes; assembled, it gives the same bytes and relocations */
    TW_DUMP_SECTIONS = 2,    /* table of sections */
    TW_DUMP_SYMBOLS = 4,     /* table of symbols, with their sizes */
    TW_DUMP_RELOCATIONS = 8, /* table of relocations */
    TW_DUMP_STACK = 16       /* stack notes; of a linked program the need of every function as well */
} tw_dump_part;
/* The parts as text; the caller frees it with free(). NULL when out of memory, or for unknown parts. */
TW_API char *tw_object_dump(const tw_object *object, unsigned parts);

#ifdef __cplusplus
}
#endif
#endif
