/* SPDX-License-Identifier: MIT */
/* ranks: a wafer that several processes share. Each has some rows of PEs; what crosses to the rows of another one
 * is sent after each window: wavelets, and how many have left a lane. A neighbour needs none of it before the next
 * window, so that everything is as in one process. The row behind a border is kept as routers without engines:
 * what is written there is what has to be sent, and the credit of links is looked up there as anywhere else. Who
 * waits for a place behind a border is not sent: all that leaves is told anyway. */
#include "csl/wse/fabric/link.h"
#include "csl/lang/code/codec.h"
#include "core/base/interrupt.h"
#include "core/wire/wire.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 2 };

/* --- who has which rows ----------------------------------------------------------------------------------------- */

#define CUT_VARIABLE "TILEWRIGHT_WSE_CUT"

/* "3,9": the first rows of ranks 1 and 2. */
static tw_status parse_cut(const char *text, uint32_t height, unsigned ranks, uint32_t *first)
{
    const char *at = text;
    for (unsigned k = 1; k < ranks; k++) {
        char *end;
        unsigned long row = g_ascii_isdigit(*at) ? strtoul(at, &end, 10) : 0;
        if (row <= first[k - 1] || row >= height || *end != (k + 1 < ranks ? ',' : '\0'))
            return tw__fail(TW_E_INVALID_ARGUMENT,
                            CUT_VARIABLE " is '%s': with %u ranks it holds %u row%s from 1 to %u that rise, where "
                                         "ranks from 1 on begin",
                            text, ranks, ranks - 1, ranks == 2 ? "" : "s", height - 1);
        first[k] = (uint32_t)row;
        at = end + 1;
    }
    return TW_OK;
}

/* Strips that have about the same to do: what an idle PE costs is its router's. */
static void balance(const tw__csl_image *image, unsigned ranks, uint32_t *first)
{
    enum { CODE = 15 };
    uint64_t all = 0, sum = 0;
    for (size_t k = 0; k < image->pe_count; k++) all += image->pes[k].program == UINT32_MAX ? 1 : 1 + CODE;
    unsigned next = 1;
    for (uint32_t row = 0; row < image->height && next < ranks; row++) {
        bool last = image->height - row <= ranks - next; /* the others need a row each */
        if (row > first[next - 1] && (last || sum * ranks >= all * next)) first[next++] = row;
        for (uint32_t x = 0; x < image->width; x++)
            sum += image->pes[(size_t)row * image->width + x].program == UINT32_MAX ? 1 : 1 + CODE;
    }
}

/* The first row of each rank, and the height. All ranks take rank 0's wish. */
static tw_status divide_rows(const tw__csl_image *image, uint32_t *first)
{
    char text[256] = "";
    const char *wish = getenv(CUT_VARIABLE);
    unsigned ranks = tw__wire_size();
    if (wish) g_strlcpy(text, wish, sizeof text);
    tw_status s = tw__wire_broadcast(TW__WIRE_HERE("who has which rows of PEs"), 0, text, sizeof text);
    if (s) return s;
    first[0] = 0, first[ranks] = image->height;
    if (*text) return parse_cut(text, image->height, ranks, first);
    balance(image, ranks, first);
    return TW_OK;
}

/* --- whether ranks can share it --------------------------------------------------------------------------------- */

static tw_status hash_image(const tw__csl_image *image, uint64_t *hash)
{
    size_t size;
    unsigned char *bytes = tw__csl_image_encode(image, &size);
    if (!bytes) return tw__fail(TW_E_NO_MEMORY, "no memory to compare programs of ranks");
    *hash = tw__fnv1a(TW__FNV, bytes, size);
    free(bytes);
    return TW_OK;
}

/* Of those that say what happens; the number of threads and the time that a run may take are each rank's own. */
static uint64_t hash_options(const tw__wse_options *o)
{
    const uint64_t said[] = { (uint64_t)o->check, o->random_order, o->seed,     o->trace,    o->profile,
                              o->motion,          o->spans,        o->may_wait, o->reference };
    return tw__fnv1a(TW__FNV, said, sizeof said);
}

static void or_both(void *mine, const void *theirs)
{
    uint64_t *a = mine, b;
    memcpy(&b, theirs, sizeof b);
    *a |= b;
}

