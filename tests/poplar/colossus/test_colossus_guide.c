/* SPDX-License-Identifier: MIT */
/* Snippets of the user guide, chapter 7, read from the document where it lies beside the tree; skipped elsewhere.
 * Names of registers come from -D, as a vertex would define them. Mends: the stray quotation mark of 7.4, "..."
 * stands for a register. */
#include "asm_test.h"

#include <glib/gstdio.h>
#include <unistd.h>

static char *guide; /* NULL: not there */

static int read_guide(void **state)
{
    (void)state;
    if (!g_file_get_contents(TW_SOURCE_DIR "/../shared/seeds/poplar-user-guide.txt", &guide, NULL, NULL))
        g_file_get_contents(TW_SOURCE_DIR "/../../shared/seeds/poplar-user-guide.txt", &guide, NULL, NULL);
    return 0;
}

static int free_guide(void **state)
{
    (void)state;
    g_free(guide);
    return 0;
}

/* The fenced block in which `phrase` stands, or that behind it; with the mends. */
static char *block(const char *phrase, unsigned behind)
{
    const char *at = strstr(guide, phrase), *start = at;
    if (!at) fail_msg("the guide has no '%s'", phrase);
    while (start > guide && strncmp(start, "\n```\n", 5) != 0) start--;
    const char *end = strstr(at, "\n```");
    for (; behind && end; behind--) {
        start = strstr(end + 4, "\n```\n");
        end = start ? strstr(start + 5, "\n```") : NULL;
    }
    assert_non_null(end);
    g_autofree char *text = g_strndup(start + 5, (gsize)(end - start - 5));
    g_auto(GStrv) quotes = g_strsplit(text, "+=\",", -1);
    g_autofree char *mended = g_strjoinv("+=,", quotes);
    g_auto(GStrv) dots = g_strsplit(mended, "...,", -1);
    return g_strjoinv("$N,", dots);
}

/* Bytes of code that a text gives, through the preprocessor. */
static uint32_t assemble_snippet(const char *text)
{
    static const char *const flags[] = { "-Dtmp0=a0:1",
                                         "-Dtmp1=a2:3",
                                         "-Dtmp2=a4:5",
                                         "-Daddend=a6:7",
                                         "-Dacts=m5",
                                         "-Dacts_packed=m6:7",
                                         "-Dcurrent_addend0=a6:7",
                                         "-Dzeros=azeros",
                                         "-Dmscratch0=m4",
                                         "-Drpt_count=m8",
                                         "-DN=m9",
                                         "-Dn=m9",
                                         "-Dcount=m0",
                                         "-Dworker_id=m1",
                                         "-Dcount_per_worker=m2",
                                         "-Dremainder=m3",
                                         "-Dbegin=m8",
                                         "-DOFFSET=3",
                                         "-DIN_PTR=$m1",
                                         "-DOUT_START_PTR=$m2",
                                         "-DOUT_END_PTR=$m3",
                                         "-Da=m1",
                                         "-Db=m2",
                                         "-DXXXX=Vertex",
                                         NULL };
    g_autofree char *path = g_strdup_printf("%s/tilewright-guide-%d.S", g_get_tmp_dir(), (int)getpid());
    g_autofree char *whole =
        g_strconcat("#include \"poplar/TileConstants.hpp\"\n#include \"poplar/StackSizeDefs.hpp\"\n"
                    ".allow_optimizations\n",
                    text, "\n", NULL);
    assert_true(g_file_set_contents(path, whole, -1, NULL));
    tw_asm_options options = { .size = sizeof options, .cpp_flags = flags };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_file(path, &options, diags);
    tw_status status = tw_status_of(object);
    g_unlink(path);
    if (status != TW_OK) tw_diags_print(diags, stderr, false);
    tw_diags_free(diags);
    if (status != TW_OK) fail_msg("%s\n%s", tw_error_message(), text);
    uint32_t size = section_of(object, ".text")->size;
    tw_object_free(object);
    return size;
}

static const struct {
    const char *phrase;
    unsigned behind;
    uint32_t bytes; /* of code, rpt with or without the fnop that aligns its body */
} snippets[] = {
    { "get $m0, $WSR", 0, 8 },                              /* 7.1.1 */
    { "add $sp, $sp, -32", 0, 4 },                          /* 7.3 */
    { "DEF_STACK_USAGE 0 __runCodelet", 0, 0 },             /* 7.3.2 */
    { "ld64 $tmp0, $mzero, $acts, 0", 0, 8 + 24 },          /* 7.4: the plain loop */
    { "ldst64pace $tmp0, $tmp0, $acts_packed", 0, 8 + 16 }, /* two values */
    { "f32v2add $tmp2, $tmp2, $addend", 0, 8 + 24 },        /* 7.4.2: three values */
    { "f32v2axpy $tmp0, $tmp0, $addend", 0, 8 + 16 },       /* with the accumulator */
    { ".macro GET_PARAMS", 0, 16 },                         /* 7.5.1 */
    { "bri .Linfinite_loop", 0, 4 },
    { "bri 0b", 0, 4 },
    { "brz $a, 1f", 0, 8 },
    { "// Load the count", 0, 20 }, /* 7.5.3 */
    { "mul $begin, $count_per_worker", 0, 20 },
};

static void snippets_assemble(void **state)
{
    (void)state;
    if (!guide) skip();
    for (size_t i = 0; i < G_N_ELEMENTS(snippets); i++) {
        g_autofree char *text = block(snippets[i].phrase, snippets[i].behind);
        uint32_t bytes = assemble_snippet(text);
        if (bytes != snippets[i].bytes) fail_msg("row %zu: %u bytes\n%s", i, bytes, text);
    }
}

/* 7.4.3: filling and draining, printed in two pieces. */
static void fill_and_drain(void **state)
{
    (void)state;
    if (!guide) skip();
    g_autofree char *first = block("mov $mscratch0, $acts", 0), *second = block("mov $mscratch0, $acts", 1);
    g_autofree char *whole = g_strconcat(first, "\n", second, NULL);
    assert_true(assemble_snippet(whole) >= 25 * 4);
}

/* 7.5.2: the loop with .align, and the one with a nop before it; the dots are a bundle. */
static void aligned_loops(void **state)
{
    (void)state;
    if (!guide) skip();
    static const char *const phrases[] = { ".align 8\n{", "nop // inserted by the .align 8" };
    for (size_t i = 0; i < G_N_ELEMENTS(phrases); i++) {
        g_autofree char *text = block(phrases[i], 0);
        g_auto(GStrv) dots = g_strsplit(text, "  ...", -1);
        g_autofree char *filled = g_strjoinv("nop\nfnop", dots);
        assert_int_equal(assemble_snippet(filled), i ? 4 + 4 + 16 : 8 + 16); /* optimised: rpt loses its fnop */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snippets_assemble),
        cmocka_unit_test(fill_and_drain),
        cmocka_unit_test(aligned_loops),
    };
    return cmocka_run_group_tests(tests, read_guide, free_guide);
}
