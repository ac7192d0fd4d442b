/* SPDX-License-Identifier: MIT */
/* fifo_queue: the queues of a block and the handshake around them.
 *
 * Every core counts what it has pushed, popped and freed; slot n of a queue lies at n modulo the number of slots, and
 * the counters alone say whether it is full or free. Producers hear of freed slots in batches of `period`. */
#include "pto/grid/grid.h"

#include <stdlib.h>

void tw__pto_free_queues(tw__block *block)
{
    while (block->queues) {
        tw__queue *q = block->queues;
        block->queues = q->next;
        if (q->own_memory) free(q->memory);
        free(q->slot);
        free(q);
    }
    free(block->intra);
    block->intra = NULL;
}

static unsigned core_bit(const tw_pto *core)
{
    return 1u << core->seat->number;
}

static tw__queue *new_queue(tw_pto *core, const tw_pto_fifo *f)
{
    tw__seat *seat = core->seat;
    tw__queue *q = tw__calloc(1, sizeof *q);
    bool whole = core->identity.kind == TW_PTO_WHOLE;
    unsigned vectors = whole ? 1u : f->first_vector_only ? 2u : ((1u << core->identity.sub_blocks) - 1) << 1;
    if (q) q->slot = tw__calloc(f->slots, sizeof *q->slot);
    if (q) q->memory = f->memory ? f->memory : tw__calloc(f->slots, f->slot_bytes);
    if (!q || !q->slot || !q->memory) {
        if (q && !f->memory) free(q->memory);
        if (q) free(q->slot);
        free(q);
        tw__fail(TW_E_NO_MEMORY, "no memory for a FIFO of %u slots of %u bytes", f->slots, f->slot_bytes);
        return NULL;
    }
    bool down = f->direction == TW_PTO_CUBE_TO_VECTOR;
    q->as = *f;
    q->own_memory = !f->memory;
    q->producers = down ? 1u : vectors;
    q->consumers = down ? vectors : 1u;
    q->next = seat->block->queues;
    return seat->block->queues = q;
}

/* The queue, made by whoever comes first; `producing` is the side that the caller acts on. */
tw_status tw__queue_of(tw__pto_call *call, bool producing, tw__queue **out)
{
    const tw_pto_fifo *f = call->operand[0].object;
    tw_pto *core = call->core;
    if (!tw__pto_seat(core)) return TW_E_NO_MEMORY;
    tw__queue *q = core->seat->block->queues;
    while (q && (q->as.id != f->id || q->as.direction != f->direction)) q = q->next;
    if (!q && !(q = new_queue(core, f))) return TW_E_NO_MEMORY;
    if (q->as.slots != f->slots || q->as.slot_bytes != f->slot_bytes ||
        q->as.first_vector_only != f->first_vector_only)
        return tw__pto_refuse(call, 0, "fifo.same",
                              "FIFO %u is %u slots of %u bytes here and %u of %u elsewhere in the block", f->id,
                              f->slots, f->slot_bytes, q->as.slots, q->as.slot_bytes);
    if (!((producing ? q->producers : q->consumers) & core_bit(core)))
        return tw__pto_refuse(call, 0, "fifo.core", "a %s%s cannot %s a FIFO from %s%s",
                              tw__pto_kind_name(core->identity.kind), core->identity.sub_block ? " 1" : "",
                              producing ? "push to" : "pop from",
                              f->direction == TW_PTO_CUBE_TO_VECTOR ? "cube to vector" : "vector to cube",
                              f->first_vector_only ? " that is the first vector core's alone" : "");
    *out = q;
    return TW_OK;
}

static unsigned period_of(const tw__queue *q)
{
    return q->as.slots <= 2 ? q->as.slots : q->as.slots / 2;
}

static uint64_t least(const uint64_t counts[TW__BLOCK_CORES], unsigned cores)
{
    uint64_t low = UINT64_MAX;
    for (unsigned c = 0; c < TW__BLOCK_CORES; c++)
        if (cores >> c & 1 && counts[c] < low) low = counts[c];
    return low;
}

tw__queue_slot *tw__queue_at(const tw__queue *q, uint64_t n)
{
    return &q->slot[n % q->as.slots];
}

