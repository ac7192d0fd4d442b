/* SPDX-License-Identifier: MIT */
/* Frames of callers: the rules of .debug_frame (DWARF 4, 6.4) at an address, and registers by them. */
#include "poplar/colossus/debug/debug.h"
#include "poplar/colossus/object/dwarf.h"

#include <string.h>

enum { REGISTERS = 32, MOST_STATES = 32, MOST_STEPS = 100000 };

typedef enum rule_kind { UNDEFINED, SAME, AT_OFFSET, VALUE_OFFSET, IN_REGISTER } rule_kind;

typedef struct rules {
    bool has_cfa;
    uint32_t cfa_register;
    int64_t cfa_offset;
    struct rule {
        rule_kind kind;
        int64_t value;
    } registers[REGISTERS];
} rules;

typedef struct table { /* one CIE and an entry of it */
    uint64_t code_align;
    int64_t data_align;
    uint64_t back; /* register of the return address */
    uint32_t start, end;
    tw__bytes common, own;
} table;

typedef struct run {
    const table *t;
    tw__bytes b;
    uint32_t at;
    rules now, first, kept[MOST_STATES];
    unsigned depth, steps;
} run;

/* --- entries of the section ------------------------------------------------------------------------------------- */

/* The part of an entry behind its length; at NULL: there is none. */
static tw__bytes entry_at(const tw_debug *d, uint64_t offset, uint64_t *next)
{
    tw__bytes b = d->frame, none = { 0 };
    if (!b.at || !tw__bytes_skip(&b, offset)) return none;
    uint64_t length = tw__bytes_number(&b, 4);
    const uint8_t *at = tw__bytes_skip(&b, length);
    if (b.is_bad || length < 4) return none;
    *next = offset + 4 + length;
    return (tw__bytes){ at, at + length, false };
}

static bool read_common(const tw_debug *d, uint64_t offset, table *t)
{
    uint64_t next;
    tw__bytes b = entry_at(d, offset, &next);
    if (!b.at || tw__bytes_number(&b, 4) != UINT32_MAX) return false;
    uint64_t version = tw__bytes_number(&b, 1);
    if ((version != 3 && version != 4) || *tw__bytes_text(&b)) return false;
    if (version == 4 && (tw__bytes_number(&b, 1) != 4 || tw__bytes_number(&b, 1))) return false;
    t->code_align = tw__bytes_leb(&b);
    t->data_align = tw__bytes_sleb(&b);
    t->back = tw__bytes_leb(&b);
    t->common = b;
    return !b.is_bad && t->back < REGISTERS && t->code_align <= 8 && t->data_align >= -8 && t->data_align <= 8;
}

/* The entry of the function at an address. */
static bool find_table(const tw_debug *d, uint32_t address, table *t)
{
    uint64_t next = 0;
    for (tw__bytes b; (b = entry_at(d, next, &next)).at;) {
        uint64_t common = tw__bytes_number(&b, 4);
        if (common == UINT32_MAX) continue;
        uint32_t start = (uint32_t)tw__bytes_number(&b, 4), length = (uint32_t)tw__bytes_number(&b, 4);
        if (b.is_bad || start == UINT32_MAX || address < start || address - start >= length) continue;
        t->start = start, t->end = start + length, t->own = b;
        return read_common(d, common, t);
    }
    return false;
}

/* --- rules ------------------------------------------------------------------------------------------------------ */

static void set_rule(run *r, uint64_t reg, rule_kind kind, int64_t value)
{
    if (reg < REGISTERS) r->now.registers[reg] = (struct rule){ kind, value };
}

static int64_t unwind_scaled(const run *r, int64_t n)
{
    return n >= -(1 << 24) && n <= 1 << 24 ? n * r->t->data_align : 0;
}

static void unwind_advance(run *r, uint64_t n)
{
    r->at += (uint32_t)(n * r->t->code_align);
}

static void set_cfa(run *r, uint64_t reg, int64_t offset)
{
    r->now.has_cfa = reg < REGISTERS;
    r->now.cfa_register = (uint32_t)reg, r->now.cfa_offset = offset;
}

