/* SPDX-License-Identifier: MIT */
/* Instructions: mnemonic and operands to a row of the table. The first row that fits wins, then the aliases. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

typedef enum misfit {
    FITS,
    WRONG_KIND,
    WRONG_FILE,
    WRONG_COUNT,
    WRONG_SUFFIX,
    NOT_A_CONSTANT,
    NOT_AN_INTEGER,
    OUT_OF_RANGE
} misfit;

/* What the closest row had against the operands, for the message. */
typedef struct attempt {
    const tw_isa_row *row;
    size_t operand;                    /* of the text */
    const tw_isa_operand *kind, *also; /* also: of another row that came as far; NULL */
    misfit why;
    int score;
} attempt;

static const char *const suffix_texts[] = { "", "+=", "++", "@", ">>", ":B", ":BL", ":BU" };

/* --- one operand ---------------------------------------------------------------------------------------------- */

/* $azero as an address part is read as $mzero, as the vendor's assembler does: both are register 15. */
static bool is_zero_for(const tw_isa_operand *kind, const operand *o)
{
    return kind->file == TW_ISA_MRF && !kind->writes && o->file == TW_ISA_ARF && o->number == 15 && o->count == 1 &&
           (strcmp(kind->name, "Mbase") == 0 || strcmp(kind->name, "Mdelta") == 0);
}

static misfit fit_register(const tw_isa_operand *kind, const operand *o)
{
    if (o->kind != O_REGISTER) return WRONG_KIND;
    if (o->file != kind->file && !is_zero_for(kind, o)) return WRONG_FILE;
    if (o->count != kind->registers || !tw__isa_register_fits(kind, o->number)) return WRONG_COUNT;
    if (strcmp(kind->suffix, suffix_texts[o->suffix]) == 0) return FITS;
    /* The two lowest parts have one encoding, and real code mixes their names. */
    bool lowest = (o->suffix == S_B && strcmp(kind->suffix, ":BL") == 0) ||
                  (o->suffix == S_BL && strcmp(kind->suffix, ":B") == 0);
    return lowest ? FITS : WRONG_SUFFIX;
}

/* The number meant for this kind of operand. A bare number of a branch counts words; one that comes from a symbol is
 * an address. Halves of the control registers: names tell, plain numbers are indices of either half. */
static int64_t number_for(const tw_isa_operand *kind, const operand *o, int64_t number)
{
    if (kind->file == TW_ISA_CODE && !o->value.symbolic) return number * (INT64_C(1) << kind->shift);
    if (kind->file == TW_ISA_UCSR && o->kind == O_CSR) return number >= 256 ? number - 256 : -1;
    /* ~0xFFFFF and the like: the upper bits of a word, written as a negative number */
    if (kind->shift == 20 && number < 0 && number >= INT32_MIN) return number + (INT64_C(1) << 32);
    return number;
}

static misfit fit_value(const tw_isa_operand *kind, const operand *o, bool negated, uint32_t *number)
{
    if (o->kind == O_REGISTER) return WRONG_KIND;
    if (o->kind == O_CSR && kind->file != TW_ISA_CSR && kind->file != TW_ISA_UCSR) return WRONG_KIND;
    if (o->value.real) return NOT_AN_INTEGER;
    if (o->value.kind != V_CONST || o->value.modifier) return kind->shift == 20 ? NOT_A_CONSTANT : FITS; /* later */
    int64_t n = negated ? -o->value.number : o->value.number;
    if (negated && o->value.number == INT64_MIN) return OUT_OF_RANGE;
    if (n < -(INT64_C(1) << 40) || n > INT64_C(1) << 40) return OUT_OF_RANGE;
    return tw__isa_constant_fits(kind, number_for(kind, o, n), number) ? FITS : OUT_OF_RANGE;
}

static misfit fit_operand(tw__asm *as, parsed *out, size_t k, const operand *o, bool negated)
{
    const tw_isa_operand *kind = out->row->operands[k];
    out->places[k] = o->place;
    if (kind->registers) {
        out->insn.operands[k] = o->number;
        return fit_register(kind, o);
    }
    uint32_t number = 0;
    misfit why = fit_value(kind, o, negated, &number);
    if (why != FITS) return why;
    if (o->value.kind != V_CONST || o->value.modifier) {
        out->waiting |= 1u << k;
        out->values[k] = negated ? tw__asm_add_values(as, tw__asm_constant(0), o->value, true) : o->value;
        return FITS;
    }
    uint32_t sign = kind->is_signed ? 1u << (kind->bits - 1) : 0;
    out->insn.operands[k] = kind->is_signed ? (number ^ sign) - sign : number << kind->shift;
    return FITS;
}

