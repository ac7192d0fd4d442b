/* SPDX-License-Identifier: MIT */
/* native: vertices that run as code of the host.
 *
 *   faults.c   vertices that fault       verify.c   debug.runtimeVerify: writes outside of fields
 *   slots.c    the pointers in a vertex's state */
#ifndef TW_ENGINE_NATIVE_H
#define TW_ENGINE_NATIVE_H

#include "poplar/engine/engine.h"

/* slots.c: a pointer of a vertex's state and the data behind it. */
typedef struct tw__slot {
    void **pointer;
    uint64_t bytes;
    const tw__field *field;
} tw__slot;
typedef void tw__slot_visit(void *user, const tw__slot *slot);
/* Every edge, one slot for each contiguous piece, and vectors of the state. */
void tw__vertex_slots(const tw_engine *engine, uint32_t vertex, char *state, tw__slot_visit *visit, void *user);

/* faults.c: the vertex (index in core->vertices) that is number `index` of a group of compute set cs. */
uint32_t tw__vertex_of(const tw_engine *engine, uint32_t cs, const tw__group *group, uint32_t index);
/* The first of a run, by tile, is what tw__vertex_fault() fails with. Any thread. */
void tw__keep_fault(tw_engine *engine, uint32_t cs, const tw__group *group, uint32_t vertex, const char *what);

/* verify.c: one vertex on copies of its data between guard bytes; whether it returned true and all is well. *work is
 * set while it runs: when it faults, tw__verified_drop() gives its state the pointers back that it had. */
struct tw__verify_work;
bool tw__verified_run(tw_engine *engine, uint32_t cs, const tw__group *group, uint32_t index,
                      struct tw__verify_work **work);
void tw__verified_drop(struct tw__verify_work *work);

#endif
