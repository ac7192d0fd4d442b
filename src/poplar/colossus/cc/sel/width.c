/* SPDX-License-Identifier: MIT */
/* What registers hold above the bits of a type, and values as words of memory (what a bitcast looks at). */
#include "poplar/colossus/cc/sel/sel.h"

/* --- extension -------------------------------------------------------------------------------------------------- */

bool tw__sel_is_for_aux(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!LLVMIsALoadInst(value) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 32)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsASIToFPInst(user) && !LLVMIsAUIToFPInst(user)) return false;
        if (LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMDoubleTypeKind) return false;
    }
    return LLVMGetFirstUse(value) != NULL;
}

bool tw__sel_load_is_signed(LLVMValueRef load)
{
    unsigned zeros = 0, signs = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user)) continue;
        LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
        signs += opcode == LLVMSExt || opcode == LLVMSIToFP || opcode == LLVMAShr;
        zeros += opcode == LLVMZExt || opcode == LLVMUIToFP || opcode == LLVMLShr || opcode == LLVMICmp;
    }
    return signs > zeros;
}

static unsigned width_of_attribute(LLVMValueRef function, LLVMAttributeIndex index, bool is_call)
{
    static const struct {
        const char *name;
        unsigned known;
    } rows[] = { { "zeroext", TW__SEL_ZEROS }, { "signext", TW__SEL_SIGNS } };
    for (unsigned i = 0; i < 2; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(rows[i].name, strlen(rows[i].name));
        if (is_call ? LLVMGetCallSiteEnumAttribute(function, index, kind)
                    : LLVMGetEnumAttributeAtIndex(function, index, kind))
            return rows[i].known;
    }
    return 0;
}

static unsigned width_of_argument(LLVMValueRef argument)
{
    LLVMValueRef function = LLVMGetParamParent(argument);
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetParam(function, i) == argument) return width_of_attribute(function, i + 1, false);
    return 0;
}

unsigned tw__sel_known(tw__sel *s, LLVMValueRef value)
{
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(value));
    int64_t number;
    if (shape.bits == 1) return TW__SEL_ZEROS;
    if (shape.bits == 32) return TW__SEL_ZEROS | TW__SEL_SIGNS;
    if (LLVMIsAArgument(value)) return width_of_argument(value);
    if (!LLVMIsAInstruction(value)) return 0;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMLoad: return tw__sel_load_is_signed(value) ? TW__SEL_SIGNS : TW__SEL_ZEROS;
    case LLVMZExt:
    case LLVMLShr:
    case LLVMUDiv:
    case LLVMURem: return TW__SEL_ZEROS;
    case LLVMSExt:
    case LLVMAShr: return TW__SEL_SIGNS;
    case LLVMAnd: return tw__sel_number(LLVMGetOperand(value, 1), &number, NULL) && number >= 0 ? TW__SEL_ZEROS : 0;
    case LLVMCall: return width_of_attribute(value, LLVMAttributeReturnIndex, true);
    default: return 0;
    }
}

tw__sel_part tw__sel_extend(tw__sel *s, tw__sel_part part, unsigned bits, bool is_signed)
{
    if (bits >= 32 || tw__sel_is_zero(part)) return part;
    if (is_signed && bits == 1) {
        tw__sel_part bit = MAKE(s, TW__OP_and_mz, IN(part), NUM(1));
        return MAKE(s, TW__OP_sub_m, IN(tw__sel_zero(TW__MIR_MAIN, 1)), IN(bit));
    }
    if (!is_signed && bits <= 12) return MAKE(s, TW__OP_and_mz, IN(part), NUM((1 << bits) - 1));
    if (!is_signed && bits == 16) return MAKE(s, TW__OP_sort4x16lo_m, IN(part), IN(tw__sel_zero(TW__MIR_MAIN, 1)));
    tw__sel_part high = MAKE(s, TW__OP_shl_z, IN(part), NUM(32 - bits));
    return MAKE(s, is_signed ? TW__OP_shrs_z : TW__OP_shr_z, IN(high), NUM(32 - bits));
}

tw__sel_part tw__sel_extended(tw__sel *s, LLVMValueRef value, bool is_signed)
{
    unsigned bits = tw__sel_shape_of(s, LLVMTypeOf(value)).bits;
    int64_t number;
    uint64_t unsigned_number;
    if (tw__sel_number(value, &number, &unsigned_number))
        return tw__sel_constant(s, is_signed ? (uint32_t)number : (uint32_t)unsigned_number, TW__MIR_MAIN);
    tw__sel_part part = tw__sel_part1(s, value);
    if (tw__sel_known(s, value) & (is_signed ? TW__SEL_SIGNS : TW__SEL_ZEROS)) return part;
    return tw__sel_extend(s, part, bits, is_signed);
}