/* --- one row -------------------------------------------------------------------------------------------------- */

static void remember(attempt *best, const tw_isa_row *row, size_t index, const tw_isa_operand *kind, misfit why)
{
    int score = (int)index * 16 + (int)why;
    if (best->row && best->score == score && kind != best->kind && !best->also) best->also = kind;
    if (best->row && best->score >= score) return;
    *best = (attempt){ row, index, kind, NULL, why, score };
}

static bool fit_row(tw__asm *as, const tw_isa_row *row, const operand *operands, size_t count, parsed *out,
                    attempt *best)
{
    static const operand zero = { .kind = O_REGISTER, .file = TW_ISA_MRF, .number = 15, .count = 1 };
    bool shortened = (row->flags & TW_ISA_SHORT) && count + 1 == row->count;
    if (count != row->count && !shortened) return false;
    out->row = row, out->waiting = 0;
    out->insn = (tw_insn){ .row = (uint16_t)tw__isa_index(row) };
    for (size_t k = 0, j = 0; k < row->count; k++) {
        const operand *o = shortened && k == 2 ? &zero : &operands[j++];
        misfit why = fit_operand(as, out, k, o, false);
        if (why == FITS) continue;
        remember(best, row, j ? j - 1 : 0, row->operands[k], why);
        return false;
    }
    return true;
}

static bool fit_alias(tw__asm *as, const tw_isa_alias *alias, const operand *operands, size_t count, parsed *out,
                      attempt *best)
{
    if (count != alias->count) return false;
    out->row = alias->row, out->waiting = 0;
    out->insn = (tw_insn){ .row = (uint16_t)tw__isa_index(alias->row) };
    for (size_t k = 0; k < alias->row->count; k++) {
        int source = alias->sources[k];
        if (source == TW_ISA_FIXED) {
            out->insn.operands[k] = alias->constants[k];
            continue;
        }
        size_t j = (size_t)(source < 0 ? ~source : source);
        misfit why = fit_operand(as, out, k, &operands[j], source < 0);
        if (why == FITS) continue;
        remember(best, alias->row, j, alias->row->operands[k], why);
        return false;
    }
    return true;
}

/* --- messages ------------------------------------------------------------------------------------------------- */

static void describe_kind(const tw_isa_operand *kind, char buf[120])
{
    static const char *const counts[] = { "", "a register", "a pair of registers", "", "a quad of registers" };
    char range[64];
    switch (kind->file) {
    case TW_ISA_MRF:
    case TW_ISA_ARF:
        g_snprintf(buf, 120, "%s of the %s such as $%c%s%s", counts[kind->registers],
                   kind->file == TW_ISA_MRF ? "MRF" : "ARF", kind->file == TW_ISA_MRF ? 'm' : 'a',
                   kind->registers == 1   ? "2"
                   : kind->registers == 2 ? "2:3"
                                          : "4:7",
                   kind->suffix);
        break;
    case TW_ISA_CSR: g_strlcpy(buf, "a control register such as $WSR", 120); break;
    case TW_ISA_UCSR: g_strlcpy(buf, "a control register of the upper half such as $FP_CTL", 120); break;
    case TW_ISA_CODE: g_strlcpy(buf, "an address", 120); break;
    case TW_ISA_CONST: g_snprintf(buf, 120, "a constant (%s)", tw__isa_range_text(kind, range)); break;
    }
}

/* What was probably meant. */
static void note_of_kind(tw__asm *as, const char *mnemonic, const attempt *best, const operand *o)
{
    char name[16];
    g_strlcpy(name, o->place.at, (gsize)MIN(o->place.length + 1, (int)sizeof name));
    if (strcmp(mnemonic, "mov") == 0 && o->kind == O_VALUE && o->value.kind == V_CONST)
        tw__asm_report(as, o->place, TW_NOTE, "setzi loads a constant of 20 bits, ldconst one of 32");
    else if (best->why == WRONG_KIND && best->kind->registers && o->kind == O_VALUE && tw__asm_is_register(name))
        tw__asm_report(as, o->place, TW_NOTE, "registers begin with a dollar: $%s", name);
}

