/* SPDX-License-Identifier: MIT */
/* The wafer simulator: DSD operations against plain C loops, scalar code, wavelet hops, one busy PE among idle ones,
 * a 2-D stencil, the same on a whole wafer. The aim of each line is printed beside it; the exit status is 1 when one
 * is missed. Arguments: names of parts to run (dsd, scalar, calls, hops, lone, stencil, whole); none = all. SIDE=N
 * sets the side of hops and of the first stencil, ONE=1 leaves out what comes after it and means one thread, RUNS=N
 * (1 to 5) how often short ones are repeated. */
#include "bench.h"

#include "csl/lang/compile.h"
#include "csl/wse/wse.h"

#include <tilewright/vec.h>

#include <math.h>
#include <immintrin.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

static bool missed;
/* " (aim ...)", with a mark when it is missed. */
static const char *aim(bool met)
{
    missed |= !met;
    return met ? "" : " MISSED";
}

typedef struct source {
    const char *layout, *pe;
} source;

static char *read_source(void *user, const char *path, size_t *size)
{
    const source *s = user;
    const char *text = strstr(path, "layout.csl")    ? s->layout
                       : strstr(path, "idle_pe.csl") ? "\n"
                       : strstr(path, "pe.csl")      ? s->pe
                                                     : NULL;
    if (!text) return NULL;
    *size = strlen(text);
    char *copy = malloc(*size + 1);
    if (copy) memcpy(copy, text, *size + 1);
    return copy;
}

/* Programs are optimised, as users' are; some parts compare with code as it is written. */
static bool optimize = true;

static tw__csl_image *compile_with(const char *layout, const char *pe, unsigned width, unsigned height,
                                   const tw__csl_binding *params, size_t count)
{
    source s = { layout, pe };
    tw_diags *diags = tw_diags_new();
    tw__csl_compile_options options = { .file = "layout.csl",
                                        .read = read_source,
                                        .read_user = &s,
                                        .params = params,
                                        .param_count = count,
                                        .optimize = optimize,
                                        .max_memory = (size_t)8 << 30,
                                        .max_comptime_steps = UINT64_C(2000000000),
                                        .fabric_width = width,
                                        .fabric_height = height };
    tw__csl_image *image = tw__csl_compile(&options, diags);
    if (!image) {
        tw_diags_print(diags, stderr, false);
        exit(1);
    }
    tw_diags_free(diags);
    return image;
}

static tw__csl_image *compile(const char *layout, const char *pe, unsigned side)
{
    return compile_with(layout, pe, side, side, &(tw__csl_binding){ "side", side }, 1);
}

static const char one_pe[] =
    "param side: u16;\nlayout { @set_rectangle(side, side); @set_tile_code(0, 0, \"pe.csl\", .{}); }\n";

/* Processor time of all threads: on a busy machine the wall clock measures the others. */
static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processor seconds, divided by the threads, that a wafer takes to run to the end. */
static double seconds_of(const tw__csl_image *image, unsigned threads, uint64_t *cycles, tw__wse_totals *totals)
{
    tw_diags *diags = tw_diags_new();
    tw__wse_options options = { .threads = threads };
    tw__wse *w = tw__wse_new(image, &options, diags);
    double start = cpu_now();
    if (!w || tw__wse_run(w, 0, NULL, NULL) != TW_OK) {
        fprintf(stderr, "%s\n", tw_error_message());
        tw_diags_print(diags, stderr, false);
        exit(1);
    }
    double seconds = (cpu_now() - start) / threads;
    if (cycles) *cycles = tw__wse_cycle(w);
    if (totals) *totals = tw__wse_total(w);
    tw__wse_free(w);
    tw_diags_free(diags);
    return seconds;
}

enum { RUNS = 5 };
static int runs(void)
{
    const char *given = getenv("RUNS");
    int n = given ? atoi(given) : RUNS;
    return n < 1 ? 1 : n > RUNS ? RUNS : n;
}

