/* SPDX-License-Identifier: MIT */
/* What the files of this folder share. Nothing else includes it. */
#ifndef TW_CSL_DSD_LOCAL_H
#define TW_CSL_DSD_LOCAL_H

#include "csl/lang/dsd/dsd.h"
#include "csl/lang/dsd/fields.h"
#include "csl/lang/sema/gen.h"

/* --- get_dsd.c, change.c -------------------------------------------------------------------------------------- */

operand tw__dsd_known(sema *s, const type *t, const tw__csl_dsd_value *v); /* copied */
operand tw__dsd_get(sema *s, const node *call, const type *expected);
operand tw__dsd_change(sema *s, const node *call, const type *expected);
operand tw__dsd_fifo_length(sema *s, const node *call, const type *expected);
operand tw__dsd_allocate_fifo(sema *s, const node *call, const type *expected);
/* A known length: at most 15 bits, all ones means without end; published programs write 16 ones for that, which is
 * warned of. */
bool tw__dsd_length(sema *s, const node *at, const char *what, tw__csl_int *length);
bool tw__dsd_simd(const tw__dsd_fields *f, uint8_t *out);     /* .simd_mode */
bool tw__dsd_priority(const tw__dsd_fields *f, uint8_t *out); /* .priority */
/* Element behind a pointer or array type for DSDs; NULL when it is none that a DSD may hold. */
const type *tw__dsd_element(const type *pointee);

/* --- config.c: the trailing struct of an operation, of @load_to_dsr ------------------------------------------- */

typedef struct tw__dsd_action {
    tw__csl_action action;
    const tw__csl_function *task; /* to be resolved when the program is complete */
    const node *at;
    bool task_id; /* a known local_task_id or data_task_id: a task has to be bound to it */
} tw__dsd_action;
typedef struct tw__dsd_config {
    const node *at; /* NULL = none given */
    bool async, async_given, has_index, save_address, single_step, has_terminate;
    uint8_t priority, ut;
    uint16_t index; /* register */
    tw__dsd_action done, on_control;
    const node *async_at, *index_at, *priority_at, *ut_at;
} tw__dsd_config;
bool tw__dsd_read_config(sema *s, const node *at, const operand *o, const char *what, bool for_dsr,
                         tw__dsd_config *out);

/* --- op.c, map.c, dsr.c --------------------------------------------------------------------------------------- */

operand tw__dsd_operation(sema *s, const node *call, const type *expected);
operand tw__dsd_map(sema *s, const node *call, const type *expected);
operand tw__dsd_get_dsr(sema *s, const node *call, const type *expected);
operand tw__dsd_load_dsr(sema *s, const node *call, const type *expected);
int tw__dsd_file_of(const type *t);                                /* tw__csl_dsr_file; -1 = not a DSR */
bool tw__dsd_has_queue(sema *s, const node *at, const operand *o); /* a fabric DSD of a microthread */
/* A destination that is declared const is ordinary memory, which is warned of. */
void tw__dsd_warn_const(sema *s, const node *call, const node *at, const operand *o);

/* --- task.c, queue.c ------------------------------------------------------------------------------------------ */

operand tw__dsd_get_id(sema *s, const node *call, const type *expected);
operand tw__dsd_bind_task(sema *s, const node *call, const type *expected);
operand tw__dsd_rotating(sema *s, const node *call, const type *expected);
operand tw__dsd_control_table(sema *s, const node *call, const type *expected);
operand tw__dsd_activate(sema *s, const node *call, const type *expected);
operand tw__dsd_initialize_queue(sema *s, const node *call, const type *expected);
operand tw__dsd_queue_handler(sema *s, const node *call, const type *expected);
operand tw__dsd_queue_flush(sema *s, const node *call, const type *expected);

/* --- state.c: what is known about the tile program besides its tables ----------------------------------------- */

typedef enum tw__dsd_fix_kind {
    TW__DSD_FIX_USE,
    TW__DSD_FIX_LOAD,
    TW__DSD_FIX_INIT,
    TW__DSD_FIX_FIFO
} tw__dsd_fix_kind;
typedef struct tw__dsd_fix { /* a task whose id, or an activated id whose task is not known yet */
    struct tw__dsd_fix *next;
    uint8_t kind; /* tw__dsd_fix_kind: which table */
    bool second;  /* on_control; the FIFO's pop task */
    bool unblock;
    uint32_t row;
    const tw__csl_function *task; /* NULL = given by its id */
    const node *at;
    uint16_t id;
} tw__dsd_fix;
typedef struct tw__dsd_load { /* one @load_to_dsr */
    struct tw__dsd_load *next;
    uint8_t file, id;
    bool async, fabric;
    tw__dsd_action done, on_control;
    const node *at;
} tw__dsd_load;
typedef struct tw__dsd_dsr_use { /* an operation with a DSR operand */
    struct tw__dsd_dsr_use *next;
    uint8_t file[4], id[4];
    unsigned count;
    bool async_given, fabric; /* fabric: another operand makes it asynchronous */
    tw__dsd_action done, on_control;
    const node *at, *async_at;
} tw__dsd_dsr_use;
typedef struct tw__dsd_fabric { /* a fabric DSD */
    struct tw__dsd_fabric *next;
    bool is_output;
    uint8_t color, queue;
    const node *at;
} tw__dsd_fabric;
typedef struct tw__dsd_state {
    const node *activated_at[TW__CSL_TASK_IDS]; /* the first @activate of the id at compile time */
    tw__dsd_fix *fixes;
    tw__dsd_load *loads;
    tw__dsd_dsr_use *uses;
    tw__dsd_fabric *fabrics;
    const node *fifo_at[TW__CSL_MAX_FIFOS + 1];
    bool too_many_fifos;
    const node *control_table_at;              /* WSE-3: control tasks have a table of their own */
    uint8_t control_stride;                    /* entry points per .ctrl_table_id */
    const node *bound_at[2][TW__CSL_TASK_IDS]; /* [control task][id] */
    const node *queue_at[2][TW__CSL_QUEUES];   /* @initialize_queue: [is output][id] */
    const node *handler_at[2][TW__CSL_QUEUES];
    uint32_t dsr_taken[TW__CSL_DSR_FILES]; /* bits: registers that FIFOs claimed with .dest, .src */
} tw__dsd_state;
tw__dsd_state *tw__dsd_state_of(sema *s); /* NULL after "out of memory" */
void *tw__dsd_new(sema *s, size_t bytes); /* zeroed, lasting; NULL after "out of memory" */
void tw__dsd_fix_task(sema *s, tw__dsd_fix_kind kind, uint32_t row, bool second, const tw__dsd_action *action);

#endif
