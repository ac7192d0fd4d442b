/* SPDX-License-Identifier: MIT */
/* Frames of text, messages with their places, and the smallest pieces of the language: blanks, names, strings. */
#include "poplar/colossus/asm/asm.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_DEPTH = 100, BYTES_PER_FRAME = 32, MAX_NOTES = 4 };

/* --- places --------------------------------------------------------------------------------------------------- */

place tw__asm_place_at(const tw__asm *as, const char *at, size_t length)
{
    return (place){ as->top, at, length > 1000 ? 1000 : (int)length };
}

/* "# 12 "file.S" 2" at the start of a line, which the preprocessor leaves: number and file of the next line. */
static bool read_marker(const char *line, int *number, const char **file, size_t *length)
{
    if (*line++ != '#') return false;
    while (*line == ' ' || *line == '\t') line++;
    if (strncmp(line, "line", 4) == 0) line += 4;
    while (*line == ' ' || *line == '\t') line++;
    if (!isdigit((unsigned char)*line)) return false;
    long digits = 0;
    for (; isdigit((unsigned char)*line); line++)
        if (digits < 100000000) digits = digits * 10 + (*line - '0');
    while (*line == ' ' || *line == '\t') line++;
    if (*line != '"') return false;
    *file = ++line;
    while (*line && *line != '"' && *line != '\n') line++;
    *number = (int)digits, *length = (size_t)(line - *file);
    return true;
}

int tw__asm_locate(tw__asm *as, const frame *frame_of_place, const char *at, const char **file)
{
    frame *f = (frame *)frame_of_place; /* what it has seen is no part of what others see */
    if (!f || at < f->text) return 0;
    if (!f->seen || at < f->seen) f->seen = f->text, f->seen_line = f->line, f->seen_file = f->file;
    for (const char *p; (p = memchr(f->seen, '\n', (size_t)(at - f->seen)));) {
        const char *marked;
        int number;
        size_t length;
        f->seen_line++;
        bool marker = *f->seen == '#' && read_marker(f->seen, &number, &marked, &length);
        if (marker) {
            f->seen_line = number;
            if (strlen(f->seen_file) != length || memcmp(f->seen_file, marked, length) != 0)
                f->seen_file = tw__asm_copy_text(as, marked, length);
            if (!f->seen_file) f->seen_file = f->file;
        }
        f->seen = p + 1;
    }
    *file = f->seen_file;
    bool repeated = f->period && f->seen_file == f->file;
    return repeated ? f->line + (f->seen_line - f->line) % f->period : f->seen_line;
}

/* alone: a note that belongs to no message before it. */
static void add_diag(tw__asm *as, const frame *f, const char *at, int length, tw_severity severity, bool alone,
                     const char *text)
{
    tw_diag diag = { .severity = severity, .message = text, .length = length, .file = "" };
    diag.code = severity == TW_ERROR && as->code ? as->code : "";
    g_autofree char *source = NULL;
    if (at) diag.line = tw__asm_locate(as, f, at, &diag.file);
    if (diag.line) {
        diag.column = (int)(at - f->seen) + 1;
        source = g_strndup(f->seen, strcspn(f->seen, "\r\n"));
        diag.source = source;
    }
    if (alone)
        tw__diags_add_alone(as->diags, &diag);
    else
        tw_diags_add(as->diags, &diag);
}

static void text_report(tw__asm *as, place where, tw_severity severity, bool alone, const char *text)
{
    add_diag(as, where.frame, where.at, where.length, severity, alone, text);
    int notes = 0;
    for (const frame *f = where.frame; f && f->macro && f->below && notes < MAX_NOTES; f = f->below, notes++) {
        g_autofree char *note = g_strdup_printf("in the expansion of '%s'", f->macro);
        add_diag(as, f->below, f->called_at, (int)strlen(f->macro), TW_NOTE, false, note);
    }
    if (severity == TW_ERROR && ++as->errors >= as->max_errors) {
        as->stopped = true;
        add_diag(as, where.frame, where.at, where.length, TW_NOTE, false, "too many errors: giving up");
    }
}

void tw__asm_report(tw__asm *as, place where, tw_severity severity, const char *format, ...)
{
    if (as->errors >= as->max_errors || tw__arena_failed(as->arena)) { /* which looks like a mistake in the text */
        as->stopped = true;
        return;
    }
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    text_report(as, where, severity, false, text);
}

void tw__asm_say(tw__asm *as, place where, const char *text)
{
    text_report(as, where, TW_NOTE, true, text);
}

bool tw__asm_ok(tw__asm *as, tw_status status, place where)
{
    if (status == TW_E_NO_MEMORY)
        as->stopped = true, as->status = status;
    else if (status != TW_OK)
        fail_at(as, where, "%s", tw_error_message());
    return status == TW_OK;
}

/* --- frames --------------------------------------------------------------------------------------------------- */

bool tw__asm_push_frame(tw__asm *as, frame *added)
{
    added->below = as->top;
    added->depth = as->top ? as->top->depth + 1 : 0;
    added->conditions = as->conditions->len;
    as->expanded += (uint64_t)(added->end - added->text);
    place where = { as->top, added->called_at, 1 };
    if (++as->frames > as->max_expanded / BYTES_PER_FRAME) { /* short ones take as long as longer ones */
        fail_at(as, where, "there are more than %" PRIu64 " expansions and included files: giving up",
                as->max_expanded / BYTES_PER_FRAME);
        as->stopped = true;
        return false;
    }
    if (added->depth > MAX_DEPTH) {
        fail_at(as, where, "macros and included files are nested more than %d deep", MAX_DEPTH);
        return false;
    }
    if (as->expanded > as->max_expanded) {
        fail_at(as, where, "the text grows beyond %" PRIu64 " KiB by expansion: giving up", as->max_expanded >> 10);
        as->stopped = true;
        return false;
    }
    as->top = added;
    return true;
}