void tw__sel_extended2(tw__sel *s, LLVMValueRef value, bool is_signed, tw__sel_part out[2])
{
    unsigned bits = tw__sel_shape_of(s, LLVMTypeOf(value)).bits;
    int64_t number;
    uint64_t unsigned_number;
    if (tw__sel_number(value, &number, &unsigned_number)) {
        if (is_signed) unsigned_number = (uint64_t)number;
        out[0] = tw__sel_constant(s, (uint32_t)unsigned_number, TW__MIR_MAIN);
        out[1] = tw__sel_constant(s, (uint32_t)(unsigned_number >> 32), TW__MIR_MAIN);
    } else if (bits > 32) {
        memcpy(out, tw__sel_parts(s, value), 2 * sizeof *out);
        out[1] = tw__sel_extend(s, out[1], bits - 32, is_signed);
    } else {
        out[0] = tw__sel_extended(s, value, is_signed);
        out[1] = is_signed ? MAKE(s, TW__OP_shrs_z, IN(out[0]), NUM(31)) : tw__sel_zero(TW__MIR_MAIN, 1);
    }
}

/* --- words ------------------------------------------------------------------------------------------------------ */

/* Lanes of less than a word, packed: halves and bytes by the instructions that move them. */
static tw__sel_part width_pack(tw__sel *s, const tw__sel_part *lanes, unsigned count, unsigned bits)
{
    tw__sel_part zero = tw__sel_zero(TW__MIR_MAIN, 1);
    tw__sel_part all[4] = { zero, zero, zero, zero };
    for (unsigned i = 0; i < count && i < 4; i++) all[i] = lanes[i];
    if (bits == 16) return MAKE(s, TW__OP_sort4x16lo_m, IN(all[0]), IN(all[1]));
    if (bits == 8) { /* shuf8x8lo: [a0, b0, a1, b1] */
        tw__sel_part low = MAKE(s, TW__OP_shuf8x8lo_m, IN(all[0]), IN(all[1]));
        tw__sel_part high = MAKE(s, TW__OP_shuf8x8lo_m, IN(all[2]), IN(all[3]));
        return MAKE(s, TW__OP_sort4x16lo_m, IN(low), IN(high));
    }
    tw__sel_part word = zero;
    for (unsigned i = 0; i < count; i++) {
        tw__sel_part lane = tw__sel_extend(s, lanes[i], bits, false);
        if (i) lane = MAKE(s, TW__OP_shl_z, IN(lane), NUM(i * bits));
        word = i ? MAKE(s, TW__OP_or_m, IN(word), IN(lane)) : lane;
    }
    return word;
}

unsigned tw__sel_to_words(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *parts, tw__sel_part *words)
{
    unsigned count = 0, lanes = shape->lanes ? shape->lanes : 1;
    if (shape->lane == TW__SEL_INT && shape->lanes && shape->bits < 32) {
        unsigned per_word = 32 / shape->bits;
        for (unsigned i = 0; i < lanes; i += per_word)
            words[count++] = width_pack(s, parts + i, MIN(per_word, lanes - i), shape->bits);
        return count;
    }
    for (unsigned i = 0; i < shape->parts; i++)
        for (unsigned word = 0; word < parts[i].words; word++) words[count++] = tw__sel_word(parts[i], word);
    return count;
}

static void width_unpack(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *words, tw__sel_part *parts)
{
    unsigned per_word = 32 / shape->bits;
    for (unsigned i = 0; i < shape->lanes; i++) {
        unsigned at = i % per_word * shape->bits;
        tw__sel_part word = tw__sel_to(s, words[i / per_word], TW__MIR_MAIN);
        parts[i] = at ? MAKE(s, TW__OP_shr_z, IN(word), NUM(at)) : word;
        if (shape->bits == 1) parts[i] = MAKE(s, TW__OP_and_mz, IN(parts[i]), NUM(1));
    }
}

bool tw__sel_from_words(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *words, tw__sel_part *parts)
{
    if (shape->lane == TW__SEL_INT && shape->lanes && shape->bits < 32) {
        width_unpack(s, shape, words, parts);
        return true;
    }
    if (shape->lane == TW__SEL_F16 && !shape->lanes) {
        tw__sel_part word = tw__sel_to(s, words[0], TW__MIR_AUX);
        parts[0] = MAKE(s, TW__OP_sort4x16lo_a, IN(word), IN(word));
        return true;
    }
    for (unsigned i = 0; i < shape->parts; i++) {
        tw__mir_file file;
        unsigned count;
        tw__sel_part moved[2];
        tw__sel_part_of(shape, i, &file, &count);
        for (unsigned word = 0; word < count; word++) moved[word] = tw__sel_to(s, *words++, file);
        parts[i] = count == 1 ? moved[0] : tw__sel_join(s, moved, count);
    }
    return true;
}
