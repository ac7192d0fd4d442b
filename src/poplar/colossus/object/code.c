/* SPDX-License-Identifier: MIT */
/* Code as an object holds it: what two instructions may do together, which field an address goes into, bodies of
 * rpt (guide 7.5.2). The assembler asks the same. */
#include "poplar/colossus/object/object.h"
#include "poplar/colossus/isa/isa.h"

#include <stdio.h>
#include <string.h>

#define WRONG(...) tw__fail(TW_E_INVALID_ARGUMENT, __VA_ARGS__)

/* --- registers that are written --------------------------------------------------------------------------------- */

typedef struct written {
    uint32_t mrf, arf;
} written;

static written registers_written(const tw_insn *insn)
{
    const tw_isa_row *row = tw_isa_get(insn->row);
    written w = { 0, 0 };
    for (size_t k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        if (!kind->writes || !kind->registers) continue;
        uint32_t mask = ((1u << kind->registers) - 1) << insn->operands[k];
        if (strcmp(kind->name, "A4u") == 0) mask &= mask - 1; /* the lowest register stays */
        if (kind->file == TW_ISA_MRF)
            w.mrf |= mask;
        else
            w.arf |= mask;
    }
    return w;
}

bool tw__bundle_clash(const tw_insn *first, const tw_insn *second, char name[8])
{
    written a = registers_written(first), b = registers_written(second), both = { a.mrf & b.mrf, a.arf & b.arf };
    uint32_t mask = both.mrf ? both.mrf : both.arf;
    if (mask) snprintf(name, 8, "$%c%d", both.mrf ? 'm' : 'a', __builtin_ctz(mask));
    return mask;
}

bool tw__destinations_clash(const tw_insn *insn, size_t *first, size_t *second)
{
    const tw_isa_row *row = tw_isa_get(insn->row);
    for (size_t k = 1; k < row->count; k++) {
        const tw_isa_operand *a = row->operands[k];
        for (size_t j = 0; j < k; j++) {
            const tw_isa_operand *b = row->operands[j];
            uint32_t x = insn->operands[k], y = insn->operands[j];
            if (!a->registers || !b->registers || a->file != b->file || !a->writes || !b->writes) continue;
            if (x >= y + b->registers || y >= x + a->registers) continue;
            *first = j, *second = k;
            return true;
        }
    }
    return false;
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

static tw_status check_code_place(const tw_object *object, int section)
{
    tw_status status = tw__check_index(object, section);
    if (status != TW_OK) return status;
    const tw_section *s = &object->sections[section].public;
    if (!(s->flags & TW_SECTION_EXEC) || s->flags & TW_SECTION_EMPTY)
        return WRONG("section '%s' does not hold code", s->name);
    if (s->size % 4)
        return WRONG("an instruction at offset %u of '%s', which is no multiple of 4", s->size, s->name);
    return TW_OK;
}

static tw_status check_half(const tw_insn *insn, tw_isa_pipe pipe)
{
    const tw_isa_row *row = insn ? tw_isa_get(insn->row) : NULL;
    size_t j, k;
    if (!insn) return WRONG("a bundle holds two instructions, one for each pipeline");
    if (!row) return tw__fail(TW_E_INDEX, "there is no instruction of row %u", insn->row);
    if (row->flags & (TW_ISA_ALONE | TW_ISA_TWO_WORDS)) return WRONG("'%s' cannot be in a bundle", row->name);
    if (row->pipe != pipe)
        return WRONG(
            "'%s' is for the %s pipeline: a bundle holds an instruction for the main one, then one for the "
            "aux one",
            row->name, row->pipe == TW_ISA_MAIN ? "main" : "aux");
    if (tw__destinations_clash(insn, &j, &k))
        return WRONG("operands %zu and %zu of '%s' write the same register", j + 1, k + 1, row->name);
    return TW_OK;
}

tw_status tw_object_emit_bundle(tw_object *object, int section, const tw_insn *main, const tw_insn *aux)
{
    char name[8];
    uint64_t words[2];
    tw_status status = check_code_place(object, section);
    if (status == TW_OK) status = check_half(main, TW_ISA_MAIN);
    if (status == TW_OK) status = check_half(aux, TW_ISA_AUX);
    if (status != TW_OK) return status;
    tw_insn halves[2] = { *main, *aux };
    for (int i = 0; i < 2; i++) {
        halves[i].bundled = true;
        status = tw_insn_encode(object->arch, &halves[i], &words[i]);
        if (status != TW_OK) return status;
    }
    if (tw__bundle_clash(main, aux, name)) return WRONG("both instructions of the bundle write %s", name);
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    return tw_object_append(object, section, bytes, sizeof bytes);
}

/* --- addresses in operands -------------------------------------------------------------------------------------- */

unsigned tw__relocation_of_operand(const tw_isa_operand *kind)
{
    static const struct {
        const char *kind;
        uint8_t type;
    } types[] = { { "Tgt19", TW_R_COLOSSUS_19_S2 }, { "Tgt20", TW_R_COLOSSUS_19_S2 },
                  { "Adr18", TW_R_COLOSSUS_18_S2 }, { "Z20", TW_R_COLOSSUS_20 },
                  { "Zvert", TW_R_COLOSSUS_RUN },   { "Z16", TW_R_COLOSSUS_16 },
                  { "Z8", TW_R_COLOSSUS_8 } };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].kind, kind->name) == 0) return types[i].type;
    return 0;
}

