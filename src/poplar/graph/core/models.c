/* SPDX-License-Identifier: MIT */
/* What an IPU Model may change of its chip (Poplar API, IPUModel): plain figures, memory elements, and limits on what
 * IPUs exchange. */
#include "poplar/graph/build.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IPUS = 4096 }; /* keeps tile numbers far below TW_UNMAPPED */

/* X(field, most): figures that replace the chip's when they are not 0, and the largest that makes sense. */
// clang-format off
#define FIGURES(X)                                                                                             \
    X(memcpy_bytes_per_cycle, 4096) X(instruction_bytes, 64) X(tiles_per_super_tile, 4096)                     \
    X(data_path_width, 4096) X(conv_pipeline_depth, 4096) X(conv_pipeline_depth_f32, 4096)                     \
    X(conv_input_f16, 4096) X(conv_input_f32, 4096) X(conv_units_f16_f16, 4096) X(conv_units_f16_f32, 4096)    \
    X(conv_units_f32_f32, 4096) X(conv_coeff_bytes_per_cycle, 4096) X(rpt_count_max, INT_MAX)                  \
    X(atomic_store_granularity, 4096) X(num_stride_bits, 32) X(global_sync_cycles, INT_MAX)
// clang-format on

static tw_status figures(tw_tile_arch *a, const tw_ipu_model *m)
{
#define FIGURE(field, most)                                                                           \
    if (m->field > (most))                                                                            \
        return tw__fail(TW_E_MACHINE_MODEL, "%s is %u, and at most %u makes sense", #field, m->field, \
                        (unsigned)(most));                                                            \
    if (m->field) a->field = m->field;
    FIGURES(FIGURE)
#undef FIGURE
    if (m->data_path_width % 32)
        return tw__fail(TW_E_MACHINE_MODEL, "data_path_width is %u bits: a multiple of 32 is needed",
                        m->data_path_width);
    if (m->data_path_width)
        a->float_vector_width = a->data_path_width / 32, a->half_vector_width = a->data_path_width / 16;
    if (m->no_super_tile_send_receive) a->super_tile_send_receive = false;
    return TW_OK;
}

static void sync_delays(tw_tile_arch *a, const tw_ipu_model *m)
{
    unsigned spread = a->max_sync_delay - a->min_sync_delay;
    if (m->min_sync_delay) {
        a->min_sync_delay = m->min_sync_delay == TW_NO_DELAY ? 0 : m->min_sync_delay;
        a->max_sync_delay = a->min_sync_delay + spread;
    }
    if (m->max_sync_delay) {
        a->max_sync_delay = m->max_sync_delay;
        if (a->min_sync_delay > a->max_sync_delay) a->min_sync_delay = a->max_sync_delay;
    }
    if (m->no_relative_sync_delay) a->max_sync_delay = a->min_sync_delay;
    if (m->no_sync_delay) a->min_sync_delay = a->max_sync_delay = 0;
}

/* --- memory elements ------------------------------------------------------------------------------------------ */

/* Elements [first, first + count) as a region that ends at `end`: all of one size. 0 = they are not. */
static uint32_t models_element_bytes(const uint64_t *offsets, size_t first, size_t count, uint64_t end)
{
    uint64_t bytes = (count > 1 ? offsets[first + 1] : end) - offsets[first];
    for (size_t i = 0; i < count; i++) {
        uint64_t next = i + 1 < count ? offsets[first + i + 1] : end;
        if (next <= offsets[first + i] || next - offsets[first + i] != bytes) return 0;
    }
    return bytes <= UINT32_MAX ? (uint32_t)bytes : 0;
}

tw_status tw__target_set_elements(tw_target *target, const uint64_t *offsets, size_t count, unsigned interleaved)
{
    tw_tile_arch *a = &target->arch;
    uint64_t end = a->bytes_per_tile;
    if (!offsets || !count || count > TW_TILE_MAX_ELEMENTS || offsets[0] != 0 || end > UINT32_MAX ||
        offsets[count - 1] >= end)
        return tw__fail(
            TW_E_MACHINE_MODEL,
            "memory elements: 1 to %d offsets are needed that rise from 0 and end before the %llu bytes of "
            "a tile",
            TW_TILE_MAX_ELEMENTS, (unsigned long long)end);
    size_t plain = interleaved < count ? interleaved : count, parts[2] = { plain, count - plain };
    static const char *const names[] = { "region 0", "region 1" };
    tw_tile_region regions[2];
    unsigned used = 0;
    for (unsigned r = 0; r < 2; r++) {
        if (!parts[r]) continue;
        size_t first = r ? plain : 0;
        uint64_t stop = r == 0 && parts[1] ? offsets[plain] : end;
        uint32_t bytes = models_element_bytes(offsets, first, parts[r], stop), group = r ? 2 : 1;
        if (!bytes || bytes % (4 * group))
            return tw__fail(
                TW_E_MACHINE_MODEL,
                "memory elements: those that are interleaved, and those that are not, are of one size each, "
                "a multiple of %u bytes",
                4 * group);
        regions[used++] = (tw_tile_region){ .name = names[r],
                                            .start = a->base_address + (uint32_t)offsets[first],
                                            .bytes = (uint32_t)(stop - offsets[first]),
                                            .bank_bytes = bytes / group,
                                            .banks = (uint32_t)(parts[r] * group),
                                            .bank_group = group,
                                            .align = 4,
                                            .interleaved = r == 1,
                                            .executable = r == 0 };
    }
    memcpy(a->regions, regions, used * sizeof *regions);
    a->region_count = used;
    a->element_count = (unsigned)count;
    a->interleaved_element = interleaved;
    for (size_t i = 0; i < count; i++)
        a->element_offsets[i] = (uint32_t)offsets[i], target->element_offsets[i] = offsets[i];
    target->own_elements = true;
    return TW_OK;
}

