/* SPDX-License-Identifier: MIT */
#include "cli/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct value_source {
    uint64_t state; /* of splitmix64 */
    bool whole;     /* of integers */
    bool flag;
    size_t at;
} value_source;

static double value_even(value_source *s) /* [0, 1), 53 bits */
{
    uint64_t z = s->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double value_random(value_source *s)
{
    double v = value_even(s);
    return s->flag ? v >= 0.5 : s->whole ? floor(v * 100) : v;
}

/* The sum of twelve even ones is near enough to a normal one, and the same on every machine; a logarithm is not. */
static double value_normal(value_source *s)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += value_even(s);
    return s->whole ? nearbyint(sum * 16) : sum;
}

static double value_ramp(value_source *s)
{
    return (double)s->at;
}

static const struct {
    const char *name;
    bool seeded;
    double (*next)(value_source *s);
} value_rows[] = { { "random", true, value_random },
                   { "normal", true, value_normal },
                   { "ramp", false, value_ramp } };

/* The row of `how`, -1: there is none. */
static int value_row(const char *how, uint64_t *seed)
{
    size_t length = strcspn(how, ":");
    *seed = 1;
    for (int i = 0; i < (int)(sizeof value_rows / sizeof *value_rows); i++) {
        if (strlen(value_rows[i].name) != length || strncmp(how, value_rows[i].name, length) != 0) continue;
        if (!how[length]) return i;
        char *end;
        bool digit = how[length + 1] >= '0' && how[length + 1] <= '9';
        *seed = strtoull(how + length + 1, &end, 10);
        return value_rows[i].seeded && digit && !*end ? i : -1;
    }
    return -1;
}

bool tw__cli_makes_values(const char *how)
{
    uint64_t seed;
    return value_row(how, &seed) >= 0;
}

const char *tw__cli_near_values(const char *how)
{
    const char *names[sizeof value_rows / sizeof *value_rows];
    char word[16];
    size_t length = strcspn(how, ":");
    if (length >= sizeof word) return NULL;
    memcpy(word, how, length), word[length] = 0;
    for (size_t i = 0; i < sizeof value_rows / sizeof *value_rows; i++) names[i] = value_rows[i].name;
    return tw_nearest(word, names, sizeof names / sizeof *names);
}

tw_status tw__cli_make_values(const char *how, tw_type type, void *data, size_t count)
{
    tw_type_kind kind = tw_type_get(type)->kind;
    value_source s = { .whole = kind == TW_KIND_INT || kind == TW_KIND_UINT, .flag = kind == TW_KIND_BOOL };
    const tw_convert_mode mode = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
    int row = value_row(how, &s.state);
    if (row < 0) return tw_error_set(TW_E_INVALID_ARGUMENT, "'%s' is not " TW__CLI_VALUES, how);
    for (; s.at < count; s.at++) {
        double value = value_rows[row].next(&s);
        if (!tw_convert(type, (char *)data + s.at * tw_type_size(type), TW_F64, &value, mode, 0))
            return tw_error_set(TW_E_TYPE, "no values can be made of type %s",
                                tw_type_name(type, TW_SYSTEM_TILEWRIGHT));
    }
    return TW_OK;
}
