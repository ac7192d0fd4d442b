/* SPDX-License-Identifier: MIT */
/* Bundles and encoding: what two instructions may do together, then the words. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

/* Two destinations of one instruction that overlap, as of ld32step $m1, $m2, $m1+=, 1. */
static void check_destinations(tw__asm *as, const parsed *insn)
{
    size_t j, k;
    if (!as->allow_operands && tw__destinations_clash(&insn->insn, &j, &k))
        fail_at(as, insn->places[k], "operands %zu and %zu of '%s' write the same register", j + 1, k + 1,
                insn->row->name);
}

static void check_mode(tw__asm *as, const parsed *insn)
{
    if (!as->mode || as->allow_mode || (insn->row->context & as->mode)) return;
    fail_at(as, insn->place, "'%s'%s is for the %s only, and this is code of the %s", insn->row->name,
            insn->row->pipe == TW_ISA_AUX ? " of the aux pipeline" : "",
            as->mode == TW_ISA_WORKER ? "supervisor" : "workers",
            as->mode == TW_ISA_WORKER ? "workers" : "supervisor");
}

static void swap_halves(tw__asm *as)
{
    parsed first = as->halves[0];
    as->halves[0] = as->halves[1], as->halves[1] = first;
}

/* `nop` in the aux half is written for `fnop` (guide 7.5.2). */
static void turn_nop(parsed *second)
{
    if (second->insn.row != TW__OP_setzi_m || second->waiting) return;
    if (second->insn.operands[0] != 14 || second->insn.operands[1]) return;
    second->row = &tw__isa_rows[TW__OP_setzi_a];
    second->insn = (tw_insn){ .row = TW__OP_setzi_a, .operands = { 13, 0 } };
}

static bool check_bundle(tw__asm *as)
{
    if (as->halves[0].row->pipe == TW_ISA_MAIN) turn_nop(&as->halves[1]);
    const parsed *a = &as->halves[0], *b = &as->halves[1];
    tw_severity severity = as->allow_bundles ? TW_WARNING : TW_ERROR;
    for (int i = 0; i < 2; i++)
        if (as->halves[i].row->flags & TW_ISA_ALONE) {
            fail_at(as, as->halves[i].place, "'%s' cannot be in a bundle", as->halves[i].row->name);
            return false;
        }
    if (a->row->pipe == b->row->pipe) {
        fail_at(as, b->place, "both instructions of the bundle are for the %s pipeline",
                a->row->pipe == TW_ISA_MAIN ? "main" : "aux");
        return false;
    }
    if (a->row->pipe == TW_ISA_AUX) {
        if (!as->optimise)
            tw__asm_report(as, a->place, severity,
                           "the main instruction of a bundle comes first, and '%s' is for the aux pipeline",
                           a->row->name);
        swap_halves(as);
    }
    char name[8];
    if (tw__bundle_clash(&a->insn, &b->insn, name))
        tw__asm_report(as, b->place, severity, "both instructions of the bundle write %s", name);
    return true;
}

void tw__asm_open_bundle(tw__asm *as)
{
    place where = tw__asm_place_at(as, as->top->at, 1);
    if (as->in_bundle) {
        fail_at(as, where, "a bundle is open already");
        tw__asm_report(as, as->bundle_place, TW_NOTE, "it begins here");
    }
    as->in_bundle = true, as->half_count = 0, as->bundle_place = where;
    as->bundle_errors = as->errors;
}

void tw__asm_close_bundle(tw__asm *as)
{
    place where = tw__asm_place_at(as, as->top->at, 1);
    if (!as->in_bundle) {
        fail_at(as, where, "there is no bundle that '}' could close");
        return;
    }
    as->in_bundle = false;
    if (as->errors != as->bundle_errors) return; /* told already */
    if (as->half_count != 2) {
        fail_at(as, as->bundle_place, "a bundle holds two instructions, one for each pipeline, not %u",
                as->half_count);
        return;
    }
    if (check_bundle(as)) tw__asm_emit_parsed(as, as->halves, 2);
}

/* --- words ---------------------------------------------------------------------------------------------------- */

