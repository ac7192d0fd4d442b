/* SPDX-License-Identifier: MIT */
/* Loads the module with libclang when the first source is compiled: programs that use precompiled codelets, or none,
 * never map LLVM. */
#include "poplar/codelet/compile/compile.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <pthread.h>

static struct {
    tw__scan_function scan;
    char *problem;
} module;

static char *module_path(void)
{
    return g_build_filename(tw__lib_dir(), "tilewright", "popc.so", NULL);
}

char *tw__module_identity(void)
{
    g_autofree char *path = module_path();
    GStatBuf info;
    if (g_stat(path, &info) != 0) return g_strdup("none");
    return g_strdup_printf("%lld %lld", (long long)info.st_size, (long long)info.st_mtime);
}

static void clang_module_load(void)
{
    g_autofree char *path = module_path();
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle) module.scan = (tw__scan_function)dlsym(handle, TW__SCAN_SYMBOL);
    if (!module.scan) module.problem = g_strdup(dlerror());
}

tw_status tw__module_load(tw__scan_function *scan)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* as in toolchain.c */
    pthread_once(&once, clang_module_load);
    *scan = module.scan;
    if (module.scan) return TW_OK;
    return tw__fail(TW_E_NO_ENVIRONMENT,
                    "cannot load the codelet compiler's module (%s); it needs libclang 19 (Debian: apt install "
                    "libclang1-19)",
                    module.problem ? module.problem : "unknown reason");
}
