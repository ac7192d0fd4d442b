/* SPDX-License-Identifier: MIT */
/* Targets and devices. All figures come from the rows of the tile box; a model overrides some of them. */
#include "poplar/graph/build.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static tw_target *target_new(const tw_target *fields, const char *arch)
{
    const tw_tile_arch *row = tw_tile_arch_by_name(arch);
    tw_target *target = row ? tw__realloc(NULL, sizeof *target) : NULL;
    if (!target) {
        if (row) tw__fail(TW_E_NO_MEMORY, "out of host memory");
        return NULL;
    }
    *target = *fields;
    target->refs = 1;
    target->arch = *row;
    for (unsigned i = 0; i < row->element_count; i++) target->element_offsets[i] = row->element_offsets[i];
    return target;
}

tw_target *tw_target_new_cpu(bool accurate_half)
{
    tw_target fields = {
        .kind = TW_TARGET_CPU, .ipus = 1, .tiles_per_ipu = 1, .tiles = 1, .accurate_half = accurate_half
    };
    tw_target *target = target_new(&fields, "cpu");
    return tw__made(tw_status_of(target), target);
}

static const struct {
    tw_chip chip;
    const char *arch;
} chips[] = { { TW_MK1, "ipu1" }, { TW_MK2, "ipu2" }, { TW_MK21, "ipu21" } };

static tw_target *new_ipu(tw_target_kind kind, const tw_ipu_model *model, const char *const *simulator)
{
    tw_ipu_model own;
    const tw_ipu_model *m = &own;
    if (TW__TAKE_OPTIONS(&own, model, tw_ipu_model) != TW_OK) return NULL;
    tw_chip chip = m->chip ? m->chip : TW_MK2;
    const char *arch = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(chips); i++)
        if (chips[i].chip == chip) arch = chips[i].arch;
    if (!arch) {
        tw__fail(TW_E_MACHINE_MODEL, "unknown chip %d: TW_MK1, TW_MK2 and TW_MK21 are known", (int)chip);
        return NULL;
    }
    tw_target fields = { .simulator = { .size = sizeof fields.simulator },
                         .kind = kind,
                         .chip = chip,
                         .accurate_half = m->accurate_half,
                         .compile_ipu_code = m->compile_ipu_code,
                         .no_sync_delay = m->no_sync_delay,
                         .takes_replicas = kind == TW_TARGET_IPU || m->replicas_only,
                         .link_topology = m->ipu_link_topology,
                         .link_configuration = m->ipu_link_configuration,
                         .sync_configuration = m->sync_configuration,
                         .link_domain_size = m->ipu_link_domain_size,
                         .instance_size = m->instance_size,
                         .gateway_mode = m->gateway_mode };
    if ((unsigned)m->ipu_link_topology > TW_LINK_LINE ||
        (unsigned)m->ipu_link_configuration > TW_LINK_BARLEY_TWIST ||
        (unsigned)m->sync_configuration > TW_SYNC_INTRA_REPLICA_AND_LADDER) {
        tw__fail(TW_E_MACHINE_MODEL, "unknown topology or configuration of links or syncs");
        return NULL;
    }
    if (tw_sim_options_read(&fields.simulator, simulator) != TW_OK) return NULL;
    tw_target *target = target_new(&fields, arch);
    if (target && tw__target_override(target, m)) {
        tw_target_free(target);
        return NULL;
    }
    return target;
}

tw_target *tw_target_new_ipu_model(const tw_ipu_model *model)
{
    tw_target *target = new_ipu(TW_TARGET_IPU_MODEL, model, NULL);
    return tw__made(tw_status_of(target), target);
}

/* The simulator has six workers and the chip's memory, as code of the chip expects. */
static tw_target *new_ipu_sim(const tw_ipu_model *model, const char *const *options)
{
    tw_ipu_model chip;
    if (TW__TAKE_OPTIONS(&chip, model, tw_ipu_model) != TW_OK) return NULL;
    if (chip.worker_contexts || chip.bytes_per_tile) {
        tw__fail(TW_E_MACHINE_MODEL, "a simulated tile has the workers and the memory of its chip");
        return NULL;
    }
    chip.accurate_half = true, chip.compile_ipu_code = false;
    return new_ipu(TW_TARGET_IPU, &chip, options);
}

