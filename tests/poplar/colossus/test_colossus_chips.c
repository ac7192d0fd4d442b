/* SPDX-License-Identifier: MIT */
/* What differs between chips, and between contexts: constants of the headers in assembly (guide 7.1.1, 7.3.1), where
 * the memory of Mk1 and Mk2 begins, ends and clashes (7.2, 7.2.2, 7.2.3), registers of each context (7.1.2). */
#include "sim_test.h"

#include <glib/gstdio.h>
#include <unistd.h>

static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };

/* --- headers ---------------------------------------------------------------------------------------------------- */

static tw_object *assemble_file(tw_isa_arch arch, const char *text)
{
    g_autofree char *path = g_strdup_printf("%s/tilewright-chips-%d.S", g_get_tmp_dir(), (int)getpid());
    assert_true(g_file_set_contents(path, text, -1, NULL));
    tw_asm_options options = { .size = sizeof options, .arch = arch };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_file(path, &options, diags);
    tw_status status = tw_status_of(object);
    g_unlink(path);
    if (status != TW_OK) tw_diags_print(diags, stderr, false);
    tw_diags_free(diags);
    if (status != TW_OK) fail_msg("%s", tw_error_message());
    return object;
}

static const struct {
    const char *name;
    uint32_t value[3]; /* ipu1, ipu2, ipu21 */
} constants[] = {
    { "__IPU_ARCH_VERSION__", { 1, 2, 21 } },
    { "CTXT_WORKERS", { 6, 6, 6 } },
    { "CSR_W_WSR__CTXTID_M1__MASK", { 7, 7, 7 } },
    { "CSR_W_REPEAT_COUNT__VALUE__MASK", { 0xfff, 0xffff, 0xffff } },
    { "TMEM_REGION0_BASE_ADDR", { 0x40000, 0x4c000, 0x4c000 } },
    { "TMEM_REGION0_SIZE", { 128 << 10, 208 << 10, 208 << 10 } },
    { "TMEM_REGION1_BASE_ADDR", { 0x60000, 0x80000, 0x80000 } },
    { "TMEM_REGION1_SIZE", { 128 << 10, 416 << 10, 416 << 10 } },
    { "TMEM_REGION1_END_ADDR", { 0x80000, 0xe8000, 0xe8000 } },
    { "TMEM_ELEMSIZE", { 0x4000, 0x4000, 0x4000 } },
    { "TMEM_BYTE_MAX_ADDRESS_WIDTH", { 21, 21, 21 } },
    { "TMEM_FULL_ADDRESS_MASK", { 0x1fffff, 0x1fffff, 0x1fffff } },
    { "TEXCH_SYNCZONE_LOCAL", { 2, 2, 2 } },
    { "TFPU_FP32_TRUE", { 0xffffffff, 0xffffffff, 0xffffffff } },
    { "TFPU_FP16_TRUE", { 0xffff, 0xffff, 0xffff } },
    { "CSR_W_FP_CLR__ZAACC__SHIFT", { 3, 3, 3 } },
    { "CSR_S_FP_ICTL__INDEX", { 0x20, 0x20, 0x20 } },
    { "CSR_S_CCCSLOAD__INDEX", { 0x50, 0x50, 0x50 } },
};

/* As values and in #if: the preprocessor has to know them (ISA, 13.6). */
static void constants_in_assembly(void **state)
{
    (void)state;
    for (size_t c = 0; c < G_N_ELEMENTS(chips); c++) {
        g_autoptr(GString) text = g_string_new("#include \"poplar/TileConstants.hpp\"\n"
                                               "#include \"poplar/StackSizeDefs.hpp\"\n.data\n");
        for (size_t i = 0; i < G_N_ELEMENTS(constants); i++)
            g_string_append_printf(text, "#if %s != %uu\n.error \"%s\"\n#endif\n.long %s\n", constants[i].name,
                                   constants[i].value[c], constants[i].name, constants[i].name);
        tw_object *o = assemble_file(chips[c], text->str);
        for (size_t i = 0; i < G_N_ELEMENTS(constants); i++)
            if (word_of(section_of(o, ".data"), (uint32_t)i) != constants[i].value[c])
                fail_msg("%s of %s: 0x%x", constants[i].name, tw_isa_arch_name(chips[c]),
                         word_of(section_of(o, ".data"), (uint32_t)i));
        tw_object_free(o);
    }
}

