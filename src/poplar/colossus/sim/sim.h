/* SPDX-License-Identifier: MIT */
/* colossus, the simulator of a tile: private side.
 *
 * Code is decoded once, word by word where it is first run, into records (tw__sim_op) that hold a function and its
 * operands. What an instruction does is in its row of the table (column `sem`); rows.c makes one function of
 * every row. A bundle is the function of its main half, which calls the aux half after it has read its registers
 * and made its checks, and before it writes: so both see the registers before the bundle, and neither retires when
 * one of them raises an exception. */
#ifndef TW_COLOSSUS_SIM_H
#define TW_COLOSSUS_SIM_H

#include "core/base/checkpoint.h"
#include "poplar/colossus/isa/isa.h"
#include "poplar/colossus/sim/native_call.h"

#include <glib.h>
#include <string.h>
#include <tilewright/poplar/colossus/sim.h>
#include <tilewright/tile.h>

#define TW__SIM_COLD __attribute__((noinline, cold))

G_STATIC_ASSERT(sizeof(tw__sim_op) == 64);

/* Records of 1 KB of code. The two behind the last word lead to the next page: a bundle may begin in the last word.
 */
enum { TW__SIM_PAGE_BITS = 10, TW__SIM_PAGE = 1 << TW__SIM_PAGE_BITS, TW__SIM_PAGE_WORDS = TW__SIM_PAGE / 4 };
enum { TW__SIM_NATIVES = 254, TW__SIM_ASKED = 255 };
typedef struct tw__sim_page {
    tw__sim_op ops[TW__SIM_PAGE_WORDS + 2];
    uint8_t native[TW__SIM_PAGE_WORDS]; /* of translated code that begins here: index in `natives` + 1; or ASKED */
} tw__sim_page;

/* Everything that one instruction of the AMP units does to their accumulators is in weights that are turned into
 * numbers when they are loaded: [group of inputs][input][unit]. */
typedef struct tw__sim_weights {
    uint64_t words[TW__SIM_WEIGHTS]; /* unit * 4 + group */
    _Alignas(32) double half[4][4][TW__SIM_UNITS];
    _Alignas(32) double single[8][TW__SIM_UNITS]; /* even: low words, odd: high words of a group */
} tw__sim_weights;

struct tw__sim_context {
    _Alignas(64) uint32_t m[TW__SIM_REGISTERS];
    _Alignas(16) uint32_t a[TW__SIM_REGISTERS];
    /* memory, copied from the tile */
    uint8_t *memory;
    uint8_t *code_map; /* by 1 KB: has decoded records */
    uint32_t base, size, region1;
    bool clashes;
    /* floating point */
    bool fp_slow; /* another rounding than nearest even, or stochastic */
    bool flush;
    uint32_t fp_ctl, fp_sts, tas;
    _Alignas(32) float e[TW__SIM_UNITS], o[TW__SIM_UNITS]; /* accumulators: AACC[2k], AACC[2k + 1] */
    uint64_t prng[2];
    tw__sim_weights *weights;
    /* steps that can be taken back note what they touch */
    uint32_t *loads, load_step;
    tw__sim_undo *stores;
    /* flow */
    uint32_t pc;
    uint32_t repeat_count, repeat_first, repeat_end;
    uint64_t turn, extra, left; /* of this piece of a run: instructions, turns beside them, how many it may take */
    uint64_t turns, start;      /* before this piece; the cycle of the start */
    bool stepping;              /* one by one: rpt only begins a loop */
    bool odd; /* in a repeat loop, or `extra` has grown: somebody has to look behind an instruction */
    bool exit_status, supervisor;
    bool blocked, held; /* the supervisor: at a sync, or without a slot */
    bool sp_set, sp_warned;
    bool modelled;  /* has run an instruction whose turns are not documented */
    uint8_t number; /* of the context */
    tw_sim_state state;
    tw_sim_cause cause; /* of its last exception */
    tw_sim *sim;
    uint32_t csr[512]; /* what is only kept */
};

