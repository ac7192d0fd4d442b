/* SPDX-License-Identifier: MIT */
/* colossus, the assembler: what its files share. Text goes through once, front to back: every size is known where it
 * stands, so labels get their offsets at once, and only operands that name later labels wait in a list (fixup.c)
 * until the end.
 *
 *     frames (text.c)   the file, and on top of it each expansion of a macro or a repetition; statements are read
 *     from the top one values (expr.c)   constant, symbol + constant, or a tree that is tried again at the end */
#ifndef TW_COLOSSUS_ASM_H
#define TW_COLOSSUS_ASM_H

#include "poplar/colossus/isa/isa.h"
#include "poplar/colossus/object/object.h"

#include <glib.h>
#include <tilewright/poplar/colossus/asm.h>

typedef struct frame {
    struct frame *below;
    const char *text, *at, *end; /* *end is 0 */
    const char *file;
    int line;              /* of the first character of text */
    const char *macro;     /* name of the macro; NULL for a file */
    const char *called_at; /* in the frame below, for notes */
    unsigned conditions;   /* open .if when it began */
    unsigned depth;
    const char *seen; /* tw__asm_locate(): start of the last line that was asked for, its number and file */
    int seen_line;
    const char *seen_file;
    bool repeats; /* .rept, .irp: .exitm leaves the macro around it */
    int period;   /* lines of one repetition: the source has them once; 0 = none */
} frame;

/* A piece of source, for messages. */
typedef struct place {
    const frame *frame;
    const char *at;
    int length;
} place;

/* --- values --------------------------------------------------------------------------------------------------- */

typedef enum value_kind { V_CONST, V_SYMBOL, V_TREE } value_kind;
typedef struct value {
    value_kind kind;
    bool symbolic;    /* a symbol took part, so that an address is meant, not a field */
    bool real;        /* an unadorned real literal: not for integers */
    uint8_t modifier; /* relocation asked for by sym@name; 0 = none */
    int symbol;       /* V_SYMBOL */
    int64_t number;   /* V_CONST: the value; V_SYMBOL: what is added */
    struct tree *tree;
} value;
typedef struct tree {
    int op; /* of expr.c */
    unsigned depth;
    value a, b;
    bool resolved; /* at the end: to `result` */
    value result;
} tree;

/* --- state ---------------------------------------------------------------------------------------------------- */

typedef struct symbol_note { /* beside each tw_symbol */
    bool is_set;             /* .set: stands for `value` */
    bool is_fixed;           /* .equiv or a label: must not be set again */
    value value;
    place place; /* of the definition */
    bool has_size;
    value size; /* of .size */
    place size_place;
} symbol_note;

typedef enum register_suffix { S_NONE, S_INC, S_PP, S_AT, S_SHR, S_B, S_BL, S_BU } register_suffix;
typedef enum operand_kind { O_REGISTER, O_VALUE, O_CSR } operand_kind;
typedef struct operand {
    operand_kind kind;
    place place;
    tw_isa_file file; /* REGISTER */
    uint8_t number, count;
    register_suffix suffix;
    value value; /* VALUE; CSR: the index, 0 to 511 */
    const tw_isa_csr *csr;
} operand;

/* A parsed instruction: what stands in each operand of its row. */
typedef struct parsed {
    const tw_isa_row *row;
    place place; /* of the mnemonic */
    tw_insn insn;
    uint32_t waiting; /* bit k: operand k is a fixup with values[k] */
    value values[TW_ISA_OPERANDS];
    place places[TW_ISA_OPERANDS];
} parsed;

typedef struct stack_size { /* DEF_STACK_USAGE and the like: the size may be an expression */
    tw_stack_kind kind;
    const char *name;
    value size;
    place place;
} stack_size;

typedef struct fixup {
    int section;
    uint32_t offset;
    const tw_isa_row *row; /* NULL: data of `bytes` */
    uint8_t operand, bytes;
    bool named;   /* .reloc: `type` is asked for, the bytes stay as they are */
    uint8_t type; /* tw_relocation_type */
    value value;
    place place;
} fixup;

typedef struct repeat { /* an rpt whose body is looked at when everything has its place */
    int section;
    uint32_t offset, body;
    place place;
} repeat;

typedef struct condition {
    bool active, taken, was_active, has_else;
    place place;
} condition;

typedef struct macro {
    const char *name;
    const char *body; /* length bytes */
    size_t length;
    const char *file;
    int line;
    size_t parameter_count;
    struct parameter *parameters;
    bool has_backslash; /* else bare names stand for arguments too */
    bool repetition;    /* no counter */
} macro;

