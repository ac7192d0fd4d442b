/* SPDX-License-Identifier: MIT */
/* The main pipeline: a function of every row, alone and as half of a bundle (rows_main.h), repeat loops, and what is
 * system. */
#include "poplar/colossus/sim/sim.h"

#include <glib.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define READY                                            \
    do {                                                 \
        if (half && UNLIKELY(!half(w, op))) return NULL; \
    } while (0)
#define FROM(at, bytes) (w->memory + ((at) - w->base))
#define TO(at, bytes)   FROM(at, bytes)
/* Tells the decoded code that a store hit it; the record that runs now may be emptied by this. */
#define STORED(at, bytes)                                                 \
    do {                                                                  \
        if (UNLIKELY(w->code_map[((at) - w->base) >> TW__SIM_PAGE_BITS])) \
            tw__sim_drop_code(w->sim, (at), (bytes));                     \
    } while (0)

#include "poplar/colossus/sim/rows_aux_table.h"
#include "poplar/colossus/sim/rows_main.h"

/* --- memory ----------------------------------------------------------------------------------------------------- */

static __attribute__((noinline, cold)) const tw__sim_op *
bad_access(tw__sim_context *w, const tw__sim_op *op, unsigned count, const uint32_t *at, const uint8_t *bytes)
{
    for (unsigned i = 0; i < count; i++) {
        tw_sim_cause cause = at[i] - w->base >= w->size             ? TW_SIM_CAUSE_INVALID_ADDRESS
                             : at[i] & (bytes[i] - 1u)              ? TW_SIM_CAUSE_MISALIGNED
                             : bytes[i] == 16 && at[i] < w->region1 ? TW_SIM_CAUSE_INVALID_REGION
                                                                    : TW_SIM_CAUSE_NONE;
        if (cause == TW_SIM_CAUSE_NONE) continue;
        tw__sim_fault(w, op->address, cause, count, at);
        return NULL;
    }
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_CONFLICT, count, at);
    return NULL;
}

/* --- flow ------------------------------------------------------------------------------------------------------- */

#define SEM_EXIT(status)                                                      \
    uint32_t x = V(0);                                                        \
    w->state = TW_SIM_IDLE, w->exit_status = (status), w->pc = next->address; \
    return NULL;

static const tw__sim_op *trap(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_fault(w, op->address, op->imm & 1 ? TW_SIM_CAUSE_TRAP1 : TW_SIM_CAUSE_TRAP0, 0, NULL);
    return NULL;
}
#define SEM_TRAP return trap(w, op);

/* --- repeat loops ----------------------------------------------------------------------------------------------- */

bool tw__sim_body_fits(tw__sim_context *w, const tw__sim_op *op)
{
    if (op->run == tw__sim_first) tw__sim_decode(w->sim, (tw__sim_op *)op);
    return op->row < TW__OP_COUNT && op->aux_row < TW__OP_COUNT &&
           !((tw__isa_rows[op->row].flags | tw__isa_rows[op->aux_row].flags) & (TW_ISA_CONTROL | TW_ISA_SYSTEM));
}

bool tw__sim_body_checked(tw__sim_context *w)
{
    for (uint32_t address = w->repeat_first; address < w->repeat_end; address += 8) {
        if (address - w->base >= w->region1 - w->base) return false; /* the loop finds out when it comes there */
        if (!tw__sim_body_fits(w, tw__sim_at(w, address))) return false;
    }
    return true;
}

