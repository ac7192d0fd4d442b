/* SPDX-License-Identifier: MIT */
/* DSRs: registers that hold DSDs, named by the program (vendor document "Builtins", @get_dsr and @load_to_dsr). */
#include "csl/lang/dsd/local.h"

int tw__dsd_file_of(const type *t)
{
    switch (t->kind) {
    case TW__CSL_TY_DSR_DEST:
    case TW__CSL_TY_DSR_FIFO_DEST: return TW__CSL_DSR_DEST;
    case TW__CSL_TY_DSR_SRC0: return TW__CSL_DSR_SRC0;
    case TW__CSL_TY_DSR_SRC1:
    case TW__CSL_TY_DSR_FIFO_SRC1: return TW__CSL_DSR_SRC1;
    default: return -1;
    }
}

/* @get_dsr(kind, id or DSR), @get_xdsr(id), @get_sr(id) */
operand tw__dsd_get_dsr(sema *s, const node *call, const type *expected)
{
    (void)expected;
    const char *name = tw__csl_text(tw__csl_sema_ctx(s), call->name);
    bool plain = !strcmp(name, "get_dsr");
    if (!tw__csl_arguments(s, call, plain ? 2 : 1, plain ? 2 : 1)) return tw__csl_nothing();
    const type *t = plain                     ? tw__csl_type_expr(s, call->kid[0])
                    : !strcmp(name, "get_sr") ? &tw__csl_t_SR
                                              : &tw__csl_t_XDSR;
    if (!t) return tw__csl_nothing();
    if (plain && tw__dsd_file_of(t) < 0)
        return tw__csl_error(s, call->kid[0], "csl.type", "%s is no kind of DSR: dsr_dest, dsr_src0 or dsr_src1",
                             TYPE_TEXT(t));
    const node *at = call->kid[call->count - 1];
    operand o = tw__csl_rvalue(s, at, tw__csl_expr(s, at, NULL));
    int64_t id;
    if (o.kind == TW__CSL_O_VALUE && tw__csl_is_dsr(o.type))
        id = (int64_t)o.value.i;
    else if (!tw__dsd_known_int(s, at, &o, "the number of a DSR", 0, TW__CSL_DSR_COUNT - 1, &id))
        return tw__csl_nothing();
    return tw__csl_known(tw__csl_of_int(t, id));
}

/* @load_to_dsr(dsr, dsd), _xdsr(dsr, xdsr, circbuf), _xdsr_sr(dsr, xdsr, .{ srs }, mem4d): where the DSD stands among
 * the arguments. */
typedef enum load_kind { LOAD_PLAIN = 1, LOAD_RING = 2, LOAD_MANY = 3 } load_kind;

/* May this DSD stand in that register? */
static bool loads_ok(sema *s, const node *at, int file, const type *d, load_kind kind)
{
    static const char *const names[] = { "dsr_dest", "dsr_src0", "dsr_src1" };
    const char *why = NULL;
    if (d->kind == TW__CSL_TY_FIFO)
        why = "a FIFO is not loaded into DSRs: it has some of its own";
    else if (!tw__csl_is_dsd(d))
        why = "only DSDs can be loaded";
    else if (d->kind == TW__CSL_TY_FABIN_DSD && file == TW__CSL_DSR_DEST)
        why = "a fabin_dsd is a source";
    else if (d->kind == TW__CSL_TY_FABOUT_DSD && file == TW__CSL_DSR_SRC1)
        why = "a fabout_dsd is a destination";
    else if ((d->kind == TW__CSL_TY_CIRCBUF_DSD) != (kind == LOAD_RING))
        why = kind == LOAD_RING ? "@load_to_dsr_xdsr loads a circbuf_dsd"
                                : "a circbuf_dsd is loaded by @load_to_dsr_xdsr";
    else if (kind == LOAD_MANY && d->kind != TW__CSL_TY_MEM4D_DSD)
        why = "@load_to_dsr_xdsr_sr loads a mem4d_dsd";
    if (!why) return true;
    tw__csl_error(s, at, "csl.dsr", "a %s cannot be loaded into a %s: %s", TYPE_TEXT(d), names[file], why);
    return false;
}

