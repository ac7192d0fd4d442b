/* SPDX-License-Identifier: MIT */
/* Remote buffers (guide 2.6.2): rows of elements in memory of their own, in device format, all zero at load. */
#include "poplar/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* In blocks: those of replica 0, of replica 1 ... Entry 0 of a block is none. */
static size_t remotes_of(const tw_engine *engine)
{
    return engine->remote_count * tw__replica_count(engine);
}

tw_status tw__remotes_new(tw_engine *engine)
{
    const tw__core *core = engine->core;
    engine->remote_count = core->remote_count;
    size_t all = remotes_of(engine);
    engine->remotes = tw__calloc(all + 1, sizeof *engine->remotes);
    if (!engine->remotes) return tw__fail(TW_E_NO_MEMORY, "no memory for remote buffers");
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 1; i < all; i++) {
        if (i % core->remote_count == 0) continue;
        const tw__remote *remote = &core->remotes[i % core->remote_count];
        tw__remote_state *st = &engine->remotes[i];
        size_t bytes;
        st->handle = core->created
                         ? tw__arena_printf(engine->arena, "%s[%zu]", remote->handle, i / core->remote_count)
                         : tw__arena_strdup(engine->arena, remote->handle);
        st->type = remote->type;
        st->count = remote->count;
        st->repeats = remote->repeats;
        if (!st->handle || !tw__mul_size(remote->count, tw__device_size(engine, remote->type), &st->row_bytes) ||
            !tw__mul_size(st->row_bytes, remote->repeats, &bytes) || !tw__add_size(bytes, page - 1, &bytes))
            return tw__fail(TW_E_NO_MEMORY, "remote buffer '%s' of %llu rows of %llu elements is too large",
                            remote->handle, (unsigned long long)remote->repeats, (unsigned long long)remote->count);
        st->reserved = bytes & ~(page - 1);
    }
    return TW_OK;
}

tw_status tw__remotes_reset(tw_engine *engine)
{
    uint64_t host = tw__host_bytes();
    size_t all = 0; /* of the replicas that are here */
    unsigned begin, end;
    tw__replicas_own(engine, &begin, &end);
    for (size_t i = 1; i < remotes_of(engine); i++) {
        tw__remote_state *st = &engine->remotes[i];
        if (st->reserved == 0) continue;
        bool here = i / engine->remote_count >= begin && i / engine->remote_count < end;
        if (here && !tw__add_size(all, st->reserved, &all)) all = SIZE_MAX;
        if (st->rows) {
            if (madvise(st->rows, st->reserved, MADV_DONTNEED) == 0) continue;
            return tw__fail(TW_E_SYSTEM, "cannot clear remote buffer '%s': %s", st->handle, strerror(errno));
        }
        void *rows = MAP_FAILED;
        if (st->reserved <= host && all <= host)
            rows = mmap(NULL, st->reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                        0);
        if (rows == MAP_FAILED)
            return tw__fail(TW_E_NO_MEMORY,
                            "no memory for the %zu bytes of remote buffer '%s', %zu bytes with those before it",
                            st->reserved, st->handle, all);
        st->rows = rows;
    }
    return TW_OK;
}

void tw__remotes_free(tw_engine *engine)
{
    for (size_t i = 1; engine->remotes && i < remotes_of(engine); i++)
        if (engine->remotes[i].rows) munmap(engine->remotes[i].rows, engine->remotes[i].reserved);
    free(engine->remotes);
    engine->remotes = NULL;
}

tw_status tw__remote_run(tw_engine *engine, tw__remote_copy *copy)
{
    tw__remote_state *st = &engine->remotes[copy->remote];
    char *base = engine->plan.storage.base;
    uint32_t *offsets = NULL, none = 0;
    if (copy->offset_count) {
        offsets = (uint32_t *)(void *)tw__scratch(engine, copy->offset_count * sizeof *offsets);
        if (!offsets) return TW_E_NO_MEMORY;
        tw_status s = tw__copy_move(&copy->offsets, (char *)offsets, base, st->handle, copy->offset_count);
        if (!s) s = tw__ranks_share(engine, st->handle, offsets, copy->offset_count * sizeof *offsets);
        if (s) return s;
    } else {
        offsets = &none;
    }
    for (uint32_t i = 0; i < copy->row_count; i++) /* all or nothing */
        if (offsets[i] >= st->repeats)
            return tw__fail(
                TW_E_APPLICATION, "offset %u of a copy %s remote buffer '%s' is row %u, but it has %llu rows", i,
                copy->to_device ? "from" : "to", st->handle, offsets[i], (unsigned long long)st->repeats);
    for (uint32_t i = 0; i < copy->row_count; i++) {
        char *row = st->rows + offsets[i] * st->row_bytes;
        tw_status s = copy->to_device ? tw__copy_move(&copy->rows[i], base, row, st->handle, offsets[i])
                                      : tw__copy_move(&copy->rows[i], row, base, st->handle, offsets[i]);
        if (s) return s;
    }
    return TW_OK;
}

