/* SPDX-License-Identifier: MIT */
/* The module with the only code that is linked with LLVM: bitcode to plain data (core/ir/ir.h) and back. It stands on
 * nothing of libtilewright. */
#include "core/ir/ir.h"

#include <glib.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

struct tw__ir_private {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMValueRef **values; /* for each function, those of its values */
    GHashTable *files;     /* LLVMMetadataRef -> path */
};

/* --- reading ---------------------------------------------------------------------------------------------------- */

static tw__ir_op op_of(LLVMOpcode code)
{
    static const struct {
        LLVMOpcode code;
        tw__ir_op op;
    } rows[] = {
        { LLVMRet, TW__IR_ret },
        { LLVMBr, TW__IR_br },
        { LLVMSwitch, TW__IR_switch },
        { LLVMInvoke, TW__IR_invoke },
        { LLVMUnreachable, TW__IR_unreachable },
        { LLVMCall, TW__IR_call },
        { LLVMPHI, TW__IR_phi },
        { LLVMSelect, TW__IR_select },
        { LLVMAlloca, TW__IR_alloca },
        { LLVMLoad, TW__IR_load },
        { LLVMStore, TW__IR_store },
        { LLVMGetElementPtr, TW__IR_getelementptr },
        { LLVMAdd, TW__IR_add },
        { LLVMSub, TW__IR_sub },
        { LLVMMul, TW__IR_mul },
        { LLVMUDiv, TW__IR_udiv },
        { LLVMSDiv, TW__IR_sdiv },
        { LLVMURem, TW__IR_urem },
        { LLVMSRem, TW__IR_srem },
        { LLVMShl, TW__IR_shl },
        { LLVMLShr, TW__IR_lshr },
        { LLVMAShr, TW__IR_ashr },
        { LLVMAnd, TW__IR_and },
        { LLVMOr, TW__IR_or },
        { LLVMXor, TW__IR_xor },
        { LLVMICmp, TW__IR_icmp },
        { LLVMFAdd, TW__IR_fadd },
        { LLVMFSub, TW__IR_fsub },
        { LLVMFMul, TW__IR_fmul },
        { LLVMFDiv, TW__IR_fdiv },
        { LLVMFRem, TW__IR_frem },
        { LLVMFNeg, TW__IR_fneg },
        { LLVMFCmp, TW__IR_fcmp },
        { LLVMTrunc, TW__IR_trunc },
        { LLVMZExt, TW__IR_zext },
        { LLVMSExt, TW__IR_sext },
        { LLVMFPToUI, TW__IR_fptoui },
        { LLVMFPToSI, TW__IR_fptosi },
        { LLVMUIToFP, TW__IR_uitofp },
        { LLVMSIToFP, TW__IR_sitofp },
        { LLVMFPTrunc, TW__IR_fptrunc },
        { LLVMFPExt, TW__IR_fpext },
        { LLVMPtrToInt, TW__IR_ptrtoint },
        { LLVMIntToPtr, TW__IR_inttoptr },
        { LLVMBitCast, TW__IR_bitcast },
        { LLVMExtractElement, TW__IR_extractelement },
        { LLVMInsertElement, TW__IR_insertelement },
        { LLVMShuffleVector, TW__IR_shufflevector },
        { LLVMExtractValue, TW__IR_extractvalue },
        { LLVMInsertValue, TW__IR_insertvalue },
        { LLVMFreeze, TW__IR_freeze },
        { LLVMLandingPad, TW__IR_landingpad },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].code == code) return rows[i].op;
    return TW__IR_other;
}

typedef struct reader {
    struct tw__ir_private *own;
    GArray *values, *operands, *access, *sizes, *blocks; /* of one function */
    GPtrArray *refs;
    GHashTable *known; /* LLVMValueRef -> index + 1 */
} reader;

static void describe_type(const reader *r, LLVMTypeRef type, tw__ir_value *v)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    v->lanes = 1;
    if (LLVMTypeIsSized(type)) v->bytes = (uint32_t)LLVMStoreSizeOfType(r->own->layout, type);
    if (kind == LLVMVectorTypeKind) {
        v->lanes = LLVMGetVectorSize(type);
        kind = LLVMGetTypeKind(LLVMGetElementType(type));
    }
    v->is_double = kind == LLVMDoubleTypeKind || kind == LLVMX86_FP80TypeKind;
    v->is_float = v->is_double || kind == LLVMFloatTypeKind;
    v->is_pointer = kind == LLVMPointerTypeKind;
}

