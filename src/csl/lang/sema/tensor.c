/* SPDX-License-Identifier: MIT */
/* Tensor access expressions |i, j|{n, m} -> a[f(i, j), g(i, j)]: affine maps from induction variables to elements,
 * as the struct {base_address, offset, stride, extent} that they are short for (vendor document "DSDs",
 * "tensor_access"). */
#include "csl/lang/sema/local.h"

enum { MAX_VARIABLES = 4 };

typedef struct {
    int64_t constant, factor[MAX_VARIABLES];
} affine;

typedef struct {
    sema *s;
    const node *tensor;
    unsigned variables;
    const node *name[MAX_VARIABLES];
} scope;

static int variable_of(const scope *in, const node *n)
{
    if (n->kind != TW__CSL_NAME || !strcmp(tw__csl_name_text(in->s, n->name), "_")) return -1;
    for (unsigned i = 0; i < in->variables; i++)
        if (in->name[i]->name == n->name) return (int)i;
    return -1;
}

static bool mentions(const scope *in, const node *n)
{
    if (!n) return false;
    if (variable_of(in, n) >= 0) return true;
    bool leaf =
        n->kind == TW__CSL_INT || n->kind == TW__CSL_FLOAT || n->kind == TW__CSL_STRING || n->kind == TW__CSL_BOOL;
    for (uint32_t i = 0; !leaf && i < n->count; i++)
        if (mentions(in, n->kid[i])) return true;
    return false;
}

static bool fits(int64_t x) /* beyond any PE's memory, and far from overflow */
{
    return x >= -(1 << 24) && x <= 1 << 24;
}

static bool affine_of(const scope *in, const node *n, affine *out);

static bool not_affine(const scope *in, const node *n)
{
    tw__csl_error(in->s, n, "csl.affine", "an index must be affine: induction variables times constants, added up");
    return false;
}

/* a * b where at least one is a constant. */
static bool tensor_product(const scope *in, const node *n, const affine *a, const affine *b, affine *out)
{
    bool a_varies = mentions(in, n->kid[0]), b_varies = mentions(in, n->kid[1]);
    if (a_varies && b_varies) return not_affine(in, n);
    const affine *map = a_varies ? a : b;
    int64_t by = a_varies ? b->constant : a->constant;
    out->constant = map->constant * by;
    for (unsigned i = 0; i < in->variables; i++) out->factor[i] = map->factor[i] * by;
    return true;
}

static bool affine_binary(const scope *in, const node *n, affine *out)
{
    affine a, b;
    int64_t sign = n->op == TW__CSL_T_MINUS ? -1 : 1;
    if (n->op != TW__CSL_T_PLUS && n->op != TW__CSL_T_MINUS && n->op != TW__CSL_T_STAR) return not_affine(in, n);
    if (!affine_of(in, n->kid[0], &a) || !affine_of(in, n->kid[1], &b)) return false;
    if (n->op == TW__CSL_T_STAR) return tensor_product(in, n, &a, &b, out);
    out->constant = a.constant + sign * b.constant;
    for (unsigned i = 0; i < in->variables; i++) out->factor[i] = a.factor[i] + sign * b.factor[i];
    return true;
}

static bool affine_of(const scope *in, const node *n, affine *out)
{
    *out = (affine){ 0 };
    int variable = variable_of(in, n);
    if (variable >= 0) {
        out->factor[variable] = 1;
        return true;
    }
    if (!mentions(in, n))
        return tw__csl_comptime_int_in(in->s, n, "the constant part of an index", -(1 << 24), 1 << 24,
                                       &out->constant);
    bool good;
    if (n->kind == TW__CSL_BINARY) {
        good = affine_binary(in, n, out);
    } else if (n->kind == TW__CSL_UNARY && n->op == TW__CSL_T_MINUS) {
        good = affine_of(in, n->kid[0], out);
        out->constant = -out->constant;
        for (unsigned i = 0; i < in->variables; i++) out->factor[i] = -out->factor[i];
    } else if (n->kind == TW__CSL_BUILTIN && n->count == 2 && !mentions(in, n->kid[0]) &&
               !strcmp(tw__csl_name_text(in->s, n->name), "as")) {
        good = affine_of(in, n->kid[1], out);
    } else {
        good = not_affine(in, n);
    }
    if (!good) return false;
    bool small = fits(out->constant);
    for (unsigned i = 0; i < in->variables; i++) small = small && fits(out->factor[i]);
    if (!small) tw__csl_error(in->s, n, "csl.range", "this index leaves every PE's memory");
    return small;
}

/* --- the array ------------------------------------------------------------------------------------------------ */

/* The array that is accessed: its address (an operand of pointer type) and its type. A rank of 1 with unknown
 * length for [*]T. NULL after an error. */
