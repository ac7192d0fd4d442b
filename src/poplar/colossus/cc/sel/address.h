/* SPDX-License-Identifier: MIT */
/* cc/sel: addresses of accesses. */
#ifndef TW_CC_SEL_ADDRESS_H
#define TW_CC_SEL_ADDRESS_H

#include "poplar/colossus/cc/sel/sel.h"

typedef struct tw__sel_address_of {
    bool is_frame, has_index;
    uint32_t object;    /* of the frame */
    tw__sel_part base;  /* else */
    tw__sel_part index; /* times the access's size; only where the offset is 0 */
    int64_t offset;     /* bytes */
} tw__sel_address_of;

typedef struct tw__sel_term { /* of a GEP: index * step bytes */
    LLVMValueRef index;
    uint64_t step;
} tw__sel_term;

bool tw__sel_is_gep(LLVMValueRef value);
/* Constant offset and variable terms of a GEP; false: more of them than there is room. */
bool tw__sel_gep_terms(tw__sel *s, LLVMValueRef gep, int64_t *offset, tw__sel_term *terms, unsigned room,
                       unsigned *count);
/* For accesses of `size` bytes. */
tw__sel_address_of tw__sel_find_address(tw__sel *s, LLVMValueRef pointer, unsigned size);
/* Into one register (base) and an offset. */
void tw__sel_settle_address(tw__sel *s, tw__sel_address_of *address);

/* Accesses of 1, 2, 4 bytes (main or aux file) and 8 (aux), aligned, `at` bytes behind the address. */
typedef enum tw__sel_how { TW__SEL_MAIN_ZEROS, TW__SEL_MAIN_SIGNS, TW__SEL_AUX } tw__sel_how;
tw__sel_part tw__sel_read(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes,
                          tw__sel_how how, const tw__mir_memory *memory);
void tw__sel_write(tw__sel *s, const tw__sel_address_of *address, int64_t at, tw__sel_part part,
                   const tw__mir_memory *memory);
/* Bytes of a word: 1 to 4, `align` known of the address plus `at`. */
tw__sel_part tw__sel_read_bytes(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes,
                                unsigned align, bool is_signed, const tw__mir_memory *memory);
void tw__sel_write_bytes(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes, unsigned align,
                         tw__sel_part word, const tw__mir_memory *memory);
/* A value in memory. */
void tw__sel_read_value(tw__sel *s, LLVMTypeRef type, const tw__sel_address_of *address, int64_t at, unsigned align,
                        bool is_signed, const tw__mir_memory *memory, tw__sel_part *out);
void tw__sel_write_value(tw__sel *s, LLVMTypeRef type, const tw__sel_address_of *address, int64_t at,
                         unsigned align, const tw__sel_part *parts, const tw__mir_memory *memory);

#endif