struct tw_sim {
    tw__sim_context contexts[TW_SIM_CONTEXTS];
    tw__sim_weights weights;
    tw_isa_arch arch;
    const tw_tile_arch *tile;
    uint8_t *memory;
    bool own_memory;
    bool wide; /* the host has AVX2 */
    tw_sim_options options;
    uint32_t base, size, region1;
    tw__sim_page **pages; /* by 1 KB of the memory, NULL: nothing decoded */
    uint8_t *code_map;
    uint32_t page_count;
    uint64_t clock;
    bool local_consensus;
    uint64_t rounds;                   /* that have passed for the workers which are `stepping` */
    uint32_t loops;                    /* repeat loops that have begun step by step, modulo 2^32 */
    uint32_t patience;                 /* rounds until loops of workers are tried at once again */
    uint64_t ready[TW__SIM_REGISTERS]; /* of the supervisor: cycles from its start until a register may be used */
    bool waiting;                      /* the supervisor, for other tiles */
    tw_insn wait_insn[2];
    tw_sim_exception exception;
    tw_sim_exception exceptions[TW_SIM_CONTEXTS]; /* of those in TW_SIM_EXCEPTED */
    bool has_exception;
    bool unfinished; /* with keep_going: the last run ended before all contexts did, its exception holds */
    char *message;
    tw_sim_hook *hook;
    void *hook_user;
    FILE *trace;
    uint32_t before_m[TW__SIM_REGISTERS], before_a[TW__SIM_REGISTERS]; /* of the context that is traced */
    /* translated code: which fits the code of this tile, how much of the registry has been looked at, and rounds
     * until it is tried again */
    const struct tw__native *natives[TW__SIM_NATIVES];
    unsigned native_count, native_seen, native_drops, native_poor;
    uint64_t native_wait, native_pause, native_turns;
    const tw_object **images;
    size_t image_count, image_room;
};

/* --- decode.c --------------------------------------------------------------------------------------------------- */

/* The record of an address; NULL and an exception of w when nothing can be fetched there, or when w has returned. */
const tw__sim_op *tw__sim_fetch(tw__sim_context *w, uint32_t address);
/* Fills a record that has not been run yet. */
void tw__sim_decode(tw_sim *sim, tw__sim_op *op);
tw__sim_run_op tw__sim_first; /* run of a record that is not decoded */
void tw__sim_drop_code(tw_sim *sim, uint32_t address, uint32_t bytes);

static inline const tw__sim_op *tw__sim_at(tw__sim_context *w, uint32_t address)
{
    uint32_t offset = address - w->base;
    if (offset < w->region1 - w->base && !(address & 3)) {
        tw__sim_page *page = w->sim->pages[offset >> TW__SIM_PAGE_BITS];
        if (page) return &page->ops[(offset & (TW__SIM_PAGE - 1)) / 4];
    }
    return tw__sim_fetch(w, address);
}

/* --- rows.c: functions of the rows ----------------------------------------------------------------------- */

typedef struct tw__sim_functions {
    tw__sim_run_op *solo; /* one word */
    tw__sim_run_op *lone,
        *bundled;         /* in a bundle: without and with its other half; NULL in rows of the aux pipeline */
    tw__sim_run_aux *aux; /* NULL in rows of the main pipeline */
} tw__sim_functions;
extern const tw__sim_functions tw__sim_main_rows[TW__OP_COUNT], tw__sim_aux_rows[TW__OP_COUNT];
/* The function of a bundle of these rows that has both halves in it; NULL when it is not a common one. */
tw__sim_run_op *tw__sim_fused(unsigned main, unsigned aux);
/* A bundle whose main half does nothing. */
tw__sim_run_op tw__sim_aux_only;
/* Goes on in a repeat body at `op`: what is behind the loop. NULL and an active context with its pc set: the rest of
 * the piece has no room for an iteration, or the body has to go step by step. */
