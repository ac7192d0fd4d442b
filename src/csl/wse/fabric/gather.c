/* SPDX-License-Identifier: MIT */
/* gather: what each rank knows of its PEs becomes what all of them know: messages, events, counters, memory. */
#include "csl/wse/fabric/fabric.h"
#include "core/wire/wire.h"

#include <stdlib.h>
#include <string.h>

typedef struct sizes {
    unsigned ranks;
    uint64_t bytes[];
} sizes;

/* The first element says how many there are, and stays. */
static void add_sizes(void *mine, const void *theirs)
{
    sizes *a = mine;
    for (unsigned k = 0; k < a->ranks; k++) {
        uint64_t more;
        memcpy(&more, (const char *)theirs + offsetof(sizes, bytes) + k * sizeof more, sizeof more);
        a->bytes[k] += more;
    }
}

static tw_status hear_of(unsigned rank, const void *mine, size_t bytes, tw__wse_came *came, void *user)
{
    char *room = tw__realloc(NULL, bytes);
    if (!room) {
        tw__wire_break(); /* the others would wait for this one */
        return tw__fail(TW_E_NO_MEMORY, "no memory for %zu bytes of rank %u", bytes, rank);
    }
    if (mine) memcpy(room, mine, bytes);
    tw_status s = tw__wire_broadcast(TW__WIRE_HERE("what a rank knows of the wafer"), rank, room, bytes);
    if (!s) came(user, rank, room, bytes);
    free(room);
    return s;
}

tw_status tw__wse_gather(tw__wse *w, const void *mine, size_t bytes, tw__wse_came *came, void *user)
{
    if (w->ranks == 1) return TW_OK;
    if (w->lost) return w->lost;
    size_t room = sizeof(sizes) + w->ranks * sizeof(uint64_t);
    sizes *all = tw__calloc(1, room);
    if (!all) {
        tw__wire_break();
        return w->lost = tw__fail(TW_E_NO_MEMORY, "no memory for sizes of messages");
    }
    all->ranks = w->ranks;
    all->bytes[w->rank] = bytes;
    tw_status s = tw__wire_combine(TW__WIRE_HERE("how much ranks know of the wafer"), all, room, add_sizes);
    for (unsigned k = 0; k < w->ranks && !s; k++)
        if (all->bytes[k]) s = hear_of(k, k == w->rank ? mine : NULL, all->bytes[k], came, user);
    free(all);
    return w->lost = s;
}

tw_status tw__wse_gather_all(tw__wse *w, const void *mine, size_t bytes, tw__wse_came *came, void *user)
{
    if (w->ranks == 1 && bytes) came(user, 0, mine, bytes);
    return tw__wse_gather(w, mine, bytes, came, user);
}

tw_status tw__wse_from_owner(tw__wse *w, unsigned y, void *bytes, size_t size)
{
    if (w->ranks == 1 || w->lost) return w->lost;
    return w->lost = tw__wire_broadcast(TW__WIRE_HERE("what is in a PE"), tw__wse_owner(w, y), bytes, size);
}

tw_status tw__wse_lost(const tw__wse *w)
{
    return w->lost;
}

/* --- messages --------------------------------------------------------------------------------------------------- */

/* Numbers, then the three texts, each with its zero. */
typedef struct message_head {
    uint64_t cycle;
    uint32_t pe, kind;
    int32_t line, column;
} message_head;

static void put_message(GByteArray *out, const tw__message *m)
{
    const message_head head = { m->cycle, m->pe, m->kind, m->line, m->column };
    const char *const texts[] = { m->text, m->file ? m->file : "", m->code ? m->code : "" };
    g_byte_array_append(out, (const guint8 *)&head, sizeof head);
    for (unsigned k = 0; k < 3; k++)
        g_byte_array_append(out, (const guint8 *)texts[k], (guint)strlen(texts[k]) + 1);
}

static void take_messages(void *user, unsigned rank, const char *bytes, size_t size)
{
    tw__wse *w = user;
    if (rank == w->rank) return;
    for (const char *at = bytes; at < bytes + size;) {
        message_head head;
        const char *text[3];
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        for (unsigned k = 0; k < 3; k++) text[k] = at, at += strlen(at) + 1;
        const tw__message m = { .cycle = head.cycle,
                                .pe = head.pe,
                                .kind = head.kind,
                                .line = head.line,
                                .column = head.column,
                                .text = g_strdup(text[0]),
                                .file = g_intern_string(text[1]),
                                .code = g_intern_string(text[2]) };
        tw__wse_add_message(&w->part[0], &m);
    }
}

void tw__wse_gather_messages(tw__wse *w)
{
    g_autoptr(GByteArray) mine = g_byte_array_new();
    for (unsigned k = 0; k < w->part_count && w->ranks > 1; k++)
        for (size_t i = 0; i < w->part[k].message_count; i++) put_message(mine, &w->part[k].message[i]);
    if (tw__wse_gather(w, mine->data, mine->len, take_messages, w) == TW_OK) tw__wse_flush_messages(w);
}

