/* SPDX-License-Identifier: MIT */
/* Random C programs of csmith on a simulated tile and, as programs for armv7 (which has the tile's types), under
 * qemu-user: every variable has to be the same at the end. Left out are programs that never end (C lets compilers
 * take a loop without side effects to end all the same, which is forbidden here, as it would leave nothing to
 * compare), those that go through a misaligned pointer (csmith takes addresses of packed members; undefined in
 * C: armv7 reads them, a tile does not) and those with neighbouring bit-fields that share more than 64 bits, which
 * the compiler refuses. TW_SEEDS=FROM:COUNT chooses others than the usual ones; needs csmith and
 * its headers (libcsmith-dev), qemu-user, clang 19 and lld, without which nothing is compared. */
#include "program_test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS TW_SOURCE_DIR "/tests/poplar/colossus/cc/programs"
#define HEADERS  "/usr/include/csmith"

enum { FIRST = 1, USUAL = 6, LONGEST = 60000000 };

static bool is_there(const char *program)
{
    g_autofree char *path = g_find_program_in_path(program);
    return path != NULL;
}

/* So that armv7 finds out about a pointer into a packed structure whatever the tile finds: such variables begin at 8
 * bytes in both (their place would be anywhere), and what goes up or down by one is assigned to (clang checks no
 * alignment for ++ and --). */
static char *checkable(const char *path)
{
    static const char *const rewrites[][2] = {
        { "(?:struct S|union U)\\d+ (?:const |volatile )*[gl]_\\d+(?:\\[\\d+\\])*(?= = |;)",
          "\\0 __attribute__((aligned(8)))" },
        { "([+-])\\1\\((\\*+[glp]_[^()]*)\\)", "((\\2) \\1= 1)" },
        { "\\((\\*+[glp]_[^()]*)\\)([+-])\\2", "((__typeof__(\\1))(((\\1) \\2= 1) - (0 \\2 1)))" },
    };
    char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(rewrites); i++) {
        g_autoptr(GRegex) regex = g_regex_new(rewrites[i][0], 0, 0, NULL);
        g_autofree char *before = text;
        text = g_regex_replace(regex, before, -1, 0, rewrites[i][1], 0, NULL);
        assert_non_null(text);
    }
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return text;
}

/* The words of the program for armv7; NULL: it did not end in time, which says nothing. */
static GArray *expected(const char *folder, const char *source, GString *problems)
{
    g_autofree char *program = g_build_filename(folder, "arm", NULL);
    const char *const build[] = { "clang-19", "--target=armv7a-none-eabi", "-mcpu=cortex-a15", "-mfloat-abi=softfp",
                                  "-O1", "-fno-finite-loops",
                                  /* pointers to members of packed structures: armv7 reads them, a tile does not */
                                  "-fsanitize=alignment", "-fsanitize-trap=alignment", "-w", "-fsigned-char",
                                  "-fno-short-enums", "-ffp-contract=off", "-ffreestanding", "-fno-builtin",
                                  "-nostdlib", "-static", "-fuse-ld=lld", "-I" PROGRAMS, "-I" HEADERS, "-include",
                                  PROGRAMS "/arm.h", source, "-o", program, NULL };
    const char *const run[] = { "timeout", "20", "qemu-arm", program, NULL };
    if (!program_command(folder, build, NULL, NULL, problems)) fail_msg("%s", problems->str);
    char *bytes = NULL;
    size_t size = 0;
    g_autoptr(GString) ends = g_string_new(NULL);
    bool ok = program_command(folder, run, &bytes, &size, ends);
    GArray *words = NULL;
    if (ok) {
        words = g_array_new(FALSE, FALSE, 4);
        g_array_append_vals(words, bytes, (guint)(size / 4));
    }
    g_free(bytes);
    return words;
}

typedef enum outcome { SAME, DIFFERENT, REFUSED, FAULT, LEFT_OUT } outcome;

