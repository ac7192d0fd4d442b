/* SPDX-License-Identifier: MIT */
/* One tile's memory and the figures of the chip around it, as data: what a target starts from.
 *
 *     tw_tile_arch arch = *tw_tile_arch_by_name("mk2");       // a copy: fields may be overridden
 *     printf("%u tiles of %llu bytes\n", arch.tiles, (unsigned long long)arch.bytes_per_tile);
 *
 * Rows: the IPU generations and the CPU of Poplar, the WSE-2 and WSE-3 processing element, the first AI Engine tile,
 * the AI cores of Ascend A2/A3, A5 and A6. Sources stand beside the rows in src/core/tile/arch.c; a value that its
 * source does not state firmly is an estimate (tw_tile_arch_fidelity).
 *
 * Threads: tables and pure functions, for any number at once. */
#ifndef TILEWRIGHT_TILE_H
#define TILEWRIGHT_TILE_H

#include <tilewright/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far a number can be trusted; the larger value wins when figures are added. */
typedef enum tw_fidelity {
    TW_FIDELITY_EXACT = 0,     /* stated by the vendor, or counted */
    TW_FIDELITY_MODELLED = 1,  /* follows from a documented model */
    TW_FIDELITY_ESTIMATED = 2, /* a guess with a reason */
    TW_FIDELITY_ABSENT = 3     /* not known; the number beside it means nothing */
} tw_fidelity;
TW_API const char *tw_fidelity_name(tw_fidelity fidelity); /* "exact", "modelled", "estimated", "absent" */

#define TW_TILE_MAX_REGIONS  10
#define TW_TILE_MAX_ELEMENTS 64

/* One address range of a tile. Banks serve one access per cycle each. In an interleaved region neighbouring words
 * lie in different banks of a group (`bank_group`: 2 on the IPU, 8 on a WSE PE). */
typedef struct tw_tile_region {
    const char *name; /* "region 0", "UB", "program", ... */
    uint32_t start;   /* address; every Ascend buffer and the AI Engine's program memory count from 0 */
    uint32_t bytes;
    uint32_t bank_bytes; /* 0 = the source does not say */
    uint32_t banks;
    uint32_t bank_group; /* banks that form one element; 1 = not interleaved */
    uint32_t align;      /* bytes; smallest alignment of an object */
    bool interleaved;
    bool executable;
} tw_tile_region;

/* X(field, C type, printf format, unit, what it is). Scalars that a target may override; one row each in
 * `tilewright info targets`. IPUModel members of Poplar API, IPUModel under their names in snake case. */
#define TW_TILE_FIELD_LIST(X)                                                                                  \
    X(tiles, unsigned, "%u", "", "tiles per chip")                                                             \
    X(columns, unsigned, "%u", "", "columns of the array of tiles; 0 = its places are not part of the model")  \
    X(rows, unsigned, "%u", "", "rows of the array of tiles")                                                  \
    X(locks, unsigned, "%u", "", "locks of a tile")                                                            \
    X(tiles_per_super_tile, unsigned, "%u", "", "tiles that share an exchange bus")                            \
    X(workers, unsigned, "%u", "", "worker contexts of a tile")                                                \
    X(base_address, uint32_t, "0x%x", "", "first populated address")                                           \
    X(bytes_per_tile, unsigned long long, "%llu", "B", "memory of a tile; 0 = no limit")                       \
    X(interleaved_element, unsigned, "%u", "", "index of the first interleaved memory element")                \
    X(clock_hz, double, "%.0f", "Hz", "tile clock")                                                            \
    X(exchange_bytes_per_cycle, double, "%g", "B/cycle", "received by one tile")                               \
    X(host_bytes_per_cycle, double, "%g", "B/cycle", "between one chip and its host")                          \
    X(host_tile_bytes_per_cycle, double, "%g", "B/cycle", "between one tile and the host")                     \
    X(host_copy_overhead, unsigned, "%u", "cycles", "fixed cost of a host copy on its tile")                   \
    X(link_bits_per_second, double, "%g", "bit/s", "one link between chips, one direction")                    \
    X(link_efficiency, double, "%g", "", "share of a link's rate that carries data")                           \
    X(memcpy_bytes_per_cycle, unsigned, "%u", "B/cycle", "copy inside a tile")                                 \
    X(instruction_bytes, unsigned, "%u", "B", "one instruction")                                               \
    X(fetch_overread_bytes, unsigned, "%u", "B", "safe to read past the end of vertex data")                   \
    X(fetch_delay_bytes, unsigned, "%u", "B", "supervisor instruction fetch runs ahead by")                    \
    X(min_sync_delay, unsigned, "%u", "cycles", "sync request to release, fastest tile")                       \
    X(max_sync_delay, unsigned, "%u", "cycles", "sync request to release, slowest tile")                       \
    X(global_sync_cycles, unsigned, "%u", "cycles", "sync over all chips; 0 = from the number of chips")       \
    X(data_path_width, unsigned, "%u", "bits", "one load or store of a worker")                                \
    X(f32_operations_per_cycle, double, "%g", "/cycle", "f32 operations of a tile, at most; a * b + c is two") \
    X(local_bytes_per_cycle, double, "%g", "B/cycle", "between a tile's arithmetic and its memory, both ways") \
    X(atomic_store_granularity, unsigned, "%u", "B", "smallest unit written without touching its neighbours")  \
    X(num_stride_bits, unsigned, "%u", "bits", "packed stride field of strided access")                        \
    X(rpt_count_max, unsigned, "%u", "", "largest hardware repeat count")                                      \
    X(contexts_per_xb, unsigned, "%u", "", "tile groups of an exchange block (host exchange)")                 \
    X(tiles_per_xb_context, unsigned, "%u", "", "tiles of such a group")                                       \
    X(float_vector_width, unsigned, "%u", "", "f32 elements per data path word")                               \
    X(half_vector_width, unsigned, "%u", "", "f16 elements per data path word")                                \
    X(conv_units_f16_f16, unsigned, "%u", "", "convolution units, f16 in, f16 partials")                       \
    X(conv_units_f16_f32, unsigned, "%u", "", "convolution units, f16 in, f32 partials")                       \
    X(conv_units_f32_f32, unsigned, "%u", "", "convolution units, f32 in, f32 partials")                       \
    X(conv_units_f8_f16, unsigned, "%u", "", "convolution units, quarter in, f16 partials")                    \
    X(conv_input_f8, unsigned, "%u", "elements/cycle", "convolution input load, quarter")                      \
    X(conv_input_f16, unsigned, "%u", "elements/cycle", "convolution input load, f16")                         \
    X(conv_input_f32, unsigned, "%u", "elements/cycle", "convolution input load, f32")                         \
    X(conv_pipeline_depth, unsigned, "%u", "", "convolution pipeline depth, f16 partials")                     \
    X(conv_pipeline_depth_f32, unsigned, "%u", "", "convolution pipeline depth, f32 partials")                 \
    X(conv_coeff_bytes_per_cycle, unsigned, "%u", "B/cycle", "convolution weight load")

