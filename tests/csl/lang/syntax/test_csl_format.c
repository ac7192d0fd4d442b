/* SPDX-License-Identifier: MIT */
/* The formatter of CSL. Rows say how a text is laid out (docs/editors.md has the rules); every source of the tree
 * keeps its tokens and its comments, is left as it is the second time, and compiles to the same image but for
 * lines. */
#include "check.h"
#include "csl/lang/code/codec.h"
#include "csl/lang/compile.h"

#include <glib.h>
#include <unistd.h>

#define F(body) "fn f() void {\n" body "}\n"
#define HANGS   "const d = @get_dsd(fabin_dsd, .{"
#define NAME_40 "a_name_that_has_exactly_forty_characters"
#define THIRTY  "thirty_characters_have_this_one"

// clang-format off
static const struct { const char *text, *laid; } rows[] = {
    /* an empty file, comments alone, the end of the file */
    { "", "" }, { "\n\n  \n", "" }, { "// a", "// a\n" }, { "\n\n// a\n\n\n\n// b\n\n", "// a\n\n// b\n" },
    { "\xef\xbb\xbfvar a: u16;", "var a: u16;\n" }, { "var a: u16;\r\nvar b: u16;\r\n", "var a: u16;\nvar b: u16;\n" },
    /* blanks around signs */
    { "const x=a+b*-c  ;", "const x = a + b * -c;\n" }, { "const x = a - -b & ~c | !d;", "const x = a - -b & ~c | !d;\n" },
    { "const x = & y;const p:*const f32=q;", "const x = &y;\nconst p: *const f32 = q;\n" },
    { "var p : [ * ] const f32 ; var q:[2,n+1] [4]u16;", "var p: [*]const f32;\nvar q: [2, n + 1][4]u16;\n" },
    { "const x = a . b .* [ i,j ] (k) ;", "const x = a.b.*[i, j](k);\n" },
    { "const x = @as ( u16 , 1 , ) ;", "const x = @as(u16, 1,);\n" },
    { "const x = ( a+b )*( c );", "const x = (a + b) * (c);\n" },
    { "const x = comptime f();", "const x = comptime f();\n" },
    { "const t = |i,j|{2,n}->a[i , j];", "const t = |i, j|{2, n} -> a[i, j];\n" },
    { "const f = fn(u16)void;const g=task ( ) void;", "const f = fn (u16) void;\nconst g = task () void;\n" },
    { "export var x : u16 align( 16 ) linksection (\".a\")=1;", "export var x: u16 align(16) linksection(\".a\") = 1;\n" },
    { "fn f( comptime T : type , x:T )T{return x;}", "fn f(comptime T: type, x: T) T {\n  return x;\n}\n" },
    { "extern fn f(u16)void;", "extern fn f(u16) void;\n" },
    /* values and fields */
    { "const x = .{RAMP};const y=.{ WEST };", "const x = .{RAMP};\nconst y = .{WEST};\n" },
    { "const x = .{.index=i};", "const x = .{ .index = i };\n" }, { "const x = .{ };", "const x = .{};\n" },
    { "const x = [2]u16{1,2};", "const x = [2]u16{ 1, 2 };\n" }, { "const x = T{-1};", "const x = T{ -1 };\n" },
    { "const s = packed struct{a:u8,b:u8=1,};", "const s = packed struct { a: u8, b: u8 = 1, };\n" },
    { "const e = enum(u16){A,B=4};", "const e = enum(u16) { A, B = 4 };\n" },
    { "const x = a.type.align + .{.var=1}.var;", "const x = a.type.align + .{ .var = 1 }.var;\n" },
    /* statements */
    { "fn f() void {}", "fn f() void {}\n" }, { "fn f() void\n{\n\n\n  a();b();\n\n\n\n  c();\n\n}\n", F("  a();\n  b();\n\n  c();\n") },
    { F("if(a){b();}\nelse\nif(c)d();else{e();}"), F("  if (a) {\n    b();\n  } else if (c) d(); else {\n    e();\n  }\n") },
    { F("if (a)\nb();\nelse\nc();"), F("  if (a)\n    b();\n  else\n    c();\n") },
    { F("for(a)|v,i|{b(v);}"), F("  for (a) |v, i| {\n    b(v);\n  }\n") },
    { F("for (a) |v|\nfor (b) |w|\nc(v, w);d();"), F("  for (a) |v|\n    for (b) |w|\n      c(v, w);\n  d();\n") },
    { F("k:while(a<b):(a+=1){if(c)break :k;continue :k;}"),
      F("  k: while (a < b) : (a += 1) {\n    if (c) break :k;\n    continue :k;\n  }\n") },
    { F("inline for (a) |v| { comptime { b(); } };"), F("  inline for (a) |v| {\n    comptime {\n      b();\n    }\n  };\n") },
    { F("const x = blk: { break :blk 4; };"), F("  const x = blk: {\n    break :blk 4;\n  };\n") },
    { F("x = if (a) b else if (c) d else e;"), F("  x = if (a) b else if (c) d else e;\n") },
    { F("x = if (a) b\nelse\nif (c) d\nelse e;"), F("  x = if (a) b\n      else if (c) d\n      else e;\n") },
    { F("x = switch (a) { 1, 2 => b, else => c };"), F("  x = switch (a) { 1, 2 => b, else => c };\n") },
    { F("switch (a) {\n1, 2 => b(), else => {},\n}"), F("  switch (a) {\n    1, 2 => b(),\n    else => {},\n  }\n") },
    { F("switch (a) { 1 => { b(); }, else => {} }"), F("  switch (a) {\n    1 => {\n      b();\n    },\n    else => {}\n  }\n") },
    { "layout{@set_rectangle(1,1);}", "layout {\n  @set_rectangle(1, 1);\n}\n" },
    /* breaks that stay: of lists and behind and before operators; breaks that go */
    { "const x = .{\n.a = 1, .b = 2,\n.c = 3 };", "const x = .{\n  .a = 1, .b = 2,\n  .c = 3\n};\n" },
    { "const x = f(\na,\nb);", "const x = f(\n  a,\n  b);\n" }, { "const x = f(\na,\nb\n);", "const x = f(\n  a,\n  b\n);\n" },
    { "const x = f(a,\nb\n);", "const x = f(a,\n            b);\n" }, { F("g(a, .{\n.b = 1\n});"), F("  g(a, .{\n    .b = 1\n  });\n") },
    { "const x = a +\nb\n* c;", "const x = a +\n    b\n    * c;\n" }, { "const x = (a and\nb);", "const x = (a and\n           b);\n" },
    { "const x\n= a\n.b\n;", "const x = a.b;\n" }, { "const x =\na;", "const x =\n    a;\n" },
    { "const\nx: [\n2]u16 = y;", "const x: [\n  2]u16 = y;\n" },
    /* comments: behind a line, on lines of their own, within lists; at one column they stay at one */
    { "const x = 1;// a \t\n  // b\nconst y = 2;   // c", "const x = 1; // a\n// b\nconst y = 2; // c\n" },
    { "const x = 1;    // a\nconst yy  = 2;  // b\nconst z = 3; // c", "const x = 1;  // a\nconst yy = 2; // b\nconst z = 3; // c\n" },
    { F("// a\n\n  b(); // c\n// d\n"), F("  // a\n\n  b(); // c\n  // d\n") },
    { F("if (a) {\n} // b\nelse {\n// c\n}"), F("  if (a) {} // b\n  else {\n    // c\n  }\n") },
    { "const x = .{ // a\n.b = 1, // c\n// d\n};", "const x = .{ // a\n  .b = 1, // c\n  // d\n};\n" },
    { "const x = f(a, // b\nc);", "const x = f(a, // b\n            c);\n" }, { "const x = // a\nb;", "const x = // a\n    b;\n" },
    { "return_type // a\n", NULL },
    /* lines that are too long: the last item with many fields, items, operators, what an if does, the value */
    { HANGS " .extent = 10, .fabric_color = " NAME_40 ", .input_queue = q });",
      HANGS "\n  .extent = 10,\n  .fabric_color = " NAME_40 ",\n  .input_queue = q\n});\n" },
    { F("@fadds(" THIRTY ", " THIRTY ", c, .{ .async = true, .activate = " THIRTY " });"),
      F("  @fadds(" THIRTY ", " THIRTY ", c,\n         .{ .async = true, .activate = " THIRTY " });\n") },
    { "const x = [3]u16{ " NAME_40 ", " NAME_40 ", 1 };", "const x = [3]u16{\n  " NAME_40 ", " NAME_40 ", 1\n};\n" },
    { "const x = " NAME_40 " * 2 + " THIRTY " * 3 + " THIRTY ";", "const x = " NAME_40 " * 2 + " THIRTY " * 3 +\n    " THIRTY ";\n" },
    { F("if (" NAME_40 " == " NAME_40 ") @activate(" THIRTY ");"), F("  if (" NAME_40 " == " NAME_40 ")\n    @activate(" THIRTY ");\n") },
    { F("if (" NAME_40 " and " NAME_40 " and " THIRTY ") {}"), F("  if (" NAME_40 " and " NAME_40 " and\n      " THIRTY ") {}\n") },
    { "const x = if (" THIRTY ") " NAME_40 " else " NAME_40 ";", "const x = if (" THIRTY ") " NAME_40 "\n          else " NAME_40 ";\n" },
    { "fn f(" THIRTY ": u16, " THIRTY "b: u16, " THIRTY "c: u16) void {}",
      "fn f(" THIRTY ": u16, " THIRTY "b: u16,\n     " THIRTY "c: u16) void {}\n" },
    { "const " NAME_40 "_and_what_follows = " NAME_40 "_and_" THIRTY ";", "const " NAME_40 "_and_what_follows =\n    " NAME_40 "_and_" THIRTY ";\n" },
    { "const x = f(g(" NAME_40 ", " THIRTY ", " THIRTY "), b);",
      "const x = f(g(" NAME_40 ", " THIRTY ",\n              " THIRTY "), b);\n" },
    { "const value_of_x = f(g(" NAME_40 ", " THIRTY ", h(1, 23)), b);", "const value_of_x = f(\n  g(" NAME_40 ", " THIRTY ", h(1, 23)), b);\n" },
    /* columns are characters, and a comment does not count */
    { "const x = f(\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\", " NAME_40 ", " THIRTY "); // " NAME_40,
      "const x = f(\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\", " NAME_40 ", " THIRTY "); // " NAME_40 "\n" },
};
// clang-format on

