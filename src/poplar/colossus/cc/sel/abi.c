/* SPDX-License-Identifier: MIT */
/* How values are passed: guide 10.3, with what it leaves open as docs/colossus.md says. */
#include "poplar/colossus/cc/sel/abi.h"
#include "poplar/colossus/cc/cc.h"

enum { ABI_MAIN = 4, ABI_AUX = 6 };

void tw__sel_place(tw__sel_places *places, tw__sel_unit *unit, bool variadic)
{
    const unsigned most = unit->file == TW__MIR_MAIN ? ABI_MAIN : ABI_AUX;
    unsigned align = unit->words <= 2 ? unit->words : 4;
    unsigned *next = &places->next[unit->file];
    if (!variadic && *next < most) {
        unsigned at = (*next + align - 1) / align * align;
        unit->on_stack = at + unit->words > most;
        *next = unit->on_stack ? most : at + unit->words; /* what was skipped stays unused */
        unit->number = at;
        if (!unit->on_stack) return;
    }
    unit->on_stack = true;
    if (unit->words >= 2) places->stack = (places->stack + 7) & ~7u;
    unit->number = places->stack;
    places->stack += 4 * unit->words;
}

/* --- units ------------------------------------------------------------------------------------------------------ */

static unsigned abi_members(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                       : (unsigned)LLVMGetArrayLength2(type);
}

static LLVMTypeRef abi_member(LLVMTypeRef type, unsigned index)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index)
                                                       : LLVMGetElementType(type);
}

/* Words of a shape as it is passed: integers in vectors are packed. */
static unsigned abi_words(const tw__sel_shape *shape)
{
    unsigned lanes = shape->lanes ? shape->lanes : 1;
    return shape->lanes ? (lanes * shape->bits + 31) / 32 : shape->bits > 32 ? 2 : 1;
}

unsigned tw__sel_units(tw__sel *s, LLVMTypeRef type, tw__sel_unit *units)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_NONE) return 0;
    if (shape.lane == TW__SEL_GROUP) {
        unsigned count = 0;
        for (unsigned i = 0; i < abi_members(type); i++)
            count += tw__sel_units(s, abi_member(type, i), units + count);
        return count;
    }
    bool is_aux = (shape.lane == TW__SEL_F16 || shape.lane == TW__SEL_F32) && !s->f->in_supervisor;
    unsigned words = abi_words(&shape);
    if (words == 3) words = 4;
    if (words > 4) {
        tw__sel_refuse(s, "cc.type", "vectors of more than 16 bytes cannot be passed to functions; pass a pointer");
        words = 4;
    }
    *units = (tw__sel_unit){ .words = words, .file = is_aux ? TW__MIR_AUX : TW__MIR_MAIN };
    return 1;
}

static void abi_to_unit(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *parts, tw__sel_unit *unit)
{
    tw__sel_part words[TW__SEL_PARTS * 2];
    unsigned sum = 0;
    if (shape->lane == TW__SEL_INT && shape->lanes) {
        unit->count = MIN(tw__sel_to_words(s, shape, parts, words), 4); /* more are refused */
        memcpy(unit->parts, words, unit->count * sizeof *words);
    } else {
        unit->count = MIN(shape->parts, 4);
        memcpy(unit->parts, parts, unit->count * sizeof *parts);
    }
    for (unsigned i = 0; i < unit->count; i++) sum += unit->parts[i].words;
    if (sum < unit->words && unit->count < 4)
        unit->parts[unit->count++] = tw__sel_zero(unit->file, unit->words - sum);
}

void tw__sel_to_units(tw__sel *s, LLVMTypeRef type, const tw__sel_part *parts, tw__sel_unit *units)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_NONE) return;
    if (shape.lane != TW__SEL_GROUP) {
        abi_to_unit(s, &shape, parts, units);
        return;
    }
    tw__sel_unit all[TW__SEL_PARTS];
    for (unsigned i = 0; i < abi_members(type); i++) {
        LLVMTypeRef member = abi_member(type, i);
        tw__sel_to_units(s, member, parts, units);
        units += tw__sel_units(s, member, all);
        parts += tw__sel_shape_of(s, member).parts;
    }
}

