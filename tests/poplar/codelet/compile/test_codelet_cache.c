/* SPDX-License-Identifier: MIT */
/* The cache: hits, misses when anything that matters changes, two processes at once, no compiler at all. */
#include "poplar/codelet/codelet_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

/* Our own headers are a part of the key, and may change while a process runs. */
static void test_our_headers(void **state)
{
    (void)state;
    g_autofree char *root = g_build_filename(cache_folder, "root", NULL),
                    *folder = g_build_filename(root, "include", "poplar", NULL),
                    *header = g_build_filename(folder, "Vertex.hpp", NULL);
    g_mkdir_with_parents(folder, 0700);
    g_setenv("TILEWRIGHT_ROOT", root, TRUE);
    assert_null(tw__cache_headers_digest());
    static const char *const texts[] = { "#define A 1\n", "#define A 2\n", "#define A 2\n", "#define A 1\n" };
    char *digests[G_N_ELEMENTS(texts)];
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_file_set_contents(header, texts[i], -1, NULL);
        digests[i] = tw__cache_headers_digest();
        g_autofree char *again = tw__cache_headers_digest();
        assert_string_equal(digests[i], again);
    }
    g_unsetenv("TILEWRIGHT_ROOT");
    assert_string_not_equal(digests[0], digests[1]);
    assert_string_equal(digests[1], digests[2]);
    assert_string_equal(digests[0], digests[3]);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(digests[i]);
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

static const char *const suffixes[] = { ".so", ".o", ".json", ".deps", ".toolchain" };

/* A missing file is made again. */
static void test_missing_files(void **state)
{
    (void)state;
    g_autofree char *source = g_build_filename(cache_folder, "m.c", NULL), *folder = tw__cache_folder();
    g_file_set_contents(source,
                        "#include <tilewright/codelet.h>\nTW_VERTEX(A) { TW_INOUT(int) n; };\n"
                        "bool A_compute(A *v) { *v->n = 5; return true; }\n",
                        -1, NULL);
    assert_int_equal(value_of(source, NULL), 5);
    for (size_t i = 0; i < 4; i++) {
        GDir *dir = g_dir_open(folder, 0, NULL);
        for (const char *name; (name = g_dir_read_name(dir));) {
            g_autofree char *path = g_build_filename(folder, name, NULL);
            if (g_str_has_suffix(name, suffixes[i])) g_unlink(path);
        }
        g_dir_close(dir);
        assert_int_equal(value_of(source, NULL), 5);
    }
}

/* Calls `each` for every entry with one of the suffixes; how many there were. */
static unsigned for_entries(const char *suffix, void (*each)(const char *path))
{
    g_autofree char *folder = tw__cache_folder();
    GDir *dir = g_dir_open(folder, 0, NULL);
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, suffix) && !g_str_has_prefix(name, "tmp-"))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    if (dir) g_dir_close(dir);
    for (guint i = 0; i < paths->len; i++) each(paths->pdata[i]);
    unsigned count = paths->len;
    g_ptr_array_free(paths, TRUE);
    return count;
}

static void change(const char *path, unsigned how)
{
    char *data;
    gsize size;
    assert_true(g_file_get_contents(path, &data, &size, NULL));
    if (how == 0) size /= 2;               /* the disk was full */
    if (how == 1) data[size / 3] ^= 4;     /* a bit fell over */
    if (how == 2) size = 0;                /* the machine stopped before the data was on the disk */
    if (how == 3) memset(data, 'x', size); /* something else */
    assert_true(g_file_set_contents(path, data, (gssize)size, NULL));
    g_free(data);
}
static void halve(const char *path)
{
    change(path, 0);
}
static void flip(const char *path)
{
    change(path, 1);
}
static void empty(const char *path)
{
    change(path, 2);
}
static void fill(const char *path)
{
    change(path, 3);
}

static void assert_whole(const char *path)
{
    if (!tw__cache_read(path, NULL, NULL)) fail_msg("'%s' is damaged", path);
}

static char *source_with(const char *file, int value)
{
    char *path = g_build_filename(cache_folder, file, NULL);
    g_autofree char *text = g_strdup_printf("#include <tilewright/codelet.h>\nTW_VERTEX(A) { TW_INOUT(int) n; };\n"
                                            "bool A_compute(A *v) { *v->n = %d; return true; }\n",
                                            value);
    g_file_set_contents(path, text, -1, NULL);
    return path;
}

