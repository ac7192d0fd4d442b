// SPDX-License-Identifier: MIT
/* Base classes of codelets (guide chapter 3). A vertex is a class derived from one of them with edge and state fields
 * and a compute() method; popc finds the classes, so nothing is registered by hand. */
#ifndef POPLAR_VERTEX_HPP
#define POPLAR_VERTEX_HPP

#include <poplar/FieldTypes.hpp>
#include <poplar/InOutTypes.hpp>
#include <poplar/VectorListTypes.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/device/ipu_scalar_builtins.h>
#include <utility> /* std::swap: codelets of PopLibs take it for granted, and <type_traits> only declares it */

#ifdef __IPU__
#include <cstring> /* memcpy, on a chip: likewise */
#endif

/* popc reads [[poplar::constraint("...", ...)]] as [[TW__constraint____("...", ...)]]: an attribute of the compiler's
 * own, one per string, since compilers drop attributes of other vendors. */
#define TW__constraint____(...)                             TW__CONSTRAINT_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define TW__CONSTRAINT_PICK(a, b, c, d, e, f, g, h, n, ...) TW__CONSTRAINT_##n
#define TW__CONSTRAINT_1(a)                                 clang::annotate("tw.constraint " a)
#define TW__CONSTRAINT_2(a, ...)                            TW__CONSTRAINT_1(a), TW__CONSTRAINT_1(__VA_ARGS__)
#define TW__CONSTRAINT_3(a, ...)                            TW__CONSTRAINT_1(a), TW__CONSTRAINT_2(__VA_ARGS__)
#define TW__CONSTRAINT_4(a, ...)                            TW__CONSTRAINT_1(a), TW__CONSTRAINT_3(__VA_ARGS__)
#define TW__CONSTRAINT_5(a, ...)                            TW__CONSTRAINT_1(a), TW__CONSTRAINT_4(__VA_ARGS__)
#define TW__CONSTRAINT_6(a, ...)                            TW__CONSTRAINT_1(a), TW__CONSTRAINT_5(__VA_ARGS__)
#define TW__CONSTRAINT_7(a, ...)                            TW__CONSTRAINT_1(a), TW__CONSTRAINT_6(__VA_ARGS__)
#define TW__CONSTRAINT_8(a, ...)                            TW__CONSTRAINT_1(a), TW__CONSTRAINT_7(__VA_ARGS__)

#define WORKER_ALIGN __attribute__((aligned(8)))

namespace poplar {
#ifndef __IPU__
namespace detail {

/* Worker threads of the vertex that runs in this host thread; set by the entry that popc generates. */
inline unsigned &hostWorkers()
{
    static __thread unsigned workers = 1;
    return workers;
}

} // namespace detail
#endif

/* bool compute() runs in one worker thread. */
class Vertex {};

/* bool compute(unsigned workerId) runs in every worker thread of the tile, with ids 0 to numWorkers() - 1. */
class MultiVertex {
  public:
#ifdef __IPU__
    static unsigned numWorkers() { return CTXT_WORKERS; }
#else
    static unsigned numWorkers() { return detail::hostWorkers(); }
#endif
};

/* bool compute() runs in the supervisor thread. */
class SupervisorVertex {};
class ExternalExchangeVertex {};

namespace detail {
template <bool Supervisor> struct SupervisorIf {
    typedef Vertex type;
};
template <> struct SupervisorIf<true> {
    typedef SupervisorVertex type;
};
} // namespace detail
template <bool Supervisor> using SupervisorVertexIf = typename detail::SupervisorIf<Supervisor>::type;

} // namespace poplar
#endif
