/* SPDX-License-Identifier: MIT */
/* build: kernels, connections and files of an array, one call each. */
#include "aie/array/model/model.h"

#include <stdlib.h>
#include <string.h>

enum { FIFO_WORDS = 16, CASCADE_DEPTH = 4 };

/* Appends a zeroed object to a list of the array. */
static void *append(tw_aie_array *a, void *list, size_t *count, size_t *room, size_t bytes)
{
    void *object = calloc(1, bytes);
    if (object && tw__grow(list, room, *count, sizeof(void *))) {
        (*(void ***)list)[(*count)++] = object;
        return object;
    }
    free(object);
    tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for the array");
    return NULL;
}
#define APPEND(a, list, count, room, type) ((type *)append(a, &(a)->list, &(a)->count, &(a)->room, sizeof(type)))

tw_aie_kernel tw_aie_array_add(tw_aie_array *a, const char *name, void (*fn)(void *user), void *user, int column,
                               int row)
{
    if (!a) return (tw_aie_kernel){ 0 };
    tw_aie_kernel none = { 0 };
    if (column < 0 || (unsigned)column >= a->arch->columns || row < 0 || (unsigned)row >= a->arch->rows) {
        tw__aie_fail(a, TW_E_INDEX, "kernel '%s': tile (%d,%d) is not in columns 0 to %u, rows 0 to %u", name,
                     column, row, a->arch->columns - 1, a->arch->rows - 1);
        return none;
    }
    tw__kernel *k = APPEND(a, kernels, kernel_count, kernel_room, tw__kernel);
    if (!k) return none;
    *k = (tw__kernel){ .name = strdup(name), .fn = fn, .user = user, .column = column, .row = row, .repeat = 1 };
    k->number = (int)a->kernel_count - 1;
    if (!k->name) tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for kernel '%s'", name);
    return (tw_aie_kernel){ k->number + 1 };
}

static tw__kernel *kernel(tw_aie_array *a, tw_aie_kernel handle, const char *call)
{
    if (tw__aie_kernel_of(a, handle)) return a->kernels[handle.id - 1];
    tw__aie_fail(a, TW_E_INDEX, "%s: the array has no such kernel", call);
    return NULL;
}

/* The kernel at this end of a connection, which needs a port of that direction there. */
static tw__kernel *end_of(tw_aie_array *a, tw_aie_port port, tw_aie_direction direction, const char *call)
{
    tw__kernel *k = kernel(a, port.kernel, call);
    if (!k || port.direction == direction) return k;
    tw__aie_fail(a, TW_E_CONNECTION, "%s: port %d of kernel '%s' is an %s, an %s is needed here", call, port.number,
                 k->name, direction == TW_AIE_IN ? "output" : "input", direction == TW_AIE_IN ? "input" : "output");
    return NULL;
}

/* --- connections ---------------------------------------------------------------------------------------------- */

static tw__fifo *new_fifo(tw_aie_array *a, unsigned item, unsigned room, int from, int to)
{
    tw__fifo *f = APPEND(a, fifos, fifo_count, fifo_room, tw__fifo);
    if (!f) return NULL;
    *f = (tw__fifo){ .item = item, .room = room, .from = from, .to = to, .data = calloc(room, item) };
    f->there = calloc(room, sizeof *f->there), f->freed = calloc(room, sizeof *f->freed);
    if (f->data && f->there && f->freed) return f;
    f->room = 0;
    tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for a queue of %u items", room);
    return NULL;
}

/* Occupies a slot of a kernel; a second connection to one port is a mistake. */
static bool attach(tw_aie_array *a, const tw__kernel *k, void *slots, int port, int ports, void *object,
                   const char *what)
{
    if (port < 0 || port >= ports) {
        tw__aie_fail(a, TW_E_INDEX, "kernel '%s': %s %d is not 0 to %d", k->name, what, port, ports - 1);
        return false;
    }
    if (((void **)slots)[port]) {
        tw__aie_fail(a, TW_E_CONNECTION, "kernel '%s': %s %d is connected twice", k->name, what, port);
        return false;
    }
    ((void **)slots)[port] = object;
    return true;
}

static tw__fifo *stream(tw_aie_array *a, tw__kernel *from, int out, tw__kernel *to, int in, unsigned depth)
{
    tw__fifo *f = new_fifo(a, 8, depth ? depth : FIFO_WORDS, from ? from->number : -1, to ? to->number : -1);
    if (!f) return NULL;
    if (from && !attach(a, from, from->out, out, TW__AIE_STREAMS, f, "output stream")) return NULL;
    if (to && !attach(a, to, to->in, in, TW__AIE_STREAMS, f, "input stream")) return NULL;
    return f;
}

