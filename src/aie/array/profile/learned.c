/* SPDX-License-Identifier: MIT */
/* learned: what the profile of an array has beside cycles: where stacks and windows lie, windows as variables, who
 * sends how much to whom, and as lanes when locks were held, windows full and words in streams. */
#include "aie/array/profile/profile.h"
#include "core/profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum {
    STREAM_ITEM = 8,   /* bytes in a queue: a word, and whether TLAST goes with it */
    CASCADE_BYTES = 48 /* 384 bits; in a queue they take 64 bytes */
};

typedef struct title {
    char text[300];
} title;

/* "window a to b", "window to b" where a file or memory is at the other end. */
static title between(const tw_aie_array *a, const char *what, int from, int to)
{
    title t;
    const char *first = from >= 0 ? a->kernels[from]->name : "", *last = to >= 0 ? a->kernels[to]->name : "";
    snprintf(t.text, sizeof t.text, "%s%s%.100s%s%.100s", what, *first ? (*last ? " " : " of ") : "", first,
             *last ? " to " : "", last);
    return t;
}

static uint32_t learned_tile_of(const tw_aie_array *a, int kernel)
{
    return (uint32_t)tw__aie_tile_of(a, a->kernels[kernel]);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static void add_block(tw_profile *p, const char *name, tw_storage storage, uint64_t address, uint64_t bytes)
{
    tw__profile_map_add(p, &(tw__block_desc){ .address = address,
                                              .bytes = bytes,
                                              .name = name,
                                              .category = tw_storage_key(storage),
                                              .from = TW__NONE,
                                              .to = TW__NONE,
                                              .used = TW__NONE });
}

static bool add_tile(const tw_aie_array *a, tw_profile *p, int tile)
{
    bool any = false;
    for (size_t i = 0; i < a->kernel_count; i++) {
        const tw__kernel *k = a->kernels[i];
        if (tw__aie_tile_of(a, k) != tile) continue;
        title t;
        snprintf(t.text, sizeof t.text, "stack and heap of %.200s", k->name);
        add_block(p, t.text, TW_STORAGE_STACK, k->stack_at, TW__AIE_STACK_AND_HEAP);
        any = true;
    }
    for (size_t i = 0; i < a->pair_count; i++) {
        const tw__pair *w = a->pairs[i];
        for (unsigned b = 0; b < w->blocks; b++) {
            if (tw__aie_tile_at(a, (uintptr_t)w->block[b]) != tile) continue;
            title t = between(a, "window", w->from, w->to);
            if (w->blocks > 1) snprintf(t.text + strlen(t.text), 32, ", %s", b ? "pong" : "ping");
            add_block(p, t.text, TW_STORAGE_VARIABLE, (uint64_t)(w->block[b] - tw__aie_tile_memory(a, tile)),
                      (uint64_t)w->bytes + w->margin);
            any = true;
        }
    }
    return any;
}

static void add_maps(const tw_aie_array *a, tw_profile *p)
{
    bool *used = tw__calloc(a->arch->tiles + (size_t)1, sizeof *used);
    if (!used) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the memory map");
    for (size_t i = 0; used && i < a->kernel_count; i++) used[tw__aie_tile_of(a, a->kernels[i])] = true;
    for (size_t i = 0; used && i < a->pair_count; i++)
        for (unsigned b = 0; b < a->pairs[i]->blocks; b++) {
            int tile = tw__aie_tile_at(a, (uintptr_t)a->pairs[i]->block[b]);
            if (tile >= 0) used[tile] = true;
        }
    for (unsigned tile = 0; used && tile < a->arch->tiles; tile++) {
        if (!used[tile]) continue;
        tw__profile_map_begin(p, tile);
        if (add_tile(a, p, (int)tile)) tw__profile_map_end(p);
    }
    free(used);
    const tw_tile_region *data = &a->arch->regions[0];
    uint32_t bank = data->bank_bytes;
    for (uint32_t i = 0; bank && i < data->banks; i++) {
        char name[32];
        snprintf(name, sizeof name, "bank %u", i);
        tw__profile_add_region(p, name, "", data->start + i * bank, bank);
    }
}

static void add_variables(const tw_aie_array *a, tw_profile *p)
{
    for (size_t i = 0; i < a->pair_count; i++) {
        const tw__pair *w = a->pairs[i];
        title t = between(a, "window", w->from, w->to);
        int tile = tw__aie_tile_at(a, (uintptr_t)w->block[0]);
        uint64_t bytes = ((uint64_t)w->bytes + w->margin) * w->blocks;
        bool two = w->blocks > 1 && tw__aie_tile_at(a, (uintptr_t)w->block[1]) != tile;
        tw__profile_add_variable(p, &(tw__variable_desc){ .name = t.text,
                                                          .type = w->blocks > 1 ? "ping-pong" : "single",
                                                          .bytes = bytes,
                                                          .elements = bytes,
                                                          .tiles = tile < 0 ? 0 : 1 + two,
                                                          .first_tile = tile < 0 ? 0 : (uint32_t)tile,
                                                          .always_live = true });
    }
}

/* --- who sends to whom ------------------------------------------------------------------------------------------ */

typedef struct sender {
    tw_profile *p;
    uint64_t *sent, *received; /* [tiles] */
    uint32_t exchange;
} sender;

static void learned_add_pair(const tw_aie_array *a, sender *s, const char *what, int from, int to, uint64_t bytes,
                             uint64_t messages)
{
    if (from < 0 || to < 0 || !bytes) return; /* files and memory are no tiles */
    uint32_t sender_tile = learned_tile_of(a, from), receiver_tile = learned_tile_of(a, to);
    s->sent[sender_tile] += bytes, s->received[receiver_tile] += bytes;
    tw__profile_add_pair(s->p, TW__EXCHANGE_INTERNAL, s->exchange, sender_tile, receiver_tile, bytes, messages);
    tw__profile_name_pair(s->p, between(a, what, from, to).text);
}

static void add_pairs(const tw_aie_array *a, tw_profile *p)
{
    uint32_t tiles = a->arch->tiles;
    sender s = { .p = p,
                 .sent = tw__calloc(tiles + (size_t)1, sizeof *s.sent),
                 .received = tw__calloc(tiles + (size_t)1, sizeof *s.received) };
    if (!s.sent || !s.received) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (size_t i = 0; s.sent && s.received && i < a->pair_count; i++) {
        const tw__pair *w = a->pairs[i];
        learned_add_pair(a, &s, "window", w->from, w->to, w->moved * w->bytes, w->moved);
    }
    for (size_t i = 0; s.sent && s.received && i < a->fifo_count; i++) {
        const tw__fifo *f = a->fifos[i];
        unsigned bytes = f->item == STREAM_ITEM ? 4 : CASCADE_BYTES;
        learned_add_pair(a, &s, f->item == STREAM_ITEM ? "stream" : "cascade", f->from, f->to, f->moved * bytes,
                         f->moved);
    }
    if (s.sent && s.received && p->pairs.count)
        tw__profile_add_exchange(p, TW__EXCHANGE_INTERNAL,
                                 (tw__exchange){ .sent = tw__profile_row(p, s.sent, tiles),
                                                 .received = tw__profile_row(p, s.received, tiles) });
    free(s.sent), free(s.received);
}

void tw__aie_add_learned(const tw_aie_array *a, tw_profile *p)
{
    if (a->memory) add_maps(a, p);
    add_variables(a, p);
    add_pairs(a, p);
}

/* --- locks, windows, streams as lanes --------------------------------------------------------------------------- */

/* Locks lie in one array; the others have numbers, since their addresses differ from run to run. */
static uintptr_t order_of(const tw__aie_hold *h)
{
    return h->kind == TW__HOLD_LOCK     ? (uintptr_t)h->what
           : h->kind == TW__HOLD_WINDOW ? ((const tw__pair *)h->what)->order
                                        : ((const tw__fifo *)h->what)->order;
}

static int by_what(const void *x, const void *y)
{
    const tw__aie_hold *a = *(const tw__aie_hold *const *)x, *b = *(const tw__aie_hold *const *)y;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (order_of(a) != order_of(b)) return order_of(a) < order_of(b) ? -1 : 1;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static uint32_t add_lane(const tw_aie_array *a, tw_profile *p, const tw__aie_hold *h)
{
    title t;
    uint32_t tile = 0;
    if (h->kind == TW__HOLD_LOCK) {
        size_t number = (size_t)((const tw__lock *)h->what - a->locks);
        snprintf(t.text, sizeof t.text, "lock %u", (unsigned)(number % a->arch->locks));
        tile = (uint32_t)(number / a->arch->locks);
    } else if (h->kind == TW__HOLD_WINDOW) {
        const tw__pair *w = h->what;
        t = between(a, "window", w->from, w->to);
        if (w->blocks > 1) snprintf(t.text + strlen(t.text), 32, ", %s", h->number ? "pong" : "ping");
        tile = learned_tile_of(a, w->to >= 0 ? w->to : w->from);
    } else {
        const tw__fifo *f = h->what;
        t = between(a, "stream", f->from, f->to);
        tile = learned_tile_of(a, f->to >= 0 ? f->to : f->from);
    }
    return tw__profile_add_lane(p, tile, t.text);
}

static void add_holds(const tw_aie_array *a, tw_profile *p)
{
    const tw__aie_hold **sorted = tw__calloc(a->hold_count + 1, sizeof *sorted);
    uint32_t lane = TW__NONE;
    if (!sorted) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (size_t i = 0; i < a->pair_count; i++) a->pairs[i]->order = (unsigned)i;
    for (size_t i = 0; i < a->fifo_count; i++) a->fifos[i]->order = (unsigned)i;
    for (size_t i = 0; sorted && i < a->hold_count; i++) sorted[i] = &a->holds[i];
    if (sorted && a->hold_count) qsort(sorted, a->hold_count, sizeof *sorted, by_what);
    for (size_t i = 0; sorted && i < a->hold_count && !tw__profile_status(p); i++) {
        const tw__aie_hold *h = sorted[i];
        bool fresh = i == 0 || sorted[i - 1]->what != h->what || sorted[i - 1]->number != h->number;
        if (fresh) lane = add_lane(a, p, h);
        tw__profile_add_interval(p, &(tw__interval_desc){ .lane = lane,
                                                          .from = h->from,
                                                          .to = h->to,
                                                          .name = h->kind == TW__HOLD_LOCK
                                                                      ? a->kernels[h->kernel]->name
                                                                  : h->kind == TW__HOLD_WINDOW ? "full"
                                                                                               : "words",
                                                          .partner = TW__NONE });
    }
    free(sorted);
}

/* --- kernels as lanes ------------------------------------------------------------------------------------------- */

/* Sums by cause and partner; a kernel has few of either, what is beyond the room goes to the last. */
typedef struct kernel_waits {
    tw__aie_span sums[32]; /* to: cycles */
    unsigned count;
} kernel_waits;

static void add_wait(kernel_waits *w, const tw__aie_span *s)
{
    unsigned i = 0;
    while (i < w->count && (w->sums[i].cause != s->cause || w->sums[i].partner != s->partner)) i++;
    if (i == 32) i = 31;
    if (i == w->count) w->sums[w->count++] = (tw__aie_span){ 0, 0, s->cause, s->kernel, s->partner };
    w->sums[i].to += s->to - s->from;
}

typedef struct kernel_place {
    const char *file; /* NULL: not known */
    uint32_t line;
} kernel_place;

/* Where a kernel begins: its first line in the file where most of its cycles are. */
static kernel_place place_of_kernel(const tw_profile *p, const char *name)
{
    const tw__profile_line *most = NULL, *first = NULL;
    for (size_t i = 0; i < p->lines.count; i++) {
        const tw__profile_line *l = &p->lines.items[i];
        if (strcmp(p->names.items[l->what], name) == 0 && (!most || l->cycles > most->cycles)) most = l;
    }
    for (size_t i = 0; most && i < p->lines.count; i++) {
        const tw__profile_line *l = &p->lines.items[i];
        if (l->what == most->what && l->file == most->file && (!first || l->line < first->line)) first = l;
    }
    return first ? (kernel_place){ p->names.items[first->file], first->line } : (kernel_place){ NULL, 0 };
}

/* Lanes of kernels, their intervals, and the sums of their waits. */
void tw__aie_add_intervals(const tw_aie_array *a, tw_profile *p)
{
    uint32_t *lanes = tw__calloc(a->kernel_count + 1, sizeof *lanes);
    kernel_waits *waits = tw__calloc(a->kernel_count + 1, sizeof *waits);
    kernel_place *places = tw__calloc(a->kernel_count + 1, sizeof *places);
    for (size_t i = 0; places && i < a->kernel_count; i++) places[i] = place_of_kernel(p, a->kernels[i]->name);
    for (size_t i = 0; lanes && i < a->kernel_count; i++)
        lanes[i] = tw__profile_add_lane(p, (uint32_t)tw__aie_tile_of(a, a->kernels[i]), a->kernels[i]->name);
    for (size_t i = 0; lanes && waits && i < a->span_count; i++) {
        const tw__aie_span *s = &a->spans[i];
        uint32_t partner = s->partner >= 0 ? lanes[s->partner] : TW__NONE;
        tw__profile_add_interval(p, &(tw__interval_desc){ .lane = lanes[s->kernel],
                                                          .from = s->from,
                                                          .to = s->to,
                                                          .name = a->kernels[s->kernel]->name,
                                                          .cause = s->cause,
                                                          .partner = partner,
                                                          .file = places ? places[s->kernel].file : NULL,
                                                          .line = places ? places[s->kernel].line : 0 });
        if (s->cause) add_wait(&waits[s->kernel], s);
    }
    for (size_t i = 0; lanes && waits && i < a->kernel_count; i++)
        for (unsigned w = 0; w < waits[i].count; w++) {
            const tw__aie_span *s = &waits[i].sums[w];
            tw__profile_add_wait(p, (uint32_t)tw__aie_tile_of(a, a->kernels[i]), s->cause,
                                 s->partner >= 0 ? (uint32_t)tw__aie_tile_of(a, a->kernels[s->partner]) : TW__NONE,
                                 s->to);
        }
    add_holds(a, p);
    tw__profile_omit_intervals(p, a->spans_left_out);
    free(lanes), free(waits), free(places);
}
