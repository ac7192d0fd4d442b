/* SPDX-License-Identifier: MIT */
/* mail: messages of <message_passing>. How the vendor's library leads a message through its five colors is not
 * public, so messages go beside the routers: along the row, then along the column, one wavelet a cycle, HOP cycles
 * for each PE on the way, none in the way of another. Each PE has one message of its own under way; the next one
 * stays in the output queue until the receiver has taken all of it.
 *
 * A message belongs to its sender's mailbox and stands in the receiver's list, ordered by the arrival of its header,
 * then by the sender's number. So PEs touch each other's mailboxes, which is why a wafer with mail runs window by
 * window in one thread (run.c): whatever a PE does to another one counts from two cycles later on, in a later
 * window. That is why ranks may tell each other after each window: the receiver's has a copy of the sender's mailbox
 * that holds the message, and tells when all of it has been taken. */
#include "csl/wse/pe/pe.h"

#include <stdlib.h>

enum { WORDS = TW__WSE_MESSAGE + 1, COORDINATE = 13 }; /* a header; bits of a coordinate in it */

struct tw__mail {
    uint8_t in_queue, out_queue, ready;
    /* the message from here */
    uint8_t count, total, taken; /* wavelets: posted, of all, delivered; total 0 = none is under way */
    uint32_t from, to;
    uint64_t free_at; /* not before that may the next one begin */
    uint32_t word[WORDS];
    uint64_t at[WORDS]; /* when it reaches the receiver */
    tw__mail *next;     /* in the receiver's list */
    /* the messages to here */
    tw__mail *list, *current;
    bool with_header; /* current: for a data task */
};

void tw__wse_mail_free(tw__pe *pe)
{
    free(pe->mail);
}

void tw__wse_mail_end(tw__wse *w)
{
    for (uint32_t pe = 0; w->boxes && w->pe && pe < w->count; pe++)
        if (w->boxes[pe / 64] >> (pe & 63) & 1 && !tw__wse_lives_here(w, pe)) tw__wse_mail_free(&w->pe[pe]);
    free(w->boxes);
    free(w->letter);
}

static bool has_box(const tw__wse *w, uint32_t pe)
{
    if (tw__wse_lives_here(w, pe)) return w->pe[pe].mail != NULL;
    return w->boxes && w->boxes[pe / 64] >> (pe & 63) & 1;
}

bool tw__wse_mail_begin(tw__part *part, tw__pe *pe, unsigned in_queue, unsigned out_queue)
{
    if (pe->mail || in_queue >= TW__WSE_DIRECT || out_queue >= TW__WSE_DIRECT) return true;
    if (!pe->in_queue[in_queue] || !pe->out_queue[out_queue]) return true;
    uint32_t number = tw__wse_pe_number(part, pe);
    pe->mail = tw__calloc(1, sizeof *pe->mail);
    if (!pe->mail) return false;
    pe->mail->in_queue = (uint8_t)in_queue;
    pe->mail->out_queue = (uint8_t)out_queue;
    pe->mail->from = number;
    part->w->router[number].has_ports = 1; /* its turn comes whenever somebody wakes the PE */
    part->w->has_mail = true;
    return true;
}

bool tw__wse_mail_init(tw__part *part, tw__pe *pe)
{
    if (pe->mail) {
        pe->mail->ready = 1;
        return true;
    }
    tw__wse_fault(part, pe, "wse.message", "the queues of <message_passing> are not bound to its colors");
    return false;
}

bool tw__wse_mail_ready(tw__part *part, tw__pe *pe)
{
    if (pe->mail && pe->mail->ready) return true;
    tw__wse_fault(part, pe, "wse.message", "init() of <message_passing> comes before messages");
    return false;
}

