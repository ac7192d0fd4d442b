/* SPDX-License-Identifier: MIT */
/* Which instructions are translated together: all that can be reached from a hot one, calls and returns included, up
 * to a limit. */
#include "poplar/colossus/sim/native.h"

enum { MOST = 2000 };  /* instructions of a region: more take the compiler too long */
enum { FAR = 0x4000 }; /* bytes: a table of jumps leads nowhere so far away */

static bool region_holds(const tw__region *r, uint32_t address)
{
    return !(address & 3) && (address - r->sim->base) / 4 < r->words;
}

const tw__sim_op *tw__region_op(const tw__region *r, uint32_t address)
{
    if (!region_holds(r, address)) return NULL;
    const tw__sim_op *op = tw__sim_at(&r->sim->contexts[0], address);
    if (op && op->run == tw__sim_first) tw__sim_decode(r->sim, (tw__sim_op *)op);
    return op;
}

uint32_t tw__region_body(const tw__sim_op *rpt, uint32_t *end)
{
    uint32_t first = tw__region_next(rpt), size = rpt->row == TW__OP_rpt_m ? rpt->imm : rpt->r[3];
    *end = first + 8 * (size + 1);
    return first;
}

static void region_extend(tw__region *r, uint32_t low, uint32_t high)
{
    r->low = MIN(r->low, low), r->high = MAX(r->high, high);
}

/* Can this repeat loop be translated? Its body is then a part of the region. */
static bool region_loop(tw__region *r, const tw__sim_op *rpt)
{
    uint32_t end, first = tw__region_body(rpt, &end);
    if (first & 7 || !region_holds(r, end)) return false;
    for (uint32_t at = first; at < end; at += 8) {
        const tw__sim_op *op = tw__region_op(r, at);
        if (!op || op->aux_row >= TW__OP_COUNT || op->row >= TW__OP_COUNT ||
            tw__native_kind_of(op) != TW__NATIVE_PLAIN)
            return false;
    }
    *tw__region_at(r, first) |= TW__REGION_BODY;
    region_extend(r, first, end);
    r->count += (end - first) / 8;
    return true;
}

/* Registers with a constant, and those loaded from the table that begins at such a one. */
typedef struct constants {
    uint32_t numbers[TW__SIM_REGISTERS], tables[TW__SIM_REGISTERS];
} constants;

static void region_note(constants *c, const tw__sim_op *op)
{
    if (op->row == TW__OP_setzi_m) c->numbers[op->d[0]] = op->imm;
    if (op->row == TW__OP_ld32_m) c->tables[op->d[0]] = c->numbers[op->r[1]];
}

/* A switch goes on at what its table holds, up to the first word that cannot belong to it. A wrong guess costs
 * the compiler's time: what is not among the entries of a region, the interpreter finds. */
static void region_table(tw__region *r, uint32_t from, uint32_t table, GArray *todo)
{
    const tw_sim *sim = r->sim;
    uint32_t target, rest = MOST; /* a table that is none has no end */
    for (; rest && table >= sim->base && table - sim->base <= sim->size - 4; table += 4, rest--) {
        memcpy(&target, sim->memory + (table - sim->base), 4);
        if (target - from + FAR > 2 * FAR || !tw__region_op(r, target)) return;
        *tw__region_at(r, target) |= TW__REGION_LEADER | TW__REGION_ENTRY;
        g_array_append_val(todo, target);
    }
}

/* Instructions from a leader to where control leaves; what they lead to is put on the list. */
static void region_walk(tw__region *r, uint32_t address, GArray *todo)
{
    constants known = { 0 };
    for (;;) {
        const tw__sim_op *op = tw__region_op(r, address);
        if (!op) return;
        if (*tw__region_at(r, address) & TW__REGION_SEEN) {
            *tw__region_at(r, address) |= TW__REGION_LEADER;
            return;
        }
        uint32_t next = tw__region_next(op), target = op->imm, end;
        tw__native_kind kind = tw__native_kind_of(op);
        if (kind == TW__NATIVE_REPEAT && !region_loop(r, op)) kind = TW__NATIVE_STEP;
        *tw__region_at(r, address) |= TW__REGION_SEEN;
        region_extend(r, address, next);
        uint8_t at_target =
            kind == TW__NATIVE_CALL || target <= address ? TW__REGION_LEADER | TW__REGION_ENTRY : TW__REGION_LEADER;
        if (++r->count > MOST && kind != TW__NATIVE_REPEAT) kind = TW__NATIVE_END;
        if (kind == TW__NATIVE_STEP || kind == TW__NATIVE_END)
            *tw__region_at(r, address) |= TW__REGION_LEFT | TW__REGION_LEADER;
        region_note(&known, op);
        if (kind == TW__NATIVE_DYNAMIC) region_table(r, address, known.tables[op->r[0]], todo);
        if (kind == TW__NATIVE_END || kind == TW__NATIVE_DYNAMIC) return;
        if (kind == TW__NATIVE_BRANCH || kind == TW__NATIVE_JUMP || kind == TW__NATIVE_CALL) {
            if (region_holds(r, target)) *tw__region_at(r, target) |= at_target, g_array_append_val(todo, target);
            if (kind == TW__NATIVE_JUMP) return;
        }
        if (kind == TW__NATIVE_REPEAT) tw__region_body(op, &end), next = end;
        if (!region_holds(r, next)) return;
        if (kind == TW__NATIVE_CALL || kind == TW__NATIVE_STEP) *tw__region_at(r, next) |= TW__REGION_ENTRY;
        if (kind != TW__NATIVE_PLAIN) *tw__region_at(r, next) |= TW__REGION_LEADER;
        address = next;
    }
}

tw__region *tw__region_new(tw_sim *sim, uint32_t start)
{
    tw__region *r = g_new0(tw__region, 1);
    r->sim = sim, r->words = (sim->region1 - sim->base) / 4;
    r->low = UINT32_MAX, r->flags = g_malloc0(r->words);
    GArray *todo = g_array_new(FALSE, FALSE, sizeof start);
    if (region_holds(r, start)) {
        *tw__region_at(r, start) |= TW__REGION_LEADER | TW__REGION_ENTRY;
        g_array_append_val(todo, start);
    }
    while (todo->len && r->count <= MOST) {
        uint32_t address = g_array_index(todo, uint32_t, todo->len - 1);
        g_array_set_size(todo, todo->len - 1);
        region_walk(r, address, todo);
    }
    g_array_free(todo, TRUE);
    return r;
}

void tw__region_free(tw__region *r)
{
    g_free(r->flags);
    g_free(r);
}
