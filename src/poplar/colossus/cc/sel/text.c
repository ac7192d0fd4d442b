/* SPDX-License-Identifier: MIT */
/* Inline assembly. One instruction whose operands are all its own is that row; anything else is text in which ra puts
 * registers for %0, %1... */
#include "poplar/colossus/cc/sel/abi.h"

enum { TEXT_OPERANDS = 32 };

typedef enum text_kind { TEXT_OUTPUT, TEXT_INPUT, TEXT_NUMBER } text_kind;

typedef struct text_operand { /* as LLVM counts them */
    text_kind kind;
    unsigned at; /* in `operands`; NUMBER: in `numbers` */
} text_operand;

typedef struct text_statement {
    tw__sel *s;
    LLVMValueRef call;
    text_operand list[TEXT_OPERANDS];
    unsigned count;
    tw__mir_operand operands[TEXT_OPERANDS * 2];
    unsigned operand_count;
    char *numbers[TEXT_OPERANDS];
    int64_t values[TEXT_OPERANDS]; /* of numbers; symbols: 0 */
    bool is_value[TEXT_OPERANDS];
    unsigned number_count;
    LLVMTypeRef outputs[TEXT_OPERANDS];
    tw__sel_part results[TEXT_OPERANDS];
    unsigned output_count;
    bool clobbers_memory, has_clobbers;
} text_statement;

static bool text_wrong(text_statement *t, const char *why)
{
    return tw__sel_refuse(t->s, "cc.asm", "inline assembly: %s", why);
}

/* --- operands --------------------------------------------------------------------------------------------------- */

/* A value in one register: a word, a pair or a quad, of the file that its type belongs to. */
static tw__sel_part text_join(text_statement *t, LLVMTypeRef type, LLVMValueRef value)
{
    tw__sel *s = t->s;
    tw__sel_unit unit, *units = &unit;
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_GROUP || shape.lane == TW__SEL_NONE) {
        text_wrong(t, "an operand has to fit registers: no structures");
        return tw__sel_zero(TW__MIR_MAIN, 1);
    }
    tw__sel_units(s, type, units);
    if (shape.lane == TW__SEL_INT && !shape.lanes && shape.bits < 32) return tw__sel_extended(s, value, false);
    tw__sel_to_units(s, type, tw__sel_parts(s, value), units);
    if (unit.count == 1) return unit.parts[0];
    tw__sel_part words[4];
    unsigned count = 0;
    for (unsigned i = 0; i < unit.count; i++)
        for (unsigned k = 0; k < unit.parts[i].words && count < 4; k++)
            words[count++] = tw__sel_word(unit.parts[i], k);
    return tw__sel_join(s, words, count);
}

static void text_split(text_statement *t, LLVMTypeRef type, tw__sel_part whole, tw__sel_part *out)
{
    tw__sel *s = t->s;
    tw__sel_unit unit;
    tw__sel_units(s, type, &unit);
    unsigned step = unit.file == TW__MIR_AUX && unit.words > 1 ? 2 : 1;
    unit.count = 0;
    for (unsigned at = 0; at < unit.words; at += step) {
        tw__sel_part part = whole;
        part.sub = (uint8_t)at;
        part.words = (uint8_t)step;
        unit.parts[unit.count++] = part;
    }
    tw__sel_from_units(s, type, &unit, out);
}

static bool text_output(text_statement *t, const char *constraint)
{
    tw__sel *s = t->s;
    tw__sel_unit unit;
    bool is_early = strchr(constraint, '&') != NULL;
    if (strchr(constraint, '*') || !strchr(constraint, 'r'))
        return text_wrong(t, "an output is a register: \"=r\"");
    if (tw__sel_shape_of(s, t->outputs[t->output_count]).lane == TW__SEL_GROUP)
        return text_wrong(t, "an operand has to fit registers: no structures");
    if (!tw__sel_units(s, t->outputs[t->output_count], &unit)) return false;
    tw__sel_part part = tw__sel_new(s, unit.file, unit.words);
    tw__mir_operand operand = OUT(part);
    operand.is_early = is_early;
    t->results[t->output_count++] = part;
    t->list[t->count++] = (text_operand){ TEXT_OUTPUT, t->operand_count };
    t->operands[t->operand_count++] = operand;
    return true;
}