typedef struct tw_tile_arch {
    const char *name;   /* "ipu2" */
    const char *alias;  /* "mk2"; "" = none */
    const char *system; /* "ipu", "cpu", "wse", "aie", "ascend" */
    const char *description;
    const char *estimated;        /* names of uncertain fields, one blank between; see tw_tile_arch_fidelity() */
    bool super_tile_send_receive; /* a tile may use its partner's exchange bandwidth */
    bool shared_address_space;    /* false: every region counts from address 0 (Ascend buffers) */
#define TW_TILE_FIELD(field, ctype, format, unit, text) ctype field;
    TW_TILE_FIELD_LIST(TW_TILE_FIELD)
#undef TW_TILE_FIELD
    unsigned region_count;
    tw_tile_region regions[TW_TILE_MAX_REGIONS];
    unsigned element_count;
    uint32_t element_offsets[TW_TILE_MAX_ELEMENTS]; /* bytes from the start of memory, ascending */
} tw_tile_arch;

/* Rows in the order of the table; NULL past the end. Static. */
TW_API const tw_tile_arch *tw_tile_arch_get(size_t index);
/* Name or alias without regard to case: "mk1" = "ipu1", "mk2" = "ipu2", "ipu21", "cpu", "wse2", "wse3", "aie1", "a2"
 * = "a3", "a5", "a6". NULL (and a message with the nearest name) when there is none. */
TW_API const tw_tile_arch *tw_tile_arch_by_name(const char *name);
/* EXACT, or ESTIMATED when the row's source is uncertain about `field` (a name of TW_TILE_FIELD_LIST). */
TW_API tw_fidelity tw_tile_arch_fidelity(const tw_tile_arch *arch, const char *field);
/* One field as text with its unit, for listings: "1330000000 Hz". Returns buf; "" for an unknown field. */
TW_API char *tw_tile_arch_format(const tw_tile_arch *arch, const char *field, char *buf, size_t size);

/* Region that holds `address`, NULL when unpopulated. Shared address spaces only. */
TW_API const tw_tile_region *tw_tile_region_at(const tw_tile_arch *arch, uint32_t address);
TW_API const tw_tile_region *tw_tile_region_by_name(const tw_tile_arch *arch, const char *name);
/* Memory element of an address: index into element_offsets, -1 when unpopulated. Two accesses in one cycle must
 * go to different elements, or to the two halves (address bit 3) of an interleaved one. */
TW_API int tw_tile_element_at(const tw_tile_arch *arch, uint32_t address);

/* Elements of `type` in one word of the data path (float 2, half 4 on the IPU); at least 1. */
TW_API unsigned tw_tile_vector_width(const tw_tile_arch *arch, tw_type type);
/* 0 = the pair is not supported. */
TW_API unsigned tw_tile_conv_units(const tw_tile_arch *arch, tw_type input, tw_type partial);
TW_API unsigned tw_tile_conv_input_elements(const tw_tile_arch *arch, tw_type input); /* per cycle */
/* Input elements per cycle times pipeline depth. */
TW_API unsigned tw_tile_weights_per_conv_unit(const tw_tile_arch *arch, tw_type input);
/* Sync over `ipus` chips, in cycles: the field, or ceil(15 ns * clock * (1 + ipus / 4) * 2) when it is 0. */
TW_API unsigned tw_tile_global_sync_cycles(const tw_tile_arch *arch, unsigned ipus);

