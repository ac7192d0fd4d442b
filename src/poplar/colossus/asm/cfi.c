/* SPDX-License-Identifier: MIT */
/* .cfi_*: how the frame of a caller is found from any place in a function, as .debug_frame of DWARF 4 (6.4).
 * Registers are numbered 0 to 15 for $m0 to $m15 and 16 to 31 for $a0 to $a15; the return address is $m10. */
#include "poplar/colossus/asm/asm.h"
#include "poplar/colossus/object/dwarf.h"

#include <string.h>

enum { SP = 11, WORD = 4, MOST_STATES = 32 };

struct tw__cfi_function {
    int section;
    uint32_t start, end, at; /* at: up to where the rules have come */
    place place;
    bool is_open;
    int64_t offset, kept[MOST_STATES]; /* of the CFA from its register, now and in remembered states */
    unsigned depth;
    GByteArray *rules;
};
typedef struct tw__cfi_function function;

/* --- functions under way ---------------------------------------------------------------------------------------- */

static function *last_function(const tw__asm *as)
{
    function *f = as->cfi->len ? as->cfi->pdata[as->cfi->len - 1] : NULL;
    return f && f->is_open ? f : NULL;
}

void tw__asm_free_cfi(gpointer data)
{
    function *f = data;
    g_byte_array_unref(f->rules);
    g_free(f);
}

static uint32_t cfi_here(const tw__asm *as)
{
    return as->object->sections[as->section].public.size;
}

/* The function that a directive is about, whose rules have come up to here; NULL with an error. */
static function *begin_rule(tw__asm *as, const char *name, place where)
{
    function *f = last_function(as);
    if (!f || f->section != as->section || as->in_bundle) {
        fail_at(as, where,
                !f              ? ".%s has to stand between .cfi_startproc and .cfi_endproc"
                : as->in_bundle ? ".%s cannot stand in a bundle: write it behind the brace"
                                : ".%s is in another section than its .cfi_startproc",
                name);
        return NULL;
    }
    uint32_t distance = cfi_here(as) - f->at;
    if (distance && distance < 64)
        dwarf_byte(f->rules, CFA_ADVANCE | distance);
    else if (distance)
        dwarf_byte(f->rules, CFA_ADVANCE4), dwarf_word(f->rules, distance);
    f->at = cfi_here(as);
    return f;
}

/* --- directives ------------------------------------------------------------------------------------------------- */

static void do_start(tw__asm *as, const char *name, place where)
{
    function *open = last_function(as);
    tw__asm_skip_statement(as); /* .cfi_startproc simple */
    if (open) {
        fail_at(as, where, "a .%s stands here already: .cfi_endproc ends the function before", name);
        return;
    }
    function *f = g_new0(function, 1);
    *f = (function){ .section = as->section, .place = where, .is_open = true, .rules = g_byte_array_new() };
    f->start = f->at = cfi_here(as);
    g_ptr_array_add(as->cfi, f);
}

static void do_endproc(tw__asm *as, const char *name, place where)
{
    function *f = begin_rule(as, name, where);
    if (f) f->end = cfi_here(as), f->is_open = false;
}

/* $m3, $sp, or a number of DWARF; -1 with an error. */
static int read_cfi_register(tw__asm *as)
{
    operand o;
    tw__asm_skip_blanks(as);
    const char *at = as->top->at;
    if (!tw__asm_read_operand(as, &o)) return -1;
    bool is_register = o.kind == O_REGISTER && o.count == 1 && o.suffix == S_NONE && o.file != TW_ISA_CSR;
    if (is_register) return o.number + (o.file == TW_ISA_ARF ? 16 : 0);
    if (o.kind == O_VALUE && o.value.kind == V_CONST && o.value.number >= 0 && o.value.number < 32)
        return (int)o.value.number;
    fail_at(as, tw__asm_place_at(as, at, (size_t)(as->top->at - at)),
            "a register is expected: $m0 to $m15, $a0 to $a15, or its number from 0 to 31");
    return -1;
}

/* Bytes from a register or from the CFA; false with an error. */
static bool read_distance(tw__asm *as, bool is_positive, int64_t *distance)
{
    tw__asm_skip_blanks(as);
    const char *at = as->top->at;
    if (!tw__asm_read_constant(as, distance, "a distance in bytes")) return false;
    bool fits = *distance % WORD == 0 && *distance >= (is_positive ? 0 : -(1 << 20)) && *distance <= 1 << 20;
    if (!fits)
        fail_at(as, tw__asm_place_at(as, at, (size_t)(as->top->at - at)),
                "a distance of %lld bytes: a multiple of 4 %s is expected", (long long)*distance,
                is_positive ? "from 0 to 1048576" : "from -1048576 to 1048576");
    return fits;
}

