/* SPDX-License-Identifier: MIT */
/* loops: what the source says of its loops (chess_prepare_for_pipelining and its like), which of them become straight
 * code, and how often they turn.
 *
 * A loop that holds another, that has hints or calls functions, gets a mark with what is known of it in front of its
 * body, before anything is optimised. Bodies of loops that were unrolled into it bring their own marks along; the
 * first one of a block is that of its loop. */
#include "aie/cost/cost.h"

#include <string.h>

#define MARK "tw__aie_loop_mark"
/* Of loops those alone that are marked (unroll_loops). */
#define UNROLL                                                                                              \
    "function(loop-simplify,lcssa,loop-unroll<O2;full-unroll-max=0;no-partial;no-runtime;no-upperbound;no-" \
    "peeling>,sroa,instcombine,simplifycfg)"

/* --- marks ------------------------------------------------------------------------------------------------------ */

enum { OUTER = 1, PIPELINE = 2, FLATTEN = 4, LEAST_AT = 8, COPIES_AT = 32, MOST = 0xffffff };

/* Calls that hints are in code that is read here (aie/detail/vendor_macros.h), and what their number goes to. */
static const struct {
    const char *name;
    uint64_t flags;
    unsigned at;
} hints[] = {
    { "tw__aie_hint_pipeline", PIPELINE, 0 },
    { "tw__aie_hint_least", 0, LEAST_AT },
    { "tw__aie_hint_flatten", FLATTEN, 0 },
    { "tw__aie_hint_unroll", 0, COPIES_AT },
};

static bool is_call_of(const tw__ir_value *v, const char *name)
{
    return v->op == TW__IR_call && v->callee && strcmp(v->callee, name) == 0;
}

tw__aie_loop tw__aie_loop_of(const tw__ir_function *f, uint32_t block)
{
    tw__aie_loop loop = { 0 };
    for (uint32_t i = 0; i < f->blocks[block].count; i++) {
        const tw__ir_value *v = &f->values[f->blocks[block].first + i];
        if (!is_call_of(v, MARK)) continue;
        const uint64_t mark = (uint64_t)f->values[f->operands[v->first]].number;
        loop.is_outer = mark & OUTER, loop.is_pipelined = mark & PIPELINE, loop.is_flattened = mark & FLATTEN;
        loop.least = mark >> LEAST_AT & MOST, loop.copies = (uint32_t)(mark >> COPIES_AT);
        break;
    }
    return loop;
}

bool tw__aie_is_self_loop(const tw__ir_function *f, uint32_t block)
{
    const tw__ir_block *b = &f->blocks[block];
    for (uint32_t i = 0; i < b->successor_count; i++)
        if (b->successors[i] == block) return true;
    return false;
}

/* Edges back, found by a walk that keeps its way in an array. */
static void find_back_edges(const tw__ir_function *f, GArray *edges)
{
    g_autofree uint8_t *state = g_new0(uint8_t, f->block_count), *next = g_new0(uint8_t, f->block_count);
    g_autofree uint32_t *way = g_new0(uint32_t, f->block_count + 1);
    uint32_t depth = 0;
    way[depth++] = 0, state[0] = 1;
    while (depth) {
        uint32_t at = way[depth - 1];
        const tw__ir_block *b = &f->blocks[at];
        if (next[at] >= b->successor_count) {
            state[at] = 2, depth--;
            continue;
        }
        uint32_t to = b->successors[next[at]++];
        if (state[to] == 1) g_array_append_val(edges, at), g_array_append_val(edges, to);
        if (state[to] == 0) state[to] = 1, way[depth++] = to;
    }
}

/* The blocks of the loop of an edge back: those that come to its end without passing its header. */
static bool *body_of(const tw__ir_function *f, uint32_t latch, uint32_t header)
{
    bool *body = g_new0(bool, f->block_count);
    body[header] = body[latch] = true;
    for (bool changed = latch != header; changed;) {
        changed = false;
        for (uint32_t b = 0; b < f->block_count; b++) {
            for (uint32_t s = 0; s < f->blocks[b].successor_count && !body[b]; s++)
                if (body[f->blocks[b].successors[s]] && f->blocks[b].successors[s] != header)
                    body[b] = changed = true;
        }
    }
    return body;
}

typedef struct loop {
    uint32_t header, latch, size;
    bool *body;
} loop;

static GArray *find_loops(const tw__ir_function *f)
{
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    GArray *loops = g_array_new(FALSE, FALSE, sizeof(loop));
    find_back_edges(f, edges);
    for (guint i = 0; i < edges->len; i += 2) {
        loop l = { .latch = g_array_index(edges, uint32_t, i), .header = g_array_index(edges, uint32_t, i + 1) };
        l.body = body_of(f, l.latch, l.header);
        for (uint32_t b = 0; b < f->block_count; b++) l.size += l.body[b];
        g_array_append_val(loops, l);
    }
    return loops;
}

