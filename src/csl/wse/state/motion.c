/* SPDX-License-Identifier: MIT */
/* motion: what happened when. Amounts of a block, kind and color in stretches of time. There is a largest number of
 * stretches: they get twice as long when time goes beyond it, or when the table is full all the same. Each partition
 * has a table of its own; joined, they are the same for any number of partitions. */
#include "csl/wse/state/state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SHIFT = 2, FIRST_ROOM = 1 << 10, SIDE = 64, COLOR_BITS = 8, KIND_BITS = 4, BLOCK_BITS = 12 };
enum { MOST_PLACES = 1 << 18, MOST_STRETCHES = 2048, LEAST_STRETCHES = 32 }; /* blocks x stretches; stretches */
enum { WINDOW_AT = COLOR_BITS + KIND_BITS + BLOCK_BITS, CELL_PARTS = 1 << WINDOW_AT };

typedef struct cell {
    uint64_t key, amount; /* window, block, kind, color; amount 0 = free */
} cell;
struct tw__motion {
    cell *cells;
    size_t count, room; /* a power of two, at least twice the count */
    uint32_t block, width;
    uint32_t stretches; /* at most */
    unsigned shift;     /* of 2^shift cycles each */
};

static size_t motion_place(const struct tw__motion *m, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->room - 1);
    while (m->cells[at].amount && m->cells[at].key != key) at = (at + 1) & (m->room - 1);
    return at;
}

/* All cells into a table of `room`, with stretches `by` times doubled; false = out of memory, nothing has changed. */
static bool rebuild(struct tw__motion *m, size_t room, unsigned by)
{
    struct tw__motion fresh = *m;
    fresh.cells = tw__calloc(room, sizeof *fresh.cells);
    if (!fresh.cells) return false;
    fresh.room = room, fresh.count = 0, fresh.shift += by;
    for (size_t i = 0; i < m->room; i++) {
        if (!m->cells[i].amount) continue;
        uint64_t key = m->cells[i].key >> WINDOW_AT >> by << WINDOW_AT | (m->cells[i].key & (CELL_PARTS - 1));
        cell *to = &fresh.cells[motion_place(&fresh, key)];
        fresh.count += to->amount == 0;
        to->key = key;
        to->amount += m->cells[i].amount;
    }
    free(m->cells);
    *m = fresh;
    return true;
}

static bool motion_add(struct tw__motion *m, uint64_t window, uint32_t low, uint64_t amount)
{
    uint64_t key = window << WINDOW_AT | low;
    cell *to = &m->cells[motion_place(m, key)];
    m->count += to->amount == 0;
    to->key = key;
    to->amount += amount;
    if (m->count > TW__WSE_MOST_DID) return rebuild(m, m->room, 1);
    return 2 * m->count <= m->room || rebuild(m, 2 * m->room, 0);
}

static bool motion_span(struct tw__motion *m, uint32_t low, uint64_t from, uint64_t to)
{
    unsigned by = 0;
    while ((to - 1) >> (m->shift + by) >= m->stretches) by++;
    if (by && !rebuild(m, m->room, by)) return false;
    while (from < to) {
        uint64_t window = from >> m->shift, end = (window + 1) << m->shift;
        if (end > to || end <= from) end = to; /* the last stretch of all ends beyond 2^64 */
        if (!motion_add(m, window, low, end - from)) return false;
        from = end;
    }
    return true;
}

static uint32_t motion_low(const struct tw__motion *m, uint32_t pe, unsigned kind, unsigned color)
{
    uint32_t across = (m->width + m->block - 1) / m->block;
    uint32_t block = pe / m->width / m->block * across + pe % m->width / m->block;
    return block << (COLOR_BITS + KIND_BITS) | kind << COLOR_BITS | color;
}

void tw__wse_did_so(tw__part *part, uint32_t pe, uint64_t from, uint64_t to, unsigned kind, unsigned color)
{
    if (from < to && !motion_span(part->motion, motion_low(part->motion, pe, kind, color), from, to))
        part->no_memory = true;
}

