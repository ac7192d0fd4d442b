/* SPDX-License-Identifier: MIT */
/* resolve: from an operation, types and modes to a kernel. Everything that can be decided once is decided here. */
#include "core/vec/vec.h"

#include <string.h>

enum op_class {
    CLASS_A,
    CLASS_P,
    CLASS_C,
    CLASS_S,
    CLASS_M,
    CLASS_V,
    CLASS_I,
    CLASS_K,
    CLASS_R,
    CLASS_E,
    CLASS_G,
    CLASS_T
};

static const struct op_info {
    char name[12];
    unsigned char sources, class;
} ops[TW_VEC_OP_COUNT] = {
#define ROW(name, number, sources, class) [TW_VEC_##name] = { #name, sources, CLASS_##class },
    TW_VEC_OP_LIST(ROW)
#undef ROW
};

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Lower-case names, spelled out once so that they are static strings. */
const char *tw_vec_op_name(tw_vec_op op)
{
    static char names[TW_VEC_OP_COUNT][12];
    static bool made;
    if (op >= TW_VEC_OP_COUNT) return "unknown";
    if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE)) {
        /* Several threads may get here: they write the same bytes. */
        for (size_t i = 0; i < TW_VEC_OP_COUNT; i++)
            for (size_t c = 0; ops[i].name[c]; c++) names[i][c] = lower(ops[i].name[c]);
        __atomic_store_n(&made, true, __ATOMIC_RELEASE);
    }
    return names[op];
}

unsigned tw_vec_op_sources(tw_vec_op op)
{
    return op < TW_VEC_OP_COUNT ? ops[op].sources : 0;
}

tw__compute tw__compute_of(tw_type type)
{
    switch ((int)type) {
#define CASE(t) \
    case TW_##t: return TW__C_##t;
        TW__COMPUTE_LIST(CASE)
#undef CASE
    case TW_BOOL: return TW__C_U8;
    }
    return TW__C_COUNT;
}

static void (*find_core(int level, unsigned row, tw_type type))(void)
{
    tw__compute c = tw__compute_of(type);
    if (c == TW__C_COUNT) return NULL;
    for (const tw__cores *const *family = tw__level_of(level)->families; *family; family++)
        if ((*family)->core[row][c]) return (*family)->core[row][c];
    return NULL;
}

/* --- compute types -------------------------------------------------------------------------------------------- */

/* The type a value of `type` is calculated in: f32 holds every value of the narrower floats. NONE for complex types
 * and accumulators, which are only moved. */
static tw_type widened(tw_type type)
{
    const tw_type_info *info = tw_type_get(type);
    switch (info->kind) {
    case TW_KIND_BOOL: return TW_U8;
    case TW_KIND_INT: return info->bits == 4 ? TW_I8 : type;
    case TW_KIND_UINT: return info->bits == 4 ? TW_U8 : type;
    case TW_KIND_FLOAT: return type == TW_F64 ? TW_F64 : TW_F32;
    case TW_KIND_NONE:
    case TW_KIND_CINT:
    case TW_KIND_CFLOAT:
    case TW_KIND_ACC:
    case TW_KIND_CACC: break;
    }
    return TW_TYPE_NONE;
}

static bool is_float(tw_type type)
{
    return tw_type_get(type)->kind == TW_KIND_FLOAT;
}

/* The smallest compute type that holds every value of both, NONE when there is none. */
static tw_type common(tw_type a, tw_type b)
{
    static const tw_type signed_of[] = { [1] = TW_I8, [2] = TW_I16, [4] = TW_I32, [8] = TW_I64 };
    if (a == b) return a;
    if (is_float(b) && !is_float(a)) return common(b, a);
    unsigned size_a = tw_type_get(a)->size, size_b = tw_type_get(b)->size;
    bool signed_a = tw_type_get(a)->is_signed, signed_b = tw_type_get(b)->is_signed;
    if (is_float(b)) return TW_F64;
    if (is_float(a)) return size_b <= 2 ? a : size_b == 4 ? TW_F64 : TW_TYPE_NONE;
    if (signed_a == signed_b) return size_a > size_b ? a : b;
    unsigned size = signed_a ? size_a : size_b, other = signed_a ? size_b : size_a;
    if (size <= other) size = 2 * other;
    return size <= 8 ? signed_of[size] : TW_TYPE_NONE;
}

