/* SPDX-License-Identifier: MIT */
/* A region as C. What an instruction does stays in one place: the text of the interpreter's own headers stands in
 * front, and each instruction is a call of the function that its row of the table makes there, with a constant record
 * of operands; the compiler does the rest. Rows that are rare in loops are called in the simulator itself, rows that
 * touch more than their worker and its memory are left to the interpreter. */
#include "poplar/colossus/sim/native.h"

extern const char tw__sim_text_native_call_h[], tw__sim_text_native_context_h[], tw__sim_text_kinds_h[],
    tw__sim_text_fp_h[], tw__sim_text_native_slow_h[], tw__sim_text_rows_aux_h[], tw__sim_text_log_h[],
    tw__sim_text_rows_main_h[];

static const struct {
    const char *ops, *sem; /* columns of the table, as they are written there */
} rows[TW__OP_COUNT] = {
#define X(id, name, pipe, context, archs, form, bits, ops, accesses, cycles, flags, sem, doc) \
    [TW__OP_##id] = { #ops, #sem },
#include "poplar/colossus/isa/isa.def"
#undef X
};

/* Operand kinds as rows_main.h and rows_aux.h compare them (kinds.h). */
static const char kinds[] = "enum {"
#define K(name, ...) "K_" #name ","
#include "poplar/colossus/isa/operands.def"
#undef K
                            "};\nenum {"
#define K(name, label, suffix, file, ...) "FILE_" #name "= TW_ISA_" #file ","
#include "poplar/colossus/isa/operands.def"
#undef K
                            "};\n";

/* --- what an instruction is ------------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *word)
{
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && (text[n] == 0 || text[n] == '(');
}

static const struct {
    const char *sem;
    tw__native_kind kind;
} semantics[] = {
    { "U32", TW__NATIVE_PLAIN },
    { "MOVE_IF", TW__NATIVE_PLAIN },
    { "LOAD", TW__NATIVE_PLAIN },
    { "STORE", TW__NATIVE_PLAIN },
    { "LOAD_PACED", TW__NATIVE_PLAIN },
    { "LOAD_STORE_PACED", TW__NATIVE_PLAIN },
    { "LOAD2_STORE_PACED", TW__NATIVE_PLAIN },
    { "STORE_PACED", TW__NATIVE_PLAIN },
    { "PACK", TW__NATIVE_PLAIN },
    { "LOAD_DENSE_SPARSE", TW__NATIVE_PLAIN },
    { "LOAD_SPARSE", TW__NATIVE_PLAIN },
    { "LOAD_SPARSE2", TW__NATIVE_PLAIN },
    { "LOAD_TWO_HALVES", TW__NATIVE_PLAIN },
    { "BRANCH(true)", TW__NATIVE_JUMP }, /* before the next one */
    { "BRANCH", TW__NATIVE_BRANCH },
    { "BRANCH_DECREMENT", TW__NATIVE_BRANCH },
    { "BRANCH_TO", TW__NATIVE_DYNAMIC },
    { "CALL", TW__NATIVE_CALL },
    { "REPEAT", TW__NATIVE_REPEAT },
    { "GET", TW__NATIVE_STEP },
    { "PUT", TW__NATIVE_STEP },
    { "LOAD_WEIGHTS", TW__NATIVE_STEP },
    { "UGET", TW__NATIVE_STEP },
    { "UPUT", TW__NATIVE_STEP },
};

static tw__native_kind kind_of_sem(unsigned row)
{
    for (size_t i = 0; i < G_N_ELEMENTS(semantics); i++)
        if (strcmp(rows[row].sem, semantics[i].sem) == 0 || begins(rows[row].sem, semantics[i].sem))
            return semantics[i].kind;
    return tw__isa_rows[row].pipe == TW_ISA_AUX ? TW__NATIVE_PLAIN : TW__NATIVE_END;
}

