/* SPDX-License-Identifier: MIT */
/* Host access to named tensors, and the initial values that every load writes. */
#include "poplar/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/vec.h>

char *tw__scratch(tw_engine *engine, size_t bytes)
{
    if (bytes > engine->scratch_bytes) {
        char *grown = tw__realloc(engine->scratch, bytes);
        if (!grown) {
            tw__fail(TW_E_NO_MEMORY, "no memory for a staging buffer of %zu bytes", bytes);
            return NULL;
        }
        engine->scratch = grown;
        engine->scratch_bytes = bytes;
    }
    return engine->scratch ? engine->scratch : (engine->scratch = tw__realloc(NULL, 1));
}

tw_status tw__engine_note(tw_engine *engine, tw_status status, const char *function)
{
    bool kept = !engine || engine->misuse.status;
    if (!status || status == TW_E_NOT_LOADED || kept) return status;
    g_free(engine->misused);
    engine->misused = g_strdup(tw_error_message());
    engine->misuse = (tw_error){ .status = status, .message = engine->misused, .function = function };
    return status;
}

/* --- handles -------------------------------------------------------------------------------------------------- */

tw_status tw__host_access_new(tw_engine *engine)
{
    tw__core *core = engine->core;
    for (size_t i = 0; i < core->access_count; i++) {
        const tw__host_access *access = &core->accesses[i];
        if (!access->handle) continue; /* entry 0 of the list */
        if (!tw__grow(&engine->handles.items, &engine->handles.room, engine->handles.count, sizeof(tw__handle)))
            return tw__fail(TW_E_NO_MEMORY, "no memory for host access");
        tw__handle *h = &engine->handles.items[engine->handles.count++];
        *h = (tw__handle){ .name = tw__arena_strdup(engine->arena, access->handle),
                           .type = access->tensor.type,
                           .count = access->tensor.regions->count,
                           .write = access->write,
                           .read = access->read };
        if (!h->name) return tw__fail(TW_E_NO_MEMORY, "no memory for host access");
        tw__side tensor = { .regions = access->tensor.regions }, host = { 0 };
        size_t size = tw__device_size(engine, h->type);
        tw_status s = h->write ? tw__copy_between(engine, &h->in, host, tensor, h->count, size) : TW_OK;
        if (!s && h->read) s = tw__copy_between(engine, &h->out, tensor, host, h->count, size);
        if (!s) s = tw__copy_finish(&h->in);
        if (!s) s = tw__copy_finish(&h->out);
        if (s) return s;
    }
    return TW_OK;
}

static tw_status find_handle(tw_engine *engine, const char *handle, bool write, tw__handle **out)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!handle) return tw__fail(TW_E_INVALID_ARGUMENT, "the handle is NULL");
    if (!engine->loaded)
        return tw__fail(TW_E_NOT_LOADED, "load the engine before %s '%s'", write ? "writing" : "reading", handle);
    const char *names[64];
    size_t known = 0;
    bool other_way = false;
    for (size_t i = 0; i < engine->handles.count; i++) {
        tw__handle *h = &engine->handles.items[i];
        if (strcmp(h->name, handle) != 0) {
            if (known < 64) names[known++] = h->name;
            continue;
        }
        if (!(write ? h->write : h->read)) {
            other_way = true;
            continue;
        }
        *out = h;
        return TW_OK;
    }
    if (other_way)
        return tw__fail(TW_E_TENSOR_IO, "'%s' was created for host %s only", handle, write ? "reads" : "writes");
    char hint[TW__HINT_BYTES];
    const char *near = known ? tw__nearest(handle, names, known) : NULL;
    return tw__fail(TW_E_TENSOR_IO, "no tensor with host access is called '%s'%s", handle,
                    tw__did_you_mean(hint, near));
}

/* Of all replicas, one after the other. */
static uint64_t elements_of(const tw_engine *engine, const tw__handle *h)
{
    return h->count * tw__replica_count(engine);
}

static tw_status host_access_find(tw_engine *engine, const char *handle, bool write, size_t bytes, tw__handle **out)
{
    tw_status s = find_handle(engine, handle, write, out);
    if (s) return s;
    const tw__handle *h = *out;
    uint64_t count = elements_of(engine, h);
    size_t want = (size_t)count * tw__transfer_size(engine, h->type);
    if (bytes == want) return TW_OK;
    return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' has %zu bytes (%llu elements of %s), not %zu", handle, want,
                    (unsigned long long)count, tw_type_name(h->type, TW_SYSTEM_POPLAR), bytes);
}

tw_status tw_engine_access_bytes(tw_engine *engine, const char *handle, size_t *bytes)
{
    tw__handle *h = NULL;
    tw_status s = find_handle(engine, handle, true, &h);
    if (s == TW_E_TENSOR_IO) s = find_handle(engine, handle, false, &h);
    if (s == TW_OK) *bytes = (size_t)elements_of(engine, h) * tw__transfer_size(engine, h->type);
    return s;
}