void tw__asm_pop_frame(tw__asm *as)
{
    tw__asm_close_conditions(as, as->top->conditions);
    as->top = as->top->below;
}

/* --- pieces --------------------------------------------------------------------------------------------------- */

void tw__asm_skip_blanks(tw__asm *as)
{
    const char *p = as->top->at;
    for (;;) {
        if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\v') {
            p++;
        } else if (p[0] == '/' && p[1] == '/') {
            while (*p && *p != '\n') p++;
        } else if (*p == '#') {
            while (*p && *p != '\n') p++;
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            if (!end) fail_at(as, tw__asm_place_at(as, p, 2), "the comment has no end: \"*/\" is missing");
            p = end ? end + 2 : as->top->end;
        } else if (p[0] == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) {
            p += p[1] == '\n' ? 2 : 3;
        } else {
            break;
        }
    }
    as->top->at = p;
}

bool tw__asm_at_end_of_statement(tw__asm *as)
{
    tw__asm_skip_blanks(as);
    char c = *as->top->at;
    return c == '\n' || c == ';' || c == 0 || c == '}';
}

void tw__asm_skip_statement(tw__asm *as)
{
    for (;;) {
        tw__asm_skip_blanks(as);
        const char *p = as->top->at;
        if (*p == 0 || *p == '\n' || *p == ';' || (*p == '}' && as->in_bundle)) return;
        if (*p == '"') {
            for (p++; *p && *p != '"' && *p != '\n'; p++)
                if (*p == '\\' && p[1] && p[1] != '\n') p++;
            as->top->at = *p == '"' ? p + 1 : p;
        } else {
            as->top->at = p + 1;
        }
    }
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '?';
}

size_t tw__asm_identifier_length(const char *at)
{
    if (isdigit((unsigned char)*at)) return 0;
    size_t n = 0;
    while (is_name_char(at[n])) n++;
    return n;
}

bool tw__asm_accept(tw__asm *as, char c)
{
    tw__asm_skip_blanks(as);
    if (*as->top->at != c) return false;
    as->top->at++;
    return true;
}

bool tw__asm_expect(tw__asm *as, char c, const char *where)
{
    if (tw__asm_accept(as, c)) return true;
    fail_at(as, tw__asm_place_at(as, as->top->at, 1), "expected '%c' %s", c, where);
    return false;
}

char *tw__asm_copy_text(tw__asm *as, const char *text, size_t length)
{
    char *copy = tw__arena_alloc(as->arena, length + 1, 1);
    if (!copy) {
        as->stopped = true, as->status = tw__fail(TW_E_NO_MEMORY, "out of memory for assembly text");
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static int escape(const char **at)
{
    static const char names[] = "btnfr\"\\'", values[] = "\b\t\n\f\r\"\\'";
    const char *p = *at, *found = *p ? strchr(names, *p) : NULL;
    if (found) {
        *at = p + 1;
        return (unsigned char)values[found - names];
    }
    int code = 0;
    if (*p == 'x') {
        for (p++; isxdigit((unsigned char)*p); p++) code = (code * 16 + g_ascii_xdigit_value(*p)) & 0xff;
        *at = p;
        return code;
    }
    int digits = 0;
    for (; digits < 3 && *p >= '0' && *p <= '7'; p++, digits++) code = (code * 8 + (*p - '0')) & 0xff;
    *at = digits ? p : p + 1;
    return digits ? code : (unsigned char)p[0];
}

bool tw__asm_read_string(tw__asm *as, GString *out)
{
    tw__asm_skip_blanks(as);
    const char *start = as->top->at, *p = start;
    if (*p != '"') {
        fail_at(as, tw__asm_place_at(as, p, 1), "expected a string in quotes");
        return false;
    }
    for (p++; *p != '"';) {
        if (*p == 0 || *p == '\n') {
            fail_at(as, tw__asm_place_at(as, start, (size_t)(p - start)), "the string has no closing quote");
            return false;
        }
        int c = (unsigned char)*p++;
        if (c == '\\' && *p && *p != '\n') c = escape(&p);
        g_string_append_c(out, (char)c);
    }
    as->top->at = p + 1;
    return true;
}

const char *tw__asm_read_name(tw__asm *as, const char *what)
{
    tw__asm_skip_blanks(as);
    const char *at = as->top->at;
    if (*at == '"') {
        g_autoptr(GString) text = g_string_new(NULL);
        if (!tw__asm_read_string(as, text)) return NULL;
        if (text->len && strlen(text->str) == text->len) return tw__asm_copy_text(as, text->str, text->len);
        fail_at(as, tw__asm_place_at(as, at, 1), "expected %s, not an empty string", what);
        return NULL;
    }
    size_t n = tw__asm_identifier_length(at);
    if (!n) {
        fail_at(as, tw__asm_place_at(as, at, 1), "expected %s", what);
        return NULL;
    }
    as->top->at = at + n;
    return tw__asm_copy_text(as, at, n);
}
