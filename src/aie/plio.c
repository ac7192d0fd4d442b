/* Text files at the edge of the array: one beat of 32, 64 or 128 bits per line, values in decimal (aie.md 5). */
#include "aie/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Components of an element: bytes of one, how many. Floats are read and written as such. */
static const struct {
    unsigned bytes, parts;
    bool is_float;
} formats[TW_AIE_ELEMENTS] = {
    [TW_AIE_INT8] = { 1, 1, false },    [TW_AIE_INT16] = { 2, 1, false },  [TW_AIE_INT32] = { 4, 1, false },
    [TW_AIE_CINT16] = { 2, 2, false },  [TW_AIE_CINT32] = { 4, 2, false }, [TW_AIE_FLOAT32] = { 4, 1, true },
    [TW_AIE_CFLOAT32] = { 4, 2, true },
};

static bool append(tw__plio *file, const void *bytes, size_t count)
{
    while (file->count + count > file->room)
        if (!tw__grow(&file->bytes, &file->room, file->room, 1)) return false;
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
    return true;
}

/* One number; false with a message when the text at *at is none, or does not fit. */
static bool number(tw_aie_array *array, tw__plio *file, unsigned line, char **at)
{
    unsigned bytes = formats[file->element].bytes;
    char *end;
    errno = 0;
    if (formats[file->element].is_float) {
        float f = strtof(*at, &end);
        if (end != *at && !append(file, &f, 4))
            return tw__aie_fail(array, TW_E_NO_MEMORY, "%s: no memory", file->path), false;
    } else {
        long long v = strtoll(*at, &end, 10), limit = 1LL << (8 * bytes - 1);
        if (end != *at && (errno || v < -limit || v >= 2 * limit)) {
            tw__aie_fail(array, TW_E_PARSE, "%s:%u: %.*s does not fit %u bits", file->path, line, (int)(end - *at),
                         *at, 8 * bytes);
            return false;
        }
        if (end != *at && !append(file, &v, bytes))
            return tw__aie_fail(array, TW_E_NO_MEMORY, "%s: no memory", file->path), false;
    }
    if (end == *at) {
        tw__aie_fail(array, TW_E_PARSE, "%s:%u: expected a number, found '%.20s'", file->path, line, *at);
        return false;
    }
    *at = end;
    return true;
}

static bool load_line(tw_aie_array *array, tw__plio *file, unsigned line, char *text)
{
    text[strcspn(text, "\r\n")] = 0;
    char *at = text + strspn(text, " \t");
    if (!*at || (at[0] == 'T' && (at[1] == ' ' || at[1] == '\t')) || strncmp(at, "TLAST", 5) == 0) return true;
    size_t before = file->count;
    while (*at) {
        if (!number(array, file, line, &at)) return false;
        at += strspn(at, " \t,");
    }
    if ((file->count - before) * 8 == file->bits) return true;
    tw__aie_fail(array, TW_E_PARSE, "%s:%u: %zu values of %u bits are %zu bits, a line of this port takes %u",
                 file->path, line, (file->count - before) / formats[file->element].bytes,
                 8 * formats[file->element].bytes, 8 * (file->count - before), file->bits);
    return false;
}

bool tw__plio_load(tw_aie_array *array, tw__plio *file)
{
    char text[1024];
    FILE *in = fopen(file->path, "r");
    if (!in) return tw__aie_fail(array, TW_E_FILE_LOAD, "%s: %s", file->path, strerror(errno)), false;
    unsigned line = 0;
    bool ok = true;
    while (ok && fgets(text, sizeof text, in)) ok = load_line(array, file, ++line, text);
    fclose(in);
    return ok;
}

tw_status tw__plio_store(const tw__plio *file)
{
    FILE *out = fopen(file->path, "w");
    if (!out) return tw__fail(TW_E_IO, "%s: %s", file->path, strerror(errno));
    unsigned bytes = formats[file->element].bytes, line = file->bits / 8;
    for (size_t i = 0; i + bytes <= file->count; i += bytes) {
        char end = (i + bytes) % line ? ' ' : '\n';
        int64_t v = 0;
        float f;
        memcpy(&v, file->bytes + i, bytes);
        memcpy(&f, file->bytes + i, sizeof f < bytes ? sizeof f : bytes);
        if (formats[file->element].is_float)
            fprintf(out, "%.9g%c", (double)f, end);
        else
            fprintf(out, "%lld%c", (long long)((int64_t)((uint64_t)v << (64 - 8 * bytes)) >> (64 - 8 * bytes)),
                    end);
    }
    bool failed = ferror(out);
    return fclose(out) || failed ? tw__fail(TW_E_IO, "%s: cannot be written", file->path) : TW_OK;
}

/* --- moving data ------------------------------------------------------------------------------------------------- */

static bool step_input(tw__plio *file)
{
    bool moved = false;
    if (file->fifo) {
        uint32_t item[2] = { 0, 0 };
        while (file->at + 4 <= file->count) {
            memcpy(item, file->bytes + file->at, 4);
            if (!tw__fifo_push(file->fifo, item)) break;
            file->at += 4;
            moved = true;
        }
        return moved;
    }
    tw__pair *p = file->pair;
    while (p->full < 2 && file->at + p->bytes <= file->count) {
        memcpy(p->block[p->write] + p->margin, file->bytes + file->at, p->bytes);
        file->at += p->bytes;
        p->write ^= 1;
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
        while (tw__fifo_pop(file->fifo, item)) {
            if (!append(file, item, 4))
                return tw__aie_fail(array, TW_E_NO_MEMORY, "%s: no memory", file->path), false;
            moved = true;
        }
        return moved;
    }
    tw__pair *p = file->pair;
    while (p->full > 0) {
        if (!append(file, p->block[p->read] + p->margin, p->bytes))
            return tw__aie_fail(array, TW_E_NO_MEMORY, "%s: no memory", file->path), false;
        p->read ^= 1;
        p->full--;
        moved = true;
    }
    return moved;
}

bool tw__plio_step(tw_aie_array *array, tw__plio *file)
{
    return file->is_output ? step_output(array, file) : step_input(file);
}
