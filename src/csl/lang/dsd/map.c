/* SPDX-License-Identifier: MIT */
/* @map(callback, inputs..., output): a function called for each element (vendor document "Builtins", @map). */
#include "csl/lang/dsd/local.h"

static uint8_t elem_of(const type *t)
{
    if (t->kind == TW__CSL_TY_INT && (t->size == 2 || t->size == 4) && t->bits == t->size * 8)
        return t->size == 2 ? TW__CSL_E_I16 : TW__CSL_E_I32;
    return t == &tw__csl_t_f16 ? TW__CSL_E_F16 : t == &tw__csl_t_f32 ? TW__CSL_E_F32 : TW__CSL_E_NONE;
}

static bool map_refuse(sema *s, const node *call, uint32_t i, const char *why, const type *t)
{
    tw__csl_error(s, call->kid[i], "csl.map", "%s %s, not %s", tw__dsd_argument(s, call, i), why, TYPE_TEXT(t));
    return false;
}

/* A DSD or DSR as an operand of elements `t`. */
static bool vector(sema *s, const node *call, uint32_t i, const operand *o, const type *t, bool output,
                   tw__csl_arg *arg, uint8_t *file)
{
    uint8_t elem = elem_of(t);
    if (o->type->kind == TW__CSL_TY_FIFO) {
        tw__csl_error(s, call->kid[i], "csl.fifo", "a FIFO cannot be an operand of @map");
        return false;
    }
    if (elem == TW__CSL_E_NONE) {
        tw__csl_error(s, call->kid[i], "csl.map",
                      "%s holds elements, so the callback's %s must be i16, u16, i32, u32, f16 or f32, not %s",
                      tw__dsd_argument(s, call, i), output ? "result" : "parameter", TYPE_TEXT(t));
        return false;
    }
    if (tw__csl_is_dsr(o->type)) {
        int wanted = output ? TW__CSL_DSR_DEST : TW__CSL_DSR_SRC1;
        *file = (uint8_t)wanted;
        *arg = (tw__csl_arg){ TW__CSL_ARG_DSR, elem, (uint16_t)o->value.i };
        return tw__dsd_file_of(o->type) == wanted ||
               map_refuse(s, call, i, output ? "must be a dsr_dest" : "must be a dsr_src1", o->type);
    }
    if (output && o->type->kind == TW__CSL_TY_FABIN_DSD)
        return map_refuse(s, call, i, "is the output and must be a destination", o->type);
    if (!output && o->type->kind == TW__CSL_TY_FABOUT_DSD)
        return map_refuse(s, call, i, "is an input and must be a source", o->type);
    if (output) tw__dsd_warn_const(s, call, call->kid[i], o);
    *arg = (tw__csl_arg){ TW__CSL_ARG_DSD, elem, tw__csl_to_register(s, call->kid[i], o) };
    return true;
}

static bool input(sema *s, const node *call, uint32_t i, const type *t, tw__csl_map *map, bool *any)
{
    tw__csl_arg *arg = &map->input[i - 1];
    operand o = tw__csl_rvalue(s, call->kid[i], tw__csl_expr(s, call->kid[i], t));
    if (tw__csl_is_nothing(&o)) return false;
    map->is_signed[i - 1] = t->kind == TW__CSL_TY_INT && t->is_signed;
    if (tw__csl_is_dsd(o.type) || tw__csl_is_dsr(o.type) || o.type->kind == TW__CSL_TY_FIFO) {
        *any = true;
        return vector(s, call, i, &o, t, false, arg, &map->input_file[i - 1]);
    }
    o = tw__csl_coerce(s, call->kid[i], o, t, tw__dsd_argument(s, call, i));
    if (tw__csl_is_nothing(&o)) return false;
    if (tw__csl_is_aggregate(t)) return map_refuse(s, call, i, "must be a DSD, a number or a pointer", t);
    *arg = (tw__csl_arg){ t->kind == TW__CSL_TY_POINTER ? TW__CSL_ARG_POINTER : TW__CSL_ARG_SCALAR, 0,
                          tw__csl_to_register(s, call->kid[i], &o) };
    return true;
}

