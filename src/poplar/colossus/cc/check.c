/* SPDX-License-Identifier: MIT */
/* Whether code of the chip is what the header of it promises, and code as text. */
#include "poplar/colossus/cc/mir.h"

#include <string.h>

typedef struct mir_checker {
    tw__mir *mir;
    const tw__mir_function *f;
    uint32_t block;
    const tw__mir_insn *insn;
    const char *problem;
    const tw__mir_insn **definitions; /* of virtual registers */
    uint32_t *blocks;                 /* where they stand */
    uint32_t *dominators;
} checker;

static void print_insn(const tw__mir *mir, const tw__mir_insn *insn, GString *out);

static void G_GNUC_PRINTF(2, 3) mir_wrong(checker *c, const char *format, ...)
{
    if (c->problem) return;
    va_list list;
    va_start(list, format);
    g_autofree char *what = g_strdup_vprintf(format, list);
    va_end(list);
    g_autoptr(GString) text = g_string_new(NULL);
    if (c->insn) print_insn(c->mir, c->insn, text);
    c->problem = tw__arena_printf(c->mir->arena, "%s, block %u: %s%s%s", c->f->name, c->block, what,
                                  c->insn ? ": " : "", text->str);
    if (!c->problem) c->problem = "out of memory";
}

static bool is_virtual(tw__mir_reg reg)
{
    return reg >= TW__MIR_VIRTUAL;
}

static const tw__mir_vreg *vreg_of(const checker *c, tw__mir_reg reg)
{
    return reg - TW__MIR_VIRTUAL < c->f->vreg_count ? &c->f->vregs[reg - TW__MIR_VIRTUAL] : NULL;
}

/* One register, read or written: does it exist, and is it wide enough? */
static void check_register(checker *c, const tw__mir_operand *o, tw__mir_reg reg, bool written)
{
    if (!is_virtual(reg)) {
        unsigned number = (reg - 1) % 16;
        if (reg == 0 || reg > 32 || number % (o->words ? o->words : 1u) != 0)
            mir_wrong(c, "there is no register %u of %u words", reg, o->words);
        return;
    }
    const tw__mir_vreg *v = vreg_of(c, reg);
    if (!v)
        mir_wrong(c, "register %%%u does not exist", reg - TW__MIR_VIRTUAL);
    else if (written && (o->words != v->words || o->sub))
        mir_wrong(c, "%%%u has %u words, and %u are written", reg - TW__MIR_VIRTUAL, v->words, o->words);
    else if (!written && (!o->words || o->sub % o->words || o->sub + o->words > v->words))
        mir_wrong(c, "%%%u has %u words, and %u from %u on are read", reg - TW__MIR_VIRTUAL, v->words, o->words,
                  o->sub);
}

static void check_file(checker *c, tw__mir_reg reg, const tw_isa_operand *kind)
{
    unsigned file = is_virtual(reg) ? vreg_of(c, reg)->file : reg >= TW__MIR_A0;
    if (file != (kind->file == TW_ISA_ARF))
        mir_wrong(c, "operand %s gets a register of the other file", kind->label);
    else if (!is_virtual(reg) && !tw__isa_register_fits(kind, (reg - 1) % 16))
        mir_wrong(c, "operand %s cannot start at register %u", kind->label, (reg - 1) % 16);
}

static void check_register_operand(checker *c, const tw__mir_operand *o, const tw_isa_operand *kind)
{
    unsigned use = (kind->reads ? TW__MIR_READ : 0u) | (kind->writes ? TW__MIR_WRITE : 0u);
    if (o->kind != TW__MIR_REG || o->words != kind->registers || o->use != use) {
        mir_wrong(c, "operand %s is not %u word%s that %s %s", kind->label, kind->registers,
                  kind->registers == 1 ? "" : "s", kind->registers == 1 ? "is" : "are",
                  use == 3   ? "changed"
                  : use == 1 ? "read"
                             : "written");
        return;
    }
    check_file(c, o->reg, kind);
    if (use == 3) check_file(c, o->tied, kind);
}

