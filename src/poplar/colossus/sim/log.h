/* SPDX-License-Identifier: MIT */
/* What an access means where it can be taken back: loads leave address and size, stores what they overwrite too. Also
 * part of the text in front of translated code. */
#ifndef TW_COLOSSUS_SIM_LOG_H
#define TW_COLOSSUS_SIM_LOG_H

#include "poplar/colossus/sim/sim.h"

static inline __attribute__((unused)) const uint8_t *log_load(tw__sim_context *w, uint32_t at, unsigned bytes)
{
    *w->loads = at | bytes << 24;
    w->loads += w->load_step;
    return w->memory + (at - w->base);
}
static inline __attribute__((unused)) uint8_t *log_store(tw__sim_context *w, uint32_t at, unsigned bytes)
{
    uint8_t *p = w->memory + (at - w->base);
    tw__sim_undo *undo = w->stores++;
    undo->at = at, undo->bytes = bytes;
    memcpy(&undo->old, p, bytes);
    return p;
}

#define FROM(at, bytes) log_load(w, at, bytes)
#define TO(at, bytes)   log_store(w, at, bytes)
#define STORED(at, bytes)                                                              \
    do {                                                                               \
        if (UNLIKELY(w->code_map[((at) - w->base) >> TW__SIM_PAGE_BITS])) return NULL; \
    } while (0)
static inline __attribute__((unused)) const tw__sim_op *
bad_access(tw__sim_context *w, const tw__sim_op *op, unsigned count, const uint32_t *at, const uint8_t *bytes)
{
    (void)w, (void)op, (void)count, (void)at, (void)bytes;
    return NULL;
}

#endif
