/* as_host: operations of PTO-AS that are not tile instructions: arith, views and pointers, tile allocation, flags
 * (spec pto.md 2.4). One row each: name, function, what the binder expects, a number for the function.
 *
 * Shapes: first letter, where the result's type stands (n none, c after ':', a after '->', t after "to", b i1, i index,
 * 6 i64, o after "outs :", w a window); second, the number of operands, or * any, p a predicate, V a view's layout,
 * A alloc_tile, P pipes. */
#include "pto/as.h"

#include <inttypes.h>
#include <math.h>

static uint64_t natural(const tw__as_cell *c)
{
    unsigned size = (unsigned)tw_type_size(c->scalar.type), unused = size && size < 8 ? 64 - 8 * size : 0;
    return c->scalar.bits << unused >> unused;
}

static tw__as_cell *operand(const tw__as_run *run, const tw__as_code *code, unsigned i)
{
    return &run->cell[code->operand[i]];
}

static tw_status set_integer(tw__as_run *run, const tw__as_code *code, int64_t value)
{
    tw__as_cell *out = &run->cell[code->result[0]];
    tw_type type = code->types[0].element ? code->types[0].element : TW_I64;
    unsigned size = (unsigned)tw_type_size(type), unused = size && size < 8 ? 64 - 8 * size : 0;
    out->kind = code->types[0].kind;
    out->scalar = tw_pto_bits(type, (uint64_t)value << unused >> unused);
    if (type == TW_BOOL) out->scalar.bits = value & 1;
    return TW_OK;
}

static tw_status need_scalars(tw__as_run *run, const tw__as_code *code)
{
    for (unsigned i = 0; i < code->count; i++)
        if (operand(run, code, i)->kind != TW__AS_SCALAR && operand(run, code, i)->kind != TW__AS_INDEX) {
            run->blame = i;
            return tw__fail(TW_E_TYPE, "%s: operand %u is not a number", code->op->name, i + 1);
        }
    return TW_OK;
}

/* --- arith ------------------------------------------------------------------------------------------------------------ */

typedef enum arith {
    ADD,
    SUB,
    MUL,
    DIVS,
    DIVU,
    REMS,
    REMU,
    CEILDIV,
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
    tw_status status = need_scalars(run, code);
    if (status != TW_OK) return status;
    int64_t a = tw__as_integer(operand(run, code, 0)), b = tw__as_integer(operand(run, code, 1)), r = 0;
    uint64_t ua = natural(operand(run, code, 0)), ub = natural(operand(run, code, 1));
    unsigned width = 8 * (unsigned)tw_type_size(operand(run, code, 0)->scalar.type);
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
    case REMU:
        if (ub == 0) return tw__fail(TW_E_OVERFLOW, "%s: division by zero", code->op->name);
        r = (int64_t)(code->number == DIVU ? ua / ub : ua % ub);
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
    return set_integer(run, code, r);
}

static tw_status run_cmpi(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_scalars(run, code);
    if (status != TW_OK) return status;
    int64_t a = tw__as_integer(operand(run, code, 0)), b = tw__as_integer(operand(run, code, 1));
    uint64_t ua = natural(operand(run, code, 0)), ub = natural(operand(run, code, 1));
    const bool results[] = { a == b, a != b, a<b, a <= b, a> b, a >= b, ua<ub, ua <= ub, ua> ub, ua >= ub };
    if (code->number >= 10) return tw__fail(TW_E_TYPE, "%s compares integers", code->op->name);
    return set_integer(run, code, results[code->number]);
}

static tw_status run_cmpf(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_scalars(run, code);
    if (status != TW_OK) return status;
    double a = tw_type_load(operand(run, code, 0)->scalar.type, &operand(run, code, 0)->scalar.bits);
    double b = tw_type_load(operand(run, code, 1)->scalar.type, &operand(run, code, 1)->scalar.bits);
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
    return set_integer(run, code, r);
}

