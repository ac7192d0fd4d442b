/* SPDX-License-Identifier: MIT */
/* Records of code: filled word by word when they are first run, emptied when a store hits their page. */
#include "poplar/colossus/sim/native.h"

#include <glib.h>
#include <stdlib.h>

static uint32_t decode_word_at(const tw_sim *sim, uint32_t address)
{
    const uint8_t *p = sim->memory + (address - sim->base);
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* --- pages ------------------------------------------------------------------------------------------------------ */

static void empty(tw__sim_page *page, uint32_t address, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        tw__sim_op *op = &page->ops[i];
        *op = (tw__sim_op){
            .run = tw__sim_first, .address = address + 4 * i, .row = TW__OP_COUNT, .aux_row = TW__OP_COUNT
        };
    }
}

/* A record behind the last word of a page stands for the same address in the next one. */
static const tw__sim_op *cross(tw__sim_context *w, const tw__sim_op *op)
{
    const tw__sim_op *real = tw__sim_at(w, op->address);
    return real ? real->run(w, real) : NULL;
}

static tw__sim_page *new_page(tw_sim *sim, uint32_t offset)
{
    tw__sim_page *page = NULL;
    if (posix_memalign((void **)&page, 64, sizeof *page) != 0) return NULL;
    empty(page, sim->base + offset, TW__SIM_PAGE_WORDS + 2);
    memset(page->native, 0, sizeof page->native);
    page->ops[TW__SIM_PAGE_WORDS].run = page->ops[TW__SIM_PAGE_WORDS + 1].run = cross;
    sim->pages[offset >> TW__SIM_PAGE_BITS] = page;
    sim->code_map[offset >> TW__SIM_PAGE_BITS] = 1;
    return page;
}

/* Where a function that was called from outside returns to: the context is done. */
static const tw__sim_op *returned(tw__sim_context *w)
{
    w->state = TW_SIM_IDLE, w->exit_status = w->m[0] != 0, w->pc = TW_SIM_RETURN;
    return NULL;
}

const tw__sim_op *tw__sim_fetch(tw__sim_context *w, uint32_t address)
{
    tw_sim *sim = w->sim;
    if (address == TW_SIM_RETURN) return returned(w);
    uint32_t offset = address - sim->base;
    tw_sim_cause cause = address & 3                          ? TW_SIM_CAUSE_PC_MISALIGNED
                         : offset >= sim->size                ? TW_SIM_CAUSE_PC_NOT_VALID
                         : offset >= sim->region1 - sim->base ? TW_SIM_CAUSE_PC_NOT_EXECUTABLE
                                                              : TW_SIM_CAUSE_NONE;
    tw__sim_page *page = NULL;
    if (cause == TW_SIM_CAUSE_NONE) {
        uint32_t start = offset & ~(uint32_t)(TW__SIM_PAGE - 1);
        page = sim->pages[offset >> TW__SIM_PAGE_BITS];
        if (!page) page = new_page(sim, start);
        if (page) return &page->ops[(offset - start) / 4];
        cause = TW_SIM_CAUSE_PC_NOT_VALID; /* no memory on the host */
    }
    tw__sim_fault(w, address, cause, 0, NULL);
    return NULL;
}

void tw__sim_drop_code(tw_sim *sim, uint32_t address, uint32_t bytes)
{
    uint32_t end = address - sim->base + bytes, limit = sim->page_count << TW__SIM_PAGE_BITS;
    /* A bundle or a repeat loop that begins before the changed words depends on them too. */
    uint32_t start = address - sim->base;
    start = start >= 4 ? start - 4 : 0;
    if (start >= limit || !bytes) return;
    tw__native_detach(sim);
    for (uint32_t p = start >> TW__SIM_PAGE_BITS; p <= (MIN(end, limit) - 1) >> TW__SIM_PAGE_BITS; p++) {
        tw__sim_page *page = sim->pages[p];
        if (page) empty(page, sim->base + (p << TW__SIM_PAGE_BITS), TW__SIM_PAGE_WORDS);
    }
    for (uint32_t p = 0; p < sim->page_count; p++)
        for (uint32_t i = 0; sim->pages[p] && i < TW__SIM_PAGE_WORDS; i++) sim->pages[p]->ops[i].target = NULL;
}

/* --- records ---------------------------------------------------------------------------------------------------- */

static const tw__sim_op *illegal(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_ILLEGAL_INSTRUCTION, 0, NULL);
    return NULL;
}
static const tw__sim_op *illegal_bundle(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_ILLEGAL_BUNDLE, 0, NULL);
    return NULL;
}
static const tw__sim_op *illegal_context(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_ILLEGAL_CONTEXT, 0, NULL);
    return NULL;
}
static const tw__sim_op *same_destination(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_SAME_DESTINATION, 0, NULL);
    return NULL;
}

/* Read-only registers take no value: $m12 to $m15, $a8 to $a15. */
static uint8_t destination(const tw_isa_operand *kind, uint32_t number)
{
    uint32_t first = kind->file == TW_ISA_MRF ? 12 : 8;
    return (uint8_t)(kind->writes && number < first ? number : TW__SIM_SINK);
}

