/* SPDX-License-Identifier: MIT */
/* Text files at the edge of the array: one beat of 32, 64 or 128 bits per line, values in decimal. */
#include "aie/array/model/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a component and how it is written. Complex elements are two components, one behind the other. */
typedef enum notation { SIGNED, UNSIGNED, REAL } notation;
static const struct {
    unsigned bytes;
    notation notation;
} formats[TW_AIE_ELEMENTS] = {
    [TW_AIE_INT8] = { 1, SIGNED },     [TW_AIE_INT16] = { 2, SIGNED },   [TW_AIE_INT32] = { 4, SIGNED },
    [TW_AIE_CINT16] = { 2, SIGNED },   [TW_AIE_CINT32] = { 4, SIGNED },  [TW_AIE_FLOAT32] = { 4, REAL },
    [TW_AIE_CFLOAT32] = { 4, REAL },   [TW_AIE_UINT8] = { 1, UNSIGNED }, [TW_AIE_UINT16] = { 2, UNSIGNED },
    [TW_AIE_UINT32] = { 4, UNSIGNED }, [TW_AIE_INT64] = { 8, SIGNED },   [TW_AIE_UINT64] = { 8, UNSIGNED },
};

/* Bytes a line holds: a beat, or one component where that is wider than the beat. */
static unsigned line_bytes(const tw__plio *file)
{
    unsigned beat = file->bits / 8, one = formats[file->element].bytes;
    return one > beat ? one : beat;
}

/* The word of 32 bits that ends at byte `end` carries TLAST. */
static bool set_last(tw__plio *file, size_t end)
{
    size_t word = end / 4 - 1;
    while (word / 8 >= file->last_room) {
        size_t before = file->last_room;
        if (!tw__grow(&file->last, &file->last_room, file->last_room, 1)) return false;
        memset(file->last + before, 0, file->last_room - before);
    }
    file->last[word / 8] |= (uint8_t)(1u << word % 8);
    return true;
}

static bool is_last(const tw__plio *file, size_t end)
{
    size_t word = end / 4 - 1;
    return word / 8 < file->last_room && file->last[word / 8] >> word % 8 & 1;
}

bool tw__plio_append(tw__plio *file, const void *bytes, size_t count)
{
    while (file->count + count > file->room)
        if (!tw__grow(&file->bytes, &file->room, file->room, 1)) return false;
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
    return true;
}

static bool no_memory(tw_aie_array *array, const tw__plio *file)
{
    tw__aie_fail(array, TW_E_NO_MEMORY, "%s: no memory", file->path);
    return false;
}

/* What a component can be: an unsigned pattern is taken for a signed one too, as in published data. */
static bool integer(const char *text, char **end, unsigned bytes, notation how, uint64_t *value)
{
    errno = 0;
    bool negative = *text == '-';
    uint64_t bits = negative ? (uint64_t)strtoll(text, end, 10) : strtoull(text, end, 10);
    *value = bits;
    if (*end == text) return true;
    if (errno) return false;
    if (bytes == 8) return !(negative && how == UNSIGNED);
    if (negative) return how == SIGNED && (int64_t)bits >= -(INT64_C(1) << (8 * bytes - 1));
    return bits < UINT64_C(1) << (8 * bytes);
}

/* What stands where a number should: a float in a file of integers is said to be one. */
static void no_number(tw_aie_array *array, const tw__plio *file, unsigned line, const char *at)
{
    char *end;
    strtod(at, &end);
    bool real = end != at && (!*end || strchr(" \t,", *end)); /* a port of floats would have taken it */
    tw__aie_fail(array, TW_E_PARSE, "%s:%u: expected a %snumber, found '%.*s'%s", file->path, line,
                 real ? "whole " : "", real ? (int)(end - at) : 20, at,
                 real ? ": this port has integers, and a float on it is written as its bits" : "");
}

/* One number; false with a message when the text at *at is none, or does not fit. */
static bool number(tw_aie_array *array, tw__plio *file, unsigned line, char **at)
{
    unsigned bytes = formats[file->element].bytes;
    notation how = formats[file->element].notation;
    char *end;
    if (how == REAL) {
        float f = strtof(*at, &end);
        if (end != *at && !tw__plio_append(file, &f, 4)) return no_memory(array, file);
    } else {
        uint64_t v;
        if (!integer(*at, &end, bytes, how, &v)) {
            tw__aie_fail(array, TW_E_PARSE, "%s:%u: %.*s does not fit %u bits%s", file->path, line,
                         (int)(end - *at), *at, 8 * bytes, how == UNSIGNED ? " without a sign" : "");
            return false;
        }
        if (end != *at && !tw__plio_append(file, &v, bytes)) return no_memory(array, file);
    }
    if (end == *at || (*end && !strchr(" \t,", *end))) {
        no_number(array, file, line, *at);
        return false;
    }
    *at = end;
    return true;
}

