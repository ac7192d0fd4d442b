/* What lies on each tile beside variables and vertices, whether it fits, and the memory report of guide 8.2.3.
 *
 * Placing takes time and nobody may ask for the report, so it waits; but a program that may be out of memory has to be
 * told at once. That everything fits is plain without placing when the objects would fit side by side. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/place/place.h"

#include <stdlib.h>
#include <string.h>

/* --- the rest of a tile ------------------------------------------------------------------------------------------- */

static bool is_code(tw_storage storage)
{
    return storage == TW_STORAGE_CONTROL_CODE || storage == TW_STORAGE_VERTEX_CODE ||
           storage == TW_STORAGE_INTERNAL_EXCHANGE_CODE || storage == TW_STORAGE_HOST_EXCHANGE_CODE ||
           storage == TW_STORAGE_GLOBAL_EXCHANGE_CODE;
}

/* One object for each category that was summed by tile: code, stacks, descriptors and pointers of copies, headers, ... */
static void add_sums(tw__accounting *a)
{
    for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) {
        const uint64_t *row = a->memory->rows[tw__memory_row(s, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED)];
        for (unsigned tile = 0; row && tile < a->tiles; tile++)
            if (row[tile])
                tw__placement_add(a->placement,
                                  &(tw__place_item){ .name = "",
                                                     .tile = tile,
                                                     .bytes = row[tile],
                                                     .align = is_code(s) ? 4 : 8,
                                                     .last = TW__PLACE_ALWAYS,
                                                     .storage = (uint16_t)s,
                                                     .flags = is_code(s) ? TW__PLACE_EXECUTABLE : 0 });
    }
}

/* --- does it fit? ----------------------------------------------------------------------------------------------------- */

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

tw_status tw__placement_run(tw__placement *p)
{
    if (p->placed) return TW_OK;
    tw_status status = tw__place(&p->target->arch, p->tiles, p->items.items, p->items.count, p->pairs.items,
                                 p->pairs.count, p->by_tile);
    bool done = status == TW_OK || status == TW_E_TILE_MEMORY || status == TW_E_ELEM_CONSTRAINTS;
    if (!done) return status;
    p->placed = true;
    p->status = status;
    return TW_OK;
}

/* --- what to say -------------------------------------------------------------------------------------------------------- */

/* "Variables 700,000 B ('weights' 690,000 B), Stack 3,168 B, ...": the three largest categories of what is alive when most
 * bytes of a tile are. */
static void describe_tile(const tw__placement *p, unsigned tile, char *text, size_t size)
{
    uint64_t sums[TW_STORAGE_COUNT] = { 0 };
    const tw__place_item *largest[TW_STORAGE_COUNT] = { NULL };
    size_t at = 0;
    for (size_t i = 0; i < p->items.count; i++) {
        const tw__place_item *item = &p->items.items[i];
        if (item->tile != tile || !tw__place_is_alive(item, p->by_tile[tile].fullest)) continue;
        sums[item->storage] += item->bytes;
        if (!largest[item->storage] || item->bytes > largest[item->storage]->bytes) largest[item->storage] = item;
    }
    text[0] = 0;
    for (int n = 0; n < 3; n++) {
        unsigned most = 0;
        char number[32], part[32];
        for (unsigned s = 1; s < TW_STORAGE_COUNT; s++)
            if (sums[s] > sums[most]) most = s;
        if (!sums[most]) return;
        const char *name = largest[most]->name;
        int out =
            snprintf(text + at, size - at, "%s%s %s B%s%.60s%s%s%s", n ? ", " : "", tw_storage_label(most),
                     tw__commas(number, sizeof number, sums[most]), *name ? " ('" : "", name, *name ? "' " : "",
                     *name ? tw__commas(part, sizeof part, largest[most]->bytes) : "", *name ? " B)" : "");
        if (out < 0 || (size_t)out >= size - at) return;
        at += (size_t)out, sums[most] = 0;
    }
}

/* A constraint that found no place although there is room for everything: the pair, or NULL. */
static const tw__place_pair *unmet(const tw__placement *p)
{
    for (size_t i = 0; i < p->pairs.count; i++) {
        const tw__place_item *a = &p->items.items[p->pairs.items[i].a], *b = &p->items.items[p->pairs.items[i].b];
        bool out = (a->flags | b->flags) & TW__PLACE_OVERFLOWED;
        if (out && p->by_tile[a->tile].status == TW_E_ELEM_CONSTRAINTS) return &p->pairs.items[i];
    }
    return NULL;
}

