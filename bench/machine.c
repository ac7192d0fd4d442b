/* SPDX-License-Identifier: MIT */
/* The first line of every benchmark: processor, instruction set of the kernels, load. Figures of different machines,
 * or with different work beside them, are not to be compared. */
#include <tilewright/vec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void bench_first_line(void)
{
    char line[256], model[256] = "unknown processor";
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
    printf("%s, %s, load %.1f on %ld processors\n", model, tw_vec_cpu(), load, sysconf(_SC_NPROCESSORS_ONLN));
    fflush(stdout);
}
