/* SPDX-License-Identifier: MIT */
/* Instructions of the MIR as selection writes them: operands, new registers, constants, places in sources. */
#include "poplar/colossus/cc/sel/sel.h"

const uint16_t tw__sel_add[] = { TW__OP_add_m, TW__OP_add_z, TW__OP_add_s, 0 };
const uint16_t tw__sel_and[] = { TW__OP_and_m, TW__OP_and_mz, 0 };
const uint16_t tw__sel_or[] = { TW__OP_or_m, TW__OP_or_mz, TW__OP_or_mi, 0 };
const uint16_t tw__sel_shl[] = { TW__OP_shl_m, TW__OP_shl_z, 0 };
const uint16_t tw__sel_shr[] = { TW__OP_shr_m, TW__OP_shr_z, 0 };
const uint16_t tw__sel_shrs[] = { TW__OP_shrs_m, TW__OP_shrs_z, 0 };
const uint16_t tw__sel_mul[] = { TW__OP_mul_m, TW__OP_mul_s, 0 };
const uint16_t tw__sel_equal[] = { TW__OP_cmpeq_m, TW__OP_cmpeq_z, TW__OP_cmpeq_s, 0 };
const uint16_t tw__sel_below[] = { TW__OP_cmpult_m, TW__OP_cmpult_z, 0 };

tw__mir_operand tw__sel_in(tw__sel_part part)
{
    return (tw__mir_operand){
        .kind = TW__MIR_REG, .use = TW__MIR_READ, .sub = part.sub, .words = part.words, .reg = part.reg
    };
}

tw__mir_operand tw__sel_out(tw__sel_part part)
{
    return (tw__mir_operand){ .kind = TW__MIR_REG, .use = TW__MIR_WRITE, .words = part.words, .reg = part.reg };
}

/* --- registers -------------------------------------------------------------------------------------------------- */

tw__sel_part tw__sel_new(tw__sel *s, tw__mir_file file, unsigned words)
{
    return (tw__sel_part){ .reg = tw__mir_new_reg(s->mir, s->f, file, words),
                           .file = (uint8_t)file,
                           .words = (uint8_t)words,
                           .whole = (uint8_t)words };
}

tw__sel_part tw__sel_physical(tw__mir_file file, unsigned number, unsigned words)
{
    return (tw__sel_part){ .reg = (file == TW__MIR_MAIN ? TW__MIR_M0 : TW__MIR_A0) + number,
                           .file = (uint8_t)file,
                           .words = (uint8_t)words,
                           .whole = (uint8_t)words };
}

enum { ZERO_PAIR = 14, ZERO = 15 };

tw__sel_part tw__sel_zero(tw__mir_file file, unsigned words)
{
    return tw__sel_physical(file, words == 1 ? ZERO : ZERO_PAIR, words);
}

bool tw__sel_is_zero(tw__sel_part part)
{
    return part.reg < TW__MIR_VIRTUAL && (part.reg == TW__MIR_M0 + ZERO || part.reg >= TW__MIR_A0 + ZERO_PAIR);
}