static void check_constant_operand(checker *c, const tw__mir_operand *o, const tw_isa_operand *kind)
{
    uint32_t field;
    if (o->kind == TW__MIR_SYMBOL || o->kind == TW__MIR_FRAME) return; /* the assembler, the frame */
    if (o->kind == TW__MIR_BLOCK) {
        if (kind->file != TW_ISA_CODE) mir_wrong(c, "operand %s cannot be a block", kind->label);
        return;
    }
    if (o->kind != TW__MIR_CONST)
        mir_wrong(c, "operand %s is a register", kind->label);
    else if (kind->file == TW_ISA_CONST && !tw__isa_constant_fits(kind, o->value, &field))
        mir_wrong(c, "%" G_GINT64_FORMAT " does not fit operand %s", o->value, kind->label);
}

static void check_row(checker *c, const tw_isa_row *row)
{
    if (c->insn->count != row->count) {
        mir_wrong(c, "%s has %u operands", row->id, row->count);
        return;
    }
    if (!(row->archs & c->mir->arch)) mir_wrong(c, "%s does not have %s", tw_isa_arch_name(c->mir->arch), row->id);
    if (c->f->in_supervisor && row->context == TW_ISA_WORKER)
        mir_wrong(c, "the supervisor does not have %s", row->id);
    for (unsigned k = 0; k < row->count && !c->problem; k++) {
        const tw_isa_operand *kind = row->operands[k];
        if (kind->registers)
            check_register_operand(c, &c->insn->operands[k], kind);
        else
            check_constant_operand(c, &c->insn->operands[k], kind);
    }
}

/* Widths of copies, phis and joins; the other pseudo operations have few rules. */
static void check_pseudo(checker *c)
{
    const tw__mir_insn *insn = c->insn;
    const tw__mir_operand *o = insn->operands;
    unsigned n = insn->count, sum = 0;
    bool ok = true;
    switch (insn->op) {
    case TW__MIR_copy: ok = n == 2 && o[1].kind == TW__MIR_REG && o[0].words == o[1].words; break;
    case TW__MIR_phi:
        ok = n % 2 == 1 && n - 1 == 2 * c->f->blocks[c->block].predecessor_count;
        for (unsigned k = 1; ok && k < n; k += 2)
            ok = o[k].kind == TW__MIR_BLOCK && o[k + 1].kind == TW__MIR_REG && o[k + 1].words == o[0].words;
        break;
    case TW__MIR_join:
        for (unsigned k = 1; k < n; k++) sum += o[k].words, ok = ok && o[k].kind == TW__MIR_REG;
        ok = ok && n && sum == o[0].words;
        break;
    case TW__MIR_value: ok = n == 2 && (o[1].kind == TW__MIR_CONST || o[1].kind == TW__MIR_SYMBOL); break;
    case TW__MIR_place: ok = n == 2 && o[1].kind == TW__MIR_FRAME; break;
    case TW__MIR_call: ok = n && (o[0].kind == TW__MIR_SYMBOL || o[0].kind == TW__MIR_REG); break;
    case TW__MIR_text: ok = insn->text != NULL; break;
    case TW__MIR_jump:
        ok = n > 1 && insn->text && o[0].kind == TW__MIR_REG && o[0].use == TW__MIR_READ && o[0].words == 1;
        for (unsigned k = 1; k < n; k++) ok = ok && o[k].kind == TW__MIR_BLOCK;
        break;
    default: break;
    }
    if (insn->op <= TW__MIR_place && ok) ok = o[0].kind == TW__MIR_REG && o[0].use == TW__MIR_WRITE;
    if (!ok) mir_wrong(c, "operands that this does not have");
}

static void mir_check_operands(checker *c)
{
    for (unsigned k = 0; k < c->insn->count && !c->problem; k++) {
        const tw__mir_operand *o = &c->insn->operands[k];
        if (o->kind == TW__MIR_BLOCK && o->index >= c->f->block_count)
            mir_wrong(c, "there is no block %u", o->index);
        if (o->kind == TW__MIR_FRAME && o->index >= c->f->object_count)
            mir_wrong(c, "there is no frame object %u", o->index);
        if (o->kind == TW__MIR_SYMBOL && !o->symbol) mir_wrong(c, "a symbol without a name");
        if (o->kind != TW__MIR_REG) continue;
        if (!o->use) mir_wrong(c, "operand %u is neither read nor written", k);
        if (o->use & TW__MIR_WRITE) check_register(c, o, o->reg, true);
        if (o->use == TW__MIR_READ) check_register(c, o, o->reg, false);
        if (o->use == (TW__MIR_READ | TW__MIR_WRITE)) check_register(c, o, o->tied, false);
    }
}

