/* SPDX-License-Identifier: MIT */
/* npy: arrays in NumPy's .npy files, formats 1.0 to 3.0, little endian, C order.
 *
 *     tw_npy *a = tw_npy_read("x.npy");
 *     if (!a) puts(tw_error_message());
 *     ...                                           // a->data: a->count elements of a->item bytes
 *     tw_npy_free(a);
 *
 * Threads: calls with different arrays are independent. */
#ifndef TILEWRIGHT_NPY_H
#define TILEWRIGHT_NPY_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TW_NPY_RANK = 8 };

typedef struct tw_npy {
    char descr[16]; /* type as NumPy spells it: "<f4", "|u1" */
    unsigned rank;
    size_t shape[TW_NPY_RANK];
    size_t item;  /* bytes of an element */
    size_t count; /* elements */
    void *data;   /* of one that was read: goes with it */
} tw_npy;

/* TW_E_FILE_LOAD, TW_E_NO_MEMORY: the message names the file. */
TW_API tw_npy *tw_npy_read(const char *path);
/* Writes rank, shape, descr and count * item bytes of data. TW_E_IO: the message names the file. */
TW_API tw_status tw_npy_write(const char *path, const tw_npy *array);
TW_API void tw_npy_free(tw_npy *array); /* of tw_npy_read(); NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
