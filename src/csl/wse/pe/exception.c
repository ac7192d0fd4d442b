/* SPDX-License-Identifier: MIT */
/* exception: floating-point exceptions that a program lets stop its PE (<tile_config>, exceptions). What the host's
 * unit notes while a stretch of code or of elements runs is asked afterwards, so that programs which unmask nothing
 * pay nothing. Results of 16 bits are computed in 32 and rounded apart: of theirs only division by zero and invalid
 * operations are seen. */
#include "csl/wse/pe/pe.h"

#include <fenv.h>

/* Bits of the mask register, <tile_config/exceptions>. */
static const struct {
    uint8_t bit;
    int flag;
    const char *name;
} exceptions[] = {
    { 1 << 7, FE_DIVBYZERO, "floating-point division by zero" },
    { 1 << 6, FE_INVALID, "invalid floating-point operation" },
    { 1 << 4, FE_OVERFLOW, "floating-point overflow" },
    { 1 << 3, FE_UNDERFLOW, "floating-point underflow" },
    { 1 << 5, FE_INEXACT, "inexact floating-point result" },
};

void tw__wse_exceptions_clear(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}

bool tw__wse_exceptions_raised(tw__part *part, tw__pe *pe, uint32_t at)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    if (!raised || pe->main_state == TW__MAIN_FAULT) return false;
    for (size_t k = 0; k < sizeof exceptions / sizeof *exceptions; k++) {
        if (!(pe->unmasked & exceptions[k].bit) || !(raised & exceptions[k].flag)) continue;
        pe->pc = at;
        tw__wse_fault(part, pe, "wse.exception", "%s here or shortly before: the program lets it stop the PE",
                      exceptions[k].name);
        return true;
    }
    return false;
}
