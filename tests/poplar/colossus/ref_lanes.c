/* SPDX-License-Identifier: MIT */
/* Lanes of numbers, and conversions. */
#include "ref_parts.h"

/* --- lanes ------------------------------------------------------------------------------------------------------ */

static uint32_t two(ref_state *s, const char *op, uint32_t x, uint32_t y, bool to_half, bool *known)
{
    uint32_t magnitude = 0x7fffffff;
    if (!strcmp(op, "absadd")) return arithmetic(s, '+', x & magnitude, y & magnitude, to_half);
    if (!strcmp(op, "add")) return arithmetic(s, '+', x, y, to_half);
    if (!strcmp(op, "sub")) return arithmetic(s, '-', x, y, to_half);
    if (!strcmp(op, "mul")) return arithmetic(s, '*', x, y, to_half);
    bool absolute = !strcmp(op, "absmax"), larger = absolute || !strcmp(op, "max");
    if (larger || !strcmp(op, "min")) {
        uint32_t r = extreme(s, larger, absolute ? x & magnitude : x, absolute ? y & magnitude : y);
        return !to_half              ? r
               : is_nan32(r)         ? 0x7fff
               : isinf(ref_float(r)) ? (r >> 31 ? 0xfc00 : 0x7c00)
                                     : half_bits(ref_float(r));
    }
    *known = false;
    return 0;
}

bool ref_float_lanes(view *v, unsigned n, const char *op)
{
    ref_state *s = v->s;
    bool known = true;
    if (!strcmp(op, "class")) {
        uint32_t r = 0;
        for (unsigned i = 0; i < n; i++) {
            uint32_t x = word(v, 1, i);
            r |= classified(is_nan32(x), x >> 22 & 1, !is_nan32(x) && isinf(ref_float(x)), !(x << 1),
                            !(x & 0x7f800000), x >> 31)
                 << 8 * i;
        }
        return put(v, 0, 0, r), true;
    }
    for (unsigned i = 0; i < n; i++) {
        uint32_t x = kind(v, 1) ? word(v, 1, i) : 0, y = kind(v, 2) && kind(v, 2)->registers ? word(v, 2, i) : 0, r;
        if (!strncmp(op, "cmp", 3))
            r = compared(s, op + 3, x, y) ? 0xffffffff : 0;
        else if (!strcmp(op, "clamp"))
            r = extreme(s, false, extreme(s, true, x, reg(v, 2, 0)), reg(v, 2, 1));
        else if (!strcmp(op, "div"))
            r = divided(s, x, y);
        else if (v->row->count == 2) {
            r = unary(s, op, flushed(s, x), false, &known);
        } else
            r = two(s, op, x, y, false, &known);
        if (!known) return false;
        put(v, 0, i, r);
    }
    return true;
}

bool ref_half_lanes(view *v, unsigned n, const char *op)
{
    ref_state *s = v->s;
    bool known = true;
    uint32_t r = 0;
    if (!strcmp(op, "class")) {
        for (unsigned i = 0; i < n; i++) {
            uint32_t x = halfword(v, 1, i);
            r |= classified((x & 0x7fff) > 0x7c00, x >> 9 & 1, (x & 0x7fff) == 0x7c00, !(x & 0x7fff), !(x & 0x7c00),
                            x >> 15)
                 << 8 * i;
        }
        return put(v, 0, 0, r), true;
    }
    if (!strcmp(op, "sum")) {
        for (unsigned i = 0; i < n / 2; i++)
            put(v, 0, i,
                arithmetic(s, '+', widened(halfword(v, 1, 2 * i)), widened(halfword(v, 1, 2 * i + 1)), false));
        return true;
    }
    if (!strcmp(op, "maxc")) {
        for (unsigned i = 0; i < 2; i++)
            put_half(v, 0, i,
                     two(s, "max", widened(halfword(v, 1, n == 2 ? 0 : 2 * i)),
                         widened(halfword(v, 1, n == 2 ? 1 : 2 * i + 1)), true, &known));
        return true;
    }
    for (unsigned i = 0; i < n; i++) {
        uint32_t x = halfword(v, 1, i);
        if (v->row->count == 2) {
            r = unary(s, op, widened(x), true, &known);
        } else if (!strcmp(op, "clamp")) {
            uint32_t top = two(s, "max", widened(x), widened(reg(v, 2, 0) & 0xffff), true, &known);
            r = two(s, "min", widened(top), widened(reg(v, 2, 0) >> 16), true, &known);
        } else if (!strncmp(op, "cmp", 3)) {
            r = compared(s, op + 3, widened(x), widened(halfword(v, 2, i))) ? 0xffff : 0;
        } else {
            r = two(s, op, widened(x), widened(halfword(v, 2, i)), true, &known);
        }
        if (!known) return false;
        put_half(v, 0, i, r);
    }
    return true;
}

/* --- conversions ------------------------------------------------------------------------------------------------ */

