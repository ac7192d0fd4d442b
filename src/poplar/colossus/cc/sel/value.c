/* SPDX-License-Identifier: MIT */
/* Values of LLVM as parts: types, constants, what an operand is before its instruction is selected. */
#include "poplar/colossus/cc/sel/sel.h"

/* --- types ------------------------------------------------------------------------------------------------------ */

static bool value_scalar(tw__sel *s, LLVMTypeRef type, tw__sel_shape *shape)
{
    switch ((int)LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind: shape->lane = TW__SEL_F16, shape->bits = 16; return true;
    case LLVMFloatTypeKind: shape->lane = TW__SEL_F32, shape->bits = 32; return true;
    case LLVMDoubleTypeKind: shape->lane = TW__SEL_F64, shape->bits = 64; return true;
    case LLVMPointerTypeKind: shape->lane = TW__SEL_INT, shape->bits = 32; return true;
    case LLVMIntegerTypeKind:
        shape->lane = TW__SEL_INT, shape->bits = LLVMGetIntTypeWidth(type);
        if (shape->bits <= 64) return true;
        return tw__sel_refuse(s, "cc.type", "integers of %u bits are not supported; 64 are", shape->bits);
    default: {
        char *text = LLVMPrintTypeToString(type);
        tw__sel_refuse(s, "cc.type", "values of type '%s' are not supported", text);
        LLVMDisposeMessage(text);
        return false;
    }
    }
}

/* Parts of `lanes` lanes (0: a scalar). */
static unsigned value_parts(const tw__sel_shape *shape)
{
    unsigned lanes = shape->lanes ? shape->lanes : 1;
    switch (shape->lane) {
    case TW__SEL_INT: return lanes * (shape->bits > 32 ? 2 : 1);
    case TW__SEL_F64: return lanes * 2;
    case TW__SEL_F32: return (lanes + 1) / 2;
    case TW__SEL_F16: return (lanes + 3) / 4;
    case TW__SEL_NONE:
    case TW__SEL_GROUP: break;
    }
    return 0;
}

static unsigned value_members(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                       : (unsigned)LLVMGetArrayLength2(type);
}

static LLVMTypeRef value_member(LLVMTypeRef type, unsigned index)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index)
                                                       : LLVMGetElementType(type);
}

unsigned tw__sel_member(tw__sel *s, LLVMTypeRef type, unsigned index)
{
    unsigned parts = 0;
    for (unsigned i = 0; i < index; i++) parts += tw__sel_shape_of(s, value_member(type, i)).parts;
    return parts;
}

tw__sel_shape tw__sel_shape_of(tw__sel *s, LLVMTypeRef type)
{
    tw__sel_shape shape = { .lane = TW__SEL_NONE };
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVoidTypeKind || kind == LLVMMetadataTypeKind || kind == LLVMTokenTypeKind) return shape;
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) {
        shape.lane = TW__SEL_GROUP;
        unsigned members = value_members(type);
        shape.parts = members > TW__SEL_PARTS ? members : tw__sel_member(s, type, members);
    } else {
        bool is_vector = kind == LLVMVectorTypeKind;
        if (!value_scalar(s, is_vector ? LLVMGetElementType(type) : type, &shape)) return (tw__sel_shape){ 0 };
        if (is_vector) shape.lanes = LLVMGetVectorSize(type);
        shape.parts = value_parts(&shape);
    }
    unsigned most =
        shape.lane == TW__SEL_F16 ? TW__SEL_PARTS / 2 : TW__SEL_PARTS; /* halves may have to become floats */
    if (shape.parts > most) {
        tw__sel_refuse(s, "cc.type", "a value of more than %u registers is passed around; keep it in memory", most);
        return (tw__sel_shape){ 0 };
    }
    return shape;
}

void tw__sel_part_of(const tw__sel_shape *shape, unsigned index, tw__mir_file *file, unsigned *words)
{
    *file = TW__MIR_MAIN;
    *words = 1;
    if (shape->lane != TW__SEL_F16 && shape->lane != TW__SEL_F32) return;
    unsigned per_pair = shape->lane == TW__SEL_F16 ? 4 : 2;
    unsigned left = (shape->lanes ? shape->lanes : 1) - index * per_pair;
    *file = TW__MIR_AUX;
    *words = left > per_pair / 2 ? 2 : 1;
}

/* --- constants -------------------------------------------------------------------------------------------------- */

