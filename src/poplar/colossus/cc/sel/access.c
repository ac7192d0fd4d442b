/* SPDX-License-Identifier: MIT */
/* Reads and writes of words and of less than words. */
#include "poplar/colossus/cc/sel/address.h"

/* --- one access ------------------------------------------------------------------------------------------------- */

static const struct {
    uint16_t constant, index; /* rows: offset as a constant, in a register */
} access_reads[4][3] = {
    /* by log2 of bytes and tw__sel_how */
    { { TW__OP_ldz8_z, TW__OP_ldz8_r }, { TW__OP_lds8_z, TW__OP_lds8_r }, { 0, 0 } },
    { { TW__OP_ldz16_z, TW__OP_ldz16_r }, { TW__OP_lds16_z, TW__OP_lds16_r }, { TW__OP_ldb16_z, TW__OP_ldb16_r } },
    { { TW__OP_ld32_mz, TW__OP_ld32_m }, { TW__OP_ld32_mz, TW__OP_ld32_m }, { TW__OP_ld32_az, TW__OP_ld32_a } },
    { { 0, 0 }, { 0, 0 }, { TW__OP_ld64_z, TW__OP_ld64_r } },
};

static void access_note(tw__mir_insn *insn, const tw__mir_memory *memory)
{
    insn->memory.is_volatile = memory->is_volatile;
    insn->memory.group = memory->group;
}

/* The last operands of a load or a store: base, delta, offset. Settles what the instruction cannot say. */
static unsigned access_operands(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes,
                                tw__mir_operand operands[3], bool *is_index)
{
    tw__sel_part zero = tw__sel_zero(TW__MIR_MAIN, 1);
    tw__sel_address_of one = *address;
    *is_index = false;
    operands[1] = IN(zero);
    if (one.is_frame) {
        operands[0] = IN(tw__sel_physical(TW__MIR_MAIN, 11, 1));
        operands[2] = FRAME(one.object, one.offset + at);
        return 3;
    }
    if (one.has_index && at) tw__sel_settle_address(s, &one);
    operands[0] = IN(one.base);
    if (one.has_index) {
        *is_index = true;
        operands[2] = IN(one.index);
        return 3;
    }
    int64_t offset = one.offset + at;
    if (offset < 0 || offset % bytes || offset / bytes > 4095) {
        operands[0] = IN(tw__sel_with(s, tw__sel_add, one.base, offset));
        offset = 0;
    }
    operands[2] = NUM(offset / bytes);
    return 3;
}

tw__sel_part tw__sel_read(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes,
                          tw__sel_how how, const tw__mir_memory *memory)
{
    tw__mir_operand operands[3];
    bool is_index;
    unsigned size = (unsigned)g_bit_nth_lsf(bytes, -1);
    access_operands(s, address, at, bytes, operands, &is_index);
    unsigned op = is_index ? access_reads[size][how].index : access_reads[size][how].constant;
    tw__sel_part part = tw__sel_make(s, op, 3, operands);
    tw__mir_insn *insn = s->before ? s->before->previous : tw__sel_here(s)->last;
    access_note(insn, memory);
    return part;
}

void tw__sel_write(tw__sel *s, const tw__sel_address_of *address, int64_t at, tw__sel_part part,
                   const tw__mir_memory *memory)
{
    tw__mir_operand operands[4] = { IN(part) };
    bool is_index, is_aux = part.file == TW__MIR_AUX;
    unsigned bytes = 4u * part.words;
    access_operands(s, address, at, bytes, operands + 1, &is_index);
    unsigned op = part.words == 2 ? (is_index ? TW__OP_st64_r : TW__OP_st64_z)
                  : is_aux        ? (is_index ? TW__OP_st32_a : TW__OP_st32_az)
                                  : (is_index ? TW__OP_stm32 : TW__OP_st32_mz);
    unsigned count = 4;
    if (op == TW__OP_stm32) { /* has no delta */
        operands[2] = operands[3];
        count = 3;
    }
    access_note(tw__sel_emit(s, op, count, operands), memory);
}

/* --- words in pieces -------------------------------------------------------------------------------------------- */

/* What is known of an address `at` bytes behind one of known alignment. */
static unsigned access_align(unsigned align, int64_t at)
{
    unsigned low = (unsigned)(at & -at & 0xff);
    return low && low < align ? low : align;
}

