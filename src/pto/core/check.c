/* SPDX-License-Identifier: MIT */
/* check: the rules that instructions share. A family's check adds its own. Extents may be TW_PTO_DYNAMIC when text is
 * checked before it runs; tw__same and tw__at_most then take the rule as kept, and the check is repeated at run time.
 * */
#include "pto/pto.h"

#include <ctype.h>

static const char *upper(const char *mnemonic, char *buf, size_t size)
{
    size_t i = 0;
    for (; mnemonic[i] && i + 1 < size; i++)
        buf[i] = mnemonic[i] == '.' ? '_' : (char)toupper((unsigned char)mnemonic[i]);
    buf[i] = 0;
    return buf;
}

tw_status tw__pto_refuse(tw__pto_call *call, unsigned blame, const char *rule, const char *format, ...)
{
    char name[32], text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    call->blame = blame;
    return tw__fail(TW_E_INVALID_ARGUMENT, "%s: %s [rule %s, profile %s]",
                    upper(call->row->mnemonic, name, sizeof name), text, rule, tw_pto_target_name(call->target));
}

static const char *type_text(tw_type type)
{
    return tw_type_name(type, TW_SYSTEM_PTO);
}

static tw_status check_kinds(tw__pto_call *call)
{
    static const char *const names[8] = {
        "nothing", "a tile", "a tensor", "a scalar", "a FIFO", "a group", "?", "?"
    };
    if (call->count != call->row->operands)
        return tw__pto_refuse(call, TW__NO_OPERAND, "operands", "%u operands instead of %u", call->count,
                              call->row->operands);
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_operand *o = &call->operand[i];
        tw_pto_kind want = tw__kind_of_letter(call->row->form[i]);
        if (o->kind != want || (want == TW_PTO_TILE && !o->tile) || (want == TW_PTO_TENSOR && !o->tensor))
            return tw__pto_refuse(call, i, "operands", "operand %u is %s instead of %s", i + 1,
                                  names[(unsigned)o->kind & 7], names[want]);
        if ((want == TW_PTO_FIFO || want == TW_PTO_GROUP) && !o->object)
            return tw__pto_refuse(call, i, "operands", "operand %u is missing", i + 1);
        if (want == TW_PTO_TILE && tw_pto_tile_check(o->tile) != TW_OK)
            return tw__pto_refuse(call, i, "tile.shape", "operand %u: %s", i + 1, tw_error_message());
        if (want == TW_PTO_TILE && call->core && tw__tile_dynamic(o->tile)) /* without a core: a check beforehand */
            return tw__pto_refuse(call, i, "tile.shape", "operand %u: its valid extents have no values yet", i + 1);
        if (want == TW_PTO_TENSOR &&
            ((unsigned)o->tensor->layout >= TW_PTO_LAYOUTS || !tw_type_size(o->tensor->type)))
            return tw__pto_refuse(call, i, "global.layout", "operand %u: unknown layout or element type", i + 1);
    }
    return TW_OK;
}

/* The operand whose element type the row's sets are about. */
static unsigned subject(const tw__pto_row *row)
{
    int a = tw__letter(row, 'a');
    return a >= 0 ? (unsigned)a : (unsigned)strspn(row->form, "qr");
}

static tw_type element_type(const tw_pto_operand *o)
{
    return o->kind == TW_PTO_TILE ? o->tile->type : o->kind == TW_PTO_TENSOR ? o->tensor->type : o->scalar.type;
}

/* With the types that the instruction takes here. */
static tw_status refuse_type(tw__pto_call *call, unsigned blame, tw_type type, uint64_t set)
{
    char names[200] = "";
    for (int t = 1; t < TW_TYPE_COUNT; t++)
        if (set >> t & 1)
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s", type_text((tw_type)t));
    return tw__pto_refuse(call, blame, "type.set", "element type %s is not supported, only%s", type_text(type),
                          names);
}