static void restore_rule(run *r, uint64_t reg)
{
    if (reg < REGISTERS) r->now.registers[reg] = r->first.registers[reg];
}

/* False: it is damaged. */
static bool extended_operation(run *r, unsigned op)
{
    uint64_t reg;
    switch (op) {
    case CFA_NOP: return true;
    case CFA_SET_ADDRESS: r->at = (uint32_t)tw__bytes_number(&r->b, 4); return true;
    case CFA_ADVANCE1: unwind_advance(r, tw__bytes_number(&r->b, 1)); return true;
    case CFA_ADVANCE2: unwind_advance(r, tw__bytes_number(&r->b, 2)); return true;
    case CFA_ADVANCE4: unwind_advance(r, tw__bytes_number(&r->b, 4)); return true;
    case CFA_OFFSET_EXTENDED:
        reg = tw__bytes_leb(&r->b), set_rule(r, reg, AT_OFFSET, unwind_scaled(r, (int64_t)tw__bytes_leb(&r->b)));
        return true;
    case CFA_RESTORE_EXTENDED: restore_rule(r, tw__bytes_leb(&r->b)); return true;
    case CFA_UNDEFINED: set_rule(r, tw__bytes_leb(&r->b), UNDEFINED, 0); return true;
    case CFA_SAME: set_rule(r, tw__bytes_leb(&r->b), SAME, 0); return true;
    case CFA_REGISTER:
        reg = tw__bytes_leb(&r->b), set_rule(r, reg, IN_REGISTER, (int64_t)tw__bytes_leb(&r->b));
        return true;
    case CFA_REMEMBER:
        if (r->depth == MOST_STATES) return false;
        r->kept[r->depth++] = r->now;
        return true;
    case CFA_RESTORE_STATE:
        if (!r->depth) return false;
        r->now = r->kept[--r->depth];
        return true;
    case CFA_DEF: reg = tw__bytes_leb(&r->b), set_cfa(r, reg, (int64_t)tw__bytes_leb(&r->b)); return true;
    case CFA_DEF_REGISTER: set_cfa(r, tw__bytes_leb(&r->b), r->now.cfa_offset); return true;
    case CFA_DEF_OFFSET: r->now.cfa_offset = (int64_t)tw__bytes_leb(&r->b); return true;
    case CFA_DEF_EXPRESSION: r->now.has_cfa = false, tw__bytes_skip(&r->b, tw__bytes_leb(&r->b)); return true;
    case CFA_EXPRESSION:
    case CFA_VALUE_EXPRESSION:
        reg = tw__bytes_leb(&r->b), set_rule(r, reg, UNDEFINED, 0), tw__bytes_skip(&r->b, tw__bytes_leb(&r->b));
        return true;
    case CFA_OFFSET_SIGNED:
        reg = tw__bytes_leb(&r->b), set_rule(r, reg, AT_OFFSET, unwind_scaled(r, tw__bytes_sleb(&r->b)));
        return true;
    case CFA_DEF_SIGNED:
        reg = tw__bytes_leb(&r->b), set_cfa(r, reg, unwind_scaled(r, tw__bytes_sleb(&r->b)));
        return true;
    case CFA_DEF_OFFSET_SIGNED: r->now.cfa_offset = unwind_scaled(r, tw__bytes_sleb(&r->b)); return true;
    case CFA_VALUE:
        reg = tw__bytes_leb(&r->b), set_rule(r, reg, VALUE_OFFSET, unwind_scaled(r, (int64_t)tw__bytes_leb(&r->b)));
        return true;
    case CFA_VALUE_SIGNED:
        reg = tw__bytes_leb(&r->b), set_rule(r, reg, VALUE_OFFSET, unwind_scaled(r, tw__bytes_sleb(&r->b)));
        return true;
    default: return false;
    }
}

