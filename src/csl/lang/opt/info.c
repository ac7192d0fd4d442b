/* SPDX-License-Identifier: MIT */
/* info: what instructions read, write and compute. The only place that knows rows of uses, maps and DSR loads. */
#include "csl/lang/opt/local.h"

static const char service_result[] = {
#define V                                       0
#define U16                                     1
#define U32                                     1
#define F32                                     1
#define X(NAME, name, result, args, when, text) result,
#include "csl/lang/code/service.def"
#undef X
#undef V
#undef U16
#undef U32
#undef F32
};

static void read_action(const tw__csl_action *a, tw__opt_visit *visit, void *user)
{
    if (a->in_register) visit(user, a->at, 1);
}

static void read_arg(const tw__csl_arg *arg, tw__opt_visit *visit, void *user)
{
    if (arg->kind == TW__CSL_ARG_DSD) visit(user, arg->at, 2);
    if (arg->kind == TW__CSL_ARG_SCALAR || arg->kind == TW__CSL_ARG_POINTER) visit(user, arg->at, 1);
}

static void read_use(const tw__csl_dsd_use *use, tw__opt_visit *visit, void *user)
{
    for (unsigned k = 0; k < 4; k++) read_arg(&use->arg[k], visit, user);
    if (use->flags & TW__CSL_USE_INDEX) visit(user, use->index, 1);
    if (use->flags & TW__CSL_USE_FOLD) visit(user, use->from, 1);
    read_action(&use->done, visit, user);
    read_action(&use->on_control, visit, user);
}

static void read_map(const tw__csl_map *map, tw__opt_visit *visit, void *user)
{
    for (unsigned k = 0; k < map->input_count; k++) read_arg(&map->input[k], visit, user);
    if (map->has_output) read_arg(&map->output, visit, user);
}

static void read_tables(const opt *o, const opt_function *f, tw__csl_insn i, tw__opt_visit *visit, void *user)
{
    const tw__csl_program *p = o->p;
    uint32_t x = tw__csl_wide(i);
    switch (i.op) {
    case TW__CSL_I_RET: visit(user, 0, f->results); break;
    case TW__CSL_I_CALL:
    case TW__CSL_I_TAIL: visit(user, i.a, p->functions[x].params); break;
    case TW__CSL_I_CALLI: visit(user, i.a, i.c); break;
    case TW__CSL_I_SYS: visit(user, i.a, i.c); break;
    case TW__CSL_I_DSDOP: read_use(&p->uses[x], visit, user); break;
    case TW__CSL_I_MAP: read_map(&p->maps[x], visit, user); break;
    case TW__CSL_I_LOAD_DSR:
        visit(user, p->dsr_loads[x].pair, 2);
        read_action(&p->dsr_loads[x].done, visit, user);
        read_action(&p->dsr_loads[x].on_control, visit, user);
        break;
    }
}

void tw__opt_reads(const opt *o, const opt_function *f, tw__csl_insn i, tw__opt_visit *visit, void *user)
{
    if (i.op == OPT_INDEX) visit(user, i.a, 1);
    if (i.op >= TW__CSL_OPS) return;
    const char *operands = tw__csl_op_rows[i.op].operands;
    const uint16_t at[3] = { i.a, i.b, i.c };
    for (unsigned k = 0; k < 3; k++) {
        if (operands[k] == 's') visit(user, at[k], 1);
        if (operands[k] == 'S') visit(user, at[k], 2);
    }
    if (tw__opt_is_cmov(i)) visit(user, i.a, 1);
    read_tables(o, f, i, visit, user);
}

void tw__opt_writes(const opt *o, tw__csl_insn i, tw__opt_visit *visit, void *user)
{
    if (i.op >= TW__CSL_OPS) return;
    char first = tw__csl_op_rows[i.op].operands[0];
    if (first == 'd') visit(user, i.a, 1);
    if (first == 'D') visit(user, i.a, 2);
    if (i.op == TW__CSL_I_CALL) visit(user, i.a, o->p->functions[tw__csl_wide(i)].results);
    if (i.op == TW__CSL_I_SYS && i.b < sizeof service_result && service_result[i.b]) visit(user, i.a, 1);
}

uint32_t tw__opt_lost_from(tw__csl_insn i)
{
    return i.op < TW__CSL_OPS && tw__csl_op_rows[i.op].operands[0] == 'w' ? i.a : UINT32_MAX;
}

typedef struct search {
    uint32_t wanted;
    bool found;
} search;