static void insn_complain(tw__asm *as, const char *mnemonic, const attempt *best, const operand *operands)
{
    const operand *o = &operands[best->operand];
    char wanted[120], range[64], other[64];
    describe_kind(best->kind, wanted);
    if (best->why == OUT_OF_RANGE) {
        fail_at(as, o->place, "operand %zu of '%s' cannot be %lld; legal: %s%s%s", best->operand + 1, mnemonic,
                (long long)o->value.number, tw__isa_range_text(best->kind, range), best->also ? " or " : "",
                best->also ? tw__isa_range_text(best->also, other) : "");
        if (strcmp(mnemonic, "setzi") == 0) tw__asm_report(as, o->place, TW_NOTE, "ldconst loads all 32 bits");
    } else if (best->why == NOT_AN_INTEGER) {
        fail_at(as, o->place, "operand %zu of '%s' cannot be a real number; %.*sh is its half-precision pattern",
                best->operand + 1, mnemonic, o->place.length, o->place.at);
    } else if (best->why == WRONG_SUFFIX) {
        fail_at(as, o->place, "operand %zu of '%s' has to be %s, not '%.*s'", best->operand + 1, mnemonic, wanted,
                o->place.length, o->place.at);
    } else {
        fail_at(as, o->place, "operand %zu of '%s' has to be %s, not '%.*s'", best->operand + 1, mnemonic, wanted,
                o->place.length, o->place.at);
        note_of_kind(as, mnemonic, best, o);
    }
}

static void complain_count(tw__asm *as, place where, const tw__isa_name *name, size_t count)
{
    char text[TW_INSN_TEXT];
    const tw_isa_row *row =
        name->row_count ? &tw__isa_rows[name->rows[0]] : tw_isa_alias_get(name->aliases[0])->row;
    size_t needed = name->row_count ? row->count : tw_isa_alias_get(name->aliases[0])->count;
    fail_at(as, where, "'%s' takes %zu operand%s, not %zu", name->name, needed, needed == 1 ? "" : "s", count);
    g_autoptr(GString) forms = g_string_new(NULL);
    for (size_t i = 0; i < name->row_count; i++)
        g_string_append_printf(forms, "%s%s", i ? " or " : "", tw_isa_syntax(&tw__isa_rows[name->rows[i]], text));
    if (forms->len) tw__asm_report(as, where, TW_NOTE, "%s", forms->str);
}

/* Words of other machines' assemblers, and what stands for them here. */
static const struct {
    const char *word, *here;
} foreign[] = {
    { "b", "bri" },
    { "j", "bri" },
    { "jmp", "bri" },
    { "ret", "br $lr" },
    { "return", "br $lr" },
    { "bl", "call $lr" },
    { "jal", "call $lr" },
    { "ldi", "setzi, or ldconst for 32 bits" },
    { "li", "setzi, or ldconst for 32 bits" },
    { "movi", "setzi, or ldconst for 32 bits" },
    { "beqz", "brz" },
    { "bnez", "brnz" },
    { "bz", "brz" },
    { "bnz", "brnz" },
    { "asr", "shrs" },
    { "lsr", "shr" },
    { "lsl", "shl" },
    { "neg", "sub $mD, $mzero, $mS" },
    { "exit", "exitz $mzero" },
    { "ld8", "ldz8 or lds8" },
    { "ld16", "ldz16 or lds16; ldb16 for $a registers" },
    { "st8", "a store of the word around it: stores have 32 or 64 bits" },
    { "st16", "a store of the word around it: stores have 32 or 64 bits" },
    { "st128", "two of st64: stores have 32 or 64 bits" },
    { "push", "st32 behind 'add $sp, $sp, -8'" },
    { "pop", "ld32 before 'add $sp, $sp, 8'" },
    { "div", "f32div, or a multiplication and shr" },
};

static void unknown_instruction(tw__asm *as, place where, const char *mnemonic)
{
    char hint[TW__HINT_BYTES];
    for (size_t i = 0; i < G_N_ELEMENTS(foreign); i++)
        if (strcmp(foreign[i].word, mnemonic) == 0) {
            fail_at(as, where, "there is no instruction or macro '%s': here it is %s", mnemonic, foreign[i].here);
            return;
        }
    fail_at(as, where, "there is no instruction or macro '%s'%s", mnemonic,
            tw__did_you_mean(hint, tw__isa_nearest(mnemonic)));
}

/* --- all rows ------------------------------------------------------------------------------------------------- */

bool tw__asm_match_instruction(tw__asm *as, const char *mnemonic, place where, const operand *operands,
                               size_t count, parsed *out)
{
    const tw__isa_name *name = tw__isa_lookup(mnemonic, strlen(mnemonic));
    if (!name) {
        unknown_instruction(as, where, mnemonic);
        return false;
    }
    attempt best = { 0 };
    const tw_isa_row *elsewhere = NULL;
    out->place = where;
    for (size_t i = 0; i < name->row_count; i++) {
        const tw_isa_row *row = &tw__isa_rows[name->rows[i]];
        if (!(row->archs & as->arch))
            elsewhere = row;
        else if (fit_row(as, row, operands, count, out, &best))
            return true;
    }
    for (size_t i = 0; i < name->alias_count; i++) {
        const tw_isa_alias *alias = tw_isa_alias_get(name->aliases[i]);
        if (!(alias->row->archs & as->arch))
            elsewhere = alias->row;
        else if (fit_alias(as, alias, operands, count, out, &best))
            return true;
    }
    if (best.row)
        insn_complain(as, mnemonic, &best, operands);
    else if (elsewhere) {
        as->code = TW_ASM_NO_SUCH_INSTRUCTION;
        fail_at(as, where, "%s has no '%s'", tw_isa_arch_name(as->arch), mnemonic);
        as->code = NULL;
    } else
        complain_count(as, where, name, count);
    return false;
}

