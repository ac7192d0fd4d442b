/* SPDX-License-Identifier: MIT */
/* Instructions as text: disassembly that assembles to the same word, syntax lines for documentation, ranges for
 * messages. */
#include "poplar/colossus/isa/isa.h"

#include <glib.h>
#include <string.h>

/* --- operands ------------------------------------------------------------------------------------------------- */

/* Names of the registers that the hardware gives a meaning; $lr, $sp and the like are ordinary registers. */
static const char *special_name(const tw_isa_operand *kind, unsigned number)
{
    bool arf = kind->file == TW_ISA_ARF;
    if (kind->registers == 2) return arf && number == 14 ? "azeros" : NULL;
    if (kind->registers != 1) return NULL;
    if (number == 15) return arf ? "azero" : "mzero";
    if (arf) return NULL;
    return number == 12 ? "mworker_base" : number == 13 ? "mvertex_base" : NULL;
}

char *tw__isa_register_text(const tw_isa_operand *kind, unsigned number, char buf[24])
{
    const char *name = special_name(kind, number);
    if (name)
        g_snprintf(buf, 24, "$%s%s", name, kind->suffix);
    else if (kind->registers > 1)
        g_snprintf(buf, 24, "$%c%u:%u%s", kind->file == TW_ISA_ARF ? 'a' : 'm', number & 15u,
                   (number & 15u) + kind->registers - 1, kind->suffix);
    else
        g_snprintf(buf, 24, "$%c%u%s", kind->file == TW_ISA_ARF ? 'a' : 'm', number & 15u, kind->suffix);
    return buf;
}

char *tw__isa_range_text(const tw_isa_operand *kind, char buf[64])
{
    long long top = 1LL << kind->bits;
    if (kind->is_signed)
        g_snprintf(buf, 64, "%lld to %lld", -top / 2, top / 2 - 1);
    else if (kind->shift)
        g_snprintf(buf, 64, "multiples of 0x%x up to 0x%llx", 1u << kind->shift, (top - 1) << kind->shift);
    else
        g_snprintf(buf, 64, "0 to %lld", top - 1);
    return buf;
}

static void put_csr(GString *out, const tw_isa_operand *kind, uint32_t index)
{
    const tw_isa_csr *csr = tw_isa_csr_at(TW_ISA_WORKER, index + (kind->file == TW_ISA_UCSR ? 256 : 0));
    if (!csr && kind->file == TW_ISA_CSR) csr = tw_isa_csr_at(TW_ISA_SUPERVISOR, index);
    if (csr)
        g_string_append_printf(out, "$%s", csr->name);
    else
        g_string_append_printf(out, "%u", index);
}

static void put_operand(GString *out, const tw_isa_operand *kind, uint32_t value)
{
    char buf[24];
    switch (kind->file) {
    case TW_ISA_MRF:
    case TW_ISA_ARF: g_string_append(out, tw__isa_register_text(kind, value, buf)); break;
    case TW_ISA_CSR:
    case TW_ISA_UCSR: put_csr(out, kind, value); break;
    case TW_ISA_CODE:
        g_string_append_printf(out, "0x%x", value >> kind->shift);
        break; /* bare numbers count words */
    case TW_ISA_CONST:
        if (kind->is_signed)
            g_string_append_printf(out, "%d", (int32_t)value);
        else
            g_string_append_printf(out, value < 4096 ? "%u" : "0x%x", value);
        break;
    }
}

/* --- names ---------------------------------------------------------------------------------------------------- */

/* Would the assembler take `other` for these operands? Both are rows of one mnemonic. */
static bool also_fits(const tw_isa_row *other, const tw_isa_row *row, const tw_insn *insn)
{
    if (other->count != row->count) return false;
    for (size_t k = 0; k < row->count; k++) {
        const tw_isa_operand *a = other->operands[k], *b = row->operands[k];
        uint32_t ignored, value = insn->operands[k];
        if (a->file != b->file || a->registers != b->registers || strcmp(a->suffix, b->suffix) != 0) return false;
        if (a->file == TW_ISA_CONST &&
            !tw__isa_constant_fits(a, b->is_signed ? (int64_t)(int32_t)value : (int64_t)value, &ignored))
            return false;
    }
    return true;
}

/* Is the alias this row with nothing but another name? */
static bool renames(const tw_isa_alias *alias, const tw_isa_row *row)
{
    bool same = alias->row == row && alias->count == row->count;
    for (int k = 0; k < row->count && same; k++) same = alias->sources[k] == k;
    return same;
}

static const char *forced_name(const tw_isa_row *row, const tw_insn *insn)
{
    bool hidden = false;
    for (const tw_isa_row *other = NULL; (other = tw_isa_find(row->name, other)) && other < row;)
        hidden = hidden || also_fits(other, row, insn);
    const tw_isa_alias *alias;
    for (size_t i = 0; hidden && (alias = tw_isa_alias_get(i)); i++)
        if (renames(alias, row)) return alias->name;
    return row->name;
}

static const tw_isa_alias *shown_alias(const tw_isa_row *row, const tw_insn *insn, int replaced)
{
    const tw_isa_alias *alias;
    for (size_t i = 0; (alias = tw_isa_alias_get(i)); i++) {
        bool same = alias->shown && alias->row == row;
        for (size_t k = 0; k < row->count && same; k++)
            same = alias->sources[k] != TW_ISA_FIXED ||
                   ((int)k != replaced && alias->constants[k] == insn->operands[k]);
        if (same) return alias;
    }
    return NULL;
}

char *tw__isa_format(const tw_insn *insn, int replaced, const char *text, char buf[TW_INSN_TEXT])
{
    const tw_isa_row *row = tw_isa_get(insn->row);
    if (!row) {
        g_strlcpy(buf, "?", TW_INSN_TEXT);
        return buf;
    }
    const tw_isa_alias *alias = shown_alias(row, insn, replaced);
    g_autoptr(GString) out = g_string_new(alias ? alias->name : replaced >= 0 ? row->name : forced_name(row, insn));
    const char *before = " ";
    for (size_t k = 0; k < row->count; k++) {
        if (alias && alias->sources[k] == TW_ISA_FIXED) continue;
        g_string_append(out, before);
        if ((int)k == replaced)
            g_string_append(out, text);
        else
            put_operand(out, row->operands[k], insn->operands[k]);
        before = ", ";
    }
    g_strlcpy(buf, out->str, TW_INSN_TEXT);
    return buf;
}

char *tw_insn_format(const tw_insn *insn, char buf[TW_INSN_TEXT])
{
    return tw__isa_format(insn, -1, NULL, buf);
}

char *tw_isa_syntax(const tw_isa_row *row, char buf[TW_INSN_TEXT])
{
    g_autoptr(GString) out = g_string_new(row->name);
    for (size_t k = 0; k < row->count; k++)
        g_string_append_printf(out, "%s%s%s", k ? ", " : " ", row->operands[k]->label, row->operands[k]->suffix);
    g_strlcpy(buf, out->str, TW_INSN_TEXT);
    return buf;
}
