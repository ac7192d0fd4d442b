/* SPDX-License-Identifier: MIT */
/* Operations of PTO-AS other than tile instructions. Each family is a table in a file of its own; here they are
 * listed, found by name, and bound in one way. */
#include "pto/text/bind/bind.h"

static const tw__as_host *const tables[] = { tw__as_arith_ops, tw__as_view_ops,   tw__as_tile_ops,
                                             tw__as_sync_ops,  tw__as_output_ops, tw__as_memref_ops,
                                             tw__as_core_ops,  tw__as_comm_ops,   tw__as_address_ops,
                                             tw__as_fifo_ops };

const tw__as_host *tw__as_host_at(size_t index)
{
    for (size_t t = 0; t < G_N_ELEMENTS(tables); t++)
        for (const tw__as_host *h = tables[t]; h->name; h++)
            if (index-- == 0) return h;
    return NULL;
}

/* The prefix "pto." may be dropped. */
const tw__as_host *tw__as_host_of(const char *name)
{
    for (size_t t = 0; t < G_N_ELEMENTS(tables); t++)
        for (const tw__as_host *h = tables[t]; h->name; h++)
            if (strcmp(name, h->name) == 0 || (strncmp(h->name, "pto.", 4) == 0 && strcmp(name, h->name + 4) == 0))
                return h;
    return NULL;
}

/* --- binding ---------------------------------------------------------------------------------------------------- */

static bool result_type(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host, const tw__as_parts *p,
                        tw__as_type *type)
{
    static const tw__as_type truth = { .kind = TW__AS_SCALAR, .element = TW_BOOL, .text = "i1" };
    static const tw__as_type index = { .kind = TW__AS_INDEX, .element = TW_I64, .text = "index" };
    static const tw__as_type wide = { .kind = TW__AS_SCALAR, .element = TW_I64, .text = "i64" };
    const tw__as_type *t = NULL;
    uint32_t slot;
    switch (host->gives) {
    case TW__GIVES_LAST: t = p->results ? p->result[0] : p->in_types ? p->in_type[p->in_types - 1] : NULL; break;
    case TW__GIVES_FIRST: t = p->in_types ? p->in_type[0] : &truth; break;
    case TW__GIVES_ARROW: t = p->results ? p->result[0] : p->in_types > 1 ? p->in_type[1] : NULL; break;
    case TW__GIVES_TO: t = p->to; break;
    case TW__GIVES_TRUTH: t = &truth; break;
    case TW__GIVES_INDEX: t = p->results ? p->result[0] : &index; break;
    case TW__GIVES_WIDE: t = p->results ? p->result[0] : p->in_types ? p->in_type[0] : &wide; break;
    case TW__GIVES_OUTS: t = p->out_types ? p->out_type[0] : p->results ? p->result[0] : NULL; break;
    case TW__GIVES_WHOLE: /* type of the whole */
        if (p->ins && p->in[0]->kind == TW__AS_VALUE && tw__as_find(b, p->in[0]->text, &slot))
            t = b->f->slot_type[slot];
        break;
    case TW__GIVES_NOTHING: return true;
    }
    if (!t)
        return tw__as_refuse(b, NULL, op, "pto.type", "%s: the type is missing%s%s", op->name,
                             host->form ? "; expected " : "", host->form ? host->form : ""),
               false;
    *type = *t;
    return true;
}

static const struct {
    char letter;
    const char *text;
} kinds[] = { { 'i', "an integer or index" },
              { 'f', "a float" },
              { 'n', "a number" },
              { 'p', "a pointer" },
              { 'v', "a view" },
              { 't', "a tile" },
              { 'm', "a memref" } };

static bool is_kind(const tw__as_type *t, char letter)
{
    bool scalar = t->kind == TW__AS_SCALAR;
    switch (letter) {
    case 'i': return tw__as_is_integer(t);
    case 'f': return scalar && tw__is_float(t->element);
    case 'n': return scalar || t->kind == TW__AS_INDEX;
    case 'p': return t->kind == TW__AS_PTR;
    case 'v': return t->kind == TW__AS_VIEW || t->kind == TW__AS_PART;
    case 'm': return t->kind == TW__AS_MEMREF || (t->kind == TW__AS_TILE && t->memref);
    case 't': return t->kind == TW__AS_TILE;
    default: return true;
    }
}