tw_target *tw_target_new_ipu_sim(const tw_ipu_model *model)
{
    tw_target *target = new_ipu_sim(model, NULL);
    return tw__made(tw_status_of(target), target);
}

/* --- options -------------------------------------------------------------------------------------------------- */

enum { MAX_OPTION_VALUES = 3, MAX_PARTITION = 65536 };

/* One of the words of an option: its place, or -1. */
static int word_of(const char *const words[MAX_OPTION_VALUES], const char *value)
{
    for (int v = 0; v < MAX_OPTION_VALUES && words[v]; v++)
        if (g_ascii_strcasecmp(value, words[v]) == 0) return v;
    return -1;
}

/* A row has words, in the order of their enumeration, or is a number of IPUs. */
tw_status tw_ipu_model_set_option(tw_ipu_model *model, const char *key, const char *value)
{
    if (!model || !key || !value)
        return tw__fail(TW_E_INVALID_ARGUMENT, "a model, an option and a value are needed");
    tw_ipu_model mine;
    tw_status status = TW__TAKE_OPTIONS(&mine, model, tw_ipu_model);
    if (status != TW_OK) return status;
    int word = 0;
    guint64 ipus = 0;
    const struct {
        const char *key, *words[MAX_OPTION_VALUES], *legal;
    } options[] = {
        { "ipuLinkTopology", { "mesh", "torus", "line" }, "one of mesh, torus, line" },
        { "ipuLinkConfiguration",
          { "default", "slidingwindow", "barleytwist" },
          "one of default, slidingwindow, barleytwist" },
        { "syncConfiguration",
          { "intraReplicaAndAll", "ipuAndAll", "intraReplicaAndLadder" },
          "one of intraReplicaAndAll, ipuAndAll, intraReplicaAndLadder" },
        { "gatewayMode", { "false", "true" }, "true or false" },
        { "replicasOnly", { "false", "true" }, "true or false" },
        { "ipuLinkDomainSize", { NULL }, "a number of IPUs, 1 to 65536" },
        { "instanceSize", { NULL }, "a number of IPUs, 1 to 65536" },
    };
    for (int i = 0; i < (int)G_N_ELEMENTS(options); i++) {
        if (strcmp(key, options[i].key) != 0) continue;
        bool good = options[i].words[0] ? (word = word_of(options[i].words, value)) >= 0
                                        : g_ascii_string_to_unsigned(value, 10, 1, MAX_PARTITION, &ipus, NULL);
        if (!good)
            return tw__fail(TW_E_INVALID_OPTION, "target option %s: '%s' is not %s", key, value, options[i].legal);
        if (i == 0) mine.ipu_link_topology = (tw_link_topology)word;
        if (i == 1) mine.ipu_link_configuration = (tw_link_configuration)word;
        if (i == 2) mine.sync_configuration = (tw_sync_configuration)word;
        if (i == 3) mine.gateway_mode = word;
        if (i == 4) mine.replicas_only = word;
        if (i == 5) mine.ipu_link_domain_size = (unsigned)ipus;
        if (i == 6) mine.instance_size = (unsigned)ipus;
        return tw__give_options(model, &mine), TW_OK;
    }
    return tw__fail(TW_E_INVALID_OPTION,
                    "there is no target option '%s': ipuLinkTopology, ipuLinkConfiguration, syncConfiguration, "
                    "ipuLinkDomainSize, instanceSize, gatewayMode and replicasOnly are known",
                    key);
}

tw_target *tw_target_ref(const tw_target *target)
{
    tw_target *t = (tw_target *)(uintptr_t)target; /* only the count changes */
    if (t) g_atomic_int_inc(&t->refs);
    return t;
}

void tw_target_free(const tw_target *target)
{
    tw_target *t = (tw_target *)(uintptr_t)target;
    if (!t || !g_atomic_int_dec_and_test(&t->refs)) return;
    if (t->constraints) g_atomic_rc_box_release(t->constraints);
    free(t);
}

