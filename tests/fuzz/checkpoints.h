/* SPDX-License-Identifier: MIT */
/* Changes of a checkpoint, for fuzz targets. An input is no file, whose head names one build of the library, but a
 * list of changes to a file that the target has just written: numbers, bytes, sections. Lengths and checksum are made
 * right behind them, so that what is read gets past these. */
#ifndef TW_FUZZ_CHECKPOINTS_H
#define TW_FUZZ_CHECKPOINTS_H

#include "core/base/base.h"
#include "mutate.h"

#include <glib.h>
#include <string.h>

enum { CK_TRAILER = 24, CK_MOST_EDITS = 12, CK_SECTIONS = 512 };

/* How the bytes of an input mean it. */
typedef struct ck_edit {
    uint8_t what, section; /* of what there is, the rest of a division */
    uint8_t at[2];         /* how far into the section, of 65536 */
    uint8_t value[4];
} ck_edit;

typedef struct ck_section {
    GByteArray *name; /* with its number: as it stands in the file */
    GByteArray *bytes;
} ck_section;

static inline uint64_t ck_fixed(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned b = 0; b < bytes; b++) value |= (uint64_t)at[b] << 8 * b;
    return value;
}

static inline void ck_put_fixed(GByteArray *out, uint64_t value)
{
    uint8_t bytes[8];
    for (unsigned b = 0; b < 8; b++) bytes[b] = (uint8_t)(value >> 8 * b);
    g_byte_array_append(out, bytes, 8);
}

static inline uint64_t ck_number(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
}

static inline void ck_free_section(void *data)
{
    ck_section *s = data;
    g_byte_array_unref(s->name), g_byte_array_unref(s->bytes);
    g_free(s);
}

static inline ck_section *ck_copy_section(const ck_section *s)
{
    ck_section *copy = g_new(ck_section, 1);
    copy->name = g_byte_array_append(g_byte_array_new(), s->name->data, s->name->len);
    copy->bytes = g_byte_array_append(g_byte_array_new(), s->bytes->data, s->bytes->len);
    return copy;
}

/* The sections of a sound file, and its head. */
static inline GPtrArray *ck_sections(const GByteArray *file, GByteArray *head)
{
    const uint8_t *at = file->data + 8, *end = file->data + file->len - CK_TRAILER;
    GPtrArray *sections = g_ptr_array_new_with_free_func(ck_free_section);
    ck_number(&at);
    for (unsigned text = 0; text < 2; text++) {
        uint64_t length = ck_number(&at);
        at += length;
    }
    ck_number(&at), ck_number(&at);
    g_byte_array_append(head, file->data, (guint)(at - file->data));
    while (at < end) {
        const uint8_t *name = at;
        uint64_t length = ck_number(&at);
        at += length;
        ck_number(&at);
        ck_section *s = g_new(ck_section, 1);
        s->name = g_byte_array_append(g_byte_array_new(), name, (guint)(at - name));
        length = ck_fixed(at, 8), at += 8;
        s->bytes = g_byte_array_append(g_byte_array_new(), at, (guint)length);
        at += length;
        g_ptr_array_add(sections, s);
    }
    return sections;
}

/* A number in the place of the one that the byte belongs to. */
static inline void ck_set_number(GByteArray *bytes, guint at, const ck_edit *e)
{
    uint8_t text[10], size = 0;
    guint end = at;
    uint32_t raw = (uint32_t)ck_fixed(e->value, 4);
    mutate_chance chance = mutate_chance_of(raw);
    while (at && bytes->data[at - 1] > 127 && end - at < 9) at--;
    while (end + 1 < bytes->len && bytes->data[end] > 127 && end - at < 9) end++;
    const uint8_t *from = bytes->data + at;
    uint64_t value = bytes->data[end] < 128 ? ck_number(&from) : 0;
    switch (e->what / 8 % 4) {
    case 0: value = raw; break;
    case 1: value += (uint64_t)(int64_t)(int8_t)raw; break;
    case 2: value = raw & 15; break;
    default: value = mutate_limit(&chance);
    }
    for (; value > 127; value >>= 7) text[size++] = (uint8_t)(value | 128);
    text[size++] = (uint8_t)value;
    g_byte_array_remove_range(bytes, at, end + 1 - at);
    GByteArray *rest = g_byte_array_append(g_byte_array_new(), bytes->data + at, bytes->len - at);
    g_byte_array_set_size(bytes, at);
    g_byte_array_append(bytes, text, size);
    g_byte_array_append(bytes, rest->data, rest->len);
    g_byte_array_unref(rest);
}

