/* SPDX-License-Identifier: MIT */
/* ir: loads the module with LLVM, and calls it. */
#include "core/ir/ir.h"

#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

static const tw__ir_calls *module;
static char *problem;

static void ir_load(void)
{
    g_autofree char *path = g_build_filename(tw__lib_dir(), "tilewright", "ir.so", NULL);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const tw__ir_calls *found = handle ? dlsym(handle, TW__IR_SYMBOL) : NULL;
    if (found && found->version == TW__IR_VERSION)
        module = found;
    else
        problem = g_strdup(found ? "it is of another version" : dlerror());
}

tw_status tw__ir_read(const void *bitcode, size_t size, tw__ir **ir)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* not GLib's: thread sanitizers do not see into that */
    pthread_once(&once, ir_load);
    *ir = NULL;
    if (!module)
        return tw__fail(TW_E_NO_ENVIRONMENT,
                        "cannot load the module that reads the compiler's code (%s); it needs LLVM 19 (Debian: apt "
                        "install libllvm19, and llvm-19-dev to build it)",
                        problem ? problem : "unknown reason");
    char *text = NULL;
    *ir = module->read(bitcode, size, &text);
    if (*ir) return TW_OK;
    tw_status status = tw__fail(TW_E_FILE_LOAD, "this is no bitcode of LLVM 19: %s", text ? text : "no memory");
    free(text);
    return status;
}

void tw__ir_free(tw__ir *ir)
{
    if (ir) module->free(ir);
}

tw_status tw__ir_optimise(tw__ir *ir, const char *passes)
{
    char *text = NULL;
    if (module->optimise(ir, passes, &text)) return TW_OK;
    tw_status status = tw__fail(TW_E_ERROR, "passes '%s': %s", passes, text ? text : "no memory");
    free(text);
    return status;
}

void tw__ir_insert_call(tw__ir *ir, size_t function, uint32_t instruction, const char *callee, uint64_t argument)
{
    module->insert_call(ir, function, instruction, callee, argument, NULL);
}

void tw__ir_insert_place(tw__ir *ir, size_t function, uint32_t instruction, const char *callee, uint64_t argument,
                         const char *text)
{
    module->insert_call(ir, function, instruction, callee, argument, text);
}

void tw__ir_unroll(tw__ir *ir, size_t function, uint32_t branch, uint32_t copies)
{
    module->unroll(ir, function, branch, copies);
}

void tw__ir_remove_calls(tw__ir *ir, const char *callee)
{
    module->remove_calls(ir, callee);
}

void tw__ir_inline_section(tw__ir *ir, const char *section)
{
    module->inline_section(ir, section);
}

tw_status tw__ir_write(tw__ir *ir, void **bitcode, size_t *size)
{
    char *text = NULL;
    if (module->write(ir, bitcode, size, &text)) return TW_OK;
    tw_status status =
        tw__fail(TW_E_ERROR, "the code is not sound after counters went in: %s", text ? text : "no memory");
    free(text);
    return status;
}