static bool has_attribute(LLVMValueRef function, unsigned index, const char *name, uint64_t *value)
{
    LLVMAttributeRef a =
        LLVMGetEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(name, strlen(name)));
    if (a && value) *value = LLVMGetEnumAttributeValue(a);
    return a != NULL;
}

/* Places of memory have two bits each in the attribute: may read, may write. */
static void describe_memory(LLVMValueRef function, tw__ir_value *v)
{
    uint64_t memory = 0;
    v->reads = v->writes = true;
    if (!function || !has_attribute(function, (unsigned)LLVMAttributeFunctionIndex, "memory", &memory)) return;
    v->reads = v->writes = false;
    for (; memory; memory >>= 2) v->reads |= memory & 1, v->writes |= (memory & 2) != 0;
}

static void describe_name(LLVMValueRef global, tw__ir_value *v)
{
    size_t length;
    v->callee = LLVMGetValueName2(global, &length);
    v->section = LLVMGetSection(global);
    if (!v->section) v->section = "";
}

static uint32_t value_of(reader *r, LLVMValueRef ref)
{
    gpointer index = g_hash_table_lookup(r->known, ref);
    if (index) return GPOINTER_TO_UINT(index) - 1;
    tw__ir_value v = { .kind = TW__IR_CONSTANT, .section = "" };
    if (LLVMIsAGlobalValue(ref)) v.kind = TW__IR_GLOBAL, describe_name(ref, &v);
    if (LLVMIsAArgument(ref)) v.kind = TW__IR_ARGUMENT;
    if (LLVMIsAInstruction(ref)) v.kind = TW__IR_INSTRUCTION;
    if (LLVMIsAConstantInt(ref) && LLVMGetIntTypeWidth(LLVMTypeOf(ref)) <= 64)
        v.number = LLVMConstIntGetSExtValue(ref);
    v.is_zero = v.kind == TW__IR_CONSTANT && LLVMIsAConstant(ref) && (LLVMIsNull(ref) || LLVMIsUndef(ref));
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(ref));
    if (kind != LLVMMetadataTypeKind && kind != LLVMLabelTypeKind) describe_type(r, LLVMTypeOf(ref), &v);
    g_array_append_val(r->values, v);
    g_ptr_array_add(r->refs, ref);
    g_hash_table_insert(r->known, ref, GUINT_TO_POINTER(r->values->len));
    return r->values->len - 1;
}

static void describe_call(const reader *r, LLVMValueRef call, tw__ir_value *v)
{
    LLVMValueRef callee = LLVMGetCalledValue(call), function = LLVMIsAFunction(callee);
    describe_memory(function, v);
    if (function) describe_name(function, v);
    if (v->callee && g_str_has_prefix(v->callee, "llvm.mem") && LLVMGetNumArgOperands(call) >= 3 &&
        LLVMIsAConstantInt(LLVMGetOperand(call, 2)))
        v->bytes = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    (void)r;
}

/* Whether all indices of an address are constant, and what they come to. */
static bool constant_offset(const reader *r, LLVMValueRef address, int64_t *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    int64_t sum = 0;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(address); i++) {
        LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(address, i));
        if (!index || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64) return false;
        int64_t number = LLVMConstIntGetSExtValue(index);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            sum += (int64_t)LLVMOffsetOfElement(r->own->layout, type, (unsigned)number);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)number);
            continue;
        }
        if (i > 1) type = LLVMGetElementType(type);
        sum += number * (int64_t)LLVMABISizeOfType(r->own->layout, type);
    }
    *offset = sum;
    return true;
}

static uint8_t access_of(LLVMValueRef function, unsigned parameter)
{
    if (!function || parameter > LLVMCountParams(function)) return TW__IR_READS | TW__IR_WRITES;
    if (has_attribute(function, parameter, "readnone", NULL)) return 0;
    if (has_attribute(function, parameter, "readonly", NULL) || has_attribute(function, parameter, "byval", NULL))
        return TW__IR_READS;
    if (has_attribute(function, parameter, "writeonly", NULL) || has_attribute(function, parameter, "sret", NULL))
        return TW__IR_WRITES;
    return TW__IR_READS | TW__IR_WRITES;
}