static bool load_line(tw_aie_array *array, tw__plio *file, unsigned line, char *text, bool *last)
{
    text[strcspn(text, "\r\n")] = 0;
    char *at = text + strspn(text, " \t");
    if (!*at || (at[0] == 'T' && (at[1] == ' ' || at[1] == '\t'))) return true;
    if (strncmp(at, "TLAST", 5) == 0 && !at[5 + strspn(at + 5, " \t")]) {
        *last = true;
        return true;
    }
    size_t before = file->count;
    while (*at) {
        if (!number(array, file, line, &at)) return false;
        at += strspn(at, " \t,");
    }
    size_t bytes = file->count - before;
    bool part =
        *last && bytes > 0 && bytes < line_bytes(file) && bytes % 4 == 0; /* a last beat keeps what it has */
    if (bytes != line_bytes(file) && !part) {
        tw__aie_fail(array, TW_E_PARSE, "%s:%u: %zu values of %u bits are %zu bits, a line of this port takes %u",
                     file->path, line, (file->count - before) / formats[file->element].bytes,
                     8 * formats[file->element].bytes, 8 * (file->count - before), 8 * line_bytes(file));
        return false;
    }
    if (*last && !set_last(file, file->count)) return no_memory(array, file);
    *last = false;
    return true;
}

/* What a simulation reads is no larger than this: 256 MiB of text are some 30 million values. */
enum { INPUT_LIMIT = 256 << 20 };

bool tw__plio_load(tw_aie_array *array, tw__plio *file)
{
    size_t size = 0;
    char *text = tw_read_file(file->path, INPUT_LIMIT, &size);
    if (!text) return tw__aie_fail(array, tw_error_status(), "%s", tw_error_message()), false;
    unsigned line = 0;
    bool ok = true, last = false;
    for (char *at = text, *end; ok && at < text + size; at = end + 1) {
        line++;
        end = memchr(at, '\n', (size_t)(text + size - at));
        if (!end) end = text + size; /* where tw_read_file() leaves a byte 0 */
        *end = 0;
        if (strlen(at) != (size_t)(end - at)) {
            tw__aie_fail(array, TW_E_PARSE, "%s:%u: a byte 0 in a text file", file->path, line);
            ok = false;
        }
        ok = ok && load_line(array, file, line, at, &last);
    }
    if (ok && last) {
        tw__aie_fail(array, TW_E_PARSE, "%s:%u: TLAST at the end of the file belongs to no data", file->path, line);
        ok = false;
    }
    free(text);
    return ok;
}

static void write_number(FILE *out, const tw__plio *file, size_t at)
{
    unsigned bytes = formats[file->element].bytes, unused = 64 - 8 * bytes;
    uint64_t v = 0;
    float f;
    memcpy(&v, file->bytes + at, bytes);
    switch (formats[file->element].notation) {
    case REAL:
        memcpy(&f, file->bytes + at, sizeof f);
        fprintf(out, "%.9g", (double)f);
        break;
    case SIGNED: fprintf(out, "%lld", (long long)((int64_t)(v << unused) >> unused)); break;
    case UNSIGNED: fprintf(out, "%llu", (unsigned long long)v); break;
    }
}

/* The line "T 120 ns" in front of the beat at byte `at`: when the kernel had made it, by the estimate of its
 * cycles. */
static void write_stamp(FILE *out, const tw_aie_array *a, const tw__plio *file, size_t at, size_t *stamp)
{
    if (!file->stamp_count) return;
    while (*stamp + 1 < file->stamp_count && file->stamps[*stamp].end <= at) ++*stamp;
    uint64_t ns = (uint64_t)((double)file->stamps[*stamp].cycles * 1e9 / (double)a->arch->clock_hz);
    fprintf(out, "T %llu ns\n", (unsigned long long)ns);
}

