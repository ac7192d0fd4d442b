/* SPDX-License-Identifier: MIT */
/* cost: cycles into the functions of a unit. Each block counts what it takes when it runs; a loop of one block
 * that the core's compiler would pipeline counts its interval each turn, and once, in front of it, what the first
 * turn takes more.
 *
 * Loops are marked before small ones are unrolled: a loop that held another is not pipelined, whatever becomes of
 * that one (docs/aie.md). */
#include "aie/cost/cost.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/aie/cost.h>

#define COUNTER "tw_aie_spend"
#define MARK    "tw__aie_outer_loop"
#define FLATTEN "tw__aie_flatten_loop" /* of chess_flatten_loop and its like (aie/detail/vendor_macros.h) */
/* Of loops those alone that are marked (unroll_loops). */
#define UNROLL                                                                                              \
    "function(loop-simplify,lcssa,loop-unroll<O2;full-unroll-max=0;no-partial;no-runtime;no-upperbound;no-" \
    "peeling>,sroa,instcombine,simplifycfg)"

#define NO_SWITCH "function(lower-switch)" /* the core has no tables of jumps */

enum { BRANCH = 5, ENTRY = 8 };

/* --- loops ------------------------------------------------------------------------------------------------------ */

/* Landing pads end a function's chance to be timed; so do blocks with more ways out than are listed, which a switch
 * had before it became branches. */
static bool can_count(const tw__ir_function *f)
{
    static const char *const of_the_host[] = { "_ZN3adf", "_ZNK3adf",      "_ZNSt",         "_ZNKSt",
                                               "_ZSt",    "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx" };
    if (!f->is_defined || f->unwinds || strcmp(f->section, TW__AIE_SECTION) == 0 || strcmp(f->name, "main") == 0)
        return false;
    g_autofree char *name = tw__aie_plain_name(f->name);
    if (g_str_has_prefix(name, "tw__")) return false; /* rare work of intrinsics */
    if (strcmp(f->section, ".text.startup") == 0 || g_str_has_prefix(f->name, "__cxx")) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(of_the_host); i++)
        if (g_str_has_prefix(f->name, of_the_host[i])) return false;
    for (uint32_t b = 0; b < f->block_count; b++)
        if (f->blocks[b].successor_count > 2) return false;
    return f->block_count > 0;
}

static bool is_self_loop(const tw__ir_function *f, uint32_t block)
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

/* Headers of loops with others in them: one flag a block. */
static bool *find_outer(const tw__ir_function *f)
{
    bool *is_outer = g_new0(bool, f->block_count);
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    find_back_edges(f, edges);
    for (guint i = 0; i < edges->len; i += 2) {
        uint32_t latch = g_array_index(edges, uint32_t, i), header = g_array_index(edges, uint32_t, i + 1);
        g_autofree bool *body = body_of(f, latch, header);
        for (guint k = 1; k < edges->len; k += 2) {
            uint32_t other = g_array_index(edges, uint32_t, k);
            is_outer[header] |= other != header && body[other];
        }
    }
    return is_outer;
}

static uint32_t first_place(const tw__ir_function *f, uint32_t block)
{
    const tw__ir_block *b = &f->blocks[block];
    uint32_t i = b->first;
    while (i + 1 < b->first + b->count && (f->values[i].op == TW__IR_phi || f->values[i].op == TW__IR_alloca)) i++;
    return i;
}

static bool is_call_of(const tw__ir_value *v, const char *name)
{
    return v->op == TW__IR_call && v->callee && strcmp(v->callee, name) == 0;
}

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

static bool asks_to_unroll(const tw__ir_function *f, uint32_t block)
{
    for (uint32_t i = 0; i < f->blocks[block].count; i++) {
        const tw__ir_value *v = &f->values[f->blocks[block].first + i];
        if (needs_constants(f, v) || is_call_of(v, FLATTEN)) return true;
    }
    return false;
}

/* How often a loop of one block turns, when the code says so: a counter from one constant to another; else 0. */
static uint64_t trips_of(const tw__ir_function *f, uint32_t block)
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
    uint64_t trips = is_self_loop(f, block) ? trips_of(f, block) : 0;
    return trips && trips <= MOST_OPERATIONS && trips * operations_in(f, block) <= MOST_OPERATIONS;
}

