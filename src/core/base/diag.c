/* SPDX-License-Identifier: MIT */
/* Diagnostics: messages about a user's source text, kept in order and printed with the line and a caret.
 *
 *     saxpy.S:14:28: error: operand 3 of 'f32v2add' must start at an even register, got '$a3:4'
 *        14 |     f32v2add $a0:1, $a2:3, $a3:4
 *           |                            ^~~~~
 *
 * Of warnings the first 20 are kept, with the notes behind them; a note in
 * the place of the others counts them.
 * A diagnostic that finds no memory is not lost silently: the list then ends with an "out of memory" error.
 */
#include "core/base/base.h"
#include "core/base/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WARNINGS = 20, MORE_BYTES = 64 };

struct tw_diags {
    tw__arena *arena;
    tw_diag *items;
    size_t count, room;
    size_t warnings; /* all of them, kept or not */
    bool skipping;   /* the last message was a warning that is not kept: nor are its notes */
    char *more;      /* [MORE_BYTES] text of the note that counts those; NULL while there are none */
    bool lost;
};

static const tw_diag lost_diag = { .file = "",
                                   .severity = TW_ERROR,
                                   .length = 1,
                                   .code = "base.no-memory",
                                   .message = "out of memory; some diagnostics are missing" };

tw_diags *tw_diags_new(void)
{
    tw_diags *diags = tw__realloc(NULL, sizeof *diags);
    if (diags) *diags = (tw_diags){ .arena = tw__arena_new(4096) };
    if (diags && diags->arena) return diags;
    free(diags);
    return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for messages"), NULL);
}

void tw_diags_free(tw_diags *diags)
{
    if (!diags) return;
    tw__arena_free(diags->arena);
    free(diags->items);
    free(diags);
}

size_t tw_diags_count(const tw_diags *diags, tw_severity at_least)
{
    if (!diags) return 0;
    size_t n = diags->lost;
    for (size_t i = 0; i < diags->count; i++) n += diags->items[i].severity >= at_least;
    if (at_least == TW_WARNING && diags->warnings > MOST_WARNINGS) n += diags->warnings - MOST_WARNINGS;
    return n;
}

const tw_diag *tw_diags_get(const tw_diags *diags, size_t index)
{
    if (!diags) return NULL;
    if (index < diags->count) return &diags->items[index];
    return index == diags->count && diags->lost ? &lost_diag : NULL;
}

/* Copy of text, "" for NULL; the first line only, so that one diagnostic stays one line. */
static bool copy_line(tw__arena *arena, const char *text, const char **out)
{
    size_t length = text ? strcspn(text, "\r\n") : 0;
    char *copy = tw__arena_alloc(arena, length + 1, 1);
    if (!copy) return false;
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    *out = copy;
    return true;
}

static void keep(tw_diags *diags, const tw_diag *diag)
{
    tw_diag copy = *diag;
    if (copy.length < 1) copy.length = 1;
    if (copy.line < 1) copy.line = copy.column = 0;
    if (copy.column < 0) copy.column = 0;
    bool ok = tw__grow(&diags->items, &diags->room, diags->count, sizeof *diags->items) &&
              copy_line(diags->arena, diag->file, &copy.file) && copy_line(diags->arena, diag->code, &copy.code) &&
              copy_line(diags->arena, diag->message, &copy.message) &&
              (!diag->source || copy_line(diags->arena, diag->source, &copy.source));
    if (ok)
        diags->items[diags->count++] = copy;
    else
        diags->lost = true;
}

/* The note stands where the first warning that is not kept would, and counts on: who reads the list as it grows finds
 * everything at its place. */
static void count_more(tw_diags *diags)
{
    size_t n = diags->warnings - MOST_WARNINGS;
    if (!diags->more) {
        keep(diags, &(tw_diag){ .severity = TW_NOTE });
        diags->more = tw__arena_alloc(diags->arena, MORE_BYTES, 1);
        if (diags->lost || !diags->more) {
            diags->lost = true;
            return;
        }
        diags->items[diags->count - 1].message = diags->more;
    }
    snprintf(diags->more, MORE_BYTES, "%zu more warning%s not shown", n, n == 1 ? " is" : "s are");
}

void tw_diags_add(tw_diags *diags, const tw_diag *diag)
{
    if (!diags || diags->lost) return;
    if (diag->severity != TW_NOTE)
        diags->skipping = diag->severity == TW_WARNING && ++diags->warnings > MOST_WARNINGS;
    if (!diags->skipping)
        keep(diags, diag);
    else if (diag->severity == TW_WARNING)
        count_more(diags);
}