bool tw__sel_number(LLVMValueRef value, int64_t *number, uint64_t *bits)
{
    int64_t n = 0;
    uint64_t b = 0;
    if (LLVMIsAConstantInt(value)) {
        if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64) return false;
        n = LLVMConstIntGetSExtValue(value);
        b = LLVMConstIntGetZExtValue(value);
    } else if (!LLVMIsAConstantPointerNull(value) && !LLVMIsUndef(value)) {
        return false;
    }
    if (number) *number = n;
    if (bits) *bits = b;
    return true;
}

const char *tw__sel_name(tw__sel *s, LLVMValueRef global)
{
    const char *made = g_hash_table_lookup(s->names, global);
    if (made) return made;
    size_t length = 0;
    const char *name = LLVMGetValueName2(global, &length);
    if (length && name[0] == '\1') name++, length--;
    made = length ? tw__arena_printf(s->mir->arena, "%.*s", (int)length, name)
                  : tw__arena_printf(s->mir->arena, ".Lunnamed%u", g_hash_table_size(s->names));
    g_hash_table_insert(s->names, global, (gpointer)made);
    return made;
}

static bool value_real_bits(LLVMValueRef constant, const tw__sel_shape *shape, uint64_t *bits)
{
    *bits = 0;
    if (LLVMIsUndef(constant) || LLVMIsNull(constant)) return true;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(constant));
    LLVMValueRef integer = LLVMConstBitCast(constant, LLVMIntTypeInContext(context, shape->bits));
    if (!LLVMIsAConstantInt(integer)) return false;
    *bits = LLVMConstIntGetZExtValue(integer);
    return true;
}

static bool value_lane_bits(LLVMValueRef lane, const tw__sel_shape *shape, uint64_t *bits)
{
    int64_t number;
    if (shape->lane == TW__SEL_INT) {
        if (!tw__sel_number(lane, &number, bits)) return false;
        if (shape->bits > 1) *bits = (uint64_t)number;
        return true;
    }
    return value_real_bits(lane, shape, bits);
}

static bool value_constant_parts(tw__sel *s, LLVMValueRef constant, const tw__sel_shape *shape,
                                 tw__sel_part *parts);

/* Words of up to four halves or two floats, from lane `first`. */
static bool value_real_part(tw__sel *s, LLVMValueRef constant, const tw__sel_shape *shape, unsigned index,
                            tw__sel_part *part)
{
    tw__mir_file file;
    unsigned words, per_word = shape->lane == TW__SEL_F16 ? 2 : 1;
    tw__sel_part made[2];
    tw__sel_part_of(shape, index, &file, &words);
    for (unsigned word = 0; word < words; word++) {
        uint32_t bits = 0;
        for (unsigned i = 0; i < per_word; i++) {
            unsigned lane = index * 2 * per_word + word * per_word + i;
            uint64_t lane_bits = 0;
            if (!shape->lanes) lane = 0;
            if (shape->lanes && lane >= shape->lanes) continue;
            LLVMValueRef element = shape->lanes ? LLVMGetAggregateElement(constant, lane) : constant;
            if (!element || !value_lane_bits(element, shape, &lane_bits)) return false;
            bits |= (uint32_t)lane_bits << 16 * i;
        }
        made[word] = tw__sel_constant(s, bits, file);
    }
    *part = words == 1 ? made[0] : tw__sel_join(s, made, words);
    return true;
}

static bool value_group_parts(tw__sel *s, LLVMValueRef constant, tw__sel_part *parts)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    for (unsigned i = 0, at = 0; i < value_members(type); i++) {
        LLVMValueRef member =
            LLVMIsUndef(constant) ? LLVMGetUndef(value_member(type, i)) : LLVMGetAggregateElement(constant, i);
        tw__sel_shape shape = tw__sel_shape_of(s, value_member(type, i));
        if (!member || !value_constant_parts(s, member, &shape, parts + at)) return false;
        at += shape.parts;
    }
    return true;
}

