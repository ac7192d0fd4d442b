/* SPDX-License-Identifier: MIT */
/* Builtins that make a DSD from a DSD, at compile time or at run time; the lengths of FIFOs, which change in
 * place. */
#include "csl/lang/dsd/local.h"

typedef enum { BASE, OFFSET, LENGTH, STRIDE } what_changes;

static const struct {
    const char *name;
    uint8_t changes, arguments;
} rows[] = { { "set_dsd_base_addr", BASE, 2 },
             { "increment_dsd_offset", OFFSET, 3 },
             { "set_dsd_length", LENGTH, 2 },
             { "set_dsd_stride", STRIDE, 2 } };

/* May this DSD be changed so? */
static bool kind_ok(sema *s, const node *call, what_changes changes, const type *t)
{
    const char *name = tw__dsd_builtin_name(s, call), *got = TYPE_TEXT(t);
    const node *at = call->kid[0];
    bool memory = t->kind == TW__CSL_TY_MEM1D_DSD || t->kind == TW__CSL_TY_MEM4D_DSD;
    if (!tw__csl_is_dsd(t)) {
        tw__csl_error(s, at, "csl.type", "%s needs a DSD, not %s", name, got);
        if (t->kind == TW__CSL_TY_FIFO && changes == LENGTH)
            tw__csl_note(s, at, "FIFOs have @set_fifo_read_length and @set_fifo_write_length");
    } else if ((changes == BASE || changes == OFFSET) && !memory) {
        tw__csl_error(s, at, "csl.type", "%s needs a memory DSD, not %s", name, got);
    } else if (changes == STRIDE && t->kind != TW__CSL_TY_MEM1D_DSD) {
        tw__csl_error(s, at, "csl.type", "%s needs a mem1d_dsd, not %s", name, got);
    } else if (changes == LENGTH && t->kind == TW__CSL_TY_MEM4D_DSD) {
        tw__csl_error(s, at, "csl.type", "%s takes every DSD but mem4d_dsd, which has a length per dimension",
                      name);
    } else {
        return true;
    }
    return false;
}

/* The new base: an array by its name, or a pointer. */
static operand new_base(sema *s, const node *at, const char *what)
{
    operand o = tw__csl_expr(s, at, NULL);
    if (tw__csl_is_nothing(&o)) return o;
    bool array = o.type->kind == TW__CSL_TY_ARRAY;
    if (array && tw__dsd_element(o.type)) return tw__csl_address_of(s, at);
    if (!array) o = tw__csl_rvalue(s, at, o);
    bool scalar = o.type->kind == TW__CSL_TY_POINTER && !o.type->many && tw__csl_is_number(o.type->base);
    if (scalar)
        return tw__csl_error(s, at, "csl.type",
                             "%s must be an array or a pointer to one, not %s: write the array's name, or a [*] "
                             "pointer",
                             what, TYPE_TEXT(o.type));
    if (tw__csl_is_nothing(&o) || (o.type->kind == TW__CSL_TY_POINTER && tw__dsd_element(o.type->base))) return o;
    return tw__csl_error(s, at, "csl.type",
                         "%s must be an array of, or a pointer to, numbers of 16 or 32 bits, not %s", what,
                         TYPE_TEXT(o.type));
}

/* Bytes of the element type of @increment_dsd_offset; 0 after an error. */
static uint32_t element_bytes(sema *s, const node *at)
{
    const type *t = tw__csl_type_expr(s, at);
    if (!t) return 0;
    if ((t->kind == TW__CSL_TY_INT || t->kind == TW__CSL_TY_FLOAT) && (t->size == 2 || t->size == 4))
        return t->size;
    tw__csl_error(s, at, "csl.type", "the element type must be a 16- or 32-bit number, not %s", TYPE_TEXT(t));
    return 0;
}

static operand change_known(sema *s, const node *call, what_changes changes, const operand *d, const operand *by,
                            uint32_t bytes)
{
    tw__csl_dsd_value v = *d->value.dsd;
    tw__csl_int length = by->value.i;
    switch (changes) {
    case BASE:
        v.base = by->value.pointer;
        v.element = tw__dsd_element(by->type->base);
        break;
    case OFFSET: v.base.offset += (int64_t)by->value.i * bytes; break;
    case STRIDE: v.packed.stride = (int16_t)by->value.i; break;
    case LENGTH:
        if (!tw__dsd_length(s, call->kid[1], "a length", &length)) return tw__csl_nothing();
        v.packed.length = (uint16_t)length;
    }
    return tw__dsd_known(s, d->type, &v);
}

