/* SPDX-License-Identifier: MIT */
/* `tilewright info insn`: instructions of the Colossus tiles, from the table that assembler and simulator read. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/isa.h>

static const char *const pipes[] = { "main", "aux" };
static const char *const contexts[] = { "", "worker", "supervisor", "worker and supervisor" };

static void chips_text(unsigned archs, char buf[32])
{
    static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    buf[0] = 0;
    for (int i = 0; i < 3; i++)
        if (archs & chips[i]) strcat(strcat(buf, *buf ? " " : ""), tw_isa_arch_name(chips[i]));
}

/* "c0100010------------------------": bit 31 first, c the bundle bit, - a field. */
static void bits_text(const tw_isa_row *row, char buf[33])
{
    for (int i = 0; i < 32; i++) {
        uint32_t bit = UINT32_C(1) << (31 - i);
        buf[i] = i == 0 && !(row->mask & bit) ? 'c' : !(row->mask & bit) ? '-' : row->match & bit ? '1' : '0';
    }
    buf[32] = 0;
}

static void print_row(const tw_isa_row *row)
{
    char syntax[TW_INSN_TEXT], bits[33], chips[32];
    bits_text(row, bits);
    chips_text(row->archs, chips);
    printf("\n%s\n", tw_isa_syntax(row, syntax));
    printf("  %s\n", row->doc);
    printf("  encoding  %s\n", bits);
    printf("  runs on   %s pipeline, %s; %s\n", pipes[row->pipe], contexts[row->context], chips);
    printf("  cycles    %d turn%s of the worker\n", row->cycles, row->cycles == 1 ? "" : "s");
    if (row->accesses[0]) printf("  memory   ");
    for (int i = 0; i < TW_ISA_ACCESSES && row->accesses[i]; i++)
        printf(" %s %d bytes%s", row->accesses[i] & TW_ISA_STORE ? "stores" : "loads", row->accesses[i] & 0x7f,
               i + 1 < TW_ISA_ACCESSES && row->accesses[i + 1] ? "," : "\n");
    if (row->flags & TW_ISA_ALONE) puts("  never half of a bundle");
    if (row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM)) puts("  not in the body of rpt");
}

static json_t *row_json(const tw_isa_row *row)
{
    char syntax[TW_INSN_TEXT], bits[33], chips[32];
    bits_text(row, bits);
    chips_text(row->archs, chips);
    json_t *accesses = json_array();
    for (int i = 0; i < TW_ISA_ACCESSES && row->accesses[i]; i++)
        json_array_append_new(accesses, json_pack("{s:b, s:i}", "store", row->accesses[i] & TW_ISA_STORE, "bytes",
                                                  row->accesses[i] & 0x7f));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:b, s:b, s:o}", "id", row->id, "name",
                     row->name, "syntax", tw_isa_syntax(row, syntax), "text", row->doc, "encoding", bits,
                     "pipeline", pipes[row->pipe], "context", contexts[row->context], "chips", chips, "cycles",
                     (int)row->cycles, "bundles", !(row->flags & TW_ISA_ALONE), "control",
                     row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM), "accesses", accesses);
}

static void print_names(void)
{
    int column = 0;
    for (size_t i = 0; i < tw_isa_count(); i++) {
        const tw_isa_row *row = tw_isa_get(i);
        if (tw_isa_find(row->name, NULL) != row) continue;
        printf("%-18s%s", row->name, ++column % 6 ? "" : "\n");
    }
    if (column % 6) putchar('\n');
}

int tw__cli_print_insn(const char *name, bool json)
{
    json_t *list = json ? json_array() : NULL;
    for (size_t i = 0; json && !name && i < tw_isa_count(); i++)
        json_array_append_new(list, row_json(tw_isa_get(i)));
    if (!name) {
        if (json) return tw__cli_print_json(list);
        print_names();
        return TW__EXIT_OK;
    }
    bool found = false;
    for (const tw_isa_row *row = NULL; (row = tw_isa_find(name, row)); found = true) {
        if (json)
            json_array_append_new(list, row_json(row));
        else
            print_row(row);
    }
    const tw_isa_alias *alias;
    for (size_t i = 0; (alias = tw_isa_alias_get(i)); i++) {
        char syntax[TW_INSN_TEXT];
        if (strcmp(alias->name, name) != 0) continue;
        found = true;
        if (json)
            json_array_append_new(list, row_json(alias->row));
        else
            printf("\n%s\n  another name: %s\n", alias->name, tw_isa_syntax(alias->row, syntax));
    }
    if (found) return json ? tw__cli_print_json(list) : TW__EXIT_OK;
    json_decref(list);
    const char *names[1024];
    size_t count = 0;
    for (size_t i = 0; i < tw_isa_count() && count < 1024; i++) names[count++] = tw_isa_get(i)->name;
    return tw__cli_unknown("info", "there is no instruction", name, names, count);
}

int tw__cli_print_insn_page(void)
{
    char *page = tw_isa_reference();
    if (page) fputs(page, stdout);
    free(page);
    return page ? TW__EXIT_OK : TW__EXIT_FAILURE;
}
