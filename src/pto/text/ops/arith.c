/* SPDX-License-Identifier: MIT */
/* arith: numbers of PTO-AS, the arith dialect. Integers wrap to their width, index is 64 bits wide; what would be
 * undefined there (division by zero, a shift by the width) is an error here. */
#include "pto/text/ops/ops.h"

#include <inttypes.h>

typedef enum arith {
    ADD,
    SUB,
    MUL,
    DIVS,
    DIVU,
    REMS,
    REMU,
    CEILDIV,
    CEILDIVU,
    FLOORDIV,
    MINS,
    MAXS,
    MINU,
    MAXU,
    AND,
    OR,
    XOR,
    SHL,
    SHRS,
    SHRU
} arith;

static bool divide(int64_t a, int64_t b, arith op, int64_t *r)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    int64_t q = a / b, rest = a % b;
    bool apart = rest != 0 && (rest < 0) != (b < 0);
    *r = op == REMS ? rest : op == CEILDIV ? q + (rest != 0 && !apart) : op == FLOORDIV ? q - apart : q;
    return true;
}

static tw_status run_arith(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_numbers(run, code);
    if (status != TW_OK) return status;
    int64_t a = tw__as_integer(tw__as_operand(run, code, 0)), b = tw__as_integer(tw__as_operand(run, code, 1)),
            r = 0;
    uint64_t ua = tw__as_natural(tw__as_operand(run, code, 0)), ub = tw__as_natural(tw__as_operand(run, code, 1));
    unsigned width = 8 * (unsigned)tw_type_size(tw__as_operand(run, code, 0)->scalar.type);
    switch ((arith)code->number) {
    case ADD: r = (int64_t)((uint64_t)a + (uint64_t)b); break;
    case SUB: r = (int64_t)((uint64_t)a - (uint64_t)b); break;
    case MUL: r = (int64_t)((uint64_t)a * (uint64_t)b); break;
    case DIVS:
    case REMS:
    case CEILDIV:
    case FLOORDIV:
        if (!divide(a, b, (arith)code->number, &r))
            return tw__fail(TW_E_OVERFLOW, "%s: %" PRId64 " divided by %" PRId64, code->op->name, a, b);
        break;
    case DIVU:
    case CEILDIVU:
    case REMU:
        if (ub == 0) return tw__fail(TW_E_OVERFLOW, "%s: division by zero", code->op->name);
        r = (int64_t)(code->number == REMU ? ua % ub : ua / ub + (code->number == CEILDIVU && ua % ub));
        break;
    case MINS: r = a < b ? a : b; break;
    case MAXS: r = a > b ? a : b; break;
    case MINU: r = (int64_t)(ua < ub ? ua : ub); break;
    case MAXU: r = (int64_t)(ua > ub ? ua : ub); break;
    case AND: r = (int64_t)(ua & ub); break;
    case OR: r = (int64_t)(ua | ub); break;
    case XOR: r = (int64_t)(ua ^ ub); break;
    case SHL:
    case SHRS:
    case SHRU:
        if (ub >= width)
            return tw__fail(TW_E_OVERFLOW, "%s: a shift by %" PRIu64 " bits of %u", code->op->name, ub, width);
        r = code->number == SHL ? (int64_t)(ua << ub) : code->number == SHRS ? a >> ub : (int64_t)(ua >> ub);
        break;
    }
    return tw__as_set_integer(run, code, r);
}

static tw_status run_cmpi(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_numbers(run, code);
    if (status != TW_OK) return status;
    int64_t a = tw__as_integer(tw__as_operand(run, code, 0)), b = tw__as_integer(tw__as_operand(run, code, 1));
    uint64_t ua = tw__as_natural(tw__as_operand(run, code, 0)), ub = tw__as_natural(tw__as_operand(run, code, 1));
    const bool results[] = { a == b, a != b, a<b, a <= b, a> b, a >= b, ua<ub, ua <= ub, ua> ub, ua >= ub };
    if (code->number >= 10) return tw__fail(TW_E_TYPE, "%s compares integers", code->op->name);
    return tw__as_set_integer(run, code, results[code->number]);
}

