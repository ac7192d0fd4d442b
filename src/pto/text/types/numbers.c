/* SPDX-License-Identifier: MIT */
/* numbers: what the spelling of a number means, by its type. */
#include "pto/text/types/types.h"

#include <errno.h>

/* Digits of an integer in base 10 or 16: a leading zero does not make it octal. */
static bool magnitude(const char *text, uint64_t *value)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    *value = g_ascii_strtoull(text + (hex ? 2 : 0), &end, hex ? 16 : 10);
    return *end == 0 && end > text && errno == 0;
}

static bool misfit(const char *text, tw_type type)
{
    tw__fail(TW_E_PARSE, "%s does not fit %s", text, tw_type_name(type, TW_SYSTEM_PTO));
    return false;
}

/* Rounding leaves the number where it was: not infinite or NaN, not the largest value of a type that has neither (4
 * bits). What is below the smallest value is rounded as it always is. */
static bool fits(tw_type type, double number)
{
    const tw_convert_mode mode = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
    double value = 0;
    uint64_t bits = 0;
    if (!tw_convert(type, &bits, TW_F64, &number, mode, 0) || !tw_convert(TW_F64, &value, type, &bits, mode, 0))
        return true;
    double size = number < 0 ? -number : number, rounded = value < 0 ? -value : value;
    return size < 1 || (size <= 1.25 * rounded && rounded - rounded == 0);
}

bool tw__as_number(const char *text, tw_type type, int64_t *bits)
{
    const char *digits = text + (*text == '-');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    unsigned width = type == TW_BOOL ? 1 : tw_type_get(type)->bits;
    uint64_t value;
    char *end;
    *bits = 0;
    if (tw__is_float(type) && !hex) {
        double number = g_ascii_strtod(text, &end);
        if (*end == 0 && !fits(type, number)) return misfit(text, type);
        tw_type_store(type, bits, number);
        if (*end == 0) return true;
    } else if (magnitude(digits, &value)) {
        if (tw__is_float(type)) /* MLIR: the bits themselves */
            return width < 64 && value >> width ? misfit(text, type) : (*bits = (int64_t)value, digits == text);
        uint64_t most = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, least = most / 2 + 1;
        if (digits > text ? value > least : value > most) return misfit(text, type);
        *bits = (int64_t)(digits > text ? 0 - value : value);
        return true;
    }
    tw__fail(TW_E_PARSE, "'%s' is not a value of %s", text, tw_type_name(type, TW_SYSTEM_PTO));
    return false;
}