static bool text_number(text_statement *t, LLVMValueRef value)
{
    const char *symbol;
    int64_t add;
    if (!LLVMIsConstant(value) || !tw__sel_symbol(t->s, value, &symbol, &add))
        return text_wrong(t, "an operand with \"i\" has to be a constant");
    unsigned at = t->number_count++;
    t->numbers[at] = symbol && add ? g_strdup_printf("%s%+" G_GINT64_FORMAT, symbol, add)
                     : symbol      ? g_strdup(symbol)
                                   : g_strdup_printf("%" G_GINT64_FORMAT, add);
    t->values[at] = add;
    t->is_value[at] = !symbol;
    t->list[t->count++] = (text_operand){ TEXT_NUMBER, at };
    return true;
}

static bool text_tied(text_statement *t, LLVMValueRef value, unsigned to)
{
    if (to >= t->count || t->list[to].kind != TEXT_OUTPUT)
        return text_wrong(t, "tied to an operand that is no output");
    tw__sel_part part = text_join(t, LLVMTypeOf(value), value);
    tw__mir_operand *operand = &t->operands[t->list[to].at];
    tw__sel_part own = tw__sel_new(t->s, part.file, part.words);
    if (operand->words != part.words) return text_wrong(t, "operands that are tied have different sizes");
    tw__sel_copy(t->s, own, part); /* a register that ends here */
    operand->use = TW__MIR_READ | TW__MIR_WRITE;
    operand->tied = own.reg;
    t->list[t->count++] = t->list[to];
    return true;
}

static bool text_input(text_statement *t, const char *constraint, LLVMValueRef value)
{
    if (g_ascii_isdigit(constraint[0])) return text_tied(t, value, (unsigned)strtoul(constraint, NULL, 10));
    bool is_constant = LLVMIsConstant(value) && !LLVMIsUndef(value);
    if (strpbrk(constraint, "inIs") && (is_constant || !strchr(constraint, 'r'))) return text_number(t, value);
    if (strchr(constraint, '*') || strchr(constraint, 'm'))
        return text_wrong(t, "memory operands are not supported; pass the address with \"r\"");
    if (!strchr(constraint, 'r') && !strchr(constraint, 'X'))
        return text_wrong(t, "a constraint is r, i or a number");
    tw__sel_part part = text_join(t, LLVMTypeOf(value), value);
    t->list[t->count++] = (text_operand){ TEXT_INPUT, t->operand_count };
    t->operands[t->operand_count++] = IN(part);
    return true;
}

/* "m3", "a0:1"; false: a name that means nothing here, as "cc". */
static bool text_registers(const char *name, char *file, unsigned long *from, unsigned long *to)
{
    char *end;
    if ((name[0] != 'm' && name[0] != 'a') || !g_ascii_isdigit(name[1])) return false;
    *file = name[0];
    *from = *to = strtoul(name + 1, &end, 10);
    if (*end == ':' && g_ascii_isdigit(end[1])) *to = strtoul(end + 1, &end, 10);
    return !*end;
}

/* "~{memory}", "~{$a0:1}", "~{m3}" */
static bool text_clobber(text_statement *t, const char *name)
{
    unsigned long from, to;
    char file;
    if (name[0] == '$') name++;
    if (strcmp(name, "memory") == 0) {
        t->clobbers_memory = true;
        return true;
    }
    if (!text_registers(name, &file, &from, &to)) return true;
    if (from > 15 || to > 15) return text_wrong(t, "a clobbered register that does not exist");
    t->has_clobbers = true;
    for (unsigned long i = from; i <= to && t->operand_count < TEXT_OPERANDS * 2; i++)
        t->operands[t->operand_count++] =
            OUT(tw__sel_physical(file == 'm' ? TW__MIR_MAIN : TW__MIR_AUX, (unsigned)i, 1));
    return true;
}

static void text_results(text_statement *t)
{
    LLVMTypeRef type = LLVMTypeOf(t->call);
    unsigned count = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 1;
    for (unsigned i = 0; i < count && i < TEXT_OPERANDS; i++)
        t->outputs[i] = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i) : type;
}

