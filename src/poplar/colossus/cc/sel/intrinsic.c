/* SPDX-License-Identifier: MIT */
/* Intrinsics of LLVM: memory, variable arguments, what says something to the compiler alone. */
#include "poplar/colossus/cc/sel/intrinsic.h"

static const char *const intrinsic_nothing[] = {
    "lifetime.start", "lifetime.end", "assume",         "dbg.value",
    "dbg.declare",    "dbg.label",    "donothing",      "invariant.start",
    "invariant.end",  "sideeffect",   "prefetch",       "experimental.noalias.scope.decl",
    "va_end",         "pseudoprobe",  "var.annotation",
};
/* Their first operand. */
static const char *const intrinsic_same[] = {
    "expect",
    "expect.with.probability",
    "launder.invariant.group",
    "strip.invariant.group",
    "ssa.copy",
    "annotation",
    "ptr.annotation",
    "arithmetic.fence",
    "threadlocal.address",
    "start.loop.iterations",
};

static bool intrinsic_is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tw__sel_is_named(name, names[i])) return true;
    return false;
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

enum { INTRINSIC_INLINE = 64 }; /* bytes; longer ones are calls */

static unsigned intrinsic_align(LLVMValueRef call, unsigned index)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, index + 1, kind);
    return attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
}

static tw__mir_memory intrinsic_memory(LLVMValueRef call)
{
    int64_t is_volatile = 0;
    tw__sel_number(LLVMGetOperand(call, 3), &is_volatile, NULL);
    return (tw__mir_memory){ .is_volatile = is_volatile != 0 };
}

static bool intrinsic_copy(tw__sel *s, LLVMValueRef call, bool may_overlap)
{
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    unsigned to_align = intrinsic_align(call, 0), from_align = intrinsic_align(call, 1);
    unsigned step = MIN(to_align, from_align) >= 8 ? 8 : MIN(to_align, from_align);
    tw__mir_memory memory = intrinsic_memory(call);
    int64_t bytes;
    bool is_known = tw__sel_number(size, &bytes, NULL); /* below 0: 2 GiB and more */
    bool is_short =
        is_known && bytes >= 0 && (!may_overlap || bytes <= step) && bytes <= (step >= 4 ? INTRINSIC_INLINE : 8);
    if (is_known && !bytes) return true;
    if (is_short) {
        tw__sel_address_of target = tw__sel_find_address(s, to, 0), source = tw__sel_find_address(s, from, 0);
        tw__sel_copy_bytes(s, &target, &source, (uint64_t)bytes, to_align, from_align, &memory);
        return !s->has_failed;
    }
    tw__sel_part words[3];
    words[0] = tw__sel_part1(s, to);
    words[1] = tw__sel_part1(s, from);
    words[2] = tw__sel_part1(s, size);
    return tw__sel_call_words(s, may_overlap ? "memmove" : "memcpy", words, 3);
}

static bool intrinsic_fill(tw__sel *s, LLVMValueRef call)
{
    LLVMValueRef to = LLVMGetOperand(call, 0), value = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    unsigned align = intrinsic_align(call, 0);
    tw__mir_memory memory = intrinsic_memory(call);
    int64_t bytes, byte;
    if (tw__sel_number(size, &bytes, NULL) && tw__sel_number(value, &byte, NULL) && bytes >= 0 &&
        bytes <= (align >= 4 ? INTRINSIC_INLINE : 4)) {
        tw__sel_address_of target = tw__sel_find_address(s, to, 0);
        uint32_t pattern = (uint32_t)(byte & 0xff) * 0x01010101u;
        bool is_wide = align >= 8 && !s->f->in_supervisor && bytes >= 8;
        tw__sel_part word = tw__sel_constant(s, pattern, TW__MIR_MAIN);
        tw__sel_part pair = is_wide ? tw__sel_all(s, pattern, 2) : word;
        for (int64_t at = 0; at < bytes;) {
            if (is_wide && bytes - at >= 8) {
                tw__sel_write(s, &target, at, pair, &memory);
                at += 8;
                continue;
            }
            unsigned piece = (unsigned)MIN(bytes - at, 4);
            tw__sel_write_bytes(s, &target, at, piece, align, word, &memory);
            at += piece;
        }
        return !s->has_failed;
    }
    tw__sel_part words[3];
    words[0] = tw__sel_part1(s, to);
    words[1] = tw__sel_extended(s, value, false);
    words[2] = tw__sel_part1(s, size);
    return tw__sel_call_words(s, "memset", words, 3);
}

