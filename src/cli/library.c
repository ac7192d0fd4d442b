/* SPDX-License-Identifier: MIT */
/* library: where programs that are compiled on the spot find headers, and look for libtilewright. */
#include "cli/cli.h"

#include <glib.h>
#include <string.h>

bool tw__cli_library_can_be_found(void)
{
    if (!strchr(tw_lib_dir(), ':')) return true;
    tw_error_set(
        TW_E_SYSTEM,
        "the library lies in '%s', which has a colon: programs search the parts of such a name, one of them from "
        "the current folder on; move the tree",
        tw_lib_dir());
    return false;
}

void tw__cli_add_headers(GPtrArray *command)
{
    g_ptr_array_add(command, g_strconcat("-I", tw_include_dir(), NULL));
    char *made = g_build_filename(tw_lib_dir(), "include", NULL); /* by the build, in whose tree the library lies */
    if (g_file_test(made, G_FILE_TEST_IS_DIR)) g_ptr_array_add(command, g_strconcat("-I", made, NULL));
    g_free(made);
}

/* Commas are the linker's own in -Wl. */
void tw__cli_add_library(GPtrArray *command)
{
    static const char *const words[] = { "-Xlinker", "-rpath", "-Xlinker" };
    g_ptr_array_add(command, g_strconcat("-L", tw_lib_dir(), NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) g_ptr_array_add(command, g_strdup(words[i]));
    g_ptr_array_add(command, g_strdup(tw_lib_dir()));
}
