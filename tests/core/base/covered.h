/* SPDX-License-Identifier: MIT */
/* covered: is all of a struct in its table of a checkpoint? Behind <cmocka.h>. */
#ifndef TW_TESTS_CORE_BASE_COVERED_H
#define TW_TESTS_CORE_BASE_COVERED_H

#include "core/base/checkpoint.h"

#include <glib.h>
#include <stdlib.h>

static inline int by_offset(const void *a, const void *b)
{
    const tw__ck_field *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* What lies between two rows is what the alignment of the second leaves free: nothing that a struct gets is
 * forgotten. */
static inline void covered(const tw__ck_table *table)
{
    tw__ck_field *rows = g_memdup2(table->rows, table->count * sizeof *rows);
    qsort(rows, table->count, sizeof *rows, by_offset);
    size_t end = 0;
    for (size_t i = 0; i < table->count; i++) {
        size_t align = rows[i].size, even = rows[i].offset ? rows[i].offset & -rows[i].offset : 64;
        if (!align || even >= 16) align = even; /* of what is not in the file, or on a line of its own */
        if (rows[i].offset < end || rows[i].offset - end >= (align ? align : 1))
            fail_msg("%s: bytes %zu to %u, before '%s', are in no row", table->name, end, rows[i].offset,
                     rows[i].name);
        end = rows[i].offset + (rows[i].size ? rows[i].size : 1) * (size_t)rows[i].count;
    }
    if (table->size - end >= 64)
        fail_msg("%s: what follows '%s' is in no row", table->name, rows[table->count - 1].name);
    g_free(rows);
}

#endif
