/* SPDX-License-Identifier: MIT */
/* fit: cycles of an instruction from the fitted tables, where they have it, else from head,
 * slope and tail (5.2) or latency and interval (A5). Everything here is an estimate. */
#include "pto/pto.h"
#include "pto/cost/cost.h"
#include "pto/cost/fit.def"

#include <glib.h>

enum { REPEAT = 256 }; /* bytes of a vector register */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t at_least_1(double cycles)
{
    return cycles < 1 ? 1 : (uint64_t)(cycles + 0.5);
}

/* The tile that says how much work there is: the one of most bytes that is not tmp. */
static const tw_pto_tile *largest(const tw__pto_call *call)
{
    const tw_pto_tile *most = NULL;
    uint64_t bytes = 0;
    for (unsigned i = 0; i < call->count; i++) {
        if (call->operand[i].kind != TW_PTO_TILE || call->row->form[i] == 't') continue;
        const tw_pto_tile *t = tw__tile(call, i);
        uint64_t n = (uint64_t)t->valid_rows * t->valid_cols * tw_type_size(t->type);
        if (!most || n > bytes) most = t, bytes = n;
    }
    return most;
}

/* --- A2/A3: by number of columns -------------------------------------------------------------------------------- */

static const struct fit {
    const char *name;
    tw_type type;
    uint32_t cols;
    double slope, bias;
} fits[] = {
#define ROW(name, type, cols, slope, bias) { #name, TW_##type, cols, slope, bias },
    TW__FIT_A2A3(ROW)
#undef ROW
};

/* Rows are worked on in whole steps, so a tile costs what the next wider one of the table does. */
static bool fit_a2a3(const tw__pto_call *call, const tw_pto_tile *t, uint64_t *cycles)
{
    const struct fit *best = NULL;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        const struct fit *f = &fits[i];
        if (f->type != t->type || g_ascii_strcasecmp(f->name, call->row->mnemonic) != 0) continue;
        best = f; /* ascending: the last one stands for all wider tiles */
        if (f->cols == 0 || f->cols >= t->valid_cols) break;
    }
    if (!best) return false;
    uint32_t cols = t->valid_cols < best->cols ? best->cols : t->valid_cols;
    *cycles = at_least_1(best->slope * t->valid_rows * cols + best->bias);
    return true;
}

/* --- A5: one run or row by row ---------------------------------------------------------------------------------- */

static const struct fit5 {
    const char *name;
    tw_type from, to;
    bool precise;
    double run[2], rows[3];
} fits5[] = {
#define TW_NONE                                     TW_TYPE_NONE
#define ROW(name, from, to, precise, a, b, c, d, e) { #name, TW_##from, TW_##to, precise, { a, b }, { c, d, e } },
    TW__FIT_A5(ROW)
#undef ROW
#undef TW_NONE
};

static bool contiguous(const tw__pto_call *call)
{
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_tile *t = call->operand[i].kind == TW_PTO_TILE ? tw__tile(call, i) : NULL;
        if (t && (t->valid_cols != t->cols || t->base_cols) && t->valid_rows > 1) return false;
    }
    return true;
}

static bool fit_a5(const tw__pto_call *call, const tw_pto_tile *t, uint64_t *cycles)
{
    int a = tw__letter(call->row, 'a');
    tw_type from = a < 0 ? t->type : tw__tile(call, (unsigned)a)->type, to = tw__tile(call, 0)->type;
    for (size_t i = 0; i < sizeof fits5 / sizeof *fits5; i++) {
        const struct fit5 *f = &fits5[i];
        if (f->from != from || (f->to && f->to != to) || f->precise != (call->attrs->precise != 0) ||
            g_ascii_strcasecmp(f->name, call->row->mnemonic) != 0)
            continue;
        size_t size = tw_type_size(from) > tw_type_size(to) ? tw_type_size(from) : tw_type_size(to);
        uint64_t row = divide_up((uint64_t)t->valid_cols * size, REPEAT),
                 run = divide_up((uint64_t)t->valid_rows * t->valid_cols * size, REPEAT);
        *cycles =
            at_least_1(contiguous(call) ? f->run[0] * (double)run + f->run[1]
                                        : (f->rows[0] * (double)row + f->rows[1]) * t->valid_rows + f->rows[2]);
        return true;
    }
    return false;
}

/* Latency and interval of A5's vector instructions: f32, f16; interval. Start-up 6, drain = latency - 2. */
static const struct micro {
    unsigned char f32, f16, interval; /* 0 = not published: the A2/A3 model stands in */
} micros[] = {
    [TW__COST_ADD] = { 7, 7, 2 },         [TW__COST_MUL] = { 8, 8, 2 },     [TW__COST_DIV] = { 17, 22, 4 },
    [TW__COST_ADDS] = { 7, 7, 1 },        [TW__COST_MULS] = { 8, 8, 1 },    [TW__COST_MAXS] = { 6, 6, 1 },
    [TW__COST_AND] = { 6, 6, 1 },         [TW__COST_SELECT] = { 6, 6, 1 },  [TW__COST_GROUP_ADD] = { 22, 24, 1 },
    [TW__COST_GROUP_MAX] = { 16, 17, 1 }, [TW__COST_CONVERT] = { 8, 8, 1 }, [TW__COST_EXP] = { 16, 21, 4 },
    [TW__COST_ABS] = { 5, 5, 1 },         [TW__COST_COPY] = { 6, 6, 1 },    [TW__COST_CMP] = { 6, 6, 1 },
    [TW__COST_NONE] = { 0, 0, 0 },
};

static const struct cost {
    unsigned char head, slope, tail;
} costs[] = {
#define ROW(name, head, slope, tail) { head, slope, tail },
    TW__PTO_COST_LIST(ROW)
#undef ROW
};

tw__pto_cycles tw__pto_vector_cycles(const tw__pto_call *call)
{
    const tw_pto_tile *t = largest(call);
    const struct cost *c = &costs[call->row->cost];
    tw__pto_cycles out = { 0 };
    if (!t) return (tw__pto_cycles){ .body = c->head };
    if (call->target == TW_PTO_A5 ? fit_a5(call, t, &out.body) : fit_a2a3(call, t, &out.body)) return out;
    uint64_t repeats = divide_up((uint64_t)t->valid_rows * t->valid_cols * tw_type_size(t->type), REPEAT);
    out = (tw__pto_cycles){ c->head, c->slope * repeats, c->tail };
    if (call->target != TW_PTO_A5 || !micros[call->row->cost].interval) return out;
    const struct micro *m = &micros[call->row->cost];
    unsigned latency = tw_type_size(t->type) == 2 ? m->f16 : m->f32;
    return (tw__pto_cycles){ 6, m->interval * repeats, latency - 2 };
}

unsigned tw__pto_cost_head(const tw__pto_row *row)
{
    return costs[row->cost].head;
}