bool tw_target_equal(const tw_target *a, const tw_target *b)
{
    if (a == b) return true;
    if (!a || !b) return false;
    bool same = a->kind == b->kind && a->chip == b->chip && a->ipus == b->ipus &&
                a->tiles_per_ipu == b->tiles_per_ipu && a->accurate_half == b->accurate_half &&
                a->compile_ipu_code == b->compile_ipu_code && a->no_sync_delay == b->no_sync_delay &&
                a->link_topology == b->link_topology && a->link_configuration == b->link_configuration &&
                a->sync_configuration == b->sync_configuration && a->link_domain_size == b->link_domain_size &&
                a->instance_size == b->instance_size && a->gateway_mode == b->gateway_mode;
#define SAME(field, ctype, format, unit, text) same = same && a->arch.field == b->arch.field;
    TW_TILE_FIELD_LIST(SAME)
#undef SAME
    return same && a->arch.element_count == b->arch.element_count &&
           !memcmp(a->element_offsets, b->element_offsets, a->arch.element_count * sizeof *a->element_offsets) &&
           tw__constraints_equal(a, b);
}

uint64_t tw_target_hash(const tw_target *target)
{
    if (!target) return 0;
    uint64_t hash = 1469598103934665603u; /* FNV-1a over what tw_target_equal() compares as whole numbers */
    const uint64_t parts[] = { (uint64_t)target->kind,
                               (uint64_t)target->chip,
                               target->ipus,
                               target->tiles_per_ipu,
                               target->accurate_half,
                               target->compile_ipu_code,
                               target->arch.workers,
                               target->arch.bytes_per_tile,
                               target->arch.max_sync_delay,
                               target->no_sync_delay,
                               target->arch.min_sync_delay,
                               (uint64_t)target->link_topology,
                               (uint64_t)target->link_configuration,
                               (uint64_t)target->sync_configuration,
                               target->link_domain_size,
                               target->instance_size,
                               target->gateway_mode };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) hash = (hash ^ parts[i]) * 1099511628211u;
    return hash;
}

void tw__target_cut(tw_target *target, const tw_target *from, unsigned num_ipus, unsigned tiles_per_ipu)
{
    *target = *from;
    target->refs = 1;
    if (target->constraints) g_atomic_rc_box_acquire(target->constraints);
    target->ipus = num_ipus;
    target->tiles_per_ipu = tiles_per_ipu;
    target->tiles = num_ipus * tiles_per_ipu;
}

tw_target *tw_target_new_virtual(const tw_target *from, unsigned num_ipus, unsigned tiles_per_ipu)
{
    if (!from) return tw__made(tw__missing("target"), NULL);
    if (!num_ipus || num_ipus > from->ipus || tiles_per_ipu > from->tiles_per_ipu) {
        return tw__made(tw__fail(TW_E_MACHINE_MODEL,
                                 "virtual target of %u IPUs with %u tiles: the target has %u with %u", num_ipus,
                                 tiles_per_ipu, from->ipus, from->tiles_per_ipu),
                        NULL);
    }
    tw_target *target = tw__realloc(NULL, sizeof *target);
    if (!target) {
        return tw__made(tw__fail(TW_E_NO_MEMORY, "out of host memory"), NULL);
    }
    tw__target_cut(target, from, num_ipus, tiles_per_ipu);
    return target;
}

/* --- devices -------------------------------------------------------------------------------------------------- */

/* NULL for a target that could not be made. */
static tw_device *device_new(tw_target *target) /* takes it over */
{
    tw_device *device = target ? tw__realloc(NULL, sizeof *device) : NULL;
    if (device)
        *device = (tw_device){ .target = target };
    else if (target) {
        tw_target_free(target);
        tw__fail(TW_E_NO_MEMORY, "out of host memory");
    }
    return tw__made(tw_status_of(device), device);
}

tw_device *tw_device_cpu(void)
{
    return device_new(tw_target_new_cpu(false));
}

tw_device *tw_device_cpu_accurate_half(void)
{
    return device_new(tw_target_new_cpu(true));
}

tw_device *tw_device_ipu_model(tw_chip chip, unsigned num_ipus)
{
    if (!num_ipus) {
        return tw__made(tw__fail(TW_E_MACHINE_MODEL, "an IPU Model of 0 IPUs: at least one is needed"), NULL);
    }
    return device_new(tw_target_new_ipu_model(
        &(tw_ipu_model){ .size = sizeof(tw_ipu_model), .chip = chip, .num_ipus = num_ipus }));
}