/* Runs this program on a source whose vertex gives 3: some things are done once in a process. */
static void compile_apart(const char *source)
{
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test", "compile", source, (char *)NULL);
        _exit(9);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* Whatever happened to an entry, of whatever kind: it is noticed, made again, and whole afterwards. */
static void test_damaged_entries(void **state)
{
    (void)state;
    g_autofree char *source = source_with("d.c", 3), *folder = tw__cache_folder();
    void (*const damages[])(const char *) = { halve, flip, empty, fill };
    remove_folder(folder);
    assert_int_equal(value_of(source, NULL), 3);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 2; k++) {
            if (!for_entries(suffixes[i], damages[(i + 2 * k + k) % 4])) fail_msg("no entry '%s'", suffixes[i]);
            if (value_of(source, NULL) != 3) fail_msg("%s, damage %zu", suffixes[i], k);
            for_entries(suffixes[i], assert_whole);
        }
    compile_apart(source);
    assert_int_equal(for_entries(suffixes[4], halve), 1);
    compile_apart(source);
    for_entries(suffixes[4], assert_whole);
}

/* An object that came to stand under the name of another is not taken for it. */
static void test_swapped_entries(void **state)
{
    (void)state;
    g_autofree char *one = source_with("one.c", 1), *two = source_with("two.c", 2), *folder = tw__cache_folder();
    for (size_t s = 0; s < 3; s++) {
        remove_folder(folder);
        g_free(folder), folder = tw__cache_folder();
        char *paths[2] = { NULL, NULL };
        for (int i = 0; i < 2; i++) {
            assert_int_equal(value_of(i ? two : one, NULL), 1 + i);
            GDir *dir = g_dir_open(folder, 0, NULL);
            for (const char *name; (name = g_dir_read_name(dir));) {
                g_autofree char *path = g_build_filename(folder, name, NULL);
                if (g_str_has_suffix(name, suffixes[s]) && (!i || strcmp(path, paths[0]) != 0))
                    paths[i] = g_strdup(path);
            }
            g_dir_close(dir);
        }
        g_autofree char *third = g_strconcat(paths[0], ".third", NULL);
        assert_true(g_rename(paths[0], third) == 0 && g_rename(paths[1], paths[0]) == 0 &&
                    g_rename(third, paths[1]) == 0);
        assert_int_equal(value_of(one, NULL), 1);
        assert_int_equal(value_of(two, NULL), 2);
        g_free(paths[0]), g_free(paths[1]);
    }
}

/* Processes that begin at once, on two sources, with nothing in the cache: both get theirs, every entry is whole. */
static void test_many_rounds(void **state)
{
    (void)state;
    enum { ROUNDS = 2, PROCESSES = 6 };
    g_autofree char *one = source_with("r1.c", 0), *two = source_with("r2.c", 0);
    for (int round = 1; round <= ROUNDS; round++) {
        g_free(source_with("r1.c", 100 + round)), g_free(source_with("r2.c", 200 + round));
        pid_t children[PROCESSES];
        for (int i = 0; i < PROCESSES; i++) {
            children[i] = fork();
            if (children[i] == 0) _exit(value_of(i % 2 ? two : one, NULL) == (i % 2 ? 200 : 100) + round ? 0 : 1);
        }
        for (int i = 0; i < PROCESSES; i++) {
            int status = -1;
            waitpid(children[i], &status, 0);
            assert_int_equal(status, 0);
        }
        for (size_t s = 0; s < 4; s++) assert_true(for_entries(suffixes[s], assert_whole) > 0);
    }
    assert_int_equal(files_in_cache(".new"), 0);
}

/* Temporary files of processes that were stopped go; those of a compiler at work stay. */
static void test_stale_temporaries(void **state)
{
    (void)state;
    g_autofree char *folder = tw__cache_folder(), *old = g_build_filename(folder, "tmp-old123.o", NULL),
                    *young = g_build_filename(folder, "tmp-young1.o", NULL), *source = source_with("s.c", 3);
    g_file_set_contents(old, "x", 1, NULL), g_file_set_contents(young, "x", 1, NULL);
    struct timespec times[2] = { { time(NULL) - 7200, 0 }, { time(NULL) - 7200, 0 } };
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
    compile_apart(source);
    assert_true(g_access(old, F_OK) != 0 && g_access(young, F_OK) == 0);
    g_unlink(young);
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
    if (argc > 2 && strcmp(argv[1], "compile") == 0) return value_of(argv[2], NULL) == 3 ? 0 : 1;
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_keys),
                                        cmocka_unit_test(test_our_headers),
                                        cmocka_unit_test(test_processes),
                                        cmocka_unit_test(test_precompiled_header),
                                        cmocka_unit_test(test_missing_files),
                                        cmocka_unit_test(test_damaged_entries),
                                        cmocka_unit_test(test_many_rounds),
                                        cmocka_unit_test(test_stale_temporaries),
                                        cmocka_unit_test(test_swapped_entries),
                                        cmocka_unit_test(test_no_compiler) };
    return cmocka_run_group_tests_name("codelet_cache", tests, set_up_cache, tear_down_cache);
}