static tw_status run_cmpf(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_numbers(run, code);
    if (status != TW_OK) return status;
    double a = tw_type_load(tw__as_operand(run, code, 0)->scalar.type, &tw__as_operand(run, code, 0)->scalar.bits);
    double b = tw_type_load(tw__as_operand(run, code, 1)->scalar.type, &tw__as_operand(run, code, 1)->scalar.bits);
    bool r = false;
    switch (code->number) {
    case 10: r = a == b; break;
    case 11: r = a < b || a > b; break;
    case 12: r = a < b; break;
    case 13: r = a <= b; break;
    case 14: r = a > b; break;
    case 15: r = a >= b; break;
    case 16: r = !(a == b); break;
    default: return tw__fail(TW_E_TYPE, "%s compares floats: oeq, one, olt, ole, ogt, oge or une", code->op->name);
    }
    return tw__as_set_integer(run, code, r);
}

static tw_status run_float(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_numbers(run, code);
    if (status != TW_OK) return status;
    const tw_pto_scalar *a = &tw__as_operand(run, code, 0)->scalar, *b = &tw__as_operand(run, code, 1)->scalar;
    static const tw_vec_op ops[] = { TW_VEC_ADD, TW_VEC_SUB, TW_VEC_MUL, TW_VEC_DIV,
                                     TW_VEC_MIN, TW_VEC_MAX, TW_VEC_REM };
    const tw_type types[] = { a->type, a->type, a->type };
    tw__as_cell *out = &run->cell[code->result[0]];
    uint64_t bits = 0;
    if (a->type != b->type || !tw__is_float(a->type))
        return tw__fail(TW_E_TYPE, "%s takes two floats of one type", code->op->name);
    const tw_vec_kernel *k = tw__pto_kernel(run->core, ops[code->number], types, NULL);
    if (!k) return TW_E_TYPE;
    tw_vec_call(k, 1, (tw_run[]){ tw_run_of(&bits, 0), tw_run_of(&a->bits, 0), tw_run_of(&b->bits, 0) });
    out->kind = TW__AS_SCALAR;
    out->scalar = tw_pto_bits(a->type, bits);
    return TW_OK;
}

static tw_status run_negate(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_numbers(run, code);
    if (status != TW_OK) return status;
    tw_pto_scalar value = tw__as_operand(run, code, 0)->scalar;
    value.bits ^= UINT64_C(1) << (tw_type_get(value.type)->bits - 1);
    tw__as_set_number(&run->cell[code->result[0]], TW__AS_SCALAR, value);
    return TW_OK;
}

/* Two results: the low bits, and the carry (i1) or the high bits. */
typedef enum extended { ADDU_WIDE, MULS_WIDE, MULU_WIDE } extended;

static tw_status run_extended(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_numbers(run, code);
    if (status != TW_OK) return status;
    const tw__as_cell *a = tw__as_operand(run, code, 0), *b = tw__as_operand(run, code, 1);
    unsigned width = 8 * (unsigned)tw_type_size(a->scalar.type);
    unsigned __int128 wide = code->number == ADDU_WIDE ? (unsigned __int128)tw__as_natural(a) + tw__as_natural(b)
                             : code->number == MULU_WIDE
                                 ? (unsigned __int128)tw__as_natural(a) * tw__as_natural(b)
                                 : (unsigned __int128)((__int128)tw__as_integer(a) * tw__as_integer(b));
    uint64_t high = (uint64_t)(wide >> width);
    tw__as_set_integer(run, code, (int64_t)(uint64_t)wide);
    tw__as_cell *second = &run->cell[code->result[1]];
    tw_type type = code->types[1]->element;
    tw__as_set_number(second, code->types[1]->kind, tw_pto_bits(type, high));
    second->scalar.bits = tw__as_natural(second) & (code->number == ADDU_WIDE ? 1 : UINT64_MAX);
    return TW_OK;
}

/* Numbers between types: kept by value, cut to the width, or the bits as they are. */
typedef enum cast { CAST_SIGNED, CAST_UNSIGNED, CAST_VALUE, CAST_NATURAL, CAST_BITS } cast;

