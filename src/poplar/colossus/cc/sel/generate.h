/* SPDX-License-Identifier: MIT */
/* cc/sel: what the module's entry calls. */
#ifndef TW_CC_SEL_GENERATE_H
#define TW_CC_SEL_GENERATE_H

#include "poplar/colossus/cc/cc.h"

#include <llvm-c/Types.h>

/* The module's code, appended to `assembly`. False: problems were reported. */
bool tw__cc_generate(const tw__cc_request *request, LLVMModuleRef module, GString *assembly);
/* state.c: whether any load is known not to change now. */
bool tw__cc_mark_state(LLVMModuleRef module);

#endif