static bool value_constant_lane(tw__sel *s, LLVMValueRef lane, const tw__sel_shape *shape, tw__sel_part *parts)
{
    uint64_t bits;
    const char *symbol;
    int64_t add;
    if (value_lane_bits(lane, shape, &bits)) {
        parts[0] = tw__sel_constant(s, (uint32_t)bits, TW__MIR_MAIN);
        if (shape->bits > 32) parts[1] = tw__sel_constant(s, (uint32_t)(bits >> 32), TW__MIR_MAIN);
        return true;
    }
    if (!tw__sel_symbol(s, lane, &symbol, &add)) return false;
    parts[0] = symbol ? tw__sel_address(s, symbol, add) : tw__sel_constant(s, (uint32_t)add, TW__MIR_MAIN);
    if (shape->bits > 32) parts[1] = tw__sel_zero(TW__MIR_MAIN, 1);
    return true;
}

static bool value_constant_parts(tw__sel *s, LLVMValueRef constant, const tw__sel_shape *shape, tw__sel_part *parts)
{
    if (shape->lane == TW__SEL_GROUP) return value_group_parts(s, constant, parts);
    if (shape->lane == TW__SEL_F16 || shape->lane == TW__SEL_F32) {
        for (unsigned i = 0; i < shape->parts; i++)
            if (!value_real_part(s, constant, shape, i, &parts[i])) return false;
        return true;
    }
    unsigned step = shape->bits > 32 ? 2 : 1;
    if (!shape->lanes) return value_constant_lane(s, constant, shape, parts);
    for (unsigned lane = 0; lane < shape->lanes; lane++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, lane);
        if (!element || !value_constant_lane(s, element, shape, parts + step * lane)) return false;
    }
    return true;
}

/* --- operands --------------------------------------------------------------------------------------------------- */

tw__sel_value *tw__sel_value_of(tw__sel *s, LLVMValueRef value)
{
    tw__sel_value *found = g_hash_table_lookup(s->values, value);
    if (found) return found;
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(value));
    found = TW__NEW(s->mir->arena, tw__sel_value);
    found->count = shape.parts;
    found->parts = TW__NEW_N(s->mir->arena, tw__sel_part, shape.parts + 1);
    g_hash_table_insert(s->values, value, found);
    if (!s->f->in_supervisor && tw__sel_is_for_aux(value))
        found->parts[0] = tw__sel_new(s, TW__MIR_AUX, 1);
    else
        tw__sel_new_parts(s, LLVMTypeOf(value), found->parts);
    return found;
}

unsigned tw__sel_new_parts(tw__sel *s, LLVMTypeRef type, tw__sel_part *parts)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_GROUP) {
        unsigned at = 0;
        for (unsigned i = 0; i < value_members(type); i++)
            at += tw__sel_new_parts(s, value_member(type, i), parts + at);
        return at;
    }
    for (unsigned i = 0; i < shape.parts; i++) {
        tw__mir_file file;
        unsigned words;
        tw__sel_part_of(&shape, i, &file, &words);
        if (s->f->in_supervisor && file == TW__MIR_AUX) file = TW__MIR_MAIN;
        parts[i] = tw__sel_new(s, file, words);
    }
    return shape.parts;
}

/* Instructions that are their operand, or a piece of it. */
static tw__sel_part *value_alias(tw__sel *s, LLVMValueRef value)
{
    LLVMValueRef operand = LLVMGetOperand(value, 0);
    LLVMTypeRef type = LLVMTypeOf(value);
    tw__sel_shape to = tw__sel_shape_of(s, type), from = tw__sel_shape_of(s, LLVMTypeOf(operand));
    if (s->has_failed) return NULL;
    bool is_integer = to.lane == TW__SEL_INT && from.lane == TW__SEL_INT && !to.lanes && !from.lanes;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFreeze: return tw__sel_parts(s, operand);
    case LLVMIntToPtr:
        return is_integer && (from.bits == 32 || (from.bits < 32 && tw__sel_known(s, operand) & TW__SEL_ZEROS))
                   ? tw__sel_parts(s, operand)
                   : NULL;
    case LLVMPtrToInt: return is_integer && to.bits <= 32 && to.bits > 1 ? tw__sel_parts(s, operand) : NULL;
    case LLVMTrunc: return is_integer && to.bits > 1 ? tw__sel_parts(s, operand) : NULL;
    case LLVMZExt:
        return is_integer && to.bits <= 32 && tw__sel_known(s, operand) & TW__SEL_ZEROS ? tw__sel_parts(s, operand)
                                                                                        : NULL;
    case LLVMSExt:
        return is_integer && to.bits <= 32 && tw__sel_known(s, operand) & TW__SEL_SIGNS ? tw__sel_parts(s, operand)
                                                                                        : NULL;
    case LLVMAddrSpaceCast: return tw__sel_parts(s, operand);
    case LLVMBitCast:
        if (to.lane == from.lane && to.lanes == from.lanes) return tw__sel_parts(s, operand);
        return NULL;
    case LLVMExtractValue: {
        tw__sel_part *parts = tw__sel_parts(s, operand);
        LLVMTypeRef group = LLVMTypeOf(operand);
        for (unsigned i = 0; parts && i < LLVMGetNumIndices(value); i++) {
            unsigned index = LLVMGetIndices(value)[i];
            parts += tw__sel_member(s, group, index);
            group = value_member(group, index);
        }
        return parts;
    }
    default: return NULL;
    }
}

