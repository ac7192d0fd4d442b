/* SPDX-License-Identifier: MIT */
/* Targets and devices: what a graph is built for, and where an engine runs.
 *
 *     tw_device *dev = tw_device_ipu_model(TW_MK2, 1);      // one simulated IPU of 1,472 tiles
 *     const tw_target *target = tw_device_target(dev);
 *     printf("%u tiles of %llu bytes\n", tw_target_tiles(target),
 *            (unsigned long long)tw_target_bytes_per_tile(target));
 *     tw_device_free(dev);
 *
 * Threads: a target is not changed once it is made and counts its references atomically: share it. A device is
 * used by one thread at a time. */
#ifndef TILEWRIGHT_POPLAR_TARGET_H
#define TILEWRIGHT_POPLAR_TARGET_H

#include <tilewright/type.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_chip { TW_MK1 = 1, TW_MK2 = 2, TW_MK21 = 21 } tw_chip; /* GC2, GC200, "ipu21" */
/* IPU: the simulator of instructions. */
typedef enum tw_target_kind { TW_TARGET_CPU = 0, TW_TARGET_IPU_MODEL = 1, TW_TARGET_IPU = 2 } tw_target_kind;

/* How IPUs are linked: pairs as the rungs of a ladder, whose ends a torus joins (guide 2.7.1). A line has no model of
 * its own: it counts as a mesh. */
typedef enum tw_link_topology { TW_LINK_MESH = 0, TW_LINK_TORUS = 1, TW_LINK_LINE = 2 } tw_link_topology;
typedef enum tw_link_configuration {
    TW_LINK_DEFAULT = 0,
    TW_LINK_SLIDING_WINDOW = 1,
    TW_LINK_BARLEY_TWIST = 2
} tw_link_configuration;
/* What the sync groups GS1 and GS2 are for (guide 2.7.2). */
typedef enum tw_sync_configuration {
    TW_SYNC_INTRA_REPLICA_AND_ALL = 0,
    TW_SYNC_IPU_AND_ALL = 1,
    TW_SYNC_INTRA_REPLICA_AND_LADDER = 2
} tw_sync_configuration;

/* A limit on what several IPUs may exchange at once. */
typedef struct tw_global_exchange_flow {
    unsigned src, dst; /* IPUs */
} tw_global_exchange_flow;
typedef struct tw_global_exchange_constraint {
    double bandwidth; /* bits per second, of all flows together */
    size_t flow_count;
    const tw_global_exchange_flow *flows;
} tw_global_exchange_constraint;

#define TW_NO_DELAY 0xffffffffu /* of syncs: 0 stands for the chip's own */

typedef struct tw_target tw_target; /* immutable, reference counted */
typedef struct tw_device tw_device;