static uint32_t size_by_value(const reader *r, LLVMValueRef function, unsigned parameter)
{
    if (!function || parameter > LLVMCountParams(function)) return 0;
    LLVMAttributeRef a =
        LLVMGetEnumAttributeAtIndex(function, parameter, LLVMGetEnumAttributeKindForName("byval", 5));
    if (!a) a = LLVMGetEnumAttributeAtIndex(function, parameter, LLVMGetEnumAttributeKindForName("sret", 4));
    return a ? (uint32_t)LLVMABISizeOfType(r->own->layout, LLVMGetTypeAttributeValue(a)) : 0;
}

/* The path of a file that debug information names. */
static const char *path_of(struct tw__ir_private *own, LLVMMetadataRef file)
{
    char *path = g_hash_table_lookup(own->files, file);
    if (path) return path;
    unsigned name_bytes = 0, folder_bytes = 0;
    const char *name = LLVMDIFileGetFilename(file, &name_bytes),
               *folder = LLVMDIFileGetDirectory(file, &folder_bytes);
    bool is_whole = !folder_bytes || (name_bytes && name[0] == '/');
    path = g_strdup_printf("%.*s%s%.*s", is_whole ? 0 : (int)folder_bytes, folder, is_whole ? "" : "/",
                           (int)name_bytes, name);
    g_hash_table_insert(own->files, file, path);
    return path;
}

static bool is_of_a_library(const char *path)
{
    static const char *const parts[] = { "include/tilewright/", "/aie_api/", "/usr/include/", "/usr/lib/" };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strstr(path, parts[i])) return true;
    return false;
}

/* Of calls that were inlined, the innermost outside of libraries; else the outermost. */
static void describe_place(struct tw__ir_private *own, LLVMValueRef ref, tw__ir_value *v)
{
    for (LLVMMetadataRef at = LLVMInstructionGetDebugLoc(ref); at; at = LLVMDILocationGetInlinedAt(at)) {
        LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(at));
        unsigned line = LLVMDILocationGetLine(at);
        if (!file || !line) continue;
        v->file = path_of(own, file), v->file_line = line;
        if (!is_of_a_library(v->file)) return;
    }
}

static void describe_instruction(reader *r, uint32_t index, LLVMValueRef ref, uint32_t block)
{
    tw__ir_value v = g_array_index(r->values, tw__ir_value, index);
    LLVMOpcode code = LLVMGetInstructionOpcode(ref);
    v.op = op_of(code), v.block = block, v.first = r->operands->len;
    int count = code == LLVMCall || code == LLVMInvoke ? (int)LLVMGetNumArgOperands(ref) : LLVMGetNumOperands(ref);
    bool with_labels = code == LLVMBr || code == LLVMSwitch;
    if (code == LLVMBr) v.is_conditional = LLVMIsConditional(ref), count = v.is_conditional ? 1 : 0;
    if (code == LLVMSwitch) count = 1;
    LLVMValueRef called = code == LLVMCall || code == LLVMInvoke ? LLVMIsAFunction(LLVMGetCalledValue(ref)) : NULL;
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(ref, (unsigned)i);
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(operand));
        if (with_labels && kind == LLVMLabelTypeKind) continue;
        uint32_t value = value_of(r, operand);
        uint8_t access = kind == LLVMPointerTypeKind ? access_of(called, (unsigned)i + 1) : 0;
        g_array_append_val(r->operands, value);
        uint32_t size = kind == LLVMPointerTypeKind ? size_by_value(r, called, (unsigned)i + 1) : 0;
        g_array_append_val(r->access, access);
        g_array_append_val(r->sizes, size);
    }
    v.operands = r->operands->len - v.first;
    if (code == LLVMGetElementPtr) v.is_fixed = constant_offset(r, ref, &v.number);
    if (code == LLVMAlloca) {
        LLVMValueRef number = LLVMGetOperand(ref, 0);
        uint64_t each = LLVMABISizeOfType(r->own->layout, LLVMGetAllocatedType(ref));
        v.bytes = LLVMIsAConstantInt(number) ? (uint32_t)(each * LLVMConstIntGetZExtValue(number)) : UINT32_MAX;
    }
    if (code == LLVMStore) {
        tw__ir_value stored = { 0 };
        describe_type(r, LLVMTypeOf(LLVMGetOperand(ref, 0)), &stored);
        v.bytes = stored.bytes, v.lanes = stored.lanes, v.is_float = stored.is_float;
    }
    if (code == LLVMICmp || code == LLVMFCmp) { /* what is compared, not the answer */
        tw__ir_value compared = { 0 };
        describe_type(r, LLVMTypeOf(LLVMGetOperand(ref, 0)), &compared);
        v.lanes = compared.lanes, v.is_double = compared.is_double;
    }
    if (code == LLVMCall || code == LLVMInvoke) describe_call(r, ref, &v);
    v.line = LLVMGetDebugLocLine(ref);
    describe_place(r->own, ref, &v);
    g_array_index(r->values, tw__ir_value, index) = v;
}

