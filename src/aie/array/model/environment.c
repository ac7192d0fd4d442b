/* SPDX-License-Identifier: MIT */
/* What `tilewright aie run` tells the programs that it starts, by the environment: where relative paths of input and
 * output files begin, whether outputs get lines of time, and where profiles go.
 *
 *     TW_AIE_INPUT_DIR, TW_AIE_OUTPUT_DIR   folders; those that an output needs below it are made
 *     TW_AIE_TIMESTAMPS=1                   "T 120 ns" in front of each line of an output
 *     TW_AIE_PROFILE_FILE                   JSON; of the second array and later ones FILE.2, FILE.3 ... */
#include "aie/array/model/model.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* The folders between `from` and the last name of the path. What cannot be made is told where the file is opened. */
static void make_folders(char *path, size_t from)
{
    for (char *at = strchr(path + from, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        if (*path) mkdir(path, 0777);
        *at = '/';
    }
}

char *tw__aie_path(const char *path, bool is_output)
{
    const char *folder = setting(is_output ? "TW_AIE_OUTPUT_DIR" : "TW_AIE_INPUT_DIR");
    if (!folder || path[0] == '/') return strdup(path);
    while (path[0] == '.' && path[1] == '/') path += 2;
    size_t length = strlen(folder) + strlen(path) + 2;
    char *joined = malloc(length);
    if (!joined) return NULL;
    snprintf(joined, length, "%s/%s", folder, path);
    if (is_output) make_folders(joined, strlen(folder));
    return joined;
}

bool tw__aie_stamps(void)
{
    const char *value = setting("TW_AIE_TIMESTAMPS");
    return value && strcmp(value, "0") != 0;
}

/* The file that `tilewright aie run` looks for when the program, whose exit status is its own, has ended. */
static void note_failure(void)
{
    const char *path = setting("TW_AIE_ERRORS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) fclose(file);
}

const char *tw__aie_profile_file(void)
{
    return setting("TW_AIE_PROFILE_FILE");
}

void tw__aie_save_profile(const tw_aie_array *a)
{
    static atomic_uint written;
    const char *path = tw__aie_profile_file();
    if (!path || !a->profile) return;
    unsigned number = atomic_fetch_add(&written, 1) + 1;
    char numbered[4096];
    snprintf(numbered, sizeof numbered, number > 1 ? "%s.%u" : "%s", path, number);
    tw_output *out = tw_output_open(numbered, NULL, 0);
    tw_status status = out ? tw_profile_write_json(a->profile, tw_output_file(out), true) : tw_error_status();
    if (out && (status == TW_OK || status == TW_E_IO)) status = tw_output_commit(out);
    tw_output_free(out);
    if (status != TW_OK) {
        fprintf(stderr, "%s: %s\n", numbered, tw_error_message());
        note_failure();
    }
}