/* The macros of 7.3.1 and 7.3.2, of a function and of a section. */
static void stack_macros(void **state)
{
    (void)state;
    tw_object *o = assemble_file(TW_ISA_IPU2, "#include \"poplar/StackSizeDefs.hpp\"\n#define N 24\n"
                                              "DEF_STACK_USAGE 0 __runCodelet_A\nDEF_STACK_USAGE N .text.b\n"
                                              "DEF_STACK_SIZE_OWN N+8 __runCodelet_C\n"
                                              "DEF_FUNC_CALL_PTRS __runCodelet_C f, g, h\n");
    static const struct {
        const char *name;
        tw_stack_kind kind;
        uint32_t bytes;
    } notes[] = { { "__runCodelet_A", TW_STACK_TOTAL, 0 },
                  { ".text.b", TW_STACK_TOTAL, 24 },
                  { "__runCodelet_C", TW_STACK_OWN, 32 } };
    size_t found = 0;
    for (size_t i = 0; i < tw_object_stack_note_count(o); i++) {
        const tw_stack_note *note = tw_object_get_stack_note(o, i);
        if (note->targets && *note->targets) assert_string_equal(note->targets, "f,g,h");
        for (size_t k = 0; k < G_N_ELEMENTS(notes); k++)
            found += strcmp(note->name, notes[k].name) == 0 && note->kind == notes[k].kind &&
                     note->bytes == notes[k].bytes;
    }
    assert_int_equal(tw_object_stack_note_count(o), 4);
    assert_int_equal(found, 3);
    tw_object_free(o);
}

/* --- memory --------------------------------------------------------------------------------------------------- */

/* A worker of a chip that runs one instruction; 0 when nothing was wrong. */
static tw_sim_cause run_one(tw_isa_arch arch, const char *insn, uint32_t m0, uint32_t m1, uint32_t m2, uint32_t m3)
{
    tw_sim_options options = { .size = sizeof options, .arch = arch };
    g_autofree char *text = g_strconcat(".worker\nf: ", insn, "\nexitz $mzero\n", NULL);
    machine m = machine_with(&options, text);
    const uint32_t values[] = { m0, m1, m2, m3 };
    for (unsigned i = 0; i < 4; i++) tw_sim_set_m(m.sim, 0, i, values[i]);
    tw_sim_stop stop = run_worker_from(&m, tw_sim_memory_base(arch) + 0x30000);
    const tw_sim_exception *e = tw_sim_get_exception(m.sim);
    tw_sim_cause cause = stop == TW_SIM_FAULT && e ? e->cause : TW_SIM_CAUSE_NONE;
    machine_free(&m);
    return cause;
}

#define NONE    TW_SIM_CAUSE_NONE
#define ADDRESS TW_SIM_CAUSE_INVALID_ADDRESS
#define REGION  TW_SIM_CAUSE_INVALID_REGION