static tw_status same_wafer(const tw__csl_image *image, const tw__wse_options *options)
{
    static const char *const things[] = { "program", "set of options" };
    const tw__wse_options none = { 0 };
    uint64_t mine[2], theirs[2], differ = 0;
    tw_status s = hash_image(image, &mine[0]);
    if (s) return s;
    mine[1] = hash_options(options ? options : &none);
    memcpy(theirs, mine, sizeof mine);
    s = tw__wire_broadcast(TW__WIRE_HERE("a wafer"), 0, theirs, sizeof theirs);
    for (unsigned k = 0; k < 2; k++) differ |= (uint64_t)(mine[k] != theirs[k]) << k;
    uint64_t any = differ;
    if (!s) s = tw__wire_combine(TW__WIRE_HERE("whether wafers are equal"), &any, sizeof any, or_both);
    if (s || !any) return s;
    if (differ)
        s = tw__fail(
            TW_E_INVALID_ARGUMENT,
            "rank %u has another %s than rank 0: all ranks have to run the same program with the same options",
            tw__wire_rank(), things[differ & 1 ? 0 : 1]);
    s = tw__wire_agree(s); /* all say which: the launcher may end the others before they have said anything */
    tw__wire_break();
    return s;
}

tw_status tw__wse_ranks_meet(const tw__csl_image *image, const tw__wse_options *options)
{
    tw_status s = tw__wire_start();
    unsigned ranks = tw__wire_size();
    if (s || ranks < 2 || (options && options->alone)) return s;
    if ((s = same_wafer(image, options))) return s;
    if (ranks > image->height)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "%u ranks cannot share the %u row%s of PEs of this wafer, since each has whole rows: start "
                        "%u at most",
                        ranks, image->height, image->height == 1 ? "" : "s", image->height);
    uint32_t *first = tw__calloc(ranks + 1, sizeof *first);
    if (!first) return tw__fail(TW_E_NO_MEMORY, "no memory to divide the wafer");
    s = divide_rows(image, first);
    free(first);
    return s;
}

/* --- life ------------------------------------------------------------------------------------------------------- */

typedef struct record {
    uint32_t x;
    uint8_t kind, color;
    uint16_t spare;
    union {
        uint64_t gone;
        struct {
            uint32_t word, payload;
        };
    };
} record;
enum { WAVE, NEXT_WAVE, LANE }; /* kinds; a wave arrives in the first cycle of the next window or the second */
_Static_assert(sizeof(record) == 16, "a record is sent as it is");

/* One end of the rows of this rank, where those of `peer` begin. */
typedef struct border {
    unsigned peer, out, in; /* port of our routers towards it; of its routers towards us */
    uint32_t ours, theirs;  /* rows */
    uint64_t *visited;      /* by cell: PEs of our row that are looked at in this window */
    record *record;         /* the message */
    size_t records, room;
} border;

struct tw__borders {
    uint32_t *first; /* row of each rank; the height behind the last */
    size_t *boxes;   /* [ranks]: PEs with a mailbox */
    border side[2];
    unsigned count;
};

bool tw__wse_ranks_begin(tw__wse *w)
{
    w->rank = 0, w->ranks = 1, w->first = 0, w->end = w->count;
    if (w->options.alone || tw__wire_size() < 2) return true;
    struct tw__borders *b = tw__calloc(1, sizeof *b);
    if (!b) return false;
    w->borders = b;
    w->rank = tw__wire_rank(), w->ranks = tw__wire_size();
    b->first = tw__calloc(w->ranks + 1, sizeof *b->first);
    b->boxes = tw__calloc(w->ranks, sizeof *b->boxes);
    if (!b->first || !b->boxes || divide_rows(w->image, b->first) != TW_OK) return false;
    uint32_t low = b->first[w->rank], high = b->first[w->rank + 1];
    w->first = low * w->width, w->end = high * w->width;
    if (w->rank > 0)
        b->side[b->count++] = (border){ w->rank - 1, TW__WSE_N, TW__WSE_S, low, low - 1, NULL, NULL, 0, 0 };
    if (w->rank + 1 < w->ranks)
        b->side[b->count++] = (border){ w->rank + 1, TW__WSE_S, TW__WSE_N, high - 1, high, NULL, NULL, 0, 0 };
    for (unsigned k = 0; k < b->count; k++)
        if (!(b->side[k].visited = tw__calloc((w->width + 63) / 64, sizeof(uint64_t)))) return false;
    return true;
}

void tw__wse_ranks_free(tw__wse *w)
{
    struct tw__borders *b = w->borders;
    if (!b) return;
    for (unsigned k = 0; k < b->count; k++) free(b->side[k].visited), free(b->side[k].record);
    free(b->first), free(b->boxes);
    free(b);
}

unsigned tw__wse_ranks(const tw__wse *w)
{
    return w->ranks;
}

uint32_t tw__wse_rows(const tw__wse *w, unsigned rank)
{
    return w->borders ? w->borders->first[rank] : 0;
}

