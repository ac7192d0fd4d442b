/* SPDX-License-Identifier: MIT */
/* zero_pages: memory of a core, zero at first. A page that nobody touches costs nothing, so that grids of thousands
 * of cores fit; rows start where vector loads like them. */
#include "pto/pto.h"

#include <sys/mman.h>
#include <unistd.h>

/* The address sanitizer does not see accesses past the end: pages behind it that nobody may touch do. A heap
 * would, but it takes many times longer to fill, mark and clear for each core. */
#if defined(__SANITIZE_ADDRESS__)
#define GUARD 65536
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARD 65536
#endif
#endif
#ifndef GUARD
#define GUARD 0
#endif

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE); /* 64 KiB on some machines: no guard may begin inside one */
    return (bytes + page - 1) / page * page;
}

void *tw__zero_pages(size_t bytes)
{
    size_t room = whole_pages(bytes);
    void *at = mmap(NULL, room + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (GUARD && mprotect((char *)at + room, GUARD, PROT_NONE) != 0) return munmap(at, room + GUARD), NULL;
    return at;
}

void tw__free_pages(void *at, size_t bytes)
{
    if (at) munmap(at, whole_pages(bytes) + GUARD);
}