tw__sel_part tw__sel_read_bytes(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes,
                                unsigned align, bool is_signed, const tw__mir_memory *memory)
{
    unsigned known = access_align(align, at), most = bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
    unsigned piece = MIN(most, known);
    tw__sel_how how = is_signed && piece == bytes ? TW__SEL_MAIN_SIGNS : TW__SEL_MAIN_ZEROS;
    tw__sel_part word = tw__sel_read(s, address, at, piece, how, memory);
    for (unsigned done = piece; done < bytes; done += piece) {
        known = access_align(align, at + done);
        piece = MIN(bytes - done >= 2 ? 2u : 1u, known);
        how = is_signed && done + piece == bytes ? TW__SEL_MAIN_SIGNS : TW__SEL_MAIN_ZEROS;
        tw__sel_part more = tw__sel_read(s, address, at + done, piece, how, memory);
        if (done == 2 && piece == 2) {
            word = MAKE(s, TW__OP_sort4x16lo_m, IN(word), IN(more));
            continue;
        }
        more = MAKE(s, TW__OP_shl_z, IN(more), NUM(8 * done));
        word = MAKE(s, TW__OP_or_m, IN(word), IN(more));
    }
    return word;
}

/* Into a word whose place is known: `at` is 0 to 3 bytes in it. */
static void access_insert(tw__sel *s, const tw__sel_address_of *address, int64_t word_at, unsigned at,
                          unsigned bytes, tw__sel_part value, const tw__mir_memory *memory)
{
    if (value.file == TW__MIR_AUX) { /* a half, in both lanes */
        tw__sel_part old = tw__sel_read(s, address, word_at, 4, TW__SEL_AUX, memory);
        tw__sel_part new = at ? MAKE(s, TW__OP_sort4x16lo_a, IN(old), IN(value))
                              : MAKE(s, TW__OP_sort4x16hi_a, IN(value), IN(old));
        tw__sel_write(s, address, word_at, new, memory);
        return;
    }
    tw__sel_part old = tw__sel_read(s, address, word_at, 4, TW__SEL_MAIN_ZEROS, memory), new;
    if (bytes == 2 && at == 2) {
        new = MAKE(s, TW__OP_sort4x16lo_m, IN(old), IN(value));
    } else if (bytes == 2 && at == 0) {
        tw__sel_part high = MAKE(s, TW__OP_shl_z, IN(value), NUM(16));
        new = MAKE(s, TW__OP_sort4x16hi_m, IN(high), IN(old));
    } else {
        uint32_t mask = (bytes == 1 ? 0xffu : 0xffffu) << 8 * at;
        tw__sel_part low = tw__sel_extend(s, value, 8 * bytes, false);
        if (at) low = MAKE(s, TW__OP_shl_z, IN(low), NUM(8 * at));
        tw__sel_part kept = at ? MAKE(s, TW__OP_andc_m, IN(old), IN(tw__sel_constant(s, mask, TW__MIR_MAIN)))
                               : MAKE(s, TW__OP_andc_mz, IN(old), NUM(mask));
        new = MAKE(s, TW__OP_or_m, IN(kept), IN(low));
    }
    tw__sel_write(s, address, word_at, new, memory);
}

/* Into a word whose place is in the pointer. */
static void access_shift_in(tw__sel *s, tw__sel_address_of address, int64_t at, unsigned bytes, tw__sel_part value,
                            const tw__mir_memory *memory)
{
    tw__sel_settle_address(s, &address);
    at += address.offset;
    tw__sel_part pointer = at ? tw__sel_with(s, tw__sel_add, address.base, at) : address.base;
    tw__sel_part low = tw__sel_extend(s, tw__sel_to(s, value, TW__MIR_MAIN), 8 * bytes, false);
    tw__sel_address_of word = { .base = MAKE(s, TW__OP_andc_mz, IN(pointer), NUM(3)) };
    tw__sel_part by = MAKE(s, TW__OP_shl_z, IN(MAKE(s, TW__OP_and_mz, IN(pointer), NUM(3))), NUM(3));
    tw__sel_part ones = tw__sel_constant(s, bytes == 1 ? 0xff : 0xffff, TW__MIR_MAIN);
    tw__sel_part mask = MAKE(s, TW__OP_shl_m, IN(ones), IN(by)), new = MAKE(s, TW__OP_shl_m, IN(low), IN(by));
    tw__sel_part old = tw__sel_read(s, &word, 0, 4, TW__SEL_MAIN_ZEROS, memory);
    tw__sel_part kept = MAKE(s, TW__OP_andc_m, IN(old), IN(mask));
    tw__sel_write(s, &word, 0, MAKE(s, TW__OP_or_m, IN(kept), IN(new)), memory);
}

