/* SPDX-License-Identifier: MIT */
/* What all files of a compilation share: texts, names, diagnostics. */
#include "csl/lang/syntax/internal.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

tw__csl_ctx *tw__csl_ctx_new(tw_diags *diags)
{
    tw__csl_ctx *ctx = tw__calloc(1, sizeof *ctx);
    if (!ctx) return NULL;
    *ctx = (tw__csl_ctx){ .arena = tw__arena_new(0), .diags = diags, .end = 1 };
    ctx->names = g_hash_table_new(tw__csl_word_hash, tw__csl_word_equal);
    ctx->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (ctx->arena && tw__csl_lex_begin(ctx)) return ctx;
    tw__csl_ctx_free(ctx);
    return NULL;
}

void tw__csl_ctx_free(tw__csl_ctx *ctx)
{
    if (!ctx) return;
    if (ctx->names) g_hash_table_destroy(ctx->names);
    if (ctx->seen) g_hash_table_destroy(ctx->seen);
    tw__arena_free(ctx->arena);
    for (size_t i = 0; i < ctx->file_count; i++) free(ctx->files[i].tokens);
    free(ctx->words);
    free(ctx->files);
    free(ctx);
}

tw__arena *tw__csl_arena(tw__csl_ctx *ctx)
{
    return ctx->arena;
}

/* --- names --------------------------------------------------------------------------------------------------- */

unsigned tw__csl_word_hash(const void *key)
{
    const tw__csl_word *word = key;
    unsigned hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < word->length; i++) hash = (hash ^ (unsigned char)word->text[i]) * 16777619u;
    return hash;
}

