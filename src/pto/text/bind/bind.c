/* SPDX-License-Identifier: MIT */
/* bind: lines and blocks. Names become slots, operations rows of the instruction table or of the tables of host
 * operations; types that are written are compared with those known, and every instruction is checked for the target
 * as far as its extents are known. Names that plain assembly uses and never defines stay free: --arg binds them. */
#include "pto/text/bind/bind.h"

/* The nearest name of all that could stand here, with the prefix that was written. */
static void unknown(tw__as_binder *b, const tw__as_op *op, const char *bare)
{
    static const char *const words[] = { "else", "do", "case", "default", "module", "func.func" };
    enum { INNER = 4 }; /* the first of them */
    const char *names[768];
    size_t count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (i < INNER && strcmp(bare, words[i]) == 0)
            return tw__as_refuse(b, NULL, op, "pto.operation",
                                 "'%s' stands only behind the head or a block of an scf operation", bare);
        if (bare == op->name) names[count++] = words[i];
    }
    for (size_t i = 0; i < tw__pto_row_count() && count < 512; i++) names[count++] = tw__pto_row_at(i)->mnemonic;
    for (size_t i = 0; count < 700 && tw__as_host_at(i); i++) {
        const char *name = tw__as_host_at(i)->name;
        names[count++] = strncmp(name, "pto.", 4) == 0 ? name + 4 : name;
    }
    for (size_t i = 0; count < 768 && tw__as_flow_at(i); i++) names[count++] = tw__as_flow_at(i)->name;
    const char *near = tw__nearest(bare, names, count);
    tw__as_refuse(b, NULL, op, "pto.operation",
                  near ? "unknown operation '%s'; did you mean '%s%s'?" : "unknown operation '%s'", op->name,
                  near && bare != op->name ? "pto." : "", near);
}

/* "tadd" and "pto.tadd"; dots of the assembler's names for forms that the table keeps under another one. */
static const tw__pto_row *bind_row_of(const char *name, const char *bare)
{
    static const char *const aliases[][2] = { { "tmov.fp", "tmov" },
                                              { "tstore.fp", "tstore_fp" },
                                              { "textract.fp", "textract_fp" },
                                              { "tinsert.fp", "tinsert_fp" } };
    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (strcmp(bare, aliases[i][0]) == 0) bare = aliases[i][1];
    bool could = bare != name || !strchr(bare, '.') || *bare == 't';
    return could ? tw__pto_row_of(bare) : NULL;
}

static void bind_op(tw__as_binder *b, const tw__as_op *op)
{
    const char *name = op->name, *bare = g_str_has_prefix(name, "pto.") ? name + 4 : name;
    const tw__as_flow *flow = tw__as_flow_of(name);
    if (flow) return flow->bind(b, op);
    if (op->blocks) return tw__as_refuse(b, NULL, op, "pto.nesting", "%s cannot stand here", name);
    const tw__pto_row *row = bind_row_of(name, bare);
    bool special = row && (strchr(row->form, 'r') || (op->result_count && strcmp(row->mnemonic, "ttest") == 0));
    if (special) row = NULL; /* tensors of all ranks, an answer: text/ops/devices.c */
    const tw__as_host *host = row ? NULL : tw__as_host_of(name);
    if (row) return tw__as_bind_row(b, op, row);
    if (host) return tw__as_bind_host(b, op, host);
    unknown(b, op, bare);
}

void tw__as_bind_line(tw__as_binder *b, const tw__as_line *line)
{
    bool failed = b->failed;
    uint32_t slot;
    tw__arena_mark mark = tw__arena_save(b->m->scratch);
    const tw__as_op *op = tw__as_op_of(b->m, line);
    b->failed = !op;
    if (op) bind_op(b, op);
    for (unsigned r = 0; op && b->failed && r < op->result_count; r++)
        if (!tw__as_find(b, op->results[r].text, &slot)) tw__as_define(b, op->results[r].text, NULL, NULL);
    b->failed |= failed;
    tw__arena_restore(b->m->scratch, mark);
}

tw__as_code *tw__as_bind_block(tw__as_binder *b, const tw__as_block *block, tw__as_code *owner)
{
    tw__as_code *first = NULL, **outer = b->end;
    guint mark = tw__as_enter(b);
    b->end = &first;
    if (owner && owner->more->tile_end == 0) owner->more->first_tile = b->f->slots;
    for (const tw__as_line *line = block->first; line && tw__as_go_on(b); line = line->next) {
        tw__as_bind_line(b, line);
        if (b->m->no_memory) break;
    }
    tw__as_leave(b, mark);
    if (owner) owner->more->tile_end = b->f->slots;
    b->end = outer;
    return first;
}
