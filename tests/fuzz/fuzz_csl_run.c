/* SPDX-License-Identifier: MIT */
// needs: wse
/* Whole CSL programs from anywhere: compiled under limits, verified, and run for a while on the wafer. Whatever
 * comes, the compiler either gives an image that the verifier accepts or an error with a place; the run ends by
 * itself or at its limit of cycles. The first byte chooses the architecture, checks, the order of ready tasks and
 * whether code is optimised; the rest is the file. */
#include "csl/lang/code/image.h"
#include "csl/lang/compile.h"
#include "csl/wse/wse.h"
#include "csl_words.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

typedef struct {
    const char *text;
    size_t size;
} source;

/* The text under its own name; whatever it imports by another name ending in .csl is a module of two lines. */
static char *read_source(void *user, const char *path, size_t *size)
{
    static const char module[] = "param p = 3;\nvar x: u16 = 0;\nfn f(y: u16) u16 { x += y; return x * 2; }\n";
    const source *s = user;
    size_t n = strlen(path);
    bool top = n >= 8 && !strcmp(path + n - 8, "fuzz.csl");
    if (!top && (n < 4 || strcmp(path + n - 4, ".csl") != 0)) return NULL;
    *size = top ? s->size : sizeof module - 1;
    char *copy = malloc(*size + 1);
    if (copy) memcpy(copy, top ? s->text : module, *size);
    return copy;
}

static void quiet(void *user, const char *line)
{
    (void)user;
    (void)line;
}

static void run(const tw__csl_image *image, unsigned mode, tw_diags *diags)
{
    tw__wse_options options = {
        .threads = 1, .check = (tw__wse_check)(mode >> 1 & 3), .random_order = mode >> 3 & 1, .seed = 1
    };
    tw__wse *w = tw__wse_new(image, &options, diags);
    check(w != NULL);
    tw_status status = tw__wse_run(w, 3000, NULL, NULL);
    check(status == TW_OK || tw_diags_count(diags, TW_WARNING) || status == TW_E_OVERFLOW);
    tw__wse_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 14) return 0;
    source s = { (const char *)data + 1, size - 1 };
    tw_diags *diags = tw_diags_new();
    tw__csl_compile_options options = { .file = "fuzz.csl",
                                        .wse3 = data[0] & 1,
                                        .optimize = !(data[0] >> 4 & 1),
                                        .max_comptime_steps = 20000,
                                        .max_memory = 64 << 20,
                                        .max_inlined = 1000,
                                        .read = read_source,
                                        .read_user = &s,
                                        .print = quiet };
    tw__csl_image *image = tw__csl_compile(&options, diags);
    check(image || tw_diags_count(diags, TW_ERROR));
    if (image) {
        check(tw__csl_verify(image, diags) == TW_OK);
        if (image->pe_count <= 64) run(image, data[0], diags);
    }
    tw__csl_image_free(image);
    tw_diags_free(diags);
    return 0;
}

MUTATE_GRAMMAR(csl_grammar, 1)
