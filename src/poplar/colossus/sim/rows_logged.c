/* SPDX-License-Identifier: MIT */
/* The rows that touch memory once more, for steps that can be taken back: they note every access, and give up (NULL)
 * where the interpreter has an exception to raise or code to drop. */
#include "poplar/colossus/sim/sim.h"

#define READY                                            \
    do {                                                 \
        if (half && UNLIKELY(!half(w, op))) return NULL; \
    } while (0)
#include "poplar/colossus/sim/log.h"

#include "poplar/colossus/sim/rows_main.h"

#define X(id, name, pipe, context, archs, form, bits, ops, accesses, cycles, flags, sem, doc)          \
    static inline __attribute__((always_inline)) const tw__sim_op *logged_##id(                        \
        tw__sim_context *w, const tw__sim_op *op, tw__sim_run_aux *const half, const tw__sim_op *next) \
    {                                                                                                  \
        ENUM_##ops SEM_##sem return next;                                                              \
    }                                                                                                  \
    static const tw__sim_op *logged_solo_##id(tw__sim_context *w, const tw__sim_op *op)                \
    {                                                                                                  \
        return logged_##id(w, op, NULL, op + 1);                                                       \
    }                                                                                                  \
    static const tw__sim_op *logged_lone_##id(tw__sim_context *w, const tw__sim_op *op)                \
    {                                                                                                  \
        return logged_##id(w, op, NULL, op + 2);                                                       \
    }                                                                                                  \
    static const tw__sim_op *logged_both_##id(tw__sim_context *w, const tw__sim_op *op)                \
    {                                                                                                  \
        return logged_##id(w, op, op->aux, op + 2);                                                    \
    }
#include "poplar/colossus/isa/memory.def"
#include "poplar/colossus/isa/paced.def"
#undef X

#define X(id, ...) [TW__OP_##id] = { logged_solo_##id, logged_lone_##id, logged_both_##id, NULL },
const tw__sim_functions tw__sim_logged_rows[TW__OP_COUNT] = {
#include "poplar/colossus/isa/memory.def"
#include "poplar/colossus/isa/paced.def"
};
#undef X
