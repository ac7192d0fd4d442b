/* SPDX-License-Identifier: MIT */
// needs: wse
// seeds: tests/fuzz/corpus/fuzz_csl_run/*
/* Files of compiled CSL programs: whatever the bytes are, reading refuses them or gives a program that runs within
 * its limits, can be listed and written again. The header is made right first, so that the body is what is tried. A
 * text is compiled, as the seed of such a file. */
#include "images.h"

#include <tilewright/csl/wse.h>

#include <stdlib.h>
#include <string.h>

static void run(const tw_csl_program *program)
{
    tw_wse_options options = { .size = sizeof options,
                               .max_cycles = 2000,
                               .max_idle_cycles = 2000,
                               .threads = 1,
                               .reports = fopen("/dev/null", "w") };
    tw_wse *w;
    tw_csl_export e;
    if (options.reports) tw_csl_dump(program, options.reports);
    uint32_t args[15] = { 0 };
    if ((w = tw_wse_new(program, &options)) != NULL) {
        for (size_t i = 0; i < 8 && tw_csl_get_export(program, i, &e); i++)
            if (e.function) tw_wse_launch(w, e.name, args, e.argument_count, NULL);
        tw_wse_stop(w);
        tw_wse_free(w);
    }
    if (options.reports) fclose(options.reports);
}

static void read_and_run(const uint8_t *bytes, size_t size)
{
    tw_csl_program *program;
    unsigned char *again;
    size_t again_size;
    tw_csl_info info;
    if (!(program = tw_csl_decode(bytes, size, "fuzz"))) return;
    tw_csl_get_info(program, &info);
    if (!(again = tw_csl_encode(program, &again_size))) abort();
    free(again);
    if ((uint64_t)info.width * info.height <= 64) run(program);
    tw_csl_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (image_is_text(data, size)) {
        tw_csl_program *program = image_of_text(data, size);
        uint8_t *bytes;
        if (program && (bytes = tw_csl_encode(program, &size)) != NULL) {
            read_and_run(bytes, size);
            free(bytes);
        }
        tw_csl_program_free(program);
    } else if (size >= IMAGE_HEADER) {
        uint8_t *bytes = malloc(size);
        memcpy(bytes, data, size);
        image_seal(bytes, size);
        read_and_run(bytes, size);
        free(bytes);
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return image_mutate(data, size, most, seed);
}
