/* SPDX-License-Identifier: MIT */
/* Elementary functions of codelets on the host (include/tilewright/codelet_math.h): a table of whoever has them. */
#include "poplar/codelet/codelet.h"

#include <dlfcn.h>

static const tw_codelet_math *functions;

void tw__math_offer(const tw_codelet_math *table)
{
    __atomic_store_n(&functions, table, __ATOMIC_RELAXED);
}

void tw__math_connect(void *handle)
{
    const tw_codelet_math **hook = dlsym(handle, "tw__codelet_math");
    if (hook) __atomic_store_n(hook, __atomic_load_n(&functions, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}