void tw_aie_array_stream(tw_aie_array *a, tw_aie_port from, tw_aie_port to, unsigned depth)
{
    if (!a) return;
    tw__kernel *f = end_of(a, from, TW_AIE_OUT, "stream"), *t = end_of(a, to, TW_AIE_IN, "stream");
    if (f && t) stream(a, f, from.number, t, to.number, depth);
}

void tw_aie_array_cascade(tw_aie_array *a, tw_aie_kernel from, tw_aie_kernel to)
{
    if (!a) return;
    tw__kernel *f = kernel(a, from, "cascade"), *t = kernel(a, to, "cascade");
    if (!f || !t) return;
    if (abs(f->column - t->column) + abs(f->row - t->row) != 1) {
        tw__aie_fail(a, TW_E_CONNECTION,
                     "cascade from '%s' on (%d,%d) to '%s' on (%d,%d): the tiles are not neighbours", f->name,
                     f->column, f->row, t->name, t->column, t->row);
        return;
    }
    tw__fifo *q = new_fifo(a, 64, CASCADE_DEPTH, f->number, t->number); /* two deep on either side */
    if (q && attach(a, f, &f->out[TW__AIE_STREAMS], 0, 1, q, "cascade output"))
        attach(a, t, &t->in[TW__AIE_STREAMS], 0, 1, q, "cascade input");
}

static tw__pair *pair(tw_aie_array *a, tw__kernel *from, int out, tw__kernel *to, int in, unsigned bytes,
                      unsigned margin)
{
    if (bytes == 0 || bytes % 4 || margin % 32) {
        tw__aie_fail(a, TW_E_INVALID_ARGUMENT,
                     "a window of %u bytes with a margin of %u: a window is a multiple of 4, a margin of 32", bytes,
                     margin);
        return NULL;
    }
    if (a->memory) {
        tw__aie_fail(a, TW_E_CONNECTION, "a window of %u bytes is connected after the first run", bytes);
        return NULL;
    }
    tw__pair *p = APPEND(a, pairs, pair_count, pair_room, tw__pair);
    if (!p) return NULL;
    *p = (tw__pair){ .bytes = bytes,
                     .blocks = 2,
                     .margin = margin,
                     .from = from ? from->number : -1,
                     .to = to ? to->number : -1,
                     .out = out,
                     .in = in };
    if (from && !attach(a, from, from->window_out, out, TW__AIE_PORTS, p, "output window")) return NULL;
    if (to && !attach(a, to, to->window_in, in, TW__AIE_PORTS, p, "input window")) return NULL;
    return p;
}

void tw_aie_array_window(tw_aie_array *a, tw_aie_port from, tw_aie_port to, unsigned bytes, unsigned margin)
{
    if (!a) return;
    tw__kernel *f = end_of(a, from, TW_AIE_OUT, "window"), *t = end_of(a, to, TW_AIE_IN, "window");
    if (f && t) pair(a, f, from.number, t, to.number, bytes, margin);
}

static tw__plio *new_file(tw_aie_array *a, tw__plio what)
{
    tw__plio *f = APPEND(a, files, file_count, file_room, tw__plio);
    if (f) *f = what;
    return f;
}

static tw__plio *file(tw_aie_array *a, const tw_aie_file *what, bool is_output)
{
    unsigned bits = what->plio_bits ? what->plio_bits : 32;
    if ((bits != 32 && bits != 64 && bits != 128) || (unsigned)what->element >= TW_AIE_ELEMENTS) {
        tw__aie_fail(a, TW_E_INVALID_ARGUMENT, "%s: a port has 32, 64 or 128 bits, not %u", what->path, bits);
        return NULL;
    }
    tw__plio *f = new_file(a, (tw__plio){ .element = what->element, .bits = bits, .is_output = is_output });
    if (f && !(f->path = tw__aie_path(what->path, is_output)))
        tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for '%s'", what->path);
    return f && f->path ? f : NULL;
}

/* The kernel's end of a file or of memory. */
static void feed(tw_aie_array *a, tw__plio *f, tw__kernel *to, int in, unsigned window_bytes, unsigned margin)
{
    if (window_bytes)
        f->pair = pair(a, NULL, 0, to, in, window_bytes, margin);
    else
        f->fifo = stream(a, NULL, 0, to, in, 0);
}

static void collect(tw_aie_array *a, tw__plio *f, tw__kernel *from, int out, unsigned window_bytes)
{
    if (window_bytes)
        f->pair = pair(a, from, out, NULL, 0, window_bytes, 0);
    else
        f->fifo = stream(a, from, out, NULL, 0, 0);
}

