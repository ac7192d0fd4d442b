#include "ref_sim.h"

#include <math.h>
#include <string.h>

/* --- exact numbers ---------------------------------------------------------------------------------------------- */

ref_number ref_of(double v)
{
    int e;
    double f = frexp(v, &e);
    return (ref_number){ (__int128)ldexp(f, 53), e - 53 };
}

ref_number ref_mul(ref_number x, ref_number y)
{
    return (ref_number){ x.m * y.m, x.e + y.e };
}

/* Far smaller numbers only tell on which side of the larger one the sum lies. */
ref_number ref_add(ref_number x, ref_number y)
{
    if (!x.m || !y.m) return x.m ? x : y;
    if (x.e < y.e) {
        ref_number t = x;
        x = y, y = t;
    }
    if (x.e - y.e > 70) return (ref_number){ x.m * ((__int128)1 << 70) + (y.m < 0 ? -1 : 1), x.e - 70 };
    return (ref_number){ x.m * ((__int128)1 << (x.e - y.e)) + y.m, y.e };
}

double ref_round(ref_number n, int bits, int least, unsigned mode)
{
    bool negative = n.m < 0;
    unsigned __int128 m = (unsigned __int128)(negative ? -n.m : n.m), rest = 0, half = 0;
    int length = 0;
    for (unsigned __int128 t = m; t; t >>= 1) length++;
    int place = n.e + length - bits;
    if (place < least) place = least;
    int shift = place - n.e;
    if (shift > 126) shift = 126;
    if (shift > 0) {
        half = (unsigned __int128)1 << (shift - 1);
        rest = m & (2 * half - 1), m >>= shift;
        bool up = mode == 0   ? rest > half || (rest == half && (m & 1))
                  : mode == 1 ? rest && !negative
                  : mode == 2 ? rest && negative
                  : mode == 4 ? rest >= half
                              : false;
        m += up;
        n.e = place;
    }
    double v = ldexp((double)(uint64_t)(m >> 64), n.e + 64) + ldexp((double)(uint64_t)m, n.e);
    return negative ? -v : v;
}

float ref_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static uint32_t bits_of(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}
double ref_half(uint32_t h)
{
    int e = (int)(h >> 10 & 31), f = (int)(h & 1023);
    double v = e == 31 ? (f ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return h & 0x8000 ? -v : v;
}

uint64_t ref_random(uint64_t p[2])
{
    uint64_t a = p[0], b = p[1], x = a ^ b, c = a & b;
    uint64_t r = x ^ ((c << 1 | c >> 63) | (c << 2 | c >> 62));
    p[0] = (a << 55 | a >> 9) ^ x ^ (x << 14);
    p[1] = x << 36 | x >> 28;
    return r;
}

/* --- results ---------------------------------------------------------------------------------------------------- */

enum { INV = 1, DIV0 = 2, OFLO = 4 };

static unsigned mode_of(const ref_state *s)
{
    unsigned mode = s->fp_ctl >> 16 & 7;
    return mode > 4 ? 0 : mode;
}
static bool is_nan32(uint32_t b)
{
    return (b & 0x7fffffff) > 0x7f800000;
}
static bool is_signalling(uint32_t b)
{
    return is_nan32(b) && !(b >> 22 & 1);
}
static uint32_t flushed(const ref_state *s, uint32_t b)
{
    return !s->denormals && !(b & 0x7f800000) ? b & 0x80000000 : b;
}
static uint32_t widened(uint32_t h) /* the single with the same value, NaNs by kind */
{
    if ((h & 0x7fff) > 0x7c00) return (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13;
    return bits_of((float)ref_half(h));
}

static uint32_t single(ref_state *s, ref_number n, bool negative_zero)
{
    double wide = ref_round(n, 24, -10000, mode_of(s)), v = ref_round(n, 24, -149, mode_of(s));
    if (!n.m) return negative_zero ? 0x80000000 : 0;
    if (!s->denormals && fabs(wide) < 0x1p-126) return n.m < 0 ? 0x80000000 : 0;
    if (v == 0) return n.m < 0 ? 0x80000000 : 0;
    if (fabs(v) < 0x1p128) return bits_of((float)v);
    s->fp_sts |= OFLO;
    unsigned mode = mode_of(s);
    bool largest = mode == 3 || (mode == 1 && v < 0) || (mode == 2 && v > 0);
    return (v < 0 ? 0x80000000u : 0) | (largest ? 0x7f7fffffu : 0x7f800000u);
}

static uint32_t half_bits(double v) /* exact */
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    int e;
    if (a < 0x1p-14) return sign | (uint32_t)ldexp(a, 24);
    double f = frexp(a, &e);
    return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)ldexp(f, 11) & 1023);
}
static uint32_t half(ref_state *s, ref_number n, bool negative_zero)
{
    double v = ref_round(n, 11, -24, mode_of(s));
    if (!n.m) return negative_zero ? 0x8000 : 0;
    if (v == 0) return n.m < 0 ? 0x8000 : 0;
    if (fabs(v) < 65520) return half_bits(v);
    s->fp_sts |= OFLO;
    return s->fp_ctl >> 20 & 1 ? 0x7fff : n.m < 0 ? 0xfbff : 0x7bff;
}
/* A double in one rounding, as single or half. */
static uint32_t single_of(ref_state *s, double v)
{
    if (isnan(v)) return s->fp_sts |= INV, 0x7fffffff;
    if (isinf(v)) return v < 0 ? 0xff800000 : 0x7f800000;
    return single(s, ref_of(v), signbit(v));
}
static uint32_t half_of(ref_state *s, double v)
{
    if (isnan(v)) return 0x7fff;
    if (isinf(v)) return v < 0 ? 0xfc00 : 0x7c00;
    return half(s, ref_of(v), signbit(v));
}

