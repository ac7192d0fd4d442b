/* SPDX-License-Identifier: MIT */
/* Ends of blocks: branches, switches, ends of functions. */
#include "poplar/colossus/cc/sel/sel.h"

void tw__sel_jump(tw__sel *s, uint32_t to)
{
    EMIT(s, TW__OP_bri, TO(to));
    tw__mir_add_successor(s->mir, tw__sel_here(s), to);
}

/* A branch of a row with one register: brnz, brz, brneg, brpos. */
static void branch_if(tw__sel *s, unsigned op, tw__sel_part test, uint32_t to)
{
    EMIT(s, op, IN(test), TO(to));
    tw__mir_add_successor(s->mir, tw__sel_here(s), to);
}

/* Signs are read from the register itself: x < 0, x >= 0 and the like. 0: another condition. */
static unsigned branch_on_sign(LLVMValueRef condition, LLVMValueRef *value)
{
    static const struct {
        LLVMIntPredicate predicate;
        int64_t number;
        unsigned op;
    } rows[] = {
        { LLVMIntSLT, 0, TW__OP_brneg },
        { LLVMIntSGT, -1, TW__OP_brpos },
        { LLVMIntSGE, 0, TW__OP_brpos },
        { LLVMIntSLE, -1, TW__OP_brneg },
    };
    int64_t number;
    if (!LLVMIsAICmpInst(condition) || !tw__sel_number(LLVMGetOperand(condition, 1), &number, NULL)) return 0;
    *value = LLVMGetOperand(condition, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(*value)) != LLVMIntegerTypeKind) return 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].predicate == LLVMGetICmpPredicate(condition) && rows[i].number == number) return rows[i].op;
    return 0;
}

static bool branch_conditional(tw__sel *s, LLVMValueRef instruction)
{
    LLVMValueRef condition = LLVMGetCondition(instruction), value;
    uint32_t yes = tw__sel_block_of(s, LLVMGetSuccessor(instruction, 0));
    uint32_t no = tw__sel_block_of(s, LLVMGetSuccessor(instruction, 1));
    bool is_inverse = false, is_known = g_hash_table_contains(s->values, condition);
    int64_t number;
    if (yes == no || tw__sel_number(condition, &number, NULL)) {
        tw__sel_jump(s, yes == no || number ? yes : no);
        if (yes != no) tw__mir_add_successor(s->mir, tw__sel_here(s), number ? no : yes);
        return true;
    }
    unsigned op = is_known ? 0 : branch_on_sign(condition, &value);
    if (op) {
        unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
        tw__sel_part words[2];
        if (bits > 32)
            tw__sel_extended2(s, value, true, words);
        else
            words[1] = tw__sel_extended(s, value, true);
        branch_if(s, op, words[1], yes);
    } else {
        tw__sel_part test = tw__sel_test(s, condition, &is_inverse);
        branch_if(s, is_inverse ? TW__OP_brz : TW__OP_brnz, test, yes);
    }
    tw__sel_jump(s, no);
    return !s->has_failed;
}

/* --- switch: compares and tables -------------------------------------------------------------------------------- */

typedef struct branch_case {
    int64_t number; /* as the word has it, extended */
    uint32_t to;
} branch_case;

typedef struct branching {
    tw__sel_part word;
    bool is_signed;   /* how it is extended */
    bool is_complete; /* there are no other values */
    uint32_t other;   /* where they go */
} branching;

/* CHAIN: cases that are compared one after the other. SPAN: entries that a `jump` can have. NEAR: a first case up to
 * this one gets entries for those from 0 on in front of it, which take a turn less than a subtraction. */
enum { BRANCH_CHAIN = 4, BRANCH_SPAN = 0x8000, BRANCH_NEAR = 2 };

