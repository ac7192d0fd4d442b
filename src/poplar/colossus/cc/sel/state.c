/* SPDX-License-Identifier: MIT */
/* The state of a vertex lies apart from what its edges lead to. Where an entry only reads it, its loads are marked as
 * invariant, so that a factor or a pointer in it stays in a register while a loop writes elements. */
#include "poplar/colossus/cc/sel/generate.h"

#include <llvm-c/Core.h>
#include <string.h>

/* Loads through addresses that are the state's plus an offset, into `loads`; false: the state is written, or its
 * address goes where that cannot be seen. */
static bool state_is_read(LLVMValueRef address, GPtrArray *loads)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user)) {
            if (!state_is_read(user, loads)) return false;
        } else if (LLVMIsALoadInst(user)) {
            if (!LLVMGetVolatile(user)) g_ptr_array_add(loads, user);
        } else {
            return false;
        }
    }
    return true;
}

/* All calls that ask for the state: LLVM may have kept several. */
static bool state_of_function(LLVMValueRef function, LLVMValueRef builtin, GPtrArray *loads)
{
    bool is_read = true;
    for (LLVMUseRef use = LLVMGetFirstUse(builtin); use && is_read; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (!LLVMIsACallInst(call) || LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) != function) continue;
        is_read = LLVMGetCalledValue(call) == builtin && state_is_read(call, loads);
    }
    return is_read;
}

bool tw__cc_mark_state(LLVMModuleRef module)
{
    static const char name[] = "__builtin_colossus_get_vertex_base", kind_name[] = "invariant.load";
    LLVMValueRef builtin = LLVMGetNamedFunction(module, name);
    if (!builtin) return false;
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned kind = LLVMGetMDKindIDInContext(context, kind_name, (unsigned)strlen(kind_name));
    LLVMValueRef empty = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        GPtrArray *loads = g_ptr_array_new();
        bool is_read = !LLVMIsDeclaration(f) && state_of_function(f, builtin, loads);
        for (guint i = 0; is_read && i < loads->len; i++) {
            LLVMSetMetadata(loads->pdata[i], kind, empty);
            any = true;
        }
        g_ptr_array_unref(loads);
    }
    return any;
}