static double median_of(const tw__csl_image *image, unsigned threads, uint64_t *cycles, tw__wse_totals *totals)
{
    double seconds[RUNS];
    for (int k = 0; k < runs(); k++) seconds[k] = seconds_of(image, threads, cycles, totals);
    return bench_median(seconds, runs());
}

/* --- DSD operations ------------------------------------------------------------------------------------------- */

static float peer_x[8192], peer_y[8192];
static uint16_t peer_xh[8192], peer_yh[8192];

/* What a C program would do instead: the same elements, on a processor with AVX2; halves by its conversions. */
#define PEER __attribute__((noinline, target("avx2,fma,f16c")))

PEER static void peer_fmas(unsigned n)
{
    for (unsigned i = 0; i < n; i++) peer_y[i] = __builtin_fmaf(peer_x[i], 1.5f, peer_y[i]);
}

PEER static void peer_fmas_2(unsigned n)
{
    for (unsigned i = 0; i < n; i++) peer_y[2 * i] = __builtin_fmaf(peer_x[2 * i], 1.5f, peer_y[2 * i]);
}

PEER static void peer_fmah(unsigned n) /* a multiple of 8 */
{
    for (unsigned i = 0; i < n; i += 8) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(peer_xh + i)),
                *y = (__m128i *)(void *)(peer_yh + i);
        __m256 sum = _mm256_fmadd_ps(_mm256_cvtph_ps(x), _mm256_set1_ps(1.5f), _mm256_cvtph_ps(_mm_loadu_si128(y)));
        _mm_storeu_si128(y, _mm256_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT));
    }
}

static double peer_seconds(const char *type, unsigned n, unsigned stride, unsigned times)
{
    double seconds[RUNS];
    void (*peer)(unsigned) = strcmp(type, "f16") == 0 ? peer_fmah : stride == 2 ? peer_fmas_2 : peer_fmas;
    __asm__ volatile("" : "+m"(peer_x), "+m"(peer_xh)); /* no constants */
    for (int k = 0; k < RUNS; k++) {
        double start = cpu_now();
        for (unsigned t = 0; t < times; t++) {
            peer(n);
            __asm__ volatile("" ::: "memory");
        }
        seconds[k] = cpu_now() - start;
    }
    return bench_median(seconds, RUNS);
}

/* `moves`: the source lies elsewhere each time. */
static double dsd_seconds(const char *op, const char *type, unsigned n, unsigned stride, bool moves, unsigned times)
{
    char pe[1024];
    snprintf(
        pe, sizeof pe,
        "var x = @zeros([%u]%s); var y = @zeros([%u]%s);\n"
        "var dx = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{%u} -> x[%u * i] });\n"
        "const dy = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{%u} -> y[%u * i] });\n"
        "task main() void { var i: u32 = 0; while (i < %u) : (i += 1) { @%s(dy, dy, dx, @as(%s, 1.5)); %s } }\n"
        "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n",
        n * stride + 1, type, n * stride, type, n, stride, n, stride, times, op, type,
        moves ? "dx = @increment_dsd_offset(dx, 1 - 2 * @as(i16, i & 1), f32);" : "");
    tw__csl_image *image = compile(one_pe, pe, 1);
    double seconds = median_of(image, 1, NULL, NULL);
    tw__csl_image_free(image);
    return seconds / times;
}

