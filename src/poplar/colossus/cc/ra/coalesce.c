/* SPDX-License-Identifier: MIT */
/* Registers that a copy joins become one where their lives do not meet: those of phis, tied operands, parts of wider
 * registers. The copies that run most come first. */
#include "poplar/colossus/cc/ra/ra.h"

#include <string.h>

typedef struct place_in { /* a register as part of a wider one, or of itself */
    uint32_t parent;      /* node */
    uint32_t offset;      /* word in it */
} place_in;

typedef struct candidate { /* word `to_word` of `to` is copied from word `from_word` of `from` */
    uint32_t to, from;
    uint8_t to_word, from_word, words;
    uint32_t frequency, order;
    const tw__mir_insn *copy;
    uint32_t block, place;
} candidate;

typedef struct coalescing {
    ra *r;
    place_in *places; /* by node */
    GArray *candidates;
} coalescing;

static place_in find_place(const coalescing *c, uint32_t node)
{
    place_in p = { node, 0 };
    while (c->places[p.parent].parent != p.parent) {
        p.offset += c->places[p.parent].offset;
        p.parent = c->places[p.parent].parent;
    }
    return p;
}

static void coalesce_collect(coalescing *c)
{
    const tw__mir_function *f = c->r->f;
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint32_t place = c->r->starts[b];
        for (const tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) {
            if (!insn->is_aux_partner) place += 4;
            if (insn->op != TW__MIR_moves) continue;
            for (unsigned k = 0; k + 1 < insn->count; k += 2) {
                const tw__mir_operand *to = &insn->operands[k], *from = to + 1;
                if (to->kind != TW__MIR_REG || from->kind != TW__MIR_REG) continue;
                if (!ra_is_virtual(to->reg) || !ra_is_virtual(from->reg)) continue;
                candidate added = { .to = to->reg - TW__MIR_VIRTUAL,
                                    .from = from->reg - TW__MIR_VIRTUAL,
                                    .to_word = to->sub,
                                    .from_word = from->sub,
                                    .words = to->words,
                                    .frequency = c->r->frequencies[b],
                                    .order = c->candidates->len,
                                    .copy = insn,
                                    .block = b,
                                    .place = place };
                g_array_append_val(c->candidates, added);
            }
        }
    }
}

static int by_frequency(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The parts of time that two lanes share: none (0), one from `start` on (1), others (2). */
static int shared_time(const ra_lane *a, const ra_lane *b, uint32_t start, uint32_t *end)
{
    int shared = 0;
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        const ra_segment *x = &a->segments[i], *y = &b->segments[k];
        if (x->to <= y->from) {
            i++;
        } else if (y->to <= x->from) {
            k++;
        } else {
            if (MAX(x->from, y->from) != start || shared) return 2;
            shared = 1;
            *end = MIN(x->to, y->to);
            x->to < y->to ? i++ : k++;
        }
    }
    return shared;
}

static bool writes_part(const coalescing *c, const tw__mir_insn *insn, uint32_t parent)
{
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_WRITE) || !ra_is_virtual(o->reg)) continue;
        if (find_place(c, o->reg - TW__MIR_VIRTUAL).parent == parent) return true;
    }
    return false;
}

/* Behind the copy both hold the same value, until one of them is written: also not by the copy, which may turn
 * registers round. */
static bool hold_the_same(const coalescing *c, const candidate *wish, uint32_t a, uint32_t b, uint32_t end)
{
    uint32_t place = wish->place;
    if (end > c->r->ends[wish->block] || writes_part(c, wish->copy, find_place(c, wish->from).parent)) return false;
    for (const tw__mir_insn *insn = wish->copy->next; insn; insn = insn->next) {
        if (!insn->is_aux_partner) place += 4;
        if (place + 2 >= end) return true;
        if (writes_part(c, insn, a) || writes_part(c, insn, b)) return false;
    }
    return true;
}

static bool may_share(const coalescing *c, const candidate *wish, uint32_t a, uint32_t b, const ra_lane *x,
                      const ra_lane *y)
{
    uint32_t end = 0;
    int shared = shared_time(x, y, wish ? wish->place + 2 : 0, &end);
    return shared == 0 || (wish && shared == 1 && hold_the_same(c, wish, a, b, end));
}

