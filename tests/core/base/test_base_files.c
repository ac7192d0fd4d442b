/* SPDX-License-Identifier: MIT */
/* Files read and written: limits, what stands at an output's place, failures that leave things as they were. */
#include "core/base/base.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/tw-files-XXXXXX", path[3][64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return 1;
    for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%c", folder, 'a' + i);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) unlink(path[i]);
    return rmdir(folder); /* fails when a temporary file stayed behind */
}

static void check_text(const char *name, const char *wanted)
{
    char *text;
    size_t size;
    assert_int_equal(tw_status_of(text = tw_read_file(name, 100, &size)), TW_OK);
    assert_int_equal(size, strlen(wanted));
    assert_string_equal(text, wanted);
    free(text);
}

static void base_files_read(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    assert_int_equal(tw_write_file(path[0], "12345", 5, NULL, 0), TW_OK);
    assert_int_equal(tw_status_of(text = tw_read_file(path[0], 5, &size)), TW_OK);
    assert_string_equal(text, "12345");
    free(text);
    assert_int_equal(tw_status_of(text = tw_read_file(path[0], 4, &size)), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "larger than"));
    assert_int_equal(tw_status_of(text = tw_read_file("/dev/zero", 1 << 20, &size)), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "/dev/zero is larger than the 1 MiB"));
    assert_int_equal(tw_status_of(text = tw_read_file(folder, 5, &size)), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "is a folder"));
    assert_int_equal(tw_status_of(text = tw_read_file(path[1], 5, &size)), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "No such file"));
    /* Larger than one piece. */
    size_t many = 200001;
    char *large = malloc(many);
    memset(large, 'x', many);
    assert_int_equal(tw_write_file(path[0], large, many, NULL, 0), TW_OK);
    assert_int_equal(tw_status_of(text = tw_read_file(path[0], many, &size)), TW_OK);
    assert_int_equal(size, many);
    assert_memory_equal(text, large, many);
    assert_int_equal(text[many], 0);
    free(text);
    tw__fail_allocation(1);
    tw_status status = tw_status_of(text = tw_read_file(path[0], many, &size));
    tw__fail_allocation(0);
    assert_int_equal(status, TW_E_NO_MEMORY);
    free(large);
}

/* Sizes around the growth of the buffer, from a pipe, whose size nobody knows. */
static void base_files_pipe(void **state)
{
    (void)state;
    static char data[20000];
    memset(data, 'p', sizeof data);
    int saved = dup(0);
    for (size_t size = 4090; size <= 16390; size += size % 4096 == 6 ? 4084 : 1) {
        int ends[2];
        char *text;
        size_t got;
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], data, size), (ssize_t)size);
        close(ends[1]);
        dup2(ends[0], 0), close(ends[0]);
        clearerr(stdin);
        assert_int_equal(tw_status_of(text = tw_read_file("-", size, &got)), TW_OK);
        assert_int_equal(got, size);
        assert_memory_equal(text, data, size);
        assert_int_equal(text[size], 0);
        free(text);
    }
    dup2(saved, 0), close(saved);
}

/* A disk that takes 100 bytes: what was there stays, and nothing else does (remove_folder). */
/* A name that a text gives: files only, and no waiting for the writer of a FIFO. */
static void base_files_regular(void **state)
{
    (void)state;
    const struct {
        const char *name, *phrase;
    } rows[] = {
        { path[0], " is no regular file but a FIFO" },       { "/dev/zero", " is no regular file but a device" },
        { "/dev/null", " is no regular file but a device" }, { folder, " is a folder" },
        { path[1], ": No such file or directory" },          { "-", ": No such file or directory" }
    };
    char *text;
    size_t size;
    unlink(path[0]), unlink(path[1]);
    assert_int_equal(mkfifo(path[0], 0600), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tw__read_regular_file(rows[i].name, 100, &text, &size), TW_E_FILE_LOAD);
        assert_non_null(strstr(tw_error_message(), rows[i].name));
        assert_non_null(strstr(tw_error_message(), rows[i].phrase));
    }
    unlink(path[0]);
    assert_int_equal(tw_write_file(path[1], "ab", 2, NULL, 0), TW_OK);
    assert_int_equal(tw__read_regular_file(path[1], 2, &text, &size), TW_OK);
    assert_int_equal(size, 2);
    assert_string_equal(text, "ab");
    free(text);
    assert_int_equal(tw__read_regular_file(path[1], 1, &text, &size), TW_E_FILE_LOAD);
    unlink(path[1]);
}