static tw__native_kind kind_of_row(unsigned row)
{
    static uint8_t known[TW__OP_COUNT];
    static gsize once;
    if (g_once_init_enter(&once)) {
        for (unsigned i = 0; i < TW__OP_COUNT; i++) known[i] = (uint8_t)kind_of_sem(i);
        g_once_init_leave(&once, 1);
    }
    return (tw__native_kind)known[row];
}

/* Is there a function in the text for this row of the aux pipeline? */
static bool inlined(unsigned row)
{
    static const char *const known[] = { "U32",        "U64",        "LANES32", "LANES16", "COMPARE32",
                                         "COMPARE16",  "CLAMP32",    "CLAMP16", "SUM16",   "MAXC16",
                                         "F16_TO_F32", "F32_TO_F16", "F32_OF",  "ACC32",   "ACC16",
                                         "MAC",        "CMAC",       "OUTER",   "AXPY",    "MIX",
                                         "GACC",       "GINA32",     "GINA16",  "STACC",   "ISTACC" };
    if (tw__isa_rows[row].cycles != 1 || strstr(rows[row].sem, "div")) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (begins(rows[row].sem, known[i])) return true;
    return false;
}

/* Nothing to do, as decode.c has it: nop, fnop. */
static bool no_main(const tw__sim_op *op)
{
    return op->row >= TW__OP_COUNT || op->run == tw__sim_aux_only;
}
static bool no_aux(const tw__sim_op *op)
{
    return op->aux_row >= TW__OP_COUNT || (op->row < TW__OP_COUNT && op->run == tw__sim_main_rows[op->row].lone);
}

tw__native_kind tw__native_kind_of(const tw__sim_op *op)
{
    const tw__sim_functions *main = op->row < TW__OP_COUNT ? &tw__sim_main_rows[op->row] : NULL;
    const tw__sim_functions *aux = op->aux_row < TW__OP_COUNT ? &tw__sim_aux_rows[op->aux_row] : NULL;
    bool good = !main && !aux ? false /* no instruction */
                : !main       ? op->run == aux->solo
                : !aux        ? op->run == main->solo
                              : op->run == main->bundled || op->run == main->lone || op->run == tw__sim_aux_only ||
                             op->run == tw__sim_fused(op->row, op->aux_row);
    if (!good) return TW__NATIVE_END; /* an exception */
    tw__native_kind first = main ? kind_of_row(op->row) : TW__NATIVE_PLAIN;
    tw__native_kind second = aux ? kind_of_row(op->aux_row) : TW__NATIVE_PLAIN;
    if (second == TW__NATIVE_PLAIN) return first;
    return first == TW__NATIVE_PLAIN ? second : TW__NATIVE_END;
}

/* --- functions of rows ------------------------------------------------------------------------------------------ */

static unsigned main_row(const tw__sim_op *op)
{
    return no_main(op) ? TW__OP_COUNT : op->row;
}
static unsigned aux_row(const tw__sim_op *op)
{
    return no_aux(op) ? TW__OP_COUNT : op->aux_row;
}

static bool translated(const tw__region *r, const tw__sim_op *op)
{
    return op && !(*tw__region_at(r, op->address) & TW__REGION_LEFT);
}

typedef void each_op(const tw__region *r, const tw__sim_op *op, void *data);

/* All instructions that become code, bodies of repeat loops included. */
static void for_each(const tw__region *r, each_op *visit, void *data)
{
    for (uint32_t i = 0; i < r->words; i++) {
        if (!(r->flags[i] & (TW__REGION_SEEN | TW__REGION_BODY))) continue;
        uint32_t address = r->sim->base + 4 * i;
        const tw__sim_op *op = tw__region_op(r, address);
        if ((r->flags[i] & TW__REGION_SEEN) && translated(r, op)) visit(r, op, data);
        if (!(r->flags[i] & TW__REGION_SEEN) || !translated(r, op) || tw__native_kind_of(op) != TW__NATIVE_REPEAT)
            continue;
        uint32_t end;
        for (uint32_t at = tw__region_body(op, &end); at < end; at += 8)
            if (!(*tw__region_at(r, at) & TW__REGION_SEEN)) visit(r, tw__region_op(r, at), data);
    }
}

