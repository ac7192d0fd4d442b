/* npy: arrays in NumPy's .npy files, formats 1.0 to 3.0, little endian, C order. */
#ifndef TW_BASE_NPY_H
#define TW_BASE_NPY_H

#include "core/base/base.h"

enum { TW__NPY_RANK = 8 };

typedef struct tw__npy {
    char descr[16]; /* "<f4", "|u1", ... */
    unsigned rank;
    size_t shape[TW__NPY_RANK];
    size_t item;  /* bytes of an element */
    size_t count; /* elements */
    void *data;   /* malloc'ed; tw__npy_free() */
} tw__npy;

/* TW_E_FILE_LOAD, TW_E_NO_MEMORY: the message names the file. */
tw_status tw__npy_read(const char *path, tw__npy *out);
tw_status tw__npy_write(const char *path, const tw__npy *array);
void tw__npy_free(tw__npy *array);

#endif
