/* SPDX-License-Identifier: MIT */
// needs: base
/* .npy files from anywhere: refused with a reason, or an array whose shape, count and bytes agree and which reads
 * back the same after it was written. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tilewright/npy.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory and its name. */
static int file_of(const uint8_t *data, size_t size, char name[40])
{
    int fd = memfd_create("npy", MFD_CLOEXEC);
    check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(name, 40, "/proc/self/fd/%d", fd);
    return fd;
}

static void check_array(const tw_npy *a)
{
    size_t count = 1;
    check(a->rank <= TW_NPY_RANK && a->item > 0 && a->data && strlen(a->descr) < sizeof a->descr);
    for (unsigned d = 0; d < a->rank; d++) count *= a->shape[d];
    check(count == a->count);
    unsigned sum = 0;
    for (size_t i = 0; i < a->count * a->item; i++) sum += ((const uint8_t *)a->data)[i];
    check(sum <= a->count * a->item * 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[40], copy[40];
    if (size > 1 << 16) return 0;
    int in = file_of(data, size, name), out;
    tw_npy *a = tw_npy_read(name);
    if (a) {
        check_array(a);
        out = file_of(NULL, 0, copy);
        check(tw_npy_write(copy, a) == TW_OK);
        tw_npy *b = tw_npy_read(copy);
        check(b != NULL);
        check_array(b);
        check(b->rank == a->rank && b->count == a->count && b->item == a->item && strcmp(b->descr, a->descr) == 0 &&
              memcmp(b->shape, a->shape, a->rank * sizeof *a->shape) == 0 &&
              memcmp(b->data, a->data, a->count * a->item) == 0);
        tw_npy_free(a), tw_npy_free(b);
        close(out);
    } else {
        check(*tw_error_message());
    }
    close(in);
    return 0;
}
