/* Input, Output and InOut: how a vertex field is connected to a tensor (guide 2.8). All methods of an Input give const. */
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
template <class T> class Output : public detail::ScalarEdge<T, T> {};
template <class T> class InOut : public detail::ScalarEdge<T, T> {};

#define TW__VECTOR_EDGE(Edge, Const)                                                                        \
    template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved>                                 \
    class Edge<Vector<T, L, MinAlign, Interleaved>> : public detail::VectorAccess<Const T, L, MinAlign> {}; \
    template <class T, VectorListLayout L, unsigned MinAlign, bool Interleaved>                             \
    class Edge<VectorList<T, L, MinAlign, Interleaved>> : public detail::ListAccess<Const T, L, MinAlign> {};
TW__VECTOR_EDGE(Input, const)
TW__VECTOR_EDGE(Output, )
TW__VECTOR_EDGE(InOut, )
#undef TW__VECTOR_EDGE

} // namespace poplar
#endif
