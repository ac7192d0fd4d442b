/* SPDX-License-Identifier: MIT */
/* describe_text: how a row of the instruction table is written in text. Most are operations in the DPS form, made
 * from the row; what
 * cores and devices do has operations of its own. */
#include "pto/pto.h"

#include <glib.h>

#define TILE  "!pto.tile_buf<...>"
#define CONV  "!pto.conv_tile<...>"
#define SLOT  "!pto.tensor_view<...>"
#define VIEW  "!pto.partition_tensor_view<...>"
#define RANKS VIEW ", " VIEW

/* Rows whose text is not made from their form. */
static const struct special {
    const char *row, *text;
} specials[] = {
    // clang-format off
    { "TCI_TMP", "C and C++ only: tci has no tmp in text" },
    { "TPUSH", "pto.tpush_to_aiv(%src0 : " TILE ") {split = 0}" },
    { "TPUSH", "pto.tpush_to_aic(%src0 : " TILE ") {split = 0}" },
    { "TPUSH_QUANT", "pto.tpush_to_aiv(%src0, %integer : " TILE ", i64) {split = 0}" },
    { "TPUSH_FP", "pto.tpush_to_aiv(%src0, %src3 : " TILE ", " TILE ") {split = 0}" },
    { "TPUSH_SLOT", "pto.tpush_to_aiv(%tensor : " SLOT ") {split = 0}" },
    { "TPUSH_SLOT", "pto.tpush_to_aic(%tensor : " SLOT ") {split = 0}" },
    { "TALLOC", "%tensor = pto.talloc_to_aiv {split = 0} -> " SLOT },
    { "TALLOC", "%tensor = pto.talloc_to_aic {split = 0} -> " SLOT },
    { "TPOP", "%dst = pto.tpop_from_aic {split = 0} -> " TILE },
    { "TPOP", "%dst = pto.tpop_from_aiv {split = 0} -> " TILE },
    { "TPOP_SLOT", "%tensor = pto.tpop_from_aic {split = 0} -> " SLOT },
    { "TPOP_SLOT", "%tensor = pto.tpop_from_aiv {split = 0} -> " SLOT },
    { "TFREE", "pto.tfree_from_aic {split = 0}" },
    { "TFREE", "pto.tfree_from_aiv {split = 0}" },
    { "TFREE_SLOT", "pto.tfree_from_aic(%tensor : " SLOT ") {split = 0}" },
    { "TFREE_SLOT", "pto.tfree_from_aiv(%tensor : " SLOT ") {split = 0}" },
    { "SYNCALL", "pto.syncall {cores = mix}" },
    { "SYNCALL_SOFT", "pto.syncall %tensor {cores = mix}" },
    { "TTEST", "%all = pto.ttest ins(%tensor, %integer : " VIEW ", i32) {cmpMode = eq} -> i1" },
    { "TBROADCAST", "pto.tbroadcast ins(%tensor, %tmp : " VIEW ", " TILE ") outs(%rank0, %rank1 : " RANKS ") {root = 0}" },
    { "TBROADCAST2", "pto.tbroadcast ins(%tensor, %tmp, %tmp2 : " VIEW ", " TILE ", " TILE ") outs(%rank0, %rank1 : " RANKS ") {root = 0}" },
    { "COMM_TGATHER", "pto.comm.tgather ins(%rank0, %rank1, %tmp : " RANKS ", " TILE ") outs(%tensor : " VIEW ") {root = 0}" },
    { "COMM_TGATHER2", "pto.comm.tgather ins(%rank0, %rank1, %tmp, %tmp2 : " RANKS ", " TILE ", " TILE ") outs(%tensor : " VIEW ") {root = 0}" },
    { "COMM_TSCATTER", "pto.comm.tscatter ins(%tensor, %tmp : " VIEW ", " TILE ") outs(%rank0, %rank1 : " RANKS ") {root = 0}" },
    { "COMM_TSCATTER2", "pto.comm.tscatter ins(%tensor, %tmp, %tmp2 : " VIEW ", " TILE ", " TILE ") outs(%rank0, %rank1 : " RANKS ") {root = 0}" },
    { "TREDUCE", "pto.treduce ins(%rank0, %rank1, %tmp, %tmp2 : " RANKS ", " TILE ", " TILE ") outs(%tensor : " VIEW ") {reduceOp = sum, root = 0}" },
    // clang-format on
};