/* --- rows that modes choose ----------------------------------------------------------------------------------- */

/* Row of `op` under the NaN rule; the plain row for integers and operations without a rule. */
static unsigned nan_row(unsigned op, tw_nan_rule rule, tw_type compute)
{
    static const unsigned rows[][3] = {
        { TW_VEC_MIN, TW_VEC_MIN_PROPAGATE, TW_VEC_MIN_FIRST },
        { TW_VEC_MAX, TW_VEC_MAX_PROPAGATE, TW_VEC_MAX_FIRST },
        { TW_VEC_CLAMP, TW_VEC_CLAMP_PROPAGATE, TW_VEC_CLAMP_FIRST },
        { TW_VEC_RELU, TW_VEC_RELU_PROPAGATE, TW_VEC_RELU_FIRST },
        { TW_VEC_LOWEST, TW_VEC_LOWEST_PROPAGATE, TW_VEC_LOWEST_FIRST },
        { TW_VEC_HIGHEST, TW_VEC_HIGHEST_PROPAGATE, TW_VEC_HIGHEST_FIRST },
        { TW_VEC_ARGMIN, TW_VEC_ARGMIN_PROPAGATE, TW_VEC_ARGMIN_FIRST },
        { TW_VEC_ARGMAX, TW_VEC_ARGMAX_PROPAGATE, TW_VEC_ARGMAX_FIRST },
    };
    for (size_t i = 0; is_float(compute) && i < sizeof rows / sizeof *rows; i++)
        if (rows[i][0] == op) return rows[i][rule];
    return op;
}

/* Operation -> other operation, ended by a pair of zeros (COPY is never on the left). */
static unsigned mapped(const unsigned (*pairs)[2], unsigned op, unsigned otherwise)
{
    for (; pairs[0][0]; pairs++)
        if (pairs[0][0] == op) return pairs[0][1];
    return otherwise;
}