static const struct {
    const char *insn;
    uint32_t mk1, mk2; /* $m0 */
    tw_sim_cause cause;
} edges[] = {
    { "ld32 $m4, $m0, 0", 0x3fffc, 0x4bffc, ADDRESS }, /* before the first byte */
    { "ld32 $m4, $m0, 0", 0x40000, 0x4c000, NONE },
    { "ldz8 $m4, $m0, $mzero, 0", 0x3ffff, 0x4bfff, ADDRESS },
    { "ldz8 $m4, $m0, $mzero, 0", 0x7ffff, 0xe7fff, NONE }, /* the last byte */
    { "ldz8 $m4, $m0, $mzero, 0", 0x80000, 0xe8000, ADDRESS },
    { "ldz16 $m4, $m0, $mzero, 0", 0x7fffe, 0xe7ffe, NONE },
    { "ldb16 $a4, $m0, $mzero, 0", 0x80000, 0xe8000, ADDRESS },
    { "ld32 $m4, $m0, 0", 0x7fffc, 0xe7ffc, NONE },
    { "ld32 $m4, $m0, 1", 0x7fffc, 0xe7ffc, ADDRESS },
    { "ld64 $a0:1, $m0, 0", 0x7fff8, 0xe7ff8, NONE },
    { "ld64 $a0:1, $m0, 1", 0x7fff8, 0xe7ff8, ADDRESS },
    { "ld128 $a0:3, $m0, 0", 0x7fff0, 0xe7ff0, NONE },
    { "ld128 $a0:3, $m0, 1", 0x7fff0, 0xe7ff0, ADDRESS },
    { "ld128 $a0:3, $m0, 0", 0x60000, 0x80000, NONE },
    { "ld128 $a0:3, $m0, 0", 0x5fff0, 0x7fff0, REGION }, /* the last of region 0 */
    { "st32 $m4, $m0, $mzero, 0", 0x7fffc, 0xe7ffc, NONE },
    { "st32 $m4, $m0, $mzero, 0", 0x80000, 0xe8000, ADDRESS },
    { "st32 $a4, $m0, $mzero, 0", 0x3fffc, 0x4bffc, ADDRESS },
    { "st64 $a4:5, $m0, $mzero, 0", 0x7fff8, 0xe7ff8, NONE },
    { "st64 $a4:5, $m0, $mzero, 0", 0x80000, 0xe8000, ADDRESS },
    { "ld32 $m4, $m0, 0", 0x0, 0x0, ADDRESS },
    { "ld32 $m4, $m0, 0", 0x1ffffc, 0x1ffffc, ADDRESS }, /* 21 bits, not populated */
    { "ld32 $m4, $m0, 0", 0x240000, 0x24c000, ADDRESS }, /* bit 21 is no part of an address */
    { "ld32 $m4, $m0, 0", 0xfffffffc, 0xfffffffc, ADDRESS },
};

static void edges_of_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(edges); i++)
        for (size_t c = 0; c < G_N_ELEMENTS(chips); c++) {
            uint32_t at = chips[c] == TW_ISA_IPU1 ? edges[i].mk1 : edges[i].mk2;
            tw_sim_cause cause = run_one(chips[c], edges[i].insn, at, 0, 0, 0);
            if (cause != edges[i].cause)
                fail_msg("%s at 0x%x on %s: %s", edges[i].insn, at, tw_isa_arch_name(chips[c]),
                         tw_sim_cause_name(cause));
        }
}

