/* SPDX-License-Identifier: MIT */
/* cost: cycles and words of instructions, in the order of the code: what widths its operands have, whether a sum is
 * ready, which descriptors an operation has to load. */
#include "csl/lang/code/cost.h"

#include <stdlib.h>
#include <string.h>

const tw__csl_figure tw__csl_figures[TW__CSL_FIGURES] = {
#define X(name, wse2, wse3, fidelity, source) { #name, { wse2, wse3 }, fidelity, source },
#include "csl/lang/code/cost.def"
#undef X
};

enum { ADDRESSES = 16, LONGEST_LOOP = 2000 }; /* instructions of a loop that are looked at */
enum { PAIR_OTHER, PAIR_CONSTANT, PAIR_LOADED, PAIR_CHANGED };

typedef struct reg {
    uint8_t words;    /* 0 = a constant: as many as the other operand has */
    uint8_t pair;     /* of a DSD: PAIR_... */
    uint8_t compared; /* written by a comparison */
    uint32_t origin;  /* of a DSD: what it was read from; 0 = nothing that two registers could share */
    int64_t ready;    /* cycle from which on the value can be used */
} reg;

typedef struct walk {
    const tw__csl_program *p;
    unsigned arch;
    reg *regs;
    size_t count;
    int64_t now;
    struct {
        uint16_t base;
        int32_t offset;
    } address[ADDRESSES];
    unsigned addresses;
    unsigned loads; /* descriptors that the last operation loads */
} walk;

static unsigned figure(const walk *w, unsigned row)
{
    return tw__csl_figures[row].value[w->arch];
}
#define FIGURE(name) figure(w, TW__CSL_COST_##name)

static const uint8_t type_words[] = { 1, 1, 1, 1, 2, 2, 4, 4 };

static reg *at(walk *w, uint32_t r)
{
    return &w->regs[r < w->count ? r : w->count - 1];
}

static unsigned cost_larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Words of what an instruction without type works on. */
static unsigned operand_words(walk *w, tw__csl_insn i, const char *operands)
{
    unsigned n = 0;
    if (operands[0] == 's') n = at(w, i.a)->words;
    if (operands[1] == 's') n = cost_larger(n, at(w, i.b)->words);
    if (operands[2] == 's') n = cost_larger(n, at(w, i.c)->words);
    return cost_larger(n, 1);
}

/* --- addresses ------------------------------------------------------------------------------------------------ */

static unsigned address(walk *w, uint16_t base, int32_t offset)
{
    for (unsigned k = 0; k < w->addresses; k++)
        if (w->address[k].base == base && w->address[k].offset == offset) return 0;
    unsigned k = w->addresses < ADDRESSES ? w->addresses++ : (unsigned)offset % ADDRESSES;
    w->address[k].base = base;
    w->address[k].offset = offset;
    return FIGURE(ADDRESS);
}

static void forget_address(walk *w, uint32_t from, bool all)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < w->addresses; k++)
        if (all ? w->address[k].base < from : w->address[k].base != from) w->address[kept++] = w->address[k];
    w->addresses = kept;
}

/* --- classes of instructions ---------------------------------------------------------------------------------- */

static unsigned shift(const walk *w, unsigned words, int by)
{
    return words <= 1 || by >= 16 ? words ? words - (by >= 16 && words > 1) : 1 : FIGURE(SHIFT_32) * words / 2;
}

typedef enum int_family { ADD, SUB, MUL, DIV, REM, SHL, ADDI, MULI, SHLI, NEG, NOT, WRAP, TRUNC } int_family;

static unsigned cost_integer(walk *w, tw__csl_insn i)
{
    unsigned family = (i.op - TW__CSL_I_ADD_U8) / 8u, type = (i.op - TW__CSL_I_ADD_U8) % 8u,
             words = type_words[type];
    at(w, i.a)->words = (uint8_t)words;
    switch ((int_family)family) {
    case MUL:
    case MULI: return words == 1 ? FIGURE(WORD) : words == 2 ? FIGURE(MULTIPLY_32) : FIGURE(MULTIPLY_64);
    case DIV:
    case REM: return words == 1 ? FIGURE(DIVIDE_16) : FIGURE(DIVIDE_32) * words / 2;
    case SHL: return shift(w, words, 0);
    case SHLI: return shift(w, words, i.c);
    case WRAP:
        return words > 1 && at(w, i.b)->words < words ? FIGURE(WORD) : type <= TW__CSL_N_I8 ? FIGURE(WORD) : 0;
    case TRUNC: return FIGURE(WORD);
    default: return words * FIGURE(WORD);
    }
}

