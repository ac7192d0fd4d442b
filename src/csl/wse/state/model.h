/* SPDX-License-Identifier: MIT */
/* The model of time and buffers: every figure of the simulator that is not in the program, one row each.
 * X(NAME, WSE-2, WSE-3, fidelity, source). "exact": stated by a vendor document or its simulator's log; "estimated":
 * measured by others or assumed, so that it may change. Sources are sections of the fact sheet docs/csl.md
 * restates. */
#ifndef TW_CSL_WSE_STATE_MODEL_H
#define TW_CSL_WSE_STATE_MODEL_H

// clang-format off
#define TW__WSE_MODEL(X)                                                                                       \
    X(HOP, 2, 2, "exact", "5.1: cycles from router to router, all directions alike")                           \
    X(LINK_DEPTH, 4, 4, "estimated", "5.1: wavelets per input port and color = data latency + credit latency") \
    X(CREDIT, 2, 2, "estimated", "cycles until a freed place is known to the sender, one hop")                 \
    X(DELIVER, 1, 1, "estimated", "router to compute engine")                                                  \
    X(DIRECT_DEPTH, 2, 2, "estimated", "wavelets of a color without queue that wait for a task")               \
    X(DIRECT_OUT_DEPTH, 2, 2, "estimated", "outgoing wavelets of synchronous operations without queue")        \
    X(OP_SETUP, 6, 6, "estimated", "6: first beat of an operation on the fabric after its dispatch")           \
    X(SEND_SETUP, 5, 5, "estimated", "6: 19 from dispatch to the task behind 8 words, one hop (7 to the link)")\
    X(TASK_START, 3, 3, "estimated", "a chain of stages costs 16.1 cycles each, published")                    \
    X(TASK_END, 3, 3, "estimated", "return included: a published program goes wrong below 6 with TASK_START")  \
    X(BRANCH_TAKEN, 3, 3, "estimated", "6: taken 6 cycles, not taken 3")                                       \
    X(REDUCE, 2, 2, "estimated", "each element of a sum, product or maximum into a scalar, measured by others")\
    X(PRINT_LINE, 180, 180, "estimated", "a line printed by the host, from the output of a vendor example")    \
    X(MAP_STEP, 2, 2, "estimated", "@map: fetch and store around each call")                                   \
    X(SHARED_SLICE, 16, 16, "estimated", "scalar cycles at a stretch while microthreads are active")
// clang-format on

enum { /* architecture 0 = WSE-2, 1 = WSE-3: tw__wse_model[TW__WSE_M_HOP][arch] */
#define TW__WSE_MODEL_ENUM(name, wse2, wse3, fidelity, source) TW__WSE_M_##name,
       TW__WSE_MODEL(TW__WSE_MODEL_ENUM)
#undef TW__WSE_MODEL_ENUM
           TW__WSE_MODEL_ROWS
};
typedef struct tw__wse_model_row {
    const char *name;
    unsigned char value[2];
    const char *fidelity, *source;
} tw__wse_model_row;
extern const tw__wse_model_row tw__wse_model[TW__WSE_MODEL_ROWS];

/* Depths of queues in wavelets: vendor document "DSDs", queue identifiers (WSE-2, exact); fact sheet 4.1 (WSE-3). */
extern const unsigned char tw__wse_queue_depth[2][2][8]; /* [architecture][output][queue]; 0 = does not exist */

#endif
