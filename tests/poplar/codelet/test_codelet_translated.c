/* SPDX-License-Identifier: MIT */
/* Translated code of tiles against the interpreter: random programs of all rows that a worker has, run in both ways,
 * whole and in pieces, alone and six at once, with memory of their own and shared. Registers, memory, turns, cycles,
 * exceptions and where a run stops have to be the same at every stop. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "poplar/codelet/compile/compile.h"
#include "poplar/colossus/isa/isa.h"
#include "poplar/colossus/sim/native.h"

#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/colossus/sim.h>

enum { ROWS_EACH = 24, ITERATIONS = 60, FP_ICTL = 0x20 };

/* Code is where the memory begins, data in interleaved memory. */
static uint32_t code_of(tw_isa_arch arch)
{
    return tw_sim_memory_base(arch);
}
static uint32_t data_of(tw_isa_arch arch)
{
    return arch == TW_ISA_IPU1 ? 0x64000 : 0x84000;
}

static uint64_t random_state = 1;
static uint32_t any(uint32_t below)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 11) % below;
}

/* --- programs --------------------------------------------------------------------------------------------------- */

typedef struct program {
    tw_isa_arch arch;
    uint32_t words[4096];
    unsigned count;
    uint32_t second; /* bits of the row whose turn it is, to tell in messages */
} program;

static uint32_t here(const program *p)
{
    return code_of(p->arch) + 4 * p->count;
}

static bool put_insn(program *p, const tw_insn *insn)
{
    uint64_t word;
    if (tw_insn_encode(p->arch, insn, &word) != TW_OK) return false;
    p->words[p->count++] = (uint32_t)word;
    return true;
}

static uint16_t row_of(const char *id)
{
    for (size_t i = 0; i < tw_isa_count(); i++)
        if (strcmp(tw_isa_get(i)->id, id) == 0) return (uint16_t)i;
    fail_msg("no row %s", id);
    return 0;
}

static void put3(program *p, const char *id, uint32_t a, uint32_t b, uint32_t c)
{
    tw_insn insn = { .row = row_of(id), .operands = { a, b, c } };
    if (!put_insn(p, &insn)) fail_msg("%s: %s", id, tw_error_message());
}

/* Registers with a purpose: $m4:5 packed pointers, $m6 a second and $m8 a third pointer or a delta, $m7 a delta that
 * moves, $m9 a small number, $m10 a pointer, $m11 the loop; $m0 to $m3 and the ARF hold anything. */
static void put_pointers(program *p)
{
    put3(p, "add_z", 10, 13, 0);
    put3(p, "add_z", 6, 13, 0x8008);
    put3(p, "add_z", 8, 13, 0xf800);
    tw_insn pack = { .row = row_of("tapack"), .operands = { 4, 10, 6, 8 } };
    assert_true(put_insn(p, &pack));
    put3(p, "setzi_m", 7, 16 * any(4), 0);
    put3(p, "setzi_m", 8, 16 * any(4), 0);
    put3(p, "setzi_m", 9, any(4) ? any(3) : 1023, 0);
}

static uint32_t number_for(const tw_isa_operand *k, bool low)
{
    static const struct {
        const char *name;
        uint32_t number;
    } fixed[] = { { "Mbase", 10 }, { "Mdelta", 8 }, { "Moff", 9 }, { "Mstride", 9 }, { "Minc", 7 },
                  { "Mpp", 6 },    { "Mat", 8 },    { "Mshr", 9 }, { "M2inc", 4 } };
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        if (strcmp(k->name, fixed[i].name) == 0) return fixed[i].number;
    if (k->registers) {
        if (any(16) == 0 && k->registers < 4) return k->file == TW_ISA_MRF ? 14 : 14; /* read as zero */
        uint32_t n = k->file == TW_ISA_MRF ? any(4) : any(4) + (low ? 0 : 4);
        return n & ~(uint32_t)(k->registers - 1);
    }
    uint32_t field = any(1u << MIN(k->bits, 20));
    if (strcmp(k->name, "Sel2") == 0 || strcmp(k->name, "Sel4") == 0 || strcmp(k->name, "Sel6") == 0)
        field = any(3) ? 0 : field;
    if (k->is_signed && field >> (k->bits - 1)) return field | ~((1u << k->bits) - 1);
    return field << k->shift;
}

