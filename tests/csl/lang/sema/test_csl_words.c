/* SPDX-License-Identifier: MIT */
/* The words of CSL that editors colour are those of the compiler. */
#include "../../../golden/words.h"
#include "csl/lang/compile.h"
#include "csl/lang/sema/sema.h"
#include "csl/lang/syntax/ast.h"

static void csl_words(void **state)
{
    (void)state;
#define X(name, text) add_word("keyword", text);
    TW__CSL_KEYWORDS(X)
#undef X
#define X(text) add_word("type", text);
    TW__CSL_TYPE_NAMES(X)
#undef X
    for (const tw__csl_builtin_table *const *t = tw__csl_builtins; *t; t++)
        for (size_t i = 0; i < (*t)->count; i++) add_word("builtin", (*t)->rows[i].name);
    compare_words(TW_SOURCE_DIR "/editors/words/", "csl", 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(csl_words) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