static tw_status check_types(tw__pto_call *call)
{
    const tw__pto_row *row = call->row;
    unsigned s = subject(row);
    uint64_t set = row->types[call->target];
    if (s >= call->count) return TW_OK; /* nothing that has a type */
    tw_type type = element_type(&call->operand[s]);
    if (!set) return tw__pto_refuse(call, TW__NO_OPERAND, "profile.absent", "there is no such instruction here");
    if (!(set >> type & 1)) return refuse_type(call, s, type, set);
    for (unsigned i = 0; row->rules & TW__SAME_TYPE && i < call->count; i++)
        if (strchr("dDabcsgG", row->form[i]) && element_type(&call->operand[i]) != type)
            return tw__pto_refuse(call, i, "type.same", "operand %u is %s and must be %s, as operand %u", i + 1,
                                  type_text(element_type(&call->operand[i])), type_text(type), s + 1);
    return TW_OK;
}

tw_status tw__pto_check_row_major(tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *t = tw__tile(call, i);
    bool column = t->cols == 1 && t->valid_cols == 1;
    if (call->target == TW_PTO_CPU || (!tw__tile_boxed(t) && (t->blayout == TW_PTO_ROW_MAJOR || column)))
        return TW_OK;
    return tw__pto_refuse(call, i, "layout.row-major", "operand %u must be row-major and not boxed", i + 1);
}

