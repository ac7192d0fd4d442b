/* SPDX-License-Identifier: MIT */
/* One function: its blocks from the end to the beginning, phis last of all. */
#include "poplar/colossus/cc/sel/sel.h"

#include "poplar/colossus/cc/cc.h"

/* --- instructions ----------------------------------------------------------------------------------------------- */

static bool function_nothing(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    (void)s, (void)instruction, (void)out;
    return true;
}

/* An instruction that is its operand, whose registers a phi wanted as they are. */
static bool function_same(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(instruction));
    memcpy(out, tw__sel_parts(s, LLVMGetOperand(instruction, 0)), shape.parts * sizeof *out);
    return true;
}

static bool function_member(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef group = LLVMGetOperand(instruction, 0);
    bool inserts = LLVMGetInstructionOpcode(instruction) == LLVMInsertValue;
    LLVMTypeRef type = LLVMTypeOf(group);
    unsigned at = 0;
    for (unsigned i = 0; i < LLVMGetNumIndices(instruction); i++) {
        unsigned index = LLVMGetIndices(instruction)[i];
        at += tw__sel_member(s, type, index);
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index)
                                                           : LLVMGetElementType(type);
    }
    tw__sel_part *parts = tw__sel_parts(s, group);
    unsigned count = tw__sel_shape_of(s, type).parts;
    if (inserts) {
        tw__sel_shape whole = tw__sel_shape_of(s, LLVMTypeOf(group));
        memcpy(out, parts, whole.parts * sizeof *out);
        memcpy(out + at, tw__sel_parts(s, LLVMGetOperand(instruction, 1)), count * sizeof *out);
    } else {
        memcpy(out, parts + at, count * sizeof *out);
    }
    return true;
}

static bool function_atomic(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    (void)instruction, (void)out;
    return tw__sel_refuse(s, "cc.atomic",
                          "the chip has no atomic operations; let one worker do it, or work in the supervisor");
}

static bool function_exceptions(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    (void)instruction, (void)out;
    return tw__sel_refuse(s, "cc.exceptions", "the chip has no C++ exceptions; return a status instead");
}

/* A variable whose size is known when it is made: the stack grows by it. What calls put on the stack stays below. */
static void function_grow(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    enum { STACK = 11 };
    LLVMValueRef count = LLVMGetOperand(instruction, 0);
    uint64_t size = LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(instruction));
    tw__sel_part words[2], pointer = tw__sel_physical(TW__MIR_MAIN, STACK, 1);
    tw__sel_extended2(s, count, false, words);
    tw__sel_part bytes = size == 1 ? words[0] : tw__sel_with(s, tw__sel_mul, words[0], (int64_t)size);
    uint32_t align = MAX(LLVMGetAlignment(instruction), 8); /* of which the stack's own is 8 */
    bytes = MAKE(s, TW__OP_andc_mz, IN(tw__sel_with(s, tw__sel_add, bytes, align - 1)), NUM(7));
    EMIT(s, TW__OP_sub_m, OUT(pointer), IN(pointer), IN(bytes))->has_effect = true;
    uint32_t object = tw__mir_new_object(s->mir, s->f, 0, align);
    s->f->objects[object].kind = TW__MIR_DYNAMIC;
    s->f->has_dynamic_stack = true;
    out[0] = MAKE(s, TW__MIR_place, FRAME(object, 0));
}

static bool function_alloca(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    gpointer object = g_hash_table_lookup(s->objects, instruction);
    if (!object)
        function_grow(s, instruction, out);
    else
        out[0] = MAKE(s, TW__MIR_place, FRAME(GPOINTER_TO_UINT(object) - 1, 0));
    return true;
}

