/* SPDX-License-Identifier: MIT */
/* Registers, labels and plain instructions of a function under construction. */
#include "csl/lang/sema/gen.h"
#include <string.h>

void tw__gen_begin(tw__csl_gen *g, tw__csl_sema *s, uint32_t function)
{
    *g = (tw__csl_gen){ .sema = s };
    tw__csl_emit_begin(&g->e, tw__csl_sema_image(s), tw__csl_sema_program(s), function);
}

bool tw__gen_end(tw__csl_gen *g)
{
    tw__csl_ctx *ctx = tw__csl_sema_ctx(g->sema);
    g->e.stack_bytes = g->stack;
    if (g->failed) {
        tw__csl_emit_drop(&g->e);
        return false;
    }
    bool no_memory = g->e.no_memory, too_far = g->e.too_far;
    if (tw__csl_emit_end(&g->e)) return true;
    if (too_far && !no_memory)
        tw__csl_error(g->sema, NULL, "csl.limit", "a function is too long for a jump");
    else
        tw__csl_no_memory(ctx);
    return false;
}

tw__gen_point tw__gen_mark(const tw__csl_gen *g)
{
    return (tw__gen_point){ g->e.code_count,  g->e.line_count, g->e.index_count, g->e.object_count,
                            g->e.label_count, g->e.use_count,  g->e.local_count, g->next,
                            g->stack,         g->barrier };
}

void tw__gen_rewind(tw__csl_gen *g, tw__gen_point point)
{
    g->e.code_count = point.code;
    g->e.line_count = point.lines;
    g->e.index_count = point.indices;
    g->e.object_count = point.objects;
    g->e.label_count = point.labels;
    g->e.use_count = point.uses;
    g->e.local_count = point.locals;
    g->next = point.next;
    g->stack = point.stack;
    g->barrier = point.barrier;
}

/* Registers are numbered in 16 bits, and a window of a call must fit above them. */
enum { MAX_REGISTERS = 60000 };

uint16_t tw__gen_register(tw__csl_gen *g, const tw__csl_type *t)
{
    uint32_t reg = g->next;
    g->next += tw__csl_is_dsd(t) ? 2 : 1;
    if (g->next > MAX_REGISTERS) {
        if (!g->failed)
            tw__csl_error(g->sema, NULL, "csl.limit", "a function needs more than %d registers", MAX_REGISTERS);
        g->failed = true;
        g->next = reg = 0;
    }
    if (g->next > g->e.registers) g->e.registers = g->next;
    return (uint16_t)reg;
}

void tw__gen_at(tw__csl_gen *g, const tw__csl_node *n)
{
    if (!n) return;
    tw__csl_place where = tw__csl_where(tw__csl_sema_ctx(g->sema), n->loc);
    tw__csl_emit_at(&g->e, tw__csl_image_file(tw__csl_sema_image(g->sema), where.file), (uint32_t)where.line,
                    (uint32_t)where.column);
}

uint32_t tw__gen_emit(tw__csl_gen *g, unsigned op, unsigned a, unsigned b, unsigned c)
{
    return tw__csl_emit(&g->e, (tw__csl_op)op, a, b, c);
}

uint32_t tw__gen_emit_wide(tw__csl_gen *g, unsigned op, unsigned a, uint32_t wide)
{
    return tw__csl_emit_wide(&g->e, (tw__csl_op)op, a, wide);
}

void tw__gen_index(tw__csl_gen *g, const tw__csl_node *n, uint16_t reg, const tw__csl_type *t, uint32_t limit)
{
    tw__csl_place where = tw__csl_where(tw__csl_sema_ctx(g->sema), n->loc);
    tw__csl_emit_index(&g->e,
                       (tw__csl_index_use){ .limit = limit,
                                            .file = tw__csl_image_file(tw__csl_sema_image(g->sema), where.file),
                                            .line = (uint32_t)where.line,
                                            .column = (uint32_t)where.column,
                                            .reg = reg,
                                            .is_signed = t->is_signed });
}

tw__gen_label tw__gen_label_new(tw__csl_gen *g)
{
    return tw__csl_emit_label(&g->e);
}

void tw__gen_bind(tw__csl_gen *g, tw__gen_label l)
{
    g->barrier = (uint32_t)g->e.code_count;
    tw__csl_emit_bind(&g->e, l);
}

