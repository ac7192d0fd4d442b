/* SPDX-License-Identifier: MIT */
/* lsp_text: texts that change, and the positions of the protocol: lines, and in them units of UTF-16 or UTF-8. */
#include "cli/lsp/lsp.h"

#include <string.h>

static void find_line_starts(tw__lsp_text *text)
{
    GArray **arrays[] = { &text->lines, &text->source_lines };
    size_t at = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) {
        if (!*arrays[i]) *arrays[i] = g_array_new(FALSE, FALSE, sizeof(size_t));
        g_array_set_size(*arrays[i], 0);
        g_array_append_val(*arrays[i], at);
    }
    while (at < text->size) {
        char c = text->bytes[at++];
        if (c == '\n') g_array_append_val(text->source_lines, at);
        if (c == '\n' || (c == '\r' && text->bytes[at] != '\n')) g_array_append_val(text->lines, at);
    }
}

void tw__lsp_text_set(tw__lsp_text *text, char *bytes, size_t size)
{
    g_free(text->bytes);
    text->bytes = bytes;
    text->size = size;
    find_line_starts(text);
}

void tw__lsp_text_clear(tw__lsp_text *text)
{
    g_free(text->bytes);
    if (text->lines) g_array_free(text->lines, TRUE), g_array_free(text->source_lines, TRUE);
    *text = (tw__lsp_text){ .bytes = NULL };
}

/* Bytes of the character there, 1 for a byte that begins none, and the units of UTF-16 that it takes. */
static size_t character(const char *at, size_t left, unsigned *units)
{
    unsigned char c = (unsigned char)*at;
    size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    if (length > left) length = 1;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)at[i] & 0xc0) != 0x80) length = 1;
    *units = length == 4 ? 2 : 1;
    return length;
}

static size_t line_end(const tw__lsp_text *text, size_t line)
{
    if (line + 1 >= text->lines->len) return text->size;
    size_t end = g_array_index(text->lines, size_t, line + 1) - 1, begin = g_array_index(text->lines, size_t, line);
    bool pair = text->bytes[end] == '\n' && end > begin && text->bytes[end - 1] == '\r';
    return pair ? end - 1 : end;
}

size_t tw__lsp_offset(const tw__lsp_text *text, const json_t *position, bool utf8)
{
    json_int_t line = json_integer_value(json_object_get(position, "line")),
               column = json_integer_value(json_object_get(position, "character"));
    if (line < 0) return 0;
    if (line >= (json_int_t)text->lines->len) return text->size;
    size_t at = g_array_index(text->lines, size_t, line), end = line_end(text, (size_t)line);
    for (json_int_t done = 0; at < end && done < column;) {
        unsigned units;
        size_t bytes = character(text->bytes + at, end - at, &units);
        done += utf8 ? (json_int_t)bytes : (json_int_t)units;
        if (done > column) break; /* within the character: its beginning */
        at += bytes;
    }
    return at;
}

json_t *tw__lsp_position(const tw__lsp_text *text, size_t offset, bool utf8)
{
    if (offset > text->size) offset = text->size;
    size_t low = 0, high = text->lines->len;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (g_array_index(text->lines, size_t, middle) <= offset)
            low = middle;
        else
            high = middle;
    }
    json_int_t column = 0;
    for (size_t at = g_array_index(text->lines, size_t, low); at < offset;) {
        unsigned units;
        size_t bytes = character(text->bytes + at, text->size - at, &units);
        column += utf8 ? (json_int_t)bytes : (json_int_t)units;
        at += bytes;
    }
    return json_pack("{sIsI}", "line", (json_int_t)low, "character", column);
}

json_t *tw__lsp_range(const tw__lsp_text *text, size_t from, size_t until, bool utf8)
{
    return json_pack("{soso}", "start", tw__lsp_position(text, from, utf8), "end",
                     tw__lsp_position(text, until, utf8));
}

bool tw__lsp_change(tw__lsp_text *text, const json_t *change, bool utf8)
{
    const json_t *range = json_object_get(change, "range"), *with = json_object_get(change, "text");
    if (!json_is_string(with)) return false;
    size_t length = json_string_length(with), from = 0, until = text->size;
    if (json_is_object(range)) {
        from = tw__lsp_offset(text, json_object_get(range, "start"), utf8);
        until = tw__lsp_offset(text, json_object_get(range, "end"), utf8);
    } else if (range && !json_is_null(range)) {
        return false;
    }
    if (until < from) until = from;
    size_t size = text->size - (until - from) + length;
    char *bytes = g_malloc(size + 1);
    memcpy(bytes, text->bytes, from);
    memcpy(bytes + from, json_string_value(with), length);
    memcpy(bytes + from + length, text->bytes + until, text->size - until);
    bytes[size] = 0;
    tw__lsp_text_set(text, bytes, size);
    return true;
}

char *tw__lsp_path_of(const char *uri)
{
    g_autofree char *path = g_filename_from_uri(uri, NULL, NULL);
    return path ? g_canonicalize_filename(path, "/") : g_strdup(uri);
}

char *tw__lsp_uri_of(const char *path)
{
    char *uri = g_path_is_absolute(path) ? g_filename_to_uri(path, NULL, NULL) : NULL;
    return uri ? uri : g_strdup(path);
}