/* --- from the host -------------------------------------------------------------------------------------------- */

static tw_status find_buffer(tw_engine *engine, const char *handle, tw__remote_state **out)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!handle) return tw__fail(TW_E_INVALID_ARGUMENT, "the handle is NULL");
    if (!engine->loaded)
        return tw__fail(TW_E_NOT_LOADED, "load the engine before using remote buffer '%s'", handle);
    const char *names[64];
    size_t known = 0;
    for (size_t i = 1; i < remotes_of(engine); i++) {
        tw__remote_state *st = &engine->remotes[i];
        if (!st->handle) continue;
        if (strcmp(st->handle, handle) != 0) {
            if (known < 64) names[known++] = st->handle;
            continue;
        }
        *out = st;
        return TW_OK;
    }
    char hint[TW__HINT_BYTES];
    const char *near = tw__nearest(handle, names, known);
    return tw__fail(TW_E_STREAM_CONNECTION, "no remote buffer '%s' in this graph%s", handle,
                    tw__did_you_mean(hint, near));
}

tw_status tw_engine_remote_row_bytes(tw_engine *engine, const char *handle, size_t *bytes)
{
    tw__remote_state *st = NULL;
    tw_status s = find_buffer(engine, handle, &st);
    if (s == TW_OK) *bytes = (size_t)st->count * tw__transfer_size(engine, st->type);
    return s;
}

static tw_status find_row(tw_engine *engine, const char *handle, uint64_t row, size_t bytes, tw__remote_state **out)
{
    tw_status s = find_buffer(engine, handle, out);
    if (s) return s;
    const tw__remote_state *st = *out;
    size_t want = (size_t)st->count * tw__transfer_size(engine, st->type);
    if (row >= st->repeats)
        return tw__fail(TW_E_INDEX, "row %llu of remote buffer '%s', which has %llu rows", (unsigned long long)row,
                        handle, (unsigned long long)st->repeats);
    if (bytes == want) return TW_OK;
    return tw__fail(TW_E_INVALID_ARGUMENT, "a row of remote buffer '%s' has %zu bytes, not %zu", handle, want,
                    bytes);
}

static tw_status copy_to(tw_engine *engine, const char *handle, uint64_t repeat_index, const void *source,
                         size_t bytes)
{
    tw__remote_state *st = NULL;
    tw_status s = find_row(engine, handle, repeat_index, bytes, &st);
    if (s) return s;
    if (!source && bytes) return tw__fail(TW_E_INVALID_ARGUMENT, "the source is NULL");
    tw__transfer_in(engine, st->type, st->rows + repeat_index * st->row_bytes, source, st->count);
    return TW_OK;
}

tw_status tw_engine_copy_to_remote_buffer(tw_engine *engine, const char *handle, uint64_t repeat_index,
                                          const void *source, size_t bytes)
{
    return tw__engine_note(engine, copy_to(engine, handle, repeat_index, source, bytes), __func__);
}

static tw_status copy_from(tw_engine *engine, const char *handle, uint64_t repeat_index, void *destination,
                           size_t bytes)
{
    tw__remote_state *st = NULL;
    tw_status s = find_row(engine, handle, repeat_index, bytes, &st);
    if (s) return s;
    if (!destination && bytes) return tw__fail(TW_E_INVALID_ARGUMENT, "the destination is NULL");
    char *row = st->rows + repeat_index * st->row_bytes;
    s = engine->core->created /* else rank 0 has the buffers */
            ? tw__replica_share(engine, (unsigned)((size_t)(st - engine->remotes) / engine->remote_count),
                                st->handle, row, st->row_bytes)
            : tw__ranks_share(engine, st->handle, row, st->row_bytes);
    if (!s) tw__transfer_out(engine, st->type, destination, row, st->count);
    return s;
}

tw_status tw_engine_copy_from_remote_buffer(tw_engine *engine, const char *handle, uint64_t repeat_index,
                                            void *destination, size_t bytes)
{
    return tw__engine_note(engine, copy_from(engine, handle, repeat_index, destination, bytes), __func__);
}
