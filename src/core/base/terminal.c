/* SPDX-License-Identifier: MIT */
/* terminal: text that came from a file, and colours, as a terminal may get them. */
#include "core/base/base.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

enum { ESCAPED_BYTES = 5 }; /* "\x1b" and its end */

/* The character at `at`: its bytes in *taken; where a terminal would obey it or cannot show it, its code as \x1b in
 * `escaped`, else "" there. A byte that is no UTF-8 counts as a character. */
static void look(const char *at, const char *end, const char *kept, size_t *taken, char escaped[ESCAPED_BYTES])
{
    unsigned char first = (unsigned char)*at;
    gunichar c = first;
    *taken = 1;
    *escaped = 0;
    if (first >= 0x20 && first < 0x7f) return;
    if (first >= 0x80) {
        c = g_utf8_get_char_validated(at, end - at);
        bool valid = c < (gunichar)-2;
        if (valid && c >= 0xa0) {
            *taken = (size_t)g_unichar_to_utf8(c, NULL);
            return;
        }
        if (valid) *taken = 2; /* the controls of the second set, which are two bytes */
        c = valid ? c : first;
    } else if (first && strchr(kept, first)) {
        return;
    }
    snprintf(escaped, ESCAPED_BYTES, "\\x%02x", (unsigned)c & 0xff);
}

size_t tw_print_text(FILE *out, const char *text, size_t length, const char *kept)
{
    size_t columns = 0, taken, plain = 0;
    const char *end = text + length;
    char escaped[ESCAPED_BYTES];
    for (const char *at = text; at < end; at += taken, columns++) {
        look(at, end, kept, &taken, escaped);
        plain += taken;
        if (!*escaped) continue;
        plain -= taken;
        fwrite(at - plain, 1, plain, out);
        fputs(escaped, out);
        plain = 0;
        columns += ESCAPED_BYTES - 2;
    }
    fwrite(end - plain, 1, plain, out);
    return columns;
}

bool tw__escape_text(char *out, size_t room, const char *text, size_t length, const char *kept)
{
    size_t used = 0, taken, bytes;
    const char *end = text + length;
    char escaped[ESCAPED_BYTES];
    const char *at = text;
    for (; at < end; at += taken, used += bytes) {
        look(at, end, kept, &taken, escaped);
        bytes = *escaped ? ESCAPED_BYTES - 1 : taken;
        if (used + bytes >= room) break;
        memcpy(out + used, *escaped ? escaped : at, bytes);
    }
    out[used] = 0;
    return at == end;
}

void tw__print_name(FILE *out, const char *name, int width)
{
    size_t columns = tw_print_text(out, name, strlen(name), "");
    if (width > 0 && columns < (size_t)width) fprintf(out, "%*s", width - (int)columns, "");
}

/* A variable that is set, and not to nothing. */
static const char *setting(const char *name)
{
    const char *value = g_getenv(name);
    return value && *value ? value : NULL;
}

bool tw__use_colours(FILE *out, int wanted)
{
    const char *force = setting("CLICOLOR_FORCE"), *cli = setting("CLICOLOR"), *term = setting("TERM");
    if (force && strcmp(force, "0") != 0) return true;
    if (setting("NO_COLOR") || (cli && strcmp(cli, "0") == 0)) return false;
    if (wanted >= 0) return wanted;
    if (setting("OMPI_COMM_WORLD_RANK"))
        return false; /* Open MPI gives ranks a terminal, wherever it writes to itself */
    int fd = fileno(out);
    return fd >= 0 && isatty(fd) == 1 && term && strcmp(term, "dumb") != 0;
}

bool tw_use_colours(FILE *out)
{
    return tw__use_colours(out, -1);
}
