/* SPDX-License-Identifier: MIT */
/* lines: what lines of the sources cost, from the blocks that ran and what of a block's cycles is which line's. */
#include "aie/array/profile/profile.h"
#include "core/profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 1000 }; /* of a cycle, in these texts */

static void lines_add(tw_profile *p, const tw__line_desc *line, const char *file, size_t bytes)
{
    tw__line_desc whole = *line;
    char *name = strndup(file, bytes);
    whole.file = name;
    if (name)
        tw__profile_add_line(p, &whole);
    else
        tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    free(name);
}

/* A block's lines: its function's name, behind "+" for what does not count turns, then "cycles / 1000 line file"
 * each. Rounded so that all together take what the block takes. */
static void lines_add_block(tw_profile *p, const char *text, uint64_t runs)
{
    const bool counts = *text != '+';
    const char *name = counts ? text : text + 1, *end = strchr(name, '\n');
    char *what = end ? strndup(name, (size_t)(end - name)) : NULL;
    uint64_t sum = 0, given = 0;
    if (end && !what) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (const char *at = end; what && at && at[1]; at = end) {
        char *rest;
        sum += strtoull(at + 1, &rest, 10) * runs;
        tw__line_desc line = { .line = (uint32_t)strtoul(rest, &rest, 10),
                               .what = what,
                               .runs = counts ? runs : 0,
                               .cycles = (sum + UNIT / 2) / UNIT - given };
        end = strchr(rest, '\n');
        if (!end || *rest != ' ') break;
        lines_add(p, &line, rest + 1, (size_t)(end - rest - 1));
        given += line.cycles;
    }
    free(what);
}

void tw__aie_add_lines(const tw_aie_array *a, tw_profile *p)
{
    if (a->places_lost) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for lines of the sources");
    for (size_t i = 0; i < a->place_room; i++) {
        const char *text = a->place_runs[i] ? tw__aie_place_text(i) : NULL;
        if (text) lines_add_block(p, text, a->place_runs[i]);
    }
    tw__profile_read_sources(p);
}