/* Integers of a family that are not i32: corners of windows, scales in the low half of 64 bits. */
static const struct integers {
    const char *family, *letters, *type;
} integers[] = {
    { "extract", "ij", "index" },       { "extract2", "ijkl", "index" },   { "insert", "ij", "index" },
    { "extract_quant", "ij", "index" }, { "insert_quant", "ij", "index" }, { "img2col", "ij", "index" },
    { "extract_quant", "k", "i64" },    { "insert_quant", "k", "i64" },    { "store_quant", "i", "i64" },
    { "move_quant", "i", "i64" },       { "set_quant", "i", "i64" },
};

static const char *describe_text_type_of(const tw__pto_row *row, char letter)
{
    bool maps = row->rules & TW__CONV && (!strpbrk(row->form, "dG") || strcmp(row->family, "img2col") == 0);
    if (letter == 'e' && strcmp(row->mnemonic, "tmrgsort") == 0) return "vector<4xi16>";
    if (letter == 'a' && maps) return CONV;
    if (tw__is_tile_letter(letter)) return TILE;
    if (tw__is_tensor_letter(letter)) return VIEW;
    if (letter == 's')
        return strcmp(row->name, "TADDDEQRELU") == 0 || strcmp(row->name, "TLRELU") == 0 ? "f32" : "dtype";
    for (size_t i = 0; i < G_N_ELEMENTS(integers); i++)
        if (strcmp(row->family, integers[i].family) == 0 && strchr(integers[i].letters, letter))
            return integers[i].type;
    return "i32";
}

/* "%dst", "%integer2": the letter's name up to its first blank, with a number when the list has had one like it. */
static void append_value(GString *s, const char *letters, size_t at)
{
    const char *name = tw__pto_letter_name(letters[at]);
    int n = (int)strcspn(name, " "), before = 0;
    for (size_t i = 0; i < at; i++) {
        const char *other = tw__pto_letter_name(letters[i]);
        before += (int)strcspn(other, " ") == n && strncmp(other, name, (size_t)n) == 0;
    }
    g_string_append_printf(s, "%s%%%.*s", at ? ", " : "", n, name);
    if (before) g_string_append_printf(s, "%d", before + 1);
}

static void append_list(GString *s, const char *word, const tw__pto_row *row, const char *letters,
                        const char *attrs)
{
    g_string_append_printf(s, "%s(", word);
    for (size_t i = 0; letters[i]; i++) append_value(s, letters, i);
    g_string_append_printf(s, "%s : ", attrs);
    for (size_t i = 0; letters[i]; i++)
        g_string_append_printf(s, "%s%s", i ? ", " : "", describe_text_type_of(row, letters[i]));
    g_string_append_c(s, ')');
}

/* " {cmpMode = eq}", each attribute with its first value. */
static char *attributes(const tw__pto_row *row)
{
    GString *s = g_string_new("");
    for (unsigned i = 0; i < tw__pto_attr_count(); i++) {
        const char *names = tw__pto_attr_names(i), *values = tw__pto_attr_values(i);
        if (!(row->attrs >> i & 1)) continue;
        g_string_append_printf(s, "%s%.*s = %.*s", s->len ? ", " : " {", (int)strcspn(names, "|"), names,
                               *values ? (int)strcspn(values, "|") : 1, *values ? values : "0");
    }
    if (s->len) g_string_append_c(s, '}');
    return g_string_free(s, FALSE);
}

static void print_made(FILE *out, const tw__pto_row *row)
{
    char outs[TW_PTO_OPERANDS + 1] = "", rest[TW_PTO_OPERANDS + 1] = "";
    for (const char *c = row->form; *c; c++) strncat(tw__is_dst_letter(*c) || *c == 'G' ? outs : rest, c, 1);
    GString *s = g_string_new("");
    char *attrs = attributes(row);
    g_string_append_printf(s, "pto.%s ", row->mnemonic);
    append_list(s, "ins", row, *row->ins ? row->ins : rest, attrs);
    if (*outs) append_list(s, " outs", row, outs, "");
    fprintf(out, "  text       %s\n", s->str);
    g_free(attrs);
    g_string_free(s, TRUE);
}

void tw__pto_print_text_forms(FILE *out, const tw__pto_row *row)
{
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(specials); i++) {
        if (strcmp(specials[i].row, row->name) != 0) continue;
        fprintf(out, "  text       %s\n", specials[i].text);
        found = true;
    }
    if (!found) print_made(out, row);
}
