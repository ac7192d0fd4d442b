/* SPDX-License-Identifier: MIT */
/* operand: a DSD as what it reaches - addresses, extents and values of memory, colors and queues of the fabric. */
#include "csl/wse/debug/value.h"

#include <string.h>

enum { MOST_VALUES = 8 };

/* The variable that an address lies in. */
static const tw__csl_symbol *symbol_at(const tw__csl_program *p, uint32_t address)
{
    for (size_t k = 0; k < p->symbol_count; k++)
        if (address >= p->symbols[k].address && address - p->symbols[k].address < p->symbols[k].bytes)
            return &p->symbols[k];
    return NULL;
}

static void put_length(GString *out, unsigned length)
{
    if (length == TW__CSL_UNBOUNDED)
        g_string_append(out, "without end");
    else
        g_string_append_printf(out, "%u element%s", length, length == 1 ? "" : "s");
}

/* ": A[2, 0], A[3, 0], ... = 1, 2, ..." of the elements that the steps reach. */
typedef struct reached {
    const tw__wse *w;
    uint32_t pe;
    const tw__csl_symbol *symbol; /* of the first element; NULL = none is there */
    tw_type type;
    uint32_t size, shown, total;
    GString *places, *values;
} reached;

static void reach(reached *r, uint32_t address)
{
    r->total++;
    if (r->shown > MOST_VALUES) return;
    if (r->shown++ == MOST_VALUES) {
        g_string_append(r->places, ", ...");
        g_string_append(r->values, ", ...");
        return;
    }
    const tw__csl_symbol *s = r->symbol;
    if (r->shown > 1) g_string_append(r->places, ", "), g_string_append(r->values, ", ");
    if (s && address >= s->address && address - s->address < s->bytes && s->rank) {
        uint32_t flat = (address - s->address) / r->size;
        g_string_append_c(r->places, '[');
        for (uint32_t d = 0, below = s->count; d < s->rank; d++) {
            below = s->dims[d] ? below / s->dims[d] : 1;
            g_string_append_printf(r->places, "%s%u", d ? "," : "", below ? flat / below : 0);
            flat = below ? flat % below : 0;
        }
        g_string_append_c(r->places, ']');
    } else {
        g_string_append_printf(r->places, "0x%04x", address);
    }
    if (address > TW__CSL_PE_BYTES - r->size) {
        g_string_append(r->values, "outside");
        return;
    }
    uint64_t bits = 0;
    memcpy(&bits, r->w->pe[r->pe].memory + address, r->size);
    tw__wse_put_number(r->values, r->type, bits, 0);
}

/* Elements of a mem4d DSD, in the order in which an operation takes them. */
static uint32_t reach_shape(reached *r, const tw__csl_shape *shape, uint32_t base)
{
    uint32_t index[4] = { 0 }, length = 1;
    unsigned rank = shape->rank > 4 ? 4 : shape->rank;
    for (unsigned d = 0; d < rank; d++) length *= shape->extent[d];
    uint32_t at = base;
    for (uint32_t k = 0; k < length && k <= MOST_VALUES; k++) {
        reach(r, at & 0xffff);
        for (unsigned d = rank; d-- > 0;) {
            if (++index[d] < shape->extent[d]) {
                at += (uint32_t)(shape->stride[rank - 1 - d] * (int32_t)r->size);
                break;
            }
            index[d] = 0;
        }
    }
    return length;
}

static void put_memory(GString *out, const tw__wse *w, uint32_t pe, const tw__csl_dsd *dsd)
{
    const tw__csl_program *p = w->pe[pe].program->program;
    reached r = { .w = w, .pe = pe, .symbol = symbol_at(p, dsd->base) };
    r.type = r.symbol && r.symbol->type && tw_type_size(r.symbol->type) >= 2 ? r.symbol->type : TW_U16;
    r.size = (uint32_t)tw_type_size(r.type);
    if (r.size > 4) r.type = TW_U32, r.size = 4;
    r.places = g_string_new(NULL), r.values = g_string_new(NULL);
    uint32_t length = dsd->length;
    if (dsd->kind == TW__CSL_DSD_MEM4D && dsd->shape < p->shape_count) {
        const tw__csl_shape *shape = &p->shapes[dsd->shape];
        length = reach_shape(&r, shape, dsd->base);
        g_string_append(out, "mem4d_dsd {");
        for (unsigned d = 0; d < shape->rank && d < 4; d++)
            g_string_append_printf(out, "%s%u", d ? ", " : "", shape->extent[d]);
        g_string_append(out, "}, ");
    } else {
        bool ring = dsd->kind == TW__CSL_DSD_CIRCBUF;
        for (uint32_t k = 0; k < length && k <= MOST_VALUES; k++)
            reach(&r, (dsd->base + (uint32_t)((int32_t)k * (ring ? 1 : dsd->stride) * (int32_t)r.size)) & 0xffff);
        g_string_append(out, ring ? "circbuf_dsd, " : "mem1d_dsd, ");
    }
    put_length(out, length);
    g_string_append_printf(out, " from 0x%04x", dsd->base);
    if (r.symbol) g_string_append_printf(out, " (%s)", r.symbol->name);
    if (dsd->kind != TW__CSL_DSD_MEM4D) g_string_append_printf(out, ", stride %d", dsd->stride);
    if (r.shown) g_string_append_printf(out, ": %s = {%s}", r.places->str, r.values->str);
    g_string_free(r.places, TRUE);
    g_string_free(r.values, TRUE);
}

void tw__wse_put_dsd(GString *out, const tw__wse *w, uint32_t pe, const tw__csl_dsd *dsd)
{
    switch (dsd->kind) {
    case TW__CSL_DSD_MEM1D:
    case TW__CSL_DSD_MEM4D:
    case TW__CSL_DSD_CIRCBUF: put_memory(out, w, pe, dsd); break;
    case TW__CSL_DSD_FABIN:
    case TW__CSL_DSD_FABOUT:
        g_string_append_printf(out, "%s, ", dsd->kind == TW__CSL_DSD_FABIN ? "fabin_dsd" : "fabout_dsd");
        put_length(out, dsd->length);
        if (dsd->color != TW__CSL_NO_ID) g_string_append_printf(out, ", color %u", dsd->color);
        if (dsd->queue != TW__CSL_NO_ID)
            g_string_append_printf(out, ", %s queue %u", dsd->kind == TW__CSL_DSD_FABIN ? "input" : "output",
                                   dsd->queue);
        break;
    default: g_string_append(out, "no DSD"); return;
    }
    static const struct {
        unsigned bit;
        const char *text;
    } flags[] = { { TW__CSL_DSD_INDEXED, "indexed" },
                  { TW__CSL_DSD_CONTROL, "control wavelets" },
                  { TW__CSL_DSD_TRANSFORM, "transform" },
                  { TW__CSL_DSD_ADVANCE, "advances the switch" },
                  { TW__CSL_DSD_ZERO_FIRST, "clears the first source" },
                  { TW__CSL_DSD_ZERO_SECOND, "clears the second source" },
                  { TW__CSL_DSD_SAVE_ADDRESS, "saves its address" },
                  { TW__CSL_DSD_SINGLE_STEP, "single step" } };
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
        if (dsd->flags & flags[i].bit) g_string_append_printf(out, ", %s", flags[i].text);
}
