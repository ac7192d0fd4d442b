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
    int count;        /* at -O2, in the whole program, or in its loops */
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

static void one_row(const row *r, int count(const tw__csl_image *image, const char *what))
{
    for (int level = 0; level < 2; level++) {
        tw__csl_image *image;
        tw_diags *diags = tw_diags_new();
        tw__wse *w = run(r->text, level == 1, &image, diags);
        uint32_t value = value_of(image, w, r->variable);
        if (value != r->value) fail_msg("-O%d: %s is %u\n%s", level * 2, r->variable, value, r->text);
        int n = count(image, r->what);
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
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) one_row(&rows[k], instructions);
}

/* --- loops ------------------------------------------------------------------------------------------------------ */

/* Instructions between a jump back and where it goes that begin with `what`, of all loops together. */
static int inside_loops(const tw__csl_image *image, const char *what)
{
    const tw__csl_program *p = &image->programs[0];
    uint8_t *inside = tw__calloc(p->code_count + 1, 1);
    int n = 0;
    assert_non_null(inside);
    for (size_t at = 0; at < p->code_count; at++) {
        const char *operands = tw__csl_op_rows[p->code[at].op].operands;
        int64_t to = operands[2] == 'j'   ? (int16_t)p->code[at].c
                     : operands[1] == 'J' ? (int32_t)tw__csl_wide(p->code[at])
                                          : 0;
        for (; to < 0; to++) inside[(int64_t)at + 1 + to] = 1;
    }
    for (size_t at = 0; at < p->code_count; at++) {
        char text[TW__CSL_INSN_TEXT];
        n += inside[at] && g_str_has_prefix(tw__csl_insn_text(text, p->code[at]), what);
    }
    free(inside);
    return n;
}

#define STORES(line)                                                                                       \
    "    b[" #line "0] = i; b[" #line "1] = i; b[" #line "2] = i; b[" #line "3] = i; b[" #line "4] = i;\n" \
    "    b[" #line "5] = i; b[" #line "6] = i; b[" #line "7] = i;\n"