tw__sel_part *tw__sel_parts(tw__sel *s, LLVMValueRef value)
{
    tw__sel_value *known = g_hash_table_lookup(s->values, value);
    if (known) return known->parts;
    if (LLVMIsAInstruction(value)) {
        tw__sel_part *alias = value_alias(s, value);
        return alias ? alias : tw__sel_value_of(s, value)->parts;
    }
    if (LLVMIsAArgument(value)) return tw__sel_value_of(s, value)->parts;
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(value));
    tw__sel_part *parts = TW__NEW_N(s->mir->arena, tw__sel_part, shape.parts + 1);
    if (s->has_failed) return parts;
    if (!LLVMIsConstant(value) || !value_constant_parts(s, value, &shape, parts)) {
        char *text = LLVMPrintValueToString(value);
        tw__sel_refuse(s, "cc.constant", "'%.100s' is no value that can be computed before the program runs", text);
        LLVMDisposeMessage(text);
    }
    return parts;
}

tw__sel_part tw__sel_part1(tw__sel *s, LLVMValueRef value)
{
    return tw__sel_parts(s, value)[0];
}

static bool value_is_fresh(tw__mir_insn *from, tw__mir_insn *end, const tw__sel_part *part)
{
    if (part->reg < TW__MIR_VIRTUAL || part->sub || part->words != part->whole) return false;
    for (tw__mir_insn *i = from; i && i != end; i = i->next)
        for (unsigned k = 0; k < i->count; k++)
            if (i->operands[k].kind == TW__MIR_REG && i->operands[k].use & TW__MIR_WRITE &&
                i->operands[k].reg == part->reg)
                return true;
    return false;
}

static void value_rename(tw__mir_insn *from, tw__mir_insn *end, tw__mir_reg old, tw__mir_reg new)
{
    for (tw__mir_insn *i = from; i && i != end; i = i->next)
        for (unsigned k = 0; k < i->count; k++) {
            tw__mir_operand *operand = &i->operands[k];
            if (operand->kind != TW__MIR_REG) continue;
            if (operand->reg == old) operand->reg = new;
            if (operand->use == (TW__MIR_READ | TW__MIR_WRITE) && operand->tied == old) operand->tied = new;
        }
}

/* What was just written under new names gets those that its users know already; the rest is copied. `first`: where
 * what was written begins. */
void tw__sel_define(tw__sel *s, LLVMValueRef value, const tw__sel_part *parts, tw__mir_insn *first)
{
    tw__sel_value *known = tw__sel_value_of(s, value);
    if (known->is_written) return;
    known->is_written = true;
    tw__mir_insn *end = s->before;
    GHashTable *names = g_hash_table_new(NULL, NULL); /* register -> the one that it is now */
    for (unsigned i = 0; i < known->count; i++) {
        const tw__sel_part *part = &parts[i], *want = &known->parts[i];
        gpointer reg = GUINT_TO_POINTER(part->reg);
        if (part->file != want->file || part->words != want->words || !value_is_fresh(first, end, part) ||
            g_hash_table_contains(names, reg))
            continue;
        value_rename(first, end, part->reg, want->reg);
        g_hash_table_insert(names, reg, GUINT_TO_POINTER(want->reg));
    }
    for (unsigned i = 0; i < known->count; i++) {
        tw__sel_part source = parts[i];
        gpointer name = g_hash_table_lookup(names, GUINT_TO_POINTER(source.reg));
        if (name) source.reg = GPOINTER_TO_UINT(name);
        if (source.reg != known->parts[i].reg) tw__sel_copy(s, known->parts[i], source);
    }
    g_hash_table_unref(names);
}
