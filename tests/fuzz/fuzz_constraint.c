/* SPDX-License-Identifier: MIT */
// needs: codelet
/* Texts of poplar::constraint: whatever the bytes, they are resolved to two different edges of the vertex, or the
 * problem lies within the text and says something. */
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
    static const tw__field fields[] = { { .name = "a", .form = TW__EDGE_VECTOR },
                                        { .name = "b", .form = TW__EDGE_VECTOR, .interleaved = true },
                                        { .name = "rows", .form = TW__EDGE_VECTORS, .interleaved = true },
                                        { .name = "n", .form = TW__STATE_PLAIN } };
    static const tw__vertex_type vt = { .name = "V", .fields = fields, .num_fields = 4 };
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    tw__constraint c;
    tw__constraint_problem problem;
    if (tw__constraint_parse(&vt, text, &c, &problem)) {
        check(c.a != c.b && c.a < 3 && c.b < 3 && c.text == text && strstr(text, "!="));
        check(c.rule == TW__CONSTRAINT_ELEM || c.rule == TW__CONSTRAINT_REGION);
    } else {
        check(problem.offset <= strlen(text) && problem.length >= 1 && *problem.message);
    }
    free(text);
    return 0;
}