/* --- two operands ----------------------------------------------------------------------------------------------- */

/* Operands are bits of singles, whether they began as such or as halves; NaN and infinity are settled here. */
static bool settled(ref_state *s, uint32_t x, uint32_t y, double plain, uint32_t *out)
{
    if (is_nan32(x) || is_nan32(y) || isnan(plain)) {
        if ((!is_nan32(x) && !is_nan32(y)) || is_signalling(x) || is_signalling(y)) s->fp_sts |= INV;
        *out = 0x7fffffff;
        return true;
    }
    if (!isinf(plain)) return false;
    *out = plain < 0 ? 0xff800000 : 0x7f800000;
    return true;
}

static uint32_t arithmetic(ref_state *s, char op, uint32_t x, uint32_t y, bool to_half)
{
    if (!to_half) x = flushed(s, x), y = flushed(s, y);
    if (op == '-') y ^= is_nan32(y) ? 0 : 0x80000000, op = '+';
    double a = ref_float(x), b = ref_float(y);
    uint32_t r;
    if (settled(s, x, y, op == '+' ? a + b : a * b, &r))
        return !to_half ? r : is_nan32(r) ? 0x7fff : r >> 31 ? 0xfc00 : 0x7c00;
    ref_number n = op == '+' ? ref_add(ref_of(a), ref_of(b)) : ref_mul(ref_of(a), ref_of(b));
    bool negative = op == '+' ? signbit(a) && signbit(b) : signbit(a) != signbit(b);
    return to_half ? half(s, n, negative) : single(s, n, negative);
}

static uint32_t extreme(ref_state *s, bool larger, uint32_t x, uint32_t y)
{
    x = flushed(s, x), y = flushed(s, y);
    if (is_signalling(x) || is_signalling(y)) s->fp_sts |= INV;
    if (is_nan32(x)) return is_nan32(y) ? 0x7fffffff : y;
    if (is_nan32(y)) return x;
    float a = ref_float(x), b = ref_float(y);
    if (a == b) return larger ? (signbit(a) ? y : x) : (signbit(a) ? x : y);
    return (a > b) == larger ? x : y;
}

static bool compared(ref_state *s, const char *op, uint32_t x, uint32_t y)
{
    if (is_signalling(x) || is_signalling(y)) s->fp_sts |= INV;
    float a = ref_float(flushed(s, x)), b = ref_float(flushed(s, y));
    return !strcmp(op, "eq")   ? a == b
           : !strcmp(op, "ne") ? !(a == b)
           : !strcmp(op, "gt") ? a > b
           : !strcmp(op, "ge") ? a >= b
           : !strcmp(op, "lt") ? a < b
                               : a <= b;
}

static uint32_t divided(ref_state *s, uint32_t x, uint32_t y)
{
    x = flushed(s, x), y = flushed(s, y);
    double a = ref_float(x), b = ref_float(y);
    uint32_t r;
    if (b == 0 && isfinite(a) && a != 0) s->fp_sts |= DIV0;
    if (settled(s, x, y, a / b, &r)) return r;
    if (a == 0 || isinf(b)) return signbit(a) != signbit(b) ? 0x80000000 : 0;
    ref_number n = ref_of(a), d = ref_of(b);
    __int128 top = n.m * ((__int128)1 << 70), q = top / d.m;
    q = q * 2 + (top % d.m ? (q < 0 || (q == 0 && (n.m < 0) != (d.m < 0)) ? -1 : 1) : 0);
    return single(s, (ref_number){ q, n.e - d.e - 71 }, false);
}

