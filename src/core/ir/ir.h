/* SPDX-License-Identifier: MIT */
/* ir: the compiler's intermediate code as plain data, and a few changes to it. What knows LLVM is a module (llvm/)
 * that is loaded when the first module of code is read: programs that read none never map LLVM. The modes of
 * thread use are those of a file: one thread at a time for one module. */
#ifndef TW_CORE_IR_H
#define TW_CORE_IR_H

#include "core/base/base.h"

enum { TW__IR_READS = 1, TW__IR_WRITES = 2 };

typedef enum tw__ir_kind { TW__IR_CONSTANT, TW__IR_ARGUMENT, TW__IR_GLOBAL, TW__IR_INSTRUCTION } tw__ir_kind;

// clang-format off
/* Operations: their names in the language of LLVM; `other` is what has no row. */
#define TW__IR_OPS(X) \
    X(other) X(ret) X(br) X(switch) X(invoke) X(unreachable) X(call) X(phi) X(select) X(alloca) X(load) X(store) \
    X(getelementptr) X(add) X(sub) X(mul) X(udiv) X(sdiv) X(urem) X(srem) X(shl) X(lshr) X(ashr) X(and) X(or) X(xor) \
    X(icmp) X(fadd) X(fsub) X(fmul) X(fdiv) X(frem) X(fneg) X(fcmp) X(trunc) X(zext) X(sext) X(fptoui) X(fptosi) \
    X(uitofp) X(sitofp) X(fptrunc) X(fpext) X(ptrtoint) X(inttoptr) X(bitcast) X(extractelement) X(insertelement) \
    X(shufflevector) X(extractvalue) X(insertvalue) X(freeze) X(landingpad)
// clang-format on
typedef enum tw__ir_op {
#define TW__IR_ENUM(name) TW__IR_##name,
    TW__IR_OPS(TW__IR_ENUM)
#undef TW__IR_ENUM
        TW__IR_OP_COUNT
} tw__ir_op;

typedef struct tw__ir_value {
    tw__ir_kind kind;
    tw__ir_op op;
    bool is_float, is_double, is_pointer;
    bool is_zero;        /* a constant without a bit set, or with bits that nobody cares for */
    bool is_noalias;     /* an argument that alone leads to its memory */
    bool is_conditional; /* a branch with two ways */
    bool is_array;       /* for who reads: local memory that is indexed by what is known at run time alone */
    bool is_fixed;       /* an address a constant number of bytes, `number`, behind another */
    uint32_t bytes;      /* of the value; for alloca, store and the memory that an operation copies: of that */
    uint32_t lanes;      /* 1 for scalars */
    uint32_t block;
    uint32_t first, operands; /* in tw__ir_function.operands */
    int64_t number;           /* a constant integer */
    const char *callee;       /* a direct call's function; a global's name */
    const char *section;      /* ... and the section that it asks for, or "" */
    bool reads, writes;       /* a call: may read, write memory */
    uint32_t line;
    /* The line that asked for it, in the innermost file that is neither a header of this project nor of the layered
     * library or the system; 0 = not known. */
    const char *file;
    uint32_t file_line;
} tw__ir_value;

typedef struct tw__ir_block {
    uint32_t first, count;                   /* values: its instructions */
    uint32_t successors[2], successor_count; /* more than two: a switch, count as it is, none listed */
} tw__ir_block;

/* Arrays are those of the module. */
typedef struct tw__ir_function {
    const char *name, *section;
    bool is_defined; /* here, and not in another object too */
    bool unwinds;    /* has landing pads */
    tw__ir_value *values;
    uint32_t value_count;
    uint32_t *operands;
    uint32_t *sizes; /* beside operands, of a call: bytes passed or returned by value behind a pointer */
    uint8_t *
        access; /* beside operands, of a call: what it does with the memory that a pointer leads to (TW__IR_READS) */
    tw__ir_block *blocks;
    uint32_t block_count;
} tw__ir_function;

typedef struct tw__ir {
    tw__ir_function *functions;
    size_t function_count;
    struct tw__ir_private *own;
} tw__ir;

/* Reads bitcode. TW_E_NO_ENVIRONMENT when the module is not there, TW_E_FILE_LOAD for what is none. */
tw_status tw__ir_read(const void *bitcode, size_t size, tw__ir **ir);
void tw__ir_free(tw__ir *ir); /* NULL is fine */
/* Runs passes, as they are written for opt; the arrays are new afterwards. Loops are neither unrolled, unless they
 * are asked for (tw__ir_unroll), nor turned into vectors. */
tw_status tw__ir_optimise(tw__ir *ir, const char *passes);
/* Inserts a call of `callee`, void (uint64_t), which touches nothing that the module's code does, in front of an
 * instruction. Arrays stay as they were. */
void tw__ir_insert_call(tw__ir *ir, size_t function, uint32_t instruction, const char *callee, uint64_t argument);
/* The same of void (uint64_t, struct { uint32_t number; const char *text; } *), the module's own: number is 0. */
void tw__ir_insert_place(tw__ir *ir, size_t function, uint32_t instruction, const char *callee, uint64_t argument,
                         const char *text);
/* Asks passes to unroll the loop that ends with a branch, whatever that takes: `copies` turns in one; 0: all. */
void tw__ir_unroll(tw__ir *ir, size_t function, uint32_t branch, uint32_t copies);
/* Removes the calls of `callee`. */
void tw__ir_remove_calls(tw__ir *ir, const char *callee);
/* Functions of a section are inlined from now on, and lie in no section. */
void tw__ir_inline_section(tw__ir *ir, const char *section);
/* The module as bitcode, checked: malloc'ed. TW_E_ERROR when it is not sound. */
tw_status tw__ir_write(tw__ir *ir, void **bitcode, size_t *size);

#define TW__IR_VERSION 3
#define TW__IR_SYMBOL  "tw__ir_module"
/* What the module exports. Texts of problems are malloc'ed. */
typedef struct tw__ir_calls {
    int version;
    tw__ir *(*read)(const void *bitcode, size_t size, char **problem);
    void (*free)(tw__ir *ir);
    bool (*optimise)(tw__ir *ir, const char *passes, char **problem);
    void (*insert_call)(tw__ir *ir, size_t function, uint32_t instruction, const char *callee, uint64_t argument,
                        const char *text); /* NULL: a call without a place */
    void (*unroll)(tw__ir *ir, size_t function, uint32_t branch, uint32_t copies);
    void (*remove_calls)(tw__ir *ir, const char *callee);
    void (*inline_section)(tw__ir *ir, const char *section);
    bool (*write)(tw__ir *ir, void **bitcode, size_t *size, char **problem);
} tw__ir_calls;

#endif