/* The end of the innermost loop around a block; block_count: there is none. */
static uint32_t latch_around(const tw__ir_function *f, const GArray *edges, uint32_t block)
{
    uint32_t latch = f->block_count, least = UINT32_MAX;
    for (guint i = 0; i < edges->len; i += 2) {
        uint32_t end = g_array_index(edges, uint32_t, i), size = 0;
        g_autofree bool *body = body_of(f, end, g_array_index(edges, uint32_t, i + 1));
        for (uint32_t b = 0; b < f->block_count; b++) size += body[b];
        if (body[block] && size < least) latch = end, least = size;
    }
    return latch;
}

static bool unroll_loops(tw__ir *ir, size_t number)
{
    const tw__ir_function *f = &ir->functions[number];
    bool found = false;
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    find_back_edges(f, edges);
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (!asks_to_unroll(f, b) && !is_small(f, b)) continue;
        uint32_t latch = latch_around(f, edges, b);
        if (latch < f->block_count) tw__ir_unroll(ir, number, f->blocks[latch].first + f->blocks[latch].count - 1);
        found |= latch < f->block_count;
    }
    return found;
}

/* Innermost loops first; what holds them may be small enough then. */
static tw_status unroll_all(tw__ir *ir)
{
    enum { MOST_ROUNDS = 4 };
    bool found = true;
    for (int round = 0; found && round < MOST_ROUNDS; round++) {
        found = false;
        for (size_t i = 0; i < ir->function_count; i++)
            if (can_count(&ir->functions[i])) found |= unroll_loops(ir, i);
        if (round == 0) tw__ir_remove_calls(ir, FLATTEN);
        tw_status status = tw__ir_optimise(ir, UNROLL);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

static void mark_outer_loops(tw__ir *ir)
{
    for (size_t i = 0; i < ir->function_count; i++) {
        const tw__ir_function *f = &ir->functions[i];
        if (!can_count(f)) continue;
        g_autofree bool *is_outer = find_outer(f);
        for (uint32_t b = 0; b < f->block_count; b++)
            if (is_outer[b]) tw__ir_insert_call(ir, i, first_place(f, b), MARK, 0);
    }
}

/* --- counters --------------------------------------------------------------------------------------------------- */

typedef struct counter {
    uint32_t instruction;
    uint64_t cycles;
} counter;

typedef struct unit_work {
    tw__ir *ir;
    size_t number;
    const tw__ir_function *f;
    const bool *is_data, *leaves;
    GArray *counters;
    GString *listing;
} unit_work;

static void add_counter(unit_work *w, uint32_t instruction, uint64_t cycles)
{
    counter c = { instruction, cycles };
    if (cycles) g_array_append_val(w->counters, c);
}

static bool has_mark(const tw__ir_function *f, uint32_t block)
{
    for (uint32_t i = 0; i < f->blocks[block].count; i++)
        if (is_call_of(&f->values[f->blocks[block].first + i], MARK)) return true;
    return false;
}

/* A loop that calls what is no intrinsic, or ends pieces of time, has turns that do not overlap. */
static bool overlaps(const tw__aie_cost *costs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (costs[i].flags & TW__AIE_BARRIER || costs[i].unit == TW__AIE_LOCK) return false;
    return true;
}

/* What comes behind the last instruction. */
static unsigned way_out(const tw__ir_function *f, uint32_t block, bool is_loop, bool is_marked)
{
    const tw__ir_value *last = &f->values[f->blocks[block].first + f->blocks[block].count - 1];
    if (is_loop) return is_marked ? BRANCH : 0;
    return last->op == TW__IR_ret || last->is_conditional ? BRANCH : 0;
}

/* When the last result is there that another block needs, or that stays in a register. */
static unsigned results_end(const unit_work *w, uint32_t block, const tw__aie_cost *costs, const unsigned *at)
{
    const tw__ir_block *b = &w->f->blocks[block];
    unsigned end = 0;
    for (uint32_t i = 0; i < b->count; i++)
        if (costs[i].unit != TW__AIE_NONE && w->leaves[b->first + i] && at[i] + costs[i].latency > end)
            end = at[i] + costs[i].latency;
    return end;
}

/* Values that other blocks use, and intrinsics whose result goes to a register that lies in memory on the host. */
static bool *find_leaving(const tw__ir_function *f)
{
    bool *leaves = g_new0(bool, f->value_count + 1);
    for (uint32_t i = 0; i < f->value_count; i++) {
        const tw__ir_value *v = &f->values[i];
        for (uint32_t o = 0; o < v->operands && v->kind == TW__IR_INSTRUCTION; o++) {
            const tw__ir_value *p = &f->values[f->operands[v->first + o]];
            if (p->kind == TW__IR_INSTRUCTION && (p->block != v->block || v->op == TW__IR_phi))
                leaves[f->operands[v->first + o]] = true;
        }
        if (tw__aie_is_intrinsic(v) && v->bytes == 0) leaves[i] = true;
    }
    return leaves;
}

static void note(unit_work *w, uint32_t block, const char *kind, unsigned length, unsigned interval)
{
    const tw__ir_block *b = &w->f->blocks[block];
    uint32_t line = 0;
    for (uint32_t i = 0; i < b->count && !line; i++) line = w->f->values[b->first + i].line;
    g_string_append_printf(w->listing, "  block %u, line %u: %s, %u instructions, %u cycles", block, line, kind,
                           b->count, length);
    if (interval) g_string_append_printf(w->listing, ", a turn every %u", interval);
    g_string_append_c(w->listing, '\n');
}

static void list_instructions(unit_work *w, uint32_t block, const tw__aie_cost *costs, const unsigned *at)
{
    static const char *const units[TW__AIE_UNITS] = { "-",       "alu",    "move", "vmove", "convert", "load",
                                                      "store",   "vector", "srs",  "ups",   "in",      "out",
                                                      "cascade", "lock",   "call", "result" };
    static const char *const names[] = {
#define TW__IR_NAME(name) #name,
        TW__IR_OPS(TW__IR_NAME)
#undef TW__IR_NAME
    };
    const tw__ir_block *b = &w->f->blocks[block];
    for (uint32_t i = 0; i < b->count; i++) {
        const tw__ir_value *v = &w->f->values[b->first + i];
        if (costs[i].unit == TW__AIE_NONE) continue;
        g_autofree char *name = v->callee ? tw__aie_plain_name(v->callee) : g_strdup(names[v->op]);
        g_string_append_printf(w->listing, "    %5u %-7s %s\n", at[i], units[costs[i].unit], name);
    }
}

/* The cycles of a block into counters: all at its begin, or piece by piece in front of what needs the time. */
static void count_block(unit_work *w, uint32_t block, const tw__aie_cost *costs, const unsigned *at,
                        uint64_t cycles)
{
    const tw__ir_block *b = &w->f->blocks[block];
    uint64_t done = 0;
    bool in_pieces = false;
    for (uint32_t i = 0; i < b->count && cycles; i++) {
        if (!(costs[i].flags & TW__AIE_ENDS)) continue;
        uint64_t now = at[i] + (costs[i].unit == TW__AIE_ALU ? 0 : 1);
        in_pieces = true;
        if (now > cycles) now = cycles;
        if (now > done) add_counter(w, b->first + i, now - done), done = now;
    }
    add_counter(w, in_pieces ? b->first + b->count - 1 : first_place(w->f, block), cycles - done);
}

/* The blocks in front of a loop of one block count what its first turn takes beyond the interval. */
static bool can_count_before(const tw__ir_function *f, uint32_t loop)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        const tw__ir_block *p = &f->blocks[b];
        for (uint32_t s = 0; s < p->successor_count; s++)
            if (p->successors[s] == loop && b != loop && p->successor_count > 1) return false;
    }
    return true;
}

