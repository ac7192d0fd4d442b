/* SPDX-License-Identifier: MIT */
/* Functions as text: a section each, with their stack and their lines. */
#include "poplar/colossus/cc/emit/emit.h"

#include <stdio.h>
#include <string.h>

typedef struct emitting {
    tw__mir *mir;
    const tw__mir_function *f;
    GString *out;
    uint32_t file, line, column; /* of the last .loc */
    bool has_left;               /* the frame is given up here, and is there again in the next block */
} emitting;

void tw__mir_emit_string(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\') g_string_append_c(out, '\\');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
}

/* Names that the assembler would not read as they are stand in quotes. */
void tw__mir_emit_name(GString *out, const char *name)
{
    bool plain = *name && !g_ascii_isdigit(*name);
    for (const char *p = name; *p; p++) plain = plain && (g_ascii_isalnum(*p) || *p == '_' || *p == '.');
    if (plain)
        g_string_append(out, name);
    else
        tw__mir_emit_string(out, name);
}

/* Binding, type and label. */
static void emit_kind(GString *out, const char *name, const char *type, bool is_local, bool is_weak)
{
    if (!is_local) {
        g_string_append(out, is_weak ? "\t.weak " : "\t.globl ");
        tw__mir_emit_name(out, name);
        g_string_append_c(out, '\n');
    }
    g_string_append(out, "\t.type ");
    tw__mir_emit_name(out, name);
    g_string_append_printf(out, ", @%s\n", type);
}

static void emit_symbol(GString *out, const char *name, const char *type, bool is_local, bool is_weak)
{
    emit_kind(out, name, type, is_local, is_weak);
    tw__mir_emit_name(out, name);
    g_string_append(out, ":\n");
}

/* --- operands --------------------------------------------------------------------------------------------------- */

static void put_symbol(GString *out, const tw__mir_operand *o)
{
    tw__mir_emit_name(out, o->symbol);
    if (o->value) g_string_append_printf(out, "%+" G_GINT64_FORMAT, o->value);
}

static void put_register(GString *out, const tw__mir_operand *o, const char *suffix)
{
    char file = o->reg >= TW__MIR_A0 ? 'a' : 'm';
    unsigned number = (o->reg - 1) % 16;
    if (o->words > 1)
        g_string_append_printf(out, "$%c%u:%u%s", file, number, number + o->words - 1u, suffix);
    else
        g_string_append_printf(out, "$%c%u%s", file, number, suffix);
}

