/* SPDX-License-Identifier: MIT */
/* Operands as they are written: registers with what follows them, names of control registers, expressions. */
#include "poplar/colossus/asm/asm.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    tw_isa_file file;
    uint8_t number, count;
} names[] = { { "mzero", TW_ISA_MRF, 15, 1 },
              { "azero", TW_ISA_ARF, 15, 1 },
              { "azeros", TW_ISA_ARF, 14, 2 },
              { "mvertex_base", TW_ISA_MRF, 13, 1 },
              { "mworker_base", TW_ISA_MRF, 12, 1 },
              { "sp", TW_ISA_MRF, 11, 1 },
              { "lr", TW_ISA_MRF, 10, 1 },
              { "fp", TW_ISA_MRF, 9, 1 },
              { "bp", TW_ISA_MRF, 8, 1 } };

static bool operand_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* One or two digits of a register's number; -1 when it is none. */
static int register_number(const char *p, size_t n)
{
    if (n == 0 || n > 2 || !isdigit((unsigned char)p[0]) || (n == 2 && !isdigit((unsigned char)p[1]))) return -1;
    int number = n == 2 ? (p[0] - '0') * 10 + (p[1] - '0') : p[0] - '0';
    return number < 16 && (n == 1 || p[0] != '0') ? number : -1;
}

/* $m3, $sp: file, number and count; false when the name is no register. */
static bool operand_find_register(const char *at, size_t n, operand *out)
{
    int number = n > 1 && (*at == 'm' || *at == 'a') ? register_number(at + 1, n - 1) : -1;
    if (number >= 0) {
        out->file = *at == 'm' ? TW_ISA_MRF : TW_ISA_ARF;
        out->number = (uint8_t)number, out->count = 1;
        return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strlen(names[i].name) == n && strncmp(names[i].name, at, n) == 0) {
            out->file = names[i].file, out->number = names[i].number, out->count = names[i].count;
            return true;
        }
    return false;
}

bool tw__asm_is_register(const char *name)
{
    operand ignored;
    return operand_find_register(name, strlen(name), &ignored);
}

/* ":1" of a pair, ":3" of a quad, ":B", ":BL", ":BU". */
static bool read_colon(tw__asm *as, const char *start, operand *out)
{
    const char *p = as->top->at + 1;
    size_t n = 0;
    while (*p == ' ' || *p == '\t') p++; /* "$a0: 1" */
    while (operand_is_word(p[n])) n++;
    as->top->at = p + n;
    place where = tw__asm_place_at(as, start, (size_t)(p + n - start));
    static const struct {
        const char *name;
        register_suffix suffix;
    } parts[] = { { "B", S_B }, { "BL", S_BL }, { "BU", S_BU } };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strlen(parts[i].name) == n && g_ascii_strncasecmp(parts[i].name, p, n) == 0) {
            out->suffix = parts[i].suffix;
            return true;
        }
    int last = register_number(p, n), count = last - out->number + 1;
    if (last < 0) {
        fail_at(as, where, "expected the last register of a pair or quad, or B, BL, BU behind ':'");
        return false;
    }
    if (count != 2 && count != 4) {
        fail_at(as, where, "'%.*s' is neither a pair nor a quad of registers", where.length, start);
        return false;
    }
    if (out->number % count && !as->allow_operands) {
        fail_at(as, where, "a %s has to start at %s, not '%.*s'", count == 2 ? "pair" : "quad",
                count == 2 ? "an even register" : "a register divisible by four", where.length, start);
        tw__asm_report(as, where, TW_NOTE, count == 2 ? "such as $a2:3 or $a4:5" : "$a0:3 or $a4:7");
        return false;
    }
    out->count = (uint8_t)count;
    return true;
}

static void read_suffix(tw__asm *as, operand *out)
{
    static const struct {
        const char *text;
        register_suffix suffix;
    } suffixes[] = { { "+=", S_INC }, { "++", S_PP }, { "@", S_AT }, { ">>", S_SHR } };
    const char *p = as->top->at;
    while (*p == ' ' || *p == '\t') p++;
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
        if (strncmp(p, suffixes[i].text, strlen(suffixes[i].text)) == 0) {
            as->top->at = p + strlen(suffixes[i].text);
            out->suffix = suffixes[i].suffix;
            return;
        }
}

/* The control register whose name is most like this one; NULL when none is. */
static const char *nearest_csr(const char *name)
{
    const tw_isa_csr *row;
    g_autoptr(GPtrArray) names_of_csrs = g_ptr_array_new();
    g_autofree char *upper = g_ascii_strup(name, -1);
    for (size_t i = 0; (row = tw_isa_csr_get(i)); i++) g_ptr_array_add(names_of_csrs, (char *)row->name);
    return tw__nearest(upper, (const char *const *)names_of_csrs->pdata, names_of_csrs->len);
}

static bool read_csr(tw__asm *as, const char *start, const char *at, size_t n, operand *out)
{
    char name[64];
    place where = tw__asm_place_at(as, start, (size_t)(as->top->at - start));
    g_strlcpy(name, at, MIN(n + 1, sizeof name));
    out->csr = tw_isa_csr_by_name(name);
    if (!out->csr) {
        char hint[TW__HINT_BYTES];
        fail_at(as, where, "there is no register '$%s'%s", name, tw__did_you_mean(hint, nearest_csr(name)));
        return false;
    }
    if (!(out->csr->archs & as->arch)) {
        fail_at(as, where, "%s has no control register '$%s'", tw_isa_arch_name(as->arch), name);
        return false;
    }
    if (as->mode && !(out->csr->context & as->mode) && !as->allow_mode) {
        fail_at(as, where, "'$%s' belongs to the %s, and this is code of the %s", name,
                as->mode == TW_ISA_WORKER ? "supervisor" : "workers",
                as->mode == TW_ISA_WORKER ? "workers" : "supervisor");
        return false;
    }
    out->kind = O_CSR, out->value = tw__asm_constant(out->csr->index);
    return true;
}

static bool read_register(tw__asm *as, const char *start, operand *out)
{
    const char *p = start + 1;
    while (*p == ' ' || *p == '\t') p++;
    size_t n = 0;
    while (operand_is_word(p[n])) n++;
    as->top->at = p + n;
    if (n == 0) {
        fail_at(as, tw__asm_place_at(as, start, 1), "the name of a register is missing behind '$'");
        return false;
    }
    if (!operand_find_register(p, n, out)) return read_csr(as, start, p, n, out);
    out->kind = O_REGISTER;
    if (*as->top->at == ':' && !read_colon(as, start, out)) return false;
    if (out->suffix == S_NONE) read_suffix(as, out);
    return true;
}

bool tw__asm_read_operand(tw__asm *as, operand *out)
{
    tw__asm_skip_blanks(as);
    const char *start = as->top->at;
    *out = (operand){ .kind = O_VALUE };
    bool ok = *start == '$' ? read_register(as, start, out) : tw__asm_read_value(as, &out->value);
    out->place = tw__asm_place_at(as, start, (size_t)(as->top->at - start));
    return ok;
}