static void count_before(unit_work *w, uint32_t loop, uint64_t cycles)
{
    for (uint32_t b = 0; b < w->f->block_count; b++) {
        const tw__ir_block *p = &w->f->blocks[b];
        for (uint32_t s = 0; s < p->successor_count; s++)
            if (p->successors[s] == loop && b != loop) add_counter(w, p->first + p->count - 1, cycles);
    }
}

static void time_block(unit_work *w, uint32_t block, bool is_entry)
{
    const tw__ir_function *f = w->f;
    uint32_t count = f->blocks[block].count;
    bool is_loop = is_self_loop(f, block), is_marked = has_mark(f, block);
    g_autofree tw__aie_cost *costs = g_new0(tw__aie_cost, count + 1);
    g_autofree unsigned *at = g_new0(unsigned, count + 1);
    g_autoptr(GArray) edges = tw__aie_depend(f, block, is_loop && !is_marked, w->is_data, costs);
    unsigned length = tw__aie_schedule(costs, count, edges, at) + way_out(f, block, is_loop, is_marked);
    unsigned results = results_end(w, block, costs, at);
    if (results > length) length = results;
    if (is_entry) length += ENTRY;
    unsigned interval = 0;
    if (is_loop && !is_marked && overlaps(costs, count) && can_count_before(f, block)) {
        interval = tw__aie_interval(costs, count, edges, length);
        if (interval >= length) interval = 0;
    }
    note(w, block, interval ? "pipelined loop" : is_loop ? "loop" : "straight", length, interval);
    list_instructions(w, block, costs, at);
    count_block(w, block, costs, at, interval ? interval : length);
    if (interval) count_before(w, block, length - interval);
}

