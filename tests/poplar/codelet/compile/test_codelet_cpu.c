/* SPDX-License-Identifier: MIT */
/* The instruction set that codelets are compiled for is chosen here, not by the compiler, and what the compiler says
 * of itself stays apart from messages about the user's file. */
#include "poplar/codelet/codelet_test.h"

#include <sys/wait.h>
#include <unistd.h>

static const char bad[] =
    "#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex { public: poplar::InOut<float> x;\n"
    "bool compute() { *x = 1 + qqqq; return true; } };\n";
static const char good[] =
    "#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex { public: poplar::InOut<float> x;\n"
    "bool compute() { *x = *x * 3.0f + 0.1f; return true; } };\n";

/* Flags under which clang 19 speaks of itself first: a warning of a feature that it promotes, as it gave with
 * -march=native on a CPU with avx10.1. */
#ifdef __x86_64__
#define HOSTILE     "-mavx10.1-256 -mavx512f"
#define NO_SUCH_CPU "unknown target CPU 'nonsense'"
#else
#define HOSTILE     ""
#define NO_SUCH_CPU "unsupported argument 'nonsense' to option '-march='"
#endif

static void codelet_cpu_errors_are_the_users(void **state)
{
    (void)state;
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    tw_diags *diags = tw_diags_new();
    assert_int_equal(tw__codelets_add_source(set, bad, TW__CODELET_CPP, "mine.cpp", HOSTILE, diags),
                     TW_E_COMPILATION);
    if (!g_str_has_prefix(tw_error_message(), "mine.cpp:3:")) fail_msg("%s", tw_error_message());
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 1); /* of any severity */
    assert_string_equal(tw_diags_get(diags, 0)->file, "mine.cpp");
    assert_int_equal(tw_diags_get(diags, 0)->line, 3);
    tw_diags_free(diags);
    diags = tw_diags_new();
    assert_int_equal(tw__codelets_add_source(set, good, TW__CODELET_CPP, "mine.cpp", HOSTILE, diags), TW_OK);
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 0);
    tw_diags_free(diags);
    tw__codelets_free(set);
}

static void codelet_cpu_the_compilers_own_error(void **state)
{
    (void)state;
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    tw_diags *diags = tw_diags_new();
    assert_int_equal(tw__codelets_add_source(set, good, TW__CODELET_CPP, "mine.cpp", "-march=nonsense", diags),
                     TW_E_COMPILATION);
    assert_string_equal(tw_error_message(), "mine.cpp: clang: " NO_SUCH_CPU);
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 1);
    assert_string_equal(tw_diags_get(diags, 0)->file, "clang");
    assert_string_equal(tw_diags_get(diags, 0)->code, "popc.tool");
    assert_int_equal(tw_diags_get(diags, 0)->line, 0);
    tw_diags_free(diags);
    tw__codelets_free(set);
}

static const char *march_of(unsigned options)
{
    static char march[32];
    const tw__toolchain *toolchain;
    tw__source source = { "mine.cpp", good, false, NULL };
    if (tw__toolchain_get(&toolchain)) return "none";
    GPtrArray *args = tw__toolchain_args(toolchain, &source, TW__BUILD_FLOAT, options);
    march[0] = 0;
    for (guint i = 0; i + 1 < args->len; i++) {
        const char *arg = args->pdata[i];
        if (g_str_has_prefix(arg, "-march=") || g_str_has_prefix(arg, "-mcpu="))
            g_strlcpy(march, arg, sizeof march);
        if (strstr(arg, "native")) return "native";
    }
    g_ptr_array_free(args, TRUE);
    return march;
}

/* In a process of its own, since the choice is made once: the level, and a result that must not depend on it. */
static void level_of(const char *limit, char *march, float *result)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        g_setenv("TILEWRIGHT_CPU", limit, TRUE);
        dup2(pipes[1], 1);
        execl("/proc/self/exe", "test", "level", (char *)NULL);
        _exit(9);
    }
    close(pipes[1]);
    char text[128] = "";
    for (ssize_t n, at = 0; (n = read(pipes[0], text + at, sizeof text - 1 - (size_t)at)) > 0;) at += n;
    close(pipes[0]);
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(sscanf(text, "%31s %a", march, result), 2);
}

static void codelet_cpu_levels(void **state)
{
    (void)state;
#ifndef __x86_64__
    assert_string_equal(march_of(0), ""); /* one level */
    skip();
#endif
    char march[3][32];
    float result[3];
    static const char *const limits[] = { "baseline", "avx2", "avx512" };
    for (int i = 0; i < 3; i++) level_of(limits[i], march[i], &result[i]);
    for (int i = 0; i < 3; i++) {
        if (!g_str_has_prefix(march[i], "-march=x86-64")) fail_msg("%s: '%s'", limits[i], march[i]);
        assert_true(result[i] == result[0] && result[i] == 4.6f);
        if (i) assert_true(strcmp(march[i - 1], march[i]) <= 0); /* x86-64-v2 < x86-64-v3 < x86-64-v4 */
    }
    assert_true(strcmp(march[0], "-march=x86-64-v2") <= 0 && strcmp(march[1], "-march=x86-64-v3") <= 0);
    assert_string_equal(march_of(TW__BUILD_PORTABLE), "");
    assert_string_not_equal(march_of(0), "native");
}

static int print_level(void)
{
    void *state;
    set_up_cache(&state);
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    if (tw__codelets_add_source(set, good, TW__CODELET_CPP, "mine.cpp", NULL, NULL)) return 2;
    const tw__vertex_type *vt = find(set, "A");
    float x = 1.5f;
    char *v = new_state(vt);
    PUT(vt, v, "x", void *, &x);
    run(set, vt, v);
    free(v);
    printf("%s %a\n", march_of(0), x);
    fflush(stdout);
    tw__codelets_free(set);
    tear_down_cache(&state);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "level") == 0) return print_level();
    const struct CMUnitTest tests[] = { cmocka_unit_test(codelet_cpu_errors_are_the_users),
                                        cmocka_unit_test(codelet_cpu_the_compilers_own_error),
                                        cmocka_unit_test(codelet_cpu_levels) };
    return cmocka_run_group_tests(tests, set_up_cache, tear_down_cache);
}
