/* SPDX-License-Identifier: MIT */
/* The table of tile architectures and the questions asked of it (tile.h).
 *
 * Sources: guide = Poplar and PopLibs user guide, chapter 7.2 (memory) and the sample of 8.2.3 (clock, syncs);
 * "inferred" = deduced from published figures, listed in `estimated`. Where a source gives a range, the value in the
 * table is the one the project uses everywhere. */
#include "core/tile/tile.h"

#include <assert.h>
#include <glib.h>
#include <math.h>
#include <string.h>

/* clang-format off */

/* Figures shared by the three IPU generations. Exchange: 4 bytes per cycle and tile, two tiles on one bus; memcpy
 * 8 bytes per cycle; 64-bit data path; load units of the convolution hardware (inferred from published PopLibs code).
 * f32 operations: the matrix units' (16 or 8 products a cycle); memory: two loads of 8 bytes and a store.
 * Over-read: eight 32-bit words past vertex data may be read (guide 7.5). Links: 128 Gibit/s at 85 %.
 * Host exchange blocks: nothing is published; 16 blocks of 4 groups share the tiles evenly on both generations. */
#define IPU_COMMON                                                                                             \
    .system = "ipu", .shared_address_space = true, .super_tile_send_receive = true, .tiles_per_super_tile = 2, \
    .workers = 6, .exchange_bytes_per_cycle = 4, .host_copy_overhead = 5, .host_tile_bytes_per_cycle = 1,       \
    .link_bits_per_second = 128.0 * 1024 * 1024 * 1024, .link_efficiency = 0.85, .memcpy_bytes_per_cycle = 8,  \
    .instruction_bytes = 4, .fetch_overread_bytes = 32, .fetch_delay_bytes = 64, .data_path_width = 64,        \
    .local_bytes_per_cycle = 24,                                                                               \
    .atomic_store_granularity = 4, .num_stride_bits = 10, .float_vector_width = 2, .half_vector_width = 4,     \
    .conv_input_f16 = 4, .conv_input_f32 = 2, .conv_pipeline_depth = 4, .conv_pipeline_depth_f32 = 4,            \
    .conv_coeff_bytes_per_cycle = 16,                                                                          \
    .contexts_per_xb = 4

/* Fields that are inferred on every generation. */
#define IPU_ESTIMATED                                                                                          \
    "host_bytes_per_cycle host_tile_bytes_per_cycle host_copy_overhead link_efficiency atomic_store_granularity num_stride_bits "        \
    "rpt_count_max min_sync_delay max_sync_delay global_sync_cycles conv_units_f16_f16 conv_units_f16_f32 "    \
    "conv_units_f32_f32 conv_units_f8_f16 conv_coeff_bytes_per_cycle fetch_delay_bytes "                       \
    "contexts_per_xb tiles_per_xb_context f32_operations_per_cycle local_bytes_per_cycle"

#define KB 1024u
/* Guide 7.2.3; the guide prints 406 KB for region 1, but 26 banks of 16 KB and the end address 0xE7FFF give 416. */
#define MK2_MEMORY                                                                                             \
    .tiles = 1472, .tiles_per_xb_context = 23, .base_address = 0x4C000, .bytes_per_tile = 624 * KB, .interleaved_element = 13, \
    .region_count = 2, .regions = {                                                                            \
        {.name = "region 0", .start = 0x4C000, .bytes = 208 * KB, .bank_bytes = 16 * KB, .banks = 13,          \
         .bank_group = 1, .align = 4, .executable = true},                                                     \
        {.name = "region 1", .start = 0x80000, .bytes = 416 * KB, .bank_bytes = 16 * KB, .banks = 26,          \
         .bank_group = 2, .align = 4, .interleaved = true}}