static const unsigned saturating[][2] = {
    { TW_VEC_ADD, TW_VEC_ADD_SAT },
    { TW_VEC_SUB, TW_VEC_SUB_SAT },
    { TW_VEC_MUL, TW_VEC_MUL_SAT },
    { TW_VEC_NEG, TW_VEC_NEG_SAT },
    { TW_VEC_ABS, TW_VEC_ABS_SAT },
    { TW_VEC_SHL, TW_VEC_SHL_SAT },
    { 0, 0 },
};
/* Integer operations that can overflow and have no saturating row. */
static const unsigned only_wrapping[][2] = {
    { TW_VEC_SQUARE, 1 },     { TW_VEC_DIV, 1 },
    { TW_VEC_POW, 1 },        { TW_VEC_ABSDIFF, 1 },
    { TW_VEC_PRELU, 1 },      { TW_VEC_FMA, 1 },
    { TW_VEC_ADD3, 1 },       { TW_VEC_SUBADD, 1 },
    { TW_VEC_MULADD, 1 },     { TW_VEC_MULSUB, 1 },
    { TW_VEC_SUM, 1 },        { TW_VEC_PROD, 1 },
    { TW_VEC_SQUARE_ADD, 1 }, { 0, 0 },
};
/* On truth values, which are 0 and 1. */
static const unsigned on_bool[][2] = {
    { TW_VEC_NOT, TW_VEC_LNOT },  { TW_VEC_LNOT, TW_VEC_LNOT }, { TW_VEC_AND, TW_VEC_LAND },
    { TW_VEC_LAND, TW_VEC_LAND }, { TW_VEC_OR, TW_VEC_LOR },    { TW_VEC_LOR, TW_VEC_LOR },
    { TW_VEC_XOR, TW_VEC_NE },    { TW_VEC_XNOR, TW_VEC_EQ },   { TW_VEC_ANDNOT, TW_VEC_GT },
    { TW_VEC_MIN, TW_VEC_MIN },   { TW_VEC_MAX, TW_VEC_MAX },   { 0, 0 },
};
static const unsigned rounded_f16[][2] = {
    { TW_VEC_MULADD, TW_VEC_MULADD_F16 },
    { TW_VEC_MULSUB, TW_VEC_MULSUB_F16 },
    { TW_VEC_ADD3, TW_VEC_ADD3_F16 },
    { TW_VEC_SUBADD, TW_VEC_SUBADD_F16 },
    { 0, 0 },
};
static const unsigned rounded_bf16[][2] = {
    { TW_VEC_MULADD, TW_VEC_MULADD_BF16 },
    { TW_VEC_MULSUB, TW_VEC_MULSUB_BF16 },
    { TW_VEC_ADD3, TW_VEC_ADD3_BF16 },
    { TW_VEC_SUBADD, TW_VEC_SUBADD_BF16 },
    { 0, 0 },
};
static const unsigned trees[][2] = {
    { TW_VEC_SUM, TW_VEC_SUM_TREE },
    { TW_VEC_PROD, TW_VEC_PROD_TREE },
    { TW_VEC_SQUARE_ADD, TW_VEC_SQUARE_ADD_TREE },
    { 0, 0 },
};

/* r = r op x of a reduction; SQUARE_ADD is x x + r. */
static const unsigned elementwise[][2] = {
    { TW_VEC_SUM, TW_VEC_ADD },    { TW_VEC_PROD, TW_VEC_MUL },    { TW_VEC_SQUARE_ADD, TW_VEC_MULADD },
    { TW_VEC_LOWEST, TW_VEC_MIN }, { TW_VEC_HIGHEST, TW_VEC_MAX }, { 0, 0 },
};

static bool is_shift(tw_vec_op op)
{
    return op == TW_VEC_SHL || op == TW_VEC_SHR || op == TW_VEC_SAR;
}
static bool is_division(tw_vec_op op)
{
    return op == TW_VEC_DIV || op == TW_VEC_REM || op == TW_VEC_MOD;
}

/* --- putting a kernel together -------------------------------------------------------------------------------- */

static tw_status no_such(tw_vec_op op, const tw_type *types)
{
    return tw__fail(TW_E_TYPE, "no operation %s from %s to %s", tw_vec_op_name(op),
                    tw_type_name(types[ops[op].sources ? 1 : 0], TW_SYSTEM_TILEWRIGHT),
                    tw_type_name(types[0], TW_SYSTEM_TILEWRIGHT));
}

static tw_status no_mode(const tw_vec_kernel *k, const char *mode)
{
    return tw__fail(TW_E_NOT_SUPPORTED, "%s on %s has no %s", tw_vec_op_name(k->op),
                    tw_type_name(k->types[0], TW_SYSTEM_TILEWRIGHT), mode);
}

static bool all_types(const tw_vec_kernel *k, tw_type type)
{
    for (unsigned i = 0; i <= ops[k->op].sources; i++)
        if (k->types[i] != type) return false;
    return true;
}

/* Operations on the sign bit leave the other bits of a half alone: no widening, which would make a NaN quiet. */
static bool is_half_sign(const tw_vec_kernel *k)
{
    return (k->op == TW_VEC_NEG || k->op == TW_VEC_ABS || k->op == TW_VEC_COPYSIGN) &&
           (all_types(k, TW_F16) || all_types(k, TW_BF16));
}