void tw_aie_array_input(tw_aie_array *a, const tw_aie_file *what, tw_aie_port to)
{
    if (!a) return;
    tw__kernel *k = end_of(a, to, TW_AIE_IN, what->path);
    tw__plio *f = k ? file(a, what, false) : NULL;
    if (!f || !tw__plio_load(a, f)) return;
    feed(a, f, k, to.number, what->window_bytes, what->margin);
}

void tw_aie_array_output(tw_aie_array *a, tw_aie_port from, const tw_aie_file *what)
{
    if (!a) return;
    tw__kernel *k = end_of(a, from, TW_AIE_OUT, what->path);
    tw__plio *f = k ? file(a, what, true) : NULL;
    if (f) collect(a, f, k, from.number, what->window_bytes);
}

int tw_aie_array_memory_input(tw_aie_array *a, tw_aie_port to, unsigned window_bytes, unsigned margin)
{
    if (!a) return -1;
    tw__kernel *k = end_of(a, to, TW_AIE_IN, "memory_input");
    tw__plio *f = k ? new_file(a, (tw__plio){ .bits = 32 }) : NULL;
    if (!f) return -1;
    feed(a, f, k, to.number, window_bytes, margin);
    return (int)a->file_count - 1;
}

int tw_aie_array_memory_output(tw_aie_array *a, tw_aie_port from, unsigned window_bytes)
{
    if (!a) return -1;
    tw__kernel *k = end_of(a, from, TW_AIE_OUT, "memory_output");
    tw__plio *f = k ? new_file(a, (tw__plio){ .bits = 32, .is_output = true }) : NULL;
    if (!f) return -1;
    collect(a, f, k, from.number, window_bytes);
    return (int)a->file_count - 1;
}

/* The memory port `number` of this direction; NULL, and why, when there is none. */
static tw__plio *memory(tw_aie_array *a, int number, bool is_output)
{
    tw__plio *f = number >= 0 && (size_t)number < a->file_count ? a->files[number] : NULL;
    if (f && !f->path && f->is_output == is_output) return f;
    tw__fail(TW_E_INDEX, "there is no memory %s %d", is_output ? "output" : "input", number);
    return NULL;
}

tw_status tw_aie_array_send(tw_aie_array *a, int number, const void *data, size_t bytes)
{
    if (!a) return tw__missing("array");
    tw__plio *f = memory(a, number, false);
    if (!f) return TW_E_INDEX;
    if (bytes % 4) return tw__fail(TW_E_INVALID_ARGUMENT, "%zu bytes are not whole words of 32 bits", bytes);
    return tw__plio_append(f, data, bytes) ? TW_OK
                                           : tw__fail(TW_E_NO_MEMORY, "no memory for %zu bytes of input", bytes);
}

size_t tw_aie_array_receive(tw_aie_array *a, int number, void *out, size_t bytes)
{
    if (!a) return 0;
    tw__plio *f = memory(a, number, true);
    if (!f) return 0;
    size_t n = f->count - f->at < bytes ? f->count - f->at : bytes;
    if (n) memcpy(out, f->bytes + f->at, n);
    f->at += n;
    if (f->at == f->count) f->at = f->count = 0;
    return n;
}

/* --- for reports ------------------------------------------------------------------------------------------------ */

static void rename_to(tw_aie_array *a, char **slot, const char *name)
{
    free(*slot);
    *slot = name ? strdup(name) : NULL;
    if (name && !*slot) tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for '%s'", name);
}

/* The file or memory at a port of a kernel; NULL: there is none. */
tw__plio *tw__outer_end(const tw_aie_array *a, const tw__kernel *k, tw_aie_port port)
{
    const bool is_output = port.direction == TW_AIE_OUT;
    const unsigned number = (unsigned)port.number;
    const tw__fifo *fifo = number < TW__AIE_STREAMS ? (is_output ? k->out : k->in)[number] : NULL;
    const tw__pair *pair = number < TW__AIE_PORTS ? (is_output ? k->window_out : k->window_in)[number] : NULL;
    for (size_t i = 0; i < a->file_count; i++) {
        tw__plio *f = a->files[i];
        if ((fifo && f->fifo == fifo) || (pair && f->pair == pair)) return f;
    }
    return NULL;
}

