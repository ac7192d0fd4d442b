/* SPDX-License-Identifier: MIT */
/* number: which registers hold which values, along chains of blocks that are entered from one place only. Operands
 * become the registers that had the value first, constants go into instructions, what is known is not computed or
 * loaded again. */
#include "csl/lang/opt/local.h"

enum { LOADS = 32, BUCKETS = 4096 };
enum { OPAQUE, CONSTANT, EXPRESSION };

typedef struct value {
    uint64_t k; /* CONSTANT: the value; EXPRESSION: the instruction's last operand where it is no register */
    uint32_t a, b, next; /* values of the operands; next of the bucket */
    uint16_t op, home;   /* home: a register that held it */
    uint8_t kind, canon; /* canon: type + 1 that it is a canonical value of; 0 = nobody knows */
    uint8_t homed;
} value;

typedef struct load { /* what is known of memory: a load by `insn` of these values gives `value` */
    uint32_t a, b, value;
    uint16_t op;
    int32_t at; /* fixed address, or displacement of a computed one */
    bool fixed;
    opt_bytes bytes; /* that it may touch */
} load;

typedef struct state {
    uint32_t *of; /* by register: value, 0 = not looked at yet */
    load loads[LOADS];
    unsigned count;
    uint32_t masks; /* how often the mask of exceptions may have changed: what raises is shared under one mask */
} state;

typedef struct numbers {
    opt *o;
    opt_function *f;
    value *values; /* 0 is none */
    size_t value_count, value_room;
    uint32_t bucket[BUCKETS];
    uint32_t masks; /* the last number of a mask */
    state now;
    bool changed;
} numbers;

/* --- values --------------------------------------------------------------------------------------------------- */

static uint32_t new_value(numbers *n, value v)
{
    if (!tw__grow(&n->values, &n->value_room, n->value_count, sizeof *n->values)) {
        n->o->failed = true;
        return 0;
    }
    n->values[n->value_count] = v;
    return (uint32_t)n->value_count++;
}

static uint32_t hashed(numbers *n, value v)
{
    uint64_t h = (v.k ^ v.op * 0x9e3779b97f4a7c15u) + v.a * 0x2545f4914f6cdd1du + v.b * 0x9e3779b1u;
    uint32_t *bucket = &n->bucket[(h ^ h >> 29 ^ h >> 47) % BUCKETS];
    for (uint32_t k = *bucket; k; k = n->values[k].next) {
        const value *x = &n->values[k];
        if (x->kind == v.kind && x->op == v.op && x->a == v.a && x->b == v.b && x->k == v.k) return k;
    }
    v.next = *bucket;
    uint32_t made = new_value(n, v);
    if (made) *bucket = made;
    return made;
}

static uint32_t constant(numbers *n, uint64_t k)
{
    return hashed(n, (value){ .kind = CONSTANT, .k = k });
}

static bool at_home(const numbers *n, uint32_t v)
{
    return v && n->values[v].homed && n->now.of[n->values[v].home] == v;
}

static void number_set(numbers *n, uint32_t reg, uint32_t v)
{
    n->now.of[reg] = v;
    if (!v || at_home(n, v)) return;
    n->values[v].home = (uint16_t)reg;
    n->values[v].homed = 1;
}

static uint32_t of(numbers *n, uint32_t reg)
{
    if (!n->now.of[reg]) number_set(n, reg, new_value(n, (value){ .kind = OPAQUE }));
    return n->now.of[reg];
}

static bool is_constant(const numbers *n, uint32_t v, uint64_t *k)
{
    if (!v || n->values[v].kind != CONSTANT) return false;
    *k = n->values[v].k;
    return true;
}

static bool number_canonical(const numbers *n, uint32_t v, unsigned type)
{
    const value *x = &n->values[v];
    if (tw__opt_bits(type) == 64) return true;
    if (x->kind == CONSTANT) return tw__opt_wrap(type, x->k) == x->k;
    if (!x->canon) return false;
    unsigned t = x->canon - 1u;
    return t == type || (!(t & 1) && tw__opt_bits(t) < tw__opt_bits(type)) ||
           ((t & 1) && (type & 1) && tw__opt_bits(t) <= tw__opt_bits(type));
}