static void base_files_full_disk(void **state)
{
    (void)state;
    struct rlimit before, small;
    char data[10000] = "";
    unlink(path[1]);
    assert_int_equal(tw_write_file(path[0], "old", 3, NULL, 0), TW_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before, small.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    tw_status replaced = tw_write_file(path[0], data, sizeof data, NULL, 0),
              made = tw_write_file(path[1], data, 200, NULL, 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(replaced, TW_E_IO);
    assert_int_equal(made, TW_E_IO);
    assert_non_null(strstr(tw_error_message(), "cannot write "));
    assert_non_null(strstr(tw_error_message(), "File too large"));
    check_text(path[0], "old");
    assert_int_equal(access(path[1], F_OK), -1);
}

static void base_files_no_memory(void **state)
{
    (void)state;
    tw_output *out = (tw_output *)path;
    tw__fail_allocation(1);
    assert_int_equal(tw_status_of(out = tw_output_open(path[0], NULL, 0)), TW_E_NO_MEMORY);
    tw__fail_allocation(0);
    assert_null(out);
    out = (tw_output *)path;
    assert_int_equal(tw_status_of(out = tw_output_open("/no/such/folder/x", NULL, 0)), TW_E_IO);
    assert_null(out);
}

/* A file in a folder that takes no new ones is written in place. */
static void base_files_closed_folder(void **state)
{
    (void)state;
    if (geteuid() == 0) skip(); /* nothing is closed to root */
    assert_int_equal(tw_write_file(path[0], "before", 6, NULL, 0), TW_OK);
    assert_int_equal(chmod(folder, 0500), 0);
    tw_status written = tw_write_file(path[0], "in place", 8, NULL, 0);
    tw_status other = tw_write_file(path[1], "new", 3, NULL, 0);
    chmod(path[0], 0400);
    tw_status closed = tw_write_file(path[0], "never", 5, NULL, 0);
    chmod(folder, 0700);
    chmod(path[0], 0600);
    assert_int_equal(written, TW_OK);
    assert_int_equal(closed, TW_E_IO);
    if (access(path[1], F_OK) != 0) assert_int_equal(other, TW_E_IO);
    check_text(path[0], "in place");
}

static void base_files_write(void **state)
{
    (void)state;
    tw_output *out;
    struct stat st;
    mode_t mask = umask(027);
    unlink(path[0]);
    assert_int_equal(tw_status_of(out = tw_output_open(path[0], NULL, 0)), TW_OK);
    fputs("first", tw_output_file(out));
    assert_int_equal(access(path[0], F_OK), -1); /* appears when it is complete */
    assert_int_equal(tw_output_commit(out), TW_OK);
    assert_int_equal(tw_output_commit(out), TW_E_INVALID_ARGUMENT); /* there is no more of it */
    check_text(path[0], "first");
    tw_output_free(out);
    umask(mask);
    check_text(path[0], "first");
    assert_int_equal(stat(path[0], &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    chmod(path[0], 0604);
    /* Dropped: what was there stays. */
    assert_int_equal(tw_status_of(out = tw_output_open(path[0], NULL, 0)), TW_OK);
    fputs("second", tw_output_file(out));
    tw_output_free(out);
    check_text(path[0], "first");
    /* Replaced, with its permissions. */
    assert_int_equal(tw_write_file(path[0], "third", 5, NULL, 0), TW_OK);
    check_text(path[0], "third");
    assert_int_equal(stat(path[0], &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604);
    assert_int_equal(tw_write_file(path[0], NULL, 0, NULL, 0), TW_OK);
    check_text(path[0], "");
    tw_output_free(NULL);
}

static void base_files_places(void **state)
{
    (void)state;
    struct stat st;
    unlink(path[1]);
    assert_int_equal(tw_write_file(path[0], "old", 3, NULL, 0), TW_OK);
    assert_int_equal(symlink("a", path[1]), 0);
    assert_int_equal(tw_write_file(path[1], "new", 3, NULL, 0), TW_OK);
    assert_int_equal(lstat(path[1], &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    check_text(path[0], "new");
    unlink(path[0]); /* now the link leads nowhere */
    assert_int_equal(tw_write_file(path[1], "made", 4, NULL, 0), TW_OK);
    check_text(path[0], "made");
    unlink(path[1]);
    assert_int_equal(link(path[0], path[1]), 0); /* two names of one file stay that */
    assert_int_equal(tw_write_file(path[1], "both", 4, NULL, 0), TW_OK);
    check_text(path[0], "both");
    /* An open file by its descriptor, and one that has no name any more. */
    int fd = open(path[0], O_RDWR);
    char name[40], read_back[8] = "";
    struct stat before, after;
    assert_int_equal(fstat(fd, &before), 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    assert_int_equal(tw_write_file(name, "by fd", 5, NULL, 0), TW_OK);
    assert_int_equal(stat(path[0], &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    unlink(path[0]), unlink(path[1]);
    assert_int_equal(tw_write_file(name, "gone", 4, NULL, 0), TW_OK);
    assert_int_equal(pread(fd, read_back, sizeof read_back - 1, 0), 4);
    assert_string_equal(read_back, "gone");
    close(fd);
    assert_int_equal(tw_write_file(folder, "x", 1, NULL, 0), TW_E_IO);
    assert_non_null(strstr(tw_error_message(), "it is a folder"));
    assert_int_equal(tw_write_file("/no/such/folder/x", "x", 1, NULL, 0), TW_E_IO);
    assert_int_equal(mkfifo(path[1], 0600), 0); /* not a device: a mistake here must not destroy one */
    int reader = open(path[1], O_RDONLY | O_NONBLOCK);
    assert_int_equal(tw_write_file(path[1], "through", 7, NULL, 0), TW_OK);
    assert_int_equal(read(reader, read_back, sizeof read_back - 1), 7);
    assert_string_equal(read_back, "through");
    close(reader);
    assert_int_equal(lstat(path[1], &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    unlink(path[1]);
}

static void base_files_inputs(void **state)
{
    (void)state;
    unlink(path[1]);
    assert_int_equal(tw_write_file(path[0], "input", 5, NULL, 0), TW_OK);
    assert_int_equal(tw_write_file(path[1], "other", 5, NULL, 0), TW_OK);
    const char *inputs[] = { NULL, path[1], path[0], "/no/such/file" };
    assert_int_equal(tw_write_file(path[0], "x", 1, inputs, 4), TW_E_INVALID_ARGUMENT);
    assert_non_null(strstr(tw_error_message(), "is also an input"));
    check_text(path[0], "input");
    const char *first[] = { path[0] };
    assert_int_equal(tw_write_file(path[0], "x", 1, first, 1), TW_E_INVALID_ARGUMENT);
    const char *none[] = { "/no/such/file", path[0] };
    assert_int_equal(tw_write_file(path[0], "x", 1, none, 1), TW_OK);   /* what is not there is no input */
    assert_int_equal(tw_write_file(path[0], "x", 1, inputs, 2), TW_OK); /* not among the first two */
    check_text(path[0], "x");
    assert_int_equal(symlink("a", path[2]), 0);
    assert_int_equal(tw_write_file(path[2], "y", 1, inputs, 4), TW_E_INVALID_ARGUMENT); /* by another name */
    unlink(path[1]);
    assert_int_equal(mkfifo(path[1], 0600), 0);
    int both = open(path[1], O_RDWR);
    assert_int_equal(tw_write_file(path[1], "y", 1, inputs, 4), TW_OK); /* a FIFO may be both */
    close(both);
}

/* What a tool has read, it does not overwrite, under whatever name; before and afterwards nothing is noted. */
static void base_files_protected(void **state)
{
    (void)state;
    char *text;
    for (int i = 0; i < 3; i++) unlink(path[i]); /* a FIFO and a link of the tests before */
    assert_int_equal(tw_write_file(path[0], "before", 6, NULL, 0), TW_OK);
    assert_int_equal(tw_write_file(path[1], "other", 5, NULL, 0), TW_OK);
    check_text(path[1], "other"); /* not on yet */
    tw_protect_inputs(true);
    assert_int_equal(tw_output_check(path[0], NULL, 0), TW_OK);
    assert_int_equal(tw_output_check("not-there-yet", NULL, 0), TW_OK);
    assert_int_equal(tw_output_check("/dev/null", NULL, 0), TW_OK);
    static const char *const places[] = { "/", "no/such/folder", "/dev/null/x" };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tw_output_check(places[i], NULL, 0), TW_E_IO);
        assert_non_null(strstr(tw_error_message(), "cannot write"));
    }
    for (int i = 0; i < 40; i++) check_text(path[0], "before");
    assert_int_equal(tw_status_of(text = tw_read_file("/dev/null", 5, NULL)), TW_OK);
    free(text);
    assert_int_equal(link(path[0], path[2]), 0);
    for (int i = 0; i < 3; i += 2) {
        assert_int_equal(tw_output_check(path[i], NULL, 0), TW_E_INVALID_ARGUMENT);
        assert_non_null(strstr(tw_error_message(), "is also an input"));
        assert_int_equal(tw_write_file(path[i], "new", 3, NULL, 0), TW_E_INVALID_ARGUMENT);
    }
    check_text(path[0], "before");
    assert_int_equal(tw_write_file(path[1], "new", 3, NULL, 0), TW_OK); /* read before, or never */
    assert_int_equal(tw_write_file("/dev/null", "new", 3, NULL, 0), TW_OK);
    tw_protect_inputs(false);
    assert_int_equal(tw_write_file(path[0], "after", 5, NULL, 0), TW_OK);
    check_text(path[2], "after"); /* a second name stays one */
    unlink(path[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_files_read),      cmocka_unit_test(base_files_pipe),
        cmocka_unit_test(base_files_regular),   cmocka_unit_test(base_files_full_disk),
        cmocka_unit_test(base_files_no_memory), cmocka_unit_test(base_files_closed_folder),
        cmocka_unit_test(base_files_write),     cmocka_unit_test(base_files_places),
        cmocka_unit_test(base_files_inputs),    cmocka_unit_test(base_files_protected),
    };
    return cmocka_run_group_tests_name("base_files", tests, make_folder, remove_folder);
}
