/* SPDX-License-Identifier: MIT */
/* Literals: integers in four bases, characters, reals, half-precision patterns (1.0h). */
#include "poplar/colossus/asm/asm.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include <tilewright/type.h>

/* Length of a decimal real without its sign; 0 when the text is an integer. */
static size_t real_length(const char *p)
{
    size_t n = 0;
    while (isdigit((unsigned char)p[n])) n++;
    bool real = false;
    if (p[n] == '.') { /* "1." is a real as well, but not "1..2" */
        real = true;
        for (n++; isdigit((unsigned char)p[n]);) n++;
    }
    if (p[n] == 'e' || p[n] == 'E') {
        size_t e = n + 1;
        if (p[e] == '+' || p[e] == '-') e++;
        if (isdigit((unsigned char)p[e])) {
            for (real = true; isdigit((unsigned char)p[e]);) e++;
            n = e;
        }
    }
    return real || p[n] == 'h' ? n : 0;
}

static uint16_t half_bits(double x)
{
    _Float16 h = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    return bits;
}

static bool read_character(tw__asm *as, value *out)
{
    const char *start = as->top->at, *p = start + 1;
    int c = (unsigned char)*p;
    if (c == 0 || c == '\n') {
        fail_at(as, tw__asm_place_at(as, start, 1), "a character is missing after the quote");
        return false;
    }
    p++;
    if (c == '\\') {
        static const char names[] = "btnfr0\\'\"", values[] = "\b\t\n\f\r\0\\'\"";
        const char *found = *p ? strchr(names, *p) : NULL;
        if (found) c = (unsigned char)values[found - names], p++;
    }
    if (*p == '\'') p++;
    as->top->at = p;
    *out = tw__asm_constant(c);
    return true;
}

bool tw__asm_read_number(tw__asm *as, value *out)
{
    const char *start = as->top->at, *p = start;
    if (*p == '\'') return read_character(as, out);
    size_t real = real_length(p);
    if (real) {
        double x = g_ascii_strtod(p, NULL);
        bool half = p[real] == 'h';
        as->top->at = p + real + half;
        *out = tw__asm_constant(half ? half_bits(x) : 0);
        out->real = !half;
        if (half && isinf((float)(_Float16)x))
            fail_at(as, tw__asm_place_at(as, start, real + 1),
                    "%.*s is too large for half precision; the largest is 65504h", (int)real, p);
        return true;
    }
    unsigned base = 10;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        base = 16, p += 2;
    else if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B') && (p[2] == '0' || p[2] == '1'))
        base = 2, p += 2;
    else if (p[0] == '0' && isdigit((unsigned char)p[1]))
        base = 8, p++;
    uint64_t total = 0;
    const char *digits = p;
    bool fits = true;
    for (; isxdigit((unsigned char)*p); p++) {
        unsigned d = (unsigned)g_ascii_xdigit_value(*p);
        if (d >= base) break;
        fits = fits && !__builtin_mul_overflow(total, (uint64_t)base, &total) &&
               !__builtin_add_overflow(total, (uint64_t)d, &total);
    }
    size_t rest = 0;
    while (p[rest] && strchr("uUlL", p[rest])) rest++; /* constants of C headers */
    bool bad = p == digits || isalnum((unsigned char)p[rest]) || p[rest] == '_';
    p += rest;
    if (bad || !fits) {
        while (isalnum((unsigned char)*p) || *p == '_' || *p == '.') p++;
        as->top->at = p;
        fail_at(as, tw__asm_place_at(as, start, (size_t)(p - start)), "%s: '%.*s'",
                bad ? "not a number" : "the number does not fit 64 bits", (int)(p - start), start);
        return false;
    }
    as->top->at = p;
    *out = tw__asm_constant((int64_t)total);
    return true;
}

bool tw__asm_read_real(tw__asm *as, double *out)
{
    tw__asm_skip_blanks(as);
    const char *start = as->top->at, *p = start;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (p[0] == '0' && (p[1] == 'f' || p[1] == 'F' || p[1] == 'd' || p[1] == 'D')) { /* 0f-1.5 as in GNU as */
        p += 2;
        negative ^= *p == '-';
        if (*p == '-' || *p == '+') p++;
    }
    static const struct {
        const char *name;
        double value;
    } names[] = { { "infinity", INFINITY }, { "inf", INFINITY }, { "nan", NAN } };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        size_t n = strlen(names[i].name);
        if (g_ascii_strncasecmp(p, names[i].name, n) != 0 || tw__asm_identifier_length(p + n)) continue;
        as->top->at = p + n;
        *out = negative ? -names[i].value : names[i].value;
        return true;
    }
    char *end;
    if (!isdigit((unsigned char)*p) && *p != '.') {
        fail_at(as, tw__asm_place_at(as, start, 1), "expected a real number");
        return false;
    }
    double x = g_ascii_strtod(p, &end);
    as->top->at = end;
    *out = negative ? -x : x;
    return true;
}
