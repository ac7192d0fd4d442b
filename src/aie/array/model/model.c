/* SPDX-License-Identifier: MIT */
/* model: what every floor asks of an array: queues, who is at their ends, its failure. */
#include "aie/array/model/model.h"

#include <string.h>

_Thread_local tw_aie_array *tw__aie_current;

const tw__kernel *tw__aie_kernel_of(const tw_aie_array *a, tw_aie_kernel handle)
{
    return handle.id > 0 && (size_t)handle.id <= a->kernel_count ? a->kernels[handle.id - 1] : NULL;
}

const tw__plio *tw__plio_of(const tw_aie_array *a, const void *queue)
{
    for (size_t i = 0; i < a->file_count; i++)
        if (a->files[i]->fifo == queue || a->files[i]->pair == queue) return a->files[i];
    return NULL;
}

tw__peer tw__aie_peer(const tw_aie_array *a, int number, const void *queue)
{
    tw__peer p = { "memory" };
    const tw__plio *file = number < 0 ? tw__plio_of(a, queue) : NULL;
    if (number >= 0)
        snprintf(p.text, sizeof p.text, "'%s'", a->kernels[number]->name);
    else if (file && file->path)
        snprintf(p.text, sizeof p.text, "file '%s'", file->path);
    return p;
}

void tw__aie_fail(tw_aie_array *a, tw_status status, const char *format, ...)
{
    if (a->status != TW_OK) return;
    va_list args;
    va_start(args, format);
    a->status = tw__vfail(status, format, args);
    va_end(args);
    a->message = strdup(tw_error_message());
}

bool tw__fifo_push(tw__fifo *f, const void *item)
{
    if (f->count == f->room) return false;
    memcpy(f->data + (size_t)((f->first + f->count++) % f->room) * f->item, item, f->item);
    f->moved++;
    return true;
}

bool tw__fifo_pop(tw__fifo *f, void *item)
{
    if (f->count == 0) return false;
    memcpy(item, f->data + (size_t)f->first * f->item, f->item);
    f->first = (f->first + 1) % f->room;
    f->count--;
    return true;
}
