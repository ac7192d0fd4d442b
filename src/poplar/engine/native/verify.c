/* SPDX-License-Identifier: MIT */
/* debug.runtimeVerify: a vertex works on copies of its data, each between two zones of guard bytes. What it finds:
 *
 *   writes up to GUARD bytes before or behind the data of a field
 *   writes to data that only Inputs of the vertex name
 *
 * Fields that share data share the copy. Reads outside of fields are not found: code of the chip may read on (guide
 * 7.5.2). */
#include "poplar/engine/native/native.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, GUARD_BYTE = 0xa5 };

typedef struct piece { /* data of one field, or of several that overlap */
    char *data, *copy; /* copy: behind its first guard zone */
    uint64_t bytes;
    bool writable;
} piece;

typedef struct tw__verify_work {
    tw__slot *slots; /* in the order of their data */
    char **original; /* [count] pointers before */
    size_t count, room;
    piece *pieces;
    size_t piece_count;
    uint64_t room_bytes;
    char *memory; /* of the copies */
    bool redirected, failed;
} work;

static void add_slot(void *user, const tw__slot *slot)
{
    work *w = user;
    if (!slot->bytes) return;
    if (tw__grow(&w->slots, &w->room, w->count, sizeof *w->slots))
        w->slots[w->count++] = *slot;
    else
        w->failed = true;
}

static int by_data(const void *x, const void *y)
{
    const tw__slot *a = x, *b = y;
    uintptr_t p = (uintptr_t)*a->pointer, q = (uintptr_t)*b->pointer;
    if (p != q) return p < q ? -1 : 1;
    return a->bytes < b->bytes ? 1 : a->bytes > b->bytes ? -1 : 0;
}

static bool find_pieces(work *w)
{
    w->pieces = tw__calloc(w->count + 1, sizeof *w->pieces);
    w->original = tw__calloc(w->count + 1, sizeof *w->original);
    if (!w->pieces || !w->original) return false;
    qsort(w->slots, w->count, sizeof *w->slots, by_data);
    for (size_t i = 0; i < w->count; i++) {
        const tw__slot *slot = &w->slots[i];
        char *data = *slot->pointer;
        piece *last = w->piece_count ? &w->pieces[w->piece_count - 1] : NULL;
        w->original[i] = data;
        if (!last || (uintptr_t)data >= (uintptr_t)last->data + last->bytes) {
            last = &w->pieces[w->piece_count++];
            *last = (piece){ .data = data };
        }
        uint64_t end = (uint64_t)(data - last->data) + slot->bytes;
        if (end > last->bytes) last->bytes = end;
        if (slot->field->direction != TW__INPUT) last->writable = true;
    }
    for (size_t i = 0; i < w->piece_count; i++) w->room_bytes += w->pieces[i].bytes + 2 * GUARD + 64;
    return true;
}

/* Copies at the same place modulo 64, so that alignment stays as it was; pointers of the state go there. */
static void redirect(work *w)
{
    char *memory = w->memory;
    w->redirected = true;
    for (size_t i = 0; i < w->piece_count; i++) {
        piece *p = &w->pieces[i];
        char *copy = memory + GUARD;
        copy += ((uintptr_t)p->data - (uintptr_t)copy) & 63;
        memset(memory, GUARD_BYTE, (size_t)(copy - memory));
        memcpy(copy, p->data, p->bytes);
        memory = copy + p->bytes + GUARD;
        memset(copy + p->bytes, GUARD_BYTE, GUARD);
        p->copy = copy;
    }
    for (size_t i = 0, k = 0; i < w->count; i++) {
        while (k + 1 < w->piece_count && (uintptr_t)w->pieces[k + 1].data <= (uintptr_t)w->original[i]) k++;
        *w->slots[i].pointer = w->pieces[k].copy + (w->original[i] - w->pieces[k].data);
    }
}

static void restore(work *w)
{
    for (size_t i = 0; w->redirected && i < w->count; i++) *w->slots[i].pointer = w->original[i];
    w->redirected = false;
}

void tw__verified_drop(work *w)
{
    restore(w);
    free(w->memory), free(w->slots), free(w->original), free(w->pieces), free(w);
}

static size_t first_changed(const char *zone, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && (unsigned char)zone[at] == GUARD_BYTE) at++;
    return at;
}

/* The field whose data begins (or ends) a piece. */
static const tw__slot *slot_at(const work *w, const piece *p, bool end)
{
    for (size_t i = 0; i < w->count; i++) {
        uint64_t from = (uint64_t)(w->original[i] - p->data);
        if (w->original[i] >= p->data && from < p->bytes &&
            (end ? from + w->slots[i].bytes == p->bytes : from == 0))
            return &w->slots[i];
    }
    return NULL;
}

/* What is wrong with a piece, NULL = nothing; g_free() it. */
static char *wrong_with(const work *w, const piece *p)
{
    size_t behind = first_changed(p->copy + p->bytes, GUARD), before = 0;
    while (before < GUARD && (unsigned char)p->copy[-1 - (long)before] == GUARD_BYTE) before++;
    const tw__slot *slot = slot_at(w, p, behind < GUARD || before == GUARD);
    const char *name = slot ? slot->field->name : "";
    unsigned long long bytes = slot ? slot->bytes : p->bytes;
    if (behind < GUARD)
        return g_strdup_printf("it writes behind its field '%s' of %llu bytes, %zu bytes past the end "
                               "(debug.runtimeVerify)",
                               name, bytes, behind);
    if (before < GUARD)
        return g_strdup_printf("it writes before its field '%s' of %llu bytes, %zu bytes in front of it "
                               "(debug.runtimeVerify)",
                               name, bytes, before + 1);
    if (!p->writable && memcmp(p->copy, p->data, p->bytes) != 0)
        return g_strdup_printf("it writes to its field '%s', which is an Input (debug.runtimeVerify)", name);
    return NULL;
}

static bool run_copy(work *w, tw_engine *engine, uint32_t cs, const tw__group *group, uint32_t vertex, char *state)
{
    int all = 1;
    for (unsigned worker = 0; worker < group->workers; worker++)
        all &= group->run(state, worker, group->workers) != 0;
    restore(w);
    for (size_t i = 0; i < w->piece_count; i++) {
        const piece *p = &w->pieces[i];
        char *wrong = wrong_with(w, p);
        if (wrong) {
            tw__keep_fault(engine, cs, group, vertex, wrong);
            g_free(wrong);
            return false;
        }
        if (p->writable) memcpy(p->data, p->copy, p->bytes);
    }
    return all;
}

bool tw__verified_run(tw_engine *engine, uint32_t cs, const tw__group *group, uint32_t index, work **unfinished)
{
    char *state = group->states + (size_t)index * group->stride;
    uint32_t vertex = tw__vertex_of(engine, cs, group, index);
    work *w = tw__calloc(1, sizeof *w);
    bool all = false;
    if (w) tw__vertex_slots(engine, vertex, state, add_slot, w);
    if (w && !w->failed && find_pieces(w)) w->memory = tw__realloc(NULL, w->room_bytes + 1);
    if (w && w->memory) {
        redirect(w);
        *unfinished = w;
        all = run_copy(w, engine, cs, group, vertex, state);
        *unfinished = NULL;
    } else {
        tw__keep_fault(engine, cs, group, vertex, "no memory to verify it (debug.runtimeVerify)");
    }
    if (w) tw__verified_drop(w);
    return all;
}
