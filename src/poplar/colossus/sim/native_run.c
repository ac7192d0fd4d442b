/* SPDX-License-Identifier: MIT */
/* Running translated code, so that nobody can tell.
 *
 * A call notes what its stores overwrite. Where it meets anything that is not plain work - an exception, a flag, a
 * store into code - all it did is taken back, and the interpreter, which is the reference, does it again.
 *
 * Workers in rotation share memory: each of them runs alone to the same round, a quantum further on, and notes its
 * loads too. If no worker has loaded or stored what another one stored, their order did not matter. If so, or if one
 * of them stopped, all is taken back. */
#include "poplar/colossus/sim/native.h"

#include <stdlib.h>

enum {
    QUANTUM = 4096, /* turns of a call, rounds of workers together */
    LEAST = 32,     /* fewer are not worth a call */
    POOR = 64,      /* so many calls in a row that were not: others are tried later */
    PAUSE = 64,     /* turns until the next try, doubled each time up to: */
    MOST_PAUSE = 1 << 16,
    ACCESSES = 3
};

/* A worker as it was. */
typedef struct saved {
    uint8_t bytes[offsetof(tw__sim_context, csr)];
    uint32_t status; /* csr[1]: the only control register that an exception changes */
} saved;

typedef struct logs { /* of a thread */
    saved workers[TW_SIM_WORKERS];
    uint32_t loads[TW_SIM_WORKERS][ACCESSES * QUANTUM + ACCESSES];
    tw__sim_undo stores[TW_SIM_WORKERS][QUANTUM + 1];
    tw_sim_exception exception;
    bool has_exception;
    /* who has stored to a word in this quantum: its number << 3 | worker */
    uint32_t quantum;
    uint32_t *owners;
    uint32_t owner_count;
} logs;

static void logs_free(gpointer data)
{
    logs *l = data;
    free(l->owners);
    free(l);
}

static logs *logs_of_thread(const tw_sim *sim)
{
    static GPrivate own = G_PRIVATE_INIT(logs_free);
    logs *l = g_private_get(&own);
    if (!l) {
        l = tw__calloc(1, sizeof *l);
        if (l) g_private_set(&own, l);
    }
    if (l && l->owner_count < sim->size / 4) {
        free(l->owners);
        l->owner_count = sim->size / 4, l->owners = tw__calloc(l->owner_count, sizeof *l->owners);
        if (!l->owners) l->owner_count = 0;
    }
    return l && l->owners ? l : NULL;
}

/* --- taking back ------------------------------------------------------------------------------------------------ */

static void native_save(logs *l, unsigned n, tw__sim_context *w, uint32_t load_step)
{
    w->loads = l->loads[n], w->stores = l->stores[n], w->load_step = load_step;
    memcpy(l->workers[n].bytes, w, sizeof l->workers[n].bytes);
    l->workers[n].status = w->csr[1];
}

static void save_exception(logs *l, const tw_sim *sim)
{
    l->exception = sim->exception, l->has_exception = sim->has_exception;
}

static void take_back(logs *l, unsigned n, tw__sim_context *w)
{
    for (const tw__sim_undo *u = w->stores; u-- > l->stores[n];)
        memcpy(w->memory + (u->at - w->base), &u->old, u->bytes);
    memcpy(w, l->workers[n].bytes, sizeof l->workers[n].bytes);
    w->csr[1] = l->workers[n].status;
    w->sim->exception = l->exception, w->sim->has_exception = l->has_exception;
}

static void native_rest(tw_sim *sim)
{
    sim->native_pause = CLAMP(2 * sim->native_pause, PAUSE, MOST_PAUSE);
    sim->native_wait = sim->native_pause;
}

/* --- a call ----------------------------------------------------------------------------------------------------- */

static const tw__native *native_at(const tw__sim_context *w)
{
    uint32_t offset = w->pc - w->base;
    if (w->pc & 3 || offset >= w->region1 - w->base || w->fp_slow) return NULL;
    if (w->repeat_count && w->pc != w->repeat_first) return NULL;
    const tw__sim_page *page = w->sim->pages[offset >> TW__SIM_PAGE_BITS];
    unsigned number = page ? page->native[(offset & (TW__SIM_PAGE - 1)) / 4] : 0;
    return number && number != TW__SIM_ASKED ? w->sim->natives[number - 1] : NULL;
}

bool tw__native_at(tw__sim_context *w)
{
    return native_at(w) != NULL;
}