/* long double of the host is exact enough to tell how a result rounds, but for cases that do not turn up. */
static long double function_of(const char *op, long double v, bool *known)
{
    *known = true;
    if (!strcmp(op, "exp")) return expl(v);
    if (!strcmp(op, "exp2")) return exp2l(v);
    if (!strcmp(op, "ln")) return logl(v);
    if (!strcmp(op, "log2")) return log2l(v);
    if (!strcmp(op, "tanh")) return tanhl(v);
    if (!strcmp(op, "sigm")) return 1 / (1 + expl(-v));
    if (!strcmp(op, "sqrt")) return sqrtl(v);
    if (!strcmp(op, "oox")) return 1 / v;
    if (!strcmp(op, "oorx")) return 1 / sqrtl(v);
    *known = false;
    return 0;
}
static uint32_t unary(ref_state *s, const char *op, uint32_t x, bool to_half, bool *known)
{
    long double v = ref_float(x), r = function_of(op, is_nan32(x) ? 1 : v, known);
    uint32_t nan = to_half ? 0x7fff : 0x7fffffff;
    if (is_nan32(x)) return s->fp_sts |= is_signalling(x) ? INV : 0, nan;
    if (isnan(r)) return s->fp_sts |= INV, nan;
    if (isinf(r) && v == 0) s->fp_sts |= DIV0;
    if (isfinite(r) && fabsl(r) > 1e300L) r = r < 0 ? -1e300L : 1e300L; /* not more than a double holds */
    if (isinf(r) && isfinite(v) && v != 0) r = r < 0 ? -1e300L : 1e300L;
    if (r == 0 && v < 0 && isfinite(v)) r = 1e-300L; /* of an exponential */
    if (r != 0 && fabsl(r) < 1e-300L) r = r < 0 ? -1e-300L : 1e-300L;
    return to_half ? half_of(s, (double)r) : single_of(s, (double)r);
}

static uint32_t classified(bool nan, bool quiet, bool inf, bool zero, bool subnormal, bool negative)
{
    if (nan) return quiet ? 2 : 1;
    if (inf) return negative ? 4 : 3;
    if (zero) return negative ? 5 : 6;
    return subnormal ? (negative ? 7 : 8) : (negative ? 9 : 10);
}

/* --- operands --------------------------------------------------------------------------------------------------- */

typedef struct view {
    ref_state *s;
    const tw_insn *insn;
    const tw_isa_row *row;
    ref_state was;
} view;

static const tw_isa_operand *kind(const view *v, unsigned k)
{
    return k < v->row->count ? v->row->operands[k] : NULL;
}
static uint32_t reg(const view *v, unsigned k, unsigned i)
{
    unsigned n = v->insn->operands[k] + i;
    return kind(v, k)->file == TW_ISA_MRF ? v->was.m[n] : v->was.a[n];
}
static uint32_t word(const view *v, unsigned k, unsigned i)
{
    if (!kind(v, k)) return 0;
    if (!kind(v, k)->registers) return v->insn->operands[k];
    if (!strcmp(kind(v, k)->name, "AB")) i = 0;
    uint32_t w = reg(v, k, i);
    if (!strcmp(kind(v, k)->name, "ABL")) w = (w & 0xffff) * 0x10001;
    if (!strcmp(kind(v, k)->name, "ABU")) w = (w >> 16) * 0x10001;
    return w;
}
static uint32_t halfword(const view *v, unsigned k, unsigned i)
{
    bool broadcast = !strncmp(kind(v, k)->name, "AB", 2) && kind(v, k)->name[2];
    return word(v, k, broadcast ? 0 : i / 2) >> 16 * (i & 1) & 0xffff;
}
static void put(view *v, unsigned k, unsigned i, uint32_t value)
{
    unsigned n = v->insn->operands[k] + i;
    if (kind(v, k)->file == TW_ISA_MRF) {
        if (n < 12) v->s->m[n] = value;
    } else if (n < 8) {
        v->s->a[n] = value;
    }
}
static void put_half(view *v, unsigned k, unsigned i, uint32_t value)
{
    unsigned n = v->insn->operands[k] + i / 2;
    if (n < 8) v->s->a[n] = (v->s->a[n] & (i & 1 ? 0xffffu : 0xffff0000u)) | value << 16 * (i & 1);
}

/* --- integers --------------------------------------------------------------------------------------------------- */

static uint32_t byte(uint32_t v, unsigned i)
{
    return v >> 8 * i & 255;
}
static uint32_t bytes(uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3)
{
    return b0 | b1 << 8 | b2 << 16 | b3 << 24;
}

