/* SPDX-License-Identifier: MIT */
/* Compiling CSL for many PEs: three programs on 512x512 PEs, and 128x128 PEs that get their coordinates as
 * parameters, so that every PE has a program of its own until equal code is found to be shared. */
#include "bench.h"
#include "csl/lang/code/image.h"
#include "csl/lang/compile.h"

typedef struct job {
    const char *name, *layout, *pe;
    double aim;      /* seconds */
    double pe_bytes; /* aim: bytes of code and tables per PE, 0 = none */
} job;

static const job jobs[] = {
    { "512x512, three programs",
      "layout { @set_rectangle(512, 512);\n"
      "for (@range(u16, 512)) |x| { for (@range(u16, 512)) |y| {\n"
      "  @set_tile_code(x, y, \"pe.csl\", .{ .n = if (x == 0) 1 else if (x == 511) 2 else 3 }); } } }",
      "param n: u16; var u = @zeros([64]f32);\n"
      "task main() void { for (@range(u16, 64)) |i| { u[i] = @as(f32, i * n); } }\n"
      "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }",
      2, 0 },
    { "128x128, coordinates as parameters",
      "const memcpy = @import_module(\"<memcpy/get_params>\", .{ .width = 128, .height = 128 });\n"
      "layout { @set_rectangle(128, 128);\n"
      "for (@range(u16, 128)) |x| { const m = memcpy.get_params(x); for (@range(u16, 128)) |y| {\n"
      "  @set_tile_code(x, y, \"pe.csl\", .{ .px = x, .py = y, .memcpy_params = m }); } } }",
      "param px: u16; param py: u16; param memcpy_params: comptime_struct;\n"
      "const sys_mod = @import_module(\"<memcpy/memcpy>\", memcpy_params);\n"
      "const math = @import_module(\"<math>\");\n"
      "var u = @zeros([64]f32); var v = @zeros([64]f32); var u_ptr: [*]f32 = &u;\n"
      "const d1 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{62} -> u[i + 1] });\n"
      "const d2 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{62} -> v[i + 1] });\n"
      "fn is_edge() bool { return px == 0 or py == 0 or px == 127 or py == 127; }\n"
      "fn weight(i: u16) f32 { return @as(f32, px * 3 + py + i) * 0.5; }\n"
      "fn step() void {\n"
      "  for (@range(u16, 64)) |i| { v[i] = weight(i) + math.sqrt(u[i]); }\n"
      "  if (!is_edge()) { @fadds(d1, d1, d2); } else { @fmovs(d1, 0.0); }\n"
      "  @activate(@get_local_task_id(8));\n}\n"
      "task done() void { sys_mod.unblock_cmd_stream(); }\n"
      "comptime { @bind_local_task(done, @get_local_task_id(8)); }\n"
      "export fn entry() void { step(); }",
      15, 4096 },
};

static char *read_job(void *user, const char *path, size_t *size)
{
    const job *j = user;
    const char *text = !strcmp(path, "layout.csl") ? j->layout : !strcmp(path, "pe.csl") ? j->pe : NULL;
    if (!text) return NULL;
    *size = strlen(text);
    char *copy = malloc(*size + 1);
    return copy ? memcpy(copy, text, *size + 1) : NULL;
}

/* What the image holds per PE besides routes: code, tables, pool, the PE's own row. */
static double code_bytes(const tw__csl_image *image)
{
    double bytes = (double)(image->pool_count * sizeof *image->pool + image->pe_count * sizeof *image->pes);
    for (size_t i = 0; i < image->program_count; i++) {
        const tw__csl_program *p = &image->programs[i];
        bytes += (double)(sizeof *p + p->code_count * sizeof *p->code + p->line_count * sizeof *p->lines +
                          p->const_count * sizeof *p->consts + p->use_count * sizeof *p->uses +
                          p->function_count * sizeof *p->functions + p->symbol_count * sizeof *p->symbols);
    }
    return bytes / (double)image->pe_count;
}

int main(void)
{
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        const job *j = &jobs[k];
        double seconds[3];
        size_t programs = 0;
        double bytes = 0;
        for (int round = 0; round < 3; round++) {
            tw__csl_compile_options o = { .file = "layout.csl",
                                          .read = read_job,
                                          .read_user = (void *)(uintptr_t)j };
            tw_diags *diags = tw_diags_new();
            double start = bench_now();
            tw__csl_image *image = tw__csl_compile(&o, diags);
            seconds[round] = bench_now() - start;
            tw_diags_print(diags, stderr, false);
            if (!image) return 1;
            programs = image->program_count;
            bytes = code_bytes(image);
            tw__csl_image_free(image);
            tw_diags_free(diags);
        }
        printf("%-36s %7.2f s (aim %g)  %zu programs kept, %.0f bytes per PE", j->name, bench_median(seconds, 3),
               j->aim, programs, bytes);
        char row[80];
        snprintf(row, sizeof row, "%s: bytes per PE", j->name);
        bench_row(j->name, bench_median(seconds, 3), "s", BENCH_AT_MOST, j->aim);
        bench_row(row, bytes, "B", j->pe_bytes > 0 ? BENCH_AT_MOST : BENCH_NO_LIMIT, j->pe_bytes);
        if (j->pe_bytes > 0) printf(" (aim %.0f)", j->pe_bytes);
        putchar('\n');
    }
    return 0;
}
