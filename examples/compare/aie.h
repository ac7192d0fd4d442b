// SPDX-License-Identifier: MIT
/* What the AI Engine's programs of this folder share: arrays of .npy files as texts for PLIO of 64 bits, and back. */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tilewright/npy.h>

inline tw_npy *read_array(const char *path)
{
    tw_npy *array = tw_npy_read(path);
    if (!array) std::fprintf(stderr, "%s\n", tw_error_message()), std::exit(1);
    return array;
}

/* Part i of `parts` of an array as NAME_i.txt, `beat` numbers a line. */
inline void write_parts(const std::string &folder, const std::string &name, const tw_npy *array, size_t parts,
                        size_t beat = 2)
{
    const float *x = static_cast<const float *>(array->data);
    size_t each = array->count / parts;
    for (size_t part = 0; part < parts; part++) {
        std::ofstream file(folder + "/" + name + "_" + std::to_string(part) + ".txt");
        file.precision(9);
        for (size_t i = 0; i < each; i++) file << x[part * each + i] << ((i + 1) % beat ? ' ' : '\n');
    }
}

/* NAME_0.txt, NAME_1.txt ... one behind the other, without the first numbers, as an array of `count`; NULL. */
inline tw_npy *read_parts(const std::string &folder, const std::string &name, size_t parts, size_t count,
                          size_t skipped)
{
    static tw_npy array;
    float *x = new float[count]();
    size_t at = 0;
    for (size_t part = 0; part < parts; part++) {
        std::ifstream file(folder + "/" + name + "_" + std::to_string(part) + ".txt");
        for (std::string word; file >> word;) {
            if (word == "T") {
                file >> word >> word; /* a time */
            } else if (word != "TLAST" && skipped) {
                skipped--;
            } else if (word != "TLAST" && at < count) {
                x[at++] = std::strtof(word.c_str(), nullptr);
            }
        }
    }
    std::snprintf(array.descr, sizeof array.descr, "<f4");
    array.rank = 1, array.shape[0] = array.count = count, array.item = sizeof(float), array.data = x;
    if (at == count) return &array;
    std::fprintf(stderr, "%zu of %zu numbers came out\n", at, count);
    delete[] x;
    return nullptr;
}

/* As a file; the array goes. Not 0 when it cannot be written. */
inline int write_array(const char *path, tw_npy *array)
{
    int failed = tw_npy_write(path, array) != TW_OK;
    if (failed) std::fprintf(stderr, "%s\n", tw_error_message());
    delete[] static_cast<float *>(array->data);
    return failed;
}

inline bool join_parts(const std::string &folder, const std::string &name, size_t parts, size_t count,
                       size_t skipped, const char *path)
{
    tw_npy *array = read_parts(folder, name, parts, count, skipped);
    return array && !write_array(path, array);
}

/* A matrix by rows becomes panels of so many columns, one behind the other, each by rows; or these a matrix again. */
inline void exchange_panels(float *x, size_t rows, size_t columns, size_t wide, bool back)
{
    float *from = new float[rows * columns];
    for (size_t i = 0; i < rows * columns; i++) from[i] = x[i];
    for (size_t i = 0; i < rows * columns; i++) {
        size_t row = i / columns, column = i % columns;
        size_t at = column / wide * rows * wide + row * wide + column % wide;
        x[back ? i : at] = from[back ? at : i];
    }
    delete[] from;
}
