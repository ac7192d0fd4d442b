/* SPDX-License-Identifier: MIT */
/* Where definitions begin and end: trees say where names stand, tokens what stands around them. */
#include "csl/lang/index/walk.h"

static size_t token_at(const indexed_file *file, tw__csl_loc loc)
{
    size_t low = 0, high = file->source.token_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (file->source.tokens[middle].loc < loc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool opens(uint8_t kind)
{
    return kind == TW__CSL_T_LPAREN || kind == TW__CSL_T_LBRACE || kind == TW__CSL_T_LBRACKET ||
           kind == TW__CSL_T_DOT_LBRACE;
}
static bool closes(uint8_t kind)
{
    return kind == TW__CSL_T_RPAREN || kind == TW__CSL_T_RBRACE || kind == TW__CSL_T_RBRACKET;
}

static uint32_t behind_token(const indexed_file *file, size_t token)
{
    if (token >= file->source.token_count) return (uint32_t)file->source.size;
    return file->source.tokens[token].loc + file->source.tokens[token].length - file->source.base;
}

uint32_t tw__csl_extent_first(const indexed_file *file, tw__csl_loc name)
{
    size_t t = file->source.tokens ? token_at(file, name) : 0;
    while (t > 0 && file->source.tokens[t - 1].kind >= TW__CSL_T_ALIGN &&
           file->source.tokens[t - 1].kind < TW__CSL_TOKENS)
        t--;
    return file->source.tokens && t < file->source.token_count ? file->source.tokens[t].loc - file->source.base
                                                               : name - file->source.base;
}

uint32_t tw__csl_extent_end(const indexed_file *file, tw__csl_loc from)
{
    int depth = 0;
    if (!file->source.tokens) return from - file->source.base;
    for (size_t t = token_at(file, from); t < file->source.token_count; t++) {
        uint8_t kind = file->source.tokens[t].kind;
        if (depth == 0 && (kind == TW__CSL_T_COMMA || closes(kind)))
            return file->source.tokens[t].loc - file->source.base;
        depth += opens(kind) - closes(kind);
        if (depth) continue;
        bool ends = t + 1 < file->source.token_count && file->source.tokens[t + 1].kind == TW__CSL_T_SEMICOLON;
        if (kind == TW__CSL_T_SEMICOLON || (kind == TW__CSL_T_RBRACE && !ends)) return behind_token(file, t);
    }
    return (uint32_t)file->source.size;
}

uint32_t tw__csl_extent_close(const indexed_file *file, tw__csl_loc open)
{
    int depth = 0;
    if (!file->source.tokens) return (uint32_t)file->source.size;
    for (size_t t = token_at(file, open); t < file->source.token_count; t++) {
        uint8_t kind = file->source.tokens[t].kind;
        depth += opens(kind) - closes(kind);
        if (depth == 0 && closes(kind)) return behind_token(file, t);
    }
    return (uint32_t)file->source.size;
}
