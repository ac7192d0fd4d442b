/* SPDX-License-Identifier: MIT */
/* ref_values: codes as values, and elementwise rows by their formulas. See ref_cross.h. */
#include "pto/reference/ref_cross.h"

#include <math.h>
#include <string.h>

ref_matrix *ref_of(ref_call *call, char letter)
{
    for (unsigned i = 0; i < call->count; i++)
        if (call->o[i].letter == letter) return &call->o[i];
    return NULL;
}

/* --- values ----------------------------------------------------------------------------------------------------- */

double ref_real(tw_type type, uint64_t code)
{
    static double known[2][1 << 16];
    static bool filled;
    if (type == TW_F32) {
        uint32_t bits = (uint32_t)code;
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    for (uint32_t i = 0; !filled && i < 1 << 16; i++)
        known[0][i] = ref_decode(TW_F16, i), known[1][i] = ref_decode(TW_BF16, i);
    filled = true;
    return type == TW_F16    ? known[0][code & 0xffff]
           : type == TW_BF16 ? known[1][code & 0xffff]
                             : ref_decode(type, code);
}

/* To nearest, ties to even; overflow to infinity. The distance of numbers around a value follows from its exponent.
 * */
uint64_t ref_code(tw_type type, double x)
{
    if (type == TW_F32) {
        float f = (float)x;
        uint32_t bits;
        if (isnan(x)) return 0x7fc00000u;
        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
    if (type != TW_F16 && type != TW_BF16) return ref_encode(type, x, REF_EVEN, false);
    int mantissa = type == TW_F16 ? 10 : 7, least = type == TW_F16 ? -14 : -126, top = type == TW_F16 ? 15 : 127, e;
    uint64_t sign = signbit(x) ? 0x8000u : 0, infinity = (uint64_t)(2 * top + 1) << mantissa;
    if (isnan(x)) return infinity | UINT64_C(1) << (mantissa - 1);
    x = fabs(x);
    if (x == 0) return sign;
    if (isinf(x)) return sign | infinity;
    frexp(x, &e);
    int exponent = e - 1 < least ? least : e - 1;
    double steps = rint(ldexp(x, mantissa - exponent)); /* of the least difference there */
    uint64_t code = (uint64_t)steps + ((uint64_t)(exponent - least) << mantissa);
    return sign | (exponent > top || code > infinity ? infinity : code);
}

void ref_put_whole(tw_type type, uint64_t *at, uint64_t value)
{
    unsigned bits = ref_bits(type);
    *at = value & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
}

/* Codes of row r of an operand, one after the other: step 0 for a scalar, and for what is not there. */
typedef struct ref_line {
    const uint64_t *at;
    size_t step;
    tw_type type;
    unsigned drop; /* bits above an integer's */
    bool is_signed;
} ref_line;

static ref_line line_of(const ref_matrix *m, tw_type type, uint32_t r)
{
    static const uint64_t zero;
    if (!m) return (ref_line){ &zero, 0, type, 0, false };
    size_t first = m->letter == 's' ? 0 : (size_t)r * m->cols;
    return (ref_line){ m->at + first, m->letter != 's', m->type, 64 - ref_bits(m->type), ref_is_signed(m->type) };
}
static uint64_t next_whole(const ref_line *l, size_t k)
{
    uint64_t high = l->at[k * l->step] << l->drop;
    if (!l->is_signed || !(high >> 63)) return high >> l->drop;
    return ~(~high >> l->drop);
}
static double next_real(const ref_line *l, size_t k)
{
    return ref_real(l->type, l->at[k * l->step]);
}

void ref_lane(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd') ? ref_of(call, 'd') : ref_of(call, 'D'), *b = ref_of(call, 'b'),
               *s = ref_of(call, 's');
    tw_type type = ref_of(call, 'a')->type;
    bool real = ref_is_float(type);
    for (uint32_t r = 0; r < d->valid_rows; r++) {
        ref_line a = line_of(ref_of(call, 'a'), type, r), x = line_of(s ? s : b, type, r),
                 y = line_of(s && b ? b : ref_of(call, 'c'), type, r), old = line_of(d, type, r);
        uint64_t *to = d->at + (size_t)r * d->cols;
        for (size_t k = 0; k < d->valid_cols; k++) {
            if (real) {
                ref_reals v = {
                    type, d->type, next_real(&a, k), next_real(&x, k), next_real(&y, k), next_real(&old, k)
                };
                to[k] = ref_code(d->type, call->row->real(&v));
            } else {
                ref_wholes v = { type, next_whole(&a, k), next_whole(&x, k), next_whole(&y, k),
                                 next_whole(&old, k) };
                ref_put_whole(d->type, &to[k], call->row->whole(&v));
            }
        }
    }
}
