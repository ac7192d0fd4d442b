/* SPDX-License-Identifier: MIT */
/* Every snippet of the vendor document
      "Data Structure Descriptors", read from the document where it lies beside the project:
 * as printed, or mended as docs/csl.md lists. The document is not ours, so that snippets are named by their lines. */
#include "compile.h"
#include "csl/wse/wse.h"

#include <glib.h>

#define DOCUMENT TW_SOURCE_DIR "/../shared/seeds/csl-dsds.txt"

/* A program around lines [first, last] at file level and [first_in_task, last_in_task] inside a task: `head`
 * before, both edited by replacing `from` with `to`, first occurrence each. */
typedef struct {
    int first, last, first_in_task, last_in_task;
    const char *head;
    struct {
        const char *from, *to;
    } edits[4];
    const char *warning; /* a phrase of a warning that must come, from the compiler or the run */
    const char *error;   /* a phrase of the first error; NULL = it compiles */
} snippet;

#define COLORS                                                                                               \
    "const tx = @get_color(1); const out = @get_color(2); const out_color = @get_color(3); const trigger = " \
    "@get_color(4);\n"
#define MEM                                                                                                    \
    "var space = @zeros([10]i16); const memDSD = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> space[i] " \
    "});\n"
#define FABIN(name)                                                                                       \
    "const " name " = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(6), .input_queue = " \
    "@get_input_queue(2) });\n"
#define FABOUT(name)                                                                                        \
    "const " name " = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = @get_color(7), .output_queue = " \
    "@get_output_queue(3) });\n"
#define TASK                                                                                                 \
    "task mytask() void {}\nconst my_task_id = @get_local_task_id(9);\ncomptime { @bind_local_task(mytask, " \
    "my_task_id); }\n"
#define MOVES                                                                                                \
    "var words = @zeros([4]i16); const destination_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> " \
    "words[i] });\n" FABIN("source_dsd") TASK
#define INDEX "param size = 10; param data: i16 = 3; param my_index: u16 = 2;\n"
#define PUSH \
    "var from = @zeros([32]i16); const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{32} -> from[i] });\n"

