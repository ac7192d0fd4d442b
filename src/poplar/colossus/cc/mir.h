/* SPDX-License-Identifier: MIT */
/* cc: code of the chip while it is compiled, between selection (sel) and text (emit).
 *
 * An instruction is a row of the table of instructions (isa/isa.h) with the operands of its text, in that order, or
 * one of the few below (TW__MIR_LIST) that stand for several or for none. Selection gives SSA: each virtual register
 * is written once, and phis lead blocks together. Register allocation (ra) leaves rows and physical registers.
 *
 * A register is a number: 0 none, 1 to 16 $m0 to $m15, 17 to 32 $a0 to $a15, from TW__MIR_VIRTUAL on virtual ones. A
 * virtual register is one, two or four words of a file in a row (pairs even, quads divisible by four); a physical one
 * is named by its first word, and its width follows from the operand.
 *
 * One thread at a time for one module. Everything lies in the module's arena. */
#ifndef TW_COLOSSUS_CC_MIR_H
#define TW_COLOSSUS_CC_MIR_H

#include "core/base/base.h"
#include "poplar/colossus/cc/debug.h"
#include "poplar/colossus/isa/isa.h"

#include <glib.h>

// clang-format off
/* X(id, operands): what is no row.
 *   copy    D, S          same width. From file to file too: main to aux goes through the worker's scratch words, aux
 *                         to main is `atom`, one word each
 *   phi     D, (block, S)...
 *   join    D, S...       D's words are those of the sources, lowest first
 *   value   D, C          a 32-bit constant, or an address; D of one word in either file. Made again rather than
 *                         spilled
 *   place   D, F          address of a frame object, plus an offset; main file
 *   call    T, (use|def)... T: a symbol, or a register of the main file. The rest are physical registers that the
 *                         call reads (arguments) and writes (results); it spoils what the convention lets it
 *   ret     uses...       end of a function; physical registers that hold the result (an entry of a worker ends with
 *                         a row instead: exitz...)
 *   text    ...           inline assembly: insn->text with %0, %1... for its operands, which have flags as in a row;
 *                         further clobbers are physical registers with WRITE
 *   moves   (D, S)...     copies inside a file that happen at once; D or S may be a place of the frame. Made by ra
 *   jump    A, (block)... to one of the blocks, whose address A is. insn->text names the table of these addresses, in
 *                         this order, that emit puts behind the function */
#define TW__MIR_LIST(X) X(copy) X(phi) X(join) X(value) X(place) X(call) X(ret) X(text) X(moves) X(jump)
// clang-format on
typedef enum tw__mir_op {
    TW__MIR_FIRST = TW__OP_COUNT - 1,
#define TW__MIR_ENUM(id) TW__MIR_##id,
    TW__MIR_LIST(TW__MIR_ENUM)
#undef TW__MIR_ENUM
        TW__MIR_OP_COUNT
} tw__mir_op;

enum { TW__MIR_M0 = 1, TW__MIR_A0 = 17, TW__MIR_VIRTUAL = 64 };
typedef uint32_t tw__mir_reg;

typedef enum tw__mir_file { TW__MIR_MAIN, TW__MIR_AUX } tw__mir_file;

typedef struct tw__mir_vreg {
    uint8_t file;  /* tw__mir_file */
    uint8_t words; /* 1, 2 or 4 */
    bool is_free;  /* the value may live in either file (moved, loaded, stored only): `file` is a proposal */
    bool is_short; /* ra: lives at one instruction only, so that a register has to be found */
} tw__mir_vreg;

typedef enum tw__mir_kind {
    TW__MIR_REG,   /* reg */
    TW__MIR_CONST, /* value: the number as it is written in text (for rows: before the field's shift is taken off) */
    TW__MIR_SYMBOL, /* symbol + value bytes */
    TW__MIR_BLOCK,  /* index of a block of this function */
    TW__MIR_FRAME /* index of a frame object, value bytes behind its start. In a load's or store's offset, whose base
                       is then $sp: the place divided by the access's size; ra puts base and offset right */
} tw__mir_kind;

enum { TW__MIR_READ = 1, TW__MIR_WRITE = 2 };

typedef struct tw__mir_operand {
    uint8_t kind;  /* tw__mir_kind */
    uint8_t use;   /* REG: READ, WRITE, both: `tied` is read, and `reg`, which takes its place, written */
    uint8_t sub;   /* REG, READ: first word that is meant of a wider virtual register; `words` of them */
    uint8_t words; /* REG: 1, 2, 4 */
    bool is_early; /* `text`, WRITE: may be written before all operands are read */
    tw__mir_reg reg, tied;
    /* ra: the register of SSA, from this word on, whose value an operand that is written gets; 0: none */
    tw__mir_reg origin;
    uint8_t origin_sub;
    uint32_t index;
    const char *symbol;
    int64_t value;
} tw__mir_operand;

