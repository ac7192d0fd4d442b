/* SPDX-License-Identifier: MIT */
#include "core/base/checkpoint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 8, VERSION = 1, PAGE = 256, MOST_TEXT = 256, TRAILER = 8 + 8 + 8 };
static const char magic[MAGIC + 1] = "\x89TWsave\n", last[MAGIC + 1] = "TWsaved\n";
#define MOST_FILE ((size_t)1 << 40)

struct tw__ck {
    bool reads;
    tw_status status;
    char *name;   /* of a file that is read */
    uint8_t *all; /* reading: the file; writing: the section under way */
    size_t at, end, room;
    size_t section_end; /* reading */
    char section[32];
    FILE *out;
    uint64_t written, sum;
};

bool tw__ck_reads(const tw__ck *k)
{
    return k->reads;
}

bool tw__ck_good(const tw__ck *k)
{
    return k->status == TW_OK;
}

void tw__ck_no_memory(tw__ck *k)
{
    if (k->status == TW_OK) k->status = tw__fail(TW_E_NO_MEMORY, "no memory for a checkpoint");
}

void tw__ck_wrong(tw__ck *k, const char *format, ...)
{
    if (k->status != TW_OK) return;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    k->status = tw__fail(TW_E_FILE_LOAD, "'%s' is no checkpoint that can be resumed: in section '%s', %s",
                         k->name ? k->name : "", k->section, text);
}

void tw__ck_refuse(tw__ck *k, const char *format, ...)
{
    if (k->status != TW_OK) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    k->status = tw__fail(TW_E_FILE_LOAD, "'%s' %s", k->name ? k->name : "", text);
}

void tw__ck_skip(tw__ck *k)
{
    if (k->reads) k->at = k->section_end;
}

static uint64_t hash_field(uint64_t hash, const tw__ck_field *row)
{
    const uint64_t parts[] = { row->size, row->count, row->most };
    hash = tw__fnv1a(hash, row->name, strlen(row->name) + 1);
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++)
        for (unsigned b = 0; b < 64; b += 8) hash = tw__fnv1a(hash, &(uint8_t){ (uint8_t)(parts[n] >> b) }, 1);
    return hash;
}

uint64_t tw__ck_layout(uint64_t hash, const tw__ck_table *tables)
{
    for (; tables->name; tables++)
        for (size_t i = 0; i < tables->count; i++) hash = hash_field(hash, &tables->rows[i]);
    return hash;
}

/* --- values ----------------------------------------------------------------------------------------------------- */

static bool ck_room(tw__ck *k, size_t more)
{
    if (k->status != TW_OK) return false;
    if (k->at + more <= k->room) return true;
    size_t room = 2 * (k->at + more) + 4096;
    uint8_t *larger = tw__realloc(k->all, room);
    if (!larger) return tw__ck_no_memory(k), false;
    k->all = larger;
    k->room = room;
    return true;
}

void tw__ck_bytes(tw__ck *k, void *bytes, size_t size)
{
    if (!k->reads) {
        if (size && ck_room(k, size)) memcpy(k->all + k->at, bytes, size), k->at += size;
        return;
    }
    if (k->status == TW_OK && size > k->section_end - k->at) tw__ck_wrong(k, "bytes are missing");
    if (k->status != TW_OK) {
        if (size) memset(bytes, 0, size);
        return;
    }
    if (size) memcpy(bytes, k->all + k->at, size);
    k->at += size;
}

static void put_whole(tw__ck *k, uint64_t value)
{
    if (!ck_room(k, 10)) return;
    for (; value > 127; value >>= 7) k->all[k->at++] = (uint8_t)(value | 128);
    k->all[k->at++] = (uint8_t)value;
}

static uint64_t get_whole(tw__ck *k, const char *what)
{
    uint64_t value = 0;
    for (unsigned shift = 0; k->status == TW_OK; shift += 7) {
        if (k->at == k->section_end) {
            tw__ck_wrong(k, "'%s' is missing", what);
            break;
        }
        uint8_t byte = k->all[k->at++];
        if (shift == 63 && byte > 1) {
            tw__ck_wrong(k, "'%s' is no number", what);
            break;
        }
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    return 0;
}

uint64_t tw__ck_whole(tw__ck *k, const char *what, uint64_t value, uint64_t most)
{
    if (!k->reads) return put_whole(k, value), value;
    value = get_whole(k, what);
    if (value <= most) return value;
    tw__ck_wrong(k, "'%s' is %" PRIu64 ", at most %" PRIu64 " can be", what, value, most);
    return 0;
}

size_t tw__ck_count(tw__ck *k, const char *what, size_t count, size_t most, size_t least)
{
    count = (size_t)tw__ck_whole(k, what, count, most);
    if (!k->reads || count <= (k->section_end - k->at) / (least ? least : 1)) return count;
    tw__ck_wrong(k, "there are fewer than %zu of '%s'", count, what);
    return 0;
}

void tw__ck_wholes(tw__ck *k, const char *what, void *at, size_t size, size_t count, uint64_t most)
{
    uint8_t *element = at;
    for (size_t i = 0; i < count; i++, element += size) {
        uint64_t value = 0;
        if (!k->reads) switch (size) {
            case 1: value = *element; break;
            case 2: value = *(const uint16_t *)(const void *)element; break;
            case 4: value = *(const uint32_t *)(const void *)element; break;
            default: value = *(const uint64_t *)(const void *)element; break;
            }
        value =
            tw__ck_whole(k, what, value,
                         size < 8 && most > UINT64_MAX >> (64 - 8 * size) ? UINT64_MAX >> (64 - 8 * size) : most);
        if (k->reads) switch (size) {
            case 1: *element = (uint8_t)value; break;
            case 2: *(uint16_t *)(void *)element = (uint16_t)value; break;
            case 4: *(uint32_t *)(void *)element = (uint32_t)value; break;
            default: *(uint64_t *)(void *)element = value; break;
            }
    }
}

void tw__ck_fields(tw__ck *k, const tw__ck_field *rows, size_t count, void *at)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].size)
            tw__ck_wholes(k, rows[i].name, (char *)at + rows[i].offset, rows[i].size, rows[i].count, rows[i].most);
}

