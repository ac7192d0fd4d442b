/* SPDX-License-Identifier: MIT */
/* What accesses of an entry of a worker may touch: the state of the vertex lies apart from the data of its edges,
 * and what one edge points to apart from what another one does (docs/colossus-compiler.md). An address is followed
 * back to the field of the state that it was loaded from; only numbers that come from no other address may be
 * added to it. */
#include "poplar/colossus/cc/ra/ra.h"

enum {
    GROUP_STATE = 1,
    GROUP_FIELDS = 2,
    GROUP_FIELD_COUNT = 4096,
    GROUP_SCALAR = 0xffef, /* a number, no address */
    GROUP_OPEN = 0xfff0,   /* under way */
    GROUP_UNKNOWN = 0xfff1 /* looked at: 0 */
};

typedef struct grouping {
    const tw__mir_insn **definitions; /* by virtual register */
    uint16_t *groups;                 /* of what a register points to; 0: not known */
    GArray *looked_at;                /* uint32_t: registers with a group, for now */
} grouping;

static uint16_t groups_of(grouping *g, tw__mir_reg reg, unsigned depth);

static uint16_t group_of_load(grouping *g, const tw__mir_insn *load, unsigned depth)
{
    const tw__mir_operand *o = load->operands;
    uint16_t from = groups_of(g, o[1].reg, depth + 1);
    bool is_plain = o[2].kind == TW__MIR_REG && o[2].reg == TW__MIR_M0 + RA_ZERO;
    if (from == GROUP_STATE) {
        bool is_field = load->op == TW__OP_ld32_mz && is_plain && o[3].kind == TW__MIR_CONST && !o[0].sub;
        return is_field ? (uint16_t)(GROUP_FIELDS + 2 * (o[3].value % GROUP_FIELD_COUNT)) : 0;
    }
    /* pointers in what a field points to: rows of one edge, apart from the table of them */
    bool is_row = load->op == TW__OP_ld32_mz || load->op == TW__OP_ld32_m;
    return is_row && from >= GROUP_FIELDS && from < GROUP_SCALAR && !(from & 1) ? from + 1 : 0;
}

/* Of two summands one may be a number. A word of the state may be either: two of them say nothing. */
static uint16_t group_of_sum(grouping *g, const tw__mir_insn *insn, unsigned depth)
{
    uint16_t x = groups_of(g, insn->operands[1].reg, depth + 1), y = groups_of(g, insn->operands[2].reg, depth + 1);
    if (x == GROUP_OPEN || y == GROUP_OPEN)
        return x == y || (x == GROUP_SCALAR || y == GROUP_SCALAR) ? GROUP_OPEN : 0;
    return y == GROUP_SCALAR ? x : x == GROUP_SCALAR ? y : 0;
}

static uint16_t group_of_phi(grouping *g, const tw__mir_insn *phi, unsigned depth)
{
    uint16_t sum = GROUP_OPEN;
    for (unsigned k = 2; k < phi->count; k += 2) {
        uint16_t one = groups_of(g, phi->operands[k].reg, depth + 1);
        if (one == GROUP_OPEN) continue;
        if (sum != GROUP_OPEN && one != sum) return 0;
        sum = one;
    }
    return sum;
}

static uint16_t find_group(grouping *g, tw__mir_reg reg, const tw__mir_insn *insn, unsigned depth)
{
    switch (insn->op) {
    case TW__MIR_copy: return insn->operands[1].words == 1 ? groups_of(g, insn->operands[1].reg, depth + 1) : 0;
    case TW__MIR_phi: return group_of_phi(g, insn, depth);
    case TW__OP_add_s:
    case TW__OP_add_z:
    case TW__OP_or_mz:
    case TW__OP_and_mz:
    case TW__OP_andc_mz: return groups_of(g, insn->operands[1].reg, depth + 1);
    case TW__OP_shl_z: {
        uint16_t shifted = groups_of(g, insn->operands[1].reg, depth + 1);
        return shifted && shifted != GROUP_OPEN ? GROUP_SCALAR : 0;
    }
    case TW__MIR_value: return insn->operands[1].kind == TW__MIR_CONST ? GROUP_SCALAR : 0;
    case TW__OP_add_m: return group_of_sum(g, insn, depth);
    case TW__OP_ld32_mz:
    case TW__OP_ld32_m: return insn->operands[0].reg == reg ? group_of_load(g, insn, depth) : 0;
    default: return 0;
    }
}

/* A register under way is open: a loop of phis is what its other sources are. */
static uint16_t groups_of(grouping *g, tw__mir_reg reg, unsigned depth)
{
    if (reg == TW__MIR_M0 + 13) return GROUP_STATE;
    if (reg == TW__MIR_M0 + RA_ZERO) return GROUP_SCALAR;
    if (!ra_is_virtual(reg) || depth > 40) return 0;
    uint32_t v = reg - TW__MIR_VIRTUAL;
    if (!g->definitions[v] || g->groups[v] == GROUP_UNKNOWN) return 0;
    if (g->groups[v]) return g->groups[v];
    g->groups[v] = GROUP_OPEN;
    g_array_append_val(g->looked_at, v);
    uint16_t found = find_group(g, reg, g->definitions[v], depth);
    g->groups[v] = found ? found : GROUP_UNKNOWN;
    return found == GROUP_OPEN && depth == 0 ? 0 : found;
}

static void note_definition(grouping *g, const tw__mir_insn *insn)
{
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE && ra_is_virtual(o->reg))
            g->definitions[o->reg - TW__MIR_VIRTUAL] = insn;
    }
}

/* The addresses of what a row accesses once: base, and a delta where it has one. */
static void set_group(grouping *g, tw__mir_insn *insn)
{
    const tw_isa_row *row = tw__mir_row(insn);
    if (!row || !row->accesses[0] || row->accesses[1] || insn->memory.group || insn->count < 3) return;
    if (insn->operands[insn->count - 1].kind == TW__MIR_FRAME) return;
    uint16_t group = groups_of(g, insn->operands[1].reg, 0);
    for (guint i = 0; i < g->looked_at->len;
         i++) /* what was found under way may be open: it holds for this one only */
        g->groups[g_array_index(g->looked_at, uint32_t, i)] = 0;
    g_array_set_size(g->looked_at, 0);
    if (group >= GROUP_SCALAR || (insn->count == 4 && insn->operands[2].reg != TW__MIR_M0 + RA_ZERO)) group = 0;
    insn->memory.group = group;
}

void tw__ra_groups(tw__mir_function *f)
{
    if (f->context != TW__MIR_WORKER) return;
    grouping g = { .looked_at = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    g.definitions = g_new0(const tw__mir_insn *, f->vreg_count + 1);
    g.groups = g_new0(uint16_t, f->vreg_count + 1);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (const tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) note_definition(&g, insn);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) set_group(&g, insn);
    g_free(g.definitions);
    g_free(g.groups);
    g_array_free(g.looked_at, TRUE);
}
