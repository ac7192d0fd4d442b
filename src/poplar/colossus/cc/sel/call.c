/* SPDX-License-Identifier: MIT */
/* Calls, parameters, results. */
#include "poplar/colossus/cc/sel/abi.h"

#include "poplar/colossus/cc/cc.h"

static const tw__mir_memory call_memory = { 0 };

/* --- slots of the stack ----------------------------------------------------------------------------------------- */

static uint32_t call_slot(tw__sel *s, int kind, unsigned place, unsigned bytes)
{
    uint32_t object = tw__mir_new_object(s->mir, s->f, bytes, bytes >= 8 ? 8 : 4);
    s->f->objects[object].kind = kind;
    s->f->objects[object].place = place;
    return object;
}

static uint32_t call_object(tw__sel *s, LLVMTypeRef type, unsigned align)
{
    return tw__mir_new_object(s->mir, s->f, (uint32_t)LLVMABISizeOfType(s->layout, type), MAX(align, 4));
}

static tw__sel_address_of call_frame(uint32_t object)
{
    return (tw__sel_address_of){ .is_frame = true, .object = object };
}

void tw__sel_copy_bytes(tw__sel *s, const tw__sel_address_of *to, const tw__sel_address_of *from, uint64_t size,
                        unsigned to_align, unsigned from_align, const tw__mir_memory *memory)
{
    unsigned align = MIN(to_align, from_align);
    for (uint64_t at = 0; at < size;) {
        uint64_t left = size - at;
        int64_t place = (int64_t)at;
        if (left >= 8 && align >= 8 && !s->f->in_supervisor) {
            tw__sel_write(s, to, place, tw__sel_read(s, from, place, 8, TW__SEL_AUX, memory), memory);
            at += 8;
            continue;
        }
        unsigned bytes = left >= 4 ? 4 : (unsigned)left;
        tw__sel_part word = tw__sel_read_bytes(s, from, place, bytes, from_align, false, memory);
        tw__sel_write_bytes(s, to, place, bytes, to_align, word, memory);
        at += bytes;
    }
}

/* --- the call --------------------------------------------------------------------------------------------------- */

typedef struct call_plan {
    tw__sel_places places;
    tw__sel_unit *units;
    unsigned count;
} call_plan;

/* Registers get their values last, so that nothing comes between. */
static void call_emit(tw__sel *s, call_plan *plan, tw__mir_operand target, const tw__sel_unit *results,
                      unsigned result_count)
{
    tw__mir_operand *operands = g_new0(tw__mir_operand, 1 + 4 * (plan->count + result_count));
    unsigned count = 0;
    operands[count++] = target;
    for (unsigned i = 0; i < plan->count; i++) {
        const tw__sel_unit *unit = &plan->units[i];
        for (unsigned k = 0, at = 0; unit->on_stack && k < unit->count; at += 4 * unit->parts[k++].words) {
            unsigned bytes = 4 * unit->parts[k].words;
            tw__sel_address_of slot = call_frame(call_slot(s, TW__MIR_OUTGOING, unit->number + at, bytes));
            tw__sel_write(s, &slot, 0, unit->parts[k], &call_memory);
        }
    }
    for (unsigned i = 0; i < plan->count; i++) {
        const tw__sel_unit *unit = &plan->units[i];
        for (unsigned k = 0, at = unit->number; !unit->on_stack && k < unit->count; at += unit->parts[k++].words) {
            tw__sel_part to = tw__sel_physical(unit->file, at, unit->parts[k].words);
            tw__sel_copy(s, to, unit->parts[k]);
            operands[count++] = IN(to);
        }
    }
    for (unsigned i = 0; i < result_count; i++)
        for (unsigned k = 0; k < results[i].count; k++) operands[count++] = OUT(results[i].parts[k]);
    tw__sel_emit(s, TW__MIR_call, count, operands);
    g_free(operands);
}

