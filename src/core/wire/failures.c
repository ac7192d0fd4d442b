/* SPDX-License-Identifier: MIT */
/* What goes wrong between ranks. Notices are messages outside of all calls: "I have failed", and "this is what I did
 * last", which a rank sends to one that it waits for, and which the receiver compares with its own calls. */
#include "core/wire/inside.h"

#include <glib.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024, LOOK_EVERY = 64 };

typedef struct failure {
    uint64_t position; /* UINT64_MAX: none */
    uint32_t rank;
    int32_t status;
    char text[TEXT];
} failure;

/* Kinds of notices. */
enum { NOTICE_CALLS = 1, NOTICE_FAILED };

typedef struct notice {
    uint32_t kind, epoch, count;
    failure failed;
    tw__wire_call calls[TW__WIRE_HISTORY];
} notice;

static struct {
    uint64_t position;
    uint32_t epoch;
    unsigned looked; /* calls of tw__wire_stopped() since it looked last */
    failure first;   /* the first failure of this epoch, of any rank */
    failure early;   /* of the next epoch, of a rank that is there already */
    bool broken;
    double patience;
    GSList *sent; /* notices under way */
    uint64_t begun, got;
    bool quiet; /* it sends no more of them */
} news = { .first = { .position = UINT64_MAX }, .early = { .position = UINT64_MAX }, .patience = 300 };

int tw__wire_data_tag(void)
{
    return TW__WIRE_TAG_DATA + (int)(news.epoch % TW__WIRE_EPOCHS);
}

void tw__wire_timeout(double seconds)
{
    news.patience = seconds;
}

double tw__wire_patience(void)
{
    return news.patience;
}

bool tw__wire_broken(void)
{
    return news.broken;
}

void tw__wire_break(void)
{
    news.broken = true;
}

void tw__wire_at(uint64_t position)
{
    news.position = position;
}

enum { NOT_IN_A_RUN = 0 };
static const uint64_t at_end = UINT64_MAX - 1; /* position of a rank whose program has ended */

void tw__wire_at_end(void)
{
    news.position = at_end;
}

/* --- notices -------------------------------------------------------------------------------------------------- */

typedef struct under_way {
    notice body; /* first, so that it is what is sent */
    void *request;
} under_way;

/* Those that have left are freed. */
static void reap(void)
{
    for (GSList *item = news.sent, *next; item; item = next) {
        under_way *sent = item->data;
        next = item->next;
        if (!tw__wire.row->done(sent->request)) continue;
        free(sent);
        news.sent = g_slist_delete_link(news.sent, item);
    }
}

/* Nobody waits for a notice: one that cannot be sent is left out, and the receiver finds out later. */
static void send_notice(unsigned peer, uint32_t kind)
{
    reap();
    under_way *sent = news.quiet ? NULL : tw__calloc(1, sizeof *sent);
    if (!sent) return;
    sent->body.kind = kind;
    sent->body.epoch = news.epoch;
    sent->body.failed = news.first;
    sent->body.count = (uint32_t)tw__wire_remembered(sent->body.calls);
    size_t size = kind == NOTICE_FAILED ? offsetof(notice, calls) : sizeof sent->body;
    sent->request = tw__wire.row->send((int)peer, TW__WIRE_TAG_CONTROL, &sent->body, size);
    if (sent->request)
        news.sent = g_slist_prepend(news.sent, sent), news.begun++;
    else
        free(sent);
}

void tw__wire_ask(unsigned peer)
{
    send_notice(peer, NOTICE_CALLS);
}

static void note_failure(failure *first, const failure *f)
{
    if (f->position < first->position || (f->position == first->position && f->rank < first->rank)) *first = *f;
}

tw_status tw__wire_notices(void)
{
    static notice got;
    int peer;
    while (tw__wire.row->poll(TW__WIRE_TAG_CONTROL, &peer, &got, sizeof got)) {
        news.got++;
        if (got.kind == NOTICE_FAILED && got.epoch == news.epoch + 1) note_failure(&news.early, &got.failed);
        if (got.epoch != news.epoch) continue; /* of a run that is over */
        if (got.kind == NOTICE_FAILED) note_failure(&news.first, &got.failed);
        /* in a run that fails somewhere each rank stops where it hears of it */
        bool fails = news.first.position != UINT64_MAX && news.position != NOT_IN_A_RUN;
        if (got.kind != NOTICE_CALLS || fails) continue;
        tw_status s = tw__wire_compare((unsigned)peer, got.calls, got.count);
        if (!s) continue;
        if (!news.broken) tw__wire_ask((unsigned)peer); /* so that it learns what this rank did */
        news.broken = true;
        return s;
    }
    if (news.first.position > news.position || news.first.rank == tw__wire.rank) return TW_OK;
    if (news.position != at_end) return tw__fail((tw_status)news.first.status, "%s", news.first.text);
    return tw__fail(TW_E_SYSTEM, "rank %u is at the end of the program, but rank %u has failed in a run: %s",
                    tw__wire.rank, news.first.rank, news.first.text);
}

