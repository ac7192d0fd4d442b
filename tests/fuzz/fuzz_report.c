/* SPDX-License-Identifier: MIT */
/* Profiles from anywhere: whatever loads becomes a report, its findings and tables, and nothing of it becomes
 * markup. */
// needs: report
// seeds: tests/golden/profile_*.json
#include "report/report.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Base64 has no '<', and pieces are joined by one text. */
static void look_at_data(const char *at)
{
    size_t joint = strlen(tw__report_joint);
    while (*at) {
        if (!strncmp(at, tw__report_joint, joint))
            at += joint;
        else if (*at == '<' || *at == '>')
            abort();
        else
            at++;
    }
}

static void look(char *page)
{
    char *data = strrchr(page, '|');
    if (!data) abort();
    look_at_data(data);
    *data = 0;
    for (const char *c = page; *c; c++)
        if ((unsigned char)*c < 0x20 && *c != '\n') abort();
    if (strstr(page, "<script") || strstr(page, "<!--")) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char page[] = "<!--tilewright:title-->|<!--tilewright:summary-->|<!--tilewright:data-->";
    static const char mark[] = "\n----\n";
    const char *text = (const char *)data, *second = NULL;
    size_t first_size = size, second_size = 0;
    for (size_t i = 0; i + 6 <= size && !second; i++)
        if (!memcmp(text + i, mark, 6)) second = text + i + 6, first_size = i, second_size = size - i - 6;
    tw_profile *p = NULL;
    if (!size || tw_status_of(p = tw_profile_load(first_size ? text : NULL, first_size, second, second_size)))
        return 0;
    if (tw_profile_tiles(p) <= 4096) {
        char *made = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&made, &bytes);
        if (out && tw__report_write(page, sizeof page - 1, p, p, out, NULL) == TW_OK) {
            fclose(out);
            look(made);
        } else if (out) {
            fclose(out);
        }
        free(made);
        out = fopen("/dev/null", "w");
        if (out) {
            tw_profile_print_top(p, out, TW_COLOURS_ON, 5);
            tw_profile_print_tiles(p, out, TW_COLOURS_OFF, 5);
            tw_profile_print_memory(p, out, TW_COLOURS_ON, 5);
            tw_profile_print_names(p, out, TW_COLOURS_OFF, 7);
            tw_profile_print_lines(p, out, TW_COLOURS_ON, 5);
            tw_profile_print_diff(p, p, out, TW_COLOURS_OFF, 5);
            fclose(out);
        }
    }
    tw_profile_free(p);
    return 0;
}