/* Registers of a result, as the convention has them. */
static unsigned call_results(tw__sel *s, LLVMTypeRef type, tw__sel_unit *units)
{
    tw__sel_places places = { 0 };
    unsigned count = tw__sel_units(s, type, units);
    for (unsigned i = 0; i < count; i++) {
        tw__sel_unit *unit = &units[i];
        tw__sel_place(&places, unit, false);
        if (unit->on_stack) {
            tw__sel_refuse(s, "cc.type", "a result that fits no registers; return it through a pointer");
            return 0;
        }
        unsigned step = unit->file == TW__MIR_AUX && unit->words > 1 ? 2 : 1;
        unit->count = 0;
        for (unsigned at = 0; at < unit->words; at += step)
            unit->parts[unit->count++] = tw__sel_physical(unit->file, unit->number + at, step);
    }
    return count;
}

static void call_take(tw__sel *s, tw__sel_unit *units, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < units[i].count; k++) {
            tw__sel_part taken = tw__sel_new(s, units[i].file, units[i].parts[k].words);
            EMIT(s, TW__MIR_copy, OUT(taken), IN(units[i].parts[k]));
            units[i].parts[k] = taken;
        }
}

bool tw__sel_runtime(tw__sel *s, const char *name, unsigned count, const tw__sel_shape *shapes,
                     tw__sel_part *const *arguments, const tw__sel_shape *result, tw__sel_part *out)
{
    tw__sel_unit units[4];
    call_plan plan = { .units = units, .count = count };
    for (unsigned i = 0; i < count; i++) {
        unsigned words = shapes[i].bits > 32 ? 2 : 1;
        units[i] = (tw__sel_unit){ .words = words, .count = words, .file = arguments[i][0].file };
        memcpy(units[i].parts, arguments[i], words * sizeof *units[i].parts);
        tw__sel_place(&plan.places, &units[i], false);
    }
    if (s->f->in_supervisor)
        name = tw__arena_printf(s->mir->arena, "__supervisor_%s", name + 2 * g_str_has_prefix(name, "__"));
    unsigned result_words = !result ? 0 : result->bits > 32 ? 2 : 1;
    tw__mir_file file = result && result->lane == TW__SEL_F32 ? TW__MIR_AUX : TW__MIR_MAIN;
    tw__sel_unit taken = { .file = file, .words = result_words, .count = result_words };
    for (unsigned i = 0; i < result_words; i++) taken.parts[i] = tw__sel_physical(file, i, 1);
    call_emit(s, &plan, SYMBOL(name, 0), &taken, result_words ? 1 : 0);
    if (!result_words) return !s->has_failed;
    call_take(s, &taken, 1);
    memcpy(out, taken.parts, result_words * sizeof *out);
    return !s->has_failed;
}

bool tw__sel_call_words(tw__sel *s, const char *name, const tw__sel_part *words, unsigned count)
{
    static const tw__sel_shape word = { .lane = TW__SEL_INT, .bits = 32, .parts = 1 };
    const tw__sel_shape shapes[] = { word, word, word };
    tw__sel_part copies[3];
    tw__sel_part *arguments[] = { &copies[0], &copies[1], &copies[2] };
    memcpy(copies, words, count * sizeof *copies);
    return tw__sel_runtime(s, name, count, shapes, arguments, NULL, NULL);
}

enum { CALL_INLINE = 64 }; /* bytes of a structure that are copied in place; of longer ones memcpy makes the copy */

/* The caller's copy of a structure. */
static tw__sel_part call_copy(tw__sel *s, LLVMValueRef value, LLVMTypeRef record, unsigned align)
{
    uint64_t size = LLVMABISizeOfType(s->layout, record);
    if (size > TW__SEL_MOST) {
        tw__sel_refuse(s, "cc.stack", "an argument of %" G_GUINT64_FORMAT " bytes fits no tile; pass a pointer",
                       size);
        return (tw__sel_part){ 0 };
    }
    uint32_t object = call_object(s, record, align);
    if (size > CALL_INLINE) {
        tw__sel_part words[3];
        words[0] = MAKE(s, TW__MIR_place, FRAME(object, 0));
        words[1] = tw__sel_part1(s, value);
        words[2] = tw__sel_constant(s, (uint32_t)size, TW__MIR_MAIN);
        tw__sel_call_words(s, "memcpy", words, 3);
    } else {
        tw__sel_address_of from = tw__sel_find_address(s, value, 0), to = call_frame(object);
        tw__sel_copy_bytes(s, &to, &from, size, MAX(align, 4), align, &call_memory);
    }
    return MAKE(s, TW__MIR_place, FRAME(object, 0));
}

