/* SPDX-License-Identifier: MIT */
/* Traces: a line for every instruction or bundle, with what it changed. */
#include "poplar/colossus/sim/sim.h"

#include <inttypes.h>

enum { STACK_POINTER = 11, PACED_ADDRESS = 0x1fffff };

void tw_sim_set_trace(tw_sim *sim, FILE *out)
{
    if (!sim) return;
    sim->trace = out;
}

static bool reads_stack_pointer(const tw_sim_event *event)
{
    for (unsigned i = 0; i < event->count; i++) {
        const tw_isa_row *row = &tw__isa_rows[event->insns[i].row];
        for (unsigned k = 0; k < row->count; k++)
            if (row->operands[k]->file == TW_ISA_MRF && row->operands[k]->reads &&
                event->insns[i].operands[k] == STACK_POINTER)
                return true;
    }
    return false;
}

/* Values for which the documents say nothing (ISA, chapter 17): what this simulator does, docs/colossus.md says. */
static void warn_of_values(const tw__sim_context *w, const tw_sim_event *event)
{
    const tw_insn *insn = &event->insns[0];
    uint32_t most = w->sim->arch == TW_ISA_IPU1 ? 0xfff : 0xffff;
    if (!event->count) return;
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    if (insn->row == TW__OP_rpt_m && w->m[insn->operands[0]] > most)
        fprintf(w->sim->trace, "warning: pc 0x%x repeats %u times: the counter has %u bits\n", event->pc,
                w->m[insn->operands[0]], most == 0xfff ? 12u : 16u);
    bool shift = g_str_has_prefix(row->name, "sh") && (strlen(row->name) == 3 || strcmp(row->name, "shrs") == 0);
    if (shift && row->operands[2]->file == TW_ISA_MRF && w->m[insn->operands[2]] > 31)
        fprintf(w->sim->trace, "warning: pc 0x%x shifts by %u: only 0 to 31 are documented\n", event->pc,
                w->m[insn->operands[2]]);
}

void tw__sim_trace_before(tw__sim_context *w, const tw_sim_event *event)
{
    tw_sim *sim = w->sim;
    memcpy(sim->before_m, w->m, sizeof w->m);
    memcpy(sim->before_a, w->a, sizeof w->a);
    warn_of_values(w, event);
    if (w->supervisor || w->sp_set || w->sp_warned || !reads_stack_pointer(event)) return;
    w->sp_warned = true;
    fprintf(sim->trace, "warning: pc 0x%x reads $sp, which is not initialised (guide 7.3)\n", event->pc);
}

/* Address and bytes of the store of an instruction, from the registers before it; 0: it does not store. */
static unsigned store_of(const tw_sim *sim, const tw_insn *insn, uint32_t *at)
{
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    const uint32_t *m = sim->before_m;
    unsigned bytes = 0;
    for (unsigned i = 0; i < TW_ISA_ACCESSES && row->accesses[i]; i++)
        if (row->accesses[i] & TW_ISA_STORE) bytes = row->accesses[i] & ~(unsigned)TW_ISA_STORE;
    if (!bytes) return 0;
    for (unsigned k = 1; k < row->count; k++)
        if (row->operands[k]->file == TW_ISA_MRF && row->operands[k]->registers == 2) { /* packed pointers */
            uint32_t low = m[insn->operands[k]], high = m[insn->operands[k] + 1];
            *at = (low >> 21 | (high >> 21 & 0x3ff) << 11) & PACED_ADDRESS;
            return bytes;
        }
    bool step = g_str_has_suffix(row->name, "step");
    uint32_t last = insn->operands[row->count - 1];
    if (row->operands[row->count - 1]->file == TW_ISA_MRF) last = m[last];
    *at = m[insn->operands[1]] + (row->count > 3 ? m[insn->operands[2]] : 0) + (step ? 0 : last * bytes);
    return bytes;
}

static void tell_store(const tw_sim *sim, const tw_insn *insn)
{
    uint32_t at, words[2];
    unsigned bytes = store_of(sim, insn, &at);
    if (!bytes || bytes > sizeof words || tw_sim_read((tw_sim *)sim, at, words, bytes) != TW_OK) return;
    fprintf(sim->trace, "  [0x%x]=%x", at, GUINT32_FROM_LE(words[0]));
    if (bytes == 8) fprintf(sim->trace, ":%x", GUINT32_FROM_LE(words[1]));
}

static void tell_line(const tw__sim_context *w, const tw_sim_event *event)
{
    char text[2 * TW_INSN_TEXT], name[8];
    if (w->supervisor)
        g_strlcpy(name, "s ", sizeof name);
    else
        g_snprintf(name, sizeof name, "w%u", w->number);
    fprintf(w->sim->trace, "%8" PRIu64 " %s %05x  %s", event->cycle, name, event->pc,
            tw_sim_text_at(w->sim, event->pc, text));
}

void tw__sim_trace_done(tw__sim_context *w, const tw_sim_event *event)
{
    const tw_sim *sim = w->sim;
    tell_line(w, event);
    for (unsigned i = 0; i < 16; i++) {
        if (w->m[i] != sim->before_m[i]) fprintf(sim->trace, "  $m%u=%x", i, w->m[i]);
        if (w->a[i] != sim->before_a[i]) fprintf(sim->trace, "  $a%u=%x", i, w->a[i]);
    }
    for (unsigned i = 0; i < event->count; i++) tell_store(sim, &event->insns[i]);
    fputc('\n', sim->trace);
}

void tw__sim_trace_fault(tw__sim_context *w, const tw_sim_event *event)
{
    tell_line(w, event);
    fprintf(w->sim->trace, "  exception %s\n", tw_sim_cause_name(w->cause));
}
