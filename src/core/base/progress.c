/* SPDX-License-Identifier: MIT */
/* progress: the line of <tilewright/progress.h>. Nobody writes it but whoever tells, when it is due: no thread, no
 * signal. */
#define _GNU_SOURCE
#include "core/base/base.h"

#include <glib.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <tilewright/progress.h>
#include <time.h>
#include <unistd.h>

enum { EVERY = 200 /* ms */, LONG = 500 /* ms */, MOST_COLUMNS = 100, NEVER = -1, TEXT = 64 };

static GMutex lock;              /* of all but the next three */
static atomic_int_least64_t due; /* ms of the clock; 0: nothing has begun */
static atomic_bool shown, off;
static int64_t wait;         /* ms before the first line; 0: the environment was not read */
static int64_t began, ended; /* when the first call was, and the last end of something that was worth a line */
static struct {
    char unit[TEXT];
    uint64_t done;
    int64_t at;
} first; /* what rates are counted from */

/* This clock costs some nanoseconds and goes in steps of some milliseconds. */
static int64_t milliseconds(void)
{
    struct timespec t = { 0 };
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}

static int64_t wanted_wait(void)
{
    const char *value = getenv("TILEWRIGHT_PROGRESS"), *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    double seconds = value ? g_ascii_strtod(value, NULL) : 0;
    bool can = isatty(STDERR_FILENO) == 1 && !(plain && *plain) && !(terminal && strcmp(terminal, "dumb") == 0);
    return can && seconds > 0 && seconds < 1e6 ? (int64_t)(seconds * 1000) + 1 : NEVER;
}

/* --- its text -------------------------------------------------------------------------------------------------- */

static void add_count(GString *text, uint64_t n)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) g_string_append_c(text, ',');
        g_string_append_c(text, digits[i]);
    }
}

static void add_rate(GString *text, double rate)
{
    if (rate >= 1e6)
        g_string_append_printf(text, "%.1f million", rate / 1e6);
    else if (rate >= 10)
        add_count(text, (uint64_t)rate);
    else
        g_string_append_printf(text, "%.2g", rate);
}

static void add_time(GString *text, double seconds)
{
    unsigned long long s = seconds < 1e9 ? (unsigned long long)(seconds + 0.5) : 1000000000;
    if (s < 60)
        g_string_append_printf(text, "%llu s", s);
    else if (s < 3600)
        g_string_append_printf(text, "%llu min %llu s", s / 60, s % 60);
    else
        g_string_append_printf(text, "%llu h %llu min", s / 3600, s / 60 % 60);
}

/* "wafer: 1,234,567 cycles, 402,000 a second, 3 s"; "tile programs: 512 of 4,096, 201 a second, 18 s left". */
static void progress_text(GString *text, const char *what, uint64_t done, uint64_t total, int64_t now, bool rates)
{
    double rate = now > first.at ? (double)(done - first.done) * 1000 / (double)(now - first.at) : 0;
    g_string_append_printf(text, "%s: ", what);
    add_count(text, done);
    if (total) g_string_append(text, " of "), add_count(text, total);
    g_string_append_printf(text, " %s", first.unit);
    if (rate > 0 && rates) g_string_append(text, ", "), add_rate(text, rate), g_string_append(text, " a second");
    g_string_append(text, ", ");
    bool is_left = total >= done && total && rate > 0;
    add_time(text, is_left ? (double)(total - done) / rate : (double)(now - began) / 1000);
    if (is_left) g_string_append(text, " left");
}

/* --- the terminal ---------------------------------------------------------------------------------------------- */

static void write_line(const char *text, size_t size)
{
    ssize_t ignored = write(STDERR_FILENO, text, size); /* a line that is lost is the next one's business */
    (void)ignored;
}

static void take_away(void)
{
    if (atomic_exchange(&shown, false)) write_line("\r\033[K", 4);
}

/* No longer than a row of the terminal: one that wraps could not be taken away. The rate is the first to go. */
static void draw(const char *what, uint64_t done, uint64_t total, int64_t now)
{
    struct winsize size = { 0 };
    char name[TEXT];
    size_t most = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79;
    glong room = (glong)MIN(most, MOST_COLUMNS) + 1;
    g_autoptr(GString) text = g_string_new("\r");
    tw__escape_text(name, sizeof name, what, strlen(what), "");
    progress_text(text, name, done, total, now, true);
    bool is_utf8 = g_utf8_validate(text->str, -1, NULL);
    if (is_utf8 && g_utf8_strlen(text->str, -1) > room)
        g_string_truncate(text, 1), progress_text(text, name, done, total, now, false);
    if (is_utf8 && g_utf8_strlen(text->str, -1) > room)
        g_string_truncate(text, (gsize)(g_utf8_offset_to_pointer(text->str, room) - text->str));
    g_string_append(text, "\033[K");
    write_line(text->str, text->len);
    atomic_store(&shown, true);
}

/* --- calls ----------------------------------------------------------------------------------------------------- */

static void progress_due(const char *what, const char *unit, uint64_t done, uint64_t total, int64_t now)
{
    if (!wait) wait = wanted_wait();
    if (wait == NEVER) {
        atomic_store(&off, true);
        return;
    }
    bool begins = !atomic_load(&due), goes_on = begins && ended && now - ended < EVERY;
    if (begins && !goes_on) began = now;
    if (begins || done < first.done || strncmp(unit, first.unit, TEXT - 1) != 0) {
        g_strlcpy(first.unit, unit, TEXT);
        first.done = done, first.at = now;
    }
    if (!begins && now - began >= wait) draw(what, done, total, now);
    atomic_store(&due, !begins ? now + EVERY : began + wait > now ? began + wait : now + LONG);
}

void tw_progress_tell(const char *what, const char *unit, uint64_t done, uint64_t total)
{
    if (!what || !unit || atomic_load_explicit(&off, memory_order_relaxed)) return;
    int64_t now = milliseconds();
    if (now < atomic_load_explicit(&due, memory_order_relaxed)) return;
    g_mutex_lock(&lock);
    if (now >= atomic_load(&due))
        progress_due(what, unit, done, total, now); /* not told by another thread meanwhile */
    g_mutex_unlock(&lock);
}

void tw_progress_end(void)
{
    if (atomic_load(&off)) return;
    g_mutex_lock(&lock);
    int64_t now = milliseconds();
    take_away();
    if (atomic_load(&due)) ended = now - first.at >= LONG ? now : 0; /* what follows at once belongs to it */
    atomic_store(&due, 0);
    g_mutex_unlock(&lock);
}

void tw_progress_clear(void)
{
    if (!atomic_load_explicit(&shown, memory_order_relaxed)) return;
    g_mutex_lock(&lock);
    take_away();
    g_mutex_unlock(&lock);
}
