/* SPDX-License-Identifier: MIT */
/* Values of numbers, characters and strings as they are written. */
#include "csl/lang/syntax/internal.h"

#include <stdlib.h>
#include <string.h>

static const char *literal_text_of(tw__csl_ctx *ctx, const tw__csl_token *token)
{
    const tw__csl_file *file = tw__csl_file_of(ctx, token->loc);
    return file->text + (token->loc - file->base);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99; /* of no base */
}

bool tw__csl_integer(tw__csl_ctx *ctx, const tw__csl_token *token, tw__u128 *out)
{
    const char *text = literal_text_of(ctx, token), *end = text + token->length;
    int base = 10;
    if (token->length > 1 && text[0] == '0' && digit_of(text[1]) > 9) {
        base = text[1] == 'x' ? 16 : text[1] == 'b' ? 2 : text[1] == 'o' ? 8 : 0;
        text += 2;
    }
    tw__u128 value = 0;
    bool any = false;
    for (; base && text < end; text++) {
        if (*text == '_' && any && text + 1 < end) continue;
        int digit = digit_of(*text);
        if (digit >= base) break;
        any = true;
        if (value > ((tw__u128)-1 - (unsigned)digit) / (unsigned)base) {
            tw__csl_report(ctx, TW_ERROR, token->loc, token->length, "csl.number",
                           "this number needs more than 128 bits");
            return false;
        }
        value = value * (unsigned)base + (unsigned)digit;
    }
    if (base && any && text == end) {
        *out = value;
        return true;
    }
    tw__csl_report(ctx, TW_ERROR, token->loc, token->length, "csl.number",
                   "this is not a number; write 12, 0x1f, 0b101, 0o17 or 1.5e-3");
    return false;
}

bool tw__csl_real(tw__csl_ctx *ctx, const tw__csl_token *token, double *out)
{
    char buffer[128], *end;
    size_t n = 0;
    const char *text = literal_text_of(ctx, token);
    bool fits = true;
    for (uint32_t i = 0; i < token->length; i++) {
        if (text[i] == '_') continue;
        if (n == sizeof buffer - 1) fits = false;
        if (fits) buffer[n++] = text[i];
    }
    buffer[n] = 0;
    *out = g_ascii_strtod(buffer, &end); /* C locale whatever the host program set */
    if (!fits || *end || end == buffer)
        tw__csl_report(ctx, TW_ERROR, token->loc, token->length, "csl.number",
                       fits ? "this is not a number; write 12, 0x1f, 0b101, 0o17 or 1.5e-3"
                            : "this number has more than 127 characters");
    else if (*out > 1.7976931348623157e308)
        tw__csl_report(ctx, TW_ERROR, token->loc, token->length, "csl.number",
                       "this number is beyond 64-bit floats");
    else
        return true;
    return false;
}

/* One escape behind a backslash: bytes used, 0 = bad. */
static size_t unescape(const char *text, const char *end, char *out)
{
    static const char from[] = "nrt\\\"'0", to[] = "\n\r\t\\\"'";
    const char *hit = text < end ? memchr(from, *text, sizeof from - 1) : NULL;
    if (hit) {
        *out = to[hit - from]; /* \0 is the NUL behind `to` */
        return 1;
    }
    if (end - text < 3 || *text != 'x' || digit_of(text[1]) > 15 || digit_of(text[2]) > 15) return 0;
    *out = (char)(digit_of(text[1]) * 16 + digit_of(text[2]));
    return 3;
}

bool tw__csl_string(tw__csl_ctx *ctx, const tw__csl_token *token, char **out, uint32_t *length)
{
    const char *text = literal_text_of(ctx, token) + 1, *end = text + token->length - 1;
    if (token->length > 1 && end[-1] == text[-1]) end--; /* not closed: reported by the lexer */
    char *bytes = tw__arena_alloc(ctx->arena, (size_t)(end - text) + 1, 1);
    if (!bytes) return tw__csl_no_memory(ctx), false;
    uint32_t n = 0;
    for (const char *at = text; at < end; n++) {
        if (*at != '\\') {
            bytes[n] = *at++;
            continue;
        }
        size_t used = unescape(at + 1, end, &bytes[n]);
        if (!used) {
            tw__csl_report(ctx, TW_ERROR, token->loc + 1 + (tw__csl_loc)(at - text), 2, "csl.syntax",
                           "unknown escape; CSL has \\n \\r \\t \\\\ \\\" \\' \\0 and \\xNN");
            return false;
        }
        at += 1 + used;
    }
    bytes[n] = 0;
    *out = bytes;
    *length = n;
    return true;
}
