/* SPDX-License-Identifier: MIT */
/* What the tests of chip code in graphs share: codelet files in a folder of their own, devices, short graphs. */
#ifndef TESTS_TILES_HELPER_H
#define TESTS_TILES_HELPER_H

#include "../engine_test.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>

static char test_folder[] = "/tmp/tw_tiles_XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return g_mkdtemp(test_folder) ? 0 : -1;
}

static inline int drop_folder(void **state)
{
    (void)state;
    GDir *dir = g_dir_open(test_folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(test_folder, name, NULL);
        g_unlink(path);
    }
    if (dir) g_dir_close(dir);
    return g_rmdir(test_folder);
}

/* Adds a codelet file with this text to the graph. */
static inline void add_file(tw_graph *g, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(test_folder, name, NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    tw_graph_add_codelets(g, path, NULL);
    if (tw_graph_status(g) != TW_OK) fail_msg("%s", tw_graph_error(g)->message);
}

static inline tw_device *tile_device(bool simulator, tw_chip chip)
{
    tw_ipu_model model = { .size = sizeof model, .chip = chip, .tiles_per_ipu = 4 };
    tw_device *device = simulator ? tw_device_ipu_sim_with(&model) : tw_device_ipu_model_with(&model);
    assert_non_null(device);
    return device;
}

/* Text of a worker vertex in assembly, whatever the chip. */
#define WORKER(name, stack, body)                                                                             \
    "#include \"poplar/StackSizeDefs.hpp\"\n#include \"poplar/TileConstants.hpp\"\n.globl __runCodelet_" name \
    "\n.type __runCodelet_" name ", @function\n.section .text.__runCodelet_" name "\n.align 8\n" stack        \
    "__runCodelet_" name ":\n" body "\n.size __runCodelet_" name ", . - __runCodelet_" name "\n"
#define STACK(name, bytes) "DEF_STACK_USAGE " bytes " __runCodelet_" name "\n"

#endif
