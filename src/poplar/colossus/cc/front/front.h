/* SPDX-License-Identifier: MIT */
/* cc/front: from source to optimised code of LLVM. */
#ifndef TW_CC_FRONT_H
#define TW_CC_FRONT_H

#include "poplar/colossus/cc/cc.h"

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang.cpp: the code of a source as clang makes it, before any pass, and the files it includes; NULL: errors, which
 * were reported. */
LLVMModuleRef tw__cc_parse(const tw__cc_request *request, LLVMContextRef context, char ***headers);
/* Calls `work` in a thread with a stack that deep sources need; what would end the process ends the call: false. */
bool tw__cc_safely(void (*work)(void *user), void *user);

/* passes.c: false: problems were reported. */
bool tw__cc_optimise(const tw__cc_request *request, LLVMModuleRef module);

bool tw__cc_is_supervisors(LLVMValueRef function); /* code that a supervisor runs */

/* loops.c: `run` runs passes as LLVM writes them; false: problems were reported. */
typedef bool tw__cc_run(const tw__cc_request *request, LLVMModuleRef module, const char *passes);
bool tw__cc_vectorise(const tw__cc_request *request, LLVMModuleRef module, tw__cc_run *run);

/* front.c: reports a problem without a place of its own. */
void tw__cc_say(const tw__cc_request *request, tw_severity severity, const char *code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
