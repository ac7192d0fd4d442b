/* SPDX-License-Identifier: MIT */
/* The run-time form of a DSD that is known at compile time. */
#include "csl/lang/sema/local.h"

/* The place of a shape in the table of rows: that of an equal one, or the free one where it belongs. */
static uint32_t *shape_slot(const sema *s, const tw__csl_program *p, const tw__csl_shape *shape)
{
    uint32_t at = 2166136261u, last = s->shape_slots - 1;
    const uint8_t *bytes = (const uint8_t *)shape;
    for (size_t i = 0; i < sizeof *shape; i++) at = (at ^ bytes[i]) * 16777619u; /* FNV-1a */
    for (at &= last; s->shape_row[at]; at = (at + 1) & last)
        if (!memcmp(&p->shapes[s->shape_row[at] - 1], shape, sizeof *shape)) break;
    return &s->shape_row[at];
}

/* Keeps the table at most half full. */
static bool shape_room(sema *s, const tw__csl_program *p)
{
    if (p->shape_count * 2 < s->shape_slots) return true;
    uint32_t slots = s->shape_slots ? s->shape_slots * 2 : 16;
    uint32_t *rows = TW__NEW_N(s->lasting, uint32_t, slots);
    if (!rows) {
        tw__csl_out_of_memory(s);
        return false;
    }
    s->shape_row = rows;
    s->shape_slots = slots;
    for (size_t i = 0; i < p->shape_count; i++) *shape_slot(s, p, &p->shapes[i]) = (uint32_t)i + 1;
    return true;
}

/* Row of a mem4d shape, shared when equal; a DSD names it by 16 bits. */
static bool shape_row(sema *s, const node *at, const tw__csl_shape *shape, uint16_t *out)
{
    tw__csl_program *p = tw__csl_sema_program(s);
    if (!shape_room(s, p)) return false;
    uint32_t *slot = shape_slot(s, p, shape);
    if (!*slot && p->shape_count > UINT16_MAX) {
        tw__csl_error(s, at, "csl.range", "the mem4d_dsds of a program have at most %u different shapes",
                      UINT16_MAX + 1u);
        return false;
    }
    if (!*slot) {
        tw__csl_shape *row = TW__CSL_PUSH(p, shapes, shape);
        if (!row) return false;
        *row = *shape;
        *slot = (uint32_t)p->shape_count;
    }
    *out = (uint16_t)(*slot - 1);
    return true;
}

bool tw__csl_pack_dsd(sema *s, const node *at, const value *v, tw__csl_dsd *out)
{
    uint32_t address = 0;
    const tw__csl_dsd_value *d = v->dsd;
    *out = d->packed;
    if (v->type->kind == TW__CSL_TY_FABIN_DSD || v->type->kind == TW__CSL_TY_FABOUT_DSD) return true;
    if (d->base.cell) {
        tw__csl_error(s, at, "csl.comptime", "this DSD describes a comptime variable, which is not in memory");
        return false;
    }
    if (d->base.global && !tw__csl_address(s, at, d->base.global, &address)) return false;
    int64_t base = (int64_t)address + d->base.offset;
    /* Nothing checks offsets (@increment_dsd_offset), and .index may lead back: addresses wrap at 16 bits. */
    if ((base < 0 || base > UINT16_MAX) && !(d->packed.flags & TW__CSL_DSD_INDEXED))
        tw__csl_warn(s, at, "csl.range", "this DSD begins at byte %lld, outside the memory of a PE",
                     (long long)base);
    out->base = (uint16_t)base;
    if (d->base.global && d->base.global->node && d->base.global->symbol < UINT16_MAX)
        out->object = (uint16_t)(d->base.global->symbol + 1);
    return v->type->kind != TW__CSL_TY_MEM4D_DSD || shape_row(s, at, &d->shape, &out->shape);
}
