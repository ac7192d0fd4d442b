/* SPDX-License-Identifier: MIT */
/* lex: characters of PTO-AS to tokens. A '#' that begins a line or stands before a blank is a
 * comment, unless it defines an attribute. */
#include "pto/text/syntax/parse.h"

#include <glib.h>

static void diagnose(tw__as_module *m, tw_diag diag, const char *format, va_list args)
{
    char text[600];
    vsnprintf(text, sizeof text, format, args);
    const char *start = m->source;
    for (int l = 1; l < diag.line && start; l++) start = (start = strchr(start, '\n')) ? start + 1 : NULL;
    char *copy = start ? g_strndup(start, strcspn(start, "\n")) : NULL;
    diag.file = m->file;
    diag.message = text;
    diag.source = copy;
    tw_diags_add(m->diags, &diag);
    g_free(copy);
}

void tw__as_error(tw__as_module *m, int line, int column, int length, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diagnose(
        m,
        (tw_diag){
            .line = line, .column = column, .length = length > 0 ? length : 1, .severity = TW_ERROR, .code = code },
        format, args);
    va_end(args);
}

static tw_diag diag_at(const tw__as_item *where, tw_severity severity, const char *code)
{
    return (tw_diag){
        .line = where->line, .column = where->column, .length = where->length, .severity = severity, .code = code
    };
}

void tw__as_warn(tw__as_module *m, const tw__as_item *where, const char *code, const char *format, ...)
{
    va_list args;
    if (m->warnings++ >= TW__AS_WARNINGS) return;
    va_start(args, format);
    diagnose(m, diag_at(where, TW_WARNING, code), format, args);
    va_end(args);
}

void tw__as_note(tw__as_module *m, const tw__as_item *where, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diagnose(m, diag_at(where, TW_NOTE, code), format, args);
    va_end(args);
}

void tw__parse_error(tw__parser *p, const tw__token *t, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (p->errors++ < TW__PARSE_ERRORS)
        tw__as_error(p->m, t->line, t->column, (int)t->length, "pto.syntax", "%s", text);
}

/* --- tokens ----------------------------------------------------------------------------------------------------- */

static bool is_name(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
}

/* What may follow '#' and '!'. */
static bool begins_name(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$';
}

/* A '#' that begins a line is a comment, unless it defines an attribute: "#map = ..."; so is one before a blank. */
static bool is_comment(const tw__parser *p)
{
    if (p->at[0] == '/' && p->at[1] == '/') return true;
    if (p->at[0] != '#') return false;
    if (strchr(" \t\r\n", p->at[1])) return true; /* or the end */
    if (!p->fresh) return false;
    if (!begins_name(p->at[1])) return true;
    const char *c = p->at + 1;
    while (is_name(*c)) c++;
    while (*c == ' ') c++;
    return !(c > p->at + 1 && *c == '=' && c[1] != '=');
}

/* Returns whether the last thing skipped was an empty line. */
static bool lex_skip_blanks(tw__parser *p)
{
    unsigned lines = 0;
    for (;; p->at++) {
        if (*p->at == '\n') {
            lines++;
            p->line++;
            p->line_start = p->at + 1;
            p->fresh = true;
        } else if (*p->at && is_comment(p)) {
            size_t length = strcspn(p->at, "\n");
            if (!p->peeking) tw__comment_add(p, p->at, length, lines > 1);
            lines = 0;
            p->at += length - 1;
        } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
            return lines > 1;
        }
    }
}

char tw__parse_peek(const tw__parser *p)
{
    tw__parser ahead = *p;
    ahead.peeking = true;
    lex_skip_blanks(&ahead);
    return *ahead.at;
}

static size_t number_length(const char *s)
{
    size_t n = *s == '-';
    if (s[n] == '0' && (s[n + 1] == 'x' || s[n + 1] == 'X') && g_ascii_isxdigit(s[n + 2])) {
        for (n += 2; g_ascii_isxdigit(s[n]);) n++;
        return n;
    }
    while (g_ascii_isdigit(s[n])) n++;
    if (s[n] == '.') n++;
    while (g_ascii_isdigit(s[n])) n++;
    size_t e = n + 1;
    if ((s[n] == 'e' || s[n] == 'E') &&
        (g_ascii_isdigit(s[e]) || ((s[e] == '-' || s[e] == '+') && g_ascii_isdigit(s[e + 1])))) {
        for (n = e + 1; g_ascii_isdigit(s[n]);) n++;
    }
    return n;
}

