/* SPDX-License-Identifier: MIT */
/* Small text helpers: nearest name for "did you mean", digit grouping. */
#include "core/base/base.h"

#include <glib.h>
#include <string.h>

enum { LONGEST_NAME = 127 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edit distance without regard to case; neighbouring letters swapped count as one edit. Both at most
 * LONGEST_NAME. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONGEST_NAME + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++) above[j] = j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            char x = g_ascii_tolower(a[i - 1]), y = g_ascii_tolower(b[j - 1]);
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) && g_ascii_tolower(a[i - 2]) == y &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        size_t *free_row = before;
        before = above, above = row, row = free_row;
    }
    return above[nb];
}

const char *tw__nearest(const char *name, const char *const *names, size_t count)
{
    size_t length = strlen(name);
    if (length == 0 || length > LONGEST_NAME) return NULL;
    const char *nearest = NULL;
    size_t best = length < 4 ? 1 : length / 3 + 1; /* farther than a third of the letters is another word */
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        if (other > LONGEST_NAME || (other > length ? other - length : length - other) > best) continue;
        size_t edits = distance(name, length, names[i], other);
        if (edits < best || (edits == best && !nearest && edits < length)) best = edits, nearest = names[i];
    }
    return nearest;
}

const char *tw_nearest(const char *name, const char *const *names, size_t count)
{
    return tw__nearest(name, names, count);
}

char *tw__did_you_mean(char buf[TW__HINT_BYTES], const char *near)
{
    buf[0] = 0;
    if (near) snprintf(buf, TW__HINT_BYTES, "; did you mean '%.*s'?", LONGEST_NAME, near);
    return buf;
}

char *tw__commas(char *buf, size_t size, uint64_t value)
{
    char digits[24], grouped[32];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), at = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) grouped[at++] = ',';
        grouped[at++] = digits[i];
    }
    grouped[at] = 0;
    g_strlcpy(buf, grouped, size);
    return buf;
}

/* --- structs of options --------------------------------------------------------------------------------------- */

enum { MOST_OPTIONS = 1 << 16 }; /* bytes; a size above is no size */

tw_status tw__take_options(void *mine, size_t size, const void *given, const char *type)
{
    size_t theirs = size;
    memset(mine, 0, size);
    if (given) memcpy(&theirs, given, sizeof theirs);
    if (theirs < sizeof theirs || theirs > MOST_OPTIONS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s.size is %zu: it has to be sizeof(%s)", type, theirs, type);
    for (size_t i = size; i < theirs; i++)
        if (((const char *)given)[i])
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: byte %zu is set, but this library knows %zu bytes of it",
                            type, i, size);
    if (given) memcpy(mine, given, theirs < size ? theirs : size);
    memcpy(mine, &size, sizeof size);
    return TW_OK;
}

void tw__give_options(void *given, const void *mine)
{
    size_t theirs, size;
    memcpy(&theirs, given, sizeof theirs);
    memcpy(&size, mine, sizeof size);
    if (theirs < size) size = theirs;
    memcpy((char *)given + sizeof size, (const char *)mine + sizeof size, size - sizeof size);
}