static void dsd_part(void)
{
    static const struct {
        const char *op, *type;
        unsigned n, stride;
        double least; /* 0 = no limit */
    } rows[] = { { "fmacs", "f32", 1, 1, 0 },      { "fmacs", "f32", 8, 1, 0 },
                 { "fmacs", "f32", 64, 1, 0 },     { "fmacs", "f32", 1000, 1, 0.45 },
                 { "fmacs", "f32", 1000, 2, 0.6 }, { "fmach", "f16", 1000, 1, 0.5 } };
    enum { TIMES = 100000 };
    printf("DSD operations on memory, synchronous, from a loop of bytecode (kernels: %s)\n", tw_vec_cpu());
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double own = dsd_seconds(rows[k].op, rows[k].type, rows[k].n, rows[k].stride, false, TIMES);
        double peer = peer_seconds(rows[k].type, rows[k].n, rows[k].stride, TIMES) / TIMES;
        char row[80], aims[40] = "";
        snprintf(row, sizeof row, "@%s, n = %u, stride %u / C loop", rows[k].op, rows[k].n, rows[k].stride);
        bench_row(row, peer / own, "", rows[k].least > 0 ? BENCH_AT_LEAST : BENCH_NO_LIMIT, rows[k].least);
        if (k == 0) bench_row("fixed cost of an operation on memory", own * 1e9, "ns", BENCH_AT_MOST, 30);
        if (k == 0) snprintf(aims, sizeof aims, " (aim: 30 ns fixed cost)");
        if (rows[k].least > 0) snprintf(aims, sizeof aims, " (aim %.2f)", rows[k].least);
        printf("  @%s n = %-5u stride %u: %8.1f ns; C loop %7.1f ns: ratio %.2f%s%s\n", rows[k].op, rows[k].n,
               rows[k].stride, own * 1e9, peer * 1e9, peer / own, aims,
               aim(k == 0 ? own <= 30e-9 : peer / own >= rows[k].least));
    }
    double moved = dsd_seconds("fmacs", "f32", 1, 1, true, TIMES);
    bench_row("fixed cost where the source moves each time", moved * 1e9, "ns", BENCH_NO_LIMIT, 0);
    printf("  @fmacs n = 1, with a source that moves each time: %.1f ns\n", moved * 1e9);
}

/* --- scalar code ---------------------------------------------------------------------------------------------- */

static void scalar_part(void)
{
    static const char pe[] =
        "var out: u32 = 0;\n"
        "task main() void { var a: u32 = 1; var b: u32 = 7; var i: u32 = 0;\n"
        "  while (i < 10000000) : (i += 1) { a = a * 5 + b; b = b ^ (a >> 3); if (a > 1000000000) { a = a - 77; } "
        "}\n"
        "  out = a + b; }\n"
        "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n";
    tw__csl_image *image = compile(one_pe, pe, 1);
    uint64_t cycles;
    char *listing = tw__csl_listing(image, 0);
    double seconds = median_of(image, 1, &cycles, NULL);
    /* instructions of one turn, counted in the listing: the loop is all there is */
    const tw__csl_program *p = &image->programs[0];
    unsigned loop = 0;
    for (size_t k = 0; k < p->code_count; k++) {
        tw__csl_insn i = p->code[k];
        int jump = tw__csl_op_rows[i.op].operands[1] == 'J' ? (int32_t)tw__csl_wide(i) : 0;
        if (tw__csl_op_rows[i.op].operands[2] == 'j') jump = (int16_t)i.c;
        if (jump < 0) loop = (unsigned)-jump;
    }
    printf("scalar bytecode: at least %.0f M instructions/s (loop of up to %u, about 1 in it skipped half the "
           "time); aim 400%s\n",
           (loop - 1) * 1e7 / seconds / 1e6, loop, aim((loop - 1) * 1e7 / seconds >= 400e6));
    bench_row("scalar bytecode, instructions", (loop - 1) * 1e7 / seconds / 1e6, "M/s", BENCH_AT_LEAST, 400);
    free(listing);
    tw__csl_image_free(image);
}

/* A loop as people write it: a call, elements of arrays, indices made of products. Instructions of its program and
 * time, as it is written and optimised. */
