/* SPDX-License-Identifier: MIT */
/* The simulator of a tile: six workers, clash checks on, no trace.
 *
 *   scalar    an integer loop: instructions a second. Limit 500 M; good open interpreters of simpler instruction sets
 *             (Spike, rv32emu, libriscv) reach 415 to 730 M on such a machine.
 *   axpy      the guide's loop of 7.4.3, bundles { ldst64pace ; f32v2axpy } under rpt. Limit 300 M bundles a second.
 *   amp       an inner product on the matrix units, bundles { ld64step ; f16v4sisoamp } under rpt. Limit 100 M.
 *   translated, worker, element-wise: the same in code of the host (docs/colossus.md), compiled before it is
 *             measured; the peer of the first is the interpreter in the same run, of the second the loop in C. Limit
 *             of the first 2,000 M.
 *   chip      1,472 tiles, six workers each with 10,000 bundles of axpy, on two threads. Limit 0.3 s.
 *
 * Processor time, so that other work on the machine does not count: of one thread, for the chip half of what both
 * threads took. */
#include "bench.h"

#include "core/base/base.h"
#include "poplar/codelet/compile/compile.h"

#include <stdatomic.h>
#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/colossus/sim.h>

static const char scalar[] = ".worker\n.globl f\nf: setzi $m0, 999\n"
                             "1: add $m1, $m1, 3\n xor $m2, $m1, $m3\n shl $m3, $m2, 1\n sub $m4, $m3, $m1\n"
                             "  and $m5, $m4, $m2\n  max $m6, $m5, $m1\n brnzdec $m0, 1b\n exitz $mzero\n";
static const char axpy[] =
    ".worker\n.globl f\n.align 8\nf: get $m0, $WSR\n  and $m0, $m0, 7\n  mul $m0, $m0, 8192\n"
    "  setzi $m1, 0x80000\n  add $m0, $m0, $m1\n  add $m1, $m0, 24\n"
    "  setzi $m3, 10\n  uput $TAS, $azero\n"
    "3: tapack $m6:7, $m1, $mzero, $m0\n  add $m1, $m1, 8\n  add $m0, $m0, 8\n"
    "  rpt 500, (2f - 1f)/8 - 1\n"
    "1: { ldst64pace $a2:3, $a2:3, $m6:7+=, $mzero, 0 ; f32v2axpy $a0:1, $a6:7, $a0:1 }\n"
    "{ ldst64pace $a0:1, $a0:1, $m6:7+=, $mzero, 0 ; f32v2axpy $a2:3, $a6:7, $a2:3 }\n"
    "2: sub $m1, $m1, 8\n  sub $m0, $m0, 8\n  add $m3, $m3, -1\n  brnz $m3, 3b\n exitz $mzero\n";
/* c[i] = a[i] + b[i], pairs of singles, own data of each worker: as a compiler writes it. */
static const char add[] =
    ".worker\n.globl f\n.align 8\nf: get $m0, $WSR\n  and $m0, $m0, 7\n  mul $m0, $m0, 8192\n  setzi $m1, 0x80000\n"
    "  add $m0, $m0, $m1\n  setzi $m4, 0x10000\n  add $m1, $m0, $m4\n  add $m2, $m1, $m4\n  setzi $m3, 999\n"
    "1: ld64step $a0:1, $mzero, $m0+=, 1\n  ld64step $a2:3, $mzero, $m1+=, 1\n  f32v2add $a0:1, $a0:1, $a2:3\n"
    "  st64step $a0:1, $mzero, $m2+=, 1\n  brnzdec $m3, 1b\n  exitz $mzero\n";
static const char amp[] = ".worker\n.globl f\n.align 8\nf: setzi $m3, 10\n"
                          "3: setzi $m1, 0x80000\n nop\n rpt 500, (2f - 1f)/8 - 1\n"
                          "1: { ld64step $a0:1, $mzero, $m1+=, 1 ; f16v4sisoamp $a4:5, $a0:1, $azeros, 0 }\n"
                          "{ ld64step $a0:1, $mzero, $m1+=, 1 ; f16v4sisoamp $azeros, $a0:1, $azeros, 1 }\n"
                          "2: add $m3, $m3, -1\n brnz $m3, 3b\n exitz $mzero\n";

typedef struct work {
    tw_object *image;
    tw_sim *sim;
    uint64_t turns; /* of a run, all workers */
} work;

static void stop(const char *what)
{
    fprintf(stderr, "bench_sim: %s\n", what);
    exit(1);
}

static tw_object *image_of(const char *text)
{
    tw_object *object, *image;
    tw_link_options link = { .size = sizeof link, .entry = "f" };
    if (!(object = tw_asm_text(text, strlen(text), "bench.S", NULL, NULL))) stop(tw_error_message());
    if (!(image = tw_link((const tw_object *[]){ object }, 1, &link, NULL))) stop(tw_error_message());
    tw_object_free(object);
    return image;
}

static void run(work *w)
{
    tw_sim_launch launch = { .entry = tw_object_entry(w->image), .vertex_base = tw_sim_memory_base(TW_ISA_IPU2) };
    if (tw_sim_start_all(w->sim, &launch, 0, 0) != TW_OK) stop(tw_error_message());
    if (tw_sim_run(w->sim, 0) == TW_SIM_FAULT) stop(tw_sim_get_exception(w->sim)->message);
    w->turns = 0;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) w->turns += tw_sim_turns(w->sim, i);
}

static work work_of(const char *text, tw_sim_translate translate)
{
    tw_sim_options options = { .size = sizeof options, .translate = translate };
    work w = { .image = image_of(text), .sim = tw_sim_new(&options) };
    if (!w.sim || tw_sim_load(w.sim, w.image) != TW_OK) stop(tw_error_message());
    run(&w);
    return w;
}