/* --- limits between IPUs -------------------------------------------------------------------------------------- */

tw_status tw__target_set_constraints(tw_target *target, const tw_global_exchange_constraint *from, size_t count)
{
    size_t flows = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(from[i].bandwidth > 0) || !isfinite(from[i].bandwidth))
            return tw__fail(TW_E_MACHINE_MODEL, "global exchange constraint %zu: its bandwidth must be positive",
                            i);
        for (size_t k = 0; k < from[i].flow_count; k++)
            if (from[i].flows[k].src >= target->ipus || from[i].flows[k].dst >= target->ipus)
                return tw__fail(TW_E_MACHINE_MODEL,
                                "global exchange constraint %zu: a flow from IPU %u to %u of %u", i,
                                from[i].flows[k].src, from[i].flows[k].dst, target->ipus);
        flows += from[i].flow_count;
    }
    if (!count) return TW_OK;
    size_t bytes = count * sizeof *from + flows * sizeof(tw_global_exchange_flow);
    tw_global_exchange_constraint *list = g_atomic_rc_box_alloc(bytes);
    tw_global_exchange_flow *room = (tw_global_exchange_flow *)(list + count);
    for (size_t i = 0; i < count; i++) {
        list[i] = from[i];
        list[i].flows = room;
        if (from[i].flow_count) memcpy(room, from[i].flows, from[i].flow_count * sizeof *room);
        room += from[i].flow_count;
    }
    target->constraints = list;
    target->constraint_count = count;
    return TW_OK;
}

bool tw__constraints_equal(const tw_target *a, const tw_target *b)
{
    if (a->constraint_count != b->constraint_count) return false;
    for (size_t i = 0; i < a->constraint_count; i++) {
        const tw_global_exchange_constraint *x = &a->constraints[i], *y = &b->constraints[i];
        if (x->bandwidth != y->bandwidth || x->flow_count != y->flow_count) return false;
        for (size_t k = 0; k < x->flow_count; k++)
            if (x->flows[k].src != y->flows[k].src || x->flows[k].dst != y->flows[k].dst) return false;
    }
    return true;
}

/* --- the model ------------------------------------------------------------------------------------------------ */

tw_status tw__target_override(tw_target *t, const tw_ipu_model *m)
{
    tw_tile_arch *a = &t->arch;
    unsigned most = a->tiles;
    if (m->tiles_per_ipu > most)
        return tw__fail(TW_E_MACHINE_MODEL, "%u tiles per IPU: an %s has %u", m->tiles_per_ipu, a->name, most);
    if (m->num_ipus > MAX_IPUS)
        return tw__fail(TW_E_MACHINE_MODEL, "%u IPUs: at most %d are possible", m->num_ipus, MAX_IPUS);
    if (m->clock_hz < 0 || !isfinite(m->clock_hz) || m->exchange_bytes_per_cycle < 0 ||
        !isfinite(m->exchange_bytes_per_cycle))
        return tw__fail(TW_E_MACHINE_MODEL, "clock and exchange bandwidth must be positive numbers");
    t->ipus = m->num_ipus ? m->num_ipus : 1;
    t->tiles_per_ipu = m->tiles_per_ipu ? m->tiles_per_ipu : most;
    t->tiles = t->ipus * t->tiles_per_ipu;
    if (m->worker_contexts) a->workers = m->worker_contexts;
    if (m->bytes_per_tile) a->bytes_per_tile = m->bytes_per_tile;
    if (m->clock_hz > 0) a->clock_hz = m->clock_hz;
    if (m->exchange_bytes_per_cycle > 0) a->exchange_bytes_per_cycle = m->exchange_bytes_per_cycle;
    sync_delays(a, m);
    tw_status status = figures(a, m);
    if (!status && m->memory_element_count)
        status = tw__target_set_elements(t, m->memory_element_offsets, m->memory_element_count,
                                         m->interleaved_memory_element_index);
    if (!status)
        status = tw__target_set_constraints(t, m->global_exchange_constraints, m->global_exchange_constraint_count);
    return status;
}