static const tw_tile_arch table[] = {
    {.name = "ipu1", .alias = "mk1", .description = "Graphcore Colossus Mk1 (GC2)", IPU_COMMON,
     /* Guide 7.2.2. */
     .tiles = 1216, .tiles_per_xb_context = 19, .base_address = 0x40000, .bytes_per_tile = 256 * KB, .interleaved_element = 8,
     .region_count = 2, .regions = {
         {.name = "region 0", .start = 0x40000, .bytes = 128 * KB, .bank_bytes = 16 * KB, .banks = 8,
          .bank_group = 1, .align = 4, .executable = true},
         {.name = "region 1", .start = 0x60000, .bytes = 128 * KB, .bank_bytes = 16 * KB, .banks = 8,
          .bank_group = 2, .align = 4, .interleaved = true}},
     /* Guide 8.2.3: 1,600 MHz; every sync of the sample takes 118 cycles, tiles leave it up to 20 cycles early;
      * its large host copy moves 25,122 bytes in 10,700 cycles, the small ones 2 and 4 bytes in 7 and 9. */
     .clock_hz = 1.6e9, .min_sync_delay = 98, .max_sync_delay = 118, .host_bytes_per_cycle = 2.349,
     .rpt_count_max = 4095, .conv_units_f16_f16 = 8, .conv_units_f16_f32 = 8, .conv_units_f32_f32 = 8,
     .f32_operations_per_cycle = 16, .estimated = IPU_ESTIMATED},

    {.name = "ipu2", .alias = "mk2", .description = "Graphcore Colossus Mk2 (GC200)", IPU_COMMON, MK2_MEMORY,
     /* Clock of the IPU Model; sync 120 to 130 cycles, so the 126 of ipu21, which has the same tiles. */
     .clock_hz = 1.33e9, .min_sync_delay = 106, .max_sync_delay = 126, .host_bytes_per_cycle = 6.0,
     .rpt_count_max = 65535, .conv_units_f16_f16 = 16, .conv_units_f16_f32 = 8, .conv_units_f32_f32 = 16,
     .f32_operations_per_cycle = 32, .estimated = IPU_ESTIMATED " clock_hz"},

    {.name = "ipu21", .alias = "", .description = "Graphcore Colossus Mk2 (Bow)", IPU_COMMON, MK2_MEMORY,
     .clock_hz = 1.85e9, .min_sync_delay = 106, .max_sync_delay = 126, .global_sync_cycles = 600,
     .host_bytes_per_cycle = 6.0, .rpt_count_max = 65535, .conv_units_f16_f16 = 16, .conv_units_f16_f32 = 8,
     .conv_units_f32_f32 = 16, .conv_units_f8_f16 = 16, .conv_input_f8 = 8,
     .f32_operations_per_cycle = 32, .estimated = IPU_ESTIMATED " clock_hz"},

    /* One tile, no memory limit, no cycles. The clock only turns queries into finite numbers. Workers: PopLibs' tests
     * for CPU devices divide work by this number and run the same host code as the IPU Model, which counts on six. */
    {.name = "cpu", .alias = "", .system = "cpu", .description = "this computer", .shared_address_space = true,
     .tiles = 1, .tiles_per_super_tile = 1, .workers = 6, .clock_hz = 1e9, .exchange_bytes_per_cycle = 4,
     .host_bytes_per_cycle = 8, .host_tile_bytes_per_cycle = 8, .memcpy_bytes_per_cycle = 8, .instruction_bytes = 4, .data_path_width = 64,
     .atomic_store_granularity = 1, .num_stride_bits = 10, .rpt_count_max = 65535, .float_vector_width = 2,
     .half_vector_width = 4, .contexts_per_xb = 1, .tiles_per_xb_context = 1,
     /* Mk2's, for planners of convolutions, which ask on every device. */
     .conv_input_f16 = 4, .conv_input_f32 = 2, .conv_pipeline_depth = 4, .conv_pipeline_depth_f32 = 4,
     .conv_coeff_bytes_per_cycle = 16, .conv_units_f16_f16 = 16, .conv_units_f16_f32 = 8, .conv_units_f32_f32 = 16,
     .estimated = "conv_units_f16_f16 conv_units_f16_f32 conv_units_f32_f32 conv_coeff_bytes_per_cycle "
                  "workers clock_hz exchange_bytes_per_cycle host_bytes_per_cycle atomic_store_granularity num_stride_bits "
                  "rpt_count_max"},

    /* A processing element: 48 KiB for code and data, 8 banks of 6 KiB, successive 16-bit words in successive banks.
     * 850 MHz is the figure of the public example scripts; one 32-bit wavelet per cycle through the ramp. Tiles: the
     * published fabric sizes 850,000 and 900,000. One f32 product and sum a cycle; 16 bytes read and 8 written. */
#define WSE_COMMON                                                                                             \
    .system = "wse", .shared_address_space = true, .tiles_per_super_tile = 1, .workers = 1,                    \
    .bytes_per_tile = 48 * KB, .region_count = 1, .regions = {                                                 \
        {.name = "memory", .start = 0, .bytes = 48 * KB, .bank_bytes = 6 * KB, .banks = 8, .bank_group = 8,    \
         .align = 2, .interleaved = true, .executable = true}},                                                \
    .clock_hz = 0.85e9, .exchange_bytes_per_cycle = 4, .memcpy_bytes_per_cycle = 8, .data_path_width = 64,     \
    .atomic_store_granularity = 2, .float_vector_width = 2, .half_vector_width = 4,                            \
    .f32_operations_per_cycle = 2, .local_bytes_per_cycle = 24,                                                \
    .estimated = "clock_hz tiles memcpy_bytes_per_cycle atomic_store_granularity float_vector_width "          \
                 "f32_operations_per_cycle local_bytes_per_cycle"
    {.name = "wse2", .alias = "", .description = "Cerebras WSE-2 processing element", .tiles = 850000, WSE_COMMON},
    {.name = "wse3", .alias = "", .description = "Cerebras WSE-3 processing element", .tiles = 900000, WSE_COMMON},

    /* 32 KB of data in 8 banks of 256 x 128 bit, even and odd banks serve 256-bit accesses together; 16 KB of
     * program memory apart from it; streams of 32 bit per cycle. Tiles of the VC1902. Eight f32 products and sums
     * a cycle; two loads and a store of 32 bytes. */
    {.name = "aie1", .alias = "aie", .system = "aie", .description = "AMD Versal AI Engine tile (first generation)",
     .tiles = 400, .columns = 50, .rows = 8, .locks = 16, .tiles_per_super_tile = 1, .workers = 1,
     .bytes_per_tile = 32 * KB,
     .region_count = 2, .regions = {
         {.name = "data", .start = 0, .bytes = 32 * KB, .bank_bytes = 4 * KB, .banks = 8, .bank_group = 2,
          .align = 16, .interleaved = true},
         {.name = "program", .start = 0, .bytes = 16 * KB, .align = 16, .executable = true}},
     .clock_hz = 1.25e9, .exchange_bytes_per_cycle = 4, .memcpy_bytes_per_cycle = 32, .instruction_bytes = 16,
     .data_path_width = 256, .float_vector_width = 8, .atomic_store_granularity = 1,
     .f32_operations_per_cycle = 16, .local_bytes_per_cycle = 96,
     .estimated = "clock_hz tiles memcpy_bytes_per_cycle atomic_store_granularity"},

    /* An AI core: one cube core with L1, L0A, L0B, L0C, bias table and fixpipe buffer, two vector cores with a
     * unified buffer (UB) each. bytes_per_tile is the sum over the buffers of a tile's view. Every buffer counts from
     * 0. f32 operations: those of the cube, 16 x 16 x 8 products in two cycles. Memory: that of the two vector cores,
     * 64 lanes a cycle each. */
#define BUFFER(n, kb) {.name = n, .bytes = (kb) * KB, .align = 32, .bank_group = 1}
#define ASCEND_COMMON .system = "ascend", .tiles_per_super_tile = 1, .workers = 3, .data_path_width = 256,     \
    .float_vector_width = 8, .half_vector_width = 16, .f32_operations_per_cycle = 2048, .local_bytes_per_cycle = 1536
    {.name = "a2", .alias = "a3", .description = "Ascend A2/A3 AI core", .tiles = 24, ASCEND_COMMON,
     .bytes_per_tile = (192 + 512 + 64 + 64 + 128 + 1 + 2) * KB,
     .region_count = 7, .regions = {BUFFER("UB", 192), BUFFER("L1", 512), BUFFER("L0A", 64), BUFFER("L0B", 64),
                                    BUFFER("L0C", 128), BUFFER("Bias", 1), BUFFER("Scaling", 2)},
     .clock_hz = 1.85e9, .estimated = "tiles clock_hz workers data_path_width float_vector_width half_vector_width "
                                    "f32_operations_per_cycle local_bytes_per_cycle"},
    {.name = "a5", .alias = "", .description = "Ascend A5 AI core", .tiles = 32, ASCEND_COMMON,
     .bytes_per_tile = (256 + 512 + 64 + 64 + 256 + 4 + 4 + 4 + 4) * KB,
     .region_count = 9, .regions = {BUFFER("UB", 256), BUFFER("L1", 512), BUFFER("L0A", 64), BUFFER("L0B", 64),
                                    BUFFER("L0C", 256), BUFFER("Bias", 4), BUFFER("Scaling", 4),
                                    BUFFER("ScaleLeft", 4), BUFFER("ScaleRight", 4)},
     .clock_hz = 1.85e9, .estimated = "tiles clock_hz workers data_path_width float_vector_width half_vector_width "
                                    "f32_operations_per_cycle local_bytes_per_cycle"},
    {.name = "a6", .alias = "", .description = "Ascend A6 AI core", .tiles = 32, ASCEND_COMMON,
     .bytes_per_tile = (256 + 512 + 64 + 64 + 256 + 4 + 4 + 4 + 4) * KB,
     .region_count = 9, .regions = {BUFFER("UB", 256), BUFFER("L1", 512), BUFFER("L0A", 64), BUFFER("L0B", 64),
                                    BUFFER("L0C", 256), BUFFER("Bias", 4), BUFFER("Scaling", 4),
                                    BUFFER("ScaleLeft", 4), BUFFER("ScaleRight", 4)},
     .clock_hz = 1.85e9, .estimated = "tiles clock_hz workers data_path_width float_vector_width half_vector_width "
                                    "f32_operations_per_cycle local_bytes_per_cycle"},
    /* Profile cpu of PTO: no chip. The memories of the larger one, and as much vector memory as two of them have. */
    {.name = "pto_cpu", .alias = "", .description = "Ascend AI core without a chip's limits (PTO profile cpu)", .tiles = 1,
     ASCEND_COMMON, .bytes_per_tile = (512 + 512 + 64 + 64 + 256 + 4 + 4 + 4 + 4) * KB,
     .region_count = 9, .regions = {BUFFER("UB", 512), BUFFER("L1", 512), BUFFER("L0A", 64), BUFFER("L0B", 64),
                                    BUFFER("L0C", 256), BUFFER("Bias", 4), BUFFER("Scaling", 4),
                                    BUFFER("ScaleLeft", 4), BUFFER("ScaleRight", 4)},
     .clock_hz = 1.85e9, .estimated = "tiles clock_hz workers data_path_width float_vector_width half_vector_width "
                                    "f32_operations_per_cycle local_bytes_per_cycle"},
};
/* clang-format on */