static const struct {
    LLVMOpcode opcode;
    tw__sel_handler *select;
} function_handlers[] = {
    { LLVMAdd, tw__sel_integer },
    { LLVMSub, tw__sel_integer },
    { LLVMMul, tw__sel_integer },
    { LLVMUDiv, tw__sel_integer },
    { LLVMSDiv, tw__sel_integer },
    { LLVMURem, tw__sel_integer },
    { LLVMSRem, tw__sel_integer },
    { LLVMShl, tw__sel_integer },
    { LLVMLShr, tw__sel_integer },
    { LLVMAShr, tw__sel_integer },
    { LLVMAnd, tw__sel_integer },
    { LLVMOr, tw__sel_integer },
    { LLVMXor, tw__sel_integer },
    { LLVMFAdd, tw__sel_real },
    { LLVMFSub, tw__sel_real },
    { LLVMFMul, tw__sel_real },
    { LLVMFDiv, tw__sel_real },
    { LLVMFRem, tw__sel_real },
    { LLVMFNeg, tw__sel_negate },
    { LLVMICmp, tw__sel_compare },
    { LLVMFCmp, tw__sel_real_compare },
    { LLVMSelect, tw__sel_select },
    { LLVMTrunc, tw__sel_convert },
    { LLVMZExt, tw__sel_convert },
    { LLVMSExt, tw__sel_convert },
    { LLVMPtrToInt, tw__sel_convert },
    { LLVMIntToPtr, tw__sel_convert },
    { LLVMBitCast, tw__sel_convert },
    { LLVMAddrSpaceCast, function_same },
    { LLVMFreeze, function_same },
    { LLVMFPToUI, tw__sel_real_convert },
    { LLVMFPToSI, tw__sel_real_convert },
    { LLVMUIToFP, tw__sel_real_convert },
    { LLVMSIToFP, tw__sel_real_convert },
    { LLVMFPTrunc, tw__sel_real_convert },
    { LLVMFPExt, tw__sel_real_convert },
    { LLVMAlloca, function_alloca },
    { LLVMLoad, tw__sel_load },
    { LLVMStore, tw__sel_store },
    { LLVMGetElementPtr, tw__sel_gep },
    { LLVMVAArg, tw__sel_va_arg },
    { LLVMCall, tw__sel_call },
    { LLVMExtractElement, tw__sel_extract },
    { LLVMInsertElement, tw__sel_insert },
    { LLVMShuffleVector, tw__sel_shuffle },
    { LLVMExtractValue, function_member },
    { LLVMInsertValue, function_member },
    { LLVMFence, function_nothing }, /* one worker sees its own accesses in order */
    { LLVMAtomicCmpXchg, function_atomic },
    { LLVMAtomicRMW, function_atomic },
    { LLVMLandingPad, function_exceptions },
    { LLVMCatchPad, function_exceptions },
    { LLVMCleanupPad, function_exceptions },
};

static tw__sel_handler *function_handler(LLVMOpcode opcode)
{
    for (size_t i = 0; i < G_N_ELEMENTS(function_handlers); i++)
        if (function_handlers[i].opcode == opcode) return function_handlers[i].select;
    return NULL;
}

static bool function_has_effect(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMStore:
    case LLVMCall:
    case LLVMVAArg:
    case LLVMFence:
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMLandingPad: return true;
    case LLVMLoad: return LLVMGetVolatile(instruction);
    default: return false;
    }
}

static bool function_instruction(tw__sel *s, LLVMValueRef instruction)
{
    bool is_wanted = g_hash_table_contains(s->values, instruction);
    if (!is_wanted && !function_has_effect(instruction)) {
        tw__sel_bind(s, instruction);
        return true;
    }
    tw__sel_set_line(s, instruction);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    tw__sel_handler *select = function_handler(opcode);
    tw__sel_part out[TW__SEL_PARTS + 1] = { 0 };
    tw__mir_block *block = tw__sel_here(s);
    tw__mir_insn *last = s->before ? s->before->previous : block->last;
    if (!select) {
        char *text = LLVMPrintValueToString(instruction);
        tw__sel_refuse(s, "cc.instruction", "'%.100s' has no form on this chip", text);
        LLVMDisposeMessage(text);
        return false;
    }
    if (!select(s, instruction, out) || s->has_failed) return false;
    block = tw__sel_here(s);
    tw__mir_insn *first = last ? last->next : block->first;
    if (is_wanted) tw__sel_define(s, instruction, out, first);
    s->before = last ? last->next : tw__sel_here(s)->first;
    tw__sel_bind(s, instruction);
    return true;
}

/* --- phis ------------------------------------------------------------------------------------------------------- */

static guint function_edge_hash(gconstpointer key)
{
    const tw__sel_edge *edge = key;
    return g_direct_hash(edge->phi) * 31 + g_direct_hash(edge->from);
}

static gboolean function_edge_equal(gconstpointer a, gconstpointer b)
{
    const tw__sel_edge *x = a, *y = b;
    return x->phi == y->phi && x->from == y->from;
}