/* --- events, counters, memory ----------------------------------------------------------------------------------- */

static void take_events(void *user, unsigned rank, const char *bytes, size_t size)
{
    tw__wse *w = user;
    if (rank == w->rank) return;
    for (size_t at = 0; at + sizeof(tw__wse_event) <= size; at += sizeof(tw__wse_event)) {
        tw__wse_event e;
        memcpy(&e, bytes + at, sizeof e);
        tw__wse_note(&w->part[0], e.pe, e.cycle, e.kind, e.a, e.b);
    }
}

static tw_status gather_events(tw__wse *w)
{
    size_t count = 0, at = 0; /* more bytes than a GByteArray holds, now and then */
    if (w->ranks == 1) return TW_OK;
    for (unsigned k = 0; k < w->part_count; k++) count += w->part[k].event_count;
    tw__wse_event *mine = tw__realloc(NULL, (count + 1) * sizeof *mine);
    tw_status s = tw__wire_agree(mine ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory for events of the wafer"));
    for (unsigned k = 0; k < w->part_count && !s; k++) {
        const tw__part *part = &w->part[k];
        if (part->event_count) memcpy(mine + at, part->event, part->event_count * sizeof *mine);
        at += part->event_count;
    }
    if (!s) s = tw__wse_gather(w, mine, count * sizeof *mine, take_events, w);
    free(mine);
    return s;
}

static int by_event(const void *a, const void *b)
{
    const tw__wse_event *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    if (x->pe != y->pe) return x->pe < y->pe ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

const tw__wse_event *tw__wse_events(tw__wse *w, size_t *count)
{
    size_t n = 0;
    *count = 0;
    if (gather_events(w) != TW_OK) return NULL;
    for (unsigned k = 0; k < w->part_count; k++) n += w->part[k].event_count;
    if (n == 0) return NULL;
    tw__wse_event *grown = tw__realloc(w->event, n * sizeof *grown);
    if (!grown) return NULL;
    w->event = grown;
    for (unsigned k = 0; k < w->part_count; k++) {
        if (w->part[k].event_count == 0) continue;
        memcpy(w->event + *count, w->part[k].event, w->part[k].event_count * sizeof *w->event);
        *count += w->part[k].event_count;
        w->part[k].event_count = 0;
    }
    qsort(w->event, n, sizeof *w->event, by_event);
    return w->event;
}

static void take_counters(void *user, unsigned rank, const char *bytes, size_t size)
{
    tw__wse *w = user;
    memcpy(&w->counters[(size_t)tw__wse_rows(w, rank) * w->width], bytes, size);
}

/* Without what has never been written. */
static void take_memory(void *user, unsigned rank, const char *bytes, size_t size)
{
    tw__wse *w = user;
    memcpy(w->memory + (size_t)tw__wse_rows(w, rank) * w->width * TW__CSL_PE_BYTES, bytes, size);
}

tw_status tw__wse_fetch(tw__wse *w, bool memory)
{
    size_t pes = w->end - w->first;
    tw_status s = TW_OK;
    if (w->ranks > 1 && w->counters)
        s = tw__wse_gather(w, &w->counters[w->first], pes * sizeof *w->counters, take_counters, w);
    if (s || !memory || w->ranks == 1) return s;
    for (uint32_t pe = w->first; pe < w->end; pe++) tw__wse_pe_load(&w->pe[pe]);
    return tw__wse_gather(w, w->memory + (size_t)w->first * TW__CSL_PE_BYTES, pes * TW__CSL_PE_BYTES, take_memory,
                          w);
}

/* --- motion ----------------------------------------------------------------------------------------------------- */

typedef struct joining {
    const tw__wse *w;
    struct tw__motion *all;
    bool good;
} joining;

static void take_motion(void *user, unsigned rank, const char *bytes, size_t size)
{
    joining *j = user;
    if (rank != j->w->rank) j->good = j->good && tw__wse_motion_join(j->all, bytes, size);
}

bool tw__wse_motion(tw__wse *w, tw__wse_story *story)
{
    *story = (tw__wse_story){ 0 };
    if (!w->options.motion || !w->counters) return false;
    joining j = { .w = w, .all = tw__wse_motion_mine(w) };
    size_t size = 0;
    char *mine = j.all && w->ranks > 1 ? tw__wse_motion_pack(j.all, &size) : NULL;
    j.good = tw__wse_all_agree(w, j.all && (mine || w->ranks == 1));
    if (j.good) j.good = tw__wse_gather(w, mine, size, take_motion, &j) == TW_OK && j.good;
    if (j.good) j.good = tw__wse_motion_tell(j.all, story);
    free(mine);
    tw__wse_motion_delete(j.all);
    return j.good;
}