static tw_status run_float(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_scalars(run, code);
    if (status != TW_OK) return status;
    const tw_pto_scalar *a = &operand(run, code, 0)->scalar, *b = &operand(run, code, 1)->scalar;
    static const tw_vec_op ops[] = { TW_VEC_ADD, TW_VEC_SUB, TW_VEC_MUL, TW_VEC_DIV, TW_VEC_MIN, TW_VEC_MAX };
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

/* Numbers between types: kept by value, cut to the width, or the bits as they are. */
typedef enum cast { CAST_SIGNED, CAST_UNSIGNED, CAST_VALUE, CAST_BITS } cast;

static tw_status run_cast(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_scalars(run, code);
    if (status != TW_OK) return status;
    const tw__as_cell *from = operand(run, code, 0);
    if (code->number == CAST_BITS) return set_integer(run, code, (int64_t)from->scalar.bits);
    if (code->number != CAST_VALUE)
        return set_integer(run, code, code->number == CAST_SIGNED ? tw__as_integer(from) : (int64_t)natural(from));
    tw__as_cell *out = &run->cell[code->result[0]];
    tw_pto_scalar to = { .type = code->types[0].element };
    tw_convert_mode mode = { tw__is_float(to.type) ? TW_ROUND_NEAREST_EVEN : TW_ROUND_ZERO, TW_SAT_NONE };
    if (!tw_convert(to.type, &to.bits, from->scalar.type, &from->scalar.bits, mode, 0))
        return tw__fail(TW_E_TYPE, "%s: no such conversion", code->op->name);
    out->kind = TW__AS_SCALAR;
    out->scalar = to;
    return TW_OK;
}

static tw_status run_select(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *condition = operand(run, code, 0);
    if (condition->kind != TW__AS_SCALAR)
        return tw__fail(TW_E_TYPE, "%s: the condition is not a number", code->op->name);
    tw__as_cell value = *operand(run, code, natural(condition) & 1 ? 1 : 2);
    if (value.kind == TW__AS_TILE) value.rank = 0; /* a second name */
    run->cell[code->result[0]] = value;
    return TW_OK;
}

static tw_status run_constant(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (code->types[0].kind != TW__AS_SCALAR && code->types[0].kind != TW__AS_INDEX)
        return tw__fail(TW_E_TYPE, "a constant is a number");
    cell->kind = code->types[0].kind;
    cell->scalar = tw_pto_bits(code->types[0].element, (uint64_t)code->number);
    return TW_OK;
}

/* --- pointers and views -------------------------------------------------------------------------------------------------- */

static tw_status need_pointer(tw__as_run *run, const tw__as_code *code, unsigned i)
{
    if (operand(run, code, i)->kind == TW__AS_PTR && operand(run, code, i)->ptr.base) return TW_OK;
    run->blame = i;
    return tw__fail(TW_E_INVALID_ARGUMENT,
                    "%s: operand %u is not a pointer with memory behind it (bind it with --arg)", code->op->name,
                    i + 1);
}

static tw_status run_addptr(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    tw__as_cell *out = &run->cell[code->result[0]], from = *operand(run, code, 0);
    int64_t by, at;
    if (__builtin_mul_overflow(tw__as_integer(operand(run, code, 1)), (int64_t)tw_type_size(from.ptr.type), &by) ||
        __builtin_add_overflow(from.ptr.at, by, &at))
        return tw__fail(TW_E_INDEX, "%s: the address overflows", code->op->name);
    *out = from;
    out->ptr.at = at;
    return TW_OK;
}

/* Memory of one element, NULL with a message when it lies outside. */
static unsigned char *element(const tw__as_run *run, const tw__as_code *code, const tw__as_cell *p, int64_t index)
{
    int64_t size = (int64_t)tw_type_size(p->ptr.type), at;
    (void)run;
    if (__builtin_mul_overflow(index, size, &at) || __builtin_add_overflow(at, p->ptr.at, &at) || at < 0 ||
        (uint64_t)at + (uint64_t)size > p->ptr.bytes) {
        tw__fail(TW_E_INDEX, "%s: element %" PRId64 " lies outside the %zu bytes behind the pointer",
                 code->op->name, index, p->ptr.bytes);
        return NULL;
    }
    return p->ptr.base + at;
}

static tw_status run_load_scalar(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    if (code->count != 2) return tw__fail(TW_E_INVALID_ARGUMENT, "%s: expected %%pointer[%%index]", code->op->name);
    const tw__as_cell *p = operand(run, code, 0);
    const unsigned char *at = element(run, code, p, tw__as_integer(operand(run, code, 1)));
    tw__as_cell *out = &run->cell[code->result[0]];
    if (!at) return TW_E_INDEX;
    tw_pto_scalar value = { .type = p->ptr.type };
    memcpy(&value.bits, at, tw_type_size(value.type));
    if (tw_type_size(code->types[0].element) != tw_type_size(value.type))
        return tw__fail(TW_E_TYPE, "%s: the types differ in size", code->op->name);
    value.type = code->types[0].element;
    out->kind = TW__AS_SCALAR;
    out->scalar = value;
    return TW_OK;
}

static tw_status run_store_scalar(tw__as_run *run, const tw__as_code *code)
{
    if (code->count != 3)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: expected value, %%pointer[%%index]", code->op->name);
    tw_status status = need_pointer(run, code, 1);
    if (status != TW_OK) return status;
    const tw__as_cell *p = operand(run, code, 1);
    unsigned char *at = element(run, code, p, tw__as_integer(operand(run, code, 2)));
    if (!at) return TW_E_INDEX;
    memcpy(at, &operand(run, code, 0)->scalar.bits, tw_type_size(p->ptr.type));
    return TW_OK;
}

/* Views have rank 1 to 5 in text and 5 in the library: leading extents are 1. */
static tw_status run_make_view(tw__as_run *run, const tw__as_code *code)
{
    unsigned rank = code->parts[1];
    tw_status status = need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    const tw__as_cell *p = operand(run, code, 0);
    tw__as_cell view = { .kind = TW__AS_VIEW, .rank = rank };
    if (code->parts[0] != 1 || rank < 1 || rank > 5 || code->parts[2] != rank ||
        code->types[0].kind != TW__AS_VIEW || code->types[0].rank != rank)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: shape, strides and type have one rank of 1 to 5",
                        code->op->name);
    view.tensor = (tw_pto_tensor){ .type = code->types[0].element, .layout = (tw_pto_layout)code->number };
    if (tw_type_size(view.tensor.type) != tw_type_size(p->ptr.type))
        return tw__fail(TW_E_TYPE, "%s: pointer and view differ in element size", code->op->name);
    for (unsigned d = 0; d < 5; d++) {
        int64_t extent = d < 5 - rank ? 1 : tw__as_integer(operand(run, code, 1 + d - (5 - rank)));
        int64_t stride = d < 5 - rank ? 0 : tw__as_integer(operand(run, code, 1 + rank + d - (5 - rank)));
        int64_t written = d < 5 - rank ? -1 : code->types[0].dims[d - (5 - rank)];
        if (extent < 0 || extent > INT32_MAX || stride < -INT32_MAX || stride > INT32_MAX ||
            (written >= 0 && written != extent))
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: extent %" PRId64 " or stride %" PRId64 " of dimension %u",
                            code->op->name, extent, stride, d);
        view.tensor.shape[d] = (size_t)extent;
        view.tensor.stride[d] = (ptrdiff_t)stride;
    }
    if (p->ptr.at < 0 || (uint64_t)p->ptr.at > p->ptr.bytes)
        return tw__fail(TW_E_INDEX, "%s: the pointer lies outside its memory", code->op->name);
    view.tensor.data = p->ptr.base + p->ptr.at;
    view.tensor.window = (tw_window){ p->ptr.base, p->ptr.bytes ? p->ptr.bytes : 1 };
    run->cell[code->result[0]] = view;
    return TW_OK;
}