static tw_status run_cast(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_numbers(run, code);
    if (status != TW_OK) return status;
    const tw__as_cell *from = tw__as_operand(run, code, 0);
    if (code->number == CAST_BITS) return tw__as_set_integer(run, code, (int64_t)from->scalar.bits);
    if (code->number != CAST_VALUE && code->number != CAST_NATURAL)
        return tw__as_set_integer(
            run, code, code->number == CAST_SIGNED ? tw__as_integer(from) : (int64_t)tw__as_natural(from));
    tw__as_cell *out = &run->cell[code->result[0]];
    tw_pto_scalar to = { .type = code->types[0]->element }, value = from->scalar;
    if (code->number == CAST_NATURAL) value = tw_pto_bits(TW_U64, tw__as_natural(from));
    tw_convert_mode mode = { tw__is_float(to.type) ? TW_ROUND_NEAREST_EVEN : TW_ROUND_ZERO, TW_SAT_NONE };
    if (!tw_convert(to.type, &to.bits, value.type, &value.bits, mode, 0))
        return tw__fail(TW_E_TYPE, "%s: no such conversion", code->op->name);
    out->kind = TW__AS_SCALAR;
    out->scalar = to;
    return TW_OK;
}

static tw_status run_select(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *condition = tw__as_operand(run, code, 0);
    if (condition->kind != TW__AS_SCALAR)
        return tw__fail(TW_E_TYPE, "%s: the condition is not a number", code->op->name);
    tw__as_lend(run, code->operand[tw__as_natural(condition) & 1 ? 1 : 2], &run->cell[code->result[0]]);
    return TW_OK;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

static bool bind_constant(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                          tw__as_type *type)
{
    const tw__as_item *value = op->items;
    const char *word = value && value->kind == TW__AS_WORD ? value->text : "";
    p->ins = 0;
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        if (p->in_types && p->in_type[0]->element != TW_BOOL)
            return tw__as_refuse(b, value, op, "pto.number", "'%s' is not a value of %s", word,
                                 p->in_type[0]->text),
                   false;
        *type = (tw__as_type){ .kind = TW__AS_SCALAR, .element = TW_BOOL, .text = "i1" };
        code->number = *word == 't';
        return true;
    }
    if (type->counts && value && value->kind == TW__AS_ATTR && strcmp(value->text, "dense<0>") == 0)
        return code->fn = tw__as_alloc_tile, true;
    if (type->counts)
        return tw__as_refuse(b, value, op, "pto.number",
                             "counts begin with 0: expected arith.constant dense<0> : vector<4xi16>"),
               false;
    if (type->kind != TW__AS_SCALAR && type->kind != TW__AS_INDEX)
        return tw__as_refuse(b, NULL, op, "pto.type", "a constant is a number, not %s", type->text), false;
    if (!p->in_types) return tw__as_refuse(b, NULL, op, "pto.type", "%s: the type is missing", op->name), false;
    if (!value || value->kind != TW__AS_NUMBER)
        return tw__as_refuse(b, value, op, "pto.number", "expected a number"), false;
    if (!tw__as_number(value->text, type->element, &code->number))
        return tw__as_refuse(b, value, op, "pto.number", "%s", tw_error_message()), false;
    return true;
}

/* vector.extract %counts[i] : i16 from vector<4xi16> */
static tw_status run_extract(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *vector = tw__as_operand(run, code, 0);
    int64_t i = tw__as_integer(tw__as_operand(run, code, 1));
    const unsigned char *bytes = vector->wide->tile.place ? tw_pto_data(run->core, &vector->wide->tile) : NULL;
    uint16_t value = 0;
    if (i < 0 || i > 3) return tw__fail(TW_E_INDEX, "%s: no element %" PRId64 " of 4", code->op->name, i);
    if (bytes) memcpy(&value, bytes + 2 * i, sizeof value);
    tw__as_set_number(&run->cell[code->result[0]], TW__AS_SCALAR, tw_pto_bits(code->types[0]->element, value));
    return TW_OK;
}

static bool bind_extract(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                         tw__as_type *type)
{
    uint32_t slot;
    (void)code;
    bool counts = p->ins == 1 && p->lists[0] == 1 && p->in[0]->kind == TW__AS_VALUE &&
                  tw__as_find(b, p->in[0]->text, &slot) && b->f->slot_type[slot]->counts;
    if (!counts || type->element != b->f->slot_type[slot]->element)
        return tw__as_refuse(b, NULL, op, "pto.type", "expected %s %%counts[i] : i16 from vector<4xi16>", op->name),
               false;
    return true;
}

static bool bind_extended(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                          tw__as_type *type)
{
    static const tw__as_type carry = { .kind = TW__AS_SCALAR, .element = TW_BOOL, .text = "i1" };
    (void)b;
    (void)op;
    if (p->in_types) *type = *p->in_type[0];
    code->more->second = code->number == ADDU_WIDE ? &carry : p->in_types ? p->in_type[0] : NULL;
    return true;
}