static tw_insn insn_of(uint16_t row, bool low)
{
    const tw_isa_row *r = tw_isa_get(row);
    tw_insn insn = { .row = row };
    for (unsigned k = 0; k < r->count; k++) insn.operands[k] = number_for(r->operands[k], low);
    bool two = r->count > 2 && r->operands[0]->writes && r->operands[1]->writes;
    if (two && r->operands[1]->file == TW_ISA_ARF)
        insn.operands[0] = 0, insn.operands[1] = 2;             /* not into one place */
    if (strcmp(r->id, "stm32step") == 0) insn.operands[1] = 10; /* its delta is the whole address */
    return insn;
}

/* What a loop of this test can hold: no ends, no rpt (it has a test of its own), nothing of the supervisor. */
static bool usable(const tw_isa_row *r, tw_isa_arch arch)
{
    static const char *const not[] = { "exitneg", "exitnz", "exitpos", "exitz", "rpt_m", "rpt_z", "trap" };
    for (size_t i = 0; i < G_N_ELEMENTS(not); i++)
        if (strcmp(r->id, not[i]) == 0) return false;
    return (r->archs & arch) && (r->context & TW_ISA_WORKER);
}

static bool usable_csr(const tw_isa_row *r, tw_isa_arch arch, tw_insn *insn)
{
    for (unsigned k = 0; k < r->count; k++) {
        tw_isa_file file = r->operands[k]->file;
        if (file != TW_ISA_CSR && file != TW_ISA_UCSR) continue;
        bool writes = strstr(r->id, "put") != NULL;
        for (unsigned tries = 0; tries < 2000; tries++) {
            const tw_isa_csr *csr = tw_isa_csr_get(any(200));
            if (!csr || !(csr->context & TW_ISA_WORKER) || !(csr->archs & arch) ||
                (csr->index >= 256) != (file == TW_ISA_UCSR))
                continue;
            if (writes && (!csr->writable || strcmp(csr->name, "FP_CTL") == 0)) continue;
            insn->operands[k] = csr->index & 255;
            return true;
        }
        return false;
    }
    return true;
}

static void put_row(program *p, uint16_t row)
{
    const tw_isa_row *r = tw_isa_get(row);
    tw_insn insn = insn_of(row, true);
    if (r->accesses[0] || any(8) == 0) put_pointers(p);
    if (!usable_csr(r, p->arch, &insn)) return;
    bool dynamic = strcmp(r->id, "br") == 0;
    if (dynamic) put3(p, "setzi_m", 3, here(p) + 8, 0), insn.operands[0] = 3;
    for (unsigned k = 0; k < r->count; k++) /* forward, over one instruction or none */
        if (r->operands[k]->file == TW_ISA_CODE) insn.operands[k] = here(p) + 4 + 4 * any(2);
    bool both = r->pipe == TW_ISA_MAIN && !(r->flags & (TW_ISA_ALONE | TW_ISA_SYSTEM | TW_ISA_CONTROL)) && any(2);
    uint16_t aux = 0;
    while (both) {
        aux = (uint16_t)any((uint32_t)tw_isa_count());
        if (tw_isa_get(aux)->pipe == TW_ISA_AUX && usable(tw_isa_get(aux), p->arch) &&
            !(tw_isa_get(aux)->flags & TW_ISA_SYSTEM))
            break;
    }
    if (!put_insn(p, &insn)) return;
    if (r->flags & TW_ISA_CONTROL) put3(p, "add_z", 0, 0, 1), put3(p, "add_z", 1, 0, 7);
    if (!both) return;
    if (r->accesses[0]) put_pointers(p);
    unsigned before = p->count; /* and in a bundle */
    insn.bundled = true;
    if (!put_insn(p, &insn)) return;
    tw_insn second = insn_of(aux, false);
    second.bundled = true;
    if (!usable_csr(tw_isa_get(aux), p->arch, &second) || !put_insn(p, &second)) p->count = before;
}

/* A loop of some rows, beginning with row *next of the table and leaving there where the next one begins. */
static void make(program *p, tw_isa_arch arch, size_t *next)
{
    p->arch = arch, p->count = 0;
    put3(p, "setzi_m", 11, ITERATIONS, 0);
    put_pointers(p);
    uint32_t loop = here(p);
    for (unsigned n = 0; n < ROWS_EACH && *next < tw_isa_count(); ++*next)
        if (usable(tw_isa_get(*next), arch)) put_row(p, (uint16_t)*next), n++;
    for (unsigned n = 0; n < ROWS_EACH / 2; n++) {
        uint16_t row = (uint16_t)any((uint32_t)tw_isa_count());
        if (usable(tw_isa_get(row), arch)) put_row(p, row);
    }
    put3(p, "brnzdec", 11, loop, 0);
    put3(p, "exitz", 0, 0, 0);
}

