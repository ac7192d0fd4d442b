/* SPDX-License-Identifier: MIT */
/* Loads, stores, variable arguments. */
#include "poplar/colossus/cc/sel/address.h"

/* Bytes of the widest access that a value of this type makes: what an index register can be scaled by. */
static unsigned memory_access(tw__sel *s, LLVMTypeRef type, unsigned align)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    if (shape.lane == TW__SEL_GROUP || shape.lane == TW__SEL_F64 || !shape.bits) return 0;
    unsigned bytes = (unsigned)LLVMStoreSizeOfType(s->layout, type);
    bool is_vector = shape.lanes && shape.lane == TW__SEL_INT;
    return bytes <= 8 && align >= bytes && !is_vector && (bytes < 8 || shape.lane != TW__SEL_INT) ? bytes : 0;
}

static tw__mir_memory memory_access_of(LLVMValueRef instruction)
{
    return (tw__mir_memory){ .is_volatile = LLVMGetVolatile(instruction) };
}

static unsigned memory_align(LLVMValueRef instruction)
{
    return MAX(LLVMGetAlignment(instruction), 1);
}

bool tw__sel_load(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMTypeRef type = LLVMTypeOf(instruction);
    unsigned align = memory_align(instruction);
    tw__mir_memory memory = memory_access_of(instruction);
    unsigned size = memory_access(s, type, align);
    if (s->has_failed) return false;
    tw__sel_address_of address = tw__sel_find_address(s, LLVMGetOperand(instruction, 0), size);
    if (address.has_index && !size) tw__sel_settle_address(s, &address);
    if (align >= 4 && tw__sel_is_for_aux(instruction) && !s->f->in_supervisor) {
        out[0] = tw__sel_read(s, &address, 0, 4, TW__SEL_AUX, &memory);
        return !s->has_failed;
    }
    tw__sel_read_value(s, type, &address, 0, align, tw__sel_load_is_signed(instruction), &memory, out);
    return !s->has_failed;
}

bool tw__sel_store(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    (void)out;
    LLVMValueRef value = LLVMGetOperand(instruction, 0);
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned align = memory_align(instruction);
    tw__mir_memory memory = memory_access_of(instruction);
    unsigned size = memory_access(s, type, align);
    if (s->has_failed) return false;
    tw__sel_address_of address = tw__sel_find_address(s, LLVMGetOperand(instruction, 1), size >= 4 ? size : 0);
    tw__sel_write_value(s, type, &address, 0, align, tw__sel_parts(s, value), &memory);
    return !s->has_failed;
}

bool tw__sel_va_arg(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMTypeRef type = LLVMTypeOf(instruction);
    tw__mir_memory memory = { 0 };
    unsigned size = (unsigned)LLVMABISizeOfType(s->layout, type), align = LLVMABIAlignmentOfType(s->layout, type);
    tw__sel_address_of list = tw__sel_find_address(s, LLVMGetOperand(instruction, 0), 0);
    tw__sel_address_of slot = { .base = tw__sel_read(s, &list, 0, 4, TW__SEL_MAIN_ZEROS, &memory) };
    if (align > 4) {
        slot.base = MAKE(s, TW__OP_add_z, IN(slot.base), NUM(7));
        slot.base = MAKE(s, TW__OP_andc_mz, IN(slot.base), NUM(7));
    }
    tw__sel_read_value(s, type, &slot, 0, MAX(align, 4), false, &memory, out);
    tw__sel_part next = MAKE(s, TW__OP_add_z, IN(slot.base), NUM((size + 3) & ~3u));
    tw__sel_write(s, &list, 0, next, &memory);
    return !s->has_failed;
}
