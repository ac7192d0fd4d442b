/* SPDX-License-Identifier: MIT */
/* devices: text of what devices do to each other beyond the rows of the instruction table:
 * which device this is, memory of another one, collectives over the tensors of all ranks, TTEST with its answer,
 * asynchronous transfers. TPUT, TGET, TNOTIFY, TWAIT are rows like others. */
#include "pto/text/ops/ops.h"
#include "pto/grid/grid.h"

#include <inttypes.h>

static bool is_tensor(const tw__as_type *t)
{
    return t->kind == TW__AS_VIEW || t->kind == TW__AS_PART || t->kind == TW__AS_MEMREF;
}

/* Type of an item that is a value; no kind when the name is not known: tw__as_slots says so later. */
static tw__as_type devices_type_of(const tw__as_binder *b, const tw__as_item *item)
{
    uint32_t slot;
    bool known = item->kind == TW__AS_VALUE && tw__as_find(b, item->text, &slot);
    return known ? *b->f->slot_type[slot] : (tw__as_type){ .kind = TW__AS_NONE };
}

/* Types that are written against those of the values. */
static bool check_written(tw__as_binder *b, const tw__as_op *op, tw__as_item *const *items, unsigned count,
                          const tw__as_type *const *types, unsigned written)
{
    if (written && written != count)
        return tw__as_refuse(b, NULL, op, "pto.types", "%s: %u types for %u operands", op->name, written, count),
               false;
    for (unsigned i = 0; i < written; i++) {
        tw__as_type have = devices_type_of(b, items[i]);
        if (!tw__as_same_type(&have, types[i]))
            return tw__as_refuse(b, items[i], op, "pto.type", "%%%s is %s, not %s", items[i]->text, have.text,
                                 types[i]->text),
                   false;
    }
    return true;
}

static bool check_types(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p)
{
    return check_written(b, op, p->in, p->ins, p->in_type, p->in_types) &&
           check_written(b, op, p->out, p->outs, p->out_type, p->out_types);
}

/* Operands i and on that are to be tensors are: what a name stands for is known at last. */
static tw_status need_tensors(tw__as_run *run, const tw__as_code *code, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        tw__as_kind kind = tw__as_operand(run, code, i)->kind;
        if (kind == TW__AS_VIEW || kind == TW__AS_PART || kind == TW__AS_MEMREF) continue;
        run->blame = i;
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: operand %u has no value", code->op->name, i + 1);
    }
    return TW_OK;
}

/* --- this device and others ------------------------------------------------------------------------------------- */

static tw_status run_device(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_identity me = tw_pto_identity_of(run->core);
    return tw__as_set_integer(run, code, code->number ? me.devices : me.device);
}

/* Pointers, and memrefs in global memory. */
static bool bind_remote(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                        tw__as_type *type)
{
    tw__as_type t = p->ins ? devices_type_of(b, p->in[0]) : (tw__as_type){ 0 };
    (void)code;
    (void)type;
    if (!t.kind || (t.kind == TW__AS_PTR && !t.on_chip) || t.kind == TW__AS_MEMREF) return true;
    return tw__as_refuse(b, p->in[0], op, "pto.type",
                         "%s: a pointer or memref in global memory is wanted here, not %s", op->name,
                         tw__as_type_text(&t)),
           false;
}

/* Moves what a pointer or memref reaches to a peer's memory, with its place in it. */
static void move_to(tw__as_cell *cell, const struct tw__as_peer *peer)
{
    if (cell->kind == TW__AS_PTR) {
        cell->wide->ptr.base = peer->base;
        cell->wide->ptr.bytes = peer->bytes;
        return;
    }
    tw_pto_tensor *t =
        &cell->wide->tensor; /* the place may lie outside: nothing is touched before the window is asked */
    t->data = (void *)((uintptr_t)peer->base + ((uintptr_t)t->data - (uintptr_t)t->window.base));
    t->window = (tw_window){ peer->base, peer->bytes ? peer->bytes : 1 };
}