static tw_status run_partition(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *from = operand(run, code, 0);
    unsigned rank = code->parts[1];
    if (from->kind != TW__AS_VIEW && from->kind != TW__AS_PART)
        return tw__fail(TW_E_TYPE, "%s: not a view", code->op->name);
    if (rank != from->rank || code->parts[2] != rank || code->types[0].kind != TW__AS_PART)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: %u offsets and %u sizes for a view of rank %u", code->op->name,
                        rank, code->parts[2], from->rank);
    tw__as_cell part = *from;
    part.kind = TW__AS_PART;
    for (unsigned i = 0; i < rank; i++) {
        unsigned d = 5 - rank + i;
        int64_t offset = tw__as_integer(operand(run, code, 1 + i)),
                size = tw__as_integer(operand(run, code, 1 + rank + i));
        int64_t written = code->types[0].rank == rank ? code->types[0].dims[i] : -1,
                extent = (int64_t)from->tensor.shape[d];
        if (offset < 0 || size < 0 || offset > extent || size > extent - offset)
            return tw__fail(TW_E_INDEX,
                            "%s: [%" PRId64 ", +%" PRId64 ") is outside the extent %" PRId64 " of dimension %u",
                            code->op->name, offset, size, extent, i);
        if (written >= 0 && written != size)
            return tw__fail(TW_E_INVALID_ARGUMENT,
                            "%s: size %" PRId64 " of dimension %u and %" PRId64 " in the type", code->op->name,
                            size, i, written);
        part.tensor.shape[d] = (size_t)size;
        part.tensor.data =
            (void *)((uintptr_t)part.tensor.data +
                     (uintptr_t)offset * (uintptr_t)from->tensor.stride[d] * tw_type_size(part.tensor.type));
    }
    run->cell[code->result[0]] = part;
    return TW_OK;
}

