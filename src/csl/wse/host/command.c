/* SPDX-License-Identifier: MIT */
/* command: the queue between the host and the wafer. */
#include "csl/wse/host/host.h"

#include "core/wire/wire.h"

#include <stdlib.h>
#include <string.h>

void tw__command_free(void *command)
{
    tw__command *c = command;
    if (!c) return;
    if (c->kind == TW__COMMAND_WRITE || c->kind == TW__COMMAND_SEND) free(c->words);
    free(c->ends);
    free(c->row);
    free(c);
}

static size_t share_count(const tw__command *c)
{
    return c->single ? 1 : tw__copy_shares(&c->copy);
}

static tw__share share_of(const tw__command *c, size_t k)
{
    return c->single ? (tw__share){ .x = c->copy.x, .y = c->copy.y, .step = 1 } : tw__copy_share(&c->copy, k);
}

/* --- memory --------------------------------------------------------------------------------------------------- */

/* Copies wait for the functions that were launched before on the PEs concerned. */
static bool launches_over(tw_wse *w, tw__command *c)
{
    for (size_t n = share_count(c); c->cursor < n; c->cursor++) {
        tw__share s = share_of(c, c->cursor);
        if (tw__wse_commands(w->fabric, s.x, s.y)) break;
    }
    return tw__wse_all_agree(w->fabric, c->cursor == share_count(c));
}

/* Of the words of a command those that one rank has read: written to `out`, or taken from `in`. */
static void words_of_rank(const tw_wse *w, tw__command *c, unsigned rank, uint32_t *out, const uint32_t *in)
{
    size_t n = share_count(c), at = 0;
    for (size_t k = 0; k < n; k++) {
        tw__share s = share_of(c, k);
        if (tw__wse_owner(w->fabric, s.y) != rank) continue;
        for (size_t i = 0; i < c->copy.elements; i++, at++) {
            uint32_t *word = &c->words[s.first + i * s.step];
            if (out)
                out[at] = *word;
            else
                *word = in[at];
        }
    }
}

typedef struct hearing {
    tw_wse *w;
    tw__command *c;
} hearing;

static void take_words(void *user, unsigned rank, const char *bytes, size_t size)
{
    hearing *h = user;
    (void)size;
    words_of_rank(h->w, h->c, rank, NULL, (const uint32_t *)(const void *)bytes);
}

/* Every rank gets what all of them have read. */
static tw_status hear_words(tw_wse *w, tw__command *c)
{
    if (tw__wse_ranks(w->fabric) == 1) return TW_OK;
    size_t mine = 0;
    for (size_t k = 0, n = share_count(c); k < n; k++)
        mine += tw__wse_is_here(w->fabric, share_of(c, k).x, share_of(c, k).y) ? c->copy.elements : 0;
    uint32_t *words = tw__calloc(mine + 1, sizeof *words);
    tw_status status = words ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory for what PEs were asked for");
    if ((status = tw__wire_agree(status)) == TW_OK) {
        words_of_rank(w, c, tw__wire_rank(), words, NULL);
        status = tw__wse_gather(w->fabric, words, mine * sizeof *words, take_words, &(hearing){ w, c });
    }
    free(words);
    return status;
}

static tw_status copy_share(tw_wse *w, tw__command *c, tw__share s)
{
    const char *name = w->image->exports[c->copy.symbol].name;
    unsigned item = c->copy.half ? 2 : 4;
    uint64_t bytes = (uint64_t)c->copy.elements * item;
    uint32_t address, room;
    if (!tw__host_target(w, s.x, s.y, c->copy.symbol, &address, &room))
        return tw__fail(TW_E_SYMBOL, "the program of PE (%u, %u) does not export '%s'", s.x, s.y, name);
    if (address + bytes > TW__CSL_PE_BYTES || bytes > room)
        return tw__fail(TW_E_INDEX, "PE (%u, %u): %u elements of %u bytes do not fit where '%s' points: %u bytes",
                        s.x, s.y, c->copy.elements, item, name, room);
    uint8_t *memory = tw__wse_memory(w->fabric, s.x, s.y) + address;
    for (size_t k = 0; k < c->copy.elements; k++) {
        uint32_t *word = &c->words[s.first + k * s.step];
        uint8_t *at = memory + k * item;
        if (c->kind == TW__COMMAND_WRITE)
            for (unsigned b = 0; b < item; b++) at[b] = (uint8_t)(*word >> (8 * b));
        else
            for (unsigned b = *word = 0; b < item; b++) *word |= (uint32_t)at[b] << (8 * b);
    }
    return TW_OK;
}