/* Operand i has `type` inside; sources are converted exactly, or as `saturate` says. */
static bool adapt(tw_vec_kernel *k, int level, unsigned i, tw_type type, tw_convert_mode mode)
{
    const tw_type_info *info = tw_type_get(k->types[i]);
    tw_type from = k->types[i] == TW_BOOL && type == TW_U8 ? TW_U8 : k->types[i];
    if (type == TW_U16 && is_half_sign(k)) from = type;
    if (info->bits == 4 && info->kind != TW_KIND_FLOAT && widened(from) == type) from = type;
    k->own.type[i] = type;
    k->own.width[i] = (unsigned char)tw_type_size(type);
    k->own.saturate[i] = mode.saturation != TW_SAT_NONE;
    return i == 0 ? tw__find_conversion(level, from, type, mode, k->own.step[i])
                  : tw__find_conversion(level, type, from, mode, k->own.step[i]);
}

/* fma of f16 goes through f32, where the product is exact and the sum is but for a sticky last bit; that of bf16, and
 * where more bits than that show, through f64. */
static bool is_half_fma(const tw_vec_kernel *k)
{
    tw_type type = k->types[1];
    return k->op == TW_VEC_FMA && (type == TW_F16 || type == TW_BF16) && k->types[2] == type && k->types[3] == type;
}

static const unsigned repeating[][2] = { { TW_VEC_ADD, TW_VEC_ADD_REPEAT },
                                         { TW_VEC_SUB, TW_VEC_SUB_REPEAT },
                                         { TW_VEC_MUL, TW_VEC_MUL_REPEAT },
                                         { TW_VEC_FMA, TW_VEC_FMA_REPEAT },
                                         { TW_VEC_MULADD, TW_VEC_MULADD_REPEAT },
                                         { TW_VEC_MULSUB, TW_VEC_MULSUB_REPEAT },
                                         { 0, 0 } };

static unsigned arithmetic_row(const tw_vec_kernel *k, tw_type compute)
{
    static const unsigned on_sign[][2] = { { TW_VEC_NEG, TW_VEC_FLIP_SIGN },
                                           { TW_VEC_ABS, TW_VEC_CLEAR_SIGN },
                                           { TW_VEC_COPYSIGN, TW_VEC_COPY_SIGN },
                                           { 0, 0 } };
    if (is_half_sign(k)) return mapped(on_sign, k->op, TW__ROWS);
    if (is_half_fma(k)) return compute == TW_F32 ? TW_VEC_FMA_ODD : TW_VEC_FMA_EXACT;
    if (all_types(k, TW_BOOL)) return mapped(on_bool, k->op, TW__ROWS);
    if (all_types(k, TW_F16)) return mapped(rounded_f16, k->op, nan_row(k->op, k->mode.nan, compute));
    if (all_types(k, TW_BF16)) return mapped(rounded_bf16, k->op, nan_row(k->op, k->mode.nan, compute));
    if (!is_float(compute) && k->mode.saturation != TW_SAT_NONE) return mapped(saturating, k->op, k->op);
    return nan_row(k->op, k->mode.nan, compute);
}

static tw_type arithmetic_type(const tw_vec_kernel *k)
{
    if (is_half_sign(k)) return TW_U16;
    if (is_half_fma(k)) return all_types(k, TW_F16) && k->mode.rounding != TW_ROUND_STOCHASTIC ? TW_F32 : TW_F64;
    tw_type type = widened(k->types[1]);
    for (unsigned i = 2; i <= ops[k->op].sources && !is_shift(k->op); i++) {
        tw_type other = widened(k->types[i]);
        type = type && other ? common(type, other) : TW_TYPE_NONE;
    }
    return type;
}