static bool call_aux(tw__sim_native_call *c, unsigned row, const tw__sim_op *op)
{
    tw__sim_context *w = c->real;
    w->extra = 0;
    bool good = tw__sim_aux_rows[row].aux(w, op);
    c->extra = (uint32_t)w->extra, w->extra = 0;
    return good && !w->fp_slow;
}

/* At most `turns` turns; *used: those it took. False: it has to be taken back. */
static bool native_call(tw__sim_context *w, const tw__native *n, uint64_t turns, uint64_t *used)
{
    tw__sim_native_call c = { .real = w,
                              .m = w->m,
                              .a = w->a,
                              .tas = &w->tas,
                              .e = w->e,
                              .o = w->o,
                              .memory = w->memory,
                              .code_map = w->code_map,
                              .aux = call_aux,
                              .load_step = w->load_step,
                              .loads = w->loads,
                              .stores = w->stores,
                              .pc = w->pc,
                              .repeat_count = w->repeat_count,
                              .repeat_first = w->repeat_first,
                              .repeat_end = w->repeat_end,
                              .left = (int64_t)turns };
    bool good = n->code(&c);
    w->stores = c.stores;
    if (!good) return false;
    w->loads = c.loads, w->pc = c.pc;
    w->repeat_count = c.repeat_count, w->repeat_first = c.repeat_first, w->repeat_end = c.repeat_end;
    *used = (uint64_t)((int64_t)turns - c.left);
    w->turns += *used, w->sim->native_turns += *used;
    return true;
}

bool tw__native_alone(tw__sim_context *w, uint64_t turns)
{
    tw_sim *sim = w->sim;
    logs *l = logs_of_thread(sim);
    const tw__native *n;
    uint64_t used, all = 0;
    w->turn = w->extra = 0;
    if (!l) native_rest(sim);
    for (; l && all < turns && (n = native_at(w)); all += used) {
        native_save(l, 0, w, 0), save_exception(l, sim);
        if (!native_call(w, n, MIN(turns - all, QUANTUM), &used)) {
            take_back(l, 0, w);
            native_rest(sim);
            return all != 0;
        }
        if (!used) break;
    }
    if (all >= LEAST)
        sim->native_poor = 0, sim->native_pause = 0;
    else if (sim->native_poor++ == POOR)
        sim->native_poor = 0, native_rest(sim);
    return all != 0;
}

/* --- together --------------------------------------------------------------------------------------------------- */

/* One instruction by the interpreter, noted. False: it is not plain work. */
static bool logged_step(tw__sim_context *w)
{
    const tw__sim_op *op = tw__sim_at(w, w->pc), *next;
    if (!op) return false;
    if (op->run == tw__sim_first) tw__sim_decode(w->sim, (tw__sim_op *)op);
    tw__native_kind kind = tw__native_kind_of(op);
    if (kind == TW__NATIVE_STEP || kind == TW__NATIVE_END || (w->repeat_count && !tw__sim_body_fits(w, op)))
        return false;
    w->turn = w->extra = 0, w->left = 1, w->stepping = true;
    const tw__sim_functions *logged = op->row < TW__OP_COUNT ? &tw__sim_logged_rows[op->row] : NULL;
    if (!logged || !logged->solo || op->run == tw__sim_aux_only)
        next = op->run(w, op);
    else if (op->aux_row >= TW__OP_COUNT)
        next = logged->solo(w, op);
    else
        next = op->run == tw__sim_main_rows[op->row].lone ? logged->lone(w, op) : logged->bundled(w, op);
    w->stepping = false;
    if (!next) return false;
    w->pc = next->address;
    if (w->repeat_count && w->pc == w->repeat_end && --w->repeat_count) w->pc = w->repeat_first;
    w->turns += 1 + w->extra, w->extra = 0;
    return true;
}

/* A worker until it has taken so many turns; false: it stopped before, everything up to w->turns is good. */
static bool run_to(tw__sim_context *w, uint64_t goal, uint64_t *good)
{
    const tw__native *n;
    bool room = true; /* for another call */
    for (*good = w->turns; w->turns < goal; *good = w->turns) {
        uint64_t used = 0;
        if (room && (n = native_at(w)) && !native_call(w, n, goal - w->turns, &used)) return false;
        if (used) continue;
        room &= !native_at(w);
        if (w->fp_slow || !logged_step(w)) return false;
    }
    return true;
}

typedef struct range {
    uint32_t low, high;
} range;