/* --- tiles ------------------------------------------------------------------------------------------------------ */

typedef struct scene {
    unsigned workers; /* 1 or all */
    uint32_t stride;  /* between the data of two workers; 0: they share it */
    uint32_t fp_ictl; /* which flags are exceptions */
    bool strange;     /* NaNs and infinities among the data */
    uint64_t data;    /* seed */
    bool keep_going, denormals;
} scene;

static uint32_t number(bool strange)
{
    uint32_t half = 0x3000 + any(0x1000) + (any(2) << 15), low = 0x3000 + any(0x1000) + (any(2) << 15);
    if (strange && any(64) == 0) return any(2) ? 0x7f800000 : 0x7fc07e00;
    return half << 16 | low;
}

static tw_sim *tile_with(const uint32_t *words, unsigned count, tw_isa_arch arch, const scene *s,
                         tw_sim_translate translate)
{
    tw_sim_options options = { .size = sizeof options,
                               .arch = arch,
                               .translate = translate,
                               .seed = 7,
                               .keep_going = s->keep_going,
                               .denormals = s->denormals };
    tw_sim *sim = tw_sim_new(&options);
    assert_non_null(sim);
    uint64_t kept = random_state;
    random_state = s->data;
    uint32_t *memory = (uint32_t *)(void *)(tw_sim_memory(sim) + (data_of(arch) - tw_sim_memory_base(arch)));
    for (unsigned i = 0; i < 0x10000 / 4; i++) memory[i] = number(s->strange);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++)
        for (unsigned k = 0; k < 8; k++)
            tw_sim_set_a(sim, w, k, number(s->strange)), tw_sim_set_m(sim, w, k, any(100));
    for (unsigned i = 0; i < 32; i++) tw_sim_set_weight(sim, i, number(false) | (uint64_t)number(false) << 32);
    random_state = kept;
    assert_int_equal(tw_sim_write(sim, code_of(arch), words, 4 * count), TW_OK);
    tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, FP_ICTL, s->fp_ictl);
    tw_sim_launch launch = { .entry = code_of(arch),
                             .vertex_base = data_of(arch),
                             .worker_base = data_of(arch) + 0x8000 };
    if (s->workers == 1)
        tw_sim_start(sim, 0, &launch);
    else
        tw_sim_start_all(sim, &launch, s->stride, 0);
    return sim;
}

static char *told; /* where a run is */

static void equal(uint64_t a, uint64_t b, const char *what, unsigned context)
{
    if (a != b)
        fail_msg("%s of context %u: interpreted 0x%llx, translated 0x%llx, at %s", what, context,
                 (unsigned long long)a, (unsigned long long)b, told);
}

static void equal_exceptions(tw_sim *a, tw_sim *b)
{
    const tw_sim_exception *x = tw_sim_get_exception(a), *y = tw_sim_get_exception(b);
    equal(x != NULL, y != NULL, "exception", 9);
    if (!x) return;
    equal(x->context, y->context, "who raised it", 9);
    equal(x->cause, y->cause, "cause", x->context);
    equal(x->pc, y->pc, "place", x->context);
    equal(x->flags, y->flags, "flags", x->context);
    equal(x->address_count, y->address_count, "addresses", x->context);
    for (unsigned i = 0; i < x->address_count; i++) equal(x->addresses[i], y->addresses[i], "address", x->context);
    assert_string_equal(x->message, y->message);
}