static tw_status run_view_dim(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *v = operand(run, code, 0);
    int64_t d = tw__as_integer(operand(run, code, 1));
    if ((v->kind != TW__AS_VIEW && v->kind != TW__AS_PART) || d < 0 || d >= (int64_t)v->rank)
        return tw__fail(TW_E_INDEX, "%s: no dimension %" PRId64, code->op->name, d);
    unsigned at = 5 - v->rank + (unsigned)d;
    return set_integer(run, code, code->number ? (int64_t)v->tensor.stride[at] : (int64_t)v->tensor.shape[at]);
}

/* --- tiles ------------------------------------------------------------------------------------------------------------- */

static tw_status need_tile(tw__as_run *run, const tw__as_code *code, unsigned i)
{
    if (operand(run, code, i)->kind == TW__AS_TILE) return TW_OK;
    run->blame = i;
    return tw__fail(TW_E_TYPE, "%s: operand %u is not a tile", code->op->name, i + 1);
}

static tw_status set_extent(uint32_t *valid, uint32_t most, int64_t value, const char *name)
{
    if (value < 0 || value > most)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: a valid extent of %" PRId64 " in %u", name, value, most);
    *valid = (uint32_t)value;
    return TW_OK;
}

static tw_status run_alloc(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (code->types[0].kind != TW__AS_TILE) return tw__fail(TW_E_TYPE, "%s: not a tile type", code->op->name);
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_release(run->core, &cell->tile);
    *cell = (tw__as_cell){ .kind = TW__AS_TILE, .tile = code->types[0].tile, .rank = 1 };
    unsigned i = (code->number & 1) != 0;
    tw_status status = TW_OK;
    if (code->number & 2)
        status = set_extent(&cell->tile.valid_rows, cell->tile.rows, tw__as_integer(operand(run, code, i++)),
                            code->op->name);
    if (code->number & 4 && status == TW_OK)
        status = set_extent(&cell->tile.valid_cols, cell->tile.cols, tw__as_integer(operand(run, code, i)),
                            code->op->name);
    if (code->number & 1 && status == TW_OK)
        status = tw_pto_assign(run->core, &cell->tile, (uint64_t)tw__as_integer(operand(run, code, 0)));
    return status;
}

static tw_status run_assign(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_tile(run, code, 0);
    if (status != TW_OK) return status;
    uint64_t address = code->number      ? (uint64_t)code->number - 1
                       : code->count > 1 ? natural(operand(run, code, 1))
                                         : 0;
    tw__as_cell *tile = operand(run, code, 0);
    status = tw_pto_assign(run->core, &tile->tile, address);
    if (status == TW_OK && code->result_count) {
        tw__as_cell copy = *tile;
        copy.rank = 0;
        run->cell[code->result[0]] = copy;
    }
    return status;
}

static tw_status run_subset(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_tile(run, code, 0);
    if (status != TW_OK) return status;
    if (code->parts[1] != 2)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: a corner of two numbers is needed", code->op->name);
    tw__as_cell window = { .kind = TW__AS_TILE, .tile = code->types[0].tile };
    int64_t row = tw__as_integer(operand(run, code, 1)), col = tw__as_integer(operand(run, code, 2));
    if (row < 0 || col < 0 || row > UINT32_MAX || col > UINT32_MAX)
        return tw__fail(TW_E_INDEX, "%s: corner (%" PRId64 ", %" PRId64 ")", code->op->name, row, col);
    window.tile.place = window.tile.offset = 0;
    status = tw_pto_window(run->core, &window.tile, &operand(run, code, 0)->tile, (uint32_t)row, (uint32_t)col);
    run->cell[code->result[0]] = window;
    return status;
}

