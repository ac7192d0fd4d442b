// SPDX-License-Identifier: MIT
/* What the harness of PopLibs 3.4's tests takes from a package of the vendor that is not public: memory of the host
 * for tensors, numbers of the host as elements of a device and back. For poplibs_ours.py alone, as C++17. */
#ifndef POPLAR_TEST_UTIL_HPP
#define POPLAR_TEST_UTIL_HPP

#include <boost/multi_array.hpp>
#include <boost/optional.hpp>
#include <cstddef>
#include <memory>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/TypeConversion.hpp>
#include <string>
#include <utility>
#include <vector>

namespace poplar_test {

using poplar::QuarterMetadata;
using poplar::Target;
using poplar::Tensor;
using poplar::Type;
using HostMemory = char *; /* of a stream, by its name */

inline std::unique_ptr<char[]> allocateHostMemoryForTensor(const Target &target, const Tensor &t, unsigned replicas,
                                                           std::size_t &bytes)
{
    bytes = t.numElements() * target.getTypeSize(t.elementType()) * replicas;
    return std::unique_ptr<char[]>(new char[bytes]());
}
inline std::unique_ptr<char[]> allocateHostMemoryForTensor(const Target &target, const Tensor &t, unsigned replicas)
{
    std::size_t bytes = 0;
    return allocateHostMemoryForTensor(target, t, replicas, bytes);
}
/* With a stream for each sequence that there is, which `list` names. */
inline std::unique_ptr<char[]> allocateHostMemoryForTensor(const Tensor &t, const std::string &name,
                                                           poplar::Graph &graph,
                                                           boost::optional<poplar::program::Sequence &> upload,
                                                           boost::optional<poplar::program::Sequence &> download,
                                                           std::vector<std::pair<std::string, HostMemory>> &list)
{
    std::unique_ptr<char[]> memory =
        allocateHostMemoryForTensor(graph.getTarget(), t, graph.getReplicationFactor());
    const std::string up = name + "/up", down = name + "/down";
    if (upload) {
        auto stream = graph.addHostToDeviceFIFO(up, t.elementType(), t.numElements());
        upload->add(poplar::program::Copy(stream, t, true, name));
        list.emplace_back(up, memory.get());
    }
    if (download) {
        auto stream = graph.addDeviceToHostFIFO(down, t.elementType(), t.numElements());
        download->add(poplar::program::Copy(t, stream, true, name));
        list.emplace_back(down, memory.get());
    }
    return memory;
}
inline void attachStreams(poplar::Engine &engine, const std::vector<std::pair<std::string, HostMemory>> &list)
{
    for (const auto &stream : list) engine.connectStream(stream.first, stream.second);
}

/* --- numbers to a device and back; with metadata for QUARTER --------------------------------------------------- */

template <class T>
void copy(const Target &, const T *src, std::size_t n, const Type &type, const QuarterMetadata &metadata, void *dst)
{
    poplar::convertToDeviceType(type, metadata, src, poplar::TypeTraits::make<T>(), n, dst);
}
template <class T>
void copy(const Target &, const Type &type, const QuarterMetadata &metadata, const void *src, T *dst, std::size_t n)
{
    poplar::convertFromDeviceType(type, metadata, src, dst, poplar::TypeTraits::make<T>(), n);
}
template <class T> void copy(const Target &target, const T *src, std::size_t n, const Type &type, void *dst)
{
    copy(target, src, n, type, QuarterMetadata(), dst);
}
template <class T> void copy(const Target &target, const Type &type, const void *src, T *dst, std::size_t n)
{
    copy(target, type, QuarterMetadata(), src, dst, n);
}

/* Of whole lists: vectors, arrays of any rank and references to them. */
template <class T, class A>
void copy(const Target &target, const std::vector<T, A> &src, const Type &type, void *dst)
{
    copy(target, src.data(), src.size(), type, dst);
}
template <class T, class A>
void copy(const Target &target, const Type &type, const void *src, std::vector<T, A> &dst)
{
    copy(target, type, src, dst.data(), dst.size());
}
template <class T, std::size_t N, class P>
void copy(const Target &target, const boost::const_multi_array_ref<T, N, P> &src, const Type &type, void *dst)
{
    copy(target, src.data(), src.num_elements(), type, dst);
}
template <class T, std::size_t N, class P>
void copy(const Target &target, const boost::const_multi_array_ref<T, N, P> &src, const Type &type,
          const QuarterMetadata &metadata, void *dst)
{
    copy(target, src.data(), src.num_elements(), type, metadata, dst);
}
template <class T, std::size_t N>
void copy(const Target &target, const Type &type, const void *src, const boost::multi_array_ref<T, N> &dst)
{
    copy(target, type, src, const_cast<T *>(dst.data()), dst.num_elements());
}
template <class T, std::size_t N>
void copy(const Target &target, const Type &type, const QuarterMetadata &metadata, const void *src,
          const boost::multi_array_ref<T, N> &dst)
{
    copy(target, type, metadata, src, const_cast<T *>(dst.data()), dst.num_elements());
}

} // namespace poplar_test
#endif
