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
    uint8_t to_word, from_word;
    uint32_t frequency, order;
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

static void collect(coalescing *c)
{
    const tw__mir_function *f = c->r->f;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (const tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) {
            if (insn->op != TW__MIR_moves) continue;
            for (unsigned k = 0; k + 1 < insn->count; k += 2) {
                const tw__mir_operand *to = &insn->operands[k], *from = to + 1;
                if (to->kind != TW__MIR_REG || from->kind != TW__MIR_REG) continue;
                if (!ra_is_virtual(to->reg) || !ra_is_virtual(from->reg)) continue;
                candidate added = { .to = to->reg - TW__MIR_VIRTUAL,
                                    .from = from->reg - TW__MIR_VIRTUAL,
                                    .to_word = to->sub,
                                    .from_word = from->sub,
                                    .frequency = c->r->frequencies[b],
                                    .order = c->candidates->len };
                g_array_append_val(c->candidates, added);
            }
        }
}

static int by_frequency(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool lanes_meet(const ra_lane *a, const ra_lane *b)
{
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->segments[i].to <= b->segments[k].from)
            i++;
        else if (b->segments[k].to <= a->segments[i].from)
            k++;
        else
            return true;
    }
    return false;
}

static void merge_lane(ra *r, ra_lane *into, ra_lane *from)
{
    ra_lane sum = { .room = into->count + from->count };
    sum.segments = RA_NEW_N(r->arena, ra_segment, sum.room);
    for (uint32_t i = 0, k = 0; i < into->count || k < from->count;) {
        bool first = k == from->count || (i < into->count && into->segments[i].from < from->segments[k].from);
        sum.segments[sum.count++] = first ? into->segments[i++] : from->segments[k++];
    }
    *into = sum;
    from->count = 0;
}

static void try_join(coalescing *c, const candidate *wish)
{
    ra *r = c->r;
    place_in a = find_place(c, wish->to), b = find_place(c, wish->from);
    if (a.parent == b.parent) return;
    int shift = (int)(a.offset + wish->to_word) - (int)(b.offset + wish->from_word); /* where b starts in a */
    ra_node *wide = &r->nodes[a.parent], *narrow = &r->nodes[b.parent];
    if (wide->file != narrow->file || wide->is_short || narrow->is_short) return;
    if (shift < 0 || wide->words < narrow->words) {
        shift = -shift;
        place_in kept = a;
        a = b, b = kept;
        wide = &r->nodes[a.parent], narrow = &r->nodes[b.parent];
    }
    if (shift < 0 || shift % narrow->words || shift + narrow->words > wide->words) return;
    for (unsigned w = 0; w < narrow->words; w++)
        if (lanes_meet(&r->lanes[wide->lane + (unsigned)shift + w], &r->lanes[narrow->lane + w])) return;
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
    collect(&c);
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