/* --- variable arguments ----------------------------------------------------------------------------------------- */

static bool intrinsic_va(tw__sel *s, LLVMValueRef call, bool is_copy)
{
    static const tw__mir_memory memory = { 0 };
    tw__sel_address_of list = tw__sel_find_address(s, LLVMGetOperand(call, 0), 0);
    tw__sel_part place;
    if (is_copy) {
        tw__sel_address_of from = tw__sel_find_address(s, LLVMGetOperand(call, 1), 0);
        place = tw__sel_read(s, &from, 0, 4, TW__SEL_MAIN_ZEROS, &memory);
    } else {
        uint32_t object = tw__mir_new_object(s->mir, s->f, 4, 4);
        s->f->objects[object].kind = TW__MIR_INCOMING;
        s->f->objects[object].place = tw__sel_named_bytes(s);
        place = MAKE(s, TW__MIR_place, FRAME(object, 0));
    }
    tw__sel_write(s, &list, 0, place, &memory);
    return true;
}

/* Around variables whose size is known when they are made. */
static bool intrinsic_stack(tw__sel *s, LLVMValueRef call, bool saves, tw__sel_part *out)
{
    enum { STACK = 11 };
    tw__sel_part pointer = tw__sel_physical(TW__MIR_MAIN, STACK, 1);
    s->f->has_dynamic_stack = true;
    if (saves)
        out[0] = MAKE(s, TW__OP_or_mz, IN(pointer), NUM(0));
    else
        EMIT(s, TW__OP_or_mz, OUT(pointer), IN(tw__sel_part1(s, LLVMGetOperand(call, 0))), NUM(0))->has_effect =
            true;
    return !s->has_failed;
}

/* --- sums of lanes ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint16_t op;   /* of integers */
    uint16_t real; /* of floats */
    bool is_signed, is_unsigned;
} intrinsic_reductions[] = {
    { "vector.reduce.add", TW__OP_add_m, 0, false, false },
    { "vector.reduce.mul", TW__OP_mul_m, 0, false, false },
    { "vector.reduce.and", TW__OP_and_m, 0, false, false },
    { "vector.reduce.or", TW__OP_or_m, 0, false, false },
    { "vector.reduce.xor", TW__OP_xor, 0, false, false },
    { "vector.reduce.smax", TW__OP_max_m, 0, true, false },
    { "vector.reduce.smin", TW__OP_min_m, 0, true, false },
    { "vector.reduce.fadd", 0, TW__OP_f32add, false, false },
    { "vector.reduce.fmul", 0, TW__OP_f32mul, false, false },
    { "vector.reduce.fmax", 0, TW__OP_f32max, false, false },
    { "vector.reduce.fmin", 0, TW__OP_f32min, false, false },
};

/* Lanes of halves or floats as values of their scalar type. */
static void intrinsic_lane(tw__sel *s, const tw__sel_shape *shape, const tw__sel_part *parts, unsigned lane,
                           tw__sel_part *out)
{
    unsigned per_word = shape->lane == TW__SEL_F16 ? 2 : 1, at = lane / per_word;
    tw__sel_part word = tw__sel_word(parts[at / 2], at % 2);
    if (per_word == 2)
        word = lane % 2 ? MAKE(s, TW__OP_sort4x16hi_a, IN(word), IN(word))
                        : MAKE(s, TW__OP_sort4x16lo_a, IN(word), IN(word));
    *out = word;
}