/* `align` is that of the address at 0. */
static void access_write_piece(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes,
                               unsigned align, tw__sel_part value, const tw__mir_memory *memory)
{
    if (bytes == 4) {
        tw__sel_write(s, address, at, value, memory);
    } else if (address->is_frame) { /* frame objects begin at words */
        int64_t place = address->offset + at;
        access_insert(s, address, at - (place & 3), (unsigned)place & 3, bytes, value, memory);
    } else if (align >= 4) {
        access_insert(s, address, at & ~(int64_t)3, (unsigned)at & 3, bytes, value, memory);
    } else {
        access_shift_in(s, *address, at, bytes, value, memory);
    }
}

void tw__sel_write_bytes(tw__sel *s, const tw__sel_address_of *address, int64_t at, unsigned bytes, unsigned align,
                         tw__sel_part word, const tw__mir_memory *memory)
{
    for (unsigned done = 0, piece; done < bytes; done += piece) {
        unsigned left = bytes - done;
        piece = MIN(left >= 4 ? 4u : left >= 2 ? 2u : 1u, access_align(align, at + done));
        tw__sel_part value = word;
        if (done) value = MAKE(s, TW__OP_shr_z, IN(tw__sel_to(s, word, TW__MIR_MAIN)), NUM(8 * done));
        access_write_piece(s, address, at + done, piece, align, value, memory);
    }
}

/* --- values ----------------------------------------------------------------------------------------------------- */

static LLVMTypeRef access_member(tw__sel *s, LLVMTypeRef type, unsigned index, int64_t *at)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        *at += (int64_t)LLVMOffsetOfElement(s->layout, type, index);
        return LLVMStructGetTypeAtIndex(type, index);
    }
    *at += (int64_t)(index * LLVMABISizeOfType(s->layout, LLVMGetElementType(type)));
    return LLVMGetElementType(type);
}

static unsigned access_members(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                       : (unsigned)LLVMGetArrayLength2(type);
}

/* A word of the aux file: floats, or two halves. */
static tw__sel_part access_read_word(tw__sel *s, const tw__sel_shape *shape, const tw__sel_address_of *address,
                                     int64_t at, unsigned align, bool is_one_half, const tw__mir_memory *memory)
{
    unsigned known = access_align(align, at);
    bool is_half = shape->lane == TW__SEL_F16;
    if (is_one_half && known >= 2) return tw__sel_read(s, address, at, 2, TW__SEL_AUX, memory);
    if (!is_one_half && known >= 4) return tw__sel_read(s, address, at, 4, TW__SEL_AUX, memory);
    if (is_half && known >= 2) {
        tw__sel_part low = tw__sel_read(s, address, at, 2, TW__SEL_AUX, memory);
        tw__sel_part high = tw__sel_read(s, address, at + 2, 2, TW__SEL_AUX, memory);
        return MAKE(s, TW__OP_sort4x16lo_a, IN(low), IN(high));
    }
    tw__sel_part word = tw__sel_read_bytes(s, address, at, is_one_half ? 2 : 4, align, false, memory);
    word = tw__sel_to(s, word, TW__MIR_AUX);
    return is_one_half ? MAKE(s, TW__OP_sort4x16lo_a, IN(word), IN(word)) : word;
}

static void access_read_real(tw__sel *s, const tw__sel_shape *shape, const tw__sel_address_of *address, int64_t at,
                             unsigned align, const tw__mir_memory *memory, tw__sel_part *out)
{
    unsigned bytes = shape->bits / 8 * (shape->lanes ? shape->lanes : 1);
    for (unsigned i = 0; i < shape->parts; i++, at += 8) {
        tw__mir_file file;
        unsigned words, left = bytes - 8 * i;
        tw__sel_part made[2];
        tw__sel_part_of(shape, i, &file, &words);
        if (s->f->in_supervisor) {
            out[i] = tw__sel_read_bytes(s, address, at, MIN(left, 4), align, false, memory);
            continue;
        }
        if (words == 2 && left >= 8 && access_align(align, at) >= 8) {
            out[i] = tw__sel_read(s, address, at, 8, TW__SEL_AUX, memory);
            continue;
        }
        for (unsigned k = 0; k < words; k++)
            made[k] = access_read_word(s, shape, address, at + 4 * k, align, left - 4 * k < 4, memory);
        out[i] = words == 1 ? made[0] : tw__sel_join(s, made, 2);
    }
}