static double integral(double v, unsigned mode)
{
    double down = floor(v), part = v - down;
    bool odd = fmod(down, 2) != 0;
    switch (mode) {
    case 1: return ceil(v);
    case 2: return down;
    case 3: return v < 0 ? ceil(v) : down;
    case 4: return part > 0.5 || (part == 0.5 && v > 0) ? down + 1 : down;
    default: return part > 0.5 || (part == 0.5 && odd) ? down + 1 : down;
    }
}
static uint32_t to_integer(ref_state *s, uint32_t x, double low, double high)
{
    double v = integral(ref_float(flushed(s, x)), mode_of(s));
    if (v >= low && v <= high) return (uint32_t)(int64_t)v;
    s->fp_sts |= INV;
    return isnan(v) ? 0 : (uint32_t)(int64_t)(v < low ? low : high);
}
static uint32_t to_quarter(ref_state *s, double v, unsigned format)
{
    double best = format & 1 ? 57344 : 240;
    int mant = format & 1 ? 2 : 3, bias = format & 1 ? 16 : 8;
    if (isnan(v)) return 0x80;
    double r = isinf(v) ? v : ref_round(ref_of(v), mant + 1, 1 - bias - mant, mode_of(s));
    if (fabs(r) > best) {
        s->fp_sts |= OFLO;
        if (s->fp_ctl >> 20 & 1) return 0x80;
        r = r < 0 ? -best : best;
    }
    for (uint32_t b = 0; b < 128; b++)
        if (quarter(b, format) == fabs(r)) return r < 0 ? b | 128 : b;
    return 0;
}

bool ref_conversion(view *v, const char *n)
{
    ref_state *s = v->s;
    if (!strcmp(n, "f16tof32") || !strcmp(n, "f16v2tof32")) {
        for (unsigned i = 0; i < (n[3] == 'v' ? 2u : 1u); i++) {
            uint32_t x = widened(halfword(v, 1, i));
            if (is_signalling(x)) s->fp_sts |= INV;
            put(v, 0, i, is_nan32(x) ? 0x7fffffff : x);
        }
    } else if (!strcmp(n, "f32tof16") || !strcmp(n, "f32v2tof16") || !strcmp(n, "f32v4tof16")) {
        unsigned lanes = n[3] == 'v' ? (unsigned)(n[4] - '0') : 1;
        for (unsigned i = 0; i < lanes; i++) put_half(v, 0, i, narrowed(s, word(v, 1, i)));
        if (lanes == 1) put_half(v, 0, 1, v->s->a[v->insn->operands[0] & 7] & 0xffff);
    } else if (!strcmp(n, "f32fromi32")) {
        put(v, 0, 0, single_of(s, (int32_t)word(v, 1, 0)));
    } else if (!strcmp(n, "f32fromui32")) {
        put(v, 0, 0, single_of(s, word(v, 1, 0)));
    } else if (!strcmp(n, "f32toi32")) {
        put(v, 0, 0, to_integer(s, word(v, 1, 0), -0x1p31, 0x1p31 - 1));
    } else if (!strcmp(n, "f32toui32")) {
        put(v, 0, 0, to_integer(s, word(v, 1, 0), 0, 0x1p32 - 1));
    } else if (!strcmp(n, "f32int")) {
        uint32_t x = flushed(s, word(v, 1, 0));
        if (is_nan32(x))
            s->fp_sts |= is_signalling(x) ? INV : 0, x = 0x7fffffff;
        else if (isfinite(ref_float(x))) {
            float r = (float)integral(ref_float(x), v->insn->operands[2]);
            x = r == 0 ? x & 0x80000000 : bits_of(r);
        }
        put(v, 0, 0, x);
    } else if (strstr(n, "sufromui")) {
        unsigned lanes = n[3] == 'v' ? (unsigned)(n[4] - '0') : 1;
        for (unsigned i = 0; i < lanes; i++)
            if (n[1] == '3')
                put(v, 0, i, single_of(s, ((double)word(v, 1, i) + 0.5) / 4294967296.0 - 0.5));
            else
                put_half(v, 0, i, half_of(s, (halfword(v, 1, i) + 0.5) / 65536.0 - 0.5));
    } else if (!strcmp(n, "f8v2tof16") || !strcmp(n, "f8v4tof16")) {
        for (unsigned i = 0; i < (unsigned)(n[3] - '0'); i++)
            put_half(v, 0, i, half_of(s, quarter(byte(word(v, 1, 0), i), s->nfmt) * scale6(s->scl)));
    } else if (!strcmp(n, "f16v2tof8") || !strcmp(n, "f16v8tof8")) {
        uint32_t r[2] = { 0 };
        for (unsigned i = 0; i < (unsigned)(n[4] - '0'); i++)
            r[i / 4] |= to_quarter(s, ref_half(halfword(v, 1, i)) * scale6(s->scl), s->nfmt) << 8 * (i & 3);
        put(v, 0, 0, r[0]);
        if (n[4] == '8') put(v, 0, 1, r[1]);
    } else if (!strcmp(n, "f8v4class")) {
        uint32_t r = 0;
        for (unsigned i = 0; i < 4; i++) {
            uint32_t b = byte(word(v, 1, 0), i);
            r |= classified(b == 128, true, false, !b, !((b & 127) >> (s->nfmt & 1 ? 2 : 3)), b >> 7) << 8 * i;
        }
        put(v, 0, 0, r);
    } else {
        return false;
    }
    return true;
}