static uint32_t code_word(const tw_section *section, uint32_t offset)
{
    const uint8_t *p = section->data + offset;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The instruction at an offset that has all its bytes. */
static bool insn_at(const tw_object *object, const tw_section *s, uint32_t offset, tw_insn *insn)
{
    uint64_t word = code_word(s, offset);
    if (s->size - offset >= 8) word |= (uint64_t)code_word(s, offset + 4) << 32;
    return tw_insn_decode(object->arch, word, insn) &&
           (!(tw_isa_get(insn->row)->flags & TW_ISA_TWO_WORDS) || s->size - offset >= 8);
}

tw_status tw_object_relocate_operand(tw_object *object, int section, uint32_t offset, unsigned operand, int symbol,
                                     int32_t addend)
{
    tw_insn insn;
    tw_status status = tw__check_index(object, section);
    if (status != TW_OK) return status;
    const tw_section *s = &object->sections[section].public;
    if (!(s->flags & TW_SECTION_EXEC) || s->flags & TW_SECTION_EMPTY)
        return WRONG("section '%s' does not hold code", s->name);
    if (offset % 4 || offset >= s->size || s->size - offset < 4)
        return tw__fail(TW_E_INDEX, "section '%s' has no instruction at 0x%x", s->name, offset);
    if (!insn_at(object, s, offset, &insn))
        return WRONG("what section '%s' has at 0x%x is no instruction", s->name, offset);
    const tw_isa_row *row = tw_isa_get(insn.row);
    if (operand >= row->count)
        return tw__fail(TW_E_INDEX, "'%s' has %u operands, and none of index %u", row->name, row->count, operand);
    unsigned type = tw__relocation_of_operand(row->operands[operand]);
    if (!type) return WRONG("operand %u of '%s' cannot be an address", operand + 1, row->name);
    return tw_object_relocate(object, section, offset, (tw_relocation_type)type, symbol, addend);
}

/* --- bodies of rpt ---------------------------------------------------------------------------------------------- */

bool tw__is_repeat(const tw_insn *insn)
{
    return insn->row == TW__OP_rpt_m || insn->row == TW__OP_rpt_z;
}

static tw_status check_body_bundle(const tw_object *object, const tw_section *s, uint32_t at, unsigned index)
{
    uint32_t first = code_word(s, at), second = code_word(s, at + 4);
    tw_insn insns[2];
    bool bundle = first >> 31 && second >> 31 && tw_insn_decode(object->arch, first, &insns[0]) &&
                  tw_insn_decode(object->arch, second, &insns[1]) && insns[0].bundled && insns[1].bundled;
    if (!bundle) return WRONG("the body of rpt has to consist of bundles, and number %u of it is none", index + 1);
    for (int i = 0; i < 2; i++) {
        const tw_isa_row *row = tw_isa_get(insns[i].row);
        if (row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM))
            return WRONG("'%s' cannot be in the body of rpt", row->name);
    }
    return TW_OK;
}

tw_status tw__check_repeat(const tw_object *object, int section, uint32_t offset, uint32_t body, uint32_t *fault)
{
    const tw_section *s = &object->sections[section].public;
    uint32_t bundles = (code_word(s, offset) & 0xff) + 1;
    *fault = UINT32_MAX;
    if (body % 8)
        return WRONG(
            "the body of rpt has to lie on 8 bytes, and it is at offset 0x%x: pair rpt with an fnop, or move "
            "it by a nop",
            body);
    if (s->align < 8) return WRONG("the body of rpt has to lie on 8 bytes: section '%s' needs .align 8", s->name);
    if (body > s->size || bundles * 8 > s->size - body)
        return WRONG("the body of rpt, %u bundle%s, is longer than what is left of section '%s'", bundles,
                     bundles == 1 ? "" : "s", s->name);
    for (unsigned i = 0; i < bundles; i++) {
        tw_status status = check_body_bundle(object, s, body + 8 * i, i);
        if (status == TW_OK) continue;
        *fault = body + 8 * i;
        return status;
    }
    return TW_OK;
}

tw_status tw_object_check_repeats(const tw_object *object, int section)
{
    tw_status status = tw__check_index(object, section);
    if (status != TW_OK) return status;
    const tw_section *s = &object->sections[section].public;
    if (!(s->flags & TW_SECTION_EXEC) || s->flags & TW_SECTION_EMPTY)
        return WRONG("section '%s' does not hold code", s->name);
    for (uint32_t at = 0; at + 4 <= s->size && status == TW_OK;) {
        tw_insn insn;
        uint32_t fault;
        bool known = insn_at(object, s, at, &insn);
        unsigned bytes = known && (insn.bundled || tw_isa_get(insn.row)->flags & TW_ISA_TWO_WORDS) ? 8 : 4;
        if (known && tw__is_repeat(&insn)) status = tw__check_repeat(object, section, at, at + bytes, &fault);
        at += bytes;
    }
    return status;
}
