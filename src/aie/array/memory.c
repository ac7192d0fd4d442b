/* Tile memory: where the windows of an array lie, and accesses through pointers that miss them.
 *
 * The 32 KB of all tiles lie one behind the other, tile by tile, with 1 MB on either side, which is what 20-bit pointers
 * span. All of it can be read and written: a stray access is reported and goes on, as on the hardware. A window lies on
 * the tile that reads it (an output to a file: that writes it), from the bottom of the memory up; stack and heap take
 * their 1 KB each of a kernel from the top, though the host's stack serves the kernels. */
#define TW_AIE_CHECK
#include "aie/array/array.h"
#include "core/tile/tile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    TILE_BYTES = 32 * 1024,
    TILES = TW__AIE_COLUMNS * TW__AIE_ROWS,
    AROUND = 1 << 20,
    REGION = AROUND + TILES * TILE_BYTES + AROUND,
    ALIGNMENT = 32 /* of a window: loads have 256 bits */
};

/* There when the program is built with the address sanitizer, which then sees accesses outside of windows. */
extern __attribute__((weak)) void __asan_poison_memory_region(const volatile void *p, size_t bytes);
extern __attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *p, size_t bytes);

/* --- placing ------------------------------------------------------------------------------------------------------- */

int tw__aie_tile_of(const tw__kernel *k)
{
    return k->column * TW__AIE_ROWS + k->row;
}

static const tw__kernel *home(const tw_aie_array *a, const tw__pair *p)
{
    return a->kernels[p->to >= 0 ? p->to : p->from];
}