void tw__diags_add_alone(tw_diags *diags, const tw_diag *diag)
{
    if (diags) diags->skipping = false;
    tw_diags_add(diags, diag);
}

static const struct {
    const char *word, *colour;
} severities[] = { [TW_NOTE] = { "note", "\033[36m" },
                   [TW_WARNING] = { "warning", "\033[35m" },
                   [TW_ERROR] = { "error", "\033[31m" } };

/* Bytes 0x80..0xbf continue a UTF-8 character: they take no column on the screen. */
static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

enum { MOST_SHOWN = 160, SHOWN_BEFORE = 60 }; /* bytes of a line, of them before the place */

/* Columns that text takes on the screen. */
static size_t columns_of(const char *text, size_t length)
{
    tw__text_file shown;
    size_t columns = length;
    if (tw__text_open(&shown)) columns = tw_print_text(shown.out, text, length, "\t");
    free(tw__text_close(&shown, NULL));
    return columns;
}

static void blanks_under(const char *text, size_t length, FILE *out)
{
    for (const char *end = text + length; text < end;) {
        const char *tab = memchr(text, '\t', (size_t)(end - text));
        fprintf(out, "%*s%s", (int)columns_of(text, (size_t)((tab ? tab : end) - text)), "", tab ? "\t" : "");
        text = tab ? tab + 1 : end;
    }
}

/* Of a long line the part around the place, between "...". */
static void print_source(const tw_diag *diag, FILE *out, bool colour)
{
    int width = fprintf(out, "%5d", diag->line);
    size_t length = strlen(diag->source), start = diag->column < 1 ? 0 : (size_t)diag->column - 1;
    if (start > length) start = length; /* just past the end: "expected ';'" */
    size_t from = length > MOST_SHOWN && start > SHOWN_BEFORE ? start - SHOWN_BEFORE : 0, to = length;
    while (from > 0 && continues_character(diag->source[from])) from--;
    if (to - from > MOST_SHOWN) to = from + MOST_SHOWN;
    while (to < length && continues_character(diag->source[to])) to++;
    fprintf(out, " | %s", from ? "..." : "");
    tw_print_text(out, diag->source + from, to - from, "\t");
    fputs(to < length ? "...\n" : "\n", out);
    if (diag->column < 1) return;
    fprintf(out, "%*s | %s", width, "", from ? "   " : "");
    blanks_under(diag->source + from, start - from, out);
    fputs(colour ? "\033[32m^" : "^", out);
    size_t marked = (size_t)diag->length, left = to - start;
    for (size_t i = columns_of(diag->source + start, marked < left ? marked : left); i > 1; i--) putc('~', out);
    fputs(colour ? "\033[0m\n" : "\n", out);
}

static void print_one(const tw_diag *diag, FILE *out, bool colour)
{
    const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";
    enum { MOST_MESSAGE = 600 }; /* bytes: names in it may have any length */
    size_t length = strlen(diag->message), shown = length > MOST_MESSAGE ? MOST_MESSAGE : length;
    while (shown < length && continues_character(diag->message[shown])) shown++;
    fputs(bold, out);
    tw_print_text(out, diag->file, strlen(diag->file), "");
    if (diag->line) fprintf(out, "%s%d", *diag->file ? ":" : "line ", diag->line);
    if (diag->column) fprintf(out, ":%d", diag->column);
    if (*diag->file || diag->line) fputs(": ", out);
    fprintf(out, "%s%s:%s ", colour ? severities[diag->severity].colour : "", severities[diag->severity].word,
            plain);
    tw_print_text(out, diag->message, shown, "\t");
    if (shown < length) fputs("...", out);
    if (*diag->code) fprintf(out, " [%s]", diag->code);
    putc('\n', out);
    if (diag->line && diag->source) print_source(diag, out, colour);
}

/* All of them in one write: what other processes write at the same time does not come between. */
void tw_diags_print(const tw_diags *diags, FILE *out, bool colour)
{
    tw__text_file file;
    size_t size = 0;
    const tw_diag *diag;
    FILE *memory = tw__text_open(&file);
    for (size_t i = 0; memory && (diag = tw_diags_get(diags, i)); i++) print_one(diag, memory, colour);
    char *text = tw__text_close(&file, &size);
    if (text && size) fwrite(text, 1, size, out);
    for (size_t i = 0; !text && (diag = tw_diags_get(diags, i)); i++) print_one(diag, out, colour);
    free(text);
}