/* The type that the result of an instruction is canonical of, + 1; 0 = none is known. */
static uint8_t number_result_type(tw__csl_insn i)
{
    unsigned type;
    enum opt_family family = tw__opt_family(i.op, &type);
    if (family < OPT_INT_END) return (uint8_t)(type + 1);
    if (family == OPT_LD || family == OPT_LDA || family == OPT_LDX) return (uint8_t)(type + 1);
    if (family >= OPT_FEQ && family <= OPT_FLE) return TW__CSL_N_U8 + 1;
    if (family == OPT_TO32) return TW__CSL_N_U32 + 1;
    if (family < OPT_FLOAT_END) return type == TW__CSL_N_F32 ? TW__CSL_N_U32 + 1 : TW__CSL_N_U16 + 1;
    if ((i.op >= TW__CSL_I_EQ && i.op <= TW__CSL_I_LEU) || i.op == TW__CSL_I_LNOT) return TW__CSL_N_U8 + 1;
    if (i.op == TW__CSL_I_ANDI) return TW__CSL_N_U16 + 1;
    return 0;
}

/* --- rewriting ------------------------------------------------------------------------------------------------ */

static void become(numbers *n, opt_insn *x, unsigned op, uint32_t a, uint32_t b, uint32_t c)
{
    x->insn = (tw__csl_insn){ (uint16_t)op, (uint16_t)a, (uint16_t)b, (uint16_t)c };
    n->changed = true;
}

static void become_constant(numbers *n, opt_insn *x, uint64_t k)
{
    bool small = (int64_t)k == (int32_t)(uint32_t)k;
    uint32_t wide = small ? (uint32_t)k : tw__csl_program_const(n->o->p, k);
    become(n, x, small ? TW__CSL_I_LDI : TW__CSL_I_LDK, x->insn.a, wide & 0xffff, wide >> 16);
}

/* Operands become the registers where their values were first. */
static void use_homes(numbers *n, opt_insn *x)
{
    uint16_t *const at[3] = { &x->insn.a, &x->insn.b, &x->insn.c };
    for (unsigned k = 0; k < 3; k++) {
        if (!tw__opt_reads_operand(x->insn, k)) continue;
        uint32_t v = of(n, *at[k]);
        if (!at_home(n, v) || n->values[v].home == *at[k]) continue;
        *at[k] = n->values[v].home;
        n->changed = true;
    }
}

/* The value as an operand of 16 signed bits of the type; false = it does not fit. */
static bool immediate(unsigned type, uint64_t k, int16_t *out)
{
    int64_t v = (int64_t)k;
    if (tw__opt_bits(type) <= 16) v = (int16_t)(uint16_t)k;
    *out = (int16_t)v;
    return v == *out;
}

static bool power_of_two(uint64_t k, unsigned *shift)
{
    if (k == 0 || (k & (k - 1))) return false;
    *shift = (unsigned)__builtin_ctzll(k);
    return true;
}

/* Adds to what was added before: x + j + k. */
static void add_constant(numbers *n, opt_insn *x, unsigned type, int16_t k)
{
    tw__csl_insn *i = &x->insn;
    uint32_t v = of(n, i->b);
    if (k == 0 && number_canonical(n, v, type)) {
        become(n, x, TW__CSL_I_MOV, i->a, i->b, 0);
        return;
    }
    const value *before = &n->values[v];
    if (before->kind != EXPRESSION || before->op != tw__opt_op(OPT_ADDI, type) || !at_home(n, before->a)) return;
    int64_t sum = (int64_t)k + (int64_t)before->k;
    if (sum == (int16_t)sum) become(n, x, i->op, i->a, n->values[before->a].home, (uint16_t)(int16_t)sum);
}

static void multiply_constant(numbers *n, opt_insn *x, unsigned type, uint64_t k)
{
    tw__csl_insn *i = &x->insn;
    unsigned shift;
    int16_t small;
    k = tw__opt_wrap(type & ~1u, k); /* its bits */
    if (k == 0)
        become_constant(n, x, 0);
    else if (k == 1 && number_canonical(n, of(n, i->b), type))
        become(n, x, TW__CSL_I_MOV, i->a, i->b, 0);
    else if (power_of_two(k, &shift))
        become(n, x, tw__opt_op(OPT_SHLI, type), i->a, i->b, shift);
    else if (tw__opt_family(i->op, &(unsigned){ 0 }) != OPT_MULI && immediate(type, tw__opt_wrap(type, k), &small))
        become(n, x, tw__opt_op(OPT_MULI, type), i->a, i->b, (uint16_t)small);
}

