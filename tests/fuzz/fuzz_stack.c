/* SPDX-License-Identifier: MIT */
// needs: codelet
/* Stack sizes stated in assembly and in preprocessed C: whatever the bytes, the sizes are -1 or within a tile's
 * addresses, also after a round through a vertex table. */
#include "poplar/codelet/compile/compile.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    GArray *notes = tw__stack_notes_new();
    tw_diags *diags = tw_diags_new();
    tw_status status = tw__stack_read_assembly("fuzz.S", text, notes, diags);
    check(status == TW_OK || (*tw_error_message() && notes->len == 0 && tw_diags_count(diags, TW_ERROR) > 0));
    tw__stack_read_preprocessed(text, notes);
    int64_t bytes = tw__stack_bytes_of(notes, "__runCodelet_A");
    check(bytes >= -1 && bytes <= 64 << 21);
    json_t *table = json_pack("{s:o}", "stacks", tw__stack_notes_json(notes));
    GArray *again = tw__stack_notes_of(table);
    check(!table || again->len <= notes->len);
    g_array_free(again, TRUE);
    json_decref(table);
    tw_diags_free(diags);
    g_array_free(notes, TRUE);
    free(text);
    return 0;
}

/* --- mutations ------------------------------------------------------------------------------------------------ */

static const char *const words[] = { "DEF_STACK_USAGE 8 f\n",
                                     "DEF_STACK_SIZE_OWN 16, g\n",
                                     "DEF_FUNC_CALL_PTRS f g, h\n",
                                     "TW__stack_note total 8 , \"f\" ;\n",
                                     "TW__stack_note own (4 + 4) , \"g\" ;\n",
                                     "TW__stack_note calls 0 , \"f\" , \"g,h\" ;\n",
                                     ".stack_total f, 8\n",
                                     ".stack_own g, f - 4\n",
                                     ".stack_calls f, g\n",
                                     "__runCodelet_A",
                                     "f",
                                     "g",
                                     "\"",
                                     "(",
                                     ")",
                                     ",",
                                     ";",
                                     "*",
                                     "<<",
                                     "~",
                                     "#define N 8\n",
                                     "sizeof",
                                     "/*",
                                     "*/",
                                     "//",
                                     NULL };
static const mutate_pair pairs[] = { { "(", ")" }, { "/*", "*/" }, { "\"", "\"" }, { NULL, NULL } };
static const mutate_language language = { .words = words, .pairs = pairs };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_text(&language, data, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed)
{
    return mutate_cross(&language, a, a_size, b, b_size, out, most, seed);
}
