/* SPDX-License-Identifier: MIT */
/* debug: the calls of <tilewright/csl/debug.h>. */
#include "csl/wse/debug/debug.h"
#include "csl/wse/host/host.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/csl/debug.h>

static bool pass_halt(void *user, const tw_wse_halt *halt)
{
    (void)user, (void)halt;
    return true;
}

/* What the checks found before the stop is shown before it. */
static bool asked(void *user, const tw__wse_stop *stop)
{
    tw_wse *w = user;
    tw_wse_halt halt = { .reason = (tw_wse_reason)stop->kind, .cycle = stop->cycle };
    if ((stop->kind == TW__WSE_STOP_CODE || stop->kind == TW__WSE_STOP_FAULT) && stop->pe < w->image->pe_count) {
        halt.has_pe = true;
        halt.x = stop->pe % w->image->width, halt.y = stop->pe / w->image->width;
        halt.program = w->image->pes[stop->pe].program, halt.at = stop->at;
    }
    tw__host_report(w);
    return w->hook(w->hook_user, &halt);
}

tw_status tw_wse_debug(tw_wse *w, tw_wse_hook *hook, void *user)
{
    if (!w) return tw__missing("wafer");
    tw_status status = tw__host_one_process("a debugger");
    if (status != TW_OK) return status;
    w->hook = hook ? hook : pass_halt;
    w->hook_user = user;
    if (tw__wse_debug(w->fabric, asked, w)) return TW_OK;
    return tw__fail(TW_E_NO_MEMORY, "no memory for a debugger");
}

/* --- code ----------------------------------------------------------------------------------------------------- */

static tw_wse_code code_of(const tw_wse *w, uint32_t program, const tw__wse_frame *f)
{
    return (tw_wse_code){ .program = program,
                          .at = f->at,
                          .function = f->function,
                          .file = tw__csl_file_name(w->image, f->source.line ? f->source.file : 0),
                          .line = f->source.line,
                          .column = f->source.column };
}

size_t tw_wse_find_code(const tw_wse *w, const char *place, tw_wse_code *codes, size_t room)
{
    if (!w) return tw__missing("wafer"), 0;
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(tw__wse_code));
    if (!tw__wse_find_code(w->fabric, place ? place : "", found)) return 0;
    for (guint i = 0; i < found->len && i < room; i++) {
        const tw__wse_code *c = &g_array_index(found, tw__wse_code, i);
        tw__wse_frame f;
        tw__wse_frame_of_code(&w->image->programs[c->program], c->at, &f);
        codes[i] = code_of(w, c->program, &f);
    }
    return found->len;
}

static tw_status not_debugged(void)
{
    return tw__fail(TW_E_INVALID_ARGUMENT, "the wafer has no debugger: tw_wse_debug() first");
}

tw_status tw_wse_mark(tw_wse *w, unsigned program, unsigned at, bool on)
{
    if (!w) return tw__missing("wafer");
    if (!w->hook) return not_debugged();
    if (program >= w->image->program_count || at >= w->image->programs[program].code_count)
        return tw__fail(TW_E_INDEX, "there is no instruction %u in program %u", at, program);
    tw__wse_mark(w->fabric, program, at, on);
    return TW_OK;
}

/* The number of a PE of the rectangle. */
static tw_status place_pe(const tw_wse *w, unsigned x, unsigned y, uint32_t *pe)
{
    const tw__csl_image *i = w->image;
    *pe = 0;
    if (x >= i->width || y >= i->height)
        return tw__fail(TW_E_INDEX, "there is no PE %u,%u: the rectangle has %u x %u PEs", x, y, i->width,
                        i->height);
    tw_status status = tw__host_one_process("a look into PEs");
    if (status != TW_OK) return status;
    *pe = y * i->width + x;
    return TW_OK;
}

/* ... whose memory may be looked at from now on: one that nothing has used gets it here. */
static tw_status find_pe(const tw_wse *w, unsigned x, unsigned y, uint32_t *pe)
{
    tw_status status = place_pe(w, x, y, pe);
    if (status == TW_OK) tw__wse_memory(w->fabric, x, y);
    return status;
}

int tw_wse_program_of(const tw_wse *w, unsigned x, unsigned y)
{
    if (!w) return tw__missing("wafer"), -1;
    uint32_t pe;
    if (place_pe(w, x, y, &pe) != TW_OK) return -1;
    uint32_t program = w->image->pes[pe].program;
    return program < w->image->program_count ? (int)program : -1;
}