unsigned tw__wse_owner(const tw__wse *w, unsigned y)
{
    unsigned k = 0;
    while (k + 1 < w->ranks && y >= w->borders->first[k + 1]) k++;
    return k;
}

/* --- what crosses a border -------------------------------------------------------------------------------------- */

static void note_visited(tw__wse *w, const border *b)
{
    for (uint32_t k = 0; k < w->cells; k++) {
        const tw__cell *cell = &w->cell[b->ours * w->cells + k];
        uint64_t bits = cell->near[w->now & 3] | cell->near[(w->now + 1) & 3];
        if (cell->far_at < w->now + WINDOW) bits |= cell->far;
        b->visited[k] = w->options.reference ? UINT64_MAX >> (k + 1 == w->cells ? -w->width & 63 : 0) : bits;
    }
}

static void border_push(tw__wse *w, border *b, record r)
{
    if (tw__grow(&b->record, &b->room, b->records, sizeof *b->record))
        b->record[b->records++] = r;
    else
        w->part[0].no_memory = true;
}

/* The lane behind the border; made as soon as something is on its way there. */
static tw__lane *lane_behind(tw__wse *w, const border *b, uint32_t x, unsigned color)
{
    tw__channel *c = tw__wse_channel_of(&w->part[0], b->theirs * w->width + x, color);
    return c ? tw__link_lane(&w->part[0], c, b->in) : NULL;
}

/* What was written at the router behind the border, to arrive at `at`. */
static void pack_wave(tw__wse *w, border *b, uint32_t x, uint64_t at, unsigned kind)
{
    tw__slot *slot = &w->router[b->theirs * w->width + x].slot[at & 3];
    uint32_t word = slot->word[b->in];
    if (!word) return;
    border_push(w, b, (record){ .x = x, .kind = (uint8_t)kind, .word = word, .payload = slot->payload[b->in] });
    slot->word[b->in] = 0;
    if (word & TW__WSE_WAVE_HERE) lane_behind(w, b, x, word >> TW__WSE_WAVE_COLOR & 31);
}

static void pack_lanes(tw__wse *w, border *b, uint32_t x)
{
    tw__router *ours = &w->router[b->ours * w->width + x];
    for (unsigned k = 0; k < ours->channel_count; k++) {
        const tw__lane *lane = tw__wse_lane(&ours->channel[k], b->out);
        if (lane && lane->gone && lane->gone >> 16 >= w->now - WINDOW)
            border_push(w, b,
                        (record){ .x = x, .kind = LANE, .color = ours->channel[k].color, .gone = lane->gone });
    }
}

/* All that crosses this border since the last window, as records. */
static void pack_border(tw__wse *w, border *b)
{
    b->records = 0;
    for (uint32_t k = 0; k < w->cells; k++)
        for (uint64_t rest = b->visited[k]; rest; rest &= rest - 1) {
            uint32_t x = k * 64 + (uint32_t)__builtin_ctzll(rest);
            pack_wave(w, b, x, w->now, WAVE);
            pack_wave(w, b, x, w->now + 1, NEXT_WAVE);
            pack_lanes(w, b, x);
        }
    for (uint32_t k = 0; k < w->cells; k++) { /* nobody is woken there */
        tw__cell *cell = &w->cell[b->theirs * w->cells + k];
        memset(cell->near, 0, sizeof cell->near);
        cell->next = TW__WSE_NEVER;
    }
    w->row_next[b->theirs] = TW__WSE_NEVER;
    atomic_fetch_and_explicit(&w->awake[b->theirs / 64], ~(1ull << (b->theirs & 63)), memory_order_relaxed);
}

static void take_wave(tw__wse *w, const border *b, const record *r)
{
    tw__router *router = &w->router[b->ours * w->width + r->x];
    uint64_t at = w->now + (r->kind == NEXT_WAVE);
    tw__slot *slot = &router->slot[at & 3];
    slot->word[b->out] |= r->word;
    if (r->word & TW__WSE_WAVE_HERE) slot->payload[b->out] = r->payload;
    tw__wse_wake_place(w, router->place, at);
}

/* Wavelets have left the lane behind the border. Whoever wanted to hear of the next one hears of the first of
 * them. */
static void take_lane(tw__wse *w, const border *b, const record *r)
{
    tw__lane *lane = lane_behind(w, b, r->x, r->color);
    if (!lane) return;
    lane->gone = r->gone;
    if (!lane->wanted) return;
    lane->wanted = 0;
    uint64_t last = r->gone >> 16;
    bool before = last == w->now - 1 && r->gone >> 10 & 3;
    tw__link_hint(w, &w->router[b->ours * w->width + r->x], b->out, r->color, last - before + WINDOW);
}

