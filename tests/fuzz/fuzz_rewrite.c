/* SPDX-License-Identifier: MIT */
// needs: codelet
/* Rewriting of poplar::constraint attributes: whatever the bytes, the result is as long as the text, its lines are
 * where they were, and only attributes have changed; rewriting it again changes nothing. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1); /* exactly as long: reading on is noticed */
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    size_t length = strlen(text);
    char *out = tw__rewrite_constraints(text, length);
    if (out) {
        size_t lines = 0, new_lines = 0;
        check(strlen(out) == length && strcmp(out, text) != 0);
        for (size_t i = 0; i < length; i++) {
            lines += text[i] == '\n', new_lines += out[i] == '\n';
            check(text[i] == out[i] || strchr("poplar::constraint \t\r\v\f/*", text[i]) || out[i] == ' ' ||
                  out[i] == '\n' || out[i] == '_' || (out[i] >= 'A' && out[i] <= 'Z') ||
                  (out[i] >= 'a' && out[i] <= 'z'));
        }
        check(lines == new_lines);
        char *again = tw__rewrite_constraints(out, length);
        check(!again);
        free(again);
    }
    free(out);
    free(text);
    return 0;
}