tw_device *tw_device_ipu_model_with(const tw_ipu_model *model)
{
    return device_new(tw_target_new_ipu_model(model));
}

tw_device *tw_device_ipu_sim(tw_chip chip, unsigned num_ipus)
{
    if (!num_ipus) {
        return tw__made(tw__fail(TW_E_MACHINE_MODEL, "a simulator of 0 IPUs: at least one is needed"), NULL);
    }
    return device_new(
        tw_target_new_ipu_sim(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .chip = chip, .num_ipus = num_ipus }));
}

tw_device *tw_device_ipu_sim_with(const tw_ipu_model *model)
{
    return device_new(tw_target_new_ipu_sim(model));
}

tw_device *tw_device_ipu_sim_options(const tw_ipu_model *model, const char *const *options)
{
    return device_new(new_ipu_sim(model, options));
}

tw_device *tw_device_by_name(const char *name, tw_chip chip, unsigned num_ipus)
{
    static const char *const names[] = { "cpu", "ipu-model", "ipu-sim" };
    const char *chosen = name ? name : getenv("TILEWRIGHT_DEVICE");
    if (!chosen || !*chosen) chosen = "ipu-model";
    unsigned ipus = num_ipus ? num_ipus : 1;
    tw_chip kind = chip ? chip : TW_MK2;
    if (strcmp(chosen, "cpu") == 0) return tw_device_cpu();
    if (strcmp(chosen, "ipu-model") == 0) return tw_device_ipu_model(kind, ipus);
    if (strcmp(chosen, "ipu-sim") == 0) return tw_device_ipu_sim(kind, ipus);
    char hint[TW__HINT_BYTES];
    return tw__made(tw__fail(TW_E_INVALID_ARGUMENT,
                             "there is no device '%s': cpu, ipu-model and ipu-sim are there%s", chosen,
                             tw__did_you_mean(hint, tw__nearest(chosen, names, G_N_ELEMENTS(names)))),
                    NULL);
}

tw_device *tw_device_virtual(const tw_device *device, unsigned tiles_per_ipu)
{
    if (!device) return tw__made(tw__missing("device"), NULL);
    const tw_target *target = device->target;
    if (!tiles_per_ipu) {
        return tw__made(tw__fail(TW_E_MACHINE_MODEL, "a device needs a tile at least; 0 were asked for"), NULL);
    }
    return device_new(tw_target_new_virtual(target, target->ipus, tiles_per_ipu));
}

void tw_device_free(tw_device *device)
{
    if (!device) return;
    tw_target_free(device->target);
    free(device);
}

const tw_target *tw_device_target(const tw_device *device)
{
    return device ? device->target : NULL;
}

bool tw_device_attach(tw_device *device)
{
    if (device) device->attached = true;
    return device != NULL;
}

void tw_device_detach(tw_device *device)
{
    if (device) device->attached = false;
}

/* --- getters -------------------------------------------------------------------------------------------------- */

static bool is_cpu(const tw_target *target)
{
    return target->kind == TW_TARGET_CPU;
}

tw_target_kind tw_target_get_kind(const tw_target *target)
{
    if (!target) return (tw_target_kind){ 0 };
    return target->kind;
}

const char *tw_target_arch(const tw_target *target)
{
    if (!target) return NULL;
    return target->arch.name;
}

size_t tw_target_type_size(const tw_target *target, tw_type type)
{
    /* docs/decisions.md, G3: half is a float on a CPU target without accurate half. */
    return type == TW_HALF && is_cpu(target) && !target->accurate_half ? sizeof(float) : tw_type_size(type);
}

#define GETTER(ctype, name, value)                  \
    ctype tw_target_##name(const tw_target *target) \
    {                                               \
        return target ? (value) : (ctype)0;         \
    }
