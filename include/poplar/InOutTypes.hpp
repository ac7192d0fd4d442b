// SPDX-License-Identifier: MIT
/* Input, Output and InOut: how a vertex field is connected to a tensor (guide 2.8). All methods of an Input give
 * const. */
#ifndef POPLAR_IN_OUT_TYPES_HPP
#define POPLAR_IN_OUT_TYPES_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/VectorTypes.hpp>

namespace poplar {

struct InOutBase {
    void *p;
};

namespace detail {

template <class T> struct ScalarBase : InOutBase {};
template <> struct ScalarBase<half> : InOutBase, HalfEdge {
#if !defined(__IPU__) && !defined(TW_HALF_F16)
    /* To float in one step, as from the 16-bit type. */
    operator float() const { return *static_cast<const half *>(p); }
#endif
};

template <class T, class Access> struct ScalarEdge : ScalarBase<T> {
    operator Access &() const { return *static_cast<Access *>(this->p); }
    Access &operator*() const { return *static_cast<Access *>(this->p); }
    Access *operator->() const { return static_cast<Access *>(this->p); }
    Access &operator[](size_t i) const { return static_cast<Access *>(this->p)[i]; }
};

} // namespace detail

template <class T> class Input : public detail::ScalarEdge<T, const T> {};
template <class T> class Output;
template <class T> class InOut;

namespace detail {

/* Fields of two directions in `?:` meet in the type of their elements, but for the compiler's 16-bit type, which it
 * does not try: there a writable field is one to be read as well, and an Output an InOut. */
template <class T, class Edge> struct WritableEdge : ScalarEdge<T, T> {};
#if defined(__IPU__) || defined(TW_HALF_F16)
template <> struct WritableEdge<half, InOut<half>> : ScalarEdge<half, half> {
    operator const Input<half> &() const
    {
        return *static_cast<const Input<half> *>(static_cast<const void *>(this));
    }
};
template <> struct WritableEdge<half, Output<half>> : ScalarEdge<half, half> {
    operator const Input<half> &() const
    {
        return *static_cast<const Input<half> *>(static_cast<const void *>(this));
    }
    operator const InOut<half> &() const
    {
        return *static_cast<const InOut<half> *>(static_cast<const void *>(this));
    }
};
#endif

} // namespace detail

/* Assignment gives the element a value, from a value or from another field; where the field points stays as it is. */
#define TW__WRITABLE_EDGE(Edge)                                                             \
    template <class T> class Edge : public detail::WritableEdge<T, Edge<T>> {               \
      public:                                                                               \
        Edge() = default;                                                                   \
        Edge(const Edge &) = default;                                                       \
        Edge &operator=(const T &value)                                                     \
        {                                                                                   \
            *static_cast<T *>(this->p) = value;                                             \
            return *this;                                                                   \
        }                                                                                   \
        const Edge &operator=(const T &value) const                                         \
        {                                                                                   \
            *static_cast<T *>(this->p) = value;                                             \
            return *this;                                                                   \
        }                                                                                   \
        Edge &operator=(const Edge &other)                                                  \
        {                                                                                   \
            return *this = *other;                                                          \
        }                                                                                   \
        template <class Other> Edge &operator=(const detail::WritableEdge<T, Other> &other) \
        {                                                                                   \
            return *this = *other;                                                          \
        }                                                                                   \
    };
TW__WRITABLE_EDGE(Output)
TW__WRITABLE_EDGE(InOut)
#undef TW__WRITABLE_EDGE

#define TW__VECTOR_EDGE(Edge, Const)                                                                        \
    template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved>                                 \
    class Edge<Vector<T, L, MinAlign, Interleaved>> : public detail::VectorAccess<Const T, L, MinAlign> {}; \
    template <class T, VectorListLayout L, unsigned MinAlign, bool Interleaved>                             \
    class Edge<VectorList<T, L, MinAlign, Interleaved>> : public detail::ListAccess<Const T, L, MinAlign> {};
TW__VECTOR_EDGE(Input, const)
TW__VECTOR_EDGE(Output, )
TW__VECTOR_EDGE(InOut, )
#undef TW__VECTOR_EDGE

/* An input that is a bare pointer gives elements that are not const, as a field and unlike all others: PopLibs hands
 * &in[0] of it to functions that take a T *. Writing to them stays undefined (guide 2.8). */
template <class T, unsigned MinAlign, bool Interleaved>
class Input<Vector<T, VectorLayout::ONE_PTR, MinAlign, Interleaved>>
    : public detail::VectorAccess<const T, VectorLayout::ONE_PTR, MinAlign> {
    typedef detail::VectorAccess<const T, VectorLayout::ONE_PTR, MinAlign> Access;

  public:
    using Access::operator[];
    T &operator[](size_t i) { return const_cast<T &>(static_cast<const Access &>(*this)[i]); }
};

/* The inputs in a vector are const, whatever their layout. */
template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Vector<Input<T>, L, MinAlign, Interleaved> : public detail::VectorAccess<const Input<T>, L, MinAlign> {};

} // namespace poplar
#endif