/* Modes that would be ignored are errors instead: a result that does not round has no rounding mode. */
static tw_status check_modes(const tw_vec_kernel *k, tw_type compute, unsigned row)
{
    bool narrows = k->own.step[0][0] != NULL, two_steps = row >= TW_VEC_MULADD_F16 && row <= TW_VEC_SUBADD_BF16;
    if (k->mode.rounding != TW_ROUND_NEAREST_EVEN && is_float(compute) && (!narrows || two_steps))
        return no_mode(k, "rounding mode but to nearest even");
    if (k->mode.saturation != TW_SAT_NONE && is_float(compute) && !narrows) return no_mode(k, "saturation");
    if (k->mode.saturation != TW_SAT_NONE && !is_float(compute)) {
        if (mapped(only_wrapping, k->op, 0)) return no_mode(k, "saturation");
        if (k->mode.saturation == TW_SAT_SYMMETRIC && mapped(saturating, k->op, 0))
            return no_mode(k, "symmetric saturation");
    }
    return TW_OK;
}

/* Class A, P and C: one core over all operands. */
static tw_status resolve_lanes(tw_vec_kernel *k, int level)
{
    static const tw_convert_mode exact = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE },
                                 clamp = { TW_ROUND_NEAREST_EVEN, TW_SAT_ON };
    bool truth = ops[k->op].class != CLASS_A;
    tw_type compute = arithmetic_type(k), result = truth ? TW_U8 : compute;
    unsigned row = truth ? k->op : compute ? arithmetic_row(k, compute) : TW__ROWS;
    if (row == TW__ROWS || (!truth && k->types[1] == TW_BOOL && !all_types(k, TW_BOOL)))
        return no_such(k->op, k->types);
    k->own.core = find_core(level, row, compute);
    if (!k->own.core) return no_such(k->op, k->types);
    unsigned repeat = mapped(repeating, row, TW__ROWS);
    if (repeat != TW__ROWS && compute == TW_F32) k->own.repeat = find_core(level, repeat, compute);
    if (truth && k->mode.bits) {
        k->own.bits[0] = 1;
        k->own.type[0] = TW_U8;
        k->own.width[0] = 1;
    } else if (!adapt(k, level, 0, result, (tw_convert_mode){ k->mode.rounding, k->mode.saturation })) {
        return no_such(k->op, k->types);
    }
    for (unsigned i = 1; i <= ops[k->op].sources; i++)
        if (!adapt(k, level, i, compute, is_shift(k->op) && i == 2 ? clamp : exact))
            return no_such(k->op, k->types);
    k->compute = compute;
    k->can_fault = is_division(k->op) && !is_float(compute) && !k->mode.no_div_fault;
    return truth ? TW_OK : check_modes(k, compute, row);
}

static tw_status resolve_select(tw_vec_kernel *k, int level)
{
    static const tw_type by_size[] = { [1] = TW_U8, [2] = TW_U16, [4] = TW_U32, [8] = TW_U64 };
    size_t size = tw_type_size(k->types[0]);
    if (size > 8 || size == 0 || tw_type_get(k->types[0])->bits == 4 || k->types[2] != k->types[0] ||
        k->types[3] != k->types[0] || (!k->mode.bits && tw_type_size(k->types[1]) != 1))
        return no_such(k->op, k->types);
    k->compute = by_size[size];
    k->own.core = find_core(level, TW_VEC_SELECT, k->compute);
    for (unsigned i = 0; i < 4; i++) {
        k->own.type[i] = i == 1 ? TW_U8 : k->compute;
        k->own.width[i] = (unsigned char)(i == 1 ? 1 : size);
    }
    k->own.bits[1] = k->mode.bits;
    k->mode.flush = false;
    return TW_OK;
}

static tw_status resolve_convert(tw_vec_kernel *k, int level)
{
    k->compute = k->types[0];
    k->own.type[0] = k->types[0];
    k->own.width[0] = (unsigned char)tw_type_size(k->types[0]);
    if (!adapt(k, level, 1, k->types[0], (tw_convert_mode){ k->mode.rounding, k->mode.saturation }))
        return no_such(k->op, k->types);
    return TW_OK;
}