static char *laid_out(const char *text, size_t size, size_t *length)
{
    tw_diags *diags = tw_diags_new();
    char *laid = tw__csl_format("t.csl", text, size, length, diags);
    assert_int_equal(laid == NULL, tw_diags_count(diags, TW_ERROR) > 0);
    if (laid) assert_int_equal(laid[*length], 0);
    tw_diags_free(diags);
    return laid;
}

static void test_layout(void **state)
{
    (void)state;
    size_t length, bad = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *laid = laid_out(rows[i].text, strlen(rows[i].text), &length);
        if (!rows[i].laid ? laid != NULL : !laid || strcmp(laid, rows[i].laid) != 0) {
            print_error("row %zu: %s\ngives:\n%s\nwanted:\n%s\n", i, rows[i].text, laid ? laid : "(errors)\n",
                        rows[i].laid ? rows[i].laid : "(errors)\n");
            bad++;
        }
        char *again = laid ? laid_out(laid, length, &length) : NULL;
        if (laid && (!again || strcmp(laid, again) != 0)) print_error("row %zu: not the same twice\n", i), bad++;
        free(laid);
        free(again);
    }
    assert_int_equal(bad, 0);
}

/* --- sources of the tree -------------------------------------------------------------------------------------- */

/* Tokens, one a line, then comments: what a text keeps. Written here without the formatter's own reading of gaps. */
static GString *kept(const char *text, size_t size)
{
    GString *tokens = g_string_new(NULL), *comments = g_string_new(NULL);
    const char *end = text + size;
    if (size > 2 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    tw_diags *diags = tw_diags_new();
    tw__csl_ctx *ctx = tw__csl_ctx_new(diags);
    size_t count = 0;
    tw__csl_loc base = tw__csl_add_file(ctx, "t.csl", text, (size_t)(end - text));
    tw__csl_token *lexed = tw__csl_lex(ctx, base, &count);
    const char *at = text;
    for (size_t i = 0; lexed && i < count; i++) {
        const char *token = text + (lexed[i].loc - base);
        while (at < token) {
            const char *comment = g_strstr_len(at, token - at, "//");
            if (!comment) break;
            const char *line = memchr(comment, '\n', (size_t)(token - comment));
            if (!line) line = token;
            gchar *words = g_strndup(comment, (gsize)(line - comment));
            g_string_append_printf(comments, "%zu %s\n", i, g_strchomp(words));
            g_free(words);
            at = line;
        }
        g_string_append_len(tokens, token, lexed[i].length);
        g_string_append_c(tokens, '\n');
        at = token + lexed[i].length;
    }
    free(lexed);
    tw__csl_ctx_free(ctx);
    tw_diags_free(diags);
    g_string_append_len(tokens, comments->str, (gssize)comments->len);
    g_string_free(comments, TRUE);
    return tokens;
}

static void check_file(const char *path, size_t *files)
{
    size_t size, length, second;
    char *text = tw_read_file(path, TW_SOURCE_LIMIT, &size);
    assert_non_null(text);
    char *laid = laid_out(text, size, &length);
    if (laid) {
        char *again = laid_out(laid, length, &second);
        if (!again || second != length || memcmp(laid, again, length) != 0)
            fail_msg("%s: not the same twice", path);
        GString *before = kept(text, size), *after = kept(laid, length);
        if (!g_string_equal(before, after)) fail_msg("%s: tokens or comments differ", path);
        g_string_free(before, TRUE);
        g_string_free(after, TRUE);
        free(again);
        ++*files;
    }
    free(laid);
    free(text);
}

static void check_folder(const char *folder, size_t *files)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;
    assert_non_null(dir);
    while ((name = g_dir_read_name(dir))) {
        char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            check_folder(path, files);
        else if (g_str_has_suffix(name, ".csl"))
            check_file(path, files);
        g_free(path);
    }
    g_dir_close(dir);
}