static void free_loops(GArray *loops)
{
    for (guint i = 0; i < loops->len; i++) g_free(g_array_index(loops, loop, i).body);
    g_array_free(loops, TRUE);
}

/* The innermost loop around a block; NULL: there is none. */
static const loop *loop_around(const GArray *loops, uint32_t block)
{
    const loop *best = NULL;
    for (guint i = 0; i < loops->len; i++) {
        const loop *l = &g_array_index(loops, loop, i);
        if (l->body[block] && (!best || l->size < best->size)) best = l;
    }
    return best;
}

uint32_t tw__aie_first_place(const tw__ir_function *f, uint32_t block)
{
    const tw__ir_block *b = &f->blocks[block];
    uint32_t i = b->first;
    while (i + 1 < b->first + b->count && (f->values[i].op == TW__IR_phi || f->values[i].op == TW__IR_alloca)) i++;
    return i;
}

/* Where a turn begins: behind the condition of a loop that has one in front, which moves to its end. */
static uint32_t place_of_mark(const tw__ir_function *f, const loop *l)
{
    const tw__ir_block *b = &f->blocks[l->header];
    uint32_t inside = l->header, count = 0;
    for (uint32_t s = 0; s < b->successor_count; s++)
        if (l->body[b->successors[s]]) inside = b->successors[s], count++;
    return tw__aie_first_place(f, b->successor_count == 2 && count == 1 ? inside : l->header);
}

/* What an instruction says of the loop around it: a hint, or a call of what may hold a loop. */
static uint64_t mark_of(const tw__ir_function *f, const tw__ir_value *v, bool *calls)
{
    for (size_t h = 0; h < G_N_ELEMENTS(hints); h++) {
        if (!is_call_of(v, hints[h].name)) continue;
        int64_t number = f->values[f->operands[v->first]].number;
        if (!hints[h].at) return hints[h].flags;
        if (hints[h].at == COPIES_AT && number <= 0) return FLATTEN; /* all of them */
        return (uint64_t)(number < 0 ? 0 : number > MOST ? MOST : number) << hints[h].at;
    }
    *calls |= (v->op == TW__IR_call || v->op == TW__IR_invoke) && v->callee &&
              !g_str_has_prefix(v->callee, "llvm.") && !tw__aie_is_intrinsic(v);
    return 0;
}

static void mark_loops_of(tw__ir *ir, size_t number)
{
    const tw__ir_function *f = &ir->functions[number];
    GArray *loops = find_loops(f);
    for (guint i = 0; i < loops->len; i++) {
        const loop *l = &g_array_index(loops, loop, i);
        uint64_t mark = 0;
        bool calls = false, is_first = true;
        for (guint k = 0; k < loops->len; k++) {
            uint32_t other = g_array_index(loops, loop, k).header;
            is_first &= other != l->header || k >= i; /* one mark for all ways back to a header */
            if (other != l->header && l->body[other]) mark |= OUTER;
        }
        for (uint32_t b = 0; b < f->block_count; b++) {
            const loop *around = loop_around(loops, b);
            for (uint32_t v = 0; v < f->blocks[b].count && around && around->header == l->header; v++)
                mark |= mark_of(f, &f->values[f->blocks[b].first + v], &calls);
        }
        if (is_first && (mark || calls)) tw__ir_insert_call(ir, number, place_of_mark(f, l), MARK, mark);
    }
    free_loops(loops);
}

void tw__aie_mark_loops(tw__ir *ir)
{
    for (size_t i = 0; i < ir->function_count; i++)
        if (tw__aie_can_count(&ir->functions[i])) mark_loops_of(ir, i);
    for (size_t h = 0; h < G_N_ELEMENTS(hints); h++) tw__ir_remove_calls(ir, hints[h].name);
}

void tw__aie_unmark_loops(tw__ir *ir)
{
    tw__ir_remove_calls(ir, MARK);
}

/* --- straight code ---------------------------------------------------------------------------------------------- */

/* An offset that the instruction encodes has to be constant: then the core's compiler unrolls the loop. */
static bool needs_constants(const tw__ir_function *f, const tw__ir_value *v)
{
    if (!tw__aie_is_intrinsic(v) || tw__aie_cost_of(f, v).latency != 6) return false;
    for (uint32_t o = 0; o < v->operands; o++) {
        const tw__ir_value *p = &f->values[f->operands[v->first + o]];
        if (p->kind == TW__IR_INSTRUCTION && p->block == v->block && !p->is_pointer && p->lanes == 1 &&
            p->bytes == 4 && !p->is_float)
            return true;
    }
    return false;
}

/* What an instruction encodes decides for the loop around it, a hint for its own. */
static bool asks_to_unroll(const tw__ir_function *f, uint32_t block)
{
    for (uint32_t i = 0; i < f->blocks[block].count; i++)
        if (needs_constants(f, &f->values[f->blocks[block].first + i])) return true;
    return false;
}