/* The same place in the same argument on another device. Devices are launched with the same arguments, each with
 * memory of its own; nothing else of a device can be named by another. */
static tw_status run_remote(tw__as_run *run, const tw__as_code *code)
{
    tw__as_wide reach = *tw__as_operand(run, code, 0)->wide;
    tw__as_cell pointer = { .kind = tw__as_operand(run, code, 0)->kind,
                            .rank = tw__as_operand(run, code, 0)->rank,
                            .wide = &reach };
    const void *base = pointer.kind == TW__AS_PTR ? reach.ptr.base : reach.tensor.window.base;
    int64_t device = tw__as_integer(tw__as_operand(run, code, 1));
    tw_pto_identity me = tw_pto_identity_of(run->core);
    run->blame = 1;
    if (device < 0 || device >= me.devices)
        return tw__fail(TW_E_INDEX, "%s: device %" PRId64 "; there are %u, from 0 on", code->op->name, device,
                        me.devices);
    bool found = device == me.device;
    for (size_t i = 0; i < run->peer_count && !found; i++) {
        const struct tw__as_peer *peer = &run->peers[i];
        if (peer->own != base || peer->device != device) continue;
        move_to(&pointer, peer);
        found = true;
    }
    run->blame = 0;
    if (pointer.kind != TW__AS_PTR && pointer.kind != TW__AS_MEMREF)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: operand 1 has no value: bind it with --arg", code->op->name);
    if (!found)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "%s: device %" PRId64 " has no such memory; a place in an argument is wanted here",
                        code->op->name, device);
    tw__as_copy(&run->cell[code->result[0]], &pointer);
    return TW_OK;
}

/* --- collectives: operands become own tensor, tensors of the ranks, tiles; number = kind, reduction << 8,
 * (root + 1) << 16, tiles << 24
 * --------------------------------------------------------------------------------------------------------- */

typedef enum collective { BROADCAST, GATHER, SCATTER, REDUCE } collective;
static const char *const mnemonics[] = { "tbroadcast", "comm.tgather", "comm.tscatter", "treduce" };

static bool wrong_operands(tw__as_binder *b, const tw__as_op *op, collective kind)
{
    static const char *const forms[] = { "ins(%src, %tile : ...) outs(%rank0, %rank1 : ...)",
                                         "ins(%rank0, %rank1, %tile : ...) outs(%dst : ...)",
                                         "ins(%src, %tile : ...) outs(%rank0, %rank1 : ...)",
                                         "ins(%rank0, %rank1, %sum, %tile : ...) outs(%dst : ...)" };
    tw__as_refuse(b, NULL, op, "pto.operands", "the operands of %s are %s%s", op->name, forms[kind],
                  kind == REDUCE ? "" : ", with one tile or two");
    return false;
}

static bool bind_root(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, tw__as_code *code)
{
    static const char *const names[] = { "root", "reduceOp", "reduce_op" };
    int64_t root = -1;
    int32_t reduce = 0;
    if (!tw__as_known_members(b, op, p, names, code->number == REDUCE ? 3 : 1) ||
        !tw__as_number_member(b, op, p, "root", 63, &root))
        return false;
    const tw__as_item *how = tw__as_member(p, "reduceOp");
    if (!how) how = tw__as_member(p, "reduce_op");
    if (how) {
        char word[32];
        tw__as_value_word(b, how, word, sizeof word);
        if (!tw__pto_attr_value((unsigned)tw__pto_attr_by_name("reduceOp"), word, &reduce) || reduce < 0 ||
            reduce > TW_PTO_REDUCE_MIN)
            return tw__as_refuse(b, how, op, "pto.attribute", "'%s' is no reduction: sum, max, min", word), false;
    }
    code->number |= reduce << 8 | (root + 1) << 16;
    return true;
}

