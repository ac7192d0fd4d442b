/* SPDX-License-Identifier: MIT */
/* The programs of this folder, one for each topic, and random ones (program_random.h), on a simulated tile and as
 * programs of this machine: the same words, and the same again from other levels of optimisation.
 * TW_SEEDS=FROM:COUNT chooses others than the usual random ones, TW_KEEP=FOLDER keeps the sources of those that
 * differ. */
#include "program_random.h"
#include "program_test.h"

#include <stdlib.h>

enum { LEVELS = 2, USUAL = 2 };

#define PROGRAMS TW_SOURCE_DIR "/tests/poplar/colossus/cc/programs"

/* In front of a program of this machine: writes the words. FLUSH: subnormal floats are zeros, as on the chip (doubles
 * are not, there). */
static const char host_start[] =
    "#include <stdio.h>\n"
    "#if defined(FLUSH) && defined(__SSE2__)\n#include <xmmintrin.h>\n"
    "__attribute__((constructor)) static void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }\n"
    "#elif defined(FLUSH) && defined(__aarch64__)\n"
    "__attribute__((constructor)) static void flush(void) { __asm__(\"msr fpcr, %0\" ::\"r\"(1ul << 24)); }\n"
    "#endif\n"
    "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
    "void out(unsigned w) { fwrite(&w, 4, 1, stdout); }\n";

static GArray *host_words(const char *source, GString *problems)
{
    g_autofree char *folder = g_dir_make_tmp("tw-programs-XXXXXX", NULL),
                    *program = g_build_filename(folder, "p", NULL);
    g_autofree char *start = g_build_filename(folder, "start.h", NULL);
    bool is_cpp = g_str_has_suffix(source, ".cpp");
    const char *const build[] = { is_cpp ? "clang++-19" : "clang-19",
                                  "-O1",
                                  "-w",
                                  "-ffp-contract=off",
                                  "-fwrapv",
                                  "-fsigned-char",
                                  "-Xclang",
                                  "-ffloat16-excess-precision=none",
                                  strstr(source, "/double.") ? "-DKEEP" : "-DFLUSH",
                                  is_cpp ? "-std=c++17" : "-std=gnu11",
                                  "-I" PROGRAMS,
                                  "-include",
                                  start,
                                  source,
                                  "-lm",
                                  "-o",
                                  program,
                                  NULL };
    const char *const run[] = { program, NULL };
    g_file_set_contents(start, host_start, -1, NULL);
    char *bytes = NULL;
    size_t size = 0;
    GArray *words = NULL;
    if (program_command(NULL, build, NULL, NULL, problems) && program_command(NULL, run, &bytes, &size, problems)) {
        words = g_array_new(FALSE, FALSE, 4);
        g_array_append_vals(words, bytes, (guint)(size / 4));
    }
    g_free(bytes);
    g_unlink(program), g_unlink(start), g_rmdir(folder);
    return words;
}