/* Memory elements follow from the regions: one per bank, or per group of banks where accesses are interleaved. */
static tw_tile_arch rows[G_N_ELEMENTS(table)];

static void fill_elements(tw_tile_arch *arch)
{
    for (unsigned r = 0; r < arch->region_count; r++) {
        const tw_tile_region *region = &arch->regions[r];
        uint32_t element = region->bank_bytes * region->bank_group;
        for (uint32_t at = 0; element && at < region->bytes; at += element)
            arch->element_offsets[arch->element_count++] = region->start - arch->base_address + at;
    }
}

static const tw_tile_arch *all_rows(void)
{
    static gsize ready;
    if (g_once_init_enter(&ready)) {
        memcpy(rows, table, sizeof rows);
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) fill_elements(&rows[i]);
        g_once_init_leave(&ready, 1);
    }
    return rows;
}

const tw_tile_arch *tw_tile_arch_get(size_t index)
{
    return index < G_N_ELEMENTS(rows) ? &all_rows()[index] : NULL;
}

const tw_tile_arch *tw_tile_arch_by_name(const char *name)
{
    const char *names[2 * G_N_ELEMENTS(rows)];
    size_t count = 0;
    if (!name) name = "";
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const tw_tile_arch *arch = tw_tile_arch_get(i);
        bool aliased = arch->alias[0] != 0;
        if (!g_ascii_strcasecmp(name, arch->name)) return arch;
        if (aliased && !g_ascii_strcasecmp(name, arch->alias)) return arch;
        names[count++] = arch->name;
        if (aliased) names[count++] = arch->alias;
    }
    const char *near = tw__nearest(name, names, count);
    tw__fail(TW_E_INVALID_ARGUMENT,
             near ? "unknown architecture '%s', did you mean '%s'?" : "unknown architecture '%s'", name, near);
    return NULL;
}

