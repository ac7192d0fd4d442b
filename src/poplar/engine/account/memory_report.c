/* SPDX-License-Identifier: MIT */
/* What lies on each tile beside variables and vertices, whether it fits, and the memory report of guide 8.2.3.
 *
 * Placing takes time and nobody may ask for the report, so it waits; but a program that may be out of memory has to
 * be told at once. That everything fits is plain without placing when the objects would fit side by side. */
#include "poplar/engine/account/live.h"
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

/* --- the rest of a tile --------------------------------------------------------------------------------------- */

static bool is_code(tw_storage storage)
{
    return storage == TW_STORAGE_CONTROL_CODE || storage == TW_STORAGE_VERTEX_CODE ||
           storage == TW_STORAGE_INTERNAL_EXCHANGE_CODE || storage == TW_STORAGE_HOST_EXCHANGE_CODE ||
           storage == TW_STORAGE_GLOBAL_EXCHANGE_CODE;
}

/* One object for each category that was summed by tile: code, stacks, descriptors and pointers of copies, headers,
 * ... */
static void add_sums(tw__accounting *a)
{
    for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) {
        const uint64_t *row = a->memory->rows[tw__memory_row(s, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED)];
        for (unsigned tile = 0; row && tile < a->tiles; tile++) {
            if (!row[tile]) continue;
            uint32_t item = tw__placement_add(a->placement,
                                              &(tw__place_item){ .name = "",
                                                                 .tile = tile,
                                                                 .bytes = row[tile],
                                                                 .align = is_code(s) ? 4 : 8,
                                                                 .last = TW__PLACE_ALWAYS,
                                                                 .storage = (uint16_t)s,
                                                                 .flags = is_code(s) ? TW__PLACE_EXECUTABLE : 0 });
            if (s == TW_STORAGE_STACK) a->placement->stack_item[tile] = item;
        }
    }
}

/* --- does it fit? --------------------------------------------------------------------------------------------- */

/* True when all objects of each tile fit one after the other, whatever the order: their bytes with the worst of their
 * alignments, and between memories of two kinds the largest of them. Lives do not matter then, constraints would. */
static bool plainly_fits(const tw__placement *p)
{
    typedef struct room {
        uint64_t bytes, largest, code, interleaved;
    } room;
    const tw_tile_arch *arch = &p->target->arch;
    room *rooms = tw__calloc(p->tiles + (size_t)1, sizeof *rooms);
    uint64_t regions[2] = { 0, 0 }; /* executable, interleaved */
    bool fits = rooms && !p->pairs.count;
    for (unsigned r = 0; r < arch->region_count; r++) {
        if (arch->regions[r].executable) regions[0] += arch->regions[r].bytes;
        if (arch->regions[r].interleaved) regions[1] += arch->regions[r].bytes;
    }
    for (size_t i = 0; i < p->items.count && fits; i++) {
        const tw__place_item *item = &p->items.items[i];
        room *at = &rooms[item->tile];
        uint64_t bytes = item->bytes + item->align - 1;
        at->bytes += bytes;
        if (bytes > at->largest) at->largest = bytes;
        if (item->flags & TW__PLACE_EXECUTABLE) at->code += bytes;
        if (item->flags & TW__PLACE_INTERLEAVED) at->interleaved += bytes;
    }
    for (unsigned t = 0; t < p->tiles && fits; t++) {
        const room *at = &rooms[t];
        fits = at->bytes + 2 * at->largest + arch->fetch_overread_bytes <= arch->bytes_per_tile &&
               at->code <= regions[0] && at->interleaved + arch->fetch_overread_bytes <= regions[1];
    }
    free(rooms);
    return fits;
}

/* --- the verdict ---------------------------------------------------------------------------------------------- */

