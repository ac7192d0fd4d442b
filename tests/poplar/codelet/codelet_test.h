/* SPDX-License-Identifier: MIT */
/* Shared by the tests of this box: a cache folder of its own, vertex state filled by hand, CHECK with a row
 * number. */
#ifndef CODELET_TEST_H
#define CODELET_TEST_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "poplar/codelet/compile/compile.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char cache_folder[] = "/tmp/tilewright-codelet-XXXXXX";

static int set_up_cache(void **state)
{
    (void)state;
    if (!g_mkdtemp(cache_folder)) return -1;
    return g_setenv("XDG_CACHE_HOME", cache_folder, TRUE) ? 0 : -1;
}

static void remove_folder(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            remove_folder(path);
        else
            g_unlink(path);
    }
    if (dir) g_dir_close(dir);
    g_rmdir(folder);
}

static int tear_down_cache(void **state)
{
    (void)state;
    remove_folder(cache_folder);
    return 0;
}

/* A set with one source; fails the test with the messages when it does not compile. */
__attribute__((unused)) static tw__codelets *load_text(tw__half_variant variant, const char *text, bool is_c)
{
    tw__codelets *set = tw__codelets_new(variant);
    tw_diags *diags = tw_diags_new();
    tw_status status = tw__codelets_add_source(set, text, is_c ? TW__CODELET_C : TW__CODELET_CPP,
                                               is_c ? "test.c" : "test.cpp", NULL, diags);
    if (status != TW_OK) tw_diags_print(diags, stderr, false);
    if (status != TW_OK) fail_msg("%s", tw_error_message());
    tw_diags_free(diags);
    return set;
}

/* Zeroed state of a vertex; free() it. */
__attribute__((unused)) static char *new_state(const tw__vertex_type *vt)
{
    char *state = aligned_alloc(64, (vt->host_size + 63) / 64 * 64 + 64);
    memset(state, 0, vt->host_size);
    return state;
}

/* Writes a field after checking its name and size against what the test thinks the ABI is. */
__attribute__((unused)) static void put(const tw__vertex_type *vt, char *state, const char *field,
                                        const void *value, size_t size)
{
    const tw__field *f = tw__vertex_field(vt, field);
    if (!f) fail_msg("vertex %s has no field %s", vt->name, field);
    assert_int_equal(f->host_size, size);
    memcpy(state + f->host_offset, value, size);
}
#define PUT(vt, state, field, type, ...) put(vt, state, field, &(type){ __VA_ARGS__ }, sizeof(type))

__attribute__((unused)) static const tw__vertex_type *find(const tw__codelets *set, const char *name)
{
    const tw__vertex_type *vt = tw__codelets_find(set, name);
    if (!vt) fail_msg("no vertex %s", name);
    return vt;
}

__attribute__((unused)) static int run(tw__codelets *set, const tw__vertex_type *vt, char *state)
{
    tw__entry entry = tw__codelets_entry(set, vt);
    if (!entry) fail_msg("%s", tw_error_message());
    return entry(state, 0, 1);
}

#endif