void tw_aie_array_name_end(tw_aie_array *a, tw_aie_port port, const char *name)
{
    if (!a) return;
    const tw__kernel *k = kernel(a, port.kernel, "name_end");
    tw__plio *f = k ? tw__outer_end(a, k, port) : NULL;
    if (f)
        rename_to(a, &f->name, name);
    else if (k)
        tw__aie_fail(a, TW_E_CONNECTION, "name_end: port %d of '%s' has no file or memory", port.number, k->name);
}

void tw_aie_array_group(tw_aie_array *a, tw_aie_kernel handle, const char *name)
{
    if (!a) return;
    tw__kernel *k = kernel(a, handle, "group");
    if (k) rename_to(a, &k->group, name);
}

void tw_aie_array_parameter(tw_aie_array *a, tw_aie_kernel from, tw_aie_kernel to, const char *name, unsigned bytes)
{
    if (!a) return;
    const tw__kernel *f = from.id ? kernel(a, from, "parameter") : NULL,
                     *t = to.id ? kernel(a, to, "parameter") : NULL;
    if ((from.id && !f) || (to.id && !t)) return;
    if (!f && !t) {
        tw__aie_fail(a, TW_E_CONNECTION, "parameter '%s' is of no kernel", name ? name : "");
        return;
    }
    tw__parameter *p = APPEND(a, parameters, parameter_count, parameter_room, tw__parameter);
    if (!p) return;
    *p = (tw__parameter){ .from = f ? f->number : -1, .to = t ? t->number : -1, .bytes = bytes };
    rename_to(a, &p->name, name ? name : "");
}

void tw_aie_array_packet_id(tw_aie_array *a, tw_aie_port port, unsigned id)
{
    if (!a) return;
    tw__kernel *k = kernel(a, port.kernel, "packet_id");
    if (!k) return;
    if (port.number < 0 || port.number >= TW__AIE_STREAMS || id > 31)
        tw__aie_fail(a, TW_E_INDEX, "packet_id: stream %d of '%s' is not 0 or 1, or id %u not 0 to 31", port.number,
                     k->name, id);
    else
        (port.direction == TW_AIE_OUT ? k->stream_out : k->stream_in)[port.number].packet_id = (int)id;
}

void tw_aie_array_file_clock(tw_aie_array *a, tw_aie_port port, double mhz)
{
    if (!a) return;
    const tw__kernel *k = kernel(a, port.kernel, "file_clock");
    if (!k) return;
    tw__plio *f = tw__outer_end(a, k, port);
    if (f && !f->path) f = NULL; /* memory */
    if (!f || !(mhz > 0)) {
        tw__aie_fail(a, f ? TW_E_INVALID_ARGUMENT : TW_E_CONNECTION, "file_clock: %s %d of '%s' %s",
                     port.direction == TW_AIE_OUT ? "output" : "input", port.number, k->name,
                     f ? "needs a clock above 0 MHz" : "has no file");
        return;
    }
    const double cycles = a->arch->clock_hz / (mhz * 1e6) * 32 / f->bits;
    f->word_cycles = cycles > 1 ? cycles : 1;
}

/* The window at a port of a kernel; NULL, and the array fails, where there is none. */
static tw__pair *pair_at(tw_aie_array *a, const char *call, tw_aie_port port)
{
    tw__kernel *k = kernel(a, port.kernel, call);
    if (!k) return NULL;
    bool is_output = port.direction == TW_AIE_OUT, legal = port.number >= 0 && port.number < TW__AIE_PORTS;
    tw__pair *p = !legal ? NULL : is_output ? k->window_out[port.number] : k->window_in[port.number];
    if (!p)
        tw__aie_fail(a, TW_E_CONNECTION, "%s: kernel '%s' has no %s window %d", call, k->name,
                     is_output ? "output" : "input", port.number);
    return p;
}

void tw_aie_array_async(tw_aie_array *a, tw_aie_port port)
{
    if (!a) return;
    tw__pair *p = pair_at(a, "async", port);
    if (p) *(port.direction == TW_AIE_OUT ? &p->async_out : &p->async_in) = true;
}

void tw_aie_array_single_buffer(tw_aie_array *a, tw_aie_port port)
{
    if (!a) return;
    tw__pair *p = pair_at(a, "single_buffer", port);
    if (p) p->blocks = 1;
}

void tw_aie_array_repeat(tw_aie_array *a, tw_aie_kernel handle, unsigned times)
{
    if (!a) return;
    tw__kernel *k = kernel(a, handle, "repeat");
    if (k) k->repeat = times;
}

uint64_t tw_aie_array_events(const tw_aie_array *a, tw_aie_kernel handle, int event)
{
    const tw__kernel *k = tw__aie_kernel_of(a, handle);
    return k && event >= 0 && event < 3 ? k->events[event] : 0;
}