typedef enum float_family {
    FADD,
    FSUB,
    FMUL,
    FDIV,
    FNEG,
    FEQ,
    FNE,
    FLT,
    FLE,
    FROM_INT,
    FROM_UINT,
    TO32,
    FROM32
} float_family;

static unsigned floating(walk *w, tw__csl_insn i)
{
    unsigned family = (i.op - TW__CSL_I_FADD_F32) / 4u, type = (i.op - TW__CSL_I_FADD_F32) % 4u;
    reg *to = at(w, i.a);
    to->words = type == TW__CSL_N_F32 || family == TO32 ? 2 : 1;
    switch ((float_family)family) {
    case FDIV: return type == TW__CSL_N_F32 ? FIGURE(DIVIDE_F32) : FIGURE(DIVIDE_F16);
    case FADD:
    case FSUB:
    case FMUL: to->ready = w->now + FIGURE(FLOAT_LATENCY); break;
    case FEQ:
    case FNE:
    case FLT:
    case FLE: to->words = 1, to->compared = 1; break;
    default: break;
    }
    return FIGURE(WORD);
}

typedef enum memory_family { LD, ST, LDA, STA, LDX, STX } memory_family;

static unsigned cost_memory(walk *w, tw__csl_insn i)
{
    unsigned family = (i.op - TW__CSL_I_LD_U8) / 7u, words = type_words[(i.op - TW__CSL_I_LD_U8) % 7u];
    unsigned cycles = words * FIGURE(WORD);
    if ((family == LD || family == ST) && i.c) cycles += address(w, i.b, (int16_t)i.c);
    if (family == LDX || family == STX) cycles += address(w, i.b, 0x10000 + i.c) + FIGURE(WORD); /* and the scale */
    if (family == LD || family == LDA || family == LDX) at(w, i.a)->words = (uint8_t)words;
    return cycles;
}

static unsigned service(const walk *w, unsigned number, unsigned otherwise)
{
    switch (number) {
    case TW__CSL_SERVICE_EXP: return FIGURE(EXP);
    case TW__CSL_SERVICE_SQRT: return FIGURE(SQRT);
    case TW__CSL_SERVICE_LOG: return FIGURE(LOG);
    case TW__CSL_SERVICE_SIN:
    case TW__CSL_SERVICE_COS: return FIGURE(SINE);
    case TW__CSL_SERVICE_TANH: return FIGURE(TANH);
    case TW__CSL_SERVICE_POW: return FIGURE(POW);
    case TW__CSL_SERVICE_TSC: return FIGURE(STAMP);
    case TW__CSL_SERVICE_PRINT_BEGIN:
    case TW__CSL_SERVICE_PRINT_END: return 0; /* the machine counts lines */
    default: return otherwise;
    }
}

/* --- descriptors ---------------------------------------------------------------------------------------------- */

static void cost_describe(walk *w, uint16_t pair, unsigned kind, uint32_t origin)
{
    at(w, pair)->pair = (uint8_t)kind;
    at(w, pair)->origin = origin;
}

static unsigned cost_change(walk *w, tw__csl_insn i)
{
    unsigned cycles = i.op == TW__CSL_I_DSD_BASE ? FIGURE(DSD_BASE) : FIGURE(DSD_FIELD);
    if (at(w, i.b)->pair == PAIR_CONSTANT) cycles += FIGURE(DSD_COPY);
    cost_describe(w, i.a, PAIR_CHANGED, 0);
    return cycles;
}

/* Descriptors that an operation has to load: each one once. */
static unsigned loads(walk *w, const tw__csl_dsd_use *use)
{
    unsigned n = 0;
    for (unsigned k = 0; k < 4; k++) {
        const tw__csl_arg *arg = &use->arg[k];
        bool again = arg->kind != TW__CSL_ARG_DSD && arg->kind != TW__CSL_ARG_FIFO;
        for (unsigned j = 0; j < k && !again; j++) {
            const tw__csl_arg *other = &use->arg[j];
            if (other->kind != arg->kind) continue;
            uint32_t origin = arg->kind == TW__CSL_ARG_DSD ? at(w, arg->at)->origin : 0;
            again = other->at == arg->at || (origin && at(w, other->at)->origin == origin);
        }
        n += !again;
    }
    return n;
}

