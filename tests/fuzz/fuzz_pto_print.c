/* SPDX-License-Identifier: MIT */
// needs: pto
// seeds: examples/pto/*/*.pto tests/fuzz/corpus/fuzz_pto/tests*
/* PTO-AS text from anywhere is read or refused with a message; what is read prints to text that reads to the same
 * tree. */
#include "../pto/support/tree.h"
#include "pto_words.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    tw_diags *diags = tw_diags_new(), *again = tw_diags_new();
    tw__as_module *m = tw__as_parse_tree("fuzz.pto", (const char *)data, size, diags);
    if (m && tw_diags_count(diags, TW_ERROR) == 0) {
        char *once = tw__as_print(m);
        tw__as_module *n = tw__as_parse_tree("printed.pto", once, strlen(once), again);
        char *twice = tw__as_print(n);
        if (tw_diags_count(again, TW_ERROR) || strcmp(once, twice) != 0 || !same_block(&m->top, &n->top)) abort();
        free(once);
        free(twice);
        tw__as_free(n);
    }
    tw__as_free(m);
    tw_diags_free(diags);
    tw_diags_free(again);
    return 0;
}

MUTATE_GRAMMAR(pto_grammar, 0)