static bool config_ok(sema *s, const tw__dsd_config *c, const operand *dsd)
{
    const type *d = dsd->type;
    bool fabric = d->kind == TW__CSL_TY_FABIN_DSD || d->kind == TW__CSL_TY_FABOUT_DSD;
    const char *why = NULL;
    const node *at = c->at;
    if (!at) return true;
    if (c->async && !fabric)
        at = c->async_at, why = ".async needs a fabric DSD";
    else if (c->done.at && !c->async)
        at = c->done.at, why = ".activate and .unblock need .async = true";
    else if (c->on_control.at && (!c->async || d->kind != TW__CSL_TY_FABIN_DSD))
        at = c->on_control.at, why = ".on_control needs a fabin_dsd and .async = true";
    else if (c->ut != TW__CSL_NO_ID && !c->async)
        at = c->ut_at, why = ".ut_id needs .async = true";
    else if (c->save_address && fabric)
        why = ".save_address needs a memory DSD";
    if (why) tw__csl_error(s, at, "csl.dsr", "%s", why);
    return !why && (!c->async || tw__dsd_has_queue(s, c->async_at, dsd));
}

static void note_load(sema *s, const node *call, const tw__csl_dsr_load *row, const type *d,
                      const tw__dsd_config *c)
{
    tw__dsd_state *state = tw__dsd_state_of(s);
    tw__dsd_load *load = tw__dsd_new(s, sizeof *load);
    if (!state || !load) return;
    bool fabric = d->kind == TW__CSL_TY_FABIN_DSD || d->kind == TW__CSL_TY_FABOUT_DSD;
    *load = (tw__dsd_load){ state->loads, row->file, row->id, c->async, fabric, c->done, c->on_control, call };
    state->loads = load;
}

/* Stride registers that a mem4d_dsd needs: one for each dimension but the fastest, and none for the second either
 * when the fastest has stride 1; all three for one that is not known. */
static size_t stride_registers(const operand *d)
{
    if (d->kind != TW__CSL_O_VALUE || !d->value.dsd) return 3;
    const tw__csl_shape *shape = &d->value.dsd->shape;
    size_t needed = shape->rank > 1 ? shape->rank - 1u : 0;
    return needed && shape->stride[0] == 1 ? needed - 1 : needed;
}

/* The extended register, and for LOAD_MANY the tuple of stride registers. */
static bool extra_registers(sema *s, const node *call, load_kind kind, const operand *d)
{
    value x, tuple;
    if (kind == LOAD_PLAIN) return true;
    if (!tw__csl_comptime(s, call->kid[1], &tw__csl_t_XDSR, "the extended register", &x)) return false;
    if (kind == LOAD_RING) return true;
    if (!tw__csl_comptime(s, call->kid[2], NULL, "the stride registers", &tuple)) return false;
    const type *t = tuple.type;
    bool good = t->kind == TW__CSL_TY_STRUCT && (t->tuple || !t->count);
    for (size_t i = 0; good && i < t->count; i++) good = t->fields[i].type == &tw__csl_t_SR;
    if (!good) {
        tw__csl_error(s, call->kid[2], "csl.type",
                      "%s is a tuple of stride registers, .{ @get_sr(0), ... }, not %s",
                      tw__dsd_argument(s, call, 2), TYPE_TEXT(t));
        return false;
    }
    size_t needed = stride_registers(d);
    if (t->count == needed) return true;
    tw__csl_error(s, call->kid[2], "csl.dsr", "this mem4d_dsd needs %zu stride register%s, got %zu", needed,
                  needed == 1 ? "" : "s", t->count);
    return false;
}

