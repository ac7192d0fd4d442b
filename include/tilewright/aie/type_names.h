/* SPDX-License-Identifier: MIT */
/* Names of AI Engine types: what v16int32 is, or which part of a name is wrong. For tools; kernels include aie.h.
 *
 *     tw_aie_type t;
 *     if (tw_aie_type_by_name("v16int48", 0, &t) != TW_OK) puts(tw_error_message());
 *
 * Threads: a table and pure functions, for any number at once. */
#ifndef TILEWRIGHT_AIE_TYPES_PUBLIC_H
#define TILEWRIGHT_AIE_TYPES_PUBLIC_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_aie_kind { TW_AIE_INT = 0, TW_AIE_UINT = 1, TW_AIE_FLOAT = 2, TW_AIE_ACC = 3 } tw_aie_kind;

typedef enum tw_aie_use {
    TW_AIE_ARITHMETIC = 0, /* intrinsics work on it */
    TW_AIE_STORAGE = 1,    /* load, store, cast; lups and lsrs where docs/aie.md says so */
    TW_AIE_EXTRA_ONLY = 2, /* exists when TW_AIE_EXTRA is defined: later lane tables only */
    TW_AIE_ALIAS = 3       /* v8accfloat: another name of v8float */
} tw_aie_use;

typedef struct tw_aie_type {
    char name[16];
    char element[12]; /* "cint16", "acc48" */
    tw_aie_kind kind;
    tw_aie_use use;
    bool is_complex, is_scalar;
    unsigned lanes;          /* 1 for scalars */
    unsigned component_bits; /* of the real or the imaginary part */
    unsigned lane_bits;      /* both parts */
    unsigned payload_bits;   /* lanes * lane_bits */
    unsigned register_bits;  /* 384 or 768 for accumulators; 0 for types wider than the scalar registers alone */
    const char *registers;   /* "V (128 bits)", "AM (384 bits)"; static */
} tw_aie_type;

enum { TW_AIE_WITH_EXTRA = 1 }; /* accept the names that need TW_AIE_EXTRA */

/* Parses by the convention v{NumLanes}[c]{[u]int|float|acc}{SizeofElement}, and scalar names. TW_E_TYPE: the message
 * names the field that is wrong (lanes, c, u, kind, size) and what would be right. */
TW_API tw_status tw_aie_type_by_name(const char *name, unsigned flags, tw_aie_type *out);

/* Row `index` of the list of all types, scalars first; false past the end. */
TW_API bool tw_aie_type_get(size_t index, tw_aie_type *out);

#ifdef __cplusplus
}
#endif
#endif