static int branch_order(const void *a, const void *b)
{
    const branch_case *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static uint64_t branch_span(const branch_case *cases, unsigned count)
{
    return (uint64_t)cases[count - 1].number - (uint64_t)cases[0].number;
}

/* What comes behind here in the same block of LLVM. */
static void branch_on(tw__sel *s)
{
    uint32_t next = tw__sel_new_block(s);
    tw__sel_jump(s, next);
    s->block = next;
}

static void branch_equal(tw__sel *s, tw__sel_part word, int64_t number, uint32_t to)
{
    if (number)
        branch_if(s, TW__OP_brnz, tw__sel_with(s, tw__sel_equal, word, (int32_t)number), to);
    else
        branch_if(s, TW__OP_brz, word, to);
}

static void branch_chain(tw__sel *s, const branching *b, const branch_case *cases, unsigned count)
{
    unsigned compared = b->is_complete ? count - 1 : count;
    for (unsigned i = 0; i < compared; i++) {
        if (i) branch_on(s);
        branch_equal(s, b->word, cases[i].number, cases[i].to);
    }
    tw__sel_jump(s, compared < count ? cases[compared].to : b->other);
}

/* Compares take two instructions for each case and two for each CHAIN of them; on average 5 turns for CHAIN, and 2
 * more whenever the number of cases doubles. A table takes a word for each number and six instructions, each a
 * turn (four where no other values have to be kept out): it is taken where it is faster and not larger. Its `br`
 * needs a list of what is called through pointers, so that functions that need one from their writer get no table:
 * its lack would not be told (guide 2.8.1). */
static bool branch_is_dense(const tw__sel *s, const branching *b, const branch_case *cases, unsigned count)
{
    unsigned least = b->is_complete ? 4 : 6; /* cases; instructions, too */
    if (count < least || s->calls_pointers) return false;
    uint64_t span = branch_span(cases, count) + 1;
    return span < BRANCH_SPAN && 4 * (span + least) <= 10 * (uint64_t)count;
}

static void branch_table(tw__sel *s, const branching *b, const branch_case *cases, unsigned count)
{
    int64_t first = cases[0].number;
    if (first >= 0 && first <= BRANCH_NEAR) first = 0;
    unsigned span = (unsigned)(cases[count - 1].number - first) + 1;
    tw__sel_part index = first ? tw__sel_with(s, tw__sel_add, b->word, (int32_t)-first) : b->word;
    if (!b->is_complete) {
        branch_if(s, TW__OP_brz, tw__sel_with(s, tw__sel_below, index, span), b->other);
        branch_on(s);
    }
    const char *name = tw__arena_printf(s->mir->arena, ".Lt%u_%u", s->f->number, s->block);
    tw__sel_part table = tw__sel_address(s, name, 0), zero = tw__sel_zero(TW__MIR_MAIN, 1);
    g_autofree tw__mir_operand *operands = g_new(tw__mir_operand, span + 1);
    operands[0] = IN(MAKE(s, TW__OP_ld32_m, IN(table), IN(zero), IN(index)));
    for (unsigned i = 0; i < span; i++) {
        bool is_case = cases->number == first + i;
        operands[i + 1] = TO(is_case ? cases++->to : b->other);
        tw__mir_add_successor(s->mir, tw__sel_here(s), operands[i + 1].index);
    }
    tw__sel_emit(s, TW__MIR_jump, span + 1, operands)->text = name;
}

/* Where to part cases in two: between neighbours that are farthest apart, in the middle half. */
static unsigned branch_half(const branch_case *cases, unsigned count)
{
    unsigned best = count / 2;
    for (unsigned i = count / 4 + 1; i < count - count / 4; i++)
        if (cases[i].number - cases[i - 1].number > cases[best].number - cases[best - 1].number) best = i;
    return best;
}

static void branch_tree(tw__sel *s, const branching *b, const branch_case *cases, unsigned count)
{
    static const uint16_t less[] = { TW__OP_cmpslt_m, TW__OP_cmpslt_s, 0 };
    while (count > BRANCH_CHAIN && !branch_is_dense(s, b, cases, count)) {
        unsigned half = branch_half(cases, count);
        uint32_t low = tw__sel_new_block(s);
        const uint16_t *rows = b->is_signed ? less : tw__sel_below;
        branch_if(s, TW__OP_brnz, tw__sel_with(s, rows, b->word, cases[half].number), low);
        branch_on(s);
        uint32_t high = s->block;
        s->block = low;
        branch_tree(s, b, cases, half);
        s->block = high;
        cases += half;
        count -= half;
    }
    if (branch_is_dense(s, b, cases, count))
        branch_table(s, b, cases, count);
    else
        branch_chain(s, b, cases, count);
}

/* 64 bits: first the upper word, then the lower one among the cases that share it. */
static void branch_long(tw__sel *s, branching *b, const tw__sel_part words[2], branch_case *cases, unsigned count)
{
    b->word = words[0];
    for (unsigned n; count; cases += n, count -= n) {
        int64_t high = cases->number >> 32;
        for (n = 0; n < count && cases[n].number >> 32 == high; n++) cases[n].number &= UINT32_MAX;
        if (n == count && b->is_complete) {
            branch_tree(s, b, cases, n);
            return;
        }
        uint32_t low = tw__sel_new_block(s);
        branch_equal(s, words[1], high, low);
        if (n < count)
            branch_on(s);
        else
            tw__sel_jump(s, b->other);
        uint32_t next = s->block;
        s->block = low;
        branch_tree(s, b, cases, n);
        s->block = next;
    }
}

/* Cases in ascending order, their numbers extended. */
static void branch_cases(tw__sel *s, LLVMValueRef instruction, bool is_signed, branch_case *cases, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef number = LLVMGetOperand(instruction, 2 * i + 2);
        cases[i].number = is_signed ? LLVMConstIntGetSExtValue(number) : (int64_t)LLVMConstIntGetZExtValue(number);
        cases[i].to = tw__sel_block_of(s, LLVMGetSuccessor(instruction, i + 1));
    }
    qsort(cases, count, sizeof *cases, branch_order);
}