/* One argument, as units. Of the variable ones every aggregate is a pointer, as va_arg takes it. */
static unsigned call_argument(tw__sel *s, LLVMValueRef call, unsigned index, bool is_variable, tw__sel_unit *units)
{
    LLVMValueRef value = LLVMGetOperand(call, index);
    LLVMTypeRef record = tw__sel_type_attribute(call, "byval", index), member = NULL;
    tw__sel_part parts[TW__SEL_PARTS];
    if (record) {
        unsigned align = tw__sel_record_align(s, call, index, record);
        tw__sel_record how = is_variable ? TW__SEL_BY_POINTER : tw__sel_record_of(s, record, &member);
        if (how == TW__SEL_DROPPED) return 0;
        if (how == TW__SEL_BY_MEMBER) {
            tw__sel_address_of from = tw__sel_find_address(s, value, 0);
            tw__sel_read_value(s, member, &from, 0, align, false, &call_memory, parts);
            unsigned count = tw__sel_units(s, member, units);
            tw__sel_to_units(s, member, parts, units);
            return count;
        }
        parts[0] = call_copy(s, value, record, align);
        *units = (tw__sel_unit){ .words = 1, .count = 1, .parts = { parts[0] } };
        return 1;
    }
    LLVMTypeRef type = LLVMTypeOf(value);
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    unsigned count = tw__sel_units(s, type, units);
    if (shape.lane == TW__SEL_INT && !shape.lanes && shape.bits < 32) {
        parts[0] = tw__sel_extended(s, value, tw__sel_has_attribute(call, "signext", index));
        tw__sel_to_units(s, type, parts, units);
    } else {
        tw__sel_to_units(s, type, tw__sel_parts(s, value), units);
    }
    return count;
}

static bool call_function(tw__sel *s, LLVMValueRef call, LLVMValueRef callee, tw__sel_part *out)
{
    LLVMTypeRef type = LLVMGetCalledFunctionType(call), result = LLVMGetReturnType(type), member = NULL;
    unsigned count = LLVMGetNumArgOperands(call), named = LLVMCountParamTypes(type);
    tw__sel_unit *units = g_new0(tw__sel_unit, (size_t)(count + 1) * TW__SEL_PARTS), results[TW__SEL_PARTS];
    call_plan plan = { .units = units };
    LLVMTypeRef sret = count ? tw__sel_type_attribute(call, "sret", 0) : NULL;
    bool is_member = sret && tw__sel_record_of(s, sret, &member) != TW__SEL_BY_POINTER;
    for (unsigned i = is_member ? 1 : 0; i < count; i++) {
        bool is_variable = i >= named && LLVMIsFunctionVarArg(type);
        unsigned more = call_argument(s, call, i, is_variable, units + plan.count);
        for (unsigned k = 0; k < more; k++) tw__sel_place(&plan.places, &units[plan.count + k], is_variable);
        plan.count += more;
    }
    const char *symbol;
    int64_t add;
    bool is_known = LLVMIsConstant(callee) && tw__sel_symbol(s, callee, &symbol, &add) && symbol && !add;
    tw__mir_operand target = is_known ? SYMBOL(symbol, 0) : IN(tw__sel_part1(s, callee));
    LLVMTypeRef given = is_member && member ? member : result;
    unsigned result_count = call_results(s, given, results);
    if (!s->has_failed) {
        call_emit(s, &plan, target, results, result_count);
        call_take(s, results, result_count);
        if (is_member && member) {
            tw__sel_part parts[TW__SEL_PARTS];
            tw__sel_address_of to = tw__sel_find_address(s, LLVMGetOperand(call, 0), 0);
            tw__sel_from_units(s, member, results, parts);
            tw__sel_write_value(s, member, &to, 0, LLVMABIAlignmentOfType(s->layout, sret), parts, &call_memory);
        } else {
            tw__sel_from_units(s, result, results, out);
        }
    }
    g_free(units);
    return !s->has_failed;
}