typedef struct text {
    GString *out;
    GHashTable *made; /* functions, by number */
} text;

/* Number of the function of a pair of rows; TW__OP_COUNT: none. */
static guint pair_number(unsigned main, unsigned aux)
{
    return main * (TW__OP_COUNT + 1) + aux + 1;
}

static void text_half(const tw__region *r, const tw__sim_op *op, void *data)
{
    text *t = data;
    unsigned row = aux_row(op);
    (void)r;
    if (row >= TW__OP_COUNT || !g_hash_table_add(t->made, GUINT_TO_POINTER(pair_number(TW__OP_COUNT, row)))) return;
    g_string_append_printf(t->out, "static inline bool half_%u(tw__sim_context *w, const tw__sim_op *op)\n{\n",
                           row);
    if (inlined(row))
        g_string_append_printf(t->out, "    ENUM_%s enum { CYCLES = 1 };\n    SEM_%s return true;\n}\n",
                               rows[row].ops, rows[row].sem);
    else
        g_string_append_printf(t->out, "    return called(w, op, %u);\n}\n", row);
}

static void text_pair(const tw__region *r, const tw__sim_op *op, void *data)
{
    text *t = data;
    unsigned main = main_row(op), aux = aux_row(op);
    (void)r;
    if (main >= TW__OP_COUNT || !g_hash_table_add(t->made, GUINT_TO_POINTER(pair_number(main, aux)))) return;
    g_string_append(t->out, "#undef HALF\n");
    if (aux < TW__OP_COUNT)
        g_string_append_printf(t->out, "#define HALF half_%u\n", aux);
    else
        g_string_append(t->out, "#define HALF(w, op) true\n");
    g_string_append_printf(t->out,
                           "static inline const tw__sim_op *main_%u_%u(tw__sim_context *w, const tw__sim_op *op,\n"
                           "    const tw__sim_op *next)\n{\n    ENUM_%s SEM_%s return next;\n}\n",
                           main, aux, rows[main].ops, rows[main].sem);
}

static void text_record(const tw__region *r, const tw__sim_op *op, void *data)
{
    text *t = data;
    (void)r;
    g_string_append_printf(
        t->out,
        "static const tw__sim_op op_%x[2] = { { .target = taken, .address = %uu, .imm = %uu, "
        ".aux_imm = %uu, .r = { %u, %u, %u, %u }, .d = { %u, %u, %u, %u }, .ar = { %u, %u, %u }, "
        ".ad = %u }, { .address = %uu } };\n",
        op->address, op->address, op->imm, op->aux_imm, op->r[0], op->r[1], op->r[2], op->r[3], op->d[0], op->d[1],
        op->d[2], op->d[3], op->ar[0], op->ar[1], op->ar[2], op->ad, tw__region_next(op));
}

/* --- the function of the region --------------------------------------------------------------------------------- */

static void go_to(const tw__region *r, GString *out, uint32_t address)
{
    const tw__sim_op *op = tw__region_op(r, address);
    if (op && (*tw__region_at(r, address) & TW__REGION_SEEN))
        g_string_append_printf(out, "goto at_%x;\n", address);
    else
        g_string_append_printf(out, "{ w->pc = %uu; goto out; }\n", address);
}

/* One instruction; what it leaves in `t` is where it goes on. */
static void text_instruction(GString *out, const tw__sim_op *op)
{
    unsigned main = main_row(op), aux = aux_row(op), at = op->address;
    bool branches = tw__native_kind_of(op) == TW__NATIVE_BRANCH;
    if (main < TW__OP_COUNT)
        g_string_append_printf(out, "    if (!(t = main_%u_%u(w, op_%x, %s%x%s))) goto bail;\n", main, aux, at,
                               branches ? "behind /* " : "op_", at, branches ? " */" : " + 1");
    else if (aux < TW__OP_COUNT)
        g_string_append_printf(out, "    if (!half_%u(w, op_%x)) goto bail;\n", aux, at);
    if (aux < TW__OP_COUNT && !inlined(aux)) g_string_append(out, "    n -= w->extra;\n");
}

