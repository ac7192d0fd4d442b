/* SPDX-License-Identifier: MIT */
/* zero_pages: memory of a core, zero at first. A page that nobody touches costs nothing, so that grids of thousands
 * of cores fit; rows start where vector loads like them. */
#include "pto/pto.h"

#include <stdlib.h>
#include <sys/mman.h>

/* The address sanitizer watches the ends of what lies on the heap. */
#if defined(__SANITIZE_ADDRESS__)
#define ON_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ON_HEAP 1
#endif
#endif

enum { PAGE = 4096 };

void *tw__zero_pages(size_t bytes)
{
#ifdef ON_HEAP
    void *at = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    return at ? memset(at, 0, bytes) : NULL;
#else
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
#endif
}

void tw__free_pages(void *at, size_t bytes)
{
#ifdef ON_HEAP
    (void)bytes;
    free(at);
#else
    if (at) munmap(at, bytes);
#endif
}
