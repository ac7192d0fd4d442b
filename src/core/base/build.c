/* SPDX-License-Identifier: MIT */
/* Which build this library is: ranks of different ones, and runs that another one resumes, may differ in results. The
 * build finds the commit out anew each time (cmake/commit.cmake). */
#include "core/base/checkpoint.h"

#include "commit.h"
#include <stdio.h>

const char *tw__build_name(void)
{
    static char text[96];
    if (!*text) snprintf(text, sizeof text, *TW_COMMIT ? "%s (%s)" : "%s%s", tw_version(), TW_COMMIT);
    return text;
}
