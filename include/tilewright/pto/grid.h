/* SPDX-License-Identifier: MIT */
/* pto/grid: a kernel on many cores. Blocks of one cube core and its vector cores, on one or more simulated devices;
 * FIFOs and flags between the cores of a block, barriers over all blocks, transfers and signals between devices.
 *
 *     static tw_status kernel(tw_pto *core, void *user)       // runs once on every core
 *     {
 *         tw_pto_identity me = tw_pto_identity_of(core);
 *         tw_pto_fifo fifo = { .slot_bytes = 4096, .slots = 2, .direction = TW_PTO_CUBE_TO_VECTOR };
 *         return me.kind == TW_PTO_CUBE ? produce(core, &fifo, user) : consume(core, &fifo, user);
 *     }
 *     tw_pto_launch launch = { .size = sizeof launch, .target = TW_PTO_A2A3, .blocks = 8, .vectors = 2 };
 *     tw_pto_grid *grid = tw_pto_grid_new(&launch);
 *     if (tw_pto_grid_run(grid, kernel, user) != TW_OK) puts(tw_error_message());
 *     tw_pto_grid_free(grid);
 *
 * Cores take turns, in order of device, block and core, each until it has to wait: a run is the same every time. When
 * no core can go on, every waiting call fails and the message of tw_pto_grid_run says who waits for what.
 * docs/pto.md.
 *
 * Threads: a grid, with its cores, is used by one thread at a time; its kernels run in the thread that runs the
 * grid, on stacks of their own. tw_pto_current() is of the thread. */
#ifndef TILEWRIGHT_PTO_GRID_H
#define TILEWRIGHT_PTO_GRID_H

#include <tilewright/pto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a core can do: a whole core is cube and vector in one, its sections run one after the other. */
typedef enum tw_pto_core_kind { TW_PTO_WHOLE = 0, TW_PTO_CUBE = 1, TW_PTO_VECTOR = 2 } tw_pto_core_kind;

/* All else zero but the target: one whole core. */
typedef struct tw_pto_launch {
    size_t size; /* sizeof(tw_pto_launch) */
    tw_pto_target target;
    unsigned flags;   /* of tw_pto_new, for every core */
    unsigned blocks;  /* of each device, 1 to 4096; 0 = 1 */
    unsigned devices; /* 1 to 64; 0 = 1 */
    unsigned vectors; /* vector cores of a block beside its cube core: 1 or 2; 0 = one whole core */
    FILE *trace;      /* as tw_pto_trace, for every core; NULL = none */
} tw_pto_launch;

typedef struct tw_pto_identity {
    tw_pto_core_kind kind;
    unsigned block, blocks, sub_block,
        sub_blocks; /* sub-block: number of the vector core, 0 on cube and whole cores */
    unsigned device, devices;
} tw_pto_identity;
/* The core whose kernel is running in this thread; NULL outside a grid. */
TW_API tw_pto *tw_pto_current(void);
TW_API tw_pto_identity tw_pto_identity_of(const tw_pto *core); /* block 0 of 1 for a core of tw_pto_new */
TW_API bool tw_pto_is_stopped(const tw_pto *core);             /* its kernel ends because another core's failed */

typedef struct tw_pto_grid tw_pto_grid;
/* Runs on a stack of 512 KiB; what it returns other than TW_OK stops all cores. */
typedef tw_status (*tw_pto_kernel)(tw_pto *core, void *user);

TW_API tw_pto_grid *tw_pto_grid_new(const tw_pto_launch *launch); /* NULL with a message */
TW_API void tw_pto_grid_free(tw_pto_grid *grid);                  /* NULL is fine; frees its cores */
/* Runs the kernel once on every core. On failure the message names the core that failed first, or all that wait
 * (TW_E_APPLICATION). Tiles, FIFOs and flags do not outlive a run; cycles go on counting. */
TW_API tw_status tw_pto_grid_run(tw_pto_grid *grid, tw_pto_kernel kernel, void *user);
TW_API unsigned tw_pto_grid_cores(const tw_pto_grid *grid);
TW_API tw_pto *tw_pto_grid_core(const tw_pto_grid *grid, unsigned index); /* owned by the grid; NULL past the end */
TW_API uint64_t tw_pto_grid_cycles(const tw_pto_grid *grid);              /* of the core that ends last */
/* Estimated cycles and memory in use, by core, pipe and instruction, in the common form; the caller frees it with
 * tw_profile_free. Cores are made with TW_PTO_PROFILE, else TW_E_MISSING_PROFILE and NULL. */