// clang-format off
static const snippet snippets[] = {
    { .first = 31, .last = 34 },
    { .first = 54, .last = 57 },
    { .first = 61, .last = 64 },
    { .first = 70, .last = 73 },
    { .first = 83, .last = 96, .head = INDEX, .warning = "without .index the operation is undefined" },
    { .first = 112, .last = 115 },
    { .first = 119, .last = 122 },
    { .first = 126, .last = 128, .head = "const array = @zeros([4]u16);\n" },
    { .first = 138, .last = 151, .first_in_task = 152, .last_in_task = 153, .warning = "which is const" },
    { .first = 138, .last = 142, .first_in_task = 158, .last_in_task = 160 },
    { .first = 138, .last = 158, .first_in_task = 159, .last_in_task = 160, .edits = { {
          "@fmovh(dst_array, src_dsd);", "" }, { "@assert(dst_array[0] == 6);", "" } }, .warning =
          "which is const" },
    { .first = 172, .last = 172, .head = COLORS },
    { .first = 188, .last = 188, .head = COLORS },
    { .first = 192, .last = 196, .head = COLORS },
    { .first = 202, .last = 215, .head = COLORS MEM INDEX, .warning = "without .index the operation is undefined" },
    { .first = 223, .last = 224 },
    { .first = 223, .last = 224, .first_in_task = 258, .last_in_task = 259, .head = PUSH, .edits = { { "...",
          "mem" }, { "...", "mem" } } },
    { .first = 223, .last = 224, .first_in_task = 258, .last_in_task = 258, .error =
          "expected an expression, not '.'" },
    { .first = 269, .last = 276, .edits = { { "...", "" }, { "...", "" } },
      .head = "comptime { @bind_local_task(on_push, @get_local_task_id(8)); "
      "@bind_local_task(on_pop, @get_local_task_id(9)); }\n" },
    { .first = 269, .last = 276, .first_in_task = 258, .last_in_task = 258, .edits = { { "...", "" }, { "...",
          "" }, { "...", "mem" } }, .head = PUSH, .error = "is not bound to an id" },
    { .first = 297, .last = 300, .first_in_task = 302, .last_in_task = 308, .head = PUSH, .edits = { { "...",
          "mem" }, { "@move", "@mov16" }, { "...", "mem" } } },
    { .first = 297, .last = 300, .first_in_task = 308, .last_in_task = 308, .head = PUSH, .edits = { { "...",
          "mem" } }, .error = "@move" },
    { .first = 333, .last = 338, .head = "const input_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} "
          "-> A[i] });\n" },
    { .first = 333, .last = 333, .first_in_task = 334, .last_in_task = 338, .head =
          "const input_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> A[i] });\n" },
    { .first = 362, .last = 373 },
    { .first = 362, .last = 367, .first_in_task = 373, .last_in_task = 373 },
    { .first_in_task = 428, .last_in_task = 428, .head = MOVES },
    { .first_in_task = 432, .last_in_task = 437, .head = MOVES FABIN("my_fabin_dsd") },
    { .first_in_task = 449, .last_in_task = 450, .head = MOVES },
    { .first_in_task = 466, .last_in_task = 473, .head = MOVES FABIN("my_fabin_dsd") },
    { .first_in_task = 484, .last_in_task = 495, .head = MOVES },
    { .first = 513, .last = 515, .edits = { { "...", ".extent = 1, .fabric_color = @get_color(1)" }, { ", ...",
          "" } } },
    { .first = 519, .last = 521, .edits = { { "...", ".extent = 1, .fabric_color = @get_color(1)" }, { ", ...",
          "" } } },
    { .first = 513, .last = 515, .error = "expected" },
    { .first = 557, .last = 561, .head = "var m = @zeros([4]i16); const memory_dsd1 = @get_dsd(mem1d_dsd, "
          ".{ .tensor_access = |i|{4} -> m[i] }); "
          "const memory_dsd2 = memory_dsd1;\n" FABOUT("fabric_out_dsd"), .warning = "is still busy" },
    { .first = 581, .last = 595, .edits = { { ".extent = 10,",
          ".extent = 10, .fabric_color = @get_color(1)," }, {
          "(fabin_dsd,\n                                .{.extent = 10,",
          "(fabin_dsd, .{.extent = 10, .fabric_color = @get_color(2)," },
      { "...)", ".{ .tensor_access = |i|{10} -> m[i] })" }, { "...)", ".{ .tensor_access = |i|{10} "
      "-> m[i] })" } }, .head = "var m = @zeros([10]i16);\n", .warning = "is still busy" },
    { .first = 581, .last = 586, .error = "this DSD has no .fabric_color" },
    { .first_in_task = 603, .last_in_task = 604, .head = MOVES, .edits = { { "true });", "true } });" } } },
    { .first_in_task = 603, .last_in_task = 604, .head = MOVES, .error = "expected '}'" },
    { .first = 620, .last = 640, .head = INDEX COLORS },
    { .first = 652, .last = 656, .head = COLORS },
    { .first = 664, .last = 676, .first_in_task = 678, .last_in_task = 679, .edits = { { "out_first_dsd",
          "in_second_dsd" } },
      .head = COLORS "var first_source = @zeros([10]f16); var second_source = @zeros([10]f16);\n" },
    { .first = 664, .last = 676, .first_in_task = 678, .last_in_task = 679, .error =
          "'out_first_dsd' is not declared; did you mean 'in_first_dsd'?",
      .head = COLORS "var first_source = @zeros([10]f16); var second_source = @zeros([10]f16);\n" },
    { .first = 687, .last = 691, .head = COLORS },
    { .first = 699, .last = 714, .head = "const recv_channel = @get_color(1); "
          "const send_channel = @get_color(2);\n" },
};
// clang-format on

static void add_lines(GString *out, char **lines, int first, int last)
{
    for (int i = first; i && i <= last; i++) g_string_append_printf(out, "%s\n", lines[i - 1]);
}