/* Instructions come from region 0 only, and from nothing that is not there. */
static void edges_of_code(void **state)
{
    (void)state;
    static const struct {
        uint32_t mk1, mk2;
        tw_sim_cause cause;
    } rows[] = { { 0x60000, 0x80000, TW_SIM_CAUSE_PC_NOT_EXECUTABLE },
                 { 0x7fffc, 0xe7ffc, TW_SIM_CAUSE_PC_NOT_EXECUTABLE },
                 { 0x80000, 0xe8000, TW_SIM_CAUSE_PC_NOT_VALID },
                 { 0x3fffc, 0x4bffc, TW_SIM_CAUSE_PC_NOT_VALID } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (size_t c = 0; c < G_N_ELEMENTS(chips); c++) {
            uint32_t to = chips[c] == TW_ISA_IPU1 ? rows[i].mk1 : rows[i].mk2;
            assert_int_equal(run_one(chips[c], "br $m0", to, 0, 0, 0), rows[i].cause);
        }
    for (size_t c = 0; c < G_N_ELEMENTS(chips); c++) { /* up to the last word, and over it */
        tw_sim_options options = { .size = sizeof options, .arch = chips[c] };
        machine m = machine_with(&options, ".worker\nf: br $m0\nexitz $mzero\nnop\n");
        uint32_t end = chips[c] == TW_ISA_IPU1 ? 0x60000 : 0x80000;
        poke(&m, end - 4, peek(&m, m.entry + 4));
        tw_sim_set_m(m.sim, 0, 0, end - 4);
        run_to_exit(&m);
        poke(&m, end - 4, peek(&m, m.entry + 8));
        assert_int_equal(run_worker_from(&m, VERTEX), TW_SIM_FAULT);
        assert_int_equal(tw_sim_get_exception(m.sim)->cause, TW_SIM_CAUSE_PC_NOT_EXECUTABLE);
        assert_int_equal(tw_sim_get_exception(m.sim)->pc, end);
        machine_free(&m);
    }
}

/* Mk1: banks of region 0 by bits 16 to 14, elements of region 1 by bits 16 and 15, bit 3 within one. */
static void clashes_on_mk1(void **state)
{
    (void)state;
    static const struct {
        uint32_t one, two;
        bool clash;
    } rows[] = {
        { 0x44000, 0x47ff8, true },  { 0x44000, 0x48000, false }, { 0x40000, 0x43ff8, true },
        { 0x5c000, 0x5fff8, true },  { 0x5bff8, 0x5c000, false }, { 0x5fff8, 0x60000, false },
        { 0x44000, 0x54000, false }, /* bit 16 is part of the bank */
        { 0x60000, 0x60010, true },  { 0x60000, 0x60008, false }, { 0x60000, 0x67ff0, true },
        { 0x60000, 0x67ff8, false }, { 0x60000, 0x68000, false }, { 0x60000, 0x70000, false },
        { 0x78008, 0x7fff8, true },  { 0x60000, 0x60000, true },  { 0x78000, 0x70000, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (unsigned order = 0; order < 2; order++) {
            uint32_t one = order ? rows[i].two : rows[i].one, two = order ? rows[i].one : rows[i].two;
            tw_sim_cause cause =
                run_one(TW_ISA_IPU1, "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", one, two, 0, 0);
            if (cause != (rows[i].clash ? TW_SIM_CAUSE_CONFLICT : TW_SIM_CAUSE_NONE))
                fail_msg("0x%x and 0x%x: %s", one, two, tw_sim_cause_name(cause));
        }
}

/* Two loads of one instruction, at the first and last words of every two banks: they clash within one bank only. */
static void every_pair_of_banks(void **state)
{
    (void)state;
    for (size_t c = 0; c < 2; c++) {
        uint32_t base = c ? 0x4c000 : 0x40000, region1 = c ? 0x80000 : 0x60000, end = c ? 0xe8000 : 0x80000;
        tw_sim_options options = { .size = sizeof options, .arch = chips[c] };
        machine m =
            machine_with(&options, ".worker\nf: ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0\nexitz $mzero\n");
        uint32_t at[64], bank[64];
        unsigned count = 0;
        for (uint32_t a = base; a < region1; a += 0x4000) at[count] = a, bank[count] = count, count++;
        for (uint32_t a = region1; a < end; a += 0x8000)
            for (uint32_t odd = 0; odd < 2; odd++) at[count] = a + 8 * odd, bank[count] = count, count++;
        assert_int_equal(count, c ? 13 + 26 : 8 + 8);
        for (unsigned i = 0; i < count; i++)
            for (unsigned k = 0; k < count; k++) {
                uint32_t far = at[k] < region1 ? 0x3ff8 : 0x7ff0;
                tw_sim_set_m(m.sim, 0, 0, at[i]), tw_sim_set_m(m.sim, 0, 1, at[k] + far);
                tw_sim_stop stop = run_worker_from(&m, region1);
                if ((stop == TW_SIM_FAULT) != (bank[i] == bank[k])) fail_msg("0x%x and 0x%x", at[i], at[k] + far);
                if (stop == TW_SIM_FAULT)
                    assert_int_equal(tw_sim_get_exception(m.sim)->cause, TW_SIM_CAUSE_CONFLICT);
            }
        machine_free(&m);
    }
}

/* --- contexts --------------------------------------------------------------------------------------------------- */

/* Each worker writes its number into registers of all kinds; then each must have its own. */
static void registers_of_each_worker(void **state)
{
    (void)state;
    machine m = machine_of(".worker\nf: get $m0, $WSR\nand $m0, $m0, 7\nadd $m5, $m0, 100\n"
                           "st32 $m5, $mworker_base, $mzero, 0\nld32 $a5, $mworker_base, $mzero, 0\n"
                           "uput $TAS, $a5\nuput $PRNG_0_0, $a5\nf32fromi32 $a4, $a5\n"
                           "f32v2aop $a4:5, $azeros, 0\nf32mac $a4, $a4\nuput $FP_CTL, $a5\nexitz $mzero\n");
    tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX, .worker_base = SCRATCH };
    assert_int_equal(tw_sim_start_all(m.sim, &launch, 0, 64), TW_OK);
    assert_int_equal(tw_sim_run(m.sim, TURN_LIMIT), TW_SIM_DONE);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) {
        uint32_t tas, prng, ctl;
        tw_sim_get_csr(m.sim, w, 0x108, &tas), tw_sim_get_csr(m.sim, w, 0x103, &prng);
        tw_sim_get_csr(m.sim, w, 0x102, &ctl);
        assert_int_equal(tw_sim_get_m(m.sim, w, 5), 100 + w);
        assert_int_equal(tw_sim_get_a(m.sim, w, 5), 100 + w);
        assert_int_equal(tas, 100 + w);
        assert_int_equal(prng, 100 + w);
        assert_int_equal(ctl, (100 + w) & 0x1f0007);
        assert_true(float_of(tw_sim_get_accumulator(m.sim, w, 0)) == (float)((100 + w) * (100 + w)));
        assert_int_equal(peek(&m, SCRATCH + 64 * w), 100 + w);
    }
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 5), 0);
    machine_free(&m);
}