GETTER(unsigned, worker_contexts, target->arch.workers)
GETTER(unsigned, tiles, target->tiles)
GETTER(unsigned, tiles_per_ipu, target->tiles_per_ipu)
GETTER(unsigned, ipus, target->ipus)
GETTER(unsigned, data_path_width, target->arch.data_path_width)
GETTER(unsigned, rpt_count_max, target->arch.rpt_count_max)
GETTER(unsigned, atomic_store_granularity, target->arch.atomic_store_granularity)
GETTER(uint64_t, bytes_per_tile, target->arch.bytes_per_tile ? target->arch.bytes_per_tile : UINT64_MAX)
GETTER(double, exchange_bytes_per_cycle, target->arch.exchange_bytes_per_cycle)
GETTER(unsigned, memcpy_bytes_per_cycle, target->arch.memcpy_bytes_per_cycle)
GETTER(bool, supports_exchange_bus_sharing, target->arch.super_tile_send_receive)
GETTER(unsigned, tiles_per_shared_exchange_bus, target->arch.tiles_per_super_tile)
GETTER(double, clock_hz, target->arch.clock_hz)
GETTER(unsigned, min_sync_delay, target->arch.min_sync_delay)
GETTER(unsigned, max_sync_delay, target->arch.max_sync_delay)
GETTER(unsigned, interleaved_memory_element_index, target->arch.interleaved_element)
GETTER(unsigned, num_stride_bits, target->arch.num_stride_bits)
GETTER(unsigned, conv_unit_coeff_load_bytes_per_cycle, target->arch.conv_coeff_bytes_per_cycle)
GETTER(bool, accurate_half, target->accurate_half)
GETTER(unsigned, fp_ictl_index, 0x20)
GETTER(unsigned, dbg_data_index, 0x70)
GETTER(tw_link_topology, ipu_link_topology, target->link_topology)
GETTER(tw_link_configuration, ipu_link_configuration, target->link_configuration)
GETTER(tw_sync_configuration, sync_configuration, target->sync_configuration)
GETTER(unsigned, ipu_link_domain_size, target->link_domain_size ? target->link_domain_size : target->ipus)
GETTER(unsigned, instance_size, target->instance_size ? target->instance_size : target->ipus)
GETTER(bool, gateway_mode, target->gateway_mode)
GETTER(unsigned, tiles_per_xb_context, target->arch.tiles_per_xb_context)
GETTER(unsigned, contexts_per_xb, target->arch.contexts_per_xb)
#undef GETTER

unsigned tw_target_vector_width(const tw_target *target, tw_type type)
{
    if (!target) return 0;
    return tw_tile_vector_width(&target->arch, type);
}

uint64_t tw_target_memory_bytes(const tw_target *target)
{
    if (!target) return 0;
    uint64_t bytes;
    return __builtin_mul_overflow(tw_target_bytes_per_tile(target), (uint64_t)target->tiles, &bytes) ? UINT64_MAX
                                                                                                     : bytes;
}

unsigned tw_target_global_sync_cycles(const tw_target *target)
{
    if (!target) return 0;
    return is_cpu(target) || target->no_sync_delay ? 0 : tw_tile_global_sync_cycles(&target->arch, target->ipus);
}

const uint64_t *tw_target_memory_element_offsets(const tw_target *target, size_t *count)
{
    if (count) *count = target ? target->arch.element_count : 0;
    return target ? target->element_offsets : NULL;
}

unsigned tw_target_conv_units(const tw_target *target, tw_type input, tw_type partials)
{
    if (!target) return 0;
    return tw_tile_conv_units(&target->arch, input, partials);
}

unsigned tw_target_conv_unit_max_pipeline_depth(const tw_target *target, tw_type partials)
{
    if (!target) return 0;
    return partials == TW_FLOAT ? target->arch.conv_pipeline_depth_f32 : target->arch.conv_pipeline_depth;
}

unsigned tw_target_conv_unit_input_load_elems_per_cycle(const tw_target *target, tw_type type)
{
    if (!target) return 0;
    return tw_tile_conv_input_elements(&target->arch, type);
}

unsigned tw_target_weights_per_conv_unit(const tw_target *target, tw_type type)
{
    if (!target) return 0;
    return tw_tile_weights_per_conv_unit(&target->arch, type);
}

const char *tw_target_system(const tw_target *target)
{
    if (!target) return NULL;
    return tw_target_arch(target);
}

