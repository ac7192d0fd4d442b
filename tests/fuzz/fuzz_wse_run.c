/* SPDX-License-Identifier: MIT */
// needs: wse
// seeds: examples/csl/*/*.csl tests/fuzz/corpus/fuzz_csl_run/tests*
/* Programs on the wafer, under limits: never a crash, a hang or a leak. Text input is CSL, compiled for four PEs and
 * run; anything else becomes the tables and the bytecode of an image as they come: what the verifier lets through
 * must run. */
#include "csl/lang/compile.h"
#include "csl/wse/wse.h"
#include "csl_words.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
    const uint8_t *data;
    size_t size;
} text;

static void check(bool ok)
{
    if (!ok) abort();
}

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

static void run(const tw__csl_image *image, unsigned flags)
{
    tw_diags *diags = tw_diags_new();
    tw__wse_options options = { .threads = 1 + flags % 2,
                                .check = (tw__wse_check)(flags / 2 % 4),
                                .trace = flags & 8,
                                .random_order = flags & 16,
                                .profile = flags & 32 };
    tw__wse *w = (uint64_t)image->width * image->height <= 64 ? tw__wse_new(image, &options, diags) : NULL;
    if (w) {
        uint64_t args[16] = { 3, 5, 0xffff, 1u << 31 };
        for (uint32_t f = 0; f < 4 && image->program_count && f < image->programs[0].function_count; f++)
            if (image->programs[0].functions[f].params <= 16)
                tw__wse_launch(w, 0, 0, f, args, image->programs[0].functions[f].params);
        static const uint32_t words[] = { 1, 0x00410002, 0x01ff0000, 0x80000000 };
        for (unsigned color = 0; color < 8; color++) {
            tw__wse_send(w, 0, 0, TW__CSL_RAMP, color, words, 4, false);
            tw__wse_send(w, 0, 0, TW__CSL_WEST, color, words, 4, color & 1);
        }
        tw__wse_listen(w, 0, 0, TW__CSL_RAMP, 3);
        tw__wse_run(w, 20000, NULL, NULL);
        size_t count;
        tw__wse_events(w, &count);
        char *waiting = tw__wse_waiting(w, 50);
        check(waiting != NULL);
        free(waiting);
        tw__wse_free(w);
    }
    tw_diags_free(diags);
}

/* --- tables as they come --- */
typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static void take(bytes *b, void *to, size_t size)
{
    size_t n = (size_t)(b->end - b->at) < size ? (size_t)(b->end - b->at) : size;
    memset(to, 0, size);
    memcpy(to, b->at, n);
    b->at += n;
}

#define ROWS(plural, singular, most)                                        \
    do {                                                                    \
        uint8_t count;                                                      \
        take(&b, &count, 1);                                                \
        for (unsigned k = 0; k < count % ((most) + 1u); k++)                \
            take(&b, TW__CSL_PUSH(p, plural, singular), sizeof *p->plural); \
    } while (0)

static void raw_image(bytes b, unsigned flags)
{
    tw__csl_image *image = tw__csl_image_new();
    check(image != NULL);
    image->width = 2;
    image->height = 2;
    image->wse3 = flags >> 6 & 1;
    tw__csl_program *p = tw__csl_image_add_program(image, "raw.csl");
    p->stack_address = 40000;
    p->stack_bytes = 1000;
    ROWS(uses, use, 3);
    ROWS(maps, map, 1);
    ROWS(dsr_loads, dsr_load, 2);
    ROWS(dsr_init, dsr_init, 2);
    ROWS(shapes, shape, 2);
    ROWS(tasks, task, 4);
    ROWS(queues, queue, 3);
    ROWS(inits, init, 3);
    ROWS(handlers, handler, 1);
    ROWS(rotations, rotation, 1);
    ROWS(configs, config, 2);
    ROWS(consts, const, 6);
    ROWS(fifos, fifo, 2);
    for (size_t k = 0; k < p->fifo_count; k++) p->fifos[k].name = "fifo";
    for (unsigned k = 0; k < 4; k++) {
        tw__csl_pe *pe = TW__CSL_PUSH(image, pes, pe);
        uint8_t routes;
        take(&b, &routes, 1);
        pe->route = (uint32_t)image->route_count;
        for (unsigned r = 0; r < routes % 3u; r++) {
            take(&b, TW__CSL_PUSH(image, routes, route), sizeof *image->routes);
            pe->route_count++;
        }
    }
    size_t code = (size_t)(b.end - b.at) / sizeof(tw__csl_insn), each = code / 2;
    for (unsigned f = 0; f < 2; f++) {
        uint32_t number = tw__csl_program_add_function(image, p, f ? "g" : "f", f, f);
        tw__csl_function_code *fn = &p->functions[number];
        fn->entry = (uint32_t)p->code_count;
        fn->registers = 24;
        fn->stack_bytes = f * 16;
        for (size_t k = 0; k < each; k++) take(&b, TW__CSL_PUSH(p, code, code), sizeof(tw__csl_insn));
        tw__csl_insn *last = TW__CSL_PUSH(p, code, code);
        last->op = TW__CSL_I_RET;
        fn->count = (uint32_t)p->code_count - fn->entry;
    }
    run(image, flags);
    tw__csl_image_free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 13) return 0;
    if (data[0] >= 0x80) {
        raw_image((bytes){ data + 2, data + size }, data[1]);
        return 0;
    }
    text t = { data, size };
    tw__csl_compile_options o = { .file = "main.csl",
                                  .wse3 = size & 1,
                                  .optimize = size & 4,
                                  .max_comptime_steps = 20000,
                                  .max_memory = 64 << 20,
                                  .max_inlined = 200,
                                  .read = read_text,
                                  .read_user = &t,
                                  .print = no_print };
    tw_diags *diags = tw_diags_new();
    tw__csl_image *image = tw__csl_compile(&o, diags);
    if (image) run(image, (unsigned)size / 2);
    tw__csl_image_free(image);
    tw_diags_free(diags);
    return 0;
}

/* Text stays text, as its first byte says. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (size && data[0] < 0x80) return grammar_mutate(csl_grammar(), 0, data, size, most, seed);
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed)
{
    if (a_size == 0 || b_size == 0 || a[0] >= 0x80 || b[0] >= 0x80) return 0;
    return grammar_splice(csl_grammar(), 0, a, a_size, b, b_size, out, most, seed);
}
