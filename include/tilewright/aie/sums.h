/* SPDX-License-Identifier: MIT */
/* Sums of accumulators and vectors in C++: acc + v, acc - v (UG1078 "Vector Arithmetic").
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_SUMS_H
#define TILEWRIGHT_AIE_SUMS_H

#include <tilewright/aie/detail/core.h>

#ifdef __cplusplus

/* Lane by lane. X(accumulator, vector, component, words) */
// clang-format off
#define TW__ACC_SUMS(X) \
    X(v8acc48, v8int16, int16, 8) X(v16acc48, v16int16, int16, 16) X(v8acc48, v8int32, int32, 8) \
    X(v16acc48, v16int32, int32, 16) X(v4cacc48, v4cint16, int16, 8) X(v8cacc48, v8cint16, int16, 16) \
    X(v4cacc48, v4cint32, int32, 8) X(v8cacc48, v8cint32, int32, 16) X(v8acc80, v8int16, int16, 8) \
    X(v4acc80, v4int32, int32, 4) X(v8acc80, v8int32, int32, 8) X(v4cacc80, v4cint16, int16, 8) \
    X(v2cacc80, v2cint32, int32, 4) X(v4cacc80, v4cint32, int32, 8)
// clang-format on
#define TW__ACC_SUM(acct, vec, component, words)                                                               \
    TW__AIE acct operator+(acct acc, vec v)                                                                    \
    {                                                                                                          \
        component part[words];                                                                                 \
        __builtin_memcpy(part, &v, sizeof part);                                                               \
        TW__COUNT(VECTOR, 1);                                                                                  \
        for (int k = 0; k < words; k++) acc.word[k] = tw__wrapping(acc.word[k], part[k]);                      \
        return acc;                                                                                            \
    }                                                                                                          \
    TW__AIE acct operator-(acct acc, vec v)                                                                    \
    {                                                                                                          \
        component part[words];                                                                                 \
        __builtin_memcpy(part, &v, sizeof part);                                                               \
        TW__COUNT(VECTOR, 1);                                                                                  \
        for (int k = 0; k < words; k++) acc.word[k] = tw__wrapping(acc.word[k], -static_cast<int64>(part[k])); \
        return acc;                                                                                            \
    }
TW__AIE int64 tw__wrapping(int64 a, int64 b)
{
    return static_cast<int64>(static_cast<uint64>(a) + static_cast<uint64>(b));
}
TW__AIE int128 tw__wrapping(int128 a, int64 b)
{
    return static_cast<int128>(static_cast<tw__u128>(a) + static_cast<tw__u128>(static_cast<int128>(b)));
}
TW__ACC_SUMS(TW__ACC_SUM)
#undef TW__ACC_SUM
#endif

#endif
