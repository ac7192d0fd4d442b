/* SPDX-License-Identifier: MIT */
/* Values that are made instead of read from a file: what --arg of PTO and --in of CSL take. */
#ifndef TW_CLI_VALUES_H
#define TW_CLI_VALUES_H

#include <tilewright/type.h>

#define TW__CLI_VALUES "random, normal or ramp, with :SEED behind the first two if you like"

/* "random", "normal", "ramp", "random:7", "normal:7"? Nothing else, so that "./random" is a file. */
bool tw__cli_makes_values(const char *how);
/* The one that a typing error may have meant, "random" for "ramdom:7"; NULL: nothing is close. */
const char *tw__cli_near_values(const char *how);
/* `count` values of `type`, the same everywhere for one seed (default 1):
 *   random  even in [0, 1); of integers 0 to 99; of booleans either
 *   normal  mean 0, deviation 1; of integers 16
 *   ramp    0, 1, 2 ..., integers by their low bits
 * TW_E_TYPE: the type has no values of its own. */
tw_status tw__cli_make_values(const char *how, tw_type type, void *data, size_t count);

#endif
