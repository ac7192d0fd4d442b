/* SPDX-License-Identifier: MIT */
/* cc/front: which loops gain from vectors on this machine, whose arithmetic takes two floats or four halves at a time
 * and whose loads of 64 bits want addresses on 8 bytes: what LLVM would know of a target machine. */
#include "poplar/colossus/cc/front/front.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Lanes of a vector of this type; 0: such elements make no vector. */
static unsigned lanes_of(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind ? 4 : kind == LLVMFloatTypeKind ? 2 : 0;
}

static bool is_fraction(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

/* Calls whose vectors are instructions, two lanes at least. */
static bool is_vector_call(LLVMValueRef call)
{
    static const char *const names[] = { "llvm.fabs.", "llvm.minnum.", "llvm.maxnum.", "llvm.fmuladd.",
                                         "llvm.assume" };
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
    size_t length;
    const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Lanes for a loop of one block: as many as its smallest element allows, 0 when something in it is no work for
 * vectors: integers in memory, sums over the rounds (their order would change), comparisons, calls. */
static unsigned loop_lanes(LLVMBasicBlockRef block)
{
    unsigned lanes = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMTypeRef type = LLVMTypeOf(i);
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMStore:
        case LLVMLoad:
            if (LLVMIsAStoreInst(i)) type = LLVMTypeOf(LLVMGetOperand(i, 0));
            if (!lanes_of(type) || LLVMGetVolatile(i)) return 0;
            lanes = MAX(lanes, lanes_of(type));
            break;
        case LLVMPHI:
            if (is_fraction(type)) return 0;
            break;
        case LLVMCall:
            if (!is_vector_call(i)) return 0;
            break;
        case LLVMSelect:
            if (!lanes_of(type) || LLVMGetInstructionOpcode(LLVMGetOperand(i, 0)) != LLVMFCmp) return 0;
            break;
        case LLVMFCmp:
            if (!lanes_of(LLVMTypeOf(LLVMGetOperand(i, 0)))) return 0;
            break;
        case LLVMFDiv:
        case LLVMFRem:
        case LLVMFPToSI:
        case LLVMFPToUI:
        case LLVMSIToFP:
        case LLVMUIToFP:
        case LLVMFreeze: return 0;
        default:
            if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind) return 0;
        }
    }
    return lanes;
}

static LLVMMetadataRef hint(LLVMContextRef c, const char *name, unsigned number, bool is_flag)
{
    LLVMTypeRef type = is_flag ? LLVMInt1TypeInContext(c) : LLVMInt32TypeInContext(c);
    LLVMMetadataRef pair[] = { LLVMMDStringInContext2(c, name, strlen(name)),
                               LLVMValueAsMetadata(LLVMConstInt(type, number, false)) };
    return LLVMMDNodeInContext2(c, pair, 2);
}

/* A loop's own node names itself first, so that no two loops share one. */
static void mark_loop(LLVMContextRef c, LLVMValueRef branch, unsigned lanes)
{
    LLVMMetadataRef temporary = LLVMTemporaryMDNode(c, NULL, 0);
    LLVMMetadataRef parts[] = { temporary, hint(c, "llvm.loop.vectorize.width", lanes, false),
                                hint(c, "llvm.loop.interleave.count", 1, false),
                                hint(c, "llvm.loop.vectorize.enable", lanes > 1, true) };
    LLVMMetadataRef node = LLVMMDNodeInContext2(c, parts, G_N_ELEMENTS(parts));
    LLVMMetadataReplaceAllUsesWith(temporary, node);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c, "llvm.loop", 9), LLVMMetadataAsValue(c, node));
}

/* Loops of one block with one way out, in functions that `but` does not name. */
static void mark_loops(LLVMModuleRef module, GHashTable *but)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (tw__cc_is_supervisors(f) || (but && g_hash_table_contains(but, LLVMGetValueName2(f, &length))))
            continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
            if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) continue;
            if (LLVMGetSuccessor(branch, 0) != b && LLVMGetSuccessor(branch, 1) != b) continue;
            unsigned lanes = loop_lanes(b);
            if (lanes) mark_loop(c, branch, lanes);
        }
    }
}

/* Functions with vectors in memory that are not known to lie on 8 bytes. */
static GHashTable *find_misaligned(LLVMModuleRef module)
{
    GHashTable *found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMTypeRef type = LLVMIsALoadInst(i)    ? LLVMTypeOf(i)
                                   : LLVMIsAStoreInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0))
                                                         : NULL;
                if (type && LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetAlignment(i) < 8)
                    g_hash_table_add(found, g_strdup(LLVMGetValueName2(f, &length)));
            }
    return found;
}

static const char vector_passes[] =
    "function(loop-simplify,lcssa,loop-vectorize<interleave-forced-only;vectorize-forced-only>,loop-simplify,"
    "alignment-from-assumptions,infer-alignment,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
    "instcombine<no-verify-fixpoint>,simplifycfg)";

/* Vectors where they help. A first try, on a copy, shows where addresses are not known well enough. */
bool tw__cc_vectorise(const tw__cc_request *request, LLVMModuleRef module, tw__cc_run *run)
{
    LLVMModuleRef copy = LLVMCloneModule(module);
    mark_loops(copy, NULL);
    bool is_fine = run(request, copy, vector_passes);
    GHashTable *misaligned = find_misaligned(copy);
    LLVMDisposeModule(copy);
    mark_loops(module, misaligned);
    g_hash_table_destroy(misaligned);
    return is_fine && run(request, module, vector_passes);
}