static void describe_function(reader *r, LLVMValueRef function, tw__ir_function *f)
{
    size_t length;
    f->name = LLVMGetValueName2(function, &length);
    f->section = LLVMGetSection(function) ? LLVMGetSection(function) : "";
    f->is_defined = !LLVMIsDeclaration(function) && LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;
    f->unwinds = !LLVMIsDeclaration(function) && LLVMHasPersonalityFn(function);
    r->values = g_array_new(FALSE, TRUE, sizeof(tw__ir_value));
    r->operands = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    r->access = g_array_new(FALSE, TRUE, sizeof(uint8_t));
    r->sizes = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    r->blocks = g_array_new(FALSE, TRUE, sizeof(tw__ir_block));
    r->refs = g_ptr_array_new();
    r->known = g_hash_table_new(NULL, NULL);
    GHashTable *blocks = g_hash_table_new(NULL, NULL);
    unsigned number = 0;
    for (LLVMValueRef a = f->is_defined ? LLVMGetFirstParam(function) : NULL; a; a = LLVMGetNextParam(a)) {
        uint32_t index = value_of(r, a);
        g_array_index(r->values, tw__ir_value, index).is_noalias =
            has_attribute(function, ++number, "noalias", NULL);
    }
    LLVMBasicBlockRef first = f->is_defined ? LLVMGetFirstBasicBlock(function) : NULL;
    /* All instructions first, so that those of a block follow one another. */
    for (LLVMBasicBlockRef b = first; b; b = LLVMGetNextBasicBlock(b)) {
        tw__ir_block block = { .first = r->values->len };
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) value_of(r, i);
        block.count = r->values->len - block.first;
        g_hash_table_insert(blocks, b, GUINT_TO_POINTER(r->blocks->len));
        g_array_append_val(r->blocks, block);
    }
    uint32_t at = 0;
    for (LLVMBasicBlockRef b = first; b; b = LLVMGetNextBasicBlock(b), at++) {
        tw__ir_block *block = &g_array_index(r->blocks, tw__ir_block, at);
        for (uint32_t i = 0; i < block->count; i++)
            describe_instruction(r, block->first + i, r->refs->pdata[block->first + i], at);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        block->successor_count = end ? LLVMGetNumSuccessors(end) : 0;
        for (unsigned i = 0; i < block->successor_count && i < 2; i++)
            block->successors[i] = GPOINTER_TO_UINT(g_hash_table_lookup(blocks, LLVMGetSuccessor(end, i)));
    }
    g_hash_table_destroy(blocks);
    g_hash_table_destroy(r->known);
    f->value_count = r->values->len, f->block_count = r->blocks->len;
    f->values = (tw__ir_value *)(void *)g_array_free(r->values, FALSE);
    f->operands = (uint32_t *)(void *)g_array_free(r->operands, FALSE);
    f->access = (uint8_t *)g_array_free(r->access, FALSE);
    f->sizes = (uint32_t *)(void *)g_array_free(r->sizes, FALSE);
    f->blocks = (tw__ir_block *)(void *)g_array_free(r->blocks, FALSE);
}

static void module_forget(tw__ir *ir)
{
    for (size_t i = 0; i < ir->function_count; i++) {
        g_free(ir->functions[i].values), g_free(ir->functions[i].operands), g_free(ir->functions[i].blocks);
        g_free(ir->functions[i].access), g_free(ir->functions[i].sizes);
        g_free(ir->own->values[i]);
    }
    g_free(ir->functions), g_free(ir->own->values);
    ir->functions = NULL, ir->own->values = NULL, ir->function_count = 0;
}