static bool output(sema *s, const node *call, const type *result, tw__csl_map *map, bool *any)
{
    uint32_t i = call->count - 1;
    operand o = tw__csl_rvalue(s, call->kid[i], tw__csl_expr(s, call->kid[i], NULL));
    if (tw__csl_is_nothing(&o)) return false;
    map->has_output = 1;
    if (tw__csl_is_dsd(o.type) || tw__csl_is_dsr(o.type) || o.type->kind == TW__CSL_TY_FIFO) {
        *any = true;
        return vector(s, call, i, &o, result, true, &map->output, &map->output_file);
    }
    bool good = o.type->kind == TW__CSL_TY_POINTER && !o.type->is_const && o.type->base == result;
    if (!good || elem_of(result) == TW__CSL_E_NONE)
        return map_refuse(s, call, i, "takes the callback's results and must be a DSD or a pointer to its type",
                          o.type);
    map->output = (tw__csl_arg){ TW__CSL_ARG_POINTER, elem_of(result), tw__csl_to_register(s, call->kid[i], &o) };
    return true;
}

static operand map_emit(sema *s, const node *call, const type *fn, const tw__csl_map *map)
{
    tw__csl_gen *g = tw__csl_sema_gen(s);
    tw__csl_program *p = tw__csl_sema_program(s);
    tw__csl_map *row = TW__CSL_PUSH(p, maps, map);
    if (!row) return tw__csl_nothing();
    *row = *map;
    tw__gen_at(g, call);
    uint32_t window = tw__gen_hold(g); /* the callback's parameters, then its frame */
    for (size_t i = 0; i < fn->count; i++) tw__gen_register(g, fn->params[i]);
    if (!fn->count) tw__gen_register(g, &tw__csl_t_u16);
    tw__gen_emit_wide(g, TW__CSL_I_MAP, window, (uint32_t)p->map_count - 1);
    g->barrier = (uint32_t)g->e.code_count;
    tw__gen_release(g, window);
    return tw__csl_known(tw__csl_of_void());
}

operand tw__dsd_map(sema *s, const node *call, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, call, 2, TW__CSL_MAP_INPUTS + 2) || !tw__dsd_in_phase(s, call, TW__DSD_IN_RUNTIME))
        return tw__csl_nothing();
    operand callback = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    if (tw__csl_is_nothing(&callback)) return callback;
    tw__csl_function *f = tw__csl_function_of(&callback);
    if (!f || f->is_task || callback.type->kind == TW__CSL_TY_POISON)
        return tw__csl_error(s, call->kid[0], "csl.map", "%s must be a function known at compile time, not %s",
                             tw__dsd_argument(s, call, 0), TYPE_TEXT(callback.type));
    const type *fn = callback.type->kind == TW__CSL_TY_POINTER ? callback.type->base : callback.type;
    if (fn->kind != TW__CSL_TY_FN)
        return tw__csl_error(s, call->kid[0], "csl.map",
                             "'%s' has comptime parameters; @map needs a plain function", f->name);
    bool has_result = fn->base->kind != TW__CSL_TY_VOID;
    uint32_t inputs = call->count - 1 - has_result;
    if (inputs != fn->count || inputs > TW__CSL_MAP_INPUTS)
        return tw__csl_error(s, call, "csl.arguments",
                             "@map with '%s' takes %zu input%s%s behind the function, got %u argument%s", f->name,
                             fn->count, fn->count == 1 ? "" : "s", has_result ? " and an output" : "",
                             call->count - 1, call->count == 2 ? "" : "s");
    tw__csl_map map = { .input_count = (uint8_t)inputs };
    bool any = false;
    for (uint32_t i = 1; i <= inputs; i++)
        if (!input(s, call, i, fn->params[i - 1], &map, &any)) return tw__csl_nothing();
    if (has_result && !output(s, call, fn->base, &map, &any)) return tw__csl_nothing();
    if (!any) return tw__csl_error(s, call, "csl.map", "@map needs at least one DSD or DSR");
    int function = tw__csl_function_index(s, call->kid[0], f);
    if (function < 0) return tw__csl_nothing();
    map.function = (uint32_t)function;
    return map_emit(s, call, fn, &map);
}
