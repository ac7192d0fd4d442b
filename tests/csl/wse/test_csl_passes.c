/* SPDX-License-Identifier: MIT */
/* What the optimiser takes out of a program, and what it leaves in: pointers that lead to variables, operations in
 * the background, tasks that share variables, what stops the PE. Each row runs at -O0 and at -O2 with one result. */
#include "csl/wse/compile.h"
#include "csl/wse/kit.h"

#include <glib.h>

#define START "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n"

typedef struct row {
    const char *text;
    const char *what; /* start of the names of instructions that are counted */
    int count;        /* at -O2, in the whole program */
    const char *variable;
    uint32_t value; /* of it at the end */
} row;

static const row rows[] = {
    /* elements of an array, again: also behind a store to another variable, not behind one to the same array */
    { "var a = [4]u16{ 1, 2, 3, 4 }; var b = @zeros([4]u16); var k: u16 = 2; var r: u16 = 0;\n"
      "task main() void { b[k] = a[k]; r = a[k] + 1; }\n" START,
      "ld.", 1, "r", 4 },
    { "var a = [4]u16{ 1, 2, 3, 4 }; var k: u16 = 2; var j: u16 = 2; var r: u16 = 0;\n"
      "task main() void { r = a[k]; a[j] = 9; r += a[k]; }\n" START,
      "ld.", 2, "r", 12 },
    /* a pointer may lead anywhere, to a variable whose address nobody took, too */
    { "var x: u16 = 1; var y: u16 = 5; var p: *u16 = &x; var r: u16 = 0;\n"
      "task main() void { r = x; p.* = 7; r += x; }\n" START,
      "lda.u16", 4, "r", 8 },
    { "var a = [4]u16{ 1, 2, 3, 4 }; var p: [*]u16 = &a; var k: u16 = 2; var r: u16 = 0;\n"
      "task main() void { r = a[k]; p[k] = 9; r += a[k]; }\n" START,
      "ld.", 2, "r", 12 },
    /* what an operation writes is read again */
    { "var a = [4]u16{ 1, 2, 3, 4 }; var k: u16 = 2; var r: u16 = 0;\n"
      "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] });\n"
      "task main() void { r = a[k]; @add16(d, d, 10); r += a[k]; }\n" START,
      "ld.", 2, "r", 16 },
    /* the check of an index whose load went stands before a descriptor that is loaded */
    { "var a = [4]u16{ 1, 2, 3, 4 }; var k: u16 = 2; var r: u16 = 0;\n"
      "var d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] });\n"
      "task main() void { r = a[k]; _ = a[k]; var e = d; @add16(e, e, 1); r += a[3]; }\n" START,
      "lddsda", 1, "r", 8 },
    /* a field of bits as an index is masked where its element lies; checks that cannot fail go, a counter's too */
    { "var a = @zeros([16]u16); var k: u16 = 0xa3f; var r: u16 = 0;\n"
      "task main() void { a[10] = 7; r = a[(k >> 8) & 15]; }\n" START,
      "shli", 0, "r", 7 },
    { "var a = @zeros([16]u32); var k: i16 = -6; var r: u32 = 0;\n"
      "task main() void { a[13] = 7; r = a[(k >> 1) & 15]; }\n" START,
      "shli", 1, "r", 7 },
    { "var a = @zeros([64]i16); var b = @zeros([64]i16); var k: u16 = 40; var r: i16 = 0;\n"
      "task main() void { a[k] = 9; a[k + 1] = -9;\n"
      "  for (@range(u16, 64)) |i| { b[i] = if (a[i] > 0) a[i] else 1; }\n  r = b[k] + b[k + 1] + b[k + 2]; "
      "}\n" START,
      "cmov", 1, "r", 11 },
    /* a store that the next one to the same variable hides */
    { "var x: u16 = 1; var y: u16 = 3;\ntask main() void { x = y; x += 2; x = x * 2; }\n" START, "sta.", 1, "x",
      10 },
    /* not where another branch, a loop, a pointer or a call looks */
    { "var x: u16 = 1; var y: u16 = 3; var r: u16 = 0;\n"
      "task main() void { x = y; if (y == 3) { r = x; } x = 9; r += x; }\n" START,
      "sta.", 3, "r", 12 },
    { "var x: u16 = 1; var y: u16 = 3; var p: *u16 = &y; var r: u16 = 0;\n"
      "task main() void { x = y; r = p.*; x = 9; }\n" START,
      "sta.", 3, "x", 9 },
    /* what an operation in the background or the host may read is written each time */
    { "var a = [2]u16{ 0, 0 }; var y: u16 = 3;\nconst d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i] "
      "});\n"
      "task main() void { a[0] = y; a[0] = y + 1; @add16(d, d, 1); }\n" START,
      "sta.", 2, "a", 5 | 1 << 16 },
};