/* Extended as the cases lie closer together, or as it is anyway. */
static bool branch_is_signed(tw__sel *s, LLVMValueRef instruction, branch_case *cases, unsigned count)
{
    uint64_t spans[2];
    for (unsigned i = 0; i < 2; i++) {
        branch_cases(s, instruction, i, cases, count);
        spans[i] = branch_span(cases, count);
    }
    return spans[1] < spans[0] ||
           (spans[1] == spans[0] && tw__sel_known(s, LLVMGetOperand(instruction, 0)) == TW__SEL_SIGNS);
}

static bool branch_switch(tw__sel *s, LLVMValueRef instruction)
{
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    LLVMBasicBlockRef other = LLVMGetSwitchDefaultDest(instruction);
    unsigned count = LLVMGetNumSuccessors(instruction) - 1, bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    g_autofree branch_case *cases = g_new(branch_case, count + 1);
    branching b = { .other = tw__sel_block_of(s, other) };
    if (!count) return tw__sel_jump(s, b.other), true;
    b.is_complete = LLVMIsAUnreachableInst(LLVMGetFirstInstruction(other));
    b.is_signed = bits <= 32 && branch_is_signed(s, instruction, cases, count);
    branch_cases(s, instruction, b.is_signed, cases, count);
    uint32_t here = s->block;
    if (bits > 32) {
        tw__sel_part words[2];
        tw__sel_extended2(s, value, false, words);
        branch_long(s, &b, words, cases, count);
    } else {
        b.word = tw__sel_extended(s, value, b.is_signed);
        branch_tree(s, &b, cases, count);
    }
    s->block = here;
    return !s->has_failed;
}

/* --- ends of functions ------------------------------------------------------------------------------------------ */

/* The status of a worker: what its entry returns, or true. */
static bool branch_exit(tw__sel *s, LLVMValueRef instruction)
{
    int64_t number = 1;
    bool is_inverse = false;
    LLVMValueRef value = LLVMGetNumOperands(instruction) ? LLVMGetOperand(instruction, 0) : NULL;
    if (!value || tw__sel_number(value, &number, NULL)) {
        EMIT(s, number ? TW__OP_exitz : TW__OP_exitnz, IN(tw__sel_zero(TW__MIR_MAIN, 1)));
        return true;
    }
    tw__sel_part test = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1 ? tw__sel_test(s, value, &is_inverse)
                                                                    : tw__sel_extended(s, value, false);
    EMIT(s, is_inverse ? TW__OP_exitz : TW__OP_exitnz, IN(test));
    return !s->has_failed;
}

bool tw__sel_terminator(tw__sel *s, LLVMValueRef instruction)
{
    tw__sel_set_line(s, instruction);
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMBr:
        if (LLVMIsConditional(instruction)) return branch_conditional(s, instruction);
        tw__sel_jump(s, tw__sel_block_of(s, LLVMGetSuccessor(instruction, 0)));
        return true;
    case LLVMSwitch: return branch_switch(s, instruction);
    case LLVMRet:
        if (s->f->context == TW__MIR_WORKER) return branch_exit(s, instruction);
        return tw__sel_return(s, instruction);
    case LLVMUnreachable: EMIT(s, TW__OP_trap, NUM(0)); return true;
    case LLVMIndirectBr:
        return tw__sel_refuse(s, "cc.instruction", "jumps to computed labels are not supported; use a switch");
    case LLVMCallBr:
        return tw__sel_refuse(s, "cc.asm",
                              "inline assembly cannot jump to labels; let it give a value to branch on");
    default: return tw__sel_refuse(s, "cc.exceptions", "the chip has no C++ exceptions; return a status instead");
    }
}
