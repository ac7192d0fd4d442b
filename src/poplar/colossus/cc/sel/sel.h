/* SPDX-License-Identifier: MIT */
/* cc/sel: instructions for LLVM's code. Its output is MIR in SSA (mir.h).  A value of LLVM is a list of parts:
 * virtual registers, or words of one. Functions are walked backwards, blocks in post-order and each block from its
 * end, so that an operand is asked for (tw__sel_parts) before its instruction is reached: what nobody asked for,
 * because a user took it into an addressing mode or a compare into its branch, is never written.  integers and
 * pointers up to 32 bits   one word of the main file; bits above the type's width are undefined but for i1, which
 * is 0 or 1 up to 64 bits, and double             two words of the main file, low word first float
 * a word of the aux file half                                  a word of the aux file that has it in both lanes
 * vectors of half and float             pairs of the aux file, and a word for what is left (three halves: a pair)
 * other vectors                         as so many scalars structures and arrays                 the parts of
 * their members, one after the other */
#ifndef TW_CC_SEL_H
#define TW_CC_SEL_H

#include "poplar/colossus/cc/mir.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

typedef void tw__sel_report(void *user, const tw_diag *diag);

/* --- module.c --------------------------------------------------------------------------------------------------- */

/* Code of all functions and data of `module`. NULL: problems were reported. The MIR lies in `arena`; names are
 * those of the module, which has to live as long. */
tw__mir *tw__sel_module(LLVMModuleRef module, tw_isa_arch arch, tw__arena *arena, tw__sel_report *report,
                        void *user);

/* --- parts ------------------------------------------------------------------------------------------------------ */

typedef struct tw__sel_part {
    tw__mir_reg reg;
    uint8_t file;       /* tw__mir_file */
    uint8_t words;      /* that are meant */
    uint8_t sub, whole; /* from this word on, of so many */
} tw__sel_part;

typedef struct tw__sel_value {
    tw__sel_part *parts;
    unsigned count;
    bool is_written; /* its instruction was selected */
} tw__sel_value;

typedef enum tw__sel_lane {
    TW__SEL_NONE,
    TW__SEL_INT,
    TW__SEL_F16,
    TW__SEL_F32,
    TW__SEL_F64,
    TW__SEL_GROUP
} tw__sel_lane;
/* What a type is made of. */
typedef struct tw__sel_shape {
    tw__sel_lane lane; /* GROUP: a structure or an array */
    unsigned bits;     /* of a lane */
    unsigned lanes;    /* 0: a scalar */
    unsigned parts;
} tw__sel_shape;

typedef struct tw__sel_edge { /* a value that reaches a phi */
    LLVMValueRef phi;
    LLVMBasicBlockRef from;
    tw__sel_part *parts;
} tw__sel_edge;

typedef struct tw__sel {
    tw__mir *mir;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    tw__sel_report *report;
    void *user;
    bool has_failed;
    GHashTable *names; /* global value without a name -> name */
    /* of the function */
    LLVMValueRef function;
    tw__mir_function *f;
    GHashTable *values;  /* LLVMValueRef -> tw__sel_value */
    GHashTable *blocks;  /* LLVMBasicBlockRef -> index + 1 */
    GHashTable *objects; /* alloca -> index + 1 */
    GHashTable *edges;   /* tw__sel_edge */
    GArray *origins;     /* by block of the MIR: the LLVMBasicBlockRef that it stands for */
    bool calls_pointers; /* calls functions through pointers, for all that is known of inline assembly */
    bool has_sret;       /* the result is a member of a structure, in the object `sret` */
    uint32_t sret;
    /* where code goes: in front of `before`, at the end of `block` */
    uint32_t block;
    tw__mir_insn *before;
    uint32_t line, column;
    uint16_t file;
    LLVMValueRef at;     /* what messages are about */
    tw__cc_debug *debug; /* NULL: only lines are wanted */
    tw__mir_scope *scope;
    GPtrArray *binds;    /* tw__mir_bind: values of LLVM until the function is through */
    unsigned text_count; /* of inline assembly in the module */
} tw__sel;

/* --- build.c: instructions -------------------------------------------------------------------------------------- */

tw__mir_insn *tw__sel_emit(tw__sel *s, unsigned op, unsigned count, const tw__mir_operand *operands);
/* The same with a new register, which it returns, as first operand. */
tw__sel_part tw__sel_make(tw__sel *s, unsigned op, unsigned count, const tw__mir_operand *operands);
#define TW__OPERANDS(...)                                                                                 \
    (unsigned)(sizeof((tw__mir_operand[]){ __VA_ARGS__ }) / sizeof(tw__mir_operand)), (tw__mir_operand[]) \
    {                                                                                                     \
        __VA_ARGS__                                                                                       \
    }