/* What no turn changes is done once, before the loop. */
static const row loop_rows[] = {
    /* constants, in front of the jump to a test, too; one whose register changes stays */
    { "var a = @zeros([64]f32); var r: u16 = 0; var n: u16 = 64;\n"
      "task main() void { var i: u16 = 0; while (i < n) : (i += 1) { a[i] = a[i] * 3.0 + 0.5; r += 1; } }\n" START,
      "ld", 2, "r", 64 },
    { "var r: u16 = 0; var n: u16 = 20;\n"
      "task main() void { var i: u16 = 0;\n"
      "  while (i < n) : (i += 1) { var k: u16 = 0; if (i > 9) { k = i; r += 2; } r += k; } }\n" START,
      "ldi", 2, "r", 165 },
    /* variables that nothing in the loop changes; one that it changes; one that a pointer changes */
    { "var n: u16 = 5; var x: u16 = 3; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0; while (i < n) : (i += 1) { s += x * i; } r = s; "
      "}\n" START,
      "lda.", 0, "r", 30 },
    { "var n: u16 = 5; var x: u16 = 3; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0;\n"
      "  while (i < n) : (i += 1) { s += x; x += 1; if (i == 2) { n = 4; } } r = s; }\n" START,
      "lda.", 2, "r", 18 },
    { "var n: u16 = 5; var p: *u16 = &n; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0;\n"
      "  while (i < n) : (i += 1) { s += 1; p.* = 3; } r = s; }\n" START,
      "lda.", 2, "r", 3 },
    /* a store to another array is no reason, one to the same array is */
    { "var a = [4]u16{ 1, 2, 3, 4 }; var b = @zeros([64]u16); var k: u16 = 2; var n: u16 = 40; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0; while (i < n) : (i += 1) { const v = a[k]; b[i] = v; } r = b[39]; "
      "}\n" START,
      "ld", 0, "r", 3 },
    { "var a = [64]u16{ 1, 2, 3" /* and zeros */
      ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"
      ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };\n"
      "var k: u16 = 2; var n: u16 = 40; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0; while (i < n) : (i += 1) { const v = a[k]; a[i] = v + 1; } r = a[39]; "
      "}\n" START,
      "ld", 1, "r", 5 },
    /* calls and operations may change anything; what waits for one in the background is looked at again */
    { "var n: u16 = 5; var r: u16 = 0;\n"
      "fn f(k: u16) u16 { n = if (k == 3) 4 else 5; if (k > 9) { return f(k - 1) + 1; } return k; }\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0; while (i < n) : (i += 1) { s += f(i); } r = s; }\n" START,
      "lda.", 1, "r", 6 },
    { "var a = [4]u16{ 1, 2, 3, 4 }; var k: u16 = 2; var n: u16 = 4; var r: u16 = 0;\n"
      "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] });\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0;\n"
      "  while (i < n) : (i += 1) { s += a[k]; @add16(d, d, 10); } r = s; }\n" START,
      "ld.", 1, "r", 72 },
    { "const c1 = @get_color(1); const iq = @get_input_queue(2); const oq = @get_output_queue(3);\n"
      "comptime { @set_local_color_config(c1, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } });\n"
      "  @initialize_queue(iq, .{ .color = c1 }); @initialize_queue(oq, .{ .color = c1 }); }\n"
      "const in = @get_dsd(fabin_dsd, .{ .fabric_color = c1, .extent = 8, .input_queue = iq });\n"
      "const out = @get_dsd(fabout_dsd, .{ .fabric_color = c1, .extent = 8, .output_queue = oq });\n"
      "var a = @zeros([8]u16); var k: u16 = 0; var r: u16 = 0;\n"
      "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] });\n"
      "task main() void { k = 7; @mov16(d, in, .{ .async = true }); @mov16(out, 7, .{ .async = true });\n"
      "  while (a[k] == 0) { } r = a[k]; }\n" START,
      "ld", 1, "r", 7 },
    /* ... but not by a loop that a counter alone ends */
    { "var a = @zeros([8]u16); var b = @zeros([64]u16); var k: u16 = 2; var r: u16 = 0;\n"
      "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] });\n"
      "task main() void { @mov16(d, 7); for (@range(u16, 60)) |i| { b[i] = a[k] + i; } r = b[59]; }\n" START,
      "ld", 0, "r", 66 },
    { "var a = @zeros([8]u16); var b = @zeros([64]u16); var k: u16 = 2; var r: u16 = 0;\n"
      "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] });\n"
      "task main() void { @mov16(d, 7);\n"
      "  for (@range(u16, 60)) |i| { b[i] = a[k] + i; if (b[i] == 20) { break; } } r = b[13]; }\n" START,
      "ld", 1, "r", 20 },
    /* what cannot fail leaves a branch, too; what can stays: nobody takes this branch */
    { "var n: u16 = 20; var x: u16 = 3; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0;\n"
      "  while (i < n) : (i += 1) { if (i & 1 == 0) { s += x * x; r += 1; } } r += s; }\n" START,
      "mul", 0, "r", 100 },
    { "var n: u16 = 20; var x: u16 = 0; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0;\n"
      "  while (i < n) : (i += 1) { if (i > 30) { r += 7 / x; r += 1; } r += 1; } }\n" START,
      "div", 1, "r", 20 },
    { "var a = [4]u16{ 1, 2, 3, 4 }; var n: u16 = 20; var k: u16 = 9; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0;\n"
      "  while (i < n) : (i += 1) { if (i > 30) { r += a[k]; r += 1; } r += 1; } }\n" START,
      "ld.", 1, "r", 20 },
    /* no turn at all: nothing that can fail is done; else once */
    { "var a = [4]u16{ 1, 2, 3, 4 }; var n: u16 = 0; var k: u16 = 9; var x: u16 = 0; var r: u16 = 5;\n"
      "task main() void { var i: u16 = 0; var s: u16 = r;\n"
      "  while (i < n) : (i += 1) { s += a[k]; s += 7 / x; } r = s; }\n" START,
      "ld", 0, "r", 5 },
    { "var a = [4]u16{ 1, 2, 3, 4 }; var n: u16 = 3; var k: u16 = 3; var x: u16 = 2; var r: u16 = 5;\n"
      "task main() void { var i: u16 = 0; var s: u16 = r;\n"
      "  while (i < n) : (i += 1) { s += a[k]; s += 7 / x; } r = s; }\n" START,
      "div", 0, "r", 26 },
    /* out of both loops; a variable that the outer one changes, out of the inner one */
    { "var n: u16 = 3; var m: u16 = 4; var x: u16 = 2; var r: u16 = 0;\n"
      "task main() void { var s: u16 = 0; var i: u16 = 0;\n"
      "  while (i < n) : (i += 1) { var j: u16 = 0; while (j < m) : (j += 1) { s += x * j; } } r = s; }\n" START,
      "lda.", 0, "r", 36 },
    { "var n: u16 = 3; var m: u16 = 4; var x: u16 = 2; var r: u16 = 0;\n"
      "task main() void { var s: u16 = 0; var i: u16 = 0;\n"
      "  while (i < n) : (i += 1) { var j: u16 = 0; while (j < m) : (j += 1) { s += x * j; } x += 1; } r = s; "
      "}\n" START,
      "lda.", 2, "r", 54 },
    /* a test of two jumps is not written twice: what can fail stays in its loop, and no turn is no turn */
    { "var a = [4]u16{ 1, 2, 3, 4 }; var n: u16 = 0; var m: u16 = 9; var k: u16 = 9; var r: u16 = 5;\n"
      "task main() void { var i: u16 = 0; var s: u16 = r;\n"
      "  while (i < n and s < m) : (i += 1) { s += a[k]; } r = s; }\n" START,
      "ld.", 1, "r", 5 },
    { "var n: u16 = 4; var x: u16 = 5; var r: u16 = 1;\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0; var left: u16 = r - 1;\n"
      "  while (i < n and left > 0) : (i += 1) { left = x * 2; s += left; } r = s + left; }\n" START,
      "lda.", 0, "r", 0 },
    /* the first turn sees what was there before; one moved result leads to the next */
    { "var n: u16 = 4; var x: u16 = 5; var r: u16 = 1;\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0; var last: u16 = r;\n"
      "  while (i < n) : (i += 1) { s += last; last = x * 3; } r = s; }\n" START,
      "mul", 0, "r", 46 },
    { "var n: u16 = 4; var x: u16 = 5; var y: u16 = 7; var r: u16 = 1;\n"
      "task main() void { var i: u16 = 0; var s: u16 = 0;\n"
      "  while (i < n) : (i += 1) { const t = x * y; if (i & 1 == 0) { s += t * x; r += 1; } r += t; } r += s; "
      "}\n" START,
      "mul", 0, "r", 493 },
    /* what looks at the machine may wait for an operation in the background */
    { "var a = @zeros([8]u16); var b = @zeros([64]u16); var k: u16 = 2; var r: u16 = 0;\n"
      "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] });\n"
      "task main() void { @mov16(d, 7); for (@range(u16, 60)) |i| { b[i] = a[k] + @get_config(0x7f05); } r = "
      "b[59]; "
      "}\n" START,
      "ld", 1, "r", 7 },
    /* a pointer may lead to a register of the machine, here to one that counts: each turn reads it */
    { "const time = @import_module(\"<time>\"); var p: *u16 = @bitcast(*u16, @as(u16, 0xfe10)); var r: u16 = 0;\n"
      "task main() void { time.enable_tsc(); const q = p; var low: u16 = q.*; var s: u16 = 0;\n"
      "  for (@range(u16, 200)) |i| { const now = q.*; if (now != low) { s += 1; } low = now; }\n"
      "  r = if (s > 190) 1 else 0; }\n" START,
      "ld.", 1, "r", 1 },
    /* a call changes the variable that the turn read before it */
    { "var x: u16 = 1; var t: u16 = 0; var r: u16 = 0;\n"
      "fn f(k: u16) u16 { var u: u16 = k + t; u = u * 3 + x; u ^= u >> 3; u = u * 5 + t; u ^= u << 2; u = u * 7 + "
      "k;\n"
      "  u ^= u >> 5; u = u * 3 + t; u ^= u >> 1; u = u * 9 + t; u ^= u << 1; u = u * 7 + t; u ^= u >> 4; x += 1;\n"
      "  if (u == 5 and k > 9) { u += f(k - 1); }\n"
      "  u ^= u >> 5; u = u * 3 + k; u ^= u >> 1; u = u * 9 + k; u ^= u << 1; u = u * 7 + x; return u ^ (u >> 4); "
      "}\n"
      "task main() void { var s: u16 = 0;\n"
      "  for (@range(u16, 200)) |i| { const v = x; t = f(i); s += v; } r = s; t += f(3); }\n" START,
      "lda.", 1, "r", 20100 },
    /* more stores than are looked at */
    { "var a = [4]u16{ 1, 2, 3, 4 }; var b = @zeros([72]u16); var k: u16 = 2; var n: u16 = 4; var r: u16 = 0;\n"
      "task main() void { var i: u16 = 0;\n"
      "  while (i < n) : (i += 1) { r += a[k];\n" STORES(0) STORES(1) STORES(2) STORES(3) STORES(4) STORES(5)
          STORES(6) "    a[i] = 9; } r += b[60]; }\n" START,
      "ld.", 1, "r", 21 },
    /* a loop that a return leaves may look at what an operation in the background writes */
    { "var a = @zeros([8]u16); var b = @zeros([64]u16); var k: u16 = 2; var r: u16 = 0;\n"
      "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] });\n"
      "task main() void { @mov16(d, 7);\n"
      "  for (@range(u16, 60)) |i| { r = a[k] + i; b[i] = r; if (b[i] == 20) { return; } } }\n" START,
      "ld", 1, "r", 20 },
    /* a test that is too long to be written twice */
    { "var n: u16 = 0; var m: u16 = 9; var x: u16 = 0; var r: u16 = 5;\n"
      "task main() void { var i: u16 = 0; var s: u16 = r; var t: u16 = m;\n"
      "  while ((((i ^ s) + 3) | (t & s)) - (((s ^ t) + i) & 7) < (n & s & t)) : (i += 1) { s += 7 / x; t += s; }\n"
      "  r = s; }\n" START,
      "div", 1, "r", 5 },
    /* registers of the machine by their addresses */
    { "const time = @import_module(\"<time>\"); const p = @bitcast(*u16, @as(u16, 0xfe10)); var r: u16 = 0;\n"
      "task main() void { time.enable_tsc(); var low: u16 = p.*; var s: u16 = 0;\n"
      "  for (@range(u16, 200)) |i| { const now = p.*; if (now != low) { s += 1; } low = now; }\n"
      "  r = if (s > 190) 1 else 0; }\n" START,
      "lda.", 1, "r", 1 },
};

static void rows_of_loops(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof loop_rows / sizeof *loop_rows; k++) one_row(&loop_rows[k], inside_loops);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_of_passes), cmocka_unit_test(rows_of_loops) };
    return cmocka_run_group_tests_name("csl_passes", tests, NULL, NULL);
}