unsigned tw__wse_op_color(const tw__pe *pe, const tw__op *op, unsigned *kind)
{
    *kind = TW__WSE_DID_WANT;
    for (unsigned k = 1; k < 3; k++)
        if (op->arg[k].kind == TW__O_IN && pe->in_queue[op->arg[k].queue])
            return pe->in_queue[op->arg[k].queue]->color;
    *kind = TW__WSE_DID_FILL;
    if (op->arg[0].kind == TW__O_OUT && pe->out_queue[op->arg[0].queue])
        return pe->out_queue[op->arg[0].queue]->color;
    *kind = TW__WSE_DID_BUFFER;
    return TW__WSE_ANY_COLOR;
}

/* --- life ------------------------------------------------------------------------------------------------------- */

static bool motion_init(struct tw__motion *m, const tw__wse *w)
{
    uint32_t side = w->width > w->height ? w->width : w->height, block = (side + SIDE - 1) / SIDE;
    uint32_t fit = MOST_PLACES / (((w->width + block - 1) / block) * ((w->height + block - 1) / block));
    *m = (struct tw__motion){ .cells = tw__calloc(FIRST_ROOM, sizeof *m->cells),
                              .room = FIRST_ROOM,
                              .block = block,
                              .stretches = fit > MOST_STRETCHES    ? MOST_STRETCHES
                                           : fit < LEAST_STRETCHES ? LEAST_STRETCHES
                                                                   : fit,
                              .width = w->width,
                              .shift = FIRST_SHIFT };
    return m->cells != NULL;
}

bool tw__wse_motion_new(tw__part *part, const tw__wse *w)
{
    part->heat = tw__calloc(w->image->program_count + 1, sizeof *part->heat);
    if (!part->heat || !w->options.motion) return part->heat != NULL;
    part->motion = tw__calloc(1, sizeof *part->motion);
    return part->motion && motion_init(part->motion, w);
}

void tw__wse_motion_free(tw__part *part)
{
    if (part->motion) free(part->motion->cells);
    free(part->motion);
    for (size_t i = 0; part->heat && i < part->w->image->program_count; i++) free(part->heat[i]);
    free(part->heat);
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

static bool motion_add_all(struct tw__motion *all, const struct tw__motion *m)
{
    while (all->shift < m->shift)
        if (!rebuild(all, all->room, 1)) return false;
    for (size_t i = 0; i < m->room; i++) {
        if (!m->cells[i].amount) continue;
        uint64_t window = m->cells[i].key >> WINDOW_AT << m->shift >> all->shift;
        if (!motion_add(all, window, m->cells[i].key & (CELL_PARTS - 1), m->cells[i].amount)) return false;
    }
    return true;
}

/* Operations that have not ended: they may wait. */
static bool join_open(struct tw__motion *all, const tw__wse *w)
{
    bool good = true;
    for (uint32_t pe = w->first; pe < w->end && good; pe++)
        for (unsigned s = 0; s <= TW__WSE_MAIN && good; s++) {
            const tw__op *op = w->pe[pe].op[s];
            bool active = s == TW__WSE_MAIN ? w->pe[pe].main_state == TW__MAIN_OP : w->pe[pe].op_active >> s & 1;
            unsigned kind, color = op ? tw__wse_op_color(&w->pe[pe], op, &kind) : 0;
            if (op && active && op->ready_at < w->now)
                good = motion_span(all, motion_low(all, pe, kind, color), op->ready_at, w->now);
        }
    return good;
}

static uint64_t amount_at(const struct tw__motion *m, uint64_t key)
{
    return m->cells[motion_place(m, key)].amount;
}

/* An operation that was under way waited in the cycles in which it moved nothing; scalar code is what did not wait
 * for operations on memory. */
static uint64_t motion_alone(const struct tw__motion *m, const cell *at)
{
    unsigned kind = at->key >> COLOR_BITS & 15, color = at->key & 255;
    uint64_t rest = at->key & ~(uint64_t)0xfff, data = 0;
    if (kind == TW__WSE_DID_CODE) data = amount_at(m, rest | TW__WSE_DID_DATA << COLOR_BITS | TW__WSE_ANY_COLOR);
    if (kind > TW__WSE_DID_DATA) data = amount_at(m, rest | TW__WSE_DID_DATA << COLOR_BITS | color);
    return at->amount > data ? at->amount - data : 0;
}

static int motion_order(const void *a, const void *b)
{
    const tw__wse_did *x = a, *y = b;
    if (x->pe != y->pe) return x->pe < y->pe ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->color != y->color) return x->color < y->color ? -1 : 1;
    return x->window < y->window ? -1 : x->window > y->window;
}

