/* SPDX-License-Identifier: MIT */
/* peer_move: GMOV of the public formal model. Four equal processors, here four blocks in a row, meet; each brings a
 * tile and takes the one of the peer that it names. All four tiles are read before one is written, and whoever is
 * refused leaves the tiles of the others as they are: the run ends. */
#include "pto/grid/grid.h"

#include <stdlib.h>

enum { GROUP = 4 };

static int64_t integer(const tw__pto_call *call, unsigned i)
{
    const tw_pto_scalar *s = &call->operand[i].scalar;
    unsigned size = (unsigned)tw_type_size(s->type), unused = size && size < 8 ? 64 - 8 * size : 0;
    return (int64_t)(s->bits << unused) >> unused;
}

/* Same bytes in the same places: type, extents, layout, memory. */
static bool alike(const tw_pto_tile *a, const tw_pto_tile *b)
{
    return a->type == b->type && a->location == b->location && a->rows == b->rows && a->cols == b->cols &&
           a->blayout == b->blayout && a->slayout == b->slayout && a->fractal == b->fractal &&
           a->valid_rows == b->valid_rows && a->valid_cols == b->valid_cols && !a->base_rows && !b->base_rows;
}

tw_status tw__pto_check_peer_move(tw__pto_call *call)
{
    if (!alike(tw__tile(call, 0), tw__tile(call, 1)))
        return tw__pto_refuse(call, 0, "gmov.same", "source and destination differ in type, extents or layout");
    if (!call->core) return TW_OK;
    if (integer(call, 2) < 0 || integer(call, 2) >= GROUP)
        return tw__pto_refuse(call, 2, "gmov.peer", "peer %lld; a group has blocks 0 to 3",
                              (long long)integer(call, 2));
    if (call->count > 3 && (integer(call, 3) < 0 || integer(call, 3) >= 1 << GROUP))
        return tw__pto_refuse(call, 3, "gmov.mask", "mask %lld; it has a bit for each of four blocks",
                              (long long)integer(call, 3));
    unsigned blocks = tw_pto_identity_of(call->core).blocks;
    if (blocks % GROUP)
        return tw__pto_refuse(call, TW__NO_OPERAND, "gmov.group", "%u block%s: four form a group", blocks,
                              blocks == 1 ? "" : "s");
    return TW_OK;
}

/* The core of this kind in block i of the group. */
static tw_pto *peer(const tw_pto *core, unsigned i)
{
    const tw__seat *seat = core->seat;
    unsigned block = (unsigned)(seat->block - seat->grid->blocks) / GROUP * GROUP + i;
    return seat->grid->cores[block * seat->grid->per_block + seat->number];
}

static bool all_have_given(const tw_pto *core, const void *what)
{
    (void)what;
    for (unsigned i = 0; i < GROUP; i++)
        if (peer(core, i)->seat->offer.given < core->seat->offer.given) return false;
    return true;
}

static bool all_have_taken(const tw_pto *core, const void *what)
{
    (void)what;
    for (unsigned i = 0; i < GROUP; i++)
        if (peer(core, i)->seat->offer.taken < core->seat->offer.given) return false;
    return true;
}

static void tell_group(const tw_pto *core, const void *what, GString *text)
{
    char name[64];
    unsigned missing = 0;
    (void)what;
    g_string_append(text, "in GMOV for");
    for (unsigned i = 0; i < GROUP; i++) {
        const tw_pto *other = peer(core, i);
        if (other == core || other->seat->offer.given >= core->seat->offer.given) continue;
        g_string_append_printf(text, "%s %s%s", missing++ ? ";" : "", tw_pto_core_name(other, name),
                               other->seat->ended ? ", which has ended" : "");
    }
}

static tw_status offer(tw__pto_call *call, int64_t mask)
{
    struct tw__offer *o = &call->core->seat->offer;
    tw_pto_tile *source = call->operand[1].tile;
    size_t size = tw_pto_tile_bytes(source);
    const unsigned char *data = tw_pto_data(call->core, source);
    if (!data) return TW_E_TILE_MEMORY;
    unsigned char *bytes = tw__realloc(o->bytes, size);
    if (!bytes) return tw__fail(TW_E_NO_MEMORY, "no memory for a tile of %zu bytes", size);
    memcpy(bytes, data, size);
    *o = (struct tw__offer){ .bytes = bytes,
                             .size = size,
                             .tile = *source,
                             .mask = mask,
                             .given = o->given + 1,
                             .taken = o->taken,
                             .at = tw_pto_cycles(call->core) };
    return TW_OK;
}

/* What the four brought fits together: all find the same. */
static tw_status compare_offers(tw__pto_call *call)
{
    const struct tw__offer *own = &call->core->seat->offer;
    for (unsigned i = 0; i < GROUP; i++) {
        const struct tw__offer *o = &peer(call->core, i)->seat->offer;
        if (!alike(&o->tile, &own->tile))
            return tw__pto_refuse(call, 1, "gmov.same", "block %u of the group brings another kind of tile", i);
        if (o->mask != own->mask)
            return tw__pto_refuse(call, 3, "gmov.mask", "block %u of the group has mask %lld", i,
                                  (long long)o->mask);
    }
    return TW_OK;
}

tw_status tw__pto_run_peer_move(tw__pto_call *call)
{
    tw_pto *core = call->core;
    tw__seat *seat = tw__pto_seat(core);
    int64_t mask = call->count > 3 ? integer(call, 3) : (1 << GROUP) - 1;
    if (!seat) return TW_E_NO_MEMORY;
    if (mask == 0) return TW_OK;
    unsigned own = (unsigned)(seat->block - seat->grid->blocks) % GROUP;
    tw_status status = tw__pto_wait(core, (tw__wait){ all_have_taken, tell_group, NULL }); /* the turn before */
    if (status == TW_OK) status = offer(call, mask);
    if (status == TW_OK) status = tw__pto_wait(core, (tw__wait){ all_have_given, tell_group, NULL });
    if (status == TW_OK) status = compare_offers(call);
    if (status != TW_OK) return status;
    const struct tw__offer *from = &peer(core, (unsigned)integer(call, 2))->seat->offer;
    unsigned char *to = mask >> own & 1 ? tw_pto_data(core, call->operand[0].tile) : NULL;
    if (to) memcpy(to, from->bytes, from->size);
    if (to) tw__flow_add(core, peer(core, (unsigned)integer(call, 2)), TW__NO_ID, from->size);
    for (unsigned i = 0; i < GROUP; i++)
        tw__pto_delay(core, TW_PTO_PIPE_V, peer(core, i)->seat->offer.at, "GMOV", peer(core, i), TW__NO_ID);
    seat->offer.taken++;
    return to || !(mask >> own & 1) ? TW_OK : TW_E_TILE_MEMORY;
}