TW_API tw_profile *tw_pto_grid_profile(const tw_pto_grid *grid);
/* As tw_pto_write_timeline, a process per core. */
TW_API tw_status tw_pto_grid_write_timeline(const tw_pto_grid *grid, FILE *out);
TW_API tw_profile *tw_pto_profile(tw_pto *core); /* of a core made by itself */
/* "block 1, vector core 0" into buf, "device 0, " before it when there are several; returns buf. */
TW_API char *tw_pto_core_name(const tw_pto *core, char buf[64]);

/* --- FIFOs between the cube core and the vector cores of a block: TPUSH, TPOP, TFREE, TALLOC -------------------- */

typedef enum tw_pto_direction { TW_PTO_CUBE_TO_VECTOR = 1, TW_PTO_VECTOR_TO_CUBE = 2 } tw_pto_direction;
/* How a tile of the cube core is shared out: whole, by halves of its rows, by halves of its columns. */
typedef enum tw_pto_split_attr tw_pto_split; /* TW_PTO_SPLIT_NONE, _UP_DOWN, _LEFT_RIGHT */

/* What both sides say about a FIFO; its state belongs to the block. Vector cores that share a whole tile (no split)
 * each get all of it; of what they push together, the part of vector core 0 counts. The producer learns about free
 * slots once in `slots` of them (one or two slots) or in slots / 2. */
typedef struct tw_pto_fifo {
    unsigned id; /* 0 to 15, within block and direction */
    tw_pto_direction direction;
    uint32_t slot_bytes;    /* of a tile of the cube core; a multiple of 32, at most 1 MiB */
    unsigned slots;         /* 1 to 64 */
    tw_type type;           /* of what lies in a slot: accumulators change to it; 0 = that of the tile pushed */
    bool first_vector_only; /* vector core 1 has no part in it ("nosplit" in text) */
    void *memory; /* slots in global memory of the caller (the cube core's pointer counts); NULL = own ones */
} tw_pto_fifo;
TW_API tw_pto_operand tw_pto_fifo_operand(const tw_pto_fifo *fifo);

/* TPUSH: waits for a free slot, copies the tile's valid region (its part, by `split`) and signals. */
TW_API tw_status tw_pto_push(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile, tw_pto_split split);
/* TPUSH with settings of the fixed pipe, all zero = as above; only accumulators have those after `relu`:
 *   split, relu, atomic    atomic 1: adds to what the slot holds
 *   slot_layout            0 rows (NZ2ND), 1 boxes of 16 rows (NZ2NZ), 2 columns (NZ2DN); TPOP takes a tile laid out
 * like it
 *   channel_split          with NZ2NZ of f32: boxes of 8 columns (fractal 512) instead of 16 (fractal 1024)
 *   sub_block              1, 2: for vector core 0, 1 alone; the other one does not pop it
 *   clip                   bits of a float above 0: results are min(max(x, 0), clip), after scale and conversion
 *   phase                  a hint that changes nothing
 * Scales: SET_QUANT_SCALAR, SET_QUANT_VECTOR, or the third operand of "tpush". */
TW_API tw_status tw_pto_push_with(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile,
                                  const tw_pto_attrs *how);
/* TPOP: waits for data and copies it out; the slot stays taken until TFREE. */
TW_API tw_status tw_pto_pop(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile, tw_pto_split split);
TW_API tw_status tw_pto_free_slot(tw_pto *core, const tw_pto_fifo *fifo); /* TFREE: the oldest slot popped */

/* --- flags and barriers between cores --------------------------------------------------------------------------- */

typedef enum tw_pto_sync_mode {                            /* who waits for whom; the numbers are the chip's */
                                TW_PTO_SYNC_SAME_KIND = 0, /* 0: all cores of one kind, over all blocks */
                                TW_PTO_SYNC_VECTORS = 1,   /* 1: the vector cores of a block */
                                TW_PTO_SYNC_CUBE_VECTOR =
                                    2, /* 2: cube core and vector cores of a block, either way */
                                TW_PTO_SYNC_MODES = 3
} tw_pto_sync_mode;
/* A flag counts: up to 15 sets may wait to be waited for. A core goes on when all the cores it waits for have set. */
TW_API tw_status tw_pto_sync_set(tw_pto *core, tw_pto_pipe pipe, unsigned id, tw_pto_sync_mode mode);
TW_API tw_status tw_pto_sync_wait(tw_pto *core, tw_pto_pipe pipe, unsigned id, tw_pto_sync_mode mode);

