/* SPDX-License-Identifier: MIT */
/* Profile files from anywhere: loading must end with a profile or an error, and what loads must print and be
 * written. */
// needs: profile
// seeds: tests/golden/profile_*.json
#include <tilewright/profile.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is a graph file, or a graph and an execution file parted by a line "----". */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n----\n";
    const char *text = (const char *)data, *second = NULL;
    size_t first_size = size, second_size = 0;
    for (size_t i = 0; i + 6 <= size && !second; i++)
        if (!memcmp(text + i, mark, 6)) second = text + i + 6, first_size = i, second_size = size - i - 6;
    tw_profile *profile = NULL;
    bool graph = first_size > 0;
    if (!size || tw_status_of(profile = tw_profile_load(graph ? text : NULL, first_size, second, second_size)))
        return 0;
    if (tw_profile_tiles(profile) <= 4096) { /* more only costs time */
        tw_profile_options options = { .size = sizeof options,
                                       .show_var_storage = true,
                                       .show_optimizations = true,
                                       .show_execution_steps = true,
                                       .show_per_ipu_memory_usage = tw_profile_tiles(profile) < 64,
                                       .max_steps = 100 };
        FILE *out = fopen("/dev/null", "w");
        if (out) tw_profile_print_summary(profile, out, &options), tw_profile_write_trace(profile, out, &options);
        if (out) fclose(out);
        tw_profile_totals totals;
        free(tw_profile_graph_json(profile, true));
        if (!tw_profile_get_totals(profile, &totals) && totals.steps < 1000)
            free(tw_profile_execution_json(profile, false));
    }
    tw_profile_free(profile);
    return 0;
}