/* Largest value of a floating point type as it lies in memory; false when it has none here. */
static bool real_max(size_t size, void *max)
{
    const uint16_t half = 0x7bff;
    const float single = FLT_MAX;
    const double twice = DBL_MAX;
    const void *const from[] = { [sizeof half] = &half, [sizeof single] = &single, [sizeof twice] = &twice };
    if (size >= G_N_ELEMENTS(from) || !from[size]) return false;
    memcpy(max, from[size], size);
    return true;
}

bool tw_target_type_limits(const tw_target *target, tw_type type, void *lowest, void *max)
{
    const tw_type_info *info = tw_type_get(type);
    size_t size = tw_target_type_size(target, type);
    uint8_t low[16] = { 0 }, high[16];
    if (!size || size > sizeof low || info->is_complex || type == TW_QUARTER) return false;
    memset(high, 0xff, sizeof high);
    switch (info->kind) {
    case TW_KIND_BOOL: high[0] = 1; break;
    case TW_KIND_UINT: break;
    case TW_KIND_INT: low[size - 1] = 0x80, high[size - 1] = 0x7f; break; /* little-endian, as all targets are */
    case TW_KIND_FLOAT:
        if ((size == 2 && type != TW_HALF) || !real_max(size, high)) return false;
        memcpy(low, high, size);
        low[size - 1] |= 0x80;
        break;
    default: return false;
    }
    if (lowest) memcpy(lowest, low, size);
    if (max) memcpy(max, high, size);
    return true;
}

unsigned tw_target_make_fp_ictl(const tw_target *target, bool inv, bool div0, bool oflo, bool esr, bool nanoo)
{
    (void)target;
    return (unsigned)inv | (unsigned)div0 << 1 | (unsigned)oflo << 2 | (unsigned)esr << 19 | (unsigned)nanoo << 20;
}

const tw_global_exchange_constraint *tw_target_global_exchange_constraints(const tw_target *target, size_t *count)
{
    if (!target) return NULL;
    if (count) *count = target->constraint_count;
    return target->constraints;
}

/* --- host exchange blocks ------------------------------------------------------------------------------------- */

/* Tile within its IPU, UINT_MAX past the last tile. */
static unsigned tile_of_ipu(const tw_target *target, unsigned tile)
{
    return tile < target->tiles ? tile % target->tiles_per_ipu : UINT_MAX;
}

unsigned tw_target_host_exchange_xb(const tw_target *target, unsigned tile)
{
    if (!target) return 0;
    unsigned at = tile_of_ipu(target, tile),
             block = target->arch.tiles_per_xb_context * target->arch.contexts_per_xb;
    return at == UINT_MAX ? at : at / block;
}

unsigned tw_target_host_exchange_context(const tw_target *target, unsigned tile)
{
    if (!target) return 0;
    unsigned at = tile_of_ipu(target, tile);
    return at == UINT_MAX ? at : at / target->arch.tiles_per_xb_context % target->arch.contexts_per_xb;
}

unsigned tw_target_host_exchange_context_position(const tw_target *target, unsigned tile)
{
    if (!target) return 0;
    unsigned at = tile_of_ipu(target, tile);
    return at == UINT_MAX ? at : at % target->arch.tiles_per_xb_context;
}

/* --- half ----------------------------------------------------------------------------------------------------- */

void tw_target_copy_float_to_half(const tw_target *target, const float *src, void *dst, size_t count)
{
    if (!target) return;
    if (tw_target_type_size(target, TW_HALF) == sizeof(float)) {
        if (count) memcpy(dst, src, count * sizeof(float));
        return;
    }
    uint8_t *to = dst; /* may be unaligned */
    for (size_t i = 0; i < count; i++) {
        uint16_t half = tw_f32_to_f16(src[i], TW_ROUND_NEAREST_EVEN, 0);
        memcpy(to + 2 * i, &half, sizeof half);
    }
}

void tw_target_copy_half_to_float(const tw_target *target, const void *src, float *dst, size_t count)
{
    if (!target) return;
    if (tw_target_type_size(target, TW_HALF) == sizeof(float)) {
        if (count) memcpy(dst, src, count * sizeof(float));
        return;
    }
    const uint8_t *from = src;
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, from + 2 * i, sizeof half);
        dst[i] = tw_f16_to_f32(half);
    }
}
