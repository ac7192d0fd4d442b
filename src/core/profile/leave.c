/* SPDX-License-Identifier: MIT */
/* What `tilewright run --report` asks of the program that it runs: TILEWRIGHT_PROFILE names a file, and whatever ran
 * in this process leaves its profile there when it is freed, or at the end of the process, since short programs leave
 * freeing to it. Of several the one with the most cycles stays. */
#include "core/profile/profile.h"
#include "core/base/interrupt.h"

#include <glib.h>
#include <stdlib.h>

static GMutex lock;
static uint64_t most; /* cycles of what was written, and 1 */

bool tw__profile_wanted(void)
{
    const char *path = g_getenv("TILEWRIGHT_PROFILE");
    return path && *path;
}

/* --- owners that nobody has freed yet -------------------------------------------------------------------------- */

static GMutex owners_lock;
static GHashTable *owners; /* owner -> what makes it leave its profile */

static void leave_all(void)
{
    GHashTableIter at;
    gpointer owner, leave;
    g_mutex_lock(&owners_lock);
    g_hash_table_iter_init(&at, owners);
    while (g_hash_table_iter_next(&at, &owner, &leave)) ((tw__leave_func *)leave)(owner);
    g_mutex_unlock(&owners_lock);
}

void tw__profile_expect(void *owner, tw__leave_func *leave)
{
    if (!tw__profile_wanted()) return;
    g_mutex_lock(&owners_lock);
    if (!owners) {
        tw__interrupt_ends();
        owners = g_hash_table_new(NULL, NULL);
        atexit(leave_all);
    }
    g_hash_table_insert(owners, owner, (gpointer)leave);
    g_mutex_unlock(&owners_lock);
}

void tw__profile_forget(void *owner)
{
    g_mutex_lock(&owners_lock);
    if (owners) g_hash_table_remove(owners, owner);
    g_mutex_unlock(&owners_lock);
}

/* --------------------------------------------------------------------------------------------------------------- */

void tw__profile_set_program(tw_profile *p)
{
    tw__profile_set_fact(p, "program", g_getenv("TILEWRIGHT_PROGRAM")); /* nothing when it is not set */
}

void tw__profile_leave(tw_profile *p)
{
    tw_profile_totals totals;
    const char *path = g_getenv("TILEWRIGHT_PROFILE");
    if (!p || !path || !*path || !p->has_graph || !p->has_execution) return;
    if (tw_profile_get_totals(p, &totals) != TW_OK) return;
    if (!*p->names.items[p->target.type]) return;
    g_mutex_lock(&lock);
    if (totals.cycles + 1 > most) {
        tw__profile_set_program(p);
        tw_output *out = tw_output_open(path, NULL, 0);
        tw_status status = out ? tw_profile_write_json(p, tw_output_file(out), false) : tw_error_status();
        if (out && (status == TW_OK || status == TW_E_IO)) status = tw_output_commit(out);
        tw_output_free(out);
        if (status != TW_OK) fprintf(stderr, "tilewright: the profile is not written: %s\n", tw_error_message());
        if (status == TW_OK) most = totals.cycles + 1;
    }
    g_mutex_unlock(&lock);
}
