/* SPDX-License-Identifier: MIT */
/* families: what the rows of the table do: rules and functions of their families, and which form operands mean. */
#include "pto/exec/exec.h"

const tw__pto_family tw__pto_families[] = {
#define FAMILY(name) { tw__pto_check_##name, tw__pto_run_##name },
    TW__FAMILY_LIST(FAMILY)
#undef FAMILY
};

tw_status tw__pto_check_call(tw__pto_call *call)
{
    tw_status status = tw__pto_check_shared(call);
    return status == TW_OK ? tw__pto_families[call->row->family_number].check(call) : status;
}

tw_status tw_pto_check(tw_pto_target target, int op, const tw_pto_operand *operands, unsigned count,
                       const tw_pto_attrs *attrs, unsigned *blame)
{
    static const tw_pto_attrs none;
    tw__pto_call call = { .target = target, .operand = operands, .count = count, .attrs = attrs ? attrs : &none };
    if (op < 0 || (size_t)op >= tw__pto_row_count() || (unsigned)target >= TW_PTO_TARGETS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "unknown PTO instruction or target");
    if (!operands && count) return tw__pto_given(operands, "list of operands");
    call.row = tw__pto_row_at((size_t)op);
    tw_status status = tw__pto_check_call(&call);
    if (blame) *blame = call.blame == TW__NO_OPERAND ? count : call.blame;
    return status;
}

static bool kinds_fit(const tw__pto_row *row, const tw_pto_operand *operands, unsigned count)
{
    if (row->operands != count) return false;
    for (unsigned i = 0; i < count; i++)
        if (operands[i].kind != tw__kind_of_letter(row->form[i])) return false;
    return true;
}

const tw__pto_row *tw__pto_form_of(tw_pto *core, tw_pto_target target, const tw__pto_row *first,
                                   const tw_pto_operand *operands, unsigned count, const tw_pto_attrs *attrs)
{
    static const tw_pto_attrs none;
    const tw__pto_row *found = NULL;
    for (const tw__pto_row *row = first; row; row = tw__pto_next_form(row)) {
        if (!kinds_fit(row, operands, count)) continue;
        if (!found) {
            found = row;
            continue;
        }
        /* two forms with operands of the same kinds: types decide */
        tw__pto_call call = { .core = core,
                              .target = target,
                              .row = found,
                              .operand = operands,
                              .attrs = attrs ? attrs : &none,
                              .count = count };
        if (tw__pto_check_call(&call) == TW_OK) return found;
        call.row = row;
        if (tw__pto_check_call(&call) == TW_OK) return row;
    }
    return found;
}