/* What phis of the blocks behind this one get from here, made in front of its branches. */
static bool function_edges(tw__sel *s, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
        for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi)) {
            tw__sel_edge edge = { .phi = phi, .from = block };
            if (g_hash_table_contains(s->edges, &edge)) continue;
            for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
                if (LLVMGetIncomingBlock(phi, k) == block) {
                    edge.parts = tw__sel_parts(s, LLVMGetIncomingValue(phi, k));
                    break;
                }
            if (s->has_failed || !edge.parts) return false;
            tw__sel_value *value = tw__sel_value_of(s, phi);
            tw__sel_part *parts = TW__NEW_N(s->mir->arena, tw__sel_part, value->count + 1);
            for (unsigned k = 0; k < value->count; k++) {
                const tw__sel_part *part = &edge.parts[k];
                parts[k] = *part;
                if (part->reg >= TW__MIR_VIRTUAL && !part->sub && part->words == part->whole &&
                    part->file == value->parts[k].file)
                    continue;
                parts[k] = tw__sel_new(s, value->parts[k].file, part->words);
                tw__sel_copy(s, parts[k], *part);
            }
            edge.parts = parts;
            tw__sel_edge *kept = TW__NEW(s->mir->arena, tw__sel_edge);
            *kept = edge;
            g_hash_table_add(s->edges, kept);
        }
    }
    return true;
}

static void function_phi(tw__sel *s, LLVMValueRef phi)
{
    tw__sel_value *value = tw__sel_value_of(s, phi);
    tw__mir_block *block = tw__sel_here(s);
    for (unsigned k = 0; k < value->count; k++) {
        tw__mir_operand *operands = g_new0(tw__mir_operand, 1 + 2 * block->predecessor_count);
        unsigned count = 0;
        operands[count++] = OUT(value->parts[k]);
        for (unsigned i = 0; i < block->predecessor_count; i++) {
            uint32_t from = block->predecessors[i];
            tw__sel_edge key = { .phi = phi, .from = g_array_index(s->origins, LLVMBasicBlockRef, from) };
            const tw__sel_edge *edge = g_hash_table_lookup(s->edges, &key);
            if (!edge) continue;
            operands[count++] = TO(from);
            operands[count++] = IN(edge->parts[k]);
        }
        tw__sel_emit(s, TW__MIR_phi, count, operands);
        g_free(operands);
    }
}

/* --- blocks ----------------------------------------------------------------------------------------------------- */

uint32_t tw__sel_block_of(tw__sel *s, LLVMBasicBlockRef block)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(s->blocks, block)) - 1;
}

uint32_t tw__sel_new_block(tw__sel *s)
{
    LLVMBasicBlockRef origin = g_array_index(s->origins, LLVMBasicBlockRef, s->block);
    g_array_append_val(s->origins, origin);
    return tw__mir_new_block(s->mir, s->f);
}

static bool function_block(tw__sel *s, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    s->block = tw__sel_block_of(s, block);
    s->before = NULL;
    if (!tw__sel_terminator(s, end)) return false;
    s->before = tw__sel_here(s)->first;
    tw__sel_set_line(s, end);
    if (!function_edges(s, block)) return false;
    s->before = tw__sel_here(s)->first;
    tw__sel_bind(s, end);
    for (LLVMValueRef i = LLVMGetPreviousInstruction(end); i; i = LLVMGetPreviousInstruction(i)) {
        if (LLVMIsAPHINode(i)) break;
        if (!function_instruction(s, i)) return false;
    }
    return true;
}

/* Blocks that can be reached, each behind those it leads to (loops apart). */
static GPtrArray *function_postorder(LLVMValueRef function)
{
    GPtrArray *order = g_ptr_array_new(), *stack = g_ptr_array_new();
    GHashTable *next = g_hash_table_new(NULL, NULL); /* block -> next successor + 1 */
    g_ptr_array_add(stack, LLVMGetEntryBasicBlock(function));
    g_hash_table_insert(next, LLVMGetEntryBasicBlock(function), GUINT_TO_POINTER(1));
    while (stack->len) {
        LLVMBasicBlockRef block = stack->pdata[stack->len - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        unsigned i = GPOINTER_TO_UINT(g_hash_table_lookup(next, block)) - 1;
        if (i == LLVMGetNumSuccessors(end)) {
            g_ptr_array_add(order, block);
            g_ptr_array_set_size(stack, (gint)stack->len - 1);
            continue;
        }
        g_hash_table_insert(next, block, GUINT_TO_POINTER(i + 2));
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
        if (g_hash_table_contains(next, to)) continue;
        g_hash_table_insert(next, to, GUINT_TO_POINTER(1));
        g_ptr_array_add(stack, to);
    }
    g_hash_table_unref(next);
    g_ptr_array_unref(stack);
    return order;
}

/* Registers for values that phis get, before the blocks that make them are walked. */
static void function_want(tw__sel *s, LLVMBasicBlockRef block)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, k);
            bool is_reached = g_hash_table_contains(s->blocks, LLVMGetIncomingBlock(phi, k));
            if (is_reached && LLVMIsAInstruction(value)) tw__sel_value_of(s, value);
        }
}