static void equal_tiles(tw_sim *a, tw_sim *b, tw_isa_arch arch)
{
    for (unsigned c = 0; c < TW_SIM_WORKERS; c++) {
        equal(tw_sim_get_state(a, c), tw_sim_get_state(b, c), "state", c);
        equal(tw_sim_turns(a, c), tw_sim_turns(b, c), "turns", c);
        equal(tw_sim_get_pc(a, c), tw_sim_get_pc(b, c), "pc", c);
        equal(tw_sim_modelled(a, c), tw_sim_modelled(b, c), "modelled", c);
        for (unsigned k = 0; k < 16; k++) equal(tw_sim_get_m(a, c, k), tw_sim_get_m(b, c, k), "$m", c);
        for (unsigned k = 0; k < 16; k++) equal(tw_sim_get_a(a, c, k), tw_sim_get_a(b, c, k), "$a", c);
        for (unsigned k = 0; k < 32; k++)
            equal(tw_sim_get_accumulator(a, c, k), tw_sim_get_accumulator(b, c, k), "accumulator", c);
        for (unsigned k = 0; k < 512; k++) {
            uint32_t x = 0, y = 0;
            tw_sim_get_csr(a, c, k, &x), tw_sim_get_csr(b, c, k, &y);
            equal(x, y, "control register", c);
        }
    }
    for (unsigned k = 0; k < 64; k++) equal(tw_sim_get_weight(a, k), tw_sim_get_weight(b, k), "weight", 9);
    equal(tw_sim_cycles(a), tw_sim_cycles(b), "cycles", 9);
    equal_exceptions(a, b);
    const uint8_t *x = tw_sim_memory(a), *y = tw_sim_memory(b);
    for (uint32_t i = 0; memcmp(x, y, tw_sim_memory_bytes(arch)) != 0; i++)
        equal(x[i], y[i], "a byte of memory", 9);
}

static unsigned char reached[TW__OP_COUNT]; /* rows that have retired in a run with a hook */

static bool note_rows(void *user, tw_sim *sim, const tw_sim_event *event)
{
    (void)user, (void)sim;
    for (unsigned i = 0; event->done && i < event->count; i++) reached[event->insns[i].row] = 1;
    return false;
}

/* A worker alone that has stopped at an exception goes on behind it, so that all of the program has its turn. */
static bool resume(tw_sim *sim, tw_isa_arch arch, const scene *s, tw_sim_stop stop)
{
    const tw_sim_exception *e = tw_sim_get_exception(sim);
    uint32_t word;
    if (s->workers != 1 || stop != TW_SIM_FAULT || !e || tw_sim_read(sim, e->pc, &word, 4) != TW_OK) return false;
    tw_sim_launch launch = { .entry = e->pc + (word >> 31 ? 8 : 4), .vertex_base = data_of(arch) };
    return tw_sim_start(sim, 0, &launch) == TW_OK;
}

/* One program in one scene, in both ways, stopped here and there. */
static uint64_t compare(const uint32_t *words, unsigned count, tw_isa_arch arch, const scene *s, bool pieces)
{
    tw_sim *plain = tile_with(words, count, arch, s, TW_SIM_TRANSLATE_OFF);
    tw_sim *other = tile_with(words, count, arch, s, TW_SIM_TRANSLATE_AT_ONCE);
    for (unsigned n = 0; n < 60; n++) {
        uint64_t turns = pieces ? 1 + any(n % 3 ? 40 : 3000) : 0;
        tw_sim_stop x = tw_sim_run(plain, turns), y = tw_sim_run(other, turns);
        told = g_strdup_printf("stop %u (%d) of a run of %u workers, stride 0x%x, data %llu, pieces %d", n, (int)x,
                               s->workers, s->stride, (unsigned long long)s->data, pieces);
        equal(x, y, "stop", 9);
        equal_tiles(plain, other, arch);
        g_clear_pointer(&told, g_free);
        bool first = resume(plain, arch, s, x), second = resume(other, arch, s, y), more = first && second;
        if (!more && x != TW_SIM_LIMIT && !(x == TW_SIM_FAULT && s->keep_going && turns)) break;
    }
    uint64_t turns = tw__sim_native_turns(other);
    tw_sim_free(plain), tw_sim_free(other);
    return turns;
}

static void note_reached(const uint32_t *words, unsigned count, tw_isa_arch arch, const scene *s)
{
    tw_sim *sim = tile_with(words, count, arch, s, TW_SIM_TRANSLATE_OFF);
    tw_sim_set_hook(sim, note_rows, NULL);
    for (unsigned n = 0; n < 100 && resume(sim, arch, s, tw_sim_run(sim, 2000)); n++) {
    }
    tw_sim_free(sim);
}

/* --- tests ------------------------------------------------------------------------------------------------------ */