/* All three builtins that load; config last. */
operand tw__dsd_load_dsr(sema *s, const node *call, const type *expected)
{
    (void)expected;
    const char *name = tw__csl_text(tw__csl_sema_ctx(s), call->name);
    load_kind kind = !strcmp(name, "load_to_dsr")        ? LOAD_PLAIN
                     : !strcmp(name, "load_to_dsr_xdsr") ? LOAD_RING
                                                         : LOAD_MANY;
    uint32_t at = kind;
    if (!tw__csl_arguments(s, call, at + 1, at + 2) ||
        !tw__dsd_in_phase(s, call, TW__DSD_IN_COMPTIME | TW__DSD_IN_RUNTIME))
        return tw__csl_nothing();
    operand r = tw__csl_rvalue(s, call->kid[0], tw__csl_expr(s, call->kid[0], NULL));
    operand d = tw__csl_rvalue(s, call->kid[at], tw__csl_expr(s, call->kid[at], NULL));
    if (tw__csl_is_nothing(&r) || tw__csl_is_nothing(&d)) return tw__csl_nothing();
    int file = tw__dsd_file_of(r.type);
    if (file < 0 || r.kind != TW__CSL_O_VALUE)
        return tw__csl_error(s, call->kid[0], "csl.dsr", "%s must be a DSR, not %s", tw__dsd_argument(s, call, 0),
                             TYPE_TEXT(r.type));
    tw__dsd_config c = { .ut = (uint8_t)TW__CSL_NO_ID };
    if (!loads_ok(s, call->kid[at], file, d.type, kind) || !extra_registers(s, call, kind, &d))
        return tw__csl_nothing();
    if (call->count > at + 1) {
        operand config = tw__csl_expr(s, call->kid[at + 1], NULL);
        if (!tw__dsd_read_config(s, call->kid[at + 1], &config, "the settings of @load_to_dsr", true, &c))
            return tw__csl_nothing();
    }
    if (!config_ok(s, &c, &d)) return tw__csl_nothing();
    tw__csl_dsr_load row = { .file = (uint8_t)file,
                             .id = (uint8_t)r.value.i,
                             .ut = c.ut,
                             .done = c.done.action,
                             .on_control = c.on_control.action };
    row.flags = (uint8_t)((c.async ? TW__CSL_USE_ASYNC : 0) | (c.save_address ? TW__CSL_DSD_SAVE_ADDRESS : 0) |
                          (c.single_step ? TW__CSL_DSD_SINGLE_STEP : 0));
    tw__csl_program *p = tw__csl_sema_program(s);
    bool start = tw__csl_sema_phase(s) == TW__CSL_PHASE_COMPTIME;
    if (start && !tw__csl_pack_dsd(s, call->kid[at], &d.value, &row.dsd)) return tw__csl_nothing();
    if (!start) row.pair = tw__csl_to_register(s, call->kid[at], &d);
    tw__csl_dsr_load *slot = start ? TW__CSL_PUSH(p, dsr_init, dsr_init) : TW__CSL_PUSH(p, dsr_loads, dsr_load);
    if (!slot) return tw__csl_nothing();
    *slot = row;
    uint32_t number = (uint32_t)(start ? p->dsr_init_count : p->dsr_load_count) - 1;
    tw__dsd_fix_task(s, start ? TW__DSD_FIX_INIT : TW__DSD_FIX_LOAD, number, false, &c.done);
    tw__dsd_fix_task(s, start ? TW__DSD_FIX_INIT : TW__DSD_FIX_LOAD, number, true, &c.on_control);
    note_load(s, call, &row, d.type, &c);
    if (start) return tw__csl_known(tw__csl_of_void());
    tw__gen_at(tw__csl_sema_gen(s), call);
    tw__gen_emit_wide(tw__csl_sema_gen(s), TW__CSL_I_LOAD_DSR, 0, number);
    return tw__csl_known(tw__csl_of_void());
}
