/* SPDX-License-Identifier: MIT */
/* The formatter of CSL: from a source to pieces, and from laid out lines to text. */
#include "csl/lang/syntax/format.h"

#include <stdlib.h>
#include <string.h>

static uint32_t characters(const char *text, size_t length) /* of UTF-8 */
{
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* --- pieces and comments ------------------------------------------------------------------------------------- */

/* The comment at `at`; returns its end. */
static const char *add_comment(tw__csl_formatter *f, const char *at, const char *end, bool trailing, bool blank)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at)), *line = at, *last;
    if (!stop) stop = end;
    while (line > f->file->text && line[-1] != '\n') line--;
    for (last = stop; last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'; last--) continue;
    tw__csl_comment c = { .text = at, .length = (uint32_t)(last - at), .trailing = trailing, .blank = blank };
    c.width = characters(at, c.length);
    c.column = characters(line, (size_t)(at - line));
    g_array_append_val(f->comments, c);
    return stop;
}

/* What stands between two tokens, or before the first: comments, line ends. */
static void read_gap(tw__csl_formatter *f, tw__csl_piece *p, const char *at, const char *end)
{
    unsigned lines = 0;
    p->comment = f->comments->len;
    while (at < end) {
        if (*at == '/') {
            at = add_comment(f, at, end, p > f->pieces && !lines && !p->count, lines > 1);
            p->count++;
            lines = 0;
        } else {
            lines += *at++ == '\n';
            p->breaks = p->breaks || lines;
        }
    }
    p->blank = lines > 1;
    p->forced = p->count != 0;
}

static bool read_pieces(tw__csl_formatter *f, const tw__csl_token *tokens)
{
    if (!(f->pieces = tw__calloc(f->count + 1, sizeof *f->pieces))) return false;
    const char *at = f->file->text;
    if (f->file->size > 2 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    for (uint32_t i = 0; i <= f->count; i++) {
        const tw__csl_token *t = &tokens[i];
        tw__csl_piece *p = &f->pieces[i];
        const char *text = f->file->text + (t->loc - f->file->base);
        *p = (tw__csl_piece){ .text = text, .length = t->length, .kind = t->kind, .roles = t->roles };
        p->width = characters(text, t->length);
        read_gap(f, p, at, text);
        at = text + t->length;
    }
    return true;
}

/* --- text ---------------------------------------------------------------------------------------------------- */

/* Comments behind lines that follow each other, at one column of the source, stay at one column. */
static uint32_t column_of_comments(const tw__csl_formatter *f, guint first)
{
    uint32_t column = 0, given = 0;
    for (guint i = first; i < f->lines->len; i++) {
        const tw__csl_line *line = &g_array_index(f->lines, tw__csl_line, i);
        if (line->comment == TW__CSL_NO_PIECE) break;
        uint32_t own = g_array_index(f->comments, tw__csl_comment, line->comment).column;
        if (i > first && own != given) break;
        given = own;
        column = MAX(column, line->width + 1);
    }
    return column;
}

static GString *join_lines(const tw__csl_formatter *f)
{
    GString *text = g_string_sized_new(f->out->len + f->lines->len);
    size_t from = 0;
    uint32_t column = 0, given = UINT32_MAX;
    for (guint i = 0; i < f->lines->len; i++) {
        const tw__csl_line *line = &g_array_index(f->lines, tw__csl_line, i);
        g_string_append_len(text, f->out->str + from, (gssize)(line->end - from));
        from = line->end;
        if (line->comment == TW__CSL_NO_PIECE) {
            given = UINT32_MAX;
        } else {
            const tw__csl_comment *c = &g_array_index(f->comments, tw__csl_comment, line->comment);
            if (c->column != given) column = column_of_comments(f, i);
            given = c->column;
            for (uint32_t k = line->width; k < column; k++) g_string_append_c(text, ' ');
            g_string_append_len(text, c->text, c->length);
        }
        g_string_append_c(text, '\n');
    }
    return text;
}

static GString *format_tokens(tw__csl_ctx *ctx, const tw__csl_file *file, const tw__csl_token *tokens, size_t count)
{
    tw__csl_formatter f = { .file = file, .count = (uint32_t)count - 1 };
    GString *text = NULL;
    f.comments = g_array_new(FALSE, FALSE, sizeof(tw__csl_comment));
    f.lines = g_array_new(FALSE, FALSE, sizeof(tw__csl_line));
    f.out = g_string_new(NULL);
    if (read_pieces(&f, tokens)) {
        tw__csl_format_gaps(&f);
        tw__csl_format_lines(&f);
        text = join_lines(&f);
    } else {
        tw__csl_no_memory(ctx);
    }
    free(f.pieces);
    g_array_free(f.comments, TRUE);
    g_array_free(f.lines, TRUE);
    g_string_free(f.out, TRUE);
    return text;
}

char *tw__csl_format(const char *path, const char *text, size_t size, size_t *length, tw_diags *diags)
{
    tw__csl_ctx *ctx = tw__csl_ctx_new(diags);
    size_t count = 0;
    tw__csl_loc base = ctx ? tw__csl_add_file(ctx, path, text, size) : 0;
    tw__csl_token *tokens = base ? tw__csl_lex(ctx, base, &count) : NULL;
    bool good = tokens && tw__csl_parse_tokens(ctx, tokens) && !tw__csl_errors(ctx);
    GString *laid = good ? format_tokens(ctx, tw__csl_file_of(ctx, base), tokens, count) : NULL;
    free(tokens);
    tw__csl_ctx_free(ctx);
    if (!laid) return NULL;
    *length = laid->len;
    char *copy = malloc(laid->len + 1);
    if (copy) memcpy(copy, laid->str, laid->len + 1);
    g_string_free(laid, TRUE);
    return copy;
}
