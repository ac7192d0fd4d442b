/* SPDX-License-Identifier: MIT */
/* Rounding as its definitions say, for the tests of type: a sorted list of the values of a format, the two neighbours
 * of x in it, and a rule in words. long double (64-bit mantissa) holds every value and midpoint used here exactly. */
#ifndef TW_TESTS_TYPE_REFERENCE_H
#define TW_TESTS_TYPE_REFERENCE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <tilewright/type.h>

typedef struct format_list {
    size_t count;              /* finite values that are not negative, in rising order */
    const long double *values; /* [count] */
    const uint32_t *codes;     /* [count] */
    long double next;          /* where the value after the last one would be: the overflow threshold */
} format_list;

enum { REF_OVERFLOW = -1 };

/* Index of the value that |x| rounds to, or REF_OVERFLOW. */
static inline long ref_round(const format_list *f, long double x, tw_rounding mode)
{
    bool negative = x < 0;
    long double size = fabsl(x);
    size_t low = 0, end = f->count;
    if (size >= f->next) { /* beyond the last binade: only a direction keeps it finite */
        bool to_last = mode == TW_ROUND_ZERO || mode == TW_ROUND_TO_ODD || (mode == TW_ROUND_UP && negative) ||
                       (mode == TW_ROUND_DOWN && !negative);
        return to_last ? (long)f->count - 1 : REF_OVERFLOW;
    }
    while (end - low > 1) {
        size_t middle = (low + end) / 2;
        if (f->values[middle] <= size)
            low = middle;
        else
            end = middle;
    }
    long double below = f->values[low], above = low + 1 < f->count ? f->values[low + 1] : f->next;
    if (below == size) return (long)low;
    bool low_is_odd = f->codes[low] & 1, take_above = false;
    long double to_below = size - below, to_above = above - size;
    bool tie = to_below == to_above, nearer_above = to_above < to_below;
    switch (mode) {
    case TW_ROUND_NEAREST_EVEN: take_above = tie ? low_is_odd : nearer_above; break;
    case TW_ROUND_NEAREST_ODD: take_above = tie ? !low_is_odd : nearer_above; break;
    case TW_ROUND_NEAREST_AWAY: take_above = tie || nearer_above; break;
    case TW_ROUND_NEAREST_ZERO: take_above = nearer_above; break;
    case TW_ROUND_NEAREST_UP: take_above = tie ? !negative : nearer_above; break;
    case TW_ROUND_NEAREST_DOWN: take_above = tie ? negative : nearer_above; break;
    case TW_ROUND_ZERO: break;
    case TW_ROUND_UP: take_above = !negative; break;
    case TW_ROUND_DOWN: take_above = negative; break;
    case TW_ROUND_TO_ODD: take_above = !low_is_odd; break;
    case TW_ROUND_STOCHASTIC:
    case TW_ROUND_COUNT: break;
    }
    long index = (long)low + take_above;
    return index < (long)f->count ? index : REF_OVERFLOW;
}

/* splitmix64: the same numbers everywhere. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const char *const rounding_names[TW_ROUND_COUNT] = { "nearest-even", "zero",         "up",
                                                            "down",         "nearest-away", "nearest-zero",
                                                            "nearest-up",   "nearest-down", "nearest-odd",
                                                            "to-odd",       "stochastic" };

#endif