static const tw__sim_op *begin_repeat(tw__sim_context *w, const tw__sim_op *op, uint32_t count, uint32_t size)
{
    uint32_t first = op->next->address, mask = w->sim->arch == TW_ISA_IPU1 ? 0xfff : 0xffff;
    if (w->repeat_count) {
        tw__sim_fault(w, op->address, TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT, 0, NULL);
        return NULL;
    }
    if (first & 7) {
        tw__sim_fault(w, op->address, TW_SIM_CAUSE_REPEAT_MISALIGNED, 1, &first);
        return NULL;
    }
    count &= mask;
    if (!count) return tw__sim_at(w, first + 8 * size);
    w->repeat_count = count, w->repeat_first = first, w->repeat_end = first + 8 * size;
    if (w->stepping) {
        w->sim->loops++, w->odd = true;
        return op->next;
    }
    const tw__sim_op *body = tw__sim_at(w, first), *after = body ? tw__sim_repeat(w, body) : NULL;
    if (!after) w->extra++; /* rpt itself has retired, what stopped is in its body */
    return after;
}
#define SEM_REPEAT                                                    \
    uint32_t count = V(0), size = IS_KIND(0, M) ? op->imm : op->r[3]; \
    READY;                                                            \
    w->extra++; /* rpt itself, before the turns of its body */        \
    const tw__sim_op *after = begin_repeat(w, op, count, size + 1);   \
    w->extra--;                                                       \
    return after;

/* --- system ----------------------------------------------------------------------------------------------------- */

static const tw__sim_op *rows_bad(tw__sim_context *w, const tw__sim_op *op, tw_sim_cause cause)
{
    tw__sim_fault(w, op->address, cause, 0, NULL);
    return NULL;
}

#define SEM_GET                                                                                 \
    uint32_t value;                                                                             \
    w->pc = op->address;                                                                        \
    if (!tw__sim_csr_get(w, op->imm, &value)) return rows_bad(w, op, TW_SIM_CAUSE_INVALID_CSR); \
    READY;                                                                                      \
    w->m[op->d[0]] = value;

#define SEM_PUT                                                                               \
    uint32_t value = V(1), old;                                                               \
    if (!tw__sim_csr_get(w, op->imm, &old)) return rows_bad(w, op, TW_SIM_CAUSE_INVALID_CSR); \
    READY;                                                                                    \
    tw__sim_csr_put(w, op->imm, value);

static const tw__sim_op *load_weights(tw__sim_context *w, const tw__sim_op *op, unsigned count)
{
    uint32_t *load = &w->csr[0x50], at = *load, limit = w->sim->arch == TW_ISA_IPU1 ? 32 : 64;
    if (op->imm + count > limit) return rows_bad(w, op, TW_SIM_CAUSE_INVALID_WEIGHT);
    REACH(at, 8);
    if (count == 2 && (at & 15 || at < w->region1)) return bad_access(w, op, 1, &at, (const uint8_t[]){ 16 });
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *p = FROM(at, 8) + 8 * i;
        tw__sim_set_weight(w->sim, op->imm + i, load64(p));
    }
    *load = at + 8 * count;
    return op->next;
}
#define SEM_LOAD_WEIGHTS(count) \
    READY;                      \
    return load_weights(w, op, count);

static bool can_start(const tw__sim_context *w, const tw__sim_op *op, uint32_t entry, uint32_t base)
{
    tw_sim_cause cause = entry & 3 || entry - w->base >= w->region1 - w->base ? TW_SIM_CAUSE_INVALID_WORKER_PC
                         : base & 3 ? TW_SIM_CAUSE_INVALID_WORKER_VERTEX_BASE
                                    : TW_SIM_CAUSE_NONE;
    if (cause != TW_SIM_CAUSE_NONE) rows_bad((tw__sim_context *)w, op, cause);
    return cause == TW_SIM_CAUSE_NONE;
}

static const tw__sim_op *run_one(tw__sim_context *w, const tw__sim_op *op, uint32_t entry, uint32_t base)
{
    tw_sim *sim = w->sim;
    base += 4 * op->imm + w->base;
    if (!can_start(w, op, entry, base)) return NULL;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) {
        if (sim->contexts[i].state != TW_SIM_IDLE) continue;
        tw__sim_begin(&sim->contexts[i], entry, base, tw__sim_cycle_now(w) + 1);
        return op->next;
    }
    return rows_bad(w, op, TW_SIM_CAUSE_WORKER_ACTIVE);
}
#define SEM_RUN                         \
    uint32_t entry = V(0), base = V(1); \
    return run_one(w, op, entry, base);