static void look(void *user, uint32_t first, uint32_t count)
{
    search *s = user;
    s->found |= s->wanted >= first && s->wanted - first < count;
}

bool tw__opt_asks(const opt *o, const opt_function *f, tw__csl_insn i, uint32_t reg)
{
    search s = { reg, false };
    tw__opt_reads(o, f, i, look, &s);
    return s.found;
}

bool tw__opt_takes(const opt *o, tw__csl_insn i, uint32_t reg)
{
    search s = { reg, false };
    tw__opt_writes(o, i, look, &s);
    return s.found || reg >= tw__opt_lost_from(i);
}

enum opt_family tw__opt_family(unsigned op, unsigned *type)
{
    static const struct {
        unsigned first, end, each;
        enum opt_family family;
    } ranges[] = {
        { TW__CSL_I_ADD_U8, TW__CSL_I_FADD_F32, 8, OPT_ADD },
        { TW__CSL_I_FADD_F32, TW__CSL_I_LD_U8, 4, OPT_FADD },
        { TW__CSL_I_LD_U8, TW__CSL_OPS, 7, OPT_LD },
    };
    for (unsigned k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if (op >= ranges[k].first && op < ranges[k].end) {
            *type = (op - ranges[k].first) % ranges[k].each;
            return ranges[k].family + (op - ranges[k].first) / ranges[k].each;
        }
    *type = 0;
    return OPT_PLAIN;
}

unsigned tw__opt_op(enum opt_family family, unsigned type)
{
    if (family >= OPT_LD) return TW__CSL_I_LD_U8 + (family - OPT_LD) * 7u + type;
    if (family >= OPT_FADD) return TW__CSL_I_FADD_F32 + (family - OPT_FADD) * 4u + type;
    return TW__CSL_I_ADD_U8 + (family - OPT_ADD) * 8u + type;
}

bool tw__opt_pure(tw__csl_insn i)
{
    if (i.op >= TW__CSL_OPS) return false;
    char first = tw__csl_op_rows[i.op].operands[0];
    unsigned type;
    switch (tw__opt_family(i.op, &type)) {
    case OPT_DIV:
    case OPT_REM: return false; /* by zero */
    case OPT_LD:
    case OPT_LDX: return false; /* an address outside memory */
    case OPT_LDA: return tw__csl_wide(i) + 8 <= TW__CSL_PE_BYTES;
    default: break;
    }
    switch (i.op) {
    case TW__CSL_I_NOP: return true;
    case TW__CSL_I_LDDSD:
    case TW__CSL_I_DSDOP:
    case TW__CSL_I_GET_CONFIG:
    case TW__CSL_I_RANDOM16: return false;
    case TW__CSL_I_LDDSDA: return tw__csl_wide(i) + sizeof(tw__csl_dsd) <= TW__CSL_PE_BYTES;
    default: return first == 'd' || first == 'D';
    }
}

bool tw__opt_reads_operand(tw__csl_insn i, unsigned k)
{
    if (i.op == OPT_INDEX) return k == 0;
    return i.op < TW__CSL_OPS && tw__csl_op_rows[i.op].operands[k] == 's';
}

bool tw__opt_writes_a(tw__csl_insn i)
{
    return i.op < TW__CSL_OPS && tw__csl_op_rows[i.op].operands[0] == 'd';
}

bool tw__opt_is_jump(tw__csl_insn i)
{
    return i.op >= TW__CSL_I_JMP && i.op <= TW__CSL_I_JLEU;
}

bool tw__opt_conditional(tw__csl_insn i)
{
    return tw__opt_is_jump(i) && i.op != TW__CSL_I_JMP;
}

bool tw__opt_ends(tw__csl_insn i)
{
    return i.op == TW__CSL_I_RET || i.op == TW__CSL_I_TAIL || i.op == TW__CSL_I_JMP || i.op == TW__CSL_I_TRAP;
}

tw__csl_insn tw__opt_opposite(tw__csl_insn i)
{
    static const uint16_t other[] = {
        [TW__CSL_I_JT - TW__CSL_I_JMP] = TW__CSL_I_JF,     [TW__CSL_I_JF - TW__CSL_I_JMP] = TW__CSL_I_JT,
        [TW__CSL_I_JEQ - TW__CSL_I_JMP] = TW__CSL_I_JNE,   [TW__CSL_I_JNE - TW__CSL_I_JMP] = TW__CSL_I_JEQ,
        [TW__CSL_I_JLTS - TW__CSL_I_JMP] = TW__CSL_I_JLES, [TW__CSL_I_JLES - TW__CSL_I_JMP] = TW__CSL_I_JLTS,
        [TW__CSL_I_JLTU - TW__CSL_I_JMP] = TW__CSL_I_JLEU, [TW__CSL_I_JLEU - TW__CSL_I_JMP] = TW__CSL_I_JLTU
    };
    bool swap = i.op >= TW__CSL_I_JLTS; /* not a < b is b <= a */
    return (tw__csl_insn){ other[i.op - TW__CSL_I_JMP], swap ? i.b : i.a, swap ? i.a : i.b, i.c };
}

/* --- values --- */

unsigned tw__opt_bits(unsigned type)
{
    return 8u << (type / 2);
}

uint64_t tw__opt_wrap(unsigned type, uint64_t value)
{
    unsigned drop = 64 - tw__opt_bits(type);
    return type & 1 ? (uint64_t)((int64_t)(value << drop) >> drop) : value << drop >> drop;
}

static bool fold_typed(enum opt_family family, unsigned type, uint64_t b, uint64_t c, uint16_t raw, uint64_t *out)
{
    uint64_t imm = (uint64_t)(int64_t)(int16_t)raw, v;
    switch (family) {
    case OPT_ADD: v = b + c; break;
    case OPT_SUB: v = b - c; break;
    case OPT_MUL: v = b * c; break;
    case OPT_DIV:
    case OPT_REM: {
        bool rest = family == OPT_REM;
        if (c == 0) return false;
        if (!(type & 1))
            v = rest ? b % c : b / c;
        else if (c == UINT64_MAX)
            v = rest ? 0 : 0 - b;
        else
            v = (uint64_t)(rest ? (int64_t)b % (int64_t)c : (int64_t)b / (int64_t)c);
        break;
    }
    case OPT_SHL: v = c < 64 ? b << c : 0; break;
    case OPT_ADDI: v = b + imm; break;
    case OPT_MULI: v = b * imm; break;
    case OPT_SHLI: v = raw < 64 ? b << raw : 0; break;
    case OPT_NEG: v = 0 - b; break;
    case OPT_NOT: v = ~b; break;
    case OPT_WRAP: v = b; break;
    default: return false; /* TRUNC and all of floats: their exceptions are seen at run time */
    }
    *out = tw__opt_wrap(type, v);
    return true;
}

bool tw__opt_fold(tw__csl_insn i, uint64_t b, uint64_t c, uint64_t *out)
{
    unsigned type;
    enum opt_family family = tw__opt_family(i.op, &type);
    if (family < OPT_INT_END) return fold_typed(family, type, b, c, i.c, out);
    int64_t sb = (int64_t)b, sc = (int64_t)c;
    switch (i.op) {
    case TW__CSL_I_MOV: *out = b; break;
    case TW__CSL_I_AND: *out = b & c; break;
    case TW__CSL_I_OR: *out = b | c; break;
    case TW__CSL_I_XOR: *out = b ^ c; break;
    case TW__CSL_I_SHR: *out = c < 64 ? b >> c : 0; break;
    case TW__CSL_I_SAR: *out = (uint64_t)(sb >> (c < 64 ? c : 63)); break;
    case TW__CSL_I_ANDI: *out = b & i.c; break;
    case TW__CSL_I_SHRI: *out = i.c < 64 ? b >> i.c : 0; break;
    case TW__CSL_I_SARI: *out = (uint64_t)(sb >> (i.c < 64 ? i.c : 63)); break;
    case TW__CSL_I_LNOT: *out = !b; break;
    case TW__CSL_I_EQ: *out = b == c; break;
    case TW__CSL_I_NE: *out = b != c; break;
    case TW__CSL_I_LTS: *out = sb < sc; break;
    case TW__CSL_I_LES: *out = sb <= sc; break;
    case TW__CSL_I_LTU: *out = b < c; break;
    case TW__CSL_I_LEU: *out = b <= c; break;
    case TW__CSL_I_UDIVC: *out = b / i.c; break;
    case TW__CSL_I_UREMC: *out = b % i.c; break;
    case TW__CSL_I_SDIVC: *out = (uint64_t)(sb / (int64_t)i.c); break;
    case TW__CSL_I_SREMC: *out = (uint64_t)(sb % (int64_t)i.c); break;
    default: return false;
    }
    return true;
}