/* Operands are complete before an instruction is written: what makes one stands in a statement of its own, as C
 * leaves open which argument is evaluated first, and the compilers that build this one choose differently. */
#define EMIT(s, op, ...)     tw__sel_emit((s), (op), TW__OPERANDS(__VA_ARGS__))
#define MAKE(s, op, ...)     tw__sel_make((s), (op), TW__OPERANDS(__VA_ARGS__))
#define IN(part)             tw__sel_in(part)
#define OUT(part)            tw__sel_out(part)
#define NUM(number)          ((tw__mir_operand){ .kind = TW__MIR_CONST, .value = (number) })
#define TO(block_)           ((tw__mir_operand){ .kind = TW__MIR_BLOCK, .index = (block_) })
#define FRAME(object, bytes) ((tw__mir_operand){ .kind = TW__MIR_FRAME, .index = (object), .value = (bytes) })
#define SYMBOL(name, bytes)  ((tw__mir_operand){ .kind = TW__MIR_SYMBOL, .symbol = (name), .value = (bytes) })
tw__mir_operand tw__sel_in(tw__sel_part part);
tw__mir_operand tw__sel_out(tw__sel_part part);

tw__sel_part tw__sel_new(tw__sel *s, tw__mir_file file, unsigned words);
/* A physical register; words in a row from it. */
tw__sel_part tw__sel_physical(tw__mir_file file, unsigned number, unsigned words);
tw__sel_part tw__sel_zero(tw__mir_file file, unsigned words);
bool tw__sel_is_zero(tw__sel_part part);
tw__sel_part tw__sel_word(tw__sel_part part, unsigned word);
/* A 32-bit constant in a register; zero is the register that reads so. */
tw__sel_part tw__sel_constant(tw__sel *s, uint32_t bits, tw__mir_file file);
tw__sel_part tw__sel_address(tw__sel *s, const char *symbol, int64_t add);
void tw__sel_copy(tw__sel *s, tw__sel_part out, tw__sel_part in);
/* In the other file, where it is not there yet; one word. */
tw__sel_part tw__sel_to(tw__sel *s, tw__sel_part part, tw__mir_file file);
/* Words of the aux file as a pair or a quad. */
tw__sel_part tw__sel_join(tw__sel *s, const tw__sel_part *words, unsigned count);
/* x where `test` is not 0, else y; all main. */
tw__sel_part tw__sel_choose(tw__sel *s, tw__sel_part test, tw__sel_part x, tw__sel_part y);
/* First row of a list that ends with 0 whose operand `index` can be this number; 0: none. */
unsigned tw__sel_row_for(const uint16_t *rows, unsigned index, int64_t number);
/* x op number: a row with the constant, else with a register. `rows`: the register row first, then those with
 * constants. */
tw__sel_part tw__sel_with(tw__sel *s, const uint16_t *rows, tw__sel_part x, int64_t number);
extern const uint16_t tw__sel_add[], tw__sel_and[], tw__sel_or[], tw__sel_shl[], tw__sel_shr[], tw__sel_shrs[],
    tw__sel_mul[], tw__sel_equal[], tw__sel_below[];
void tw__sel_set_line(tw__sel *s, LLVMValueRef instruction);
/* An error at the line of the instruction, or of the function. Returns false. */
bool tw__sel_refuse(tw__sel *s, const char *code, const char *format, ...) TW_PRINTF(3, 4);

/* --- value.c: types and operands -------------------------------------------------------------------------------- */

tw__sel_shape tw__sel_shape_of(tw__sel *s, LLVMTypeRef type);
/* File and words of part `index` of a shape that is no group. */
void tw__sel_part_of(const tw__sel_shape *shape, unsigned index, tw__mir_file *file, unsigned *words);
/* Where the parts of member `index` of a group begin. */
unsigned tw__sel_member(tw__sel *s, LLVMTypeRef type, unsigned index);
/* Parts of an operand, in the files that its type says; NULL when it failed (and was reported). */
tw__sel_part *tw__sel_parts(tw__sel *s, LLVMValueRef value);
tw__sel_part tw__sel_part1(tw__sel *s, LLVMValueRef value); /* of which there is one */
/* Registers of a value before its instruction is selected. */
tw__sel_value *tw__sel_value_of(tw__sel *s, LLVMValueRef value);
/* New registers for a value of this type; how many. */
unsigned tw__sel_new_parts(tw__sel *s, LLVMTypeRef type, tw__sel_part *parts);
/* The parts, of which some were written from instruction `first` on, become the value's. */
void tw__sel_define(tw__sel *s, LLVMValueRef value, const tw__sel_part *parts, tw__mir_insn *first);
/* A constant integer (or one whose bits are known, of up to 64): sign-extended, zero-extended. */
bool tw__sel_number(LLVMValueRef value, int64_t *number, uint64_t *bits);
/* --- width.c: what registers hold above the bits of a type; values as words of memory --------------------------- */

