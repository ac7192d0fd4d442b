/* SPDX-License-Identifier: MIT */
/* compare: figures of a profile, of a kernel's run or of a user's own program. */
#include "cli/compare/compare.h"

#include <string.h>

static bool add_step(void *user, const tw_profile_step *step)
{
    unsigned *cores = user;
    if (step->type == TW_PROGRAM_ON_TILE_EXECUTE) *cores = MAX(*cores, step->active_tiles);
    return true;
}

/* Of the time of the cores that worked, how much they calculated and how much they sent or received. */
static void busy_shares(tw__compare_row *row)
{
    const uint64_t *buckets = row->totals.by_bucket;
    double all = (double)row->cores_used * (double)row->totals.cycles;
    if (!(all > 0)) return;
    row->computing = (double)buckets[TW_CYCLES_COMPUTE] / all;
    row->exchanging = (double)(buckets[TW_CYCLES_EXCHANGE] + buckets[TW_CYCLES_GLOBAL_EXCHANGE] +
                               buckets[TW_CYCLES_HOST_EXCHANGE] + buckets[TW_CYCLES_SHARED_COPY]) /
                      all;
    double busy = row->computing + row->exchanging; /* more than all when others exchange as well */
    if (busy > 1) row->computing /= busy, row->exchanging /= busy;
}

bool tw__compare_read_profile(const char *path, tw__compare_row *row)
{
    tw_profile *profile = tw_profile_load_file(path);
    if (!profile || tw_profile_get_totals(profile, &row->totals) != TW_OK) {
        row->problem = g_strdup(tw_error_message());
        tw_profile_free(profile);
        return false;
    }
    row->chip = g_strdup(tw_profile_architecture(profile));
    row->band = g_strdup(tw_profile_band(profile));
    tw_profile_each_step(profile, add_step, &row->cores_used);
    tw_fidelity known;
    row->moved = tw_profile_bytes_moved(profile, &known);
    row->moved_is_known = known != TW_FIDELITY_ABSENT;
    busy_shares(row);
    unsigned tiles = tw_profile_tiles(profile);
    if (!row->cores) row->cores = tiles;
    g_autofree uint64_t *bytes = g_new0(uint64_t, tiles + 1);
    if (tw_profile_memory_by_tile(profile, bytes))
        for (unsigned i = 0; i < tiles; i++) row->memory = MAX(row->memory, bytes[i]);
    tw_profile_free(profile);
    return true;
}

/* Figures that `--json` wrote, which are no profile. */
static bool are_figures(const char *path)
{
    size_t bytes = 0;
    char *text = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? tw_read_file(path, 16 << 20, &bytes) : NULL;
    json_t *root = text ? json_loadb(text, bytes, 0, NULL) : NULL, *first = json_array_get(root, 0);
    free(text);
    bool found = json_object_get(first, "machine") || json_object_get(first, "problem");
    json_decref(root);
    return found;
}

bool tw__compare_own(const char *path, tw__compare_row *row)
{
    *row = (tw__compare_row){ .label = g_strdup(path) };
    if (tw__compare_read_profile(path, row)) return true;
    if (!are_figures(path)) return false;
    g_free(row->problem);
    row->problem = g_strdup_printf("%s has figures that 'compare --json' wrote; compared are profiles, which a run "
                                   "writes with '--profile FILE.json'",
                                   path);
    return false;
}
