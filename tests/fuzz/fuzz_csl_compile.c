/* SPDX-License-Identifier: MIT */
// needs: csl
// seeds: src/csl/lang/lib/*.csl src/csl/lang/lib/*/*.csl examples/csl/*/*.csl tests/fuzz/corpus/fuzz_csl_run/tests*
/* CSL from anywhere, compiled under tight limits: never a crash, a hang or a leak; without errors there is an image,
 * and every image passes the checks that the machine relies on. The text is its own tile code and its own module
 * "m.csl". */
#include "csl/lang/code/image.h"
#include "csl/lang/compile.h"
#include "csl_words.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

typedef struct text {
    const uint8_t *data;
    size_t size;
} text;

static char *read_text(void *user, const char *path, size_t *size)
{
    const text *t = user;
    if (strcmp(path, "main.csl") && strcmp(path, "m.csl") && strcmp(path, "pe.csl")) return NULL;
    char *copy = malloc(t->size + 1);
    check(copy != NULL);
    memcpy(copy, t->data, t->size);
    *size = t->size;
    return copy;
}

static void no_print(void *user, const char *line)
{
    (void)user;
    (void)line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 14) return 0;
    text t = { data, size };
    tw__csl_compile_options o = { .file = "main.csl",
                                  .wse3 = size & 1,
                                  .max_comptime_steps = 20000,
                                  .max_memory = 64 << 20,
                                  .max_inlined = 200,
                                  .read = read_text,
                                  .read_user = &t,
                                  .print = no_print };
    tw_diags *diags = tw_diags_new();
    tw__csl_image *image = tw__csl_compile(&o, diags);
    check((image == NULL) == (tw_diags_count(diags, TW_ERROR) > 0));
    if (image) {
        if (tw__csl_verify(image, diags) != TW_OK) {
            tw_diags_print(diags, stderr, false);
            abort();
        }
    }
    tw__csl_image_free(image);
    tw_diags_free(diags);
    return 0;
}

MUTATE_GRAMMAR(csl_grammar, 0)