static tw_status resolve_iota(tw_vec_kernel *k, int level)
{
    static const tw_convert_mode exact = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
    tw_type compute = widened(k->types[0]);
    if (!compute || k->types[0] == TW_BOOL || tw_type_get(k->types[0])->bits == 4) return no_such(k->op, k->types);
    if (k->mode.rounding == TW_ROUND_STOCHASTIC) return no_mode(k, "stochastic rounding");
    k->compute = compute;
    if (!adapt(k, level, 0, compute, (tw_convert_mode){ k->mode.rounding, k->mode.saturation }) ||
        !adapt(k, level, 1, compute, exact) || !adapt(k, level, 2, compute, exact) || k->own.bits[1] ||
        k->own.bits[2])
        return no_such(k->op, k->types);
    k->own.core = find_core(level, TW_VEC_IOTA, compute);
    k->fn = tw__drive_iota;
    return TW_OK;
}

static tw_status resolve_compress(tw_vec_kernel *k, int level)
{
    static const tw_type by_size[] = { [1] = TW_U8, [2] = TW_U16, [4] = TW_U32, [8] = TW_U64 };
    size_t size = tw_type_size(k->types[0]);
    if (size == 0 || size > 8 || tw_type_get(k->types[0])->bits == 4 || k->types[1] != k->types[0] ||
        tw_type_get(k->types[2])->bits == 4 || tw_type_size(k->types[2]) != 1)
        return no_such(k->op, k->types);
    k->compute = by_size[size];
    k->own.core = find_core(level, TW_VEC_COMPRESS, k->compute);
    k->fn = tw__drive_compress;
    return TW_OK;
}

static tw_status resolve_reduction(tw_vec_kernel *k, int level)
{
    static const tw_convert_mode exact = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
    bool truth = k->op == TW_VEC_ALL || k->op == TW_VEC_ANY;
    tw_type to = widened(k->types[0]), from = widened(k->types[1]), compute = from;
    if (!to || !from || tw_type_get(k->types[0])->bits == 4) return no_such(k->op, k->types);
    if (is_float(from) && is_float(to)) compute = common(to, from);
    if (!is_float(from) && !is_float(to) && !truth && k->op != TW_VEC_LOWEST && k->op != TW_VEC_HIGHEST)
        compute = to;
    if (!is_float(from) && is_float(to) && !truth) compute = common(to, from);
    if (truth) compute = TW_U8;
    if (!compute || (truth && is_float(from))) return no_such(k->op, k->types);
    unsigned row = nan_row(k->op, k->mode.nan, compute);
    if (k->mode.fold == TW_FOLD_TREE && is_float(compute)) row = mapped(trees, k->op, row);
    k->own.core = find_core(level, row, compute);
    if (!k->own.core) return no_such(k->op, k->types);
    if (row >= TW_VEC_SUM_TREE) /* partial results are joined by the operation itself; sums of squares are summed */
        k->own.join = find_core(level, k->op == TW_VEC_PROD ? TW_VEC_MUL : TW_VEC_ADD, compute);
    else if (!truth) /* and in index order, the elementwise operation folds many columns at once */
        k->own.across =
            find_core(level, nan_row(mapped(elementwise, k->op, TW__ROWS), k->mode.nan, compute), compute);
    k->compute = compute;
    if (k->mode.rounding == TW_ROUND_STOCHASTIC) return no_mode(k, "stochastic rounding");
    bool fits = adapt(k, level, 0, compute, (tw_convert_mode){ k->mode.rounding, k->mode.saturation });
    if (truth && tw_type_size(k->types[1]) > 1) {
        fits = fits && tw__find_conversion(level, TW_BOOL, k->types[1], exact, k->own.step[1]);
        k->own.type[1] = TW_BOOL;
        k->own.width[1] = 1;
    } else if (truth) {
        k->own.type[1] = TW_U8;
        k->own.width[1] = 1;
    } else {
        fits = fits && adapt(k, level, 1, compute, exact);
    }
    if (!fits) return no_such(k->op, k->types);
    k->fn = tw__drive_fold;
    return check_modes(k, compute, TW__ROWS);
}

