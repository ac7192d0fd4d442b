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

#define COUNTER   "tw_aie_spend"
#define PLACES    "tw_aie_ran"
#define NO_SWITCH "function(lower-switch)" /* the core has no tables of jumps */
/* simplifycfg makes switches again, and takes away the blocks in front of loops, where their first turns count. */
#define AS_ON_THE_CORE "function(lower-switch,loop-simplify)"

enum { BRANCH = 5, ENTRY = 8 };

/* --- functions -------------------------------------------------------------------------------------------------- */

static bool calls_intrinsics(const tw__ir_function *f)
{
    for (uint32_t i = 0; i < f->value_count; i++)
        if (tw__aie_is_intrinsic(&f->values[i])) return true;
    return false;
}

/* Of what unwinds, and that is most code of the host, kernels alone: they call intrinsics. */
bool tw__aie_can_count(const tw__ir_function *f)
{
    static const char *const of_the_host[] = { "_ZN3adf", "_ZNK3adf",      "_ZNSt",          "_ZNKSt",
                                               "_ZSt",    "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "__clang_" };
    if (!f->is_defined || strcmp(f->section, TW__AIE_SECTION) == 0 || strcmp(f->name, "main") == 0) return false;
    g_autofree char *name = tw__aie_plain_name(f->name);
    if (g_str_has_prefix(name, "tw__")) return false; /* rare work of intrinsics */
    if (strcmp(f->section, ".text.startup") == 0 || g_str_has_prefix(f->name, "__cxx")) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(of_the_host); i++)
        if (g_str_has_prefix(f->name, of_the_host[i])) return false;
    return f->block_count > 0 && (!f->unwinds || calls_intrinsics(f));
}

/* A switch has become branches by now; other jumps by a value are none that the core's compiler makes. */
static tw_status check_jumps(const tw__ir_function *f)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint32_t line = 0;
        if (f->blocks[b].successor_count <= 2 || !calls_intrinsics(f)) continue;
        for (uint32_t i = 0; i < f->value_count && !line; i++) line = f->values[i].line;
        g_autofree char *name = tw__aie_plain_name(f->name);
        return tw__fail(TW_E_NOT_SUPPORTED,
                        "function '%s', line %u: the cycles of a computed goto cannot be counted: write a switch",
                        name, line);
    }
    return TW_OK;
}

/* --- counters --------------------------------------------------------------------------------------------------- */

typedef struct counter {
    uint32_t instruction;
    uint64_t cycles;
    char *lines; /* NULL: cycles go into the sum. Else of a block whose lines these are: that it ran */
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
    counter c = { instruction, cycles, NULL };
    if (cycles) g_array_append_val(w->counters, c);
}

/* Takes the text over. */
static void add_line_counter(unit_work *w, uint32_t instruction, char *lines)
{
    counter c = { instruction, 1, lines };
    if (lines) g_array_append_val(w->counters, c);
}

/* A loop that calls what is no intrinsic, or ends pieces of time, has turns that do not overlap. */
static bool overlaps(const tw__aie_cost *costs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (costs[i].flags & TW__AIE_BARRIER || costs[i].unit == TW__AIE_LOCK) return false;
    return true;
}

/* Whether a block only asks if a loop turns at all of which the source says so (chess_loop_range). */
static bool asks_in_vain(const tw__ir_function *f, uint32_t block)
{
    const tw__ir_block *b = &f->blocks[block];
    for (uint32_t i = 0; i < b->successor_count; i++) {
        uint32_t to = b->successors[i];
        if (f->blocks[to].successor_count == 1) to = f->blocks[to].successors[0];
        if (to != block && tw__aie_is_self_loop(f, to) && tw__aie_loop_of(f, to).least > 0) return true;
    }
    return false;
}

/* What comes behind the last instruction. */
static unsigned way_out(const tw__ir_function *f, uint32_t block, bool is_loop, bool is_straight)
{
    const tw__ir_value *last = &f->values[f->blocks[block].first + f->blocks[block].count - 1];
    if (is_loop) return is_straight ? BRANCH : 0;
    if (last->op == TW__IR_ret) return BRANCH;
    return last->is_conditional && !asks_in_vain(f, block) ? BRANCH : 0;
}