/* 7.1.2: what hardware defines cannot be written, $fp, $lr and $sp are registers like others. */
static void special_registers(void **state)
{
    (void)state;
    machine m =
        machine_of(".worker\nf: setzi $m8, 8\nsetzi $m9, 9\nsetzi $m10, 10\nsetzi $m11, 11\nsetzi $m12, 12\n"
                   "setzi $m13, 13\nsetzi $m14, 14\nsetzi $m15, 15\nsetzi $a7, 7\nsetzi $a14, 14\n"
                   "setzi $a15, 15\nor64 $azeros, $a6:7, $a6:7\nmov $m0, $mworker_base\n"
                   "mov $m1, $mvertex_base\nmov $m2, $mzero\nmov $m3, $azero\nmov $m4, $fp\nmov $m5, $lr\n"
                   "mov $m6, $sp\nor64 $a0:1, $azeros, $azeros\nexitz $mzero\n");
    tw_sim_set_a(m.sim, 0, 0, 77);
    run_to_exit(&m);
    static const uint32_t want[] = { SCRATCH, VERTEX, 0, 0, 9, 10, 11, 0, 8, 9, 10, 11, SCRATCH, VERTEX };
    for (unsigned i = 0; i < G_N_ELEMENTS(want); i++) assert_int_equal(tw_sim_get_m(m.sim, 0, i), want[i]);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 15), 0);
    assert_int_equal(tw_sim_get_a(m.sim, 0, 7), 7);
    for (unsigned i = 0; i < 2; i++) assert_int_equal(tw_sim_get_a(m.sim, 0, i), 0);
    for (unsigned i = 14; i < 16; i++) assert_int_equal(tw_sim_get_a(m.sim, 0, i), 0);
    machine_free(&m);
}

/* 7.5.2: constants that take one turn, and are exact. */
static void constants_in_one_turn(void **state)
{
    (void)state;
    static const struct {
        const char *insn;
        uint32_t value;
    } rows[] = { { "f16v2exp $a0, $azero", 0x3c003c00 }, { "f16v2sigm $a0, $azero", 0x38003800 } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(".worker\nf: ", rows[i].insn, "\nexitz $mzero\n", NULL);
        machine m = machine_of(text);
        run_to_exit(&m);
        assert_int_equal(tw_sim_get_a(m.sim, 0, 0), rows[i].value);
        assert_int_equal(tw_sim_turns(m.sim, 0), 2);
        machine_free(&m);
    }
    machine m = machine_of(".worker\nf: f16v2sigm $a0, $a0\nexitz $mzero\n"); /* of another value: two */
    tw_sim_set_a(m.sim, 0, 0, 0x3c000000);
    run_to_exit(&m);
    assert_int_equal(tw_sim_turns(m.sim, 0), 3);
    machine_free(&m);
}

