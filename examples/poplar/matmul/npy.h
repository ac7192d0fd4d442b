/* SPDX-License-Identifier: MIT */
/* Two-dimensional float32 arrays in NumPy's .npy files (format 1.0, little endian, C order). */
#ifndef NPY_H
#define NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    size_t rows, cols;
    float *data; /* row-major; free() it */
} matrix;

static inline matrix npy_new(size_t rows, size_t cols)
{
    return (matrix){ rows, cols, calloc(rows * cols + 1, sizeof(float)) };
}

/* False with a message on stderr. */
static inline bool npy_read(const char *path, matrix *out)
{
    char magic[10], header[512] = "";
    unsigned long rows = 0, cols = 0;
    FILE *in = fopen(path, "rb");
    const char *problem = "is not a .npy file of format 1.0";
    if (!in) return perror(path), false;
    if (fread(magic, 1, 10, in) == 10 && memcmp(magic, "\x93NUMPY\x01\x00", 8) == 0) {
        size_t length = (uint8_t)magic[8] | (size_t)(uint8_t)magic[9] << 8;
        const char *shape =
            length < sizeof header && fread(header, 1, length, in) == length ? strstr(header, "'shape'") : NULL;
        problem = "does not hold a float32 matrix in C order";
        if (shape && strstr(header, "'<f4'") && strstr(header, "'fortran_order': False") &&
            sscanf(shape, "'shape': (%lu, %lu)", &rows, &cols) == 2 && rows < 1u << 20 && cols < 1u << 20) {
            *out = npy_new(rows, cols);
            problem = out->data && fread(out->data, sizeof(float), rows * cols, in) == rows * cols ? NULL
                                                                                                   : "is too short";
        }
    }
    fclose(in);
    if (problem) fprintf(stderr, "%s %s\n", path, problem);
    return !problem;
}

static inline bool npy_write(const char *path, const matrix *m)
{
    char header[128]; /* magic, length, dictionary, blanks up to a multiple of 64, newline */
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int n = snprintf(header + 10, sizeof header - 10,
                     "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }", m->rows, m->cols);
    header[10 + n] = ' ';
    header[sizeof header - 1] = '\n';
    FILE *out = fopen(path, "wb");
    if (!out) return perror(path), false;
    size_t count = m->rows * m->cols;
    bool ok = fwrite(header, sizeof header, 1, out) == 1 && fwrite(m->data, sizeof(float), count, out) == count;
    if (fclose(out) != 0 || !ok) return perror(path), false;
    return true;
}

#endif