static void test_sources_keep_what_they_say(void **state)
{
    (void)state;
    static const char *const folders[] = { "examples", "src/csl", "tests/csl", "tests/fuzz/corpus/fuzz_csl_syntax",
                                           "tests/fuzz/corpus/fuzz_csl_compile" };
    size_t files = 0;
    assert_int_equal(chdir(TW_SOURCE_DIR), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) check_folder(folders[i], &files);
    if (files < 120) fail_msg("%zu files were found", files);
}

/* --- images --------------------------------------------------------------------------------------------------- */

static char *read_formatted(void *user, const char *path, size_t *size)
{
    (void)user;
    size_t length;
    char *text = tw_read_file(path, TW_SOURCE_LIMIT, &length);
    if (!text) return NULL;
    char *laid = laid_out(text, length, size);
    free(text);
    return laid;
}

static void forget_places(tw__csl_image *image)
{
    for (size_t k = 0; k < image->route_count; k++) image->routes[k].line = image->routes[k].column = 0;
    for (size_t i = 0; i < image->program_count; i++) {
        tw__csl_program *p = &image->programs[i];
        for (size_t k = 0; k < p->line_count; k++) p->lines[k].line = p->lines[k].column = 1;
        for (size_t k = 0; k < p->frame_count; k++) p->frames[k].line = p->frames[k].column = 0;
        for (size_t k = 0; k < p->index_count; k++) p->indices[k].line = p->indices[k].column = 0;
        for (size_t k = 0; k < p->function_count; k++) p->functions[k].line = 0;
        for (size_t k = 0; k < p->symbol_count; k++) p->symbols[k].line = 0;
    }
}