static tw_status resolve_arg(tw_vec_kernel *k, int level)
{
    static const tw_convert_mode exact = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
    tw_type compute = widened(k->types[1]), index = widened(k->types[0]);
    if (!compute || !index || is_float(index) || tw_type_get(k->types[0])->bits < 8)
        return no_such(k->op, k->types);
    k->own.core = find_core(level, nan_row(k->op, k->mode.nan, compute), compute);
    if (!k->own.core || !adapt(k, level, 1, compute, exact)) return no_such(k->op, k->types);
    k->compute = compute;
    k->fn = tw__drive_arg;
    return TW_OK;
}

/* Table and values alike, moved by their size; only the accumulating scatters calculate. */
static tw_status resolve_indexed(tw_vec_kernel *k, int level)
{
    tw_type_kind index = tw_type_get(k->types[1])->kind;
    if ((index != TW_KIND_INT && index != TW_KIND_UINT) || tw_type_get(k->types[1])->bits == 4 ||
        k->types[2] != k->types[0] || tw_type_get(k->types[0])->bits == 4)
        return no_such(k->op, k->types);
    k->can_fault = k->mode.bounds == TW_BOUNDS_FAULT;
    k->compute = k->types[0];
    k->fn = ops[k->op].class == CLASS_G ? tw__drive_gather : tw__drive_scatter;
    if (k->op == TW_VEC_GATHER || k->op == TW_VEC_SCATTER) return TW_OK;
    tw_vec_op add = k->op == TW_VEC_SCATTER_ADD   ? TW_VEC_ADD
                    : k->op == TW_VEC_SCATTER_MIN ? TW_VEC_MIN
                                                  : TW_VEC_MAX;
    tw_type compute = widened(k->types[0]);
    if (!compute || k->types[0] == TW_BOOL) return no_such(k->op, k->types);
    unsigned row = nan_row(add, k->mode.nan, compute);
    if (!is_float(compute) && k->mode.saturation != TW_SAT_NONE) row = mapped(saturating, row, row);
    tw_convert_mode exact = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
    k->own.core = find_core(level, row, compute);
    if (!k->own.core || !adapt(k, level, 0, compute, (tw_convert_mode){ k->mode.rounding, k->mode.saturation }) ||
        !adapt(k, level, 2, compute, exact))
        return no_such(k->op, k->types);
    if (k->mode.rounding == TW_ROUND_STOCHASTIC) return no_mode(k, "stochastic rounding");
    k->compute = compute;
    return check_modes(k, compute, TW__ROWS);
}

static tw_status resolve_copy(tw_vec_kernel *k)
{
    size_t size = tw_type_size(k->types[0]);
    if (size == 0 || k->types[0] != k->types[1]) return no_such(k->op, k->types);
    k->compute = k->types[0];
    k->fn = tw__drive_copy;
    return TW_OK;
}

/* What stands between the operands and the core. */
typedef struct needs {
    bool steps, more, packed; /* conversions; ones of two steps or with a mode; fields below a byte */
} needs;

static needs needs_of(const tw_vec_kernel *k)
{
    needs n = { false, false, false };
    for (unsigned i = 0; i < k->args; i++) {
        n.steps |= k->own.step[i][0] != NULL;
        n.more |= k->own.step[i][1] != NULL || (i > 0 && k->own.saturate[i] && k->op != TW_VEC_CONVERT);
        n.packed |= k->own.bits[i] != 0;
    }
    return n;
}