/* set_intra_block, wait_intra_block (A5, profile cpu): flags between the cube core and one vector core of the block.
 * On the cube core ids 0 to 15 are those of vector core 0, 16 to 31 those of vector core 1; a vector core has 0 to
 * 15. Each direction counts by itself, up to 15 (estimated). TW_E_INVALID_ARGUMENT: A2/A3, unknown pipe or id, no
 * such vector core, set too often; TW_E_APPLICATION: a deadlock, the message says who waits for whom. */
TW_API tw_status tw_pto_intra_set(tw_pto *core, tw_pto_pipe pipe, unsigned id);
TW_API tw_status tw_pto_intra_wait(tw_pto *core, tw_pto_pipe pipe, unsigned id);

typedef enum tw_pto_cores_attr tw_pto_core_set; /* TW_PTO_CORES_MIX, _AIV_ONLY, _AIC_ONLY */
/* SYNCALL: waits for all cores of the set, over the blocks of the device. `workspace` of the soft form: 16 or more
 * i32 in global memory; NULL = hardware flags. */
TW_API tw_status tw_pto_sync_all(tw_pto *core, tw_pto_core_set cores, tw_pto_tensor *workspace);

/* --- devices: global memory of another device, signals, collectives
 *
 * A device's global memory is memory of this process, so a remote tensor is a tensor. Tensors have layout nd. */

/* A tensor on each of several devices; `root` is the rank that calls, on the device of that number. */
typedef struct tw_pto_group {
    tw_pto_tensor *tensor; /* [count] */
    unsigned count, root;
} tw_pto_group;
TW_API tw_pto_operand tw_pto_group_operand(const tw_pto_group *group);

typedef enum tw_pto_reduce_attr tw_pto_reduce; /* TW_PTO_REDUCE_SUM, _MAX, _MIN */
/* TPUT, TGET: src to dst in pieces through `staging` (and `second`, which may be NULL: then pieces overlap), tiles in
 * vector memory whose physical extents are the largest piece. */
TW_API tw_status tw_pto_put(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, tw_pto_tile *staging,
                            tw_pto_tile *second);
TW_API tw_status tw_pto_get(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, tw_pto_tile *staging,
                            tw_pto_tile *second);
/* Without a tile: done when waited for, at the latest when the kernel ends. *event is a number for the two below. */
TW_API tw_status tw_pto_copy_async(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, uint64_t *event);
TW_API tw_status tw_pto_async_wait(tw_pto *core, uint64_t event);
TW_API tw_status tw_pto_async_test(tw_pto *core, uint64_t event, bool *done);
/* TNOTIFY: signal = value, or signal += value, as one step. TWAIT: until all signals compare (TW_PTO_CMP_EQ ...) true
 * with `value`. TTEST: whether they do; on false the other cores get a turn. Signals are i32. */
TW_API tw_status tw_pto_notify(tw_pto *core, tw_pto_tensor *signal, int32_t value, bool add);
TW_API tw_status tw_pto_wait_signal(tw_pto *core, tw_pto_tensor *signals, int32_t value, int compare);
TW_API tw_status tw_pto_test_signal(tw_pto *core, tw_pto_tensor *signals, int32_t value, int compare, bool *all);
/* Only the root calls. Gather and scatter run along dimension 3: the root's tensor has `count` times its extent
 * there. */
TW_API tw_status tw_pto_broadcast(tw_pto *core, const tw_pto_group *to, tw_pto_tensor *src, tw_pto_tile *staging,
                                  tw_pto_tile *second);
TW_API tw_status tw_pto_gather(tw_pto *core, const tw_pto_group *from, tw_pto_tensor *dst, tw_pto_tile *staging,
                               tw_pto_tile *second);
TW_API tw_status tw_pto_scatter(tw_pto *core, const tw_pto_group *to, tw_pto_tensor *src, tw_pto_tile *staging,
                                tw_pto_tile *second);
/* dst = the sum, largest or smallest of all tensors, in order of rank. */
TW_API tw_status tw_pto_reduce_to(tw_pto *core, const tw_pto_group *from, tw_pto_tensor *dst, tw_pto_tile *sum,
                                  tw_pto_tile *staging, tw_pto_reduce op);

#ifdef __cplusplus
}
#endif
#endif