static bool bind_predicate(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                           tw__as_type *type)
{
    static const char *const predicates[] = { "eq",  "ne",  "slt", "sle", "sgt", "sge", "ult", "ule", "ugt",
                                              "uge", "oeq", "one", "olt", "ole", "ogt", "oge", "une" };
    (void)type;
    if (p->nameds && p->ins && !p->in[0]->comma)
        return tw__as_refuse(b, p->in[0], op, "pto.predicate", "expected ',' before this"), false;
    for (size_t i = 0; p->nameds && i < G_N_ELEMENTS(predicates); i++)
        if (strcmp(p->named[0]->text, predicates[i]) == 0) return code->number = (int64_t)i, true;
    if (!p->nameds)
        return tw__as_refuse(b, NULL, op, "pto.predicate", "%s: the comparison is missing", op->name), false;
    const char *near = tw__nearest(p->named[0]->text, predicates, G_N_ELEMENTS(predicates));
    tw__as_refuse(b, p->named[0], op, "pto.predicate",
                  near ? "'%s' is not a comparison; did you mean '%s'?" : "'%s' is not a comparison",
                  p->named[0]->text, near);
    return false;
}

const tw__as_host tw__as_arith_ops[] = {
    // clang-format off
    { "arith.constant", tw__as_constant_run, 0, TW__GIVES_FIRST, 0, 0, NULL, NULL, NULL, "", bind_constant, NULL,
      "%c = arith.constant 1 : type" },
    { "arith.addi", run_arith, ADD, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.addi %a, %b : type" },
    { "arith.subi", run_arith, SUB, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.subi %a, %b : type" },
    { "arith.muli", run_arith, MUL, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.muli %a, %b : type" },
    { "arith.divsi", run_arith, DIVS, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.divsi %a, %b : type" },
    { "arith.divui", run_arith, DIVU, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.divui %a, %b : type" },
    { "arith.remsi", run_arith, REMS, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.remsi %a, %b : type" },
    { "arith.remui", run_arith, REMU, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.remui %a, %b : type" },
    { "arith.ceildivsi", run_arith, CEILDIV, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.ceildivsi %a, %b : type" },
    { "arith.floordivsi", run_arith, FLOORDIV, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.floordivsi %a, %b : type" },
    { "arith.minsi", run_arith, MINS, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.minsi %a, %b : type" },
    { "arith.maxsi", run_arith, MAXS, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.maxsi %a, %b : type" },
    { "arith.minui", run_arith, MINU, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.minui %a, %b : type" },
    { "arith.maxui", run_arith, MAXU, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.maxui %a, %b : type" },
    { "arith.andi", run_arith, AND, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.andi %a, %b : type" },
    { "arith.ori", run_arith, OR, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.ori %a, %b : type" },
    { "arith.xori", run_arith, XOR, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.xori %a, %b : type" },
    { "arith.shli", run_arith, SHL, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.shli %a, %b : type" },
    { "arith.shrsi", run_arith, SHRS, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.shrsi %a, %b : type" },
    { "arith.shrui", run_arith, SHRU, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.shrui %a, %b : type" },
    { "arith.cmpi", run_cmpi, 0, TW__GIVES_TRUTH, 2, 2, "i=", NULL, NULL, "0", bind_predicate, NULL,
      "%c = arith.cmpi slt, %a, %b : type" },
    { "arith.cmpf", run_cmpf, 0, TW__GIVES_TRUTH, 2, 2, "f=", NULL, NULL, "0", bind_predicate, NULL,
      "%c = arith.cmpf olt, %a, %b : type" },
    { "arith.addf", run_float, 0, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.addf %a, %b : type" },
    { "arith.subf", run_float, 1, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.subf %a, %b : type" },
    { "arith.mulf", run_float, 2, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.mulf %a, %b : type" },
    { "arith.divf", run_float, 3, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.divf %a, %b : type" },
    { "arith.minimumf", run_float, 4, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.minimumf %a, %b : type" },
    { "arith.maximumf", run_float, 5, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.maximumf %a, %b : type" },
    { "arith.minnumf", run_float, 4, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.minnumf %a, %b : type" },
    { "arith.maxnumf", run_float, 5, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.maxnumf %a, %b : type" },
    { "arith.remf", run_float, 6, TW__GIVES_LAST, 2, 2, "f=", NULL, "", "0", NULL, NULL,
      "%c = arith.remf %a, %b : type" },
    { "arith.negf", run_negate, 0, TW__GIVES_LAST, 1, 1, "f", NULL, "", "0", NULL, NULL,
      "%b = arith.negf %a : type" },
    { "arith.ceildivui", run_arith, CEILDIVU, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", NULL, NULL,
      "%c = arith.ceildivui %a, %b : type" },
    { "arith.addui_extended", run_extended, ADDU_WIDE, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", bind_extended, NULL,
      "%c = arith.addui_extended %a, %b : type" },
    { "arith.mulsi_extended", run_extended, MULS_WIDE, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", bind_extended, NULL,
      "%c = arith.mulsi_extended %a, %b : type" },
    { "arith.mului_extended", run_extended, MULU_WIDE, TW__GIVES_LAST, 2, 2, "i=", NULL, "", "0", bind_extended, NULL,
      "%c = arith.mului_extended %a, %b : type" },
    { "vector.extract", run_extract, 0, TW__GIVES_LAST, 1, 1, "ti", NULL, NULL, NULL, bind_extract, NULL, NULL },
    { "arith.select", run_select, 0, TW__GIVES_LAST, 3, 3, "i*=", NULL, "", "1", NULL, tw__as_rule_condition,
      "%x = arith.select %condition, %a, %b : type" },
    { "arith.index_cast", run_cast, CAST_SIGNED, TW__GIVES_TO, 1, 1, "i", NULL, "", "0", NULL, tw__as_rule_index,
      "%b = arith.index_cast %a : type to type" },
    { "arith.index_castui", run_cast, CAST_UNSIGNED, TW__GIVES_TO, 1, 1, "i", NULL, "", "0", NULL, tw__as_rule_index,
      "%b = arith.index_castui %a : type to type" },
    { "arith.extsi", run_cast, CAST_SIGNED, TW__GIVES_TO, 1, 1, "i", NULL, "", "0", NULL, tw__as_rule_widen,
      "%b = arith.extsi %a : type to type" },
    { "arith.extui", run_cast, CAST_UNSIGNED, TW__GIVES_TO, 1, 1, "i", NULL, "", "0", NULL, tw__as_rule_widen,
      "%b = arith.extui %a : type to type" },
    { "arith.trunci", run_cast, CAST_UNSIGNED, TW__GIVES_TO, 1, 1, "i", NULL, "", "0", NULL, tw__as_rule_narrow,
      "%b = arith.trunci %a : type to type" },
    { "arith.bitcast", run_cast, CAST_BITS, TW__GIVES_TO, 1, 1, "n", NULL, "", "0", NULL, tw__as_rule_same_width,
      "%b = arith.bitcast %a : type to type" },
    { "arith.sitofp", run_cast, CAST_VALUE, TW__GIVES_TO, 1, 1, "i", NULL, "", "0", NULL, tw__as_rule_to_float,
      "%b = arith.sitofp %a : type to type" },
    { "arith.fptosi", run_cast, CAST_VALUE, TW__GIVES_TO, 1, 1, "f", NULL, "", "0", NULL, tw__as_rule_to_integer,
      "%b = arith.fptosi %a : type to type" },
    { "arith.uitofp", run_cast, CAST_NATURAL, TW__GIVES_TO, 1, 1, "i", NULL, "", "0", NULL, tw__as_rule_to_float,
      "%b = arith.uitofp %a : type to type" },
    { "arith.fptoui", run_cast, CAST_VALUE, TW__GIVES_TO, 1, 1, "f", NULL, "", "0", NULL, tw__as_rule_to_integer,
      "%b = arith.fptoui %a : type to type" },
    { "arith.extf", run_cast, CAST_VALUE, TW__GIVES_TO, 1, 1, "f", NULL, "", "0", NULL, tw__as_rule_widen,
      "%b = arith.extf %a : type to type" },
    { "arith.truncf", run_cast, CAST_VALUE, TW__GIVES_TO, 1, 1, "f", NULL, "", "0", NULL, tw__as_rule_narrow,
      "%b = arith.truncf %a : type to type" },
    { 0 }
    // clang-format on
};