static tw_status run_set_valid(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &operand(run, code, 0)->tile;
    status = set_extent(&t->valid_rows, t->rows, tw__as_integer(operand(run, code, 1)), code->op->name);
    return status == TW_OK
               ? set_extent(&t->valid_cols, t->cols, tw__as_integer(operand(run, code, 2)), code->op->name)
               : status;
}

/* Linear index into the storage of a tile in vector memory. */
static unsigned char *tile_element(tw__as_run *run, const tw__as_code *code, tw_pto_tile *t, int64_t index)
{
    unsigned char *storage = tw_pto_data(run->core, t);
    size_t size = tw_type_size(t->type);
    if (!storage) return NULL;
    if (t->location == TW_PTO_VEC && tw_type_get(t->type)->bits >= 8 && index >= 0 && t->base_rows == 0 &&
        (uint64_t)index < tw_pto_tile_bytes(t) / size)
        return storage + (size_t)index * size;
    tw__fail(TW_E_INDEX, "%s: element %" PRId64 " of a tile of %zu bytes", code->op->name, index,
             tw_pto_tile_bytes(t));
    return NULL;
}

static tw_status run_getval(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &operand(run, code, 0)->tile;
    const unsigned char *at = tile_element(run, code, t, tw__as_integer(operand(run, code, 1)));
    tw__as_cell *out = &run->cell[code->result[0]];
    if (!at) return TW_E_INDEX;
    if (tw_type_size(code->types[0].element) != tw_type_size(t->type))
        return tw__fail(TW_E_TYPE, "%s: the types differ in size", code->op->name);
    tw_pto_scalar value = { .type = code->types[0].element };
    memcpy(&value.bits, at, tw_type_size(t->type));
    out->kind = TW__AS_SCALAR;
    out->scalar = value;
    return TW_OK;
}

static tw_status run_setval(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_tile(run, code, 2);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &operand(run, code, 2)->tile;
    unsigned char *at = tile_element(run, code, t, tw__as_integer(operand(run, code, 0)));
    if (!at) return TW_E_INDEX;
    memcpy(at, &operand(run, code, 1)->scalar.bits, tw_type_size(t->type));
    return TW_OK;
}

static tw_status run_print_tile(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &operand(run, code, 0)->tile;
    if (!tw_pto_data(run->core, t)) return TW_E_TILE_MEMORY;
    if (run->out) tw__pto_print_tile(run->out, run->core, t, 64, 64);
    return TW_OK;
}

static tw_status run_print(tw__as_run *run, const tw__as_code *code)
{
    for (unsigned i = 0; run->out && i < code->count; i++) {
        const tw_pto_scalar *s = &operand(run, code, i)->scalar;
        fprintf(run->out, "%s%.9g", i ? " " : "", tw_type_load(s->type, &s->bits));
    }
    if (run->out) fputc('\n', run->out);
    return TW_OK;
}

static tw_status run_trap(tw__as_run *run, const tw__as_code *code)
{
    (void)run;
    return tw__fail(TW_E_APPLICATION, "%s: the program stopped itself", code->op->name);
}

/* --- flags, identity ---------------------------------------------------------------------------------------------------- */

typedef enum sync { SET, WAIT, BARRIER } sync;

static tw_status run_sync(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_pipe from = (tw_pto_pipe)(code->number & 255), to = (tw_pto_pipe)(code->number >> 8 & 255);
    unsigned id = (unsigned)(code->number >> 16 & 255);
    const char *name = code->op->name;
    if (strstr(name, "barrier")) return tw_pto_barrier(run->core, from);
    return strstr(name, "wait") ? tw_pto_wait_flag(run->core, from, to, id)
                                : tw_pto_set_flag(run->core, from, to, id);
}

enum { BLOCK_IDX, BLOCK_NUM, SUB_IDX, SUB_NUM };
static tw_status run_identity(tw__as_run *run, const tw__as_code *code)
{
    const int64_t values[] = { run->block, run->blocks, 0, 1 };
    return set_integer(run, code, values[code->number]);
}