static void calls_part(void)
{
    static const char pe[] =
        "var a = @zeros([64]f32); var b = @zeros([64]f32); var sum: f32 = 0.0; const width: i16 = 8;\n"
        "fn at(r: i16, c: i16) i16 { return r * width + c; }\n"
        "fn step(r: i16, c: i16) void { a[at(r, c)] = a[at(r, c)] * 0.5 + b[at(c, r)]; sum += a[at(r, c)]; }\n"
        "task main() void { var turn: u32 = 0;\n"
        "  while (turn < 20000) : (turn += 1) {\n"
        "    for (@range(i16, width)) |r| { for (@range(i16, width)) |c| { step(r, c); } } } }\n"
        "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n";
    double seconds[2];
    size_t instructions[2];
    for (int level = 0; level < 2; level++) {
        optimize = level == 1;
        tw__csl_image *image = compile(one_pe, pe, 1);
        instructions[level] = image->programs[0].code_count;
        seconds[level] = median_of(image, 1, NULL, NULL);
        tw__csl_image_free(image);
    }
    printf("loop with calls: %.0f ns a turn as written (%zu instructions), %.0f ns optimised (%zu): %.2f times as "
           "fast "
           "(aim 1.3)%s\n",
           seconds[0] / 20000 / 64 * 1e9, instructions[0], seconds[1] / 20000 / 64 * 1e9, instructions[1],
           seconds[0] / seconds[1], aim(seconds[0] / seconds[1] >= 1.3));
    bench_row("loop with calls: as written / optimised", seconds[0] / seconds[1], "", BENCH_AT_LEAST, 1.3);
}

/* --- wavelet hops --------------------------------------------------------------------------------------------- */

static void hops_part(void)
{
    static const char layout[] =
        "param side: u16;\nconst c = @get_color(3);\n"
        "layout { @set_rectangle(side, side);\n"
        "  for (@range(u16, side)) |y| { for (@range(u16, side)) |x| {\n"
        "    @set_tile_code(x, y, \"pe.csl\", .{ .first = x == 0 });\n"
        "    if (x == 0) { @set_color_config(x, y, c, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } }); }\n"
        "    else if (x == side - 1) { @set_color_config(x, y, c, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } "
        "} }); }\n"
        "    else { @set_color_config(x, y, c, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP, EAST } } }); }\n"
        "  } } }\n";
    static const char pe[] =
        "param first: bool;\nvar data = @zeros([1000]u32);\nconst c = @get_color(3);\n"
        "const m = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{1000} -> data[i] });\n"
        "const o = @get_dsd(fabout_dsd, .{ .extent = 1000, .fabric_color = c, .output_queue = @get_output_queue(2) "
        "});\n"
        "const n = @get_dsd(fabin_dsd, .{ .extent = 1000, .fabric_color = c, .input_queue = @get_input_queue(2) "
        "});\n"
        "task main() void { if (first) { @mov32(o, m, .{ .async = true }); } else { @mov32(m, n, .{ .async = true "
        "}); } }\n"
        "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n";
    unsigned side = getenv("SIDE") ? (unsigned)atoi(getenv("SIDE")) : 64;
    tw__csl_image *image = compile(layout, pe, side);
    unsigned threads[] = { 1, 2 };
    for (int k = 0; k < (getenv("ONE") ? 1 : 2); k++) {
        tw__wse_totals totals;
        uint64_t cycles;
        double seconds = median_of(image, threads[k], &cycles, &totals);
        printf("hops, %u x %u broadcasts along rows, trains of 1,000, %u thread(s): %.1f M hops/s (%llu hops, %llu "
               "cycles); "
               "aim 20 M/s per core%s\n",
               side, side, threads[k], (double)totals.hops / seconds / 1e6, (unsigned long long)totals.hops,
               (unsigned long long)cycles, aim((double)totals.hops / seconds >= 20e6 * threads[k]));
        char row[80];
        snprintf(row, sizeof row, "hops, %u x %u, threads: %u", side, side, threads[k]);
        bench_row(row, (double)totals.hops / seconds / 1e6, "M/s", BENCH_AT_LEAST, 20 * threads[k]);
    }
    tw__csl_image_free(image);
}

/* --- one busy PE ---------------------------------------------------------------------------------------------- */

/* Short tasks that start one another, with a little scalar code and a DSD operation each, on the first PE of an
 * otherwise idle rectangle. */