/* How often a loop of one block turns, when the code says so: a counter from one constant to another; else 0. */
uint64_t tw__aie_trips_of(const tw__ir_function *f, uint32_t block)
{
    const tw__ir_block *b = &f->blocks[block];
    const tw__ir_value *branch = &f->values[b->first + b->count - 1];
    if (branch->op != TW__IR_br || !branch->is_conditional) return 0;
    const tw__ir_value *test = &f->values[f->operands[branch->first]];
    if (test->op == TW__IR_phi && test->operands == 2 &&
        f->values[f->operands[test->first]].kind == TW__IR_CONSTANT &&
        f->values[f->operands[test->first + 1]].kind == TW__IR_CONSTANT)
        return 2; /* a counter of two turns is a flag: yes, then no */
    if (test->op != TW__IR_icmp) return 0;
    const tw__ir_value *next = &f->values[f->operands[test->first]],
                       *end = &f->values[f->operands[test->first + 1]];
    bool before = next->op == TW__IR_phi; /* the counter as it was in this turn */
    const tw__ir_value *phi = before ? next : next->op == TW__IR_add ? &f->values[f->operands[next->first]] : NULL;
    if (!phi || phi->op != TW__IR_phi || phi->operands != 2 || end->kind != TW__IR_CONSTANT) return 0;
    int64_t first = 0, step = 0;
    bool has_first = false;
    for (uint32_t o = 0; o < 2; o++) {
        const tw__ir_value *from = &f->values[f->operands[phi->first + o]];
        if (from->kind == TW__IR_CONSTANT) first = from->number, has_first = true;
        if (from->op == TW__IR_add && from->operands == 2 && from->kind == TW__IR_INSTRUCTION)
            step = f->values[f->operands[from->first + 1]].number;
    }
    if (!has_first || step <= 0 || end->number <= first) return 0;
    return (uint64_t)((end->number - first + step - 1) / step) + before;
}

static bool is_local(const tw__ir_function *f, uint32_t pointer)
{
    return f->values[pointer].op == TW__IR_alloca;
}

/* What a turn issues, about: copies between registers are none of it. */
static uint64_t operations_in(const tw__ir_function *f, uint32_t block)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < f->blocks[block].count; i++) {
        const tw__ir_value *v = &f->values[f->blocks[block].first + i];
        if ((v->op == TW__IR_load && is_local(f, f->operands[v->first])) ||
            (v->op == TW__IR_store && is_local(f, f->operands[v->first + 1])))
            continue;
        count += tw__aie_cost_of(f, v).unit != TW__AIE_NONE;
    }
    return count;
}

/* Loops whose turns are few and small become straight code, as the vendor's xlopt does it. */
static bool is_small(const tw__ir_function *f, uint32_t block)
{
    enum { MOST_OPERATIONS = 80 }; /* an estimate */
    uint64_t trips = tw__aie_is_self_loop(f, block) ? tw__aie_trips_of(f, block) : 0;
    return trips && trips <= MOST_OPERATIONS && trips * operations_in(f, block) <= MOST_OPERATIONS;
}

/* Whether a block's loop becomes straight code. *copies: or has so many turns in one (chess_unroll_loop). */
static bool becomes_straight(const tw__ir_function *f, uint32_t block, int round, uint32_t *copies)
{
    const tw__aie_loop own = tw__aie_loop_of(f, block);
    *copies = 0;
    if (own.copies > 1) { /* as the source says, once */
        *copies = own.copies;
        return round == 0;
    }
    return asks_to_unroll(f, block) || is_small(f, block);
}

static bool unroll_loops(tw__ir *ir, size_t number, int round)
{
    const tw__ir_function *f = &ir->functions[number];
    bool found = false;
    GArray *loops = find_loops(f);
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint32_t copies;
        const loop *l = loop_around(loops, b);
        if (!l) continue;
        bool straight = becomes_straight(f, b, round, &copies);
        if (b == l->header && round == 0) straight |= tw__aie_loop_of(f, b).is_flattened;
        if (!straight) continue;
        tw__ir_unroll(ir, number, f->blocks[l->latch].first + f->blocks[l->latch].count - 1, copies);
        found = true;
    }
    free_loops(loops);
    return found;
}

/* Innermost loops first; what holds them may be small enough then. */
tw_status tw__aie_unroll_loops(tw__ir *ir)
{
    enum { MOST_ROUNDS = 4 };
    bool found = true;
    for (int round = 0; found && round < MOST_ROUNDS; round++) {
        found = false;
        for (size_t i = 0; i < ir->function_count; i++)
            if (tw__aie_can_count(&ir->functions[i])) found |= unroll_loops(ir, i, round);
        tw_status status = tw__ir_optimise(ir, UNROLL);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}