static const tw__sim_op *run_all(tw__sim_context *w, const tw__sim_op *op, uint32_t entry, uint32_t base)
{
    tw_sim *sim = w->sim;
    bool active = false;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) active |= sim->contexts[i].state != TW_SIM_IDLE;
    if (active) {
        w->csr[1] |= 8; /* SSR.RAERR */
        for (unsigned i = 0; i < TW_SIM_WORKERS; i++)
            if (sim->contexts[i].state == TW_SIM_ACTIVE)
                tw__sim_fault(&sim->contexts[i], sim->contexts[i].pc, TW_SIM_CAUSE_WORKER_ACTIVE, 0, NULL);
        return rows_bad(w, op, TW_SIM_CAUSE_WORKER_ACTIVE);
    }
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++)
        if (!can_start(w, op, entry, base + 4 * op->imm * i)) return NULL;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++)
        tw__sim_begin(&sim->contexts[i], entry, base + 4 * op->imm * i, tw__sim_cycle_now(w) + 1 + i);
    return op->next;
}
#define SEM_RUN_ALL                     \
    uint32_t entry = V(0), base = V(1); \
    return run_all(w, op, entry, base);

/* Zone 2 waits for the workers of this tile: the supervisor stays here. All else is between tiles. */
static const tw__sim_op *wait_outside(tw__sim_context *w, const tw__sim_op *op)
{
    w->sim->waiting = true;
    return op->next;
}
#define SEM_SYNC                                  \
    if (op->imm != 2) return wait_outside(w, op); \
    if (tw__sim_active_workers(w->sim)) {         \
        w->blocked = true;                        \
        return op;                                \
    }
#define SEM_EXCHANGE return wait_outside(w, op);

/* --- the functions of the rows ---------------------------------------------------------------------------------- */

#define X_AUX(id, ops, sem)
#define X_MAIN(id, ops, sem)                                                                           \
    static inline __attribute__((always_inline)) const tw__sim_op *main_##id(                          \
        tw__sim_context *w, const tw__sim_op *op, tw__sim_run_aux *const half, const tw__sim_op *next) \
    {                                                                                                  \
        ENUM_##ops(void) half;                                                                         \
        SEM_##sem return next;                                                                         \
    }                                                                                                  \
    static const tw__sim_op *main_solo_##id(tw__sim_context *w, const tw__sim_op *op)                  \
    {                                                                                                  \
        return main_##id(w, op, NULL, op + 1);                                                         \
    }                                                                                                  \
    static const tw__sim_op *main_lone_##id(tw__sim_context *w, const tw__sim_op *op)                  \
    {                                                                                                  \
        return main_##id(w, op, NULL, op + 2);                                                         \
    }                                                                                                  \
    static const tw__sim_op *main_both_##id(tw__sim_context *w, const tw__sim_op *op)                  \
    {                                                                                                  \
        return main_##id(w, op, op->aux, op + 2);                                                      \
    }
#define X(id, name, pipe, context, archs, form, bits, ops, accesses, cycles, flags, sem, doc) X_##pipe(id, ops, sem)
#include "poplar/colossus/isa/isa.def"
#undef X
#undef X_MAIN
#undef X_AUX

#define X_MAIN(id) [TW__OP_##id] = { main_solo_##id, main_lone_##id, main_both_##id, NULL },
#define X_AUX(id)
#define X(id, name, pipe, ...) X_##pipe(id)
const tw__sim_functions tw__sim_main_rows[TW__OP_COUNT] = {
#include "poplar/colossus/isa/isa.def"
};
#undef X
#undef X_MAIN
#undef X_AUX

const tw__sim_op *tw__sim_aux_only(tw__sim_context *w, const tw__sim_op *op)
{
    return op->aux(w, op) ? op + 2 : NULL;
}

/* --- fused pairs ------------------------------------------------------------------------------------------------ */

/* Bundles of inner loops get a function with both halves in it; it does the same as the function of the main half
 * that calls the other one. */