/* The IPU Model (Poplar API, IPUModel). All else zero = one Mk2 IPU; 0 in a field = the chip's own value. */
typedef struct tw_ipu_model {
    size_t size;                     /* sizeof(tw_ipu_model) */
    tw_chip chip;                    /* default TW_MK2 */
    unsigned num_ipus;               /* default 1 */
    unsigned tiles_per_ipu;          /* default and maximum: 1,216 on Mk1, 1,472 on Mk2 */
    unsigned worker_contexts;        /* default 6 */
    uint64_t bytes_per_tile;         /* default 262,144 on Mk1, 638,976 on Mk2 */
    double clock_hz;                 /* default 1.6e9 on Mk1, 1.33e9 on Mk2 (estimate) */
    double exchange_bytes_per_cycle; /* default 4 */
    unsigned max_sync_delay;     /* cycles; default 118 on Mk1 (guide's sample), see tw_target_max_sync_delay() */
    bool no_sync_delay;          /* RelativeSyncDelayType::NO_DELAY: syncs cost nothing */
    bool accurate_half;          /* false: half may be kept in float inside a codelet (docs/decisions.md, G3) */
    bool compile_ipu_code;       /* IPUModel::compileIPUCode: code of vertices counts, in memory and cycles */
    unsigned global_sync_cycles; /* default by the formula of Poplar API, IPUModel */
    tw_link_topology ipu_link_topology;
    tw_link_configuration ipu_link_configuration; /* has no model: kept for tw_target_ipu_link_configuration() */
    tw_sync_configuration sync_configuration;
    unsigned min_sync_delay;     /* cycles; the largest moves with it, unless it is given too. TW_NO_DELAY: none */
    bool no_relative_sync_delay; /* all tiles leave a sync together, after min_sync_delay */
    /* Figures of the chip under their names in `tilewright info targets`; planners read them from the target. */
    unsigned memcpy_bytes_per_cycle, instruction_bytes, tiles_per_super_tile, data_path_width;
    bool no_super_tile_send_receive;
    unsigned conv_pipeline_depth, conv_pipeline_depth_f32, conv_input_f16, conv_input_f32;
    unsigned conv_units_f16_f16, conv_units_f16_f32, conv_units_f32_f32, conv_coeff_bytes_per_cycle;
    unsigned rpt_count_max, atomic_store_granularity, num_stride_bits;
    /* Offsets of the memory elements from the start of a tile's memory, ascending from 0; from the given index on
     * they are interleaved. Elements of one kind are of one size. Copied; count 0 = the chip's. */
    const uint64_t *memory_element_offsets;
    size_t memory_element_count;
    unsigned interleaved_memory_element_index;
    /* Take the place of the links' own limits. Copied. */
    const tw_global_exchange_constraint *global_exchange_constraints;
    size_t global_exchange_constraint_count;
    /* What a system's partition says of itself; nothing in the model depends on it. 0: the number of IPUs. */
    unsigned ipu_link_domain_size, instance_size;
    bool gateway_mode;
    bool replicas_only; /* take tw_graph_new_replicated(), which hardware and simulator do and the model refuses */
} tw_ipu_model;

/* An option of a target by its vendor's name: ipuLinkTopology (mesh, torus, line), ipuLinkConfiguration (default,
 * slidingwindow, barleytwist), syncConfiguration (intraReplicaAndAll, ipuAndAll, intraReplicaAndLadder), gatewayMode
 * (true, false), in any case; ipuLinkDomainSize, instanceSize (1 to 65536 IPUs). One of our own: replicasOnly (true,
 * false) for `replicas_only`. TW_E_INVALID_OPTION for another name or value. */
TW_API tw_status tw_ipu_model_set_option(tw_ipu_model *model, const char *key, const char *value);

/* Devices. NULL on failure, with tw_error_message(). Free with tw_device_free(). */
TW_API tw_device *tw_device_cpu(void);               /* half is a 4-byte float */
TW_API tw_device *tw_device_cpu_accurate_half(void); /* half is a 2-byte IEEE half */
TW_API tw_device *tw_device_ipu_model(tw_chip chip, unsigned num_ipus);
TW_API tw_device *tw_device_ipu_model_with(const tw_ipu_model *model); /* copied; NULL = all defaults */
/* The simulator (docs/colossus.md): vertices run as the chip's instructions in the memories of its tiles. A vertex
 * without such code makes the engine fail, unless its option simulator.runNativeVertices is true: then all that are
 * not assembly run natively. The model says how large the chip is; NULL = all defaults. The target has the kind
 * TW_TARGET_IPU and serves for graphs. */
TW_API tw_device *tw_device_ipu_sim(tw_chip chip, unsigned num_ipus);
TW_API tw_device *tw_device_ipu_sim_with(const tw_ipu_model *model);
/* The same with options of the simulator, "key=value" texts ended by NULL (tw_sim_options_read() lists them). The
 * JSON object in POPLAR_SIMULATOR_OPTIONS wins over them; it also holds for the other two, and for vertices on the
 * IPU Model that exist in assembly only. NULL: TW_E_INVALID_OPTION, or what the model is wrong in. */