operand tw__dsd_change(sema *s, const node *call, const type *expected)
{
    (void)expected;
    size_t row = 0;
    while (strcmp(rows[row].name, tw__csl_text(tw__csl_sema_ctx(s), call->name)) != 0) row++;
    what_changes changes = (what_changes)rows[row].changes;
    if (!tw__csl_arguments(s, call, rows[row].arguments, rows[row].arguments)) return tw__csl_nothing();
    operand d = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    if (tw__csl_is_nothing(&d) || !kind_ok(s, call, changes, d.type)) return tw__csl_nothing();
    const char *what = tw__dsd_argument(s, call, 1);
    static const type *const types[] = { NULL, &tw__csl_t_i16, &tw__csl_t_u16, &tw__csl_t_i8 };
    operand by = changes == BASE ? new_base(s, call->kid[1], what)
                                 : tw__csl_coerce(s, call->kid[1], tw__csl_expr(s, call->kid[1], types[changes]),
                                                  types[changes], what);
    uint32_t bytes = changes == OFFSET ? element_bytes(s, call->kid[2]) : 2;
    if (tw__csl_is_nothing(&by) || !bytes) return tw__csl_nothing();
    if (d.kind == TW__CSL_O_VALUE && by.kind == TW__CSL_O_VALUE)
        return change_known(s, call, changes, &d, &by, bytes);
    tw__csl_gen *g = tw__csl_sema_gen(s);
    if (!g)
        return tw__csl_error(s, call, "csl.comptime", "the arguments of %s are not known at compile time",
                             tw__dsd_builtin_name(s, call));
    static const uint16_t ops[] = { TW__CSL_I_DSD_BASE, TW__CSL_I_DSD_OFFSET16, TW__CSL_I_DSD_LENGTH,
                                    TW__CSL_I_DSD_STRIDE };
    unsigned op = changes == OFFSET && bytes == 4 ? TW__CSL_I_DSD_OFFSET32 : ops[changes];
    operand out = { .kind = TW__CSL_O_REGISTER, .type = d.type, .reg = tw__gen_register(g, d.type) };
    uint16_t from = tw__csl_to_register(s, call->kid[0], &d), amount = tw__csl_to_register(s, call->kid[1], &by);
    tw__gen_at(g, call);
    tw__gen_emit(g, op, out.reg, from, amount);
    return out;
}

operand tw__dsd_fifo_length(sema *s, const node *call, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, call, 2, 2)) return tw__csl_nothing();
    operand fifo = tw__csl_expr(s, call->kid[0], NULL);
    if (tw__csl_is_nothing(&fifo)) return fifo;
    if (fifo.kind != TW__CSL_O_VALUE || fifo.type->kind != TW__CSL_TY_FIFO)
        return tw__csl_error(s, call->kid[0], "csl.type", "%s must be a FIFO known at compile time, not %s",
                             tw__dsd_argument(s, call, 0), TYPE_TEXT(fifo.type));
    operand length = tw__csl_coerce(s, call->kid[1], tw__csl_expr(s, call->kid[1], &tw__csl_t_u16), &tw__csl_t_u16,
                                    tw__dsd_argument(s, call, 1));
    if (tw__csl_is_nothing(&length) || !tw__dsd_in_phase(s, call, TW__DSD_IN_RUNTIME)) return tw__csl_nothing();
    if (length.kind == TW__CSL_O_VALUE && !tw__dsd_length(s, call->kid[1], "the length of a FIFO", &length.value.i))
        return tw__csl_nothing();
    tw__csl_gen *g = tw__csl_sema_gen(s);
    bool read = !strcmp(tw__csl_text(tw__csl_sema_ctx(s), call->name), "set_fifo_read_length");
    uint16_t reg = tw__csl_to_register(s, call->kid[1], &length);
    tw__gen_at(g, call);
    tw__gen_emit(g, read ? TW__CSL_I_FIFO_READ_LENGTH : TW__CSL_I_FIFO_WRITE_LENGTH, fifo.value.dsd->fifo, reg, 0);
    return tw__csl_known(tw__csl_of_void());
}
