/* SPDX-License-Identifier: MIT */
/* Text to tokens. The whole file at once: the parser may look ahead as far as it likes. */
#include "csl/lang/syntax/internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    tw__csl_ctx *ctx;
    const tw__csl_file *file;
    const char *at, *end;
    tw__csl_token *tokens;
    size_t count, room;
    bool bad;    /* inside a run of bad characters: one message for all */
    bool broken; /* not all of the text is tokens: parsing it would tell of what follows from that */
} lexer;

// clang-format off
static const struct { const char *text; uint8_t length, token; } punctuation[] = {
#define ROW(name, text) { text, sizeof text - 1, TW__CSL_T_##name },
    TW__CSL_PUNCTUATION(ROW)
#undef ROW
};
static const struct { const char *text; uint8_t token; } keywords[] = {
#define ROW(name, text) { text, TW__CSL_T_##name },
    TW__CSL_KEYWORDS(ROW)
#undef ROW
};
static const char *const type_names[] = {
#define ROW(text) text,
    TW__CSL_TYPE_NAMES(ROW)
#undef ROW
};
static const char *const token_texts[TW__CSL_TOKENS] = {
    [TW__CSL_T_END] = "end of file", [TW__CSL_T_IDENT] = "a name", [TW__CSL_T_TYPE_NAME] = "a type name",
    [TW__CSL_T_BUILTIN] = "a builtin", [TW__CSL_T_INT] = "an integer", [TW__CSL_T_CHAR] = "a character",
    [TW__CSL_T_FLOAT] = "a number", [TW__CSL_T_STRING] = "a string",
#define ROW(name, text) [TW__CSL_T_##name] = "'" text "'",
    TW__CSL_PUNCTUATION(ROW) TW__CSL_KEYWORDS(ROW)
#undef ROW
};
static const char *const operator_texts[TW__CSL_TOKENS] = {
#define ROW(name, text) [TW__CSL_T_##name] = text,
    TW__CSL_PUNCTUATION(ROW) TW__CSL_KEYWORDS(ROW)
#undef ROW
};
// clang-format on

const char *tw__csl_token_text(tw__csl_token_kind kind)
{
    return token_texts[kind];
}

const char *tw__csl_operator_text(tw__csl_token_kind kind)
{
    return operator_texts[kind] ? operator_texts[kind] : "";
}

static bool enter(tw__csl_ctx *ctx, const char *text, uint8_t token)
{
    tw__csl_name name = tw__csl_intern(ctx, text, strlen(text));
    if (name) ctx->words[name]->token = token;
    return name != 0;
}