static void lone_part(void)
{
    static const char pe[] =
        "var x = @zeros([16]f32); var n: u32 = 0;\n"
        "const dx = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> x[i] });\n"
        "const id = @get_local_task_id(8);\n"
        "task main() void { var i: u16 = 0; while (i < 20) : (i += 1) { @fmacs(dx, dx, dx, 0.5); }\n"
        "  n += 1; if (n < 200000) { @activate(id); } }\n"
        "comptime { @bind_local_task(main, id); @activate(id); }\n";
    static const char layout[] =
        "param side: u16;\nlayout { @set_rectangle(side, side); @set_tile_code(0, 0, \"pe.csl\", .{});\n"
        "  for (@range(u16, side)) |y| { for (@range(u16, side)) |x| {\n"
        "    if (x + y > 0) { @set_tile_code(x, y, \"idle_pe.csl\", .{}); } } } }\n";
    const unsigned sides[] = { 8, 512 };
    double seconds[2];
    for (int k = 0; k < 2; k++) {
        tw__csl_image *image = compile(layout, pe, sides[k]);
        seconds[k] = median_of(image, 1, NULL, NULL);
        tw__csl_image_free(image);
    }
    printf("one busy PE: %.3f s on 8 x 8, %.3f s on 512 x 512: ratio %.2f (aim 1.1)%s\n", seconds[0], seconds[1],
           seconds[1] / seconds[0], aim(seconds[1] / seconds[0] <= 1.1));
    bench_row("one busy PE on 512 x 512 / on 8 x 8", seconds[1] / seconds[0], "", BENCH_AT_MOST, 1.1);
}

/* --- stencil -------------------------------------------------------------------------------------------------- */

/* Each PE holds a column of Z numbers, exchanges it with its four neighbours and averages, STEPS times. Colors in
 * pairs by parity of x (y): a PE sends east (south) on the color of its own parity, and receives on the other. */
static const char stencil_layout[] =
    "param wide: u16; param high: u16; param steps: u16;\n"
    "layout { @set_rectangle(wide, high);\n"
    "  for (@range(u16, high)) |y| { for (@range(u16, wide)) |x| {\n"
    "    @set_tile_code(x, y, \"pe.csl\", .{ .ox = x % 2, .oy = y % 2, .w = x == 0, "
    ".e = x == wide - 1, .n = y == 0, .s = y == high - 1, .steps = steps });\n"
    "    const px = x % 2; const py = y % 2;\n"
    "    if (x < wide - 1) { @set_color_config(x, y, @get_color(0 + px), .{ .routes = "
    ".{ .rx = .{ RAMP }, .tx = .{ EAST } } }); }\n"
    "    if (x > 0) { @set_color_config(x, y, @get_color(1 - px), .{ .routes = .{ .rx "
    "= .{ WEST }, .tx = .{ RAMP } } }); }\n"
    "    if (x > 0) { @set_color_config(x, y, @get_color(2 + px), .{ .routes = .{ .rx "
    "= .{ RAMP }, .tx = .{ WEST } } }); }\n"
    "    if (x < wide - 1) { @set_color_config(x, y, @get_color(3 - px), .{ .routes = "
    ".{ .rx = .{ EAST }, .tx = .{ RAMP } } }); }\n"
    "    if (y < high - 1) { @set_color_config(x, y, @get_color(4 + py), .{ .routes = "
    ".{ .rx = .{ RAMP }, .tx = .{ SOUTH } } }); }\n"
    "    if (y > 0) { @set_color_config(x, y, @get_color(5 - py), .{ .routes = .{ .rx "
    "= .{ NORTH }, .tx = .{ RAMP } } }); }\n"
    "    if (y > 0) { @set_color_config(x, y, @get_color(6 + py), .{ .routes = .{ .rx "
    "= .{ RAMP }, .tx = .{ NORTH } } }); }\n"
    "    if (y < high - 1) { @set_color_config(x, y, @get_color(7 - py), .{ .routes = "
    ".{ .rx = .{ SOUTH }, .tx = .{ RAMP } } }); }\n"
    "  } } }\n";
