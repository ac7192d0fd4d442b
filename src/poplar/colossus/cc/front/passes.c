/* SPDX-License-Identifier: MIT */
/* cc/front: LLVM's passes, run without a target machine. */
#include "poplar/colossus/cc/front/front.h"

#include "poplar/colossus/cc/sel/generate.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

static LLVMAttributeRef context_of(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, TW__CC_CONTEXT,
                                         strlen(TW__CC_CONTEXT));
}

bool tw__cc_is_supervisors(LLVMValueRef function)
{
    LLVMAttributeRef mark = context_of(function);
    unsigned length = 0;
    const char *text = mark ? LLVMGetStringAttributeValue(mark, &length) : "";
    return mark && length == strlen(TW__CC_CONTEXT_SUPERVISOR) &&
           memcmp(text, TW__CC_CONTEXT_SUPERVISOR, length) == 0;
}

/* What supervisors call is code that they can run; workers can run that, too. */
static void mark_callees(LLVMValueRef function, GPtrArray *work)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
            if (!callee || LLVMIsDeclaration(callee) || context_of(callee)) continue;
            LLVMAddAttributeAtIndex(callee, LLVMAttributeFunctionIndex,
                                    LLVMCreateStringAttribute(context, TW__CC_CONTEXT, strlen(TW__CC_CONTEXT),
                                                              TW__CC_CONTEXT_SUPERVISOR,
                                                              strlen(TW__CC_CONTEXT_SUPERVISOR)));
            g_ptr_array_add(work, callee);
        }
}

static void spread_supervisors(LLVMModuleRef module)
{
    GPtrArray *work = g_ptr_array_new();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (tw__cc_is_supervisors(f)) g_ptr_array_add(work, f);
    for (guint i = 0; i < work->len; i++) mark_callees(work->pdata[i], work);
    g_ptr_array_free(work, TRUE);
}

/* Without a target machine LLVM takes vectors to have 32 bits: loops.c says which loops want some. `default<O2>`
 * sets PassBuilder's options for vectors anew, so they are the command line's, which hold for the process: the
 * other module that runs passes, core/ir, wants no such vectors either, and sets them under dlopen()'s lock, too. */
__attribute__((constructor)) static void forbid_vectors(void)
{
    static const char *const words[] = { "cc", "-vectorize-loops=false", "-vectorize-slp=false" };
    LLVMParseCommandLineOptions(G_N_ELEMENTS(words), words, "");
}

static bool run_passes(const tw__cc_request *request, LLVMModuleRef module, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopUnrolling(options, false);
    LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return true;
    char *text = LLVMGetErrorMessage(error);
    tw__cc_say(request, TW_ERROR, "cc.passes", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static bool is_assumption(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMIsAFunction(LLVMGetCalledValue(instruction)) : NULL;
    size_t length;
    return callee && strcmp(LLVMGetValueName2(callee, &length), "llvm.assume") == 0;
}

/* Loads that nothing changes leave loops. Behind it all, pointers move on with the rounds of loops, and those are
 * counted down in a value of their own, as brnzdec and rpt want them; what counted them before may then be dead. */
static const char hoisting[] = "function(early-cse<memssa>,loop-mssa(licm),instcombine<no-verify-fixpoint>)";
static const char choosing[] = "function(simplifycfg)";
static const char counting[] =
    "function(loop(loop-reduce),hardware-loops<force-hardware-loops;force-hardware-loop-phi;"
    "hardware-loop-decrement=1;hardware-loop-counter-bitwidth=32>,adce)";

/* A block behind one way of a condition and in front of a choice of addresses. The way into a loop is none. */
static bool is_arm(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    LLVMValueRef before = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!before || !LLVMIsABranchInst(before) || !LLVMIsConditional(before)) return false;
    if (!LLVMIsABranchInst(end) || LLVMIsConditional(end)) return false;
    LLVMBasicBlockRef next = LLVMGetSuccessor(end, 0);
    LLVMValueRef leaves = LLVMGetBasicBlockTerminator(next);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(leaves); i++)
        if (LLVMGetSuccessor(leaves, i) == next) return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(next); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind) return true;
    return false;
}

/* What LLVM may assume in a block that does nothing else but find an address keeps that block, and a branch around
 * it, where a choice between two addresses would do: `c ? a[i] : b[i]` of two edges. */
static void forget_assumptions(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!is_arm(block)) return;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != end; i = LLVMGetNextInstruction(i))
        if (!is_assumption(i) && !LLVMIsAGetElementPtrInst(i)) return;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i != end; i = next) {
        next = LLVMGetNextInstruction(i);
        if (is_assumption(i)) LLVMInstructionEraseFromParent(i);
    }
}

static void forget_arms(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            if (b != LLVMGetEntryBasicBlock(f)) forget_assumptions(b);
}

bool tw__cc_optimise(const tw__cc_request *request, LLVMModuleRef module)
{
    if (!run_passes(request, module, "default<O2>")) return false;
    if (tw__cc_mark_state(module) && !run_passes(request, module, hoisting)) return false;
    spread_supervisors(module);
    forget_arms(module);
    return run_passes(request, module, choosing) && tw__cc_vectorise(request, module, run_passes) &&
           run_passes(request, module, counting);
}