bool tw__wse_mail_header(tw__part *part, tw__pe *pe, unsigned x, unsigned y, unsigned count, uint32_t *header)
{
    const tw__wse *w = part->w;
    if (!tw__wse_mail_ready(part, pe)) return false;
    if (count < 1 || count > TW__WSE_MESSAGE)
        tw__wse_fault(part, pe, "wse.message", "a message has 1 to %u elements, not %u", TW__WSE_MESSAGE, count);
    else if (x >= w->width || y >= w->height || x >> COORDINATE || y >> COORDINATE)
        tw__wse_fault(part, pe, "wse.message", "a message to PE %u,%u leaves the rectangle of %u x %u PEs", x, y,
                      w->width, w->height);
    else if (!has_box(w, y * w->width + x))
        tw__wse_fault(part, pe, "wse.message",
                      "a message to PE %u,%u, whose program does not import <message_passing>", x, y);
    else
        *header = x | y << COORDINATE | count << 2 * COORDINATE;
    return pe->main_state != TW__MAIN_FAULT;
}

/* Cycles from PE to PE, along the row and then along the column. */
static uint64_t way(const tw__part *part, uint32_t a, uint32_t b)
{
    uint32_t width = part->w->width;
    int32_t dx = (int32_t)(a % width) - (int32_t)(b % width), dy = (int32_t)(a / width) - (int32_t)(b / width);
    return (uint64_t)(abs(dx) + abs(dy)) * tw__wse_figure(part, TW__WSE_M_HOP);
}

static bool comes_before(const tw__mail *a, const tw__mail *b)
{
    return a->at[0] != b->at[0] ? a->at[0] < b->at[0] : a->from < b->from;
}

/* The message joins the receiver's list. */
static void join_list(tw__mail *to, tw__mail *m)
{
    tw__mail **place = &to->list;
    while (*place && comes_before(*place, m)) place = &(*place)->next;
    m->next = *place;
    *place = m;
}

static void begin_message(tw__mail *m, uint32_t to, unsigned total)
{
    m->to = to;
    m->total = (uint8_t)total;
    m->count = m->taken = 0;
}

/* The header has left. False = no program makes such a header. */
static bool address(const tw__wse *w, tw__mail *m, uint32_t header)
{
    uint32_t x = header & ((1u << COORDINATE) - 1), y = header >> COORDINATE & ((1u << COORDINATE) - 1);
    unsigned count = header >> 2 * COORDINATE;
    if (count < 1 || count > TW__WSE_MESSAGE || x >= w->width || y >= w->height) return false;
    if (!has_box(w, y * w->width + x)) return false;
    begin_message(m, y * w->width + x, count + 1);
    return true;
}

/* One wavelet more is on its way to a mailbox of this process. */
static void post(tw__part *part, tw__mail *m, uint32_t word, uint64_t at)
{
    m->word[m->count] = word;
    m->at[m->count] = at;
    if (m->count++ == 0) join_list(part->w->pe[m->to].mail, m);
    tw__wse_wake_engine(part, m->to, at);
}

static void write_letter(tw__part *part, tw__letter letter)
{
    tw__wse *w = part->w;
    if (tw__grow(&w->letter, &w->letter_room, w->letters, sizeof *w->letter))
        w->letter[w->letters++] = letter;
    else
        part->no_memory = true;
}

bool tw__wse_mail_owns(const tw__pe *pe, unsigned queue)
{
    return queue == pe->mail->out_queue;
}

bool tw__wse_mail_sends(const tw__part *part, const tw__pe *pe, unsigned queue)
{
    const tw__mail *m = pe->mail;
    if (!m || queue != m->out_queue) return false;
    return m->total ? m->count < m->total : m->free_at <= part->now;
}

void tw__wse_mail_send(tw__part *part, tw__pe *pe, uint32_t payload)
{
    tw__mail *m = pe->mail;
    if (!m->total && !address(part->w, m, payload)) {
        tw__wse_complain(part, m->from, -1, TW__WSE_R, "wse.message",
                         "a wavelet on the output queue of <message_passing> belongs to no message and is lost");
        return;
    }
    uint32_t word = m->count ? payload : m->total - 1u;
    uint64_t at = part->now + way(part, m->from, m->to);
    if (at == part->now) at++; /* to itself */
    if (tw__wse_lives_here(part->w, m->to)) {
        post(part, m, word, at);
        return;
    }
    write_letter(
        part, (tw__letter){
                  .from = m->from, .to = m->to, .word = word, .index = m->count++, .total = m->total, .at = at });
}