static bool read_pair(tw__asm *as, bool is_positive, int *reg, int64_t *distance)
{
    *reg = read_cfi_register(as);
    return *reg >= 0 && tw__asm_expect(as, ',', "behind the register") && read_distance(as, is_positive, distance);
}

static void set_offset(function *f, unsigned op, int64_t offset)
{
    f->offset = offset;
    dwarf_byte(f->rules, op);
    dwarf_leb(f->rules, (uint64_t)offset);
}

/* .cfi_def_cfa, .cfi_def_cfa_offset, .cfi_adjust_cfa_offset */
static void do_cfa(tw__asm *as, const char *name, place where)
{
    function *f = begin_rule(as, name, where);
    bool whole = strcmp(name, "cfi_def_cfa") == 0, adjusts = strcmp(name, "cfi_adjust_cfa_offset") == 0;
    int reg = SP;
    int64_t offset;
    if (!f || !(whole ? read_pair(as, true, &reg, &offset) : read_distance(as, !adjusts, &offset))) return;
    if (adjusts) offset += f->offset;
    if (offset < 0) {
        fail_at(as, where, "the CFA would lie %lld bytes below its register", (long long)-offset);
        return;
    }
    if (whole)
        dwarf_byte(f->rules, CFA_DEF), dwarf_leb(f->rules, (unsigned)reg), dwarf_leb(f->rules, (uint64_t)offset);
    if (whole)
        f->offset = offset;
    else
        set_offset(f, CFA_DEF_OFFSET, offset);
}

/* .cfi_offset, .cfi_rel_offset (from the register of the CFA), .cfi_val_offset */
static void do_saved(tw__asm *as, const char *name, place where)
{
    function *f = begin_rule(as, name, where);
    int reg;
    int64_t offset;
    if (!f || !read_pair(as, false, &reg, &offset)) return;
    if (strcmp(name, "cfi_rel_offset") == 0) offset -= f->offset;
    int64_t words = offset / -WORD; /* as the CIE counts */
    if (strcmp(name, "cfi_val_offset") == 0) {
        dwarf_byte(f->rules, CFA_VALUE_SIGNED), dwarf_leb(f->rules, (unsigned)reg), dwarf_sleb(f->rules, words);
    } else if (words >= 0) {
        dwarf_byte(f->rules, CFA_OFFSET | (unsigned)reg), dwarf_leb(f->rules, (uint64_t)words);
    } else {
        dwarf_byte(f->rules, CFA_OFFSET_SIGNED), dwarf_leb(f->rules, (unsigned)reg), dwarf_sleb(f->rules, words);
    }
}

/* One register, or two (.cfi_register) */
static void do_one(tw__asm *as, const char *name, place where)
{
    static const struct {
        const char *name;
        unsigned op;
    } ops[] = { { "cfi_def_cfa_register", CFA_DEF_REGISTER },
                { "cfi_register", CFA_REGISTER },
                { "cfi_restore", CFA_RESTORE_EXTENDED },
                { "cfi_same_value", CFA_SAME },
                { "cfi_undefined", CFA_UNDEFINED } };
    function *f = begin_rule(as, name, where);
    int reg = f ? read_cfi_register(as) : -1, other = 0;
    if (reg < 0) return;
    size_t i = 0;
    while (strcmp(ops[i].name, name) != 0) i++;
    bool two = ops[i].op == CFA_REGISTER;
    if (two && (!tw__asm_expect(as, ',', "behind the register") || (other = read_cfi_register(as)) < 0)) return;
    dwarf_byte(f->rules, ops[i].op), dwarf_leb(f->rules, (unsigned)reg);
    if (two) dwarf_leb(f->rules, (unsigned)other);
}

static void do_remember(tw__asm *as, const char *name, place where)
{
    function *f = begin_rule(as, name, where);
    bool remembers = strcmp(name, "cfi_remember_state") == 0;
    if (!f) return;
    if (remembers ? f->depth == MOST_STATES : !f->depth) {
        fail_at(as, where, remembers ? "%d states are remembered already" : "there is no state that was remembered",
                MOST_STATES);
        return;
    }
    dwarf_byte(f->rules, remembers ? CFA_REMEMBER : CFA_RESTORE_STATE);
    if (remembers)
        f->kept[f->depth++] = f->offset;
    else
        f->offset = f->kept[--f->depth];
}

/* What only exceptions of C++ and other sections need. */
static void do_nothing(tw__asm *as, const char *name, place where)
{
    (void)name, (void)where;
    tw__asm_skip_statement(as);
}

