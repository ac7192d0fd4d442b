/* SPDX-License-Identifier: MIT */
/* pack: columns of numbers and a head as one compressed text, which the page decodes. Base64 has no '<', so nothing
 * in the data can end the element that holds it. */
#include "report/report.h"

#include <stdlib.h>
#include <zlib.h>

void tw__report_pack_init(tw__report_pack *pack)
{
    pack->data = g_byte_array_new();
    pack->index = g_string_new(NULL);
}

void tw__report_pack_free(tw__report_pack *pack)
{
    if (pack->data) g_byte_array_free(pack->data, TRUE);
    if (pack->index) g_string_free(pack->index, TRUE);
    *pack = (tw__report_pack){ 0 };
}

void *tw__report_pack_room(tw__report_pack *pack, const char *name, size_t count, size_t size)
{
    guint at = pack->data->len, whole = (guint)((count * size + 7) & ~(size_t)7);
    g_string_append_printf(pack->index, "%s\"%s\":[\"%s\",%u,%zu]", pack->index->len ? "," : "", name,
                           size == 1   ? "u8"
                           : size == 4 ? "u32"
                                       : "f64",
                           at, count);
    g_byte_array_set_size(pack->data, at + whole);
    if (whole) memset(pack->data->data + at + whole - 8, 0, 8);
    return pack->data->data ? pack->data->data + at : NULL;
}

static void pack_add(tw__report_pack *pack, const char *name, const void *values, size_t count, size_t size)
{
    void *room = tw__report_pack_room(pack, name, count, size);
    if (count) memcpy(room, values, count * size);
}

void tw__report_pack_u8(tw__report_pack *pack, const char *name, const uint8_t *values, size_t count)
{
    pack_add(pack, name, values, count, 1);
}

void tw__report_pack_u32(tw__report_pack *pack, const char *name, const uint32_t *values, size_t count)
{
    pack_add(pack, name, values, count, sizeof *values);
}

/* Counts that fit take 4 bytes each: most do, and the page reads both. */
void tw__report_pack_count(tw__report_pack *pack, const char *name, const uint64_t *values, size_t count)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) most |= values[i];
    bool small = most <= UINT32_MAX;
    void *room = tw__report_pack_room(pack, name, count, small ? 4 : 8);
    for (size_t i = 0; i < count; i++) {
        if (small)
            ((uint32_t *)room)[i] = (uint32_t)values[i];
        else
            ((double *)room)[i] = (double)values[i];
    }
}

/* NAME: the bytes of all texts; NAMEEnds: where each ends. */
void tw__report_pack_texts(tw__report_pack *pack, const char *name, const char *const *texts, size_t count)
{
    GByteArray *bytes = g_byte_array_new();
    uint32_t *ends = g_new0(uint32_t, count + 1);
    char *ends_name = g_strconcat(name, "Ends", NULL);
    for (size_t i = 0; i < count; i++) {
        const char *text = g_utf8_validate(texts[i], -1, NULL) ? texts[i] : "?";
        g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text));
        ends[i] = bytes->len;
    }
    tw__report_pack_u8(pack, name, bytes->data, bytes->len);
    tw__report_pack_u32(pack, ends_name, ends, count);
    g_free(ends_name);
    g_free(ends);
    g_byte_array_free(bytes, TRUE);
}

/* --- deflate and base64 ----------------------------------------------------------------------------------------- */

enum {
    CHUNK = 48 << 10,
    PIECE = 8 * CHUNK, /* bytes of an element: a multiple of 3, so that each is base64 of its own */
};

/* What stands between two pieces in the page. */
const char tw__report_joint[] = "</script>\n<script type=\"text/plain\" class=\"tilewright-data\">";

typedef struct encoder {
    FILE *out;
    z_stream z;
    gint state, save;
    size_t piece; /* bytes in it so far */
    char *text;
    unsigned char *room;
} encoder;

static void put(encoder *e, const unsigned char *bytes, size_t count)
{
    while (count) {
        if (e->piece == PIECE) fputs(tw__report_joint, e->out), e->piece = 0;
        size_t part = MIN(count, PIECE - e->piece);
        size_t n = g_base64_encode_step(bytes, part, FALSE, e->text, &e->state, &e->save);
        fwrite(e->text, 1, n, e->out);
        bytes += part, count -= part, e->piece += part;
    }
}

static bool squeeze(encoder *e, const void *data, size_t bytes, int flush)
{
    e->z.next_in = (unsigned char *)(uintptr_t)data;
    e->z.avail_in = (uInt)bytes;
    do {
        e->z.next_out = e->room;
        e->z.avail_out = CHUNK;
        if (deflate(&e->z, flush) == Z_STREAM_ERROR) return false;
        put(e, e->room, CHUNK - e->z.avail_out);
    } while (e->z.avail_out == 0);
    return true;
}

tw_status tw__report_pack_write(const tw__report_pack *pack, const char *head, size_t head_bytes, FILE *out)
{
    encoder e = { .out = out, .text = malloc(CHUNK * 2), .room = malloc(CHUNK) };
    unsigned char start[8] = { 'T', 'W', 'R', '1' };
    static const char blanks[8] = "        ";
    size_t padding = (8 - head_bytes % 8) % 8, length = head_bytes + padding;
    for (int i = 0; i < 4; i++) start[4 + i] = (unsigned char)(length >> 8 * i);
    /* 15 + 16: a gzip header, which the browser's DecompressionStream reads. */
    bool good = e.text && e.room &&
                deflateInit2(&e.z, pack->data->len > (4u << 20) ? 1 : 6, Z_DEFLATED, 15 + 16, 9,
                             Z_DEFAULT_STRATEGY) == Z_OK;
    if (good) {
        good = squeeze(&e, start, sizeof start, Z_NO_FLUSH) && squeeze(&e, head, head_bytes, Z_NO_FLUSH) &&
               squeeze(&e, blanks, padding, Z_NO_FLUSH) && squeeze(&e, pack->data->data, pack->data->len, Z_FINISH);
        deflateEnd(&e.z);
        size_t n = g_base64_encode_close(FALSE, e.text, &e.state, &e.save);
        fwrite(e.text, 1, n, out);
    }
    free(e.text);
    free(e.room);
    if (!good) return tw__fail(TW_E_NO_MEMORY, "out of memory for a report");
    return ferror(out) ? tw__fail(TW_E_IO, "cannot write the report") : TW_OK;
}
