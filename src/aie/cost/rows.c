/* SPDX-License-Identifier: MIT */
/* rows: what an instruction of the compiler's code takes on the core. Intrinsics by name (ops.def), library functions
 * (calls.def), everything else by its operation. */
#include "aie/cost/cost.h"

#include <stdlib.h>
#include <string.h>

const unsigned tw__aie_widths[TW__AIE_UNITS] = {
    [TW__AIE_NONE] = 64,   [TW__AIE_ALU] = 1,  [TW__AIE_MOVE] = 2,      [TW__AIE_MOVE_VECTOR] = 1,
    [TW__AIE_CONVERT] = 1, [TW__AIE_LOAD] = 2, [TW__AIE_STORE] = 1,     [TW__AIE_VECTOR] = 1,
    [TW__AIE_SRS] = 1,     [TW__AIE_UPS] = 1,  [TW__AIE_STREAM_IN] = 1, [TW__AIE_STREAM_OUT] = 1,
    [TW__AIE_CASCADE] = 1, [TW__AIE_LOCK] = 1, [TW__AIE_CALL] = 1,      [TW__AIE_RESULT] = 1,
};

typedef struct row {
    const char *name;
    tw__aie_cost cost;
} row;

static const row intrinsics[] = {
#define X(name, unit, issues, latency, flags) { name, TW__AIE_COST(TW__AIE_##unit, issues, latency, flags) },
#include "aie/cost/ops.def"
#undef X
};
static const struct {
    const char *name;
    unsigned cycles;
} library[] = {
#define X(name, cycles) { name, cycles },
#include "aie/cost/calls.def"
#undef X
};

bool tw__aie_is_intrinsic(const tw__ir_value *v)
{
    return (v->op == TW__IR_call || v->op == TW__IR_invoke) && v->section &&
           strcmp(v->section, TW__AIE_SECTION) == 0;
}

/* _ZL5mul16..., _Z11readincr_v4I..., _ZN3adf5fnameE...: the last part of the name; operators as "operator". */
char *tw__aie_plain_name(const char *linkage)
{
    if (strncmp(linkage, "_Z", 2) != 0) return g_strdup(linkage);
    const char *at = linkage + 2, *name = at;
    size_t length = 0;
    bool is_nested = *at == 'N';
    while (*at == 'L' || *at == 'N' || *at == 'K') at++;
    while (g_ascii_isdigit(*at) && (is_nested || !length)) {
        char *end;
        unsigned long n = strtoul(at, &end, 10);
        if (n == 0 || n > strlen(end)) break;
        name = end, length = n, at = end + n;
        while (*at == 'L') at++;
    }
    return length ? g_strndup(name, length) : g_strdup("operator");
}

/* Patterns have one or two stars. */
static bool rows_fits(const char *pattern, const char *name)
{
    for (; *pattern && *pattern != '*'; pattern++, name++)
        if (*pattern != *name) return false;
    if (!*pattern) return !*name;
    if (!pattern[1]) return true;
    for (; *name; name++)
        if (rows_fits(pattern + 1, name)) return true;
    return false;
}

enum { PORT_BYTES = 32, WORD_BYTES = 4, BRANCH = 5 };

static unsigned in_units(uint32_t bytes, unsigned unit)
{
    return bytes > unit ? (bytes + unit - 1) / unit : 1;
}

/* What an intrinsic moves: its result, else its widest operand; behind pointers, what lies in a register. */
static uint32_t bytes_moved(const tw__ir_function *f, const tw__ir_value *v)
{
    uint32_t bytes = v->bytes;
    for (uint32_t i = 0; i < v->operands && !v->bytes; i++) {
        const tw__ir_value *o = &f->values[f->operands[v->first + i]];
        uint32_t own = o->op == TW__IR_alloca ? o->bytes : o->is_pointer ? 0 : o->bytes;
        if (own > bytes && own <= 256) bytes = own;
    }
    return bytes ? bytes : WORD_BYTES;
}