/* Frame objects for variables of constant size. */
static void function_objects(tw__sel *s, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        int64_t count;
        if (!LLVMIsAAllocaInst(i) || !tw__sel_number(LLVMGetOperand(i, 0), &count, NULL)) continue;
        uint64_t size = LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(i)) * (uint64_t)count;
        if (size > TW__SEL_MOST) {
            tw__sel_set_line(s, i);
            tw__sel_refuse(s, "cc.stack", "a variable of %" G_GUINT64_FORMAT " bytes fits no tile", size);
            return;
        }
        uint32_t object = tw__mir_new_object(s->mir, s->f, (uint32_t)size, MAX(LLVMGetAlignment(i), 4));
        g_hash_table_insert(s->objects, i, GUINT_TO_POINTER(object + 1));
    }
}

static bool text_may_branch(LLVMValueRef assembly)
{
    size_t length = 0;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &length);
    return strstr(text, "br ") || strstr(text, "br\t");
}

static bool function_calls_pointers(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (!callee || LLVMIsAGlobalValue(callee)) continue;
        if (!LLVMIsAInlineAsm(callee) || text_may_branch(callee)) return true;
    }
    return false;
}

static bool function_body(tw__sel *s, GPtrArray *order)
{
    s->calls_pointers = false;
    for (guint i = 0; i < order->len; i++)
        s->calls_pointers = s->calls_pointers || function_calls_pointers(order->pdata[i]);
    for (guint i = 0; i < order->len; i++) g_hash_table_add(s->blocks, order->pdata[i]);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b)) {
        if (!g_hash_table_contains(s->blocks, b)) continue; /* never reached */
        g_array_append_val(s->origins, b);
        g_hash_table_insert(s->blocks, b, GUINT_TO_POINTER(tw__mir_new_block(s->mir, s->f) + 1));
    }
    for (guint i = 0; i < order->len; i++) function_want(s, order->pdata[i]);
    function_objects(s, LLVMGetEntryBasicBlock(s->function));
    if (s->has_failed) return false;
    for (guint i = 0; i < order->len; i++)
        if (!function_block(s, order->pdata[i])) return false;
    s->block = 0;
    s->before = tw__sel_here(s)->first;
    s->at = NULL;
    if (LLVMGetDebugLocLine(s->function)) tw__sel_set_line(s, s->function);
    s->f->file = s->file;
    if (!tw__sel_arguments(s)) return false;
    tw__mir_link(s->mir, s->f);
    for (guint i = 0; i < order->len; i++) {
        s->block = tw__sel_block_of(s, order->pdata[i]);
        s->before = tw__sel_here(s)->first;
        for (LLVMValueRef phi = LLVMGetFirstInstruction(order->pdata[i]); phi && LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi))
            function_phi(s, phi);
    }
    tw__sel_bind_end(s);
    return true;
}

bool tw__sel_function(tw__sel *s, LLVMValueRef function, tw__mir_function *f)
{
    s->function = function;
    s->f = f;
    s->line = s->column = s->file = 0;
    s->at = NULL;
    s->scope = NULL;
    s->binds = g_ptr_array_new();
    if (s->debug) tw__cc_debug_function(s->debug, function, &f->debug);
    s->has_sret = false;
    s->values = g_hash_table_new(NULL, NULL);
    s->blocks = g_hash_table_new(NULL, NULL);
    s->objects = g_hash_table_new(NULL, NULL);
    s->edges = g_hash_table_new(function_edge_hash, function_edge_equal);
    s->origins = g_array_new(FALSE, FALSE, sizeof(LLVMBasicBlockRef));
    GPtrArray *order = function_postorder(function);
    bool is_fine = tw__sel_prepare(s) && function_body(s, order) && !s->has_failed;
    g_ptr_array_unref(order);
    g_ptr_array_unref(s->binds);
    g_array_unref(s->origins);
    g_hash_table_unref(s->edges);
    g_hash_table_unref(s->objects);
    g_hash_table_unref(s->blocks);
    g_hash_table_unref(s->values);
    return is_fine;
}