TW_API tw_device *tw_device_ipu_sim_options(const tw_ipu_model *model, const char *const *options);
/* "cpu", "ipu-model" or "ipu-sim", for programs whose user chooses; NULL: what TILEWRIGHT_DEVICE says (`tilewright
 * run --device`), else "ipu-model". chip 0: TW_MK2; num_ipus 0: one. */
TW_API tw_device *tw_device_by_name(const char *name, tw_chip chip, unsigned num_ipus);
TW_API tw_device *tw_device_virtual(const tw_device *device, unsigned tiles_per_ipu); /* same device, fewer tiles */
TW_API void tw_device_free(tw_device *device);                                        /* NULL is fine */
TW_API const tw_target *tw_device_target(const tw_device *device);                    /* owned by the device */
TW_API bool tw_device_attach(tw_device *device); /* always true: there is no hardware to wait for */
TW_API void tw_device_detach(tw_device *device);

/* Targets without a device. NULL on failure. */
TW_API tw_target *tw_target_new_cpu(bool accurate_half);
TW_API tw_target *tw_target_new_ipu_model(const tw_ipu_model *model);
TW_API tw_target *tw_target_new_ipu_sim(const tw_ipu_model *model);
TW_API tw_target *tw_target_ref(const tw_target *target);
TW_API void tw_target_free(const tw_target *target);
TW_API bool tw_target_equal(const tw_target *a, const tw_target *b);
TW_API uint64_t tw_target_hash(const tw_target *target); /* the same for equal targets */
/* The same chip with fewer IPUs and tiles (Target::createVirtualTarget). NULL when the target has not that many. One
 * without tiles can be asked, as planners do that divide tiles between tasks; no graph or device is made of it. */
TW_API tw_target *tw_target_new_virtual(const tw_target *target, unsigned num_ipus, unsigned tiles_per_ipu);

/* Getters, in the order of Poplar API, Target.hpp. On a CPU target none fails (docs/decisions.md, G5). */
TW_API tw_target_kind tw_target_get_kind(const tw_target *target);
TW_API const char *tw_target_arch(const tw_target *target); /* "ipu1", "ipu2", "ipu21", "cpu" */
TW_API size_t tw_target_type_size(const tw_target *target,
                                  tw_type type); /* bytes; half is 4 on a plain CPU target */
TW_API unsigned tw_target_worker_contexts(const tw_target *target);
TW_API unsigned tw_target_tiles(const tw_target *target); /* of all IPUs */
TW_API unsigned tw_target_tiles_per_ipu(const tw_target *target);
TW_API unsigned tw_target_ipus(const tw_target *target);
TW_API unsigned tw_target_vector_width(const tw_target *target, tw_type type); /* elements per data path word */
TW_API unsigned tw_target_data_path_width(const tw_target *target);            /* bits */
TW_API unsigned tw_target_rpt_count_max(const tw_target *target);
TW_API unsigned tw_target_atomic_store_granularity(const tw_target *target); /* bytes */
TW_API uint64_t tw_target_bytes_per_tile(const tw_target *target);
TW_API uint64_t tw_target_memory_bytes(const tw_target *target); /* of all tiles */
TW_API double tw_target_exchange_bytes_per_cycle(const tw_target *target);
TW_API unsigned tw_target_memcpy_bytes_per_cycle(const tw_target *target);
TW_API bool tw_target_supports_exchange_bus_sharing(const tw_target *target);
TW_API unsigned tw_target_tiles_per_shared_exchange_bus(const tw_target *target);
TW_API double tw_target_clock_hz(const tw_target *target);
TW_API unsigned tw_target_min_sync_delay(const tw_target *target); /* cycles */
TW_API unsigned tw_target_max_sync_delay(const tw_target *target); /* cycles */
TW_API unsigned tw_target_global_sync_cycles(const tw_target *target);
/* Offsets of the memory elements from the start of memory; *count gets their number. Owned by the target. */
TW_API const uint64_t *tw_target_memory_element_offsets(const tw_target *target, size_t *count);
TW_API unsigned tw_target_interleaved_memory_element_index(const tw_target *target);
TW_API unsigned tw_target_num_stride_bits(const tw_target *target);
TW_API unsigned tw_target_conv_units(const tw_target *target, tw_type input,
                                     tw_type partials); /* 0: no such pair */