/* Turns that it takes beside its own, at most. */
static uint32_t extra_turns(const tw__sim_op *op)
{
    return aux_row(op) < TW__OP_COUNT ? tw__isa_rows[aux_row(op)].cycles - 1u : 0;
}

/* A piece of code begins, whole or not at all: so many instructions, so many turns at most beside theirs. */
static void text_start(GString *out, uint32_t address, uint32_t count, uint32_t extra)
{
    g_string_append_printf(out, "    if (n < %u) { w->pc = %uu; goto out; }\n    n -= %u;\n", count + extra,
                           address, count);
}

static void text_loop(GString *out, const tw__region *r, const tw__sim_op *rpt)
{
    uint32_t end, first = tw__region_body(rpt, &end), extra = 0;
    for (uint32_t at = first; at < end; at += 8) extra += extra_turns(tw__region_op(r, at));
    g_string_append_printf(out, "    if (!w->repeat_count) goto behind_%x;\nbody_%x:\n", rpt->address, first);
    text_start(out, first, (end - first) / 8, extra);
    for (uint32_t at = first; at < end; at += 8) text_instruction(out, tw__region_op(r, at));
    g_string_append_printf(out, "    if (--w->repeat_count) goto body_%x;\nbehind_%x:\n    ", first, rpt->address);
    go_to(r, out, end);
}

/* Instructions from a leader to the next one; their turns are taken at once. */
static void text_block(GString *out, const tw__region *r, uint32_t first)
{
    GString *body = g_string_new(NULL);
    const tw__sim_op *op;
    uint32_t address = first, count = 0, extra = 0;
    for (bool on = true; on; address = tw__region_next(op)) {
        if (!(op = tw__region_op(r, address)) ||
            (address != first && (*tw__region_at(r, address) & TW__REGION_LEADER)) ||
            !(*tw__region_at(r, address) & TW__REGION_SEEN)) {
            go_to(r, body, address);
            break;
        }
        if (!translated(r, op)) {
            g_string_append_printf(body, "    w->pc = %uu;\n    goto out;\n", address);
            break;
        }
        tw__native_kind kind = tw__native_kind_of(op);
        text_instruction(body, op);
        count++, extra += extra_turns(op), on = kind == TW__NATIVE_PLAIN;
        if (kind == TW__NATIVE_BRANCH) g_string_append(body, "    if (t == taken) "), go_to(r, body, op->imm);
        if (kind == TW__NATIVE_BRANCH) go_to(r, body, tw__region_next(op));
        if (kind == TW__NATIVE_JUMP || kind == TW__NATIVE_CALL) go_to(r, body, op->imm);
        if (kind == TW__NATIVE_DYNAMIC) g_string_append(body, "    goto again;\n");
        if (kind == TW__NATIVE_REPEAT) text_loop(body, r, op);
    }
    g_string_append_printf(out, "at_%x:\n", first);
    if (count) text_start(out, first, count, extra);
    g_string_append_printf(out, "%s", body->str);
    g_string_free(body, TRUE);
}

static void text_entries(GString *out, const tw__region *r, tw__region_flags flag, const char *label)
{
    for (uint32_t i = 0; i < r->words; i++)
        if ((r->flags[i] & flag) && (flag == TW__REGION_BODY || (r->flags[i] & TW__REGION_SEEN)))
            g_string_append_printf(out, "    case %uu: goto %s_%x;\n", r->sim->base + 4 * i, label,
                                   r->sim->base + 4 * i);
}