void tw__parse_next(tw__parser *p)
{
    p->end = p->at;
    bool blank = lex_skip_blanks(p);
    const char *s = p->at;
    size_t n = 1;
    tw__token_kind kind = T_CHAR;
    if (!*s) {
        kind = T_END;
        n = 0;
    } else if (*s == '%' || *s == '@') {
        kind = *s == '%' ? T_VALUE : T_SYMBOL;
        while (is_name(s[n]) && !(s[n] == '-' && s[n + 1] == '>')) n++;
        if (kind == T_VALUE && s[n] == '#' && g_ascii_isdigit(s[n + 1]))
            for (n++; g_ascii_isdigit(s[n]);) n++;
        if (n == 1) kind = T_ERROR;
    } else if (*s == '#' || *s == '!') {
        kind = !begins_name(s[1]) ? T_ERROR : *s == '#' ? T_HASH : T_BANG;
    } else if (*s == '-' && s[1] == '>') {
        kind = T_ARROW;
        n = 2;
    } else if (g_ascii_isdigit(*s) || (*s == '-' && g_ascii_isdigit(s[1]))) {
        kind = T_NUMBER;
        n = number_length(s);
        if (g_ascii_isalnum(s[n]) || s[n] == '_') {
            kind = T_ERROR; /* 0x, 1e, 1_000 */
            while (is_name(s[n])) n++;
        }
    } else if (*s == '"') {
        kind = T_STRING;
        while (s[n] && s[n] != '"' && s[n] != '\n') n += s[n] == '\\' && s[n + 1] && s[n + 1] != '\n' ? 2 : 1;
        if (s[n] == '"')
            n++;
        else
            kind = T_ERROR;
    } else if (g_ascii_isalpha(*s) || *s == '_') {
        kind = T_WORD;
        while (is_name(s[n]) && !(s[n] == '-')) n++;
    }
    p->t = (tw__token){ kind, s, n, p->line, (int)(s - p->line_start) + 1, p->fresh, blank };
    p->fresh = false;
    p->at = s + n;
}

bool tw__parse_is(const tw__parser *p, char c)
{
    return p->t.kind == T_CHAR && *p->t.start == c;
}
bool tw__parse_is_word(const tw__parser *p, const char *word)
{
    return p->t.kind == T_WORD && p->t.length == strlen(word) && memcmp(p->t.start, word, p->t.length) == 0;
}
bool tw__parse_accept(tw__parser *p, char c)
{
    if (!tw__parse_is(p, c)) return false;
    tw__parse_next(p);
    return true;
}
bool tw__parse_expect(tw__parser *p, char c)
{
    if (tw__parse_accept(p, c)) return true;
    tw__parse_error(p, &p->t, p->t.kind == T_END ? "expected '%c' at the end" : "expected '%c' here", c);
    return false;
}

const char *tw__parse_copy(tw__parser *p, const char *start, size_t n)
{
    char *text = tw__arena_alloc(p->arena, n + 1, 1);
    if (!text) {
        p->m->no_memory = true;
        return "";
    }
    memcpy(text, start, n);
    text[n] = 0;
    return text;
}

void *tw__parse_allocate(tw__parser *p, size_t size)
{
    static _Thread_local union {
        tw__as_item item;
        tw__as_op op;
        tw__as_block block;
        tw__as_comment comment;
        tw__as_line line;
    } spare; /* out of memory: written to, never kept */
    void *at = tw__arena_zalloc(p->arena, size, 16);
    if (at) return at;
    p->m->no_memory = true;
    memset(&spare, 0, sizeof spare);
    return &spare;
}

/* A bracket that is never closed ends the search here. */
enum { RAW_LIMIT = 4096 };

const char *tw__parse_raw(tw__parser *p, tw__token *whole, char open, char close)
{
    const char *s = p->t.start, *end = *s == open ? s : s + p->t.length;
    int depth = 0;
    *whole = p->t;
    while (is_name(*end) && !(*end == '-' && end[1] == '>')) end++;
    const char *limit = end + RAW_LIMIT;
    bool quoted = false;
    if (*end == open) do {
            if (!quoted && end[0] == '/' && end[1] == '/') {
                size_t length = strcspn(end, "\n");
                tw__comment_add(p, end, length, false);
                end += length;
                continue;
            }
            quoted ^= *end == '"';
            if (!quoted) depth += (*end == open) - (*end == close && end[-1] != '-');
            end++;
        } while (depth > 0 && *end && end < limit);
    if (depth > 0) {
        tw__parse_error(p, &p->t, "'%c' without '%c'", open, close);
        end = s + strcspn(s, "\n");
    }
    char *text = (char *)(uintptr_t)tw__parse_copy(p, s, (size_t)(end - s));
    quoted = false;
    for (char *c = text; *c; c++) {
        quoted ^= *c == '"';
        if (!quoted && c[0] == '/' && c[1] == '/') memset(c, ' ', strcspn(c, "\n"));
        if (*c == '\n' || *c == '\r') *c = ' ';
    }
    for (const char *c = s; c < end; c++)
        if (*c == '\n') {
            p->line++;
            p->line_start = c + 1;
        }
    whole->length = (size_t)(p->line == whole->line ? end - s : (ptrdiff_t)strcspn(s, "\n"));
    p->at = end;
    tw__parse_next(p);
    return text;
}