#define PAIRS(X)                \
    X(ldst64pace, f32v2axpy)    \
    X(ldst64pace, f32v2add)     \
    X(ldst64pace, f32v2mul)     \
    X(ldst64pace, f16v4add)     \
    X(ldst64pace, f16v4mul)     \
    X(ld2x64pace, f32v2add)     \
    X(ld2x64pace, f32v2mul)     \
    X(ld2x64pace, f32v2mac)     \
    X(ld2x64pace, f16v4sisoamp) \
    X(ld64step_s, f32v2add)     \
    X(ld64step_s, f32v2mul)     \
    X(ld64step_s, f32v2axpy)    \
    X(ld64step_s, f16v4sisoamp) \
    X(ld64step_s, f16v4hihoamp) \
    X(st64step_s, f32v2add)     \
    X(st64step_s, f32v2mul)     \
    X(st64pace, f32v2axpy)
#define FUSE(main, aux)                                                                     \
    static const tw__sim_op *fused_##main##_##aux(tw__sim_context *w, const tw__sim_op *op) \
    {                                                                                       \
        return main_##main(w, op, half_##aux, op + 2);                                      \
    }
PAIRS(FUSE)
#undef FUSE

tw__sim_run_op *tw__sim_fused(unsigned main, unsigned aux)
{
#define FUSE(m, a) \
    if (main == TW__OP_##m && aux == TW__OP_##a) return fused_##m##_##a;
    PAIRS(FUSE)
#undef FUSE
    return NULL;
}

/* --- the loop --------------------------------------------------------------------------------------------------- */

#include "poplar/colossus/sim/rows_span.h"

/* Turns that one iteration takes at most. */
static uint64_t body_turns(tw__sim_context *w)
{
    uint64_t turns = 0;
    for (uint32_t address = w->repeat_first; address < w->repeat_end; address += 8) {
        const tw__sim_op *op = tw__sim_at(w, address);
        turns += MAX(tw__isa_rows[op->row].cycles, tw__isa_rows[op->aux_row].cycles);
    }
    return turns;
}

/* As many iterations as can run at once. NULL: an exception, else where to go on. */
static const tw__sim_op *run_spans(tw__sim_context *w, const tw__sim_op *first, uint32_t size, uint64_t *done,
                                   uint64_t *again)
{
    while (*again == 0) {
        uint64_t used = *done + w->turn + w->extra, count = MIN(w->repeat_count, (w->left - used) / size);
        unsigned bundles;
        bool fault;
        if (count < SPAN_LEAST) break;
        uint64_t ran = span_run(w, w->repeat_first, size, count, &bundles, &fault, again);
        *done += ran * size + bundles, w->repeat_count -= (uint32_t)ran;
        if (fault) return NULL;
        if (!w->repeat_count) return tw__sim_at(w, w->repeat_end - 8)->next;
    }
    return first;
}

const tw__sim_op *tw__sim_repeat(tw__sim_context *w, const tw__sim_op *op)
{
    const tw__sim_op *next;
    const tw__sim_op *first = op->address == w->repeat_first ? op : tw__sim_at(w, w->repeat_first);
    if (!first) return NULL;
    uint32_t size = (w->repeat_end - w->repeat_first) / 8, k = (op->address - w->repeat_first) / 8;
    if (!tw__sim_body_checked(w)) {
        w->pc = op->address;
        return NULL;
    }
    uint64_t done = 0, again = 0, most = body_turns(w); /* again: iterations until spans are tried */
    for (;;) {
        if (!again && !k) {
            op = run_spans(w, first, size, &done, &again);
            if (!op || !w->repeat_count) break;
        }
        if (UNLIKELY(done + w->turn + w->extra + most > w->left)) {
            w->pc = op->address, op = NULL;
            break;
        }
        uint32_t rest = size - k;
        for (; LIKELY(rest) && LIKELY((next = op->run(w, op)) != NULL); op = next) rest--;
        done += size - k - rest;
        if (UNLIKELY(rest)) {
            op = NULL;
            break;
        }
        if (!--w->repeat_count) break;
        op = first, k = 0;
        if (again != UINT64_MAX && again) again--;
    }
    w->extra += done;
    return op;
}

#include "poplar/colossus/sim/rows_lanes.h"