static tw_status write_tensor(tw_engine *engine, const char *handle, const void *data, size_t bytes)
{
    tw__handle *h = NULL;
    tw_status s = host_access_find(engine, handle, true, bytes, &h);
    if (s) return s;
    if (!data && bytes) return tw__fail(TW_E_INVALID_ARGUMENT, "the data for '%s' is NULL", handle);
    const char *device = data;
    if (tw__transfer_size(engine, h->type) != tw__device_size(engine, h->type)) {
        char *staged = tw__scratch(engine, (size_t)elements_of(engine, h) * tw__device_size(engine, h->type));
        if (!staged) return TW_E_NO_MEMORY;
        tw__host_to_device(engine, h->type, staged, data, elements_of(engine, h));
        device = staged;
    }
    if (!engine->replicas) return tw__copy_move(&h->in, engine->plan.storage.base, device, h->name, h->count);
    size_t each = (size_t)h->count * tw__device_size(engine, h->type);
    for (unsigned i = 0; i < engine->core->created; i++)
        if (!engine->replicas[i].elsewhere)
            tw__copy_run(&h->in, engine->replicas[i].plan.storage.base, device + i * each);
    return TW_OK;
}

tw_status tw_engine_write(tw_engine *engine, const char *handle, const void *data, size_t bytes)
{
    return tw__engine_note(engine, write_tensor(engine, handle, data, bytes), __func__);
}

/* Of all owners; every rank gets the whole tensor. */
static tw_status gather_tensor(tw_engine *engine, const tw__handle *h, char *device)
{
    tw_status s = TW_OK;
    size_t each = (size_t)h->count * tw__device_size(engine, h->type);
    for (unsigned i = 0; engine->replicas && i < engine->core->created && !s; i++) {
        const tw_engine *one = &engine->replicas[i];
        if (!one->elsewhere) tw__copy_run(&h->out, device + i * each, one->plan.storage.base);
        s = tw__replica_share(engine, i, h->name, device + i * each, each);
    }
    if (engine->replicas) return s;
    s = tw__copy_move(&h->out, device, engine->plan.storage.base, h->name, h->count);
    return s ? s : tw__ranks_share(engine, h->name, device, (size_t)h->count * tw__device_size(engine, h->type));
}

static tw_status read_tensor(tw_engine *engine, const char *handle, void *data, size_t bytes)
{
    tw__handle *h = NULL;
    tw_status s = host_access_find(engine, handle, false, bytes, &h);
    if (s) return s;
    if (!data && bytes) return tw__fail(TW_E_INVALID_ARGUMENT, "the buffer for '%s' is NULL", handle);
    if (tw__transfer_size(engine, h->type) == tw__device_size(engine, h->type))
        return gather_tensor(engine, h, data);
    char *staged = tw__scratch(engine, (size_t)elements_of(engine, h) * tw__device_size(engine, h->type));
    if (!staged) return TW_E_NO_MEMORY;
    s = gather_tensor(engine, h, staged);
    if (!s) tw__device_to_host(engine, h->type, data, staged, elements_of(engine, h));
    return s;
}

tw_status tw_engine_read(tw_engine *engine, const char *handle, void *data, size_t bytes)
{
    return tw__engine_note(engine, read_tensor(engine, handle, data, bytes), __func__);
}

/* --- initial values ------------------------------------------------------------------------------------------- */

tw_status tw__images_new(tw_engine *engine)
{
    const tw__core *core = engine->core;
    for (size_t v = 0; v < core->var_count; v++) {
        for (const tw__initial *initial = core->vars[v].initial; initial; initial = initial->next) {
            if (!tw__grow(&engine->images.items, &engine->images.room, engine->images.count, sizeof(tw__image)))
                return tw__fail(TW_E_NO_MEMORY, "no memory for initial values");
            engine->images.items[engine->images.count++] =
                (tw__image){ .regions = initial->regions ? tw__regions_ref(initial->regions) : NULL,
                             .values = initial->values,
                             .broadcast = initial->broadcast,
                             .replica = initial->replica,
                             .type = initial->type,
                             .var = (uint32_t)v,
                             .count = core->vars[v].count };
        }
    }
    return TW_OK;
}

static tw_status write_image(tw_engine *engine, const tw__image *image)
{
    tw__storage *storage = &engine->plan.storage;
    uint64_t count = image->regions ? image->regions->count : image->count;
    size_t size = tw__device_size(engine, image->type);
    if (count == 0) return TW_OK;
    uint32_t index = engine->replica;
    const char *values = image->replica ? (const char *)&index : image->values;
    uint64_t given = image->broadcast ? 1 : count;
    if (size != tw__host_size(image->type)) {
        char *staged = tw__scratch(engine, (size_t)given * size);
        if (!staged) return TW_E_NO_MEMORY;
        tw__host_to_device(engine, image->type, staged, values, given);
        values = staged;
    }
    if (!image->regions && (!image->broadcast || count == 1) && !storage->map) {
        memcpy(storage->base + storage->offset[image->var], values, count * size);
        return TW_OK;
    }
    tw__copy copy = { 0 };
    tw__region all = { .var = image->var, .rank = 1, .count = count, .dim = { { count, 1 } } };
    uint64_t first[2] = { 0, count };
    tw__regions whole = { .refs = 1, .n = 1, .count = count, .first = first, .region = &all };
    const tw__regions *list = image->regions ? image->regions : &whole;
    tw_status s = tw__copy_add(&copy, storage, (tw__side){ .repeat = image->broadcast },
                               (tw__side){ .regions = list }, count, size);
    if (!s) s = tw__copy_finish(&copy);
    if (!s) tw__copy_run(&copy, storage->base, values);
    tw__copy_free(&copy);
    return s;
}

tw_status tw__images_write(tw_engine *engine)
{
    for (size_t i = 0; i < engine->images.count; i++) {
        tw_status s = write_image(engine, &engine->images.items[i]);
        if (s) return s;
    }
    return TW_OK;
}
