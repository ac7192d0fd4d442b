/* SPDX-License-Identifier: MIT */
/* From LLVM's code to assembly: selection, registers, text. */
#include "poplar/colossus/cc/sel/generate.h"

#include "poplar/colossus/cc/emit/emit.h"
#include "poplar/colossus/cc/ra/ra.h"
#include "poplar/colossus/cc/sel/sel.h"

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

static bool generate_wrong(const tw__cc_request *request, const char *what)
{
    tw_diag diag = {
        .file = request->path, .length = 1, .severity = TW_ERROR, .code = "cc.internal", .message = what
    };
    request->report(request->user, &diag);
    return false;
}

/* Loops whose rounds can be counted before they begin say so. */
static bool generate_loops(const tw__cc_request *request, LLVMModuleRef module)
{
    static const char passes[] = "function(hardware-loops<force-hardware-loops;hardware-loop-decrement=1;"
                                 "hardware-loop-counter-bitwidth=32>,adce)";
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return true;
    char *text = LLVMGetErrorMessage(error);
    generate_wrong(request, text);
    LLVMDisposeErrorMessage(text);
    return false;
}

bool tw__cc_generate(const tw__cc_request *request, LLVMModuleRef module, GString *assembly)
{
    if (!generate_loops(request, module)) return false;
    tw__arena *arena = tw__arena_new(0);
    tw__mir *mir = tw__sel_module(module, request->arch, arena, request->report, request->user);
    const tw__ra_options options = { 0 };
    const char *problem = NULL;
    for (uint32_t i = 0; mir && i < mir->function_count && !problem; i++) {
        problem = tw__mir_check(mir, mir->functions[i]);
        if (!problem) problem = tw__ra_function(mir, mir->functions[i], &options);
    }
    bool is_fine = mir && (!problem || generate_wrong(request, problem));
    if (is_fine) tw__mir_emit(mir, assembly);
    tw__arena_free(arena);
    return is_fine;
}
