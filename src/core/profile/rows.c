/* SPDX-License-Identifier: MIT */
/* Names and rows: each distinct text and each distinct "one value per tile" is stored once.
 *
 * A packed row is a string of variable-length integers (7 bits per byte, low first). A number d > 0 is one tile whose
 * value differs from the tile before (0 before the first) by the zigzag-coded d; a 0 is followed by n: n more tiles
 * with the value before. A balanced step of 1,472 tiles takes 2 to 8 bytes, one where all tiles differ about 2 bytes
 * per tile. */
#include "core/profile/profile.h"

typedef struct text_key {
    const char *text;
    size_t length;
} text_key;

static bool same_name(const tw_profile *p, uint32_t id, const void *key)
{
    const text_key *k = key;
    const char *text = p->names.items[id];
    return !strncmp(text, k->text, k->length) && text[k->length] == 0;
}

tw__name tw__profile_name_n(tw_profile *p, const char *text, size_t length)
{
    const char *zero = memchr(text, 0, length);
    text_key key = { text, zero ? (size_t)(zero - text) : length };
    if (!key.length || p->status) return 0;
    uint32_t hash = tw__hash_bytes(key.text, key.length, 1);
    uint32_t id = tw__index_find(p, &p->name_index, hash, same_name, &key);
    if (id != TW__NONE) return id;
    char *copy = tw__arena_alloc(p->arena, key.length + 1, 1);
    const char **slot = copy ? TW__PROFILE_PUSH(p, p->names) : NULL;
    if (!slot || !tw__index_add(&p->name_index, hash, (uint32_t)(p->names.count - 1))) {
        if (slot) p->names.count--;
        tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
        return 0;
    }
    memcpy(copy, key.text, key.length);
    copy[key.length] = 0;
    *slot = copy;
    return (tw__name)(p->names.count - 1);
}

tw__name tw__profile_name(tw_profile *p, const char *text)
{
    return text ? tw__profile_name_n(p, text, strlen(text)) : 0;
}

static void put_number(tw_profile *p, uint64_t value)
{
    do {
        uint8_t *byte = TW__PROFILE_PUSH(p, p->open_row);
        if (!byte) return;
        *byte = (uint8_t)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);
        value >>= 7;
    } while (value);
}

static uint64_t zigzag(uint64_t delta)
{
    return delta << 1 ^ (delta >> 63 ? ~UINT64_C(0) : 0);
}

static uint64_t unzigzag(uint64_t code)
{
    return code >> 1 ^ (code & 1 ? ~UINT64_C(0) : 0);
}

static void flush_run(tw_profile *p)
{
    uint32_t tiles = p->open_run;
    if (!tiles) return;
    if (p->open_value != p->open_previous) {
        put_number(p, zigzag(p->open_value - p->open_previous));
        tiles--;
    }
    if (tiles) put_number(p, 0), put_number(p, tiles);
    p->open_previous = p->open_value;
    p->open_run = 0;
}

void tw__profile_row_begin(tw_profile *p)
{
    p->open_row.count = 0;
    p->open_info = (tw__row_info){ 0 };
    p->open_value = p->open_previous = 0;
    p->open_run = 0;
}

/* Sums of untrusted files stop at the largest number instead of wrapping. */
static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void tw__profile_row_add(tw_profile *p, uint32_t tiles, uint64_t value)
{
    tw__row_info *info = &p->open_info;
    if (!tiles || p->status) return;
    if (tiles > UINT32_MAX - info->tiles) {
        tw__profile_fail(p, TW_E_OVERFLOW, "too many tiles in a row of the profile");
        return;
    }
    uint64_t sum;
    if (__builtin_mul_overflow(value, (uint64_t)tiles, &sum)) sum = UINT64_MAX;
    info->sum = add_saturated(info->sum, sum);
    info->tiles += tiles;
    if (value) info->active += tiles;
    if (value > info->max) info->max = value;
    if (p->open_run && value == p->open_value) {
        p->open_run += tiles;
        return;
    }
    flush_run(p);
    p->open_value = value;
    p->open_run = tiles;
}

