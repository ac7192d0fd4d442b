/* SPDX-License-Identifier: MIT */
/* Growable arrays of values.
 *
 *     TW__LIST(uint32_t) tiles;                     zeroed: empty; free(tiles.items) at the end
 *     TW__APPEND(tiles, plan->failed = true, 7);
 *     uint32_t *tile = TW__PUSH(tiles, (void)0);    NULL when out of memory
 *
 * Without memory a list stays as it is, and the expression `failure` is evaluated: it notes that where the list's
 * owner is asked. Addresses of items hold until the next item is added. */
#ifndef TW_BASE_LIST_H
#define TW_BASE_LIST_H

#include "core/base/base.h"

#include <string.h>

#define TW__LIST(type)      \
    struct {                \
        type *items;        \
        size_t count, room; \
    }

/* The address of one more item, which is zero. */
#define TW__PUSH(list, failure) TW__PUSH_TO((list).items, (list).count, (list).room, failure)
/* One more item with a value. */
#define TW__APPEND(list, failure, ...)                                         \
    (tw__grow(&(list).items, &(list).room, (list).count, sizeof *(list).items) \
         ? (void)((list).items[(list).count++] = __VA_ARGS__)                  \
         : (void)(failure))
/* TW__PUSH for arrays whose count and room have names of their own. */
#define TW__PUSH_TO(items, count, room, failure)                                                    \
    ((__typeof__(items))(tw__grow(&(items), &(room), (count), sizeof *(items))                      \
                             ? (memset(&(items)[(count)], 0, sizeof *(items)), &(items)[(count)++]) \
                             : ((failure), NULL)))

#endif