static bool text_constraints(text_statement *t, const char *all)
{
    unsigned argument = 0;
    char **list = g_strsplit(all, ",", -1);
    bool is_fine = true;
    for (char **one = list; *one && is_fine; one++) {
        const char *c = *one;
        if (t->count >= TEXT_OPERANDS)
            is_fine = text_wrong(t, "more than 32 operands");
        else if (g_str_has_prefix(c, "~{") && c[2])
            is_fine = text_clobber(t, g_strdelimit(*one, "}", '\0') + 2);
        else if (c[0] == '=')
            is_fine = text_output(t, c + 1);
        else
            is_fine = text_input(t, c, LLVMGetOperand(t->call, argument++));
    }
    g_strfreev(list);
    return is_fine && !t->s->has_failed;
}

/* --- one instruction -------------------------------------------------------------------------------------------- */

/* "$3" alone, as an index of the list; -1: something else. */
static int text_reference(const text_statement *t, const char *word)
{
    char *end;
    if (word[0] != '$' || !g_ascii_isdigit(word[1])) return -1;
    unsigned long index = strtoul(word + 1, &end, 10);
    return *end || index >= t->count ? -1 : (int)index;
}

static bool text_fits(const text_statement *t, const tw_isa_operand *kind, const text_operand *operand)
{
    uint32_t field;
    if (operand->kind == TEXT_NUMBER)
        return !kind->registers && kind->file != TW_ISA_CODE && t->is_value[operand->at] &&
               (kind->file != TW_ISA_CONST || tw__isa_constant_fits(kind, t->values[operand->at], &field)) &&
               t->values[operand->at] >= -32768 && (kind->file == TW_ISA_CONST || t->values[operand->at] < 256);
    if (!kind->registers || kind->suffix[0]) return false;
    const tw__mir_operand *o = &t->operands[operand->at];
    unsigned use = (kind->reads ? TW__MIR_READ : 0u) | (kind->writes ? TW__MIR_WRITE : 0u);
    tw__mir_reg reg = o->reg;
    unsigned file = reg >= TW__MIR_VIRTUAL ? t->s->f->vregs[reg - TW__MIR_VIRTUAL].file : reg >= TW__MIR_A0;
    return o->words == kind->registers && o->use == use && file == (kind->file == TW_ISA_ARF);
}

static const tw_isa_row *text_row(const text_statement *t, const char *name, const int *indices, unsigned count)
{
    char *lower = g_ascii_strdown(name, -1);
    const tw__isa_name *found = tw__isa_lookup(lower, strlen(lower));
    g_free(lower);
    for (unsigned i = 0; found && i < found->row_count; i++) {
        const tw_isa_row *row = &tw__isa_rows[found->rows[i]];
        bool fits = row->count == count && row->archs & t->s->mir->arch && !(row->flags & TW_ISA_CONTROL);
        for (unsigned k = 0; fits && k < count; k++) fits = text_fits(t, row->operands[k], &t->list[indices[k]]);
        if (fits) return row;
    }
    return NULL;
}

/* True: it was written as a row. */
static bool text_as_row(text_statement *t, const char *text)
{
    int indices[TW_ISA_OPERANDS];
    unsigned count = 0;
    if (t->has_clobbers || strlen(text) > 100 || strpbrk(text, ";\n{}")) return false;
    char **words = g_strsplit_set(text, " \t,", -1);
    const char *name = NULL;
    bool is_fine = true;
    for (char **word = words; *word && is_fine; word++) {
        if (!**word) continue;
        if (!name) {
            name = *word;
            continue;
        }
        is_fine = count < TW_ISA_OPERANDS && (indices[count] = text_reference(t, *word)) >= 0;
        count++;
    }
    const tw_isa_row *row = is_fine && name ? text_row(t, name, indices, count) : NULL;
    g_strfreev(words);
    bool is_used[TEXT_OPERANDS * 2] = { false };
    for (unsigned k = 0; row && k < count; k++)
        if (t->list[indices[k]].kind != TEXT_NUMBER) is_used[t->list[indices[k]].at] = true;
    for (unsigned k = 0; row && k < t->operand_count; k++)
        if (!is_used[k]) row = NULL;
    if (!row) return false;
    tw__mir_operand operands[TW_ISA_OPERANDS];
    for (unsigned k = 0; k < count; k++) {
        const text_operand *operand = &t->list[indices[k]];
        operands[k] = operand->kind == TEXT_NUMBER ? NUM(t->values[operand->at]) : t->operands[operand->at];
        operands[k].is_early = false;
    }
    tw__mir_insn *insn = tw__sel_emit(t->s, (unsigned)tw__isa_index(row), count, operands);
    insn->has_effect = LLVMGetInlineAsmHasSideEffects(LLVMGetCalledValue(t->call)) || t->clobbers_memory;
    if (t->clobbers_memory) insn->memory.use = TW__MIR_READ | TW__MIR_WRITE;
    return true;
}