bool tw__csl_lex_begin(tw__csl_ctx *ctx)
{
    bool ok = true;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        ok = ok && enter(ctx, keywords[i].text, keywords[i].token);
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        ok = ok && enter(ctx, type_names[i], TW__CSL_T_TYPE_NAME);
    return ok;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static tw__csl_loc loc_of(const lexer *lex, const char *at)
{
    return lex->file->base + (tw__csl_loc)(at - lex->file->text);
}

static void emit(lexer *lex, tw__csl_token_kind kind, const char *from, tw__csl_name name)
{
    lex->bad = false;
    if (!tw__grow(&lex->tokens, &lex->room, lex->count, sizeof *lex->tokens)) {
        tw__csl_no_memory(lex->ctx);
        return;
    }
    lex->tokens[lex->count++] =
        (tw__csl_token){ (uint8_t)kind, 0, loc_of(lex, from), (uint32_t)(lex->at - from), name };
}

static void lex_word(lexer *lex)
{
    const char *from = lex->at;
    while (lex->at < lex->end && (is_letter(*lex->at) || is_digit(*lex->at))) lex->at++;
    size_t length = (size_t)(lex->at - from);
    tw__csl_name name = tw__csl_intern(lex->ctx, from, length);
    uint8_t token = name ? lex->ctx->words[name]->token : TW__CSL_T_IDENT;
    emit(lex, token, from, name);
}

static void lex_builtin(lexer *lex)
{
    const char *from = lex->at++;
    while (lex->at < lex->end && (is_letter(*lex->at) || is_digit(*lex->at))) lex->at++;
    if (lex->at == from + 1) {
        lex->broken = true;
        tw__csl_report(lex->ctx, TW_ERROR, loc_of(lex, from), 1, "csl.syntax",
                       "expected a builtin's name after '@'");
        return;
    }
    emit(lex, TW__CSL_T_BUILTIN, from, tw__csl_intern(lex->ctx, from + 1, (size_t)(lex->at - from - 1)));
}

/* Digits, letters and _ together, a '.' with a digit behind it, a sign behind an exponent; judged by
 * tw__csl_integer() and tw__csl_real(), so that 0x12zz is one bad number and not a number and a name. */
static void lex_number(lexer *lex)
{
    const char *from = lex->at;
    bool real = false;
    bool prefixed = lex->end - from > 1 && from[0] == '0' && (from[1] == 'x' || from[1] == 'b' || from[1] == 'o');
    for (; lex->at < lex->end; lex->at++) {
        char c = *lex->at, next = lex->at + 1 < lex->end ? lex->at[1] : 0;
        if (c == '.' && !prefixed && !real && is_digit(next)) {
            real = true;
        } else if ((c == 'e' || c == 'E') && !prefixed) {
            real = true;
            if (next == '+' || next == '-') lex->at++;
        } else if (!is_letter(c) && !is_digit(c)) {
            break;
        }
    }
    emit(lex, real ? TW__CSL_T_FLOAT : TW__CSL_T_INT, from, 0);
}

/* "..." or '.': up to the closing quote on the same line; escapes are judged later. */
static void lex_quoted(lexer *lex, char quote)
{
    const char *from = lex->at++;
    while (lex->at < lex->end && *lex->at != quote && *lex->at != '\n') {
        if (*lex->at == '\\' && lex->at + 1 < lex->end && lex->at[1] != '\n') lex->at++;
        lex->at++;
    }
    if (lex->at < lex->end && *lex->at == quote)
        lex->at++;
    else if ((lex->broken = true))
        tw__csl_report(lex->ctx, TW_ERROR, loc_of(lex, from), (uint32_t)(lex->at - from), "csl.syntax",
                       "%s is not closed on its line", quote == '"' ? "this string" : "this character");
    emit(lex, quote == '"' ? TW__CSL_T_STRING : TW__CSL_T_CHAR, from, 0);
}

static void lex_punctuation(lexer *lex)
{
    size_t best = SIZE_MAX, left = (size_t)(lex->end - lex->at);
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++)
        if (punctuation[i].text[0] == *lex->at && punctuation[i].length <= left &&
            memcmp(lex->at, punctuation[i].text, punctuation[i].length) == 0 &&
            (best == SIZE_MAX || punctuation[i].length > punctuation[best].length))
            best = i;
    const char *from = lex->at;
    if (best != SIZE_MAX) {
        lex->at += punctuation[best].length;
        emit(lex, punctuation[best].token, from, 0);
        return;
    }
    lex->at++;
    if (lex->bad) return;
    lex->bad = lex->broken = true;
    unsigned char c = (unsigned char)*from;
    if (c > 0x20 && c < 0x7f)
        tw__csl_report(lex->ctx, TW_ERROR, loc_of(lex, from), 1, "csl.syntax", "'%c' has no meaning in CSL", c);
    else
        tw__csl_report(lex->ctx, TW_ERROR, loc_of(lex, from), 1, "csl.syntax", "byte 0x%02x has no meaning here",
                       c);
}

static bool lex_starts(const lexer *lex, const char *two)
{
    return lex->end - lex->at >= 2 && lex->at[0] == two[0] && lex->at[1] == two[1];
}

static void lex_one(lexer *lex)
{
    char c = *lex->at;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        lex->at++;
    } else if (lex_starts(lex, "//")) {
        while (lex->at < lex->end && *lex->at != '\n') lex->at++;
    } else if (lex_starts(lex, "/*")) {
        const char *close = g_strstr_len(lex->at + 2, lex->end - lex->at - 2, "*/");
        tw__csl_report(lex->ctx, TW_ERROR, loc_of(lex, lex->at), 2, "csl.syntax",
                       "CSL has no block comments; write // on each line%s",
                       close ? "" : " (and the one that begins here has no end)");
        lex->at = close ? close + 2 : lex->end;
    } else if (is_letter(c)) {
        lex_word(lex);
    } else if (is_digit(c)) {
        lex_number(lex);
    } else if (c == '@') {
        lex_builtin(lex);
    } else if (c == '"' || c == '\'') {
        lex_quoted(lex, c);
    } else {
        lex_punctuation(lex);
    }
}

tw__csl_token *tw__csl_lex(tw__csl_ctx *ctx, tw__csl_loc base, size_t *count)
{
    const tw__csl_file *file = tw__csl_file_of(ctx, base);
    lexer lex = { .ctx = ctx, .file = file, .at = file->text, .end = file->text + file->size };
    if (lex_starts(&lex, "\xef\xbb") && file->size > 2 && file->text[2] == '\xbf')
        lex.at += 3; /* byte order mark */
    while (lex.at < lex.end && !ctx->lost) lex_one(&lex);
    for (int i = 0; i < 2; i++) emit(&lex, TW__CSL_T_END, lex.at, 0); /* twice: the parser looks one token ahead */
    if (ctx->lost || (lex.broken && !ctx->kept)) {
        free(lex.tokens);
        return NULL;
    }
    *count = lex.count - 1;
    return lex.tokens;
}