static tw__wse *run(const char *text, bool optimize, tw__csl_image **image, tw_diags *diags)
{
    tw__csl_compile_options o = { .file = "t.csl",
                                  .wse3 = true,
                                  .optimize = optimize,
                                  .read = read_memory,
                                  .read_user = (void *)(uintptr_t)text };
    *image = tw__csl_compile(&o, diags);
    if (!*image || tw__csl_verify(*image, diags) != TW_OK) {
        tw_diags_print(diags, stderr, false);
        fail_msg("does not compile:\n%s", text);
    }
    tw__wse *w = tw__wse_new(*image, &(tw__wse_options){ .threads = 1, .check = TW__WSE_CHECK_ERROR }, diags);
    assert_non_null(w);
    assert_int_equal(tw__wse_run(w, 100000, NULL, NULL), TW_OK);
    return w;
}

static uint32_t value_of(const tw__csl_image *image, tw__wse *w, const char *name)
{
    const tw__csl_program *p = &image->programs[0];
    for (size_t k = 0; k < p->symbol_count; k++) {
        if (strcmp(p->symbols[k].name, name) != 0) continue;
        uint32_t value = 0;
        memcpy(&value, tw__wse_memory(w, 0, 0) + p->symbols[k].address,
               p->symbols[k].bytes < 4 ? p->symbols[k].bytes : 4);
        return value;
    }
    fail_msg("no variable '%s'", name);
    return 0;
}

/* Lines of the listing whose instruction begins with `what`. */
static int instructions(const tw__csl_image *image, const char *what)
{
    char *listing = tw__csl_listing(image, 0);
    int n = 0;
    for (const char *line = strstr(listing, "\nmain:"); line && *line; line = strchr(line + 1, '\n')) {
        unsigned number, cycles;
        int at = 0;
        if (sscanf(line, "\n%u %u %n", &number, &cycles, &at) == 2 && at && g_str_has_prefix(line + at, what)) n++;
        if (!strchr(line + 1, '\n')) break;
    }
    free(listing);
    return n;
}

static void one_row(const row *r)
{
    for (int level = 0; level < 2; level++) {
        tw__csl_image *image;
        tw_diags *diags = tw_diags_new();
        tw__wse *w = run(r->text, level == 1, &image, diags);
        uint32_t value = value_of(image, w, r->variable);
        if (value != r->value) fail_msg("-O%d: %s is %u\n%s", level * 2, r->variable, value, r->text);
        int n = instructions(image, r->what);
        if (level == 1 && n != r->count) {
            char *listing = tw__csl_listing(image, 0);
            fail_msg("%d times '%s', not %d\n%s\n%s", n, r->what, r->count, r->text, listing);
        }
        tw__wse_free(w);
        tw__csl_image_free(image);
        tw_diags_free(diags);
    }
}

static void rows_of_passes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) one_row(&rows[k]);
}

/* A constant of a loop is made before it, in front of the jump to its test, too; one whose register changes stays. */
static void constants_of_loops(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int inside; /* loads of constants between the jump back and where it goes */
        uint32_t value;
    } loops[] = {
        { "var a = @zeros([64]f32); var r: u16 = 0; var n: u16 = 64;\n"
          "task main() void { var i: u16 = 0; while (i < n) : (i += 1) { a[i] = a[i] * 3.0 + 0.5; r += 1; } "
          "}\n" START,
          0, 64 },
        { "var r: u16 = 0; var n: u16 = 20;\n"
          "task main() void { var i: u16 = 0;\n"
          "  while (i < n) : (i += 1) { var k: u16 = 0; if (i > 9) { k = i; r += 2; } r += k; } }\n" START,
          2, 165 },
    };
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        tw__csl_image *image;
        tw_diags *diags = tw_diags_new();
        tw__wse *w = run(loops[k].text, true, &image, diags);
        assert_int_equal(value_of(image, w, "r"), loops[k].value);
        const tw__csl_program *p = &image->programs[0];
        int found = -1;
        for (size_t at = 0; at < p->code_count; at++) {
            tw__csl_insn i = p->code[at];
            int to = tw__csl_op_rows[i.op].operands[2] == 'j' ? (int16_t)i.c : 0;
            for (int back = to; back < 0; back++) {
                uint16_t op = p->code[(int)at + 1 + back].op;
                found = (back == to ? 0 : found) + (op == TW__CSL_I_LDI || op == TW__CSL_I_LDK);
            }
        }
        if (found != loops[k].inside) fail_msg("%d constants in\n%s", found, tw__csl_listing(image, 0));
        tw__wse_free(w);
        tw__csl_image_free(image);
        tw_diags_free(diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_of_passes), cmocka_unit_test(constants_of_loops) };
    return cmocka_run_group_tests_name("csl_passes", tests, NULL, NULL);
}
