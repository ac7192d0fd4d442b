/* SPDX-License-Identifier: MIT */
/* Values that a debugger works with: numbers, views of memory, DSDs. */
#ifndef TW_CSL_WSE_DEBUG_VALUE_H
#define TW_CSL_WSE_DEBUG_VALUE_H

#include "csl/wse/debug/debug.h"
#include "csl/wse/fabric/fabric.h"

enum { TW__WSE_RANK = 8 };
typedef enum tw__wse_type_kind {
    TW__WSE_T_RAW, /* bytes: structs and what else has no text of its own here */
    TW__WSE_T_NUMBER,
    TW__WSE_T_POINTER,
    TW__WSE_T_ARRAY,
    TW__WSE_T_DSD
} tw__wse_type_kind;
typedef struct tw__wse_type {
    tw__wse_type_kind kind;
    const char *text, *base; /* base: of a pointer's target, of an array's element */
    tw_type number;
    uint32_t size; /* bytes; RAW: 0 = unknown */
    bool is_bool, many;
    unsigned rank;
    uint32_t dims[TW__WSE_RANK];
} tw__wse_type;
void tw__wse_read_type(const char *text, tw__wse_type *t);
bool tw__wse_is_float(tw_type type);
double tw__wse_float(tw_type type, uint64_t bits);
uint64_t tw__wse_float_bits(tw_type type, double value);
int64_t tw__wse_int(tw_type type, uint64_t bits);

/* Where the value of a name is. */
typedef enum tw__wse_place { TW__WSE_IN_NOTHING, TW__WSE_IN_MEMORY, TW__WSE_IN_WORDS, TW__WSE_GONE } tw__wse_place;
typedef struct tw__wse_name {
    tw__wse_place place;
    const char *type;
    uint32_t address, bytes;
    uint64_t words[2];
    uint32_t reg; /* IN_WORDS: one more than the index of the register in the PE's; 0 = a constant */
} tw__wse_name;
/* A name as the frame sees it; IN_NOTHING = there is none. name.c. */
tw__wse_name tw__wse_find_name(const tw__wse *w, uint32_t pe, unsigned frame, const char *name);
/* The value of a name, or of a place in memory, as text. */
void tw__wse_put_name(GString *out, const tw__wse *w, uint32_t pe, const tw__wse_name *name, char format);

#endif