/* docs/decisions.md, G4: constraints must be met, memory may run over when the user allows it. */
tw_status tw__account_judge(tw__accounting *a)
{
    tw__placement *p = a->placement;
    if (a->engine->chip) tw__chip_code_place(a->engine->chip, p);
    p->code_fidelity = tw__chip_code_fidelity(a->engine);
    add_sums(a);
    for (int i = 0; i < 2; i++) free(p->requests[i].items), p->requests[i] = (tw__requests){ 0 };
    if (p->failed) return tw__fail(TW_E_NO_MEMORY, "out of memory for the placement");
    if (p->conflict) return tw__fail(TW_E_ELEM_CONSTRAINTS, "%s", p->conflict);
    if (plainly_fits(p)) return TW_OK;
    tw_status status = tw__placement_run(p);
    if (status) return status;
    if (!p->status) return TW_OK;
    status = tw__place_explain(&p->target->arch, p->tiles, p->items.items, p->items.count, p->pairs.items,
                               p->pairs.count, p->by_tile);
    if (status != TW_E_TILE_MEMORY) return status;
    char why[1024];
    snprintf(why, sizeof why, "%s", tw_error_message());
    bool allowed = tw__options_bool(a->engine->options, "debug.allowOutOfMemory");
    if (a->target->kind == TW_TARGET_IPU && !tw__options_is_set(a->engine->options, "debug.allowOutOfMemory"))
        allowed = false;
    if (!allowed)
        return tw__fail(status, "%s. Map data to more tiles, or set debug.allowOutOfMemory to run all the same",
                        why);
    TW__LOG(ENGINE, WARN, "%s", why);
    return TW_OK;
}

/* --- the report ----------------------------------------------------------------------------------------------- */

static tw__row row_of(const tw__placement *p, tw_profile *profile, uint64_t *row,
                      uint64_t (*value)(const tw__place_tile *tile, unsigned which), unsigned which)
{
    for (unsigned t = 0; t < p->tiles; t++) row[t] = value(&p->by_tile[t], which);
    return tw__profile_row(profile, row, p->tiles);
}

static uint64_t used_bytes(const tw__place_tile *tile, unsigned region)
{
    return tile->used[region];
}

static uint64_t all_used(const tw__place_tile *tile, unsigned which)
{
    (void)which;
    uint64_t sum = 0;
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) sum += tile->used[r];
    return sum;
}

static uint64_t reach_of(const tw__place_tile *tile, unsigned which)
{
    (void)which;
    return tile->reach;
}

/* Fidelity of what is not counted exactly. */
static const struct {
    tw_storage storage;
    tw_fidelity fidelity;
} fidelities[] = {
    { TW_STORAGE_MESSAGE, TW_FIDELITY_MODELLED },
    { TW_STORAGE_REARRANGEMENT, TW_FIDELITY_MODELLED },
    { TW_STORAGE_OUTPUT_EDGE, TW_FIDELITY_MODELLED },
    { TW_STORAGE_COPY_DESCRIPTOR, TW_FIDELITY_MODELLED },
    { TW_STORAGE_HOST_PACKET_HEADER, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_CONTROL_CODE, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_INTERNAL_EXCHANGE_CODE, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_HOST_EXCHANGE_CODE, TW_FIDELITY_ESTIMATED },
};

static void set_fidelities(const tw__placement *p, const tw__memory *memory, tw_profile *profile)
{
    for (size_t i = 0; i < sizeof fidelities / sizeof *fidelities; i++)
        if (tw__memory_category(memory, fidelities[i].storage))
            tw__profile_set_category_fidelity(profile, tw_storage_key(fidelities[i].storage),
                                              fidelities[i].fidelity);
    tw__profile_set_category_fidelity(profile, tw_storage_key(TW_STORAGE_STACK), p->stack_fidelity);
    tw__profile_set_category_fidelity(profile, tw_storage_key(TW_STORAGE_VERTEX_CODE), p->code_fidelity);
}

/* Objects of each tile in the order of tiles, with where and when they lie there. */
static uint32_t program_at(const uint32_t *node, size_t entries, uint32_t time)
{
    size_t entry = time / TW__PHASES;
    return entry < entries ? node[entry] : TW__NONE;
}