static void run_programs(tw_isa_arch arch, uint64_t seed, unsigned scenes)
{
    program *p = calloc(1, sizeof *p);
    uint64_t turns[2] = { 0, 0 };
    assert_non_null(p);
    random_state = seed;
    memset(reached, 0, sizeof reached);
    for (size_t next = 0; next < tw_isa_count();) {
        make(p, arch, &next);
        for (unsigned n = 0; n < scenes; n++) {
            scene s = { .workers = n % 2 ? TW_SIM_WORKERS : 1,
                        .stride = n < 4 ? 0x400 : 0,
                        .fp_ictl = n == 2 ? 7 : 0,
                        .strange = n == 2 || n == 3,
                        .keep_going = n == 3,
                        .data = seed + n + 1 };
            turns[n % 2] += compare(p->words, p->count, arch, &s, n % 3 == 1);
            if (n == 0) note_reached(p->words, p->count, arch, &s);
        }
    }
    free(p);
    assert_true(turns[0] > 1000 && turns[0] + turns[1] > 10000); /* not everything was left to the interpreter */
    for (size_t i = 0; i < tw_isa_count(); i++)
        if (usable(tw_isa_get(i), arch) && !reached[i]) fail_msg("row %s was never reached", tw_isa_get(i)->id);
}

static void rows_ipu2(void **state)
{
    (void)state;
    run_programs(TW_ISA_IPU2, 11, 6);
}

#define SWITCH                                                                                                   \
    ".worker\n.globl f\nf: setzi $m11, 3000\n1: and $m2, $m11, 3\n setzi $m8, 9f\n ld32 $m8, $m8, $mzero, $m2\n" \
    " br $m8\n4: add $m3, $m3, 1\n bri 8f\n5: mul $m3, $m3, 5\n bri 8f\n6: xor $m3, $m3, $m11\n"                 \
    "7: add $m3, $m3, $m2\n8: brnzdec $m11, 1b\n exitz $mzero\n9: .word 4b, 5b, 6b, 7b, 0x12345678\n"

/* Programs as text: control flow, and what workers do to one another. */
static const struct {
    const char *what, *text;
    bool rarely; /* most of it is taken back, or has to be interpreted */
} texts[] = {
    { "repeat loops, in a loop, of all counts",
      ".worker\n.globl f\n.align 8\nf: mov $m10, $m13\n setzi $m11, 200\n"
      "1: and $m2, $m11, 31\n mov $m3, $m10\n nop\n rpt $m2, (3f - 2f)/8 - 1\n"
      "2: { ld32step $a0, $mzero, $m3+=, 1 ; f32add $a1, $a1, $a0 }\n { add $m4, $m4, 3 ; f32exp $a2, $a0 }\n"
      "3: add $m5, $m5, $m4\n nop\n { rpt 7, (5f - 4f)/8 - 1 ; fnop }\n"
      "4: { st32 $a1, $m10, $mzero, 5 ; f32v2axpy $a4:5, $a0:1, $a2:3 }\n"
      "5: brnzdec $m11, 1b\n exitz $mzero\n",
      false },
    { "a long repeat loop",
      ".worker\n.globl f\n.align 8\nf: mov $m3, $m13\n setzi $m2, 9000\n"
      " nop\n rpt $m2, (2f - 1f)/8 - 1\n1: { add $m4, $m4, $m5 ; f32add $a1, $a1, $a0 }\n"
      "{ xor $m5, $m4, $m2 ; f32mul $a2, $a1, $a0 }\n2: exitz $mzero\n",
      false },
    { "calls, from two places, and a jump through a register",
      ".worker\n.globl f\nf: setzi $m11, 500\n1: call $m9, 3f\n add $m1, $m1, $m2\n call $m9, 3f\n setzi $m8, 4f\n"
      " br $m8\n trap 0\n4: brnzdec $m11, 1b\n exitz $mzero\n3: mul $m2, $m1, 7\n add $m2, $m2, 1\n br $m9\n",
      false },
    { "a switch by a table, behind which lies something else", SWITCH, false },
    { "workers that count in one word: who was first matters",
      ".worker\n.globl f\nf: setzi $m11, 700\n setzi $m10, 0x84000\n"
      "1: ld32 $m1, $m10, $mzero, 0\n add $m1, $m1, 1\n xor $m1, $m1, $m13\n st32 $m1, $m10, $mzero, 0\n"
      " brnzdec $m11, 1b\n exitz $mzero\n",
      true },
    { "workers that now and then read what another one wrote",
      ".worker\n.globl f\nf: setzi $m11, 3000\n get $m0, $WSR\n and $m0, $m0, 7\n setzi $m10, 0x84000\n"
      " shl $m0, $m0, 2\n add $m9, $m10, $m0\n"
      "1: and $m2, $m11, 1023\n brnz $m2, 2f\n ld32 $m3, $m10, $mzero, 2\n add $m4, $m4, $m3\n"
      "2: st32 $m11, $m9, $mzero, 0\n mul $m4, $m4, 5\n brnzdec $m11, 1b\n exitz $mzero\n",
      false },
    { "an exception in the middle of a loop: an address that is not aligned",
      ".worker\n.globl f\nf: setzi $m11, 2000\n mov $m10, $m13\n"
      "1: ld32 $m1, $m10, $mzero, 0\n add $m3, $m3, $m11\n cmpeq $m2, $m11, 77\n shl $m2, $m2, 1\n add $m10, $m10, "
      "$m2\n"
      " brnzdec $m11, 1b\n exitz $mzero\n",
      false },
    { "code that changes itself",
      ".worker\n.globl f\nf: setzi $m11, 900\n setzi $m9, 2f\n setzi $m8, 3f\n ld32 $m7, $m8, $mzero, 0\n"
      "1: add $m1, $m1, 1\n2: add $m2, $m2, 5\n cmpeq $m3, $m11, 400\n brz $m3, 4f\n st32 $m7, $m9, $mzero, 0\n"
      "4: brnzdec $m11, 1b\n exitz $mzero\n3: add $m2, $m2, 1000\n",
      false },
    { "control registers and weights in a loop",
      ".worker\n.globl f\nf: setzi $m11, 300\n"
      "1: get $m0, $COUNT_L\n add $m1, $m1, $m0\n uput $TAS, $a0\n uget $a1, $FP_STS\n f32add $a0, $a0, $a2\n"
      " add $m2, $m2, $m1\n xor $m2, $m2, $m11\n brnzdec $m11, 1b\n exitz $mzero\n",
      true },
};

