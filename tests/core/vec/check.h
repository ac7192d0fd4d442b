/* SPDX-License-Identifier: MIT */
/* check: what the tests of vec share. Random operands with the values that matter, buffers with guards around
 * them. */
#ifndef TW_TESTS_VEC_CHECK_H
#define TW_TESTS_VEC_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/vec/vec.h"

static const tw_type real_types[] = { TW_I8,  TW_U8,  TW_I16, TW_U16,  TW_I32, TW_U32,
                                      TW_I64, TW_U64, TW_F16, TW_BF16, TW_F32, TW_F64 };
enum { REAL_TYPES = sizeof real_types / sizeof *real_types };

/* xorshift64*: the same numbers everywhere. */
static uint64_t seed = 88172645463325252u;
static inline uint64_t random_bits(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(2685821657736338717);
}

/* One element: all bits random, a small integer, or the edges of the type. */
static inline void random_element(tw_type type, void *at)
{
    static const double edges[] = { 0, 1, 2, 3, 0.5, 1.5, 2.5, 65504, 65520, 3e38, 1e-40, 1e-5, 6e-8, 1e300 };
    uint64_t bits = random_bits(), r = random_bits();
    size_t size = tw_type_size(type);
    bool is_float = tw_type_get(type)->kind == TW_KIND_FLOAT;
    switch (r % 4) {
    case 0: memcpy(at, &bits, size); return;
    case 1: tw_type_store(type, at, (double)(int)(bits % 41) - 20); return;
    case 2:
        if (is_float) {
            double x = edges[bits % (sizeof edges / sizeof *edges)];
            tw_type_store(type, at, bits >> 40 & 1 ? -x : x);
        } else {
            uint64_t edge = (bits & 1 ? UINT64_C(1) << (8 * size - 1) : 0) - (bits >> 1 & 1);
            memcpy(at, &edge, size);
        }
        return;
    }
    if (is_float && (r >> 32) % 4 == 0) { /* infinity or NaN, also a signalling one */
        tw_type_store(type, at, (double)__builtin_inf());
        if (r >> 40 & 1) *(unsigned char *)at |= (unsigned char)bits;
        if (r >> 41 & 1) ((unsigned char *)at)[size - 1] ^= 0x80;
        return;
    }
    tw_type_store(type, at, ((double)(int64_t)bits) * 0x1p-56);
}

static inline void random_elements(tw_type type, size_t n, void *at)
{
    for (size_t i = 0; i < n; i++) random_element(type, (char *)at + i * tw_type_size(type));
}

static inline void print_bits(const char *what, const void *at, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size < 8 ? size : 8);
    print_message(" %s %0*llx", what, (int)(2 * size), (unsigned long long)bits);
}

#define OK(call)                                                                       \
    do {                                                                               \
        tw_status ok_ = (call);                                                        \
        if (ok_ != TW_OK) fail_msg("%s: %s", tw_status_name(ok_), tw_error_message()); \
    } while (0)

static const tw_window anywhere = { NULL, SIZE_MAX };

#endif
