/* SPDX-License-Identifier: MIT */
/* Bodies of rpt (guide 7.5.2): on 8 bytes, bundles only, no control or system instruction in them. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

static uint32_t repeat_word_at(const tw_section *section, uint32_t offset)
{
    const uint8_t *p = section->data + offset;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Says where the fault lies in the source, when that is known. */
static void note_line(tw__asm *as, const repeat *r, uint32_t offset)
{
    const tw_object_line *line = tw_object_line_at(as->object, r->section, offset);
    if (line) tw__asm_report(as, r->place, TW_NOTE, "the instruction of %s:%u", line->file, line->line);
}

static bool check_bundle_at(tw__asm *as, const repeat *r, const tw_section *section, uint32_t at, unsigned index)
{
    uint32_t first = repeat_word_at(section, at), second = repeat_word_at(section, at + 4);
    tw_insn insns[2];
    bool bundle = first >> 31 && second >> 31 && tw_insn_decode(as->arch, first, &insns[0]) &&
                  tw_insn_decode(as->arch, second, &insns[1]) && insns[0].bundled && insns[1].bundled;
    if (!bundle) {
        fail_at(as, r->place, "the body of rpt has to consist of bundles, and number %u of it is none", index + 1);
        note_line(as, r, at);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const tw_isa_row *row = tw_isa_get(insns[i].row);
        if (!(row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM))) continue;
        fail_at(as, r->place, "'%s' cannot be in the body of rpt", row->name);
        note_line(as, r, at);
        return false;
    }
    return true;
}

static void check_repeat(tw__asm *as, const repeat *r)
{
    const tw_section *section = tw_object_get_section(as->object, (size_t)r->section);
    uint32_t bundles = (repeat_word_at(section, r->offset) & 0xff) + 1;
    if (r->body % 8) {
        fail_at(as, r->place,
                "the body of rpt has to lie on 8 bytes, and it is at offset 0x%x: pair rpt with an fnop, or move "
                "it by a nop",
                r->body);
        return;
    }
    if (section->align < 8) {
        fail_at(as, r->place, "the body of rpt has to lie on 8 bytes: section '%s' needs .align 8", section->name);
        return;
    }
    if (bundles * 8 > section->size - r->body) {
        fail_at(as, r->place, "the body of rpt, %u bundle%s, is longer than what is left of section '%s'", bundles,
                bundles == 1 ? "" : "s", section->name);
        return;
    }
    for (unsigned i = 0; i < bundles; i++)
        if (!check_bundle_at(as, r, section, r->body + 8 * i, i)) return;
}

void tw__asm_check_repeats(tw__asm *as)
{
    for (guint i = 0; i < as->repeats->len && !as->stopped; i++)
        check_repeat(as, &g_array_index(as->repeats, repeat, i));
}