static bool is_fnop(const parsed *insn)
{
    return insn->row == &tw__isa_rows[TW__OP_setzi_a] && insn->insn.operands[0] == 13 && !insn->insn.operands[1] &&
           !insn->waiting;
}

/* Under .allow_optimizations: an fnop beside rpt comes or goes so that the body lies on 8 bytes. */
static unsigned align_body(tw__asm *as, parsed *insns, unsigned count, parsed changed[2])
{
    memcpy(changed, insns, count * sizeof *insns);
    uint32_t body = tw_object_get_section(as->object, (size_t)as->section)->size + 4 * count;
    tw_object_raise_align(as->object, as->section, 8);
    if (body % 8 == 0) return count;
    if (count == 2) return is_fnop(&insns[1]) ? 1 : 2;
    changed[1] = (parsed){ .row = &tw__isa_rows[TW__OP_setzi_a], .place = insns[0].place };
    changed[1].insn = (tw_insn){ .row = TW__OP_setzi_a, .operands = { 13, 0 } };
    return 2;
}

static void add_waiting(tw__asm *as, const parsed *insn, uint32_t offset)
{
    for (size_t k = 0; k < insn->row->count; k++) {
        if (!(insn->waiting & 1u << k)) continue;
        fixup f = { .section = as->section,
                    .offset = offset,
                    .row = insn->row,
                    .operand = (uint8_t)k,
                    .value = insn->values[k],
                    .place = insn->places[k] };
        tw__asm_add_fixup(as, &f);
    }
}

static void add_line(tw__asm *as, const parsed *insn, uint32_t offset)
{
    const char *file = as->loc_file;
    int64_t line = file ? (int64_t)as->loc_line : tw__asm_locate(as, insn->place.frame, insn->place.at, &file);
    if (line <= 0) return;
    tw_object_line added = { as->section, offset, file, (uint32_t)line, as->loc_file ? as->loc_column : 0 };
    tw__asm_ok(as, tw_object_add_place(as->object, &added), insn->place);
}

/* What more than 31 does is documented nowhere (ISA, 9.1; chapter 17): allowed, but told. */
static void check_shift(tw__asm *as, const parsed *insn)
{
    unsigned row = insn->insn.row;
    if (row != TW__OP_shl_z && row != TW__OP_shr_z && row != TW__OP_shrs_z) return;
    if (!(insn->waiting & 4) && insn->insn.operands[2] > 31)
        tw__asm_report(as, insn->places[2], TW_WARNING, "a shift by %u: only 0 to 31 are documented",
                       insn->insn.operands[2]);
}

void tw__asm_emit_parsed(tw__asm *as, parsed *insns, unsigned count)
{
    parsed changed[2];
    if (as->optimise && tw__is_repeat(&insns[0].insn))
        count = align_body(as, insns, count, changed), insns = changed;
    const tw_section *section = tw_object_get_section(as->object, (size_t)as->section);
    uint32_t offset = section->size;
    if (!(section->flags & TW_SECTION_EXEC)) {
        fail_at(as, insns[0].place, "section '%s' does not hold code", section->name);
        return;
    }
    if (offset % 4) {
        fail_at(as, insns[0].place, "an instruction at offset %u, which is no multiple of 4: write .align 4 before",
                offset);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        parsed *insn = &insns[i];
        check_mode(as, insn);
        check_destinations(as, insn);
        check_shift(as, insn);
        insn->insn.bundled = count == 2;
        for (size_t k = 0; k < insn->row->count; k++)
            if (insn->waiting & 1u << k) insn->insn.operands[k] = 0;
        if (!tw__asm_ok(as, tw_object_emit(as->object, as->section, &insn->insn), insn->place)) return;
        if (insn->waiting) add_waiting(as, insn, offset + 4 * i);
    }
    add_line(as, &insns[0], offset);
    if (tw__is_repeat(&insns[0].insn) && !as->allow_repeat) {
        repeat r = {
            .section = as->section, .offset = offset, .body = offset + 4 * count, .place = insns[0].place
        };
        g_array_append_val(as->repeats, r);
    }
}