static void put_operand(const emitting *e, const tw__mir_operand *o, const char *suffix)
{
    switch ((tw__mir_kind)o->kind) {
    case TW__MIR_REG: put_register(e->out, o, suffix); break;
    case TW__MIR_CONST: g_string_append_printf(e->out, "%" G_GINT64_FORMAT, o->value); break;
    case TW__MIR_SYMBOL: put_symbol(e->out, o); break;
    case TW__MIR_BLOCK: g_string_append_printf(e->out, ".L%u_%u", e->f->number, o->index); break;
    case TW__MIR_FRAME: g_string_append(e->out, "?"); break; /* none is left */
    }
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

static void emit_row(const emitting *e, const tw__mir_insn *insn, const tw_isa_row *row)
{
    g_string_append(e->out, row->name);
    for (unsigned k = 0; k < insn->count; k++) {
        g_string_append(e->out, k ? ", " : " ");
        put_operand(e, &insn->operands[k], row->operands[k]->suffix);
    }
}

static void put_call(const emitting *e, const tw__mir_insn *insn)
{
    if (insn->operands[0].kind == TW__MIR_SYMBOL) {
        g_string_append(e->out, "call $m10, ");
        put_symbol(e->out, &insn->operands[0]);
        return;
    }
    g_string_append(e->out, "setzi $m10, 9f\n\tbr ");
    put_register(e->out, &insn->operands[0], "");
    g_string_append(e->out, "\n9:");
}

/* %0 is operand 0; %% is a per cent sign. */
static void emit_text(const emitting *e, const tw__mir_insn *insn)
{
    for (const char *p = insn->text; *p; p++) {
        if (*p != '%') {
            g_string_append_c(e->out, *p);
        } else if (g_ascii_isdigit(p[1])) {
            char *end;
            guint64 k = g_ascii_strtoull(p + 1, &end, 10);
            if (k < insn->count) put_operand(e, &insn->operands[k], "");
            p = end - 1;
        } else {
            g_string_append_c(e->out, '%');
            if (p[1] == '%') p++;
        }
    }
}

static void put_insn(const emitting *e, const tw__mir_insn *insn)
{
    const tw_isa_row *row = tw__mir_row(insn);
    if (row)
        emit_row(e, insn, row);
    else if (insn->op == TW__MIR_call)
        put_call(e, insn);
    else if (insn->op == TW__MIR_text)
        emit_text(e, insn);
    else if (insn->op == TW__MIR_ret)
        g_string_append(e->out, "br $m10");
    else if (insn->op == TW__MIR_jump)
        g_string_append(e->out, "br "), put_register(e->out, &insn->operands[0], "");
}

static void put_loc(emitting *e, const tw__mir_insn *insn)
{
    if (!insn->line || !insn->file || (insn->line == e->line && insn->file == e->file && insn->column == e->column))
        return;
    e->line = insn->line, e->file = insn->file, e->column = insn->column;
    g_string_append_printf(e->out, "\t.loc %u %u %u\n", insn->file, insn->line, insn->column);
}

/* --- frames ----------------------------------------------------------------------------------------------------- */

/* How the frame is found: at calls $sp is where the caller's ends (cfi.c); an entry has no caller. */
static void begin_frames(const emitting *e)
{
    if (!e->f->debug.die) return;
    g_string_append(e->out, "\t.cfi_startproc\n");
    if (e->f->context == TW__MIR_WORKER) g_string_append(e->out, "\t.cfi_def_cfa $m12, 0\n\t.cfi_undefined $m10\n");
}

static void put_frame_step(const emitting *e, const tw__mir_insn *insn)
{
    char reg[16] = "";
    if (!e->f->debug.die || insn->frame == TW__FRAME_NONE) return;
    unsigned unit = insn->operands[0].reg - 1u;
    snprintf(reg, sizeof reg, "$%c%u", unit < 16 ? 'm' : 'a', unit % 16);
    switch ((tw__mir_frame_step)insn->frame) {
    case TW__FRAME_NONE: break;
    case TW__FRAME_DOWN: g_string_append_printf(e->out, "\t.cfi_def_cfa_offset %u\n", e->f->stack_bytes); break;
    case TW__FRAME_KEEP:
        g_string_append_printf(e->out, "\t.cfi_offset %s, %d\n", reg,
                               (int)(4 * insn->operands[3].value) - (int)e->f->stack_bytes);
        break;
    case TW__FRAME_BASE:
    case TW__FRAME_LEAVE: g_string_append_printf(e->out, "\t.cfi_def_cfa_register %s\n", reg); break;
    case TW__FRAME_BACK: g_string_append_printf(e->out, "\t.cfi_restore %s\n", reg); break;
    case TW__FRAME_UP: g_string_append(e->out, "\t.cfi_def_cfa_offset 0\n"); break;
    }
}

/* Before the first step out of the frame, its rules are kept for the blocks behind. */
static void remember_frame(emitting *e, const tw__mir_insn *insn)
{
    if (!e->f->debug.die || e->has_left || insn->frame < TW__FRAME_LEAVE) return;
    g_string_append(e->out, "\t.cfi_remember_state\n");
    e->has_left = true;
}

static void put_block(emitting *e, uint32_t index)
{
    const tw__mir_block *block = &e->f->blocks[index];
    g_string_append_printf(e->out, ".L%u_%u:\n", e->f->number, index);
    if (e->has_left) g_string_append(e->out, "\t.cfi_restore_state\n");
    e->has_left = false;
    for (const tw__mir_insn *insn = block->first; insn; insn = insn->next) {
        const tw__mir_insn *first = insn;
        remember_frame(e, insn);
        if (insn->mark) g_string_append_printf(e->out, ".Lm%u_%u:\n", e->f->number, insn->mark);
        put_loc(e, insn);
        bool bundle = insn->next && insn->next->is_aux_partner;
        g_string_append(e->out, bundle ? "\t{ " : "\t");
        put_insn(e, insn);
        if (bundle) {
            g_string_append(e->out, " ; ");
            put_insn(e, insn = insn->next);
            g_string_append(e->out, " }");
        }
        g_string_append_c(e->out, '\n');
        put_frame_step(e, first);
        if (first != insn) put_frame_step(e, insn);
    }
}

/* --- tables of jumps -------------------------------------------------------------------------------------------- */

static const tw__mir_insn *jump_of(const tw__mir_block *block)
{
    const tw__mir_insn *last = block->last;
    if (last && last->is_aux_partner) last = last->previous;
    return last && last->op == TW__MIR_jump ? last : NULL;
}

static void put_table(const emitting *e, const tw__mir_insn *jump)
{
    enum { ROW = 8 };
    g_string_append_printf(e->out, "\t.align 4\n%s:\n", jump->text);
    for (unsigned k = 1; k < jump->count; k++) {
        g_string_append(e->out, k % ROW == 1 ? "\t.word " : ", ");
        put_operand(e, &jump->operands[k], "");
        if (k % ROW == 0 || k + 1u == jump->count) g_string_append_c(e->out, '\n');
    }
}

/* Beside it stands that the function calls nothing through pointers (sel/branch.c), which links want to know. */
static void put_tables(const emitting *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->f->order_count; i++) {
        const tw__mir_insn *jump = jump_of(&e->f->blocks[e->f->order[i]]);
        if (!jump) continue;
        if (!any) {
            g_autofree char *section = g_strdup_printf(".rodata.%s", e->f->name);
            g_string_append(e->out, "\t.stack_calls ");
            tw__mir_emit_name(e->out, e->f->name);
            g_string_append(e->out, "\n\n\t.section ");
            tw__mir_emit_name(e->out, section);
            g_string_append(e->out, ", \"a\"\n");
        }
        any = true;
        put_table(e, jump);
    }
}