static tw_status check_layouts(tw__pto_call *call)
{
    const tw__pto_row *row = call->row;
    for (unsigned i = 0; i < call->count; i++) {
        if (call->operand[i].kind != TW_PTO_TILE) continue;
        const tw_pto_tile *t = tw__tile(call, i);
        if (t->conv && !(row->rules & TW__CONV))
            return tw__pto_refuse(call, i, "conv.tile", "operand %u is a ConvTile", i + 1);
        if (row->rules & TW__VEC_ONLY && t->location != TW_PTO_VEC)
            return tw__pto_refuse(call, i, "location.vec", "operand %u must lie in vector memory", i + 1);
        tw_status status = row->rules & TW__ROW_MAJOR ? tw__pto_check_row_major(call, i) : TW_OK;
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

static tw_status check_valid(tw__pto_call *call)
{
    const tw__pto_row *row = call->row;
    if (!(row->rules & TW__SAME_VALID)) return TW_OK;
    const tw_pto_tile *first = tw__tile(call, 0);
    for (unsigned i = 1; i < call->count; i++) {
        if (!strchr("dDabc", row->form[i])) continue;
        const tw_pto_tile *t = tw__tile(call, i);
        if (!tw__same(t->valid_rows, first->valid_rows) || !tw__same(t->valid_cols, first->valid_cols))
            return tw__pto_refuse(call, i, "valid.same",
                                  "valid region %u x %u of operand %u differs from dst's %u x %u", t->valid_rows,
                                  t->valid_cols, i + 1, first->valid_rows, first->valid_cols);
    }
    return TW_OK;
}

static bool overlap(const tw_pto *core, const tw_pto_tile *a, const tw_pto_tile *b)
{
    int64_t at_a = tw_pto_address(core, a), at_b = tw_pto_address(core, b);
    return at_a >= 0 && at_b >= 0 && a->location == b->location && at_a < at_b + (int64_t)tw_pto_tile_bytes(b) &&
           at_b < at_a + (int64_t)tw_pto_tile_bytes(a);
}

bool tw__pto_shares(const tw__pto_call *call, unsigned i, unsigned k)
{
    const tw_pto_tile *a = tw__tile(call, i), *b = tw__tile(call, k);
    return (a->place && a->place == b->place) || overlap(call->core, a, b);
}

/* Overlap with tmp is always wrong on A2/A3, with sources where the row says so. */
static tw_status check_alias(tw__pto_call *call)
{
    const tw__pto_row *row = call->row;
    if (!call->core || call->target != TW_PTO_A2A3) return TW_OK;
    for (unsigned i = 1; i < call->count; i++) {
        bool tmp = row->form[i] == 't' && row->tmp != TW__TMP_ANY;
        if (!tmp && !(row->rules & TW__NO_ALIAS && strchr("abc", row->form[i]))) continue;
        if (overlap(call->core, tw__tile(call, 0), tw__tile(call, i)))
            return tw__pto_refuse(call, i, tmp ? "tmp.overlap" : "alias", "operand %u overlaps dst", i + 1);
    }
    return TW_OK;
}

bool tw__pto_fills_cube(const tw__pto_call *call)
{
    return call->core->identity.kind == TW_PTO_VECTOR && tw__tile(call, 0)->location == TW_PTO_MAT &&
           tw__tile(call, 1)->location == TW_PTO_VEC;
}

/* A core of a block has part of the memories: TASSIGN names tiles anywhere, instructions use what is here. On a cube
 * core tiles of the vector cores are destinations of accumulators, on a vector core tiles in L1 those of its own;
 * nothing else. */
static tw_status check_core(tw__pto_call *call)
{
    if (!call->core || !tw__pto_is_part(call->core)) return TW_OK;
    bool out = call->row->rules & TW__TO_VECTOR;
    bool in = call->row->rules & TW__TO_CUBE && tw__pto_fills_cube(call);
    for (unsigned i = 0; i < call->count; i++) {
        if (call->operand[i].kind != TW_PTO_TILE) continue;
        const tw_pto_tile *t = tw__tile(call, i);
        if (call->core->memory[t->location].size) continue;
        if (t->location != TW_PTO_VEC && !t->place) continue; /* placing it fails */
        if (in && i == 0) continue;
        if (t->location != TW_PTO_VEC)
            return tw__pto_refuse(
                call, i, "core.cube",
                "a vector core has only vector memory; TMOV and TINSERT take a tile of it to one in "
                "L1 that TASSIGN has placed");
        if (!(out && i == 0 && tw__tile(call, 1)->location == TW_PTO_ACC && t->place))
            return tw__pto_refuse(
                call, i, "core.vector",
                "a cube core has no vector memory; TMOV takes an accumulator to a tile there that "
                "TASSIGN has placed");
    }
    return TW_OK;
}

/* A tensor that is written has a place of its own for each element: one that repeats a dimension (stride 0) would
 * keep what happens to come last. Atomic additions may meet in one place. */
tw_status tw__pto_check_written(tw__pto_call *call)
{
    for (unsigned i = 0; i < call->count; i++) {
        if (call->row->form[i] != 'G' || call->attrs->atomic) continue;
        const tw_pto_tensor *g = call->operand[i].tensor;
        bool empty = false;
        for (unsigned d = 0; d < 5; d++) empty |= g->shape[d] == 0;
        for (unsigned d = 0; d < 5 && !empty; d++)
            if (g->shape[d] > 1 && g->stride[d] == 0)
                return tw__pto_refuse(
                    call, i, "global.overlap",
                    "operand %u is written and has stride 0 over its %zu elements of dimension %u", i + 1,
                    g->shape[d], d);
    }
    return TW_OK;
}

tw_status tw__pto_check_shared(tw__pto_call *call)
{
    call->blame = TW__NO_OPERAND;
    tw_status status = check_kinds(call);
    if (status == TW_OK) status = check_types(call);
    if (status == TW_OK) status = check_core(call);
    if (status == TW_OK) status = check_layouts(call);
    if (status == TW_OK) status = check_valid(call);
    if (status == TW_OK) status = tw__pto_check_written(call);
    bool macro = call->row->rules & TW__MACRO; /* its parts are checked for themselves */
    if (status == TW_OK && !macro) status = tw__pto_check_tmp(call);
    if (status == TW_OK && !macro) status = check_alias(call);
    return status;
}
