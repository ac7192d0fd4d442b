/* SPDX-License-Identifier: MIT */
/* cc: loads the module that compiles C and C++ for the chip, and calls it. */
#include "poplar/colossus/cc/cc.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <pthread.h>

static const tw__cc_calls *cc_calls;
static char *cc_problem;

static char *cc_path(void)
{
    return g_build_filename(tw__lib_dir(), "tilewright", "cc.so", NULL);
}

static void cc_load(void)
{
    g_autofree char *path = cc_path();
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const tw__cc_calls *found = handle ? dlsym(handle, TW__CC_SYMBOL) : NULL;
    if (found && found->version == TW__CC_VERSION)
        cc_calls = found;
    else
        cc_problem = g_strdup(found ? "it is of another version" : dlerror());
}

char *tw__cc_identity(void)
{
    g_autofree char *path = cc_path();
    GStatBuf info;
    if (g_stat(path, &info) != 0) return NULL;
    return g_strdup_printf("cc %lld %lld.%09ld", (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                           (long)info.st_mtim.tv_nsec);
}

typedef struct first_error {
    const tw__cc_request *request;
    char *text;
} first_error;

static void keep_first(void *user, const tw_diag *diag)
{
    first_error *first = user;
    if (diag->severity == TW_ERROR && !first->text)
        first->text = diag->line > 0
                          ? g_strdup_printf("%s:%d:%d: %s", diag->file, diag->line, diag->column, diag->message)
                          : g_strdup_printf("%s: %s", diag->file, diag->message);
    if (first->request->report) first->request->report(first->request->user, diag);
}

tw_status tw__cc_compile(const tw__cc_request *request, tw__cc_output *output)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* not GLib's: thread sanitizers do not see into that */
    pthread_once(&once, cc_load);
    *output = (tw__cc_output){ 0 };
    if (!cc_calls)
        return tw__fail(
            TW_E_NO_ENVIRONMENT,
            "cannot load the module that compiles C and C++ for the chip (%s); it needs clang 19 (Debian: "
            "apt install libclang-cpp19, and libclang-19-dev and llvm-19-dev to build it)",
            cc_problem ? cc_problem : "unknown reason");
    first_error first = { request, NULL };
    tw__cc_request own = *request;
    own.report = keep_first;
    own.user = &first;
    own.version = TW__CC_VERSION;
    cc_calls->compile(&own, output);
    tw_status status = TW_OK;
    if (!output->text) {
        status =
            tw__fail(TW_E_COMPILATION, "%s", first.text ? first.text : "the compiler gave up without a reason");
        tw__cc_output_clear(output);
    }
    g_free(first.text);
    return status;
}

void tw__cc_output_clear(tw__cc_output *output)
{
    g_free(output->text);
    g_strfreev(output->headers);
    *output = (tw__cc_output){ 0 };
}