static void add_left(void *mine, const void *theirs)
{
    uint64_t *a = mine, b;
    memcpy(&b, theirs, sizeof b);
    *a += b;
}

/* A rank adds its part when it sends none any more, so that the sum is 0 when all are received. */
tw_status tw__wire_last_notices(void)
{
    uint64_t left;
    news.quiet = true;
    do {
        tw_status s = tw__wire_notices();
        left = news.begun - news.got;
        if (!s) s = tw__wire_combine(TW__WIRE_HERE("the last notices"), &left, sizeof left, add_left);
        if (s) return s;
    } while (left);
    for (; news.sent; sched_yield()) reap();
    return TW_OK;
}

tw_status tw__wire_gives_up(unsigned peer, double seconds)
{
    news.broken = true;
    return tw__fail(TW_E_SYSTEM,
                    "rank %u has waited %.0f s for rank %u in %s; TILEWRIGHT_MPI_TIMEOUT or the option mpi.timeout "
                    "gives it more time",
                    tw__wire.rank, seconds, peer, tw__wire_now()->what);
}

/* --- failures of runs ------------------------------------------------------------------------------------------ */

void tw__wire_failed(tw_status status)
{
    if (tw__wire.size < 2 || news.broken) return;
    failure mine = { .position = news.position, .rank = tw__wire.rank, .status = status };
    g_strlcpy(mine.text, tw_error_message(), sizeof mine.text);
    note_failure(&news.first, &mine);
    for (unsigned peer = 0; peer < tw__wire.size; peer++)
        if (peer != tw__wire.rank) send_notice(peer, NOTICE_FAILED);
}

bool tw__wire_stopped(void)
{
    if (tw__wire.size < 2) return false;
    if (++news.looked % LOOK_EVERY == 0 && tw__wire_notices() != TW_OK) return true;
    return news.first.position <= news.position;
}

/* To rank 0 along a binary tree, and back. */
static tw_status agree_on(failure *f)
{
    unsigned rank = tw__wire.rank, size = tw__wire.size, bit;
    failure theirs;
    for (bit = 1; bit < size && !(rank & bit); bit <<= 1) {
        if (rank + bit >= size) continue;
        tw_status s = tw__wire_receive_plain(rank + bit, TW__WIRE_TAG_AGREE, &theirs, sizeof theirs);
        if (s) return s;
        if (theirs.position < f->position || (theirs.position == f->position && theirs.rank < f->rank)) *f = theirs;
    }
    if (rank) {
        tw_status s = tw__wire_send_plain(rank - bit, TW__WIRE_TAG_AGREE, f, sizeof *f);
        if (!s) s = tw__wire_receive_plain(rank - bit, TW__WIRE_TAG_AGREE, f, sizeof *f);
        if (s) return s;
    }
    for (bit >>= 1; bit; bit >>= 1) {
        tw_status s = rank + bit < size ? tw__wire_send_plain(rank + bit, TW__WIRE_TAG_AGREE, f, sizeof *f) : TW_OK;
        if (s) return s;
    }
    return TW_OK;
}

tw_status tw__wire_agree(tw_status mine)
{
    if (tw__wire.size < 2) return mine;
    if (news.broken) return mine ? mine : tw__wire_usable();
    bool first = news.position < news.first.position ||
                 (news.position == news.first.position && tw__wire.rank < news.first.rank);
    if (mine && first) tw__wire_failed(mine);
    if (!mine && news.first.position == UINT64_MAX) tw__wire_count(TW__WIRE_HERE("the end of a run"), 0);
    failure f = news.first;
    news.position = 0; /* known failures do not end this */
    tw_status s = agree_on(&f);
    if (s) return s;
    news.position = 0;
    if (f.position == UINT64_MAX) return TW_OK;
    news.first = news.early;
    news.early = (failure){ .position = UINT64_MAX };
    news.epoch++;
    tw__wire_calls_reset();
    return tw__fail((tw_status)f.status, "%s", f.text);
}