/* An integer of up to 32 bits, extended to a word. */
tw__sel_part tw__sel_extended(tw__sel *s, LLVMValueRef value, bool is_signed);
/* The same for up to 64 bits: two words. */
void tw__sel_extended2(tw__sel *s, LLVMValueRef value, bool is_signed, tw__sel_part out[2]);
/* A part with `bits` meant bits, extended. */
tw__sel_part tw__sel_extend(tw__sel *s, tw__sel_part part, unsigned bits, bool is_signed);
enum { TW__SEL_ZEROS = 1, TW__SEL_SIGNS = 2 };
/* Which extension a value of less than 32 bits has in its register anyway. */
unsigned tw__sel_known(tw__sel *s, LLVMValueRef value);
/* Words of a value as they lie in memory, from those of the parts: the bits of a bitcast. */
unsigned tw__sel_to_words(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *parts, tw__sel_part *words);
bool tw__sel_from_words(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *words, tw__sel_part *parts);
const char *tw__sel_name(tw__sel *s, LLVMValueRef global);
/* Whether a word that is loaded goes to conversions to float alone, and so into the aux file. */
bool tw__sel_is_for_aux(LLVMValueRef value);
/* Whether a load of less than a word extends the sign. */
bool tw__sel_load_is_signed(LLVMValueRef load);

/* --- data.c ----------------------------------------------------------------------------------------------------- */

/* A constant as symbol (NULL: none) plus a number. */
bool tw__sel_symbol(tw__sel *s, LLVMValueRef constant, const char **symbol, int64_t *add);
bool tw__sel_data(tw__sel *s, LLVMValueRef variable, tw__mir_data *data);
enum { TW__SEL_PARTS = 64 };
enum { TW__SEL_MOST = 0x100000 }; /* bytes: more than any tile has */

/* --- function.c ------------------------------------------------------------------------------------------------- */

bool tw__sel_function(tw__sel *s, LLVMValueRef function, tw__mir_function *f);
tw__mir_block *tw__sel_here(tw__sel *s);
uint32_t tw__sel_block_of(tw__sel *s, LLVMBasicBlockRef block);
/* A further block that stands for the one where code goes. */
uint32_t tw__sel_new_block(tw__sel *s);

/* --- binds.c: variables of the source ------------------------------------------------------------------------- */

void tw__sel_bind(tw__sel *s, LLVMValueRef instruction); /* what they get in front of it */
void tw__sel_bind_end(tw__sel *s);                       /* the registers of those values */

/* --- branch.c --------------------------------------------------------------------------------------------------- */

bool tw__sel_terminator(tw__sel *s, LLVMValueRef instruction);
void tw__sel_jump(tw__sel *s, uint32_t to);

/* Each handler selects one instruction and gives its parts. */
typedef bool tw__sel_handler(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out);

/* --- integer.c -------------------------------------------------------------------------------------------------- */

tw__sel_handler tw__sel_integer, tw__sel_compare, tw__sel_select, tw__sel_convert;
/* A register that is not 0 where the condition holds; with *is_inverse: where it does not. */
tw__sel_part tw__sel_test(tw__sel *s, LLVMValueRef condition, bool *is_inverse);
/* 0 or 1 from words that hold `bits`, extended as the predicate asks; *is_inverse as above. */
tw__sel_part tw__sel_compare_words(tw__sel *s, LLVMIntPredicate predicate, tw__sel_part x, tw__sel_part y,
                                   bool *is_inverse);
tw__sel_part tw__sel_invert(tw__sel *s, tw__sel_part bit);

/* divide.c: x, extended, by a constant; false: that takes a call. */
bool tw__sel_divide(tw__sel *s, LLVMOpcode opcode, unsigned bits, tw__sel_part x, int64_t number,
                    tw__sel_part *out);