static const struct {
    const char *name;
    directive_function *run;
} cfi_directives[] = {
    { "cfi_adjust_cfa_offset", do_cfa },
    { "cfi_def_cfa", do_cfa },
    { "cfi_def_cfa_offset", do_cfa },
    { "cfi_def_cfa_register", do_one },
    { "cfi_endproc", do_endproc },
    { "cfi_lsda", do_nothing },
    { "cfi_offset", do_saved },
    { "cfi_personality", do_nothing },
    { "cfi_register", do_one },
    { "cfi_rel_offset", do_saved },
    { "cfi_remember_state", do_remember },
    { "cfi_restore", do_one },
    { "cfi_restore_state", do_remember },
    { "cfi_same_value", do_one },
    { "cfi_sections", do_nothing },
    { "cfi_startproc", do_start },
    { "cfi_undefined", do_one },
    { "cfi_val_offset", do_saved },
};

bool tw__asm_cfi_directive(tw__asm *as, const char *name, place where)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cfi_directives); i++)
        if (strcmp(cfi_directives[i].name, name) == 0) {
            cfi_directives[i].run(as, cfi_directives[i].name, where);
            return true;
        }
    return false;
}

/* --- the section ------------------------------------------------------------------------------------------------ */

/* The length in front, and bytes that do nothing behind. */
static void end_entry(GByteArray *out, guint start)
{
    while ((out->len - start) % WORD) dwarf_byte(out, 0);
    uint32_t length = out->len - start - 4;
    for (unsigned i = 0; i < 4; i++) out->data[start + i] = (guint8)(length >> 8 * i);
}

/* What holds where nothing else is said: at a call, $sp is the CFA, and these registers are the caller's. */
static void put_common(GByteArray *out)
{
    static const uint8_t same[] = { 7, 8, 9, 10, 12, 13, 16 + 6, 16 + 7 };
    dwarf_word(out, 0), dwarf_word(out, UINT32_MAX);
    dwarf_byte(out, 4), dwarf_byte(out, 0), dwarf_byte(out, 4),
        dwarf_byte(out, 0); /* version, "", bytes of addresses */
    dwarf_leb(out, 1), dwarf_sleb(out, -WORD), dwarf_leb(out, 10);
    dwarf_byte(out, CFA_DEF), dwarf_leb(out, SP), dwarf_leb(out, 0);
    dwarf_byte(out, CFA_VALUE), dwarf_leb(out, SP), dwarf_leb(out, 0);
    for (size_t i = 0; i < sizeof same; i++) dwarf_byte(out, CFA_SAME), dwarf_leb(out, same[i]);
    end_entry(out, 0);
}

static tw_status put_cfi_function(tw__asm *as, int section, const function *f)
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    uint32_t at = as->object->sections[section].public.size;
    dwarf_word(out, 0), dwarf_word(out, 0), dwarf_word(out, 0), dwarf_word(out, f->end - f->start);
    g_byte_array_append(out, f->rules->data, f->rules->len);
    end_entry(out, 0);
    tw_status status = tw_object_append(as->object, section, out->data, out->len);
    const struct {
        uint32_t at;
        int section;
        uint32_t offset;
    } addresses[] = { { at + 4, section, 0 }, { at + 8, f->section, f->start } };
    for (size_t i = 0; i < G_N_ELEMENTS(addresses) && status == TW_OK; i++) {
        int symbol = tw_object_section_symbol(as->object, addresses[i].section);
        status = symbol < 0 ? (tw_status)symbol
                            : tw_object_relocate(as->object, section, addresses[i].at, TW_R_COLOSSUS_32, symbol,
                                                 (int32_t)addresses[i].offset);
    }
    return status;
}

void tw__asm_finish_cfi(tw__asm *as)
{
    const function *open = last_function(as);
    place nowhere = { 0 };
    if (open && !as->errors) fail_at(as, open->place, "the function that begins here has no .cfi_endproc");
    if (!as->cfi->len || as->errors) return;
    int section = tw_object_section(as->object, ".debug_frame", 0);
    g_autoptr(GByteArray) common = g_byte_array_new();
    put_common(common);
    tw_status status = section < 0 ? (tw_status)section : tw_object_raise_align(as->object, section, WORD);
    if (status == TW_OK && as->object->sections[section].public.size)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "section .debug_frame is that of .cfi_*, and has to be empty");
    if (status == TW_OK) status = tw_object_append(as->object, section, common->data, common->len);
    for (guint i = 0; i < as->cfi->len && status == TW_OK; i++)
        status = put_cfi_function(as, section, as->cfi->pdata[i]);
    tw__asm_ok(as, status, open ? open->place : nowhere);
}