static tw_status constraint_failure(const tw__placement *p, const tw__place_pair *pair)
{
    const tw__place_item *a = &p->items.items[pair->a], *b = &p->items.items[pair->b];
    char first[32], second[32], alive[32], have[32];
    return tw__fail(
        TW_E_ELEM_CONSTRAINTS,
        "tile %u: no place for '%s' (%s bytes) and '%s' (%s bytes) that meets the constraint of %s; %s bytes are "
        "alive at once of %s. Map one of them to another tile, or take the constraint away",
        a->tile, a->name, tw__commas(first, sizeof first, a->bytes), b->name,
        tw__commas(second, sizeof second, b->bytes), pair->text ? pair->text : "a vertex",
        tw__commas(alive, sizeof alive, p->by_tile[a->tile].max_live),
        tw__commas(have, sizeof have, p->target->arch.bytes_per_tile));
}

/* Decision 19. The bytes that are alive at once decide; where they would fit, the layout is what does not. */
static tw_status judge_memory(tw__accounting *a)
{
    const tw__placement *p = a->placement;
    uint64_t capacity = p->target->arch.bytes_per_tile, sum = 0, most = 0;
    unsigned over = 0, fullest = 0;
    for (unsigned t = 0; t < p->tiles; t++) {
        const tw__place_tile *tile = &p->by_tile[t];
        if (tile->status == TW_OK) continue;
        uint64_t excess = tile->max_live > capacity ? tile->max_live - capacity : 0,
                 weight = excess ? excess + capacity : 1;
        over++, sum += excess ? excess : tile->overflow;
        if (weight > most) most = weight, fullest = t;
    }
    if (!over) return TW_OK;
    const tw__place_tile *tile = &p->by_tile[fullest];
    bool fits = tile->max_live <= capacity;
    uint64_t excess = fits ? tile->overflow : tile->max_live - capacity;
    char need[32], have[32], beyond[32], total[32], parts[400];
    tw__commas(need, sizeof need, tile->max_live), tw__commas(have, sizeof have, capacity);
    tw__commas(beyond, sizeof beyond, excess), tw__commas(total, sizeof total, sum);
    describe_tile(p, fullest, parts, sizeof parts);
    const char *why = fits ? "without room" : "too many";
    if (tw__options_bool(a->engine->options, "debug.allowOutOfMemory")) {
        TW__LOG(
            ENGINE, WARN,
            "tile %u is out of memory: %s bytes are alive at once of %s, %s %s (%s); %u tile(s), %s bytes in all",
            fullest, need, have, beyond, why, parts, over, total);
        return TW_OK;
    }
    return tw__fail(
        TW_E_TILE_MEMORY,
        "tile %u is out of memory: it needs %s bytes of %s, %s %s (%s); %u tile(s) are out of memory by "
        "%s bytes in all. Map data to more tiles, or set debug.allowOutOfMemory to run all the same",
        fullest, need, have, beyond, why, parts, over, total);
}

tw_status tw__placement_judge(tw__accounting *a)
{
    tw__placement *p = a->placement;
    add_sums(a);
    for (int i = 0; i < 2; i++) free(p->requests[i].items), p->requests[i] = (tw__requests){ 0 };
    if (p->failed) return tw__fail(TW_E_NO_MEMORY, "out of memory for the placement");
    if (p->conflict) return tw__fail(TW_E_ELEM_CONSTRAINTS, "%s", p->conflict);
    if (plainly_fits(p)) return TW_OK;
    tw_status status = tw__placement_run(p);
    if (status) return status;
    const tw__place_pair *pair = p->status ? unmet(p) : NULL;
    return pair ? constraint_failure(p, pair) : judge_memory(a);
}

/* --- the report ----------------------------------------------------------------------------------------------------------- */

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
    { TW_STORAGE_VERTEX_CODE, TW_FIDELITY_ABSENT },
};

static void set_fidelities(const tw__placement *p, const tw__memory *memory, tw_profile *profile)
{
    for (size_t i = 0; i < sizeof fidelities / sizeof *fidelities; i++)
        if (fidelities[i].fidelity == TW_FIDELITY_ABSENT || tw__memory_category(memory, fidelities[i].storage))
            tw__profile_set_category_fidelity(profile, tw_storage_key(fidelities[i].storage),
                                              fidelities[i].fidelity);
    tw__profile_set_category_fidelity(profile, tw_storage_key(TW_STORAGE_STACK), p->stack_fidelity);
}

tw_status tw__placement_report(tw__placement *p, tw_profile *profile)
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
    }
    tw__memory_free(memory), free(row);
    return status ? status : tw__profile_status(profile);
}