static const char stencil_pe[] =
    "param ox: u16; param oy: u16; param w: bool; param e: bool; param n: bool; param s: bool; param steps: u16;\n"
    "const Z = 32;\n"
    "var u = @zeros([Z]f32); var sum = @zeros([Z]f32);\n"
    "var from = @zeros([4,Z]f32); var step: u16 = 0; var left: u16 = 0;\n"
    "const du = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{Z} -> u[i] });\n"
    "const ds = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{Z} -> sum[i] });\n"
    "const f0 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{Z} -> from[0, i] });\n"
    "const f1 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{Z} -> from[1, i] });\n"
    "const f2 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{Z} -> from[2, i] });\n"
    "const f3 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{Z} -> from[3, i] });\n"
    "const toE = @get_dsd(fabout_dsd, .{ .extent = Z, .fabric_color = @get_color(0 + ox), .output_queue = "
    "@get_output_queue(0) });\n"
    "const toW = @get_dsd(fabout_dsd, .{ .extent = Z, .fabric_color = @get_color(2 + ox), .output_queue = "
    "@get_output_queue(1) });\n"
    "const toS = @get_dsd(fabout_dsd, .{ .extent = Z, .fabric_color = @get_color(4 + oy), .output_queue = "
    "@get_output_queue(2) });\n"
    "const toN = @get_dsd(fabout_dsd, .{ .extent = Z, .fabric_color = @get_color(6 + oy), .output_queue = "
    "@get_output_queue(3) });\n"
    "const inW = @get_dsd(fabin_dsd, .{ .extent = Z, .fabric_color = @get_color(1 - ox), .input_queue = "
    "@get_input_queue(4) });\n"
    "const inE = @get_dsd(fabin_dsd, .{ .extent = Z, .fabric_color = @get_color(3 - ox), .input_queue = "
    "@get_input_queue(5) });\n"
    "const inN = @get_dsd(fabin_dsd, .{ .extent = Z, .fabric_color = @get_color(5 - oy), .input_queue = "
    "@get_input_queue(6) });\n"
    "const inS = @get_dsd(fabin_dsd, .{ .extent = Z, .fabric_color = @get_color(7 - oy), .input_queue = "
    "@get_input_queue(7) });\n"
    "const done_id = @get_local_task_id(10); const go_id = @get_local_task_id(11);\n"
    "const ids = [8]local_task_id{ @get_local_task_id(12), @get_local_task_id(13), @get_local_task_id(14), "
    "@get_local_task_id(15), @get_local_task_id(16), @get_local_task_id(17), @get_local_task_id(18), "
    "@get_local_task_id(19) };\n"
    "task go() void {\n"
    "  if (step == steps) { return; }\n"
    "  step += 1; left = 0;\n"
    "  if (!e) { left += 2; } if (!w) { left += 2; } if (!s) { left += 2; } if (!n) { left += 2; }\n"
    "  if (!e) { @fmovs(toE, du, .{ .async = true, .activate = t0 }); @fmovs(f0, inE, .{ .async = true, "
    ".activate = t1 }); }\n"
    "  if (!w) { @fmovs(toW, du, .{ .async = true, .activate = t2 }); @fmovs(f1, inW, .{ .async = true, "
    ".activate = t3 }); }\n"
    "  if (!s) { @fmovs(toS, du, .{ .async = true, .activate = t4 }); @fmovs(f2, inS, .{ .async = true, "
    ".activate = t5 }); }\n"
    "  if (!n) { @fmovs(toN, du, .{ .async = true, .activate = t6 }); @fmovs(f3, inN, .{ .async = true, "
    ".activate = t7 }); }\n"
    "}\n"
    "fn one() void { left -= 1; if (left == 0) { @activate(done_id); } }\n"
    "task t0() void { one(); } task t1() void { one(); } task t2() void { one(); } task t3() void { one(); }\n"
    "task t4() void { one(); } task t5() void { one(); } task t6() void { one(); } task t7() void { one(); }\n"
    "task done() void {\n"
    "  @fadds(ds, f0, f1); @fadds(ds, ds, f2); @fadds(ds, ds, f3); @fmacs(du, du, ds, 0.25);\n"
    "  @activate(go_id);\n"
    "}\n"
    "comptime { @bind_local_task(done, done_id); @bind_local_task(go, go_id); @activate(go_id);\n"
    "  @bind_local_task(t0, ids[0]); @bind_local_task(t1, ids[1]); @bind_local_task(t2, ids[2]); "
    "@bind_local_task(t3, ids[3]);\n"
    "  @bind_local_task(t4, ids[4]); @bind_local_task(t5, ids[5]); @bind_local_task(t6, ids[6]); "
    "@bind_local_task(t7, ids[7]); }\n";