const tw__sim_op *tw__sim_repeat(tw__sim_context *w, const tw__sim_op *op);
/* Iterations of the loops of all these workers that no event of one can tell apart from one behind the other, of at
 * most so many rounds; ahead: rounds that a worker has taken already. False: none. */
bool tw__sim_run_spans(tw__sim_context *const *workers, const uint64_t *ahead, unsigned count, uint64_t rounds);
/* May this record stand in a repeat body? */
bool tw__sim_body_fits(tw__sim_context *w, const tw__sim_op *op);
/* And all of them in the body of the present loop? */
bool tw__sim_body_checked(tw__sim_context *w);

/* The instructions at an address, whether they have run or not: 1, 2 of a bundle, 0 when there are none. */
unsigned tw__sim_insns_at(tw_sim *sim, uint32_t address, tw_insn insns[2]);

/* --- rows_logged.c ---------------------------------------------------------------------------------------------- */

/* Functions that note what they load and store (tw__sim_context.loads, stores). NULL also means that the step cannot
 * be made so; NULL pointers: rows that touch no memory. */
extern const tw__sim_functions tw__sim_logged_rows[TW__OP_COUNT];

/* --- csr.c ------------------------------------------------------------------------------------------------------ */

/* False: there is no such register in this context of this chip, or it is read-only (`put` ignores that). */
bool tw__sim_csr_get(tw__sim_context *w, unsigned index, uint32_t *value);
typedef enum tw__sim_put { TW__SIM_PUT_DONE, TW__SIM_PUT_READ_ONLY, TW__SIM_PUT_NONE } tw__sim_put;
tw__sim_put tw__sim_csr_put(tw__sim_context *w, unsigned index, uint32_t value);
void tw__sim_set_fp_ctl(tw__sim_context *w, uint32_t value);
void tw__sim_set_weight(tw_sim *sim, unsigned index, uint64_t bits);

/* --- exception.c ------------------------------------------------------------------------------------------------ */

/* Notes the exception and stops the context at this instruction. */
void tw__sim_fault(tw__sim_context *w, uint32_t pc, tw_sim_cause cause, unsigned count, const uint32_t *addresses);
void tw__sim_fault_over(tw__sim_context *w); /* it goes on, as if there had been none */
/* Sets sticky flags; false: one of them is an exception now. */
bool tw__sim_fp_flags(tw__sim_context *w, const tw__sim_op *op, unsigned flags);

/* --- trace.c ---------------------------------------------------------------------------------------------------- */

void tw__sim_trace_before(tw__sim_context *w, const tw_sim_event *event);
void tw__sim_trace_done(tw__sim_context *w, const tw_sim_event *event);
void tw__sim_trace_fault(tw__sim_context *w, const tw_sim_event *event);

/* --- save.c ----------------------------------------------------------------------------------------------------- */

extern const tw__ck_table tw__sim_tables[];
/* A part of a file: a tile that has been reset, but for its memory, which its owner walks; then, when it reads, what
 * follows from all of it. */
void tw__sim_walk(tw__ck *k, tw_sim *sim);
void tw__sim_walked(tw_sim *sim);

/* --- sim.c ------------------------------------------------------------------------------------------------------ */

/* Turns a worker has taken since its start; cycles of the supervisor. */
static inline uint64_t tw__sim_turns_now(const tw__sim_context *w)
{
    return w->turns + w->turn + w->extra + (w->stepping ? w->sim->rounds : 0);
}
static inline uint64_t tw__sim_cycle_now(const tw__sim_context *w)
{
    return w->start + tw__sim_turns_now(w) * (w->supervisor ? 1 : TW_SIM_WORKERS);
}
void tw__sim_begin(tw__sim_context *w, uint32_t entry, uint32_t vertex_base, uint64_t cycle);
unsigned tw__sim_active_workers(const tw_sim *sim);

/* serve.c: tw_sim_serve() with a text that grows; NULL: nobody reads it. */
bool tw__sim_serve(tw_sim *sim, GString *out);

#endif
