/* SPDX-License-Identifier: MIT */
/* poplar::constraint attributes: compilers drop attributes of vendors they do not know, so the name is replaced by a
 * macro of <poplar/Vertex.hpp> that gives an annotation. Both names have 18 letters: columns do not move. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>

#define NAME "TW__constraint____"

typedef struct cursor {
    const char *at, *end;
} cursor;

static bool starts(cursor c, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(c.end - c.at) >= n && memcmp(c.at, text, n) == 0;
}

static bool rewrite_is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

/* Past a comment, string or character literal that begins at c.at; c.at itself when none does. */
static const char *skip_opaque(cursor c, bool after_word)
{
    const char *at = c.at;
    if (starts(c, "//")) {
        while (at < c.end && *at != '\n') at++;
        return at;
    }
    if (starts(c, "/*")) {
        for (at += 2; at + 1 < c.end; at++)
            if (at[0] == '*' && at[1] == '/') return at + 2;
        return c.end;
    }
    static const char *const prefixes[] = { "u8R\"", "uR\"", "UR\"", "LR\"" };
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes) && !after_word; i++)
        if (starts(c, prefixes[i])) return skip_opaque((cursor){ at + strlen(prefixes[i]) - 2, c.end }, false);
    if (starts(c, "R\"") && !after_word) { /* R"tag(...)tag", a tag of 16 characters at most */
        const char *open = memchr(at, '(', (size_t)(c.end - at));
        if (!open || open - at > 18) return at + 2;
        g_autofree char *close = g_strdup_printf(")%.*s\"", (int)(open - at - 2), at + 2);
        for (at = open; at < c.end; at++)
            if (starts((cursor){ at, c.end }, close)) return at + strlen(close);
        return c.end;
    }
    if (*at != '"' && (*at != '\'' || after_word)) return at; /* 1'000 is a number */
    for (char quote = *at++; at < c.end && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at + 1 < c.end) at++;
    return at < c.end ? at + 1 : c.end;
}

/* Past blanks and comments. */
static cursor skip_blanks(cursor c)
{
    for (;;) {
        while (c.at < c.end && g_ascii_isspace(*c.at)) c.at++;
        if (!starts(c, "//") && !starts(c, "/*")) return c;
        c.at = skip_opaque(c, false);
    }
}

/* End of "poplar :: constraint" followed by "(", NULL when that does not begin at c.at. */
static const char *attribute_end(cursor c)
{
    static const char *const parts[] = { "poplar", "::", "constraint" };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        c = skip_blanks(c);
        if (!starts(c, parts[i])) return NULL;
        c.at += strlen(parts[i]);
    }
    cursor next = skip_blanks(c);
    return next.at < next.end && *next.at == '(' ? c.at : NULL;
}

char *tw__rewrite_constraints(const char *text, size_t length)
{
    if (!g_strstr_len(text, (gssize)length, "constraint")) return NULL;
    char *out = malloc(length + 1);
    if (!out) return NULL;
    memcpy(out, text, length);
    out[length] = 0;
    bool any = false, after_word = false;
    for (cursor c = { text, text + length }; c.at < c.end;) {
        const char *past = skip_opaque(c, after_word);
        if (past != c.at) {
            c.at = past;
            after_word = false;
            continue;
        }
        const char *end = !after_word && *c.at == 'p' ? attribute_end(c) : NULL;
        if (end) {
            char *to = out + (c.at - text);
            size_t lines = 0; /* an attribute on several lines: as many follow its new name */
            for (size_t i = 0; i < (size_t)(end - c.at); i++) {
                lines += to[i] == '\n';
                to[i] = i < strlen(NAME) ? NAME[i] : ' ';
            }
            memset(to + strlen(NAME), '\n', lines);
            any = true;
            c.at = end;
            continue;
        }
        after_word = rewrite_is_word(*c.at++);
    }
    if (any) return out;
    free(out);
    return NULL;
}
