/* SPDX-License-Identifier: MIT */
/* targets: the chips, and the memories of their cores. */
#include "pto/pto.h"

#include <glib.h>

static const struct target {
    const char *name, *names, *arch;
} targets[TW_PTO_TARGETS] = {
    [TW_PTO_CPU] = { "cpu", "cpu|cpu_sim|sim", "pto_cpu" },
    [TW_PTO_A2A3] = { "a2a3", "a2a3|a2|a3|a2/a3|ascend910b", "a2" },
    [TW_PTO_A5] = { "a5", "a5|ascend950", "a5" },
};

static const char *const memories[TW_PTO_LOCATIONS] = {
#define ROW(name, number, text, memory, cpp) [number] = memory,
    TW_PTO_LOCATION_LIST(ROW)
#undef ROW
};

const char *tw_pto_target_name(tw_pto_target target)
{
    return (unsigned)target < TW_PTO_TARGETS ? targets[target].name : "unknown";
}

const char *tw__pto_chip(tw_pto_target target)
{
    return targets[target].arch;
}

bool tw_pto_target_by_name(const char *name, tw_pto_target *target)
{
    const char *known[TW_PTO_TARGETS];
    if (tw__pto_given(name, "name of a target") != TW_OK || tw__pto_given(target, "target") != TW_OK) return false;
    for (int t = 0; t < TW_PTO_TARGETS; t++) {
        char **names = g_strsplit(targets[t].names, "|", -1);
        bool found = false;
        for (char **n = names; *n; n++) found = found || g_ascii_strcasecmp(name, *n) == 0;
        g_strfreev(names);
        known[t] = targets[t].name;
        if (found) return *target = (tw_pto_target)t, true;
    }
    const char *near = tw__nearest(name, known, TW_PTO_TARGETS);
    tw__fail(TW_E_INVALID_ARGUMENT,
             near ? "unknown PTO target '%s', did you mean '%s'?" : "unknown PTO target '%s': cpu, a2a3 or a5",
             name, near);
    return false;
}

const tw_tile_region *tw__pto_region(tw_pto_target target, tw_pto_location location)
{
    return tw_tile_region_by_name(tw_tile_arch_by_name(targets[target].arch), memories[location]);
}

uint32_t tw__pto_memory_size(tw_pto_target target, tw_pto_location location)
{
    const tw_tile_region *region = tw__pto_region(target, location);
    return region ? region->bytes : 0;
}

double tw__pto_clock(tw_pto_target target)
{
    return tw_tile_arch_by_name(targets[target].arch)->clock_hz;
}

const char *tw__pto_memory_name(unsigned location)
{
    return memories[location];
}