char *tw__ck_text(tw__ck *k, const char *what, const char *text, size_t most)
{
    size_t length = tw__ck_count(k, what, k->reads ? 0 : strlen(text), most, 1);
    if (!k->reads) return tw__ck_bytes(k, (char *)text, length), (char *)text;
    char *copy = tw__ck_good(k) ? tw__calloc(length + 1, 1) : NULL;
    if (!copy) return tw__ck_no_memory(k), NULL;
    tw__ck_bytes(k, copy, length);
    if (strlen(copy) != length) tw__ck_wrong(k, "'%s' is no text", what);
    if (tw__ck_good(k)) return copy;
    free(copy);
    return NULL;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    static const uint8_t zeros[PAGE];
    return memcmp(bytes, zeros, size) == 0;
}

/* Runs of pages: how many are skipped, how many follow; 0, 0 at the end. */
void tw__ck_sparse(tw__ck *k, const char *what, uint8_t *memory, size_t size)
{
    const size_t pages = (size + PAGE - 1) / PAGE;
    for (size_t page = 0; tw__ck_good(k);) {
        size_t first = page, end;
        while (!k->reads && first < pages &&
               is_zero(memory + first * PAGE, first + 1 < pages ? PAGE : size - first * PAGE))
            first++;
        for (end = first; !k->reads && end < pages; end++)
            if (is_zero(memory + end * PAGE, end + 1 < pages ? PAGE : size - end * PAGE)) break;
        first = page + (size_t)tw__ck_whole(k, what, first - page, pages - page);
        size_t count = (size_t)tw__ck_whole(k, what, end - first, pages - first);
        if (count == 0) return;
        page = first + count;
        tw__ck_bytes(k, memory + first * PAGE, (page < pages ? page * PAGE : size) - first * PAGE);
    }
}

/* --- the file --------------------------------------------------------------------------------------------------- */

/* What the section has so far goes to the file. */
static void ck_flush(tw__ck *k)
{
    if (k->status != TW_OK || k->at == 0) return;
    if (fwrite(k->all, 1, k->at, k->out) != k->at) k->status = tw__fail(TW_E_IO, "cannot write a checkpoint");
    k->sum = tw__fnv1a(k->sum, k->all, k->at);
    k->written += k->at;
    k->at = 0;
}

/* The bytes of a section follow their number. */
static void ck_close(tw__ck *k)
{
    uint8_t size[8];
    for (unsigned b = 0; b < 8; b++) size[b] = (uint8_t)((uint64_t)k->at >> 8 * b);
    if (k->status == TW_OK && *k->section && fwrite(size, 1, 8, k->out) != 8)
        k->status = tw__fail(TW_E_IO, "cannot write a checkpoint");
    if (*k->section) k->sum = tw__fnv1a(k->sum, size, 8), k->written += 8;
    ck_flush(k);
    *k->section = 0;
}

static uint64_t fixed_at(const uint8_t *at)
{
    uint64_t value = 0;
    for (unsigned b = 0; b < 8; b++) value |= (uint64_t)at[b] << 8 * b;
    return value;
}

void tw__ck_section(tw__ck *k, const char *name, uint32_t number)
{
    if (!k->reads) {
        ck_close(k);
        tw__ck_text(k, "section", name, MOST_TEXT);
        put_whole(k, number);
        ck_flush(k);
        snprintf(k->section, sizeof k->section, "%.20s %u", name, number);
        return;
    }
    if (k->status == TW_OK && k->at != k->section_end)
        tw__ck_wrong(k, "%zu bytes are left over", k->section_end - k->at);
    k->section_end = k->end;
    char *there = tw__ck_text(k, "section", NULL, MOST_TEXT);
    uint64_t which = tw__ck_whole(k, "section", 0, UINT32_MAX);
    if (there && (strcmp(there, name) != 0 || which != number))
        tw__ck_wrong(k, "'%.20s %u' should follow, not '%.20s %u'", name, number, there, (unsigned)which);
    free(there);
    snprintf(k->section, sizeof k->section, "%.20s %u", name, number);
    uint8_t size[8];
    tw__ck_bytes(k, size, 8);
    if (k->status == TW_OK && fixed_at(size) > k->end - k->at) tw__ck_wrong(k, "bytes are missing");
    k->section_end = k->status == TW_OK ? k->at + (size_t)fixed_at(size) : k->end;
}

