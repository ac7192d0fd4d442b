/* SPDX-License-Identifier: MIT */
// needs: colossus
/* Checkpoints of a simulated tile with whatever was changed in them: refused with a message, or a tile that runs, and
 * whose own checkpoint is one of the same state. The first byte says when it was saved. */
#include "checkpoints.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/colossus/sim.h>

enum { MOMENTS = 16, EVERY = 37, TURNS = 500 };

/* A supervisor that starts workers, which loop, by a branch and by rpt, with floats and memory. */
static const char text[] = ".globl main\n"
                           "main: setzi $m0, 1000\n sub $m1, $mzero, 1\n setzi $m2, worker\n"
                           " .rept 20\n add $m3, $m3, 1\n .endr\n"
                           "again: add $m0, $m0, -1\n brnz $m0, again\n bri main\n"
                           "worker: setzi $m0, 60\n"
                           "loop: setzi $m1, 5\n"
                           " add $m2, $m2, 3\n add $m0, $m0, -1\n brnz $m0, loop\n exitz $mzero\n";

static void check(bool ok)
{
    if (!ok) abort();
}

static tw_object *program(void)
{
    tw_asm_options options = { .size = sizeof options, .arch = TW_ISA_IPU2 };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_text(text, strlen(text), "fuzz.S", &options, diags);
    if (!object) tw_diags_print(diags, stderr, false);
    tw_diags_free(diags);
    check(object != NULL);
    tw_object *image = tw_link((const tw_object *const[]){ object }, 1, NULL, NULL);
    tw_object_free(object);
    check(image != NULL);
    return image;
}

static tw_sim *tile_of(const tw_object *image)
{
    tw_sim_options options = { .size = sizeof options, .arch = TW_ISA_IPU2 };
    tw_sim *sim = tw_sim_new(&options);
    check(sim && tw_sim_load(sim, image) == TW_OK);
    return sim;
}

static GByteArray *file_of(const char *path)
{
    char *bytes;
    gsize size;
    check(g_file_get_contents(path, &bytes, &size, NULL));
    return g_byte_array_new_take((guint8 *)bytes, size);
}

static const GByteArray *saved(const tw_object *image, unsigned moment, const char *path)
{
    static GByteArray *files[MOMENTS];
    if (files[moment]) return files[moment];
    tw_sim *sim = tile_of(image);
    uint32_t base = tw_sim_memory_base(TW_ISA_IPU2);
    tw_sim_launch launch = { .entry = tw_object_entry(image),
                             .vertex_base = base + 0x20000,
                             .worker_base = base + 0x21000 };
    if (moment & 1)
        tw_sim_start(sim, TW_SIM_SUPERVISOR, &launch);
    else
        tw_sim_start_all(sim, &launch, 64, 0x100);
    tw_sim_run(sim, 1 + moment * EVERY);
    check(tw_sim_save(sim, path) == TW_OK);
    tw_sim_free(sim);
    return files[moment] = file_of(path);
}

/* What the reader let in is a state, which the writer says in one way. */
static void save_again(tw_sim *sim, const tw_object *image, const char *path)
{
    if (tw_sim_save(sim, path) != TW_OK) {
        check(tw_error_status() == TW_E_NOT_SUPPORTED);
        return;
    }
    GByteArray *first = file_of(path);
    tw_sim *other = tile_of(image);
    check(tw_sim_resume(other, path) == TW_OK && tw_sim_save(other, path) == TW_OK);
    GByteArray *second = file_of(path);
    check(first->len == second->len && memcmp(first->data, second->data, first->len) == 0);
    g_byte_array_unref(first), g_byte_array_unref(second);
    tw_sim_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tw_object *image;
    static char path[64];
    if (!image) image = program(), snprintf(path, sizeof path, "/tmp/tilewright-fuzz-%d", (int)getpid());
    if (size < 1) return 0;
    GByteArray *bytes = ck_changed(saved(image, data[0] % MOMENTS, path), data + 1, size - 1);
    FILE *out = fopen(path, "wb");
    check(out && fwrite(bytes->data, 1, bytes->len, out) == bytes->len && fclose(out) == 0);
    tw_sim *sim = tile_of(image);
    tw_status status = tw_sim_resume(sim, path);
    check(status == TW_OK ? true : status == TW_E_FILE_LOAD && size > 1);
    if (status == TW_OK) {
        save_again(sim, image, path);
        for (unsigned i = 0; i < 4; i++)
            if (tw_sim_run(sim, TURNS) == TW_SIM_FAULT) (void)strlen(tw_sim_get_exception(sim)->message);
    }
    tw_sim_free(sim);
    unlink(path);
    g_byte_array_unref(bytes);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return ck_mutate(data, size, most, seed);
}