static tw__csl_image *compile_stencil(unsigned width, unsigned height, unsigned steps)
{
    tw__csl_binding params[] = { { "wide", width }, { "high", height }, { "steps", steps } };
    return compile_with(stencil_layout, stencil_pe, width, height, params, 3);
}

static void stencil_rows(unsigned side, unsigned threads, double each, double first, double busy)
{
    char row[80];
    snprintf(row, sizeof row, "stencil %u x %u, threads: %u, for a PE and step", side, side, threads);
    bench_row(row, each * 1e6, "us", BENCH_NO_LIMIT, 0);
    snprintf(row, sizeof row, "stencil %u x %u: busy tile-cycles", side, side);
    bench_row(row, busy / 1e6, "M/s", BENCH_AT_LEAST, 100);
    if (side <= 32) return;
    snprintf(row, sizeof row, "stencil %u x %u / the first", side, side);
    bench_row(row, each / first, "", BENCH_AT_MOST, side == 128 ? 1.3 : 2);
}

static void stencil_part(void)
{
    unsigned sides[] = { 32, 128, 512 };
    if (getenv("SIDE")) sides[0] = (unsigned)atoi(getenv("SIDE"));
    double first = 0;
    unsigned threads = getenv("ONE") ? 1 : (unsigned)omp_get_max_threads();
    optimize = false;
    tw__csl_image *written = compile_stencil(sides[0], sides[0], 10);
    printf("stencil %3u x %3u, code as it is written: %.2f us per PE and step\n", sides[0], sides[0],
           median_of(written, threads, NULL, NULL) / (sides[0] * sides[0] * 10.0) * 1e6);
    tw__csl_image_free(written);
    optimize = true;
    for (int k = 0; k < (getenv("ONE") ? 1 : 3); k++) {
        double start = bench_now();
        tw__csl_image *image = compile_stencil(sides[k], sides[k], 10);
        double compiled = bench_now() - start;
        tw__wse_totals totals = { 0 };
        uint64_t cycles;
        double seconds = sides[k] < 100 ? median_of(image, threads, &cycles, &totals)
                                        : seconds_of(image, threads, &cycles, &totals);
        double busy = (double)(totals.hops + totals.scalar_cycles + totals.beats);
        double each = seconds / (sides[k] * sides[k] * 10.0);
        if (k == 0) first = each;
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf(
            "stencil %3u x %3u, %u thread(s): %.2f us per PE and step (%.2f of 32 x 32; aim 1.3, 2), %.0f M busy "
            "tile-cycles/s of all threads (aim 100), %llu cycles; compiled in %.2f s; most memory %.2f GB (%.1f KB "
            "per PE; aim 8 GB)%s\n",
            sides[k], sides[k], threads, each * 1e6, each / first, busy / seconds / 1e6, (unsigned long long)cycles,
            compiled, (double)usage.ru_maxrss / 1e6, (double)usage.ru_maxrss / (sides[k] * sides[k]),
            aim(each / first <= (k == 1 ? 1.3 : 2) && busy / seconds >= 100e6 && usage.ru_maxrss <= 8 << 20));
        stencil_rows(sides[k], threads, each, first, busy / seconds);
        tw__csl_image_free(image);
    }
}

/* --- a whole wafer -------------------------------------------------------------------------------------------- */

