/* SPDX-License-Identifier: MIT */
/* The version of this program: that of the library, and the commit that it was built from, where that is known. The
 * build finds it out anew each time (cmake/commit.cmake); src/core/base/build.c reads it too. */
#include "cli/cli.h"
#include "commit.h"

void tw__cli_print_version(const char *program)
{
    printf("%s %s%s%s%s\n", program, tw_version(), *TW_COMMIT ? " (" : "", TW_COMMIT, *TW_COMMIT ? ")" : "");
}
