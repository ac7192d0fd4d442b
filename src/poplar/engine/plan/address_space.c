/* SPDX-License-Identifier: MIT */
/* The address range that holds all tiles' memory: variables one after another, then message buffers. Addresses are
 * fixed when the plan is made, so that vertex states can hold pointers; memory is committed by the first load and
 * only costs what is touched. */
#include "poplar/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* Small variables (a million one-element constants) are packed, others start on a cache line. */
static size_t alignment_of(size_t bytes)
{
    size_t align = 8;
    while (align < 64 && align < bytes) align *= 2;
    return align;
}

tw_status tw__storage_plan(tw__storage *storage, const tw__core *core, const tw__tile_map *map)
{
    *storage = (tw__storage){ .variables = core->var_count, .map = map };
    size_t n = core->var_count ? core->var_count : 1;
    storage->offset = tw__realloc(NULL, n * sizeof *storage->offset);
    storage->size = tw__realloc(NULL, n);
    if (!storage->offset || !storage->size) return tw__fail(TW_E_NO_MEMORY, "no memory for %zu variables", n);
    size_t at = 0;
    for (size_t i = 0; i < core->var_count; i++) {
        const tw__variable *var = &core->vars[i];
        size_t size = tw_target_type_size(core->target, var->type), bytes;
        if (!tw__mul_size(var->count, size, &bytes) || bytes > SIZE_MAX / 4 || at > SIZE_MAX / 4)
            return tw__fail(TW_E_NO_MEMORY, "variable '%s' of %llu elements is too large", var->name,
                            (unsigned long long)var->count);
        at = tw__align_up(at, alignment_of(bytes));
        storage->offset[i] = at;
        storage->size[i] = (uint8_t)size;
        at += bytes;
    }
    storage->buffers = (map ? tw__tile_map_bytes(map) : (at + 63)) & ~(size_t)63;
    storage->bytes = storage->buffers;
    return TW_OK;
}

tw_status tw__storage_reserve(tw__storage *storage, uint64_t buffer_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), total;
    if (!tw__add_size(storage->buffers, buffer_bytes, &storage->bytes) ||
        !tw__add_size(storage->bytes, TW__STORAGE_MARGIN + page - 1, &total))
        return tw__fail(TW_E_NO_MEMORY, "the graph needs more than the address space");
    total &= ~(page - 1);
    void *base = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return tw__fail(TW_E_NO_MEMORY, "cannot reserve %zu bytes for the variables: %s", total, strerror(errno));
    storage->base = base;
    storage->reserved = total;
    return TW_OK;
}

tw_status tw__storage_again(tw__storage *storage)
{
    void *base = mmap(NULL, storage->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    storage->base = base == MAP_FAILED ? NULL : base;
    storage->committed = false;
    if (storage->base) return TW_OK;
    return tw__fail(TW_E_NO_MEMORY, "cannot reserve %zu bytes for the variables of a replica: %s",
                    storage->reserved, strerror(errno));
}

uint64_t tw__host_bytes(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Pages appear when touched, and touching too many would end the process: refuse what cannot fit at all. */
tw_status tw__storage_fits(const tw__storage *storage, uint64_t copies)
{
    uint64_t host = tw__host_bytes();
    if (storage->map || storage->reserved <= host / copies) return TW_OK; /* memories of tiles are mostly empty */
    if (copies == 1)
        return tw__fail(TW_E_NO_MEMORY, "the variables take %zu bytes, this machine has %llu", storage->reserved,
                        (unsigned long long)host);
    return tw__fail(TW_E_NO_MEMORY, "the variables of %llu replicas take %zu bytes each, this machine has %llu",
                    (unsigned long long)copies, storage->reserved, (unsigned long long)host);
}

tw_status tw__storage_commit(tw__storage *storage)
{
    if (storage->committed) { /* drops the pages: they read as zero again */
        if (madvise(storage->base, storage->reserved, MADV_DONTNEED) == 0) return TW_OK;
        return tw__fail(TW_E_SYSTEM, "cannot clear the variables: %s", strerror(errno));
    }
    tw_status s = tw__storage_fits(storage, 1);
    if (s) return s;
    if (mprotect(storage->base, storage->reserved, PROT_READ | PROT_WRITE) != 0)
        return tw__fail(TW_E_NO_MEMORY, "no memory for %zu bytes of variables: %s", storage->reserved,
                        strerror(errno));
    if (storage->reserved >= 8 * HUGE_PAGE && !storage->map)
        madvise(storage->base, storage->reserved, MADV_HUGEPAGE);
    storage->committed = true;
    return TW_OK;
}

void tw__storage_free(tw__storage *storage)
{
    if (storage->base) munmap(storage->base, storage->reserved);
    free(storage->offset);
    free(storage->size);
    *storage = (tw__storage){ 0 };
}

uint64_t tw__operand_at(const tw__storage *storage, const tw__operand *operand)
{
    const tw__region *region = &operand->regions->region[0];
    return tw__storage_at(storage, region->var, region->offset);
}
