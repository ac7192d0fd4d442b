/* SPDX-License-Identifier: MIT */
/* views: pointers into arguments and views on them. A pointer knows the memory of its argument: nothing outside is
 * read or written, whatever a view says. How many operands there are and of what type, the rows below have
 * settled. */
#include "pto/text/ops/ops.h"

#include <inttypes.h>

tw_status tw__as_need_pointer(tw__as_run *run, const tw__as_code *code, unsigned i)
{
    if (tw__as_operand(run, code, i)->kind == TW__AS_PTR && tw__as_operand(run, code, i)->wide->ptr.base)
        return TW_OK;
    run->blame = i;
    return tw__fail(TW_E_INVALID_ARGUMENT,
                    "%s: operand %u is not a pointer with memory behind it (bind it with --arg)", code->op->name,
                    i + 1);
}

static tw_status run_addptr(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    tw__as_cell *out = &run->cell[code->result[0]], *from = tw__as_operand(run, code, 0);
    int64_t by, at;
    if (__builtin_mul_overflow(tw__as_integer(tw__as_operand(run, code, 1)),
                               (int64_t)tw_type_size(from->wide->ptr.type), &by) ||
        __builtin_add_overflow(from->wide->ptr.at, by, &at))
        return tw__fail(TW_E_INDEX, "%s: the address overflows", code->op->name);
    tw__as_copy(out, from);
    out->wide->ptr.at = at;
    return TW_OK;
}

/* Memory of one element, NULL with a message when it lies outside. */
static unsigned char *views_element(const tw__as_code *code, const tw__as_cell *p, int64_t index)
{
    int64_t size = (int64_t)tw_type_size(p->wide->ptr.type), at;
    if (__builtin_mul_overflow(index, size, &at) || __builtin_add_overflow(at, p->wide->ptr.at, &at) || at < 0 ||
        (uint64_t)at + (uint64_t)size > p->wide->ptr.bytes) {
        tw__fail(TW_E_INDEX, "%s: element %" PRId64 " lies outside the %zu bytes behind the pointer",
                 code->op->name, index, p->wide->ptr.bytes);
        return NULL;
    }
    return p->wide->ptr.base + at;
}

static tw_status run_load_scalar(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    const tw__as_cell *p = tw__as_operand(run, code, 0);
    const unsigned char *at = views_element(code, p, tw__as_integer(tw__as_operand(run, code, 1)));
    tw__as_cell *out = &run->cell[code->result[0]];
    if (!at) return TW_E_INDEX;
    tw_pto_scalar value = { .type = p->wide->ptr.type };
    memcpy(&value.bits, at, tw_type_size(value.type));
    value.type = code->types[0]->element;
    out->kind = TW__AS_SCALAR;
    out->scalar = value;
    return TW_OK;
}

static tw_status run_store_scalar(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_pointer(run, code, 1);
    if (status != TW_OK) return status;
    const tw__as_cell *p = tw__as_operand(run, code, 1);
    unsigned char *at = views_element(code, p, tw__as_integer(tw__as_operand(run, code, 2)));
    if (!at) return TW_E_INDEX;
    memcpy(at, &tw__as_operand(run, code, 0)->scalar.bits, tw_type_size(p->wide->ptr.type));
    return TW_OK;
}

/* Views have rank 1 to 5 in text and 5 in the library: leading extents are 1. */
static tw_status run_make_view(tw__as_run *run, const tw__as_code *code)
{
    unsigned rank = code->more->parts[1];
    tw_status status = tw__as_need_pointer(run, code, 0);
    if (status != TW_OK) return status;
    const tw__as_cell *p = tw__as_operand(run, code, 0);
    tw_pto_tensor view = { .type = code->types[0]->element, .layout = (tw_pto_layout)code->number };
    if (!tw__as_same_element(view.type, p->wide->ptr.type))
        return tw__fail(TW_E_TYPE, "%s: the pointer is to %s, the view of %s: pto.castptr gives another pointer",
                        code->op->name, tw_type_name(p->wide->ptr.type, TW_SYSTEM_PTO),
                        tw_type_name(view.type, TW_SYSTEM_PTO));
    for (unsigned d = 0; d < 5; d++) {
        int64_t extent = d < 5 - rank ? 1 : tw__as_integer(tw__as_operand(run, code, 1 + d - (5 - rank)));
        int64_t stride = d < 5 - rank ? 0 : tw__as_integer(tw__as_operand(run, code, 1 + rank + d - (5 - rank)));
        int64_t written = d < 5 - rank ? -1 : code->types[0]->dims[d - (5 - rank)];
        if (extent < 0 || extent > INT32_MAX || stride < -INT32_MAX || stride > INT32_MAX ||
            (written >= 0 && written != extent))
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: extent %" PRId64 " or stride %" PRId64 " of dimension %u",
                            code->op->name, extent, stride, d);
        view.shape[d] = (size_t)extent;
        view.stride[d] = (ptrdiff_t)stride;
    }
    if (p->wide->ptr.at < 0 || (uint64_t)p->wide->ptr.at > p->wide->ptr.bytes)
        return tw__fail(TW_E_INDEX, "%s: the pointer lies outside its memory", code->op->name);
    view.data = p->wide->ptr.base + p->wide->ptr.at;
    view.window = (tw_window){ p->wide->ptr.base, p->wide->ptr.bytes ? p->wide->ptr.bytes : 1 };
    tw__as_set_wide(&run->cell[code->result[0]], TW__AS_VIEW, rank)->tensor = view;
    return TW_OK;
}