static outcome one_program(const char *folder, unsigned seed, const char *const *options, GString *problems)
{
    g_autofree char *source = g_strdup_printf("%s/p%u.c", folder, seed), *number = g_strdup_printf("%u", seed);
    g_autofree char *text = NULL;
    GPtrArray *make = g_ptr_array_new();
    g_ptr_array_add(make, "csmith");
    g_ptr_array_add(make, "--seed"), g_ptr_array_add(make, number);
    for (; *options; options++) g_ptr_array_add(make, (char *)*options);
    g_ptr_array_add(make, "-o"), g_ptr_array_add(make, source), g_ptr_array_add(make, NULL);
    bool made = program_command(folder, (const char *const *)make->pdata, NULL, NULL, problems);
    g_ptr_array_free(make, TRUE);
    assert_true(made);
    text = checkable(source);
    const char *const args[] = { "-O2",          "-fno-finite-loops", "-w",          "-std=gnu11", "-ffreestanding",
                                 "-fno-builtin", "-nostdinc",         "-I" PROGRAMS, "-I" HEADERS, NULL };
    g_autoptr(GArray) want = expected(folder, source, problems);
    if (!want) return LEFT_OUT;
    g_autofree char *assembly = program_compile(source, text, TW__CC_C, args, problems);
    if (!assembly) return strstr(problems->str, "bits are not supported; 64 are") ? LEFT_OUT : REFUSED;
    g_autoptr(GArray) got = program_run(assembly, LONGEST, NULL, problems);
    if (!got) return strstr(problems->str, "does not end") ? LEFT_OUT : FAULT;
    for (unsigned i = 0; i < MIN(got->len, want->len); i++)
        if (g_array_index(got, uint32_t, i) != g_array_index(want, uint32_t, i)) {
            g_string_append_printf(problems, "word %u is 0x%x, not 0x%x\n", i, g_array_index(got, uint32_t, i),
                                   g_array_index(want, uint32_t, i));
            return DIFFERENT;
        }
    if (got->len != want->len) g_string_append_printf(problems, "%u words, not %u\n", got->len, want->len);
    return got->len == want->len ? SAME : DIFFERENT;
}

static void random_programs(void **unused)
{
    (void)unused;
    static const char *const names[] = { "same", "different", "refused", "fault", "left out" };
    static const char *const plain[] = { "--no-packed-struct", NULL }, *const packed[] = { "--packed-struct",
                                                                                           NULL };
    unsigned first = FIRST, count = USUAL, outcomes[5] = { 0 };
    const char *seeds = g_getenv("TW_SEEDS");
    if (seeds && sscanf(seeds, "%u:%u", &first, &count) != 2) fail_msg("TW_SEEDS=FROM:COUNT");
    g_autofree char *folder = g_dir_make_tmp("tw-csmith-XXXXXX", NULL);
    for (unsigned seed = first; seed < first + count; seed++) {
        g_autoptr(GString) problems = g_string_new(NULL);
        outcome o = one_program(folder, seed, seed % 2 ? plain : packed, problems);
        outcomes[o]++;
        if (o != SAME && o != LEFT_OUT) print_error("seed %u: %s: %.600s\n", seed, names[o], problems->str);
        if (o == SAME || o == LEFT_OUT) {
            g_autofree char *source = g_strdup_printf("%s/p%u.c", folder, seed);
            g_unlink(source);
        }
    }
    print_message("%u same, %u different, %u refused, %u faults, %u left out\n", outcomes[0], outcomes[1],
                  outcomes[2], outcomes[3], outcomes[4]);
    g_autofree char *program = g_build_filename(folder, "arm", NULL);
    g_unlink(program);
    g_autofree char *litter = g_build_filename(folder, "platform.info", NULL); /* csmith leaves it where it runs */
    g_unlink(litter);
    g_rmdir(folder);
    assert_int_equal(outcomes[DIFFERENT] + outcomes[REFUSED] + outcomes[FAULT], 0);
    assert_true(outcomes[SAME] > 0); /* else nothing was compared */
}

int main(void)
{
    g_autoptr(GString) problems = g_string_new(NULL);
    static const char *const tools[] = { "csmith", "qemu-arm", "clang-19", "ld.lld" };
    for (size_t i = 0; i < G_N_ELEMENTS(tools); i++)
        if (!is_there(tools[i])) return print_message("%s is not there: nothing is compared\n", tools[i]), 0;
    if (!g_file_test(HEADERS "/safe_math.h", G_FILE_TEST_EXISTS))
        return print_message("csmith's headers (libcsmith-dev) are not there: nothing is compared\n"), 0;
    g_autofree char *any = program_compile("x.c", "int x;", TW__CC_C, NULL, problems);
    if (!any) return print_message("no compiler: %s\n", problems->str), 0;
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