void tw__gen_jump(tw__csl_gen *g, tw__gen_label l)
{
    tw__csl_emit_jump(&g->e, TW__CSL_I_JMP, 0, l);
}

/* A comparison right before the branch that reads it becomes part of it: (comparison, branch when true, when false
 * with the operands exchanged: !(a < b) is b <= a). */
static const struct {
    uint16_t compare, taken, negated;
} fused[] = {
    { TW__CSL_I_EQ, TW__CSL_I_JEQ, TW__CSL_I_JNE },    { TW__CSL_I_NE, TW__CSL_I_JNE, TW__CSL_I_JEQ },
    { TW__CSL_I_LTS, TW__CSL_I_JLTS, TW__CSL_I_JLES }, { TW__CSL_I_LES, TW__CSL_I_JLES, TW__CSL_I_JLTS },
    { TW__CSL_I_LTU, TW__CSL_I_JLTU, TW__CSL_I_JLEU }, { TW__CSL_I_LEU, TW__CSL_I_JLEU, TW__CSL_I_JLTU },
};

/* Beyond this length of a function jumps use their wide form. */
enum { SHORT_CODE = 16000 };

void tw__gen_branch(tw__csl_gen *g, uint16_t condition, bool when, tw__gen_label l)
{
    if (g->e.code_count > g->barrier && g->e.code_count < SHORT_CODE && !tw__csl_emit_pending(&g->e)) {
        tw__csl_insn last = g->e.code[g->e.code_count - 1];
        for (size_t i = 0; i < sizeof fused / sizeof *fused && last.a == condition; i++) {
            if (last.op != fused[i].compare) continue;
            bool swap = !when && i >= 2;
            g->e.code_count--;
            tw__csl_emit_compare(&g->e, (tw__csl_op)(when ? fused[i].taken : fused[i].negated),
                                 swap ? last.c : last.b, swap ? last.b : last.c, l);
            return;
        }
    }
    tw__csl_emit_jump(&g->e, when ? TW__CSL_I_JT : TW__CSL_I_JF, condition, l);
}

/* --- values --- */

void tw__gen_load_int(tw__csl_gen *g, uint16_t reg, uint64_t bits)
{
    tw__csl_emit_const(&g->e, reg, bits);
}

void tw__gen_move(tw__csl_gen *g, uint16_t to, uint16_t from, const tw__csl_type *t)
{
    if (to != from) tw__gen_emit(g, tw__csl_is_dsd(t) ? TW__CSL_I_MOV2 : TW__CSL_I_MOV, to, from, 0);
}

/* Index of the type among TW__CSL_MEM_TYPES; floats move as their bits. */
static unsigned memory_type(const tw__csl_type *t)
{
    switch (t->machine) {
    case TW_U8: return TW__CSL_N_U8;
    case TW_I8: return TW__CSL_N_I8;
    case TW_I16: return TW__CSL_N_I16;
    case TW_I32: return TW__CSL_N_I32;
    case TW_U32:
    case TW_F32: return TW__CSL_N_U32;
    case TW_I64:
    case TW_U64: return TW__CSL_N_U64;
    default: return TW__CSL_N_U16;
    }
}

static uint16_t address_register(tw__csl_gen *g, uint16_t base, int64_t offset)
{
    uint16_t at = tw__gen_register(g, &tw__csl_t_u16);
    tw__gen_load_int(g, at, (uint64_t)(offset & 0xffff));
    tw__gen_emit(g, TW__CSL_I_ADD_U16, at, at, base);
    return at;
}

static void gen_transfer(tw__csl_gen *g, bool store, uint16_t reg, const tw__csl_type *t, bool has_base,
                         uint16_t base, int64_t offset)
{
    bool dsd = tw__csl_is_dsd(t);
    unsigned kind = dsd ? 0 : memory_type(t);
    if (!has_base) {
        unsigned op = dsd ? (store ? TW__CSL_I_STDSDA : TW__CSL_I_LDDSDA)
                          : (store ? TW__CSL_I_STA_U8 : TW__CSL_I_LDA_U8) + kind;
        tw__gen_emit_wide(g, op, reg, (uint32_t)(offset & 0xffff));
        return;
    }
    if (offset < INT16_MIN || offset > INT16_MAX) {
        base = address_register(g, base, offset);
        offset = 0;
    }
    unsigned op =
        dsd ? (store ? TW__CSL_I_STDSD : TW__CSL_I_LDDSD) : (store ? TW__CSL_I_ST_U8 : TW__CSL_I_LD_U8) + kind;
    tw__gen_emit(g, op, reg, base, (uint16_t)offset);
}