static void free_work(work *w)
{
    tw_sim_free(w->sim);
    tw_object_free(w->image);
}

/* The best of several measurements, in units a second. */
static double rate_of(const char *name, const char *text, const char *unit, tw_sim_translate translate)
{
    work w = work_of(text, translate);
    double best = 0;
    for (int round = 0; round < BENCH_RUNS; round++) {
        clock_t start = clock();
        uint64_t turns = 0;
        while (clock() - start < CLOCKS_PER_SEC / 50) run(&w), turns += w.turns;
        double rate = (double)turns / ((double)(clock() - start) / CLOCKS_PER_SEC);
        if (rate > best) best = rate;
    }
    free_work(&w);
    printf("%-12s %7.1f M %s a second\n", name, best / 1e6, unit);
    static unsigned measured; /* "translated" comes twice */
    char row[80];
    snprintf(row, sizeof row, "%u. %s, %s", ++measured, name, unit);
    bench_row(row, best / 1e6, "M/s", BENCH_NO_LIMIT, 0);
    return best;
}

static bool meets(const char *name, double rate, double limit)
{
    char label[100];
    snprintf(label, sizeof label, "%s: a second / %.0f M", name, limit / 1e6);
    return bench_ratio(label, rate / limit, 1, false);
}

/* The scalar loop in C: instructions of the tile a second. */
static double native_scalar(void)
{
    double best = 0;
    uint32_t m1 = 0, m3 = 0, m6 = 0;
    for (int round = 0; round < BENCH_RUNS; round++) {
        clock_t start = clock();
        uint64_t turns = 0;
        while (clock() - start < CLOCKS_PER_SEC / 50)
            for (int i = 0; i < 1000; i++, turns += 7) {
                m1 += 3;
                uint32_t m2 = m1 ^ m3;
                m3 = m2 << 1;
                uint32_t m5 = (m3 - m1) & m2;
                m6 = (int32_t)m5 > (int32_t)m1 ? m5 : m1;
                __asm__ volatile("" : "+r"(m6)); /* is not to be left out */
            }
        double rate = (double)turns / ((double)(clock() - start) / CLOCKS_PER_SEC);
        if (rate > best) best = rate;
    }
    printf("%-12s %7.1f M instructions a second\n", "in C", best / 1e6);
    return best;
}

enum { TILES = 1472 };
static void run_tiles(void *data, size_t begin, size_t end)
{
    work *tiles = data;
    for (size_t i = begin; i < end; i++) run(&tiles[i]);
}

static bool whole_chip(const char *name, const char *text, double limit, tw_sim_translate translate)
{
    work *tiles = calloc(TILES, sizeof *tiles);
    tw_object *image = image_of(text);
    tw_sim_options options = { .size = sizeof options, .translate = translate };
    if (!tiles) stop("no memory");
    for (int i = 0; i < TILES; i++) {
        tiles[i] = (work){ .image = image, .sim = tw_sim_new(&options) };
        if (!tiles[i].sim || tw_sim_load(tiles[i].sim, image) != TW_OK) stop(tw_error_message());
    }
    double best = 1e9;
    clock_t least = 0;
    for (int round = 0; round < 6; round++) {
        double start = bench_now();
        clock_t cpu = clock();
        tw__parallel(2, TILES, 16, run_tiles, tiles);
        double seconds = bench_now() - start;
        cpu = clock() - cpu;
        if (!round || cpu < least) least = cpu;
        if (seconds < best) best = seconds;
    }
    double each = (double)least / CLOCKS_PER_SEC / 2;
    double turns = (double)tiles[0].turns * TILES;
    printf("%-12s %.3f s of processor time on each of two threads for %d tiles (%.3f s passed), %.0f M a second on "
           "both\n",
           name, each, TILES, best, turns / each / 1e6);
    char label[100];
    snprintf(label, sizeof label, "%s: a second / %.0f M", name, limit / 1e6);
    bool ok = bench_ratio(label, turns / each / limit, 1, false);
    for (int i = 0; i < TILES; i++) tw_sim_free(tiles[i].sim);
    tw_object_free(image);
    free(tiles);
    return ok;
}

int main(void)
{
    tw__native_sim_offer();
    double scalar_rate = rate_of("scalar", scalar, "instructions", TW_SIM_TRANSLATE_OFF);
    bool ok = meets("scalar", scalar_rate, 500e6);
    double translated = rate_of("translated", scalar, "instructions", TW_SIM_TRANSLATE_AT_ONCE);
    ok &= meets("translated", translated, 2e9);
    bench_ratio("translated / interpreted", translated / scalar_rate, 4, false);
    bench_ratio("translated / in C", translated / native_scalar(), 0.3, false);
    double add_rate = rate_of("worker", add, "instructions", TW_SIM_TRANSLATE_OFF);
    double add_translated = rate_of("translated", add, "instructions", TW_SIM_TRANSLATE_AT_ONCE);
    bench_ratio("element-wise: translated / interpreted", add_translated / add_rate, 2, false);
    ok &= meets("axpy", rate_of("axpy", axpy, "bundles", TW_SIM_TRANSLATE_OFF), 300e6);
    ok &= meets("amp", rate_of("amp", amp, "bundles", TW_SIM_TRANSLATE_OFF), 100e6);
    ok &= whole_chip("chip", axpy, 300e6, TW_SIM_TRANSLATE_HOT);
    ok &= whole_chip("element-wise", add, 300e6, TW_SIM_TRANSLATE_AT_ONCE);
    return ok ? 0 : 1;
}
