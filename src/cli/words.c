/* SPDX-License-Identifier: MIT */
/* words: see the header. */
#include "cli/words.h"

#include <ctype.h>
#include <errno.h>
#include <glib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/base.h>

void tw__reader_complain(tw__reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    char *text = g_strdup_vprintf(format, args);
    tw_print_text(stderr, text, strlen(text), "\n\t"), fputc('\n', stderr);
    g_free(text);
    va_end(args);
    r->failed = true;
}

static bool is_alias(const tw__word *c, const char *word)
{
    g_auto(GStrv) aliases = g_strsplit(c->aliases, " ", -1);
    return *word && (strcmp(c->name, word) == 0 || g_strv_contains((const char *const *)aliases, word));
}

const tw__word *tw__reader_find(tw__reader *r, const tw__word *table, size_t count, const char *word)
{
    const tw__word *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_alias(&table[i], word)) return &table[i];
    GString *several = g_string_new(NULL);
    for (size_t i = 0; i < count; i++) {
        if (!g_str_has_prefix(table[i].name, word)) continue;
        if (found && !several->len) g_string_append(several, found->name);
        if (found) g_string_append_printf(several, ", %s", table[i].name);
        found = &table[i];
    }
    if (several->len) {
        tw__reader_complain(r, "Ambiguous command \"%s\": %s.", word, several->str);
        found = NULL;
    } else if (!found) {
        tw__reader_complain(r, "Undefined command: \"%s\". Try \"help\".", word);
    }
    g_string_free(several, TRUE);
    return found;
}

char *tw__reader_split(char *line, char word[TW__WORD])
{
    line = g_strstrip(line);
    size_t length = 0;
    while (line[length] && !isspace((unsigned char)line[length]) && line[length] != '/') length++;
    g_strlcpy(word, line, MIN(length + 1, TW__WORD));
    return g_strchug(line + length);
}

void tw__reader_help(tw__reader *r, const char *word)
{
    const tw__word *only = *word ? tw__reader_find(r, r->words, r->count, word) : NULL;
    for (size_t i = 0; i < r->count && (only || !*word); i++) {
        const tw__word *c = &r->words[i];
        if (only && only != c) continue;
        g_autofree char *left = g_strdup_printf("%s %s", c->name, c->arguments);
        printf("%-36s %s%s%s%s\n", left, c->help, *c->aliases ? " (" : "", c->aliases, *c->aliases ? ")" : "");
    }
    if (!*word) puts("An empty line repeats the last command.");
}

void tw__reader_sub(tw__reader *r, const char *what, const tw__word *table, size_t count, char *args)
{
    char word[TW__WORD], *rest = tw__reader_split(args, word);
    const tw__word *c = *word ? tw__reader_find(r, table, count, word) : NULL;
    if (c && r->may && !r->may(r->debugger, c)) return;
    if (c) {
        c->run(r->debugger, rest);
    } else if (!*word) {
        GString *names = g_string_new(NULL);
        for (size_t i = 0; i < count; i++)
            g_string_append_printf(names, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", table[i].name);
        tw__reader_complain(r, "%s %s", what, names->str);
        g_string_free(names, TRUE);
    }
}

bool tw__reader_ignore(tw__reader *r, const char *args, unsigned *id, uint64_t *count)
{
    char *end = NULL, *last = NULL;
    guint64 number = g_ascii_isdigit(*args) ? g_ascii_strtoull(args, &end, 10) : 0;
    while (end && isspace((unsigned char)*end)) end++;
    if (end && g_ascii_isdigit(*end)) *count = g_ascii_strtoull(end, &last, 10);
    *id = (unsigned)number;
    if (last && !*last && number && number <= UINT_MAX) return true;
    tw__reader_complain(r, "ignore N COUNT");
    return false;
}

void tw__reader_obey(tw__reader *r, const char *text)
{
    g_autofree char *line = g_strdup(text);
    char word[TW__WORD], *rest = tw__reader_split(line, word);
    const tw__word *c = tw__reader_find(r, r->words, r->count, word);
    if (c && (!r->may || r->may(r->debugger, c))) c->run(r->debugger, rest);
    fflush(stdout);
}

/* The first word of a line is a command; behind "info" and "help" come theirs, else names. */
bool tw__reader_complete(tw__reader *r, const char *before, void (*add)(void *list, const char *word), void *list)
{
    g_autofree char *line = g_strdup(before);
    char word[TW__WORD], *rest = tw__reader_split(line, word);
    size_t length = strlen(word);
    bool is_help = *word && !*rest && strncmp("help", word, length) == 0;
    bool is_info = *word && !*rest && length <= 4 && strncmp("info", word, length) == 0 && r->infos;
    for (size_t i = 0; (!*word || is_help) && i < r->count; i++) add(list, r->words[i].name);
    for (size_t i = 0; is_info && i < r->info_count; i++) add(list, r->infos[i].name);
    return *word && !is_help && !is_info;
}

static void complete_word(void *user, const char *before, void (*add)(void *list, const char *word), void *list)
{
    tw__reader *r = user;
    if (tw__reader_complete(r, before, add, list) && r->names) r->names(r->debugger, add, list);
}

static bool opens_editing(tw__reader *r)
{
    if (r->lines || r->is_plain || !r->terminal) return r->lines != NULL;
    g_autofree char *name = g_strdup(r->prompt); /* "(sim) " */
    g_strdelimit(name, "() ", ' ');
    r->lines = tw__lines_new(g_strstrip(name), r->prompt, complete_word, r);
    r->is_plain = !r->lines;
    /* No line may wait in a buffer, which tw__lines_wait() does not see: a terminal may send several at once. */
    if (r->is_plain) setvbuf(stdin, NULL, _IONBF, 0);
    return r->lines != NULL;
}

/* The next command, in *line (free()); false: there are no more. */
static bool read_command(tw__reader *r, char **line, size_t *room)
{
    if (opens_editing(r)) {
        const char *edited = tw__lines_read(r->lines);
        free(*line);
        *line = edited ? strdup(edited) : NULL;
        return *line != NULL;
    }
    if (r->terminal) fputs(r->prompt, stdout), fflush(stdout);
    ssize_t length;
    do {
        clearerr(stdin);
        while (r->terminal && !tw__lines_wait())
            printf("\n%s", r->prompt), fflush(stdout); /* what was typed goes */
    } while (errno = 0, (length = getline(line, room, stdin)) < 0 && errno == EINTR && r->terminal);
    if (length < 0 && r->terminal) putchar('\n');
    if (length >= 0 && strlen(*line) != (size_t)length) {
        tw__reader_complain(r, "a command with a NUL byte");
        strcpy(*line, "#"); /* not empty, which repeats the last command: nothing is done */
    }
    return length >= 0;
}

void tw__reader_run(tw__reader *r)
{
    char *line = NULL;
    size_t room = 0;
    r->go = false;
    while (!r->ended && !r->go) {
        if (r->terminal) tw__lines_begin();
        if (r->calm) r->calm(r->debugger);
        r->ended = !read_command(r, &line, &room);
        tw__lines_end();
        if (r->ended) break;
        g_strstrip(line);
        if (*line == '#') continue;
        if (*line) {
            free(r->last);
            r->last = strdup(line);
        }
        if (r->last && (*line || r->terminal)) tw__reader_obey(r, r->last);
    }
    free(line);
}

void tw__reader_close(tw__reader *r)
{
    tw__lines_free(r->lines);
    r->lines = NULL;
    free(r->last);
    r->last = NULL;
}