/* --- ldconst -------------------------------------------------------------------------------------------------- */

bool tw__asm_load_constant(tw__asm *as, place where, const operand *operands, size_t count)
{
    if (as->in_bundle) {
        fail_at(as, where, "'ldconst' may take two instructions and cannot stand in a bundle");
        return false;
    }
    if (count != 2 || operands[0].kind != O_REGISTER || operands[0].count != 1 || operands[0].suffix != S_NONE ||
        operands[1].kind != O_VALUE || operands[1].value.real) {
        fail_at(as, where, "'ldconst' takes a register and a 32-bit constant");
        return false;
    }
    operand part[3] = { operands[0], operands[1], operands[1] };
    parsed insn;
    int64_t n = operands[1].value.number;
    if (operands[1].value.kind != V_CONST) { /* an address has 20 bits */
        if (tw__asm_match_instruction(as, "setzi", where, part, 2, &insn)) tw__asm_emit_parsed(as, &insn, 1);
        return true;
    }
    if (n < INT32_MIN || n > (int64_t)UINT32_MAX) {
        fail_at(as, operands[1].place, "%lld does not fit 32 bits", (long long)n);
        return false;
    }
    part[1].value = tw__asm_constant(n & 0xFFFFF);
    if (tw__asm_match_instruction(as, "setzi", where, part, 2, &insn)) tw__asm_emit_parsed(as, &insn, 1);
    part[1] = operands[0], part[2].value = tw__asm_constant(n & 0xFFF00000);
    if (part[2].value.number && tw__asm_match_instruction(as, "or", where, part, 3, &insn))
        tw__asm_emit_parsed(as, &insn, 1);
    return true;
}

void tw__asm_read_instruction(tw__asm *as, const char *at, size_t length)
{
    enum { MAX_OPERANDS = 8 };
    char mnemonic[64];
    operand operands[MAX_OPERANDS];
    size_t count = 0;
    place where = tw__asm_place_at(as, at, length);
    for (size_t i = 0; i < MIN(length, sizeof mnemonic - 1); i++) mnemonic[i] = g_ascii_tolower(at[i]);
    mnemonic[MIN(length, sizeof mnemonic - 1)] = 0;
    while (!tw__asm_at_end_of_statement(as)) {
        if (count == MAX_OPERANDS) {
            fail_at(as, where, "too many operands");
            tw__asm_skip_statement(as);
            return;
        }
        if (!tw__asm_read_operand(as, &operands[count])) {
            if (!tw__isa_lookup(mnemonic, strlen(mnemonic)) && strcmp(mnemonic, "ldconst") != 0) {
                unknown_instruction(as, where, mnemonic);
            }
            tw__asm_skip_statement(as);
            return;
        }
        bool stepped = operands[count].kind == O_REGISTER && operands[count].suffix == S_INC;
        count++;
        if (tw__asm_accept(as, ',')) {
            if (!tw__asm_at_end_of_statement(as)) continue;
            fail_at(as, tw__asm_place_at(as, as->top->at, 1), "an operand is missing behind the comma");
            return;
        } else if (!stepped && !tw__asm_at_end_of_statement(as)) {
            if (!tw__isa_lookup(mnemonic, strlen(mnemonic)))
                unknown_instruction(as, where, mnemonic);
            else
                fail_at(as, tw__asm_place_at(as, as->top->at, 1), "expected ',' or the end of the instruction");
            tw__asm_skip_statement(as);
            return;
        }
    }
    if (strcmp(mnemonic, "ldconst") == 0) {
        tw__asm_load_constant(as, where, operands, count);
        return;
    }
    parsed insn;
    if (!tw__asm_match_instruction(as, mnemonic, where, operands, count, &insn)) return;
    if (!as->in_bundle) {
        tw__asm_emit_parsed(as, &insn, 1);
    } else if (as->half_count < 2) {
        as->halves[as->half_count++] = insn;
    } else {
        as->half_count++;
        fail_at(as, where, "a bundle holds two instructions, and this is the third");
    }
}