static void divide_constant(numbers *n, opt_insn *x, unsigned type, bool rest, uint64_t k)
{
    tw__csl_insn *i = &x->insn;
    unsigned shift;
    bool is_signed = type & 1;
    if (!is_signed && power_of_two(k, &shift) && (!rest || k <= 0x10000)) {
        if (rest)
            become(n, x, TW__CSL_I_ANDI, i->a, i->b, (uint16_t)(k - 1));
        else
            become(n, x, TW__CSL_I_SHRI, i->a, i->b, shift);
    } else if (k >= 1 && k <= UINT16_MAX) {
        become(n, x,
               rest        ? is_signed ? TW__CSL_I_SREMC : TW__CSL_I_UREMC
               : is_signed ? TW__CSL_I_SDIVC
                           : TW__CSL_I_UDIVC,
               i->a, i->b, (uint32_t)k);
    }
}

/* Swaps operands so that a constant comes second. */
static void constant_last(numbers *n, tw__csl_insn *i, uint64_t *c, bool *known)
{
    uint64_t b;
    if (*known || !is_constant(n, of(n, i->b), &b)) return;
    uint16_t swap = i->b;
    i->b = i->c;
    i->c = swap;
    *c = b;
    *known = true;
}

static void simplify_int(numbers *n, opt_insn *x, enum opt_family family, unsigned type)
{
    tw__csl_insn *i = &x->insn;
    uint64_t c = 0;
    bool known = tw__csl_op_rows[i->op].operands[2] == 's' && is_constant(n, of(n, i->c), &c);
    int16_t small;
    if (family == OPT_ADD || family == OPT_MUL) constant_last(n, i, &c, &known);
    switch (family) {
    case OPT_ADD:
    case OPT_SUB:
        if (!known || !immediate(type, family == OPT_SUB ? 0 - c : c, &small)) break;
        become(n, x, tw__opt_op(OPT_ADDI, type), i->a, i->b, (uint16_t)small);
        add_constant(n, x, type, small);
        break;
    case OPT_ADDI: add_constant(n, x, type, (int16_t)i->c); break;
    case OPT_MUL:
        if (known) multiply_constant(n, x, type, c);
        break;
    case OPT_MULI: multiply_constant(n, x, type, (uint64_t)(int64_t)(int16_t)i->c); break;
    case OPT_SHL:
        if (known && c < 64) become(n, x, tw__opt_op(OPT_SHLI, type), i->a, i->b, (uint32_t)c);
        break;
    case OPT_DIV:
    case OPT_REM:
        if (known) divide_constant(n, x, type, family == OPT_REM, c);
        break;
    case OPT_WRAP:
        if (number_canonical(n, of(n, i->b), type)) become(n, x, TW__CSL_I_MOV, i->a, i->b, 0);
        break;
    default: break;
    }
}

static void simplify_plain(numbers *n, opt_insn *x)
{
    tw__csl_insn *i = &x->insn;
    uint64_t c = 0;
    bool known = tw__csl_op_rows[i->op].operands[2] == 's' && is_constant(n, of(n, i->c), &c);
    if (i->op == TW__CSL_I_AND || i->op == TW__CSL_I_OR || i->op == TW__CSL_I_XOR) constant_last(n, i, &c, &known);
    if (tw__opt_is_cmov(*i) && known) {
        if ((c != 0) == (i->op == TW__CSL_I_CMOV))
            become(n, x, TW__CSL_I_MOV, i->a, i->b, 0);
        else
            become(n, x, TW__CSL_I_NOP, 0, 0, 0);
        return;
    }
    if (i->op == TW__CSL_I_SHRI && i->c == 0) become(n, x, TW__CSL_I_MOV, i->a, i->b, 0);
    if (!known) return;
    switch (i->op) {
    case TW__CSL_I_AND:
        if (c <= UINT16_MAX) become(n, x, TW__CSL_I_ANDI, i->a, i->b, (uint32_t)c);
        break;
    case TW__CSL_I_OR:
    case TW__CSL_I_XOR:
        if (c == 0) become(n, x, TW__CSL_I_MOV, i->a, i->b, 0);
        break;
    case TW__CSL_I_SHR:
    case TW__CSL_I_SAR:
        if (c < 64) become(n, x, i->op == TW__CSL_I_SHR ? TW__CSL_I_SHRI : TW__CSL_I_SARI, i->a, i->b, (uint32_t)c);
        break;
    }
}