static tw_status copy_memory(tw_wse *w, tw__command *c)
{
    tw_status status = TW_OK;
    for (size_t k = 0, n = share_count(c); k < n && status == TW_OK; k++) {
        tw__share s = share_of(c, k);
        if (tw__wse_is_here(w->fabric, s.x, s.y)) status = copy_share(w, c, s);
    }
    status = tw__wire_agree(status);
    if (status == TW_OK && c->kind == TW__COMMAND_READ) status = hear_words(w, c);
    c->done = status == TW_OK;
    return status;
}

/* --- streams -------------------------------------------------------------------------------------------------- */

static uint64_t *pushed(tw_wse *w, tw__share s, unsigned port, unsigned color)
{
    uint64_t key = (((uint64_t)s.y * w->image->width + s.x) << 16) | port << 8 | color;
    uint64_t *total = g_hash_table_lookup(w->pushed, &key);
    if (total) return total;
    total = g_new0(uint64_t, 1);
    uint64_t *owned = g_new(uint64_t, 1);
    *owned = key;
    g_hash_table_insert(w->pushed, owned, total);
    return total;
}

static tw_status issue_send(tw_wse *w, tw__command *c)
{
    size_t n = share_count(c);
    uint32_t *row = tw__calloc(c->copy.elements + 1, sizeof *row);
    c->ends = tw__calloc(n + 1, sizeof *c->ends);
    bool ok = row && c->ends;
    for (size_t k = 0; ok && k < n; k++) {
        tw__share s = share_of(c, k);
        for (size_t i = 0; i < c->copy.elements; i++) row[i] = c->words[s.first + i * s.step];
        ok = tw__wse_send(w->fabric, s.x, s.y, c->port, c->color, row, c->copy.elements, false);
        uint64_t *total = pushed(w, s, c->port, c->color);
        c->ends[k] = *total += c->copy.elements;
    }
    free(row);
    return tw__wire_agree(
        ok ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory for a stream of %zu words", n * c->copy.elements));
}

static void finish_send(tw_wse *w, tw__command *c)
{
    for (size_t n = share_count(c); c->cursor < n; c->cursor++) {
        tw__share s = share_of(c, c->cursor);
        uint64_t left = tw__wse_unsent(w->fabric, s.x, s.y, c->port, c->color);
        if (*pushed(w, s, c->port, c->color) - left < c->ends[c->cursor]) break;
    }
    c->done = tw__wse_all_agree(w->fabric, c->cursor == share_count(c));
}

static tw_status finish_receive(tw_wse *w, tw__command *c)
{
    if (!c->row) { /* one that waited behind another of its color was issued without */
        c->row = tw__calloc(c->copy.elements + 1, sizeof *c->row);
        tw_status status = tw__wire_agree(c->row ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory for a stream"));
        if (status != TW_OK) return status;
    }
    for (size_t n = share_count(c); c->cursor < n; c->cursor++) {
        tw__share s = share_of(c, c->cursor);
        if (!tw__wse_is_here(w->fabric, s.x, s.y)) continue;
        if (tw__wse_received(w->fabric, s.x, s.y, c->port, c->color) < c->copy.elements) break;
        tw__wse_take(w->fabric, s.x, s.y, c->port, c->color, c->row, c->copy.elements);
        for (size_t i = 0; i < c->copy.elements; i++) c->words[s.first + i * s.step] = c->row[i];
    }
    c->done = tw__wse_all_agree(w->fabric, c->cursor == share_count(c));
    return c->done ? hear_words(w, c) : TW_OK;
}

static uint64_t moved_of_share(const tw_wse *w, const tw__command *c, size_t k)
{
    const uint64_t all = c->copy.elements;
    tw__share s = share_of(c, k);
    if (k < c->cursor) return all;
    if (c->kind == TW__COMMAND_RECEIVE) return MIN(tw__wse_received(w->fabric, s.x, s.y, c->port, c->color), all);
    uint64_t left = tw__wse_unsent(w->fabric, s.x, s.y, c->port, c->color); /* those of later streams, too */
    return left < all ? all - left : 0;
}

void tw__host_moved(const tw_wse *w, const tw__command *c, uint64_t *words, uint64_t *all)
{
    enum { SAMPLE = 32 };
    *words = *all = 0;
    if (!c->issued || (c->kind != TW__COMMAND_SEND && c->kind != TW__COMMAND_RECEIVE)) return;
    size_t n = share_count(c), asked = 0, every = n / SAMPLE + 1;
    uint64_t sum = 0;
    for (size_t k = 0; k < n; k += every) {
        tw__share s = share_of(c, k);
        if (!tw__wse_is_here(w->fabric, s.x, s.y)) continue;
        sum += moved_of_share(w, c, k);
        asked++;
    }
    *all = (uint64_t)n * c->copy.elements;
    *words = asked ? (uint64_t)((double)sum / (double)asked * (double)n) : 0;
}

/* --- functions ------------------------------------------------------------------------------------------------ */

static bool function_of(const tw_wse *w, const tw__csl_pe *pe, int export, uint32_t *function)
{
    if (pe->program >= w->image->program_count) return false;
    const tw__csl_program *p = &w->image->programs[pe->program];
    for (size_t i = 0; i < p->export_count; i++)
        if (p->exports[i].is_function && (int)p->exports[i].name == export)
            return *function = p->exports[i].target, true;
    return false;
}

static tw_status issue_launch(tw_wse *w, tw__command *c)
{
    const tw__csl_image *image = w->image;
    unsigned count = image->exports[c->export].param_count;
    c->ends = tw__calloc(image->pe_count + 1, sizeof *c->ends);
    bool any = false, ok = c->ends != NULL;
    for (size_t i = 0; i < image->pe_count && ok; i++) {
        uint32_t function;
        if (function_of(w, &image->pes[i], c->export, &function)) {
            any = true;
            w->launched[i]++;
            ok = tw__wse_launch(w->fabric, (unsigned)(i % image->width), (unsigned)(i / image->width), function,
                                c->args, count);
        }
        c->ends[i] = w->launched[i];
    }
    const char *name = image->exports[c->export].name;
    tw_status status = tw__wire_agree(ok ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory to launch '%s'", name));
    if (status != TW_OK) return status;
    return any ? TW_OK
               : tw__fail(TW_E_SYMBOL, "no PE has the function '%s': it was never given to @export_symbol", name);
}

static void finish_launch(tw_wse *w, tw__command *c)
{
    for (; c->cursor < w->image->pe_count; c->cursor++) {
        unsigned x = (unsigned)(c->cursor % w->image->width), y = (unsigned)(c->cursor / w->image->width);
        if (w->launched[c->cursor] - tw__wse_commands(w->fabric, x, y) < c->ends[c->cursor]) break;
    }
    c->done = tw__wse_all_agree(w->fabric, c->cursor == w->image->pe_count);
}

/* What the host does next takes its time to reach the PEs: programs that open the command stream while wavelets are
 * still under way rely on it. Assumed (a real link takes longer); less when nothing moves on the wafer. */
#define HOST_LATENCY 1000u

static bool settled(const tw_wse *w)
{
    return tw__wse_cycle(w->fabric) >= w->settled || tw__wse_quiet(w->fabric);
}

/* A stream to the PEs that was given before has not arrived; copies come after it. */
static bool stream_under_way(const tw_wse *w, const tw__command *before)
{
    for (guint i = 0; i < w->queue->len && w->queue->pdata[i] != before; i++) {
        const tw__command *c = w->queue->pdata[i];
        if (c->kind == TW__COMMAND_SEND && !c->done) return !tw__wse_quiet(w->fabric);
    }
    return false;
}

/* A function that was launched before is not over yet: the next one queues up behind it at each PE. */
static bool launch_under_way(const tw_wse *w)
{
    const tw__command *c = w->queue->len ? w->queue->pdata[0] : NULL;
    for (guint i = 0; c && c->issued; c = ++i < w->queue->len ? w->queue->pdata[i] : NULL)
        if (c->kind == TW__COMMAND_LAUNCH && !c->done) return true;
    return false;
}

/* --- the queue ------------------------------------------------------------------------------------------------ */

/* True when the commands after it may be looked at. `receiving`: colors that an earlier command still receives. */
static bool command_step(tw_wse *w, tw__command *c, uint32_t *receiving)
{
    tw_status status = TW_OK;
    uint32_t color = 1u << (c->color & 31);
    switch (c->kind) {
    case TW__COMMAND_WRITE:
    case TW__COMMAND_READ:
        if (!launches_over(w, c) || stream_under_way(w, c) || !settled(w)) return false;
        status = copy_memory(w, c);
        break;
    case TW__COMMAND_SEND:
        if (!c->issued) status = issue_send(w, c);
        if (status == TW_OK) finish_send(w, c);
        break;
    case TW__COMMAND_RECEIVE:
        if (!(*receiving & color)) status = finish_receive(w, c);
        if (!c->done) *receiving |= color;
        break;
    case TW__COMMAND_LAUNCH:
        if (!c->issued && !launch_under_way(w) && !settled(w)) return false;
        if (!c->issued) status = issue_launch(w, c);
        if (status == TW_OK) finish_launch(w, c);
        break;
    }
    c->issued = true;
    if (c->done) tw__host_note_done(w, c);
    if (c->done && c->kind >= TW__COMMAND_SEND) w->settled = tw__wse_cycle(w->fabric) + HOST_LATENCY;
    if (status != TW_OK) w->failed = status;
    return status == TW_OK;
}

bool tw__host_advance(tw_wse *w)
{
    uint32_t receiving = 0;
    bool any = false;
    for (guint i = 0; i < w->queue->len && w->failed == TW_OK; i++) {
        tw__command *c = w->queue->pdata[i];
        bool more = command_step(w, c, &receiving);
        any = any || c->done;
        if (!more) break;
    }
    guint kept = 0;
    for (guint i = 0; any && i < w->queue->len; i++) {
        tw__command *c = w->queue->pdata[i];
        if (c->done)
            tw__command_free(c);
        else
            w->queue->pdata[kept++] = c;
    }
    if (any) g_ptr_array_set_size(w->queue, (gint)kept);
    return w->queue->len == 0;
}

/* Words of the command's array, to the device or from it. */
static size_t word_count(const tw__command *c)
{
    return c->kind == TW__COMMAND_LAUNCH ? 0 : c->single ? c->copy.elements : tw_wse_copy_words(&c->copy);
}

tw_status tw__host_enqueue(tw_wse *w, tw__command *c, tw_wse_task *task)
{
    bool able = !w->stopped && w->failed == TW_OK;
    if (!able || (w->journal && tw__host_call(w, tw__host_command_mark(c, word_count(c))) != TW_OK)) {
        tw__command_free(c);
        return w->stopped ? tw__fail(TW_E_INVALID_ARGUMENT, "the wafer was stopped: no more commands") : w->failed;
    }
    c->task = ++w->last_task;
    g_ptr_array_add(w->queue, c);
    if (task) {
        *task = c->task;
        return TW_OK;
    }
    return tw__host_wait(w, c->task);
}