/* The image of a program, and its code. */
static tw_object *image_of(const char *name, const char *text, const tw_section **code)
{
    tw_link_options link = { .size = sizeof link, .entry = "f" };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_text(text, strlen(text), name, NULL, diags), *image;
    if (!object) tw_diags_print(diags, stderr, false);
    if (!object) fail_msg("%s: %s", name, tw_error_message());
    tw_diags_free(diags);
    if (!(image = tw_link((const tw_object *[]){ object }, 1, &link, NULL))) fail_msg("%s", tw_error_message());
    tw_object_free(object);
    const tw_section *s;
    for (size_t k = 0; (s = tw_object_get_section(image, k)); k++)
        if (s->address == code_of(TW_ISA_IPU2) && s->size) *code = s;
    assert_non_null(*code);
    assert_int_equal(tw_object_entry(image), code_of(TW_ISA_IPU2));
    return image;
}

static void programs_of_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        const tw_section *code = NULL;
        tw_object *image = image_of(texts[i].what, texts[i].text, &code);
        uint64_t turns[2] = { 0, 0 }; /* of one worker, of six */
        random_state = 5 + i;
        for (unsigned n = 0; n < 8; n++) {
            scene one = { .workers = n % 2 ? TW_SIM_WORKERS : 1,
                          .stride = n < 4 ? 0x100 : 0,
                          .keep_going = n == 3,
                          .denormals = n == 5,
                          .data = n + 1 };
            turns[n % 2] +=
                compare((const uint32_t *)(const void *)code->data, code->size / 4, TW_ISA_IPU2, &one, n > 3);
        }
        if (MIN(turns[0], turns[1]) < 1000 && !texts[i].rarely) fail_msg("%s: hardly translated", texts[i].what);
        tw_object_free(image);
    }
}

/* What a table leads to is translated with the code in front of it: all of a switch in a loop. */
static void tables_of_jumps(void **state)
{
    (void)state;
    const tw_section *code = NULL;
    tw_object *image = image_of("switch", SWITCH, &code);
    scene s = { .workers = 1, .data = 1 };
    tw_sim *sim = tile_with((const uint32_t *)(const void *)code->data, code->size / 4, TW_ISA_IPU2, &s,
                            TW_SIM_TRANSLATE_AT_ONCE);
    assert_int_equal(tw_sim_run(sim, 0), TW_SIM_DONE);
    assert_true(tw_sim_turns(sim, 0) > 20000);
    assert_true(tw_sim_turns(sim, 0) - tw__sim_native_turns(sim) < 10);
    tw_sim_free(sim);
    tw_object_free(image);
}