static bool bind_collective(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                            tw__as_type *type)
{
    tw__as_item *all[2 * TW__AS_OPERANDS];
    collective kind = (collective)code->number;
    bool spreads = kind == BROADCAST || kind == SCATTER; /* the ranks' tensors are written */
    unsigned count = 0, views = 0;
    (void)type;
    if (p->dps && !check_types(b, op, p)) return false;
    for (unsigned i = 0; i < p->outs; i++) all[count++] = p->out[i];
    for (unsigned i = 0; i < p->ins; i++) all[count++] = p->in[i];
    for (tw__as_type t; views < count && (t = devices_type_of(b, all[views]), is_tensor(&t)); views++) {
    }
    for (unsigned i = views; i < count; i++) {
        tw__as_type t = devices_type_of(b, all[i]);
        if (all[i]->kind == TW__AS_VALUE && !t.kind) return tw__as_undefined(b, all[i], op), false;
        if (t.kind != TW__AS_TILE) return wrong_operands(b, op, kind);
    }
    unsigned tiles = count - views, ranks = views ? views - 1 : 0;
    if (!ranks || tiles < (kind == REDUCE ? 2 : 1) || tiles > 2 || (p->dps && p->outs != (spreads ? ranks : 1)))
        return wrong_operands(b, op, kind);
    if (count > TW__AS_OPERANDS)
        return tw__as_refuse(b, NULL, op, "pto.operands", "more than %d operands", TW__AS_OPERANDS), false;
    p->ins = p->outs = 0;
    p->in[p->ins++] = all[spreads ? ranks : 0];
    for (unsigned r = 0; r < ranks; r++) p->in[p->ins++] = all[r + !spreads];
    for (unsigned t = 0; t < tiles; t++) p->in[p->ins++] = all[views + t];
    return bind_root(b, op, p, code) && (code->number |= tiles << 24, true);
}

static tw_status run_collective(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_tensor ranks[TW__AS_OPERANDS];
    tw_pto_operand operands[4];
    unsigned count = 1, n = 0;
    unsigned root = code->number >> 16 & 255, tiles = code->number >> 24 & 3;
    tw_status status = need_tensors(run, code, code->count - tiles);
    if (status != TW_OK) return status;
    for (unsigned i = 1; i < code->count; i++) {
        tw__as_cell *cell = tw__as_operand(run, code, i);
        if (i < code->count - tiles)
            ranks[n++] = cell->wide->tensor;
        else
            operands[++count] = tw_pto_tile_operand(&cell->wide->tile);
    }
    tw_pto_group group = { ranks, n, root ? root - 1 : tw_pto_identity_of(run->core).device };
    tw_pto_attrs attrs = { .reduce = (int32_t)(code->number >> 8 & 255) };
    operands[0] = tw_pto_group_operand(&group);
    operands[1] = tw_pto_tensor_operand(&tw__as_operand(run, code, 0)->wide->tensor);
    status = tw_pto_call(run->core, mnemonics[code->number & 255], operands, count + 1, &attrs);
    unsigned blame = run->core->blame;
    if (status != TW_OK && blame <= count) run->blame = blame == 0 ? 1 : blame == 1 ? 0 : n + blame - 1;
    return status;
}

/* --- TTEST: the row, and its answer ----------------------------------------------------------------------------- */

static bool bind_test(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    tw_pto_attrs attrs;
    (void)type;
    if (!tw__as_bind_attrs(b, op, tw__pto_row_of("ttest"), p, &attrs)) return false;
    tw__as_type first = p->ins ? devices_type_of(b, p->in[0]) : (tw__as_type){ 0 };
    if (p->ins != 2 || p->outs || !is_tensor(&first) || (p->results && p->result[0]->element != TW_BOOL))
        return tw__as_refuse(b, NULL, op, "pto.operands",
                             "expected %%all = %s ins(%%signals, %%value : VIEW, i32) {cmpMode = ...} -> i1",
                             op->name),
               false;
    code->number = attrs.cmp;
    return check_types(b, op, p);
}

