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

/* Part i of `parts` of an array as NAME_i.txt, two numbers a line. */
inline void write_parts(const std::string &folder, const std::string &name, const tw_npy *array, size_t parts)
{
    const float *x = static_cast<const float *>(array->data);
    size_t each = array->count / parts;
    for (size_t part = 0; part < parts; part++) {
        std::ofstream file(folder + "/" + name + "_" + std::to_string(part) + ".txt");
        file.precision(9);
        for (size_t i = 0; i < each; i++) file << x[part * each + i] << (i % 2 ? '\n' : ' ');
    }
}

/* NAME_0.txt, NAME_1.txt ... one behind the other, without the first numbers, as an array of `count`. */
inline bool join_parts(const std::string &folder, const std::string &name, size_t parts, size_t count,
                       size_t skipped, const char *path)
{
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
    tw_npy array = {};
    std::snprintf(array.descr, sizeof array.descr, "<f4");
    array.rank = 1, array.shape[0] = array.count = count, array.item = sizeof(float), array.data = x;
    bool good = at == count && tw_npy_write(path, &array) == TW_OK;
    if (!good) std::fprintf(stderr, "%zu of %zu numbers came out\n", at, count);
    delete[] x;
    return good;
}
