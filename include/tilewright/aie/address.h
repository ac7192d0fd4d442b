/* SPDX-License-Identifier: MIT */
/* Loads and stores of 256 bits that step through a circular buffer, and the software functions (2.7).
 *
 *     v16int16 v = cyclic_add_unaligned_load(p, offs, start, len);    what lies at p; then p moves by offs
 *     cyclic_add_unaligned_store(p, offs, start, len, v);
 *
 * p is a variable, a pointer to the vector; offs and len count 16 bytes. The access itself does not wrap.
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_ADDRESS_H
#define TILEWRIGHT_AIE_ADDRESS_H

#include <tilewright/aie/scalar.h>

/* Where p stands after the step. */
TW__AIE void *tw__cyclic_bytes(const void *p, int offs, const void *start, int len)
{
    const int64_t at = (const char *)p - (const char *)start;
    TW__CHECK(((uintptr_t)p & 15) == 0 && ((uintptr_t)start & 15) == 0, "cyclic_add_unaligned",
              "address %p is not a multiple of 16; the hardware drops the low 4 bits", p);
    return (char *)(uintptr_t)start + 16 * tw__cyclic(at >> 4, offs, len);
}

/* Where an access through p really goes: the hardware drops the low 4 bits. */
TW__AIE void *tw__in_16s(const void *p)
{
    return (void *)((uintptr_t)p & ~(uintptr_t)15);
}

/* The software functions of the vendor's library; here those of the host. */
TW__AIE float _expf(float x)
{
    return expf(x);
}
TW__AIE float _logf(float x)
{
    return logf(x);
}

#ifdef __cplusplus
template <class TwT> struct tw__plain {
    typedef TwT type;
};
template <class TwT> struct tw__plain<const TwT> {
    typedef TwT type;
};
template <class TwT>
TW__AIE typename tw__plain<TwT>::type
cyclic_add_unaligned_load(TwT *&p, int offs, typename tw__same<TwT>::type *const &start, int len TW__AT)
{
    TW__HERE;
    static_assert(sizeof(TwT) == 32, "cyclic_add_unaligned_load reads vectors of 256 bits");
    typename tw__plain<TwT>::type v; /* no load through a T *, which has lost the alignment of 16 bytes */
    __builtin_memcpy(&v, tw__in_16s(p), sizeof v);
    TW__COUNT(LOAD, 1);
    p = static_cast<TwT *>(tw__cyclic_bytes(p, offs, start, len));
    return v;
}
template <class TwT, class TwV>
TW__AIE void cyclic_add_unaligned_store(TwT *&p, int offs, typename tw__same<TwT>::type *const &start, int len,
                                        TwV v TW__AT)
{
    TW__HERE;
    static_assert(sizeof(TwT) == 32 && sizeof(TwV) == 32, "cyclic_add_unaligned_store writes vectors of 256 bits");
    __builtin_memcpy(tw__in_16s(p), &v, sizeof v);
    TW__COUNT(STORE, 1);
    p = static_cast<TwT *>(tw__cyclic_bytes(p, offs, start, len));
}
#else
#define cyclic_add_unaligned_load(p, offs, start, len)                                            \
    TW__CALLED(__extension__({                                                                    \
        _Static_assert(sizeof *(p) == 32, "cyclic_add_unaligned_load reads vectors of 256 bits"); \
        __typeof__(({                                                                             \
            __auto_type tw_copy = *(p);                                                           \
            tw_copy;                                                                              \
        })) tw_value = *(__typeof__(p))tw__in_16s(p);                                             \
        TW__COUNT(LOAD, 1);                                                                       \
        (p) = tw__cyclic_bytes(p, offs, start, len);                                              \
        tw_value;                                                                                 \
    }))
#define cyclic_add_unaligned_store(p, offs, start, len, v)                                              \
    TW__DO_HERE(__extension__({                                                                         \
        __typeof__(*(p)) tw_value = (v);                                                                \
        _Static_assert(sizeof tw_value == 32, "cyclic_add_unaligned_store writes vectors of 256 bits"); \
        *(__typeof__(p))tw__in_16s(p) = tw_value;                                                       \
        TW__COUNT(STORE, 1);                                                                            \
        (p) = tw__cyclic_bytes(p, offs, start, len);                                                    \
    }))
#endif

#endif
