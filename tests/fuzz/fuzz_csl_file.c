// needs: wse
/* Files of compiled CSL programs: whatever the bytes are, reading refuses them or gives a program that runs within
 * its limits and can be written again. The header is made right first, so that the body is what is tried. */
#include "csl/lang/program/program.h"
#include <tilewright/csl/wse.h>

#include <stdlib.h>
#include <string.h>

enum { HEADER = 28 };
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> (8 * i));
}

static void run(const tw_csl_program *program)
{
    tw_wse_options options = {
        .max_cycles = 2000, .max_idle_cycles = 2000, .threads = 1, .reports = fopen("/dev/null", "w")
    };
    tw_wse *w;
    tw_csl_export e;
    uint32_t args[15] = { 0 };
    if (tw_wse_new(&w, program, &options) == TW_OK) {
        for (size_t i = 0; i < 8 && tw_csl_get_export(program, i, &e); i++)
            if (e.function) tw_wse_launch(w, e.name, args, e.argument_count, NULL);
        tw_wse_stop(w);
        tw_wse_free(w);
    }
    if (options.reports) fclose(options.reports);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER) return 0;
    unsigned char *bytes = malloc(size);
    memcpy(bytes, data, size);
    memcpy(bytes, "TWCSL\r\n\x1a", 8);
    put(bytes + 12, size - HEADER, 8);
    put(bytes + 20, tw__csl_checksum(bytes + HEADER, size - HEADER), 8);
    tw_csl_program *program;
    if (tw_csl_decode(&program, bytes, size, "fuzz") == TW_OK) {
        unsigned char *again;
        size_t again_size;
        tw_csl_info info;
        tw_csl_get_info(program, &info);
        if (tw_csl_encode(program, &again, &again_size) != TW_OK) abort();
        free(again);
        if ((uint64_t)info.width * info.height <= 64) run(program);
        tw_csl_program_free(program);
    }
    free(bytes);
    return 0;
}
