/* The cache: hits, misses when anything that matters changes, two processes at once, no compiler at all. */
#include "poplar/codelet/codelet_test.h"

#include <sys/wait.h>
#include <unistd.h>

static unsigned files_in_cache(const char *suffix)
{
    g_autofree char *folder = tw__cache_folder();
    GDir *dir = g_dir_open(folder, 0, NULL);
    unsigned count = 0;
    for (const char *name; dir && (name = g_dir_read_name(dir));) count += g_str_has_suffix(name, suffix);
    if (dir) g_dir_close(dir);
    return count;
}

static int value_of(const char *path, const char *flags)
{
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    tw_status status = tw__codelets_add_file(set, path, TW__CODELET_AUTO, flags, NULL);
    if (status != TW_OK) fail_msg("%s", tw_error_message());
    const tw__vertex_type *vt = find(set, "A");
    int n = 0;
    char *v = new_state(vt);
    PUT(vt, v, "n", void *, &n);
    run(set, vt, v);
    free(v);
    tw__codelets_free(set);
    return n;
}

static void test_keys(void **state)
{
    (void)state;
    g_autofree char *source = g_build_filename(cache_folder, "a.cpp", NULL),
                    *header = g_build_filename(cache_folder, "value.hpp", NULL);
    static const char text[] =
        "#include <poplar/Vertex.hpp>\n#include \"value.hpp\"\n#ifndef PLUS\n#define PLUS 0\n#endif\n"
        "class A : public poplar::Vertex { public: poplar::InOut<int> n;\n"
        "bool compute() { *n = VALUE + PLUS; return true; } };\n";
    g_file_set_contents(source, text, -1, NULL);
    g_file_set_contents(header, "#define VALUE 1\n", -1, NULL);
    assert_int_equal(value_of(source, NULL), 1);
    unsigned objects = files_in_cache(".so");
    assert_int_equal(value_of(source, NULL), 1);
    assert_int_equal(files_in_cache(".so"), objects); /* a hit */
    g_file_set_contents(header, "#define VALUE 2\n", -1, NULL);
    assert_int_equal(value_of(source, NULL), 2); /* same size, perhaps the same second */
    assert_int_equal(files_in_cache(".so"), objects + 1);
    g_file_set_contents(header, "#define VALUE 1\n", -1, NULL);
    assert_int_equal(value_of(source, NULL), 1);
    assert_int_equal(files_in_cache(".so"), objects + 1); /* the old result again */
    assert_int_equal(value_of(source, "-DPLUS=10"), 11);
    assert_int_equal(files_in_cache(".so"), objects + 2);
    assert_int_equal(files_in_cache(".new"), 0);
    assert_int_equal(files_in_cache(".d"), 0); /* nothing temporary stays */
}

/* Processes that compile the same new source at once all get it. */
static void test_processes(void **state)
{
    (void)state;
    g_autofree char *source = g_build_filename(cache_folder, "p.c", NULL);
    g_file_set_contents(source,
                        "#include <tilewright/codelet.h>\nTW_VERTEX(A) { TW_INOUT(int) n; };\n"
                        "bool A_compute(A *v) { *v->n = 77; return true; }\n",
                        -1, NULL);
    pid_t children[3];
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(value_of(source, NULL) == 77 ? 0 : 1);
    }
    for (int i = 0; i < 3; i++) {
        int status = -1;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(value_of(source, NULL), 77);
}

/* Damaged cache entries are not fatal: a table that cannot be read is an error, a missing file is made again. */
static void test_missing_files(void **state)
{
    (void)state;
    g_autofree char *source = g_build_filename(cache_folder, "m.c", NULL), *folder = tw__cache_folder();
    g_file_set_contents(source,
                        "#include <tilewright/codelet.h>\nTW_VERTEX(A) { TW_INOUT(int) n; };\n"
                        "bool A_compute(A *v) { *v->n = 5; return true; }\n",
                        -1, NULL);
    assert_int_equal(value_of(source, NULL), 5);
    static const char *const suffixes[] = { ".so", ".o", ".json", ".deps" };
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        GDir *dir = g_dir_open(folder, 0, NULL);
        for (const char *name; (name = g_dir_read_name(dir));) {
            g_autofree char *path = g_build_filename(folder, name, NULL);
            if (g_str_has_suffix(name, suffixes[i])) g_unlink(path);
        }
        g_dir_close(dir);
        assert_int_equal(value_of(source, NULL), 5);
    }
}

/* A name that the precompiled header happens to declare is free for a source that does not ask for it. */
static void test_precompiled_header(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/Vertex.hpp>\n#include <utility>\n"
                               "static const char *cbrt(double) { return \"mine\"; }\n"
                               "class A : public poplar::Vertex { public: poplar::InOut<int> n;\n"
                               "bool compute() { *n = cbrt(8.0)[0]; return true; } };\n";
    g_autofree char *source = g_build_filename(cache_folder, "h.cpp", NULL);
    g_file_set_contents(source, text, -1, NULL);
    assert_int_equal(value_of(source, NULL), 'm');
    assert_int_equal(files_in_cache(".pch"), 1); /* test_keys' own; the one that did not fit is gone */
}

/* Without clang: a clear message, and nothing crashes. The tool chain is looked up once, hence another process. */
static void test_no_compiler(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        char *program = (char *)"/proc/self/exe";
        g_setenv("TILEWRIGHT_CLANG", "no-such-compiler", TRUE);
        execl(program, program, "no-compiler", (char *)NULL);
        _exit(9);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static int without_compiler(void)
{
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    tw_status status = tw__codelets_add_source(set, "int x;", TW__CODELET_C, NULL, NULL, NULL);
    bool ok = status == TW_E_NO_ENVIRONMENT && strstr(tw_error_message(), "no-such-compiler") &&
              strstr(tw_error_message(), "apt install clang-19");
    tw__codelets_free(set);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "no-compiler") == 0) return without_compiler();
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_keys), cmocka_unit_test(test_processes),
                                        cmocka_unit_test(test_precompiled_header),
                                        cmocka_unit_test(test_missing_files), cmocka_unit_test(test_no_compiler) };
    return cmocka_run_group_tests_name("codelet_cache", tests, set_up_cache, tear_down_cache);
}