static bool integer(const char *n, uint32_t x, uint32_t y, uint32_t *out)
{
    int32_t a = (int32_t)x, b = (int32_t)y;
    uint64_t wide = x;
    uint32_t count = 0, same = 0, reversed = 0;
    for (unsigned i = 0; i < 32; i++) {
        count += x >> i & 1;
        reversed |= (x >> i & 1) << ((i & 24) | (7 - (i & 7)));
    }
    while (same < 31 && (x >> (30 - same) & 1) == x >> 31) same++;
    uint32_t zeros = 0;
    while (zeros < 32 && !(x >> (31 - zeros) & 1)) zeros++;
    const struct {
        const char *name;
        uint32_t value;
    } rows[] = {
        { "abs", x == 0x80000000 ? 0 : (uint32_t)(a < 0 ? -(int64_t)a : a) },
        { "add", x + y },
        { "sub", x - y },
        { "mul", (uint32_t)(wide * y) },
        { "and", x & y },
        { "andc", x & ~y },
        { "or", x | y },
        { "xor", x ^ y },
        { "xnor", ~(x ^ y) },
        { "not", ~x },
        { "min", (uint32_t)(a < b ? a : b) },
        { "max", (uint32_t)(a > b ? a : b) },
        { "cmpeq", x == y },
        { "cmpne", x != y },
        { "cmpslt", a < b },
        { "cmpult", x < y },
        { "shl", y > 31 ? 0 : (uint32_t)(wide << y) },
        { "shr", y > 31 ? 0 : x >> y },
        { "shrs", (uint32_t)((int64_t)a >> (y > 31 ? 31 : y)) },
        { "clz", zeros },
        { "cms", same },
        { "popc", count },
        { "bitrev8", reversed },
        { "setzi", x },
        { "atom", x },
        { "roll16", x >> 16 | (y & 0xffff) << 16 },
        { "sort4x16lo", (x & 0xffff) | (y & 0xffff) << 16 },
        { "sort4x16hi", x >> 16 | (y >> 16) << 16 },
        { "roll8l", bytes(byte(x, 3), byte(y, 0), byte(y, 1), byte(y, 2)) },
        { "roll8r", bytes(byte(x, 1), byte(x, 2), byte(x, 3), byte(y, 0)) },
        { "shuf8x8lo", bytes(byte(x, 0), byte(y, 0), byte(x, 1), byte(y, 1)) },
        { "shuf8x8hi", bytes(byte(x, 2), byte(y, 2), byte(x, 3), byte(y, 3)) },
        { "sort8x8lo", bytes(byte(x, 0), byte(x, 2), byte(y, 0), byte(y, 2)) },
        { "sort8x8hi", bytes(byte(x, 1), byte(x, 3), byte(y, 1), byte(y, 3)) },
        { "sort8", bytes(byte(x, 0), byte(x, 2), byte(x, 1), byte(x, 3)) },
        { "swap8", bytes(byte(x, 1), byte(x, 0), byte(x, 3), byte(x, 2)) },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, n)) return *out = rows[i].value, true;
    return false;
}

static bool pairs(view *v, const char *n)
{
    uint32_t x[2] = { 0 }, y[2] = { 0 }, r[2];
    for (unsigned i = 0; i < 2; i++) {
        if (!kind(v, 1) || kind(v, 1)->registers != 2) return false;
        x[i] = word(v, 1, i);
        if (kind(v, 2)) y[i] = word(v, 2, i);
    }
    if (!strcmp(n, "roll32"))
        r[0] = x[1], r[1] = y[0];
    else if (!strcmp(n, "sort4x32lo"))
        r[0] = x[0], r[1] = y[0];
    else if (!strcmp(n, "sort4x32hi"))
        r[0] = x[1], r[1] = y[1];
    else {
        char base[8];
        size_t length = strlen(n);
        if (length < 4 || length > 8 || strcmp(n + length - 2, "64")) return false;
        memcpy(base, n, length - 2), base[length - 2] = 0;
        for (unsigned i = 0; i < 2; i++)
            if (!integer(base, x[i], y[i], &r[i])) return false;
    }
    put(v, 0, 0, r[0]), put(v, 0, 1, r[1]);
    return true;
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static uint8_t *at(view *v, uint32_t address)
{
    static uint8_t nowhere[16];
    uint32_t offset = address - REF_WINDOW;
    return offset <= REF_WINDOW_BYTES - 16 ? &v->s->memory[offset] : nowhere;
}
static uint32_t load(view *v, uint32_t address, unsigned size)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < size && i < 4; i++) r |= (uint32_t)at(v, address)[i] << 8 * i;
    return r;
}
static void load_into(view *v, unsigned k, unsigned first, uint32_t address, unsigned size, const char *how)
{
    uint32_t x = load(v, address, size);
    if (size == 2 && !strncmp(how, "ldb", 3)) x *= 0x10001;
    if (size == 1 && !strncmp(how, "ldb", 3)) x *= 0x1010101;
    if (!strncmp(how, "lds", 3)) x = size == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
    put(v, k, first, x);
    for (unsigned i = 4; i < size; i += 4) put(v, k, first + i / 4, load(v, address + i, 4));
}
static void store_from(view *v, unsigned k, uint32_t address, unsigned size)
{
    for (unsigned i = 0; i < size; i++) at(v, address)[i] = (uint8_t)byte(reg(v, k, i / 4), i & 3);
}
static uint32_t stride(uint32_t s, unsigned selector, unsigned unit)
{
    int32_t f = selector ? (int32_t)(s >> 10 * (selector - 1) & 1023) : 0;
    return selector ? (uint32_t)((f > 511 ? f - 1024 : f) * (int32_t)unit) : unit;
}

