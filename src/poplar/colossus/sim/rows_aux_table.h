/* SPDX-License-Identifier: MIT */
/* The functions of the rows of the aux pipeline, a part of rows.c, which joins some with the main pipeline. */
#ifndef TW_COLOSSUS_SIM_ROWS_AUX_TABLE_H
#define TW_COLOSSUS_SIM_ROWS_AUX_TABLE_H

#include "poplar/colossus/sim/rows_aux.h"

static bool bad_csr(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_INVALID_CSR, 0, NULL);
    return false;
}
#define SEM_UGET                                                               \
    uint32_t value;                                                            \
    if (!tw__sim_csr_get(w, 256 + op->aux_imm, &value)) return bad_csr(w, op); \
    OUT(0) = value;
#define SEM_UPUT \
    if (tw__sim_csr_put(w, 256 + op->aux_imm, w->a[op->ar[1]]) == TW__SIM_PUT_NONE) return bad_csr(w, op);

/* An accumulator instruction that overflows or meets a NaN does so here as everywhere: tw__fp_narrow says it. */
#define X_MAIN(id, ops, cycles, sem)
#define X_AUX(id, ops, cycles, sem)                                                  \
    static inline bool aux_##id(tw__sim_context *w, const tw__sim_op *op)            \
    {                                                                                \
        ENUM_##ops enum { CYCLES = cycles };                                         \
        if (CYCLES > 1) w->extra += CYCLES - 1, w->modelled = w->odd = true;         \
        SEM_##sem return true;                                                       \
    }                                                                                \
    static inline bool half_##id(tw__sim_context *w, const tw__sim_op *op)           \
    {                                                                                \
        return aux_##id(w, op);                                                      \
    }                                                                                \
    static const tw__sim_op *aux_solo_##id(tw__sim_context *w, const tw__sim_op *op) \
    {                                                                                \
        return aux_##id(w, op) ? op + 1 : NULL;                                      \
    }
#define X(id, name, pipe, context, archs, form, bits, ops, accesses, cycles, flags, sem, doc) \
    X_##pipe(id, ops, cycles, sem)
#include "poplar/colossus/isa/isa.def"
#undef X
#undef X_MAIN
#undef X_AUX

#define X_MAIN(id)
#define X_AUX(id)              [TW__OP_##id] = { aux_solo_##id, NULL, NULL, half_##id },
#define X(id, name, pipe, ...) X_##pipe(id)
const tw__sim_functions tw__sim_aux_rows[TW__OP_COUNT] = {
#include "poplar/colossus/isa/isa.def"
};
#undef X
#undef X_MAIN
#undef X_AUX

#endif
