/* SPDX-License-Identifier: MIT */
/* Where each word of each register is alive. */
#include "poplar/colossus/cc/ra/ra.h"

#include <string.h>

void *tw__ra_zalloc(tw__arena *arena, size_t count, size_t size)
{
    void *p = tw__arena_zalloc_n(arena, count ? count : 1, size, 16);
    if (!p) g_error("out of memory"); /* ends the program, as g_malloc() does */
    return p;
}

/* Calls `use` with each lane that an operand reads, or writes. */
typedef void lane_function(ra *r, uint32_t lane, void *data);
static void for_lanes(ra *r, const tw__mir_insn *insn, unsigned how, lane_function *use, void *data)
{
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !(o->use & how)) continue;
        uint32_t lane = ra_lane_of(r, o);
        for (unsigned w = 0; w < o->words; w++) use(r, lane + w, data);
    }
    if (insn->op != TW__MIR_call || how != TW__MIR_WRITE) return;
    for (uint32_t unit = 0; unit < RA_UNITS; unit++)
        if (RA_CALLER_SAVES >> unit & 1) use(r, unit, data);
}

static void number_lanes(ra *r)
{
    r->nodes = RA_NEW_N(r->arena, ra_node, r->f->vreg_count);
    for (uint32_t v = 0; v < r->f->vreg_count; v++) r->nodes[v].unit = -1;
    r->lane_count = RA_UNITS;
    for (uint32_t b = 0; b < r->f->block_count; b++)
        for (const tw__mir_insn *insn = r->f->blocks[b].first; insn; insn = insn->next)
            for (unsigned k = 0; k < insn->count; k++) {
                const tw__mir_operand *o = &insn->operands[k];
                if (o->kind != TW__MIR_REG || !ra_is_virtual(o->reg)) continue;
                ra_node *node = ra_node_of(r, o->reg);
                if (node->lane) continue;
                const tw__mir_vreg *v = &r->f->vregs[o->reg - TW__MIR_VIRTUAL];
                *node = (ra_node){
                    .lane = r->lane_count, .words = v->words, .file = v->file, .is_short = v->is_short, .unit = -1
                };
                r->lane_count += v->words;
            }
    r->lanes = RA_NEW_N(r->arena, ra_lane, r->lane_count);
}

/* --- across blocks ---------------------------------------------------------------------------------------------- */

/* Lanes that a block reads before it writes them are those that live across blocks: they get bits. */
typedef struct local {
    uint32_t *written; /* by lane: 1 + block that has written it last */
    uint32_t block;
    GArray *exposed; /* uint32_t: lanes of this block */
} local;

static void note_read(ra *r, uint32_t lane, void *data)
{
    local *l = data;
    if (l->written[lane] == l->block + 1) return;
    if (!r->lane_bit[lane]) {
        r->bit_lane[r->bit_count] = lane;
        r->lane_bit[lane] = ++r->bit_count;
    }
    g_array_append_val(l->exposed, lane);
}

static void note_write(ra *r, uint32_t lane, void *data)
{
    (void)r;
    local *l = data;
    l->written[lane] = l->block + 1;
}

static void for_group(ra *r, tw__mir_insn *first, tw__mir_insn *last, unsigned how, lane_function *use, void *data)
{
    for (tw__mir_insn *insn = first;; insn = insn->next) {
        for_lanes(r, insn, how, use, data);
        if (insn == last) return;
    }
}

static void scan_block(ra *r, local *l, const tw__mir_block *block)
{
    for (tw__mir_insn *insn = block->first; insn; insn = insn->next) {
        tw__mir_insn *last = ra_group_end(insn);
        for_group(r, insn, last, TW__MIR_READ, note_read, l);
        for_group(r, insn, last, TW__MIR_WRITE, note_write, l);
        insn = last;
    }
}

static void set_bit(uint32_t *bits, uint32_t bit)
{
    bits[bit / 32] |= 1u << bit % 32;
}