/* Operand types against the letters of the operation; with '=' the result too has the type of the first operand. */
static bool check_kinds(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host, const uint32_t *slots,
                        tw__as_item *const *where, unsigned count, const tw__as_type *type)
{
    const char *letter = host->kinds;
    for (unsigned i = 0; i < count && letter && *letter; i++) {
        const tw__as_type *have = b->f->slot_type[slots[i]];
        if (*letter == '=' && !tw__as_same_type(have, b->f->slot_type[slots[i - 1]]))
            return tw__as_refuse(b, where[i], op, "pto.type", "%s: %s is wanted here, not %s", op->name,
                                 tw__as_type_text(b->f->slot_type[slots[i - 1]]), tw__as_type_text(have)),
                   false;
        if (have->kind && !is_kind(have, *letter)) {
            const char *want = "";
            for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++)
                if (kinds[k].letter == *letter) want = kinds[k].text;
            return tw__as_refuse(b, where[i], op, "pto.type", "%s: %s is wanted here, not %s", op->name, want,
                                 tw__as_type_text(have)),
                   false;
        }
        if (letter[1]) letter++;
    }
    bool tied = host->gives == TW__GIVES_LAST && letter && strchr(host->kinds, '=');
    if (tied && !tw__as_same_type(b->f->slot_type[slots[count - 1]], type))
        return tw__as_refuse(b, NULL, op, "pto.type", "%s: operands are %s, the type written is %s", op->name,
                             tw__as_type_text(b->f->slot_type[slots[count - 1]]), type->text),
               false;
    return true;
}

/* Operands, then the lists: all slots of the operation in the order its function expects. */
static bool all_slots(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, tw__as_code *code,
                      uint32_t *slots, tw__as_item **where)
{
    tw_type numbers = p->in_types && p->in_type[0]->kind == TW__AS_SCALAR ? p->in_type[0]->element : TW_TYPE_NONE;
    unsigned count = p->ins + p->outs;
    memcpy(where, p->in, p->ins * sizeof *where);
    memcpy(where + p->ins, p->out, p->outs * sizeof *where);
    if (!tw__as_slots(b, op, where, count, numbers, slots)) return false;
    code->more->parts[0] = count;
    for (int l = 0; l < 3; l++) {
        memcpy(where + count, p->list[l], p->lists[l] * sizeof *where);
        if (!tw__as_slots(b, op, p->list[l], p->lists[l], TW_I64, slots + count)) return false;
        code->more->parts[1 + l] = p->lists[l];
        count += p->lists[l];
    }
    code->count = count;
    return true;
}

static bool check_count(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host, unsigned count)
{
    char wanted[40];
    if (count >= host->least && count <= host->most) return true;
    if (host->least == host->most)
        g_snprintf(wanted, sizeof wanted, "%u operand%s", host->least, host->least == 1 ? "" : "s");
    else
        g_snprintf(wanted, sizeof wanted, "%u to %u operands", host->least, host->most);
    tw__as_refuse(b, NULL, op, "pto.operands", "%s takes %s, not %u%s%s", op->name, wanted, count,
                  host->form ? "; expected " : "", host->form ? host->form : "");
    return false;
}

void tw__as_bind_host(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host)
{
    tw__as_parts p;
    uint32_t slots[4 * TW__AS_OPERANDS];
    tw__as_item *where[4 * TW__AS_OPERANDS];
    tw_pto_attrs attrs = { 0 }; /* `bind` may set them through local.attrs */
    tw__as_more more = { .attrs = &attrs };
    tw__as_code local = { .number = host->number, .fn = host->fn, .more = &more };
    tw__as_type type = { 0 };
    tw__as_collect(b, op, &p);
    if (b->failed || tw__as_bind_early_assign(b, op, &p)) return;
    if (!tw__as_check_form(b, op, host)) return;
    if (!result_type(b, op, host, &p, &type)) return;
    if (host->bind && !host->bind(b, op, &p, &local, &type)) return;
    if (!check_count(b, op, host, p.ins + p.outs)) return;
    if (!all_slots(b, op, &p, &local, slots, where)) return;
    if (!check_kinds(b, op, host, slots, where, local.count, &type)) return;
    if (!tw__as_check_written(b, op, host, &p, slots, where, &local, &type)) return;
    tw__as_code *code = tw__as_code_new(b, op, local.fn);
    if (!code) return;
    code->number = local.number;
    if (code->fn != tw__as_constant_run) {
        code->more->attrs = tw__as_keep_attrs(b, &attrs);
        code->more->format = more.format;
        memcpy(code->more->parts, more.parts, sizeof more.parts);
    }
    tw__as_type results[2] = { type };
    if (more.second) results[1] = *more.second;
    if (tw__as_set_operands(b, code, slots, where, local.count))
        tw__as_set_results(b, code, op, results, (host->gives != TW__GIVES_NOTHING) + (more.second != NULL));
    if (code->fn == tw__as_constant_run && code->result_count && !b->failed)
        tw__as_set_known(b, code->result[0], &code->number);
    if (code->fn != tw__as_constant_run && code->more->parts[2] && code->result_count && !b->failed)
        tw__as_set_maker(b, code->result[0], code);
}