static void native_range_add(range *r, uint32_t at, uint32_t bytes)
{
    r->low = MIN(r->low, at), r->high = MAX(r->high, at + bytes);
}

static range loads_range(const uint32_t *from, const uint32_t *end)
{
    range r = { UINT32_MAX, 0 };
    for (; from < end; from++) native_range_add(&r, *from & 0xffffff, *from >> 24);
    return r;
}

static range stores_range(const tw__sim_undo *from, const tw__sim_undo *end)
{
    range r = { UINT32_MAX, 0 };
    for (; from < end; from++) native_range_add(&r, from->at, from->bytes);
    return r;
}

static bool range_meets(range a, range b)
{
    return a.low < b.high && b.low < a.high;
}

/* Notes the words that worker n has stored to; true: another one has, too. */
static bool own_words(logs *l, unsigned n, const tw__sim_context *w)
{
    uint32_t mine = l->quantum << 3 | n;
    for (const tw__sim_undo *u = l->stores[n]; u < w->stores; u++)
        for (uint32_t at = (u->at - w->base) / 4; at < (u->at - w->base + u->bytes + 3) / 4; at++) {
            if (l->owners[at] >> 3 == l->quantum && l->owners[at] != mine) return true;
            l->owners[at] = mine;
        }
    return false;
}

static bool loads_owned(const logs *l, unsigned n, const tw__sim_context *w)
{
    uint32_t mine = l->quantum << 3 | n;
    for (const uint32_t *load = l->loads[n]; load < w->loads; load++) {
        uint32_t first = ((*load & 0xffffff) - w->base) / 4,
                 end = ((*load & 0xffffff) - w->base + (*load >> 24) + 3) / 4;
        for (uint32_t at = first; at < end; at++)
            if (l->owners[at] >> 3 == l->quantum && l->owners[at] != mine) return true;
    }
    return false;
}

/* Has one of them loaded or stored what another one stored? */
static bool met(logs *l, tw__sim_context *const *workers, unsigned count)
{
    range loads[TW_SIM_WORKERS], stores[TW_SIM_WORKERS];
    bool near = false;
    for (unsigned n = 0; n < count; n++) {
        loads[n] = loads_range(l->loads[n], workers[n]->loads);
        stores[n] = stores_range(l->stores[n], workers[n]->stores);
    }
    for (unsigned n = 0; n < count; n++)
        for (unsigned k = 0; k < count; k++)
            near |= n != k && (range_meets(stores[n], stores[k]) || range_meets(stores[n], loads[k]));
    if (!near) return false;
    if (++l->quantum >> 29) l->quantum = 1, memset(l->owners, 0, l->owner_count * sizeof *l->owners);
    for (unsigned n = 0; n < count; n++)
        if (own_words(l, n, workers[n])) return true;
    for (unsigned n = 0; n < count; n++)
        if (loads_owned(l, n, workers[n])) return true;
    return false;
}

/* One try with so many rounds; the number of rounds that all of them can make, `rounds` when they have. */
static uint64_t try_rounds(logs *l, tw__sim_context *const *workers, const uint64_t *ahead, unsigned count,
                           uint64_t rounds)
{
    uint64_t most = rounds;
    unsigned n;
    save_exception(l, workers[0]->sim);
    for (n = 0; n < count; n++) native_save(l, n, workers[n], 1);
    for (n = 0; n < count && most == rounds; n++) {
        uint64_t start = workers[n]->turns, good;
        if (ahead[n] < rounds && !run_to(workers[n], start + rounds - ahead[n], &good))
            most = ahead[n] + good - start;
    }
    if (most == rounds && met(l, workers, count)) most = 0;
    if (most != rounds)
        while (n--) take_back(l, n, workers[n]);
    return most;
}

bool tw__native_together(tw__sim_context *const *workers, const uint64_t *ahead, unsigned count, uint64_t rounds)
{
    tw_sim *sim = workers[0]->sim;
    logs *l = logs_of_thread(sim);
    bool any = false;
    for (unsigned n = 0; n < count; n++) any |= !workers[n]->fp_slow;
    rounds = MIN(rounds, QUANTUM);
    while (l && any && rounds >= LEAST) {
        uint64_t made = try_rounds(l, workers, ahead, count, rounds);
        if (made == rounds) {
            if (rounds == QUANTUM) sim->native_pause = 0;
            return true;
        }
        rounds = made;
    }
    native_rest(sim);
    return false;
}