/* --- long.c: integers of more than 32 bits ---------------------------------------------------------------------- */

bool tw__sel_long(tw__sel *s, LLVMOpcode opcode, const tw__sel_part x[2], const tw__sel_part y[2],
                  tw__sel_part out[2]);
/* Shifts by a constant below 64. */
void tw__sel_long_shift(tw__sel *s, LLVMOpcode opcode, const tw__sel_part x[2], unsigned by, tw__sel_part out[2]);
tw__sel_part tw__sel_high_product(tw__sel *s, tw__sel_part x, tw__sel_part y);
tw__sel_part tw__sel_long_compare(tw__sel *s, LLVMIntPredicate predicate, const tw__sel_part *x,
                                  const tw__sel_part *y);

/* --- real.c, mask.c, vector.c, memory.c ------------------------------------------------------------------------- */

tw__sel_handler tw__sel_real, tw__sel_real_compare, tw__sel_real_convert, tw__sel_negate;
/* As tw__sel_test() of a compare of numbers with a fraction. */
tw__sel_part tw__sel_real_test(tw__sel *s, LLVMValueRef condition, bool *is_inverse);
/* Rows by what a part holds; 0: none. */
typedef struct tw__sel_real_rows {
    uint16_t f32, f32v2, f16v2, f16v4;
} tw__sel_real_rows;
unsigned tw__sel_real_row(const tw__sel_real_rows *rows, tw__sel_lane lane, unsigned words);
/* Part by part; where there is no row, floats one by one, halves as floats. */
bool tw__sel_real_lanes(tw__sel *s, const tw__sel_real_rows *rows, const tw__sel_shape *shape, unsigned count,
                        tw__sel_part *const *arguments, tw__sel_part *out);
/* The same by a function of the library (`name` for float, with another f for double: none). */
bool tw__sel_real_call(tw__sel *s, const char *name, const char *double_name, const tw__sel_shape *shape,
                       unsigned count, tw__sel_part *const *arguments, tw__sel_part *out);
void tw__sel_widen(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *halves, tw__sel_part *floats);
void tw__sel_narrow(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *floats, tw__sel_part *halves);
/* A register, pair or quad of the aux file with the same word in all of its words. */
tw__sel_part tw__sel_all(tw__sel *s, uint32_t bits, unsigned words);
/* x & y, x & ~y, x | y of one part of the aux file. */
tw__sel_part tw__sel_aux_and(tw__sel *s, tw__sel_part x, tw__sel_part y);
tw__sel_part tw__sel_aux_andc(tw__sel *s, tw__sel_part x, tw__sel_part y);
tw__sel_part tw__sel_aux_or(tw__sel *s, tw__sel_part x, tw__sel_part y);
uint32_t tw__sel_sign_bits(const tw__sel_shape *shape);
/* Masks of a compare: all bits of a lane where it holds (*is_inverse: where not). */
void tw__sel_real_mask(tw__sel *s, LLVMRealPredicate predicate, const tw__sel_shape *shape, const tw__sel_part *x,
                       const tw__sel_part *y, tw__sel_part *out, bool *is_inverse);
bool tw__sel_mask_select(tw__sel *s, LLVMValueRef instruction, const tw__sel_shape *shape, tw__sel_part *out);
/* x where the mask has bits, else y; both aux. */
tw__sel_part tw__sel_mask_blend(tw__sel *s, tw__sel_part mask, tw__sel_part x, tw__sel_part y);
/* x where `test` is not 0 (or is), else y; both aux. */
void tw__sel_mask_choose(tw__sel *s, tw__sel_part test, bool is_inverse, tw__sel_part x, tw__sel_part y,
                         tw__sel_part *out);
tw__sel_handler tw__sel_extract, tw__sel_insert, tw__sel_shuffle;
tw__sel_handler tw__sel_load, tw__sel_store, tw__sel_gep, tw__sel_va_arg;

/* --- call.c ----------------------------------------------------------------------------------------------------- */

tw__sel_handler tw__sel_call;
bool tw__sel_prepare(tw__sel *s);   /* before the blocks of a function */
bool tw__sel_arguments(tw__sel *s); /* behind them: its parameters, in front of everything */
bool tw__sel_return(tw__sel *s, LLVMValueRef instruction);
/* A function of the runtime library. Shapes are scalars. */
bool tw__sel_runtime(tw__sel *s, const char *name, unsigned count, const tw__sel_shape *shapes,
                     tw__sel_part *const *arguments, const tw__sel_shape *result, tw__sel_part *out);

#endif