static void clear_written(ra *r, uint32_t lane, void *data)
{
    uint32_t *bits = data;
    if (r->lane_bit[lane]) bits[(r->lane_bit[lane] - 1) / 32] &= ~(1u << (r->lane_bit[lane] - 1) % 32);
}

/* Live in = exposed + (live out - written), until nothing changes; predecessors of what changed are looked at
 * again. */
static void flow(ra *r, GArray **exposed)
{
    uint32_t n = r->f->block_count, words = r->bit_count / 32 + 1;
    uint32_t **in = RA_NEW_N(r->arena, uint32_t *, n), **keep = RA_NEW_N(r->arena, uint32_t *, n);
    r->live_out = RA_NEW_N(r->arena, uint32_t *, n);
    g_autofree uint32_t *work = g_new(uint32_t, n + 1);
    g_autofree bool *waits = g_new(bool, n + 1);
    for (uint32_t b = 0; b < n; b++) {
        in[b] = RA_NEW_N(r->arena, uint32_t, words), keep[b] = RA_NEW_N(r->arena, uint32_t, words);
        r->live_out[b] = RA_NEW_N(r->arena, uint32_t, words);
        memset(keep[b], 0xff, words * sizeof **keep);
        for (tw__mir_insn *insn = r->f->blocks[b].first; insn; insn = insn->next)
            for_lanes(r, insn, TW__MIR_WRITE, clear_written, keep[b]);
        for (guint i = 0; i < exposed[b]->len; i++)
            set_bit(in[b], r->lane_bit[g_array_index(exposed[b], uint32_t, i)] - 1);
        work[b] = b, waits[b] = true;
    }
    for (uint32_t left = n; left;) {
        uint32_t b = work[--left];
        waits[b] = false;
        for (uint32_t k = 0; k < r->f->blocks[b].predecessor_count; k++) {
            uint32_t p = r->f->blocks[b].predecessors[k];
            uint32_t changed = 0;
            for (uint32_t w = 0; w < words; w++) {
                r->live_out[p][w] |= in[b][w];
                uint32_t now = in[p][w] | (r->live_out[p][w] & keep[p][w]);
                changed |= now ^ in[p][w];
                in[p][w] = now;
            }
            if (changed && !waits[p]) waits[p] = true, work[left++] = p;
        }
    }
}

static void live_across(ra *r)
{
    uint32_t n = r->f->block_count;
    g_autofree uint32_t *written = g_new0(uint32_t, r->lane_count);
    GArray **exposed = g_new(GArray *, n);
    r->lane_bit = RA_NEW_N(r->arena, uint32_t, r->lane_count);
    r->bit_lane = RA_NEW_N(r->arena, uint32_t, r->lane_count);
    r->bit_count = 0;
    for (uint32_t b = 0; b < n; b++) {
        local l = { .written = written, .block = b, .exposed = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
        scan_block(r, &l, &r->f->blocks[b]);
        exposed[b] = l.exposed;
    }
    flow(r, exposed);
    for (uint32_t b = 0; b < n; b++) g_array_free(exposed[b], TRUE);
    g_free(exposed);
}

/* --- segments --------------------------------------------------------------------------------------------------- */

typedef struct building {
    uint32_t *end; /* by lane: where the life under way ends; 0: none is */
    uint32_t place, from;
    GArray *open; /* lanes under way, to be closed at the start of the block (some are closed by then) */
    float frequency;
} building;

/* In descending order of places: turned round at the end. Neighbours become one. */
static void add_segment(ra *r, uint32_t lane, uint32_t from, uint32_t to)
{
    ra_lane *l = &r->lanes[lane];
    if (l->count && l->segments[l->count - 1].from <= to && to <= l->segments[l->count - 1].to) {
        if (from < l->segments[l->count - 1].from) l->segments[l->count - 1].from = from;
        return;
    }
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 2;
        ra_segment *grown = RA_NEW_N(r->arena, ra_segment, l->room);
        if (l->count) memcpy(grown, l->segments, l->count * sizeof *grown);
        l->segments = grown;
    }
    l->segments[l->count++] = (ra_segment){ from, to };
}