static double gigabytes_of(const char *file, const char *field, double unit)
{
    char line[256];
    double value = 0;
    FILE *f = fopen(file, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, field, strlen(field))) value = atof(line + strlen(field)) * unit;
    if (f) fclose(f);
    return value;
}
static double resident(void)
{
    return gigabytes_of("/proc/self/status", "VmRSS:", 1024e-9);
}

/* The 750 x 994 PEs of the appliance's fabric: with a program that has data, routes and nothing to do, then with the
 * stencil for two steps, which wants 12 GB of memory. */
static void whole_part(void)
{
    enum { WIDE = 750, HIGH = 994, SIDE = 128, STEPS = 2 };
    static const char idle_pe[] = "param ox: u16; param oy: u16; param w: bool; param e: bool; param n: bool; "
                                  "param s: bool; param steps: u16;\n"
                                  "export var u = @constants([32]f32, 1.5);\n";
    tw__csl_binding params[] = { { "wide", WIDE }, { "high", HIGH }, { "steps", STEPS } };
    double start = cpu_now(), pes = (double)WIDE * HIGH;
    tw__csl_image *image = compile_with(stencil_layout, idle_pe, WIDE, HIGH, params, 3);
    double compiled = cpu_now() - start, before = resident();
    tw_diags *diags = tw_diags_new();
    start = cpu_now();
    tw__wse *w = tw__wse_new(image, NULL, diags);
    if (!w) exit(1);
    double loaded = cpu_now() - start, each = (resident() - before) * 1e9 / pes;
    printf("%u x %u PEs that do nothing: layout compiled in %.1f s (aim 10), loaded in %.1f s, %.2f KB a PE (aim "
           "3)%s\n",
           WIDE, HIGH, compiled, loaded, each / 1024, aim(compiled <= 10 && each <= 3 * 1024));
    bench_row("750 x 994 PEs, layout compiled", compiled, "s", BENCH_AT_MOST, 10);
    bench_row("memory of a PE that does nothing", each / 1024, "KB", BENCH_AT_MOST, 3);
    tw__wse_free(w);
    tw__csl_image_free(image);
    tw_diags_free(diags);
    if (gigabytes_of("/proc/meminfo", "MemAvailable:", 1024e-9) < 12) {
        printf("stencil %u x %u: left out, less than 12 GB of memory are free\n", WIDE, HIGH);
        return;
    }
    const unsigned sizes[2][2] = { { SIDE, SIDE }, { WIDE, HIGH } };
    unsigned threads = getenv("ONE") ? 1 : (unsigned)omp_get_max_threads();
    double seconds[2];
    for (int k = 0; k < 2; k++) {
        image = compile_stencil(sizes[k][0], sizes[k][1], STEPS);
        seconds[k] = seconds_of(image, threads, NULL, NULL) / ((double)sizes[k][0] * sizes[k][1] * STEPS);
        tw__csl_image_free(image);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("stencil %u x %u, %u steps, %u thread(s): %.2f us per PE and step, %.2f of %u x %u (aim 1.3)%s; most "
           "memory "
           "%.1f KB per PE\n",
           WIDE, HIGH, STEPS, threads, seconds[1] * 1e6, seconds[1] / seconds[0], SIDE, SIDE,
           aim(seconds[1] / seconds[0] <= 1.3), (double)usage.ru_maxrss / pes);
    bench_row("stencil 750 x 994 / 128 x 128", seconds[1] / seconds[0], "", BENCH_AT_MOST, 1.3);
    bench_row("memory of the stencil 750 x 994, for a PE", (double)usage.ru_maxrss / pes, "KB", BENCH_NO_LIMIT, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        { "dsd", dsd_part },   { "scalar", scalar_part },   { "calls", calls_part }, { "hops", hops_part },
        { "lone", lone_part }, { "stencil", stencil_part }, { "whole", whole_part },
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        bool wanted = argc < 2;
        for (int a = 1; a < argc; a++) wanted |= strcmp(argv[a], parts[k].name) == 0;
        if (wanted) parts[k].run();
        fflush(stdout);
    }
    return missed;
}
