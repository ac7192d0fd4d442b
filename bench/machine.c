/* SPDX-License-Identifier: MIT */
/* The first line of every benchmark: processor, instruction set of the kernels, load. Figures of different machines,
 * or with different work beside them, are not to be compared. And the rows of rows.h, as lines of a file. */
#include <tilewright/vec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

/* Appends a line; programs that a benchmark starts append to the same file. */
static void record(const char *line)
{
    const char *path = getenv("BENCH_ROWS");
    FILE *f = path && *path ? fopen(path, "a") : NULL;
    if (!f) return;
    fprintf(f, "%s\n", line);
    fclose(f);
}

bool bench_row(const char *what, double value, const char *unit, bench_limit kind, double limit)
{
    static const char *const kinds[] = { "-", "at most", "at least" };
    char line[512];
    snprintf(line, sizeof line, "%s\t%.9g\t%s\t%s\t%.9g", what, value, unit, kinds[kind], limit);
    record(line);
    if (kind == BENCH_NO_LIMIT) return true;
    return kind == BENCH_AT_MOST ? value <= limit : value >= limit;
}

__attribute__((constructor)) static void bench_first_line(void)
{
    char line[256], model[256] = "unknown processor", first[640];
    double load = 0;
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(model, sizeof model, "%s", strchr(line, ':') + 2);
            model[strcspn(model, "\n")] = 0;
            break;
        }
    if (info) fclose(info);
    if (getloadavg(&load, 1) < 1) load = 0;
    snprintf(first, sizeof first, "%s, %s, load %.1f on %ld processors", model, tw_vec_cpu(), load,
             sysconf(_SC_NPROCESSORS_ONLN));
    puts(first);
    fflush(stdout);
    snprintf(line, sizeof line, "machine\t%.240s", first);
    record(line);
}