static tw_status run_test(tw__as_run *run, const tw__as_code *code)
{
    bool all;
    const tw__as_cell *value = tw__as_operand(run, code, 1);
    tw_status status = need_tensors(run, code, 1);
    if (status != TW_OK) return status;
    status = tw_pto_test_signal(run->core, &tw__as_operand(run, code, 0)->wide->tensor,
                                (int32_t)tw__as_integer(value), (int)code->number, &all);
    return status == TW_OK ? tw__as_set_integer(run, code, all) : status;
}

/* --- asynchronous transfers: the value of an event is its number ------------------------------------------------ */

typedef enum transfer { SESSION, PUT, GET, WAIT, TEST } transfer;

static bool is_named(const tw__as_type *t, const char *text)
{
    return t->kind == TW__AS_OTHER && t->text && strcmp(t->text, text) == 0;
}

/* The operand at `at` is of the opaque type `text`. */
static bool check_opaque(tw__as_binder *b, const tw__as_op *op, tw__as_item *item, const char *text)
{
    tw__as_type t = devices_type_of(b, item);
    if (is_named(&t, text) || (item->kind == TW__AS_VALUE && !t.kind)) return true;
    tw__as_refuse(b, item, op, "pto.type", "%s: %s is wanted here, not %s", op->name, text, tw__as_type_text(&t));
    return false;
}

/* Scratch tile, workspace and attributes of a session are taken and not used: the library needs none, and the
 * documents do not
 * name the attributes (estimated). A warning says so, for what was meant may be another operation's. */
static bool bind_session(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                         tw__as_type *type)
{
    (void)code;
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next)
            if (i->text) tw__as_warn(b->m, i, "pto.attribute", "%s: '%s' changes nothing here", op->name, i->text);
    if (is_named(type, "!pto.async_session") && p->ins + p->outs <= 2) return check_types(b, op, p);
    tw__as_refuse(b, NULL, op, "pto.operands",
                  "expected %%s = %s(%%scratch, %%workspace : ...) -> !pto.async_session", op->name);
    return false;
}

/* dst, src and perhaps the session, in the order of the C++ call or as ins(src, session) outs(dst). */
static bool bind_transfer(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                          tw__as_type *type)
{
    (void)code;
    if (!tw__as_known_members(b, op, p, NULL, 0) || !check_types(b, op, p)) return false;
    if (p->outs == 1 && p->ins < TW__AS_OPERANDS) {
        memmove(p->in + 1, p->in, p->ins * sizeof *p->in);
        p->in[0] = p->out[0];
        p->ins++;
        p->outs = 0;
    }
    tw__as_type dst = p->ins ? devices_type_of(b, p->in[0]) : (tw__as_type){ 0 },
                src = p->ins > 1 ? devices_type_of(b, p->in[1]) : (tw__as_type){ 0 };
    if (p->outs || p->ins < 2 || p->ins > 3 || !is_tensor(&dst) || !is_tensor(&src) ||
        !is_named(type, "!pto.async_event"))
        return tw__as_refuse(b, NULL, op, "pto.operands",
                             "expected %%e = %s(%%dst, %%src, %%session : VIEW, VIEW, !pto.async_session) -> "
                             "!pto.async_event",
                             op->name),
               false;
    return p->ins < 3 || check_opaque(b, op, p->in[2], "!pto.async_session");
}

/* The event and perhaps the session; waiting may give true. */
static bool bind_event(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    static const tw__as_type truth = { .kind = TW__AS_SCALAR, .element = TW_BOOL, .text = "i1" };
    if (!tw__as_known_members(b, op, p, NULL, 0) || !check_types(b, op, p)) return false;
    if (p->outs || p->ins < 1 || p->ins > 2 || (p->results && p->result[0]->element != TW_BOOL))
        return tw__as_refuse(b, NULL, op, "pto.operands",
                             "expected %s(%%event, %%session : !pto.async_event, !pto.async_session) -> i1",
                             op->name),
               false;
    if (code->number == WAIT && op->result_count)
        code->more->second = &truth; /* the only result: the table says none */
    *type = truth;
    return check_opaque(b, op, p->in[0], "!pto.async_event") &&
           (p->ins < 2 || check_opaque(b, op, p->in[1], "!pto.async_session"));
}

