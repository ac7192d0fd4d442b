/* SPDX-License-Identifier: MIT */
/* The libraries that programs import as <name>: CSL of our own, part of the program (cmake/csl.cmake), so that it
 * needs no installed files. */
#include "csl/lang/compile.h"
#include "core/base/base.h"

#include <string.h>

typedef struct tw__csl_library_file {
    const char *name; /* "memcpy/memcpy" */
    const char *text; /* 0-terminated */
    size_t size;
} tw__csl_library_file;

extern const tw__csl_library_file tw__csl_library_files[]; /* generated; ends with a NULL name */

const char *tw__csl_library(const char *name, size_t *size)
{
    for (const tw__csl_library_file *file = tw__csl_library_files; file->name; file++)
        if (strcmp(file->name, name) == 0) return *size = file->size, file->text;
    return NULL;
}

const char *tw__csl_library_name(size_t index)
{
    for (const tw__csl_library_file *file = tw__csl_library_files; file->name; file++)
        if (index-- == 0) return file->name;
    return NULL;
}

const char *tw__csl_library_nearest(const char *name)
{
    const char *names[128];
    size_t count = 0;
    for (; tw__csl_library_files[count].name && count < sizeof names / sizeof *names; count++)
        names[count] = tw__csl_library_files[count].name;
    return tw__nearest(name, names, count);
}
