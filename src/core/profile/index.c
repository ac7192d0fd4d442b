/* SPDX-License-Identifier: MIT */
/* Interning: a hash from content to id. Names, rows and trace rules are each stored once. */
#include "core/profile/profile.h"

#include <stdlib.h>

/* FNV-1a over 8 bytes at a time, folded to 32 bits: the keys are short and come from our own data. */
uint32_t tw__hash_bytes(const void *data, size_t size, uint32_t seed)
{
    const unsigned char *at = data;
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = (h ^ word) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    for (; size; size--) h = (h ^ *at++) * 0x100000001b3u;
    return (uint32_t)(h ^ (h >> 32));
}

uint32_t tw__index_find(const tw_profile *p, const tw__index *index, uint32_t hash, tw__index_same same,
                        const void *key)
{
    if (!index->room) return TW__NONE;
    size_t mask = index->room - 1;
    for (size_t i = hash & mask; index->slots[i].id; i = (i + 1) & mask)
        if (index->slots[i].hash == hash && same(p, index->slots[i].id - 1, key)) return index->slots[i].id - 1;
    return TW__NONE;
}

static void index_put(tw__index *index, tw__slot slot)
{
    size_t mask = index->room - 1, i = slot.hash & mask;
    while (index->slots[i].id) i = (i + 1) & mask;
    index->slots[i] = slot;
}

bool tw__index_add(tw__index *index, uint32_t hash, uint32_t id)
{
    if (index->count * 4 >= index->room * 3) {
        tw__index grown = { .room = index->room ? index->room * 2 : 64, .count = index->count };
        size_t bytes;
        if (!tw__mul_size(grown.room, sizeof *grown.slots, &bytes)) return false;
        grown.slots = tw__realloc(NULL, bytes);
        if (!grown.slots) return false;
        memset(grown.slots, 0, bytes);
        for (size_t i = 0; i < index->room; i++)
            if (index->slots[i].id) index_put(&grown, index->slots[i]);
        free(index->slots);
        *index = grown;
    }
    index_put(index, (tw__slot){ .hash = hash, .id = id + 1 });
    index->count++;
    return true;
}
