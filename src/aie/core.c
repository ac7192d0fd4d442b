/* SPDX-License-Identifier: MIT */
/* Control state of the running core, and what checks report.
 *
 * A report goes to the hook of the thread when there is one (the array collects them by kernel), else to stderr: the
 * debug mode is the one place where this box speaks by itself, because no call returns a status there. */
#include "aie/type_names.h"
#define TW_AIE_CHECK
#include <tilewright/aie/detail/core.h>
#include <tilewright/progress.h>

_Thread_local tw_aie_control tw_aie_core;

static _Thread_local struct {
    void (*hook)(void *user, const char *text);
    void *user;
} reports;

void tw_aie_on_report(void (*hook)(void *user, const char *text), void *user)
{
    reports.hook = hook;
    reports.user = user;
}

void tw__aie_report(const char *intrinsic, const char *format, ...)
{
    char detail[400], text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    if (tw_aie_core.file && tw_aie_core.line == 0) /* a program and an offset: it has no debug information */
        snprintf(text, sizeof text, "%s: %s: %s", tw_aie_core.file, intrinsic, detail);
    else if (tw_aie_core.file)
        snprintf(text, sizeof text, "%s:%d: %s: %s", tw_aie_core.file, tw_aie_core.line, intrinsic, detail);
    else
        snprintf(text, sizeof text, "%s: %s", intrinsic, detail);
    if (reports.hook)
        reports.hook(reports.user, text);
    else
        tw_progress_clear(), fprintf(stderr, "%s\n", text);
}

void tw__aie_report_at(const char *file, int line, const char *intrinsic, const char *format, ...)
{
    char detail[400];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    const char *file_before = tw_aie_core.file;
    int line_before = tw_aie_core.line;
    tw_aie_core.file = file, tw_aie_core.line = line;
    tw__aie_report(intrinsic, "%s", detail);
    tw_aie_core.file = file_before, tw_aie_core.line = line_before;
}

void tw_aie_spend(uint64_t cycles)
{
    tw_aie_core.slots[TW_AIE_SLOT_BLOCKS] += cycles;
}