/* Addresses: a base that is known, or that is another one and a constant; an element that is known. */
static void simplify_memory(numbers *n, opt_insn *x, enum opt_family family, unsigned type)
{
    tw__csl_insn *i = &x->insn;
    bool store = family == OPT_ST || family == OPT_STX;
    uint64_t k;
    if (family == OPT_LDX || family == OPT_STX) {
        if (!is_constant(n, of(n, i->c), &k)) return;
        int64_t offset = (int64_t)k * (int64_t)(tw__opt_bits(type) / 8);
        if ((int64_t)k != (int16_t)k || offset != (int16_t)offset) return;
        become(n, x, tw__opt_op(store ? OPT_ST : OPT_LD, type), i->a, i->b, (uint16_t)(int16_t)offset);
    } else if (family != OPT_LD && family != OPT_ST) {
        return;
    }
    uint32_t v = of(n, i->b);
    if (is_constant(n, v, &k)) {
        uint32_t address = ((uint32_t)k + (uint32_t)(int32_t)(int16_t)i->c) & 0xffff;
        become(n, x, tw__opt_op(store ? OPT_STA : OPT_LDA, type), i->a, address, 0);
        return;
    }
    const value *base = &n->values[v];
    unsigned by;
    if (base->kind != EXPRESSION || tw__opt_family(base->op, &by) != OPT_ADDI || by < TW__CSL_N_U16 ||
        !at_home(n, base->a))
        return;
    int64_t offset = (int64_t)(int16_t)i->c + (int64_t)base->k;
    if (offset == (int16_t)offset) become(n, x, i->op, i->a, n->values[base->a].home, (uint16_t)(int16_t)offset);
}

/* --- jumps ---------------------------------------------------------------------------------------------------- */

/* What a condition compares goes into the jump. */
static void fuse(numbers *n, opt_insn *x)
{
    static const uint16_t jumps[] = { TW__CSL_I_JEQ,  TW__CSL_I_JNE,  TW__CSL_I_JLTS,
                                      TW__CSL_I_JLES, TW__CSL_I_JLTU, TW__CSL_I_JLEU };
    const value *v = &n->values[of(n, x->insn.a)];
    bool wanted = x->insn.op == TW__CSL_I_JT;
    if (v->kind != EXPRESSION || !at_home(n, v->a)) return;
    if (v->op == TW__CSL_I_LNOT) {
        become(n, x, wanted ? TW__CSL_I_JF : TW__CSL_I_JT, n->values[v->a].home, 0, 0);
        return;
    }
    if (v->op < TW__CSL_I_EQ || v->op > TW__CSL_I_LEU || !at_home(n, v->b)) return;
    become(n, x, jumps[v->op - TW__CSL_I_EQ], n->values[v->a].home, n->values[v->b].home, 0);
    if (!wanted) x->insn = tw__opt_opposite(x->insn);
}

static void simplify_jump(numbers *n, opt_insn *x)
{
    tw__csl_insn *i = &x->insn;
    uint64_t a, b = 0, taken;
    bool test = i->op == TW__CSL_I_JT || i->op == TW__CSL_I_JF;
    uint32_t va = of(n, i->a), vb = test ? 0 : of(n, i->b);
    if (test && is_constant(n, va, &a)) {
        taken = i->op == TW__CSL_I_JT ? a != 0 : a == 0;
    } else if (test) {
        fuse(n, x);
        return;
    } else if (va == vb) {
        taken = i->op == TW__CSL_I_JEQ || i->op == TW__CSL_I_JLES || i->op == TW__CSL_I_JLEU;
    } else {
        if (!is_constant(n, va, &a) || !is_constant(n, vb, &b)) return;
        tw__csl_insn same = { (uint16_t)(TW__CSL_I_EQ + (i->op - TW__CSL_I_JEQ)), 0, 0, 0 };
        if (!tw__opt_fold(same, a, b, &taken)) return;
    }
    if (taken) {
        become(n, x, TW__CSL_I_JMP, 0, 0, 0);
    } else {
        become(n, x, TW__CSL_I_NOP, 0, 0, 0);
        x->to = -1;
    }
}