bool tw__wse_motion_tell(const struct tw__motion *m, tw__wse_story *story)
{
    uint32_t across = (m->width + m->block - 1) / m->block;
    *story = (tw__wse_story){ .window = UINT64_C(1) << m->shift, .block = m->block };
    story->did = tw__calloc(m->count + 1, sizeof *story->did);
    for (size_t i = 0; story->did && i < m->room; i++) {
        uint64_t amount = m->cells[i].amount ? motion_alone(m, &m->cells[i]) : 0, key = m->cells[i].key;
        uint32_t block = key >> (COLOR_BITS + KIND_BITS) & ((1 << BLOCK_BITS) - 1);
        if (!amount) continue;
        story->did[story->count++] =
            (tw__wse_did){ .window = key >> WINDOW_AT,
                           .amount = amount,
                           .pe = block / across * m->block * m->width + block % across * m->block,
                           .kind = key >> COLOR_BITS & 15,
                           .color = key & 255 };
    }
    if (story->count) qsort(story->did, story->count, sizeof *story->did, motion_order);
    return story->did != NULL;
}

struct tw__motion *tw__wse_motion_mine(const tw__wse *w)
{
    struct tw__motion *all = tw__calloc(1, sizeof *all);
    bool good = all && motion_init(all, w);
    for (unsigned k = 0; k < w->part_count && good; k++) good = motion_add_all(all, w->part[k].motion);
    if (good && join_open(all, w)) return all;
    tw__wse_motion_delete(all);
    return NULL;
}

void tw__wse_motion_delete(struct tw__motion *m)
{
    if (m) free(m->cells);
    free(m);
}

char *tw__wse_motion_pack(const struct tw__motion *m, size_t *size)
{
    const uint64_t shift = m->shift;
    char *bytes = tw__realloc(NULL, sizeof shift + m->count * sizeof *m->cells), *at = bytes;
    if (!bytes) return NULL;
    memcpy(at, &shift, sizeof shift), at += sizeof shift;
    for (size_t i = 0; i < m->room; i++)
        if (m->cells[i].amount) memcpy(at, &m->cells[i], sizeof *m->cells), at += sizeof *m->cells;
    *size = (size_t)(at - bytes);
    return bytes;
}

bool tw__wse_motion_join(struct tw__motion *all, const char *bytes, size_t size)
{
    uint64_t shift;
    memcpy(&shift, bytes, sizeof shift);
    const size_t count = (size - sizeof shift) / sizeof(cell);
    struct tw__motion theirs = { .shift = (unsigned)shift, .room = count };
    theirs.cells = tw__calloc(count + 1, sizeof *theirs.cells);
    if (theirs.cells) memcpy(theirs.cells, bytes + sizeof shift, count * sizeof *theirs.cells);
    bool good = theirs.cells && motion_add_all(all, &theirs);
    free(theirs.cells);
    return good;
}

/* --- checkpoints ------------------------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* What all partitions know, by key; NULL = out of memory. */
static cell *motion_sorted(const tw__wse *w, struct tw__motion *all)
{
    bool good = motion_init(all, w);
    for (unsigned i = 0; i < w->part_count && good; i++) good = motion_add_all(all, w->part[i].motion);
    cell *sorted = good ? tw__calloc(all->count + 1, sizeof *sorted) : NULL;
    size_t count = 0;
    for (size_t i = 0; sorted && i < all->room; i++)
        if (all->cells[i].amount) sorted[count++] = all->cells[i];
    if (sorted) qsort(sorted, count, sizeof *sorted, by_key);
    return sorted;
}