void tw__gen_load(tw__csl_gen *g, uint16_t to, const tw__csl_type *t, bool has_base, uint16_t base, int64_t offset)
{
    gen_transfer(g, false, to, t, has_base, base, offset);
}

void tw__gen_store(tw__csl_gen *g, uint16_t from, const tw__csl_type *t, bool has_base, uint16_t base,
                   int64_t offset)
{
    gen_transfer(g, true, from, t, has_base, base, offset);
}

uint16_t tw__gen_local(tw__csl_gen *g, uint32_t bytes, uint32_t align)
{
    g->stack = (g->stack + align - 1) / align * align;
    uint16_t reg = tw__gen_register(g, &tw__csl_t_u16);
    tw__gen_emit_wide(g, TW__CSL_I_LEA, reg, g->stack);
    g->stack = bytes > UINT32_MAX - g->stack ? UINT32_MAX : g->stack + bytes;
    return reg;
}

void tw__gen_copy(tw__csl_gen *g, uint16_t to, uint16_t from, uint32_t bytes)
{
    tw__gen_emit(g, TW__CSL_I_COPY, to, from, bytes > UINT16_MAX ? UINT16_MAX : bytes);
}

/* --- operators --- */

enum { NO_TYPE = 99 };

static unsigned int_type(tw_type t)
{
    switch (t) {
    case TW_U8: return TW__CSL_N_U8;
    case TW_I8: return TW__CSL_N_I8;
    case TW_U16: return TW__CSL_N_U16;
    case TW_I16: return TW__CSL_N_I16;
    case TW_U32: return TW__CSL_N_U32;
    case TW_I32: return TW__CSL_N_I32;
    case TW_U64: return TW__CSL_N_U64;
    case TW_I64: return TW__CSL_N_I64;
    default: return NO_TYPE;
    }
}

static unsigned float_type(tw_type t)
{
    switch (t) {
    case TW_F32: return TW__CSL_N_F32;
    case TW_F16: return TW__CSL_N_F16;
    case TW_BF16: return TW__CSL_N_BF16;
    case TW_CB16: return TW__CSL_N_CB16;
    default: return NO_TYPE;
    }
}

typedef struct operation {
    uint16_t op;
    bool swap, is_signed_only;
} operation;

/* Float forms by operator; a > b is b < a. */
static const operation float_ops[TW__CSL_TOKENS] = {
    [TW__CSL_T_PLUS] = { TW__CSL_I_FADD_F32, 0, 0 }, [TW__CSL_T_MINUS] = { TW__CSL_I_FSUB_F32, 0, 0 },
    [TW__CSL_T_STAR] = { TW__CSL_I_FMUL_F32, 0, 0 }, [TW__CSL_T_SLASH] = { TW__CSL_I_FDIV_F32, 0, 0 },
    [TW__CSL_T_EQ] = { TW__CSL_I_FEQ_F32, 0, 0 },    [TW__CSL_T_NE] = { TW__CSL_I_FNE_F32, 0, 0 },
    [TW__CSL_T_LT] = { TW__CSL_I_FLT_F32, 0, 0 },    [TW__CSL_T_LE] = { TW__CSL_I_FLE_F32, 0, 0 },
    [TW__CSL_T_GT] = { TW__CSL_I_FLT_F32, true, 0 }, [TW__CSL_T_GE] = { TW__CSL_I_FLE_F32, true, 0 },
};
/* Integer forms with one instruction per type. */
static const operation int_ops[TW__CSL_TOKENS] = {
    [TW__CSL_T_PLUS] = { TW__CSL_I_ADD_U8, 0, 0 },    [TW__CSL_T_MINUS] = { TW__CSL_I_SUB_U8, 0, 0 },
    [TW__CSL_T_STAR] = { TW__CSL_I_MUL_U8, 0, 0 },    [TW__CSL_T_SLASH] = { TW__CSL_I_DIV_U8, 0, 0 },
    [TW__CSL_T_PERCENT] = { TW__CSL_I_REM_U8, 0, 0 }, [TW__CSL_T_SHL] = { TW__CSL_I_SHL_U8, 0, 0 },
};
/* Integer forms on canonical registers: unsigned; the signed form follows by the second table. */
static const operation plain_ops[TW__CSL_TOKENS] = {
    [TW__CSL_T_AMPERSAND] = { TW__CSL_I_AND, 0, 0 }, [TW__CSL_T_PIPE] = { TW__CSL_I_OR, 0, 0 },
    [TW__CSL_T_CARET] = { TW__CSL_I_XOR, 0, 0 },     [TW__CSL_T_SHR] = { TW__CSL_I_SHR, 0, 0 },
    [TW__CSL_T_EQ] = { TW__CSL_I_EQ, 0, 0 },         [TW__CSL_T_NE] = { TW__CSL_I_NE, 0, 0 },
    [TW__CSL_T_LT] = { TW__CSL_I_LTU, 0, 0 },        [TW__CSL_T_LE] = { TW__CSL_I_LEU, 0, 0 },
    [TW__CSL_T_GT] = { TW__CSL_I_LTU, true, 0 },     [TW__CSL_T_GE] = { TW__CSL_I_LEU, true, 0 },
};

