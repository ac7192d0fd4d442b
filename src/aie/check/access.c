/* SPDX-License-Identifier: MIT */
/* Accesses through pointers that miss what a kernel holds, and misaligned ones: said once a place, with file and
 * line. */
#define TW_AIE_CHECK
#include "aie/array/model/model.h"
#include "aie/check/check.h"

#include <stdlib.h>
#include <string.h>

/* A buffer that the kernel holds now: a window of this firing, or one that it has acquired. */
typedef struct held {
    const char *direction;
    int port;
    uintptr_t begin, end;
} held;

/* The n-th window of a kernel, inputs first; false: it has none there, or does not hold it. */
static bool held_window(const tw__kernel *k, int n, held *h)
{
    bool in = n < TW__AIE_PORTS;
    int port = n % TW__AIE_PORTS;
    if (!(in ? k->window_in : k->window_out)[port]) return false;
    const tw_aie_window *w = in ? &k->view_in[port].window : &k->view_out[port].window;
    *h = (held){ in ? "input" : "output", port, (uintptr_t)w->data, (uintptr_t)w->data + w->bytes };
    return w->is_open;
}

static bool holds(const tw__kernel *k, uintptr_t p, size_t bytes)
{
    held h;
    for (int i = 0; i < 2 * TW__AIE_PORTS; i++)
        if (held_window(k, i, &h) && p >= h.begin && p + bytes <= h.end) return true;
    return false;
}

typedef struct text {
    char s[400];
    size_t n;
} text;
static void TW_PRINTF(2, 3) add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    t->n = n < 0 || t->n + (size_t)n >= sizeof t->s ? sizeof t->s - 1 : t->n + (size_t)n;
}

static void add_address(text *t, const tw_aie_array *a, uintptr_t p)
{
    int tile = a && a->memory ? tw__aie_tile_at(a, p) : -1;
    if (tile < 0)
        add(t, "address %p", (void *)p);
    else
        add(t, "byte 0x%04x of tile (%d,%d)", (unsigned)(p - (uintptr_t)tw__aie_tile_memory(a, tile)),
            tile / (int)a->arch->rows, tile % (int)a->arch->rows);
}

/* Where the access lies beside the nearest buffer of the kernel. */
static void add_nearest(text *t, const tw__kernel *k, uintptr_t p, size_t bytes)
{
    held h, best = { 0 };
    uintptr_t least = UINTPTR_MAX;
    for (int i = 0; i < 2 * TW__AIE_PORTS; i++) {
        if (!held_window(k, i, &h)) continue;
        uintptr_t distance = p >= h.end ? p - h.end : p >= h.begin ? 0 : h.begin - p;
        if (distance < least) least = distance, best = h;
    }
    if (least == UINTPTR_MAX)
        add(t, "; it holds none");
    else if (p >= best.end)
        add(t, ": %zu bytes behind the end of its %s window %d", (size_t)(p - best.end), best.direction, best.port);
    else if (p < best.begin)
        add(t, ": %zu bytes in front of its %s window %d", (size_t)(best.begin - p), best.direction, best.port);
    else
        add(t, ": %zu bytes over the end of its %s window %d", (size_t)(p + bytes - best.end), best.direction,
            best.port);
}

/* What else there is to know about the place: whose buffer it is, whether the core could get there at all. */
static void access_add_place(text *t, const tw_aie_array *a, const tw__kernel *k, uintptr_t p)
{
    int tile = tw__aie_tile_at(a, p);
    if (tile >= 0 && !tw__aie_reaches(a, k, tile))
        add(t, "; the core on (%d,%d) does not reach that tile", k->column, k->row);
    for (size_t i = 0; i < a->pair_count; i++)
        for (unsigned b = 0; b < a->pairs[i]->blocks; b++) {
            const tw__pair *pair = a->pairs[i];
            uintptr_t begin = (uintptr_t)pair->block[b];
            if (begin && p >= begin && p < begin + pair->margin + pair->bytes)
                add(t, "; block %u of the window from %s to %s lies there", b,
                    tw__aie_peer(a, pair->from, pair).text, tw__aie_peer(a, pair->to, pair).text);
        }
}

static bool within(uintptr_t p, const void *object, size_t bytes)
{
    return p - (uintptr_t)object < bytes;
}

/* What the load and store units do for *p, 256 bits at a time: numbers and vectors in the memory of tiles, and
 * vectors of tables, which lie there on the chip. A variable of the host's stack is a register there; what the
 * library keeps for a kernel is nothing at all. */
static void count_slots(const tw_aie_array *a, uintptr_t p, size_t bytes, int is_store)
{
    enum { STACK = 64 << 10, UNIT = 32, VECTOR = 16 };
    bool in_tile = within(p, a->memory, tw__aie_memory_bytes(a));
    if (!in_tile && bytes < VECTOR) return;
    if (within(p, __builtin_frame_address(0), STACK) || within(p, &tw_aie_core, sizeof tw_aie_core) ||
        within(p, a->running, sizeof *a->running))
        return;
    tw_aie_core.slots[is_store ? TW_AIE_SLOT_STORE : TW_AIE_SLOT_LOAD] += (bytes + UNIT - 1) / UNIT;
}

void tw__aie_access(const void *pointer, size_t bytes, int is_store, const void *pc)
{
    const tw_aie_array *a = tw__aie_current;
    if (!a || !a->running) return;
    count_slots(a, (uintptr_t)pointer, bytes, is_store);
    if ((uintptr_t)pointer - (uintptr_t)a->memory >= tw__aie_memory_bytes(a)) return;
    uintptr_t p = (uintptr_t)pointer;
    if (holds(a->running, p, bytes) || !tw__aie_first_report("", (size_t)pc, is_store)) return;
    text t = { .n = 0 };
    add(&t, "%zu bytes at ", bytes);
    add_address(&t, a, p);
    add(&t, " are in no buffer that kernel '%s' holds", a->running->name);
    add_nearest(&t, a->running, p, bytes);
    access_add_place(&t, a, a->running, p);
    char file[300];
    int line = tw__aie_source_of(pc, file, sizeof file);
    tw__aie_report_at(file, line, is_store ? "store" : "load", "%s", t.s);
}

void tw__aie_misaligned(const char *file, int line, const void *pointer, unsigned alignment, const char *type,
                        int is_store)
{
    unsigned needed = alignment < 16 ? alignment : 16;
    if ((uintptr_t)pointer % needed == 0 || !tw__aie_first_report(file, (size_t)line, is_store)) return;
    text t = { .n = 0 };
    add_address(&t, tw__aie_current, (uintptr_t)pointer);
    add(&t, ", %s as %s, is not a multiple of %u%s", is_store ? "written" : "read", type, needed,
        needed == 16 ? "; the hardware drops the low 4 bits" : "");
    tw__aie_report_at(file, line, is_store ? "store" : "load", "%s", t.s);
}