typedef struct row_key {
    const uint8_t *packed;
    uint32_t bytes, tiles;
} row_key;

static bool same_row(const tw_profile *p, uint32_t id, const void *key)
{
    const row_key *k = key;
    const tw__row_info *row = &p->rows.items[id];
    return row->bytes == k->bytes && row->tiles == k->tiles &&
           (!k->bytes || !memcmp(p->packed.items + row->at, k->packed, k->bytes));
}

tw__row tw__profile_row_end(tw_profile *p)
{
    flush_run(p);
    if (p->status) return 0;
    row_key key = { p->open_row.items, (uint32_t)p->open_row.count, p->open_info.tiles };
    uint32_t hash = tw__hash_bytes(key.packed, key.bytes, key.tiles);
    uint32_t id = tw__index_find(p, &p->row_index, hash, same_row, &key);
    if (id != TW__NONE) return id;
    size_t at = p->packed.count, end;
    if (!tw__add_size(at, key.bytes, &end) ||
        (end > p->packed.room && !tw__grow(&p->packed.items, &p->packed.room, end - 1, 1)))
        return tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile"), 0;
    tw__row_info *row = TW__PROFILE_PUSH(p, p->rows);
    if (!row) return 0;
    if (!tw__index_add(&p->row_index, hash, (uint32_t)(p->rows.count - 1))) {
        p->rows.count--;
        return tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile"), 0;
    }
    if (key.bytes) memcpy(p->packed.items + at, key.packed, key.bytes);
    p->packed.count = end;
    *row = p->open_info;
    row->at = at;
    row->bytes = key.bytes;
    return (tw__row)(p->rows.count - 1);
}

tw__row tw__profile_row(tw_profile *p, const uint64_t *by_tile, uint32_t tiles)
{
    tw__profile_row_begin(p);
    for (uint32_t t = 0, end; t < tiles; t = end) {
        for (end = t + 1; end < tiles && by_tile[end] == by_tile[t];) end++;
        tw__profile_row_add(p, end - t, by_tile[t]);
    }
    return tw__profile_row_end(p);
}

static uint64_t get_number(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) break;
    }
    return value;
}

tw__row_cursor tw__profile_row_cursor(const tw_profile *p, tw__row row)
{
    const tw__row_info *info = row < p->rows.count ? &p->rows.items[row] : NULL;
    if (!row || !info || !info->bytes) return (tw__row_cursor){ 0 };
    const uint8_t *at = p->packed.items + info->at;
    return (tw__row_cursor){ at, at + info->bytes, 0 };
}

bool tw__profile_row_next(tw__row_cursor *c, uint32_t *tiles, uint64_t *value)
{
    if (c->at >= c->end) return false;
    uint64_t code = get_number(&c->at, c->end), n = 1;
    if (code)
        c->value += unzigzag(code);
    else
        n = get_number(&c->at, c->end);
    *tiles = (uint32_t)n;
    *value = c->value;
    return true;
}

bool tw__profile_row_read(const tw_profile *p, tw__row row, uint64_t *out, uint32_t tiles)
{
    uint32_t t = 0;
    if (row && row < p->rows.count) {
        const tw__row_info *info = &p->rows.items[row];
        const uint8_t *at = info->bytes ? p->packed.items + info->at : NULL,
                      *end = info->bytes ? at + info->bytes : NULL;
        uint64_t value = 0;
        while (at < end && t < tiles) {
            uint64_t code = get_number(&at, end), n = 1;
            if (code)
                value += unzigzag(code);
            else
                n = get_number(&at, end);
            for (; n && t < tiles; n--) out[t++] = value;
        }
    }
    while (t < tiles) out[t++] = 0;
    return row != 0;
}
