/* SPDX-License-Identifier: MIT */
/* What variables of the source hold: from records of LLVM in front of instructions to registers of SSA. A value that
 * code does not need is not made for a variable's sake. */
#include "poplar/colossus/cc/sel/abi.h"

static void binds_take(void *user, const tw__cc_record *record)
{
    tw__sel *s = user;
    tw__mir_bind *bind = tw__mir_room(s->mir, sizeof *bind);
    bind->variable = record->variable;
    bind->at = record->at, bind->bytes = record->bytes;
    bind->is_memory = record->is_memory, bind->is_value = record->is_value;
    bind->source = record->value;
    if (record->more_count) {
        uint8_t *more = tw__mir_room(s->mir, record->more_count);
        memcpy(more, record->more, record->more_count);
        bind->more = more, bind->more_count = record->more_count;
    }
    g_ptr_array_add(s->binds, bind);
}

void tw__sel_bind(tw__sel *s, LLVMValueRef instruction)
{
    guint first = s->binds->len;
    if (!s->debug || !s->f->debug.die) return;
    tw__cc_debug_records(s->debug, instruction, binds_take, s);
    tw__mir_insn *behind = s->before ? s->before : tw__sel_here(s)->first;
    if (!behind) return;
    for (guint i = s->binds->len; i-- > first;) { /* in front of those that the instruction has already */
        tw__mir_bind *bind = s->binds->pdata[i];
        bind->next = behind->binds;
        behind->binds = bind;
    }
}

/* $mworker_base and $mvertex_base, which no code changes. */
static bool binds_is_base(tw__mir_reg reg)
{
    return reg == TW__MIR_M0 + 12 || reg == TW__MIR_M0 + 13;
}

/* A vertex state is where $mvertex_base says, whether or not code asks for it. */
static bool binds_base(tw__sel *s, tw__mir_bind *bind, LLVMValueRef value)
{
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMIsAFunction(LLVMGetCalledValue(value)) : NULL;
    size_t length = 0;
    tw__sel_part part;
    if (!callee || !tw__sel_builtin(s, value, LLVMGetValueName2(callee, &length), &part)) return false;
    bind->kind = TW__BIND_WORDS, bind->count = 1;
    bind->words[0] = (tw__mir_word){ part.reg, 0, 4 };
    return true;
}

/* The bytes of a value, in the order of memory, as words of registers. */
static void binds_words(tw__sel *s, tw__mir_bind *bind, const tw__sel_value *value, LLVMTypeRef type)
{
    tw__sel_shape shape = tw__sel_shape_of(s, type);
    unsigned lanes = shape.lanes ? shape.lanes : 1, lane = (shape.bits + 7) / 8, rest = lanes * lane;
    bool is_packed = shape.lane == TW__SEL_F16 || shape.lane == TW__SEL_F32;
    if (shape.lane == TW__SEL_GROUP || shape.lane == TW__SEL_NONE || (!is_packed && lane == 3)) return;
    for (unsigned i = 0; i < value->count && rest; i++) {
        const tw__sel_part *part = &value->parts[i];
        for (unsigned w = 0; w < part->words && rest; w++) {
            unsigned most = is_packed || lane >= 4 ? 4 : lane, bytes = MIN(rest, most);
            if (bind->count == TW__MIR_WORDS || (part->reg < TW__MIR_VIRTUAL && !binds_is_base(part->reg))) return;
            bind->words[bind->count++] = (tw__mir_word){ part->reg, (uint8_t)(part->sub + w), (uint8_t)bytes };
            rest -= bytes;
        }
    }
    if (!rest) bind->kind = TW__BIND_WORDS;
}

static void binds_value(tw__sel *s, tw__mir_bind *bind, LLVMValueRef value)
{
    gpointer object = g_hash_table_lookup(s->objects, value);
    const tw__sel_value *known = g_hash_table_lookup(s->values, value);
    uint64_t bits = 0;
    if (object) {
        bind->kind = TW__BIND_OBJECT;
        bind->object = GPOINTER_TO_UINT(object) - 1;
    } else if (LLVMIsAConstant(value) && tw__sel_number(value, &bind->constant, &bits)) {
        bind->kind = TW__BIND_CONSTANT;
        bind->constant = bind->more_count ? bind->constant : (int64_t)bits;
        bind->count = (uint32_t)LLVMABISizeOfType(s->layout, LLVMTypeOf(value));
    } else if (!binds_base(s, bind, value) && known && known->count) {
        binds_words(s, bind, known, LLVMTypeOf(value));
    }
}

void tw__sel_bind_end(tw__sel *s)
{
    for (guint i = 0; i < s->binds->len; i++) {
        tw__mir_bind *bind = s->binds->pdata[i];
        if (bind->source) binds_value(s, bind, (LLVMValueRef)bind->source);
        bind->source = NULL;
    }
}