static uint16_t for_signed(uint16_t op)
{
    switch (op) {
    case TW__CSL_I_SHR: return TW__CSL_I_SAR;
    case TW__CSL_I_LTU: return TW__CSL_I_LTS;
    case TW__CSL_I_LEU: return TW__CSL_I_LES;
    default: return op;
    }
}

static void emit_operation(tw__csl_gen *g, unsigned op, bool swap, uint16_t to, uint16_t a, uint16_t b)
{
    tw__gen_emit(g, op, to, swap ? b : a, swap ? a : b);
}

/* Types of other widths (i24) are wrapped after what may leave them. */
static void narrow(tw__csl_gen *g, const tw__csl_type *t, uint16_t reg)
{
    static const unsigned full[] = { [TW_I8] = 8,   [TW_U8] = 8,   [TW_I16] = 16, [TW_U16] = 16,
                                     [TW_I32] = 32, [TW_U32] = 32, [TW_I64] = 64, [TW_U64] = 64 };
    if (t->kind != TW__CSL_TY_INT || t->bits == full[t->machine]) return;
    uint16_t shift = tw__gen_register(g, t);
    tw__gen_load_int(g, shift, 64 - t->bits);
    tw__gen_emit(g, TW__CSL_I_SHL_U64, reg, reg, shift);
    tw__gen_emit(g, t->is_signed ? TW__CSL_I_SAR : TW__CSL_I_SHR, reg, reg, shift);
}

bool tw__gen_binary(tw__csl_gen *g, tw__csl_token_kind op, const tw__csl_type *t, uint16_t to, uint16_t a,
                    uint16_t b)
{
    unsigned f = float_type(t->machine), i = int_type(t->machine);
    if (f != NO_TYPE) {
        if (!float_ops[op].op) return false;
        emit_operation(g, float_ops[op].op + f, float_ops[op].swap, to, a, b);
        return true;
    }
    if (i == NO_TYPE) return false;
    if (int_ops[op].op) {
        emit_operation(g, int_ops[op].op + i, int_ops[op].swap, to, a, b);
        narrow(g, t, to);
        return true;
    }
    if (!plain_ops[op].op) return false;
    emit_operation(g, t->is_signed ? for_signed(plain_ops[op].op) : plain_ops[op].op, plain_ops[op].swap, to, a, b);
    return true;
}