static gint later_first(gconstpointer a, gconstpointer b)
{
    uint32_t x = ((const counter *)a)->instruction, y = ((const counter *)b)->instruction;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void time_function(tw__ir *ir, size_t number, GString *listing)
{
    tw__ir_function *f = &ir->functions[number];
    tw__aie_find_arrays(f);
    g_autofree bool *is_data = tw__aie_find_data(f), *leaves = find_leaving(f);
    g_autoptr(GArray) counters = g_array_new(FALSE, FALSE, sizeof(counter));
    g_autofree char *name = tw__aie_plain_name(f->name);
    unit_work w = { .ir = ir,
                    .number = number,
                    .f = f,
                    .is_data = is_data,
                    .leaves = leaves,
                    .counters = counters,
                    .listing = listing };
    g_string_append_printf(listing, "%s:\n", name);
    for (uint32_t b = 0; b < f->block_count; b++) time_block(&w, b, b == 0);
    g_array_sort(counters, later_first);
    for (guint i = 0; i < counters->len; i++) {
        const counter *c = &g_array_index(counters, counter, i);
        tw__ir_insert_call(ir, number, c->instruction, COUNTER, c->cycles);
    }
}

bool tw_aie_can_cost(void)
{
    tw__ir *ir = NULL;
    tw_status status = tw__ir_read("", 0, &ir);
    tw__ir_free(ir);
    return status != TW_E_NO_ENVIRONMENT;
}

/* The unit as the core's compiler might make it, with counters; `text` receives what they are made of. */
static tw__ir *counted_unit(const void *bitcode, size_t size, GString *text)
{
    tw__ir *ir;
    tw_status status = tw__ir_read(bitcode, size, &ir);
    if (status != TW_OK) return NULL;
    mark_outer_loops(ir);
    status = tw__ir_optimise(ir, "default<O2>," NO_SWITCH);
    if (status == TW_OK) status = unroll_all(ir);
    if (status == TW_OK) status = tw__ir_optimise(ir, NO_SWITCH); /* simplifycfg makes them again */
    for (size_t i = 0; i < ir->function_count && status == TW_OK; i++)
        if (can_count(&ir->functions[i])) time_function(ir, i, text);
    if (status == TW_OK) tw__ir_remove_calls(ir, MARK);
    if (status == TW_OK) tw__ir_inline_section(ir, TW__AIE_SECTION);
    if (status == TW_OK) return ir;
    tw__ir_free(ir);
    return NULL;
}

void *tw_aie_cost(const void *bitcode, size_t size, size_t *counted_size)
{
    void *counted = NULL;
    *counted_size = 0;
    GString *text = g_string_new(NULL);
    tw__ir *ir = counted_unit(bitcode, size, text);
    if (ir) tw__ir_write(ir, &counted, counted_size); /* NULL with the reason when it fails */
    tw__ir_free(ir);
    g_string_free(text, TRUE);
    return counted;
}

char *tw_aie_cost_listing(const void *bitcode, size_t size)
{
    GString *text = g_string_new(NULL);
    tw__ir *ir = counted_unit(bitcode, size, text);
    char *listing = ir ? strdup(text->str) : NULL;
    if (ir && !listing) tw__fail(TW_E_NO_MEMORY, "no memory for a listing");
    tw__ir_free(ir);
    g_string_free(text, TRUE);
    return listing;
}
