/* SPDX-License-Identifier: MIT */
/* ref_masks: predicates as bits and selection by them: one bit per element, least significant first,
 * every row starts a new word of 8 or 32 bits. */
#include "pto/reference/ref_tables.h"

#include <string.h>

static bool less(tw_type type, uint64_t a, uint64_t b)
{
    if (ref_is_float(type)) return ref_real(type, a) < ref_real(type, b);
    return ref_is_signed(type) ? ref_integer(type, a) < ref_integer(type, b) : a < b;
}
static bool equal(tw_type type, uint64_t a, uint64_t b)
{
    return ref_is_float(type) ? ref_real(type, a) == ref_real(type, b) : a == b;
}

static bool holds(tw_type type, int32_t mode, uint64_t a, uint64_t b)
{
    switch (mode) {
    case TW_PTO_CMP_EQ: return equal(type, a, b);
    case TW_PTO_CMP_NE: return !equal(type, a, b);
    case TW_PTO_CMP_LT: return less(type, a, b);
    case TW_PTO_CMP_LE: return less(type, a, b) || equal(type, a, b);
    case TW_PTO_CMP_GT: return less(type, b, a);
    default: return less(type, b, a) || equal(type, a, b);
    }
}

/* Words of a type for a row of bits. */
static void mask_of(ref_matrix *m, tw_type type)
{
    m->type = type;
    m->cols = m->valid_cols = type == TW_U16 ? 16 : type == TW_U8 ? 32 : 8;
    m->valid_rows = m->rows;
    m->layouts = REF_ROWS_ONLY;
}

/* Variants: seven modes (the last is none) with words of 8, 32 and (no mask) 16 bits. */
static void plan_compare(ref_call *call)
{
    static const tw_type words[] = { TW_U8, TW_U32, TW_U16 };
    ref_matrix *b = ref_of(call, 'b');
    tw_type word = words[call->variant / 7];
    mask_of(ref_of(call, 'd'), word);
    call->attrs.cmp = (int32_t)(call->variant % 7);
    call->illegal = call->attrs.cmp > TW_PTO_CMP_GE || word == TW_U16 ||
                    (call->target == TW_PTO_A2A3 && word == TW_U32) ||
                    (call->target == TW_PTO_A5 && word == TW_U8) ||
                    (call->target == TW_PTO_A2A3 && call->type == TW_I32 && call->attrs.cmp != TW_PTO_CMP_EQ);
    if (b && strcmp(call->row->name, "TCMPS_TILE") == 0) b->valid_rows = b->valid_cols = 1;
}
/* The whole mask is cleared; the domain is the source's. */
static void compare(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *s = ref_of(call, 's');
    bool one = strcmp(call->row->name, "TCMPS_TILE") == 0;
    unsigned bits = ref_bits(d->type);
    for (size_t i = 0; i < (size_t)d->rows * d->cols; i++) d->at[i] = 0;
    for (uint32_t r = 0; r < a->valid_rows; r++)
        for (uint32_t c = 0; c < a->valid_cols; c++) {
            uint64_t other = s ? *s->at : one ? REF_AT(b, 0, 0) : REF_AT(b, r, c);
            if (holds(a->type, call->attrs.cmp, REF_AT(a, r, c), other))
                REF_AT(d, r, c / bits) |= UINT64_C(1) << c % bits;
        }
}

static void plan_select(ref_call *call)
{
    mask_of(ref_of(call, 'm'), call->variant ? TW_U32 : TW_U8);
    if (ref_of(call, 'b')) ref_of(call, 't')->type = TW_U32;
}
static void choose(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *m = ref_of(call, 'm'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b');
    unsigned bits = ref_bits(m->type);
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            bool take = REF_AT(m, r, c / bits) >> c % bits & 1;
            REF_AT(d, r, c) = take ? REF_AT(a, r, c) : b ? REF_AT(b, r, c) : *ref_of(call, 's')->at;
        }
}

#define COMPARE .variants = 21, .thin = 4, .plan = plan_compare, .reference = compare
#define SELECT  .variants = 2, .plan = plan_select, .reference = choose

// clang-format off
const ref_row ref_mask_rows[] = {
    { .name = "TCMP", .a2a3 = T(I32) | F, .a5 = A5, COMPARE },
    { .name = "TCMPS", .a2a3 = T(I16) | T(U16) | T(I32) | F, .a5 = A5, COMPARE },
    { .name = "TCMPS_TILE", .a2a3 = T(I16) | T(U16) | T(I32) | F, .a5 = A5, COMPARE },
    { .name = "TSEL", .a2a3 = W24, .a5 = A5, SELECT },
    { .name = "TSELS", .a2a3 = W24, .a5 = A5 & ~T(BF16), SELECT },
};
// clang-format on
const size_t ref_mask_count = sizeof ref_mask_rows / sizeof *ref_mask_rows;