static void build_write(ra *r, uint32_t lane, void *data)
{
    building *b = data;
    if (b->end[lane] > b->place + 2)
        add_segment(r, lane, b->place + 2, b->end[lane]);
    else
        add_segment(r, lane, b->place + 2, b->place + 3);
    b->end[lane] = 0;
}

static void build_read(ra *r, uint32_t lane, void *data)
{
    (void)r;
    building *b = data;
    if (b->end[lane]) return;
    b->end[lane] = b->place + 1;
    g_array_append_val(b->open, lane);
}

/* An output that is written while inputs are still read lives from the start of its instruction. */
static void build_early(ra *r, const tw__mir_insn *insn, uint32_t place)
{
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !o->is_early) continue;
        for (unsigned w = 0; w < o->words; w++) add_segment(r, ra_lane_of(r, o) + w, place, place + 3);
    }
}

static void note_uses(ra *r, const tw__mir_insn *insn, float frequency)
{
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !ra_is_virtual(o->reg)) continue;
        ra_node *node = ra_node_of(r, o->reg);
        if (o->use & TW__MIR_READ) node->use += frequency;
        if (o->use & TW__MIR_WRITE) node->use += frequency;
        if (!(o->use & TW__MIR_WRITE)) continue;
        bool first = !node->remake && node->length == 0;
        node->remake = first && ra_is_constant(r->f, insn) ? insn : NULL;
        node->length = 1; /* for now: a definition was seen */
    }
}

static void build_block(ra *r, building *b, uint32_t block)
{
    for (uint32_t bit = 0; bit < r->bit_count; bit++)
        if (r->live_out[block][bit / 32] >> bit % 32 & 1) {
            uint32_t lane = r->bit_lane[bit];
            b->end[lane] = r->ends[block];
            g_array_append_val(b->open, lane);
        }
    b->place = r->ends[block];
    for (tw__mir_insn *last = r->f->blocks[block].last, *first; last; last = first->previous) {
        first = last->is_aux_partner ? last->previous : last;
        b->place -= 4;
        for_group(r, first, last, TW__MIR_WRITE, build_write, b);
        for_group(r, first, last, TW__MIR_READ, build_read, b);
        for (tw__mir_insn *insn = first;; insn = insn->next) {
            note_uses(r, insn, b->frequency);
            build_early(r, insn, b->place);
            if (insn == last) break;
        }
    }
    for (guint i = 0; i < b->open->len; i++) {
        uint32_t lane = g_array_index(b->open, uint32_t, i);
        if (b->end[lane]) add_segment(r, lane, r->starts[block], b->end[lane]);
        b->end[lane] = 0;
    }
    g_array_set_size(b->open, 0);
}

static void number_places(ra *r)
{
    uint32_t n = r->f->block_count, at = 4;
    r->starts = RA_NEW_N(r->arena, uint32_t, n), r->ends = RA_NEW_N(r->arena, uint32_t, n);
    for (uint32_t b = 0; b < n; b++) {
        r->starts[b] = at, at += 4;
        for (tw__mir_insn *insn = r->f->blocks[b].first; insn; insn = insn->next)
            at += insn->is_aux_partner ? 0 : 4;
        r->ends[b] = at, at += 4;
    }
}

static void turn_round(ra_lane *lane)
{
    for (uint32_t i = 0, k = lane->count; i + 1 < k; i++) {
        ra_segment kept = lane->segments[i];
        lane->segments[i] = lane->segments[--k], lane->segments[k] = kept;
    }
}

void tw__ra_live(ra *r)
{
    number_lanes(r);
    number_places(r);
    live_across(r);
    building b = { .end = g_new0(uint32_t, r->lane_count), .open = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    for (uint32_t block = r->f->block_count; block-- > 0;) { /* backwards: segments come in descending order */
        b.frequency = (float)r->frequencies[block];
        build_block(r, &b, block);
    }
    g_free(b.end);
    g_array_free(b.open, TRUE);
    for (uint32_t lane = 0; lane < r->lane_count; lane++) turn_round(&r->lanes[lane]);
}