/* Turns that overlap are at most as many as the loop surely makes, where the source says how many. */
static unsigned least_interval(const tw__ir_function *f, uint32_t block, unsigned interval, unsigned length)
{
    const uint64_t least = tw__aie_loop_of(f, block).least;
    if (least < 2 || tw__aie_trips_of(f, block)) return interval;
    const unsigned apart = (unsigned)((length + least - 1) / least);
    return apart > interval ? apart : interval;
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
    add_counter(w, in_pieces ? b->first + b->count - 1 : tw__aie_first_place(w->f, block), cycles - done);
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

static void count_before(unit_work *w, uint32_t loop, uint64_t cycles, const char *lines)
{
    for (uint32_t b = 0; b < w->f->block_count; b++) {
        const tw__ir_block *p = &w->f->blocks[b];
        for (uint32_t s = 0; s < p->successor_count; s++)
            if (p->successors[s] == loop && b != loop) {
                add_counter(w, p->first + p->count - 1, cycles);
                add_line_counter(w, p->first + p->count - 1, g_strdup(lines));
            }
    }
}

static void time_block(unit_work *w, uint32_t block, bool is_entry)
{
    const tw__ir_function *f = w->f;
    uint32_t count = f->blocks[block].count;
    const tw__aie_loop loop = tw__aie_loop_of(f, block);
    if (count == 1 && f->blocks[block].successor_count == 1 && !is_entry)
        return; /* no code: a place for counters */
    bool is_loop = tw__aie_is_self_loop(f, block), is_straight = loop.is_outer && !loop.is_pipelined;
    g_autofree tw__aie_cost *costs = g_new0(tw__aie_cost, count + 1);
    g_autofree unsigned *at = g_new0(unsigned, count + 1);
    g_autoptr(GArray) edges = tw__aie_depend(f, block, is_loop && !is_straight, w->is_data, costs);
    unsigned length = tw__aie_schedule(costs, count, edges, at) + way_out(f, block, is_loop, is_straight);
    unsigned results = results_end(w, block, costs, at);
    if (results > length) length = results;
    if (is_entry) length += ENTRY;
    unsigned interval = 0;
    if (is_loop && !is_straight && overlaps(costs, count) && can_count_before(f, block)) {
        interval = least_interval(f, block, tw__aie_interval(costs, count, edges, length), length);
        if (interval >= length) interval = 0;
    }
    note(w, block, interval ? "pipelined loop" : is_loop ? "loop" : "straight", length, interval);
    list_instructions(w, block, costs, at);
    count_block(w, block, costs, at, interval ? interval : length);
    const tw__aie_block_times times = { f, block, costs, at, length, interval != 0 };
    add_line_counter(w, tw__aie_first_place(f, block),
                     tw__aie_lines_of(&times, interval ? interval : length, false));
    if (!interval) return;
    const tw__aie_block_times first_turn = { f, block, costs, at, length, false };
    g_autofree char *lines = tw__aie_lines_of(&first_turn, length - interval, true);
    count_before(w, block, length - interval, lines);
}

/* Blocks that run when nothing is thrown, which nothing on the core is. */
static bool *find_usual(const tw__ir_function *f)
{
    bool *is_usual = g_new0(bool, f->block_count + 1);
    is_usual[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < f->block_count; b++) {
            const tw__ir_block *from = &f->blocks[b];
            bool unwinds = f->values[from->first + from->count - 1].op == TW__IR_invoke; /* its second way out */
            for (uint32_t s = 0; is_usual[b] && s < (unwinds ? 1 : from->successor_count); s++)
                if (!is_usual[from->successors[s]]) is_usual[from->successors[s]] = changed = true;
        }
    }
    return is_usual;
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
    g_autofree bool *is_usual = find_usual(f);
    for (uint32_t b = 0; b < f->block_count; b++)
        if (is_usual[b]) time_block(&w, b, b == 0);
    g_array_sort(counters, later_first);
    for (guint i = 0; i < counters->len; i++) {
        const counter *c = &g_array_index(counters, counter, i);
        if (c->lines)
            tw__ir_insert_place(ir, number, c->instruction, PLACES, c->cycles, c->lines);
        else
            tw__ir_insert_call(ir, number, c->instruction, COUNTER, c->cycles);
        g_free(c->lines);
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
    status = tw__ir_optimise(ir, NO_SWITCH);
    if (status == TW_OK) tw__aie_mark_loops(ir), status = tw__ir_optimise(ir, "default<O2>," NO_SWITCH);
    if (status == TW_OK) status = tw__aie_unroll_loops(ir);
    if (status == TW_OK) status = tw__ir_optimise(ir, AS_ON_THE_CORE);
    for (size_t i = 0; i < ir->function_count && status == TW_OK; i++) {
        if (!tw__aie_can_count(&ir->functions[i])) continue;
        status = check_jumps(&ir->functions[i]);
        if (status == TW_OK) time_function(ir, i, text);
    }
    if (status == TW_OK) tw__aie_unmark_loops(ir);
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