static void merge_lane(ra *r, ra_lane *into, ra_lane *from)
{
    ra_lane sum = { .room = into->count + from->count };
    sum.segments = RA_NEW_N(r->arena, ra_segment, sum.room);
    for (uint32_t i = 0, k = 0; i < into->count || k < from->count;) {
        bool first = k == from->count || (i < into->count && into->segments[i].from < from->segments[k].from);
        ra_segment next = first ? into->segments[i++] : from->segments[k++];
        ra_segment *last = sum.count ? &sum.segments[sum.count - 1] : NULL;
        if (last && next.from < last->to)
            last->to = MAX(last->to, next.to);
        else
            sum.segments[sum.count++] = next;
    }
    *into = sum;
    from->count = 0;
}

static void try_join(coalescing *c, const candidate *wish)
{
    ra *r = c->r;
    place_in a = find_place(c, wish->to), b = find_place(c, wish->from);
    if (a.parent == b.parent) return;
    unsigned covered = a.offset + wish->to_word; /* word of the wide one where the copy begins */
    int shift = (int)(a.offset + wish->to_word) - (int)(b.offset + wish->from_word); /* where b starts in a */
    ra_node *wide = &r->nodes[a.parent], *narrow = &r->nodes[b.parent];
    if (wide->file != narrow->file || wide->is_short || narrow->is_short) return;
    if (shift < 0 || wide->words < narrow->words) {
        shift = -shift;
        place_in kept = a;
        a = b, b = kept;
        covered = a.offset + wish->from_word;
        wide = &r->nodes[a.parent], narrow = &r->nodes[b.parent];
    }
    if (shift < 0 || shift % narrow->words || shift + narrow->words > wide->words) return;
    for (unsigned w = 0; w < narrow->words; w++) {
        const ra_lane *x = &r->lanes[wide->lane + (unsigned)shift + w], *y = &r->lanes[narrow->lane + w];
        bool copied = (unsigned)shift + w >= covered && (unsigned)shift + w < covered + wish->words;
        if (!may_share(c, copied ? wish : NULL, a.parent, b.parent, x, y)) return;
    }
    for (unsigned w = 0; w < narrow->words; w++)
        merge_lane(r, &r->lanes[wide->lane + (unsigned)shift + w], &r->lanes[narrow->lane + w]);
    c->places[b.parent] = (place_in){ a.parent, (uint32_t)shift };
    wide->use += narrow->use, wide->remake = NULL;
    narrow->lane = 0;
}

static void rewrite_operand(const coalescing *c, tw__mir_operand *o)
{
    if (o->kind != TW__MIR_REG || !ra_is_virtual(o->reg)) return;
    place_in p = find_place(c, o->reg - TW__MIR_VIRTUAL);
    if (o->use == (TW__MIR_READ | TW__MIR_WRITE)) o->tied = p.parent + TW__MIR_VIRTUAL;
    o->reg = p.parent + TW__MIR_VIRTUAL;
    o->sub = (uint8_t)(o->sub + p.offset);
}

void tw__ra_coalesce(ra *r)
{
    coalescing c = { .r = r, .candidates = g_array_new(FALSE, FALSE, sizeof(candidate)) };
    c.places = RA_NEW_N(r->arena, place_in, r->f->vreg_count);
    for (uint32_t v = 0; v < r->f->vreg_count; v++) c.places[v].parent = v;
    coalesce_collect(&c);
    if (r->random)
        for (guint i = 0; i < c.candidates->len; i++)
            g_array_index(c.candidates, candidate, i).order = g_rand_int(r->random);
    g_array_sort(c.candidates, by_frequency);
    for (guint i = 0; i < c.candidates->len; i++) try_join(&c, &g_array_index(c.candidates, candidate, i));
    g_array_free(c.candidates, TRUE);
    for (uint32_t b = 0; b < r->f->block_count; b++)
        for (tw__mir_insn *insn = r->f->blocks[b].first; insn; insn = insn->next)
            for (unsigned k = 0; k < insn->count; k++) rewrite_operand(&c, &insn->operands[k]);
}
