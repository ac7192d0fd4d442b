/* SPDX-License-Identifier: MIT */
/* lines: what lines of codelets cost. Of code of the chip that ran in a simulator the lines were counted there; a
 * vertex whose code is the host's has its cycles from a model, which knows the whole vertex: the line of its
 * compute() stands for it, and its name says so. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/tiles/tiles.h"

#include <glib.h>
#include <stdlib.h>

/* Executed vertices and their cycles, by type of the profile; NULL = no memory. */
static tw__type_cycles *lines_executed(const tw_profile *p)
{
    tw__type_cycles *types = tw__calloc(p->types.count + 1, sizeof *types);
    uint64_t *counts = tw__calloc(p->steps.count + 1, sizeof *counts);
    const bool done = types && counts && tw__profile_step_counts(p, counts);
    for (size_t i = 0; done && i < p->steps.count; i++)
        for (uint32_t k = 0; counts[i] && k < p->steps.items[i].types_count; k++) {
            const tw__type_cycles *tc = &p->type_cycles.items[p->steps.items[i].types_first + k];
            types[tc->vertex_type].instances += counts[i] * tc->instances;
            types[tc->vertex_type].cycles += counts[i] * tc->cycles;
        }
    free(counts);
    if (done) return types;
    free(types);
    return NULL;
}

/* Marks the types that have any. */
static void add_counted(const tw_engine *engine, tw_profile *p, bool *is_counted)
{
    GArray *lines = tw__tile_lines_all(engine->sims ? engine->sims->lines : NULL);
    for (guint i = 0; i < lines->len; i++) {
        const tw__tile_line *l = &g_array_index(lines, tw__tile_line, i);
        is_counted[l->type] = true;
        tw__profile_add_line(p, &(tw__line_desc){ .file = l->file,
                                                  .line = l->line,
                                                  .what = engine->core->types[l->type].info->name,
                                                  .runs = l->runs,
                                                  .cycles = l->cycles });
    }
    g_array_free(lines, TRUE);
}

static void add_whole(const tw_engine *engine, tw_profile *p, const tw__type_cycles *executed,
                      const bool *is_counted)
{
    for (size_t t = 0; t < engine->core->type_count; t++) {
        const tw__vertex_type *info = engine->core->types[t].info;
        const uint32_t id = engine->account->type_ids[t];
        if (is_counted[t] || id == TW__NONE || id >= p->types.count || !executed[id].cycles || !info->line)
            continue;
        g_autofree char *what = g_strdup_printf("%s, whole vertex", info->name);
        tw__profile_add_line(p, &(tw__line_desc){ .file = info->origin,
                                                  .line = info->line,
                                                  .what = what,
                                                  .runs = executed[id].instances,
                                                  .cycles = executed[id].cycles });
    }
}

void tw__account_lines(tw_engine *engine)
{
    tw_profile *p = engine->account->profile;
    tw__type_cycles *executed = lines_executed(p);
    bool *is_counted = tw__calloc(engine->core->type_count + 1, sizeof *is_counted);
    tw__profile_forget_lines(p);
    if (executed && is_counted) {
        add_counted(engine, p, is_counted);
        add_whole(engine, p, executed, is_counted);
        tw__profile_read_sources(p);
    } else {
        tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the lines of a profile");
    }
    free(executed), free(is_counted);
}
