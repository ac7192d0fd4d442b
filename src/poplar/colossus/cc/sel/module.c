/* SPDX-License-Identifier: MIT */
/* A module: its functions and variables. */
#include "poplar/colossus/cc/sel/sel.h"

static bool module_is_local(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static bool module_is_weak(LLVMValueRef global)
{
    switch (LLVMGetLinkage(global)) {
    case LLVMLinkOnceAnyLinkage:
    case LLVMLinkOnceODRLinkage:
    case LLVMWeakAnyLinkage:
    case LLVMWeakODRLinkage:
    case LLVMExternalWeakLinkage:
    case LLVMCommonLinkage: return true;
    default: return false;
    }
}

/* What other modules have, or the compiler alone reads. */
static bool module_is_elsewhere(LLVMValueRef global)
{
    return LLVMIsDeclaration(global) || LLVMGetLinkage(global) == LLVMAvailableExternallyLinkage;
}

/* The first line of the functions in this table that are to run before the program: that of a variable. */
static void module_refuse_start(tw__sel *s, LLVMValueRef table)
{
    LLVMValueRef row = LLVMGetNumOperands(table) ? LLVMGetOperand(table, 0) : NULL;
    LLVMValueRef start = row && LLVMGetNumOperands(row) > 1 ? LLVMIsAFunction(LLVMGetOperand(row, 1)) : NULL;
    for (LLVMBasicBlockRef b = start ? LLVMGetFirstBasicBlock(start) : NULL; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !s->at; i = LLVMGetNextInstruction(i))
            if (LLVMGetDebugLocLine(i)) tw__sel_set_line(s, i);
    tw__sel_refuse(s, "cc.initialiser",
                   "a variable is initialised by code that would have to run before the program; give it a "
                   "constant value");
    s->at = NULL;
}

static void module_variable(tw__sel *s, LLVMValueRef variable)
{
    size_t length = 0;
    const char *name = LLVMGetValueName2(variable, &length);
    s->function = NULL;
    s->at = NULL;
    if (strcmp(name, "llvm.global_ctors") == 0 || strcmp(name, "llvm.global_dtors") == 0) {
        LLVMValueRef table = LLVMGetInitializer(variable);
        if (!LLVMIsNull(table)) module_refuse_start(s, table);
        return;
    }
    if (module_is_elsewhere(variable) || g_str_has_prefix(name, "llvm.")) return;
    tw__mir_data *data = tw__mir_add_data(s->mir, tw__sel_name(s, variable));
    data->is_local = module_is_local(variable);
    data->is_weak = module_is_weak(variable);
    tw__sel_data(s, variable, data);
}

static void module_function(tw__sel *s, LLVMValueRef function)
{
    if (module_is_elsewhere(function)) return;
    tw__mir_function *f = tw__mir_add_function(s->mir, tw__sel_name(s, function));
    f->is_local = module_is_local(function);
    f->is_weak = module_is_weak(function);
    f->line = LLVMGetDebugLocLine(function);
    tw__sel_function(s, function, f);
}

/* Other names, for other modules: this one's code has the place itself. */
static void module_alias(tw__sel *s, LLVMValueRef alias)
{
    const char *symbol;
    int64_t add;
    s->function = NULL;
    s->at = NULL;
    if (module_is_local(alias) || !tw__sel_symbol(s, alias, &symbol, &add) || !symbol) return;
    tw__mir_alias *a = tw__mir_add_alias(s->mir, tw__sel_name(s, alias), symbol);
    a->add = add;
    a->is_weak = module_is_weak(alias);
    a->is_function = LLVMGetTypeKind(LLVMGlobalGetValueType(alias)) == LLVMFunctionTypeKind;
}

static void module_ifunc(tw__sel *s, LLVMValueRef function)
{
    s->function = NULL;
    s->at = NULL;
    tw__sel_refuse(s, "cc.initialiser",
                   "which function '%s' is would have to be decided before the program runs; decide it at the call",
                   tw__sel_name(s, function));
}

static void module_entry(tw__sel *s, LLVMValueRef value, void (*take)(tw__sel *, LLVMValueRef), bool *has_failed)
{
    s->has_failed = false;
    take(s, value);
    *has_failed = *has_failed || s->has_failed;
}

tw__mir *tw__sel_module(LLVMModuleRef module, tw_isa_arch arch, tw__arena *arena, tw__sel_report *report,
                        void *user)
{
    tw__sel s = { .mir = tw__mir_new(arena, arch), .module = module, .report = report, .user = user };
    s.layout = LLVMGetModuleDataLayout(module);
    s.names = g_hash_table_new(NULL, NULL);
    s.debug = tw__cc_debug_new(module, s.mir);
    s.mir->debug = s.debug ? tw__cc_debug_unit(s.debug) : NULL;
    bool has_failed = false;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
        module_entry(&s, v, module_variable, &has_failed);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        module_entry(&s, f, module_function, &has_failed);
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
        module_entry(&s, a, module_alias, &has_failed);
    for (LLVMValueRef f = LLVMGetFirstGlobalIFunc(module); f; f = LLVMGetNextGlobalIFunc(f))
        module_entry(&s, f, module_ifunc, &has_failed);
    g_hash_table_unref(s.names);
    tw__cc_debug_free(s.debug);
    return has_failed ? NULL : s.mir;
}