void tw__sel_from_units(tw__sel *s, LLVMTypeRef type, const tw__sel_unit *units, tw__sel_part *parts)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_NONE) return;
    if (shape.lane == TW__SEL_GROUP) {
        tw__sel_unit all[TW__SEL_PARTS];
        for (unsigned i = 0; i < abi_members(type); i++) {
            LLVMTypeRef member = abi_member(type, i);
            tw__sel_from_units(s, member, units, parts);
            units += tw__sel_units(s, member, all);
            parts += tw__sel_shape_of(s, member).parts;
        }
        return;
    }
    if (shape.lane == TW__SEL_INT && shape.lanes) {
        tw__sel_from_words(s, &shape, units->parts, parts);
    } else if (shape.lane == TW__SEL_F16 && !shape.lanes && units->file == TW__MIR_AUX) {
        parts[0] =
            MAKE(s, TW__OP_sort4x16lo_a, IN(units->parts[0]), IN(units->parts[0])); /* only the low half counts */
    } else {
        for (unsigned i = 0; i < shape.parts && i < 4; i++) { /* three floats come as a quad */
            tw__mir_file file;
            unsigned words;
            tw__sel_part_of(&shape, i, &file, &words);
            parts[i] = words < units->parts[i].words ? tw__sel_word(units->parts[i], 0) : units->parts[i];
        }
    }
}

/* --- structures ------------------------------------------------------------------------------------------------- */

static unsigned abi_attribute_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static LLVMAttributeRef abi_attribute(LLVMValueRef value, const char *name, unsigned index)
{
    return LLVMIsAFunction(value) ? LLVMGetEnumAttributeAtIndex(value, index + 1, abi_attribute_kind(name))
                                  : LLVMGetCallSiteEnumAttribute(value, index + 1, abi_attribute_kind(name));
}

bool tw__sel_has_attribute(LLVMValueRef value, const char *name, unsigned index)
{
    return abi_attribute(value, name, index) != NULL;
}

LLVMTypeRef tw__sel_type_attribute(LLVMValueRef value, const char *name, unsigned index)
{
    LLVMAttributeRef attribute = abi_attribute(value, name, index);
    return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

unsigned tw__sel_record_align(tw__sel *s, LLVMValueRef value, unsigned index, LLVMTypeRef record)
{
    LLVMAttributeRef attribute = abi_attribute(value, "align", index);
    unsigned align = LLVMABIAlignmentOfType(s->layout, record);
    return attribute ? MAX(align, (unsigned)LLVMGetEnumAttributeValue(attribute)) : align;
}

/* What the front end says of a record that its type does not show (TW__CC_RECORDS): "pointer" or "empty"; NULL. */
static const char *abi_record(tw__sel *s, LLVMTypeRef type)
{
    static const char *const kinds[] = { "pointer", "empty" };
    unsigned count = LLVMGetNamedMetadataNumOperands(s->module, TW__CC_RECORDS), length = 0;
    const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL, *found = NULL;
    if (!count || !name) return NULL;
    LLVMValueRef *nodes = g_new(LLVMValueRef, count);
    LLVMGetNamedMetadataOperands(s->module, TW__CC_RECORDS, nodes);
    for (unsigned i = 0; i < count && !found; i++) {
        LLVMValueRef parts[2] = { NULL, NULL };
        if (LLVMGetMDNodeNumOperands(nodes[i]) != 2) continue;
        LLVMGetMDNodeOperands(nodes[i], parts);
        const char *text = parts[0] ? LLVMGetMDString(parts[0], &length) : NULL;
        if (!text || strlen(name) != length || memcmp(name, text, length) != 0) continue;
        text = parts[1] ? LLVMGetMDString(parts[1], &length) : NULL;
        for (size_t k = 0; text && k < G_N_ELEMENTS(kinds); k++)
            if (strlen(kinds[k]) == length && memcmp(kinds[k], text, length) == 0) found = kinds[k];
    }
    g_free(nodes);
    return found;
}

tw__sel_record tw__sel_record_of(tw__sel *s, LLVMTypeRef type, LLVMTypeRef *member)
{
    LLVMTypeRef whole = type;
    for (;;) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind) break;
        const char *known = abi_record(s, type);
        if (known) return strcmp(known, "empty") == 0 ? TW__SEL_DROPPED : TW__SEL_BY_POINTER;
        if (abi_members(type) != 1) return TW__SEL_BY_POINTER;
        type = abi_member(type, 0);
    }
    if (LLVMStoreSizeOfType(s->layout, type) != LLVMABISizeOfType(s->layout, whole) &&
        LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return TW__SEL_BY_POINTER;
    *member = type;
    return TW__SEL_BY_MEMBER;
}
