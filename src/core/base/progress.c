/* Progress of long work: one line on stderr, rewritten in place. Quiet unless stderr is a terminal and the
 * work takes longer than half a second; TILEWRIGHT_PROGRESS=1 shows it always (one line per report when
 * stderr is not a terminal), =0 never. */
#include "core/base/base.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 500, NEXT_MS = 100 };

double tw__seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t now_ms(void)
{
    return (uint64_t)(tw__seconds() * 1000);
}

static bool forced(void)
{
    const char *wish = getenv("TILEWRIGHT_PROGRESS");
    return wish && strcmp(wish, "1") == 0;
}

tw__progress tw__progress_begin(const char *what, uint64_t total)
{
    const char *wish = getenv("TILEWRIGHT_PROGRESS");
    bool on = forced() || (!(wish && *wish) && isatty(STDERR_FILENO));
    return (
        tw__progress){ .what = what, .total = total, .on = on, .last_ms = on ? now_ms() + FIRST_MS - NEXT_MS : 0 };
}

static void show(const tw__progress *progress)
{
    const char *end = isatty(STDERR_FILENO) ? "\r" : "\n";
    char done[32], total[32];
    tw__commas(done, sizeof done, progress->done);
    if (progress->total)
        fprintf(stderr, "%s: %s of %s (%.0f%%)%s", progress->what, done,
                tw__commas(total, sizeof total, progress->total),
                100.0 * (double)progress->done / (double)progress->total, end);
    else
        fprintf(stderr, "%s: %s%s", progress->what, done, end);
    fflush(stderr);
}

void tw__progress_step(tw__progress *progress, uint64_t done)
{
    progress->done = done;
    if (!progress->on) return;
    uint64_t now = now_ms();
    if (now < progress->last_ms + NEXT_MS) return;
    progress->last_ms = now;
    show(progress);
}

void tw__progress_end(tw__progress *progress)
{
    if (!progress->on) return;
    progress->on = false;
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); /* leave a clean line */
    else
        show(progress);
}