/* All of the message has been taken: the next one of its sender may begin. */
static void message_ends(tw__part *part, tw__mail *m, uint64_t at)
{
    m->total = 0;
    m->free_at = at;
    if (tw__wse_lives_here(part->w, m->from))
        tw__wse_wake_engine(part, m->from, at);
    else
        write_letter(part, (tw__letter){ .from = m->from, .to = m->to, .at = at });
}

bool tw__wse_mail_take(tw__part *part, const tw__letter *letter)
{
    tw__wse *w = part->w;
    tw__pe *sender = &w->pe[letter->from];
    if (letter->total == 0) {
        message_ends(part, sender->mail, letter->at);
        return true;
    }
    if (!sender->mail && !(sender->mail = tw__calloc(1, sizeof *sender->mail))) return false;
    sender->mail->from = letter->from;
    if (letter->index == 0) begin_message(sender->mail, letter->to, letter->total);
    post(part, sender->mail, letter->word, letter->at);
    return true;
}

/* Who takes the next message: an operation on the input queue, which ends with it, or the queue's data task, which
 * sees the header first. Nobody: the message waits. */
static void begin_delivery(tw__part *part, tw__pe *pe, tw__mail *box)
{
    const tw__queue *q = pe->in_queue[box->in_queue];
    tw__mail *m = box->list;
    if (!m || m->at[0] > part->now || q->count) return;
    tw__op *op = q->op ? pe->op[q->op - 1] : NULL;
    if (!op && !pe->program->data[box->in_queue]) return;
    uint32_t left = m->total - 1u;
    if (op && op->length - op->done > left)
        op->length = op->done + left; /* it may have the rest of an earlier one */
    box->with_header = !op;
    m->taken = op ? 1 : 0;
    box->current = m;
    box->list = m->next;
}

/* One wavelet of the message that is being delivered; false = none can be. The last one has the control bit set, and
 * no data task receives it. */