static tw_status set_opaque(tw__as_run *run, const tw__as_code *code, uint64_t value)
{
    tw__as_set_number(&run->cell[code->result[0]], TW__AS_OTHER, tw_pto_bits(TW_I64, value));
    return TW_OK;
}

static tw_status run_transfer(tw__as_run *run, const tw__as_code *code)
{
    uint64_t event = 0;
    bool done = true;
    tw_status status = TW_OK;
    const tw__as_cell *first = code->count ? tw__as_operand(run, code, 0) : NULL;
    switch ((transfer)code->number) {
    case SESSION: return set_opaque(run, code, 0);
    case PUT:
    case GET:
        status = need_tensors(run, code, 2);
        if (status != TW_OK) return status;
        status = tw_pto_copy_async(run->core, &tw__as_operand(run, code, 0)->wide->tensor,
                                   &tw__as_operand(run, code, 1)->wide->tensor, &event);
        return status == TW_OK ? set_opaque(run, code, event) : status;
    case WAIT: status = tw_pto_async_wait(run->core, first->scalar.bits); break;
    case TEST: status = tw_pto_async_test(run->core, first->scalar.bits, &done); break;
    }
    return status == TW_OK && code->result_count ? tw__as_set_integer(run, code, done) : status;
}

const tw__as_host tw__as_comm_ops[] = {
    // clang-format off
    { "pto.get_device_idx", run_device, 0, TW__GIVES_WIDE, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL },
    { "pto.get_device_num", run_device, 1, TW__GIVES_WIDE, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL },
    { "pto.remote_ptr", run_remote, 0, TW__GIVES_WHOLE, 2, 2, "*i", NULL, NULL, NULL, bind_remote, NULL, NULL },
    { "pto.tbroadcast", run_collective, BROADCAST, TW__GIVES_NOTHING, 3, 32, NULL, NULL, NULL, NULL, bind_collective, NULL, NULL },
    { "pto.comm.tgather", run_collective, GATHER, TW__GIVES_NOTHING, 3, 32, NULL, NULL, NULL, NULL, bind_collective, NULL, NULL },
    { "pto.comm.tscatter", run_collective, SCATTER, TW__GIVES_NOTHING, 3, 32, NULL, NULL, NULL, NULL, bind_collective, NULL, NULL },
    { "pto.treduce", run_collective, REDUCE, TW__GIVES_NOTHING, 4, 32, NULL, NULL, NULL, NULL, bind_collective, NULL, NULL },
    { "pto.ttest", run_test, 0, TW__GIVES_TRUTH, 2, 2, "*i", NULL, NULL, NULL, bind_test, NULL, NULL },
    { "pto.build_async_session", run_transfer, SESSION, TW__GIVES_LAST, 0, 2, NULL, NULL, NULL, NULL, bind_session, NULL, NULL },
    { "pto.tput_async", run_transfer, PUT, TW__GIVES_LAST, 2, 3, NULL, NULL, NULL, NULL, bind_transfer, NULL, NULL },
    { "pto.tget_async", run_transfer, GET, TW__GIVES_LAST, 2, 3, NULL, NULL, NULL, NULL, bind_transfer, NULL, NULL },
    { "pto.wait_async_event", run_transfer, WAIT, TW__GIVES_NOTHING, 1, 2, NULL, NULL, NULL, NULL, bind_event, NULL, NULL },
    { "pto.test_async_event", run_transfer, TEST, TW__GIVES_TRUTH, 1, 2, NULL, NULL, NULL, NULL, bind_event, NULL, NULL },
    { 0 }
    // clang-format on
};