/* --- text ------------------------------------------------------------------------------------------------------- */

/* "$0", "${0:c}", "$$", "${:uid}", and "$(a$|b$)", of which the first is meant. */
static bool text_write(text_statement *t, const char *text, GString *out)
{
    static const char uid[] = "{:uid}";
    bool is_skipped = false;
    for (const char *p = text; *p; p++) {
        char *end;
        if (*p != '$') {
            if (*p == '%' && !is_skipped) g_string_append_c(out, '%');
            if (!is_skipped) g_string_append_c(out, *p);
            continue;
        }
        p++;
        if (*p == '(' || *p == ')' || *p == '|') {
            is_skipped = *p == '|';
            continue;
        }
        if (is_skipped) continue;
        if (*p == '$') {
            g_string_append_c(out, '$');
            continue;
        }
        if (strncmp(p, uid, strlen(uid)) == 0) {
            g_string_append_printf(out, "%u_%u", t->s->f->number, t->s->text_count);
            p += strlen(uid) - 1;
            continue;
        }
        bool is_braced = *p == '{';
        if (is_braced) p++;
        unsigned long index = strtoul(p, &end, 10);
        if (end == p || index >= t->count) return text_wrong(t, "a reference to an operand that is not there");
        p = end;
        while (is_braced && *p && *p != '}') p++;
        if (!is_braced || !*p) p--;
        if (t->list[index].kind == TEXT_NUMBER)
            g_string_append(out, t->numbers[t->list[index].at]);
        else
            g_string_append_printf(out, "%%%u", t->list[index].at);
    }
    return true;
}

static bool text_emit(text_statement *t)
{
    size_t length = 0;
    LLVMValueRef assembly = LLVMGetCalledValue(t->call);
    char *text = g_strdup(LLVMGetInlineAsmAsmString(assembly, &length));
    g_strstrip(text);
    bool is_fine = true;
    if (!*text && !t->operand_count) {
        /* a mark for LLVM's passes, which are over */
    } else if (!text_as_row(t, text)) {
        GString *out = g_string_new(NULL);
        t->s->text_count++;
        is_fine = text_write(t, text, out);
        tw__mir_insn *insn = tw__sel_emit(t->s, TW__MIR_text, t->operand_count, t->operands);
        insn->text = tw__arena_strdup(t->s->mir->arena, out->str);
        insn->has_effect = true;
        insn->memory.use = TW__MIR_READ | TW__MIR_WRITE;
        g_string_free(out, TRUE);
    }
    g_free(text);
    return is_fine;
}

bool tw__sel_text(tw__sel *s, LLVMValueRef call, tw__sel_part *out)
{
    text_statement t = { .s = s, .call = call };
    size_t length = 0;
    const char *constraints = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
    char *all = g_strndup(constraints, length);
    text_results(&t);
    bool is_fine = (!*all || text_constraints(&t, all)) && text_emit(&t);
    for (unsigned i = 0, at = 0; is_fine && i < t.output_count; i++) {
        text_split(&t, t.outputs[i], t.results[i], out + at);
        at += tw__sel_shape_of(s, t.outputs[i]).parts;
    }
    for (unsigned i = 0; i < t.number_count; i++) g_free(t.numbers[i]);
    g_free(all);
    return is_fine && !s->has_failed;
}
