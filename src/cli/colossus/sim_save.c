/* SPDX-License-Identifier: MIT */
/* sim_save: --save-at, --save and --resume of `tilewright sim`. */
#include "cli/colossus/sim.h"

#include <stdio.h>
#include <string.h>

/* The first cycle of a list, and where the next one stands: NULL = there is none. 0: it is no list of cycles. */
static guint64 first_cycle(const char *list, const char **rest)
{
    char *end;
    guint64 cycle = g_ascii_isdigit(*list) ? g_ascii_strtoull(list, &end, 10) : 0;
    if (!cycle || (*end && *end != ',')) return 0;
    *rest = *end ? end + 1 : NULL;
    return cycle;
}

bool tw__sim_are_cycles(const char *list)
{
    for (guint64 before = 0, cycle; list; before = cycle)
        if ((cycle = first_cycle(list, &list)) <= before) return false;
    return true;
}

/* Several files are told apart by their cycles. */
static char *path_of_cycle(const tw__sim_request *r, guint64 cycle)
{
    const char *name = r->save ? r->save : "checkpoint";
    return strchr(r->save_at, ',') ? g_strdup_printf("%s.%" G_GUINT64_FORMAT, name, cycle) : g_strdup(name);
}

void tw__sim_add_saves(const tw__sim_request *r, GPtrArray *out)
{
    for (const char *list = r->save_at; list;) {
        guint64 cycle = first_cycle(list, &list);
        g_ptr_array_add(out, path_of_cycle(r, cycle));
    }
}

static bool save(const tw__sim_session *s, guint64 cycle)
{
    g_autofree char *path = path_of_cycle(s->r, cycle);
    if (tw_sim_save(s->sim, path) == TW_OK) return true;
    fflush(stdout);
    fprintf(stderr, "tilewright sim: %s\n", tw_error_message());
    return false;
}

/* A turn of a worker is six cycles, one of the supervisor may be one: pieces get shorter until the clock is there. */
tw_sim_stop tw__sim_run(tw__sim_session *s, bool *failed)
{
    guint64 left = s->limit;
    while (s->next_save) {
        const char *rest = NULL;
        guint64 cycle = first_cycle(s->next_save, &rest), now = tw_sim_cycles(s->sim);
        if (now >= cycle) {
            s->next_save = rest;
            if ((*failed = !save(s, cycle))) return TW_SIM_BREAK;
            continue;
        }
        guint64 turns = (cycle - now + TW_SIM_WORKERS - 1) / TW_SIM_WORKERS;
        if (turns >= left) break;
        tw_sim_stop stop = tw__sim_pieces(s, turns);
        if (stop != TW_SIM_LIMIT) return stop;
        left -= turns;
    }
    return tw__sim_pieces(s, left);
}

int tw__sim_saved(const tw__sim_session *s)
{
    if (!s->next_save) return TW__EXIT_OK;
    fflush(stdout);
    fprintf(stderr,
            "tilewright sim: no checkpoint was written at cycle %.*s: the run is over at %" G_GUINT64_FORMAT "\n",
            (int)strcspn(s->next_save, ","), s->next_save, (guint64)tw_sim_cycles(s->sim));
    return TW__EXIT_FAILURE;
}