/* --- functions -------------------------------------------------------------------------------------------------- */

void tw__mir_emit_function(tw__mir *mir, const tw__mir_function *f, GString *out)
{
    emitting e = { .mir = mir, .f = f, .out = out };
    bool supervisor = f->in_supervisor || f->context == TW__MIR_SUPERVISOR, repeats = false;
    for (uint32_t b = 0; b < f->block_count; b++) repeats = repeats || f->blocks[b].is_repeated;
    g_autofree char *section = g_strdup_printf(".text.%s", f->name);
    g_string_append(out, "\n\t.section ");
    tw__mir_emit_name(out, section);
    g_string_append_printf(out, ", \"ax\"\n\t.align %u\n\t.%s\n", repeats ? 8 : 4,
                           supervisor ? "supervisor" : "worker");
    emit_symbol(out, f->name, "function", f->is_local, f->is_weak);
    if (f->debug.die) g_string_append_printf(out, ".Lfb%u:\n", f->number);
    if (f->line)
        g_string_append_printf(out, "\t.loc %u %u 0\n", f->file, f->line), e.line = f->line, e.file = f->file;
    begin_frames(&e);
    for (uint32_t i = 0; i < f->order_count; i++) put_block(&e, f->order[i]);
    if (f->debug.die) g_string_append(out, "\t.cfi_endproc\n");
    if (f->debug.die) g_string_append_printf(out, ".Lfe%u:\n", f->number);
    g_string_append(out, "\t.loc 0\n\t.size ");
    tw__mir_emit_name(out, f->name);
    g_string_append(out, ", . - ");
    tw__mir_emit_name(out, f->name);
    if (!f->has_dynamic_stack && !f->states_stack) { /* else its writer does */
        g_string_append(out, "\n\t.stack_own ");
        tw__mir_emit_name(out, f->name);
        g_string_append_printf(out, ", %u", f->stack_bytes);
    }
    g_string_append_c(out, '\n');
    put_tables(&e);
}

/* --- data ------------------------------------------------------------------------------------------------------- */

static void put_bytes(const tw__mir_data *d, uint32_t from, uint32_t to, GString *out)
{
    if (!d->bytes || d->is_zero) {
        if (to > from) g_string_append_printf(out, "\t.space %u\n", to - from);
        return;
    }
    for (uint32_t at = from; at < to; at++)
        g_string_append_printf(out, "%s%u%s", (at - from) % 16 ? ", " : "\t.byte ", d->bytes[at],
                               (at - from) % 16 == 15 || at + 1 == to ? "\n" : "");
}

void tw__mir_emit_data(const tw__mir_data *d, GString *out)
{
    g_string_append(out, "\n\t.section ");
    tw__mir_emit_name(out, d->section);
    if (d->is_zero && !strncmp(d->section, ".bss", 4))
        g_string_append(out, ", \"aw\", @nobits");
    else
        g_string_append(out, strncmp(d->section, ".rodata", 7) ? ", \"aw\"" : ", \"a\"");
    g_string_append_printf(out, "\n\t.align %u\n", MAX(d->align, 1));
    emit_symbol(out, d->name, "object", d->is_local, d->is_weak);
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->address_count; i++) {
        put_bytes(d, at, d->addresses[i].at, out);
        tw__mir_operand symbol = tw__mir_symbol(d->addresses[i].symbol, d->addresses[i].add);
        g_string_append(out, "\t.word ");
        put_symbol(out, &symbol);
        g_string_append_c(out, '\n');
        at = d->addresses[i].at + 4;
    }
    put_bytes(d, at, d->size, out);
    g_string_append(out, "\t.size ");
    tw__mir_emit_name(out, d->name);
    g_string_append_printf(out, ", %u\n", d->size);
}

static void emit_alias(const tw__mir_alias *a, GString *out)
{
    tw__mir_operand symbol = tw__mir_symbol(a->symbol, a->add);
    g_string_append_c(out, '\n');
    emit_kind(out, a->name, a->is_function ? "function" : "object", false, a->is_weak);
    g_string_append(out, "\t.set ");
    tw__mir_emit_name(out, a->name);
    g_string_append(out, ", ");
    put_symbol(out, &symbol);
    g_string_append_c(out, '\n');
}

void tw__mir_emit(tw__mir *mir, GString *out)
{
    for (uint32_t i = 1; i < mir->file_count; i++) {
        g_string_append_printf(out, "\t.file %u ", i);
        tw__mir_emit_string(out, mir->files[i]);
        g_string_append_c(out, '\n');
    }
    g_string_append(out, "\t.allow_optimizations\n"); /* the assembler lays bodies of rpt on 8 bytes */
    for (uint32_t i = 0; i < mir->function_count; i++) tw__mir_emit_function(mir, mir->functions[i], out);
    for (uint32_t i = 0; i < mir->data_count; i++) tw__mir_emit_data(mir->data[i], out);
    for (uint32_t i = 0; i < mir->alias_count; i++) emit_alias(mir->aliases[i], out);
    if (mir->debug) tw__mir_emit_debug(mir, out);
}