/* --- how near cycles are ------------------------------------------------------------------------------------ */

/* What the cycles of a machine's model were compared with: one row of the table of compared programs. `error` is the
 * geometric mean over them of max(ratio, 1/ratio), `worst` the largest; a program that is none of them may be further
 * off. rows = 0: nothing to compare with was published, and the two are 0. */
typedef struct tw_band {
    const char *archs; /* names of tw_tile_arch, one blank between */
    const char *model; /* where a machine has several: "code", "slots" (AI Engine); "" = its only one */
    unsigned rows;
    double error, worst;
    const char *compared; /* what with what */
    const char *source;   /* where the figures stand; NULL = nowhere */
} tw_band;

/* Rows in the order of the table; NULL past the end. Static. */
TW_API const tw_band *tw_band_get(size_t index);
/* The first row of an architecture by its name, of that model when it isn't NULL or ""; NULL when there is none. */
TW_API const tw_band *tw_band_find(const char *arch, const char *model);
/* "± 16 % (worst 38 %) over 18 programs", "not validated"; "" for NULL. Returns buf, UTF-8. */
TW_API char *tw_band_text(const tw_band *band, char *buf, size_t size);

/* --- storage categories ------------------------------------------------------------------------------------- */

/* X(NAME, number, key in the profile, label in the summary). Keys: Poplar API, graph profile. Labels and their order:
 * guide 8.2.3 for those in its sample; the others stand beside their relatives. Machines may add keys of their own
 * (profile.h). */
#define TW_STORAGE_LIST(X)                                                                     \
    X(VARIABLE, 0, "variable", "Variables")                                                    \
    X(CONSTANT, 1, "constant", "Constants")                                                    \
    X(CONTROL_ID, 2, "controlId", "Control IDs")                                               \
    X(MESSAGE, 3, "message", "Internal Exchange Message Buffers")                              \
    X(HOST_MESSAGE, 4, "hostMessage", "Host Exchange Message Buffers")                         \
    X(GLOBAL_MESSAGE, 5, "globalMessage", "Global Exchange Message Buffers")                   \
    X(REARRANGEMENT, 6, "rearrangement", "Data Rearrangement Buffers")                         \
    X(OUTPUT_EDGE, 7, "outputEdge", "Output Edge Buffers")                                     \
    X(HOST_PACKET_HEADER, 8, "hostExchangePacketHeader", "Host Exchange Packet Headers")       \
    X(GLOBAL_PACKET_HEADER, 9, "globalExchangePacketHeader", "Global Exchange Packet Headers") \
    X(STACK, 10, "stack", "Stack")                                                             \
    X(INSTRUMENTATION, 11, "instrumentationResults", "Instrumentation Results")                \
    X(VERTEX_STATE, 12, "vertexInstanceState", "Vertex Instances")                             \
    X(COPY_DESCRIPTOR, 13, "copyDescriptor", "Copy Descriptors")                               \
    X(VECTOR_LIST_DESCRIPTOR, 14, "vectorListDescriptor", "VectorList Descriptors")            \
    X(VERTEX_FIELD, 15, "vertexFieldData", "Vertex Field Data")                                \
    X(CONTROL_TABLE, 16, "controlTable", "Control Table")                                      \
    X(CONTROL_CODE, 17, "controlCode", "Control Code")                                         \
    X(VERTEX_CODE, 18, "vertexCode", "Vertex Code")                                            \
    X(INTERNAL_EXCHANGE_CODE, 19, "internalExchangeCode", "Internal Exchange Code")            \
    X(HOST_EXCHANGE_CODE, 20, "hostExchangeCode", "Host Exchange Code")                        \
    X(GLOBAL_EXCHANGE_CODE, 21, "globalExchangeCode", "Global Exchange Code")                  \
    X(SHARED_CODE, 22, "sharedCodeStorage", "Shared Code Storage")                             \
    X(SHARED_DATA, 23, "sharedDataStorage", "Shared Data Storage")                             \
    X(MULTIPLE, 24, "multiple", "Multiple")

typedef enum tw_storage {
#define TW_STORAGE_ENUM(name, number, key, label) TW_STORAGE_##name = number,
    TW_STORAGE_LIST(TW_STORAGE_ENUM)
#undef TW_STORAGE_ENUM
        TW_STORAGE_COUNT = 25
} tw_storage;
TW_API const char *tw_storage_key(tw_storage storage);   /* "vertexInstanceState" */
TW_API const char *tw_storage_label(tw_storage storage); /* "Vertex Instances" */

#ifdef __cplusplus
}
#endif

#include <tilewright/tile/abi.h>
#include <tilewright/tile/layout.h>
#endif
