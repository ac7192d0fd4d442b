// SPDX-License-Identifier: MIT
/* Names of operations and the records that libraries make of them. */
#include <poplar/DebugContext.hpp>

#include <atomic>
#include <fstream>
#include <mutex>
#include <poplar/exceptions.hpp>

namespace poplar {

static std::string joined(const std::string &path, const std::string &name)
{
    return path.empty() ? name : name.empty() ? path : path + "/" + name;
}

DebugNameAndId::DebugNameAndId(std::string n, DebugId i, std::string p)
    : name(std::move(n)), parentPath(std::move(p)), id(i)
{
}
DebugNameAndId::DebugNameAndId(const char *n) : name(n), id(0) {}
DebugNameAndId::DebugNameAndId(DebugId i) : id(i) {}
DebugNameAndId::DebugNameAndId(const DebugInfo &info, std::string n)
    : name(std::move(n)), parentPath(info.getPathName()), id(info.getId())
{
}
DebugNameAndId::DebugNameAndId(const DebugNameAndId &parent, StringRef n)
    : name(n), parentPath(parent.getPathName()), id(parent.id)
{
}
std::string DebugNameAndId::getPathName() const
{
    return joined(parentPath, name);
}
std::ostream &operator<<(std::ostream &out, const DebugNameAndId &what)
{
    return out << what.getPathName();
}

DebugContext::DebugContext(SourceLocation where) : id(0), location(where) {}
DebugContext::DebugContext(const char *n, SourceLocation where) : name(n), id(0), location(where) {}
DebugContext::DebugContext(StringRef n, SourceLocation where) : name(n), id(0), location(where) {}
DebugContext::DebugContext(std::string n, SourceLocation where) : name(std::move(n)), id(0), location(where) {}
DebugContext::DebugContext(const DebugInfo &info, std::string n, SourceLocation where)
    : parentPath(info.getPathName()), name(std::move(n)), id(info.getId()), location(where)
{
}
DebugContext::DebugContext(const DebugNameAndId &parent, std::string n, SourceLocation where)
    : parentPath(parent.getPathName()), name(std::move(n)), id(parent.getId()), location(where)
{
}
DebugContext::DebugContext(DebugId i, std::string n) : name(std::move(n)), id(i) {}
DebugContext::DebugContext(const DebugContext &parent, StringRef n)
    : parentPath(parent.getPathName()), name(n), id(parent.id), location(parent.location)
{
}
std::string DebugContext::getPathName() const
{
    return joined(parentPath, name);
}
std::ostream &operator<<(std::ostream &out, const DebugContext &what)
{
    return out << what.getPathName();
}

/* --- records --- */

static struct Streamer {
    std::mutex lock;
    std::ofstream file;
    DebugSerializationFormat format = DebugSerializationFormat::CBOR;
    bool open = false, first = true;
} streamer;
static std::atomic<DebugId> nextId(1);

DebugInfo::DebugInfo(const DebugContext &context, std::string l)
    : id(nextId++), parent(context.getId()), path(context.getPathName()), layer(std::move(l)),
      location(context.getLocation())
{
}

bool DebugInfo::setValue(std::string name, ProfileValue value)
{
    return values.emplace(std::move(name), std::move(value)).second;
}

DebugInfo::~DebugInfo()
{
    std::lock_guard<std::mutex> guard(streamer.lock);
    if (!streamer.open) return;
    ProfileValue::Map record = std::move(values);
    record.emplace("id", id);
    record.emplace("parentId", parent);
    record.emplace("layer", layer);
    record.emplace("name", path);
    if (location.isValid()) {
        ProfileValue::Map where;
        where.emplace("function", location.getFunctionName());
        where.emplace("file", location.getFileName());
        where.emplace("line", location.getLineNumber());
        record.emplace("location", std::move(where));
    }
    if (streamer.format == DebugSerializationFormat::CBOR) {
        serializeToCBOR(streamer.file, std::move(record));
    } else {
        streamer.file << (streamer.first ? "\n" : ",\n");
        serializeToJSON(streamer.file, std::move(record));
    }
    streamer.first = false;
}

/* JSON: {"contexts": [...]}; CBOR: the same map with an array of open length. */
void DebugInfo::initializeStreamer(const std::string &file, const DebugSerializationFormat &format)
{
    std::lock_guard<std::mutex> guard(streamer.lock);
    if (streamer.open) throw poplar_error("DebugInfo::initializeStreamer: a file is open already");
    streamer.file.open(file, std::ios::binary);
    if (!streamer.file) throw poplar_error("DebugInfo::initializeStreamer: cannot write '" + file + "'");
    streamer.format = format, streamer.open = true, streamer.first = true;
    streamer.file << (format == DebugSerializationFormat::CBOR ? "\xa1\x68"
                                                                 "contexts\x9f"
                                                               : "{\"contexts\": [");
}

void DebugInfo::closeStreamer()
{
    std::lock_guard<std::mutex> guard(streamer.lock);
    if (!streamer.open) return;
    streamer.file << (streamer.format == DebugSerializationFormat::CBOR ? "\xff" : "\n]}\n");
    streamer.file.close();
    streamer.open = false;
    if (!streamer.file) throw poplar_error("DebugInfo::closeStreamer: the file could not be written");
}

} // namespace poplar