bool tw__gen_immediate(tw__csl_gen *g, tw__csl_token_kind op, const tw__csl_type *t, uint16_t to, uint16_t a,
                       tw__csl_int constant)
{
    unsigned i = int_type(t->machine);
    if (i == NO_TYPE || t->kind != TW__CSL_TY_INT || t->bits != t->size * 8) return false;
    bool fits_signed = constant >= INT16_MIN && constant <= INT16_MAX;
    bool shift = constant >= 0 && constant < (tw__csl_int)t->bits;
    uint16_t c = (uint16_t)constant;
    switch (op) {
    case TW__CSL_T_PLUS:
        if (fits_signed) tw__gen_emit(g, TW__CSL_I_ADDI_U8 + i, to, a, c);
        return fits_signed;
    case TW__CSL_T_MINUS:
        fits_signed = fits_signed && constant != INT16_MIN;
        if (fits_signed) tw__gen_emit(g, TW__CSL_I_ADDI_U8 + i, to, a, (uint16_t)-constant);
        return fits_signed;
    case TW__CSL_T_STAR:
        if (fits_signed) tw__gen_emit(g, TW__CSL_I_MULI_U8 + i, to, a, c);
        return fits_signed;
    case TW__CSL_T_AMPERSAND:
        if (constant >= 0 && constant <= UINT16_MAX) tw__gen_emit(g, TW__CSL_I_ANDI, to, a, c);
        return constant >= 0 && constant <= UINT16_MAX;
    case TW__CSL_T_SHL:
        if (shift) tw__gen_emit(g, TW__CSL_I_SHLI_U8 + i, to, a, c);
        return shift;
    case TW__CSL_T_SHR:
        if (shift) tw__gen_emit(g, t->is_signed ? TW__CSL_I_SARI : TW__CSL_I_SHRI, to, a, c);
        return shift;
    default: return false;
    }
}

bool tw__gen_unary(tw__csl_gen *g, tw__csl_token_kind op, const tw__csl_type *t, uint16_t to, uint16_t a)
{
    unsigned f = float_type(t->machine), i = int_type(t->machine);
    if (op == TW__CSL_T_BANG) {
        tw__gen_emit(g, TW__CSL_I_LNOT, to, a, 0);
        return true;
    }
    if (f != NO_TYPE && op == TW__CSL_T_MINUS) {
        tw__gen_emit(g, TW__CSL_I_FNEG_F32 + f, to, a, 0);
        return true;
    }
    if (i == NO_TYPE || f != NO_TYPE) return false;
    tw__gen_emit(g, (op == TW__CSL_T_MINUS ? TW__CSL_I_NEG_U8 : TW__CSL_I_NOT_U8) + i, to, a, 0);
    narrow(g, t, to);
    return true;
}

/* To bool: x != 0, NaN included (CSL reference, coercions). */
static void to_bool(tw__csl_gen *g, uint16_t to, uint16_t from, const tw__csl_type *from_type)
{
    unsigned f = float_type(from_type->machine);
    uint16_t zero = tw__gen_register(g, from_type);
    tw__gen_load_int(g, zero, 0);
    tw__gen_emit(g, f == NO_TYPE ? TW__CSL_I_NE : TW__CSL_I_FNE_F32 + f, to, from, zero);
}

static void to_float(tw__csl_gen *g, uint16_t to, unsigned f, uint16_t from, const tw__csl_type *from_type)
{
    unsigned source = float_type(from_type->machine);
    if (source == NO_TYPE) {
        unsigned op = from_type->machine == TW_U64 ? TW__CSL_I_FROM_UINT_F32 : TW__CSL_I_FROM_INT_F32;
        tw__gen_emit(g, op + f, to, from, 0);
        return;
    }
    if (source != TW__CSL_N_F32) {
        tw__gen_emit(g, TW__CSL_I_TO32_F32 + source, to, from, 0);
        from = to;
    }
    if (f != TW__CSL_N_F32)
        tw__gen_emit(g, TW__CSL_I_FROM32_F32 + f, to, from, 0);
    else
        tw__gen_move(g, to, from, &tw__csl_t_f32);
}

void tw__gen_convert(tw__csl_gen *g, const tw__csl_node *at, uint16_t to, const tw__csl_type *to_type,
                     uint16_t from, const tw__csl_type *from_type)
{
    tw__gen_at(g, at);
    unsigned f = float_type(to_type->machine), source = float_type(from_type->machine);
    if (to_type->kind == TW__CSL_TY_BOOL) {
        to_bool(g, to, from, from_type);
    } else if (f != NO_TYPE) {
        to_float(g, to, f, from, from_type);
    } else if (source != NO_TYPE) {
        if (source != TW__CSL_N_F32) tw__gen_emit(g, TW__CSL_I_TO32_F32 + source, to, from, 0);
        tw__gen_emit(g, TW__CSL_I_TRUNC_U8 + int_type(to_type->machine), to, source != TW__CSL_N_F32 ? to : from,
                     0);
        narrow(g, to_type, to);
    } else {
        tw__gen_emit(g, TW__CSL_I_WRAP_U8 + int_type(to_type->machine), to, from, 0);
        narrow(g, to_type, to);
    }
}