/* --- bounds --------------------------------------------------------------------------------------------------- */

/* The host's reads and writes, to the first and the last byte of each chip's memory and one beyond. */
static void bounds_of_memory(void **state)
{
    (void)state;
    static const tw_isa_arch archs[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    for (size_t i = 0; i < G_N_ELEMENTS(archs); i++) {
        tw_sim *sim = tw_sim_new(&(tw_sim_options){ .size = sizeof(tw_sim_options), .arch = archs[i] });
        uint32_t start = tw_sim_memory_base(archs[i]), size = tw_sim_memory_bytes(archs[i]), end = start + size;
        const struct {
            uint32_t address, bytes;
            bool inside;
        } rows[] = { { start, 0, true },
                     { start, 4, true },
                     { start - 1, 1, false },
                     { start - 1, 0, false },
                     { start - 4, 8, false },
                     { end - 4, 4, true },
                     { end - 4, 5, false },
                     { end - 1, 1, true },
                     { end - 1, 2, false },
                     { end, 0, true },
                     { end, 1, false },
                     { end + 1, 0, false },
                     { start, size, true },
                     { start, size + 1, false },
                     { start + 1, size, false },
                     { start + 1, size - 1, true },
                     { end - 1, UINT32_MAX, false },
                     { start, UINT32_MAX, false },
                     { 0, 4, false },
                     { UINT32_MAX, 1, false } };
        g_autofree uint8_t *bytes = g_malloc0((gsize)size + 1);
        for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
            tw_status wanted = rows[k].inside ? TW_OK : TW_E_INDEX;
            if (tw_sim_write(sim, rows[k].address, bytes, rows[k].bytes) != wanted ||
                tw_sim_read(sim, rows[k].address, bytes, rows[k].bytes) != wanted)
                fail_msg("%s, row %zu: not %d", tw_isa_arch_name(archs[i]), k, wanted);
        }
        tw_sim_free(sim);
    }
}

/* Names and lines reach from the first byte of a section to its last. */
static void bounds_of_names(void **state)
{
    (void)state;
    machine m = machine_of("f: nop\nnop\n.data\n.globl d\nd: .byte 1, 2, 3\n");
    const tw_section *code = section_of(m.image, ".text"), *data = section_of(m.image, ".data");
    const struct {
        uint32_t address;
        const char *name; /* NULL: none */
        uint32_t offset, line;
    } rows[] = { { code->address - 1, NULL, 0, 0 }, { code->address, "f", 0, 1 }, { code->address + 7, "f", 7, 2 },
                 { code->address + 8, "d", 0, 0 },  { data->address, "d", 0, 0 }, { data->address + 2, "d", 2, 0 },
                 { data->address + 3, NULL, 0, 0 }, { UINT32_MAX, NULL, 0, 0 } };
    assert_int_equal(data->address, code->address + 8);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *name, *file;
        uint32_t offset, line;
        bool named = tw_sim_symbol_at(m.sim, rows[i].address, &name, &offset);
        if (named != (rows[i].name != NULL) || (named && strcmp(name, rows[i].name) != 0) ||
            offset != rows[i].offset)
            fail_msg("row %zu: %s + %u", i, named ? name : "nothing", offset);
        tw_sim_line_at(m.sim, rows[i].address, &file, &line);
        if (line != rows[i].line) fail_msg("row %zu: line %u", i, line);
    }
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_memory),         cmocka_unit_test(bounds_of_names),
        cmocka_unit_test(constants_in_assembly),    cmocka_unit_test(stack_macros),
        cmocka_unit_test(edges_of_memory),          cmocka_unit_test(edges_of_code),
        cmocka_unit_test(clashes_on_mk1),           cmocka_unit_test(every_pair_of_banks),
        cmocka_unit_test(registers_of_each_worker), cmocka_unit_test(special_registers),
        cmocka_unit_test(constants_in_one_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