static bool paced(view *v, const char *n)
{
    bool two = !strcmp(n, "ld2x64pace"), both = !strcmp(n, "ldst64pace"), all = !strcmp(n, "ld2xst64pace");
    bool store = !strcmp(n, "st64pace"), word32 = !strcmp(n, "ld64a32pace"), half16 = !strcmp(n, "ld64b16pace");
    if (!two && !both && !all && !store && !word32 && !half16) return false;
    unsigned k = store ? 1 : 2, unit = word32 ? 4 : half16 ? 2 : 8;
    uint32_t lo = reg(v, k, 0), hi = reg(v, k, 1), s = word(v, k + 1, 0),
             sel = v->insn->operands[v->row->count - 1];
    uint32_t p0 = lo & 0x1fffff, p1 = hi & 0x1fffff, p2 = lo >> 21 | (hi >> 21 & 0x3ff) << 11;
    unsigned next = store ? 0 : 2;
    if (!store) load_into(v, 0, 0, p0, 8, ""), p0 += stride(s, sel & 3, 8);
    if (two || all || word32 || half16) {
        load_into(v, all ? 0 : 1, all ? 2 : 0, p1, unit, half16 ? "ldb" : "");
        p1 += stride(s, sel >> next & 3, unit), next += 2;
    }
    if (both || all || store) {
        if (all || both) /* what the load wrote must not be what is stored: operands are of the state before */
            store_from(v, 1, p2, 8);
        else
            store_from(v, 0, p2, 8);
        p2 += stride(s, sel >> next & 3, 8);
    }
    put(v, k, 0, (p0 & 0x1fffff) | p2 << 21);
    put(v, k, 1, (p1 & 0x1fffff) | (p2 >> 11 & 0x3ff) << 21 | (hi & 0x80000000));
    return true;
}

static bool sparse(view *v, const char *n)
{
    if (!strcmp(n, "ld64a32")) {
        uint32_t a = word(v, 1, 0), b = word(v, 2, 0) + (word(v, 3, 0) & 0xffff);
        load_into(v, 0, 2, a, 8, ""), load_into(v, 0, 1, b, 4, "");
        put(v, 1, 0, a + 8);
    } else if (!strcmp(n, "ldb16b16")) {
        uint32_t base = word(v, 1, 0), d = word(v, 2, 0), mini = word(v, 3, 0);
        put(v, 3, 0, mini >> 4);
        put(v, 2, 0, ((d + 2) & 0xffff) | ((d >> 16) + 2 * (mini & 15)) << 16);
        load_into(v, 0, 0, base + (d & 0xffff), 2, "ldb"), load_into(v, 0, 1, base + (d >> 16), 2, "ldb");
    } else if (!strncmp(n, "ldd16", 5)) {
        bool v2 = !strcmp(n, "ldd16v2a32");
        uint32_t a = word(v, 1, 0), d = word(v, 3, 0), base = word(v, 2, 0) + (v2 ? d >> 16 : d & 0xffff);
        put(v, 3, 0, load(v, a, v2 ? 4 : 2));
        put(v, 1, 0, a + (v2 ? 4 : 2));
        load_into(v, 0, 0, base,
                  !strcmp(n, "ldd16a64")   ? 8
                  : !strcmp(n, "ldd16b16") ? 2
                                           : 4,
                  !strcmp(n, "ldd16b16") ? "ldb" : "");
    } else {
        return false;
    }
    return true;
}

static bool memory(view *v, const char *n)
{
    if (!strcmp(n, "tapack")) {
        uint32_t p0 = word(v, 1, 0), p1 = word(v, 2, 0), p2 = word(v, 3, 0);
        put(v, 0, 0, (p0 & 0x1fffff) | p2 << 21);
        put(v, 0, 1, (p1 & 0x1fffff) | (p2 >> 11 & 0x3ff) << 21);
        return true;
    }
    if (!v->row->accesses[0]) return false;
    if (paced(v, n) || sparse(v, n)) return true;
    unsigned size = v->row->accesses[0] & 31;
    bool store = v->row->accesses[0] & TW_ISA_STORE, steps = strstr(n, "step");
    uint32_t address, moved = 0;
    unsigned pointer = !strncmp(n, "stm", 3) ? 1 : 2;
    if (!strcmp(n, "stm32"))
        address = word(v, 1, 0) + 4 * word(v, 2, 0);
    else if (!strcmp(n, "stm32step"))
        address = word(v, 1, 0), moved = address + 4 * word(v, 2, 0);
    else if (steps)
        address = word(v, 1, 0) + word(v, 2, 0), moved = word(v, 2, 0) + size * word(v, 3, 0);
    else
        address = word(v, 1, 0) + word(v, 2, 0) + size * word(v, 3, 0);
    if (store) store_from(v, 0, address, size);
    if (steps) put(v, pointer, 0, moved);
    if (!store) load_into(v, 0, 0, address, size, n);
    return true;
}

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