/* Of the beat at byte `at`: what a line has, less where a word before its end carries TLAST. */
static size_t beat_bytes(const tw__plio *file, size_t at)
{
    size_t room = file->count - at, size = line_bytes(file) < room ? line_bytes(file) : room;
    unsigned bytes = formats[file->element].bytes;
    for (size_t end = 4; end < size; end += 4)
        if (end % bytes == 0 && is_last(file, at + end)) return end;
    return size / bytes * bytes;
}

static tw_status store(const tw_aie_array *array, const tw__plio *file)
{
    const char **inputs = calloc(array->file_count, sizeof *inputs); /* an output never destroys what is read */
    if (!inputs) return tw__fail(TW_E_NO_MEMORY, "%s: no memory", file->path);
    for (size_t i = 0; i < array->file_count; i++)
        if (!array->files[i]->is_output) inputs[i] = array->files[i]->path;
    tw_output *output = tw_output_open(file->path, inputs, array->file_count);
    free(inputs);
    if (!output) return tw_error_status();
    FILE *out = tw_output_file(output);
    unsigned bytes = formats[file->element].bytes;
    size_t stamp = 0;
    for (size_t i = 0, beat; i + bytes <= file->count; i += beat) {
        beat = beat_bytes(file, i);
        write_stamp(out, array, file, i, &stamp);
        if (beat >= 4 && is_last(file, i + beat)) fprintf(out, "TLAST\n");
        for (size_t k = 0; k < beat; k += bytes) {
            write_number(out, file, i + k);
            fputc(k + bytes < beat ? ' ' : '\n', out);
        }
    }
    tw_status status = tw_output_commit(output);
    tw_output_free(output);
    return status;
}

tw_status tw__plio_store_all(const tw_aie_array *a)
{
    tw_status status = TW_OK;
    for (size_t i = 0; i < a->file_count && status == TW_OK; i++)
        if (a->files[i]->is_output && a->files[i]->path) status = store(a, a->files[i]);
    return status;
}

/* --- moving data ---------------------------------------------------------------------------------------------- */

/* When words have passed a file's port that may begin at `from`; files without a clock take no time. */
static uint64_t passed(tw__plio *file, uint64_t from, unsigned words)
{
    if (file->watches) tw__plio_passed(file, from, words);
    if (file->word_cycles <= 0) return 0;
    if (file->clock < (double)from) file->clock = (double)from;
    file->clock += words * file->word_cycles;
    return (uint64_t)ceil(file->clock);
}

static bool step_input(tw__plio *file)
{
    bool moved = false;
    if (file->fifo) {
        uint32_t item[2] = { 0, 0 };
        while (file->at + 4 <= file->count) {
            memcpy(item, file->bytes + file->at, 4);
            item[1] = is_last(file, file->at + 4);
            const unsigned place = (file->fifo->first + file->fifo->count) % file->fifo->room;
            if (!tw__fifo_push(file->fifo, item)) break;
            file->fifo->there[place] = passed(file, file->fifo->freed[place], 1);
            file->at += 4;
            moved = true;
        }
        return moved;
    }
    tw__pair *p = file->pair;
    while (p->full < p->blocks && file->at + p->bytes <= file->count) {
        memcpy(p->block[p->write] + p->margin, file->bytes + file->at, p->bytes);
        p->filled_at[p->write] = passed(file, p->freed_at[p->write], p->bytes / 4);
        file->at += p->bytes;
        p->write = (p->write + 1) % p->blocks;
        p->full++;
        moved = true;
    }
    return moved;
}

static bool step_output(tw_aie_array *array, tw__plio *file)
{
    bool moved = false;
    if (file->fifo) {
        uint32_t item[2];
        for (unsigned at = file->fifo->first; tw__fifo_pop(file->fifo, item); at = file->fifo->first) {
            file->fifo->freed[at] = passed(file, file->fifo->there[at], 1);
            if (!tw__plio_append(file, item, 4) || (item[1] && !set_last(file, file->count)))
                return no_memory(array, file);
            moved = true;
        }
        return moved;
    }
    tw__pair *p = file->pair;
    while (p->full > 0) {
        if (!tw__plio_append(file, p->block[p->read] + p->margin, p->bytes)) return no_memory(array, file);
        p->freed_at[p->read] = passed(file, p->filled_at[p->read], p->bytes / 4);
        p->read = (p->read + 1) % p->blocks;
        p->full--;
        moved = true;
    }
    return moved;
}

bool tw__plio_step(tw_aie_array *array, tw__plio *file)
{
    return file->is_output ? step_output(array, file) : step_input(file);
}
