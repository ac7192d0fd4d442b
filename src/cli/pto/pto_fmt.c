/* SPDX-License-Identifier: MIT */
/* pto_fmt: `tilewright pto fmt`. */
#include "cli/pto/pto.h"

#include <string.h>

static char *pto_layout(const char *name, const char *source, size_t size, size_t *length)
{
    char *printed = NULL;
    tw_pto_text *text = tw_pto_text_parse(name, source, size, NULL, NULL);
    bool good = text && tw_diags_count(tw_pto_text_diags(text), TW_ERROR) == 0;
    if (!text || (good && !(printed = tw_pto_text_print(text)))) tw__cli_failure("pto");
    fflush(stdout);
    if (text) tw_diags_print(tw_pto_text_diags(text), stderr, tw_use_colours(stderr));
    tw_pto_text_free(text);
    *length = printed ? strlen(printed) : 0;
    return printed;
}

int tw__pto_format(int argc, char **argv)
{
    return tw__cli_format("pto", pto_layout, argc, argv);
}