tw_status tw_wse_follow(tw_wse *w, unsigned x, unsigned y, bool on)
{
    if (!w) return tw__missing("wafer");
    if (!w->hook) return not_debugged();
    uint32_t pe;
    tw_status status = find_pe(w, x, y, &pe);
    if (status == TW_OK) tw__wse_follow(w->fabric, on ? pe : UINT32_MAX);
    return status;
}

tw_status tw_wse_halt_at(tw_wse *w, uint64_t cycle)
{
    if (!w) return tw__missing("wafer");
    if (!w->hook) return not_debugged();
    tw__wse_stop_at(w->fabric, cycle);
    return TW_OK;
}

void tw_wse_interrupt(tw_wse *w)
{
    if (w) tw__wse_interrupt(w->fabric);
}

/* --- looking -------------------------------------------------------------------------------------------------- */

bool tw_wse_get_frame(const tw_wse *w, unsigned x, unsigned y, unsigned n, tw_wse_frame *frame)
{
    if (!w) return tw__missing("wafer"), false;
    uint32_t pe;
    tw__wse_frame f;
    if (find_pe(w, x, y, &pe) != TW_OK || !tw__wse_frame_at(w->fabric, pe, n, &f)) return false;
    *frame = (tw_wse_frame){ code_of(w, w->image->pes[pe].program, &f), f.inlined, f.left_out };
    return true;
}

char *tw_wse_print(const tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *text, char format)
{
    if (!w) return tw__made(tw__missing("wafer"), NULL);
    uint32_t pe;
    tw_status status = find_pe(w, x, y, &pe);
    if (status != TW_OK) return tw__made(status, NULL);
    return tw__wse_print_value(w->fabric, pe, frame, text ? text : "", format);
}

tw_status tw_wse_holds(const tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *text, bool *holds)
{
    if (!w) return tw__missing("wafer");
    uint32_t pe;
    tw_status status = find_pe(w, x, y, &pe);
    return status == TW_OK ? tw__wse_condition(w->fabric, pe, frame, text ? text : "", holds) : status;
}

tw_status tw_wse_assign(tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *place, const char *value)
{
    if (!w) return tw__missing("wafer");
    uint32_t pe;
    tw_status status = find_pe(w, x, y, &pe);
    if (status != TW_OK) return status;
    return tw__wse_assign(w->fabric, pe, frame, place ? place : "", value ? value : "");
}

char *tw_wse_type_text(const tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *text)
{
    if (!w) return tw__made(tw__missing("wafer"), NULL);
    uint32_t pe;
    tw_status status = find_pe(w, x, y, &pe);
    if (status != TW_OK) return tw__made(status, NULL);
    return tw__wse_print_type(w->fabric, pe, frame, text ? text : "");
}

tw_status tw_wse_jump(tw_wse *w, unsigned x, unsigned y, unsigned at)
{
    if (!w) return tw__missing("wafer");
    if (!w->hook) return not_debugged();
    uint32_t pe;
    tw_status status = find_pe(w, x, y, &pe);
    if (status == TW_OK && !tw__wse_jump(w->fabric, pe, at)) status = tw_error_status();
    return status;
}

char *tw_wse_instruction(const tw_wse *w, unsigned program, unsigned at)
{
    if (!w) return tw__made(tw__missing("wafer"), NULL);
    char text[TW__CSL_INSN_TEXT];
    if (program >= w->image->program_count || at >= w->image->programs[program].code_count)
        return tw__made(tw__fail(TW_E_INDEX, "there is no instruction %u in program %u", at, program), NULL);
    return strdup(tw__csl_insn_text(text, w->image->programs[program].code[at]));
}

char *tw_wse_show(tw_wse *w, unsigned x, unsigned y, unsigned frame, tw_wse_view view)
{
    if (!w) return tw__made(tw__missing("wafer"), NULL);
    uint32_t pe;
    tw_status status = (view == TW_WSE_VIEW_PE ? place_pe : find_pe)(w, x, y, &pe); /* what it does, in no memory */
    if (status == TW_OK && (unsigned)view > TW_WSE_VIEW_REGISTERS)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "there is no view %d", (int)view);
    if (status != TW_OK) return tw__made(status, NULL);
    return tw__wse_show(w->fabric, pe, frame, (tw__wse_view)view);
}