tw__ck *tw__ck_write(FILE *out, const tw__ck_head *head)
{
    tw__ck *k = tw__calloc(1, sizeof *k);
    if (!k) return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for a checkpoint"), NULL);
    k->out = out;
    k->sum = TW__FNV;
    tw__ck_bytes(k, (char *)magic, MAGIC);
    put_whole(k, VERSION);
    tw__ck_text(k, "machine", head->machine, MOST_TEXT);
    tw__ck_text(k, "build", head->build, MOST_TEXT);
    put_whole(k, head->layout);
    put_whole(k, head->program);
    ck_flush(k);
    return k;
}

static void check_whole(tw__ck *k)
{
    if (k->end < MAGIC || memcmp(k->all, magic, MAGIC) != 0) {
        tw__ck_refuse(k, "is no checkpoint");
        return;
    }
    const uint8_t *trailer = k->end >= MAGIC + TRAILER ? k->all + k->end - TRAILER : NULL;
    if (!trailer || memcmp(trailer + 16, last, MAGIC) != 0 || fixed_at(trailer) != k->end - TRAILER) {
        tw__ck_refuse(k, "was cut off: %zu bytes, and the end of a checkpoint is not among them", k->end);
        return;
    }
    k->end -= TRAILER;
    if (fixed_at(trailer + 8) != tw__fnv1a(TW__FNV, k->all, k->end))
        tw__ck_refuse(k, "is damaged: its bytes do not give its checksum");
}

static void check_head(tw__ck *k, const tw__ck_head *head)
{
    k->at = MAGIC;
    k->section_end = k->end;
    uint64_t version = tw__ck_whole(k, "version", 0, TW__CK_ANY);
    if (k->status == TW_OK && version != VERSION)
        tw__ck_refuse(k, "is a checkpoint of format %" PRIu64 "; format %d is what this Tilewright reads", version,
                      VERSION);
    char *machine = tw__ck_text(k, "machine", NULL, MOST_TEXT), *build = tw__ck_text(k, "build", NULL, MOST_TEXT);
    uint64_t layout = tw__ck_whole(k, "layout", 0, TW__CK_ANY), program = tw__ck_whole(k, "program", 0, TW__CK_ANY);
    if (machine && strcmp(machine, head->machine) != 0)
        tw__ck_refuse(k, "is a checkpoint of a %.40s; a %s was to be resumed", machine, head->machine);
    if (build && (strcmp(build, head->build) != 0 || layout != head->layout))
        tw__ck_refuse(k, "was saved by Tilewright %.80s; this is %s, which may count cycles otherwise", build,
                      head->build);
    if (k->status == TW_OK && program != head->program)
        tw__ck_refuse(k, "was saved from another program than this one");
    free(machine);
    free(build);
    k->section_end = k->at;
}

tw__ck *tw__ck_read(const char *path, const tw__ck_head *head)
{
    tw__ck *k = tw__calloc(1, sizeof *k);
    if (k) k->reads = true, k->name = strdup(path);
    if (!k || !k->name) return free(k), tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for a checkpoint"), NULL);
    k->status = tw__read_regular_file(path, MOST_FILE, (char **)&k->all, &k->end);
    if (k->status == TW_OK) check_whole(k);
    if (k->status == TW_OK) check_head(k, head);
    tw_status status = k->status;
    return status == TW_OK ? k : (tw__ck_end(k), tw__made(status, NULL));
}

static void write_trailer(tw__ck *k)
{
    uint8_t trailer[TRAILER];
    ck_close(k);
    for (unsigned b = 0; b < 8; b++) {
        trailer[b] = (uint8_t)(k->written >> 8 * b);
        trailer[8 + b] = (uint8_t)(k->sum >> 8 * b);
    }
    memcpy(trailer + 16, last, MAGIC);
    if (k->status == TW_OK && fwrite(trailer, 1, TRAILER, k->out) != TRAILER)
        k->status = tw__fail(TW_E_IO, "cannot write a checkpoint");
}

tw_status tw__ck_end(tw__ck *k)
{
    if (!k) return tw_status_of(NULL);
    if (!k->reads) write_trailer(k);
    if (k->reads && k->status == TW_OK && (k->at != k->section_end || k->section_end != k->end))
        tw__ck_wrong(k, "%zu bytes are left over", k->end - k->at);
    tw_status status = k->status;
    free(k->all);
    free(k->name);
    free(k);
    return status;
}
