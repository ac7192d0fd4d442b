/* SPDX-License-Identifier: MIT */
/* cc/front: LLVM's passes, run without a target machine. */
#include "poplar/colossus/cc/front/front.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

bool tw__cc_optimise(const tw__cc_request *request, LLVMModuleRef module)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopUnrolling(options, false);
    LLVMErrorRef error = LLVMRunPasses(module, "default<O2>", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return true;
    char *text = LLVMGetErrorMessage(error);
    tw__cc_say(request, TW_ERROR, "cc.passes", text);
    LLVMDisposeErrorMessage(text);
    return false;
}