static const tw__as_host hosts[] = {
    { "arith.constant", run_constant, "c*", 0 },
    { "arith.addi", run_arith, "c2", ADD },
    { "arith.subi", run_arith, "c2", SUB },
    { "arith.muli", run_arith, "c2", MUL },
    { "arith.divsi", run_arith, "c2", DIVS },
    { "arith.divui", run_arith, "c2", DIVU },
    { "arith.remsi", run_arith, "c2", REMS },
    { "arith.remui", run_arith, "c2", REMU },
    { "arith.ceildivsi", run_arith, "c2", CEILDIV },
    { "arith.floordivsi", run_arith, "c2", FLOORDIV },
    { "arith.minsi", run_arith, "c2", MINS },
    { "arith.maxsi", run_arith, "c2", MAXS },
    { "arith.minui", run_arith, "c2", MINU },
    { "arith.maxui", run_arith, "c2", MAXU },
    { "arith.andi", run_arith, "c2", AND },
    { "arith.ori", run_arith, "c2", OR },
    { "arith.xori", run_arith, "c2", XOR },
    { "arith.shli", run_arith, "c2", SHL },
    { "arith.shrsi", run_arith, "c2", SHRS },
    { "arith.shrui", run_arith, "c2", SHRU },
    { "arith.cmpi", run_cmpi, "bp", 0 },
    { "arith.cmpf", run_cmpf, "bp", 0 },
    { "arith.addf", run_float, "c2", 0 },
    { "arith.subf", run_float, "c2", 1 },
    { "arith.mulf", run_float, "c2", 2 },
    { "arith.divf", run_float, "c2", 3 },
    { "arith.minimumf", run_float, "c2", 4 },
    { "arith.maximumf", run_float, "c2", 5 },
    { "arith.select", run_select, "c3", 0 },
    { "arith.index_cast", run_cast, "t1", CAST_SIGNED },
    { "arith.index_castui", run_cast, "t1", CAST_UNSIGNED },
    { "arith.extsi", run_cast, "t1", CAST_SIGNED },
    { "arith.extui", run_cast, "t1", CAST_UNSIGNED },
    { "arith.trunci", run_cast, "t1", CAST_UNSIGNED },
    { "arith.bitcast", run_cast, "t1", CAST_BITS },
    { "arith.sitofp", run_cast, "t1", CAST_VALUE },
    { "arith.fptosi", run_cast, "t1", CAST_VALUE },
    { "arith.extf", run_cast, "t1", CAST_VALUE },
    { "arith.truncf", run_cast, "t1", CAST_VALUE },
    { "pto.addptr", run_addptr, "a2", 0 },
    { "pto.load_scalar", run_load_scalar, "a*", 0 },
    { "pto.store_scalar", run_store_scalar, "n*", 0 },
    { "pto.make_tensor_view", run_make_view, "cV", 0 },
    { "pto.partition_view", run_partition, "a*", 0 },
    { "pto.get_tensor_view_dim", run_view_dim, "i2", 0 },
    { "pto.get_tensor_view_stride", run_view_dim, "i2", 1 },
    { "pto.alloc_tile", run_alloc, "cA", 0 },
    { "pto.tassign", run_assign, "n*", 0 },
    { "pto.subset", run_subset, "w*", 0 },
    { "pto.set_validshape", run_set_valid, "n3", 0 },
    { "pto.tgetval", run_getval, "o2", 0 },
    { "pto.tsetval", run_setval, "n3", 0 },
    { "pto.tprint", run_print_tile, "n1", 0 },
    { "pto.print", run_print, "n*", 0 },
    { "pto.trap", run_trap, "n0", 0 },
    { "pto.set_flag", run_sync, "nP", SET },
    { "pto.wait_flag", run_sync, "nP", WAIT },
    { "pto.record_event", run_sync, "nP", SET },
    { "pto.wait_event", run_sync, "nP", WAIT },
    { "pto.barrier", run_sync, "nP", BARRIER },
    { "pto.barrier_sync", run_sync, "nP", BARRIER },
    { "pto.get_block_idx", run_identity, "6*", BLOCK_IDX },
    { "pto.get_block_num", run_identity, "6*", BLOCK_NUM },
    { "pto.get_subblock_idx", run_identity, "6*", SUB_IDX },
    { "pto.get_subblock_num", run_identity, "6*", SUB_NUM },
};

const tw__as_host *tw__as_host_of(const char *name)
{
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        bool pto = strncmp(hosts[i].name, "pto.", 4) == 0;
        if (strcmp(name, hosts[i].name) == 0 || (pto && strcmp(name, hosts[i].name + 4) == 0)) return &hosts[i];
    }
    return NULL;
}
