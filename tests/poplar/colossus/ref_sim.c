/* SPDX-License-Identifier: MIT */
#include "ref_parts.h"

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

/* --- integers --------------------------------------------------------------------------------------------------- */

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

bool ref_execute(ref_state *s, const tw_insn *insn)
{
    view v = { .s = s, .insn = insn, .row = tw_isa_get(insn->row), .was = *s };
    const char *n = v.row->name;
    uint32_t r;
    if (!strcmp(n, "movz")) {
        if (word(&v, 1, 0)) put(&v, 0, 0, word(&v, 2, 0));
        return true;
    }
    if (memory(&v, n) || ref_single_slic(&v, n) || ref_matrix(&v, n) || ref_random_numbers(&v, n)) return true;
    if (*n == 'f' && (ref_conversion(&v, n) || ref_accumulators(&v, n))) return true;
    if (*n == 'f') {
        unsigned lanes = n[3] == 'v' ? (unsigned)(n[4] - '0') : 1;
        const char *op = n[3] == 'v' ? n + 5 : n + 3;
        return n[1] == '3' ? ref_float_lanes(&v, lanes, op) : ref_half_lanes(&v, lanes, op);
    }
    if (pairs(&v, n)) return true;
    if (!integer(n, word(&v, 1, 0), word(&v, 2, 0), &r)) return false;
    put(&v, 0, 0, r);
    return true;
}