static void note_definitions(checker *c)
{
    for (unsigned k = 0; k < c->insn->count; k++) {
        const tw__mir_operand *o = &c->insn->operands[k];
        if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_WRITE) || !is_virtual(o->reg)) continue;
        uint32_t v = o->reg - TW__MIR_VIRTUAL;
        if (c->definitions[v]) mir_wrong(c, "%%%u is written twice", v);
        c->definitions[v] = c->insn, c->blocks[v] = c->block;
    }
}

static void check_flow(checker *c, const tw__mir_block *block)
{
    bool branches = false, phis = true;
    for (const tw__mir_insn *insn = block->first; insn; insn = insn->next) {
        c->insn = insn;
        if (insn->op == TW__MIR_phi && !phis) mir_wrong(c, "phis come first");
        phis = insn->op == TW__MIR_phi;
        if (branches && !tw__mir_is_branch(insn)) mir_wrong(c, "stands behind a branch");
        branches = branches || tw__mir_is_branch(insn);
        if (insn->next && tw__mir_is_end(insn)) mir_wrong(c, "nothing comes behind this");
        for (unsigned k = 0; tw__mir_is_branch(insn) && k < insn->count; k++) {
            bool known = insn->operands[k].kind != TW__MIR_BLOCK;
            for (uint32_t i = 0; !known && i < block->successor_count; i++)
                known = block->successors[i] == insn->operands[k].index;
            if (!known) mir_wrong(c, "goes to a block that is no successor");
        }
    }
    c->insn = block->last;
    if (!block->last || !tw__mir_is_end(block->last)) mir_wrong(c, "the block has no end");
}

static bool is_before(const tw__mir_insn *a, const tw__mir_insn *b)
{
    for (; b; b = b->previous)
        if (a == b) return true;
    return false;
}

/* Is the value of `reg` there at the end of `block` (insn NULL) or in front of `insn` of it? */
static void check_reaches(checker *c, tw__mir_reg reg, uint32_t block, const tw__mir_insn *insn)
{
    uint32_t v = reg - TW__MIR_VIRTUAL;
    if (!c->definitions[v]) {
        mir_wrong(c, "%%%u is never written", v);
        return;
    }
    uint32_t from = c->blocks[v];
    if (from == block) {
        if (insn && !is_before(c->definitions[v], insn->previous))
            mir_wrong(c, "%%%u is read before it is written", v);
        return;
    }
    uint32_t at = block;
    while (at != UINT32_MAX && at != from) at = c->dominators[at];
    if (at != from) mir_wrong(c, "%%%u is not written on every way here", v);
}

static void check_uses(checker *c)
{
    const tw__mir_insn *insn = c->insn;
    for (unsigned k = 0; k < insn->count && !c->problem; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_READ)) continue;
        tw__mir_reg reg = o->use & TW__MIR_WRITE ? o->tied : o->reg;
        if (!is_virtual(reg)) continue;
        if (insn->op == TW__MIR_phi) {
            uint32_t from = insn->operands[k - 1].index;
            if (from == 0 || c->dominators[from] != UINT32_MAX) check_reaches(c, reg, from, NULL);
        } else {
            check_reaches(c, reg, c->block, insn);
        }
    }
}

static void check_block(checker *c, const tw__mir_block *block)
{
    check_flow(c, block);
    for (c->insn = block->first; c->insn && !c->problem; c->insn = c->insn->next) {
        const tw_isa_row *row = tw__mir_row(c->insn);
        mir_check_operands(c);
        if (c->problem) return;
        if (row)
            check_row(c, row);
        else
            check_pseudo(c);
        note_definitions(c);
    }
}

