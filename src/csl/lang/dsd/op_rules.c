/* SPDX-License-Identifier: MIT */
/* What the vendor's text forbids of the operands of a DSD operation together. */
#include "csl/lang/dsd/op.h"

const char *tw__dsd_elem_text(uint8_t elem)
{
    static const char *const names[] = { "", "i16 or u16", "i32 or u32", "f16", "f32" };
    return names[elem];
}
bool tw__dsd_is_fabric(const type *t)
{
    return t->kind == TW__CSL_TY_FABIN_DSD || t->kind == TW__CSL_TY_FABOUT_DSD;
}

/* Flags of operand i when it is a DSD known at compile time. */
static const tw__csl_dsd *known_dsd(const op *p, uint32_t i)
{
    const operand *o = &p->o[i];
    return o->kind == TW__CSL_O_VALUE && tw__csl_is_dsd(o->type) ? &o->value.dsd->packed : NULL;
}

static bool check_sources(op *p)
{
    uint32_t first = *p->form == 'S' ? 0 : 1, fifos = 0, fabins = 0;
    bool several = p->count - first > 1;
    for (uint32_t i = first; i < p->count; i++) {
        bool fifo = p->o[i].type->kind == TW__CSL_TY_FIFO;
        fabins += p->o[i].type->kind == TW__CSL_TY_FABIN_DSD;
        if (fifo && several && i == first) {
            tw__csl_error(p->s, p->at[i], "csl.fifo",
                          "a FIFO cannot be the first of several sources; make it the second");
            return false;
        }
        if (fifo && ++fifos > 1) {
            tw__csl_error(p->s, p->at[i], "csl.fifo", "at most one source may be a FIFO");
            return false;
        }
        if (fabins > 1 && tw__csl_sema_wse3(p->s)) {
            tw__csl_error(p->s, p->at[i], "csl.arch", "WSE-3 takes one fabin_dsd per operation");
            return false;
        }
    }
    const tw__csl_arg *d = &p->use.arg[0], *a = &p->use.arg[1];
    if (!tw__csl_sema_wse3(p->s) && d->kind == TW__CSL_ARG_DSR && a->kind == TW__CSL_ARG_DSR && d->at != a->at) {
        tw__csl_error(p->s, p->at[1], "csl.dsr",
                      "on WSE-2 the DSRs of destination and first source have one number: %u and %u differ", d->at,
                      a->at);
        return false;
    }
    return true;
}

/* Memory DSDs hold no type, and moves may take any of that width (as i16 arrays that stand for f32 are taken); but
 * arithmetic on the bits of floats of another width means nothing. So do two values in one wavelet of 32-bit
 * elements. */
static bool check_elements(op *p)
{
    bool move = p->use.op == TW__CSL_OP_FMOVH || p->use.op == TW__CSL_OP_FMOVS;
    for (uint32_t i = 0; i < p->count; i++) {
        const tw__csl_dsd *d = known_dsd(p, i);
        uint8_t elem = p->row->type[p->slot[i]];
        bool f16 = elem == TW__CSL_E_F16, f32 = elem == TW__CSL_E_F32;
        if (d && d->simd != TW__CSL_SIMD_OFF && (f32 || elem == TW__CSL_E_I32)) {
            tw__csl_error(p->s, p->at[i], "csl.simd",
                          "operand %u of %s has elements of 32 bits, which no .simd_mode packs: it is for 16-bit "
                          "values",
                          i + 1, p->name);
            return false;
        }
        const type *t = d ? p->o[i].value.dsd->element : NULL;
        if (move || !((f32 && t == &tw__csl_t_f16) || (f16 && t == &tw__csl_t_f32))) continue;
        tw__csl_error(p->s, p->at[i], "csl.operand",
                      "operand %u of %s takes elements of type %s; this DSD is over an array of %s", i + 1, p->name,
                      tw__dsd_elem_text(elem), TYPE_TEXT(t));
        return false;
    }
    return true;
}

static bool check_zero(op *p)
{
    const tw__csl_dsd *d = *p->form == 'S' ? NULL : known_dsd(p, 0);
    unsigned flags = d ? d->flags : 0;
    if (p->row->type[1] != TW__CSL_E_NONE || !(flags & TW__CSL_DSD_ZERO_FIRST)) return true;
    tw__csl_error(p->s, p->at[0], "csl.operand",
                  "%s has one source: its DSD says .zero = .{ .second_source = true }", p->name);
    return false;
}