/* What an access may touch: accesses of different groups never meet; 0 meets all. */
typedef struct tw__mir_memory {
    uint8_t use;      /* READ, WRITE; 0: no access that order matters for */
    bool is_volatile; /* keeps its order among its like */
    uint8_t align;    /* bytes, known */
    uint16_t group;   /* from alias information; 0 meets everything */
} tw__mir_memory;

/* What an instruction that ra/frame.c made does to the frame: emit tells debuggers. */
typedef enum tw__mir_frame_step {
    TW__FRAME_NONE,
    TW__FRAME_DOWN,  /* $sp goes down */
    TW__FRAME_KEEP,  /* stores a register of the caller */
    TW__FRAME_BASE,  /* $m9 becomes the base */
    TW__FRAME_LEAVE, /* $sp becomes the base again */
    TW__FRAME_BACK,  /* loads a register of the caller */
    TW__FRAME_UP
} tw__mir_frame_step;

struct tw__mir_insn {
    struct tw__mir_insn *previous, *next; /* in its block */
    uint16_t op;                          /* tw__op, or tw__mir_op */
    uint16_t count;
    bool has_effect;     /* stays, and keeps its order among its like: CSRs, accumulators, random numbers, text */
    bool is_aux_partner; /* after bundling: shares a word pair with the previous instruction */
    uint8_t frame;       /* tw__mir_frame_step */
    tw__mir_memory memory;
    uint32_t line, column; /* 0: none */
    uint16_t file;         /* in tw__mir.files */
    uint32_t mark;         /* not 0: debug information names its place */
    tw__mir_scope *scope;  /* the inlined call that it is of */
    tw__mir_bind *binds;   /* what variables get in front of it */
    const char *text;
    tw__mir_operand operands[];
};

typedef struct tw__mir_block {
    tw__mir_insn *first, *last;
    uint32_t *successors, *predecessors; /* blocks; the last instructions branch, falling through needs a `bri` too:
                                            emit drops what leads to the next block */
    uint32_t successor_count, predecessor_count;
    uint32_t loop_depth;
    uint32_t frequency; /* estimate: runs for 16 of the function's entry */
    /* A counted loop of this one block, whose last instruction is `brnzdec` of a register that selection made for it:
     * the number of rounds less one. 0: not known to be less; else at most so many rounds. */
    bool is_counted;
    uint64_t most_rounds;
    /* By ra: the body of rpt; the block that stands behind this one in the text, plus one. */
    bool is_repeated;
    uint32_t goes_on;
    struct ra_hold *holds; /* values that are in registers when it begins */
} tw__mir_block;

typedef struct tw__mir_frame_object {
    enum {
        TW__MIR_LOCAL,
        TW__MIR_OUTGOING, /* argument for a call, at `place` bytes as the convention says */
        TW__MIR_INCOMING, /* own argument, the same */
        TW__MIR_DYNAMIC /* what lies above outgoing arguments after code has moved $m11 down (has_dynamic_stack) */
    } kind;
    uint32_t size, align, place;
} tw__mir_frame_object;

typedef enum tw__mir_context { TW__MIR_FUNCTION, TW__MIR_WORKER, TW__MIR_SUPERVISOR } tw__mir_context;

typedef struct tw__mir_function {
    const char *name;
    uint32_t number;         /* in the module */
    tw__mir_context context; /* WORKER: an entry: no return address, no register to keep, ends with exit */
    bool is_local, is_weak;  /* binding of its symbol */
    bool is_variadic;
    bool in_supervisor;     /* a function that the supervisor runs: main file only */
    bool has_dynamic_stack; /* variable arrays: $m9 is the frame pointer */
    bool states_stack;      /* the source says how much it takes (DEF_STACK_USAGE) */
    uint32_t file, line;
    tw__mir_vreg *vregs;
    uint32_t vreg_count, vreg_capacity;
    tw__mir_block *blocks; /* in order of text; 0 is the entry */
    uint32_t block_count, block_capacity;
    tw__mir_frame_object *objects;
    uint32_t object_count, object_capacity;
    /* Set by ra: objects from own_objects on are its own; bytes of the frame, arguments for calls included. */
    uint32_t own_objects, stack_bytes;
    uint32_t *order, order_count; /* of blocks in the text; those that cannot be reached are left out */
    tw__mir_function_debug debug;
} tw__mir_function;