static bool float_lanes(view *v, unsigned n, const char *op)
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

static bool half_lanes(view *v, unsigned n, const char *op)
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

static uint32_t narrowed(ref_state *s, uint32_t x)
{
    if (is_nan32(x)) return s->fp_sts |= is_signalling(x) ? INV : 0, 0x7fff;
    return half_of(s, ref_float(flushed(s, x)));
}
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
static double quarter(uint32_t b, unsigned format)
{
    unsigned mant = format & 1 ? 2 : 3;
    int bias = format & 1 ? 16 : 8, e = (int)((b & 127) >> mant), f = (int)(b & ((1u << mant) - 1));
    if (b == 0x80) return (double)NAN;
    double v = e ? ldexp((1 << mant) + f, e - bias - (int)mant) : ldexp(f, 1 - bias - (int)mant);
    return b & 128 ? -v : v;
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
static double scale6(uint32_t v)
{
    int n = (int)(v & 63);
    return ldexp(1, n > 31 ? n - 64 : n);
}

static bool conversion(view *v, const char *n)
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

/* --- accumulators ----------------------------------------------------------------------------------------------- */

static double f(ref_state *s, uint32_t bits)
{
    return ref_float(flushed(s, bits));
}
static void accumulate(view *v, unsigned k, double value)
{
    v->s->e[k] = ref_float(single_of(v->s, (double)v->was.e[k] + value));
}

static bool accumulators(view *v, const char *n)
{
    ref_state *s = v->s;
    bool of_half = n[1] == '1';
    unsigned lanes = n[3] == 'v' ? (unsigned)(n[4] - '0') : 1;
    const char *op = n[3] == 'v' ? n + 5 : n + 3;
    if (!strcmp(op, "acc") || !strcmp(op, "absacc") || !strcmp(op, "sqacc")) {
        for (unsigned k = 0; k < lanes; k++) {
            double x = of_half ? ref_half(halfword(v, 0, k)) : f(s, word(v, 0, k));
            accumulate(v, k, op[0] == 'a' && op[1] == 'b' ? fabs(x) : op[0] == 's' ? x * x : x);
        }
    } else if (!strcmp(op, "mac")) {
        for (unsigned k = 0; k < lanes; k++) accumulate(v, k, f(s, word(v, 0, k)) * f(s, word(v, 1, k)));
    } else if (!strcmp(op, "cmac")) {
        for (unsigned k = 0; k < lanes / 2; k++)
            accumulate(v, k,
                       ref_half(halfword(v, 0, 2 * k)) * ref_half(halfword(v, 1, 2 * k)) +
                           ref_half(halfword(v, 0, 2 * k + 1)) * ref_half(halfword(v, 1, 2 * k + 1)));
    } else if (!strcmp(op, "aop")) {
        for (unsigned k = 0; k < 4; k++) accumulate(v, k, f(s, word(v, 0, k % 2)) * f(s, word(v, 1, k / 2)));
    } else if (!strcmp(op, "axpy")) {
        for (unsigned k = 0; k < 2; k++) {
            put(v, 0, k, bits_of(v->was.e[k]));
            s->e[k] = ref_float(single_of(s, f(s, s->tas) * f(s, word(v, 1, k)) + f(s, word(v, 2, k))));
        }
    } else if (!strcmp(op, "mix") || !strcmp(op, "gacc")) {
        for (unsigned k = 0; k < 4; k++) put_half(v, 0, k, narrowed(s, bits_of(v->was.e[k])));
        for (unsigned k = 0; k < 4 && op[0] == 'm'; k++)
            s->e[k] = ref_float(single_of(s, ref_half(s->tas & 0xffff) * ref_half(halfword(v, 1, k)) +
                                                 ref_half(s->tas >> 16) * ref_half(halfword(v, 2, k))));
    } else if (!strcmp(op, "gina")) {
        uint32_t i = v->insn->operands[2] & 3;
        float *c = (i & 1 ? s->o : s->e) + (i & 2 ? 8 : 0);
        for (unsigned k = 0; k < 2; k++) {
            if (of_half)
                put_half(v, 0, k, narrowed(s, bits_of(c[k])));
            else
                put(v, 0, k, bits_of(c[k]));
        }
        for (unsigned k = 0; k < 6; k++) c[k] = c[k + 2];
        for (unsigned k = 0; k < 2; k++) c[6 + k] = ref_float(of_half ? widened(halfword(v, 1, k)) : word(v, 1, k));
    } else if (!strcmp(op, "stacc") || !strcmp(op, "istacc")) {
        uint32_t phase = v->insn->operands[v->row->count - 1] & 1;
        if (op[0] == 's' && !phase)
            for (unsigned k = 0; k < 8; k++) s->o[k] = s->e[k];
        for (unsigned k = 0; k < 2; k++) put(v, 0, k, bits_of(s->o[k]));
        for (unsigned k = 0; k < 8; k++) s->o[k] = k < 6 ? s->o[k + 2] : 0;
        for (unsigned j = 0; j < 4 && op[0] == 'i'; j++)
            s->e[2 * j + phase] = ref_float(halfword(v, 1, j) | halfword(v, 2, j) << 16);
    } else {
        return false;
    }
    return true;
}

/* --- AMP and SLIC: the pseudo-code of the specification --------------------------------------------------------- */

static double dot4(const view *v, unsigned unit, unsigned group)
{
    uint64_t w = v->s->weights[4 * unit + group];
    double p[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = ref_half(halfword(v, 1, i)) * ref_half((uint32_t)(w >> 16 * i) & 0xffff);
    return ((p[0] + p[1]) + p[2]) + p[3];
}
static double dot8(const view *v, unsigned unit, unsigned group)
{
    uint64_t w = v->s->weights[4 * unit + group];
    double sum = 0;
    for (unsigned i = 0; i < 8; i++)
        sum += quarter(byte(word(v, 1, i / 4), i & 3), v->s->infmt >> 1) *
               quarter((uint32_t)(w >> 8 * i) & 255, v->s->infmt);
    return sum * scale6(v->s->iscl);
}
static double product(const view *v, unsigned unit, unsigned phase)
{
    uint64_t w = v->s->weights[4 * unit + phase / 2];
    return f(v->s, word(v, 1, 0)) * f(v->s, (uint32_t)(w >> 32 * (phase & 1)));
}

static bool matrix(view *v, const char *n)
{
    ref_state *s = v->s;
    bool amp = strstr(n, "amp") && !strstr(n, "clamp"), eight = n[1] == '8', single_inputs = n[1] == '3';
    if (!amp && !strstr(n, "slic")) return false;
    unsigned sets = strstr(n, "v4amp") || strstr(n, "v2amp") || strstr(n, "v4slic") || strstr(n, "v2slic") ? 2 : 1;
    bool in_half = strstr(n, "hi"), out_half = strstr(n, "ho");
    uint32_t imm = v->insn->operands[3];
    for (unsigned set = 0; set < sets; set++) {
        float *e = s->e + 8 * set, *o = s->o + 8 * set;
        const float *was_e = v->was.e + 8 * set, *was_o = v->was.o + 8 * set;
        unsigned partial = single_inputs ? 0 : 2 * set;
        float p[2], d[2];
        for (unsigned i = 0; i < 2; i++)
            p[i] = ref_float(in_half ? widened(halfword(v, 2, partial + i)) : word(v, 2, partial + i));
        bool moves = true;
        if (amp) {
            unsigned j = imm & 7, engines = (imm >> 3 & 3) == 0 ? 4 : (imm >> 3 & 3) == 1 ? 2 : 1;
            for (unsigned k = 0; k < 2 * engines; k++) {
                double sum = eight           ? dot8(v, 8 * set + k, j & 3)
                             : single_inputs ? product(v, 8 * set + k, j)
                                             : dot4(v, 8 * set + k, j & 3);
                e[k] = ref_float(single_of(s, (double)(j ? was_e : was_o)[k] + sum));
                if (!j) o[k] = was_e[k];
            }
            d[0] = o[0], d[1] = o[1];
            if (single_inputs) moves = sets == 2 ? (j & 1) == set : !(j & 1);
            if (moves) {
                for (unsigned k = 0; k + 2 < 2 * engines; k++) o[k] = o[k + 2];
                o[2 * engines - 2] = p[0], o[2 * engines - 1] = p[1];
            }
        } else {
            unsigned last = imm & 4 ? 6 : 8, bank = imm & 3;
            d[0] = was_e[0], d[1] = was_e[1];
            for (unsigned k = 0; k < last; k++) {
                double sum = eight ? dot8(v, 8 * set + k, bank) : dot4(v, 8 * set + k, bank);
                e[k] = ref_float(
                    single_of(s, (k + 2 < last ? (double)was_e[k + 2] : f(s, bits_of(p[k + 2 - last]))) + sum));
            }
        }
        for (unsigned i = 0; i < 2; i++) {
            if (out_half)
                put_half(v, 0, 2 * set + i, narrowed(s, bits_of(d[i])));
            else if (moves)
                put(v, 0, i, bits_of(d[i]));
            else if (sets == 1)
                put(v, 0, i, 0);
        }
    }
    if (single_inputs) s->tas = word(v, 1, 0);
    return true;
}

/* f32 SLIC: the project's own definition (docs/colossus.md). */
static bool single_slic(view *v, const char *n)
{
    if (strcmp(n, "f32sisoslic") && strcmp(n, "f32sisov2slic")) return false;
    ref_state *s = v->s;
    unsigned sets = strstr(n, "v2") ? 2 : 1;
    uint32_t imm = v->insn->operands[3], second = imm >> 3 & 1, last = imm & 4 ? 6 : 8;
    float p[2] = { ref_float(flushed(s, word(v, 2, 0))), ref_float(flushed(s, word(v, 2, 1))) };
    for (unsigned set = 0; set < sets; set++) {
        for (unsigned k = 0; k < last; k++) {
            float from = v->was.e[8 * set + k];
            bool here = set == second; /* which set's partial sums this instruction brings */
            if (!second) from = k + 2 < last ? v->was.e[8 * set + k + 2] : here ? p[k + 2 - last] : 0;
            if (second && here && k + 2 >= last) from += p[k + 2 - last];
            s->e[8 * set + k] =
                ref_float(single_of(s, (double)from + product(v, 8 * set + k, 2 * (imm & 3) + second)));
        }
    }
    for (unsigned i = 0; i < 2; i++)
        put(v, 0, i, second ? (sets == 2 ? bits_of(v->was.o[8 + i]) : 0) : bits_of(v->was.e[i]));
    if (!second && sets == 2) s->o[8] = v->was.e[8], s->o[9] = v->was.e[9];
    s->tas = word(v, 1, 0);
    return true;
}

/* --- random numbers --------------------------------------------------------------------------------------------- */

static bool random_numbers(view *v, const char *n)
{
    ref_state *s = v->s;
    if (!strcmp(n, "urand32") || !strcmp(n, "urand64")) {
        uint64_t r = ref_random(s->prng);
        put(v, 0, 0, (uint32_t)r);
        if (n[5] == '6') put(v, 0, 1, (uint32_t)(r >> 32));
    } else if (!strcmp(n, "f16v2grand") || !strcmp(n, "f32v2grand")) {
        for (unsigned i = 0; i < 2; i++) {
            uint64_t r = ref_random(s->prng);
            double sum = -186;
            for (unsigned k = 0; k < 12; k++, r /= 32) sum += (double)(r % 32);
            if (n[1] == '1')
                put_half(v, 0, i, half_of(s, sum / 32));
            else
                put(v, 0, i, bits_of((float)(sum / 32)));
        }
    } else if (!strcmp(n, "f16v4rmask") || !strcmp(n, "f32v2rmask")) {
        uint64_t r = ref_random(s->prng);
        uint32_t p = word(v, 2, 0);
        for (unsigned i = 0; i < (n[1] == '1' ? 4u : 2u); i++, r >>= 16) {
            bool keep = (p & 0x10000) || (r & 0xffff) < (p & 0xffff);
            if (n[1] == '1')
                put_half(v, 0, i, keep ? halfword(v, 1, i) : 0);
            else
                put(v, 0, i, keep ? word(v, 1, i) : 0);
        }
    } else {
        return false;
    }
    return true;
}

bool ref_execute(ref_state *s, const tw_insn *insn)
{
    view v = { .s = s, .insn = insn, .row = tw_isa_get(insn->row), .was = *s };
    const char *n = v.row->name;
    uint32_t r;
    if (!strcmp(n, "movz")) {
        if (word(&v, 1, 0)) put(&v, 0, 0, word(&v, 2, 0));
        return true;
    }
    if (memory(&v, n) || single_slic(&v, n) || matrix(&v, n) || random_numbers(&v, n)) return true;
    if (*n == 'f' && (conversion(&v, n) || accumulators(&v, n))) return true;
    if (*n == 'f') {
        unsigned lanes = n[3] == 'v' ? (unsigned)(n[4] - '0') : 1;
        const char *op = n[3] == 'v' ? n + 5 : n + 3;
        return n[1] == '3' ? float_lanes(&v, lanes, op) : half_lanes(&v, lanes, op);
    }
    if (pairs(&v, n)) return true;
    if (!integer(n, word(&v, 1, 0), word(&v, 2, 0), &r)) return false;
    put(&v, 0, 0, r);
    return true;
}
