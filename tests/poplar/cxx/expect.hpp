// SPDX-License-Identifier: MIT
/* Checks of the C++ tests: what fails is printed with its line, and counted. */
#ifndef TW_TESTS_POPLAR_CXX_EXPECT_HPP
#define TW_TESTS_POPLAR_CXX_EXPECT_HPP

#include <cstdio>

static int failures;

#define EXPECT(...)                                                               \
    do {                                                                          \
        if (!(__VA_ARGS__)) {                                                     \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
            failures++;                                                           \
        }                                                                         \
    } while (0)

#define EXPECT_THROWS(kind, ...)                                                                                   \
    do {                                                                                                           \
        bool thrown_ = false;                                                                                      \
        try {                                                                                                      \
            (void)(__VA_ARGS__);                                                                                   \
        } catch (const kind &) {                                                                                   \
            thrown_ = true;                                                                                        \
        } catch (const std::exception &other_) {                                                                   \
            std::printf("%s:%d: %s throws something else: %s\n", __FILE__, __LINE__, #__VA_ARGS__, other_.what()); \
        }                                                                                                          \
        if (!thrown_) {                                                                                            \
            std::printf("%s:%d: no %s: %s\n", __FILE__, __LINE__, #kind, #__VA_ARGS__);                            \
            failures++;                                                                                            \
        }                                                                                                          \
    } while (0)

#endif
