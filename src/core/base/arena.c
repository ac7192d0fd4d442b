/* SPDX-License-Identifier: MIT */
/* Arenas: many small allocations with one lifetime. A list of blocks, newest first; memory is handed out from
 * the newest, and a mark is a position in it. Blocks double up to 1 MiB, so that a graph of millions of
 * vertices costs few calls and a small object costs one block. Failure is NULL; nothing here aborts. */
#include "core/base/base.h"

#include <glib.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What was given back is out of bounds under AddressSanitizer, as freed memory is. */
#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes)   ASAN_POISON_MEMORY_REGION((at), (bytes))
#define UNPOISON(at, bytes) ASAN_UNPOISON_MEMORY_REGION((at), (bytes))
#else
#define POISON(at, bytes)   ((void)0)
#define UNPOISON(at, bytes) ((void)0)
#endif

#ifdef TW_SINGLE_BLOCKS /* tests/alloc: each piece is a block of its own, so that each may fail */
#define FIRST_BLOCK(wanted) ((wanted) * 0 + 1)
enum { MAX_BLOCK = 1 };
#else
#define FIRST_BLOCK(wanted) ((wanted) ? (wanted) : 64 * 1024)
enum { MAX_BLOCK = 1024 * 1024 };
#endif

typedef struct block {
    struct block *older;
    size_t room; /* bytes after the header */
    size_t used;
    _Alignas(max_align_t) unsigned char data[];
} block;

struct tw__arena {
    block *newest;
    block *spare;      /* an empty one that a restore left over, or NULL */
    size_t next_block; /* bytes of the next ordinary block */
    size_t held;       /* bytes from the system, headers included */
    bool failed;       /* once */
};

static _Thread_local unsigned long fail_countdown;

unsigned long tw__fail_allocation(unsigned long nth)
{
    unsigned long left = fail_countdown;
    fail_countdown = nth;
    return left;
}

/* All memory of the library comes through these two, so that the test hook sees every allocation. */
void *tw__realloc(void *old, size_t bytes)
{
    if (fail_countdown && --fail_countdown == 0) return NULL;
    return realloc(old, bytes ? bytes : 1);
}

void *tw__calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!tw__mul_size(count, size, &bytes) || (fail_countdown && --fail_countdown == 0)) return NULL;
    return calloc(1, bytes ? bytes : 1);
}

/* jansson does not live through want of memory: it leaves out of an object what could not be made, and writes past
 * its buffer while it reads a long string (2.14). So its memory is GLib's, which ends the program with a message,
 * unless the program has chosen functions of its own. free() takes what either made. */
__attribute__((constructor)) static void choose_json_memory(void)
{
    json_malloc_t make;
    json_free_t drop;
    json_get_alloc_funcs(&make, &drop);
    if (make == malloc && drop == free) json_set_alloc_funcs(g_malloc, g_free);
}

tw__arena *tw__arena_new(size_t block_bytes)
{
    tw__arena *arena = tw__realloc(NULL, sizeof *arena);
    if (!arena) return NULL;
    *arena = (tw__arena){ .next_block = FIRST_BLOCK(block_bytes), .held = sizeof *arena };
    return arena;
}

static void free_block(tw__arena *arena, block *b)
{
    arena->held -= sizeof *b + b->room;
    UNPOISON(b->data, b->room);
    free(b);
}

void tw__arena_free(tw__arena *arena)
{
    if (!arena) return;
    for (block *b = arena->newest, *older; b; b = older) {
        older = b->older;
        free_block(arena, b);
    }
    if (arena->spare) free_block(arena, arena->spare);
    free(arena);
}

/* Whoever saves and restores in a loop, with the mark at the end of a block, would else ask the system for a block in
 * every round: the largest ordinary one stays. */
static void drop_newest(tw__arena *arena)
{
    block *b = arena->newest;
    arena->newest = b->older;
    if (b->room <= MAX_BLOCK && (!arena->spare || b->room > arena->spare->room)) {
        POISON(b->data, b->used);
        block *smaller = arena->spare;
        arena->spare = b;
        b = smaller;
    }
    if (b) free_block(arena, b);
}

static bool take_spare(tw__arena *arena, size_t at_least)
{
    block *b = arena->spare;
    if (!b || b->room < at_least) return false;
    b->older = arena->newest;
    b->used = 0;
    arena->newest = b;
    arena->spare = NULL;
    return true;
}

static bool arena_add_block(tw__arena *arena, size_t at_least)
{
    if (take_spare(arena, at_least)) return true;
    size_t room = arena->next_block > at_least ? arena->next_block : at_least, bytes;
    if (!tw__add_size(room, sizeof(block), &bytes)) return false;
    block *b = tw__realloc(NULL, bytes);
    if (!b) return false;
    *b = (block){ .older = arena->newest, .room = room };
    POISON(b->data, b->room);
    arena->newest = b;
    arena->held += bytes;
    if (arena->next_block < MAX_BLOCK) arena->next_block *= 2;
    return true;
}

/* Offset in b->data of the next `align`-aligned byte. */
static size_t aligned_offset(const block *b, size_t align)
{
    uintptr_t at = (uintptr_t)b->data + b->used;
    return b->used + (size_t)(-at & (align - 1));
}

void *tw__arena_alloc(tw__arena *arena, size_t bytes, size_t align)
{
    block *b = arena->newest;
    size_t offset = b ? aligned_offset(b, align) : 0, need;
    if (!b || offset > b->room || bytes > b->room - offset) {
        if (!tw__add_size(bytes, align, &need) || !arena_add_block(arena, need)) return arena->failed = true, NULL;
        b = arena->newest;
        offset = aligned_offset(b, align);
    }
    b->used = offset + bytes;
    UNPOISON(b->data + offset, bytes);
    return b->data + offset;
}

void *tw__arena_zalloc(tw__arena *arena, size_t bytes, size_t align)
{
    void *memory = tw__arena_alloc(arena, bytes, align);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *tw__arena_zalloc_n(tw__arena *arena, size_t count, size_t size, size_t align)
{
    size_t bytes;
    return tw__arena_zalloc(arena, tw__mul_size(count, size, &bytes) ? bytes : SIZE_MAX, align);
}

char *tw__arena_strdup(tw__arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = tw__arena_alloc(arena, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *tw__arena_printf(tw__arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : tw__arena_alloc(arena, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

tw__arena_mark tw__arena_save(tw__arena *arena)
{
    return (tw__arena_mark){ arena->newest, arena->newest ? arena->newest->used : 0 };
}

void tw__arena_restore(tw__arena *arena, tw__arena_mark mark)
{
    while (arena->newest && arena->newest != mark.block) drop_newest(arena);
    if (!arena->newest) return;
    POISON(arena->newest->data + mark.used, arena->newest->used - mark.used);
    arena->newest->used = mark.used;
}

bool tw__arena_failed(const tw__arena *arena)
{
    return !arena || arena->failed;
}

size_t tw__arena_bytes(const tw__arena *arena)
{
    return arena ? arena->held : 0;
}

bool tw__grow(void *items, size_t *room, size_t count, size_t size)
{
    if (count < *room) return true;
    size_t wanted = *room < 8 ? 8 : *room + *room / 2, bytes;
    if (wanted <= count) wanted = count + 1;
    if (!tw__mul_size(wanted, size, &bytes)) return false;
    void *old;
    memcpy(&old, items, sizeof old); /* the caller's pointer has another type */
    void *grown = tw__realloc(old, bytes);
    if (!grown) return false;
    memcpy(items, &grown, sizeof grown);
    *room = wanted;
    return true;
}