const char *tw__mir_check(tw__mir *mir, const tw__mir_function *f)
{
    g_autofree const tw__mir_insn **definitions = g_new0(const tw__mir_insn *, f->vreg_count + 1);
    g_autofree uint32_t *blocks = g_new0(uint32_t, f->vreg_count + 1);
    checker c = { .mir = mir, .f = f, .definitions = definitions, .blocks = blocks };
    if (!f->block_count) mir_wrong(&c, "a function without blocks");
    for (c.block = 0; c.block < f->block_count && !c.problem; c.block++) check_block(&c, &f->blocks[c.block]);
    if (c.problem) return c.problem;
    c.dominators = tw__mir_dominators(mir, f);
    for (c.block = 0; c.block < f->block_count && !c.problem; c.block++) {
        if (c.block && c.dominators[c.block] == UINT32_MAX) continue; /* unreachable */
        for (c.insn = f->blocks[c.block].first; c.insn && !c.problem; c.insn = c.insn->next) check_uses(&c);
    }
    return c.problem;
}

/* --- text ------------------------------------------------------------------------------------------------------- */

static void print_register(GString *out, tw__mir_reg reg, unsigned sub, unsigned words)
{
    if (is_virtual(reg))
        g_string_append_printf(out, "%%%u", reg - TW__MIR_VIRTUAL);
    else
        g_string_append_printf(out, "$%c%u", reg >= TW__MIR_A0 ? 'a' : 'm', (reg - 1) % 16);
    if (sub) g_string_append_printf(out, ".%u", sub);
    if (words > 1) g_string_append_printf(out, ":%u", words);
}

static void print_operand(GString *out, const tw__mir_operand *o)
{
    switch ((tw__mir_kind)o->kind) {
    case TW__MIR_REG:
        print_register(out, o->reg, o->sub, o->words);
        if (o->use == (TW__MIR_READ | TW__MIR_WRITE) && o->tied != o->reg) {
            g_string_append_c(out, '=');
            print_register(out, o->tied, o->sub, o->words);
        } else if (o->use & TW__MIR_WRITE) {
            g_string_append_c(out, '!');
        }
        break;
    case TW__MIR_CONST: g_string_append_printf(out, "%" G_GINT64_FORMAT, o->value); break;
    case TW__MIR_SYMBOL: g_string_append_printf(out, "%s%+" G_GINT64_FORMAT, o->symbol, o->value); break;
    case TW__MIR_BLOCK: g_string_append_printf(out, "@%u", o->index); break;
    case TW__MIR_FRAME: g_string_append_printf(out, "frame%u%+" G_GINT64_FORMAT, o->index, o->value); break;
    }
}

static void print_insn(const tw__mir *mir, const tw__mir_insn *insn, GString *out)
{
    (void)mir;
    static const char *const names[] = {
#define TW__MIR_NAME(id) #id,
        TW__MIR_LIST(TW__MIR_NAME)
#undef TW__MIR_NAME
    };
    const tw_isa_row *row = tw__mir_row(insn);
    g_string_append(out, row ? row->id : names[insn->op - TW__OP_COUNT]);
    for (unsigned k = 0; k < insn->count; k++) {
        g_string_append(out, k ? ", " : " ");
        print_operand(out, &insn->operands[k]);
    }
    if (insn->text) g_string_append_printf(out, " \"%s\"", insn->text);
}

void tw__mir_print(const tw__mir *mir, const tw__mir_function *f, GString *out)
{
    g_string_append_printf(out, "%s:\n", f->name);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const tw__mir_block *block = &f->blocks[b];
        g_string_append_printf(out, "@%u: (depth %u", b, block->loop_depth);
        for (uint32_t i = 0; i < block->successor_count; i++)
            g_string_append_printf(out, "%s@%u", i ? " " : ", to ", block->successors[i]);
        g_string_append(out, ")\n");
        for (const tw__mir_insn *insn = block->first; insn; insn = insn->next) {
            g_string_append(out, insn->is_aux_partner ? "    ; " : "    ");
            print_insn(mir, insn, out);
            g_string_append_c(out, '\n');
        }
    }
}
