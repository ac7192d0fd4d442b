/* SPDX-License-Identifier: MIT */
// needs: wse
/* Checkpoints of a wafer with whatever was changed in them: refused with a message, or a run that ends. The first
 * byte says which one: how it was saved, and when. Without a change the run is that of the whole. */
#define _GNU_SOURCE /* memfd_create */
#include "../csl/wse/checkpoint_host.h"
#include "checkpoints.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOMENTS = 8, WAYS = 3, EVERY = 90 };

static void check(bool ok)
{
    if (!ok) fprintf(stderr, "%s\n", tw_error_message()), abort();
}

static tw_wse_options options_of(unsigned way)
{
    tw_wse_options o = quiet();
    o.max_cycles = 20000;
    o.profile = o.trace = o.motion = way == 1;
    o.task_order_seed = way == 2 ? 7 : 0;
    o.check = way == 2 ? TW_WSE_STRICT : TW_WSE_REPORT;
    return o;
}

static told whole[WAYS]; /* of runs that went on as if nothing had been saved */

/* The checkpoint, made when it is asked for first. */
static const GByteArray *saved(const tw_csl_program *program, unsigned way, unsigned moment)
{
    static GByteArray *files[WAYS][MOMENTS];
    if (files[way][moment]) return files[way][moment];
    tw_wse_options o = options_of(way);
    char path[64], *bytes;
    gsize size;
    snprintf(path, sizeof path, "/tmp/tilewright-fuzz-%d", (int)getpid());
    tw_wse *w = tw_wse_new(program, &o);
    check(w && tw_wse_save_at(w, 1 + moment * EVERY, path) == TW_OK && play(w, &whole[way], 0) == TW_OK);
    check(g_file_get_contents(path, &bytes, &size, NULL));
    unlink(path);
    tw_wse_free(w);
    return files[way][moment] = g_byte_array_new_take((guint8 *)bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tw_csl_program *program;
    static told t;
    static int file = -1;
    if (!program) program = checkpoint_program(code);
    if (file < 0) file = memfd_create("checkpoint", MFD_CLOEXEC);
    check(program && file >= 0);
    if (size < 1) return 0;
    unsigned way = data[0] % WAYS, moment = data[0] / WAYS % MOMENTS;
    GByteArray *bytes = ck_changed(saved(program, way, moment), data + 1, size - 1);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    check(ftruncate(file, 0) == 0 && pwrite(file, bytes->data, bytes->len, 0) == (ssize_t)bytes->len);
    tw_wse_options o = options_of(way);
    tw_wse *w = tw_wse_resume(program, &o, path);
    check(w || tw_error_status() == TW_E_FILE_LOAD || tw_error_status() == TW_E_NO_MEMORY);
    tw_status status = w ? play(w, &t, 0) : TW_OK;
    if (size == 1) check(w && status == TW_OK && memcmp(&t, &whole[way], sizeof t) == 0);
    if (w) tw_wse_write_trace(w, o.out);
    const tw_profile *profile = w && o.profile ? tw_wse_profile(w) : NULL;
    check(!w || !o.profile || profile || tw_error_status() == TW_E_NO_MEMORY);
    tw_wse_free(w);
    g_byte_array_unref(bytes);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return ck_mutate(data, size, most, seed);
}
