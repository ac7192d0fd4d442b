/* SPDX-License-Identifier: MIT */
/* What a benchmark measured, one row at a time, for docs/performance.md: `./dev bench --markdown` makes its tables of
 * them (bench/run.sh). Nothing is written but where the variable BENCH_ROWS names a file. */
#ifndef TW_BENCH_ROWS_H
#define TW_BENCH_ROWS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_limit { BENCH_NO_LIMIT, BENCH_AT_MOST, BENCH_AT_LEAST } bench_limit;

/* Whether the limit is met. `what` names the row: each has one name, the same in every run; `unit` "" is a ratio. */
bool bench_row(const char *what, double value, const char *unit, bench_limit kind, double limit);

#ifdef __cplusplus
}
#endif

#endif
