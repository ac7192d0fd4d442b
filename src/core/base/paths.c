/* SPDX-License-Identifier: MIT */
/* Where files of Tilewright lie: the cache of the user, the headers for codelets, the modules loaded at run
 * time.
 *
 * TILEWRIGHT_ROOT names an installed tree. Otherwise the library looks beside itself
 * (<prefix>/lib/libtilewright.so finds <prefix>/include, so an installed tree can be moved), and last in the
 * tree it was built in. */
#define _GNU_SOURCE
#include "core/base/base.h"

#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TW_SOURCE_DIR
#define TW_SOURCE_DIR "/usr"
#endif
#ifndef TW_BINARY_DIR
#define TW_BINARY_DIR "/usr/lib"
#endif

static bool paths_join(char out[PATH_MAX], const char *folder, const char *rest)
{
    return snprintf(out, PATH_MAX, "%s%s", folder, rest) < PATH_MAX;
}

static bool has_headers(const char *folder)
{
    char header[PATH_MAX];
    return paths_join(header, folder, "/tilewright/base.h") && g_access(header, F_OK) == 0;
}

static bool find_library(char out[PATH_MAX])
{
    Dl_info info;
    if (!dladdr((const void *)(uintptr_t)tw__lib_dir, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash || strncmp(slash, "/libtilewright.", strlen("/libtilewright.")) != 0) return false;
    char folder[PATH_MAX];
    if (slash - info.dli_fname >= PATH_MAX) return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
    return realpath(*folder ? folder : "/", out) != NULL;
}

/* Folder of libtilewright.so, when this code runs from it and not from a statically linked program; found once. */
static const char *library_folder(void)
{
    static char folder[PATH_MAX];
    static gsize found;
    if (g_once_init_enter(&found)) g_once_init_leave(&found, find_library(folder) ? 2 : 1);
    return found == 2 ? folder : NULL;
}

static bool find_headers(char out[PATH_MAX])
{
    static const char *const above[] = { "/../include", "/../../include" }; /* lib, lib/x86_64-linux-gnu */
    const char *folder = library_folder();
    char candidate[PATH_MAX];
    for (size_t i = 0; folder && i < sizeof above / sizeof *above; i++)
        if (paths_join(candidate, folder, above[i]) && has_headers(candidate) && realpath(candidate, out))
            return true;
    return false;
}

/* Those that belong to the library, found once. */
static const char *library_headers(void)
{
    static char folder[PATH_MAX];
    static gsize found;
    if (g_once_init_enter(&found)) g_once_init_leave(&found, find_headers(folder) ? 2 : 1);
    return found == 2 ? folder : NULL;
}

/* Below the tree that the user names, as a whole path: it ends up in search paths of programs. */
static bool below_root(char path[PATH_MAX], const char *rest)
{
    const char *root = getenv("TILEWRIGHT_ROOT");
    if (!root || !*root) return false;
    g_autofree char *whole = g_canonicalize_filename(root, NULL);
    return paths_join(path, whole, rest);
}

const char *tw__lib_dir(void)
{
    static _Thread_local char path[PATH_MAX];
    if (below_root(path, "/lib")) return path;
    return library_folder() ? library_folder() : TW_BINARY_DIR;
}

const char *tw__include_dir(void)
{
    static _Thread_local char path[PATH_MAX];
    if (below_root(path, "/include")) return path;
    return library_headers() ? library_headers() : TW_SOURCE_DIR "/include";
}

/* Users without a home have a folder each. */
static bool own_in_tmp(char path[PATH_MAX])
{
    char name[32];
    snprintf(name, sizeof name, "/tilewright-%lu", (unsigned long)geteuid());
    return paths_join(path, g_get_tmp_dir(), name);
}

const char *tw__cache_dir(void)
{
    static _Thread_local char path[PATH_MAX];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool fits;
    if (cache && *cache == '/')
        fits = paths_join(path, cache, "/tilewright"); /* the XDG rule: relative values are ignored */
    else
        fits = home && *home == '/' ? paths_join(path, home, "/.cache/tilewright") : own_in_tmp(path);
    if (!fits) return tw__fail(TW_E_IO, "the name of the cache folder is too long"), NULL;
    return tw_private_folder(path) == TW_OK ? path : NULL;
}

const char *tw_include_dir(void)
{
    return tw__include_dir();
}
const char *tw_lib_dir(void)
{
    return tw__lib_dir();
}
const char *tw_cache_dir(void)
{
    return tw__cache_dir();
}