tw_fidelity tw_tile_arch_fidelity(const tw_tile_arch *arch, const char *field)
{
    size_t length = strlen(field);
    for (const char *at = arch->estimated ? strstr(arch->estimated, field) : NULL; at; at = strstr(at + 1, field)) {
        bool starts = at == arch->estimated || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == 0)) return TW_FIDELITY_ESTIMATED;
    }
    return TW_FIDELITY_EXACT;
}

char *tw_tile_arch_format(const tw_tile_arch *arch, const char *field, char *buf, size_t size)
{
    if (size) buf[0] = 0;
#define FORMAT_FIELD(name, ctype, format, unit, text) \
    if (!strcmp(field, #name)) g_snprintf(buf, (gulong)size, format "%s%s", arch->name, (unit)[0] ? " " : "", unit);
    TW_TILE_FIELD_LIST(FORMAT_FIELD)
#undef FORMAT_FIELD
    return buf;
}

const tw_tile_region *tw_tile_region_at(const tw_tile_arch *arch, uint32_t address)
{
    for (unsigned r = 0; arch->shared_address_space && r < arch->region_count; r++)
        if (address - arch->regions[r].start < arch->regions[r].bytes) return &arch->regions[r];
    return NULL;
}

const tw_tile_region *tw_tile_region_by_name(const tw_tile_arch *arch, const char *name)
{
    for (unsigned r = 0; r < arch->region_count; r++)
        if (!g_ascii_strcasecmp(arch->regions[r].name, name)) return &arch->regions[r];
    return NULL;
}

tw_tile_arch tw__tile_space(const tw_tile_arch *arch, const char *name)
{
    tw_tile_arch space = *arch;
    const tw_tile_region *region = tw_tile_region_by_name(arch, name);
    assert(region); /* names come from the table above */
    space.base_address = region->start;
    space.bytes_per_tile = region->bytes;
    space.shared_address_space = true;
    space.region_count = 1;
    space.regions[0] = *region;
    return space;
}

int tw_tile_element_at(const tw_tile_arch *arch, uint32_t address)
{
    if (address < arch->base_address || address - arch->base_address >= arch->bytes_per_tile) return -1;
    uint32_t offset = address - arch->base_address;
    int found = -1;
    for (unsigned e = 0; e < arch->element_count && arch->element_offsets[e] <= offset; e++) found = (int)e;
    return found;
}

unsigned tw_tile_vector_width(const tw_tile_arch *arch, tw_type type)
{
    if (type == TW_F32) return arch->float_vector_width ? arch->float_vector_width : 1;
    if (type == TW_F16) return arch->half_vector_width ? arch->half_vector_width : 1;
    unsigned bits = (unsigned)tw_type_size(type) * 8;
    return bits && bits <= arch->data_path_width ? arch->data_path_width / bits : 1;
}

unsigned tw_tile_conv_units(const tw_tile_arch *arch, tw_type input, tw_type partial)
{
    if (input == TW_F16)
        return partial == TW_F16 ? arch->conv_units_f16_f16 : partial == TW_F32 ? arch->conv_units_f16_f32 : 0;
    if (input == TW_F32) return partial == TW_F32 ? arch->conv_units_f32_f32 : 0;
    if (input == TW_QUARTER) return partial == TW_F16 ? arch->conv_units_f8_f16 : 0;
    return 0;
}

unsigned tw_tile_conv_input_elements(const tw_tile_arch *arch, tw_type input)
{
    return input == TW_F16       ? arch->conv_input_f16
           : input == TW_F32     ? arch->conv_input_f32
           : input == TW_QUARTER ? arch->conv_input_f8
                                 : 0;
}

unsigned tw_tile_weights_per_conv_unit(const tw_tile_arch *arch, tw_type input)
{
    return tw_tile_conv_input_elements(arch, input) * arch->conv_pipeline_depth;
}

unsigned tw_tile_global_sync_cycles(const tw_tile_arch *arch, unsigned ipus)
{
    if (arch->global_sync_cycles) return arch->global_sync_cycles;
    unsigned hops = 1 + ipus / 4;
    return (unsigned)ceil(15e-9 * arch->clock_hz * hops * 2);
}

const char *tw_fidelity_name(tw_fidelity fidelity)
{
    static const char *const names[] = { "exact", "modelled", "estimated", "absent" };
    return (unsigned)fidelity < G_N_ELEMENTS(names) ? names[fidelity] : "absent";
}
