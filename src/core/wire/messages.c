/* SPDX-License-Identifier: MIT */
/* Messages between ranks. Each has the call it belongs to in front: the receiver sees whether both mean the same.
 * Calls of all ranks (broadcast, reductions, barrier) go along a binary tree of such messages. */
#include "core/wire/inside.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAD = sizeof(tw__wire_call) };
static_assert(HEAD % 64 == 0, "what follows is aligned");

/* --- waiting --------------------------------------------------------------------------------------------------- */

/* Spins, since most messages are there at once; then lets other ranks of this machine work; then sleeps. */
static void pause_for(unsigned tries)
{
    if (tries > 20000)
        nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    else if (tries > 200)
        sched_yield();
}

/* Asks `peer` what it did, and waits for the first call that differs; TW_OK: it says nothing within that time. */
static tw_status hear_difference(unsigned peer, double seconds)
{
    tw__wire_ask(peer);
    double until = tw__seconds() + seconds;
    tw_status s = TW_OK;
    while (!s && tw__seconds() < until) {
        s = tw__wire_notices();
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return s;
}

/* MPI failed: the peer is gone, or it sent what is longer than what this rank waits for. */
static tw_status wire_lost(unsigned peer)
{
    char why[512];
    snprintf(why, sizeof why, "%s", tw__wire.row->problem());
    tw_status s = hear_difference(peer, 1);
    if (!s) s = tw__fail(TW_E_SYSTEM, "rank %u has lost rank %u: %s", tw__wire.rank, peer, why);
    tw__wire_break();
    return s;
}

tw_status tw__wire_wait(void *request, unsigned peer)
{
    if (!request)
        return tw__fail(TW_E_SYSTEM, "rank %u cannot talk to rank %u: %s", tw__wire.rank, peer,
                        tw__wire.row->problem());
    double begin = 0, asked = 0;
    unsigned missing = TW__WIRE_NONE_MISSING;
    for (unsigned tries = 1;; tries++) {
        int done = tw__wire.row->done(request);
        if (done > 0) return TW_OK;
        if (done < 0) return wire_lost(peer);
        if (tries % 256 == 0) {
            double now = tw__seconds();
            if (begin == 0) begin = asked = now;
            tw_status s = tw__wire_notices();
            if (!s && tw__wire_patience() > 0 && now - begin > tw__wire_patience())
                s = tw__wire_gives_up(peer, now - begin);
            if (s) {
                tw__wire.row->drop(request);
                return s;
            }
            if (now - asked > 1) {
                tw__wire_ask(peer), asked = now;
                if ((s = tw__wire_look_for_others(&missing))) return tw__wire.row->drop(request), s;
            }
        }
        pause_for(tries);
    }
}

tw_status tw__wire_send_plain(unsigned peer, int tag, const void *bytes, size_t size)
{
    return tw__wire_wait(tw__wire.row->send((int)peer, tag, bytes, size), peer);
}

tw_status tw__wire_receive_plain(unsigned peer, int tag, void *bytes, size_t size)
{
    return tw__wire_wait(tw__wire.row->receive((int)peer, tag, bytes, size), peer);
}

/* --- one call -------------------------------------------------------------------------------------------------- */

/* What came from `peer` belongs to another call: both sides learn from each other which was the first to differ. */
static tw_status call_differs(unsigned peer, const tw__wire_call *theirs)
{
    tw_status s = hear_difference(peer, 2);
    if (!s) s = tw__wire_compare(peer, theirs, 1);
    if (!s)
        s = tw__fail(TW_E_SYSTEM, "ranks %u and %u do different things: %s on rank %u, but %s on rank %u",
                     tw__wire.rank, peer, tw__wire_now()->what, tw__wire.rank, theirs->what, peer);
    tw__wire_break();
    return s;
}

static tw_status check_call(unsigned peer, const char *message)
{
    tw__wire_call theirs;
    memcpy(&theirs, message, sizeof theirs);
    const tw__wire_call *mine = tw__wire_now();
    return theirs.number == mine->number && theirs.hash == mine->hash ? TW_OK : call_differs(peer, &theirs);
}

/* Room for the messages of one exchange; kept for the next one. */
static struct {
    char *block, *bytes; /* as allocated; the same, aligned */
    size_t size;
    void **requests;
    size_t request_room;
} room;

static tw_status messages_reserve(size_t bytes, size_t requests)
{
    if (bytes > room.size) {
        free(room.block);
        room.size = 0;
        room.block = bytes < SIZE_MAX - 64 ? tw__realloc(NULL, bytes + 64) : NULL;
        if (!room.block) return tw__fail(TW_E_NO_MEMORY, "no memory for messages of %zu bytes", bytes);
        room.bytes = room.block + (64 - (uintptr_t)room.block % 64);
        room.size = bytes;
    }
    while (requests > room.request_room)
        if (!tw__grow(&room.requests, &room.request_room, room.request_room, sizeof(void *)))
            return tw__fail(TW_E_NO_MEMORY, "no memory for messages");
    return TW_OK;
}

static size_t message_bytes(const tw__wire_part *part)
{
    return (size_t)tw__align_up(HEAD + part->bytes, 64);
}

/* Others may not take what was sent: it stays where it is, and the room is given up. A failure is rare, and ends what
 * would need the memory. */
static void abandon(size_t begun, size_t done)
{
    for (size_t i = done; i < begun; i++)
        if (room.requests[i]) tw__wire.row->drop(room.requests[i]);
    room.block = NULL;
    room.size = 0;
}

static tw_status exchange(const tw__wire_part *out, size_t outs, const tw__wire_part *in, size_t ins,
                          tw__wire_pack *pack, tw__wire_unpack *unpack, void *user)
{
    size_t bytes = 0, at = 0, begun = 0;
    for (size_t i = 0; i < ins; i++) bytes += message_bytes(&in[i]);
    for (size_t i = 0; i < outs; i++) bytes += message_bytes(&out[i]);
    tw_status s = messages_reserve(bytes, ins + outs);
    if (s) return s;
    int tag = tw__wire_data_tag();
    for (size_t i = 0; i < ins; at += message_bytes(&in[i++]))
        room.requests[begun++] = tw__wire.row->receive((int)in[i].peer, tag, room.bytes + at, HEAD + in[i].bytes);
    for (size_t i = 0; i < outs; at += message_bytes(&out[i++])) {
        memcpy(room.bytes + at, tw__wire_now(), HEAD);
        pack(user, out[i].index, room.bytes + at + HEAD);
        room.requests[begun++] = tw__wire.row->send((int)out[i].peer, tag, room.bytes + at, HEAD + out[i].bytes);
    }
    at = 0;
    for (size_t i = 0; i < ins + outs && !s; i++) {
        const tw__wire_part *part = i < ins ? &in[i] : &out[i - ins];
        s = tw__wire_wait(room.requests[i], part->peer);
        if (s) abandon(begun, i + 1);
        if (!s && i < ins && (s = check_call(part->peer, room.bytes + at))) abandon(begun, i + 1);
        if (!s && i < ins) unpack(user, part->index, room.bytes + at + HEAD);
        at += message_bytes(part);
    }
    return s;
}

static pthread_t starter;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void note_starter(void)
{
    starter = pthread_self();
}

tw_status tw__wire_usable(void)
{
    pthread_once(&once, note_starter);
    if (tw__wire_broken())
        return tw__fail(TW_E_SYSTEM,
                        "ranks cannot talk to each other any more, after an earlier failure or the end of MPI");
    if (!pthread_equal(starter, pthread_self()))
        return tw__fail(TW_E_NOT_SUPPORTED,
                        "with several ranks, one thread makes all calls of engines: the one that made the first");
    return TW_OK;
}

static tw_status call_begin(tw__wire_site site, uint64_t value)
{
    tw_status s = tw__wire_usable();
    if (!s) tw__wire_count(site, value);
    return s;
}

tw_status tw__wire_exchange(tw__wire_site site, uint64_t value, const tw__wire_part *out, size_t outs,
                            const tw__wire_part *in, size_t ins, tw__wire_pack *pack, tw__wire_unpack *unpack,
                            void *user)
{
    if (tw__wire.size < 2) return TW_OK;
    tw_status s = call_begin(site, value);
    return s || outs + ins == 0 ? s : exchange(out, outs, in, ins, pack, unpack, user);
}

/* --- all ranks ------------------------------------------------------------------------------------------------- */

typedef struct payload {
    void *bytes;
    size_t size;
    void (*combine)(void *mine, const void *theirs); /* NULL: theirs takes its place */
} payload;

static void payload_pack(void *user, uint32_t index, char *to)
{
    const payload *p = user;
    (void)index;
    if (p->size) memcpy(to, p->bytes, p->size);
}

static void payload_unpack(void *user, uint32_t index, const char *bytes)
{
    const payload *p = user;
    (void)index;
    if (p->combine)
        p->combine(p->bytes, bytes);
    else if (p->size)
        memcpy(p->bytes, bytes, p->size);
}

static tw_status tree_give(payload *p, unsigned peer)
{
    tw__wire_part part = { .peer = peer, .bytes = p->size };
    return exchange(&part, 1, NULL, 0, payload_pack, payload_unpack, p);
}

static tw_status tree_take(payload *p, unsigned peer)
{
    tw__wire_part part = { .peer = peer, .bytes = p->size };
    return exchange(NULL, 0, &part, 1, payload_pack, payload_unpack, p);
}

/* From `root` to all: rank r of the tree is rank (r + root) % size. */
static tw_status tree_down(payload p, unsigned root)
{
    unsigned size = tw__wire.size, rank = (tw__wire.rank + size - root) % size, bit = 1;
    p.combine = NULL;
    while (bit < size && !(rank & bit)) bit <<= 1;
    tw_status s = rank ? tree_take(&p, (rank - bit + root) % size) : TW_OK;
    for (bit >>= 1; bit && !s; bit >>= 1)
        if (rank + bit < size) s = tree_give(&p, (rank + bit + root) % size);
    return s;
}

static tw_status tree_up(payload p) /* to rank 0 */
{
    unsigned size = tw__wire.size, rank = tw__wire.rank;
    tw_status s = TW_OK;
    for (unsigned bit = 1; bit < size && !s; bit <<= 1) {
        if (rank & bit) return tree_give(&p, rank - bit);
        if (rank + bit < size) s = tree_take(&p, rank + bit);
    }
    return s;
}

/* Every rank with the one whose number differs in one bit, one bit after the other: half as many messages one after
 * the other as up a tree and down again, where there are as many ranks as such numbers. */
static tw_status butterfly(payload p)
{
    tw_status s = TW_OK;
    for (unsigned bit = 1; bit < tw__wire.size && !s; bit <<= 1) {
        tw__wire_part part = { .peer = tw__wire.rank ^ bit, .bytes = p.size };
        s = exchange(&part, 1, &part, 1, payload_pack, payload_unpack, &p);
    }
    return s;
}

static tw_status reduce(tw__wire_site site, payload p)
{
    if (tw__wire.size < 2) return TW_OK;
    tw_status s = call_begin(site, p.size);
    if (!s && (tw__wire.size & (tw__wire.size - 1)) == 0) return butterfly(p);
    if (!s) s = tree_up(p);
    return s ? s : tree_down(p, 0);
}

tw_status tw__wire_broadcast(tw__wire_site site, unsigned root, void *bytes, size_t size)
{
    if (tw__wire.size < 2) return TW_OK;
    tw_status s = call_begin(site, size);
    return s ? s : tree_down((payload){ .bytes = bytes, .size = size }, root);
}

static void and_both(void *mine, const void *theirs)
{
    bool *a = mine, b;
    memcpy(&b, theirs, sizeof b);
    *a = *a && b;
}

tw_status tw__wire_all_and(tw__wire_site site, bool *value)
{
    return reduce(site, (payload){ .bytes = value, .size = sizeof *value, .combine = and_both });
}

static void take_least(void *mine, const void *theirs)
{
    uint64_t *a = mine, b;
    memcpy(&b, theirs, sizeof b);
    if (b < *a) *a = b;
}

tw_status tw__wire_all_min(tw__wire_site site, uint64_t *value)
{
    return reduce(site, (payload){ .bytes = value, .size = sizeof *value, .combine = take_least });
}

tw_status tw__wire_combine(tw__wire_site site, void *bytes, size_t size,
                           void (*combine)(void *mine, const void *theirs))
{
    return reduce(site, (payload){ .bytes = bytes, .size = size, .combine = combine });
}

static void combine_nothing(void *mine, const void *theirs)
{
    (void)mine, (void)theirs;
}

tw_status tw__wire_barrier(tw__wire_site site)
{
    return reduce(site, (payload){ .combine = combine_nothing });
}
