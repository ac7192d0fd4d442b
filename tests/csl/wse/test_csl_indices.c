/* SPDX-License-Identifier: MIT */
/* Indices of arrays that only the run knows: outside its dimension one is reported once per place, or ends the run,
 * as --check says; without checks the code is the same and costs the same. */
#include "csl/wse/compile.h"
#include "csl/wse/wse.h"

#define START "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n"
#define VARS                                                                                          \
    "var a = [4]u16{ 1, 2, 3, 4 }; var m = @zeros([2,3]u8); var n: i16 = 9; var u: u16 = 2; var o = " \
    "@zeros([4]u16);\n"

typedef struct row {
    const char *program;
    unsigned line, column; /* of the first message */
    const char *message;   /* NULL = nothing to say */
    unsigned messages;     /* under --check=report */
} row;

static const row rows[] = {
    /* inside: both ends, signed and unsigned, several dimensions, loops to the last element */
    { VARS "task main() void { u = 3; a[u] = a[u - 3]; n = 0; a[n] = 1; m[n + 1, u - 1] = 7; }\n" START, 0, 0, NULL,
      0 },
    { VARS "task main() void { for (@range(i16, 4)) |i| { a[i] = @as(u16, i); } }\n" START, 0, 0, NULL, 0 },
    { VARS
      "task main() void { var i: u16 = 0; while (i < 4) : (i += 1) { if (a[i] == 3) { o[i] = a[i]; } } }\n" START,
      0, 0, NULL, 0 },
    /* reads and writes */
    { VARS "task main() void {\n  u = a[n];\n}\n" START, 3, 9, "index 9 is outside the 4 elements", 1 },
    { VARS "task main() void {\n  a[u + 2] = 5;\n}\n" START, 3, 7, "index 4 is outside the 4 elements", 1 },
    { VARS "task main() void {\n  n = -1;\n  a[n] = 5;\n}\n" START, 4, 5, "index -1 is outside the 4 elements", 1 },
    { VARS "task main() void {\n  m[1, n] = 5;\n}\n" START, 3, 8, "index 9 is outside the 3 elements", 1 },
    /* each dimension for itself, though the element lies in the array */
    { VARS "task main() void {\n  m[0, u + 1] = 5;\n}\n" START, 3, 10, "index 3 is outside the 3 elements", 1 },
    { VARS "task main() void {\n  m[u, u + 1] = 5;\n}\n" START, 3, 5, "index 2 is outside the 2 elements", 2 },
    /* through pointers to arrays, fields, a function's parameter; not through pointers to many */
    { VARS "fn get(p: *[4]u16, i: u16) u16 {\n  return p[i];\n}\ntask main() void { u = get(&a, u * 2); }\n" START,
      3, 12, "index 4 is outside the 4 elements", 1 },
    { VARS "var p = &a;\ntask main() void {\n  p.*[n] = 1;\n}\n" START, 4, 7, "index 9 is outside the 4 elements",
      1 },
    { VARS "var p: [*]u16 = &a;\ntask main() void { p[u + 2] = 1; }\n" START, 0, 0, NULL, 0 },
    /* once per place, however often; two places of one statement are two */
    { VARS "task main() void {\n  for (@range(u16, 20)) |i| { o[0] += a[i]; }\n}\n" START, 3, 41,
      "index 4 is outside the 4 elements", 1 },
    { VARS "task main() void {\n  for (@range(u16, 20)) |i| { o[i] = a[i]; }\n}\n" START, 3, 33,
      "index 4 is outside the 4 elements", 2 },
    /* a value that nobody uses, right before a label: those who jump there have no index */
    { VARS
      "task main() void { var i: u16 = 0; while (i < 9) : (i += 1) { if (i < 4) { _ = m[0, i / 2]; } } }\n" START,
      0, 0, NULL, 0 },
};

typedef struct result {
    tw_status status;
    uint64_t cycle;
    unsigned warnings, errors;
    uint8_t memory[TW__CSL_PE_BYTES];
} result;

