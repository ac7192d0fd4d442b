/* SPDX-License-Identifier: MIT */
/* room: memory of the host for the state of PEs. What a tile of PEs needs in a few microseconds lies on hundreds of
 * small pages, more than a processor keeps the addresses of; so it comes from large ones. */
#include "csl/wse/state/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, LARGE_PAGE = 2 << 20, CHUNK = 2 << 20 };

typedef struct tw__chunk {
    struct tw__chunk *next;
    char pad[LINE - sizeof(struct tw__chunk *)];
    char bytes[];
} tw__chunk;

void *tw__wse_lines(size_t bytes)
{
    void *lines = NULL;
    bool large = bytes >= LARGE_PAGE;
    if (posix_memalign(&lines, large ? LARGE_PAGE : LINE, bytes ? bytes : LINE) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    if (large) madvise(lines, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE); /* a wish; nothing hangs on it */
#endif
    return memset(lines, 0, bytes);
}

void *tw__wse_each(const tw__wse *w, size_t size)
{
    size_t bytes = (size_t)w->count * size;
    if (w->ranks == 1) return tw__wse_lines(bytes);
    void *each = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return each == MAP_FAILED ? NULL : each;
}

void tw__wse_each_free(const tw__wse *w, void *each, size_t size)
{
    if (w->ranks == 1)
        free(each);
    else if (each)
        munmap(each, (size_t)w->count * size);
}

void *tw__wse_piece(tw__part *part, size_t bytes)
{
    bytes = (bytes + LINE - 1) / LINE * LINE;
    if (bytes > part->chunk_left) {
        /* small wafers have few PEs to a partition, and most programs few operations */
        size_t pes = part->end - part->first, room = pes < 64 ? 64 << 10 : CHUNK - LINE;
        if (bytes > room) room = bytes;
        tw__chunk *chunk = tw__wse_lines(sizeof *chunk + room);
        if (!chunk) {
            part->no_memory = true;
            return NULL;
        }
        chunk->next = part->chunk;
        part->chunk = chunk;
        part->chunk_left = room;
        part->chunk_at = chunk->bytes;
    }
    char *piece = part->chunk_at;
    part->chunk_at += bytes;
    part->chunk_left -= bytes;
    return piece;
}

void tw__wse_pieces_free(tw__part *part)
{
    for (tw__chunk *chunk = part->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}
