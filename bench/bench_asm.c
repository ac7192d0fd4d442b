/* SPDX-License-Identifier: MIT */
/* Assembling: lines a second of text as hand-written vertices have it (labels, bundles, expressions, a macro), then
 * the same object through its ELF file and linked. Limit: 500,000 lines a second on one core; the preprocessor, a
 * process of its own, is left out. */
#include "bench.h"

#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>

enum { BLOCKS = 8000, LINES = 9 };

typedef struct work {
    char *text;
    size_t length;
    tw_object *object;
} work;

static void assemble(void *data)
{
    work *w = data;
    tw_object_free(w->object);
    if (!(w->object = tw_asm_text(w->text, w->length, "bench.S", NULL, NULL))) {
        fprintf(stderr, "bench_asm: %s\n", tw_error_message());
        exit(1);
    }
}

static void through_elf(void *data)
{
    work *w = data;
    uint8_t *bytes;
    size_t size;
    tw_object *back;
    if (!(bytes = tw_object_to_elf(w->object, &size)) || !(back = tw_object_from_elf(bytes, size, "bench.o"))) {
        fprintf(stderr, "bench_asm: %s\n", tw_error_message());
        exit(1);
    }
    tw_object_free(back);
    free(bytes);
}

static char *make_text(size_t *length)
{
    size_t room = (size_t)BLOCKS * 400 + 400, at = 0;
    char *text = malloc(room);
    if (!text) exit(1);
    at +=
        (size_t)snprintf(text, room, ".align 8\n.macro halve out in\n  shrs $\\out, $\\in, (1 << 3) - 7\n.endm\n");
    for (int i = 0; i < BLOCKS; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "LBlock%d:\n"
                               "  ld32 $m1, $mvertex_base, $mzero, %d // a field\n"
                               "  add $m2, $m1, -5\n"
                               "  brz $m2, LBlock%d\n"
                               "  { ld64step $a0:1, $mzero, $m3+=, 1\n"
                               "    f32v2add $a2:3, $a0:1, $a4:5 }\n"
                               "  halve m4 m5\n"
                               "  .equ OFFSET, %d * 4\n"
                               "  setzi $m6, OFFSET & 0xfff\n",
                               i, i & 63, i + 1 < BLOCKS ? i + 1 : 0, i);
    *length = at;
    return text;
}

int main(void)
{
    work w = { 0 };
    w.text = make_text(&w.length);
    bench_case cases[] = { { .name = "assemble", .run = assemble, .data = &w },
                           { .name = "write and read ELF", .run = through_elf, .data = &w } };
    bench_interleaved(cases, 2);
    for (int i = 0; i < 2; i++) bench_print(&cases[i]);
    clock_t start =
        clock(); /* of the processor, so that other work on the machine does not count: one thread, no waiting */
    for (int i = 0; i < BENCH_RUNS; i++) assemble(&w);
    double rate = (double)BLOCKS * LINES * BENCH_RUNS / ((double)(clock() - start) / CLOCKS_PER_SEC);
    printf("%d lines, %zu bytes of text: %.0f lines a second of processor time\n", BLOCKS * LINES, w.length, rate);
    bool ok = bench_ratio("lines a second / 500,000", rate / 500000, 1, false);
    tw_object_free(w.object);
    free(w.text);
    return ok ? 0 : 1;
}