typedef struct tw__asm {
    const tw_asm_options *options;
    tw_isa_arch arch;
    tw_object *object;
    tw_diags *diags;
    tw__arena *arena; /* text of expansions, frames, trees */
    frame *top;
    unsigned errors, max_errors;
    bool stopped; /* too many errors, out of memory */
    bool ended;   /* .end */
    tw_status status;
    uint64_t expanded, max_expanded; /* bytes of all expansions */
    unsigned frames;                 /* expansions and included files */
    /* where code goes */
    int section, previous;
    GArray *section_stack; /* int pairs */
    tw_isa_context mode;   /* 0: neither .worker nor .supervisor was seen */
    bool optimise, allow_bundles, allow_operands, allow_mode, allow_repeat;
    /* a bundle under way */
    bool in_bundle;
    place bundle_place;
    unsigned half_count, bundle_errors;
    parsed halves[2];
    GArray *notes;       /* symbol_note, by symbol */
    GHashTable *numeric; /* number -> numeric_label* */
    GArray *fixups, *repeats, *conditions;
    GHashTable *macros;
    GArray *stack_sizes;  /* stack_size: sizes that are evaluated at the end */
    GHashTable *stated;   /* name -> 1 + index of its stack size */
    GPtrArray *files;     /* const char*: names by the number of .file */
    const char *loc_file; /* of .loc; NULL: lines are those of the text */
    uint32_t loc_line, loc_column;
    GPtrArray *cfi;   /* struct tw__cfi_function: between .cfi_startproc and .cfi_endproc; the last may be open */
    unsigned counter; /* \@ */
    unsigned steps;   /* of tw__asm_resolve(), against expressions that explode */
    const char *code; /* of the error that is being reported; NULL = none */
} tw__asm;

/* --- text.c: frames, messages, the smallest pieces ------------------------------------------------------------ */

place tw__asm_place_at(const tw__asm *as, const char *at, size_t length);
void tw__asm_report(tw__asm *as, place where, tw_severity severity, const char *format, ...) TW_PRINTF(4, 5);
void tw__asm_say(tw__asm *as, place where, const char *text); /* a note for itself */
#define fail_at(as, where, ...) tw__asm_report((as), (where), TW_ERROR, __VA_ARGS__)
/* True for TW_OK. Else tw_error_message() becomes an error at `where`; out of memory ends the assembly. */
bool tw__asm_ok(tw__asm *as, tw_status status, place where);
bool tw__asm_push_frame(tw__asm *as, frame *added); /* depth and size are checked */
void tw__asm_pop_frame(tw__asm *as);
/* Line of a place, 0 when it is in no text. Counts on from the last place of the frame: cheap when places come in
 * order, as those of statements do. */
int tw__asm_locate(tw__asm *as, const frame *frame, const char *at, const char **file);
/* Moves over blanks and comments, not over the end of the line. */
void tw__asm_skip_blanks(tw__asm *as);
bool tw__asm_at_end_of_statement(tw__asm *as);
/* To the end of the statement, whatever comes. */
void tw__asm_skip_statement(tw__asm *as);
/* Length of the identifier at `at`: letters, digits, _ . and ?, not first a digit; 0 when there is none. */
size_t tw__asm_identifier_length(const char *at);
/* Accepts one character after blanks. */
bool tw__asm_accept(tw__asm *as, char c);
bool tw__asm_expect(tw__asm *as, char c, const char *where); /* error "expected ',' ..." */
char *tw__asm_copy_text(tw__asm *as, const char *text, size_t length);
/* A string in quotes with escapes, as bytes; false with an error when there is none. */
bool tw__asm_read_string(tw__asm *as, GString *out);
/* A name: an identifier or a string. NULL with an error. In the arena. */
const char *tw__asm_read_name(tw__asm *as, const char *what);

/* --- number.c ------------------------------------------------------------------------------------------------- */

/* Number at the cursor: integers, characters, reals. False with an error. 1f and 1b are handled in expr.c. */
bool tw__asm_read_number(tw__asm *as, value *out);
bool tw__asm_read_real(tw__asm *as, double *out); /* with a sign, for .float */

/* --- expr.c --------------------------------------------------------------------------------------------------- */

bool tw__asm_read_value(tw__asm *as, value *out);                        /* false with an error */
bool tw__asm_read_constant(tw__asm *as, int64_t *out, const char *what); /* the same, has to be known now */
value tw__asm_constant(int64_t number);
int64_t tw__asm_wrap_add(int64_t a, int64_t b); /* modulo 2^64, as all arithmetic of expressions */
value tw__asm_add_values(tw__asm *as, value a, value b, bool subtract);
/* At the end: V_CONST or V_SYMBOL with a real symbol; false with an error at `where`. */
bool tw__asm_resolve(tw__asm *as, value v, place where, value *out);

