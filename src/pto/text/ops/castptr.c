/* SPDX-License-Identifier: MIT */
/* castptr: pointers as integers and back (pto.castptr). Text is untrusted, so the integer is a simulated address:
 * every memory that an argument or a peer brings lies at one, in the order of the arguments, the same on each core
 * that runs the function with arguments of these sizes. An integer becomes a pointer when it lies in one of these
 * memories, or just past its end; what the pointer reaches is checked as always. */
#include "pto/text/ops/ops.h"

#include <inttypes.h>

enum { GAP = 4096, SHOWN = 3 }; /* bytes between memories, which belong to none; memories that a message names */
#define FIRST_ADDRESS (INT64_C(1) << 32)

static const struct tw__as_region *region_of(const tw__as_run *run, const unsigned char *base, size_t bytes)
{
    for (size_t i = 0; i < run->region_count; i++)
        if (run->regions[i].base == base && run->regions[i].bytes == bytes) return &run->regions[i];
    return NULL;
}

static tw_status add_region(tw__as_run *run, unsigned char *base, size_t bytes)
{
    const struct tw__as_region *last = run->region_count ? &run->regions[run->region_count - 1] : NULL;
    uint64_t address = last ? ((uint64_t)last->address + last->bytes + 2 * GAP - 1) / GAP * GAP : FIRST_ADDRESS;
    if (!base || region_of(run, base, bytes)) return TW_OK;
    if (bytes > INT64_MAX / 2 || address > INT64_MAX / 2)
        return tw__fail(TW_E_OVERFLOW, "arguments of more than 2^62 bytes");
    if (!tw__grow(&run->regions, &run->region_room, run->region_count, sizeof *run->regions))
        return tw__fail(TW_E_NO_MEMORY, "no memory for the addresses of arguments");
    run->regions[run->region_count++] = (struct tw__as_region){ base, bytes, (int64_t)address };
    return TW_OK;
}

static tw_status add_cell(tw__as_run *run, const tw__as_cell *cell)
{
    return cell->kind == TW__AS_PTR ? add_region(run, cell->wide->ptr.base, cell->wide->ptr.bytes) : TW_OK;
}

tw_status tw__as_add_regions(tw__as_run *run, const tw__as_function *f)
{
    tw_status status = TW_OK;
    run->region_count = 0;
    for (unsigned i = 0; i < f->params && status == TW_OK; i++)
        status = add_cell(run, &run->cell[f->param_slot[i]]);
    for (unsigned i = 0; i < f->free_count && status == TW_OK; i++)
        status = add_cell(run, &run->cell[f->free_name[i]]);
    for (size_t i = 0; i < run->peer_count && status == TW_OK; i++)
        status = add_region(run, run->peers[i].base, run->peers[i].bytes);
    return status;
}

/* --- castptr ---------------------------------------------------------------------------------------------------- */

/* The same address under another element type. */
static tw_status pointer_to_pointer(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    tw__as_cell *out = &run->cell[code->result[0]];
    tw__as_copy(out, tw__as_operand(run, code, 0));
    out->wide->ptr.type = code->types[0]->element;
    return TW_OK;
}

static tw_status pointer_to_integer(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    const tw__as_cell *p = tw__as_operand(run, code, 0);
    const struct tw__as_region *r = region_of(run, p->wide->ptr.base, p->wide->ptr.bytes);
    int64_t address;
    if (!r || __builtin_add_overflow(r->address, p->wide->ptr.at, &address)) {
        run->blame = 0;
        return tw__fail(TW_E_INDEX, "%s: the pointer has no address", code->op->name);
    }
    return tw__as_set_integer(run, code, address);
}

static tw_status integer_to_pointer(tw__as_run *run, const tw__as_code *code)
{
    int64_t address = tw__as_integer(tw__as_operand(run, code, 0));
    for (size_t i = 0; i < run->region_count; i++) {
        const struct tw__as_region *r = &run->regions[i];
        if (address < r->address || (uint64_t)(address - r->address) > r->bytes) continue;
        tw__as_wide *pointer = tw__as_set_wide(&run->cell[code->result[0]], TW__AS_PTR, 0);
        pointer->ptr.base = r->base;
        pointer->ptr.bytes = r->bytes;
        pointer->ptr.at = address - r->address;
        pointer->ptr.type = code->types[0]->element;
        return TW_OK;
    }
    GString *where = g_string_new(run->region_count ? "; there are" : "; no argument has memory");
    for (size_t i = 0; i < run->region_count && i < SHOWN; i++)
        g_string_append_printf(where, "%s 0x%" PRIx64 " to 0x%" PRIx64, i ? "," : "",
                               (uint64_t)run->regions[i].address,
                               (uint64_t)run->regions[i].address + run->regions[i].bytes);
    run->blame = 0;
    tw_status status =
        tw__fail(TW_E_INDEX, "%s: 0x%" PRIx64 " is no address of a memory of this program%s%s", code->op->name,
                 (uint64_t)address, where->str, run->region_count > SHOWN ? ", ..." : "");
    g_string_free(where, TRUE);
    return status;
}

static bool is_address(const tw__as_type *t)
{
    return t->kind == TW__AS_INDEX || (t->kind == TW__AS_SCALAR && (t->element == TW_I64 || t->element == TW_U64));
}

static bool bind_castptr(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                         tw__as_type *type)
{
    uint32_t slot;
    const tw__as_type *from = p->in_types ? p->in_type[0] : NULL;
    if (p->ins == 1 && p->in[0]->kind == TW__AS_VALUE && tw__as_find(b, p->in[0]->text, &slot) &&
        b->f->slot_type[slot]->kind)
        from = b->f->slot_type[slot];
    const tw__as_type *sides[] = { from, type };
    for (int i = 0; i < 2; i++) {
        const tw__as_type *t = sides[i];
        tw__as_item *where = i == 0 && p->ins ? p->in[0] : NULL;
        if (t && t->kind == TW__AS_PTR && t->on_chip)
            return tw__as_refuse(b, where, op, "pto.type",
                                 "%s: pointers to global memory only; %s is below the tile level", op->name,
                                 t->text),
                   false;
        if (t && t->kind != TW__AS_PTR && !is_address(t))
            return tw__as_refuse(b, where, op, "pto.type", "%s: a pointer, i64 or index is wanted here, not %s",
                                 op->name, tw__as_type_text(t)),
                   false;
    }
    bool to_pointer = type->kind == TW__AS_PTR;
    if (!from) return true; /* a name without a type: its use is refused */
    if (from->kind != TW__AS_PTR && !to_pointer)
        return tw__as_refuse(b, NULL, op, "pto.type", "%s: neither %s nor %s is a pointer", op->name,
                             tw__as_type_text(from), tw__as_type_text(type)),
               false;
    code->fn = from->kind != TW__AS_PTR ? integer_to_pointer : to_pointer ? pointer_to_pointer : pointer_to_integer;
    return true;
}

const tw__as_host tw__as_address_ops[] = {
    // clang-format off
    { "pto.castptr", pointer_to_pointer, 0, TW__GIVES_ARROW, 1, 1, "*", NULL, NULL, NULL, bind_castptr, NULL, NULL },
    { 0 }
    // clang-format on
};