TW_API unsigned tw_target_conv_unit_max_pipeline_depth(const tw_target *target, tw_type partials);
TW_API unsigned tw_target_conv_unit_input_load_elems_per_cycle(const tw_target *target, tw_type type);
TW_API unsigned tw_target_conv_unit_coeff_load_bytes_per_cycle(const tw_target *target);
TW_API unsigned tw_target_weights_per_conv_unit(const tw_target *target, tw_type type);
TW_API bool tw_target_accurate_half(const tw_target *target);
TW_API const char *tw_target_system(const tw_target *target); /* as the target was made: the same as its arch */
/* Least and greatest finite value of `type` (getTypeLimitsLowestAs, getTypeLimitsMaxAs), each tw_target_type_size()
 * bytes long; either may be NULL. False for a type that has no limits here (complex, quarter, none). */
TW_API bool tw_target_type_limits(const tw_target *target, tw_type type, void *lowest, void *max);
/* Value for the register of tw_target_fp_ictl_index(): which floating point events raise exceptions, stochastic
 * rounding, and whether half overflows to NaN. */
TW_API unsigned tw_target_make_fp_ictl(const tw_target *target, bool inv, bool div0, bool oflo, bool esr,
                                       bool nanoo);
TW_API unsigned tw_target_fp_ictl_index(const tw_target *target);  /* supervisor control register 0x20 */
TW_API unsigned tw_target_dbg_data_index(const tw_target *target); /* supervisor control register 0x70 */

/* Links and sync groups of several IPUs. */
TW_API tw_sync_configuration tw_target_sync_configuration(const tw_target *target);
TW_API tw_link_topology tw_target_ipu_link_topology(const tw_target *target);
TW_API tw_link_configuration tw_target_ipu_link_configuration(const tw_target *target);
TW_API unsigned tw_target_ipu_link_domain_size(const tw_target *target); /* IPUs */
TW_API unsigned tw_target_instance_size(const tw_target *target);        /* IPUs */
TW_API bool tw_target_gateway_mode(const tw_target *target);

/* Limits that the model states on what several IPUs exchange; NULL and *count = 0 without: then those of its links
 * count. Owned by the target. */
TW_API const tw_global_exchange_constraint *tw_target_global_exchange_constraints(const tw_target *target,
                                                                                  size_t *count);

/* Host exchange: tiles share contexts, contexts share exchange blocks (estimates: nothing is published). `tile`
 * counts within all IPUs; a tile past the end gives UINT_MAX. */
TW_API unsigned tw_target_tiles_per_xb_context(const tw_target *target);
TW_API unsigned tw_target_contexts_per_xb(const tw_target *target);
TW_API unsigned tw_target_host_exchange_xb(const tw_target *target, unsigned tile); /* block of the tile's IPU */
TW_API unsigned tw_target_host_exchange_context(const tw_target *target, unsigned tile); /* within the block */
TW_API unsigned tw_target_host_exchange_context_position(const tw_target *target, unsigned tile); /* within that */

/* Host floats to and from the target's half (2 or 4 bytes an element). */
TW_API void tw_target_copy_float_to_half(const tw_target *target, const float *src, void *dst, size_t count);
TW_API void tw_target_copy_half_to_float(const tw_target *target, const void *src, float *dst, size_t count);

#ifdef __cplusplus
}
#endif
#endif
