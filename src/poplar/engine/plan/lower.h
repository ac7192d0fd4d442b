/* SPDX-License-Identifier: MIT */
/* What the files that lower programs share: control_flow.c (control flow), leaves.c (copies, streams, remote buffers,
 * prints), element_spans.c (which bytes two copies touch). */
#ifndef TW_ENGINE_LOWER_H
#define TW_ENGINE_LOWER_H

#include "poplar/engine/engine.h"

/* --- element_spans.c: a sorted set of disjoint element intervals of variables --------------------------------- */

typedef struct tw__span {
    uint32_t var;
    uint64_t begin, end;
} tw__span;
typedef TW__LIST(tw__span) tw__span_set;
bool tw__spans_touch(const tw__span_set *set,
                     const tw__regions *list);                  /* by bounding intervals: may say yes too often */
bool tw__spans_add(tw__span_set *set, const tw__regions *list); /* false: out of memory */

/* --- control_flow.c ------------------------------------------------------------------------------------------- */

typedef struct tw__emitter {
    tw_engine *engine;
    tw__core *core;
    tw__plan *plan;
    uint32_t *refs;       /* [programs] how often a program is referenced, saturating */
    uint32_t *weight;     /* [programs] leaves below it, saturating */
    uint32_t *payload_of; /* [programs] copy, remote copy or print made for a program, NONE = not yet */
    uint32_t *exec_of;    /* [compute sets] */
    uint32_t
        *entry_of;   /* [programs] first instruction of an outlined program, NONE = not outlined or not emitted */
    uint32_t *queue; /* outlined programs to emit */
    size_t queued, queue_room;
    /* adjacent leaves that may become one step */
    uint32_t *copies; /* Copy programs, independent of each other */
    size_t copy_count, copy_room;
    tw__span_set reads, writes;
    tw__transfer transfer; /* open when it has parts */
    uint64_t *ipu_bytes;   /* [ipus] of the open transfer */
} tw__emitter;
#define TW__NOT_MADE UINT32_MAX

/* Appends an instruction with a plan step for `count` programs; NULL: out of memory. */
tw__instr *tw__emit_step(tw__emitter *e, tw__opcode op, uint32_t a, tw__plan_kind kind, const uint32_t *programs,
                         size_t count);
tw_status tw__emit_no_memory(void);

/* --- leaves.c ------------------------------------------------------------------------------------------------- */

tw_status tw__leaf_copy(tw__emitter *e, uint32_t program);
tw_status tw__leaf_cross(tw__emitter *e, uint32_t program); /* between replicas */
tw_status tw__leaf_stream(tw__emitter *e, uint32_t program);
tw_status tw__leaf_remote(tw__emitter *e, uint32_t program);
tw_status tw__leaf_print(tw__emitter *e, uint32_t program, uint32_t *print);
tw_status tw__leaf_text(tw__emitter *e, const char *text, uint32_t *index);
tw_status tw__leaf_flush(tw__emitter *e); /* before anything that is not an adjacent leaf of the same kind */

#endif
