/* SPDX-License-Identifier: MIT */
/* remembered_calls: what was found out about a call (that it keeps the rules, how its tiles lie as planes, its
 * kernel) holds for
 * later calls of the same row whose operands and attributes have the same descriptions. Rules about addresses,
 * tensors and values of integers are judged anew every time: such calls are not remembered. */
#include "pto/pto.h"

/* Each row has a few places, chosen by the shape of operand 0. */
static tw__checked *place_for(const tw__pto_call *call)
{
    const tw_pto_operand *o = call->operand;
    unsigned way = 0;
    if (call->count == 0 || call->count > TW__CHECKED_OPERANDS) return NULL;
    if (o->kind == TW_PTO_TILE && o->tile)
        way = (o->tile->valid_rows ^ o->tile->valid_cols ^ o->tile->valid_cols >> 3 ^ (unsigned)o->tile->type) %
              TW__CHECKED_WAYS;
    return &call->core->checked[tw__pto_row_index(call->row) * TW__CHECKED_WAYS + way];
}

typedef struct difference {
    uint64_t description, place; /* 0 = none */
} difference;

static inline difference remembered_calls_compare(difference sum, const uint64_t *seen, const tw_pto_tile *tile)
{
    typedef uint64_t __attribute__((may_alias)) word; /* a tile is aligned to its widest members */
    const word *now = (const word *)(const void *)tile;
    for (int i = 0; i < TW__DESCRIPTION_WORDS; i++) sum.description |= now[i] ^ seen[i];
    for (int i = TW__DESCRIPTION_WORDS; i < TW__TILE_WORDS; i++) sum.place |= now[i] ^ seen[i];
    return sum;
}
_Static_assert(TW__TILE_DESCRIPTION % sizeof(uint64_t) == 0 && sizeof(tw_pto_tile) % sizeof(uint64_t) == 0,
               "tiles are compared by words");

/* Where the tile lies; NULL when it has no place yet, or none that is right: tw__pto_bind finds out. */
static unsigned char *remembered_calls_address_of(const tw_pto *core, const tw_pto_tile *tile, size_t span)
{
    size_t number = tile->place;
    if (number == 0 || number > core->place_count) return NULL;
    const tw__place *p = &core->places[number - 1];
    unsigned char *memory = core->memory[p->location].bytes; /* NULL: the other kind of core has it */
    if (!memory || !p->used || p->location != tile->location || tile->offset + span > p->bytes) return NULL;
    return memory + p->address + tile->offset;
}

/* The addresses of planes whose descriptions are those seen. */
static bool bind_places(tw__pto_call *call)
{
    const tw__checked *seen = call->seen;
    bool bound = seen->direct;
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_operand *o = &call->operand[i];
        call->plane[i] = seen->plane[i];
        call->plane[i].at = seen->tiles >> i & 1 ? remembered_calls_address_of(call->core, o->tile, seen->span[i])
                                                 : (unsigned char *)(uintptr_t)&o->scalar.bits;
        bound &= call->plane[i].at != NULL;
    }
    return bound;
}

bool tw__pto_recall(tw__pto_call *call, bool no_attrs)
{
    tw__checked *seen = call->seen = place_for(call);
    call->bound = call->again = false;
    if (!seen || seen->count != call->count + 1) return false;
    if (!(seen->no_attrs && no_attrs) && memcmp(&seen->attrs, call->attrs, sizeof seen->attrs) != 0) return false;
    difference differs = { 0, 0 };
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_operand *o = &call->operand[i];
        if (seen->tiles >> i & 1) {
            if (o->kind != TW_PTO_TILE || !o->tile) return false;
            differs = remembered_calls_compare(differs, seen->tile[i], o->tile);
        } else {
            if (o->kind != TW_PTO_SCALAR || o->scalar.type != seen->scalar) return false;
            seen->run[i].at = (void *)(uintptr_t)&o->scalar.bits;
        }
    }
    if (differs.description) return false;
    call->again = !differs.place && seen->moves == call->core->moves + 1 && seen->slot->key == seen->kernel;
    call->bound = call->again || bind_places(call);
    return true;
}

bool tw__pto_run_again(tw__pto_call *call)
{
    tw__checked *seen = call->seen;
    if (!call->again && (!seen->elements || seen->slot->key != seen->kernel)) return false;
    if (!call->again) { /* other places: they are those of the next call, most likely */
        seen->moves = call->core->moves + 1;
        for (unsigned i = 0; i < call->count; i++) {
            seen->run[i] = (tw_run){ call->plane[i].at, call->plane[i].col, seen->elements };
            if (seen->tiles >> i & 1) memcpy(seen->tile[i], call->operand[i].tile, sizeof seen->tile[i]);
        }
    }
    tw_vec_call(&seen->slot->kernel, seen->elements, seen->run);
    return true;
}

void tw__pto_remember_kernel(tw__pto_call *call, const tw_vec_kernel *kernel, bool joined)
{
    tw__checked *seen = call->seen;
    seen->slot = (const tw__kernel_slot *)((const char *)kernel - offsetof(tw__kernel_slot, kernel));
    seen->kernel = seen->slot->key;
    seen->elements =
        joined && !kernel->can_fault && seen->direct ? (size_t)call->plane->rows * call->plane->cols : 0;
}

static bool can_remember(const tw__pto_call *call)
{
    unsigned scalars = 0;
    bool addresses = call->target == TW_PTO_A2A3 && call->row->tmp > TW__TMP_ANY; /* tmp must not overlap dst */
    if ((call->row->rules & (TW__NO_ALIAS | TW__MACRO | TW__NAMES)) || addresses) return false;
    for (unsigned i = 0; i < call->count; i++) {
        if (call->operand[i].kind != TW_PTO_TILE && call->operand[i].kind != TW_PTO_SCALAR) return false;
        if (call->operand[i].kind == TW_PTO_TILE && call->operand[i].tile->conv) return false; /* not compared */
        scalars += call->operand[i].kind == TW_PTO_SCALAR;
    }
    return scalars <= 1 && !strpbrk(call->row->form, "ijklno"); /* values of integers are judged */
}

void tw__pto_remember(tw__pto_call *call, bool no_attrs)
{
    tw__checked *seen = call->seen;
    if (!seen) return;
    if (!can_remember(call)) {
        call->seen = NULL;
        return;
    }
    *seen = (tw__checked){ .count = call->count + 1, .no_attrs = no_attrs, .direct = true, .attrs = *call->attrs };
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_operand *o = &call->operand[i];
        seen->plane[i] = call->plane[i];
        if (o->kind == TW_PTO_SCALAR) {
            seen->scalar = o->scalar.type;
            continue;
        }
        seen->tiles |= (unsigned char)(1u << i);
        seen->direct = seen->direct && !tw__tile_boxed(o->tile) && !tw__tile_nibbles(o->tile);
        seen->span[i] = tw__pto_span(o->tile);
        memcpy(seen->tile[i], o->tile, sizeof seen->tile[i]);
    }
}
