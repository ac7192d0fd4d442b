/* SPDX-License-Identifier: MIT */
/* What could not be known where it stood: constants that are known at the end go into their fields, symbols become
 * relocations. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

void tw__asm_add_fixup(tw__asm *as, const fixup *added)
{
    g_array_append_vals(as->fixups, added, 1);
}

static unsigned type_of_data(unsigned bytes)
{
    return bytes == 8   ? TW_R_COLOSSUS_64
           : bytes == 4 ? TW_R_COLOSSUS_32
           : bytes == 2 ? TW_R_COLOSSUS_16
                        : TW_R_COLOSSUS_8;
}

static void put_constant(tw__asm *as, const fixup *f, value v)
{
    uint8_t bytes[8];
    if (!f->row) {
        int64_t top = f->bytes < 8 ? INT64_C(1) << (8 * f->bytes) : INT64_MAX;
        if (f->bytes < 8 && (v.number >= top || v.number < -top / 2)) {
            fail_at(as, f->place, "%lld does not fit %u byte%s", (long long)v.number, f->bytes,
                    f->bytes == 1 ? "" : "s");
            return;
        }
        for (unsigned i = 0; i < f->bytes; i++) bytes[i] = (uint8_t)((uint64_t)v.number >> 8 * i);
        tw_object_patch(as->object, f->section, f->offset, bytes, f->bytes);
        return;
    }
    const tw_isa_operand *kind = f->row->operands[f->operand];
    int64_t n = v.number;
    if (kind->file == TW_ISA_CODE && !v.symbolic && n > INT32_MIN && n < INT32_MAX) n *= INT64_C(1) << kind->shift;
    uint32_t number;
    if (!tw__isa_constant_fits(kind, n, &number)) {
        char range[64];
        fail_at(as, f->place, "operand %u of '%s' cannot be %lld; legal: %s", f->operand + 1u, f->row->name,
                (long long)v.number, tw__isa_range_text(kind, range));
        return;
    }
    const uint8_t *data = as->object->sections[f->section].data + f->offset;
    uint64_t word = 0;
    unsigned size = f->row->flags & TW_ISA_TWO_WORDS ? 8 : 4;
    for (unsigned i = 0; i < size; i++) word |= (uint64_t)data[i] << 8 * i;
    word = tw__isa_insert(&tw__isa_fields(f->row)[f->operand], word, number);
    for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)(word >> 8 * i);
    tw_object_patch(as->object, f->section, f->offset, bytes, size);
}

static void put_relocation(tw__asm *as, const fixup *f, value v)
{
    unsigned type = f->named     ? f->type
                    : v.modifier ? v.modifier
                    : f->row     ? tw__relocation_of_operand(f->row->operands[f->operand])
                                 : type_of_data(f->bytes);
    const tw_symbol *symbol = &as->object->symbols[v.symbol];
    if (!type && !f->named) {
        fail_at(as, f->place, "operand %u of '%s' has to be a constant; an address such as '%s' cannot stand there",
                f->operand + 1u, f->row->name, symbol->name);
        if (tw_isa_csr_by_name(symbol->name))
            tw__asm_report(as, f->place, TW_NOTE, "the control register is $%s", symbol->name);
        return;
    }
    int target = v.symbol;
    int64_t addend = v.number;
    if (symbol->section == TW_SECTION_UNDEFINED) {
        if (strncmp(symbol->name, ".L", 2) == 0) fail_at(as, f->place, "label '%s' is not defined", symbol->name);
        if (symbol->binding == TW_SYMBOL_LOCAL) tw_object_bind(as->object, target, TW_SYMBOL_GLOBAL);
    } else if (symbol->binding == TW_SYMBOL_LOCAL && symbol->section >= 0) {
        addend = tw__asm_wrap_add(addend, symbol->value);
        target = tw_object_section_symbol(as->object, symbol->section);
    }
    if (addend < INT32_MIN || addend > INT32_MAX) {
        symbol = &as->object->symbols[v.symbol];
        fail_at(as, f->place, "'%s' plus %lld is out of range", symbol->name, (long long)v.number);
        return;
    }
    tw_status status = target < 0 ? (tw_status)target
                                  : tw_object_relocate(as->object, f->section, f->offset, (tw_relocation_type)type,
                                                       target, (int32_t)addend);
    tw__asm_ok(as, status, f->place);
}

void tw__asm_apply_fixups(tw__asm *as)
{
    for (guint i = 0; i < as->fixups->len && !as->stopped; i++) {
        const fixup *f = &g_array_index(as->fixups, fixup, i);
        value v;
        uint32_t size = as->object->sections[f->section].public.size;
        if (f->named && (f->offset > size || size - f->offset < tw__relocation_bytes(f->type))) {
            fail_at(as, f->place, "%s at 0x%x lies behind the end of the section", tw_relocation_name(f->type),
                    f->offset);
            continue;
        }
        if (!as->object->sections[f->section].data) continue; /* a section without bytes */
        if (!tw__asm_resolve(as, f->value, f->place, &v)) continue;
        if (v.real)
            fail_at(as, f->place, "a real number cannot stand here");
        else if (f->named && v.kind == V_CONST)
            fail_at(as, f->place, "a relocation needs a symbol, not a number");
        else if (v.kind == V_CONST)
            put_constant(as, f, v);
        else
            put_relocation(as, f, v);
    }
}