static void take_border(void *user, uint32_t index, const char *bytes)
{
    tw__wse *w = user;
    const border *b = &w->borders->side[index];
    uint64_t count;
    memcpy(&count, bytes, sizeof count);
    for (uint64_t k = 0; k < count; k++) {
        record r;
        memcpy(&r, bytes + sizeof count + k * sizeof r, sizeof r);
        if (r.kind <= NEXT_WAVE)
            take_wave(w, b, &r);
        else
            take_lane(w, b, &r);
    }
}

static void give_border(void *user, uint32_t index, char *room)
{
    const border *b = &((tw__wse *)user)->borders->side[index];
    uint64_t count = b->records;
    memcpy(room, &count, sizeof count);
    if (count) memcpy(room + sizeof count, b->record, b->records * sizeof *b->record);
}

/* A message is as long as it has to be, and there is room for any: both waves, and a lane for each color. */
static void swap_borders(tw__wse *w)
{
    tw__wire_part out[2], in[2];
    struct tw__borders *b = w->borders;
    for (unsigned k = 0; k < b->count; k++) {
        border *side = &b->side[k];
        pack_border(w, side);
        out[k] = in[k] = (tw__wire_part){ side->peer, k, sizeof(uint64_t) + side->records * sizeof(record) };
        in[k].bytes = sizeof(uint64_t) + (size_t)w->width * (2 + TW__CSL_COLORS) * sizeof(record);
    }
    w->lost = tw__wire_exchange(TW__WIRE_HERE("a window of the wafer"), w->now, out, b->count, in, b->count,
                                give_border, take_border, w);
}

/* --- messages of <message_passing> ------------------------------------------------------------------------------ */

static bool has_messages(const tw__csl_image *image)
{
    for (size_t i = 0; i < image->program_count; i++)
        for (size_t k = 0; k < image->programs[i].declaration_count; k++)
            if (image->programs[i].declarations[k].service == TW__CSL_SERVICE_MESSAGES) return true;
    return false;
}

static void or_boxes(void *mine, const void *theirs)
{
    uint64_t *a = mine, words = a[0]; /* which all have said alike */
    for (uint64_t k = 1; k < words; k++) {
        uint64_t more;
        memcpy(&more, (const char *)theirs + k * sizeof more, sizeof more);
        a[k] |= more;
    }
}

/* None of the other PEs writes letters. */
static size_t boxes_of(const tw__wse *w, unsigned rank)
{
    const uint32_t *first = w->borders->first;
    size_t boxes = 0;
    for (uint32_t pe = first[rank] * w->width; pe < first[rank + 1] * w->width; pe++)
        boxes += w->boxes[pe / 64] >> (pe & 63) & 1;
    return boxes;
}

void tw__wse_ranks_mailboxes(tw__wse *w)
{
    if (w->ranks == 1 || w->lost || !has_messages(w->image)) return;
    uint64_t words = 1 + (w->count + 63) / 64, *all = tw__calloc(words, sizeof *all);
    w->boxes = tw__calloc(words, sizeof *all);
    if (all && w->boxes) {
        all[0] = words;
        for (uint32_t pe = w->first; pe < w->end; pe++)
            if (w->pe[pe].mail) all[1 + pe / 64] |= 1ull << (pe & 63);
        w->lost = tw__wire_combine(TW__WIRE_HERE("mailboxes of the wafer"), all, words * sizeof *all, or_boxes);
        memcpy(w->boxes, all + 1, (words - 1) * sizeof *all);
        for (unsigned rank = 0; rank < w->ranks; rank++) w->borders->boxes[rank] = boxes_of(w, rank);
    } else { /* the others would wait for this one */
        tw__wire_break();
        w->lost = tw__fail(TW_E_NO_MEMORY, "no memory for mailboxes of the wafer");
    }
    for (uint64_t k = 0; k + 1 < words && w->boxes; k++) w->has_mail |= w->boxes[k] != 0;
    free(all);
}

static unsigned letter_goes_to(const tw__wse *w, const tw__letter *letter)
{
    return tw__wse_owner(w, (letter->total ? letter->to : letter->from) / w->width);
}

static void give_letters(void *user, uint32_t rank, char *room)
{
    const tw__wse *w = user;
    for (size_t k = 0; k < w->letters; k++)
        if (letter_goes_to(w, &w->letter[k]) == rank) {
            memcpy(room, &w->letter[k], sizeof w->letter[k]);
            room += sizeof w->letter[k];
        }
    memset(room, 0, sizeof w->letter[0]); /* the last one is none: it counts in cycle 0 */
}