static tw__aie_cost cost_of_intrinsic(const tw__ir_function *f, const tw__ir_value *v)
{
    g_autofree char *name = tw__aie_plain_name(v->callee);
    size_t i = 0;
    while (!rows_fits(intrinsics[i].name, name)) i++; /* the last row fits everything */
    tw__aie_cost cost = intrinsics[i].cost;
    uint32_t bytes = bytes_moved(f, v);
    bool is_port = cost.unit == TW__AIE_STREAM_IN || cost.unit == TW__AIE_STREAM_OUT;
    if (!cost.issues) cost.issues = in_units(bytes, is_port ? WORD_BYTES : PORT_BYTES);
    if (cost.unit == TW__AIE_LOAD && bytes <= 4) cost.flags |= TW__AIE_SCALAR;
    if (cost.flags & TW__AIE_BY_LANE && bytes > WORD_BYTES) { /* out of the vector and back into it: both moves */
        cost.issues = bytes / WORD_BYTES, cost.latency = cost.issues + 3;
        cost.flags &= ~(unsigned)TW__AIE_SCALAR;
    }
    return cost;
}

static tw__aie_cost cost_of_call(const tw__ir_function *f, const tw__ir_value *v)
{
    if (tw__aie_is_intrinsic(v)) return cost_of_intrinsic(f, v);
    tw__aie_cost cost = TW__AIE_COST(TW__AIE_CALL, 1, 1 + BRANCH, TW__AIE_BARRIER);
    if (!v->callee) return cost;
    if (g_str_has_prefix(v->callee, "llvm.")) {
        static const struct {
            const char *name;
            tw__aie_cost cost;
        } own[] = {
            { "llvm.fmuladd.v", TW__AIE_COST(TW__AIE_VECTOR, 1, 6, TW__AIE_FLOAT) },
            { "llvm.fabs", TW__AIE_COST(TW__AIE_ALU, 1, 1, TW__AIE_SCALAR) },
            { "llvm.smax", TW__AIE_COST(TW__AIE_ALU, 2, 2, TW__AIE_SCALAR) },
            { "llvm.smin", TW__AIE_COST(TW__AIE_ALU, 2, 2, TW__AIE_SCALAR) },
            { "llvm.umax", TW__AIE_COST(TW__AIE_ALU, 2, 2, TW__AIE_SCALAR) },
            { "llvm.umin", TW__AIE_COST(TW__AIE_ALU, 2, 2, TW__AIE_SCALAR) },
            { "llvm.abs", TW__AIE_COST(TW__AIE_ALU, 1, 1, TW__AIE_SCALAR) },
            { "llvm.sqrt", TW__AIE_COST(TW__AIE_CALL, 1, 40, TW__AIE_BARRIER) },
            { "llvm.round", TW__AIE_COST(TW__AIE_CALL, 1, 88, TW__AIE_BARRIER) },
            { "llvm.exp", TW__AIE_COST(TW__AIE_CALL, 1, 65, TW__AIE_BARRIER) },
            { "llvm.log", TW__AIE_COST(TW__AIE_CALL, 1, 65, TW__AIE_BARRIER) },
            { "llvm.floor", TW__AIE_COST(TW__AIE_CALL, 1, 40, TW__AIE_BARRIER) },
        };
        for (size_t i = 0; i < G_N_ELEMENTS(own); i++)
            if (g_str_has_prefix(v->callee, own[i].name)) return own[i].cost;
        return TW__AIE_COST(TW__AIE_NONE, 1, 0, 0);
    }
    if (g_str_has_prefix(v->callee, "tw__aie_")) return TW__AIE_COST(TW__AIE_NONE, 1, 0, 0); /* marks */
    g_autofree char *name = tw__aie_plain_name(v->callee);
    for (size_t i = 0; i < G_N_ELEMENTS(library); i++)
        if (strcmp(library[i].name, name) == 0) cost.latency = library[i].cycles;
    if (g_str_has_prefix(v->callee, "tw_aie_")) cost.flags |= TW__AIE_ENDS;
    return cost;
}