static bool intrinsic_reduce_real(tw__sel *s, LLVMValueRef call, unsigned op, tw__sel_part *out)
{
    static const struct {
        uint16_t f32, f16;
    } rows[] = { { TW__OP_f32add, TW__OP_f16v2add },
                 { TW__OP_f32mul, TW__OP_f16v2mul },
                 { TW__OP_f32max, TW__OP_f16v2max },
                 { TW__OP_f32min, TW__OP_f16v2min } };
    bool has_start = LLVMGetNumArgOperands(call) == 2;
    LLVMValueRef vector = LLVMGetOperand(call, has_start);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(vector));
    const tw__sel_part *parts = tw__sel_parts(s, vector);
    if (shape.lane == TW__SEL_F64) return false;
    unsigned i = 0;
    while (rows[i].f32 != op) i++;
    unsigned row = shape.lane == TW__SEL_F32 ? rows[i].f32 : rows[i].f16;
    tw__sel_part sum, one;
    if (has_start)
        sum = tw__sel_part1(s, LLVMGetOperand(call, 0));
    else
        intrinsic_lane(s, &shape, parts, 0, &sum);
    for (unsigned lane = has_start ? 0 : 1; lane < shape.lanes; lane++) {
        intrinsic_lane(s, &shape, parts, lane, &one);
        sum = tw__sel_make(s, row, TW__OPERANDS(IN(sum), IN(one)));
    }
    out[0] = sum;
    return true;
}

/* Lanes of 64 bits. */
static bool intrinsic_reduce_long(tw__sel *s, LLVMValueRef vector, const tw__sel_shape *shape, const char *name,
                                  tw__sel_part *out)
{
    static const struct {
        const char *name;
        LLVMOpcode opcode;
        LLVMIntPredicate below; /* of the greatest and least */
        bool wants_most;
    } rows[] = { { "vector.reduce.add", LLVMAdd, 0, false },     { "vector.reduce.mul", LLVMMul, 0, false },
                 { "vector.reduce.and", LLVMAnd, 0, false },     { "vector.reduce.or", LLVMOr, 0, false },
                 { "vector.reduce.xor", LLVMXor, 0, false },     { "vector.reduce.smax", 0, LLVMIntSLT, true },
                 { "vector.reduce.smin", 0, LLVMIntSLT, false }, { "vector.reduce.umax", 0, LLVMIntULT, true },
                 { "vector.reduce.umin", 0, LLVMIntULT, false } };
    size_t row = 0;
    while (row < G_N_ELEMENTS(rows) && !tw__sel_is_named(name, rows[row].name)) row++;
    if (row == G_N_ELEMENTS(rows)) return false;
    const tw__sel_part *parts = tw__sel_parts(s, vector);
    memcpy(out, parts, 2 * sizeof *out);
    for (unsigned lane = 1; lane < shape->lanes; lane++) {
        const tw__sel_part *one = parts + 2 * lane;
        tw__sel_part sum[2];
        if (rows[row].below) {
            tw__sel_part test = tw__sel_long_compare(s, rows[row].below, out, one);
            for (unsigned i = 0; i < 2; i++)
                sum[i] = rows[row].wants_most ? tw__sel_choose(s, test, one[i], out[i])
                                              : tw__sel_choose(s, test, out[i], one[i]);
        } else if (!tw__sel_long(s, rows[row].opcode, out, one, sum)) {
            return false;
        }
        memcpy(out, sum, sizeof sum);
    }
    return true;
}

static bool intrinsic_reduce(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out)
{
    size_t i = 0;
    while (i < G_N_ELEMENTS(intrinsic_reductions) && !tw__sel_is_named(name, intrinsic_reductions[i].name)) i++;
    bool is_unsigned = tw__sel_is_named(name, "vector.reduce.umax") || tw__sel_is_named(name, "vector.reduce.umin");
    if (i == G_N_ELEMENTS(intrinsic_reductions) && !is_unsigned) return false;
    if (!is_unsigned && intrinsic_reductions[i].real)
        return intrinsic_reduce_real(s, call, intrinsic_reductions[i].real, out);
    LLVMValueRef vector = LLVMGetOperand(call, 0);
    tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(vector));
    if (shape.bits > 32) return intrinsic_reduce_long(s, vector, &shape, name, out);
    const tw__sel_part *parts = tw__sel_parts(s, vector);
    bool extends = is_unsigned || intrinsic_reductions[i].is_signed;
    for (unsigned lane = 0; lane < shape.lanes; lane++) {
        tw__sel_part one = extends ? tw__sel_extend(s, parts[lane], shape.bits, !is_unsigned) : parts[lane];
        if (!lane) {
            out[0] = one;
        } else if (is_unsigned) {
            tw__sel_part below = MAKE(s, TW__OP_cmpult_m, IN(out[0]), IN(one));
            bool wants_most = tw__sel_is_named(name, "vector.reduce.umax");
            out[0] = wants_most ? tw__sel_choose(s, below, one, out[0]) : tw__sel_choose(s, below, out[0], one);
        } else {
            out[0] = tw__sel_make(s, intrinsic_reductions[i].op, TW__OPERANDS(IN(out[0]), IN(one)));
        }
    }
    if (shape.bits == 1 && tw__sel_is_named(name, "vector.reduce.add"))
        out[0] = MAKE(s, TW__OP_and_mz, IN(out[0]), NUM(1));
    return true;
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