static unsigned cost_operation(walk *w, tw__csl_insn i)
{
    unsigned k = loads(w, &w->p->uses[tw__csl_wide(i)]);
    w->loads = k;
    return k ? k * FIGURE(DSR_LOAD) + FIGURE(DISPATCH) : FIGURE(DISPATCH_LOADED);
}

/* --- everything else ------------------------------------------------------------------------------------------ */

static unsigned plain(walk *w, tw__csl_insn i)
{
    const tw__csl_op_row *row = &tw__csl_op_rows[i.op];
    unsigned words = operand_words(w, i, row->operands);
    switch (i.op) {
    case TW__CSL_I_LDI:
    case TW__CSL_I_LDK:
    case TW__CSL_I_LDP: at(w, i.a)->words = 0; return 0; /* in the instruction that uses it, or before the loop */
    case TW__CSL_I_LDP2: cost_describe(w, i.a, PAIR_CONSTANT, 0); return 0;
    case TW__CSL_I_LDK2: cost_describe(w, i.a, PAIR_CONSTANT, tw__csl_wide(i) + 1); return 0;
    case TW__CSL_I_LDDSDA: cost_describe(w, i.a, PAIR_LOADED, 0x80000000u | tw__csl_wide(i)); return 0;
    case TW__CSL_I_LDDSD: cost_describe(w, i.a, PAIR_LOADED, 0); return 0;
    case TW__CSL_I_STDSD:
    case TW__CSL_I_STDSDA: return FIGURE(DSD_STORE) + (at(w, i.a)->pair == PAIR_LOADED ? FIGURE(DSD_LOAD) : 0);
    case TW__CSL_I_MOV2: cost_describe(w, i.a, at(w, i.b)->pair, at(w, i.b)->origin); return 0;
    case TW__CSL_I_MOV: at(w, i.a)->words = at(w, i.b)->words; return words * FIGURE(WORD);
    case TW__CSL_I_NOP: return 0;
    case TW__CSL_I_ANDI: at(w, i.a)->words = 1; return FIGURE(WORD);
    case TW__CSL_I_AND:
    case TW__CSL_I_OR:
    case TW__CSL_I_XOR: at(w, i.a)->words = (uint8_t)words; return words * FIGURE(WORD);
    case TW__CSL_I_SHR:
    case TW__CSL_I_SAR: at(w, i.a)->words = (uint8_t)words; return shift(w, words, 0);
    case TW__CSL_I_SHRI:
    case TW__CSL_I_SARI: at(w, i.a)->words = (uint8_t)words; return shift(w, words, i.c);
    case TW__CSL_I_UDIVC:
    case TW__CSL_I_SDIVC:
    case TW__CSL_I_UREMC:
    case TW__CSL_I_SREMC: {
        bool rest = i.op == TW__CSL_I_UREMC || i.op == TW__CSL_I_SREMC;
        at(w, i.a)->words = (uint8_t)words;
        return (rest ? FIGURE(REMAINDER_CONSTANT) : FIGURE(DIVIDE_CONSTANT)) +
               (i.op >= TW__CSL_I_SDIVC ? FIGURE(OF_SIGNED) : 0);
    }
    case TW__CSL_I_CMOV:
    case TW__CSL_I_CMOVN:
        words = cost_larger(at(w, i.b)->words, at(w, i.a)->words);
        at(w, i.a)->words = (uint8_t)words;
        return cost_larger(words, 1) * FIGURE(WORD) + FIGURE(CONDITION);
    case TW__CSL_I_EQ:
    case TW__CSL_I_NE:
    case TW__CSL_I_LTS:
    case TW__CSL_I_LES:
    case TW__CSL_I_LTU:
    case TW__CSL_I_LEU: at(w, i.a)->words = 1, at(w, i.a)->compared = 1; return words * FIGURE(WORD);
    case TW__CSL_I_TAIL:
    case TW__CSL_I_JMP: return FIGURE(JUMP);
    case TW__CSL_I_JT:
    case TW__CSL_I_JF: return FIGURE(BRANCH) + (at(w, i.a)->compared ? 0 : FIGURE(WORD));
    case TW__CSL_I_JEQ:
    case TW__CSL_I_JNE:
    case TW__CSL_I_JLTS:
    case TW__CSL_I_JLES:
    case TW__CSL_I_JLTU:
    case TW__CSL_I_JLEU: return FIGURE(BRANCH) + words * FIGURE(WORD);
    case TW__CSL_I_CALL:
    case TW__CSL_I_CALLI: return FIGURE(CALL);
    case TW__CSL_I_RET: return FIGURE(RETURN);
    case TW__CSL_I_DSD_BASE:
    case TW__CSL_I_DSD_OFFSET16:
    case TW__CSL_I_DSD_OFFSET32:
    case TW__CSL_I_DSD_LENGTH:
    case TW__CSL_I_DSD_STRIDE: return cost_change(w, i);
    case TW__CSL_I_DSD_COLOR:
    case TW__CSL_I_DSD_QUEUE: cost_describe(w, i.a, PAIR_CHANGED, 0); return row->cycles;
    case TW__CSL_I_DSDOP: return cost_operation(w, i);
    case TW__CSL_I_SYS: return service(w, i.b, row->cycles);
    default: return row->cycles;
    }
}