bool tw__sel_call(tw__sel *s, LLVMValueRef instruction, tw__sel_part *out)
{
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    if (LLVMIsAInlineAsm(callee)) return tw__sel_text(s, instruction, out);
    if (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee)) {
        const char *name = tw__sel_name(s, callee);
        if (g_str_has_prefix(name, "llvm.")) {
            if (tw__sel_intrinsic(s, instruction, name, out)) return !s->has_failed;
            return s->has_failed ? false : tw__sel_refuse(s, "cc.intrinsic", "'%s' has no form on this chip", name);
        }
        if (g_str_has_prefix(name, "__builtin_")) {
            if (tw__sel_builtin(s, instruction, name, out)) return !s->has_failed;
            return s->has_failed ? false
                                 : tw__sel_refuse(s, "cc.builtin", "'%s' is no builtin of this compiler", name);
        }
    }
    return call_function(s, instruction, callee, out);
}

/* --- the function itself ---------------------------------------------------------------------------------------- */

static void call_context(tw__sel *s)
{
    LLVMAttributeRef mark = LLVMGetStringAttributeAtIndex(s->function, LLVMAttributeFunctionIndex, TW__CC_CONTEXT,
                                                          strlen(TW__CC_CONTEXT));
    unsigned length = 0;
    const char *context = mark ? LLVMGetStringAttributeValue(mark, &length) : "";
    if (length == strlen(TW__CC_CONTEXT_WORKER) && memcmp(context, TW__CC_CONTEXT_WORKER, length) == 0)
        s->f->context = TW__MIR_WORKER;
    if (length == strlen(TW__CC_CONTEXT_SUPERVISOR) && memcmp(context, TW__CC_CONTEXT_SUPERVISOR, length) == 0) {
        s->f->context = TW__MIR_SUPERVISOR;
        s->f->in_supervisor = true;
    }
}

/* Structures that arrive as their member, or leave as it, live in the frame. */
bool tw__sel_prepare(tw__sel *s)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(s->function), member;
    call_context(s);
    s->f->is_variadic = LLVMIsFunctionVarArg(type);
    for (unsigned i = 0; i < LLVMCountParams(s->function); i++) {
        LLVMTypeRef record = tw__sel_type_attribute(s->function, i ? "byval" : "sret", i);
        bool is_sret = !i && record;
        if (!i && !record) record = tw__sel_type_attribute(s->function, "byval", i);
        if (!record || tw__sel_record_of(s, record, &member) == TW__SEL_BY_POINTER) continue;
        uint32_t object = call_object(s, record, tw__sel_record_align(s, s->function, i, record));
        g_hash_table_insert(s->objects, LLVMGetParam(s->function, i), GUINT_TO_POINTER(object + 1));
        if (is_sret) {
            s->has_sret = true;
            s->sret = object;
        }
    }
    return !s->has_failed;
}

/* Registers or slots of one parameter into its parts. */
static void call_parameter(tw__sel *s, LLVMTypeRef type, tw__sel_places *places, tw__sel_part *parts, bool is_used)
{
    tw__sel_unit units[TW__SEL_PARTS];
    unsigned count = tw__sel_units(s, type, units);
    for (unsigned i = 0; i < count; i++) {
        tw__sel_unit *unit = &units[i];
        tw__sel_place(places, unit, false);
        unsigned step = unit->file == TW__MIR_AUX && unit->words > 1 ? 2 : 1;
        for (unsigned at = 0; is_used && at < unit->words; at += step) {
            tw__sel_part *part = &unit->parts[unit->count++];
            if (unit->on_stack) {
                tw__sel_address_of slot =
                    call_frame(call_slot(s, TW__MIR_INCOMING, unit->number + 4 * at, 4 * step));
                tw__sel_how how = unit->file == TW__MIR_AUX ? TW__SEL_AUX : TW__SEL_MAIN_ZEROS;
                *part = tw__sel_read(s, &slot, 0, 4 * step, how, &call_memory);
            } else {
                *part = tw__sel_new(s, unit->file, step);
                EMIT(s, TW__MIR_copy, OUT(*part), IN(tw__sel_physical(unit->file, unit->number + at, step)));
            }
        }
    }
    if (is_used) tw__sel_from_units(s, type, units, parts);
}

