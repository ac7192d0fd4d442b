/* SPDX-License-Identifier: MIT */
/* The reference page of the instructions, docs/colossus-instructions.md, from the table. */
#include "poplar/colossus/isa/isa.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static int reference_by_name(const void *a, const void *b)
{
    const tw_isa_row *x = *(const tw_isa_row *const *)a, *y = *(const tw_isa_row *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : x < y ? -1 : x > y; /* as the assembler tries them */
}

/* Text of a table cell: '|' would end it. */
static void put_cell(GString *out, const char *text)
{
    for (; *text; text++) g_string_append(out, *text == '|' ? "\\|" : (char[2]){ *text, 0 });
}

static void put_bits(GString *out, const tw_isa_row *row)
{
    for (int i = 31; i >= 0; i--) {
        uint32_t bit = UINT32_C(1) << i;
        g_string_append_c(out, !(row->mask & bit) ? (i == 31 ? 'c' : '-') : row->match & bit ? '1' : '0');
        if (i % 8 == 0 && i) g_string_append_c(out, ' ');
    }
}

static void put_row(GString *out, const tw_isa_row *row)
{
    static const char *const contexts[] = { "", "W", "S", "W S" };
    char syntax[TW_INSN_TEXT];
    g_string_append(out, "| `");
    put_cell(out, tw_isa_syntax(row, syntax));
    g_string_append(out, "` | ");
    put_cell(out, row->doc);
    g_string_append(out, " | `");
    put_bits(out, row);
    g_string_append_printf(out, "` | %s | %s | %s | %d | ", row->pipe == TW_ISA_MAIN ? "main" : "aux",
                           contexts[row->context],
                           row->archs == TW_ISA_ALL     ? "all"
                           : row->archs == TW_ISA_IPU21 ? "ipu21"
                                                        : "ipu2 ipu21",
                           row->cycles);
    for (int i = 0; i < TW_ISA_ACCESSES && row->accesses[i]; i++)
        g_string_append_printf(out, "%s%c%d", i ? " " : "", row->accesses[i] & TW_ISA_STORE ? 'S' : 'L',
                               row->accesses[i] & 0x7f);
    g_string_append_printf(out, "%s%s |\n", row->flags & TW_ISA_ALONE ? " alone" : "",
                           row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM) ? " not in rpt" : "");
}

static void put_instructions(GString *out)
{
    const tw_isa_row *rows[TW__OP_COUNT];
    for (size_t i = 0; i < TW__OP_COUNT; i++) rows[i] = &tw__isa_rows[i];
    qsort(rows, TW__OP_COUNT, sizeof *rows, reference_by_name);
    g_string_append(out, "| instruction | what it does | bits 31 to 0 | pipe | who | chips | turns | notes |\n"
                         "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < TW__OP_COUNT; i++) put_row(out, rows[i]);
}

static void put_aliases(GString *out)
{
    g_string_append(out, "\n## Other names\n\n| name | stands for |\n|---|---|\n");
    const tw_isa_alias *alias;
    for (size_t i = 0; (alias = tw_isa_alias_get(i)); i++) {
        g_string_append_printf(out, "| `%s` | `%s`", alias->name, alias->row->name);
        for (size_t k = 0; k < alias->row->count; k++) {
            const tw_isa_operand *kind = alias->row->operands[k];
            char text[24];
            int source = alias->sources[k];
            if (source == TW_ISA_FIXED && kind->registers)
                g_string_append_printf(out, "%s %s", k ? "," : "",
                                       tw__isa_register_text(kind, alias->constants[k], text));
            else if (source == TW_ISA_FIXED)
                g_string_append_printf(out, "%s %u", k ? "," : "", alias->constants[k]);
            else
                g_string_append_printf(out, "%s %soperand %d", k ? "," : "", source < 0 ? "minus " : "",
                                       (source < 0 ? ~source : source) + 1);
        }
        g_string_append(out, " |\n");
    }
}

static void put_registers(GString *out)
{
    static const char *const contexts[] = { "", "W", "S", "W S" };
    g_string_append(out, "\n## Control and status registers\n\n| name | index | who | chips | written | fields |\n"
                         "|---|---|---|---|---|---|\n");
    const tw_isa_csr *csr;
    for (size_t i = 0; (csr = tw_isa_csr_get(i)); i++)
        g_string_append_printf(out, "| `$%s` | 0x%03x | %s | %s | %s | %s |\n", csr->name, csr->index,
                               contexts[csr->context], csr->archs == TW_ISA_ALL ? "all" : "ipu21",
                               csr->writable ? "yes" : "no", csr->doc);
}

char *tw_isa_reference(void)
{
    GString *out = g_string_new(
        "# Instructions of the Colossus tile\n\n"
        "Made from the table in `src/poplar/colossus/isa` by `tilewright info insn --markdown`; a test compares. "
        "[colossus.md](colossus.md) explains the language.\n\n"
        "In the bits, `c` is the bundle bit and `-` a field. D is written, S read, X both. Who: W workers, S the "
        "supervisor. Turns: of the worker until its next instruction. Notes: L8 loads 8 bytes, S4 stores 4; "
        "*alone* "
        "is never half of a bundle; *not in rpt* cannot be in a repeat body. Where a mnemonic has several rows, "
        "the "
        "first whose operands fit is taken.\n\n");
    put_instructions(out);
    put_aliases(out);
    put_registers(out);
    char *text = tw__realloc(NULL, out->len + 1);
    if (text) memcpy(text, out->str, out->len + 1);
    g_string_free(out, TRUE);
    return text;
}