static bool read_cells(tw__ck *k, struct tw__motion *m, size_t count)
{
    uint32_t across = (m->width + m->block - 1) / m->block;
    bool good = true;
    for (size_t i = 0; i < count && good && tw__ck_good(k); i++) {
        uint64_t window = tw__ck_whole(k, "stretch", 0, m->stretches - 1);
        uint32_t low = (uint32_t)tw__ck_whole(k, "place", 0, CELL_PARTS - 1),
                 block = low >> (COLOR_BITS + KIND_BITS);
        uint64_t amount = tw__ck_whole(k, "amount", 0, TW__CK_ANY);
        if ((low >> COLOR_BITS & 15) > TW__WSE_DID_BUFFER || block / across >= SIDE || amount == 0)
            tw__ck_wrong(k, "a place of motion cannot be");
        else
            good = motion_add(m, window, low, amount);
    }
    return good;
}

void tw__wse_motion_walk(tw__ck *k, tw__wse *w)
{
    struct tw__motion all = { 0 }, *mine = w->part[0].motion;
    bool there = tw__ck_flag(k, "motion", mine != NULL);
    if (mine && !there)
        tw__ck_refuse(k, "was saved by a run without a report: resume it without, or save it with one");
    if (!mine) tw__ck_skip(k);
    if (!mine || !there) return;
    cell *sorted = tw__ck_reads(k) ? NULL : motion_sorted(w, &all);
    bool good = tw__ck_reads(k) || sorted;
    unsigned shift = (unsigned)tw__ck_whole(k, "stretches", all.shift, 60);
    size_t count = tw__ck_count(k, "places", all.count, TW__WSE_MOST_DID, 3);
    for (size_t i = 0; sorted && i < count; i++) {
        tw__ck_whole(k, "stretch", sorted[i].key >> WINDOW_AT, TW__CK_ANY);
        tw__ck_whole(k, "place", sorted[i].key & (CELL_PARTS - 1), TW__CK_ANY);
        tw__ck_whole(k, "amount", sorted[i].amount, TW__CK_ANY);
    }
    if (tw__ck_reads(k)) {
        mine->shift = shift > FIRST_SHIFT ? shift : FIRST_SHIFT;
        good = read_cells(k, mine, count);
    }
    if (!good) tw__ck_no_memory(k);
    free(sorted);
    free(all.cells);
}

/* --- heat ------------------------------------------------------------------------------------------------------- */

void tw__wse_heat_add(tw__part *part, const tw__pe *pe, uint32_t at, tw__wse_heat more)
{
    const tw__csl_program *p = pe->program->program;
    tw__wse_heat **rows = &part->heat[p - part->w->image->programs];
    size_t count = p->code_count + p->function_count;
    if (!*rows && !(*rows = tw__calloc(count + 1, sizeof **rows))) {
        part->no_memory = true;
        return;
    }
    if (at >= count) return;
    (*rows)[at].runs += more.runs;
    (*rows)[at].cycles += more.cycles;
    (*rows)[at].waits += more.waits;
}

void tw__wse_heat_of(const tw__wse *w, uint32_t program, tw__wse_heat *out)
{
    const tw__csl_program *p = &w->image->programs[program];
    size_t count = p->code_count + p->function_count;
    memset(out, 0, count * sizeof *out);
    for (unsigned k = 0; k < w->part_count; k++) {
        const tw__wse_heat *rows = w->part[k].heat ? w->part[k].heat[program] : NULL;
        for (size_t i = 0; rows && i < count; i++) {
            out[i].runs += rows[i].runs;
            out[i].cycles += rows[i].cycles;
            out[i].waits += rows[i].waits;
        }
    }
}
