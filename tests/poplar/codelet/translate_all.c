/* SPDX-License-Identifier: MIT */
/* Linked into the tests of the simulator a second time: all their code is translated before it runs. */
#include "poplar/codelet/compile/compile.h"
#include "poplar/colossus/sim/native.h"

__attribute__((constructor)) static void translate_all(void)
{
    tw__native_sim_offer();
    tw__sim_translate_all();
}