static void module_describe(tw__ir *ir)
{
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->own->module); f; f = LLVMGetNextFunction(f)) count++;
    ir->functions = g_new0(tw__ir_function, count), ir->own->values = g_new0(LLVMValueRef *, count);
    ir->function_count = count;
    size_t i = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->own->module); f; f = LLVMGetNextFunction(f), i++) {
        reader r = { .own = ir->own };
        describe_function(&r, f, &ir->functions[i]);
        ir->own->values[i] = (LLVMValueRef *)(void *)g_ptr_array_free(r.refs, FALSE);
    }
}

static void free_ir(tw__ir *ir)
{
    module_forget(ir);
    LLVMDisposeModule(ir->own->module);
    LLVMContextDispose(ir->own->context);
    g_hash_table_destroy(ir->own->files);
    g_free(ir->own), g_free(ir);
}

/* LLVM ends the program for bitcode that is damaged, unless somebody listens. */
static void listen(LLVMDiagnosticInfoRef info, void *into)
{
    char **problem = into, *text = LLVMGetDiagInfoDescription(info);
    if (!*problem) *problem = strdup(text);
    LLVMDisposeMessage(text);
}

static tw__ir *read_bitcode(const void *bitcode, size_t size, char **problem)
{
    tw__ir *ir = g_new0(tw__ir, 1);
    ir->own = g_new0(struct tw__ir_private, 1);
    ir->own->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(ir->own->context, listen, problem);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, size, "code");
    bool failed = LLVMParseBitcodeInContext2(ir->own->context, buffer, &ir->own->module);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextSetDiagnosticHandler(ir->own->context, NULL, NULL);
    if (failed) {
        LLVMContextDispose(ir->own->context);
        g_free(ir->own), g_free(ir);
        return NULL;
    }
    ir->own->layout = LLVMGetModuleDataLayout(ir->own->module);
    ir->own->files = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    module_describe(ir);
    return ir;
}

/* --- changes ---------------------------------------------------------------------------------------------------- */

/* Loops stay as they are written, also those that are straight. `default<O2>` sets PassBuilder's options for vectors
 * anew, so they are the command line's, which hold for the process: the compiler for Colossus wants none either. Two
 * threads may load both modules at once, and clang's library registers options: all that is under dlopen()'s lock. */
__attribute__((constructor)) static void forbid_vectors(void)
{
    static const char *const words[] = { "ir", "-vectorize-loops=false", "-vectorize-slp=false" };
    LLVMParseCommandLineOptions(G_N_ELEMENTS(words), words, "");
}

static bool optimise(tw__ir *ir, const char *passes, char **problem)
{
    module_forget(ir);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopInterleaving(options, false);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, false);
    LLVMErrorRef error = LLVMRunPasses(ir->own->module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *text = LLVMGetErrorMessage(error);
        *problem = strdup(text);
        LLVMDisposeErrorMessage(text);
    }
    module_describe(ir);
    return !error;
}

/* { 0, text }, which the callee alone changes. */
static LLVMValueRef place_value(tw__ir *ir, const char *text)
{
    LLVMContextRef c = ir->own->context;
    LLVMValueRef bytes = LLVMConstStringInContext2(c, text, strlen(text), false);
    LLVMValueRef string = LLVMAddGlobal(ir->own->module, LLVMTypeOf(bytes), "tw_place_text");
    LLVMSetInitializer(string, bytes), LLVMSetGlobalConstant(string, true);
    LLVMSetLinkage(string, LLVMPrivateLinkage);
    LLVMValueRef members[] = { LLVMConstInt(LLVMInt32TypeInContext(c), 0, false), string };
    LLVMValueRef value = LLVMConstStructInContext(c, members, 2, false);
    LLVMValueRef place = LLVMAddGlobal(ir->own->module, LLVMTypeOf(value), "tw_place");
    LLVMSetInitializer(place, value);
    LLVMSetLinkage(place, LLVMInternalLinkage);
    return place;
}