void tw__queue_pass(tw__queue *q)
{
    for (unsigned c = 0; c < TW__BLOCK_CORES; c++) {
        if (!(q->consumers >> c & 1)) continue;
        uint64_t there = least(q->pushed, q->producers);
        while (q->popped[c] < there && tw__queue_at(q, q->popped[c])->skipped >> c & 1) q->popped[c]++;
        while (q->freed[c] < q->popped[c] && tw__queue_at(q, q->freed[c])->skipped >> c & 1) q->freed[c]++;
    }
}

static bool can_push(const tw_pto *core, const void *what)
{
    const tw__queue *q = what;
    uint64_t heard = least(q->freed, q->consumers) / period_of(q) * period_of(q);
    return q->pushed[core->seat->number] < heard + q->as.slots;
}

static bool can_pop(const tw_pto *core, const void *what)
{
    const tw__queue *q = what;
    return least(q->pushed, q->producers) > q->popped[core->seat->number];
}

static void tell_queue(const tw__queue *q, GString *text)
{
    g_string_append_printf(text, "FIFO %u (%s, %u slots of %u bytes)", q->as.id,
                           q->as.direction == TW_PTO_CUBE_TO_VECTOR ? "cube to vector" : "vector to cube",
                           q->as.slots, q->as.slot_bytes);
}

static void tell_push(const tw_pto *core, const void *what, GString *text)
{
    char name[64];
    const tw__queue *q = what;
    g_string_append_printf(text, "for a free slot to push number %llu into ",
                           (unsigned long long)q->pushed[core->seat->number] + 1);
    tell_queue(q, text);
    for (unsigned c = 0; c < TW__BLOCK_CORES; c++) {
        const tw_pto *other = q->consumers >> c & 1 ? tw__pto_mate(core, c) : NULL;
        if (!other) continue;
        g_string_append_printf(text, "; %s has popped %llu and freed %llu", tw_pto_core_name(other, name),
                               (unsigned long long)q->popped[c], (unsigned long long)q->freed[c]);
        if (q->freed[c] % period_of(q)) g_string_append_printf(text, " (told in steps of %u)", period_of(q));
        if (other->seat->ended) g_string_append(text, " and has ended");
    }
}

static void tell_pop(const tw_pto *core, const void *what, GString *text)
{
    char name[64];
    const tw__queue *q = what;
    uint64_t n = q->popped[core->seat->number];
    g_string_append_printf(text, "for data number %llu of ", (unsigned long long)n + 1);
    tell_queue(q, text);
    for (unsigned c = 0; c < TW__BLOCK_CORES; c++) {
        const tw_pto *other = q->producers >> c & 1 ? tw__pto_mate(core, c) : NULL;
        if (!other || q->pushed[c] > n) continue;
        g_string_append_printf(text, "; %s has pushed %llu%s", tw_pto_core_name(other, name),
                               (unsigned long long)q->pushed[c], other->seat->ended ? " and has ended" : "");
    }
}

/* Waits for the slot of this core's next push; the pipe that fills it starts no earlier than the slot was given back.
 * */
tw_status tw__queue_wait_room(tw__pto_call *call, tw__queue *q, tw_pto_pipe pipe)
{
    tw_pto *core = call->core;
    uint64_t n = q->pushed[core->seat->number], period = period_of(q);
    tw_status status = tw__pto_wait(core, (tw__wait){ can_push, tell_push, q });
    if (status != TW_OK || n < q->as.slots) return status;
    uint64_t told = (n - q->as.slots) / period * period + period - 1; /* the free that told about slot n - slots */
    tw__pto_delay(core, pipe, tw__queue_at(q, told)->free_at, "full FIFO", NULL, TW__NO_ID);
    return TW_OK;
}

tw_status tw__queue_wait_data(tw__pto_call *call, tw__queue *q, tw_pto_pipe pipe)
{
    tw_status status = tw__pto_wait(call->core, (tw__wait){ can_pop, tell_pop, q });
    if (status == TW_OK)
        tw__pto_delay(call->core, pipe, tw__queue_at(q, q->popped[call->core->seat->number])->ready_at,
                      "empty FIFO", NULL, TW__NO_ID);
    return status;
}
