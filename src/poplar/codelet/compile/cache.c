/* SPDX-License-Identifier: MIT */
/* Compiled codelets on disk, under the XDG cache folder. They are run: a folder that others can write is refused.
 *
 * A source has a base key: its text, flags, target, compiler, CPU and our headers. <base>.deps lists the user's
 * headers that it read last time; together with their present contents they give the key of the result. So a changed
 * header leads to another result, and going back finds the old one.
 *
 * Files are made under names that nobody else has (mkostemp: processes of two containers may have one number), closed
 * by a checksum of their contents and of their own name, synced and renamed: readers see them whole or not at all. An
 * entry that is damaged, or stands under another name, is removed when it is met, and made again. Nothing is locked:
 * two writers of one key write the same thing (test_codelet_cache lets many begin at once). */
#define _GNU_SOURCE
#include "poplar/codelet/compile/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *tw__cache_folder(void)
{
    const char *cache = tw__cache_dir();
    if (!cache) return NULL;
    char *folder = g_build_filename(cache, "codelets", NULL);
    if (tw_private_folder(folder) == TW_OK) return folder;
    g_free(folder);
    return NULL;
}

char *tw__cache_path(const char *key, const char *suffix)
{
    g_autofree char *folder = tw__cache_folder();
    return folder ? g_strdup_printf("%s/%s%s", folder, key, suffix) : NULL;
}

/* Temporary files of processes that were stopped: nothing is compiled for an hour. */
static void collect_stale(const char *folder)
{
    enum { HOUR = 3600 };
    GDir *dir = g_dir_open(folder, 0, NULL);
    gint64 now = g_get_real_time() / G_USEC_PER_SEC;
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        GStatBuf info;
        if (!g_str_has_prefix(name, "tmp-")) continue;
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_lstat(path, &info) == 0 && now - info.st_mtime > HOUR) g_unlink(path);
    }
    if (dir) g_dir_close(dir);
}

char *tw__cache_temporary(const char *suffix)
{
    static gsize collected;
    g_autofree char *folder = tw__cache_folder();
    if (!folder) return NULL;
    if (g_once_init_enter(&collected)) {
        collect_stale(folder);
        g_once_init_leave(&collected, 1);
    }
    char *path = g_strdup_printf("%s/tmp-XXXXXX%s", folder, suffix);
    int fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
    if (fd >= 0 && close(fd) == 0) return path;
    tw__fail(TW_E_IO, "cannot write to the cache folder '%s': %s; XDG_CACHE_HOME names another place", folder,
             g_strerror(errno));
    g_free(path);
    return NULL;
}

/* Adds a file to a key. Contents come in four products at a time, one of 8 bytes each: SHA-256 of an archive of 17 MB
 * (PopLibs' popops) took as long as all else together, that of our headers half of the time of a codelet that is in
 * the cache. What differs by accident differs here. */
static void add_contents(GChecksum *sum, const char *path, const char *data, size_t size)
{
    uint64_t lanes[4] = { 0x9fb21c651e98df25u, 0xcbf29ce484222325u, 0x100000001b3u, size }, word;
    size_t at = 0;
    for (; size - at >= sizeof lanes; at += sizeof lanes)
        for (int i = 0; i < 4; i++) {
            memcpy(&word, data + at + 8 * i, sizeof word);
            lanes[i] = (lanes[i] ^ word) * 0x9fb21c651e98df25u;
            lanes[i] ^= lanes[i] >> 29;
        }
    g_checksum_update(sum, (const guchar *)path, (gssize)strlen(path) + 1);
    g_checksum_update(sum, (const guchar *)lanes, sizeof lanes);
    g_checksum_update(sum, (const guchar *)data + at, (gssize)(size - at));
}

/* Behind the contents: tables end with a line of it, and linkers and loaders do not look behind an object's
 * sections. */
#define SEAL_TEXT "\n#tilewright "
enum { SEAL_BYTES = sizeof SEAL_TEXT - 1 + 64 + 1 };

/* SEAL_TEXT, checksum of name and contents, newline; g_free. */
static char *seal_of(const char *path, const char *data, size_t length)
{
    g_autofree char *name = g_path_get_basename(path);
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    add_contents(sum, name, data, length);
    char *seal = g_strconcat(SEAL_TEXT, g_checksum_get_string(sum), "\n", NULL);
    g_checksum_free(sum);
    return seal;
}