static void text_code(GString *out, const tw__region *r)
{
    const tw_sim *sim = r->sim;
    g_string_append_printf(
        out,
        "__attribute__((visibility(\"default\"))) bool tw__native_code(tw__sim_native_call *c)\n{\n"
        "    tw__sim_context context = { .e = c->e, .o = c->o, .tas = *c->tas, .memory = c->memory, .code_map = "
        "c->code_map,\n        .base = %uu, .size = %uu, .region1 = %uu, .clashes = %d, .flush = %d, .loads = "
        "c->loads,\n"
        "        .load_step = c->load_step, .stores = c->stores, .pc = c->pc, .repeat_count = c->repeat_count,\n"
        "        .repeat_first = c->repeat_first, .repeat_end = c->repeat_end, .call = c }, *const w = &context;\n"
        "    const tw__sim_op *t;\n    int64_t n = c->left;\n"
        "    memcpy(w->m, c->m, sizeof w->m), memcpy(w->a, c->a, sizeof w->a);\n"
        "    if (w->repeat_count) switch (w->pc) {\n",
        sim->base, sim->size, sim->region1, !sim->options.ignore_clashes, !sim->options.denormals);
    text_entries(out, r, TW__REGION_BODY, "body");
    g_string_append(out, "    default: goto out;\n    }\nagain:\n    switch (w->pc) {\n");
    text_entries(out, r, TW__REGION_ENTRY, "at");
    g_string_append(out, "    default: goto out;\n    }\n");
    for (uint32_t i = 0; i < r->words; i++)
        if ((r->flags[i] & TW__REGION_LEADER) && (r->flags[i] & TW__REGION_SEEN))
            text_block(out, r, sim->base + 4 * i);
    g_string_append(out,
                    "out:\n    memcpy(c->m, w->m, sizeof w->m), memcpy(c->a, w->a, sizeof w->a);\n"
                    "    c->pc = w->pc, c->repeat_count = w->repeat_count, c->repeat_first = w->repeat_first,\n"
                    "    c->repeat_end = w->repeat_end, c->loads = w->loads, c->stores = w->stores, c->left = n;\n"
                    "    return true;\nbail:\n    c->stores = w->stores;\n    return false;\n}\n");
}

char *tw__native_text(const tw__region *r)
{
    text t = { g_string_new(NULL), g_hash_table_new(NULL, NULL) };
    GString *out = t.out;
#if defined(TW_SOFT_FLUSH)
    g_string_append(out, "#define TW_SOFT_FLUSH\n");
#endif
    g_string_append_printf(out, "#define REPEAT_MASK 0x%xu\n", r->sim->arch == TW_ISA_IPU1 ? 0xfff : 0xffff);
    g_string_append_printf(out, "enum { TW_ISA_MRF = %d, TW_ISA_ARF = %d, TW_ISA_CONST = %d, TW_ISA_CSR = %d, ",
                           TW_ISA_MRF, TW_ISA_ARF, TW_ISA_CONST, TW_ISA_CSR);
    g_string_append_printf(out, "TW_ISA_UCSR = %d, TW_ISA_CODE = %d };\n%s", TW_ISA_UCSR, TW_ISA_CODE, kinds);
    const char *const front[] = {
        tw__sim_text_native_call_h, tw__sim_text_native_context_h, tw__sim_text_kinds_h,
        tw__sim_text_fp_h,          tw__sim_text_native_slow_h,    tw__sim_text_rows_aux_h
    };
    for (size_t i = 0; i < G_N_ELEMENTS(front); i++) g_string_append(out, front[i]);
    for_each(r, text_half, &t);
    g_string_append(out, tw__sim_text_log_h);
    g_string_append(out, tw__sim_text_rows_main_h);
    for_each(r, text_pair, &t);
    for_each(r, text_record, &t);
    text_code(out, r);
    g_hash_table_destroy(t.made);
    return g_string_free(out, FALSE);
}