/* In front of the entry's code. Registers that later parameters arrive in are live until their copies. */
bool tw__sel_arguments(tw__sel *s)
{
    tw__sel_places places = { 0 };
    unsigned count = LLVMCountParams(s->function);
    for (unsigned i = s->has_sret ? 1 : 0; i < count; i++) {
        LLVMValueRef param = LLVMGetParam(s->function, i);
        LLVMTypeRef record = tw__sel_type_attribute(s->function, "byval", i), member = NULL;
        tw__sel_part parts[TW__SEL_PARTS];
        gpointer object = g_hash_table_lookup(s->objects, param);
        bool is_used = g_hash_table_contains(s->values, param);
        if (record && tw__sel_record_of(s, record, &member) == TW__SEL_DROPPED) continue;
        tw__mir_insn *last = s->before ? s->before->previous : tw__sel_here(s)->last;
        call_parameter(s, object ? member : LLVMTypeOf(param), &places, parts, is_used || object);
        if (object) {
            tw__sel_address_of to = call_frame(GPOINTER_TO_UINT(object) - 1);
            tw__sel_write_value(s, member, &to, 0, LLVMABIAlignmentOfType(s->layout, record), parts, &call_memory);
        } else if (is_used) {
            tw__sel_define(s, param, parts, last ? last->next : tw__sel_here(s)->first);
        }
    }
    for (unsigned i = 0; i < count; i++) { /* addresses of structures that live in the frame */
        LLVMValueRef param = LLVMGetParam(s->function, i);
        gpointer object = g_hash_table_lookup(s->objects, param);
        if (!object || !g_hash_table_contains(s->values, param)) continue;
        tw__sel_value *value = tw__sel_value_of(s, param);
        EMIT(s, TW__MIR_place, OUT(value->parts[0]), FRAME(GPOINTER_TO_UINT(object) - 1, 0));
    }
    return !s->has_failed;
}

bool tw__sel_return(tw__sel *s, LLVMValueRef instruction)
{
    tw__sel_unit units[TW__SEL_PARTS];
    tw__mir_operand operands[TW__SEL_PARTS * 4];
    unsigned count = 0, unit_count = 0;
    LLVMValueRef value = LLVMGetNumOperands(instruction) ? LLVMGetOperand(instruction, 0) : NULL;
    tw__sel_part parts[TW__SEL_PARTS];
    LLVMTypeRef type = value ? LLVMTypeOf(value) : NULL;
    if (s->has_sret) {
        LLVMTypeRef record = tw__sel_type_attribute(s->function, "sret", 0);
        tw__sel_address_of from = call_frame(s->sret);
        type = NULL;
        if (tw__sel_record_of(s, record, &type) == TW__SEL_DROPPED) type = NULL;
        if (type)
            tw__sel_read_value(s, type, &from, 0, LLVMABIAlignmentOfType(s->layout, record), false, &call_memory,
                               parts);
    } else if (type) {
        tw__sel_shape shape = tw__sel_shape_of(s, type);
        memcpy(parts, tw__sel_parts(s, value), shape.parts * sizeof *parts);
        unsigned kind = LLVMGetEnumAttributeKindForName("signext", 7);
        if (shape.lane == TW__SEL_INT && !shape.lanes && shape.bits < 32)
            parts[0] = tw__sel_extended(
                s, value, LLVMGetEnumAttributeAtIndex(s->function, LLVMAttributeReturnIndex, kind) != NULL);
    }
    if (type) {
        tw__sel_unit places[TW__SEL_PARTS];
        unit_count = call_results(s, type, places);
        tw__sel_units(s, type, units);
        tw__sel_to_units(s, type, parts, units);
        for (unsigned i = 0; i < unit_count; i++) units[i].number = places[i].number;
    }
    for (unsigned i = 0; i < unit_count; i++)
        for (unsigned k = 0, at = units[i].number; k < units[i].count; at += units[i].parts[k++].words) {
            tw__sel_part to = tw__sel_physical(units[i].file, at, units[i].parts[k].words);
            tw__sel_copy(s, to, units[i].parts[k]);
            operands[count++] = IN(to);
        }
    tw__sel_emit(s, TW__MIR_ret, count, operands);
    return !s->has_failed;
}