static tw_status run_partition(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *from = tw__as_operand(run, code, 0);
    unsigned rank = code->more->parts[1];
    tw_pto_tensor part = from->wide->tensor;
    int64_t at = (int64_t)((uintptr_t)part.data - (uintptr_t)part.window.base); /* it may lie outside, as yet */
    for (unsigned i = 0; i < rank; i++) {
        unsigned d = 5 - rank + i;
        int64_t offset = tw__as_integer(tw__as_operand(run, code, 1 + i)),
                size = tw__as_integer(tw__as_operand(run, code, 1 + rank + i));
        int64_t written = code->types[0]->rank == rank ? code->types[0]->dims[i] : -1,
                extent = (int64_t)from->wide->tensor.shape[d];
        if (offset < 0 || size < 0 || offset > extent || size > extent - offset)
            return tw__fail(TW_E_INDEX,
                            "%s: [%" PRId64 ", +%" PRId64 ") is outside the extent %" PRId64 " of dimension %u",
                            code->op->name, offset, size, extent, i);
        if (written >= 0 && written != size)
            return tw__fail(TW_E_INVALID_ARGUMENT,
                            "%s: size %" PRId64 " of dimension %u and %" PRId64 " in the type", code->op->name,
                            size, i, written);
        part.shape[d] = (size_t)size;
        if (!tw__as_add_steps(&at, offset, part.stride[d] * (int64_t)tw_type_size(part.type)))
            return tw__fail(TW_E_INDEX, "%s: the part lies outside the %zu bytes behind its pointer",
                            code->op->name, part.window.bytes);
    }
    part.data = (void *)((uintptr_t)part.window.base + (uintptr_t)at);
    tw__as_set_wide(&run->cell[code->result[0]], TW__AS_PART, from->rank)->tensor = part;
    return TW_OK;
}

static tw_status run_view_dim(tw__as_run *run, const tw__as_code *code)
{
    const tw__as_cell *v = tw__as_operand(run, code, 0);
    int64_t d = tw__as_integer(tw__as_operand(run, code, 1));
    if (d < 0 || d >= (int64_t)v->rank) return tw__fail(TW_E_INDEX, "%s: no dimension %" PRId64, code->op->name, d);
    unsigned at = 5 - v->rank + (unsigned)d;
    return tw__as_set_integer(
        run, code, code->number ? (int64_t)v->wide->tensor.stride[at] : (int64_t)v->wide->tensor.shape[at]);
}

static bool bind_layout(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                        tw__as_type *type)
{
    (void)type;
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next) {
            char word[32] = "";
            if (i->has_value) tw__as_value_word(b, i->child, word, sizeof word);
            if (!i->text || strcmp(i->text, "layout") != 0)
                return tw__as_refuse(b, i, op, "pto.attribute", "%s has only the attribute 'layout'", op->name),
                       false;
            bool known = false;
            if (i->has_value && !tw__as_is_class(b, i->child, "layout "))
                return tw__as_refuse(b, i->child, op, "pto.attribute", "'layout' takes #pto.layout<...>"), false;
            for (int l = 0; l < TW_PTO_LAYOUTS; l++)
                if (g_ascii_strcasecmp(word, tw_pto_layout_name((tw_pto_layout)l)) == 0)
                    known = true, code->number = l;
            if (!known)
                return tw__as_refuse(b, i->has_value ? i->child : i, op, "pto.attribute",
                                     "'%s' is not a layout: nd, dn, nz, ...", word),
                       false;
        }
    return true;
}

const tw__as_host tw__as_view_ops[] = {
    // clang-format off
    { "pto.addptr", run_addptr, 0, TW__GIVES_ARROW, 2, 2, "pi", NULL, "", "0", NULL, tw__as_rule_same,
      "%q = pto.addptr %p, %offset : pointer -> pointer" },
    { "pto.load_scalar", run_load_scalar, 0, TW__GIVES_ARROW, 1, 1, "pi", "1", "", "0", NULL, tw__as_rule_load,
      "%x = pto.load_scalar %p[%i] : pointer -> type" },
    { "pto.store_scalar", run_store_scalar, 0, TW__GIVES_NOTHING, 2, 2, "npi", "1", "", "10", NULL, tw__as_rule_store,
      "pto.store_scalar %x, %p[%i] : pointer, type" },
    { "pto.make_tensor_view", run_make_view, 0, TW__GIVES_LAST, 1, 1, "pi", "shape ;strides ", "{}", ".", bind_layout, tw__as_rule_view,
      "%v = pto.make_tensor_view %p, shape = [...], strides = [...] : view" },
    { "pto.partition_view", run_partition, 0, TW__GIVES_ARROW, 1, 1, "vi", "offsets ;sizes ", "", "0", NULL, tw__as_rule_part,
      "%w = pto.partition_view %v, offsets = [...], sizes = [...] : view -> part" },
    { "pto.get_tensor_view_dim", run_view_dim, 0, TW__GIVES_INDEX, 2, 2, "vi", NULL, "", "0", NULL, tw__as_rule_dimension,
      "%n = pto.get_tensor_view_dim %v, %dimension : view -> index" },
    { "pto.get_tensor_view_stride", run_view_dim, 1, TW__GIVES_INDEX, 2, 2, "vi", NULL, "", "0", NULL, tw__as_rule_dimension,
      "%n = pto.get_tensor_view_stride %v, %dimension : view -> index" },
    { 0 }
    // clang-format on
};