static void edit(GString *text, const char *from, const char *to)
{
    char *at = strstr(text->str, from);
    if (!at) fail_msg("'%s' is not in the snippet\n%s", from, text->str);
    gssize where = at - text->str;
    g_string_erase(text, where, (gssize)strlen(from));
    g_string_insert(text, where, to);
}

/* Declarations of the snippet are used once, so that nothing is left unlooked at. */
static char *program_of(const snippet *s, char **lines)
{
    GString *body = g_string_new(NULL);
    add_lines(body, lines, s->first, s->last);
    if (s->first_in_task) {
        g_string_append(body, "task wrapped() void {\n");
        add_lines(body, lines, s->first_in_task, s->last_in_task);
        g_string_append(body, "}\n");
    }
    for (int i = 0; i < 4 && s->edits[i].from; i++) edit(body, s->edits[i].from, s->edits[i].to);
    const char *task = s->first_in_task                    ? "wrapped"
                       : strstr(body->str, "task my_task") ? "my_task"
                       : strstr(body->str, "task t()")     ? "t"
                       : strstr(body->str, "task buffer")  ? "buffer"
                                                           : NULL;
    if (s->head) g_string_prepend(body, s->head);
    if (task)
        g_string_append_printf(
            body, "comptime { @bind_local_task(%s, @get_local_task_id(20)); @activate(@get_local_task_id(20)); }\n",
            task);
    g_string_append(body, "comptime {\n");
    for (int i = s->first; i && i <= s->last; i++) {
        char name[64], word[8];
        if (sscanf(lines[i - 1], "%7s %63[A-Za-z_0-9]", word, name) == 2 &&
            (!strcmp(word, "const") || !strcmp(word, "var")))
            g_string_append_printf(body, "  _ = @type_of(%s);\n", name);
    }
    g_string_append(body, "}\n");
    return g_string_free(body, FALSE);
}

/* Runs until nothing happens any more; assertions of the program hold. */
static bool run(compiled *c)
{
    tw__wse *w = tw__wse_new(c->image, NULL, c->diags);
    if (!w) return false;
    tw_status status = tw__wse_run(w, 100000, NULL, NULL);
    tw__wse_free(w);
    return status == TW_OK;
}

static void check_snippet(size_t row, const snippet *s, char **lines, bool wse3)
{
    char *text = program_of(s, lines);
    compiled c = compile_text(text, wse3);
    bool good =
        s->error ? !c.image && find_message(c.diags, TW_ERROR, s->error) != NULL : c.image != NULL && run(&c);
    if (s->warning) good = good && find_message(c.diags, TW_WARNING, s->warning);
    const tw_diag *d;
    for (size_t i = 0; (d = tw_diags_get(c.diags, i)); i++)
        good = good && (d->severity == TW_NOTE || d->line || g_str_has_prefix(d->code, "wse."));
    if (!good) {
        tw_diags_print(c.diags, stderr, false);
        fail_msg("row %zu, lines %d and %d, WSE-%d:\n%s", row, s->first, s->first_in_task, wse3 ? 3 : 2, text);
    }
    compiled_free(&c);
    g_free(text);
}

static void csl_seed_snippets(void **state)
{
    (void)state;
    char *document = NULL;
    if (!g_file_get_contents(DOCUMENT, &document, NULL, NULL)) {
        print_message("skipped: the vendor's document does not lie at %s\n", DOCUMENT);
        skip();
    }
    char **lines = g_strsplit(document, "\n", -1);
    if (g_strv_length(lines) < 715 || !g_str_has_prefix(lines[30], "const array") ||
        !g_str_has_prefix(lines[698], "var in_dsd")) {
        print_message("skipped: %s is another edition\n", DOCUMENT);
        skip();
    }
    for (size_t i = 0; i < sizeof snippets / sizeof *snippets; i++)
        for (int wse3 = 0; wse3 < 2; wse3++) check_snippet(i, &snippets[i], lines, wse3);
    g_strfreev(lines);
    g_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(csl_seed_snippets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