/* Totals are no better than the worst of what they add up; what was not counted is not in them. */
static tw_fidelity weakest_of(const tw_profile *profile)
{
    tw_fidelity weakest = TW_FIDELITY_EXACT;
    for (size_t i = 0; i < profile->categories.count; i++) {
        tw_fidelity f = profile->categories.items[i].fidelity;
        if (f > weakest && f != TW_FIDELITY_ABSENT) weakest = f;
    }
    return weakest;
}

static void add_regions(const tw_tile_arch *arch, tw_profile *profile)
{
    for (unsigned r = 0; r < arch->region_count; r++)
        tw__profile_add_region(profile, arch->regions[r].name, "", arch->regions[r].start, arch->regions[r].bytes);
}

static void memory_report_add_maps(const tw__placement *p, tw_profile *profile, const uint32_t *node,
                                   size_t entries)
{
    uint32_t *first = tw__calloc(p->tiles + (size_t)2, sizeof *first);
    uint32_t *order = tw__calloc(p->items.count + 1, sizeof *order);
    for (size_t i = 0; first && order && i < p->items.count; i++) first[p->items.items[i].tile + 1]++;
    for (unsigned t = 0; first && order && t < p->tiles; t++) first[t + 1] += first[t];
    for (size_t i = 0; first && order && i < p->items.count; i++)
        order[first[p->items.items[i].tile]++] = (uint32_t)i;
    for (unsigned t = 0; first && order && t < p->tiles; t++) {
        tw__profile_map_begin(profile, t);
        for (uint32_t k = t ? first[t - 1] : 0; k < first[t]; k++) {
            const tw__place_item *item = &p->items.items[order[k]];
            if (!item->bytes) continue;
            bool always = item->last == TW__PLACE_ALWAYS;
            const char *label = tw_storage_label((tw_storage)item->storage);
            uint32_t from = always ? TW__NONE : program_at(node, entries, item->first),
                     to = always ? TW__NONE : program_at(node, entries, item->last);
            if (from == TW__NONE || to == TW__NONE) from = to = TW__NONE;
            tw__profile_map_add(profile, &(tw__block_desc){ .address = item->address,
                                                            .bytes = item->bytes,
                                                            .name = item->name && *item->name ? item->name : label,
                                                            .category = tw_storage_key((tw_storage)item->storage),
                                                            .from = from < to ? from : to,
                                                            .to = from < to ? to : from,
                                                            .used = TW__NONE });
        }
        tw__profile_map_end(profile);
    }
    free(first), free(order);
}

tw_status tw__account_memory_report(tw__placement *p, tw_profile *profile, const uint32_t *node, size_t entries)
{
    tw_status status = tw__placement_run(p);
    tw__memory *memory = status ? NULL : tw__memory_new(p->tiles);
    uint64_t *row = tw__calloc(p->tiles + (size_t)1, sizeof *row);
    if (!status && (!memory || !row)) status = tw__fail(TW_E_NO_MEMORY, "out of memory for the memory report");
    if (!status) {
        tw__row regions[TW__MEMORY_REGIONS];
        tw__place_account(&p->target->arch, p->items.items, p->items.count, memory);
        tw__profile_set_memory(profile, memory, p->state_fidelity);
        set_fidelities(p, memory, profile);
        for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) regions[r] = row_of(p, profile, row, used_bytes, r);
        tw__profile_set_placement(profile, row_of(p, profile, row, all_used, 0),
                                  row_of(p, profile, row, reach_of, 0), regions);
        if (memory->failed) status = tw__fail(TW_E_NO_MEMORY, "out of memory for the memory report");
        add_regions(&p->target->arch, profile);
        memory_report_add_maps(p, profile, node, entries);
        tw__profile_set_memory_fidelity(profile, weakest_of(profile), TW_FIDELITY_MODELLED);
    }
    tw__memory_free(memory), free(row);
    return status ? status : tw__profile_status(profile);
}