static void main_operands(tw__sim_op *op, const tw_insn *insn)
{
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    unsigned constants = 0;
    for (unsigned k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        if (!kind->registers) {
            if (constants++ == 0)
                op->imm = insn->operands[k];
            else
                op->r[3] = (uint8_t)insn->operands[k];
        } else if (k < TW__SIM_MAIN_OPERANDS) {
            op->r[k] = (uint8_t)insn->operands[k];
            op->d[k] = destination(kind, insn->operands[k]);
        }
    }
}

static void aux_operands(tw__sim_op *op, const tw_insn *insn)
{
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    for (unsigned k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        if (!kind->registers)
            op->aux_imm = insn->operands[k];
        else if (k < TW__SIM_AUX_OPERANDS)
            op->ar[k] = (uint8_t)insn->operands[k];
    }
    if (row->count && row->operands[0]->writes) op->ad = destination(row->operands[0], insn->operands[0]);
}

/* Registers that an instruction writes: bit n of the MRF, 16 + n of the ARF. */
static uint32_t writes(const tw_insn *insn)
{
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    uint32_t set = 0;
    for (unsigned k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        uint32_t ones = (1u << kind->registers) - 1;
        if (kind->writes) set |= ones << (insn->operands[k] + (kind->file == TW_ISA_ARF ? 16 : 0));
    }
    return set;
}

static void decode_solo(tw__sim_op *op, const tw_insn *insn)
{
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    op->next = op + (row->flags & TW_ISA_TWO_WORDS ? 2 : 1);
    if (row->pipe == TW_ISA_AUX) {
        op->aux_row = insn->row;
        op->run = tw__sim_aux_rows[insn->row].solo, op->aux = tw__sim_aux_rows[insn->row].aux;
        aux_operands(op, insn);
    } else {
        op->row = insn->row;
        op->run = tw__sim_main_rows[insn->row].solo;
        main_operands(op, insn);
    }
    if (!(row->context & TW_ISA_WORKER)) op->run = illegal_context;
}

static void decode_bundle(tw_sim *sim, tw__sim_op *op, const tw_insn *first)
{
    tw_insn second;
    uint32_t behind = op->address + 4;
    op->next = op + 2;
    bool fits = behind < sim->region1 && tw_insn_decode(sim->arch, decode_word_at(sim, behind), &second) &&
                second.bundled && tw__isa_rows[first->row].pipe == TW_ISA_MAIN &&
                tw__isa_rows[second.row].pipe == TW_ISA_AUX && !(writes(first) & writes(&second));
    if (!fits) {
        op->run = illegal_bundle;
        return;
    }
    op->row = first->row, op->aux_row = second.row;
    op->run = tw__sim_main_rows[first->row].bundled, op->aux = tw__sim_aux_rows[second.row].aux;
    main_operands(op, first);
    aux_operands(op, &second);
    /* nop and fnop have nothing to do */
    if (first->row == TW__OP_setzi_m && op->d[0] == TW__SIM_SINK) op->run = tw__sim_aux_only;
    if (second.row == TW__OP_setzi_a && op->ad == TW__SIM_SINK) op->run = tw__sim_main_rows[first->row].lone;
    tw__sim_run_op *fused = tw__sim_fused(first->row, second.row);
    if (fused) op->run = fused;
    if (!(tw__isa_rows[first->row].context & TW_ISA_WORKER)) op->run = illegal_context;
}

void tw__sim_decode(tw_sim *sim, tw__sim_op *op)
{
    tw_insn insn;
    uint64_t word = decode_word_at(sim, op->address);
    if (op->address + 4 < sim->region1) word |= (uint64_t)decode_word_at(sim, op->address + 4) << 32;
    op->next = op + 1;
    if (!tw_insn_decode(sim->arch, word, &insn)) {
        op->run = illegal;
        return;
    }
    if (insn.bundled)
        decode_bundle(sim, op, &insn);
    else
        decode_solo(op, &insn);
    /* Two loads into one place (Colossus ISA, chapter 3). */
    const tw_isa_row *row = &tw__isa_rows[insn.row];
    if (row->pipe == TW_ISA_MAIN && row->count > 2 && row->operands[0]->writes && row->operands[1]->writes &&
        row->operands[1]->file == TW_ISA_ARF && row->operands[0]->file == TW_ISA_ARF) {
        uint32_t a = insn.operands[0], b = insn.operands[1];
        if (b >= a && b < a + row->operands[0]->registers && b < 8) op->run = same_destination;
    }
}

const tw__sim_op *tw__sim_first(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_decode(w->sim, (tw__sim_op *)op);
    if (w->repeat_count && !tw__sim_body_fits(w, op)) { /* a store has put something else into the body */
        tw__sim_fault(w, op->address, TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT, 0, NULL);
        return NULL;
    }
    return op->run(w, op);
}