/* A folder, or what is not there, is no error that GLib should put into words: without memory it prints why not. */
static bool cache_read_file(const char *path, char **data, gsize *length)
{
    return g_file_test(path, G_FILE_TEST_IS_REGULAR) && g_file_get_contents(path, data, length, NULL);
}

bool tw__cache_read(const char *path, char **data, size_t *size)
{
    char *text = NULL;
    gsize length = 0;
    if (data) *data = NULL;
    if (!path || !cache_read_file(path, &text, &length)) return false;
    bool whole = length >= SEAL_BYTES;
    if (whole) {
        length -= SEAL_BYTES;
        g_autofree char *seal = seal_of(path, text, length);
        whole = memcmp(text + length, seal, SEAL_BYTES) == 0;
    }
    if (!whole) {
        TW__LOG(CODELETS, WARN, "'%s' is damaged; it is made again", path);
        g_unlink(path);
    }
    if (whole && data) {
        text[length] = 0, *data = text;
        if (size) *size = length;
    } else {
        g_free(text);
    }
    return whole;
}

tw_status tw__cache_lost(const char *path)
{
    return tw__fail(TW_E_IO,
                    "'%s' went from the cache folder while it was in use, or there is no memory to read it", path);
}

static bool write_all(int fd, const char *data, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, data + done, length - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return false;
    }
    return true;
}

/* Seals, syncs, renames. The temporary file is gone afterwards. */
static tw_status publish(int fd, const char *temporary, const char *path, const char *data, size_t length)
{
    g_autofree char *seal = seal_of(path, data, length);
    bool ok = fd >= 0 && write_all(fd, seal, SEAL_BYTES) && fsync(fd) == 0;
    int problem = errno;
    if (fd >= 0 && close(fd) != 0 && ok) ok = false, problem = errno;
    if (ok && g_rename(temporary, path) == 0) return TW_OK;
    if (ok) problem = errno;
    g_unlink(temporary);
    return tw__fail(TW_E_IO, "cannot write '%s': %s", path, g_strerror(problem));
}

tw_status tw__cache_publish(const char *temporary, const char *path)
{
    char *data = NULL;
    gsize length = 0;
    if (!g_file_get_contents(temporary, &data, &length, NULL)) {
        int problem = errno;
        g_unlink(temporary);
        return tw__fail(TW_E_IO, "cannot read '%s': %s", temporary, g_strerror(problem));
    }
    tw_status status = publish(open(temporary, O_WRONLY | O_APPEND | O_CLOEXEC), temporary, path, data, length);
    g_free(data);
    return status;
}

tw_status tw__cache_write(const char *path, const char *data, size_t length)
{
    g_autofree char *temporary = tw__cache_temporary(".new");
    if (!temporary) return TW_E_IO;
    int fd = open(temporary, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && !write_all(fd, data, length)) {
        int problem = errno;
        close(fd), g_unlink(temporary);
        return tw__fail(TW_E_IO, "cannot write '%s': %s", path, g_strerror(problem));
    }
    return publish(fd, temporary, path, data, length);
}

static bool add_file(GChecksum *sum, const char *path)
{
    char *data;
    gsize length;
    if (!cache_read_file(path, &data, &length)) return false;
    add_contents(sum, path, data, length);
    g_free(data);
    return true;
}

static gint cache_by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *header_names(void)
{
    static const char *const folders[] = { "poplar", "poplar/device" };
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *folder = g_build_filename(tw__include_dir(), folders[i], NULL);
        GDir *dir = g_dir_open(folder, 0, NULL);
        for (const char *name; dir && (name = g_dir_read_name(dir));)
            g_ptr_array_add(names, g_build_filename(folder, name, NULL));
        if (dir) g_dir_close(dir);
    }
    g_ptr_array_sort(names, cache_by_name);
    g_ptr_array_add(names, g_build_filename(tw__include_dir(), "tilewright", "codelet.h", NULL));
    return names;
}