static const type *array_of(sema *s, const node *base, operand *address)
{
    operand o = tw__csl_expr(s, base, NULL);
    if (tw__csl_is_nothing(&o)) return NULL;
    if (o.type->kind == TW__CSL_TY_ARRAY) {
        *address = tw__csl_address_of(s, base);
        return tw__csl_is_nothing(address) ? NULL : o.type;
    }
    o = tw__csl_rvalue(s, base, o);
    if (tw__csl_is_nothing(&o)) return NULL;
    *address = o;
    if (o.type->kind == TW__CSL_TY_POINTER && o.type->many) return o.type;
    if (o.type->kind == TW__CSL_TY_POINTER && o.type->base->kind == TW__CSL_TY_ARRAY) return o.type->base;
    tw__csl_error(s, base, "csl.type", "a tensor access needs an array or a pointer to one, not %s",
                  TYPE_TEXT(o.type));
    return NULL;
}

/* Sum of index * elements per index over the dimensions, row-major. */
static bool linear_index(const scope *in, const node *access, const type *array, affine *out)
{
    size_t rank = array->kind == TW__CSL_TY_ARRAY ? array->count : 1;
    if (access->count - 1 != rank) {
        tw__csl_error(in->s, access, "csl.affine", "%s has %zu dimension%s, the access has %u", TYPE_TEXT(array),
                      rank, rank == 1 ? "" : "s", access->count - 1);
        return false;
    }
    int64_t step = 1;
    *out = (affine){ 0 };
    for (size_t d = rank; d-- > 0;) {
        affine index;
        if (!affine_of(in, access->kid[d + 1], &index)) return false;
        out->constant += index.constant * step;
        for (unsigned i = 0; i < in->variables; i++) out->factor[i] += index.factor[i] * step;
        if (rank > 1) step *= array->dims[d];
    }
    return true;
}

/* Tuple of numbers, of type i16 or u16. */
static operand tuple(sema *s, const type *t, unsigned count, const int64_t *numbers)
{
    operand parts[MAX_VARIABLES];
    for (unsigned i = 0; i < count; i++) parts[i] = tw__csl_known(tw__csl_of_int(t, numbers[i]));
    return tw__csl_compose_named(s, count, NULL, parts);
}

static bool extents_of(const scope *in, int64_t *extent)
{
    for (unsigned i = 0; i < in->variables; i++)
        if (!tw__csl_comptime_int_in(in->s, in->tensor->kid[1 + in->variables + i], "the length of a tensor access",
                                     0, UINT16_MAX, &extent[i]))
            return false;
    return true;
}

/* What is added, in elements, when a dimension advances: fastest dimension first, the return of the faster ones to
 * their start included (vendor document "DSDs", mem4d). */
static bool strides_of(const scope *in, const affine *map, const int64_t *extent, int64_t *stride)
{
    for (unsigned k = 0; k < in->variables; k++) {
        unsigned d = in->variables - 1 - k; /* slowest first in the text */
        stride[k] = map->factor[d];
        for (unsigned faster = d + 1; faster < in->variables; faster++)
            stride[k] -= map->factor[faster] * (extent[faster] - 1);
        if (stride[k] >= INT16_MIN && stride[k] <= INT16_MAX) continue;
        tw__csl_error(in->s, in->name[d], "csl.range", "'%s' advances by %lld elements; a DSD's stride has 16 bits",
                      tw__csl_name_text(in->s, in->name[d]->name), (long long)stride[k]);
        return false;
    }
    return true;
}

operand tw__csl_tensor_access(sema *s, const node *tensor)
{
    scope in = { .s = s, .tensor = tensor };
    const node *access = tensor->kid[0];
    unsigned variables = tensor->aux, lengths = tensor->count - 1 - variables;
    if (variables > MAX_VARIABLES)
        return tw__csl_error(s, tensor->kid[1 + MAX_VARIABLES], "csl.affine",
                             "a tensor access has at most %d induction variables", MAX_VARIABLES);
    if (lengths != variables)
        return tw__csl_error(s, tensor->kid[1 + variables], "csl.affine",
                             "%u induction variable%s and %u length%s: each variable has one length", variables,
                             variables == 1 ? "" : "s", lengths, lengths == 1 ? "" : "s");
    for (; in.variables < variables; in.variables++) {
        const node *name = in.name[in.variables] = tensor->kid[1 + in.variables];
        if (variable_of(&in, name) >= 0)
            return tw__csl_error(s, name, "csl.affine", "two induction variables are called '%s'",
                                 tw__csl_name_text(s, name->name));
    }
    operand address;
    affine map;
    int64_t extent[MAX_VARIABLES], stride[MAX_VARIABLES];
    const type *array = array_of(s, access->kid[0], &address);
    if (!array || !linear_index(&in, access, array, &map) || !extents_of(&in, extent) ||
        !strides_of(&in, &map, extent, stride))
        return tw__csl_nothing();
    if (map.constant < INT16_MIN || map.constant > INT16_MAX)
        return tw__csl_error(s, access, "csl.range",
                             "the first element is %lld elements away; a DSD's offset has 16 bits",
                             (long long)map.constant);
    static const char *const names[] = { "base_address", "offset", "stride", "extent" };
    operand parts[] = { address, tw__csl_known(tw__csl_of_int(&tw__csl_t_i16, map.constant)),
                        tuple(s, &tw__csl_t_i16, in.variables, stride),
                        tuple(s, &tw__csl_t_u16, in.variables, extent) };
    return tw__csl_compose_named(s, 4, names, parts);
}