static inline void ck_change_section(GPtrArray *sections, guint which, const ck_edit *e)
{
    guint other = e->value[0] % sections->len;
    ck_section *s = sections->pdata[which];
    switch (e->what / 8 % 4) {
    case 0:
        if (sections->len < CK_SECTIONS) g_ptr_array_insert(sections, (int)other, ck_copy_section(s));
        return;
    case 1: sections->pdata[which] = sections->pdata[other], sections->pdata[other] = s; return;
    case 2: g_ptr_array_remove_index(sections, which); return;
    default: s->name->data[s->name->len - 1] = e->value[1] & 127; /* the number */
    }
}

static inline void ck_change(GPtrArray *sections, const ck_edit *e)
{
    if (sections->len == 0) return;
    guint which = e->section % sections->len;
    ck_section *s = sections->pdata[which];
    GByteArray *bytes = s->bytes;
    if (e->what % 8 == 7) {
        ck_change_section(sections, which, e);
        return;
    }
    if (bytes->len == 0) return;
    guint at = (guint)(ck_fixed(e->at, 2) * bytes->len >> 16), length = MIN(1 + e->value[0] % 32u, bytes->len - at);
    switch (e->what % 8) {
    case 4: bytes->data[at] = e->value[0]; break;
    case 5: g_byte_array_remove_range(bytes, at, length); break;
    case 6: g_byte_array_set_size(bytes, at); break;
    default: ck_set_number(bytes, at, e);
    }
}

/* The file with the changes that an input says. */
static inline GByteArray *ck_changed(const GByteArray *file, const uint8_t *data, size_t size)
{
    GByteArray *out = g_byte_array_new();
    GPtrArray *sections = ck_sections(file, out);
    for (size_t n = 0; n < CK_MOST_EDITS && (n + 1) * sizeof(ck_edit) <= size; n++) {
        ck_edit e;
        memcpy(&e, data + n * sizeof e, sizeof e);
        ck_change(sections, &e);
    }
    for (guint i = 0; i < sections->len; i++) {
        const ck_section *s = sections->pdata[i];
        g_byte_array_append(out, s->name->data, s->name->len);
        ck_put_fixed(out, s->bytes->len);
        g_byte_array_append(out, s->bytes->data, s->bytes->len);
    }
    uint64_t length = out->len;
    ck_put_fixed(out, length);
    ck_put_fixed(out, tw__fnv1a(TW__FNV, out->data, length));
    g_byte_array_append(out, (const uint8_t *)"TWsaved\n", 8);
    g_ptr_array_free(sections, TRUE);
    return out;
}

/* A few changes more, less or other ones. The first byte of an input says what is saved. */
static inline size_t ck_mutate(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    mutate_chance c = mutate_chance_of(seed);
    if (most < 1 + sizeof(ck_edit)) return size;
    if (size == 0 || mutate_one_in(&c, 12)) data[0] = (uint8_t)mutate_below(&c, 256), size = MAX(size, 1);
    size_t edits = MIN((size - 1) / sizeof(ck_edit), CK_MOST_EDITS);
    uint8_t *edit = data + 1 + mutate_below(&c, edits) * sizeof(ck_edit);
    unsigned how = mutate_below(&c, 8);
    if (edits && how == 0) { /* one less */
        memmove(edit, data + 1 + (edits - 1) * sizeof(ck_edit), sizeof(ck_edit));
        return 1 + (edits - 1) * sizeof(ck_edit);
    }
    bool more = edits == 0 || (how < 4 && edits < CK_MOST_EDITS && 1 + (edits + 1) * sizeof(ck_edit) <= most);
    if (more) edit = data + 1 + edits++ * sizeof(ck_edit);
    for (size_t b = 0; b < sizeof(ck_edit); b++)
        if (more || mutate_one_in(&c, 3)) edit[b] = (uint8_t)mutate_below(&c, 256);
    return 1 + edits * sizeof(ck_edit);
}

#endif