/* --- memory --------------------------------------------------------------------------------------------------- */

enum { STACK = 0x10000 }; /* bytes from here on stand for the function's own area */

static load number_describe(numbers *n, const opt_insn *x, enum opt_family family)
{
    tw__csl_insn i = x->insn;
    load l = { .op = i.op, .bytes = tw__opt_touches(x) };
    if (family == OPT_LDA || family == OPT_STA) {
        l.at = (int32_t)tw__csl_wide(i);
        l.fixed = true;
        return l;
    }
    l.a = of(n, i.b);
    if (family == OPT_LDX || family == OPT_STX) {
        l.b = of(n, i.c);
        return l;
    }
    l.at = (int16_t)i.c;
    const value *base = &n->values[l.a];
    unsigned type;
    tw__opt_family(i.op, &type);
    int64_t at = (int64_t)base->k + l.at, end = at + tw__opt_bits(type) / 8;
    if (base->kind == EXPRESSION && base->op == TW__CSL_I_LEA && at >= 0 && end <= (int64_t)n->f->stack_bytes)
        l.bytes = (opt_bytes){ STACK + (uint32_t)at, STACK + (uint32_t)end };
    return l;
}

/* A load may be shared where it cannot reach a configuration register, which is no memory. */
static bool shareable(const numbers *n, const load *l)
{
    uint64_t k;
    if (l->fixed) return l->bytes.high <= TW__CSL_PE_BYTES;
    return l->bytes.high || (is_constant(n, l->a, &k) && k < TW__CSL_PE_BYTES);
}

static load *known_load(numbers *n, const load *l)
{
    for (unsigned k = 0; k < n->now.count; k++) {
        load *x = &n->now.loads[k];
        if (x->op == l->op && x->a == l->a && x->b == l->b && x->at == l->at && x->fixed == l->fixed) return x;
    }
    return NULL;
}

static void remember_load(numbers *n, load l)
{
    load *x = known_load(n, &l);
    if (!x) x = n->now.count < LOADS ? &n->now.loads[n->now.count++] : &n->now.loads[l.value % LOADS];
    *x = l;
}

static void forget_loads(numbers *n, opt_bytes changed)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < n->now.count; k++)
        if (!tw__opt_may_meet(n->now.loads[k].bytes, changed)) n->now.loads[kept++] = n->now.loads[k];
    n->now.count = kept;
}

static void note_store(numbers *n, opt_insn *x, enum opt_family family, unsigned type)
{
    load l = number_describe(n, x, family);
    l.value = of(n, x->insn.a);
    l.op = (uint16_t)tw__opt_op(family == OPT_STA ? OPT_LDA : family == OPT_STX ? OPT_LDX : OPT_LD, type);
    const load *before = known_load(n, &l);
    if (before && before->value == l.value && tw__opt_is_own(n->o, l.bytes)) { /* it lies there already */
        become(n, x, TW__CSL_I_NOP, 0, 0, 0);
        return;
    }
    forget_loads(n, l.bytes);
    if (number_canonical(n, l.value, type) && shareable(n, &l)) remember_load(n, l);
}

/* --- one instruction ------------------------------------------------------------------------------------------ */

static void forget(void *user, uint32_t first, uint32_t count)
{
    numbers *n = user;
    for (uint32_t r = first; r < first + count; r++) n->now.of[r] = 0;
}

/* Writes one register and is a function of its operands. */
static bool computes(tw__csl_insn i)
{
    unsigned type;
    enum opt_family family = tw__opt_family(i.op, &type);
    if (family == OPT_LD || family == OPT_LDA || family == OPT_LDX) return false;
    return tw__opt_writes_a(i) && !tw__opt_is_cmov(i) && i.op != TW__CSL_I_DSDOP && i.op != TW__CSL_I_RANDOM16 &&
           i.op != TW__CSL_I_GET_CONFIG;
}

static bool commutes(tw__csl_insn i)
{
    unsigned type;
    enum opt_family family = tw__opt_family(i.op, &type);
    return family == OPT_ADD || family == OPT_MUL || i.op == TW__CSL_I_AND || i.op == TW__CSL_I_OR ||
           i.op == TW__CSL_I_XOR || i.op == TW__CSL_I_EQ || i.op == TW__CSL_I_NE;
}