/* What an image calls a table may hold addresses without end: reading them ends all the same. */
static void table_without_end(void **state)
{
    (void)state;
    enum { LENGTH = 3000 }; /* more than a region may have */
    uint32_t words[3 + 2 * LENGTH];
    const tw_section *code = NULL;
    static const char start[] = ".worker\n.globl f\nf: setzi $m8, f+12012\n ld32 $m8, $m8, $mzero, $m2\n br $m8\n";
    tw_object *image = image_of("table", start, &code);
    memcpy(words, code->data, 12);
    for (unsigned i = 0; i < LENGTH; i++) {
        words[3 + LENGTH + i] = code->address + 4 * (3 + i);
        memcpy(&words[3 + i], code->data, 4);
    }
    scene s = { .workers = 1, .data = 1 };
    tw_sim *sim = tile_with(words, G_N_ELEMENTS(words), TW_ISA_IPU2, &s, TW_SIM_TRANSLATE_OFF);
    tw__region *region = tw__region_new(sim, code->address);
    unsigned entries = 0;
    for (uint32_t i = 0; i < region->words; i++) entries += region->flags[i] & TW__REGION_ENTRY ? 1 : 0;
    assert_in_range(entries, LENGTH / 3, LENGTH * 3 / 4);
    tw__region_free(region);
    tw_sim_free(sim);
    tw_object_free(image);
}

/* What has run for long is translated by another thread, for all tiles with this code, and not for tiles with other
 * code at its place. */
static void hot_code(void **state)
{
    (void)state;
    static const char text[] =
        ".worker\n.globl f\nf: setzi $m11, 0xfffff\n1: add $m1, $m1, 77\n xor $m2, $m1, $m11\n"
        " max $m3, $m2, $m1\n brnzdec $m11, 1b\n exitz $mzero\n";
    const tw_section *code = NULL;
    tw_object *image = image_of("hot", text, &code);
    const uint32_t *words = (const uint32_t *)(const void *)code->data;
    scene s = { .workers = 1, .data = 1 };
    uint64_t turns = 0;
    unsigned before = tw__sim_native_wait();
    for (unsigned n = 0; n < 12; n++) { /* of four million turns each */
        tw_sim *sim = tile_with(words, code->size / 4, TW_ISA_IPU2, &s, TW_SIM_TRANSLATE_HOT);
        assert_int_equal(tw_sim_run(sim, 0), TW_SIM_DONE);
        if (n < 4) assert_int_equal(tw__sim_native_turns(sim), 0);
        tw_sim_free(sim);
    }
    assert_int_equal(tw__sim_native_wait(), before + 1);
    for (unsigned n = 0; n < 3; n++) {
        tw_sim *sim = tile_with(words, code->size / 4, TW_ISA_IPU2, &s, TW_SIM_TRANSLATE_HOT);
        uint32_t other = words[1] ^ 1; /* another constant */
        if (n == 2) assert_int_equal(tw_sim_write(sim, code_of(TW_ISA_IPU2) + 4, &other, 4), TW_OK);
        assert_int_equal(tw_sim_run(sim, 0), TW_SIM_DONE);
        turns = tw__sim_native_turns(sim);
        n == 2 ? assert_int_equal(turns, 0) : assert_true(turns > 4000000);
        tw_sim_free(sim);
    }
    assert_int_equal(tw__sim_native_wait(), before + 1);
    tw_object_free(image);
}

static void rows_ipu1(void **state)
{
    (void)state;
    run_programs(TW_ISA_IPU1, 21, 2);
}

static void rows_ipu21(void **state)
{
    (void)state;
    run_programs(TW_ISA_IPU21, 31, 2);
}

int main(void)
{
    tw__native_sim_offer();
    const struct CMUnitTest tests[] = { cmocka_unit_test(programs_of_text), cmocka_unit_test(hot_code),
                                        cmocka_unit_test(tables_of_jumps),  cmocka_unit_test(table_without_end),
                                        cmocka_unit_test(rows_ipu2),        cmocka_unit_test(rows_ipu1),
                                        cmocka_unit_test(rows_ipu21) };
    /* In the user's cache: half a minute of clang for a run, which builds with sanitizers need not spend again, since
     * code is translated for them as for others. */
    return cmocka_run_group_tests_name("codelet_translated", tests, NULL, NULL);
}
