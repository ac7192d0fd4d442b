/* SPDX-License-Identifier: MIT */
/* private_folder: folders that hold what will be run. Whoever can write there, or put another folder in its place,
 * decides what this user runs: so each step of the way is looked at, links too. */
#define _GNU_SOURCE
#include "core/base/base.h"

#include <errno.h>
#include <glib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };
/* Users outside of this user namespace, the root of the machine among them, all have this number. */
enum { UNMAPPED_USER = 65534 };

static tw_status private_folder_refuse(const char *folder, const char *step, const char *why)
{
    return tw__fail(TW_E_IO, "the cache folder '%s' is not used: %s%s%s%s; XDG_CACHE_HOME names another place",
                    folder, strcmp(folder, step) == 0 ? "it" : "'", strcmp(folder, step) == 0 ? "" : step,
                    strcmp(folder, step) == 0 ? "" : "'", why);
}

static bool is_trusted_owner(uid_t owner, bool last)
{
    return owner == geteuid() || (!last && (owner == 0 || owner == UNMAPPED_USER));
}

/* On the way, a group that only this user is in does no harm: it has the user's number. */
static bool others_write(const struct stat *st, bool last)
{
    bool group = st->st_mode & S_IWGRP && (last || (st->st_gid != 0 && st->st_gid != geteuid()));
    return group || st->st_mode & S_IWOTH;
}

static tw_status look_at(const char *folder, const char *step, const struct stat *st, bool last)
{
    char why[80];
    if (!is_trusted_owner(st->st_uid, last)) {
        snprintf(why, sizeof why, " belongs to user %lu", (unsigned long)st->st_uid);
        return private_folder_refuse(folder, step, why);
    }
    if (S_ISLNK(st->st_mode)) return TW_OK; /* its owner chose the target */
    if (!S_ISDIR(st->st_mode)) return private_folder_refuse(folder, step, " is not a folder");
    if (others_write(st, last) && (last || !(st->st_mode & S_ISVTX)))
        return private_folder_refuse(folder, step, " can be written by other users");
    return TW_OK;
}

/* All steps of `path`, which is whole, and the targets of links on it. `is_target`: it is what such a link leads to;
 * its last step is not the folder itself. */
static tw_status walk(const char *folder, const char *path, bool is_target, int *links)
{
    char *step = strdup(path), *at = step;
    tw_status status = step ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory for a path");
    while (status == TW_OK && at && *at) {
        struct stat st;
        char *slash = strchr(at + 1, '/'), target[PATH_MAX];
        if (slash) *slash = 0;
        bool last = !slash && !is_target;
        status = lstat(step, &st) == 0 ? look_at(folder, step, &st, last && !S_ISLNK(st.st_mode))
                                       : tw__fail(TW_E_IO, "cannot look at '%s': %s", step, strerror(errno));
        if (status == TW_OK && S_ISLNK(st.st_mode)) {
            ssize_t n = readlink(step, target, sizeof target - 1);
            if (n < 0 || ++*links > MOST_LINKS)
                status = private_folder_refuse(folder, step, " is a link that leads nowhere");
            char *parent = g_path_get_dirname(step);
            if (status == TW_OK) target[n] = 0;
            char *whole = status == TW_OK ? g_canonicalize_filename(target, parent) : NULL;
            if (whole) status = walk(folder, whole, !last, links);
            g_free(whole), g_free(parent);
        }
        if (slash) *slash = '/';
        at = slash;
    }
    free(step);
    return status;
}

tw_status tw_private_folder(const char *path)
{
    if (g_mkdir_with_parents(path, 0700) != 0)
        return tw__fail(TW_E_IO, "cannot create the cache folder '%s': %s; XDG_CACHE_HOME names another place",
                        path, g_strerror(errno));
    int links = 0;
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    return walk(path, whole, false, &links);
}
