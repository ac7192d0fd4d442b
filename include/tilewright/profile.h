/* SPDX-License-Identifier: MIT */
/* tw_profile: what a compiled graph needs and what a run of it did, by tile. Machines write it, people read it.
 *
 *     tw_profile *p = tw_engine_profile(engine);              // or tw_profile_load_files(...)
 *     tw_profile_print_summary(p, stdout, NULL);
 *     tw_profile_write_graph_json(p, file, true);
 *
 * docs/profile.md says what every number means. Getters return memory owned by the profile, valid until it is
 * written to again or freed.
 *
 * Threads: a profile may be read by several at once, while nobody writes it. Machines write theirs: the profile of
 * an engine, a wafer or an array belongs to the thread that works with that. */
#ifndef TILEWRIGHT_PROFILE_H
#define TILEWRIGHT_PROFILE_H

#include <tilewright/tile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_profile tw_profile;

/* Version of the JSON schema written here; files of this and every earlier version are read. */
#define TW_PROFILE_SCHEMA 1

/* X(NAME, number, `type` in JSON and summary, what its cycles count as). Spec poplar.md 4.1. OTHER stands for a type
 * that a file names and this list does not; its own name is kept. */
#define TW_PROGRAM_LIST(X)                                           \
    X(SEQUENCE, 0, "Sequence", NONE)                                 \
    X(REPEAT, 1, "Repeat", NONE)                                     \
    X(REPEAT_WHILE, 2, "RepeatWhile", NONE)                          \
    X(IF, 3, "If", NONE)                                             \
    X(SWITCH, 4, "Switch", NONE)                                     \
    X(ON_EVERY_TILE_SWITCH, 5, "OnEveryTileSwitch", NONE)            \
    X(CALL, 6, "Call", NONE)                                         \
    X(FUNCTION, 7, "Function", NONE)                                 \
    X(ON_TILE_EXECUTE, 8, "OnTileExecute", COMPUTE)                  \
    X(DO_EXCHANGE, 9, "DoExchange", EXCHANGE)                        \
    X(GLOBAL_EXCHANGE, 10, "GlobalExchange", GLOBAL_EXCHANGE)        \
    X(STREAM_COPY, 11, "StreamCopy", HOST_EXCHANGE)                  \
    X(SYNC, 12, "Sync", SYNC)                                        \
    X(COPY_SHARED_STRUCTURE, 13, "CopySharedStructure", SHARED_COPY) \
    X(SET_LOCAL_CONSENSUS, 14, "SetLocalConsensusFromVar", NONE)     \
    X(WRITE_UNDEF, 15, "WriteUndef", NONE)                           \
    X(PRINT_TENSOR, 16, "PrintTensor", NONE)                         \
    X(ASSUME_EQUAL, 17, "AssumeEqualAcrossReplicas", NONE)           \
    X(ABORT, 18, "Abort", NONE)                                      \
    X(ABORT_ON_CONDITION, 19, "AbortOnCondition", NONE)              \
    X(OTHER, 20, "", NONE)

typedef enum tw_program_type {
#define TW_PROGRAM_ENUM(name, number, text, bucket) TW_PROGRAM_##name = number,
    TW_PROGRAM_LIST(TW_PROGRAM_ENUM)
#undef TW_PROGRAM_ENUM
        TW_PROGRAM_COUNT = 21
} tw_program_type;
TW_API const char *tw_program_type_name(tw_program_type type); /* "OnTileExecute" */

/* What the cycles of a step count as; NONE counts nowhere. */
typedef enum tw_cycles_bucket {
    TW_CYCLES_NONE = 0,
    TW_CYCLES_COMPUTE = 1,
    TW_CYCLES_EXCHANGE = 2,
    TW_CYCLES_GLOBAL_EXCHANGE = 3,
    TW_CYCLES_HOST_EXCHANGE = 4,
    TW_CYCLES_SHARED_COPY = 5,
    TW_CYCLES_SYNC = 6,
    TW_CYCLES_BUCKETS = 7
} tw_cycles_bucket;

typedef enum tw_profile_sync {
    TW_PROFILE_SYNC_NONE = 0,
    TW_PROFILE_SYNC_INTERNAL = 1,
    TW_PROFILE_SYNC_EXTERNAL = 2,
    TW_PROFILE_SYNC_GLOBAL = 3
} tw_profile_sync;

TW_API void tw_profile_free(tw_profile *profile); /* NULL is fine. Not for a profile owned by an engine. */

/* --- summary: guide 8.2 --------------------------------------------------------------------------------------- */

typedef enum tw_colours { TW_COLOURS_AUTO = 0, TW_COLOURS_ON = 1, TW_COLOURS_OFF = 2 } tw_colours;

/* All else zero: as the guide says. The environment has the last word on colours, as tw_use_colours() says; else
 * `colours` decides, AUTO meaning "when `out` is a terminal". Names are printed as tw_print_text() does. */
typedef struct tw_profile_options {
    size_t size; /* sizeof(tw_profile_options) */
    tw_colours colours;
    bool show_var_storage;     /* liveness of each program */
    bool show_optimizations;   /* compiler statistics */
    bool show_execution_steps; /* every executed step */
    bool show_per_ipu_memory_usage;
    uint64_t max_steps; /* printed or written one by one; 0 = 100,000. What is left out is said. */
} tw_profile_options;

/* Keys as in the guide: "colours", "showVarStorage", "showOptimizations", "showExecutionSteps",
 * "showPerIpuMemoryUsage" with "true" or "false". TW_E_INVALID_OPTION otherwise. */
TW_API tw_status tw_profile_options_set(tw_profile_options *options, const char *key, const char *value);

