/* SPDX-License-Identifier: MIT */
/* Addresses: what of a pointer's computation fits into the access itself. */
#include "poplar/colossus/cc/sel/address.h"

/* Bytes that index `i` of a GEP moves by for each step; the member's offset in *fixed where it is one of a
 * structure. Moves *type on. */
static uint64_t address_step(tw__sel *s, LLVMValueRef gep, unsigned i, LLVMTypeRef *type, int64_t *fixed)
{
    *fixed = 0;
    if (i == 1) return LLVMABISizeOfType(s->layout, *type);
    if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
        unsigned member = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, i));
        *fixed = (int64_t)LLVMOffsetOfElement(s->layout, *type, member);
        *type = LLVMStructGetTypeAtIndex(*type, member);
        return 0;
    }
    *type = LLVMGetElementType(*type);
    return LLVMABISizeOfType(s->layout, *type);
}

bool tw__sel_gep_terms(tw__sel *s, LLVMValueRef gep, int64_t *offset, tw__sel_term *terms, unsigned room,
                       unsigned *count)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    *offset = 0;
    *count = 0;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        int64_t number, fixed;
        uint64_t step = address_step(s, gep, i, &type, &fixed);
        *offset += fixed;
        if (!step) continue;
        if (tw__sel_number(index, &number, NULL)) {
            *offset += number * (int64_t)step;
            continue;
        }
        if (*count == room) return false;
        terms[(*count)++] = (tw__sel_term){ .index = index, .step = step };
    }
    *offset = (int32_t)*offset;
    return true;
}

static bool address_is_gep(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static tw__sel_part address_index(tw__sel *s, LLVMValueRef index)
{
    return LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 32 ? tw__sel_part1(s, index) : tw__sel_extended(s, index, true);
}

static bool address_is_vector(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

tw__sel_address_of tw__sel_find_address(tw__sel *s, LLVMValueRef pointer, unsigned size)
{
    tw__sel_address_of address = { .base = tw__sel_zero(TW__MIR_MAIN, 1) };
    const char *symbol;
    int64_t add;
    while (LLVMIsAGetElementPtrInst(pointer) && !address_is_vector(pointer)) {
        int64_t offset;
        tw__sel_term term;
        unsigned count;
        if (!tw__sel_gep_terms(s, pointer, &offset, &term, 1, &count)) break;
        if (count && (address.has_index || term.step != size)) break;
        int64_t sum = address.offset + offset;
        if (!count && (sum < 0 || sum > 4095 * 4)) break;
        if (count && (sum || address.offset)) break;
        if (count) {
            address.has_index = true;
            address.index = address_index(s, term.index);
        } else if (address.has_index && sum) {
            break;
        }
        address.offset = sum;
        pointer = LLVMGetOperand(pointer, 0);
    }
    gpointer object = g_hash_table_lookup(s->objects, pointer);
    if (object && !address.has_index) {
        address.is_frame = true;
        address.object = GPOINTER_TO_UINT(object) - 1;
    } else if (LLVMIsConstant(pointer) && tw__sel_symbol(s, pointer, &symbol, &add) && symbol) {
        address.base = tw__sel_address(s, symbol, add);
    } else {
        address.base = tw__sel_part1(s, pointer);
    }
    return address;
}

void tw__sel_settle_address(tw__sel *s, tw__sel_address_of *address)
{
    if (address->is_frame) {
        address->base = MAKE(s, TW__MIR_place, FRAME(address->object, address->offset));
        address->is_frame = false;
        address->offset = 0;
    }
    if (address->has_index) {
        address->base = MAKE(s, TW__OP_add_m, IN(address->base), IN(address->index));
        address->has_index = false;
    }
}

bool tw__sel_gep(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    enum { ROOM = 8 };
    tw__sel_term terms[ROOM];
    unsigned count;
    int64_t offset;
    if (address_is_vector(instruction))
        return tw__sel_refuse(s, "cc.instruction", "vectors of pointers are not supported");
    if (!tw__sel_gep_terms(s, instruction, &offset, terms, ROOM, &count))
        return tw__sel_refuse(s, "cc.instruction", "an address of more than %d variable indices", ROOM);
    LLVMValueRef pointer = LLVMGetOperand(instruction, 0);
    gpointer object = g_hash_table_lookup(s->objects, pointer);
    const char *symbol;
    int64_t add;
    if (object) {
        out[0] = MAKE(s, TW__MIR_place, FRAME(GPOINTER_TO_UINT(object) - 1, offset));
        offset = 0;
    } else if (LLVMIsConstant(pointer) && tw__sel_symbol(s, pointer, &symbol, &add) && symbol) {
        out[0] = tw__sel_address(s, symbol, add + offset);
        offset = 0;
    } else {
        out[0] = tw__sel_part1(s, pointer);
    }
    for (unsigned i = 0; i < count; i++) {
        tw__sel_part moved = address_index(s, terms[i].index);
        if (!(terms[i].step & (terms[i].step - 1)))
            moved =
                terms[i].step == 1 ? moved : tw__sel_with(s, tw__sel_shl, moved, g_bit_nth_lsf(terms[i].step, -1));
        else
            moved = tw__sel_with(s, tw__sel_mul, moved, (int64_t)terms[i].step);
        out[0] = MAKE(s, TW__OP_add_m, IN(out[0]), IN(moved));
    }
    if (offset) out[0] = tw__sel_with(s, tw__sel_add, out[0], offset);
    return true;
}

bool tw__sel_is_gep(LLVMValueRef value)
{
    return address_is_gep(value);
}