int tw__csl_word_equal(const void *a, const void *b)
{
    const tw__csl_word *x = a, *y = b;
    return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

tw__csl_name tw__csl_intern(tw__csl_ctx *ctx, const char *text, size_t length)
{
    tw__csl_word probe = { text, length, 0, 0 };
    tw__csl_word *word = g_hash_table_lookup(ctx->names, &probe);
    if (word) return word->name;
    char *copy = tw__arena_alloc(ctx->arena, length + 1, 1);
    word = TW__NEW(ctx->arena, tw__csl_word);
    if (!copy || !word || !tw__grow(&ctx->words, &ctx->word_room, ctx->word_count + 1, sizeof *ctx->words)) {
        tw__csl_no_memory(ctx);
        return 0;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    if (!ctx->word_count) ctx->words[ctx->word_count++] = NULL; /* number 0 is no name */
    *word = (tw__csl_word){ copy, length, (tw__csl_name)ctx->word_count, TW__CSL_T_IDENT };
    ctx->words[ctx->word_count++] = word;
    g_hash_table_insert(ctx->names, word, word);
    return word->name;
}

const char *tw__csl_text(const tw__csl_ctx *ctx, tw__csl_name name)
{
    return name && name < ctx->word_count ? ctx->words[name]->text : "";
}

/* --- files and places ---------------------------------------------------------------------------------------- */

/* Start of each line of the text, relative to it. */
static bool find_lines(tw__csl_ctx *ctx, tw__csl_file *file)
{
    size_t count = 1;
    for (size_t i = 0; i < file->size; i++) count += file->text[i] == '\n';
    uint32_t *lines = TW__NEW_N(ctx->arena, uint32_t, count);
    if (!lines) return false;
    file->line_count = 1; /* lines[0] = 0 */
    for (size_t i = 0; i < file->size; i++)
        if (file->text[i] == '\n') lines[file->line_count++] = (uint32_t)i + 1;
    file->lines = lines;
    return true;
}

tw__csl_loc tw__csl_add_file(tw__csl_ctx *ctx, const char *path, const char *text, size_t size)
{
    if (size >= UINT32_MAX - ctx->end - 1) {
        tw__csl_report(ctx, TW_ERROR, 0, 1, "csl.size", "%s: all sources together may have 4 GiB", path);
        return 0;
    }
    tw__csl_file file = { .size = size, .base = ctx->end };
    char *copy = tw__arena_alloc(ctx->arena, size + 1, 1);
    file.path = tw__arena_strdup(ctx->arena, path);
    if (copy) memcpy(copy, text, size), copy[size] = 0;
    file.text = copy;
    if (!copy || !file.path || !find_lines(ctx, &file) ||
        !tw__grow(&ctx->files, &ctx->file_room, ctx->file_count, sizeof *ctx->files)) {
        tw__csl_no_memory(ctx);
        return 0;
    }
    ctx->end += (uint32_t)size + 1; /* one more, so that the end of the file has a location of its own */
    ctx->files[ctx->file_count++] = file;
    return file.base;
}

const tw__csl_file *tw__csl_file_of(const tw__csl_ctx *ctx, tw__csl_loc loc)
{
    size_t low = 0, high = ctx->file_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const tw__csl_file *file = &ctx->files[middle];
        if (loc < file->base)
            high = middle;
        else if (loc - file->base > file->size)
            low = middle + 1;
        else
            return file;
    }
    return NULL;
}

tw__csl_place tw__csl_where(const tw__csl_ctx *ctx, tw__csl_loc loc)
{
    const tw__csl_file *file = tw__csl_file_of(ctx, loc);
    if (!file) return (tw__csl_place){ .file = "" };
    uint32_t offset = loc - file->base;
    size_t low = 0, high = file->line_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (file->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    const char *line = file->text + file->lines[low];
    size_t length = strcspn(line, "\r\n"), left = file->size - file->lines[low];
    return (tw__csl_place){ file->path, (int)low + 1, (int)(offset - file->lines[low]) + 1, line,
                            length < left ? length : left };
}

void tw__csl_keep_trees(tw__csl_ctx *ctx)
{
    ctx->kept = true;
}

bool tw__csl_source_get(const tw__csl_ctx *ctx, size_t index, tw__csl_source *out)
{
    if (index >= ctx->file_count) return false;
    const tw__csl_file *file = &ctx->files[index];
    *out = (tw__csl_source){ file->path, file->text,   file->size,       file->base,
                             file->tree, file->tokens, file->token_count };
    return true;
}

/* --- diagnostics --------------------------------------------------------------------------------------------- */

void tw__csl_no_memory(tw__csl_ctx *ctx)
{
    if (!ctx->lost)
        tw_diags_add(ctx->diags,
                     &(tw_diag){ .severity = TW_ERROR, .code = "base.no-memory", .message = "out of memory" });
    ctx->lost = true;
}

void tw__csl_mute(tw__csl_ctx *ctx, bool mute)
{
    ctx->mute = mute;
}

unsigned tw__csl_errors(const tw__csl_ctx *ctx)
{
    return ctx->errors + ctx->lost;
}

bool tw__csl_stopped(const tw__csl_ctx *ctx)
{
    return ctx->lost || ctx->errors >= TW__CSL_MAX_ERRORS;
}

/* A function analysed once per instance says the same again: true for what was said before. */
static bool said_before(tw__csl_ctx *ctx, tw_severity severity, tw__csl_loc loc, const char *message)
{
    char *key = g_strdup_printf("%u %u %s", (unsigned)severity, loc, message);
    return !g_hash_table_add(ctx->seen, key);
}

void tw__csl_vreport(tw__csl_ctx *ctx, tw_severity severity, tw__csl_loc loc, uint32_t length, const char *code,
                     const char *format, va_list args)
{
    if (ctx->mute || (severity == TW_NOTE && ctx->quiet)) return; /* the message before it was dropped */
    char message[1024];
    vsnprintf(message, sizeof message, format, args);
    ctx->quiet = tw__csl_stopped(ctx) || (severity != TW_NOTE && said_before(ctx, severity, loc, message));
    if (ctx->quiet) return;
    tw__csl_place place = tw__csl_where(ctx, loc);
    char *source = place.line ? g_strndup(place.text, place.text_length) : NULL;
    tw_diags_add(ctx->diags, &(tw_diag){ .file = place.file,
                                         .line = place.line,
                                         .column = place.column,
                                         .length = length < INT32_MAX ? (int)length : 1,
                                         .severity = severity,
                                         .code = code,
                                         .message = message,
                                         .source = source });
    if (severity == TW_ERROR && ++ctx->errors == TW__CSL_MAX_ERRORS)
        tw_diags_add(ctx->diags, &(tw_diag){ .severity = TW_NOTE,
                                             .code = "csl.limit",
                                             .message = "too many errors: the rest is not shown" });
    g_free(source);
}

void tw__csl_report(tw__csl_ctx *ctx, tw_severity severity, tw__csl_loc loc, uint32_t length, const char *code,
                    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw__csl_vreport(ctx, severity, loc, length, code, format, args);
    va_end(args);
}