/* --- symbol.c ------------------------------------------------------------------------------------------------- */

symbol_note *tw__asm_note_of(tw__asm *as, int symbol); /* NULL when out of memory */
int tw__asm_use_symbol(tw__asm *as, const char *name, size_t length);
bool tw__asm_is_defined(tw__asm *as, int symbol);
void tw__asm_define_label(tw__asm *as, const char *at, size_t length);
void tw__asm_define_numeric_label(tw__asm *as, unsigned number);
int tw__asm_numeric_label(tw__asm *as, unsigned number, bool forward, place where); /* symbol, -1 with an error */
value tw__asm_here(tw__asm *as);
void tw__asm_set_symbol(tw__asm *as, const char *name, place where, value v, bool once);
void tw__asm_check_symbols(tw__asm *as); /* at the end */

/* --- cond.c, macro.c ------------------------------------------------------------------------------------------ */

bool tw__asm_is_active(const tw__asm *as);
/* Handles a directive about conditions: true when it was one. Also called for text that is skipped. */
bool tw__asm_condition_directive(tw__asm *as, const char *name, size_t length, place where);
void tw__asm_close_conditions(tw__asm *as, unsigned down_to);
void tw__asm_define_macro(tw__asm *as, place where);
void tw__asm_repeat_text(tw__asm *as, const char *directive, place where); /* .rept .irp .irpc */
void tw__asm_purge_macro(tw__asm *as);
void tw__asm_exit_macro(tw__asm *as, place where);
bool tw__asm_expand_macro(tw__asm *as, const char *name, size_t length); /* false: there is no such macro */
void tw__asm_free_macro(gpointer data);

/* --- directive.c, data.c, section.c, stack.c ------------------------------------------------------------------ */

void tw__asm_run_directive(tw__asm *as, const char *name, size_t length);
typedef void directive_function(tw__asm *as, const char *name, place where);
directive_function tw__asm_do_data, tw__asm_do_float, tw__asm_do_string, tw__asm_do_space, tw__asm_do_fill,
    tw__asm_do_align, tw__asm_do_org, tw__asm_do_incbin, tw__asm_do_reloc;
directive_function tw__asm_do_section, tw__asm_do_push_section, tw__asm_do_pop_section, tw__asm_do_previous,
    tw__asm_do_named_section;
directive_function tw__asm_do_binding, tw__asm_do_visibility, tw__asm_do_type, tw__asm_do_size, tw__asm_do_comm,
    tw__asm_do_set;
directive_function tw__asm_do_stack_size, tw__asm_do_stack_calls;
directive_function tw__asm_do_file, tw__asm_do_loc;                     /* line.c */
void tw__asm_finish_lines(tw__asm *as);                                 /* line_program.c */
bool tw__asm_cfi_directive(tw__asm *as, const char *name, place where); /* cfi.c; false: it is none of those */
void tw__asm_finish_cfi(tw__asm *as);
void tw__asm_free_cfi(gpointer data);
void tw__asm_finish_stack(tw__asm *as);
void tw__asm_emit_bytes(tw__asm *as, const void *bytes, size_t length, place where);

/* --- operand.c, insn.c, emit.c, repeat.c, fixup.c ------------------------------------------------------------- */

bool tw__asm_read_operand(tw__asm *as, operand *out);
bool tw__asm_is_register(const char *name); /* "m3", "sp" */
void tw__asm_read_instruction(tw__asm *as, const char *name, size_t length);
/* Row and operands for what was read; false with an error. */
bool tw__asm_match_instruction(tw__asm *as, const char *mnemonic, place where, const operand *operands,
                               size_t count, parsed *out);
bool tw__asm_load_constant(tw__asm *as, place where, const operand *operands, size_t count); /* ldconst */
void tw__asm_open_bundle(tw__asm *as);
void tw__asm_close_bundle(tw__asm *as);
void tw__asm_emit_parsed(tw__asm *as, parsed *insn,
                         unsigned count); /* one instruction, or the two halves of a bundle */
void tw__asm_check_repeats(tw__asm *as);
void tw__asm_add_fixup(tw__asm *as, const fixup *added);
void tw__asm_apply_fixups(tw__asm *as);

/* --- preprocess.c --------------------------------------------------------------------------------------------- */

tw_status tw__asm_preprocess(const char *path, const tw_asm_options *options, tw_isa_arch arch, char **text,
                             tw_diags *diags);

#endif
