/* SPDX-License-Identifier: MIT */
/* cc/front: what the module exports: a source all the way to assembly. */
#include "poplar/colossus/cc/front/front.h"

#include "poplar/colossus/cc/sel/generate.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <string.h>

void tw__cc_say(const tw__cc_request *request, tw_severity severity, const char *code, const char *message)
{
    tw_diag diag = { .file = request->path, .length = 1, .severity = severity, .code = code, .message = message };
    request->report(request->user, &diag);
}

typedef struct front_job {
    const tw__cc_request *request;
    tw__cc_output *output;
    bool is_read; /* what fails from there on is this compiler, not clang or LLVM's reader */
} front_job;

static LLVMModuleRef read_ir(const tw__cc_request *request, LLVMContextRef context)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(request->text, request->length, request->path);
    LLVMModuleRef module = NULL;
    char *problem = NULL;
    if (!LLVMParseIRInContext(context, buffer, &module, &problem)) {
        LLVMDisposeMessage(problem);
        if (!LLVMVerifyModule(module, LLVMReturnStatusAction, &problem)) {
            LLVMDisposeMessage(problem);
            return module;
        }
        LLVMDisposeModule(module);
    }
    tw__cc_say(request, TW_ERROR, "cc.ir", problem);
    LLVMDisposeMessage(problem);
    return NULL;
}

static char *ir_text(LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module), *copy = g_strdup(text);
    LLVMDisposeMessage(text);
    return copy;
}

/* The code, and what the source says to the assembler outside of functions: stack sizes (StackSizeDefs.hpp). */
static char *assembly_text(const tw__cc_request *request, LLVMModuleRef module)
{
    GString *text = g_string_new(NULL);
    size_t length = 0;
    const char *own = LLVMGetModuleInlineAsm(module, &length);
    bool ok = tw__cc_generate(request, module, text);
    if (length) g_string_append_len(text, own, (gssize)length);
    return g_string_free(text, !ok);
}

/* Of passes: remarks about loops that stay as they are go nowhere, errors to the caller. */
static void hear_passes(LLVMDiagnosticInfoRef info, void *user)
{
    front_job *job = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    char *text = LLVMGetDiagInfoDescription(info);
    tw__cc_say(job->request, TW_ERROR, "cc.passes", text);
    LLVMDisposeMessage(text);
}

static void front_work(void *user)
{
    front_job *job = user;
    const tw__cc_request *request = job->request;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = request->language == TW__CC_IR ? read_ir(request, context)
                                                          : tw__cc_parse(request, context, &job->output->headers);
    job->is_read = true;
    LLVMContextSetDiagnosticHandler(context, hear_passes, job);
    if (module && request->result == TW__CC_SOURCE_IR) {
        job->output->text = ir_text(module);
    } else if (module && tw__cc_optimise(request, module)) {
        bool is_ir = request->result == TW__CC_OPTIMISED_IR;
        job->output->text = is_ir ? ir_text(module) : assembly_text(request, module);
    }
    if (module) LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

static void front_compile(const tw__cc_request *request, tw__cc_output *output)
{
    front_job job = { .request = request, .output = output };
    if (!tw__cc_safely(front_work, &job)) {
        g_clear_pointer(&output->text, g_free);
        if (job.is_read)
            tw__cc_say(request, TW_ERROR, "cc.crash",
                       "the compiler failed on this source: this is a mistake of ours");
        else
            tw__cc_say(request, TW_ERROR, "cc.clang", "clang itself failed where it reads this source");
    }
}

__attribute__((visibility("default"))) const tw__cc_calls tw__cc_module = { TW__CC_VERSION, front_compile };