static void take_letters(void *user, uint32_t rank, const char *bytes)
{
    tw__wse *w = user;
    (void)rank;
    for (tw__letter letter;; bytes += sizeof letter) {
        memcpy(&letter, bytes, sizeof letter);
        if (letter.at == 0) return;
        if (!tw__wse_mail_take(&w->part[0], &letter)) w->part[0].no_memory = true;
    }
}

/* Any rank may have something for any other one. In a window a PE with a mailbox sends two wavelets, and takes
 * two. */
static void swap_letters(tw__wse *w)
{
    enum { LETTERS = 4 };
    size_t count = 0;
    tw__wire_part *out = tw__calloc(2 * (size_t)w->ranks, sizeof *out);
    if (!out) {
        tw__wire_break();
        w->lost = tw__fail(TW_E_NO_MEMORY, "no memory for messages of the wafer");
        return;
    }
    tw__wire_part *in = out + w->ranks;
    for (unsigned rank = 0; rank < w->ranks; rank++) {
        if (rank == w->rank) continue;
        size_t mine = 1;
        for (size_t k = 0; k < w->letters; k++) mine += letter_goes_to(w, &w->letter[k]) == rank;
        out[count] = (tw__wire_part){ rank, rank, mine * sizeof(tw__letter) };
        in[count++] = (tw__wire_part){ rank, rank, (LETTERS * w->borders->boxes[rank] + 1) * sizeof(tw__letter) };
    }
    w->part[0].now = w->now;
    w->lost = tw__wire_exchange(TW__WIRE_HERE("messages of the wafer"), w->now, out, count, in, count, give_letters,
                                take_letters, w);
    w->letters = 0;
    free(out);
}

void tw__wse_ranks_windows(tw__wse *w, unsigned windows)
{
    for (unsigned n = 0; n < windows && !w->lost; n++) {
        for (unsigned k = 0; k < w->borders->count; k++) note_visited(w, &w->borders->side[k]);
        if (windows > 1)
            tw__wse_windows(w, 1);
        else
            tw__wse_window(w);
        w->now += WINDOW;
        swap_borders(w);
        if (w->has_mail && !w->lost) swap_letters(w);
    }
}

/* --- what all have to know -------------------------------------------------------------------------------------- */

enum { FAULT = 1, NO_MEMORY = 2, MESSAGES = 4, LATE = 8, INTERRUPTED = 16 };
typedef struct meeting {
    uint64_t next, busy, last, flags;
} meeting;

static void meet_both(void *mine, const void *theirs)
{
    meeting *a = mine, b;
    memcpy(&b, theirs, sizeof b);
    if (b.next < a->next) a->next = b.next;
    if (b.last > a->last) a->last = b.last;
    a->busy += b.busy;
    a->flags |= b.flags;
}

uint64_t tw__wse_ranks_next(tw__wse *w, uint64_t next, size_t *busy)
{
    meeting m = { .next = next, .busy = *busy };
    for (unsigned k = 0; k < w->part_count; k++) {
        const tw__part *part = &w->part[k];
        if (part->last > m.last) m.last = part->last;
        m.flags |=
            (part->fault ? FAULT : 0u) | (part->no_memory ? NO_MEMORY : 0u) | (part->message_count ? MESSAGES : 0u);
    }
    if (w->deadline && tw__seconds() > w->deadline) m.flags |= LATE;
    if (tw__interrupt_flag) m.flags |= INTERRUPTED;
    if (w->no_memory) m.flags |= NO_MEMORY;
    if (!w->lost)
        w->lost = tw__wire_combine(TW__WIRE_HERE("what comes next on the wafer"), &m, sizeof m, meet_both);
    if (!w->lost && m.flags & MESSAGES) tw__wse_gather_messages(w);
    if (w->lost) return TW__WSE_NEVER;
    w->fault |= (m.flags & FAULT) != 0;
    w->no_memory |= (m.flags & NO_MEMORY) != 0;
    w->late = (m.flags & LATE) != 0;
    if (m.flags & INTERRUPTED) tw_interrupt(true); /* a signal may have reached one of them only */
    w->interrupted = (m.flags & INTERRUPTED) != 0;
    w->part[0].last = m.last;
    *busy = m.busy;
    return m.next;
}

bool tw__wse_all_agree(tw__wse *w, bool mine)
{
    if (w->ranks == 1 || w->lost) return mine;
    w->lost = tw__wire_all_and(TW__WIRE_HERE("what the host waits for"), &mine);
    return mine;
}