/* The result is canonical of the operand's type: no larger, and of its sign. */
static bool keeps_type(tw__csl_insn i)
{
    return (i.op >= TW__CSL_I_UDIVC && i.op <= TW__CSL_I_SREMC) || i.op == TW__CSL_I_SHRI || i.op == TW__CSL_I_SARI;
}

static void write_expression(numbers *n, opt_insn *x)
{
    tw__csl_insn i = x->insn;
    const char *operands = tw__csl_op_rows[i.op].operands;
    value v = { .kind = EXPRESSION, .op = i.op, .canon = number_result_type(i) };
    bool wide = operands[1] >= 'A' && operands[1] <= 'Z';
    uint64_t b = 0, c = 0, k;
    bool known = true;
    if (operands[1] == 's') v.a = of(n, i.b), known &= is_constant(n, v.a, &b);
    if (operands[2] == 's') v.b = of(n, i.c), known &= is_constant(n, v.b, &c);
    if (operands[2] == 'i') v.k = (uint64_t)(int64_t)(int16_t)i.c;
    if (operands[2] == 'u') v.k = i.c;
    if (wide) v.k = tw__csl_wide(i);
    if (tw__opt_may_raise(i)) v.k = n->now.masks;
    if (i.op == TW__CSL_I_LDI || i.op == TW__CSL_I_LDK) {
        number_set(n, i.a,
                   constant(n, i.op == TW__CSL_I_LDI ? (uint64_t)(int64_t)(int32_t)tw__csl_wide(i)
                                                     : n->o->p->consts[tw__csl_wide(i)]));
        return;
    }
    if (i.op == TW__CSL_I_MOV) {
        number_set(n, i.a, v.a);
        return;
    }
    if (!wide && known && tw__opt_fold(i, b, c, &k)) {
        become_constant(n, x, k);
        number_set(n, i.a, constant(n, k));
        return;
    }
    if (keeps_type(i) && v.a) v.canon = n->values[v.a].canon;
    if (i.op == TW__CSL_I_SHRI && !(v.canon & 1)) v.canon = 0; /* of a negative number: no canonical one */
    if (commutes(i) && v.a > v.b) {
        uint32_t swap = v.a;
        v.a = v.b;
        v.b = swap;
    }
    uint32_t number = hashed(n, v);
    if (at_home(n, number)) {
        if (n->values[number].home == i.a)
            become(n, x, TW__CSL_I_NOP, 0, 0, 0);
        else
            become(n, x, TW__CSL_I_MOV, i.a, n->values[number].home, 0);
    }
    number_set(n, i.a, number);
}

static void write_load(numbers *n, opt_insn *x, enum opt_family family)
{
    tw__csl_insn i = x->insn;
    load l = number_describe(n, x, family);
    bool may = shareable(n, &l);
    const load *before = may ? known_load(n, &l) : NULL;
    if (before && at_home(n, before->value)) {
        l.value = before->value;
        if (n->values[l.value].home == i.a)
            become(n, x, TW__CSL_I_NOP, 0, 0, 0);
        else
            become(n, x, TW__CSL_I_MOV, i.a, n->values[l.value].home, 0);
        number_set(n, i.a, l.value);
        return;
    }
    l.value = new_value(n, (value){ .kind = OPAQUE, .canon = number_result_type(i) });
    n->now.of[i.a] = 0;
    number_set(n, i.a, l.value);
    if (may) remember_load(n, l);
}

static void number_check_index(numbers *n, opt_insn *x)
{
    uint32_t number = of(n, x->insn.a), limit = n->o->indices[tw__csl_wide(x->insn)].limit;
    const value *v = &n->values[number];
    uint64_t most;
    if (v->kind == EXPRESSION && v->op == TW__CSL_I_ANDI)
        most = (uint16_t)v->k;
    else if (v->kind == EXPRESSION && v->op == TW__CSL_I_UREMC)
        most = (uint16_t)v->k - 1u;
    else if (!is_constant(n, number, &most))
        return;
    if (most < limit) become(n, x, OPT_NONE, 0, 0, 0);
}

