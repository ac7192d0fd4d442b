/* SPDX-License-Identifier: MIT */
/* Random numbers of codelets on the host: one generator for each simulated tile (include/poplar/device/ipu_builtins.h
 * draws from it), lent to the thread that runs the tile's vertices. */
#include "poplar/codelet/codelet.h"

#include <dlfcn.h>

/* Every tile starts from the same fixed seed (guide chapter 2, docs/decisions.md, G6): the digits of pi. */
void tw__random_seed(tw__random *random)
{
    *random = (tw__random){ { 0x243f6a8885a308d3, 0x13198a2e03707344 } };
}

static __thread tw__random *current;

void tw__random_use(tw__random *random)
{
    current = random;
}

/* Codelets that are called outside an engine draw from a generator of the thread. */
static unsigned long long *random_state(void)
{
    static __thread tw__random own;
    if (!current) {
        if (!own.state[0]) tw__random_seed(&own);
        return own.state;
    }
    return current->state;
}

bool tw__random_connect(void *handle)
{
    unsigned long long *(**hook)(void) = dlsym(handle, "tw__codelet_random");
    if (hook) __atomic_store_n(hook, random_state, __ATOMIC_RELAXED); /* engines that share an object all do */
    return hook != NULL;
}
