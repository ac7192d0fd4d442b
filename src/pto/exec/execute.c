/* SPDX-License-Identifier: MIT */
/* execute: one instruction from its operands to its effect; tracing. */
#include "pto/exec/exec.h"
#include "pto/cost/cost.h"

#include <inttypes.h>

/* --- trace ------------------------------------------------------------------------------------------------------ */

static void print_element(FILE *out, tw_type type, const void *at)
{
    const tw_type_info *info = tw_type_get(type);
    if (info->kind == TW_KIND_FLOAT)
        fprintf(out, "%.9g", tw_type_load(type, at));
    else if (info->is_signed)
        fprintf(out, "%" PRId64, (int64_t)tw_type_load(type, at));
    else {
        uint64_t value = 0;
        memcpy(&value, at, info->size);
        fprintf(out, "%" PRIu64, value);
    }
}

void tw__pto_print_tile(FILE *out, const tw_pto *core, const tw_pto_tile *t, unsigned max_rows, unsigned max_cols)
{
    if (!core->memory[t->location].bytes) return; /* another core's */
    const unsigned char *storage = tw__pto_storage(core, t);
    for (uint32_t r = 0; r < t->valid_rows && r < max_rows; r++) {
        fprintf(out, "   ");
        for (uint32_t c = 0; c < t->valid_cols && c < max_cols; c++) {
            unsigned char nibble = storage[tw_pto_element(t, r, c)];
            const void *at = storage + tw_pto_element(t, r, c);
            if (tw_type_get(t->type)->bits == 4) {
                nibble = c & 1 ? nibble >> 4 : nibble & 15;
                if (t->type == TW_I4) nibble = (unsigned char)((signed char)(nibble << 4) >> 4);
                at = &nibble;
            }
            fputc(' ', out);
            print_element(out, t->type, at);
        }
        fprintf(out, t->valid_cols > max_cols ? " ...\n" : "\n");
    }
    if (t->valid_rows > max_rows) fprintf(out, "    ...\n");
}

static void print_trace(const tw__pto_call *call)
{
    FILE *out = call->core->trace;
    fprintf(out, "%s", call->row->name);
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_operand *o = &call->operand[i];
        fprintf(out, i ? ", " : " ");
        if (o->kind == TW_PTO_TILE)
            fprintf(out, "%s %ux%u %s @0x%" PRIx64, call->row->form[i] == 't' ? "tmp" : "tile", o->tile->valid_rows,
                    o->tile->valid_cols, tw_type_name(o->tile->type, TW_SYSTEM_PTO),
                    (uint64_t)tw_pto_address(call->core, o->tile));
        else if (o->kind == TW_PTO_TENSOR)
            fprintf(out, "tensor %s", tw_type_name(o->tensor->type, TW_SYSTEM_PTO));
        else if (o->kind == TW_PTO_SCALAR)
            print_element(out, o->scalar.type, &o->scalar.bits);
        else
            fprintf(out, o->kind == TW_PTO_FIFO ? "fifo" : "group");
    }
    fputc('\n', out);
    for (unsigned i = 0; i < call->count; i++)
        if (tw__is_dst_letter(call->row->form[i])) tw__pto_print_tile(out, call->core, tw__tile(call, i), 8, 32);
}

/* --- one instruction -------------------------------------------------------------------------------------------- */

/* Made of other instructions, which were bound, charged and traced for themselves. */
static tw_status exec_macro(tw__pto_call *call)
{
    tw_pto *core = call->core;
    core->charged = (tw_pto_pipe)call->row->pipe;
    tw_status status = tw__pto_run_call(call);
    core->blame = call->blame;
    if (status != TW_OK) return status;
    core->instructions++;
    if (core->flags & TW_PTO_PROFILE)
        core->tally[tw__pto_row_index(call->row) * TW_PTO_PIPES + core->charged].calls++;
    if (core->trace) print_trace(call);
    return TW_OK;
}

tw_status tw__pto_exec_row(tw_pto *core, const tw__pto_row *row, const tw_pto_operand *operands, unsigned count,
                           const tw_pto_attrs *attrs)
{
    static const tw_pto_attrs none;
    tw__pto_call call;
    call.core = core;
    call.target = core->target;
    call.row = row;
    call.operand = operands;
    call.attrs = attrs ? attrs : &none;
    call.count = count;
    call.blame = TW__NO_OPERAND;
    bool known = tw__pto_recall(&call, !attrs);
    tw_status status = known ? TW_OK : tw__pto_check_call(&call);
    if (status == TW_OK && row->rules & TW__MACRO) return exec_macro(&call);
    if (status == TW_OK && row->rules & TW__NAMES && call.target != TW_PTO_CPU)
        status = tw__pto_share_place(core, operands[0].tile, operands[1].tile);
    if (status == TW_OK && !call.bound) status = tw__pto_bind(&call);
    if (status == TW_OK && !known) tw__pto_remember(&call, !attrs);
    if (status == TW_OK && !(call.bound && tw__pto_run_again(&call))) status = tw__pto_run_call(&call);
    if (status == TW_OK && !call.bound) status = tw__pto_unbind(&call);
    if (core->scratch_used) tw__pto_drop_scratch(core);
    core->blame = call.blame;
    if (status != TW_OK) return status;
    core->instructions++;
    core->last_pipe = row->cost == TW__COST_TRANSFER ? tw__pto_pipe_of(&call) : (tw_pto_pipe)row->pipe;
    if (core->flags & TW_PTO_PROFILE) tw__pto_charge(&call);
    if (core->trace) print_trace(&call);
    return TW_OK;
}

tw_status tw_pto_exec(tw_pto *core, int op, const tw_pto_operand *operands, unsigned count,
                      const tw_pto_attrs *attrs)
{
    if (!core) return tw__pto_given(core, "core");
    if (!operands && count) return tw__pto_given(operands, "list of operands");
    const tw__pto_row *row = op >= 0 ? tw__pto_row_at((size_t)op) : NULL;
    if (!row || count > TW_PTO_OPERANDS) return tw__fail(TW_E_INVALID_ARGUMENT, "unknown PTO instruction %d", op);
    return tw__pto_exec_row(core, row, operands, count, attrs);
}

tw_status tw_pto_call(tw_pto *core, const char *mnemonic, const tw_pto_operand *operands, unsigned count,
                      const tw_pto_attrs *attrs)
{
    if (!core || !mnemonic) return tw__pto_given(NULL, core ? "mnemonic" : "core");
    if (!operands && count) return tw__pto_given(operands, "list of operands");
    const tw__pto_row *row = tw__pto_row_of(mnemonic);
    if (!row || count > TW_PTO_OPERANDS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "no PTO instruction '%s'", mnemonic);
    const tw__pto_row *chosen = tw__pto_form_of(core, core->target, row, operands, count, attrs);
    return tw__pto_exec_row(core, chosen ? chosen : row, operands, count, attrs);
}