/* What a register was before this instruction writes it counts no more. */
static void written(walk *w, tw__csl_insn i)
{
    char role = tw__csl_op_rows[i.op].operands[0];
    bool both = role == 'D';
    if (role == 'w') {
        for (size_t r = i.a; r < w->count; r++) w->regs[r] = (reg){ .words = 1 };
        forget_address(w, i.a, true);
    } else if (role == 'd' || both) {
        forget_address(w, i.a, false);
        if (both) forget_address(w, i.a + 1u, false);
    }
}

/* Cycles for which operands are not ready. */
static unsigned stall(walk *w, tw__csl_insn i)
{
    const char *operands = tw__csl_op_rows[i.op].operands;
    int64_t ready = w->now;
    const uint16_t regs[3] = { i.a, i.b, i.c };
    for (unsigned k = 0; k < 3; k++)
        if (operands[k] == 's' && at(w, regs[k])->ready > ready) ready = at(w, regs[k])->ready;
    return (unsigned)(ready - w->now);
}

static unsigned one(walk *w, tw__csl_insn i)
{
    unsigned cycles;
    if (tw__csl_op_rows[i.op].operands[0] == 'd') at(w, i.a)->compared = 0, at(w, i.a)->ready = 0;
    if (i.op >= TW__CSL_I_LD_U8)
        cycles = cost_memory(w, i);
    else if (i.op >= TW__CSL_I_FADD_F32)
        cycles = floating(w, i);
    else if (i.op >= TW__CSL_I_ADD_U8)
        cycles = cost_integer(w, i);
    else
        cycles = plain(w, i);
    return cycles;
}

/* Room in the PE's memory, in halves of an instruction: constants share one with what uses them. Where the vendor's
 * compiler calls a routine, the call. */
static unsigned halves(walk *w, tw__csl_insn i, unsigned cycles)
{
    enum { ROUTINE = 6, COMPARE_JUMP = 4, CHANGE = 4, SERVICE = 8 };
    bool divides = (i.op >= TW__CSL_I_DIV_U8 && i.op <= TW__CSL_I_REM_I64) ||
                   (i.op >= TW__CSL_I_FDIV_F32 && i.op <= TW__CSL_I_FDIV_CB16);
    if (divides || i.op == TW__CSL_I_CALL || i.op == TW__CSL_I_CALLI) return ROUTINE;
    if (i.op == TW__CSL_I_DSDOP)
        return 2 * w->loads + 2 + (w->p->uses[tw__csl_wide(i)].flags & TW__CSL_USE_ASYNC ? 4 : 0);
    if (i.op >= TW__CSL_I_JT && i.op <= TW__CSL_I_JLEU) return COMPARE_JUMP;
    if (i.op >= TW__CSL_I_DSD_BASE && i.op <= TW__CSL_I_DSD_QUEUE) return CHANGE;
    switch (i.op) {
    case TW__CSL_I_LDI:
    case TW__CSL_I_LDK:
    case TW__CSL_I_LDK2:
    case TW__CSL_I_LDP:
    case TW__CSL_I_LDP2: return 1;
    case TW__CSL_I_JMP:
    case TW__CSL_I_TAIL:
    case TW__CSL_I_RET: return 2;
    case TW__CSL_I_STDSD:
    case TW__CSL_I_STDSDA: return CHANGE;
    case TW__CSL_I_CMOV:
    case TW__CSL_I_CMOVN: return 2 * cost_larger(at(w, i.a)->words, 1);
    case TW__CSL_I_SYS: return SERVICE;
    default: return 2 * cycles;
    }
}

