// SPDX-License-Identifier: MIT
/* Marks for compilers. */
#ifndef GCCS_COMPILER_FEATURES_HPP
#define GCCS_COMPILER_FEATURES_HPP

#define GC_DEPRECATED __attribute__((deprecated))

#endif
