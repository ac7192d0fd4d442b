/* SPDX-License-Identifier: MIT */
/* Code of LLVM in, what it computes on the simulated tile out. */
#ifndef SELECT_TEST_H
#define SELECT_TEST_H

#include "../../sim_test.h"

#include "poplar/colossus/cc/sel/generate.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

enum {
    SELECT_IN = 0x2000,
    SELECT_OUT = 0x8000,
    SELECT_ROOM = 0x6000,
    SELECT_SCRATCH = 0x10000,
    SELECT_STACK = 1024
};
#define SELECT_LAYOUT "target datalayout = \"e-m:e-p:32:32-i64:64-v128:64-a:0:32-n32-S64\"\n"

typedef struct select_problems {
    GString *text;
} select_problems;

__attribute__((unused)) static void select_report(void *user, const tw_diag *diag)
{
    g_string_append_printf(user, "%s:%d:%d: %s [%s]\n", diag->file, diag->line, diag->column, diag->message,
                           diag->code);
}

/* The assembly of a module; NULL, and what was reported in `problems`. */
__attribute__((unused)) static char *select_assembly(const char *ir, tw_isa_arch arch, GString *problems)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "test.ll");
    LLVMModuleRef module = NULL;
    char *problem = NULL;
    if (LLVMParseIRInContext(context, buffer, &module, &problem)) fail_msg("%s\nin: %s", problem, ir);
    const tw__cc_request request = { .path = "test.ll", .arch = arch, .report = select_report, .user = problems };
    GString *assembly = g_string_new(NULL);
    bool is_fine = tw__cc_generate(&request, module, assembly);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return g_string_free(assembly, !is_fine);
}

/* Calls `f(in, out)` of the module for each of `count` items of `in_bytes` and `out_bytes`. The first items lie
 * `skew` bytes behind an address that is divisible by 16. */
__attribute__((unused)) static void select_run(const char *ir, tw_isa_arch arch, unsigned count, const uint8_t *in,
                                               unsigned in_bytes, uint8_t *out, unsigned out_bytes, unsigned skew)
{
    GString *problems = g_string_new(NULL);
    char *code = select_assembly(ir, arch, problems);
    if (!code) fail_msg("%s\nin: %s", problems->str, ir);
    uint32_t base = arch == TW_ISA_IPU1 ? 0x60000 : 0x80000; /* region 1 */
    char *text = g_strdup_printf("\t.section .text.driver, \"ax\"\n\t.worker\n\t.globl driver\ndriver:\n"
                                 "\tadd $m11, $m12, -%d\n\tsetzi $m7, %u\n\tsetzi $m8, %u\n\tsetzi $m9, %u\n"
                                 "1:\tor $m0, $m8, 0\n\tor $m1, $m9, 0\n\tcall $m10, f\n\tadd $m8, $m8, %u\n"
                                 "\tadd $m9, $m9, %u\n\tbrnzdec $m7, 1b\n\texitz $m15\n%s",
                                 SELECT_STACK, count - 1, base + SELECT_IN + skew, base + SELECT_OUT + skew,
                                 in_bytes, out_bytes, code);
    assert_in_range(count * in_bytes + skew, 1, SELECT_ROOM);
    assert_in_range(count * out_bytes + skew, 1, SELECT_ROOM);
    const tw_sim_options options = { .size = sizeof options, .arch = arch };
    machine m = machine_with(&options, text);
    assert_int_equal(tw_sim_write(m.sim, base + SELECT_IN + skew, in, count * in_bytes), TW_OK);
    const tw_sim_launch launch = { .entry = m.entry, .vertex_base = base, .worker_base = base + SELECT_SCRATCH };
    assert_int_equal(tw_sim_start(m.sim, 0, &launch), TW_OK);
    tw_sim_stop stop = tw_sim_run(m.sim, TURN_LIMIT);
    if (stop == TW_SIM_FAULT) fail_msg("%s\nin: %s\n%s", tw_sim_get_exception(m.sim)->message, ir, code);
    assert_int_equal(stop, TW_SIM_DONE);
    assert_int_equal(tw_sim_read(m.sim, base + SELECT_OUT + skew, out, count * out_bytes), TW_OK);
    machine_free(&m);
    g_free(text);
    g_free(code);
    g_string_free(problems, TRUE);
}

#endif
