/* SPDX-License-Identifier: MIT */
/* Builtins that are no inline assembly in the headers. */
#include "poplar/colossus/cc/sel/abi.h"

bool tw__sel_builtin(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out)
{
    enum { WORKER_BASE = 12, VERTEX_BASE = 13 };
    static const struct {
        const char *name;
        unsigned reg;
    } registers[] = {
        { "__builtin_colossus_get_vertex_base", VERTEX_BASE },
        { "__builtin_ipu_get_vertex_base", VERTEX_BASE },
        { "__builtin_colossus_get_worker_base", WORKER_BASE },
    };
    (void)s, (void)call;
    for (size_t i = 0; i < G_N_ELEMENTS(registers); i++)
        if (strcmp(name, registers[i].name) == 0) {
            out[0] = tw__sel_physical(TW__MIR_MAIN, registers[i].reg, 1);
            return true;
        }
    return false;
}
