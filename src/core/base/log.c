/* SPDX-License-Identifier: MIT */
/* The log of guide chapter 9.1: one level per module, from the environment, and one destination per family.
 *
 *     2023-08-22T23:49:40.103248Z PO:ENGINE 3556102.3556102 W: tile 3 needs 12 bytes more than it has
 *
 * UTC time, family and module, process.thread, first letter of the level. A line is written by one call, so
 * lines of several threads never mix. */
#define _GNU_SOURCE
#include "core/base/base.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/progress.h>
#include <time.h>
#include <unistd.h>

enum { UNREAD = 0xff, LINE_BYTES = 4096 };
enum { PO, PL, FAMILIES };

static const struct {
    const char *name;
    int family;
} modules[TW__LOG_COUNT] = {
#define ROW(module, family) { #module, family },
    TW__LOG_MODULES(ROW)
#undef ROW
};
static const char *const family_tag[FAMILIES] = { "PO", "PL" };
static const char *const family_variable[FAMILIES] = { "POPLAR", "POPLIBS" };
static const char *const level_names[] = { "OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE" };

static GMutex lock;
static FILE *destination[FAMILIES];
static char *destination_name[FAMILIES];

unsigned char tw__log_levels[TW__LOG_COUNT] = {
#define ROW(module, family) UNREAD,
    TW__LOG_MODULES(ROW)
#undef ROW
};

static void write_line(int family, const char *module, char letter, const char *text)
{
    struct timespec now;
    struct tm utc;
    char stamp[32], line[LINE_BYTES], shown[LINE_BYTES];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    tw__escape_text(shown, sizeof shown, text, strlen(text), "\n\t");
    int n = snprintf(line, sizeof line - 1, "%s.%06ldZ %s:%s %ld.%ld %c: %s", stamp, now.tv_nsec / 1000,
                     family_tag[family], module, (long)getpid(), (long)gettid(), letter, shown);
    if (n < 0) return;
    if ((size_t)n > sizeof line - 2) n = sizeof line - 2;
    line[n] = '\n';
    FILE *out = destination[family] ? destination[family] : stderr;
    tw_progress_clear();
    fwrite(line, 1, (size_t)n + 1, out);
    fflush(out);
}

/* Level named by an environment variable; `fallback` when it is unset. A level we do not know counts as OFF
 * and is said once, on the log itself. */
static unsigned level_of(const char *variable, int family, unsigned fallback)
{
    const char *value = getenv(variable);
    if (!value || !*value) return fallback;
    for (unsigned level = TW__OFF; level <= TW__TRACE; level++)
        if (g_ascii_strcasecmp(value, level_names[level]) == 0) return level;
    char text[256];
    snprintf(text, sizeof text, "%s: unknown level '%.64s'; levels are OFF, ERR, WARN, INFO, DEBUG, TRACE",
             variable, value);
    write_line(family, "LOG", 'W', text);
    return TW__OFF;
}

static void open_destination(int family)
{
    char variable[64];
    snprintf(variable, sizeof variable, "%s_LOG_DEST", family_variable[family]);
    const char *name = getenv(variable);
    if (!name || !*name) name = "stderr";
    if (destination_name[family] && strcmp(destination_name[family], name) == 0) return;
    FILE *old = destination[family];
    if (old && old != stdout && old != stderr && old != destination[!family]) fclose(old);
    free(destination_name[family]);
    destination_name[family] = strdup(name);
    destination[family] = stderr;
    if (strcmp(name, "stdout") == 0) {
        destination[family] = stdout;
    } else if (strcmp(name, "stderr") != 0) {
        const char *other = destination_name[!family];
        bool shared = other && strcmp(other, name) == 0; /* both families in one file: one stream */
        FILE *file = shared ? destination[!family] : fopen(name, "ae");
        if (file) {
            destination[family] = file;
        } else {
            char text[1024];
            snprintf(text, sizeof text, "cannot open the log file '%s': %s; writing to stderr", name,
                     strerror(errno));
            write_line(family, "LOG", 'E', text);
        }
    }
}

static void log_load(void)
{
    unsigned global[FAMILIES];
    for (int family = 0; family < FAMILIES; family++) {
        char variable[64];
        open_destination(family);
        snprintf(variable, sizeof variable, "%s_LOG_LEVEL", family_variable[family]);
        global[family] = level_of(variable, family, TW__OFF);
    }
    for (int m = 0; m < TW__LOG_COUNT; m++) {
        char variable[64];
        int family = modules[m].family;
        snprintf(variable, sizeof variable, "%s_%s_LOG_LEVEL", family_variable[family], modules[m].name);
        unsigned level = level_of(variable, family, global[family]);
        __atomic_store_n(&tw__log_levels[m], (unsigned char)level, __ATOMIC_RELEASE);
    }
}

void tw__log_reload(void)
{
    g_mutex_lock(&lock);
    log_load();
    g_mutex_unlock(&lock);
}

bool tw__log_on(tw__log_module module, tw__log_level level)
{
    unsigned char current = __atomic_load_n(&tw__log_levels[module], __ATOMIC_ACQUIRE);
    if (current == UNREAD) {
        g_mutex_lock(&lock);
        if (tw__log_levels[module] == UNREAD) log_load();
        g_mutex_unlock(&lock);
        current = __atomic_load_n(&tw__log_levels[module], __ATOMIC_ACQUIRE);
    }
    return level != TW__OFF && level <= current;
}

void tw__log_write(tw__log_module module, tw__log_level level, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0) return;
    g_mutex_lock(&lock);
    write_line(modules[module].family, modules[module].name, level_names[level][0], text);
    g_mutex_unlock(&lock);
}