/* Bytes of one block as it lies in memory. */
static uint64_t block_bytes(const tw__pair *p)
{
    return ((uint64_t)p->bytes + p->margin + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool tile_fits(tw_aie_array *a, const tw__kernel *k)
{
    uint64_t limit = tw_tile_arch_by_name("aie1")->bytes_per_tile, windows = 0, kernels = 0;
    for (size_t i = 0; i < a->kernel_count; i++) kernels += tw__aie_tile_of(a->kernels[i]) == tw__aie_tile_of(k);
    for (size_t i = 0; i < a->pair_count; i++)
        if (tw__aie_tile_of(home(a, a->pairs[i])) == tw__aie_tile_of(k))
            windows += a->pairs[i]->blocks * block_bytes(a->pairs[i]);
    if (windows + kernels * TW__AIE_STACK_AND_HEAP <= limit) return true;
    tw__aie_fail(a, TW_E_TILE_MEMORY,
                 "tile (%d,%d) needs %llu bytes (%llu for windows, %llu for stack and heap), it has %llu",
                 k->column, k->row, (unsigned long long)(windows + kernels * TW__AIE_STACK_AND_HEAP),
                 (unsigned long long)windows, (unsigned long long)kernels * TW__AIE_STACK_AND_HEAP,
                 (unsigned long long)limit);
    return false;
}

/* A core reaches its own memory, north, south, and that of the tile to the west in even rows, to the east in odd ones. */
static bool reaches(const tw__kernel *k, int column, int row)
{
    int side = k->column + (k->row % 2 ? 1 : -1);
    return (column == k->column && abs(row - k->row) <= 1) || (row == k->row && column == side);
}

/* Bytes of a tile that neither windows nor, in a graph that spreads, stacks and heaps take. */
static uint64_t room_on(const tw_aie_array *a, int tile)
{
    uint64_t taken = a->used[tile];
    for (size_t i = 0; a->spread && i < a->kernel_count; i++)
        if (tw__aie_tile_of(a->kernels[i]) == tile) taken += TW__AIE_STACK_AND_HEAP;
    return taken < TILE_BYTES ? TILE_BYTES - taken : 0;
}

static void put_block(tw_aie_array *a, int at, tw__pair *p, unsigned i)
{
    uint16_t *used = &a->used[at];
    uint8_t *tile = a->memory + AROUND + (size_t)at * TILE_BYTES;
    if (*used == 0 && __asan_poison_memory_region) __asan_poison_memory_region(tile, TILE_BYTES);
    p->block[i] = tile + *used;
    *used = (uint16_t)(*used + block_bytes(p));
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(p->block[i], (size_t)p->bytes + p->margin);
}

/* On a tile that the core reaches; false: none has room. */
static bool put_nearby(tw_aie_array *a, const tw__kernel *k, tw__pair *p, unsigned i)
{
    for (int tile = 0; tile < TILES; tile++)
        if (reaches(k, tile / TW__AIE_ROWS, tile % TW__AIE_ROWS) && room_on(a, tile) >= block_bytes(p)) {
            put_block(a, tile, p, i);
            return true;
        }
    return false;
}

static bool put_outside(tw_aie_array *a, tw__pair *p, unsigned i)
{
    if (!tw__grow(&a->outside, &a->outside_room, a->outside_count, sizeof *a->outside)) return false;
    void *block = aligned_alloc(ALIGNMENT, (size_t)block_bytes(p));
    if (!block) return false;
    memset(block, 0, (size_t)block_bytes(p));
    p->block[i] = a->outside[a->outside_count++] = block;
    return true;
}

static bool place_block(tw_aie_array *a, const tw__kernel *k, tw__pair *p, unsigned i, bool second)
{
    if (room_on(a, tw__aie_tile_of(k)) >= block_bytes(p)) {
        put_block(a, tw__aie_tile_of(k), p, i);
        return true;
    }
    if (!second && a->spread) return true; /* when all that fit their tile lie there */
    if (a->spread && put_nearby(a, k, p, i)) return true;
    if (a->spread == TW_AIE_SPREAD_ANYWHERE && put_outside(a, p, i)) return true;
    tw__aie_fail(a, TW_E_TILE_MEMORY, "tile (%d,%d) has no %llu bytes left for a window%s", k->column, k->row,
                 (unsigned long long)block_bytes(p), a->spread ? ", nor have the tiles that its core reaches" : "");
    return false;
}

static bool map(tw_aie_array *a)
{
    void *p = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    a->used = calloc(TILES, sizeof *a->used);
    if (p != MAP_FAILED) a->memory = p;
    if (a->used && a->memory) return true;
    tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for the tiles of an array");
    return false;
}

static bool place_pairs(tw_aie_array *a, bool second)
{
    for (size_t i = 0; i < a->pair_count; i++) {
        tw__pair *p = a->pairs[i];
        if (!p->tail && !(p->tail = calloc((size_t)p->margin + 1, 1))) {
            tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for a margin of %u bytes", p->margin);
            return false;
        }
        for (unsigned b = 0; b < p->blocks; b++)
            if (!p->block[b] && !place_block(a, home(a, p), p, b, second)) return false;
    }
    return true;
}

bool tw__aie_place_windows(tw_aie_array *a)
{
    if (!a->memory && !map(a)) return false;
    for (size_t i = 0; i < a->kernel_count && !a->spread; i++)
        if (!tile_fits(a, a->kernels[i])) return false;
    return place_pairs(a, false) && place_pairs(a, true);
}

void tw_aie_array_spread(tw_aie_array *a, tw_aie_spread where)
{
    a->spread = where;
}

void tw__aie_free_memory(tw_aie_array *a)
{
    if (a->memory && __asan_unpoison_memory_region) __asan_unpoison_memory_region(a->memory, REGION);
    if (a->memory) munmap(a->memory, REGION);
    for (size_t i = 0; i < a->outside_count; i++) free(a->outside[i]);
    free(a->outside);
    free(a->used);
}

/* --- accesses ------------------------------------------------------------------------------------------------------ */

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

int tw__aie_tile_at(const tw_aie_array *a, uintptr_t p)
{
    if (!a->memory) return -1;
    uintptr_t at = p - ((uintptr_t)a->memory + AROUND);
    return at < (uintptr_t)TILES * TILE_BYTES ? (int)(at / TILE_BYTES) : -1;
}

static void add_address(text *t, const tw_aie_array *a, uintptr_t p)
{
    int tile = a && a->memory ? tw__aie_tile_at(a, p) : -1;
    if (tile < 0)
        add(t, "address %p", (void *)p);
    else
        add(t, "byte 0x%04x of tile (%d,%d)", (unsigned)((p - (uintptr_t)a->memory - AROUND) % TILE_BYTES),
            tile / TW__AIE_ROWS, tile % TW__AIE_ROWS);
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
static void add_place(text *t, const tw_aie_array *a, const tw__kernel *k, uintptr_t p)
{
    int tile = tw__aie_tile_at(a, p);
    if (tile >= 0 && !reaches(k, tile / TW__AIE_ROWS, tile % TW__AIE_ROWS))
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

void tw__aie_access(const void *pointer, size_t bytes, int is_store, const void *pc)
{
    const tw_aie_array *a = tw__aie_current;
    if (!a || !a->running || (uintptr_t)pointer - (uintptr_t)a->memory >= REGION) return;
    uintptr_t p = (uintptr_t)pointer;
    if (holds(a->running, p, bytes) || !tw__aie_first_report("", (size_t)pc, is_store)) return;
    text t = { .n = 0 };
    add(&t, "%zu bytes at ", bytes);
    add_address(&t, a, p);
    add(&t, " are in no buffer that kernel '%s' holds", a->running->name);
    add_nearest(&t, a->running, p, bytes);
    add_place(&t, a, a->running, p);
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