/* At so many of the levels; how often it went wrong. */
static unsigned one_program(const char *name, const char *path, unsigned level_count)
{
    static const char *const levels[LEVELS] = { "-O2", "-O0" };
    g_autofree char *text = NULL;
    g_autoptr(GString) problems = g_string_new(NULL);
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_autoptr(GArray) want = host_words(path, problems);
    if (!want) fail_msg("%s: %s", name, problems->str);
    assert_true(want->len > 10);
    bool is_cpp = g_str_has_suffix(name, ".cpp");
    unsigned wrong = 0;
    for (size_t i = 0; i < level_count; i++) {
        const char *const args[] = { levels[i],   "-w",          is_cpp ? "-std=c++17" : "-std=gnu11",
                                     "-nostdinc", "-I" PROGRAMS, NULL };
        uint64_t turns = 0;
        g_string_truncate(problems, 0);
        g_autofree char *assembly = program_compile(path, text, is_cpp ? TW__CC_CPP : TW__CC_C, args, problems);
        g_autoptr(GArray) got = assembly ? program_run(assembly, 200000000, &turns, problems) : NULL;
        unsigned at = 0;
        while (got && at < MIN(got->len, want->len) &&
               g_array_index(got, uint32_t, at) == g_array_index(want, uint32_t, at))
            at++;
        if (got && at == want->len && got->len == want->len) {
            print_message("%-14s %s %6u words, %9llu turns\n", name, levels[i], got->len,
                          (unsigned long long)turns);
            continue;
        }
        wrong++;
        if (got && at < MIN(got->len, want->len))
            g_string_append_printf(problems, "word %u is 0x%x, not 0x%x", at, g_array_index(got, uint32_t, at),
                                   g_array_index(want, uint32_t, at));
        else if (got)
            g_string_append_printf(problems, "%u words, not %u", got->len, want->len);
        print_error("%s %s: %.800s\n", name, levels[i], problems->str);
    }
    return wrong;
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void every_program(void **unused)
{
    (void)unused;
    g_autoptr(GDir) folder = g_dir_open(PROGRAMS, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *only = g_getenv("TW_PROGRAM");
    for (const char *name; (name = g_dir_read_name(folder));)
        if ((g_str_has_suffix(name, ".c") || g_str_has_suffix(name, ".cpp")) && (!only || strcmp(only, name) == 0))
            g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    unsigned wrong = 0;
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path = g_build_filename(PROGRAMS, names->pdata[i], NULL);
        wrong += one_program(names->pdata[i], path, LEVELS);
    }
    assert_int_equal(wrong, 0);
}

static void random_programs(void **unused)
{
    (void)unused;
    unsigned first = 1, count = USUAL, wrong = 0;
    const char *seeds = g_getenv("TW_SEEDS"), *keep = g_getenv("TW_KEEP");
    if (seeds && sscanf(seeds, "%u:%u", &first, &count) != 2) fail_msg("TW_SEEDS=FROM:COUNT");
    g_autofree char *folder = g_dir_make_tmp("tw-programs-XXXXXX", NULL);
    for (unsigned seed = first; seed < first + count; seed++) {
        g_autofree char *name = g_strdup_printf("random%u.c", seed), *source = random_source(seed);
        g_autofree char *path = g_build_filename(keep ? keep : folder, name, NULL);
        assert_true(g_file_set_contents(path, source, -1, NULL));
        unsigned failed = one_program(name, path, 1);
        if (!failed || !keep) g_unlink(path);
        wrong += failed;
    }
    g_rmdir(folder);
    assert_int_equal(wrong, 0);
}

/* --- tables of jumps ----------------------------------------------------------------------------------------- */

#define CASES                                                                                     \
    "case 0: y += 9; break; case 1: y *= 3; break; case 2: y ^= 7; break; case 3: y /= 7; break;" \
    "case 4: y -= 9; break; case 5: y *= 5; break; case 6: y >>= 1; break; case 7: y |= 8; break;"
#define HEAD "#include \"program.h\"\nu32 (*volatile p)(u32);\n"
#define LOOP "int main(void) { u32 y = 1; for (u32 i = 0; i < 8000; i++) y = f(i & 15, y); out(y); return 0; }\n"

static const struct {
    const char *what, *text;
    unsigned tables, most; /* turns of main(); 0: not run */
} switches[] = {
    { "dense", HEAD "static NOINLINE u32 f(u32 x, u32 y) { switch (x) {" CASES "} return y; }\n" LOOP, 1, 150000 },
    { "no other values", HEAD "static NOINLINE u32 f(u32 x, u32 y) { switch (x & 7) {" CASES "} return y; }\n" LOOP,
      1, 180000 },
    { "few",
      HEAD "u32 f(u32 x, u32 y) { switch (x) { case 1: y += 9; break; case 2: y *= 3; break; case 3: y ^= 7; } "
           "return y; }\n",
      0, 0 },
    { "a list of calls is missing",
      HEAD "u32 f(u32 x, u32 y) { switch (x) {" CASES "default: y = p(y); } return y; }\n", 0, 0 },
    { "inline assembly that may call",
      HEAD "u32 f(u32 x, u32 y) { switch (x) {" CASES "default: __asm__(\"br %0\" :: \"r\"(p)); } return y; }\n", 0,
      0 },
    { "inline assembly that may call, with a tab",
      HEAD "u32 f(u32 x, u32 y) { switch (x) {" CASES "default: __asm__(\"br\\t%0\" :: \"r\"(p)); } return y; }\n",
      0, 0 },
};

static unsigned tables_in(const char *assembly)
{
    unsigned count = 0;
    for (const char *at = assembly; (at = strstr(at, "\n.Lt")); at++) count++;
    return count;
}

static void tables(void **unused)
{
    (void)unused;
    static const char *const args[] = { "-O2", "-w", "-std=gnu11", "-nostdinc", "-I" PROGRAMS, NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(switches); i++) {
        g_autoptr(GString) problems = g_string_new(NULL);
        g_autofree char *assembly = program_compile("x.c", switches[i].text, TW__CC_C, args, problems);
        if (!assembly) fail_msg("%s: %s", switches[i].what, problems->str);
        if (tables_in(assembly) != switches[i].tables) fail_msg("%s: %s", switches[i].what, assembly);
        uint64_t turns = 0;
        if (!switches[i].most) continue;
        g_autoptr(GArray) words = program_run(assembly, 1000000, &turns, problems);
        if (!words) fail_msg("%s: %s", switches[i].what, problems->str);
        print_message("%s: %llu turns\n", switches[i].what, (unsigned long long)turns);
        assert_in_range(turns, 1, switches[i].most);
    }
}

int main(void)
{
    g_autoptr(GString) problems = g_string_new(NULL);
    g_autofree char *any = program_compile("x.c", "int x;", TW__CC_C, NULL, problems);
    if (!any) return print_message("no compiler: %s\n", problems->str), 0;
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_program), cmocka_unit_test(random_programs),
                                        cmocka_unit_test(tables) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