/* What counters call: it reads and writes memory that no code of the module has, and its argument's. */
static LLVMValueRef counter_of(tw__ir *ir, const char *callee, LLVMTypeRef type, bool has_place)
{
    LLVMContextRef c = ir->own->context;
    LLVMValueRef to = LLVMGetNamedFunction(ir->own->module, callee);
    if (to) return to;
    to = LLVMAddFunction(ir->own->module, callee, type);
    enum { OF_ARGUMENTS = 3, OF_ITS_OWN = 3 << 2 };
    const struct {
        const char *name;
        uint64_t value;
    } attributes[] = { { "nounwind", 0 },
                       { "willreturn", 0 },
                       { "memory", has_place ? OF_ITS_OWN | OF_ARGUMENTS : OF_ITS_OWN } };
    for (size_t i = 0; i < G_N_ELEMENTS(attributes); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
        LLVMAddAttributeAtIndex(to, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(c, kind, attributes[i].value));
    }
    return to;
}

static void insert_call(tw__ir *ir, size_t function, uint32_t instruction, const char *callee, uint64_t argument,
                        const char *text)
{
    LLVMContextRef c = ir->own->context;
    LLVMTypeRef words[] = { LLVMInt64TypeInContext(c), LLVMPointerTypeInContext(c, 0) },
                type = LLVMFunctionType(LLVMVoidTypeInContext(c), words, text ? 2 : 1, false);
    LLVMValueRef to = counter_of(ir, callee, type, text != NULL), at = ir->own->values[function][instruction];
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(builder, at);
    /* A call of what may be inlined needs a place, where its function has one. */
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(at),
                    scope = LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)));
    if (!place && scope) place = LLVMDIBuilderCreateDebugLocation(c, 0, 0, scope, NULL);
    if (place) LLVMSetCurrentDebugLocation2(builder, place);
    LLVMValueRef arguments[] = { LLVMConstInt(words[0], argument, false), text ? place_value(ir, text) : NULL };
    LLVMBuildCall2(builder, type, to, arguments, text ? 2 : 1, "");
    LLVMDisposeBuilder(builder);
}

/* A loop's metadata begin with themselves, so that no two loops share them. */
static void unroll(tw__ir *ir, size_t function, uint32_t branch, uint32_t copies)
{
    LLVMContextRef c = ir->own->context;
    const char *what = copies ? "llvm.loop.unroll.count" : "llvm.loop.unroll.full";
    LLVMMetadataRef words[] = { LLVMMDStringInContext2(c, what, strlen(what)),
                                LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), copies, false)) };
    LLVMMetadataRef hint = LLVMMDNodeInContext2(c, words, copies ? 2 : 1);
    LLVMMetadataRef self = LLVMTemporaryMDNode(c, NULL, 0), parts[2] = { self, hint };
    LLVMMetadataRef loop = LLVMMDNodeInContext2(c, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(ir->own->values[function][branch], LLVMGetMDKindIDInContext(c, "llvm.loop", 9),
                    LLVMMetadataAsValue(c, loop));
}

static void remove_calls(tw__ir *ir, const char *callee)
{
    LLVMValueRef function = LLVMGetNamedFunction(ir->own->module, callee);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use;) {
        LLVMValueRef user = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        if (LLVMIsACallInst(user)) LLVMInstructionEraseFromParent(user);
    }
    module_forget(ir);
    module_describe(ir);
}

static void inline_section(tw__ir *ir, const char *section)
{
    unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8),
             always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->own->module); f; f = LLVMGetNextFunction(f)) {
        const char *own = LLVMGetSection(f);
        if (!own || strcmp(own, section) != 0) continue;
        LLVMSetSection(f, "");
        LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, noinline);
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(ir->own->context, always, 0));
    }
}

static bool write_bitcode(tw__ir *ir, void **bitcode, size_t *size, char **problem)
{
    char *text = NULL;
    bool broken = LLVMVerifyModule(ir->own->module, LLVMReturnStatusAction, &text);
    if (broken) *problem = strdup(text);
    LLVMDisposeMessage(text);
    if (broken) return false;
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(ir->own->module);
    *size = LLVMGetBufferSize(buffer);
    *bitcode = malloc(*size);
    if (*bitcode) memcpy(*bitcode, LLVMGetBufferStart(buffer), *size);
    LLVMDisposeMemoryBuffer(buffer);
    return *bitcode != NULL;
}

__attribute__((visibility("default")))
const tw__ir_calls tw__ir_module = { TW__IR_VERSION, read_bitcode, free_ir,        optimise,     insert_call,
                                     unroll,         remove_calls, inline_section, write_bitcode };