static bool deliver(tw__part *part, tw__pe *pe, tw__mail *box)
{
    tw__mail *m = box->current;
    if (m->taken == m->count || m->at[m->taken] > part->now) return false;
    bool last = m->taken + 1 == m->total;
    if (!last || !box->with_header) {
        const tw__queue *q = pe->in_queue[box->in_queue];
        if (q->count == q->depth) return false;
        tw__wse_engine_takes(part, box->from, box->in_queue, m->word[m->taken], 0, part->now);
    }
    if (part->last < part->now + 1) part->last = part->now + 1;
    m->taken++;
    if (!last) return true;
    uint64_t back = way(part, m->from, box->from);
    message_ends(part, m, part->now + (back ? back : 1));
    box->current = NULL;
    return true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void tw__wse_mail_turn(tw__part *part, tw__pe *pe)
{
    tw__mail *box = pe->mail;
    uint64_t now = part->now, next = TW__WSE_NEVER;
    if (tw__wse_mail_sends(part, pe, box->out_queue))
        part->w->router[box->from].stuck &= ~(1u << box->out_queue);
    else if (!box->total)
        next = box->free_at;
    if (!box->current) begin_delivery(part, pe, box);
    bool delivered = box->current && deliver(part, pe, box);
    const tw__mail *m = box->current;
    if (m && m->taken < m->count && (delivered || m->at[m->taken] > now))
        next = earlier(next, m->at[m->taken] > now ? m->at[m->taken] : now + 1);
    if (!m && box->list) next = earlier(next, delivered || box->list->at[0] > now ? box->list->at[0] : next);
    if (next != TW__WSE_NEVER) tw__wse_wake_engine(part, box->from, next > now ? next : now + 1);
}

bool tw__wse_mail_waiting(const tw__wse *w, uint32_t pe, unsigned k, char out[TW__WSE_MAIL_LINE])
{
    const tw__mail *box = w->pe[pe].mail, *m = box->current ? box->current : box->list;
    if (!m && k == 0 && w->pe[pe].in_queue[box->in_queue]->op) {
        g_snprintf(out, TW__WSE_MAIL_LINE, "it has begun to receive, and no message has come");
        return true;
    }
    if (box->current) box = NULL;
    for (; m && k; k--) m = box ? m->next : NULL;
    if (!m) return false;
    unsigned x = m->from % w->width, y = m->from / w->width, elements = m->total - 1u;
    if (!box)
        g_snprintf(out, TW__WSE_MAIL_LINE, "a message from PE %u,%u has not ended: %u of its %u elements came", x,
                   y, m->taken ? m->taken - 1u : 0, elements);
    else
        g_snprintf(out, TW__WSE_MAIL_LINE,
                   "a message of %u element(s) from PE %u,%u waits, and no recv_message takes it", elements, x, y);
    return true;
}

/* --- checkpoints ---------------------------------------------------------------------------------------------- */

static const tw__ck_field mail_rows[] = {
    TW__CK_NOT(tw__mail, in_queue),
    TW__CK_NOT(tw__mail, out_queue),
    TW__CK_ONE(tw__mail, ready, 1),
    TW__CK_ONE(tw__mail, count, WORDS),
    TW__CK_ONE(tw__mail, total, WORDS),
    TW__CK_ONE(tw__mail, taken, WORDS),
    TW__CK_NOT(tw__mail, from),
    TW__CK_ONE(tw__mail, to, TW__CK_ANY),
    TW__CK_ONE(tw__mail, free_at, TW__CK_ANY),
    TW__CK_ALL(tw__mail, word, TW__CK_ANY),
    TW__CK_ALL(tw__mail, at, TW__CK_ANY),
    TW__CK_NOT(tw__mail, next),
    TW__CK_NOT(tw__mail, list),
    TW__CK_NOT(tw__mail, current),
    TW__CK_ONE(tw__mail, with_header, 1),
};
const tw__ck_table tw__wse_mail_tables[] = {
    { "tw__mail", sizeof(tw__mail), mail_rows, sizeof mail_rows / sizeof *mail_rows },
    { NULL, 0, NULL, 0 },
};

/* A mailbox by the number of its PE + 1; 0 = none. All of them are there from the start. */
static void walk_box(tw__ck *k, const tw__wse *w, const char *what, tw__mail **box)
{
    uint64_t number = tw__ck_whole(k, what, *box ? (uint64_t)(*box)->from + 1 : 0, w->count);
    if (!tw__ck_reads(k)) return;
    *box = number ? w->pe[number - 1].mail : NULL;
    if (number && !*box) tw__ck_wrong(k, "'%s' is a PE without messages", what);
}

/* Numbers only, since boxes point at each other: whether lists end is seen when all of them are there. */
void tw__wse_mail_walk(tw__ck *k, tw__part *part, tw__pe *pe)
{
    tw__mail *m = pe->mail;
    tw__ck_fields(k, mail_rows, sizeof mail_rows / sizeof *mail_rows, m);
    walk_box(k, part->w, "next", &m->next);
    walk_box(k, part->w, "list", &m->list);
    walk_box(k, part->w, "current", &m->current);
    if (m->to >= part->w->count || (m->total && m->count > m->total) || m->taken > m->count)
        tw__ck_wrong(k, "a message cannot be as it is");
}

/* One message of a list, or the one that is delivered; `seen`: by sender. */
static bool message_stands(const tw__mail *m, uint32_t receiver, uint8_t *seen)
{
    if (seen[m->from] || m->total < 2 || m->count < 1 || m->to != receiver) return false;
    seen[m->from] = 1;
    return true;
}

bool tw__wse_mail_stands(const tw__wse *w)
{
    uint8_t *seen = w->has_mail ? tw__calloc(w->count, 1) : NULL;
    bool good = seen || !w->has_mail;
    for (uint32_t pe = 0; pe < w->count && good && seen; pe++) {
        const tw__mail *box = w->pe[pe].mail;
        if (!box) continue;
        if (box->current) good = message_stands(box->current, pe, seen);
        for (const tw__mail *m = box->list; m && good; m = m->next)
            good = message_stands(m, pe, seen) && m->taken == 0;
    }
    for (uint32_t pe = 0; pe < w->count && good && seen; pe++)
        if (w->pe[pe].mail) good = seen[pe] == (w->pe[pe].mail->total > 0);
    free(seen);
    return good;
}
