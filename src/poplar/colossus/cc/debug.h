/* SPDX-License-Identifier: MIT */
/* cc: what debuggers are told of code (popc -g): entries as DWARF has them (types, functions, variables), which code
 * comes from which inlined call, and what variables hold where. All of it lies in the module's arena.
 *
 *     sel/debug.cpp  entries from LLVM's metadata
 *     sel/binds.c    variables and the values of SSA that they get
 *     ra/track.c     where those values are in finished code
 *     emit/dwarf.c   the sections .debug_* as text */
#ifndef TW_COLOSSUS_CC_DEBUG_H
#define TW_COLOSSUS_CC_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw__mir tw__mir;
typedef struct tw__mir_insn tw__mir_insn;

/* An entry. Its tag says which members count. */
typedef struct tw__mir_die {
    struct tw__mir_die *parent, *first, *last, *next;
    struct tw__mir_die *type;
    struct tw__mir_die *declaration; /* of a function: the one in its class */
    uint16_t tag;                    /* DW_TAG_... */
    uint8_t encoding;                /* DW_ATE_... of a base type */
    bool is_declaration, is_external, is_artificial, is_prototyped;
    bool is_inlined; /* a function: somewhere */
    bool is_vector, is_enum_class;
    const char *name, *linkage;
    const char *symbol; /* of a variable: where it is */
    uint32_t file, line;
    uint64_t size, offset;  /* bytes */
    uint32_t bits, bits_at; /* of a bit-field: bits, and where they begin, from the start of the record */
    bool has_value;
    int64_t value; /* of an enumerator; a subrange's number of elements */
    /* of what writes them */
    uint32_t number;   /* 0: nobody has referred to it */
    uint32_t function; /* 1 + index of the function that has its code */
} tw__mir_die;

/* A call that was inlined; `up` is what it stands in, NULL: the function itself. */
typedef struct tw__mir_scope {
    struct tw__mir_scope *up, *next;
    tw__mir_die *function;
    uint32_t file, line, column; /* of the call */
} tw__mir_scope;

typedef struct tw__mir_range { /* code from an instruction on, up to another one; NULL: the end of the function */
    struct tw__mir_range *next;
    tw__mir_insn *from, *to;
    const uint8_t *bytes; /* expression of DWARF */
    uint32_t count;
} tw__mir_range;

typedef struct tw__mir_variable {
    struct tw__mir_variable *next;
    tw__mir_scope *scope;
    tw__mir_die *die; /* below its function */
    tw__mir_range *ranges;
} tw__mir_variable;

typedef struct tw__mir_word { /* a word of a register, of which so many bytes count */
    uint32_t reg;
    uint8_t sub, bytes;
} tw__mir_word;

enum { TW__MIR_WORDS = 16 };
/* In front of an instruction a variable, or some of its bytes, gets a value. */
typedef struct tw__mir_bind {
    struct tw__mir_bind *next;
    tw__mir_variable *variable;
    uint32_t order, slot;
    uint32_t at, bytes; /* part of the variable; bytes 0: all of it */
    enum { TW__BIND_UNKNOWN, TW__BIND_WORDS, TW__BIND_CONSTANT, TW__BIND_OBJECT } kind;
    bool is_memory; /* the value, behind the expression, is the address of the variable */
    bool is_value;  /* the expression says that it is the value itself */
    tw__mir_word words[TW__MIR_WORDS];
    uint32_t count;
    int64_t constant;
    uint32_t object;     /* of the frame; its address is the value */
    const uint8_t *more; /* of an expression of DWARF that takes the value from there */
    uint32_t more_count;
    const void *source; /* sel's */
} tw__mir_bind;

/* What is known of one function, and of the module. */
typedef struct tw__mir_function_debug {
    tw__mir_die *die; /* NULL: nothing */
    tw__mir_scope *scopes;
    tw__mir_variable *variables;
} tw__mir_function_debug;

/* --- sel/debug.cpp ---------------------------------------------------------------------------------------------- */

typedef struct tw__cc_debug tw__cc_debug;
typedef struct LLVMOpaqueValue tw__cc_value;

typedef struct tw__cc_record { /* of a place in front of an instruction */
    tw__mir_variable *variable;
    tw__cc_value *value; /* NULL: not there any more */
    bool is_memory, is_value;
    uint32_t at, bytes;
    const uint8_t *more;
    uint32_t more_count;
} tw__cc_record;

/* NULL: the module has no debug information but lines. */
tw__cc_debug *tw__cc_debug_new(void *module, tw__mir *mir);
void tw__cc_debug_free(tw__cc_debug *debug);
tw__mir_die *tw__cc_debug_unit(tw__cc_debug *debug);
/* From here on it is about this function. */
void tw__cc_debug_function(tw__cc_debug *debug, tw__cc_value *function, tw__mir_function_debug *out);
tw__mir_scope *tw__cc_debug_scope(tw__cc_debug *debug, tw__cc_value *instruction);
typedef void tw__cc_take(void *user, const tw__cc_record *record);
void tw__cc_debug_records(tw__cc_debug *debug, tw__cc_value *instruction, tw__cc_take *take, void *user);
/* mir.c: number of a source; zeroed memory of the module's arena. */
uint32_t tw__mir_source(tw__mir *mir, const char *name);
void *tw__mir_room(tw__mir *mir, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
