// SPDX-License-Identifier: MIT
/* Vector and VectorList as vertex state (guide chapter 4). What directions add is in InOutTypes.hpp.
 *
 * On the host every layout is a pointer and a count that only the runtime reads; on a chip the bytes are those of the
 * guide's section 4.2. Only SPAN and SHORT_SPAN know their size and can be iterated over. */
#ifndef POPLAR_VECTOR_TYPES_HPP
#define POPLAR_VECTOR_TYPES_HPP

#include <poplar/AvailableVTypes.h>
#include <poplar/TileConstants.hpp>
#include <cstddef>
#include <cstdint>
#include <poplar/VectorLayout.hpp>
#include <stddef.h>
#include <stdint.h>

namespace poplar {
namespace detail {

/* Guide 4.1.3. Never less than the size of the element; that part is applied where the data is placed. */
constexpr unsigned defaultAlign(VectorLayout layout)
{
    return layout == VectorLayout::SCALED_PTR32    ? 4
           : layout == VectorLayout::SCALED_PTR64  ? 8
           : layout == VectorLayout::SCALED_PTR128 ? 16
                                                   : 1;
}

constexpr bool knowsSize(VectorLayout layout)
{
    return layout == VectorLayout::SPAN || layout == VectorLayout::SHORT_SPAN;
}

#ifdef __IPU__
/* Guide table 4.2. */
constexpr VectorLayout resolve(VectorLayout layout, unsigned align)
{
    return layout != VectorLayout::COMPACT_PTR       ? layout
           : align >= 16                             ? VectorLayout::SCALED_PTR128
           : __IPU_ARCH_VERSION__ == 1 && align >= 8 ? VectorLayout::SCALED_PTR64
           : __IPU_ARCH_VERSION__ == 1 && align >= 4 ? VectorLayout::SCALED_PTR32
                                                     : VectorLayout::ONE_PTR;
}
constexpr unsigned maxOf(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

template <class T, VectorLayout L> struct Storage {};
template <class T> struct Storage<T, VectorLayout::SPAN> {
    T *first;
    uint32_t count;
    T *get() const { return first; }
    uint32_t length() const { return count; }
};
template <class T> struct Storage<T, VectorLayout::SHORT_SPAN> {
    uint32_t word; /* pointer [19:0], count [31:21] */
    T *get() const { return reinterpret_cast<T *>(word & 0xFFFFF); }
    uint32_t length() const { return word >> 21; }
};
template <class T> struct Storage<T, VectorLayout::ONE_PTR> {
    T *first;
    T *get() const { return first; }
};
template <class T, unsigned Shift> struct ScaledStorage {
    uint16_t scaled;
    T *get() const
    {
        uint32_t base = Shift == 2 ? TMEM_REGION0_BASE_ADDR : 0;
        return reinterpret_cast<T *>((static_cast<uint32_t>(scaled) << Shift) | base);
    }
};
#ifdef VECTOR_AVAIL_SCALED_PTR32
template <class T> struct Storage<T, VectorLayout::SCALED_PTR32> : ScaledStorage<T, 2> {};
#endif
#ifdef VECTOR_AVAIL_SCALED_PTR64
template <class T> struct Storage<T, VectorLayout::SCALED_PTR64> : ScaledStorage<T, 3> {};
#endif
template <class T> struct Storage<T, VectorLayout::SCALED_PTR128> : ScaledStorage<T, 4> {};

constexpr bool available(VectorLayout layout)
{
#ifdef VECTOR_AVAIL_SCALED_PTR32
    return layout != VectorLayout::NOT_A_VECTOR;
#else
    return layout != VectorLayout::NOT_A_VECTOR && layout != VectorLayout::SCALED_PTR32 &&
           layout != VectorLayout::SCALED_PTR64;
#endif
}
#define TW__STORAGE(T, L, A) detail::Storage<T, detail::resolve(L, detail::maxOf(A, sizeof(T)))>
#else
/* The host's one storage, tw_host_span in C: 16 bytes on a 64-bit host. */
template <class T> struct HostSpan {
    T *first;
    uint32_t count;
    T *get() const { return first; }
    uint32_t length() const { return count; }
};
constexpr bool available(VectorLayout layout)
{
    return layout != VectorLayout::NOT_A_VECTOR;
}
#define TW__STORAGE(T, L, A) detail::HostSpan<T>
#endif

/* Access to elements, shared by vectors with and without a direction. */
template <class T, VectorLayout L, unsigned MinAlign> struct VectorAccess {
    static_assert(available(L), "this chip does not have this vector layout (see poplar/AvailableVTypes.h)");
    static_assert(MinAlign != 0 && (MinAlign & (MinAlign - 1)) == 0, "MinAlign must be a power of two");

#ifdef __IPU__
    /* What compilers know of the place decides how wide they load. */
    enum : unsigned { alignment = maxOf(MinAlign, alignof(T)) };
    T *data() const { return static_cast<T *>(__builtin_assume_aligned(storage.get(), alignment)); }
#else
    T *data() const { return storage.get(); }
#endif
    T &operator[](size_t i) const { return data()[i]; }
    T &operator*() const { return *data(); }
    const VectorAccess *operator->() const { return this; } /* x->size(): the vector of the field */
    T *begin() const { return data(); }
    T *end() const
    {
        static_assert(knowsSize(L), "only SPAN and SHORT_SPAN vectors have end()");
        return data() + storage.length();
    }
    unsigned size() const
    {
        static_assert(knowsSize(L), "only SPAN and SHORT_SPAN vectors have size()");
        return storage.length();
    }
    TW__STORAGE(T, L, MinAlign) storage;
};

/* A row of a VectorList: {pointer, count}. */
template <class T> struct Row {
    T *first;
    uint32_t count;
    T &operator[](size_t i) const { return first[i]; }
    T &operator*() const { return *first; }
    T *data() const { return first; }
    T *begin() const { return first; }
    T *end() const { return first + count; }
    unsigned size() const { return count; }
};

#ifdef __IPU__
constexpr VectorListLayout resolve(VectorListLayout layout)
{
    return layout != VectorListLayout::COMPACT_DELTAN ? layout
           : __IPU_ARCH_VERSION__ == 1                ? VectorListLayout::DELTAN
                                                      : VectorListLayout::DELTANELEMENTS;
}
constexpr unsigned log2(unsigned x)
{
    return x <= 1 ? 0 : 1 + log2(x / 2);
}

/* Guide figures 4.4 to 4.9. */
template <class T, VectorListLayout L, unsigned Align> struct ListStorage;
template <class T, unsigned Align> struct ListStorage<T, VectorListLayout::DELTANELEMENTS, Align> {
    uint32_t word0; /* base [20:0], count low byte [31:24] */
    uint32_t word1; /* table [20:0], count high byte [31:24] */
    unsigned length() const { return (word0 >> 24) | (word1 >> 24) << 8; }
    Row<T> row(size_t i) const
    {
        const unsigned bits = 21 - log2(Align);
        uint32_t entry = reinterpret_cast<const uint32_t *>(word1 & 0x1FFFFF)[i];
        uint32_t offset = (entry & ((1u << bits) - 1)) << log2(Align);
        return Row<T>{ reinterpret_cast<T *>((word0 & 0x1FFFFF) + offset), entry >> bits };
    }
};
#ifdef VECTORLIST_AVAIL_DELTAN
template <class T, unsigned Align> struct ListStorage<T, VectorListLayout::DELTAN, Align> {
    uint32_t word;   /* base [19:0], count [31:20] */
    uint16_t scaled; /* table, SCALED_PTR32 */
    unsigned length() const { return word >> 20; }
    Row<T> row(size_t i) const
    {
        uint32_t table = (static_cast<uint32_t>(scaled) << 2) | TMEM_REGION0_BASE_ADDR;
        uint32_t entry = reinterpret_cast<const uint32_t *>(table)[i]; /* offset [17:0], count [31:18] */
        return Row<T>{ reinterpret_cast<T *>((word & 0xFFFFF) + (entry & 0x3FFFF)), entry >> 18 };
    }
};
#endif
#define TW__LIST_STORAGE(T, L, A) detail::ListStorage<T, detail::resolve(L), detail::maxOf(A, sizeof(T))>
#else
template <class T> struct HostList { /* tw_host_rows in C */
    Row<T> *rows;
    uint32_t count;
    unsigned length() const { return count; }
    Row<T> row(size_t i) const { return rows[i]; }
};
#define TW__LIST_STORAGE(T, L, A) detail::HostList<T>
#endif

template <class T, VectorListLayout L, unsigned MinAlign> struct ListAccess {
    static_assert(MinAlign != 0 && (MinAlign & (MinAlign - 1)) == 0, "MinAlign must be a power of two");
    Row<T> operator[](size_t i) const { return storage.row(i); }
    unsigned size() const { return storage.length(); }
    TW__LIST_STORAGE(T, L, MinAlign) storage;
};

} // namespace detail

template <class T, VectorLayout L = VectorLayout::SPAN, unsigned MinAlign = detail::defaultAlign(L),
          bool Interleaved = false>
class Vector : public detail::VectorAccess<T, L, MinAlign> {};

template <class T, VectorListLayout L = VectorListLayout::COMPACT_DELTAN, unsigned MinAlign = 1,
          bool Interleaved = false>
class VectorList : public detail::ListAccess<T, L, MinAlign> {};

} // namespace poplar
#endif
