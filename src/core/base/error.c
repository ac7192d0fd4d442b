/* SPDX-License-Identifier: MIT */
/* Status codes and the detail text of the last failure.
 *
 * The text lives in a fixed buffer per thread: reporting an error needs no memory, so "out of memory" can be
 * reported like anything else. A text that does not fit ends in "...". */
#include "core/base/base.h"
#include "core/base/kept_error.h"

#include <stdlib.h>
#include <string.h>

enum { DETAIL_BYTES = 2048 };

static _Thread_local char detail[DETAIL_BYTES];
static _Thread_local tw_status last;
static _Thread_local bool made_nothing; /* the last failure was that of a call which makes an object */

typedef struct status_row {
    tw_status status;
    const char *name, *exception, *text;
} status_row;

static const status_row rows[] = {
#define ROW(name, value, exception, text) { TW_E_##name, "TW_E_" #name, exception, text },
    TW_STATUS_LIST(ROW)
#undef ROW
};

static const status_row *error_find(tw_status status)
{
    static const status_row unknown = { TW_OK, "unknown", "poplar_error", "unknown" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status) return &rows[i];
    return &unknown;
}

const char *tw_status_name(tw_status status)
{
    return status == TW_OK ? "TW_OK" : error_find(status)->name;
}

const char *tw_status_exception(tw_status status)
{
    return error_find(status)->exception;
}

const char *tw_status_text(tw_status status)
{
    return error_find(status)->text;
}

tw_status tw_error_status(void)
{
    return last;
}

const char *tw_error_message(void)
{
    return detail;
}

const char *tw_version(void)
{
    return TW_VERSION;
}

void tw__set_error(tw_status status, const char *text)
{
    char shown[DETAIL_BYTES]; /* text may be the detail itself; names in it are of files that anybody wrote */
    size_t length = strlen(text);
    if (!tw__escape_text(shown, DETAIL_BYTES, text, length, "\n\t")) {
        tw__escape_text(shown, DETAIL_BYTES - 3, text, length, "\n\t");
        strcat(shown, "...");
    }
    memcpy(detail, shown, strlen(shown) + 1);
    last = status;
    made_nothing = false;
}

void *tw__made(tw_status status, void *made)
{
    if (status == TW_OK) return made;
    last = status; /* the message is there */
    made_nothing = true;
    return NULL;
}

tw_status tw__missing(const char *what)
{
    return made_nothing ? last : tw__fail(TW_E_INVALID_ARGUMENT, "the %s is NULL", what);
}

tw_status tw__vfail(tw_status status, const char *format, va_list args)
{
    /* Formatted aside: an argument is often tw_error_message() of the failure below. */
    char text[DETAIL_BYTES + 1];
    if (vsnprintf(text, sizeof text, format, args) < 0) snprintf(text, sizeof text, "%s", tw_status_text(status));
    tw__set_error(status, text);
    return status;
}

tw_status tw__fail(tw_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw__vfail(status, format, args);
    va_end(args);
    return status;
}

tw_status tw_error_set(tw_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw__vfail(status, format, args);
    va_end(args);
    return status;
}

/* --- put aside -------------------------------------------------------------------------------------------------- */

struct tw__kept_error {
    tw_status status;
    bool made_nothing;
    char text[DETAIL_BYTES];
};

tw__kept_error *tw__error_keep(void)
{
    tw__kept_error *kept = malloc(sizeof *kept);
    if (!kept) return NULL;
    kept->status = last, kept->made_nothing = made_nothing;
    memcpy(kept->text, detail, sizeof detail);
    return kept;
}

void tw__error_put_back(tw__kept_error *kept)
{
    if (!kept) return;
    last = kept->status, made_nothing = kept->made_nothing;
    memcpy(detail, kept->text, sizeof detail);
    free(kept);
}