static unsigned char *image_of(const char *file, bool wse3, bool formatted, size_t *size)
{
    tw_diags *diags = tw_diags_new();
    tw__csl_compile_options options = { .file = file, .wse3 = wse3, .read = formatted ? read_formatted : NULL };
    options.optimize = true;
    tw__csl_image *image = tw__csl_compile(&options, diags);
    if (!image && formatted) tw_diags_print(diags, stderr, false);
    tw_diags_free(diags);
    if (!image) return NULL;
    forget_places(image);
    unsigned char *bytes = tw__csl_image_encode(image, size);
    tw__csl_image_free(image);
    return bytes;
}

static void test_images_are_the_same(void **state)
{
    (void)state;
    static const char *const files[] = { "examples/csl/all_reduce/layout.csl",
                                         "examples/csl/fifo/layout.csl",
                                         "examples/csl/gemv/layout.csl",
                                         "examples/csl/gemv_row/layout.csl",
                                         "examples/csl/histogram/layout.csl",
                                         "examples/csl/messages/layout.csl",
                                         "examples/csl/stencil/layout.csl",
                                         "src/csl/lang/lib/kernels/tally/layout.csl",
                                         "tests/csl/cycles/chain.csl",
                                         "tests/csl/cycles/loops.csl",
                                         "tests/csl/cycles/operations.csl",
                                         "tests/fuzz/corpus/fuzz_csl_compile/symbols.csl",
                                         "tests/fuzz/corpus/fuzz_csl_compile/tile_config.csl" };
    size_t compared = 0;
    assert_int_equal(chdir(TW_SOURCE_DIR), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(files) * 2; i++) {
        size_t size = 0, formatted_size = 0;
        unsigned char *as_written = image_of(files[i / 2], i % 2, false, &size);
        if (!as_written) continue; /* not for this chip, or it wants parameters */
        unsigned char *formatted = image_of(files[i / 2], i % 2, true, &formatted_size);
        if (!formatted || formatted_size != size || memcmp(as_written, formatted, size) != 0)
            fail_msg("%s: another image", files[i / 2]);
        free(as_written);
        free(formatted);
        compared++;
    }
    if (compared < 18) fail_msg("%zu images were compared", compared);
}

/* --- errors --------------------------------------------------------------------------------------------------- */

static void test_errors_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *phrase;
        int line, column;
    } bad[] = { { "var a: u16;\nvar = 1;", "expected the name", 2, 5 },
                { "var a = \"b;", "not closed", 1, 9 },
                { "/* a */\nvar a: u16;", "no block comments", 1, 1 },
                { "fn f() void {\n  x = ;\n}\n", "expected an expression", 2, 7 } };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        size_t length;
        tw_diags *diags = tw_diags_new();
        assert_null(tw__csl_format("t.csl", bad[i].text, strlen(bad[i].text), &length, diags));
        check_message(i, bad[i].text, diags, TW_ERROR, bad[i].phrase, bad[i].line, bad[i].column);
        tw_diags_free(diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_layout),
                                        cmocka_unit_test(test_sources_keep_what_they_say),
                                        cmocka_unit_test(test_images_are_the_same),
                                        cmocka_unit_test(test_errors_have_places) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
