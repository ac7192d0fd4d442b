/* SPDX-License-Identifier: MIT */
/* Exceptions: noting them, and telling them with place, instruction and registers. */
#include "poplar/colossus/sim/sim.h"

#include <glib.h>

static const struct {
    const char *name;
    unsigned type;
    const char *text;
} causes[] = {
#define ROW(name, number, type, text) [number] = { #name, type, text },
    TW_SIM_CAUSE_LIST(ROW)
#undef ROW
};

const char *tw_sim_cause_name(tw_sim_cause cause)
{
    return (unsigned)cause < TW_SIM_CAUSE_COUNT ? causes[cause].name : "";
}

void tw__sim_fault(tw__sim_context *w, uint32_t pc, tw_sim_cause cause, unsigned count, const uint32_t *addresses)
{
    tw_sim *sim = w->sim;
    tw_sim_exception e = { .context = w->number,
                           .cause = cause,
                           .type = causes[cause].type,
                           .pc = pc,
                           .address_count = count,
                           .in_repeat = w->repeat_count != 0 };
    for (unsigned i = 0; i < count; i++) e.addresses[i] = addresses[i];
    if (cause == TW_SIM_CAUSE_FLOATING_POINT) e.flags = w->fp_sts & w->fp_ctl & 7;
    bool later = sim->options.keep_going && sim->has_exception; /* the first one is told */
    if (!later) {
        sim->exception = e, sim->has_exception = true;
        g_clear_pointer(&sim->message, g_free);
    }
    sim->exceptions[w->number] = e;
    w->state = TW_SIM_EXCEPTED, w->pc = pc, w->cause = cause;
    w->csr[1] = (w->csr[1] & ~UINT32_C(0x2f0)) | e.type << 4 | (uint32_t)e.in_repeat << 9;
}

/* With keep_going others may have stopped, too: the earliest of them is told then. */
void tw__sim_fault_over(tw__sim_context *w)
{
    tw_sim *sim = w->sim;
    w->state = TW_SIM_ACTIVE, w->cause = TW_SIM_CAUSE_NONE;
    w->csr[1] &= ~UINT32_C(0x2f0);
    if (!sim->has_exception || sim->exception.context != w->number) return;
    const tw__sim_context *next = NULL;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS && sim->options.keep_going; i++) {
        const tw__sim_context *c = &sim->contexts[i];
        if (c->state != TW_SIM_EXCEPTED) continue;
        if (!next || tw__sim_cycle_now(c) < tw__sim_cycle_now(next)) next = c;
    }
    g_clear_pointer(&sim->message, g_free);
    sim->has_exception = next != NULL;
    if (next) sim->exception = sim->exceptions[next->number];
}

bool tw__sim_fp_flags(tw__sim_context *w, const tw__sim_op *op, unsigned flags)
{
    w->fp_sts |= flags;
    if (!(flags & w->fp_ctl)) return true;
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_FLOATING_POINT, 0, NULL);
    if (w->sim->exception.context == w->number) w->sim->exception.flags = flags & w->fp_ctl;
    w->sim->exceptions[w->number].flags = flags & w->fp_ctl;
    return false;
}

/* --- the message ------------------------------------------------------------------------------------------------ */

static void tell_registers(GString *out, const tw_sim *sim, const tw_sim_exception *e, const tw_insn *insn,
                           uint32_t *told)
{
    const tw__sim_context *w = &sim->contexts[e->context];
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    for (unsigned k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        bool mrf = kind->file == TW_ISA_MRF;
        for (unsigned i = 0; i < kind->registers; i++) {
            unsigned number = insn->operands[k] + i;
            uint32_t bit = 1u << (number + (mrf ? 0 : 16));
            if (*told & bit || number > 15) continue;
            *told |= bit;
            g_string_append_printf(out, "%s$%c%u = 0x%08x", *told == bit ? "\n    " : "  ", mrf ? 'm' : 'a', number,
                                   mrf ? w->m[number] : w->a[number]);
        }
    }
}

static void tell_place(GString *out, tw_sim *sim, const tw_sim_exception *e)
{
    const char *name;
    uint32_t offset;
    char text[2 * TW_INSN_TEXT];
    const tw_object_line *place = tw_sim_place_at(sim, e->pc);
    if (place) g_string_append_printf(out, "%s:%u:", place->file, place->line);
    if (place && place->column) g_string_append_printf(out, "%u:", place->column);
    if (place) g_string_append_c(out, ' ');
    g_string_append_printf(out, "%s", causes[e->cause].text);
    for (unsigned i = 0; i < e->address_count; i++)
        g_string_append_printf(out, "%s0x%x", i ? " and " : ": ", e->addresses[i]);
    if (e->cause == TW_SIM_CAUSE_FLOATING_POINT)
        g_string_append_printf(out, ":%s%s%s", e->flags & TW__SIM_INV ? " invalid operation" : "",
                               e->flags & TW__SIM_DIV0 ? " division by zero" : "",
                               e->flags & TW__SIM_OFLO ? " overflow" : "");
    if (e->context == TW_SIM_SUPERVISOR)
        g_string_append_printf(out, "\n    tile %u, supervisor", sim->options.tile);
    else
        g_string_append_printf(out, "\n    tile %u, worker %u", sim->options.tile, e->context);
    g_string_append_printf(out, ", pc 0x%x", e->pc);
    if (tw_sim_symbol_at(sim, e->pc, &name, &offset)) g_string_append_printf(out, " (%s + 0x%x)", name, offset);
    g_string_append_printf(out, "%s\n    %s", e->in_repeat ? ", in a repeat loop" : "",
                           tw_sim_text_at(sim, e->pc, text));
}

const tw_sim_exception *tw_sim_get_exception(const tw_sim *csim)
{
    if (!csim) return NULL;
    tw_sim *sim = (tw_sim *)csim; /* the message is made when somebody asks */
    if (!sim->has_exception) return NULL;
    tw_sim_exception *e = &sim->exception;
    if (sim->message) return e;
    GString *out = g_string_new(NULL);
    tell_place(out, sim, e);
    tw_insn insns[2];
    uint32_t told = 0;
    unsigned count = tw__sim_insns_at(sim, e->pc, insns);
    for (unsigned i = 0; i < count; i++) tell_registers(out, sim, e, &insns[i], &told);
    tw_sim_line_at(sim, e->pc, &e->file, &e->line);
    sim->message = g_string_free(out, FALSE);
    e->message = sim->message;
    return e;
}
