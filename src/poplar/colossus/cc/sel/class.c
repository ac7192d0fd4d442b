/* SPDX-License-Identifier: MIT */
/* llvm.is.fpclass: tests of a number's bits, which LLVM also makes of comparisons of bits. */
#include "poplar/colossus/cc/sel/intrinsic.h"

/* Classes in the order of the patterns of positive numbers; bits of the mask for them and for negative ones. */
static const struct {
    uint16_t positive, negative;
} class_masks[] = {
    { 0x40, 0x20 }, { 0x80, 0x10 }, { 0x100, 8 }, { 0x200, 4 }, { 1, 1 }, { 2, 2 },
};
enum { CLASSES = G_N_ELEMENTS(class_masks) };

/* Where each class begins, and behind the last the sign; of double in the upper word, whose bit 0 also says whether
 * the lower one holds anything. */
static const uint32_t *class_bounds(tw__sel_lane lane)
{
    static const uint32_t f32[] = { 0, 1, 0x800000, 0x7f800000, 0x7f800001, 0x7fc00000, 0x80000000 };
    static const uint32_t f16[] = { 0, 1, 0x400, 0x7c00, 0x7c01, 0x7e00, 0x8000 };
    static const uint32_t f64[] = { 0, 1, 0x100000, 0x7ff00000, 0x7ff00001, 0x7ff80000, 0x80000000 };
    return lane == TW__SEL_F64 ? f64 : lane == TW__SEL_F16 ? f16 : f32;
}

static tw__sel_part class_word(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *x)
{
    if (shape->lane == TW__SEL_F64) {
        tw__sel_part rest = MAKE(s, TW__OP_cmpne, IN(x[0]), IN(tw__sel_zero(TW__MIR_MAIN, 1)));
        return MAKE(s, TW__OP_or_m, IN(x[1]), IN(rest));
    }
    tw__sel_part word = tw__sel_to(s, x[0], TW__MIR_MAIN);
    return shape->lane == TW__SEL_F16 ? tw__sel_extend(s, word, 16, false) : word;
}

/* Adds to *sum, a register or `is_first`, whether the word lies in a range of classes that `wanted` has. */
static void class_ranges(tw__sel *s, tw__sel_part word, const uint32_t *bounds, const bool wanted[CLASSES],
                         uint32_t offset, tw__sel_part *sum, bool *is_first)
{
    for (unsigned from = 0, to; from < CLASSES; from = to + 1) {
        for (to = from; to < CLASSES && wanted[to]; to++) {
        }
        if (to == from) continue;
        uint32_t low = bounds[from] + offset, size = bounds[to] - bounds[from];
        tw__sel_part above = low ? tw__sel_with(s, tw__sel_add, word, (int64_t)(int32_t)(0 - low)) : word;
        tw__sel_part inside = MAKE(s, TW__OP_cmpult_m, IN(above), IN(tw__sel_constant(s, size, TW__MIR_MAIN)));
        *sum = *is_first ? inside : MAKE(s, TW__OP_or_m, IN(*sum), IN(inside));
        *is_first = false;
    }
}

bool tw__sel_class(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out)
{
    if (!tw__sel_is_named(name, "is.fpclass")) return false;
    int64_t mask = 0;
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(LLVMGetOperand(call, 0)));
    if (shape.lanes || !tw__sel_number(LLVMGetOperand(call, 1), &mask, NULL)) return false;
    const uint32_t *bounds = class_bounds(shape.lane);
    tw__sel_part word = class_word(s, &shape, tw__sel_parts(s, LLVMGetOperand(call, 0)));
    bool positive[CLASSES], negative[CLASSES], is_first = true;
    for (unsigned i = 0; i < CLASSES; i++)
        positive[i] = mask & class_masks[i].positive, negative[i] = mask & class_masks[i].negative;
    out[0] = tw__sel_zero(TW__MIR_MAIN, 1);
    if (memcmp(positive, negative, sizeof positive) == 0) {
        word = MAKE(s, TW__OP_andc_m, IN(word), IN(tw__sel_constant(s, bounds[CLASSES], TW__MIR_MAIN)));
        class_ranges(s, word, bounds, positive, 0, out, &is_first);
    } else {
        class_ranges(s, word, bounds, positive, 0, out, &is_first);
        class_ranges(s, word, bounds, negative, bounds[CLASSES], out, &is_first);
    }
    return true;
}