bool tw__sel_intrinsic(tw__sel *s, LLVMValueRef call, const char *name, tw__sel_part *out)
{
    if (intrinsic_is_one_of(name, intrinsic_nothing, G_N_ELEMENTS(intrinsic_nothing))) return true;
    if (intrinsic_is_one_of(name, intrinsic_same, G_N_ELEMENTS(intrinsic_same))) {
        tw__sel_shape shape = tw__sel_shape_of(s, LLVMTypeOf(call));
        memcpy(out, tw__sel_parts(s, LLVMGetOperand(call, 0)), shape.parts * sizeof *out);
        return !s->has_failed;
    }
    if (tw__sel_is_named(name, "loop.decrement.reg")) { /* always by 1: front/passes.c */
        out[0] = tw__sel_with(s, tw__sel_add, tw__sel_part1(s, LLVMGetOperand(call, 0)), -1);
        return !s->has_failed;
    }
    if (tw__sel_is_named(name, "memcpy") || tw__sel_is_named(name, "memcpy.inline"))
        return intrinsic_copy(s, call, false);
    if (tw__sel_is_named(name, "memmove")) return intrinsic_copy(s, call, true);
    if (tw__sel_is_named(name, "memset") || tw__sel_is_named(name, "memset.inline")) return intrinsic_fill(s, call);
    if (tw__sel_is_named(name, "stacksave") || tw__sel_is_named(name, "stackrestore"))
        return intrinsic_stack(s, call, tw__sel_is_named(name, "stacksave"), out);
    if (tw__sel_is_named(name, "va_start")) return intrinsic_va(s, call, false);
    if (tw__sel_is_named(name, "va_copy")) return intrinsic_va(s, call, true);
    if (tw__sel_is_named(name, "trap") || tw__sel_is_named(name, "debugtrap") ||
        tw__sel_is_named(name, "ubsantrap")) {
        tw__mir_insn *insn = EMIT(s, TW__OP_put, NUM(255), IN(tw__sel_zero(TW__MIR_MAIN, 1)));
        insn->has_effect = true;
        return true;
    }
    if (tw__sel_is_named(name, "is.constant") || tw__sel_is_named(name, "frameaddress") ||
        tw__sel_is_named(name, "returnaddress")) {
        out[0] = tw__sel_zero(TW__MIR_MAIN, 1);
        return true;
    }
    return tw__sel_bits(s, call, name, out) || (!s->has_failed && tw__sel_math(s, call, name, out)) ||
           (!s->has_failed && tw__sel_class(s, call, name, out)) ||
           (!s->has_failed && intrinsic_reduce(s, call, name, out));
}

uint32_t tw__sel_named_bytes(tw__sel *s)
{
    tw__sel_places places = { 0 };
    tw__sel_unit units[TW__SEL_PARTS];
    for (unsigned i = 0; i < LLVMCountParams(s->function); i++) {
        LLVMTypeRef record = tw__sel_type_attribute(s->function, i ? "byval" : "sret", i), member = NULL;
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(s->function, i));
        bool is_sret = !i && record;
        if (!i && !record) record = tw__sel_type_attribute(s->function, "byval", i);
        tw__sel_record how = record ? tw__sel_record_of(s, record, &member) : TW__SEL_BY_POINTER;
        if (how == TW__SEL_DROPPED || (is_sret && how == TW__SEL_BY_MEMBER)) continue;
        unsigned count = tw__sel_units(s, how == TW__SEL_BY_MEMBER ? member : type, units);
        for (unsigned k = 0; k < count; k++) tw__sel_place(&places, &units[k], false);
    }
    return places.stack;
}
