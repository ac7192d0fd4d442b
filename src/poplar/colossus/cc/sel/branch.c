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

/* --- switch: a tree of compares --------------------------------------------------------------------------------- */

typedef struct branch_case {
    uint64_t number;
    uint32_t to;
} branch_case;

static int branch_order(const void *a, const void *b)
{
    const branch_case *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void branch_equal(tw__sel *s, const tw__sel_part words[2], bool is_long, const branch_case *one)
{
    uint32_t low = (uint32_t)one->number, high = (uint32_t)(one->number >> 32);
    if (!is_long && !low) {
        branch_if(s, TW__OP_brz, words[0], one->to);
        return;
    }
    tw__sel_part test;
    if (is_long) {
        tw__sel_part numbers[2];
        numbers[0] = tw__sel_constant(s, low, TW__MIR_MAIN);
        numbers[1] = tw__sel_constant(s, high, TW__MIR_MAIN);
        test = tw__sel_long_compare(s, LLVMIntEQ, words, numbers);
    } else {
        test = tw__sel_with(s, tw__sel_equal, words[0], low);
    }
    branch_if(s, TW__OP_brnz, test, one->to);
}

enum { BRANCH_CHAIN = 4 };

static void branch_tree(tw__sel *s, const tw__sel_part words[2], bool is_long, const branch_case *cases,
                        unsigned count, uint32_t other)
{
    while (count > BRANCH_CHAIN && !is_long) {
        unsigned half = count / 2;
        uint32_t low = tw__sel_new_block(s);
        tw__sel_part below = tw__sel_with(s, tw__sel_below, words[0], (int64_t)cases[half].number);
        branch_if(s, TW__OP_brnz, below, low);
        uint32_t high = tw__sel_new_block(s);
        tw__sel_jump(s, high);
        s->block = low;
        branch_tree(s, words, is_long, cases, half, other);
        s->block = high;
        cases += half;
        count -= half;
    }
    for (unsigned i = 0; i < count; i++) {
        branch_equal(s, words, is_long, &cases[i]);
        if (i + 1 == count) break;
        uint32_t next = tw__sel_new_block(s);
        tw__sel_jump(s, next);
        s->block = next;
    }
    tw__sel_jump(s, other);
}

static bool branch_switch(tw__sel *s, LLVMValueRef instruction)
{
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    unsigned count = LLVMGetNumSuccessors(instruction) - 1, bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    tw__sel_part words[2];
    branch_case *cases = g_new(branch_case, count + 1);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef number = LLVMGetOperand(instruction, 2 * i + 2);
        cases[i].number = LLVMConstIntGetZExtValue(number);
        cases[i].to = tw__sel_block_of(s, LLVMGetSuccessor(instruction, i + 1));
    }
    qsort(cases, count, sizeof *cases, branch_order);
    if (bits > 32)
        tw__sel_extended2(s, value, false, words);
    else
        words[0] = tw__sel_extended(s, value, false);
    uint32_t here = s->block;
    branch_tree(s, words, bits > 32, cases, count, tw__sel_block_of(s, LLVMGetSwitchDefaultDest(instruction)));
    s->block = here;
    g_free(cases);
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
    default: return tw__sel_refuse(s, "cc.exceptions", "the chip has no C++ exceptions; return a status instead");
    }
}
