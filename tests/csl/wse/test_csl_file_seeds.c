/* SPDX-License-Identifier: MIT */
/* The compiled programs that fuzz_csl_file starts from: each is of the codec's present version, so that it reaches
 * what reads it, and still does what it was kept for. TW_GOLDEN=1 makes them again: an example, with one thing
 * changed. */
#include "csl/lang/program/program.h"
#include "csl/wse/compile.h"
#include <tilewright/csl/wse.h>

#include <unistd.h>

/* --- what is changed -------------------------------------------------------------------------------------------- */

static void name_register(tw__csl_program *p)
{
    for (size_t k = 0; k < p->use_count; k++) p->uses[k].done = (tw__csl_action){ TW__CSL_ACT_NONE, 1, UINT16_MAX };
}

/* An instruction more after the first function, which belongs to none. */
static void add_between(tw__csl_program *p)
{
    uint32_t at = p->functions[0].entry + p->functions[0].count;
    assert_non_null(TW__CSL_PUSH(p, code, code));
    memmove(&p->code[at + 1], &p->code[at], (p->code_count - 1 - at) * sizeof *p->code);
    p->code[at] = (tw__csl_insn){ .op = UINT16_MAX };
    for (size_t k = 0; k < p->function_count; k++) p->functions[k].entry += p->functions[k].entry >= at;
    for (size_t k = 0; k < p->line_count; k++) p->lines[k].at += p->lines[k].at >= at;
    for (size_t k = 0; k < p->index_count; k++) p->indices[k].at += p->indices[k].at >= at;
}

/* The second shape is that of x_for_all, a source beside one that has elements. */
static void empty_source(tw__csl_program *p)
{
    assert_true(p->shape_count > 1);
    p->shapes[1].extent[1] = 0;
}

/* In place of the last instructions of the first function, which are before `call` and `ret`. */
static void flush_two(tw__csl_program *p)
{
    const tw__csl_insn flush[] = { { TW__CSL_I_LDI, 0, 2, 0 },
                                   { TW__CSL_I_QUEUE_FLUSH, 0, 1, 0 },
                                   { TW__CSL_I_LDI, 0, 3, 0 },
                                   { TW__CSL_I_QUEUE_FLUSH, 0, 0, 0 } };
    memcpy(&p->code[p->functions[0].entry + p->functions[0].count - 6], flush, sizeof flush);
}

static void overwrite(tw__csl_program *p)
{
    tw__csl_dsd dsd;
    memcpy(&dsd, p->consts, sizeof dsd);
    assert_int_equal(dsd.kind, TW__CSL_DSD_MEM1D);
    dsd.simd = 253;
    memcpy(p->consts, &dsd, sizeof dsd);
}

/* --- the seeds -------------------------------------------------------------------------------------------------- */

#define GEMV      "examples/csl/gemv/layout.csl"
#define HISTOGRAM "examples/csl/histogram/layout.csl"

static const char into_fifo[] =
    "var space = @zeros([4]i16);\n"
    "const fifo = @allocate_fifo(space);\n"
    "var a = [4]i16{ 1, 2, 3, 4 };\n"
    "const view = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] });\n"
    "task main() void { @mov16(fifo, view); }\n"
    "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n";

static const struct {
    const char *name, *source;          /* a file, or a text of several lines */
    void (*change)(tw__csl_program *p); /* of each tile program */
    bool refused;                       /* by what reads it; else it runs */
    const char *says;                   /* NULL: the run ends well */
} seeds[] = {
    { "gemv", GEMV, NULL, false, NULL },
    { "histogram", HISTOGRAM, NULL, false, NULL },
    { "fifo", "examples/csl/fifo/layout.csl", NULL, false, NULL },
    { "action_register", GEMV, name_register, true, "an action without an id names a register" },
    { "code_between_functions", HISTOGRAM, add_between, true, "opcode 65535 does not exist" },
    { "extent_0", GEMV, empty_source, false, "one of its extents is 0" },
    { "flushed_without_handler", GEMV, flush_two, false, NULL },
    { "dsd_overwritten", into_fifo, overwrite, false, "is no DSD" },
};

static tw__csl_image *image_of(const char *text)
{
    compiled c = compile_good(text, false);
    tw_diags_free(c.diags);
    return c.image;
}

static void make(size_t row, const char *path)
{
    tw_csl_program *program;
    unsigned char *bytes;
    size_t size;
    if (strchr(seeds[row].source, '\n'))
        program = tw__csl_program_new(image_of(seeds[row].source), NULL, 0, NULL, 0);
    else
        assert_int_equal(tw_status_of(program = tw_csl_compile(seeds[row].source, NULL, NULL)), TW_OK);
    for (size_t k = 0; seeds[row].change && k < program->image->program_count; k++)
        seeds[row].change(&program->image->programs[k]);
    assert_int_equal(tw_status_of(bytes = tw_csl_encode(program, &size)), TW_OK);
    assert_int_equal(tw_write_file(path, bytes, size, NULL, 0), TW_OK);
    free(bytes);
    tw_csl_program_free(program);
}

/* As fuzz_csl_file does: every exported function once. */
static tw_status run(const tw_csl_program *program)
{
    tw_wse_options options = { .size = sizeof options,
                               .max_cycles = 2000,
                               .max_idle_cycles = 2000,
                               .threads = 1,
                               .reports = fopen("/dev/null", "w") };
    tw_wse *w;
    tw_csl_export e;
    tw_status status = tw_status_of(w = tw_wse_new(program, &options));
    assert_int_equal(status, TW_OK);
    for (size_t i = 0; tw_csl_get_export(program, i, &e) && status == TW_OK; i++)
        if (e.function) status = tw_wse_launch(w, e.name, NULL, 0, NULL);
    if (status == TW_OK) status = tw_wse_stop(w);
    tw_wse_free(w);
    fclose(options.reports);
    return status;
}

static void csl_file_seeds(void **state)
{
    (void)state;
    assert_int_equal(chdir(TW_SOURCE_DIR), 0); /* paths in the files are those of any checkout */
    for (size_t row = 0; row < sizeof seeds / sizeof *seeds; row++) {
        char path[128], *bytes;
        size_t size;
        tw_csl_program *program;
        snprintf(path, sizeof path, "tests/fuzz/corpus/fuzz_csl_file/%s", seeds[row].name);
        if (getenv("TW_GOLDEN")) make(row, path);
        assert_int_equal(tw_status_of(bytes = tw_read_file(path, 1 << 20, &size)), TW_OK);
        tw_status status = tw_status_of(program = tw_csl_decode((const unsigned char *)bytes, size, path));
        if ((status != TW_OK) != seeds[row].refused) fail_msg("%s: %s", path, tw_error_message());
        if (status == TW_OK) status = run(program);
        if ((status != TW_OK) != (seeds[row].says != NULL)) fail_msg("%s: %s", path, tw_status_name(status));
        if (seeds[row].says && !strstr(tw_error_message(), seeds[row].says))
            fail_msg("%s: %s", path, tw_error_message());
        tw_csl_program_free(program);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(csl_file_seeds) };
    return cmocka_run_group_tests_name("csl_file_seeds", tests, NULL, NULL);
}