static bool check_index(op *p)
{
    if (p->config.has_index && p->count < 3) {
        tw__csl_error(p->s, p->config.index_at, "csl.index",
                      ".index needs an operation of at least 3 operands; %s has %u here", p->name, p->count);
        return false;
    }
    for (uint32_t i = 0; i < p->count && !p->config.has_index; i++) {
        const tw__csl_dsd *d = known_dsd(p, i);
        if (d && d->flags & TW__CSL_DSD_INDEXED)
            tw__csl_warn(
                p->s, p->at[i], "csl.index",
                "this DSD has .wavelet_index_offset: without .index the operation is undefined (0 is taken)");
    }
    return true;
}

/* A length of 0x7fff has no end of its own. */
static void check_endless(op *p)
{
    bool ends = p->config.on_control.action.kind != TW__CSL_ACT_NONE;
    for (uint32_t i = 0; i < p->count; i++)
        ends = ends || p->o[i].type->kind == TW__CSL_TY_FIFO || tw__csl_is_dsr(p->o[i].type);
    for (uint32_t i = 0; i < p->count && !ends; i++) {
        const tw__csl_dsd *d = known_dsd(p, i);
        if (d && d->length == TW__CSL_UNBOUNDED && d->kind != TW__CSL_DSD_MEM4D)
            tw__csl_warn(p->s, p->at[i], "csl.length",
                         "length 0x7fff means without end, and nothing ends this operation (.on_control, a FIFO)");
    }
}

static bool needs_async(op *p, bool given, const node *at, const char *name, bool has_dsr)
{
    if (!given || p->config.async || has_dsr) return true;
    tw__csl_error(p->s, at, "csl.async", "%s belongs to an asynchronous operation: .async = true is missing", name);
    return false;
}

static bool check_async(op *p)
{
    tw__dsd_config *c = &p->config;
    bool has_fabric = false, has_dsr = false, has_input = false;
    for (uint32_t i = 0; i < p->count; i++) {
        const type *t = p->o[i].type;
        has_fabric = has_fabric || tw__dsd_is_fabric(t);
        has_input = has_input || t->kind == TW__CSL_TY_FABIN_DSD;
        has_dsr = has_dsr || tw__csl_is_dsr(t);
    }
    const node *done_at = c->done.at, *control_at = c->on_control.at;
    if (c->async && !has_fabric && !has_dsr) {
        tw__csl_error(p->s, c->async_at, "csl.async",
                      "an asynchronous operation needs a fabric operand: a fabin_dsd or fabout_dsd, or a DSR "
                      "loaded with .async");
        return false;
    }
    if (!needs_async(p, done_at != NULL, done_at,
                     c->done.action.kind == TW__CSL_ACT_ACTIVATE ? ".activate" : ".unblock", has_dsr) ||
        !needs_async(p, control_at != NULL, control_at, ".on_control", has_dsr) ||
        !needs_async(p, c->ut != TW__CSL_NO_ID, c->ut_at, ".ut_id", has_dsr) ||
        !needs_async(p, c->priority != 0, c->priority_at, ".priority", has_dsr))
        return false;
    if (control_at && !has_input && !has_dsr) {
        tw__csl_error(p->s, control_at, "csl.async",
                      ".on_control needs a fabin_dsd, where control wavelets arrive");
        return false;
    }
    for (uint32_t i = 0; c->async && i < p->count; i++)
        if (!tw__dsd_has_queue(p->s, p->at[i], &p->o[i])) return false;
    return true;
}
/* @dfilt(fabin, .{ .async = true }): drops data wavelets until .extent control wavelets have come. */
bool tw__dsd_check_filter(op *p)
{
    if (strcmp(p->row->builtin, "dfilt") != 0) return true;
    const char *why = p->o[0].type->kind != TW__CSL_TY_FABIN_DSD ? "@dfilt takes a fabin_dsd"
                      : !p->config.async                         ? "@dfilt needs .async = true"
                      : p->config.on_control.at                  ? "@dfilt has no .on_control"
                                                                 : NULL;
    if (why) tw__csl_error(p->s, p->call, "csl.operand", "%s", why);
    return !why;
}

bool tw__dsd_check_operands(op *p)
{
    if (!check_sources(p) || !check_elements(p) || !check_zero(p) || !check_index(p) || !check_async(p))
        return false;
    check_endless(p);
    return true;
}