static void number_pair(numbers *n, tw__csl_insn i)
{
    uint32_t low = 0, high = 0;
    if (i.op == TW__CSL_I_MOV2) low = of(n, i.b), high = of(n, i.b + 1u);
    if (i.op == TW__CSL_I_LDK2) {
        low = constant(n, n->o->p->consts[tw__csl_wide(i)]);
        high = constant(n, n->o->p->consts[tw__csl_wide(i) + 1]);
    }
    n->now.of[i.a] = n->now.of[i.a + 1u] = 0;
    number_set(n, i.a, low);
    number_set(n, i.a + 1u, high);
}

static void number_one(numbers *n, opt_insn *x)
{
    unsigned type;
    if (x->insn.op == OPT_NONE) return;
    use_homes(n, x);
    if (x->insn.op == OPT_INDEX) {
        number_check_index(n, x);
        return;
    }
    enum opt_family family = tw__opt_family(x->insn.op, &type);
    if (tw__opt_conditional(x->insn))
        simplify_jump(n, x);
    else if (family < OPT_INT_END)
        simplify_int(n, x, family, type);
    else if (family >= OPT_LD && family < OPT_MEM_END)
        simplify_memory(n, x, family, type);
    else if (family == OPT_PLAIN)
        simplify_plain(n, x);
    tw__csl_insn i = x->insn;
    family = tw__opt_family(i.op, &type);
    if (tw__opt_effect(i) != OPT_KEEPS) n->now.count = 0;
    if (tw__opt_may_mask(x)) n->now.masks = ++n->masks;
    if (i.op == TW__CSL_I_STDSD || i.op == TW__CSL_I_STDSDA) forget_loads(n, tw__opt_touches(x));
    if (family == OPT_ST || family == OPT_STA || family == OPT_STX) {
        note_store(n, x, family, type);
    } else if (family == OPT_LD || family == OPT_LDA || family == OPT_LDX) {
        write_load(n, x, family);
    } else if (computes(i)) {
        write_expression(n, x);
    } else if (i.op == TW__CSL_I_MOV2 || i.op == TW__CSL_I_LDK2) {
        number_pair(n, i);
    } else {
        uint32_t lost = tw__opt_lost_from(i);
        if (lost != UINT32_MAX) forget(n, lost, n->f->registers - lost);
        tw__opt_writes(n->o, i, forget, n);
    }
}

/* --- all of a function ---------------------------------------------------------------------------------------- */

static bool copy_state(numbers *n, state *to, const state *from)
{
    size_t bytes = n->f->registers * sizeof *to->of;
    if (!to->of) to->of = tw__calloc(n->f->registers + 1, sizeof *to->of);
    if (!to->of) {
        n->o->failed = true;
        return false;
    }
    if (bytes) memcpy(to->of, from->of, bytes);
    memcpy(to->loads, from->loads, from->count * sizeof *from->loads);
    to->count = from->count;
    to->masks = from->masks;
    return true;
}

bool tw__opt_number(opt *o, opt_function *f)
{
    opt_blocks b;
    numbers *n = tw__calloc(1, sizeof *n);
    state *ends = NULL;
    if (!n) {
        o->failed = true;
        return false;
    }
    *n = (numbers){ .o = o, .f = f };
    n->now.of = tw__calloc(f->registers + 1, sizeof *n->now.of);
    bool good = n->now.of && tw__opt_find_blocks(o, f, &b);
    if (good) ends = tw__calloc(b.count + 1, sizeof *ends);
    if (good && ends) {
        new_value(n, (value){ 0 });
        for (size_t k = 0; k < b.count && !o->failed; k++) {
            const opt_block *block = &b.blocks[k];
            if (block->only >= 0 && (size_t)block->only < k && ends[block->only].of) {
                copy_state(n, &n->now, &ends[block->only]);
            } else {
                memset(n->now.of, 0, f->registers * sizeof *n->now.of);
                n->now.count = 0;
            }
            for (uint32_t at = block->first; at < block->first + block->count; at++) number_one(n, &f->insns[at]);
            for (unsigned e = 0; e < 2; e++) {
                int32_t to = block->next[e];
                if (to > (int32_t)k && b.blocks[to].only == (int32_t)k) copy_state(n, &ends[k], &n->now);
            }
        }
    } else {
        o->failed = true;
    }
    for (size_t k = 0; ends && k < b.count; k++) free(ends[k].of);
    if (n->now.of) tw__opt_free_blocks(&b);
    bool changed = n->changed;
    tw__opt_compact(o, f);
    free(ends);
    free(n->now.of);
    free(n->values);
    free(n);
    return changed;
}
