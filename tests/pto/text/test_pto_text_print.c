/* SPDX-License-Identifier: MIT */
/* print(parse(print(x))) = print(x), and both trees are equal: every example, every input of the fuzz corpora. */
#include "pto/support/check.h"
#include "pto/text/as.h"
#include "pto/support/tree.h"

#include <glib.h>
#include <glob.h>

static unsigned checked, refused;

static void check_text(const char *path, const char *text, size_t size)
{
    tw_diags *diags = tw_diags_new(), *again = tw_diags_new();
    tw__as_module *m = tw__as_parse_tree(path, text, size, diags);
    if (tw_diags_count(diags, TW_ERROR) == 0) {
        char *once = tw__as_print(m);
        tw__as_module *n = tw__as_parse_tree("printed", once, strlen(once), again);
        char *twice = tw__as_print(n);
        if (tw_diags_count(again, TW_ERROR) || strcmp(once, twice) != 0 || !same_block(&m->top, &n->top))
            fail_msg("%s printed as\n%s\nand again as\n%s", path, once, twice);
        free(once);
        free(twice);
        tw__as_free(n);
        checked++;
    } else {
        refused++;
    }
    tw__as_free(m);
    tw_diags_free(diags);
    tw_diags_free(again);
}

static void check_file(const char *path, size_t skip)
{
    char *text = NULL;
    gsize size;
    assert_true(g_file_get_contents(path, &text, &size, NULL));
    skip = skip < size ? skip : size;
    check_text(path, text + skip, size - skip);
    g_free(text);
}

static void check_all(const char *pattern, size_t skip)
{
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) check_file(found.gl_pathv[i], skip);
    globfree(&found);
}

static void pto_text_print_examples(void **state)
{
    (void)state;
    checked = refused = 0;
    check_all(TW_SOURCE_DIR "/examples/pto/*/*.pto", 0);
    assert_true(checked >= 6);
    assert_int_equal(refused, 0);
}

static void pto_text_print_corpora(void **state)
{
    (void)state;
    checked = refused = 0;
    check_all(TW_SOURCE_DIR "/tests/fuzz/corpus/fuzz_pto/*", 1); /* the first byte chooses the target */
    check_all(TW_SOURCE_DIR "/tests/fuzz/corpus/fuzz_pto_print/*", 0);
    assert_true(checked >= 10);
}

/* Comments stay: on lines of their own, behind a statement, behind a brace; those inside a statement go before it. Of
 * several empty lines one stays, none at the ends of a block. */
static void pto_text_print_comments(void **state)
{
    static const struct {
        const char *in, *out; /* NULL = unchanged */
    } rows[] = {
        { "// one\n# two\npto.trap // three\n// four\n", NULL },
        { "pto.trap # one\n\n// two\n\npto.trap\n", NULL },
        { "\n\n// one\n\n\n\n// two   \r\n   pto.trap\t// three  \n\n\n", "// one\n\n// two\npto.trap // three\n" },
        { "// only\n", NULL },
        { "#!/usr/bin/env pto\npto.trap\n", NULL },
        { "#a = 1 : i32 // one\n// two\n#b = #a\n", NULL },
        { "scf.if %p { // one\n  // two\n  pto.trap // three\n\n  // four\n} else { # five\n  // six\n} // seven\n",
          NULL },
        { "scf.if %p {\n\n  pto.trap\n\n} // one\n// two\nelse // three\n{ // four\n // five\n}\n",
          "scf.if %p {\n  pto.trap\n} else { // four\n  // one\n  // two\n  // three\n  // five\n}\n" },
        { "// zero\nscf.if // one\n  (%p) // two\n{\n}\n", "// zero\n// one\n// two\nscf.if (%p) {\n}\n" },
        { "scf.index_switch %i // one\n// two\ncase 0 // three\n{ // four\n} // five\ndefault {\n  // six\n}\n",
          "scf.index_switch %i\n// one\n// two\ncase 0 { // four\n  // three\n}\n// five\ndefault {\n  // "
          "six\n}\n" },
        { "scf.while (%a = %b) : (i32) -> (i32) { // one\n  scf.condition (%c) %a : i32\n} do { // two\n^bb0(%d : "
          "i32): // three\n  scf.yield %d : i32\n} // four\n",
          "scf.while (%a = %b) : (i32) -> (i32) { // one\n  scf.condition (%c) %a : i32\n} do { // two\n^bb0(%d : "
          "i32):\n  // three\n  scf.yield %d : i32\n} // four\n" },
        { "pto.trap\n\n%a = pto.tadd %b, // one\n  # two\n  %c : !pto.tile<vec, // three\n  16x16xf32> // four\n",
          "pto.trap\n\n// one\n# two\n// three\n%a = pto.tadd %b, %c : !pto.tile<vec, 16x16xf32> // four\n" },
        { "func.func @f(%a : i32, // one\n  // two\n  %b : i32) { return }\n",
          "// one\n// two\nfunc.func @f(%a : i32, %b : i32) {\n  return\n}\n" },
        { "func.func private @f(%a : i32) // one\n// two\nfunc.func private @g()\n", NULL },
        { "pto.print ins(\"// no comment\") // one\n", NULL },
        { "pto.trap loc(\"http://a\":1:2) // one\n", NULL },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32> %u = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32> "
          "// both\n",
          "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n%u = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32> "
          "// both\n" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_diags *diags = tw_diags_new();
        tw__as_module *m = tw__as_parse_tree("t.pto", rows[i].in, strlen(rows[i].in), diags);
        char *printed = tw__as_print(m);
        if (tw_diags_count(diags, TW_ERROR)) tw_diags_print(diags, stderr, false);
        if (strcmp(printed, rows[i].out ? rows[i].out : rows[i].in) != 0 || tw_diags_count(diags, TW_ERROR))
            fail_msg("row %zu printed as:\n%s", i, printed);
        check_text("again", printed, strlen(printed));
        free(printed);
        tw__as_free(m);
        tw_diags_free(diags);
    }
}

/* A comment before, between and behind the lines of a program: as many come out, and the program is the same. */
static void pto_text_print_commented(void **state)
{
    glob_t found;
    (void)state;
    assert_int_equal(glob(TW_SOURCE_DIR "/examples/pto/*/*.pto", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *text = NULL;
        gsize size;
        assert_true(g_file_get_contents(found.gl_pathv[i], &text, &size, NULL));
        GString *full = g_string_new(NULL);
        char **lines = g_strsplit(text, "\n", -1);
        unsigned wanted = 0, have = 0;
        for (char **l = lines; *l; l++) {
            bool has = strstr(*l, "//") || **l == '#';
            g_string_append_printf(full, "// before\n%s%s\n", *l, has ? "" : " // behind");
        }
        check_text(found.gl_pathv[i], full->str, full->len);
        tw_diags *diags = tw_diags_new();
        tw__as_module *m = tw__as_parse_tree("t.pto", full->str, full->len, diags);
        char *printed = tw__as_print(m);
        wanted = 0;
        for (const char *c = full->str; (c = strstr(c, "//")); c += 2) wanted++;
        for (const char *c = printed; (c = strstr(c, "//")); c += 2) have++;
        assert_int_equal(tw_diags_count(diags, TW_ERROR), 0);
        assert_int_equal(have, wanted);
        free(printed);
        tw__as_free(m);
        tw_diags_free(diags);
        g_strfreev(lines);
        g_string_free(full, TRUE);
        g_free(text);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_text_print_comments),
                                        cmocka_unit_test(pto_text_print_commented),
                                        cmocka_unit_test(pto_text_print_examples),
                                        cmocka_unit_test(pto_text_print_corpora) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
