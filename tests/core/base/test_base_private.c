/* SPDX-License-Identifier: MIT */
/* Folders of what is run: who else could write there is refused, on every step of the way. */
#define _GNU_SOURCE
#include "core/base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/tilewright-private-XXXXXX"; /* /tmp is everybody's, but only owners rename in it */

static const char *at(const char *name)
{
    static char path[4][300];
    static unsigned next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", root, name);
    return out;
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void refused(const char *name, const char *why)
{
    if (tw_private_folder(at(name)) != TW_E_IO) fail_msg("%s is taken", name);
    if (!strstr(tw_error_message(), why) || !strstr(tw_error_message(), "XDG_CACHE_HOME names another place"))
        fail_msg("%s: %s", name, tw_error_message());
}

static void folder(const char *name, mode_t mode)
{
    assert_int_equal(mkdir(at(name), 0700), 0);
    assert_int_equal(chmod(at(name), mode), 0);
}

static void base_private_made(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(tw_private_folder(at("a/b/c")), TW_OK);
    assert_int_equal(stat(at("a/b/c"), &info), 0);
    assert_int_equal(info.st_mode & 077, 0);
    assert_int_equal(tw_private_folder(at("a/b/c")), TW_OK); /* again */
    assert_int_equal(tw_private_folder(at("a/../a/./b//c/")), TW_OK);
    folder("readable", 0755);
    assert_int_equal(tw_private_folder(at("readable")), TW_OK); /* others may read */
}

static void base_private_written_by_others(void **state)
{
    (void)state;
    folder("world", 0777), folder("sticky", 01777), folder("group", 0770), folder("open", 0777);
    refused("world", "it can be written by other users");
    refused("sticky", "it can be written by other users");
    refused("group", "it can be written by other users");
    refused("open/inside", "/open' can be written by other users"); /* they could put another one in its place */
    assert_int_equal(tw_private_folder(at("sticky/inside")), TW_OK);
}

static void base_private_links(void **state)
{
    (void)state;
    folder("real", 0700), folder("loose", 0777), folder("loose/real", 0700);
    assert_int_equal(symlink("real", at("link")), 0);
    assert_int_equal(symlink(at("loose/real"), at("to_loose")), 0);
    assert_int_equal(symlink(at("link"), at("loose/link")), 0);
    assert_int_equal(symlink("loose/link", at("through")), 0);
    assert_int_equal(symlink("circle", at("circle")), 0);
    assert_int_equal(tw_private_folder(at("link")), TW_OK); /* of this user, to a folder of this user */
    assert_int_equal(tw_private_folder(at("link/below")), TW_OK);
    refused("to_loose", "/loose' can be written by other users");
    refused("through", "/loose' can be written by other users"); /* a link on the way that others can replace */
    assert_int_equal(tw_private_folder(at("circle")), TW_E_IO);
}

static void base_private_owned_by_others(void **state)
{
    (void)state;
    enum { OTHER = 12345 };
    if (geteuid() != 0) skip(); /* only root gives folders away */
    folder("theirs", 0755), folder("theirs/mine", 0700), folder("mine", 0700), folder("planted", 0700);
    assert_int_equal(symlink("mine", at("their_link")), 0);
    assert_int_equal(chown(at("theirs"), OTHER, OTHER), 0);
    assert_int_equal(lchown(at("their_link"), OTHER, OTHER), 0);
    refused("theirs", "it belongs to user 12345");
    refused("theirs/mine", "/theirs' belongs to user 12345");
    refused("their_link", "it belongs to user 12345");
}

static void base_private_no_folder(void **state)
{
    (void)state;
    fclose(fopen(at("file"), "w"));
    assert_int_equal(tw_private_folder(at("file")), TW_E_IO);
    assert_int_equal(tw_private_folder(at("file/below")), TW_E_IO);
    assert_int_equal(tw_private_folder("/proc/nowhere"), TW_E_IO);
}

/* What uses it: the cache of codelets and of programs. */
static void base_private_cache(void **state)
{
    (void)state;
    setenv("XDG_CACHE_HOME", at("xdg"), 1);
    assert_non_null(tw__cache_dir());
    assert_int_equal(chmod(at("xdg/tilewright"), 0777), 0);
    assert_null(tw__cache_dir());
    assert_non_null(strstr(tw_error_message(), "can be written by other users"));
    unsetenv("XDG_CACHE_HOME"), unsetenv("HOME"); /* a folder for each user */
    char own[100];
    snprintf(own, sizeof own, "/tilewright-%lu", (unsigned long)geteuid());
    assert_non_null(strstr(tw__cache_dir(), own));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_private_made),      cmocka_unit_test(base_private_written_by_others),
        cmocka_unit_test(base_private_links),     cmocka_unit_test(base_private_owned_by_others),
        cmocka_unit_test(base_private_no_folder), cmocka_unit_test(base_private_cache),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
