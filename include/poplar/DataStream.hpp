// SPDX-License-Identifier: MIT
/* Streams between host and device, and buffers in memory off the chip. Values. */
#ifndef POPLAR_DATA_STREAM_HPP
#define POPLAR_DATA_STREAM_HPP

#include <cstddef>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Type.hpp>
#include <string>

namespace poplar {

enum class DataStreamType { HostToDeviceFIFO, DeviceToHostFIFO, HostToDeviceBuffer, DeviceToHostBuffer };

class DataStream {
  public:
    DataStream() = default;
    DataStream(unsigned i, std::string h, DataStreamType k, Type t, std::size_t n, unsigned factor,
               ReplicatedStreamMode m)
        : id(i), name(std::move(h)), kind(k), element(t), count(n), replicas(factor), mode(m)
    {
    }
    std::string handle() const { return name; }
    std::size_t numElements() const { return count; }
    unsigned replicationFactor() const { return replicas; }
    ReplicatedStreamMode replicatedMode() const { return mode; }
    DataStreamType type() const { return kind; }
    Type elementType() const { return element; }
    unsigned getId() const { return id; }

  private:
    unsigned id = 0;
    std::string name;
    DataStreamType kind = DataStreamType::HostToDeviceFIFO;
    Type element;
    std::size_t count = 0;
    unsigned replicas = 1;
    ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE;
};
inline bool operator==(const DataStream &a, const DataStream &b)
{
    return a.getId() == b.getId();
}

class RemoteBuffer {
  public:
    RemoteBuffer() = default;
    RemoteBuffer(unsigned i, std::string h, Type t, std::size_t n, std::size_t r)
        : id(i), name(std::move(h)), element(t), count(n), rows(r)
    {
    }
    std::string handle() const { return name; }
    std::size_t numElements() const { return count; }
    std::size_t getRepeats() const { return rows; }
    Type elementType() const { return element; }
    unsigned getId() const { return id; }

  private:
    unsigned id = 0;
    std::string name;
    Type element;
    std::size_t count = 0, rows = 1;
};

} // namespace poplar
#endif
