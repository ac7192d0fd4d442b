/* print(parse(print(x))) = print(x), and both trees are equal: every example, every input of the fuzz corpora. */
#include "check.h"
#include "pto/as.h"
#include "tree.h"

#include <glob.h>

static unsigned checked, refused;

static void check_file(const char *path, size_t skip)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 17);
    assert_non_null(f);
    size_t size = fread(text, 1, (1 << 17) - 1, f);
    fclose(f);
    tw_diags *diags = tw_diags_new(), *again = tw_diags_new();
    skip = skip < size ? skip : size;
    tw__as_module *m = tw__as_parse(path, text + skip, size - skip, diags);
    if (tw_diags_count(diags, TW_ERROR) == 0) {
        char *once = tw__as_print(m);
        tw__as_module *n = tw__as_parse("printed", once, strlen(once), again);
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
    free(text);
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_text_print_examples),
                                        cmocka_unit_test(pto_text_print_corpora) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