/* Names, sizes and times: the same as long as nobody writes to one of the files. */
static char *stamp_of(const GPtrArray *names)
{
    GString *stamp = g_string_new(NULL);
    for (guint i = 0; i < names->len; i++) {
        struct stat info = { 0 };
        stat(names->pdata[i], &info);
        g_string_append_printf(stamp, "%s %llu %lld %lld.%09ld %lld.%09ld\n", (char *)names->pdata[i],
                               (unsigned long long)info.st_ino, (long long)info.st_size,
                               (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, (long long)info.st_ctim.tv_sec,
                               info.st_ctim.tv_nsec);
    }
    return g_string_free(stamp, FALSE);
}

static char *digest_of(const GPtrArray *names)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    bool any = false;
    for (guint i = 0; i < names->len; i++) any = add_file(sum, names->pdata[i]) || any; /* folders are skipped */
    char *digest = any ? g_strdup(g_checksum_get_string(sum)) : NULL;
    g_checksum_free(sum);
    return digest;
}

/* A source for all targets asks five times. */
char *tw__cache_headers_digest(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* which ThreadSanitizer knows */
    static char *kept, *kept_stamp;
    GPtrArray *names = header_names();
    pthread_mutex_lock(&lock);
    char *stamp = stamp_of(names);
    if (!kept_stamp || strcmp(stamp, kept_stamp) != 0) {
        g_free(kept);
        kept = digest_of(names);
        char *old = kept_stamp;
        kept_stamp = stamp, stamp = old;
    }
    char *digest = g_strdup(kept);
    pthread_mutex_unlock(&lock);
    g_free(stamp);
    g_ptr_array_free(names, TRUE);
    return digest;
}

char *tw__cache_result_key(const char *base, char *const *dependencies)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)base, -1);
    bool ok = true;
    for (char *const *path = dependencies; path && *path && ok; path++) {
        if (!g_str_has_prefix(*path, "/usr/")) {
            ok = add_file(sum, *path);
            continue;
        }
        GStatBuf info; /* of the system: they change by installing, which changes their time */
        ok = g_stat(*path, &info) == 0;
        g_autofree char *text =
            g_strdup_printf("%s %lld %lld", *path, (long long)info.st_size, (long long)info.st_mtime);
        g_checksum_update(sum, (const guchar *)text, -1);
    }
    char *key = ok ? g_strdup(g_checksum_get_string(sum)) : NULL;
    g_checksum_free(sum);
    return key;
}

char **tw__cache_read_list(const char *path)
{
    g_autofree char *text = NULL;
    if (!tw__cache_read(path, &text, NULL)) return NULL;
    return g_strsplit(g_strchomp(text), "\n", -1);
}

/* clang lists names with slashes for their backslashes. Those of the source's folder are known. */
static char *found_name(const char *name, const char *source)
{
    g_autofree char *folder = g_path_get_dirname(source), *listed = g_strdup(folder);
    g_strdelimit(listed, "\\", '/');
    size_t length = strlen(listed);
    if (!strchr(folder, '\\') || strncmp(name, listed, length) != 0 || g_access(name, F_OK) == 0)
        return g_strdup(name);
    return g_strconcat(folder, name + length, NULL);
}

char **tw__cache_read_depfile(const char *path, const char *skip)
{
    GPtrArray *files = g_ptr_array_new();
    g_autofree char *text = NULL;
    if (cache_read_file(path, &text, NULL)) {
        const char *at = strchr(text, ':');
        GString *name = g_string_new(NULL);
        for (at = at ? at + 1 : ""; *at || name->len; at++) { /* blanks in names are written "\ " */
            bool blank = *at == 0 || g_ascii_isspace(*at);
            if ((*at == '\\' && (at[1] == ' ' || at[1] == '#')) || (*at == '$' && at[1] == '$')) {
                g_string_append_c(name, *++at);
            } else if (*at == '\\' && at[1] == '\n') {
                at++;
            } else if (!blank) {
                g_string_append_c(name, *at);
            } else if (name->len) {
                if (strcmp(name->str, skip) != 0 && strcmp(name->str, "-") != 0 && name->str[0] != '<')
                    g_ptr_array_add(files, found_name(name->str, skip));
                g_string_truncate(name, 0);
            }
            if (!*at) break;
        }
        g_string_free(name, TRUE);
    }
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, FALSE);
}

char *tw__identity_of_bytes(const char *path, const char *data, size_t size)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    add_contents(sum, path, data, size);
    char *identity = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return identity;
}
