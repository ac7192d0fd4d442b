/* SPDX-License-Identifier: MIT */
/* File and line of an instruction, for reports about accesses through pointers. Reports are rare, so the program's
 * debug information is read by addr2line (binutils), started once a report; without either the place is
 * program+offset. */
#define _GNU_SOURCE /* dladdr */
#include "aie/check/check.h"

#include <dlfcn.h>
#include <link.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

bool tw__aie_first_report(const char *file, size_t line, int kind)
{
    static GMutex lock;
    static GHashTable *sites;
    char *site = g_strdup_printf("%s:%zu:%d", file, line, kind);
    g_mutex_lock(&lock);
    if (!sites) sites = g_hash_table_new(g_str_hash, g_str_equal);
    bool first = !g_hash_table_contains(sites, site);
    if (first)
        g_hash_table_add(sites, site);
    else
        g_free(site);
    g_mutex_unlock(&lock);
    return first;
}

/* "file:line (discriminator 2)": the file's length and the line; 0: no line. */
static int source_line_split(const char *text, size_t *length)
{
    const char *colon = strrchr(text, ':');
    *length = colon ? (size_t)(colon - text) : 0;
    return colon && text[0] != '?' ? (int)strtol(colon + 1, NULL, 10) : 0;
}

/* Of the frames of an inlined call, innermost first: the first one that is not ours. */
static int choose(char **frames, char *file, size_t size)
{
    for (int i = 0; frames[i]; i++) {
        size_t length;
        int line = source_line_split(frames[i], &length);
        if (line == 0 || g_strstr_len(frames[i], (gssize)length, "include/tilewright/")) continue;
        g_snprintf(file, (gulong)size, "%.*s", (int)length, frames[i]);
        return line;
    }
    return 0;
}

/* Where the program or library that holds `pc` starts, and a path to it: dladdr() knows the program by argv[0]
 * alone. */
static const char *module_of(const void *pc, Dl_info *at)
{
    Dl_info program;
    if (!dladdr(pc, at) || !at->dli_fname) return NULL;
    bool is_program = dladdr((void *)getauxval(AT_PHDR), &program) && program.dli_fbase == at->dli_fbase; // NOLINT
    return is_program ? "/proc/self/exe" : at->dli_fname;
}

int tw__aie_source_of(const void *pc, char *file, size_t size)
{
    Dl_info at;
    const char *module = module_of((const char *)pc - 1, &at);
    g_snprintf(file, (gulong)size, "%p", pc);
    if (!module) return 0;
    const ElfW(Ehdr) *header = at.dli_fbase;
    uintptr_t offset = (uintptr_t)pc - 1 - (header->e_type == ET_DYN ? (uintptr_t)at.dli_fbase : 0);
    g_snprintf(file, (gulong)size, "%s+0x%zx", at.dli_fname, (size_t)offset);
    static const char *const tools[] = { "addr2line", "llvm-addr2line", "llvm-addr2line-19" };
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        char address[32], *out = NULL;
        g_snprintf(address, sizeof address, "0x%zx", (size_t)offset);
        char *argv[] = { (char *)tools[i], "-i", "-e", g_file_read_link(module, NULL), address, NULL };
        char *path = argv[3];
        if (!path) argv[3] = (char *)module;
        bool ran = g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                                &out, NULL, NULL, NULL);
        char **frames = ran ? g_strsplit(g_strchomp(out), "\n", 0) : NULL;
        int line = frames ? choose(frames, file, size) : 0;
        g_strfreev(frames), g_free(out), g_free(path);
        if (ran) return line;
    }
    return 0;
}
