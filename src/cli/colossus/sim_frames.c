/* SPDX-License-Identifier: MIT */
/* Calls and returns in the interactive mode. Assembly keeps no frames that could be read: that $lr holds the
 * address to return to (guide 10.3.3) is all there is, and a function may keep it wherever it likes. So each jump is
 * followed when it happens: what enters a function with an address of its own in $lr is a call, however it is
 * written, and a jump to an address that a caller is waiting at is a return, whatever register it goes through. */
#include "cli/colossus/sim_debug.h"

#include <string.h>

enum { LINK = 10 };

int tw__debug_section(const debugger *d, uint32_t address)
{
    const tw_section *section;
    for (size_t i = 0; (section = tw_object_get_section(d->s->image, i)); i++)
        if ((section->flags & TW_SECTION_EXEC) && address - section->address < section->size) return (int)i;
    return -1;
}

static bool is_code(const debugger *d, uint32_t address)
{
    return !(address & 3) && tw__debug_section(d, address) >= 0;
}

static void enter(debugger *d, unsigned context, uint32_t call, uint32_t back)
{
    frame f = { call, back };
    g_array_append_val(d->frames[context], f);
    d->linked[context] = false;
}

/* The frame that a jump to this address returns to, and all within it, are over. A recursive function has the same
 * address several times: the innermost one counts. */
static bool sim_frames_leave(debugger *d, unsigned context, uint32_t pc)
{
    GArray *frames = d->frames[context];
    for (guint i = frames->len; i--;)
        if (g_array_index(frames, frame, i).back == pc) {
            g_array_set_size(frames, i);
            d->linked[context] = false;
            return true;
        }
    return false;
}

/* Does a jump with this in $lr call? Not when $lr is what the present function was called with: then what it jumps to
 * returns in its place. */
static bool is_call(const debugger *d, unsigned context, uint32_t pc, uint32_t link)
{
    const GArray *frames = d->frames[context];
    uint32_t offset;
    if (frames->len && g_array_index(frames, frame, frames->len - 1).back == link) return false;
    return d->linked[context] && is_code(d, link) && tw_sim_symbol_at(d->s->sim, pc, NULL, &offset) && !offset;
}

static bool writes_link(const tw_sim_event *event)
{
    for (unsigned i = 0; i < event->count; i++) {
        const tw_isa_row *row = tw_isa_get(event->insns[i].row);
        for (unsigned k = 0; k < row->count; k++) {
            const tw_isa_operand *kind = row->operands[k];
            if (kind->file == TW_ISA_MRF && kind->writes && LINK - event->insns[i].operands[k] < kind->registers)
                return true;
        }
    }
    return false;
}

void tw__debug_follow(debugger *d, const tw_sim_event *event)
{
    const tw_isa_row *row = event->count ? tw_isa_get(event->insns[0].row) : NULL;
    unsigned context = event->context;
    uint32_t pc = tw_sim_get_pc(d->s->sim, context), behind = event->pc + 4 * event->count;
    if (!row) return;
    if (strcmp(row->name, "call") == 0) {
        enter(d, context, event->pc, behind);
        return;
    }
    if (strncmp(row->name, "exit", 4) == 0) { /* started again, the worker begins anew */
        g_array_set_size(d->frames[context], 0);
        d->linked[context] = false;
        return;
    }
    if (writes_link(event)) d->linked[context] = true;
    if (!(row->flags & TW_ISA_CONTROL) || pc == behind) return;
    if (strcmp(row->name, "br") == 0 && sim_frames_leave(d, context, pc)) return;
    uint32_t link = tw_sim_get_m(d->s->sim, context, LINK);
    if (is_call(d, context, pc, link)) enter(d, context, event->pc, link);
}

bool tw__debug_frame(const debugger *d, guint n, uint32_t *address)
{
    const GArray *frames = d->frames[d->context];
    if (n > frames->len) return false;
    *address = n ? g_array_index(frames, frame, frames->len - n).call : tw_sim_get_pc(d->s->sim, d->context);
    return true;
}

uint32_t tw__debug_back(const debugger *d, guint n)
{
    const GArray *frames = d->frames[d->context];
    return n && n <= frames->len ? g_array_index(frames, frame, frames->len - n).back : 0;
}