typedef struct tw__mir_data {
    const char *name, *section;
    bool is_local, is_weak, is_zero;
    uint32_t size, align;
    const uint8_t *bytes; /* NULL when is_zero */
    struct tw__mir_address {
        uint32_t at; /* four bytes */
        const char *symbol;
        int64_t add;
    } *addresses; /* in ascending order */
    uint32_t address_count;
} tw__mir_data;

/* Another name for a place: of a function's start, or in a variable. */
typedef struct tw__mir_alias {
    const char *name, *symbol;
    int64_t add;
    bool is_weak, is_function;
} tw__mir_alias;

struct tw__mir {
    tw__arena *arena;
    tw_isa_arch arch;
    const char **files; /* names of sources; [0] is unused */
    uint32_t file_count;
    tw__mir_function **functions;
    uint32_t function_count, function_capacity;
    tw__mir_data **data;
    uint32_t data_count, data_capacity;
    tw__mir_alias **aliases;
    uint32_t alias_count, alias_capacity;
    tw__mir_die *debug; /* NULL: nothing but lines */
};

/* --- mir.c ------------------------------------------------------------------------------------------------------ */

/* Lives in the arena, as all of it does; memory that runs out ends the program, as in GLib. */
tw__mir *tw__mir_new(tw__arena *arena, tw_isa_arch arch);
tw__mir_function *tw__mir_add_function(tw__mir *mir, const char *name);
tw__mir_data *tw__mir_add_data(tw__mir *mir, const char *name);
tw__mir_alias *tw__mir_add_alias(tw__mir *mir, const char *name, const char *symbol);
tw__mir_reg tw__mir_new_reg(tw__mir *mir, tw__mir_function *f, tw__mir_file file, unsigned words);
uint32_t tw__mir_new_block(tw__mir *mir, tw__mir_function *f);
uint32_t tw__mir_new_object(tw__mir *mir, tw__mir_function *f, uint32_t size, uint32_t align);
/* A new instruction of `count` operands, all zero, at the end of a block or in front of `before` (NULL: at the
 * end). */
tw__mir_insn *tw__mir_append(tw__mir *mir, tw__mir_block *block, unsigned op, unsigned count);
tw__mir_insn *tw__mir_insert(tw__mir *mir, tw__mir_block *block, tw__mir_insn *before, unsigned op, unsigned count);
void tw__mir_remove(tw__mir_block *block, tw__mir_insn *insn);
/* The same where those between `behind` (NULL: the start of the block) and it have taken its place. */
void tw__mir_replace(tw__mir_block *block, tw__mir_insn *behind, tw__mir_insn *insn);
tw__mir_operand tw__mir_read(tw__mir_reg reg, unsigned words);
tw__mir_operand tw__mir_write(tw__mir_reg reg, unsigned words);
tw__mir_operand tw__mir_change(tw__mir_reg reg, tw__mir_reg tied, unsigned words); /* reads tied, writes reg */
tw__mir_operand tw__mir_const(int64_t value);
tw__mir_operand tw__mir_symbol(const char *symbol, int64_t add);
tw__mir_operand tw__mir_to(uint32_t block);
tw__mir_operand tw__mir_frame(uint32_t object, int64_t offset);
void tw__mir_add_successor(tw__mir *mir, tw__mir_block *block, uint32_t successor); /* once, however often named */
void tw__mir_link(tw__mir *mir, tw__mir_function *f); /* predecessors from successors */
/* The row, or NULL. */
const tw_isa_row *tw__mir_row(const tw__mir_insn *insn);
bool tw__mir_is_branch(const tw__mir_insn *insn); /* may go to another block or leave the function (no calls) */
bool tw__mir_is_end(const tw__mir_insn *insn);    /* ... and never goes on behind itself */
/* Order of blocks in which, loops apart, predecessors come first; unreachable ones are left out. In the arena. */
uint32_t *tw__mir_order(tw__mir *mir, const tw__mir_function *f, uint32_t *count);
/* Immediate dominator of each block, UINT32_MAX for the entry and what cannot be reached. In the arena. */
uint32_t *tw__mir_dominators(tw__mir *mir, const tw__mir_function *f);
/* Whether the code is sound: files and widths of operands as the rows ask, each virtual register written once and
 * before it is read (SSA), blocks ending in branches, constants that fit. NULL, or what is wrong (in the arena). */
const char *tw__mir_check(tw__mir *mir, const tw__mir_function *f);
/* As text, for people and tests; appended to `out`. */
void tw__mir_print(const tw__mir *mir, const tw__mir_function *f, GString *out);

#endif