/* Graph and execution, or one of them; options may be NULL. TW_E_MISSING_PROFILE when there is nothing to print. */
TW_API tw_status tw_profile_print_summary(const tw_profile *profile, FILE *out, const tw_profile_options *options);
TW_API tw_status tw_profile_print_graph_summary(const tw_profile *profile, FILE *out,
                                                const tw_profile_options *options);
TW_API tw_status tw_profile_print_execution_summary(const tw_profile *profile, FILE *out,
                                                    const tw_profile_options *options);

/* --- JSON: Poplar API, graph profile and execution profile; docs/profile.md ----------------------------------- */

TW_API tw_status tw_profile_write_graph_json(const tw_profile *profile, FILE *out, bool pretty);
TW_API tw_status tw_profile_write_execution_json(const tw_profile *profile, FILE *out, bool pretty);
/* Both parts in one file, as members "graph" and "execution". */
TW_API tw_status tw_profile_write_json(const tw_profile *profile, FILE *out, bool pretty);
/* The same as text: malloc'ed, 0-terminated, the caller frees it. NULL on failure. */
TW_API char *tw_profile_graph_json(const tw_profile *profile, bool pretty);
TW_API char *tw_profile_execution_json(const tw_profile *profile, bool pretty);
/* Reads back what was written, and files of the vendor's format. Either text may be NULL, not both. Errors name the
 * file with line and column (syntax) or with the path of the member (meaning), e.g. memory.byTile.total[7]. */
TW_API tw_profile *tw_profile_load(const char *graph_json, size_t graph_bytes, const char *execution_json,
                                   size_t execution_bytes);
TW_API tw_profile *tw_profile_load_files(const char *graph_path, const char *execution_path);
/* A file of both parts, or of either. */
TW_API tw_profile *tw_profile_load_file(const char *path);
/* Trace for chrome://tracing and ui.perfetto.dev: one track per kind of step, counters of active tiles. */
TW_API tw_status tw_profile_write_trace(const tw_profile *profile, FILE *out, const tw_profile_options *options);

/* --- figures -------------------------------------------------------------------------------------------------- */

TW_API bool tw_profile_has_graph(const tw_profile *profile);
TW_API bool tw_profile_has_execution(const tw_profile *profile);
TW_API unsigned tw_profile_tiles(const tw_profile *profile); /* of all IPUs */
/* The machine's generation ("wse3"), and how near cycles that were obtained in this way were to published ones
 * ("± 4 % (worst 14 %) over 33 programs", "not validated"); "" where the profile does not say. They go with it. */
TW_API const char *tw_profile_architecture(const tw_profile *profile);
TW_API const char *tw_profile_band(const tw_profile *profile);

/* Execution, summed over the trace. by_bucket: tile cycles, that is, summed over all tiles; COMPUTE includes idle
 * threads. Definitions: Poplar API, summary. */
typedef struct tw_profile_totals {
    uint64_t cycles; /* end of the timeline */
    double seconds;  /* cycles / clock; 0 without a clock */
    uint64_t by_bucket[TW_CYCLES_BUCKETS];
    uint64_t compute_active; /* excluding idle threads */
    double tile_balance;     /* compute / (cycles * tiles) */
    double thread_balance;   /* compute_active / compute */
    uint64_t steps;          /* executed */
    uint64_t runs;
    tw_fidelity fidelity; /* weakest of the executed steps */
} tw_profile_totals;
TW_API tw_status tw_profile_get_totals(const tw_profile *profile, tw_profile_totals *totals);

/* One executed step. Ratios are 0 to 1, -1 = does not apply. */
typedef struct tw_profile_step {
    uint64_t index;     /* in execution order, from 0 */
    uint32_t plan_step; /* id of what was executed; its per-tile figures are stored once */
    tw_program_type type;
    const char *type_name; /* also right for TW_PROGRAM_OTHER */
    const char *name;      /* "" = none */
    tw_profile_sync sync;
    uint64_t cycles, cycles_from, cycles_to, overlapped;
    unsigned active_tiles;
    double thread_balance, tile_balance, active_tile_balance, data_balance;
    uint64_t total_data; /* bytes */
    tw_fidelity fidelity;
} tw_profile_step;
/* Calls visit for each executed step in order until it returns false. */
typedef bool (*tw_profile_visit)(void *user, const tw_profile_step *step);
TW_API void tw_profile_each_step(const tw_profile *profile, tw_profile_visit visit, void *user);
/* Active cycles of each tile in a plan step into by_tile[tw_profile_tiles()]; false when not recorded. */
TW_API bool tw_profile_step_cycles(const tw_profile *profile, uint32_t plan_step, uint64_t *by_tile);

/* Cycles of a vertex type over the execution (excluding idle threads), instances in the graph. NULL past the end. */
TW_API const char *tw_profile_vertex_type(const tw_profile *profile, size_t index, uint64_t *cycles,
                                          uint64_t *instances);

/* Bytes that tiles sent to one another in the steps that ran; of cores that share a memory (PTO) also those that they
 * loaded from it and stored there. What came from a host or went there is not in it. *fidelity, unless NULL: ABSENT
 * when the profile does not say. */
TW_API uint64_t tw_profile_bytes_moved(const tw_profile *profile, tw_fidelity *fidelity);

/* Bytes of a storage category over all tiles, overlapped and not, by its key; ABSENT when nothing was recorded. */
TW_API uint64_t tw_profile_memory(const tw_profile *profile, const char *category, tw_fidelity *fidelity);
/* Bytes of each tile (without gaps) into by_tile[tw_profile_tiles()]; false when not recorded. */
TW_API bool tw_profile_memory_by_tile(const tw_profile *profile, uint64_t *by_tile);

#ifdef __cplusplus
}
#endif
#endif
