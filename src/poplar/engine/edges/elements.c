/* SPDX-License-Identifier: MIT */
/* Elements in the format of the host and in that of the device. */
#include "poplar/engine/engine.h"

#include <string.h>
#include <tilewright/vec.h>

size_t tw__host_size(tw_type type)
{
    return tw_type_size(type);
}

size_t tw__device_size(const tw_engine *engine, tw_type type)
{
    return tw_target_type_size(engine->target, type);
}

static tw_vec_kernel widen, narrow; /* half on a CPU target: 2 bytes on the host, a float on the device */

__attribute__((constructor)) static void resolve_converters(void)
{
    static const tw_type up[] = { TW_F32, TW_F16 }, down[] = { TW_F16, TW_F32 };
    tw_vec_resolve(TW_VEC_CONVERT, up, NULL, &widen);
    tw_vec_resolve(TW_VEC_CONVERT, down, NULL, &narrow);
}

static void convert(const tw_engine *engine, tw_type type, const tw_vec_kernel *kernel, void *dst, size_t dst_size,
                    const void *src, size_t src_size, uint64_t count)
{
    if (count == 0) return;
    if (tw__host_size(type) == tw__device_size(engine, type)) {
        memcpy(dst, src, count * dst_size);
        return;
    }
    tw_run args[] = { tw_run_of(dst, (ptrdiff_t)dst_size), tw_run_of(src, (ptrdiff_t)src_size) };
    tw_vec_call(kernel, count, args);
}

void tw__host_to_device(const tw_engine *engine, tw_type type, void *device, const void *host, uint64_t count)
{
    convert(engine, type, &widen, device, tw__device_size(engine, type), host, tw__host_size(type), count);
}

void tw__device_to_host(const tw_engine *engine, tw_type type, void *host, const void *device, uint64_t count)
{
    convert(engine, type, &narrow, host, tw__host_size(type), device, tw__device_size(engine, type), count);
}

/* --- data that programs move ---------------------------------------------------------------------------------- */

size_t tw__transfer_size(const tw_engine *engine, tw_type type)
{
    return engine->stored_halves ? tw__device_size(engine, type) : tw__host_size(type);
}

void tw__transfer_in(const tw_engine *engine, tw_type type, void *device, const void *host, uint64_t count)
{
    if (!engine->stored_halves)
        tw__host_to_device(engine, type, device, host, count);
    else if (count)
        memcpy(device, host, count * tw__device_size(engine, type));
}

void tw__transfer_out(const tw_engine *engine, tw_type type, void *host, const void *device, uint64_t count)
{
    if (!engine->stored_halves)
        tw__device_to_host(engine, type, host, device, count);
    else if (count)
        memcpy(host, device, count * tw__device_size(engine, type));
}
