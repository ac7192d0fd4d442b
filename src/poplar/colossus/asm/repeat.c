/* SPDX-License-Identifier: MIT */
/* Bodies of rpt (guide 7.5.2), where the text has them. */
#include "poplar/colossus/asm/asm.h"

void tw__asm_check_repeats(tw__asm *as)
{
    for (guint i = 0; i < as->repeats->len && !as->stopped; i++) {
        const repeat *r = &g_array_index(as->repeats, repeat, i);
        uint32_t fault;
        if (tw__check_repeat(as->object, r->section, r->offset, r->body, &fault) == TW_OK) continue;
        fail_at(as, r->place, "%s", tw_error_message());
        const tw_object_line *line = fault == UINT32_MAX ? NULL : tw_object_line_at(as->object, r->section, fault);
        if (line) tw__asm_report(as, r->place, TW_NOTE, "the instruction of %s:%u", line->file, line->line);
    }
}