void tw__sel_read_value(tw__sel *s, LLVMTypeRef type, const tw__sel_address_of *address, int64_t at, unsigned align,
                        bool is_signed, const tw__mir_memory *memory, tw__sel_part *out)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_GROUP) {
        for (unsigned i = 0, part = 0; i < access_members(type); i++) {
            int64_t place = at;
            LLVMTypeRef member = access_member(s, type, i, &place);
            tw__sel_read_value(s, member, address, place, align, false, memory, out + part);
            part += tw__sel_shape_of(s, member).parts;
        }
        return;
    }
    if (shape.lane == TW__SEL_F16 || shape.lane == TW__SEL_F32) {
        access_read_real(s, &shape, address, at, align, memory, out);
        return;
    }
    unsigned bytes = (shape.bits + 7) / 8, step = shape.bits > 32 ? 2 : 1;
    if (shape.lanes && shape.bits % 8) {
        tw__sel_part word =
            tw__sel_read_bytes(s, address, at, (shape.lanes * shape.bits + 7) / 8, align, false, memory);
        if (shape.lanes * shape.bits > 32)
            tw__sel_refuse(s, "cc.type", "vectors of %u integers of %u bits in memory are not supported",
                           shape.lanes, shape.bits);
        else
            tw__sel_from_words(s, &shape, &word, out);
        return;
    }
    for (unsigned lane = 0; lane < (shape.lanes ? shape.lanes : 1); lane++, at += bytes) {
        out[lane * step] = tw__sel_read_bytes(s, address, at, MIN(bytes, 4), align, is_signed, memory);
        if (step == 2) out[lane * 2 + 1] = tw__sel_read_bytes(s, address, at + 4, bytes - 4, align, false, memory);
    }
}

static void access_write_real(tw__sel *s, const tw__sel_shape *shape, const tw__sel_address_of *address, int64_t at,
                              unsigned align, const tw__sel_part *parts, const tw__mir_memory *memory)
{
    unsigned bytes = shape->bits / 8 * (shape->lanes ? shape->lanes : 1);
    for (unsigned i = 0; i < shape->parts; i++, at += 8) {
        unsigned left = MIN(bytes - 8 * i, 8);
        if (parts[i].words == 2 && left == 8 && access_align(align, at) >= 8) {
            tw__sel_write(s, address, at, parts[i], memory);
            continue;
        }
        for (unsigned k = 0; 4 * k < left; k++)
            tw__sel_write_bytes(s, address, at + 4 * k, MIN(left - 4 * k, 4), align, tw__sel_word(parts[i], k),
                                memory);
    }
}

/* Lanes of less than a word, as words where these are aligned. */
static bool access_write_packed(tw__sel *s, const tw__sel_shape *shape, const tw__sel_address_of *address,
                                int64_t at, unsigned align, const tw__sel_part *parts, const tw__mir_memory *memory)
{
    unsigned bits = shape->bits * shape->lanes;
    if (!shape->lanes || shape->bits >= 32 || (shape->bits % 8 == 0 && align < 4)) return false;
    tw__sel_part words[TW__SEL_PARTS];
    unsigned count = tw__sel_to_words(s, shape, parts, words);
    for (unsigned i = 0; i < count; i++) {
        unsigned left = (bits - 32 * i + 7) / 8;
        tw__sel_write_bytes(s, address, at + 4 * i, MIN(left, 4), align, words[i], memory);
    }
    return true;
}

void tw__sel_write_value(tw__sel *s, LLVMTypeRef type, const tw__sel_address_of *address, int64_t at,
                         unsigned align, const tw__sel_part *parts, const tw__mir_memory *memory)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_GROUP) {
        for (unsigned i = 0, part = 0; i < access_members(type); i++) {
            int64_t place = at;
            LLVMTypeRef member = access_member(s, type, i, &place);
            tw__sel_write_value(s, member, address, place, align, parts + part, memory);
            part += tw__sel_shape_of(s, member).parts;
        }
        return;
    }
    if (shape.lane == TW__SEL_F16 || shape.lane == TW__SEL_F32) {
        access_write_real(s, &shape, address, at, align, parts, memory);
        return;
    }
    if (access_write_packed(s, &shape, address, at, align, parts, memory)) return;
    unsigned bytes = (shape.bits + 7) / 8, step = shape.bits > 32 ? 2 : 1;
    for (unsigned lane = 0; lane < (shape.lanes ? shape.lanes : 1); lane++, at += bytes) {
        tw__sel_part words[2] = { parts[lane * step], parts[lane * step + step - 1] };
        if (shape.bits % 8 && shape.bits > 1) /* memory has zeros above them */
            words[step - 1] = tw__sel_extend(s, words[step - 1], shape.bits - 32 * (step - 1), false);
        tw__sel_write_bytes(s, address, at, MIN(bytes, 4), align, words[0], memory);
        if (step == 2) tw__sel_write_bytes(s, address, at + 4, bytes - 4, align, words[1], memory);
    }
}