static void run(const char *program, bool wse3, tw__wse_check check, const row *expected, result *r)
{
    compiled c = compile_good(program, wse3);
    tw_diags *said = tw_diags_new();
    tw__wse *w = tw__wse_new(c.image, &(tw__wse_options){ .check = check }, said);
    assert_non_null(w);
    memset(r, 0, sizeof *r);
    r->status = tw__wse_run(w, 100000, NULL, NULL);
    r->cycle = tw__wse_cycle(w);
    memcpy(r->memory, tw__wse_memory(w, 0, 0), sizeof r->memory);
    r->errors = (unsigned)tw_diags_count(said, TW_ERROR);
    r->warnings = (unsigned)tw_diags_count(said, TW_WARNING) - r->errors;
    const tw_diag *first = r->warnings + r->errors ? tw_diags_get(said, 0) : NULL;
    if (first && expected->message &&
        (!strstr(first->message, expected->message) || first->line != (int)expected->line ||
         first->column != (int)expected->column || strcmp(first->code, "wse.index") != 0)) {
        tw_diags_print(said, stderr, false);
        fail_msg("expected %u:%u: %s\n%s", expected->line, expected->column, expected->message, program);
    }
    tw__wse_free(w);
    tw_diags_free(said);
    compiled_free(&c);
}

static void each_mode(void **state)
{
    (void)state;
    static result off, report, stopped;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned wse3 = 0; wse3 < 2; wse3++) {
            const row *x = &rows[i];
            run(x->program, wse3, TW__WSE_CHECK_OFF, x, &off);
            run(x->program, wse3, TW__WSE_CHECK_REPORT, x, &report);
            if (off.warnings + off.errors || report.errors || report.warnings != x->messages)
                fail_msg("%u messages instead of %u, %u without checks:\n%s", report.warnings, x->messages,
                         off.warnings + off.errors, x->program);
            assert_int_equal(off.status, TW_OK);
            assert_int_equal(report.status, TW_OK);
            assert_int_equal(off.cycle, report.cycle); /* a check takes no cycles */
            assert_memory_equal(off.memory, report.memory, sizeof off.memory);
            for (unsigned strict = 0; strict < 2; strict++) {
                run(x->program, wse3, strict ? TW__WSE_CHECK_STRICT : TW__WSE_CHECK_ERROR, x, &stopped);
                assert_int_equal(stopped.status, x->message ? TW_E_APPLICATION : TW_OK);
                assert_int_equal(stopped.errors, x->message ? 1 : 0);
            }
        }
}

/* The table of indices of a file is as little trusted as its code. */
static void damaged(void **state)
{
    (void)state;
    compiled c = compile_good(VARS "task main() void { u = a[u]; o[u] = a[u + 1]; }\n" START, false);
    tw__csl_program *p = &c.image->programs[0];
    assert_true(p->index_count >= 3);
    const struct {
        uint32_t at;
        uint16_t reg;
        const char *message;
    } wrong[] = { { p->indices[0].at, 60000, "registers 60000" },
                  { (uint32_t)p->code_count, p->indices[0].reg, "out of order" },
                  { UINT32_MAX, p->indices[0].reg, "out of order" } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tw_diags *said = tw_diags_new();
        tw__csl_index_use old = p->indices[0];
        p->indices[0].at = wrong[i].at;
        p->indices[0].reg = wrong[i].reg;
        assert_int_equal(tw__csl_verify(c.image, said), TW_E_INVALID_ARGUMENT);
        if (!find_message(said, TW_ERROR, wrong[i].message)) {
            tw_diags_print(said, stderr, false);
            fail_msg("expected '%s'", wrong[i].message);
        }
        p->indices[0] = old;
        tw_diags_free(said);
    }
    compiled_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_mode), cmocka_unit_test(damaged) };
    return cmocka_run_group_tests_name("csl_indices", tests, NULL, NULL);
}
