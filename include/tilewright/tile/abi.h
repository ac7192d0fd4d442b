/* SPDX-License-Identifier: MIT */
/* The C ABI of a tile (guide 2.3.4, 2.3.5, 10.1): where the members of a struct or union lie.
 *
 *     tw_abi_member m[] = { { "a", 1, 1, false, 0, 0, 0 }, { "b", 4, 4, true, 5, 0, 0 } };   // char a; int b : 5;
 *     tw_abi_record r;
 *     tw_abi_layout(m, 2, false, &r);               // r.size 4, r.align 4, m[1].offset 8 (bits)
 *
 * tw_abi_structs_read() does it for the structs of a C file, as `tilewright layout struct` prints them.
 *
 * Threads: calls are independent; structs that were read are not changed any more and may be shared. */
#ifndef TILEWRIGHT_TILE_ABI_H
#define TILEWRIGHT_TILE_ABI_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One member, in order of declaration. The caller fills in the first five, the layout the last two. */
typedef struct tw_abi_member {
    const char *name; /* "" = unnamed */
    uint32_t size;    /* bytes, of the declared type; 0 for a flexible array */
    uint32_t align;   /* bytes, a power of two */
    bool is_bit_field;
    uint32_t width;  /* of a bit-field, in bits; 0 closes the current unit */
    uint64_t offset; /* bits from the start */
    uint64_t bits;   /* taken */
} tw_abi_member;

typedef struct tw_abi_record {
    uint64_t size; /* bytes, tail padding included */
    uint32_t align;
} tw_abi_record;

/* TW_E_INVALID_ARGUMENT names the member: alignment not a power of two, bit-field wider than its type, named
 * bit-field of width 0; TW_E_OVERFLOW: more than 2^32 bytes. */
TW_API tw_status tw_abi_layout(tw_abi_member *members, size_t count, bool is_union, tw_abi_record *record);

/* Sign of a bit-field of `width` bits whose enum has values from `least` to `most` (guide 10.1.3). */
TW_API bool tw_abi_enum_field_is_signed(int64_t least, int64_t most, unsigned width);

/* --- the structs of a C file ---------------------------------------------------------------------------------- */

typedef struct tw_abi_struct {
    const char *name; /* "struct point", "vec (typedef)", "struct point::<anonymous>" */
    bool is_union;
    int line;
    tw_abi_record record;
    const tw_abi_member *members;
    const char *const *types; /* declared type of each member, as C text */
    const bool *is_signed;    /* of each member: a bit-field that is sign-extended */
    size_t count;
} tw_abi_struct;

typedef struct tw_abi_structs tw_abi_structs;

/* Lays out every struct and union that `path` itself defines. Needs clang 19; messages about the file go to `diags`
 * (may be NULL). TW_E_FILE_LOAD, TW_E_COMPILATION, TW_E_NO_ENVIRONMENT, or TW_E_NOT_SUPPORTED for attributes that
 * change layout. */
TW_API tw_abi_structs *tw_abi_structs_read(const char *path, const char *flags, tw_diags *diags);
TW_API void tw_abi_structs_free(tw_abi_structs *structs); /* NULL is fine */
TW_API size_t tw_abi_structs_count(const tw_abi_structs *structs);
TW_API const tw_abi_struct *tw_abi_structs_get(const tw_abi_structs *structs, size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
