/* SPDX-License-Identifier: MIT */
/* Translated code of the simulator of tiles (colossus/sim/native.h): C text in, code of the host out. It is compiled
 * by the clang that compiles codelets, into their cache: a text that was compiled once, by any process, is only
 * loaded. */
#include "poplar/codelet/compile/compile.h"
#include "poplar/colossus/sim/native.h"

#include <dlfcn.h>
#include <string.h>

/* Nothing that depends on this machine's CPU: caches are shared. Nothing that changes a rounding. */
static const char *const flags[] = { "-x",
                                     "c",
                                     "-std=gnu11",
                                     "-O2",
                                     "-fPIC",
                                     "-shared",
                                     "-ffp-contract=off",
                                     "-fno-math-errno",
                                     "-w",
                                     "-fvisibility=hidden" };

static char *native_sim_key(const tw__toolchain *toolchain, const char *text)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)toolchain->identity, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) g_checksum_update(sum, (const guchar *)flags[i], -1);
    g_checksum_update(sum, (const guchar *)text, -1);
    char *key = g_strconcat("sim-", g_checksum_get_string(sum), NULL);
    g_checksum_free(sum);
    return key;
}

static bool native_sim_make(const tw__toolchain *toolchain, const char *text, const char *path)
{
    g_autofree char *made = tw__cache_temporary(".so"), *messages = NULL;
    int status = 1;
    if (!made) return false;
    GPtrArray *args = g_ptr_array_new();
    g_ptr_array_add(args, toolchain->clang);
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) g_ptr_array_add(args, (char *)flags[i]);
    if (toolchain->has_lld) g_ptr_array_add(args, (char *)"-fuse-ld=lld");
    const char *const rest[] = { "-o", made, "-", NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(rest); i++) g_ptr_array_add(args, (char *)rest[i]);
    bool good = tw__run((char **)args->pdata, text, strlen(text), NULL, &messages, &status) == TW_OK &&
                status == 0 && tw__cache_publish(made, path) == TW_OK;
    g_ptr_array_free(args, TRUE);
    if (!good) {
        TW__LOG(CODELETS, WARN, "code of tiles cannot be translated: %s", messages ? messages : tw_error_message());
        remove(made);
    }
    return good;
}

static tw__sim_native_code *native_sim_compile(const char *text)
{
    const tw__toolchain *toolchain;
    if (tw__toolchain_get(&toolchain) != TW_OK) return NULL;
    g_autofree char *key = native_sim_key(toolchain, text), *path = tw__cache_path(key, ".so");
    if (!path || (!tw__cache_read(path, NULL, NULL) && !native_sim_make(toolchain, text, path))) return NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* for good */
    return handle ? (tw__sim_native_code *)dlsym(handle, "tw__native_code") : NULL;
}

__attribute__((constructor)) void tw__native_sim_offer(void)
{
    tw__sim_set_compiler(native_sim_compile);
}
