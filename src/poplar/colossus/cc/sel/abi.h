/* SPDX-License-Identifier: MIT */
/* cc/sel: how values are passed. docs/colossus.md has the rules. */
#ifndef TW_CC_SEL_ABI_H
#define TW_CC_SEL_ABI_H

#include "poplar/colossus/cc/sel/address.h"

/* What a call hands over, in the order of its parameters: a value in as many registers in a row as it has words, or
 * in slots of the stack. */
typedef struct tw__sel_unit {
    tw__sel_part parts[4];
    unsigned count; /* of parts */
    unsigned words;
    tw__mir_file file;
    bool on_stack;
    unsigned number; /* first register; bytes on the stack */
} tw__sel_unit;

typedef struct tw__sel_places {
    unsigned next[2]; /* register of each file */
    unsigned stack;   /* bytes */
} tw__sel_places;

/* Where the next value goes. `variadic`: on the stack whatever it is. */
void tw__sel_place(tw__sel_places *places, tw__sel_unit *unit, bool variadic);
/* Units of a type without their parts; how many, at most TW__SEL_PARTS. */
unsigned tw__sel_units(tw__sel *s, LLVMTypeRef type, tw__sel_unit *units);
/* From parts of the type to those of the units, and back. */
void tw__sel_to_units(tw__sel *s, LLVMTypeRef type, const tw__sel_part *parts, tw__sel_unit *units);
void tw__sel_from_units(tw__sel *s, LLVMTypeRef type, const tw__sel_unit *units, tw__sel_part *parts);

typedef enum tw__sel_record { TW__SEL_BY_POINTER, TW__SEL_BY_MEMBER, TW__SEL_DROPPED } tw__sel_record;
/* How a structure is passed; *member: the type of its only one. */
tw__sel_record tw__sel_record_of(tw__sel *s, LLVMTypeRef type, LLVMTypeRef *member);
/* The type of byval or sret (`name`) of a parameter (index from 0), NULL: it has none. Of a call or a function. */
LLVMTypeRef tw__sel_type_attribute(LLVMValueRef value, const char *name, unsigned index);
/* How such a record of the type `record` is aligned: by what the front end says, as LLVM's type of one with
 * bit-fields of 64 bits, and of a packed one, says less. */
unsigned tw__sel_record_align(tw__sel *s, LLVMValueRef value, unsigned index, LLVMTypeRef record);
bool tw__sel_has_attribute(LLVMValueRef value, const char *name, unsigned index);

/* Between addresses of known alignment, without a loop. */
void tw__sel_copy_bytes(tw__sel *s, const tw__sel_address_of *to, const tw__sel_address_of *from, uint64_t size,
                        unsigned to_align, unsigned from_align, const tw__mir_memory *memory);
/* Bytes on the stack that the function's parameters take: its variable arguments lie behind them. */
uint32_t tw__sel_named_bytes(tw__sel *s);
/* intrinsic.c, builtin.c, text.c: false, and nothing refused: the name means nothing there. */
bool tw__sel_intrinsic(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out);
bool tw__sel_builtin(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out);
bool tw__sel_text(tw__sel *s, LLVMValueRef call, tw__sel_part *out);
/* A library function with words: memcpy and the like; no result. */
bool tw__sel_call_words(tw__sel *s, const char *name, const tw__sel_part *words, unsigned count);

#endif