/* Up to what holds at an address; false: it is damaged. */
static bool run_rules(run *r, tw__bytes code, uint32_t address)
{
    r->b = code;
    while (r->b.at < r->b.end && r->at <= address) {
        rules before = r->now;
        unsigned op = (unsigned)tw__bytes_number(&r->b, 1), low = op & 0x3f;
        bool good = ++r->steps < MOST_STEPS;
        if ((op & 0xc0) == CFA_ADVANCE)
            unwind_advance(r, low);
        else if ((op & 0xc0) == CFA_OFFSET)
            set_rule(r, low, AT_OFFSET, unwind_scaled(r, (int64_t)tw__bytes_leb(&r->b)));
        else if ((op & 0xc0) == CFA_RESTORE)
            restore_rule(r, low);
        else
            good = good && extended_operation(r, op);
        if (!good || r->b.is_bad) return false;
        if (r->at > address) r->now = before;
    }
    return true;
}

/* False with an error. */
static bool find_rules(const tw_debug *d, uint32_t address, table *t, rules *out)
{
    run *r = find_table(d, address, t) ? tw__calloc(1, sizeof *r) : NULL;
    if (!r) {
        tw__fail(TW_E_SYMBOL, "nothing tells the frame at 0x%x: .cfi_* and popc -g do", address);
        return false;
    }
    r->t = t, r->at = t->start;
    bool good = run_rules(r, t->common, UINT32_MAX);
    r->first = r->now, r->at = t->start;
    good = good && run_rules(r, t->own, address);
    *out = r->now;
    free(r);
    if (!good) tw__fail(TW_E_OBJECT_LOAD, "the rules of the frame at 0x%x are damaged", address);
    return good;
}

/* --- registers -------------------------------------------------------------------------------------------------- */

static bool own_register(const tw_debug_state *state, uint64_t number, uint32_t *value)
{
    *value = 0;
    return number < REGISTERS && state->get_register && state->get_register(state->user, (unsigned)number, value);
}

static bool cfa_by(const rules *r, const tw_debug_state *state, uint32_t *cfa)
{
    if (!r->has_cfa || !own_register(state, r->cfa_register, cfa)) return false;
    *cfa += (uint32_t)r->cfa_offset;
    return true;
}

bool tw__frame_cfa(const tw__look *look, uint32_t *cfa)
{
    table t;
    rules r;
    return find_rules(look->d, look->state->pc, &t, &r) && cfa_by(&r, look->state, cfa);
}

static bool register_by(const struct rule *rule, unsigned number, const tw_debug_state *state, uint32_t cfa,
                        uint32_t *value)
{
    uint8_t b[4];
    switch (rule->kind) {
    case UNDEFINED: return false;
    case SAME: return own_register(state, number, value);
    case IN_REGISTER: return own_register(state, (uint64_t)rule->value, value);
    case VALUE_OFFSET: *value = cfa + (uint32_t)rule->value; return true;
    case AT_OFFSET: break;
    }
    if (!state->read || !state->read(state->user, cfa + (uint32_t)rule->value, b, sizeof b)) return false;
    *value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

tw_status tw_debug_unwind(const tw_debug *debug, const tw_debug_state *given, tw_debug_caller *caller)
{
    tw_debug_state state;
    table t;
    rules r;
    uint32_t cfa, back;
    if (!debug) return tw__missing("debug information");
    if (!caller) return tw__fail(TW_E_INVALID_ARGUMENT, "a caller needs a place for its registers");
    tw_status status = TW__TAKE_OPTIONS(&state, given, tw_debug_state);
    if (status != TW_OK) return status;
    if (!find_rules(debug, state.pc, &t, &r)) return tw_error_status();
    if (!cfa_by(&r, &state, &cfa))
        return tw__fail(TW_E_TYPE, "where the frame at 0x%x lies is not known", state.pc);
    if (!register_by(&r.registers[t.back], (unsigned)t.back, &state, cfa, &back))
        return tw__fail(TW_E_INDEX, "the function at 0x%x was not called: it is an entry", state.pc);
    *caller = (tw_debug_caller){ .pc = back };
    for (unsigned i = 0; i < REGISTERS; i++)
        if (register_by(&r.registers[i], i, &state, cfa, &caller->values[i])) caller->known |= 1u << i;
    return TW_OK;
}
