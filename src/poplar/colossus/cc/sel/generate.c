/* SPDX-License-Identifier: MIT */
/* From LLVM's code to assembly: selection, registers, text. */
#include "poplar/colossus/cc/sel/generate.h"

#include "poplar/colossus/cc/emit/emit.h"
#include "poplar/colossus/cc/ra/ra.h"
#include "poplar/colossus/cc/sel/sel.h"

static bool generate_wrong(const tw__cc_request *request, const char *what)
{
    tw_diag diag = {
        .file = request->path, .length = 1, .severity = TW_ERROR, .code = "cc.internal", .message = what
    };
    request->report(request->user, &diag);
    return false;
}

bool tw__cc_generate(const tw__cc_request *request, LLVMModuleRef module, GString *assembly)
{
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