/* Words of what an instruction of a type leaves; 0 = it has none, or leaves nothing. */
static unsigned result_words(tw__csl_insn i)
{
    if (tw__csl_op_rows[i.op].operands[0] != 'd') return 0;
    if (i.op >= TW__CSL_I_LD_U8) return type_words[(i.op - TW__CSL_I_LD_U8) % 7u];
    if (i.op >= TW__CSL_I_FADD_F32) return (i.op - TW__CSL_I_FADD_F32) % 4u == TW__CSL_N_F32 ? 2 : 1;
    return i.op >= TW__CSL_I_ADD_U8 ? type_words[(i.op - TW__CSL_I_ADD_U8) % 8u] : 0;
}

/* A register that a loop begins with as a constant is as wide as what the loop makes of it. */
static void carry_around(walk *w, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k <= last && k - first < LONGEST_LOOP; k++) {
        tw__csl_insn i = w->p->code[k];
        unsigned words = result_words(i);
        if (words && at(w, i.a)->words == 0) at(w, i.a)->words = (uint8_t)words;
    }
}

static void function(walk *w, const tw__csl_function_code *f, const uint32_t *target, tw__csl_cost *out)
{
    for (size_t r = 0; r < w->count; r++) w->regs[r] = (reg){ .words = 1 };
    bool leads = true;
    w->now = 0;
    w->addresses = 0;
    for (uint32_t k = f->entry; k < f->entry + f->count; k++) {
        tw__csl_insn i = w->p->code[k];
        if (target[k]) {
            w->addresses = 0;
            for (size_t r = 0; r < w->count; r++) w->regs[r].ready = 0;
            if (target[k] > k + 1) carry_around(w, k, target[k] - 1);
        }
        unsigned waits = stall(w, i);
        w->now += waits;
        unsigned cycles = one(w, i);
        written(w, i);
        w->now += cycles;
        out[k].cycles = (uint16_t)(waits + cycles);
        out[k].halves = (uint16_t)halves(w, i, cycles);
        char first = tw__csl_op_rows[i.op].operands[1], last = tw__csl_op_rows[i.op].operands[2];
        out[k].leads = target[k] != 0 || leads;
        leads = first == 'J' || last == 'j' || i.op == TW__CSL_I_RET || i.op == TW__CSL_I_TAIL ||
                i.op == TW__CSL_I_TRAP;
    }
}

bool tw__csl_costs(const tw__csl_program *p, bool wse3, tw__csl_cost *out)
{
    walk w = { .p = p, .arch = wse3 };
    uint32_t *target = tw__calloc(p->code_count + 1, sizeof *target); /* 1 + the last jump that leads there */
    for (size_t k = 0; k < p->function_count; k++)
        if (p->functions[k].registers + 1 > w.count) w.count = p->functions[k].registers + 1;
    w.regs = tw__calloc(w.count + 1, sizeof *w.regs);
    bool good = target && w.regs;
    for (size_t k = 0; good && k < p->code_count; k++) {
        const char *operands = tw__csl_op_rows[p->code[k].op].operands;
        int64_t to = -1;
        if (operands[1] == 'J') to = (int64_t)k + 1 + (int32_t)tw__csl_wide(p->code[k]);
        if (operands[2] == 'j') to = (int64_t)k + 1 + (int16_t)p->code[k].c;
        if (to >= 0 && to < (int64_t)p->code_count) target[to] = (uint32_t)k + 1;
    }
    for (size_t k = 0; good && k < p->function_count; k++) {
        w.count = p->functions[k].registers + 1;
        function(&w, &p->functions[k], target, out);
    }
    free(target);
    free(w.regs);
    return good;
}
