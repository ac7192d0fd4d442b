/* SPDX-License-Identifier: MIT */
/* Loops whose rounds LLVM has counted (its pass hardware-loops): the number of rounds is set in front of them, and one
 * block, which the way round always takes, counts down and leaves. The counter here is the number less one: what
 * `brnzdec` wants. */
#include "poplar/colossus/cc/sel/intrinsic.h"

static const char *loop_callee(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMIsAFunction(LLVMGetCalledValue(instruction)) : NULL;
    size_t length = 0;
    return callee ? LLVMGetValueName2(callee, &length) : NULL;
}

static LLVMValueRef loop_call_in(LLVMBasicBlockRef block, const char *base)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        const char *name = loop_callee(i);
        if (name && g_str_has_prefix(name, "llvm.") && tw__sel_is_named(name, base)) return i;
    }
    return NULL;
}

/* --- which belong together -------------------------------------------------------------------------------------- */

static GHashTable *loop_predecessors(GPtrArray *blocks)
{
    GHashTable *before = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
    for (guint i = 0; i < blocks->len; i++) g_hash_table_insert(before, blocks->pdata[i], g_ptr_array_new());
    for (guint i = 0; i < blocks->len; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks->pdata[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            g_ptr_array_add(g_hash_table_lookup(before, LLVMGetSuccessor(end, k)), blocks->pdata[i]);
    }
    return before;
}

/* Only innermost loops are counted, so the nearest block that sets a number, against the flow, is that of the loop. */
static LLVMBasicBlockRef loop_start_of(GHashTable *before, LLVMBasicBlockRef block)
{
    GHashTable *seen = g_hash_table_new(NULL, NULL);
    GPtrArray *work = g_ptr_array_new();
    LLVMBasicBlockRef found = NULL;
    g_ptr_array_add(work, block);
    g_hash_table_add(seen, block);
    for (guint i = 0; i < work->len && !found; i++) {
        GPtrArray *from = g_hash_table_lookup(before, work->pdata[i]);
        for (guint k = 0; from && k < from->len && !found; k++) {
            if (loop_call_in(from->pdata[k], "set.loop.iterations"))
                found = from->pdata[k];
            else if (g_hash_table_add(seen, from->pdata[k]))
                g_ptr_array_add(work, from->pdata[k]);
        }
    }
    g_ptr_array_unref(work);
    g_hash_table_unref(seen);
    return found;
}

void tw__sel_find_loops(tw__sel *s, GPtrArray *blocks)
{
    GHashTable *before = NULL;
    for (guint i = 0; i < blocks->len; i++) {
        LLVMValueRef decrement = loop_call_in(blocks->pdata[i], "loop.decrement");
        if (!decrement) continue;
        if (!before) before = loop_predecessors(blocks);
        LLVMBasicBlockRef start = loop_start_of(before, blocks->pdata[i]);
        if (!start) {
            tw__sel_refuse(s, "cc.instruction", "a loop counts down and nothing says how often");
            break;
        }
        tw__sel_loop *loop = TW__NEW(s->mir->arena, tw__sel_loop);
        loop->start = start;
        loop->header = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(start), 0);
        loop->end = blocks->pdata[i];
        loop->decrement = decrement;
        loop->first = tw__sel_new(s, TW__MIR_MAIN, 1);
        loop->counter = tw__sel_new(s, TW__MIR_MAIN, 1);
        loop->next = tw__sel_new(s, TW__MIR_MAIN, 1);
        g_ptr_array_add(s->loops, loop);
    }
    if (before) g_hash_table_unref(before);
}

static tw__sel_loop *loop_with(tw__sel *s, LLVMBasicBlockRef start, LLVMBasicBlockRef end, LLVMBasicBlockRef header)
{
    for (guint i = 0; i < s->loops->len; i++) {
        tw__sel_loop *loop = s->loops->pdata[i];
        if (loop->start == start || loop->end == end || loop->header == header) return loop;
    }
    return NULL;
}

/* --- code ------------------------------------------------------------------------------------------------------- */

bool tw__sel_loop_start(tw__sel *s, LLVMValueRef call)
{
    LLVMValueRef rounds = LLVMGetOperand(call, 0);
    tw__sel_loop *loop = loop_with(s, LLVMGetInstructionParent(call), NULL, NULL);
    int64_t number;
    if (!loop) return true;
    if (tw__sel_number(rounds, &number, NULL)) {
        EMIT(s, TW__MIR_value, OUT(loop->first), NUM((uint32_t)(number - 1)));
        s->f->blocks[tw__sel_block_of(s, loop->header)].most_rounds = (uint32_t)number;
    } else {
        EMIT(s, TW__OP_add_s, OUT(loop->first), IN(tw__sel_part1(s, rounds)), NUM(-1));
    }
    return true;
}

bool tw__sel_loop_decrement(tw__sel *s, LLVMValueRef call, tw__sel_part *out)
{
    tw__sel_loop *loop = loop_with(s, NULL, LLVMGetInstructionParent(call), NULL);
    if (!loop) return false;
    if (loop->is_branch) return true;
    out[0] = MAKE(s, TW__OP_cmpult_m, IN(tw__sel_zero(TW__MIR_MAIN, 1)), IN(loop->counter));
    EMIT(s, TW__OP_add_s, OUT(loop->next), IN(loop->counter), NUM(-1));
    return true;
}

bool tw__sel_loop_branch(tw__sel *s, LLVMValueRef instruction)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    tw__sel_loop *loop = loop_with(s, NULL, block, NULL);
    LLVMBasicBlockRef again = LLVMGetSuccessor(instruction, 0), out = LLVMGetSuccessor(instruction, 1);
    if (!loop || LLVMGetCondition(instruction) != loop->decrement || again != loop->header || out == loop->header)
        return false;
    if (LLVMGetNextUse(LLVMGetFirstUse(loop->decrement))) return false;
    uint32_t header = tw__sel_block_of(s, loop->header);
    loop->is_branch = true;
    tw__mir_operand counter = { .kind = TW__MIR_REG,
                                .use = TW__MIR_READ | TW__MIR_WRITE,
                                .words = 1,
                                .reg = loop->next.reg,
                                .tied = loop->counter.reg };
    EMIT(s, TW__OP_brnzdec, counter, TO(header));
    tw__mir_add_successor(s->mir, tw__sel_here(s), header);
    s->f->blocks[header].is_counted = again == block;
    tw__sel_jump(s, tw__sel_block_of(s, out));
    return true;
}

void tw__sel_loop_phi(tw__sel *s, LLVMBasicBlockRef header)
{
    for (guint i = 0; i < s->loops->len; i++) {
        tw__sel_loop *loop = s->loops->pdata[i];
        if (loop->header != header) continue;
        tw__mir_block *block = tw__sel_here(s);
        tw__mir_operand *operands = g_new0(tw__mir_operand, 1 + 2 * block->predecessor_count);
        unsigned count = 0;
        operands[count++] = OUT(loop->counter);
        for (unsigned k = 0; k < block->predecessor_count; k++) {
            uint32_t from = block->predecessors[k];
            bool is_start = g_array_index(s->origins, LLVMBasicBlockRef, from) == loop->start;
            operands[count++] = TO(from);
            operands[count++] = IN(is_start ? loop->first : loop->next);
        }
        tw__sel_emit(s, TW__MIR_phi, count, operands);
        g_free(operands);
    }
}