tw__sel_part tw__sel_word(tw__sel_part part, unsigned word)
{
    if (part.reg < TW__MIR_VIRTUAL) {
        if (tw__sel_is_zero(part)) return tw__sel_zero(part.file, 1);
        part.reg += word;
        part.words = part.whole = 1;
        return part;
    }
    part.sub = (uint8_t)(part.sub + word);
    part.words = 1;
    return part;
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

tw__mir_block *tw__sel_here(tw__sel *s)
{
    return &s->f->blocks[s->block];
}

static void build_accesses(tw__mir_insn *insn)
{
    const tw_isa_row *row = tw__mir_row(insn);
    if (!row || !row->accesses[0]) return;
    for (unsigned i = 0; i < TW_ISA_ACCESSES && row->accesses[i]; i++)
        insn->memory.use |= row->accesses[i] & TW_ISA_STORE ? TW__MIR_WRITE : TW__MIR_READ;
    insn->memory.align = row->accesses[0] & (uint8_t)~TW_ISA_STORE;
}

tw__mir_insn *tw__sel_emit(tw__sel *s, unsigned op, unsigned count, const tw__mir_operand *operands)
{
    tw__mir_block *block = tw__sel_here(s);
    tw__mir_insn *insn =
        s->before ? tw__mir_insert(s->mir, block, s->before, op, count) : tw__mir_append(s->mir, block, op, count);
    for (unsigned i = 0; i < count; i++) insn->operands[i] = operands[i];
    insn->line = s->line;
    insn->column = s->column;
    insn->file = s->file;
    insn->scope = s->scope;
    build_accesses(insn);
    return insn;
}

tw__sel_part tw__sel_make(tw__sel *s, unsigned op, unsigned count, const tw__mir_operand *operands)
{
    tw__mir_file file = TW__MIR_MAIN;
    unsigned words = 1;
    if (op < TW__OP_COUNT) {
        const tw_isa_operand *first = tw__isa_rows[op].operands[0];
        file = first->file == TW_ISA_ARF ? TW__MIR_AUX : TW__MIR_MAIN;
        words = first->registers;
    }
    tw__sel_part part = tw__sel_new(s, file, words);
    tw__mir_operand all[1 + TW_ISA_OPERANDS] = { OUT(part) };
    for (unsigned i = 0; i < count; i++) all[1 + i] = operands[i];
    tw__sel_emit(s, op, count + 1, all);
    return part;
}

tw__sel_part tw__sel_constant(tw__sel *s, uint32_t bits, tw__mir_file file)
{
    if (!bits) return tw__sel_zero(file, 1);
    tw__sel_part part = tw__sel_new(s, file, 1);
    EMIT(s, TW__MIR_value, OUT(part), NUM(bits));
    return part;
}

tw__sel_part tw__sel_address(tw__sel *s, const char *symbol, int64_t add)
{
    return MAKE(s, TW__MIR_value, SYMBOL(symbol, add));
}

void tw__sel_copy(tw__sel *s, tw__sel_part out, tw__sel_part in)
{
    if (tw__sel_is_zero(in) && out.words == 1)
        EMIT(s, TW__MIR_value, OUT(out), NUM(0));
    else
        EMIT(s, TW__MIR_copy, OUT(out), IN(in));
}

tw__sel_part tw__sel_to(tw__sel *s, tw__sel_part part, tw__mir_file file)
{
    if (part.file == file) return part;
    if (tw__sel_is_zero(part)) return tw__sel_zero(file, part.words);
    if (file == TW__MIR_MAIN && part.words == 1) return MAKE(s, TW__OP_atom, IN(part));
    tw__sel_part moved = tw__sel_new(s, file, part.words);
    EMIT(s, TW__MIR_copy, OUT(moved), IN(part));
    return moved;
}

tw__sel_part tw__sel_join(tw__sel *s, const tw__sel_part *words, unsigned count)
{
    bool is_zero = true, is_whole = true;
    for (unsigned i = 0; i < count; i++) {
        is_zero = is_zero && tw__sel_is_zero(words[i]);
        is_whole = is_whole && words[i].reg == words[0].reg && words[i].reg >= TW__MIR_VIRTUAL &&
                   words[i].sub == words[0].sub + i && words[0].sub % count == 0;
    }
    if (is_zero && count == 2) return tw__sel_zero(words[0].file, 2);
    if (is_whole) {
        tw__sel_part part = words[0];
        part.words = (uint8_t)count;
        return part;
    }
    tw__sel_part part = tw__sel_new(s, words[0].file, count);
    tw__mir_operand operands[5] = { OUT(part) };
    for (unsigned i = 0; i < count; i++) operands[1 + i] = IN(words[i]);
    tw__sel_emit(s, TW__MIR_join, count + 1, operands);
    return part;
}

tw__sel_part tw__sel_choose(tw__sel *s, tw__sel_part test, tw__sel_part x, tw__sel_part y)
{
    if (tw__sel_is_zero(test)) return y;
    tw__sel_part part = tw__sel_new(s, TW__MIR_MAIN, 1);
    if (y.whole != 1 || y.reg < TW__MIR_VIRTUAL) {
        tw__sel_part copy = tw__sel_new(s, TW__MIR_MAIN, 1);
        tw__sel_copy(s, copy, y);
        y = copy;
    }
    tw__mir_operand tied = {
        .kind = TW__MIR_REG, .use = TW__MIR_READ | TW__MIR_WRITE, .words = 1, .reg = part.reg, .tied = y.reg
    };
    EMIT(s, TW__OP_movz, tied, IN(test), IN(x));
    return part;
}

unsigned tw__sel_row_for(const uint16_t *rows, unsigned index, int64_t number)
{
    uint32_t field;
    for (; *rows; rows++)
        if (tw__isa_constant_fits(tw__isa_rows[*rows].operands[index], number, &field)) return *rows;
    return 0;
}

tw__sel_part tw__sel_with(tw__sel *s, const uint16_t *rows, tw__sel_part x, int64_t number)
{
    unsigned row = tw__sel_row_for(rows + 1, 2, number);
    if (!row && number < 0) {
        number &= UINT32_MAX;
        row = tw__sel_row_for(rows + 1, 2, number);
    }
    if (row) return tw__sel_make(s, row, TW__OPERANDS(IN(x), NUM(number)));
    return tw__sel_make(s, rows[0], TW__OPERANDS(IN(x), IN(tw__sel_constant(s, (uint32_t)number, TW__MIR_MAIN))));
}

/* --- places in sources ------------------------------------------------------------------------------------------ */

static uint16_t build_file(tw__sel *s, const char *folder, unsigned folder_length, const char *name,
                           unsigned length)
{
    char *path = folder_length && length && name[0] != '/'
                     ? g_strdup_printf("%.*s/%.*s", (int)folder_length, folder, (int)length, name)
                     : g_strndup(name, length);
    uint32_t index = tw__mir_source(s->mir, path);
    g_free(path);
    return (uint16_t)MIN(index, UINT16_MAX);
}

void tw__sel_set_line(tw__sel *s, LLVMValueRef instruction)
{
    unsigned folder_length = 0, length = 0;
    s->at = instruction;
    unsigned line = LLVMGetDebugLocLine(instruction);
    if (!line) return; /* that of the instruction behind it */
    const char *folder = LLVMGetDebugLocDirectory(instruction, &folder_length);
    const char *name = LLVMGetDebugLocFilename(instruction, &length);
    s->line = line;
    s->column = LLVMGetDebugLocColumn(instruction);
    s->scope = s->debug ? tw__cc_debug_scope(s->debug, instruction) : NULL;
    s->file = name ? build_file(s, folder, folder_length, name, length) : 0;
}

bool tw__sel_refuse(tw__sel *s, const char *code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool is_known = s->at && LLVMIsAInstruction(s->at) && LLVMGetDebugLocLine(s->at);
    LLVMValueRef function = s->function;
    tw_diag diag = { .severity = TW_ERROR, .code = code, .message = text, .length = 1, .file = "" };
    unsigned length = 0;
    if (!is_known && function && LLVMGetDebugLocLine(function)) {
        diag.line = (int)LLVMGetDebugLocLine(function);
        const char *name = LLVMGetDebugLocFilename(function, &length);
        diag.file = tw__arena_printf(s->mir->arena, "%.*s", (int)length, name ? name : "");
    } else if (is_known) {
        diag.line = (int)s->line;
        diag.column = (int)s->column;
        diag.file = s->mir->files[s->file];
    } else {
        diag.file = LLVMGetSourceFileName(s->module, &(size_t){ 0 });
    }
    if (!diag.file) diag.file = "";
    s->report(s->user, &diag);
    s->has_failed = true;
    return false;
}