/* The least of the drivers for operands that go through blocks. */
static tw_vec_fn block_driver(const tw_vec_kernel *k)
{
    needs n = needs_of(k);
    bool simple = !n.packed && !n.more && !k->mode.flush;
    if (k->op == TW_VEC_CONVERT) return simple && n.steps ? tw__drive_convert : tw__drive_blocks;
    if (!simple || k->can_fault || k->own.random) return tw__drive_blocks;
    return n.steps ? tw__drive_widened : tw__drive_plain;
}

/* What sequential order adds to a driver: copies, gather and scatter go in order by themselves, reductions and iota
 * read everything before they write. */
static tw_status choose_driver(tw_vec_kernel *k)
{
    bool own_driver = k->fn != NULL;
    if (!own_driver) k->fn = block_driver(k);
    k->own.free = k->fn;
    if (k->mode.order != TW_ORDER_SEQUENTIAL || own_driver) return TW_OK;
    if (needs_of(k).packed) return no_mode(k, "sequential order on packed operands");
    k->fn = tw__drive_sequential;
    return TW_OK;
}

static bool modes_known(const tw_vec_mode *m)
{
    return (unsigned)m->order <= TW_ORDER_SEQUENTIAL && (unsigned)m->rounding < TW_ROUND_COUNT &&
           (unsigned)m->saturation < TW_SAT_COUNT && (unsigned)m->nan <= TW_NAN_FIRST &&
           (unsigned)m->fold <= TW_FOLD_TREE && (unsigned)m->bounds <= TW_BOUNDS_SKIP;
}

tw_status tw__vec_resolve_at(int level, tw_vec_op op, const tw_type *types, const tw_vec_mode *mode,
                             tw_vec_kernel *kernel)
{
    tw_vec_kernel k = { .op = op };
    if ((unsigned)op >= TW_VEC_OP_COUNT) return tw__fail(TW_E_INVALID_ARGUMENT, "unknown operation %d", (int)op);
    if (mode) k.mode = *mode;
    if (!modes_known(&k.mode)) return tw__fail(TW_E_INVALID_ARGUMENT, "unknown mode");
    k.args = 1u + ops[op].sources;
    for (unsigned i = 0; i < k.args; i++) {
        k.types[i] = types[i];
        k.size[i] = (unsigned)tw_type_size(types[i]);
        if (ops[op].class != CLASS_M && tw_type_get(types[i])->bits == 4) k.own.bits[i] = 4;
    }
    tw_status status = TW_OK;
    switch ((enum op_class)ops[op].class) {
    case CLASS_A:
    case CLASS_P:
    case CLASS_C: status = resolve_lanes(&k, level); break;
    case CLASS_S: status = resolve_select(&k, level); break;
    case CLASS_V: status = resolve_convert(&k, level); break;
    case CLASS_M: status = resolve_copy(&k); break;
    case CLASS_I: status = resolve_iota(&k, level); break;
    case CLASS_K: status = resolve_compress(&k, level); break;
    case CLASS_R: status = resolve_reduction(&k, level); break;
    case CLASS_E: status = resolve_arg(&k, level); break;
    case CLASS_G:
    case CLASS_T: status = resolve_indexed(&k, level); break;
    }
    if (status != TW_OK) return status;
    bool rounds = ops[op].class == CLASS_A ? k.own.step[0][0] != NULL : ops[op].class == CLASS_V;
    if (k.mode.rounding == TW_ROUND_STOCHASTIC && rounds) {
        k.own.random = (unsigned char)k.args;
        k.types[k.args] = k.own.type[k.args] = TW_U32;
        k.size[k.args] = k.own.width[k.args] = 4;
        k.args++;
    }
    for (unsigned i = 0; i < k.args; i++)
        if (k.own.bits[i]) k.size[i] = 0;
    status = choose_driver(&k);
    if (status == TW_OK) *kernel = k;
    return status;
}

tw_status tw_vec_resolve(tw_vec_op op, const tw_type *types, const tw_vec_mode *mode, tw_vec_kernel *kernel)
{
    return tw__vec_resolve_at(tw__best_level(), op, types, mode, kernel);
}