tw__aie_cost tw__aie_cost_of(const tw__ir_function *f, const tw__ir_value *v)
{
    const tw__aie_cost alu = TW__AIE_COST(TW__AIE_ALU, 1, 1, TW__AIE_SCALAR),
                       vector = TW__AIE_COST(TW__AIE_VECTOR, 1, 3, 0);
    bool wide = v->lanes > 1;
    switch (v->op) {
    case TW__IR_call:
    case TW__IR_invoke: return cost_of_call(f, v);
    case TW__IR_add:
    case TW__IR_sub:
    case TW__IR_and:
    case TW__IR_or:
    case TW__IR_xor:
    case TW__IR_shl:
    case TW__IR_lshr:
    case TW__IR_ashr:
    case TW__IR_icmp:
    case TW__IR_select:
    case TW__IR_fneg: return wide ? vector : alu;
    case TW__IR_mul:
        return wide ? TW__AIE_COST(TW__AIE_VECTOR, 1, 6, 0) : TW__AIE_COST(TW__AIE_ALU, 1, 3, TW__AIE_SCALAR);
    case TW__IR_udiv:
    case TW__IR_sdiv:
    case TW__IR_urem:
    case TW__IR_srem: return TW__AIE_COST(TW__AIE_CALL, 1, 40 * v->lanes, TW__AIE_BARRIER);
    case TW__IR_fdiv:
    case TW__IR_frem: return TW__AIE_COST(TW__AIE_CALL, 1, 50 * v->lanes, TW__AIE_BARRIER);
    case TW__IR_fadd:
    case TW__IR_fsub:
    case TW__IR_fmul: /* a scalar goes to the vector unit and comes back */
        if (v->is_double) return TW__AIE_COST(TW__AIE_CALL, 1, 60 * v->lanes, TW__AIE_BARRIER);
        return wide ? TW__AIE_COST(TW__AIE_VECTOR, in_units(v->bytes, PORT_BYTES), 6, TW__AIE_FLOAT)
                    : TW__AIE_COST(TW__AIE_VECTOR, 1, 9, TW__AIE_SCALAR);
    case TW__IR_fcmp:
        return v->is_double ? TW__AIE_COST(TW__AIE_CALL, 1, 60, TW__AIE_BARRIER)
               : wide       ? vector
                            : TW__AIE_COST(TW__AIE_VECTOR, 1, 5, TW__AIE_SCALAR);
    case TW__IR_fptoui:
    case TW__IR_fptosi:
    case TW__IR_uitofp:
    case TW__IR_sitofp:
        return TW__AIE_COST(TW__AIE_CONVERT, wide ? 2 * v->lanes : 1, wide ? 5 : 2, wide ? 0 : TW__AIE_SCALAR);
    case TW__IR_fpext:
    case TW__IR_fptrunc: return alu;
    case TW__IR_load:
        return TW__AIE_COST(TW__AIE_LOAD, in_units(v->bytes, PORT_BYTES), 8,
                            wide || v->bytes > 8 ? 0 : TW__AIE_SCALAR);
    case TW__IR_store: return TW__AIE_COST(TW__AIE_STORE, in_units(v->bytes, PORT_BYTES), 1, 0);
    case TW__IR_extractelement: return TW__AIE_COST(TW__AIE_MOVE_VECTOR, 1, 1, TW__AIE_SCALAR);
    case TW__IR_insertelement: return TW__AIE_COST(TW__AIE_MOVE_VECTOR, 1, 1, 0);
    case TW__IR_shufflevector: return vector;
    case TW__IR_br:
    case TW__IR_switch:
    case TW__IR_ret: return TW__AIE_COST(TW__AIE_ALU, 1, 0, 0);
    default: return TW__AIE_COST(TW__AIE_NONE, 1, 0, 0);
    }
}
